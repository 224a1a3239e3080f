// A search over single rewrites: over the opportunities that passes find in a module (decisions.h), for the module with
// the least cost after a final pipeline. Beam search, Monte Carlo tree search, or a learned policy alone, which also
// guides the other two. The default pipeline alone is the first candidate, so no result costs more than it; Check
// verifies the result.
//
// Example:
//
//   SearchOptions options;
//   options.trials = 500;
//   StatusOr<SearchResult> found = SearchRewrites(module, BuiltinPasses(), options);
//   if (found.ok()) std::printf("%.0f of %.0f bytes\n", found->best.bytes, found->first.bytes);
//
// May be called from any thread. `hloir tune --rewrites` uses it; docs/tune.md documents results and the training of
// the policy. Tested by tests/unit/tune_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/check.h"
#include "hloir/module.h"
#include "hloir/pass.h"
#include "rewrite/decisions.h"
#include "tune/tune.h"
#include "hloir/status.h"

namespace hloir {

// The features of an opportunity: sizes as log2(1 + x) / 32, counts as log2(1 + x) / 8, the rest 0 to 1.
inline constexpr std::array<std::string_view, 32> kOpportunityFeatures = {"one",
                                                                          "is_fuse",
                                                                          "is_multi_output",
                                                                          "is_other_rule",
                                                                          "result_bytes",
                                                                          "operand_bytes",
                                                                          "users",
                                                                          "operands",
                                                                          "is_elementwise",
                                                                          "moves_data",
                                                                          "is_reduce",
                                                                          "is_product",
                                                                          "is_free",
                                                                          "is_fusion",
                                                                          "share_of_bytes",
                                                                          "has_partner",
                                                                          "partner_bytes",
                                                                          "shared_bytes",
                                                                          "reads_partner",
                                                                          "shared_operands",
                                                                          "largest_shared",
                                                                          "in_loop",
                                                                          "open",
                                                                          "steps",
                                                                          "elementwise_users",
                                                                          "reducing_users",
                                                                          "product_users",
                                                                          "place",
                                                                          "saves_now",
                                                                          "costs_now",
                                                                          "same_shape_users",
                                                                          "is_read_by_root"};
using OpportunityFeatures = std::array<float, kOpportunityFeatures.size()>;
// The features of each of state.Open() after `steps` decisions. saves_now and costs_now are the relative decrease and
// increase of the module's bytes directly after the step; with `look_ahead`, they are computed on a copy for the 64
// opportunities that move most bytes, otherwise they are 0.
StatusOr<std::vector<OpportunityFeatures>> FeaturesOf(Decisions& state, int64_t steps, bool look_ahead = true);

// A small network over the features, trained by bench/learn_policy.py: the logarithm, up to a constant, of the
// probability that an opportunity leads to the best module reachable from a state.
class RewritePolicy {
 public:
  // Text: "hloir-policy 2", the numbers of features and of hidden units, then weights and biases of both layers.
  static StatusOr<RewritePolicy> Parse(std::string_view text);
  double Score(const OpportunityFeatures& features) const;

 private:
  size_t hidden_ = 0;
  std::vector<float> weights_;  // hidden x features, hidden biases, hidden, bias
};

enum class SearchMethod : uint8_t { kBeam, kTree, kPolicy };
// "beam", "tree", "policy"
std::string_view SearchMethodName(SearchMethod method);

// An opportunity that was tried, and its result: for training.
struct SearchSample {
  OpportunityFeatures features = {};
  double gain = 0;    // the cost of the best module below it, in percent of that of the default pipeline
  int64_t state = 0;  // those of one number were open together
  int64_t visits = 0;
};

// Options of the search.
struct SearchOptions {
  SearchMethod method = SearchMethod::kTree;
  TuneBy by = TuneBy::kBytes;  // not kTime
  double seconds = 60;         // limit of wall time, without verification
  int64_t trials = 0;          // if not 0: the number of evaluated modules, instead of the time limit
  uint64_t seed = 0;
  int width = 6;                   // of the beam
  double operations_per_byte = 8;  // as in TuneOptions
  double most_operations = 1.25;
  const RewritePolicy* policy = nullptr;                 // borrowed; kPolicy needs one
  std::function<void(const SearchSample&)> sample = {};  // with kTree: called at the end for each tried opportunity
  bool verify = true;
  std::function<bool(const TuneProgress&)> progress = {};  // false ends the search
};

// The result of the search.
struct SearchResult {
  std::unique_ptr<HloModule> module;
  TuneCost unoptimized, first, best;  // first: of the default pipeline
  std::vector<std::string> taken;     // ids of rewrites, in order, on the module after `begin`
  std::string begin, finish;          // pipelines before and after them
  int64_t tried = 0;                  // modules finished and counted
  int64_t refused = 0;                // better ones that did not agree
  std::optional<Verdict> verdict;
};

// Errors: those of the passes on the first candidate, and of Check; InvalidArgument for kPolicy without a policy.
StatusOr<SearchResult> SearchRewrites(const HloModule& module, const PassRegistry& registry,
                                      const SearchOptions& options = {});

}  // namespace hloir
