module @jit_sort_wide_and_narrow attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12xf64>, %arg1: tensor<12xi64>, %arg2: tensor<12xf16>) -> (tensor<12xf64> {jax.result_info = "result[0][0]"}, tensor<12xi64> {jax.result_info = "result[0][1]"}, tensor<12xi64> {jax.result_info = "result[1]"}, tensor<12xf16> {jax.result_info = "result[2][0]"}, tensor<12xi64> {jax.result_info = "result[2][1]"}) {
    %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>, %arg5: tensor<i64>, %arg6: tensor<i64>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %3 = stablehlo.compare EQ, %arg3, %cst, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %4 = stablehlo.select %3, %cst_0, %arg3 : tensor<i1>, tensor<f64>
      %5 = stablehlo.compare NE, %arg3, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
      %6 = stablehlo.select %5, %cst_1, %4 : tensor<i1>, tensor<f64>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %7 = stablehlo.compare EQ, %arg4, %cst_2, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %8 = stablehlo.select %7, %cst_3, %arg4 : tensor<i1>, tensor<f64>
      %9 = stablehlo.compare NE, %arg4, %arg4, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
      %10 = stablehlo.select %9, %cst_4, %8 : tensor<i1>, tensor<f64>
      %11 = stablehlo.compare LT, %6, %10, TOTALORDER : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    }) : (tensor<12xf64>, tensor<12xi64>) -> (tensor<12xf64>, tensor<12xi64>)
    %1 = call @sort(%arg1) : (tensor<12xi64>) -> tensor<12xi64>
    %2:2 = "stablehlo.sort"(%arg2, %arg1) <{dimension = 0 : i64, is_stable = false}> ({
    ^bb0(%arg3: tensor<f16>, %arg4: tensor<f16>, %arg5: tensor<i64>, %arg6: tensor<i64>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
      %3 = stablehlo.compare EQ, %arg3, %cst, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
      %4 = stablehlo.select %3, %cst_0, %arg3 : tensor<i1>, tensor<f16>
      %5 = stablehlo.compare NE, %arg3, %arg3, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7E00> : tensor<f16>
      %6 = stablehlo.select %5, %cst_1, %4 : tensor<i1>, tensor<f16>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
      %7 = stablehlo.compare EQ, %arg4, %cst_2, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
      %8 = stablehlo.select %7, %cst_3, %arg4 : tensor<i1>, tensor<f16>
      %9 = stablehlo.compare NE, %arg4, %arg4, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7E00> : tensor<f16>
      %10 = stablehlo.select %9, %cst_4, %8 : tensor<i1>, tensor<f16>
      %11 = stablehlo.compare LT, %6, %10, TOTALORDER : (tensor<f16>, tensor<f16>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    }) : (tensor<12xf16>, tensor<12xi64>) -> (tensor<12xf16>, tensor<12xi64>)
    return %0#0, %0#1, %1, %2#0, %2#1 : tensor<12xf64>, tensor<12xi64>, tensor<12xi64>, tensor<12xf16>, tensor<12xi64>
  }
  func.func private @sort(%arg0: tensor<12xi64>) -> tensor<12xi64> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i64>, %arg2: tensor<i64>):
      %1 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<12xi64>) -> tensor<12xi64>
    return %0 : tensor<12xi64>
  }
}
