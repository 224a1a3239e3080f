module @jit_cosine_transform attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x8x8xf32>) -> (tensor<3x8x8xf32> {jax.result_info = "result[0]"}, tensor<3x8x8xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    %c = stablehlo.constant dense<2> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %2 = stablehlo.multiply %1, %0 : tensor<8xi32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %4 = stablehlo.add %2, %3 : tensor<8xi32>
    %5 = stablehlo.convert %4 : (tensor<8xi32>) -> tensor<8xf32>
    %cst = stablehlo.constant dense<3.14159274> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %7 = stablehlo.multiply %6, %5 : tensor<8xf32>
    %8 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %9 = stablehlo.convert %8 : (tensor<8x1xi32>) -> tensor<8x1xf32>
    %10 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<8x8xf32>
    %12 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x8xf32>
    %13 = stablehlo.multiply %11, %12 : tensor<8x8xf32>
    %cst_1 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %15 = stablehlo.divide %13, %14 : tensor<8x8xf32>
    %16 = stablehlo.cosine %15 : tensor<8x8xf32>
    %17 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
    %19 = stablehlo.compare EQ, %17, %18, SIGNED : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
    %cst_3 = stablehlo.constant dense<0.353553385> : tensor<f32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %20 = call @_where(%19, %cst_3, %cst_4) : (tensor<8x1xi1>, tensor<f32>, tensor<f32>) -> tensor<8x1xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x8xf32>
    %22 = stablehlo.multiply %16, %21 : tensor<8x8xf32>
    %23 = stablehlo.reverse %arg0, dims = [2] : tensor<3x8x8xf32>
    %24 = stablehlo.concatenate %arg0, %23, dim = 2 : (tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<3x8x16xf32>
    %25 = stablehlo.convert %0 : (tensor<8xi32>) -> tensor<8xcomplex<f32>>
    %cst_5 = stablehlo.constant dense<(0.000000e+00,-3.14159274)> : tensor<complex<f32>>
    %26 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<complex<f32>>) -> tensor<8xcomplex<f32>>
    %27 = stablehlo.multiply %26, %25 : tensor<8xcomplex<f32>>
    %cst_6 = stablehlo.constant dense<(1.600000e+01,0.000000e+00)> : tensor<complex<f32>>
    %28 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<complex<f32>>) -> tensor<8xcomplex<f32>>
    %29 = stablehlo.divide %27, %28 : tensor<8xcomplex<f32>>
    %30 = stablehlo.exponential %29 : tensor<8xcomplex<f32>>
    %31 = stablehlo.dot_general %arg0, %22, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x8x8xf32>, tensor<8x8xf32>) -> tensor<3x8x8xf32>
    %32 = stablehlo.dot_general %31, %22, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x8x8xf32>, tensor<8x8xf32>) -> tensor<3x8x8xf32>
    %33 = call @fft(%24) : (tensor<3x8x16xf32>) -> tensor<3x8x16xcomplex<f32>>
    %34 = stablehlo.slice %33 [0:3, 0:8, 0:8] : (tensor<3x8x16xcomplex<f32>>) -> tensor<3x8x8xcomplex<f32>>
    %35 = stablehlo.convert %30 : tensor<8xcomplex<f32>>
    %36 = stablehlo.broadcast_in_dim %35, dims = [2] : (tensor<8xcomplex<f32>>) -> tensor<1x1x8xcomplex<f32>>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2] : (tensor<1x1x8xcomplex<f32>>) -> tensor<3x8x8xcomplex<f32>>
    %38 = stablehlo.multiply %34, %37 : tensor<3x8x8xcomplex<f32>>
    %39 = stablehlo.real %38 : (tensor<3x8x8xcomplex<f32>>) -> tensor<3x8x8xf32>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3x8x8xf32>
    %41 = stablehlo.divide %39, %40 : tensor<3x8x8xf32>
    return %32, %41 : tensor<3x8x8xf32>, tensor<3x8x8xf32>
  }
  func.func private @_where(%arg0: tensor<8x1xi1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<8x1xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<8x1xi1>, tensor<8x1xf32>
    return %2 : tensor<8x1xf32>
  }
  func.func private @fft(%arg0: tensor<3x8x16xf32>) -> tensor<3x8x16xcomplex<f32>> {
    %0 = stablehlo.convert %arg0 : (tensor<3x8x16xf32>) -> tensor<3x8x16xcomplex<f32>>
    %1 = stablehlo.fft %0, type = FFT, length = [16] : (tensor<3x8x16xcomplex<f32>>) -> tensor<3x8x16xcomplex<f32>>
    return %1 : tensor<3x8x16xcomplex<f32>>
  }
}
