module @jit_sparse_matrix_vector attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<40xf32>, %arg1: tensor<40xi32>, %arg2: tensor<40xi32>, %arg3: tensor<10xf32>) -> (tensor<12xf32> {jax.result_info = "result[0]"}, tensor<10xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %2 = stablehlo.compare LT, %arg2, %1, SIGNED : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi1>
    %c_0 = stablehlo.constant dense<10> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %4 = stablehlo.add %arg2, %3 : tensor<40xi32>
    %5 = stablehlo.select %2, %4, %arg2 : tensor<40xi1>, tensor<40xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<40xi32>) -> tensor<40x1xi32>
    %7 = "stablehlo.gather"(%arg3, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<10xf32>, tensor<40x1xi32>) -> tensor<40xf32>
    %8 = stablehlo.multiply %arg0, %7 : tensor<40xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %10 = stablehlo.compare LT, %arg1, %9, SIGNED : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi1>
    %c_2 = stablehlo.constant dense<12> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %12 = stablehlo.add %arg1, %11 : tensor<40xi32>
    %13 = stablehlo.select %10, %12, %arg1 : tensor<40xi1>, tensor<40xi32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<40xi32>) -> tensor<40x1xi32>
    %15 = "stablehlo.scatter"(%0, %14, %8) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %32 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %32 : tensor<f32>
    }) : (tensor<12xf32>, tensor<40x1xi32>, tensor<40xf32>) -> tensor<12xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %18 = stablehlo.compare LT, %arg1, %17, SIGNED : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi1>
    %c_5 = stablehlo.constant dense<12> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %20 = stablehlo.add %arg1, %19 : tensor<40xi32>
    %21 = stablehlo.select %18, %20, %arg1 : tensor<40xi1>, tensor<40xi32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<40xi32>) -> tensor<40x1xi32>
    %23 = "stablehlo.gather"(%15, %22) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<12xf32>, tensor<40x1xi32>) -> tensor<40xf32>
    %24 = stablehlo.multiply %arg0, %23 : tensor<40xf32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %26 = stablehlo.compare LT, %arg2, %25, SIGNED : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi1>
    %c_7 = stablehlo.constant dense<10> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %28 = stablehlo.add %arg2, %27 : tensor<40xi32>
    %29 = stablehlo.select %26, %28, %arg2 : tensor<40xi1>, tensor<40xi32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<40xi32>) -> tensor<40x1xi32>
    %31 = "stablehlo.scatter"(%16, %30, %24) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %32 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %32 : tensor<f32>
    }) : (tensor<10xf32>, tensor<40x1xi32>, tensor<40xf32>) -> tensor<10xf32>
    return %15, %31 : tensor<12xf32>, tensor<10xf32>
  }
}
