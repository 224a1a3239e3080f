"""Building and editing modules from Python: every opcode by name, shapes inferred, attributes by name; what would break a
module is refused and leaves nothing behind."""

import copy
import pickle
import unittest

import ml_dtypes
import numpy as np

import hloir

SOFTMAX = """HloModule softmax

maximum_f32 {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT maximum = f32[] maximum(a, b)
}

add_f32 {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT add = f32[] add(a, b)
}

ENTRY main {
  x = f32[4,8] parameter(0)
  low = f32[] constant(-inf)
  highest = f32[4] reduce(x, low), dimensions={1}, to_apply=maximum_f32
  wide = f32[4,8] broadcast(highest), dimensions={0}
  less = f32[4,8] subtract(x, wide)
  e = f32[4,8] exponential(less)
  zero = f32[] constant(0)
  sum = f32[4] reduce(e, zero), dimensions={1}, to_apply=add_f32
  sums = f32[4,8] broadcast(sum), dimensions={0}
  ROOT r = f32[4,8] divide(e, sums)
}
"""


def softmax():
    module = hloir.Module("softmax")
    b = hloir.Builder(module, "main")
    x = b.parameter("f32[4,8]", "x")
    highest = b.reduce(x, b.constant(-np.inf), dimensions=[1], to_apply=b.reducer("maximum", "f32"))
    e = b.exponential(b.subtract(x, b.broadcast(highest, shape=[4, 8], dimensions=[0])))
    total = b.reduce(e, b.constant(0.0), dimensions=[1], to_apply=b.reducer("add", "f32"))
    b.build_entry(b.divide(e, b.broadcast(total, shape=[4, 8], dimensions=[0]), name="result"))
    return module


