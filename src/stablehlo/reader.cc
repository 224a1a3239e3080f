// Reader: bytes, operations and regions. See reader.h.
#include "reader.h"

#include <algorithm>

#include "ir/scan.h"
#include "support/format.h"

namespace hloir::stablehlo {

int LineAt(std::string_view text, size_t offset) {
  return 1 + static_cast<int>(scan::Count<'\n'>(text.data(), text.data() + offset));
}

LineIndex::LineIndex(std::string_view text) : text_(text), before_(text.size() / kBlock + 1) {
  int lines = 0;
  size_t block = 0;
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1)) {
    while (block * kBlock <= end) before_[block++] = lines;
    ++lines;
  }
  while (block < before_.size()) before_[block++] = lines;
}

int LineIndex::At(size_t offset) const {
  offset = std::min(offset, text_.size());
  const size_t block = offset / kBlock;
  return before_[block] + LineAt(text_.substr(block * kBlock), offset - block * kBlock);
}

Status ErrorAt(const Module& module, size_t offset, std::string_view message, StatusCode code) {
  const std::string_view text = *module.text;
  offset = std::min(offset, text.size());
  size_t begin = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  begin = begin == std::string_view::npos ? 0 : begin + 1;
  constexpr size_t kShown = 160;  // very long lines are cut around the location
  const size_t from = offset - begin > kShown / 2 ? offset - kShown / 2 : begin;
  std::string line(text.substr(from, std::min(text.find('\n', offset), from + kShown) - from));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7F') c = ' ';  // no escape sequences, no tabs
  }
  return {code, Format("{}:{}:{}: error: {}\n{}\n{}^\n", module.file_name, LineAt(text, offset), offset - begin + 1,
                       message, line, std::string(offset - from, ' '))};
}

StatusOr<std::unique_ptr<Module>> ParseMlir(std::shared_ptr<const std::string> text, std::string file_name) {
  auto module = std::make_unique<Module>();
  module->text = std::move(text);
  module->file_name = std::move(file_name);
  HLOIR_RETURN_IF_ERROR(Reader(*module).ReadModule());
  return module;
}

Attribute::Attribute() = default;
Attribute::Attribute(const Attribute&) = default;
Attribute::Attribute(Attribute&&) noexcept = default;
Attribute& Attribute::operator=(const Attribute&) = default;
Attribute& Attribute::operator=(Attribute&&) noexcept = default;
Attribute::~Attribute() = default;

bool Reader::FailAt(size_t offset, std::string_view message, StatusCode code) {
  if (!failed_) status_ = ErrorAt(module_, offset, message, code);
  failed_ = true;
  return false;
}

bool Reader::Expected(std::string_view what) {
  if (failed()) return false;
  Skip();
  if (at_ >= text_.size()) return Fail(Format("expected {}, but the text ends here", what));
  size_t end = at_;
  while (end < text_.size() && end - at_ < 40 && (IsNameByte(text_[end]) || text_[end] == '%' || text_[end] == '@'))
    ++end;
  if (end > at_) return Fail(Format("expected {}, found '{}'", what, text_.substr(at_, end - at_)));
  const unsigned char byte = static_cast<unsigned char>(text_[at_]);
  if (byte < ' ' || byte > '~') return Fail(Format("expected {}, found byte {}", what, static_cast<int>(byte)));
  return Fail(Format("expected {}, found '{}'", what, text_.substr(at_, 1)));
}

void Reader::SkipAll() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') ++at_;
    else if (c == '/' && text_.substr(at_, 2) == "//") at_ = std::min(text_.find('\n', at_), text_.size());
    else break;
  }
}

bool Reader::TakeWord(std::string_view word) {
  if (!Next(word)) return false;
  if (at_ + word.size() < text_.size() && IsNameByte(text_[at_ + word.size()])) return false;
  at_ += word.size();
  return true;
}

bool Reader::ExpectedToken(std::string_view token) { return !failed() && Expected(Format("'{}'", token)); }

std::string_view Reader::Word() {
  Skip();
  const size_t begin = at_;
  while (at_ < text_.size() && IsNameByte(text_[at_])) {
    if (text_[at_] == '-' && text_.substr(at_, 2) == "->") break;
    ++at_;
  }
  return Since(begin);
}

