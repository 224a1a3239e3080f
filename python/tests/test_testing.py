"""hloir.testing and the pytest plugin pytest_hloir: what holds passes, what does not fails, golden files are rewritten when asked."""

import importlib.metadata
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

import hloir
from hloir.testing import assert_hlo

TEXT = """HloModule example
ENTRY main {
  x = f32[8,8] parameter(0)
  y = f32[8,8] parameter(1)
  d = f32[8,8] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  n = f32[8,8] negate(d), metadata={op_name="here"}
  ROOT r = f32[8,8] exponential(n)
}
"""
RENAMED = TEXT.replace(" n ", " other ").replace("(n)", "(other)").replace('"here"', '"there"')
WRONG = TEXT.replace("negate", "abs")


class Assertions(unittest.TestCase):
    def fails(self, pattern, function):
        with self.assertRaisesRegex(AssertionError, pattern):
            function()

    def test_matches_by_structure(self):
        with tempfile.TemporaryDirectory() as folder:
            golden = pathlib.Path(folder) / "golden.hlo"
            golden.write_text(TEXT)
            assert_hlo(TEXT).matches(golden).matches(str(golden)).matches(TEXT).matches(hloir.parse(RENAMED))
            assert_hlo(RENAMED).matches(golden)
            self.fails(r"(?s)is not .*golden.hlo.*- n = .*negate.*\+ n = .*abs.*--hloir-update", lambda: assert_hlo(WRONG).matches(golden))
            self.fails("there is no .*nothing.hlo", lambda: assert_hlo(TEXT).matches(golden.with_name("nothing.hlo")))
            self.assertEqual(golden.read_text(), TEXT)

    def test_what_differs_without_names(self):
        for other in (
            TEXT.replace("HloModule example", "HloModule example, replica_count=2"),
            TEXT.replace("HloModule example", "HloModule example, input_output_alias={ {}: (0, {}, may-alias) }"),
            TEXT.replace("f32[8,8] negate", "f32[8,8]{0,1} negate"),
        ):
            self.fails("is not the golden module", lambda: assert_hlo(other).matches(TEXT))

    def test_opcodes(self):
        checked = assert_hlo(TEXT)
        checked.has("dot", "negate").has_no("all-gather", "add").optimized().fuses("negate", "exponential")
        self.fails("there is no fusion", lambda: checked.fuses("negate"))
        self.fails("no fusion of example has negate, dot.*\n.*exponential, negate", lambda: checked.optimized().fuses("negate", "dot", "add"))
        self.fails("example has negate, add:\n  %n = ", lambda: checked.has_no("negate", "add"))
        self.fails("has no add; it has dot", lambda: checked.has("add"))
        for wrong in (checked.has, checked.has_no, checked.fuses):
            with self.assertRaisesRegex(ValueError, "did you mean 'all-gather'"):
                wrong("all_gather")
            with self.assertRaises(ValueError):
                wrong()

    def test_asynchronous_collectives(self):
        started = """HloModule m, replica_count=2
            ENTRY e { p = f32[2] parameter(0)
              s = (f32[2], f32[4]) all-gather-start(p), replica_groups={}, dimensions={0}
              ROOT d = f32[4] all-gather-done(s) }"""
        self.fails("all-gather-start", lambda: assert_hlo(started).has_no("all-gather"))
        assert_hlo(started).has_no("all-reduce")

    def test_quantities_assert_by_themselves(self):
        checked = assert_hlo(TEXT)
        self.assertEqual(int(checked.flops), 2 * 8 * 8 * 8 + 64)
        checked.flops == 1088
        checked.flops != 1
        1000 < checked.flops <= 1088.0
        checked.instructions < 6
        self.fails(r"flops is 1088, not < 1088\n +1024 +%d = ", lambda: checked.flops < 1088)
        self.fails("flops is 1088, not == 1", lambda: checked.flops == 1)
        self.fails("not != 1088", lambda: checked.flops != 1088)
        self.fails("bytes is .* not > 1000000000", lambda: checked.bytes > 1e9)
        self.assertEqual(int(checked.peak_memory), 3 * 256)  # two arguments, and results in place of one another
        self.fails("(?s)peak memory is .* not < 1\n.*peak", lambda: checked.peak_memory < 1)
        with self.assertRaises(TypeError):
            hash(checked.flops)

    def test_equivalent_to(self):
        checked = assert_hlo(TEXT)
        checked.equivalent_to(RENAMED)
        self.fails("(?s)does not compute what .*DISAGREE", lambda: checked.equivalent_to(WRONG))
        ordinary = TEXT.replace("negate(d)", "add(d, y)")
        self.fails("DISAGREE", lambda: checked.equivalent_to(ordinary, finite_only=True))

    def test_sources(self):
        module = hloir.parse(TEXT)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.hlo.gz"
            module.write(str(path))
            for source in (module, TEXT, module.to_proto(), path, str(path)):
                assert_hlo(source).matches(TEXT)
        assert_hlo("module @m { func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> "
                   "{ %0 = stablehlo.negate %x : tensor<4xf32> return %0 : tensor<4xf32> } }").has("negate")
        with self.assertRaisesRegex(TypeError, "optimized"):
            assert_hlo(TEXT).compiled()


