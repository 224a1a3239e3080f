module @jit_edge_detection attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x24xf32>) -> (tensor<24x24xf32> {jax.result_info = "result[0]"}, tensor<24x24xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[1.000000e+00, 2.000000e+00, 1.000000e+00], [0.000000e+00, 0.000000e+00, 0.000000e+00], [-1.000000e+00, -2.000000e+00, -1.000000e+00]]> : tensor<3x3xf32>
    %0 = stablehlo.transpose %cst, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [1, 2] : (tensor<3x3xf32>) -> tensor<1x3x3xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<3x3xf32>) -> tensor<1x3x3xf32>
    %3 = stablehlo.concatenate %1, %2, dim = 0 : (tensor<1x3x3xf32>, tensor<1x3x3xf32>) -> tensor<2x3x3xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 2, 3] : (tensor<2x3x3xf32>) -> tensor<2x1x3x3xf32>
    %5 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<24x24xf32>) -> tensor<1x1x24x24xf32>
    %6 = stablehlo.convolution(%5, %4) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x1x24x24xf32>, tensor<2x1x3x3xf32>) -> tensor<1x2x24x24xf32>
    %7 = stablehlo.reshape %6 : (tensor<1x2x24x24xf32>) -> tensor<2x24x24xf32>
    %8 = stablehlo.slice %7 [0:1, 0:24, 0:24] : (tensor<2x24x24xf32>) -> tensor<1x24x24xf32>
    %9 = stablehlo.reshape %8 : (tensor<1x24x24xf32>) -> tensor<24x24xf32>
    %10 = stablehlo.slice %7 [1:2, 0:24, 0:24] : (tensor<2x24x24xf32>) -> tensor<1x24x24xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x24x24xf32>) -> tensor<24x24xf32>
    %12 = call @hypot(%9, %11) : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %13 = stablehlo.slice %7 [0:1, 0:24, 0:24] : (tensor<2x24x24xf32>) -> tensor<1x24x24xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x24x24xf32>) -> tensor<24x24xf32>
    %15 = stablehlo.slice %7 [1:2, 0:24, 0:24] : (tensor<2x24x24xf32>) -> tensor<1x24x24xf32>
    %16 = stablehlo.reshape %15 : (tensor<1x24x24xf32>) -> tensor<24x24xf32>
    %17 = stablehlo.atan2 %14, %16 : tensor<24x24xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<f32>
    %19 = "stablehlo.reduce_window"(%12, %18) <{base_dilations = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %22 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %22 : tensor<f32>
    }) : (tensor<24x24xf32>, tensor<f32>) -> tensor<24x24xf32>
    %20 = stablehlo.compare EQ, %12, %19, FLOAT : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xi1>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %21 = call @_where_1(%20, %12, %c) : (tensor<24x24xi1>, tensor<24x24xf32>, tensor<i32>) -> tensor<24x24xf32>
    return %21, %17 : tensor<24x24xf32>, tensor<24x24xf32>
  }
  func.func private @hypot(%arg0: tensor<24x24xf32>, %arg1: tensor<24x24xf32>) -> tensor<24x24xf32> {
    %0 = stablehlo.abs %arg0 : tensor<24x24xf32>
    %1 = stablehlo.abs %arg1 : tensor<24x24xf32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x24xf32>
    %3 = stablehlo.compare EQ, %0, %2, FLOAT : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xi1>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24x24xf32>
    %5 = stablehlo.compare EQ, %1, %4, FLOAT : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xi1>
    %6 = stablehlo.or %3, %5 : tensor<24x24xi1>
    %7 = stablehlo.maximum %0, %1 : tensor<24x24xf32>
    %8 = stablehlo.minimum %0, %1 : tensor<24x24xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<24x24xf32>
    %10 = stablehlo.compare EQ, %7, %9, FLOAT : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<24x24xf32>
    %12 = stablehlo.compare EQ, %7, %11, FLOAT : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xi1>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<24x24xf32>
    %14 = call @_where(%12, %13, %7) : (tensor<24x24xi1>, tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %15 = stablehlo.divide %8, %14 : tensor<24x24xf32>
    %16 = chlo.square %15 : tensor<24x24xf32> -> tensor<24x24xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<24x24xf32>
    %18 = stablehlo.add %17, %16 : tensor<24x24xf32>
    %19 = stablehlo.sqrt %18 : tensor<24x24xf32>
    %20 = stablehlo.multiply %7, %19 : tensor<24x24xf32>
    %21 = call @_where(%10, %7, %20) : (tensor<24x24xi1>, tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %cst_5 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %22 = call @_where_0(%6, %cst_5, %21) : (tensor<24x24xi1>, tensor<f32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    return %22 : tensor<24x24xf32>
  }
  func.func private @_where(%arg0: tensor<24x24xi1>, %arg1: tensor<24x24xf32>, %arg2: tensor<24x24xf32>) -> tensor<24x24xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<24x24xi1>, tensor<24x24xf32>
    return %0 : tensor<24x24xf32>
  }
  func.func private @_where_0(%arg0: tensor<24x24xi1>, %arg1: tensor<f32>, %arg2: tensor<24x24xf32>) -> tensor<24x24xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<24x24xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<24x24xi1>, tensor<24x24xf32>
    return %1 : tensor<24x24xf32>
  }
  func.func private @_where_1(%arg0: tensor<24x24xi1>, %arg1: tensor<24x24xf32>, %arg2: tensor<i32>) -> tensor<24x24xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<24x24xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<24x24xi1>, tensor<24x24xf32>
    return %2 : tensor<24x24xf32>
  }
}
