"""Programs that bench/compare_stablehlo.py lowers: NAME -> (function, arguments), over most of what JAX can print.

Arguments are shapes as text, f32[2,3], or arrays for what must be known; values are drawn by compare_stablehlo.py.
"""
import functools
import re

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
from jax import lax

PROGRAMS = {}
TYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128",
         "s8": "int8", "s16": "int16", "s32": "int32", "s64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32",
         "u64": "uint64", "pred": "bool", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2"}


def spec(text):
    if not isinstance(text, str):
        return text
    kind, sizes = re.fullmatch(r"(\w+)\[([\d,]*)\]", text).groups()
    return jax.ShapeDtypeStruct(tuple(int(n) for n in sizes.split(",") if n), TYPES[kind])


def add(name, function, *arguments, **options):
    assert name not in PROGRAMS, name
    PROGRAMS[name] = (function, [jax.tree.map(spec, a) for a in arguments], options)


def program(*arguments, **options):
    return lambda function: add(function.__name__, function, *arguments, **options) or function


# ---- functions of one and two arrays, by type ----
FLOATS, COMPLEX = ("f32", "bf16", "f64"), ("c64",)
for name, kinds in {
        "sinh": FLOATS + COMPLEX, "cosh": FLOATS + COMPLEX, "tan": FLOATS + COMPLEX, "arcsin": FLOATS + COMPLEX,
        "arccos": FLOATS + COMPLEX, "arctan": FLOATS + COMPLEX, "arcsinh": FLOATS + COMPLEX, "arccosh": FLOATS + COMPLEX,
        "arctanh": FLOATS + COMPLEX, "exp": COMPLEX, "log": COMPLEX, "log1p": COMPLEX, "sqrt": COMPLEX, "expm1": COMPLEX,
        "square": ("f32", "c64", "s32"), "reciprocal": ("f32", "c64"), "sinc": ("f32",), "exp2": ("f32", "bf16"),
        "log2": ("f32",), "log10": ("f64",), "cbrt": ("f32",), "deg2rad": ("f32",), "sign": ("c64", "s8", "u8", "f32"),
        "angle": ("c64",), "conj": ("c64",), "nan_to_num": ("f32",), "rint": ("f32",), "trunc": ("f64",), "i0": ("f32",),
        "isnan": ("c64", "bf16"), "signbit": ("f32",), "bitwise_count": ("u32", "s16"), "invert": ("s32", "pred")}.items():
    for kind in kinds:
        add(f"{name}_{kind}", getattr(jnp, name), f"{kind}[3,5]")
for name, kinds in {
        "arctan2": ("f32", "bf16"), "hypot": ("f32",), "logaddexp": ("f32", "c64"), "logaddexp2": ("f32",),
        "floor_divide": ("f32", "s32", "u32"), "remainder": ("f32", "s32"), "fmod": ("f32", "s32"), "divmod": ("s32", "f32"),
        "power": ("f32", "s32", "c64"), "float_power": ("f32",), "copysign": ("f32",), "heaviside": ("f32",),
        "nextafter": ("f32", "f64"), "ldexp": (), "gcd": ("s32",), "lcm": ("s32",), "maximum": ("c64", "s8", "bf16"),
        "left_shift": ("s32", "u8"), "right_shift": ("s32", "u8"), "fmax": ("f32",), "equal": ("c64", "pred"),
        "true_divide": ("s32",), "kron": ("f32",), "outer": ("s16",), "cross": ()}.items():
    for kind in kinds:
        add(f"{name}_{kind}", getattr(jnp, name), f"{kind}[2,3]", f"{kind}[2,3]")
add("ldexp", jnp.ldexp, "f32[4]", "s32[4]")
add("cross", jnp.cross, "f32[5,3]", "f32[5,3]")
for name in "erf erfc erfinv gammaln digamma i0e i1e i1 ndtr ndtri log_ndtr expit logit entr xlogy spence exp1 expi factorial".split():
    f = getattr(jsp.special, name)
    add(f"special_{name}", f, *(["f32[6]"] * (2 if name == "xlogy" else 1)))
for name in "erf erfc erfinv gammaln digamma i1e".split():
    add(f"special_{name}_f64", getattr(jsp.special, name), "f64[6]")
add("special_betainc", jsp.special.betainc, "f32[4]", "f32[4]", "f32[4]")
add("special_gammainc", jsp.special.gammainc, "f32[4]", "f32[4]")
add("special_gammaincc", jsp.special.gammaincc, "f32[4]", "f32[4]")
add("special_zeta", jsp.special.zeta, "f32[4]", "f32[4]")
add("special_polygamma", lambda x: jsp.special.polygamma(2, x), "f32[4]")
add("special_betaln", jsp.special.betaln, "f32[4]", "f32[4]")
add("special_logsumexp", lambda x: jsp.special.logsumexp(x, axis=1, keepdims=True), "f32[4,7]")
add("special_softmax", lambda x: jsp.special.softmax(x, axis=0), "f32[4,7]")
add("special_multigammaln", lambda x: jsp.special.multigammaln(x, 3), "f32[4]")
add("special_rel_entr", jsp.special.rel_entr, "f32[4]", "f32[4]")
add("special_bernoulli", lambda: jsp.special.bernoulli(8))
add("special_lpmn", lambda x: jsp.special.sph_harm_y(jnp.array([2]), jnp.array([3]), x, x, n_max=3), "f32[1]")

# ---- reductions, orders, shapes ----
for name in ("sum prod max min mean var std all any argmax argmin median ptp nansum nanmax nanmean nanstd nanargmin count_nonzero "
             "cumsum cumprod nancumsum").split():
    add(f"reduce_{name}", functools.partial(getattr(jnp, name), axis=1), "f32[4,7]")
add("reduce_cummax", lambda x: lax.cummax(x, axis=1), "f32[4,7]")
add("reduce_cumlogsumexp", lambda x: lax.cumlogsumexp(x, axis=0, reverse=True), "f32[4,7]")
add("reduce_sum_s8", lambda x: jnp.sum(x, dtype=jnp.int32), "s8[4,7]")
add("reduce_sum_bf16", lambda x: jnp.sum(x, axis=(0, 2)), "bf16[3,4,5]")
add("reduce_prod_complex", lambda x: jnp.prod(x, axis=0), "c64[3,4]")
add("reduce_quantile", lambda x: jnp.quantile(x, jnp.array([0.1, 0.5]), axis=0), "f32[9,2]")
add("reduce_percentile_lower", lambda x: jnp.percentile(x, 30, method="lower"), "f32[9]")
add("reduce_average", lambda x, w: jnp.average(x, axis=0, weights=w), "f32[4,3]", "f32[4]")
add("reduce_bool", lambda x: (jnp.all(x, axis=0), jnp.any(x, axis=1)), "pred[4,3]")
add("reduce_several", lambda x, y: lax.reduce((x, y), (np.float32(0), np.int32(0)), lambda a, b: (a[0] + b[0], a[1] * b[1]), (1,)),
    "f32[3,4]", "s32[3,4]")
