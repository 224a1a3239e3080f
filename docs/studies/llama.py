#!/usr/bin/env python3
"""A Llama decoder of 405 billion parameters as HLO, with shardings: nothing is allocated, all arrays are shapes.

    docs/studies/llama.py FOLDER [--step=decode|train] [--strategy=fsdp,…] [--unroll] [--data=2] [--model=4] … [--xla]

writes FOLDER/llama-STEP-scan-8.hlo (or -unroll, the strategies, and the number of devices): the whole program, as JAX
hands it to XLA. `--step=decode` gives the next token's logits from a cache of keys and values, `--step=train` the loss,
its gradient and the new weights. With --xla also what XLA's partitioner makes of it, as FOLDER/llama-STEP-scan-8.xla.hlo.
Needs jax; the devices are XLA's forced host devices.

The batch is sharded over `data`, heads, hidden units and words over `model`. Each of --strategy adds to that:

    fsdp       weights are sharded over `data` as well, and gathered in the layer that reads them
    sequence   between blocks, activations are sharded over `model` by positions, and a cache by its keys
    experts    the feed-forward layer is a mixture of --experts, two for each token, sharded over the axis `expert`
    pipeline   layers are divided into stages over the axis `stage`, which hand microbatches on to the next stage
"""
import argparse, glob, os, shutil, tempfile

# Mesh axes of each logical dimension; a strategy changes some.
AXES = {"batch": ("data", "expert"), "heads": "model", "kv_heads": "model", "hidden": "model", "words": "model",
        "columns": "model"}
STRATEGIES = {"fsdp": {"width": "data", "columns": ("model", "data")}, "sequence": {"positions": "model", "keys": "model"},
              "experts": {"experts": "expert"}, "pipeline": {"stages": "stage"}}

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("--step", choices=["decode", "train"], default="decode")
parser.add_argument("--strategy", default="", help=", ".join(STRATEGIES))
parser.add_argument("--unroll", action="store_true")
parser.add_argument("--xla", action="store_true")
parser.add_argument("--type", choices=["float32", "bfloat16"], default="float32")
for name, value in {"stage": 1, "data": 2, "expert": 1, "model": 4, "layers": 126, "width": 16384, "heads": 128,
                    "kv_heads": 8, "hidden": 53248, "words": 128256, "batch": 0, "length": 8192, "experts": 16,
                    "microbatches": 8}.items():
    parser.add_argument(f"--{name}", type=int, default=value)
options = parser.parse_args()
strategies = options.strategy.split(",") if options.strategy else []
for strategy in strategies:
    if strategy not in STRATEGIES:
        parser.error(f"unknown strategy '{strategy}': choose from {', '.join(STRATEGIES)}")
    AXES.update(STRATEGIES[strategy])
sizes = (options.stage, options.data, options.expert, options.model)
dump, devices = tempfile.mkdtemp(), options.stage * options.data * options.expert * options.model
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices if options.xla else 1}"
if options.xla:
    os.environ["XLA_FLAGS"] += f" --xla_dump_to={dump} --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=spmd.*"
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec as P

WIDTH, HEADS, KV, HIDDEN, WORDS, EXPERTS = (getattr(options, n) for n in ("width", "heads", "kv_heads", "hidden", "words", "experts"))
DEPTH, TYPE, LENGTH = WIDTH // HEADS, jnp.dtype(options.type), options.length
BATCH = options.batch or 8 * options.data * options.expert
names = ("stage", "data", "expert", "model")
mesh = Mesh(np.array(jax.devices()).reshape(sizes), names) if options.xla else AbstractMesh(sizes, names)


def sharding(*dims):
    """Of an array whose dimensions have these names: a mesh axis goes to the first that asks for it."""
    spec, taken = [], set()
    for dim in dims:
        axes = AXES.get(dim, ())
        axes = tuple(a for a in (axes if isinstance(axes, tuple) else (axes,)) if a not in taken)
        taken.update(axes)
        spec.append(axes or None)
    return NamedSharding(mesh, P(*spec))


def place(x, *dims):
    return lax.with_sharding_constraint(x, sharding(*dims)) if strategies else x


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


