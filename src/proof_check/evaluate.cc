// Values of a trial, element sources of data movement, elementwise operations, control flow. Contractions, reductions
// and sorts are in evaluate_sums.cc. See evaluate.h.
#include "proof_check/evaluate.h"

#include <algorithm>
#include <cmath>

#include "hloir/analysis.h"
#include "hloir/custom_call.h"
#include "support/format.h"
#include "support/hash.h"
#include "support/random.h"

namespace hloir::proof_check {
namespace {

constexpr int kMostDepth = 32;
constexpr int64_t kMostTurns = 1 << 12;
constexpr uint64_t kSeed = 0x70726F6F66;

}  // namespace

bool HasAllOf(PrimitiveType wide, PrimitiveType narrow) {
  const FloatFormat a = GetFloatFormat(wide), b = GetFloatFormat(narrow);
  return a.mantissa_bits >= b.mantissa_bits && a.exponent_bits >= b.exponent_bits;
}

bool RoundsTo(const HloInstruction& i, PrimitiveType type) {
  if (i.opcode() == HloOpcode::kReducePrecision) return true;
  if (!IsFloat(type) || i.Is(kMovesData) || i.operand_count() == 0 || i.opcode() == HloOpcode::kIota) return false;
  const PrimitiveType from = i.operand(0)->shape().element_type();
  if (i.opcode() == HloOpcode::kConvert && IsFloat(from) && HasAllOf(type, from)) return false;
  const bool from_wider = i.opcode() == HloOpcode::kConvert && BitWidth(from) > BitWidth(type);
  return BitWidth(type) < 32 ? i.Is(kElementwise) ? i.opcode() != HloOpcode::kSelect : !i.Is(kControlFlow)
                             : from_wider && IsFloat(from);
}

// ---- State that trials share ----

Shared::Shared() {
  EvaluatorOptions options;
  options.max_bytes = int64_t{1} << 30;
  options.max_steps = int64_t{1} << 24;
  interpreter_ = MakeReferenceEvaluator(std::move(options));
}

uint64_t Shared::ClassOf(const HloInstruction& i) {
  const auto [known, added] = class_of_.try_emplace(&i, 0);
  if (!added) return known->second;
  const auto elided = [](const HloInstruction& j) {
    return j.IsConstant() && j.shape().IsArray() && j.literal().elided();
  };
  const auto same = [&](const HloInstruction& other) {
    // Elided constants of the same name are the same.
    if (elided(i) || elided(other))
      return elided(i) && elided(other) && i.name() == other.name() && i.shape().Compatible(other.shape());
    if (!EqualAttributes(i, other) || !i.shape().Compatible(other.shape())) return false;
    if (i.extras().backend_config != other.extras().backend_config && i.opcode() == HloOpcode::kCustomCall)
      return false;
    const auto x = i.called_computations(), y = other.called_computations();
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const auto* p, const auto* q) { return StructurallyEqual(*p, *q); });
  };
  std::vector<const HloInstruction*>& all = classes_[i.opcode()];
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto* other) { return same(*other); });
  known->second = Mix(static_cast<uint64_t>(i.opcode()) + 1, static_cast<uint64_t>(found - all.begin()));
  if (found == all.end()) all.push_back(&i);
  return known->second;
}

const Graph* Shared::GraphOf(const HloComputation& computation) {
  const auto [known, added] = graphs_.try_emplace(&computation);
  if (added) {
    if (StatusOr<Graph> graph = Graph::Make(computation); graph.ok())
      known->second = std::make_unique<const Graph>(*std::move(graph));
  }
  return known->second.get();
}

// Evaluates the operation by the reference evaluator on the numbers of the elements instead of their values.
Shared::Sources Shared::SourcesOf(const HloInstruction& i, const std::vector<ArrayPtr>& operands) {
  if (!i.Is(kMovesData) || i.opcode() == HloOpcode::kDynamicReshape) return nullptr;
  const PrimitiveType type = i.shape().element_type();
  const bool fixed = std::all_of(operands.begin(), operands.end(), [](const ArrayPtr& x) { return x->HasNumbers(); });
  if (fixed) {
    if (const auto found = sources_.find(&i); found != sources_.end()) return found->second;
  }
  HloModule module("moves");
  HloComputation* computation = module.AddComputation("moves");
  std::vector<HloInstruction*> parameters;
  std::vector<Literal> numbers;
  numbers.reserve(operands.size());
  std::vector<const Literal*> values;
  int64_t first = 0;
  for (size_t k = 0; k < operands.size(); ++k) {
    const Shape& shape = i.operand(static_cast<int64_t>(k))->shape();
    if (!operands[k]->HasNumbers()) {
      parameters.push_back(computation->AddParameter(static_cast<int64_t>(k), shape, "p"));
      values.push_back(&operands[k]->literal);
      continue;
    }
    if (shape.element_type() != type) return nullptr;
    const Shape numbered = shape.WithElementType(PrimitiveType::S64);
    parameters.push_back(computation->AddParameter(static_cast<int64_t>(k), numbered, "p"));
    Literal& literal = numbers.emplace_back(numbered);
    for (int64_t& element : literal.data<int64_t>()) element = first++;
    values.push_back(&literal);
  }
  const HloInstruction* moves = computation->AddInstructionWithAttributes(
      i.opcode(), i.shape().WithElementType(PrimitiveType::S64), parameters, i.attributes());
  const StatusOr<Literal> moved = interpreter_->EvaluateInstruction(*moves, values);
  if (!moved.ok()) return nullptr;
  const auto data = moved->data<int64_t>();
  auto sources = std::make_shared<const std::vector<int64_t>>(data.begin(), data.end());
  if (fixed) sources_[&i] = sources;
  return sources;
}