add("reduce_precision_op", lambda x: lax.reduce_precision(x, 5, 10), "f32[4]")
add("histogram", lambda x: jnp.histogram(x, bins=5, range=(0, 1))[0], "f32[20]")
add("bincount", lambda x: jnp.bincount(x, length=6), "s32[20]")
add("digitize", lambda x: jnp.digitize(x, jnp.array([0., 0.5, 1.])), "f32[7]")
add("searchsorted", lambda a, v: jnp.searchsorted(a, v), "f32[9]", "f32[4]")
add("searchsorted_compare_all", lambda a, v: jnp.searchsorted(a, v, method="compare_all"), "f32[9]", "f32[4]")
add("sort_several", lambda x, y: lax.sort((x, y), dimension=0, num_keys=2), "f32[5,2]", "s32[5,2]")
add("sort_descending", lambda x: jnp.sort(x, descending=True, axis=0), "s32[5,2]")
add("sort_complex", jnp.sort_complex, "c64[6]")
add("lexsort", lambda a, b: jnp.lexsort((a, b)), "s32[6]", "s32[6]")
add("argpartition", lambda x: jnp.argpartition(x, 3), "f32[8]")
add("top_k", lambda x: lax.top_k(x, 3), "f32[2,9]")
add("approx_max_k", lambda x: lax.approx_max_k(x, 3), "f32[2,32]")
add("unique_sized", lambda x: jnp.unique(x, size=5, fill_value=0, return_inverse=True), "s32[9]")
add("nonzero_sized", lambda x: jnp.nonzero(x, size=4), "s32[3,3]")
add("where_three", jnp.where, "pred[3,4]", "f32[3,4]", "f32[4]")
add("select_list", lambda x: jnp.select([x > 0, x < -1], [x, -x], 0.5), "f32[6]")
add("piecewise", lambda x: jnp.piecewise(x, [x < 0, x > 1], [jnp.sin, jnp.cos, 2.0]), "f32[6]")
add("select_n", lambda i, a, b, c: lax.select_n(i, a, b, c), "s32[4]", "f32[4]", "f32[4]", "f32[4]")
add("clip", lambda x: jnp.clip(x, -1, 1), "s32[6]")
add("clamp", lax.clamp, "f32[]", "f32[5]", "f32[]")
for name, f in {
        "reshape": lambda x: x.reshape(3, -1).T, "ravel_transpose": lambda x: jnp.ravel(x.transpose(2, 0, 1)),
        "flip": lambda x: jnp.flip(x, (0, 2)), "roll": lambda x: jnp.roll(x, (1, -2), (0, 2)), "rot90": lambda x: jnp.rot90(x),
        "tile": lambda x: jnp.tile(x, (2, 1, 3)), "repeat": lambda x: jnp.repeat(x, 3, axis=1), "swapaxes": lambda x: jnp.swapaxes(x, 0, 2),
        "pad_constant": lambda x: jnp.pad(x, ((1, 2), (0, 0), (3, 1)), constant_values=7),
        "pad_reflect": lambda x: jnp.pad(x, 1, mode="reflect"), "pad_wrap": lambda x: jnp.pad(x, 1, mode="wrap"),
        "pad_edge": lambda x: jnp.pad(x, 1, mode="edge"), "pad_negative": lambda x: lax.pad(x, np.float32(0), ((-1, 2, 1), (0, 0, 0), (1, -1, 0))),
        "split": lambda x: jnp.split(x, 2, axis=2), "stack": lambda x: jnp.stack([x, x + 1], axis=1), "expand": lambda x: x[:, None, ..., None],
        "squeeze_take": lambda x: jnp.squeeze(x[:1], 0), "stride": lambda x: x[::-1, ::2, 1:4:2], "index_fixed": lambda x: x[0, :, -1],
        "diff": lambda x: jnp.diff(x, axis=2, n=2), "gradient": lambda x: jnp.gradient(x, axis=2), "trapezoid": lambda x: jnp.trapezoid(x, axis=0),
        "triu": lambda x: jnp.triu(x, 1), "tril": lambda x: jnp.tril(x), "trace": lambda x: jnp.trace(x, axis1=1, axis2=2),
        "diagonal": lambda x: jnp.diagonal(x, axis1=0, axis2=1), "moveaxis_sum": lambda x: jnp.moveaxis(x, 0, 2).sum(0),
        "broadcast_arith": lambda x: x * x[:, :1] + x[0], "one_hot": lambda x: jax.nn.one_hot(jnp.argmax(x, -1), 6),
        "cov": lambda x: jnp.cov(x[0]), "corrcoef": lambda x: jnp.corrcoef(x[0]), "convolve": lambda x: jnp.convolve(x[0, 0], x[1, 1], mode="same"),
        "polyval": lambda x: jnp.polyval(x[0, 0], x), "vander": lambda x: jnp.vander(x[0, 0], 4), "interp": lambda x: jnp.interp(x[0, 0], jnp.arange(3.), jnp.arange(3.) ** 2),
        "bitcast": lambda x: lax.bitcast_convert_type(x, jnp.int32), "bitcast_narrow": lambda x: lax.bitcast_convert_type(x, jnp.uint8),
        "view_u16": lambda x: x.view(jnp.uint16), "astype_chain": lambda x: x.astype(jnp.int8).astype(jnp.bfloat16).astype(jnp.float32),
        "einsum_trace": lambda x: jnp.einsum("iij->j", x[:2, :2]), "apply_along": lambda x: jnp.apply_along_axis(jnp.cumsum, 1, x)}.items():
    add(f"shape_{name}", f, "f32[2,3,6]")
