module @jit_augment_image attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<20x20x3xf32>, %arg1: tensor<2xi32>, %arg2: tensor<i1>, %arg3: tensor<f32>) -> (tensor<16x16x3xf32> {jax.result_info = "result[0]"}, tensor<16x16xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[2.990000e-01, 5.870000e-01, 1.140000e-01]> : tensor<3xf32>
    %0 = stablehlo.slice %arg1 [0:1] : (tensor<2xi32>) -> tensor<1xi32>
    %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
    %2 = stablehlo.slice %arg1 [1:2] : (tensor<2xi32>) -> tensor<1xi32>
    %3 = stablehlo.reshape %2 : (tensor<1xi32>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare LT, %1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<20> : tensor<i32>
    %5 = stablehlo.add %1, %c_0 : tensor<i32>
    %6 = stablehlo.select %4, %5, %1 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.compare LT, %3, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<20> : tensor<i32>
    %8 = stablehlo.add %3, %c_2 : tensor<i32>
    %9 = stablehlo.select %7, %8, %3 : tensor<i1>, tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.dynamic_slice %arg0, %6, %9, %c_3, sizes = [16, 16, 3] : (tensor<20x20x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x16x3xf32>
    %11 = stablehlo.convert %arg2 : (tensor<i1>) -> tensor<i32>
    %12 = "stablehlo.case"(%11) ({
      stablehlo.return %10 : tensor<16x16x3xf32>
    }, {
      %21 = stablehlo.reverse %10, dims = [1] : tensor<16x16x3xf32>
      stablehlo.return %21 : tensor<16x16x3xf32>
    }) : (tensor<i32>) -> tensor<16x16x3xf32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16x16x3xf32>
    %14 = stablehlo.subtract %12, %13 : tensor<16x16x3xf32>
    %15 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<16x16x3xf32>
    %16 = stablehlo.multiply %14, %15 : tensor<16x16x3xf32>
    %cst_5 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x16x3xf32>
    %18 = stablehlo.add %16, %17 : tensor<16x16x3xf32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %c_7 = stablehlo.constant dense<1> : tensor<i32>
    %19 = call @clip(%18, %c_6, %c_7) : (tensor<16x16x3xf32>, tensor<i32>, tensor<i32>) -> tensor<16x16x3xf32>
    %20 = stablehlo.dot_general %19, %cst, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x16x3xf32>, tensor<3xf32>) -> tensor<16x16xf32>
    return %19, %20 : tensor<16x16x3xf32>, tensor<16x16xf32>
  }
  func.func private @clip(%arg0: tensor<16x16x3xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<16x16x3xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<16x16x3xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<16x16x3xf32>
    %3 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<16x16x3xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<16x16x3xf32>
    return %5 : tensor<16x16x3xf32>
  }
}