// ---- Inputs of a trial ----

Trial& Shared::TrialOf(int number, Order order, bool bits) {
  std::unique_ptr<Trial>& trial = trials_[{number, order, bits}];
  if (trial == nullptr) {
    trial = std::make_unique<Trial>(Mix(kSeed, static_cast<uint64_t>(number)), number, order, bits);
    for (const Arithmetic::Combined& row : combined) trial->arithmetic.Combine(row);
    for (double literal : literals) trial->arithmetic.KnowLiteral(literal);
  }
  return *trial;
}

ArrayPtr Trial::Leaf(const Shape& shape, uint64_t key, const Shared& shared, const Bounds& bounds) {
  Array array{shape, {}, {}};
  const size_t key_of_leaf = static_cast<size_t>(key);
  key = Mix(seed, key);
  Random random(key);
  const int64_t count = shape.ElementCount();
  if (array.HasNumbers()) {
    // Some trials use numbers of the texts for some elements, so that comparisons with these numbers meet ties.
    const int64_t parts = array.IsReal() ? 1 : 2;
    for (int64_t k = 0; k < count * parts; ++k) {
      Number n = arithmetic.AnyNumber(Mix(key, static_cast<uint64_t>(k)));
      if (MeetsTies() && random.Chance(30)) {
        n = arithmetic.Literal(shared.literals.empty() || random.Chance(50) ? static_cast<double>(random.Between(-1, 1))
                                                                            : random.From(shared.literals));
        n.open = true;
        n.value = 0;
      }
      array.numbers.push_back(n);
    }
    return std::make_shared<const Array>(std::move(array));
  }
  array.literal = Literal(shape.WithDefaultLayout());
  const bool counts = bounds.low <= bounds.high;
  array.bounds = counts ? bounds : Bounds::Of(shape.element_type());
  array.bounds.open = true;
  for (int64_t k = 0; k < count; ++k) {
    int64_t value =
        Integer(Mix(key, static_cast<uint64_t>(k)), static_cast<size_t>(k) + key_of_leaf % 97, array.bounds, shared);
    // Half of the trials take the numbers from either bound on, in turn.
    const uint64_t turn = static_cast<uint64_t>(number / 4);
    if (counts && number % 4 < 2)
      value = bounds.Within(static_cast<int64_t>(number % 4 == 0 ? static_cast<uint64_t>(bounds.low) + turn
                                                                 : static_cast<uint64_t>(bounds.high) - turn));
    array.literal.SetFromInt64(k, value);
  }
  return std::make_shared<const Array>(std::move(array));
}

// ---- Evaluation ----

namespace {

bool IsOpen(const Array& array) {
  return array.bounds.open || std::any_of(array.numbers.begin(), array.numbers.end(),
                                          [](const Number& n) { return n.open || std::isnan(n.value); });
}

// The array with bounds, if it has integers.
ArrayPtr Bounded(ArrayPtr array, bool open) {
  if (array == nullptr || array->HasNumbers() || !array->shape.IsArray()) return array;
  const bool known = array->bounds.low <= array->bounds.high;
  if (known && (array->bounds.open || !open)) return array;
  Array bounded = *array;
  const PrimitiveType type = array->shape.element_type();
  if (!known && open) bounded.bounds = Bounds::Of(type);
  for (int64_t k = 0; k < array->shape.ElementCount() && !known && !open; ++k) {
    const int64_t value = array->literal.GetAsInt64(k);
    bounded.bounds = bounded.bounds.With({value, value});
  }
  bounded.bounds.open |= open;
  return std::make_shared<const Array>(std::move(bounded));
}

}  // namespace

ArrayPtr Evaluation::Get(ValueId value) {
  std::vector<ValueId> todo{value};
  while (!todo.empty()) {
    const ValueId at = todo.back();
    if (Known(at) != nullptr) {
      todo.pop_back();
      continue;
    }
    const Graph::Op& op = graph_.OpOf(at);
    const size_t before = todo.size();
    // The branches of a conditional evaluate their own operands.
    for (const std::vector<ValueId>& operand : op.operands) {
      for (ValueId v : operand) {
        if (Known(v) == nullptr && graph_.ShapeOf(v).IsArray()) todo.push_back(v);
      }
    }
    if (todo.size() > before) continue;
    if (!Evaluate(op)) {
      Fail(Format("{} has no value", op.name));
      return nullptr;
    }
    todo.pop_back();
  }
  return Known(value);
}

