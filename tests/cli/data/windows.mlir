module @windows {
  func.func public @main(%x: tensor<?x4xf32>) -> tensor<?x?xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %ones = stablehlo.constant dense<1> : tensor<2xi32>
    %two = stablehlo.constant dense<2> : tensor<1xi32>
    %none = stablehlo.constant dense<0> : tensor<2x2xi32>
    %b = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
    %rows = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
    %window = stablehlo.concatenate %rows, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %sums = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %window, %ones, %ones, %ones, %none) {api_version = 2 : i32, called_computations = [@sum]} : (tensor<?x4xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x?xf32>
    return %sums : tensor<?x?xf32>
  }
  func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
    %sum = stablehlo.add %a, %b : tensor<f32>
    return %sum : tensor<f32>
  }
}
