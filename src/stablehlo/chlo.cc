// Converter: CHLO ops with equivalent HLO instructions, mostly of the same name; the others were expanded before
// (elementary.cc, special.cc). See convert.h.
#include "convert.h"

namespace hloir::stablehlo {

Status Converter::TopK(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  if (operands.size() != 1 || op.results.size() != 2) return Error(op, "has one operand and two results");
  int64_t k = 0;
  bool largest = true;
  HLOIR_RETURN_IF_ERROR(Int(op, "k", k));
  HLOIR_RETURN_IF_ERROR(Bool(op, "largest", largest));
  return SetAll(op, scope, scope.builder.TopK(operands[0], k, largest));
}

// On hardware without the approximation, XLA sorts and takes the first ones.
Status Converter::ApproxTopK(const Operation& op, const Attribute& config, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(std::vector<Op> operands, Operands(op, scope));
  const Attribute *dimension = config.Find("reduction_dim"), *names = op.Find("called_computations");
  const size_t count = op.results.size();
  if (count == 0 || operands.size() != 2 * count || dimension == nullptr || names == nullptr ||
      names->elements.size() != 1)
    return Error(op, "needs operands and their initial values, a result of each, 'reduction_dim' and one comparator");
  HLOIR_ASSIGN_OR_RETURN(HloComputation * comparator, Function(names->elements[0].text, op));
  operands.resize(count);
  HloBuilder& b = scope.builder;
  Op sorted = b.Sort(HloBuilder::Ops(operands), dimension->integer, comparator, false);
  if (sorted == nullptr) return Set(op, scope, sorted);
  std::vector<Op> results;
  for (size_t i = 0; i < count; ++i) {
    Op part = count == 1 ? sorted : b.GetTupleElement(sorted, static_cast<int64_t>(i));
    const Shape& shape = op.results[i]->shape();
    results.push_back(b.Slice(part, DimVector(shape.dimensions().size(), 0), shape.dimensions()));
  }
  return SetAll(op, scope, TupleUnlessOne(b, results));
}

Status Converter::RaggedDot(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  const Attribute* numbers = op.Find("ragged_dot_dimension_numbers");
  if (operands.size() != 3 || op.results.size() != 1 || numbers == nullptr)
    return Missing(op, "ragged_dot_dimension_numbers");
  RaggedDotAttributes a;
  HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "lhs_batching_dimensions", a.lhs_batch_dims));
  HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "rhs_batching_dimensions", a.rhs_batch_dims));
  HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "lhs_contracting_dimensions", a.lhs_contracting_dims));
  HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "rhs_contracting_dimensions", a.rhs_contracting_dims));
  HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "lhs_ragged_dimensions", a.lhs_ragged_dims));
  HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "rhs_group_dimensions", a.rhs_group_dims));
  HLOIR_RETURN_IF_ERROR(Precision(op, a.operand_precision));
  return Set(op, scope,
             scope.builder.RaggedDot(operands[0], operands[1], operands[2], a, op.results[0]->shape().element_type()));
}

Status Converter::Chlo(const Operation& op, Scope& scope) {
  if (op.operands.empty() || op.results.size() != 1)
    return Unsupported(op, Format("the op '{}' is not supported", op.name));
  return Simple(op, scope);
}

}  // namespace hloir::stablehlo
