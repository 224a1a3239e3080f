module @jit_fft_of_real_signals attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x32xf32>, %arg1: tensor<15xf32>) -> (tensor<4x17xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<15xf32> {jax.result_info = "result[1]"}, tensor<4x32xf32> {jax.result_info = "result[2]"}) {
    %0 = call @fft(%arg0) : (tensor<4x32xf32>) -> tensor<4x17xcomplex<f32>>
    %1 = call @fft_0(%arg1) : (tensor<15xf32>) -> tensor<8xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = call @_pad(%1, %c) : (tensor<8xcomplex<f32>>, tensor<i32>) -> tensor<8xcomplex<f32>>
    %3 = call @fft_1(%2) : (tensor<8xcomplex<f32>>) -> tensor<15xf32>
    %4 = call @fft(%arg0) : (tensor<4x32xf32>) -> tensor<4x17xcomplex<f32>>
    %cst = stablehlo.constant dense<(5.000000e-01,0.000000e+00)> : tensor<complex<f32>>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<4x17xcomplex<f32>>
    %6 = stablehlo.multiply %4, %5 : tensor<4x17xcomplex<f32>>
    %7 = call @fft_2(%6) : (tensor<4x17xcomplex<f32>>) -> tensor<4x32xf32>
    return %0, %3, %7 : tensor<4x17xcomplex<f32>>, tensor<15xf32>, tensor<4x32xf32>
  }
  func.func private @fft(%arg0: tensor<4x32xf32>) -> tensor<4x17xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [32] : (tensor<4x32xf32>) -> tensor<4x17xcomplex<f32>>
    return %0 : tensor<4x17xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<15xf32>) -> tensor<8xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [15] : (tensor<15xf32>) -> tensor<8xcomplex<f32>>
    return %0 : tensor<8xcomplex<f32>>
  }
  func.func private @_pad(%arg0: tensor<8xcomplex<f32>>, %arg1: tensor<i32>) -> tensor<8xcomplex<f32>> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<complex<f32>>
    %1 = stablehlo.pad %arg0, %0, low = [0], high = [0], interior = [0] : (tensor<8xcomplex<f32>>, tensor<complex<f32>>) -> tensor<8xcomplex<f32>>
    return %1 : tensor<8xcomplex<f32>>
  }
  func.func private @fft_1(%arg0: tensor<8xcomplex<f32>>) -> tensor<15xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [15] : (tensor<8xcomplex<f32>>) -> tensor<15xf32>
    return %0 : tensor<15xf32>
  }
  func.func private @fft_2(%arg0: tensor<4x17xcomplex<f32>>) -> tensor<4x32xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [32] : (tensor<4x17xcomplex<f32>>) -> tensor<4x32xf32>
    return %0 : tensor<4x32xf32>
  }
}
