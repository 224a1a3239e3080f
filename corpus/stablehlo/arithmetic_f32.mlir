module @jit_arithmetic_f32 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<17xf32>, %arg1: tensor<17xf32>, %arg2: tensor<17xf32>) -> (tensor<17xf32> {jax.result_info = "result[0]"}, tensor<17xf32> {jax.result_info = "result[1]"}, tensor<17xf32> {jax.result_info = "result[2]"}, tensor<17xf32> {jax.result_info = "result[3]"}, tensor<17xf32> {jax.result_info = "result[4]"}, tensor<17xf32> {jax.result_info = "result[5]"}, tensor<17xf32> {jax.result_info = "result[6]"}, tensor<17xf32> {jax.result_info = "result[7]"}, tensor<17xf32> {jax.result_info = "result[8]"}, tensor<17xf32> {jax.result_info = "result[9]"}, tensor<17xf32> {jax.result_info = "result[10]"}, tensor<17xf32> {jax.result_info = "result[11]"}, tensor<17xf32> {jax.result_info = "result[12]"}, tensor<17xf32> {jax.result_info = "result[13]"}, tensor<17xf32> {jax.result_info = "result[14]"}, tensor<17xf32> {jax.result_info = "result[15]"}, tensor<17xf32> {jax.result_info = "result[16]"}, tensor<17xf32> {jax.result_info = "result[17]"}, tensor<17xf32> {jax.result_info = "result[18]"}, tensor<17xf32> {jax.result_info = "result[19]"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<17xf32>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<17xf32>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<17xf32>
    %3 = stablehlo.divide %arg0, %arg2 : tensor<17xf32>
    %4 = stablehlo.remainder %arg0, %arg2 : tensor<17xf32>
    %5 = stablehlo.maximum %arg0, %arg1 : tensor<17xf32>
    %6 = stablehlo.minimum %arg0, %arg1 : tensor<17xf32>
    %7 = stablehlo.negate %arg0 : tensor<17xf32>
    %8 = stablehlo.abs %arg0 : tensor<17xf32>
    %9 = stablehlo.sign %arg0 : tensor<17xf32>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<17xf32>
    %11 = stablehlo.multiply %arg0, %10 : tensor<17xf32>
    %12 = stablehlo.floor %11 : tensor<17xf32>
    %cst_0 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<17xf32>
    %14 = stablehlo.multiply %arg0, %13 : tensor<17xf32>
    %15 = stablehlo.ceil %14 : tensor<17xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<17xf32>
    %17 = stablehlo.multiply %arg0, %16 : tensor<17xf32>
    %18 = stablehlo.round_nearest_afz %17 : tensor<17xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<17xf32>
    %20 = stablehlo.multiply %arg0, %19 : tensor<17xf32>
    %21 = stablehlo.round_nearest_even %20 : tensor<17xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<17xf32>
    %23 = stablehlo.subtract %arg0, %22 : tensor<17xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<17xf32>
    %25 = stablehlo.add %arg0, %24 : tensor<17xf32>
    %26 = stablehlo.clamp %23, %arg1, %25 : tensor<17xf32>
    %27 = stablehlo.compare LT, %arg0, %arg1, FLOAT : (tensor<17xf32>, tensor<17xf32>) -> tensor<17xi1>
    %28 = stablehlo.select %27, %arg0, %arg2 : tensor<17xi1>, tensor<17xf32>
    %29 = chlo.square %arg0 : tensor<17xf32> -> tensor<17xf32>
    %30 = chlo.next_after %arg0, %arg1 : tensor<17xf32>, tensor<17xf32> -> tensor<17xf32>
    %31 = call @remainder(%arg0, %arg2) : (tensor<17xf32>, tensor<17xf32>) -> tensor<17xf32>
    %32 = call @floor_divide(%arg0, %arg2) : (tensor<17xf32>, tensor<17xf32>) -> tensor<17xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %12, %15, %18, %21, %26, %28, %29, %30, %31, %32 : tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>
  }
  func.func private @remainder(%arg0: tensor<17xf32>, %arg1: tensor<17xf32>) -> tensor<17xf32> {
    %0 = stablehlo.remainder %arg0, %arg1 : tensor<17xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<17xf32>
    %2 = stablehlo.compare NE, %0, %1, FLOAT : (tensor<17xf32>, tensor<17xf32>) -> tensor<17xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<17xf32>
    %4 = stablehlo.compare LT, %0, %3, FLOAT : (tensor<17xf32>, tensor<17xf32>) -> tensor<17xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<17xf32>
    %6 = stablehlo.compare LT, %arg1, %5, FLOAT : (tensor<17xf32>, tensor<17xf32>) -> tensor<17xi1>
    %7 = stablehlo.compare NE, %4, %6, UNSIGNED : (tensor<17xi1>, tensor<17xi1>) -> tensor<17xi1>
    %8 = stablehlo.and %7, %2 : tensor<17xi1>
    %9 = stablehlo.add %0, %arg1 : tensor<17xf32>
    %10 = stablehlo.select %8, %9, %0 : tensor<17xi1>, tensor<17xf32>
    return %10 : tensor<17xf32>
  }
  func.func private @floor_divide(%arg0: tensor<17xf32>, %arg1: tensor<17xf32>) -> tensor<17xf32> {
    %0 = stablehlo.remainder %arg0, %arg1 : tensor<17xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<17xf32>
    %2 = stablehlo.compare EQ, %arg1, %1, FLOAT : (tensor<17xf32>, tensor<17xf32>) -> tensor<17xi1>
    %3 = stablehlo.subtract %arg0, %0 : tensor<17xf32>
    %4 = call @_where(%2, %arg0, %3) : (tensor<17xi1>, tensor<17xf32>, tensor<17xf32>) -> tensor<17xf32>
    %5 = stablehlo.divide %4, %arg1 : tensor<17xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<17xf32>
    %7 = stablehlo.compare NE, %0, %6, FLOAT : (tensor<17xf32>, tensor<17xf32>) -> tensor<17xi1>
    %8 = stablehlo.sign %arg1 : tensor<17xf32>
    %9 = stablehlo.sign %0 : tensor<17xf32>
    %10 = stablehlo.compare NE, %8, %9, FLOAT : (tensor<17xf32>, tensor<17xf32>) -> tensor<17xi1>
    %11 = stablehlo.and %7, %10 : tensor<17xi1>
    %12 = stablehlo.add %0, %arg1 : tensor<17xf32>
    %13 = stablehlo.select %11, %12, %0 : tensor<17xi1>, tensor<17xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<17xf32>
    %15 = stablehlo.subtract %5, %14 : tensor<17xf32>
    %16 = stablehlo.select %11, %15, %5 : tensor<17xi1>, tensor<17xf32>
    %17 = stablehlo.round_nearest_afz %16 : tensor<17xf32>
    return %17 : tensor<17xf32>
  }
  func.func private @_where(%arg0: tensor<17xi1>, %arg1: tensor<17xf32>, %arg2: tensor<17xf32>) -> tensor<17xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<17xi1>, tensor<17xf32>
    return %0 : tensor<17xf32>
  }
}
