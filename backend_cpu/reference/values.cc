// Ops that create, pack or forward values: parameter, constant, iota, tuples, tokens, barriers.
#include "support/format.h"
#include "reference/evaluation.h"
#include "reference/index.h"

namespace hloir::reference {

// Parameters are given by the caller of the computation.
StatusOr<Value> EvaluateParameter(EvalContext& context) {
  return InvalidArgument(Format("parameter {} has no value outside of a call", context.instruction.name()));
}

StatusOr<Value> EvaluateConstant(EvalContext& context) {
  const Literal& literal = context.instruction.literal();
  for (const Literal* leaf : literal.Leaves()) {
    if (!leaf->elided()) continue;
    if (leaf != &literal) return UnimplementedOp(context, "the values of a part of it are elided ({...}) in the text");
    HLOIR_ASSIGN_OR_RETURN(Literal filled, context.run.FillElided(context.instruction));
    return filled;
  }
  return Value::Borrow(literal);
}

// Counts 0, 1, 2, … along one dimension; numbers out of the type's range wrap.
StatusOr<Value> EvaluateIota(EvalContext& context) {
  const int64_t dimension = context.attributes<IotaAttributes>().iota_dimension;
  if (context.shape.ElementCount() == 0) return Literal(context.shape);  // however long it is
  Literal counts(Shape::Array(PrimitiveType::S64, {context.shape.dimensions(dimension)}));
  for (int64_t i = 0; i < counts.element_count(); ++i) counts.data<int64_t>()[static_cast<size_t>(i)] = i;
  Region from{0, DimVector(context.dims().size(), 0)};
  from.strides[static_cast<size_t>(dimension)] = 1;
  return ReadRegion(context.shape, counts.Convert(context.shape.element_type()), from);
}

StatusOr<Value> EvaluateTuple(EvalContext& context) {
  return Value::Tuple(
      {std::make_move_iterator(context.operands.begin()), std::make_move_iterator(context.operands.end())});
}

StatusOr<Value> EvaluateGetTupleElement(EvalContext& context) {
  return context.operands[0].elements()[static_cast<size_t>(context.instruction.tuple_index())];
}

StatusOr<Value> EvaluateOptimizationBarrier(EvalContext& context) { return std::move(context.operands[0]); }
StatusOr<Value> EvaluateAddDependency(EvalContext& context) { return std::move(context.operands[0]); }
StatusOr<Value> EvaluateDomain(EvalContext& context) { return std::move(context.operands[0]); }
StatusOr<Value> EvaluateAfterAll(EvalContext& context) { return Literal(context.shape); }

}  // namespace hloir::reference
