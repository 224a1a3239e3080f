// A module in other floating arithmetic: WidenModule() and NarrowModule(). Every float shape of a copy is replaced,
// constants are converted, and converts are put where a type must stay: after the entry's parameters, and around ops
// whose result depends on a type's bits. Covered by tests/unit/check_compare_test.cc.
#include "hloir/detail/widen.h"

#include <algorithm>
#include <vector>

namespace hloir {
namespace {

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

// `value`, whatever it is made of, as a value of the shape `to`, which differs from its own in element types alone.
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

// XLA's own calls, which are of any type.
bool IsOfAnyType(const HloInstruction& call) {
  const std::string& target = call.attributes<CustomCallAttributes>().custom_call_target;
  return target == "Qr" || target == "ProductOfElementaryHouseholderReflectors" || target == "Eigh";
}

// Ops whose result depends on how their operands or results are stored.
bool TiesTypes(const HloInstruction& i) {
  switch (i.opcode()) {
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kStochasticConvert:
    case HloOpcode::kRng:
    case HloOpcode::kInfeed:
    case HloOpcode::kOutfeed:
    case HloOpcode::kSend:
    case HloOpcode::kRecv: return true;
    case HloOpcode::kCustomCall: return !IsOfAnyType(i);
    case HloOpcode::kBitcast: return i.shape().element_type() != i.operand(0)->shape().element_type();
    default: return false;
  }
}

// The users that `from` had until now take `to`, which is made from it.
void Redirect(HloInstruction* from, const std::vector<HloInstruction*>& users, bool was_root, HloInstruction* to) {
  if (from == to) return;
  for (HloInstruction* user : users) from->ReplaceUseWith(user, to);
  if (was_root) from->parent()->set_root(to);
}

class Retyper {
 public:
  Retyper(HloModule& module, TypeMap map) : module_(module), map_(map) {}

  Status Run() {
    for (HloComputation* computation : module_.computations()) {
      for (HloInstruction* i = computation->first(); i != nullptr; i = i->next()) original_.push_back({i, &i->shape()});
    }
    // First every shape, so that what is added later finds its neighbours as they will stay.
    std::vector<const Shape*> shape_of(module_.instruction_id_limit());
    for (auto [i, shape] : original_) {
      shape_of[i->id()] = shape;
      const bool keeps = TiesTypes(*i) || (i->IsParameter() && i->parent()->IsEntry());
      if (!keeps) Retype(*i);
    }
    for (auto [i, shape] : original_) {
      const bool ties = TiesTypes(*i);
      if (!ties && !(i->IsParameter() && i->parent()->IsEntry())) continue;
      if (ties && !i->called_computations().empty()) return Unimplemented("it calls computations: " + i->ToString());
      const std::vector<HloInstruction*> users(i->users().begin(), i->users().end());
      const bool was_root = i->IsRoot();
      for (int64_t k = 0; ties && k < i->operand_count(); ++k) {
        i->ReplaceOperandWith(k, Converted(i->operand(k), *shape_of[OriginalOf(i->operand(k))->id()]));
      }
      const Shape to = Retyped(*shape, map_);
      if (!to.Compatible(*shape) && shape->IsTuple() && HasNonArrays(*shape))
        return Unimplemented("a tuple with tokens: " + i->ToString());
      Redirect(i, users, was_root, Converted(i, to));
    }
    return OkStatus();
  }

 private:
  // Operands of a tied op may already be converts of ours, put after a parameter or another tied op: then the shape to
  // go back to is that of what was converted.
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
    if (i.IsConstant()) i.mutable_attributes<ConstantAttributes>().literal = Retyped(i.literal(), map_);
    // An algorithm names the types it works on.
    if (i.HasAttributes<DotAttributes>()) i.mutable_attributes<DotAttributes>().algorithm = DotAlgorithm::kUnset;
    if (i.HasAttributes<ConvolutionAttributes>())
      i.mutable_attributes<ConvolutionAttributes>().algorithm = DotAlgorithm::kUnset;
    if (!(shape == i.shape())) i.set_shape(shape);
  }

  HloModule& module_;
  TypeMap map_;
  std::vector<std::pair<HloInstruction*, const Shape*>> original_;
  int32_t first_new_id_ = module_.instruction_id_limit();
};

StatusOr<std::unique_ptr<HloModule>> RetypeModule(const HloModule& module, TypeMap map) {
  std::unique_ptr<HloModule> copy = module.Clone();
  copy->config().entry_computation_layout.reset();
  copy->config().input_output_alias.clear();
  copy->config().buffer_donor.clear();
  HLOIR_RETURN_IF_ERROR(Retyper(*copy, map).Run());
  return copy;
}

}  // namespace

StatusOr<std::unique_ptr<HloModule>> WidenModule(const HloModule& module) { return RetypeModule(module, Wider); }
StatusOr<std::unique_ptr<HloModule>> NarrowModule(const HloModule& module) { return RetypeModule(module, Narrower); }

}  // namespace hloir
