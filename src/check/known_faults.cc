// See known_faults.h. Patterns look through data movement, calls and fusions. If possible, the reported instruction of
// the second module has the same name or origin as the first one's.
#include "check/known_faults.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "check/compare.h"
#include "check/reach.h"
#include "hloir/analysis.h"
#include "hloir/evaluator.h"

namespace hloir::check {
namespace {

// The computation that a conditional with a constant selector runs, or null.
const HloComputation* RunBranch(const HloInstruction& conditional) {
  const HloInstruction& selector = *conditional.operand(0);
  if (!selector.IsConstant() || selector.literal().elided()) return nullptr;
  return conditional.called_computation(BranchFor(conditional, selector.literal().GetAsInt64(0)));
}

// The instruction that computes the value of `i`: outside of its computation, or inside of what `i` calls. Null if it
// is `i`.
const HloInstruction* Producer(const HloInstruction& i) {
  const auto called = [](const HloInstruction& caller) -> const HloComputation* {
    if (caller.opcode() == HloOpcode::kConditional) return RunBranch(caller);
    if (caller.opcode() != HloOpcode::kFusion && caller.opcode() != HloOpcode::kCall) return nullptr;
    return caller.called_computations()[0];
  };
  if (const HloComputation* computation = called(i)) return computation->root();
  if (i.opcode() == HloOpcode::kGetTupleElement) {
    const HloInstruction* tuple = i.operand(0);
    if (const HloComputation* computation = called(*tuple)) tuple = computation->root();
    return tuple->opcode() == HloOpcode::kTuple ? tuple->operand(i.tuple_index()) : nullptr;
  }
  if (!i.IsParameter() || i.parent()->callers().size() != 1) return nullptr;
  const HloInstruction& caller = *i.parent()->callers().front();
  if (caller.opcode() == HloOpcode::kFusion || caller.opcode() == HloOpcode::kCall)
    return caller.operand(i.parameter_number());
  if (caller.opcode() != HloOpcode::kConditional) return nullptr;
  const auto branches = caller.called_computations();
  return caller.operand(1 + (std::find(branches.begin(), branches.end(), i.parent()) - branches.begin()));
}

// The same, behind moves too.
const HloInstruction& Source(const HloInstruction& value) {
  constexpr int kMostSteps = 64;
  const HloInstruction* i = &value;
  for (int steps = 0; steps < kMostSteps; ++steps) {
    const bool moves = IsOneOf(i->opcode(), HloOpcode::kCopy, HloOpcode::kBitcast, HloOpcode::kReshape,
                               HloOpcode::kTranspose, HloOpcode::kBroadcast);
    const HloInstruction* of = moves ? i->operand(0) : Producer(*i);
    if (of == nullptr) break;
    i = of;
  }
  return *i;
}
const HloInstruction& Operand(const HloInstruction& i, int64_t k) { return Source(*i.operand(k)); }

bool IsFloating(const HloInstruction& i) { return i.shape().IsArray() && IsFloat(i.shape().element_type()); }
bool IsIntegral(const HloInstruction& i) { return i.shape().IsArray() && IsInteger(i.shape().element_type()); }

template <class F>
bool IsConstantThat(const HloInstruction& i, F&& holds) {
  if (!i.IsConstant() || !i.shape().IsArray() || i.literal().elided() || i.literal().element_count() == 0) return false;
  return i.literal().IsAllSame() && holds(i.literal().GetAsDouble(0));
}
bool IsNumber(const HloInstruction& i, double number) {
  return IsConstantThat(i, [&](double x) { return x == number; });
}
bool IsAnyConstant(const HloInstruction& i) { return i.IsConstant(); }

// One operand satisfies `first` and the other `second`.
template <class F, class G>
bool EitherWay(const HloInstruction& i, F&& first, G&& second) {
  const HloInstruction &x = Operand(i, 0), &y = Operand(i, 1);
  return (first(x) && second(y)) || (first(y) && second(x));
}
bool Any(const HloInstruction&) { return true; }
template <HloOpcode opcode>
bool Has(const HloInstruction& i) {
  return i.opcode() == opcode;
}

bool IsSquare(const HloInstruction& i) {
  const bool multiplies =
      Has<HloOpcode::kMultiply>(i) || (Has<HloOpcode::kDot>(i) && i.operand(0)->shape().rank() == 0);
  return multiplies && &Operand(i, 0) == &Operand(i, 1);
}

// ---- The patterns ----

bool PredicateProduct(const HloInstruction& i) {
  const auto converted = [](const HloInstruction& x) {
    return Has<HloOpcode::kConvert>(x) && x.operand(0)->shape().element_type() == PrimitiveType::PRED;
  };
  return Has<HloOpcode::kMultiply>(i) && IsFloating(i) && EitherWay(i, converted, Any);
}
bool SelectOfZero(const HloInstruction& i) {
  return Has<HloOpcode::kSelect>(i) && IsFloating(i) && (IsNumber(Operand(i, 2), 0) || IsNumber(Operand(i, 1), 0));
}

bool ExponentialProduct(const HloInstruction& i) {
  return Has<HloOpcode::kMultiply>(i) && IsFloating(i) && EitherWay(i, Has<HloOpcode::kExp>, Has<HloOpcode::kExp>);
}
bool ExponentialOfSum(const HloInstruction& i) {
  const auto sum = [](const HloInstruction& x) {  // exp(x) * exp(x) is exp(2x)
    return Has<HloOpcode::kAdd>(x) || (Has<HloOpcode::kMultiply>(x) && EitherWay(x, IsAnyConstant, Any));
  };
  return Has<HloOpcode::kExp>(i) && sum(Operand(i, 0));
}

bool LogOfExponential(const HloInstruction& i) {
  return Has<HloOpcode::kLog>(i) && Has<HloOpcode::kExp>(Operand(i, 0));
}

bool LogOfPower(const HloInstruction& i) {
  return Has<HloOpcode::kLog>(i) && IsFloating(i) && Has<HloOpcode::kPower>(Operand(i, 0));
}
bool ProductWithLog(const HloInstruction& i) {
  const auto log = [](const HloInstruction& x) {
    return Has<HloOpcode::kLog>(x) && Has<HloOpcode::kAbs>(Operand(x, 0));
  };
  return Has<HloOpcode::kMultiply>(i) && EitherWay(i, log, Any);
}

bool PowerOfExponential(const HloInstruction& i) {
  return Has<HloOpcode::kPower>(i) && Has<HloOpcode::kExp>(Operand(i, 0));
}
bool ExponentialOfProduct(const HloInstruction& i) {
  return Has<HloOpcode::kExp>(i) && Has<HloOpcode::kMultiply>(Operand(i, 0));
}

bool RootOfSquare(const HloInstruction& i) { return Has<HloOpcode::kSqrt>(i) && IsSquare(Operand(i, 0)); }

bool InverseOfInteger(const HloInstruction& i) {
  return Has<HloOpcode::kPower>(i) && IsIntegral(i) && IsNumber(Operand(i, 1), -1);
}
bool IntegerReciprocal(const HloInstruction& i) {
  return Has<HloOpcode::kDivide>(i) && IsIntegral(i) && IsNumber(Operand(i, 0), 1);
}

bool QuotientByPower(const HloInstruction& i) {
  return Has<HloOpcode::kDivide>(i) && IsIntegral(i) && Has<HloOpcode::kPower>(Operand(i, 1));
}
bool ProductWithPower(const HloInstruction& i) {
  const auto power = [](const HloInstruction& x) {
    return Has<HloOpcode::kPower>(x) && Has<HloOpcode::kNegate>(Operand(x, 1));
  };
  return Has<HloOpcode::kMultiply>(i) && IsIntegral(i) && EitherWay(i, power, Any);
}

bool IsClampedSlice(const HloInstruction& i) { return Has<HloOpcode::kGather>(i) || Has<HloOpcode::kDynamicSlice>(i); }
bool SliceOfSlice(const HloInstruction& i) { return IsClampedSlice(i) && IsClampedSlice(Operand(i, 0)); }

bool ConstantProducts(const HloInstruction& i) {
  const auto scaled = [](const HloInstruction& x) {
    return Has<HloOpcode::kMultiply>(x) && EitherWay(x, IsAnyConstant, Any);
  };
  return Has<HloOpcode::kMultiply>(i) && IsFloating(i) && EitherWay(i, IsAnyConstant, scaled);
}
bool ProductWithInfinity(const HloInstruction& i) {
  const auto infinite = [](const HloInstruction& x) {
    return IsConstantThat(x, [](double value) { return std::isinf(value); });
  };
  return Has<HloOpcode::kMultiply>(i) && EitherWay(i, infinite, Any);
}

// Two constants are added one after the other, of which the sum of the two loses one.
bool AddedAfterConstant(const HloInstruction& i) {
  const auto constant = [](const HloInstruction& sum) -> std::optional<double> {
    if (!Has<HloOpcode::kAdd>(sum) && !Has<HloOpcode::kSubtract>(sum)) return std::nullopt;
    for (const int64_t k : {0, 1})
      if (IsConstantThat(Operand(sum, k), [](double x) { return x != 0; }))
        return Operand(sum, k).literal().GetAsDouble(0);
    return std::nullopt;
  };
  const std::optional<double> last = IsFloating(i) ? constant(i) : std::nullopt;
  const auto absorbs = [&](const HloInstruction& inner) {
    const std::optional<double> first = constant(inner);
    return first && std::abs(*last) < std::abs(*first) * RelativeUlp(i.shape().element_type()) / 4;
  };
  return last && EitherWay(i, IsAnyConstant, absorbs);
}

bool MaximumOfClamp(const HloInstruction& i) {
  const auto clamps = [&](int64_t k) {
    const HloInstruction& clamp = Operand(i, k);
    return Has<HloOpcode::kClamp>(clamp) && &Operand(clamp, 0) == &Operand(i, 1 - k);
  };
  return Has<HloOpcode::kMaximum>(i) && (clamps(0) || clamps(1));
}

bool AbsoluteOfSquare(const HloInstruction& i) {
  if (Has<HloOpcode::kAbs>(i)) return IsIntegral(i) && IsSquare(Operand(i, 0));
  const bool by_sign = Has<HloOpcode::kRemainder>(i) || Has<HloOpcode::kDivide>(i) ||
                       (Has<HloOpcode::kCompare>(i) && IsNumber(Operand(i, 1), 0));
  return by_sign && IsIntegral(Operand(i, 0)) && IsSquare(Operand(i, 0)) && IsAnyConstant(Operand(i, 1));
}

// The value of an instruction, if constants alone tell it; it takes `left` instructions at most.
std::optional<Literal> ValueOfConstants(const HloInstruction& value, int& left) {
  constexpr int64_t kMostElements = 1 << 10;
  if (--left < 0) return std::nullopt;
  if (const HloInstruction* producer = Producer(value)) return ValueOfConstants(*producer, left);
  const HloInstruction& i = value;
  if (!i.shape().IsArray() || i.shape().ElementCount() > kMostElements) return std::nullopt;
  if (i.IsParameter() || i.Is(kImpure | kSideEffect)) return std::nullopt;
  if (i.IsConstant()) return i.literal().elided() ? std::nullopt : std::optional<Literal>(i.literal());
  std::vector<Literal> values;
  std::vector<const Literal*> operands;
  values.reserve(static_cast<size_t>(i.operand_count()));
  for (const HloInstruction* operand : i.operands()) {
    std::optional<Literal> known = ValueOfConstants(*operand, left);
    if (!known) return std::nullopt;
    operands.push_back(&values.emplace_back(*std::move(known)));
  }
  EvaluatorOptions options;
  options.max_steps = int64_t{1} << 16;
  StatusOr<Literal> result = MakeReferenceEvaluator(std::move(options))->EvaluateInstruction(i, operands);
  return result.ok() ? std::optional<Literal>(*std::move(result)) : std::nullopt;
}

std::optional<Literal> ValueOfConstants(const HloInstruction& value) {
  int left = 64;
  return ValueOfConstants(value, left);
}
// Constants alone tell the value, and `holds` is true of an element.
template <class F>
bool HasConstantElement(const HloInstruction& value, F&& holds) {
  const std::optional<Literal> literal = ValueOfConstants(value);
  for (int64_t k = 0; literal && k < literal->element_count(); ++k)
    if (holds(literal->GetAsDouble(k))) return true;
  return false;
}

bool LeadingZerosOfConstant(const HloInstruction& i) {
  return Has<HloOpcode::kClz>(i) && HasConstantElement(*i.operand(0), [](double x) { return x < 0; });
}

// A power of constant integers; `holds` takes an element of the base and of the exponent.
template <class F>
bool IsPowerOfConstants(const HloInstruction& i, F&& holds) {
  if (!Has<HloOpcode::kPower>(i) || !IsIntegral(i)) return false;
  const std::optional<Literal> exponent = ValueOfConstants(*i.operand(1));
  const std::optional<Literal> base = exponent ? ValueOfConstants(*i.operand(0)) : std::nullopt;
  for (int64_t k = 0; base && k < base->element_count() && k < exponent->element_count(); ++k)
    if (holds(base->GetAsDouble(k), exponent->GetAsDouble(k))) return true;
  return false;
}
bool NegativePower(const HloInstruction& i) {
  return IsPowerOfConstants(i, [](double base, double exponent) { return exponent < 0 && base != 0; });
}
bool InverseOfZero(const HloInstruction& i) {
  return IsPowerOfConstants(i, [](double base, double exponent) { return exponent == -1 && base == 0; });
}

bool LogOfConstantPower(const HloInstruction& i) {
  return LogOfPower(i) && ValueOfConstants(*i.operand(0)).has_value();
}

bool LargePower(const HloInstruction& i) {
  constexpr double kMostTurns = 63;
  return IsPowerOfConstants(i, [](double, double exponent) { return exponent > kMostTurns; });
}

bool ClampOfPredicates(const HloInstruction& i) {
  return Has<HloOpcode::kClamp>(i) && i.shape().element_type() == PrimitiveType::PRED &&
         std::all_of(i.operands().begin(), i.operands().end(),
                     [](const HloInstruction* operand) { return ValueOfConstants(*operand).has_value(); });
}

bool SignedRandomBits(const HloInstruction& i) {
  if (!Has<HloOpcode::kRngBitGenerator>(i) || !i.shape().IsTuple()) return false;
  const PrimitiveType type = i.shape().tuple_shapes(1).element_type();
  return IsFloat(type) || IsSigned(type);
}

bool ScatterWithoutIndex(const HloInstruction& i) {
  return Has<HloOpcode::kScatter>(i) && i.attributes<ScatterAttributes>().scatter_dims_to_operand_dims.empty();
}

bool CoveringReversedWindow(const HloInstruction& i) {
  if (!Has<HloOpcode::kConvolution>(i)) return false;
  const ConvolutionAttributes& convolution = i.attributes<ConvolutionAttributes>();
  const DimVector& spatial = convolution.dim_labels.input_spatial;
  for (size_t d = 0; d < std::min<size_t>(convolution.window.size(), spatial.size()); ++d) {
    const WindowDimension& window = convolution.window[d];
    if (window.window_reversal && window.size > 1 && window.size == i.operand(0)->shape().dimensions(spatial[d]))
      return true;
  }
  return false;
}

bool IntegerOfNarrowDot(const HloInstruction& i) {
  return Has<HloOpcode::kDot>(i) && IsIntegral(i) && IsFloating(*i.operand(0)) &&
         GetFloatFormat(i.operand(0)->shape().element_type()).mantissa_bits <
             GetFloatFormat(PrimitiveType::F32).mantissa_bits;
}

bool StochasticConvertOfByte(const HloInstruction& i) {
  return Has<HloOpcode::kStochasticConvert>(i) && BitWidth(i.operand(0)->shape().element_type()) <= 8;
}

bool LoopOfOneLongStep(const HloInstruction& i) {
  if (!Has<HloOpcode::kWhile>(i)) return false;
  const std::optional<LoopCounter> counter = FindLoopCounter(i);
  return counter && counter->trips == 1 && std::abs(counter->step) > 1;
}

bool LogOfDenormal(const HloInstruction& i) {
  return Has<HloOpcode::kLog>(i) && IsFloating(i) && HasConstantElement(*i.operand(0), [&](double x) {
           return x != 0 && std::abs(x) < SmallestNormal(i.shape().element_type());
         });
}

constexpr KnownFault kFaults[] = {
    {"predicate-product", "x * convert(p) became select(p, x, 0), which loses NaN", "", PredicateProduct, SelectOfZero},
    {"exponential-product", "exp(a) * exp(b) became exp(a + b), which overflows for other inputs", "",
     ExponentialProduct, ExponentialOfSum},
    {"log-of-exponential", "log(exp(x)) became x, which differs if exp(x) overflows", "openxla/xla#42732",
     LogOfExponential, nullptr},
    {"log-of-power", "log(power(x, y)) became log(abs(x)) * y, which is no NaN if x is negative and y no even integer",
     "", LogOfPower, ProductWithLog},
    {"power-of-exponential", "power(exp(x), y) became exp(x * y), which overflows for other inputs", "",
     PowerOfExponential, ExponentialOfProduct},
    {"root-of-square", "sqrt(x * x) became abs(x), which differs if the square overflows", "", RootOfSquare,
     Has<HloOpcode::kAbs>},
    {"integer-inverse", "power(x, -1) of integers became 1 / x, which is -1 for 0", "", InverseOfInteger,
     IntegerReciprocal},
    {"negative-power", "the power of a constant integer with a negative exponent became 0, also of 1 and -1", "",
     NegativePower, nullptr},
    {"inverse-of-zero", "power(0, -1) of constant integers became 1 / 0, which is -1", "", InverseOfZero, nullptr},
    {"quotient-by-power", "a / power(b, c) of integers became a * power(b, -c)", "", QuotientByPower, ProductWithPower},
    {"slice-of-slice", "two gathers or dynamic-slices became one, which clamps other indices", "", SliceOfSlice,
     nullptr},
    {"constant-overflow", "the product of two constants became one constant, which is infinite", "", ConstantProducts,
     ProductWithInfinity},
    {"lost-constant", "(c - x) + d or (x + c) + d became (c + d) - x or x + (c + d), of which c + d is c", "",
     AddedAfterConstant, nullptr},
    {"maximum-of-clamp", "maximum(low, clamp(low, x, high)) became the clamp, which differs if high is below low", "",
     MaximumOfClamp, nullptr},
    {"absolute-of-square", "the square of an integer was assumed positive, although it may wrap around",
     "openxla/xla#46628", AbsoluteOfSquare, nullptr},
    {"leading-zeros", "the leading zeros of a negative constant were counted in 64 bits", "", LeadingZerosOfConstant,
     nullptr},
    {"log-of-constant-power", "log(power(x, y)) of constants was folded as log(abs(x)) * y, which is no NaN", "",
     LogOfConstantPower, nullptr},
    {"large-power", "the power of constant integers with an exponent over 63 took six bits of it", "", LargePower,
     nullptr},
    {"predicate-clamp", "the clamp of three constant predicates was folded to another one", "", ClampOfPredicates,
     nullptr},
    {"random-type", "random bits that are signed or floats became unsigned integers", "", SignedRandomBits, nullptr},
    {"scatter-without-index", "of the updates of a scatter without an index the last alone was kept",
     "openxla/xla#48716", ScatterWithoutIndex, nullptr},
    {"reversed-window", "a convolution whose reversed window covers its input became a product without the reversal",
     "", CoveringReversedWindow, nullptr},
    {"integer-dot", "a dot of narrow floats with an integer result was rounded to their type first", "",
     IntegerOfNarrowDot, nullptr},
    {"stochastic-fraction", "stochastic-convert of a float of 8 bits lost digits of the fraction", "",
     StochasticConvertOfByte, nullptr},
    {"long-step", "a loop whose first step goes beyond its limit was removed", "tensorflow#123067, openxla/xla#48454",
     LoopOfOneLongStep, nullptr},
    {"denormal-logarithm", "the logarithm of a constant denormal was folded to another number", "", LogOfDenormal,
     nullptr},
};

std::vector<const HloInstruction*> All(const HloModule& module, bool (*matches)(const HloInstruction&)) {
  std::vector<const HloInstruction*> all;
  for (const HloInstruction* i : module.AllInstructions()) {
    if (matches(*i)) all.push_back(i);
  }
  return all;
}

bool HaveOneOrigin(const HloInstruction& a, const HloInstruction& b) {
  return a.metadata() != nullptr && b.metadata() != nullptr && !a.metadata()->op_name.empty() &&
         a.metadata()->op_name == b.metadata()->op_name;
}

}  // namespace

std::span<const KnownFault> KnownFaults() { return kFaults; }

std::vector<Verdict::Fault> FindKnownFaults(const HloModule& before, const HloModule& after) {
  std::vector<Verdict::Fault> found;
  for (const KnownFault& fault : kFaults) {
    const auto had = All(before, fault.before), has = All(after, fault.before);
    if (had.size() <= has.size()) continue;
    std::vector<const HloInstruction*> instead;
    if (fault.after != nullptr) {
      instead = All(after, fault.after);
      if (instead.size() <= All(before, fault.after).size()) continue;
    }
    // Prefers an instruction without a counterpart of that form in the second module.
    const auto gone = std::find_if(had.begin(), had.end(), [&](const HloInstruction* i) {
      return std::none_of(has.begin(), has.end(),
                          [&](const HloInstruction* k) { return i->name() == k->name() || HaveOneOrigin(*i, *k); });
    });
    const HloInstruction& first = gone == had.end() ? *had[0] : **gone;
    const auto related = std::find_if(instead.begin(), instead.end(), [&](const HloInstruction* k) {
      return first.name() == k->name() || HaveOneOrigin(first, *k);
    });
    std::string second;
    if (!instead.empty()) second = (related == instead.end() ? instead[0] : *related)->name();
    found.push_back({std::string(fault.name), std::string(fault.what), std::string(first.name()), std::move(second),
                     std::string(fault.issue)});
  }
  return found;
}

}  // namespace hloir::check
