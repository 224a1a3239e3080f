"""Gather, scatter, slices and the moving about of data."""
import jax
import jax.numpy as jnp
from jax import lax

from . import program


@program(lambda d: (d.normal(30, 8), d.integers(0, 30, 4, 5), d.normal(4, 5, 8)), metadata=True)
def embedding_gradient(table, tokens, cotangent):
    """Rows looked up in a table, and the gradient as a scatter-add."""
    rows, pull = jax.vjp(lambda t: t[tokens], table)
    return rows, pull(cotangent)[0]


@program(lambda d: (d.normal(10, 4), d.integers(-4, 15, 8)))
def gather_out_of_range(x, index):
    """Indices beyond the edge: clipped, filled, wrapped."""
    return (jnp.take(x, index, 0, mode="clip"), jnp.take(x, index, 0, mode="fill", fill_value=-1),
            jnp.take(x, index, 0, mode="wrap"))


@program(lambda d: (d.normal(5, 7, 6), d.integers(0, 5, 9), d.integers(0, 6, 9), d.integers(0, 7, 5, 3, 6)))
def gather_gallery(x, i, k, along):
    """Points, slices along the middle, and per-position picks."""
    return x[i, :, k], x[i], x[:, 2][i, k], jnp.take_along_axis(x, along, 1)


@program(lambda d: (d.normal(3, 8, 5), d.integers(0, 6, 3, 4), d.normal(3, 4, 5)))
def batched_gather_scatter(x, index, update):
    """Gather and scatter under vmap: batching dimensions of operand and indices."""
    picked = jax.vmap(lambda a, i: a[i])(x, index)
    windows = jax.vmap(jax.vmap(lambda a, i: lax.dynamic_slice(a, (i, 1), (2, 3)), (None, 0)))(x, index)
    return picked, windows, jax.vmap(lambda a, i, u: a.at[i].add(u))(x, index, update)


@program(lambda d: (d.normal(12), d.integers(0, 12, 9), d.uniform(0.5, 2, 9), d.permutation(12)[:5]))
def scatter_gallery(x, index, value, distinct):
    """Adding, multiplying, minimum, maximum, setting and applying at indices."""
    at = x.at[index]
    return (at.add(value), at.multiply(value), at.min(value), at.max(value), at.subtract(value),
            x.at[distinct].set(value[:5], unique_indices=True), x.at[distinct].apply(jnp.sin))


@program(lambda d: (d.integers(0, 9, 6, 6), d.integers(-2, 9, 7, 2), d.integers(0, 9, 7)))
def scatter_out_of_range(x, places, values):
    """Updates beyond the edge are dropped or clipped; windows as well as points."""
    rows, columns = places[:, 0], places[:, 1]
    window = lax.scatter_add(x, places[:3], values[:3, None, None] * jnp.ones((3, 2, 2), x.dtype),
                             lax.ScatterDimensionNumbers((1, 2), (), (0, 1)), mode="clip")
    return x.at[rows, columns].add(values, mode="drop"), window


@program(lambda d: (d.normal(8, 10), d.integers(0, 9), d.integers(0, 12), d.normal(3, 4)))
def dynamic_slice_and_update(x, i, j, patch):
    """A window read and another written at places known only at run time, clamped at the edge."""
    return lax.dynamic_slice(x, (i, j), (3, 4)), lax.dynamic_update_slice(x, patch, (i, j)), x[i % 8], x[:, j % 10]


@program(lambda d: (d.normal(4, 6), d.integers(0, 9, 5)))
def pad_gallery(x, n):
    """Padding outside, inside, and by negative amounts; reflected and edge padding."""
    return (lax.pad(x, 1.5, ((1, 2, 0), (0, 3, 1))), lax.pad(x, 0.0, ((-1, 0, 0), (2, -2, 0))),
            lax.pad(x, 0.0, ((-1, -2, 2), (-2, 5, 1))), jnp.pad(x, 2, mode="reflect"), jnp.pad(n, (1, 3), mode="edge"))


