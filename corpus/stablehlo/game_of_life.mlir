module @jit_game_of_life attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x16xi32>) -> (tensor<16x16xi32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %c, %iterArg_2 = %arg0) : tensor<i32>, tensor<i32>, tensor<16x16xi32>
    cond {
      %c_3 = stablehlo.constant dense<8> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = func.call @closed_call(%iterArg_1, %iterArg_2) : (tensor<i32>, tensor<16x16xi32>) -> (tensor<i32>, tensor<16x16xi32>)
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      stablehlo.return %2, %1#0, %1#1 : tensor<i32>, tensor<i32>, tensor<16x16xi32>
    }
    return %0#2 : tensor<16x16xi32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<16x16xi32>) -> (tensor<i32>, tensor<16x16xi32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = call @_roll_static(%arg1) : (tensor<16x16xi32>) -> tensor<16x16xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<16x16xi32>
    %3 = stablehlo.add %2, %1 : tensor<16x16xi32>
    %4 = call @_roll_static_0(%arg1) : (tensor<16x16xi32>) -> tensor<16x16xi32>
    %5 = stablehlo.add %3, %4 : tensor<16x16xi32>
    %6 = call @_roll_static_1(%arg1) : (tensor<16x16xi32>) -> tensor<16x16xi32>
    %7 = stablehlo.add %5, %6 : tensor<16x16xi32>
    %8 = call @_roll_static_2(%arg1) : (tensor<16x16xi32>) -> tensor<16x16xi32>
    %9 = stablehlo.add %7, %8 : tensor<16x16xi32>
    %10 = call @_roll_static_3(%arg1) : (tensor<16x16xi32>) -> tensor<16x16xi32>
    %11 = stablehlo.add %9, %10 : tensor<16x16xi32>
    %12 = call @_roll_static_4(%arg1) : (tensor<16x16xi32>) -> tensor<16x16xi32>
    %13 = stablehlo.add %11, %12 : tensor<16x16xi32>
    %14 = call @_roll_static_5(%arg1) : (tensor<16x16xi32>) -> tensor<16x16xi32>
    %15 = stablehlo.add %13, %14 : tensor<16x16xi32>
    %16 = call @_roll_static_6(%arg1) : (tensor<16x16xi32>) -> tensor<16x16xi32>
    %17 = stablehlo.add %15, %16 : tensor<16x16xi32>
    %18 = call @_roll_static_7(%arg1) : (tensor<16x16xi32>) -> tensor<16x16xi32>
    %19 = stablehlo.add %17, %18 : tensor<16x16xi32>
    %20 = stablehlo.subtract %19, %arg1 : tensor<16x16xi32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<16x16xi32>
    %22 = stablehlo.compare EQ, %20, %21, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<16x16xi32>
    %24 = stablehlo.compare EQ, %arg1, %23, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %c_3 = stablehlo.constant dense<2> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<16x16xi32>
    %26 = stablehlo.compare EQ, %20, %25, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %27 = stablehlo.and %24, %26 : tensor<16x16xi1>
    %28 = stablehlo.or %22, %27 : tensor<16x16xi1>
    %29 = stablehlo.convert %28 : (tensor<16x16xi1>) -> tensor<16x16xi32>
    return %0, %29 : tensor<i32>, tensor<16x16xi32>
  }
  func.func private @_roll_static(%arg0: tensor<16x16xi32>) -> tensor<16x16xi32> {
    %0 = stablehlo.slice %arg0 [1:16, 0:16] : (tensor<16x16xi32>) -> tensor<15x16xi32>
    %1 = stablehlo.slice %arg0 [0:1, 0:16] : (tensor<16x16xi32>) -> tensor<1x16xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<15x16xi32>, tensor<1x16xi32>) -> tensor<16x16xi32>
    %3 = stablehlo.slice %2 [0:16, 1:16] : (tensor<16x16xi32>) -> tensor<16x15xi32>
    %4 = stablehlo.slice %2 [0:16, 0:1] : (tensor<16x16xi32>) -> tensor<16x1xi32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<16x15xi32>, tensor<16x1xi32>) -> tensor<16x16xi32>
    return %5 : tensor<16x16xi32>
  }
  func.func private @_roll_static_0(%arg0: tensor<16x16xi32>) -> tensor<16x16xi32> {
    %0 = stablehlo.slice %arg0 [1:16, 0:16] : (tensor<16x16xi32>) -> tensor<15x16xi32>
    %1 = stablehlo.slice %arg0 [0:1, 0:16] : (tensor<16x16xi32>) -> tensor<1x16xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<15x16xi32>, tensor<1x16xi32>) -> tensor<16x16xi32>
    %3 = stablehlo.slice %2 [0:16, 0:16] : (tensor<16x16xi32>) -> tensor<16x16xi32>
    %4 = stablehlo.slice %2 [0:16, 0:0] : (tensor<16x16xi32>) -> tensor<16x0xi32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<16x16xi32>, tensor<16x0xi32>) -> tensor<16x16xi32>
    return %5 : tensor<16x16xi32>
  }
  func.func private @_roll_static_1(%arg0: tensor<16x16xi32>) -> tensor<16x16xi32> {
    %0 = stablehlo.slice %arg0 [1:16, 0:16] : (tensor<16x16xi32>) -> tensor<15x16xi32>
    %1 = stablehlo.slice %arg0 [0:1, 0:16] : (tensor<16x16xi32>) -> tensor<1x16xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<15x16xi32>, tensor<1x16xi32>) -> tensor<16x16xi32>
    %3 = stablehlo.slice %2 [0:16, 15:16] : (tensor<16x16xi32>) -> tensor<16x1xi32>
    %4 = stablehlo.slice %2 [0:16, 0:15] : (tensor<16x16xi32>) -> tensor<16x15xi32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<16x1xi32>, tensor<16x15xi32>) -> tensor<16x16xi32>
    return %5 : tensor<16x16xi32>
  }
  func.func private @_roll_static_2(%arg0: tensor<16x16xi32>) -> tensor<16x16xi32> {
    %0 = stablehlo.slice %arg0 [0:16, 0:16] : (tensor<16x16xi32>) -> tensor<16x16xi32>
    %1 = stablehlo.slice %arg0 [0:0, 0:16] : (tensor<16x16xi32>) -> tensor<0x16xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<16x16xi32>, tensor<0x16xi32>) -> tensor<16x16xi32>
    %3 = stablehlo.slice %2 [0:16, 1:16] : (tensor<16x16xi32>) -> tensor<16x15xi32>
    %4 = stablehlo.slice %2 [0:16, 0:1] : (tensor<16x16xi32>) -> tensor<16x1xi32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<16x15xi32>, tensor<16x1xi32>) -> tensor<16x16xi32>
    return %5 : tensor<16x16xi32>
  }
  func.func private @_roll_static_3(%arg0: tensor<16x16xi32>) -> tensor<16x16xi32> {
    %0 = stablehlo.slice %arg0 [0:16, 0:16] : (tensor<16x16xi32>) -> tensor<16x16xi32>
    %1 = stablehlo.slice %arg0 [0:0, 0:16] : (tensor<16x16xi32>) -> tensor<0x16xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<16x16xi32>, tensor<0x16xi32>) -> tensor<16x16xi32>
    %3 = stablehlo.slice %2 [0:16, 0:16] : (tensor<16x16xi32>) -> tensor<16x16xi32>
    %4 = stablehlo.slice %2 [0:16, 0:0] : (tensor<16x16xi32>) -> tensor<16x0xi32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<16x16xi32>, tensor<16x0xi32>) -> tensor<16x16xi32>
    return %5 : tensor<16x16xi32>
  }
  func.func private @_roll_static_4(%arg0: tensor<16x16xi32>) -> tensor<16x16xi32> {
    %0 = stablehlo.slice %arg0 [0:16, 0:16] : (tensor<16x16xi32>) -> tensor<16x16xi32>
    %1 = stablehlo.slice %arg0 [0:0, 0:16] : (tensor<16x16xi32>) -> tensor<0x16xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<16x16xi32>, tensor<0x16xi32>) -> tensor<16x16xi32>
    %3 = stablehlo.slice %2 [0:16, 15:16] : (tensor<16x16xi32>) -> tensor<16x1xi32>
    %4 = stablehlo.slice %2 [0:16, 0:15] : (tensor<16x16xi32>) -> tensor<16x15xi32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<16x1xi32>, tensor<16x15xi32>) -> tensor<16x16xi32>
    return %5 : tensor<16x16xi32>
  }
  func.func private @_roll_static_5(%arg0: tensor<16x16xi32>) -> tensor<16x16xi32> {
    %0 = stablehlo.slice %arg0 [15:16, 0:16] : (tensor<16x16xi32>) -> tensor<1x16xi32>
    %1 = stablehlo.slice %arg0 [0:15, 0:16] : (tensor<16x16xi32>) -> tensor<15x16xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x16xi32>, tensor<15x16xi32>) -> tensor<16x16xi32>
    %3 = stablehlo.slice %2 [0:16, 1:16] : (tensor<16x16xi32>) -> tensor<16x15xi32>
    %4 = stablehlo.slice %2 [0:16, 0:1] : (tensor<16x16xi32>) -> tensor<16x1xi32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<16x15xi32>, tensor<16x1xi32>) -> tensor<16x16xi32>
    return %5 : tensor<16x16xi32>
  }
  func.func private @_roll_static_6(%arg0: tensor<16x16xi32>) -> tensor<16x16xi32> {
    %0 = stablehlo.slice %arg0 [15:16, 0:16] : (tensor<16x16xi32>) -> tensor<1x16xi32>
    %1 = stablehlo.slice %arg0 [0:15, 0:16] : (tensor<16x16xi32>) -> tensor<15x16xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x16xi32>, tensor<15x16xi32>) -> tensor<16x16xi32>
    %3 = stablehlo.slice %2 [0:16, 0:16] : (tensor<16x16xi32>) -> tensor<16x16xi32>
    %4 = stablehlo.slice %2 [0:16, 0:0] : (tensor<16x16xi32>) -> tensor<16x0xi32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<16x16xi32>, tensor<16x0xi32>) -> tensor<16x16xi32>
    return %5 : tensor<16x16xi32>
  }
  func.func private @_roll_static_7(%arg0: tensor<16x16xi32>) -> tensor<16x16xi32> {
    %0 = stablehlo.slice %arg0 [15:16, 0:16] : (tensor<16x16xi32>) -> tensor<1x16xi32>
    %1 = stablehlo.slice %arg0 [0:15, 0:16] : (tensor<16x16xi32>) -> tensor<15x16xi32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x16xi32>, tensor<15x16xi32>) -> tensor<16x16xi32>
    %3 = stablehlo.slice %2 [0:16, 15:16] : (tensor<16x16xi32>) -> tensor<16x1xi32>
    %4 = stablehlo.slice %2 [0:16, 0:15] : (tensor<16x16xi32>) -> tensor<16x15xi32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<16x1xi32>, tensor<16x15xi32>) -> tensor<16x16xi32>
    return %5 : tensor<16x16xi32>
  }
}
