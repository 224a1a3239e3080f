"""Image networks and image processing."""
import jax
import jax.numpy as jnp
from jax import lax

from . import program

NHWC = ("NHWC", "HWIO", "NHWC")


def conv(x, w, stride=1, padding="SAME", groups=1):
    return lax.conv_general_dilated(x, w, (stride, stride), padding, dimension_numbers=NHWC, feature_group_count=groups)


def pool_max(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def batch_norm(x, scale, bias):
    mean = jnp.mean(x, (0, 1, 2))
    variance = jnp.var(x, (0, 1, 2))
    return (x - mean) / jnp.sqrt(variance + 1e-5) * scale + bias


def cnn(p, x):
    x = pool_max(jax.nn.relu(conv(x, p["conv1"])))
    x = pool_max(jax.nn.relu(conv(x, p["conv2"])))
    return x.reshape(x.shape[0], -1) @ p["dense"] + p["bias"]


def cnn_params(d):
    return {"conv1": d.weights(3, 3, 1, 8), "conv2": d.weights(3, 3, 8, 16), "dense": d.weights(256, 10), "bias": d.normal(10)}


def resnet_block(p, x):
    y = jax.nn.relu(batch_norm(conv(x, p["conv1"], 2), *p["norm1"]))
    y = batch_norm(conv(y, p["conv2"]), *p["norm2"])
    return jax.nn.relu(y + conv(x, p["short"], 2))


def resnet_params(d):
    norm = lambda: (1 + d.normal(16, scale=0.1), d.normal(16, scale=0.1))
    return {"conv1": d.weights(3, 3, 8, 16), "norm1": norm(), "conv2": d.weights(3, 3, 16, 16), "norm2": norm(),
            "short": d.weights(1, 1, 8, 16)}


@program(lambda d: (cnn_params(d), d.normal(2, 16, 16, 1)), metadata=True)
def cnn_forward(params, x):
    """Two convolutions with ReLU and max pooling, then a dense layer."""
    return cnn(params, x)


@program(lambda d: (cnn_params(d), d.normal(2, 16, 16, 1), d.integers(0, 10, 2)), metadata=True)
def cnn_train_step(params, x, labels):
    """Gradients through convolution and max pooling, and a descent step."""
    def loss(p):
        return -jnp.mean(jnp.sum(jax.nn.log_softmax(cnn(p, x)) * jax.nn.one_hot(labels, 10), -1))
    value, grads = jax.value_and_grad(loss)(params)
    return value, jax.tree.map(lambda p, g: p - 0.05 * g, params, grads)


@program(lambda d: (resnet_params(d), d.normal(2, 8, 8, 8)))
def resnet_block_forward(params, x):
    """A residual block with stride, batch norm and a projected shortcut."""
    return resnet_block(params, x)


@program(lambda d: (resnet_params(d), d.normal(2, 8, 8, 8)), metadata=True)
def resnet_block_backward(params, x):
    """Gradients of a residual block for its weights and input."""
    return jax.grad(lambda p, x: jnp.mean(resnet_block(p, x) ** 2), (0, 1))(params, x)


@program(lambda d: (d.normal(1, 12, 12, 8), d.weights(1, 1, 8, 24), d.weights(3, 3, 1, 24), d.weights(24, 6), d.weights(6, 24),
                    d.weights(1, 1, 24, 8)))
def inverted_bottleneck(x, expand, depthwise, squeeze, excite, project):
    """A mobile block: expansion, depthwise convolution, squeeze and excite, hard swish."""
    y = jax.nn.hard_swish(conv(x, expand))
    y = jax.nn.relu6(conv(y, depthwise, groups=24))
    gate = jax.nn.hard_sigmoid(jax.nn.relu(jnp.mean(y, (1, 2)) @ squeeze) @ excite)
    return x + conv(y * gate[:, None, None], project)


@program(lambda d: (d.normal(1, 16, 16, 3), d.weights(3, 3, 3, 8), d.weights(3, 3, 8, 16), d.weights(2, 2, 16, 8),
                    d.weights(3, 3, 16, 4)))
def small_unet(x, w1, w2, up, w3):
    """Down, up by transposed convolution, and a skip connection."""
    a = jax.nn.leaky_relu(conv(x, w1))
    b = jax.nn.leaky_relu(conv(a, w2, 2))
    c = lax.conv_transpose(b, up, (2, 2), "SAME", dimension_numbers=NHWC)
    return jax.nn.sigmoid(conv(jnp.concatenate([a, c], -1), w3))


@program(lambda d: (d.normal(2, 16, 16, 3), d.weights(48, 24), d.normal(24), d.normal(17, 24)))
def patch_embedding(images, weights, first, position):
    """Images cut into 4x4 patches, embedded, with a class token in front."""
    patches = images.reshape(2, 4, 4, 4, 4, 3).transpose(0, 1, 3, 2, 4, 5).reshape(2, 16, 48)
    tokens = patches @ weights
    return jnp.concatenate([jnp.broadcast_to(first, (2, 1, 24)), tokens], 1) + position


@program(lambda d: (d.normal(2, 8, 8, 4), d.normal(2, 4, 4, 4)))
def max_pool_gradient(x, cotangent):
    """Max pooling and its gradient (select-and-scatter)."""
    y, pull = jax.vjp(pool_max, x)
    return y, pull(cotangent)[0]


@program(lambda d: (d.normal(2, 9, 9, 4),))
def average_pool_gradient(x):
    """Average pooling over overlapping padded windows, and its gradient."""
    def pool(x):
        total = lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        count = lax.reduce_window(jnp.ones_like(x), 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        return total / count
    return pool(x), jax.grad(lambda x: jnp.sum(pool(x) ** 2))(x)


@program(lambda d: (d.integers(0, 256, 12, 12, 3, dtype="uint8"),))
def resize_image(image):
    """A byte image scaled up bilinearly and by nearest neighbours, rounded back to bytes."""
    # The offset keeps the rounding away from ties, where the last bit would decide.
    x = image.astype(jnp.float32)
    smooth = jax.image.resize(x, (18, 20, 3), "bilinear")
    coarse = jax.image.resize(x, (7, 24, 3), "nearest")
    return jnp.clip(jnp.round(smooth + 0.137), 0, 255).astype(jnp.uint8), coarse.astype(jnp.uint8)


@program(lambda d: (d.uniform(0, 1, 20, 20, 3), d.integers(0, 5, 2), d.booleans(), d.uniform(0.8, 1.2)))
def augment_image(image, corner, flip, contrast):
    """Random crop by dynamic slice, conditional flip, contrast and grey levels."""
    crop = lax.dynamic_slice(image, (corner[0], corner[1], 0), (16, 16, 3))
    crop = lax.cond(flip, lambda c: c[:, ::-1], lambda c: c, crop)
    crop = jnp.clip((crop - 0.5) * contrast + 0.5, 0, 1)
    return crop, crop @ jnp.array([0.299, 0.587, 0.114])


@program(lambda d: (d.uniform(0, 1, 24, 24),))
def edge_detection(image):
    """Sobel gradients by convolution, magnitude, direction and non-maximum suppression."""
    kernel = jnp.array([[1.0, 2, 1], [0, 0, 0], [-1, -2, -1]])
    both = jnp.stack([kernel, kernel.T])[:, None]
    g = lax.conv_general_dilated(image[None, None], both, (1, 1), "SAME")[0]
    size, angle = jnp.hypot(g[0], g[1]), jnp.arctan2(g[0], g[1])
    peak = lax.reduce_window(size, -jnp.inf, lax.max, (3, 3), (1, 1), "SAME")
    return jnp.where(size == peak, size, 0), angle


@program(lambda d: (d.integers(0, 2, 20, 20),))
def morphology(mask):
    """Erosion, dilation and the distance to the background by repeated min-windows."""
    window = lambda x, init, op: lax.reduce_window(x, init, op, (3, 3), (1, 1), "SAME")
    big = jnp.where(mask > 0, 100, 0)
    distance = lax.fori_loop(0, 6, lambda _, x: jnp.minimum(x, window(x, 100, lax.min) + 1), big)
    return window(mask, 1, lax.min), window(mask, 0, lax.max), distance
