module @jit_kalman_filter attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<20x2xf32>, %arg1: tensor<4x4xf32>) -> (tensor<4xf32> {jax.result_info = "result[0][0]"}, tensor<4x4xf32> {jax.result_info = "result[0][1]"}, tensor<20x4xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %1 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %3 = stablehlo.add %0, %2 : tensor<4x4xi32>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %5 = stablehlo.convert %4 : (tensor<4x4xi1>) -> tensor<4x4xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %8 = stablehlo.concatenate %6, %7, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %cst = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %9 = "stablehlo.scatter"(%5, %8, %cst) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>, unique_indices = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      stablehlo.return %arg3 : tensor<f32>
    }) : (tensor<4x4xf32>, tensor<2xi32>, tensor<f32>) -> tensor<4x4xf32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_3 = stablehlo.constant dense<3> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %12 = stablehlo.concatenate %10, %11, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %13 = "stablehlo.scatter"(%9, %12, %cst_4) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>, unique_indices = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      stablehlo.return %arg3 : tensor<f32>
    }) : (tensor<4x4xf32>, tensor<2xi32>, tensor<f32>) -> tensor<4x4xf32>
    %14 = stablehlo.iota dim = 0 : tensor<2x4xi32>
    %15 = stablehlo.iota dim = 1 : tensor<2x4xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<2x4xi32>
    %17 = stablehlo.add %14, %16 : tensor<2x4xi32>
    %18 = stablehlo.compare EQ, %17, %15, SIGNED : (tensor<2x4xi32>, tensor<2x4xi32>) -> tensor<2x4xi1>
    %19 = stablehlo.convert %18 : (tensor<2x4xi1>) -> tensor<2x4xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<20x4xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %22:7 = stablehlo.while(%iterArg = %arg0, %iterArg_9 = %13, %iterArg_10 = %19, %iterArg_11 = %c_8, %iterArg_12 = %20, %iterArg_13 = %arg1, %iterArg_14 = %21) : tensor<20x2xf32>, tensor<4x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<4xf32>, tensor<4x4xf32>, tensor<20x4xf32>
    cond {
      %c_15 = stablehlo.constant dense<20> : tensor<i32>
      %23 = stablehlo.compare LT, %iterArg_11, %c_15, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %23 : tensor<i1>
    } do {
      %23 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_11) : (tensor<20x2xf32>, tensor<i32>) -> tensor<2xf32>
      %24:3 = func.call @closed_call(%iterArg_9, %iterArg_10, %iterArg_12, %iterArg_13, %23) : (tensor<4x4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>)
      %25 = func.call @dynamic_update_index_in_dim(%iterArg_14, %24#2, %iterArg_11) : (tensor<20x4xf32>, tensor<4xf32>, tensor<i32>) -> tensor<20x4xf32>
      %c_15 = stablehlo.constant dense<1> : tensor<i32>
      %26 = stablehlo.add %iterArg_11, %c_15 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_9, %iterArg_10, %26, %24#0, %24#1, %25 : tensor<20x2xf32>, tensor<4x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<4xf32>, tensor<4x4xf32>, tensor<20x4xf32>
    }
    return %22#4, %22#5, %22#6 : tensor<4xf32>, tensor<4x4xf32>, tensor<20x4xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<20x2xf32>, %arg1: tensor<i32>) -> tensor<2xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 2] : (tensor<20x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func private @closed_call(%arg0: tensor<4x4xf32>, %arg1: tensor<2x4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<4x4xf32>, %arg4: tensor<2xf32>) -> (tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.dot_general %arg0, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %5 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %7 = stablehlo.add %4, %6 : tensor<4x4xi32>
    %8 = stablehlo.compare EQ, %7, %5, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %9 = stablehlo.convert %8 : (tensor<4x4xi1>) -> tensor<4x4xf32>
    %cst = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<4x4xf32>
    %12 = stablehlo.add %3, %11 : tensor<4x4xf32>
    %13 = stablehlo.dot_general %arg1, %12, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %14 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
    %15 = stablehlo.dot_general %13, %14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
    %16 = stablehlo.iota dim = 0 : tensor<2x2xi32>
    %17 = stablehlo.iota dim = 1 : tensor<2x2xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %19 = stablehlo.add %16, %18 : tensor<2x2xi32>
    %20 = stablehlo.compare EQ, %19, %17, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
    %21 = stablehlo.convert %20 : (tensor<2x2xi1>) -> tensor<2x2xf32>
    %cst_1 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<2x2xf32>
    %24 = stablehlo.add %15, %23 : tensor<2x2xf32>
    %25 = stablehlo.slice %24 [1:2, 1:2] : (tensor<2x2xf32>) -> tensor<1x1xf32>
    %26 = stablehlo.reshape %25 : (tensor<1x1xf32>) -> tensor<f32>
    %27 = stablehlo.slice %24 [0:1, 1:2] : (tensor<2x2xf32>) -> tensor<1x1xf32>
    %28 = stablehlo.reshape %27 : (tensor<1x1xf32>) -> tensor<f32>
    %29 = stablehlo.negate %28 : tensor<f32>
    %30 = stablehlo.slice %24 [1:2, 0:1] : (tensor<2x2xf32>) -> tensor<1x1xf32>
    %31 = stablehlo.reshape %30 : (tensor<1x1xf32>) -> tensor<f32>
    %32 = stablehlo.negate %31 : tensor<f32>
    %33 = stablehlo.slice %24 [0:1, 0:1] : (tensor<2x2xf32>) -> tensor<1x1xf32>
    %34 = stablehlo.reshape %33 : (tensor<1x1xf32>) -> tensor<f32>
    %35 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %36 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %37 = stablehlo.concatenate %35, %36, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %39 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %40 = stablehlo.broadcast_in_dim %34, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %41 = stablehlo.concatenate %39, %40, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %43 = stablehlo.concatenate %38, %42, dim = 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
    %44 = stablehlo.slice %24 [0:1, 0:1] : (tensor<2x2xf32>) -> tensor<1x1xf32>
    %45 = stablehlo.reshape %44 : (tensor<1x1xf32>) -> tensor<f32>
    %46 = stablehlo.slice %24 [1:2, 1:2] : (tensor<2x2xf32>) -> tensor<1x1xf32>
    %47 = stablehlo.reshape %46 : (tensor<1x1xf32>) -> tensor<f32>
    %48 = stablehlo.multiply %45, %47 : tensor<f32>
    %49 = stablehlo.slice %24 [0:1, 1:2] : (tensor<2x2xf32>) -> tensor<1x1xf32>
    %50 = stablehlo.reshape %49 : (tensor<1x1xf32>) -> tensor<f32>
    %51 = stablehlo.slice %24 [1:2, 0:1] : (tensor<2x2xf32>) -> tensor<1x1xf32>
    %52 = stablehlo.reshape %51 : (tensor<1x1xf32>) -> tensor<f32>
    %53 = stablehlo.multiply %50, %52 : tensor<f32>
    %54 = stablehlo.subtract %48, %53 : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %56 = stablehlo.divide %43, %55 : tensor<2x2xf32>
    %57 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
    %58 = stablehlo.dot_general %12, %57, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    %59 = stablehlo.dot_general %58, %56, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
    %60 = stablehlo.dot_general %arg1, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2xf32>
    %61 = stablehlo.subtract %arg4, %60 : tensor<2xf32>
    %62 = stablehlo.dot_general %59, %61, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4xf32>
    %63 = stablehlo.add %0, %62 : tensor<4xf32>
    %64 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %65 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %66 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %67 = stablehlo.add %64, %66 : tensor<4x4xi32>
    %68 = stablehlo.compare EQ, %67, %65, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %69 = stablehlo.convert %68 : (tensor<4x4xi1>) -> tensor<4x4xf32>
    %70 = stablehlo.dot_general %59, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %71 = stablehlo.subtract %69, %70 : tensor<4x4xf32>
    %72 = stablehlo.dot_general %71, %12, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %63, %72, %63 : tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<20x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<i32>) -> tensor<20x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<20x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<20x4xf32>
    return %1 : tensor<20x4xf32>
  }
}
