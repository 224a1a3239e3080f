"""Sorting, selection and order statistics."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from . import bfloat16, program


@program(lambda d: (d.normal(6, 20),))
def sort_rows(x):
    """Rows sorted upwards and columns sorted downwards."""
    return jnp.sort(x, axis=1), jnp.sort(x, axis=0, descending=True)


@program(lambda d: (d.integers(0, 5, 40), d.integers(0, 4, 40, dtype="int8"), d.normal(40)))
def sort_by_two_keys(first, second, payload):
    """A stable sort of three arrays by the first two."""
    return lax.sort((first, second, payload), num_keys=2, is_stable=True)


@program(lambda d: (d.integers(0, 6, 4, 15),), metadata=True)
def argsort_with_ties(x):
    """Stable argsort of rows with many equal keys, and each element's rank."""
    order = jnp.argsort(x, axis=1, stable=True)
    return order, jnp.argsort(order, axis=1)


SPECIAL = np.float32([0.0, -0.0, np.nan, 1.0, -np.inf, np.inf, -1.0, np.nan, -0.0, 0.0, 1e-30, -1e-30])


@program(lambda d: (SPECIAL,), nonfinite=True)
def sort_special_values(x):
    """Sorting NaNs, infinities and zeros of both signs, together with their places."""
    return lax.sort((x, jnp.arange(12)), num_keys=1)


@program(lambda d: (d.normal(3, 30), d.permutation(40), d.normal(24, dtype=bfloat16)))
def top_k_of_types(x, n, b):
    """The largest elements and their places, for f32, s32 and bf16."""
    return lax.top_k(x, 5), lax.top_k(n, 7), lax.top_k(b, 1)


@program(lambda d: (d.normal(5, 21), d.uniform(0, 1, 3)))
def quantiles(x, q):
    """Medians and interpolated quantiles of rows."""
    return jnp.median(x, 1), jnp.quantile(x, q, axis=1)


@program(lambda d: (np.sort(d.normal(33)), d.normal(20)))
def binary_search(table, x):
    """Places of values in a sorted table, by a loop of halvings and by comparing with all."""
    return jnp.searchsorted(table, x), jnp.searchsorted(table, x, side="right", method="compare_all")


@program(lambda d: (d.integers(0, 9, 30),))
def unique_with_counts(x):
    """Distinct values, where they came from and how often, padded to a fixed size."""
    return jnp.unique(x, size=12, fill_value=-1, return_inverse=True, return_counts=True)


@program(lambda d: (d.bits(32), d.bits(32, dtype="uint8")))
def bitonic_sort(words, small):
    """A sorting network written with exclusive-or partners and selects, beside the sort instruction."""
    index = jnp.arange(32)
    x = words
    for size in (2, 4, 8, 16, 32):
        stride = size // 2
        while stride:
            partner = x[index ^ stride]
            keep_low = ((index & stride) == 0) == ((index & size) == 0)
            x = jnp.where(keep_low, jnp.minimum(x, partner), jnp.maximum(x, partner))
            stride //= 2
    return x, jnp.sort(small, descending=True)


@program(lambda d: (d.permutation(16), d.normal(16, 3)))
def permutation_inverse(order, rows):
    """Rows moved by a permutation and back by its inverse."""
    inverse = jnp.zeros_like(order).at[order].set(jnp.arange(16))
    return rows[order], rows[order][inverse], inverse


@program(lambda d: (d.normal(12, dtype="float64"), d.integers(-9, 9, 12, dtype="int64"), d.normal(12, dtype="float16")), x64=True)
def sort_wide_and_narrow(x, n, h):
    """Sorting f64, s64 and f16, one carrying another along."""
    return lax.sort((x, n), num_keys=1), jnp.sort(n), lax.sort((h, n), num_keys=1, is_stable=False)


@program(lambda d: (d.normal(10), d.normal(10)))
def sort_gradient(x, w):
    """Gradient through a sort: the weights return to where their elements came from."""
    return jax.grad(lambda x: jnp.sum(jnp.sort(x) * w))(x)
