module @jit_kmeans_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<60x6xf32>, %arg1: tensor<5x6xf32>) -> (tensor<5x6xf32> {jax.result_info = "result[0]"}, tensor<60xi32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<60x6xf32>) -> tensor<60x1x6xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<5x6xf32>) -> tensor<1x5x6xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<60x1x6xf32>) -> tensor<60x5x6xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x5x6xf32>) -> tensor<60x5x6xf32>
    %4 = stablehlo.subtract %2, %3 : tensor<60x5x6xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<60x5x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<60x5x6xf32>, tensor<f32>) -> tensor<60x5xf32>
    %7 = call @argmin(%6) : (tensor<60x5xf32>) -> tensor<60xi32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<60xi32>
    %10 = stablehlo.compare LT, %7, %9, SIGNED : (tensor<60xi32>, tensor<60xi32>) -> tensor<60xi1>
    %c_1 = stablehlo.constant dense<5> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<60xi32>
    %12 = stablehlo.add %7, %11 : tensor<60xi32>
    %13 = stablehlo.select %10, %12, %7 : tensor<60xi1>, tensor<60xi32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<60xi32>) -> tensor<60x1xi32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<60xf32>
    %16 = "stablehlo.scatter"(%8, %14, %15) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %34 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %34 : tensor<f32>
    }) : (tensor<5xf32>, tensor<60x1xi32>, tensor<60xf32>) -> tensor<5xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<5x6xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<60xi32>
    %19 = stablehlo.compare LT, %7, %18, SIGNED : (tensor<60xi32>, tensor<60xi32>) -> tensor<60xi1>
    %c_5 = stablehlo.constant dense<5> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<60xi32>
    %21 = stablehlo.add %7, %20 : tensor<60xi32>
    %22 = stablehlo.select %19, %21, %7 : tensor<60xi1>, tensor<60xi32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<60xi32>) -> tensor<60x1xi32>
    %24 = "stablehlo.scatter"(%17, %23, %arg0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %34 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %34 : tensor<f32>
    }) : (tensor<5x6xf32>, tensor<60x1xi32>, tensor<60x6xf32>) -> tensor<5x6xf32>
    %25 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<5x1xf32>
    %27 = stablehlo.compare GT, %25, %26, FLOAT : (tensor<5x1xf32>, tensor<5x1xf32>) -> tensor<5x1xi1>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %29 = stablehlo.maximum %16, %28 : tensor<5xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x6xf32>
    %32 = stablehlo.divide %24, %31 : tensor<5x6xf32>
    %33 = call @_where(%27, %32, %arg1) : (tensor<5x1xi1>, tensor<5x6xf32>, tensor<5x6xf32>) -> tensor<5x6xf32>
    return %33, %7 : tensor<5x6xf32>, tensor<60xi32>
  }
  func.func private @argmin(%arg0: tensor<60x5xf32>) -> tensor<60xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<60x5xi32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<60x5xf32>, tensor<60x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<60xf32>, tensor<60xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare LT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<60xi32>
  }
  func.func private @_where(%arg0: tensor<5x1xi1>, %arg1: tensor<5x6xf32>, %arg2: tensor<5x6xf32>) -> tensor<5x6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<5x1xi1>) -> tensor<5x6xi1>
    %1 = stablehlo.select %0, %arg1, %arg2 : tensor<5x6xi1>, tensor<5x6xf32>
    return %1 : tensor<5x6xf32>
  }
}
