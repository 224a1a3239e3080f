// PrettyOperation: the short forms of ops by StableHLO's printer. Most have one pattern, `op item, item, … {attributes}
// : types`, in which an item is a value, a word or `key = value`; a table maps keys to attributes. The others have a
// function each.
#include <charconv>

#include "reader.h"
#include "support/format.h"

namespace hloir::stablehlo {
namespace {

// The attribute for `key` in the op's short form.
struct KeyName {
  std::string_view op, key, attribute;
};
constexpr KeyName kKeys[] = {
    {"broadcast_in_dim", "dims", "broadcast_dimensions"},
    {"dynamic_broadcast_in_dim", "dims", "broadcast_dimensions"},
    {"dynamic_iota", "dim", "iota_dimension"},
    {"transpose", "dims", "permutation"},
    {"reverse", "dims", "dimensions"},
    {"concatenate", "dim", "dimension"},
    {"iota", "dim", "iota_dimension"},
    {"get_dimension_size", "dim", "dimension"},
    {"set_dimension_size", "dim", "dimension"},
    {"dynamic_slice", "sizes", "slice_sizes"},
    {"fft", "type", "fft_type"},
    {"fft", "length", "fft_length"},
    {"pad", "low", "edge_padding_low"},
    {"pad", "high", "edge_padding_high"},
    {"pad", "interior", "interior_padding"},
    {"rng", "distribution", "rng_distribution"},
    {"rng_bit_generator", "algorithm", "rng_algorithm"},
    {"dot", "precision", "precision_config"},
    {"dot_general", "precision", "precision_config"},
    {"reduce", "dimensions", "dimensions"},
    {"compare", "0", "comparison_direction"},
    {"compare", "1", "compare_type"},
};

std::string_view BaseName(std::string_view op) { return op.substr(op.find('.') + 1); }

std::string_view AttributeOf(std::string_view op, std::string_view key) {
  for (const KeyName& known : kKeys) {
    if (known.op == BaseName(op) && known.key == key) return known.attribute;
  }
  return key;
}

bool ReadsItems(std::string_view op) {
  return op.starts_with("stablehlo.") || op.starts_with("chlo.") || op.starts_with("mhlo.");
}

}  // namespace

bool PrettyOperation::Read() {
  static const std::pair<std::string_view, Form> kForms[] = {
      {"module", &PrettyOperation::Module},
      {"builtin.module", &PrettyOperation::Module},
      {"func.func", &PrettyOperation::Function},
      {"call", &PrettyOperation::Call},
      {"func.call", &PrettyOperation::Call},
      {"return", &PrettyOperation::Return},
      {"func.return", &PrettyOperation::Return},
      {"stablehlo.return", &PrettyOperation::Return},
      {"mhlo.return", &PrettyOperation::Return},
      {"sdy.return", &PrettyOperation::Return},
      {"stablehlo.constant", &PrettyOperation::Constant},
      {"mhlo.constant", &PrettyOperation::Constant},
      {"stablehlo.reduce", &PrettyOperation::Reduce},
      {"mhlo.reduce", &PrettyOperation::Reduce},
      {"stablehlo.while", &PrettyOperation::While},
      {"mhlo.while", &PrettyOperation::While},
      {"stablehlo.convolution", &PrettyOperation::Convolution},
      {"mhlo.convolution", &PrettyOperation::Convolution},
      {"stablehlo.custom_call", &PrettyOperation::CustomCall},
      {"mhlo.custom_call", &PrettyOperation::CustomCall},
      {"stablehlo.composite", &PrettyOperation::Composite},
      {"stablehlo.get_tuple_element", &PrettyOperation::GetTupleElement},
      {"mhlo.get_tuple_element", &PrettyOperation::GetTupleElement},
      {"chlo.top_k", &PrettyOperation::TopK},
      {"sdy.mesh", &PrettyOperation::Mesh},
      {"sdy.sharding_constraint", &PrettyOperation::ShardingConstraint},
      {"sdy.manual_computation", &PrettyOperation::ManualComputation},
  };
  for (const auto& [name, form] : kForms) {
    if (op_.name == name) return (this->*form)();
  }
  if (ReadsItems(op_.name)) return Items();
  return r_.FailAt(op_.offset, Format("unknown op '{}'", op_.name), StatusCode::kUnimplemented);
}

void PrettyOperation::AddInteger(std::string_view name, int64_t value) {
  Attribute& attribute = Add(name);
  attribute.kind = Attribute::Kind::kInteger;
  attribute.integer = value;
}

bool PrettyOperation::Symbol(std::string_view name) {
  if (!r_.Next("@")) return r_.Expected("a name with @");
  return r_.ReadAttribute(Add(name));
}

bool PrettyOperation::Raw(std::string_view name) {
  r_.Skip();
  const size_t begin = r_.at_;
  if (!r_.SkipBalanced()) return false;
  Attribute& attribute = Add(name);
  attribute.kind = Attribute::Kind::kDialect;
  attribute.offset = begin;
  attribute.source = r_.Since(begin);
  return true;
}

// module @name attributes {…} { … }
bool PrettyOperation::Module() {
  op_.name = r_.module_.Name("builtin.module");
  if (r_.Next("@") && !Symbol("sym_name")) return false;
  if (r_.TakeWord("attributes") && !r_.ReadDictionary(op_.attributes)) return false;
  return r_.ReadRegion(op_, true);
}

// func.func public @main(%arg0: tensor<f32> {…}) -> (tensor<f32> {…}) attributes {…} { … }
bool PrettyOperation::Function() {
  for (const char* word : {"public", "private", "nested"}) {
    if (!r_.TakeWord(word)) continue;
    Attribute& visibility = Add("sym_visibility");
    visibility.kind = Attribute::Kind::kString;
    visibility.text = word;
  }
  if (!Symbol("sym_name") || !r_.Want("(")) return false;
  Attribute argument_attributes, result_attributes;
  Values arguments;
  std::vector<std::string_view> names;
  const auto attributes_of = [&](Attribute& list) {
    list.kind = Attribute::Kind::kArray;
    Attribute& one = list.elements.emplace_back();
    one.kind = Attribute::Kind::kDictionary;
    if (r_.Next("{") && !r_.ReadDictionary(one)) return false;
    std::string_view ignored;
    return !r_.Next("loc(") || r_.ReadLocation(ignored);
  };
  if (!r_.Take(")")) {
    do {
      Type type;
      if (r_.Next("%")) {
        const size_t begin = r_.at_++;
        r_.Word();
        names.push_back(r_.Since(begin));
        if (!r_.Want(":")) return false;
      }
      if (!r_.ReadType(type) || !attributes_of(argument_attributes)) return false;
      arguments.push_back(r_.NewValue(type.interned, nullptr, arguments.size()));
    } while (r_.Take(","));
    if (!r_.Want(")")) return false;
  }
  if (r_.Take("->")) {
    const bool is_list = r_.Take("(");
    if (!is_list || !r_.Take(")")) {
      do {
        Type type;
        if (!r_.ReadType(type)) return false;
        if (is_list && !attributes_of(result_attributes)) return false;
      } while (is_list && r_.Take(","));
      if (is_list && !r_.Want(")")) return false;
    }
  }
  if (!argument_attributes.elements.empty()) Add("arg_attrs") = std::move(argument_attributes);
  if (!result_attributes.elements.empty()) Add("res_attrs") = std::move(result_attributes);
  if (r_.TakeWord("attributes") && !r_.ReadDictionary(op_.attributes)) return false;
  if (!r_.Next("{")) return true;  // only declared
  if (names.size() != arguments.size()) return r_.Fail("an argument has no name");
  return r_.ReadRegion(op_, true, std::move(arguments), std::move(names));
}

bool PrettyOperation::Call() {
  op_.name = r_.module_.Name("func.call");
  return Symbol("callee") && r_.Want("(") && r_.ReadOperandList(op_, ")") && OptionalAttributes() &&
         r_.ReadFunctionTypeOf(op_);
}

bool PrettyOperation::Return() {
  if (op_.name == "return") op_.name = r_.module_.Name("func.return");
  if (r_.Next("%")) {
    do {
      if (!r_.ReadOperand(op_)) return false;
    } while (r_.Take(","));
  }
  if (!OptionalAttributes()) return false;
  std::vector<Type> types;
  return !r_.Take(":") || (r_.ReadTypeList(types) && r_.SetTypes(op_, types, {}));
}

bool PrettyOperation::Constant() {
  if (!OptionalAttributes()) return false;
  Attribute value;
  if (!r_.ReadAttribute(value)) return false;
  if (value.kind != Attribute::Kind::kDense) return r_.FailAt(value.offset, "expected a dense constant");
  op_.results.push_back(r_.NewValue(value.type, &op_, 0));
  Add("value") = std::move(value);
  return true;
}

// reduce(%x init: %i), (%y init: %j) [applies stablehlo.add] across dimensions = [1] : types
//  reducer(%a: t, %b: t) (%c: t, %d: t) { … }
bool PrettyOperation::Reduce() {
  Operation inits;
  do {
    if (!r_.Want("(") || !r_.ReadOperand(op_) || !r_.TakeWord("init") || !r_.Want(":") || !r_.ReadOperand(inits) ||
        !r_.Want(")"))
      return r_.failed() ? false : r_.Expected("'init'");
  } while (r_.Take(","));
  const size_t count = op_.operands.size();
  for (Value* init : inits.operands) op_.operands.push_back(init);
  std::string_view applied;
  if (r_.TakeWord("applies")) {
    applied = r_.Word();
    if (!ReadsItems(applied)) return r_.Fail("expected an op to apply");
    if (count != 1) return r_.Fail("one op can be applied to one array");
  }
  if (!r_.TakeWord("across") || !r_.TakeWord("dimensions")) return r_.Expected("'across dimensions'");
  if (!r_.Want("=") || !r_.ReadPlainValue(Add("dimensions")) || !OptionalAttributes() || !r_.ReadFunctionTypeOf(op_))
    return false;
  if (!applied.empty()) {
    const Shape* scalar = op_.operands[1]->interned;
    Region region;
    for (size_t i = 0; i < 2; ++i) region.arguments.push_back(r_.NewValue(scalar, nullptr, i));
    Operation& inner = r_.module_.operations.Add();
    inner.name = r_.module_.Name(applied);
    Operation& result = r_.module_.operations.Add();
    result.name = r_.module_.Name("stablehlo.return");
    inner.operands = region.arguments;
    inner.results = {r_.NewValue(scalar, &inner, 0)};
    result.operands = inner.results;
    for (Operation* op : {&inner, &result}) {
      op->offset = op_.offset;
      op->parent = &op_;
      op->attributes.kind = Attribute::Kind::kDictionary;
      region.operations.push_back(op);
    }
    op_.regions.push_back(std::move(region));
    return true;
  }
  if (!r_.TakeWord("reducer")) return r_.Expected("'reducer'");
  Values left, right;
  std::vector<std::string_view> left_names, right_names;
  for (size_t i = 0; i < count; ++i) {
    Values pair;
    std::vector<std::string_view> names;
    if (!r_.ReadBlockArguments(pair, names)) return false;
    if (pair.size() != 2) return r_.Fail("a reducer has two arguments for each array");
    left.push_back(pair[0]), right.push_back(pair[1]);
    left_names.push_back(names[0]), right_names.push_back(names[1]);
  }
  for (Value* argument : right) left.push_back(argument);
  left_names.insert(left_names.end(), right_names.begin(), right_names.end());
  for (size_t i = 0; i < left.size(); ++i) left[i]->index = i;
  return r_.ReadRegion(op_, false, std::move(left), std::move(left_names));
}

// while(%a = %x, %b = %y) : t, t [attributes {…}] cond { … } do { … }
bool PrettyOperation::While() {
  std::vector<std::string_view> names;
  if (!r_.Want("(")) return false;
  if (!r_.Take(")")) {
    do {
      r_.Skip();
      const size_t begin = r_.at_;
      if (!r_.Want("%")) return false;
      r_.Word();
      names.push_back(r_.Since(begin));
      if (!r_.Want("=") || !r_.ReadOperand(op_)) return false;
    } while (r_.Take(","));
    std::vector<Type> types;
    if (!r_.Want(")") || !r_.Want(":") || !r_.ReadTypeList(types) || !r_.SetTypes(op_, types, types)) return false;
  }
  if (r_.TakeWord("attributes") && !r_.ReadDictionary(op_.attributes)) return false;
  for (const char* word : {"cond", "do"}) {
    if (!r_.TakeWord(word)) return r_.Expected(Format("'{}'", word));
    Values arguments;
    for (Value* operand : op_.operands) arguments.push_back(r_.NewValue(operand->interned, nullptr, arguments.size()));
    if (!r_.ReadRegion(op_, false, std::move(arguments), names)) return false;
  }
  return true;
}

// convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], …} {…} : types
bool PrettyOperation::Convolution() {
  if (!r_.Want("(") || !r_.ReadOperandList(op_, ")") || !r_.TakeWord("dim_numbers") || !r_.Want("="))
    return r_.Expected("'dim_numbers ='");
  r_.Skip();
  Attribute& numbers = Add("dimension_numbers");
  numbers.kind = Attribute::Kind::kDialect;
  const size_t begin = numbers.offset = r_.at_;
  if (!r_.SkipBalanced() || !r_.Want("x") || !r_.SkipBalanced() || !r_.Want("->") || !r_.SkipBalanced()) return false;
  numbers.source = r_.Since(begin);
  if (!r_.Want(",") || !r_.TakeWord("window") || !r_.Want("=") || !r_.Want("{")) return r_.Expected("'window ='");
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"stride", "window_strides"},
                                                                             {"pad", "padding"},
                                                                             {"lhs_dilate", "lhs_dilation"},
                                                                             {"rhs_dilate", "rhs_dilation"},
                                                                             {"reverse", "window_reversal"}};
  Attribute window;
  if (!r_.ReadEntries(window, "}")) return false;
  for (auto& [key, value] : window.entries) {
    for (const auto& [short_name, name] : kNames) {
      if (key == short_name) Add(name) = std::move(value);
    }
  }
  return OptionalAttributes() && r_.ReadFunctionTypeOf(op_);
}

