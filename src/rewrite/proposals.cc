// See rewrite/proposals.h. Proposals are made on copies of the module. Those that lie far from one another are made on
// one copy, so that a chain of n instructions with a proposal each takes a few copies, not n; a proposal that turns out
// to touch another's result is made on a copy of its own.
#include "rewrite/proposals.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "ir/mixed_floats.h"
#include "hloir/pipeline.h"
#include "support/guard.h"

namespace hloir {
namespace {

// Takes a set of rewrites, and finds out which of them were not affected by the others.
class BatchLog : public RewriteLog {
 public:
  explicit BatchLog(const HloModule& module) : first_new_id_(module.instruction_id_limit()) { take_only = true; }
  void Done(const Rewrite& rewrite, const HloInstruction* replacement) override {
    RewriteLog::Done(rewrite, replacement);
    bool alone = true;
    const auto is_old = [&](const HloInstruction* i) { return i->id() < first_new_id_; };
    for (const HloInstruction* consumed : rewrite.consumed)
      alone = alone && is_old(consumed) && AllOperands(*consumed, is_old);
    for (const HloInstruction* made : rewrite.made) {
      alone = alone && AllOperands(*made, [&](const HloInstruction* operand) {
                return is_old(operand) ||
                       std::find(rewrite.made.begin(), rewrite.made.end(), operand) != rewrite.made.end();
              });
    }
    if (rewrite.made.empty() && replacement != nullptr) alone = alone && is_old(replacement);
    // The log has an entry for each allowed rewrite.
    if (alone) unaffected_.push_back(entries().size() - 1);
  }
  const std::vector<size_t>& unaffected() const { return unaffected_; }  // indices of entries()

 private:
  template <class F>
  static bool AllOperands(const HloInstruction& i, F&& f) {
    return std::all_of(i.operands().begin(), i.operands().end(), f);
  }
  const int32_t first_new_id_;
  std::vector<size_t> unaffected_;
};

class Trials {
 public:
  Trials(const HloModule& module, const PassRegistry& registry, std::span<const std::string> names,
         const PassOptions& options, std::vector<RewriteLog::Entry>& entries)
      : module_(module), registry_(registry), names_(names), options_(options), entries_(entries) {}

  // Makes these proposals of one pass on one copy; sets `done` for those that were made as if alone.
  Status Make(std::span<const size_t> which, std::vector<bool>& done) {
    for (std::string_view name : names_) {
      while (name.starts_with('[')) name.remove_prefix(1);
      while (name.ends_with(']')) name.remove_suffix(1);
      const PassInfo* info = registry_.Find(name.substr(0, name.find('{')));
      if (info == nullptr || info->name != entries_[which[0]].pass) continue;
      const std::unique_ptr<HloModule> copy = module_.Clone();
      BatchLog log(*copy);
      std::unordered_map<std::string_view, size_t> by_id;
      for (const size_t at : which) {
        if (done[at]) continue;
        log.take.insert(entries_[at].id);
        by_id.emplace(entries_[at].id, at);
      }
      if (by_id.empty()) return OkStatus();
      options_.rewriter = &log;
      HLOIR_ASSIGN_OR_RETURN(const std::unique_ptr<HloPass> pass, registry_.Make(name, options_));
      HLOIR_RETURN_IF_ERROR(pass->Run(*copy).status());
      // A rewrite alone may do what it likes.
      std::vector<size_t> made = log.unaffected();
      if (by_id.size() == 1 && !log.entries().empty()) made = {0};
      for (const size_t k : made) {
        const RewriteLog::Entry& entry = log.entries()[k];
        const size_t at = by_id.at(entry.id);
        entries_[at].before = entry.before, entries_[at].after = entry.after, entries_[at].sources = entry.sources;
        done[at] = true;
      }
    }
    return OkStatus();
  }

  // Proposals by batch: no two of a batch are near one another. Those that are near too many have none.
  std::vector<std::vector<size_t>> Batches(std::span<const size_t> of_one_pass) {
    constexpr int kMostBatches = 64;
    std::vector<std::vector<size_t>> batches;
    std::unordered_map<const HloInstruction*, uint64_t> taken;  // the batches that come near an instruction
    for (const size_t at : of_one_pass) {
      const std::vector<const HloInstruction*> near = Near(entries_[at]);
      uint64_t used = 0;
      for (const HloInstruction* i : near) used |= taken[i];
      const int batch = std::countr_one(used);
      if (near.empty() || batch >= kMostBatches) continue;
      for (const HloInstruction* i : near) taken[i] |= uint64_t{1} << batch;
      if (static_cast<size_t>(batch) >= batches.size()) batches.resize(static_cast<size_t>(batch) + 1);
      batches[static_cast<size_t>(batch)].push_back(at);
    }
    return batches;
  }

