"""Verdicts, differences, reduction, pictures and explanations; and what Jupyter shows of them."""

import unittest

import hloir

TEXT = """HloModule example
ENTRY main {
  x = f32[4] parameter(0)
  one = f32[] constant(1)
  ones = f32[4] broadcast(one), dimensions={}
  y = f32[4] multiply(x, ones)
  n = f32[4] negate(y)
  ROOT r = f32[4] exponential(n)
}
"""


WHOLE = """HloModule example, num_partitions=2
ENTRY main {
  x = f32[4,8] parameter(0), sharding={devices=[1,2]<=[2]}
  zero = f32[] constant(0)
  sum = f32[4] reduce(x, zero), dimensions={1}, to_apply=add, metadata={op_name="sum" source_file="model.py" source_line=3}
  ROOT out = f32[4] tanh(sum), sharding={replicated}, metadata={op_name="tanh" source_file="model.py" source_line=4}
}
""".replace("ENTRY", "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\nENTRY")


class Seeing(unittest.TestCase):
    def test_verify_names_the_first_wrong_step(self):
        device = WHOLE.replace("ENTRY main", "ENTRY main_spmd").replace("f32[4,8]", "f32[4,4]")
        verdict = hloir.verify(hloir.parse(WHOLE), hloir.parse(device))
        self.assertEqual(verdict.answer, "different")
        self.assertEqual(verdict.first_open, "out (model.py:4), made from sum (model.py:3), a partial result")
        self.assertIn("first wrong step: out (model.py:4)", str(verdict))

    def test_verify(self):
        module = hloir.parse(TEXT)
        verdict = hloir.verify(module, hloir.parse(TEXT.replace("multiply(x, ones)", "multiply(ones, x)")))
        self.assertTrue(verdict)
        self.assertTrue(verdict.proved)
        wrong = hloir.verify(module, hloir.parse(TEXT.replace("negate(y)", "sine(y)")), divergence=True)
        self.assertFalse(wrong)
        self.assertIn("n", wrong.divergence)
        self.assertIn("sine", wrong.divergence)
        self.assertIsNone(wrong.first_open)  # of partitioned programs alone
        with self.assertRaises(hloir.Error):
            hloir.verify(module, hloir.parse(TEXT.replace("f32[4]", "f32[5]")))

    def test_diff(self):
        module = hloir.parse(TEXT)
        after = module.clone()
        hloir.optimize(after, "algebraic-simplifier,dce")
        found = hloir.diff(module, after)
        self.assertFalse(found.same)
        self.assertIn(["x", "x"], [list(pair)[:2] for pair in found.matched])
        self.assertEqual(len(found.removed), 3)
        self.assertEqual(found.added, [])
        self.assertIn("removed", str(found))
        self.assertTrue(hloir.diff(module, module.clone()).same)

    def test_reduce(self):
        module = hloir.parse(TEXT)
        asked = []

        def has_negate(candidate):
            asked.append(candidate)
            candidate.verify()
            return any(i.opcode == "negate" for i in candidate.entry)

        small = hloir.reduce(module, has_negate)
        self.assertLess(small.instruction_count, 4)
        self.assertTrue(has_negate(small))
        self.assertEqual(module.instruction_count, 6)
        with self.assertRaises(ValueError):
            hloir.reduce(module, lambda candidate: False)
        with self.assertRaises(ZeroDivisionError):
            hloir.reduce(module, lambda candidate: candidate.instruction_count == 6 or 1 // 0)

    def test_stats(self):
        found = hloir.stats(hloir.parse(TEXT))
        self.assertEqual(found["instructions"], 6)
        self.assertEqual(found["transcendentals"], 4)

    def test_pages(self):
        module = hloir.parse(TEXT)
        shown = module._repr_html_()
        self.assertTrue(shown.startswith("<iframe srcdoc="))
        self.assertIn("exponential", shown)
        picture = hloir.graph(module, around="n", depth=1)
        self.assertTrue(picture.svg.startswith("<"))
        self.assertIn("negate", picture.dot)
        self.assertNotIn("broadcast", picture.dot)
        with self.assertRaises(hloir.Error):
            hloir.graph(module, around="nobody")
        explanation = hloir.explain(module, "algebraic-simplifier")
        self.assertIn("multiply-one", str(explanation))
        self.assertIn("multiply-one", explanation._repr_html_())
        self.assertEqual(module.instruction_count, 6)
        self.assertIsNone(explanation.after.entry.find("y"))


if __name__ == "__main__":
    unittest.main()
