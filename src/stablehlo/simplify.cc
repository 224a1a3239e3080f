// What XLA's converter simplifies before it converts, so that a module read here is the one that XLA makes: constants
// to the right, no-ops gone, broadcasts and reshapes joined, integers folded, what a loop passes on unchanged captured
// instead. It is a part of what a StableHLO text means to XLA's users, and no place for further ideas: those are
// passes. Rules are those of StableHLO's canonicalization (StablehloAggressiveSimplification, which XLA runs), to which
// the tests compare.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "convert.h"

namespace hloir::stablehlo {
namespace {

using Kind = Attribute::Kind;

class Simplifier {
 public:
  explicit Simplifier(Module& module) : module_(module) {}

  void Run() {
    constexpr int kMostRounds = 16;
    for (Operation* function : module_.root->regions[0].operations) {
      if (function->name != "func.func" || function->regions.empty()) continue;
      for (int round = 0; round < kMostRounds; ++round) {
        changed_ = false;
        uses_.clear();
        CountUses(function->regions[0]);
        Visit(function->regions[0]);
        RemoveDead(function->regions[0]);
        if (!changed_) break;
      }
    }
  }

 private:
  // ---- Values ----
  Value* Resolve(Value* value) const {
    for (auto found = forward_.find(value); found != forward_.end(); found = forward_.find(value))
      value = found->second;
    return value;
  }
  // Rules count on operands and results; what has others is left for the converter to refuse.
  static bool HasArity(const Operation& op) {
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
                                         {"imag", 1, 1},
                                         {"complex", 2, 2},
                                         {"compare", 2, 2},
                                         {"pad", 2, 2},
                                         {"gather", 2, 2},
                                         {"select", 3, 3},
                                         {"dynamic_slice", 1, kAny},
                                         {"dynamic_update_slice", 2, kAny},
                                         {"concatenate", 1, kAny}};
    for (const Arity& arity : kArities) {
      if (op.name.substr(op.name.find('.') + 1) == arity.name)
        return op.operands.size() >= arity.least && op.operands.size() <= arity.most && op.results.size() == 1;
    }
    return true;
  }
  static const Attribute* Constant(const Value* value) {
    if (value->op == nullptr || value->op->name != "stablehlo.constant") return nullptr;
    const Attribute* constant = value->op->Find("value");
    const bool fits =
        constant != nullptr && constant->literal != nullptr && constant->type.shape.Compatible(value->shape);
    return fits ? constant : nullptr;
  }
  static Operation* Def(const Value* value, std::string_view name) {
    return value->op != nullptr && value->op->name == name && HasArity(*value->op) ? value->op : nullptr;
  }
  // A constant of one value, whatever its shape; its literal has one element.
  static const Literal* Splat(const Value* value) {
    const Attribute* constant = Constant(value);
    return constant != nullptr && constant->literal->element_count() == 1 ? constant->literal.get() : nullptr;
  }
  static bool IsIntegerType(PrimitiveType type) { return IsInteger(type) || type == PrimitiveType::PRED; }
  static bool IsSplatOf(const Value* value, int64_t number, bool integers_only = false) {
    const Literal* literal = Splat(value);
    if (literal == nullptr) return false;
    const PrimitiveType type = literal->shape().element_type();
    if (IsIntegerType(type)) return literal->GetAsInt64(0) == number;
    return !integers_only && IsFloat(type) && literal->GetAsDouble(0) == static_cast<double>(number);
  }
  static bool IsAllOnes(const Value* value) {
    const Literal* literal = Splat(value);
    if (literal == nullptr) return false;
    const PrimitiveType type = literal->shape().element_type();
    if (type == PrimitiveType::PRED) return literal->GetAsInt64(0) == 1;
    if (!IsInteger(type)) return false;
    const int bits = BitWidth(type);
    const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    return (static_cast<uint64_t>(literal->GetAsInt64(0)) & mask) == mask;
  }
  int64_t Uses(const Value* value) const {
    const auto found = uses_.find(value);
    return found == uses_.end() ? 0 : found->second;
  }

  // ---- Making ops ----
  Operation& New(std::string_view name, const Operation& like, std::vector<Value*> operands, const Shape& shape) {
    Operation& op = module_.operations.emplace_back();
    op.name = name;
    op.offset = like.offset;
    op.location = like.location;
    op.parent = like.parent;
    op.operands = std::move(operands);
    op.attributes.kind = Kind::kDictionary;
    op.results.push_back(&module_.values.emplace_back(Value{shape, &op, 0, like.offset}));
    before_->push_back(&op);
    return op;
  }
  static Attribute Ints(const DimVector& values) {
    Attribute attribute;
    attribute.kind = Kind::kArray;
    for (int64_t value : values) {
      Attribute& element = attribute.elements.emplace_back();
      element.kind = Kind::kInteger;
      element.integer = value;
    }
    return attribute;
  }
  static void Set(Operation& op, std::string_view name, Attribute value) {
    for (auto& [key, old] : op.attributes.entries) {
      if (key == name) return void(old = std::move(value));
    }
    op.attributes.entries.push_back({name, std::move(value)});
  }
  static DimVector GetInts(const Operation& op, std::string_view name) {
    DimVector values;
    const Attribute* attribute = op.Find(name);
    if (attribute == nullptr) return values;
    if (attribute->literal != nullptr) {
      const int64_t count = std::min<int64_t>(attribute->type.shape.ElementCount(), 1 << 16);
      const bool is_splat = attribute->literal->element_count() == 1;
      if (!IsIntegerType(attribute->literal->shape().element_type())) return values;
      for (int64_t i = 0; i < count; ++i) values.push_back(attribute->literal->GetAsInt64(is_splat ? 0 : i));
    }
    for (const Attribute& element : attribute->elements) values.push_back(element.integer);
    return values;
  }
  static int64_t GetInt(const Operation& op, std::string_view name) {
    const Attribute* attribute = op.Find(name);
    return attribute == nullptr ? 0 : attribute->integer;
  }
  // `literal`: of one element, or of `shape`.
  Value* NewConstant(const Operation& like, const Shape& shape, Literal literal) {
    Operation& op = New("stablehlo.constant", like, {}, shape);
    Attribute value;
    value.kind = Kind::kDense;
    value.type.shape = shape;
    value.literal = std::make_shared<Literal>(std::move(literal));
    Set(op, "value", std::move(value));
    return op.results[0];
  }
  Value* NewInteger(const Operation& like, const Shape& shape, int64_t value) {
    return NewConstant(like, shape, Literal::Scalar(shape.element_type(), value));
  }

