// See planner.h.
#include "plan/planner.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "hloir/format.h"
#include "plan/array_step.h"
#include "plan/convolution.h"
#include "plan/dot.h"
#include "plan/element_steps.h"
#include "plan/fft.h"
#include "plan/integer_dot.h"
#include "plan/linear_algebra.h"
#include "plan/movement.h"
#include "plan/narrow_sum.h"
#include "plan/random_bits.h"
#include "plan/simple_steps.h"
#include "plan/sort.h"
#include "plan/windows.h"

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
    : context_(context), graph_(graph), steps_(&steps), places_(graph.values.size()), uses_(graph.values.size()),
      cluster_of_(graph.values.size(), -1) {
  for (size_t i = 0; i < graph.parameters.size(); ++i) places_[graph.parameters[i]] = parameters[i];
  auto use = [&](ValueId id) {
    const ValueId root = graph.values[id].root;
    if (root == kNoValue) return;
    ++uses_[root];
    const int32_t node = graph.values[root].node;
    if (node >= 0 && graph.nodes[node].opcode() == HloOpcode::kDot) dot_views_[root].push_back(id);
  };
  for (const Node& node : graph.nodes) for (ValueId id : node.inputs) use(id);
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
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {  // copies that planning adds come after
    if (once_.empty() || (i < once_.size() && !once_[i])) nodes.push_back(static_cast<int32_t>(i));
  }
  return PlanList(nodes);
}

