#!/usr/bin/env python3
"""A program's memory by `hloir cost` beside XLA's own analysis, for programs with and without donated arguments.

    bench/compare_donation.py [--hloir BIN] [--only REGEX]

JAX compiles each program for the CPU. Of the text of what it compiled, hloir counts parameters and heap; XLA counts arguments, outputs
and temporaries less what outputs share with arguments (memory_analysis()). Constants are left out, which XLA does not count. Of a
donated program the first arguments are donated. Exit status 1: a ratio is further than 5 % from 1. Needs jax.
"""
import argparse, json, os, re, subprocess, sys, tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import jax
import jax.numpy as jnp
from jax import lax

PROGRAMS = {}


def program(donated, *shapes, **types):
    """`donated`: the number of leading arguments that are given away."""
    def add(function):
        PROGRAMS[function.__name__] = (function, donated, [jax.ShapeDtypeStruct(s, types.get(f"t{k}", jnp.float32))
                                                           for k, s in enumerate(shapes)])
        return function
    return add


def mlp(x, a, b):
    return jnp.tanh(x @ a) @ b


def loss(a, b, x, y):
    return jnp.mean((mlp(x, a, b) - y) ** 2)


WEIGHTS, DATA = ((256, 512), (512, 64)), ((128, 256), (128, 64))


# optimizers
@program(2, *WEIGHTS, *DATA)
def sgd(a, b, x, y):
    g = jax.grad(loss, (0, 1))(a, b, x, y)
    return a - 0.1 * g[0], b - 0.1 * g[1]
@program(0, *WEIGHTS, *DATA)
def sgd_kept(a, b, x, y): return sgd(a, b, x, y)
@program(4, *WEIGHTS, *WEIGHTS, *DATA)
def momentum(a, b, u, v, x, y):
    g = jax.grad(loss, (0, 1))(a, b, x, y)
    u, v = 0.9 * u + g[0], 0.9 * v + g[1]
    return a - 0.1 * u, b - 0.1 * v, u, v
@program(6, *WEIGHTS, *WEIGHTS, *WEIGHTS, *DATA)
def adam(a, b, m, n, u, v, x, y):
    g = jax.grad(loss, (0, 1))(a, b, x, y)
    first = [0.9 * p + 0.1 * q for p, q in zip((m, n), g)]
    second = [0.99 * p + 0.01 * q * q for p, q in zip((u, v), g)]
    new = [w - 0.1 * p / (jnp.sqrt(q) + 1e-6) for w, p, q in zip((a, b), first, second)]
    return *new, *first, *second
@program(0, *WEIGHTS, *WEIGHTS, *WEIGHTS, *DATA)
def adam_kept(*arguments): return adam(*arguments)
@program(2, *WEIGHTS, *WEIGHTS)
def average(a, b, c, d): return 0.9 * a + 0.1 * c, 0.9 * b + 0.1 * d
@program(0, *WEIGHTS, *DATA)
def gradient(a, b, x, y): return jax.grad(loss, (0, 1))(a, b, x, y)
@program(0, *WEIGHTS, *DATA)
def value_and_gradient(a, b, x, y): return jax.value_and_grad(loss, (0, 1))(a, b, x, y)


# caches and updates in place
@program(1, (8, 512, 8, 16), (8, 1, 8, 16), (), t2=jnp.int32)
def cache(c, new, i): return lax.dynamic_update_slice(c, new, (0, i, 0, 0))
@program(0, (8, 512, 8, 16), (8, 1, 8, 16), (), t2=jnp.int32)
def cache_kept(c, new, i): return cache(c, new, i)
@program(2, (4, 256, 8, 16), (4, 256, 8, 16), (4, 8, 16), (4, 8, 16), (4, 8, 16), (), t5=jnp.int32)
def decode(k, v, q, nk, nv, i):
    k, v = lax.dynamic_update_slice(k, nk[:, None], (0, i, 0, 0)), lax.dynamic_update_slice(v, nv[:, None], (0, i, 0, 0))
    p = jax.nn.softmax(jnp.einsum("bhd,bthd->bht", q, k))
    return k, v, jnp.einsum("bht,bthd->bhd", p, v)
@program(1, (4096, 64), (128,), (128, 64), t1=jnp.int32)
def scatter(t, i, u): return t.at[i].add(u)
@program(0, (4096, 64), (128,), (128, 64), t1=jnp.int32)
def scatter_kept(t, i, u): return t.at[i].set(u)
@program(1, (512, 512))
def scale(x): return 2 * x + 1
@program(1, (512, 512), (512, 512))
def accumulate(x, y): return x + y @ y


