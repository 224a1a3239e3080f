// Rules for single instructions beyond the grammar. XLA's parser has the same rules; docs/messages.md lists them.
// SettleShape overrides shapes that follow from the operands, InferMissingShape infers shapes that the text may omit,
// and CheckInstruction has the other rules, by opcode. The verifier has all other rules. tests/parse_errors.

#include <algorithm>

#include "module_reader.h"

#include "shape_inference/shape_inference.h"
#include "support/format.h"

namespace hloir {
namespace {

// Ops whose shape is required in the text, though for some it follows from operands and attributes.
bool IsShapeAlwaysStated(HloOpcode opcode) {
  return IsOneOf(opcode, HloOpcode::kDynamicSlice, HloOpcode::kDynamicUpdateSlice, HloOpcode::kSlice,
                 HloOpcode::kReducePrecision, HloOpcode::kStochasticConvert, HloOpcode::kBitcastConvert,
                 HloOpcode::kCopyDone) ||
         (GetOpcodeInfo(opcode).shape == OpShape::kGiven && opcode != HloOpcode::kBroadcast);
}

// For a broadcast without a shape, `dimensions` are the sizes of new leading dimensions, instead of the mapping from
// the operand's dimensions to the result's.
Shape ShapeOfSizesBefore(const DimVector& sizes, const Shape& operand) {
  const int64_t added = static_cast<int64_t>(sizes.size());
  DimVector dimensions = sizes;
  for (int64_t size : operand.dimensions()) dimensions.push_back(size);
  Shape shape = Shape::Array(operand.element_type(), std::move(dimensions));
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (operand.is_dynamic_dimension(i)) shape.set_dynamic_dimension(added + i, true);
  }
  return shape;
}

bool IsScalarOf(const Shape& shape, PrimitiveType type) { return shape.IsScalar() && shape.element_type() == type; }

}  // namespace

bool ModuleReader::InferMissingShape(HloInstruction* instruction, const char* place) {
  const HloOpcode opcode = instruction->opcode();
  if (IsShapeAlwaysStated(opcode)) {
    return Fail(place, Format("{} needs its result shape before it", OpcodeName(opcode)));
  }
  const std::span<HloInstruction* const> operands = instruction->operands();
  switch (opcode) {
    case HloOpcode::kBroadcast: {
      const Shape& operand = operands[0]->shape();
      const DimVector& sizes = instruction->attributes<DimensionsAttributes>().dimensions;
      if (!operand.IsArray() || std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size < 0; })) break;
      GraphLoader::set_shape(instruction, loader_.KeepShape(ShapeOfSizesBefore(sizes, operand)));
      return true;
    }
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kSelect:
      // Inferred for arrays only; tuples and tokens must state it.
      if (opcode == HloOpcode::kSelect && operands[1]->shape().IsArray()) break;
      return Fail(place, Format("{} of a non-array needs its result shape before it", OpcodeName(opcode)));
    default: break;  // the shapes of all other opcodes follow from their operands
  }
  constexpr size_t kFew = 16;
  const Shape* few[kFew];
  std::vector<const Shape*> many;
  const size_t count = operands.size();
  const Shape** shapes = few;
  if (count > kFew) many.resize(count), shapes = many.data();
  for (size_t i = 0; i < count; ++i) shapes[i] = &operands[i]->shape();
  StatusOr<Shape> inferred =
      InferShape(opcode, {shapes, count}, instruction->attributes(), instruction->called_computations());
  if (!inferred.ok()) {
    return Fail(place, Format("{} has no result shape before it, and it cannot be inferred: {}", OpcodeName(opcode),
                              inferred.status().message()));
  }
  GraphLoader::set_shape(instruction, loader_.KeepShape(*inferred));
  return true;
}

