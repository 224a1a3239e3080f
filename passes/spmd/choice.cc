// See choice.h. Each array in turn assigns axes to its factors first, then the others assign the rest; in addition,
// axes of dimensions that must be whole may move to another dimension.
#include "choice.h"

#include <algorithm>

#include "hloir/rewrite_util.h"
#include "reshard.h"

namespace hloir::spmd {
namespace {

class Chooser {
 public:
  Chooser(const DeviceMesh& mesh, const OpProblem& problem) : mesh_(mesh), problem_(problem), rule_(problem.rule) {
    for (const Shape* leaf : problem.instruction.shape().Leaves()) leaves_.push_back(leaf);
  }

  OpChoice Choose() {
    // Arrays by priority: results first, then the larger operands.
    for (size_t k = 0; k < problem_.results.size(); ++k) {
      if (problem_.results[k])
        wishes_.push_back(Allowed(ToFactors(mesh_, rule_, rule_.results[k], *problem_.results[k])));
    }
    std::vector<size_t> by_size(problem_.operands.size());
    for (size_t k = 0; k < by_size.size(); ++k) by_size[k] = k;
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](size_t a, size_t b) { return Operand(a).ByteSize() > Operand(b).ByteSize(); });
    Axes displaced;
    for (size_t k : by_size) {
      wishes_.push_back(Allowed(ToFactors(mesh_, rule_, rule_.operands[k], problem_.operands[k], &displaced)));
      // The axes of a factor that must not be cut.
      for (const Axes& axes : problem_.operands[k].dims) {
        for (int64_t a : axes) {
          const auto has = [a](const Axes& of) { return Contains(of, a); };
          if (!std::any_of(wishes_.back().begin(), wishes_.back().end(), has)) displaced.push_back(a);
        }
      }
    }
    constexpr size_t kMostTries = 8;
    FactorAxes none(rule_.factors.size());
    Try(none);
    for (size_t first = 0; first < std::min(wishes_.size(), kMostTries); ++first) {
      FactorAxes axes(rule_.factors.size());
      Grant(wishes_[first], axes);
      FactorAxes alone = axes;
      Legalize(mesh_, rule_, alone);
      Try(alone);
      for (const FactorAxes& wish : wishes_) Grant(wish, axes);
      Legalize(mesh_, rule_, axes);
      Try(axes);
    }
    if (!displaced.empty()) TryDisplaced(displaced);
    return std::move(*best_);
  }

 private:
  const Shape& Operand(size_t k) const { return problem_.instruction.operand(static_cast<int64_t>(k))->shape(); }

  FactorAxes Allowed(FactorAxes axes) const {
    for (size_t f = 0; f < axes.size(); ++f) {
      if (!problem_.allowed[f]) axes[f].clear();
    }
    return axes;
  }

  static void Grant(const FactorAxes& wish, FactorAxes& axes) {
    for (size_t f = 0; f < wish.size(); ++f) {
      if (wish[f].size() <= axes[f].size() || !std::equal(axes[f].begin(), axes[f].end(), wish[f].begin())) continue;
      for (size_t k = axes[f].size(); k < wish[f].size(); ++k) {
        const int64_t a = wish[f][k];
        if (std::any_of(axes.begin(), axes.end(), [a](const Axes& of) { return Contains(of, a); })) break;
        axes[f].push_back(a);
      }
    }
  }

  void TryDisplaced(const Axes& displaced) {
    for (size_t f = 0; f < rule_.factors.size(); ++f) {
      if (rule_.factors[f].kind != FactorKind::kPass || !problem_.allowed[f]) continue;
      FactorAxes axes(rule_.factors.size());
      if (!wishes_.empty()) Grant(wishes_[0], axes);
      bool added = false;
      for (int64_t a : displaced) {
        if (std::any_of(axes.begin(), axes.end(), [a](const Axes& of) { return Contains(of, a); })) continue;
        axes[f].push_back(a);
        added = true;
      }
      if (!added || !mesh_.DividesEvenly(rule_.factors[f].size, axes[f])) continue;
      Legalize(mesh_, rule_, axes);
      Try(axes);
    }
  }

  void Try(const FactorAxes& axes) {
    OpChoice choice;
    choice.axes = axes;
    for (size_t f = 0; f < axes.size(); ++f) {
      const FactorKind kind = rule_.factors[f].kind;
      if (kind != FactorKind::kReduce && kind != FactorKind::kIndexed) continue;
      for (int64_t a : axes[f]) choice.partial.push_back(a);
    }
    double work = 0;
    for (size_t k = 0; k < problem_.operands.size(); ++k) {
      choice.operands.push_back(FromFactors(rule_.operands[k], axes, problem_.manual));
      const Shape& whole = Operand(k);
      if (!whole.IsArray()) continue;
      choice.bytes += problem_.operand_bytes(k, choice.operands[k]);
      work += static_cast<double>(mesh_.ShardShape(whole, choice.operands[k]).ByteSize());
    }
    for (size_t k = 0; k < rule_.results.size(); ++k) {
      choice.results.push_back(FromFactors(rule_.results[k], axes, problem_.manual));
      const Shape& whole = *leaves_[k];
      if (!whole.IsArray()) continue;
      const ArraySharding* to = problem_.results[k] ? &*problem_.results[k] : nullptr;
      choice.bytes += PartialBytes(mesh_, whole, choice.partial, choice.results[k], to);
      work += static_cast<double>(mesh_.ShardShape(whole, choice.results[k]).ByteSize());
    }
    if (problem_.own_bytes) choice.bytes += problem_.own_bytes(choice);
    // Work decides between ways that move as much.
    constexpr double kWorkAByte = 1e-3;
    const double cost = choice.bytes + kWorkAByte * work;
    if (best_ && cost >= best_cost_) return;
    best_cost_ = cost;
    best_ = std::move(choice);
  }

  const DeviceMesh& mesh_;
  const OpProblem& problem_;
  const OpRule& rule_;
  std::vector<const Shape*> leaves_;
  std::vector<FactorAxes> wishes_;
  std::optional<OpChoice> best_;
  double best_cost_ = 0;
};

}  // namespace

double PartialBytes(const DeviceMesh& mesh, const Shape& whole, const Axes& partial, ArraySharding sharding,
                    const ArraySharding* to) {
  double bytes = 0;
  Axes left;
  for (int64_t a : partial) {
    if (to == nullptr || !Contains(to->unreduced, a)) left.push_back(a);
  }
  const auto local = [&] { return static_cast<double>(mesh.ShardShape(whole, sharding).ByteSize()); };
  if (to != nullptr) {
    for (const Scattering& part : ScatteringsOf(mesh, whole, left, sharding, *to)) {
      const double k = static_cast<double>(mesh.SizeOf(part.axes));
      bytes += (k - 1) / k * local();
      for (int64_t a : part.axes) {
        sharding.dims[static_cast<size_t>(part.dim)].push_back(a);
        left.erase(std::find(left.begin(), left.end(), a));
      }
    }
  }
  bytes += AllReduceBytes(mesh, local(), left);
  return to == nullptr ? bytes : bytes + ReshardBytes(mesh, whole, sharding, *to);
}

OpChoice ChoosePartition(const DeviceMesh& mesh, const OpProblem& problem) { return Chooser(mesh, problem).Choose(); }

}  // namespace hloir::spmd
