module @jit_newton_square_root attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32>) -> (tensor<i32> {jax.result_info = "result[0]"}, tensor<16xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:4 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %c, %iterArg_1 = %arg0, %iterArg_2 = %1) : tensor<16xf32>, tensor<i32>, tensor<16xf32>, tensor<16xf32>
    cond {
      %c_3 = stablehlo.constant dense<30> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_0, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.subtract %iterArg_1, %iterArg_2 : tensor<16xf32>
      %5 = stablehlo.abs %4 : tensor<16xf32>
      %cst_4 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %7 = stablehlo.multiply %6, %iterArg_1 : tensor<16xf32>
      %8 = stablehlo.compare GT, %5, %7, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
      %c_5 = stablehlo.constant dense<false> : tensor<i1>
      %9 = stablehlo.reduce(%8 init: %c_5) applies stablehlo.or across dimensions = [0] : (tensor<16xi1>, tensor<i1>) -> tensor<i1>
      %c_6 = stablehlo.constant dense<false> : tensor<i1>
      %10 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i1>) -> tensor<i1>
      %11 = stablehlo.compare NE, %3, %10, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %12 = stablehlo.convert %11 : tensor<i1>
      %13 = stablehlo.and %12, %9 : tensor<i1>
      stablehlo.return %13 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg_0, %c_3 : tensor<i32>
      %4 = stablehlo.divide %iterArg, %iterArg_1 : tensor<16xf32>
      %5 = stablehlo.add %iterArg_1, %4 : tensor<16xf32>
      %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %7 = stablehlo.multiply %6, %5 : tensor<16xf32>
      stablehlo.return %iterArg, %3, %7, %iterArg_1 : tensor<16xf32>, tensor<i32>, tensor<16xf32>, tensor<16xf32>
    }
    return %2#1, %2#2 : tensor<i32>, tensor<16xf32>
  }
}
