"""Transfers with the host that the caller's function answers: hloir.run(module, x, host_transfer=...)."""

import unittest

import numpy as np

import hloir

TEXT = """HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  t = token[] after-all()
  s = (f32[2], u32[], token[]) send(x, t), channel_id=1, is_host_transfer=true
  u = token[] send-done(s), channel_id=1, is_host_transfer=true
  r = (f32[2], u32[], token[]) recv(u), channel_id=2, is_host_transfer=true
  d = (f32[2], token[]) recv-done(r), channel_id=2, is_host_transfer=true
  ROOT y = f32[2] get-tuple-element(d), index=0
}
"""
X = np.array([1.0, -2.0], np.float32)


class HostTransfer(unittest.TestCase):
    def test_what_is_sent_and_received(self):
        sent = {}

        def host(channel, device, value):
            if value is None:
                self.assertEqual(channel, 2)
                return sent[device] * 10
            self.assertEqual(channel, 1)
            sent[device] = value.copy()
            return None

        np.testing.assert_array_equal(hloir.run(hloir.parse(TEXT), X, host_transfer=host), X * 10)
        np.testing.assert_array_equal(sent[0], X)
        on_two = hloir.prepare_on_devices(hloir.parse(TEXT), partitions=2, host_transfer=host)
        first, second = on_two([[X], [X + 1]])
        np.testing.assert_array_equal(first, X * 10)
        np.testing.assert_array_equal(second, (X + 1) * 10)

    def test_mistakes(self):
        with self.assertRaisesRegex(hloir.Error, "s: sends to the host, and no host transfers were given"):
            hloir.run(hloir.parse(TEXT), X)
        with self.assertRaises(ZeroDivisionError):
            hloir.run(hloir.parse(TEXT), X, host_transfer=lambda channel, device, value: 1 // 0)
        with self.assertRaises(TypeError):
            hloir.run(hloir.parse(TEXT), X, host_transfer=lambda channel, device, value: np.zeros(3))


if __name__ == "__main__":
    unittest.main()
