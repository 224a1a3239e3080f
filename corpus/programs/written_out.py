"""Instructions that JAX never writes before optimization, as HLO text of our own.

Where XLA:CPU cannot take an instruction either, the function below the text computes the same by other means.
"""
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from . import program

ADD = """
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}
"""


@program(lambda d: (d.normal(6, 4, 3), d.uniform(0.5, 2, 3), d.normal(3), d.normal(3), d.uniform(0.5, 2, 3),
                    d.normal(6, 4, 3)), text="""
HloModule batch_norm_instructions

ENTRY main {
  x = f32[6,4,3] parameter(0)
  scale = f32[3] parameter(1)
  offset = f32[3] parameter(2)
  mean = f32[3] parameter(3)
  variance = f32[3] parameter(4)
  cotangent = f32[6,4,3] parameter(5)
  training = (f32[6,4,3], f32[3], f32[3]) batch-norm-training(x, scale, offset), epsilon=0.001, feature_index=2
  normalized = f32[6,4,3] get-tuple-element(training), index=0
  batch_mean = f32[3] get-tuple-element(training), index=1
  batch_variance = f32[3] get-tuple-element(training), index=2
  inference = f32[6,4,3] batch-norm-inference(x, scale, offset, mean, variance), epsilon=0.01, feature_index=2
  gradient = (f32[6,4,3], f32[3], f32[3]) batch-norm-grad(x, scale, batch_mean, batch_variance, cotangent), epsilon=0.001, feature_index=2
  for_x = f32[6,4,3] get-tuple-element(gradient), index=0
  for_scale = f32[3] get-tuple-element(gradient), index=1
  for_offset = f32[3] get-tuple-element(gradient), index=2
  ROOT all = (f32[6,4,3], f32[3], f32[3], f32[6,4,3], f32[6,4,3], f32[3], f32[3]) tuple(normalized, batch_mean, batch_variance, inference, for_x, for_scale, for_offset)
}
""")
def batch_norm_instructions():
    """Batch norm for training, inference and its gradient, as instructions."""


@program(lambda d: (d.uniform(-0.95, 0.95, 4, 5), d.normal(4, 5)), direct=True, text="""
HloModule inverse_and_hyperbolic

ENTRY main {
  u = f32[4,5] parameter(0)
  x = f32[4,5] parameter(1)
  two = f32[] constant(2)
  twos = f32[4,5] broadcast(two), dimensions={}
  above_one = f32[4,5] add(u, twos)
  acos = f32[4,5] acos(u)
  acosh = f32[4,5] acosh(above_one)
  asin = f32[4,5] asin(u)
  asinh = f32[4,5] asinh(x)
  atanh = f32[4,5] atanh(u)
  cosh = f32[4,5] cosh(x)
  sinh = f32[4,5] sinh(x)
  logistic = f32[4,5] logistic(x)
  ROOT all = (f32[4,5], f32[4,5], f32[4,5], f32[4,5], f32[4,5], f32[4,5], f32[4,5], f32[4,5]) tuple(acos, acosh, asin, asinh, atanh, cosh, sinh, logistic)
}
""")
def inverse_and_hyperbolic(u, x):
    """Inverse trigonometric and hyperbolic functions as single instructions."""
    return (lax.acos(u), lax.acosh(u + 2), lax.asin(u), lax.asinh(x), lax.atanh(u), lax.cosh(x), lax.sinh(x), lax.logistic(x))


@program(lambda d: (d.normal(24, 10), d.weights(3, 10, 6), np.int32([7, 0, 17])), platform="tpu", direct=True)
def ragged_dot_instruction(x, w, sizes):
    """Rows in groups of unequal size, one of them empty, each times its own matrix, as one instruction."""
    return lax.ragged_dot(x, w, sizes)


@program(lambda d: (d.normal(8, 64, dtype=ml_dtypes.float8_e4m3fn), d.normal(64, 6, dtype=ml_dtypes.float8_e5m2),
                    d.uniform(0.2, 3, 8, 2, dtype=ml_dtypes.float8_e8m0fnu), d.uniform(0.2, 3, 2, 6, dtype=ml_dtypes.float8_e8m0fnu)),
         direct=True, text="""
HloModule scaled_dot_instruction

ENTRY main {
  lhs = f8e4m3fn[8,64] parameter(0)
  rhs = f8e5m2[64,6] parameter(1)
  lhs_scale = f8e8m0fnu[8,2] parameter(2)
  rhs_scale = f8e8m0fnu[2,6] parameter(3)
  ROOT product = f32[8,6] scaled-dot(lhs, rhs, lhs_scale, rhs_scale), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
""")
def scaled_dot_instruction(lhs, rhs, lhs_scale, rhs_scale):
    """A product of eight-bit floats with a power-of-two scale for every 32 of them, as one instruction."""
    return lax.scaled_dot(lhs, rhs, lhs_scale=lhs_scale, rhs_scale=rhs_scale, preferred_element_type=jnp.float32)


