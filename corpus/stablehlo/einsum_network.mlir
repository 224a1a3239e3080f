module @jit_einsum_network attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4x5xf32>, %arg1: tensor<5x6x4xf32>, %arg2: tensor<4x3xf32>) -> (tensor<4x6xf32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}, tensor<8x15xf32> {jax.result_info = "result[2]"}, tensor<3x6xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.slice %arg1 [0:5, 0:6, 0:3] : (tensor<5x6x4xf32>) -> tensor<5x6x3xf32>
    %1 = stablehlo.dot_general %arg0, %arg2, batching_dims = [1, 0] x [0, 1], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<3x4x5xf32>, tensor<4x3xf32>) -> tensor<4x3x5xf32>
    %2 = stablehlo.dot_general %1, %0, contracting_dims = [1, 2] x [2, 0], precision = [DEFAULT, DEFAULT] : (tensor<4x3x5xf32>, tensor<5x6x3xf32>) -> tensor<4x6xf32>
    %3 = stablehlo.slice %arg2 [0:3, 0:3] : (tensor<4x3xf32>) -> tensor<3x3xf32>
    %4 = stablehlo.iota dim = 0 : tensor<3x3xui32>
    %5 = stablehlo.iota dim = 1 : tensor<3x3xui32>
    %6 = stablehlo.compare EQ, %4, %5, UNSIGNED : (tensor<3x3xui32>, tensor<3x3xui32>) -> tensor<3x3xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %8 = stablehlo.select %6, %3, %7 : tensor<3x3xi1>, tensor<3x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3xf32>
    %10 = stablehlo.slice %arg0 [0:1, 0:2, 0:5] : (tensor<3x4x5xf32>) -> tensor<1x2x5xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x2x5xf32>) -> tensor<2x5xf32>
    %12 = call @kron(%arg2, %11) : (tensor<4x3xf32>, tensor<2x5xf32>) -> tensor<8x15xf32>
    %13 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1, 2] x [2, 0], precision = [DEFAULT, DEFAULT] : (tensor<3x4x5xf32>, tensor<5x6x4xf32>) -> tensor<3x6xf32>
    return %2, %9, %12, %13 : tensor<4x6xf32>, tensor<3xf32>, tensor<8x15xf32>, tensor<3x6xf32>
  }
  func.func private @kron(%arg0: tensor<4x3xf32>, %arg1: tensor<2x5xf32>) -> tensor<8x15xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<4x3xf32>) -> tensor<4x1x3x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1, 3] : (tensor<2x5xf32>) -> tensor<1x2x1x5xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2, 3] : (tensor<4x1x3x1xf32>) -> tensor<4x2x3x5xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x2x1x5xf32>) -> tensor<4x2x3x5xf32>
    %4 = stablehlo.multiply %2, %3 : tensor<4x2x3x5xf32>
    %5 = stablehlo.reshape %4 : (tensor<4x2x3x5xf32>) -> tensor<8x15xf32>
    return %5 : tensor<8x15xf32>
  }
}
