module @jit_digital_filter attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<48xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2xf32>) -> (tensor<3xf32> {jax.result_info = "result[0][0]"}, tensor<2xf32> {jax.result_info = "result[0][1]"}, tensor<48xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.reshape %arg0 : (tensor<48xf32>) -> tensor<24x2xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<24x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4:7 = stablehlo.while(%iterArg = %2, %iterArg_2 = %arg1, %iterArg_3 = %arg2, %iterArg_4 = %c, %iterArg_5 = %0, %iterArg_6 = %1, %iterArg_7 = %3) : tensor<24x2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<i32>, tensor<3xf32>, tensor<2xf32>, tensor<24x2xf32>
    cond {
      %c_8 = stablehlo.constant dense<24> : tensor<i32>
      %6 = stablehlo.compare LT, %iterArg_4, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %6 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_4) : (tensor<24x2xf32>, tensor<i32>) -> tensor<2xf32>
      %7 = stablehlo.slice %6 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
      %8 = stablehlo.reshape %7 : (tensor<1xf32>) -> tensor<f32>
      %9:3 = func.call @closed_call(%iterArg_2, %iterArg_3, %iterArg_5, %iterArg_6, %8) : (tensor<3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<2xf32>, tensor<f32>)
      %10 = stablehlo.slice %6 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
      %11 = stablehlo.reshape %10 : (tensor<1xf32>) -> tensor<f32>
      %12:3 = func.call @closed_call(%iterArg_2, %iterArg_3, %9#0, %9#1, %11) : (tensor<3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<2xf32>, tensor<f32>)
      %13 = stablehlo.broadcast_in_dim %9#2, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %14 = stablehlo.broadcast_in_dim %12#2, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %15 = stablehlo.concatenate %13, %14, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
      %16 = func.call @dynamic_update_index_in_dim(%iterArg_7, %15, %iterArg_4) : (tensor<24x2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<24x2xf32>
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %17 = stablehlo.add %iterArg_4, %c_8 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_2, %iterArg_3, %17, %12#0, %12#1, %16 : tensor<24x2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<i32>, tensor<3xf32>, tensor<2xf32>, tensor<24x2xf32>
    }
    %5 = stablehlo.reshape %4#6 : (tensor<24x2xf32>) -> tensor<48xf32>
    return %4#4, %4#5, %5 : tensor<3xf32>, tensor<2xf32>, tensor<48xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<24x2xf32>, %arg1: tensor<i32>) -> tensor<2xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 2] : (tensor<24x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func private @closed_call(%arg0: tensor<3xf32>, %arg1: tensor<2xf32>, %arg2: tensor<3xf32>, %arg3: tensor<2xf32>, %arg4: tensor<f32>) -> (tensor<3xf32>, tensor<2xf32>, tensor<f32>) {
    %0 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.slice %arg2 [0:2] : (tensor<3xf32>) -> tensor<2xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xf32>, tensor<2xf32>) -> tensor<3xf32>
    %3 = stablehlo.dot_general %arg0, %2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
    %4 = stablehlo.dot_general %arg1, %arg3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
    %5 = stablehlo.subtract %3, %4 : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %7 = stablehlo.slice %arg3 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %8 = stablehlo.concatenate %6, %7, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    return %2, %8, %5 : tensor<3xf32>, tensor<2xf32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<24x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<i32>) -> tensor<24x2xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<24x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<24x2xf32>
    return %1 : tensor<24x2xf32>
  }
}
