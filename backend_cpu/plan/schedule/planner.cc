// See planner.h: the order of nodes, the buffers of their values, and clusters. Nodes with separate steps:
// planner_nodes.cc; loops and branches: planner_control_flow.cc.
#include "plan/schedule/planner.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "hloir/opcode.h"
#include "support/format.h"
#include "plan/steps/simple_steps.h"

namespace hloir::cpu {
namespace {

constexpr size_t kMaxClusterNodes = 96;
constexpr size_t kMaxOpen = 16;
constexpr int32_t kMaxAge = 24;               // steps without a new node after which a cluster is closed
constexpr int64_t kStrangersCount = 1 << 16;  // size limit of loops shared by unrelated nodes
constexpr int64_t kRepeatCount = 1 << 12;     // size above which values are recomputed instead of written and read

}  // namespace

Planner::Planner(PlanContext& context, const Graph& graph, StepList& steps, std::vector<Ref> parameters)
    : context_(context),
      graph_(graph),
      steps_(&steps),
      places_(graph.values.size()),
      uses_(graph.values.size()),
      loop_uses_(graph.values.size()),
      repeated_(graph.values.size()),
      cluster_of_(graph.values.size(), -1) {
  for (size_t i = 0; i < graph.parameters.size(); ++i) places_[graph.parameters[i]] = parameters[i];
  auto use = [&](ValueId id) {
    const ValueId root = graph.values[id].root;
    if (root != kNoValue) ++uses_[root];
  };
  for (const Node& node : graph.nodes) {
    for (ValueId id : node.inputs) use(id);
    const bool reduces = node.support.kind == Support::kLoopReduction;
    if (!reduces && node.support.kind != Support::kLoop) continue;
    for (size_t i = 0; i < (reduces ? 1 : node.inputs.size()); ++i) {
      const ValueId id = node.inputs[i];
      if (IsRegisterIn(id, graph.values[reduces ? id : node.outputs[0]].count)) ++loop_uses_[graph.values[id].root];
    }
  }
  for (ValueId id : graph.results) use(id);
  FindParts();
}

Status Planner::PlanList(std::span<const int32_t> indices) {
  for (int32_t i : indices) {
    HLOIR_RETURN_IF_ERROR(PlanNode(i));
    for (size_t k = 0; k < open_.size();) {
      const int32_t cluster = open_[k];
      const bool old = static_cast<int32_t>(steps_->size()) - clusters_[cluster].last_join > kMaxAge;
      if (old || (k == 0 && open_.size() > kMaxOpen)) Close(cluster), k = 0;
      else ++k;
    }
  }
  return OkStatus();
}

Status Planner::PlanNodes() {
  std::vector<int32_t> nodes;
  for (int32_t i : ReductionsEarly()) {
    if (invariant_.empty() || !invariant_[static_cast<size_t>(i)]) nodes.push_back(i);
  }
  return PlanList(nodes);
}

// The order of nodes, but with reductions directly after the elementwise op that computes their operand, so that one
// loop does both, and the operand is not kept for the nodes in between.
std::vector<int32_t> Planner::ReductionsEarly() const {
  const size_t count = graph_.nodes.size();
  std::vector<std::vector<int32_t>> follow(count);
  std::vector<bool> moved(count);
  for (size_t i = 0; context_.fuse && i < count; ++i) {
    const Node& node = graph_.nodes[i];
    if (node.support.kind != Support::kLoopReduction) continue;
    int32_t last = -1;
    for (ValueId id : node.inputs) {
      const ValueId root = graph_.values[id].root;
      if (root != kNoValue) last = std::max(last, graph_.values[root].node);
    }
    if (last < 0 || graph_.nodes[last].support.kind != Support::kLoop) continue;
    follow[static_cast<size_t>(last)].push_back(static_cast<int32_t>(i));
    moved[i] = true;
  }
  std::vector<int32_t> order;
  for (size_t i = 0; i < count; ++i) {
    if (moved[i]) continue;
    order.push_back(static_cast<int32_t>(i));
    order.insert(order.end(), follow[i].begin(), follow[i].end());
  }
  return order;
}

Status Planner::PlanInvariant(const std::vector<bool>& varies, StepList& prologue) {
  std::vector<bool> constant;
  invariant_ = FindInvariant(varies, constant);
  // A value written once must not use memory that is written in each iteration.
  std::erase_if(parts_, [&](const auto& part) {
    const auto is_invariant = [&](ValueId id) { return invariant_[static_cast<size_t>(graph_.values[id].node)]; };
    return is_invariant(part.first) != is_invariant(part.second.whole);
  });
  const std::vector<Packing> packings = context_.pack_ahead ? FindPackings(constant) : std::vector<Packing>();
  // What is only packed is not converted in memory.
  std::vector<bool> is_packed(invariant_.size());
  for (const Packing& packing : packings) {
    const GraphValue& operand = graph_.values[packing.node->inputs[packing.operand]];
    if (graph_.values[packing.source].root != operand.root)
      is_packed[static_cast<size_t>(graph_.values[operand.root].node)] = true;
  }
  std::vector<int32_t> nodes;
  for (size_t i = 0; i < invariant_.size(); ++i)
    if (invariant_[i] && !is_packed[i]) nodes.push_back(static_cast<int32_t>(i));
  StepList* const body = std::exchange(steps_, &prologue);
  HLOIR_RETURN_IF_ERROR(PlanList(nodes));
  CloseAll();
  for (const Packing& packing : packings) HLOIR_RETURN_IF_ERROR(PlanPacking(packing));
  steps_ = body;
  // The loop itself does not read an operand that was packed for it.
  std::vector<bool> is_read(graph_.values.size());  // by root
  const auto read = [&](ValueId id) {
    if (const ValueId root = graph_.values[id].root; root != kNoValue) is_read[static_cast<size_t>(root)] = true;
  };
  for (size_t i = 0; i < invariant_.size(); ++i) {
    if (invariant_[i]) continue;
    const auto packed = packed_.find(&graph_.nodes[i]);
    for (size_t k = 0; k < graph_.nodes[i].inputs.size(); ++k)
      if (packed == packed_.end() || packed->second.operand != k) read(graph_.nodes[i].inputs[k]);
  }
  for (ValueId id : graph_.results) read(id);
  for (size_t i = 0; i < places_.size(); ++i) {
    if (graph_.values[i].kind == ValueKind::kComputed && places_[i].buffer >= 0 && is_read[i])
      kept_.push_back(places_[i].buffer);
  }
  for (const auto& [id, place] : copies_) kept_.push_back(place.buffer);
  return OkStatus();
}

void Planner::KeepInvariant(int32_t end) {
  for (int32_t buffer : kept_) context_.buffers.Touch(buffer, end);
}

// Loop-invariant nodes whose results in memory cost no more than recomputation: operations that cannot fail, and
// elementwise ones that read about as much as they write. Cheap ones that only fused loops read stay in these loops, in
// registers, unless the loops then read more. `constant`: by root, the values that do not vary.
std::vector<bool> Planner::FindInvariant(const std::vector<bool>& varies, std::vector<bool>& constant) const {
  std::vector<bool> invariant(graph_.nodes.size());
  if (!context_.fuse) return invariant;
  std::vector<bool> in_memory(graph_.values.size());  // by root: true if a reader is not a loop
  auto read_from_memory = [&](ValueId id) {
    if (graph_.values[id].root != kNoValue) in_memory[graph_.values[id].root] = true;
  };
  for (const Node& node : graph_.nodes) {
    if (node.support.kind == Support::kLoop || node.support.kind == Support::kLoopReduction) continue;
    for (ValueId id : node.inputs) read_from_memory(id);
  }
  for (ValueId id : graph_.results) read_from_memory(id);
  constant.assign(graph_.values.size(), false);
  for (size_t i = 0; i < graph_.parameters.size(); ++i) constant[graph_.parameters[i]] = !varies[i];
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    const Node& node = graph_.nodes[n];
    const HloOpcode opcode = node.opcode();
    const bool elementwise = node.support.kind == Support::kLoop;
    const bool movable = elementwise || node.support.kind == Support::kLoopReduction || node.is_copy ||
                         opcode == HloOpcode::kDot || opcode == HloOpcode::kConcatenate ||
                         opcode == HloOpcode::kGather || opcode == HloOpcode::kPad;
    int64_t bytes = 0;
    bool same = movable && node.outputs.size() == 1 && node.graphs.empty();
    for (ValueId id : node.inputs) {
      const ValueId root = graph_.values[id].root;
      if (root == kNoValue) continue;
      same = same && (constant[root] || graph_.values[root].kind == ValueKind::kConstant);
      bytes += graph_.values[root].bytes();
    }
    if (!same) continue;
    if (elementwise) {
      const ValueId result = node.outputs[0];
      const int64_t written = graph_.values[result].bytes();
      if (written > 2 * bytes) continue;
      if (3 * written >= 2 * bytes && CostClass(node.opcode()) == OpCost::kCheap && !in_memory[result]) continue;
    }
    invariant[n] = true;
    constant[node.outputs[0]] = true;
  }
  return invariant;
}

