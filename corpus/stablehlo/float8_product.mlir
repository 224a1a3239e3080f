module @jit_float8_product attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x16xf8E4M3FN>, %arg1: tensor<16x8xf8E5M2>, %arg2: tensor<f32>) -> (tensor<8x8xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<8x16xf8E4M3FN>) -> tensor<8x16xf32>
    %1 = stablehlo.convert %arg1 : (tensor<16x8xf8E5M2>) -> tensor<16x8xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %4 = stablehlo.multiply %2, %3 : tensor<8x8xf32>
    %5 = stablehlo.convert %4 : (tensor<8x8xf32>) -> tensor<8x8xbf16>
    return %5 : tensor<8x8xbf16>
  }
}
