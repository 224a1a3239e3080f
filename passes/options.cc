// The options of single passes, as they are written behind a pass's name: one row each, with what sets it. What all
// passes share (math, disable) has an empty pass. Tested by tests/unit/passes_test.cc.
#include <array>
#include <charconv>
#include <optional>

#include "hloir/pass.h"

namespace hloir {
namespace {

// False: the value is not of the kind that the row says.
using Setter = bool (*)(PassOptions& options, std::string_view value);

bool SetNumber(int64_t& number, std::string_view value) {
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc() && end == value.data() + value.size() && number >= 0;
}

bool SetBool(bool& flag, std::string_view value) {
  flag = value == "true";
  return flag || value == "false";
}

bool SetMath(PassOptions& options, std::string_view value) {
  if (value == "exact") options.math = MathMode::kExact;
  else if (value == "rounding") options.math = MathMode::kRounding;
  else if (value == "fast") options.math = MathMode::kFast;
  else return false;
  return true;
}

bool SetType(PrimitiveType& type, std::string_view value) {
  const std::optional<PrimitiveType> named = ParsePrimitiveType(value);
  if (!named || !IsArrayType(*named)) return false;
  type = *named;
  return true;
}

constexpr std::string_view kNumber = "a number", kFlag = "true or false", kType = "an element type";
constexpr auto kSetMaxBytes = [](PassOptions& options, std::string_view value) {
  return SetNumber(options.combiner.max_bytes, value);
};
constexpr auto kSetMaxOperands = [](PassOptions& options, std::string_view value) {
  return SetNumber(options.combiner.max_operands, value);
};
constexpr auto kSetFrom = [](PassOptions& options, std::string_view value) {
  return SetType(options.types.from, value);
};
constexpr auto kSetTo = [](PassOptions& options, std::string_view value) { return SetType(options.types.to, value); };

struct Row {
  PassOptionInfo info;
  std::string_view kind;
  Setter set;
};
constexpr std::array kRows = {
    Row{{"", "math", "how far this pass may change results: exact, rounding or fast"},
        "exact, rounding or fast",
        SetMath},
    Row{{"", "disable", "a rule of this pass that is switched off"},
        "a name",
        [](PassOptions& options, std::string_view value) {
          options.disabled_rules.emplace_back(value);
          return !value.empty();
        }},
    Row{{"all-gather-combiner", "max-bytes", "of what is put together"}, kNumber, kSetMaxBytes},
    Row{{"all-gather-combiner", "max-operands", "of what is put together"}, kNumber, kSetMaxOperands},
    Row{{"all-reduce-combiner", "max-bytes", "of what is put together"}, kNumber, kSetMaxBytes},
    Row{{"all-reduce-combiner", "max-operands", "of what is put together"}, kNumber, kSetMaxOperands},
    Row{{"collective-permute-combiner", "max-bytes", "of what is put together"}, kNumber, kSetMaxBytes},
    Row{{"collective-permute-combiner", "max-operands", "of what is put together"}, kNumber, kSetMaxOperands},
    Row{{"constant-folding", "max-elements", "of a result, or of an operand that has to be made for it"},
        kNumber,
        [](PassOptions& options, std::string_view value) { return SetNumber(options.max_folded_elements, value); }},
    Row{{"constant-folding", "max-steps", "roughly, to compute one result"},
        kNumber,
        [](PassOptions& options, std::string_view value) { return SetNumber(options.max_folded_steps, value); }},
    Row{{"element-type-converter", "from", "the type that goes"}, kType, kSetFrom},
    Row{{"element-type-converter", "to", "the type that takes its place"}, kType, kSetTo},
    Row{{"float-normalization", "from", "the type that is not computed in"}, kType, kSetFrom},
    Row{{"float-normalization", "to", "the type that is computed in instead"}, kType, kSetTo},
    Row{{"fusion", "max-instructions", "of one fusion"},
        kNumber,
        [](PassOptions& options, std::string_view value) { return SetNumber(options.fusion.max_instructions, value); }},
    Row{{"fusion", "multi-output", "may one loop have several results"},
        kFlag,
        [](PassOptions& options, std::string_view value) { return SetBool(options.fusion.multi_output, value); }},
    Row{{"reduce-scatter-combiner", "max-bytes", "of what is put together"}, kNumber, kSetMaxBytes},
    Row{{"reduce-scatter-combiner", "max-operands", "of what is put together"}, kNumber, kSetMaxOperands},
    Row{{"rematerialization", "max-bytes", "in use at once in a computation; with that few, nothing is computed again"},
        kNumber,
        [](PassOptions& options, std::string_view value) {
          return SetNumber(options.rematerialization.max_bytes, value);
        }},
    Row{{"while-loop-unroller", "elementwise-only", "may only loops be unrolled whose rounds then fuse into one"},
        kFlag,
        [](PassOptions& options, std::string_view value) { return SetBool(options.unroll.elementwise_only, value); }},
    Row{{"while-loop-unroller", "factor", "longer loops become fewer rounds of so many each"},
        kNumber,
        [](PassOptions& options, std::string_view value) { return SetNumber(options.unroll.factor, value); }},
    Row{{"while-loop-unroller", "max-instructions", "over all the rounds that are written out"},
        kNumber,
        [](PassOptions& options, std::string_view value) { return SetNumber(options.unroll.max_instructions, value); }},
    Row{{"while-loop-unroller", "max-rounds", "that are written out whole"},
        kNumber,
        [](PassOptions& options, std::string_view value) { return SetNumber(options.unroll.max_rounds, value); }},
};

}  // namespace

std::span<const PassOptionInfo> AllPassOptions() {
  static constexpr auto kInfos = [] {
    std::array<PassOptionInfo, kRows.size()> infos{};
    for (size_t k = 0; k < kRows.size(); ++k) infos[k] = kRows[k].info;
    return infos;
  }();
  return kInfos;
}

Status SetPassOption(PassOptions& options, std::string_view pass, std::string_view name, std::string_view value) {
  for (const Row& row : kRows) {
    if (row.info.name != name || (!row.info.pass.empty() && row.info.pass != pass)) continue;
    if (row.set(options, value)) return OkStatus();
    return InvalidArgument("the option '" + std::string(name) + "' of the pass '" + std::string(pass) + "' must be " +
                           std::string(row.kind) + ", not '" + std::string(value) + "'");
  }
  return InvalidArgument("the pass '" + std::string(pass) + "' has no option '" + std::string(name) + "'");
}

}  // namespace hloir