add("creation", lambda: (jnp.arange(5), jnp.linspace(0, 1, 4), jnp.eye(3), jnp.zeros((2, 0)), jnp.full((2,), 3), jnp.tri(3), jnp.logspace(0, 1, 3)))
add("meshgrid", lambda x, y: jnp.meshgrid(x, y, indexing="ij"), "f32[3]", "f32[2]")
add("indices", lambda: jnp.indices((2, 3)))
add("constants_of_types", lambda x: (x + np.arange(3, dtype=np.float32), x * np.array([1, 2, 3], np.int8), x > np.array([np.inf, -np.inf, np.nan], np.float32)), "f32[3]")
add("constant_large", lambda x: x + np.arange(256, dtype=np.float32).reshape(16, 16), "f32[16,16]")
add("constant_bool", lambda x: jnp.where(np.array([True, False, True]), x, 0), "f32[3]")
add("constant_complex", lambda x: x * np.array([1 + 2j, -1j], np.complex64), "c64[2]")
add("constant_f8", lambda x: x.astype(jnp.float8_e4m3fn).astype(jnp.float32) + 1, "f32[3]")
add("convert_f8", lambda x: (x.astype(jnp.float8_e5m2), x.astype(jnp.float8_e4m3b11fnuz)), "bf16[3]")
add("convert_int4", lambda x: x.astype(jnp.int4).astype(jnp.int32), "s32[3]")

