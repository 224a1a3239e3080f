// A module in other floating-point arithmetic: WidenModule(), NarrowModule() and MakeIdealModule(). Replaces every
// float shape of a copy, converts constants, and inserts converts where a type must stay: after the entry's parameters,
// around operations whose result depends on a type's bits, and in an ideal module where rounding is part of the
// computation. Covered by tests/unit/check_compare_test.cc and meaning_test.cc.
#include "check/widen.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <functional>
#include <vector>

#include "calls/lapack_form.h"
#include "check/rounding.h"
#include "hloir/builder.h"
#include "hloir/custom_call.h"
#include "hloir/evaluator.h"

namespace hloir {
namespace {

using check::HoldsFloats;
using check::MadeIn;
using check::RoundingHasMeaning;
using TypeMap = PrimitiveType (*)(PrimitiveType);

PrimitiveType Wider(PrimitiveType type) {
  if (type == PrimitiveType::F32) return PrimitiveType::F64;
  if (type == PrimitiveType::C64) return PrimitiveType::C128;
  return IsFloat(type) && BitWidth(type) < 32 ? PrimitiveType::F32 : type;
}

PrimitiveType Narrower(PrimitiveType type) {
  if (type == PrimitiveType::F64) return PrimitiveType::F32;
  return type == PrimitiveType::C128 ? PrimitiveType::C64 : type;
}

PrimitiveType Widest(PrimitiveType type) {
  if (IsComplex(type)) return PrimitiveType::C128;
  return IsFloat(type) ? PrimitiveType::F64 : type;
}

Shape Retyped(const Shape& shape, TypeMap map) {
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(Retyped(element, map));
    return Shape::Tuple(std::move(elements));
  }
  if (!shape.IsArray()) return shape;
  const PrimitiveType type = map(shape.element_type());
  return type == shape.element_type() ? shape : shape.WithElementType(type);
}

Literal Retyped(const Literal& literal, TypeMap map) {
  if (literal.shape().IsTuple()) {
    std::vector<Literal> elements;
    for (const Literal& element : literal.elements()) elements.push_back(Retyped(element, map));
    return Literal::Tuple(std::move(elements));
  }
  if (!literal.shape().IsArray()) return literal;
  const PrimitiveType type = map(literal.shape().element_type());
  if (type == literal.shape().element_type()) return literal;
  Literal converted = literal.Convert(type);
  converted.set_elided(literal.elided());
  return converted;
}

// Converts `value`, which may be a tuple, to the shape `to`, which differs in element types only.
HloInstruction* Converted(HloInstruction* value, const Shape& to) {
  if (value->shape().Compatible(to)) return value;
  HloComputation* computation = value->parent();
  if (!to.IsTuple()) return computation->AddInstruction(HloOpcode::kConvert, to, {value});
  std::vector<HloInstruction*> elements;
  for (int64_t i = 0; i < to.tuple_size(); ++i) {
    elements.push_back(Converted(computation->AddGetTupleElement(value, i), to.tuple_shapes(i)));
  }
  return computation->AddTuple(elements);
}

// Operations whose result depends on the bits of their operands or results.
bool TiesTypes(const HloInstruction& i) {
  switch (i.opcode()) {
    // A conversion to an integer depends on the fraction only, in any type (FitRandom).
    case HloOpcode::kStochasticConvert: return !IsInteger(i.shape().element_type());
    case HloOpcode::kRng:
    case HloOpcode::kRngBitGenerator:
    case HloOpcode::kInfeed:
    case HloOpcode::kOutfeed:
    case HloOpcode::kSend:
    case HloOpcode::kRecv: return true;
    case HloOpcode::kCustomCall:
      return !GetCustomCallInfo(CustomCallOf(i)).Is(kAnyElementType) && ForwardedOperands(i) == 0 && !IsUnknownCall(i);
    case HloOpcode::kBitcast:
    case HloOpcode::kBitcastConvert: return i.shape().element_type() != i.operand(0)->shape().element_type();
    default: return false;  // independent of the type's bits
  }
}

// The LAPACK routine for the types that `map` gives: "lapack_dpotrf_ffi" for "lapack_spotrf_ffi". Empty for other
// calls, and for types without a routine. The operands of calls without "_ffi" depend on the type.
std::string RetypedRoutine(const HloInstruction& i, TypeMap map) {
  if (i.opcode() != HloOpcode::kCustomCall) return "";
  std::string target = i.attributes<CustomCallAttributes>().custom_call_target;
  constexpr std::string_view kPrefix = "lapack_";
  if (!target.starts_with(kPrefix) || !target.ends_with("_ffi")) return "";
  char& letter = target[kPrefix.size()];
  for (PrimitiveType type : {PrimitiveType::F32, PrimitiveType::F64, PrimitiveType::C64, PrimitiveType::C128}) {
    if (reference::LapackLetter(type) != letter || IsComplex(type) != IsComplex(map(type))) continue;
    letter = reference::LapackLetter(map(type));
    return letter != 0 ? target : "";
  }
  return "";
}

// Replaces the former uses of `from` by `to`, which uses `from`.
void Redirect(HloInstruction* from, const std::vector<HloInstruction*>& users, bool was_root, HloInstruction* to) {
  if (from == to) return;
  for (HloInstruction* user : users) from->ReplaceUseWith(user, to);
  if (was_root) from->parent()->set_root(to);
}

// Equal values move in the same direction, since the value was rounded once.
bool MovesUp(double value, const ConstantMove& move) {
  if (move.pattern < 2) return move.pattern == 0;
  if (const uint64_t alone = move.pattern - 2; move.are_few() && alone < move.values->size()) {
    const auto smaller = std::count_if(move.values->begin(), move.values->end(), [&](double v) { return v < value; });
    return static_cast<uint64_t>(smaller) != alone;
  }
  uint64_t bits = std::bit_cast<uint64_t>(value) + move.pattern * 0xBF58476D1CE4E5B9;
  bits = (bits ^ (bits >> 31)) * 0x94D049BB133111EB;
  return (bits >> 63) != 0;
}

// How far a constant moves. A factor's rounding is a part of the product, whatever the product's last place; the last
// rounding is half a unit.
double DistanceOf(double value, PrimitiveType type, const ConstantMove& move) {
  const FloatFormat format = GetFloatFormat(type);
  const double unit = std::ldexp(1, std::max(std::ilogb(value), 1 - format.bias) - format.mantissa_bits);
  const double of_factors = (move.roundings - 1) * std::ldexp(std::abs(value), -format.mantissa_bits - 1);
  return std::max(move.units * unit, unit / 2 + of_factors);
}

class Retyper {
 public:
  Retyper(HloModule& module, TypeMap map, const ConstantMove* move = nullptr)
      : module_(module), map_(map), move_(move) {}

