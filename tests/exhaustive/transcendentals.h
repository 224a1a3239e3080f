// The ops of opcodes.def that have a bound in units in the last place, each with its true value by libm's 80-bit
// numbers, and the engines that are held against it: the plan with each instruction set of this machine, and the
// reference.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/executable.h"
#include "hloir/opcode.h"
#include "hloir/parser.h"

// Compiled for several instruction sets at once, where the compiler can.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define HLOIR_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define HLOIR_CLONES
#endif

namespace hloir::sweep {

struct Op {
  HloOpcode opcode;
  int arity;
  long double (*truth)(long double, long double);
};

inline long double Rsqrt(long double x) {
  return x == 0 ? std::copysign(std::numeric_limits<long double>::infinity(), x) : 1 / std::sqrt(x);
}
// 1 / (1 + exp(-x)) loses nothing that long double would miss.
inline long double Logistic(long double x) { return 1 / (1 + std::exp(-x)); }

#define UNARY(name, f)                                                                    \
  {                                                                                       \
    HloOpcode::k##name, 1, [](long double x, long double) -> long double { return f(x); } \
  }
#define BINARY(name, f)                                                                        \
  {                                                                                            \
    HloOpcode::k##name, 2, [](long double x, long double y) -> long double { return f(x, y); } \
  }
inline const Op kOps[] = {
    UNARY(Acos, std::acos),    UNARY(Acosh, std::acosh),  UNARY(Asin, std::asin),   UNARY(Asinh, std::asinh),
    UNARY(Atanh, std::atanh),  UNARY(Cbrt, std::cbrt),    UNARY(Cos, std::cos),     UNARY(Cosh, std::cosh),
    UNARY(Erf, std::erf),      UNARY(Exp, std::exp),      UNARY(Expm1, std::expm1), UNARY(Log, std::log),
    UNARY(Log1p, std::log1p),  UNARY(Logistic, Logistic), UNARY(Rsqrt, Rsqrt),      UNARY(Sin, std::sin),
    UNARY(Sinh, std::sinh),    UNARY(Sqrt, std::sqrt),    UNARY(Tan, std::tan),     UNARY(Tanh, std::tanh),
    BINARY(Atan2, std::atan2), BINARY(Power, std::pow)};

#undef UNARY
#undef BINARY

// One op on `count` elements of a type, by each engine.
class Engines {
 public:
  Engines(const Op& op, const std::string& type, int64_t count, const std::string& isa) {
    const std::string shape = type + "[" + std::to_string(count) + "]";
    std::string text = "HloModule sweep\nENTRY e {\n  x = " + shape + " parameter(0)\n";
    if (op.arity == 2) text += "  y = " + shape + " parameter(1)\n";
    text +=
        "  ROOT r = " + shape + " " + std::string(OpcodeName(op.opcode)) + (op.arity == 2 ? "(x, y)\n}\n" : "(x)\n}\n");
    module_ = std::move(ParseModule(text)).value();
    for (const std::string& each : SupportedIsas()) {
      if (!isa.empty() && isa != each) continue;
      ExecutableOptions options;
      options.isa = each;
      options.threads = 1;
      names_.push_back(each);
      executables_.push_back(std::move(PrepareExecutable(*module_, options)).value());
    }
    if (isa.empty() || isa == "reference") names_.push_back("reference"), executables_.push_back(nullptr);
    reference_ = MakeReferenceEvaluator();
    results_.assign(names_.size(), Literal(module_->entry_computation()->root()->shape()));
    x = y = results_.empty() ? Literal() : results_[0];
    arguments_.push_back(&x);
    if (op.arity == 2) arguments_.push_back(&y);
  }
  size_t size() const { return names_.size(); }
  const std::string& name(size_t e) const { return names_[e]; }
  const Literal& Run(size_t e) {
    if (executables_[e]) (void)executables_[e]->RunInto(arguments_, &results_[e]);
    else results_[e] = std::move(reference_->EvaluateComputation(*module_->entry_computation(), arguments_)).value();
    return results_[e];
  }

  Literal x, y;  // the operands

 private:
  std::unique_ptr<HloModule> module_;
  std::unique_ptr<HloEvaluator> reference_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<HloExecutable>> executables_;  // none: the reference
  std::vector<Literal> results_;
  std::vector<const Literal*> arguments_;
};

// Values in f64, several at a time where libm has vectors: good to a few units of f64, so of f32 to any purpose but a
// proof. Zeros may have the wrong sign. (vector_truth.cc, which is compiled for speed.)
void VectorTruth(HloOpcode opcode, const float* x, const float* y, double* out, int64_t count);

}  // namespace hloir::sweep