# ---- indexing ----
for name, f, arguments in [
        ("take", lambda x, i: jnp.take(x, i, axis=1), ("f32[4,9]", "s32[3]")),
        ("take_wrap", lambda x, i: jnp.take(x, i, axis=0, mode="wrap"), ("f32[4,9]", "s32[3]")),
        ("take_clip", lambda x, i: jnp.take(x, i, axis=0, mode="clip"), ("f32[4,9]", "s32[3]")),
        ("take_along", lambda x, i: jnp.take_along_axis(x, i, axis=1), ("f32[4,9]", "s32[4,2]")),
        ("advanced", lambda x, i: x[i, 2:5], ("f32[4,9]", "s32[3]")), ("advanced_two", lambda x, i: x[i[:, None], i], ("f32[9,9]", "s32[3]")),
        ("mask_at", lambda x, i: x.at[i].set(1.0), ("f32[9,4]", "s32[3]")), ("at_add", lambda x, i: x.at[i, 1].add(2.0), ("f32[9,4]", "s32[3]")),
        ("at_mul", lambda x, i: x.at[i].multiply(2.0, mode="drop"), ("f32[9]", "s32[3]")), ("at_max", lambda x, i: x.at[:, i].max(0.5), ("f32[4,9]", "s32[3]")),
        ("at_min_unique", lambda x, i: x.at[i].min(0.5, unique_indices=True, indices_are_sorted=True), ("f32[9]", "s32[3]")),
        ("at_get_fill", lambda x, i: x.at[i].get(mode="fill", fill_value=-1), ("f32[9]", "s32[3]")),
        ("dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i, 1), (2, 3)), ("f32[5,6]", "s32[]")),
        ("dynamic_update", lambda x, i: lax.dynamic_update_slice(x, jnp.ones((2, 2)), (i, i)), ("f32[5,6]", "s32[]")),
        ("dynamic_index", lambda x, i: x[i], ("f32[5,6]", "s32[]")), ("dynamic_index_u8", lambda x, i: x[i], ("f32[5,6]", "u8[]")),
        ("dynamic_index_s64", lambda x, i: lax.dynamic_index_in_dim(x, i, 1), ("f32[5,6]", "s64[]")),
        ("segment_sum", lambda x, i: jax.ops.segment_sum(x, i, num_segments=4), ("f32[9,2]", "s32[9]")),
        ("segment_max", lambda x, i: jax.ops.segment_max(x, i, num_segments=4), ("f32[9]", "s32[9]")),
        ("gather_batched", lambda x, i: jax.vmap(lambda a, k: a[k])(x, i), ("f32[3,5]", "s32[3,2]")),
        ("scatter_batched", lambda x, i: jax.vmap(lambda a, k: a.at[k].add(1.0))(x, i), ("f32[3,5]", "s32[3,2]")),
        ("scatter_apply", lambda x, i: x.at[i].apply(jnp.sin), ("f32[5]", "s32[2]")),
        ("put_along", lambda x, i: jnp.put_along_axis(x, i, 1.0, axis=1, inplace=False), ("f32[3,5]", "s32[3,1]")),
        ("choose", lambda x, i: jnp.choose(i, [x, -x], mode="clip"), ("f32[5]", "s32[5]")),
        ("gather_grad", jax.grad(lambda x, i: jnp.sum(x[i] ** 2)), ("f32[6]", "s32[3]")),
        ("embedding", lambda t, i: t[i] @ t.T, ("f32[10,4]", "s32[2,3]"))]:
    add(f"index_{name}", f, *arguments)

# ---- products, convolutions, windows ----
for name, f, arguments in [
        ("matmul", jnp.matmul, ("f32[2,3,4]", "f32[2,4,5]")), ("dot_bf16", jnp.dot, ("bf16[3,4]", "bf16[4,5]")), ("dot_s8", lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32), ("s8[3,4]", "s8[4,5]")),
        ("vdot_complex", jnp.vdot, ("c64[4]", "c64[4]")), ("tensordot", lambda a, b: jnp.tensordot(a, b, ((2, 0), (0, 1))), ("f32[2,3,4]", "f32[4,2,5]")),
        ("einsum_chain", lambda a, b: jnp.einsum("bij,bkj,il->bkl", a, a, b), ("f32[2,3,4]", "f32[3,5]")), ("inner", jnp.inner, ("f32[3,4]", "f32[5,4]")),
        ("highest", lambda a, b: jnp.dot(a, b, precision="highest"), ("f32[3,4]", "f32[4,5]")),
        ("algorithm", lambda a, b: lax.dot(a, b, precision=lax.DotAlgorithmPreset.BF16_BF16_F32_X3), ("f32[3,4]", "f32[4,5]")),
        ("mixed", lambda a, b: lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=jnp.float32), ("bf16[3,4]", "bf16[4,5]")),
        ("f8", lambda a, b: lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=jnp.float32), ("f8e4m3fn[3,4]", "f8e4m3fn[4,5]")),
        ("matmul_grad", jax.grad(lambda a, b: jnp.sum(jnp.tanh(a @ b)), (0, 1)), ("f32[3,4]", "f32[4,5]")),
        ("multi_dot", lambda a, b: jnp.linalg.multi_dot([a, b, a]), ("f32[3,4]", "f32[4,3]")), ("matrix_power", lambda a, b: jnp.linalg.matrix_power(a, 5) @ b, ("f32[3,3]", "f32[3]")),
        ("conv1d", lambda x, w: lax.conv(x, w, (1,), "SAME"), ("f32[1,2,9]", "f32[3,2,3]")),
        ("conv2d_nhwc", lambda x, w: lax.conv_general_dilated(x, w, (2, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")), ("f32[2,8,8,3]", "f32[3,3,3,4]")),
        ("conv2d_dilated", lambda x, w: lax.conv_general_dilated(x, w, (1, 1), [(1, 0), (2, 1)], (2, 1), (1, 2)), ("f32[1,2,5,6]", "f32[3,2,2,2]")),
        ("conv_grouped", lambda x, w: lax.conv_general_dilated(x, w, (1,), "SAME", feature_group_count=2), ("f32[1,4,9]", "f32[6,2,3]")),
        ("conv_batch_group", lambda x, w: lax.conv_general_dilated(x, w, (1,), "SAME", batch_group_count=2), ("f32[4,2,9]", "f32[6,2,3]")),
        ("conv_transpose", lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"), ("f32[1,4,4,2]", "f32[3,3,2,3]")),
        ("conv_grad", jax.grad(lambda x, w: jnp.sum(lax.conv(x, w, (2, 2), "SAME") ** 2), (0, 1)), ("f32[2,2,6,6]", "f32[3,2,3,3]")),
        ("conv3d", lambda x, w: lax.conv(x, w, (1, 1, 1), "VALID"), ("f32[1,1,4,4,4]", "f32[2,1,2,2,2]")),
        ("ragged_dot", lambda a, b: lax.ragged_dot(a, b, jnp.array([1, 3])), ("f32[4,3]", "f32[2,3,5]"))]:
    add(f"product_{name}", f, *arguments)
for name, f in {
        "max_pool": lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME"),
        "sum_dilated": lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 1, 1, 1), "VALID", window_dilation=(1, 2, 1, 1)),
        "sum_base_dilated": lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 1, 1, 1), "VALID", base_dilation=(1, 2, 1, 1)),
        "min_pool": lambda x: lax.reduce_window(x, jnp.inf, lax.min, (1, 3, 1, 1), (1, 1, 1, 1), [(0, 0), (1, 1), (0, 0), (0, 0)]),
        "general": lambda x: lax.reduce_window(x, 1.0, lambda a, b: a * b + 1, (1, 2, 1, 1), (1, 1, 1, 1), "VALID"),
        "max_pool_grad": jax.grad(lambda x: jnp.sum(lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") ** 2)),
        "avg_pool_grad": jax.grad(lambda x: jnp.sum(lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") ** 2)),
        "patches": lambda x: lax.conv_general_dilated_patches(x, (2, 2), (1, 1), "VALID"),
        "local_mean": lambda x: jax.image.resize(x, (2, 3, 3, 3), "linear"), "resize_nearest": lambda x: jax.image.resize(x, (2, 9, 4, 3), "nearest"),
        "resize_cubic": lambda x: jax.image.resize(x, (2, 9, 4, 3), "cubic"), "scale_translate": lambda x: jax.image.scale_and_translate(x, (2, 5, 5, 3), (1, 2), jnp.ones(2), jnp.zeros(2), "linear")}.items():
    add(f"window_{name}", f, "f32[2,6,6,3]")

# ---- linear algebra, transforms, statistics ----
for name, f, arguments in [
        ("cholesky", jnp.linalg.cholesky, ("f32[3,3]",)), ("qr", jnp.linalg.qr, ("f32[4,3]",)), ("svd", lambda x: jnp.linalg.svd(x, full_matrices=False), ("f32[4,3]",)),
        ("eigh", jnp.linalg.eigh, ("f32[3,3]",)), ("eig", jnp.linalg.eig, ("f32[3,3]",)), ("lu", jsp.linalg.lu, ("f32[3,3]",)), ("solve", jnp.linalg.solve, ("f32[3,3]", "f32[3,2]")),
        ("inv", jnp.linalg.inv, ("f32[2,3,3]",)), ("det", jnp.linalg.det, ("f32[3,3]",)), ("slogdet", jnp.linalg.slogdet, ("f32[4,4]",)), ("lstsq", lambda a, b: jnp.linalg.lstsq(a, b)[0], ("f32[5,3]", "f32[5]")),
        ("pinv", jnp.linalg.pinv, ("f32[4,3]",)), ("norm", lambda x: (jnp.linalg.norm(x), jnp.linalg.norm(x, 1), jnp.linalg.norm(x, axis=0, ord=jnp.inf)), ("f32[4,3]",)),
        ("triangular", lambda a, b: jsp.linalg.solve_triangular(a, b, lower=True, trans=1, unit_diagonal=True), ("f32[3,3]", "f32[3,2]")),
        ("cho_solve", lambda a, b: jsp.linalg.cho_solve((a, True), b), ("f32[3,3]", "f32[3]")), ("expm", jsp.linalg.expm, ("f32[3,3]",)), ("block_diag", lambda a: jsp.linalg.block_diag(a, a), ("f32[2,3]",)),
        ("toeplitz", jsp.linalg.toeplitz, ("f32[4]",)), ("schur", jsp.linalg.schur, ("f32[3,3]",)), ("hessenberg", lax.linalg.hessenberg, ("f32[4,4]",)),
        ("tridiagonal_solve", lax.linalg.tridiagonal_solve, ("f32[4]", "f32[4]", "f32[4]", "f32[4,1]")), ("polar", jsp.linalg.polar, ("f32[3,3]",)), ("sqrtm_grad", jax.grad(lambda a: jnp.sum(jnp.linalg.inv(a))), ("f32[3,3]",)),
        ("cholesky_grad", jax.grad(lambda a: jnp.sum(jnp.linalg.cholesky(a))), ("f32[3,3]",)), ("cholesky_c64", jnp.linalg.cholesky, ("c64[3,3]",)), ("lu_pivots", lambda a: lax.linalg.lu_pivots_to_permutation(lax.linalg.lu(a)[1], 4), ("f32[4,4]",)),
        ("cg", lambda a, b: jsp.sparse.linalg.cg(a, b, maxiter=3)[0], ("f32[3,3]", "f32[3]")), ("gmres", lambda a, b: jsp.sparse.linalg.gmres(lambda v: a @ v, b, maxiter=2)[0], ("f32[3,3]", "f32[3]")),
        ("minimize", lambda x: jsp.optimize.minimize(lambda v: jnp.sum((v - 1) ** 2), x, method="BFGS").x, ("f32[3]",)), ("ode", lambda x: jax.experimental.ode.odeint(lambda y, t: -y, x, jnp.arange(3.)), ("f32[2]",)),
        ("fft", jnp.fft.fft, ("c64[3,8]",)), ("ifft2", jnp.fft.ifft2, ("c64[4,4]",)), ("rfft", jnp.fft.rfft, ("f32[3,8]",)), ("irfft", jnp.fft.irfft, ("c64[3,5]",)), ("rfftn", jnp.fft.rfftn, ("f32[2,4,6]",)),
        ("fftshift", lambda x: jnp.fft.fftshift(jnp.fft.fftn(x)), ("f32[4,4]",)), ("fft_grad", jax.grad(lambda x: jnp.sum(jnp.abs(jnp.fft.rfft(x)) ** 2)), ("f32[8]",)), ("dct", jsp.fft.dct, ("f32[8]",)), ("fft_f64", jnp.fft.fft, ("c128[8]",)),
        ("stft", lambda x: jsp.signal.stft(x, nperseg=8)[2], ("f32[32]",)), ("welch", lambda x: jsp.signal.welch(x, nperseg=8)[1], ("f32[32]",)), ("convolve2d", lambda a, b: jsp.signal.convolve2d(a, b, mode="same"), ("f32[5,5]", "f32[3,3]")),
        ("fftconvolve", jsp.signal.fftconvolve, ("f32[9]", "f32[4]")), ("detrend", jsp.signal.detrend, ("f32[9]",)), ("map_coordinates", lambda a, c: jsp.ndimage.map_coordinates(a, [c, c], 1), ("f32[5,5]", "f32[4]")),
        ("kmeans", lambda x: jax.lax.fori_loop(0, 3, lambda i, c: jax.vmap(lambda k: jnp.mean(jnp.where((jnp.argmin(jnp.sum((x[:, None] - c) ** 2, -1), 1) == k)[:, None], x, 0), 0))(jnp.arange(2)), x[:2]), ("f32[6,3]",))]:
    add(f"linear_{name}", f, *arguments)
for name in "norm cauchy expon laplace logistic uniform".split():
    add(f"stats_{name}", lambda x, d=getattr(jsp.stats, name): (d.logpdf(x), d.cdf(x) if hasattr(d, "cdf") else d.pdf(x)), "f32[5]")
add("stats_beta", lambda x: jsp.stats.beta.logpdf(x, 2., 3.), "f32[5]")
add("stats_gamma", lambda x: jsp.stats.gamma.logpdf(x, 2.), "f32[5]")
add("stats_poisson", lambda k: jsp.stats.poisson.logpmf(k, 2.), "s32[5]")
add("stats_t", lambda x: jsp.stats.t.logpdf(x, 3.), "f32[5]")
add("stats_mvn", lambda x: jsp.stats.multivariate_normal.logpdf(x, jnp.zeros(3), jnp.eye(3)), "f32[4,3]")
add("stats_kde", lambda x: jsp.stats.gaussian_kde(x).evaluate(x[:3]), "f32[9]")
add("stats_mode", lambda x: jsp.stats.mode(x).mode, "s32[9]")
add("stats_rankdata", jsp.stats.rankdata, "f32[9]")

# ---- random numbers ----
KEY = np.array([0, 42], np.uint32)
for name, f in {
        "uniform": lambda k: jax.random.uniform(k, (3, 4)), "normal": lambda k: jax.random.normal(k, (5,)), "bits": lambda k: jax.random.bits(k, (4,), "uint8"),
        "randint": lambda k: jax.random.randint(k, (6,), 0, 10), "bernoulli": lambda k: jax.random.bernoulli(k, 0.3, (6,)), "permutation": lambda k: jax.random.permutation(k, 8),
        "choice": lambda k: jax.random.choice(k, 9, (4,), replace=False), "choice_weighted": lambda k: jax.random.choice(k, 3, (4,), p=jnp.array([.2, .3, .5])),
        "categorical": lambda k: jax.random.categorical(k, jnp.log(jnp.array([.2, .8])), shape=(4,)), "gumbel": lambda k: jax.random.gumbel(k, (4,)),
        "exponential": lambda k: jax.random.exponential(k, (4,)), "laplace": lambda k: jax.random.laplace(k, (4,)), "cauchy": lambda k: jax.random.cauchy(k, (4,)),
        "truncated": lambda k: jax.random.truncated_normal(k, -1, 1, (4,)), "gamma": lambda k: jax.random.gamma(k, 2.0, (3,)), "beta": lambda k: jax.random.beta(k, 2.0, 3.0, (2,)),
        "dirichlet": lambda k: jax.random.dirichlet(k, jnp.ones(3)), "poisson": lambda k: jax.random.poisson(k, 3.0, (3,)), "binomial": lambda k: jax.random.binomial(k, 9, 0.4, (3,)),
        "student_t": lambda k: jax.random.t(k, 3.0, (2,)), "multivariate": lambda k: jax.random.multivariate_normal(k, jnp.zeros(2), jnp.eye(2)), "orthogonal": lambda k: jax.random.orthogonal(k, 3),
        "split_fold": lambda k: jax.random.split(jax.random.fold_in(k, 7), 3), "ball": lambda k: jax.random.ball(k, 3, shape=(2,)), "rademacher": lambda k: jax.random.rademacher(k, (4,)),
        "normal_bf16": lambda k: jax.random.normal(k, (4,), jnp.bfloat16), "normal_c64": lambda k: jax.random.normal(k, (4,), jnp.complex64), "loggamma": lambda k: jax.random.loggamma(k, 0.5, (2,)),
        "weibull": lambda k: jax.random.weibull_min(k, 1.0, 2.0, (3,)), "maxwell": lambda k: jax.random.maxwell(k, (3,)), "rayleigh": lambda k: jax.random.rayleigh(k, 1.0, (3,)),
        "typed_key": lambda k: jax.random.normal(jax.random.wrap_key_data(k), (3,)), "vmapped": lambda k: jax.vmap(lambda q: jax.random.normal(q, (2,)))(jax.random.split(k, 3))}.items():
    add(f"random_{name}", f, KEY)
add("random_rbg", lambda k: jax.random.normal(jax.random.wrap_key_data(k, impl="rbg"), (3,)), "u32[4]")
add("random_generator", lambda k: lax.rng_bit_generator(k, (3, 5), dtype=jnp.uint32), "u32[4]")
add("random_philox", lambda k: lax.rng_bit_generator(k, (3, 5), dtype=jnp.uint16, algorithm=lax.RandomAlgorithm.RNG_PHILOX), "u64[3]")
add("random_rng_uniform", lambda a, b: lax.rng_uniform(a, b, (3,)), "f32[]", "f32[]")

# ---- networks and steps of optimizers ----
for name in "relu relu6 sigmoid softplus soft_sign silu log_sigmoid leaky_relu hard_sigmoid hard_silu hard_tanh elu celu selu gelu glu squareplus mish log_softmax softmax standardize".split():
    add(f"nn_{name}", getattr(jax.nn, name), "f32[4,6]")
    if name in ("gelu", "softplus", "silu", "softmax", "mish", "elu"):
        add(f"nn_{name}_grad", jax.grad(lambda x, f=getattr(jax.nn, name): jnp.sum(f(x) ** 2)), "f32[4,6]")
        add(f"nn_{name}_bf16", getattr(jax.nn, name), "bf16[4,6]")
add("nn_gelu_exact", lambda x: jax.nn.gelu(x, approximate=False), "f32[4,6]")
add("nn_attention", lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True), "f32[2,5,2,4]", "f32[2,5,2,4]", "f32[2,5,2,4]")
add("nn_attention_bf16_mask", lambda q, k, v, m: jax.nn.dot_product_attention(q, k, v, mask=m), "bf16[2,5,4,4]", "bf16[2,5,2,4]", "bf16[2,5,2,4]", "pred[2,1,5,5]")
add("nn_attention_grad", jax.grad(lambda q, k, v: jnp.sum(jax.nn.dot_product_attention(q, k, v)), (0, 1, 2)), "f32[1,5,2,4]", "f32[1,5,2,4]", "f32[1,5,2,4]")
add("nn_scaled_matmul", lambda a, b: jax.nn.relu(a) @ b, "bf16[4,6]", "bf16[6,3]")
add("nn_initializer", lambda k: jax.nn.initializers.glorot_normal()(k, (3, 4)), KEY)


def mlp(parameters, x):
    for w, b in parameters[:-1]:
        x = jax.nn.gelu(x @ w + b)
    w, b = parameters[-1]
    return x @ w + b


def cross_entropy(parameters, x, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(mlp(parameters, x)), labels[:, None], 1))


LAYERS = [("f32[4,8]", "f32[8]"), ("f32[8,3]", "f32[3]")]
tree = jax.tree.map


def sgd(p, g, s):
    return tree(lambda p, g: p - 0.1 * g, p, g), s


def momentum(p, g, s):
    s = tree(lambda m, g: 0.9 * m + g, s, g)
    return tree(lambda p, m: p - 0.1 * m, p, s), s


def rmsprop(p, g, s):
    s = tree(lambda m, g: 0.9 * m + 0.1 * g * g, s, g)
    return tree(lambda p, g, m: p - 0.01 * g * lax.rsqrt(m + 1e-8), p, g, s), s


def lion(p, g, s):
    p = tree(lambda p, g, m: p - 1e-3 * (jnp.sign(0.9 * m + 0.1 * g) + 0.01 * p), p, g, s)
    return p, tree(lambda m, g: 0.99 * m + 0.01 * g, s, g)


def adagrad_clipped(p, g, s):
    norm = jnp.sqrt(sum(jnp.sum(x * x) for x in jax.tree.leaves(g)))
    g = tree(lambda x: jnp.where(norm < 1, x, x / norm), g)
    s = tree(lambda m, g: m + g * g, s, g)
    return tree(lambda p, g, m: p - 0.1 * g / (jnp.sqrt(m) + 1e-7), p, g, s), s


for optimizer in (sgd, momentum, rmsprop, lion, adagrad_clipped):
    def step(p, s, x, labels, optimizer=optimizer):
        loss, g = jax.value_and_grad(cross_entropy)(p, x, labels)
        return (*optimizer(p, g, s), loss)
    add(f"step_{optimizer.__name__}", step, LAYERS, LAYERS, "f32[5,4]", "s32[5]", donate_argnums=(0, 1))


@program(LAYERS, LAYERS, LAYERS, "s32[]", "f32[5,4]", "s32[5]", donate_argnums=(0, 1, 2))
def step_adamw(p, m, v, t, x, labels):
    g = jax.grad(cross_entropy)(p, x, labels)
    m, v = tree(lambda m, g: 0.9 * m + 0.1 * g, m, g), tree(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
    scale = 1e-3 * jnp.minimum(1.0, t / 100) * jnp.where(t > 500, 0.5 * (1 + jnp.cos(jnp.pi * t / 1000)), 1)
    p = tree(lambda p, m, v: p - scale * (m / (1 - 0.9**t) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8) + 0.01 * p), p, m, v)
    return p, m, v, t + 1


@program("f32[2,6,8]", "f32[8]", "f32[8,24]", "f32[8,8]")
def transformer_layer(x, scale, w_qkv, w_out):
    y = x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale
    q, k, v = jnp.split((y @ w_qkv).reshape(2, 6, 2, 12), 3, -1)
    return x + jax.checkpoint(lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True))(q, k, v).reshape(2, 6, 8) @ w_out


