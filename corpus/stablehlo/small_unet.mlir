module @jit_small_unet attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x16x16x3xf32>, %arg1: tensor<3x3x3x8xf32>, %arg2: tensor<3x3x8x16xf32>, %arg3: tensor<2x2x16x8xf32>, %arg4: tensor<3x3x16x4xf32>) -> (tensor<1x16x16x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x16x16x3xf32>, tensor<3x3x3x8xf32>) -> tensor<1x16x16x8xf32>
    %1 = call @leaky_relu(%0) : (tensor<1x16x16x8xf32>) -> tensor<1x16x16x8xf32>
    %2 = stablehlo.convolution(%1, %arg2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x16x16x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x8x8x16xf32>
    %3 = call @leaky_relu_0(%2) : (tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32>
    %4 = stablehlo.convolution(%3, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x16xf32>, tensor<2x2x16x8xf32>) -> tensor<1x16x16x8xf32>
    %5 = stablehlo.concatenate %1, %4, dim = 3 : (tensor<1x16x16x8xf32>, tensor<1x16x16x8xf32>) -> tensor<1x16x16x16xf32>
    %6 = stablehlo.convolution(%5, %arg4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x16x16x16xf32>, tensor<3x3x16x4xf32>) -> tensor<1x16x16x4xf32>
    %7 = stablehlo.negate %6 : tensor<1x16x16x4xf32>
    %8 = stablehlo.exponential %7 : tensor<1x16x16x4xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x16x16x4xf32>
    %10 = stablehlo.add %9, %8 : tensor<1x16x16x4xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x16x16x4xf32>
    %12 = stablehlo.divide %11, %10 : tensor<1x16x16x4xf32>
    return %12 : tensor<1x16x16x4xf32>
  }
  func.func private @leaky_relu(%arg0: tensor<1x16x16x8xf32>) -> tensor<1x16x16x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x16x16x8xf32>
    %1 = stablehlo.compare GE, %arg0, %0, FLOAT : (tensor<1x16x16x8xf32>, tensor<1x16x16x8xf32>) -> tensor<1x16x16x8xi1>
    %cst_0 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x16x16x8xf32>
    %3 = stablehlo.multiply %2, %arg0 : tensor<1x16x16x8xf32>
    %4 = call @_where(%1, %arg0, %3) : (tensor<1x16x16x8xi1>, tensor<1x16x16x8xf32>, tensor<1x16x16x8xf32>) -> tensor<1x16x16x8xf32>
    return %4 : tensor<1x16x16x8xf32>
  }
  func.func private @_where(%arg0: tensor<1x16x16x8xi1>, %arg1: tensor<1x16x16x8xf32>, %arg2: tensor<1x16x16x8xf32>) -> tensor<1x16x16x8xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<1x16x16x8xi1>, tensor<1x16x16x8xf32>
    return %0 : tensor<1x16x16x8xf32>
  }
  func.func private @leaky_relu_0(%arg0: tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x8x8x16xf32>
    %1 = stablehlo.compare GE, %arg0, %0, FLOAT : (tensor<1x8x8x16xf32>, tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xi1>
    %cst_0 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x8x8x16xf32>
    %3 = stablehlo.multiply %2, %arg0 : tensor<1x8x8x16xf32>
    %4 = call @_where_1(%1, %arg0, %3) : (tensor<1x8x8x16xi1>, tensor<1x8x8x16xf32>, tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32>
    return %4 : tensor<1x8x8x16xf32>
  }
  func.func private @_where_1(%arg0: tensor<1x8x8x16xi1>, %arg1: tensor<1x8x8x16xf32>, %arg2: tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<1x8x8x16xi1>, tensor<1x8x8x16xf32>
    return %0 : tensor<1x8x8x16xf32>
  }
}