Status Planner::PlanNode(int32_t index) {
  const Node& node = graph_.nodes[index];
  planned_ = node.instruction;
  switch (node.support.kind) {
    case Support::kReference: return PlanReference(node, node.support.reason);
    case Support::kLoop:
    case Support::kLoopReduction: return AddToCluster(index);
    case Support::kStep: break;
  }
  if (node.is_copy) {
    HLOIR_ASSIGN_OR_RETURN(places_[node.outputs[0]], Locate(node.inputs[0]));
    return OkStatus();
  }
#define HLOIR_PLANNED(name) \
  if (node.opcode() == HloOpcode::k##name) return Plan##name(node);
#include "plan/capability/steps.def"
  return HasTrait(node.opcode(), kElementwise) ? PlanArrays(node) : PlanStep(node);
}

// ---- Places.
// --------------------------------------------------------------------------------------------------------------

Ref Planner::NewBuffer(int64_t bytes) { return {.buffer = context_.buffers.Add(Buffer::kArena, bytes)}; }
Ref Planner::NewBufferFor(ValueId id) {
  const GraphValue& value = graph_.values[id];
  return {.buffer = context_.buffers.Add(Buffer::kArena, value.bytes(), StorageBytes(value.type))};
}

Ref Planner::RootRef(ValueId root) {
  if (graph_.values[root].kind == ValueKind::kDynamic) {
    if (places_[root].dynamic < 0) {
      places_[root].dynamic = context_.dynamic_count++;
      context_.dynamic_bytes += Shape::Array(graph_.values[root].type, graph_.values[root].dims).ByteSize();
    }
    return places_[root];
  }
  if (places_[root].buffer < 0) places_[root] = NewBufferFor(root);
  return places_[root];
}

void Planner::Append(std::unique_ptr<Step> step, int32_t time) {
  for (const Ref& ref : step->refs())
    if (ref.buffer >= 0) context_.buffers.Touch(ref.buffer, time);
  context_.buffers.Record(step.get(), time, planned_);
  steps_->push_back(std::move(step));
}
void Planner::Append(std::unique_ptr<Step> step, const std::vector<Ref>& read, const std::vector<Ref>& written,
                     int32_t time) {
  step->SetRefs(read, written);
  Append(std::move(step), time);
}
void Planner::Append(std::unique_ptr<Step> step, const std::vector<Ref>& read, const std::vector<Ref>& written) {
  Append(std::move(step), read, written, context_.buffers.NextTime());
}

Status Planner::LoadConstant(ValueId id) {
  const HloInstruction* instruction = graph_.values[id].instruction;
  auto [it, fresh] = context_.constants.try_emplace(instruction, -1);
  if (fresh) {
    const Literal* literal = &instruction->literal();
    if (literal->elided()) {
      HLOIR_ASSIGN_OR_RETURN(Literal filled, context_.evaluator->EvaluateInstruction(*instruction, {}));
      context_.literals.push_back(std::make_unique<Literal>(std::move(filled)));
      literal = context_.literals.back().get();
    }
    it->second = context_.buffers.Add(Buffer::kFixed, literal->size_bytes());
    context_.buffers[it->second].fixed = literal->untyped_data();
  }
  places_[id].buffer = it->second;
  return OkStatus();
}

StatusOr<Ref> Planner::Locate(ValueId id) {
  if (graph_.values[id].kind == ValueKind::kToken) return Ref();
  if (graph_.values[id].kind == ValueKind::kDynamic) return RootRef(id);
  const ValueId root = graph_.values[id].root;
  if (root != kNoValue) {
    if (int32_t cluster = OpenClusterOf(id); cluster >= 0) Close(cluster);
    if (graph_.values[root].kind == ValueKind::kConstant && places_[root].buffer < 0) {
      HLOIR_RETURN_IF_ERROR(LoadConstant(root));
    }
    const GraphValue& value = graph_.values[id];
    if (value.count == 0) return RootRef(root);
    if (value.view.IsContiguous()) {
      Ref ref = RootRef(root);
      ref.offset += value.view.offset * StorageBytes(value.type);
      return ref;
    }
  }
  auto [it, fresh] = copies_.try_emplace(id);
  if (!fresh) return it->second;
  const GraphValue& value = graph_.values[id];
  const Ref to = it->second = NewBufferFor(id);
  if (root == kNoValue) {
    if (value.count > 0) EmitIota(id, to);
    return to;
  }
  std::vector<StridedCopy> copies{StridedCopy::Make(StorageBytes(value.type), value.dims, value.view.strides,
                                                    value.view.offset, View::RowMajor(value.dims).strides, 0)};
  Append(std::make_unique<ViewCopy>(std::move(copies), Format("copy view {} elements", value.count)), {RootRef(root)},
         {to});
  return to;
}

Status Planner::CopyTo(ValueId id, Ref to) {
  // The copy is attributed to the value, later steps to the node that needed it.
  const HloInstruction* outer = std::exchange(planned_, graph_.values[id].instruction);
  const StatusOr<Ref> from = Locate(id);
  if (from.ok() && from->buffer >= 0) {
    const int32_t time = context_.buffers.NextTime();
    context_.buffers.Restart(to.buffer, time);
    Append(std::make_unique<BlockCopy>(graph_.values[id].bytes()), {*from}, {to}, time);
  }
  planned_ = outer;
  return from.status();
}

// ---- Clusters.
// ------------------------------------------------------------------------------------------------------------

int32_t Planner::OpenClusterOf(ValueId id) const {
  const ValueId root = graph_.values[id].root;
  if (root == kNoValue || cluster_of_[root] < 0 || !clusters_[cluster_of_[root]].open) return -1;
  return cluster_of_[root];
}

bool Planner::IsRegisterIn(ValueId id, int64_t count) const {
  const GraphValue& value = graph_.values[id];
  if (value.root == kNoValue || value.count != count) return false;
  return value.root == id || (graph_.IsWhole(id) && value.type == graph_.values[value.root].type);
}

bool Planner::Needs(int32_t cluster, int32_t other) const {
  if (cluster == other) return true;
  const uint64_t wanted = uint64_t{1} << clusters_[other].slot;
  uint64_t seen = clusters_[cluster].needed;
  for (uint64_t work = seen; work != 0 && (seen & wanted) == 0;) {
    const int32_t at = by_slot_[static_cast<size_t>(std::countr_zero(work))];
    work &= work - 1;
    work |= clusters_[at].needed & ~seen;
    seen |= clusters_[at].needed;
  }
  return (seen & wanted) != 0;
}

void Planner::AddNeed(int32_t cluster, int32_t other) {
  Cluster& user = clusters_[cluster];
  user.needs.push_back(other);
  user.needed |= uint64_t{1} << clusters_[other].slot;
}

bool Planner::EraseNeed(int32_t cluster, int32_t other) {
  Cluster& user = clusters_[cluster];
  user.needed &= ~(uint64_t{1} << clusters_[other].slot);
  return Erase(user.needs, other);
}

// A large array read by both is then read once.
bool Planner::SharesOperand(int32_t cluster, const Node& node) const {
  for (int32_t other : clusters_[cluster].nodes) {
    for (ValueId id : graph_.nodes[other].inputs) {
      const ValueId root = graph_.values[id].root;
      if (root == kNoValue || graph_.values[root].count < clusters_[cluster].count) continue;
      for (ValueId mine : node.inputs)
        if (graph_.values[mine].root == root) return true;
    }
  }
  return false;
}

int32_t Planner::ChooseCluster(const Node& node, int64_t count) const {
  const bool reduces = node.support.kind == Support::kLoopReduction;
  auto fits = [&](int32_t candidate) {
    const Cluster& cluster = clusters_[candidate];
    if (cluster.count != count || cluster.nodes.size() >= kMaxClusterNodes) return false;
    if (reduces && cluster.reduces && !(cluster.reduce == node.support.reduce)) return false;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      const int32_t source = OpenClusterOf(id);
      if (source < 0) continue;
      // A register of this loop; a reduction's result is not available before the loop has ended.
      const bool inside = source == candidate && IsRegisterIn(id, count) && !(reduces && i > 0) &&
                          graph_.nodes[graph_.values[graph_.values[id].root].node].opcode() != HloOpcode::kReduce;
      if (!inside && Needs(source, candidate)) return false;
    }
    return true;
  };
  if (!context_.fuse) return -1;
  int32_t best = -1;
  for (ValueId id : node.inputs) {
    const int32_t source = OpenClusterOf(id);
    if (source > best && IsRegisterIn(id, count) && fits(source)) best = source;
  }
  if (best >= 0) return best;
  for (int32_t candidate : open_) {
    if (candidate > best && (count <= kStrangersCount || SharesOperand(candidate, node)) && fits(candidate))
      best = candidate;
  }
  return best;
}