class Building(unittest.TestCase):
    def test_softmax_is_the_module_of_its_text(self):
        module = softmax()
        module.verify()
        self.assertEqual(module.hash, hloir.parse(SOFTMAX).hash)
        self.assertTrue(hloir.diff(hloir.parse(SOFTMAX), module).same)
        self.assertEqual(module.entry.root.name, "result")
        x = np.random.default_rng(0).normal(size=(4, 8)).astype(np.float32)
        wanted = np.exp(x) / np.exp(x).sum(1, keepdims=True)
        np.testing.assert_allclose(module.run(x), wanted, rtol=1e-5)

    def test_there_is_a_method_for_every_opcode(self):
        for name in ("add", "and_", "while_", "get_tuple_element", "all_reduce", "dot", "custom_call", "reduce_window", "not_"):
            self.assertTrue(callable(getattr(hloir.Builder, name)), name)
        self.assertIn("lhs_contracting_dims", hloir.Builder.dot.__doc__)
        self.assertFalse(hasattr(hloir.Builder, "no_such_op"))

    def test_attributes_by_value(self):
        module = hloir.Module("m")
        b = hloir.Builder(module, "main")
        x = b.parameter("f32[1,6,6,2]", "x")
        kernel = b.parameter("f32[3,3,2,4]")
        y = b.convolution(x, kernel, dim_labels="b01f_01io->b01f", window={"size": [3, 3], "pad": [(1, 1), (1, 1)]})
        self.assertEqual(y.shape.dimensions, [1, 6, 6, 4])
        part = b.slice(y, slice=[slice(0, 1), slice(0, 6, 2), slice(1, 6), slice(0, 4)])
        self.assertEqual(part.shape.dimensions, [1, 3, 5, 4])
        padded = b.pad(part, b.constant(0.0), padding=[(0, 0), (0, 0), (1, 1), (0, 0, 1)])
        self.assertEqual(padded.shape.dimensions, [1, 3, 7, 7])
        narrow = b.convert(padded, shape="bf16")
        self.assertEqual(str(narrow.shape), "bf16[1,3,7,7]{3,2,1,0}")
        less = b.compare(narrow, b.splat(1, narrow.shape), direction="LT")
        self.assertEqual(less.shape.element_type, "pred")
        sorted_ = b.sort(narrow, dimensions=[3], is_stable=True, to_apply=b.comparator("LT", ["bf16"]))
        call = b.custom_call(sorted_, less, shape="(f32[2], s32[])", custom_call_target="mine", backend_config='a "b"',
                             metadata={"op_name": "f", "source_line": 3}, frontend_attributes={"k": "v"},
                             control_predecessors=[narrow])
        self.assertEqual(call["custom_call_target"], "mine")
        self.assertEqual(call.metadata["op_name"], "f")
        self.assertEqual(call["frontend_attributes"], '{k="v"}')
        last = b.get_tuple_element(call, index=1)
        b.build_entry(last)
        again = hloir.parse(str(module))
        self.assertEqual(str(again), str(module))

    def test_loops_call_computations_that_were_built_before(self):
        module = hloir.Module("m")
        b = hloir.Builder(module, "condition")
        condition = b.build(b.compare(b.parameter("s32[]"), b.constant(5), direction="LT"))
        b = hloir.Builder(module, "body")
        body = b.build(b.add(b.parameter("s32[]"), b.constant(1)))
        b = hloir.Builder(module, "main")
        b.build_entry(b.while_(b.parameter("s32[]"), condition=condition, body=body))
        module.verify()
        self.assertEqual(module.run(np.int32(2)), 5)
        self.assertEqual([c.name for c in module.entry.root.called], ["condition", "body"])
        self.assertEqual(module.find("body"), body)
        self.assertIsNone(module.find("nobody"))

    def test_constants(self):
        module = hloir.Module("m")
        b = hloir.Builder(module, "main")
        values = [1, 2.5, True, 1j, np.arange(6.0).reshape(2, 3), np.float16(3), np.array([1, 2], ml_dtypes.bfloat16)]
        made = [b.constant(value) for value in values] + [b.constant([1, 2, 3], "u8"), b.constant(2, "f8e4m3fn")]
        self.assertEqual([str(i.shape) for i in made],
                         ["s32[]", "f32[]", "pred[]", "c64[]", "f64[2,3]{1,0}", "f16[]", "bf16[2]{0}", "u8[3]{0}", "f8e4m3fn[]"])
        for value, instruction in zip(values, made):
            np.testing.assert_array_equal(hloir.constant_value(instruction), value)
        b.build_entry(b.tuple(*made))
        module.verify()
        np.testing.assert_array_equal(module.run()[4], values[4])
        with self.assertRaises(TypeError):
            hloir.Builder(made[0]).constant(np.array(["text"]))

    def test_what_does_not_fit_is_refused_and_leaves_nothing(self):
        module = softmax()
        text = str(module)
        x, root = module.entry.parameters[0], module.entry.root
        b = hloir.Builder(root)
        with self.assertRaises(hloir.Error) as caught:
            b.transpose(x, dimensions=[0, 2])
        self.assertEqual(caught.exception.code, "invalid argument")
        self.assertTrue(str(caught.exception).startswith("transpose: "), str(caught.exception))
        with self.assertRaisesRegex(hloir.Error, "needs the attribute dimensions"):
            b.transpose(x)
        with self.assertRaisesRegex(hloir.Error, "has no attribute 'dims'"):
            b.transpose(x, dims=[1, 0])
        with self.assertRaisesRegex(TypeError, "takes instructions"):
            b.add(x, 1)
        with self.assertRaisesRegex(ValueError, "of another module"):
            b.add(x, softmax().entry.parameters[0])
        with self.assertRaisesRegex(hloir.Error, "of another computation"):
            b.negate(module.computations[0].root)
        with self.assertRaisesRegex(hloir.Error, "must be stated"):
            b.custom_call(x, custom_call_target="f")
        with self.assertRaisesRegex(ValueError, "callers"):
            b.parameter("f32[]")
        with self.assertRaises(ValueError):
            b.reducer("negate", "f32")
        with self.assertRaises(ValueError):
            b.build(root)
        with self.assertRaises(hloir.Error):
            hloir.Builder(module, "begun").negate(x)
        self.assertEqual(str(module), text)
        empty = hloir.Module("empty")
        for use in (str, hloir.prepare, hloir.optimize, lambda m: m.entry, lambda m: m.clone(), lambda m: m.hash):
            with self.assertRaisesRegex(ValueError, "no entry computation"):
                use(empty)
        self.assertEqual(repr(empty), "<hloir.Module empty, 0 instructions>")
        with self.assertRaises(ValueError):
            hloir.Module("no name {")

    def test_a_module_is_whole_while_it_is_built(self):
        module = softmax()
        b = hloir.Builder(module, "more")
        first = b.parameter("f32[2]")
        module.verify()
        str(module)
        second = b.negate(first)
        b.abs(second)
        self.assertEqual(b.build(second).root, second)
        module.verify()
        with self.assertRaises(ValueError):
            b.abs(second)

    def test_adding_to_a_computation_that_is_there(self):
        module = hloir.parse(SOFTMAX)
        sums = module.entry.find("sums")
        b = hloir.Builder(module.entry.root)
        reciprocal = b.divide(b.splat(1, sums.shape), sums)
        product = b.multiply(module.entry.find("e"), reciprocal)
        module.entry.root.replace_all_uses_with(product)
        self.assertEqual(module.entry.root, product)
        hloir.optimize(module, "dce")
        module.verify()
        self.assertTrue(hloir.verify(hloir.parse(SOFTMAX), module))


