module @jit_gru_with_lengths attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x36xf32>, %arg1: tensor<12x36xf32>, %arg2: tensor<3x12xf32>, %arg3: tensor<9x3x6xf32>, %arg4: tensor<3xi32>) -> (tensor<3x12xf32> {jax.result_info = "result[0]"}, tensor<9x3x12xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<9xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9x3x12xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:8 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg3, %iterArg_1 = %arg0, %iterArg_2 = %arg1, %iterArg_3 = %arg4, %iterArg_4 = %c, %iterArg_5 = %arg2, %iterArg_6 = %1) : tensor<9xi32>, tensor<9x3x6xf32>, tensor<6x36xf32>, tensor<12x36xf32>, tensor<3xi32>, tensor<i32>, tensor<3x12xf32>, tensor<9x3x12xf32>
    cond {
      %c_7 = stablehlo.constant dense<9> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_4, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_4) : (tensor<9xi32>, tensor<i32>) -> tensor<i32>
      %4 = func.call @dynamic_index_in_dim_0(%iterArg_0, %iterArg_4) : (tensor<9x3x6xf32>, tensor<i32>) -> tensor<3x6xf32>
      %5:2 = func.call @closed_call(%iterArg_1, %iterArg_2, %iterArg_3, %iterArg_5, %3, %4) : (tensor<6x36xf32>, tensor<12x36xf32>, tensor<3xi32>, tensor<3x12xf32>, tensor<i32>, tensor<3x6xf32>) -> (tensor<3x12xf32>, tensor<3x12xf32>)
      %6 = func.call @dynamic_update_index_in_dim(%iterArg_6, %5#1, %iterArg_4) : (tensor<9x3x12xf32>, tensor<3x12xf32>, tensor<i32>) -> tensor<9x3x12xf32>
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %7 = stablehlo.add %iterArg_4, %c_7 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %iterArg_1, %iterArg_2, %iterArg_3, %7, %5#0, %6 : tensor<9xi32>, tensor<9x3x6xf32>, tensor<6x36xf32>, tensor<12x36xf32>, tensor<3xi32>, tensor<i32>, tensor<3x12xf32>, tensor<9x3x12xf32>
    }
    return %2#6, %2#7 : tensor<3x12xf32>, tensor<9x3x12xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<9xi32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<9xi32>, tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<9x3x6xf32>, %arg1: tensor<i32>) -> tensor<3x6xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 3, 6] : (tensor<9x3x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x3x6xf32>) -> tensor<3x6xf32>
    return %1 : tensor<3x6xf32>
  }
  func.func private @closed_call(%arg0: tensor<6x36xf32>, %arg1: tensor<12x36xf32>, %arg2: tensor<3xi32>, %arg3: tensor<3x12xf32>, %arg4: tensor<i32>, %arg5: tensor<3x6xf32>) -> (tensor<3x12xf32>, tensor<3x12xf32>) {
    %0 = stablehlo.dot_general %arg5, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x6xf32>, tensor<6x36xf32>) -> tensor<3x36xf32>
    %1 = stablehlo.dot_general %arg3, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x12xf32>, tensor<12x36xf32>) -> tensor<3x36xf32>
    %2 = stablehlo.slice %0 [0:3, 0:12] : (tensor<3x36xf32>) -> tensor<3x12xf32>
    %3 = stablehlo.slice %1 [0:3, 0:12] : (tensor<3x36xf32>) -> tensor<3x12xf32>
    %4 = stablehlo.add %2, %3 : tensor<3x12xf32>
    %5 = stablehlo.negate %4 : tensor<3x12xf32>
    %6 = stablehlo.exponential %5 : tensor<3x12xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x12xf32>
    %8 = stablehlo.add %7, %6 : tensor<3x12xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x12xf32>
    %10 = stablehlo.divide %9, %8 : tensor<3x12xf32>
    %11 = stablehlo.slice %0 [0:3, 12:24] : (tensor<3x36xf32>) -> tensor<3x12xf32>
    %12 = stablehlo.slice %1 [0:3, 12:24] : (tensor<3x36xf32>) -> tensor<3x12xf32>
    %13 = stablehlo.add %11, %12 : tensor<3x12xf32>
    %14 = stablehlo.negate %13 : tensor<3x12xf32>
    %15 = stablehlo.exponential %14 : tensor<3x12xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x12xf32>
    %17 = stablehlo.add %16, %15 : tensor<3x12xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x12xf32>
    %19 = stablehlo.divide %18, %17 : tensor<3x12xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x12xf32>
    %21 = stablehlo.subtract %20, %19 : tensor<3x12xf32>
    %22 = stablehlo.slice %0 [0:3, 24:36] : (tensor<3x36xf32>) -> tensor<3x12xf32>
    %23 = stablehlo.slice %1 [0:3, 24:36] : (tensor<3x36xf32>) -> tensor<3x12xf32>
    %24 = stablehlo.multiply %10, %23 : tensor<3x12xf32>
    %25 = stablehlo.add %22, %24 : tensor<3x12xf32>
    %26 = stablehlo.tanh %25 : tensor<3x12xf32>
    %27 = stablehlo.multiply %21, %26 : tensor<3x12xf32>
    %28 = stablehlo.multiply %19, %arg3 : tensor<3x12xf32>
    %29 = stablehlo.add %27, %28 : tensor<3x12xf32>
    %30 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %31 = stablehlo.compare LT, %30, %arg2, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0] : (tensor<3xi1>) -> tensor<3x1xi1>
    %33 = call @_where(%32, %29, %arg3) : (tensor<3x1xi1>, tensor<3x12xf32>, tensor<3x12xf32>) -> tensor<3x12xf32>
    return %33, %33 : tensor<3x12xf32>, tensor<3x12xf32>
  }
  func.func private @_where(%arg0: tensor<3x1xi1>, %arg1: tensor<3x12xf32>, %arg2: tensor<3x12xf32>) -> tensor<3x12xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<3x1xi1>) -> tensor<3x12xi1>
    %1 = stablehlo.select %0, %arg1, %arg2 : tensor<3x12xi1>, tensor<3x12xf32>
    return %1 : tensor<3x12xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<9x3x12xf32>, %arg1: tensor<3x12xf32>, %arg2: tensor<i32>) -> tensor<9x3x12xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<3x12xf32>) -> tensor<1x3x12xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<9x3x12xf32>, tensor<1x3x12xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<9x3x12xf32>
    return %1 : tensor<9x3x12xf32>
  }
}
