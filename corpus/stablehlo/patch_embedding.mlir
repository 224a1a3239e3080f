module @jit_patch_embedding attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x16x16x3xf32>, %arg1: tensor<48x24xf32>, %arg2: tensor<24xf32>, %arg3: tensor<17x24xf32>) -> (tensor<2x17x24xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<2x16x16x3xf32>) -> tensor<2x4x4x4x4x3xf32>
    %1 = stablehlo.transpose %0, dims = [0, 1, 3, 2, 4, 5] : (tensor<2x4x4x4x4x3xf32>) -> tensor<2x4x4x4x4x3xf32>
    %2 = stablehlo.reshape %1 : (tensor<2x4x4x4x4x3xf32>) -> tensor<2x16x48xf32>
    %3 = stablehlo.dot_general %2, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16x48xf32>, tensor<48x24xf32>) -> tensor<2x16x24xf32>
    %4 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<24xf32>) -> tensor<2x1x24xf32>
    %5 = stablehlo.concatenate %4, %3, dim = 1 : (tensor<2x1x24xf32>, tensor<2x16x24xf32>) -> tensor<2x17x24xf32>
    %6 = stablehlo.broadcast_in_dim %arg3, dims = [1, 2] : (tensor<17x24xf32>) -> tensor<1x17x24xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<1x17x24xf32>) -> tensor<2x17x24xf32>
    %8 = stablehlo.add %5, %7 : tensor<2x17x24xf32>
    return %8 : tensor<2x17x24xf32>
  }
}
