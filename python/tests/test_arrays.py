"""Arrays without a copy: DLPack and numpy in and out, narrow types, several devices."""

import sys
import unittest

import ml_dtypes
import numpy as np

import hloir


class Producer:
    """Something that others know by DLPack alone."""

    def __init__(self, array):
        self.array = hloir.to_dlpack(array)
        self.asked = 0

    def __dlpack__(self, **options):
        self.asked += 1
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return (1, 0)


def doubling(shape):
    return hloir.prepare(hloir.parse(f"HloModule m\nENTRY e {{ p = {shape} parameter(0)\n ROOT r = {shape} add(p, p) }}"))


class ElementTypes(unittest.TestCase):
    def test_each_type_of_hlo_is_known_by_its_dtype(self):
        from hloir._arrays import _type_name
        from hloir._hloir import _element_types
        names = _element_types()
        self.assertGreater(set(names), {"pred", "s1", "u1", "f6e2m3fn", "f6e3m2fn", "c128"})
        for name in names:
            with self.subTest(name):
                numpy_name = hloir.Shape(f"{name}[]").numpy_name
                if not hasattr(ml_dtypes, numpy_name.removeprefix("ml_dtypes.")) and "." in numpy_name:
                    self.skipTest(f"this ml_dtypes has no {numpy_name}")
                self.assertEqual(_type_name(hloir.dtype_of(hloir.Shape(f"{name}[]"))), name)


class Dlpack(unittest.TestCase):
    TYPES = [("f32", np.float32), ("f64", np.float64), ("s8", np.int8), ("u64", np.uint64), ("c64", np.complex64),
             ("bf16", ml_dtypes.bfloat16), ("f8e4m3fn", ml_dtypes.float8_e4m3fn), ("f8e5m2", ml_dtypes.float8_e5m2)]

    def test_in(self):
        for name, dtype in self.TYPES:
            with self.subTest(name):
                array = np.array([[0, 1, 2], [3, 1, 0]], np.int8).astype(dtype)
                given = Producer(array)
                result = doubling(f"{name}[2,3]")(given)
                self.assertEqual(given.asked, 1)
                self.assertEqual(result.dtype, np.dtype(dtype))
                np.testing.assert_array_equal(result.astype(np.complex64), 2 * array.astype(np.complex64))

    def test_in_is_no_copy(self):
        from hloir._arrays import _as_array
        for dtype in (np.float32, ml_dtypes.bfloat16):
            array = np.zeros((4, 3), dtype)
            seen = _as_array(Producer(array))
            self.assertEqual(seen.dtype, array.dtype)
            self.assertEqual(seen.__array_interface__["data"][0], array.__array_interface__["data"][0])
            array[1, 2] = 3
            self.assertEqual(float(seen[1, 2]), 3)

    def test_in_of_a_view(self):
        array = np.arange(6, dtype=np.float32).reshape(2, 3).T
        np.testing.assert_array_equal(doubling("f32[3,2]")(Producer(array)), 2 * array)

    def test_out_is_no_copy(self):
        for name, dtype in self.TYPES:
            with self.subTest(name):
                result = doubling(f"{name}[3]")(np.array([1, 2, 3], np.int8).astype(dtype))
                exported = hloir.to_dlpack(result)
                self.assertEqual(exported.__dlpack_device__()[0], 1)
                if exported is result:
                    seen = np.from_dlpack(exported)
                else:
                    with self.assertRaises((BufferError, RuntimeError, TypeError)):
                        np.from_dlpack(result)  # which is what to_dlpack is for
                    from hloir._arrays import _from_dlpack
                    seen = _from_dlpack(exported)
                self.assertEqual(seen.dtype, result.dtype)
                self.assertEqual(seen.__array_interface__["data"][0], result.__array_interface__["data"][0])
                before = sys.getrefcount(result)
                del seen
                self.assertLessEqual(sys.getrefcount(result), before)

    def test_out_argument_is_written_where_it_is(self):
        out = np.zeros(3, ml_dtypes.bfloat16)
        place = out.__array_interface__["data"][0]
        result = doubling("bf16[3]")(np.ones(3, ml_dtypes.bfloat16), out=out)
        self.assertEqual(result.__array_interface__["data"][0], place)
        np.testing.assert_array_equal(out.astype(np.float32), [2, 2, 2])

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("no torch")
        for dtype in (torch.float32, torch.bfloat16):
            value = torch.arange(6, dtype=torch.float32).reshape(2, 3).to(dtype)
            name = {torch.float32: "f32", torch.bfloat16: "bf16"}[dtype]
            result = doubling(f"{name}[2,3]")(value)
            back = torch.from_dlpack(hloir.to_dlpack(result))
            self.assertEqual(back.dtype, dtype)
            self.assertEqual(back.data_ptr(), result.__array_interface__["data"][0])
            self.assertTrue(torch.equal(back, value + value))


class Devices(unittest.TestCase):
    TEXT = """HloModule m, replica_count=2, num_partitions=2
      add { a = f32[] parameter(0)
        b = f32[] parameter(1)
        ROOT s = f32[] add(a, b) }
      ENTRY e { x = f32[3] parameter(0)
        d = u32[] partition-id()
        s = f32[3] all-reduce(x), replica_groups={}, to_apply=add
        ROOT t = (f32[3], u32[]) tuple(s, d) }"""

    def test_each_device_has_its_result(self):
        module = hloir.parse(self.TEXT)
        run = hloir.prepare_on_devices(module)
        self.assertEqual((run.replicas, run.partitions, run.device_count), (2, 2, 4))
        inputs = [np.full(3, 10.0 ** d, np.float32) for d in range(4)]
        for _ in range(2):
            results = run([[x] for x in inputs])
            self.assertEqual([int(d) for _, d in results], [0, 1, 0, 1])
            sums = [float(s[0]) for s, _ in results]
            # Over replicas: devices 0 and 2, and 1 and 3.
            self.assertEqual(sums, [101, 1010, 101, 1010])
        kept = results[0][0]
        del results, run, module
        np.testing.assert_array_equal(kept, [101, 101, 101])

    def test_what_does_not_fit(self):
        run = hloir.prepare_on_devices(hloir.parse(self.TEXT), replicas=1, partitions=1)
        self.assertEqual(float(run([[np.ones(3, np.float32)]])[0][0][1]), 1)
        with self.assertRaises(ValueError):
            run([[np.ones(3, np.float32)]] * 2)
        with self.assertRaisesRegex(TypeError, "device 0, argument 0"):
            run([[np.ones(4, np.float32)]])
        with self.assertRaises(hloir.Error):
            hloir.prepare_on_devices(hloir.parse(self.TEXT), replicas=10**6)


if __name__ == "__main__":
    unittest.main()
