"""Pairs of modules that compute the same, with transposes around their dots and convolutions and without: PAIRS[name](transposed)
is the text of one. For bench/layouts.py, which compares their times. Both take and give the same arrays, but for "heads of attention" and
"mixer", which HLO cannot write without transposes: there the plain one's lie as its dots give them.
"""
from models import Program

CONTRACT = "lhs_contracting_dims={{{0}}}, rhs_contracting_dims={{{1}}}"
BATCHED = "lhs_batch_dims={{{0}}}, lhs_contracting_dims={{{1}}}, rhs_batch_dims={{{2}}}, rhs_contracting_dims={{{3}}}"


def turned(p, x, sizes, order, kind="f32"):
    """x, of these sizes, with its dimensions in that order; and the sizes that it then has."""
    after = tuple(sizes[d] for d in order)
    return p.add(after, f"transpose({x}), dimensions={{{','.join(map(str, order))}}}", kind), after


def gelu(p, x, sizes):
    t = p.add(sizes, f"tanh({p.two('multiply', x, p.full(0.8, sizes), sizes)})")
    return p.two("multiply", p.two("multiply", x, p.full(0.5, sizes), sizes), p.two("add", t, p.full(1, sizes), sizes), sizes)


def softmax(p, x, sizes):
    last = len(sizes) - 1
    kept = tuple(range(last))
    e = p.add(sizes, f"exponential({p.two('subtract', x, p.spread(p.reduce(x, sizes, (last,), 'maximum'), sizes, kept), sizes)})")
    return p.two("divide", e, p.spread(p.reduce(e, sizes, (last,), "add"), sizes, kept), sizes)


def transposed_weights(transposed):
    """Weights stored as [out, in], as PyTorch has them."""
    p, sizes = Program(), (256, 512)
    x = p.parameter(sizes, "x")
    for k in range(3):
        w = p.parameter((512, 512), f"w{k}")
        if transposed:
            w, _ = turned(p, w, (512, 512), (1, 0))
        x = gelu(p, p.add(sizes, f"dot({x}, {w}), {CONTRACT.format(1, 0 if transposed else 1)}"), sizes)
    return p.text("weights", x)


def transposed_results(transposed):
    """Between dots the rows are columns."""
    p, sizes, other = Program(), (384, 512), (512, 384)
    x = p.parameter(sizes, "x")
    for k in range(3):
        w, bias = p.parameter((512, 512), f"w{k}"), p.parameter((512,), f"b{k}")
        y = p.add(sizes, f"dot({x}, {w}), {CONTRACT.format(1, 0)}")
        if transposed:
            y, _ = turned(p, y, sizes, (1, 0))
            y = gelu(p, p.two("add", y, p.spread(bias, other, (0,)), other), other)
            x, _ = turned(p, y, other, (1, 0))
        else:
            x = gelu(p, p.two("add", y, p.spread(bias, sizes, (1,)), sizes), sizes)
    return p.text("results", x)


def batch_dots(transposed, kind="f32"):
    """Products of batches of matrices, each of which takes and gives the other order of rows and columns."""
    p, sizes = Program(), (8, 192, 192)
    x = p.parameter(sizes, "x", kind)
    for k in range(4):
        w = p.parameter(sizes, f"w{k}", kind)
        if transposed:
            t, _ = turned(p, x, sizes, (0, 2, 1), kind)
            d = p.add(sizes, f"dot({t}, {w}), {BATCHED.format(0, 1, 0, 1)}", kind)
            v, _ = turned(p, d, sizes, (0, 2, 1), kind)
            x, _ = turned(p, p.add(sizes, f"tanh({v})", kind), sizes, (0, 2, 1), kind)
        else:
            x = p.add(sizes, f"tanh({p.add(sizes, f'dot({x}, {w}), {BATCHED.format(0, 2, 0, 1)}', kind)})", kind)
    return p.text("batch_dots", x)


def heads(transposed, batch=4, places=128, count=8, depth=32):
    """Attention of several heads, split from the hidden units and joined to them again."""
    p = Program()
    split, apart = (batch, count, places, depth), (batch, places, count, depth)
    inputs = []
    for name in "qkv":
        if transposed:
            x = p.parameter((batch, places, count * depth), name)
            inputs.append(turned(p, p.add(apart, f"reshape({x})"), apart, (0, 2, 1, 3))[0])
        else:
            inputs.append(p.parameter(split, name))
    q, k, v = inputs
    scores = (batch, count, places, places)
    s = p.add(scores, f"dot({q}, {k}), {BATCHED.format('0,1', 3, '0,1', 3)}")
    o = p.add(split, f"dot({softmax(p, s, scores)}, {v}), {BATCHED.format('0,1', 3, '0,1', 2)}")
    if transposed:
        o = p.add((batch, places, count * depth), f"reshape({turned(p, o, split, (0, 2, 1, 3))[0]})")
    return p.text("heads", o)


