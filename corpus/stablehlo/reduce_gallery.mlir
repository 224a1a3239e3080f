module @jit_reduce_gallery attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x10xui32>, %arg2: tensor<5x7xi1>) -> (tensor<6xf32> {jax.result_info = "result[0]"}, tensor<4x8xf32> {jax.result_info = "result[1]"}, tensor<4x6xf32> {jax.result_info = "result[2]"}, tensor<f32> {jax.result_info = "result[3]"}, tensor<6x8xf32> {jax.result_info = "result[4]"}, tensor<4xui32> {jax.result_info = "result[5]"}, tensor<10xui32> {jax.result_info = "result[6]"}, tensor<ui32> {jax.result_info = "result[7]"}, tensor<7xi1> {jax.result_info = "result[8]"}, tensor<5xi1> {jax.result_info = "result[9]"}, tensor<i32> {jax.result_info = "result[10]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 2] : (tensor<4x6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.multiply across dimensions = [1] : (tensor<4x6x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%arg0 init: %cst_1) applies stablehlo.maximum across dimensions = [2] : (tensor<4x6x8xf32>, tensor<f32>) -> tensor<4x6xf32>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %3 = stablehlo.reduce(%arg0 init: %cst_2) applies stablehlo.minimum across dimensions = [0, 1, 2] : (tensor<4x6x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%arg0 init: %cst_3) applies stablehlo.add across dimensions = [0] : (tensor<4x6x8xf32>, tensor<f32>) -> tensor<6x8xf32>
    %cst_4 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %6 = stablehlo.divide %4, %5 : tensor<6x8xf32>
    %c = stablehlo.constant dense<4294967295> : tensor<ui32>
    %7 = stablehlo.reduce(%arg1 init: %c) applies stablehlo.and across dimensions = [1] : (tensor<4x10xui32>, tensor<ui32>) -> tensor<4xui32>
    %c_5 = stablehlo.constant dense<0> : tensor<ui32>
    %8 = stablehlo.reduce(%arg1 init: %c_5) applies stablehlo.or across dimensions = [0] : (tensor<4x10xui32>, tensor<ui32>) -> tensor<10xui32>
    %c_6 = stablehlo.constant dense<0> : tensor<ui32>
    %9 = stablehlo.reduce(%arg1 init: %c_6) applies stablehlo.xor across dimensions = [0, 1] : (tensor<4x10xui32>, tensor<ui32>) -> tensor<ui32>
    %c_7 = stablehlo.constant dense<true> : tensor<i1>
    %10 = stablehlo.reduce(%arg2 init: %c_7) applies stablehlo.and across dimensions = [0] : (tensor<5x7xi1>, tensor<i1>) -> tensor<7xi1>
    %c_8 = stablehlo.constant dense<false> : tensor<i1>
    %11 = stablehlo.reduce(%arg2 init: %c_8) applies stablehlo.or across dimensions = [1] : (tensor<5x7xi1>, tensor<i1>) -> tensor<5xi1>
    %12 = stablehlo.convert %arg2 : (tensor<5x7xi1>) -> tensor<5x7xi32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.reduce(%12 init: %c_9) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x7xi32>, tensor<i32>) -> tensor<i32>
    return %0, %1, %2, %3, %6, %7, %8, %9, %10, %11, %13 : tensor<6xf32>, tensor<4x8xf32>, tensor<4x6xf32>, tensor<f32>, tensor<6x8xf32>, tensor<4xui32>, tensor<10xui32>, tensor<ui32>, tensor<7xi1>, tensor<5xi1>, tensor<i32>
  }
}
