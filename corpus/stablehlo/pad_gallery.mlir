module @jit_pad_gallery attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<5xi32>) -> (tensor<7x14xf32> {jax.result_info = "result[0]"}, tensor<3x6xf32> {jax.result_info = "result[1]"}, tensor<7x14xf32> {jax.result_info = "result[2]"}, tensor<8x10xf32> {jax.result_info = "result[3]"}, tensor<9xi32> {jax.result_info = "result[4]"}) {
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [1, 0], high = [2, 3], interior = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<7x14xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.pad %arg0, %cst_0, low = [-1, 2], high = [0, -2], interior = [0, 0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.pad %arg0, %cst_1, low = [-1, -2], high = [-2, 5], interior = [2, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<7x14xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = call @_pad(%arg0, %c) : (tensor<4x6xf32>, tensor<i32>) -> tensor<8x10xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %4 = call @_pad_1(%arg1, %c_2) : (tensor<5xi32>, tensor<i32>) -> tensor<9xi32>
    return %0, %1, %2, %3, %4 : tensor<7x14xf32>, tensor<3x6xf32>, tensor<7x14xf32>, tensor<8x10xf32>, tensor<9xi32>
  }
  func.func private @_pad(%arg0: tensor<4x6xf32>, %arg1: tensor<i32>) -> tensor<8x10xf32> {
    %0 = stablehlo.slice %arg0 [0:1, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
    %1 = stablehlo.slice %arg0 [1:3, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
    %2 = call @_flip(%1) : (tensor<2x6xf32>) -> tensor<2x6xf32>
    %3 = stablehlo.concatenate %2, %arg0, dim = 0 : (tensor<2x6xf32>, tensor<4x6xf32>) -> tensor<6x6xf32>
    %4 = stablehlo.slice %3 [5:6, 0:6] : (tensor<6x6xf32>) -> tensor<1x6xf32>
    %5 = stablehlo.slice %3 [3:5, 0:6] : (tensor<6x6xf32>) -> tensor<2x6xf32>
    %6 = call @_flip(%5) : (tensor<2x6xf32>) -> tensor<2x6xf32>
    %7 = stablehlo.concatenate %3, %6, dim = 0 : (tensor<6x6xf32>, tensor<2x6xf32>) -> tensor<8x6xf32>
    %8 = stablehlo.slice %7 [0:8, 0:1] : (tensor<8x6xf32>) -> tensor<8x1xf32>
    %9 = stablehlo.slice %7 [0:8, 1:3] : (tensor<8x6xf32>) -> tensor<8x2xf32>
    %10 = call @_flip_0(%9) : (tensor<8x2xf32>) -> tensor<8x2xf32>
    %11 = stablehlo.concatenate %10, %7, dim = 1 : (tensor<8x2xf32>, tensor<8x6xf32>) -> tensor<8x8xf32>
    %12 = stablehlo.slice %11 [0:8, 7:8] : (tensor<8x8xf32>) -> tensor<8x1xf32>
    %13 = stablehlo.slice %11 [0:8, 5:7] : (tensor<8x8xf32>) -> tensor<8x2xf32>
    %14 = call @_flip_0(%13) : (tensor<8x2xf32>) -> tensor<8x2xf32>
    %15 = stablehlo.concatenate %11, %14, dim = 1 : (tensor<8x8xf32>, tensor<8x2xf32>) -> tensor<8x10xf32>
    return %15 : tensor<8x10xf32>
  }
  func.func private @_flip(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<2x6xf32>
    return %0 : tensor<2x6xf32>
  }
  func.func private @_flip_0(%arg0: tensor<8x2xf32>) -> tensor<8x2xf32> {
    %0 = stablehlo.reverse %arg0, dims = [1] : tensor<8x2xf32>
    return %0 : tensor<8x2xf32>
  }
  func.func private @_pad_1(%arg0: tensor<5xi32>, %arg1: tensor<i32>) -> tensor<9xi32> {
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<5xi32>) -> tensor<1xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<1xi32>) -> tensor<1x1xi32>
    %2 = stablehlo.reshape %1 : (tensor<1x1xi32>) -> tensor<1xi32>
    %3 = stablehlo.slice %arg0 [4:5] : (tensor<5xi32>) -> tensor<1xi32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi32>) -> tensor<1x3xi32>
    %5 = stablehlo.reshape %4 : (tensor<1x3xi32>) -> tensor<3xi32>
    %6 = stablehlo.concatenate %2, %arg0, %5, dim = 0 : (tensor<1xi32>, tensor<5xi32>, tensor<3xi32>) -> tensor<9xi32>
    return %6 : tensor<9xi32>
  }
}