// True if this cluster may be merged into the loop of another one that needs it.
bool Planner::MayJoin(int32_t source, int32_t into) const {
  const Cluster &from = clusters_[source], &to = clusters_[into];
  if (from.count != to.count || from.nodes.size() + to.nodes.size() > kMaxClusterNodes || Needs(source, into) ||
      (from.reduces && to.reduces && !(from.reduce == to.reduce)))
    return false;
  // No step may be required between the two.
  for (int32_t need : to.needs)
    if (need != source && clusters_[need].open && Needs(need, source)) return false;
  for (int32_t index : to.nodes) {
    const Node& node = graph_.nodes[index];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (OpenClusterOf(id) != source) continue;
      const bool start = node.support.kind == Support::kLoopReduction && i > 0;
      if (start || !IsRegisterIn(id, to.count) ||
          graph_.nodes[graph_.values[graph_.values[id].root].node].opcode() == HloOpcode::kReduce)
        return false;
    }
  }
  return true;
}

bool Planner::Erase(ClusterList& list, int32_t cluster) {
  const auto end = std::remove(list.begin(), list.end(), cluster);
  const size_t kept = static_cast<size_t>(end - list.begin());
  const bool found = kept < list.size();
  list.resize(kept);
  return found;
}

void Planner::Join(int32_t source, int32_t into) {
  Cluster &from = clusters_[source], &to = clusters_[into];
  for (int32_t index : from.nodes) cluster_of_[graph_.nodes[index].outputs[0]] = into;
  for (int32_t index : to.nodes) from.nodes.push_back(index);
  to.nodes = std::move(from.nodes);
  for (int32_t need : from.needs) AddNeed(into, need);
  EraseNeed(into, source);
  if (from.reduces) to.reduces = true, to.reduce = from.reduce;
  for (int32_t other : open_) {
    if (other != into && EraseNeed(other, source)) AddNeed(other, into);
  }
  used_slots_ &= ~(uint64_t{1} << from.slot);
  from = {};
  from.open = false;
  std::erase(open_, source);
}

