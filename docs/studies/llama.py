#!/usr/bin/env python3
"""A Llama decoder of 405 billion parameters as HLO, with shardings: nothing is allocated, all arrays are shapes.

    docs/studies/llama.py FOLDER [--step=decode|train] [--unroll] [--data=2] [--model=4] [--layers=126] [--xla] …

writes FOLDER/llama-STEP-scan-8.hlo (or -unroll, and the number of devices): the whole program, as JAX hands it to XLA, with
the batch sharded over `data`, heads, hidden units and words over `model`. `--step=decode` gives the next token's logits from
a cache of keys and values, `--step=train` the loss, its gradient and the new weights. With --xla also what XLA's partitioner
makes of it, as FOLDER/llama-STEP-scan-8.xla.hlo. Needs jax; the devices are XLA's forced host devices.
"""
import argparse, glob, os, shutil, tempfile

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("--step", choices=["decode", "train"], default="decode")
parser.add_argument("--unroll", action="store_true")
parser.add_argument("--xla", action="store_true")
parser.add_argument("--type", choices=["float32", "bfloat16"], default="float32")
for name, value in {"data": 2, "model": 4, "layers": 126, "width": 16384, "heads": 128, "kv_heads": 8, "hidden": 53248,
                    "words": 128256, "batch": 0, "length": 8192}.items():
    parser.add_argument(f"--{name}", type=int, default=value)
options = parser.parse_args()
devices, dump = options.data * options.model, tempfile.mkdtemp()
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices if options.xla else 1}"
if options.xla:
    os.environ["XLA_FLAGS"] += f" --xla_dump_to={dump} --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=spmd.*"
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec as P

WIDTH, HEADS, KV, HIDDEN, WORDS, LENGTH = (getattr(options, n) for n in ("width", "heads", "kv_heads", "hidden", "words", "length"))
DEPTH, TYPE, BATCH = WIDTH // HEADS, jnp.dtype(options.type), options.batch or 8 * options.data
mesh = (Mesh(np.array(jax.devices()).reshape(options.data, options.model), ("data", "model")) if options.xla
        else AbstractMesh((options.data, options.model), ("data", "model")))


def norm(x, scale):
    return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * scale


def rotary(x, positions):
    angles = positions[..., None] / 500000 ** (jnp.arange(0, DEPTH, 2) / DEPTH)
    sine, cosine = jnp.sin(angles)[:, :, None].astype(x.dtype), jnp.cos(angles)[:, :, None].astype(x.dtype)
    a, b = jnp.split(x, 2, -1)
    return jnp.concatenate([a * cosine - b * sine, b * cosine + a * sine], -1)


