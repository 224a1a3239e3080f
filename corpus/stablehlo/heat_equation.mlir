module @jit_heat_equation attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<20x20xf32>, %arg1: tensor<f32>) -> (tensor<20x20xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0:4 = stablehlo.while(%iterArg = %arg1, %iterArg_1 = %c_0, %iterArg_2 = %c, %iterArg_3 = %arg0) : tensor<f32>, tensor<i32>, tensor<i32>, tensor<20x20xf32>
    cond {
      %c_4 = stablehlo.constant dense<10> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg_1, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_3) : (tensor<f32>, tensor<i32>, tensor<20x20xf32>) -> (tensor<i32>, tensor<20x20xf32>)
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg_1, %c_4 : tensor<i32>
      stablehlo.return %iterArg, %2, %1#0, %1#1 : tensor<f32>, tensor<i32>, tensor<i32>, tensor<20x20xf32>
    }
    return %0#3 : tensor<20x20xf32>
  }
  func.func private @closed_call(%arg0: tensor<f32>, %arg1: tensor<i32>, %arg2: tensor<20x20xf32>) -> (tensor<i32>, tensor<20x20xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %1 = stablehlo.slice %arg2 [2:20, 1:19] : (tensor<20x20xf32>) -> tensor<18x18xf32>
    %2 = stablehlo.slice %arg2 [0:18, 1:19] : (tensor<20x20xf32>) -> tensor<18x18xf32>
    %3 = stablehlo.add %1, %2 : tensor<18x18xf32>
    %4 = stablehlo.slice %arg2 [1:19, 2:20] : (tensor<20x20xf32>) -> tensor<18x18xf32>
    %5 = stablehlo.add %3, %4 : tensor<18x18xf32>
    %6 = stablehlo.slice %arg2 [1:19, 0:18] : (tensor<20x20xf32>) -> tensor<18x18xf32>
    %7 = stablehlo.add %5, %6 : tensor<18x18xf32>
    %8 = stablehlo.slice %arg2 [1:19, 1:19] : (tensor<20x20xf32>) -> tensor<18x18xf32>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<18x18xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<18x18xf32>
    %11 = stablehlo.subtract %7, %10 : tensor<18x18xf32>
    %12 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<18x18xf32>
    %13 = stablehlo.multiply %12, %11 : tensor<18x18xf32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %16 = stablehlo.concatenate %14, %15, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %17 = "stablehlo.scatter"(%arg2, %16, %13) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %18 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %18 : tensor<f32>
    }) : (tensor<20x20xf32>, tensor<2xi32>, tensor<18x18xf32>) -> tensor<20x20xf32>
    return %0, %17 : tensor<i32>, tensor<20x20xf32>
  }
}
