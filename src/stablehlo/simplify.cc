// The simplifications of XLA's converter, so that modules equal XLA's: constants to the right, no-ops removed,
// broadcasts and reshapes joined, integers folded, loop-invariant carries captured instead. Other simplifications are
// passes. The rules are those of StableHLO's canonicalization (StablehloAggressiveSimplification, which XLA runs); the
// tests compare with it.
#include <algorithm>
#include "formula.h"

#include <functional>

namespace hloir::stablehlo {
namespace {

// Ops of StableHLO whose number of operands the rules rely on; they have one result.
struct Arity {
  std::string_view name;
  size_t least, most;
};
constexpr Arity kArities[] = {{"constant", 0, 0},
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
                              {"dynamic_slice", 1, OpKind::kAny},
                              {"dynamic_update_slice", 2, OpKind::kAny},
                              {"concatenate", 1, OpKind::kAny}};

}  // namespace

OpName Module::Name(std::string_view name) {
  OpKind*& kind = kinds_[name];
  if (kind != nullptr) return OpName(kind);
  kind = &kind_pool_.Add();
  const size_t dot = name.find('.');
  const std::string_view dialect = name.substr(0, dot == std::string_view::npos ? 0 : dot);
  kind->name = name;
  kind->base = name.substr(dot + 1);
  kind->index = kind_pool_.size() - 1;
  kind->is_stablehlo = dialect == "stablehlo";
  kind->is_chlo = dialect == "chlo";
  kind->is_return = name.ends_with(".return");
  kind->is_constant = kind->base == "constant" && (kind->is_stablehlo || dialect == "mhlo");
  for (const Arity& arity : kArities) {
    if (arity.name == kind->base)
      kind->least_operands = arity.least, kind->most_operands = arity.most, kind->has_arity = true;
  }
  return OpName(kind);
}

void Simplifier::Run() {
  constexpr int kMostRounds = 16;
  for (Operation* function : module_.root->regions[0].operations) {
    if (function->name != "func.func" || function->regions.empty()) continue;
    AddUses(function->regions[0]);
    for (round_ = 0; round_ < kMostRounds; ++round_) {  // the end of each leaves the uses counted
      changed_ = round_ == 0;
      Visit(function->regions[0]);
      RemoveDead(function->regions[0]);
      if (!changed_) break;
    }
  }
}

bool Simplifier::HasArity(const Operation& op) {
  const OpKind& kind = *op.name.operator->();
  return !kind.has_arity || (op.operands.size() >= kind.least_operands && op.operands.size() <= kind.most_operands &&
                             op.results.size() == 1);
}

const Attribute* Simplifier::Constant(const Value* value) {
  if (value->op == nullptr || !value->op->name->is_constant || !value->op->name->is_stablehlo) return nullptr;
  const Attribute* constant = value->op->Find("value");
  const bool fits = constant != nullptr && constant->literal != nullptr && constant->type->Compatible(value->shape());
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

Operation& Simplifier::New(std::string_view name, const Operation& like, Values operands, const Shape& shape) {
  Operation& op = module_.operations.Add();
  op.name = module_.Name(name);
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
  attribute.kind = Kind::kIntegers;
  attribute.integers = values;
  return attribute;
}

void Simplifier::Set(Operation& op, std::string_view name, Attribute value) {
  for (auto& [key, old] : op.attributes.entries) {
    if (key == name) return void(old = std::move(value));
  }
  op.attributes.entries.emplace_back(name, std::move(value));
}

DimVector Simplifier::IntsOf(const Attribute& attribute) {
  if (attribute.kind == Kind::kIntegers) return attribute.integers;
  DimVector values;
  if (attribute.literal != nullptr) {
    const int64_t count = std::min<int64_t>(attribute.type->ElementCount(), 1 << 16);
    const bool is_splat = attribute.literal->element_count() == 1;
    if (!IsIntegerType(attribute.literal->shape().element_type())) return values;
    for (int64_t i = 0; i < count; ++i) values.push_back(attribute.literal->GetAsInt64(is_splat ? 0 : i));
  }
  for (const Attribute& element : attribute.elements) values.push_back(element.integer);
  return values;
}

DimVector Simplifier::GetInts(const Operation& op, std::string_view name) {
  const Attribute* attribute = op.Find(name);
  return attribute == nullptr ? DimVector() : IntsOf(*attribute);
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
  op.name = module_.Name(name);
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
  if (op.name->is_chlo) return true;
  if (!op.name->is_stablehlo) return false;
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
  const std::string_view name = op.name->base;
  if (!Converter::Knows(name)) return false;
  if (name == "custom_call") {
    const Attribute* effect = op.Find("has_side_effect");
    return effect == nullptr || (effect->kind == Kind::kBool && effect->integer == 0);
  }
  if (name == "partition_id" || name == "replica_id") return true;
  if (std::find(std::begin(kImpure), std::end(kImpure), name) != std::end(kImpure)) return false;
  for (const Region& region : op.regions) {
    for (const Operation* inner : region.operations) {
      if (!inner->name->is_return && !IsPure(*inner)) return false;
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
      if (!is_used && !op->name->is_return && IsPure(*op)) {
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
  const Rules& rules = RulesOf(op.name);
  if (rules.may_be_written_out && WriteOut(op)) return true;
  if (op.name->is_chlo && op.name->base.starts_with("broadcast_")) return BroadcastOperands(op);
  if (op.name == "chlo.constant" || op.name == "chlo.constant_like") return ConstantLike(op);
  if (!op.name->is_stablehlo || !HasArity(op)) return false;
  if (op.name->is_constant) return NormalizeConstant(op);
  if (rules.is_dynamic && Dynamic(op, op.name->base)) return true;
  const size_t count = op.operands.size();
  if (count == 2 && op.results.size() == 1 && Binary(op, op.name->base)) return true;
  if (count == 1 && op.results.size() == 1 && Unary(op, op.name->base)) return true;
  return (rules.own != nullptr && (this->*rules.own)(op)) || ZeroExtent(op);
}

const Simplifier::Rules& Simplifier::RulesOf(OpName name) {
  using S = Simplifier;
  static constexpr std::pair<std::string_view, Rule> kRules[] = {{"compare", &S::Compare},
                                                                 {"convert", &S::Convert},
                                                                 {"broadcast_in_dim", &S::BroadcastInDim},
                                                                 {"reshape", &S::Reshape},
                                                                 {"transpose", &S::Transpose},
                                                                 {"slice", &S::Slice},
                                                                 {"dynamic_slice", &S::DynamicSlice},
                                                                 {"dynamic_update_slice", &S::DynamicUpdateSlice},
                                                                 {"concatenate", &S::Concatenate},
                                                                 {"select", &S::Select},
                                                                 {"clamp", &S::Clamp},
                                                                 {"get_tuple_element", &S::TupleElement},
                                                                 {"get_dimension_size", &S::DimensionSize},
                                                                 {"iota", &S::Iota},
                                                                 {"reverse", &S::Reverse},
                                                                 {"pad", &S::Pad},
                                                                 {"gather", &S::Gather},
                                                                 {"reduce", &S::Reduce},
                                                                 {"sort", &S::Sort},
                                                                 {"while", &S::While},
                                                                 {"case", &S::Case},
                                                                 {"real", &S::ComplexPart},
                                                                 {"imag", &S::ComplexPart},
                                                                 {"complex", &S::Complex},
                                                                 {"scatter", &S::Scatter}};
  if (name->index >= rules_.size()) rules_.resize(name->index + 1);
  Rules& rules = rules_[name->index];
  if (rules.is_known) return rules;
  rules.is_known = true;
  rules.may_be_written_out = name->is_chlo || (name->is_stablehlo && IsElementary(name->base));
  rules.is_dynamic = name->base.find("dynamic_") != std::string_view::npos || name->base == "custom_call";
  for (const auto& [base, rule] : kRules) {
    if (name->base == base) rules.own = rule;
  }
  return rules;
}

bool Simplifier::ComplexPart(Operation& op) {
  Operation* complex = Def(op.operands[0], "stablehlo.complex");
  return complex != nullptr && Replace(op, complex->operands[op.name->base == "real" ? 0 : 1]);
}

bool Simplifier::Complex(Operation& op) {
  Operation *real = Def(op.operands[0], "stablehlo.real"), *imag = Def(op.operands[1], "stablehlo.imag");
  return real != nullptr && imag != nullptr && real->operands[0] == imag->operands[0] && Replace(op, real->operands[0]);
}

// Without an index vector, nothing is scattered.
bool Simplifier::Scatter(Operation& op) {
  const size_t inputs = op.results.size();
  const Attribute* numbers = op.Find("scatter_dimension_numbers");
  if (op.operands.size() < 2 * inputs + 1 || numbers == nullptr) return false;
  const Attribute* vector = numbers->Find("index_vector_dim");
  const DimVector& sizes = op.operands[inputs]->shape().dimensions();
  bool is_empty = false;
  for (size_t d = 0; d < sizes.size(); ++d)
    is_empty |= sizes[d] == 0 && static_cast<int64_t>(d) != (vector == nullptr ? 0 : vector->integer);
  return is_empty && Replace(op, {op.operands.begin(), op.operands.begin() + static_cast<ptrdiff_t>(inputs)});
}

// Functions that XLA expands: formula.h.
bool Simplifier::WriteOut(Operation& op) {
  if (op.results.size() != 1 || !op.regions.empty() || op.operands.empty() || op.operands.size() > 2) return false;
  const bool is_chlo = op.name->is_chlo;
  if (!is_chlo && op.operands.size() != 1) return false;
  Value *x = op.operands[0], *y = op.operands.back();
  if (!x->shape().IsArray() || x->shape() != y->shape()) return false;
  const std::string_view name = op.name->base;
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
  const auto is_empty = [](const Value* value) {
    return value->shape().IsArray() && Contains(value->shape().dimensions(), 0) && value->shape().IsStatic();
  };
  if (std::none_of(op.results.begin(), op.results.end(), is_empty) &&
      std::none_of(op.operands.begin(), op.operands.end(), is_empty))
    return false;
  static constexpr std::string_view kActsOutside[] = {"infeed", "outfeed", "send", "recv"};
  const std::string_view name = op.name->base;
  if (std::find(std::begin(kActsOutside), std::end(kActsOutside), name) != std::end(kActsOutside) ||
      (name == "custom_call" && !IsPure(op)))
    return false;
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

E E::Make(std::string_view name, std::initializer_list<Value*> operands, const Shape& shape) const {
  return {s, like, s->New(name, *like, Values(operands), shape).results[0]};
}
E E::Unary(std::string_view name) const { return Make(name, {v}, v->shape()); }
E E::Binary(std::string_view name, E y) const { return Make(name, {v, y.v}, v->shape()); }
E E::Full(double value) const {
  Literal one(Shape::Scalar(type()));
  one.SetFromDouble(0, value);
  return {s, like, s->NewConstant(*like, Of(type()), std::move(one))};
}

E operator+(E x, E y) { return x.Binary("stablehlo.add", y); }
E operator-(E x, E y) { return x.Binary("stablehlo.subtract", y); }
E operator*(E x, E y) { return x.Binary("stablehlo.multiply", y); }
E operator/(E x, E y) { return x.Binary("stablehlo.divide", y); }
E operator+(E x, double y) { return x + x.Full(y); }
E operator-(E x, double y) { return x - x.Full(y); }
E operator*(E x, double y) { return x * x.Full(y); }
E operator/(E x, double y) { return x / x.Full(y); }
E operator-(double x, E y) { return y.Full(x) - y; }
E operator/(double x, E y) { return y.Full(x) / y; }
E operator-(E x) { return x.Unary("stablehlo.negate"); }

void Simplify(Module& module) { Simplifier(module).Run(); }

}  // namespace hloir::stablehlo
