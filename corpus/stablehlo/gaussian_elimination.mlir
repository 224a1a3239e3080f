module @jit_gaussian_elimination attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x2xf32>) -> (tensor<8x2xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 1 : (tensor<8x8xf32>, tensor<8x2xf32>) -> tensor<8x10xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:3 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %c, %iterArg_2 = %0) : tensor<i32>, tensor<i32>, tensor<8x10xf32>
    cond {
      %c_3 = stablehlo.constant dense<8> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3:2 = func.call @closed_call(%iterArg_1, %iterArg_2) : (tensor<i32>, tensor<8x10xf32>) -> (tensor<i32>, tensor<8x10xf32>)
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      stablehlo.return %4, %3#0, %3#1 : tensor<i32>, tensor<i32>, tensor<8x10xf32>
    }
    %2 = stablehlo.slice %1#2 [0:8, 8:10] : (tensor<8x10xf32>) -> tensor<8x2xf32>
    return %2 : tensor<8x2xf32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<8x10xf32>) -> (tensor<i32>, tensor<8x10xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.iota dim = 0 : tensor<8xi32>
    %2 = stablehlo.convert %arg0 : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %4 = stablehlo.compare GE, %1, %3, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %5 = stablehlo.convert %arg0 : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.compare LT, %c_0, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<8> : tensor<i32>
    %7 = stablehlo.add %c_2, %c_3 : tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.select %6, %7, %c_4 : tensor<i1>, tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %5, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_6 = stablehlo.constant dense<10> : tensor<i32>
    %10 = stablehlo.add %5, %c_6 : tensor<i32>
    %11 = stablehlo.select %9, %10, %5 : tensor<i1>, tensor<i32>
    %12 = stablehlo.dynamic_slice %arg1, %8, %11, sizes = [8, 1] : (tensor<8x10xf32>, tensor<i32>, tensor<i32>) -> tensor<8x1xf32>
    %13 = stablehlo.reshape %12 : (tensor<8x1xf32>) -> tensor<8xf32>
    %14 = stablehlo.abs %13 : tensor<8xf32>
    %c_7 = stablehlo.constant dense<-1> : tensor<i32>
    %15 = call @_where(%4, %14, %c_7) : (tensor<8xi1>, tensor<8xf32>, tensor<i32>) -> tensor<8xf32>
    %16 = call @argmax(%15) : (tensor<8xf32>) -> tensor<i32>
    %17 = stablehlo.convert %arg0 : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %19 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %20 = stablehlo.concatenate %18, %19, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %21 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %22 = stablehlo.convert %arg0 : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %24 = stablehlo.concatenate %21, %23, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %26 = stablehlo.compare LT, %24, %25, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_9 = stablehlo.constant dense<8> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %28 = stablehlo.add %24, %27 : tensor<2xi32>
    %29 = stablehlo.select %26, %28, %24 : tensor<2xi1>, tensor<2xi32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %31 = "stablehlo.gather"(%arg1, %30) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 10>}> : (tensor<8x10xf32>, tensor<2x1xi32>) -> tensor<2x10xf32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %32 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %33 = stablehlo.compare LT, %20, %32, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_11 = stablehlo.constant dense<8> : tensor<i32>
    %34 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %35 = stablehlo.add %20, %34 : tensor<2xi32>
    %36 = stablehlo.select %33, %35, %20 : tensor<2xi1>, tensor<2xi32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %38 = "stablehlo.scatter"(%arg1, %37, %31) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      stablehlo.return %arg3 : tensor<f32>
    }) : (tensor<8x10xf32>, tensor<2x1xi32>, tensor<2x10xf32>) -> tensor<8x10xf32>
    %39 = stablehlo.convert %arg0 : tensor<i32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %40 = stablehlo.compare LT, %39, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_13 = stablehlo.constant dense<8> : tensor<i32>
    %41 = stablehlo.add %39, %c_13 : tensor<i32>
    %42 = stablehlo.select %40, %41, %39 : tensor<i1>, tensor<i32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %43 = stablehlo.compare LT, %c_14, %c_15, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %c_17 = stablehlo.constant dense<10> : tensor<i32>
    %44 = stablehlo.add %c_16, %c_17 : tensor<i32>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %45 = stablehlo.select %43, %44, %c_18 : tensor<i1>, tensor<i32>
    %46 = stablehlo.dynamic_slice %38, %42, %45, sizes = [1, 10] : (tensor<8x10xf32>, tensor<i32>, tensor<i32>) -> tensor<1x10xf32>
    %47 = stablehlo.reshape %46 : (tensor<1x10xf32>) -> tensor<10xf32>
    %48 = stablehlo.convert %arg0 : tensor<i32>
    %49 = stablehlo.convert %arg0 : tensor<i32>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %50 = stablehlo.compare LT, %48, %c_19, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_20 = stablehlo.constant dense<8> : tensor<i32>
    %51 = stablehlo.add %48, %c_20 : tensor<i32>
    %52 = stablehlo.select %50, %51, %48 : tensor<i1>, tensor<i32>
    %c_21 = stablehlo.constant dense<0> : tensor<i32>
    %53 = stablehlo.compare LT, %49, %c_21, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_22 = stablehlo.constant dense<10> : tensor<i32>
    %54 = stablehlo.add %49, %c_22 : tensor<i32>
    %55 = stablehlo.select %53, %54, %49 : tensor<i1>, tensor<i32>
    %56 = stablehlo.dynamic_slice %38, %52, %55, sizes = [1, 1] : (tensor<8x10xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf32>
    %57 = stablehlo.reshape %56 : (tensor<1x1xf32>) -> tensor<f32>
    %58 = stablehlo.broadcast_in_dim %57, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %59 = stablehlo.divide %47, %58 : tensor<10xf32>
    %60 = stablehlo.convert %arg0 : tensor<i32>
    %c_23 = stablehlo.constant dense<0> : tensor<i32>
    %c_24 = stablehlo.constant dense<0> : tensor<i32>
    %61 = stablehlo.compare LT, %c_23, %c_24, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_25 = stablehlo.constant dense<0> : tensor<i32>
    %c_26 = stablehlo.constant dense<8> : tensor<i32>
    %62 = stablehlo.add %c_25, %c_26 : tensor<i32>
    %c_27 = stablehlo.constant dense<0> : tensor<i32>
    %63 = stablehlo.select %61, %62, %c_27 : tensor<i1>, tensor<i32>
    %c_28 = stablehlo.constant dense<0> : tensor<i32>
    %64 = stablehlo.compare LT, %60, %c_28, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_29 = stablehlo.constant dense<10> : tensor<i32>
    %65 = stablehlo.add %60, %c_29 : tensor<i32>
    %66 = stablehlo.select %64, %65, %60 : tensor<i1>, tensor<i32>
    %67 = stablehlo.dynamic_slice %38, %63, %66, sizes = [8, 1] : (tensor<8x10xf32>, tensor<i32>, tensor<i32>) -> tensor<8x1xf32>
    %68 = stablehlo.reshape %67 : (tensor<8x1xf32>) -> tensor<8xf32>
    %69 = stablehlo.broadcast_in_dim %68, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %70 = stablehlo.broadcast_in_dim %59, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %71 = stablehlo.broadcast_in_dim %69, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x10xf32>
    %72 = stablehlo.broadcast_in_dim %70, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<8x10xf32>
    %73 = stablehlo.multiply %71, %72 : tensor<8x10xf32>
    %74 = stablehlo.subtract %38, %73 : tensor<8x10xf32>
    %c_30 = stablehlo.constant dense<0> : tensor<i32>
    %75 = stablehlo.compare LT, %arg0, %c_30, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_31 = stablehlo.constant dense<8> : tensor<i32>
    %76 = stablehlo.add %arg0, %c_31 : tensor<i32>
    %77 = stablehlo.select %75, %76, %arg0 : tensor<i1>, tensor<i32>
    %78 = stablehlo.convert %77 : tensor<i32>
    %79 = stablehlo.broadcast_in_dim %78, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %80 = "stablehlo.scatter"(%74, %79, %59) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      stablehlo.return %arg3 : tensor<f32>
    }) : (tensor<8x10xf32>, tensor<1xi32>, tensor<10xf32>) -> tensor<8x10xf32>
    return %0, %80 : tensor<i32>, tensor<8x10xf32>
  }
  func.func private @_where(%arg0: tensor<8xi1>, %arg1: tensor<8xf32>, %arg2: tensor<i32>) -> tensor<8xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<8xi1>, tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @argmax(%arg0: tensor<8xf32>) -> tensor<i32> {
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<8xf32>, tensor<8xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<i32>
  }
}
