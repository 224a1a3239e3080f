#!/usr/bin/env python3
"""HLO text of whole models, made without JAX: a BERT-like encoder and a ResNet-50-like network.

    bench/models.py bert [--layers=4] [--batch=4] [--sequence=128] [--hidden=256] [--heads=8] [--sharded] > bert.hlo
    bench/models.py resnet [--depths=3,4,6,3] [--batch=1] [--size=128] [--order=nchw|nhwc] > resnet.hlo

BERT: embeddings, attention with a padding mask, GELU, layer normalization, a pooler. ResNet: bottlenecks with batch
normalization folded into a scale and an offset; `nchw` is how PyTorch has it, with features before places. --sharded
lays BERT's heads and hidden units over 8 devices. Both are written as a front end would: op by op, nothing simplified.
"""
import argparse
import math


class Program:
    """Instructions of an entry computation, with what they call before it."""

    def __init__(self):
        self.lines, self.parameters, self.count = [], [], 0

    def shape(self, sizes, kind="f32"):
        order = ",".join(str(d) for d in reversed(range(len(sizes))))
        return f"{kind}[{','.join(map(str, sizes))}]" + (f"{{{order}}}" if sizes else "")

    def add(self, sizes, op, kind="f32", name=None, sharding=None):
        self.count += 1
        name = name or f"v{self.count}"
        mark = f", sharding={{{sharding}}}" if sharding else ""
        self.lines.append(f"  {name} = {self.shape(sizes, kind)} {op}{mark}")
        return name

    def parameter(self, sizes, name, kind="f32", sharding=None):
        self.parameters.append(name)
        return self.add(sizes, f"parameter({len(self.parameters) - 1})", kind, name, sharding)

    def constant(self, value, kind="f32"):
        return self.add((), f"constant({value})", kind)

    def spread(self, x, sizes, dims=(), kind="f32"):
        return self.add(sizes, f"broadcast({x}), dimensions={{{','.join(map(str, dims))}}}", kind)

    def full(self, value, sizes):
        return self.spread(self.constant(value), sizes)

    def two(self, op, a, b, sizes):
        return self.add(sizes, f"{op}({a}, {b})")

    def reduce(self, x, sizes, dims, how):
        start = self.constant("0" if how == "add" else "-inf")
        kept = [size for d, size in enumerate(sizes) if d not in dims]
        return self.add(kept, f"reduce({x}, {start}), dimensions={{{','.join(map(str, dims))}}}, to_apply={how}_f32")

    def text(self, name, root):
        body = [f"  ROOT {line[2:]}" if line.startswith(f"  {root} = ") else line for line in self.lines]
        reducers = "".join(f"{op}_f32 {{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                           f"  ROOT r = f32[] {op}(a, b)\n}}\n\n" for op in ("add", "maximum"))
        return f"HloModule {name}\n\n{reducers}ENTRY main {{\n" + "\n".join(body) + "\n}\n"


