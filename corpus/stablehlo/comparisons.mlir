module @jit_comparisons attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12xf32>, %arg1: tensor<12xi32>, %arg2: tensor<12xui8>, %arg3: tensor<12xi1>, %arg4: tensor<12xcomplex<f32>>) -> (tensor<12xi1> {jax.result_info = "result[0][0]"}, tensor<12xi1> {jax.result_info = "result[0][1]"}, tensor<12xi1> {jax.result_info = "result[0][2]"}, tensor<12xi1> {jax.result_info = "result[0][3]"}, tensor<12xi1> {jax.result_info = "result[0][4]"}, tensor<12xi1> {jax.result_info = "result[0][5]"}, tensor<12xi1> {jax.result_info = "result[1][0]"}, tensor<12xi1> {jax.result_info = "result[1][1]"}, tensor<12xi1> {jax.result_info = "result[1][2]"}, tensor<12xi1> {jax.result_info = "result[1][3]"}, tensor<12xi1> {jax.result_info = "result[1][4]"}, tensor<12xi1> {jax.result_info = "result[1][5]"}, tensor<12xi1> {jax.result_info = "result[2][0]"}, tensor<12xi1> {jax.result_info = "result[2][1]"}, tensor<12xi1> {jax.result_info = "result[2][2]"}, tensor<12xi1> {jax.result_info = "result[2][3]"}, tensor<12xi1> {jax.result_info = "result[2][4]"}, tensor<12xi1> {jax.result_info = "result[2][5]"}, tensor<12xi1> {jax.result_info = "result[3][0]"}, tensor<12xi1> {jax.result_info = "result[3][1]"}, tensor<12xi1> {jax.result_info = "result[3][2]"}, tensor<12xi1> {jax.result_info = "result[3][3]"}, tensor<12xi1> {jax.result_info = "result[3][4]"}, tensor<12xi1> {jax.result_info = "result[3][5]"}, tensor<12xi1> {jax.result_info = "result[4]"}, tensor<12xi1> {jax.result_info = "result[5]"}, tensor<12xi1> {jax.result_info = "result[6]"}, tensor<12xi1> {jax.result_info = "result[7]"}, tensor<12xi1> {jax.result_info = "result[8]"}, tensor<12xi1> {jax.result_info = "result[9]"}) {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<12xf32>
    %1 = stablehlo.compare LT, %arg0, %0, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %2 = stablehlo.compare LE, %arg0, %0, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %3 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %4 = stablehlo.compare GE, %arg0, %0, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %5 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %6 = stablehlo.compare NE, %arg0, %0, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %7 = stablehlo.reverse %arg1, dims = [0] : tensor<12xi32>
    %8 = stablehlo.compare LT, %arg1, %7, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %9 = stablehlo.compare LE, %arg1, %7, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %10 = stablehlo.compare GT, %arg1, %7, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %11 = stablehlo.compare GE, %arg1, %7, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %12 = stablehlo.compare EQ, %arg1, %7, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %13 = stablehlo.compare NE, %arg1, %7, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %14 = stablehlo.reverse %arg2, dims = [0] : tensor<12xui8>
    %15 = stablehlo.compare LT, %arg2, %14, UNSIGNED : (tensor<12xui8>, tensor<12xui8>) -> tensor<12xi1>
    %16 = stablehlo.compare LE, %arg2, %14, UNSIGNED : (tensor<12xui8>, tensor<12xui8>) -> tensor<12xi1>
    %17 = stablehlo.compare GT, %arg2, %14, UNSIGNED : (tensor<12xui8>, tensor<12xui8>) -> tensor<12xi1>
    %18 = stablehlo.compare GE, %arg2, %14, UNSIGNED : (tensor<12xui8>, tensor<12xui8>) -> tensor<12xi1>
    %19 = stablehlo.compare EQ, %arg2, %14, UNSIGNED : (tensor<12xui8>, tensor<12xui8>) -> tensor<12xi1>
    %20 = stablehlo.compare NE, %arg2, %14, UNSIGNED : (tensor<12xui8>, tensor<12xui8>) -> tensor<12xi1>
    %21 = stablehlo.reverse %arg3, dims = [0] : tensor<12xi1>
    %22 = stablehlo.compare LT, %arg3, %21, UNSIGNED : (tensor<12xi1>, tensor<12xi1>) -> tensor<12xi1>
    %23 = stablehlo.compare LE, %arg3, %21, UNSIGNED : (tensor<12xi1>, tensor<12xi1>) -> tensor<12xi1>
    %24 = stablehlo.compare GT, %arg3, %21, UNSIGNED : (tensor<12xi1>, tensor<12xi1>) -> tensor<12xi1>
    %25 = stablehlo.compare GE, %arg3, %21, UNSIGNED : (tensor<12xi1>, tensor<12xi1>) -> tensor<12xi1>
    %26 = stablehlo.compare EQ, %arg3, %21, UNSIGNED : (tensor<12xi1>, tensor<12xi1>) -> tensor<12xi1>
    %27 = stablehlo.compare NE, %arg3, %21, UNSIGNED : (tensor<12xi1>, tensor<12xi1>) -> tensor<12xi1>
    %28 = stablehlo.reverse %arg4, dims = [0] : tensor<12xcomplex<f32>>
    %29 = stablehlo.compare EQ, %arg4, %28, FLOAT : (tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>) -> tensor<12xi1>
    %30 = stablehlo.compare NE, %arg4, %arg4, FLOAT : (tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>) -> tensor<12xi1>
    %31 = stablehlo.reverse %arg3, dims = [0] : tensor<12xi1>
    %32 = stablehlo.and %arg3, %31 : tensor<12xi1>
    %33 = stablehlo.reverse %arg3, dims = [0] : tensor<12xi1>
    %34 = stablehlo.or %arg3, %33 : tensor<12xi1>
    %35 = stablehlo.reverse %arg3, dims = [0] : tensor<12xi1>
    %36 = stablehlo.xor %arg3, %35 : tensor<12xi1>
    %37 = stablehlo.not %arg3 : tensor<12xi1>
    return %1, %2, %3, %4, %5, %6, %8, %9, %10, %11, %12, %13, %15, %16, %17, %18, %19, %20, %22, %23, %24, %25, %26, %27, %29, %30, %32, %34, %36, %37 : tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>, tensor<12xi1>
  }
}