bool Evaluation::Evaluate(const Graph::Op& op) {
  int64_t elements = 1;
  for (const Shape* shape : op.shapes) {
    if (!shape->IsStatic()) return Fail(Format("{} has dynamic sizes", op.name));
    if (__builtin_add_overflow(elements, shape->IsArray() ? shape->ElementCount() : 0, &elements)) elements = INT64_MAX;
  }
  if (elements > shared_.work_left || shared_.Spend(elements) < 0) return Fail("too large");
  Arrays x;
  for (const std::vector<ValueId>& operand : op.operands) {
    for (ValueId v : operand) {
      if (graph_.ShapeOf(v).IsArray()) x.push_back(Known(v));
    }
  }
  Arrays results = Of(op, x);
  if (!why_.empty()) return false;
  if (results.empty()) results = Unknown(op, x);
  else if (!trial_.arithmetic.bits()) Round(op, results);
  // (Control flow is open where what decides it is, and an operand itself where it was.)
  const bool is_operand = !results.empty() && std::find(x.begin(), x.end(), results[0]) != x.end();
  const bool open = !op.instruction->Is(kControlFlow) && !is_operand &&
                    std::any_of(x.begin(), x.end(), [](const ArrayPtr& a) { return IsOpen(*a); });
  for (size_t k = 0; k < results.size(); ++k)
    values_[static_cast<size_t>(op.first) + k] = Bounded(std::move(results[k]), open);
  return why_.empty() && results.size() == op.shapes.size();
}

ArrayPtr Evaluation::OfLiteral(Literal literal, bool closed) {
  Array array{literal.shape(), {}, {}};
  if (!array.HasNumbers()) {
    array.literal = std::move(literal);
    return std::make_shared<const Array>(std::move(array));
  }
  const int64_t count = literal.element_count();
  if (shared_.Spend(count) < 0) return Fail("too large"), nullptr;
  const bool real = array.IsReal();
  array.numbers.reserve(static_cast<size_t>(real ? count : 2 * count));
  for (int part = 0; part < (real ? 1 : 2); ++part) {
    for (int64_t k = 0; k < count; ++k) {
      const double value = real        ? literal.GetAsDouble(k)
                           : part == 0 ? literal.GetAsComplex(k).real()
                                       : literal.GetAsComplex(k).imag();
      array.numbers.push_back(trial_.arithmetic.Literal(value));
      array.numbers.back().open = !closed;
    }
  }
  return std::make_shared<const Array>(std::move(array));
}

// Evaluates an unsupported operation as a random function.
Evaluation::Arrays Evaluation::Unknown(const Graph::Op& op, const Arrays& x) {
  uint64_t key = shared_.ClassOf(*op.instruction);
  // Both modules have their effects in the same order.
  const auto& effects = graph_.effects();
  const int32_t index = graph_.OpIndexOf(op.first);
  if (const auto found = std::find(effects.begin(), effects.end(), index); found != effects.end()) {
    if (depth_ > 0) return Fail(Format("{} differs each time that it is called", op.name)), Arrays();
    key = Mix(key, static_cast<uint64_t>(found - effects.begin()) + 1);
  }
  bool undefined = false;
  for (const ArrayPtr& a : x) {
    if (shared_.Spend(a->shape.ElementCount()) < 0) return Fail("too large"), Arrays();
    for (int64_t size : a->shape.dimensions()) key = Mix(key, static_cast<uint64_t>(size));
    if (!a->HasNumbers()) key = Mix(key, a->literal.Hash());
    for (const Number& n : a->numbers) {
      key = Mix(key, n.p);
      undefined |= n.undefined;
    }
  }
  Arrays results;
  for (const Shape* shape : op.shapes) {
    key = Mix(key, results.size());
    if (!shape->IsArray()) {
      results.push_back(std::make_shared<const Array>());
      continue;
    }
    Array array = *trial_.Leaf(*shape, key, shared_);
    for (Number& n : array.numbers) n.undefined |= undefined;
    results.push_back(std::make_shared<const Array>(std::move(array)));
  }
  return results;
}

// Evaluates an operation on integers and conditions by the reference evaluator.
ArrayPtr Evaluation::Interpreted(const HloInstruction& i, const Arrays& x, const Bounds& bounds) {
  std::vector<const Literal*> values;
  for (const ArrayPtr& a : x) values.push_back(&a->literal);
  StatusOr<Literal> result = shared_.interpreter().EvaluateInstruction(i, values);
  if (!result.ok()) return nullptr;
  if (bounds.low > bounds.high) return OfLiteral(*std::move(result));
  return std::make_shared<const Array>(Array{i.shape(), *std::move(result), {}, bounds});
}

namespace {

// Its result is one of its operands but for signs, or, of numbers of 16 bits, has no more digits than they have.
bool IsExact(HloOpcode op, PrimitiveType type) {
  using enum HloOpcode;
  if (op == kAbs || op == kNegate || op == kMaximum || op == kMinimum || op == kConvert) return true;
  return BitWidth(type) == 16 && (op == kSign || op == kFloor || op == kCeil || op == kRoundNearestAfz ||
                                  op == kRoundNearestEven || op == kRemainder);
}

}  // namespace

