"""Convolutions in every arrangement."""
import jax
import jax.numpy as jnp
from jax import lax

from . import bfloat16, program

NHWC = ("NHWC", "HWIO", "NHWC")


def conv(x, w, **kw):
    rank = x.ndim - 2
    kw = {"window_strides": (1,) * rank, "padding": "SAME", "dimension_numbers": NHWC if rank == 2 else None, **kw}
    return lax.conv_general_dilated(x, w, **kw)


@program(lambda d: (d.normal(2, 3, 20), d.normal(5, 3, 3)))
def conv1d_causal_dilated(x, w):
    """A one-dimensional convolution that looks back only, every third step."""
    return conv(x, w, padding=[(6, 0)], rhs_dilation=(3,))


@program(lambda d: (d.normal(2, 15, 16, 3), d.weights(3, 4, 3, 8)), metadata=True)
def conv2d_strided(x, w):
    """A two-dimensional convolution with unequal strides and uneven padding."""
    return conv(x, w, window_strides=(2, 3), padding=[(1, 2), (0, 1)])


@program(lambda d: (d.normal(1, 14, 14, 4), d.weights(3, 3, 4, 6)))
def conv2d_dilated(x, w):
    """A convolution with a spread kernel."""
    return conv(x, w, rhs_dilation=(2, 3), padding="VALID")


@program(lambda d: (d.normal(2, 8, 8, 12), d.weights(3, 3, 4, 6)))
def conv2d_grouped(x, w):
    """Three groups of channels, convolved apart."""
    return conv(x, w, feature_group_count=3)


@program(lambda d: (d.normal(2, 10, 10, 8), d.normal(3, 3, 1, 16, scale=0.3)))
def conv2d_depthwise(x, w):
    """Every channel with two kernels of its own."""
    return conv(x, w, feature_group_count=8)


@program(lambda d: (d.normal(2, 6, 6, 4), d.normal(3, 3, 4, 5, scale=0.3)))
def conv2d_transposed(x, w):
    """Upsampling by a convolution over a dilated input, plain and with a flipped kernel."""
    return (lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=NHWC),
            lax.conv_transpose(x, w.transpose(0, 1, 3, 2), (3, 2), "VALID", dimension_numbers=NHWC, transpose_kernel=True))


@program(lambda d: (d.normal(4, 7, 7, 3), d.normal(3, 3, 3, 6, scale=0.3)))
def conv2d_batch_groups(x, w):
    """Batch groups, the form the gradient of a grouped convolution takes."""
    return conv(x, w, batch_group_count=2)


@program(lambda d: (d.normal(1, 6, 7, 8, 2), d.normal(2, 3, 2, 2, 3, scale=0.3)))
def conv3d(x, w):
    """A volume convolved in three dimensions."""
    return conv(x, w, window_strides=(1, 2, 2), dimension_numbers=("NDHWC", "DHWIO", "NDHWC"))


@program(lambda d: (d.normal(2, 6, 9, 9), d.normal(4, 3, 3, 3, scale=0.3)), metadata=True)
def conv2d_gradients(x, w):
    """Gradients of a strided, dilated, grouped convolution for its input and its kernel."""
    def loss(x, w):
        return jnp.sum(jnp.sin(conv(x, w, window_strides=(2, 1), rhs_dilation=(1, 2), feature_group_count=2,
                                    dimension_numbers=("NCHW", "OIHW", "NCHW"))))
    return jax.grad(loss, (0, 1))(x, w)


@program(lambda d: (d.integers(-8, 8, 1, 9, 9, 3, dtype="int8"), d.integers(-8, 8, 3, 3, 3, 4, dtype="int8")))
def conv2d_quantized(x, w):
    """Bytes convolved into 32-bit sums, scaled and rounded back to bytes."""
    total = conv(x, w, preferred_element_type=jnp.int32)
    return total, jnp.clip(jnp.round(total * 0.125), -128, 127).astype(jnp.int8)


@program(lambda d: (d.normal(2, 9, 9, 4, dtype=bfloat16), d.weights(3, 3, 4, 8, dtype=bfloat16)))
def conv2d_bf16(x, w):
    """A bf16 convolution, once into bf16 and once into f32."""
    return conv(x, w), conv(x, w, preferred_element_type=jnp.float32)


@program(lambda d: (d.normal(1, 8, 10, 2, dtype="float64"), d.normal(3, 3, 2, 3, dtype="float64")), x64=True)
def conv2d_double_circular(x, w):
    """A double-precision convolution around a torus, by padding with wrapped edges."""
    return conv(jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="wrap"), w, padding="VALID")


@program(lambda d: (d.normal(7, 7, 2, 3), d.normal(4, 2, 3, 3)))
def conv2d_mixed_layouts(x, w):
    """Dimension orders of its own for input, kernel and output."""
    return conv(x, w, dimension_numbers=("HWNC", "OHIW", "CNHW"), window_strides=(1, 2), rhs_dilation=(1, 1),
                padding=[(-1, 2), (1, 0)])


@program(lambda d: (d.normal(2, 8, 8, 3), d.normal(27, 5)))
def patches_as_products(x, w):
    """Patches gathered by a convolution with an identity kernel, then a matrix product."""
    patches = lax.conv_general_dilated_patches(x, (3, 3), (1, 1), "SAME", dimension_numbers=NHWC)
    return patches @ w


@program(lambda d: (d.complex(1, 6, 6, 2), d.complex(2, 2, 2, 2)))
def conv2d_complex(x, w):
    """A convolution of complex numbers."""
    return conv(x, w, padding="VALID")
