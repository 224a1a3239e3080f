module @jit_dot_wide attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x7xf64>, %arg1: tensor<7x5xf64>, %arg2: tensor<4x4xi64>) -> (tensor<6x5xf64> {jax.result_info = "result[0]"}, tensor<4x4xi64> {jax.result_info = "result[1]"}, tensor<4x4xi64> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<6x7xf64>, tensor<7x5xf64>) -> tensor<6x5xf64>
    %1 = stablehlo.dot_general %arg2, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi64>
    %2 = call @matrix_power(%arg2) : (tensor<4x4xi64>) -> tensor<4x4xi64>
    return %0, %1, %2 : tensor<6x5xf64>, tensor<4x4xi64>, tensor<4x4xi64>
  }
  func.func private @matrix_power(%arg0: tensor<4x4xi64>) -> tensor<4x4xi64> {
    %0 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi64>
    %1 = stablehlo.dot_general %0, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi64>
    return %1 : tensor<4x4xi64>
  }
}
