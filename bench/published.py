#!/usr/bin/env python3
"""How far `hloir cost` is from published measurements.

    bench/published.py [--hloir BIN] [--device NAME] [--json OUT]

Predicts the time of each product and collective below on its device, prints the ratio to the measured time, and how many are within
a factor of 2. The measurements are those of the OpenXLA project, in its tables for its own cost models: FLOPs a second of one product
(xla/service/gpu/model/matmul_interpolator_data.h, sm_90; xla/backends/gpu/cost_model/matmul_interpolator_data.h, sm_100) and bytes a
second of one collective on a machine of 8 (xla/service/gpu/model/collective_interpolator_data.h, its last entries, which are sm_90;
default_collective_perf_table.txtpb, sm_100_B200). H100's are those to which overheads and reached rates in docs/devices/h100.json are fitted;
those in b200.json are not fitted to any of these.
"""
import argparse, json, math, os, statistics, subprocess, tempfile

# b, m, n, k of a product, and teraflops a second with bf16 and f32 operands.
PRODUCTS = {
    "h100": [
        (1, 1024, 2048, 256, 139.52, 82.34), (2, 256, 2048, 2048, 332.25, 147.98), (1, 256, 2048, 256, 41.84, 32.14),
        (4, 512, 256, 256, 42.37, 31.48), (1, 4096, 512, 512, 238.82, 116.71), (4, 4096, 256, 2048, 588.67, 154.52),
        (1, 512, 256, 512, 21.79, 15.65), (2, 1024, 2048, 1024, 493.45, 205.86), (1, 256, 2048, 4096, 285.87, 119.89),
        (4, 1024, 2048, 2048, 712.74, 284.78), (1, 2048, 2048, 2048, 631.98, 329.17), (4, 256, 256, 256, 22.55, 16.51),
        (2, 256, 256, 1024, 36.95, 21.96), (1, 256, 512, 4096, 91.68, 46.44), (1, 4096, 4096, 256, 392.16, 183.99),
        (2, 4096, 4096, 2048, 763.01, 326.13), (1, 4096, 4096, 4096, 783.33, 401.59), (1, 512, 256, 4096, 91.06, 79.04),
        (2, 2048, 256, 4096, 378.63, 115.08), (1, 512, 256, 256, 11.46, 9.73),
    ],
    "b200": [
        (1, 256, 256, 256, 6.765, 5.066), (1, 256, 1024, 256, 18.55, 20.16), (1, 256, 4096, 512, 163.28, 125.17),
        (1, 256, 256, 4096, 53.08, 37.24), (1, 256, 4096, 4096, 651.39, 424.38), (1, 512, 4096, 256, 165.24, 114.50),
        (1, 512, 1024, 512, 89.48, 65.15),
    ],
}
# Kind, f32 elements of the result, devices of a group, gigabytes a second: of a reduce-scatter's operand, of the others' result.
COLLECTIVES = {
    "h100": [
        ("all-reduce", 262144, 2, 50.027), ("all-reduce", 8192, 2, 2.2857), ("all-reduce", 1024, 8, 0.12598),
        ("all-reduce", 16384, 4, 3.6312), ("all-reduce", 524288, 8, 36.612), ("all-reduce", 32768, 2, 7.8168),
        ("all-reduce", 4194304, 4, 109.82), ("all-reduce", 262144, 4, 24.130),
        ("all-gather", 67108864, 8, 368.08), ("all-gather", 268435456, 4, 434.19), ("all-gather", 262144, 8, 33.677),
        ("all-gather", 8388608, 4, 296.12), ("all-gather", 32768, 2, 7.8769), ("all-gather", 536870912, 4, 443.09),
        ("reduce-scatter", 65536, 4, 36.009), ("reduce-scatter", 4194304, 2, 266.00), ("reduce-scatter", 65536, 2, 26.048),
        ("reduce-scatter", 4096, 4, 4.5110), ("reduce-scatter", 16777216, 8, 358.83), ("reduce-scatter", 1024, 2, 0.72521),
        ("reduce-scatter", 8192, 8, 9.1736), ("reduce-scatter", 2097152, 8, 306.96),
        ("all-to-all", 33554432, 8, 325.27), ("all-to-all", 67108864, 2, 519.13), ("all-to-all", 131072, 2, 27.629),
        ("all-to-all", 536870912, 8, 388.14), ("all-to-all", 2048, 4, 0.28009), ("all-to-all", 8388608, 2, 317.94),
        ("collective-permute", 524288, 8, 41.158), ("collective-permute", 16384, 2, 4.7097),
        ("collective-permute", 1048576, 2, 69.698), ("collective-permute", 8388608, 2, 111.47),
    ],
    "b200": [
        ("all-reduce", 65536, 8, 4.9409), ("all-reduce", 8388608, 2, 277.69), ("all-gather", 512, 8, 0.071111),
        ("all-gather", 268435456, 2, 851.81), ("reduce-scatter", 32768, 2, 7.1111), ("reduce-scatter", 1048576, 8, 363.84),
        ("all-to-all", 131072, 4, 14.185), ("all-to-all", 8192, 8, 1.1204), ("all-to-all", 2097152, 2, 127.94),
        ("collective-permute", 268435456, 2, 523.52),
    ],
}
MACHINE = 8


