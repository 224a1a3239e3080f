module @jit_gather_gallery attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x7x6xf32>, %arg1: tensor<9xi32>, %arg2: tensor<9xi32>, %arg3: tensor<5x3x6xi32>) -> (tensor<9x7xf32> {jax.result_info = "result[0]"}, tensor<9x7x6xf32> {jax.result_info = "result[1]"}, tensor<9xf32> {jax.result_info = "result[2]"}, tensor<5x3x6xf32> {jax.result_info = "result[3]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<9xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<9xi1>, tensor<9xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %6 = stablehlo.compare LT, %arg2, %5, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
    %c_2 = stablehlo.constant dense<6> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %8 = stablehlo.add %arg2, %7 : tensor<9xi32>
    %9 = stablehlo.select %6, %8, %arg2 : tensor<9xi1>, tensor<9xi32>
    %10 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<9xi32>) -> tensor<9x1xi32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<9xi32>) -> tensor<9x1xi32>
    %12 = stablehlo.concatenate %10, %11, dim = 1 : (tensor<9x1xi32>, tensor<9x1xi32>) -> tensor<9x2xi32>
    %13 = "stablehlo.gather"(%arg0, %12) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 2], start_index_map = [0, 2], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 7, 1>}> : (tensor<5x7x6xf32>, tensor<9x2xi32>) -> tensor<9x7xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %15 = stablehlo.compare LT, %arg1, %14, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
    %c_4 = stablehlo.constant dense<5> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %17 = stablehlo.add %arg1, %16 : tensor<9xi32>
    %18 = stablehlo.select %15, %17, %arg1 : tensor<9xi1>, tensor<9xi32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<9xi32>) -> tensor<9x1xi32>
    %20 = "stablehlo.gather"(%arg0, %19) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 7, 6>}> : (tensor<5x7x6xf32>, tensor<9x1xi32>) -> tensor<9x7x6xf32>
    %21 = stablehlo.slice %arg0 [0:5, 2:3, 0:6] : (tensor<5x7x6xf32>) -> tensor<5x1x6xf32>
    %22 = stablehlo.reshape %21 : (tensor<5x1x6xf32>) -> tensor<5x6xf32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %24 = stablehlo.compare LT, %arg1, %23, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
    %c_6 = stablehlo.constant dense<5> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %26 = stablehlo.add %arg1, %25 : tensor<9xi32>
    %27 = stablehlo.select %24, %26, %arg1 : tensor<9xi1>, tensor<9xi32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %29 = stablehlo.compare LT, %arg2, %28, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
    %c_8 = stablehlo.constant dense<6> : tensor<i32>
    %30 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %31 = stablehlo.add %arg2, %30 : tensor<9xi32>
    %32 = stablehlo.select %29, %31, %arg2 : tensor<9xi1>, tensor<9xi32>
    %33 = stablehlo.broadcast_in_dim %27, dims = [0] : (tensor<9xi32>) -> tensor<9x1xi32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [0] : (tensor<9xi32>) -> tensor<9x1xi32>
    %35 = stablehlo.concatenate %33, %34, dim = 1 : (tensor<9x1xi32>, tensor<9x1xi32>) -> tensor<9x2xi32>
    %36 = "stablehlo.gather"(%22, %35) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<5x6xf32>, tensor<9x2xi32>) -> tensor<9xf32>
    %37 = call @take_along_axis(%arg0, %arg3) : (tensor<5x7x6xf32>, tensor<5x3x6xi32>) -> tensor<5x3x6xf32>
    return %13, %20, %36, %37 : tensor<9x7xf32>, tensor<9x7x6xf32>, tensor<9xf32>, tensor<5x3x6xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<5x7x6xf32>, %arg1: tensor<5x3x6xi32>) -> tensor<5x3x6xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<5x3x6xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<5x3x6xi32>, tensor<5x3x6xi32>) -> tensor<5x3x6xi1>
    %c_0 = stablehlo.constant dense<7> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<5x3x6xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<5x3x6xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<5x3x6xi1>, tensor<5x3x6xi32>
    %5 = stablehlo.reshape %4 : (tensor<5x3x6xi32>) -> tensor<5x3x6x1xi32>
    %c_1 = stablehlo.constant dense<6> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<5x3x6x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<5x3x6x1xi32>, tensor<5x3x6x1xi32>) -> tensor<5x3x6x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<5x3x6x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<5x3x6x1xi32>, tensor<5x3x6x1xi32>) -> tensor<5x3x6x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<5x3x6x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<5x3x6x1xi1>, tensor<i1>) -> tensor<5x3x6xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0, 2], start_indices_batching_dims = [0, 2], start_index_map = [1], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<5x7x6xf32>, tensor<5x3x6x1xi32>) -> tensor<5x3x6xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x3x6xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<5x3x6xi1>, tensor<5x3x6xf32>
    return %15 : tensor<5x3x6xf32>
  }
}
