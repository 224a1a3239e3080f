module @jit_fft_forward_and_inverse attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x16xcomplex<f32>>, %arg1: tensor<3x10xcomplex<f32>>) -> (tensor<4x16xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<3x10xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<3x10xcomplex<f32>> {jax.result_info = "result[2]"}) {
    %0 = call @fft(%arg0) : (tensor<4x16xcomplex<f32>>) -> tensor<4x16xcomplex<f32>>
    %1 = call @fft_0(%arg1) : (tensor<3x10xcomplex<f32>>) -> tensor<3x10xcomplex<f32>>
    %2 = call @fft_1(%arg1) : (tensor<3x10xcomplex<f32>>) -> tensor<3x10xcomplex<f32>>
    %3 = call @fft_0(%2) : (tensor<3x10xcomplex<f32>>) -> tensor<3x10xcomplex<f32>>
    return %0, %1, %3 : tensor<4x16xcomplex<f32>>, tensor<3x10xcomplex<f32>>, tensor<3x10xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<4x16xcomplex<f32>>) -> tensor<4x16xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [16] : (tensor<4x16xcomplex<f32>>) -> tensor<4x16xcomplex<f32>>
    return %0 : tensor<4x16xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<3x10xcomplex<f32>>) -> tensor<3x10xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = IFFT, length = [10] : (tensor<3x10xcomplex<f32>>) -> tensor<3x10xcomplex<f32>>
    return %0 : tensor<3x10xcomplex<f32>>
  }
  func.func private @fft_1(%arg0: tensor<3x10xcomplex<f32>>) -> tensor<3x10xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [10] : (tensor<3x10xcomplex<f32>>) -> tensor<3x10xcomplex<f32>>
    return %0 : tensor<3x10xcomplex<f32>>
  }
}
