"""Custom-calls that the caller's functions answer: hloir.run(module, x, callbacks={...})."""

import unittest

import hloir
import numpy as np

TARGET = "xla_ffi_python_cpu_callback"


def module(call: str, root: str = "y") -> hloir.Module:
    lines = ["  x = f32[3] parameter(0)", call]
    if root != "y":
        lines.append(root)
    return hloir.parse("HloModule calls\nENTRY main {\n" + "\n".join(lines) + "\n}\n")


ONE = f'  ROOT y = f32[3] custom-call(x), custom_call_target="{TARGET}", backend_config={{index = 0 : ui64}}'
X = np.arange(3, dtype=np.float32)


class Callbacks(unittest.TestCase):
    def test_by_index_name_and_target(self) -> None:
        for key in (0, "y", TARGET):
            result = hloir.run(module(ONE), X, callbacks={key: lambda a: a * 2})
            np.testing.assert_array_equal(result, X * 2)

    def test_the_name_comes_before_the_index_and_the_target(self) -> None:
        functions = {TARGET: lambda a: a, 0: lambda a: a + 1, "y": lambda a: a + 2}
        np.testing.assert_array_equal(hloir.run(module(ONE), X, callbacks=functions), X + 2)

    def test_without_one_the_run_is_refused(self) -> None:
        for functions in (None, {1: lambda a: a}):
            with self.assertRaisesRegex(hloir.Error, TARGET):
                hloir.run(module(ONE), X, callbacks=functions)

    def test_what_it_raises_comes_out(self) -> None:
        with self.assertRaises(ZeroDivisionError):
            hloir.run(module(ONE), X, callbacks={0: lambda a: a * (1 // 0)})

    def test_results_must_fit(self) -> None:
        with self.assertRaisesRegex(TypeError, r"\[2\] for f32\[3\]"):
            hloir.run(module(ONE), X, callbacks={0: lambda a: a[:2]})
        with self.assertRaisesRegex(TypeError, "2 arrays"):
            hloir.run(module(ONE), X, callbacks={0: lambda a: (a, a)})

    def test_several_operands_and_results_run_after_run(self) -> None:
        call = '  i = s32[] constant(4)\n  ROOT y = (f32[3], s32[]) custom-call(x, i), custom_call_target="mine"'
        prepared = hloir.prepare(module(call), callbacks={"mine": lambda a, i: (a * i, i + 1)})
        for k in range(3):
            scaled, number = prepared(X + k)
            np.testing.assert_array_equal(scaled, (X + k) * 4)
            self.assertEqual(number, 5)

    def test_a_call_for_its_effect_is_made(self) -> None:
        call = f'  y = () custom-call(x), custom_call_target="{TARGET}", custom_call_has_side_effect=true'
        seen = []
        hloir.run(module(call, "  ROOT t = () tuple()"), X, callbacks={TARGET: lambda a: seen.append(a.tolist())})
        self.assertEqual(seen, [[0.0, 1.0, 2.0]])

    def test_it_comes_before_what_hloir_knows(self) -> None:
        call = '  ROOT y = f32[3] custom-call(x), custom_call_target="Sharding"'
        np.testing.assert_array_equal(hloir.run(module(call), X), X)
        np.testing.assert_array_equal(hloir.run(module(call), X, callbacks={"Sharding": lambda a: -a}), -X)


if __name__ == "__main__":
    unittest.main()
