#!/usr/bin/env python3
"""Writes corpus/cost.json: what XLA's own cost analysis says of every module of the corpus.

    corpus/record_cost.py [FILE… > OUT.json]

A file's figures are [flops, transcendentals, bytes accessed], by its path under corpus/; with files named, figures of
those go to standard output, by the paths given. tests/unit/cost_test.cc holds hloir's analysis against them. Needs jax.
"""
import json, os, pathlib, sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
CORPUS = pathlib.Path(__file__).resolve().parent


def main():
    import jax, jaxlib._hlo as hlo, jaxlib._jax as xj
    client = jax.devices("cpu")[0].client

    def figures(path):
        found = xj.hlo_module_cost_analysis(client, hlo.hlo_module_from_text(path.read_text()))
        return [found.get(key, 0.0) for key in ("flops", "transcendentals", "bytes accessed")]

    given = [pathlib.Path(path) for path in sys.argv[1:]]
    files = given or sorted(path for folder in ("modules", "with_metadata") for path in (CORPUS / folder).glob("*.hlo"))
    rows = []
    for path in files:
        name = str(path if given else path.relative_to(CORPUS))
        try:
            rows.append(f"{json.dumps(name)}: {json.dumps(figures(path))}")
        except Exception as error:
            print(f"{name}: {str(error).splitlines()[0]}", file=sys.stderr)
    text = "{\n" + ",\n".join(rows) + "\n}\n"
    if given:
        sys.stdout.write(text)
    else:
        (CORPUS / "cost.json").write_text(text)


if __name__ == "__main__":
    main()
