module @jit_mandelbrot attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<12x16xi32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = call @_linspace(%cst, %cst_0) : (tensor<f32>, tensor<f32>) -> tensor<16xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.add %1, %0 : tensor<16xf32>
    %cst_1 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %3 = call @_linspace_0(%cst_1, %cst_2) : (tensor<f32>, tensor<f32>) -> tensor<12xf32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %5 = stablehlo.add %4, %3 : tensor<12xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<12xf32>) -> tensor<12x1xf32>
    %7 = stablehlo.convert %6 : (tensor<12x1xf32>) -> tensor<12x1xcomplex<f32>>
    %cst_3 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<complex<f32>>) -> tensor<12x1xcomplex<f32>>
    %9 = stablehlo.multiply %8, %7 : tensor<12x1xcomplex<f32>>
    %10 = stablehlo.convert %2 : (tensor<16xf32>) -> tensor<16xcomplex<f32>>
    %11 = stablehlo.broadcast_in_dim %10, dims = [1] : (tensor<16xcomplex<f32>>) -> tensor<1x16xcomplex<f32>>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x16xcomplex<f32>>) -> tensor<12x16xcomplex<f32>>
    %13 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<12x1xcomplex<f32>>) -> tensor<12x16xcomplex<f32>>
    %14 = stablehlo.add %12, %13 : tensor<12x16xcomplex<f32>>
    %cst_4 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<complex<f32>>) -> tensor<12x16xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12x16xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %17:5 = stablehlo.while(%iterArg = %14, %iterArg_7 = %c_6, %iterArg_8 = %c_5, %iterArg_9 = %15, %iterArg_10 = %16) : tensor<12x16xcomplex<f32>>, tensor<i32>, tensor<i32>, tensor<12x16xcomplex<f32>>, tensor<12x16xi32>
    cond {
      %c_11 = stablehlo.constant dense<20> : tensor<i32>
      %18 = stablehlo.compare LT, %iterArg_7, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %18 : tensor<i1>
    } do {
      %18:3 = func.call @closed_call(%iterArg, %iterArg_8, %iterArg_9, %iterArg_10) : (tensor<12x16xcomplex<f32>>, tensor<i32>, tensor<12x16xcomplex<f32>>, tensor<12x16xi32>) -> (tensor<i32>, tensor<12x16xcomplex<f32>>, tensor<12x16xi32>)
      %c_11 = stablehlo.constant dense<1> : tensor<i32>
      %19 = stablehlo.add %iterArg_7, %c_11 : tensor<i32>
      stablehlo.return %iterArg, %19, %18#0, %18#1, %18#2 : tensor<12x16xcomplex<f32>>, tensor<i32>, tensor<i32>, tensor<12x16xcomplex<f32>>, tensor<12x16xi32>
    }
    return %17#4 : tensor<12x16xi32>
  }
  func.func private @_linspace(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<16xf32> {
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
  func.func private @_linspace_0(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<12xf32> {
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
  func.func private @closed_call(%arg0: tensor<12x16xcomplex<f32>>, %arg1: tensor<i32>, %arg2: tensor<12x16xcomplex<f32>>, %arg3: tensor<12x16xi32>) -> (tensor<i32>, tensor<12x16xcomplex<f32>>, tensor<12x16xi32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %1 = stablehlo.real %arg2 : (tensor<12x16xcomplex<f32>>) -> tensor<12x16xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<12x16xf32>
    %3 = stablehlo.imag %arg2 : (tensor<12x16xcomplex<f32>>) -> tensor<12x16xf32>
    %4 = stablehlo.multiply %3, %3 : tensor<12x16xf32>
    %5 = stablehlo.add %2, %4 : tensor<12x16xf32>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %7 = stablehlo.compare LT, %5, %6, FLOAT : (tensor<12x16xf32>, tensor<12x16xf32>) -> tensor<12x16xi1>
    %8 = stablehlo.multiply %arg2, %arg2 : tensor<12x16xcomplex<f32>>
    %9 = stablehlo.add %8, %arg0 : tensor<12x16xcomplex<f32>>
    %10 = call @_where(%7, %9, %arg2) : (tensor<12x16xi1>, tensor<12x16xcomplex<f32>>, tensor<12x16xcomplex<f32>>) -> tensor<12x16xcomplex<f32>>
    %11 = stablehlo.convert %7 : (tensor<12x16xi1>) -> tensor<12x16xi32>
    %12 = stablehlo.add %arg3, %11 : tensor<12x16xi32>
    return %0, %10, %12 : tensor<i32>, tensor<12x16xcomplex<f32>>, tensor<12x16xi32>
  }
  func.func private @_where(%arg0: tensor<12x16xi1>, %arg1: tensor<12x16xcomplex<f32>>, %arg2: tensor<12x16xcomplex<f32>>) -> tensor<12x16xcomplex<f32>> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<12x16xi1>, tensor<12x16xcomplex<f32>>
    return %0 : tensor<12x16xcomplex<f32>>
  }
}
