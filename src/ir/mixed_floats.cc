// See ir/mixed_floats.h. The rules are XLA's float normalization with no mixed precision supported.
#include "ir/mixed_floats.h"

#include <vector>

#include "hloir/detail/fetch_ahead.h"

namespace hloir {
namespace {

constexpr PrimitiveType kAsIs = PrimitiveType::INVALID;

bool IsFloatArray(const Shape& shape) { return shape.IsArray() && IsFloat(shape.element_type()); }

// The smallest type that represents both: the wider one; for different types of equal width, f32.
PrimitiveType Wider(PrimitiveType a, PrimitiveType b) {
  if (a == b || b == kAsIs) return a;
  if (a == kAsIs) return b;
  if (BitWidth(a) == BitWidth(b)) return PrimitiveType::F32;
  return BitWidth(a) > BitWidth(b) ? a : b;
}

// Elementwise ops and data movement whose operands and result have one element type.
bool HasOneElementType(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kBitcast:
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kConvert:
    case HloOpcode::kStochasticConvert: return false;
    default: return HasTrait(opcode, kElementwise | kMovesData);  // opcodes.def decides
  }
}

// The type that an op of one element type computes in; kAsIs if it involves no floats.
PrimitiveType ComputedFloatType(const HloInstruction& i) {
  if (i.Is(kMovesData)) return IsFloatArray(i.shape()) ? i.shape().element_type() : kAsIs;
  PrimitiveType type = kAsIs;
  for (const HloInstruction* operand : i.operands()) {
    const PrimitiveType given = operand->shape().element_type();
    // abs, real and imag of a complex operand give its parts.
    if (IsFloat(given) || (IsComplex(given) && IsFloat(i.shape().element_type())))
      type = Wider(ComplexComponentType(given), type);
  }
  return type;
}

bool AreScalarParameters(const HloComputation& computation, int64_t count) {
  if (computation.parameter_count() != count) return false;
  for (const HloInstruction* parameter : computation.parameters()) {
    if (!parameter->shape().IsScalar()) return false;
  }
  return true;
}

// The type to which the instruction converts operand k, or kAsIs.
class FloatTypes {
 public:
  explicit FloatTypes(const HloInstruction& i) : i_(i) {
    switch (i.opcode()) {
      case HloOpcode::kMap:
      case HloOpcode::kReduce:
      case HloOpcode::kReduceWindow:
      case HloOpcode::kScatter: {
        const int64_t indices = i.opcode() == HloOpcode::kScatter ? 1 : 0;
        if (AreScalarParameters(*i.to_apply(), i.operand_count() - indices)) applied_ = i.to_apply();
        break;
      }
      case HloOpcode::kSelectAndScatter: {
        const HloComputation &select = *i.called_computations()[0], &scatter = *i.called_computations()[1];
        // Windows are compared and summed in one type; with two types the reference converts.
        if (AreScalarParameters(select, 2) && AreScalarParameters(scatter, 2) &&
            select.parameter(0)->shape() == scatter.parameter(0)->shape() &&
            select.parameter(1)->shape() == scatter.parameter(0)->shape())
          applied_ = &scatter;
        break;
      }
      default:  // ops of one element type
        if (HasOneElementType(i.opcode())) type_ = ComputedFloatType(i);
    }
  }

  bool known() const { return applied_ != nullptr || type_ != kAsIs; }

  PrimitiveType Of(int64_t k) const {
    if (!IsFloatArray(i_.operand(k)->shape())) return kAsIs;
    if (applied_ == nullptr) return type_;
    const int64_t parameter = ParameterOf(k);
    return parameter < 0 ? kAsIs : applied_->parameter(parameter)->shape().element_type();
  }

  // Of the leaf `k` of the result.
  PrimitiveType OfResult(int64_t k) const {
    if (applied_ == nullptr) return type_;
    const Shape& root = applied_->root()->shape();
    return root.IsTuple() ? root.tuple_shapes(k).element_type() : root.element_type();
  }

 private:
  // The parameter of the applied computation that takes the elements of operand k.
  int64_t ParameterOf(int64_t k) const {
    const int64_t n = i_.operand_count() / 2;
    switch (i_.opcode()) {
      case HloOpcode::kReduce:
      case HloOpcode::kReduceWindow: return k < n ? n + k : k - n;       // arrays, then initial values
      case HloOpcode::kScatter: return k < n ? k : k == n ? -1 : k - 1;  // arrays, indices, updates
      case HloOpcode::kSelectAndScatter: return k == 1 ? 1 : 0;          // array, source, initial value
      default: return k;                                                 // operands and parameters correspond
    }
  }

