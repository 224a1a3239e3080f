"""The programs that compare.py times, written in JAX: NAME -> (function, its inputs, all from one seed).

Small programs for one thing each, then whole models. `hlo_text(name)` gives a case as the HLO that JAX hands to XLA.
"""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

CASES = {}


def case(*arguments, name=None):
    """Registers a function; each argument is a shape with a type, or a function of the random generator."""
    def register(function):
        CASES[name or function.__name__] = (function, arguments)
        return function
    return register


def f32(*dims): return lambda rng: rng.standard_normal(dims).astype(np.float32)
def f64(*dims): return lambda rng: rng.standard_normal(dims)
def bf16(*dims): return lambda rng: rng.standard_normal(dims).astype(jnp.bfloat16)
def ints(dtype, low, high, *dims): return lambda rng: rng.integers(low, high, dims).astype(dtype)
def c64(*dims): return lambda rng: (rng.standard_normal(dims) + 1j * rng.standard_normal(dims)).astype(np.complex64)


# ---- Elementwise. -----------------------------------------------------------------------------------------------------------
for size, label in ((1 << 10, "1k"), (1 << 16, "64k"), (1 << 20, "1M"), (1 << 24, "16M")):
    case(f32(size), f32(size), name=f"chain_f32_{label}")(lambda x, y: jnp.maximum(x * y + 0.5 * x, 0) - y)
@case(f32(1 << 20), f32(1 << 20))
def chain_math_1M(x, y): return jnp.tanh(x) * jax.nn.sigmoid(y) + jnp.exp(-x * x)
@case(bf16(1 << 20), bf16(1 << 20))
def chain_bf16_1M(x, y): return jnp.maximum(x * y + x, 0) - y
@case(ints(np.int32, -1000, 1000, 1 << 20), ints(np.int32, 1, 1000, 1 << 20))
def chain_s32_1M(x, y): return (x * y ^ (x >> 3)) + jnp.abs(y - x)
@case(f32(1024, 1024), f32(1024), f32(1024, 1))
def broadcast(x, row, column): return x * row + column
@case(f32(1024, 1024), f32(1024, 1024))
def select(x, y): return jnp.where(x > y, x, -y)
@case(c64(1 << 18), c64(1 << 18))
def chain_c64(x, y): return x * y + jnp.conj(x)

# ---- Reductions. --------------------------------------------------------------------------------------------------------------
@case(f32(2048, 1024))
def reduce_rows(x): return x.sum(1)
@case(f32(2048, 1024))
def reduce_columns(x): return x.sum(0)
@case(f32(1 << 20))
def reduce_all(x): return x.max()
@case(bf16(1024, 1024))
def reduce_rows_bf16(x): return x.sum(1)
@case(f32(1024, 1024))
def argmax(x): return x.argmax(1)
@case(f32(512, 1024))
def softmax(x): return jax.nn.softmax(x)
def norm(x, scale, shift):
    centred = x - x.mean(-1, keepdims=True)
    return centred * lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5) * scale + shift
case(f32(512, 1024), f32(1024), f32(1024), name="layer_norm")(norm)
@case(f32(256, 4096))
def cumsum(x): return jnp.cumsum(x, 1)
@case(f32(8, 112, 112, 32))
def max_pool(x): return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
@case(f32(4, 56, 56, 32))
def max_pool_gradient(x): return jax.grad(lambda x: max_pool(x).sum())(x)
@case(f32(8, 56, 56, 32))
def average_pool(x): return lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4