add("transformer_grad", jax.grad(lambda *a: jnp.sum(transformer_layer(*a)), (0, 1, 2, 3)), "f32[2,6,8]", "f32[8]", "f32[8,24]", "f32[8,8]")


@program("f32[6]", "f32[6,4]", "f32[4]", "f32[4]")
def layer_norm_then_batch_norm(x, w, scale, offset):
    y = x @ w * scale
    return (y - y.mean()) / jnp.sqrt(y.var() + 1e-5) * scale + offset


def lstm_cell(carry, x, w):
    h, c = carry
    i, f, g, o = jnp.split(jnp.concatenate([x, h]) @ w, 4)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return (jax.nn.sigmoid(o) * jnp.tanh(c), c), h


@program("f32[5,3]", "f32[7,16]")
def lstm(xs, w):
    return lax.scan(functools.partial(lstm_cell, w=w), (jnp.zeros(4), jnp.zeros(4)), xs)


add("lstm_grad", jax.grad(lambda xs, w: jnp.sum(lstm(xs, w)[1]), 1), "f32[5,3]", "f32[7,16]")
add("rope", lambda x, p: jnp.concatenate([x[..., :2] * jnp.cos(p[:, None]) - x[..., 2:] * jnp.sin(p[:, None]), x[..., 2:] * jnp.cos(p[:, None]) + x[..., :2] * jnp.sin(p[:, None])], -1), "f32[5,4]", "f32[5]")
add("mixture", lambda x, g, w: jnp.einsum("te,teh->th", jax.nn.softmax(jnp.where(g >= lax.top_k(g, 2)[0][:, -1:], g, -jnp.inf)), jnp.einsum("td,edh->teh", x, w)), "f32[5,4]", "f32[5,3]", "f32[3,4,6]")
add("quantized_product", lambda x, w, s: lax.dot_general((x / s).round().astype(jnp.int8), w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32) * s, "f32[4,6]", "s8[6,3]", "f32[]")
add("ctc_like", lambda x: lax.associative_scan(jnp.logaddexp, x, axis=0), "f32[7,3]")

