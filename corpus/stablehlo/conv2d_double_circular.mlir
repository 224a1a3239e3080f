module @jit_conv2d_double_circular attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x8x10x2xf64>, %arg1: tensor<3x3x2x3xf64>) -> (tensor<1x8x10x3xf64> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = call @_pad(%arg0, %c) : (tensor<1x8x10x2xf64>, tensor<i64>) -> tensor<1x10x12x2xf64>
    %1 = stablehlo.convolution(%0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x10x12x2xf64>, tensor<3x3x2x3xf64>) -> tensor<1x8x10x3xf64>
    return %1 : tensor<1x8x10x3xf64>
  }
  func.func private @_pad(%arg0: tensor<1x8x10x2xf64>, %arg1: tensor<i64>) -> tensor<1x10x12x2xf64> {
    %0 = stablehlo.slice %arg0 [0:1, 7:8, 0:10, 0:2] : (tensor<1x8x10x2xf64>) -> tensor<1x1x10x2xf64>
    %1 = stablehlo.slice %arg0 [0:1, 0:1, 0:10, 0:2] : (tensor<1x8x10x2xf64>) -> tensor<1x1x10x2xf64>
    %2 = stablehlo.concatenate %0, %arg0, %1, dim = 1 : (tensor<1x1x10x2xf64>, tensor<1x8x10x2xf64>, tensor<1x1x10x2xf64>) -> tensor<1x10x10x2xf64>
    %3 = stablehlo.slice %2 [0:1, 0:10, 9:10, 0:2] : (tensor<1x10x10x2xf64>) -> tensor<1x10x1x2xf64>
    %4 = stablehlo.slice %2 [0:1, 0:10, 0:1, 0:2] : (tensor<1x10x10x2xf64>) -> tensor<1x10x1x2xf64>
    %5 = stablehlo.concatenate %3, %2, %4, dim = 2 : (tensor<1x10x1x2xf64>, tensor<1x10x10x2xf64>, tensor<1x10x1x2xf64>) -> tensor<1x10x12x2xf64>
    return %5 : tensor<1x10x12x2xf64>
  }
}