@unittest.skipUnless(importlib.util.find_spec("jax"), "there is no JAX")
class Jax(unittest.TestCase):
    def test_stages(self):
        import jax
        import jax.numpy as jnp

        def f(x):
            return jnp.exp(-x) + 1

        x = jnp.ones(64)
        lowered = jax.jit(f).lower(x)
        for what, arguments in ((f, (x,)), (jax.jit(f), (x,)), (lowered, ())):
            assert_hlo(what, *arguments).has("exponential").compiled().fuses("exponential")
        assert_hlo(lowered.compile()).fuses("exponential")
        assert_hlo(f, x).equivalent_to(lambda x: 1 + jnp.exp(-x)).equivalent_to(lowered)
        with self.assertRaisesRegex(AssertionError, "DISAGREE"):
            assert_hlo(f, x).equivalent_to(lambda x: 2 + jnp.exp(-x))


@unittest.skipUnless(importlib.util.find_spec("pytest"), "there is no pytest")
class Plugin(unittest.TestCase):
    TESTS = """
        import sys
        from pathlib import Path

        def test_not_imported():
            assert "hloir" not in sys.modules

        def test_golden(assert_hlo):
            assert_hlo(Path(__file__).with_name("module.hlo").read_text()).matches("golden.hlo")

        def test_late_import():
            from hloir.testing import assert_hlo
            assert_hlo("module.hlo").matches("golden.hlo")
        """

    def pytest(self, folder, *arguments):
        environment = {key: value for key, value in os.environ.items() if key not in ("HLOIR_UPDATE", "PYTEST_ADDOPTS")}
        environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        # The entry point of the installed package; of a tree of sources the plugin by its name.
        entry = [e for e in importlib.metadata.entry_points(group="pytest11") if e.value == "pytest_hloir"]
        plugin = [] if entry else ["-p", "pytest_hloir"]
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, *arguments, "inside"],
                              cwd=folder, env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_golden_files(self):
        with tempfile.TemporaryDirectory() as top:
            folder = pathlib.Path(top) / "inside"
            folder.mkdir()
            (folder / "test_it.py").write_text(textwrap.dedent(self.TESTS))
            golden = folder / "golden.hlo"
            (folder / "module.hlo").write_text(TEXT)
            status, output = self.pytest(top)
            self.assertEqual(status, 1, output)
            self.assertIn("pytest --hloir-update writes it", output)
            self.assertIn("2 failed, 1 passed", output)
            self.assertFalse(golden.exists())
            status, output = self.pytest(top, "--hloir-update")
            self.assertEqual(status, 0, output)
            self.assertIn(f"hloir: wrote {golden}", output)
            text = golden.read_text()
            self.assertNotIn("metadata", text)
            # Names alone differ: nothing is rewritten.
            (folder / "module.hlo").write_text(RENAMED)
            self.assertEqual(self.pytest(top)[0], 0)
            self.assertEqual(self.pytest(top, "--hloir-update")[0], 0)
            self.assertEqual(golden.read_text(), text)
            (folder / "module.hlo").write_text(WRONG)
            status, output = self.pytest(top)
            self.assertEqual(status, 1, output)
            self.assertIn("abs", output)
            self.assertNotIn("testing.py", output)  # the failure shows the test, not what it calls
            self.assertEqual(self.pytest(top, "--hloir-update")[0], 0)
            self.assertIn("abs", golden.read_text())
            self.assertEqual(self.pytest(top)[0], 0)


if __name__ == "__main__":
    unittest.main()