// True if `type` has all numbers that the operation may give, so that rounding them to it changes none.
bool Evaluation::Holds(const Graph::Op& op, PrimitiveType type, int depth) const {
  constexpr int kMostOps = 16;
  const HloInstruction& i = *op.instruction;
  if (depth > kMostOps || op.shapes.size() != 1 || i.operand_count() == 0) return false;
  if (!IsExact(i.opcode(), type) && i.opcode() != HloOpcode::kSelect && !i.Is(kMovesData)) return false;
  for (const std::vector<ValueId>& operand : op.operands) {
    for (ValueId v : operand) {
      const PrimitiveType of = graph_.ShapeOf(v).element_type();
      if (i.opcode() != HloOpcode::kConvert && !IsFloat(of)) continue;
      if (IsFloat(of) && HasAllOf(type, of)) continue;
      if (!IsFloat(of) || !Holds(graph_.OpOf(v), type, depth + 1)) return false;
    }
  }
  return true;
}

void Evaluation::Round(const Graph::Op& op, Arrays& results) {
  const HloInstruction& i = *op.instruction;
  for (ArrayPtr& result : results) {
    const PrimitiveType type = result->shape.element_type();
    if (!result->IsReal() || !RoundsTo(i, type) || (!shared_.keeps_roundings && BitWidth(type) > 8)) continue;
    if (BitWidth(type) < 32 && Holds(op, type, 0)) continue;
    Array rounded = *result;
    for (Number& n : rounded.numbers) n = trial_.arithmetic.Rounded(n, type);
    result = std::make_shared<const Array>(std::move(rounded));
  }
}

ArrayPtr Evaluation::Moved(const HloInstruction& i, const Arrays& x) {
  const Shared::Sources sources = shared_.SourcesOf(i, x);
  if (sources == nullptr) return nullptr;
  Array result{i.shape(), {}, {}};
  for (int part = 0; part < (result.IsReal() ? 1 : 2); ++part) {
    std::vector<const Number*> elements;
    for (const ArrayPtr& a : x) {
      if (!a->HasNumbers()) continue;
      const int64_t count = a->shape.ElementCount();
      for (int64_t k = 0; k < count; ++k) elements.push_back(&a->numbers[static_cast<size_t>(part * count + k)]);
    }
    for (int64_t from : *sources) result.numbers.push_back(*elements[static_cast<size_t>(from)]);
  }
  return std::make_shared<const Array>(std::move(result));
}

ArrayPtr Evaluation::Convert(const Shape& shape, const ArrayPtr& x) {
  const PrimitiveType from = x->shape.element_type(), to = shape.element_type();
  Array result{shape, {}, {}};
  Arithmetic& a = trial_.arithmetic;
  const int64_t count = shape.ElementCount();
  if (IsComplex(from) || IsComplex(to)) {
    if (a.bits()) return nullptr;
    const ArrayPtr numbers = x->HasNumbers() ? x : Convert(shape.WithElementType(PrimitiveType::F64), x);
    if (numbers == nullptr) return nullptr;
    result.numbers = numbers->numbers;
    result.numbers.resize(static_cast<size_t>(result.IsReal() ? count : 2 * count), a.Literal(0));
    return IsFloat(to) || IsComplex(to) ? std::make_shared<const Array>(std::move(result)) : nullptr;
  }
  if (!x->HasNumbers()) {
    const Bounds& bounds = x->bounds;
    if (from == PrimitiveType::U64 && bounds.low < 0) return nullptr;
    // The reference evaluator rounds a bitwise conversion.
    const int digits = GetFloatFormat(to).mantissa_bits + 1;
    const int64_t exact = digits < 2 ? 0 : int64_t{1} << std::min(digits, 62);
    const bool rounds = a.bits() && (bounds.low < -exact || bounds.high > exact);
    if (a.bits() && (!bounds.open || (!bounds.wraps && !rounds)))
      return OfLiteral(x->literal.Convert(to), !bounds.open);
    for (int64_t k = 0; k < count; ++k) {
      Number n = a.Integer(x->literal.GetAsInt64(k));
      n.open = bounds.open;
      // A number modulo 2^n is not one modulo p.
      const uint64_t key = Mix(Mix(9, static_cast<uint64_t>(from)), a.bits() ? static_cast<uint64_t>(to) : 0);
      result.numbers.push_back(bounds.wraps || rounds ? a.Unknown(key, {n}) : n);
    }
    return std::make_shared<const Array>(std::move(result));
  }
  if (result.HasNumbers()) {
    // Conversions between float types are exact over the reals.
    if (!a.bits() || HasAllOf(to, from)) {
      result.numbers = x->numbers;
      return std::make_shared<const Array>(std::move(result));
    }
    const uint64_t key = Mix(7, static_cast<uint64_t>(to));
    for (const Number& n : x->numbers) {
      if (n.open || std::isnan(n.value)) {
        result.numbers.push_back(a.IsNaN(n) ? n : a.Unknown(key, {n}));
        continue;
      }
      Literal rounded(Shape::Scalar(to));
      rounded.SetFromDouble(0, n.value);
      result.numbers.push_back(a.Literal(rounded.GetAsDouble(0)));
    }
    return std::make_shared<const Array>(std::move(result));
  }
  // Conversion to integers: exact for constants, otherwise a random function.
  result.literal = Literal(shape.WithDefaultLayout());
  const Bounds all = Bounds::Of(to);
  Literal one(Shape::Scalar(PrimitiveType::F64));
  const Number zero = a.Literal(0);
  for (int64_t k = 0; k < count; ++k) {
    const Number& n = x->numbers[static_cast<size_t>(k)];
    if (to == PrimitiveType::PRED) {
      result.literal.SetFromInt64(k, a.Compare(n, zero) != 0);
    } else if (!n.open && !std::isnan(n.value)) {
      one.SetFromDouble(0, n.value);
      result.literal.SetFromInt64(k, one.Convert(to).GetAsInt64(0));
    } else {
      result.literal.SetFromInt64(k, Draw(Mix(Mix(8, static_cast<uint64_t>(to)), n.p), all));
    }
  }
  return std::make_shared<const Array>(std::move(result));
}

