module @jit_nested_calls attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> (tensor<6xf32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}) {
    %0 = call @"<lambda>"(%arg0, %arg1) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %1 = call @"<lambda>"(%arg1, %arg0) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %2:2 = stablehlo.optimization_barrier %0, %1 : tensor<6xf32>, tensor<6xf32>
    %3 = call @"<lambda>"(%2#0, %2#1) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %4 = call @"<lambda>_0"(%2#0) : (tensor<6xf32>) -> tensor<6xf32>
    return %3, %4 : tensor<6xf32>, tensor<6xf32>
  }
  func.func private @"<lambda>"(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> tensor<6xf32> {
    %0 = call @"<lambda>_0"(%arg0) : (tensor<6xf32>) -> tensor<6xf32>
    %1 = call @"<lambda>_0"(%arg1) : (tensor<6xf32>) -> tensor<6xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<6xf32>
    return %2 : tensor<6xf32>
  }
  func.func private @"<lambda>_0"(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.tanh %arg0 : tensor<6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.add %0, %1 : tensor<6xf32>
    return %2 : tensor<6xf32>
  }
}
