"""Recurrences: networks over time, filters and dynamic programs by scan."""
import jax
import jax.numpy as jnp
from jax import lax

from . import program


def lstm(params, inputs):
    w, u, b = params
    width = u.shape[0]

    def cell(carry, x):
        h, c = carry
        i, f, g, o = jnp.split(x @ w + h @ u + b, 4, axis=-1)
        c = jax.nn.sigmoid(f + 1.0) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    zero = jnp.zeros((inputs.shape[1], width))
    return lax.scan(cell, (zero, zero), inputs)


@program(lambda d: ((d.weights(8, 64), d.weights(16, 64), d.normal(64, scale=0.1)), d.normal(10, 4, 8)), metadata=True)
def lstm_forward(params, inputs):
    """A long short-term memory layer over ten steps."""
    return lstm(params, inputs)


@program(lambda d: ((d.weights(8, 32), d.weights(8, 32), d.normal(32, scale=0.1)), d.normal(8, 4, 8)), metadata=True)
def lstm_backward(params, inputs):
    """Gradients through time of an LSTM: a forward loop that stacks residuals and a reverse loop."""
    return jax.grad(lambda p: jnp.sum(lstm(p, inputs)[1] ** 2))(params)


@program(lambda d: (d.weights(6, 36), d.weights(12, 36), d.normal(3, 12), d.normal(9, 3, 6), d.integers(2, 9, 3)))
def gru_with_lengths(w, u, start, inputs, lengths):
    """A gated recurrent unit that stops updating rows whose sequence has ended."""
    def cell(h, step):
        t, x = step
        a, b = x @ w, h @ u
        r, z = jax.nn.sigmoid(a[:, :12] + b[:, :12]), jax.nn.sigmoid(a[:, 12:24] + b[:, 12:24])
        new = (1 - z) * jnp.tanh(a[:, 24:] + r * b[:, 24:]) + z * h
        h = jnp.where((t < lengths)[:, None], new, h)
        return h, h
    return lax.scan(cell, start, (jnp.arange(9), inputs))


@program(lambda d: (d.weights(6, 8), d.weights(8, 8), d.normal(7, 6)))
def bidirectional_rnn(w, u, inputs):
    """A plain recurrent layer run forwards and backwards over one sequence."""
    def run(reverse):
        return lax.scan(lambda h, x: (jnp.tanh(x @ w + h @ u),) * 2, jnp.zeros(8), inputs, reverse=reverse)[1]
    return jnp.concatenate([run(False), run(True)], -1)


@program(lambda d: (d.uniform(0.5, 0.99, 32, 8), d.normal(32, 8)))
def linear_recurrence(decay, inputs):
    """h = a h + x for all steps at once, by a parallel associative scan."""
    return lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]), (decay, inputs))[1]


@program(lambda d: (d.normal(20, 2), d.positive_definite(4)))
def kalman_filter(observations, covariance):
    """Position and velocity tracked in the plane; the 2x2 innovation is inverted by hand."""
    move = jnp.eye(4).at[0, 2].set(0.1).at[1, 3].set(0.1)
    see = jnp.eye(2, 4)

    def step(state, z):
        m, p = state
        m, p = move @ m, move @ p @ move.T + 0.01 * jnp.eye(4)
        s = see @ p @ see.T + 0.5 * jnp.eye(2)
        inverse = jnp.array([[s[1, 1], -s[0, 1]], [-s[1, 0], s[0, 0]]]) / (s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0])
        gain = p @ see.T @ inverse
        m, p = m + gain @ (z - see @ m), (jnp.eye(4) - gain @ see) @ p
        return (m, p), m
    return lax.scan(step, (jnp.zeros(4), covariance), observations)


@program(lambda d: (d.normal(12, 6), d.normal(6, 6)))
def viterbi_decoding(emission, transition):
    """The best state path of a hidden Markov model: max-plus forward, argmax back-pointers, reverse walk."""
    def forward(score, e):
        options = score[:, None] + transition
        return jnp.max(options, 0) + e, jnp.argmax(options, 0)
    score, back = lax.scan(forward, emission[0], emission[1:])
    last = jnp.argmax(score)
    first, path = lax.scan(lambda s, b: (b[s], s), last, back, reverse=True)
    return jnp.max(score), jnp.concatenate([first[None], path])


@program(lambda d: (d.normal(12, 6), d.normal(6, 6)))
def hidden_markov_likelihood(emission, transition):
    """Log-likelihood of a hidden Markov model by logsumexp, with posteriors from its gradient."""
    def likelihood(e):
        step = lambda a, x: (jax.nn.logsumexp(a[:, None] + transition, 0) + x, None)
        return jax.nn.logsumexp(lax.scan(step, e[0], e[1:])[0])
    return jax.value_and_grad(likelihood)(emission)


@program(lambda d: (d.normal(20, 20), d.integers(0, 20)))
def beam_search(transition, start):
    """Five steps of beam search of width four over a table of scores."""
    log_probs = jax.nn.log_softmax(transition)
    score, token = lax.top_k(log_probs[start], 4)
    history = jnp.zeros((4, 6), jnp.int32).at[:, 0].set(token)

    def step(i, state):
        score, token, history = state
        total = (score[:, None] + log_probs[token]).reshape(-1)
        score, pick = lax.top_k(total, 4)
        token = pick % 20
        return score, token, history[pick // 20].at[:, i].set(token)
    return lax.fori_loop(1, 6, step, (score, token, history))


@program(lambda d: (d.integers(0, 4, 14), d.integers(0, 4, 11)))
def edit_distance(a, b):
    """Levenshtein distance, a row at a time, with the row recurrence as a cumulative minimum."""
    across = jnp.arange(12)

    def row(previous, step):
        i, letter = step
        best = jnp.minimum(previous[:-1] + (b != letter), previous[1:] + 1)
        best = jnp.concatenate([i[None] + 1, best])
        return lax.cummin(best - across) + across, None
    return lax.scan(row, across, (jnp.arange(14), a))[0]


@program(lambda d: (d.normal(48), d.uniform(0.01, 0.2, 3), d.uniform(-0.5, 0.5, 2)))
def digital_filter(signal, forward, feedback):
    """An infinite impulse response filter with a shift register as its state."""
    def step(state, x):
        past_x, past_y = state
        past_x = jnp.concatenate([x[None], past_x[:-1]])
        y = forward @ past_x - feedback @ past_y
        return (past_x, jnp.concatenate([y[None], past_y[:-1]])), y
    return lax.scan(step, (jnp.zeros(3), jnp.zeros(2)), signal, unroll=2)