def attention(q, k, v, mask):
    q = q.reshape(*q.shape[:2], KV, HEADS // KV, DEPTH)
    scores = jnp.einsum("blkgd,bmkd->bkglm", q, k) / np.sqrt(DEPTH).astype(q.dtype)
    weights = jax.nn.softmax(jnp.where(mask[:, None, None], scores, -1e9), -1)
    return jnp.einsum("bkglm,bmkd->blkgd", weights, v).reshape(*q.shape[:2], HEADS, DEPTH)


def layer(x, w, positions, mask, cache=None, at=None):
    h = norm(x, w["norm1"])
    q, k, v = (jnp.einsum("blw,whd->blhd", h, w[n]) for n in ("q", "k", "v"))
    q, k = rotary(q, positions), rotary(k, positions)
    if cache is not None:
        k, v = (lax.dynamic_update_slice(old, new, (0, at, 0, 0)) for old, new in zip(cache, (k, v)))
    x = x + jnp.einsum("blhd,hdw->blw", attention(q, k, v, mask), w["o"])
    h = norm(x, w["norm2"])
    return x + (jax.nn.silu(h @ w["gate"]) * (h @ w["up"])) @ w["down"], (k, v)


def layers(x, weights, caches, call):
    """call(x, w, cache) of each layer, by a loop or one after the other."""
    if not options.unroll:
        return lax.scan(lambda x, wc: call(x, *wc), x, (weights, caches))
    made = []
    for w, cache in zip(weights, caches or [None] * options.layers):
        x, new = call(x, w, cache)
        made.append(new)
    return x, made


def decode(weights, caches, tokens, at):
    positions = jnp.full((BATCH, 1), at)
    mask = jnp.arange(LENGTH)[None, None] <= positions[..., None]
    x, caches = layers(weights["embed"][tokens], weights["layers"], caches, lambda x, w, c: layer(x, w, positions, mask, c, at))
    return norm(x, weights["norm"]) @ weights["head"], caches


def loss(weights, tokens, targets):
    positions = jnp.broadcast_to(jnp.arange(LENGTH), tokens.shape)
    mask = positions[:, None] <= positions[..., None]
    call = lambda x, w, c: (jax.checkpoint(lambda x, w: layer(x, w, positions, mask)[0])(x, w), None)
    x, _ = layers(weights["embed"][tokens], weights["layers"], None, call)
    logits = jax.nn.log_softmax(norm(x, weights["norm"]) @ weights["head"])
    picked = jnp.where(targets[..., None] == jnp.arange(WORDS), logits, 0).sum(-1)
    return -picked.mean()


def train(weights, tokens, targets):
    value, gradient = jax.value_and_grad(loss)(weights, tokens, targets)
    return jax.tree.map(lambda w, g: w - 1e-4 * g, weights, gradient), value


def of(dims, *spec, type=TYPE):
    return jax.ShapeDtypeStruct(dims, type, sharding=NamedSharding(mesh, P(*spec)))


def of_layers(make):
    """One array for all layers, or one for each."""
    if options.unroll:
        return [make((), ()) for _ in range(options.layers)]
    return make((options.layers,), (None,))


weights = {
    "embed": of((WORDS, WIDTH), None, "model"), "head": of((WIDTH, WORDS), None, "model"), "norm": of((WIDTH,)),
    "layers": of_layers(lambda n, s: {
        "q": of((*n, WIDTH, HEADS, DEPTH), *s, None, "model"), "k": of((*n, WIDTH, KV, DEPTH), *s, None, "model"),
        "v": of((*n, WIDTH, KV, DEPTH), *s, None, "model"), "o": of((*n, HEADS, DEPTH, WIDTH), *s, "model"),
        "gate": of((*n, WIDTH, HIDDEN), *s, None, "model"), "up": of((*n, WIDTH, HIDDEN), *s, None, "model"),
        "down": of((*n, HIDDEN, WIDTH), *s, "model"), "norm1": of((*n, WIDTH), *s), "norm2": of((*n, WIDTH), *s)})}
tokens = of((BATCH, LENGTH if options.step == "train" else 1), "data", type=jnp.int32)
if options.step == "train":
    function, arguments = train, (weights, tokens, tokens)
    results = (jax.tree.map(lambda a: a.sharding, weights), NamedSharding(mesh, P()))
else:
    cache = lambda n, s: (of((*n, BATCH, LENGTH, KV, DEPTH), *s, "data", None, "model"),) * 2
    caches = of_layers(cache)
    function, arguments = decode, (weights, caches, tokens, of((), type=jnp.int32))
    results = (NamedSharding(mesh, P("data", None, "model")), jax.tree.map(lambda a: a.sharding, caches))

path = os.path.join(options.folder, f"llama-{options.step}-{'unroll' if options.unroll else 'scan'}-{devices}")
lowered = jax.jit(function, out_shardings=results).trace(*arguments).lower(lowering_platforms=("cpu",))
with open(path + ".hlo", "w") as out:
    out.write(lowered.compiler_ir("hlo").as_hlo_text())
print(path + ".hlo")
if options.xla:
    lowered.compile()
    (after,) = glob.glob(f"{dump}/*after_spmd-partitioning*.txt")
    shutil.copy(after, path + ".xla.hlo")
    print(path + ".xla.hlo")
shutil.rmtree(dump)
