module @jit_base64_text attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24xui8>) -> (tensor<32xui8> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<[43, 47]> : tensor<2xi32>
    %0 = stablehlo.reshape %arg0 : (tensor<24xui8>) -> tensor<8x3xui8>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x3xui8>) -> tensor<3x8xui8>
    %2 = stablehlo.slice %1 [0:1, 0:8] : (tensor<3x8xui8>) -> tensor<1x8xui8>
    %3 = stablehlo.reshape %2 : (tensor<1x8xui8>) -> tensor<8xui8>
    %4 = stablehlo.slice %1 [1:2, 0:8] : (tensor<3x8xui8>) -> tensor<1x8xui8>
    %5 = stablehlo.reshape %4 : (tensor<1x8xui8>) -> tensor<8xui8>
    %6 = stablehlo.slice %1 [2:3, 0:8] : (tensor<3x8xui8>) -> tensor<1x8xui8>
    %7 = stablehlo.reshape %6 : (tensor<1x8xui8>) -> tensor<8xui8>
    %c_0 = stablehlo.constant dense<2> : tensor<ui8>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui8>) -> tensor<8xui8>
    %9 = stablehlo.shift_right_logical %3, %8 : tensor<8xui8>
    %c_1 = stablehlo.constant dense<4> : tensor<ui8>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui8>) -> tensor<8xui8>
    %11 = stablehlo.shift_left %3, %10 : tensor<8xui8>
    %c_2 = stablehlo.constant dense<4> : tensor<ui8>
    %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui8>) -> tensor<8xui8>
    %13 = stablehlo.shift_right_logical %5, %12 : tensor<8xui8>
    %14 = stablehlo.or %11, %13 : tensor<8xui8>
    %c_3 = stablehlo.constant dense<63> : tensor<ui8>
    %15 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui8>) -> tensor<8xui8>
    %16 = stablehlo.and %14, %15 : tensor<8xui8>
    %c_4 = stablehlo.constant dense<2> : tensor<ui8>
    %17 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui8>) -> tensor<8xui8>
    %18 = stablehlo.shift_left %5, %17 : tensor<8xui8>
    %c_5 = stablehlo.constant dense<6> : tensor<ui8>
    %19 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui8>) -> tensor<8xui8>
    %20 = stablehlo.shift_right_logical %7, %19 : tensor<8xui8>
    %21 = stablehlo.or %18, %20 : tensor<8xui8>
    %c_6 = stablehlo.constant dense<63> : tensor<ui8>
    %22 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<ui8>) -> tensor<8xui8>
    %23 = stablehlo.and %21, %22 : tensor<8xui8>
    %c_7 = stablehlo.constant dense<63> : tensor<ui8>
    %24 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<ui8>) -> tensor<8xui8>
    %25 = stablehlo.and %7, %24 : tensor<8xui8>
    %26 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<8xui8>) -> tensor<8x1xui8>
    %27 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<8xui8>) -> tensor<8x1xui8>
    %28 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<8xui8>) -> tensor<8x1xui8>
    %29 = stablehlo.broadcast_in_dim %25, dims = [0] : (tensor<8xui8>) -> tensor<8x1xui8>
    %30 = stablehlo.concatenate %26, %27, %28, %29, dim = 1 : (tensor<8x1xui8>, tensor<8x1xui8>, tensor<8x1xui8>, tensor<8x1xui8>) -> tensor<8x4xui8>
    %31 = stablehlo.reshape %30 : (tensor<8x4xui8>) -> tensor<32xui8>
    %32 = stablehlo.iota dim = 0 : tensor<26xi32>
    %c_8 = stablehlo.constant dense<65> : tensor<i32>
    %33 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<26xi32>
    %34 = stablehlo.add %33, %32 : tensor<26xi32>
    %35 = stablehlo.iota dim = 0 : tensor<26xi32>
    %c_9 = stablehlo.constant dense<97> : tensor<i32>
    %36 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<26xi32>
    %37 = stablehlo.add %36, %35 : tensor<26xi32>
    %38 = stablehlo.iota dim = 0 : tensor<10xi32>
    %c_10 = stablehlo.constant dense<48> : tensor<i32>
    %39 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<10xi32>
    %40 = stablehlo.add %39, %38 : tensor<10xi32>
    %41 = stablehlo.concatenate %34, %37, %40, %c, dim = 0 : (tensor<26xi32>, tensor<26xi32>, tensor<10xi32>, tensor<2xi32>) -> tensor<64xi32>
    %42 = stablehlo.convert %41 : (tensor<64xi32>) -> tensor<64xui8>
    %43 = stablehlo.convert %31 : (tensor<32xui8>) -> tensor<32xi32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %45 = "stablehlo.gather"(%42, %44) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<64xui8>, tensor<32x1xi32>) -> tensor<32xui8>
    return %45 : tensor<32xui8>
  }
}