ArrayPtr Evaluation::OfComplex(const HloInstruction& i, const Arrays& x) {
  using enum HloOpcode;
  Arithmetic& a = trial_.arithmetic;
  const PrimitiveType type = PrimitiveType::F64;
  const size_t count = static_cast<size_t>(i.shape().ElementCount());
  Array result{i.shape(), {}, {}};
  if (a.bits()) return nullptr;
  std::vector<Number> re(count), im(count);
  const auto part = [&](size_t operand, size_t k, bool imaginary) {
    const Array& from = *x[operand];
    if (from.IsReal()) return imaginary ? a.Literal(0) : from.numbers[k];
    return from.numbers[k + (imaginary ? from.numbers.size() / 2 : 0)];
  };
  for (const ArrayPtr& operand : x) {
    if (!operand->HasNumbers() || static_cast<size_t>(operand->shape.ElementCount()) != count) return nullptr;
  }
  for (size_t k = 0; k < count; ++k) {
    const Number r = part(0, k, false), s = part(0, k, true);
    switch (i.opcode()) {
      case kComplex: re[k] = r, im[k] = part(1, k, false); break;
      case kReal: re[k] = r; break;
      case kImag: re[k] = s; break;
      case kNegate: re[k] = a.Negate(r), im[k] = a.Negate(s); break;
      case kAbs: {
        const Number square = a.Add(a.Multiply(r, r, type), a.Multiply(s, s, type), type);
        if (!a.Unary(kSqrt, square, type, re[k])) return nullptr;
        break;
      }
      case kAdd:
      case kSubtract: {
        const bool minus = i.opcode() == kSubtract;
        const Number u = part(1, k, false), v = part(1, k, true);
        re[k] = a.Add(r, minus ? a.Negate(u) : u, type), im[k] = a.Add(s, minus ? a.Negate(v) : v, type);
        break;
      }
      case kMultiply:
      case kDivide: {
        Number u = part(1, k, false), v = part(1, k, true);
        if (i.opcode() == kDivide) {
          const Number square = a.Add(a.Multiply(u, u, type), a.Multiply(v, v, type), type);
          u = a.Divide(u, square, type), v = a.Negate(a.Divide(v, square, type));
        }
        re[k] = a.Add(a.Multiply(r, u, type), a.Negate(a.Multiply(s, v, type)), type);
        im[k] = a.Add(a.Multiply(r, v, type), a.Multiply(s, u, type), type);
        break;
      }
      // Other functions of complex numbers are unsupported.
      default: return nullptr;
    }
  }
  result.numbers = std::move(re);
  if (!result.IsReal()) result.numbers.insert(result.numbers.end(), im.begin(), im.end());
  return std::make_shared<const Array>(std::move(result));
}

// What a comparison of two numbers is one of: where signs decide, the numbers' difference and its opposite.
std::pair<uint32_t, uint32_t> Evaluation::ComparedAs(const Number& x, const Number& y) const {
  const Arithmetic& a = trial_.arithmetic;
  if (trial_.order != Order::kSigns || a.bits()) return {x.p, y.p};
  const Number difference = a.PlainAdd(x, a.Negate(y));
  return {difference.p, a.Negate(difference).p};
}

void Evaluation::Note(const Number& x, const Number& y, ComparisonDirection direction) {
  // Over the reals every number equals itself.
  if (shared_.records == nullptr || (!x.open && !y.open) || (x.p == y.p && !trial_.arithmetic.bits())) return;
  const auto [u, v] = ComparedAs(x, y);
  const auto low = std::min(u, v), high = std::max(u, v);
  int decides = 0;  // 0: the comparison decides equality
  if (direction == ComparisonDirection::kLt || direction == ComparisonDirection::kGe) decides = u == low ? 1 : 2;
  if (direction == ComparisonDirection::kGt || direction == ComparisonDirection::kLe) decides = u == low ? 2 : 1;
  shared_.records->insert({low, high, decides});
}

