"""Random numbers: counter-based generators, distributions and samplers."""
import jax
import jax.numpy as jnp
from jax import lax

from . import program


@program(lambda d: (d.bits(2),), metadata=True)
def threefry_uniform(key):
    """Key splitting, folding in, raw bits and uniform floats by threefry."""
    a, b = jax.random.split(key)
    return jax.random.bits(a, (9,)), jax.random.uniform(b, (4, 5)), jax.random.fold_in(key, 7)


@program(lambda d: (d.bits(2),))
def threefry_normal(key):
    """Normal variates through the inverse error function, in two sizes."""
    a, b = jax.random.split(key)
    return jax.random.normal(a, (30,)), jax.random.truncated_normal(b, -1.0, 2.0, (12,))


@program(lambda d: (d.bits(2), d.normal(5, 8)))
def categorical_sampling(key, logits):
    """Sampling by Gumbel noise and argmax, after temperature and nucleus filtering."""
    ordered = jnp.sort(logits, -1, descending=True)
    keep = jnp.cumsum(jax.nn.softmax(ordered), -1) - jax.nn.softmax(ordered) < 0.9
    least = jnp.min(jnp.where(keep, ordered, jnp.inf), -1, keepdims=True)
    return jax.random.categorical(key, jnp.where(logits < least, -1e30, logits) / 0.7)


@program(lambda d: (d.bits(2),))
def random_integers(key):
    """Integers within bounds, signs, coin tosses and a shuffled range."""
    keys = jax.random.split(key, 4)
    return (jax.random.randint(keys[0], (10,), -5, 100), jax.random.rademacher(keys[1], (8,)),
            jax.random.bernoulli(keys[2], 0.3, (16,)), jax.random.permutation(keys[3], 20))


@program(lambda d: (d.bits(2), d.normal(8, 16)))
def dropout(key, x):
    """Inverted dropout with the mask drawn in bytes."""
    keep = jax.random.bits(key, x.shape, jnp.uint8) < 192
    return jnp.where(keep, x / 0.75, 0)


@program(lambda d: (d.bits(2), d.uniform(0.5, 4, 6)), optimized=False)
def gamma_variates(key, shape):
    """Gamma variates by rejection: a while loop per element."""
    return jax.random.gamma(key, shape)


@program(lambda d: (d.bits(2, dtype="uint64"),), x64=True)
def rng_three_fry(state):
    """The generator instruction with the threefry algorithm, in three widths."""
    state, a = lax.rng_bit_generator(state, (10,), jnp.uint32, algorithm=lax.RandomAlgorithm.RNG_THREE_FRY)
    state, b = lax.rng_bit_generator(state, (3, 5), jnp.uint64, algorithm=lax.RandomAlgorithm.RNG_THREE_FRY)
    state, c = lax.rng_bit_generator(state, (7,), jnp.uint8, algorithm=lax.RandomAlgorithm.RNG_THREE_FRY)
    return state, a, b, c


@program(lambda d: (d.bits(2, dtype="uint64"),), x64=True)
def rng_philox(state):
    """The generator instruction with the Philox algorithm, in three widths."""
    state, a = lax.rng_bit_generator(state, (10,), jnp.uint32, algorithm=lax.RandomAlgorithm.RNG_PHILOX)
    state, b = lax.rng_bit_generator(state, (3, 5), jnp.uint64, algorithm=lax.RandomAlgorithm.RNG_PHILOX)
    state, c = lax.rng_bit_generator(state, (6,), jnp.uint16, algorithm=lax.RandomAlgorithm.RNG_PHILOX)
    return state, a, b, c


@program(lambda d: (d.bits(4),))
def rbg_keys(key):
    """JAX's own wrapping of the generator instruction: split keys and uniform floats."""
    keys = jax.random.split(jax.random.wrap_key_data(key, impl="rbg"))
    return jax.random.uniform(keys[0], (6,)), jax.random.key_data(keys[1])


@program(lambda d: (d.bits(8),))
def xorshift_generator(state):
    """Eight xorshift streams and a congruential one, stepped in a loop."""
    def step(s, _):
        x, y = s
        x = x ^ (x << 13)
        x = x ^ (x >> 17)
        x = x ^ (x << 5)
        y = y * jnp.uint32(1664525) + jnp.uint32(1013904223)
        return (x, y), (x ^ y).astype(jnp.float32) * 2.0 ** -32
    return lax.scan(step, (state | 1, state), length=10)


@program(lambda d: (d.bits(3, 16),))
def murmur_hash(words):
    """A 32-bit hash of each row: multiplication, rotation and a final mix."""
    def rotate(x, r):
        return (x << r) | (x >> (32 - r))

    def mix(h, k):
        k = rotate(k * jnp.uint32(0xCC9E2D51), 15) * jnp.uint32(0x1B873593)
        return rotate(h ^ k, 13) * jnp.uint32(5) + jnp.uint32(0xE6546B64), None
    h = lax.scan(mix, jnp.zeros(3, jnp.uint32), words.T)[0] ^ jnp.uint32(64)
    h = (h ^ (h >> 16)) * jnp.uint32(0x85EBCA6B)
    h = (h ^ (h >> 13)) * jnp.uint32(0xC2B2AE35)
    return h ^ (h >> 16)


@program(lambda d: (d.bits(2), d.integers(0, 2, 10, 10)))
def ising_model(key, spins):
    """Metropolis sweeps of a magnet on a checkerboard, random bits drawn inside the loop."""
    spins = 2 * spins - 1
    colour = (jnp.arange(10)[:, None] + jnp.arange(10)) % 2

    def sweep(i, s):
        around = sum(jnp.roll(s, d, axis) for d in (-1, 1) for axis in (0, 1))
        chance = jax.random.uniform(jax.random.fold_in(key, i), s.shape)
        flip = (chance < jnp.exp(-0.9 * (s * around).astype(jnp.float32))) & (colour == i % 2)
        return jnp.where(flip, -s, s)
    return lax.fori_loop(0, 6, sweep, spins)
