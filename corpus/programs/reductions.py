"""Reductions: whole, by window and cumulative."""
import jax
import jax.numpy as jnp
from jax import lax

from . import bfloat16, program


@program(lambda d: (d.normal(4, 6, 8), d.bits(4, 10), d.booleans(5, 7)), metadata=True)
def reduce_gallery(x, n, p):
    """Sum, product, extremes and bitwise reductions over various dimensions."""
    return (jnp.sum(x, (0, 2)), jnp.prod(x, 1), jnp.max(x, 2), jnp.min(x), jnp.mean(x, 0),
            lax.reduce_and(n, (1,)), lax.reduce_or(n, (0,)), lax.reduce_xor(n, (0, 1)),
            jnp.all(p, 0), jnp.any(p, 1), jnp.sum(p))


@program(lambda d: (d.integers(0, 5, 6, 9), d.normal(3, 4, 5)))
def argmax_argmin(n, x):
    """First places of extremes, with ties: two-operand reductions."""
    return jnp.argmax(n, 1), jnp.argmin(n, 0), jnp.argmax(x), lax.argmin(x, 2, jnp.int8)


@program(lambda d: (d.normal(5, 40),))
def mean_and_variance(x):
    """Welford's merging of counts, means and squared deviations as one three-operand reduction."""
    def merge(a, b):
        n, mean, square = a
        m, other, more = b
        total = jnp.maximum(n + m, 1.0)
        delta = other - mean
        return n + m, mean + delta * m / total, square + more + delta * delta * n * m / total
    zero = jnp.float32(0)
    n, mean, square = lax.reduce((jnp.ones_like(x), x, jnp.zeros_like(x)), (zero, zero, zero), merge, (1,))
    return mean, square / n


@program(lambda d: (d.normal(4, 30), d.uniform(0.8, 1.2, 24), d.integers(-9, 9, 24)), metadata=True)
def cumulative_gallery(x, p, n):
    """Cumulative sum, product, extremes and logsumexp, forwards and in reverse."""
    return (lax.cumsum(x, 1), lax.cumsum(x, 0, reverse=True), lax.cumprod(p), lax.cummax(n), lax.cummin(n, reverse=True),
            lax.cumlogsumexp(x, 1), lax.cumsum(n))


@program(lambda d: (d.normal(12, 14), d.integers(-50, 50, 9, 9)))
def window_gallery(x, n):
    """Windowed reductions with strides, padding and dilation of the base and of the window."""
    def window(x, init, op, size, **kw):
        kw = {"window_strides": (1, 1), "padding": ((0, 0), (0, 0)), **kw}
        return lax.reduce_window(x, init, op, size, **kw)
    return (window(x, 0.0, lax.add, (3, 3)),
            window(x, -jnp.inf, lax.max, (2, 4), window_strides=(2, 3)),
            window(x, jnp.inf, lax.min, (3, 2), window_dilation=(2, 3)),
            window(x, 1.0, lax.mul, (2, 2), base_dilation=(2, 1), padding=((1, 1), (0, 1))),
            window(n, 0, lax.add, (3, 3), base_dilation=(2, 2), window_dilation=(2, 1), padding=((2, 1), (-1, 3))),
            window(n, 0, lax.bitwise_or, (1, 4)))


@program(lambda d: (d.normal(8, 10), d.integers(0, 99, 8, 10)))
def window_with_places(x, n):
    """A two-operand window: the largest value of each patch and the tag that goes with it."""
    def larger(a, b):
        first = (a[0] > b[0]) | ((a[0] == b[0]) & (a[1] < b[1]))
        return jnp.where(first, a[0], b[0]), jnp.where(first, a[1], b[1])
    return lax.reduce_window((x, n), (jnp.float32(-jnp.inf), jnp.int32(0)), larger, (2, 2), (2, 2), "VALID")


@program(lambda d: (d.uniform(0, 1, 100), d.uniform(0, 1, 100)))
def histogram(x, y):
    """One- and two-dimensional histograms by scatter-add, and a cumulative distribution."""
    bins = jnp.clip((x * 10).astype(jnp.int32), 0, 9)
    rows = jnp.clip((y * 4).astype(jnp.int32), 0, 3)
    one = jnp.zeros(10, jnp.int32).at[bins].add(1)
    return one, jnp.zeros((10, 4)).at[bins, rows].add(1.0), jnp.cumsum(one) / 100


@program(lambda d: (d.integers(0, 256, 16, 16, dtype="uint8"), d.integers(0, 8, 6, 2)))
def integral_image(image, corners):
    """Box sums read off a table of two-dimensional prefix sums."""
    table = jnp.pad(jnp.cumsum(jnp.cumsum(image.astype(jnp.int32), 0), 1), ((1, 0), (1, 0)))
    y, x = corners[:, 0], corners[:, 1]
    return table[y + 8, x + 8] - table[y, x + 8] - table[y + 8, x] + table[y, x]


@program(lambda d: (d.normal(6, 16), d.normal(6, 16)))
def stable_log_sums(x, weights):
    """Logsumexp with signs and weights, softmax, and the entropy of its result."""
    value, sign = jax.nn.logsumexp(x, 1, b=weights, return_sign=True)
    p = jax.nn.softmax(x, 0)
    return value, sign, -jnp.sum(p * jnp.log(p), 0)


@program(lambda d: (d.normal(16, 24, dtype=bfloat16), d.normal(300, dtype="float16", scale=0.1)))
def narrow_sums(b, h):
    """Sums of bf16 and f16 as JAX makes them: widened, added and narrowed again."""
    return jnp.sum(b, 1), jnp.mean(b), jnp.sum(h), jnp.max(h), jnp.cumsum(b[0])


@program(lambda d: (d.normal(8, 5), d.normal(8, 5)))
def distances_and_norms(x, y):
    """Pairwise distances, cosine similarity and several norms."""
    square = jnp.sum(x * x, 1)[:, None] + jnp.sum(y * y, 1) - 2 * x @ y.T
    cosine = x @ y.T / (jnp.linalg.norm(x, axis=1)[:, None] * jnp.linalg.norm(y, axis=1))
    return jnp.maximum(square, 0), cosine, jnp.linalg.norm(x, 1), jnp.linalg.norm(x, jnp.inf)


@program(lambda d: (d.normal(32, 4),))
def covariance(x):
    """Covariance, correlation and standardized columns with their skewness."""
    z = (x - x.mean(0)) / x.std(0)
    return jnp.cov(x.T), jnp.corrcoef(x.T), jnp.mean(z ** 3, 0)


@program(lambda d: (d.normal(10, dtype="float64"), d.integers(-5, 6, 9, dtype="int64"), d.complex(6, dtype="complex128")), x64=True)
def wide_reductions(x, n, z):
    """Reductions over f64, s64 and c128."""
    return jnp.sum(x), jnp.prod(x), jnp.var(x), jnp.sum(n), jnp.max(n), jnp.argmax(n), jnp.sum(z), jnp.prod(z), jnp.cumsum(z)
