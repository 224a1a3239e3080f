"""The Python package: reading, walking, editing, rewrites as decisions, passes in Python, running on numpy arrays, errors."""

import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import ml_dtypes
import numpy as np

import hloir

# A shell's background jobs ignore Ctrl-C, and what they start with them.
signal.signal(signal.SIGINT, signal.default_int_handler)

TEXT = """HloModule example

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[4,3] parameter(0)
  zero = f32[] constant(0)
  zeros = f32[4,3] broadcast(zero), dimensions={}
  y = f32[4,3] add(x, zeros), metadata={op_name="plus" source_file="model.py" source_line=7}
  n = f32[4,3] negate(y)
  m = f32[4,3] negate(n)
  ROOT total = f32[4] reduce(m, zero), dimensions={1}, to_apply=add
}
"""


class Graph(unittest.TestCase):
    def test_walk(self):
        module = hloir.parse(TEXT)
        self.assertEqual(module.name, "example")
        self.assertEqual([c.name for c in module.computations], ["add", "main"])
        main = module.entry
        self.assertEqual(len(main), 7)
        total = main.root
        self.assertEqual(total.opcode, "reduce")
        self.assertEqual(total.attributes["dimensions"], "{1}")
        self.assertEqual(total.attributes["to_apply"], "add")
        self.assertEqual([c.name for c in total.called], ["add"])
        self.assertEqual([o.name for o in total.operands], ["m", "zero"])
        y = main.find("y")
        self.assertEqual(y.metadata["source_line"], 7)
        self.assertEqual(y.users, [main.find("n")])
        self.assertEqual(str(y.shape), "f32[4,3]{1,0}")
        self.assertEqual(y.shape.dimensions, [4, 3])
        self.assertIsNone(main.find("nobody"))
        self.assertEqual(len({i for c in module.computations for i in c}), module.instruction_count)
        self.assertEqual(hloir.constant_value(main.find("zero")), np.float32(0))

    def test_text_and_proto_come_back(self):
        module = hloir.parse(TEXT)
        for again in (hloir.parse(str(module)), hloir.parse(module.text("short")), hloir.parse_proto(module.to_proto())):
            self.assertEqual(again.hash, module.hash)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "module.pb.gz")
            module.write(path)
            self.assertEqual(str(hloir.read(path)), str(module))
        with self.assertRaises(ValueError):
            module.text("pretty")

    def test_errors_have_a_place(self):
        with self.assertRaises(hloir.Error) as caught:
            hloir.parse("HloModule m\nENTRY e {\n  ROOT x = f32[] negate(y)\n}\n", "model.hlo")
        self.assertEqual((caught.exception.line, caught.exception.column), (3, 25))
        self.assertEqual(caught.exception.code, "invalid argument")
        self.assertIn("model.hlo:3:25: error: instruction 'y' is not defined", str(caught.exception))

    def test_edits_keep_the_graph_whole(self):
        module = hloir.parse(TEXT)
        main = module.entry
        x, y, n, m, total = (main.find(name) for name in ("x", "y", "n", "m", "total"))
        with self.assertRaises(ValueError):
            y.remove()  # it is used
        with self.assertRaises(ValueError):
            y.replace_all_uses_with(total)  # of another shape
        with self.assertRaises(ValueError):
            y.replace_all_uses_with(module.computations[0].root)  # of another computation
        m.replace_all_uses_with(y)
        m.remove()
        n.remove()
        copy = y.clone_with_operands([x, x])
        total.replace_operand(0, copy)
        y.remove()
        module.verify()
        np.testing.assert_array_equal(hloir.run(module, np.ones((4, 3), np.float32)), np.full(4, 6, np.float32))
        for gone in (m, n, y):
            with self.assertRaises(ReferenceError):
                gone.name

    def test_handles_outlive_what_they_come_from(self):
        root = hloir.parse(TEXT).entry.root
        gc.collect()
        self.assertEqual(root.operands[0].operands[0].name, "n")
        module = hloir.parse(TEXT)
        everything = [i for i in module.entry]
        hloir.optimize(module)
        there, gone = 0, 0
        for instruction in everything:
            try:
                self.assertIs(type(instruction.name), str)
                there += 1
            except ReferenceError:
                gone += 1
        self.assertGreater(there, 0)
        self.assertGreater(gone, 0)


