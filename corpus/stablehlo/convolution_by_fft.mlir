module @jit_convolution_by_fft attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<40xf32>, %arg1: tensor<9xf32>) -> (tensor<48xf32> {jax.result_info = "result[0]"}, tensor<48xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = call @_pad(%arg0, %c) : (tensor<40xf32>, tensor<i32>) -> tensor<48xf32>
    %1 = call @fft(%0) : (tensor<48xf32>) -> tensor<25xcomplex<f32>>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %2 = call @_pad_0(%arg1, %c_0) : (tensor<9xf32>, tensor<i32>) -> tensor<48xf32>
    %3 = call @fft(%2) : (tensor<48xf32>) -> tensor<25xcomplex<f32>>
    %4 = stablehlo.multiply %1, %3 : tensor<25xcomplex<f32>>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = call @_pad_1(%4, %c_1) : (tensor<25xcomplex<f32>>, tensor<i32>) -> tensor<25xcomplex<f32>>
    %6 = call @fft_2(%5) : (tensor<25xcomplex<f32>>) -> tensor<48xf32>
    %7 = call @convolve(%arg0, %arg1) : (tensor<40xf32>, tensor<9xf32>) -> tensor<48xf32>
    return %6, %7 : tensor<48xf32>, tensor<48xf32>
  }
  func.func private @_pad(%arg0: tensor<40xf32>, %arg1: tensor<i32>) -> tensor<48xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [0], high = [8], interior = [0] : (tensor<40xf32>, tensor<f32>) -> tensor<48xf32>
    return %1 : tensor<48xf32>
  }
  func.func private @fft(%arg0: tensor<48xf32>) -> tensor<25xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [48] : (tensor<48xf32>) -> tensor<25xcomplex<f32>>
    return %0 : tensor<25xcomplex<f32>>
  }
  func.func private @_pad_0(%arg0: tensor<9xf32>, %arg1: tensor<i32>) -> tensor<48xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [0], high = [39], interior = [0] : (tensor<9xf32>, tensor<f32>) -> tensor<48xf32>
    return %1 : tensor<48xf32>
  }
  func.func private @_pad_1(%arg0: tensor<25xcomplex<f32>>, %arg1: tensor<i32>) -> tensor<25xcomplex<f32>> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<complex<f32>>
    %1 = stablehlo.pad %arg0, %0, low = [0], high = [0], interior = [0] : (tensor<25xcomplex<f32>>, tensor<complex<f32>>) -> tensor<25xcomplex<f32>>
    return %1 : tensor<25xcomplex<f32>>
  }
  func.func private @fft_2(%arg0: tensor<25xcomplex<f32>>) -> tensor<48xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [48] : (tensor<25xcomplex<f32>>) -> tensor<48xf32>
    return %0 : tensor<48xf32>
  }
  func.func private @convolve(%arg0: tensor<40xf32>, %arg1: tensor<9xf32>) -> tensor<48xf32> {
    %0 = call @_conv(%arg0, %arg1) : (tensor<40xf32>, tensor<9xf32>) -> tensor<48xf32>
    return %0 : tensor<48xf32>
  }
  func.func private @_conv(%arg0: tensor<40xf32>, %arg1: tensor<9xf32>) -> tensor<48xf32> {
    %0 = call @_flip(%arg1) : (tensor<9xf32>) -> tensor<9xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [2] : (tensor<9xf32>) -> tensor<1x1x9xf32>
    %3 = stablehlo.convolution(%1, %2) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[8, 8]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x1x40xf32>, tensor<1x1x9xf32>) -> tensor<1x1x48xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x1x48xf32>) -> tensor<48xf32>
    return %4 : tensor<48xf32>
  }
  func.func private @_flip(%arg0: tensor<9xf32>) -> tensor<9xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<9xf32>
    return %0 : tensor<9xf32>
  }
}
