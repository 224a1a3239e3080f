module @jit_rematerialized_chain attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7x4xf32>, %arg1: tensor<4x4xf32>) -> (tensor<7x4xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x7x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:4 = stablehlo.while(%iterArg = %arg1, %iterArg_3 = %c, %iterArg_4 = %arg0, %iterArg_5 = %0) : tensor<4x4xf32>, tensor<i32>, tensor<7x4xf32>, tensor<3x7x4xf32>
    cond {
      %c_6 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %5:2 = func.call @closed_call(%iterArg, %iterArg_4) : (tensor<4x4xf32>, tensor<7x4xf32>) -> (tensor<7x4xf32>, tensor<7x4xf32>)
      %6 = func.call @dynamic_update_index_in_dim(%iterArg_5, %5#1, %iterArg_3) : (tensor<3x7x4xf32>, tensor<7x4xf32>, tensor<i32>) -> tensor<3x7x4xf32>
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %7 = stablehlo.add %iterArg_3, %c_6 : tensor<i32>
      stablehlo.return %iterArg, %7, %5#0, %6 : tensor<4x4xf32>, tensor<i32>, tensor<7x4xf32>, tensor<3x7x4xf32>
    }
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1#2 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7x4xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %4:4 = stablehlo.while(%iterArg = %1#3, %iterArg_3 = %arg1, %iterArg_4 = %c_2, %iterArg_5 = %3) : tensor<3x7x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<7x4xf32>
    cond {
      %c_6 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.compare LT, %iterArg_4, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %c_6 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.subtract %c_6, %iterArg_4 : tensor<i32>
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %6 = stablehlo.subtract %5, %c_7 : tensor<i32>
      %7 = func.call @dynamic_index_in_dim(%iterArg, %6) : (tensor<3x7x4xf32>, tensor<i32>) -> tensor<7x4xf32>
      %8 = func.call @closed_call_0(%iterArg_3, %iterArg_5, %7) : (tensor<4x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.add %iterArg_4, %c_8 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_3, %9, %8 : tensor<3x7x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<7x4xf32>
    }
    return %4#3 : tensor<7x4xf32>
  }
  func.func private @closed_call(%arg0: tensor<4x4xf32>, %arg1: tensor<7x4xf32>) -> (tensor<7x4xf32>, tensor<7x4xf32>) {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<7x4xf32>, tensor<4x4xf32>) -> tensor<7x4xf32>
    %1 = stablehlo.tanh %0 : tensor<7x4xf32>
    return %1, %arg1 : tensor<7x4xf32>, tensor<7x4xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<3x7x4xf32>, %arg1: tensor<7x4xf32>, %arg2: tensor<i32>) -> tensor<3x7x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<7x4xf32>) -> tensor<1x7x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<3x7x4xf32>, tensor<1x7x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x7x4xf32>
    return %1 : tensor<3x7x4xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<3x7x4xf32>, %arg1: tensor<i32>) -> tensor<7x4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 7, 4] : (tensor<3x7x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x7x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x7x4xf32>) -> tensor<7x4xf32>
    return %1 : tensor<7x4xf32>
  }
  func.func private @closed_call_0(%arg0: tensor<4x4xf32>, %arg1: tensor<7x4xf32>, %arg2: tensor<7x4xf32>) -> tensor<7x4xf32> {
    %0:3 = stablehlo.optimization_barrier %arg0, %arg2, %arg1 : tensor<4x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>
    %1 = stablehlo.dot_general %0#1, %0#0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<7x4xf32>, tensor<4x4xf32>) -> tensor<7x4xf32>
    %2 = stablehlo.tanh %1 : tensor<7x4xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7x4xf32>
    %4 = stablehlo.subtract %3, %2 : tensor<7x4xf32>
    %5 = stablehlo.multiply %0#2, %4 : tensor<7x4xf32>
    %6 = stablehlo.multiply %5, %2 : tensor<7x4xf32>
    %7 = stablehlo.add %5, %6 : tensor<7x4xf32>
    %8 = stablehlo.dot_general %7, %0#0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<7x4xf32>, tensor<4x4xf32>) -> tensor<7x4xf32>
    return %8 : tensor<7x4xf32>
  }
}
