module @jit_murmur_hash attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x16xui32>) -> (tensor<3xui32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x16xui32>) -> tensor<16x3xui32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %2:3 = stablehlo.while(%iterArg = %1, %iterArg_7 = %c_0, %iterArg_8 = %0) : tensor<16x3xui32>, tensor<i32>, tensor<3xui32>
    cond {
      %c_9 = stablehlo.constant dense<16> : tensor<i32>
      %18 = stablehlo.compare LT, %iterArg_7, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %18 : tensor<i1>
    } do {
      %18 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_7) : (tensor<16x3xui32>, tensor<i32>) -> tensor<3xui32>
      %19 = func.call @closed_call(%iterArg_8, %18) : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xui32>
      %c_9 = stablehlo.constant dense<1> : tensor<i32>
      %20 = stablehlo.add %iterArg_7, %c_9 : tensor<i32>
      stablehlo.return %iterArg, %20, %19 : tensor<16x3xui32>, tensor<i32>, tensor<3xui32>
    }
    %c_1 = stablehlo.constant dense<64> : tensor<ui32>
    %3 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %4 = stablehlo.xor %2#2, %3 : tensor<3xui32>
    %c_2 = stablehlo.constant dense<16> : tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %6 = stablehlo.shift_right_logical %4, %5 : tensor<3xui32>
    %7 = stablehlo.xor %4, %6 : tensor<3xui32>
    %c_3 = stablehlo.constant dense<2246822507> : tensor<ui32>
    %8 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %9 = stablehlo.multiply %7, %8 : tensor<3xui32>
    %c_4 = stablehlo.constant dense<13> : tensor<ui32>
    %10 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %11 = stablehlo.shift_right_logical %9, %10 : tensor<3xui32>
    %12 = stablehlo.xor %9, %11 : tensor<3xui32>
    %c_5 = stablehlo.constant dense<3266489909> : tensor<ui32>
    %13 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %14 = stablehlo.multiply %12, %13 : tensor<3xui32>
    %c_6 = stablehlo.constant dense<16> : tensor<ui32>
    %15 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %16 = stablehlo.shift_right_logical %14, %15 : tensor<3xui32>
    %17 = stablehlo.xor %14, %16 : tensor<3xui32>
    return %17 : tensor<3xui32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<16x3xui32>, %arg1: tensor<i32>) -> tensor<3xui32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 3] : (tensor<16x3xui32>, tensor<i32>, tensor<i32>) -> tensor<1x3xui32>
    %1 = stablehlo.reshape %0 : (tensor<1x3xui32>) -> tensor<3xui32>
    return %1 : tensor<3xui32>
  }
  func.func private @closed_call(%arg0: tensor<3xui32>, %arg1: tensor<3xui32>) -> tensor<3xui32> {
    %c = stablehlo.constant dense<3432918353> : tensor<ui32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %1 = stablehlo.multiply %arg1, %0 : tensor<3xui32>
    %c_0 = stablehlo.constant dense<15> : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %3 = stablehlo.shift_left %1, %2 : tensor<3xui32>
    %c_1 = stablehlo.constant dense<17> : tensor<ui32>
    %4 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %5 = stablehlo.shift_right_logical %1, %4 : tensor<3xui32>
    %6 = stablehlo.or %3, %5 : tensor<3xui32>
    %c_2 = stablehlo.constant dense<461845907> : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %8 = stablehlo.multiply %6, %7 : tensor<3xui32>
    %9 = stablehlo.xor %arg0, %8 : tensor<3xui32>
    %c_3 = stablehlo.constant dense<13> : tensor<ui32>
    %10 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %11 = stablehlo.shift_left %9, %10 : tensor<3xui32>
    %c_4 = stablehlo.constant dense<19> : tensor<ui32>
    %12 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %13 = stablehlo.shift_right_logical %9, %12 : tensor<3xui32>
    %14 = stablehlo.or %11, %13 : tensor<3xui32>
    %c_5 = stablehlo.constant dense<5> : tensor<ui32>
    %15 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %16 = stablehlo.multiply %14, %15 : tensor<3xui32>
    %c_6 = stablehlo.constant dense<3864292196> : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %18 = stablehlo.add %16, %17 : tensor<3xui32>
    return %18 : tensor<3xui32>
  }
}
