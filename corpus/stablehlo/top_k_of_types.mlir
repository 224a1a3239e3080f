module @jit_top_k_of_types attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x30xf32>, %arg1: tensor<40xi32>, %arg2: tensor<24xbf16>) -> (tensor<3x5xf32> {jax.result_info = "result[0][0]"}, tensor<3x5xi32> {jax.result_info = "result[0][1]"}, tensor<7xi32> {jax.result_info = "result[1][0]"}, tensor<7xi32> {jax.result_info = "result[1][1]"}, tensor<1xbf16> {jax.result_info = "result[2][0]"}, tensor<1xi32> {jax.result_info = "result[2][1]"}) {
    %values, %indices = chlo.top_k(%arg0, k = 5) : tensor<3x30xf32> -> (tensor<3x5xf32>, tensor<3x5xi32>)
    %values_0, %indices_1 = chlo.top_k(%arg1, k = 7) : tensor<40xi32> -> (tensor<7xi32>, tensor<7xi32>)
    %values_2, %indices_3 = chlo.top_k(%arg2, k = 1) : tensor<24xbf16> -> (tensor<1xbf16>, tensor<1xi32>)
    return %values, %indices, %values_0, %indices_1, %values_2, %indices_3 : tensor<3x5xf32>, tensor<3x5xi32>, tensor<7xi32>, tensor<7xi32>, tensor<1xbf16>, tensor<1xi32>
  }
}
