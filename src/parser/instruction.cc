// Instructions: `[ROOT] name = [shape] opcode(operands), attributes`, and operands: names, `#i` of a tuple, or inline
// instructions without a name.

#include <algorithm>
#include <array>

#include "ir/opcode_suggestion.h"
#include "module_reader.h"
#include "support/format.h"

namespace hloir {
namespace {

// Opcodes by name: a fixed table with open addressing, which uses the lexer's hash.
class OpcodeTable {
 public:
  constexpr OpcodeTable() {
    for (int i = 0; i < kOpcodeCount; ++i) {
      const std::string_view name = OpcodeName(static_cast<HloOpcode>(i));
      size_t slot = HashBytes(name.data(), name.size()) % kSlots;
      while (slots_[slot] != 0) slot = (slot + 1) % kSlots;
      slots_[slot] = static_cast<uint8_t>(i + 1);
    }
  }
  [[gnu::always_inline]] bool Find(const char* text, size_t size, uint32_t hash, HloOpcode& opcode) const {
    for (size_t slot = hash % kSlots; slots_[slot] != 0; slot = (slot + 1) % kSlots) {
      const HloOpcode found = static_cast<HloOpcode>(slots_[slot] - 1);
      const std::string_view name = OpcodeName(found);
      if (name.size() == size && SameBytes(name.data(), text, size)) return opcode = found, true;
    }
    return false;
  }