bool Reader::ReadString(std::string_view& value) {
  if (!Take("\"")) return Expected("a string");
  const size_t begin = at_;
  const char* const end = text_.data() + text_.size();
  at_ = static_cast<size_t>(scan::FindNot<scan::InString>(text_.data() + at_, end) - text_.data());
  value = Since(begin);
  if (Peek() == '"') return ++at_, true;
  if (Peek() != '\\') return Fail("unterminated string");
  std::string& unescaped = module_.unescaped.emplace_back(value);
  const auto nibble = [](char c) {
    return IsDigit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  for (; at_ < text_.size(); ++at_) {
    char c = text_[at_];
    if (c == '"') return value = unescaped, ++at_, true;
    if (c == '\n') break;
    if (c == '\\' && at_ + 1 < text_.size()) {
      const char escape = text_[++at_];
      const int high = nibble(escape), low = at_ + 1 < text_.size() ? nibble(text_[at_ + 1]) : -1;
      if (escape == 'n') c = '\n';
      else if (escape == 't') c = '\t';
      else if (escape == '"' || escape == '\\') c = escape;
      else if (high >= 0 && low >= 0) c = static_cast<char>(high * 16 + low), ++at_;
      else return Fail("invalid escape in a string");
    }
    unescaped += c;
  }
  return Fail("unterminated string");
}

bool Reader::ReadInteger(int64_t& value) {
  Skip();
  const size_t begin = at_;
  const bool negative = Take("-");
  uint64_t magnitude = 0;
  const size_t digits = at_;
  for (; IsDigit(Peek()); ++at_) {
    if (__builtin_mul_overflow(magnitude, uint64_t{10}, &magnitude) ||
        __builtin_add_overflow(magnitude, static_cast<uint64_t>(Peek() - '0'), &magnitude))
      return FailAt(begin, "the number is too large");
  }
  if (at_ == digits) return at_ = begin, Expected("an integer");
  value = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
  return true;
}

bool Reader::SkipBalanced() {
  std::string closing;
  do {
    if (at_ >= text_.size()) return Fail("unclosed bracket");
    const char c = text_[at_];
    if (c == '"') {
      std::string_view ignored;
      if (!ReadString(ignored)) return false;
      continue;
    }
    if (c == '(') closing += ')';
    else if (c == '[') closing += ']';
    else if (c == '{') closing += '}';
    else if (c == '<') closing += '>';
    else if (c == '>' && at_ > 0 && text_[at_ - 1] == '-') {  // an arrow
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      if (closing.empty() || closing.back() != c) return Fail("unmatched closing bracket");
      closing.pop_back();
    }
    ++at_;
  } while (!closing.empty());
  return true;
}

// The aliases before and after the module: #loc1 = loc(…), #map = …, !t = ….
bool Reader::ReadAliases() {
  for (Skip(); !failed() && (Peek() == '#' || Peek() == '!'); Skip()) {
    const bool is_type = Peek() == '!';
    const size_t begin = at_++;
    Word();
    const std::string_view name = Since(begin);
    if (!Want("=")) return false;
    if (is_type) {
      if (!ReadType(type_aliases_[name])) return false;
    } else if (Next("loc(")) {
      std::string_view location;
      if (!ReadLocation(location)) return false;
      module_.locations[name] = location;
    } else if (!ReadAttribute(aliases_[name])) {
      return false;
    }
  }
  if (Take("{-#")) {  // resources, which ReadResources reads
    const size_t end = text_.find("#-}", at_);
    if (end == std::string_view::npos) return Fail("unterminated resources");
    at_ = end + 3;
    return ReadAliases();
  }
  return !failed();
}

Status Reader::ReadModule() {
  Region top;
  if (!ReadAliases()) return status_;
  Skip();
  if (Next("func.func")) {  // functions without a module around them
    Operation& root = module_.operations.Add();
    root.name = module_.Name("builtin.module");
    root.regions.emplace_back();
    root.attributes.kind = Attribute::Kind::kDictionary;
    module_.root = &root;
    while (!failed() && Next("func.func")) ReadOperation(root.regions[0], &root);
  } else {
    if (!ReadOperation(top, nullptr)) return status_;
    module_.root = top.operations.front();
    if (module_.root->name != "builtin.module" || module_.root->regions.size() != 1)
      return FailAt(module_.root->offset, "expected a module"), status_;
  }
  if (!ReadAliases()) return status_;
  Skip();
  if (at_ < text_.size()) Expected("the end of the text");
  return status_;
}

Value* Reader::NewValue(const Shape* shape, Operation* op, size_t index) {
  Value& value = module_.values.Add();
  value.interned = shape, value.op = op, value.index = index, value.offset = at_;
  return &value;
}

// Of "%name".
Reader::Named& Reader::Entry(std::string_view name) {
  constexpr size_t kMostDigits = 6;
  if (name.size() < 2 || name.size() > kMostDigits + 1 || (name[1] == '0' && name.size() > 2)) return others_[name];
  size_t number = 0;
  for (const char c : name.substr(1)) {
    if (!IsDigit(c)) return others_[name];
    number = number * 10 + static_cast<size_t>(c - '0');
  }
  if (number >= text_.size()) return others_[name];  // memory within the text's size
  if (number >= numbered_.size()) numbered_.resize(std::max(number + 1, 2 * numbered_.size()));
  return numbered_[number];
}

void Reader::Define(std::string_view name, Named values) {
  Named& entry = Entry(name);
  undo_.emplace_back(name, entry);
  entry = values;
  entry.scope = isolated_;
}

Value* Reader::Lookup(std::string_view name, size_t index) {
  const Named& found = Entry(name);
  if (found.scope != isolated_ || index >= found.count) return nullptr;
  Value* const first = found.first;
  return index == 0 ? first : first->op->results[first->index + index];
}

// %0:2 = , %a, %b =
bool Reader::ReadResults(ResultNames& names) {
  do {
    Skip();
    const size_t begin = at_;
    if (!Want("%")) return false;
    Word();
    const std::string_view name = Since(begin);
    int64_t count = 1;
    if (Take(":") && !ReadInteger(count)) return false;
    if (count < 1 || count > 1 << 20) return FailAt(begin, "an invalid number of results");
    names.push_back({name, static_cast<size_t>(count)});
  } while (Take(","));
  return Want("=");
}

bool Reader::ReadOperand(Operation& op) {
  Skip();
  const size_t begin = at_;
  if (!Take("%")) return Expected("a value");
  Word();
  const std::string_view name = Since(begin);
  int64_t index = 0;
  if (Peek() == '#') {
    ++at_;
    if (!ReadInteger(index)) return false;
  }
  Value* value = Lookup(name, static_cast<size_t>(index));
  if (value == nullptr) return FailAt(begin, Format("no value {} is defined before", Since(begin)));
  op.operands.push_back(value);
  return true;
}

bool Reader::ReadOperandList(Operation& op, std::string_view end) {
  if (Take(end)) return true;
  do {
    if (!ReadOperand(op)) return false;
  } while (Take(","));
  return Want(end);
}

bool Reader::ReadLocation(std::string_view& location) {
  if (!Want("loc")) return false;
  Skip();
  const size_t begin = at_;
  if (Peek() != '(') return Expected("'('");
  if (!SkipBalanced()) return false;
  location = text_.substr(begin + 1, at_ - begin - 2);
  return true;
}

// The number of types equals that of operands and results, and operands have the stated types.
bool Reader::SetTypes(Operation& op, const std::vector<Type>& inputs, const std::vector<Type>& results) {
  if (inputs.size() != op.operands.size())
    return FailAt(op.offset,
                  Format("{} has {} operands and {} types for them", op.name, op.operands.size(), inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].shape().Compatible(op.operands[i]->shape())) {
      return FailAt(op.offset, Format("operand {} of {} is {}, but its type here is {}", i, op.name,
                                      op.operands[i]->shape().ToString(false), inputs[i].shape().ToString(false)));
    }
  }
  for (const Type& type : results) op.results.push_back(NewValue(type.interned, &op, op.results.size()));
  return true;
}

