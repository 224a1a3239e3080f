module @jit_shape_gallery attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4x5xf32>, %arg1: tensor<6x4xi32>) -> (tensor<5x3x4xf32> {jax.result_info = "result[0]"}, tensor<12x5xf32> {jax.result_info = "result[1]"}, tensor<3x4x5xf32> {jax.result_info = "result[2]"}, tensor<12x4xi32> {jax.result_info = "result[3]"}, tensor<6x12xi32> {jax.result_info = "result[4]"}, tensor<3x4x5xf32> {jax.result_info = "result[5]"}, tensor<6x2x4xi32> {jax.result_info = "result[6]"}, tensor<8x4xi32> {jax.result_info = "result[7]"}, tensor<3x2x5xf32> {jax.result_info = "result[8][0]"}, tensor<3x2x5xf32> {jax.result_info = "result[8][1]"}, tensor<2x2xi32> {jax.result_info = "result[9]"}, tensor<3x5xf32> {jax.result_info = "result[10]"}) {
    %0 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<3x4x5xf32>) -> tensor<5x3x4xf32>
    %1 = stablehlo.reshape %arg0 : (tensor<3x4x5xf32>) -> tensor<5x12xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<5x12xf32>) -> tensor<12x5xf32>
    %3 = stablehlo.reverse %arg0, dims = [0, 2] : tensor<3x4x5xf32>
    %4 = stablehlo.reshape %arg1 : (tensor<6x4xi32>) -> tensor<1x6x1x4xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2, 3] : (tensor<1x6x1x4xi32>) -> tensor<2x6x1x4xi32>
    %6 = stablehlo.reshape %5 : (tensor<2x6x1x4xi32>) -> tensor<12x4xi32>
    %7 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<6x4xi32>) -> tensor<6x4x3xi32>
    %8 = stablehlo.reshape %7 : (tensor<6x4x3xi32>) -> tensor<6x12xi32>
    %9 = call @_roll_static(%arg0) : (tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x4xi32>
    %11 = stablehlo.add %arg1, %10 : tensor<6x4xi32>
    %12 = stablehlo.broadcast_in_dim %arg1, dims = [0, 2] : (tensor<6x4xi32>) -> tensor<6x1x4xi32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 2] : (tensor<6x4xi32>) -> tensor<6x1x4xi32>
    %14 = stablehlo.concatenate %12, %13, dim = 1 : (tensor<6x1x4xi32>, tensor<6x1x4xi32>) -> tensor<6x2x4xi32>
    %15 = stablehlo.slice %arg1 [0:2, 0:4] : (tensor<6x4xi32>) -> tensor<2x4xi32>
    %16 = stablehlo.concatenate %arg1, %15, dim = 0 : (tensor<6x4xi32>, tensor<2x4xi32>) -> tensor<8x4xi32>
    %17 = stablehlo.slice %arg0 [0:3, 0:2, 0:5] : (tensor<3x4x5xf32>) -> tensor<3x2x5xf32>
    %18 = stablehlo.slice %arg0 [0:3, 2:4, 0:5] : (tensor<3x4x5xf32>) -> tensor<3x2x5xf32>
    %19 = stablehlo.slice %arg1 [1:5:2, 0:4:3] : (tensor<6x4xi32>) -> tensor<2x2xi32>
    %20 = stablehlo.reverse %19, dims = [1] : tensor<2x2xi32>
    %21 = stablehlo.slice %arg0 [0:3, 0:1, 0:5] : (tensor<3x4x5xf32>) -> tensor<3x1x5xf32>
    %22 = stablehlo.reshape %21 : (tensor<3x1x5xf32>) -> tensor<3x5xf32>
    return %0, %2, %3, %6, %8, %9, %14, %16, %17, %18, %20, %22 : tensor<5x3x4xf32>, tensor<12x5xf32>, tensor<3x4x5xf32>, tensor<12x4xi32>, tensor<6x12xi32>, tensor<3x4x5xf32>, tensor<6x2x4xi32>, tensor<8x4xi32>, tensor<3x2x5xf32>, tensor<3x2x5xf32>, tensor<2x2xi32>, tensor<3x5xf32>
  }
  func.func private @_roll_static(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = stablehlo.slice %arg0 [2:3, 0:4, 0:5] : (tensor<3x4x5xf32>) -> tensor<1x4x5xf32>
    %1 = stablehlo.slice %arg0 [0:2, 0:4, 0:5] : (tensor<3x4x5xf32>) -> tensor<2x4x5xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x4x5xf32>, tensor<2x4x5xf32>) -> tensor<3x4x5xf32>
    %3 = stablehlo.slice %2 [0:3, 0:4, 2:5] : (tensor<3x4x5xf32>) -> tensor<3x4x3xf32>
    %4 = stablehlo.slice %2 [0:3, 0:4, 0:2] : (tensor<3x4x5xf32>) -> tensor<3x4x2xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 2 : (tensor<3x4x3xf32>, tensor<3x4x2xf32>) -> tensor<3x4x5xf32>
    return %5 : tensor<3x4x5xf32>
  }
}
