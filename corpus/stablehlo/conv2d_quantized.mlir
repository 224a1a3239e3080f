module @jit_conv2d_quantized attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x9x9x3xi8>, %arg1: tensor<3x3x3x4xi8>) -> (tensor<1x9x9x4xi32> {jax.result_info = "result[0]"}, tensor<1x9x9x4xi8> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x9x9x3xi8>, tensor<3x3x3x4xi8>) -> tensor<1x9x9x4xi32>
    %1 = stablehlo.convert %0 : (tensor<1x9x9x4xi32>) -> tensor<1x9x9x4xf32>
    %cst = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x9x9x4xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<1x9x9x4xf32>
    %4 = call @round(%3) : (tensor<1x9x9x4xf32>) -> tensor<1x9x9x4xf32>
    %c = stablehlo.constant dense<-128> : tensor<i32>
    %c_0 = stablehlo.constant dense<127> : tensor<i32>
    %5 = call @clip(%4, %c, %c_0) : (tensor<1x9x9x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x9x9x4xf32>
    %6 = stablehlo.convert %5 : (tensor<1x9x9x4xf32>) -> tensor<1x9x9x4xi8>
    return %0, %6 : tensor<1x9x9x4xi32>, tensor<1x9x9x4xi8>
  }
  func.func private @round(%arg0: tensor<1x9x9x4xf32>) -> tensor<1x9x9x4xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<1x9x9x4xf32>
    return %0 : tensor<1x9x9x4xf32>
  }
  func.func private @clip(%arg0: tensor<1x9x9x4xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<1x9x9x4xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x9x9x4xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<1x9x9x4xf32>
    %3 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<1x9x9x4xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<1x9x9x4xf32>
    return %5 : tensor<1x9x9x4xf32>
  }
}
