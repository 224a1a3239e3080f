// check.h: inputs of typical values, and notes of a verdict on uninformative inputs.
#include "hloir/check.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "hloir/evaluator.h"
#include "tests/unit/catch.h"
#include "tests/unit/layer_norm_network.h"
#include "tests/unit/parse.h"

using namespace hloir;

namespace {

Verdict VerdictOf(const std::string& a, const std::string& b, std::vector<InputSet> inputs) {
  const auto before = Parse(a), after = Parse(b);
  CheckOptions options;
  options.proofs = Proofs::kNone;
  const auto verdict = Check(*before, *after, std::move(inputs), options);
  INFO(verdict.status().message());
  REQUIRE(verdict.ok());
  return *verdict;
}

double LargestOf(const Literal& literal) {
  double largest = 0;
  for (int64_t i = 0; i < literal.element_count(); ++i) largest = std::max(largest, std::abs(literal.GetAsDouble(i)));
  return largest;
}

}  // namespace

TEST_CASE("an epsilon of a layer norm is not lost in a deep network") {
  std::vector<double> epsilons(kNorms, 1e-6);
  const std::string before = LayerNormNetwork(epsilons, false), right = LayerNormNetwork(epsilons, true);
  epsilons.back() = 1e-3;
  const std::string wrong = LayerNormNetwork(epsilons, true);
  const auto inputs = [&](InputKind kind) {
    std::vector<InputSet> sets;
    sets.push_back(*MakeInputSet(*Parse(before), {}, 0, kind));
    return sets;
  };
  // With weights of deviation 1 the variance is some 10^20 there, and the epsilon is smaller than the rounding error of
  // a mean by reciprocal.
  CHECK(VerdictOf(before, wrong, inputs(InputKind::kPlain)).agrees());
  CHECK(VerdictOf(before, right, inputs(InputKind::kTypical)).answer == Answer::kTested);
  CHECK(VerdictOf(before, wrong, inputs(InputKind::kTypical)).answer == Answer::kDifferent);
}

