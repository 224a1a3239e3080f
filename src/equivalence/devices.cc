// See devices.h.
#include "equivalence/devices.h"

#include <algorithm>

#include "hloir/evaluator.h"

namespace hloir::equivalence::inside {
namespace {

constexpr int64_t kMostDevices = 4096;
constexpr int64_t kMostEntries = 1 << 20;
constexpr size_t kMostOrders = 60;  // permutations of prime factors

std::vector<int64_t> PrimesOf(int64_t n) {
  std::vector<int64_t> primes;
  for (int64_t p = 2; p * p <= n; ++p) {
    for (; n % p == 0; n /= p) primes.push_back(p);
  }
  if (n > 1) primes.push_back(n);
  return primes;
}

// The orders in which a number below n can be decomposed into digits with prime radices.
std::vector<std::vector<int64_t>> OrdersOf(int64_t n) {
  std::vector<int64_t> primes = PrimesOf(n);
  std::vector<std::vector<int64_t>> orders;
  do orders.push_back(primes);
  while (orders.size() < kMostOrders && std::next_permutation(primes.begin(), primes.end()));
  return orders;
}

// The step of each digit if the table is affine in the digits.
std::optional<std::vector<int64_t>> StepsOf(std::span<const int64_t> table, const std::vector<int64_t>& sizes) {
  std::vector<int64_t> steps(sizes.size(), 0);
  int64_t stride = 1;
  for (size_t k = sizes.size(); k-- > 0; stride *= sizes[k]) steps[k] = table[static_cast<size_t>(stride)] - table[0];
  for (size_t n = 0; n < table.size(); ++n) {
    int64_t rest = static_cast<int64_t>(n), expected = table[0];
    for (size_t k = sizes.size(); k-- > 0; rest /= sizes[k]) expected += steps[k] * (rest % sizes[k]);
    if (expected != table[n]) return std::nullopt;
  }
  return steps;
}

std::vector<int64_t> DivisorsOf(int64_t n) {
  std::vector<int64_t> divisors;
  for (int64_t d = 1; d <= n; ++d) {
    if (n % d == 0) divisors.push_back(d);
  }
  return divisors;
}

// A shift of devices by `by` around an axis of `size` and `stride`.
struct Turn {
  int64_t stride, size, by;
  int64_t Of(int64_t device) const {
    const int64_t at = device / stride % size;
    return device + ((at + by) % size - at) * stride;
  }
};
std::optional<Turn> TurnOf(std::span<const int64_t> table) {
  const int64_t n = static_cast<int64_t>(table.size());
  for (int64_t stride : DivisorsOf(n)) {
    for (int64_t size : DivisorsOf(n / stride)) {
      for (int64_t by = 1; by < size; ++by) {
        const Turn turn{stride, size, by};
        bool fits = true;
        for (int64_t d = 0; d < n && fits; ++d)
          fits = table[static_cast<size_t>(d)] < 0 || table[static_cast<size_t>(d)] == turn.Of(d);
        if (fits) return turn;
      }
    }
  }
  return std::nullopt;
}

// The meaning of the numbers in replica_groups and source_target_pairs: see XLA's CollectiveOpGroupMode.
enum class Ids { kReplicas, kPartitions, kReplicasOfAllPartitions, kDevices };

Ids IdsOf(const HloInstruction& i) {
  Ids ids = Ids::kReplicas;
  i.attributes().Visit([&](const auto& a) {
    if constexpr (requires { a.channel_id; }) {
      if (!a.channel_id.has_value()) return;
      ids = Ids::kPartitions;
      if constexpr (requires { a.use_global_device_ids; })
        ids = a.use_global_device_ids ? Ids::kDevices : Ids::kReplicasOfAllPartitions;
    }
  });
  return ids;
}

}  // namespace

bool Devices::IsAxis(VarId v) const { return std::find(axes_.begin(), axes_.end(), v) != axes_.end(); }

Index Devices::Number(Exprs& exprs) const {
  std::vector<Index> at;
  for (VarId axis : axes_) at.push_back(exprs.Var(axis));
  return exprs.Flatten(at, sizes_);
}

Exprs::Substitution Devices::On(Exprs& exprs, const Index& device) const {
  Exprs::Substitution by;
  int64_t stride = 1;
  for (size_t k = axes_.size(); k-- > 0; stride *= sizes_[k]) {
    const Index at = exprs.Mod(exprs.Div(device, stride), sizes_[k]);
    if (!(at == exprs.Var(axes_[k]))) by.push_back({axes_[k], at});
  }
  return by;
}

std::optional<Index> Devices::Entry(Exprs& exprs, std::span<const int64_t> table, const Index& at) {
  const int64_t n = static_cast<int64_t>(table.size());
  constexpr int64_t kFar = int64_t{1} << 40;
  if (n == 0 || n > kMostEntries) return std::nullopt;
  if (std::any_of(table.begin(), table.end(), [](int64_t e) { return e > kFar || e < -kFar; })) return std::nullopt;
  for (const std::vector<int64_t>& sizes : OrdersOf(n)) {
    exprs.Spent(1 + n / 16);
    const auto steps = StepsOf(table, sizes);
    if (!steps) continue;
    Index sum = Exprs::Number(table[0]);
    int64_t stride = 1;
    // Merges adjacent digits with compatible steps into one term.
    for (size_t k = sizes.size(); k-- > 0;) {
      int64_t size = sizes[k];
      const int64_t step = (*steps)[k];
      while (k > 0 && (*steps)[k - 1] == step * size) size *= sizes[--k];
      if (step != 0) sum = exprs.Plus(sum, exprs.Mod(exprs.Div(at, stride), size), step);
      stride *= size;
    }
    return sum;
  }
  return std::nullopt;
}

std::optional<Index> Devices::Device(Exprs& exprs, std::span<const int64_t> table) const {
  const Index number = Number(exprs);
  std::optional<int64_t> by;
  bool one = true, whole = true;
  for (size_t d = 0; d < table.size(); ++d) {
    whole = whole && table[d] >= 0;
    if (table[d] < 0) continue;
    const int64_t moved = table[d] - static_cast<int64_t>(d);
    one = one && moved == by.value_or(moved);
    by = moved;
  }
  if (one && by) return exprs.Plus(number, Exprs::Number(*by));
  if (const auto turn = TurnOf(table)) {
    const Index at = exprs.Mod(exprs.Div(number, turn->stride), turn->size);
    const Index to = exprs.Mod(exprs.Plus(at, Exprs::Number(turn->by)), turn->size);
    return exprs.Plus(number, exprs.Plus(to, at, -1), turn->stride);
  }
  return whole ? Entry(exprs, table, number) : std::nullopt;
}

std::optional<Exprs::Substitution> Devices::Along(Exprs& exprs, std::span<const int64_t> table) const {
  std::optional<std::vector<int64_t>> steps;
  for (size_t d = 0; d < table.size(); ++d) {
    if (table[d] < 0) continue;
    std::vector<int64_t> step(sizes_.size());
    int64_t from = static_cast<int64_t>(d), to = table[d];
    for (size_t k = sizes_.size(); k-- > 0; from /= sizes_[k], to /= sizes_[k])
      step[k] = to % sizes_[k] - from % sizes_[k];
    if (steps && *steps != step) return std::nullopt;
    steps = std::move(step);
  }
  if (!steps) return std::nullopt;
  Exprs::Substitution by;
  for (size_t k = 0; k < sizes_.size(); ++k) {
    if ((*steps)[k] != 0) by.push_back({axes_[k], exprs.Plus(exprs.Var(axes_[k]), Exprs::Number((*steps)[k]))});
  }
  return by;
}

ExprId Devices::Holds(Exprs& exprs, const std::vector<bool>& on) const {
  const Index number = Number(exprs);
  for (int64_t stride : DivisorsOf(count_)) {
    for (int64_t size : DivisorsOf(count_ / stride)) {
      int64_t low = size, high = -1;
      const auto digit = [&](int64_t d) { return d / stride % size; };
      for (int64_t d = 0; d < count_; ++d) {
        if (on[static_cast<size_t>(d)]) low = std::min(low, digit(d)), high = std::max(high, digit(d));
      }
      bool fits = true;
      for (int64_t d = 0; d < count_ && fits; ++d)
        fits = on[static_cast<size_t>(d)] == (digit(d) >= low && digit(d) <= high);
      if (!fits) continue;
      const Index at = exprs.Mod(exprs.Div(number, stride), size);
      return exprs.And(exprs.Guard(false, exprs.Plus(at, Exprs::Number(-low))),
                       exprs.Guard(false, exprs.Plus(Exprs::Number(high), at, -1)));
    }
  }
  return -1;
}

Devices::Groups Devices::GroupsOf(const HloInstruction& i) const {
  Groups named;
  i.attributes().Visit([&](const auto& a) {
    if constexpr (requires { a.replica_groups; }) named = a.replica_groups.Expand();
  });
  const Ids ids = IdsOf(i);
  const int64_t replicas = count_ / partitions_;
  const int64_t limit = ids == Ids::kDevices ? count_ : ids == Ids::kPartitions ? partitions_ : replicas;
  std::erase_if(named, [](const auto& group) { return group.empty(); });
  if (named.empty()) {
    named.emplace_back();
    for (int64_t id = 0; id < limit; ++id) named.back().push_back(id);
  }
  for (const auto& group : named) {
    for (int64_t id : group) {
      if (id < 0 || id >= limit) return {};
    }
  }
  Groups groups;
  const int64_t others = ids == Ids::kPartitions ? replicas : ids == Ids::kReplicas ? partitions_ : 1;
  for (int64_t other = 0; other < others; ++other) {
    for (const auto& group : named) {
      std::vector<int64_t>& devices = groups.emplace_back();
      for (int64_t id : group) {
        if (ids == Ids::kDevices) devices.push_back(id);
        else if (ids == Ids::kPartitions) devices.push_back(other * partitions_ + id);
        else if (ids == Ids::kReplicas) devices.push_back(id * partitions_ + other);
        else
          for (int64_t p = 0; p < partitions_; ++p) devices.push_back(id * partitions_ + p);
      }
    }
  }
  std::vector<bool> seen(static_cast<size_t>(count_), false);
  int64_t all = 0;
  for (const auto& group : groups) {
    if (group.size() != groups[0].size()) return {};
    for (int64_t device : group) {
      if (seen[static_cast<size_t>(device)]) return {};
      seen[static_cast<size_t>(device)] = true;
      ++all;
    }
  }
  return all == count_ ? groups : Groups();
}

std::vector<int64_t> Devices::SourcesOf(const HloInstruction& permute) const {
  const Ids ids = IdsOf(permute);
  const int64_t replicas = count_ / partitions_, others = ids == Ids::kPartitions ? replicas : partitions_;
  std::vector<int64_t> sources(static_cast<size_t>(count_), -1);
  std::vector<bool> sent(static_cast<size_t>(count_), false);
  for (int64_t other = 0; other < others; ++other) {
    const auto device = [&](int64_t id) {
      if (id < 0 || id >= (ids == Ids::kPartitions ? partitions_ : replicas)) return int64_t{-1};
      return ids == Ids::kPartitions ? other * partitions_ + id : id * partitions_ + other;
    };
    for (const auto& [from, to] : permute.attributes<CollectivePermuteAttributes>().source_target_pairs) {
      const int64_t source = device(from), target = device(to);
      if (source < 0 || target < 0 || sources[static_cast<size_t>(target)] >= 0) return {};
      sources[static_cast<size_t>(target)] = source;
    }
  }
  return sources;
}

namespace {

bool IsPermute(const HloInstruction& i) {
  return i.opcode() == HloOpcode::kCollectivePermute || i.opcode() == HloOpcode::kCollectivePermuteStart;
}

// Adds the columns of an integer constant that has one row per device.
void AddColumns(const HloInstruction& i, int64_t devices, std::vector<std::vector<int64_t>>& tables) {
  constexpr int64_t kMostColumns = 64;
  const Shape& shape = i.shape();
  if (!i.IsConstant() || !shape.IsArray() || shape.rank() == 0 || shape.dimensions(0) != devices ||
      !IsInteger(shape.element_type()) || i.literal().elided())
    return;
  const int64_t columns = i.literal().element_count() / devices;
  for (int64_t c = 0; c < std::min(columns, kMostColumns); ++c) {
    std::vector<int64_t>& table = tables.emplace_back();
    for (int64_t d = 0; d < devices; ++d) table.push_back(i.literal().GetAsInt64(d * columns + c));
  }
}

}  // namespace

// Finds the axes: digits that all tables traverse together form one axis.
void Devices::FindAxes(const HloModule& a, const HloModule& b, Exprs& exprs) {
  std::vector<std::vector<int64_t>> tables;
  std::set<int64_t> cuts;  // strides at which an axis begins
  for (const HloModule* module : {&a, &b}) {
    for (const HloInstruction* i : module->AllInstructions()) {
      AddColumns(*i, partitions_, tables);
      if (IsPermute(*i)) {
        const std::vector<int64_t> sources = SourcesOf(*i);
        const auto turn = sources.empty() ? std::nullopt : TurnOf(sources);
        if (turn) cuts.insert({turn->stride, turn->stride * turn->size});
      } else if (i->Is(kCollective)) {
        std::vector<int64_t> first(static_cast<size_t>(count_), 0), rank = first;
        for (const auto& group : GroupsOf(*i)) {
          for (size_t k = 0; k < group.size(); ++k) {
            first[static_cast<size_t>(group[k])] = *std::min_element(group.begin(), group.end());
            rank[static_cast<size_t>(group[k])] = static_cast<int64_t>(k);
          }
        }
        tables.push_back(std::move(first));
        tables.push_back(std::move(rank));
      }
    }
  }
  if (partitions_ < count_) cuts.insert(partitions_);
  std::sort(tables.begin(), tables.end());
  tables.erase(std::unique(tables.begin(), tables.end()), tables.end());
  // A constant's column has one entry per partition; each replica repeats it.
  for (auto& table : tables) {
    while (static_cast<int64_t>(table.size()) < count_)
      table.push_back(table[table.size() - static_cast<size_t>(partitions_)]);
  }
  std::vector<int64_t> best;
  size_t most = 0;
  for (const std::vector<int64_t>& sizes : OrdersOf(count_)) {
    const auto fits = static_cast<size_t>(std::count_if(
        tables.begin(), tables.end(), [&](const auto& table) { return StepsOf(table, sizes).has_value(); }));
    if (best.empty() || fits > most) best = sizes, most = fits;
  }
  std::vector<int64_t> strides(best.size(), 1);
  for (size_t k = best.size(); k-- > 1;) strides[k - 1] = strides[k] * best[k];
  for (const auto& table : tables) {
    const auto steps = StepsOf(table, best);
    for (size_t k = 1; steps && k < best.size(); ++k) {
      if ((*steps)[k - 1] != (*steps)[k] * best[k]) cuts.insert(strides[k - 1]);
    }
  }
  for (size_t k = 0; k < best.size(); ++k) {
    if (k == 0 || cuts.count(strides[k - 1]) != 0) sizes_.push_back(best[k]);
    else sizes_.back() *= best[k];
  }
  for (size_t k = 0; k < sizes_.size(); ++k) axes_.push_back(exprs.Turn(-1 - static_cast<int32_t>(k), sizes_[k]));
}

std::optional<Devices> Devices::Of(const HloModule& a, const HloModule& b, Exprs& exprs) {
  if (!UsesDevices(a) && !UsesDevices(b)) return std::nullopt;
  const DeviceCounts counts = DeviceCountsOf(UsesDevices(a) ? a : b);
  Devices devices;
  devices.count_ = counts.devices();
  devices.partitions_ = counts.partitions;
  if (devices.count_ < 2 || devices.count_ > kMostDevices) return std::nullopt;
  devices.FindAxes(a, b, exprs);
  for (const HloModule* module : {&a, &b}) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const HloComputation* computation : module->computations()) {
        for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
          const bool waits = i->Is(kCollective) || i->opcode() == HloOpcode::kSend || i->opcode() == HloOpcode::kRecv ||
                             std::any_of(i->called_computations().begin(), i->called_computations().end(),
                                         [&](const HloComputation* c) { return devices.Communicates(*c); });
          if (waits) changed = devices.communicate_.insert(computation).second || changed;
        }
      }
    }
  }
  return devices;
}

}  // namespace hloir::equivalence::inside
