"""Fully connected networks: forward passes, gradients and optimizer steps."""
import jax
import jax.numpy as jnp
from jax import lax

from . import bfloat16, program


def mlp_params(draw, *sizes):
    return [{"w": draw.weights(m, n), "b": draw.normal(n, scale=0.1)} for m, n in zip(sizes, sizes[1:])]


def mlp(params, x):
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def cross_entropy(logits, labels):
    log_probs = jax.nn.log_softmax(logits)
    return -jnp.mean(jnp.take_along_axis(log_probs, labels[:, None], axis=1))


@program(lambda d: (mlp_params(d, 32, 64, 64, 10), d.normal(16, 32)), metadata=True)
def mlp_forward(params, x):
    """Three dense layers with ReLU."""
    return mlp(params, x)


@program(lambda d: (mlp_params(d, 32, 64, 10), d.normal(16, 32), d.integers(0, 10, 16)), metadata=True)
def mlp_train_step(params, x, labels):
    """Loss, gradients and one gradient-descent step of a two-layer classifier."""
    loss, grads = jax.value_and_grad(lambda p: cross_entropy(mlp(p, x), labels))(params)
    return loss, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


@program(lambda d: (mlp_params(d, 16, 32, 4), mlp_params(d, 16, 32, 4), [
    {"w": abs(d.weights(m, n)), "b": abs(d.normal(n, scale=0.1))} for m, n in ((16, 32), (32, 4))],
    d.integers(1, 20), d.normal(8, 16), d.normal(8, 4)))
def mlp_adam_step(params, mean, variance, step, x, y):
    """Mean squared error and one step of Adam with bias correction and weight decay."""
    grads = jax.grad(lambda p: jnp.mean((mlp(p, x) - y) ** 2))(params)
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, grads)
    variance = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, variance, grads)
    t = step.astype(jnp.float32)

    def update(p, m, v):
        return p - 1e-3 * (m / (1 - 0.9 ** t) / (jnp.sqrt(v / (1 - 0.999 ** t)) + 1e-8) + 0.01 * p)
    return jax.tree.map(update, params, mean, variance), mean, variance, step + 1


@program(lambda d: (mlp_params(d, 16, 32, 8), d.normal(8, 16), d.normal(8, 8)))
def mlp_mixed_precision_step(params, x, y):
    """A training step computed in bf16 with f32 master weights and loss scaling."""
    def loss(p):
        half = jax.tree.map(lambda a: a.astype(jnp.bfloat16), p)
        out = mlp(half, x.astype(jnp.bfloat16)).astype(jnp.float32)
        return 128.0 * jnp.mean(jnp.square(out - y))
    scaled, grads = jax.value_and_grad(loss)(params)
    finite = jnp.all(jnp.array([jnp.all(jnp.isfinite(g)) for g in jax.tree.leaves(grads)]))
    stepped = jax.tree.map(lambda p, g: jnp.where(finite, p - 0.05 * g / 128.0, p), params, grads)
    return scaled / 128.0, stepped


@program(lambda d: (d.weights(4, 16, 32), d.weights(4, 32, 8), d.normal(12, 16)))
def ensemble_of_mlps(w1, w2, x):
    """Four networks evaluated at once by vmap: batched matrix products, mean and spread."""
    y = jax.vmap(lambda a, b: jnp.tanh(x @ a) @ b)(w1, w2)
    return jnp.mean(y, 0), jnp.std(y, 0)


@program(lambda d: (d.normal(16, 24), d.weights(24, 4), d.weights(4, 24, 32), d.weights(4, 32, 24)))
def mixture_of_experts(x, router, w_in, w_out):
    """Tokens sent to the best two of four experts, by top-k and one-hot dispatch."""
    gates = jax.nn.softmax(x @ router)
    weight, expert = lax.top_k(gates, 2)
    weight /= jnp.sum(weight, -1, keepdims=True)
    mix = jnp.einsum("tk,tke->te", weight, jax.nn.one_hot(expert, 4))
    hidden = jax.nn.silu(jnp.einsum("td,edh->teh", x, w_in))
    return jnp.einsum("teh,ehd,te->td", hidden, w_out, mix), expert


@program(lambda d: (d.normal(32, 24), d.weights(4, 24, 16), d.permutation(4) * 0 + 8))
def ragged_expert_product(x, w, sizes):
    """Rows grouped by expert, each group times its own matrix."""
    return lax.ragged_dot(x, w, sizes)


@program(lambda d: (d.normal(60, 6), d.normal(5, 6)))
def kmeans_step(points, centres):
    """Nearest centres by argmin, then centres moved by segment means."""
    distance = jnp.sum((points[:, None] - centres[None]) ** 2, -1)
    nearest = jnp.argmin(distance, 1)
    count = jnp.zeros(5).at[nearest].add(1.0)
    total = jnp.zeros_like(centres).at[nearest].add(points)
    return jnp.where(count[:, None] > 0, total / jnp.maximum(count, 1)[:, None], centres), nearest


@program(lambda d: (d.normal(40, 8), d.normal(8), d.integers(0, 2, 40)))
def logistic_regression_hessian(x, w, y):
    """Value, gradient and Hessian of a regularized logistic loss."""
    def loss(w):
        z = x @ w
        return jnp.mean(jnp.logaddexp(0.0, z) - y * z) + 0.05 * w @ w
    return loss(w), jax.grad(loss)(w), jax.hessian(loss)(w)


@program(lambda d: (d.weights(16, 32), d.weights(32, 4), d.normal(6, 16), d.normal(6, 16)))
def mlp_forward_mode(w1, w2, x, tangent):
    """Jacobian-vector product of a small network with softplus and tanh."""
    return jax.jvp(lambda v: jnp.tanh(jax.nn.softplus(v @ w1) @ w2), (x,), (tangent,))


@program(lambda d: (d.normal(8, 32, dtype=bfloat16), d.weights(32, 64, dtype=bfloat16), d.weights(64, 16, dtype=bfloat16)))
def mlp_bf16(x, w1, w2):
    """A network wholly in bf16, accumulating its products in f32."""
    h = jax.nn.gelu(lax.dot(x, w1, preferred_element_type=jnp.float32)).astype(jnp.bfloat16)
    return lax.dot(h, w2, preferred_element_type=jnp.float32)
