// The simplifications of XLA's converter, so that modules equal XLA's: constants to the right, no-ops removed,
// broadcasts and reshapes joined, integers folded, loop-invariant carries captured instead. Other simplifications are
// passes. The rules are those of StableHLO's canonicalization (StablehloAggressiveSimplification, which XLA runs); the
// tests compare with it.
#include <algorithm>
#include "formula.h"

#include <functional>

namespace hloir::stablehlo {

void Simplifier::Run() {
  constexpr int kMostRounds = 16;
  for (Operation* function : module_.root->regions[0].operations) {
    if (function->name != "func.func" || function->regions.empty()) continue;
    for (round_ = 0; round_ < kMostRounds; ++round_) {
      changed_ = round_ == 0;
      CountUses(function->regions[0]);
      Visit(function->regions[0]);
      RemoveDead(function->regions[0]);
      if (!changed_) break;
    }
  }
}

bool Simplifier::HasArity(const Operation& op) {
  struct Arity {
    std::string_view name;
    size_t least, most;
  };
  constexpr size_t kAny = ~size_t{0};
  static constexpr Arity kArities[] = {{"constant", 0, 0},
                                       {"iota", 0, 0},
                                       {"convert", 1, 1},
                                       {"broadcast_in_dim", 1, 1},
                                       {"reshape", 1, 1},
                                       {"transpose", 1, 1},
                                       {"slice", 1, 1},
                                       {"reverse", 1, 1},
                                       {"not", 1, 1},
                                       {"real", 1, 1},
                                       {"get_tuple_element", 1, 1},
                                       {"get_dimension_size", 1, 1},
                                       {"imag", 1, 1},
                                       {"complex", 2, 2},
                                       {"compare", 2, 2},
                                       {"pad", 2, 2},
                                       {"gather", 2, 2},
                                       {"select", 3, 3},
                                       {"clamp", 3, 3},
                                       {"dynamic_slice", 1, kAny},
                                       {"dynamic_update_slice", 2, kAny},
                                       {"concatenate", 1, kAny}};
  const std::string_view name = op.name.substr(op.name.find('.') + 1);
  for (const Arity& arity : kArities) {
    if (name == arity.name)
      return op.operands.size() >= arity.least && op.operands.size() <= arity.most && op.results.size() == 1;
  }
  return true;
}

const Attribute* Simplifier::Constant(const Value* value) {
  if (value->op == nullptr || value->op->name != "stablehlo.constant") return nullptr;
  const Attribute* constant = value->op->Find("value");
  const bool fits =
      constant != nullptr && constant->literal != nullptr && constant->type->Compatible(value->shape());
  return fits ? constant : nullptr;
}

Operation* Simplifier::Def(const Value* value, std::string_view name) {
  return value->op != nullptr && value->op->name == name && HasArity(*value->op) ? value->op : nullptr;
}

const Literal* Simplifier::Splat(const Value* value) {
  const Attribute* constant = Constant(value);
  return constant != nullptr && constant->literal->element_count() == 1 ? constant->literal.get() : nullptr;
}

bool Simplifier::IsSplatOf(const Value* value, int64_t number, bool integers_only) {
  const Literal* literal = Splat(value);
  if (literal == nullptr) return false;
  const PrimitiveType type = literal->shape().element_type();
  if (IsIntegerType(type)) return literal->GetAsInt64(0) == number;
  return !integers_only && IsFloat(type) && literal->GetAsDouble(0) == static_cast<double>(number);
}

bool Simplifier::IsAllOnes(const Value* value) {
  const Literal* literal = Splat(value);
  if (literal == nullptr) return false;
  const PrimitiveType type = literal->shape().element_type();
  if (type == PrimitiveType::PRED) return literal->GetAsInt64(0) == 1;
  if (!IsInteger(type)) return false;
  const int bits = BitWidth(type);
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  return (static_cast<uint64_t>(literal->GetAsInt64(0)) & mask) == mask;
}

bool Simplifier::SameValue(const Value* x, const Value* y) {
  if (x == y) return true;
  const Attribute *a = Constant(x), *b = Constant(y);
  return a != nullptr && b != nullptr && x->shape() == y->shape() && a->literal->BitwiseEqual(*b->literal);
}

Operation& Simplifier::New(std::string_view name, const Operation& like, Values operands,
                           const Shape& shape) {
  Operation& op = module_.operations.Add();
  op.name = name;
  op.offset = like.offset;
  op.location = like.location;
  op.parent = like.parent;
  op.operands = std::move(operands);
  op.attributes.kind = Kind::kDictionary;
  Value& result = module_.values.Add();
  result.interned = module_.Intern(shape), result.op = &op, result.offset = like.offset;
  op.results.push_back(&result);
  before_->push_back(&op);
  return op;
}

Attribute Simplifier::Ints(const DimVector& values) {
  Attribute attribute;
  attribute.kind = Kind::kArray;
  for (int64_t value : values) {
    Attribute& element = attribute.elements.emplace_back();
    element.kind = Kind::kInteger;
    element.integer = value;
  }
  return attribute;
}

void Simplifier::Set(Operation& op, std::string_view name, Attribute value) {
  for (auto& [key, old] : op.attributes.entries) {
    if (key == name) return void(old = std::move(value));
  }
  op.attributes.entries.emplace_back(name, std::move(value));
}

DimVector Simplifier::GetInts(const Operation& op, std::string_view name) {
  DimVector values;
  const Attribute* attribute = op.Find(name);
  if (attribute == nullptr) return values;
  if (attribute->literal != nullptr) {
    const int64_t count = std::min<int64_t>(attribute->type->ElementCount(), 1 << 16);
    const bool is_splat = attribute->literal->element_count() == 1;
    if (!IsIntegerType(attribute->literal->shape().element_type())) return values;
    for (int64_t i = 0; i < count; ++i) values.push_back(attribute->literal->GetAsInt64(is_splat ? 0 : i));
  }
  for (const Attribute& element : attribute->elements) values.push_back(element.integer);
  return values;
}

Value* Simplifier::NewConstant(const Operation& like, const Shape& shape, Literal literal) {
  Operation& op = New("stablehlo.constant", like, {}, shape);
  Attribute value;
  value.kind = Kind::kDense;
  value.type = op.results[0]->interned;
  value.literal = std::make_shared<Literal>(std::move(literal));
  Set(op, "value", std::move(value));
  return op.results[0];
}

bool Simplifier::Replace(Operation& op, const Values& values) {
  for (size_t i = 0; i < op.results.size(); ++i) {
    if (!op.results[i]->shape().Compatible(values[i]->shape())) return false;
  }
  for (size_t i = 0; i < op.results.size(); ++i) op.results[i]->forward = values[i];
  op.name = {};
  return true;
}

bool Simplifier::Replace(Operation& op, Value* value) { return Replace(op, Values{value}); }

bool Simplifier::Become(Operation& op, std::string_view name, Values operands) {
  op.name = name;
  op.operands = std::move(operands);
  Attribute kept;
  kept.kind = Kind::kDictionary;
  for (auto& entry : op.attributes.entries) {
    if (entry.key.find('.') != std::string_view::npos)
      kept.entries.push_back(std::move(entry));  // mhlo.sharding and the like
  }
  op.attributes = std::move(kept);
  return true;
}

void Simplifier::CountUses(const Region& region) {
  ClearUses(region);
  AddUses(region);
}

void Simplifier::ClearUses(const Region& region) {
  for (Value* argument : region.arguments) argument->uses = 0;
  for (const Operation* op : region.operations) {
    for (Value* result : op->results) result->uses = 0;
    for (Value* operand : op->operands) operand->uses = Resolve(operand)->uses = 0;
    for (const Region& nested : op->regions) ClearUses(nested);
  }
}

void Simplifier::AddUses(const Region& region) {
  for (const Operation* op : region.operations) {
    for (Value* operand : op->operands) ++Resolve(operand)->uses;
    for (const Region& nested : op->regions) AddUses(nested);
  }
}

void Simplifier::Visit(Region& region) {
  std::vector<Operation*> made;
  std::vector<Operation*>* const outer = before_;
  for (Operation* op : region.operations) {
    for (Value*& operand : op->operands) operand = Resolve(operand);
    before_ = &made;
    constexpr int kMostSteps = 32;
    for (int step = 0; step < kMostSteps && !op->name.empty() && Rewrite(*op); ++step) changed_ = true;
    if (op->name.empty()) continue;
    for (Region& nested : op->regions) Visit(nested);
    made.push_back(op);
  }
  before_ = outer;
  region.operations = std::move(made);
}

bool Simplifier::IsPure(const Operation& op) {
  if (op.name.starts_with("chlo.")) return true;
  if (!op.name.starts_with("stablehlo.")) return false;
  static constexpr std::string_view kImpure[] = {"rng",
                                                 "custom_call",
                                                 "all_reduce",
                                                 "all_gather",
                                                 "reduce_scatter",
                                                 "all_to_all",
                                                 "collective_permute",
                                                 "infeed",
                                                 "outfeed",
                                                 "send",
                                                 "recv",
                                                 "collective_broadcast",
                                                 "return",
                                                 "set_dimension_size",
                                                 "composite",
                                                 "partition_id",
                                                 "replica_id"};
  const std::string_view name = op.name.substr(10);
  if (!Converter::Knows(name)) return false;
  if (name == "custom_call") {
    const Attribute* effect = op.Find("has_side_effect");
    return effect == nullptr || (effect->kind == Kind::kBool && effect->integer == 0);
  }
  if (name == "partition_id" || name == "replica_id") return true;
  if (std::find(std::begin(kImpure), std::end(kImpure), name) != std::end(kImpure)) return false;
  for (const Region& region : op.regions) {
    for (const Operation* inner : region.operations) {
      if (!inner->name.ends_with(".return") && !IsPure(*inner)) return false;
    }
  }
  return true;
}

void Simplifier::RemoveDead(Region& region) {
  CountUses(region);
  const std::function<void(Region&)> sweep = [&](Region& r) {
    std::vector<Operation*> kept;
    for (size_t i = r.operations.size(); i-- > 0;) {
      Operation* op = r.operations[i];
      for (Value*& operand : op->operands) operand = Resolve(operand);
      const bool is_used = std::any_of(op->results.begin(), op->results.end(), [&](Value* v) { return Uses(v) > 0; });
      if (!is_used && !op->name.ends_with(".return") && IsPure(*op)) {
        Forget(*op);
        changed_ = true;
        continue;
      }
      for (Region& nested : op->regions) sweep(nested);
      kept.push_back(op);
    }
    std::reverse(kept.begin(), kept.end());
    r.operations = std::move(kept);
  };
  sweep(region);
}

void Simplifier::Forget(const Operation& op) {
  for (Value* operand : op.operands) --Resolve(operand)->uses;
  for (const Region& region : op.regions) {
    for (const Operation* inner : region.operations) Forget(*inner);
  }
}

bool Simplifier::Rewrite(Operation& op) {
  if (WriteOut(op)) return true;
  if (op.name.starts_with("chlo.broadcast_")) return BroadcastOperands(op);
  if (op.name == "chlo.constant" || op.name == "chlo.constant_like") return ConstantLike(op);
  if (!op.name.starts_with("stablehlo.")) return false;
  if (!HasArity(op)) return false;
  const std::string_view name = op.name.substr(10);
  if (name == "constant") return NormalizeConstant(op);
  return Dynamic(op, name) || RewriteOf(op, name) || ZeroExtent(op);
}

// The rules for one kind of op.
bool Simplifier::RewriteOf(Operation& op, std::string_view name) {
  const size_t count = op.operands.size();
  if (count == 2 && op.results.size() == 1 && Binary(op, name)) return true;
  if (count == 1 && op.results.size() == 1 && Unary(op, name)) return true;
  if (name == "compare") return Compare(op);
  if (name == "convert") return Convert(op);
  if (name == "broadcast_in_dim") return BroadcastInDim(op);
  if (name == "reshape") return Reshape(op);
  if (name == "transpose") return Transpose(op);
  if (name == "slice") return Slice(op);
  if (name == "dynamic_slice") return DynamicSlice(op);
  if (name == "dynamic_update_slice") return DynamicUpdateSlice(op);
  if (name == "concatenate") return Concatenate(op);
  if (name == "select") return Select(op);
  if (name == "clamp") return Clamp(op);
  if (name == "get_tuple_element") return TupleElement(op);
  if (name == "get_dimension_size") return DimensionSize(op);
  if (name == "iota") return Iota(op);
  if (name == "reverse") return Reverse(op);
  if (name == "pad") return Pad(op);
  if (name == "gather") return Gather(op);
  if (name == "reduce") return Reduce(op);
  if (name == "sort") return Sort(op);
  if (name == "while") return While(op);
  if (name == "case") return Case(op);
  if (name == "real" || name == "imag") {
    Operation* complex = Def(op.operands[0], "stablehlo.complex");
    return complex != nullptr && Replace(op, complex->operands[name == "real" ? 0 : 1]);
  }
  if (name == "complex") {
    Operation *real = Def(op.operands[0], "stablehlo.real"), *imag = Def(op.operands[1], "stablehlo.imag");
    return real != nullptr && imag != nullptr && real->operands[0] == imag->operands[0] &&
           Replace(op, real->operands[0]);
  }
  if (name == "scatter") {
    // Without an index vector, nothing is scattered.
    const size_t inputs = op.results.size();
    const Attribute* numbers = op.Find("scatter_dimension_numbers");
    if (count < 2 * inputs + 1 || numbers == nullptr) return false;
    const Attribute* vector = numbers->Find("index_vector_dim");
    const DimVector& sizes = op.operands[inputs]->shape().dimensions();
    bool is_empty = false;
    for (size_t d = 0; d < sizes.size(); ++d)
      is_empty |= sizes[d] == 0 && static_cast<int64_t>(d) != (vector == nullptr ? 0 : vector->integer);
    return is_empty && Replace(op, {op.operands.begin(), op.operands.begin() + static_cast<ptrdiff_t>(inputs)});
  }
  return false;
}

// Functions that XLA expands: formula.h.
bool Simplifier::WriteOut(Operation& op) {
  if (op.results.size() != 1 || !op.regions.empty() || op.operands.empty() || op.operands.size() > 2) return false;
  const bool is_chlo = op.name.starts_with("chlo.");
  if (!is_chlo && (op.operands.size() != 1 || !op.name.starts_with("stablehlo."))) return false;
  Value *x = op.operands[0], *y = op.operands.back();
  if (!x->shape().IsArray() || x->shape() != y->shape()) return false;
  const std::string_view name = op.name.substr(op.name.find('.') + 1);
  if (name == "square" && !IsComplex(x->shape().element_type())) return Become(op, "stablehlo.multiply", {x, x});
  E made = op.operands.size() == 1 ? Elementary(name, {this, &op, x}) : E{this, &op, nullptr};
  const bool is_pair = name == "zeta" || name == "polygamma" || name == "next_after";
  if (made.v == nullptr && is_chlo && (op.operands.size() == 2) == is_pair)
    made = Special(name, {this, &op, x}, {this, &op, y});
  return made.v != nullptr && Replace(op, made.v);
}

// Constants of equal elements store one.
bool Simplifier::NormalizeConstant(Operation& op) {
  Attribute* value = nullptr;
  for (auto& [key, attribute] : op.attributes.entries) {
    if (key == "value") value = &attribute;
  }
  if (value == nullptr || value->literal == nullptr) return false;
  const Literal& literal = *value->literal;
  if (literal.shape().rank() == 0 || literal.element_count() == 0 || !literal.IsAllSame()) return false;
  Literal one(Shape::Scalar(literal.shape().element_type()));
  std::copy_n(literal.untyped_data(), StorageBytes(literal.shape().element_type()), one.untyped_data());
  value->literal = std::make_shared<Literal>(std::move(one));
  return true;
}

// Values without elements are empty constants: results where they are used, and operands.
bool Simplifier::ZeroExtent(Operation& op) {
  static constexpr std::string_view kActsOutside[] = {"infeed", "outfeed", "send", "recv"};
  const std::string_view name = op.name.substr(10);
  if (std::find(std::begin(kActsOutside), std::end(kActsOutside), name) != std::end(kActsOutside) ||
      (name == "custom_call" && !IsPure(op)))
    return false;
  const auto is_empty = [](const Value* value) {
    return value->shape().IsArray() && value->shape().IsStatic() && value->shape().ElementCount() == 0;
  };
  const auto empty = [&](const Value* value) { return NewConstant(op, value->shape(), Literal(value->shape())); };
  bool changed = false;
  for (Value* result : op.results) {
    if (!is_empty(result) || Uses(result) == 0 || result->forward != nullptr) continue;
    result->forward = empty(result);
    changed = true;
  }
  for (Value*& operand : op.operands) {
    if (!is_empty(operand) || Constant(operand) != nullptr) continue;
    operand = empty(operand);
    changed = true;
  }
  return changed;
}

void Simplify(Module& module) { Simplifier(module).Run(); }

}  // namespace hloir::stablehlo