  // Call it after Run(). Restores meaningful roundings: a conversion through a narrower type where the original had
  // one. Returns their number, and keeps all or none.
  int64_t KeepRoundings(bool keep) {
    int64_t count = 0;
    std::vector<bool> keeps(static_cast<size_t>(module_.computation_id_limit()));
    for (const HloComputation* computation : check::ComputationsThatRunOnce(module_))
      keeps[static_cast<size_t>(computation->id())] = true;
    // A compiler writes a map as elementwise operations.
    for (const HloInstruction* i : module_.AllInstructions())
      if (i->opcode() == HloOpcode::kMap) keeps[static_cast<size_t>(i->to_apply()->id())] = true;
    for (size_t k = 0; k < original_.size(); ++k) {
      auto [i, shape] = original_[k];
      if (!shape->IsArray() || ties_[k] || !keeps[static_cast<size_t>(i->parent()->id())]) continue;
      const std::vector<HloInstruction*> users(i->users().begin(), i->users().end());
      const bool was_root = i->IsRoot();
      if (i->opcode() == HloOpcode::kReducePrecision) {
        const auto& bits = i->attributes<ReducePrecisionAttributes>();
        const FloatFormat format = GetFloatFormat(shape->element_type());
        const bool changes =
            bits.mantissa_bits < format.mantissa_bits || (int64_t{1} << (bits.exponent_bits - 1)) <= format.bias;
        count += changes;
        if (!changes || !keep) Redirect(i, users, was_root, i->operand(0));
        continue;
      }
      const PrimitiveType from = i->operand_count() > 0 ? operand_type_[k] : PrimitiveType::F32;
      if (!RoundingHasMeaning(*i, shape->element_type(), from)) continue;
      ++count;
      if (keep) Redirect(i, users, was_root, Converted(Converted(i, *shape), i->shape()));
    }
    return count;
  }

