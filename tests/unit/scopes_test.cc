// The parts of a computation: folding, layers, patterns and cuts; each node is in one scope, and no scope has too many
// items.
#include "scopes/scopes.h"

#include <filesystem>
#include <set>

#include "hloir/builder.h"
#include "hloir/io.h"
#include "scopes/patterns.h"
#include "scopes/repeats.h"
#include "scopes/waist.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"
#include "tests/unit/parse.h"

using namespace hloir;

namespace {

Flow FlowOf(const HloModule& module, size_t few = 0, bool fold_parameters = true) {
  return MakeFlow(FlowOrder(*module.entry_computation()), few, fold_parameters);
}
std::vector<std::string> Names(const Flow& flow) {
  std::vector<std::string> names;
  for (const Flow::Node& node : flow.nodes) names.emplace_back(node.instruction->name());
  return names;
}
std::vector<std::string> Titles(const std::vector<Scope>& scopes, int32_t parent = 0) {
  std::vector<std::string> titles;
  for (const Scope& scope : scopes)
    if (scope.parent == parent) titles.push_back(scope.title);
  return titles;
}
std::vector<int32_t> All(const Flow& flow) {
  std::vector<int32_t> all;
  for (size_t k = 0; k < flow.nodes.size(); ++k) all.push_back(static_cast<int32_t>(k));
  return all;
}

// A transformer's layer: a norm, attention, a norm and an MLP, 16 wide; `extra` has one instruction more.
std::string Layer(int k, const std::string& x, bool extra = false) {
  const auto n = [&](const char* name) { return name + std::to_string(k); };
  std::string text;
  const auto line = [&](const char* name, const std::string& rest) { text += "  " + n(name) + " = " + rest + "\n"; };
  const auto norm = [&](const std::string& p, const std::string& from) {
    line(("sq" + p).c_str(), "f32[8,16] multiply(" + from + ", " + from + ")");
    line(("va" + p).c_str(), "f32[8] reduce(" + n(("sq" + p).c_str()) + ", zero), dimensions={1}, to_apply=sum");
    line(("rs" + p).c_str(), "f32[8] rsqrt(" + n(("va" + p).c_str()) + ")");
    line(("bc" + p).c_str(), "f32[8,16] broadcast(" + n(("rs" + p).c_str()) + "), dimensions={0}");
    line(("no" + p).c_str(), "f32[8,16] multiply(" + from + ", " + n(("bc" + p).c_str()) + ")");
  };
  norm("a", x);
  const std::string in = n("noa");
  for (const char* name : {"q", "k", "v"})
    line(name, "f32[8,16] dot(" + in + ", w), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  if (extra) line("more", "f32[8,16] negate(" + n("q") + ")");
  line("sc", "f32[8,8] dot(" + (extra ? n("more") : n("q")) + ", " + n("k") +
                 "), lhs_contracting_dims={1}, rhs_contracting_dims={1}");
  line("m", "f32[8] reduce(" + n("sc") + ", low), dimensions={1}, to_apply=larger");
  line("mb", "f32[8,8] broadcast(" + n("m") + "), dimensions={0}");
  line("d", "f32[8,8] subtract(" + n("sc") + ", " + n("mb") + ")");
  line("e", "f32[8,8] exponential(" + n("d") + ")");
  line("t", "f32[8] reduce(" + n("e") + ", zero), dimensions={1}, to_apply=sum");
  line("tb", "f32[8,8] broadcast(" + n("t") + "), dimensions={0}");
  line("p", "f32[8,8] divide(" + n("e") + ", " + n("tb") + ")");
  line("o", "f32[8,16] dot(" + n("p") + ", " + n("v") + "), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  line("r", "f32[8,16] add(" + x + ", " + n("o") + ")");
  norm("b", n("r"));
  line("up", "f32[8,16] dot(" + n("nob") + ", w), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  line("gate", "f32[8,16] dot(" + n("nob") + ", w), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  line("act", "f32[8,16] logistic(" + n("gate") + ")");
  line("prod", "f32[8,16] multiply(" + n("act") + ", " + n("up") + ")");
  line("down", "f32[8,16] dot(" + n("prod") + ", w), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  line("out", "f32[8,16] add(" + n("r") + ", " + n("down") + ")");
  return text;
}
std::string Model(int layers, int extra = -1) {
  std::string text = R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
larger {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] maximum(a, b)
}
ENTRY e {
  x = f32[8,16] parameter(0)
  w = f32[16,16] parameter(1)
  zero = f32[] constant(0)
  low = f32[] constant(-inf)
)";
  std::string x = "x";
  for (int k = 0; k < layers; ++k) text += Layer(k, x, k == extra), x = "out" + std::to_string(k);
  return text + "  ROOT result = f32[8,16] tanh(" + x + ")\n}\n";
}

}  // namespace

TEST_CASE("constants, their broadcasts, parameters, tuples and bitcasts are folded into what they serve") {
  auto module = Parse(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  y = (f32[4], s32[]) parameter(1)
  one = f32[] constant(1)
  ones = f32[4] broadcast(one), dimensions={}
  y0 = f32[4] get-tuple-element(y), index=0
  a = f32[4] add(x, ones)
  b = f32[4] multiply(a, y0)
  c = f32[2,2] bitcast(b)
  d = f32[2,2] negate(c)
  pair = (f32[2,2], f32[4]) tuple(d, a)
  two = (f32[2,2], f32[4]) custom-call(pair), custom_call_target="t"
  two0 = f32[2,2] get-tuple-element(two), index=0
  shown = f32[2,2] custom-call(two0), custom_call_target="Sharding"
  ROOT r = f32[2,2] exponential(shown)
})");
  const Flow flow = FlowOf(*module);
  CHECK(Names(flow) == std::vector<std::string>{"a", "b", "d", "two", "r"});
  const auto folded = [&](size_t n) {
    std::vector<std::string> names;
    for (const HloInstruction* i : flow.nodes[n].folded) names.emplace_back(i->name());
    return names;
  };
  CHECK(folded(0) == std::vector<std::string>{"x", "one", "ones"});
  CHECK(folded(1) == std::vector<std::string>{"y", "y0", "c"});
  CHECK(folded(3) == std::vector<std::string>{"pair", "two0", "shown"});
  CHECK(flow.nodes[3].operands == std::vector<int32_t>{0, 2});
  CHECK(flow.nodes[4].operands == std::vector<int32_t>{3});
  CHECK(flow.nodes[0].users == std::vector<int32_t>{1, 3});
  // Of few instructions nothing is, and parameters only if it is asked for.
  CHECK(FlowOf(*module, 100).nodes.size() == 14);
  CHECK(FlowOf(*module, 0, false).nodes.size() == 7);
}

TEST_CASE("a computation of nothing but what is folded still has a node") {
  auto module = Parse(
      "HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT c = f32[] constant(1)\n}\n");
  CHECK(Names(FlowOf(*module)) == std::vector<std::string>{"c"});
  const HloInstruction* x = module->entry_computation()->parameter(0);
  CHECK(MakeFlow(std::span(&x, 1), 0, true).nodes.size() == 1);
}

TEST_CASE("layers are found by structure, and named") {
  auto module = Parse(Model(6));
  const Flow flow = FlowOf(*module);
  const Repeat repeat = FindRepeat(flow, All(flow));
  CHECK(repeat.layers() == 6);
  const std::vector<Scope> scopes = FindScopes(flow, 30);
  const std::vector<std::string> titles = Titles(scopes);
  REQUIRE(!titles.empty());
  CHECK(titles.front() == "layer 1 … 6 of 6");
  CHECK(Titles(scopes, 1) == std::vector<std::string>{"layer 1 of 6", "layer 2 of 6", "layer 3 of 6", "layer 4 of 6",
                                                      "layer 5 of 6", "layer 6 of 6"});
}

TEST_CASE("what repeats without a product is no layer") {
  std::string text = "HloModule m\nENTRY e {\n  x0 = f32[4] parameter(0)\n";
  const char* ops[] = {"negate", "cosine", "sine", "tanh", "abs", "exponential", "logistic", "floor", "ceil", "sqrt"};
  for (int k = 1; k <= 160; ++k)
    text += "  x" + std::to_string(k) + " = f32[4] " + ops[(k * k / 3 + k) % 20 % 10] + "(x" + std::to_string(k - 1) +
            ")\n";
  auto module = Parse(text + "  ROOT r = f32[4] tanh(x160)\n}\n");
  const std::vector<std::string> titles = Titles(FindScopes(FlowOf(*module), 24));
  REQUIRE(!titles.empty());
  CHECK(titles.front().starts_with("repeat 1"));
}

TEST_CASE("an instruction more in one layer is no end of the layers") {
  auto module = Parse(Model(6, 3));
  const Flow flow = FlowOf(*module);
  CHECK(FindRepeat(flow, All(flow)).layers() == 6);
}

TEST_CASE("what does not repeat has no layers") {
  auto module = Parse(Model(1));
  const Flow flow = FlowOf(*module);
  CHECK(FindRepeat(flow, All(flow)).layers() == 0);
}

TEST_CASE("attention, norms and MLPs are known by their form") {
  auto module = Parse(Model(1));
  const Flow flow = FlowOf(*module);
  std::vector<std::string> titles;
  for (const Pattern& pattern : FindPatterns(flow, All(flow))) titles.push_back(pattern.title);
  CHECK(titles == std::vector<std::string>{"RMS norm", "attention", "RMS norm", "MLP"});
}

TEST_CASE("a block of JAX: a mean makes a layer norm, a call to jit(_where) is no end of an attention") {
  auto module = ReadModule(std::string(kCorpusFolder) + "/with_metadata/transformer_block_forward.hlo");
  REQUIRE(module.ok());
  const Flow flow = FlowOf(**module);
  std::vector<std::string> titles;
  for (const Pattern& pattern : FindPatterns(flow, All(flow))) titles.push_back(pattern.title);
  CHECK(titles == std::vector<std::string>{"layer norm", "attention", "layer norm", "MLP"});
}

TEST_CASE("op_names make scopes; one without a scope belongs to its neighbours") {
  std::string text = "HloModule m\nENTRY e {\n  x0 = f32[4] parameter(0)\n";
  for (int k = 1; k <= 24; ++k) {
    const std::string name = k == 7 ? "reduce_sum" : std::string("jit(f)/") + (k <= 12 ? "encoder" : "decoder") + "/op";
    text += "  x" + std::to_string(k) + " = f32[4] " + (k % 2 ? "negate" : "cosine") + "(x" + std::to_string(k - 1) +
            "), metadata={op_name=\"" + name + "\"}\n";
  }
  auto module = Parse(text + "  ROOT r = f32[4] tanh(x24), metadata={op_name=\"jit(f)/tanh\"}\n}\n");
  const std::vector<Scope> scopes = FindScopes(FlowOf(*module), 30);
  CHECK(Titles(scopes) == std::vector<std::string>{"encoder", "decoder"});
  CHECK(scopes[0].items.size() == 3);
}

TEST_CASE("layers without numbers in their op_names are told apart") {
  // The same two scopes in each of six layers.
  std::string text = Model(6), named;
  size_t at = 0;
  for (size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string line = text.substr(at, end - at);
    const bool op = line.find("dot(") != std::string::npos, other = line.find("f32[8") != std::string::npos;
    named += line;
    if (line.find("parameter") == std::string::npos && (op || other))
      named += std::string(", metadata={op_name=\"jit(f)/layers/") + (op ? "products" : "rest") + "/x\"}";
    named += "\n";
  }
  const std::vector<std::string> titles = Titles(FindScopes(FlowOf(*Parse(named)), 30));
  REQUIRE(!titles.empty());
  CHECK(titles.front() == "layer 1 … 6 of 6");
}

TEST_CASE("a cut is where few values pass") {
  CHECK(CutAtWaists({0, 3, 3, 3, 1, 3, 3, 3, 3, 3}, 2) == std::vector<size_t>{0, 4});
  CHECK(CutAtWaists({0, 3, 3, 3, 3, 3}, 3) == std::vector<size_t>{0, 2, 4});
  auto module = Parse(Model(2));
  const Flow flow = FlowOf(*module);
  const std::vector<int32_t> passing = ValuesPassing(flow, All(flow));
  CHECK(passing.front() == 0);
  CHECK(passing.back() == 1);
}

TEST_CASE("of every module each node is in one scope, and no scope has too many items") {
  size_t scopes_seen = 0;
  for (const std::filesystem::path& path : FilesIn(std::string(kCorpusFolder) + "/modules")) {
    INFO(path.string());
    auto module = ReadModule(path.string());
    REQUIRE(module.ok());
    const Flow flow = FlowOf(**module);
    std::set<int32_t> seen;
    const std::vector<Scope> scopes = FindScopes(flow, 30);
    for (size_t s = 0; s < scopes.size(); ++s) {
      CHECK(scopes[s].items.size() <= 30);
      CHECK(!scopes[s].items.empty());
      for (const Scope::Item& item : scopes[s].items) {
        if (item.node >= 0) CHECK(seen.insert(item.node).second);
        else CHECK(scopes[static_cast<size_t>(item.scope)].parent == static_cast<int32_t>(s));
      }
      scopes_seen += s > 0;
    }
    CHECK(seen.size() == flow.nodes.size());
  }
  CHECK(scopes_seen > 100);
}

TEST_CASE("a chain of a hundred thousand is divided") {
  HloModule module("long");
  HloBuilder b(module, "main");
  auto x = b.Parameter(0, Shape::Array(PrimitiveType::F32, {4}), "x");
  for (int k = 0; k < 100000; ++k) x = b.Negate(x);
  REQUIRE(b.BuildEntry(x).ok());
  for (const Scope& scope : FindScopes(FlowOf(module), 30)) CHECK(scope.items.size() <= 30);
}

TEST_CASE("an instruction with very many operands and users, and a tuple, take no long time") {
  constexpr int kMany = 10000;
  HloModule module("wide");
  HloBuilder b(module, "main");
  std::vector<HloBuilder::Op> parts, results;
  auto x = b.Parameter(0, Shape::Array(PrimitiveType::F32, {1}), "x");
  for (int k = 0; k < kMany; ++k) parts.push_back(b.Negate(x));
  auto all = b.Concatenate(parts, 0);
  for (int k = 0; k < kMany; ++k) results.push_back(b.Exp(all));
  REQUIRE(b.BuildEntry(b.Tuple(results)).ok());
  for (const Scope& scope : FindScopes(FlowOf(module), 24)) CHECK(scope.items.size() <= 24);
}
