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
def f16(*dims): return lambda rng: rng.standard_normal(dims).astype(np.float16)
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
@case(f32(1000, 700), f32(700), f32(1000, 1))
def select_broadcast(x, row, column): return jnp.where(row > column, x * row, column - x)
@case(f32(1024, 1024), f32(1024, 1024))
def select(x, y): return jnp.where(x > y, x, -y)
@case(c64(1 << 18), c64(1 << 18))
def chain_c64(x, y): return x * y + jnp.conj(x)
@case(f64(1 << 20), f64(1 << 20))
def chain_f64_1M(x, y): return jnp.maximum(x * y + 0.5 * x, 0) - y
@case(f16(1 << 20), f16(1 << 20))
def chain_f16_1M(x, y): return jnp.maximum(x * y + x, 0) - y
@case(ints(np.int8, -128, 128, 1 << 20), ints(np.int8, -128, 128, 1 << 20))
def chain_s8_1M(x, y): return jnp.maximum(x * y + x, 0) - y
@case(f64(1 << 18), f64(1 << 18))
def chain_math_f64(x, y): return jnp.tanh(x) * jax.nn.sigmoid(y) + jnp.exp(-x * x)
@case(bf16(1 << 18), bf16(1 << 18))
def chain_math_bf16(x, y): return jnp.tanh(x) * jax.nn.sigmoid(y) + jnp.exp(-x * x)
@case(f32(1 << 10), f32(1 << 10))
def chain_math_1k(x, y): return jnp.tanh(x) * jax.nn.sigmoid(y) + jnp.exp(-x * x)
@case(f32(1 << 18))
def chain_long(x):
    for _ in range(4):
        x = jnp.log1p(jnp.exp(-jnp.abs(x))) + jnp.sin(x) * jnp.sqrt(jnp.abs(x) + 1)
    return x
@case(f32(1 << 18), f32(1 << 18))
def chain_sigmoids(x, y):
    for _ in range(4):
        x = jnp.tanh(x) * jax.nn.sigmoid(y) + jnp.exp(-x * x)
    return x
@case(f32(1 << 18))
def gelu_exact(x): return jax.nn.gelu(x, approximate=False)
@case(ints(np.int32, -1000, 1000, 1 << 18), ints(np.int32, 1, 1000, 1 << 18))
def divide_s32(x, y): return x // y + x % y
@case(ints(np.uint32, 0, 1 << 31, 1 << 20))
def hash_u32(x):
    for shift, factor in ((16, 0x7feb352d), (15, 0x846ca68b)):
        x = (x ^ (x >> shift)) * np.uint32(factor)
    return x ^ (x >> 16)

# ---- Reductions. --------------------------------------------------------------------------------------------------------------
@case(f32(2048, 1024))
def reduce_rows(x): return x.sum(1)
@case(f32(2048, 1024))
def reduce_columns(x): return x.sum(0)
@case(f32(1500, 700))
def reduce_columns_max(x): return x.max(0)
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
@case(f64(1024, 1024))
def reduce_rows_f64(x): return x.sum(1)
@case(bf16(1024, 1024))
def reduce_columns_bf16(x): return x.sum(0)
@case(ints(np.int32, -1000, 1000, 1024, 1024))
def reduce_columns_s32(x): return x.max(0)
@case(f32(1 << 24))
def reduce_all_16M(x): return x.sum()
@case(c64(512, 512))
def reduce_rows_c64(x): return x.sum(1)
@case(f32(64, 64, 256))
def reduce_middle(x): return x.sum(1)
@case(f32(1024, 1024))
def log_sum_exp(x): return jax.nn.logsumexp(x, 1)
@case(f64(512, 1024))
def variance_f64(x): return x.var(1)
@case(bf16(512, 1024))
def argmin_bf16(x): return x.argmin(1)
@case(bf16(512, 1024))
def softmax_bf16(x): return jax.nn.softmax(x)
case(bf16(512, 1024), bf16(1024), bf16(1024), name="layer_norm_bf16")(norm)
@case(bf16(384, 768), bf16(768), bf16(768))
def layer_norm_mixed(x, scale, shift): return norm(x.astype(jnp.float32), scale.astype(jnp.float32), shift.astype(jnp.float32)).astype(jnp.bfloat16)
@case(ints(np.int32, -1000, 1000, 256, 1024))
def cumsum_s32(x): return jnp.cumsum(x, 1)
@case(f32(256, 1024))
def cummax(x): return lax.cummax(x, 1)