  Status Run() {
    for (HloInstruction* i : module_.AllInstructions()) {
      original_.push_back({i, &i->shape()});
      ties_.push_back(TiesTypes(*i) && RetypedRoutine(*i, map_).empty());  // before its types change
      operand_type_.push_back(i->operand_count() == 0              ? PrimitiveType::F32
                              : i->opcode() == HloOpcode::kConvert ? MadeIn(*i->operand(0))
                                                                   : i->operand(0)->shape().element_type());
    }
    // All shapes are replaced first, so that instructions that are added later see the final shapes of their
    // neighbours.
    std::vector<const Shape*> shape_of(module_.instruction_id_limit());
    for (size_t k = 0; k < original_.size(); ++k) {
      auto [i, shape] = original_[k];
      shape_of[i->id()] = shape;
      const bool keeps = ties_[k] || (i->IsParameter() && i->parent()->IsEntry());
      if (!keeps) Retype(*i);
    }
    for (size_t k = 0; k < original_.size(); ++k) {
      auto [i, shape] = original_[k];
      const bool ties = ties_[k];
      if (i->opcode() == HloOpcode::kStochasticConvert && !ties) FitRandom(*i, operand_type_[k]);
      if (!ties && !(i->IsParameter() && i->parent()->IsEntry())) continue;
      if (ties && !i->called_computations().empty()) return Unimplemented("it calls computations: " + i->ToString());
      const std::vector<HloInstruction*> users(i->users().begin(), i->users().end());
      const bool was_root = i->IsRoot();
      for (int64_t o = 0; ties && o < i->operand_count(); ++o) {
        i->ReplaceOperandWith(o, Converted(i->operand(o), *shape_of[OriginalOf(i->operand(o))->id()]));
      }
      const Shape to = Retyped(*shape, map_);
      if (!to.Compatible(*shape) && shape->IsTuple() && HasNonArrays(*shape))
        return Unimplemented("a tuple with tokens: " + i->ToString());
      Redirect(i, users, was_root, Converted(i, to));
    }
    return OkStatus();
  }

 private:
  // Adjusts the random bits to the operand's new width; the original bits come first.
  void FitRandom(HloInstruction& i, PrimitiveType from) {
    const int now = BitWidth(map_(from)), more = now - BitWidth(from);
    if (more == 0 || now > 64) return;  // double-double values stay as their parts
    const PrimitiveType types[] = {PrimitiveType::U8, PrimitiveType::U16, PrimitiveType::U32, PrimitiveType::U64};
    const auto to =
        *std::find_if(std::begin(types), std::end(types), [&](PrimitiveType t) { return BitWidth(t) == now; });
    HloBuilder b(&i);
    HloInstruction* random = i.operand(1);
    if (more > 0) random = b.Convert(random, to);
    const HloBuilder::Op by = b.Full(random->shape(), std::abs(more));
    random = more > 0 ? b.ShiftLeft(random, by) : b.Convert(b.ShiftRightLogical(random, by), to);
    if (b.status().ok()) i.ReplaceOperandWith(1, random);
  }

  // Operands of a tied operation may already be converts that this pass inserted after a parameter or another tied
  // operation; the original shape is then that of the converted value.
  const HloInstruction* OriginalOf(const HloInstruction* i) const {
    while (i->id() >= first_new_id_) i = i->operand(0);
    return i;
  }

  static bool HasNonArrays(const Shape& shape) {
    const std::vector<const Shape*> leaves = shape.Leaves();
    return std::any_of(leaves.begin(), leaves.end(), [](const Shape* leaf) { return !leaf->IsArray(); });
  }