 private:
  // The proposal's instruction, its operands and theirs, and its users; empty if these are many.
  std::vector<const HloInstruction*> Near(const RewriteLog::Entry& entry) const {
    constexpr size_t kMost = 64;
    constexpr int kDepth = 3;
    std::vector<const HloInstruction*> near;
    const HloComputation* computation = module_.FindComputation(entry.computation);
    const HloInstruction* at = computation == nullptr ? nullptr : computation->FindInstruction(entry.instruction);
    if (at == nullptr) return near;
    const auto add = [&](const HloInstruction* i) {
      if (!i->IsParameter() && !i->IsConstant() && std::find(near.begin(), near.end(), i) == near.end())
        near.push_back(i);
    };
    add(at);
    for (const HloInstruction* user : at->users()) {
      add(user);
      if (near.size() > kMost) return {};
    }
    for (size_t begin = 0, depth = 0; depth < kDepth; ++depth) {
      const size_t end = near.size();
      for (; begin < end; ++begin)
        for (const HloInstruction* operand : near[begin]->operands()) {
          add(operand);
          if (near.size() > kMost) return {};
        }
    }
    return near;
  }

  const HloModule& module_;
  const PassRegistry& registry_;
  const std::span<const std::string> names_;
  PassOptions options_;
  std::vector<RewriteLog::Entry>& entries_;
};

}  // namespace

StatusOr<Proposals> FindProposals(const HloModule& given_module, const PassRegistry& registry,
                                  std::span<const std::string> names, const PassOptions& given,
                                  std::optional<int64_t> max_work, const std::atomic<bool>* cancel) try {
  if (names.empty()) names = registry.default_pipeline();
  PassOptions options = given;
  if (options.evaluator == nullptr) options.evaluator = registry.MakeEvaluator();
  RewriteLog log;
  log.propose_only = true;
  options.rewriter = &log;
  const auto stopped = [cancel] { return cancel != nullptr && *cancel ? Cancelled("stopped") : OkStatus(); };
  PipelineOptions around;
  around.before = [&](const PassEvent&, const HloModule&) { return stopped(); };
  HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline, MakePipeline(registry, names, options, around));
  // The initial steps of a pipeline, for the copies on which single passes run.
  const std::unique_ptr<HloModule> legalized = given_module.Clone();
  LegalizeMixedFloats(*legalized);
  const HloModule& module = *legalized;
  const std::unique_ptr<HloModule> copy = module.Clone();
  HLOIR_RETURN_IF_ERROR(pipeline.RunOnce(*copy).status());

  Proposals proposals;
  proposals.entries = log.entries();
  const int64_t size = std::max<int64_t>(1, module.instruction_count());
  constexpr int64_t kCopies = 16, kSmall = int64_t{1} << 18;
  int64_t copies_left = max_work.value_or(kSmall + kCopies * size) / size;  // for proposals one by one
  std::vector<bool> done(proposals.entries.size());
  Trials trials(module, registry, names, options, proposals.entries);
  // Small modules take no batches: there a new instruction's name has the same number as if the rewrite alone is made.
  if (!max_work && static_cast<int64_t>(proposals.entries.size()) > copies_left) {
    std::vector<std::pair<std::string_view, std::vector<size_t>>> by_pass;
    for (size_t at = 0; at < proposals.entries.size(); ++at) {
      const std::string_view pass = proposals.entries[at].pass;
      auto found = std::find_if(by_pass.begin(), by_pass.end(), [&](const auto& one) { return one.first == pass; });
      if (found == by_pass.end()) found = by_pass.insert(by_pass.end(), {pass, {}});
      found->second.push_back(at);
    }
    for (const auto& [pass, which] : by_pass) {
      for (const std::vector<size_t>& batch : trials.Batches(which)) {
        HLOIR_RETURN_IF_ERROR(stopped());
        HLOIR_RETURN_IF_ERROR(trials.Make(batch, done));
      }
    }
  }
  for (size_t at = 0; at < proposals.entries.size(); ++at) {
    HLOIR_RETURN_IF_ERROR(stopped());
    if (!done[at] && copies_left-- > 0) HLOIR_RETURN_IF_ERROR(trials.Make(std::span(&at, 1), done));
    if (!done[at]) ++proposals.untried;
  }
  return proposals;
} catch (...) {
  return OutOfMemory();
}

}  // namespace hloir
