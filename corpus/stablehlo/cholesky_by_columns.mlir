module @jit_cholesky_by_columns attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10x10xf64>) -> (tensor<10x10xf64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<10x10xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1:4 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %c_0, %iterArg_2 = %c, %iterArg_3 = %0) : tensor<10x10xf64>, tensor<i64>, tensor<i64>, tensor<10x10xf64>
    cond {
      %c_4 = stablehlo.constant dense<10> : tensor<i64>
      %2 = stablehlo.compare LT, %iterArg_1, %c_4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2:2 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_3) : (tensor<10x10xf64>, tensor<i64>, tensor<10x10xf64>) -> (tensor<i64>, tensor<10x10xf64>)
      %c_4 = stablehlo.constant dense<1> : tensor<i64>
      %3 = stablehlo.add %iterArg_1, %c_4 : tensor<i64>
      stablehlo.return %iterArg, %3, %2#0, %2#1 : tensor<10x10xf64>, tensor<i64>, tensor<i64>, tensor<10x10xf64>
    }
    return %1#3 : tensor<10x10xf64>
  }
  func.func private @closed_call(%arg0: tensor<10x10xf64>, %arg1: tensor<i64>, %arg2: tensor<10x10xf64>) -> (tensor<i64>, tensor<10x10xf64>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg1, %c : tensor<i64>
    %1 = stablehlo.iota dim = 0 : tensor<10xi64>
    %2 = stablehlo.convert %arg1 : tensor<i64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i64>) -> tensor<10xi64>
    %4 = stablehlo.compare LT, %1, %3, SIGNED : (tensor<10xi64>, tensor<10xi64>) -> tensor<10xi1>
    %5 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.compare LT, %5, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_1 = stablehlo.constant dense<10> : tensor<i32>
    %7 = stablehlo.add %5, %c_1 : tensor<i32>
    %8 = stablehlo.select %6, %7, %5 : tensor<i1>, tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %c_2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %c_5 = stablehlo.constant dense<10> : tensor<i32>
    %10 = stablehlo.add %c_4, %c_5 : tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %11 = stablehlo.select %9, %10, %c_6 : tensor<i1>, tensor<i32>
    %12 = stablehlo.dynamic_slice %arg2, %8, %11, sizes = [1, 10] : (tensor<10x10xf64>, tensor<i32>, tensor<i32>) -> tensor<1x10xf64>
    %13 = stablehlo.reshape %12 : (tensor<1x10xf64>) -> tensor<10xf64>
    %c_7 = stablehlo.constant dense<0> : tensor<i64>
    %14 = call @_where(%4, %13, %c_7) : (tensor<10xi1>, tensor<10xf64>, tensor<i64>) -> tensor<10xf64>
    %15 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.compare LT, %c_8, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %c_11 = stablehlo.constant dense<10> : tensor<i32>
    %17 = stablehlo.add %c_10, %c_11 : tensor<i32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %18 = stablehlo.select %16, %17, %c_12 : tensor<i1>, tensor<i32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.compare LT, %15, %c_13, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_14 = stablehlo.constant dense<10> : tensor<i32>
    %20 = stablehlo.add %15, %c_14 : tensor<i32>
    %21 = stablehlo.select %19, %20, %15 : tensor<i1>, tensor<i32>
    %22 = stablehlo.dynamic_slice %arg0, %18, %21, sizes = [10, 1] : (tensor<10x10xf64>, tensor<i32>, tensor<i32>) -> tensor<10x1xf64>
    %23 = stablehlo.reshape %22 : (tensor<10x1xf64>) -> tensor<10xf64>
    %24 = stablehlo.dot_general %arg2, %14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<10x10xf64>, tensor<10xf64>) -> tensor<10xf64>
    %25 = stablehlo.subtract %23, %24 : tensor<10xf64>
    %26 = stablehlo.iota dim = 0 : tensor<10xi64>
    %27 = stablehlo.convert %arg1 : tensor<i64>
    %28 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<i64>) -> tensor<10xi64>
    %29 = stablehlo.compare GE, %26, %28, SIGNED : (tensor<10xi64>, tensor<10xi64>) -> tensor<10xi1>
    %c_15 = stablehlo.constant dense<0> : tensor<i64>
    %30 = stablehlo.compare LT, %arg1, %c_15, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %31 = stablehlo.convert %arg1 : tensor<i64>
    %c_16 = stablehlo.constant dense<10> : tensor<i64>
    %32 = stablehlo.add %31, %c_16 : tensor<i64>
    %33 = stablehlo.select %30, %32, %arg1 : tensor<i1>, tensor<i64>
    %34 = stablehlo.dynamic_slice %25, %33, sizes = [1] : (tensor<10xf64>, tensor<i64>) -> tensor<1xf64>
    %35 = stablehlo.reshape %34 : (tensor<1xf64>) -> tensor<f64>
    %36 = stablehlo.sqrt %35 : tensor<f64>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %38 = stablehlo.divide %25, %37 : tensor<10xf64>
    %c_17 = stablehlo.constant dense<0> : tensor<i64>
    %39 = call @_where(%29, %38, %c_17) : (tensor<10xi1>, tensor<10xf64>, tensor<i64>) -> tensor<10xf64>
    %c_18 = stablehlo.constant dense<0> : tensor<i64>
    %40 = stablehlo.compare LT, %arg1, %c_18, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_19 = stablehlo.constant dense<10> : tensor<i64>
    %41 = stablehlo.add %arg1, %c_19 : tensor<i64>
    %42 = stablehlo.select %40, %41, %arg1 : tensor<i1>, tensor<i64>
    %43 = stablehlo.convert %42 : (tensor<i64>) -> tensor<i32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %45 = "stablehlo.scatter"(%arg2, %44, %39) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      stablehlo.return %arg4 : tensor<f64>
    }) : (tensor<10x10xf64>, tensor<1xi32>, tensor<10xf64>) -> tensor<10x10xf64>
    return %0, %45 : tensor<i64>, tensor<10x10xf64>
  }
  func.func private @_where(%arg0: tensor<10xi1>, %arg1: tensor<10xf64>, %arg2: tensor<i64>) -> tensor<10xf64> {
    %0 = stablehlo.convert %arg2 : (tensor<i64>) -> tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<10xi1>, tensor<10xf64>
    return %2 : tensor<10xf64>
  }
}