 private:
  static constexpr size_t kSlots = 1024;
  static_assert(kOpcodeCount < 255);
  std::array<uint8_t, kSlots> slots_{};  // opcode + 1
};

constexpr OpcodeTable kOpcodes;

// Opcodes whose line may end after the operands: they have no attributes of their own and call nothing.
// (ParseParameterNumber and ParseConstantValue fill in those of parameters and constants.)
constexpr auto kMayEndAfterOperands = [] {
  using None = NoAttributes;
  std::array<bool, kOpcodeCount> may_end{};
#define HLOIR_OP(name, text, arity, attributes, calls, ...) \
  may_end[static_cast<size_t>(HloOpcode::k##name)] =        \
      std::is_same_v<attributes, None> && CallKind::calls == CallKind::kNone;
#include "hloir/opcodes.def"
#undef HLOIR_OP
  may_end[static_cast<size_t>(HloOpcode::kParameter)] = may_end[static_cast<size_t>(HloOpcode::kConstant)] = true;
  return may_end;
}();

}  // namespace

// The opcode up to its parenthesis; reads nothing if it is written otherwise.
[[gnu::always_inline]] inline bool ModuleReader::ReadUsualOpcode(const char*& at, HloOpcode& opcode) const {
  if (lexer_.end() - at < 32) return false;
  size_t size = scan::DistanceTo<'('>(at);
  if (size == 0) {
    size = 16 + scan::DistanceTo<'('>(at + 16);
    if (at[size] != '(') return false;
  }
  if (!kOpcodes.Find(at, size, HashBytes(at, size), opcode)) return false;
  at += size;
  return true;
}

bool ModuleReader::ParseOpcode(Opcode& opcode) {
  const char* const place = lexer_.at();
  const Word word = lexer_.ReadWord();
  if (word.empty()) return FailExpected("an opcode");
  if (kOpcodes.Find(word.data, word.size, word.hash, opcode.opcode)) return true;
  // op-start, op-update, op-done of any op without asynchronous opcodes.
  struct Suffix {
    std::string_view text;
    HloOpcode opcode;
  };
  for (const Suffix& suffix : {Suffix{"-start", HloOpcode::kAsyncStart}, Suffix{"-update", HloOpcode::kAsyncUpdate},
                               Suffix{"-done", HloOpcode::kAsyncDone}}) {
    if (!word.text().ends_with(suffix.text)) continue;
    const size_t size = word.size - suffix.text.size();
    if (kOpcodes.Find(word.data, size, HashBytes(word.data, size), opcode.wrapped)) {
      opcode.opcode = suffix.opcode;
      opcode.is_sugar = true;
      return true;
    }
  }
  if (options().allow_unknown) {
    opcode.opcode = HloOpcode::kCustomCall;
    opcode.unknown = word.text();
    return true;
  }
  return Fail(place, Format("unknown opcode '{}'{}", word.text(), SuggestOpcode(word.text())));
}

bool ModuleReader::ParseInstruction(HloInstruction*& instruction, bool& is_root) {
  is_root = lexer_.Peek() != '%' && lexer_.AcceptWord("ROOT");
  lexer_.SkipBlank();
  const char* place = lexer_.at();
  const int32_t line = lines_.LineOf(place);
  Word name;
  if (lexer_.AcceptDefinition(name)) {
    lines_.PassText(place, lexer_.at());
  } else {
    if (!ReadName(name, "an instruction or '}'")) return false;
    if (*lexer_.at() == '=' && *place != '%')
      return Fail(place, "expected a space before '=' of an instruction, or ',' before an attribute");
    if (!Expect('=')) return false;
  }
  names_.Prefetch(name);
  return ParseInstructionBody({name, place, line}, /*is_nested=*/false, instruction);
}

// Operands as they are printed, `(%name, %name)`: reads those before one that is written otherwise. True if these are
// all of them. A known name consists of legal characters, so these are not looked at again.
[[gnu::always_inline]] inline bool ModuleReader::ReadUsualOperands(const char*& at) {
  if (at[0] != '(') return false;
  const char* name = at + 1;
  while (*name == '%') {
    ++name;
    const char* const end = scan::OperandEnd(name, lexer_.end());
    const size_t size = static_cast<size_t>(end - name);
    HloInstruction* operand = last_defined_;
    if (operand == nullptr || size != last_name_.size || !SameBytes(name, last_name_.data, size)) {
      operand = names_.Meaning({name, static_cast<uint32_t>(size), HashBytes(name, size)});
    }
    // (The text ends with a NUL.)
    if (operand == nullptr || operand->parent() != computation_ || *end == '#') return false;
    operands_.push_back(operand);
    at = end;
    if (*end == ')') return at = end + 1, true;
    if (end[0] != ',' || end[1] != ' ') return false;
    name = end + 2;
  }
  return false;
}

bool ModuleReader::ParseInstructionBody(const Definition& definition, bool is_nested, HloInstruction*& instruction) {
  const Word& name = definition.name;
  const char* const place = definition.place;
  const char* at = lexer_.at();
  const Shape* shape = ReadKnownShape(at);
  const char* opcode_place = at + 1;
  Opcode opcode;
  if (shape != nullptr && *at == ' ' && ReadUsualOpcode(++at, opcode.opcode)) {
    lines_.PassText(lexer_.at(), at);
  } else {
    lexer_.set_at(at);
    if (shape == nullptr && LooksLikeShape() && !ParseInternedShape(shape)) return false;
    lexer_.SkipBlank();
    at = opcode_place = lexer_.at();
    if (!ReadUsualOpcode(at, opcode.opcode)) {
      if (!ParseOpcode(opcode)) return false;
      at = lexer_.at();
    }
  }
  if (part_ != nullptr && NeedsWholeModule(opcode, name)) return GiveUpPart();
  if (module_->instruction_id_limit() >= options().max_instructions) {
    return FailLimit(place, Format("more than {} instructions", options().max_instructions));
  }

  const size_t first_operand = operands_.size();
  size_t operand_count = 0;
  if (opcode.opcode == HloOpcode::kParameter || opcode.opcode == HloOpcode::kConstant) {
    if (shape == nullptr) return Fail(opcode_place, Format("{} needs its shape before it", OpcodeName(opcode.opcode)));
    lexer_.set_at(at);
    instruction = loader_.NewInstruction(opcode.opcode, shape, {}, computation_);
    if (!Expect('(')) return false;
    if (opcode.opcode == HloOpcode::kParameter ? !ParseParameterNumber(instruction)
                                               : !ParseConstantValue(instruction, opcode_place)) {
      return false;
    }
    if (!Expect(')')) return false;
  } else {
    const char* const before = at;
    const bool is_usual = ReadUsualOperands(at);
    lexer_.set_at(at);
    if (is_usual) lines_.PassText(before, at);
    else if (!ParseOperandList(first_operand)) return false;
    operand_count = operands_.size() - first_operand;
    const int arity = GetOpcodeInfo(opcode.opcode).arity;
    if (static_cast<int64_t>(operand_count) != arity && !opcode.is_sugar &&
        !CheckArity(opcode.opcode, operand_count, opcode_place)) {
      return false;
    }
    instruction =
        loader_.NewInstruction(opcode.opcode, shape, {operands_.data() + first_operand, operand_count}, computation_);
    operands_.resize(first_operand);
  }
  instruction->set_line(definition.line);

  const char* const end = lexer_.at();
  if (!is_nested && kMayEndAfterOperands[static_cast<size_t>(opcode.opcode)] && lexer_.AcceptLineEnd()) {
    lines_.PassLine(end, lexer_.at());
  } else if (opcode.is_sugar && opcode.opcode == HloOpcode::kAsyncStart) {
    if (!WrapAsyncStart(instruction, opcode.wrapped, opcode_place)) return false;
  } else if (!opcode.unknown.empty()) {
    if (!ParseUnknownOperation(instruction, opcode.unknown, is_nested, opcode_place)) return false;
  } else if (!ParseAttributes(instruction, instruction, is_nested, opcode_place)) {
    return false;
  }
  if (shape == nullptr && part_ != nullptr && !instruction->called_computations().empty()) return GiveUpPart();
  if (shape == nullptr && !InferMissingShape(instruction, opcode_place)) return false;
  if (!CheckInstruction(instruction, opcode, opcode_place)) return false;

  // The name is defined only now, because an instruction cannot be its own operand.
  if (!name.empty()) {
    if (!Define(name, instruction, place)) return false;
  } else {
    NameAnonymous(instruction, Format("{}.anon", OpcodeName(instruction->opcode())));
  }
  GraphLoader::Append(computation_, instruction);
  return true;
}

HloInstruction* ModuleReader::NewParameter(int64_t number, const Shape* shape, HloComputation* parent) {
  HloInstruction* parameter = loader_.NewInstruction(HloOpcode::kParameter, shape, {}, parent);
  loader_.attributes<ParameterAttributes>(parameter)->number = number;
  return parameter;
}

bool ModuleReader::ParseParameterNumber(HloInstruction* instruction) {
  auto* attributes = loader_.attributes<ParameterAttributes>(instruction);
  lexer_.SkipBlank();
  const char* place = lexer_.at();
  if (!lexer_.ReadInt(attributes->number)) return FailExpected("the parameter's number");
  return attributes->number >= 0 || Fail(place, "a parameter's number cannot be negative");
}

bool ModuleReader::ParseConstantValue(HloInstruction* instruction, const char* place) {
  auto* attributes = loader_.attributes<ConstantAttributes>(instruction);
  if (!instruction->shape().IsArray() && !instruction->shape().IsTuple()) {
    return Fail(place, Format("a constant cannot have shape {}", instruction->shape().ToString()));
  }
  return ParseLiteral(instruction->shape(), attributes->literal);
}

// The rest of "(" [operand {"," operand}] ")", whose operands are on operands_ from `before` on.
bool ModuleReader::ParseOperandList(size_t before) {
  if (operands_.size() == before) {
    if (!Expect('(')) return false;
    if (lexer_.Accept(')')) return true;
  } else if (!lexer_.Accept(',')) {
    return Expect(')');
  }
  do {
    if (!ParseOperand()) return false;
  } while (lexer_.Accept(','));
  return Expect(')');
}

// Most operands are the preceding instruction. An operand that is a name after a % is first compared with that name.
bool ModuleReader::IsLastDefined(const char* at) const {
  if (*at != '%' || last_defined_ == nullptr || last_defined_->parent() != computation_) return false;
  const char* const name = at + 1;
  const size_t size = last_name_.size;
  return static_cast<size_t>(lexer_.end() - name) > size && (name[size] == ',' || name[size] == ')') &&
         SameBytes(name, last_name_.data, size);
}

// [shape] name {"#" INT} | [shape] opcode "(" [operands] ")"
bool ModuleReader::ParseOperand() {
  lexer_.SkipBlank();
  const char* start = lexer_.at();
  if (IsLastDefined(start)) {
    operands_.push_back(last_defined_);
    lexer_.set_at(start + 1 + last_name_.size);
    return true;
  }
  const Shape* stated = nullptr;
  Word name;
  const char* name_place = start;
  if (*start == '%') {
    if (!ReadName(name, "an operand")) return false;
  } else {
    if (LooksLikeShape()) {
      if (!ParseInternedShape(stated)) return false;
      lexer_.SkipBlank();
      name_place = lexer_.at();
    }
    const bool percent = *name_place == '%';
    if (percent || IsWordStart(*name_place)) {
      if (!ReadName(name, "an operand")) return false;
      if (!percent && lexer_.Peek() == '(') {
        // An instruction without a name.
        Nesting nesting(*this, kInstructionWeight);
        if (nesting.TooDeep()) return FailDepth(start);
        lexer_.set_at(start);
        HloInstruction* operand = nullptr;
        if (!ParseInstructionBody({Word(), start, lines_.LineOf(start)}, /*is_nested=*/true, operand)) return false;
        operands_.push_back(operand);
        return true;
      }
    } else if (stated == nullptr || single_computation_ == nullptr) {
      return FailExpected("an operand");
    }
  }
  HloInstruction* operand = name.empty() ? nullptr : FindInstruction(name);
  if (operand == nullptr) {
    // If the text is a single instruction, its operands become parameters.
    if (stated == nullptr || computation_ != single_computation_) {
      return Fail(name_place, Format("instruction '{}' is not defined", name.text()));
    }
    const int64_t number = static_cast<int64_t>(GraphLoader::parameters(computation_).size());
    operand = NewParameter(number, stated, computation_);
    if (name.empty()) NameAnonymous(operand, Format("_{}", number));
    else if (!Define(name, operand, name_place)) return false;
    GraphLoader::Append(computation_, operand);
  }
  // The shape belongs to the named instruction, also if `#i` selects an element of it.
  if (stated != nullptr && stated != &operand->shape() && !stated->Compatible(operand->shape())) {
    return Fail(start, Format("the operand is declared {}, but '{}' is {}", stated->ToString(), operand->name(),
                              operand->shape().ToString()));
  }
  if (*lexer_.at() == '#' && !ParseTupleElementChain(operand, name)) return false;
  operands_.push_back(operand);
  return true;
}

// #0#1 after a name: get-tuple-element instructions, made once for each such text.
bool ModuleReader::ParseTupleElementChain(HloInstruction*& operand, const Word& base) {
  if (part_ != nullptr) return GiveUpPart();  // its name derives from one that is not assigned yet
  const char* end = base.data + base.size;
  while (*lexer_.at() == '#') {
    const char* place = lexer_.at();
    lexer_.set_at(place + 1);
    int64_t index = 0;
    if (!lexer_.ReadDigits(index)) return FailExpected("a tuple index after '#'");
    if (!operand->shape().IsTuple() || index < 0 || index >= operand->shape().tuple_size()) {
      return Fail(place,
                  Format("'{}' of shape {} has no element {}", operand->name(), operand->shape().ToString(), index));
    }
    end = lexer_.at();
    const uint32_t size = static_cast<uint32_t>(end - base.data);
    const Word key{base.data, size, HashBytes(base.data, size)};
    if (HloInstruction* known = FindInstruction(key)) {
      operand = known;
      continue;
    }
    const Shape* shape = loader_.KeepShape(operand->shape().tuple_shapes(index));
    HloInstruction* element = loader_.NewInstruction(HloOpcode::kGetTupleElement, shape, {&operand, 1}, computation_);
    loader_.attributes<GetTupleElementAttributes>(element)->index = index;
    element->set_line(lines_.LineOf(place));
    NameAnonymous(element, Format("{}.{}", operand->name(), index));
    GraphLoader::Append(computation_, element);
    HloInstruction* outer = names_.Meaning(key);
    if (outer != nullptr && has_inline_computations_) shadowed_.push_back({key, outer});
    names_.Set(key, element);
    operand = element;
  }
  return true;
}

bool ModuleReader::CheckArity(HloOpcode opcode, size_t count, const char* place) {
  const OpcodeInfo& info = GetOpcodeInfo(opcode);
  const bool fits =
      info.arity >= 0 ? count == static_cast<size_t>(info.arity) : count >= static_cast<size_t>(-info.arity - 1);
  if (fits) return true;
  return Fail(place, Format("{} takes {}{} operand{}, not {}", info.name, info.arity >= 0 ? "" : "at least ",
                            info.arity >= 0 ? info.arity : -info.arity - 1,
                            info.arity == 1 || info.arity == -2 ? "" : "s", count));
}

}  // namespace hloir
