module @jit_permutation_inverse attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xi32>, %arg1: tensor<16x3xf32>) -> (tensor<16x3xf32> {jax.result_info = "result[0]"}, tensor<16x3xf32> {jax.result_info = "result[1]"}, tensor<16xi32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %1 = stablehlo.iota dim = 0 : tensor<16xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %3 = stablehlo.compare LT, %arg0, %2, SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %c_1 = stablehlo.constant dense<16> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %5 = stablehlo.add %arg0, %4 : tensor<16xi32>
    %6 = stablehlo.select %3, %5, %arg0 : tensor<16xi1>, tensor<16xi32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %8 = "stablehlo.scatter"(%0, %7, %1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      stablehlo.return %arg3 : tensor<i32>
    }) : (tensor<16xi32>, tensor<16x1xi32>, tensor<16xi32>) -> tensor<16xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %10 = stablehlo.compare LT, %arg0, %9, SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %c_3 = stablehlo.constant dense<16> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %12 = stablehlo.add %arg0, %11 : tensor<16xi32>
    %13 = stablehlo.select %10, %12, %arg0 : tensor<16xi1>, tensor<16xi32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %15 = "stablehlo.gather"(%arg1, %14) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<16x3xf32>, tensor<16x1xi32>) -> tensor<16x3xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %17 = stablehlo.compare LT, %arg0, %16, SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %c_5 = stablehlo.constant dense<16> : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %19 = stablehlo.add %arg0, %18 : tensor<16xi32>
    %20 = stablehlo.select %17, %19, %arg0 : tensor<16xi1>, tensor<16xi32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %22 = "stablehlo.gather"(%arg1, %21) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<16x3xf32>, tensor<16x1xi32>) -> tensor<16x3xf32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %24 = stablehlo.compare LT, %8, %23, SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %c_7 = stablehlo.constant dense<16> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %26 = stablehlo.add %8, %25 : tensor<16xi32>
    %27 = stablehlo.select %24, %26, %8 : tensor<16xi1>, tensor<16xi32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %29 = "stablehlo.gather"(%22, %28) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<16x3xf32>, tensor<16x1xi32>) -> tensor<16x3xf32>
    return %15, %29, %8 : tensor<16x3xf32>, tensor<16x3xf32>, tensor<16xi32>
  }
}
