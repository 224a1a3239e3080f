module @jit_matrix_exponential attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x6xf32>) -> (tensor<6x6xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %1 = stablehlo.divide %arg0, %0 : tensor<6x6xf32>
    %2 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %3 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x6xi32>
    %5 = stablehlo.add %2, %4 : tensor<6x6xi32>
    %6 = stablehlo.compare EQ, %5, %3, SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %7 = stablehlo.convert %6 : (tensor<6x6xi1>) -> tensor<6x6xf32>
    %8 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %9 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x6xi32>
    %11 = stablehlo.add %8, %10 : tensor<6x6xi32>
    %12 = stablehlo.compare EQ, %11, %9, SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %13 = stablehlo.convert %12 : (tensor<6x6xi1>) -> tensor<6x6xf32>
    %14 = stablehlo.dot_general %7, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %16 = stablehlo.divide %14, %15 : tensor<6x6xf32>
    %17 = stablehlo.add %13, %16 : tensor<6x6xf32>
    %18 = stablehlo.dot_general %16, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %20 = stablehlo.divide %18, %19 : tensor<6x6xf32>
    %21 = stablehlo.add %17, %20 : tensor<6x6xf32>
    %22 = stablehlo.dot_general %20, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    %cst_3 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %24 = stablehlo.divide %22, %23 : tensor<6x6xf32>
    %25 = stablehlo.add %21, %24 : tensor<6x6xf32>
    %26 = stablehlo.dot_general %24, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    %cst_4 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %28 = stablehlo.divide %26, %27 : tensor<6x6xf32>
    %29 = stablehlo.add %25, %28 : tensor<6x6xf32>
    %30 = stablehlo.dot_general %28, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    %cst_5 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %32 = stablehlo.divide %30, %31 : tensor<6x6xf32>
    %33 = stablehlo.add %29, %32 : tensor<6x6xf32>
    %34 = stablehlo.dot_general %32, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    %cst_6 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %36 = stablehlo.divide %34, %35 : tensor<6x6xf32>
    %37 = stablehlo.add %33, %36 : tensor<6x6xf32>
    %38 = stablehlo.dot_general %36, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    %cst_7 = stablehlo.constant dense<7.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %40 = stablehlo.divide %38, %39 : tensor<6x6xf32>
    %41 = stablehlo.add %37, %40 : tensor<6x6xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %42:3 = stablehlo.while(%iterArg = %c_9, %iterArg_10 = %c_8, %iterArg_11 = %41) : tensor<i32>, tensor<i32>, tensor<6x6xf32>
    cond {
      %c_12 = stablehlo.constant dense<3> : tensor<i32>
      %43 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %43 : tensor<i1>
    } do {
      %43:2 = func.call @closed_call(%iterArg_10, %iterArg_11) : (tensor<i32>, tensor<6x6xf32>) -> (tensor<i32>, tensor<6x6xf32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %44 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %44, %43#0, %43#1 : tensor<i32>, tensor<i32>, tensor<6x6xf32>
    }
    return %42#2 : tensor<6x6xf32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<6x6xf32>) -> (tensor<i32>, tensor<6x6xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.dot_general %arg1, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    return %0, %1 : tensor<i32>, tensor<6x6xf32>
  }
}
