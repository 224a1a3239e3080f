"""hloir.verify's arguments and its verdict, checks pass by pass, and Ctrl-C in long calls."""

import importlib.util
import os
import pathlib
import signal
import tempfile
import threading
import time
import unittest

import numpy as np

import hloir

signal.signal(signal.SIGINT, signal.default_int_handler)


def unary(body, first=""):
    return hloir.parse("HloModule m\nENTRY e { x = f32[4] parameter(0)\n zero = f32[] constant(0)\n"
                       f" zeros = f32[4] broadcast(zero), dimensions={{}}\n {first}\n ROOT r = {body} }}")


class Inputs(unittest.TestCase):
    # max(x, 0) and where(x > 0, x, 0) differ for NaN.
    def setUp(self):
        self.relu = unary("f32[4] maximum(x, zeros)")
        self.where = unary("f32[4] select(pred[4] p, x, zeros)", first="p = pred[4] compare(x, zeros), direction=GT")

    def test_finite_only(self):
        verdict = hloir.verify(self.relu, self.where)
        self.assertFalse(verdict)
        self.assertTrue(np.isnan(verdict.counterexample[0]).any())
        self.assertTrue(hloir.verify(self.relu, self.where, finite_only=True))
        self.assertFalse(hloir.verify(self.relu, unary("f32[4] negate(x)"), finite_only=True))
        with self.assertRaisesRegex(ValueError, "finite_only"):
            hloir.verify(self.relu, self.where, finite_only=True, inputs=[np.ones(4, np.float32)])

    def test_given_inputs(self):
        good, bad = np.array([-1, 0, 1, 2], np.float32), np.array([1, 2, np.nan, 3], np.float32)
        self.assertTrue(hloir.verify(self.relu, self.where, inputs=[good]))
        verdict = hloir.verify(self.relu, self.where, inputs=[bad])
        self.assertFalse(verdict)
        self.assertEqual(verdict.input_sets, 1)
        np.testing.assert_array_equal(verdict.counterexample[0], bad)
        self.assertTrue(hloir.verify(self.relu, self.where, inputs=[[1, 2, 3, 4]]))
        with self.assertRaisesRegex(TypeError, "the module has 1 parameters, not 2"):
            hloir.verify(self.relu, self.where, inputs=[good, good])
        with self.assertRaisesRegex(TypeError, "a list with an argument for each parameter"):
            hloir.verify(self.relu, self.where, inputs=good)
        with self.assertRaisesRegex(TypeError, r"input 0 is float32\[3\]"):
            hloir.verify(self.relu, self.where, inputs=[np.ones(3, np.float32)])

    def test_inputs_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.npz"
            good = np.array([-1, 0, 1, 2], np.float32)
            np.savez(path, in0=good)
            self.assertTrue(hloir.verify(self.relu, self.where, inputs=path))
            with np.load(path) as loaded:
                self.assertTrue(hloir.verify(self.relu, self.where, inputs=loaded))
            np.savez(path, in0=good, out0=np.full(4, 7, np.float32))
            stored = hloir.verify(self.relu, self.where, inputs=str(path))
            self.assertFalse(stored)
            self.assertIn("stored", stored.reason + stored.outcome)
            with self.assertRaises(FileNotFoundError):
                hloir.verify(self.relu, self.where, inputs="nothing.npz")

    def test_other_forms_of_the_same_arrays(self):
        pruned = hloir.parse("HloModule m\nENTRY e { x = f32[4] parameter(0)\n y = f32[4] add(x, x)\n ROOT r = (f32[4]) tuple(y) }")
        whole = hloir.parse("HloModule m\nENTRY e { x = f32[4] parameter(0)\n u = s32[2] parameter(1)\n ROOT r = f32[4] add(x, x) }")
        verdict = hloir.verify(pruned, whole)
        self.assertTrue(verdict)
        self.assertIn("without 1 that the second does not read", " ".join(verdict.notes))
        self.assertFalse(hloir.verify(whole, unary("f32[4] multiply(x, x)")))

    def test_counterexample_of_tuples_and_bf16(self):
        text = """HloModule m
            ENTRY e { p = (bf16[2], s32[]) parameter(0)
              v = bf16[2] get-tuple-element(p), index=0
              ROOT r = bf16[2] negate(v) }"""
        before, after = hloir.parse(text), hloir.parse(text.replace("negate", "abs"))
        verdict = hloir.verify(before, after)
        values, number = verdict.counterexample[0]
        self.assertEqual((str(values.dtype), number.dtype), ("bfloat16", np.int32))
        a, b = before.run(*verdict.counterexample), after.run(*verdict.counterexample)
        self.assertFalse(np.array_equal(a.view(np.uint16), b.view(np.uint16)))
        self.assertIsNone(hloir.verify(before, before).counterexample)

    def test_counterexample_of_devices(self):
        text = """HloModule m, replica_count=2
            add { a = f32[] parameter(0)
              b = f32[] parameter(1)
              ROOT s = f32[] add(a, b) }
            ENTRY e { p = f32[2] parameter(0)
              ROOT r = f32[2] all-reduce(p), replica_groups={}, to_apply=add }"""
        other = text.replace("ROOT s = f32[] add", "ROOT s = f32[] maximum")
        verdict = hloir.verify(hloir.parse(text), hloir.parse(other))
        self.assertFalse(verdict)
        self.assertEqual([each[0].shape for each in verdict.counterexample], [(2,), (2,)])

    def test_callbacks(self):
        def module(body):
            return hloir.parse(f"HloModule m\nENTRY e {{ x = f32[3] parameter(0)\n"
                               f' c = f32[3] custom-call(x), custom_call_target="mine"\n ROOT r = {body} }}')

        before, after = module("f32[3] add(c, c)"), module("f32[3] multiply(c, c)")
        self.assertFalse(hloir.verify(before, after))  # "mine" is made up
        self.assertFalse(hloir.verify(before, after, callbacks={"mine": lambda x: x + 1}))
        self.assertTrue(hloir.verify(before, after, callbacks={"mine": lambda x: np.full(3, 2)}))

        def broken(x):
            raise LookupError("on purpose")

        with self.assertRaisesRegex(LookupError, "on purpose"):
            hloir.verify(before, after, callbacks={"mine": broken})

    def test_unbounded_dimensions_have_the_sizes_of_the_inputs(self):
        text = "HloModule m\nENTRY e {{ x = f32[?,2] parameter(0)\n ROOT r = f32[?,2] {}(x, x) }}"
        double, square = (hloir.parse(text.format(opcode)) for opcode in ("add", "multiply"))
        x = np.arange(6, dtype=np.float32).reshape(3, 2)
        np.testing.assert_array_equal(hloir.run(double, x), 2 * x)
        np.testing.assert_array_equal(hloir.run(double, x[:1]), 2 * x[:1])
        self.assertTrue(hloir.verify(double, double, inputs=[x]))
        self.assertFalse(hloir.verify(double, square, inputs=[x]))
        self.assertTrue(hloir.verify(double, square, inputs=[2 * np.ones((5, 2), np.float32)]))
        with self.assertRaisesRegex(hloir.Error, r"in0 is f32\[3,5\], but the module expects f32\[\?,2\]"):
            hloir.run(double, np.zeros((3, 5), np.float32))

    def test_elided_constants(self):
        text = "HloModule m\nENTRY e {{ x = f32[20] parameter(0)\n c = f32[20] constant({{...}})\n ROOT r = f32[20] {}(x, c) }}"
        before, after = hloir.parse(text.format("multiply")), hloir.parse(text.format("add"))
        with self.assertRaisesRegex(hloir.Error, "constant"):
            hloir.verify(before, after)
        self.assertTrue(hloir.verify(before, hloir.parse(text.format("multiply").replace("(x, c)", "(c, x)")), elided="assume"))
        self.assertFalse(hloir.verify(before, after, elided="assume"))
        self.assertFalse(hloir.verify(before, after, elided="zeros"))
        self.assertIn("{...}", str(before.text("xla")))
        with self.assertRaises(hloir.Error):
            hloir.verify(before, after, elided="nonsense")


