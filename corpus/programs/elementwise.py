"""Galleries of elementwise arithmetic, a type or a concern at a time."""
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from . import bfloat16, program


def transcendental(x, u, p):
    """Functions of any real x, of u within (-1, 1), and of positive p."""
    return (lax.exp(x), lax.exp2(x), lax.expm1(x), lax.sin(x), lax.cos(x), lax.tan(x), lax.sinh(x), lax.cosh(x), lax.tanh(x),
            lax.asin(u), lax.acos(u), lax.atan(x), lax.asinh(x), lax.acosh(p + 1), lax.atanh(u), lax.atan2(x, u),
            lax.log(p), lax.log1p(u), lax.sqrt(p), lax.rsqrt(p), lax.cbrt(x), lax.logistic(x), lax.pow(p, x),
            lax.integer_pow(x, 5), lax.integer_pow(p, -2), lax.erf(x), lax.erfc(x), lax.erf_inv(u))


def basic(x, y, z):
    """Arithmetic, rounding, signs and choice."""
    return (x + y, x - y, x * y, x / z, lax.rem(x, z), lax.max(x, y), lax.min(x, y), lax.neg(x), lax.abs(x), lax.sign(x),
            lax.floor(x * 3), lax.ceil(x * 3), lax.round(x * 2, lax.RoundingMethod.AWAY_FROM_ZERO),
            lax.round(x * 2, lax.RoundingMethod.TO_NEAREST_EVEN), lax.clamp(x - 1, y, x + 1), lax.select(x < y, x, z),
            lax.square(x), lax.nextafter(x, y), x % z, x // z)


def float_inputs(dtype):
    return lambda d: (d.normal(17, dtype=dtype), d.uniform(-0.95, 0.95, 17, dtype=dtype), d.uniform(0.1, 4, 17, dtype=dtype))


def half_steps(d, dtype):
    # Multiples of a quarter make ties for the two kinds of rounding.
    return (d.integers(-12, 13, 17) / 4).astype(dtype), d.normal(17, dtype=dtype), d.uniform(0.3, 3, 17, dtype=dtype)


@program(float_inputs(np.float32), metadata=True)
def math_f32(x, u, p):
    """Transcendental functions of f32."""
    return transcendental(x, u, p)


@program(float_inputs(np.float64), x64=True)
def math_f64(x, u, p):
    """Transcendental functions of f64."""
    return transcendental(x, u, p)


@program(float_inputs(np.float16))
def math_f16(x, u, p):
    """Transcendental functions of f16."""
    return transcendental(x, u, p)


@program(float_inputs(bfloat16))
def math_bf16(x, u, p):
    """Transcendental functions of bf16."""
    return transcendental(x, u, p)


@program(lambda d: half_steps(d, np.float32))
def arithmetic_f32(x, y, z):
    """Arithmetic, rounding with ties, clamping and selection in f32."""
    return basic(x, y, z)


@program(lambda d: half_steps(d, np.float64), x64=True)
def arithmetic_f64(x, y, z):
    """Arithmetic, rounding with ties, clamping and selection in f64."""
    return basic(x, y, z)


@program(lambda d: half_steps(d, np.float16))
def arithmetic_f16(x, y, z):
    """Arithmetic, rounding with ties, clamping and selection in f16."""
    return basic(x, y, z)


@program(lambda d: half_steps(d, bfloat16))
def arithmetic_bf16(x, y, z):
    """Arithmetic, rounding with ties, clamping and selection in bf16."""
    return basic(x, y, z)


# No subnormals: XLA:CPU takes them for zeros, which is not what HLO says.
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-30, -1e-30, 3.4e38, -3.4e38, 0.5]


@program(lambda d: (np.float32(SPECIAL), np.float32(SPECIAL[5:] + SPECIAL[:5])), nonfinite=True)
def special_values(x, y):
    """Infinities, NaNs, signed zeros and extreme magnitudes through arithmetic and comparisons."""
    return (lax.is_finite(x), x + y, x * y, x / y, jnp.maximum(x, y), lax.min(x, y), lax.sign(x), lax.sqrt(x), lax.log(x),
            lax.exp(x), x < y, x == y, x != x, lax.clamp(jnp.float32(-1), x, jnp.float32(1)), jnp.nan_to_num(x),
            lax.tanh(x), lax.floor(x), lax.atan2(x, y), lax.abs(x), jnp.signbit(x), lax.rem(x, y))