// Shapes that, as in XLA, follow from the operands and override the text.
void ModuleReader::SettleShape(HloInstruction* instruction) {
  const Shape& stated = instruction->shape();
  auto data_of = [](const Shape& tuple) {
    return tuple.IsTuple() && tuple.tuple_size() > 0 ? &tuple.tuple_shapes(0) : nullptr;
  };
  auto transfer = [](const Shape& data) {
    return Shape::Tuple({data, Shape::Scalar(PrimitiveType::U32), Shape::Token()});
  };
  std::optional<Shape> settled;
  switch (instruction->opcode()) {
    case HloOpcode::kConstant: {  // a constant is neither packed nor dynamic
      if (!stated.IsArray()) break;
      const bool is_packed = stated.layout().extras().element_size_in_bits != 0;
      if (!is_packed && stated.IsStatic()) break;
      settled = stated;
      if (is_packed) {
        LayoutExtras extras = stated.layout().extras();
        extras.element_size_in_bits = 0;
        Layout layout = stated.layout();
        layout.set_extras(std::move(extras));
        settled->set_layout(std::move(layout));
      }
      Literal& literal = instruction->mutable_attributes<ConstantAttributes>().literal;
      if (literal.dynamic_sizes().empty()) {
        for (int64_t i = 0; i < settled->rank(); ++i) settled->set_dynamic_dimension(i, false);
      }
      literal.set_shape_layout(*settled);
      break;
    }
    case HloOpcode::kInfeed: settled = Shape::Tuple({*data_of(stated), Shape::Token()}); break;
    case HloOpcode::kOutfeed: {
      OptionalShape& outfeed_shape = instruction->mutable_attributes<OutfeedAttributes>().outfeed_shape;
      if (!outfeed_shape.has_value()) outfeed_shape = instruction->operand(0)->shape();
      settled = Shape::Token();
      break;
    }
    case HloOpcode::kAfterAll:
    case HloOpcode::kSendDone: settled = Shape::Token(); break;
    case HloOpcode::kAddDependency: settled = instruction->operand(0)->shape(); break;
    case HloOpcode::kSend: settled = transfer(instruction->operand(0)->shape()); break;
    case HloOpcode::kRecv:
      if (const Shape* data = data_of(stated)) settled = transfer(*data);
      break;
    case HloOpcode::kRecvDone:
      if (const Shape* data = data_of(instruction->operand(0)->shape()))
        settled = Shape::Tuple({*data, Shape::Token()});
      break;
    default: break;  // the other shapes are as in the text
  }
  if (settled.has_value() && *settled != stated) {
    GraphLoader::set_shape(instruction, loader_.KeepShape(*std::move(settled)));
  }
}

