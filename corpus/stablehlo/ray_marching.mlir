module @jit_ray_marching attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<12x16xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<[0.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf32>
    %cst_0 = stablehlo.constant dense<[0.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf32>
    %cst_1 = stablehlo.constant dense<[5.000000e-01, 0.699999988, -5.000000e-01]> : tensor<3xf32>
    %cst_2 = stablehlo.constant dense<6.000000e-01> : tensor<f32>
    %cst_3 = stablehlo.constant dense<-6.000000e-01> : tensor<f32>
    %0 = call @_linspace(%cst_2, %cst_3) : (tensor<f32>, tensor<f32>) -> tensor<12xf32>
    %cst_4 = stablehlo.constant dense<-8.000000e-01> : tensor<f32>
    %cst_5 = stablehlo.constant dense<8.000000e-01> : tensor<f32>
    %1 = call @_linspace_0(%cst_4, %cst_5) : (tensor<f32>, tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<12xf32>) -> tensor<12x16xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<16xf32>) -> tensor<12x16xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<12x16xf32>) -> tensor<12x16x1xf32>
    %6 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<12x16xf32>) -> tensor<12x16x1xf32>
    %7 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<12x16xf32>) -> tensor<12x16x1xf32>
    %8 = stablehlo.concatenate %5, %6, %7, dim = 2 : (tensor<12x16x1xf32>, tensor<12x16x1xf32>, tensor<12x16x1xf32>) -> tensor<12x16x3xf32>
    %9 = call @norm(%8) : (tensor<12x16x3xf32>) -> tensor<12x16x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<12x16x1xf32>) -> tensor<12x16x3xf32>
    %11 = stablehlo.divide %8, %10 : tensor<12x16x3xf32>
    %12 = stablehlo.reshape %11 : (tensor<12x16x3xf32>) -> tensor<192x3xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<192xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %14:5 = stablehlo.while(%iterArg = %12, %iterArg_28 = %cst, %iterArg_29 = %arg0, %iterArg_30 = %c, %iterArg_31 = %13) : tensor<192x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<i32>, tensor<192xf32>
    cond {
      %c_32 = stablehlo.constant dense<24> : tensor<i32>
      %70 = stablehlo.compare LT, %iterArg_30, %c_32, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %70 : tensor<i1>
    } do {
      %c_32 = stablehlo.constant dense<1> : tensor<i32>
      %70 = stablehlo.add %iterArg_30, %c_32 : tensor<i32>
      %71 = stablehlo.broadcast_in_dim %iterArg_31, dims = [0] : (tensor<192xf32>) -> tensor<192x1xf32>
      %72 = stablehlo.broadcast_in_dim %71, dims = [0, 1] : (tensor<192x1xf32>) -> tensor<192x3xf32>
      %73 = stablehlo.multiply %iterArg, %72 : tensor<192x3xf32>
      %74 = stablehlo.add %iterArg_29, %iterArg_28 : tensor<3xf32>
      %75 = stablehlo.broadcast_in_dim %74, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
      %76 = stablehlo.broadcast_in_dim %75, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<192x3xf32>
      %77 = stablehlo.subtract %73, %76 : tensor<192x3xf32>
      %78 = stablehlo.multiply %77, %77 : tensor<192x3xf32>
      %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %79 = stablehlo.reduce(%78 init: %cst_33) applies stablehlo.add across dimensions = [1] : (tensor<192x3xf32>, tensor<f32>) -> tensor<192xf32>
      %80 = stablehlo.sqrt %79 : tensor<192xf32>
      %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %81 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<192xf32>
      %82 = stablehlo.subtract %80, %81 : tensor<192xf32>
      %83 = stablehlo.slice %73 [0:192, 1:2] : (tensor<192x3xf32>) -> tensor<192x1xf32>
      %84 = stablehlo.reshape %83 : (tensor<192x1xf32>) -> tensor<192xf32>
      %cst_35 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %85 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<192xf32>
      %86 = stablehlo.add %84, %85 : tensor<192xf32>
      %87 = stablehlo.minimum %82, %86 : tensor<192xf32>
      %88 = stablehlo.add %iterArg_31, %87 : tensor<192xf32>
      %cst_36 = stablehlo.constant dense<2.000000e+01> : tensor<f32>
      %89 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<192xf32>
      %90 = stablehlo.minimum %88, %89 : tensor<192xf32>
      stablehlo.return %iterArg, %iterArg_28, %iterArg_29, %70, %90 : tensor<192x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<i32>, tensor<192xf32>
    }
    %15 = stablehlo.broadcast_in_dim %14#4, dims = [0] : (tensor<192xf32>) -> tensor<192x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<192x1xf32>) -> tensor<192x3xf32>
    %17 = stablehlo.multiply %12, %16 : tensor<192x3xf32>
    %18 = stablehlo.add %arg0, %cst_0 : tensor<3xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<192x3xf32>
    %21 = stablehlo.subtract %17, %20 : tensor<192x3xf32>
    %22 = stablehlo.multiply %21, %21 : tensor<192x3xf32>
    %cst_8 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<192x3xf32>
    %24 = stablehlo.multiply %23, %21 : tensor<192x3xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%22 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<192x3xf32>, tensor<f32>) -> tensor<192xf32>
    %26 = stablehlo.sqrt %25 : tensor<192xf32>
    %cst_10 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<192xf32>
    %28 = stablehlo.divide %27, %26 : tensor<192xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<192xf32>
    %30 = stablehlo.subtract %26, %29 : tensor<192xf32>
    %31 = stablehlo.slice %17 [0:192, 1:2] : (tensor<192x3xf32>) -> tensor<192x1xf32>
    %32 = stablehlo.reshape %31 : (tensor<192x1xf32>) -> tensor<192xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<192xf32>
    %34 = stablehlo.add %32, %33 : tensor<192xf32>
    %35 = stablehlo.minimum %30, %34 : tensor<192xf32>
    %36 = stablehlo.compare EQ, %30, %35, FLOAT : (tensor<192xf32>, tensor<192xf32>) -> tensor<192xi1>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<192xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<192xf32>
    %39 = stablehlo.select %36, %38, %37 : tensor<192xi1>, tensor<192xf32>
    %40 = stablehlo.compare EQ, %34, %35, FLOAT : (tensor<192xf32>, tensor<192xf32>) -> tensor<192xi1>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<192xf32>
    %cst_16 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<192xf32>
    %43 = stablehlo.select %40, %42, %41 : tensor<192xi1>, tensor<192xf32>
    %44 = stablehlo.divide %39, %43 : tensor<192xf32>
    %45 = stablehlo.compare EQ, %34, %35, FLOAT : (tensor<192xf32>, tensor<192xf32>) -> tensor<192xi1>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<192xf32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<192xf32>
    %48 = stablehlo.select %45, %47, %46 : tensor<192xi1>, tensor<192xf32>
    %49 = stablehlo.compare EQ, %30, %35, FLOAT : (tensor<192xf32>, tensor<192xf32>) -> tensor<192xi1>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<192xf32>
    %cst_20 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<192xf32>
    %52 = stablehlo.select %49, %51, %50 : tensor<192xi1>, tensor<192xf32>
    %53 = stablehlo.divide %48, %52 : tensor<192xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<192xf32>
    %55 = stablehlo.multiply %54, %53 : tensor<192xf32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<192xf32>
    %57 = stablehlo.multiply %56, %44 : tensor<192xf32>
    %58 = stablehlo.broadcast_in_dim %55, dims = [0] : (tensor<192xf32>) -> tensor<192x1xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.pad %58, %cst_23, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<192x1xf32>, tensor<f32>) -> tensor<192x3xf32>
    %60 = stablehlo.multiply %57, %28 : tensor<192xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0] : (tensor<192xf32>) -> tensor<192x3xf32>
    %62 = stablehlo.multiply %61, %24 : tensor<192x3xf32>
    %63 = stablehlo.add %59, %62 : tensor<192x3xf32>
    %64 = stablehlo.dot_general %63, %cst_1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<192x3xf32>, tensor<3xf32>) -> tensor<192xf32>
    %c_24 = stablehlo.constant dense<0> : tensor<i32>
    %c_25 = stablehlo.constant dense<1> : tensor<i32>
    %65 = call @clip(%64, %c_24, %c_25) : (tensor<192xf32>, tensor<i32>, tensor<i32>) -> tensor<192xf32>
    %cst_26 = stablehlo.constant dense<2.000000e+01> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<192xf32>
    %67 = stablehlo.compare LT, %14#4, %66, FLOAT : (tensor<192xf32>, tensor<192xf32>) -> tensor<192xi1>
    %c_27 = stablehlo.constant dense<0> : tensor<i32>
    %68 = call @_where(%67, %65, %c_27) : (tensor<192xi1>, tensor<192xf32>, tensor<i32>) -> tensor<192xf32>
    %69 = stablehlo.reshape %68 : (tensor<192xf32>) -> tensor<12x16xf32>
    return %69 : tensor<12x16xf32>
  }
  func.func private @_linspace(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<12xf32> {
    %0 = stablehlo.convert %arg0 : tensor<f32>
    %1 = stablehlo.convert %arg1 : tensor<f32>
    %2 = stablehlo.subtract %1, %0 : tensor<f32>
    %cst = stablehlo.constant dense<1.100000e+01> : tensor<f32>
    %3 = stablehlo.divide %2, %cst : tensor<f32>
    %4 = stablehlo.iota dim = 0 : tensor<11xf32>
    %cst_0 = stablehlo.constant dense<1.100000e+01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %6 = stablehlo.divide %4, %5 : tensor<11xf32>
    %7 = stablehlo.reshape %0 : (tensor<f32>) -> tensor<1xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %9 = stablehlo.subtract %8, %6 : tensor<11xf32>
    %10 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<1xf32>) -> tensor<11xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<11xf32>
    %12 = stablehlo.reshape %1 : (tensor<f32>) -> tensor<1xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<1xf32>) -> tensor<11xf32>
    %14 = stablehlo.multiply %13, %6 : tensor<11xf32>
    %15 = stablehlo.add %11, %14 : tensor<11xf32>
    %16 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %17 = stablehlo.concatenate %15, %16, dim = 0 : (tensor<11xf32>, tensor<1xf32>) -> tensor<12xf32>
    return %17 : tensor<12xf32>
  }
  func.func private @_linspace_0(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<16xf32> {
    %0 = stablehlo.convert %arg0 : tensor<f32>
    %1 = stablehlo.convert %arg1 : tensor<f32>
    %2 = stablehlo.subtract %1, %0 : tensor<f32>
    %cst = stablehlo.constant dense<1.500000e+01> : tensor<f32>
    %3 = stablehlo.divide %2, %cst : tensor<f32>
    %4 = stablehlo.iota dim = 0 : tensor<15xf32>
    %cst_0 = stablehlo.constant dense<1.500000e+01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %6 = stablehlo.divide %4, %5 : tensor<15xf32>
    %7 = stablehlo.reshape %0 : (tensor<f32>) -> tensor<1xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %9 = stablehlo.subtract %8, %6 : tensor<15xf32>
    %10 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<1xf32>) -> tensor<15xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<15xf32>
    %12 = stablehlo.reshape %1 : (tensor<f32>) -> tensor<1xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<1xf32>) -> tensor<15xf32>
    %14 = stablehlo.multiply %13, %6 : tensor<15xf32>
    %15 = stablehlo.add %11, %14 : tensor<15xf32>
    %16 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %17 = stablehlo.concatenate %15, %16, dim = 0 : (tensor<15xf32>, tensor<1xf32>) -> tensor<16xf32>
    return %17 : tensor<16xf32>
  }
  func.func private @norm(%arg0: tensor<12x16x3xf32>) -> tensor<12x16x1xf32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<12x16x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<12x16x3xf32>, tensor<f32>) -> tensor<12x16xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<12x16xf32>) -> tensor<12x16x1xf32>
    %3 = stablehlo.sqrt %2 : tensor<12x16x1xf32>
    return %3 : tensor<12x16x1xf32>
  }
  func.func private @clip(%arg0: tensor<192xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<192xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<192xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<192xf32>
    %3 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<192xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<192xf32>
    return %5 : tensor<192xf32>
  }
  func.func private @_where(%arg0: tensor<192xi1>, %arg1: tensor<192xf32>, %arg2: tensor<i32>) -> tensor<192xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<192xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<192xi1>, tensor<192xf32>
    return %2 : tensor<192xf32>
  }
}
