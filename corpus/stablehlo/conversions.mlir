module @jit_conversions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<23xf32>, %arg1: tensor<23xi32>, %arg2: tensor<23xi1>) -> (tensor<23xi8> {jax.result_info = "result[0]"}, tensor<23xi16> {jax.result_info = "result[1]"}, tensor<23xi32> {jax.result_info = "result[2]"}, tensor<23xf16> {jax.result_info = "result[3]"}, tensor<23xbf16> {jax.result_info = "result[4]"}, tensor<23xf32> {jax.result_info = "result[5]"}, tensor<23xcomplex<f32>> {jax.result_info = "result[6]"}, tensor<23xi8> {jax.result_info = "result[7]"}, tensor<23xi16> {jax.result_info = "result[8]"}, tensor<23xi32> {jax.result_info = "result[9]"}, tensor<23xf16> {jax.result_info = "result[10]"}, tensor<23xbf16> {jax.result_info = "result[11]"}, tensor<23xf32> {jax.result_info = "result[12]"}, tensor<23xcomplex<f32>> {jax.result_info = "result[13]"}, tensor<23xui8> {jax.result_info = "result[14]"}, tensor<23xui16> {jax.result_info = "result[15]"}, tensor<23xui32> {jax.result_info = "result[16]"}, tensor<23xi8> {jax.result_info = "result[17]"}, tensor<23xi16> {jax.result_info = "result[18]"}, tensor<23xi32> {jax.result_info = "result[19]"}, tensor<23xf16> {jax.result_info = "result[20]"}, tensor<23xbf16> {jax.result_info = "result[21]"}, tensor<23xf32> {jax.result_info = "result[22]"}, tensor<23xcomplex<f32>> {jax.result_info = "result[23]"}, tensor<23xui8> {jax.result_info = "result[24]"}, tensor<23xui16> {jax.result_info = "result[25]"}, tensor<23xui32> {jax.result_info = "result[26]"}, tensor<23xui8> {jax.result_info = "result[27]"}, tensor<23xui16> {jax.result_info = "result[28]"}, tensor<23xui32> {jax.result_info = "result[29]"}, tensor<23xi1> {jax.result_info = "result[30]"}, tensor<23xi1> {jax.result_info = "result[31]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<23xf32>) -> tensor<23xi8>
    %1 = stablehlo.convert %arg0 : (tensor<23xf32>) -> tensor<23xi16>
    %2 = stablehlo.convert %arg0 : (tensor<23xf32>) -> tensor<23xi32>
    %3 = stablehlo.convert %arg0 : (tensor<23xf32>) -> tensor<23xf16>
    %4 = stablehlo.convert %arg0 : (tensor<23xf32>) -> tensor<23xbf16>
    %5 = stablehlo.convert %arg0 : (tensor<23xf32>) -> tensor<23xcomplex<f32>>
    %6 = stablehlo.convert %arg1 : (tensor<23xi32>) -> tensor<23xi8>
    %7 = stablehlo.convert %arg1 : (tensor<23xi32>) -> tensor<23xi16>
    %8 = stablehlo.convert %arg1 : (tensor<23xi32>) -> tensor<23xf16>
    %9 = stablehlo.convert %arg1 : (tensor<23xi32>) -> tensor<23xbf16>
    %10 = stablehlo.convert %arg1 : (tensor<23xi32>) -> tensor<23xf32>
    %11 = stablehlo.convert %arg1 : (tensor<23xi32>) -> tensor<23xcomplex<f32>>
    %12 = stablehlo.convert %arg1 : (tensor<23xi32>) -> tensor<23xui8>
    %13 = stablehlo.convert %arg1 : (tensor<23xi32>) -> tensor<23xui16>
    %14 = stablehlo.convert %arg1 : (tensor<23xi32>) -> tensor<23xui32>
    %15 = stablehlo.convert %arg2 : (tensor<23xi1>) -> tensor<23xi8>
    %16 = stablehlo.convert %arg2 : (tensor<23xi1>) -> tensor<23xi16>
    %17 = stablehlo.convert %arg2 : (tensor<23xi1>) -> tensor<23xi32>
    %18 = stablehlo.convert %arg2 : (tensor<23xi1>) -> tensor<23xf16>
    %19 = stablehlo.convert %arg2 : (tensor<23xi1>) -> tensor<23xbf16>
    %20 = stablehlo.convert %arg2 : (tensor<23xi1>) -> tensor<23xf32>
    %21 = stablehlo.convert %arg2 : (tensor<23xi1>) -> tensor<23xcomplex<f32>>
    %22 = stablehlo.convert %arg2 : (tensor<23xi1>) -> tensor<23xui8>
    %23 = stablehlo.convert %arg2 : (tensor<23xi1>) -> tensor<23xui16>
    %24 = stablehlo.convert %arg2 : (tensor<23xi1>) -> tensor<23xui32>
    %25 = stablehlo.abs %arg0 : tensor<23xf32>
    %26 = stablehlo.convert %25 : (tensor<23xf32>) -> tensor<23xui8>
    %27 = stablehlo.abs %arg0 : tensor<23xf32>
    %28 = stablehlo.convert %27 : (tensor<23xf32>) -> tensor<23xui16>
    %29 = stablehlo.abs %arg0 : tensor<23xf32>
    %30 = stablehlo.convert %29 : (tensor<23xf32>) -> tensor<23xui32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %31 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<23xi32>
    %32 = stablehlo.compare NE, %arg1, %31, SIGNED : (tensor<23xi32>, tensor<23xi32>) -> tensor<23xi1>
    %33 = stablehlo.convert %32 : tensor<23xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<23xf32>
    %35 = stablehlo.compare NE, %arg0, %34, FLOAT : (tensor<23xf32>, tensor<23xf32>) -> tensor<23xi1>
    %36 = stablehlo.convert %35 : tensor<23xi1>
    return %0, %1, %2, %3, %4, %arg0, %5, %6, %7, %arg1, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %26, %28, %30, %33, %36 : tensor<23xi8>, tensor<23xi16>, tensor<23xi32>, tensor<23xf16>, tensor<23xbf16>, tensor<23xf32>, tensor<23xcomplex<f32>>, tensor<23xi8>, tensor<23xi16>, tensor<23xi32>, tensor<23xf16>, tensor<23xbf16>, tensor<23xf32>, tensor<23xcomplex<f32>>, tensor<23xui8>, tensor<23xui16>, tensor<23xui32>, tensor<23xi8>, tensor<23xi16>, tensor<23xi32>, tensor<23xf16>, tensor<23xbf16>, tensor<23xf32>, tensor<23xcomplex<f32>>, tensor<23xui8>, tensor<23xui16>, tensor<23xui32>, tensor<23xui8>, tensor<23xui16>, tensor<23xui32>, tensor<23xi1>, tensor<23xi1>
  }
}