# loops
@program(1, (256, 256), (8, 256, 256))
def scan_layers(h, w): return lax.scan(lambda h, w: (jnp.tanh(h @ w), None), h, w)[0]
@program(0, (256, 256), (8, 256, 256))
def scan_layers_kept(h, w): return lax.scan(lambda h, w: (jnp.tanh(h @ w), None), h, w)[0]
@program(1, (8, 128, 128), (64, 128))
def scan_gradient(w, h):
    return w - jax.grad(lambda w: jnp.sum(lax.scan(lambda h, w: (jnp.tanh(h @ w), None), h, w)[0]))(w)
@program(0, (64, 128), (32, 64, 128))
def scan_outputs(h, x): return lax.scan(lambda h, x: (jnp.tanh(h + x), h * 2), h, x)
@program(1, (512, 512))
def power(x): return lax.fori_loop(0, 10, lambda i, y: jnp.tanh(y @ y), x)
@program(1, (1024, 256))
def relax(x): return lax.fori_loop(0, 5, lambda i, x: x.at[1:-1].set(0.5 * (x[:-2] + x[2:])), x)
@program(0, (256, 256))
def nested(x): return lax.fori_loop(0, 3, lambda i, y: lax.fori_loop(0, 4, lambda j, z: jnp.sin(z @ x), y), x)
@program(1, (512, 256), (), t1=jnp.int32)
def branch(x, p): return lax.cond(p > 0, lambda x: jnp.sin(x) * x.sum(0), lambda x: x * 2, x)


# networks and others
@program(0, (4, 128, 64), (64, 64), (64, 64), (64, 64))
def attention(x, q, k, v):
    s = jax.nn.softmax(jnp.einsum("btd,bsd->bts", x @ q, x @ k))
    return jnp.einsum("bts,bsd->btd", s, x @ v)
@program(3, (64, 64), (64, 64), (64, 64), (4, 128, 64))
def attention_step(q, k, v, x):
    g = jax.grad(lambda q, k, v: jnp.sum(attention(x, q, k, v) ** 2), (0, 1, 2))(q, k, v)
    return q - 0.1 * g[0], k - 0.1 * g[1], v - 0.1 * g[2]
@program(0, (8, 32, 32, 16), (3, 3, 16, 32), (3, 3, 32, 16))
def convolutions(x, v, w):
    conv = lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return x + conv(jax.nn.relu(conv(x, v)), w)
@program(0, (512, 512))
def sort(x): return jnp.sort(x, 0)
@program(1, (64, 1024))
def normalize(x): return (x - x.mean(1, keepdims=True)) / jnp.sqrt(x.var(1, keepdims=True) + 1e-5)
@program(0, (256, 256), (256, 256))
def chain(a, b): return ((a @ b) @ (b @ a)) @ (a + b)
@program(2, (256, 256), (256, 256))
def rotate(a, b): return a + b, a - b
@program(0, (1024, 64), (64, 32), t0=jnp.bfloat16, t1=jnp.bfloat16)
def bfloat(x, w): return jax.nn.gelu(x @ w)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--only", default="", help="programs whose names match")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, "module.hlo")
        for name, (function, donated, arguments) in PROGRAMS.items():
            if not re.search(options.only, name): continue
            compiled = jax.jit(function, donate_argnums=tuple(range(donated))).lower(*arguments).compile()
            with open(module, "w") as out:
                out.write(compiled.as_text())
            said = subprocess.run([options.hloir, "cost", "--json", module], capture_output=True, text=True, check=True)
            memory = json.loads(said.stdout)["memory"]
            ours = memory["parameter_bytes"] + memory["heap_bytes"]
            of_xla = compiled.memory_analysis()
            theirs = (of_xla.argument_size_in_bytes + of_xla.output_size_in_bytes + of_xla.temp_size_in_bytes -
                      of_xla.alias_size_in_bytes)
            rows.append((ours / theirs, name, donated))
            print(f"{name:20} {donated:3} {ours / 1024:10.1f} {theirs / 1024:10.1f} {ours / theirs:7.3f}", flush=True)
    off = [name for ratio, name, _ in rows if abs(ratio - 1) > 0.05]
    print(f"{len(rows)} programs, {sum(d > 0 for _, _, d in rows)} with donated arguments: {len(rows) - len(off)} within 5 %; not: "
          f"{', '.join(off) or 'none'}")
    sys.exit(1 if off else 0)


if __name__ == "__main__":
    main()
