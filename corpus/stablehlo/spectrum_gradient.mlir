module @jit_spectrum_gradient attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32>) -> (tensor<16xf32> {jax.result_info = "result"}) {
    %0 = call @fft(%arg0) : (tensor<16xf32>) -> tensor<9xcomplex<f32>>
    %1 = stablehlo.abs %0 : (tensor<9xcomplex<f32>>) -> tensor<9xf32>
    %2 = stablehlo.real %0 : (tensor<9xcomplex<f32>>) -> tensor<9xf32>
    %3 = stablehlo.imag %0 : (tensor<9xcomplex<f32>>) -> tensor<9xf32>
    %4 = stablehlo.negate %3 : tensor<9xf32>
    %5 = stablehlo.complex %2, %4 : tensor<9xcomplex<f32>>
    %6 = stablehlo.convert %1 : (tensor<9xf32>) -> tensor<9xcomplex<f32>>
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<9xcomplex<f32>>
    %8 = stablehlo.compare EQ, %6, %7, FLOAT : (tensor<9xcomplex<f32>>, tensor<9xcomplex<f32>>) -> tensor<9xi1>
    %cst_0 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<9xcomplex<f32>>
    %10 = stablehlo.select %8, %9, %6 : tensor<9xi1>, tensor<9xcomplex<f32>>
    %11 = stablehlo.divide %5, %10 : tensor<9xcomplex<f32>>
    %12 = stablehlo.slice %1 [3:9] : (tensor<9xf32>) -> tensor<6xf32>
    %13 = stablehlo.multiply %12, %12 : tensor<6xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %15 = stablehlo.multiply %14, %12 : tensor<6xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%13 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %18 = stablehlo.multiply %17, %15 : tensor<6xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.pad %18, %cst_4, low = [3], high = [0], interior = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<9xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %21 = stablehlo.complex %19, %20 : tensor<9xcomplex<f32>>
    %22 = stablehlo.multiply %21, %11 : tensor<9xcomplex<f32>>
    %23 = call @fft_0(%22) : (tensor<9xcomplex<f32>>) -> tensor<16xf32>
    return %23 : tensor<16xf32>
  }
  func.func private @fft(%arg0: tensor<16xf32>) -> tensor<9xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [16] : (tensor<16xf32>) -> tensor<9xcomplex<f32>>
    return %0 : tensor<9xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<9xcomplex<f32>>) -> tensor<16xf32> {
    %0 = call @_rfft_transpose(%arg0) : (tensor<9xcomplex<f32>>) -> tensor<16xf32>
    return %0 : tensor<16xf32>
  }
  func.func private @_rfft_transpose(%arg0: tensor<9xcomplex<f32>>) -> tensor<16xf32> {
    %cst = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<9xcomplex<f32>>
    %cst_0 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<1xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.dynamic_update_slice %0, %1, %c : (tensor<9xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<i32>) -> tensor<9xcomplex<f32>>
    %cst_1 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<complex<f32>>) -> tensor<1xcomplex<f32>>
    %c_2 = stablehlo.constant dense<8> : tensor<i32>
    %4 = stablehlo.dynamic_update_slice %2, %3, %c_2 : (tensor<9xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<i32>) -> tensor<9xcomplex<f32>>
    %5 = stablehlo.real %arg0 : (tensor<9xcomplex<f32>>) -> tensor<9xf32>
    %6 = stablehlo.imag %arg0 : (tensor<9xcomplex<f32>>) -> tensor<9xf32>
    %7 = stablehlo.negate %6 : tensor<9xf32>
    %8 = stablehlo.complex %5, %7 : tensor<9xcomplex<f32>>
    %9 = stablehlo.divide %8, %4 : tensor<9xcomplex<f32>>
    %10 = call @fft_1(%9) : (tensor<9xcomplex<f32>>) -> tensor<16xf32>
    %cst_3 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %12 = stablehlo.multiply %11, %10 : tensor<16xf32>
    return %12 : tensor<16xf32>
  }
  func.func private @fft_1(%arg0: tensor<9xcomplex<f32>>) -> tensor<16xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [16] : (tensor<9xcomplex<f32>>) -> tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}