bool ModuleReader::CheckInstruction(HloInstruction* instruction, const Opcode& opcode, const char* place) {
  const int64_t count = instruction->operand_count();
  const auto fail_count = [&](std::string_view wanted) {
    return Fail(place, Format("{} takes {} operands, not {}", OpcodeName(instruction->opcode()), wanted, count));
  };
  switch (instruction->opcode()) {
    case HloOpcode::kTuple:
      return (instruction->shape().IsTuple() && instruction->shape().tuple_size() == count) ||
             Fail(place,
                  Format("a tuple of {} operands does not have the shape {}", count, instruction->shape().ToString()));
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow: return count % 2 == 0 || fail_count("an even number of");
    case HloOpcode::kScatter: return count % 2 == 1 || fail_count("an odd number of");
    case HloOpcode::kScaledDot: return count == 4 || fail_count("4");
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice: {
      // The start indices are one scalar per dimension, or one array.
      const int64_t first = instruction->opcode() == HloOpcode::kDynamicSlice ? 1 : 2;
      if (count == first + 1 && instruction->operand(first)->shape().rank() == 1) return true;
      const int64_t wanted = first + instruction->operand(0)->shape().rank();
      return count == wanted || fail_count(Format("{}", wanted));
    }
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kCollectivePermuteStart:
      return count == 4 || instruction->attributes<CollectivePermuteAttributes>().slice_sizes.empty() ||
             fail_count("for slice_sizes= 4");
    case HloOpcode::kScan: {
      const int64_t parameters = instruction->called_computation(0)->parameter_count();
      if (count != parameters) return fail_count(Format("as many as its computation has parameters, {}", parameters));
      const int64_t carries = instruction->attributes<ScanAttributes>().num_carries;
      return carries <= count || fail_count(Format("at least its {} carries as", carries));
    }
    case HloOpcode::kCopyStart: {
      const OptionalInt64 index = instruction->attributes<CopyStartAttributes>().cross_program_prefetch_index;
      return index.value_or(0) == static_cast<int32_t>(index.value_or(0)) ||
             Fail(place, "cross_program_prefetch_index does not fit into 32 bits");
    }
    case HloOpcode::kCustomCall: return CheckCustomCall(instruction, place);
    case HloOpcode::kConditional: {
      const Shape& selector = instruction->operand(0)->shape();
      if (!IsScalarOf(selector, PrimitiveType::PRED) && !IsScalarOf(selector, PrimitiveType::S32)) {
        return Fail(place,
                    Format("a conditional's first operand is a scalar pred or s32, not {}", selector.ToString()));
      }
      const int64_t branches = static_cast<int64_t>(instruction->called_computations().size());
      return count == branches + 1 || Fail(place, Format("a conditional of {} branches takes {} operands, not {}",
                                                         branches, branches + 1, count));
    }
    case HloOpcode::kAsyncStart:
    case HloOpcode::kAsyncUpdate:
    case HloOpcode::kAsyncDone: return CheckAsync(instruction, opcode, place);
    case HloOpcode::kInfeed:
    case HloOpcode::kRecv:
      if (!instruction->shape().IsTuple() || instruction->shape().tuple_size() == 0) {
        return Fail(place, Format("{} has a tuple of data and token as its shape, not {}",
                                  OpcodeName(instruction->opcode()), instruction->shape().ToString()));
      }
      break;
    case HloOpcode::kSendDone:
    case HloOpcode::kRecvDone: {
      const HloInstruction& start = *instruction->operand(0);
      const HloOpcode kind = start.opcode();
      if (kind != HloOpcode::kSend && kind != HloOpcode::kRecv && kind != HloOpcode::kSendDone &&
          kind != HloOpcode::kRecvDone) {
        break;
      }
      if (instruction->attributes<TransferAttributes>().channel_id !=
          start.attributes<TransferAttributes>().channel_id) {
        return Fail(place, Format("its channel_id is not that of '{}'", start.name()));
      }
      break;
    }
    case HloOpcode::kConstant:
    case HloOpcode::kOutfeed:
    case HloOpcode::kAfterAll:
    case HloOpcode::kAddDependency:
    case HloOpcode::kSend: break;
    default: return true;  // opcodes.def's arity is the only rule
  }
  SettleShape(instruction);
  return true;
}

bool ModuleReader::CheckCustomCall(HloInstruction* instruction, const char* place) {
  // XLA printed the original version this way before it had others; current XLA does not read it.
  if (instruction->attributes<CustomCallAttributes>().api_version == CustomCallApiVersion::kUnspecified)
    instruction->mutable_attributes<CustomCallAttributes>().api_version = CustomCallApiVersion::kOriginal;
  const OptionalShapeList& wanted_layouts = instruction->attributes<CustomCallAttributes>().operand_layout_constraints;
  if (!wanted_layouts.has_value()) return true;
  const std::vector<Shape>& constraints = *wanted_layouts;
  const int64_t count = instruction->operand_count();
  if (static_cast<int64_t>(constraints.size()) != count) {
    return Fail(place, Format("{} operand_layout_constraints for {} operands", constraints.size(), count));
  }
  for (int64_t i = 0; i < count; ++i) {
    const Shape &wanted = constraints[static_cast<size_t>(i)], &operand = instruction->operand(i)->shape();
    if (wanted.Compatible(operand)) continue;
    return Fail(place, Format("operand_layout_constraints give {} for operand {}, which is {}", wanted.ToString(), i,
                              operand.ToString()));
  }
  return true;
}

}  // namespace hloir
