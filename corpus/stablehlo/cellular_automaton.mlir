module @jit_cellular_automaton attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<61xi32>) -> (tensor<20x61xi32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<[0, 1, 1, 1, 0, 1, 1, 0]> : tensor<8xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<20x61xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1:4 = stablehlo.while(%iterArg = %c, %iterArg_2 = %c_1, %iterArg_3 = %arg0, %iterArg_4 = %0) : tensor<8xi32>, tensor<i32>, tensor<61xi32>, tensor<20x61xi32>
    cond {
      %c_5 = stablehlo.constant dense<20> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_2, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2:2 = func.call @closed_call(%iterArg, %iterArg_3) : (tensor<8xi32>, tensor<61xi32>) -> (tensor<61xi32>, tensor<61xi32>)
      %3 = func.call @dynamic_update_index_in_dim(%iterArg_4, %2#1, %iterArg_2) : (tensor<20x61xi32>, tensor<61xi32>, tensor<i32>) -> tensor<20x61xi32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg_2, %c_5 : tensor<i32>
      stablehlo.return %iterArg, %4, %2#0, %3 : tensor<8xi32>, tensor<i32>, tensor<61xi32>, tensor<20x61xi32>
    }
    return %1#3 : tensor<20x61xi32>
  }
  func.func private @closed_call(%arg0: tensor<8xi32>, %arg1: tensor<61xi32>) -> (tensor<61xi32>, tensor<61xi32>) {
    %0 = call @_roll_static(%arg1) : (tensor<61xi32>) -> tensor<61xi32>
    %c = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<61xi32>
    %2 = stablehlo.multiply %1, %0 : tensor<61xi32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<61xi32>
    %4 = stablehlo.multiply %3, %arg1 : tensor<61xi32>
    %5 = stablehlo.add %2, %4 : tensor<61xi32>
    %6 = call @_roll_static_0(%arg1) : (tensor<61xi32>) -> tensor<61xi32>
    %7 = stablehlo.add %5, %6 : tensor<61xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<61xi32>
    %9 = stablehlo.compare LT, %7, %8, SIGNED : (tensor<61xi32>, tensor<61xi32>) -> tensor<61xi1>
    %c_2 = stablehlo.constant dense<8> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<61xi32>
    %11 = stablehlo.add %7, %10 : tensor<61xi32>
    %12 = stablehlo.select %9, %11, %7 : tensor<61xi1>, tensor<61xi32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<61xi32>) -> tensor<61x1xi32>
    %14 = "stablehlo.gather"(%arg0, %13) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<8xi32>, tensor<61x1xi32>) -> tensor<61xi32>
    return %14, %14 : tensor<61xi32>, tensor<61xi32>
  }
  func.func private @_roll_static(%arg0: tensor<61xi32>) -> tensor<61xi32> {
    %0 = stablehlo.slice %arg0 [60:61] : (tensor<61xi32>) -> tensor<1xi32>
    %1 = stablehlo.slice %arg0 [0:60] : (tensor<61xi32>) -> tensor<60xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xi32>, tensor<60xi32>) -> tensor<61xi32>
    return %2 : tensor<61xi32>
  }
  func.func private @_roll_static_0(%arg0: tensor<61xi32>) -> tensor<61xi32> {
    %0 = stablehlo.slice %arg0 [1:61] : (tensor<61xi32>) -> tensor<60xi32>
    %1 = stablehlo.slice %arg0 [0:1] : (tensor<61xi32>) -> tensor<1xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<60xi32>, tensor<1xi32>) -> tensor<61xi32>
    return %2 : tensor<61xi32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<20x61xi32>, %arg1: tensor<61xi32>, %arg2: tensor<i32>) -> tensor<20x61xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<61xi32>) -> tensor<1x61xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<20x61xi32>, tensor<1x61xi32>, tensor<i32>, tensor<i32>) -> tensor<20x61xi32>
    return %1 : tensor<20x61xi32>
  }
}
