module @jit_gravity_steps attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12x3xf32>, %arg1: tensor<12x3xf32>, %arg2: tensor<12xf32>) -> (tensor<12x3xf32> {jax.result_info = "result[0][0]"}, tensor<12x3xf32> {jax.result_info = "result[0][1]"}, tensor<5xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:5 = stablehlo.while(%iterArg = %arg2, %iterArg_0 = %c, %iterArg_1 = %arg0, %iterArg_2 = %arg1, %iterArg_3 = %0) : tensor<12xf32>, tensor<i32>, tensor<12x3xf32>, tensor<12x3xf32>, tensor<5xf32>
    cond {
      %c_4 = stablehlo.constant dense<5> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_0, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2:3 = func.call @closed_call(%iterArg, %iterArg_1, %iterArg_2) : (tensor<12xf32>, tensor<12x3xf32>, tensor<12x3xf32>) -> (tensor<12x3xf32>, tensor<12x3xf32>, tensor<f32>)
      %3 = func.call @dynamic_update_index_in_dim(%iterArg_3, %2#2, %iterArg_0) : (tensor<5xf32>, tensor<f32>, tensor<i32>) -> tensor<5xf32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg_0, %c_4 : tensor<i32>
      stablehlo.return %iterArg, %4, %2#0, %2#1, %3 : tensor<12xf32>, tensor<i32>, tensor<12x3xf32>, tensor<12x3xf32>, tensor<5xf32>
    }
    return %1#2, %1#3, %1#4 : tensor<12x3xf32>, tensor<12x3xf32>, tensor<5xf32>
  }
  func.func private @closed_call(%arg0: tensor<12xf32>, %arg1: tensor<12x3xf32>, %arg2: tensor<12x3xf32>) -> (tensor<12x3xf32>, tensor<12x3xf32>, tensor<f32>) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0, 2] : (tensor<12x3xf32>) -> tensor<12x1x3xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<12x3xf32>) -> tensor<1x12x3xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<12x1x3xf32>) -> tensor<12x12x3xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x12x3xf32>) -> tensor<12x12x3xf32>
    %4 = stablehlo.subtract %2, %3 : tensor<12x12x3xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<12x12x3xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x12x3xf32>
    %7 = stablehlo.multiply %6, %4 : tensor<12x12x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%5 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<12x12x3xf32>, tensor<f32>) -> tensor<12x12xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %10 = stablehlo.add %8, %9 : tensor<12x12xf32>
    %11 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<12xf32>) -> tensor<12x1xf32>
    %12 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<12xf32>) -> tensor<1x12xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<12x1xf32>) -> tensor<12x12xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<1x12xf32>) -> tensor<12x12xf32>
    %15 = stablehlo.multiply %13, %14 : tensor<12x12xf32>
    %16 = stablehlo.sqrt %10 : tensor<12x12xf32>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %18 = stablehlo.divide %17, %16 : tensor<12x12xf32>
    %19 = stablehlo.divide %15, %16 : tensor<12x12xf32>
    %20 = stablehlo.multiply %16, %16 : tensor<12x12xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %22 = stablehlo.divide %21, %20 : tensor<12x12xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%19 init: %cst_4) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x12xf32>, tensor<f32>) -> tensor<f32>
    %cst_5 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %24 = stablehlo.multiply %cst_5, %23 : tensor<f32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %25 = stablehlo.multiply %cst_6, %cst_7 : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %27 = stablehlo.multiply %26, %22 : tensor<12x12xf32>
    %28 = stablehlo.multiply %27, %15 : tensor<12x12xf32>
    %29 = stablehlo.negate %28 : tensor<12x12xf32>
    %30 = stablehlo.multiply %29, %18 : tensor<12x12xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<12x12xf32>) -> tensor<12x12x3xf32>
    %32 = stablehlo.multiply %31, %7 : tensor<12x12x3xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%32 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<12x12x3xf32>, tensor<f32>) -> tensor<12x3xf32>
    %34 = stablehlo.reshape %33 : (tensor<12x3xf32>) -> tensor<12x1x3xf32>
    %35 = stablehlo.negate %32 : tensor<12x12x3xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.reduce(%35 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<12x12x3xf32>, tensor<f32>) -> tensor<12x3xf32>
    %37 = stablehlo.reshape %36 : (tensor<12x3xf32>) -> tensor<1x12x3xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<1x12x3xf32>, tensor<f32>) -> tensor<12x3xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%34 init: %cst_11) applies stablehlo.add across dimensions = [1] : (tensor<12x1x3xf32>, tensor<f32>) -> tensor<12x3xf32>
    %40 = stablehlo.add %38, %39 : tensor<12x3xf32>
    %cst_12 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<12x3xf32>
    %42 = stablehlo.multiply %41, %40 : tensor<12x3xf32>
    %43 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<12xf32>) -> tensor<12x1xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1] : (tensor<12x1xf32>) -> tensor<12x3xf32>
    %45 = stablehlo.divide %42, %44 : tensor<12x3xf32>
    %46 = stablehlo.subtract %arg2, %45 : tensor<12x3xf32>
    %cst_13 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<12x3xf32>
    %48 = stablehlo.multiply %47, %46 : tensor<12x3xf32>
    %49 = stablehlo.add %arg1, %48 : tensor<12x3xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 2] : (tensor<12x3xf32>) -> tensor<12x1x3xf32>
    %51 = stablehlo.broadcast_in_dim %49, dims = [1, 2] : (tensor<12x3xf32>) -> tensor<1x12x3xf32>
    %52 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<12x1x3xf32>) -> tensor<12x12x3xf32>
    %53 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2] : (tensor<1x12x3xf32>) -> tensor<12x12x3xf32>
    %54 = stablehlo.subtract %52, %53 : tensor<12x12x3xf32>
    %55 = stablehlo.multiply %54, %54 : tensor<12x12x3xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.reduce(%55 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<12x12x3xf32>, tensor<f32>) -> tensor<12x12xf32>
    %cst_15 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %58 = stablehlo.add %56, %57 : tensor<12x12xf32>
    %59 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<12xf32>) -> tensor<12x1xf32>
    %60 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<12xf32>) -> tensor<1x12xf32>
    %61 = stablehlo.broadcast_in_dim %59, dims = [0, 1] : (tensor<12x1xf32>) -> tensor<12x12xf32>
    %62 = stablehlo.broadcast_in_dim %60, dims = [0, 1] : (tensor<1x12xf32>) -> tensor<12x12xf32>
    %63 = stablehlo.multiply %61, %62 : tensor<12x12xf32>
    %64 = stablehlo.sqrt %58 : tensor<12x12xf32>
    %65 = stablehlo.divide %63, %64 : tensor<12x12xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.reduce(%65 init: %cst_16) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x12xf32>, tensor<f32>) -> tensor<f32>
    %cst_17 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %67 = stablehlo.multiply %cst_17, %66 : tensor<f32>
    return %49, %46, %67 : tensor<12x3xf32>, tensor<12x3xf32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<5xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<5xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<5xf32>, tensor<1xf32>, tensor<i32>) -> tensor<5xf32>
    return %1 : tensor<5xf32>
  }
}