class EachPass(unittest.TestCase):
    def setUp(self):
        def wrong(module):
            changed = False
            for i in module.entry:
                if i.opcode == "negate":
                    b = hloir.Builder(i)
                    i.replace_all_uses_with(b.abs(i.operands[0]))
                    changed = True
            return changed

        if "verify-wrong" not in hloir.pass_names():
            hloir.register_pass("verify-wrong", wrong)

            m = hloir.match

            @hloir.rule(m.negate(m.any("a")), "-A => |A|")
            def negate_is_abs(b, i, a):
                return b.abs(a)

            hloir.register_rules("verify-wrong-rule", [negate_is_abs])

    def test_check_each(self):
        with self.assertRaisesRegex(hloir.Error, "verify-wrong changed what the module computes"):
            hloir.optimize(unary("f32[4] negate(x)"), "dce,verify-wrong,dce", check_each=True)
        runs = hloir.optimize(unary("f32[4] negate(x)"), "dce,algebraic-simplifier", check_each=True, verify_each=True)
        self.assertEqual(len(runs), 2)
        self.assertTrue(hloir.optimize(unary("f32[4] negate(x)"), "dce,verify-wrong")[1].changed)

    def test_bisect(self):
        module = unary("f32[4] negate(x)")
        text = str(module)
        found = hloir.bisect(module, "algebraic-simplifier,verify-wrong-rule,dce")
        self.assertTrue(found)
        self.assertEqual(found.rewrite.rule, "negate-is-abs")
        self.assertIn("changes what the module computes", str(found))
        self.assertEqual(str(module), text)
        good = hloir.bisect(module, "algebraic-simplifier,dce")
        self.assertFalse(good)
        self.assertIsNone(good.rewrite)
        self.assertIn("none of the", str(good))


