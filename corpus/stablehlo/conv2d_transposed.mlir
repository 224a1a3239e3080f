module @jit_conv2d_transposed attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x6x6x4xf32>, %arg1: tensor<3x3x4x5xf32>) -> (tensor<2x12x12x5xf32> {jax.result_info = "result[0]"}, tensor<2x18x13x5xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x6x6x4xf32>, tensor<3x3x4x5xf32>) -> tensor<2x12x12x5xf32>
    %1 = stablehlo.transpose %arg1, dims = [0, 1, 3, 2] : (tensor<3x3x4x5xf32>) -> tensor<3x3x5x4xf32>
    %2 = stablehlo.reverse %1, dims = [0] : tensor<3x3x5x4xf32>
    %3 = stablehlo.reverse %2, dims = [1] : tensor<3x3x5x4xf32>
    %4 = stablehlo.transpose %3, dims = [0, 1, 3, 2] : (tensor<3x3x5x4xf32>) -> tensor<3x3x4x5xf32>
    %5 = stablehlo.convolution(%arg0, %4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [3, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x6x6x4xf32>, tensor<3x3x4x5xf32>) -> tensor<2x18x13x5xf32>
    return %0, %5 : tensor<2x12x12x5xf32>, tensor<2x18x13x5xf32>
  }
}