# ---- Movement. ----------------------------------------------------------------------------------------------------------------
@case(f32(2048, 2048))
def transpose_2d(x): return x.T
@case(f32(8, 64, 64, 32))
def transpose_4d(x): return x.transpose(0, 3, 1, 2)
@case(f32(8, 48, 64, 40), f32(8, 48, 40, 64))
def transpose_inner(x, y): return x.transpose(0, 1, 3, 2) * 2 + y
@case(f32(8, 48, 64, 40), f32(8, 64, 48, 40))
def transpose_middle(x, y): return x.transpose(0, 2, 1, 3) * 2 + y
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
@case(bf16(1024, 1024))
def transpose_bf16(x): return x.T
@case(f32(1024, 1024))
def reverse(x): return x[::-1, ::-1]
@case(f32(1024, 1024))
def slice_strided(x): return x[1::2, ::2] + x[::2, 1::2]
@case(f32(512, 512))
def triangle(x): return jnp.tril(x)
@case(bf16(10000, 128), ints(np.int32, 0, 10000, 4096))
def gather_rows_bf16(table, i): return table[i]
@case(f32(4096, 256), f32(8, 256), ints(np.int32, 0, 4000))
def update_slice(x, rows, i): return lax.dynamic_update_slice(x, rows, (i, np.int32(0)))
@case(ints(np.int32, 0, 1000, 4096))
def one_hot(i): return jax.nn.one_hot(i, 1000)
@case(ints(np.int32, -100000, 100000, 1 << 17))
def sort_s32(x): return jnp.sort(x)
@case(f32(1 << 16), ints(np.int32, 0, 1000, 1 << 16))
def sort_pairs(x, y): return lax.sort((x, y), num_keys=1)

# ---- Products. ----------------------------------------------------------------------------------------------------------------
@case(f32(1024, 1024), f32(1024, 1024))
def dot_f32_1024(a, b): return a @ b
@case(f32(256, 256), f32(256, 256))
def dot_f32_256(a, b): return a @ b
@case(f64(256, 256), f64(256, 256))
def dot_f64_256(a, b): return a @ b
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
@case(f32(32, 32), f32(32, 32))
def dot_f32_32(a, b): return a @ b
@case(f32(8, 1024), f32(1024, 1024))
def dot_f32_few_rows(a, b): return a @ b
@case(f16(256, 256), f16(256, 256))
def dot_f16_256(a, b): return a @ b
@case(bf16(1, 2048), bf16(2048, 2048))
def vector_matrix_bf16(x, a): return x @ a
@case(ints(np.int32, -1000, 1000, 256, 256), ints(np.int32, -1000, 1000, 256, 256))
def dot_s32_256(a, b): return a @ b
@case(c64(128, 128), c64(128, 128))
def dot_c64_128(a, b): return a @ b
def attend(q, k, v):
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(jnp.einsum("bhqd,bhkd->bhqk", q, k) / 8), v)
case(f32(2, 8, 256, 64), f32(2, 8, 256, 64), f32(2, 8, 256, 64), name="attention")(attend)
@case(f32(256, 512), f32(512, 2048), f32(2048), f32(2048, 512), f32(512))
def mlp_gelu(x, w1, b1, w2, b2): return jax.nn.gelu(x @ w1 + b1) @ w2 + b2
case(bf16(2, 8, 128, 64), bf16(2, 8, 128, 64), bf16(2, 8, 128, 64), name="attention_bf16")(attend)
def conv(x, w, stride=1, padding="SAME", groups=1):
    return lax.conv_general_dilated(x, w, (stride, stride), padding, dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                    feature_group_count=groups)
