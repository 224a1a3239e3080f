module @jit_dot_preferred_types attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x12xi8>, %arg1: tensor<12x6xi8>, %arg2: tensor<8x12xbf16>, %arg3: tensor<12x6xbf16>, %arg4: tensor<8x12xf16>, %arg5: tensor<12x6xf16>) -> (tensor<8x6xi32> {jax.result_info = "result[0]"}, tensor<8x6xf32> {jax.result_info = "result[1]"}, tensor<8x6xbf16> {jax.result_info = "result[2]"}, tensor<8x6xf32> {jax.result_info = "result[3]"}, tensor<8x6xf16> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x12xi8>, tensor<12x6xi8>) -> tensor<8x6xi32>
    %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x12xbf16>, tensor<12x6xbf16>) -> tensor<8x6xf32>
    %2 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x12xbf16>, tensor<12x6xbf16>) -> tensor<8x6xbf16>
    %3 = stablehlo.dot_general %arg4, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x12xf16>, tensor<12x6xf16>) -> tensor<8x6xf32>
    %4 = stablehlo.dot_general %arg4, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x12xf16>, tensor<12x6xf16>) -> tensor<8x6xf16>
    return %0, %1, %2, %3, %4 : tensor<8x6xi32>, tensor<8x6xf32>, tensor<8x6xbf16>, tensor<8x6xf32>, tensor<8x6xf16>
  }
}
