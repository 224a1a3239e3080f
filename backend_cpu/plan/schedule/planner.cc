// See planner.h: the order of nodes, where their values lie, and clusters. Nodes that stand alone: planner_nodes.cc;
// loops and branches: planner_control_flow.cc.
#include "plan/schedule/planner.h"

#include <algorithm>
#include <utility>

#include "support/format.h"
#include "plan/steps/simple_steps.h"

namespace hloir::cpu {
namespace {

constexpr size_t kMaxClusterNodes = 96;
constexpr size_t kMaxOpen = 16;
constexpr int32_t kMaxAge = 24;               // steps after which a cluster that nobody joins is closed
constexpr int64_t kStrangersCount = 1 << 16;  // loops up to here are shared by nodes that have nothing in common
constexpr int64_t kNearStride = 4;            // elements so far apart share cache lines
constexpr int64_t kBlockedTranspose = 4096;   // from here on a transpose is done in blocks, by a copy of its own

}  // namespace

Planner::Planner(PlanContext& context, Graph& graph, StepList& steps, std::vector<Ref> parameters)
    : context_(context),
      graph_(graph),
      steps_(&steps),
      places_(graph.values.size()),
      uses_(graph.values.size()),
      cluster_of_(graph.values.size(), -1) {
  for (size_t i = 0; i < graph.parameters.size(); ++i) places_[graph.parameters[i]] = parameters[i];
  auto use = [&](ValueId id) {
    const ValueId root = graph.values[id].root;
    if (root == kNoValue) return;
    ++uses_[root];
    const int32_t node = graph.values[root].node;
    if (node >= 0 && graph.nodes[node].opcode() == HloOpcode::kDot) dot_views_[root].push_back(id);
  };
  for (const Node& node : graph.nodes)
    for (ValueId id : node.inputs) use(id);
  for (ValueId id : graph.results) use(id);
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
    if (once_.empty() || !once_[static_cast<size_t>(i)]) nodes.push_back(i);
  }
  return PlanList(nodes);
}

