module @jit_complex_c64 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<13xcomplex<f32>>, %arg1: tensor<13xcomplex<f32>>, %arg2: tensor<13xf32>) -> (tensor<13xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[2]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[3]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[4]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[5]"}, tensor<13xf32> {jax.result_info = "result[6]"}, tensor<13xf32> {jax.result_info = "result[7]"}, tensor<13xf32> {jax.result_info = "result[8]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[9]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[10]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[11]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[12]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[13]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[14]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[15]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[16]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[17]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[18]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[19]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[20]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[21]"}, tensor<13xf32> {jax.result_info = "result[22]"}, tensor<13xcomplex<f32>> {jax.result_info = "result[23]"}, tensor<complex<f32>> {jax.result_info = "result[24]"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<13xcomplex<f32>>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<13xcomplex<f32>>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<13xcomplex<f32>>
    %3 = stablehlo.divide %arg0, %arg1 : tensor<13xcomplex<f32>>
    %4 = stablehlo.negate %arg0 : tensor<13xcomplex<f32>>
    %5 = stablehlo.real %arg0 : (tensor<13xcomplex<f32>>) -> tensor<13xf32>
    %6 = stablehlo.imag %arg0 : (tensor<13xcomplex<f32>>) -> tensor<13xf32>
    %7 = stablehlo.negate %6 : tensor<13xf32>
    %8 = stablehlo.complex %5, %7 : tensor<13xcomplex<f32>>
    %9 = stablehlo.real %arg0 : (tensor<13xcomplex<f32>>) -> tensor<13xf32>
    %10 = stablehlo.imag %arg0 : (tensor<13xcomplex<f32>>) -> tensor<13xf32>
    %11 = stablehlo.abs %arg0 : (tensor<13xcomplex<f32>>) -> tensor<13xf32>
    %12 = stablehlo.sign %arg0 : tensor<13xcomplex<f32>>
    %13 = stablehlo.exponential %arg0 : tensor<13xcomplex<f32>>
    %14 = stablehlo.log %arg0 : tensor<13xcomplex<f32>>
    %15 = stablehlo.sqrt %arg0 : tensor<13xcomplex<f32>>
    %16 = stablehlo.rsqrt %arg0 : tensor<13xcomplex<f32>>
    %17 = stablehlo.real %arg0 : (tensor<13xcomplex<f32>>) -> tensor<13xf32>
    %18 = stablehlo.imag %arg0 : (tensor<13xcomplex<f32>>) -> tensor<13xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %20 = stablehlo.compare EQ, %17, %19, FLOAT : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
    %21 = stablehlo.sine %17 : tensor<13xf32>
    %22 = stablehlo.cosine %17 : tensor<13xf32>
    %23 = stablehlo.exponential_minus_one %18 : tensor<13xf32>
    %24 = stablehlo.negate %18 : tensor<13xf32>
    %25 = stablehlo.exponential_minus_one %24 : tensor<13xf32>
    %26 = stablehlo.subtract %23, %25 : tensor<13xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %28 = stablehlo.divide %26, %27 : tensor<13xf32>
    %29 = stablehlo.add %23, %25 : tensor<13xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %31 = stablehlo.add %29, %30 : tensor<13xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %33 = stablehlo.divide %31, %32 : tensor<13xf32>
    %34 = stablehlo.multiply %21, %33 : tensor<13xf32>
    %35 = stablehlo.multiply %22, %28 : tensor<13xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %37 = stablehlo.complex %36, %35 : tensor<13xcomplex<f32>>
    %38 = stablehlo.complex %34, %35 : tensor<13xcomplex<f32>>
    %39 = stablehlo.select %20, %37, %38 : tensor<13xi1>, tensor<13xcomplex<f32>>
    %40 = stablehlo.real %arg0 : (tensor<13xcomplex<f32>>) -> tensor<13xf32>
    %41 = stablehlo.imag %arg0 : (tensor<13xcomplex<f32>>) -> tensor<13xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %43 = stablehlo.compare EQ, %40, %42, FLOAT : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
    %44 = stablehlo.sine %40 : tensor<13xf32>
    %45 = stablehlo.cosine %40 : tensor<13xf32>
    %46 = stablehlo.exponential_minus_one %41 : tensor<13xf32>
    %47 = stablehlo.negate %41 : tensor<13xf32>
    %48 = stablehlo.exponential_minus_one %47 : tensor<13xf32>
    %49 = stablehlo.subtract %46, %48 : tensor<13xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %51 = stablehlo.divide %49, %50 : tensor<13xf32>
    %52 = stablehlo.add %46, %48 : tensor<13xf32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %54 = stablehlo.add %52, %53 : tensor<13xf32>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %56 = stablehlo.divide %54, %55 : tensor<13xf32>
    %57 = stablehlo.multiply %45, %56 : tensor<13xf32>
    %58 = stablehlo.negate %44 : tensor<13xf32>
    %59 = stablehlo.multiply %58, %51 : tensor<13xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %61 = stablehlo.complex %57, %60 : tensor<13xcomplex<f32>>
    %62 = stablehlo.complex %57, %59 : tensor<13xcomplex<f32>>
    %63 = stablehlo.select %43, %61, %62 : tensor<13xi1>, tensor<13xcomplex<f32>>
    %64 = stablehlo.tanh %arg0 : tensor<13xcomplex<f32>>
    %65 = stablehlo.tan %arg0 : tensor<13xcomplex<f32>>
    %66 = stablehlo.exponential_minus_one %arg0 : tensor<13xcomplex<f32>>
    %67 = stablehlo.log_plus_one %arg0 : tensor<13xcomplex<f32>>
    %68 = stablehlo.power %arg0, %arg1 : tensor<13xcomplex<f32>>
    %69 = stablehlo.multiply %arg0, %arg0 : tensor<13xcomplex<f32>>
    %70 = stablehlo.multiply %69, %arg0 : tensor<13xcomplex<f32>>
    %71 = call @angle(%arg0) : (tensor<13xcomplex<f32>>) -> tensor<13xf32>
    %72 = stablehlo.multiply %arg2, %arg2 : tensor<13xf32>
    %73 = stablehlo.complex %arg2, %72 : tensor<13xcomplex<f32>>
    %74 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>) -> tensor<complex<f32>>
    return %0, %1, %2, %3, %4, %8, %9, %10, %11, %12, %13, %14, %15, %16, %39, %63, %64, %65, %66, %67, %68, %70, %71, %73, %74 : tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<13xf32>, tensor<13xcomplex<f32>>, tensor<complex<f32>>
  }
  func.func private @angle(%arg0: tensor<13xcomplex<f32>>) -> tensor<13xf32> {
    %0 = stablehlo.real %arg0 : (tensor<13xcomplex<f32>>) -> tensor<13xf32>
    %1 = stablehlo.imag %arg0 : (tensor<13xcomplex<f32>>) -> tensor<13xf32>
    %2 = stablehlo.atan2 %1, %0 : tensor<13xf32>
    return %2 : tensor<13xf32>
  }
}
