"""hloir from Python by ctypes alone: python3 ctypes_consumer.py LIBHLOIR.SO. Every function of hloir_c.h is called or at
least found; what is computed is checked."""
import array
import ctypes
import re
import sys
from ctypes import POINTER, c_bool, c_char_p, c_int, c_int64, c_size_t, c_void_p


class Text(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.size).decode()


class Rewrite(ctypes.Structure):
    _fields_ = [(name, Text) for name in
                ("id", "pass_", "rule", "formula", "computation", "instruction", "before", "reason")] + [("math", c_int)]


class Buffer(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]

    @classmethod
    def of(cls, values):
        address, count = values.buffer_info()
        return cls(address, count * values.itemsize)


class HloirError(Exception):
    pass


library = ctypes.CDLL(sys.argv[1])
header = open(sys.argv[2]).read()


def declare(name, result, *arguments):
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


def fallible(name, result, *arguments):
    function = declare(name, result, *arguments, POINTER(c_void_p))

    def call(*values):
        error = c_void_p()
        value = function(*values, ctypes.byref(error))
        if not value:
            message, line = error_message(error).decode(), error_line(error)
            error_free(error)
            raise HloirError(message, line)
        return value

    return call


error_message = declare("hloir_error_message", c_char_p, c_void_p)
error_line = declare("hloir_error_line", c_int64, c_void_p)
error_free = declare("hloir_error_free", None, c_void_p)
free = declare("hloir_free", None, c_void_p)
parse = fallible("hloir_parse", c_void_p, c_char_p, c_size_t, c_char_p)
clone = fallible("hloir_module_clone", c_void_p, c_void_p)
module_free = declare("hloir_module_free", None, c_void_p)
print_module = fallible("hloir_print", c_void_p, c_void_p, c_int)
entry = declare("hloir_module_entry", c_void_p, c_void_p)
first = declare("hloir_computation_first", c_void_p, c_void_p)
following = declare("hloir_instruction_next", c_void_p, c_void_p)
opcode = declare("hloir_instruction_opcode", Text, c_void_p)
optimize = fallible("hloir_optimize", c_bool, c_void_p, c_char_p, c_int)
dry_run = fallible("hloir_dry_run", c_void_p, c_void_p, c_char_p, c_int)
rewrites_count = declare("hloir_rewrites_count", c_size_t, c_void_p)
rewrites_get = declare("hloir_rewrites_get", Rewrite, c_void_p, c_size_t)
rewrites_free = declare("hloir_rewrites_free", None, c_void_p)
prepare = fallible("hloir_prepare", c_void_p, c_void_p, c_void_p)
run = fallible("hloir_run", c_bool, c_void_p, POINTER(Buffer), c_size_t, POINTER(Buffer), c_size_t)
executable_free = declare("hloir_executable_free", None, c_void_p)
check = fallible("hloir_check", c_void_p, c_void_p, c_void_p, c_void_p)
agrees = declare("hloir_verdict_agrees", c_bool, c_void_p)
verdict_text = declare("hloir_verdict_text", Text, c_void_p)
verdict_free = declare("hloir_verdict_free", None, c_void_p)

# Every function that the header declares is exported.
names = set(re.findall(r"\b(hloir_[a-z_]+)\(", header))
assert len(names) > 60, names
for name in names:
    getattr(library, name)

TEXT = b"""HloModule m

ENTRY e {
  x = f32[4]{0} parameter(0)
  one = f32[] constant(1)
  ones = f32[4]{0} broadcast(one), dimensions={}
  same = f32[4]{0} multiply(x, ones)
  ROOT r = f32[4]{0} add(same, x)
}
"""

try:
    parse(b"HloModule m\n?", 13, b"broken.hlo")
    raise SystemExit("a broken text was read")
except HloirError as error:
    assert error.args[0].startswith("broken.hlo:2:") and error.args[1] == 2, error.args

module = parse(TEXT, len(TEXT), None)
opcodes = []
instruction = first(entry(module))
while instruction:
    opcodes.append(str(opcode(instruction)))
    instruction = following(instruction)
assert opcodes == ["parameter", "constant", "broadcast", "multiply", "add"], opcodes

rewrites = dry_run(module, b"algebraic-simplifier", 0)
ids = [str(rewrites_get(rewrites, i).id) for i in range(rewrites_count(rewrites))]
assert any("multiply" in i for i in ids), ids
rewrites_free(rewrites)

optimized = clone(module)
optimize(optimized, None, 0)
text = print_module(optimized, 0)
assert b"multiply" not in ctypes.string_at(text), ctypes.string_at(text)
free(text)

executable = prepare(optimized, None)
x, result = array.array("f", [1, 2, 3, 4]), array.array("f", [0] * 4)
run(executable, Buffer.of(x), 1, Buffer.of(result), 1)
assert list(result) == [2, 4, 6, 8], result
executable_free(executable)

verdict = check(module, optimized, None)
assert agrees(verdict), verdict_text(verdict)
verdict_free(verdict)
module_free(optimized)
module_free(module)
print("good")