Status Planner::AddToCluster(int32_t index) {
  const Node& node = graph_.nodes[index];
  const bool reduces = node.support.kind == Support::kLoopReduction;
  const int64_t count = graph_.values[reduces ? node.inputs[0] : node.outputs[0]].count;
  for (ValueId id : node.inputs) {
    const ValueId root = graph_.values[id].root;
    if (root != kNoValue && graph_.values[root].kind == ValueKind::kConstant && places_[root].buffer < 0)
      HLOIR_RETURN_IF_ERROR(LoadConstant(root));
  }
  int32_t chosen = ChooseCluster(node, count);
  if (chosen < 0) {
    chosen = static_cast<int32_t>(clusters_.size());
    if (~used_slots_ == 0) Close(open_.front());  // there are hardly ever more than kMaxOpen
    Cluster& made = clusters_.emplace_back();
    made.count = count;
    made.slot = std::countr_one(used_slots_);
    used_slots_ |= uint64_t{1} << made.slot;
    by_slot_[static_cast<size_t>(made.slot)] = chosen;
    open_.push_back(chosen);
  }
  for (ValueId id : node.inputs) {
    const int32_t source = OpenClusterOf(id);
    if (source >= 0 && source != chosen) {
      const ClusterList& needs = clusters_[chosen].needs;
      if (std::find(needs.begin(), needs.end(), source) == needs.end()) AddNeed(chosen, source);
    }
  }
  Cluster& cluster = clusters_[chosen];
  cluster.nodes.push_back(index);
  cluster.last_join = static_cast<int32_t>(steps_->size());
  if (reduces) cluster.reduces = true, cluster.reduce = node.support.reduce;
  cluster_of_[node.outputs[0]] = chosen;
  for (ValueId id : node.inputs) {
    const int32_t source = OpenClusterOf(id);
    if (context_.fuse && source >= 0 && source != chosen && IsRegisterIn(id, count) && MayJoin(source, chosen))
      Join(source, chosen);
  }
  if (!context_.fuse) Close(chosen);
  return OkStatus();
}

