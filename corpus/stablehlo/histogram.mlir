module @jit_histogram attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<100xf32>, %arg1: tensor<100xf32>) -> (tensor<10xi32> {jax.result_info = "result[0]"}, tensor<10x4xf32> {jax.result_info = "result[1]"}, tensor<10xf32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<100xf32>
    %2 = stablehlo.convert %1 : (tensor<100xf32>) -> tensor<100xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<9> : tensor<i32>
    %3 = call @clip(%2, %c, %c_0) : (tensor<100xi32>, tensor<i32>, tensor<i32>) -> tensor<100xi32>
    %cst_1 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %5 = stablehlo.multiply %arg1, %4 : tensor<100xf32>
    %6 = stablehlo.convert %5 : (tensor<100xf32>) -> tensor<100xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<3> : tensor<i32>
    %7 = call @clip(%6, %c_2, %c_3) : (tensor<100xi32>, tensor<i32>, tensor<i32>) -> tensor<100xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<100xi32>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi1>
    %c_6 = stablehlo.constant dense<10> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<100xi32>
    %12 = stablehlo.add %3, %11 : tensor<100xi32>
    %13 = stablehlo.select %10, %12, %3 : tensor<100xi1>, tensor<100xi32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<100xi32>) -> tensor<100x1xi32>
    %c_7 = stablehlo.constant dense<1> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<100xi32>
    %16 = "stablehlo.scatter"(%8, %14, %15) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %37 = stablehlo.add %arg2, %arg3 : tensor<i32>
      stablehlo.return %37 : tensor<i32>
    }) : (tensor<10xi32>, tensor<100x1xi32>, tensor<100xi32>) -> tensor<10xi32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<10x4xf32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<100xi32>
    %19 = stablehlo.compare LT, %3, %18, SIGNED : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi1>
    %c_10 = stablehlo.constant dense<10> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<100xi32>
    %21 = stablehlo.add %3, %20 : tensor<100xi32>
    %22 = stablehlo.select %19, %21, %3 : tensor<100xi1>, tensor<100xi32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<100xi32>
    %24 = stablehlo.compare LT, %7, %23, SIGNED : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi1>
    %c_12 = stablehlo.constant dense<4> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<100xi32>
    %26 = stablehlo.add %7, %25 : tensor<100xi32>
    %27 = stablehlo.select %24, %26, %7 : tensor<100xi1>, tensor<100xi32>
    %28 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<100xi32>) -> tensor<100x1xi32>
    %29 = stablehlo.broadcast_in_dim %27, dims = [0] : (tensor<100xi32>) -> tensor<100x1xi32>
    %30 = stablehlo.concatenate %28, %29, dim = 1 : (tensor<100x1xi32>, tensor<100x1xi32>) -> tensor<100x2xi32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %32 = "stablehlo.scatter"(%17, %30, %31) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %37 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %37 : tensor<f32>
    }) : (tensor<10x4xf32>, tensor<100x2xi32>, tensor<100xf32>) -> tensor<10x4xf32>
    %33 = call @cumsum(%16) : (tensor<10xi32>) -> tensor<10xi32>
    %34 = stablehlo.convert %33 : (tensor<10xi32>) -> tensor<10xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+02> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %36 = stablehlo.divide %34, %35 : tensor<10xf32>
    return %16, %32, %36 : tensor<10xi32>, tensor<10x4xf32>, tensor<10xf32>
  }
  func.func private @clip(%arg0: tensor<100xi32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<100xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<100xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<100xi32>
    %3 = stablehlo.convert %arg2 : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<100xi32>
    %5 = stablehlo.minimum %4, %2 : tensor<100xi32>
    return %5 : tensor<100xi32>
  }
  func.func private @cumsum(%arg0: tensor<10xi32>) -> tensor<10xi32> {
    %0 = call @cumsum_0(%arg0) : (tensor<10xi32>) -> tensor<10xi32>
    return %0 : tensor<10xi32>
  }
  func.func private @cumsum_0(%arg0: tensor<10xi32>) -> tensor<10xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[9, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 10>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<10xi32>, tensor<i32>) -> tensor<10xi32>
    return %1 : tensor<10xi32>
  }
}
