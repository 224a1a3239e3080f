"""A program that uses the package with its types: not run, but checked by `mypy --strict`."""

import numpy as np

import hloir
import hloir.testing
from hloir import match as m


@hloir.rule(m.add(m.any("a"), m.splat(0)), "A + 0 => A", math="rounding")
def add_zero(b: hloir.Builder, i: hloir.Instruction, a: hloir.Instruction) -> hloir.Instruction | None:
    return b.negate(a, name="n") if a.is_root else a


def drop(module: hloir.Module) -> bool:
    return bool(m.copy().find(module))


hloir.register_rules("mine", [add_zero])
hloir.register_pass("drop", drop)
module = hloir.Module("example")
b = hloir.Builder(module, "main")
x = b.parameter("f32[3]")
total = b.reduce(x, b.constant(1.0), dimensions=[0], to_apply=b.reducer("add", "f32"))
total["metadata"] = {"op_name": "total"}
b.build_entry(b.broadcast(total, shape=[3], dimensions=[]))
for i in module.entry:
    print(i.name.upper(), i.shape.dimensions[0] + 1, i.operands)
found = m.add().match(total)
if found is not None:
    print(found["a"].name)
small: hloir.Module = hloir.reduce(module, lambda candidate: candidate.instruction_count > 1)
results: list[object] = hloir.prepare_on_devices(module)([[np.ones(3)]])
verdict = hloir.verify(module, small)
print(verdict.reason if not verdict else verdict.outcome, hloir.diff(module, small).same)
offers = hloir.proposals(module, ["mine", *hloir.default_pipeline()])
print(len(hloir.take(module, offers)), hloir.parse(b"").to_string(), module.run(np.ones(3)))
tuned: hloir.Tuned = hloir.tune(module, trials=3, passes=["dce"], progress=lambda done, tried, best: None)
print(tuned.best["bytes"] + 1, tuned.times["pairs"] if tuned.times is not None else tuned.passes.upper())
checked = hloir.testing.assert_hlo(module).has_no("all-gather").matches("golden.hlo")
print(checked.flops < 3, int(checked.peak_memory), checked.optimized("dce").module.text("short", metadata=False))
proof: hloir.CheckedProof = hloir.check_proof(module, small, "proof")
print(proof.outcome.upper() if not proof else proof.steps + 1, [a.upper() for a in proof.assumptions])
again = hloir.verify(module, small, inputs=[np.ones(3)], finite_only=False, callbacks={"f": abs})
print(again.counterexample[0] if again.counterexample is not None else again.headline)
print(hloir.bisect(module, ["dce"]).reason, i.is_a("add"), i.walk_users()[0].dtype.itemsize, i.shape.dims[0] + 1)
if i.body is not None:
    print(i.body.name, i.callees["condition"], i.control_predecessors, i.parameter_number)