class Editing(unittest.TestCase):
    def test_attributes_as_values(self):
        module = hloir.parse(SOFTMAX)
        highest = module.entry.find("highest")
        self.assertEqual(highest["dimensions"], [1])
        self.assertEqual(highest["to_apply"], "maximum_f32")
        highest["to_apply"] = module.find("add_f32")
        self.assertEqual([c.name for c in highest.called], ["add_f32"])
        with self.assertRaisesRegex(hloir.Error, "the result is"):
            highest["dimensions"] = [0]
        with self.assertRaises(KeyError):
            highest["metadata"]
        highest["metadata"] = {"op_name": "max", "source_file": "a.py", "source_line": 4}
        self.assertEqual(highest.metadata["source_line"], 4)
        del highest["metadata"]
        self.assertIsNone(highest.metadata)
        with self.assertRaises(hloir.Error):
            del highest["dimensions"]
        x = module.entry.parameters[0]
        x["sharding"] = "{devices=[2,1]<=[2]}"
        self.assertEqual(x["sharding"], "{devices=[2,1]<=[2]}")
        with self.assertRaises(hloir.Error):
            x["sharding"] = "{devices=[2,1]<=[2"
        with self.assertRaises(hloir.Error):
            highest["dimensions"] = "{1}, to_apply=add_f32"
        module.verify()

    def test_cycles_are_refused(self):
        module = hloir.parse(SOFTMAX)
        x, e = module.entry.find("x"), module.entry.find("e")
        with self.assertRaisesRegex(ValueError, "needs this one itself"):
            x.replace_all_uses_with(e)
        with self.assertRaisesRegex(ValueError, "needs this instruction itself"):
            module.entry.find("less").replace_operand(0, e)
        with self.assertRaises(ValueError):
            x.name = "a b"
        x.name = "input"
        self.assertIn("input = f32[4,8]", str(module))
        module.verify()

    def test_copies(self):
        module = softmax()
        for other in (copy.copy(module), copy.deepcopy(module), pickle.loads(pickle.dumps(module)), module.clone()):
            self.assertEqual(other.hash, module.hash)
            other.entry.root.name = "other"
            self.assertEqual(module.entry.root.name, "result")

    def test_sources(self):
        import pathlib
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.hlo"
            path.write_text(SOFTMAX)
            modules = [hloir.parse(path), hloir.parse(str(path)), hloir.parse(SOFTMAX), hloir.parse(path.read_bytes())]
            self.assertEqual({m.to_string() for m in modules}, {str(modules[0])})
        with self.assertRaises(FileNotFoundError):
            hloir.parse("no/such/file.hlo")
        with self.assertRaisesRegex(hloir.Error, "model.txt:1:2"):
            hloir.parse("{", "model.txt")


if __name__ == "__main__":
    unittest.main()
