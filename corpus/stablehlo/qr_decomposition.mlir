module @jit_qr_decomposition attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x7x5xf32>) -> (tensor<2x7x5xf32> {jax.result_info = "result.Q"}, tensor<2x5x5xf32> {jax.result_info = "result.R"}) {
    %0:2 = call @qr(%arg0) : (tensor<2x7x5xf32>) -> (tensor<2x7x5xf32>, tensor<2x5x5xf32>)
    return %0#0, %0#1 : tensor<2x7x5xf32>, tensor<2x5x5xf32>
  }
  func.func private @qr(%arg0: tensor<2x7x5xf32>) -> (tensor<2x7x5xf32>, tensor<2x5x5xf32>) {
    %0:2 = stablehlo.custom_call @Qr(%arg0) {backend_config = ""} : (tensor<2x7x5xf32>) -> (tensor<2x7x5xf32>, tensor<2x5xf32>)
    %1 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%0#0, %0#1) {backend_config = ""} : (tensor<2x7x5xf32>, tensor<2x5xf32>) -> tensor<2x7x5xf32>
    %2 = stablehlo.slice %0#0 [0:2, 0:5, 0:5] : (tensor<2x7x5xf32>) -> tensor<2x5x5xf32>
    %3 = stablehlo.iota dim = 0 : tensor<5x5xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<5x5xi32>
    %5 = stablehlo.add %3, %4 : tensor<5x5xi32>
    %6 = stablehlo.iota dim = 1 : tensor<5x5xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<5x5xi32>, tensor<5x5xi32>) -> tensor<5x5xi1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1, 2] : (tensor<5x5xi1>) -> tensor<2x5x5xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x5x5xf32>
    %10 = stablehlo.select %8, %9, %2 : tensor<2x5x5xi1>, tensor<2x5x5xf32>
    return %1, %10 : tensor<2x7x5xf32>, tensor<2x5x5xf32>
  }
}