def keys(transposed):
    """Attention that transposes its keys, and then its scores."""
    p = Program()
    sizes, scores = (8, 256, 64), (8, 256, 256)
    q, k, v = (p.parameter(sizes, name) for name in "qkv")
    if transposed:
        t, _ = turned(p, q, sizes, (0, 2, 1))
        s = p.add(scores, f"dot({k}, {t}), {BATCHED.format(0, 2, 0, 1)}")
        s, _ = turned(p, s, scores, (0, 2, 1))
    else:
        s = p.add(scores, f"dot({q}, {k}), {BATCHED.format(0, 2, 0, 2)}")
    return p.text("keys", p.add(sizes, f"dot({softmax(p, s, scores)}, {v}), {BATCHED.format(0, 2, 0, 1)}"))


def mixer(transposed):
    """MLP-Mixer's block: products along the places, then along the features."""
    p, sizes, other = Program(), (8, 196, 128), (8, 128, 196)
    x = p.parameter(sizes if transposed else other, "x")
    for k in range(2):
        w, u = p.parameter((196, 196), f"w{k}"), p.parameter((128, 128), f"m{k}")
        if transposed:
            t, _ = turned(p, x, sizes, (0, 2, 1))
            y = gelu(p, p.add(other, f"dot({t}, {w}), {CONTRACT.format(2, 0)}"), other)
            x = p.two("add", x, turned(p, y, other, (0, 2, 1))[0], sizes)
            x = gelu(p, p.add(sizes, f"dot({x}, {u}), {CONTRACT.format(2, 0)}"), sizes)
        else:
            y = gelu(p, p.add(other, f"dot({x}, {w}), {CONTRACT.format(2, 0)}"), other)
            x = p.two("add", x, y, other)
            y = p.add((128, 8, 196), f"dot({u}, {x}), {CONTRACT.format(0, 1)}")
            x = gelu(p, turned(p, y, (128, 8, 196), (1, 0, 2))[0], other)
    return p.text("mixer", x)


def sequence_first(transposed):
    """Arrays of [places, batch, features], which layer normalization and dots take as [batch, places, features]."""
    p, sizes, first = Program(), (8, 128, 256), (128, 8, 256)
    x = p.parameter(first, "x")
    for k in range(3):
        y, now = turned(p, x, first, (1, 0, 2)) if transposed else (x, first)
        mean = p.two("multiply", p.reduce(y, now, (2,), "add"), p.full(1 / 256, now[:2]), now[:2])
        y = p.two("subtract", y, p.spread(mean, now, (0, 1)), now)
        w = p.parameter((256, 256), f"w{k}")
        y = p.add(now, f"dot({y}, {w}), {CONTRACT.format(2, 0)}")
        if transposed:
            y, _ = turned(p, y, sizes, (1, 0, 2))
        x = p.two("add", x, y, first)
    return p.text("sequence_first", x)


def convolution(p, x, w, sizes, spec, labels, more=""):
    return p.add(sizes, f"convolution({x}, {w}), window={{{spec}}}, dim_labels={labels}{more}")


SAME = "size=3x3 pad=1_1x1_1"
FIRST, LAST = (2, 64, 28, 28), (2, 28, 28, 64)


def activate(p, x, bias, sizes, feature):
    return p.two("maximum", p.two("add", x, p.spread(bias, sizes, (feature,)), sizes), p.full(0, sizes), sizes)


def turned_convolution(p, x, w, sizes, after, kernel, spec, transposed, more=""):
    """Of arrays [batch, features, y, x] and weights [out, in, y, x]; or of the transposes, features last."""
    if not transposed:
        return convolution(p, x, w, after, spec, "bf01_oi01->bf01", more)
    t, _ = turned(p, x, sizes, (0, 2, 3, 1))
    w, _ = turned(p, w, kernel, (2, 3, 1, 0))
    last = (after[0], after[2], after[3], after[1])
    y = convolution(p, t, w, last, spec, "b01f_01io->b01f", more)
    return turned(p, y, last, (0, 3, 1, 2))[0]