class Rewrites(unittest.TestCase):
    def test_proposals_and_take(self):
        module = hloir.parse(TEXT)
        text = str(module)
        found = hloir.proposals(module, "algebraic-simplifier", math="rounding")
        self.assertEqual(str(module), text)
        ids = [rewrite.id for rewrite in found]
        self.assertIn("algebraic-simplifier/add-zero@main/y", ids)
        add_zero = found[ids.index("algebraic-simplifier/add-zero@main/y")]
        self.assertEqual(add_zero.formula, "A + 0 => A")
        self.assertIn("parameter(0)", add_zero.after)
        made = hloir.take(module, [add_zero], "algebraic-simplifier", math="rounding")
        self.assertEqual([rewrite.id for rewrite in made], [add_zero.id])
        self.assertIsNone(module.entry.find("y"))
        self.assertIsNotNone(module.entry.find("n"))

    def test_optimize_keeps_the_meaning(self):
        module = hloir.parse(TEXT)
        before = module.clone()
        runs = hloir.optimize(module, "algebraic-simplifier,dce", math="rounding")
        self.assertEqual([run.name for run in runs], ["algebraic-simplifier", "dce"])
        self.assertTrue(runs[0].changed)
        self.assertLess(module.instruction_count, before.instruction_count)
        self.assertTrue(hloir.check(before, module))
        self.assertLess(module.cost()["bytes"], before.cost()["bytes"])
        with self.assertRaises(hloir.Error):
            hloir.optimize(module, "no-such-pass")

    def test_a_wrong_rewrite_is_noticed(self):
        before = hloir.parse(TEXT)
        after = hloir.parse(TEXT.replace("negate(n)", "abs(n)"))
        verdict = hloir.check(before, after)
        self.assertFalse(verdict)
        self.assertIn("out0", verdict.reason)

    def test_a_pass_in_python(self):
        def drop_double_negation(module):
            changed = False
            for computation in module.computations:
                for i in computation:
                    if i.opcode == "negate" and i.operands[0].opcode == "negate":
                        i.replace_all_uses_with(i.operands[0].operands[0])
                        changed = True
            self.kept = module
            return changed

        hloir.register_pass("drop-double-negation", drop_double_negation, "-(-A) => A")
        self.assertIn("drop-double-negation", hloir.pass_names())
        module = hloir.parse(TEXT)
        before = module.clone()
        runs = hloir.optimize(module, "[drop-double-negation,dce]")
        self.assertTrue(runs[0].changed)
        self.assertIsNone(module.entry.find("m"))
        self.assertTrue(hloir.check(before, module))
        with self.assertRaises(RuntimeError):
            self.kept.name  # the module was the pass's for the call alone
        with self.assertRaises(hloir.Error):
            hloir.register_pass("dce", drop_double_negation)

        def fail(module):
            raise KeyError("on purpose")

        hloir.register_pass("fails", fail)
        with self.assertRaises(KeyError):
            hloir.optimize(module, "fails")