bool PrettyOperation::CustomCall() {
  return Symbol("call_target_name") && r_.Want("(") && r_.ReadOperandList(op_, ")") && OptionalAttributes() &&
         r_.ReadFunctionTypeOf(op_);
}

// composite "name" %a, %b {…} : types
bool PrettyOperation::Composite() {
  if (!r_.Next("\"") || !r_.ReadAttribute(Add("name"))) return r_.Expected("the composite's name");
  if (r_.Next("%")) {
    do {
      if (!r_.ReadOperand(op_)) return false;
    } while (r_.Take(","));
  }
  return OptionalAttributes() && r_.ReadFunctionTypeOf(op_);
}

// chlo.top_k(%x, k = 4) : t -> (t, t)
bool PrettyOperation::TopK() {
  int64_t k = 0;
  if (!r_.Want("(") || !r_.ReadOperand(op_) || !r_.Want(",") || !r_.TakeWord("k") || !r_.Want("=") ||
      !r_.ReadInteger(k) || !r_.Want(")"))
    return r_.Expected("'k ='");
  AddInteger("k", k);
  return OptionalAttributes() && Types();
}

bool PrettyOperation::GetTupleElement() {
  int64_t index = 0;
  if (!r_.ReadOperand(op_) || !r_.Want("[") || !r_.ReadInteger(index) || !r_.Want("]")) return false;
  AddInteger("index", index);
  return OptionalAttributes() && r_.ReadFunctionTypeOf(op_);
}

