// PrintStablehlo: functions, regions and values. See print.h.
#include "print.h"

#include <algorithm>

#include "hloir/printer.h"
#include "hloir/stablehlo.h"
#include "support/format.h"

namespace hloir {

StatusOr<std::string> PrintStablehlo(const HloModule& module) { return stablehlo::Printer(module).Print(); }

namespace stablehlo {
namespace {

std::string JoinedTexts(std::span<const std::string> parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

template <class List, class Text>
std::string JoinedBy(const List& list, Text text_of) {
  std::vector<std::string> parts;
  for (const auto& item : list) parts.push_back(text_of(item));
  return JoinedTexts(parts);
}

// A name of a value or a block.
std::string Bare(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool is_fine =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
    text += is_fine ? c : '_';
  }
  if (text.empty() || (text[0] >= '0' && text[0] <= '9') || text[0] == '-') text.insert(0, "_");
  return text;
}

// "a" or "(a, b)", as the results of a function type.
std::string ResultTypes(const std::vector<Shape>& results) {
  const std::string types = JoinedBy(results, [](const Shape& shape) { return TypeText(shape); });
  return results.size() == 1 ? types : '(' + types + ')';
}

}  // namespace

Status Printer::Refuse(const HloInstruction& instruction, std::string_view why) {
  const std::string line = instruction.line() > 0 ? Format("line {}: ", instruction.line()) : "";
  return Unimplemented(
      Format("{}StableHLO cannot express {} %{}: {}", line, instruction.opcode_name(), instruction.name(), why));
}

// ---- Names ----

std::string Printer::Unique(std::string_view name) {
  const std::string text = '%' + Bare(name);
  if (names_.insert(text).second) return text;
  for (int64_t i = 1;; ++i) {
    std::string numbered = Format("{}_{}", text, i);
    if (names_.insert(numbered).second) return numbered;
  }
}

const std::string& Printer::Symbol(const HloComputation& computation) {
  const auto [found, is_new] = symbols_.try_emplace(&computation);
  if (!is_new) return found->second;
  std::string name(&computation == module_.entry_computation() ? "main" : computation.name());
  for (int64_t i = 1; !used_symbols_.insert(name).second; ++i) name = Format("{}_{}", computation.name(), i);
  pending_.push_back(&computation);
  return found->second = '@' + NameText(name);
}

// loc("name"("file":3:4))
std::string Printer::LocationText(const HloInstruction& instruction) const {
  const OpMetadata* metadata = instruction.metadata();
  if (metadata == nullptr) return "";
  std::string file(metadata->source_file);
  int64_t line = metadata->source_line, column = metadata->source_column;
  const StackFrameIndex& frames = module_.config().stack_frames;
  const auto in = [](int64_t id, const auto& list) { return id > 0 && id <= static_cast<int64_t>(list.size()); };
  if (const int64_t id = metadata->stack_frame_id; file.empty() && in(id, frames.stack_frames)) {
    if (const int64_t at = frames.stack_frames[static_cast<size_t>(id - 1)].file_location_id;
        in(at, frames.file_locations)) {
      const auto& location = frames.file_locations[static_cast<size_t>(at - 1)];
      if (in(location.file_name_id, frames.file_names))
        file = frames.file_names[static_cast<size_t>(location.file_name_id - 1)];
      line = location.line, column = location.column;
    }
  }
  const std::string place =
      file.empty() ? "" : Format("{}:{}:{}", Quoted(file), std::max<int64_t>(line, 0), std::max<int64_t>(column, 0));
  if (metadata->op_name.empty()) return place.empty() ? "" : Format(" loc({})", place);
  const std::string name = Quoted(metadata->op_name);
  return place.empty() ? Format(" loc({})", name) : Format(" loc({}({}))", name, place);
}

// ---- Values ----

std::vector<Shape> Printer::ResultsOf(const Shape& shape) {
  if (shape.IsTuple() && shape.tuple_size() != 1) return shape.tuple_shapes();
  return {shape};
}

std::vector<Shape> Printer::LeavesOf(const Shape& shape) {
  std::vector<Shape> leaves;
  for (const Shape* leaf : shape.Leaves()) leaves.push_back(*leaf);
  return leaves;
}

Printer::Named Printer::FromResults(const Shape& shape, std::string_view base) {
  Named value{shape, std::string(base), {}};
  if (!shape.IsTuple() || shape.tuple_size() == 1) return value;
  value.name.clear();
  for (int64_t i = 0; i < shape.tuple_size(); ++i)
    value.elements.push_back({shape.tuple_shapes(i), Format("{}#{}", base, i), {}});
  return value;
}

Printer::Named Printer::FromFlatResults(const Shape& shape, const std::string& base, size_t count) {
  std::vector<std::string> leaves;
  for (size_t i = 0; i < count; ++i) leaves.push_back(count == 1 ? base : Format("{}#{}", base, i));
  size_t next = 0;
  return FromLeaves(shape, leaves, next);
}

Printer::Named Printer::FromLeaves(const Shape& shape, std::span<const std::string> leaves, size_t& next) {
  Named value{shape, "", {}};
  if (!shape.IsTuple()) value.name = leaves[next++];
  for (const Shape& element : shape.tuple_shapes()) value.elements.push_back(FromLeaves(element, leaves, next));
  return value;
}

Printer::Named Printer::Element(const Named& tuple, int64_t index) {
  if (tuple.name.empty()) return tuple.elements[static_cast<size_t>(index)];
  Named element{tuple.shape.tuple_shapes(index), Unique("element"), {}};
  Indent();
  text_ += Format("{} = \"stablehlo.get_tuple_element\"({}) <{{index = {} : i32}}> : ({}) -> {}\n", element.name,
                  tuple.name, index, TypeText(tuple.shape), TypeText(element.shape));
  return element;
}

Printer::Named Printer::Whole(const Named& value) {
  if (!value.name.empty()) return value;
  std::vector<Named> elements;
  for (const Named& element : value.elements) elements.push_back(Whole(element));
  Named whole{value.shape, Unique("tuple"), {}};
  Indent();
  text_ +=
      Format("{} = \"stablehlo.tuple\"({}) : ({}) -> {}\n", whole.name,
             JoinedBy(elements, [](const Named& element) { return element.name; }),
             JoinedBy(elements, [](const Named& element) { return TypeText(element.shape); }), TypeText(value.shape));
  return whole;
}

void Printer::AddLeaves(const Named& value, std::vector<Named>& leaves) {
  if (!value.shape.IsTuple()) return leaves.push_back(value);
  for (int64_t i = 0; i < value.shape.tuple_size(); ++i) AddLeaves(Element(value, i), leaves);
}

// ---- Ops ----

void Printer::Begin(const OpText& op, const std::vector<Named>& operands, const std::vector<Shape>& results,
                    std::string_view base) {
  Indent();
  if (!results.empty()) text_ += base;
  if (results.size() > 1) text_ += Format(":{}", results.size());
  if (!results.empty()) text_ += " = ";
  const std::string names = JoinedBy(operands, [](const Named& operand) { return operand.name; });
  if (op.is_short) text_ += Format("{}{}{}", op.name, names.empty() ? "" : " ", names);
  else text_ += Format("\"{}\"({})", op.name, names);
  if (!op.properties.empty()) text_ += Format(" <{{{}}}>", op.properties.text());
}

void Printer::End(const HloInstruction& instruction, const OpText& op, const std::vector<Named>& operands,
                  const std::vector<Shape>& results) {
  if (!op.attributes.empty()) text_ += Format(" {{{}}}", op.attributes.text());
  if (op.is_short) {
    text_ += Format(" : {}", TypeText(results[0]));
  } else {
    text_ += Format(" : ({}) -> {}", JoinedBy(operands, [](const Named& operand) { return TypeText(operand.shape); }),
                    ResultTypes(results));
  }
  text_ += LocationText(instruction);
  text_ += '\n';
}

Status Printer::Emit(const HloInstruction& instruction, const OpText& op, const std::vector<Named>& values) {
  std::vector<Named> operands;
  for (const Named& value : values) {
    if (op.is_flat) AddLeaves(value, operands);
    else operands.push_back(Whole(value));
  }
  const Shape& shape = instruction.shape();
  const std::vector<Shape> results = op.is_flat ? LeavesOf(shape) : ResultsOf(shape);
  const std::string base = Unique(instruction.name());
  Begin(op, operands, results, base);
  for (size_t i = 0; i < op.regions.size(); ++i) {
    text_ += i == 0 ? " (" : ", ";
    HLOIR_RETURN_IF_ERROR(Region(*op.regions[i], nullptr));
  }
  if (!op.regions.empty()) text_ += ')';
  End(instruction, op, operands, results);
  if (!op.is_flat) return values_[&instruction] = FromResults(shape, base), OkStatus();
  values_[&instruction] = FromFlatResults(shape, base, results.size());
  return OkStatus();
}

Status Printer::Region(const HloComputation& computation, const std::vector<Named>* outer) {
  if (depth_ > kMaxDepth) return ResourceExhausted("regions are nested too deep for StableHLO");
  text_ += "{\n";
  std::vector<Named> parameters;
  if (outer != nullptr) parameters = *outer;
  std::string arguments;
  for (int64_t i = 0; outer == nullptr && i < computation.parameter_count(); ++i) {
    const HloInstruction& parameter = *computation.parameter(i);
    std::vector<std::string> leaves;
    for (const Shape& leaf : LeavesOf(parameter.shape())) {
      leaves.push_back(Unique(parameter.name()));
      arguments += Format("{}{}: {}", arguments.empty() ? "" : ", ", leaves.back(), TypeText(leaf));
    }
    size_t next = 0;
    parameters.push_back(FromLeaves(parameter.shape(), leaves, next));
  }
  // The label tells the regions of one computation from those of others.
  Indent();
  text_ += Format("^{}{}:\n", Bare(computation.name()), arguments.empty() ? "" : '(' + arguments + ')');
  ++depth_;
  HLOIR_ASSIGN_OR_RETURN(const Named root, Body(computation, std::move(parameters)));
  std::vector<Named> leaves;
  AddLeaves(root, leaves);
  Indent();
  text_ +=
      Format("\"stablehlo.return\"({}) : ({}) -> ()\n", JoinedBy(leaves, [](const Named& leaf) { return leaf.name; }),
             JoinedBy(leaves, [](const Named& leaf) { return TypeText(leaf.shape); }));
  --depth_;
  Indent();
  text_ += '}';
  return OkStatus();
}

// The branches use their operands where they stand.
Status Printer::Conditional(const HloInstruction& instruction) {
  OpText op;
  HLOIR_ASSIGN_OR_RETURN(op, OpOf(instruction));
  const std::vector<Named> index = {values_[instruction.operand(0)]};
  const std::vector<Shape> results = LeavesOf(instruction.shape());
  const std::string base = Unique(instruction.name());
  Begin(op, index, results, base);
  for (size_t i = 0; i < instruction.called_computations().size(); ++i) {
    text_ += i == 0 ? " (" : ", ";
    const std::vector<Named> parameters = {values_[instruction.operand(static_cast<int64_t>(i) + 1)]};
    HLOIR_RETURN_IF_ERROR(Region(*instruction.called_computations()[i], &parameters));
  }
  text_ += ')';
  End(instruction, op, index, results);
  values_[&instruction] = FromFlatResults(instruction.shape(), base, results.size());
  return OkStatus();
}

// The two halves of a send or recv are one op, which stands where the second half does.
Status Printer::Transfer(const HloInstruction& done) {
  const HloInstruction& start = *done.operand(0);
  const bool is_send = done.opcode() == HloOpcode::kSendDone;
  if (start.opcode() != (is_send ? HloOpcode::kSend : HloOpcode::kRecv))
    return Refuse(done, "its operand must be the first half of the transfer");
  OpText op;
  HLOIR_ASSIGN_OR_RETURN(op, OpOf(done));
  std::vector<Named> operands;
  const Shape token = Shape::Token();
  if (!is_send) {
    operands.push_back(values_[start.operand(0)]);
    std::vector<Shape> results = ResultsOf(done.shape().tuple_shapes(0));
    results.push_back(token);
    const std::string base = Unique(done.name());
    Begin(op, operands, results, base);
    End(done, op, operands, results);
    Named data{done.shape().tuple_shapes(0), "", {}};
    if (data.shape.IsTuple() && results.size() != 2) {
      for (size_t i = 0; i + 1 < results.size(); ++i)
        data.elements.push_back({results[i], Format("{}#{}", base, i), {}});
    } else {
      data.name = base + "#0";
    }
    const std::string last = results.size() == 1 ? base : Format("{}#{}", base, results.size() - 1);
    values_[&done] = {done.shape(), "", {data, {token, last, {}}}};
    return OkStatus();
  }
  const Named& value = values_[start.operand(0)];
  const bool is_split = value.name.empty() && value.elements.size() != 1;
  for (const Named& part : is_split ? value.elements : std::vector<Named>{value}) operands.push_back(Whole(part));
  operands.push_back(values_[start.operand(1)]);
  return Emit(done, op, operands);
}

Status Printer::Instruction(const HloInstruction& instruction) {
  if (++ops_ > most_ops_)
    return ResourceExhausted("the module is too large as StableHLO, which repeats shared computations in regions");
  if (TypeText(instruction.shape()).empty()) {
    // The first halves of transfers have types of their own.
    const bool is_start = instruction.opcode() == HloOpcode::kSend || instruction.opcode() == HloOpcode::kRecv;
    if (!is_start) return Refuse(instruction, Format("it lacks the type {}", instruction.shape().ToString(false)));
  }
  std::vector<Named> operands;
  for (const HloInstruction* operand : instruction.operands()) operands.push_back(values_[operand]);
  switch (instruction.opcode()) {
    case HloOpcode::kParameter: return OkStatus();
    case HloOpcode::kSend:
    case HloOpcode::kRecv: {
      const HloOpcode done = instruction.opcode() == HloOpcode::kSend ? HloOpcode::kSendDone : HloOpcode::kRecvDone;
      if (instruction.user_count() != 1 || instruction.users()[0]->opcode() != done || instruction.IsRoot())
        return Refuse(instruction, Format("its only user must be the {}", OpcodeName(done)));
      return OkStatus();
    }
    case HloOpcode::kTuple: {
      Named tuple{instruction.shape(), "", operands};
      // A tuple that is passed on as a whole is made once.
      const auto users = instruction.users();
      const bool is_passed = std::any_of(users.begin(), users.end(), [](const HloInstruction* user) {
        return user->opcode() == HloOpcode::kCall || user->opcode() == HloOpcode::kCustomCall;
      });
      values_[&instruction] = is_passed ? Whole(tuple) : std::move(tuple);
      return OkStatus();
    }
    case HloOpcode::kGetTupleElement:
      if (operands[0].name.empty()) {
        Named element = Element(operands[0], instruction.tuple_index());
        values_[&instruction] = std::move(element);
        return OkStatus();
      }
      break;
    case HloOpcode::kConditional: return Conditional(instruction);
    case HloOpcode::kSendDone:
    case HloOpcode::kRecvDone: return Transfer(instruction);
    case HloOpcode::kOutfeed: {  // the values one by one
      std::vector<Named> values;
      for (int64_t i = 0; operands[0].shape.IsTuple() && i < operands[0].shape.tuple_size(); ++i)
        values.push_back(Element(operands[0], i));
      if (!operands[0].shape.IsTuple()) values.push_back(operands[0]);
      values.push_back(operands[1]);
      operands = std::move(values);
      break;
    }
    case HloOpcode::kRng: {  // StableHLO takes the result's dimensions as an operand
      const DimVector& dimensions = instruction.shape().dimensions();
      const Shape shape = Shape::Array(PrimitiveType::S64, {static_cast<int64_t>(dimensions.size())});
      Literal sizes(shape);
      for (size_t i = 0; i < dimensions.size(); ++i) sizes.SetFromInt64(static_cast<int64_t>(i), dimensions[i]);
      operands.push_back({shape, Unique("sizes"), {}});
      Indent();
      text_ += Format("{} = stablehlo.constant {} : {}\n", operands.back().name, DenseText(sizes), TypeText(shape));
      break;
    }
    default: break;  // ops that need no more than OpOf
  }
  OpText op;
  HLOIR_ASSIGN_OR_RETURN(op, OpOf(instruction));
  if (instruction.opcode() != HloOpcode::kInfeed) return Emit(instruction, op, operands);
  // The values and the token are results of one op.
  const Shape& data = instruction.shape().tuple_shapes(0);
  std::vector<Shape> results = data.IsTuple() ? data.tuple_shapes() : std::vector<Shape>{data};
  results.push_back(Shape::Token());
  const std::string base = Unique(instruction.name());
  Begin(op, operands, results, base);
  End(instruction, op, operands, results);
  std::vector<Named> parts;
  for (size_t i = 0; i < results.size(); ++i)
    parts.push_back({results[i], results.size() == 1 ? base : Format("{}#{}", base, i), {}});
  Named token = std::move(parts.back());
  parts.pop_back();
  Named values = data.IsTuple() ? Named{data, "", std::move(parts)} : std::move(parts[0]);
  values_[&instruction] = {instruction.shape(), "", {std::move(values), std::move(token)}};
  return OkStatus();
}

// ---- Functions ----

StatusOr<Printer::Named> Printer::Body(const HloComputation& computation, std::vector<Named> parameters) {
  for (size_t i = 0; i < parameters.size(); ++i)
    values_[computation.parameter(static_cast<int64_t>(i))] = std::move(parameters[i]);
  for (const HloInstruction* instruction : computation.PostOrder()) HLOIR_RETURN_IF_ERROR(Instruction(*instruction));
  return values_[computation.root()];
}

std::string Printer::ParameterAttributes(const HloInstruction& parameter) const {
  Entries entries;
  if (parameter.sharding() != nullptr) entries.Add("mhlo.sharding", Quoted(PrintSharding(*parameter.sharding())));
  if (const FrontendAttributes& attributes = parameter.extras().frontend_attributes; !attributes.empty())
    entries.Add("mhlo.frontend_attributes", FrontendText(attributes));
  const ModuleConfig& config = module_.config();
  const bool is_tuple = module_.entry_computation()->root()->shape().IsTuple();
  for (const InputOutputAlias& alias : config.input_output_alias) {
    if (alias.parameter != parameter.parameter_number() || !alias.parameter_index.empty() || alias.must_alias ||
        alias.output_index.size() != (is_tuple ? 1u : 0u))
      continue;
    entries.AddInt("tf.aliasing_output", is_tuple ? alias.output_index[0] : 0, "i32");
  }
  for (const BufferDonor& donor : config.buffer_donor) {
    if (donor.parameter == parameter.parameter_number() && donor.parameter_index.empty())
      entries.AddBool("jax.buffer_donor", true);
  }
  return entries.empty() ? "" : Format(" {{{}}}", entries.text());
}

// The sharding of a result where no op has it.
std::string Printer::ResultAttributes(const HloInstruction& root, int64_t result) const {
  const Sharding* sharding = root.sharding();
  const bool is_element =
      root.opcode() == HloOpcode::kGetTupleElement && root.operand(0)->opcode() == HloOpcode::kTuple;
  if (sharding == nullptr || (root.opcode() != HloOpcode::kTuple && !is_element)) return "";
  if (sharding->kind == Sharding::Kind::kTuple) {
    if (result >= static_cast<int64_t>(sharding->tuple_elements.size())) return "";
    sharding = &sharding->tuple_elements[static_cast<size_t>(result)];
  }
  return Format(" {{mhlo.sharding = {}}}", Quoted(PrintSharding(*sharding)));
}

Status Printer::Function(const HloComputation& computation, const std::string& symbol) {
  names_.clear();
  const bool is_entry = &computation == module_.entry_computation();
  std::vector<Named> parameters;
  std::string arguments;
  for (int64_t i = 0; i < computation.parameter_count(); ++i) {
    const HloInstruction& parameter = *computation.parameter(i);
    const std::string type = TypeText(parameter.shape());
    if (type.empty()) return Refuse(parameter, Format("it lacks the type {}", parameter.shape().ToString(false)));
    const std::string name = Unique(parameter.name());
    parameters.push_back({parameter.shape(), name, {}});
    arguments += Format("{}{}: {}{}{}", i == 0 ? "" : ", ", name, type, is_entry ? ParameterAttributes(parameter) : "",
                        LocationText(parameter));
  }
  const HloInstruction& root = *computation.root();
  const std::vector<Shape> results = ResultsOf(root.shape());
  std::vector<std::string> types;
  for (size_t i = 0; i < results.size(); ++i)
    types.push_back(TypeText(results[i]) + (is_entry ? ResultAttributes(root, static_cast<int64_t>(i)) : ""));
  text_ += Format("  func.func {} {}({})", is_entry ? "public" : "private", symbol, arguments);
  if (!types.empty()) text_ += Format(" -> ({})", JoinedTexts(types));
  text_ += " {\n";
  depth_ = 2;
  HLOIR_ASSIGN_OR_RETURN(const Named value, Body(computation, std::move(parameters)));
  std::vector<Named> returned;
  if (results.size() == 1) returned.push_back(Whole(value));
  for (int64_t i = 0; results.size() != 1 && i < value.shape.tuple_size(); ++i)
    returned.push_back(Whole(Element(value, i)));
  text_ += "    return";
  if (!returned.empty()) {
    text_ += Format(" {} : {}", JoinedBy(returned, [](const Named& part) { return part.name; }),
                    JoinedBy(returned, [](const Named& part) { return TypeText(part.shape); }));
  }
  text_ += "\n  }\n";
  return OkStatus();
}

Entries Printer::ModuleAttributes() const {
  const ModuleConfig& config = module_.config();
  Entries entries;
  if (!config.frontend_attributes.empty())
    entries.Add("mhlo.frontend_attributes", FrontendText(config.frontend_attributes));
  entries.AddInt("mhlo.num_partitions", config.num_partitions, "i32");
  entries.AddInt("mhlo.num_replicas", config.replica_count, "i32");
  return entries;
}

StatusOr<std::string> Printer::Print() {
  const HloComputation* entry = module_.entry_computation();
  if (entry == nullptr) return InvalidArgument("the module has no entry computation");
  most_ops_ = 8 * module_.instruction_count() + (int64_t{1} << 16);
  text_ = Format("module @{} attributes {{{}}} {{\n", NameText(module_.name()), ModuleAttributes().text());
  Symbol(*entry);
  while (!pending_.empty()) {
    const HloComputation* computation = pending_.back();
    pending_.pop_back();
    HLOIR_RETURN_IF_ERROR(Function(*computation, symbols_.at(computation)));
  }
  text_ += "}\n";
  return std::move(text_);
}

}  // namespace stablehlo
}  // namespace hloir
