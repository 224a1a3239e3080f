module @jit_edit_distance attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<14xi32>, %arg1: tensor<11xi32>) -> (tensor<12xi32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<12xi32>
    %1 = stablehlo.iota dim = 0 : tensor<14xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:6 = stablehlo.while(%iterArg = %1, %iterArg_0 = %arg0, %iterArg_1 = %arg1, %iterArg_2 = %0, %iterArg_3 = %c, %iterArg_4 = %0) : tensor<14xi32>, tensor<14xi32>, tensor<11xi32>, tensor<12xi32>, tensor<i32>, tensor<12xi32>
    cond {
      %c_5 = stablehlo.constant dense<14> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_3, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_3) : (tensor<14xi32>, tensor<i32>) -> tensor<i32>
      %4 = func.call @dynamic_index_in_dim(%iterArg_0, %iterArg_3) : (tensor<14xi32>, tensor<i32>) -> tensor<i32>
      %5 = func.call @closed_call(%iterArg_1, %iterArg_2, %iterArg_4, %3, %4) : (tensor<11xi32>, tensor<12xi32>, tensor<12xi32>, tensor<i32>, tensor<i32>) -> tensor<12xi32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %6 = stablehlo.add %iterArg_3, %c_5 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %iterArg_1, %iterArg_2, %6, %5 : tensor<14xi32>, tensor<14xi32>, tensor<11xi32>, tensor<12xi32>, tensor<i32>, tensor<12xi32>
    }
    return %2#5 : tensor<12xi32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<14xi32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<14xi32>, tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @closed_call(%arg0: tensor<11xi32>, %arg1: tensor<12xi32>, %arg2: tensor<12xi32>, %arg3: tensor<i32>, %arg4: tensor<i32>) -> tensor<12xi32> {
    %0 = stablehlo.slice %arg2 [0:11] : (tensor<12xi32>) -> tensor<11xi32>
    %1 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %2 = stablehlo.compare NE, %arg0, %1, SIGNED : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
    %3 = stablehlo.convert %2 : (tensor<11xi1>) -> tensor<11xi32>
    %4 = stablehlo.add %0, %3 : tensor<11xi32>
    %5 = stablehlo.slice %arg2 [1:12] : (tensor<12xi32>) -> tensor<11xi32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %7 = stablehlo.add %5, %6 : tensor<11xi32>
    %8 = stablehlo.minimum %4, %7 : tensor<11xi32>
    %9 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %11 = stablehlo.add %9, %10 : tensor<1xi32>
    %12 = stablehlo.concatenate %11, %8, dim = 0 : (tensor<1xi32>, tensor<11xi32>) -> tensor<12xi32>
    %13 = stablehlo.subtract %12, %arg1 : tensor<12xi32>
    %14 = call @cummin(%13) : (tensor<12xi32>) -> tensor<12xi32>
    %15 = stablehlo.add %14, %arg1 : tensor<12xi32>
    return %15 : tensor<12xi32>
  }
  func.func private @cummin(%arg0: tensor<12xi32>) -> tensor<12xi32> {
    %c = stablehlo.constant dense<2147483647> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[11, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 12>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.minimum %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<12xi32>, tensor<i32>) -> tensor<12xi32>
    return %1 : tensor<12xi32>
  }
}
