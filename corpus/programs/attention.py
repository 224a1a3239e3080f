"""Transformers: attention in several forms, normalization, whole blocks and their gradients."""
import jax
import jax.numpy as jnp
from jax import lax

from . import bfloat16, program


def layer_norm(x, scale, bias):
    mean = jnp.mean(x, -1, keepdims=True)
    variance = jnp.mean(jnp.square(x - mean), -1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + bias


def causal_attention(x, p, heads):
    batch, length, width = x.shape
    q, k, v = jnp.split(x @ p["qkv"], 3, axis=-1)
    q, k, v = (a.reshape(batch, length, heads, width // heads) for a in (q, k, v))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * (width // heads) ** -0.5
    mask = jnp.tril(jnp.ones((length, length), bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e9))
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(x.shape) @ p["out"]


def block(x, p, heads=4):
    x = x + causal_attention(layer_norm(x, *p["norm1"]), p, heads)
    h = jax.nn.gelu(layer_norm(x, *p["norm2"]) @ p["up"])
    return x + h @ p["down"]


def block_params(d, width=32):
    norm = lambda: (1 + d.normal(width, scale=0.1), d.normal(width, scale=0.1))
    return {"qkv": d.weights(width, 3 * width), "out": d.weights(width, width), "up": d.weights(width, 2 * width),
            "down": d.weights(2 * width, width), "norm1": norm(), "norm2": norm()}


@program(lambda d: (d.normal(2, 16, 32), {"qkv": d.weights(32, 96), "out": d.weights(32, 32)}), metadata=True)
def attention_forward(x, params):
    """Causal multi-head self-attention with a masked softmax."""
    return causal_attention(x, params, 4)


@program(lambda d: (d.normal(2, 12, 32), block_params(d)), metadata=True)
def transformer_block_forward(x, params):
    """Layer norm, attention, layer norm and a GELU layer, with residuals."""
    return block(x, params)


@program(lambda d: (d.normal(2, 12, 32), block_params(d), d.normal(2, 12, 32)), metadata=True)
def transformer_block_backward(x, params, cotangent):
    """Gradients of a transformer block for its input and all its weights."""
    _, pull = jax.vjp(block, x, params)
    return pull(cotangent)


@program(lambda d: (d.integers(0, 40, 2, 12), {
    "embed": d.normal(40, 32, scale=0.3), "position": d.normal(12, 32, scale=0.1), "block": block_params(d)}))
def language_model_train_step(tokens, params):
    """Next-token loss of a one-block language model with tied embeddings, and a descent step."""
    def loss(p):
        x = p["embed"][tokens] + p["position"]
        logits = block(x, p["block"])[:, :-1] @ p["embed"].T
        log_probs = jax.nn.log_softmax(logits)
        return -jnp.mean(jnp.take_along_axis(log_probs, tokens[:, 1:, None], axis=-1))
    value, grads = jax.value_and_grad(loss)(params)
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(grads)))
    clip = jnp.minimum(1.0, 1.0 / norm)
    return value, norm, jax.tree.map(lambda p, g: p - 0.1 * clip * g, params, grads)


@program(lambda d: (d.normal(4, 3, 10, 32), d.weights(4, 32, 96), d.weights(4, 32, 32)))
def scanned_layers(x, qkv, out):
    """Four attention layers with stacked weights, folded into one loop by scan."""
    step = lambda h, w: (h + causal_attention(h, {"qkv": w[0], "out": w[1]}, 4), jnp.mean(h))
    return lax.scan(step, x[0], (qkv, out))


@program(lambda d: (d.normal(1, 4, 8), d.normal(24, 4, 8), d.normal(24, 4, 8), d.normal(1, 4, 8), d.normal(1, 4, 8),
                    d.integers(9, 10)), metadata=True)
def decode_with_cache(q, keys, values, new_key, new_value, position):
    """One decoding step: the cache is updated in place and later positions are masked out."""
    keys = lax.dynamic_update_slice(keys, new_key, (position, 0, 0))
    values = lax.dynamic_update_slice(values, new_value, (position, 0, 0))
    scores = jnp.einsum("qhd,khd->hqk", q, keys) / jnp.sqrt(8.0)
    scores = jnp.where(jnp.arange(24) <= position, scores, -jnp.inf)
    return jnp.einsum("hqk,khd->qhd", jax.nn.softmax(scores), values), keys, values


@program(lambda d: (d.normal(16, 8, 16), d.normal(16, 2, 16), d.normal(16, 2, 16)))
def grouped_query_attention(q, k, v):
    """Eight query heads sharing two key heads, after rotary position embedding."""
    angle = jnp.arange(16.0)[:, None] * 100.0 ** (-jnp.arange(8.0) / 8)
    sin, cos = jnp.sin(angle)[:, None], jnp.cos(angle)[:, None]

    def rotate(x):
        a, b = jnp.split(x, 2, axis=-1)
        return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], -1)
    q = rotate(q).reshape(16, 2, 4, 16)
    scores = jnp.einsum("qgnd,kgd->gnqk", q, rotate(k)) * 0.25
    row, col = lax.broadcasted_iota(jnp.int32, (16, 16), 0), lax.broadcasted_iota(jnp.int32, (16, 16), 1)
    near = (col <= row) & (row - col < 6)  # a sliding window
    return jnp.einsum("gnqk,kgd->qgnd", jax.nn.softmax(jnp.where(near, scores, -1e30)), v).reshape(16, 8, 16)


