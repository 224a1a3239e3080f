module @jit_sinkhorn_transport attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10x10xf32>, %arg1: tensor<10xf32>, %arg2: tensor<10xf32>) -> (tensor<10x10xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<10xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %2 = stablehlo.divide %arg1, %1 : tensor<10xf32>
    %3 = stablehlo.log %2 : tensor<10xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%arg2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<10xf32>, tensor<f32>) -> tensor<f32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %6 = stablehlo.divide %arg2, %5 : tensor<10xf32>
    %7 = stablehlo.log %6 : tensor<10xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %10:7 = stablehlo.while(%iterArg = %arg0, %iterArg_5 = %3, %iterArg_6 = %7, %iterArg_7 = %c_3, %iterArg_8 = %c, %iterArg_9 = %8, %iterArg_10 = %9) : tensor<10x10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<i32>, tensor<i32>, tensor<10xf32>, tensor<10xf32>
    cond {
      %c_11 = stablehlo.constant dense<12> : tensor<i32>
      %20 = stablehlo.compare LT, %iterArg_7, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %20 : tensor<i1>
    } do {
      %20:3 = func.call @closed_call(%iterArg, %iterArg_5, %iterArg_6, %iterArg_8, %iterArg_9, %iterArg_10) : (tensor<10x10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<i32>, tensor<10xf32>, tensor<10xf32>) -> (tensor<i32>, tensor<10xf32>, tensor<10xf32>)
      %c_11 = stablehlo.constant dense<1> : tensor<i32>
      %21 = stablehlo.add %iterArg_7, %c_11 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_5, %iterArg_6, %21, %20#0, %20#1, %20#2 : tensor<10x10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<i32>, tensor<i32>, tensor<10xf32>, tensor<10xf32>
    }
    %11 = stablehlo.broadcast_in_dim %10#5, dims = [0] : (tensor<10xf32>) -> tensor<10x1xf32>
    %12 = stablehlo.broadcast_in_dim %10#6, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<10x1xf32>) -> tensor<10x10xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<10x10xf32>
    %15 = stablehlo.add %13, %14 : tensor<10x10xf32>
    %16 = stablehlo.subtract %15, %arg0 : tensor<10x10xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<10x10xf32>
    %18 = stablehlo.divide %16, %17 : tensor<10x10xf32>
    %19 = stablehlo.exponential %18 : tensor<10x10xf32>
    return %19 : tensor<10x10xf32>
  }
  func.func private @closed_call(%arg0: tensor<10x10xf32>, %arg1: tensor<10xf32>, %arg2: tensor<10xf32>, %arg3: tensor<i32>, %arg4: tensor<10xf32>, %arg5: tensor<10xf32>) -> (tensor<i32>, tensor<10xf32>, tensor<10xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg3, %c : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<10x10xf32>
    %3 = stablehlo.subtract %2, %arg0 : tensor<10x10xf32>
    %cst = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<10x10xf32>
    %5 = stablehlo.divide %3, %4 : tensor<10x10xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<10x10xf32>, tensor<f32>) -> tensor<10xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %8 = stablehlo.maximum %7, %6 : tensor<10xf32>
    %9 = stablehlo.is_finite %8 : (tensor<10xf32>) -> tensor<10xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %11 = stablehlo.select %9, %8, %10 : tensor<10xi1>, tensor<10xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<10xf32>) -> tensor<10x1xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<10x1xf32>) -> tensor<10x10xf32>
    %14 = stablehlo.subtract %5, %13 : tensor<10x10xf32>
    %15 = stablehlo.exponential %14 : tensor<10x10xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%15 init: %cst_3) applies stablehlo.add across dimensions = [1] : (tensor<10x10xf32>, tensor<f32>) -> tensor<10xf32>
    %17 = stablehlo.sign %16 : tensor<10xf32>
    %18 = stablehlo.abs %16 : tensor<10xf32>
    %19 = stablehlo.log %18 : tensor<10xf32>
    %20 = stablehlo.add %19, %11 : tensor<10xf32>
    %21 = stablehlo.subtract %arg1, %20 : tensor<10xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<10xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<10xf32>) -> tensor<10x1xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<10x1xf32>) -> tensor<10x10xf32>
    %26 = stablehlo.subtract %25, %arg0 : tensor<10x10xf32>
    %cst_5 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<10x10xf32>
    %28 = stablehlo.divide %26, %27 : tensor<10x10xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %29 = stablehlo.reduce(%28 init: %cst_6) applies stablehlo.maximum across dimensions = [0] : (tensor<10x10xf32>, tensor<f32>) -> tensor<10xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %31 = stablehlo.maximum %30, %29 : tensor<10xf32>
    %32 = stablehlo.is_finite %31 : (tensor<10xf32>) -> tensor<10xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %34 = stablehlo.select %32, %31, %33 : tensor<10xi1>, tensor<10xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<10x10xf32>
    %37 = stablehlo.subtract %28, %36 : tensor<10x10xf32>
    %38 = stablehlo.exponential %37 : tensor<10x10xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<10x10xf32>, tensor<f32>) -> tensor<10xf32>
    %40 = stablehlo.sign %39 : tensor<10xf32>
    %41 = stablehlo.abs %39 : tensor<10xf32>
    %42 = stablehlo.log %41 : tensor<10xf32>
    %43 = stablehlo.add %42, %34 : tensor<10xf32>
    %44 = stablehlo.subtract %arg2, %43 : tensor<10xf32>
    %cst_10 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %46 = stablehlo.multiply %45, %44 : tensor<10xf32>
    return %0, %23, %46 : tensor<i32>, tensor<10xf32>, tensor<10xf32>
  }
}
