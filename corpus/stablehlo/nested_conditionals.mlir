module @jit_nested_conditionals attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x6xf32>, %arg1: tensor<6xi1>, %arg2: tensor<i32>) -> (tensor<6xf32> {jax.result_info = "result[0]"}, tensor<i32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1:7 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %arg2, %iterArg_3 = %arg1, %iterArg_4 = %c_1, %iterArg_5 = %c, %iterArg_6 = %0, %iterArg_7 = %c_0) : tensor<6x6xf32>, tensor<i32>, tensor<6xi1>, tensor<i32>, tensor<i32>, tensor<6xf32>, tensor<i32>
    cond {
      %c_8 = stablehlo.constant dense<6> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_4, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2:3 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_3, %iterArg_5, %iterArg_6, %iterArg_7) : (tensor<6x6xf32>, tensor<i32>, tensor<6xi1>, tensor<i32>, tensor<6xf32>, tensor<i32>) -> (tensor<i32>, tensor<6xf32>, tensor<i32>)
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg_4, %c_8 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_2, %iterArg_3, %3, %2#0, %2#1, %2#2 : tensor<6x6xf32>, tensor<i32>, tensor<6xi1>, tensor<i32>, tensor<i32>, tensor<6xf32>, tensor<i32>
    }
    return %1#5, %1#6 : tensor<6xf32>, tensor<i32>
  }
  func.func private @closed_call(%arg0: tensor<6x6xf32>, %arg1: tensor<i32>, %arg2: tensor<6xi1>, %arg3: tensor<i32>, %arg4: tensor<6xf32>, %arg5: tensor<i32>) -> (tensor<i32>, tensor<6xf32>, tensor<i32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg3, %c : tensor<i32>
    %1 = call @dynamic_index_in_dim(%arg0, %arg3) : (tensor<6x6xf32>, tensor<i32>) -> tensor<6xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %2 = stablehlo.clamp %c_0, %arg1, %c_1 : tensor<i32>
    %3:2 = "stablehlo.case"(%2) ({
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %4 = stablehlo.compare LT, %arg3, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %5 = stablehlo.convert %arg3 : tensor<i32>
      %c_3 = stablehlo.constant dense<6> : tensor<i32>
      %6 = stablehlo.add %5, %c_3 : tensor<i32>
      %7 = stablehlo.select %4, %6, %arg3 : tensor<i1>, tensor<i32>
      %8 = stablehlo.dynamic_slice %arg2, %7, sizes = [1] : (tensor<6xi1>, tensor<i32>) -> tensor<1xi1>
      %9 = stablehlo.reshape %8 : (tensor<1xi1>) -> tensor<i1>
      %10 = stablehlo.convert %9 : (tensor<i1>) -> tensor<i32>
      %11:2 = "stablehlo.case"(%10) ({
        %12 = stablehlo.subtract %arg4, %1 : tensor<6xf32>
        stablehlo.return %12, %arg5 : tensor<6xf32>, tensor<i32>
      }, {
        %12 = stablehlo.add %arg4, %1 : tensor<6xf32>
        %c_4 = stablehlo.constant dense<1> : tensor<i32>
        %13 = stablehlo.add %arg5, %c_4 : tensor<i32>
        stablehlo.return %12, %13 : tensor<6xf32>, tensor<i32>
      }) : (tensor<i32>) -> (tensor<6xf32>, tensor<i32>)
      stablehlo.return %11#0, %11#1 : tensor<6xf32>, tensor<i32>
    }, {
      %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %5 = stablehlo.multiply %arg4, %4 : tensor<6xf32>
      %c_2 = stablehlo.constant dense<2> : tensor<i32>
      %6 = stablehlo.add %arg5, %c_2 : tensor<i32>
      stablehlo.return %5, %6 : tensor<6xf32>, tensor<i32>
    }, {
      stablehlo.return %arg4, %arg5 : tensor<6xf32>, tensor<i32>
    }) : (tensor<i32>) -> (tensor<6xf32>, tensor<i32>)
    return %0, %3#0, %3#1 : tensor<i32>, tensor<6xf32>, tensor<i32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<6x6xf32>, %arg1: tensor<i32>) -> tensor<6xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %1 = stablehlo.convert %arg1 : tensor<i32>
    %c_0 = stablehlo.constant dense<6> : tensor<i32>
    %2 = stablehlo.add %1, %c_0 : tensor<i32>
    %3 = stablehlo.select %0, %2, %arg1 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.dynamic_slice %arg0, %3, %c_1, sizes = [1, 6] : (tensor<6x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x6xf32>) -> tensor<6xf32>
    return %5 : tensor<6xf32>
  }
}