@program(lambda d: (d.normal(16, 8), d.normal(32, 8), d.normal(32, 8)))
def attention_in_blocks(q, k, v):
    """Attention by key blocks with a running maximum and sum, as memory-frugal kernels do it."""
    def step(carry, kv):
        top, total, out = carry
        scores = q @ kv[0].T * 8 ** -0.5
        new_top = jnp.maximum(top, jnp.max(scores, -1))
        shrink, p = jnp.exp(top - new_top), jnp.exp(scores - new_top[:, None])
        return (new_top, total * shrink + jnp.sum(p, -1), out * shrink[:, None] + p @ kv[1]), None
    start = (jnp.full(16, -jnp.inf), jnp.zeros(16), jnp.zeros((16, 8)))
    (_, total, out), _ = lax.scan(step, start, (k.reshape(4, 8, 8), v.reshape(4, 8, 8)))
    return out / total[:, None]


@program(lambda d: [d.normal(2, 4, 12, 8, dtype=bfloat16) for _ in range(3)])
def attention_bf16(q, k, v):
    """Attention over bf16 data with its softmax in f32."""
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k, preferred_element_type=jnp.float32)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores * 8 ** -0.5).astype(jnp.bfloat16), v)


@program(lambda d: (d.normal(8, 48), d.normal(48), d.normal(48)))
def layer_norm_gelu_forward(x, scale, bias):
    """Layer norm followed by GELU, by the error function and by its tanh approximation."""
    y = layer_norm(x, scale, bias)
    return jax.nn.gelu(y, approximate=False), jax.nn.gelu(y, approximate=True)


@program(lambda d: (d.normal(8, 48), d.normal(48), d.normal(48)), metadata=True)
def layer_norm_gelu_backward(x, scale, bias):
    """Gradient of layer norm and exact GELU."""
    return jax.grad(lambda *a: jnp.sum(jax.nn.gelu(layer_norm(*a), approximate=False)), (0, 1, 2))(x, scale, bias)


@program(lambda d: (d.normal(8, 32), d.normal(32), d.weights(32, 64), d.weights(32, 64), d.weights(64, 32)))
def rms_norm_swiglu(x, scale, gate, up, down):
    """Root-mean-square norm and a gated feed-forward layer."""
    y = x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale
    return x + (jax.nn.silu(y @ gate) * (y @ up)) @ down
