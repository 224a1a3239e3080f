module @jit_bit_manipulation attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32>, %arg1: tensor<16xui32>, %arg2: tensor<6x4xui8>, %arg3: tensor<8xf16>, %arg4: tensor<8xui16>) -> (tensor<16xf32> {jax.result_info = "result[0]"}, tensor<16xui32> {jax.result_info = "result[1]"}, tensor<16xui32> {jax.result_info = "result[2]"}, tensor<16xui32> {jax.result_info = "result[3]"}, tensor<6xui32> {jax.result_info = "result[4]"}, tensor<16x4xui8> {jax.result_info = "result[5]"}, tensor<8xi16> {jax.result_info = "result[6]"}, tensor<8xf16> {jax.result_info = "result[7]"}, tensor<4xi32> {jax.result_info = "result[8]"}, tensor<16xui32> {jax.result_info = "result[9]"}, tensor<16xui32> {jax.result_info = "result[10]"}, tensor<16xui32> {jax.result_info = "result[11]"}, tensor<192xui8> {jax.result_info = "result[12]"}, tensor<16xf32> {jax.result_info = "result[13][0]"}, tensor<16xi32> {jax.result_info = "result[13][1]"}, tensor<16xf32> {jax.result_info = "result[14]"}) {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<16xf32>) -> tensor<16xui32>
    %c = stablehlo.constant dense<1> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %2 = stablehlo.shift_right_logical %arg1, %1 : tensor<16xui32>
    %c_0 = stablehlo.constant dense<1431655765> : tensor<ui32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %4 = stablehlo.and %2, %3 : tensor<16xui32>
    %c_1 = stablehlo.constant dense<1431655765> : tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %6 = stablehlo.and %arg1, %5 : tensor<16xui32>
    %c_2 = stablehlo.constant dense<1> : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %8 = stablehlo.shift_left %6, %7 : tensor<16xui32>
    %9 = stablehlo.or %4, %8 : tensor<16xui32>
    %c_3 = stablehlo.constant dense<2> : tensor<ui32>
    %10 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %11 = stablehlo.shift_right_logical %9, %10 : tensor<16xui32>
    %c_4 = stablehlo.constant dense<858993459> : tensor<ui32>
    %12 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %13 = stablehlo.and %11, %12 : tensor<16xui32>
    %c_5 = stablehlo.constant dense<858993459> : tensor<ui32>
    %14 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %15 = stablehlo.and %9, %14 : tensor<16xui32>
    %c_6 = stablehlo.constant dense<2> : tensor<ui32>
    %16 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %17 = stablehlo.shift_left %15, %16 : tensor<16xui32>
    %18 = stablehlo.or %13, %17 : tensor<16xui32>
    %c_7 = stablehlo.constant dense<4> : tensor<ui32>
    %19 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %20 = stablehlo.shift_right_logical %18, %19 : tensor<16xui32>
    %c_8 = stablehlo.constant dense<252645135> : tensor<ui32>
    %21 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %22 = stablehlo.and %20, %21 : tensor<16xui32>
    %c_9 = stablehlo.constant dense<252645135> : tensor<ui32>
    %23 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %24 = stablehlo.and %18, %23 : tensor<16xui32>
    %c_10 = stablehlo.constant dense<4> : tensor<ui32>
    %25 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %26 = stablehlo.shift_left %24, %25 : tensor<16xui32>
    %27 = stablehlo.or %22, %26 : tensor<16xui32>
    %c_11 = stablehlo.constant dense<8> : tensor<ui32>
    %28 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %29 = stablehlo.shift_right_logical %27, %28 : tensor<16xui32>
    %c_12 = stablehlo.constant dense<16711935> : tensor<ui32>
    %30 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %31 = stablehlo.and %29, %30 : tensor<16xui32>
    %c_13 = stablehlo.constant dense<16711935> : tensor<ui32>
    %32 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %33 = stablehlo.and %27, %32 : tensor<16xui32>
    %c_14 = stablehlo.constant dense<8> : tensor<ui32>
    %34 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %35 = stablehlo.shift_left %33, %34 : tensor<16xui32>
    %36 = stablehlo.or %31, %35 : tensor<16xui32>
    %c_15 = stablehlo.constant dense<2139095039> : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %38 = stablehlo.and %arg1, %37 : tensor<16xui32>
    %39 = stablehlo.bitcast_convert %38 : (tensor<16xui32>) -> tensor<16xf32>
    %c_16 = stablehlo.constant dense<31> : tensor<ui32>
    %40 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %41 = stablehlo.shift_right_logical %0, %40 : tensor<16xui32>
    %c_17 = stablehlo.constant dense<23> : tensor<ui32>
    %42 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %43 = stablehlo.shift_right_logical %0, %42 : tensor<16xui32>
    %c_18 = stablehlo.constant dense<255> : tensor<ui32>
    %44 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %45 = stablehlo.and %43, %44 : tensor<16xui32>
    %c_19 = stablehlo.constant dense<8388607> : tensor<ui32>
    %46 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %47 = stablehlo.and %0, %46 : tensor<16xui32>
    %48 = stablehlo.bitcast_convert %arg2 : (tensor<6x4xui8>) -> tensor<6xui32>
    %49 = stablehlo.bitcast_convert %arg1 : (tensor<16xui32>) -> tensor<16x4xui8>
    %50 = stablehlo.bitcast_convert %arg3 : (tensor<8xf16>) -> tensor<8xi16>
    %c_20 = stablehlo.constant dense<31743> : tensor<ui16>
    %51 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<ui16>) -> tensor<8xui16>
    %52 = stablehlo.and %arg4, %51 : tensor<8xui16>
    %53 = stablehlo.bitcast_convert %52 : (tensor<8xui16>) -> tensor<8xf16>
    %54 = stablehlo.reshape %arg4 : (tensor<8xui16>) -> tensor<4x2xui16>
    %55 = stablehlo.bitcast_convert %54 : (tensor<4x2xui16>) -> tensor<4xi32>
    %c_21 = stablehlo.constant dense<16> : tensor<ui32>
    %56 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %57 = stablehlo.shift_right_logical %36, %56 : tensor<16xui32>
    %c_22 = stablehlo.constant dense<16> : tensor<ui32>
    %58 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<ui32>) -> tensor<16xui32>
    %59 = stablehlo.shift_left %36, %58 : tensor<16xui32>
    %60 = stablehlo.or %57, %59 : tensor<16xui32>
    %61 = stablehlo.popcnt %arg1 : tensor<16xui32>
    %62 = stablehlo.count_leading_zeros %arg1 : tensor<16xui32>
    %63 = call @unpackbits(%arg2) : (tensor<6x4xui8>) -> tensor<192xui8>
    %64:2 = call @frexp(%arg0) : (tensor<16xf32>) -> (tensor<16xf32>, tensor<16xi32>)
    %c_23 = stablehlo.constant dense<3> : tensor<i32>
    %65 = call @ldexp(%arg0, %c_23) : (tensor<16xf32>, tensor<i32>) -> tensor<16xf32>
    return %39, %41, %45, %47, %48, %49, %50, %53, %55, %60, %61, %62, %63, %64#0, %64#1, %65 : tensor<16xf32>, tensor<16xui32>, tensor<16xui32>, tensor<16xui32>, tensor<6xui32>, tensor<16x4xui8>, tensor<8xi16>, tensor<8xf16>, tensor<4xi32>, tensor<16xui32>, tensor<16xui32>, tensor<16xui32>, tensor<192xui8>, tensor<16xf32>, tensor<16xi32>, tensor<16xf32>
  }
  func.func private @unpackbits(%arg0: tensor<6x4xui8>) -> tensor<192xui8> {
    %0 = stablehlo.iota dim = 0 : tensor<8xui8>
    %c = stablehlo.constant dense<1> : tensor<ui8>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui8>) -> tensor<8xui8>
    %2 = stablehlo.shift_left %1, %0 : tensor<8xui8>
    %3 = stablehlo.reverse %2, dims = [0] : tensor<8xui8>
    %4 = stablehlo.reshape %arg0 : (tensor<6x4xui8>) -> tensor<24xui8>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<24xui8>) -> tensor<24x1xui8>
    %6 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<8xui8>) -> tensor<1x8xui8>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<24x1xui8>) -> tensor<24x8xui8>
    %8 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x8xui8>) -> tensor<24x8xui8>
    %9 = stablehlo.and %7, %8 : tensor<24x8xui8>
    %c_0 = stablehlo.constant dense<0> : tensor<ui8>
    %10 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui8>) -> tensor<24x8xui8>
    %11 = stablehlo.compare GT, %9, %10, UNSIGNED : (tensor<24x8xui8>, tensor<24x8xui8>) -> tensor<24x8xi1>
    %12 = stablehlo.convert %11 : (tensor<24x8xi1>) -> tensor<24x8xui8>
    %13 = stablehlo.reshape %12 : (tensor<24x8xui8>) -> tensor<192xui8>
    return %13 : tensor<192xui8>
  }
  func.func private @frexp(%arg0: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xi32>) {
    %0 = stablehlo.abs %arg0 : tensor<16xf32>
    %cst = stablehlo.constant dense<1.17549435E-38> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
    %cst_0 = stablehlo.constant dense<0x4B000000> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %4 = stablehlo.multiply %arg0, %3 : tensor<16xf32>
    %5 = call @_where(%2, %4, %arg0) : (tensor<16xi1>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %c = stablehlo.constant dense<-23> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %6 = call @_where_0(%2, %c, %c_1) : (tensor<16xi1>, tensor<i32>, tensor<i32>) -> tensor<16xi32>
    %7 = stablehlo.bitcast_convert %5 : (tensor<16xf32>) -> tensor<16xi32>
    %c_2 = stablehlo.constant dense<23> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %9 = stablehlo.shift_right_arithmetic %7, %8 : tensor<16xi32>
    %c_3 = stablehlo.constant dense<255> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %11 = stablehlo.and %9, %10 : tensor<16xi32>
    %c_4 = stablehlo.constant dense<127> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %13 = stablehlo.subtract %11, %12 : tensor<16xi32>
    %c_5 = stablehlo.constant dense<1> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %15 = stablehlo.add %13, %14 : tensor<16xi32>
    %16 = stablehlo.add %6, %15 : tensor<16xi32>
    %c_6 = stablehlo.constant dense<-2139095041> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %18 = stablehlo.and %7, %17 : tensor<16xi32>
    %c_7 = stablehlo.constant dense<1056964608> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %20 = stablehlo.or %18, %19 : tensor<16xi32>
    %21 = stablehlo.bitcast_convert %20 : (tensor<16xi32>) -> tensor<16xf32>
    %22 = call @isinf(%arg0) : (tensor<16xf32>) -> tensor<16xi1>
    %23 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
    %24 = stablehlo.or %22, %23 : tensor<16xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %26 = stablehlo.compare EQ, %arg0, %25, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
    %27 = stablehlo.or %24, %26 : tensor<16xi1>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %29 = call @_where_1(%27, %28, %16) : (tensor<16xi1>, tensor<16xi32>, tensor<16xi32>) -> tensor<16xi32>
    %30 = call @_where(%27, %arg0, %21) : (tensor<16xi1>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    return %30, %29 : tensor<16xf32>, tensor<16xi32>
  }
  func.func private @_where(%arg0: tensor<16xi1>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>) -> tensor<16xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<16xi1>, tensor<16xf32>
    return %0 : tensor<16xf32>
  }
  func.func private @_where_0(%arg0: tensor<16xi1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<16xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<16xi1>, tensor<16xi32>
    return %2 : tensor<16xi32>
  }
  func.func private @isinf(%arg0: tensor<16xf32>) -> tensor<16xi1> {
    %0 = stablehlo.abs %arg0 : tensor<16xf32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.compare EQ, %0, %1, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
    return %2 : tensor<16xi1>
  }
  func.func private @_where_1(%arg0: tensor<16xi1>, %arg1: tensor<16xi32>, %arg2: tensor<16xi32>) -> tensor<16xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<16xi1>, tensor<16xi32>
    return %0 : tensor<16xi32>
  }
  func.func private @ldexp(%arg0: tensor<16xf32>, %arg1: tensor<i32>) -> tensor<16xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1:2 = call @frexp(%arg0) : (tensor<16xf32>) -> (tensor<16xf32>, tensor<16xi32>)
    %2 = stablehlo.convert %1#1 : (tensor<16xi32>) -> tensor<16xf32>
    %3 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %4 = stablehlo.add %2, %3 : tensor<16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %6 = stablehlo.compare GT, %4, %5, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %8 = stablehlo.multiply %1#0, %7 : tensor<16xf32>
    %9 = call @_where(%6, %8, %1#0) : (tensor<16xi1>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %11 = stablehlo.compare GT, %4, %10, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %13 = stablehlo.subtract %4, %12 : tensor<16xf32>
    %14 = call @_where(%11, %13, %4) : (tensor<16xi1>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %16 = stablehlo.power %15, %14 : tensor<16xf32>
    %17 = stablehlo.multiply %9, %16 : tensor<16xf32>
    %18 = call @isinf(%arg0) : (tensor<16xf32>) -> tensor<16xi1>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %20 = stablehlo.compare EQ, %arg0, %19, FLOAT : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
    %21 = stablehlo.or %18, %20 : tensor<16xi1>
    %22 = call @_where(%21, %arg0, %17) : (tensor<16xi1>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    return %22 : tensor<16xf32>
  }
}
