module @jit_words_after_rounding attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<48xui32>) -> (tensor<48xui16> {jax.result_info = "result[0]"}, tensor<48xui16> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<3212804096> : tensor<ui32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<48xui32>
    %1 = stablehlo.and %arg0, %0 : tensor<48xui32>
    %2 = stablehlo.bitcast_convert %1 : (tensor<48xui32>) -> tensor<48xf32>
    %c_0 = stablehlo.constant dense<2281697280> : tensor<ui32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<48xui32>
    %4 = stablehlo.and %arg0, %3 : tensor<48xui32>
    %c_1 = stablehlo.constant dense<939524096> : tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<48xui32>
    %6 = stablehlo.or %4, %5 : tensor<48xui32>
    %7 = stablehlo.bitcast_convert %6 : (tensor<48xui32>) -> tensor<48xf32>
    %8 = stablehlo.convert %2 : (tensor<48xf32>) -> tensor<48xbf16>
    %9 = stablehlo.bitcast_convert %8 : (tensor<48xbf16>) -> tensor<48xui16>
    %10 = stablehlo.convert %7 : (tensor<48xf32>) -> tensor<48xf16>
    %11 = stablehlo.bitcast_convert %10 : (tensor<48xf16>) -> tensor<48xui16>
    return %9, %11 : tensor<48xui16>, tensor<48xui16>
  }
}
