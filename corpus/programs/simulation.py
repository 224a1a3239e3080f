"""Physics and other simulations."""
import jax
import jax.numpy as jnp
from jax import lax

from . import program


@program(lambda d: (d.normal(12, 3, scale=2.0), d.normal(12, 3, scale=0.1), d.uniform(0.5, 2, 12)), metadata=True)
def gravity_steps(position, velocity, mass):
    """Bodies under gravity by leapfrog, their forces from the gradient of the energy."""
    def energy(x):
        apart = x[:, None] - x
        square = jnp.sum(apart ** 2, -1) + 0.1
        return -0.5 * jnp.sum(mass[:, None] * mass / jnp.sqrt(square))

    def step(state, _):
        x, v = state
        v = v - 0.01 * jax.grad(energy)(x) / mass[:, None]
        x = x + 0.01 * v
        return (x, v), energy(x)
    return lax.scan(step, (position, velocity), length=5)


@program(lambda d: (d.uniform(0, 4, 27, 3),))
def lennard_jones_forces(position):
    """Energy and forces of atoms in a periodic box with a smooth cutoff."""
    def energy(x):
        apart = x[:, None] - x
        apart = apart - 4 * jnp.round(apart / 4)
        square = jnp.sum(apart ** 2, -1) + jnp.eye(27)
        near = jnp.triu(square < 4, 1)
        inverse = 1 / jnp.maximum(jnp.where(near, square, 1), 0.6) ** 3
        return jnp.sum(jnp.where(near, 4 * (inverse ** 2 - inverse) * (1 - square / 4) ** 2, 0))
    return jax.value_and_grad(energy)(position)


@program(lambda d: (d.uniform(0, 1, 20, 20), d.uniform(0.1, 0.2)))
def heat_equation(field, rate):
    """Explicit diffusion with fixed edges, by slices."""
    def step(_, u):
        inner = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        return u.at[1:-1, 1:-1].add(rate * inner)
    return lax.fori_loop(0, 10, step, field)


@program(lambda d: (d.uniform(0.4, 0.6, 16, 16), d.uniform(0.2, 0.3, 16, 16)))
def reaction_diffusion(u, v):
    """Two chemicals that spread and react on a torus, as convolutions with wrapped edges."""
    kernel = jnp.array([[0.05, 0.2, 0.05], [0.2, -1.0, 0.2], [0.05, 0.2, 0.05]])[None, None]

    def laplacian(a):
        wrapped = jnp.pad(a, 1, mode="wrap")[None, None]
        return lax.conv_general_dilated(wrapped, kernel, (1, 1), "VALID")[0, 0]

    def step(_, state):
        u, v = state
        react = u * v * v
        return u + laplacian(u) - react + 0.035 * (1 - u), v + 0.5 * laplacian(v) + react - 0.1 * v
    return lax.fori_loop(0, 6, step, (u, v))


@program(lambda d: (d.uniform(0.9, 1.1, 9, 12, 12),))
def lattice_boltzmann(f):
    """Fluid flow on a lattice: streaming by rolls, relaxation to equilibrium."""
    direction = [(i, j) for i in (0, 1, -1) for j in (0, 1, -1)]
    weight = jnp.array([4 / 9 if (i, j) == (0, 0) else 1 / 9 if i * j == 0 else 1 / 36 for i, j in direction])
    e = jnp.array(direction, jnp.float32)

    def step(_, f):
        f = jnp.stack([jnp.roll(f[k], direction[k], (0, 1)) for k in range(9)])
        density = jnp.sum(f, 0)
        u = jnp.einsum("kd,kxy->dxy", e, f) / density
        along = jnp.einsum("kd,dxy->kxy", e, u)
        rest = weight[:, None, None] * density * (1 + 3 * along + 4.5 * along ** 2 - 1.5 * jnp.sum(u * u, 0))
        return f - 0.6 * (f - rest)
    return lax.fori_loop(0, 3, step, f)


@program(lambda d: (d.uniform(-0.3, 0.3, 3),))
def ray_marching(centre):
    """A sphere and a floor drawn by marching along rays until a surface is near, with normals by gradient."""
    y, x = jnp.meshgrid(jnp.linspace(0.6, -0.6, 12), jnp.linspace(-0.8, 0.8, 16), indexing="ij")
    ray = jnp.stack([x, y, jnp.ones_like(x)], -1)
    ray = (ray / jnp.linalg.norm(ray, axis=-1, keepdims=True)).reshape(-1, 3)

    def distance(p):
        middle = centre + jnp.array([0.0, 0.0, 3.0])
        return jnp.minimum(jnp.sqrt(jnp.sum((p - middle) ** 2)) - 1, p[1] + 1)

    def march(s):
        i, t = s
        return i + 1, jnp.minimum(t + jax.vmap(distance)(ray * t[:, None]), 20)
    _, t = lax.while_loop(lambda s: s[0] < 24, march, (0, jnp.zeros(ray.shape[0])))
    normal = jax.vmap(jax.grad(distance))(ray * t[:, None])
    light = jnp.clip(normal @ jnp.array([0.5, 0.7, -0.5]), 0, 1)
    return jnp.where(t < 20, light, 0).reshape(12, 16)


@program(lambda d: (d.integers(0, 2, 61),))
def cellular_automaton(row):
    """Rule 110, a new row from each old one by table."""
    rule = jnp.array([(110 >> k) & 1 for k in range(8)])

    def step(r, _):
        return (rule[4 * jnp.roll(r, 1) + 2 * r + jnp.roll(r, -1)],) * 2
    return lax.scan(step, row, length=20)[1]


@program(lambda d: (d.normal(4), d.normal(3), d.normal(10, 3)))
def rigid_motion(quaternion, shift, points):
    """Points turned by a unit quaternion, and the derivative of where they land."""
    def move(q):
        w, x, y, z = q / jnp.linalg.norm(q)
        r = jnp.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                       [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                       [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
        return points @ r.T + shift
    return move(quaternion), jax.jacfwd(move)(quaternion)


@program(lambda d: (d.complex(32), d.uniform(0, 1, 32)))
def schroedinger_steps(wave, potential):
    """A wave packet by split steps: phases in space and, after a Fourier transform, in momentum."""
    k = jnp.fft.fftfreq(32) * 2 * jnp.pi
    kick, drift = jnp.exp(-0.05j * potential), jnp.exp(-0.05j * k * k)
    step = lambda _, w: kick * jnp.fft.ifft(drift * jnp.fft.fft(kick * w))
    return jnp.abs(lax.fori_loop(0, 4, step, wave)) ** 2


@program(lambda d: (d.normal(10, 2),))
def particle_inference(particles):
    """Stein variational steps: particles pulled to a curved density and pushed apart by a kernel."""
    log_density = lambda p: -0.5 * (p[0] ** 2 + 4 * (p[1] - 0.5 * p[0] ** 2) ** 2)

    def step(_, x):
        pull = jax.vmap(jax.grad(log_density))(x)
        apart = x[:, None] - x
        k = jnp.exp(-0.5 * jnp.sum(apart ** 2, -1))
        return x + 0.05 * (k @ pull + jnp.sum(k[..., None] * apart, 1)) / 10
    return lax.fori_loop(0, 5, step, particles)