TEST_CASE("made-up inputs have a typical set where the module tells what is typical") {
  const auto has_typical = [](const std::string& op) {
    const std::string text =
        "HloModule m\nENTRY e {\n  x = f32[2,2]{1,0} parameter(0)\n  ROOT r = f32[2,2]{1,0} " + op + "\n}\n";
    const auto before = Parse(text), after = Parse(text);
    CheckOptions options;
    options.proofs = Proofs::kNone;
    Checker checker(*before, {}, options);
    REQUIRE(checker.Check(*after).ok());
    return std::any_of(checker.inputs().begin(), checker.inputs().end(),
                       [](const InputSet& set) { return set.kind == InputKind::kTypical; });
  };
  CHECK(has_typical("dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
  CHECK_FALSE(has_typical("add(x, x)"));
}

TEST_CASE("typical inputs of an optimizer have positive second moments and numbers of steps") {
  const auto module = Parse(
      "HloModule adam\nENTRY e {\n  g = f32[64] parameter(0)\n  v = f32[64] parameter(1)\n  t = f32[] parameter(2)\n"
      "  b = f32[] constant(0.999)\n  bs = f32[64] broadcast(b), dimensions={}\n  old = f32[64] multiply(v, bs)\n"
      "  c = f32[] constant(0.001)\n  cs = f32[64] broadcast(c), dimensions={}\n  cg = f32[64] multiply(cs, g)\n"
      "  new = f32[64] multiply(cg, g)\n  sum = f32[64] add(old, new)\n  one = f32[] constant(1)\n"
      "  p = f32[] power(b, t)\n  d = f32[] subtract(one, p)\n  ds = f32[64] broadcast(d), dimensions={}\n"
      "  q = f32[64] divide(sum, ds)\n  ROOT r = f32[64] sqrt(q)\n}\n");
  const StatusOr<InputSet> set = MakeInputSet(*module, {}, 0, InputKind::kTypical);
  REQUIRE(set.ok());
  const auto negative = [&](size_t k) {
    const Literal& value = set->devices[0][k];
    int64_t count = 0;
    for (int64_t i = 0; i < value.element_count(); ++i) count += value.GetAsDouble(i) < 0;
    return count;
  };
  CHECK(negative(0) > 0);  // a gradient has both signs
  CHECK(negative(1) == 0);
  CHECK(negative(2) == 0);
}

TEST_CASE("typical inputs keep the numbers of a deep network near 1") {
  std::string text = "HloModule deep\nENTRY e {\n  x.0 = f32[4,64]{1,0} parameter(0)\n";
  constexpr int kDeep = 30;
  for (int k = 0; k < kDeep; ++k) {
    const std::string layer = std::to_string(k);
    // A weight of any layout, and one that a loop would slice from all layers' weights.
    text += "  w." + layer + " = f32[1,64,64]{2,1,0} parameter(" + std::to_string(k + 1) + ")\n  t." + layer +
            " = f32[64,64]{1,0} reshape(w." + layer + ")\n  u." + layer + " = f32[64,64]{1,0} transpose(t." + layer +
            "), dimensions={1,0}\n  x." + std::to_string(k + 1) + " = f32[4,64]{1,0} dot(x." + layer + ", u." + layer +
            "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  }
  text += "  ROOT r = f32[4,64]{1,0} copy(x." + std::to_string(kDeep) + ")\n}\n";
  const auto module = Parse(text);
  const auto largest = [&](InputKind kind) {
    const auto inputs = MakeFakeInputs(*module, 0, kind);
    REQUIRE(inputs.ok());
    std::vector<const Literal*> arguments;
    for (const Literal& input : *inputs) arguments.push_back(&input);
    const auto result = MakeReferenceEvaluator()->EvaluateComputation(*module->entry_computation(), arguments);
    REQUIRE(result.ok());
    return LargestOf(*result);
  };
  CHECK(largest(InputKind::kPlain) > 1e20);
  const double typical = largest(InputKind::kTypical);
  CHECK(typical > 0.01);
  CHECK(typical < 100);
}

TEST_CASE("typical inputs of roots and logarithms are positive, other inputs are of both signs") {
  const auto module = Parse(
      "HloModule m\nENTRY e {\n  m = f32[64]{0} parameter(0)\n  v = f32[64]{0} parameter(1)\n  p = f32[64]{0} "
      "parameter(2)\n  e = f32[] constant(1e-5)\n  es = f32[64]{0} broadcast(e), dimensions={}\n  ve = f32[64]{0} "
      "add(v, es)\n  r = f32[64]{0} rsqrt(ve)\n  one = f32[] constant(1)\n  ones = f32[64]{0} broadcast(one), "
      "dimensions={}\n  q = f32[64]{0} subtract(ones, p)\n  l = f32[64]{0} log(q)\n  a = f32[64]{0} multiply(m, r)\n"
      "  ROOT s = f32[64]{0} add(a, l)\n}\n");
  const auto inputs = MakeFakeInputs(*module, 0, InputKind::kTypical);
  REQUIRE(inputs.ok());
  const auto smallest = [&](size_t k) {
    double value = INFINITY;
    for (int64_t i = 0; i < 64; ++i) value = std::min(value, (*inputs)[k].GetAsDouble(i));
    return value;
  };
  CHECK(smallest(0) < 0);
  CHECK(smallest(1) > 0);
  CHECK(smallest(2) > 0);
  CHECK(LargestOf((*inputs)[2]) < 1);
}

TEST_CASE("indices that the module says are sorted are made so") {
  const auto module = [](const char* sorted) {
    return Parse(std::string("HloModule m\nENTRY e {\n  x = f32[100]{0} parameter(0)\n  i = s32[40,1]{1,0} "
                             "parameter(1)\n  ROOT g = f32[40]{0} gather(x, i), offset_dims={}, "
                             "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}") +
                 sorted + "\n}\n");
  };
  const auto is_sorted = [](const HloModule& m, InputKind kind) {
    const auto inputs = MakeFakeInputs(m, 0, kind);
    REQUIRE(inputs.ok());
    const auto indices = (*inputs)[1].data<int32_t>();
    CHECK(indices.front() != indices.back());
    return std::is_sorted(indices.begin(), indices.end());
  };
  CHECK_FALSE(is_sorted(*module(""), InputKind::kPlain));
  CHECK(is_sorted(*module(", indices_are_sorted=true"), InputKind::kPlain));
  CHECK(is_sorted(*module(", indices_are_sorted=true"), InputKind::kEdges));
}

TEST_CASE("zeros tell nothing of a result that rounding errors decide elsewhere") {
  // The logistic map, which stays at 0 where it is.
  const auto text = [](const std::string& turn) {
    return "HloModule l\nbody { t = (s32[], f32[8]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n v = "
           "f32[8] get-tuple-element(t), index=1\n one = s32[] constant(1)\n j = s32[] add(i, one)\n k = f32[] "
           "constant(3.99)\n ks = f32[8] broadcast(k), dimensions={}\n u = f32[] constant(1)\n us = f32[8] "
           "broadcast(u), dimensions={}\n w = f32[8] subtract(us, v)\n " +
           turn +
           " ROOT r = (s32[], f32[8]) tuple(j, n) }\non { t = (s32[], f32[8]) parameter(0)\n i = s32[] "
           "get-tuple-element(t), index=0\n m = s32[] constant(100)\n ROOT c = pred[] compare(i, m), direction=LT }\n"
           "ENTRY e { x = f32[8] parameter(0)\n z = s32[] constant(0)\n t = (s32[], f32[8]) tuple(z, x)\n w = (s32[], "
           "f32[8]) while(t), condition=on, body=body\n ROOT g = f32[8] get-tuple-element(w), index=1 }\n";
  };
  const std::string a = text("p = f32[8] multiply(ks, v)\n n = f32[8] multiply(p, w)\n");
  const std::string b = text("p = f32[8] multiply(v, w)\n n = f32[8] multiply(ks, p)\n");
  const auto inputs = [](double value) {
    InputSet set;
    Literal literal(Shape::Array(PrimitiveType::F32, {8}));
    for (int64_t i = 0; i < 8; ++i) literal.SetFromDouble(i, value * static_cast<double>(i + 1));
    set.devices.emplace_back().push_back(std::move(literal));
    return set;
  };
  const Verdict verdict = VerdictOf(a, b, {inputs(0.1), inputs(0)});
  INFO(verdict.ToString());
  CHECK(verdict.answer == Answer::kNotJudged);
  // Zeros alone are no noise.
  CHECK(VerdictOf(a, b, {inputs(0)}).answer == Answer::kTested);
}

TEST_CASE("integers of which nearly all bits are set are among the inputs") {
  const auto module = [](const char* first) {
    const bool whole = *first == '0';
    return std::string(
               "HloModule m\nand { a = u32[] parameter(0) b = u32[] parameter(1) ROOT c = u32[] and(a, b) }\n") +
           "ENTRY e {\n x = u32[4,20] parameter(0)\n ones = u32[] constant(4294967295)\n s = u32[4," +
           (whole ? "20" : "19") + "] slice(x), slice={[0:4], [" + first +
           ":20]}\n ROOT r = u32[4] reduce(s, ones), dimensions={1}, to_apply=and\n}\n";
  };
  const auto before = Parse(module("0")), after = Parse(module("1"));
  const StatusOr<Verdict> verdict = Check(*before, *after, {}, {});
  REQUIRE(verdict.ok());
  CHECK(verdict->outcome == Outcome::kDisagree);
}

TEST_CASE("a value that is wrong for few inputs is found where all others have the same bits") {
  // Where a is even and less than 5, and b is 3.
  const auto module = [](const std::string& remainder) {
    return R"(HloModule m
ENTRY e {
  a = f32[12] parameter(0)
  b = f32[12] parameter(1)
  two = f32[] constant(2)
  twos = f32[12] broadcast(two), dimensions={}
  three = f32[] constant(3)
  threes = f32[12] broadcast(three), dimensions={}
  five = f32[] constant(5)
  fives = f32[12] broadcast(five), dimensions={}
  zero = f32[] constant(0)
  zeros = f32[12] broadcast(zero), dimensions={}
  f = f32[12] floor(a)
  whole = pred[12] compare(a, f), direction=EQ
  rest = f32[12] remainder()" +
           remainder + R"()
  even = pred[12] compare(rest, zeros), direction=EQ
  is_even = pred[12] and(whole, even)
  is_three = pred[12] compare(b, threes), direction=EQ
  is_less = pred[12] compare(a, fives), direction=LT
  both = pred[12] and(is_three, is_less)
  where = pred[12] and(is_even, both)
  ROOT r = f32[12] select(where, a, b)
})";
  };
  CHECK(VerdictOf(module("a, twos"), module("a, twos"), {}).agrees());
  CHECK(VerdictOf(module("a, twos"), module("twos, a"), {}).outcome == Outcome::kDisagree);
}

TEST_CASE("integers that are compared with positions meet all of them") {
  const auto module = Parse(R"(HloModule labels

one_hot {
  t = s32[16] parameter(0)
  a = s32[16,64] broadcast(t), dimensions={0}
  i = s32[64] iota(), iota_dimension=0
  b = s32[16,64] broadcast(i), dimensions={1}
  ROOT r = pred[16,64] compare(a, b), direction=EQ
}

ENTRY e {
  x = s32[16] parameter(0)
  n = s32[16] parameter(1)
  c = pred[16,64] call(x), to_apply=one_hot
  ROOT r = (pred[16,64], s32[16]) tuple(c, n)
})");
  for (const InputKind kind : {InputKind::kPlain, InputKind::kTypical}) {
    std::vector<bool> met(64, false);
    int64_t largest = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      const auto set = MakeInputSet(*module, {}, seed, kind);
      REQUIRE(set.ok());
      for (int64_t k = 0; k < 16; ++k) {
        const int64_t label = set->devices[0][0].GetAsInt64(k);
        REQUIRE((label >= 0 && label < 64));
        met[static_cast<size_t>(label)] = true;
        largest = std::max(largest, set->devices[0][1].GetAsInt64(k));
      }
    }
    CHECK(std::count(met.begin(), met.end(), true) == 64);
    CHECK(largest < 10);  // of an integer without such a use
  }
  // Corner cases are drawn from all integers.
  bool outside = false;
  for (uint64_t seed = 1; seed < 40; ++seed) {
    const auto set = MakeInputSet(*module, {}, seed, InputKind::kCornerCases);
    for (int64_t k = 0; k < 16; ++k) outside = outside || set->devices[0][0].GetAsInt64(k) < 0;
  }
  CHECK(outside);
}
