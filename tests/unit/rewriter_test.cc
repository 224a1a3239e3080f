// The gate of rewrites: ids, logs, proposals, fuel, selection by id, disabled rules; and metadata of replaced
// instructions.
#include <algorithm>

#include "hloir/evaluator.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "hloir/printer.h"
#include "rewrite/proposals.h"
#include "hloir/rules.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

namespace hloir {
namespace {

void Run(HloModule& module, std::vector<std::string> passes, PassOptions options = {}) {
  StatusOr<HloPassPipeline> pipeline = MakePipeline(passes, options);
  REQUIRE(pipeline.ok());
  REQUIRE(pipeline->RunOnce(module).ok());
}

constexpr char kText[] = R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  one = f32[] constant(1)
  ones = f32[4] broadcast(one), dimensions={}
  y = f32[4] multiply(x, ones), metadata={op_name="times one" source_file="a.py" source_line=3}
  n = f32[4] negate(y)
  ROOT r = f32[4] negate(n), metadata={op_name="minus"}
}
)";

TEST_CASE("a record says what went, what came and where it was written") {
  std::unique_ptr<HloModule> module = Parse(kText);
  RewriteLog log;
  PassOptions options;
  options.rewriter = &log;
  Run(*module, {"algebraic-simplifier"}, options);
  REQUIRE(log.entries().size() == 2);
  const RewriteLog::Entry& entry = log.entries()[0];
  CHECK(entry.id == "algebraic-simplifier/multiply-one@e/y");
  CHECK(entry.operands == std::vector<std::string>{"x", "ones"});
  CHECK(std::count(entry.before.begin(), entry.before.end(), '\n') == 2);  // one, ones, y
  CHECK(entry.before.starts_with("%one = f32[] constant(1)\n%ones ="));
  CHECK(entry.after == "%x = f32[4]{0} parameter(0)");
  CHECK(entry.sources == std::vector<std::string>{"times one at a.py:3"});
  CHECK(entry.outcome == RewriteLog::Outcome::kApplied);
  CHECK(log.counts().at("algebraic-simplifier/negate-negate") == 1);
  const HloInstruction* x = module->entry_computation()->root();
  CHECK(x->metadata() == nullptr);
  CHECK(x->merged_metadata().size() == 2);
}

TEST_CASE("a proposal says what would come, and the module stays as it is") {
  const std::unique_ptr<HloModule> module = Parse(kText);
  const std::string text = PrintModule(*module);
  const std::vector<std::string> names = {"[algebraic-simplifier", "cse]"};
  const StatusOr<Proposals> found = FindProposals(*module, BuiltinPasses(), names);
  REQUIRE(found.ok());
  CHECK(PrintModule(*module) == text);
  CHECK(found->untried == 0);
  REQUIRE(found->entries.size() >= 2);
  CHECK(found->entries[0].id == "algebraic-simplifier/multiply-one@e/y");
  CHECK(found->entries[0].outcome == RewriteLog::Outcome::kProposed);
  CHECK(found->entries[0].before.starts_with("%one = f32[] constant(1)\n%ones ="));
  CHECK(found->entries[0].after == "%x = f32[4]{0} parameter(0)");
  // Each by itself: y is still there.
  CHECK(found->entries.back().id == "algebraic-simplifier/negate-negate@e/r");
  CHECK(found->entries.back().after.starts_with("%y = f32[4]{0} multiply(%x, %ones)"));

  const StatusOr<Proposals> one = FindProposals(*module, BuiltinPasses(), names, {}, module->instruction_count());
  REQUIRE(one.ok());
  CHECK(one->untried == static_cast<int64_t>(one->entries.size()) - 1);
  CHECK(!one->entries.front().after.empty());
  CHECK(one->entries.back().after.empty());
}

