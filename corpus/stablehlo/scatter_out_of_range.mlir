module @jit_scatter_out_of_range attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x6xi32>, %arg1: tensor<7x2xi32>, %arg2: tensor<7xi32>) -> (tensor<6x6xi32> {jax.result_info = "result[0]"}, tensor<6x6xi32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.slice %arg1 [0:7, 0:1] : (tensor<7x2xi32>) -> tensor<7x1xi32>
    %1 = stablehlo.reshape %0 : (tensor<7x1xi32>) -> tensor<7xi32>
    %2 = stablehlo.slice %arg1 [0:7, 1:2] : (tensor<7x2xi32>) -> tensor<7x1xi32>
    %3 = stablehlo.reshape %2 : (tensor<7x1xi32>) -> tensor<7xi32>
    %4 = stablehlo.slice %arg1 [0:3, 0:2] : (tensor<7x2xi32>) -> tensor<3x2xi32>
    %5 = stablehlo.slice %arg2 [0:3] : (tensor<7xi32>) -> tensor<3xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<3xi32>) -> tensor<3x1x1xi32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x2x2xi32>
    %8 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<3x1x1xi32>) -> tensor<3x2x2xi32>
    %9 = stablehlo.multiply %8, %7 : tensor<3x2x2xi32>
    %c_0 = stablehlo.constant dense<4> : tensor<2xi32>
    %c_1 = stablehlo.constant dense<2147483647> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %11 = stablehlo.minimum %c_0, %10 : tensor<2xi32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [1] : (tensor<2xi32>) -> tensor<3x2xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3x2xi32>
    %14 = stablehlo.clamp %13, %4, %12 : tensor<3x2xi32>
    %15 = "stablehlo.scatter"(%arg0, %14, %9) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %30 = stablehlo.add %arg3, %arg4 : tensor<i32>
      stablehlo.return %30 : tensor<i32>
    }) : (tensor<6x6xi32>, tensor<3x2xi32>, tensor<3x2x2xi32>) -> tensor<6x6xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %17 = stablehlo.compare LT, %1, %16, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_4 = stablehlo.constant dense<6> : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %19 = stablehlo.add %1, %18 : tensor<7xi32>
    %20 = stablehlo.select %17, %19, %1 : tensor<7xi1>, tensor<7xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %22 = stablehlo.compare LT, %3, %21, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_6 = stablehlo.constant dense<6> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %24 = stablehlo.add %3, %23 : tensor<7xi32>
    %25 = stablehlo.select %22, %24, %3 : tensor<7xi1>, tensor<7xi32>
    %26 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %27 = stablehlo.broadcast_in_dim %25, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %28 = stablehlo.concatenate %26, %27, dim = 1 : (tensor<7x1xi32>, tensor<7x1xi32>) -> tensor<7x2xi32>
    %29 = "stablehlo.scatter"(%arg0, %28, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %30 = stablehlo.add %arg3, %arg4 : tensor<i32>
      stablehlo.return %30 : tensor<i32>
    }) : (tensor<6x6xi32>, tensor<7x2xi32>, tensor<7xi32>) -> tensor<6x6xi32>
    return %29, %15 : tensor<6x6xi32>, tensor<6x6xi32>
  }
}
