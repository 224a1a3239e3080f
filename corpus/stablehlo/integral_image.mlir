module @jit_integral_image attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x16xui8>, %arg1: tensor<6x2xi32>) -> (tensor<6xi32> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<16x16xui8>) -> tensor<16x16xi32>
    %1 = call @cumsum(%0) : (tensor<16x16xi32>) -> tensor<16x16xi32>
    %2 = call @cumsum_1(%1) : (tensor<16x16xi32>) -> tensor<16x16xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = call @_pad(%2, %c) : (tensor<16x16xi32>, tensor<i32>) -> tensor<17x17xi32>
    %4 = stablehlo.slice %arg1 [0:6, 0:1] : (tensor<6x2xi32>) -> tensor<6x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<6x1xi32>) -> tensor<6xi32>
    %6 = stablehlo.slice %arg1 [0:6, 1:2] : (tensor<6x2xi32>) -> tensor<6x1xi32>
    %7 = stablehlo.reshape %6 : (tensor<6x1xi32>) -> tensor<6xi32>
    %c_0 = stablehlo.constant dense<8> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %9 = stablehlo.add %5, %8 : tensor<6xi32>
    %c_1 = stablehlo.constant dense<8> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %11 = stablehlo.add %7, %10 : tensor<6xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %13 = stablehlo.compare LT, %9, %12, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_3 = stablehlo.constant dense<17> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %15 = stablehlo.add %9, %14 : tensor<6xi32>
    %16 = stablehlo.select %13, %15, %9 : tensor<6xi1>, tensor<6xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %18 = stablehlo.compare LT, %11, %17, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_5 = stablehlo.constant dense<17> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %20 = stablehlo.add %11, %19 : tensor<6xi32>
    %21 = stablehlo.select %18, %20, %11 : tensor<6xi1>, tensor<6xi32>
    %22 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %23 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %24 = stablehlo.concatenate %22, %23, dim = 1 : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x2xi32>
    %25 = "stablehlo.gather"(%3, %24) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<17x17xi32>, tensor<6x2xi32>) -> tensor<6xi32>
    %c_6 = stablehlo.constant dense<8> : tensor<i32>
    %26 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %27 = stablehlo.add %7, %26 : tensor<6xi32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %29 = stablehlo.compare LT, %5, %28, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_8 = stablehlo.constant dense<17> : tensor<i32>
    %30 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %31 = stablehlo.add %5, %30 : tensor<6xi32>
    %32 = stablehlo.select %29, %31, %5 : tensor<6xi1>, tensor<6xi32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %33 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %34 = stablehlo.compare LT, %27, %33, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_10 = stablehlo.constant dense<17> : tensor<i32>
    %35 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %36 = stablehlo.add %27, %35 : tensor<6xi32>
    %37 = stablehlo.select %34, %36, %27 : tensor<6xi1>, tensor<6xi32>
    %38 = stablehlo.broadcast_in_dim %32, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %39 = stablehlo.broadcast_in_dim %37, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %40 = stablehlo.concatenate %38, %39, dim = 1 : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x2xi32>
    %41 = "stablehlo.gather"(%3, %40) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<17x17xi32>, tensor<6x2xi32>) -> tensor<6xi32>
    %42 = stablehlo.subtract %25, %41 : tensor<6xi32>
    %c_11 = stablehlo.constant dense<8> : tensor<i32>
    %43 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %44 = stablehlo.add %5, %43 : tensor<6xi32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %45 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %46 = stablehlo.compare LT, %44, %45, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_13 = stablehlo.constant dense<17> : tensor<i32>
    %47 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %48 = stablehlo.add %44, %47 : tensor<6xi32>
    %49 = stablehlo.select %46, %48, %44 : tensor<6xi1>, tensor<6xi32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %50 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %51 = stablehlo.compare LT, %7, %50, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_15 = stablehlo.constant dense<17> : tensor<i32>
    %52 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %53 = stablehlo.add %7, %52 : tensor<6xi32>
    %54 = stablehlo.select %51, %53, %7 : tensor<6xi1>, tensor<6xi32>
    %55 = stablehlo.broadcast_in_dim %49, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %56 = stablehlo.broadcast_in_dim %54, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %57 = stablehlo.concatenate %55, %56, dim = 1 : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x2xi32>
    %58 = "stablehlo.gather"(%3, %57) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<17x17xi32>, tensor<6x2xi32>) -> tensor<6xi32>
    %59 = stablehlo.subtract %42, %58 : tensor<6xi32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %60 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %61 = stablehlo.compare LT, %5, %60, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_17 = stablehlo.constant dense<17> : tensor<i32>
    %62 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %63 = stablehlo.add %5, %62 : tensor<6xi32>
    %64 = stablehlo.select %61, %63, %5 : tensor<6xi1>, tensor<6xi32>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %65 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %66 = stablehlo.compare LT, %7, %65, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_19 = stablehlo.constant dense<17> : tensor<i32>
    %67 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %68 = stablehlo.add %7, %67 : tensor<6xi32>
    %69 = stablehlo.select %66, %68, %7 : tensor<6xi1>, tensor<6xi32>
    %70 = stablehlo.broadcast_in_dim %64, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %71 = stablehlo.broadcast_in_dim %69, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %72 = stablehlo.concatenate %70, %71, dim = 1 : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x2xi32>
    %73 = "stablehlo.gather"(%3, %72) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<17x17xi32>, tensor<6x2xi32>) -> tensor<6xi32>
    %74 = stablehlo.add %59, %73 : tensor<6xi32>
    return %74 : tensor<6xi32>
  }
  func.func private @cumsum(%arg0: tensor<16x16xi32>) -> tensor<16x16xi32> {
    %0 = call @cumsum_0(%arg0) : (tensor<16x16xi32>) -> tensor<16x16xi32>
    return %0 : tensor<16x16xi32>
  }
  func.func private @cumsum_0(%arg0: tensor<16x16xi32>) -> tensor<16x16xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[15, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 16, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<16x16xi32>, tensor<i32>) -> tensor<16x16xi32>
    return %1 : tensor<16x16xi32>
  }
  func.func private @cumsum_1(%arg0: tensor<16x16xi32>) -> tensor<16x16xi32> {
    %0 = call @cumsum_2(%arg0) : (tensor<16x16xi32>) -> tensor<16x16xi32>
    return %0 : tensor<16x16xi32>
  }
  func.func private @cumsum_2(%arg0: tensor<16x16xi32>) -> tensor<16x16xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [15, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 16>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<16x16xi32>, tensor<i32>) -> tensor<16x16xi32>
    return %1 : tensor<16x16xi32>
  }
  func.func private @_pad(%arg0: tensor<16x16xi32>, %arg1: tensor<i32>) -> tensor<17x17xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.pad %arg0, %0, low = [1, 1], high = [0, 0], interior = [0, 0] : (tensor<16x16xi32>, tensor<i32>) -> tensor<17x17xi32>
    return %1 : tensor<17x17xi32>
  }
}
