module @jit_particle_inference attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10x2xf32>) -> (tensor<10x2xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %c, %iterArg_2 = %arg0) : tensor<i32>, tensor<i32>, tensor<10x2xf32>
    cond {
      %c_3 = stablehlo.constant dense<5> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = func.call @closed_call(%iterArg_1, %iterArg_2) : (tensor<i32>, tensor<10x2xf32>) -> (tensor<i32>, tensor<10x2xf32>)
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      stablehlo.return %2, %1#0, %1#1 : tensor<i32>, tensor<i32>, tensor<10x2xf32>
    }
    return %0#2 : tensor<10x2xf32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<10x2xf32>) -> (tensor<i32>, tensor<10x2xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg1 [0:10, 0:1] : (tensor<10x2xf32>) -> tensor<10x1xf32>
    %2 = stablehlo.reshape %1 : (tensor<10x1xf32>) -> tensor<10xf32>
    %3 = stablehlo.multiply %2, %2 : tensor<10xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %5 = stablehlo.multiply %4, %2 : tensor<10xf32>
    %6 = stablehlo.slice %arg1 [0:10, 1:2] : (tensor<10x2xf32>) -> tensor<10x1xf32>
    %7 = stablehlo.reshape %6 : (tensor<10x1xf32>) -> tensor<10xf32>
    %8 = stablehlo.slice %arg1 [0:10, 0:1] : (tensor<10x2xf32>) -> tensor<10x1xf32>
    %9 = stablehlo.reshape %8 : (tensor<10x1xf32>) -> tensor<10xf32>
    %10 = stablehlo.multiply %9, %9 : tensor<10xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %12 = stablehlo.multiply %11, %9 : tensor<10xf32>
    %cst_1 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %14 = stablehlo.multiply %13, %10 : tensor<10xf32>
    %15 = stablehlo.subtract %7, %14 : tensor<10xf32>
    %16 = stablehlo.multiply %15, %15 : tensor<10xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %18 = stablehlo.multiply %17, %15 : tensor<10xf32>
    %cst_3 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %20 = stablehlo.multiply %19, %16 : tensor<10xf32>
    %21 = stablehlo.add %3, %20 : tensor<10xf32>
    %cst_4 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<10xf32>
    %cst_5 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.multiply %cst_5, %cst_6 : tensor<f32>
    %cst_7 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %25 = stablehlo.multiply %cst_7, %24 : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %27 = stablehlo.multiply %26, %18 : tensor<10xf32>
    %28 = stablehlo.negate %27 : tensor<10xf32>
    %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %30 = stablehlo.multiply %29, %28 : tensor<10xf32>
    %31 = stablehlo.multiply %30, %12 : tensor<10xf32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0] : (tensor<10xf32>) -> tensor<10x1xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.pad %32, %cst_9, low = [0, 0], high = [0, 1], interior = [0, 0] : (tensor<10x1xf32>, tensor<f32>) -> tensor<10x2xf32>
    %34 = stablehlo.broadcast_in_dim %27, dims = [0] : (tensor<10xf32>) -> tensor<10x1xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.pad %34, %cst_10, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<10x1xf32>, tensor<f32>) -> tensor<10x2xf32>
    %36 = stablehlo.add %33, %35 : tensor<10x2xf32>
    %37 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %38 = stablehlo.multiply %37, %5 : tensor<10xf32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0] : (tensor<10xf32>) -> tensor<10x1xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.pad %39, %cst_11, low = [0, 0], high = [0, 1], interior = [0, 0] : (tensor<10x1xf32>, tensor<f32>) -> tensor<10x2xf32>
    %41 = stablehlo.add %36, %40 : tensor<10x2xf32>
    %42 = stablehlo.broadcast_in_dim %arg1, dims = [0, 2] : (tensor<10x2xf32>) -> tensor<10x1x2xf32>
    %43 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<10x2xf32>) -> tensor<1x10x2xf32>
    %44 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2] : (tensor<10x1x2xf32>) -> tensor<10x10x2xf32>
    %45 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2] : (tensor<1x10x2xf32>) -> tensor<10x10x2xf32>
    %46 = stablehlo.subtract %44, %45 : tensor<10x10x2xf32>
    %47 = stablehlo.multiply %46, %46 : tensor<10x10x2xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%47 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<10x10x2xf32>, tensor<f32>) -> tensor<10x10xf32>
    %cst_13 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<10x10xf32>
    %50 = stablehlo.multiply %49, %48 : tensor<10x10xf32>
    %51 = stablehlo.exponential %50 : tensor<10x10xf32>
    %52 = stablehlo.dot_general %51, %41, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<10x10xf32>, tensor<10x2xf32>) -> tensor<10x2xf32>
    %53 = stablehlo.broadcast_in_dim %51, dims = [0, 1] : (tensor<10x10xf32>) -> tensor<10x10x1xf32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2] : (tensor<10x10x1xf32>) -> tensor<10x10x2xf32>
    %55 = stablehlo.multiply %54, %46 : tensor<10x10x2xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.reduce(%55 init: %cst_14) applies stablehlo.add across dimensions = [1] : (tensor<10x10x2xf32>, tensor<f32>) -> tensor<10x2xf32>
    %57 = stablehlo.add %52, %56 : tensor<10x2xf32>
    %cst_15 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<10x2xf32>
    %59 = stablehlo.multiply %58, %57 : tensor<10x2xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<10x2xf32>
    %61 = stablehlo.divide %59, %60 : tensor<10x2xf32>
    %62 = stablehlo.add %arg1, %61 : tensor<10x2xf32>
    return %0, %62 : tensor<i32>, tensor<10x2xf32>
  }
}