bool Reader::ReadKnownTypesOf(Operation& op, bool may_be_short) {
  size_t at = at_;
  const auto take = [&](std::string_view token) {
    const bool is =
        text_.size() - at >= token.size() && std::memcmp(text_.data() + at, token.data(), token.size()) == 0;
    if (is) at += token.size();
    return is;
  };
  const auto known = [&]() -> const Shape* { return take("tensor") ? KnownTensorAt(at, at) : nullptr; };
  const auto fits = [](const Shape* shape, const Value& operand) {
    return shape != nullptr && (shape == operand.interned || shape->Compatible(operand.shape()));
  };
  if (!take(" : ")) return false;
  const bool is_short = !take("(");
  const Shape* shape = nullptr;
  if (is_short) {
    shape = may_be_short ? known() : nullptr;
    if (shape == nullptr || at == text_.size() || text_[at] != '\n') return false;
    for (const Value* operand : op.operands)
      if (!fits(shape, *operand)) return false;
  } else {
    for (size_t i = 0; i < op.operands.size(); ++i)
      if ((i > 0 && !take(", ")) || !fits(known(), *op.operands[i])) return false;
    if (!take(") -> ")) return false;
    shape = known();
    if (shape == nullptr) return false;
  }
  at_ = at;
  op.results.push_back(NewValue(shape, &op, op.results.size()));
  return true;
}

