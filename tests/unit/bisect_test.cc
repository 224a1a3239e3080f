// Planted bugs must be found: by the pass that has them, and by the single rewrite.
#include "hloir/check.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "reduce/reduce.h"
#include "tests/unit/catch.h"

namespace hloir {
namespace {

constexpr RuleInfo kNegateNegate = {"negate-negate", "-(-A) => A"}, kSwap = {"swap", "A - B => B - A"};

// "-(-A) => A" done right, and "B - A => A - B" done as if it were true: the latter only on s32.
class Liar : public HloPass {
 public:
  explicit Liar(Rewriter* rewriter) : gate_("liar", {.rewriter = rewriter}) {}
  std::string_view name() const override { return "liar"; }
  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloInstruction* i : module.entry_computation()->PostOrder()) {
      if (i->opcode() == HloOpcode::kNegate && i->operand(0)->opcode() == HloOpcode::kNegate &&
          gate_.Allow(kNegateNegate, *i)) {
        HloInstruction* a = i->operand(0)->operand(0);
        i->ReplaceAllUsesWith(a);
        gate_.Done(a);
        changed = true;
      }
      if (i->opcode() == HloOpcode::kSubtract && i->shape().element_type() == PrimitiveType::S32 &&
          gate_.Allow(kSwap, *i)) {
        HloInstruction* swapped = i->parent()->AddInstruction(i->opcode(), i->shape(), {i->operand(1), i->operand(0)});
        i->ReplaceAllUsesWith(swapped);
        gate_.Done(swapped);
        changed = true;
      }
    }
    return changed;
  }

 private:
  RewriteGate gate_;
};

// A chain of `count` double negations, with a subtraction of `type` after the first `at` of them.
std::unique_ptr<HloModule> Chain(int count, int at, const std::string& type) {
  const std::string shape = type + "[4]";
  std::string text =
                  "HloModule chain\nENTRY main {\n  x = " + shape + " parameter(0)\n  y = " + shape + " parameter(1)\n",
              last = "x";
  for (int k = 0; k < count; ++k) {
    const std::string n = std::to_string(k);
    if (k == at) {
      text += "  difference = " + shape + " subtract(" + last + ", y)\n";
      last = "difference";
    }
    text += "  a" + n + " = " + shape + " negate(" + last + ")\n  b" + n + " = " + shape + " negate(a" + n + ")\n";
    text += "  c" + n + " = " + shape + " add(b" + n + ", y)\n";
    last = "c" + n;
  }
  text += "  ROOT result = " + shape + " add(" + last + ", y)\n}\n";
  StatusOr<std::unique_ptr<HloModule>> module = ParseModule(text);
  INFO((module.ok() ? "" : module.status().message()));
  REQUIRE(module.ok());
  return std::move(module).value();
}

Status RunLiar(HloModule& module, Rewriter& rewriter) { return Liar(&rewriter).Run(module).status(); }

TEST_CASE("bisection finds the one rewrite that is wrong, wherever it stands") {
  for (int at : {0, 1, 6, 11}) {
    INFO("after " << at);
    const std::unique_ptr<HloModule> module = Chain(12, at, "s32");
    StatusOr<Bisection> found = Bisect(*module, RunLiar);
    INFO((found.ok() ? "" : found.status().message()));
    REQUIRE(found.ok());
    CHECK(found->rewrites == 13);
    CHECK(found->guilty == at);
    CHECK(found->record.id == "liar/swap@main/difference");
    CHECK(found->record.after.starts_with("%subtract"));
    CHECK_FALSE(found->reason.empty());
  }
}

TEST_CASE("bisection accuses nobody where all is right") {
  const std::unique_ptr<HloModule> module = Chain(12, 6, "s64");
  StatusOr<Bisection> found = Bisect(*module, RunLiar);
  REQUIRE(found.ok());
  CHECK(found->rewrites == 12);
  CHECK(found->guilty == -1);
  CHECK(found->reason.empty());
}

TEST_CASE("checking each pass names the first that is wrong") {
  const std::unique_ptr<HloModule> module = Chain(3, 1, "s32");
  CheckEach check(*module, {}, {});
  PipelineOptions options;
  options.after = [&](const PassEvent& event, const HloModule& now) { return check.AfterPass(event, now); };
  HloPassPipeline pipeline(options);
  for (const char* name : {"cse", "dce"}) {
    StatusOr<std::unique_ptr<HloPass>> pass = MakePass(name, {});
    REQUIRE(pass.ok());
    pipeline.Add(std::move(*pass));
  }
  pipeline.Add(std::make_unique<Liar>(nullptr));
  const StatusOr<bool> ran = pipeline.RunOnce(*module);
  REQUIRE_FALSE(ran.ok());
  CHECK(check.disagreed());
  CHECK(ran.status().message().starts_with("the pass liar changed what the module computes: out0"));
}

TEST_CASE("the reduced case of a disagreement is the one instruction that is wrong, with the values that it had") {
  const std::unique_ptr<HloModule> module = Chain(60, 37, "s32");
  StatusOr<InputSet> made = MakeInputSet(*module, {}, 0, InputKind::kPlain);
  REQUIRE(made.ok());
  const std::vector<Literal>& inputs = made->devices[0];
  const auto disagrees = [](const HloModule& m, const InputSet& arguments) {
    const std::unique_ptr<HloModule> after = m.Clone();
    if (!Liar(nullptr).Run(*after).ok()) return false;
    const StatusOr<Verdict> verdict = Check(m, *after, {arguments});
    return verdict.ok() && verdict->outcome == Outcome::kDisagree;
  };
  REQUIRE(disagrees(*module, *made));
  const ReducedCase reduced = ReduceOnInputs(*module, *made, disagrees);
  const HloComputation* entry = reduced.module->entry_computation();
  REQUIRE(entry->instruction_count() == 3);
  CHECK(entry->root()->name() == "difference");
  CHECK(entry->root()->operand(0)->name() == "c36");
  CHECK(disagrees(*reduced.module, reduced.inputs));
  // 37 times y was added to x.
  REQUIRE(reduced.inputs.devices[0].size() == 2);
  const auto value = [&](int64_t k) {
    return static_cast<int32_t>(
        reduced.inputs.devices[0][static_cast<size_t>(entry->root()->operand(k)->parameter_number())].GetAsInt64(0));
  };
  CHECK(static_cast<uint32_t>(value(0)) ==
        static_cast<uint32_t>(inputs[0].GetAsInt64(0)) + 37u * static_cast<uint32_t>(inputs[1].GetAsInt64(0)));
  CHECK(value(1) == inputs[1].GetAsInt64(0));
}

}  // namespace
}  // namespace hloir
