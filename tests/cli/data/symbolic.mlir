// x + arange(b)[:, None] for x: f32[b, 4], as jax.export writes symbolic shapes.
module @symbolic {
  func.func public @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %b = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
    %ok = stablehlo.compare GE, %b, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%ok, %b) {api_version = 2 : i32, error_message = "expected b >= 1, got {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %four = stablehlo.constant dense<4> : tensor<1xi32>
    %size = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
    %line = stablehlo.dynamic_iota %size, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
    %sizes = stablehlo.concatenate %size, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %rows = stablehlo.dynamic_broadcast_in_dim %line, %sizes, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x4xf32>
    %sum = stablehlo.add %x, %rows : tensor<?x4xf32>
    return %sum : tensor<?x4xf32>
  }
}