bool Reader::ReadFunctionTypeOf(Operation& op) {
  if (!failed() && ReadKnownTypesOf(op, false)) return true;
  Type type;
  return Want(":") && ReadFunctionType(type) && SetFunctionType(op, type);
}

// "dialect.op"(%a, %b) <{properties}> ({ regions }) {attributes} : (types) -> types
bool Reader::ReadGenericOperation(Operation& op) {
  if (!Want("(") || !ReadOperandList(op, ")")) return false;
  if (Take("[")) return Fail("blocks that branch to others are not supported", StatusCode::kUnimplemented);
  if (Take("<")) {
    if (!ReadDictionary(op.attributes) || !Want(">")) return false;
  }
  const bool isolated = op.name == "func.func" || op.name == "builtin.module";
  if (Take("(")) {
    do {
      if (!ReadRegion(op, isolated)) return false;
    } while (Take(","));
    if (!Want(")")) return false;
  }
  if (Next("{") && !ReadDictionary(op.attributes)) return false;
  return ReadFunctionTypeOf(op);
}

bool Reader::ReadBlockArguments(Values& values, std::vector<std::string_view>& names) {
  if (!Want("(")) return false;
  if (Take(")")) return true;
  do {
    Skip();
    const size_t begin = at_;
    if (!Want("%")) return false;
    Word();
    names.push_back(Since(begin));
    Type type;
    if (!Want(":") || !ReadType(type)) return false;
    values.push_back(NewValue(type.interned, nullptr, values.size()));
    std::string_view ignored;
    if (Next("loc(") && !ReadLocation(ignored)) return false;
  } while (Take(","));
  return Want(")");
}

// `isolated`: outer values are not visible inside.
bool Reader::ReadRegion(Operation& op, bool isolated, Values arguments, std::vector<std::string_view> names) {
  const DepthGuard guard(*this);
  if (failed() || !Want("{")) return false;
  const uint32_t outside = isolated_;
  if (isolated) isolated_ = ++isolated_count_;
  const size_t marker = undo_.size();
  Region region;
  if (Take("^")) {
    region.label = Word();
    Skip();
    if (Peek() == '(' && !ReadBlockArguments(arguments, names)) return false;
    if (!Want(":")) return false;
  }
  for (size_t i = 0; i < names.size(); ++i) Define(names[i], {arguments[i], 1});
  region.arguments = std::move(arguments);
  while (!failed() && !Next("}")) {
    if (Next("^")) return Fail("a region of several blocks is not supported", StatusCode::kUnimplemented);
    if (!ReadOperation(region, &op)) return false;
  }
  for (; undo_.size() > marker; undo_.pop_back()) Entry(undo_.back().first) = undo_.back().second;
  isolated_ = outside;
  if (!Want("}")) return false;
  op.regions.push_back(std::move(region));
  return true;
}

bool Reader::ReadOperation(Region& region, Operation* parent) {
  const DepthGuard guard(*this);
  if (failed()) return false;
  ResultNames names;
  if (Next("%") && !ReadResults(names)) return false;
  Skip();
  Operation& op = module_.operations.Add();
  op.offset = at_;
  op.parent = parent;
  op.attributes.kind = Attribute::Kind::kDictionary;
  op.attributes.offset = at_;
  if (Peek() == '"') {
    const size_t begin = at_ + 1;
    std::string_view name;
    if (!ReadString(name)) return false;
    op.name = module_.Name(text_.substr(begin, at_ - begin - 1));
    if (!ReadGenericOperation(op)) return false;
  } else {
    op.name = module_.Name(Word());
    if (op.name.empty()) return Expected("an operation");
    if (!PrettyOperation(*this, op).Read()) return failed() ? false : Fail("unsupported syntax");
  }
  if (Next("loc(") && !ReadLocation(op.location)) return false;
  size_t total = 0;
  for (const auto& [name, count] : names) total += count;
  if (total != 0 && total != op.results.size())
    return FailAt(op.offset, Format("{} has {} results, not {}", op.name, op.results.size(), total));
  size_t next = 0;
  for (const auto& [name, count] : names) {
    Define(name, {op.results[next], static_cast<uint32_t>(count)});
    next += count;
  }
  region.operations.push_back(&op);
  return true;
}

}  // namespace hloir::stablehlo