# ---- control flow and transformations ----
for name, f, arguments in [
        ("while", lambda x: lax.while_loop(lambda s: s[0] < 9, lambda s: (s[0] + 1, s[1] * 1.5), (0, x)), ("f32[3]",)),
        ("fori", lambda x: lax.fori_loop(0, 5, lambda i, v: v + jnp.sin(i * v), x), ("f32[3]",)), ("fori_dynamic", lambda n, x: lax.fori_loop(0, n, lambda i, v: v.at[i].set(i), x), ("s32[]", "f32[7]")),
        ("scan", lambda x: lax.scan(lambda c, v: (c + v, c * v), jnp.zeros(3), x), ("f32[5,3]",)), ("scan_reverse", lambda x: lax.scan(lambda c, v: (c * v, c), jnp.ones(3), x, reverse=True), ("f32[5,3]",)),
        ("scan_unrolled", lambda x: lax.scan(lambda c, v: (c + v, c), jnp.zeros(3), x, unroll=2), ("f32[5,3]",)), ("scan_nested", lambda x: lax.scan(lambda c, v: (lax.scan(lambda d, w: (d + w, d), c, v)[0], c), 0.0, x), ("f32[4,3]",)),
        ("scan_captures", lambda x, w: lax.scan(lambda c, v: (jnp.tanh(c @ w + v), c), jnp.zeros(3), x), ("f32[5,3]", "f32[3,3]")), ("scan_counter", lambda x: lax.scan(lambda c, _: (c * 2, None), x, None, length=6), ("s32[]",)),
        ("cond", lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), ("pred[]", "f32[3]")), ("cond_captures", lambda p, x, y: lax.cond(p, lambda: x @ y, lambda: y + x.sum()), ("pred[]", "f32[3,3]", "f32[3,3]")),
        ("switch", lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tan, lambda v: v * 0], x), ("s32[]", "f32[3]")), ("switch_constants", lambda i: lax.switch(i, [lambda: 1.0, lambda: 2.0, lambda: 3.0]), ("s32[]",)),
        ("cond_grad", jax.grad(lambda x: lax.cond(x > 0, jnp.sin, jnp.exp, x)), ("f32[]",)), ("while_grad_scan", jax.grad(lambda x: lax.fori_loop(0, 4, lambda i, v: jnp.sin(v), x)), ("f32[]",)),
        ("cond_vmapped", jax.vmap(lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x)), ("pred[4]", "f32[4]")), ("while_vmapped", jax.vmap(lambda x: lax.while_loop(lambda v: v < 10, lambda v: v * 2, x)), ("f32[4]",)),
        ("map", lambda x: lax.map(lambda v: jnp.sum(v ** 2), x), ("f32[4,3]",)), ("map_batched", lambda x: lax.map(jnp.sin, x, batch_size=2), ("f32[5,3]",)), ("associative", lambda x: lax.associative_scan(jnp.multiply, x), ("f32[8]",)),
        ("jvp", lambda x: jax.jvp(lambda v: jnp.sin(v) * v, (x,), (jnp.ones(3),)), ("f32[3]",)), ("vjp", lambda x: jax.vjp(jnp.tanh, x)[1](x), ("f32[3]",)), ("hessian", jax.hessian(lambda x: jnp.sum(x ** 3) + x[0] * x[1]), ("f32[3]",)),
        ("jacfwd", jax.jacfwd(lambda x: jnp.outer(x, jnp.sin(x))), ("f32[3]",)), ("jacrev", jax.jacrev(lambda x: jnp.cumsum(x ** 2)), ("f32[3]",)), ("vmap_nested", jax.vmap(jax.vmap(lambda a, b: a @ b, (None, 0)), (0, None)), ("f32[4,3]", "f32[2,3]")),
        ("linearize", lambda x: jax.linearize(jnp.exp, x)[1](x), ("f32[3]",)), ("custom_vjp", jax.grad(lambda x: clipped(x) * 3), ("f32[]",)), ("custom_jvp", jax.jvp, ()), ("checkpoint", jax.grad(jax.checkpoint(lambda x: jnp.sum(jnp.sin(jnp.sin(x))))), ("f32[3]",)),
        ("stop_gradient", jax.grad(lambda x: jnp.sum(lax.stop_gradient(x) * x)), ("f32[3]",)), ("nested_jit", lambda x: jax.jit(jnp.sin)(x) + jax.jit(jnp.sin)(x * 2) + jax.jit(lambda v: jax.jit(jnp.cos)(v))(x), ("f32[3]",)),
        ("barrier", lambda x, y: lax.optimization_barrier((x + y, x - y)), ("f32[3]", "f32[3]")), ("identity", lambda x: x, ("f32[3]",)), ("unused", lambda x, y: y, ("f32[3]", "s32[]")), ("nothing", lambda: (), ()),
        ("twice_returned", lambda x: (x, x + 1, x), ("f32[3]",)), ("empty_array", lambda x: jnp.concatenate([x, jnp.zeros((0, 3))]).sum(0), ("f32[0,3]",)), ("scalars", lambda a, b: (a + b, a * 2, b > 1), ("f32[]", "f32[]")),
        ("newton", lambda x: lax.while_loop(lambda s: jnp.abs(s[0] - s[1]) > 1e-3, lambda s: (s[0] - (s[0] ** 2 - 2) / (2 * s[0]), s[0]), (x, x + 1)), ("f32[]",)), ("eval_shape_ops", lambda x: x.at[jnp.arange(3)].set(jnp.flip(x)), ("f32[3]",)),
        ("named", lambda x: jax.named_call(jnp.sin, name="stage one")(x), ("f32[3]",)), ("convert_scan_bool", lambda x: lax.scan(lambda c, v: (c & v, c), True, x), ("pred[5]",)), ("while_constant_trip", lambda: lax.fori_loop(0, 3, lambda i, v: v + i, 0), ()),
        ("dead_loop_result", lambda x: lax.fori_loop(0, 3, lambda i, s: (s[0] + 1, s[1] * 2), (x, x))[1], ("f32[3]",)), ("loop_invariant", lambda x, y: lax.fori_loop(0, 3, lambda i, s: (s[0] + s[1], s[1]), (x, y))[0], ("f32[3]", "f32[3]")),
        ("sparse_bcoo", lambda d, i, v: jax.experimental.sparse.BCOO((d, i), shape=(5, 5)) @ v, ("f32[6]", "s32[6,2]", "f32[5]")), ("ffi_free", lambda x: jax.pure_callback(lambda v: v, jax.ShapeDtypeStruct((3,), np.float32), x), ("f32[3]",)),
        ("debug_free", lambda x: lax.cumsum(x) * lax.axis_size("i") if False else lax.cumsum(x), ("f32[6]",)), ("composite", lambda x: lax.composite(lambda v, scale: v * scale, name="my.scale")(x, scale=np.float32(2)), ("f32[3]",))]:
    if arguments or f.__name__ == "<lambda>":
        add(f"flow_{name}", f, *arguments)


