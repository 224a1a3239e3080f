"""Patterns, and rules written in Python: applied, proposed, taken and switched off as all others; what a rule does wrong
is an error that names it; Ctrl-C stops what takes long."""

import contextlib
import os
import signal
import threading
import time
import unittest

import numpy as np

import hloir
from hloir import match as m

# A shell's background jobs ignore Ctrl-C, and what they start with them.
signal.signal(signal.SIGINT, signal.default_int_handler)

TEXT = """HloModule example
ENTRY main {
  x = f32[4] parameter(0)
  zero = f32[] constant(0)
  zeros = f32[4] broadcast(zero), dimensions={}
  two = f32[] constant(2)
  twos = f32[4] broadcast(two), dimensions={}
  y = f32[4] add(zeros, x), metadata={op_name="plus"}
  d = f32[4] divide(y, twos)
  e = f32[4] subtract(d, d)
  ROOT r = f32[4] add(d, e)
}
"""


@hloir.rule(m.add(m.any("a"), m.splat(0), any_order=True), "A + 0 => A", math="rounding")
def my_add_zero(b, i, a):
    return a


@hloir.rule(m.divide(m.any("a"), m.splat(name="c")), "A / C => A * (1 / C)")
def my_reciprocal(b, i, a, c):
    value = hloir.constant_value(c if c.opcode == "constant" else c.operands[0])
    if np.frexp(value)[0] != 0.5:
        return None
    return b.multiply(a, b.splat(1 / value, i.shape))


@hloir.rule(m.subtract(m.any("a"), m.same("a")), "A - A => 0", math="fast", integers="exact")
def my_subtract_self(b, i, a):
    return b.splat(0, i.shape)


hloir.register_rules("my-rules", [my_add_zero, my_reciprocal, my_subtract_self])


