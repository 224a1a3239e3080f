"""What one instruction can be asked: its opcode, operands and users far and near, what it calls by role, shapes."""

import unittest

import ml_dtypes
import numpy as np

import hloir

TEXT = """HloModule example
cond { c = (s32[], f32[4]) parameter(0)
  k = s32[] get-tuple-element(c), index=0
  n = s32[] constant(3)
  ROOT l = pred[] compare(k, n), direction=LT }
body { b = (s32[], f32[4]) parameter(0)
  j = s32[] get-tuple-element(b), index=0
  one = s32[] constant(1)
  next = s32[] add(j, one)
  v = f32[4] get-tuple-element(b), index=1
  ROOT t = (s32[], f32[4]) tuple(next, v) }
yes { y = f32[4] parameter(0)
  ROOT yn = f32[4] negate(y) }
no { z = f32[4] parameter(0)
  ROOT zn = f32[4] abs(z) }
fused { f = f32[4] parameter(0)
  ROOT e = f32[4] exponential(f) }
add { p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] add(p, q) }
ENTRY main {
  x = f32[4] parameter(0)
  flag = pred[] parameter(1)
  zero = s32[] constant(0)
  start = (s32[], f32[4]) tuple(zero, x)
  loop = (s32[], f32[4]) while(start), condition=cond, body=body
  values = f32[4] get-tuple-element(loop), index=1
  chosen = f32[4] conditional(flag, values, values), true_computation=yes, false_computation=no
  fusion = f32[4] fusion(chosen), kind=kLoop, calls=fused
  initial = f32[] constant(0)
  total = f32[] reduce(fusion, initial), dimensions={0}, to_apply=add
  wide = bf16[2,3]{0,1} constant({{1,2,3},{4,5,6}})
  late = f32[4] copy(x), control-predecessors={total}
  ROOT r = (f32[], f32[4], bf16[2,3]{0,1}) tuple(total, late, wide)
}
"""


class Walking(unittest.TestCase):
    def setUp(self):
        self.module = hloir.parse(TEXT)
        self.main = self.module.entry

    def find(self, name):
        return self.main.find(name)

    def test_opcodes(self):
        total = self.find("total")
        self.assertTrue(total.is_a("add", "reduce"))
        self.assertFalse(total.is_a("add"))
        for wrong in ("Reduce", "reduc"):
            with self.assertRaisesRegex(ValueError, "did you mean 'reduce'"):
                total.is_a("add", wrong)
        with self.assertRaises(TypeError):
            total.is_a()
        with self.assertRaisesRegex(TypeError, "i.is_a"):
            total.is_a(["add"])
        flags = lambda name: [k for k in ("is_constant", "is_parameter", "is_fusion", "is_elementwise", "is_collective")
                              if getattr(self.find(name), k)]
        self.assertEqual(flags("x"), ["is_parameter"])
        self.assertEqual(flags("zero"), ["is_constant"])
        self.assertEqual(flags("fusion"), ["is_fusion"])
        self.assertEqual(flags("late"), ["is_elementwise"])
        self.assertEqual([self.find(name).parameter_number for name in ("x", "flag", "total")], [0, 1, None])

    def test_walks(self):
        names = lambda found: [i.name for i in found]
        self.assertEqual(names(self.find("values").walk_operands()), ["loop", "start", "zero", "x"])
        self.assertEqual(names(self.find("loop").walk_users()), ["values", "chosen", "fusion", "total", "r"])
        self.assertEqual(self.find("x").walk_operands(), [])
        # Each once, though a chain of diamonds has a path for each of 2^40 choices.
        module = hloir.Module("diamonds")
        b = hloir.Builder(module, "main")
        x = last = b.parameter("f32[]")
        for _ in range(40):
            last = b.add(last, last)
        b.build_entry(last)
        self.assertEqual(len(last.walk_operands()), 40)
        self.assertEqual(x.walk_users()[-1], last)

    def test_callees_by_role(self):
        roles = lambda name: {role: [c.name for c in called] if isinstance(called, list) else called.name
                              for role, called in self.find(name).callees.items()}
        self.assertEqual(roles("loop"), {"condition": "cond", "body": "body"})
        self.assertEqual(roles("chosen"), {"true_computation": "yes", "false_computation": "no"})
        self.assertEqual(roles("fusion"), {"calls": "fused"})
        self.assertEqual(roles("total"), {"to_apply": "add"})
        self.assertEqual(roles("x"), {})
        loop, total, fusion = self.find("loop"), self.find("total"), self.find("fusion")
        self.assertEqual((loop.condition.name, loop.body.name, loop.to_apply, loop.fused), ("cond", "body", None, None))
        self.assertEqual((total.to_apply.name, total.body), ("add", None))
        self.assertEqual(fusion.fused.name, "fused")
        self.assertEqual([c.name for c in self.find("chosen").branches], ["yes", "no"])
        self.assertEqual(loop.branches, [])
        switch = hloir.parse(TEXT.replace("flag = pred[]", "flag = s32[]").replace(
            "true_computation=yes, false_computation=no", "branch_computations={yes, no}")).entry.find("chosen")
        self.assertEqual([c.name for c in switch.callees["branch_computations"]], ["yes", "no"])
        self.assertEqual([c.name for c in switch.branches], ["yes", "no"])

    def test_control_dependencies(self):
        total, late = self.find("total"), self.find("late")
        self.assertEqual(late.control_predecessors, [total])
        self.assertEqual(total.control_successors, [late])
        self.assertEqual(self.find("x").control_predecessors, [])

    def test_shapes_and_values(self):
        wide = self.find("wide")
        self.assertEqual((wide.shape.dims, wide.shape.rank, wide.shape.layout), ([2, 3], 2, [0, 1]))
        self.assertEqual(wide.dtype, np.dtype(ml_dtypes.bfloat16))
        self.assertEqual(self.find("x").shape.dtype, np.float32)
        np.testing.assert_array_equal(wide.value.astype(np.float32), [[1, 2, 3], [4, 5, 6]])
        self.assertEqual((self.main.root.shape.rank, self.main.root.shape.layout, self.main.root.shape.dims), (0, None, []))
        with self.assertRaisesRegex(TypeError, "is not an array"):
            self.main.root.dtype
        with self.assertRaises(ValueError):
            self.find("x").value


