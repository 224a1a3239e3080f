// Converter: functions, regions, values and attributes. See convert.h.
#include "convert.h"

#include <algorithm>

#include "hloir/parser.h"
#include "hloir/printer.h"
#include "support/hash.h"

namespace hloir::stablehlo {
namespace {

bool IsConstant(const Value* value) { return value->op != nullptr && value->op->name->is_constant; }

// An attribute of integers: [1, 2], array<i64: 1, 2>, dense<…>, or one number.
bool ToInts(const Attribute& attribute, DimVector& values) {
  using Kind = Attribute::Kind;
  values.clear();
  if (attribute.kind == Kind::kInteger || attribute.kind == Kind::kBool)
    return values.push_back(attribute.integer), true;
  if (attribute.kind == Kind::kIntegers) return values = attribute.integers, true;
  if (attribute.kind == Kind::kArray) {
    for (const Attribute& element : attribute.elements) {
      if (element.kind != Kind::kInteger && element.kind != Kind::kBool) return false;
      values.push_back(element.integer);
    }
    return true;
  }
  if (attribute.kind != Kind::kDense || attribute.literal == nullptr) return false;
  const int64_t count = attribute.type->ElementCount();
  if (IsComplex(attribute.literal->shape().element_type()) || count > 1 << 20) return false;
  const bool is_splat = attribute.literal->element_count() == 1;
  for (int64_t i = 0; i < count; ++i) values.push_back(attribute.literal->GetAsInt64(is_splat ? 0 : i));
  return true;
}

// True if `shape` has the sizes that `declared` states, and any others where it leaves them open (`?`).
bool Binds(const Shape& shape, const Shape& declared) {
  if (!shape.IsArray() || !declared.IsArray() || shape.element_type() != declared.element_type() ||
      shape.rank() != declared.rank())
    return false;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!declared.is_unbounded_dimension(d) && declared.dimensions(d) != shape.dimensions(d)) return false;
  }
  return true;
}