class Running(unittest.TestCase):
    def one(self, shape, body, dtype_text=""):
        return hloir.prepare(hloir.parse(f"HloModule m\nENTRY e {{ p = {shape} parameter(0)\n ROOT r = {body} }}"))

    def test_types(self):
        for name, dtype in [("f32", np.float32), ("f64", np.float64), ("s32", np.int32), ("u8", np.uint8), ("c64", np.complex64),
                            ("f16", np.float16), ("bf16", ml_dtypes.bfloat16), ("f8e4m3fn", ml_dtypes.float8_e4m3fn), ("s4", ml_dtypes.int4)]:
            with self.subTest(name):
                value = np.array([0, 1, 2, 3], np.int8).astype(dtype)
                result = self.one(f"{name}[4]", f"{name}[4] add(p, p)")(value)
                self.assertEqual(result.dtype, np.dtype(dtype))
                np.testing.assert_array_equal(result.astype(np.complex64), np.array([0, 2, 4, 6], np.complex64))
        flag = self.one("pred[2]", "pred[2] not(p)")(np.array([True, False]))
        np.testing.assert_array_equal(flag, [False, True])

    def test_plans_are_kept(self):
        module = hloir.parse(TEXT)
        x = np.arange(12, dtype=np.float32).reshape(4, 3)
        with tempfile.TemporaryDirectory() as folder:
            first, second = (hloir.prepare(module, cache=folder) for _ in range(2))
            self.assertEqual((first.was_cached, second.was_cached), (False, True))
            np.testing.assert_array_equal(first(x), second(x))
            self.assertEqual(len(os.listdir(folder)), 1)

    def test_tuples_and_out(self):
        pair = self.one("(f32[2], s32[])", "(f32[2], s32[]) copy(p)")
        first, second = pair((np.array([1, 2], np.float32), 5))
        np.testing.assert_array_equal(first, [1, 2])
        self.assertEqual(second, 5)
        double = self.one("f32[3]", "f32[3] add(p, p)")
        out = np.empty(3, np.float32)
        self.assertIs(double(np.ones(3, np.float32), out=out), out)
        np.testing.assert_array_equal(out, [2, 2, 2])
        with self.assertRaises(TypeError):
            double(np.ones(4, np.float32))
        with self.assertRaises(TypeError):
            double(np.ones(3, np.float64))
        with self.assertRaises(TypeError):
            double()
        with self.assertRaises(TypeError):
            double(np.ones(3, np.float32), out=np.empty(6, np.float32)[::2])

    def test_views_that_are_not_contiguous(self):
        double = self.one("f32[3,2]", "f32[3,2] add(p, p)")
        value = np.arange(6, dtype=np.float32).reshape(2, 3).T
        np.testing.assert_array_equal(double(value), 2 * value)

    LOOP = """HloModule m
      cond { c = s64[] parameter(0)
        n = s64[] constant(4000000000000)
        ROOT l = pred[] compare(c, n), direction=LT }
      body { b = s64[] parameter(0)
        o = s64[] constant(1)
        ROOT a = s64[] add(b, o) }
      ENTRY e { p = s64[] parameter(0)
        ROOT w = s64[] while(p), condition=cond, body=body }"""

    def test_control_c_stops_a_run_and_other_threads_go_on(self):
        endless = hloir.prepare(hloir.parse(self.LOOP))
        ticks = []
        stop = threading.Event()

        def tick():
            while not stop.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.01)

        thread = threading.Thread(target=tick)
        thread.start()
        killer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        killer.start()
        began = len(ticks)
        with self.assertRaises(KeyboardInterrupt):
            endless(np.int64(0))
        stop.set()
        thread.join()
        self.assertGreater(len(ticks) - began, 3)  # the GIL was free

    def test_mistakes_are_named(self):
        for read in (hloir.parse, hloir.read):
            with self.assertRaisesRegex(FileNotFoundError, "nothing.hlo"):
                read("nothing.hlo")
        module = hloir.parse("""HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  c = f32[2] constant({...})
  ROOT n = f32[2] add(x, c)
}""")
        with self.assertRaisesRegex(ValueError, "left the constant's values out"):
            hloir.constant_value(module.entry.find("c"))
        with self.assertRaisesRegex(TypeError, r"float64\[2\], not f32\[2\].*astype\('float32'\)"):
            hloir.parse(TEXT.replace("f32[4,3]", "f32[2]").replace("{1}", "{0}").replace("f32[4]", "f32[]")).run(np.ones(2))

    def test_tune(self):
        module = hloir.parse(TEXT)
        heard = []
        tuned = hloir.tune(module, trials=400, passes="dce", progress=lambda *at: heard.append(at))
        self.assertLess(tuned.best["bytes"], tuned.first["bytes"])  # dce alone fuses nothing
        self.assertTrue(tuned.verdict)
        self.assertTrue(tuned.changes)
        self.assertGreater(tuned.tried, 10)
        self.assertIn(f"--passes='{tuned.passes}'", str(tuned))
        again = module.clone()
        hloir.optimize(again, tuned.passes)
        self.assertEqual(again.cost()["bytes"], tuned.best["bytes"])
        self.assertEqual(tuned.module.cost()["bytes"], tuned.best["bytes"])
        self.assertEqual(str(module), str(hloir.parse(TEXT)))
        self.assertEqual(hloir.tune(module, trials=400, passes=["dce"]).passes, tuned.passes)
        self.assertIsNone(hloir.tune(module, trials=5, verify=False).verdict)
        with self.assertRaisesRegex(ValueError, "'roofline'"):
            hloir.tune(module, by="speed")
        with self.assertRaisesRegex(hloir.Error, "nothing"):
            hloir.tune(module, passes="nothing")

        def broken(module):
            raise ZeroDivisionError("broken")

        hloir.register_pass("tune-broken", broken)
        with self.assertRaisesRegex(ZeroDivisionError, "broken"):
            hloir.tune(module, passes="dce,tune-broken")

        def refuse(*at):
            raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            hloir.tune(module, seconds=600, progress=refuse)
        # A shell starts jobs in the background with SIGINT ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            hloir.tune(module, seconds=600)

        # Ctrl-C reaches Python while it runs a pass.
        armed = [True]

        def interrupted(module):
            if armed[0]:
                raise KeyboardInterrupt

        hloir.register_pass("tune-interrupted", interrupted)
        with self.assertRaises(KeyboardInterrupt):
            hloir.tune(module, trials=4000)
        armed[0] = False

    def test_the_command(self):
        done = subprocess.run([sys.executable, "-m", "hloir", "--version"], capture_output=True, text=True, check=True)
        self.assertTrue(done.stdout.startswith(f"hloir {hloir.__version__}"))


if __name__ == "__main__":
    unittest.main()
