module @jit_mean_and_variance attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x40xf32>) -> (tensor<5xf32> {jax.result_info = "result[0]"}, tensor<5xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x40xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5x40xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2:3 = stablehlo.reduce(%0 init: %cst_1), (%arg0 init: %cst_2), (%1 init: %cst_3) across dimensions = [1] : (tensor<5x40xf32>, tensor<5x40xf32>, tensor<5x40xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
     reducer(%arg1: tensor<f32>, %arg4: tensor<f32>) (%arg2: tensor<f32>, %arg5: tensor<f32>) (%arg3: tensor<f32>, %arg6: tensor<f32>)  {
      %4 = stablehlo.add %arg1, %arg4 : tensor<f32>
      %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %5 = stablehlo.maximum %4, %cst_4 : tensor<f32>
      %6 = stablehlo.subtract %arg5, %arg2 : tensor<f32>
      %7 = stablehlo.add %arg1, %arg4 : tensor<f32>
      %8 = stablehlo.multiply %6, %arg4 : tensor<f32>
      %9 = stablehlo.divide %8, %5 : tensor<f32>
      %10 = stablehlo.add %arg2, %9 : tensor<f32>
      %11 = stablehlo.add %arg3, %arg6 : tensor<f32>
      %12 = stablehlo.multiply %6, %6 : tensor<f32>
      %13 = stablehlo.multiply %12, %arg1 : tensor<f32>
      %14 = stablehlo.multiply %13, %arg4 : tensor<f32>
      %15 = stablehlo.divide %14, %5 : tensor<f32>
      %16 = stablehlo.add %11, %15 : tensor<f32>
      stablehlo.return %7, %10, %16 : tensor<f32>, tensor<f32>, tensor<f32>
    }
    %3 = stablehlo.divide %2#2, %2#0 : tensor<5xf32>
    return %2#1, %3 : tensor<5xf32>, tensor<5xf32>
  }
}
