module @jit_dot_of_types attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x7xi32>, %arg1: tensor<7x4xi32>, %arg2: tensor<5x7xui32>, %arg3: tensor<7x4xui32>, %arg4: tensor<5x7xcomplex<f32>>, %arg5: tensor<7x4xcomplex<f32>>) -> (tensor<5x4xi32> {jax.result_info = "result[0]"}, tensor<5x4xui32> {jax.result_info = "result[1]"}, tensor<5x4xcomplex<f32>> {jax.result_info = "result[2]"}, tensor<7x7xcomplex<f32>> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x7xi32>, tensor<7x4xi32>) -> tensor<5x4xi32>
    %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x7xui32>, tensor<7x4xui32>) -> tensor<5x4xui32>
    %2 = stablehlo.dot_general %arg4, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x7xcomplex<f32>>, tensor<7x4xcomplex<f32>>) -> tensor<5x4xcomplex<f32>>
    %3 = stablehlo.real %arg4 : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
    %4 = stablehlo.imag %arg4 : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
    %5 = stablehlo.negate %4 : tensor<5x7xf32>
    %6 = stablehlo.complex %3, %5 : tensor<5x7xcomplex<f32>>
    %7 = stablehlo.transpose %6, dims = [1, 0] : (tensor<5x7xcomplex<f32>>) -> tensor<7x5xcomplex<f32>>
    %8 = stablehlo.dot_general %7, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<7x5xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<7x7xcomplex<f32>>
    return %0, %1, %2, %8 : tensor<5x4xi32>, tensor<5x4xui32>, tensor<5x4xcomplex<f32>>, tensor<7x7xcomplex<f32>>
  }
}