class Patterns(unittest.TestCase):
    def test_match(self):
        module = hloir.parse(TEXT)
        y, e = module.entry.find("y"), module.entry.find("e")
        self.assertIsNone(m.add(m.any("a"), m.splat(0)).match(y))
        found = m.add(m.any("a"), m.splat(0), any_order=True, name="whole").match(y)
        self.assertEqual({name: i.name for name, i in found.items()}, {"a": "x", "whole": "y"})
        self.assertIsNotNone(m.subtract(m.any("a"), m.same("a")).match(e))
        self.assertIsNone(m.add(m.any("a"), m.same("a")).match(module.entry.root))
        self.assertEqual([i.name for i in m.splat().find(module)], ["zero", "zeros", "two", "twos"])
        self.assertEqual([i.name for i in m.add().where(lambda i: i.is_root).find(module)], ["r"])
        self.assertEqual([i.name for i in m.any_of(m.add(), m.divide()).one_user().find(module)], ["y"])
        self.assertEqual(m.add().of_type("s32").find(module), [])
        self.assertEqual([i.name for i in m.add().of_type("f32").find(module)], ["y", "r"])
        with self.assertRaises(ValueError):
            m.add(m.any())
        with self.assertRaises(ZeroDivisionError):
            m.add().where(lambda i: 1 // 0).find(module)
        with self.assertRaises(ValueError):
            deep = m.any()
            for _ in range(1000):
                deep = m.negate(deep)


class Rules(unittest.TestCase):
    def test_rules_run_in_a_pipeline_beside_the_others(self):
        module = hloir.parse(TEXT)
        before = module.clone()
        runs = hloir.optimize(module, "[my-rules,dce],cse", math="rounding")
        self.assertEqual([run.name for run in runs if run.changed][0], "my-rules")
        self.assertEqual([i.opcode for i in module.entry if i.opcode == "divide"], [])
        self.assertIsNone(module.entry.find("y"))
        self.assertIsNotNone(module.entry.find("e"))  # fast only
        module.verify()
        self.assertTrue(hloir.verify(before, module))
        hloir.optimize(module, "my-rules", math="fast")
        self.assertEqual(m.subtract().find(module), [])
        self.assertIn("my-rules", hloir.pass_names())

    def test_rules_are_proposed_and_taken(self):
        module = hloir.parse(TEXT)
        text = str(module)
        offers = hloir.proposals(module, "my-rules,algebraic-simplifier", math="rounding")
        self.assertEqual(str(module), text)
        by_id = {offer.id: offer for offer in offers}
        mine = by_id["my-rules/my-reciprocal@main/d"]
        self.assertEqual((mine.rule, mine.formula, mine.math), ("my-reciprocal", "A / C => A * (1 / C)", "exact"))
        self.assertIn("constant(0.5)", mine.after)
        self.assertIn("multiply", mine.after)
        self.assertIn("algebraic-simplifier/add-zero@main/y", by_id)
        self.assertIn("algebraic-simplifier/add-zero@main/y", by_id["my-rules/my-add-zero@main/y"].conflicts)
        made = hloir.take(module, [mine], "my-rules,algebraic-simplifier", math="rounding")
        self.assertEqual([each.id for each in made], [mine.id])
        self.assertEqual(module.entry.root.operands[0].opcode, "multiply")
        self.assertIsNotNone(module.entry.find("y"))

    def test_rules_are_switched_off_by_name(self):
        module = hloir.parse(TEXT)
        hloir.optimize(module, "my-rules", math="rounding", disable=["my-reciprocal"])
        self.assertEqual(len(m.divide().find(module)), 1)
        with self.assertRaises(hloir.Error):
            hloir.optimize(module, "my-rules{disable=no-such-rule}")

    def test_what_a_rule_may_not(self):
        anything = m.divide(m.any("a"), m.any("c"))
        kept = []

        def wrong_shape(b, i, a, c):
            return b.concatenate(a, a, dimensions=[0])

        def no_result(b, i, a, c):
            b.negate(a)

        def raises(b, i, a, c):
            b.negate(a)
            raise KeyError("on purpose")

        def edits(b, i, a, c):
            i.replace_all_uses_with(a)

        def keeps(b, i, a, c):
            kept.append(b)

        def no_instruction(b, i, a, c):
            return 3

        expected = [(wrong_shape, ValueError, r"gave f32\[8\]"), (no_result, ValueError, "gave none"), (raises, KeyError, ""),
                    (edits, ValueError, "edits nothing"), (no_instruction, ValueError, "an instruction or None")]
        for function, error, message in expected:
            with self.subTest(function.__name__):
                hloir.register_rules(f"bad-{function.__name__}", [hloir.rule(anything, "A / C => B")(function)])
                module = hloir.parse(TEXT)
                text = str(module)
                with self.assertRaisesRegex(error, message):
                    hloir.optimize(module, f"bad-{function.__name__}")
                module.verify()
                self.assertEqual(module.hash, hloir.parse(text).hash)
        hloir.register_rules("bad-keeps", [hloir.rule(anything, "A / C => B")(keeps)])
        hloir.optimize(hloir.parse(TEXT), "bad-keeps")
        with self.assertRaises(RuntimeError):
            kept[0].constant(1)

    def test_a_rule_is_not_asked_what_nobody_allows(self):
        built = []

        @hloir.rule(m.divide(m.any("a"), m.any("c")), "A / C => A * (1 / C)")
        def half(b, i, a, c):
            try:
                made = b.reducer("add", "f32"), b.divide(b.splat(1, i.shape), c)
            except Exception:  # a refusal is none of these
                self.fail("caught")
            built.append(made)
            return b.multiply(a, made[1])

        hloir.register_rules("half", [half])
        module = hloir.parse(TEXT)
        text = str(module)
        self.assertEqual(hloir.take(module, [], "half"), [])
        self.assertEqual((built, str(module)), ([], text))

    def test_rules_have_their_place_in_the_default_pipeline(self):
        pipeline = hloir.default_pipeline()
        self.assertTrue(any(name.startswith("fusion") for name in pipeline), pipeline)  # with its options
        module = hloir.parse(TEXT)
        runs = hloir.optimize(module, ["my-rules", *pipeline], math="rounding")
        self.assertEqual(runs[0].name, "my-rules")
        self.assertTrue(runs[0].changed)

    def test_the_example_of_a_busy_module(self):
        module = hloir.parse(TEXT)
        seen = []

        def look(passed):
            thread = threading.Thread(target=lambda: seen.append(self.assertRaises(RuntimeError, str, module)))
            thread.start()
            thread.join()
            seen.append(len(passed.entry))
            return False

        hloir.register_pass("look", look)
        hloir.optimize(module, "look")
        self.assertEqual(seen, [None, 9])
        self.assertIn("example", str(module))


class Interrupts(unittest.TestCase):
    SLOW = """HloModule m
      cond { c = s64[] parameter(0)
        n = s64[] constant(4000000000000)
        ROOT l = pred[] compare(c, n), direction=LT }
      body { b = s64[] parameter(0)
        o = s64[] constant(1)
        ROOT a = s64[] add(b, o) }
      ENTRY e { p = s64[] parameter(0)
        ROOT w = s64[] while(p), condition=cond, body=body }"""

    def stopped(self, call):
        ticks, stop = [], threading.Event()

        def tick():
            while not stop.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.01)

        thread = threading.Thread(target=tick)
        thread.start()
        timer = threading.Timer(0.4, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        began = time.monotonic()
        try:
            with self.assertRaises(KeyboardInterrupt):
                call()
            self.assertLess(time.monotonic() - began, 20)
        finally:
            timer.cancel()
            stop.set()
            thread.join()
        self.assertGreater(len(ticks), 3)  # the GIL was free
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_verify(self):
        a = hloir.parse(self.SLOW)
        b = hloir.parse(self.SLOW.replace("add(b, o)", "subtract(b, o)"))

        def verify():
            while True:
                with contextlib.suppress(hloir.Error):  # the limit of steps
                    hloir.verify(a, b)

        self.stopped(verify)

    def test_optimize(self):
        # Passes that have no end, and work on the other side of the GIL meanwhile.
        flip = hloir.rule(m.negate(m.any("a")), "-A => -1 * A")(lambda b, i, a: b.multiply(b.splat(-1, i.shape), a))
        flop = hloir.rule(m.multiply(m.splat(-1), m.any("a")), "-1 * A => -A")(lambda b, i, a: b.negate(a))
        hloir.register_rules("flip", [flip])
        hloir.register_rules("flop", [flop])
        lines = "\n".join(f"n{k} = f32[4] negate(n{k - 1})" for k in range(1, 3000))
        module = hloir.parse(f"HloModule m\nENTRY e {{ n0 = f32[4] parameter(0)\n{lines}\nROOT r = f32[4] copy(n2999) }}")
        self.stopped(lambda: [hloir.optimize(module, "[flip,flop]") for _ in range(1000)])
        module.verify()

    def test_reduce(self):
        lines = "\n".join(f"n{k} = f32[4] negate(n{k - 1})" for k in range(1, 300))
        module = hloir.parse(f"HloModule m\nENTRY e {{ n0 = f32[4] parameter(0)\n{lines}\nROOT r = f32[4] copy(n299) }}")
        self.stopped(lambda: hloir.reduce(module, lambda candidate: time.sleep(0.02) or candidate.instruction_count > 290))

    def test_a_handler_of_ones_own_is_heard(self):
        heard = []
        old = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        try:
            with self.assertRaises(hloir.Error) as caught:
                hloir.run(hloir.parse(self.SLOW), np.int64(0))
            self.assertEqual(caught.exception.code, "cancelled")
            self.assertEqual(heard, [1])
        finally:
            signal.signal(signal.SIGINT, old)


if __name__ == "__main__":
    unittest.main()