// sdy.mesh @mesh = <["x"=8]>
bool PrettyOperation::Mesh() { return Symbol("sym_name") && r_.Want("=") && Raw("mesh") && OptionalAttributes(); }

bool PrettyOperation::ShardingConstraint() {
  return r_.ReadOperand(op_) && Raw("sharding") && OptionalAttributes() && Types();
}

// sdy.manual_computation(%a) in_shardings=[…] out_shardings=[…] manual_axes={…} (%b: t) { … } : types
bool PrettyOperation::ManualComputation() {
  if (!r_.Want("(") || !r_.ReadOperandList(op_, ")")) return false;
  for (const char* name : {"in_shardings", "out_shardings", "manual_axes"}) {
    if (!r_.TakeWord(name) || !r_.Want("=")) return r_.Expected(Format("'{}='", name));
    if (!Raw(name)) return false;
  }
  Values arguments;
  std::vector<std::string_view> names;
  return r_.ReadBlockArguments(arguments, names) && r_.ReadRegion(op_, false, std::move(arguments), std::move(names)) &&
         OptionalAttributes() && r_.ReadFunctionTypeOf(op_);
}

// The attribute name in the generic form of a key in the short form.
bool PrettyOperation::SetPretty(std::string_view key, Attribute value) {
  const std::string_view base = op_.name->base;
  if (base == "dot_general" && (key == "batching_dims" || key == "contracting_dims")) {  // [0] x [0]
    Attribute* numbers = nullptr;
    for (auto& [name, attribute] : op_.attributes.entries) {
      if (name == "dot_dimension_numbers") numbers = &attribute;
    }
    if (numbers == nullptr) numbers = &Add("dot_dimension_numbers");
    Attribute right;
    if (!r_.Want("x") || !r_.ReadPlainValue(right)) return false;
    const bool is_batch = key == "batching_dims";
    numbers->entries.emplace_back(is_batch ? "lhs_batching_dimensions" : "lhs_contracting_dimensions",
                                  std::move(value));
    numbers->entries.emplace_back(is_batch ? "rhs_batching_dimensions" : "rhs_contracting_dimensions",
                                  std::move(right));
    return true;
  }
  if (base == "reduce_precision" && key == "format") {  // e5m10
    const std::string_view text = value.text;
    int exponent = 0, mantissa = 0;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + !text.empty(), end, exponent);
    if (!text.starts_with('e') || read.ec != std::errc() || read.ptr == end || *read.ptr != 'm' ||
        std::from_chars(read.ptr + 1, end, mantissa).ptr != end)
      return r_.FailAt(value.offset, "expected a format like e5m10");
    AddInteger("exponent_bits", exponent);
    AddInteger("mantissa_bits", mantissa);
    return true;
  }
  Add(AttributeOf(op_.name, key)) = std::move(value);
  return true;
}

