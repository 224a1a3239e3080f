module @jit_bisection attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10xf64>) -> (tensor<10xf64> {jax.result_info = "result[0]"}, tensor<10xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<-4.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %2:5 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %c_1, %iterArg_3 = %c, %iterArg_4 = %0, %iterArg_5 = %1) : tensor<10xf64>, tensor<i64>, tensor<i64>, tensor<10xf64>, tensor<10xf64>
    cond {
      %c_6 = stablehlo.constant dense<50> : tensor<i64>
      %3 = stablehlo.compare LT, %iterArg_2, %c_6, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3:3 = func.call @closed_call(%iterArg, %iterArg_3, %iterArg_4, %iterArg_5) : (tensor<10xf64>, tensor<i64>, tensor<10xf64>, tensor<10xf64>) -> (tensor<i64>, tensor<10xf64>, tensor<10xf64>)
      %c_6 = stablehlo.constant dense<1> : tensor<i64>
      %4 = stablehlo.add %iterArg_2, %c_6 : tensor<i64>
      stablehlo.return %iterArg, %4, %3#0, %3#1, %3#2 : tensor<10xf64>, tensor<i64>, tensor<i64>, tensor<10xf64>, tensor<10xf64>
    }
    return %2#3, %2#4 : tensor<10xf64>, tensor<10xf64>
  }
  func.func private @closed_call(%arg0: tensor<10xf64>, %arg1: tensor<i64>, %arg2: tensor<10xf64>, %arg3: tensor<10xf64>) -> (tensor<i64>, tensor<10xf64>, tensor<10xf64>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg1, %c : tensor<i64>
    %1 = stablehlo.add %arg2, %arg3 : tensor<10xf64>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %3 = stablehlo.divide %1, %2 : tensor<10xf64>
    %4 = stablehlo.multiply %3, %3 : tensor<10xf64>
    %5 = stablehlo.multiply %4, %3 : tensor<10xf64>
    %6 = stablehlo.add %3, %5 : tensor<10xf64>
    %7 = stablehlo.compare LT, %6, %arg0, FLOAT : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xi1>
    %8 = call @_where(%7, %3, %arg2) : (tensor<10xi1>, tensor<10xf64>, tensor<10xf64>) -> tensor<10xf64>
    %9 = call @_where(%7, %arg3, %3) : (tensor<10xi1>, tensor<10xf64>, tensor<10xf64>) -> tensor<10xf64>
    return %0, %8, %9 : tensor<i64>, tensor<10xf64>, tensor<10xf64>
  }
  func.func private @_where(%arg0: tensor<10xi1>, %arg1: tensor<10xf64>, %arg2: tensor<10xf64>) -> tensor<10xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<10xi1>, tensor<10xf64>
    return %0 : tensor<10xf64>
  }
}