// Over the reals every number that depends on inputs is finite.
bool Evaluation::IsFinite(const Number& x) {
  Arithmetic& a = trial_.arithmetic;
  if (!x.open || !a.bits()) return x.open || std::isfinite(x.value);
  Number size;
  return !a.IsNaN(x) && a.Unary(HloOpcode::kAbs, x, PrimitiveType::F64, size) && a.Unknown(14, {size}).p % 4 != 0;
}

bool Evaluation::Holds(const Number& x, const Number& y, ComparisonDirection direction) {
  Arithmetic& a = trial_.arithmetic;
  if (shared_.ties != nullptr && !shared_.ties->empty()) {
    const auto [u, v] = ComparedAs(x, y);
    const std::pair<uint32_t, uint32_t> pair = std::minmax(u, v);
    if (shared_.ties->count(pair) != 0 && Scramble(Mix(Mix(trial_.seed, pair.first), pair.second)) % 2 == 0)
      return direction == ComparisonDirection::kEq || direction == ComparisonDirection::kLe ||
             direction == ComparisonDirection::kGe;
  }
  // Random numbers are hardly ever equal, so that their equality is a random function.
  const bool equality = direction == ComparisonDirection::kEq || direction == ComparisonDirection::kNe;
  if (equality && (x.open || y.open) && x.p != y.p)
    return (a.Unknown(13, {x.p < y.p ? x : y, x.p < y.p ? y : x}).p % 2 == 0) ==
           (direction == ComparisonDirection::kEq);
  int order = a.Compare(x, y);
  const bool ordered = !a.IsNaN(x) && !a.IsNaN(y);
  // A bitwise maximum is not the same function as a select.
  if (a.bits() && (x.open || y.open))
    order = a.Compare(x.open ? a.Unknown(11, {x}) : x, y.open ? a.Unknown(11, {y}) : y);
  switch (direction) {
    case ComparisonDirection::kEq: return ordered && order == 0;
    case ComparisonDirection::kNe: return !ordered || order != 0;
    case ComparisonDirection::kGe: return ordered && order >= 0;
    case ComparisonDirection::kGt: return ordered && order > 0;
    case ComparisonDirection::kLe: return ordered && order <= 0;
    case ComparisonDirection::kLt: return ordered && order < 0;
  }
  return false;
}

namespace {

// The bits of each element as another type. (A bitcast reads them in memory's order.)
bool RetypesBits(const HloInstruction& i) {
  if (i.opcode() != HloOpcode::kBitcastConvert && i.opcode() != HloOpcode::kBitcast) return false;
  const Shape &from = i.operand(0)->shape(), &to = i.shape();
  return from.SameDimensions(to) && from.element_type() != to.element_type() &&
         (i.opcode() == HloOpcode::kBitcastConvert || from == to.WithElementType(from.element_type()));
}

}  // namespace

// The bits of constants as another type; null if those of a number are unknown. (Of a zero the sign is.)
ArrayPtr Evaluation::BitsOfConstants(const HloInstruction& i, const Array& x) {
  if (!x.HasNumbers()) return x.bounds.open ? nullptr : Interpreted(i, {std::make_shared<const Array>(x)});
  if (!x.IsReal()) return nullptr;
  Array numbers{x.shape, Literal(x.shape.WithDefaultLayout()), {}};
  for (size_t k = 0; k < x.numbers.size(); ++k) {
    const Number& n = x.numbers[k];
    numbers.literal.SetFromDouble(static_cast<int64_t>(k), n.value);
    if (n.open || n.undefined || numbers.literal.GetAsDouble(static_cast<int64_t>(k)) != n.value || n.value == 0)
      return nullptr;
  }
  return Interpreted(i, {std::make_shared<const Array>(std::move(numbers))});
}

