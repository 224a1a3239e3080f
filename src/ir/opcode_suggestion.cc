// See opcode_suggestion.h.
#include "ir/opcode_suggestion.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/opcode.h"
#include "support/did_you_mean.h"

namespace hloir {
namespace {

using enum HloOpcode;

struct Synonym {
  std::string_view word;
  HloOpcode opcode;
};

// Names that NumPy, JAX, PyTorch, StableHLO and XLA's enumerators have for opcodes, in lower case with hyphens.
constexpr Synonym kSynonyms[] = {
    // Elementwise.
    {"exp", kExp},
    {"expm1", kExpm1},
    {"log1p", kLog1p},
    {"ln", kLog},
    {"mul", kMultiply},
    {"times", kMultiply},
    {"div", kDivide},
    {"true-divide", kDivide},
    {"sub", kSubtract},
    {"minus", kSubtract},
    {"plus", kAdd},
    {"neg", kNegate},
    {"max", kMaximum},
    {"min", kMinimum},
    {"pow", kPower},
    {"mod", kRemainder},
    {"rem", kRemainder},
    {"sin", kSin},
    {"cos", kCos},
    {"arctan2", kAtan2},
    {"sigmoid", kLogistic},
    {"expit", kLogistic},
    {"round", kRoundNearestEven},
    {"rint", kRoundNearestEven},
    {"invert", kNot},
    {"isfinite", kIsFinite},
    {"popcount", kPopulationCount},
    {"population-count", kPopulationCount},
    {"lshift", kShiftLeft},
    {"shl", kShiftLeft},
    {"rshift", kShiftRightArithmetic},
    {"eq", kCompare},
    {"ne", kCompare},
    {"lt", kCompare},
    {"le", kCompare},
    {"gt", kCompare},
    {"ge", kCompare},
    {"equal", kCompare},
    {"less", kCompare},
    {"greater", kCompare},
    {"where", kSelect},
    {"select-n", kSelect},
    {"clip", kClamp},
    {"cast", kConvert},
    {"astype", kConvert},
    {"convert-element-type", kConvert},
    // Products and reductions.
    {"conv", kConvolution},
    {"conv2d", kConvolution},
    {"batchnorm", kBatchNormTraining},
    {"batch-norm", kBatchNormTraining},
    {"conv-general-dilated", kConvolution},
    {"matmul", kDot},
    {"gemm", kDot},
    {"einsum", kDot},
    {"dot-general", kDot},
    {"sum", kReduce},
    {"prod", kReduce},
    {"any", kReduce},
    {"all", kReduce},
    {"argmax", kReduce},
    {"argmin", kReduce},
    {"reducesum", kReduce},
    {"reduce-sum", kReduce},
    {"reduce-max", kReduce},
    {"reduce-min", kReduce},
    {"max-pool", kReduceWindow},
    {"avg-pool", kReduceWindow},
    {"cumsum", kReduceWindow},
    // Data movement.
    {"concat", kConcatenate},
    {"permute", kTranspose},
    {"flip", kReverse},
    {"view", kReshape},
    {"squeeze", kReshape},
    {"unsqueeze", kReshape},
    {"expand-dims", kReshape},
    {"ravel", kReshape},
    {"flatten", kReshape},
    {"stack", kConcatenate},
    {"tile", kBroadcast},
    {"repeat", kBroadcast},
    {"full", kBroadcast},
    {"zeros", kBroadcast},
    {"ones", kBroadcast},
    {"expand", kBroadcast},
    {"broadcast-in-dim", kBroadcast},
    {"take", kGather},
    {"arange", kIota},
    {"gte", kGetTupleElement},
    {"const", kConstant},
    {"param", kParameter},
    {"arg", kParameter},
    // Control flow, random numbers and devices.
    {"if", kConditional},
    {"cond", kConditional},
    {"case", kConditional},
    {"for", kWhile},
    {"loop", kWhile},
    {"rand", kRng},
    {"random", kRng},
    {"psum", kAllReduce},
    {"ppermute", kCollectivePermute},
};

struct Composition {
  std::string_view word, form;
};

// Operations composed of several HLO instructions.
constexpr Composition kCompositions[] = {
    {"relu", "maximum(x, 0)"},
    {"square", "multiply(x, x)"},
    {"sqr", "multiply(x, x)"},
    {"inv", "divide(1, x)"},
    {"var", "reduce with add of squared differences from the mean"},
    {"layernorm", "reduces with add for mean and variance, subtract, rsqrt, multiply"},
    {"layer-norm", "reduces with add for mean and variance, subtract, rsqrt, multiply"},
    {"reciprocal", "divide(1, x)"},
    {"mean", "reduce with add, then divide by the number of elements"},
    {"softmax", "reduce with maximum, subtract, exponential, reduce with add, divide"},
    {"silu", "multiply(x, logistic(x))"},
    {"gelu", "multiply(x, …) with erf or tanh"},
};

// Converts to the spelling of opcodes: "stablehlo.dynamic_slice" and "kDynamicSlice" become "dynamic-slice".
std::string Spelled(std::string_view word) {
  word.remove_prefix(std::min(word.rfind('.') + 1, word.size()));
  const bool enumerator = word.size() > 1 && word[0] == 'k' && word[1] >= 'A' && word[1] <= 'Z';
  if (enumerator) word.remove_prefix(1);
  std::string spelled;
  for (const char c : word) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && enumerator && !spelled.empty()) spelled += '-';
    spelled += c == '_' ? '-' : upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return spelled;
}

}  // namespace

std::string SuggestOpcode(std::string_view word) {
  constexpr size_t kLongest = 60;  // no opcode is as long
  if (word.size() > kLongest) return "";
  const std::string spelled = Spelled(word);
  const auto synonym =
      std::find_if(std::begin(kSynonyms), std::end(kSynonyms), [&](const Synonym& s) { return s.word == spelled; });
  if (synonym != std::end(kSynonyms)) return "; did you mean '" + std::string(OpcodeName(synonym->opcode)) + "'?";
  const auto composition = std::find_if(std::begin(kCompositions), std::end(kCompositions),
                                        [&](const Composition& c) { return c.word == spelled; });
  if (composition != std::end(kCompositions))
    return "; HLO writes " + spelled + "(x) as " + std::string(composition->form);
  std::vector<std::string_view> names;
  for (int i = 0; i < kOpcodeCount; ++i) names.push_back(OpcodeName(static_cast<HloOpcode>(i)));
  return DidYouMean(spelled, names);
}

}  // namespace hloir
