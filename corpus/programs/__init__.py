"""The JAX programs behind the corpus, one file per theme.

A program is an ordinary function of arrays, registered by `@program`: its name names the module, the first
line of its docstring describes it, and its file gives the theme. The decorator takes a function that draws
the example inputs, so that everything about a module stands in one place.
"""
import dataclasses
import importlib
import inspect
import pkgutil
import zlib
from typing import Callable

import ml_dtypes
import numpy as np


class Draw:
    """Seeded inputs. Every program draws from its own stream, so adding one leaves the others' data alone."""

    def __init__(self, name):
        self._rng = np.random.default_rng(zlib.crc32(name.encode()))

    def normal(self, *shape, dtype=np.float32, scale=1.0):
        # Clipped: a rare large value would say more about tolerances than about the program.
        return (np.clip(self._rng.standard_normal(shape), -3, 3) * scale).astype(dtype)

    def uniform(self, low, high, *shape, dtype=np.float32):
        return np.asarray(self._rng.uniform(low, high, shape)).astype(dtype)

    def integers(self, low, high, *shape, dtype=np.int32):
        """Integers from low up to, not including, high."""
        return np.asarray(self._rng.integers(low, high, shape)).astype(dtype)

    def bits(self, *shape, dtype=np.uint32):
        """Every bit pattern of an integer type."""
        info = np.iinfo(dtype)
        return np.asarray(self._rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True))

    def booleans(self, *shape):
        return self._rng.integers(0, 2, shape).astype(bool)

    def complex(self, *shape, dtype=np.complex64):
        return (self._rng.standard_normal(shape) + 1j * self._rng.standard_normal(shape)).astype(dtype)

    def permutation(self, n, dtype=np.int32):
        return self._rng.permutation(n).astype(dtype)

    def weights(self, *shape, dtype=np.float32):
        """A weight matrix or kernel, scaled by its fan-in so that activations keep their size."""
        return self.normal(*shape, dtype=dtype, scale=np.prod(shape[:-1]) ** -0.5)

    def positive_definite(self, n, *batch, dtype=np.float32):
        a = self._rng.standard_normal((*batch, n, n))
        return (a @ np.swapaxes(a, -1, -2) / n + np.eye(n)).astype(dtype)


bfloat16 = ml_dtypes.bfloat16


@dataclasses.dataclass
class Program:
    name: str
    theme: str
    description: str
    function: Callable
    inputs: Callable
    x64: bool = False          # trace with 64-bit types allowed
    platform: str = "cpu"      # whose lowering rules JAX takes; the module runs on the CPU either way
    text: str = ""             # the module itself, where JAX would not write it so
    direct: bool = False       # results come from JAX's CPU lowering: XLA:CPU cannot take the stored module
    runs: bool = True          # has results that a single device gives
    partitions: int = 1        # more than one: results are of so many devices
    nonfinite: bool = False    # infinities and NaNs are wanted in the results
    optimized: bool = True     # also keep what XLA:CPU makes of it
    metadata: bool = False     # also keep a copy with source locations
    options: dict = dataclasses.field(default_factory=dict)  # further arguments of jax.jit


registry = {}


def program(inputs, **options):
    """Registers a function as a corpus module; `inputs(draw)` returns the tuple of its arguments."""
    def register(function):
        name = function.__name__
        assert name not in registry, f"two programs are named {name}"
        registry[name] = Program(
            name=name,
            theme=function.__module__.rpartition(".")[2],
            description=inspect.getdoc(function).splitlines()[0].rstrip("."),
            function=function,
            inputs=lambda: inputs(Draw(name)),
            **options,
        )
        return function
    return register


def load():
    """Imports every theme and returns the programs by name."""
    for module in sorted(m.name for m in pkgutil.iter_modules(__path__)):
        importlib.import_module(f"{__name__}.{module}")
    return registry