@program(lambda d: (d.normal(6, 3), d.normal(3), d.normal(9), d.normal()), text="""
HloModule scan_instruction

decay {
  x = f32[3] parameter(0)
  state = f32[3] parameter(1)
  half = f32[] constant(0.5)
  halves = f32[3] broadcast(half), dimensions={}
  shrunk = f32[3] multiply(state, halves)
  next = f32[3] add(x, shrunk)
  out = f32[3] multiply(next, next)
  ROOT both = (f32[3], f32[3]) tuple(out, next)
}

running_sum {
  x = f32[] parameter(0)
  sum = f32[] parameter(1)
  next = f32[] add(x, sum)
  ROOT both = (f32[], f32[]) tuple(next, next)
}

ENTRY main {
  rows = f32[6,3] parameter(0)
  start = f32[3] parameter(1)
  line = f32[9] parameter(2)
  first = f32[] parameter(3)
  states = (f32[6,3], f32[3]) scan(rows, start), dimensions={0}, num_carries=1, to_apply=decay
  backwards = (f32[6,3], f32[3]) scan(rows, start), dimensions={0}, num_carries=1, is_reverse=true, to_apply=decay
  sums = (f32[9], f32[]) scan(line, first), dimensions={0}, num_carries=1, is_associative=true, to_apply=running_sum
  a = f32[6,3] get-tuple-element(states), index=0
  b = f32[3] get-tuple-element(states), index=1
  c = f32[6,3] get-tuple-element(backwards), index=0
  d = f32[3] get-tuple-element(backwards), index=1
  e = f32[9] get-tuple-element(sums), index=0
  f = f32[] get-tuple-element(sums), index=1
  ROOT all = (f32[6,3], f32[3], f32[6,3], f32[3], f32[9], f32[]) tuple(a, b, c, d, e, f)
}
""")
def scan_instruction():
    """Rows folded into a running state, forwards and in reverse, and an associative sum, as instructions."""


@program(lambda d: (d.normal(5, 4), d.normal(5, 4), d.integers(-9, 9, 5, 4)), text="""
HloModule map_and_plumbing

scaled_difference {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  n = s32[] parameter(2)
  difference = f32[] subtract(a, b)
  factor = f32[] convert(n)
  ROOT scaled = f32[] multiply(difference, factor)
}

ENTRY main {
  x = f32[5,4] parameter(0)
  y = f32[5,4] parameter(1)
  n = s32[5,4] parameter(2)
  mapped = f32[5,4] map(x, y, n), dimensions={0,1}, to_apply=scaled_difference
  ready = token[] after-all()
  waited = f32[5,4] add-dependency(mapped, ready)
  turned = f32[5,4]{0,1} copy(y)
  rows = s32[] get-dimension-size(turned), dimensions={0}
  partition = u32[] partition-id()
  replica = u32[] replica-id()
  where = u32[] add(partition, replica)
  nested = ((f32[5,4]{0,1}, s32[]), u32[]) tuple((f32[5,4]{0,1}, s32[]) tuple(turned, rows), where)
  inner = (f32[5,4]{0,1}, s32[]) get-tuple-element(nested), index=0
  again = f32[5,4]{0,1} get-tuple-element(inner), index=0
  sum = f32[5,4] add(waited, again)
  ROOT all = (f32[5,4], s32[], u32[]) tuple(sum, rows, where)
}
""")
def map_and_plumbing():
    """A mapped computation, tokens, a copy into another layout, sizes, identities and nested tuples."""


@program(lambda d: (d.normal(8, 3), d.integers(3, 6)), text=f"""
HloModule dynamic_dimension
{ADD}
ENTRY main {{
  x = f32[8,3] parameter(0)
  size = s32[] parameter(1)
  part = f32[<=8,3] set-dimension-size(x, size), dimensions={{0}}
  zero = f32[] constant(0)
  sum = f32[3] reduce(part, zero), dimensions={{0}}, to_apply=add
  squares = f32[<=8,3] multiply(part, part)
  total = f32[] reduce(squares, zero), dimensions={{0,1}}, to_apply=add
  known = s32[] get-dimension-size(squares), dimensions={{0}}
  ROOT all = (f32[3], f32[], s32[]) tuple(sum, total, known)
}}
""")
def dynamic_dimension():
    """A dimension whose size is known only at run time, seen by reductions."""