ArrayPtr Evaluation::Elementwise(const HloInstruction& i, const Arrays& x) {
  using enum HloOpcode;
  const HloOpcode opcode = i.opcode();
  Arithmetic& a = trial_.arithmetic;
  if (opcode == kConvert) return Convert(i.shape(), x[0]);
  if (opcode == kReal && x[0]->IsReal()) return x[0];
  if (opcode == kImag && x[0]->IsReal()) return OfLiteral(Literal(i.shape().WithDefaultLayout()));
  if (opcode != kSelect &&
      std::any_of(x.begin(), x.end(), [](const auto& v) { return IsComplex(v->shape.element_type()); }))
    return OfComplex(i, x);
  if (opcode == kComplex || opcode == kReal) return OfComplex(i, x);
  const int64_t count = i.shape().ElementCount();
  const PrimitiveType type = i.shape().element_type();
  const auto at = [&](size_t operand, int64_t k) -> const Number& {
    const std::vector<Number>& numbers = x[operand]->numbers;
    return numbers[numbers.size() == 1 ? 0 : static_cast<size_t>(k)];
  };
  Array result{i.shape(), {}, {}};
  const auto reals = [&] { return std::all_of(x.begin(), x.end(), [](const ArrayPtr& v) { return v->IsReal(); }); };
  if (opcode == kSelect) {
    if (!x[1]->HasNumbers() || x[0]->shape.element_type() != PrimitiveType::PRED) return nullptr;
    const auto chosen = x[0]->literal.data<bool>();
    for (int part = 0; part < (result.IsReal() ? 1 : 2); ++part) {
      for (int64_t k = 0; k < count; ++k)
        result.numbers.push_back(at(chosen[chosen.size() == 1 ? 0 : static_cast<size_t>(k)] ? 1 : 2, part * count + k));
    }
    return std::make_shared<const Array>(std::move(result));
  }
  if (RetypesBits(i)) {
    const PrimitiveType from = x[0]->shape.element_type();
    if (ArrayPtr retyped = BitsOfConstants(i, *x[0])) return retyped;
    const uint64_t key = Mix(Mix(12, static_cast<uint64_t>(from)), static_cast<uint64_t>(type));
    if (!result.HasNumbers()) result.literal = Literal(i.shape().WithDefaultLayout()), result.bounds = Bounds::Of(type);
    result.bounds.open = true;
    for (int64_t k = 0; k < count; ++k) {
      const Number n = x[0]->HasNumbers() ? at(0, k) : a.Integer(x[0]->literal.GetAsInt64(k));
      const uint64_t of = a.IsNaN(n) && std::signbit(n.value) ? Mix(key, 1) : key;  // the bits of NaN have a sign
      if (result.HasNumbers()) result.numbers.push_back(a.Unknown(of, {n}));
      else result.literal.SetFromInt64(k, Draw(Mix(of, n.p), result.bounds));
    }
    return std::make_shared<const Array>(std::move(result));
  }
  if (!reals()) return nullptr;
  if (opcode == kCompare && i.attributes<CompareAttributes>().type == ComparisonType::kFloatTotalOrder) return nullptr;
  if (opcode == kCompare || opcode == kIsFinite) {
    result.literal = Literal(i.shape().WithDefaultLayout());
    for (int64_t k = 0; k < count; ++k) {
      bool holds = true;
      if (opcode == kIsFinite) {
        holds = IsFinite(at(0, k));
      } else {
        const ComparisonDirection direction = i.attributes<CompareAttributes>().direction;
        Note(at(0, k), at(1, k), direction);
        holds = Holds(at(0, k), at(1, k), direction);
      }
      result.literal.SetFromInt64(k, holds);
    }
    return std::make_shared<const Array>(std::move(result));
  }
  if (!result.IsReal()) return nullptr;
  result.numbers.resize(static_cast<size_t>(count));
  for (int64_t k = 0; k < count; ++k) {
    Number& to = result.numbers[static_cast<size_t>(k)];
    bool known = true;
    if (opcode == kClamp) {
      known = a.Binary(kMaximum, at(0, k), at(1, k), type, to) && a.Binary(kMinimum, Number(to), at(2, k), type, to);
    } else if (opcode == kReducePrecision) {
      to = a.bits() ? a.Unknown(shared_.ClassOf(i), {at(0, k)}) : at(0, k);
    } else if (x.size() == 1) {
      known = a.Unary(opcode, at(0, k), type, to);
    } else {
      known = x.size() == 2 && a.Binary(opcode, at(0, k), at(1, k), type, to);
    }
    if (!known) return nullptr;
  }
  return std::make_shared<const Array>(std::move(result));
}

