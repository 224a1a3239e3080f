#!/usr/bin/env python3
"""A train step of a small Transformer as XLA compiles it: for one device, and partitioned over a mesh.

    docs/studies/transformer.py FOLDER [--data=8] [--model=4]

writes transformer-1.hlo and transformer-32.hlo (8 x 4 devices, batch over `data`, heads and hidden units over `model`). Needs jax;
the devices are XLA's forced host devices, so any machine will do.
"""
import argparse, os, sys

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("--data", type=int, default=8)
parser.add_argument("--model", type=int, default=4)
parser.add_argument("--layers", type=int, default=4)
options = parser.parse_args()
devices = options.data * options.model
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + f" --xla_force_host_platform_device_count={devices}"
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

WIDTH, HEADS, HIDDEN, WORDS, LENGTH, BATCH = 256, 8, 1024, 1024, 64, 32


def norm(x):
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)


def loss(weights, tokens, targets):
    x = weights["table"][tokens]
    for layer in weights["layers"]:
        q, k, v = (jnp.einsum("blw,whd->bhld", norm(x), layer[n]) for n in ("q", "k", "v"))
        scores = jax.nn.softmax(jnp.einsum("bhld,bhmd->bhlm", q, k) / np.sqrt(WIDTH / HEADS))
        x = x + jnp.einsum("bhld,hdw->blw", jnp.einsum("bhlm,bhmd->bhld", scores, v), layer["o"])
        x = x + jax.nn.gelu(norm(x) @ layer["in"]) @ layer["out"]
    logits = jax.nn.log_softmax(norm(x) @ weights["table"].T)
    return -jnp.take_along_axis(logits, targets[..., None], -1).mean()


def step(weights, tokens, targets):
    value, gradient = jax.value_and_grad(loss)(weights, tokens, targets)
    return jax.tree.map(lambda w, g: w - 0.01 * g, weights, gradient), value


DEPTH = WIDTH // HEADS
shapes = {"q": (WIDTH, HEADS, DEPTH), "k": (WIDTH, HEADS, DEPTH), "v": (WIDTH, HEADS, DEPTH), "o": (HEADS, DEPTH, WIDTH),
          "in": (WIDTH, HIDDEN), "out": (HIDDEN, WIDTH)}
specs = {"q": P(None, "model"), "k": P(None, "model"), "v": P(None, "model"), "o": P("model"), "in": P(None, "model"), "out": P("model")}
f32 = lambda *dims: jax.ShapeDtypeStruct(dims, jnp.float32)
weights = {"table": f32(WORDS, WIDTH), "layers": [{n: f32(*s) for n, s in shapes.items()} for _ in range(options.layers)]}
tokens = jax.ShapeDtypeStruct((BATCH, LENGTH), jnp.int32)


def write(name, function):
    path = os.path.join(options.folder, name)
    with open(path, "w") as out:
        out.write(function.lower(weights, tokens, tokens).compile().as_text())
    print(path)


write("transformer-1.hlo", jax.jit(step))
mesh = Mesh(np.array(jax.devices()[:devices]).reshape(options.data, options.model), ("data", "model"))
place = lambda spec: NamedSharding(mesh, spec)
placed = {"table": place(P()), "layers": [{n: place(s) for n, s in specs.items()} for _ in range(options.layers)]}
write(f"transformer-{devices}.hlo", jax.jit(step, in_shardings=(placed, place(P("data")), place(P("data"))), out_shardings=(placed, place(P()))))