  // The op is gone; its results are `values`.
  bool Replace(Operation& op, const std::vector<Value*>& values) {
    for (size_t i = 0; i < op.results.size(); ++i) {
      if (!op.results[i]->shape.Compatible(values[i]->shape)) return false;
    }
    for (size_t i = 0; i < op.results.size(); ++i) forward_[op.results[i]] = values[i];
    op.name = {};
    return true;
  }
  bool Replace(Operation& op, Value* value) { return Replace(op, std::vector<Value*>{value}); }
  // The op is another one now.
  bool Become(Operation& op, std::string_view name, std::vector<Value*> operands) {
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

  // ---- Walking ----
  void CountUses(const Region& region) {
    for (const Operation* op : region.operations) {
      for (Value* operand : op->operands) ++uses_[Resolve(operand)];
      for (const Region& nested : op->regions) CountUses(nested);
    }
  }

  void Visit(Region& region) {
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

  static bool IsPure(const Operation& op) {
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

  void RemoveDead(Region& region) {
    uses_.clear();
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
  void Forget(const Operation& op) {
    for (Value* operand : op.operands) --uses_[Resolve(operand)];
    for (const Region& region : op.regions) {
      for (const Operation* inner : region.operations) Forget(*inner);
    }
  }

  // ---- Rules ----
  bool Rewrite(Operation& op) {
    if (op.name == "chlo.square" && op.operands.size() == 1)
      return Become(op, "stablehlo.multiply", {op.operands[0], op.operands[0]});
    if (!op.name.starts_with("stablehlo.")) return false;
    if (!HasArity(op)) return false;
    const std::string_view name = op.name.substr(10);
    if (name == "constant") return NormalizeConstant(op);
    if (ZeroExtent(op, name)) return true;
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
      const size_t inputs = op.results.size();
      if (count < 2 * inputs + 1) return false;
      for (size_t i = inputs + 1; i < count; ++i) {
        if (op.operands[i]->shape.ElementCount() != 0) return false;
      }
      return Replace(op, {op.operands.begin(), op.operands.begin() + static_cast<ptrdiff_t>(inputs)});
    }
    return false;
  }

  // Constants whose elements are all the same have one.
  bool NormalizeConstant(Operation& op) {
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

  // What has no elements is an empty constant.
  bool ZeroExtent(Operation& op, std::string_view name) {
    if (name == "return" || !IsPure(op) || !op.regions.empty()) return false;
    if (op.results.size() == 1 && op.results[0]->shape.IsArray() && op.results[0]->shape.ElementCount() == 0)
      return Replace(op, NewConstant(op, op.results[0]->shape, Literal(op.results[0]->shape)));
    return false;
  }

  std::optional<int64_t> FoldInteger(std::string_view name, PrimitiveType type, int64_t a, int64_t b) {
    const bool is_unsigned = IsUnsigned(type) || type == PrimitiveType::PRED;
    const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
    const bool pred = type == PrimitiveType::PRED;
    if (name == "add") return pred ? (a | b) : static_cast<int64_t>(ua + ub);
    if (name == "subtract" && !pred) return static_cast<int64_t>(ua - ub);
    if (name == "multiply") return pred ? (a & b) : static_cast<int64_t>(ua * ub);
    if (name == "maximum") return is_unsigned ? (ua > ub ? a : b) : std::max(a, b);
    if (name == "minimum") return is_unsigned ? (ua < ub ? a : b) : std::min(a, b);
    if ((name == "divide" || name == "remainder") && b != 0 && !pred && !(a == INT64_MIN && b == -1)) {
      if (is_unsigned) return static_cast<int64_t>(name == "divide" ? ua / ub : ua % ub);
      return name == "divide" ? a / b : a % b;
    }
    if (name == "and") return a & b;
    if (name == "or") return a | b;
    return std::nullopt;
  }

  // In double precision, and rounded: once, as the sum, product or quotient of two narrower numbers needs no more.
  static std::optional<double> FoldFloat(std::string_view name, double a, double b) {
    if (name == "add") return a + b;
    if (name == "subtract") return a - b;
    if (name == "multiply") return a * b;
    if (name == "divide") return a / b;
    if (name == "maximum" && a == a && b == b) return a >= b ? a : b;
    if (name == "minimum" && a == a && b == b) return a <= b ? a : b;
    if (name == "remainder") return std::fmod(a, b);
    return std::nullopt;
  }

  bool Binary(Operation& op, std::string_view name) {
    static constexpr std::string_view kCommutative[] = {"add", "and", "maximum", "minimum", "multiply", "or", "xor"};
    Value *&x = op.operands[0], *&y = op.operands[1];
    if (x->shape != y->shape || !x->shape.SameDimensions(op.results[0]->shape)) return false;
    if (std::find(std::begin(kCommutative), std::end(kCommutative), name) != std::end(kCommutative) &&
        Constant(x) != nullptr && Constant(y) == nullptr) {
      std::swap(x, y);
      return true;
    }
    const Shape& shape = op.results[0]->shape;
    const bool is_integer = IsIntegerType(shape.element_type());
    if (is_integer && Splat(x) != nullptr && Splat(y) != nullptr && x->shape.element_type() == shape.element_type()) {
      const std::optional<int64_t> folded =
          FoldInteger(name, shape.element_type(), Splat(x)->GetAsInt64(0), Splat(y)->GetAsInt64(0));
      if (folded.has_value()) return Replace(op, NewInteger(op, shape, *folded));
    }
    if (IsFloat(shape.element_type()) && Splat(x) != nullptr && Splat(y) != nullptr) {
      const std::optional<double> folded = FoldFloat(name, Splat(x)->GetAsDouble(0), Splat(y)->GetAsDouble(0));
      Literal literal(Shape::Scalar(shape.element_type()));
      if (folded.has_value()) {
        literal.SetFromDouble(0, *folded);
        return Replace(op, NewConstant(op, shape, std::move(literal)));
      }
    }
    if (name == "add" || name == "subtract") {
      if (IsSplatOf(y, 0)) return Replace(op, x);
      if (name == "subtract" && x == y && is_integer) return Replace(op, NewInteger(op, shape, 0));
    } else if (name == "multiply") {
      if (IsSplatOf(y, 0, true)) return Replace(op, y);
      if (IsSplatOf(y, 1)) return Replace(op, x);
    } else if (name == "and") {
      if (IsSplatOf(y, 0, true)) return Replace(op, y);
      if (IsAllOnes(y)) return Replace(op, x);
    } else if (name == "or") {
      if (IsAllOnes(y)) return Replace(op, y);
      if (IsSplatOf(y, 0, true)) return Replace(op, x);
    } else if (name == "xor") {
      if (x == y) return Replace(op, NewInteger(op, shape, 0));
      if (IsSplatOf(y, 0, true)) return Replace(op, x);
    }
    return false;
  }

  // As XLA's converter computes them: in the type itself, by the standard library.
  template <class T>
  static std::optional<T> FoldFunction(std::string_view name, T x) {
    if (name == "negate") return -x;
    if (name == "abs") return std::fabs(x);
    if (name == "sign") return x != x ? x : x > 0 ? T{1} : x < 0 ? T{-1} : x;
    if (name == "sqrt") return std::sqrt(x);
    if (name == "rsqrt") return T{1} / std::sqrt(x);
    if (name == "exponential") return std::exp(x);
    if (name == "log") return std::log(x);
    if (name == "sine") return std::sin(x);
    if (name == "cosine") return std::cos(x);
    if (name == "tan") return std::tan(x);
    if (name == "tanh") return std::tanh(x);
    if (name == "logistic") return T{1} / (T{1} + std::exp(-x));
    if (name == "round_nearest_afz") return std::round(x);
    return std::nullopt;
  }

  bool Unary(Operation& op, std::string_view name) {
    const Literal* x = Splat(op.operands[0]);
    const Shape& shape = op.results[0]->shape;
    if (x == nullptr || !shape.IsArray() || !shape.SameDimensions(op.operands[0]->shape)) return false;
    const PrimitiveType type = shape.element_type();
    Literal result(Shape::Scalar(type));
    if (IsFloat(type) && x->shape().element_type() == type) {
      const double value = x->GetAsDouble(0);
      std::optional<double> folded;
      if (type == PrimitiveType::F64) folded = FoldFunction(name, value);
      else if (type == PrimitiveType::F32) folded = FoldFunction(name, static_cast<float>(value));
      else if (name == "negate" || name == "abs" || name == "sign") folded = FoldFunction(name, value);
      if (!folded.has_value()) return false;
      result.SetFromDouble(0, *folded);
    } else if (IsSigned(type) && name == "negate") {
      result.SetFromInt64(0, static_cast<int64_t>(0 - static_cast<uint64_t>(x->GetAsInt64(0))));
    } else if (type == PrimitiveType::PRED && name == "not") {
      result.SetFromInt64(0, x->GetAsInt64(0) == 0);
    } else {
      return false;
    }
    return Replace(op, NewConstant(op, shape, std::move(result)));
  }

  bool Compare(Operation& op) {
    Attribute* direction = nullptr;
    for (auto& [key, attribute] : op.attributes.entries) {
      if (key == "comparison_direction") direction = &attribute;
    }
    Value *&x = op.operands[0], *&y = op.operands[1];
    if (direction == nullptr || op.results[0]->shape.element_type() != PrimitiveType::PRED || x->shape != y->shape ||
        !x->shape.SameDimensions(op.results[0]->shape))
      return false;
    std::string& d = direction->text;
    const PrimitiveType type = x->shape.element_type();
    const Shape& shape = op.results[0]->shape;
    if (type == PrimitiveType::PRED) {
      if ((d == "NE" && IsSplatOf(y, 0)) || (d == "EQ" && IsSplatOf(y, 1))) return Replace(op, x);
    }
    if (IsIntegerType(type) && x == y) return Replace(op, NewInteger(op, shape, d == "EQ" || d == "LE" || d == "GE"));
    if (IsIntegerType(type) && Constant(x) != nullptr && Constant(y) == nullptr) {
      std::swap(x, y);
      if (d == "GE") d = "LE";
      else if (d == "LE") d = "GE";
      else if (d == "GT") d = "LT";
      else if (d == "LT") d = "GT";
      return true;
    }
    if (IsIntegerType(type) && Splat(x) != nullptr && Splat(y) != nullptr) {
      const int64_t a = Splat(x)->GetAsInt64(0), b = Splat(y)->GetAsInt64(0);
      const bool is_unsigned = !IsSigned(type);
      const bool less = is_unsigned ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
      const bool result = d == "EQ"   ? a == b
                          : d == "NE" ? a != b
                          : d == "LT" ? less
                          : d == "LE" ? less || a == b
                          : d == "GT" ? !less && a != b
                                      : !less;
      return Replace(op, NewInteger(op, shape, result));
    }
    if (IsFloat(type) && Splat(x) != nullptr && Splat(y) != nullptr) {
      const Attribute* order = op.Find("compare_type");
      if (order != nullptr && order->text == "TOTALORDER") return false;
      const double a = Splat(x)->GetAsDouble(0), b = Splat(y)->GetAsDouble(0);
      const bool result = d == "EQ"   ? a == b
                          : d == "NE" ? a != b
                          : d == "LT" ? a < b
                          : d == "LE" ? a <= b
                          : d == "GT" ? a > b
                                      : a >= b;
      return Replace(op, NewInteger(op, shape, result));
    }
    return false;
  }

  bool Convert(Operation& op) {
    Value* x = op.operands[0];
    const Shape& shape = op.results[0]->shape;
    if (x->shape == shape) return Replace(op, x);
    const Attribute* constant = Constant(x);
    if (constant == nullptr || !x->shape.SameDimensions(shape)) return false;
    const PrimitiveType from = x->shape.element_type(), to = shape.element_type();
    if (!(IsIntegerType(from) || IsFloat(from)) || !(IsIntegerType(to) || IsFloat(to))) return false;
    return Replace(op, NewConstant(op, shape, constant->literal->Convert(to)));
  }

  bool BroadcastInDim(Operation& op) {
    Value* x = op.operands[0];
    const Shape& shape = op.results[0]->shape;
    const DimVector dims = GetInts(op, "broadcast_dimensions");
    if (static_cast<int64_t>(dims.size()) != x->shape.rank() || !shape.IsStatic()) return false;
    for (int64_t d : dims) {
      if (d < 0 || d >= shape.rank()) return false;
    }
    bool is_iota = true;
    for (size_t i = 0; i < dims.size(); ++i) is_iota &= dims[i] == static_cast<int64_t>(i);
    if (is_iota && x->shape == shape) return Replace(op, x);
    if (const Literal* splat = Splat(x)) return Replace(op, NewConstant(op, shape, Literal(*splat)));
    if (Operation* inner = Def(x, "stablehlo.broadcast_in_dim")) {
      // (One that only adds dimensions of size 1 will be a reshape.)
      const DimVector inner_dims = GetInts(*inner, "broadcast_dimensions");
      const Value* from = inner->operands[0];
      if (!std::is_sorted(inner_dims.begin(), inner_dims.end()) ||
          from->shape.ElementCount() != x->shape.ElementCount()) {
        DimVector merged;
        for (int64_t d : inner_dims) {
          if (d < 0 || d >= static_cast<int64_t>(dims.size())) return false;
          merged.push_back(dims[static_cast<size_t>(d)]);
        }
        op.operands[0] = inner->operands[0];
        Set(op, "broadcast_dimensions", Ints(merged));
        return true;
      }
    }
    const bool is_sorted = std::is_sorted(dims.begin(), dims.end());
    const bool same_count = shape.ElementCount() == x->shape.ElementCount();
    if (same_count && is_sorted) return Become(op, "stablehlo.reshape", {x});
    if (same_count && shape.rank() == x->shape.rank()) {
      DimVector permutation(dims.size());
      for (size_t i = 0; i < dims.size(); ++i) permutation[static_cast<size_t>(dims[i])] = static_cast<int64_t>(i);
      Become(op, "stablehlo.transpose", {x});
      Set(op, "permutation", Ints(permutation));
      return true;
    }
    return false;
  }

  bool Reshape(Operation& op) {
    Value* x = op.operands[0];
    const Shape& shape = op.results[0]->shape;
    if (x->shape == shape) return Replace(op, x);
    if (Operation* inner = Def(x, "stablehlo.reshape")) {
      op.operands[0] = inner->operands[0];
      return true;
    }
    const Attribute* constant = Constant(x);
    if (constant == nullptr || shape.ElementCount() != x->shape.ElementCount() || IsComplex(shape.element_type()))
      return false;
    Literal literal(*constant->literal);
    if (literal.element_count() != 1 || literal.shape().rank() != 0) literal.set_shape_layout(shape);
    return Replace(op, NewConstant(op, shape, std::move(literal)));
  }

  bool Transpose(Operation& op) {
    Value* x = op.operands[0];
    const DimVector permutation = GetInts(op, "permutation");
    if (static_cast<int64_t>(permutation.size()) != x->shape.rank()) return false;
    bool is_iota = true;
    for (size_t i = 0; i < permutation.size(); ++i) {
      if (permutation[i] < 0 || permutation[i] >= x->shape.rank()) return false;
      is_iota &= permutation[i] == static_cast<int64_t>(i);
    }
    if (is_iota) return Replace(op, x);
    if (const Literal* splat = Splat(x)) return Replace(op, NewConstant(op, op.results[0]->shape, Literal(*splat)));
    if (Constant(x) != nullptr && !IsComplex(x->shape.element_type())) return TransposeConstant(op, permutation);
    if (Operation* inner = Def(x, "stablehlo.transpose")) {
      const DimVector first = GetInts(*inner, "permutation");
      if (first.size() != permutation.size()) return false;
      DimVector merged;
      for (int64_t p : permutation) merged.push_back(first[static_cast<size_t>(p)]);
      op.operands[0] = inner->operands[0];
      Set(op, "permutation", Ints(merged));
      return true;
    }
    int64_t last = -1;
    for (int64_t p : permutation) {
      if (x->shape.dimensions(p) == 1) continue;
      if (p < last) return false;
      last = p;
    }
    return Become(op, "stablehlo.reshape", {x});
  }

  bool TransposeConstant(Operation& op, const DimVector& permutation) {
    const Literal& from = *Constant(op.operands[0])->literal;
    const Shape& shape = op.results[0]->shape;
    const auto rank = permutation.size();
    DimVector strides(rank, 1), steps(rank), index(rank);
    for (size_t i = rank - 1; i > 0; --i)
      strides[i - 1] = strides[i] * from.shape().dimensions(static_cast<int64_t>(i));
    for (size_t i = 0; i < rank; ++i) {
      if (shape.dimensions(static_cast<int64_t>(i)) != from.shape().dimensions(permutation[i])) return false;
      steps[i] = strides[static_cast<size_t>(permutation[i])];
    }
    Literal to(shape);
    const auto width = static_cast<size_t>(StorageBytes(shape.element_type()));
    int64_t at = 0;
    for (int64_t i = 0; i < to.element_count(); ++i) {
      std::memcpy(to.untyped_data() + static_cast<size_t>(i) * width,
                  from.untyped_data() + static_cast<size_t>(at) * width, width);
      for (size_t d = rank; d-- > 0;) {
        at += steps[d];
        if (++index[d] < shape.dimensions(static_cast<int64_t>(d))) break;
        at -= steps[d] * index[d];
        index[d] = 0;
      }
    }
    return Replace(op, NewConstant(op, shape, std::move(to)));
  }

  // Constants side by side, if there are few elements.
  bool ConcatenateConstants(Operation& op, int64_t dimension) {
    constexpr int64_t kMostElements = 65536;
    const Shape& shape = op.results[0]->shape;
    if (shape.ElementCount() > kMostElements) return false;
    for (const Value* operand : op.operands) {
      if (Constant(operand) == nullptr) return false;
    }
    Literal joined(shape);
    const auto width = static_cast<size_t>(StorageBytes(shape.element_type()));
    int64_t outer = 1;
    for (int64_t d = 0; d < dimension; ++d) outer *= shape.dimensions(d);
    std::byte* to = joined.untyped_data();
    const std::byte* end = to + joined.size_bytes();
    for (int64_t i = 0; i < outer; ++i) {
      for (const Value* operand : op.operands) {
        const Literal& part = *Constant(operand)->literal;
        const auto inner = static_cast<size_t>(operand->shape.ElementCount() / std::max<int64_t>(outer, 1));
        const bool is_splat = part.element_count() == 1;
        if (static_cast<size_t>(end - to) < inner * width) return false;
        for (size_t k = 0; k < inner; ++k, to += width)
          std::memcpy(to, part.untyped_data() + (is_splat ? 0 : static_cast<size_t>(i) * inner + k) * width, width);
      }
    }
    return to == end && Replace(op, NewConstant(op, shape, std::move(joined)));
  }

  bool Slice(Operation& op) {
    Value* x = op.operands[0];
    const Shape& shape = op.results[0]->shape;
    if (x->shape == shape) return Replace(op, x);
    if (const Literal* splat = Splat(x)) return Replace(op, NewConstant(op, shape, Literal(*splat)));
    Operation* concat = Def(x, "stablehlo.concatenate");
    const DimVector start = GetInts(op, "start_indices"), limit = GetInts(op, "limit_indices");
    if (concat == nullptr || static_cast<int64_t>(start.size()) != shape.rank() || start.size() != limit.size())
      return false;
    const int64_t dimension = GetInt(*concat, "dimension");
    if (dimension < 0 || dimension >= shape.rank()) return false;
    const auto d = static_cast<size_t>(dimension);
    for (const Value* part : concat->operands) {
      if (part->shape.rank() != shape.rank()) return false;
    }
    int64_t running = 0, front = 0;
    size_t first = concat->operands.size(), last = first;
    for (size_t i = 0; i < concat->operands.size(); ++i) {
      const int64_t size = concat->operands[i]->shape.dimensions(dimension);
      if (running + size > start[d] && first == concat->operands.size()) first = i, front = running;
      if (running < limit[d]) last = i + 1;
      running += size;
    }
    if (first >= last || last - first == concat->operands.size()) return false;
    if (last - first > 1 && Uses(x) != 1) return false;
    Shape joined = x->shape;
    int64_t size = 0;
    for (size_t i = first; i < last; ++i) size += concat->operands[i]->shape.dimensions(dimension);
    joined.set_dimension(dimension, size);
    Operation& shorter = New("stablehlo.concatenate", *concat,
                             {concat->operands.begin() + static_cast<ptrdiff_t>(first),
                              concat->operands.begin() + static_cast<ptrdiff_t>(last)},
                             joined);
    Attribute dim;
    dim.kind = Kind::kInteger;
    dim.integer = dimension;
    Set(shorter, "dimension", std::move(dim));
    DimVector new_start = start, new_limit = limit;
    new_start[d] -= front, new_limit[d] -= front;
    op.operands[0] = last - first == 1 ? concat->operands[first] : shorter.results[0];
    Set(op, "start_indices", Ints(new_start));
    Set(op, "limit_indices", Ints(new_limit));
    return true;
  }

  bool DynamicSlice(Operation& op) {
    Value* x = op.operands[0];
    const DimVector sizes = GetInts(op, "slice_sizes");
    if (static_cast<int64_t>(sizes.size()) != x->shape.rank() || op.operands.size() != sizes.size() + 1 ||
        !x->shape.IsStatic())
      return false;
    DimVector start, limit, strides;
    for (size_t i = 0; i < sizes.size(); ++i) {
      const Literal* index = Splat(op.operands[i + 1]);
      if (index == nullptr || sizes[i] > x->shape.dimensions(static_cast<int64_t>(i))) return false;
      // As signed, whatever the type says.
      const int64_t at =
          std::clamp<int64_t>(index->GetAsInt64(0), 0, x->shape.dimensions(static_cast<int64_t>(i)) - sizes[i]);
      start.push_back(at), limit.push_back(at + sizes[i]), strides.push_back(1);
    }
    Become(op, "stablehlo.slice", {x});
    Set(op, "start_indices", Ints(start));
    Set(op, "limit_indices", Ints(limit));
    Set(op, "strides", Ints(strides));
    return true;
  }

  bool DynamicUpdateSlice(Operation& op) {
    if (op.operands.size() < 2) return false;
    if (op.operands[1]->shape.ElementCount() == 0) return Replace(op, op.operands[0]);
    if (op.operands[0]->shape != op.operands[1]->shape) return false;
    for (size_t i = 2; i < op.operands.size(); ++i) {
      if (!IsSplatOf(op.operands[i], 0)) return false;
    }
    return Replace(op, op.operands[1]);
  }

  bool Concatenate(Operation& op) {
    if (op.operands.size() == 1) return Replace(op, op.operands[0]);
    const int64_t dimension = GetInt(op, "dimension");
    if (dimension < 0 || dimension >= op.results[0]->shape.rank()) return false;
    if (ConcatenateConstants(op, dimension)) return true;
    std::vector<Value*> operands;
    for (Value* operand : op.operands) {
      if (operand->shape.rank() != op.results[0]->shape.rank()) return false;
      if (operand->shape.dimensions(dimension) == 0) continue;
      Operation* inner = Def(operand, "stablehlo.concatenate");
      if (inner != nullptr && Uses(operand) == 1 && GetInt(*inner, "dimension") == dimension) {
        operands.insert(operands.end(), inner->operands.begin(), inner->operands.end());
      } else {
        operands.push_back(operand);
      }
    }
    if (operands.empty() || operands == op.operands) return false;
    op.operands = std::move(operands);
    return true;
  }

  bool Select(Operation& op) {
    if (op.operands.size() != 3) return false;
    Value *&pred = op.operands[0], *&yes = op.operands[1], *&no = op.operands[2];
    if (yes == no) return Replace(op, yes);
    if (const Literal* which = Splat(pred)) return Replace(op, which->GetAsInt64(0) != 0 ? yes : no);
    if (Operation* inverted = Def(pred, "stablehlo.not")) {
      pred = inverted->operands[0];
      std::swap(yes, no);
      return true;
    }
    Operation* broadcast = Def(pred, "stablehlo.broadcast_in_dim");
    if (broadcast == nullptr || Uses(pred) != 1) return false;
    Operation* inverted = Def(broadcast->operands[0], "stablehlo.not");
    if (inverted == nullptr) return false;
    Operation& made = New("stablehlo.broadcast_in_dim", *broadcast, {inverted->operands[0]}, pred->shape);
    made.attributes = broadcast->attributes;
    pred = made.results[0];
    std::swap(yes, no);
    return true;
  }

  bool Iota(Operation& op) {
    const Shape& shape = op.results[0]->shape;
    const int64_t dimension = GetInt(op, "iota_dimension");
    if (dimension < 0 || dimension >= shape.rank() || !shape.IsStatic()) return false;
    if (shape.dimensions(dimension) == 1) {
      return Replace(op, NewConstant(op, shape, Literal(Shape::Scalar(shape.element_type()))));
    }
    if (shape.rank() < 2) return false;
    Operation& line = New("stablehlo.iota", op, {}, Shape::Array(shape.element_type(), {shape.dimensions(dimension)}));
    Attribute zero;
    zero.kind = Kind::kInteger;
    Set(line, "iota_dimension", zero);
    Become(op, "stablehlo.broadcast_in_dim", {line.results[0]});
    Set(op, "broadcast_dimensions", Ints({dimension}));
    return true;
  }

  bool Reverse(Operation& op) {
    Value* x = op.operands[0];
    for (int64_t d : GetInts(op, "dimensions")) {
      if (d < 0 || d >= x->shape.rank() || (x->shape.dimensions(d) != 1 && Splat(x) == nullptr)) return false;
    }
    return Replace(op, x);
  }

  bool Pad(Operation& op) {
    if (op.operands.size() != 2) return false;
    const Shape& shape = op.results[0]->shape;
    for (std::string_view name : {"edge_padding_low", "edge_padding_high", "interior_padding"}) {
      for (int64_t value : GetInts(op, name)) {
        if (value == 0) continue;
        if (op.operands[0]->shape.ElementCount() != 0) return false;
        Become(op, "stablehlo.broadcast_in_dim", {op.operands[1]});
        Set(op, "broadcast_dimensions", Ints({}));
        return true;
      }
    }
    return op.operands[0]->shape == shape && Replace(op, op.operands[0]);
  }

  // One set of constant indices: a slice.
  bool Gather(Operation& op) {
    const Attribute* numbers = op.Find("dimension_numbers");
    if (numbers == nullptr || op.operands.size() != 2) return false;
    const Attribute* index = Constant(op.operands[1]);
    const Attribute* vector_dim = numbers->Find("index_vector_dim");
    if (index == nullptr || !IsIntegerType(op.operands[1]->shape.element_type()) ||
        (vector_dim != nullptr && vector_dim->integer != 0) || op.operands[1]->shape.rank() > 1)
      return false;
    const auto entry = [&](std::string_view name) {
      DimVector values;
      const Attribute* list = numbers->Find(name);
      if (list == nullptr) return values;
      for (const Attribute& element : list->elements) values.push_back(element.integer);
      return values;
    };
    const DimVector map = entry("start_index_map"), collapsed = entry("collapsed_slice_dims");
    Value* x = op.operands[0];
    DimVector end = GetInts(op, "slice_sizes"), start(end.size()), strides(end.size(), 1), sizes = end;
    if (static_cast<int64_t>(end.size()) != x->shape.rank() ||
        op.operands[1]->shape.ElementCount() != static_cast<int64_t>(map.size()))
      return false;
    for (size_t i = 0; i < map.size(); ++i) {
      if (map[i] < 0 || map[i] >= x->shape.rank()) return false;
      const auto d = static_cast<size_t>(map[i]);
      const int64_t at = index->literal->GetAsInt64(index->literal->element_count() == 1 ? 0 : static_cast<int64_t>(i));
      const int64_t offset = std::clamp<int64_t>(at, 0, std::max<int64_t>(0, x->shape.dimensions(map[i]) - end[d]));
      start[d] += offset, end[d] += offset;
    }
    DimVector kept;
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (std::find(collapsed.begin(), collapsed.end(), static_cast<int64_t>(d)) == collapsed.end())
        kept.push_back(sizes[d]);
    }
    const Shape& shape = op.results[0]->shape;
    if (kept != shape.dimensions()) return false;
    Operation& slice = New("stablehlo.slice", op, {x}, Shape::Array(shape.element_type(), sizes));
    Set(slice, "start_indices", Ints(start));
    Set(slice, "limit_indices", Ints(end));
    Set(slice, "strides", Ints(strides));
    if (collapsed.empty()) return Replace(op, slice.results[0]);
    return Become(op, "stablehlo.reshape", {slice.results[0]});
  }

  // Keeps those results, operands and block arguments that are marked.
  void DropArguments(Operation& op, const std::vector<bool>& kept, bool interleaved) {
    const size_t count = kept.size();
    std::vector<Value*> operands, results, arguments;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (kept[i % count]) operands.push_back(op.operands[i]);
    }
    for (size_t i = 0; i < count; ++i) {
      if (kept[i]) op.results[i]->index = results.size(), results.push_back(op.results[i]);
    }
    for (size_t i = 0; i < op.regions[0].arguments.size(); ++i) {
      if (kept[interleaved ? i / 2 : i % count]) arguments.push_back(op.regions[0].arguments[i]);
    }
    op.operands = std::move(operands);
    op.results = std::move(results);
    op.regions[0].arguments = std::move(arguments);
  }

  bool Reduce(Operation& op) {
    const size_t count = op.results.size();
    if (op.regions.size() != 1 || op.operands.size() != 2 * count || op.regions[0].arguments.size() != 2 * count ||
        count == 0)
      return false;
    if (GetInts(op, "dimensions").empty() && op.Find("dimensions") != nullptr)
      return Replace(op, {op.operands.begin(), op.operands.begin() + static_cast<ptrdiff_t>(count)});
    if (op.operands[0]->shape.ElementCount() == 0) {
      std::vector<Value*> values;
      for (size_t i = 0; i < count; ++i) {
        Operation& made = New("stablehlo.broadcast_in_dim", op, {op.operands[count + i]}, op.results[i]->shape);
        Set(made, "broadcast_dimensions", Ints({}));
        values.push_back(made.results[0]);
      }
      return Replace(op, values);
    }
    if (count == 1 || op.regions[0].operations.empty()) return false;
    std::vector<bool> kept(count);
    for (size_t i = 0; i < count; ++i) kept[i] = Uses(op.results[i]) > 0;
    if (std::count(kept.begin(), kept.end(), true) == static_cast<ptrdiff_t>(count) ||
        std::count(kept.begin(), kept.end(), true) == 0)
      return false;
    // What the used results are made of.
    Operation* result = op.regions[0].operations.back();
    if (result->operands.size() != count) return false;
    std::unordered_map<const Value*, size_t> argument;
    for (size_t i = 0; i < 2 * count; ++i) argument[op.regions[0].arguments[i]] = i % count;
    std::vector<Value*> work;
    for (size_t i = 0; i < count; ++i) {
      if (kept[i]) work.push_back(result->operands[i]);
    }
    std::unordered_map<const Operation*, bool> seen;
    while (!work.empty()) {
      Value* value = work.back();
      work.pop_back();
      if (const auto found = argument.find(value); found != argument.end()) {
        if (!kept[found->second]) return false;
      } else if (value->op != nullptr && seen.emplace(value->op, true).second) {
        work.insert(work.end(), value->op->operands.begin(), value->op->operands.end());
      }
    }
    std::vector<Value*> returned;
    for (size_t i = 0; i < count; ++i) {
      if (kept[i]) returned.push_back(result->operands[i]);
    }
    result->operands = std::move(returned);
    std::erase_if(op.regions[0].operations, [&](Operation* inner) { return inner != result && !seen.contains(inner); });
    DropArguments(op, kept, false);
    return true;
  }

  bool Sort(Operation& op) {
    const size_t count = op.results.size();
    if (op.regions.size() != 1 || op.operands.size() != count || op.regions[0].arguments.size() != 2 * count)
      return false;
    std::vector<bool> kept(count);
    for (size_t i = 0; i < count; ++i) {
      kept[i] = Uses(op.results[i]) > 0 || Uses(op.regions[0].arguments[2 * i]) > 0 ||
                Uses(op.regions[0].arguments[2 * i + 1]) > 0;
    }
    const auto left = std::count(kept.begin(), kept.end(), true);
    if (left == 0 || left == static_cast<ptrdiff_t>(count)) return false;
    DropArguments(op, kept, true);
    return true;
  }

  // What the body passes on unchanged is captured instead.
  bool While(Operation& op) {
    const size_t count = op.results.size();
    if (op.regions.size() != 2 || op.operands.size() != count) return false;
    Region &condition = op.regions[0], &body = op.regions[1];
    if (body.operations.empty() || condition.arguments.size() != count || body.arguments.size() != count) return false;
    Operation* result = body.operations.back();
    if (result->operands.size() != count) return false;
    for (Value*& operand : result->operands) operand = Resolve(operand);
    std::vector<Value*> operands, results, returned, condition_arguments, body_arguments;
    for (size_t i = 0; i < count; ++i) {
      Value* passed = result->operands[i];
      if (passed == body.arguments[i] || passed == op.operands[i]) {
        for (Value* value : {condition.arguments[i], body.arguments[i], op.results[i]})
          forward_[value] = op.operands[i];
        continue;
      }
      op.results[i]->index = results.size();
      operands.push_back(op.operands[i]);
      results.push_back(op.results[i]);
      returned.push_back(passed);
      condition_arguments.push_back(condition.arguments[i]);
      body_arguments.push_back(body.arguments[i]);
    }
    if (operands.size() == count) return false;
    op.operands = std::move(operands);
    op.results = std::move(results);
    result->operands = std::move(returned);
    condition.arguments = std::move(condition_arguments);
    body.arguments = std::move(body_arguments);
    return true;
  }

  // A constant index: the branch itself.
  bool Case(Operation& op) {
    const Literal* index = op.operands.empty() ? nullptr : Splat(op.operands[0]);
    if (index == nullptr || op.regions.empty()) return false;
    int64_t which = index->GetAsInt64(0);
    if (which < 0 || which >= static_cast<int64_t>(op.regions.size()))
      which = static_cast<int64_t>(op.regions.size()) - 1;
    const Region& chosen = op.regions[static_cast<size_t>(which)];
    if (chosen.operations.empty() || chosen.operations.back()->operands.size() != op.results.size()) return false;
    Region region = std::move(op.regions[static_cast<size_t>(which)]);
    Visit(region);
    Operation* result = region.operations.back();
    region.operations.pop_back();
    for (Operation* inner : region.operations) {
      inner->parent = op.parent;
      before_->push_back(inner);
    }
    return Replace(op, result->operands);
  }

  Module& module_;
  std::unordered_map<const Value*, Value*> forward_;
  std::unordered_map<const Value*, int64_t> uses_;
  std::vector<Operation*>* before_ = nullptr;
  bool changed_ = false;
};

}  // namespace

void Simplify(Module& module) { Simplifier(module).Run(); }

}  // namespace hloir::stablehlo
