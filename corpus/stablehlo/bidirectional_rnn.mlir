module @jit_bidirectional_rnn attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<7x6xf32>) -> (tensor<7x16xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:6 = stablehlo.while(%iterArg = %arg2, %iterArg_4 = %arg0, %iterArg_5 = %arg1, %iterArg_6 = %c, %iterArg_7 = %0, %iterArg_8 = %1) : tensor<7x6xf32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<i32>, tensor<8xf32>, tensor<7x8xf32>
    cond {
      %c_9 = stablehlo.constant dense<7> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg_6, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_6) : (tensor<7x6xf32>, tensor<i32>) -> tensor<6xf32>
      %8:2 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_7, %7) : (tensor<6x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<6xf32>) -> (tensor<8xf32>, tensor<8xf32>)
      %9 = func.call @dynamic_update_index_in_dim(%iterArg_8, %8#1, %iterArg_6) : (tensor<7x8xf32>, tensor<8xf32>, tensor<i32>) -> tensor<7x8xf32>
      %c_9 = stablehlo.constant dense<1> : tensor<i32>
      %10 = stablehlo.add %iterArg_6, %c_9 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_4, %iterArg_5, %10, %8#0, %9 : tensor<7x6xf32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<i32>, tensor<8xf32>, tensor<7x8xf32>
    }
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<7x8xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %5:6 = stablehlo.while(%iterArg = %arg2, %iterArg_4 = %arg0, %iterArg_5 = %arg1, %iterArg_6 = %c_3, %iterArg_7 = %3, %iterArg_8 = %4) : tensor<7x6xf32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<i32>, tensor<8xf32>, tensor<7x8xf32>
    cond {
      %c_9 = stablehlo.constant dense<7> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg_6, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %c_9 = stablehlo.constant dense<7> : tensor<i32>
      %7 = stablehlo.subtract %c_9, %iterArg_6 : tensor<i32>
      %c_10 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.subtract %7, %c_10 : tensor<i32>
      %9 = func.call @dynamic_index_in_dim(%iterArg, %8) : (tensor<7x6xf32>, tensor<i32>) -> tensor<6xf32>
      %10:2 = func.call @closed_call_0(%iterArg_4, %iterArg_5, %iterArg_7, %9) : (tensor<6x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<6xf32>) -> (tensor<8xf32>, tensor<8xf32>)
      %11 = func.call @dynamic_update_index_in_dim(%iterArg_8, %10#1, %8) : (tensor<7x8xf32>, tensor<8xf32>, tensor<i32>) -> tensor<7x8xf32>
      %c_11 = stablehlo.constant dense<1> : tensor<i32>
      %12 = stablehlo.add %iterArg_6, %c_11 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_4, %iterArg_5, %12, %10#0, %11 : tensor<7x6xf32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<i32>, tensor<8xf32>, tensor<7x8xf32>
    }
    %6 = stablehlo.concatenate %2#5, %5#5, dim = 1 : (tensor<7x8xf32>, tensor<7x8xf32>) -> tensor<7x16xf32>
    return %6 : tensor<7x16xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<7x6xf32>, %arg1: tensor<i32>) -> tensor<6xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 6] : (tensor<7x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6xf32>) -> tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @closed_call(%arg0: tensor<6x8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<6xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.dot_general %arg3, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6xf32>, tensor<6x8xf32>) -> tensor<8xf32>
    %1 = stablehlo.dot_general %arg2, %arg1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
    %2 = stablehlo.add %0, %1 : tensor<8xf32>
    %3 = stablehlo.tanh %2 : tensor<8xf32>
    return %3, %3 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<7x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<i32>) -> tensor<7x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<7x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<7x8xf32>
    return %1 : tensor<7x8xf32>
  }
  func.func private @closed_call_0(%arg0: tensor<6x8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<6xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.dot_general %arg3, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6xf32>, tensor<6x8xf32>) -> tensor<8xf32>
    %1 = stablehlo.dot_general %arg2, %arg1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
    %2 = stablehlo.add %0, %1 : tensor<8xf32>
    %3 = stablehlo.tanh %2 : tensor<8xf32>
    return %3, %3 : tensor<8xf32>, tensor<8xf32>
  }
}