def special_comparisons(x, y):
    return x < y, x <= y, x > y, x >= y, x == y, x != y


@program(lambda d: (np.float32(SPECIAL), d.integers(-3, 4, 12), d.integers(0, 4, 12, dtype="uint8"), d.booleans(12), d.complex(12)))
def comparisons(x, n, b, p, z):
    """All six comparisons for floats, integers, predicates, and equality of complex numbers."""
    return (special_comparisons(x, x[::-1]), special_comparisons(n, n[::-1]), special_comparisons(b, b[::-1]),
            special_comparisons(p, p[::-1]), z == z[::-1], z != z, p & p[::-1], p | p[::-1], p ^ p[::-1], ~p)


def integer_ops(x, y, s):
    """Wrapping arithmetic, division (never by zero), bits and shifts (never too far)."""
    signed = jnp.issubdtype(x.dtype, jnp.signedinteger)
    return (x + y, x - y, x * y, lax.div(x, y), lax.rem(x, y), lax.max(x, y), lax.min(x, y), lax.neg(x), lax.sign(x),
            x & y, x | y, x ^ y, ~x, lax.shift_left(x, s), lax.shift_right_logical(x, s), lax.shift_right_arithmetic(x, s),
            lax.population_count(x), lax.clz(x), lax.integer_pow(x, 3), lax.clamp(lax.min(x, y), s, lax.max(x, y)),
            lax.abs(x) if signed else x // y, x % y)


def integer_inputs(dtype):
    def draw(d):
        x, y = d.bits(19, dtype=dtype), d.bits(19, dtype=dtype)
        y[y == 0], y[::3] = 1, y[::3] % 7 + 1
        # The one quotient that overflows is left to modules of its own.
        y[(y == 0) | (y == np.array(-1).astype(dtype))] = 3
        return x, y, d.integers(0, np.dtype(dtype).itemsize * 8, 19, dtype=dtype)
    return draw


@program(integer_inputs("int8"))
def integers_s8(x, y, shift):
    """Arithmetic and bits of s8."""
    return integer_ops(x, y, shift)


@program(integer_inputs("uint8"))
def integers_u8(x, y, shift):
    """Arithmetic and bits of u8."""
    return integer_ops(x, y, shift)


@program(integer_inputs("int16"))
def integers_s16(x, y, shift):
    """Arithmetic and bits of s16."""
    return integer_ops(x, y, shift)


@program(integer_inputs("uint16"))
def integers_u16(x, y, shift):
    """Arithmetic and bits of u16."""
    return integer_ops(x, y, shift)


@program(integer_inputs("int32"))
def integers_s32(x, y, shift):
    """Arithmetic and bits of s32."""
    return integer_ops(x, y, shift)


@program(integer_inputs("uint32"))
def integers_u32(x, y, shift):
    """Arithmetic and bits of u32."""
    return integer_ops(x, y, shift)


@program(integer_inputs("int64"), x64=True)
def integers_s64(x, y, shift):
    """Arithmetic and bits of s64."""
    return integer_ops(x, y, shift)


@program(integer_inputs("uint64"), x64=True)
def integers_u64(x, y, shift):
    """Arithmetic and bits of u64."""
    return integer_ops(x, y, shift)


INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")


@program(lambda d: [d.bits(11, dtype=t) for t in INTEGERS for _ in range(2)], x64=True, direct=True)
def high_products(*n):
    """The upper halves of products of eight integer types."""
    return [lax.mulhi(x, y) for x, y in zip(n[::2], n[1::2])]


def complex_ops(z, w, x):
    return (z + w, z - w, z * w, z / w, -z, jnp.conj(z), lax.real(z), lax.imag(z), lax.abs(z), lax.sign(z), lax.exp(z), lax.log(z),
            lax.sqrt(z), lax.rsqrt(z), lax.sin(z), lax.cos(z), lax.tanh(z), lax.tan(z), lax.expm1(z), lax.log1p(z),
            lax.pow(z, w), lax.integer_pow(z, 3), jnp.angle(z), lax.complex(x, x * x), z @ w)


@program(lambda d: (d.complex(13), d.complex(13), d.normal(13)))
def complex_c64(z, w, x):
    """Arithmetic and functions of c64."""
    return complex_ops(z, w, x)


@program(lambda d: (d.complex(13, dtype="complex128"), d.complex(13, dtype="complex128"), d.normal(13, dtype="float64")), x64=True)
def complex_c128(z, w, x):
    """Arithmetic and functions of c128."""
    return complex_ops(z, w, x)


@program(lambda d: (d.uniform(-100, 100, 23), d.integers(-128, 128, 23), d.booleans(23)), metadata=True)
def conversions(x, n, p):
    """Numbers converted among ten types; floats towards integers lose their fractions."""
    types = (jnp.int8, jnp.int16, jnp.int32, jnp.float16, jnp.bfloat16, jnp.float32, jnp.complex64)
    unsigned = (jnp.uint8, jnp.uint16, jnp.uint32)
    return ([x.astype(t) for t in types] + [n.astype(t) for t in types + unsigned] + [p.astype(t) for t in types + unsigned]
            + [abs(x).astype(t) for t in unsigned] + [n.astype(bool), x.astype(bool)])


@program(lambda d: (d.uniform(-1e6, 1e6, 15, dtype="float64"), d.bits(15, dtype="int64"), d.bits(15, dtype="uint64")), x64=True)
def wide_conversions(x, n, u):
    """Conversions between 64-bit types and narrower ones, rounding to even where bits are lost."""
    return (x.astype(jnp.float32), x.astype(jnp.int64), x.astype(jnp.bfloat16), x.astype(jnp.complex128), n.astype(jnp.float64),
            n.astype(jnp.float32), n.astype(jnp.int32), n.astype(jnp.uint8), u.astype(jnp.float64), u.astype(jnp.float32),
            u.astype(jnp.int64), n.astype(jnp.bfloat16), u.astype(jnp.uint16))


F8 = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3", "float8_e3m4", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz")


