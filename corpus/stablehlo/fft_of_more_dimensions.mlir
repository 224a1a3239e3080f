module @jit_fft_of_more_dimensions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x8x12xcomplex<f32>>, %arg1: tensor<6x8xf32>, %arg2: tensor<4x6x5xcomplex<f32>>) -> (tensor<2x8x12xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<6x5xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<6x8xf32> {jax.result_info = "result[2]"}, tensor<4x6x5xcomplex<f32>> {jax.result_info = "result[3]"}) {
    %0 = call @fft(%arg0) : (tensor<2x8x12xcomplex<f32>>) -> tensor<2x8x12xcomplex<f32>>
    %1 = call @fft_0(%arg1) : (tensor<6x8xf32>) -> tensor<6x5xcomplex<f32>>
    %2 = call @fft_0(%arg1) : (tensor<6x8xf32>) -> tensor<6x5xcomplex<f32>>
    %3 = call @fft_1(%2) : (tensor<6x5xcomplex<f32>>) -> tensor<6x8xf32>
    %4 = call @fft_2(%arg2) : (tensor<4x6x5xcomplex<f32>>) -> tensor<4x6x5xcomplex<f32>>
    return %0, %1, %3, %4 : tensor<2x8x12xcomplex<f32>>, tensor<6x5xcomplex<f32>>, tensor<6x8xf32>, tensor<4x6x5xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<2x8x12xcomplex<f32>>) -> tensor<2x8x12xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [8, 12] : (tensor<2x8x12xcomplex<f32>>) -> tensor<2x8x12xcomplex<f32>>
    return %0 : tensor<2x8x12xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<6x8xf32>) -> tensor<6x5xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [6, 8] : (tensor<6x8xf32>) -> tensor<6x5xcomplex<f32>>
    return %0 : tensor<6x5xcomplex<f32>>
  }
  func.func private @fft_1(%arg0: tensor<6x5xcomplex<f32>>) -> tensor<6x8xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [6, 8] : (tensor<6x5xcomplex<f32>>) -> tensor<6x8xf32>
    return %0 : tensor<6x8xf32>
  }
  func.func private @fft_2(%arg0: tensor<4x6x5xcomplex<f32>>) -> tensor<4x6x5xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = IFFT, length = [4, 6, 5] : (tensor<4x6x5xcomplex<f32>>) -> tensor<4x6x5xcomplex<f32>>
    return %0 : tensor<4x6x5xcomplex<f32>>
  }
}
