module @jit_arithmetic_f64 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<17xf64>, %arg1: tensor<17xf64>, %arg2: tensor<17xf64>) -> (tensor<17xf64> {jax.result_info = "result[0]"}, tensor<17xf64> {jax.result_info = "result[1]"}, tensor<17xf64> {jax.result_info = "result[2]"}, tensor<17xf64> {jax.result_info = "result[3]"}, tensor<17xf64> {jax.result_info = "result[4]"}, tensor<17xf64> {jax.result_info = "result[5]"}, tensor<17xf64> {jax.result_info = "result[6]"}, tensor<17xf64> {jax.result_info = "result[7]"}, tensor<17xf64> {jax.result_info = "result[8]"}, tensor<17xf64> {jax.result_info = "result[9]"}, tensor<17xf64> {jax.result_info = "result[10]"}, tensor<17xf64> {jax.result_info = "result[11]"}, tensor<17xf64> {jax.result_info = "result[12]"}, tensor<17xf64> {jax.result_info = "result[13]"}, tensor<17xf64> {jax.result_info = "result[14]"}, tensor<17xf64> {jax.result_info = "result[15]"}, tensor<17xf64> {jax.result_info = "result[16]"}, tensor<17xf64> {jax.result_info = "result[17]"}, tensor<17xf64> {jax.result_info = "result[18]"}, tensor<17xf64> {jax.result_info = "result[19]"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<17xf64>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<17xf64>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<17xf64>
    %3 = stablehlo.divide %arg0, %arg2 : tensor<17xf64>
    %4 = stablehlo.remainder %arg0, %arg2 : tensor<17xf64>
    %5 = stablehlo.maximum %arg0, %arg1 : tensor<17xf64>
    %6 = stablehlo.minimum %arg0, %arg1 : tensor<17xf64>
    %7 = stablehlo.negate %arg0 : tensor<17xf64>
    %8 = stablehlo.abs %arg0 : tensor<17xf64>
    %9 = stablehlo.sign %arg0 : tensor<17xf64>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %11 = stablehlo.multiply %arg0, %10 : tensor<17xf64>
    %12 = stablehlo.floor %11 : tensor<17xf64>
    %cst_0 = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %14 = stablehlo.multiply %arg0, %13 : tensor<17xf64>
    %15 = stablehlo.ceil %14 : tensor<17xf64>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %17 = stablehlo.multiply %arg0, %16 : tensor<17xf64>
    %18 = stablehlo.round_nearest_afz %17 : tensor<17xf64>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %19 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %20 = stablehlo.multiply %arg0, %19 : tensor<17xf64>
    %21 = stablehlo.round_nearest_even %20 : tensor<17xf64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %23 = stablehlo.subtract %arg0, %22 : tensor<17xf64>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %24 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %25 = stablehlo.add %arg0, %24 : tensor<17xf64>
    %26 = stablehlo.clamp %23, %arg1, %25 : tensor<17xf64>
    %27 = stablehlo.compare LT, %arg0, %arg1, FLOAT : (tensor<17xf64>, tensor<17xf64>) -> tensor<17xi1>
    %28 = stablehlo.select %27, %arg0, %arg2 : tensor<17xi1>, tensor<17xf64>
    %29 = chlo.square %arg0 : tensor<17xf64> -> tensor<17xf64>
    %30 = chlo.next_after %arg0, %arg1 : tensor<17xf64>, tensor<17xf64> -> tensor<17xf64>
    %31 = call @remainder(%arg0, %arg2) : (tensor<17xf64>, tensor<17xf64>) -> tensor<17xf64>
    %32 = call @floor_divide(%arg0, %arg2) : (tensor<17xf64>, tensor<17xf64>) -> tensor<17xf64>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %12, %15, %18, %21, %26, %28, %29, %30, %31, %32 : tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>, tensor<17xf64>
  }
  func.func private @remainder(%arg0: tensor<17xf64>, %arg1: tensor<17xf64>) -> tensor<17xf64> {
    %0 = stablehlo.remainder %arg0, %arg1 : tensor<17xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %2 = stablehlo.compare NE, %0, %1, FLOAT : (tensor<17xf64>, tensor<17xf64>) -> tensor<17xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %4 = stablehlo.compare LT, %0, %3, FLOAT : (tensor<17xf64>, tensor<17xf64>) -> tensor<17xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %6 = stablehlo.compare LT, %arg1, %5, FLOAT : (tensor<17xf64>, tensor<17xf64>) -> tensor<17xi1>
    %7 = stablehlo.compare NE, %4, %6, UNSIGNED : (tensor<17xi1>, tensor<17xi1>) -> tensor<17xi1>
    %8 = stablehlo.and %7, %2 : tensor<17xi1>
    %9 = stablehlo.add %0, %arg1 : tensor<17xf64>
    %10 = stablehlo.select %8, %9, %0 : tensor<17xi1>, tensor<17xf64>
    return %10 : tensor<17xf64>
  }
  func.func private @floor_divide(%arg0: tensor<17xf64>, %arg1: tensor<17xf64>) -> tensor<17xf64> {
    %0 = stablehlo.remainder %arg0, %arg1 : tensor<17xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %2 = stablehlo.compare EQ, %arg1, %1, FLOAT : (tensor<17xf64>, tensor<17xf64>) -> tensor<17xi1>
    %3 = stablehlo.subtract %arg0, %0 : tensor<17xf64>
    %4 = call @_where(%2, %arg0, %3) : (tensor<17xi1>, tensor<17xf64>, tensor<17xf64>) -> tensor<17xf64>
    %5 = stablehlo.divide %4, %arg1 : tensor<17xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %7 = stablehlo.compare NE, %0, %6, FLOAT : (tensor<17xf64>, tensor<17xf64>) -> tensor<17xi1>
    %8 = stablehlo.sign %arg1 : tensor<17xf64>
    %9 = stablehlo.sign %0 : tensor<17xf64>
    %10 = stablehlo.compare NE, %8, %9, FLOAT : (tensor<17xf64>, tensor<17xf64>) -> tensor<17xi1>
    %11 = stablehlo.and %7, %10 : tensor<17xi1>
    %12 = stablehlo.add %0, %arg1 : tensor<17xf64>
    %13 = stablehlo.select %11, %12, %0 : tensor<17xi1>, tensor<17xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<17xf64>
    %15 = stablehlo.subtract %5, %14 : tensor<17xf64>
    %16 = stablehlo.select %11, %15, %5 : tensor<17xi1>, tensor<17xf64>
    %17 = stablehlo.round_nearest_afz %16 : tensor<17xf64>
    return %17 : tensor<17xf64>
  }
  func.func private @_where(%arg0: tensor<17xi1>, %arg1: tensor<17xf64>, %arg2: tensor<17xf64>) -> tensor<17xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<17xi1>, tensor<17xf64>
    return %0 : tensor<17xf64>
  }
}
