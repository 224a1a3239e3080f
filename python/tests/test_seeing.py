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


class Seeing(unittest.TestCase):
    def test_verify(self):
        module = hloir.parse(TEXT)
        verdict = hloir.verify(module, hloir.parse(TEXT.replace("multiply(x, ones)", "multiply(ones, x)")))
        self.assertTrue(verdict)
        self.assertTrue(verdict.proved)
        wrong = hloir.verify(module, hloir.parse(TEXT.replace("negate(y)", "sine(y)")), divergence=True)
        self.assertFalse(wrong)
        self.assertIn("n", wrong.divergence)
        self.assertIn("sine", wrong.divergence)
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