def bert(layers=4, batch=4, sequence=128, hidden=256, heads=8, vocabulary=1000, sharded=False):
    p = Program()
    depth, inner = hidden // heads, 4 * hidden
    tokens = (batch, sequence, hidden)
    columns, rows, vector = ("devices=[1,8]<=[8]", "devices=[8,1]<=[8]", "devices=[8]<=[8]") if sharded else (None,) * 3

    def dense(x, name, into, out, split=None):
        """x·W + b; x is [batch, sequence, into]."""
        w = p.parameter((into, out), f"{name}_w", sharding=split)
        bias = p.parameter((out,), f"{name}_b", sharding=vector if split == columns else None)
        y = p.add((batch, sequence, out), f"dot({x}, {w}), lhs_contracting_dims={{2}}, rhs_contracting_dims={{0}}")
        return p.two("add", y, p.spread(bias, (batch, sequence, out), (2,)), (batch, sequence, out))

    def normalize(x, name):
        mean = p.two("divide", p.reduce(x, tokens, (2,), "add"), p.full(hidden, tokens[:2]), tokens[:2])
        centered = p.two("subtract", x, p.spread(mean, tokens, (0, 1)), tokens)
        squares = p.reduce(p.two("multiply", centered, centered, tokens), tokens, (2,), "add")
        variance = p.two("divide", squares, p.full(hidden, tokens[:2]), tokens[:2])
        deviation = p.add(tokens[:2], f"sqrt({p.two('add', variance, p.full('1e-06', tokens[:2]), tokens[:2])})")
        normal = p.two("divide", centered, p.spread(deviation, tokens, (0, 1)), tokens)
        scale, offset = p.parameter((hidden,), f"{name}_scale"), p.parameter((hidden,), f"{name}_offset")
        return p.two("add", p.two("multiply", normal, p.spread(scale, tokens, (2,)), tokens), p.spread(offset, tokens, (2,)), tokens)

    def attention(x, name):
        split, scores = (batch, heads, sequence, depth), (batch, heads, sequence, sequence)

        def by_head(y):
            y = p.add((batch, sequence, heads, depth), f"reshape({y})")
            return p.add(split, f"transpose({y}), dimensions={{0,2,1,3}}")

        q, k, v = (by_head(dense(x, f"{name}_{which}", hidden, hidden, columns)) for which in "qkv")
        s = p.add(scores, f"dot({q}, {k}), lhs_batch_dims={{0,1}}, lhs_contracting_dims={{3}}, rhs_batch_dims={{0,1}}, rhs_contracting_dims={{3}}")
        # 1/sqrt(depth), as a front end leaves it: computed from constants.
        root = p.add((), f"sqrt({p.constant(depth)})")
        s = p.two("multiply", s, p.spread(p.two("divide", p.constant(1), root, ()), scores), scores)
        s = p.two("add", s, p.spread(bias, scores, (0, 3)), scores)
        largest = p.reduce(s, scores, (3,), "maximum")
        e = p.add(scores, f"exponential({p.two('subtract', s, p.spread(largest, scores, (0, 1, 2)), scores)})")
        e = p.two("divide", e, p.spread(p.reduce(e, scores, (3,), "add"), scores, (0, 1, 2)), scores)
        o = p.add(split, f"dot({e}, {v}), lhs_batch_dims={{0,1}}, lhs_contracting_dims={{3}}, rhs_batch_dims={{0,1}}, rhs_contracting_dims={{2}}")
        o = p.add((batch, sequence, heads, depth), f"transpose({o}), dimensions={{0,2,1,3}}")
        return dense(p.add(tokens, f"reshape({o})"), f"{name}_o", hidden, hidden, rows)

    def gelu(x, sizes):
        cube = p.two("multiply", p.two("multiply", x, x, sizes), x, sizes)
        inside = p.two("add", x, p.two("multiply", cube, p.full(0.044715, sizes), sizes), sizes)
        t = p.add(sizes, f"tanh({p.two('multiply', inside, p.full(math.sqrt(2 / math.pi), sizes), sizes)})")
        half = p.two("multiply", x, p.full(0.5, sizes), sizes)
        return p.two("multiply", half, p.two("add", t, p.full(1, sizes), sizes), sizes)

    ids = p.parameter((batch, sequence), "ids", "s32")
    lengths = p.parameter((batch,), "lengths", "s32")
    words = p.parameter((vocabulary, hidden), "words")
    positions = p.parameter((sequence, hidden), "positions")
    # Where a place is past its sentence's end, the softmax is to see almost nothing.
    places = p.add((batch, sequence), "iota(), iota_dimension=1", "s32")
    seen = p.add((batch, sequence), f"compare({places}, {p.spread(lengths, (batch, sequence), (0,), 's32')}), direction=LE", "pred")
    seen = p.add((batch, sequence), f"convert({seen})")
    bias = p.two("multiply", p.two("subtract", p.full(1, (batch, sequence)), seen, (batch, sequence)), p.full(-10000, (batch, sequence)), (batch, sequence))
    x = p.add(tokens, f"gather({words}, {ids}), offset_dims={{2}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=2, slice_sizes={{1,{hidden}}}")
    x = p.two("add", x, p.spread(positions, tokens, (1, 2)), tokens)
    x = normalize(x, "embedding")
    for layer in range(layers):
        x = normalize(p.two("add", x, attention(x, f"l{layer}"), tokens), f"l{layer}_a")
        h = gelu(dense(x, f"l{layer}_up", hidden, inner, columns), (batch, sequence, inner))
        x = normalize(p.two("add", x, dense(h, f"l{layer}_down", inner, hidden, rows), tokens), f"l{layer}_f")
    first = p.add((batch, 1, hidden), f"slice({x}), slice={{[0:{batch}], [0:1], [0:{hidden}]}}")
    first = p.add((batch, hidden), f"reshape({first})")
    pooler, offset = p.parameter((hidden, hidden), "pooler_w"), p.parameter((hidden,), "pooler_b")
    y = p.add((batch, hidden), f"dot({first}, {pooler}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}")
    root = p.add((batch, hidden), f"tanh({p.two('add', y, p.spread(offset, (batch, hidden), (1,)), (batch, hidden))})")
    return p.text("bert, num_partitions=8" if sharded else "bert", root)


