module @jit_integers_u8 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<19xui8>, %arg1: tensor<19xui8>, %arg2: tensor<19xui8>) -> (tensor<19xui8> {jax.result_info = "result[0]"}, tensor<19xui8> {jax.result_info = "result[1]"}, tensor<19xui8> {jax.result_info = "result[2]"}, tensor<19xui8> {jax.result_info = "result[3]"}, tensor<19xui8> {jax.result_info = "result[4]"}, tensor<19xui8> {jax.result_info = "result[5]"}, tensor<19xui8> {jax.result_info = "result[6]"}, tensor<19xui8> {jax.result_info = "result[7]"}, tensor<19xui8> {jax.result_info = "result[8]"}, tensor<19xui8> {jax.result_info = "result[9]"}, tensor<19xui8> {jax.result_info = "result[10]"}, tensor<19xui8> {jax.result_info = "result[11]"}, tensor<19xui8> {jax.result_info = "result[12]"}, tensor<19xui8> {jax.result_info = "result[13]"}, tensor<19xui8> {jax.result_info = "result[14]"}, tensor<19xui8> {jax.result_info = "result[15]"}, tensor<19xui8> {jax.result_info = "result[16]"}, tensor<19xui8> {jax.result_info = "result[17]"}, tensor<19xui8> {jax.result_info = "result[18]"}, tensor<19xui8> {jax.result_info = "result[19]"}, tensor<19xui8> {jax.result_info = "result[20]"}, tensor<19xui8> {jax.result_info = "result[21]"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<19xui8>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<19xui8>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<19xui8>
    %3 = stablehlo.divide %arg0, %arg1 : tensor<19xui8>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<19xui8>
    %5 = stablehlo.maximum %arg0, %arg1 : tensor<19xui8>
    %6 = stablehlo.minimum %arg0, %arg1 : tensor<19xui8>
    %7 = stablehlo.negate %arg0 : tensor<19xui8>
    %c = stablehlo.constant dense<0> : tensor<ui8>
    %8 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui8>) -> tensor<19xui8>
    %9 = stablehlo.compare EQ, %arg0, %8, UNSIGNED : (tensor<19xui8>, tensor<19xui8>) -> tensor<19xi1>
    %c_0 = stablehlo.constant dense<0> : tensor<ui8>
    %10 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui8>) -> tensor<19xui8>
    %c_1 = stablehlo.constant dense<1> : tensor<ui8>
    %11 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui8>) -> tensor<19xui8>
    %12 = stablehlo.select %9, %10, %11 : tensor<19xi1>, tensor<19xui8>
    %13 = stablehlo.and %arg0, %arg1 : tensor<19xui8>
    %14 = stablehlo.or %arg0, %arg1 : tensor<19xui8>
    %15 = stablehlo.xor %arg0, %arg1 : tensor<19xui8>
    %16 = stablehlo.not %arg0 : tensor<19xui8>
    %17 = stablehlo.shift_left %arg0, %arg2 : tensor<19xui8>
    %18 = stablehlo.shift_right_logical %arg0, %arg2 : tensor<19xui8>
    %19 = stablehlo.shift_right_arithmetic %arg0, %arg2 : tensor<19xui8>
    %20 = stablehlo.popcnt %arg0 : tensor<19xui8>
    %21 = stablehlo.count_leading_zeros %arg0 : tensor<19xui8>
    %22 = stablehlo.multiply %arg0, %arg0 : tensor<19xui8>
    %23 = stablehlo.multiply %22, %arg0 : tensor<19xui8>
    %24 = stablehlo.minimum %arg0, %arg1 : tensor<19xui8>
    %25 = stablehlo.maximum %arg0, %arg1 : tensor<19xui8>
    %26 = stablehlo.clamp %24, %arg2, %25 : tensor<19xui8>
    %27 = call @floor_divide(%arg0, %arg1) : (tensor<19xui8>, tensor<19xui8>) -> tensor<19xui8>
    %28 = call @remainder(%arg0, %arg1) : (tensor<19xui8>, tensor<19xui8>) -> tensor<19xui8>
    return %0, %1, %2, %3, %4, %5, %6, %7, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %23, %26, %27, %28 : tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>, tensor<19xui8>
  }
  func.func private @floor_divide(%arg0: tensor<19xui8>, %arg1: tensor<19xui8>) -> tensor<19xui8> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<19xui8>
    return %0 : tensor<19xui8>
  }
  func.func private @remainder(%arg0: tensor<19xui8>, %arg1: tensor<19xui8>) -> tensor<19xui8> {
    %c = stablehlo.constant dense<0> : tensor<ui8>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui8>) -> tensor<19xui8>
    %1 = stablehlo.compare EQ, %arg1, %0, UNSIGNED : (tensor<19xui8>, tensor<19xui8>) -> tensor<19xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<ui8>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui8>) -> tensor<19xui8>
    %3 = call @_where(%1, %2, %arg1) : (tensor<19xi1>, tensor<19xui8>, tensor<19xui8>) -> tensor<19xui8>
    %4 = stablehlo.remainder %arg0, %3 : tensor<19xui8>
    %c_1 = stablehlo.constant dense<0> : tensor<ui8>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui8>) -> tensor<19xui8>
    %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<19xui8>, tensor<19xui8>) -> tensor<19xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<ui8>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui8>) -> tensor<19xui8>
    %8 = stablehlo.compare LT, %4, %7, UNSIGNED : (tensor<19xui8>, tensor<19xui8>) -> tensor<19xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<ui8>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui8>) -> tensor<19xui8>
    %10 = stablehlo.compare LT, %3, %9, UNSIGNED : (tensor<19xui8>, tensor<19xui8>) -> tensor<19xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<19xi1>, tensor<19xi1>) -> tensor<19xi1>
    %12 = stablehlo.and %11, %6 : tensor<19xi1>
    %13 = stablehlo.add %4, %3 : tensor<19xui8>
    %14 = stablehlo.select %12, %13, %4 : tensor<19xi1>, tensor<19xui8>
    return %14 : tensor<19xui8>
  }
  func.func private @_where(%arg0: tensor<19xi1>, %arg1: tensor<19xui8>, %arg2: tensor<19xui8>) -> tensor<19xui8> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<19xi1>, tensor<19xui8>
    return %0 : tensor<19xui8>
  }
}