// Symbols may be any text, unlike names in HLO.
std::string HloName(std::string_view symbol) {
  std::string name(symbol);
  for (char& c : name) {
    const bool is_fine =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
    if (!is_fine) c = '_';
  }
  if (name.empty() || !(name[0] == '_' || (name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z')))
    name.insert(0, "_");
  return name;
}

}  // namespace

Status Converter::Ints(const Operation& op, std::string_view name, DimVector& values) const {
  const Attribute* attribute = op.Find(name);
  return attribute == nullptr || ToInts(*attribute, values) ? OkStatus() : Missing(op, name);
}

Status Converter::Int(const Operation& op, std::string_view name, int64_t& value) const {
  const Attribute* attribute = op.Find(name);
  if (attribute == nullptr) return OkStatus();
  DimVector values;
  if (!ToInts(*attribute, values) || values.size() != 1) return Missing(op, name);
  value = values[0];
  return OkStatus();
}

Status Converter::Bool(const Operation& op, std::string_view name, bool& value) const {
  const Attribute* attribute = op.Find(name);
  if (attribute == nullptr) return OkStatus();
  value = attribute->kind == Attribute::Kind::kUnit || attribute->integer != 0;
  return OkStatus();
}

// A matrix: [[1, 2], [3, 4]] or dense<…> : tensor<2x2xi64>.
Status Converter::Rows(const Operation& op, std::string_view name, std::vector<std::vector<int64_t>>& rows) const {
  const Attribute* attribute = op.Find(name);
  if (attribute == nullptr) return OkStatus();
  DimVector values;
  if (attribute->kind == Attribute::Kind::kArray) {
    for (const Attribute& row : attribute->elements) {
      if (!ToInts(row, values)) return Missing(op, name);
      rows.emplace_back(values.begin(), values.end());
    }
    return OkStatus();
  }
  if (!ToInts(*attribute, values) || attribute->kind != Attribute::Kind::kDense || attribute->type->rank() != 2)
    return Missing(op, name);
  const int64_t count = attribute->type->dimensions(0), width = attribute->type->dimensions(1);
  for (int64_t i = 0; i < count; ++i) rows.emplace_back(values.begin() + i * width, values.begin() + (i + 1) * width);
  return OkStatus();
}

Status Converter::EntryInts(const Operation& op, const Attribute& dictionary, std::string_view name,
                            DimVector& values) const {
  const Attribute* attribute = dictionary.Find(name);
  return attribute == nullptr || ToInts(*attribute, values) ? OkStatus() : Missing(op, name);
}

std::string_view Converter::Text(const Operation& op, std::string_view name) const {
  const Attribute* attribute = op.Find(name);
  return attribute == nullptr ? std::string_view() : attribute->text;
}

StatusOr<Op> Converter::Get(const Value* value, const Operation& user, Scope& scope) {
  if (IsConstant(value) && !as_written_) return Constant(*value->op, scope);
  const Op* const found = scope.values.Find(value);
  if (found == nullptr) return Unsupported(user, Format("{} uses a value from outside of its region", user.name));
  return *found;
}

StatusOr<std::vector<Op>> Converter::Operands(const Operation& op, Scope& scope) {
  std::vector<Op> operands;
  operands.reserve(op.operands.size());
  for (const Value* value : op.operands) {
    HLOIR_ASSIGN_OR_RETURN(Op operand, Get(value, op, scope));
    operands.push_back(operand);
  }
  return operands;
}

// A constant of equal elements becomes a broadcast of one.
Op SharedConstant(Scope& scope, const Shape& shape, const Literal& literal) {
  auto& same = scope.constants[Mix(literal.Hash(), shape.Hash())];
  for (const Scope::Known& known : same) {
    if (known.shape == shape && known.literal.BitwiseEqual(literal)) return known.op;
  }
  HloBuilder& b = scope.builder;
  const bool is_empty = shape.ElementCount() == 0;
  const bool is_splat = literal.shape().rank() == 0 && shape.rank() > 0 && !is_empty;
  Literal value(is_empty ? Literal(shape.WithDefaultLayout()) : literal);
  if (is_splat && shape.ElementCount() == 1) value.set_shape_layout(shape);
  Op made = b.Constant(std::move(value));
  if (is_splat && shape.ElementCount() != 1) made = b.Broadcast(made, shape.dimensions(), {});
  same.push_back({shape, literal, made});
  return made;
}

Op Converter::Constant(const Operation& op, Scope& scope) {
  const HloInstruction* last = scope.builder.computation()->last();
  Op made = SharedConstant(scope, op.results[0]->shape(), *op.Find("value")->literal);
  if (made != nullptr && scope.builder.computation()->last() != last) made->set_line(lines_.At(op.offset));
  return made;
}

Status Converter::Set(const Operation& op, Scope& scope, Op made, size_t result) {
  if (made == nullptr || !scope.builder.status().ok()) {
    const Status& status = scope.builder.status();
    return status.ok() ? Error(op, "cannot be made") : ErrorAt(source_, op.offset, status.message(), status.code());
  }
  if (result >= op.results.size()) return Error(op, "has too few results");
  if (!made->shape().Compatible(op.results[result]->shape()) && !Binds(made->shape(), op.results[result]->shape())) {
    return Error(op, Format("gives {}, but its type here is {}", made->shape().ToString(false),
                            op.results[result]->shape().ToString(false)));
  }
  scope.values[op.results[result]] = made;
  return OkStatus();
}

Status Converter::SetAll(const Operation& op, Scope& scope, Op made) {
  if (op.results.size() == 1 && (made == nullptr || !made->shape().IsTuple() || op.results[0]->shape().IsTuple()))
    return Set(op, scope, made);
  if (made == nullptr) return Set(op, scope, made);
  if (!made->shape().IsTuple() || made->shape().tuple_size() != static_cast<int64_t>(op.results.size()))
    return op.results.empty() ? OkStatus() : Error(op, "has another number of results");
  for (size_t i = 0; i < op.results.size(); ++i)
    HLOIR_RETURN_IF_ERROR(Set(op, scope, scope.builder.GetTupleElement(made, static_cast<int64_t>(i)), i));
  return OkStatus();
}

Op Converter::TupleUnlessOne(HloBuilder& b, std::span<const Op> values) {
  return values.size() == 1 ? values[0] : b.Tuple(HloBuilder::Ops(values.data(), values.size()));
}

void Converter::AddFrontendAttributes(const Attribute& dictionary, FrontendAttributes& to) {
  const Attribute* entries = dictionary.Find("mhlo.frontend_attributes");
  if (entries == nullptr) return;
  for (const auto& [key, value] : entries->entries) to.emplace_back(key, value.text);
}

// Shardings and frontend attributes apply to every instruction of an op.
Status Converter::Annotate(const Operation& op, Op last_before, Scope& scope) {
  std::optional<Sharding> sharding;
  if (const Attribute* attribute = op.Find("mhlo.sharding")) {
    StatusOr<Sharding> parsed = GspmdSharding(attribute->text);
    if (!parsed.ok()) return Error(op, Format("unsupported sharding: {}", attribute->text));
    sharding = *std::move(parsed);
  }
  FrontendAttributes frontend;
  AddFrontendAttributes(op.attributes, frontend);
  std::vector<std::optional<Sharding>> values;
  if (const Attribute* attribute = op.Find("sdy.sharding")) {
    HLOIR_RETURN_IF_ERROR(CheckAxes(attribute->source));
    frontend.emplace_back("xla.sdy.sharding", attribute->source);
    values = ShardingsPerValue(attribute->source);
    // An op without results has a tuple of one sharding.
    const bool is_tuple = values.size() > 1 || (values.size() == 1 && op.results.empty());
    if (values.size() == 1 && !is_tuple) sharding = values[0];
    if (is_tuple && std::all_of(values.begin(), values.end(), [](const auto& v) { return v.has_value(); })) {
      sharding.emplace().kind = Sharding::Kind::kTuple;
      for (const auto& value : values) sharding->tuple_elements.push_back(*value);
    }
  }
  if (const Attribute* attribute = op.Find("sdy.sharding_rule"))
    frontend.emplace_back("xla.sdy.sharding_rule", attribute->source);
  std::sort(frontend.begin(), frontend.end());
  HloComputation* computation = scope.builder.computation();
  const int line = lines_.At(op.offset);
  for (Op i = last_before == nullptr ? computation->first() : last_before->next(); i != nullptr; i = i->next()) {
    i->set_line(line);
    SetMetadata(op, i);
    if (i->IsConstant()) continue;
    if (as_written_ && i->opcode() == HloOpcode::kGetTupleElement && op.name->base != "get_tuple_element") continue;
    const auto index = i->opcode() == HloOpcode::kGetTupleElement && values.size() > 1 ? i->tuple_index() : -1;
    if (index >= 0 && index < static_cast<int64_t>(values.size())) i->set_sharding(values[static_cast<size_t>(index)]);
    else if (sharding.has_value()) i->set_sharding(sharding);
    if (!frontend.empty()) i->set_frontend_attributes(frontend);
  }
  return OkStatus();
}

// loc("jit(f)/add"("file.py":3:4 to :8)): the first text is the op's name, the first location its source.
void Converter::SetMetadata(const Operation& op, Op instruction) const {
  std::string_view location = op.location;
  OpMetadata metadata;
  std::string name;
  for (int hops = 0; hops < 8 && !location.empty(); ++hops) {
    if (location.starts_with('#')) {
      const auto found = source_.locations.find(location.substr(0, location.find_first_of(" ),")));
      if (found == source_.locations.end()) break;
      location = found->second;
      continue;
    }
    if (!location.starts_with('"')) break;
    const size_t end = location.find('"', 1);
    if (end == std::string_view::npos) break;
    const std::string_view text = location.substr(1, end - 1);
    const std::string_view rest = location.substr(end + 1);
    if (rest.starts_with(':')) {  // "file.py":3:4
      metadata.source_file = text;
      const std::string numbers(rest.substr(1, 40));
      metadata.source_line = std::strtoll(numbers.c_str(), nullptr, 10);
      break;
    }
    if (name.empty()) name = text.ends_with(':') ? text.substr(0, text.size() - 1) : text;
    if (!rest.starts_with('(')) break;
    location = rest.substr(1, rest.size() - 2);
  }
  if (name.empty() && metadata.source_file.empty()) return;
  metadata.op_name = name;
  instruction->set_metadata(metadata);
}

std::vector<const Value*> Converter::Captured(const Operation& op, size_t first, size_t last) const {
  std::vector<const Value*> captured;
  std::unordered_map<const Value*, bool> seen;  // inside, or captured already
  const std::function<void(const Region&)> walk = [&](const Region& region) {
    for (const Value* argument : region.arguments) seen[argument] = true;
    for (const Operation* inner : region.operations) {
      for (const Region& nested : inner->regions) walk(nested);
      for (const Value* result : inner->results) seen[result] = true;
      for (const Value* operand : inner->operands) {
        if ((as_written_ || !IsConstant(operand)) && seen.emplace(operand, true).second) captured.push_back(operand);
      }
    }
  };
  for (size_t i = first; i <= last; ++i) walk(op.regions[i]);
  return captured;
}

Converter::Emit Converter::EmitOf(OpName name) {
  if (name->index >= emits_.size()) emits_.resize(name->index + 1);
  std::optional<Emit>& known = emits_[name->index];
  if (known.has_value()) return *known;
  const bool is_plain = name->is_stablehlo || name->name.starts_with("mhlo.");
  const auto found = Table().find(is_plain ? name->base : name->name);
  known = found != Table().end() ? found->second
          : name->is_chlo        ? &Converter::Chlo
          : is_plain             ? &Converter::Simple
                                 : nullptr;
  return *known;
}

Status Converter::Emit1(const Operation& op, Scope& scope) {
  const Op last = scope.builder.computation()->last();
  const Emit emit = EmitOf(op.name);
  if (emit == nullptr) return Unsupported(op, Format("the op '{}' is not supported", op.name));
  HLOIR_RETURN_IF_ERROR((this->*emit)(op, scope));
  return Annotate(op, last, scope);
}

Status Converter::Body(const Operation& owner, const Region& region, Scope& scope, std::vector<Op>& results) {
  for (const Operation* op : region.operations) {
    if (op->name->is_return) {
      HLOIR_ASSIGN_OR_RETURN(results, Operands(*op, scope));
      return OkStatus();
    }
    HLOIR_RETURN_IF_ERROR(Emit1(*op, scope));
  }
  return Error(owner, "does not end with a return");
}

std::string Converter::RegionName(const Region& region) const {
  return as_written_ && HasLabel(region) ? HloName(region.label) : Format("region_{}", module_.computation_count());
}

HloComputation* Converter::Shared(const Region& region, HloComputation* made) {
  if (!as_written_ || !HasLabel(region)) return made;
  PrintOptions options = PrintOptions::ShortParsable();
  options.canonicalize_instruction_names = true;
  options.print_extra_attributes = options.print_backend_config = true;
  std::string text = PrintComputation(*made, options);
  text.replace(0, text.find('{'), region.label);
  const auto [known, is_new] = regions_.try_emplace(std::move(text), made);
  if (!is_new) module_.RemoveComputation(made);
  return known->second;
}

StatusOr<HloComputation*> Converter::RegionComputation(const Operation& op, size_t index) {
  if (index >= op.regions.size()) return Error(op, "has too few regions");
  const Region& region = op.regions[index];
  Scope scope(module_, RegionName(region));
  for (size_t i = 0; i < region.arguments.size(); ++i)
    scope.values[region.arguments[i]] =
        scope.builder.Parameter(static_cast<int64_t>(i), region.arguments[i]->shape(), Format("Arg_{}", i));
  std::vector<Op> results;
  HLOIR_RETURN_IF_ERROR(Body(op, region, scope, results));
  StatusOr<HloComputation*> made = scope.builder.Build(TupleUnlessOne(scope.builder, results));
  if (!made.ok()) return Error(op, made.status().message());
  return Shared(region, *made);
}

StatusOr<HloComputation*> Converter::TupledRegion(const Operation& op, size_t index,
                                                  std::span<const Value* const> captured, bool pass_on,
                                                  std::span<const Op> outside) {
  const Region& region = op.regions[index];
  Scope scope(module_, RegionName(region));
  HloBuilder& b = scope.builder;
  std::vector<const Value*> values(region.arguments.begin(), region.arguments.end());
  values.insert(values.end(), captured.begin(), captured.end());
  std::vector<Op> inside;
  std::vector<Shape> shapes;
  for (size_t i = 0; i < values.size(); ++i) {
    const bool is_bound = i < outside.size() && outside[i] != nullptr && !values[i]->shape().IsStatic() &&
                          Binds(outside[i]->shape(), values[i]->shape());
    shapes.push_back(is_bound ? outside[i]->shape().WithDefaultLayout() : values[i]->shape());
  }
  if (values.size() == 1) {
    inside.push_back(b.Parameter(0, shapes[0], "arg"));
  } else {
    Op parameter = b.Parameter(0, Shape::Tuple(std::move(shapes)), "arg_tuple");
    for (size_t i = 0; i < values.size(); ++i) inside.push_back(b.GetTupleElement(parameter, static_cast<int64_t>(i)));
  }
  for (size_t i = 0; i < values.size(); ++i) scope.values[values[i]] = inside[i];
  std::vector<Op> results;
  HLOIR_RETURN_IF_ERROR(Body(op, region, scope, results));
  if (pass_on)
    results.insert(results.end(), inside.begin() + static_cast<ptrdiff_t>(region.arguments.size()), inside.end());
  StatusOr<HloComputation*> made = b.Build(TupleUnlessOne(b, results));
  if (!made.ok()) return Error(op, made.status().message());
  return Shared(region, *made);
}

StatusOr<HloComputation*> Converter::FunctionBody(const Operation& function, std::string_view name, bool is_entry) {
  if (function.regions.size() != 1) return Unsupported(function, Format("the function '{}' has no body", name));
  const Region& region = function.regions[0];
  Scope scope(module_, HloName(name));
  HloBuilder& b = scope.builder;
  for (size_t i = 0; i < region.arguments.size(); ++i) {
    Op parameter = b.Parameter(static_cast<int64_t>(i), region.arguments[i]->shape(), Format("Arg_{}", i));
    if (parameter != nullptr) parameter->set_line(lines_.At(function.offset));
    scope.values[region.arguments[i]] = parameter;
  }
  std::vector<Op> results;
  HLOIR_RETURN_IF_ERROR(Body(function, region, scope, results));
  Op root = nullptr;
  if (is_entry) HLOIR_RETURN_IF_ERROR(ShardedResults(function, scope, results, root));
  if (root == nullptr) root = TupleUnlessOne(b, results);
  StatusOr<HloComputation*> made = is_entry ? b.BuildEntry(root) : b.Build(root);
  return made.ok() ? made : Error(function, made.status().message());
}

StatusOr<HloComputation*> Converter::Function(std::string_view name, const Operation& from) {
  const auto found = functions_.find(name);
  if (found == functions_.end()) return Error(from, Format("unknown function '{}'", name));
  if (const auto known = lowered_.find(name); known != lowered_.end()) {
    if (known->second == nullptr) return Error(from, Format("the function '{}' calls itself", name));
    return known->second;
  }
  if (++depth_ > kMaxCallDepth)
    return ErrorAt(source_, from.offset, "calls are nested too deep", StatusCode::kResourceExhausted);
  lowered_[name] = nullptr;
  HLOIR_ASSIGN_OR_RETURN(HloComputation * made, FunctionBody(*found->second, name, false));
  --depth_;
  return lowered_[name] = made;
}

Status Converter::ModuleAttributes() {
  const Operation& root = *source_.root;
  ModuleConfig& config = module_.config();
  HLOIR_RETURN_IF_ERROR(Int(root, "mhlo.num_partitions", config.num_partitions));
  HLOIR_RETURN_IF_ERROR(Int(root, "mhlo.num_replicas", config.replica_count));
  config.use_spmd_partitioning = config.num_partitions > 1;
  AddFrontendAttributes(root.attributes, config.frontend_attributes);
  std::string meshes;
  for (const Operation* op : root.regions[0].operations) {
    if (op->name != "sdy.mesh" || op->Find("mesh") == nullptr) continue;
    std::string_view mesh = op->Find("mesh")->source;
    if (mesh.starts_with("#sdy.mesh")) mesh.remove_prefix(9);
    meshes += Format("{}{} = #sdy.mesh{}", meshes.empty() ? "{" : ", ", Text(*op, "sym_name"), mesh);
  }
  if (!meshes.empty()) config.frontend_attributes.emplace_back("xla.sdy.meshes", meshes + "}");
  std::sort(config.frontend_attributes.begin(), config.frontend_attributes.end());
  return OkStatus();
}

// The attributes of the arguments and results of main.
Status Converter::EntryAttributes(const Operation& main) {
  HloComputation* entry = module_.entry_computation();
  ModuleConfig& config = module_.config();
  if (const Attribute* list = main.Find("arg_attrs")) {
    for (size_t i = 0; i < list->elements.size() && static_cast<int64_t>(i) < entry->parameter_count(); ++i) {
      const Attribute& attributes = list->elements[i];
      Op parameter = entry->parameter(static_cast<int64_t>(i));
      if (const Attribute* sharding = attributes.Find("mhlo.sharding")) {
        StatusOr<Sharding> parsed = GspmdSharding(sharding->text);
        if (!parsed.ok()) return ErrorAt(source_, attributes.offset, "unsupported sharding");
        parameter->set_sharding(*parsed);
      }
      FrontendAttributes frontend;
      AddFrontendAttributes(attributes, frontend);
      if (!frontend.empty()) parameter->set_frontend_attributes(std::move(frontend));
      if (const Attribute* sharding = attributes.Find("sdy.sharding")) {
        HLOIR_RETURN_IF_ERROR(CheckAxes(sharding->source));
        parameter->set_frontend_attributes({{"xla.sdy.sharding", std::string(sharding->source)}});
        if (const std::optional<Sharding> known = ShardingOf(sharding->source)) parameter->set_sharding(*known);
      }
      const auto number = static_cast<int64_t>(i);
      if (const Attribute* output = attributes.Find("tf.aliasing_output")) {
        InputOutputAlias alias;
        if (entry->root()->shape().IsTuple()) alias.output_index = {output->integer};
        alias.parameter = number;
        config.input_output_alias.push_back(alias);
      }
      if (attributes.Find("jax.buffer_donor") != nullptr) config.buffer_donor.push_back({number, {}});
    }
  }
  std::sort(config.input_output_alias.begin(), config.input_output_alias.end(),
            [](const auto& a, const auto& b) { return a.output_index < b.output_index; });
  return OkStatus();
}

Status Converter::Convert() {
  const Operation* main = nullptr;
  for (const Operation* op : source_.root->regions[0].operations) {
    if (op->name != "func.func") {
      if (op->name == "sdy.mesh") continue;
      return Unsupported(*op, Format("the op '{}' is not supported", op->name));
    }
    const std::string_view name = Text(*op, "sym_name");
    if (!functions_.emplace(name, op).second) return Error(*op, Format("the function '{}' is defined twice", name));
    if (name == "main") main = op;
  }
  if (main == nullptr && functions_.size() == 1) main = functions_.begin()->second;
  if (main == nullptr) return Error(*source_.root, "the module has no function 'main'");
  HLOIR_RETURN_IF_ERROR(ModuleAttributes());
  lowered_["main"] = nullptr;
  HLOIR_ASSIGN_OR_RETURN(HloComputation * entry, FunctionBody(*main, Text(*main, "sym_name"), true));
  (void)entry;
  HLOIR_RETURN_IF_ERROR(EntryAttributes(*main));
  module_.PutInTextOrder();
  return OkStatus();
}

}  // namespace hloir::stablehlo
