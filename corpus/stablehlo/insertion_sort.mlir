module @jit_insertion_sort attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10xi32>) -> (tensor<10xi32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %c, %iterArg_2 = %arg0) : tensor<i32>, tensor<i32>, tensor<10xi32>
    cond {
      %c_3 = stablehlo.constant dense<9> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = func.call @closed_call(%iterArg_1, %iterArg_2) : (tensor<i32>, tensor<10xi32>) -> (tensor<i32>, tensor<10xi32>)
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      stablehlo.return %2, %1#0, %1#1 : tensor<i32>, tensor<i32>, tensor<10xi32>
    }
    return %0#2 : tensor<10xi32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<10xi32>) -> (tensor<i32>, tensor<10xi32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg0) : tensor<10xi32>, tensor<i32>
    cond {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %2 = stablehlo.compare GT, %iterArg_0, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %iterArg_0, %c_2 : tensor<i32>
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %4 = stablehlo.maximum %3, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %5 = stablehlo.compare LT, %4, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.convert %4 : tensor<i32>
      %c_5 = stablehlo.constant dense<10> : tensor<i32>
      %7 = stablehlo.add %6, %c_5 : tensor<i32>
      %8 = stablehlo.select %5, %7, %4 : tensor<i1>, tensor<i32>
      %9 = stablehlo.dynamic_slice %iterArg, %8, sizes = [1] : (tensor<10xi32>, tensor<i32>) -> tensor<1xi32>
      %10 = stablehlo.reshape %9 : (tensor<1xi32>) -> tensor<i32>
      %c_6 = stablehlo.constant dense<0> : tensor<i32>
      %11 = stablehlo.compare LT, %iterArg_0, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %12 = stablehlo.convert %iterArg_0 : tensor<i32>
      %c_7 = stablehlo.constant dense<10> : tensor<i32>
      %13 = stablehlo.add %12, %c_7 : tensor<i32>
      %14 = stablehlo.select %11, %13, %iterArg_0 : tensor<i1>, tensor<i32>
      %15 = stablehlo.dynamic_slice %iterArg, %14, sizes = [1] : (tensor<10xi32>, tensor<i32>) -> tensor<1xi32>
      %16 = stablehlo.reshape %15 : (tensor<1xi32>) -> tensor<i32>
      %17 = stablehlo.compare GT, %10, %16, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_8 = stablehlo.constant dense<false> : tensor<i1>
      %18 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i1>) -> tensor<i1>
      %19 = stablehlo.compare NE, %2, %18, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %20 = stablehlo.convert %19 : tensor<i1>
      %21 = stablehlo.and %20, %17 : tensor<i1>
      stablehlo.return %21 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.subtract %iterArg_0, %c_1 : tensor<i32>
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare LT, %2, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.convert %2 : tensor<i32>
      %c_3 = stablehlo.constant dense<10> : tensor<i32>
      %5 = stablehlo.add %4, %c_3 : tensor<i32>
      %6 = stablehlo.select %3, %5, %2 : tensor<i1>, tensor<i32>
      %7 = stablehlo.dynamic_slice %iterArg, %6, sizes = [1] : (tensor<10xi32>, tensor<i32>) -> tensor<1xi32>
      %8 = stablehlo.reshape %7 : (tensor<1xi32>) -> tensor<i32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %9 = stablehlo.compare LT, %iterArg_0, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %10 = stablehlo.convert %iterArg_0 : tensor<i32>
      %c_5 = stablehlo.constant dense<10> : tensor<i32>
      %11 = stablehlo.add %10, %c_5 : tensor<i32>
      %12 = stablehlo.select %9, %11, %iterArg_0 : tensor<i1>, tensor<i32>
      %13 = stablehlo.dynamic_slice %iterArg, %12, sizes = [1] : (tensor<10xi32>, tensor<i32>) -> tensor<1xi32>
      %14 = stablehlo.reshape %13 : (tensor<1xi32>) -> tensor<i32>
      %c_6 = stablehlo.constant dense<0> : tensor<i32>
      %15 = stablehlo.compare LT, %iterArg_0, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_7 = stablehlo.constant dense<10> : tensor<i32>
      %16 = stablehlo.add %iterArg_0, %c_7 : tensor<i32>
      %17 = stablehlo.select %15, %16, %iterArg_0 : tensor<i1>, tensor<i32>
      %18 = stablehlo.convert %17 : tensor<i32>
      %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %20 = "stablehlo.scatter"(%iterArg, %19, %8) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
      ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
        stablehlo.return %arg3 : tensor<i32>
      }) : (tensor<10xi32>, tensor<1xi32>, tensor<i32>) -> tensor<10xi32>
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %21 = stablehlo.subtract %iterArg_0, %c_8 : tensor<i32>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %22 = stablehlo.compare LT, %21, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_10 = stablehlo.constant dense<10> : tensor<i32>
      %23 = stablehlo.add %21, %c_10 : tensor<i32>
      %24 = stablehlo.select %22, %23, %21 : tensor<i1>, tensor<i32>
      %25 = stablehlo.convert %24 : tensor<i32>
      %26 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %27 = "stablehlo.scatter"(%20, %26, %14) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
      ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
        stablehlo.return %arg3 : tensor<i32>
      }) : (tensor<10xi32>, tensor<1xi32>, tensor<i32>) -> tensor<10xi32>
      %c_11 = stablehlo.constant dense<1> : tensor<i32>
      %28 = stablehlo.subtract %iterArg_0, %c_11 : tensor<i32>
      stablehlo.return %27, %28 : tensor<10xi32>, tensor<i32>
    }
    return %0, %1#0 : tensor<i32>, tensor<10xi32>
  }
}
