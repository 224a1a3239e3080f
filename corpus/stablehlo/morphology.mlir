module @jit_morphology attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<20x20xi32>) -> (tensor<20x20xi32> {jax.result_info = "result[0]"}, tensor<20x20xi32> {jax.result_info = "result[1]"}, tensor<20x20xi32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<20x20xi32>
    %1 = stablehlo.compare GT, %arg0, %0, SIGNED : (tensor<20x20xi32>, tensor<20x20xi32>) -> tensor<20x20xi1>
    %c_0 = stablehlo.constant dense<100> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = call @_where(%1, %c_0, %c_1) : (tensor<20x20xi1>, tensor<i32>, tensor<i32>) -> tensor<20x20xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %3:3 = stablehlo.while(%iterArg = %c_3, %iterArg_6 = %c_2, %iterArg_7 = %2) : tensor<i32>, tensor<i32>, tensor<20x20xi32>
    cond {
      %c_8 = stablehlo.constant dense<6> : tensor<i32>
      %6 = stablehlo.compare LT, %iterArg, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %6:2 = func.call @closed_call(%iterArg_6, %iterArg_7) : (tensor<i32>, tensor<20x20xi32>) -> (tensor<i32>, tensor<20x20xi32>)
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %7 = stablehlo.add %iterArg, %c_8 : tensor<i32>
      stablehlo.return %7, %6#0, %6#1 : tensor<i32>, tensor<i32>, tensor<20x20xi32>
    }
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %4 = "stablehlo.reduce_window"(%arg0, %c_4) <{base_dilations = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %6 = stablehlo.minimum %arg1, %arg2 : tensor<i32>
      stablehlo.return %6 : tensor<i32>
    }) : (tensor<20x20xi32>, tensor<i32>) -> tensor<20x20xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %5 = "stablehlo.reduce_window"(%arg0, %c_5) <{base_dilations = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %6 = stablehlo.maximum %arg1, %arg2 : tensor<i32>
      stablehlo.return %6 : tensor<i32>
    }) : (tensor<20x20xi32>, tensor<i32>) -> tensor<20x20xi32>
    return %4, %5, %3#2 : tensor<20x20xi32>, tensor<20x20xi32>, tensor<20x20xi32>
  }
  func.func private @_where(%arg0: tensor<20x20xi1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<20x20xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<20x20xi32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i32>) -> tensor<20x20xi32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<20x20xi1>, tensor<20x20xi32>
    return %2 : tensor<20x20xi32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<20x20xi32>) -> (tensor<i32>, tensor<20x20xi32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %c_0 = stablehlo.constant dense<100> : tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg1, %c_0) <{base_dilations = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %6 = stablehlo.minimum %arg2, %arg3 : tensor<i32>
      stablehlo.return %6 : tensor<i32>
    }) : (tensor<20x20xi32>, tensor<i32>) -> tensor<20x20xi32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<20x20xi32>
    %3 = stablehlo.add %1, %2 : tensor<20x20xi32>
    %4 = stablehlo.convert %arg1 : tensor<20x20xi32>
    %5 = stablehlo.minimum %4, %3 : tensor<20x20xi32>
    return %0, %5 : tensor<i32>, tensor<20x20xi32>
  }
}
