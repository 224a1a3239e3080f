"""hloir.blame: of dumps without JAX, and of functions with it."""

import pathlib
import tempfile
import unittest
from unittest import mock

import ml_dtypes
import numpy as np

import hloir

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    jax = None

TWICE = "HloModule m\nENTRY e {\n  x = f32[4] parameter(0)\n  ROOT r = f32[4] add(x, x)\n}\n"
THRICE = "HloModule m\nENTRY e {\n  x = f32[4] parameter(0)\n  d = f32[4] add(x, x)\n  ROOT r = f32[4] add(d, x)\n}\n"


class Dumps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "f.before.hlo").write_text(TWICE)

    def test_a_pass(self):
        (self.folder / "f.after.hlo").write_text(THRICE)
        found = hloir.blame(self.folder)
        self.assertEqual((found.culprit, found.kind, found.instruction), ("pass", "fault", "r"))
        self.assertIn("culprit: pass", str(found))

    def test_a_kernel(self):
        (self.folder / "f.after.hlo").write_text(TWICE)
        x = np.arange(4, dtype=np.float32)
        stored = self.folder / "results.npz"
        np.savez(stored, in0=x, out0=2 * x)
        self.assertEqual(hloir.blame(self.folder, results=stored).culprit, "none")
        np.savez(stored, in0=x, out0=2 * x + [0, 0, 0, 1])
        self.assertEqual(hloir.blame(self.folder, results=stored).culprit, "kernel")

    def test_mistakes(self):
        with self.assertRaises(FileNotFoundError):
            hloir.blame("/no/such/folder")
        with self.assertRaisesRegex(TypeError, "hloir.verify compares"):
            hloir.blame(hloir.parse(TWICE))
        with self.assertRaisesRegex(TypeError, "not a int"):
            hloir.blame(3)
        with self.assertRaisesRegex(TypeError, "arguments belong to a function"):
            hloir.blame(self.folder, np.ones(4))
        with tempfile.TemporaryDirectory() as empty, self.assertRaisesRegex(hloir.Error, "no modules") as raised:
            hloir.blame(empty)
        self.assertEqual(raised.exception.code, "invalid argument")

    def test_without_jax(self):
        with mock.patch.dict("sys.modules", {"jax": None}), self.assertRaisesRegex(ImportError, "takes the path"):
            hloir.blame(lambda x: x, np.ones(4))


@unittest.skipIf(jax is None, "JAX is not installed")
class Functions(unittest.TestCase):
    def test_rounding_or_none(self):
        x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
        found = hloir.blame(lambda x: jax.nn.softmax(x @ x.T, axis=-1), x)
        self.assertIn(found.culprit, ("none", "rounding"))
        self.assertEqual(found.fields["stored"], 1)
        self.assertGreater(found.fields["stages"], 2)

    def test_a_program_that_makes_nan(self):
        found = hloir.blame(jax.jit(lambda x: jnp.sqrt(x) + 1), np.array([4, -1], np.float32))
        self.assertEqual(found.culprit, "program")

    def test_wrong_results_from_elsewhere(self):
        x = np.arange(8, dtype=np.float32)
        function = lambda x, unused: {"y": jnp.cumsum(x), "z": (x * 2).astype(jnp.bfloat16)}
        right = {"y": np.cumsum(x), "z": (x * 2).astype(ml_dtypes.bfloat16)}
        self.assertIn(hloir.blame(function, x, x, results=right).culprit, ("none", "rounding"))
        right["y"][5] += 1
        with tempfile.TemporaryDirectory() as folder:
            found = hloir.blame(function, x, x, results=right, keep=folder)
            self.assertTrue((pathlib.Path(folder) / "results.npz").exists())
        self.assertEqual((found.culprit, found.kind), ("kernel", "fault"))


if __name__ == "__main__":
    unittest.main()
