"""Loops, branches and calls."""
import jax
import jax.numpy as jnp
from jax import lax

from . import program


@program(lambda d: (d.uniform(0.5, 100, 16),), metadata=True)
def newton_square_root(x):
    """Newton's iteration in a while loop that stops when all elements have settled."""
    def unsettled(state):
        i, y, last = state
        return (i < 30) & jnp.any(jnp.abs(y - last) > 1e-5 * y)
    i, y, _ = lax.while_loop(unsettled, lambda s: (s[0] + 1, 0.5 * (s[1] + x / s[1]), s[1]), (0, x, x + 1))
    return i, y


@program(lambda d: (d.integers(1, 1000, 24),))
def collatz_steps(n):
    """Steps to one of the 3n+1 walk, a while loop under vmap."""
    def walk(n):
        step = lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1)
        return lax.while_loop(lambda s: s[0] != 1, step, (n, 0))[1]
    return jax.vmap(walk)(n)


@program(lambda d: (d.integers(1, 5000, 12), d.integers(1, 5000, 12)))
def greatest_common_divisor(a, b):
    """Euclid's algorithm for each pair in turn: a loop inside a loop."""
    def gcd(pair):
        return lax.while_loop(lambda s: s[1] != 0, lambda s: (s[1], s[0] % s[1]), pair)[0]
    return lax.map(gcd, (a, b))


@program(lambda d: (d.normal(8), d.normal()))
def branch_on_sign(x, y):
    """A two-way conditional whose branches take different operands."""
    return lax.cond(y > 0, lambda a, b: jnp.sin(a) * b, lambda a, b: jnp.cos(a) - b, x, y)


@program(lambda d: (d.normal(5, 6), d.integers(0, 4, 5)), metadata=True)
def switch_in_scan(x, choice):
    """A four-way switch taken anew at every step of a loop."""
    branches = [jnp.sin, lambda a: a * a, lambda a: jnp.cumsum(a), lambda a: -jnp.sort(a)]
    step = lambda total, s: (total + lax.switch(s[1], branches, s[0]),) * 2
    return lax.scan(step, jnp.zeros(6), (x, choice))


@program(lambda d: (d.integers(0, 2, 16, 16),))
def game_of_life(board):
    """Eight generations on a torus, neighbours counted by rolling."""
    def generation(_, b):
        count = sum(jnp.roll(b, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - b
        return ((count == 3) | ((b == 1) & (count == 2))).astype(b.dtype)
    return lax.fori_loop(0, 8, generation, board)


@program(lambda d: (d.uniform(-1.2, 0.5), d.uniform(0.0, 0.6)))
def mandelbrot(x, y):
    """Escape times over a small complex grid."""
    c = (x + jnp.linspace(-0.5, 0.5, 16)) + 1j * (y + jnp.linspace(-0.5, 0.5, 12))[:, None]

    def step(_, state):
        z, n = state
        inside = lax.real(z) ** 2 + lax.imag(z) ** 2 < 4
        return jnp.where(inside, z * z + c, z), n + inside
    return lax.fori_loop(0, 20, step, (jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32)))[1]


@program(lambda d: (d.normal(3), d.uniform(0.005, 0.01)))
def runge_kutta_lorenz(state, dt):
    """The Lorenz system by fourth-order Runge-Kutta."""
    def slope(s):
        x, y, z = s
        return jnp.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])

    def step(s, _):
        k1 = slope(s)
        k2 = slope(s + dt / 2 * k1)
        k3 = slope(s + dt / 2 * k2)
        k4 = slope(s + dt * k3)
        s = s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return s, s
    return lax.scan(step, state, length=16)[1]


@program(lambda d: (d.positive_definite(16), d.normal(16)))
def conjugate_gradient(a, b):
    """A linear system solved until the residual is small."""
    def step(s):
        x, r, p, rr, i = s
        ap = a @ p
        alpha = rr / (p @ ap)
        x, r = x + alpha * p, r - alpha * ap
        new = r @ r
        return x, r, r + new / rr * p, new, i + 1
    start = (jnp.zeros_like(b), b, b, b @ b, 0)
    return lax.while_loop(lambda s: (s[3] > 1e-4) & (s[4] < 8), step, start)[0]


