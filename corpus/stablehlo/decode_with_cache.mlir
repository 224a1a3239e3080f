module @jit_decode_with_cache attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x4x8xf32>, %arg1: tensor<24x4x8xf32>, %arg2: tensor<24x4x8xf32>, %arg3: tensor<1x4x8xf32>, %arg4: tensor<1x4x8xf32>, %arg5: tensor<i32>) -> (tensor<1x4x8xf32> {jax.result_info = "result[0]"}, tensor<24x4x8xf32> {jax.result_info = "result[1]"}, tensor<24x4x8xf32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg5, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<24> : tensor<i32>
    %1 = stablehlo.add %arg5, %c_0 : tensor<i32>
    %2 = stablehlo.select %0, %1, %arg5 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.dynamic_update_slice %arg1, %arg3, %2, %c_1, %c_2 : (tensor<24x4x8xf32>, tensor<1x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<24x4x8xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare LT, %arg5, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_4 = stablehlo.constant dense<24> : tensor<i32>
    %5 = stablehlo.add %arg5, %c_4 : tensor<i32>
    %6 = stablehlo.select %4, %5, %arg5 : tensor<i1>, tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.dynamic_update_slice %arg2, %arg4, %6, %c_5, %c_6 : (tensor<24x4x8xf32>, tensor<1x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<24x4x8xf32>
    %8 = stablehlo.dot_general %arg0, %3, batching_dims = [1] x [1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x4x8xf32>, tensor<24x4x8xf32>) -> tensor<4x1x24xf32>
    %cst = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %9 = stablehlo.sqrt %cst : tensor<f32>
    %10 = stablehlo.convert %9 : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<4x1x24xf32>
    %12 = stablehlo.divide %8, %11 : tensor<4x1x24xf32>
    %13 = stablehlo.iota dim = 0 : tensor<24xi32>
    %14 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<i32>) -> tensor<24xi32>
    %15 = stablehlo.compare LE, %13, %14, SIGNED : (tensor<24xi32>, tensor<24xi32>) -> tensor<24xi1>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %16 = call @_where(%15, %12, %cst_7) : (tensor<24xi1>, tensor<4x1x24xf32>, tensor<f32>) -> tensor<4x1x24xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_8) applies stablehlo.maximum across dimensions = [2] : (tensor<4x1x24xf32>, tensor<f32>) -> tensor<4x1xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %19 = stablehlo.maximum %18, %17 : tensor<4x1xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<4x1x1xf32>) -> tensor<4x1x24xf32>
    %22 = stablehlo.subtract %16, %21 : tensor<4x1x24xf32>
    %23 = stablehlo.exponential %22 : tensor<4x1x24xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.reduce(%23 init: %cst_10) applies stablehlo.add across dimensions = [2] : (tensor<4x1x24xf32>, tensor<f32>) -> tensor<4x1xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<4x1x1xf32>) -> tensor<4x1x24xf32>
    %27 = stablehlo.divide %23, %26 : tensor<4x1x24xf32>
    %28 = stablehlo.dot_general %7, %27, batching_dims = [1] x [0], contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<24x4x8xf32>, tensor<4x1x24xf32>) -> tensor<4x8x1xf32>
    %29 = stablehlo.transpose %28, dims = [2, 0, 1] : (tensor<4x8x1xf32>) -> tensor<1x4x8xf32>
    return %29, %3, %7 : tensor<1x4x8xf32>, tensor<24x4x8xf32>, tensor<24x4x8xf32>
  }
  func.func private @_where(%arg0: tensor<24xi1>, %arg1: tensor<4x1x24xf32>, %arg2: tensor<f32>) -> tensor<4x1x24xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<24xi1>) -> tensor<4x1x24xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x1x24xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<4x1x24xi1>, tensor<4x1x24xf32>
    return %3 : tensor<4x1x24xf32>
  }
}