@jax.custom_vjp
def clipped(x):
    return x


clipped.defvjp(lambda x: (x, None), lambda _, g: (jnp.clip(g, -1, 1),))

# ---- several devices: GSPMD's shardings, Shardy's, and manual computations ----
AXES = (2, 4)


def mesh():
    return jax.make_mesh(AXES, ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)


def sharded(name, f, in_specs, out_specs, *arguments):
    """As jit with shardings of arguments and results; specs as tuples."""
    P, N = jax.sharding.PartitionSpec, jax.sharding.NamedSharding
    named = lambda specs: jax.tree.map(lambda s: N(mesh(), P(*s)), specs, is_leaf=lambda s: isinstance(s, tuple) and not any(isinstance(e, tuple) and e and isinstance(e[0], (str, type(None))) and False for e in s))
    for shardy in (True, False):
        add(f"sharded_{name}_{'shardy' if shardy else 'gspmd'}", f, *arguments, shardy=shardy,
            shardings=lambda: dict(in_shardings=tuple(N(mesh(), P(*s)) for s in in_specs), out_shardings=N(mesh(), P(*out_specs)) if out_specs is not None else None))


def manual(name, f, in_specs, out_specs, *arguments, **options):
    P = jax.sharding.PartitionSpec

    def function(*args):
        return jax.shard_map(f, mesh=mesh(), in_specs=tuple(P(*s) for s in in_specs), out_specs=P(*out_specs), check_vma=False, **options)(*args)
    for shardy in (True, False):
        add(f"manual_{name}_{'shardy' if shardy else 'gspmd'}", function, *arguments, shardy=shardy)


