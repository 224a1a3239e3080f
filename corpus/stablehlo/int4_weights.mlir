module @jit_int4_weights attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12x8xi4>, %arg1: tensor<12x8xui4>, %arg2: tensor<4x12xf32>, %arg3: tensor<8xf32>) -> (tensor<4x8xf32> {jax.result_info = "result[0]"}, tensor<4x8xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<12x8xi4>) -> tensor<12x8xf32>
    %1 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<12x8xf32>
    %3 = stablehlo.multiply %0, %2 : tensor<12x8xf32>
    %4 = stablehlo.dot_general %arg2, %3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    %5 = stablehlo.convert %arg1 : (tensor<12x8xui4>) -> tensor<12x8xbf16>
    %cst = stablehlo.constant dense<8.000000e+00> : tensor<bf16>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<12x8xbf16>
    %7 = stablehlo.subtract %5, %6 : tensor<12x8xbf16>
    %8 = stablehlo.convert %7 : (tensor<12x8xbf16>) -> tensor<12x8xf32>
    %9 = stablehlo.dot_general %arg2, %8, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    return %4, %9 : tensor<4x8xf32>, tensor<4x8xf32>
  }
}
