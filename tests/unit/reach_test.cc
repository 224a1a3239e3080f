// Which way comparisons, branches, loops, clamps and indices go on inputs that are made up.
#include <algorithm>
#include <string>

#include "hloir/check.h"
#include "hloir/parser.h"
#include "tests/unit/catch.h"

using namespace hloir;

namespace {

Verdict SelfVerdict(const std::string& text) {
  auto a = ParseModule(text), b = ParseModule(text);
  REQUIRE((a.ok() && b.ok()));
  CheckOptions options;
  options.proofs = Proofs::kNone;  // which would leave nothing to look for
  const auto verdict = Check(**a, **b, {}, options);
  INFO(verdict.status().message());
  REQUIRE(verdict.ok());
  return *verdict;
}

bool Says(const Verdict& v, const std::string& line) {
  return std::find(v.unreached.begin(), v.unreached.end(), line) != v.unreached.end();
}

std::string Entry(const std::string& body) { return "HloModule m\nENTRY e {\n" + body + "\n}\n"; }

}  // namespace

TEST_CASE("inputs are found that meet a constant, either end of a clamp, and indices outside") {
  const Verdict v = SelfVerdict(
      Entry("  x = f32[16] parameter(0)\n  i = s32[] parameter(1)\n  far = f32[] constant(5000)\n"
            "  fars = f32[16] broadcast(far), dimensions={}\n  at = pred[16] compare(x, fars), direction=EQ\n"
            "  low = f32[] constant(-70)\n  high = f32[] constant(90)\n  c = f32[16] clamp(low, x, high)\n"
            "  s = f32[16] select(at, x, c)\n  ROOT d = f32[4] dynamic-slice(s, i), dynamic_slice_sizes={4}"));
  INFO((v.unreached.empty() ? "" : v.unreached[0]));
  CHECK(v.unreached.empty());
  CHECK(v.reached == 9);
}

TEST_CASE("both branches are taken, and what cannot be reached is said") {
  const std::string branches =
      "HloModule m\nyes { a = f32[] parameter(0) ROOT b = f32[] negate(a) }\nno { a = f32[] parameter(0) ROOT b = "
      "f32[] "
      "sine(a) }\nENTRY e {\n  p = pred[] parameter(0)\n  x = f32[] parameter(1)\n  ROOT c = f32[] conditional(p, x, "
      "x), "
      "true_computation=yes, false_computation=no\n}\n";
  const Verdict both = SelfVerdict(branches);
  INFO((both.unreached.empty() ? "" : both.unreached[0]));
  CHECK(both.unreached.empty());
  const Verdict never = SelfVerdict(
      Entry("  x = f32[16] parameter(0)\n  a = f32[16] abs(x)\n  z = f32[] constant(-1)\n  zs = f32[16] broadcast(z), "
            "dimensions={}\n  p = pred[16] compare(a, zs), direction=LT\n  ROOT s = f32[16] select(p, x, a)"));
  CHECK(Says(never, "p is never true"));
  CHECK(never.reached == 1);
}

TEST_CASE("a wrong branch that plain inputs never take is found") {
  const auto text = [](const char* wrong) {
    return Entry(std::string("  x = f32[64] parameter(0)\n  k = f32[] constant(1234.5)\n  ks = f32[64] broadcast(k), "
                             "dimensions={}\n  p = pred[64] compare(x, ks), direction=GT\n  r = f32[64] ") +
                 wrong + "\n  ROOT s = f32[64] select(p, r, x)");
  };
  const auto a = ParseModule(text("negate(x)")), b = ParseModule(text("add(x, x)"));
  REQUIRE((a.ok() && b.ok()));
  const auto verdict = Check(**a, **b);
  REQUIRE(verdict.ok());
  CHECK(verdict->outcome == Outcome::kDisagree);
}

TEST_CASE("clamps, loops and branches of truth values are looked at as truth values") {
  const Verdict v = SelfVerdict(
      "HloModule m\non { ROOT p = pred[] parameter(0) }\noff { q = pred[] parameter(0)\n ROOT no = pred[] "
      "constant(false) }\n"
      "same { ROOT r = pred[] parameter(0) }\n" +
      Entry("  x = pred[] parameter(0)\n  i = s32[] parameter(1)\n  f = pred[] constant(false)\n  t = pred[] "
            "constant(true)\n"
            "  c = pred[] clamp(f, x, t)\n  w = pred[] while(c), condition=on, body=off\n"
            "  b = pred[] conditional(i, c, c, c, c), branch_computations={same, same, same, same}\n"
            "  ROOT r = (pred[], pred[]) tuple(w, b)")
          .substr(std::string("HloModule m\n").size()));
  CHECK(Says(v, "w is never true"));
  CHECK_FALSE(Says(v, "c is never true"));
  CHECK_FALSE(Says(v, "b is never false"));
}