def product(b, m, n, k, element_type):
    return (f"HloModule product\n\nENTRY main {{\n  x = {element_type}[{b},{m},{k}] parameter(0)\n"
            f"  y = {element_type}[{b},{k},{n}] parameter(1)\n  ROOT r = {element_type}[{b},{m},{n}] dot(x, y), lhs_batch_dims={{0}}, "
            f"rhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, rhs_contracting_dims={{1}}\n}}\n")


def collective(kind, elements, size):
    groups = [list(range(first, first + size)) for first in range(0, MACHINE, size)]
    operand, attributes = elements, "replica_groups={" + ",".join("{" + ",".join(map(str, g)) + "}" for g in groups) + "}"
    if kind == "all-gather": operand = elements // size
    if kind == "reduce-scatter": operand = elements * size
    if kind in ("all-gather", "reduce-scatter", "all-to-all"): attributes += ", dimensions={0}"
    if kind in ("all-reduce", "reduce-scatter"): attributes += ", to_apply=add"
    if kind == "collective-permute":
        pairs = [(g[i], g[(i + 1) % size]) for g in groups for i in range(size)]
        attributes = "source_target_pairs={" + ",".join(f"{{{s},{t}}}" for s, t in pairs) + "}"
    add = "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] add(a, b)\n}\n\n" if "to_apply" in attributes else ""
    return (f"HloModule collective, replica_count={MACHINE}\n\n{add}ENTRY main {{\n  x = f32[{operand}] parameter(0)\n"
            f"  ROOT r = f32[{elements}] {kind}(x), {attributes}\n}}\n")


def figures(device):
    """The name, text and measured seconds of each."""
    for b, m, n, k, *rates in PRODUCTS[device]:
        for element_type, rate in zip(("bf16", "f32"), rates):
            yield f"{element_type}[{b},{m},{k}] x [{b},{k},{n}]", product(b, m, n, k, element_type), 2 * b * m * n * k / (rate * 1e12)
    for kind, elements, size, rate in COLLECTIVES[device]:
        size_bytes = 4 * elements * (size if kind == "reduce-scatter" else 1)
        yield f"{kind} of {size_bytes} B over {size}", collective(kind, elements, size), size_bytes / (rate * 1e9)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--device", choices=sorted(PRODUCTS), help="one of them (default: all)")
    parser.add_argument("--json", help="write the figures to this file too")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, "module.hlo")
        for device in [options.device] if options.device else sorted(PRODUCTS, reverse=True):
            ratios = []
            for name, text, measured in figures(device):
                with open(module, "w") as out: out.write(text)
                done = subprocess.run([options.hloir, "cost", "--json", f"--device={device}", module], capture_output=True, text=True, check=True)
                predicted = json.loads(done.stdout)["roofline"]["ms"] / 1e3
                ratios.append(predicted / measured)
                rows.append({"device": device, "figure": name, "measured": measured, "predicted": predicted, "ratio": ratios[-1]})
                print(f"{device:6} {name:44} measured {measured * 1e6:9.1f} us, predicted {predicted * 1e6:9.1f}, ratio {ratios[-1]:5.2f}")
            near = sum(0.5 <= r <= 2 for r in ratios)
            off = math.exp(statistics.fmean(abs(math.log(r)) for r in ratios))
            print(f"{device}: {near} of {len(ratios)} within a factor of 2 ({100 * near / len(ratios):.0f} %); off by {off:.2f} in the mean")
    if options.json:
        with open(options.json, "w") as out: json.dump(rows, out, indent=1)


if __name__ == "__main__":
    main()
