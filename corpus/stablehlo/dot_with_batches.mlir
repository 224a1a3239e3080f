module @jit_dot_with_batches attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x8x5xf32>, %arg2: tensor<6x4x3x5xf32>) -> (tensor<4x6x5xf32> {jax.result_info = "result[0]"}, tensor<4x6x8x3x5xf32> {jax.result_info = "result[1]"}, tensor<3x5x8xf32> {jax.result_info = "result[2]"}, tensor<6x5x4xf32> {jax.result_info = "result[3]"}, tensor<5x5xf32> {jax.result_info = "result[4]"}, tensor<6xf32> {jax.result_info = "result[5]"}, tensor<f32> {jax.result_info = "result[6]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x6x8xf32>, tensor<4x8x5xf32>) -> tensor<4x6x5xf32>
    %1 = stablehlo.dot_general %arg0, %arg2, batching_dims = [0, 1] x [1, 0], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<4x6x8xf32>, tensor<6x4x3x5xf32>) -> tensor<4x6x8x3x5xf32>
    %2 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [1, 0] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x4x3x5xf32>, tensor<4x6x8xf32>) -> tensor<3x5x8xf32>
    %3 = stablehlo.dot_general %arg1, %arg0, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x5xf32>, tensor<4x6x8xf32>) -> tensor<4x5x6xf32>
    %4 = stablehlo.transpose %3, dims = [2, 1, 0] : (tensor<4x5x6xf32>) -> tensor<6x5x4xf32>
    %5 = stablehlo.slice %arg1 [0:1, 0:1, 0:5] : (tensor<4x8x5xf32>) -> tensor<1x1x5xf32>
    %6 = stablehlo.reshape %5 : (tensor<1x1x5xf32>) -> tensor<5xf32>
    %7 = stablehlo.slice %arg2 [0:1, 0:1, 0:1, 0:5] : (tensor<6x4x3x5xf32>) -> tensor<1x1x1x5xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x1x1x5xf32>) -> tensor<5xf32>
    %9 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %10 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<5xf32>) -> tensor<1x5xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x5xf32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<1x5xf32>) -> tensor<5x5xf32>
    %13 = stablehlo.multiply %11, %12 : tensor<5x5xf32>
    %14 = stablehlo.slice %arg0 [0:1, 0:6, 0:8] : (tensor<4x6x8xf32>) -> tensor<1x6x8xf32>
    %15 = stablehlo.reshape %14 : (tensor<1x6x8xf32>) -> tensor<6x8xf32>
    %16 = stablehlo.slice %arg1 [0:1, 0:8, 0:1] : (tensor<4x8x5xf32>) -> tensor<1x8x1xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x8x1xf32>) -> tensor<8xf32>
    %18 = stablehlo.dot_general %15, %17, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<8xf32>) -> tensor<6xf32>
    %19 = stablehlo.reshape %arg0 : (tensor<4x6x8xf32>) -> tensor<192xf32>
    %20 = stablehlo.reshape %arg0 : (tensor<4x6x8xf32>) -> tensor<192xf32>
    %21 = stablehlo.dot_general %19, %20, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<192xf32>, tensor<192xf32>) -> tensor<f32>
    return %0, %1, %2, %4, %13, %18, %21 : tensor<4x6x5xf32>, tensor<4x6x8x3x5xf32>, tensor<3x5x8xf32>, tensor<6x5x4xf32>, tensor<5x5xf32>, tensor<6xf32>, tensor<f32>
  }
}
