"""JAX, both ways: functions, Lowered, Compiled and Exported in; bytes out that jaxlib loads, compiles and runs. Skipped
without JAX."""

import unittest

import ml_dtypes
import numpy as np

import hloir

try:
    import jax
    import jax.numpy as jnp
    from jaxlib import xla_client
except ImportError:
    jax = None


def block(x, w):
    h = jax.nn.gelu(x @ w)
    return jax.nn.softmax(h, axis=-1), jnp.sum(h ** 2)


@unittest.skipIf(jax is None, "JAX is not installed")
class Jax(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(0)
        self.x = rng.normal(size=(4, 8)).astype(np.float32)
        self.w = rng.normal(size=(8, 6)).astype(np.float32)

    def close(self, a, b):
        for one, other in zip(jax.tree.leaves(a), jax.tree.leaves(b)):
            np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-5)

    def test_in(self):
        wanted = block(self.x, self.w)
        jitted = jax.jit(block)
        lowered = jitted.lower(self.x, self.w)
        sources = {
            "function": lambda: hloir.from_jax(block, self.x, self.w),
            "jitted": lambda: hloir.from_jax(jitted, self.x, self.w),
            "Traced": lambda: hloir.from_jax(jitted.trace(self.x, self.w)),
            "Lowered": lambda: hloir.from_jax(lowered),
            "Compiled": lambda: hloir.from_jax(lowered.compile()),
            "Exported": lambda: hloir.from_jax(jax.export.export(jitted)(self.x, self.w)),
            "StableHLO": lambda: hloir.parse(lowered.as_text()),
            "HLO": lambda: hloir.parse(lowered.as_text("hlo")),
        }
        for name, source in sources.items():
            with self.subTest(name):
                module = source()
                module.verify()
                try:
                    self.close(module.run(self.x, self.w), wanted)
                except hloir.Error as error:
                    # What XLA compiled may call into its own libraries.
                    self.assertEqual((name, error.code), ("Compiled", "unimplemented"))

    def test_exports_of_symbolic_dimensions(self):
        from jax import export

        def f(x, unused, w):
            return jnp.sum(x @ w, axis=0), x.reshape(-1), x.shape[0] * jnp.ones(3)

        rows, inner = export.symbolic_shape("rows, inner")
        shapes = [jax.ShapeDtypeStruct(s, jnp.float32) for s in ((rows, inner), (3,), (inner, 2 * rows))]
        x, unused, w = np.ones((3, 2), np.float32), np.ones(3, np.float32), np.arange(12, dtype=np.float32).reshape(2, 6)
        for platforms in (("cpu",), ("cpu", "cuda")):
            exported = export.export(jax.jit(f), platforms=platforms)(*shapes)
            first = (np.int32(0),) * (len(platforms) - 1)
            for name, module in (
                ("arguments", hloir.from_jax(exported, x, unused, w)),
                ("sizes", hloir.from_jax(exported, sizes={"rows": 3, "inner": 2})),
                ("bytes", hloir.from_jax(exported.serialize(), x, unused, w)),
            ):
                with self.subTest(name, platforms=platforms):
                    self.close(module.run(*first, x, unused, w), f(x, unused, w))
        with self.assertRaises(hloir.Error) as caught:
            hloir.from_jax(exported)
        self.assertIn("sizes={'inner': …, 'rows': …}", caught.exception.__notes__[0])
        for pattern, arguments, sizes in (
            ("has 3 arguments, not 1", (x,), None),
            (r"argument 1 has the sizes \[3, 2\], where the export has \[3\]", (x, x, w), None),
            ("a number for each symbolic dimension: {'inner': …, 'rows': …}", (), {"rows": 3}),
            ("a number for each symbolic dimension", (), 3),
        ):
            with self.subTest(pattern), self.assertRaisesRegex(ValueError, pattern):
                hloir.from_jax(exported, *arguments, sizes=sizes)
        with self.assertRaisesRegex(hloir.Error, "Found inconsistency"):  # the export's own check
            hloir.from_jax(exported, x, unused, w.T)

    def test_gradients_and_shapes_alone(self):
        loss = lambda w, x: block(x, w)[1]
        shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in (self.w, self.x)]
        module = hloir.from_jax(jax.grad(loss), *shapes)
        self.close(module.run(self.w, self.x), jax.grad(loss)(self.w, self.x))

    def compiled(self, module):
        # xla_client's own way from a proto to an executable, without tracing.
        computation = xla_client.XlaComputation(module.to_proto())
        backend = jax.devices("cpu")[0].client
        mlir = xla_client._xla.mlir.xla_computation_to_mlir_module(computation)
        devices = xla_client._xla.DeviceList((jax.devices("cpu")[0],))
        return backend.compile_and_load(mlir, devices)

    def test_out(self):
        module = hloir.from_jax(block, self.x, self.w)
        hloir.optimize(module, "[algebraic-simplifier,cse,dce]", math="rounding")
        executable = self.compiled(module)
        device = jax.devices("cpu")[0]
        arguments = [jax.device_put(a, device) for a in (self.x, self.w)]
        self.close([np.asarray(r) for r in executable.execute(arguments)], block(self.x, self.w))

    def test_out_of_what_was_built(self):
        module = hloir.Module("built")
        b = hloir.Builder(module, "main")
        x = b.parameter("f32[4,8]")
        total = b.reduce(x, b.constant(0.0), dimensions=[1], to_apply=b.reducer("add", "f32"))
        b.build_entry(b.tanh(total))
        result, = self.compiled(module).execute([jax.device_put(self.x, jax.devices("cpu")[0])])
        self.close(np.asarray(result), np.tanh(self.x.sum(1)))

    def test_arrays_go_both_ways_without_a_copy(self):
        double = hloir.prepare(hloir.from_jax(lambda x: x + x, jax.ShapeDtypeStruct((64,), jnp.bfloat16)))
        given = jnp.arange(64, dtype=jnp.bfloat16)
        from hloir._arrays import _as_array
        self.assertEqual(_as_array(given).__array_interface__["data"][0], given.unsafe_buffer_pointer())
        out = np.empty(64, ml_dtypes.bfloat16)
        result = double(given, out=out)
        back = jax.dlpack.from_dlpack(hloir.to_dlpack(result))
        self.assertEqual(back.dtype, jnp.bfloat16)
        np.testing.assert_array_equal(np.asarray(back), np.asarray(given + given))


if __name__ == "__main__":
    unittest.main()