TEST_CASE("many proposals share copies, and say what one alone would") {
  // Two rules for each select, and each of the two reads the one before.
  constexpr int kSelects = 700;
  std::string text =
      "HloModule m\nENTRY e {\n  p = pred[4] parameter(0)\n  x0 = f32[4] parameter(1)\n  y = f32[4] parameter(2)\n";
  for (int i = 1; i <= kSelects; ++i)
    text += "  " + std::string(i == kSelects ? "ROOT " : "") + "x" + std::to_string(i) + " = f32[4] select(p, x" +
            std::to_string(i - 1) + ", y)\n";
  const std::unique_ptr<HloModule> module = Parse(text + "}\n");
  const std::vector<std::string> names = {"algebraic-simplifier"};
  const StatusOr<Proposals> found = FindProposals(*module, BuiltinPasses(), names);
  REQUIRE(found.ok());
  REQUIRE(found->entries.size() > 2 * (kSelects - 2));
  CHECK(found->untried == 0);
  for (const RewriteLog::Entry& entry : found->entries) {
    if (entry.rule != "select-nested") continue;
    // select(p, select(p, a, y), y) => select(p, a, y), with the a of this place.
    const int at = std::stoi(entry.instruction.substr(1));
    CHECK(entry.after.find("select(%p, %x" + std::to_string(at - 2) + ", %y)") != std::string::npos);
    CHECK(entry.before.find("%x" + std::to_string(at - 1) + " = ") != std::string::npos);
  }
}

TEST_CASE("proposals are found once, change nothing, and can be taken by their ids") {
  std::unique_ptr<HloModule> module = Parse(kText);
  const std::string before = PrintModule(*module);
  RewriteLog proposals;
  proposals.propose_only = true;
  PassOptions options;
  options.rewriter = &proposals;
  Run(*module, {}, options);
  CHECK(PrintModule(*module) == before);
  std::set<std::string> ids;
  for (const RewriteLog::Entry& entry : proposals.entries()) {
    CHECK(entry.outcome == RewriteLog::Outcome::kProposed);
    CHECK(ids.insert(entry.id).second);
  }
  REQUIRE(ids.contains("algebraic-simplifier/negate-negate@e/r"));
  REQUIRE(ids.contains("algebraic-simplifier/multiply-one@e/y"));

  RewriteLog taken;
  taken.take_only = true;
  taken.take = {"algebraic-simplifier/negate-negate@e/r", "algebraic-simplifier/no-such-rule@e/r"};
  options.rewriter = &taken;
  Run(*module, {}, options);
  CHECK(taken.allowed() == 1);
  CHECK(taken.take.size() == 1);  // nobody had the other one
  CHECK(module->entry_computation()->root()->name() == "y");
}

TEST_CASE("the search for a rewrite that cannot be allowed is skipped") {
  std::unique_ptr<HloModule> module = Parse(kText);
  const HloComputation& entry = *module->entry_computation();
  RewriteLog log;
  log.take_only = true;
  log.take = {"fusion/fuse@e/r"};
  CHECK(log.MayAllow("fusion", "fuse", *entry.root()));
  CHECK(!log.MayAllow("fusion", "fuse", *entry.root()->operand(0)));
  CHECK(!log.MayAllow("fusion", "multi-output", *entry.root()));
  PassOptions options;
  options.rewriter = &log;
  Run(*module, {"fusion"}, options);
  REQUIRE(log.entries().size() == 1);
  CHECK(log.entries()[0].id == "fusion/fuse@e/r");
  CHECK(!log.MayAllow("fusion", "fuse", *entry.root()));  // it was taken
  // Without a selection, each rewrite may be allowed.
  CHECK(RewriteLog().MayAllow("fusion", "fuse", *entry.root()));

  struct NoFusion : RewriteLog {
    bool Allow(const Rewrite& rewrite) override {
      asked = asked || rewrite.rule == "fuse";
      return false;
    }
    bool MayAllow(std::string_view, std::string_view rule, const HloInstruction&) const override {
      return rule != "fuse";
    }
    bool asked = false;
  } none;
  options.rewriter = &none;
  Run(*Parse(kText), {"fusion"}, options);
  CHECK(!none.asked);
}

TEST_CASE("a dead instruction is a change that is asked for, too") {
  std::unique_ptr<HloModule> module =
      Parse("HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  d = f32[] negate(x)\n  ROOT r = f32[] abs(x)\n}\n");
  RewriteLog proposals;
  proposals.propose_only = true;
  PassOptions options;
  options.rewriter = &proposals;
  Run(*module, {"algebraic-simplifier"}, options);
  CHECK(module->instruction_count() == 3);
  REQUIRE(proposals.entries().size() == 1);
  CHECK(proposals.entries()[0].id == "algebraic-simplifier/dead-instruction@e/d");
}

