module @jit_lennard_jones_forces attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<27x3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<27x3xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<27x3xf32>) -> tensor<27x1x3xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<27x3xf32>) -> tensor<1x27x3xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<27x1x3xf32>) -> tensor<27x27x3xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x27x3xf32>) -> tensor<27x27x3xf32>
    %4 = stablehlo.subtract %2, %3 : tensor<27x27x3xf32>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<27x27x3xf32>
    %6 = stablehlo.divide %4, %5 : tensor<27x27x3xf32>
    %7 = call @round(%6) : (tensor<27x27x3xf32>) -> tensor<27x27x3xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<27x27x3xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<27x27x3xf32>
    %10 = stablehlo.subtract %4, %9 : tensor<27x27x3xf32>
    %11 = stablehlo.multiply %10, %10 : tensor<27x27x3xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<27x27x3xf32>
    %13 = stablehlo.multiply %12, %10 : tensor<27x27x3xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%11 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<27x27x3xf32>, tensor<f32>) -> tensor<27x27xf32>
    %15 = stablehlo.iota dim = 0 : tensor<27x27xi32>
    %16 = stablehlo.iota dim = 1 : tensor<27x27xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<27x27xi32>
    %18 = stablehlo.add %15, %17 : tensor<27x27xi32>
    %19 = stablehlo.compare EQ, %18, %16, SIGNED : (tensor<27x27xi32>, tensor<27x27xi32>) -> tensor<27x27xi1>
    %20 = stablehlo.convert %19 : (tensor<27x27xi1>) -> tensor<27x27xf32>
    %21 = stablehlo.add %14, %20 : tensor<27x27xf32>
    %cst_3 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %23 = stablehlo.compare LT, %21, %22, FLOAT : (tensor<27x27xf32>, tensor<27x27xf32>) -> tensor<27x27xi1>
    %24 = call @triu(%23) : (tensor<27x27xi1>) -> tensor<27x27xi1>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %25:2 = call @_where(%24, %21, %c_4) : (tensor<27x27xi1>, tensor<27x27xf32>, tensor<i32>) -> (tensor<27x27xf32>, tensor<27x27xf32>)
    %cst_5 = stablehlo.constant dense<6.000000e-01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %27 = stablehlo.maximum %25#0, %26 : tensor<27x27xf32>
    %28 = stablehlo.compare EQ, %25#0, %27, FLOAT : (tensor<27x27xf32>, tensor<27x27xf32>) -> tensor<27x27xi1>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %31 = stablehlo.select %28, %29, %30 : tensor<27x27xi1>, tensor<27x27xf32>
    %cst_8 = stablehlo.constant dense<6.000000e-01> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %33 = stablehlo.compare EQ, %32, %27, FLOAT : (tensor<27x27xf32>, tensor<27x27xf32>) -> tensor<27x27xi1>
    %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %36 = stablehlo.select %33, %34, %35 : tensor<27x27xi1>, tensor<27x27xf32>
    %37 = stablehlo.divide %31, %36 : tensor<27x27xf32>
    %38 = stablehlo.multiply %27, %27 : tensor<27x27xf32>
    %39 = stablehlo.multiply %38, %27 : tensor<27x27xf32>
    %40 = stablehlo.multiply %27, %27 : tensor<27x27xf32>
    %cst_11 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %42 = stablehlo.multiply %41, %40 : tensor<27x27xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %44 = stablehlo.divide %43, %39 : tensor<27x27xf32>
    %45 = stablehlo.multiply %39, %39 : tensor<27x27xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %47 = stablehlo.divide %46, %45 : tensor<27x27xf32>
    %48 = stablehlo.multiply %44, %44 : tensor<27x27xf32>
    %cst_14 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %50 = stablehlo.multiply %49, %44 : tensor<27x27xf32>
    %51 = stablehlo.subtract %48, %44 : tensor<27x27xf32>
    %cst_15 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %53 = stablehlo.multiply %52, %51 : tensor<27x27xf32>
    %cst_16 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %55 = stablehlo.divide %21, %54 : tensor<27x27xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %57 = stablehlo.subtract %56, %55 : tensor<27x27xf32>
    %58 = stablehlo.multiply %57, %57 : tensor<27x27xf32>
    %cst_18 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %60 = stablehlo.multiply %59, %57 : tensor<27x27xf32>
    %61 = stablehlo.multiply %53, %58 : tensor<27x27xf32>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %62:2 = call @_where(%24, %61, %c_19) : (tensor<27x27xi1>, tensor<27x27xf32>, tensor<i32>) -> (tensor<27x27xf32>, tensor<27x27xf32>)
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.reduce(%62#0 init: %cst_20) applies stablehlo.add across dimensions = [0, 1] : (tensor<27x27xf32>, tensor<f32>) -> tensor<f32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %65 = call @_where_0(%24, %62#1, %64) : (tensor<27x27xi1>, tensor<27x27xf32>, tensor<27x27xf32>) -> tensor<27x27xf32>
    %66 = stablehlo.multiply %53, %65 : tensor<27x27xf32>
    %67 = stablehlo.multiply %65, %58 : tensor<27x27xf32>
    %68 = stablehlo.multiply %66, %60 : tensor<27x27xf32>
    %69 = stablehlo.negate %68 : tensor<27x27xf32>
    %cst_22 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %71 = stablehlo.divide %69, %70 : tensor<27x27xf32>
    %cst_23 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %73 = stablehlo.multiply %72, %67 : tensor<27x27xf32>
    %74 = stablehlo.negate %73 : tensor<27x27xf32>
    %75 = stablehlo.multiply %73, %50 : tensor<27x27xf32>
    %76 = stablehlo.add %74, %75 : tensor<27x27xf32>
    %77 = stablehlo.multiply %76, %47 : tensor<27x27xf32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %79 = stablehlo.multiply %77, %78 : tensor<27x27xf32>
    %80 = stablehlo.negate %79 : tensor<27x27xf32>
    %81 = stablehlo.multiply %80, %42 : tensor<27x27xf32>
    %82 = stablehlo.multiply %81, %37 : tensor<27x27xf32>
    %83 = call @_where_0(%24, %25#1, %82) : (tensor<27x27xi1>, tensor<27x27xf32>, tensor<27x27xf32>) -> tensor<27x27xf32>
    %84 = stablehlo.add %71, %83 : tensor<27x27xf32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1] : (tensor<27x27xf32>) -> tensor<27x27x3xf32>
    %86 = stablehlo.multiply %85, %13 : tensor<27x27x3xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.reduce(%86 init: %cst_25) applies stablehlo.add across dimensions = [1] : (tensor<27x27x3xf32>, tensor<f32>) -> tensor<27x3xf32>
    %88 = stablehlo.reshape %87 : (tensor<27x3xf32>) -> tensor<27x1x3xf32>
    %89 = stablehlo.negate %86 : tensor<27x27x3xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %90 = stablehlo.reduce(%89 init: %cst_26) applies stablehlo.add across dimensions = [0] : (tensor<27x27x3xf32>, tensor<f32>) -> tensor<27x3xf32>
    %91 = stablehlo.reshape %90 : (tensor<27x3xf32>) -> tensor<1x27x3xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = stablehlo.reduce(%91 init: %cst_27) applies stablehlo.add across dimensions = [0] : (tensor<1x27x3xf32>, tensor<f32>) -> tensor<27x3xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %93 = stablehlo.reduce(%88 init: %cst_28) applies stablehlo.add across dimensions = [1] : (tensor<27x1x3xf32>, tensor<f32>) -> tensor<27x3xf32>
    %94 = stablehlo.add %92, %93 : tensor<27x3xf32>
    return %63, %94 : tensor<f32>, tensor<27x3xf32>
  }
  func.func private @round(%arg0: tensor<27x27x3xf32>) -> tensor<27x27x3xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<27x27x3xf32>
    return %0 : tensor<27x27x3xf32>
  }
  func.func private @triu(%arg0: tensor<27x27xi1>) -> tensor<27x27xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<27x27xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<27x27xi32>
    %2 = stablehlo.add %0, %1 : tensor<27x27xi32>
    %3 = stablehlo.iota dim = 1 : tensor<27x27xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<27x27xi32>, tensor<27x27xi32>) -> tensor<27x27xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<27x27xi1>
    %6 = stablehlo.select %4, %5, %arg0 : tensor<27x27xi1>, tensor<27x27xi1>
    return %6 : tensor<27x27xi1>
  }
  func.func private @_where(%arg0: tensor<27x27xi1>, %arg1: tensor<27x27xf32>, %arg2: tensor<i32>) -> (tensor<27x27xf32>, tensor<27x27xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<27x27xi1>, tensor<27x27xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    return %2, %3 : tensor<27x27xf32>, tensor<27x27xf32>
  }
  func.func private @_where_0(%arg0: tensor<27x27xi1>, %arg1: tensor<27x27xf32>, %arg2: tensor<27x27xf32>) -> tensor<27x27xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<27x27xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<27x27xi1>, tensor<27x27xf32>
    return %1 : tensor<27x27xf32>
  }
}
