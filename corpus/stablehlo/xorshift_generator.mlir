module @jit_xorshift_generator attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xui32>) -> (tensor<8xui32> {jax.result_info = "result[0][0]"}, tensor<8xui32> {jax.result_info = "result[0][1]"}, tensor<10x8xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<1> : tensor<ui32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<8xui32>
    %1 = stablehlo.or %arg0, %0 : tensor<8xui32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<10x8xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3:4 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %1, %iterArg_2 = %arg0, %iterArg_3 = %2) : tensor<i32>, tensor<8xui32>, tensor<8xui32>, tensor<10x8xf32>
    cond {
      %c_4 = stablehlo.constant dense<10> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4:3 = func.call @closed_call(%iterArg_1, %iterArg_2) : (tensor<8xui32>, tensor<8xui32>) -> (tensor<8xui32>, tensor<8xui32>, tensor<8xf32>)
      %5 = func.call @dynamic_update_index_in_dim(%iterArg_3, %4#2, %iterArg) : (tensor<10x8xf32>, tensor<8xf32>, tensor<i32>) -> tensor<10x8xf32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %6 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      stablehlo.return %6, %4#0, %4#1, %5 : tensor<i32>, tensor<8xui32>, tensor<8xui32>, tensor<10x8xf32>
    }
    return %3#1, %3#2, %3#3 : tensor<8xui32>, tensor<8xui32>, tensor<10x8xf32>
  }
  func.func private @closed_call(%arg0: tensor<8xui32>, %arg1: tensor<8xui32>) -> (tensor<8xui32>, tensor<8xui32>, tensor<8xf32>) {
    %c = stablehlo.constant dense<13> : tensor<ui32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<8xui32>
    %1 = stablehlo.shift_left %arg0, %0 : tensor<8xui32>
    %2 = stablehlo.xor %arg0, %1 : tensor<8xui32>
    %c_0 = stablehlo.constant dense<17> : tensor<ui32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<8xui32>
    %4 = stablehlo.shift_right_logical %2, %3 : tensor<8xui32>
    %5 = stablehlo.xor %2, %4 : tensor<8xui32>
    %c_1 = stablehlo.constant dense<5> : tensor<ui32>
    %6 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<8xui32>
    %7 = stablehlo.shift_left %5, %6 : tensor<8xui32>
    %8 = stablehlo.xor %5, %7 : tensor<8xui32>
    %c_2 = stablehlo.constant dense<1664525> : tensor<ui32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<8xui32>
    %10 = stablehlo.multiply %arg1, %9 : tensor<8xui32>
    %c_3 = stablehlo.constant dense<1013904223> : tensor<ui32>
    %11 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<8xui32>
    %12 = stablehlo.add %10, %11 : tensor<8xui32>
    %13 = stablehlo.xor %8, %12 : tensor<8xui32>
    %14 = stablehlo.convert %13 : (tensor<8xui32>) -> tensor<8xf32>
    %cst = stablehlo.constant dense<2.32830644E-10> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %16 = stablehlo.multiply %14, %15 : tensor<8xf32>
    return %8, %12, %16 : tensor<8xui32>, tensor<8xui32>, tensor<8xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<10x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<i32>) -> tensor<10x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<10x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<10x8xf32>
    return %1 : tensor<10x8xf32>
  }
}