def around_convolutions(transposed):
    """Arrays with their features last; each convolution is written features first."""
    p = Program()
    x = p.parameter(LAST, "x")
    for k in range(3):
        w, bias = p.parameter((3, 3, 64, 64), f"w{k}"), p.parameter((64,), f"b{k}")
        if transposed:
            t, _ = turned(p, x, LAST, (0, 3, 1, 2))
            y = activate(p, convolution(p, t, w, FIRST, SAME, "bf01_01io->bf01"), bias, FIRST, 1)
            x, _ = turned(p, y, FIRST, (0, 2, 3, 1))
        else:
            x = activate(p, convolution(p, x, w, LAST, SAME, "b01f_01io->b01f"), bias, LAST, 3)
    return p.text("around_convolutions", x)


def between_convolutions(transposed):
    """Arrays with their features first; each convolution is written features last."""
    p = Program()
    x = p.parameter(FIRST, "x")
    for k in range(3):
        w, bias = p.parameter((64, 64, 3, 3), f"w{k}"), p.parameter((64,), f"b{k}")
        y = turned_convolution(p, x, w, FIRST, FIRST, (64, 64, 3, 3), SAME, transposed)
        x = activate(p, y, bias, FIRST, 1)
    return p.text("between_convolutions", x)


def bottleneck(transposed):
    """1x1, 3x3, 1x1 and a sum."""
    p = Program()
    wide, narrow = (2, 256, 28, 28), FIRST
    x = p.parameter(wide, "x")
    for k in range(2):
        y, sizes = x, wide
        for name, into, out, window in (("a", 256, 64, 1), ("b", 64, 64, 3), ("c", 64, 256, 1)):
            kernel, after = (out, into, window, window), wide if out == 256 else narrow
            w, bias = p.parameter(kernel, f"{name}{k}"), p.parameter((out,), f"{name}{k}_bias")
            y = turned_convolution(p, y, w, sizes, after, kernel, SAME if window == 3 else "size=1x1", transposed)
            y, sizes = activate(p, y, bias, after, 1), after
        x = p.two("add", x, y, wide)
    return p.text("bottleneck", x)


def transposed_convolution(transposed):
    """What makes an image larger."""
    p = Program()
    small, kernel = (2, 64, 14, 14), (64, 64, 3, 3)
    w, bias = p.parameter(kernel, "w"), p.parameter((64,), "b")
    x = activate(p, p.parameter(small, "x"), bias, small, 1)
    y = turned_convolution(p, x, w, small, FIRST, kernel, "size=3x3 pad=1_2x1_2 lhs_dilate=2x2", transposed)
    return p.text("transposed_convolution", activate(p, y, bias, FIRST, 1))


def depthwise(transposed):
    """Each feature by itself, then a 1x1 convolution."""
    p = Program()
    x = p.parameter(FIRST, "x")
    for k in range(2):
        w, bias = p.parameter((64, 1, 3, 3), f"w{k}"), p.parameter((64,), f"b{k}")
        x = turned_convolution(p, x, w, FIRST, FIRST, (64, 1, 3, 3), SAME, transposed, ", feature_group_count=64")
        x = activate(p, x, bias, FIRST, 1)
        m = p.parameter((64, 64, 1, 1), f"m{k}")
        x = activate(p, turned_convolution(p, x, m, FIRST, FIRST, (64, 64, 1, 1), "size=1x1", transposed), bias, FIRST, 1)
    return p.text("depthwise", x)


def pooled(transposed):
    """A pool between convolutions."""
    p = Program()
    half, kernel = (2, 64, 14, 14), (64, 64, 3, 3)
    x = p.parameter(FIRST, "x")
    w, v, bias = p.parameter(kernel, "w"), p.parameter(kernel, "v"), p.parameter((64,), "b")
    x = activate(p, turned_convolution(p, x, w, FIRST, FIRST, kernel, SAME, transposed), bias, FIRST, 1)
    window, low = "1x1x2x2", p.constant("-inf")
    x = p.add(half, f"reduce-window({x}, {low}), window={{size={window} stride={window}}}, to_apply=maximum_f32")
    x = turned_convolution(p, x, v, half, half, kernel, SAME, transposed)
    return p.text("pooled", activate(p, x, bias, half, 1))


PAIRS = {
    "transposed weights": transposed_weights,
    "transposes between dots": transposed_results,
    "batch dots": batch_dots,
    "batch dots, bf16": lambda transposed: batch_dots(transposed, "bf16"),
    "heads of attention": heads,
    "attention, keys transposed": keys,
    "mixer": mixer,
    "sequence first": sequence_first,
    "transposes around convolutions": around_convolutions,
    "transposes between convolutions": between_convolutions,
    "bottleneck": bottleneck,
    "transposed convolution": transposed_convolution,
    "depthwise": depthwise,
    "pooled": pooled,
}
