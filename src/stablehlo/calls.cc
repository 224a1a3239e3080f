// Converter: ops that call computations: functions, composites, loops, branches, custom calls. See convert.h.
#include <algorithm>

#include "convert.h"
#include "hloir/custom_call.h"
#include "shape_inference/internal.h"

namespace hloir::stablehlo {

Status Converter::Call(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  HLOIR_ASSIGN_OR_RETURN(HloComputation * callee, Function(Text(op, "callee"), op));
  return SetAll(op, scope, scope.builder.Call(callee, HloBuilder::Ops(operands)));
}

// A composite call of a separate computation. XLA creates one for plain calls as well.
Status Converter::Composite(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  if (op.results.empty()) return Error(op, "has no result");
  HloBuilder& b = scope.builder;
  constexpr int kMostCopies = 4096;
  const std::string_view name = Text(op, "decomposition");
  const auto found = functions_.find(name);
  if (found == functions_.end()) return Error(op, Format("there is no function '{}'", name));
  if (++copies_ > kMostCopies || ++depth_ > kMaxCallDepth)
    return ErrorAt(source_, op.offset, "there are too many composites", StatusCode::kResourceExhausted);
  HLOIR_ASSIGN_OR_RETURN(HloComputation * callee, FunctionBody(*found->second, name, false));
  --depth_;
  if (!as_written_) HLOIR_RETURN_IF_ERROR(Function(name, op).status());
  CallAttributes a;
  a.is_composite = true;
  Op call = b.Make(HloOpcode::kCall, HloBuilder::Ops(operands), a, std::span<HloComputation* const>(&callee, 1));
  if (call != nullptr) {
    const Attribute* attributes = op.Find("composite_attributes");
    int64_t version = 0;
    HLOIR_RETURN_IF_ERROR(Int(op, "version", version));
    call->set_frontend_attributes(
        {{"composite.attributes", attributes != nullptr ? std::string(attributes->source) : "{}"},
         {"composite.name", std::string(Text(op, "name"))},
         {"composite.version", Format("{}", version)}});
  }
  return SetAll(op, scope, call);
}

Status Converter::While(const Operation& op, Scope& scope) {
  if (op.regions.size() != 2) return Error(op, "has two regions");
  HLOIR_ASSIGN_OR_RETURN(std::vector<Op> init, Operands(op, scope));
  const std::vector<const Value*> captured = Captured(op, 0, 1);
  for (const Value* value : captured) {
    HLOIR_ASSIGN_OR_RETURN(Op outside, Get(value, op, scope));
    init.push_back(outside);
  }
  HLOIR_ASSIGN_OR_RETURN(HloComputation * condition, TupledRegion(op, 0, captured, false, init));
  HLOIR_ASSIGN_OR_RETURN(HloComputation * body, TupledRegion(op, 1, captured, true, init));
  HloBuilder& b = scope.builder;
  Op loop = b.While(condition, body, TupleUnlessOne(b, init));
  if (init.size() == 1) return Set(op, scope, loop);
  for (size_t i = 0; i < op.results.size(); ++i)
    HLOIR_RETURN_IF_ERROR(
        Set(op, scope, loop == nullptr ? nullptr : b.GetTupleElement(loop, static_cast<int64_t>(i)), i));
  return OkStatus();
}

// case and if: each branch is a computation with the values it uses as parameters.
Status Converter::Conditional(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> index, Operands(op, scope));
  if (index.size() != 1 || op.regions.empty()) return Error(op, "has one operand, and a region for each branch");
  HloBuilder& b = scope.builder;
  std::vector<Op> arguments;
  std::vector<HloComputation*> branches;
  for (size_t i = 0; i < op.regions.size(); ++i) {
    const std::vector<const Value*> captured = Captured(op, i, i);
    std::vector<Op> values;
    for (const Value* value : captured) {
      HLOIR_ASSIGN_OR_RETURN(Op outside, Get(value, op, scope));
      values.push_back(outside);
    }
    HLOIR_ASSIGN_OR_RETURN(HloComputation * branch, TupledRegion(op, i, captured, false, values));
    branches.push_back(branch);
    arguments.push_back(TupleUnlessOne(b, values));
  }
  const bool is_if = op.name->base == "if";
  if (is_if && branches.size() != 2) return Error(op, "has two branches");
  Op made = is_if ? b.Conditional(index[0], arguments[0], branches[0], arguments[1], branches[1])
                  : b.Conditional(index[0], std::span<HloComputation* const>(branches), HloBuilder::Ops(arguments));
  return SetAll(op, scope, made);
}