def constrained(*s):
    return lambda v: lax.with_sharding_constraint(v, jax.sharding.NamedSharding(mesh(), jax.sharding.PartitionSpec(*s)))


sharded("product", lambda a, b: a @ b, (("x", None), (None, "y")), ("x", "y"), "f32[8,8]", "f32[8,8]")
sharded("contracting", lambda a, b: jnp.tanh(a @ b), (("x", "y"), ("y", None)), ("x",), "f32[8,8]", "f32[8,8]")
sharded("constraint", lambda a: constrained("x", "y")(jnp.sin(a)) * 2, (("y",),), (), "f32[8,8]")
sharded("both_axes", lambda a: a.sum(0), ((("x", "y"), None),), (), "f32[16,4]")
sharded("transpose", lambda a: constrained(None, "x")(a.T), (("x", "y"),), None, "f32[8,8]")
sharded("loop", lambda a: lax.scan(lambda c, v: (constrained("x")(jnp.sin(c + v)), c), a[0], a), ((None, "x"),), None, "f32[4,8]")
sharded("grad", jax.grad(lambda w, x: jnp.sum(jnp.tanh(x @ w))), ((None, "y"), ("x", None)), (None, "y"), "f32[8,8]", "f32[8,8]")
manual("psum", lambda a: lax.psum(a, "x"), (("x", "y"),), (None, "y"), "f32[8,8]")
manual("psum_both", lambda a: lax.psum(a.sum(), ("x", "y")), (("x", "y"),), (), "f32[8,8]")
manual("pmax_pmean", lambda a: lax.pmax(a, "y") + lax.pmean(a, "y"), (("x", "y"),), ("x",), "f32[8,8]")
manual("all_gather", lambda a: lax.all_gather(a, "y", axis=1, tiled=True), (("x", "y"),), ("x",), "f32[8,8]")
manual("reduce_scatter", lambda a: lax.psum_scatter(a, "y", scatter_dimension=1, tiled=True), (("x",),), ("x", "y"), "f32[8,8]")
manual("all_to_all", lambda a: lax.all_to_all(a, "y", 1, 0, tiled=True), (("x", None),), ("x", "y"), "f32[16,8]")
manual("ppermute", lambda a: lax.ppermute(a, "y", [(i, (i + 1) % 4) for i in range(4)]), (("x", "y"),), ("x", "y"), "f32[8,8]")
manual("axis_index", lambda a: a * lax.axis_index("y"), (("x", "y"),), ("x", "y"), "f32[8,8]")
manual("partly", lambda a: lax.psum(jnp.sin(a), "x"), (("x",),), (), "f32[8,8]", axis_names={"x"})
manual("in_loop", lambda a: lax.fori_loop(0, 3, lambda i, v: lax.ppermute(v, "y", [(0, 1), (1, 2), (2, 3), (3, 0)]) + 1, a), (("x", "y"),), ("x", "y"), "f32[8,8]")
manual("groups", lambda a: lax.psum(a, "y", axis_index_groups=[[0, 1], [2, 3]]), (("x", "y"),), ("x", "y"), "f32[8,8]")
manual("grad", jax.grad(lambda a: jnp.sum(lax.psum(a * a, "y"))), (("x", "y"),), ("x", "y"), "f32[8,8]")