class Printing(unittest.TestCase):
    def test_styles(self):
        module = hloir.parse(TEXT.replace("copy(x)", 'copy(x), metadata={op_name="a/b"}'))
        self.assertIn("a/b", module.text())
        self.assertNotIn("metadata", module.text(metadata=False))
        self.assertEqual(hloir.parse(module.text(metadata=False)).hash, module.hash)
        self.assertEqual(module.text("default"), module.text("xla"))
        self.assertEqual(module.to_string("short"), module.text("short"))
        self.assertNotIn("late", module.text("fingerprint"))
        many = hloir.parse("HloModule m\nENTRY e { ROOT c = s32[20] constant({" + ",".join(map(str, range(20))) + "}) }")
        self.assertIn("{...}", many.text("xla"))
        self.assertIn("19}", many.text("xla", large_constants=True))
        self.assertIn("{...}", many.text("readable", large_constants=False))
        with self.assertRaisesRegex(ValueError, "'readable'"):
            module.text("pretty")

    def test_costs(self):
        module = hloir.parse("HloModule m\nENTRY e { x = f32[1024,1024] parameter(0)\n"
                             "ROOT d = f32[1024,1024] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0} }")
        plain = module.cost()
        self.assertNotIn("roofline", plain)
        for device in ("h100", hloir._devices._FOLDER / "h100.json"):
            cost = module.cost(device=device)
            self.assertEqual(cost["flops"], plain["flops"])
            self.assertGreater(cost["roofline"]["ms"], 0)
        self.assertLess(cost["roofline"]["ms"], module.cost(device="tpu-v4")["roofline"]["ms"] * 100)
        with self.assertRaisesRegex(hloir.Error, "h1000"):
            module.cost(device="h1000")
        memory = module.memory()
        self.assertEqual((memory["parameter_bytes"], memory["peak_bytes"]), (4 << 20, 4 << 20))
        self.assertIn("peak", memory["report"])


if __name__ == "__main__":
    unittest.main()
