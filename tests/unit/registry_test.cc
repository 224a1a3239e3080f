// A pass from outside the tree has the same features as built-in ones: a name, options, rules, a position in pipelines.
// The default pipeline folds constants.
#include <sstream>

#include "hloir/parser.h"
#include "hloir/passes.h"
#include "hloir/rewrite_util.h"
#include "hloir/rules.h"
#include "hloir/verifier.h"
#include "catch.h"
#include "rewrite/absent_passes.h"

namespace hloir {
namespace {

constexpr RuleInfo kDrop = {"drop-reverse", "reverse(reverse(A)) => A"};
constexpr FlagOption kOnlyVectors = {"only-vectors", "leave larger ranks alone", false};
constexpr NumberOption kLimit = {"limit", "rewrites in one run", 100};
constexpr ElementTypeOption kType = {"type", "of the arrays that it looks at"};
constexpr TextOption kSuffix = {"suffix", "of names", "x"};

class DropReverses : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;
  StatusOr<bool> Run(HloModule& module) override {
    int64_t count = 0;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      for (HloInstruction* i : InstructionsOf(*computation, HloOpcode::kReverse)) {
        HloInstruction* inner = i->operand(0);
        if (inner->opcode() != HloOpcode::kReverse || !(inner->dimensions() == i->dimensions())) continue;
        if (options_.Get(kOnlyVectors) && i->shape().rank() != 1) continue;
        const PrimitiveType type = options_.Get(kType);
        if (type != PrimitiveType::INVALID && i->shape().element_type() != type) continue;
        if (count < options_.Get(kLimit)) count += ReplaceWith(i, inner->operand(0), kDrop);
      }
    }
    return count > 0;
  }
};

PassDefinition DefineDropReverses() {
  return {MakePassOf<DropReverses>, {kDrop}, {kOnlyVectors, kLimit, kType, kSuffix}};
}

PassRegistry Extended() {
  PassRegistry registry = BuiltinPasses();
  REQUIRE(registry.Add("drop-reverses", "drops reverses of reverses", DefineDropReverses()).ok());
  return registry;
}

std::unique_ptr<HloModule> Reverses() {
  auto module = ParseModule(
      "HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n  a = f32[2,3] reverse(x), dimensions={0,1}\n"
      "  b = f32[2,3] reverse(a), dimensions={0,1}\n  ROOT n = f32[2,3] negate(b)\n}\n");
  REQUIRE(module.ok());
  return std::move(*module);
}

// How often the rule of drop-reverses fired, or the error.
std::string Fired(const std::vector<std::string>& names, PassOptions options = {}) {
  RewriteLog log;
  options.rewriter = &log;
  auto pipeline = MakePipeline(Extended(), names, options, {.verify_each = true});
  if (!pipeline.ok()) return pipeline.status().message();
  REQUIRE(pipeline->RunOnce(*Reverses()).ok());
  const auto count = log.counts().find("drop-reverses/drop-reverse");
  return count == log.counts().end() ? "0" : std::to_string(count->second);
}

TEST_CASE("a pass that is added has a name, options and rules like any other") {
  CHECK(Fired({"drop-reverses"}) == "1");
  CHECK(Fired({"cse", "[drop_reverses", "dce]"}) == "1");
  CHECK(Fired({"drop-reverses{only-vectors=true}"}) == "0");
  CHECK(Fired({"drop-reverses{limit=0}"}) == "0");
  CHECK(Fired({"drop-reverses{type=f32 suffix=y}"}) == "1");
  CHECK(Fired({"drop-reverses{type=s32}"}) == "0");
  CHECK(Fired({"drop-reverses{disable=drop-reverse}"}) == "0");
  CHECK(Fired({"drop-reverses{type=float}"}) ==
        "the option 'type' of the pass 'drop-reverses' must be an element type, not 'float'");
  CHECK(Fired({"drop-reverses{limits=1}"}) ==
        "the pass 'drop-reverses' has no option 'limits'; it has only-vectors, limit, type, suffix, disable, math");
  CHECK(Fired({"drop-reverse"}) == "unknown pass 'drop-reverse'; did you mean 'drop-reverses'?");
  PassOptions disabled;
  disabled.disabled_rules = {"drop-reverse"};
  CHECK(Fired({"drop-reverses"}, disabled) == "0");
  disabled.disabled_rules = {"drop-revers"};
  CHECK(Fired({"drop-reverses"}, disabled) == "no pass has a rule named 'drop-revers'; did you mean 'drop-reverse'?");
}

