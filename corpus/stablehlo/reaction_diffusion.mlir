module @jit_reaction_diffusion attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x16xf32>, %arg1: tensor<16x16xf32>) -> (tensor<16x16xf32> {jax.result_info = "result[0]"}, tensor<16x16xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[5.000000e-02, 2.000000e-01, 5.000000e-02], [2.000000e-01, -1.000000e+00, 2.000000e-01], [5.000000e-02, 2.000000e-01, 5.000000e-02]]> : tensor<3x3xf32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [2, 3] : (tensor<3x3xf32>) -> tensor<1x1x3x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:5 = stablehlo.while(%iterArg = %0, %iterArg_1 = %c_0, %iterArg_2 = %c, %iterArg_3 = %arg0, %iterArg_4 = %arg1) : tensor<1x1x3x3xf32>, tensor<i32>, tensor<i32>, tensor<16x16xf32>, tensor<16x16xf32>
    cond {
      %c_5 = stablehlo.constant dense<6> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_1, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2:3 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_3, %iterArg_4) : (tensor<1x1x3x3xf32>, tensor<i32>, tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<i32>, tensor<16x16xf32>, tensor<16x16xf32>)
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg_1, %c_5 : tensor<i32>
      stablehlo.return %iterArg, %3, %2#0, %2#1, %2#2 : tensor<1x1x3x3xf32>, tensor<i32>, tensor<i32>, tensor<16x16xf32>, tensor<16x16xf32>
    }
    return %1#3, %1#4 : tensor<16x16xf32>, tensor<16x16xf32>
  }
  func.func private @closed_call(%arg0: tensor<1x1x3x3xf32>, %arg1: tensor<i32>, %arg2: tensor<16x16xf32>, %arg3: tensor<16x16xf32>) -> (tensor<i32>, tensor<16x16xf32>, tensor<16x16xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %1 = stablehlo.multiply %arg2, %arg3 : tensor<16x16xf32>
    %2 = stablehlo.multiply %1, %arg3 : tensor<16x16xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = call @_pad(%arg2, %c_0) : (tensor<16x16xf32>, tensor<i32>) -> tensor<18x18xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [2, 3] : (tensor<18x18xf32>) -> tensor<1x1x18x18xf32>
    %5 = stablehlo.convolution(%4, %arg0) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x1x18x18xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x16x16xf32>
    %6 = stablehlo.reshape %5 : (tensor<1x1x16x16xf32>) -> tensor<16x16xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<16x16xf32>
    %8 = stablehlo.subtract %7, %2 : tensor<16x16xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %10 = stablehlo.subtract %9, %arg2 : tensor<16x16xf32>
    %cst_1 = stablehlo.constant dense<3.500000e-02> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %12 = stablehlo.multiply %11, %10 : tensor<16x16xf32>
    %13 = stablehlo.add %8, %12 : tensor<16x16xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %14 = call @_pad(%arg3, %c_2) : (tensor<16x16xf32>, tensor<i32>) -> tensor<18x18xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [2, 3] : (tensor<18x18xf32>) -> tensor<1x1x18x18xf32>
    %16 = stablehlo.convolution(%15, %arg0) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x1x18x18xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x16x16xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x1x16x16xf32>) -> tensor<16x16xf32>
    %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<16x16xf32>
    %20 = stablehlo.add %arg3, %19 : tensor<16x16xf32>
    %21 = stablehlo.add %20, %2 : tensor<16x16xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %23 = stablehlo.multiply %22, %arg3 : tensor<16x16xf32>
    %24 = stablehlo.subtract %21, %23 : tensor<16x16xf32>
    return %0, %13, %24 : tensor<i32>, tensor<16x16xf32>, tensor<16x16xf32>
  }
  func.func private @_pad(%arg0: tensor<16x16xf32>, %arg1: tensor<i32>) -> tensor<18x18xf32> {
    %0 = stablehlo.slice %arg0 [15:16, 0:16] : (tensor<16x16xf32>) -> tensor<1x16xf32>
    %1 = stablehlo.slice %arg0 [0:1, 0:16] : (tensor<16x16xf32>) -> tensor<1x16xf32>
    %2 = stablehlo.concatenate %0, %arg0, %1, dim = 0 : (tensor<1x16xf32>, tensor<16x16xf32>, tensor<1x16xf32>) -> tensor<18x16xf32>
    %3 = stablehlo.slice %2 [0:18, 15:16] : (tensor<18x16xf32>) -> tensor<18x1xf32>
    %4 = stablehlo.slice %2 [0:18, 0:1] : (tensor<18x16xf32>) -> tensor<18x1xf32>
    %5 = stablehlo.concatenate %3, %2, %4, dim = 1 : (tensor<18x1xf32>, tensor<18x16xf32>, tensor<18x1xf32>) -> tensor<18x18xf32>
    return %5 : tensor<18x18xf32>
  }
}
