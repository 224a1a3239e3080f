"""Usual mistakes: each gets a sentence that says what is wrong, and none shows the extension's private functions."""

import io
import pathlib
import tempfile
import unittest

import numpy as np

import hloir
from hloir import match as m

TEXT = """HloModule m
ENTRY main {
  x = f32[2] parameter(0)
  n = f32[2] negate(x)
  ROOT r = f32[2] add(n, x)
}
"""


class Mistakes(unittest.TestCase):
    def setUp(self):
        self.module = hloir.parse(TEXT)

    def mistakes(self, rows):
        for pattern, function in rows:
            with self.subTest(pattern):
                with self.assertRaisesRegex(Exception, pattern) as caught:
                    function()
                self.assertNotIn("incompatible function arguments", str(caught.exception))
                self.assertNotIn("bad_cast", str(caught.exception))
                self.assertNotIn("_hloir", str(caught.exception))

    def test_what_is_no_module(self):
        for name, function in (
            ("verify", lambda what: hloir.verify(what, self.module)), ("diff", lambda what: hloir.diff(what, self.module)),
            ("optimize", hloir.optimize), ("proposals", hloir.proposals), ("take", lambda what: hloir.take(what, [])),
            ("run", hloir.run), ("prepare", hloir.prepare), ("prepare_on_devices", hloir.prepare_on_devices),
            ("tune", hloir.tune), ("graph", hloir.graph), ("explain", hloir.explain), ("stats", hloir.stats),
            ("bisect", hloir.bisect), ("reduce", lambda what: hloir.reduce(what, bool)),
        ):
            self.mistakes([
                (f"hloir.{name} takes a Module as its first argument, not None; a function that edits", lambda: function(None)),
                (f"hloir.{name} takes .* not a int", lambda: function(3)),
                (f"hloir.{name} takes .* not a str; hloir.parse", lambda: function("model.hlo")),
                (f"hloir.{name} takes .* not a .*Path; hloir.read", lambda: function(pathlib.Path("model.hlo"))),
                (f"hloir.{name} takes .* not a function; hloir.from_jax", lambda: function(lambda x: x)),
            ])
        self.mistakes([
            ("hloir.verify takes a Module as its second argument, not a list", lambda: hloir.verify(self.module, [])),
            ("hloir.diff takes a Module as its second argument, not None", lambda: hloir.diff(self.module, None)),
        ])

    def test_what_cannot_be_read(self):
        self.mistakes([
            ("hloir.parse takes text, bytes or a path, not a int", lambda: hloir.parse(3)),
            ("hloir.parse takes .* not None", lambda: hloir.parse(None)),
            ("not a StringIO; a file's .read\\(\\) gives the text", lambda: hloir.parse(io.StringIO(TEXT))),
            ("not a function; hloir.from_jax", lambda: hloir.parse(lambda x: x)),
            ("it is a module already", lambda: hloir.parse(self.module)),
            ("hloir.read takes a path, not a bytes; hloir.parse", lambda: hloir.read(b"x")),
            ("hloir.read takes a path, not None", lambda: hloir.read(None)),
            ("nowhere.hlo", lambda: hloir.parse("nowhere.hlo")),
        ])

    def test_passes(self):
        self.mistakes([
            ("passes are names, 'cse,dce' or", lambda: hloir.optimize(self.module, [print])),
            ("passes are names", lambda: hloir.optimize(self.module, print)),
            ("passes are names", lambda: hloir.proposals(self.module, 3)),
            ("disable is a list of strings, as in disable=\\['a'\\]", lambda: hloir.optimize(self.module, disable="a")),
            ("math is 'exact'", lambda: hloir.optimize(self.module, math="Fast")),
            ("did you mean 'dce'", lambda: hloir.optimize(self.module, "dcee")),
            ("a name and a function, not 'x'", lambda: hloir.register_pass("mistake-a", "x")),
            ("there already is a pass named 'dce'$", lambda: hloir.register_pass("dce", bool)),
        ])
        for name, result, pattern in (
            ("mistake-none", None, "'mistake-none' returned None; a pass returns True if it changed the module, else False"),
            ("mistake-module", self.module, "'mistake-module' returned 'Module'"),
            ("mistake-list", [], "'mistake-list' returned 'list'"),
        ):
            hloir.register_pass(name, lambda module, result=result: result)
            self.mistakes([(pattern, lambda: hloir.optimize(self.module, name)), (pattern, lambda: hloir.proposals(self.module, name))])
        for name, result in (("number", 1), ("numpy", np.bool_(True)), ("no", 0)):
            hloir.register_pass(f"mistake-{name}", lambda module, result=result: result)
            self.assertEqual(hloir.optimize(self.module, f"mistake-{name}")[0].changed, bool(result))

    def test_options(self):
        x = np.zeros(2, np.float32)
        verify, optimize = (lambda **given: lambda: hloir.verify(self.module, self.module, **given)), (
            lambda **given: lambda: hloir.optimize(self.module, **given))
        self.mistakes([
            ("hloir.optimize: math is a string, not None", optimize(math=None)),
            ("hloir.optimize: verify_each is True or False, not a str", optimize(verify_each="yes")),
            ("hloir.optimize: seed is not negative, as -1 is", optimize(seed=-1)),
            ("hloir.optimize: seed is a whole number, not a float", optimize(seed=1.5)),
            ("hloir.optimize: disable is a list of strings, not a NoneType|not None", optimize(disable=None)),
            ("unexpected keyword argument 'tolerance'", verify(tolerance=1e-3)),
            ("hloir.verify: seed is a whole number, not None", verify(seed=None)),
            ("hloir.verify: threads is a whole number, not a str", verify(threads="all")),
            ("hloir.verify: elided is a string or a path, not None", verify(elided=None)),
            ("hloir.verify: proof is a path, not a int", verify(proof=3)),
            ("hloir.verify: callbacks is a dictionary of functions, not a int", verify(callbacks=3)),
            ("hloir.verify: callbacks is a dictionary of functions, not {'f': 3}", verify(callbacks={"f": 3})),
            ("hloir.verify: host_transfer is a function, not 3", verify(host_transfer=3)),
            ("inputs by name are in0, in1, …, .* not x", verify(inputs={"x": x})),
            ("hloir.tune: seconds is a number, not a str", lambda: hloir.tune(self.module, seconds="a")),
            ("hloir.prepare: threads is not negative", lambda: hloir.prepare(self.module, threads=-1)),
            ("hloir.proposals: math is a string", lambda: hloir.proposals(self.module, math=3)),
            ("rewrites is a list, of what proposals", lambda: hloir.take(self.module, None)),
            ("rewrites is a list", lambda: hloir.take(self.module, [3])),
            ("hloir.reduce takes a function", lambda: hloir.reduce(self.module, "x")),
            ("hloir.register_pass: name is a string", lambda: hloir.register_pass(None, bool)),
            ("hloir.limit_memory: bytes is a whole number, not a str", lambda: hloir.limit_memory("1G")),
            ("hloir.graph: depth is not negative", lambda: hloir.graph(self.module, depth=-1)),
            ("passes are names", lambda: hloir.explain(self.module, 3)),
            ("an operand of a pattern is a pattern: m.any", lambda: m.add(3, 4)),
            ("an operand of a pattern is a pattern", lambda: m.any_of("x")),
            ("dtype_of takes a Shape", lambda: hloir.dtype_of("f32")),
            ("constant_value takes an Instruction", lambda: hloir.constant_value(None)),
            ("unknown device nowhere; known are (?=.*cpu)(?=.*a100).*h100", lambda: self.module.cost(device="nowhere")),
            ("takes a path; hloir.parse takes text", lambda: hloir.read(TEXT)),
        ])
        # These are right.
        self.assertIn("roofline", self.module.cost(device="H100"))
        self.assertEqual(hloir.parse(bytearray(TEXT.encode())).name, "m")
        self.assertTrue(verify(seed=np.int64(3), callbacks={})())
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.hlo"
            self.module.write(path)
            self.assertTrue(hloir.diff(hloir.read(path), self.module).same)

    def test_messages_have_no_control_characters(self):
        json = """{"hloModule": {"name": "m", "entryComputationName": "e", "entryComputationId": "1", "computations": [{
            "name": "e", "id": "1", "rootId": "2", "instructions": [{"name": "r", "id": "2", "opcode": "\\u001b[31mred",
            "shape": {"elementType": "F32"}}]}]}}"""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.json"
            path.write_text(json)
            with self.assertRaisesRegex(hloir.Error, r"unknown opcode '\\x1b\[31mred'"):
                hloir.read(path)

    def test_messages_name_public_types(self):
        with self.assertRaisesRegex(TypeError, r"other: hloir\.Instruction"):
            self.module.entry.root.replace_all_uses_with(None)
        with self.assertRaisesRegex(TypeError, r"module: hloir\.Module"):
            hloir.Builder(None)

    def test_rules(self):
        def decorate(pattern, function):
            return lambda: hloir.rule(pattern, "A => A")(function)

        self.mistakes([
            ("captures 'b', and so is called the function's parameter for the builder", decorate(m.add(m.any("a"), m.any("b")), lambda b, i, a: a)),
            ("captures 'i', .* the matched instruction", decorate(m.negate(m.any("i")), lambda b, i: None)),
            ("captures 'x', for which the function has no parameter", decorate(m.negate(m.any("x")), lambda b, i: None)),
            ("parameter 'z' is nothing that the pattern captures", decorate(m.negate(m.any("x")), lambda b, i, x, z: x)),
            (r"takes a builder and the matched instruction first.*\(b, i, x\)", decorate(m.negate(m.any("x")), lambda x: x)),
            ("a pattern of hloir.match first", lambda: hloir.rule("add", "A => A")),
            ("stands before a function, not 3", decorate(m.negate(m.any("a")), 3)),
            ("a list of rules, not 'x' and None", lambda: hloir.register_rules("x", None)),
            ("a formula second", lambda: hloir.rule(m.negate(), 3)),
            ("a list of rules", lambda: hloir.register_rules("mistake-rules", [lambda b, i: None])),
        ])
        # These are right, also with a capture named "b".
        double = hloir.rule(m.add(m.any("a"), m.any("b")), "A + B => B + A", math="exact")(lambda builder, i, a, b: None)
        some = hloir.rule(m.negate(m.any("x")), "A => A")(lambda b, i, **captures: None)
        more = hloir.rule(m.negate(m.any("x")), "A => A")(lambda b, i, x, depth=3: None)
        hloir.register_rules("mistake-none-of-these", [double, some, more])
        hloir.optimize(self.module, "mistake-none-of-these")

    def test_arguments(self):
        run = self.module.run
        np.testing.assert_array_equal(run([1, 2]), [0, 0])
        np.testing.assert_array_equal(run([1.5, 2]), [0, 0])
        self.mistakes([
            ("the module has 1 parameters, not 0", run),
            (r"argument 0 is float64\[2\].*astype\('float32'\)", lambda: run(np.ones(2))),
            (r"argument 0 is float32\[3\]", lambda: run([1, 2, 3])),
            ("argument 0", lambda: run(None)),
            ("argument 0", lambda: run("x")),
            ("argument 0 is to be f32", lambda: run([[1], [2, 3]])),
        ])
        small = hloir.parse("HloModule m\nENTRY e { ROOT x = u8[2] parameter(0) }")
        self.mistakes([("argument 0 is to be u8.*300", lambda: small.run([1, 300]))])


if __name__ == "__main__":
    unittest.main()