TEST_CASE("names are taken once, and can be written in a pipeline") {
  PassRegistry registry = Extended();
  CHECK_FALSE(registry.Add("cse", "", DefineDropReverses()).ok());
  CHECK_FALSE(registry.Add("drop_reverses", "", DefineDropReverses()).ok());
  CHECK_FALSE(registry.Add("algsimp", "", DefineDropReverses()).ok());  // an alias
  CHECK_FALSE(registry.Add("a,b", "", DefineDropReverses()).ok());
  CHECK_FALSE(registry.Add("", "", DefineDropReverses()).ok());
  CHECK_FALSE(registry.Add("nothing", "", {}).ok());
  CHECK(registry.AddAlias("DropReverses", "drop-reverses").ok());
  CHECK(registry.Find("DropReverses") == registry.Find("drop-reverses"));
  CHECK_FALSE(registry.AddAlias("cse", "drop-reverses").ok());
  CHECK_FALSE(registry.AddAlias("other", "no-such-pass").ok());
  CHECK(BuiltinPasses().Find("drop-reverses") == nullptr);  // it was a copy

  // Every name in passes.def got in, and every name of XLA's.
  size_t rows = 0;
#define HLOIR_PASS(define, name, description) ++rows;
#include "hloir/passes.def"
#undef HLOIR_PASS
  CHECK(BuiltinPasses().passes().size() == rows);
  CHECK(BuiltinPasses().Find("simplify-while-loops") == BuiltinPasses().Find("while-loop-simplifier"));
  CHECK(BuiltinPasses().Find("cse_barrier_expander") == BuiltinPasses().Find("optimization-barrier-expander"));
}

TEST_CASE("XLA's passes that are absent are told by what does the same") {
  const auto error = [](const std::string& name) { return BuiltinPasses().Make(name, {}).status().message(); };
  CHECK(error("priority-fusion").find("the nearest is --passes=fusion: ") != std::string::npos);
  CHECK(error("horizontal_loop_fusion").find("the nearest is --passes=fusion: ") != std::string::npos);
  CHECK(error("simplification-after-layout-assignment").find("--passes=algebraic-simplifier,dce,cse: ") !=
        std::string::npos);
  CHECK(error("reduce-scatter-creator").find("none does the same: it makes a reduce-scatter") != std::string::npos);
  CHECK(error("ReduceScatterCreator").find("none does the same: it makes a reduce-scatter") != std::string::npos);
  CHECK(error("collective-pipeliner-forward").find("none does the same") != std::string::npos);
  CHECK(error("explicit-stream-annotation-async-wrapper").find("async-collective-creator") != std::string::npos);
  CHECK(error("reduction-spliter").find("unknown pass") == 0);
  CHECK(BuiltinPasses().Make("TopkDecomposer", {}).ok());  // the name of a class
  for (size_t row = 0; AbsentPassReplacement(row) != "end"; ++row) {
    std::istringstream passes{std::string(AbsentPassReplacement(row))};
    for (std::string pass; passes >> pass;) {
      INFO(pass);
      CHECK(BuiltinPasses().Find(pass) != nullptr);
    }
  }
}

TEST_CASE("a pass is put into a pipeline beside another, in the same group") {
  using Names = std::vector<std::string>;
  const auto before = [](Names names, const char* at) {
    return InsertBefore(names, at, "new").ok() ? names : Names{"error"};
  };
  const auto after = [](Names names, const char* at) {
    return InsertAfter(names, at, "new").ok() ? names : Names{"error"};
  };
  const Names names = {"cse", "[dce{math=fast}", "fusion]", "[cse]"};
  CHECK(before(names, "cse") == Names{"new", "cse", "[dce{math=fast}", "fusion]", "[cse]"});
  CHECK(after(names, "cse") == Names{"cse", "new", "[dce{math=fast}", "fusion]", "[cse]"});
  CHECK(before(names, "dce") == Names{"cse", "[new", "dce{math=fast}", "fusion]", "[cse]"});
  CHECK(after(names, "dce") == Names{"cse", "[dce{math=fast}", "new", "fusion]", "[cse]"});
  CHECK(after(names, "fusion") == Names{"cse", "[dce{math=fast}", "fusion", "new]", "[cse]"});
  CHECK(after({"[cse]"}, "cse") == Names{"[cse", "new]"});
  CHECK(before({"[cse]"}, "cse") == Names{"[new", "cse]"});
  CHECK(before(names, "no-such-pass") == Names{"error"});

  PassRegistry registry = Extended();
  REQUIRE(InsertBefore(registry.default_pipeline(), "fusion", "drop-reverses").ok());
  RewriteLog log;
  PassOptions options;
  options.rewriter = &log;
  auto pipeline = MakePipeline(registry, {}, options);
  REQUIRE(pipeline.ok());
  const std::unique_ptr<HloModule> module = Reverses();
  REQUIRE(pipeline->RunOnce(*module).ok());
  REQUIRE(VerifyModule(*module).ok());
  std::vector<std::string> order;
  for (const PassRun& run : pipeline->runs()) order.push_back(run.pass);
  const auto added = std::find(order.begin(), order.end(), "drop-reverses");
  REQUIRE(added != order.end());
  CHECK(*(added + 1) == "fusion");
}

