"""Fourier transforms and what is built on them."""
import jax
import jax.numpy as jnp

from . import program


@program(lambda d: (d.complex(4, 16), d.complex(3, 10)), metadata=True)
def fft_forward_and_inverse(z, w):
    """Complex transforms of a power-of-two and of another length, and back."""
    return jnp.fft.fft(z), jnp.fft.ifft(w), jnp.fft.ifft(jnp.fft.fft(w))


@program(lambda d: (d.normal(4, 32), d.normal(15)))
def fft_of_real_signals(x, y):
    """Real transforms of even and odd length and their inverses."""
    return jnp.fft.rfft(x), jnp.fft.irfft(jnp.fft.rfft(y), 15), jnp.fft.irfft(jnp.fft.rfft(x) * 0.5)


@program(lambda d: (d.complex(2, 8, 12), d.normal(6, 8), d.complex(4, 6, 5)))
def fft_of_more_dimensions(z, x, v):
    """Transforms over two and three dimensions, complex and real."""
    return jnp.fft.fft2(z), jnp.fft.rfft2(x), jnp.fft.irfft2(jnp.fft.rfft2(x)), jnp.fft.ifftn(v)


@program(lambda d: (d.complex(12, dtype="complex128"), d.normal(3, 9, dtype="float64")), x64=True)
def fft_double(z, x):
    """Transforms in double precision."""
    return jnp.fft.fft(z), jnp.fft.ifft(z), jnp.fft.rfft(x), jnp.fft.irfft(z, 22)


@program(lambda d: (d.normal(40), d.normal(9)))
def convolution_by_fft(x, kernel):
    """A long convolution as a product of spectra, beside the direct one."""
    spectrum = jnp.fft.rfft(x, 48) * jnp.fft.rfft(kernel, 48)
    return jnp.fft.irfft(spectrum, 48), jnp.convolve(x, kernel)


@program(lambda d: (d.normal(128),))
def spectrogram(signal):
    """Overlapping windowed frames, their power spectra, and decibels with a floor."""
    start = jnp.arange(0, 128 - 32 + 1, 16)
    frames = signal[start[:, None] + jnp.arange(32)]
    window = 0.5 - 0.5 * jnp.cos(2 * jnp.pi * jnp.arange(32) / 32)
    power = jnp.abs(jnp.fft.rfft(frames * window)) ** 2
    return 10 * jnp.log10(jnp.maximum(power, 1e-6))


@program(lambda d: (d.normal(16, 16),))
def poisson_equation(source):
    """A periodic Poisson equation solved by dividing in frequency space."""
    k = jnp.fft.fftfreq(16) * 16
    square = k[:, None] ** 2 + k ** 2
    return jnp.real(jnp.fft.ifft2(jnp.where(square > 0, -jnp.fft.fft2(source) / jnp.maximum(square, 1), 0)))


@program(lambda d: (d.normal(3, 8, 8),))
def cosine_transform(blocks):
    """The discrete cosine transform of image blocks, as products and through an FFT."""
    n = jnp.arange(8)
    basis = jnp.cos(jnp.pi * (2 * n + 1) * n[:, None] / 16) * jnp.where(n[:, None] == 0, 0.125 ** 0.5, 0.5)
    mirrored = jnp.concatenate([blocks, blocks[..., ::-1]], -1)
    shift = jnp.exp(-1j * jnp.pi * n / 16)
    return jnp.einsum("ij,bjk,lk->bil", basis, blocks, basis), jnp.real(jnp.fft.fft(mirrored)[..., :8] * shift) / 2


@program(lambda d: (d.normal(16),))
def spectrum_gradient(x):
    """Gradient of the power outside a band, back through a real transform."""
    return jax.grad(lambda x: jnp.sum(jnp.abs(jnp.fft.rfft(x))[3:] ** 2))(x)
