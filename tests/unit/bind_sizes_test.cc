// build/bind_sizes.h: sizes of unbounded dimensions follow from inputs, forward and backward, into loops and branches.
#include "build/bind_sizes.h"

#include <vector>

#include "hloir/parser.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "tests/unit/check_module.h"

namespace hloir {
namespace {

Status Bind(HloModule& module, const std::vector<std::string>& shapes) {
  std::vector<Shape> leaves;
  for (const std::string& shape : shapes) leaves.push_back(*ParseShape(shape));
  return BindSizes(module, leaves);
}

void CheckBound(const std::string& text, const std::vector<std::string>& shapes, const std::string& expected) {
  const auto module = Parse(text);
  REQUIRE(HasUnboundedSizes(*module));
  REQUIRE(Bind(*module, shapes).ToString() == "ok");
  CHECK(!HasUnboundedSizes(*module));
  CHECK(VerifyModule(*module).ToString() == "ok");
  CHECK(PrintModule(*module) == PrintModule(*Parse(expected)));
}

std::string Replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

TEST_CASE("unbounded dimensions get the sizes of the inputs") {
  const std::string elementwise = Entry(
      " x = f32[?,4] parameter(0)\n w = f32[4] parameter(1)\n b = f32[?,4] broadcast(w), dimensions={1}\n"
      " y = f32[?,4] add(b, x)\n r = f32[#] reshape(y)\n ROOT t = (f32[?,4], f32[#]) tuple(y, r)");
  CheckBound(Replaced(elementwise, "#", "?"), {"f32[3,4]", "f32[4]"},
             Replaced(Replaced(elementwise, "#", "12"), "?", "3"));
  const std::string loop =
      "HloModule m\ncond {\n c = (s32[], f32[?]) parameter(0)\n ROOT no = pred[] constant(false)\n}\n"
      "body {\n b = (s32[], f32[?]) parameter(0)\n i = s32[] get-tuple-element(b), index=0\n"
      " v = f32[?] get-tuple-element(b), index=1\n n = f32[?] negate(v)\n ROOT s = (s32[], f32[?]) tuple(i, n)\n}\n"
      "yes {\n p = f32[?] parameter(0)\n ROOT q = f32[?] abs(p)\n}\nno {\n p2 = f32[?] parameter(0)\n"
      " ROOT q2 = f32[?] copy(p2)\n}\n"
      "ENTRY e {\n x = (f32[?], pred[]) parameter(0)\n a = f32[?] get-tuple-element(x), index=0\n"
      " k = pred[] get-tuple-element(x), index=1\n z = s32[] constant(0)\n t = (s32[], f32[?]) tuple(z, a)\n"
      " w = (s32[], f32[?]) while(t), condition=cond, body=body\n g = f32[?] get-tuple-element(w), index=1\n"
      " ROOT c = f32[?] conditional(k, g, a), true_computation=yes, false_computation=no\n}\n";
  CheckBound(loop, {"f32[5]", "pred[]"}, Replaced(loop, "?", "5"));
}

TEST_CASE("sizes that do not fit, or do not follow, are named") {
  const auto error = [](const std::string& text, const std::vector<std::string>& shapes) {
    return Bind(*Parse(text), shapes).message();
  };
  const std::string sum = Entry(" x = f32[?,4] parameter(0)\n y = f32[?,4] parameter(1)\n ROOT r = f32[?,4] add(x, y)");
  CHECK(error(sum, {"f32[3,4]"}) == "in1 is missing");
  CHECK(error(sum, {"f32[3,5]", "f32[3,4]"}) == "in0 is f32[3,5], but the module expects f32[?,4]");
  CHECK(error(sum, {"s32[3,4]", "f32[3,4]"}) == "in0 is s32[3,4], but the module expects f32[?,4]");
  CHECK(error(sum, {"f32[3,4]", "f32[2,4]"}).find("differ") != std::string::npos);
  CHECK(error(Entry(" x = f32[?] parameter(0)\n ROOT r = f32[?,2] reshape(x)"), {"f32[3]"}) ==
        "r is f32[?,2], and x is f32[3]: they differ in their number of elements");
  CHECK(error(Entry(" x = f32[] parameter(0)\n ROOT r = f32[?] broadcast(x), dimensions={}"), {"f32[]"}) ==
        "the sizes of f32[?] in r do not follow from the inputs");
}

}  // namespace
}  // namespace hloir
