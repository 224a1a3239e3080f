module @jit_graph_convolution attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<20x6xf32>, %arg1: tensor<50xi32>, %arg2: tensor<50xi32>, %arg3: tensor<6x8xf32>) -> (tensor<20x8xf32> {jax.result_info = "result[0]"}, tensor<20x8xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<50xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<50xi32>, tensor<50xi32>) -> tensor<50xi1>
    %c_0 = stablehlo.constant dense<20> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<50xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<50xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<50xi1>, tensor<50xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<50xi32>) -> tensor<50x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<20x6xf32>, tensor<50x1xi32>) -> tensor<50x6xf32>
    %7 = stablehlo.dot_general %6, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<50x6xf32>, tensor<6x8xf32>) -> tensor<50x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<20x8xf32>
    %9 = stablehlo.broadcast_in_dim %arg2, dims = [0] : (tensor<50xi32>) -> tensor<50x1xi32>
    %10 = "stablehlo.scatter"(%8, %9, %7) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %28 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %28 : tensor<f32>
    }) : (tensor<20x8xf32>, tensor<50x1xi32>, tensor<50x8xf32>) -> tensor<20x8xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<50xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %13 = stablehlo.broadcast_in_dim %arg2, dims = [0] : (tensor<50xi32>) -> tensor<50x1xi32>
    %14 = "stablehlo.scatter"(%12, %13, %11) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %28 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %28 : tensor<f32>
    }) : (tensor<20xf32>, tensor<50x1xi32>, tensor<50xf32>) -> tensor<20xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<20x8xf32>
    %16 = stablehlo.broadcast_in_dim %arg2, dims = [0] : (tensor<50xi32>) -> tensor<50x1xi32>
    %17 = "stablehlo.scatter"(%15, %16, %7) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %28 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
      stablehlo.return %28 : tensor<f32>
    }) : (tensor<20x8xf32>, tensor<50x1xi32>, tensor<50x8xf32>) -> tensor<20x8xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %19 = stablehlo.maximum %14, %18 : tensor<20xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<20xf32>) -> tensor<20x1xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<20x1xf32>) -> tensor<20x8xf32>
    %22 = stablehlo.divide %10, %21 : tensor<20x8xf32>
    %23 = call @relu(%22) : (tensor<20x8xf32>) -> tensor<20x8xf32>
    %24 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<20xf32>) -> tensor<20x1xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<20x1xf32>
    %26 = stablehlo.compare GT, %24, %25, FLOAT : (tensor<20x1xf32>, tensor<20x1xf32>) -> tensor<20x1xi1>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %27 = call @_where(%26, %17, %c_6) : (tensor<20x1xi1>, tensor<20x8xf32>, tensor<i32>) -> tensor<20x8xf32>
    return %23, %27 : tensor<20x8xf32>, tensor<20x8xf32>
  }
  func.func private @relu(%arg0: tensor<20x8xf32>) -> tensor<20x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<20x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<20x8xf32>
    return %1 : tensor<20x8xf32>
  }
  func.func private @_where(%arg0: tensor<20x1xi1>, %arg1: tensor<20x8xf32>, %arg2: tensor<i32>) -> tensor<20x8xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<20x1xi1>) -> tensor<20x8xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<20x8xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<20x8xi1>, tensor<20x8xf32>
    return %3 : tensor<20x8xf32>
  }
}