@program(lambda d: (d.normal(3, 4, 5), d.integers(0, 9, 6, 4)))
def shape_gallery(x, n):
    """Transposes, reshapes, reversals, tiles, repeats, rolls and stacks."""
    return (x.transpose(2, 0, 1), x.reshape(5, 12).T, x[::-1, :, ::-1], jnp.tile(n, (2, 1)), jnp.repeat(n, 3, 1),
            jnp.roll(x, (1, -2), (0, 2)), jnp.stack([n, n + 1], 1), jnp.concatenate([n, n[:2]], 0), jnp.split(x, 2, 1),
            n[1:5:2, ::-3], jnp.squeeze(x[:, :1], 1))


@program(lambda d: (d.normal(6, 6), d.normal(6)))
def diagonals_and_triangles(a, v):
    """Grids of coordinates, triangular parts, diagonals read and written."""
    i, j = jnp.indices((6, 6))
    return jnp.tril(a, 1), jnp.triu(a, -1), jnp.diag(a), jnp.diag(v), a.at[i[0], j[0]].set(v), jnp.trace(a), i * 10 + j


@program(lambda d: (d.normal(20, 6), d.integers(0, 20, 50), d.integers(0, 20, 50), d.weights(6, 8)))
def graph_convolution(nodes, source, target, w):
    """Messages gathered along edges and summed at their targets, divided by degree."""
    message = nodes[source] @ w
    total = jax.ops.segment_sum(message, target, 20)
    degree = jax.ops.segment_sum(jnp.ones(50), target, 20)
    best = jax.ops.segment_max(message, target, 20)
    return jax.nn.relu(total / jnp.maximum(degree, 1)[:, None]), jnp.where(degree[:, None] > 0, best, 0)


@program(lambda d: (d.normal(40), d.integers(0, 12, 40), d.integers(0, 10, 40), d.normal(10)))
def sparse_matrix_vector(values, rows, columns, x):
    """A sparse matrix in coordinate form times a vector, and its transpose times the result."""
    y = jnp.zeros(12).at[rows].add(values * x[columns])
    return y, jnp.zeros(10).at[columns].add(values * y[rows])


@program(lambda d: (d.normal(6, 5), d.integers(0, 5, 6)))
def one_hot_and_masks(x, label):
    """One-hot rows, a confusion table, and selection by mask with a fixed size."""
    hot = jax.nn.one_hot(label, 5)
    return hot, hot.T @ jax.nn.one_hot(jnp.argmax(x, 1), 5), jnp.nonzero(x > 0, size=12, fill_value=-1)


@program(lambda d: (d.integers(0, 256, 24, dtype="uint8"),))
def base64_text(data):
    """Bytes regrouped into six bits each and turned into characters by table."""
    a, b, c = data.reshape(-1, 3).T
    six = jnp.stack([a >> 2, (a << 4 | b >> 4) & 63, (b << 2 | c >> 6) & 63, c & 63], 1).reshape(-1)
    letters = jnp.concatenate([jnp.arange(65, 91), jnp.arange(97, 123), jnp.arange(48, 58), jnp.array([43, 47])])
    return letters.astype(jnp.uint8)[six]


@program(lambda d: (d.bits(20, dtype="uint8"),))
def checksum_by_table(data):
    """A cyclic redundancy check: its table built by shifts, then read byte by byte."""
    bit = lambda _, c: jnp.where(c & 1, (c >> 1) ^ jnp.uint32(0xEDB88320), c >> 1)
    table = lax.fori_loop(0, 8, bit, jnp.arange(256, dtype=jnp.uint32))
    step = lambda crc, byte: (table[(crc ^ byte) & 255] ^ (crc >> 8), None)
    return ~lax.scan(step, jnp.uint32(0xFFFFFFFF), data.astype(jnp.uint32))[0]
