// Verdict::divergence: planted differences are found by name, the earliest first, and rounding is none.
#include "check/divergence.h"
#include "hloir/check.h"
#include "hloir/parser.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

using namespace hloir;

namespace {

std::optional<Divergence> DivergenceOf(const std::string& a, const std::string& b) {
  const auto before = Parse(a), after = Parse(b);
  Literal x(before->entry_computation()->parameter(0)->shape());
  for (int64_t i = 0; i < x.element_count(); ++i) x.SetFromDouble(i, static_cast<double>(i) + 1);
  CheckOptions options;
  options.divergence = true;
  const auto verdict = Check(*before, *after, {{.devices = {{x}}}}, options);
  REQUIRE(verdict.status().message() == "");
  return verdict->divergence;
}

std::string Chain(const std::string& first, const std::string& second, const std::string& root) {
  return "HloModule m\nENTRY e {\n x = f32[3] parameter(0)\n a = f32[3] " + first +
         "(x)\n extra = f32[3] negate(x)\n b = f32[3] " + second + "(a)\n c = f32[3] add(b, extra)\n ROOT " + root +
         " = f32[3] multiply(c, c)\n}\n";
}

// A loop of five rounds that adds a step, from the third round on another one if `late`.
std::string Loop(bool late) {
  const std::string change =
      late ? " two = s32[] constant(2)\n is = pred[] compare(i, two), direction=GE\n k = f32[] select(is, x, one)\n"
           : " two = s32[] constant(2)\n is = pred[] compare(i, two), direction=GE\n k = f32[] select(is, one, one)\n";
  return "HloModule m\nbody { t = (s32[], f32[]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n x = f32[] "
         "get-tuple-element(t), index=1\n"
         " n = s32[] constant(1)\n j = s32[] add(i, n)\n one = f32[] constant(1)\n" +
         change +
         " y = f32[] add(x, k)\n ROOT r = (s32[], f32[]) tuple(j, y) }\n"
         "on { t = (s32[], f32[]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n n = s32[] constant(5)\n "
         "ROOT c = pred[] compare(i, n), direction=LT }\n"
         "ENTRY e { p = f32[] parameter(0)\n z = s32[] constant(0)\n s = (s32[], f32[]) tuple(z, p)\n w = (s32[], "
         "f32[]) while(s), condition=on, body=body\n"
         " ROOT r0 = f32[] get-tuple-element(w), index=1 }\n";
}

}  // namespace

TEST_CASE("the first instruction that differs") {
  CHECK(!DivergenceOf(Chain("abs", "sqrt", "r"), Chain("abs", "sqrt", "other")));
  const auto first = DivergenceOf(Chain("exponential", "sqrt", "r"), Chain("negate", "sqrt", "r"));
  REQUIRE(first);
  CHECK(first->instruction == "a");
  CHECK(first->before.find("min 2.71828") != std::string::npos);
  CHECK(first->after.find("min -3") != std::string::npos);
  const auto second = DivergenceOf(Chain("abs", "sqrt", "r"), Chain("abs", "negate", "other"));
  REQUIRE(second);
  CHECK(second->instruction == "b");
  // tanh by way of another formula is the same but for rounding.
  CHECK(!DivergenceOf(Chain("tanh", "abs", "r"), Chain("tanh", "abs", "s")));
}

TEST_CASE("the run of a loop's body in which it differs") {
  const auto late = DivergenceOf(Loop(false), Loop(true));
  REQUIRE(late);
  CHECK(late->instruction == "k");
  CHECK(late->run == 2);
  CHECK(late->ToString() == "first divergence: k, run 3 (before: f32[] 1, after: f32[] 3)");
}

TEST_CASE("names of unrelated modules mean nothing; what they compute does") {
  // The same names in XLA's style, for other things.
  const auto module = [](const char* first, const char* second, const char* third) {
    return std::string("HloModule m\nENTRY e {\n p = f32[3] parameter(0)\n op.1 = f32[3] ") + first +
           "(p)\n op.2 = f32[3] " + second + "(p)\n op.3 = f32[3] " + third +
           "(p)\n ROOT t = f32[3] multiply(op.1, op.3)\n}\n";
  };
  const auto foreign = DivergenceOf(module("negate", "exponential", "sqrt"), module("sqrt", "negate", "exponential"));
  REQUIRE(foreign);
  CHECK(foreign->by_structure);
  CHECK(foreign->instruction == "t");
  CHECK(foreign->partner == "t");
  const auto related = DivergenceOf(module("negate", "exponential", "sqrt"), module("negate", "exponential", "abs"));
  REQUIRE(related);
  CHECK(related->instruction == "op.3");
  CHECK(!related->by_structure);
}