bool PrettyOperation::Item() {
  if (r_.Next("%")) {
    if (!r_.ReadOperand(op_)) return false;
    if (op_.name->base != "slice" || !r_.Take("[")) return true;
    Attribute starts, limits, strides;  // [0:2, 0:16:2]
    while (!r_.Take("]")) {
      Attribute* parts[] = {&starts, &limits, &strides};
      int64_t values[] = {0, 0, 1};
      for (int i = 0; i < 3; ++i) {
        if (i == 2 && !r_.Next(":")) break;
        if ((i > 0 && !r_.Want(":")) || !r_.ReadInteger(values[i])) return false;
      }
      for (int i = 0; i < 3; ++i) {
        parts[i]->kind = Attribute::Kind::kIntegers;
        parts[i]->integers.push_back(values[i]);
      }
      if (!r_.Take(",") && !r_.Next("]")) return r_.Expected("']'");
    }
    Add("start_indices") = std::move(starts);
    Add("limit_indices") = std::move(limits);
    Add("strides") = std::move(strides);
    return true;
  }
  r_.Skip();
  const size_t begin = r_.at_;
  const std::string_view word = r_.Word();
  if (word.empty()) return r_.Expected("a value or an attribute");
  Attribute value;
  if (r_.Take("=")) return r_.ReadPlainValue(value) && SetPretty(word, std::move(value));
  value.kind = Attribute::Kind::kWord;
  value.text = word;
  value.offset = begin;
  return SetPretty(words_++ == 0 ? "0" : "1", std::move(value));
}

