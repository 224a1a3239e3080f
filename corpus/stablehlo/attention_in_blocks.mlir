module @jit_attention_in_blocks attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x8xf32>, %arg1: tensor<32x8xf32>, %arg2: tensor<32x8xf32>) -> (tensor<16x8xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %3 = stablehlo.reshape %arg1 : (tensor<32x8xf32>) -> tensor<4x8x8xf32>
    %4 = stablehlo.reshape %arg2 : (tensor<32x8xf32>) -> tensor<4x8x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5:7 = stablehlo.while(%iterArg = %3, %iterArg_2 = %4, %iterArg_3 = %arg0, %iterArg_4 = %c, %iterArg_5 = %0, %iterArg_6 = %1, %iterArg_7 = %2) : tensor<4x8x8xf32>, tensor<4x8x8xf32>, tensor<16x8xf32>, tensor<i32>, tensor<16xf32>, tensor<16xf32>, tensor<16x8xf32>
    cond {
      %c_8 = stablehlo.constant dense<4> : tensor<i32>
      %9 = stablehlo.compare LT, %iterArg_4, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %9 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_4) : (tensor<4x8x8xf32>, tensor<i32>) -> tensor<8x8xf32>
      %10 = func.call @dynamic_index_in_dim(%iterArg_2, %iterArg_4) : (tensor<4x8x8xf32>, tensor<i32>) -> tensor<8x8xf32>
      %11:3 = func.call @closed_call(%iterArg_3, %iterArg_5, %iterArg_6, %iterArg_7, %9, %10) : (tensor<16x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16x8xf32>)
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %12 = stablehlo.add %iterArg_4, %c_8 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_2, %iterArg_3, %12, %11#0, %11#1, %11#2 : tensor<4x8x8xf32>, tensor<4x8x8xf32>, tensor<16x8xf32>, tensor<i32>, tensor<16xf32>, tensor<16xf32>, tensor<16x8xf32>
    }
    %6 = stablehlo.broadcast_in_dim %5#5, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x8xf32>
    %8 = stablehlo.divide %5#6, %7 : tensor<16x8xf32>
    return %8 : tensor<16x8xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4x8x8xf32>, %arg1: tensor<i32>) -> tensor<8x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 8, 8] : (tensor<4x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
  func.func private @closed_call(%arg0: tensor<16x8xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16x8xf32>, %arg4: tensor<8x8xf32>, %arg5: tensor<8x8xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16x8xf32>) {
    %0 = stablehlo.transpose %arg4, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    %cst = stablehlo.constant dense<0.353553385> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<16x8xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
    %5 = stablehlo.convert %arg1 : tensor<16xf32>
    %6 = stablehlo.maximum %5, %4 : tensor<16xf32>
    %7 = stablehlo.convert %arg1 : tensor<16xf32>
    %8 = stablehlo.subtract %7, %6 : tensor<16xf32>
    %9 = stablehlo.exponential %8 : tensor<16xf32>
    %10 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x8xf32>
    %12 = stablehlo.subtract %3, %11 : tensor<16x8xf32>
    %13 = stablehlo.exponential %12 : tensor<16x8xf32>
    %14 = stablehlo.multiply %arg2, %9 : tensor<16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%13 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<16x8xf32>, tensor<f32>) -> tensor<16xf32>
    %16 = stablehlo.add %14, %15 : tensor<16xf32>
    %17 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x8xf32>
    %19 = stablehlo.multiply %arg3, %18 : tensor<16x8xf32>
    %20 = stablehlo.dot_general %13, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    %21 = stablehlo.add %19, %20 : tensor<16x8xf32>
    return %6, %16, %21 : tensor<16xf32>, tensor<16xf32>, tensor<16x8xf32>
  }
}
