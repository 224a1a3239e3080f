module @jit_conv2d_mixed_layouts attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7x7x2x3xf32>, %arg1: tensor<4x2x3x3xf32>) -> (tensor<4x2x7x3xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [0, 1, b, f]x[o, 0, i, 1]->[f, b, 0, 1], window = {stride = [1, 2], pad = [[-1, 2], [1, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<7x7x2x3xf32>, tensor<4x2x3x3xf32>) -> tensor<4x2x7x3xf32>
    return %0 : tensor<4x2x7x3xf32>
  }
}
