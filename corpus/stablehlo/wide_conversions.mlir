module @jit_wide_conversions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<15xf64>, %arg1: tensor<15xi64>, %arg2: tensor<15xui64>) -> (tensor<15xf32> {jax.result_info = "result[0]"}, tensor<15xi64> {jax.result_info = "result[1]"}, tensor<15xbf16> {jax.result_info = "result[2]"}, tensor<15xcomplex<f64>> {jax.result_info = "result[3]"}, tensor<15xf64> {jax.result_info = "result[4]"}, tensor<15xf32> {jax.result_info = "result[5]"}, tensor<15xi32> {jax.result_info = "result[6]"}, tensor<15xui8> {jax.result_info = "result[7]"}, tensor<15xf64> {jax.result_info = "result[8]"}, tensor<15xf32> {jax.result_info = "result[9]"}, tensor<15xi64> {jax.result_info = "result[10]"}, tensor<15xbf16> {jax.result_info = "result[11]"}, tensor<15xui16> {jax.result_info = "result[12]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<15xf64>) -> tensor<15xf32>
    %1 = stablehlo.convert %arg0 : (tensor<15xf64>) -> tensor<15xi64>
    %2 = stablehlo.convert %arg0 : (tensor<15xf64>) -> tensor<15xbf16>
    %3 = stablehlo.convert %arg0 : (tensor<15xf64>) -> tensor<15xcomplex<f64>>
    %4 = stablehlo.convert %arg1 : (tensor<15xi64>) -> tensor<15xf64>
    %5 = stablehlo.convert %arg1 : (tensor<15xi64>) -> tensor<15xf32>
    %6 = stablehlo.convert %arg1 : (tensor<15xi64>) -> tensor<15xi32>
    %7 = stablehlo.convert %arg1 : (tensor<15xi64>) -> tensor<15xui8>
    %8 = stablehlo.convert %arg2 : (tensor<15xui64>) -> tensor<15xf64>
    %9 = stablehlo.convert %arg2 : (tensor<15xui64>) -> tensor<15xf32>
    %10 = stablehlo.convert %arg2 : (tensor<15xui64>) -> tensor<15xi64>
    %11 = stablehlo.convert %arg1 : (tensor<15xi64>) -> tensor<15xbf16>
    %12 = stablehlo.convert %arg2 : (tensor<15xui64>) -> tensor<15xui16>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12 : tensor<15xf32>, tensor<15xi64>, tensor<15xbf16>, tensor<15xcomplex<f64>>, tensor<15xf64>, tensor<15xf32>, tensor<15xi32>, tensor<15xui8>, tensor<15xf64>, tensor<15xf32>, tensor<15xi64>, tensor<15xbf16>, tensor<15xui16>
  }
}
