// See reshard.h. A plan slices first, where that is free, then moves axes between dimensions, and gathers last; of a
// plan with several exchanges, PlanSearch looks for a cheaper one. Where a dimension's parts are of unequal size they
// are put together before they are cut otherwise.
#include "reshard.h"

#include <algorithm>
#include <set>
#include <utility>

#include "hloir/rewrite_util.h"

namespace hloir::spmd {
namespace {

size_t CommonPrefix(const Axes& a, const Axes& b) {
  return static_cast<size_t>(std::mismatch(a.begin(), a.begin() + std::min(a.size(), b.size()), b.begin()).first -
                             a.begin());
}
Axes From(const Axes& axes, size_t first) { return Axes(axes.begin() + first, axes.end()); }
Axes Joined(Axes a, const Axes& b) {
  for (int64_t axis : b) a.push_back(axis);
  return a;
}

// Pairs of source and target devices that move parts cut as `before` to the places of `after`; as few as possible.
Int64Pairs PairsOf(const DeviceMesh& mesh, const ArraySharding& before, const ArraySharding& after) {
  const auto part = [&](const ArraySharding& sharding, int64_t device) {
    std::vector<int64_t> key;
    for (const Axes& axes : sharding.dims) key.push_back(mesh.IndexOf(device, axes));
    key.push_back(mesh.IndexOf(device, sharding.manual));
    return key;
  };
  std::map<std::vector<int64_t>, std::vector<int64_t>> have, want;
  Int64Pairs pairs;
  for (int64_t device = 0; device < mesh.device_count(); ++device) {
    const auto from = part(before, device), to = part(after, device);
    if (from == to) {
      pairs.emplace_back(device, device);
    } else {
      have[from].push_back(device);
      want[to].push_back(device);
    }
  }
  for (const auto& [key, devices] : want) {
    const std::vector<int64_t>& sources = have[key];
    for (size_t k = 0; k < devices.size() && k < sources.size(); ++k) pairs.emplace_back(sources[k], devices[k]);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

// The part of the devices that get another part of the array.
double MovedPart(const DeviceMesh& mesh, const ArraySharding& before, const ArraySharding& after) {
  constexpr int64_t kMostCounted = 64;
  if (mesh.device_count() > kMostCounted) return 1;
  const Int64Pairs pairs = PairsOf(mesh, before, after);
  const auto moves =
      std::count_if(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.first != pair.second; });
  return static_cast<double>(moves) / static_cast<double>(mesh.device_count());
}

void SetBytes(const DeviceMesh& mesh, const Shape& whole, ReshardStep& step) {
  const double bytes = static_cast<double>(mesh.ShardShape(whole, step.before).ByteSize());
  const double k = static_cast<double>(mesh.SizeOf(step.axes));
  switch (step.kind) {
    case ReshardStep::Kind::kSlice: step.bytes = 0; break;
    case ReshardStep::Kind::kGather: step.bytes = (k - 1) * bytes; break;
    case ReshardStep::Kind::kAllToAll: step.bytes = (k - 1) / k * bytes; break;
    case ReshardStep::Kind::kPermute: step.bytes = bytes * MovedPart(mesh, step.before, step.after); break;
  }
}

class Planner {
 public:
  Planner(const DeviceMesh& mesh, const Shape& whole, const ArraySharding& from, const ArraySharding& to)
      : mesh_(mesh), whole_(whole), to_(to), now_(from) {
    now_.manual = to.manual;
  }

  std::vector<ReshardStep> Plan() {
    while (!(now_ == to_)) {
      if (Slice()) continue;
      if (PermuteAll() || AllToAll() || Reorder()) continue;
      Gather();
    }
    return std::move(steps_);
  }

 private:
  using Kind = ReshardStep::Kind;

  bool Even(size_t d, const Axes& axes) const {
    return mesh_.DividesEvenly(whole_.dimensions(static_cast<int64_t>(d)), axes);
  }
  void Add(Kind kind, Axes axes, size_t dim, size_t to_dim, ArraySharding after) {
    ReshardStep step{kind, std::move(axes), static_cast<int64_t>(dim), static_cast<int64_t>(to_dim), now_, after, 0};
    SetBytes(mesh_, whole_, step);
    now_ = std::move(after);
    steps_.push_back(std::move(step));
  }

  bool Slice() {
    for (size_t e = 0; e < to_.dims.size(); ++e) {
      const Axes &now = now_.dims[e], &to = to_.dims[e];
      if (now.size() >= to.size() || CommonPrefix(now, to) != now.size()) continue;
      Axes taken;
      for (int64_t a : From(to, now.size())) {
        if (now_.Uses(a)) break;
        taken.push_back(a);
      }
      if (taken.empty() || (!Even(e, to) && taken.size() != to.size())) continue;
      ArraySharding after = now_;
      after.dims[e] = Joined(now, taken);
      Add(Kind::kSlice, taken, e, e, std::move(after));
      return true;
    }
    return false;
  }

  // The same number of parts along each dimension, elsewhere.
  bool PermuteAll() {
    for (size_t d = 0; d < to_.dims.size(); ++d) {
      if (mesh_.SizeOf(now_.dims[d]) != mesh_.SizeOf(to_.dims[d])) return false;
    }
    Add(Kind::kPermute, {}, 0, 0, to_);
    return true;
  }

  bool AllToAll() {
    for (size_t d = 0; d < to_.dims.size(); ++d) {
      const Axes& now = now_.dims[d];
      const size_t first = CommonPrefix(now, to_.dims[d]);
      for (size_t s = first; s < now.size(); ++s) {
        const Axes moved = From(now, s);
        if (s > 0 && !Even(d, now)) break;
        for (size_t e = 0; e < to_.dims.size(); ++e) {
          const Axes &there = now_.dims[e], &to = to_.dims[e];
          if (e == d || there.size() + moved.size() > to.size() || CommonPrefix(there, to) != there.size()) continue;
          if (!std::equal(moved.begin(), moved.end(), to.begin() + there.size())) continue;
          if (!Even(e, to) && moved.size() != to.size()) continue;
          ArraySharding after = now_;
          after.dims[d] = Axes(now.begin(), now.begin() + s);
          after.dims[e] = Joined(there, moved);
          Add(Kind::kAllToAll, moved, d, e, std::move(after));
          return true;
        }
      }
    }
    return false;
  }

  // The next wanted axis is among a dimension's minor ones: it moves to its place, and the rest can be gathered or
  // moved.
  bool Reorder() {
    for (size_t d = 0; d < to_.dims.size(); ++d) {
      const Axes &now = now_.dims[d], &to = to_.dims[d];
      const size_t first = CommonPrefix(now, to);
      if (first >= to.size() || first >= now.size() || !Contains(now, to[first])) continue;
      Axes ordered(now.begin(), now.begin() + first);
      for (int64_t a : From(to, first)) {
        if (!Contains(now, a)) break;
        ordered.push_back(a);
      }
      for (int64_t a : now) {
        if (!Contains(ordered, a)) ordered.push_back(a);
      }
      ArraySharding after = now_;
      after.dims[d] = ordered;
      Add(Kind::kPermute, {}, d, d, std::move(after));
      return true;
    }
    return false;
  }

  void Gather() {
    for (size_t d = 0; d < to_.dims.size(); ++d) {
      const Axes now = now_.dims[d];
      size_t first = CommonPrefix(now, to_.dims[d]);
      if (now_.dims[d] == to_.dims[d]) continue;
      if (!Even(d, now) || !Even(d, to_.dims[d])) first = 0;
      if (first == now.size()) continue;
      if (Even(d, now)) {  // axes along which the result is not split, otherwise one axis
        size_t s = now.size() - 1;
        while (s > first && !to_.Uses(now[s]) && !to_.Uses(now[s - 1])) --s;
        first = s;
      }
      ArraySharding after = now_;
      after.dims[d] = Axes(now.begin(), now.begin() + first);
      Add(Kind::kGather, From(now, first), d, d, std::move(after));
      return;
    }
  }

  const DeviceMesh& mesh_;
  const Shape& whole_;
  const ArraySharding& to_;
  ArraySharding now_;
  std::vector<ReshardStep> steps_;
};

// The cheapest sequence of steps, by Dijkstra's algorithm over the lists of axes of all dimensions.
class PlanSearch {
 public:
  PlanSearch(const DeviceMesh& mesh, const Shape& whole, const ArraySharding& from, const ArraySharding& to)
      : mesh_(mesh), whole_(whole), from_(from), to_(to) {
    from_.manual = to.manual;
  }

  // Nothing if it is not found within a number of states, or none is cheaper than `bound`.
  std::vector<ReshardStep> Plan(double bound) {
    constexpr size_t kMostStates = 2000;
    Reach(from_.dims, 0, nullptr, {});
    while (!queue_.empty() && reached_.size() < kMostStates) {
      const auto [cost, at] = *queue_.begin();
      queue_.erase(queue_.begin());
      if (cost >= bound) return {};
      if (*at == to_.dims) return StepsTo(*at);
      Expand(*at, cost);
    }
    return {};
  }

 private:
  using Kind = ReshardStep::Kind;
  using Dims = std::vector<Axes>;
  struct Node {
    double cost = 0;
    const Dims* before = nullptr;
    ReshardStep step;
  };

  bool Even(size_t d, const Axes& axes) const {
    return mesh_.DividesEvenly(whole_.dimensions(static_cast<int64_t>(d)), axes);
  }
  ArraySharding With(Dims dims) const {
    ArraySharding sharding = from_;
    sharding.dims = std::move(dims);
    return sharding;
  }

  void Reach(Dims dims, double cost, const Dims* before, ReshardStep step) {
    const auto [at, is_new] = reached_.try_emplace(std::move(dims));
    if (!is_new) {
      if (at->second.cost <= cost) return;
      queue_.erase({at->second.cost, &at->first});
    }
    at->second = {cost, before, std::move(step)};
    queue_.emplace(cost, &at->first);
  }

  void Step(const Dims& now, double cost, Kind kind, Axes axes, size_t dim, size_t to_dim, Dims next) {
    ReshardStep step{
        kind, std::move(axes), static_cast<int64_t>(dim), static_cast<int64_t>(to_dim), With(now), With(next), 0};
    SetBytes(mesh_, whole_, step);
    // Of plans that move as much, the shortest.
    constexpr double kOfAStep = 1e-3;
    const double after = cost + step.bytes + kOfAStep;
    Reach(std::move(next), after, &now, std::move(step));
  }

  // True if dimension d may be cut along these, from less or nothing.
  bool MayCut(size_t d, const Axes& was, const Axes& axes) const {
    if (mesh_.SizeOf(to_.dims[d]) % mesh_.SizeOf(axes) != 0) return false;
    return Even(d, axes) || (was.empty() && axes == to_.dims[d]);
  }

  void Expand(const Dims& now, double cost) {
    const ArraySharding sharding = With(now);
    for (size_t d = 0; d < now.size(); ++d) {
      for (int64_t a = 0; a < mesh_.axis_count(); ++a) {
        Dims next = now;
        next[d].push_back(a);
        if (!sharding.Uses(a) && MayCut(d, now[d], next[d])) Step(now, cost, Kind::kSlice, {a}, d, d, std::move(next));
      }
      const bool uneven_target = now[d].empty() && !Even(d, to_.dims[d]);
      if (uneven_target &&
          std::none_of(to_.dims[d].begin(), to_.dims[d].end(), [&](int64_t a) { return sharding.Uses(a); })) {
        Dims next = now;
        next[d] = to_.dims[d];
        Step(now, cost, Kind::kSlice, to_.dims[d], d, d, std::move(next));
      }
      for (size_t keep = 0; keep < now[d].size(); ++keep) {
        if (keep > 0 && !Even(d, now[d])) break;
        const Axes moved = From(now[d], keep);
        Dims next = now;
        next[d].resize(keep);
        Step(now, cost, Kind::kGather, moved, d, d, next);
        for (size_t e = 0; e < now.size(); ++e) {
          Axes there = Joined(now[e], moved);
          if (e == d || !MayCut(e, now[e], there)) continue;
          Dims exchanged = next;
          exchanged[e] = std::move(there);
          Step(now, cost, Kind::kAllToAll, moved, d, e, std::move(exchanged));
        }
      }
    }
    if (Dims next = Permuted(now); next != now) Step(now, cost, Kind::kPermute, {}, 0, 0, std::move(next));
  }

  // As many parts of each dimension, along the wanted axes as far as they fit.
  Dims Permuted(const Dims& now) const {
    Dims next(now.size());
    ArraySharding used = With(next);
    std::vector<int64_t> left;
    for (size_t d = 0; d < now.size(); ++d) {
      left.push_back(mesh_.SizeOf(now[d]));
      for (int64_t a : to_.dims[d]) {
        if (left[d] % mesh_.size(a) != 0) break;
        used.dims[d].push_back(a);
        left[d] /= mesh_.size(a);
      }
    }
    // Then those that it has, and then any.
    for (const bool any : {false, true}) {
      for (size_t d = 0; d < now.size(); ++d) {
        for (int64_t a : any ? mesh_.AllAxes() : now[d]) {
          if (left[d] % mesh_.size(a) != 0 || left[d] == 1 || used.Uses(a)) continue;
          used.dims[d].push_back(a);
          left[d] /= mesh_.size(a);
        }
      }
    }
    return std::all_of(left.begin(), left.end(), [](int64_t l) { return l == 1; }) ? used.dims : now;
  }

  std::vector<ReshardStep> StepsTo(const Dims& dims) const {
    std::vector<ReshardStep> steps;
    for (const Node* at = &reached_.at(dims); at->before != nullptr; at = &reached_.at(*at->before))
      steps.push_back(at->step);
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

  const DeviceMesh& mesh_;
  const Shape& whole_;
  ArraySharding from_;
  const ArraySharding& to_;
  std::map<Dims, Node> reached_;
  std::set<std::pair<double, const Dims*>> queue_;
};

}  // namespace

std::vector<ReshardStep> PlanReshard(const DeviceMesh& mesh, const Shape& whole, const ArraySharding& from,
                                     const ArraySharding& to) {
  std::vector<ReshardStep> steps = Planner(mesh, whole, from, to).Plan();
  double bytes = 0;
  for (const ReshardStep& step : steps) bytes += step.bytes;
  const auto sends = std::count_if(steps.begin(), steps.end(), [](const ReshardStep& step) { return step.bytes > 0; });
  // The states of the search grow with the number of axes; a mesh of 64 devices has 6.
  constexpr int64_t kMostAxes = 6;
  if (sends < 2 || mesh.axis_count() > kMostAxes) return steps;
  std::vector<ReshardStep> found = PlanSearch(mesh, whole, from, to).Plan(bytes);
  return found.empty() ? steps : found;
}

double ReshardBytes(const DeviceMesh& mesh, const Shape& whole, const ArraySharding& from, const ArraySharding& to) {
  double bytes = 0;
  for (const ReshardStep& step : PlanReshard(mesh, whole, from, to)) bytes += step.bytes;
  return bytes;
}

std::vector<Scattering> ScatteringsOf(const DeviceMesh& mesh, const Shape& whole, const Axes& partial,
                                      const ArraySharding& sharding, const ArraySharding& to) {
  std::vector<Scattering> parts;
  for (size_t d = 0; d < to.dims.size(); ++d) {
    const Axes& now = sharding.dims[d];
    if (!mesh.DividesEvenly(whole.dimensions(static_cast<int64_t>(d)), to.dims[d])) continue;
    if (CommonPrefix(now, to.dims[d]) != now.size()) continue;
    Scattering part{static_cast<int64_t>(d), {}};
    for (int64_t a : From(to.dims[d], now.size())) {
      if (!Contains(partial, a)) break;
      part.axes.push_back(a);
    }
    if (!part.axes.empty()) parts.push_back(std::move(part));
  }
  return parts;
}

double AllReduceBytes(const DeviceMesh& mesh, double bytes, const Axes& among) {
  const double k = static_cast<double>(mesh.SizeOf(among));
  return 2 * (k - 1) / k * bytes;
}

SpmdBuilder::Op SpmdBuilder::PerDevice(const std::vector<int64_t>& values) {
  if (std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == values[0]; })) return Scalar(values[0]);
  Op& made = tables_[values];
  if (made != nullptr) return made;
  if (partition_ == nullptr) partition_ = b.PartitionId();
  Literal table(Shape::Array(PrimitiveType::S32, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) table.data<int32_t>()[i] = static_cast<int32_t>(values[i]);
  return made = b.Reshape(b.DynamicSlice(b.Constant(std::move(table)), {partition_}, {1}), {});
}

SpmdBuilder::Op SpmdBuilder::Offset(const Axes& axes, int64_t size) {
  std::vector<int64_t> values;
  for (int64_t device = 0; device < mesh.device_count(); ++device) values.push_back(mesh.IndexOf(device, axes) * size);
  return PerDevice(values);
}

ReplicaGroups SpmdBuilder::GroupsOf(const Axes& axes) const {
  ReplicaGroups groups;
  groups.groups = mesh.Groups(axes);
  return groups;
}

SpmdBuilder::Op SpmdBuilder::AllReduce(Op x, const Axes& among, HloComputation* reducer) {
  if (among.empty()) return x;
  return b.AllReduce(x, reducer,
                     {.channel_id = NextChannel(), .replica_groups = GroupsOf(among), .use_global_device_ids = true});
}

SpmdBuilder::Op SpmdBuilder::AllGather(Op x, int64_t dim, const Axes& axes) {
  return b.AllGather(x, dim, mesh.SizeOf(axes),
                     {.channel_id = NextChannel(), .replica_groups = GroupsOf(axes), .use_global_device_ids = true});
}

SpmdBuilder::Op SpmdBuilder::Permute(Op x, Int64Pairs pairs) {
  return b.CollectivePermute(x, std::move(pairs), NextChannel());
}

SpmdBuilder::Op SpmdBuilder::ReducePartial(Op x, const Shape& whole, const Axes& partial, HloComputation* reducer,
                                           ArraySharding sharding, const ArraySharding& to, ArraySharding* result) {
  Axes left = partial;
  for (const Scattering& part : ScatteringsOf(mesh, whole, partial, sharding, to)) {
    x = b.ReduceScatter(
        x, part.dim, mesh.SizeOf(part.axes), reducer,
        {.channel_id = NextChannel(), .replica_groups = GroupsOf(part.axes), .use_global_device_ids = true});
    Axes& cut = sharding.dims[static_cast<size_t>(part.dim)];
    cut = Joined(cut, part.axes);
    for (int64_t a : part.axes) left.erase(std::find(left.begin(), left.end(), a));
  }
  *result = sharding;
  return AllReduce(x, left, reducer);
}

SpmdBuilder::Op SpmdBuilder::DynamicSliceOf(Op x, int64_t dim, Op start, int64_t size) {
  if (x == nullptr) return nullptr;
  DimVector sizes = x->shape().dimensions();
  sizes[static_cast<size_t>(dim)] = size;
  std::vector<Op> starts(sizes.size(), Scalar(0));
  starts[static_cast<size_t>(dim)] = start;
  return b.DynamicSlice(x, starts, sizes);
}

SpmdBuilder::Op SpmdBuilder::SliceOf(Op x, int64_t dim, int64_t start, int64_t limit, int64_t stride) {
  if (x == nullptr) return nullptr;
  DimVector starts(static_cast<size_t>(x->shape().rank()), 0), limits = x->shape().dimensions();
  if (start == 0 && limit == limits[static_cast<size_t>(dim)] && stride == 1) return x;
  DimVector strides(starts.size(), 1);
  starts[static_cast<size_t>(dim)] = start;
  limits[static_cast<size_t>(dim)] = limit;
  strides[static_cast<size_t>(dim)] = stride;
  return b.Slice(x, starts, limits, strides);
}

SpmdBuilder::Op SpmdBuilder::PadOf(Op x, int64_t dim, int64_t low, int64_t high, Op value) {
  if (x == nullptr || (low == 0 && high == 0)) return x;
  PaddingConfig padding(static_cast<size_t>(x->shape().rank()));
  padding[static_cast<size_t>(dim)] = {low, high, 0};
  return b.Pad(x, value, padding);
}

SpmdBuilder::Op SpmdBuilder::IndexIsWithin(const Shape& like, int64_t dim, Op start, int64_t low, int64_t high) {
  const DimVector& sizes = like.dimensions();
  Shape shape = like.WithElementType(PrimitiveType::S32).WithDefaultLayout();
  Op index = b.Add(b.Iota(shape, dim), b.Broadcast(start, sizes, {}));
  Op below = b.Compare(index, b.Broadcast(Scalar(high), sizes, {}), ComparisonDirection::kLt);
  if (low == INT64_MIN) return below;
  return b.And(b.Compare(index, b.Broadcast(Scalar(low), sizes, {}), ComparisonDirection::kGe), below);
}

SpmdBuilder::Op SpmdBuilder::MaskBehind(Op x, const Shape& whole, const ArraySharding& sharding, int64_t dim,
                                        Op value) {
  const Axes& axes = sharding.dims[static_cast<size_t>(dim)];
  if (x == nullptr || mesh.DividesEvenly(whole.dimensions(dim), axes)) return x;
  Op inside =
      IndexIsWithin(x->shape(), dim, Offset(axes, x->shape().dimensions(dim)), INT64_MIN, whole.dimensions(dim));
  return b.Select(inside, x, b.Broadcast(value, x->shape().dimensions(), {}));
}

SpmdBuilder::Op SpmdBuilder::Step(Op x, const Shape& whole, const ReshardStep& step) {
  if (x == nullptr) return nullptr;
  std::vector<Axes> dims = step.before.dims;
  dims.insert(dims.end(), step.after.dims.begin(), step.after.dims.end());
  Op& made = steps_[{x, step.kind, step.axes, whole.dimensions(), std::move(dims)}];
  if (made == nullptr) made = StepAgain(x, whole, step);
  return made;
}

SpmdBuilder::Op SpmdBuilder::StepAgain(Op x, const Shape& whole, const ReshardStep& step) {
  const int64_t parts = mesh.SizeOf(step.axes);
  // To a multiple of the number of parts; where a dimension has been put together, to the whole array's size.
  const auto padded = [&](Op y, int64_t dim) {
    const int64_t size = y->shape().dimensions(dim);
    return PadOf(y, dim, 0, (size + parts - 1) / parts * parts - size, Zero(y->shape()));
  };
  const auto trimmed = [&](Op y, int64_t dim) {
    if (y == nullptr || !step.after.dims[static_cast<size_t>(dim)].empty()) return y;
    return SliceOf(y, dim, 0, whole.dimensions(dim));
  };
  switch (step.kind) {
    case ReshardStep::Kind::kSlice: {
      x = padded(x, step.dim);
      const int64_t size = x->shape().dimensions(step.dim) / parts;
      return DynamicSliceOf(x, step.dim, Offset(step.axes, size), size);
    }
    case ReshardStep::Kind::kGather: return trimmed(AllGather(x, step.dim, step.axes), step.dim);
    case ReshardStep::Kind::kPermute: return Permute(x, PairsOf(mesh, step.before, step.after));
    case ReshardStep::Kind::kAllToAll: break;
  }
  x = padded(x, step.to_dim);
  if (x == nullptr) return nullptr;
  DimVector split, order, joined;
  const int64_t rank = x->shape().rank();
  for (int64_t d = 0; d < rank; ++d) {
    if (d == step.to_dim) split.push_back(parts);
    split.push_back(d == step.to_dim ? x->shape().dimensions(d) / parts : x->shape().dimensions(d));
  }
  Op sent = b.AllToAll(b.Reshape(x, split), step.to_dim,
                       {.channel_id = NextChannel(), .replica_groups = GroupsOf(step.axes)});
  for (int64_t d = 0; d < rank; ++d) {
    if (d == step.dim) order.push_back(step.to_dim);
    order.push_back(d < step.to_dim ? d : d + 1);
    const int64_t size = x->shape().dimensions(d);
    joined.push_back(d == step.dim ? size * parts : d == step.to_dim ? size / parts : size);
  }
  return trimmed(b.Reshape(b.Transpose(sent, order), joined), step.dim);
}

SpmdBuilder::Op SpmdBuilder::Reshard(Op x, const Shape& whole, const ArraySharding& from, const ArraySharding& to) {
  for (const ReshardStep& step : PlanReshard(mesh, whole, from, to)) x = Step(x, whole, step);
  return x;
}

}  // namespace hloir::spmd