@program(lambda d: (d.uniform(-2, 2, 10, dtype="float64"),), x64=True)
def bisection(y):
    """Inverse of x + x^3 by bisection in double precision."""
    def halve(_, bounds):
        low, high = bounds
        middle = (low + high) / 2
        below = middle + middle ** 3 < y
        return jnp.where(below, middle, low), jnp.where(below, high, middle)
    return lax.fori_loop(0, 50, halve, (jnp.full_like(y, -4), jnp.full_like(y, 4)))


@program(lambda d: (d.uniform(0, 1, 10, 10), d.uniform(1, 2, 10), d.uniform(1, 2, 10)))
def sinkhorn_transport(cost, a, b):
    """Optimal transport with entropy by alternating log-domain scalings."""
    a, b = jnp.log(a / a.sum()), jnp.log(b / b.sum())

    def step(_, fg):
        f, g = fg
        f = 0.1 * (a - jax.nn.logsumexp((g - cost) / 0.1, 1))
        return f, 0.1 * (b - jax.nn.logsumexp((f[:, None] - cost) / 0.1, 0))
    f, g = lax.fori_loop(0, 12, step, (jnp.zeros(10), jnp.zeros(10)))
    return jnp.exp((f[:, None] + g - cost) / 0.1)


@program(lambda d: (d.integers(1, 100, 12, 12),))
def shortest_paths(length):
    """All pairs of shortest paths, relaxing through one vertex at a time."""
    relax = lambda k, dist: jnp.minimum(dist, dist[:, k][:, None] + dist[k][None])
    return lax.fori_loop(0, 12, relax, length)


@program(lambda d: (d.integers(0, 100, 10),))
def insertion_sort(x):
    """Sorting by swaps: nested loops over dynamic slices and updates."""
    def place(i, a):
        def swap(s):
            a, j = s
            left, right = a[j - 1], a[j]
            return a.at[j].set(left).at[j - 1].set(right), j - 1
        return lax.while_loop(lambda s: (s[1] > 0) & (s[0][jnp.maximum(s[1] - 1, 0)] > s[0][s[1]]), swap, (a, i))[0]
    return lax.fori_loop(1, 10, place, x)


@program(lambda d: (d.normal(6), d.normal(6)))
def nested_calls(x, y):
    """Functions called more than once, some through others, across an optimization barrier."""
    inner = jax.jit(lambda a: jnp.tanh(a) + 1)
    outer = jax.jit(lambda a, b: inner(a) * inner(b))
    u, v = lax.optimization_barrier((outer(x, y), outer(y, x)))
    return outer(u, v), inner(u)


@program(lambda d: (d.normal(7, 4), d.weights(4, 4)))
def rematerialized_chain(x, w):
    """Gradient of a scanned layer whose activations are computed again on the way back."""
    layer = jax.checkpoint(lambda h: jnp.tanh(h @ w))
    return jax.grad(lambda x: jnp.sum(lax.scan(lambda h, _: (layer(h), None), x, length=3)[0]))(x)


@program(lambda d: (d.normal(6, 6), d.booleans(6), d.integers(0, 3)))
def nested_conditionals(x, flags, choice):
    """Conditionals within a switch within a loop, with tuples as results."""
    def body(i, state):
        total, count = state
        row = lax.dynamic_index_in_dim(x, i, keepdims=False)
        positive = lambda t: lax.cond(flags[i], lambda: (t + row, count + 1), lambda: (t - row, count))
        return lax.switch(choice, [positive, lambda t: (t * 0.5, count + 2), lambda t: (t, count)], total)
    return lax.fori_loop(0, 6, body, (jnp.zeros(6), 0))