@program(lambda d: (d.uniform(-20, 20, 40), d.bits(40)), text="""
HloModule stochastic_rounding

ENTRY main {
  x = f32[40] parameter(0)
  random = u32[40] parameter(1)
  bytes = s8[40] stochastic-convert(x, random)
  words = s32[40] stochastic-convert(x, random)
  ROOT both = (s8[40], s32[40]) tuple(bytes, words)
}
""")
def stochastic_rounding():
    """Floats rounded up or down to integers as given random bits decide."""


@program(lambda d: (d.normal(4, 6),), text=f"""
HloModule collectives_alone
{ADD}
ENTRY main {{
  x = f32[4,6] parameter(0)
  reduced = f32[4,6] all-reduce(x), replica_groups={{}}, to_apply=add
  gathered = f32[4,6] all-gather(reduced), replica_groups={{}}, dimensions={{1}}
  scattered = f32[4,6] reduce-scatter(gathered), replica_groups={{}}, dimensions={{0}}, to_apply=add
  ROOT moved = f32[4,6] collective-permute(scattered), source_target_pairs={{{{0,0}}}}
}}
""")
def collectives_alone():
    """Collectives among a single replica, where each gives back its operand."""


@program(lambda d: (d.uniform(0, 1), d.uniform(2, 3)), runs=False, text="""
HloModule rng_distributions

ENTRY main {
  low = f32[] parameter(0)
  high = f32[] parameter(1)
  uniform = f32[16] rng(low, high), distribution=rng_uniform
  normal = f32[16] rng(low, high), distribution=rng_normal
  zero = s32[] constant(0)
  ten = s32[] constant(10)
  integers = s32[16] rng(zero, ten), distribution=rng_uniform
  state = u64[2] rng-get-and-update-state(), delta=3
  ROOT all = (f32[16], f32[16], s32[16], u64[2]) tuple(uniform, normal, integers, state)
}
""")
def rng_distributions():
    """Random numbers from hidden state: parsed only, since no two runs need agree."""


@program(lambda d: (d.normal(4),), runs=False, text=f"""
HloModule asynchronous_forms, num_partitions=2
{ADD}
wrapped_cosine {{
  a = f32[4] parameter(0)
  ROOT cosine = f32[4] cosine(a)
}}

ENTRY main {{
  x = f32[4] parameter(0)
  reduce_start = f32[4] all-reduce-start(x), replica_groups={{{{0,1}}}}, use_global_device_ids=true, channel_id=1, to_apply=add
  gather_start = (f32[4], f32[8]) all-gather-start(x), replica_groups={{{{0,1}}}}, dimensions={{0}}
  permute_start = (f32[4], f32[4], u32[], u32[]) collective-permute-start(x), source_target_pairs={{{{0,1}},{{1,0}}}}
  copy_start = (f32[4], f32[4], u32[]) copy-start(x)
  cosine_start = ((f32[4]), f32[4], u32[]) async-start(x), calls=wrapped_cosine
  cosine_update = ((f32[4]), f32[4], u32[]) async-update(cosine_start)
  reduced = f32[4] all-reduce-done(reduce_start)
  gathered = f32[8] all-gather-done(gather_start)
  permuted = f32[4] collective-permute-done(permute_start)
  copied = f32[4] copy-done(copy_start)
  cosine = f32[4] async-done(cosine_update)
  broadcast = f32[4] collective-broadcast(reduced), replica_groups={{{{0,1}}}}
  placed = f32[4] domain(broadcast), domain={{kind="sharding", entry={{maximal device=0}}, exit={{maximal device=1}}}}
  ready = token[] after-all()
  fed = ((f32[4], s32[]), token[]) infeed(ready), infeed_config="rows"
  fed_token = token[] get-tuple-element(fed), index=1
  outfed = token[] outfeed(placed, fed_token), outfeed_shape=f32[4], outfeed_config="rows"
  sent = (f32[4], u32[], token[]) send(permuted, outfed), channel_id=2, is_host_transfer=true
  sent_token = token[] send-done(sent), channel_id=2, is_host_transfer=true
  received = (f32[4], u32[], token[]) recv(sent_token), channel_id=3, is_host_transfer=true
  arrived = (f32[4], token[]) recv-done(received), channel_id=3, is_host_transfer=true
  value = f32[4] get-tuple-element(arrived), index=0
  ROOT all = (f32[8], f32[4], f32[4], f32[4]) tuple(gathered, copied, cosine, value)
}}
""")
def asynchronous_forms():
    """Instructions begun and ended apart, and transfers with a host: parsed only."""
