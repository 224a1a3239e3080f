"""Matrix products in their varieties, factorizations and solvers."""
import jax
import jax.numpy as jnp
from jax import lax

from . import bfloat16, program


@program(lambda d: (d.normal(4, 6, 8), d.normal(4, 8, 5), d.normal(6, 4, 3, 5)))
def dot_with_batches(a, b, c):
    """Batched products, batch dimensions out of order, several contracted at once, and an outer product."""
    dot = lax.dot_general
    return (dot(a, b, (((2,), (1,)), ((0,), (0,)))), dot(a, c, (((), ()), ((0, 1), (1, 0)))),
            dot(c, a, (((1, 0), (0, 1)), ((), ()))), jnp.einsum("bik,bkj->ijb", a, b), jnp.outer(b[0, 0], c[0, 0, 0]),
            a[0] @ b[0, :, 0], jnp.vdot(a, a))


@program(lambda d: (d.integers(-9, 9, 8, 12, dtype="int8"), d.integers(-9, 9, 12, 6, dtype="int8"), d.normal(8, 12, dtype=bfloat16),
                    d.normal(12, 6, dtype=bfloat16), d.normal(8, 12, dtype="float16"), d.normal(12, 6, dtype="float16")))
def dot_preferred_types(i, j, b, c, h, g):
    """Narrow operands with wide results."""
    return (lax.dot(i, j, preferred_element_type=jnp.int32), lax.dot(b, c, preferred_element_type=jnp.float32), lax.dot(b, c),
            lax.dot(h, g, preferred_element_type=jnp.float32), lax.dot(h, g))


@program(lambda d: (d.integers(-9, 9, 5, 7), d.integers(-9, 9, 7, 4), d.bits(5, 7), d.bits(7, 4), d.complex(5, 7), d.complex(7, 4)))
def dot_of_types(i, j, u, v, z, w):
    """Integer products that wrap, and complex ones."""
    return i @ j, u @ v, z @ w, jnp.conj(z).T @ z


@program(lambda d: (d.normal(6, 7, dtype="float64"), d.normal(7, 5, dtype="float64"),
                    d.integers(-99, 99, 4, 4, dtype="int64")), x64=True)
def dot_wide(a, b, n):
    """Products in f64 and s64 at the highest precision."""
    return jnp.dot(a, b, precision=lax.Precision.HIGHEST), n @ n, jnp.linalg.matrix_power(n, 3)


@program(lambda d: (d.normal(8, 16, dtype=bfloat16), d.normal(16, 8, dtype=bfloat16), d.normal(8, 16), d.normal(16, 8)))
def dot_algorithms(b, c, x, y):
    """Products that name their algorithm or precision."""
    preset = lax.DotAlgorithmPreset
    return (lax.dot(b, c, precision=preset.BF16_BF16_F32, preferred_element_type=jnp.float32),
            lax.dot(x, y, precision=preset.F32_F32_F32), lax.dot(x, y, precision=(lax.Precision.HIGH, lax.Precision.DEFAULT)))


@program(lambda d: (d.normal(3, 4, 5), d.normal(5, 6, 4), d.normal(4, 3)))
def einsum_network(a, b, c):
    """A chain of tensor contractions with a trace and a diagonal."""
    return (jnp.einsum("ijk,kli,ji->jl", a, b[:, :, :3], c), jnp.einsum("ii->i", c[:3]), jnp.kron(c, a[0, :2]),
            jnp.tensordot(a, b, ((1, 2), (2, 0))))


@program(lambda d: (d.positive_definite(8, 2), d.normal(2, 8, 3)), platform="tpu", metadata=True)
def cholesky_solve(a, b):
    """Positive definite systems by the cholesky and triangular-solve instructions."""
    l = lax.linalg.cholesky(a)
    y = lax.linalg.triangular_solve(l, b, left_side=True, lower=True)
    return l, lax.linalg.triangular_solve(l, y, left_side=True, lower=True, transpose_a=True)


@program(lambda d: (d.positive_definite(6), d.normal(4, 6), d.complex(5, 5), d.complex(5, 2)), platform="tpu")
def triangular_solves(a, b, z, w):
    """Triangular systems from the right, upper, with a unit diagonal, and conjugated."""
    u = jnp.triu(a)
    z = jnp.tril(z) + 4 * jnp.eye(5)
    solve = lax.linalg.triangular_solve
    return solve(u, b), solve(u, b.T, left_side=True, unit_diagonal=True), solve(
        z, w, left_side=True, lower=True, transpose_a=True, conjugate_a=True)


@program(lambda d: (d.positive_definite(6), d.normal(6)))
def cholesky_by_library(a, b):
    """A factorization and solve through the library calls JAX makes on a CPU (custom calls)."""
    l = lax.linalg.cholesky(a)
    return l, lax.linalg.triangular_solve(l, b[:, None], left_side=True, lower=True)