# ---- Movement. ----------------------------------------------------------------------------------------------------------------
@case(f32(2048, 2048))
def transpose_2d(x): return x.T
@case(f32(8, 64, 64, 32))
def transpose_4d(x): return x.transpose(0, 3, 1, 2)
@case(f32(512, 512), f32(512, 256))
def concat_pad(x, y): return jnp.pad(jnp.concatenate([x, y], 1), ((8, 8), (4, 4)))
@case(f32(10000, 128), ints(np.int32, 0, 10000, 4096))
def gather_rows(table, i): return table[i]
@case(f32(100000), ints(np.int32, 0, 100000, 100000))
def gather_scalars(table, i): return table[i]
@case(f32(10000, 128), ints(np.int32, 0, 10000, 4096), f32(4096, 128))
def scatter_add_rows(table, i, x): return table.at[i].add(x)
@case(f32(10000), ints(np.int32, 0, 10000, 100000), f32(100000))
def scatter_add_scalars(table, i, x): return table.at[i].add(x)
@case(f32(1 << 17))
def sort_1d(x): return jnp.sort(x)
@case(f32(512, 1024))
def sort_rows(x): return jnp.sort(x, 1)
@case(f32(1 << 17))
def argsort(x): return jnp.argsort(x)
@case(f32(64, 10000))
def top_k(x): return lax.top_k(x, 10)

# ---- Products. ----------------------------------------------------------------------------------------------------------------
@case(f32(1024, 1024), f32(1024, 1024))
def dot_f32_1024(a, b): return a @ b
@case(f32(256, 256), f32(256, 256))
def dot_f32_256(a, b): return a @ b
@case(f64(512, 512), f64(512, 512))
def dot_f64_512(a, b): return a @ b
@case(bf16(512, 512), bf16(512, 512))
def dot_bf16_512(a, b): return a @ b
@case(ints(np.int8, -128, 128, 512, 512), ints(np.int8, -128, 128, 512, 512))
def dot_s8_512(a, b): return lax.dot(a, b, preferred_element_type=jnp.int32)
@case(f32(2048, 2048), f32(2048))
def matrix_vector(a, x): return a @ x
@case(f32(1, 2048), f32(2048, 2048))
def vector_matrix(x, a): return x @ a
@case(f32(64, 64, 64), f32(64, 64, 64))
def dot_batched(a, b): return a @ b
def attend(q, k, v):
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(jnp.einsum("bhqd,bhkd->bhqk", q, k) / 8), v)
case(f32(2, 8, 256, 64), f32(2, 8, 256, 64), f32(2, 8, 256, 64), name="attention")(attend)
@case(f32(256, 512), f32(512, 2048), f32(2048), f32(2048, 512), f32(512))
def mlp_gelu(x, w1, b1, w2, b2): return jax.nn.gelu(x @ w1 + b1) @ w2 + b2
def conv(x, w, stride=1, padding="SAME", groups=1):
    return lax.conv_general_dilated(x, w, (stride, stride), padding, dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                    feature_group_count=groups)
case(f32(8, 56, 56, 64), f32(3, 3, 64, 64), name="conv_3x3")(conv)
case(f32(8, 28, 28, 256), f32(1, 1, 256, 256), name="conv_1x1")(conv)
case(f32(4, 224, 224, 3), f32(7, 7, 3, 64), name="conv_7x7_stride_2")(functools.partial(conv, stride=2))
case(f32(4, 56, 56, 144), f32(3, 3, 1, 144), name="conv_depthwise")(functools.partial(conv, groups=144))
@case(f32(4, 28, 28, 64), f32(3, 3, 64, 64))
def conv_gradient(x, w): return jax.grad(lambda x, w: (conv(x, w) ** 2).sum(), (0, 1))(x, w)
@case(c64(256, 1024))
def fft(x): return jnp.fft.fft(x)
@case(f32(512, 512))
def rfft_2d(x): return jnp.fft.rfft2(x)
@case(c64(64, 1000))
def fft_1000(x): return jnp.fft.fft(x)

# ---- Loops and random numbers. --------------------------------------------------------------------------------------------------
@case(f32())
def loop_scalar(x): return lax.fori_loop(0, 100000, lambda i, x: x * 0.999 + jnp.float32(i) * 1e-3, x)
@case(f32(10000))
def loop_update(x): return lax.fori_loop(1, 10000, lambda i, x: x.at[i].set(x[i - 1] * 0.5 + x[i]), x)
@case(f32(128, 32, 128), f32(128, 128), f32(128, 128))
def rnn_scan(xs, w, u):
    def step(h, x):
        h = jnp.tanh(x @ w * 0.1 + h @ u * 0.1)
        return h, h
    return lax.scan(step, jnp.zeros((32, 128)), xs)[1]
