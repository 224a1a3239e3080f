// The attributes of an instruction: fields of its opcode's struct (attributes.def), called computations (CallKind), and
// those that any instruction may have.

#include <algorithm>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "module_reader.h"

#include "support/format.h"
#include "support/stable_sort.h"

namespace hloir {
namespace {

enum Generic : uint8_t {
  kSharding,
  kFrontendAttributes,
  kStatistics,
  kControlPredecessors,
  kOrigin,
  kMetadata,
  kBackendConfig,
  kResultAccuracy,
  kGenericCount
};
constexpr std::string_view kGenericNames[kGenericCount] = {
    "sharding", "frontend_attributes", "statistics",     "control-predecessors", "origin",
    "metadata", "backend_config",      "result_accuracy"};

// Attributes that are parsed and ignored.
struct Ignored {
  HloOpcode opcode;
  std::string_view name;
};
constexpr Ignored kIgnored[] = {
    {HloOpcode::kCustomCall, "opaque"},
    {HloOpcode::kCopyStart, "is_cross_program_prefetch"},
};

// The words of mode=, which selects the meaning of channel_id and use_global_device_ids of all-reduce and
// reduce-scatter.
constexpr std::string_view kGroupModes[] = {"cross_replica", "cross_partition", "cross_replica_and_partition",
                                            "flattened_id"};

// The opcodes that may have a required accuracy.
bool HasResultAccuracy(HloOpcode opcode) {
  return HasTrait(opcode, kElementwise) && GetOpcodeInfo(opcode).arity == 1 &&
         (GetOpcodeInfo(opcode).cost == OpCost::kTranscendental || opcode == HloOpcode::kSqrt ||
          opcode == HloOpcode::kRsqrt);
}

// The number of entries in a required `dimensions=`; -1 for any number.
struct DimensionsRule {
  HloOpcode opcode;
  int count;
};
constexpr DimensionsRule kDimensionsRequired[] = {
    {HloOpcode::kTranspose, -1},       {HloOpcode::kReverse, -1},      {HloOpcode::kConcatenate, 1},
    {HloOpcode::kReduce, -1},          {HloOpcode::kSort, 1},          {HloOpcode::kGetDimensionSize, 1},
    {HloOpcode::kSetDimensionSize, 1}, {HloOpcode::kScan, 1},          {HloOpcode::kAllGather, 1},
    {HloOpcode::kAllGatherStart, 1},   {HloOpcode::kReduceScatter, 1},
};

}  // namespace

// Reads a field of an attribute struct, with the type erased.
struct ModuleReader::FieldReader {
  template <class A, auto member>
  static bool Read(ModuleReader& reader, void* attributes) {
    return reader.Read(static_cast<A*>(attributes)->*member);
  }
};

namespace {

// The attribute structs as data: one loop for all structs, instead of a function for each, saves 90 kB of code.
struct Field {
  std::string_view name;
  FieldRule rule;
  bool (*read)(ModuleReader&, void* attributes);  // nullptr: not read by its name
};
template <class A, auto member>
constexpr bool (*ReaderOf())(ModuleReader&, void*) {
  // Parameter numbers and literals of constants are not attributes in text; ParseParameterReplication reads the other
  // fields.
  using Value = std::remove_cvref_t<decltype(std::declval<A&>().*member)>;
  if constexpr (std::is_same_v<A, ParameterAttributes> || std::is_same_v<Value, Literal>) return nullptr;
  else return ModuleReader::FieldReader::Read<A, member>;
}

template <class A>
struct FieldsOf {
  static constexpr std::span<const Field> kFields = {};
};
#define HLOIR_STRUCT(type) \
  template <>              \
  struct FieldsOf<type> {  \
    using A = type;        \
    static constexpr Field kFields[] = {
#define HLOIR_FIELD(ctype, name, default_value, rule) {#name, FieldRule::rule, ReaderOf<A, &A::name>()},
#define HLOIR_END(type) \
  }                     \
  ;                     \
  }                     \
  ;
#include "hloir/attributes.def"
#undef HLOIR_STRUCT
#undef HLOIR_FIELD
#undef HLOIR_END

template <class A, class... Others>
constexpr bool kIsOneOf = (std::is_same_v<A, Others> || ...);
// Attributes that depend only on their text and opcode, and are often repeated.
template <class A>
constexpr bool kMayComeAgain =
    kIsOneOf<A, CompareAttributes, ConvolutionAttributes, DimensionsAttributes, DotAttributes, DynamicSliceAttributes,
             GatherAttributes, GetTupleElementAttributes, IotaAttributes, PadAttributes, ReshapeAttributes,
             SliceAttributes>;

struct AttributesInfo {
  std::span<const Field> fields;
  void* (*own)(GraphLoader&, HloInstruction*) = nullptr;  // the instruction's struct, created if it has none
  void (*share)(HloInstruction*, const void*) = nullptr;  // nullptr: never shared
  CallKind calls = CallKind::kNone;
  DimVector* (*dimensions)(void*) = nullptr;  // the field `dimensions`, if the struct has it
  bool (*mixes_ids)(const void*) = nullptr;   // use_global_device_ids without a channel_id
};
template <class A>
constexpr AttributesInfo InfoOf(CallKind calls) {
  AttributesInfo info;
  info.calls = calls;
  info.fields = FieldsOf<A>::kFields;
  if constexpr (!std::is_same_v<A, NoAttributes>) {
    info.own = [](GraphLoader& loader, HloInstruction* instruction) -> void* {
      return loader.attributes<A>(instruction);
    };
  }
  if constexpr (kMayComeAgain<A>) {
    info.share = [](HloInstruction* instruction, const void* attributes) {
      GraphLoader::ShareAttributes(instruction, static_cast<const A*>(attributes));
    };
  }
  if constexpr (requires(A & a, DimVector * &dimensions) { dimensions = &a.dimensions; }) {
    info.dimensions = [](void* attributes) { return &static_cast<A*>(attributes)->dimensions; };
  }
  if constexpr (kIsOneOf<A, AllReduceAttributes, ReduceScatterAttributes>) {
    info.mixes_ids = [](const void* attributes) {
      const A& a = *static_cast<const A*>(attributes);
      return a.use_global_device_ids && !a.channel_id.has_value();
    };
  }
  return info;
}
using None = NoAttributes;
constexpr AttributesInfo kAttributesInfos[] = {
#define HLOIR_OP(name, text, arity, attributes, calls, ...) InfoOf<attributes>(CallKind::calls),
#include "hloir/opcodes.def"
#undef HLOIR_OP
};
const AttributesInfo& GetAttributesInfo(HloOpcode opcode) { return kAttributesInfos[static_cast<size_t>(opcode)]; }

}  // namespace

struct ModuleReader::AttributeContext {
  HloInstruction* instruction;  // the instruction with the op's own attributes
  HloInstruction* outer;        // the instruction with the generic attributes: the same, or the async-start around it
  const char* place;            // of the opcode: the location of errors about missing attributes
  uint64_t fields_seen = 0;     // bit i: field i of the op's struct
  uint32_t generic_seen = 0;
  bool has_group_mode = false;
  uint32_t calls_seen = 0;  // bits 0 and 1 for the first and the second name, bit 2 for a list
  // By CallKind; null until named.
  HloComputation* calls[2] = {nullptr, nullptr};
  std::vector<HloComputation*> call_list{};
};

// {name, name}: computations, or inline bodies.
bool ModuleReader::ParseComputationList(std::vector<HloComputation*>& list) {
  return ReadList([&] { return ParseComputationReference(list.emplace_back()); });
}

namespace {

// Reads `name=` of an attribute that any instruction may have; otherwise nothing.
Generic AcceptGeneric(Lexer& lexer) {
  const auto is_next = [&](const auto& name) { return lexer.Accept(name); };
  switch (*lexer.at()) {
    case 'm': return is_next("metadata=") ? kMetadata : kGenericCount;
    case 's': return is_next("sharding=") ? kSharding : is_next("statistics=") ? kStatistics : kGenericCount;
    case 'f': return is_next("frontend_attributes=") ? kFrontendAttributes : kGenericCount;
    case 'b': return is_next("backend_config=") ? kBackendConfig : kGenericCount;
    case 'c': return is_next("control-predecessors=") ? kControlPredecessors : kGenericCount;
    case 'o': return is_next("origin=") ? kOrigin : kGenericCount;
    case 'r': return is_next("result_accuracy=") ? kResultAccuracy : kGenericCount;
    default: return kGenericCount;
  }
}

}  // namespace

bool ModuleReader::ParseGenericAttribute(AttributeContext& context, bool& known) {
  const char* const place = lexer_.at();
  const Generic which = AcceptGeneric(lexer_);
  known = which != kGenericCount;
  if (!known) return true;
  if ((context.generic_seen >> which & 1) != 0) {
    return Fail(place, Format("attribute {} appears twice", kGenericNames[which]));
  }
  context.generic_seen |= 1u << which;
  HloInstruction* instruction = context.outer;
  switch (which) {
    case kMetadata: return ParseSharedMetadata(instruction);
    case kSharding: {
      const Sharding* sharding = nullptr;
      if (!ParseSharedSharding(sharding)) return false;
      GraphLoader::set_sharding(instruction, sharding);
      return true;
    }
    case kFrontendAttributes: return ParseSharedFrontendAttributes(instruction);
    case kBackendConfig: return ParseBackendConfig(GraphLoader::extras(instruction).backend_config);
    case kStatistics: {
      auto& statistics = GraphLoader::extras(instruction).statistics;
      if (!ParseStatistics(statistics.emplace())) return false;
      if (statistics->values.empty()) statistics.reset();
      return true;
    }
    case kOrigin: return ParseOriginalValue(GraphLoader::extras(instruction).original_value.emplace());
    case kResultAccuracy: {
      HloInstruction* own = context.instruction;
      if (!HasResultAccuracy(own->opcode())) {
        return FailUnknownAttribute(own->opcode(), place, kGenericNames[kResultAccuracy]);
      }
      return Read(GraphLoader::extras(own).result_accuracy.emplace());
    }
    case kControlPredecessors:
      if (const char* at = (lexer_.SkipBlank(), lexer_.at()); lexer_.Accept('{') && lexer_.Peek() == '}') {
        return FailExpected("an instruction's name");
      } else {
        lexer_.set_at(at);
      }
      return ReadList([&] {
        Word predecessor;
        lexer_.SkipBlank();
        const char* at = lexer_.at();
        if (!ReadName(predecessor, "an instruction's name")) return false;
        HloInstruction* found = FindInstruction(predecessor);
        if (found == nullptr) return Fail(at, Format("instruction '{}' is not defined", predecessor.text()));
        found->AddControlDependencyTo(instruction);
        return true;
      });
    case kGenericCount: break;
  }
  return true;
}

// The attributes that name called computations.
bool ModuleReader::ParseCallAttribute(AttributeContext& context, const Word& name, bool& known) {
  const CallKind kind = GetOpcodeInfo(context.instruction->opcode()).calls;
  const std::string_view text = name.text();
  int slot = -1;
  switch (kind) {
    case CallKind::kNone: break;
    case CallKind::kToApply: slot = text == "to_apply" ? 0 : -1; break;
    case CallKind::kCalls: slot = text == "calls" ? 0 : -1; break;
    case CallKind::kConditionBody: slot = text == "condition" ? 0 : text == "body" ? 1 : -1; break;
    case CallKind::kSelectScatter: slot = text == "select" ? 0 : text == "scatter" ? 1 : -1; break;
    case CallKind::kBranches:
      slot = text == "true_computation" ? 0 : text == "false_computation" ? 1 : text == "branch_computations" ? 2 : -1;
      break;
    case CallKind::kCalledComputations: slot = text == "to_apply" ? 0 : text == "called_computations" ? 2 : -1; break;
  }
  // Some old dumps have calls= on async-update and async-done, which must be the start's computation.
  const HloOpcode opcode = context.instruction->opcode();
  if (slot < 0 && (opcode == HloOpcode::kAsyncUpdate || opcode == HloOpcode::kAsyncDone) && text == "calls") slot = 0;
  if (slot < 0) return true;
  known = true;
  if ((context.calls_seen >> slot & 1) != 0) return Fail(name.data, Format("attribute {} appears twice", text));
  context.calls_seen |= 1u << slot;
  if (slot == 2) return ParseComputationList(context.call_list);
  return ParseComputationReference(context.calls[slot]);
}

bool ModuleReader::FinishCalls(AttributeContext& context) {
  HloInstruction* instruction = context.instruction;
  const OpcodeInfo& info = GetOpcodeInfo(instruction->opcode());
  if (info.calls == CallKind::kNone && context.calls_seen == 0) return true;
  auto missing = [&](std::string_view attribute) {
    return Fail(context.place, Format("{} needs the attribute {}", info.name, attribute));
  };
  auto have = [&](int slot) { return (context.calls_seen >> slot & 1) != 0; };
  switch (info.calls) {
    case CallKind::kNone: return !have(0) || CheckAsyncCalls(instruction, context.calls[0], context.place);
    case CallKind::kToApply:
      if (!have(0)) return missing("to_apply");
      break;
    case CallKind::kCalls:
      if (!have(0)) return missing("calls");
      break;
    case CallKind::kConditionBody:
    case CallKind::kSelectScatter: {
      const bool is_while = info.calls == CallKind::kConditionBody;
      if (!have(0)) return missing(is_while ? "condition" : "select");
      if (!have(1)) return missing(is_while ? "body" : "scatter");
      break;
    }
    case CallKind::kBranches:
      if (have(2) && (have(0) || have(1))) {
        return Fail(context.place, "a conditional has branch_computations, or true_computation and false_computation");
      }
      if (!have(2) && !have(0)) {
        return missing(instruction->IsPredConditional() ? "true_computation" : "branch_computations");
      }
      if (!have(2) && !have(1)) return missing("false_computation");
      if (have(2) && instruction->IsPredConditional()) {
        return Fail(context.place, "a conditional on a pred has true_computation and false_computation");
      }
      if (!have(2) && IsInteger(instruction->operand(0)->shape().element_type())) return missing("branch_computations");
      if (have(2) && context.call_list.empty()) return Fail(context.place, "a conditional needs at least one branch");
      break;
    case CallKind::kCalledComputations: break;
  }
  for (HloComputation* computation : context.calls) {
    if (computation != nullptr) loader_.AddCall(instruction, computation);
  }
  // With to_apply, called_computations are parsed and ignored.
  if (info.calls == CallKind::kCalledComputations && have(0)) return true;
  for (HloComputation* computation : context.call_list) loader_.AddCall(instruction, computation);
  return true;
}

bool ModuleReader::ParseIgnoredAttribute(HloOpcode opcode, const Word& name, bool& known) {
  if (opcode == HloOpcode::kRaggedAllToAll && name.text() == "dimensions") {
    DimVector dimensions;
    known = true;
    if (!Read(dimensions)) return false;
    return dimensions.size() == 1 || Fail(name.data, "ragged-all-to-all has one of dimensions=");
  }
  for (const Ignored& ignored : kIgnored) {
    if (ignored.opcode != opcode || ignored.name != name.text()) continue;
    known = true;
    std::string_view raw;
    return SkipAttributeValue(raw);
  }
  return true;
}

bool ModuleReader::FailUnknownAttribute(HloOpcode opcode, const char* place, std::string_view name) {
  std::vector<std::string> allowed(std::begin(kGenericNames), std::end(kGenericNames));
  for (const Field& field : GetAttributesInfo(opcode).fields) allowed.emplace_back(field.name);
  StableSort(allowed, std::less<>());
  std::string list;
  for (const std::string& attribute : allowed) list += (list.empty() ? "" : ", ") + attribute;
  return Fail(place, Format("{} has no attribute '{}'; beside the computations it calls it may have {}",
                            OpcodeName(opcode), name, list));
}

// Attributes of the async op around the current one.
bool ModuleReader::ParseOuterAsyncAttribute(HloInstruction* outer, const Word& name, bool& known) {
  auto& async = outer->mutable_attributes<AsyncAttributes>();
  if (name.text() == "async_execution_thread") return known = true, Read(async.async_execution_thread);
  if (name.text() == "output_to_operand_aliasing") return known = true, Read(async.output_to_operand_aliasing);
  return true;
}

bool ModuleReader::CheckDimensions(const HloInstruction& instruction, DimVector& dimensions, bool seen,
                                   const char* place) {
  const HloOpcode opcode = instruction.opcode();
  for (const DimensionsRule& rule : kDimensionsRequired) {
    if (rule.opcode != opcode) continue;
    if (!seen) return Fail(place, Format("{} needs the attribute dimensions", OpcodeName(opcode)));
    if (rule.count >= 0 && static_cast<int>(dimensions.size()) != rule.count) {
      return Fail(place, Format("{} needs {} dimension, not {}", OpcodeName(opcode), rule.count, dimensions.size()));
    }
  }
  if (opcode == HloOpcode::kBroadcast && !seen && instruction.operand(0)->shape().rank() != 0) {
    return Fail(place, "broadcast needs the attribute dimensions, unless its operand is a scalar");
  }
  if (opcode == HloOpcode::kAllToAll && seen && dimensions.size() != 1)
    return Fail(place, "all-to-all splits one dimension");
  if (opcode == HloOpcode::kMap) {
    // Maps all dimensions, regardless of the text.
    DimVector all;
    for (int64_t i = 0; i < instruction.operand(0)->shape().rank(); ++i) all.push_back(i);
    if (!GraphLoader::has_shape(instruction) && dimensions != all) {
      return Fail(place, "a map without a result shape before it names all dimensions, in order");
    }
    dimensions = std::move(all);
  }
  return true;
}

constexpr std::string_view kMetadataBegins = ", metadata={op_name=\"", kCallBegins = ", to_apply=%";

// The text before the metadata or a called computation, or before the end of the line if there is none; data() is
// nullptr if the search reached its limit.
std::string_view ModuleReader::TextOfOwnAttributes() const {
  constexpr ptrdiff_t kLongest = 256;  // because many searches in one long text would take quadratic time
  const char* const at = lexer_.at();
  const char* const limit = at + std::min(kLongest, lexer_.end() - at);
  const char* end = scan::FindNot<scan::InOwnAttributes>(at, limit);
  if (end == limit) return {};
  if (*end != '\n') {
    const std::string_view begins = *end == '"' ? kMetadataBegins : kCallBegins;
    const std::string_view before(at, static_cast<size_t>(end + 1 - at));
    if (!before.ends_with(begins)) return {};
    end -= begins.size() - 1;
  }
  return {at, static_cast<size_t>(end - at)};
}

// Reads the field of that name; otherwise the attribute is unknown.
bool ModuleReader::ParseField(AttributeContext& context, void* attributes, const Word& name, bool& known) {
  uint64_t bit = 1;
  for (const Field& field : GetAttributesInfo(context.instruction->opcode()).fields) {
    if (field.name == name.text() && field.read != nullptr) {
      known = true;
      if ((context.fields_seen & bit) != 0) return Fail(name.data, Format("attribute {} appears twice", field.name));
      context.fields_seen |= bit;
      return field.read(*this, attributes);
    }
    bit <<= 1;
  }
  return true;
}

bool ModuleReader::ParseParameterReplication(HloInstruction* parameter, const char* place) {
  BoolList& flags = loader_.attributes<ParameterAttributes>(parameter)->parameter_replication;
  if (!flags.empty()) return Fail(place, "attribute parameter_replication appears twice");
  if (lexer_.Peek() != '{') return FailExpected('{');
  if (!Read(flags)) return false;
  const size_t leaves = parameter->shape().Leaves().size();
  if (flags.size() == leaves) return true;
  return Fail(place, Format("{} parameter_replication flags for {} leaves", flags.size(), leaves));
}

// An attribute that is not a field of the opcode's struct.
bool ModuleReader::ParseOtherAttribute(AttributeContext& context, const Word& name) {
  HloInstruction* instruction = context.instruction;
  const HloOpcode opcode = instruction->opcode();
  bool known = false;
  if (opcode == HloOpcode::kParameter && name.text() == "parameter_replication") {
    known = true;
    if (!ParseParameterReplication(instruction, name.data)) return false;
  }
  if (!known && context.outer != instruction && !ParseOuterAsyncAttribute(context.outer, name, known)) return false;
  if (!known && !ParseIgnoredAttribute(opcode, name, known)) return false;
  if (!known && name.text() == "mode" && GetAttributesInfo(opcode).mixes_ids != nullptr) {
    known = context.has_group_mode = true;
    int64_t ignored = 0;
    if (!ReadEnumWord(kGroupModes, ignored)) return false;
  }
  if (known) return true;
  if (!options().allow_unknown) return FailUnknownAttribute(opcode, name.data, name.text());
  std::string_view raw;
  if (!SkipAttributeValue(raw)) return false;
  GraphLoader::extras(context.outer).unknown_attributes.emplace_back(name.text(), raw);
  return true;
}

// Checks that all required fields of the opcode are present and that `dimensions` fits.
bool ModuleReader::CheckFields(const AttributeContext& context, void* attributes) {
  const AttributesInfo& info = GetAttributesInfo(context.instruction->opcode());
  uint64_t bit = 1;
  for (const Field& field : info.fields) {
    const bool seen = (context.fields_seen & bit) != 0;
    bit <<= 1;
    if (!seen && field.rule == FieldRule::kRequired) {
      return Fail(context.place,
                  Format("{} needs the attribute {}", OpcodeName(context.instruction->opcode()), field.name));
    }
    if (info.dimensions != nullptr && field.name == "dimensions" &&
        !CheckDimensions(*context.instruction, *info.dimensions(attributes), seen, context.place)) {
      return false;
    }
  }
  return true;
}

namespace {
[[gnu::always_inline]] inline bool Begins(const char* at, std::string_view text) {
  return std::memcmp(at, text.data(), text.size()) == 0;
}
}  // namespace

// Takes the attributes of an earlier instruction with the same opcode and text; otherwise notes where to keep these.
// Shared attributes are text of one line.
void ModuleReader::FindSeenAttributes(HloInstruction* instruction, OwnAttributes& own) {
  const char* const at = lexer_.at();
  const HloOpcode opcode = instruction->opcode();
  uint8_t& latest = latest_attributes_[static_cast<size_t>(opcode)];
  const auto is_seen = [&](const SeenAttributes& seen) {
    return seen.attributes != nullptr && seen.opcode == opcode && SameBytes(seen.text.data(), at, seen.text.size());
  };
  const auto take = [&](const SeenAttributes& seen) {
    GetAttributesInfo(opcode).share(instruction, own.attributes = seen.attributes);
    own.fields_seen = seen.fields_seen;
    lexer_.set_at(at + seen.text.size());
    lines_.PassText(at, lexer_.at());
  };
  // Mostly the text of the opcode's last instruction.
  const SeenAttributes& last = seen_attributes_[latest];
  if (static_cast<size_t>(lexer_.end() - at) > last.text.size() + kMetadataBegins.size() && is_seen(last)) {
    const char* const end = at + last.text.size();
    if (*end == '\n' || Begins(end, kMetadataBegins) || Begins(end, kCallBegins)) return take(last);
  }
  own.text = TextOfOwnAttributes();
  if (own.text.data() == nullptr) return;
  latest = static_cast<uint8_t>(HashBytes(own.text.data(), own.text.size()) + static_cast<size_t>(opcode));
  own.slot = &seen_attributes_[latest];
  if (own.slot->text.size() != own.text.size() || !is_seen(*own.slot)) return;
  take(*own.slot);
  own.slot = nullptr;
}

bool ModuleReader::ParseAttributes(HloInstruction* instruction, HloInstruction* outer, bool is_nested,
                                   const char* place) {
  const HloOpcode opcode = instruction->opcode();
  const AttributesInfo& info = GetAttributesInfo(opcode);
  OwnAttributes own;
  if (info.share != nullptr && !is_nested) FindSeenAttributes(instruction, own);
  own.end = lexer_.at();
  if (own.attributes != nullptr && info.calls == CallKind::kNone && lexer_.AcceptLineEnd()) {
    lines_.PassLine(own.end, lexer_.at());
    return true;
  }
  if (!is_nested && lexer_.Accept(", metadata=")) {
    own.has_metadata = own.has_others = true;
    if (!ParseSharedMetadata(outer)) return false;
  }
  // Most lines end here, and their fields were checked when they were read first.
  const bool is_checked = info.own == nullptr || own.attributes != nullptr;
  if (!is_nested) lexer_.SkipLineEnd();
  if (is_checked && info.calls == CallKind::kNone && (is_nested || lexer_.Peek() != ',')) return true;
  return ParseMoreAttributes(instruction, outer, is_nested, place, own);
}

bool ModuleReader::ParseMoreAttributes(HloInstruction* instruction, HloInstruction* outer, bool is_nested,
                                       const char* place, OwnAttributes& own) {
  const HloOpcode opcode = instruction->opcode();
  const AttributesInfo& info = GetAttributesInfo(opcode);
  AttributeContext context{instruction, outer, place};
  context.fields_seen = own.fields_seen;
  context.generic_seen = own.has_metadata ? 1u << kMetadata : 0;
  bool is_checked = own.attributes != nullptr;  // when they were read first
  // Parameters and constants already have attributes, which were parsed in place of operands.
  if (info.own != nullptr && own.attributes == nullptr) own.attributes = info.own(loader_, instruction);
  while (!is_nested && lexer_.Accept(',')) {
    lexer_.SkipBlank();
    bool known = false;
    if (!ParseGenericAttribute(context, known)) return false;
    Word name;
    if (!known) {
      name = lexer_.ReadWord();
      if (name.empty()) return FailExpected("an attribute's name");
      if (!ExpectEquals()) return false;
      if (!ParseCallAttribute(context, name, known)) return false;
    }
    if (known) {
      own.has_others = true;
      continue;
    }
    if (info.own != nullptr) {
      if (info.share != nullptr) own.attributes = info.own(loader_, instruction);  // a copy of its own
      if (!ParseField(context, own.attributes, name, known)) return false;
    }
    if (known) {
      is_checked = false;
      if (own.has_others) own.slot = nullptr;  // their text does not stand in one place
      own.end = lexer_.at();
    } else {
      own.has_others = true;
      if (!ParseOtherAttribute(context, name)) return false;
    }
  }
  if (info.own != nullptr && !is_checked && !CheckFields(context, own.attributes)) return false;
  // (The required dimensions of a broadcast depend on its operand, those of a map are its operand's.)
  if (own.slot != nullptr && own.end == own.text.data() + own.text.size() && opcode != HloOpcode::kMap &&
      (opcode != HloOpcode::kBroadcast || !own.text.empty())) {
    *own.slot = {own.text, own.attributes, context.fields_seen, opcode};
    info.share(instruction, own.attributes);
  }
  if (info.mixes_ids != nullptr && info.mixes_ids(own.attributes) && !context.has_group_mode) {
    return Fail(place, "use_global_device_ids needs a channel_id");
  }
  return FinishCalls(context);
}

// An unknown op is represented by a custom-call with its name and a side effect, so that no pass changes it. It is
// marked by a first unknown attribute without a name that holds the opcode; its other attributes are kept as text.
bool ModuleReader::ParseUnknownOperation(HloInstruction* instruction, std::string_view opcode, bool is_nested,
                                         const char* place) {
  if (!GraphLoader::has_shape(*instruction))
    return Fail(place, Format("'{}' is not known; its shape must stand before it", opcode));
  auto* attributes = loader_.attributes<CustomCallAttributes>(instruction);
  attributes->custom_call_target = opcode;
  attributes->custom_call_has_side_effect = true;
  GraphLoader::extras(instruction).unknown_attributes.emplace_back(std::string_view(), opcode);
  AttributeContext context{instruction, instruction, place};
  while (!is_nested && lexer_.Accept(',')) {
    lexer_.SkipBlank();
    bool known = false;
    if (!ParseGenericAttribute(context, known)) return false;
    if (known) continue;
    const Word name = lexer_.ReadWord();
    if (name.empty()) return FailExpected("an attribute's name");
    if (!ExpectEquals()) return false;
    std::string_view raw;
    if (!SkipAttributeValue(raw)) return false;
    GraphLoader::extras(instruction).unknown_attributes.emplace_back(name.text(), raw);
    // A word in its attributes may name a computation, which then has a caller and must be kept.
    for (size_t begin = 0, end; begin < raw.size(); begin = end) {
      for (end = begin; end < raw.size() && lexer_internal::Is(raw[end], lexer_internal::kWordPart);) ++end;
      HloComputation* const* const found = computations_.Find(raw.substr(begin, end - begin));
      if (found != nullptr) instruction->AddCalledComputation(*found);
      if (end == begin) ++end;
    }
  }
  return true;
}

}  // namespace hloir
