module @jit_layer_norm_gelu_backward attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x48xf32>, %arg1: tensor<48xf32>, %arg2: tensor<48xf32>) -> (tensor<8x48xf32> {jax.result_info = "result[0]"}, tensor<48xf32> {jax.result_info = "result[1]"}, tensor<48xf32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<8x48xf32>, tensor<f32>) -> tensor<8xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_0 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<8x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x48xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x48xf32>
    %6 = chlo.square %5 : tensor<8x48xf32> -> tensor<8x48xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x48xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<8x48xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<8x48xf32>, tensor<f32>) -> tensor<8xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_3 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<8x1xf32>
    %13 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x48xf32>
    %14 = stablehlo.subtract %arg0, %13 : tensor<8x48xf32>
    %cst_4 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %16 = stablehlo.add %12, %15 : tensor<8x1xf32>
    %17 = stablehlo.rsqrt %16 : tensor<8x1xf32>
    %18 = stablehlo.divide %17, %16 : tensor<8x1xf32>
    %cst_5 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %20 = stablehlo.multiply %19, %18 : tensor<8x1xf32>
    %21 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x48xf32>
    %22 = stablehlo.multiply %14, %21 : tensor<8x48xf32>
    %23 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<48xf32>) -> tensor<1x48xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<1x48xf32>) -> tensor<8x48xf32>
    %25 = stablehlo.multiply %22, %24 : tensor<8x48xf32>
    %26 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<48xf32>) -> tensor<1x48xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<1x48xf32>) -> tensor<8x48xf32>
    %28 = stablehlo.add %25, %27 : tensor<8x48xf32>
    %cst_6 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x48xf32>
    %30 = stablehlo.multiply %29, %28 : tensor<8x48xf32>
    %31 = stablehlo.negate %28 : tensor<8x48xf32>
    %cst_7 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x48xf32>
    %33 = stablehlo.multiply %31, %32 : tensor<8x48xf32>
    %34 = chlo.erfc %33 : tensor<8x48xf32> -> tensor<8x48xf32>
    %35 = chlo.square %33 : tensor<8x48xf32> -> tensor<8x48xf32>
    %36 = stablehlo.negate %35 : tensor<8x48xf32>
    %37 = stablehlo.exponential %36 : tensor<8x48xf32>
    %38 = stablehlo.multiply %30, %34 : tensor<8x48xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_8) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x48xf32>, tensor<f32>) -> tensor<f32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x48xf32>
    %41 = stablehlo.multiply %30, %40 : tensor<8x48xf32>
    %42 = stablehlo.multiply %40, %34 : tensor<8x48xf32>
    %cst_10 = stablehlo.constant dense<-1.12837923> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x48xf32>
    %44 = stablehlo.multiply %43, %41 : tensor<8x48xf32>
    %45 = stablehlo.multiply %44, %37 : tensor<8x48xf32>
    %cst_11 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x48xf32>
    %47 = stablehlo.multiply %45, %46 : tensor<8x48xf32>
    %48 = stablehlo.negate %47 : tensor<8x48xf32>
    %cst_12 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x48xf32>
    %50 = stablehlo.multiply %49, %42 : tensor<8x48xf32>
    %51 = stablehlo.add %48, %50 : tensor<8x48xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.reduce(%51 init: %cst_13) applies stablehlo.add across dimensions = [0] : (tensor<8x48xf32>, tensor<f32>) -> tensor<48xf32>
    %53 = stablehlo.reshape %52 : (tensor<48xf32>) -> tensor<1x48xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.reduce(%53 init: %cst_14) applies stablehlo.add across dimensions = [0] : (tensor<1x48xf32>, tensor<f32>) -> tensor<48xf32>
    %55 = stablehlo.multiply %22, %51 : tensor<8x48xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.reduce(%55 init: %cst_15) applies stablehlo.add across dimensions = [0] : (tensor<8x48xf32>, tensor<f32>) -> tensor<48xf32>
    %57 = stablehlo.reshape %56 : (tensor<48xf32>) -> tensor<1x48xf32>
    %58 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<1x48xf32>) -> tensor<8x48xf32>
    %59 = stablehlo.multiply %51, %58 : tensor<8x48xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.reduce(%57 init: %cst_16) applies stablehlo.add across dimensions = [0] : (tensor<1x48xf32>, tensor<f32>) -> tensor<48xf32>
    %61 = stablehlo.multiply %14, %59 : tensor<8x48xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.reduce(%61 init: %cst_17) applies stablehlo.add across dimensions = [1] : (tensor<8x48xf32>, tensor<f32>) -> tensor<8xf32>
    %63 = stablehlo.reshape %62 : (tensor<8xf32>) -> tensor<8x1xf32>
    %64 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x48xf32>
    %65 = stablehlo.multiply %59, %64 : tensor<8x48xf32>
    %66 = stablehlo.multiply %63, %20 : tensor<8x1xf32>
    %67 = stablehlo.negate %65 : tensor<8x48xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.reduce(%67 init: %cst_18) applies stablehlo.add across dimensions = [1] : (tensor<8x48xf32>, tensor<f32>) -> tensor<8xf32>
    %69 = stablehlo.reshape %68 : (tensor<8xf32>) -> tensor<8x1xf32>
    %cst_19 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %71 = stablehlo.divide %66, %70 : tensor<8x1xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.reduce(%71 init: %cst_20) applies stablehlo.add across dimensions = [1] : (tensor<8x1xf32>, tensor<f32>) -> tensor<8xf32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0] : (tensor<8xf32>) -> tensor<8x48xf32>
    %74 = stablehlo.multiply %73, %8 : tensor<8x48xf32>
    %75 = stablehlo.negate %74 : tensor<8x48xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.reduce(%75 init: %cst_21) applies stablehlo.add across dimensions = [1] : (tensor<8x48xf32>, tensor<f32>) -> tensor<8xf32>
    %77 = stablehlo.reshape %76 : (tensor<8xf32>) -> tensor<8x1xf32>
    %78 = stablehlo.add %65, %74 : tensor<8x48xf32>
    %79 = stablehlo.add %69, %77 : tensor<8x1xf32>
    %cst_22 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %81 = stablehlo.divide %79, %80 : tensor<8x1xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.reduce(%81 init: %cst_23) applies stablehlo.add across dimensions = [1] : (tensor<8x1xf32>, tensor<f32>) -> tensor<8xf32>
    %83 = stablehlo.broadcast_in_dim %82, dims = [0] : (tensor<8xf32>) -> tensor<8x48xf32>
    %84 = stablehlo.add %78, %83 : tensor<8x48xf32>
    return %84, %60, %54 : tensor<8x48xf32>, tensor<48xf32>, tensor<48xf32>
  }
}
