module @jit_high_products attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<11xi8>, %arg1: tensor<11xi8>, %arg2: tensor<11xui8>, %arg3: tensor<11xui8>, %arg4: tensor<11xi16>, %arg5: tensor<11xi16>, %arg6: tensor<11xui16>, %arg7: tensor<11xui16>, %arg8: tensor<11xi32>, %arg9: tensor<11xi32>, %arg10: tensor<11xui32>, %arg11: tensor<11xui32>, %arg12: tensor<11xi64>, %arg13: tensor<11xi64>, %arg14: tensor<11xui64>, %arg15: tensor<11xui64>) -> (tensor<11xi8> {jax.result_info = "result[0]"}, tensor<11xui8> {jax.result_info = "result[1]"}, tensor<11xi16> {jax.result_info = "result[2]"}, tensor<11xui16> {jax.result_info = "result[3]"}, tensor<11xi32> {jax.result_info = "result[4]"}, tensor<11xui32> {jax.result_info = "result[5]"}, tensor<11xi64> {jax.result_info = "result[6]"}, tensor<11xui64> {jax.result_info = "result[7]"}) {
    %0 = chlo.mulhi %arg0, %arg1 : tensor<11xi8>, tensor<11xi8> -> tensor<11xi8>
    %1 = chlo.mulhi %arg2, %arg3 : tensor<11xui8>, tensor<11xui8> -> tensor<11xui8>
    %2 = chlo.mulhi %arg4, %arg5 : tensor<11xi16>, tensor<11xi16> -> tensor<11xi16>
    %3 = chlo.mulhi %arg6, %arg7 : tensor<11xui16>, tensor<11xui16> -> tensor<11xui16>
    %4 = chlo.mulhi %arg8, %arg9 : tensor<11xi32>, tensor<11xi32> -> tensor<11xi32>
    %5 = chlo.mulhi %arg10, %arg11 : tensor<11xui32>, tensor<11xui32> -> tensor<11xui32>
    %6 = chlo.mulhi %arg12, %arg13 : tensor<11xi64>, tensor<11xi64> -> tensor<11xi64>
    %7 = chlo.mulhi %arg14, %arg15 : tensor<11xui64>, tensor<11xui64> -> tensor<11xui64>
    return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<11xi8>, tensor<11xui8>, tensor<11xi16>, tensor<11xui16>, tensor<11xi32>, tensor<11xui32>, tensor<11xi64>, tensor<11xui64>
  }
}
