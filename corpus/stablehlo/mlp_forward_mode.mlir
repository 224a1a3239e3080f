module @jit_mlp_forward_mode attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x32xf32>, %arg1: tensor<32x4xf32>, %arg2: tensor<6x16xf32>, %arg3: tensor<6x16xf32>) -> (tensor<6x4xf32> {jax.result_info = "result[0]"}, tensor<6x4xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x32xf32>) -> tensor<6x32xf32>
    %1 = stablehlo.dot_general %arg3, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x32xf32>) -> tensor<6x32xf32>
    %2:2 = call @softplus(%0, %1) : (tensor<6x32xf32>, tensor<6x32xf32>) -> (tensor<6x32xf32>, tensor<6x32xf32>)
    %3 = stablehlo.dot_general %2#0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x32xf32>, tensor<32x4xf32>) -> tensor<6x4xf32>
    %4 = stablehlo.dot_general %2#1, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x32xf32>, tensor<32x4xf32>) -> tensor<6x4xf32>
    %5 = stablehlo.tanh %3 : tensor<6x4xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<6x4xf32>
    %7 = stablehlo.add %4, %6 : tensor<6x4xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
    %9 = stablehlo.subtract %8, %5 : tensor<6x4xf32>
    %10 = stablehlo.multiply %7, %9 : tensor<6x4xf32>
    return %5, %10 : tensor<6x4xf32>, tensor<6x4xf32>
  }
  func.func private @softplus(%arg0: tensor<6x32xf32>, %arg1: tensor<6x32xf32>) -> (tensor<6x32xf32>, tensor<6x32xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x32xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x32xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x32xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<6x32xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<6x32xf32>, tensor<6x32xf32>) -> tensor<6x32xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x32xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<6x32xf32>
    %7 = stablehlo.abs %3 : tensor<6x32xf32>
    %8 = stablehlo.negate %7 : tensor<6x32xf32>
    %9 = stablehlo.exponential %8 : tensor<6x32xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<6x32xf32>
    %11 = stablehlo.add %1, %10 : tensor<6x32xf32>
    %12 = stablehlo.select %4, %6, %11 : tensor<6x32xi1>, tensor<6x32xf32>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x32xf32>
    %14 = stablehlo.compare EQ, %arg0, %13, FLOAT : (tensor<6x32xf32>, tensor<6x32xf32>) -> tensor<6x32xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x32xf32>
    %16 = stablehlo.select %14, %15, %arg0 : tensor<6x32xi1>, tensor<6x32xf32>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x32xf32>
    %18 = stablehlo.compare EQ, %12, %17, FLOAT : (tensor<6x32xf32>, tensor<6x32xf32>) -> tensor<6x32xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x32xf32>
    %20 = stablehlo.select %18, %19, %12 : tensor<6x32xi1>, tensor<6x32xf32>
    %21 = stablehlo.subtract %16, %20 : tensor<6x32xf32>
    %22 = stablehlo.exponential %21 : tensor<6x32xf32>
    %23 = stablehlo.multiply %arg1, %22 : tensor<6x32xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_5 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %24 = stablehlo.compare EQ, %cst_4, %cst_5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.select %24, %cst_7, %cst_6 : tensor<i1>, tensor<f32>
    %cst_8 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6x32xf32>
    %27 = stablehlo.compare EQ, %12, %26, FLOAT : (tensor<6x32xf32>, tensor<6x32xf32>) -> tensor<6x32xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6x32xf32>
    %29 = stablehlo.select %27, %28, %12 : tensor<6x32xi1>, tensor<6x32xf32>
    %30 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<f32>) -> tensor<6x32xf32>
    %31 = stablehlo.subtract %30, %29 : tensor<6x32xf32>
    %32 = stablehlo.exponential %31 : tensor<6x32xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6x32xf32>
    %34 = stablehlo.multiply %33, %32 : tensor<6x32xf32>
    %35 = stablehlo.add %23, %34 : tensor<6x32xf32>
    return %12, %35 : tensor<6x32xf32>, tensor<6x32xf32>
  }
}