  const HloInstruction& i_;
  const HloComputation* applied_ = nullptr;
  PrimitiveType type_ = kAsIs;
};

// The shape of the instruction before its result is converted to its stated type.
Shape ComputedShape(const HloInstruction& i, const FloatTypes& types) {
  const Shape& stated = i.shape();
  if (!stated.IsTuple()) return IsFloatArray(stated) ? stated.WithElementType(types.OfResult(0)) : stated;
  std::vector<Shape> elements;
  for (int64_t k = 0; k < stated.tuple_size(); ++k) {
    const Shape& element = stated.tuple_shapes(k);
    elements.push_back(IsFloatArray(element) ? element.WithElementType(types.OfResult(k)) : element);
  }
  return Shape::Tuple(std::move(elements));
}

HloInstruction* AddConvert(HloInstruction* x, PrimitiveType type, HloInstruction& by, HloInstruction* before) {
  HloComputation& computation = *by.parent();
  HloInstruction* convert = computation.AddInstruction(HloOpcode::kConvert, x->shape().WithElementType(type), {x});
  convert->CopyMetadataOf(by);
  computation.MoveBefore(convert, before);
  return convert;
}

// Converts `i` to the shape `stated`; inserts the converts before `before`.
HloInstruction* AddConvertsOfResult(HloInstruction* i, const Shape& stated, HloInstruction* before) {
  if (!stated.IsTuple()) return AddConvert(i, stated.element_type(), *i, before);
  HloComputation& computation = *i->parent();
  std::vector<HloInstruction*> elements;
  for (int64_t k = 0; k < stated.tuple_size(); ++k) {
    HloInstruction* element = computation.AddGetTupleElement(i, k);
    computation.MoveBefore(element, before);
    const PrimitiveType type = stated.tuple_shapes(k).element_type();
    if (element->shape().element_type() != type) element = AddConvert(element, type, *i, before);
    elements.push_back(element);
  }
  HloInstruction* tuple = computation.AddTuple(elements);
  computation.MoveBefore(tuple, before);
  return tuple;
}

void Legalize(HloInstruction& i) {
  const FloatTypes types(i);
  for (int64_t k = 0; k < i.operand_count(); ++k) {
    const PrimitiveType type = types.Of(k);
    if (type == kAsIs || i.operand(k)->shape().element_type() == type) continue;
    i.ReplaceOperandWith(k, AddConvert(i.operand(k), type, i, &i));
  }
  const Shape stated = i.shape(), computed = ComputedShape(i, types);
  if (computed == stated) return;
  const std::vector<HloInstruction*> users(i.users().begin(), i.users().end());
  const bool is_root = i.IsRoot();
  i.set_shape(computed);
  HloInstruction* result = AddConvertsOfResult(&i, stated, i.next());
  if (i.sharding() != nullptr) result->set_sharding(*i.sharding());
  for (HloInstruction* user : users) {
    for (int64_t k = 0; k < user->operand_count(); ++k) {
      if (user->operand(k) == &i) user->ReplaceOperandWith(k, result);
    }
  }
  if (is_root) i.parent()->set_root(result);
}

// The body of an async-start must have one instruction besides its parameters, so converts cannot be added.
bool IsAsyncBody(const HloComputation& computation) {
  for (const HloInstruction* caller : computation.callers()) {
    if (caller->opcode() == HloOpcode::kAsyncStart) return true;
  }
  return false;
}

}  // namespace

bool MixesFloats(const HloInstruction& i) {
  const FloatTypes types(i);
  if (!types.known()) return false;
  for (int64_t k = 0; k < i.operand_count(); ++k) {
    const PrimitiveType type = types.Of(k);
    if (type != kAsIs && i.operand(k)->shape().element_type() != type) return true;
  }
  const Shape& stated = i.shape();
  if (IsFloatArray(stated)) return stated.element_type() != types.OfResult(0);
  if (!stated.IsTuple()) return false;
  for (int64_t k = 0; k < stated.tuple_size(); ++k) {
    if (IsFloatArray(stated.tuple_shapes(k)) && stated.tuple_shapes(k).element_type() != types.OfResult(k)) return true;
  }
  return false;
}

bool LegalizeMixedFloats(HloModule& module) {
  bool changed = false;
  for (HloComputation* computation : InFetchedOrder(module.computations())) {
    for (HloInstruction* i = computation->first(); i != nullptr;) {
      FetchAhead(i);
      HloInstruction* next = i->next();
      if (MixesFloats(*i) && !IsAsyncBody(*computation)) Legalize(*i), changed = true;
      i = next;
    }
  }
  return changed;
}

std::unique_ptr<HloModule> LegalizedMixedFloats(const HloInstruction& instruction) {
  auto module = std::make_unique<HloModule>(std::string(instruction.name()));
  HloComputation* entry = module->AddComputation("entry");
  module->set_entry_computation(entry);
  std::vector<HloInstruction*> parameters;
  for (const HloInstruction* operand : instruction.operands()) {
    parameters.push_back(
        entry->AddParameter(static_cast<int64_t>(parameters.size()), operand->shape(), operand->name()));
  }
  HloInstruction* copy = entry->AddClone(instruction, parameters);
  for (const HloComputation* called : instruction.called_computations())
    copy->AddCalledComputation(module->CloneComputation(*called));
  entry->set_root(copy);
  Legalize(*copy);
  return module;
}

}  // namespace hloir