@program(lambda d: (d.positive_definite(10, dtype="float64"),), x64=True)
def cholesky_by_columns(a):
    """A Cholesky factorization written as a loop over columns."""
    n = a.shape[0]

    def column(j, l):
        row = jnp.where(jnp.arange(n) < j, l[j], 0)
        c = a[:, j] - l @ row
        return l.at[:, j].set(jnp.where(jnp.arange(n) >= j, c / jnp.sqrt(c[j]), 0))
    return lax.fori_loop(0, n, column, jnp.zeros_like(a))


@program(lambda d: (d.normal(8, 8), d.normal(8, 2)))
def gaussian_elimination(a, b):
    """Linear equations by elimination with row exchanges."""
    def eliminate(k, m):
        pivot = jnp.argmax(jnp.where(jnp.arange(8) >= k, jnp.abs(m[:, k]), -1))
        m = m.at[jnp.array([k, pivot])].set(m[jnp.array([pivot, k])])
        row = m[k] / m[k, k]
        return (m - m[:, k][:, None] * row).at[k].set(row)
    return lax.fori_loop(0, 8, eliminate, jnp.concatenate([a, b], 1))[:, 8:]


@program(lambda d: (d.normal(9, 6),))
def householder_qr(a):
    """An orthogonal-triangular factorization by reflections."""
    def reflect(k, qr):
        q, r = qr
        x = jnp.where(jnp.arange(9) >= k, r[:, k], 0)
        v = x.at[k].add(jnp.where(x[k] >= 0, 1.0, -1.0) * jnp.linalg.norm(x))
        v = v / jnp.linalg.norm(v)
        return q - 2 * (q @ v)[:, None] * v, r - 2 * v[:, None] * (v @ r)
    q, r = lax.fori_loop(0, 6, reflect, (jnp.eye(9), a))
    return q, jnp.triu(r)


@program(lambda d: (d.positive_definite(6),))
def jacobi_eigenvalues(a):
    """Eigenvalues of a symmetric matrix by cyclic rotations."""
    pairs = jnp.array([(i, j) for i in range(6) for j in range(i + 1, 6)])

    def rotate(m, pair):
        p, q = pair
        angle = 0.5 * jnp.arctan2(2 * m[p, q], m[q, q] - m[p, p])
        c, s = jnp.cos(angle), jnp.sin(angle)
        r = jnp.eye(6).at[p, p].set(c).at[q, q].set(c).at[p, q].set(s).at[q, p].set(-s)
        return r.T @ m @ r, None
    sweep = lambda _, m: lax.scan(rotate, m, pairs)[0]
    return jnp.sort(jnp.diag(lax.fori_loop(0, 5, sweep, a)))


@program(lambda d: (d.normal(6, 6, scale=0.4),))
def matrix_exponential(a):
    """A matrix exponential by scaling, a power series and repeated squaring."""
    a = a / 8
    term, total = jnp.eye(6), jnp.eye(6)
    for k in range(1, 8):
        term = term @ a / k
        total = total + term
    return lax.fori_loop(0, 3, lambda _, m: m @ m, total)


@program(lambda d: (d.positive_definite(16), d.normal(16)))
def power_iteration(a, start):
    """The dominant eigenvector, with the trail of Rayleigh quotients."""
    def step(v, _):
        w = a @ v
        return w / jnp.linalg.norm(w), v @ w
    return lax.scan(step, start / jnp.linalg.norm(start), length=20)


@program(lambda d: (d.normal(2, 7, 5),), platform="tpu")
def qr_decomposition(a):
    """An orthogonal-triangular factorization by the custom calls that XLA expands itself."""
    return jnp.linalg.qr(a)


@program(lambda d: (d.positive_definite(6),), platform="tpu")
def symmetric_eigenvalues(a):
    """Eigenvalues of a symmetric matrix by a custom call that XLA expands itself."""
    return jnp.linalg.eigvalsh(a)


@program(lambda d: (d.uniform(0, 4, 10), d.normal(10), d.uniform(0, 4, 6)), platform="tpu")
def gaussian_process(x, y, new):
    """Regression with a squared-exponential kernel: mean, variance and evidence."""
    kernel = lambda a, b: jnp.exp(-0.5 * (a[:, None] - b) ** 2)
    l = lax.linalg.cholesky(kernel(x, x) + 0.1 * jnp.eye(10))
    solve = lambda b, **kw: lax.linalg.triangular_solve(l, b, left_side=True, lower=True, **kw)
    z = solve(y[:, None])
    v = solve(kernel(x, new))
    evidence = -0.5 * jnp.sum(z * z) - jnp.sum(jnp.log(jnp.diag(l)))
    return v.T @ z[:, 0], 1 - jnp.sum(v * v, 0), evidence
