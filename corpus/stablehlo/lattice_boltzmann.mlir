module @jit_lattice_boltzmann attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9x12x12xf32>) -> (tensor<9x12x12xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<[0.444444448, 0.111111112, 0.111111112, 0.111111112, 0.027777778, 0.027777778, 0.111111112, 0.027777778, 0.027777778]> : tensor<9xf32>
    %cst_0 = stablehlo.constant dense<[[0.000000e+00, 0.000000e+00], [0.000000e+00, 1.000000e+00], [0.000000e+00, -1.000000e+00], [1.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00], [1.000000e+00, -1.000000e+00], [-1.000000e+00, 0.000000e+00], [-1.000000e+00, 1.000000e+00], [-1.000000e+00, -1.000000e+00]]> : tensor<9x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0:5 = stablehlo.while(%iterArg = %cst_0, %iterArg_2 = %cst, %iterArg_3 = %c_1, %iterArg_4 = %c, %iterArg_5 = %arg0) : tensor<9x2xf32>, tensor<9xf32>, tensor<i32>, tensor<i32>, tensor<9x12x12xf32>
    cond {
      %c_6 = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_4, %iterArg_5) : (tensor<9x2xf32>, tensor<9xf32>, tensor<i32>, tensor<9x12x12xf32>) -> (tensor<i32>, tensor<9x12x12xf32>)
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg_3, %c_6 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_2, %2, %1#0, %1#1 : tensor<9x2xf32>, tensor<9xf32>, tensor<i32>, tensor<i32>, tensor<9x12x12xf32>
    }
    return %0#4 : tensor<9x12x12xf32>
  }
  func.func private @closed_call(%arg0: tensor<9x2xf32>, %arg1: tensor<9xf32>, %arg2: tensor<i32>, %arg3: tensor<9x12x12xf32>) -> (tensor<i32>, tensor<9x12x12xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg2, %c : tensor<i32>
    %1 = stablehlo.slice %arg3 [0:1, 0:12, 0:12] : (tensor<9x12x12xf32>) -> tensor<1x12x12xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x12x12xf32>) -> tensor<12x12xf32>
    %3 = call @_roll_static(%2) : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %4 = stablehlo.slice %arg3 [1:2, 0:12, 0:12] : (tensor<9x12x12xf32>) -> tensor<1x12x12xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x12x12xf32>) -> tensor<12x12xf32>
    %6 = call @_roll_static_0(%5) : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %7 = stablehlo.slice %arg3 [2:3, 0:12, 0:12] : (tensor<9x12x12xf32>) -> tensor<1x12x12xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x12x12xf32>) -> tensor<12x12xf32>
    %9 = call @_roll_static_1(%8) : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %10 = stablehlo.slice %arg3 [3:4, 0:12, 0:12] : (tensor<9x12x12xf32>) -> tensor<1x12x12xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x12x12xf32>) -> tensor<12x12xf32>
    %12 = call @_roll_static_2(%11) : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %13 = stablehlo.slice %arg3 [4:5, 0:12, 0:12] : (tensor<9x12x12xf32>) -> tensor<1x12x12xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x12x12xf32>) -> tensor<12x12xf32>
    %15 = call @_roll_static_3(%14) : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %16 = stablehlo.slice %arg3 [5:6, 0:12, 0:12] : (tensor<9x12x12xf32>) -> tensor<1x12x12xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x12x12xf32>) -> tensor<12x12xf32>
    %18 = call @_roll_static_4(%17) : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %19 = stablehlo.slice %arg3 [6:7, 0:12, 0:12] : (tensor<9x12x12xf32>) -> tensor<1x12x12xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x12x12xf32>) -> tensor<12x12xf32>
    %21 = call @_roll_static_5(%20) : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %22 = stablehlo.slice %arg3 [7:8, 0:12, 0:12] : (tensor<9x12x12xf32>) -> tensor<1x12x12xf32>
    %23 = stablehlo.reshape %22 : (tensor<1x12x12xf32>) -> tensor<12x12xf32>
    %24 = call @_roll_static_6(%23) : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %25 = stablehlo.slice %arg3 [8:9, 0:12, 0:12] : (tensor<9x12x12xf32>) -> tensor<1x12x12xf32>
    %26 = stablehlo.reshape %25 : (tensor<1x12x12xf32>) -> tensor<12x12xf32>
    %27 = call @_roll_static_7(%26) : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %28 = stablehlo.broadcast_in_dim %3, dims = [1, 2] : (tensor<12x12xf32>) -> tensor<1x12x12xf32>
    %29 = stablehlo.broadcast_in_dim %6, dims = [1, 2] : (tensor<12x12xf32>) -> tensor<1x12x12xf32>
    %30 = stablehlo.broadcast_in_dim %9, dims = [1, 2] : (tensor<12x12xf32>) -> tensor<1x12x12xf32>
    %31 = stablehlo.broadcast_in_dim %12, dims = [1, 2] : (tensor<12x12xf32>) -> tensor<1x12x12xf32>
    %32 = stablehlo.broadcast_in_dim %15, dims = [1, 2] : (tensor<12x12xf32>) -> tensor<1x12x12xf32>
    %33 = stablehlo.broadcast_in_dim %18, dims = [1, 2] : (tensor<12x12xf32>) -> tensor<1x12x12xf32>
    %34 = stablehlo.broadcast_in_dim %21, dims = [1, 2] : (tensor<12x12xf32>) -> tensor<1x12x12xf32>
    %35 = stablehlo.broadcast_in_dim %24, dims = [1, 2] : (tensor<12x12xf32>) -> tensor<1x12x12xf32>
    %36 = stablehlo.broadcast_in_dim %27, dims = [1, 2] : (tensor<12x12xf32>) -> tensor<1x12x12xf32>
    %37 = stablehlo.concatenate %28, %29, %30, %31, %32, %33, %34, %35, %36, dim = 0 : (tensor<1x12x12xf32>, tensor<1x12x12xf32>, tensor<1x12x12xf32>, tensor<1x12x12xf32>, tensor<1x12x12xf32>, tensor<1x12x12xf32>, tensor<1x12x12xf32>, tensor<1x12x12xf32>, tensor<1x12x12xf32>) -> tensor<9x12x12xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<9x12x12xf32>, tensor<f32>) -> tensor<12x12xf32>
    %39 = stablehlo.dot_general %arg0, %37, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x2xf32>, tensor<9x12x12xf32>) -> tensor<2x12x12xf32>
    %40 = stablehlo.broadcast_in_dim %38, dims = [1, 2] : (tensor<12x12xf32>) -> tensor<1x12x12xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2] : (tensor<1x12x12xf32>) -> tensor<2x12x12xf32>
    %42 = stablehlo.divide %39, %41 : tensor<2x12x12xf32>
    %43 = stablehlo.dot_general %arg0, %42, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x2xf32>, tensor<2x12x12xf32>) -> tensor<9x12x12xf32>
    %44 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<9xf32>) -> tensor<9x1x1xf32>
    %45 = stablehlo.broadcast_in_dim %38, dims = [1, 2] : (tensor<12x12xf32>) -> tensor<1x12x12xf32>
    %46 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<9x1x1xf32>) -> tensor<9x12x12xf32>
    %47 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2] : (tensor<1x12x12xf32>) -> tensor<9x12x12xf32>
    %48 = stablehlo.multiply %46, %47 : tensor<9x12x12xf32>
    %cst_0 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<9x12x12xf32>
    %50 = stablehlo.multiply %49, %43 : tensor<9x12x12xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<9x12x12xf32>
    %52 = stablehlo.add %51, %50 : tensor<9x12x12xf32>
    %53 = stablehlo.multiply %43, %43 : tensor<9x12x12xf32>
    %cst_2 = stablehlo.constant dense<4.500000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<9x12x12xf32>
    %55 = stablehlo.multiply %54, %53 : tensor<9x12x12xf32>
    %56 = stablehlo.add %52, %55 : tensor<9x12x12xf32>
    %57 = stablehlo.multiply %42, %42 : tensor<2x12x12xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.reduce(%57 init: %cst_3) applies stablehlo.add across dimensions = [0] : (tensor<2x12x12xf32>, tensor<f32>) -> tensor<12x12xf32>
    %cst_4 = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %60 = stablehlo.multiply %59, %58 : tensor<12x12xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [1, 2] : (tensor<12x12xf32>) -> tensor<1x12x12xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2] : (tensor<1x12x12xf32>) -> tensor<9x12x12xf32>
    %63 = stablehlo.subtract %56, %62 : tensor<9x12x12xf32>
    %64 = stablehlo.multiply %48, %63 : tensor<9x12x12xf32>
    %65 = stablehlo.subtract %37, %64 : tensor<9x12x12xf32>
    %cst_5 = stablehlo.constant dense<6.000000e-01> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<9x12x12xf32>
    %67 = stablehlo.multiply %66, %65 : tensor<9x12x12xf32>
    %68 = stablehlo.subtract %37, %67 : tensor<9x12x12xf32>
    return %0, %68 : tensor<i32>, tensor<9x12x12xf32>
  }
  func.func private @_roll_static(%arg0: tensor<12x12xf32>) -> tensor<12x12xf32> {
    %0 = stablehlo.slice %arg0 [0:12, 0:12] : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %1 = stablehlo.slice %arg0 [0:0, 0:12] : (tensor<12x12xf32>) -> tensor<0x12xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<12x12xf32>, tensor<0x12xf32>) -> tensor<12x12xf32>
    %3 = stablehlo.slice %2 [0:12, 0:12] : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %4 = stablehlo.slice %2 [0:12, 0:0] : (tensor<12x12xf32>) -> tensor<12x0xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<12x12xf32>, tensor<12x0xf32>) -> tensor<12x12xf32>
    return %5 : tensor<12x12xf32>
  }
  func.func private @_roll_static_0(%arg0: tensor<12x12xf32>) -> tensor<12x12xf32> {
    %0 = stablehlo.slice %arg0 [0:12, 0:12] : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %1 = stablehlo.slice %arg0 [0:0, 0:12] : (tensor<12x12xf32>) -> tensor<0x12xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<12x12xf32>, tensor<0x12xf32>) -> tensor<12x12xf32>
    %3 = stablehlo.slice %2 [0:12, 11:12] : (tensor<12x12xf32>) -> tensor<12x1xf32>
    %4 = stablehlo.slice %2 [0:12, 0:11] : (tensor<12x12xf32>) -> tensor<12x11xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<12x1xf32>, tensor<12x11xf32>) -> tensor<12x12xf32>
    return %5 : tensor<12x12xf32>
  }
  func.func private @_roll_static_1(%arg0: tensor<12x12xf32>) -> tensor<12x12xf32> {
    %0 = stablehlo.slice %arg0 [0:12, 0:12] : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %1 = stablehlo.slice %arg0 [0:0, 0:12] : (tensor<12x12xf32>) -> tensor<0x12xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<12x12xf32>, tensor<0x12xf32>) -> tensor<12x12xf32>
    %3 = stablehlo.slice %2 [0:12, 1:12] : (tensor<12x12xf32>) -> tensor<12x11xf32>
    %4 = stablehlo.slice %2 [0:12, 0:1] : (tensor<12x12xf32>) -> tensor<12x1xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<12x11xf32>, tensor<12x1xf32>) -> tensor<12x12xf32>
    return %5 : tensor<12x12xf32>
  }
  func.func private @_roll_static_2(%arg0: tensor<12x12xf32>) -> tensor<12x12xf32> {
    %0 = stablehlo.slice %arg0 [11:12, 0:12] : (tensor<12x12xf32>) -> tensor<1x12xf32>
    %1 = stablehlo.slice %arg0 [0:11, 0:12] : (tensor<12x12xf32>) -> tensor<11x12xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x12xf32>, tensor<11x12xf32>) -> tensor<12x12xf32>
    %3 = stablehlo.slice %2 [0:12, 0:12] : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %4 = stablehlo.slice %2 [0:12, 0:0] : (tensor<12x12xf32>) -> tensor<12x0xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<12x12xf32>, tensor<12x0xf32>) -> tensor<12x12xf32>
    return %5 : tensor<12x12xf32>
  }
  func.func private @_roll_static_3(%arg0: tensor<12x12xf32>) -> tensor<12x12xf32> {
    %0 = stablehlo.slice %arg0 [11:12, 0:12] : (tensor<12x12xf32>) -> tensor<1x12xf32>
    %1 = stablehlo.slice %arg0 [0:11, 0:12] : (tensor<12x12xf32>) -> tensor<11x12xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x12xf32>, tensor<11x12xf32>) -> tensor<12x12xf32>
    %3 = stablehlo.slice %2 [0:12, 11:12] : (tensor<12x12xf32>) -> tensor<12x1xf32>
    %4 = stablehlo.slice %2 [0:12, 0:11] : (tensor<12x12xf32>) -> tensor<12x11xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<12x1xf32>, tensor<12x11xf32>) -> tensor<12x12xf32>
    return %5 : tensor<12x12xf32>
  }
  func.func private @_roll_static_4(%arg0: tensor<12x12xf32>) -> tensor<12x12xf32> {
    %0 = stablehlo.slice %arg0 [11:12, 0:12] : (tensor<12x12xf32>) -> tensor<1x12xf32>
    %1 = stablehlo.slice %arg0 [0:11, 0:12] : (tensor<12x12xf32>) -> tensor<11x12xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x12xf32>, tensor<11x12xf32>) -> tensor<12x12xf32>
    %3 = stablehlo.slice %2 [0:12, 1:12] : (tensor<12x12xf32>) -> tensor<12x11xf32>
    %4 = stablehlo.slice %2 [0:12, 0:1] : (tensor<12x12xf32>) -> tensor<12x1xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<12x11xf32>, tensor<12x1xf32>) -> tensor<12x12xf32>
    return %5 : tensor<12x12xf32>
  }
  func.func private @_roll_static_5(%arg0: tensor<12x12xf32>) -> tensor<12x12xf32> {
    %0 = stablehlo.slice %arg0 [1:12, 0:12] : (tensor<12x12xf32>) -> tensor<11x12xf32>
    %1 = stablehlo.slice %arg0 [0:1, 0:12] : (tensor<12x12xf32>) -> tensor<1x12xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<11x12xf32>, tensor<1x12xf32>) -> tensor<12x12xf32>
    %3 = stablehlo.slice %2 [0:12, 0:12] : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %4 = stablehlo.slice %2 [0:12, 0:0] : (tensor<12x12xf32>) -> tensor<12x0xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<12x12xf32>, tensor<12x0xf32>) -> tensor<12x12xf32>
    return %5 : tensor<12x12xf32>
  }
  func.func private @_roll_static_6(%arg0: tensor<12x12xf32>) -> tensor<12x12xf32> {
    %0 = stablehlo.slice %arg0 [1:12, 0:12] : (tensor<12x12xf32>) -> tensor<11x12xf32>
    %1 = stablehlo.slice %arg0 [0:1, 0:12] : (tensor<12x12xf32>) -> tensor<1x12xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<11x12xf32>, tensor<1x12xf32>) -> tensor<12x12xf32>
    %3 = stablehlo.slice %2 [0:12, 11:12] : (tensor<12x12xf32>) -> tensor<12x1xf32>
    %4 = stablehlo.slice %2 [0:12, 0:11] : (tensor<12x12xf32>) -> tensor<12x11xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<12x1xf32>, tensor<12x11xf32>) -> tensor<12x12xf32>
    return %5 : tensor<12x12xf32>
  }
  func.func private @_roll_static_7(%arg0: tensor<12x12xf32>) -> tensor<12x12xf32> {
    %0 = stablehlo.slice %arg0 [1:12, 0:12] : (tensor<12x12xf32>) -> tensor<11x12xf32>
    %1 = stablehlo.slice %arg0 [0:1, 0:12] : (tensor<12x12xf32>) -> tensor<1x12xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<11x12xf32>, tensor<1x12xf32>) -> tensor<12x12xf32>
    %3 = stablehlo.slice %2 [0:12, 1:12] : (tensor<12x12xf32>) -> tensor<12x11xf32>
    %4 = stablehlo.slice %2 [0:12, 0:1] : (tensor<12x12xf32>) -> tensor<12x1xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<12x11xf32>, tensor<12x1xf32>) -> tensor<12x12xf32>
    return %5 : tensor<12x12xf32>
  }
}
