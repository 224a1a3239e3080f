module @jit_layer_norm_gelu_forward attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x48xf32>, %arg1: tensor<48xf32>, %arg2: tensor<48xf32>) -> (tensor<8x48xf32> {jax.result_info = "result[0]"}, tensor<8x48xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<8x48xf32>, tensor<f32>) -> tensor<8xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_0 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<8x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x48xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x48xf32>
    %6 = chlo.square %5 : tensor<8x48xf32> -> tensor<8x48xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<8x48xf32>, tensor<f32>) -> tensor<8xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_2 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<8x1xf32>
    %11 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x48xf32>
    %12 = stablehlo.subtract %arg0, %11 : tensor<8x48xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %14 = stablehlo.add %10, %13 : tensor<8x1xf32>
    %15 = stablehlo.rsqrt %14 : tensor<8x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x48xf32>
    %17 = stablehlo.multiply %12, %16 : tensor<8x48xf32>
    %18 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<48xf32>) -> tensor<1x48xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<1x48xf32>) -> tensor<8x48xf32>
    %20 = stablehlo.multiply %17, %19 : tensor<8x48xf32>
    %21 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<48xf32>) -> tensor<1x48xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<1x48xf32>) -> tensor<8x48xf32>
    %23 = stablehlo.add %20, %22 : tensor<8x48xf32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x48xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<8x48xf32>
    %26 = stablehlo.negate %23 : tensor<8x48xf32>
    %cst_5 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x48xf32>
    %28 = stablehlo.multiply %26, %27 : tensor<8x48xf32>
    %29 = chlo.erfc %28 : tensor<8x48xf32> -> tensor<8x48xf32>
    %30 = stablehlo.multiply %25, %29 : tensor<8x48xf32>
    %31 = stablehlo.multiply %23, %23 : tensor<8x48xf32>
    %32 = stablehlo.multiply %31, %23 : tensor<8x48xf32>
    %cst_6 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x48xf32>
    %34 = stablehlo.multiply %33, %32 : tensor<8x48xf32>
    %35 = stablehlo.add %23, %34 : tensor<8x48xf32>
    %cst_7 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x48xf32>
    %37 = stablehlo.multiply %36, %35 : tensor<8x48xf32>
    %38 = stablehlo.tanh %37 : tensor<8x48xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x48xf32>
    %40 = stablehlo.add %39, %38 : tensor<8x48xf32>
    %cst_9 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x48xf32>
    %42 = stablehlo.multiply %41, %40 : tensor<8x48xf32>
    %43 = stablehlo.multiply %23, %42 : tensor<8x48xf32>
    return %30, %43 : tensor<8x48xf32>, tensor<8x48xf32>
  }
}