def resnet(depths=(3, 4, 6, 3), batch=1, size=128, order="nchw", width=64):
    p = Program()
    nchw = order == "nchw"

    def sizes(features, places):
        return (batch, features, places, places) if nchw else (batch, places, places, features)

    feature, places_dims = (1, (2, 3)) if nchw else (3, (1, 2))

    def block(x, into, out, places, window, stride, name, relu=True):
        """Convolution, scale and offset, perhaps ReLU."""
        kernel = (out, into, window, window) if nchw else (window, window, into, out)
        w = p.parameter(kernel, f"{name}_w")
        pad, after = window // 2, places // stride
        spec = f"size={window}x{window}" + (f" stride={stride}x{stride}" if stride > 1 else "")
        if pad:
            low = pad - (stride - 1) if stride > 1 and window > 1 else pad
            spec += f" pad={low}_{pad}x{low}_{pad}"
        labels = "bf01_oi01->bf01" if nchw else "b01f_01io->b01f"
        shape = sizes(out, after)
        y = p.add(shape, f"convolution({x}, {w}), window={{{spec}}}, dim_labels={labels}")
        # As trained weights do, keeps sums of so many terms from growing.
        scale, offset = p.parameter((out,), f"{name}_scale"), p.parameter((out,), f"{name}_offset")
        scale = p.two("multiply", scale, p.full(round((into * window * window) ** -0.5, 6), (out,)), (out,))
        y = p.two("multiply", y, p.spread(scale, shape, (feature,)), shape)
        y = p.two("add", y, p.spread(offset, shape, (feature,)), shape)
        return p.two("maximum", y, p.full(0, shape), shape) if relu else y

    x = p.parameter(sizes(3, size), "image")
    x = block(x, 3, width, size, 7, 2, "stem")
    places = size // 4
    window = "1x1x2x2" if nchw else "1x2x2x1"
    low = p.constant("-inf")
    x = p.add(sizes(width, places), f"reduce-window({x}, {low}), window={{size={window} stride={window}}}, to_apply=maximum_f32")
    features = width
    for stage, depth in enumerate(depths):
        inner, out = width << stage, (width << stage) * 4
        for k in range(depth):
            name, stride = f"s{stage}b{k}", 2 if k == 0 and stage > 0 else 1
            y = block(x, features, inner, places, 1, 1, name + "a")
            y = block(y, inner, inner, places, 3, stride, name + "b")
            y = block(y, inner, out, places // stride, 1, 1, name + "c", relu=False)
            if k == 0:
                x = block(x, features, out, places, 1, stride, name + "s", relu=False)
            places, features = places // stride, out
            shape = sizes(features, places)
            x = p.two("maximum", p.two("add", x, y, shape), p.full(0, shape), shape)
    pooled = p.reduce(x, sizes(features, places), places_dims, "add")
    pooled = p.two("divide", pooled, p.full(places * places, (batch, features)), (batch, features))
    w, offset = p.parameter((features, 1000), "top_w"), p.parameter((1000,), "top_b")
    y = p.add((batch, 1000), f"dot({pooled}, {w}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}")
    root = p.two("add", y, p.spread(offset, (batch, 1000), (1,)), (batch, 1000))
    return p.text("resnet", root)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    models = parser.add_subparsers(dest="model", required=True)
    b = models.add_parser("bert")
    for name, value in (("layers", 4), ("batch", 4), ("sequence", 128), ("hidden", 256), ("heads", 8)):
        b.add_argument(f"--{name}", type=int, default=value)
    b.add_argument("--sharded", action="store_true")
    r = models.add_parser("resnet")
    r.add_argument("--depths", type=lambda text: tuple(map(int, text.split(","))), default=(3, 4, 6, 3))
    r.add_argument("--batch", type=int, default=1)
    r.add_argument("--size", type=int, default=128)
    r.add_argument("--order", choices=("nchw", "nhwc"), default="nchw")
    options = vars(parser.parse_args())
    print({"bert": bert, "resnet": resnet}[options.pop("model")](**options), end="")


if __name__ == "__main__":
    main()