  void Retype(HloInstruction& i) {
    const Shape shape = Retyped(i.shape(), map_);
    if (i.IsConstant()) {
      Literal& literal = i.mutable_attributes<ConstantAttributes>().literal;
      const PrimitiveType type = literal.shape().element_type();
      literal = Retyped(literal, map_);
      if (move_ != nullptr && IsFloat(type) && type != PrimitiveType::F64) Move(literal, type);
      if (move_ != nullptr && type == PrimitiveType::C64) MoveParts(literal);
    }
    if (std::string routine = RetypedRoutine(i, map_); !routine.empty()) {
      auto& call = i.mutable_attributes<CustomCallAttributes>();
      call.custom_call_target = std::move(routine);
      call.operand_layout_constraints.reset();
    }
    // An algorithm names the types it works on.
    if (i.HasAttributes<DotAttributes>()) i.mutable_attributes<DotAttributes>().algorithm = DotAlgorithm::kUnset;
    if (i.HasAttributes<ConvolutionAttributes>())
      i.mutable_attributes<ConvolutionAttributes>().algorithm = DotAlgorithm::kUnset;
    if (!(shape == i.shape())) i.set_shape(shape);
  }

  // Moves a constant of the type `type`.
  void Move(Literal& literal, PrimitiveType type) {
    for (int64_t k = 0; k < literal.element_count(); ++k) {
      const double value = literal.GetAsDouble(k);
      if (!std::isfinite(value) || move_->values->count(value) == 0) continue;
      const double by = DistanceOf(value, type, *move_);
      literal.SetFromDouble(k, MovesUp(value, *move_) ? value + by : value - by);
    }
  }

  // Moves the two parts of each complex element.
  void MoveParts(Literal& literal) {
    for (std::complex<double>& value : literal.data<std::complex<double>>()) {
      Literal parts(Shape(PrimitiveType::F64, {2}));
      parts.SetFromDouble(0, value.real()), parts.SetFromDouble(1, value.imag());
      Move(parts, PrimitiveType::F32);
      value = {parts.GetAsDouble(0), parts.GetAsDouble(1)};
    }
  }

  HloModule& module_;
  TypeMap map_;
  const ConstantMove* move_;
  std::vector<std::pair<HloInstruction*, const Shape*>> original_;
  std::vector<bool> ties_;
  std::vector<PrimitiveType> operand_type_;  // of operand 0 of each instruction
  int32_t first_new_id_ = module_.instruction_id_limit();
};

// Removes bitcast-converts that are converted back immediately. In other types they would round, and a pass that
// removes both would seem to drop a rounding.
void SkipBitsReadBack(HloModule& module) {
  const auto reads_bits = [](const HloInstruction& i) {
    return i.opcode() == HloOpcode::kBitcastConvert && TiesTypes(i);
  };
  for (HloInstruction* i : module.AllInstructions()) {
    if (!reads_bits(*i) || !reads_bits(*i->operand(0))) continue;
    HloInstruction* number = i->operand(0)->operand(0);
    if (!number->shape().Compatible(i->shape())) continue;
    Redirect(i, {i->users().begin(), i->users().end()}, i->IsRoot(), number);
  }
}

std::unique_ptr<HloModule> CloneToRetype(const HloModule& module) {
  std::unique_ptr<HloModule> copy = module.Clone();
  copy->config().entry_computation_layout.reset();
  copy->config().input_output_alias.clear();
  copy->config().buffer_donor.clear();
  copy->config().is_scheduled = false;
  SkipBitsReadBack(*copy);
  return copy;
}

StatusOr<std::unique_ptr<HloModule>> RetypeModule(const HloModule& module, TypeMap map) {
  std::unique_ptr<HloModule> copy = CloneToRetype(module);
  HLOIR_RETURN_IF_ERROR(Retyper(*copy, map).Run());
  return copy;
}

}  // namespace

StatusOr<std::unique_ptr<HloModule>> WidenModule(const HloModule& module) { return RetypeModule(module, Wider); }
StatusOr<std::unique_ptr<HloModule>> NarrowModule(const HloModule& module) { return RetypeModule(module, Narrower); }