// The order of nodes, but with reductions right after the elementwise op that makes what they reduce: then they are
// done in its loop, and their operand need not outlive what comes in between.
std::vector<int32_t> Planner::ReductionsEarly() const {
  const size_t count = graph_.nodes.size();
  std::vector<std::vector<int32_t>> follow(count);
  std::vector<bool> moved(count);
  ReduceShape reduce;
  for (size_t i = 0; context_.fuse && i < count; ++i) {
    const Node& node = graph_.nodes[i];
    if (node.is_copy || node.opcode() != HloOpcode::kReduce ||
        !LoopSupportsReduce(*node.instruction, *context_.kernels, &reduce))
      continue;
    int32_t last = -1;
    for (ValueId id : node.inputs) {
      const ValueId root = graph_.values[id].root;
      if (root != kNoValue) last = std::max(last, graph_.values[root].node);
    }
    if (last < 0 || graph_.nodes[last].is_copy || !LoopSupports(*graph_.nodes[last].instruction, *context_.kernels))
      continue;
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

Status Planner::PlanOnce(const std::vector<bool>& varies, StepList& once) {
  once_ = FindInvariant(varies);
  std::vector<int32_t> nodes;
  for (size_t i = 0; i < once_.size(); ++i)
    if (once_[i]) nodes.push_back(static_cast<int32_t>(i));
  StepList* const body = std::exchange(steps_, &once);
  HLOIR_RETURN_IF_ERROR(PlanList(nodes));
  CloseAll();
  steps_ = body;
  for (size_t i = 0; i < places_.size(); ++i) {
    if (graph_.values[i].kind == ValueKind::kComputed && places_[i].buffer >= 0) kept_.push_back(places_[i].buffer);
  }
  return OkStatus();
}

void Planner::KeepOnce(int32_t end) {
  for (int32_t buffer : kept_) context_.buffers.Touch(buffer, end);
}

// Nodes that depend on no parameter that varies, if having their results lie in memory costs no more than computing
// them again: operations that cannot fail, and of elementwise ones those that read about as much as they write.
std::vector<bool> Planner::FindInvariant(const std::vector<bool>& varies) const {
  std::vector<bool> invariant(graph_.nodes.size());
  if (!context_.fuse) return invariant;
  std::vector<bool> constant(graph_.values.size());  // by root
  for (size_t i = 0; i < graph_.parameters.size(); ++i) constant[graph_.parameters[i]] = !varies[i];
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    const Node& node = graph_.nodes[n];
    const HloOpcode opcode = node.opcode();
    ReduceShape reduce;
    const bool elementwise = !node.is_copy && LoopSupports(*node.instruction, *context_.kernels);
    const bool movable =
        elementwise || node.is_copy || opcode == HloOpcode::kDot || opcode == HloOpcode::kConcatenate ||
        opcode == HloOpcode::kGather || opcode == HloOpcode::kPad ||
        (opcode == HloOpcode::kReduce && LoopSupportsReduce(*node.instruction, *context_.kernels, &reduce));
    int64_t bytes = 0;
    bool same = movable && node.outputs.size() == 1 && node.graphs.empty();
    for (ValueId id : node.inputs) {
      const ValueId root = graph_.values[id].root;
      if (root == kNoValue) continue;
      same = same && (constant[root] || graph_.values[root].kind == ValueKind::kConstant);
      bytes += graph_.values[root].bytes();
    }
    if (!same || (elementwise && graph_.values[node.outputs[0]].bytes() > 2 * bytes)) continue;
    invariant[n] = true;
    constant[node.outputs[0]] = true;
  }
  return invariant;
}

Status Planner::PlanNode(int32_t index) {
  Node& node = graph_.nodes[index];
  const HloOpcode opcode = node.opcode();
  auto is_held = [&](ValueId id) { return graph_.values[id].kind == ValueKind::kHeld; };
  if (std::ranges::any_of(node.inputs, is_held) || std::ranges::any_of(node.outputs, is_held))
    return PlanReference(node);
  if (opcode == HloOpcode::kWhile && !node.graphs.empty()) return PlanWhile(node);
  if (opcode == HloOpcode::kConditional && !node.graphs.empty()) return PlanConditional(node);
  if (node.is_copy) {
    HLOIR_ASSIGN_OR_RETURN(Ref from, Locate(node.inputs[0]));
    places_[node.outputs[0]] = from;
    return OkStatus();
  }
  ReduceShape reduce;
  if (opcode == HloOpcode::kReduce && LoopSupportsReduce(*node.instruction, *context_.kernels, &reduce)) {
    return AddToCluster(index, true, reduce);
  }
  if (opcode != HloOpcode::kReduce && node.outputs.size() == 1 && graph_.values[node.outputs[0]].count > 0 &&
      LoopSupports(*node.instruction, *context_.kernels)) {
    return AddToCluster(index, false, {});
  }
  switch (opcode) {
    case HloOpcode::kDot: return PlanDot(node);
    case HloOpcode::kConvolution: return PlanConvolution(node);
    case HloOpcode::kConcatenate: return PlanConcatenate(node);
    case HloOpcode::kPad:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kGather:
    case HloOpcode::kScatter: return PlanMovement(node);
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kSelectAndScatter:
    case HloOpcode::kSort:
    case HloOpcode::kTopK:
    case HloOpcode::kFft:
    case HloOpcode::kCholesky:
    case HloOpcode::kTriangularSolve:
    case HloOpcode::kRngBitGenerator: return PlanInOrder(node);
    case HloOpcode::kIota: return PlanConstant(node);
    default: return HasTrait(opcode, kElementwise) ? PlanArrays(node) : PlanReference(node);
  }
}

// ---- Places.
// --------------------------------------------------------------------------------------------------------------

Ref Planner::NewBuffer(int64_t bytes) { return {.buffer = context_.buffers.Add(Buffer::kArena, bytes)}; }

Ref Planner::RootRef(ValueId root) {
  if (graph_.values[root].kind == ValueKind::kHeld) {
    if (places_[root].held < 0) {
      places_[root].held = context_.held_count++;
      context_.held_bytes += Shape::Array(graph_.values[root].type, graph_.values[root].dims).ByteSize();
    }
    return places_[root];
  }
  if (places_[root].buffer < 0) places_[root] = NewBuffer(graph_.values[root].bytes());
  return places_[root];
}

void Planner::Append(std::unique_ptr<Step> step, std::vector<Ref> read, const std::vector<Ref>& written, int32_t time) {
  for (const Ref& ref : read)
    if (ref.buffer >= 0) context_.buffers.Touch(ref.buffer, time);
  for (const Ref& ref : written)
    if (ref.buffer >= 0) context_.buffers.Touch(ref.buffer, time);
  step->SetRefs(std::move(read), written);
  context_.buffers.Record(step.get(), time);
  steps_->push_back(std::move(step));
}
void Planner::Append(std::unique_ptr<Step> step, std::vector<Ref> read, const std::vector<Ref>& written) {
  Append(std::move(step), std::move(read), written, context_.buffers.NextTime());
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
  if (graph_.values[id].kind == ValueKind::kHeld) return RootRef(id);
  const ValueId root = graph_.values[id].root;
  if (root != kNoValue) {
    if (int32_t cluster = OpenClusterOf(id); cluster >= 0) Close(cluster);
    if (graph_.values[root].kind == ValueKind::kConstant && places_[root].buffer < 0) {
      HLOIR_RETURN_IF_ERROR(LoadConstant(root));
    }
    const Value& value = graph_.values[id];
    if (value.count == 0) return RootRef(root);
    if (value.view.IsContiguous()) {
      Ref ref = RootRef(root);
      ref.offset += value.view.offset * StorageBytes(value.type);
      return ref;
    }
  }
  auto [it, fresh] = copies_.try_emplace(id, kNoValue);
  if (!fresh) return RootRef(it->second);
  const Value value = graph_.values[id];
  const ValueId copy =
      graph_.AddComputed(value.type, value.dims, static_cast<int32_t>(graph_.nodes.size()), value.instruction);
  it->second = copy;
  Node node;
  node.instruction = value.instruction;
  node.is_copy = true;
  node.inputs.push_back(id);
  node.outputs.push_back(copy);
  graph_.nodes.push_back(std::move(node));
  places_.resize(graph_.values.size());
  uses_.resize(graph_.values.size(), 1);
  cluster_of_.resize(graph_.values.size(), -1);
  const Ref to = RootRef(copy);
  if (root != kNoValue) {
    std::vector<StridedCopy> copies{StridedCopy::Make(StorageBytes(value.type), value.dims, value.view.strides,
                                                      value.view.offset, View::RowMajor(value.dims).strides, 0)};
    Append(std::make_unique<ViewCopy>(std::move(copies), Format("copy view {} elements", value.count)), {RootRef(root)},
           {to});
  } else if (value.count > 0) {
    Cluster numbers;
    numbers.count = value.count;
    numbers.nodes.push_back(static_cast<int32_t>(graph_.nodes.size() - 1));
    Emit(numbers);
  }
  return to;
}

Status Planner::CopyTo(ValueId id, Ref to) {
  HLOIR_ASSIGN_OR_RETURN(Ref from, Locate(id));
  if (from.buffer < 0) return OkStatus();
  const int32_t time = context_.buffers.NextTime();
  context_.buffers.Restart(to.buffer, time);
  Append(std::make_unique<BlockCopy>(graph_.values[id].bytes()), {from}, {to}, time);
  return OkStatus();
}

// ---- Clusters.
// ------------------------------------------------------------------------------------------------------------

int32_t Planner::OpenClusterOf(ValueId id) const {
  const ValueId root = graph_.values[id].root;
  if (root == kNoValue || cluster_of_[root] < 0 || !clusters_[cluster_of_[root]].open) return -1;
  return cluster_of_[root];
}

bool Planner::IsRegisterIn(ValueId id, int64_t count) const {
  const Value& value = graph_.values[id];
  return value.root != kNoValue && value.count == count && graph_.IsWhole(id) &&
         value.type == graph_.values[value.root].type;
}

bool Planner::Needs(int32_t cluster, int32_t other) const {
  if (cluster == other) return true;
  std::vector<int32_t> work{cluster};
  std::vector<bool> seen(clusters_.size());
  while (!work.empty()) {
    const int32_t at = work.back();
    work.pop_back();
    for (int32_t need : clusters_[at].needs) {
      if (need == other) return true;
      if (!clusters_[need].open || seen[need]) continue;
      seen[need] = true;
      work.push_back(need);
    }
  }
  return false;
}

// A large array that both read is then read once.
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

int32_t Planner::ChooseCluster(const Node& node, int64_t count, bool reduces, const ReduceShape& reduce) const {
  auto fits = [&](int32_t candidate) {
    const Cluster& cluster = clusters_[candidate];
    if (cluster.count != count || cluster.nodes.size() >= kMaxClusterNodes) return false;
    if (reduces && cluster.reduces && !(cluster.reduce == reduce)) return false;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      const int32_t source = OpenClusterOf(id);
      if (source < 0) continue;
      // A register of this very loop; a reduction's result is none before the loop has ended.
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

Status Planner::AddToCluster(int32_t index, bool reduces, const ReduceShape& reduce) {
  const int64_t count = graph_.values[reduces ? graph_.nodes[index].inputs[0] : graph_.nodes[index].outputs[0]].count;
  for (size_t i = 0; i < graph_.nodes[index].inputs.size(); ++i) {
    const ValueId id = graph_.nodes[index].inputs[i];
    const Value& value = graph_.values[id];
    if (value.kind == ValueKind::kNumbers) {
      if (value.count != count || (reduces && i == 1)) HLOIR_RETURN_IF_ERROR(Locate(id).status());
      continue;
    }
    if (graph_.values[value.root].kind == ValueKind::kConstant && places_[value.root].buffer < 0) {
      HLOIR_RETURN_IF_ERROR(LoadConstant(value.root));
    }
    // Reading along columns is slow in a loop; a copy does it in blocks.
    const View view = value.view.Collapse();
    const int64_t inner = view.dims.empty() ? 0 : view.strides.back();
    if (count >= kBlockedTranspose && inner != 0 && std::abs(inner) > kNearStride && view.dims.size() > 1) {
      HLOIR_RETURN_IF_ERROR(Locate(id).status());
      const ValueId copy = copies_.at(id);
      graph_.nodes[index].inputs[i] = copy;
    }
  }
  const Node& node = graph_.nodes[index];
  int32_t chosen = ChooseCluster(node, count, reduces, reduce);
  if (chosen < 0) {
    chosen = static_cast<int32_t>(clusters_.size());
    clusters_.emplace_back().count = count;
    open_.push_back(chosen);
  }
  for (ValueId id : node.inputs) {
    const int32_t source = OpenClusterOf(id);
    if (source >= 0 && source != chosen) {
      std::vector<int32_t>& needs = clusters_[chosen].needs;
      if (std::find(needs.begin(), needs.end(), source) == needs.end()) needs.push_back(source);
    }
  }
  Cluster& cluster = clusters_[chosen];
  cluster.nodes.push_back(index);
  cluster.last_join = static_cast<int32_t>(steps_->size());
  if (reduces) cluster.reduces = true, cluster.reduce = reduce;
  cluster_of_[node.outputs[0]] = chosen;
  if (!context_.fuse) Close(chosen);
  return OkStatus();
}

void Planner::Close(int32_t cluster) {
  // Those it needs come first; open clusters are few, and needs go back in time, so this is no deep recursion.
  if (!clusters_[cluster].open) return;
  const std::vector<int32_t> needs = clusters_[cluster].needs;
  for (int32_t need : needs) Close(need);
  clusters_[cluster].open = false;
  std::erase(open_, cluster);
  Emit(clusters_[cluster]);
}

void Planner::CloseAll() {
  while (!open_.empty()) Close(open_.front());
}

void Planner::Emit(Cluster& cluster) {
  LoopRequest request;
  request.graph = &graph_;
  request.kernels = context_.kernels;
  request.count = cluster.count;
  request.nodes = cluster.nodes;
  request.reduces = cluster.reduces;
  request.reduce = cluster.reduce;
  // Results are stored if anybody outside reads them.
  std::unordered_map<ValueId, int32_t> inside;
  for (int32_t index : cluster.nodes) {
    const Node& node = graph_.nodes[index];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const bool init = node.opcode() == HloOpcode::kReduce && i > 0;
      if (!init && IsRegisterIn(node.inputs[i], cluster.count)) ++inside[graph_.values[node.inputs[i]].root];
    }
  }
  for (int32_t index : cluster.nodes) {
    const ValueId id = graph_.nodes[index].outputs[0];
    if (graph_.nodes[index].opcode() == HloOpcode::kReduce || uses_[id] > inside[id]) request.stored.push_back(id);
  }
  request.read = [this](ValueId root) { return RootRef(root); };
  request.write = [this](ValueId id) { return RootRef(id); };
  std::unique_ptr<Step> step = BuildFusedLoop(request);
  std::vector<Ref> read(step->refs().begin(), step->refs().begin() + step->first_written());
  std::vector<Ref> written(step->refs().begin() + step->first_written(), step->refs().end());
  if (int64_t bytes = FusedLoopPartialBytes(*step); bytes > 0) written.push_back(NewBuffer(bytes));
  Append(std::move(step), std::move(read), written);
}

}  // namespace hloir::cpu