Evaluation::Arrays Evaluation::Of(const Graph::Op& op, const Arrays& x) {
  using enum HloOpcode;
  const HloInstruction& i = *op.instruction;
  const auto one = [](ArrayPtr array) { return array != nullptr ? Arrays{std::move(array)} : Arrays(); };
  switch (i.opcode()) {
    case kParameter: return Fail("a parameter without a value"), Arrays();
    case kConstant:
      if (i.shape().IsArray() && !i.literal().elided()) return one(OfLiteral(i.literal()));
      return {};
    case kWhile: return While(op, x);
    case kConditional: return Conditional(op);
    case kGetDimensionSize: {
      Literal size(Shape::Scalar(i.shape().element_type()));
      size.SetFromInt64(0, x[0]->shape.dimensions(i.dimensions()[0]));
      return one(OfLiteral(std::move(size)));
    }
    case kCustomCall:
      if (IsCustomCall(i, CustomCall::kTopK)) break;
      return {};
    // Other operations are handled by their traits.
    default: break;
  }
  if (const HloComputation* definition = shared_.DefinitionOf(i, trial_.arithmetic.bits())) return Call(*definition, x);
  // Operations that depend on the device are unsupported.
  if (i.Is(kCollective) || i.Is(kAsyncPart) || i.Is(kImpure) || i.Is(kSideEffect) || i.opcode() == kPartitionId ||
      i.opcode() == kReplicaId || !i.shape().IsArray() || x.size() != static_cast<size_t>(i.operand_count())) {
    return i.opcode() == kReduce || i.opcode() == kReduceWindow ? Reduce(i, x)
           : i.opcode() == kSort                                ? Sort(i, x)
           : i.opcode() == kScan                                ? Scan(i, x)
           : i.opcode() == kScatter                             ? Scatter(i, x)
                                                                : Arrays();
  }
  if (i.opcode() == kSelect && !x[0]->bounds.open && x[0]->bounds.low == x[0]->bounds.high)
    return {x[x[0]->bounds.low != 0 ? 1 : 2]};
  const bool integers = std::none_of(x.begin(), x.end(), [](const ArrayPtr& a) { return a->HasNumbers(); });
  if (integers && (!Array{i.shape(), {}, {}}.HasNumbers() || i.opcode() == kIota)) {
    if (std::none_of(x.begin(), x.end(), [](const ArrayPtr& a) { return a->bounds.open; }))
      return one(Interpreted(i, x));
    if (i.opcode() == kSelect) {
      if (ArrayPtr result = SelectedByOrder(op, x)) return {std::move(result)};
    }
    if (ArrayPtr result = OpenIntegers(i, x)) return {std::move(result)};
  }
  if (i.Is(kElementwise) || RetypesBits(i)) return one(Elementwise(i, x));
  if (i.Is(kMovesData)) return one(Moved(i, x));
  switch (i.opcode()) {
    case kDot:
    case kConvolution: {
      // Integers beside floats are converted.
      Arrays numbers = x;
      for (ArrayPtr& a : numbers) {
        if (!a->HasNumbers() && IsFloat(i.shape().element_type()))
          a = Convert(a->shape.WithElementType(i.shape().element_type()), a);
        if (a == nullptr || !a->HasNumbers()) return {};
      }
      if (i.opcode() == kDot) return one(Dot(i, *numbers[0], *numbers[1]));
      if (x.size() == 2 && numbers[0]->IsReal() && numbers[1]->IsReal())
        return one(Convolution(i, *numbers[0], *numbers[1]));
      return {};
    }
    case kCholesky: return one(Cholesky(i, *x[0]));
    case kTriangularSolve: return one(TriangularSolve(i, *x[0], *x[1]));
    case kReduce:
    case kReduceWindow: return Reduce(i, x);
    case kScatter: return Scatter(i, x);
    case kSelectAndScatter: return one(SelectAndScatter(i, x));
    case kSort: return Sort(i, x);
    case kMap: return Map(i, x);
    case kScan: return Scan(i, x);
    // Any other operation is unsupported.
    default: return {};
  }
}

// ---- Control flow ----

Evaluation::Arrays Evaluation::Call(const HloComputation& computation, const Arrays& arguments) {
  const Graph* graph = shared_.GraphOf(computation);
  if (graph == nullptr || depth_ > kMostDepth) return Fail("calls are nested too deeply"), Arrays();
  if (graph->parameters().size() != arguments.size()) return Fail("parameters that are not arrays"), Arrays();
  shared_.Spend(static_cast<int64_t>(graph->ops().size()));
  Evaluation inside(*graph, shared_, trial_, depth_ + 1);
  for (size_t k = 0; k < arguments.size(); ++k) inside.Set(graph->parameters()[k], arguments[k]);
  Arrays results;
  for (ValueId value : graph->results()) {
    results.push_back(inside.Get(value));
    if (results.back() == nullptr) return Fail(inside.why()), Arrays();
  }
  return results;
}

Evaluation::Arrays Evaluation::While(const Graph::Op& op, Arrays state) {
  const HloInstruction& i = *op.instruction;
  if (state.size() != op.shapes.size()) return {};
  bool open = false;
  for (int64_t turn = 0;; ++turn) {
    const Arrays again = Call(*i.while_condition(), state);
    if (!why_.empty()) return {};
    open = open || again[0]->bounds.open;
    if (!again[0]->literal.data<bool>()[0]) {
      for (ArrayPtr& array : state) array = Bounded(std::move(array), open);
      return state;
    }
    if (turn >= kMostTurns) return {};
    state = Call(*i.while_body(), state);
    if (!why_.empty()) return {};
  }
}

Evaluation::Arrays Evaluation::Conditional(const Graph::Op& op) {
  const HloInstruction& i = *op.instruction;
  const Literal& chooses = Known(op.operands[0][0])->literal;
  const int64_t branches = static_cast<int64_t>(i.called_computations().size());
  int64_t branch = i.IsPredConditional() ? !chooses.data<bool>()[0] : chooses.GetAsInt64(0);
  if (branch < 0 || branch >= branches) branch = branches - 1;
  Arrays arguments;
  for (ValueId v : op.operands[static_cast<size_t>(branch) + 1]) arguments.push_back(Known(v));
  if (std::find(arguments.begin(), arguments.end(), nullptr) != arguments.end()) return {};
  Arrays results = Call(*i.called_computation(branch), arguments);
  for (ArrayPtr& array : results) array = Bounded(std::move(array), Known(op.operands[0][0])->bounds.open);
  return results;
}

}  // namespace hloir::proof_check