Status Planner::PlanOnce(const std::vector<bool>& varies, StepList& once) {
  once_ = FindInvariant(varies);
  std::vector<int32_t> nodes;
  for (size_t i = 0; i < once_.size(); ++i) if (once_[i]) nodes.push_back(static_cast<int32_t>(i));
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

// Nodes that depend on no parameter that varies, if having their results lie in memory costs no more than computing them again:
// operations that cannot fail, and of elementwise ones those that read about as much as they write.
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
    const bool movable = elementwise || node.is_copy || opcode == HloOpcode::kDot || opcode == HloOpcode::kConcatenate ||
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
  if (std::ranges::any_of(node.inputs, is_held) || std::ranges::any_of(node.outputs, is_held)) return PlanReference(node);
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

// ---- Places. --------------------------------------------------------------------------------------------------------------

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
  for (const Ref& ref : read) if (ref.buffer >= 0) context_.buffers.Touch(ref.buffer, time);
  for (const Ref& ref : written) if (ref.buffer >= 0) context_.buffers.Touch(ref.buffer, time);
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
  const ValueId copy = graph_.AddComputed(value.type, value.dims, static_cast<int32_t>(graph_.nodes.size()), value.instruction);
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
    Append(std::make_unique<ViewCopy>(std::move(copies), Format("copy view {} elements", value.count)), {RootRef(root)}, {to});
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

// ---- Clusters. ------------------------------------------------------------------------------------------------------------

int32_t Planner::OpenClusterOf(ValueId id) const {
  const ValueId root = graph_.values[id].root;
  if (root == kNoValue || cluster_of_[root] < 0 || !clusters_[cluster_of_[root]].open) return -1;
  return cluster_of_[root];
}

bool Planner::IsRegisterIn(ValueId id, int64_t count) const {
  const Value& value = graph_.values[id];
  return value.root != kNoValue && value.count == count && graph_.IsWhole(id) && value.type == graph_.values[value.root].type;
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
      for (ValueId mine : node.inputs) if (graph_.values[mine].root == root) return true;
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
    if (candidate > best && (count <= kStrangersCount || SharesOperand(candidate, node)) && fits(candidate)) best = candidate;
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

// ---- Nodes that stand alone. ----------------------------------------------------------------------------------------------

StatusOr<std::pair<Ref, View>> Planner::LocateView(ValueId id) {
  const ValueId root = graph_.values[id].root;
  if (root == kNoValue) {
    HLOIR_ASSIGN_OR_RETURN(Ref ref, Locate(id));
    return std::pair(ref, View::RowMajor(graph_.values[id].dims));
  }
  HLOIR_RETURN_IF_ERROR(Locate(root).status());
  return std::pair(RootRef(root), graph_.values[id].view);
}

void Planner::AppendGemm(std::unique_ptr<Step> step, Ref a, Ref b, Ref to) {
  std::vector<Ref> written{to};
  if (const int64_t scratch = GemmScratchBytes(*step); scratch > 0) written.push_back(NewBuffer(scratch));
  Append(std::move(step), {a, b}, written);
}

// A result that is read as its transpose alone is stored as that, which costs nothing: A and B change places.
bool Planner::StoreTransposed(const Node& dot) {
  const auto views = dot_views_.find(dot.outputs[0]);
  if (views == dot_views_.end()) return false;
  const Value& value = graph_.values[dot.outputs[0]];
  const int64_t batch = static_cast<int64_t>(dot.instruction->attributes<DotAttributes>().lhs_batch_dims.size());
  const int64_t rows = dot.instruction->operand(0)->shape().rank() -
                       static_cast<int64_t>(dot.instruction->attributes<DotAttributes>().lhs_contracting_dims.size()) - batch;
  DimVector order;
  for (int64_t d = 0; d < batch; ++d) order.push_back(d);
  for (int64_t d = batch + rows; d < static_cast<int64_t>(value.dims.size()); ++d) order.push_back(d);
  for (int64_t d = batch; d < batch + rows; ++d) order.push_back(d);
  const View transposed = View::RowMajor(value.dims).Transpose(order);
  if (transposed.IsContiguous()) return false;
  for (ValueId id : views->second) {
    const View& view = graph_.values[id].view;
    if (view.offset != 0 || graph_.values[id].count != value.count) return false;
    const auto reshaped = transposed.Reshape(view.dims);
    if (!reshaped || !(reshaped->strides == view.strides)) return false;
  }
  for (ValueId id : views->second) graph_.values[id].view = View::RowMajor(graph_.values[id].dims);
  return true;
}

Status Planner::PlanDot(const Node& node) {
  HLOIR_ASSIGN_OR_RETURN(auto lhs, LocateView(node.inputs[0]));
  HLOIR_ASSIGN_OR_RETURN(auto rhs, LocateView(node.inputs[1]));
  GemmProblem problem;
  if (!MakeDotProblem(*node.instruction, lhs.second, rhs.second, &problem)) {
    auto integers = graph_.values[node.outputs[0]].count > 0 ? MakeIntegerDot(*node.instruction, lhs.second, rhs.second) : nullptr;
    if (integers == nullptr) return PlanReference(node);
    Append(std::move(integers), {lhs.first, rhs.first}, {RootRef(node.outputs[0])});
    return OkStatus();
  }
  if (StoreTransposed(node)) {
    std::swap(problem.a, problem.b);
    std::swap(problem.m, problem.n);
    std::swap(lhs.first, rhs.first);
  }
  auto step = MakeGemmStep(std::move(problem), *context_.kernels, context_.threads);
  AppendGemm(std::move(step), lhs.first, rhs.first, RootRef(node.outputs[0]));
  return OkStatus();
}

Ref Planner::CopyView(Ref from, const View& view, PrimitiveType type) {
  const int64_t bytes = StorageBytes(type), count = view.count();
  const Ref to = NewBuffer(count * bytes);
  std::vector<StridedCopy> copies{
      StridedCopy::Make(bytes, view.dims, view.strides, view.offset, View::RowMajor(view.dims).strides, 0)};
  Append(std::make_unique<ViewCopy>(std::move(copies), Format("copy view {} elements", count)), {from}, {to});
  return to;
}

Status Planner::PlanConvolution(const Node& node) {
  HLOIR_ASSIGN_OR_RETURN(auto input, LocateView(node.inputs[0]));
  HLOIR_ASSIGN_OR_RETURN(auto kernel, LocateView(node.inputs[1]));
  auto plan = cpu::PlanConvolution(*node.instruction, input.second, kernel.second);
  if (!plan) {
    auto step = MakeElementConvolution(*node.instruction, ViewsInOrder(*node.instruction, input.second, kernel.second));
    if (step == nullptr || graph_.values[node.outputs[0]].count == 0) return PlanReference(node);
    Append(std::move(step), {input.first, kernel.first}, {RootRef(node.outputs[0])});
    return OkStatus();
  }
  const PrimitiveType type = plan->problem.a.type, result_type = plan->problem.result;
  if (plan->copies_input) {
    const Ref padded = NewBuffer(View::RowMajor(plan->padded_dims).count() * StorageBytes(type));
    Append(MakeZeroPad(type, plan->padding, plan->padded_dims, plan->input), {input.first}, {padded});
    input.first = padded;
  }
  const Ref result = RootRef(node.outputs[0]);
  const bool transposed = !plan->result_order.empty();
  const Ref to = transposed ? NewBuffer(graph_.values[node.outputs[0]].bytes()) : result;
  if (plan->depthwise) {
    const Ref weights = CopyView(kernel.first, plan->weights, plan->problem.b.type);
    Append(MakeDepthwiseStep(*plan, *context_.kernels), {input.first, weights}, {to});
  } else {
    auto step = MakeGemmStep(std::move(plan->problem), *context_.kernels, context_.threads);
    AppendGemm(std::move(step), input.first, kernel.first, to);
  }
  if (plan->pads) {
    auto repair = MakePaddingRepair(*node.instruction, std::move(plan->elements));
    if (repair != nullptr) Append(std::move(repair), {input.first, kernel.first}, {to});
  }
  if (transposed) {
    const View view = View::RowMajor(plan->result_dims).Transpose(plan->result_order);
    std::vector<StridedCopy> copies{StridedCopy::Make(StorageBytes(result_type), view.dims, view.strides, 0,
                                                      View::RowMajor(view.dims).strides, 0)};
    Append(std::make_unique<ViewCopy>(std::move(copies), Format("transpose {} elements", view.count())), {to}, {result});
  }
  return OkStatus();
}

Status Planner::PlanConcatenate(const Node& node) {
  const Value& result = graph_.values[node.outputs[0]];
  const int64_t d = node.instruction->dimensions()[0], bytes = StorageBytes(result.type);
  std::vector<StridedCopy> copies;
  std::vector<Ref> read;
  int64_t start = 0;
  for (ValueId id : node.inputs) {
    HLOIR_ASSIGN_OR_RETURN(auto from, LocateView(id));
    copies.push_back(StridedCopy::Make(bytes, from.second.dims, from.second.strides, from.second.offset, result.view.strides,
                                       start * result.view.strides[d]));
    read.push_back(from.first);
    start += graph_.values[id].dims[d];
  }
  Append(std::make_unique<ViewCopy>(std::move(copies), Format("concatenate {} elements", result.count)), std::move(read),
         {RootRef(node.outputs[0])});
  return OkStatus();
}

Status Planner::PlanMovement(const Node& node) {
  const HloInstruction& instruction = *node.instruction;
  const HloOpcode opcode = instruction.opcode();
  const bool updates = opcode == HloOpcode::kDynamicUpdateSlice || opcode == HloOpcode::kScatter;
  for (ValueId id : node.inputs) if (graph_.values[id].count == 0) return PlanReference(node);
  for (ValueId id : node.outputs) if (graph_.values[id].count == 0) return PlanReference(node);
  std::vector<Ref> read;
  std::vector<View> views;
  if (node.outputs.size() != 1) return PlanElementScatter(node);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    // What is updated must lie in order; indices are read as scalars or along their view.
    const bool view = opcode == HloOpcode::kGather || opcode == HloOpcode::kScatter ? i > 0 || !updates : i == (updates ? 1 : 0);
    if (view) {
      HLOIR_ASSIGN_OR_RETURN(auto from, LocateView(node.inputs[i]));
      read.push_back(from.first);
      views.push_back(std::move(from.second));
    } else {
      HLOIR_ASSIGN_OR_RETURN(Ref ref, Locate(node.inputs[i]));
      read.push_back(ref);
    }
  }
  std::unique_ptr<Step> step;
  switch (opcode) {
    case HloOpcode::kPad: step = MakePad(instruction, views[0]); break;
    case HloOpcode::kDynamicSlice: step = MakeDynamicSlice(instruction, views[0]); break;
    case HloOpcode::kDynamicUpdateSlice: step = MakeDynamicUpdateSlice(instruction, views[0]); break;
    case HloOpcode::kGather: step = MakeGather(instruction, views[0], views[1]); break;
    default: step = MakeScatter(instruction, views[0], views[1], *context_.kernels); break;
  }
  if (step == nullptr) return opcode == HloOpcode::kScatter ? PlanElementScatter(node) : PlanReference(node);
  if (updates) CloseReaders(node.inputs[0]);
  Append(std::move(step), std::move(read), {RootRef(node.outputs[0])});
  return OkStatus();
}

// An update in place must come after whatever else still has to read the old value.
void Planner::CloseReaders(ValueId updated) {
  const ValueId root = graph_.values[updated].root;
  for (size_t k = 0; root != kNoValue && k < open_.size();) {
    bool reads = false;
    for (int32_t index : clusters_[open_[k]].nodes) {
      for (ValueId id : graph_.nodes[index].inputs) reads = reads || graph_.values[id].root == root;
    }
    if (reads) Close(open_[k]), k = 0;
    else ++k;
  }
}

Status Planner::PlanElementScatter(const Node& node) {
  auto step = MakeElementScatter(*node.instruction);
  if (step == nullptr) return PlanReference(node);
  std::vector<Ref> read, written;
  for (ValueId id : node.inputs) {
    HLOIR_ASSIGN_OR_RETURN(Ref ref, Locate(id));
    read.push_back(ref);
  }
  for (size_t k = 0; k < node.outputs.size(); ++k) {
    CloseReaders(node.inputs[k]);
    written.push_back(RootRef(node.outputs[k]));
  }
  Append(std::move(step), std::move(read), written);
  return OkStatus();
}

Status Planner::PlanInOrder(const Node& node) {
  const HloInstruction& instruction = *node.instruction;
  for (ValueId id : node.inputs) if (graph_.values[id].count == 0) return PlanReference(node);
  for (ValueId id : node.outputs) if (graph_.values[id].count == 0) return PlanReference(node);
  std::unique_ptr<Step> step;
  int64_t scratch = 0;
  switch (instruction.opcode()) {
    case HloOpcode::kReduce:
      step = MakeNarrowSum(instruction);
      if (step == nullptr) step = MakeElementReduce(instruction, context_.threads);
      break;
    case HloOpcode::kReduceWindow:
      step = MakeReduceWindow(instruction, *context_.kernels);
      if (step == nullptr) step = MakeElementReduceWindow(instruction, context_.threads);
      break;
    case HloOpcode::kSelectAndScatter: step = MakeSelectAndScatter(instruction); break;
    case HloOpcode::kFft: step = MakeFft(instruction, context_.threads, &scratch); break;
    case HloOpcode::kRngBitGenerator: step = MakeRngBitGenerator(instruction); break;
    case HloOpcode::kCholesky: step = MakeCholesky(instruction, &scratch); break;
    case HloOpcode::kTriangularSolve: step = MakeTriangularSolve(instruction, &scratch); break;
    case HloOpcode::kSort: step = MakeSort(instruction, context_.threads, &scratch); break;
    default: step = MakeTopK(instruction, context_.threads, &scratch); break;
  }
  if (step == nullptr) return PlanReference(node);
  std::vector<Ref> read, written;
  for (ValueId id : node.inputs) {
    HLOIR_ASSIGN_OR_RETURN(Ref ref, Locate(id));
    read.push_back(ref);
  }
  for (ValueId id : node.outputs) written.push_back(RootRef(id));
  if (scratch > 0) written.push_back(NewBuffer(scratch));
  Append(std::move(step), std::move(read), written);
  return OkStatus();
}

Status Planner::PlanArrays(const Node& node) {
  if (node.opcode() == HloOpcode::kBitcastConvert) {
    // Between whole bytes: the same memory, whose elements are others now.
    auto whole = [](PrimitiveType type) { return type != PrimitiveType::PRED && BitWidth(type) == 8 * StorageBytes(type); };
    const Value &from = graph_.values[node.inputs[0]], &to = graph_.values[node.outputs[0]];
    if (whole(from.type) && whole(to.type) && from.bytes() == to.bytes()) {
      HLOIR_ASSIGN_OR_RETURN(places_[node.outputs[0]], Locate(node.inputs[0]));
      return OkStatus();
    }
  }
  std::vector<Ref> read;
  std::vector<bool> uniform;
  auto step = MakeArrayStep(*node.instruction);
  if (step == nullptr || node.outputs.size() != 1 || graph_.values[node.outputs[0]].count == 0) return PlanReference(node);
  for (ValueId id : node.inputs) {
    const Value& value = graph_.values[id];
    uniform.push_back(value.root != kNoValue && value.view.IsUniform());
    if (uniform.back()) {
      HLOIR_ASSIGN_OR_RETURN(auto from, LocateView(id));
      from.first.offset += from.second.offset * StorageBytes(value.type);
      read.push_back(from.first);
    } else {
      HLOIR_ASSIGN_OR_RETURN(Ref ref, Locate(id));
      read.push_back(ref);
    }
  }
  step->SetUniform(uniform);
  Append(std::move(step), std::move(read), {RootRef(node.outputs[0])});
  return OkStatus();
}

Status Planner::PlanConstant(const Node& node) {
  HLOIR_ASSIGN_OR_RETURN(Literal value, context_.evaluator->EvaluateInstruction(*node.instruction, {}));
  context_.literals.push_back(std::make_unique<Literal>(std::move(value)));
  const Literal& literal = *context_.literals.back();
  places_[node.outputs[0]].buffer = context_.buffers.Add(Buffer::kFixed, literal.size_bytes());
  context_.buffers[places_[node.outputs[0]].buffer].fixed = literal.untyped_data();
  return OkStatus();
}

Status Planner::PlanReference(const Node& node) {
  std::vector<Ref> read, written;
  for (ValueId id : node.inputs) {
    HLOIR_ASSIGN_OR_RETURN(Ref ref, Locate(id));
    read.push_back(ref);
  }
  for (ValueId id : node.outputs) written.push_back(graph_.values[id].kind == ValueKind::kToken ? Ref() : RootRef(id));
  Append(std::make_unique<ReferenceStep>(*node.instruction), std::move(read), written);
  return OkStatus();
}

Status Planner::PlanWhile(Node& node) {
  CloseAll();
  BufferTable& buffers = context_.buffers;
  Graph &condition = *node.graphs[0], &body = *node.graphs[1];
  std::vector<Ref> carries(node.inputs.size());
  std::vector<bool> varies(node.inputs.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId input = node.inputs[i];
    if (graph_.values[input].kind == ValueKind::kToken) continue;
    const Value& next = body.values[body.results[i]];
    const bool same = next.root == body.parameters[i] && body.IsWhole(body.results[i]) &&
                      next.type == body.values[body.parameters[i]].type;
    if (same) {  // the body passes it on as it is: it stays where it lies
      HLOIR_ASSIGN_OR_RETURN(carries[i], Locate(input));
    } else {
      varies[i] = true;
      carries[i] = NewBuffer(graph_.values[input].bytes());
      HLOIR_RETURN_IF_ERROR(CopyTo(input, carries[i]));
    }
  }
  // A loop that changes nothing ends at once or never: as XLA does, take the former.
  if (std::find(varies.begin(), varies.end(), true) == varies.end()) {
    for (size_t i = 0; i < carries.size(); ++i) places_[node.outputs[i]] = carries[i];
    return OkStatus();
  }
  const int32_t begin = buffers.NextTime();
  for (const Ref& carry : carries) if (carry.buffer >= 0) buffers.Touch(carry.buffer, begin);
  auto step = std::make_unique<WhileStep>();
  Planner plan_body(context_, body, step->body, carries);
  HLOIR_RETURN_IF_ERROR(plan_body.PlanOnce(varies, step->once));
  Planner plan_condition(context_, condition, step->condition, carries);
  HLOIR_RETURN_IF_ERROR(plan_condition.PlanNodes());
  HLOIR_ASSIGN_OR_RETURN(Ref going, plan_condition.Locate(condition.results[0]));
  plan_condition.CloseAll();
  buffers.Touch(going.buffer, buffers.NextTime());
  HLOIR_RETURN_IF_ERROR(plan_body.PlanNodes());
  plan_body.CloseAll();
  // All carries change at once: what still lies in another carry's place is saved first.
  std::vector<Ref> next(carries.size());
  for (size_t i = 0; i < carries.size(); ++i) {
    if (!varies[i]) continue;
    HLOIR_ASSIGN_OR_RETURN(next[i], plan_body.Locate(body.results[i]));
  }
  for (size_t i = 0; i < carries.size(); ++i) {
    if (!varies[i]) continue;
    bool lies_in_carry = false;
    for (size_t k = 0; k < carries.size(); ++k) lies_in_carry = lies_in_carry || (varies[k] && next[i].buffer == carries[k].buffer);
    if (!lies_in_carry) continue;
    const int64_t bytes = body.values[body.results[i]].bytes();
    const Ref saved = NewBuffer(bytes);
    plan_body.Append(std::make_unique<BlockCopy>(bytes), {next[i]}, {saved});
    next[i] = saved;
  }
  for (size_t i = 0; i < carries.size(); ++i) {
    if (!varies[i]) continue;
    const int32_t time = buffers.NextTime();
    buffers.Restart(carries[i].buffer, time);
    plan_body.Append(std::make_unique<BlockCopy>(body.values[body.results[i]].bytes()), {next[i]}, {carries[i]}, time);
  }
  const int32_t end = buffers.NextTime();
  plan_body.KeepOnce(end);
  for (size_t i = 0; i < carries.size(); ++i) {
    if (carries[i].buffer >= 0) buffers.Touch(carries[i].buffer, end);
    places_[node.outputs[i]] = carries[i];
  }
  Append(std::move(step), {going}, {}, end);
  return OkStatus();
}

Status Planner::PlanConditional(Node& node) {
  CloseAll();
  BufferTable& buffers = context_.buffers;
  std::vector<Ref> inputs, outputs;
  for (ValueId id : node.inputs) {
    HLOIR_ASSIGN_OR_RETURN(Ref ref, Locate(id));
    inputs.push_back(ref);
  }
  for (ValueId id : node.outputs) {
    outputs.push_back(graph_.values[id].kind == ValueKind::kToken ? Ref() : NewBuffer(graph_.values[id].bytes()));
    places_[id] = outputs.back();
  }
  auto step = std::make_unique<ConditionalStep>(node.instruction->operand(0)->shape().element_type() == PrimitiveType::PRED);
  step->branches.resize(node.graphs.size());
  size_t first = 1;
  for (size_t b = 0; b < node.graphs.size(); ++b) {
    Graph& branch = *node.graphs[b];
    std::vector<Ref> parameters(inputs.begin() + first, inputs.begin() + first + branch.parameters.size());
    first += branch.parameters.size();
    Planner plan(context_, branch, step->branches[b], parameters);
    HLOIR_RETURN_IF_ERROR(plan.PlanNodes());
    plan.CloseAll();
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].buffer >= 0) HLOIR_RETURN_IF_ERROR(plan.CopyTo(branch.results[i], outputs[i]));
    }
  }
  const int32_t end = buffers.NextTime();
  for (const Ref& output : outputs) if (output.buffer >= 0) buffers.Restart(output.buffer, end);
  Append(std::move(step), {inputs[0]}, {}, end);
  return OkStatus();
}

}  // namespace hloir::cpu
