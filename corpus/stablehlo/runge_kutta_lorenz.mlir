module @jit_runge_kutta_lorenz attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<f32>) -> (tensor<16x3xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:4 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %c, %iterArg_1 = %arg0, %iterArg_2 = %0) : tensor<f32>, tensor<i32>, tensor<3xf32>, tensor<16x3xf32>
    cond {
      %c_3 = stablehlo.constant dense<16> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_0, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2:2 = func.call @closed_call(%iterArg, %iterArg_1) : (tensor<f32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
      %3 = func.call @dynamic_update_index_in_dim(%iterArg_2, %2#1, %iterArg_0) : (tensor<16x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<16x3xf32>
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg_0, %c_3 : tensor<i32>
      stablehlo.return %iterArg, %4, %2#0, %3 : tensor<f32>, tensor<i32>, tensor<3xf32>, tensor<16x3xf32>
    }
    return %1#3 : tensor<16x3xf32>
  }
  func.func private @closed_call(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %0 = stablehlo.slice %arg1 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    %2 = stablehlo.slice %arg1 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %3 = stablehlo.reshape %2 : (tensor<1xf32>) -> tensor<f32>
    %4 = stablehlo.slice %arg1 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %5 = stablehlo.reshape %4 : (tensor<1xf32>) -> tensor<f32>
    %6 = stablehlo.subtract %3, %1 : tensor<f32>
    %cst = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %7 = stablehlo.multiply %cst, %6 : tensor<f32>
    %cst_0 = stablehlo.constant dense<2.800000e+01> : tensor<f32>
    %8 = stablehlo.subtract %cst_0, %5 : tensor<f32>
    %9 = stablehlo.multiply %1, %8 : tensor<f32>
    %10 = stablehlo.subtract %9, %3 : tensor<f32>
    %11 = stablehlo.multiply %1, %3 : tensor<f32>
    %cst_1 = stablehlo.constant dense<2.66666675> : tensor<f32>
    %12 = stablehlo.multiply %cst_1, %5 : tensor<f32>
    %13 = stablehlo.subtract %11, %12 : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %15 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %16 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %17 = stablehlo.concatenate %14, %15, %16, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %18 = stablehlo.divide %arg0, %cst_2 : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %20 = stablehlo.multiply %19, %17 : tensor<3xf32>
    %21 = stablehlo.add %arg1, %20 : tensor<3xf32>
    %22 = stablehlo.slice %21 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %23 = stablehlo.reshape %22 : (tensor<1xf32>) -> tensor<f32>
    %24 = stablehlo.slice %21 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %25 = stablehlo.reshape %24 : (tensor<1xf32>) -> tensor<f32>
    %26 = stablehlo.slice %21 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %27 = stablehlo.reshape %26 : (tensor<1xf32>) -> tensor<f32>
    %28 = stablehlo.subtract %25, %23 : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %29 = stablehlo.multiply %cst_3, %28 : tensor<f32>
    %cst_4 = stablehlo.constant dense<2.800000e+01> : tensor<f32>
    %30 = stablehlo.subtract %cst_4, %27 : tensor<f32>
    %31 = stablehlo.multiply %23, %30 : tensor<f32>
    %32 = stablehlo.subtract %31, %25 : tensor<f32>
    %33 = stablehlo.multiply %23, %25 : tensor<f32>
    %cst_5 = stablehlo.constant dense<2.66666675> : tensor<f32>
    %34 = stablehlo.multiply %cst_5, %27 : tensor<f32>
    %35 = stablehlo.subtract %33, %34 : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %37 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %38 = stablehlo.broadcast_in_dim %35, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %39 = stablehlo.concatenate %36, %37, %38, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %40 = stablehlo.divide %arg0, %cst_6 : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %42 = stablehlo.multiply %41, %39 : tensor<3xf32>
    %43 = stablehlo.add %arg1, %42 : tensor<3xf32>
    %44 = stablehlo.slice %43 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %45 = stablehlo.reshape %44 : (tensor<1xf32>) -> tensor<f32>
    %46 = stablehlo.slice %43 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %47 = stablehlo.reshape %46 : (tensor<1xf32>) -> tensor<f32>
    %48 = stablehlo.slice %43 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %49 = stablehlo.reshape %48 : (tensor<1xf32>) -> tensor<f32>
    %50 = stablehlo.subtract %47, %45 : tensor<f32>
    %cst_7 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %51 = stablehlo.multiply %cst_7, %50 : tensor<f32>
    %cst_8 = stablehlo.constant dense<2.800000e+01> : tensor<f32>
    %52 = stablehlo.subtract %cst_8, %49 : tensor<f32>
    %53 = stablehlo.multiply %45, %52 : tensor<f32>
    %54 = stablehlo.subtract %53, %47 : tensor<f32>
    %55 = stablehlo.multiply %45, %47 : tensor<f32>
    %cst_9 = stablehlo.constant dense<2.66666675> : tensor<f32>
    %56 = stablehlo.multiply %cst_9, %49 : tensor<f32>
    %57 = stablehlo.subtract %55, %56 : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %51, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %59 = stablehlo.broadcast_in_dim %54, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %60 = stablehlo.broadcast_in_dim %57, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %61 = stablehlo.concatenate %58, %59, %60, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
    %62 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %63 = stablehlo.multiply %62, %61 : tensor<3xf32>
    %64 = stablehlo.add %arg1, %63 : tensor<3xf32>
    %65 = stablehlo.slice %64 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %66 = stablehlo.reshape %65 : (tensor<1xf32>) -> tensor<f32>
    %67 = stablehlo.slice %64 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %68 = stablehlo.reshape %67 : (tensor<1xf32>) -> tensor<f32>
    %69 = stablehlo.slice %64 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %70 = stablehlo.reshape %69 : (tensor<1xf32>) -> tensor<f32>
    %71 = stablehlo.subtract %68, %66 : tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %72 = stablehlo.multiply %cst_10, %71 : tensor<f32>
    %cst_11 = stablehlo.constant dense<2.800000e+01> : tensor<f32>
    %73 = stablehlo.subtract %cst_11, %70 : tensor<f32>
    %74 = stablehlo.multiply %66, %73 : tensor<f32>
    %75 = stablehlo.subtract %74, %68 : tensor<f32>
    %76 = stablehlo.multiply %66, %68 : tensor<f32>
    %cst_12 = stablehlo.constant dense<2.66666675> : tensor<f32>
    %77 = stablehlo.multiply %cst_12, %70 : tensor<f32>
    %78 = stablehlo.subtract %76, %77 : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %72, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %80 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %81 = stablehlo.broadcast_in_dim %78, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %82 = stablehlo.concatenate %79, %80, %81, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
    %cst_13 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %83 = stablehlo.divide %arg0, %cst_13 : tensor<f32>
    %cst_14 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %85 = stablehlo.multiply %84, %39 : tensor<3xf32>
    %86 = stablehlo.add %17, %85 : tensor<3xf32>
    %cst_15 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %88 = stablehlo.multiply %87, %61 : tensor<3xf32>
    %89 = stablehlo.add %86, %88 : tensor<3xf32>
    %90 = stablehlo.add %89, %82 : tensor<3xf32>
    %91 = stablehlo.broadcast_in_dim %83, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %92 = stablehlo.multiply %91, %90 : tensor<3xf32>
    %93 = stablehlo.add %arg1, %92 : tensor<3xf32>
    return %93, %93 : tensor<3xf32>, tensor<3xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<16x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<i32>) -> tensor<16x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<16x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<16x3xf32>
    return %1 : tensor<16x3xf32>
  }
}
