"""Programs for compare_passes.py that no pass was tuned on: NAME -> (function, shapes of its arguments), written in JAX.

What people write, in kinds that cases.py and the corpus do not have: norms, attention in several types, solvers of differential
equations, optimizers, losses, gradients of all of these, signal and image processing, statistics, graphs, physics.
"""
import jax
import jax.numpy as jnp
from jax import lax

F32, F64, BF16, S32 = jnp.float32, jnp.float64, jnp.bfloat16, jnp.int32
PROGRAMS = {}


def program(*arguments, kind=F32):
    """Registers a function; an argument is a tuple of sizes, or (sizes, type)."""
    def register(function):
        shapes = [jax.ShapeDtypeStruct(*((a[0], a[1]) if a and isinstance(a[0], tuple) else (a, kind))) for a in arguments]
        PROGRAMS[function.__name__] = (function, shapes)
        return function
    return register


def norm(x, scale, shift, axis=-1):
    mean = x.mean(axis, keepdims=True)
    return (x - mean) * lax.rsqrt(x.var(axis, keepdims=True) + 1e-5) * scale + shift


def attend(q, k, v, mask=None):
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / q.shape[-1] ** 0.5
    if mask is not None: scores = jnp.where(mask, scores, -1e30)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)


@program((64, 128, 256), (256,), (256,))
def layer_norm_3d(x, s, b): return norm(x, s, b)
@program((256, 512), (512,), (512,))
def layer_norm_gradient(x, s, b): return jax.grad(lambda x, s, b: (norm(x, s, b) ** 2).sum(), (0, 1, 2))(x, s, b)
@program((64, 32, 32, 16), (16,), (16,))
def batch_norm(x, s, b): return norm(x, s, b, (0, 1, 2))
@program((32, 16, 16, 64), (64,), (64,))
def group_norm(x, s, b):
    y = x.reshape(32, 16, 16, 8, 8)
    mean, variance = y.mean((1, 2, 4), keepdims=True), y.var((1, 2, 4), keepdims=True)
    return ((y - mean) * lax.rsqrt(variance + 1e-5)).reshape(x.shape) * s + b
@program((512, 768), (768,), kind=BF16)
def rms_norm_bf16(x, s):
    y = x.astype(F32)
    return (y * lax.rsqrt((y * y).mean(-1, keepdims=True) + 1e-6)).astype(BF16) * s
@program((512, 768), (512, 768), (768,), (768,))
def residual_norm(x, y, s, b): return norm(x + y, s, b)
@program((2, 4, 128, 32), (2, 4, 128, 32), (2, 4, 128, 32), kind=F64)
def attention_f64(q, k, v): return attend(q, k, v)
@program((2, 4, 128, 32), (2, 4, 128, 32), (2, 4, 128, 32))
def attention_causal(q, k, v): return attend(q, k, v, jnp.tril(jnp.ones((128, 128), bool)))
@program((1, 4, 64, 32), (1, 4, 64, 32), (1, 4, 64, 32))
def attention_gradient(q, k, v): return jax.grad(lambda q, k, v: attend(q, k, v).sum(), (0, 1, 2))(q, k, v)
@program((2, 4, 128, 32), (2, 4, 128, 32), (2, 4, 128, 32), kind=BF16)
def attention_bf16_masked(q, k, v): return attend(q, k, v, jnp.tril(jnp.ones((128, 128), bool)))
@program((128,), (128, 128), kind=F64)
def ode_runge_kutta(y, a):
    slope = lambda y: jnp.tanh(a @ y) - 0.1 * y
    def step(i, y):
        k1 = slope(y)
        k2 = slope(y + 0.01 * k1)
        k3 = slope(y + 0.01 * k2)
        return y + 0.02 / 6 * (k1 + 2 * k2 + 2 * k3 + slope(y + 0.02 * k3))
    return lax.fori_loop(0, 100, step, y)
@program((3,), kind=F64)
def ode_lorenz(y):
    def slope(y): return jnp.stack([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])
    def step(i, y):
        k1 = slope(y)
        k2 = slope(y + 0.005 * k1)
        return y + 0.01 * k2
    return lax.fori_loop(0, 1000, step, y)
@program((256, 2), kind=F64)
def ode_predators(y):
    def slope(y):
        a, b = y[:, 0], y[:, 1]
        return jnp.stack([a * (1.1 - 0.4 * b), b * (0.1 * a - 0.4)], 1)
    return lax.scan(lambda y, _: ((z := y + 0.01 * slope(y + 0.005 * slope(y))), z), y, None, length=200)[1]
@program((256, 256))
def wave(u):
    def step(i, s):
        u, v = s
        around = jnp.pad(u, 1)
        laplace = around[2:, 1:-1] + around[:-2, 1:-1] + around[1:-1, 2:] + around[1:-1, :-2] - 4 * u
        return u + 0.1 * v, v + 0.1 * laplace
    return lax.fori_loop(0, 20, step, (u, jnp.zeros_like(u)))[0]
