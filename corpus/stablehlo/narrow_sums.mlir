module @jit_narrow_sums attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x24xbf16>, %arg1: tensor<300xf16>) -> (tensor<16xbf16> {jax.result_info = "result[0]"}, tensor<bf16> {jax.result_info = "result[1]"}, tensor<f16> {jax.result_info = "result[2]"}, tensor<f16> {jax.result_info = "result[3]"}, tensor<24xbf16> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<16x24xbf16>) -> tensor<16x24xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.convert %1 : (tensor<16xf32>) -> tensor<16xbf16>
    %3 = stablehlo.convert %arg0 : (tensor<16x24xbf16>) -> tensor<16x24xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %5 = stablehlo.divide %4, %cst_1 : tensor<f32>
    %6 = stablehlo.convert %5 : (tensor<f32>) -> tensor<bf16>
    %7 = stablehlo.convert %arg1 : (tensor<300xf16>) -> tensor<300xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<300xf32>, tensor<f32>) -> tensor<f32>
    %9 = stablehlo.convert %8 : (tensor<f32>) -> tensor<f16>
    %cst_3 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %10 = stablehlo.reduce(%arg1 init: %cst_3) applies stablehlo.maximum across dimensions = [0] : (tensor<300xf16>, tensor<f16>) -> tensor<f16>
    %11 = stablehlo.slice %arg0 [0:1, 0:24] : (tensor<16x24xbf16>) -> tensor<1x24xbf16>
    %12 = stablehlo.reshape %11 : (tensor<1x24xbf16>) -> tensor<24xbf16>
    %13 = call @cumsum(%12) : (tensor<24xbf16>) -> tensor<24xbf16>
    return %2, %6, %9, %10, %13 : tensor<16xbf16>, tensor<bf16>, tensor<f16>, tensor<f16>, tensor<24xbf16>
  }
  func.func private @cumsum(%arg0: tensor<24xbf16>) -> tensor<24xbf16> {
    %0 = call @cumsum_0(%arg0) : (tensor<24xbf16>) -> tensor<24xbf16>
    return %0 : tensor<24xbf16>
  }
  func.func private @cumsum_0(%arg0: tensor<24xbf16>) -> tensor<24xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<bf16>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[23, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 24>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<bf16>, %arg2: tensor<bf16>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<bf16>
      stablehlo.return %2 : tensor<bf16>
    }) : (tensor<24xbf16>, tensor<bf16>) -> tensor<24xbf16>
    return %1 : tensor<24xbf16>
  }
}