@program(lambda d: tuple([d.uniform(-8, 8, 33)] + [d.normal(9, dtype=getattr(ml_dtypes, t)) for t in F8]))
def float8_conversions(x, *narrow):
    """f32 rounded to seven kinds of eight-bit float, and those widened and added."""
    types = [getattr(jnp, t) for t in F8]
    return [x.astype(t) for t in types] + [n.astype(jnp.float32) for n in narrow] + [n + n for n in narrow[:2]]


@program(lambda d: (d.normal(8, 16, dtype=ml_dtypes.float8_e4m3fn), d.normal(16, 8, dtype=ml_dtypes.float8_e5m2),
                    d.uniform(0.5, 2)))
def float8_product(x, w, scale):
    """A matrix product of eight-bit floats accumulated in f32, scaled, and narrowed to bf16."""
    return (lax.dot(x.astype(jnp.float32), w.astype(jnp.float32)) * scale).astype(jnp.bfloat16)


@program(lambda d: (d.integers(-8, 8, 12, 8, dtype=ml_dtypes.int4), d.integers(0, 16, 12, 8, dtype=ml_dtypes.uint4),
                    d.normal(4, 12), d.uniform(0.1, 0.2, 8)))
def int4_weights(w, u, x, scale):
    """Four-bit weights widened, scaled and multiplied."""
    return x @ (w.astype(jnp.float32) * scale), x @ (u.astype(jnp.bfloat16) - 8).astype(jnp.float32)


@program(lambda d: (d.normal(16), d.bits(16), d.bits(6, 4, dtype="uint8"), d.normal(8, dtype="float16"), d.bits(8, dtype="uint16")))
def bit_manipulation(x, n, bytes_, h, w):
    """Bit casts between types of equal and unequal width, float fields taken apart, bits reversed."""
    cast = lax.bitcast_convert_type
    bits = cast(x, jnp.uint32)
    r = n
    for shift, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
        r = ((r >> shift) & jnp.uint32(mask)) | ((r & jnp.uint32(mask)) << shift)
    return (cast(n & jnp.uint32(0x7F7FFFFF), jnp.float32), bits >> 31, (bits >> 23) & 255, bits & 0x7FFFFF,
            cast(bytes_, jnp.uint32), cast(n, jnp.uint8), cast(h, jnp.int16), cast(w & jnp.uint16(0x7BFF), jnp.float16), cast(w.reshape(4, 2), jnp.int32),
            (r >> 16) | (r << 16), lax.population_count(n), lax.clz(n), jnp.unpackbits(bytes_), jnp.frexp(x), jnp.ldexp(x, 3))