TEST_CASE("rules that are switched off are told apart from rules that do not exist") {
  std::unique_ptr<HloModule> module = Parse(kText);
  RewriteLog log;
  PassOptions options;
  options.rewriter = &log;
  options.disabled_rules = {"multiply-ones"};
  const auto refused = [&](const std::string& pass) {
    return MakePipeline(std::vector<std::string>{pass}, options).status().message();
  };
  CHECK(refused("algebraic-simplifier") == "no pass has a rule named 'multiply-ones'; did you mean 'multiply-one'?");
  options.disabled_rules.clear();
  CHECK(refused("cse{disable=fold}") == "the pass 'cse' does not have a rule named 'fold'");
  CHECK(refused("cse{disable=merge}").empty());
  CHECK(refused("dde") == "unknown pass 'dde'; did you mean 'dce'?");
  options.disabled_rules = {"multiply-one", "merge"};
  Run(*module, {"algebraic-simplifier"}, options);
  CHECK(log.disabled() == std::set<std::string, std::less<>>{"multiply-one"});
  CHECK_FALSE(log.counts().contains("algebraic-simplifier/multiply-one"));
}

// The final value of the root, as text.
std::string Merged(const HloInstruction& i) {
  std::string names;
  if (i.metadata() != nullptr) names = i.metadata()->op_name;
  for (const OpMetadata* m : i.merged_metadata()) names.append(",").append(m->op_name);
  return names;
}

TEST_CASE("what is merged, folded or fused keeps every metadata, in clones too, and text shows it on request") {
  std::unique_ptr<HloModule> cse = Parse(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  a = f32[4] negate(x), metadata={op_name="a"}
  b = f32[4] negate(x), metadata={op_name="b"}
  c = f32[4] negate(x), metadata={op_name="c"}
  again = f32[4] negate(x), metadata={op_name="b"}
  ROOT t = (f32[4], f32[4], f32[4], f32[4]) tuple(a, b, c, again)
}
)");
  Run(*cse, {"cse"});
  CHECK(Merged(*cse->entry_computation()->FindInstruction("a")) == "a,b,c");
  CHECK(Merged(*cse->Clone()->entry_computation()->FindInstruction("a")) == "a,b,c");
  CHECK(PrintModule(*cse).find("merged") == std::string::npos);
  PrintOptions print;
  print.print_merged_metadata = true;
  const std::string text = PrintModule(*cse, print);
  CHECK(text.find("metadata={op_name=\"a\"} /*merged: {op_name=\"b\"}, {op_name=\"c\"}*/") != std::string::npos);
  CHECK(PrintModule(*Parse(text)) == PrintModule(*cse));

  std::unique_ptr<HloModule> fold = Parse(R"(HloModule m
ENTRY e {
  a = s32[3] constant({1, 2, 3}), metadata={op_name="a"}
  n = s32[3] negate(a), metadata={op_name="*/n"}
  ROOT s = s32[3] abs(n), metadata={op_name="s"}
}
)");
  Run(*fold, {"constant-folding"});
  REQUIRE(fold->entry_computation()->root()->IsConstant());
  CHECK(Merged(*fold->entry_computation()->root()) == "s,*/n,a");
  CHECK(PrintModule(*Parse(PrintModule(*fold, print))) == PrintModule(*fold));

  std::unique_ptr<HloModule> fusion = Parse(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  n = f32[4] negate(x), metadata={op_name="n"}
  e = f32[4] exponential(n), metadata={op_name="e"}
  ROOT s = f32[4] abs(e), metadata={op_name="s"}
}
)");
  Run(*fusion, {"fusion"});
  CHECK(fusion->entry_computation()->root()->opcode() == HloOpcode::kFusion);
  CHECK(Merged(*fusion->entry_computation()->root()) == "s,e,n");
}