TEST_CASE("a name that any compiler gives pairs what has more in common") {
  const auto module = [](const char* constants, const char* last) {
    return std::string("HloModule m\nENTRY e {\n p = f32[] parameter(0)\n") + constants +
           " x = f32[] multiply(p, constant.1)\n y = f32[] add(x, constant.2)\n ROOT z = f32[] " + last + "(y)\n}\n";
  };
  const char* two_and_three = " constant.1 = f32[] constant(2)\n constant.2 = f32[] constant(3)\n";
  // Numbered anew, and wrong at the end.
  const char* anew = " constant.1 = f32[] constant(3)\n constant.2 = f32[] constant(2)\n";
  std::string renumbered = module(anew, "cosine");
  renumbered.replace(renumbered.find("(p, constant.1)"), 15, "(p, constant.2)");
  renumbered.replace(renumbered.find("(x, constant.2)"), 15, "(x, constant.1)");
  const auto found = DivergenceOf(module(two_and_three, "sine"), renumbered);
  REQUIRE(found);
  CHECK(found->instruction == "z");
  // The constant itself is wrong.
  const char* other = " constant.1 = f32[] constant(5)\n constant.2 = f32[] constant(3)\n";
  const auto constant = DivergenceOf(module(two_and_three, "sine"), module(other, "sine"));
  REQUIRE(constant);
  CHECK(constant->instruction == "constant.1");
}

TEST_CASE("modules of other names: paired by structure, with operands and their values") {
  const auto module = [](const std::string& a, const std::string& b, const std::string& c, const char* op) {
    return "HloModule m\nENTRY e {\n " + a + " = f32[3] parameter(0)\n " + b + " = f32[3] exponential(" + a + ")\n " +
           c + " = f32[3] " + op + "(" + b + ", " + a + ")\n s." + c + " = f32[3] tanh(" + c + ")\n ROOT r." + c +
           " = f32[3] negate(s." + c + ")\n}\n";
  };
  const auto found = DivergenceOf(module("x", "y", "z", "maximum"), module("p", "q", "o", "minimum"));
  REQUIRE(found);
  CHECK(found->by_structure);
  // The operation itself differs, so it is reported at its first matched user.
  INFO(found->Details());
  CHECK(found->instruction == "s.z");
  CHECK(found->partner == "s.o");
  REQUIRE(found->operands.size() == 1);
  CHECK(found->operands[0].name == "z");
  CHECK(found->operands[0].value.find("f32[3] min 2.71") == 0);
  CHECK(found->partner_operands[0].value == "f32[3] min 1 max 3 mean 2");
  CHECK(found->Details("a", "b").find("\n  b: %s.o = f32[3]{0} tanh(%o)\n    o is f32[3] min 1 max 3 mean 2") !=
        std::string::npos);
}

TEST_CASE("what agrees again further on is no divergence") {
  const auto module = [](const std::string& body) {
    return "HloModule m\nENTRY e {\n x = f32[3] parameter(0)\n one = f32[] constant(1)\n ones = f32[3] broadcast(one), "
           "dimensions={}\n a = f32[3] add(x, ones)\n" +
           body + "}\n";
  };
  // A divisor and its reciprocal have one name.
  const auto reciprocal = DivergenceOf(
      module(" s = f32[3] multiply(a, a)\n q = f32[3] divide(x, s)\n ROOT z = f32[3] cosine(q)\n"),
      module(" t = f32[3] multiply(a, a)\n s = f32[3] divide(ones, t)\n q = f32[3] multiply(x, s)\n ROOT z = f32[3] "
             "sine(q)\n"));
  REQUIRE(reciprocal);
  CHECK(reciprocal->instruction == "z");
  // So have a value and its negation.
  const auto negation =
      DivergenceOf(module(" s = f32[3] exponential(a)\n q = f32[3] subtract(x, s)\n ROOT z = f32[3] cosine(q)\n"),
                   module(" t = f32[3] exponential(a)\n s = f32[3] negate(t)\n q = f32[3] add(x, s)\n ROOT z = "
                          "f32[3] sine(q)\n"));
  REQUIRE(negation);
  CHECK(negation->instruction == "z");
  // What is wrong, and hidden on one way alone, is still the first.
  const auto partly = DivergenceOf(
      module(" s = f32[3] exponential(a)\n q = f32[3] sign(s)\n ROOT z = f32[3] add(q, s)\n"),
      module(" s = f32[3] cosine(a)\n w = f32[3] multiply(s, s)\n q = f32[3] sign(w)\n ROOT z = f32[3] add(q, s)\n"));
  REQUIRE(partly);
  CHECK(partly->instruction == "s");
}

TEST_CASE("the step that is known to differ, and not another that differs first") {
  const auto module = [](const char* first, const char* second) {
    return Parse(std::string("HloModule m\nENTRY e {\n x = f32[3] parameter(0)\n a = f32[3] ") + first +
                 "(x)\n b = f32[3] " + second + "(x)\n ROOT r = (f32[3], f32[3]) tuple(a, b)\n}\n");
  };
  const auto before = module("abs", "cosine"), after = module("negate", "sine");
  const auto inputs = MakeInputSet(*before, {}, 0, InputKind::kPlain);
  REQUIRE(inputs.ok());
  const check::Context context{CheckOptions(), {}, {*inputs}};
  const auto instruction = [](const HloModule& m, int64_t k) { return m.entry_computation()->root()->operand(k); };
  const auto name = [&](int64_t known) {
    const auto found =
        check::FindDivergence(*before, *after, context, 0, {instruction(*before, known), instruction(*after, known)});
    return found ? found->instruction : "";
  };
  CHECK(name(0) == "a");
  CHECK(name(1) == "b");
}