void Planner::Close(int32_t cluster) {
  // Finishes required clusters first; the recursion is shallow, because there are few open clusters.
  if (!clusters_[cluster].open) return;
  const ClusterList needs = clusters_[cluster].needs;
  for (int32_t need : needs) Close(need);
  clusters_[cluster].open = false;
  std::erase(open_, cluster);
  for (int32_t other : open_) EraseNeed(other, cluster);
  used_slots_ &= ~(uint64_t{1} << clusters_[cluster].slot);
  Emit(clusters_[cluster]);
}

void Planner::CloseAll() {
  while (!open_.empty()) Close(open_.front());
}

// True if each loop that reads the value should recompute it: it is cheap, its operands are not larger than itself, and
// they exist independently of this loop.
bool Planner::MayRepeat(const Node& node, const Cluster& cluster) const {
  const ValueId result = node.outputs[0];
  const GraphValue& value = graph_.values[result];
  if (!context_.fuse || node.support.kind != Support::kLoop || node.is_copy || value.count < kRepeatCount ||
      value.kind != ValueKind::kComputed || CostClass(node.opcode()) != OpCost::kCheap ||
      uses_[result] != loop_uses_[result] || !invariant_.empty())
    return false;
  int64_t bytes = 0;
  for (ValueId id : node.inputs) {
    const ValueId root = graph_.values[id].root;
    if (root == kNoValue) continue;  // numbers
    const GraphValue& from = graph_.values[root];
    const bool made_here =
        from.node >= 0 && std::find(cluster.nodes.begin(), cluster.nodes.end(), from.node) != cluster.nodes.end();
    if (made_here || repeated_[root] || from.kind == ValueKind::kDynamic) return false;
    // A value in another order would be gathered again.
    if (from.count * 8 > value.count && !IsRegisterIn(id, value.count)) return false;
    bytes += from.bytes();
  }
  return bytes <= value.bytes() + value.bytes() / 8;
}