@program(lambda d: (d.bits(48),))
def words_after_rounding(n):
    """The very bits of f32 rounded to bf16 and f16, half of them ties: no tolerance hides which way."""
    cast = lax.bitcast_convert_type
    b = cast(n & jnp.uint32(0xBF7F8000), jnp.float32)
    h = cast(n & jnp.uint32(0x87FFF000) | jnp.uint32(0x38000000), jnp.float32)
    return cast(b.astype(jnp.bfloat16), jnp.uint16), cast(h.astype(jnp.float16), jnp.uint16)


@program(lambda d: (d.normal(24), d.normal(24, scale=1e4)))
def reduced_precision(x, y):
    """f32 rounded to shorter exponents and mantissas."""
    return (lax.reduce_precision(x, 5, 10), lax.reduce_precision(x, 8, 7), lax.reduce_precision(y, 8, 3),
            lax.reduce_precision(x, 4, 3), lax.reduce_precision(y, 6, 0))


@program(lambda d: (d.uniform(0.3, 6, 12), d.uniform(0.3, 4, 12), d.uniform(0.05, 0.95, 12)), optimized=False)
def special_functions(a, b, x):
    """Gamma, beta, Bessel and zeta functions: long rational forms and loops."""
    return (lax.lgamma(a), lax.digamma(a), lax.igamma(a, b), lax.igammac(a, b), lax.betainc(a, b, x), lax.bessel_i0e(b),
            lax.bessel_i1e(b), lax.zeta(a + 1.5, b), lax.polygamma(jnp.ones_like(a), b))


@program(lambda d: (d.normal(20),))
def activations(x):
    """The activation functions of neural networks and their derivatives."""
    functions = (jax.nn.relu, jax.nn.gelu, jax.nn.silu, jax.nn.elu, jax.nn.selu, jax.nn.softplus, jax.nn.mish, jax.nn.celu,
                 jax.nn.hard_tanh, jax.nn.log_sigmoid, jax.nn.soft_sign, jax.nn.squareplus)
    return [(f(x), jax.vmap(jax.grad(f))(x)) for f in functions]


@program(lambda d: (d.integers(-50, 50, 16), d.integers(1, 9, 16), d.normal(16), d.uniform(0.5, 3, 16)))
def division_kinds(n, m, x, y):
    """Truncating and flooring division and remainders, of integers and of floats; powers of integers."""
    return (n // m, n % m, lax.div(n, m), lax.rem(n, m), jnp.divmod(n, m), x // y, x % y, jnp.fmod(x, y), jnp.modf(x * y),
            jnp.power(n, m % 4), n / m, jnp.gcd(abs(n), m), jnp.lcm(abs(n) % 10 + 1, m))


@program(lambda d: (d.normal(3, 5), d.normal(5), d.normal(3, 1)))
def broadcasting(x, row, column):
    """Shapes made to agree by size-one dimensions, scalars and explicit dimensions."""
    cube = lax.broadcast_in_dim(row, (2, 5, 3), (1,))
    return x + row, x * column, row - column, 2 * x - 1, cube, lax.broadcast(column, (2,)), jnp.where(x > 0, row, column)


@program(lambda d: (d.uniform(50, 150, 12, dtype="float64"), d.uniform(50, 150, 12, dtype="float64"),
                    d.uniform(0.1, 2, 12, dtype="float64")), x64=True)
def option_prices(spot, strike, time):
    """European option prices and sensitivities in double precision."""
    def price(s, k, t):
        v = 0.2 * jnp.sqrt(t)
        d1 = (jnp.log(s / k) + (0.03 + 0.02) * t) / v
        n = lambda x: 0.5 * (1 + lax.erf(x / jnp.sqrt(2.0)))
        return s * n(d1) - k * jnp.exp(-0.03 * t) * n(d1 - v)
    sensitivity = jax.grad(lambda *a: jnp.sum(price(*a)), (0, 2))
    return price(spot, strike, time), sensitivity(spot, strike, time)
