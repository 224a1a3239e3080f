module @jit_wide_reductions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10xf64>, %arg1: tensor<9xi64>, %arg2: tensor<6xcomplex<f64>>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<f64> {jax.result_info = "result[1]"}, tensor<f64> {jax.result_info = "result[2]"}, tensor<i64> {jax.result_info = "result[3]"}, tensor<i64> {jax.result_info = "result[4]"}, tensor<i64> {jax.result_info = "result[5]"}, tensor<complex<f64>> {jax.result_info = "result[6]"}, tensor<complex<f64>> {jax.result_info = "result[7]"}, tensor<6xcomplex<f64>> {jax.result_info = "result[8]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<10xf64>, tensor<f64>) -> tensor<f64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.multiply across dimensions = [0] : (tensor<10xf64>, tensor<f64>) -> tensor<f64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = call @_var(%arg0, %c) : (tensor<10xf64>, tensor<i64>) -> tensor<f64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %3 = stablehlo.reduce(%arg1 init: %c_1) applies stablehlo.add across dimensions = [0] : (tensor<9xi64>, tensor<i64>) -> tensor<i64>
    %c_2 = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
    %4 = stablehlo.reduce(%arg1 init: %c_2) applies stablehlo.maximum across dimensions = [0] : (tensor<9xi64>, tensor<i64>) -> tensor<i64>
    %5 = call @argmax(%arg1) : (tensor<9xi64>) -> tensor<i64>
    %cst_3 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %6 = stablehlo.reduce(%arg2 init: %cst_3) applies stablehlo.add across dimensions = [0] : (tensor<6xcomplex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
    %cst_4 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %7 = stablehlo.reduce(%arg2 init: %cst_4) applies stablehlo.multiply across dimensions = [0] : (tensor<6xcomplex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
    %8 = call @cumsum(%arg2) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<6xcomplex<f64>>
  }
  func.func private @_var(%arg0: tensor<10xf64>, %arg1: tensor<i64>) -> tensor<f64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<10xf64>, tensor<f64>) -> tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+01> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %3 = stablehlo.divide %1, %2 : tensor<1xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xf64>) -> tensor<10xf64>
    %5 = stablehlo.subtract %arg0, %4 : tensor<10xf64>
    %6 = chlo.square %5 : tensor<10xf64> -> tensor<10xf64>
    %7 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f64>
    %cst_1 = stablehlo.constant dense<1.000000e+01> : tensor<f64>
    %8 = stablehlo.subtract %cst_1, %7 : tensor<f64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<10xf64>, tensor<f64>) -> tensor<f64>
    %10 = stablehlo.divide %9, %8 : tensor<f64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %11 = stablehlo.compare GT, %8, %cst_3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %12 = call @_where(%11, %10, %cst_4) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
    return %12 : tensor<f64>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<f64>, %arg2: tensor<f64>) -> tensor<f64> {
    %0 = stablehlo.convert %arg2 : tensor<f64>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<i1>, tensor<f64>
    return %1 : tensor<f64>
  }
  func.func private @argmax(%arg0: tensor<9xi64>) -> tensor<i64> {
    %0 = stablehlo.iota dim = 0 : tensor<9xi64>
    %c = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<9xi64>, tensor<9xi64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
     reducer(%arg1: tensor<i64>, %arg3: tensor<i64>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i64>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<i64>, tensor<i64>
    }
    return %1#1 : tensor<i64>
  }
  func.func private @cumsum(%arg0: tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>> {
    %0 = call @cumsum_0(%arg0) : (tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>>
    return %0 : tensor<6xcomplex<f64>>
  }
  func.func private @cumsum_0(%arg0: tensor<6xcomplex<f64>>) -> tensor<6xcomplex<f64>> {
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f64>>) -> tensor<complex<f64>>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[5, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 6>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<complex<f64>>, %arg2: tensor<complex<f64>>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<complex<f64>>
      stablehlo.return %2 : tensor<complex<f64>>
    }) : (tensor<6xcomplex<f64>>, tensor<complex<f64>>) -> tensor<6xcomplex<f64>>
    return %1 : tensor<6xcomplex<f64>>
  }
}
