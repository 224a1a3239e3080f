module @jit_rng_philox attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xui64>) -> (tensor<2xui64> {jax.result_info = "result[0]"}, tensor<10xui32> {jax.result_info = "result[1]"}, tensor<3x5xui64> {jax.result_info = "result[2]"}, tensor<6xui16> {jax.result_info = "result[3]"}) {
    %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<10xui32>)
    %output_state_0, %output_1 = stablehlo.rng_bit_generator %output_state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui64>)
    %output_state_2, %output_3 = stablehlo.rng_bit_generator %output_state_0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6xui16>)
    return %output_state_2, %output, %output_1, %output_3 : tensor<2xui64>, tensor<10xui32>, tensor<3x5xui64>, tensor<6xui16>
  }
}
