# The program whose HLO this lesson reads. `python program.py` writes the modules anew (with JAX installed).
import os

import jax
import jax.numpy as jnp

WIDTH, HEADS, HIDDEN, LENGTH = 16, 2, 32, 8


def norm(x, scale):
    mean = x.mean(-1, keepdims=True)
    variance = jnp.square(x - mean).mean(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * scale


def attention(x, w):
    q, k, v = jnp.split(x @ w["qkv"], 3, axis=-1)
    q, k, v = (a.reshape(LENGTH, HEADS, WIDTH // HEADS) for a in (q, k, v))
    scores = jnp.einsum("qhd,khd->hqk", q, k) / jnp.sqrt(WIDTH / HEADS)
    earlier = jnp.arange(LENGTH)[:, None] >= jnp.arange(LENGTH)[None, :]
    scores = jnp.where(earlier, scores, -1e9)
    mixed = jnp.einsum("hqk,khd->qhd", jax.nn.softmax(scores), v)
    return mixed.reshape(LENGTH, WIDTH) @ w["out"]


def block(x, w):
    x = x + attention(norm(x, w["scale1"]), w)
    return x + jax.nn.gelu(norm(x, w["scale2"]) @ w["up"]) @ w["down"]


def loss(x, w):
    return jnp.square(block(x, w)).mean()


def arrays():
    shapes = {"qkv": (WIDTH, 3 * WIDTH), "out": (WIDTH, WIDTH), "up": (WIDTH, HIDDEN), "down": (HIDDEN, WIDTH),
              "scale1": (WIDTH,), "scale2": (WIDTH,)}
    return jnp.zeros((LENGTH, WIDTH)), {name: jnp.zeros(shape) for name, shape in shapes.items()}


if __name__ == "__main__":
    x, w = arrays()
    batch = jnp.zeros((4, LENGTH, WIDTH))
    forward = jax.jit(block).lower(x, w)
    gradient = jax.jit(jax.grad(loss, argnums=1)).lower(x, w)
    batched = jax.jit(jax.vmap(block, in_axes=(0, None))).lower(batch, w)
    for name, text in [("before", forward.as_text("hlo")), ("after", forward.compile().as_text()),
                       ("loss", jax.jit(loss).lower(x, w).as_text("hlo")), ("grad", gradient.as_text("hlo")),
                       ("vmap", batched.as_text("hlo"))]:
        with open(name + ".hlo", "w") as file:
            file.write(text.replace(os.getcwd() + "/", "").rstrip("\n") + "\n")
