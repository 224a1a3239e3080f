// CheckModule: a prepared plan against the reference evaluator, for the tests of executable.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hloir/check.h"
#include "hloir/executable.h"
#include "hloir/parser.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

namespace hloir {

// Numbers of both signs around 1, the same for every run.
inline Literal Ramp(const Shape& shape, uint64_t seed) {
  if (shape.IsTuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(Ramp(element, ++seed));
    return Literal::Tuple(std::move(elements));
  }
  Literal literal(shape);
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const int64_t number = static_cast<int64_t>(state >> 40) % 2001 - 1000;
    if (IsFloat(shape.element_type())) literal.SetFromDouble(i, static_cast<double>(number) / 400);
    else literal.SetFromInt64(i, shape.element_type() == PrimitiveType::PRED ? number & 1 : number % 97);
  }
  return literal;
}

// A module, inputs for it, and the reference's results.
struct CheckedModule {
  explicit CheckedModule(const std::string& text) {
    module = Parse(text);
    const HloComputation& entry = *module->entry_computation();
    for (int64_t i = 0; i < entry.parameter_count(); ++i)
      inputs.push_back(Ramp(entry.parameter(i)->shape(), 10 * i + 1));
    for (const Literal& input : inputs) arguments.push_back(&input);
    auto value = MakeReferenceEvaluator()->EvaluateComputation(entry, arguments);
    REQUIRE(value.status().message() == "");
    expected = std::move(*value);
  }
  std::unique_ptr<HloModule> module;
  std::vector<Literal> inputs;
  std::vector<const Literal*> arguments;  // the inputs
  Literal expected;
};

// Runs the module every way there is; the results may be `tolerance` apart from the reference's.
inline void CheckModule(const std::string& text, double tolerance) {
  INFO(text);
  const CheckedModule checked(text);
  for (const std::string& isa : SupportedIsas()) {
    for (bool fuse : {true, false}) {
      StatusOr<Literal> one_thread = Internal("not run");
      for (int threads : {1, 2, 3}) {
        INFO(isa << (fuse ? " fused, " : " unfused, ") << threads << " threads");
        ExecutableOptions options;
        options.isa = isa;
        options.threads = threads;
        options.fuse_elementwise = fuse;
        auto executable = PrepareExecutable(*checked.module, options);
        REQUIRE(executable.status().message() == "");
        INFO((*executable)->ToString());
        CHECK((*executable)->ToString().find("reference") == std::string::npos);
        for (int run = 0; run < 2; ++run) {
          auto result = (*executable)->Run(checked.arguments);
          REQUIRE(result.status().message() == "");
          const Comparison comparison = CompareResults(checked.expected, *result, {.relative = tolerance});
          INFO(comparison.ToString("by the reference", "here"));
          CHECK(comparison.agree);
          if (threads == 1 && run == 0) one_thread = std::move(result);
          else CHECK(result->BitwiseEqual(*one_thread));
        }
      }
    }
  }
}

inline std::string Entry(const std::string& body) { return "HloModule m\nENTRY e {\n" + body + "\n}\n"; }

}  // namespace hloir
