// The learned policy: the features of an opportunity, and the network. See tune/search.h.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tune/search.h"
#include "support/number.h"

namespace hloir {
namespace {

float Size(double bytes) { return static_cast<float>(std::log2(1 + bytes) / 32); }
float Count(double count) { return static_cast<float>(std::log2(1 + count) / 8); }
double BytesOf(const HloInstruction& i) { return i.shape().IsArray() ? static_cast<double>(i.shape().ByteSize()) : 0; }
bool IsProduct(HloOpcode opcode) { return opcode == HloOpcode::kDot || opcode == HloOpcode::kConvolution; }

}  // namespace

StatusOr<std::vector<OpportunityFeatures>> FeaturesOf(Decisions& state, int64_t steps, bool look_ahead) {
  HLOIR_ASSIGN_OR_RETURN(const std::span<const Opportunity> open, state.Open());
  const CostAnalysis& cost = state.cost();
  const double total = std::max(1.0, cost.total().once.bytes);
  std::vector<OpportunityFeatures> all(open.size());
  for (size_t k = 0; k < open.size(); ++k) {
    const HloInstruction& i = *open[k].instruction;
    const HloInstruction* partner = open[k].partner;
    const std::string_view rule = state.space().kinds()[static_cast<size_t>(open[k].kind)].rule;
    double operand_bytes = 0, shared_bytes = 0, largest_shared = 0;
    int64_t shared = 0;
    for (const HloInstruction* operand : i.operands()) {
      const double bytes = BytesOf(*operand);
      operand_bytes += bytes;
      if (partner != nullptr && partner->OperandIndex(operand) >= 0) shared_bytes += bytes;
      if (operand->user_count() > 1) ++shared, largest_shared = std::max(largest_shared, bytes);
    }
    double elementwise = 0, reducing = 0, products = 0, same_shape = 0;
    bool by_root = false;
    for (const HloInstruction* user : i.users()) {
      same_shape += user->shape().IsArray() && i.shape().IsArray() && user->shape().SameDimensions(i.shape());
      by_root |= user->IsRoot();
      elementwise += user->Is(kElementwise);
      reducing += user->opcode() == HloOpcode::kReduce;
      products += IsProduct(user->opcode());
    }
    const double users = std::max<double>(1, static_cast<double>(i.user_count()));
    const bool fuse = rule == "fuse", multi_output = rule == "multi-output";
    const bool free = i.opcode() == HloOpcode::kBroadcast || i.opcode() == HloOpcode::kIota;
    all[k] = {1,
              static_cast<float>(fuse),
              static_cast<float>(multi_output),
              static_cast<float>(!fuse && !multi_output),
              Size(BytesOf(i)),
              Size(operand_bytes),
              Count(static_cast<double>(i.user_count())),
              Count(static_cast<double>(i.operand_count())),
              static_cast<float>(i.Is(kElementwise)),
              static_cast<float>(i.Is(kMovesData)),
              static_cast<float>(i.opcode() == HloOpcode::kReduce),
              static_cast<float>(IsProduct(i.opcode())),
              static_cast<float>(free),
              static_cast<float>(i.opcode() == HloOpcode::kFusion),
              static_cast<float>(std::min(1.0, cost.Of(i).once.bytes / total)),
              static_cast<float>(partner != nullptr),
              partner != nullptr ? Size(BytesOf(*partner)) : 0,
              Size(shared_bytes),
              static_cast<float>(partner != nullptr && i.OperandIndex(partner) >= 0),
              Count(static_cast<double>(shared)),
              Size(largest_shared),
              static_cast<float>(!i.parent()->IsEntry()),
              Count(static_cast<double>(open.size())),
              Count(static_cast<double>(steps)),
              static_cast<float>(elementwise / users),
              static_cast<float>(reducing / users),
              static_cast<float>(products / users),
              static_cast<float>(static_cast<double>(k) / static_cast<double>(open.size())),
              0,
              0,
              static_cast<float>(same_shape / users),
              static_cast<float>(by_root)};
  }
  if (!look_ahead) return all;
  constexpr size_t kMostTaken = 64, kShare = 14, kSaves = 28, kCosts = 29;
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const size_t taken = std::min(kMostTaken, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(taken), order.end(), [&](size_t a, size_t b) {
    return all[a][kShare] != all[b][kShare] ? all[a][kShare] > all[b][kShare] : a < b;
  });
  const double before = state.total_cost().repeated.bytes;
  for (size_t n = 0; n < taken && before > 0; ++n) {
    Decisions next = state.Clone();
    if (!next.Take(order[n]).ok()) continue;
    const auto saved = static_cast<float>(1 - next.total_cost().repeated.bytes / before);
    all[order[n]][kSaves] = std::clamp(saved, 0.0f, 1.0f);
    all[order[n]][kCosts] = std::clamp(-saved, 0.0f, 1.0f);
  }
  return all;
}

StatusOr<RewritePolicy> RewritePolicy::Parse(std::string_view text) {
  constexpr std::string_view kHead = "hloir-policy 2";
  constexpr size_t kMostHidden = 4096;
  if (!text.starts_with(kHead)) return InvalidArgument("not a policy: it does not begin with 'hloir-policy 2'");
  text.remove_prefix(kHead.size());
  std::vector<float> numbers;
  while (true) {
    const size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    float number = 0;
    const auto [end, error] = ReadNumber(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || !std::isfinite(number))
      return InvalidArgument("the policy has something that is not a number: '" + std::string(text.substr(0, 20)) +
                             "'");
    numbers.push_back(number);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
  }
  constexpr size_t kFeatures = kOpportunityFeatures.size();
  if (numbers.size() < 2 || numbers[0] != static_cast<float>(kFeatures))
    return InvalidArgument("the policy is not of " + std::to_string(kFeatures) + " features");
  RewritePolicy policy;
  if (!(numbers[1] >= 1 && numbers[1] <= static_cast<float>(kMostHidden)))
    return InvalidArgument("the policy's number of hidden units is out of range");
  policy.hidden_ = static_cast<size_t>(numbers[1]);
  policy.weights_.assign(numbers.begin() + 2, numbers.end());
  if (policy.weights_.size() != policy.hidden_ * (kFeatures + 2) + 1)
    return InvalidArgument("the policy has " + std::to_string(policy.weights_.size()) + " weights, not " +
                           std::to_string(policy.hidden_ * (kFeatures + 2) + 1));
  return policy;
}

double RewritePolicy::Score(const OpportunityFeatures& features) const {
  const float* weights = weights_.data();
  const float* biases = weights + hidden_ * features.size();
  const float* outer = biases + hidden_;
  double score = outer[hidden_];
  for (size_t h = 0; h < hidden_; ++h) {
    float sum = biases[h];
    for (size_t f = 0; f < features.size(); ++f) sum += weights[h * features.size() + f] * features[f];
    score += static_cast<double>(outer[h] * std::max(0.0f, sum));
  }
  return score;
}

}  // namespace hloir