namespace {

// Evaluates the instructions that `may_fold` accepts and whose operands are constants.
void FoldWhere(HloComputation& computation, const HloEvaluator& evaluator,
               const std::function<bool(const HloInstruction&)>& may_fold) {
  for (HloInstruction* i : computation.PostOrder()) {
    if (i->operand_count() == 0 || !may_fold(*i)) continue;
    std::vector<const Literal*> operands;
    for (const HloInstruction* operand : i->operands()) {
      if (operand->IsConstant() && !operand->literal().elided()) operands.push_back(&operand->literal());
    }
    if (static_cast<int64_t>(operands.size()) != i->operand_count()) continue;
    StatusOr<Literal> value = evaluator.EvaluateInstruction(*i, operands);
    if (value.ok()) i->ReplaceAllUsesWith(computation.AddConstant(std::move(*value)));
  }
}

// Its limit is for calls and loops of constants, which may be endless.
std::unique_ptr<HloEvaluator> FoldingEvaluator() {
  EvaluatorOptions options;
  options.max_steps = int64_t{1} << 20;
  return MakeReferenceEvaluator(std::move(options));
}

}  // namespace

void FoldScalars(HloModule& module) {
  const std::unique_ptr<HloEvaluator> evaluator = FoldingEvaluator();
  for (HloComputation* computation : module.PostOrder()) {
    for (HloInstruction* i : computation->instructions()) {
      if (i->opcode() == HloOpcode::kCall && i->to_apply()->root()->IsScalarConstant())
        i->ReplaceAllUsesWith(computation->AddConstant(i->to_apply()->root()->literal()));
    }
    FoldWhere(*computation, *evaluator, [](const HloInstruction& i) {
      return i.shape().IsScalar() && i.Is(kFoldable) && (i.Is(kElementwise) || i.Is(kMovesData));
    });
  }
}

void FoldConstants(HloModule& module, int64_t most_elements) {
  const std::unique_ptr<HloEvaluator> evaluator = FoldingEvaluator();
  for (HloComputation* computation : module.PostOrder()) {
    if (computation->fusion() != nullptr) continue;
    FoldWhere(*computation, *evaluator, [most_elements](const HloInstruction& i) {
      return i.Is(kFoldable | kMovesData) && i.shape().IsArray() && i.shape().ElementCount() <= most_elements;
    });
  }
}

StatusOr<IdealModule> MakeIdealModule(const HloModule& module, bool keep_roundings, const ConstantMove* move,
                                      bool fold_scalars) {
  IdealModule ideal;
  ideal.module = CloneToRetype(module);
  if (fold_scalars) FoldScalars(*ideal.module);
  Retyper retyper(*ideal.module, Widest, move);
  HLOIR_RETURN_IF_ERROR(retyper.Run());
  ideal.roundings = retyper.KeepRoundings(keep_roundings);
  return ideal;
}

namespace {

PrimitiveType PairOf(PrimitiveType type) { return type == PrimitiveType::F64 ? PrimitiveType::C128 : type; }

}  // namespace

StatusOr<std::unique_ptr<HloModule>> MakePairModule(const HloModule& ideal, const ConstantMove* move) {
  for (const HloInstruction* i : ideal.AllInstructions()) {
    for (const Shape* leaf : i->shape().Leaves())
      if (IsComplex(leaf->element_type())) return Unimplemented("complex numbers in double-double");
  }
  HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> pairs, RetypeModule(ideal, PairOf));
  for (HloComputation* computation : pairs->computations()) {
    for (HloInstruction* i = computation->first(); move != nullptr && i != nullptr; i = i->next()) {
      if (!i->IsConstant() || i->shape().element_type() != PrimitiveType::C128) continue;
      auto& literal = i->mutable_attributes<ConstantAttributes>().literal;
      for (std::complex<double>& value : literal.data<std::complex<double>>()) {
        if (move->values->count(value.real()) == 0) continue;
        const double by = DistanceOf(value.real(), PrimitiveType::F64, *move);
        value.imag(MovesUp(value.real(), *move) ? by : -by);
      }
    }
  }
  return pairs;
}

}  // namespace hloir