TEST_CASE("a chain of merges carries no more metadata than the limit") {
  std::string text = "HloModule m\nENTRY e {\n  x = f32[4] parameter(0)\n";
  std::string names;
  for (int k = 0; k < 1000; ++k) {
    const std::string n = std::to_string(k);
    text += "  a" + n + " = f32[4] negate(x), metadata={op_name=\"" + n + "\"}\n";
    names += (k > 0 ? ", a" : "a") + n;
  }
  std::string shapes = "f32[4]";
  for (int k = 1; k < 1000; ++k) shapes += ", f32[4]";
  text += "  ROOT t = (" + shapes + ") tuple(" + names + ")\n}\n";
  std::unique_ptr<HloModule> module = Parse(text);
  Run(*module, {"cse"});
  const HloInstruction* kept = module->entry_computation()->root()->operand(0);
  CHECK(kept->merged_metadata().size() == kMostMergedMetadata);
}

// -A => A + A, without a word to the gate.
HloInstruction* Unasked(HloInstruction* i, rules::RuleContext& c) {
  return c.Binary(HloOpcode::kAdd, i->operand(0), i->operand(0));
}
constexpr rules::Rule kUnasked[] = {
    {HloOpcode::kNegate, "unasked", "-A => A + A", MathMode::kExact, MathMode::kExact, Unasked}};

TEST_CASE("a rule that builds without asking is an error that names it") {
  PassRegistry registry;
  REQUIRE(registry.Add("mine", "", rules::DefineRulePass(kUnasked)).ok());
  std::unique_ptr<HloModule> module = Parse(kText);
  StatusOr<HloPassPipeline> pipeline = MakePipeline(registry, std::vector<std::string>{"mine"}, {});
  REQUIRE(pipeline.ok());
  const Status status = pipeline->RunOnce(*module).status();
  CHECK(status.code() == StatusCode::kInternal);
  CHECK(status.message() == "pass mine: the rule 'unasked' of mine built without asking Allow()");
  CHECK(module->entry_computation()->root()->opcode() == HloOpcode::kNegate);
}

TEST_CASE("an opportunity that could not be taken names what excluded it") {
  constexpr char kTwo[] = R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  a = f32[4] negate(x)
  b = f32[4] negate(a)
  c = f32[4] negate(b)
  ROOT d = f32[4] abs(c)
}
)";
  const std::vector<std::string> passes = {"algebraic-simplifier", "fusion{multi-output=false}"};
  RewriteLog proposed;
  proposed.propose_only = true;
  PassOptions options;
  options.rewriter = &proposed;
  Run(*Parse(kTwo), passes, options);
  const auto find = [&](std::string_view id) {
    for (const RewriteLog::Entry& entry : proposed.entries()) {
      if (entry.id == id) return entry.conflicts;
    }
    return std::vector<std::string>{"no such entry"};
  };
  constexpr char kB[] = "algebraic-simplifier/negate-negate@e/b", kC[] = "algebraic-simplifier/negate-negate@e/c";
  constexpr char kD[] = "fusion/fuse@e/d", kAbs[] = "algebraic-simplifier/abs-negate@e/d";
  // Two rules want d.
  CHECK(find(kAbs) == std::vector<std::string>{kD});
  CHECK(find(kD) == std::vector<std::string>{kAbs});
  CHECK(find("fusion/fuse@e/b") == std::vector<std::string>{kB});

  RewriteLog taken;
  taken.take_only = true;
  taken.keep_text = false;
  taken.take = {kB, kC, "cse/merge@e/x", "nonsense"};
  options.rewriter = &taken;
  Run(*Parse(kTwo), passes, options);
  // b became x, so c is negate(x), and no longer matches the rule.
  CHECK_FALSE(taken.take.contains(kB));
  CHECK(taken.ExcludedBy(kB) == kB);
  CHECK(taken.take.contains(kC));
  CHECK(taken.ExcludedBy(kC) == kB);
  CHECK(taken.ExcludedBy("cse/merge@e/x") == "");
  CHECK(taken.ExcludedBy("nonsense") == "");
  // The instructions that the taken one consumed besides its own.
  CHECK(taken.ExcludedBy("cse/merge@e/a") == kB);
}

}  // namespace
}  // namespace hloir
