"""Modules for eight partitions, by explicit collectives and by shardings alone."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from . import program

mesh = Mesh(np.array(jax.devices("cpu")), ("x",))
grid = Mesh(np.array(jax.devices("cpu")).reshape(2, 4), ("data", "model"))


@program(lambda d: (d.normal(16, 8), d.normal(8, 16), d.integers(0, 9, 64)), partitions=8, metadata=True)
def spmd_collectives(a, b, n):
    """Sums, gathers, scatters, exchanges and rotations among eight partitions."""
    def local(a, b, n):
        me = lax.axis_index("x")
        ring = [(i, (i + 1) % 8) for i in range(8)]
        return (lax.psum(a, "x"), lax.pmax(n, "x"), lax.pmin(n, "x"), lax.pmean(a, "x"),
                lax.all_gather(a, "x", tiled=True), lax.psum_scatter(b, "x", scatter_dimension=1, tiled=True),
                lax.ppermute(a, "x", ring), lax.all_to_all(b, "x", 1, 0, tiled=True), n + me)
    return jax.shard_map(local, mesh=mesh, in_specs=(P("x"), P(None, None), P("x")), out_specs=P("x"), check_vma=False)(a, b, n)


@program(lambda d: (d.weights(16, 32), d.weights(32, 8), d.normal(32, 16), d.normal(32, 8)), partitions=8)
def spmd_data_parallel_step(w1, w2, x, y):
    """A training step on eight shards of a batch, gradients averaged."""
    def local(w1, w2, x, y):
        loss = lambda w1, w2: jnp.mean((jnp.tanh(x @ w1) @ w2 - y) ** 2)
        value, grads = jax.value_and_grad(loss, (0, 1))(w1, w2)
        g1, g2 = lax.pmean(grads, "x")
        return lax.pmean(value, "x"), w1 - 0.1 * g1, w2 - 0.1 * g2
    return jax.shard_map(local, mesh=mesh, in_specs=(P(), P(), P("x"), P("x")), out_specs=P(), check_vma=False)(w1, w2, x, y)


@program(lambda d: (d.normal(16, 32), d.weights(32, 64), d.weights(64, 32)), partitions=8,
         options={"in_shardings": (NamedSharding(grid, P("data", None)), NamedSharding(grid, P(None, "model")),
                                   NamedSharding(grid, P("model", None))),
                  "out_shardings": NamedSharding(grid, P("data", None))})
def spmd_sharded_products(x, up, down):
    """Products left to the partitioner: only shardings of inputs, a middle and the output are given."""
    h = jax.nn.gelu(x @ up)
    h = lax.with_sharding_constraint(h, NamedSharding(grid, P("data", "model")))
    return h @ down


@program(lambda d: (d.normal(64, 4),), partitions=8)
def spmd_halo_exchange(field):
    """Diffusion on a ring of shards, edges exchanged inside a loop, within groups of four and among all."""
    def local(u):
        def step(_, u):
            left = lax.ppermute(u[-1:], ("data", "model"), [(i, (i + 1) % 8) for i in range(8)])
            right = lax.ppermute(u[:1], ("data", "model"), [(i, (i - 1) % 8) for i in range(8)])
            wide = jnp.concatenate([left, u, right])
            return u + 0.1 * (wide[2:] - 2 * u + wide[:-2])
        u = lax.fori_loop(0, 3, step, u)
        return u, lax.psum(jnp.sum(u, 0), "model"), lax.psum(jnp.sum(u), ("data", "model"))
    spec = P(("data", "model"))
    return jax.shard_map(local, mesh=grid, in_specs=spec, out_specs=(spec, P("data"), P()), check_vma=False)(field)
