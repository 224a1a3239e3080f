module @jit_mlp_mixed_precision_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<32xf32>, %arg1: tensor<16x32xf32>, %arg2: tensor<8xf32>, %arg3: tensor<32x8xf32>, %arg4: tensor<8x16xf32>, %arg5: tensor<8x8xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<32xf32> {jax.result_info = "result[1][0]['b']"}, tensor<16x32xf32> {jax.result_info = "result[1][0]['w']"}, tensor<8xf32> {jax.result_info = "result[1][1]['b']"}, tensor<32x8xf32> {jax.result_info = "result[1][1]['w']"}) {
    %0 = stablehlo.convert %arg0 : (tensor<32xf32>) -> tensor<32xbf16>
    %1 = stablehlo.convert %arg1 : (tensor<16x32xf32>) -> tensor<16x32xbf16>
    %2 = stablehlo.convert %arg2 : (tensor<8xf32>) -> tensor<8xbf16>
    %3 = stablehlo.convert %arg3 : (tensor<32x8xf32>) -> tensor<32x8xbf16>
    %4 = stablehlo.convert %arg4 : (tensor<8x16xf32>) -> tensor<8x16xbf16>
    %5 = stablehlo.dot_general %4, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xbf16>, tensor<16x32xbf16>) -> tensor<8x32xbf16>
    %6 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<32xbf16>) -> tensor<1x32xbf16>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x32xbf16>) -> tensor<8x32xbf16>
    %8 = stablehlo.add %5, %7 : tensor<8x32xbf16>
    %9 = call @relu(%8) : (tensor<8x32xbf16>) -> tensor<8x32xbf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<8x32xbf16>
    %11 = stablehlo.compare GT, %8, %10, FLOAT : (tensor<8x32xbf16>, tensor<8x32xbf16>) -> tensor<8x32xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %12 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<8x32xbf16>
    %13 = stablehlo.dot_general %9, %3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xbf16>, tensor<32x8xbf16>) -> tensor<8x8xbf16>
    %14 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<8xbf16>) -> tensor<1x8xbf16>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<1x8xbf16>) -> tensor<8x8xbf16>
    %16 = stablehlo.add %13, %15 : tensor<8x8xbf16>
    %17 = stablehlo.convert %16 : (tensor<8x8xbf16>) -> tensor<8x8xf32>
    %18 = stablehlo.subtract %17, %arg5 : tensor<8x8xf32>
    %19 = chlo.square %18 : tensor<8x8xf32> -> tensor<8x8xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %21 = stablehlo.multiply %20, %18 : tensor<8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.reduce(%19 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %23 = stablehlo.divide %22, %cst_3 : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %24 = stablehlo.multiply %cst_4, %23 : tensor<f32>
    %cst_5 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %25 = stablehlo.multiply %cst_5, %cst_6 : tensor<f32>
    %cst_7 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %26 = stablehlo.divide %25, %cst_7 : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %28 = stablehlo.multiply %27, %21 : tensor<8x8xf32>
    %29 = stablehlo.convert %28 : (tensor<8x8xf32>) -> tensor<8x8xbf16>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %30 = stablehlo.reduce(%29 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<8x8xbf16>, tensor<bf16>) -> tensor<8xbf16>
    %31 = stablehlo.reshape %30 : (tensor<8xbf16>) -> tensor<1x8xbf16>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %32 = stablehlo.reduce(%31 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<1x8xbf16>, tensor<bf16>) -> tensor<8xbf16>
    %33 = stablehlo.dot_general %29, %9, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8xbf16>, tensor<8x32xbf16>) -> tensor<8x32xbf16>
    %34 = stablehlo.transpose %33, dims = [1, 0] : (tensor<8x32xbf16>) -> tensor<32x8xbf16>
    %35 = stablehlo.dot_general %29, %3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8xbf16>, tensor<32x8xbf16>) -> tensor<8x32xbf16>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %36 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<bf16>) -> tensor<8x32xbf16>
    %37 = stablehlo.select %11, %35, %36 : tensor<8x32xi1>, tensor<8x32xbf16>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %38 = stablehlo.reduce(%37 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<8x32xbf16>, tensor<bf16>) -> tensor<32xbf16>
    %39 = stablehlo.reshape %38 : (tensor<32xbf16>) -> tensor<1x32xbf16>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %40 = stablehlo.reduce(%39 init: %cst_12) applies stablehlo.add across dimensions = [0] : (tensor<1x32xbf16>, tensor<bf16>) -> tensor<32xbf16>
    %41 = stablehlo.dot_general %37, %4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32xbf16>, tensor<8x16xbf16>) -> tensor<32x16xbf16>
    %42 = stablehlo.transpose %41, dims = [1, 0] : (tensor<32x16xbf16>) -> tensor<16x32xbf16>
    %43 = stablehlo.convert %34 : (tensor<32x8xbf16>) -> tensor<32x8xf32>
    %44 = stablehlo.convert %32 : (tensor<8xbf16>) -> tensor<8xf32>
    %45 = stablehlo.convert %42 : (tensor<16x32xbf16>) -> tensor<16x32xf32>
    %46 = stablehlo.convert %40 : (tensor<32xbf16>) -> tensor<32xf32>
    %47 = stablehlo.is_finite %46 : (tensor<32xf32>) -> tensor<32xi1>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %48 = stablehlo.reduce(%47 init: %c) applies stablehlo.and across dimensions = [0] : (tensor<32xi1>, tensor<i1>) -> tensor<i1>
    %49 = stablehlo.is_finite %45 : (tensor<16x32xf32>) -> tensor<16x32xi1>
    %c_13 = stablehlo.constant dense<true> : tensor<i1>
    %50 = stablehlo.reduce(%49 init: %c_13) applies stablehlo.and across dimensions = [0, 1] : (tensor<16x32xi1>, tensor<i1>) -> tensor<i1>
    %51 = stablehlo.is_finite %44 : (tensor<8xf32>) -> tensor<8xi1>
    %c_14 = stablehlo.constant dense<true> : tensor<i1>
    %52 = stablehlo.reduce(%51 init: %c_14) applies stablehlo.and across dimensions = [0] : (tensor<8xi1>, tensor<i1>) -> tensor<i1>
    %53 = stablehlo.is_finite %43 : (tensor<32x8xf32>) -> tensor<32x8xi1>
    %c_15 = stablehlo.constant dense<true> : tensor<i1>
    %54 = stablehlo.reduce(%53 init: %c_15) applies stablehlo.and across dimensions = [0, 1] : (tensor<32x8xi1>, tensor<i1>) -> tensor<i1>
    %55 = stablehlo.broadcast_in_dim %48, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %56 = stablehlo.broadcast_in_dim %50, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %57 = stablehlo.broadcast_in_dim %52, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %58 = stablehlo.broadcast_in_dim %54, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %59 = stablehlo.concatenate %55, %56, %57, %58, dim = 0 : (tensor<1xi1>, tensor<1xi1>, tensor<1xi1>, tensor<1xi1>) -> tensor<4xi1>
    %c_16 = stablehlo.constant dense<true> : tensor<i1>
    %60 = stablehlo.reduce(%59 init: %c_16) applies stablehlo.and across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
    %cst_17 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %62 = stablehlo.multiply %61, %46 : tensor<32xf32>
    %cst_18 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %64 = stablehlo.divide %62, %63 : tensor<32xf32>
    %65 = stablehlo.subtract %arg0, %64 : tensor<32xf32>
    %66 = call @_where(%60, %65, %arg0) : (tensor<i1>, tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %cst_19 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %68 = stablehlo.multiply %67, %45 : tensor<16x32xf32>
    %cst_20 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %70 = stablehlo.divide %68, %69 : tensor<16x32xf32>
    %71 = stablehlo.subtract %arg1, %70 : tensor<16x32xf32>
    %72 = call @_where_0(%60, %71, %arg1) : (tensor<i1>, tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %cst_21 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %74 = stablehlo.multiply %73, %44 : tensor<8xf32>
    %cst_22 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %76 = stablehlo.divide %74, %75 : tensor<8xf32>
    %77 = stablehlo.subtract %arg2, %76 : tensor<8xf32>
    %78 = call @_where_1(%60, %77, %arg2) : (tensor<i1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %cst_23 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %80 = stablehlo.multiply %79, %43 : tensor<32x8xf32>
    %cst_24 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %82 = stablehlo.divide %80, %81 : tensor<32x8xf32>
    %83 = stablehlo.subtract %arg3, %82 : tensor<32x8xf32>
    %84 = call @_where_2(%60, %83, %arg3) : (tensor<i1>, tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %cst_25 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %85 = stablehlo.divide %24, %cst_25 : tensor<f32>
    return %85, %66, %72, %78, %84 : tensor<f32>, tensor<32xf32>, tensor<16x32xf32>, tensor<8xf32>, tensor<32x8xf32>
  }
  func.func private @relu(%arg0: tensor<8x32xbf16>) -> tensor<8x32xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<8x32xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<8x32xbf16>
    return %1 : tensor<8x32xbf16>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<32xf32>, %arg2: tensor<32xf32>) -> tensor<32xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<32xf32>
    return %0 : tensor<32xf32>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<16x32xf32>, %arg2: tensor<16x32xf32>) -> tensor<16x32xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<16x32xf32>
    return %0 : tensor<16x32xf32>
  }
  func.func private @_where_1(%arg0: tensor<i1>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @_where_2(%arg0: tensor<i1>, %arg1: tensor<32x8xf32>, %arg2: tensor<32x8xf32>) -> tensor<32x8xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<32x8xf32>
    return %0 : tensor<32x8xf32>
  }
}