bool PrettyOperation::Items() {
  if (!r_.Next(":") && !r_.Next("{")) {
    do {
      if (!Item()) return false;
    } while (r_.Take(","));
  }
  return OptionalAttributes() && Types();
}

// : (a, b) -> c; : a, b -> c; or one type for all.
bool PrettyOperation::Types() {
  const std::string_view base = op_.name->base;
  const bool is_result = base == "complex" || base == "tuple";  // the one type
  const bool is_each = base == "optimization_barrier";          // a type for each operand and result
  if (r_.ReadKnownTypesOf(op_, !is_result && !is_each)) return true;
  if (!r_.Want(":")) return false;
  if (r_.Next("(")) {
    Type type;
    return r_.ReadFunctionType(type) && r_.SetFunctionType(op_, type);
  }
  std::vector<Type> types, results;
  if (!r_.ReadTypeList(types)) return false;
  if (r_.Take("->")) {
    if (r_.Next("(") ? !r_.ReadParenthesizedTypes(results) : !r_.ReadTypeList(results)) return false;
    return r_.SetTypes(op_, types, results);
  }
  if (is_each) return r_.SetTypes(op_, types, types);
  const size_t count = op_.operands.size();
  if (base == "select" && types.size() == 2) return r_.SetTypes(op_, {types[0], types[1], types[1]}, {types[1]});
  if (types.size() != 1) return r_.FailAt(op_.offset, Format("{} has too many types", op_.name));
  if (is_result) {
    std::vector<Type> operands(count);
    for (size_t i = 0; i < count; ++i) operands[i].interned = op_.operands[i]->interned;
    return r_.SetTypes(op_, operands, types);
  }
  return r_.SetTypes(op_, std::vector<Type>(count, types[0]), types);
}

}  // namespace hloir::stablehlo
