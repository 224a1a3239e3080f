module @jit_hidden_markov_likelihood attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12x6xf32>, %arg1: tensor<6x6xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<12x6xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.slice %arg0 [0:1, 0:6] : (tensor<12x6xf32>) -> tensor<1x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6xf32>) -> tensor<6xf32>
    %2 = stablehlo.slice %arg0 [1:12, 0:6] : (tensor<12x6xf32>) -> tensor<11x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<11x6x6xf32>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<11x6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<11x6xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7:8 = stablehlo.while(%iterArg = %2, %iterArg_21 = %arg1, %iterArg_22 = %3, %iterArg_23 = %c_2, %iterArg_24 = %1, %iterArg_25 = %4, %iterArg_26 = %5, %iterArg_27 = %6) : tensor<11x6xf32>, tensor<6x6xf32>, tensor<6xf32>, tensor<i32>, tensor<6xf32>, tensor<11x6x6xf32>, tensor<11x6xi1>, tensor<11x6xf32>
    cond {
      %c_28 = stablehlo.constant dense<11> : tensor<i32>
      %45 = stablehlo.compare LT, %iterArg_23, %c_28, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %45 : tensor<i1>
    } do {
      %45 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_23) : (tensor<11x6xf32>, tensor<i32>) -> tensor<6xf32>
      %46:4 = func.call @closed_call(%iterArg_21, %iterArg_22, %iterArg_24, %45) : (tensor<6x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<6xf32>, tensor<6x6xf32>, tensor<6xi1>, tensor<6xf32>)
      %47 = func.call @dynamic_update_index_in_dim(%iterArg_25, %46#1, %iterArg_23) : (tensor<11x6x6xf32>, tensor<6x6xf32>, tensor<i32>) -> tensor<11x6x6xf32>
      %48 = func.call @dynamic_update_index_in_dim_0(%iterArg_26, %46#2, %iterArg_23) : (tensor<11x6xi1>, tensor<6xi1>, tensor<i32>) -> tensor<11x6xi1>
      %49 = func.call @dynamic_update_index_in_dim_1(%iterArg_27, %46#3, %iterArg_23) : (tensor<11x6xf32>, tensor<6xf32>, tensor<i32>) -> tensor<11x6xf32>
      %c_28 = stablehlo.constant dense<1> : tensor<i32>
      %50 = stablehlo.add %iterArg_23, %c_28 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_21, %iterArg_22, %50, %46#0, %47, %48, %49 : tensor<11x6xf32>, tensor<6x6xf32>, tensor<6xf32>, tensor<i32>, tensor<6xf32>, tensor<11x6x6xf32>, tensor<11x6xi1>, tensor<11x6xf32>
    }
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %8 = stablehlo.reduce(%7#4 init: %cst_3) applies stablehlo.maximum across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %9 = stablehlo.reshape %8 : (tensor<f32>) -> tensor<1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<1xf32>) -> tensor<6xf32>
    %11 = stablehlo.compare EQ, %7#4, %10, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %12 = stablehlo.convert %11 : (tensor<6xi1>) -> tensor<6xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %14 = stablehlo.maximum %cst_5, %8 : tensor<f32>
    %15 = stablehlo.compare EQ, %8, %14, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.select %15, %cst_7, %cst_6 : tensor<i1>, tensor<f32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %17 = stablehlo.compare EQ, %cst_8, %14, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_10 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %18 = stablehlo.select %17, %cst_10, %cst_9 : tensor<i1>, tensor<f32>
    %19 = stablehlo.divide %16, %18 : tensor<f32>
    %20 = stablehlo.is_finite %14 : (tensor<f32>) -> tensor<i1>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.select %20, %14, %cst_11 : tensor<i1>, tensor<f32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<1xf32>) -> tensor<6xf32>
    %24 = stablehlo.subtract %7#4, %23 : tensor<6xf32>
    %25 = stablehlo.exponential %24 : tensor<6xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.reduce(%25 init: %cst_12) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %27 = stablehlo.sign %26 : tensor<f32>
    %28 = stablehlo.abs %26 : tensor<f32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.compare GE, %26, %cst_13, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %30 = stablehlo.log %28 : tensor<f32>
    %31 = stablehlo.add %30, %21 : tensor<f32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %32 = stablehlo.divide %cst_14, %28 : tensor<f32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.select %29, %cst_15, %32 : tensor<i1>, tensor<f32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.select %29, %32, %cst_16 : tensor<i1>, tensor<f32>
    %35 = stablehlo.negate %33 : tensor<f32>
    %36 = stablehlo.add %34, %35 : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %38 = stablehlo.multiply %37, %25 : tensor<6xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<11x6xf32>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %40:6 = stablehlo.while(%iterArg = %7#5, %iterArg_21 = %7#6, %iterArg_22 = %7#7, %iterArg_23 = %c_18, %iterArg_24 = %38, %iterArg_25 = %39) : tensor<11x6x6xf32>, tensor<11x6xi1>, tensor<11x6xf32>, tensor<i32>, tensor<6xf32>, tensor<11x6xf32>
    cond {
      %c_26 = stablehlo.constant dense<11> : tensor<i32>
      %45 = stablehlo.compare LT, %iterArg_23, %c_26, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %45 : tensor<i1>
    } do {
      %c_26 = stablehlo.constant dense<11> : tensor<i32>
      %45 = stablehlo.subtract %c_26, %iterArg_23 : tensor<i32>
      %c_27 = stablehlo.constant dense<1> : tensor<i32>
      %46 = stablehlo.subtract %45, %c_27 : tensor<i32>
      %47 = func.call @dynamic_index_in_dim_2(%iterArg, %46) : (tensor<11x6x6xf32>, tensor<i32>) -> tensor<6x6xf32>
      %48 = func.call @dynamic_index_in_dim_3(%iterArg_21, %46) : (tensor<11x6xi1>, tensor<i32>) -> tensor<6xi1>
      %49 = func.call @dynamic_index_in_dim(%iterArg_22, %46) : (tensor<11x6xf32>, tensor<i32>) -> tensor<6xf32>
      %50:2 = func.call @closed_call_4(%iterArg_24, %47, %48, %49) : (tensor<6xf32>, tensor<6x6xf32>, tensor<6xi1>, tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>)
      %51 = func.call @dynamic_update_index_in_dim_1(%iterArg_25, %50#1, %46) : (tensor<11x6xf32>, tensor<6xf32>, tensor<i32>) -> tensor<11x6xf32>
      %c_28 = stablehlo.constant dense<1> : tensor<i32>
      %52 = stablehlo.add %iterArg_23, %c_28 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_21, %iterArg_22, %52, %50#0, %51 : tensor<11x6x6xf32>, tensor<11x6xi1>, tensor<11x6xf32>, tensor<i32>, tensor<6xf32>, tensor<11x6xf32>
    }
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.pad %40#5, %cst_19, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<11x6xf32>, tensor<f32>) -> tensor<12x6xf32>
    %42 = stablehlo.broadcast_in_dim %40#4, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.pad %42, %cst_20, low = [0, 0], high = [11, 0], interior = [0, 0] : (tensor<1x6xf32>, tensor<f32>) -> tensor<12x6xf32>
    %44 = stablehlo.add %41, %43 : tensor<12x6xf32>
    return %31, %44 : tensor<f32>, tensor<12x6xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<11x6xf32>, %arg1: tensor<i32>) -> tensor<6xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 6] : (tensor<11x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6xf32>) -> tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @closed_call(%arg0: tensor<6x6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>, %arg3: tensor<6xf32>) -> (tensor<6xf32>, tensor<6x6xf32>, tensor<6xi1>, tensor<6xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x6xf32>
    %2 = stablehlo.add %1, %arg0 : tensor<6x6xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<6x6xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %5 = stablehlo.maximum %4, %3 : tensor<6xf32>
    %6 = stablehlo.is_finite %5 : (tensor<6xf32>) -> tensor<6xi1>
    %7 = stablehlo.select %6, %5, %arg1 : tensor<6xi1>, tensor<6xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<6x6xf32>
    %10 = stablehlo.subtract %2, %9 : tensor<6x6xf32>
    %11 = stablehlo.exponential %10 : tensor<6x6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<6x6xf32>, tensor<f32>) -> tensor<6xf32>
    %13 = stablehlo.abs %12 : tensor<6xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %15 = stablehlo.compare GE, %12, %14, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %16 = stablehlo.log %13 : tensor<6xf32>
    %17 = stablehlo.add %16, %7 : tensor<6xf32>
    %18 = stablehlo.add %17, %arg3 : tensor<6xf32>
    return %18, %11, %15, %13 : tensor<6xf32>, tensor<6x6xf32>, tensor<6xi1>, tensor<6xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<11x6x6xf32>, %arg1: tensor<6x6xf32>, %arg2: tensor<i32>) -> tensor<11x6x6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<6x6xf32>) -> tensor<1x6x6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<11x6x6xf32>, tensor<1x6x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<11x6x6xf32>
    return %1 : tensor<11x6x6xf32>
  }
  func.func private @dynamic_update_index_in_dim_0(%arg0: tensor<11x6xi1>, %arg1: tensor<6xi1>, %arg2: tensor<i32>) -> tensor<11x6xi1> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<6xi1>) -> tensor<1x6xi1>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<11x6xi1>, tensor<1x6xi1>, tensor<i32>, tensor<i32>) -> tensor<11x6xi1>
    return %1 : tensor<11x6xi1>
  }
  func.func private @dynamic_update_index_in_dim_1(%arg0: tensor<11x6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<i32>) -> tensor<11x6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<11x6xf32>, tensor<1x6xf32>, tensor<i32>, tensor<i32>) -> tensor<11x6xf32>
    return %1 : tensor<11x6xf32>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<11x6x6xf32>, %arg1: tensor<i32>) -> tensor<6x6xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 6, 6] : (tensor<11x6x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x6xf32>) -> tensor<6x6xf32>
    return %1 : tensor<6x6xf32>
  }
  func.func private @dynamic_index_in_dim_3(%arg0: tensor<11x6xi1>, %arg1: tensor<i32>) -> tensor<6xi1> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 6] : (tensor<11x6xi1>, tensor<i32>, tensor<i32>) -> tensor<1x6xi1>
    %1 = stablehlo.reshape %0 : (tensor<1x6xi1>) -> tensor<6xi1>
    return %1 : tensor<6xi1>
  }
  func.func private @closed_call_4(%arg0: tensor<6xf32>, %arg1: tensor<6x6xf32>, %arg2: tensor<6xi1>, %arg3: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
    %0 = stablehlo.divide %arg0, %arg3 : tensor<6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.select %arg2, %1, %0 : tensor<6xi1>, tensor<6xf32>
    %3 = stablehlo.select %arg2, %0, %1 : tensor<6xi1>, tensor<6xf32>
    %4 = stablehlo.negate %2 : tensor<6xf32>
    %5 = stablehlo.add %3, %4 : tensor<6xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<6xf32>) -> tensor<6x6xf32>
    %7 = stablehlo.multiply %6, %arg1 : tensor<6x6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<6x6xf32>, tensor<f32>) -> tensor<6xf32>
    %9 = stablehlo.reshape %8 : (tensor<6xf32>) -> tensor<6x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<6x1xf32>, tensor<f32>) -> tensor<6xf32>
    return %10, %arg0 : tensor<6xf32>, tensor<6xf32>
  }
}