Status Converter::CustomCall(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  HloBuilder& b = scope.builder;
  CustomCallAttributes a;
  a.custom_call_target = Text(op, "call_target_name");
  HLOIR_RETURN_IF_ERROR(Bool(op, "has_side_effect", a.custom_call_has_side_effect));
  int64_t version = 1;
  HLOIR_RETURN_IF_ERROR(Int(op, "api_version", version));
  // A dictionary as configuration implies the typed interface, regardless of the version number.
  const Attribute* dictionary = op.Find("mhlo.backend_config");
  const Attribute* config = op.Find("backend_config");
  if (dictionary == nullptr && config != nullptr && config->kind == Attribute::Kind::kDictionary) dictionary = config;
  if (dictionary != nullptr) version = 4;
  if (const Attribute* fallback = dictionary == nullptr ? nullptr : dictionary->Find("is_fallback");
      !as_written_ && FindCustomCall(a.custom_call_target) == CustomCall::kApproxTopK && fallback != nullptr &&
      fallback->integer == 1)
    return ApproxTopK(op, *dictionary, scope);
  if (version < 0 || version >= static_cast<int64_t>(EnumWords<CustomCallApiVersion>().size()))
    return Missing(op, "api_version");
  a.api_version = static_cast<CustomCallApiVersion>(version);
  std::vector<Shape> results;
  for (const Value* value : op.results) results.push_back(value->shape());
  const auto set_layouts = [&](std::string_view name, std::vector<Shape>& shapes) -> Status {
    const Attribute* list = op.Find(name);
    if (list == nullptr) return OkStatus();
    if (list->elements.size() != shapes.size()) return Missing(op, name);
    for (size_t i = 0; i < shapes.size(); ++i) {
      const Attribute& layout = list->elements[i];
      DimVector order;
      if (layout.literal != nullptr) {
        const bool is_splat = layout.literal->element_count() == 1;
        for (int64_t k = 0; k < std::min<int64_t>(layout.type->ElementCount(), 64); ++k)
          order.push_back(layout.literal->GetAsInt64(is_splat ? 0 : k));
      }
      if (!shapes[i].IsArray()) continue;
      const int64_t rank = shapes[i].rank();
      if (static_cast<int64_t>(order.size()) != rank || !shape_inference::AreDimensions(order, rank))
        return Missing(op, name);
      shapes[i].set_layout(Layout(std::move(order)));
    }
    return OkStatus();
  };
  HLOIR_RETURN_IF_ERROR(set_layouts("result_layouts", results));
  if (op.Find("operand_layouts") != nullptr) {
    std::vector<Shape> shapes;
    for (Op operand : operands) shapes.push_back(operand->shape().WithDefaultLayout());
    HLOIR_RETURN_IF_ERROR(set_layouts("operand_layouts", shapes));
    a.operand_layout_constraints = std::move(shapes);
  }
  if (const Attribute* aliases = op.Find("output_operand_aliases")) {
    for (const Attribute& alias : aliases->elements) {
      OutputOperandAlias made;
      HLOIR_RETURN_IF_ERROR(EntryInts(op, alias, "output_tuple_indices", made.output_index));
      HLOIR_RETURN_IF_ERROR(EntryInts(op, alias, "operand_tuple_indices", made.operand_index));
      if (const Attribute* operand = alias.Find("operand_index")) made.operand = operand->integer;
      a.output_to_operand_aliasing.push_back(made);
    }
  }
  std::vector<HloComputation*> called;
  if (const Attribute* names = op.Find("called_computations")) {
    for (const Attribute& name : names->elements) {
      HLOIR_ASSIGN_OR_RETURN(HloComputation * computation, Function(name.text, op));
      called.push_back(computation);
    }
  }
  const Shape shape = results.size() == 1 ? results[0] : Shape::Tuple(std::move(results));
  Op made =
      b.Make(HloOpcode::kCustomCall, HloBuilder::Ops(operands), a, std::span<HloComputation* const>(called), &shape);
  if (made != nullptr) {
    if (dictionary != nullptr) made->set_backend_config(dictionary->source);
    else if (config != nullptr && config->kind == Attribute::Kind::kString && !config->text.empty())
      made->set_backend_config(std::string(config->text));
  }
  return op.results.empty() && made != nullptr ? OkStatus() : SetAll(op, scope, made);
}

}  // namespace hloir::stablehlo