@case(ints(np.uint32, 0, 1 << 31, 2))
def threefry(key): return jax.random.uniform(jax.random.wrap_key_data(key, impl="threefry2x32"), (1 << 18,))
@case(ints(np.uint64, 0, 1 << 62, 2))
def philox(key): return lax.rng_bit_generator(key, (1 << 20,), algorithm=lax.RandomAlgorithm.RNG_PHILOX)[1]

# ---- Training and models. -------------------------------------------------------------------------------------------------------
@case(f32(128, 256), f32(128, 10), f32(256, 512), f32(512), f32(512, 10), f32(10))
def training_step(x, y, w1, b1, w2, b2):
    def loss(weights):
        w1, b1, w2, b2 = weights
        return ((jax.nn.relu(x @ w1 * 0.05 + b1) @ w2 * 0.05 + b2 - y) ** 2).mean()
    weights = (w1, b1, w2, b2)
    return jax.tree.map(lambda w, g: w - 0.01 * g, weights, jax.grad(loss)(weights))


def resnet50(image, pool):
    """Weights come from one small pool, repeated and scaled: their values do not matter, their reading does."""
    def weight(*dims): return jnp.resize(pool, dims) * np.float32((2 / np.prod(dims[:-1])) ** 0.5)
    def unit(x, filters, size, stride=1):
        x = conv(x, weight(size, size, x.shape[-1], filters), stride)
        return x * 0.9 + 0.01
    x = jax.nn.relu(unit(image, 64, 7, 2))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    for filters, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            step = stride if block == 0 else 1
            y = jax.nn.relu(unit(x, filters, 1))
            y = jax.nn.relu(unit(y, filters, 3, step))
            y = unit(y, 4 * filters, 1)
            x = jax.nn.relu(y + (unit(x, 4 * filters, 1, step) if block == 0 else x))
    return x.mean((1, 2)) @ weight(2048, 1000)
case(f32(1, 224, 224, 3), f32(4099), name="model_resnet50")(resnet50)


@case(ints(np.int32, 0, 1000, 4, 64), f32(1000, 256), *[f32(6, *d) for d in ((256, 768), (256, 256), (256, 1024), (1024, 256))])
def model_transformer(tokens, table, wqkv, wo, w1, w2):
    x = table[tokens]
    for i in range(6):
        qkv = (norm(x, 1, 0) @ wqkv[i] / 16).reshape(4, 64, 3, 4, 64).transpose(2, 0, 3, 1, 4)
        x = x + attend(*qkv).transpose(0, 2, 1, 3).reshape(4, 64, 256) @ wo[i] / 16
        x = x + jax.nn.gelu(norm(x, 1, 0) @ w1[i] / 16) @ w2[i] / 32
    return jax.nn.log_softmax(norm(x, 1, 0) @ table.T / 16)


@case(ints(np.int32, 0, 1000, 64, 8), f32(1000, 256), f32(512, 1024), f32(1024))
def model_lstm(tokens, table, w, b):
    def step(state, x):
        h, c = state
        i, f, g, o = jnp.split(jnp.concatenate([x, h], 1) @ w / 20 + b, 4, axis=1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    zero = jnp.zeros((8, 256))
    return jax.nn.log_softmax(lax.scan(step, (zero, zero), table[tokens])[1] @ table.T / 16)


def make(name, seed=1):
    """The case's HLO text, as JAX hands it to XLA, and its inputs."""
    function, arguments = CASES[name]
    rng = np.random.default_rng(seed)
    inputs = [np.asarray(argument(rng)) for argument in arguments]
    lowered = jax.jit(function, keep_unused=True).lower(*inputs)
    return lowered.compiler_ir("hlo").as_hlo_text(print_large_constants=True), inputs
