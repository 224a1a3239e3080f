module @jit_poisson_equation attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x16xf32>) -> (tensor<16x16xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<16xf32>
    %cst = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.add %0, %1 : tensor<16xf32>
    %c = stablehlo.constant dense<16> : tensor<i32>
    %3 = call @remainder(%2, %c) : (tensor<16xf32>, tensor<i32>) -> tensor<16xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %5 = stablehlo.subtract %3, %4 : tensor<16xf32>
    %cst_1 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %7 = stablehlo.divide %5, %6 : tensor<16xf32>
    %cst_2 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %9 = stablehlo.multiply %7, %8 : tensor<16xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %11 = stablehlo.multiply %10, %10 : tensor<16x1xf32>
    %12 = stablehlo.multiply %9, %9 : tensor<16xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %14 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x16xf32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<16x16xf32>
    %16 = stablehlo.add %14, %15 : tensor<16x16xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %18 = stablehlo.compare GT, %16, %17, FLOAT : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xi1>
    %19 = call @fft(%arg0) : (tensor<16x16xf32>) -> tensor<16x16xcomplex<f32>>
    %20 = stablehlo.negate %19 : tensor<16x16xcomplex<f32>>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %22 = stablehlo.maximum %16, %21 : tensor<16x16xf32>
    %23 = stablehlo.convert %22 : (tensor<16x16xf32>) -> tensor<16x16xcomplex<f32>>
    %24 = stablehlo.divide %20, %23 : tensor<16x16xcomplex<f32>>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %25 = call @_where(%18, %24, %c_5) : (tensor<16x16xi1>, tensor<16x16xcomplex<f32>>, tensor<i32>) -> tensor<16x16xcomplex<f32>>
    %26 = call @fft_0(%25) : (tensor<16x16xcomplex<f32>>) -> tensor<16x16xcomplex<f32>>
    %27 = stablehlo.real %26 : (tensor<16x16xcomplex<f32>>) -> tensor<16x16xf32>
    return %27 : tensor<16x16xf32>
  }
  func.func private @remainder(%arg0: tensor<16xf32>, %arg1: tensor<i32>) -> tensor<16xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.remainder %arg0, %1 : tensor<16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %4 = stablehlo.compare NE, %2, %3, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %6 = stablehlo.compare LT, %2, %5, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.compare LT, %0, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i1>) -> tensor<16xi1>
    %9 = stablehlo.compare NE, %6, %8, UNSIGNED : (tensor<16xi1>, tensor<16xi1>) -> tensor<16xi1>
    %10 = stablehlo.and %9, %4 : tensor<16xi1>
    %11 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %12 = stablehlo.add %2, %11 : tensor<16xf32>
    %13 = stablehlo.select %10, %12, %2 : tensor<16xi1>, tensor<16xf32>
    return %13 : tensor<16xf32>
  }
  func.func private @fft(%arg0: tensor<16x16xf32>) -> tensor<16x16xcomplex<f32>> {
    %0 = stablehlo.convert %arg0 : (tensor<16x16xf32>) -> tensor<16x16xcomplex<f32>>
    %1 = stablehlo.fft %0, type = FFT, length = [16, 16] : (tensor<16x16xcomplex<f32>>) -> tensor<16x16xcomplex<f32>>
    return %1 : tensor<16x16xcomplex<f32>>
  }
  func.func private @_where(%arg0: tensor<16x16xi1>, %arg1: tensor<16x16xcomplex<f32>>, %arg2: tensor<i32>) -> tensor<16x16xcomplex<f32>> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<complex<f32>>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<complex<f32>>) -> tensor<16x16xcomplex<f32>>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<16x16xi1>, tensor<16x16xcomplex<f32>>
    return %2 : tensor<16x16xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<16x16xcomplex<f32>>) -> tensor<16x16xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = IFFT, length = [16, 16] : (tensor<16x16xcomplex<f32>>) -> tensor<16x16xcomplex<f32>>
    return %0 : tensor<16x16xcomplex<f32>>
  }
}
