module @jit_grouped_query_attention attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x8x16xf32>, %arg1: tensor<16x2x16xf32>, %arg2: tensor<16x2x16xf32>) -> (tensor<16x8x16xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<16xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %2 = stablehlo.iota dim = 0 : tensor<8xf32>
    %3 = stablehlo.negate %2 : tensor<8xf32>
    %cst = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %5 = stablehlo.divide %3, %4 : tensor<8xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+02> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %7 = stablehlo.power %6, %5 : tensor<8xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %9 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x8xf32>
    %10 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<16x8xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<16x8xf32>
    %12 = stablehlo.sine %11 : tensor<16x8xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 2] : (tensor<16x8xf32>) -> tensor<16x1x8xf32>
    %14 = stablehlo.cosine %11 : tensor<16x8xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 2] : (tensor<16x8xf32>) -> tensor<16x1x8xf32>
    %16 = stablehlo.slice %arg0 [0:16, 0:8, 0:8] : (tensor<16x8x16xf32>) -> tensor<16x8x8xf32>
    %17 = stablehlo.slice %arg0 [0:16, 0:8, 8:16] : (tensor<16x8x16xf32>) -> tensor<16x8x8xf32>
    %18 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<16x1x8xf32>) -> tensor<16x8x8xf32>
    %19 = stablehlo.multiply %16, %18 : tensor<16x8x8xf32>
    %20 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<16x1x8xf32>) -> tensor<16x8x8xf32>
    %21 = stablehlo.multiply %17, %20 : tensor<16x8x8xf32>
    %22 = stablehlo.subtract %19, %21 : tensor<16x8x8xf32>
    %23 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<16x1x8xf32>) -> tensor<16x8x8xf32>
    %24 = stablehlo.multiply %16, %23 : tensor<16x8x8xf32>
    %25 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<16x1x8xf32>) -> tensor<16x8x8xf32>
    %26 = stablehlo.multiply %17, %25 : tensor<16x8x8xf32>
    %27 = stablehlo.add %24, %26 : tensor<16x8x8xf32>
    %28 = stablehlo.concatenate %22, %27, dim = 2 : (tensor<16x8x8xf32>, tensor<16x8x8xf32>) -> tensor<16x8x16xf32>
    %29 = stablehlo.reshape %28 : (tensor<16x8x16xf32>) -> tensor<16x2x4x16xf32>
    %30 = stablehlo.slice %arg1 [0:16, 0:2, 0:8] : (tensor<16x2x16xf32>) -> tensor<16x2x8xf32>
    %31 = stablehlo.slice %arg1 [0:16, 0:2, 8:16] : (tensor<16x2x16xf32>) -> tensor<16x2x8xf32>
    %32 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<16x1x8xf32>) -> tensor<16x2x8xf32>
    %33 = stablehlo.multiply %30, %32 : tensor<16x2x8xf32>
    %34 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<16x1x8xf32>) -> tensor<16x2x8xf32>
    %35 = stablehlo.multiply %31, %34 : tensor<16x2x8xf32>
    %36 = stablehlo.subtract %33, %35 : tensor<16x2x8xf32>
    %37 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<16x1x8xf32>) -> tensor<16x2x8xf32>
    %38 = stablehlo.multiply %30, %37 : tensor<16x2x8xf32>
    %39 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<16x1x8xf32>) -> tensor<16x2x8xf32>
    %40 = stablehlo.multiply %31, %39 : tensor<16x2x8xf32>
    %41 = stablehlo.add %38, %40 : tensor<16x2x8xf32>
    %42 = stablehlo.concatenate %36, %41, dim = 2 : (tensor<16x2x8xf32>, tensor<16x2x8xf32>) -> tensor<16x2x16xf32>
    %43 = stablehlo.dot_general %42, %29, batching_dims = [1] x [1], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<16x2x16xf32>, tensor<16x2x4x16xf32>) -> tensor<2x16x16x4xf32>
    %44 = stablehlo.transpose %43, dims = [0, 3, 2, 1] : (tensor<2x16x16x4xf32>) -> tensor<2x4x16x16xf32>
    %cst_1 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x4x16x16xf32>
    %46 = stablehlo.multiply %44, %45 : tensor<2x4x16x16xf32>
    %47 = stablehlo.iota dim = 0 : tensor<16x16xi32>
    %48 = stablehlo.iota dim = 1 : tensor<16x16xi32>
    %49 = stablehlo.compare LE, %48, %47, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %50 = stablehlo.subtract %47, %48 : tensor<16x16xi32>
    %c = stablehlo.constant dense<6> : tensor<i32>
    %51 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16x16xi32>
    %52 = stablehlo.compare LT, %50, %51, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %53 = stablehlo.and %49, %52 : tensor<16x16xi1>
    %cst_2 = stablehlo.constant dense<-1.000000e+30> : tensor<f32>
    %54 = call @_where(%53, %46, %cst_2) : (tensor<16x16xi1>, tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16x16xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %55 = stablehlo.reduce(%54 init: %cst_3) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x4x16xf32>
    %57 = stablehlo.maximum %56, %55 : tensor<2x4x16xf32>
    %58 = stablehlo.broadcast_in_dim %57, dims = [0, 1, 2] : (tensor<2x4x16xf32>) -> tensor<2x4x16x1xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2, 3] : (tensor<2x4x16x1xf32>) -> tensor<2x4x16x16xf32>
    %60 = stablehlo.subtract %54, %59 : tensor<2x4x16x16xf32>
    %61 = stablehlo.exponential %60 : tensor<2x4x16x16xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.reduce(%61 init: %cst_5) applies stablehlo.add across dimensions = [3] : (tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16xf32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1, 2] : (tensor<2x4x16xf32>) -> tensor<2x4x16x1xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2, 3] : (tensor<2x4x16x1xf32>) -> tensor<2x4x16x16xf32>
    %65 = stablehlo.divide %61, %64 : tensor<2x4x16x16xf32>
    %66 = stablehlo.dot_general %arg2, %65, batching_dims = [1] x [0], contracting_dims = [0] x [3], precision = [DEFAULT, DEFAULT] : (tensor<16x2x16xf32>, tensor<2x4x16x16xf32>) -> tensor<2x16x4x16xf32>
    %67 = stablehlo.transpose %66, dims = [3, 0, 2, 1] : (tensor<2x16x4x16xf32>) -> tensor<16x2x4x16xf32>
    %68 = stablehlo.reshape %67 : (tensor<16x2x4x16xf32>) -> tensor<16x8x16xf32>
    return %68 : tensor<16x8x16xf32>
  }
  func.func private @_where(%arg0: tensor<16x16xi1>, %arg1: tensor<2x4x16x16xf32>, %arg2: tensor<f32>) -> tensor<2x4x16x16xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<16x16xi1>) -> tensor<2x4x16x16xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x4x16x16xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x4x16x16xi1>, tensor<2x4x16x16xf32>
    return %3 : tensor<2x4x16x16xf32>
  }
}