void Planner::Emit(const Cluster& cluster) {
  const HloInstruction* outer = std::exchange(planned_, graph_.nodes[cluster.nodes.back()].instruction);
  LoopRequest request;
  request.count = cluster.count;
  request.nodes = cluster.nodes;
  request.reduces = cluster.reduces;
  request.reduce = cluster.reduce;
  // Results are stored if they have readers outside of the cluster.
  SmallVector<ValueId, 16> inside;  // read in the loop, as often as they are
  for (int32_t index : cluster.nodes) {
    const Node& node = graph_.nodes[index];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const bool init = node.opcode() == HloOpcode::kReduce && i > 0;
      if (!init && IsRegisterIn(node.inputs[i], cluster.count)) inside.push_back(graph_.values[node.inputs[i]].root);
    }
  }
  for (int32_t index : cluster.nodes) {
    const Node& node = graph_.nodes[index];
    const ValueId id = node.outputs[0];
    if (node.opcode() != HloOpcode::kReduce && uses_[id] == std::count(inside.begin(), inside.end(), id)) continue;
    if (node.opcode() != HloOpcode::kReduce && MayRepeat(node, cluster)) repeated_[id] = true;
    else request.stored.push_back(id);
  }
  std::vector<int32_t> again;
  for (ValueId id : inside) {
    const int32_t index = graph_.values[id].node;
    if (repeated_[id] && std::find(request.nodes.begin(), request.nodes.end(), index) == request.nodes.end() &&
        std::find(again.begin(), again.end(), index) == again.end())
      again.push_back(index);
  }
  if (!again.empty()) {
    again.insert(again.end(), request.nodes.begin(), request.nodes.end());
    request.nodes = again;
  }
  request.write = [this](ValueId id) { return RootRef(id); };
  AppendLoop(std::move(request));
  planned_ = outer;
}

void Planner::EmitIota(ValueId id, Ref to) {
  LoopRequest request;
  request.count = graph_.values[id].count;
  request.copied = id;
  request.write = [to](ValueId) { return to; };
  AppendLoop(std::move(request));
}

void Planner::AppendLoop(LoopRequest request) {
  request.graph = &graph_;
  request.kernels = context_.kernels;
  request.read = [this](ValueId root) { return RootRef(root); };
  std::unique_ptr<Step> step = context_.stored != nullptr ? context_.stored->Build(request) : BuildFusedLoop(request);
  if (int64_t bytes = FusedLoopPartialBytes(*step); bytes > 0) step->AddWritten(NewBuffer(bytes));
  Append(std::move(step), context_.buffers.NextTime());
}

}  // namespace hloir::cpu