@program((1000, 64), (1000, 64), (1000, 64), (1000, 64))
def adam(w, g, m, v):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return w - 1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v
@program((1000, 64), (1000, 64), (1000, 64))
def clipped_momentum(w, g, m):
    m = 0.9 * m + g * jnp.minimum(1.0, 1.0 / jnp.sqrt((g * g).sum()))
    return w - 0.1 * m, m
@program((256, 1000), ((256,), S32))
def cross_entropy(x, y): return -jnp.take_along_axis(jax.nn.log_softmax(x), y[:, None], 1).mean()
@program((256, 1000), ((256,), S32))
def cross_entropy_gradient(x, y): return jax.grad(lambda x: cross_entropy(x, y))(x)
@program((256, 64), (256, 64))
def contrastive(a, b):
    a, b = (x / jnp.linalg.norm(x, axis=1, keepdims=True) for x in (a, b))
    s = a @ b.T * 10
    return -(jax.nn.log_softmax(s)[jnp.arange(256), jnp.arange(256)]).mean()
@program((512, 8), (16, 8))
def nearest_means(x, c): return ((x[:, None] - c[None]) ** 2).sum(-1).argmin(1)
@program((512, 8), (16, 8))
def means_step(x, c):
    one = jax.nn.one_hot(nearest_means(x, c), 16)
    return (one.T @ x) / (one.sum(0)[:, None] + 1e-6)
@program((200, 32))
def covariance(x): return jnp.cov(x.T)
@program((4096,))
def histogram(x): return jnp.zeros(64).at[jnp.clip((x * 8 + 32).astype(S32), 0, 63)].add(1.0)
@program((128, 128, 3))
def grey_blur(x):
    y = (x * jnp.array([0.3, 0.59, 0.11])).sum(-1)
    y = jnp.pad(y, 2, mode="edge")
    return sum(y[i:i + 128, j:j + 128] for i in range(5) for j in range(5)) / 25
@program((64, 64, 3))
def resize(x): return jax.image.resize(x, (128, 128, 3), "bilinear")
@program((16, 1024))
def spectrogram(x):
    frames = jnp.stack([x[:, i:i + 256] for i in range(0, 769, 128)], 1) * jnp.hanning(256)
    return jnp.abs(jnp.fft.rfft(frames)) ** 2
@program((500, 16), ((2000, 2), S32), (16, 16))
def graph_layer(x, edges, w):
    sent = (x @ w)[edges[:, 0]]
    degree = jnp.zeros(500).at[edges[:, 1]].add(1.0)
    return jax.nn.relu(jnp.zeros((500, 16)).at[edges[:, 1]].add(sent) / (degree[:, None] + 1))
@program((64, 3), (64,))
def n_body(x, mass):
    d = x[:, None] - x[None]
    return -(d / ((d ** 2).sum(-1) + 1e-2)[..., None] ** 1.5 * mass[None, :, None]).sum(1)
@program((64, 64), (64,), kind=F64)
def conjugate_gradients(a, b):
    a = a @ a.T + 64 * jnp.eye(64)
    def step(i, s):
        x, r, p = s
        ap = a @ p
        t = (r @ r) / (p @ ap)
        q = r - t * ap
        return x + t * p, q, q + (q @ q) / (r @ r) * p
    return lax.fori_loop(0, 20, step, (jnp.zeros(64), b, b))[0]
@program((32, 64), (64, 128), (128,), (128, 64), (64,))
def mixture_of_losses(x, w1, b1, w2, b2):
    y = jax.nn.gelu(x @ w1 + b1) @ w2 + b2
    return (jnp.abs(y - x) + jnp.where(jnp.abs(y - x) < 1, 0.5 * (y - x) ** 2, jnp.abs(y - x) - 0.5)).mean()
@program((32, 64), (64, 128), (128,), (128, 64), (64,))
def mixture_gradient(*a): return jax.grad(mixture_of_losses, tuple(range(1, 5)))(*a)
@program((100, 16, 32), (32, 96), (32, 96))
def gru(xs, w, u):
    def step(h, x):
        a, b = x @ w, h @ u
        z, r = jax.nn.sigmoid(a[:, :32] + b[:, :32]), jax.nn.sigmoid(a[:, 32:64] + b[:, 32:64])
        h = z * h + (1 - z) * jnp.tanh(a[:, 64:] + r * b[:, 64:])
        return h, h
    return lax.scan(step, jnp.zeros((16, 32)), xs)[1]
@program((8, 128), (8, 128, 64), (64, 64))
def bilinear(a, b, w): return jnp.einsum("bi,bij,jk->bk", a, b, w)


def make(name):
    """The program as the HLO that JAX hands to XLA."""
    function, shapes = PROGRAMS[name]
    return jax.jit(function, keep_unused=True).lower(*shapes).compiler_ir("hlo").as_hlo_text(print_large_constants=True)
