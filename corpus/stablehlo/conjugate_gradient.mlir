module @jit_conjugate_gradient attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x16xf32>, %arg1: tensor<16xf32>) -> (tensor<16xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1 = stablehlo.dot_general %arg1, %arg1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16xf32>, tensor<16xf32>) -> tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:6 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %0, %iterArg_1 = %arg1, %iterArg_2 = %arg1, %iterArg_3 = %1, %iterArg_4 = %c) : tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<f32>, tensor<i32>
    cond {
      %cst_5 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
      %3 = stablehlo.compare GT, %iterArg_3, %cst_5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_6 = stablehlo.constant dense<8> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_4, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_7 = stablehlo.constant dense<false> : tensor<i1>
      %5 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i1>) -> tensor<i1>
      %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %7 = stablehlo.convert %6 : tensor<i1>
      %8 = stablehlo.and %3, %7 : tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %3 = stablehlo.dot_general %iterArg, %iterArg_2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %4 = stablehlo.dot_general %iterArg_2, %3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16xf32>, tensor<16xf32>) -> tensor<f32>
      %5 = stablehlo.divide %iterArg_3, %4 : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %7 = stablehlo.multiply %6, %iterArg_2 : tensor<16xf32>
      %8 = stablehlo.add %iterArg_0, %7 : tensor<16xf32>
      %9 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %10 = stablehlo.multiply %9, %3 : tensor<16xf32>
      %11 = stablehlo.subtract %iterArg_1, %10 : tensor<16xf32>
      %12 = stablehlo.dot_general %11, %11, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16xf32>, tensor<16xf32>) -> tensor<f32>
      %13 = stablehlo.divide %12, %iterArg_3 : tensor<f32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<16xf32>
      %15 = stablehlo.multiply %14, %iterArg_2 : tensor<16xf32>
      %16 = stablehlo.add %11, %15 : tensor<16xf32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %17 = stablehlo.add %iterArg_4, %c_5 : tensor<i32>
      stablehlo.return %iterArg, %8, %11, %16, %12, %17 : tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<f32>, tensor<i32>
    }
    return %2#1 : tensor<16xf32>
  }
}
