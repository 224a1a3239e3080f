// The text after an instruction's operands: the fields of its attribute struct, by type; the computations it calls;
// sharding, frontend attributes, control predecessors, statistics, accuracy. Entry point: Printer::ExtraAttributes.
// attributes.def has the fields and their order. Covered by tests/unit/printer_test.cc.
#include <algorithm>

#include "internal.h"

namespace hloir {

void AppendWindow(TextBuffer& out, const Window& window) {
  out.Append('{');
  const size_t start = out.size();
  // key=AxB…, if any dimension is not trivial.
  auto field = [&](std::string_view key, auto is_trivial, auto print) {
    if (std::all_of(window.begin(), window.end(), is_trivial)) return;
    if (out.size() != start) out.Append(' ');
    out.Append(key);
    AppendJoined(out, window, "x", print);
  };
  using Dim = const WindowDimension&;
  field(
      "size=", [](Dim) { return false; }, [&](Dim d) { out.AppendInt(d.size); });
  field(
      "stride=", [](Dim d) { return d.stride == 1; }, [&](Dim d) { out.AppendInt(d.stride); });
  field(
      "pad=", [](Dim d) { return d.padding_low == 0 && d.padding_high == 0; },
      [&](Dim d) {
        out.AppendInt(d.padding_low);
        out.Append('_');
        out.AppendInt(d.padding_high);
      });
  field(
      "lhs_dilate=", [](Dim d) { return d.base_dilation == 1; }, [&](Dim d) { out.AppendInt(d.base_dilation); });
  field(
      "rhs_dilate=", [](Dim d) { return d.window_dilation == 1; }, [&](Dim d) { out.AppendInt(d.window_dilation); });
  field(
      "rhs_reversal=", [](Dim d) { return !d.window_reversal; },
      [&](Dim d) { out.Append(d.window_reversal ? '1' : '0'); });
  out.Append('}');
}

void AppendConvDimensionNumbers(TextBuffer& out, const ConvDimensionNumbers& dims) {
  // One character a dimension: the two named ones, then the spatial ones by number, `?` for a dimension that none of
  // them names.
  auto labels = [&](int64_t a, char a_name, int64_t b, char b_name, const DimVector& spatial) {
    int64_t size = std::max(a, b) + 1;
    for (int64_t dim : spatial) size = std::max(size, dim + 1);
    for (int64_t i = 0; i < size; ++i) {
      const auto* at = std::find(spatial.begin(), spatial.end(), i);
      if (at != spatial.end()) out.AppendInt(at - spatial.begin());
      else out.Append(i == a ? a_name : i == b ? b_name : '?');
    }
  };
  labels(dims.input_batch, 'b', dims.input_feature, 'f', dims.input_spatial);
  out.Append('_');
  labels(dims.kernel_input_feature, 'i', dims.kernel_output_feature, 'o', dims.kernel_spatial);
  out.Append("->");
  labels(dims.output_batch, 'b', dims.output_feature, 'f', dims.output_spatial);
}

namespace {

// One overload for each type of field in attributes.def.
void AppendValue(TextBuffer& out, bool value) { out.Append(value ? "true" : "false"); }
void AppendValue(TextBuffer& out, int64_t value) { out.AppendInt(value); }
void AppendValue(TextBuffer& out, float value) { out.AppendGeneral(value, 6); }
void AppendValue(TextBuffer& out, const std::string& value) { out.AppendQuoted(value); }
void AppendValue(TextBuffer& out, const DimVector& value) { AppendBracedInts(out, value); }
void AppendValue(TextBuffer& out, const Shape& value) { AppendShape(out, value, true); }
void AppendValue(TextBuffer& out, const Literal& value) { AppendLiteralWithShape(out, value); }
void AppendValue(TextBuffer& out, const Window& value) { AppendWindow(out, value); }
void AppendValue(TextBuffer& out, const ConvDimensionNumbers& value) { AppendConvDimensionNumbers(out, value); }
template <class E>
requires kHasEnumWords<E>
void AppendValue(TextBuffer& out, E value) { out.Append(EnumWord(value)); }
void AppendValue(TextBuffer& out, const BoolList& value) {
  out.Append('{');
  AppendJoined(out, value, ",", [&](bool b) { AppendValue(out, b); });
  out.Append('}');
}
void AppendValue(TextBuffer& out, const PrecisionList& value) {
  out.Append('{');
  AppendJoined(out, value, ",", [&](Precision p) { AppendValue(out, p); });
  out.Append('}');
}
void AppendValue(TextBuffer& out, const std::vector<Shape>& value) {
  out.Append('{');
  AppendJoined(out, value, ", ", [&](const Shape& shape) { AppendShape(out, shape, true); });
  out.Append('}');
}
void AppendValue(TextBuffer& out, const Int64Pairs& value) {
  out.Append('{');
  AppendJoined(out, value, ",", [&](const auto& pair) {
    out.Append('{');
    out.AppendInt(pair.first);
    out.Append(',');
    out.AppendInt(pair.second);
    out.Append('}');
  });
  out.Append('}');
}
void AppendValue(TextBuffer& out, const Int64Lists& value) {
  out.Append('{');
  AppendJoined(out, value, ",", [&](const DimVector& list) { AppendBracedInts(out, list); });
  out.Append('}');
}
void AppendValue(TextBuffer& out, const SliceRanges& value) {
  const bool strided = std::any_of(value.begin(), value.end(), [](const SliceRange& r) { return r.stride != 1; });
  out.Append('{');
  AppendJoined(out, value, ", ", [&](const SliceRange& range) {
    out.Append('[');
    out.AppendInt(range.start);
    out.Append(':');
    out.AppendInt(range.limit);
    if (strided) {
      out.Append(':');
      out.AppendInt(range.stride);
    }
    out.Append(']');
  });
  out.Append('}');
}
void AppendValue(TextBuffer& out, const PaddingConfig& value) {
  const bool interior =
      std::any_of(value.begin(), value.end(), [](const PaddingDimension& d) { return d.interior != 0; });
  AppendJoined(out, value, "x", [&](const PaddingDimension& dim) {
    out.AppendInt(dim.low);
    out.Append('_');
    out.AppendInt(dim.high);
    if (interior) {
      out.Append('_');
      out.AppendInt(dim.interior);
    }
  });
}
void AppendValue(TextBuffer& out, const OutputOperandAliasing& value) {
  out.Append('{');
  AppendJoined(out, value, ", ", [&](const OutputOperandAlias& alias) {
    AppendBracedInts(out, alias.output_index);
    out.Append(": (");
    out.AppendInt(alias.operand);
    out.Append(", ");
    AppendBracedInts(out, alias.operand_index);
    out.Append(')');
  });
  out.Append('}');
}
void AppendValue(TextBuffer& out, const SparsityConfig& value) {
  const size_t start = out.size() + 1;
  auto side = [&](std::string_view key, const std::optional<SparsitySide>& s) {
    if (!s.has_value()) return;
    if (out.size() != start) out.Append(' ');
    out.Append(key);
    out.Append("={sparsity=");
    out.AppendInt(s->nonzero);
    out.Append('x');
    out.AppendInt(s->block);
    out.Append(" dimension=");
    out.AppendInt(s->dimension);
    out.Append(" stride=");
    out.AppendInt(s->stride);
    if (s->index != 0) {
      out.Append(" idx=");
      out.AppendInt(s->index);
    }
    out.Append('}');
  };
  out.Append('{');
  side("lhs", value.lhs);
  side("rhs", value.rhs);
  out.Append('}');
}
void AppendValue(TextBuffer& out, const DomainMetadata& value) {
  auto side = [&](std::string_view key, const std::optional<Sharding>& sharding) {
    out.Append(key);
    if (sharding.has_value()) AppendSharding(out, *sharding, true);
    else out.Append("{}");
  };
  out.Append("{kind=");
  out.AppendQuoted(value.kind);
  side(", entry=", value.entry);
  side(", exit=", value.exit);
  out.Append('}');
}
void AppendValue(TextBuffer& out, const OptionalBool& value) { AppendValue(out, value.value_or(false)); }
template <class T>
void AppendValue(TextBuffer& out, const std::optional<T>& value) {
  AppendValue(out, *value);
}

template <class T>
bool IsDefault(const T& value, const T& default_value) {
  return value == default_value;
}
// Default precisions are equivalent to none.
bool IsDefault(const PrecisionList& value, const PrecisionList&) {
  return std::all_of(value.begin(), value.end(), [](Precision p) { return p == Precision::kDefault; });
}
bool IsDefault(const OptionalLiteral& value, const OptionalLiteral&) { return !value.has_value(); }
bool IsDefault(const Literal&, const Literal&) { return true; }  // a constant's value is printed in place of operands

// The comparison type that a compare's operands imply if its text has none.
ComparisonType ImpliedComparison(PrimitiveType type) {
  if (IsSigned(type)) return ComparisonType::kSigned;
  if (IsUnsigned(type) || type == PrimitiveType::PRED) return ComparisonType::kUnsigned;
  return ComparisonType::kFloat;
}

template <class T>
const T kDefaultsOf{};

// VisitFields, with the default value of each field.
#define HLOIR_STRUCT(type) \
  template <class Visit>   \
  void VisitFieldsAndDefaults(const type& self, const type& defaults, Visit&& visit) {
#define HLOIR_FIELD(ctype, name, default_value, rule) \
  visit(std::string_view(#name), self.name, defaults.name, FieldRule::rule);
#define HLOIR_END(type) }
#include "hloir/attributes.def"
#undef HLOIR_STRUCT
#undef HLOIR_FIELD
#undef HLOIR_END

}  // namespace

// The fields that are printed by name. `kSpecial` fields with a name in text are handled here individually.
template <class T>
void Printer::Fields(const HloInstruction& instruction, const T& attributes) {
  if constexpr (std::is_same_v<T, DimensionsAttributes>) {
    Separate("dimensions=");
    AppendBracedInts(out_, attributes.dimensions);
  } else if constexpr (std::is_same_v<T, CompareAttributes>) {
    Separate("direction=");
    out_.Append(EnumWord(attributes.direction));
    if (attributes.type != ComparisonType::kDefault &&
        attributes.type != ImpliedComparison(instruction.operand(0)->shape().element_type())) {
      Separate("type=");
      out_.Append(EnumWord(attributes.type));
    }
  } else {
    auto field = [&](std::string_view name, const auto& value, const auto& default_value, FieldRule rule) {
      if (rule == FieldRule::kSpecial || (rule == FieldRule::kOptional && IsDefault(value, default_value))) return;
      if (!options_.print_infeed_outfeed_config && (name == "infeed_config" || name == "outfeed_config")) return;
      Separate(name);
      out_.Append('=');
      if constexpr (std::is_same_v<decltype(value), const ReplicaGroups&>) {
        AppendReplicaGroups(out_, value, options_.print_full_replica_group_list);
      } else {
        if (!options_.print_channel_id && name == "channel_id") out_.Append('_');
        else AppendValue(out_, value);
      }
    };
    VisitFieldsAndDefaults(attributes, kDefaultsOf<T>, field);
  }
}

// Instructions share attributes that were read from the same text, and print them alike, except for a comparison, whose
// text depends on its operands, too.
void Printer::OpcodeAttributes(const HloInstruction& instruction) {
  const Attributes all = instruction.attributes();
  const auto append = [&] {
    all.Visit([&]<class T>(const T& attributes) {
      if constexpr (!std::is_same_v<T, NoAttributes>) Fields(instruction, attributes);
    });
  };
  const void* const shared = all.Visit([]<class T>(const T& attributes) -> const void* {
    if constexpr (std::is_same_v<T, NoAttributes> || std::is_same_v<T, CompareAttributes>) return nullptr;
    else return &attributes;
  });
  if (shared != nullptr) Interned(shared, append);
  else append();
}

void Printer::Called(std::string_view key, const HloComputation& computation, bool body, int nesting) {
  Separate(key);
  if (body) {
    out_.Append('\n');
    Computation(computation, nesting, Place::kBody);
  } else {
    Name(computation.name());
  }
}

void Printer::CalledList(std::string_view key, const HloInstruction& instruction, bool body, int nesting) {
  Separate(key);
  out_.Append(body ? "{\n" : "{");
  AppendJoined(out_, instruction.called_computations(), body ? ",\n" : ", ", [&](const HloComputation* computation) {
    if (body) Computation(*computation, nesting, Place::kBody);
    else Name(computation->name());
  });
  out_.Append(body ? "\n}" : "}");
}

void Printer::CalledComputations(const HloInstruction& instruction, int nesting) {
  using Mode = PrintOptions::SubcomputationMode;
  const auto called = instruction.called_computations();
  if (called.empty() || options_.print_subcomputation_mode == Mode::kOff) return;
  bool body = options_.print_subcomputation_mode == Mode::kFullBodies ||
              (options_.print_subcomputation_mode == Mode::kNonSequentialBodies && !instruction.Is(kControlFlow));
  if (nesting > kMaxNesting || out_.size() > max_nested_text_) body = false;
  switch (GetOpcodeInfo(instruction.opcode()).calls) {
    case CallKind::kNone: return;
    case CallKind::kToApply: {
      // XLA's printer of bodies treats these two like fusions.
      const bool as_fusion =
          body && (instruction.opcode() == HloOpcode::kScan || instruction.opcode() == HloOpcode::kReduceScatter);
      return Called(as_fusion ? "calls=" : "to_apply=", *called[0], body, nesting);
    }
    case CallKind::kCalls: return Called("calls=", *called[0], body, nesting);
    case CallKind::kConditionBody:
      Called("condition=", *called[0], body, nesting);
      return Called("body=", *called[1], body, nesting);
    case CallKind::kBranches:
      if (!instruction.IsPredConditional()) return CalledList("branch_computations=", instruction, body, nesting);
      Called("true_computation=", *called[0], body, nesting);
      return Called("false_computation=", *called[1], body, nesting);
    case CallKind::kSelectScatter:
      Called("select=", *called[0], body, nesting);
      return Called("scatter=", *called[1], body, nesting);
    case CallKind::kCalledComputations: return CalledList("called_computations=", instruction, body, nesting);
  }
}

// The attributes of the op that an `op-start` wraps are on its line; `op-update` and `op-done` do not repeat them.
void Printer::AsyncAttributesOf(const HloInstruction& instruction, int nesting) {
  if (instruction.opcode() != HloOpcode::kAsyncStart) return;
  const AsyncAttributes& attributes = instruction.attributes<AsyncAttributes>();
  if (!attributes.async_execution_thread.empty() && attributes.async_execution_thread != "main") {
    Separate("async_execution_thread=");
    out_.AppendQuoted(attributes.async_execution_thread);
  }
  const HloInstruction* wrapped = sugar_ ? AsyncWrapped(instruction) : nullptr;
  if (wrapped != nullptr) ExtraAttributes(*wrapped, nesting, !instruction.extras().frontend_attributes.empty());
  if (!attributes.output_to_operand_aliasing.empty()) {
    Separate("output_to_operand_aliasing=");
    AppendValue(out_, attributes.output_to_operand_aliasing);
  }
  if (wrapped == nullptr || options_.print_subcomputation_mode == PrintOptions::SubcomputationMode::kFullBodies) {
    CalledComputations(instruction, nesting);
  }
}

// `without_frontend_attributes`: an `op-start` with frontend attributes does not repeat those of the wrapped op.
void Printer::ExtraAttributes(const HloInstruction& instruction, int nesting, bool without_frontend_attributes) {
  if (!options_.print_extra_attributes) {
    CalledComputations(instruction, nesting);
  } else if (instruction.HasAttributes<AsyncAttributes>()) {
    AsyncAttributesOf(instruction, nesting);
  } else if (instruction.opcode() == HloOpcode::kCustomCall && !UnknownOpcode(instruction).empty()) {
    for (const auto& [name, value] : std::span(instruction.extras().unknown_attributes).subspan(1)) {
      Separate(name);
      out_.Append('=');
      out_.Append(value);
    }
  } else if (instruction.opcode() == HloOpcode::kCall) {  // is_composite follows the called computations
    CalledComputations(instruction, nesting);
    OpcodeAttributes(instruction);
  } else {
    OpcodeAttributes(instruction);
    CalledComputations(instruction, nesting);
  }
  if (!instruction.has_extras()) return;
  const InstructionExtras& extras = instruction.extras();
  if (instruction.sharding() != nullptr) {
    Separate("sharding=");
    const Sharding& sharding = *instruction.sharding();
    if (instruction.shape().IsTuple() && sharding.kind != Sharding::Kind::kTuple) {
      // A single sharding for all leaves is printed once per leaf, as XLA's parser represents it.
      const size_t leaves = std::max<size_t>(instruction.shape().Leaves().size(), 1);
      out_.Append('{');
      for (size_t i = 0; i < leaves; ++i) {
        if (i > 0) out_.Append(", ");
        AppendSharding(out_, sharding, options_.print_metadata);
      }
      out_.Append('}');
    } else {
      AppendSharding(out_, sharding, options_.print_metadata);
    }
  }
  if (options_.print_frontend_attributes && !without_frontend_attributes && !extras.frontend_attributes.empty()) {
    Separate("frontend_attributes=");
    AppendFrontendAttributes(out_, extras.frontend_attributes);
  }
  if (options_.print_control_dependencies && !instruction.control_predecessors().empty()) {
    Separate("control-predecessors={");
    AppendJoined(out_, instruction.control_predecessors(), ", ",
                 [&](const HloInstruction* predecessor) { Name(predecessor->name()); });
    out_.Append('}');
  }
  if (extras.statistics.has_value()) {
    Separate("statistics=");
    AppendStatistics(out_, *extras.statistics);
  }
  if (extras.result_accuracy.has_value() && *extras.result_accuracy != ResultAccuracy()) {
    Separate("result_accuracy=");
    AppendResultAccuracy(out_, *extras.result_accuracy);
  }
}

std::string PrintWindow(const Window& window) {
  TextBuffer out;
  AppendWindow(out, window);
  return out.Take();
}

std::string PrintConvDimensionNumbers(const ConvDimensionNumbers& dims) {
  TextBuffer out;
  AppendConvDimensionNumbers(out, dims);
  return out.Take();
}

}  // namespace hloir