case(f32(8, 56, 56, 64), f32(3, 3, 64, 64), name="conv_3x3")(conv)
case(f32(8, 28, 28, 256), f32(1, 1, 256, 256), name="conv_1x1")(conv)
case(f32(4, 224, 224, 3), f32(7, 7, 3, 64), name="conv_7x7_stride_2")(functools.partial(conv, stride=2))
case(f32(4, 56, 56, 144), f32(3, 3, 1, 144), name="conv_depthwise")(functools.partial(conv, groups=144))
case(bf16(2, 28, 28, 64), bf16(3, 3, 64, 64), name="conv_bf16")(conv)
@case(f32(8, 2000, 32), f32(5, 32, 32))
def conv_1d(x, w): return lax.conv_general_dilated(x, w, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))
@case(f32(2, 28, 28, 64), f32(4, 4, 64, 32))
def conv_transposed(x, w): return lax.conv_transpose(x, w, (2, 2), "SAME")
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
@case(f32())
def loop_newton(a): return lax.while_loop(lambda s: s[0] < 50000, lambda s: (s[0] + 1, 0.5 * (s[1] + (2 + jnp.abs(a)) / s[1])), (0, a * a + 1))[1]
@case(ints(np.int64, 1, 1 << 40))
def loop_collatz(x): return lax.fori_loop(0, 20000, lambda i, n: jnp.where(n % 2 == 0, n // 2, 3 * n + 1), x)
@case(f32(500, 64), f32(64, 64))
def scan_vector(xs, w): return lax.scan(lambda h, x: (jnp.tanh(w @ h * 0.1 + x),) * 2, jnp.zeros(64), xs)[1]
@case(f32(2000, 64))
def loop_update_rows(x): return lax.fori_loop(1, 2000, lambda i, x: x.at[i].set(x[i - 1] * 0.5 + x[i]), x)
@case(f32(1000, 256), f32(256))
def loop_update_slice(x, row): return lax.fori_loop(0, 1000, lambda i, x: lax.dynamic_update_slice(x, (row * jnp.float32(i))[None], (jnp.int32(i), np.int32(0))), x)
@case(f32(64, 16, 64), f32(64, 192), f32(64, 192))
def gru_scan(xs, w, u):
    def step(h, x):
        (r, z, n), (s, t, m) = jnp.split(x @ w * 0.1, 3, 1), jnp.split(h @ u * 0.1, 3, 1)
        r, z = jax.nn.sigmoid(r + s), jax.nn.sigmoid(z + t)
        h = (1 - z) * jnp.tanh(n + r * m) + z * h
        return h, h
    return lax.scan(step, jnp.zeros((16, 64)), xs)[1]
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


def rms_norm(x, scale):
    wide = x.astype(jnp.float32)
    return (wide * lax.rsqrt((wide * wide).mean(-1, keepdims=True) + 1e-6)).astype(x.dtype) * scale
def rotate(x, positions):
    angles = positions[:, None] / 10000 ** (jnp.arange(0, x.shape[-1], 2) / x.shape[-1])
    even, odd = x[..., ::2].astype(jnp.float32), x[..., 1::2].astype(jnp.float32)
    sin, cos = jnp.sin(angles), jnp.cos(angles)
    return jnp.stack([even * cos - odd * sin, even * sin + odd * cos], -1).reshape(x.shape).astype(x.dtype)


@case(ints(np.int32, 0, 1000), ints(np.int32, 100, 101), f32(1000, 256), f32(6, 2, 4, 128, 64),
      *[f32(6, *d) for d in ((256, 768), (256, 256), (256, 1024), (1024, 256))])
def model_gpt_decode(token, place, table, cache, wqkv, wo, w1, w2):
    """One token of a decoder, with the keys and values of those before it."""
    x = table[token][None]
    for i in range(6):
        q, k, v = (norm(x, 1, 0) @ wqkv[i] / 16).reshape(3, 4, 1, 64)
        cache = lax.dynamic_update_slice(cache, jnp.stack([k, v])[None], tuple(map(jnp.int32, (i, 0, 0, place, 0))))
        scores = jnp.where(jnp.arange(128) <= place, jnp.einsum("hqd,hkd->hqk", q, cache[i, 0]) / 8, -1e9)
        x = x + (jax.nn.softmax(scores) @ cache[i, 1]).reshape(1, 256) @ wo[i] / 16
        x = x + jax.nn.gelu(norm(x, 1, 0) @ w1[i] / 16) @ w2[i] / 32
    return norm(x, 1, 0) @ table.T / 16, cache


@case(ints(np.int32, 0, 1000, 2, 128), ints(np.int32, 0, 2, 2, 128), f32(1000, 256), f32(128, 256),
      *[f32(4, *d) for d in ((256, 768), (256, 256), (256, 1024), (1024, 256))])
def model_bert(tokens, mask, table, places, wqkv, wo, w1, w2):
    x = norm(table[tokens] + places, 1, 0)
    hidden = jnp.where(mask == 0, -1e9, 0.0)[:, None, None, :]
    for i in range(4):
        q, k, v = (x @ wqkv[i] / 16).reshape(2, 128, 3, 4, 64).transpose(2, 0, 3, 1, 4)
        weights = jax.nn.softmax(jnp.einsum("bhqd,bhkd->bhqk", q, k) / 8 + hidden)
        x = norm(x + jnp.einsum("bhqk,bhkd->bqhd", weights, v).reshape(2, 128, 256) @ wo[i] / 16, 1, 0)
        x = norm(x + jax.nn.gelu(x @ w1[i] / 16, approximate=False) @ w2[i] / 32, 1, 0)
    return jnp.tanh(x[:, 0])


@case(ints(np.int32, 0, 1000, 64), bf16(1000, 256), bf16(4, 256),
      *[bf16(4, *d) for d in ((256, 512), (256, 256), (256, 1024), (256, 1024), (1024, 256))])
def model_gemma_bf16(tokens, table, scales, wq, wkv, w1, w2, w3):
    x, positions = table[tokens] * 16, jnp.arange(64.0)
    for i in range(4):
        y = rms_norm(x, scales[i])
        q = rotate((y @ wq[i] / 16).reshape(64, 8, 64).transpose(1, 0, 2), positions)
        k, v = (y @ wkv[i] / 16).reshape(64, 2, 2, 64).transpose(1, 2, 0, 3)
        k, v = (jnp.repeat(each, 4, 0) for each in (rotate(k, positions), v))
        scores = jnp.where(jnp.tril(jnp.ones((64, 64), bool)), jnp.einsum("hqd,hkd->hqk", q, k) / 8, -1e9)
        attended = jax.nn.softmax(scores.astype(jnp.float32)).astype(x.dtype) @ v
        x = x + attended.transpose(1, 0, 2).reshape(64, 512)[:, :256]
        y = rms_norm(x, scales[i])
        x = x + (jax.nn.gelu(y @ w1[i] / 16) * (y @ w2[i] / 16)) @ w3[i] / 32
    return x @ table.T / 16


@case(f32(128, 13), ints(np.int32, 0, 10000, 128, 8), f32(10000, 64), f32(13, 64), f32(100, 256), f32(256, 1))
def model_dlrm(dense, sparse, table, w1, w2, w3):
    vectors = jnp.concatenate([jax.nn.relu(dense @ w1)[:, None], table[sparse]], 1)
    pairs = jnp.einsum("bid,bjd->bij", vectors, vectors)[:, *np.tril_indices(9, -1)]
    return jax.nn.sigmoid(jax.nn.relu(jnp.concatenate([vectors[:, 0], pairs], 1) @ w2 / 8) @ w3 / 16)


@case(f32(1, 32, 32, 4), f32(), f32(4099))
def model_unet(image, time, pool):
    def weight(*dims): return jnp.resize(pool, dims) * np.float32((1 / np.prod(dims[:-1])) ** 0.5)
    def block(x, filters):
        centred = x - x.mean((1, 2), keepdims=True)
        x = centred * lax.rsqrt((centred ** 2).mean((1, 2), keepdims=True) + 1e-5)
        return jax.nn.silu(conv(x, weight(3, 3, x.shape[-1], filters)) + jnp.sin(time * jnp.arange(filters)))
    kept, x = [], block(image, 64)
    for filters in (64, 128):
        x = block(x, filters)
        kept.append(x)
        x = conv(x, weight(3, 3, filters, filters), 2)
    tokens = block(x, 128).reshape(1, 1, 64, 128)
    x = x + attend(tokens, tokens, tokens).reshape(x.shape)
    for filters, other in ((128, kept[1]), (64, kept[0])):
        x = block(jnp.concatenate([x.repeat(2, 1).repeat(2, 2), other], 3), filters)
    return conv(x, weight(3, 3, 64, 4))


@case(f64(64), f64(64, 64))
def model_ode_f64(state, coupling):
    """Coupled oscillators by Runge and Kutta's fourth-order method."""
    def slope(y): return jnp.tanh(coupling @ y / 8) - 0.1 * y
    def step(i, y):
        a = slope(y)
        b = slope(y + 0.005 * a)
        c = slope(y + 0.005 * b)
        return y + 0.01 / 6 * (a + 2 * b + 2 * c + slope(y + 0.01 * c))
    return lax.fori_loop(0, 200, step, state)


@case(f32(512, 3), f32(512, 3))
def model_physics(places, speeds):
    """A step of particles under Lennard and Jones's force, with derivatives of the energy."""
    def energy(x):
        between = x[:, None] - x[None]
        square = (between ** 2).sum(-1) + jnp.eye(512) + 0.5
        return ((1 / square) ** 6 - (1 / square) ** 3).sum() / 2
    speeds = speeds - 0.001 * jax.grad(energy)(places)
    return places + 0.001 * speeds, speeds


@case(f32(256, 256), f32(256, 256))
def model_heat(u, source):
    """Fifty steps of heat on a plate, by finite differences."""
    def step(i, u):
        around = jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1)
        return u + 0.2 * (around - 4 * u) + 0.01 * source
    return lax.fori_loop(0, 50, step, u)


def make(name, seed=1):
    """The case's HLO text, as JAX hands it to XLA, and its inputs."""
    function, arguments = CASES[name]
    rng = np.random.default_rng(seed)
    inputs = [np.asarray(argument(rng)) for argument in arguments]
    lowered = jax.jit(function, keep_unused=True).lower(*inputs)
    return lowered.compiler_ir("hlo").as_hlo_text(print_large_constants=True), inputs