def chain(length, off=-1):
    lines, last = ["HloModule chain", "ENTRY main {", "  x = f32[8] parameter(0)"], "x"
    for k in range(length):
        opcode = ("negate", "abs", "exponential", "cosine", "tanh")[(k * 7 + k // 11 + (k == off)) % 5]
        lines.append(f"  v{k} = f32[8] {opcode}({last})")
        last = f"v{k}"
    return hloir.parse("\n".join(lines + [f"  ROOT r = f32[8] add({last}, x)", "}"]))


class ControlC(unittest.TestCase):
    def interrupted(self, function, after):
        """How long a call goes on after Ctrl-C, in seconds of this process's work: others may keep the machine busy. None if it
        ended before."""
        began, sent, over = time.process_time(), [], threading.Event()

        def interrupt():
            while time.process_time() - began < after:
                if over.wait(0.002):
                    return
            sent.append(time.process_time())
            os.kill(os.getpid(), signal.SIGINT)

        watcher = threading.Thread(target=interrupt)
        try:
            watcher.start()
            function()
            over.set()
            watcher.join()
        except KeyboardInterrupt:
            ended = time.process_time()
            over.set()
            watcher.join()
            return ended - sent[0]
        return None

    def test_long_calls(self):
        long, other = chain(60000), chain(60000, 30000)
        text = "HloModule t\nENTRY e {\n  x = f32[8] parameter(0)\n" + "".join(
            f"  v{k} = f32[8] negate(x)\n" for k in range(400000)) + "  ROOT r = f32[8] abs(x)\n}\n"
        product = hloir.prepare(hloir.parse("""HloModule p
            ENTRY e { a = f32[4000,4000] parameter(0)
                      ROOT d = f32[4000,4000] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0} }"""))
        # One step that is not made of parts.
        factor = hloir.prepare(hloir.parse("""HloModule f
            ENTRY e { a = f32[3000,3000] parameter(0)
                      ROOT c = f32[3000,3000] cholesky(a), lower=true }"""))
        for name, function in (
            ("parse", lambda: hloir.parse(text)),
            ("product", lambda: product(np.zeros((4000, 4000), np.float32))),
            ("factor", lambda: factor(np.eye(3000, dtype=np.float32))),
            ("diff", lambda: hloir.diff(long, other)),
            ("proposals", lambda: hloir.proposals(long)),
            ("verify", lambda: hloir.verify(long, other)),
        ):
            with self.subTest(name):
                took = self.interrupted(function, 0.1)
                self.assertIsNotNone(took)
                # 0.2 s by the clock. An abandoned thread works on for this long, too.
                self.assertLess(took, 0.4)
        # The signal may come while the call begins.
        for _ in range(5):
            took = self.interrupted(lambda: hloir.verify(long, other), 0)
            self.assertIsNotNone(took)
            self.assertLess(took, 0.4)
        # The modules are whole, and other calls go on beside a thread that was left alone.
        self.assertEqual(long.instruction_count, 60002)
        self.assertTrue(hloir.diff(long, long.clone()).same)
        # An executable waits for its abandoned run, and is as good as before.
        np.testing.assert_array_equal(factor(4 * np.eye(3000, dtype=np.float32)), 2 * np.eye(3000, dtype=np.float32))


class Proofs(unittest.TestCase):
    def test_a_proof_is_written_and_checked(self):
        a = unary("f32[4] multiply(s, x)", first="s = f32[4] add(x, zeros)")
        b = unary("f32[4] multiply(x, s)", first="s = f32[4] add(zeros, x)")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "proof"
            verdict = hloir.verify(a, b, proof=path)
            self.assertTrue(verdict.proved)
            self.assertEqual([note for note in verdict.notes if "proof" in note], [])
            checked = hloir.check_proof(a, b, path)
            self.assertTrue(checked)
            self.assertEqual((checked.outcome, checked.why, checked.assumptions), ("holds", "", []))
            self.assertTrue(checked.bits)
            self.assertGreater(checked.steps, 0)
            with self.assertRaisesRegex(hloir.Error, "line 2: the proof is of another first module"):
                hloir.check_proof(unary("f32[4] negate(x)"), b, str(path))
            # A claim that is false.
            lines = path.read_text().splitlines()
            path.write_text("\n".join(lines[:3] + ["1 signs s = r", ""]))
            checked = hloir.check_proof(a, b, path)
            self.assertFalse(checked)
            self.assertEqual(checked.outcome, "false")
            self.assertIn("line 4", checked.why)

    def test_without_a_proof_there_is_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "proof"
            verdict = hloir.verify(unary("f32[4] negate(x)"), unary("f32[4] abs(x)"), proof=path)
            self.assertFalse(verdict)
            self.assertTrue(any("no proof is written" in note for note in verdict.notes), verdict.notes)
            self.assertFalse(path.exists())
            with self.assertRaises(FileNotFoundError):
                hloir.check_proof(unary("f32[4] negate(x)"), unary("f32[4] abs(x)"), path)


@unittest.skipUnless(importlib.util.find_spec("jax"), "there is no JAX")
class Functions(unittest.TestCase):
    def test_check_same(self):
        import jax
        import jax.numpy as jnp

        x = jnp.linspace(-1, 1, 8)
        self.assertTrue(hloir.check_same(lambda x: x * 2, lambda x: x + x, x))
        verdict = hloir.check_same(jnp.sin, jnp.tanh, jax.ShapeDtypeStruct((8,), jnp.float32))
        self.assertFalse(verdict)
        self.assertEqual(verdict.counterexample[0].shape, (8,))
        relu, where = lambda x: jnp.maximum(x, 0), lambda x: jnp.where(x > 0, x, 0)
        self.assertFalse(hloir.check_same(relu, jax.jit(where), x))
        self.assertTrue(hloir.check_same(relu, where, x, finite_only=True))
        self.assertTrue(hloir.check_same(relu, where, x, inputs="given"))
        # An argument that one of the two does not use.
        self.assertTrue(hloir.check_same(lambda x, y: x, lambda x, y: x + 0 * y, x, x, finite_only=True))
        self.assertFalse(hloir.check_same(lambda x, y: x, lambda x, y: x + y, x, x, inputs="given"))


if __name__ == "__main__":
    unittest.main()