def forward(x, w):
    return (jax.nn.silu(x @ w["gate"]) * (x @ w["up"])) @ w["down"]


def mixture(x, w):
    """Each token goes to the two best experts, as long as there is room: of a group of tokens, one expert takes so many."""
    tokens = x.reshape(-1, max(x.shape[1], 8), WIDTH)
    count = tokens.shape[1]
    room = max(4, count * 5 // (2 * EXPERTS))
    weights, chosen = lax.top_k(jax.nn.softmax(tokens @ w["router"], -1), 2)
    chosen = jax.nn.one_hot(chosen, EXPERTS, dtype=jnp.int32)                       # group, token, choice, expert
    place_of = (jnp.cumsum(chosen.reshape(-1, count * 2, EXPERTS), 1) - 1).reshape(chosen.shape)
    place_of = jax.nn.one_hot(jnp.where(chosen == 1, place_of, room), room, dtype=x.dtype)   # none: no room, or another expert
    sent = place_of.sum(2)                                                          # group, token, expert, place
    combine = jnp.einsum("gtk,gtkec->gtec", weights, place_of)
    taken = place(jnp.einsum("gtec,gtw->egcw", sent, tokens), "experts", "groups")
    hidden = jax.nn.silu(jnp.einsum("egcw,ewh->egch", taken, w["gate"])) * jnp.einsum("egcw,ewh->egch", taken, w["up"])
    made = place(jnp.einsum("egch,ehw->egcw", hidden, w["down"]), "experts", "groups")
    return jnp.einsum("gtec,egcw->gtw", combine, made).reshape(x.shape)


def layer(x, w, positions, mask, cache=None, at=None):
    h = norm(x, w["norm1"])
    q, k, v = (jnp.einsum("blw,whd->blhd", h, w[n]) for n in ("q", "k", "v"))
    q, k = rotary(q, positions), rotary(k, positions)
    if cache is not None:
        k, v = (lax.dynamic_update_slice(old, new, (0, at, 0, 0)) for old, new in zip(cache, (k, v)))
    x = between(x + jnp.einsum("blhd,hdw->blw", attention(q, k, v, mask), w["o"]))
    h = norm(x, w["norm2"])
    return between(x + (mixture if "experts" in strategies else forward)(h, w)), (k, v)


def between(x):
    return place(x, "batch", "positions" if x.shape[1] > 1 else "token")


def layers(x, weights, caches, call):
    """call(x, w, cache) of each layer, by a loop or one after the other."""
    if not options.unroll:
        return lax.scan(lambda x, wc: call(x, *wc), x, (weights, caches))
    made = []
    for w, cache in zip(weights, caches or [None] * options.layers):
        x, new = call(x, w, cache)
        made.append(new)
    return x, made


def stages(x, weights, caches, call):
    """x has a microbatch in each row. At each tick all stages work, each on the row that the stage before handed on."""
    count = options.microbatches

    def stage(x, w, caches, batch):
        if caches is None:
            return layers(x, w, None, call)
        used, at = (batch >= 0) & (batch < count), jnp.clip(batch, 0, count - 1)
        old = jax.tree.map(lambda c: lax.dynamic_index_in_dim(c, at, 1, False), caches)
        x, new = layers(x, w, old, call)
        put = lambda c, n, o: lax.dynamic_update_index_in_dim(c, jnp.where(used, n, o), at, 1)
        return x, jax.tree.map(put, caches, new, old)

    def tick(held, t):
        rows, caches = held
        rows = place(jnp.concatenate([x[jnp.minimum(t, count - 1)][None], rows[:-1]]), "stages", "batch")
        rows, caches = jax.vmap(stage, spmd_axis_name="stage")(rows, weights, caches, t - jnp.arange(options.stage))
        return (place(rows, "stages", "batch"), caches), rows[-1]

    rows = jnp.zeros((options.stage, *x.shape[1:]), x.dtype)
    (_, caches), x = lax.scan(tick, (rows, caches), jnp.arange(count + options.stage - 1))
    return x[options.stage - 1:], caches


through = stages if "pipeline" in strategies else layers


def decode(weights, caches, tokens, at):
    positions = jnp.full((tokens.shape[-2], 1), at)
    mask = jnp.arange(LENGTH)[None, None] <= positions[..., None]
    x, caches = through(weights["embed"][tokens], weights["layers"], caches, lambda x, w, c: layer(x, w, positions, mask, c, at))
    return norm(x, weights["norm"]) @ weights["head"], caches


def loss(weights, tokens, targets):
    positions = jnp.broadcast_to(jnp.arange(LENGTH), tokens.shape[-2:])
    mask = positions[:, None] <= positions[..., None]
    call = lambda x, w, c: (jax.checkpoint(lambda x, w: layer(x, w, positions, mask)[0])(x, w), None)
    x, _ = through(weights["embed"][tokens], weights["layers"], None, call)
    logits = jax.nn.log_softmax(norm(x, weights["norm"]) @ weights["head"])
    picked = jnp.where(targets[..., None] == jnp.arange(WORDS), logits, 0).sum(-1)
    return -picked.mean()


def train(weights, tokens, targets):
    value, gradient = jax.value_and_grad(loss)(weights, tokens, targets)
    return jax.tree.map(lambda w, g: w - 1e-4 * g, weights, gradient), value


DIMS = {"width": WIDTH, "columns": WIDTH, "heads": HEADS, "kv_heads": KV, "depth": DEPTH, "hidden": HIDDEN, "words": WORDS,
        "vocabulary": WORDS, "experts": EXPERTS, "routes": EXPERTS, "length": LENGTH, "keys": LENGTH, "layers": options.layers,
        "scale": WIDTH, "stages": options.stage, "layers of a stage": options.layers // options.stage, "microbatches": options.microbatches,
        "batch": BATCH // options.microbatches if "pipeline" in strategies else BATCH, "token": 1}


def of(*dims, type=TYPE):
    return jax.ShapeDtypeStruct([DIMS[d] for d in dims], type, sharding=sharding(*dims))


def of_layers(make):
    """One array for all layers, or one for each."""
    if options.unroll:
        return [make() for _ in range(options.layers)]
    return make("stages", "layers of a stage") if "pipeline" in strategies else make("layers")


batches = ("microbatches", "batch") if "pipeline" in strategies else ("batch",)
each = ("experts",) if "experts" in strategies else ()
router = {"router": ("width", "routes")} if each else {}
weights = {
    "embed": of("vocabulary", "columns"), "head": of("width", "words"), "norm": of("scale"),
    "layers": of_layers(lambda *n: {name: of(*n, *dims) for name, dims in {
        "q": ("width", "heads", "depth"), "k": ("width", "kv_heads", "depth"), "v": ("width", "kv_heads", "depth"),
        "o": ("heads", "depth", "width"), "gate": (*each, "width", "hidden"), "up": (*each, "width", "hidden"),
        "down": (*each, "hidden", "width"), "norm1": ("scale",), "norm2": ("scale",), **router}.items()})}
tokens = of(*batches, "length" if options.step == "train" else "token", type=jnp.int32)
if options.step == "train":
    function, arguments = train, (weights, tokens, tokens)
    results = (jax.tree.map(lambda a: a.sharding, weights), sharding())
else:
    caches = of_layers(lambda *n: (of(*n, *batches, "keys", "kv_heads", "depth"),) * 2)
    function, arguments = decode, (weights, caches, tokens, of(type=jnp.int32))
    results = (sharding(*batches, "token", "words"), jax.tree.map(lambda a: a.sharding, caches))

path = "-".join(["llama", options.step, *strategies, "unroll" if options.unroll else "scan", str(devices)])
path = os.path.join(options.folder, path)
lowered = jax.jit(function, out_shardings=results).trace(*arguments).lower(lowering_platforms=("cpu",))
with open(path + ".hlo", "w") as out:
    out.write(lowered.compiler_ir("hlo").as_hlo_module().to_string())
print(path + ".hlo")
if options.xla:
    lowered.compile()
    (after,) = glob.glob(f"{dump}/*after_spmd-partitioning*.txt")
    shutil.copy(after, path + ".xla.hlo")
    print(path + ".xla.hlo")
shutil.rmtree(dump)
