module @jit_spmd_collectives attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=8]> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<16x8xf32>, %arg1: tensor<8x16xf32>, %arg2: tensor<64xi32>) -> (tensor<16x8xf32> {jax.result_info = "result[0]"}, tensor<64xi32> {jax.result_info = "result[1]"}, tensor<64xi32> {jax.result_info = "result[2]"}, tensor<16x8xf32> {jax.result_info = "result[3]"}, tensor<128x8xf32> {jax.result_info = "result[4]"}, tensor<64x2xf32> {jax.result_info = "result[5]"}, tensor<16x8xf32> {jax.result_info = "result[6]"}, tensor<512x2xf32> {jax.result_info = "result[7]"}, tensor<64xi32> {jax.result_info = "result[8]"}) {
    %0:9 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}]>, <@mesh, [{"x"}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}]>] manual_axes={"x"} (%arg3: tensor<2x8xf32>, %arg4: tensor<8x16xf32>, %arg5: tensor<8xi32>) {
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_0 = stablehlo.constant dense<8> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %5 = "stablehlo.all_reduce"(%arg3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %17 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %17 : tensor<f32>
      }) : (tensor<2x8xf32>) -> tensor<2x8xf32>
      %6 = "stablehlo.all_reduce"(%arg5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<i32>, %arg7: tensor<i32>):
        %17 = stablehlo.maximum %arg6, %arg7 : tensor<i32>
        stablehlo.return %17 : tensor<i32>
      }) : (tensor<8xi32>) -> tensor<8xi32>
      %7 = "stablehlo.all_reduce"(%arg5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<i32>, %arg7: tensor<i32>):
        %17 = stablehlo.minimum %arg6, %arg7 : tensor<i32>
        stablehlo.return %17 : tensor<i32>
      }) : (tensor<8xi32>) -> tensor<8xi32>
      %8 = "stablehlo.all_reduce"(%arg3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %17 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %17 : tensor<f32>
      }) : (tensor<2x8xf32>) -> tensor<2x8xf32>
      %cst = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
      %10 = stablehlo.divide %8, %9 : tensor<2x8xf32>
      %11 = "stablehlo.all_gather"(%arg3) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> : (tensor<2x8xf32>) -> tensor<16x8xf32>
      %12 = "stablehlo.reduce_scatter"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %17 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %17 : tensor<f32>
      }) : (tensor<8x16xf32>) -> tensor<8x2xf32>
      %13 = "stablehlo.collective_permute"(%arg3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
      %14 = "stablehlo.all_to_all"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, split_count = 8 : i64, split_dimension = 1 : i64}> : (tensor<8x16xf32>) -> tensor<64x2xf32>
      %15 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %16 = stablehlo.add %arg5, %15 : tensor<8xi32>
      sdy.return %5, %6, %7, %10, %11, %12, %13, %14, %16 : tensor<2x8xf32>, tensor<8xi32>, tensor<8xi32>, tensor<2x8xf32>, tensor<16x8xf32>, tensor<8x2xf32>, tensor<2x8xf32>, tensor<64x2xf32>, tensor<8xi32>
    } : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<64xi32>) -> (tensor<16x8xf32>, tensor<64xi32>, tensor<64xi32>, tensor<16x8xf32>, tensor<128x8xf32>, tensor<64x2xf32>, tensor<16x8xf32>, tensor<512x2xf32>, tensor<64xi32>)
    return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7, %0#8 : tensor<16x8xf32>, tensor<64xi32>, tensor<64xi32>, tensor<16x8xf32>, tensor<128x8xf32>, tensor<64x2xf32>, tensor<16x8xf32>, tensor<512x2xf32>, tensor<64xi32>
  }
}
