module @jit_gaussian_process attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10xf32>, %arg1: tensor<10xf32>, %arg2: tensor<6xf32>) -> (tensor<6xf32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<10xf32>) -> tensor<10x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<10x1xf32>) -> tensor<10x10xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<10x10xf32>
    %4 = stablehlo.subtract %2, %3 : tensor<10x10xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<10x10xf32>
    %cst = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<10x10xf32>
    %7 = stablehlo.multiply %6, %5 : tensor<10x10xf32>
    %8 = stablehlo.exponential %7 : tensor<10x10xf32>
    %9 = stablehlo.iota dim = 0 : tensor<10x10xi32>
    %10 = stablehlo.iota dim = 1 : tensor<10x10xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<10x10xi32>
    %12 = stablehlo.add %9, %11 : tensor<10x10xi32>
    %13 = stablehlo.compare EQ, %12, %10, SIGNED : (tensor<10x10xi32>, tensor<10x10xi32>) -> tensor<10x10xi1>
    %14 = stablehlo.convert %13 : (tensor<10x10xi1>) -> tensor<10x10xf32>
    %cst_0 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<10x10xf32>
    %16 = stablehlo.multiply %15, %14 : tensor<10x10xf32>
    %17 = stablehlo.add %8, %16 : tensor<10x10xf32>
    %18 = stablehlo.transpose %17, dims = [1, 0] : (tensor<10x10xf32>) -> tensor<10x10xf32>
    %19 = stablehlo.add %17, %18 : tensor<10x10xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<10x10xf32>
    %21 = stablehlo.divide %19, %20 : tensor<10x10xf32>
    %22 = stablehlo.cholesky %21, lower = true : tensor<10x10xf32>
    %23 = stablehlo.iota dim = 0 : tensor<10x10xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<10x10xi32>
    %25 = stablehlo.add %23, %24 : tensor<10x10xi32>
    %26 = stablehlo.iota dim = 1 : tensor<10x10xi32>
    %27 = stablehlo.compare GE, %25, %26, SIGNED : (tensor<10x10xi32>, tensor<10x10xi32>) -> tensor<10x10xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<10x10xf32>
    %29 = stablehlo.select %27, %22, %28 : tensor<10x10xi1>, tensor<10x10xf32>
    %30 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<10xf32>) -> tensor<10x1xf32>
    %31 = "stablehlo.triangular_solve"(%29, %30) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<10x10xf32>, tensor<10x1xf32>) -> tensor<10x1xf32>
    %32 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<10xf32>) -> tensor<10x1xf32>
    %33 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [0, 1] : (tensor<10x1xf32>) -> tensor<10x6xf32>
    %35 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<10x6xf32>
    %36 = stablehlo.subtract %34, %35 : tensor<10x6xf32>
    %37 = stablehlo.multiply %36, %36 : tensor<10x6xf32>
    %cst_4 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<10x6xf32>
    %39 = stablehlo.multiply %38, %37 : tensor<10x6xf32>
    %40 = stablehlo.exponential %39 : tensor<10x6xf32>
    %41 = "stablehlo.triangular_solve"(%29, %40) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<10x10xf32>, tensor<10x6xf32>) -> tensor<10x6xf32>
    %42 = stablehlo.multiply %31, %31 : tensor<10x1xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.reduce(%42 init: %cst_5) applies stablehlo.add across dimensions = [0, 1] : (tensor<10x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %44 = stablehlo.multiply %cst_6, %43 : tensor<f32>
    %45 = call @_diag(%29) : (tensor<10x10xf32>) -> tensor<10xf32>
    %46 = stablehlo.log %45 : tensor<10xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.reduce(%46 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<10xf32>, tensor<f32>) -> tensor<f32>
    %48 = stablehlo.subtract %44, %47 : tensor<f32>
    %49 = stablehlo.transpose %41, dims = [1, 0] : (tensor<10x6xf32>) -> tensor<6x10xf32>
    %50 = stablehlo.reshape %31 : (tensor<10x1xf32>) -> tensor<10xf32>
    %51 = stablehlo.dot_general %49, %50, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x10xf32>, tensor<10xf32>) -> tensor<6xf32>
    %52 = stablehlo.multiply %41, %41 : tensor<10x6xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.reduce(%52 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<10x6xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %55 = stablehlo.subtract %54, %53 : tensor<6xf32>
    return %51, %55, %48 : tensor<6xf32>, tensor<6xf32>, tensor<f32>
  }
  func.func private @_diag(%arg0: tensor<10x10xf32>) -> tensor<10xf32> {
    %0 = call @diagonal(%arg0) : (tensor<10x10xf32>) -> tensor<10xf32>
    return %0 : tensor<10xf32>
  }
  func.func private @diagonal(%arg0: tensor<10x10xf32>) -> tensor<10xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<10x10xi32>
    %1 = stablehlo.iota dim = 1 : tensor<10x10xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<10x10xi32>
    %3 = stablehlo.add %0, %2 : tensor<10x10xi32>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<10x10xi32>, tensor<10x10xi32>) -> tensor<10x10xi1>
    %5 = stablehlo.convert %4 : (tensor<10x10xi1>) -> tensor<10x10xf32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %6 = "stablehlo.case"(%c_0) ({
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c_1 : tensor<i32>
    }, {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c_1 : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    %7 = "stablehlo.case"(%6) ({
      %8 = stablehlo.iota dim = 0 : tensor<10xi32>
      %9 = stablehlo.iota dim = 0 : tensor<10xi32>
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<10xi32>
      %11 = stablehlo.compare LT, %8, %10, SIGNED : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi1>
      %c_2 = stablehlo.constant dense<10> : tensor<i32>
      %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<10xi32>
      %13 = stablehlo.add %8, %12 : tensor<10xi32>
      %14 = stablehlo.select %11, %13, %8 : tensor<10xi1>, tensor<10xi32>
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %15 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<10xi32>
      %16 = stablehlo.compare LT, %9, %15, SIGNED : (tensor<10xi32>, tensor<10xi32>) -> tensor<10xi1>
      %c_4 = stablehlo.constant dense<10> : tensor<i32>
      %17 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<10xi32>
      %18 = stablehlo.add %9, %17 : tensor<10xi32>
      %19 = stablehlo.select %16, %18, %9 : tensor<10xi1>, tensor<10xi32>
      %20 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<10xi32>) -> tensor<10x1xi32>
      %21 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<10xi32>) -> tensor<10x1xi32>
      %22 = stablehlo.concatenate %20, %21, dim = 1 : (tensor<10x1xi32>, tensor<10x1xi32>) -> tensor<10x2xi32>
      %23 = "stablehlo.gather"(%arg0, %22) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<10x10xf32>, tensor<10x2xi32>) -> tensor<10xf32>
      stablehlo.return %23 : tensor<10xf32>
    }) : (tensor<i32>) -> tensor<10xf32>
    return %7 : tensor<10xf32>
  }
}
