module @jit_option_prices attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12xf64>, %arg1: tensor<12xf64>, %arg2: tensor<12xf64>) -> (tensor<12xf64> {jax.result_info = "result[0]"}, tensor<12xf64> {jax.result_info = "result[1][0]"}, tensor<12xf64> {jax.result_info = "result[1][1]"}) {
    %0 = stablehlo.sqrt %arg2 : tensor<12xf64>
    %cst = stablehlo.constant dense<2.000000e-01> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %2 = stablehlo.multiply %1, %0 : tensor<12xf64>
    %3 = stablehlo.divide %arg0, %arg1 : tensor<12xf64>
    %4 = stablehlo.log %3 : tensor<12xf64>
    %cst_0 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %6 = stablehlo.multiply %5, %arg2 : tensor<12xf64>
    %7 = stablehlo.add %4, %6 : tensor<12xf64>
    %8 = stablehlo.divide %7, %2 : tensor<12xf64>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %9 = stablehlo.sqrt %cst_1 : tensor<f64>
    %10 = stablehlo.convert %9 : tensor<f64>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %12 = stablehlo.divide %8, %11 : tensor<12xf64>
    %13 = chlo.erf %12 : tensor<12xf64> -> tensor<12xf64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %14 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %15 = stablehlo.add %14, %13 : tensor<12xf64>
    %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %17 = stablehlo.multiply %16, %15 : tensor<12xf64>
    %18 = stablehlo.multiply %arg0, %17 : tensor<12xf64>
    %cst_4 = stablehlo.constant dense<-3.000000e-02> : tensor<f64>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %20 = stablehlo.multiply %19, %arg2 : tensor<12xf64>
    %21 = stablehlo.exponential %20 : tensor<12xf64>
    %22 = stablehlo.multiply %arg1, %21 : tensor<12xf64>
    %23 = stablehlo.subtract %8, %2 : tensor<12xf64>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %24 = stablehlo.sqrt %cst_5 : tensor<f64>
    %25 = stablehlo.convert %24 : tensor<f64>
    %26 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %27 = stablehlo.divide %23, %26 : tensor<12xf64>
    %28 = chlo.erf %27 : tensor<12xf64> -> tensor<12xf64>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %29 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %30 = stablehlo.add %29, %28 : tensor<12xf64>
    %cst_7 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %31 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %32 = stablehlo.multiply %31, %30 : tensor<12xf64>
    %33 = stablehlo.multiply %22, %32 : tensor<12xf64>
    %34 = stablehlo.subtract %18, %33 : tensor<12xf64>
    %35 = stablehlo.sqrt %arg2 : tensor<12xf64>
    %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %36 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %37 = stablehlo.divide %36, %35 : tensor<12xf64>
    %cst_9 = stablehlo.constant dense<2.000000e-01> : tensor<f64>
    %38 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %39 = stablehlo.multiply %38, %35 : tensor<12xf64>
    %40 = stablehlo.divide %arg0, %arg1 : tensor<12xf64>
    %41 = stablehlo.log %40 : tensor<12xf64>
    %cst_10 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
    %42 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %43 = stablehlo.multiply %42, %arg2 : tensor<12xf64>
    %44 = stablehlo.add %41, %43 : tensor<12xf64>
    %45 = stablehlo.divide %44, %39 : tensor<12xf64>
    %46 = stablehlo.multiply %39, %39 : tensor<12xf64>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %47 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %48 = stablehlo.divide %47, %46 : tensor<12xf64>
    %cst_12 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %49 = stablehlo.sqrt %cst_12 : tensor<f64>
    %50 = stablehlo.convert %49 : tensor<f64>
    %51 = stablehlo.broadcast_in_dim %50, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %52 = stablehlo.divide %45, %51 : tensor<12xf64>
    %53 = chlo.erf %52 : tensor<12xf64> -> tensor<12xf64>
    %54 = chlo.square %52 : tensor<12xf64> -> tensor<12xf64>
    %55 = stablehlo.negate %54 : tensor<12xf64>
    %56 = stablehlo.exponential %55 : tensor<12xf64>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %57 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %58 = stablehlo.add %57, %53 : tensor<12xf64>
    %cst_14 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %59 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %60 = stablehlo.multiply %59, %58 : tensor<12xf64>
    %61 = stablehlo.multiply %arg0, %60 : tensor<12xf64>
    %cst_15 = stablehlo.constant dense<-3.000000e-02> : tensor<f64>
    %62 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %63 = stablehlo.multiply %62, %arg2 : tensor<12xf64>
    %64 = stablehlo.exponential %63 : tensor<12xf64>
    %65 = stablehlo.multiply %arg1, %64 : tensor<12xf64>
    %66 = stablehlo.subtract %45, %39 : tensor<12xf64>
    %cst_16 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %67 = stablehlo.sqrt %cst_16 : tensor<f64>
    %68 = stablehlo.convert %67 : tensor<f64>
    %69 = stablehlo.broadcast_in_dim %68, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %70 = stablehlo.divide %66, %69 : tensor<12xf64>
    %71 = chlo.erf %70 : tensor<12xf64> -> tensor<12xf64>
    %72 = chlo.square %70 : tensor<12xf64> -> tensor<12xf64>
    %73 = stablehlo.negate %72 : tensor<12xf64>
    %74 = stablehlo.exponential %73 : tensor<12xf64>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %75 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %76 = stablehlo.add %75, %71 : tensor<12xf64>
    %cst_18 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %77 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %78 = stablehlo.multiply %77, %76 : tensor<12xf64>
    %79 = stablehlo.multiply %65, %78 : tensor<12xf64>
    %80 = stablehlo.subtract %61, %79 : tensor<12xf64>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %81 = stablehlo.reduce(%80 init: %cst_19) applies stablehlo.add across dimensions = [0] : (tensor<12xf64>, tensor<f64>) -> tensor<f64>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %82 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %83 = stablehlo.negate %82 : tensor<12xf64>
    %84 = stablehlo.multiply %65, %83 : tensor<12xf64>
    %85 = stablehlo.multiply %83, %78 : tensor<12xf64>
    %cst_21 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %86 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %87 = stablehlo.multiply %86, %84 : tensor<12xf64>
    %cst_22 = stablehlo.constant dense<1.1283791670955126> : tensor<f64>
    %88 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %89 = stablehlo.multiply %88, %87 : tensor<12xf64>
    %90 = stablehlo.multiply %89, %74 : tensor<12xf64>
    %91 = stablehlo.broadcast_in_dim %68, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %92 = stablehlo.divide %90, %91 : tensor<12xf64>
    %93 = stablehlo.negate %92 : tensor<12xf64>
    %94 = stablehlo.multiply %arg1, %85 : tensor<12xf64>
    %95 = stablehlo.multiply %94, %64 : tensor<12xf64>
    %cst_23 = stablehlo.constant dense<-3.000000e-02> : tensor<f64>
    %96 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %97 = stablehlo.multiply %96, %95 : tensor<12xf64>
    %98 = stablehlo.multiply %arg0, %82 : tensor<12xf64>
    %99 = stablehlo.multiply %82, %60 : tensor<12xf64>
    %cst_24 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %100 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %101 = stablehlo.multiply %100, %98 : tensor<12xf64>
    %cst_25 = stablehlo.constant dense<1.1283791670955126> : tensor<f64>
    %102 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %103 = stablehlo.multiply %102, %101 : tensor<12xf64>
    %104 = stablehlo.multiply %103, %56 : tensor<12xf64>
    %105 = stablehlo.broadcast_in_dim %50, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %106 = stablehlo.divide %104, %105 : tensor<12xf64>
    %107 = stablehlo.add %92, %106 : tensor<12xf64>
    %108 = stablehlo.multiply %107, %48 : tensor<12xf64>
    %109 = stablehlo.multiply %108, %44 : tensor<12xf64>
    %110 = stablehlo.negate %109 : tensor<12xf64>
    %111 = stablehlo.add %93, %110 : tensor<12xf64>
    %112 = stablehlo.divide %107, %39 : tensor<12xf64>
    %cst_26 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
    %113 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %114 = stablehlo.multiply %113, %112 : tensor<12xf64>
    %115 = stablehlo.add %97, %114 : tensor<12xf64>
    %116 = stablehlo.divide %112, %40 : tensor<12xf64>
    %117 = stablehlo.divide %116, %arg1 : tensor<12xf64>
    %118 = stablehlo.add %99, %117 : tensor<12xf64>
    %cst_27 = stablehlo.constant dense<2.000000e-01> : tensor<f64>
    %119 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f64>) -> tensor<12xf64>
    %120 = stablehlo.multiply %119, %111 : tensor<12xf64>
    %121 = stablehlo.multiply %120, %37 : tensor<12xf64>
    %122 = stablehlo.add %115, %121 : tensor<12xf64>
    return %34, %118, %122 : tensor<12xf64>, tensor<12xf64>, tensor<12xf64>
  }
}
