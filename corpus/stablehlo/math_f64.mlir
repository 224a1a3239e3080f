module @jit_math_f64 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<17xf64>, %arg1: tensor<17xf64>, %arg2: tensor<17xf64>) -> (tensor<17xf64> {jax.result_info = "result[0]"}, tensor<17xf64> {jax.result_info = "result[1]"}, tensor<17xf64> {jax.result_info = "result[2]"}, tensor<17xf64> {jax.result_info = "result[3]"}, tensor<17xf64> {jax.result_info = "result[4]"}, tensor<17xf64> {jax.result_info = "result[5]"}, tensor<17xf64> {jax.result_info = "result[6]"}, tensor<17xf64> {jax.result_info = "result[7]"}, tensor<17xf64> {jax.result_info = "result[8]"}, tensor<17xf64> {jax.result_info = "result[9]"}, tensor<17xf64> {jax.result_info = "result[10]"}, tensor<17xf64> {jax.result_info = "result[11]"}, tensor<17xf64> {jax.result_info = "result[12]"}, tensor<17xf64> {jax.result_info = "result[13]"}, tensor<17xf64> {jax.result_info = "result[14]"}, tensor<17xf64> {jax.result_info = "result[15]"}, tensor<17xf64> {jax.result_info = "result[16]"}, tensor<17xf64> {jax.result_info = "result[17]"}, tensor<17xf64> {jax.result_info = "result[18]"}, tensor<17xf64> {jax.result_info = "result[19]"}, tensor<17xf64> {jax.result_info = "result[20]"}, tensor<17xf64> {jax.result_info = "result[21]"}, tensor<17xf64> {jax.result_info = "result[22]"}, tensor<17xf64> {jax.result_info = "result[23]"}, tensor<17xf64> {jax.result_info = "result[24]"}, tensor<17xf64> {jax.result_info = "result[25]"}, tensor<17xf64> {jax.result_info = "result[26]"}, tensor<17xf64> {jax.result_info = "result[27]"}) {
    %0 = stablehlo.exponential %arg0 : tensor<17xf64>
    %cst = stablehlo.constant dense<0.69314718055994529> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %2 = stablehlo.multiply %1, %arg0 : tensor<17xf64>
    %3 = stablehlo.exponential %2 : tensor<17xf64>
    %4 = stablehlo.exponential_minus_one %arg0 : tensor<17xf64>
    %5 = stablehlo.sine %arg0 : tensor<17xf64>
    %6 = stablehlo.cosine %arg0 : tensor<17xf64>
    %7 = stablehlo.tan %arg0 : tensor<17xf64>
    %8 = chlo.sinh %arg0 : tensor<17xf64> -> tensor<17xf64>
    %9 = chlo.cosh %arg0 : tensor<17xf64> -> tensor<17xf64>
    %10 = stablehlo.tanh %arg0 : tensor<17xf64>
    %11 = chlo.asin %arg1 : tensor<17xf64> -> tensor<17xf64>
    %12 = chlo.acos %arg1 : tensor<17xf64> -> tensor<17xf64>
    %13 = chlo.atan %arg0 : tensor<17xf64> -> tensor<17xf64>
    %14 = chlo.asinh %arg0 : tensor<17xf64> -> tensor<17xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %15 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %16 = stablehlo.add %arg2, %15 : tensor<17xf64>
    %17 = chlo.acosh %16 : tensor<17xf64> -> tensor<17xf64>
    %18 = chlo.atanh %arg1 : tensor<17xf64> -> tensor<17xf64>
    %19 = stablehlo.atan2 %arg0, %arg1 : tensor<17xf64>
    %20 = stablehlo.log %arg2 : tensor<17xf64>
    %21 = stablehlo.log_plus_one %arg1 : tensor<17xf64>
    %22 = stablehlo.sqrt %arg2 : tensor<17xf64>
    %23 = stablehlo.rsqrt %arg2 : tensor<17xf64>
    %24 = stablehlo.cbrt %arg0 : tensor<17xf64>
    %25 = stablehlo.negate %arg0 : tensor<17xf64>
    %26 = stablehlo.exponential %25 : tensor<17xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %27 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %28 = stablehlo.add %27, %26 : tensor<17xf64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %29 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %30 = stablehlo.divide %29, %28 : tensor<17xf64>
    %31 = stablehlo.power %arg2, %arg0 : tensor<17xf64>
    %32 = stablehlo.multiply %arg0, %arg0 : tensor<17xf64>
    %33 = stablehlo.multiply %32, %32 : tensor<17xf64>
    %34 = stablehlo.multiply %arg0, %33 : tensor<17xf64>
    %35 = stablehlo.multiply %arg2, %arg2 : tensor<17xf64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %36 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %37 = stablehlo.divide %36, %35 : tensor<17xf64>
    %38 = chlo.erf %arg0 : tensor<17xf64> -> tensor<17xf64>
    %39 = chlo.erfc %arg0 : tensor<17xf64> -> tensor<17xf64>
    %40 = chlo.erf_inv %arg1 : tensor<17xf64> -> tensor<17xf64>
    return %0, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %17, %18, %19, %20, %21, %22, %23, %24, %30, %31, %34, %37, %38, %39, %40 : tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>
  }
}
