module @jit_spectrogram attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<128xf32>) -> (tensor<7x17xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<7xi32>
    %c = stablehlo.constant dense<16> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %2 = stablehlo.multiply %1, %0 : tensor<7xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %4 = stablehlo.add %3, %2 : tensor<7xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %6 = stablehlo.iota dim = 0 : tensor<32xi32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<32xi32>) -> tensor<1x32xi32>
    %8 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<7x1xi32>) -> tensor<7x32xi32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x32xi32>) -> tensor<7x32xi32>
    %10 = stablehlo.add %8, %9 : tensor<7x32xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<7x32xi32>
    %12 = stablehlo.compare LT, %10, %11, SIGNED : (tensor<7x32xi32>, tensor<7x32xi32>) -> tensor<7x32xi1>
    %c_2 = stablehlo.constant dense<128> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<7x32xi32>
    %14 = stablehlo.add %10, %13 : tensor<7x32xi32>
    %15 = stablehlo.select %12, %14, %10 : tensor<7x32xi1>, tensor<7x32xi32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<7x32xi32>) -> tensor<7x32x1xi32>
    %17 = "stablehlo.gather"(%arg0, %16) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<128xf32>, tensor<7x32x1xi32>) -> tensor<7x32xf32>
    %18 = stablehlo.iota dim = 0 : tensor<32xi32>
    %19 = stablehlo.convert %18 : (tensor<32xi32>) -> tensor<32xf32>
    %cst = stablehlo.constant dense<6.28318548> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %21 = stablehlo.multiply %20, %19 : tensor<32xf32>
    %cst_3 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %23 = stablehlo.divide %21, %22 : tensor<32xf32>
    %24 = stablehlo.cosine %23 : tensor<32xf32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %26 = stablehlo.multiply %25, %24 : tensor<32xf32>
    %cst_5 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %28 = stablehlo.subtract %27, %26 : tensor<32xf32>
    %29 = stablehlo.convert %28 : tensor<32xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<7x32xf32>
    %32 = stablehlo.multiply %17, %31 : tensor<7x32xf32>
    %33 = call @fft(%32) : (tensor<7x32xf32>) -> tensor<7x17xcomplex<f32>>
    %34 = stablehlo.abs %33 : (tensor<7x17xcomplex<f32>>) -> tensor<7x17xf32>
    %35 = stablehlo.multiply %34, %34 : tensor<7x17xf32>
    %cst_6 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<7x17xf32>
    %37 = stablehlo.maximum %35, %36 : tensor<7x17xf32>
    %38 = stablehlo.log %37 : tensor<7x17xf32>
    %cst_7 = stablehlo.constant dense<0.434294492> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<7x17xf32>
    %40 = stablehlo.multiply %38, %39 : tensor<7x17xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<7x17xf32>
    %42 = stablehlo.multiply %41, %40 : tensor<7x17xf32>
    return %42 : tensor<7x17xf32>
  }
  func.func private @fft(%arg0: tensor<7x32xf32>) -> tensor<7x17xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [32] : (tensor<7x32xf32>) -> tensor<7x17xcomplex<f32>>
    return %0 : tensor<7x17xcomplex<f32>>
  }
}