TEST_CASE("a pass without a name in any registry goes into a pipeline that was made") {
  for (const bool first : {true, false}) {
    auto pipeline = MakePipeline(std::vector<std::string>{"cse", "[dce", "tuple-simplifier]"}, {});
    REQUIRE(pipeline.ok());
    auto pass = std::make_unique<DropReverses>("mine", PassOptions());
    const Status placed =
        first ? pipeline->InsertBefore("cse", std::move(pass)) : pipeline->InsertAfter("dce", std::move(pass));
    REQUIRE(placed.ok());
    CHECK_FALSE(pipeline->InsertBefore("fusion", std::make_unique<DropReverses>("mine", PassOptions())).ok());
    REQUIRE(pipeline->RunOnce(*Reverses()).ok());
    CHECK(pipeline->runs()[first ? 0 : 2].pass == "mine");
    CHECK(pipeline->runs()[first ? 0 : 2].changed);
  }
}

TEST_CASE("hooks are told of each run of a pass, and whether it changed the module") {
  std::vector<std::string> seen;
  PipelineOptions hooks;
  hooks.before = [&](const PassEvent& event, const HloModule&) {
    CHECK(event.run == nullptr);
    seen.push_back("before " + std::string(event.pass) + " " + std::to_string(event.number));
    return OkStatus();
  };
  hooks.after = [&](const PassEvent& event, const HloModule& module) {
    REQUIRE(event.run != nullptr);
    CHECK(event.run->changed == event.changed);
    CHECK(event.run->instructions_after == module.instruction_count());
    seen.push_back(std::string(event.pass) + (event.changed ? " changed" : " did not"));
    return OkStatus();
  };
  auto pipeline = MakePipeline(Extended(), std::vector<std::string>{"cse", "drop-reverses"}, {}, hooks);
  REQUIRE(pipeline.ok());
  REQUIRE(pipeline->RunOnce(*Reverses()).ok());
  CHECK(seen ==
        std::vector<std::string>{"before cse 0", "cse did not", "before drop-reverses 1", "drop-reverses changed"});
}

TEST_CASE("the pipeline without names and options folds constants") {
  auto module = ParseModule(
      "HloModule m\nENTRY e {\n  a = f32[] constant(3)\n  b = f32[] constant(4)\n  ROOT sum = f32[] add(a, b)\n}\n");
  REQUIRE(module.ok());
  auto pipeline = MakePipeline({}, {});
  REQUIRE(pipeline.ok());
  REQUIRE(pipeline->RunOnce(**module).ok());
  const HloInstruction* root = (*module)->entry_computation()->root();
  REQUIRE(root->IsConstant());
  CHECK(root->literal().GetAsDouble(0) == 7);
}

TEST_CASE("a run that only puts the module into the order of its text says that it changed it") {
  // The operands of the root are in the other order in the text.
  auto module = ParseModule(
      "HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  a = f32[] negate(x)\n  b = f32[] exponential(x)\n"
      "  ROOT s = f32[] subtract(b, a)\n}\n");
  REQUIRE(module.ok());
  auto pipeline = MakePipeline(std::vector<std::string>{"dce"}, {});
  REQUIRE(pipeline.ok());
  auto changed = pipeline->RunOnce(**module);
  REQUIRE(changed.ok());
  CHECK(*changed);
  changed = pipeline->RunOnce(**module);
  REQUIRE(changed.ok());
  CHECK_FALSE(*changed);
}

TEST_CASE("the catalogue has every rule of every pass, with its formula and class") {
  size_t rules = 0;
  for (const PassInfo& pass : BuiltinPasses().passes()) {
    INFO(pass.name);
    CHECK_FALSE(pass.description.empty());
    CHECK_FALSE(pass.rules.empty());
    for (const RuleInfo& rule : pass.rules) {
      INFO(rule.name);
      CHECK(rule.formula.find(" => ") != std::string_view::npos);
    }
    rules += pass.rules.size();
  }
  CHECK(rules > 565);
}

}  // namespace
}  // namespace hloir
