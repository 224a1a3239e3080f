module @jit_float8_conversions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<33xf32>, %arg1: tensor<9xf8E4M3FN>, %arg2: tensor<9xf8E5M2>, %arg3: tensor<9xf8E4M3>, %arg4: tensor<9xf8E3M4>, %arg5: tensor<9xf8E4M3B11FNUZ>, %arg6: tensor<9xf8E4M3FNUZ>, %arg7: tensor<9xf8E5M2FNUZ>) -> (tensor<33xf8E4M3FN> {jax.result_info = "result[0]"}, tensor<33xf8E5M2> {jax.result_info = "result[1]"}, tensor<33xf8E4M3> {jax.result_info = "result[2]"}, tensor<33xf8E3M4> {jax.result_info = "result[3]"}, tensor<33xf8E4M3B11FNUZ> {jax.result_info = "result[4]"}, tensor<33xf8E4M3FNUZ> {jax.result_info = "result[5]"}, tensor<33xf8E5M2FNUZ> {jax.result_info = "result[6]"}, tensor<9xf32> {jax.result_info = "result[7]"}, tensor<9xf32> {jax.result_info = "result[8]"}, tensor<9xf32> {jax.result_info = "result[9]"}, tensor<9xf32> {jax.result_info = "result[10]"}, tensor<9xf32> {jax.result_info = "result[11]"}, tensor<9xf32> {jax.result_info = "result[12]"}, tensor<9xf32> {jax.result_info = "result[13]"}, tensor<9xf8E4M3FN> {jax.result_info = "result[14]"}, tensor<9xf8E5M2> {jax.result_info = "result[15]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<33xf32>) -> tensor<33xf8E4M3FN>
    %1 = stablehlo.convert %arg0 : (tensor<33xf32>) -> tensor<33xf8E5M2>
    %2 = stablehlo.convert %arg0 : (tensor<33xf32>) -> tensor<33xf8E4M3>
    %3 = stablehlo.convert %arg0 : (tensor<33xf32>) -> tensor<33xf8E3M4>
    %4 = stablehlo.convert %arg0 : (tensor<33xf32>) -> tensor<33xf8E4M3B11FNUZ>
    %5 = stablehlo.convert %arg0 : (tensor<33xf32>) -> tensor<33xf8E4M3FNUZ>
    %6 = stablehlo.convert %arg0 : (tensor<33xf32>) -> tensor<33xf8E5M2FNUZ>
    %7 = stablehlo.convert %arg1 : (tensor<9xf8E4M3FN>) -> tensor<9xf32>
    %8 = stablehlo.convert %arg2 : (tensor<9xf8E5M2>) -> tensor<9xf32>
    %9 = stablehlo.convert %arg3 : (tensor<9xf8E4M3>) -> tensor<9xf32>
    %10 = stablehlo.convert %arg4 : (tensor<9xf8E3M4>) -> tensor<9xf32>
    %11 = stablehlo.convert %arg5 : (tensor<9xf8E4M3B11FNUZ>) -> tensor<9xf32>
    %12 = stablehlo.convert %arg6 : (tensor<9xf8E4M3FNUZ>) -> tensor<9xf32>
    %13 = stablehlo.convert %arg7 : (tensor<9xf8E5M2FNUZ>) -> tensor<9xf32>
    %14 = stablehlo.add %arg1, %arg1 : tensor<9xf8E4M3FN>
    %15 = stablehlo.add %arg2, %arg2 : tensor<9xf8E5M2>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15 : tensor<33xf8E4M3FN>, tensor<33xf8E5M2>, tensor<33xf8E4M3>, tensor<33xf8E3M4>, tensor<33xf8E4M3B11FNUZ>, tensor<33xf8E4M3FNUZ>, tensor<33xf8E5M2FNUZ>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>
  }
}
