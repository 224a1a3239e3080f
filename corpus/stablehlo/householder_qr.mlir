module @jit_householder_qr attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9x6xf32>) -> (tensor<9x9xf32> {jax.result_info = "result[0]"}, tensor<9x6xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<9x9xi32>
    %1 = stablehlo.iota dim = 1 : tensor<9x9xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<9x9xi32>
    %3 = stablehlo.add %0, %2 : tensor<9x9xi32>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<9x9xi32>, tensor<9x9xi32>) -> tensor<9x9xi1>
    %5 = stablehlo.convert %4 : (tensor<9x9xi1>) -> tensor<9x9xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %6:4 = stablehlo.while(%iterArg = %c_1, %iterArg_2 = %c_0, %iterArg_3 = %5, %iterArg_4 = %arg0) : tensor<i32>, tensor<i32>, tensor<9x9xf32>, tensor<9x6xf32>
    cond {
      %c_5 = stablehlo.constant dense<6> : tensor<i32>
      %8 = stablehlo.compare LT, %iterArg, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %8:3 = func.call @closed_call(%iterArg_2, %iterArg_3, %iterArg_4) : (tensor<i32>, tensor<9x9xf32>, tensor<9x6xf32>) -> (tensor<i32>, tensor<9x9xf32>, tensor<9x6xf32>)
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.add %iterArg, %c_5 : tensor<i32>
      stablehlo.return %9, %8#0, %8#1, %8#2 : tensor<i32>, tensor<i32>, tensor<9x9xf32>, tensor<9x6xf32>
    }
    %7 = call @triu(%6#3) : (tensor<9x6xf32>) -> tensor<9x6xf32>
    return %6#2, %7 : tensor<9x9xf32>, tensor<9x6xf32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<9x9xf32>, %arg2: tensor<9x6xf32>) -> (tensor<i32>, tensor<9x9xf32>, tensor<9x6xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.iota dim = 0 : tensor<9xi32>
    %2 = stablehlo.convert %arg0 : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<9xi32>
    %4 = stablehlo.compare GE, %1, %3, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
    %5 = stablehlo.convert %arg0 : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.compare LT, %c_0, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<9> : tensor<i32>
    %7 = stablehlo.add %c_2, %c_3 : tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.select %6, %7, %c_4 : tensor<i1>, tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %5, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_6 = stablehlo.constant dense<6> : tensor<i32>
    %10 = stablehlo.add %5, %c_6 : tensor<i32>
    %11 = stablehlo.select %9, %10, %5 : tensor<i1>, tensor<i32>
    %12 = stablehlo.dynamic_slice %arg2, %8, %11, sizes = [9, 1] : (tensor<9x6xf32>, tensor<i32>, tensor<i32>) -> tensor<9x1xf32>
    %13 = stablehlo.reshape %12 : (tensor<9x1xf32>) -> tensor<9xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %14 = call @_where(%4, %13, %c_7) : (tensor<9xi1>, tensor<9xf32>, tensor<i32>) -> tensor<9xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %15 = stablehlo.compare LT, %arg0, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %16 = stablehlo.convert %arg0 : tensor<i32>
    %c_9 = stablehlo.constant dense<9> : tensor<i32>
    %17 = stablehlo.add %16, %c_9 : tensor<i32>
    %18 = stablehlo.select %15, %17, %arg0 : tensor<i1>, tensor<i32>
    %19 = stablehlo.dynamic_slice %14, %18, sizes = [1] : (tensor<9xf32>, tensor<i32>) -> tensor<1xf32>
    %20 = stablehlo.reshape %19 : (tensor<1xf32>) -> tensor<f32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.compare GE, %20, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_11 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %22 = call @_where_0(%21, %cst_10, %cst_11) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %23 = call @norm(%14) : (tensor<9xf32>) -> tensor<f32>
    %24 = stablehlo.convert %22 : tensor<f32>
    %25 = stablehlo.multiply %24, %23 : tensor<f32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %26 = stablehlo.compare LT, %arg0, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_13 = stablehlo.constant dense<9> : tensor<i32>
    %27 = stablehlo.add %arg0, %c_13 : tensor<i32>
    %28 = stablehlo.select %26, %27, %arg0 : tensor<i1>, tensor<i32>
    %29 = stablehlo.convert %28 : tensor<i32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %31 = "stablehlo.scatter"(%14, %30, %25) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %53 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %53 : tensor<f32>
    }) : (tensor<9xf32>, tensor<1xi32>, tensor<f32>) -> tensor<9xf32>
    %32 = call @norm(%31) : (tensor<9xf32>) -> tensor<f32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %34 = stablehlo.divide %31, %33 : tensor<9xf32>
    %35 = stablehlo.dot_general %arg1, %34, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x9xf32>, tensor<9xf32>) -> tensor<9xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0] : (tensor<9xf32>) -> tensor<9x1xf32>
    %cst_14 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<9x1xf32>
    %38 = stablehlo.multiply %37, %36 : tensor<9x1xf32>
    %39 = stablehlo.broadcast_in_dim %34, dims = [1] : (tensor<9xf32>) -> tensor<1x9xf32>
    %40 = stablehlo.broadcast_in_dim %38, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x9xf32>
    %41 = stablehlo.broadcast_in_dim %39, dims = [0, 1] : (tensor<1x9xf32>) -> tensor<9x9xf32>
    %42 = stablehlo.multiply %40, %41 : tensor<9x9xf32>
    %43 = stablehlo.subtract %arg1, %42 : tensor<9x9xf32>
    %44 = stablehlo.broadcast_in_dim %34, dims = [0] : (tensor<9xf32>) -> tensor<9x1xf32>
    %cst_15 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<9x1xf32>
    %46 = stablehlo.multiply %45, %44 : tensor<9x1xf32>
    %47 = stablehlo.dot_general %34, %arg2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9xf32>, tensor<9x6xf32>) -> tensor<6xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %49 = stablehlo.broadcast_in_dim %46, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x6xf32>
    %50 = stablehlo.broadcast_in_dim %48, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<9x6xf32>
    %51 = stablehlo.multiply %49, %50 : tensor<9x6xf32>
    %52 = stablehlo.subtract %arg2, %51 : tensor<9x6xf32>
    return %0, %43, %52 : tensor<i32>, tensor<9x9xf32>, tensor<9x6xf32>
  }
  func.func private @_where(%arg0: tensor<9xi1>, %arg1: tensor<9xf32>, %arg2: tensor<i32>) -> tensor<9xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<9xi1>, tensor<9xf32>
    return %2 : tensor<9xf32>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @norm(%arg0: tensor<9xf32>) -> tensor<f32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<9xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<9xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.sqrt %1 : tensor<f32>
    return %2 : tensor<f32>
  }
  func.func private @triu(%arg0: tensor<9x6xf32>) -> tensor<9x6xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<9x6xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<9x6xi32>
    %2 = stablehlo.add %0, %1 : tensor<9x6xi32>
    %3 = stablehlo.iota dim = 1 : tensor<9x6xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<9x6xi32>, tensor<9x6xi32>) -> tensor<9x6xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9x6xf32>
    %6 = stablehlo.select %4, %5, %arg0 : tensor<9x6xi1>, tensor<9x6xf32>
    return %6 : tensor<9x6xf32>
  }
}
