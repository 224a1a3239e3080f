// sharding-propagation: infers the shardings of all instructions from those of some.
//
// BEFORE
// HloModule example, num_partitions=4
//
// ENTRY main {
//   x = f32[8,6]{1,0} parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}
//   w = f32[6,10]{1,0} parameter(1), sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}
//   product = f32[8,10]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
//   ROOT tanh = f32[8,10]{1,0} tanh(product), sharding={devices=[2,2]<=[4]}
// }
// AFTER
// HloModule example, num_partitions=4
//
// ENTRY main {
//   x = f32[8,6]{1,0} parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}
//   w = f32[6,10]{1,0} parameter(1), sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}
//   product = f32[8,10]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0},
//   sharding={devices=[2,2]<=[4]} ROOT tanh = f32[8,10]{1,0} tanh(product), sharding={devices=[2,2]<=[4]}
// }
// END
//
// Existing shardings are kept, except for open dimensions; parameters and result get a sharding only if the module
// allows it. Splits into parts of unequal size are not propagated. Shardy's form is read first (shardy.h); shardy-xla
// is an alias, because XLA does both in that pass. Leaves alone: modules for one device. Design: docs/partition.md.
#include <algorithm>
#include <numeric>

#include "hloir/custom_call.h"
#include "hloir/rewrite_util.h"
#include "partition_op.h"
#include "shardy.h"

namespace hloir {
namespace spmd {
namespace {

constexpr RuleInfo kPropagate = {"propagate", "op(A) with A sharded => op(A), sharded as A is"};
constexpr RuleInfo kImport = {"import", "xla.sdy.sharding of A => A's sharding by the axes of a mesh"};

// The sharding of one leaf of a value, or of several leaves that share it: a loop's state, a tuple's element.
struct Leaf {
  ArraySharding sharding;
  std::vector<bool> closed;  // by dimension: stated in the text
  int64_t elements = 0;
  bool said = false;  // by the text
};

// The order in which ops propagate shardings: data movement first, because it costs nothing to follow.
enum class Level { kElementwise, kForward, kBackward, kConflicts };

class Propagation {
 public:
  Propagation(HloModule& module, const DeviceMesh& mesh)
      : module_(module), mesh_(mesh), computations_(ControlFlowComputations(module)) {}

  Status Run();
  // Stores a sharding; true if it is new. `imported`: a part of the old one came from Shardy.
  bool Write(RewriteGate& gate, bool imported);

 private:
  using Op = const HloInstruction*;

  Status Seed();
  void FindManual();
  void JoinValues();
  void Join(Op a, size_t leaf_a, Op b, size_t leaf_b);
  void JoinAll(Op a, size_t first_a, Op b, size_t first_b, size_t count);
  bool Visit(const HloInstruction& i, Level level);
  bool VisitBoundary(const HloInstruction& i);
  void PassPartials(const HloInstruction& i);
  void BeginPartials(const HloInstruction& i);
  size_t At(Op i, size_t leaf) {
    size_t at = first_[static_cast<size_t>(i->id())] + leaf;
    while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
    return at;
  }
  static bool IsIdentity(const HloInstruction& i);

  HloModule& module_;
  const DeviceMesh& mesh_;
  std::vector<HloComputation*> computations_;
  std::vector<size_t> first_;   // by instruction id: its first leaf
  std::vector<size_t> count_;   // and how many
  std::vector<size_t> parent_;  // leaves that are one
  std::vector<Leaf> leaves_;
  std::vector<bool> manual_;  // by instruction id
};

// Their leaves are those of others.
bool Propagation::IsIdentity(const HloInstruction& i) {
  return IsOneOf(i.opcode(), HloOpcode::kTuple, HloOpcode::kGetTupleElement, HloOpcode::kWhile, HloOpcode::kCall,
                 HloOpcode::kConditional, HloOpcode::kOptimizationBarrier, HloOpcode::kParameter);
}

Status Propagation::Seed() {
  first_.resize(static_cast<size_t>(module_.instruction_id_limit()));
  count_.resize(first_.size());
  manual_.resize(first_.size());
  const ModuleConfig& config = module_.config();
  const auto allowed = [](const BoolList& list, size_t k) {
    return !list.empty() && (list.size() == 1 ? list[0] : k < list.size() && list[k]);
  };
  for (const HloComputation* computation : computations_) {
    for (Op i = computation->first(); i != nullptr; i = i->next()) {
      first_[static_cast<size_t>(i->id())] = leaves_.size();
      const std::vector<const Shape*> shapes = i->shape().Leaves();
      count_[static_cast<size_t>(i->id())] = shapes.size();
      const std::vector<const Sharding*> shardings = LeafShardings(i->sharding(), i->shape());
      for (size_t k = 0; k < shapes.size(); ++k) {
        const int64_t rank = shapes[k]->IsArray() ? shapes[k]->rank() : 0;
        Leaf leaf{Replicated(rank), std::vector<bool>(static_cast<size_t>(rank)), shapes[k]->ElementCount(), false};
        if (shardings[k] != nullptr && shapes[k]->IsArray()) {
          std::vector<bool> open;
          HLOIR_ASSIGN_OR_RETURN(leaf.sharding, mesh_.Read(*shardings[k], rank, &open));
          for (size_t d = 0; d < open.size(); ++d) leaf.closed[d] = !open[d];
          leaf.said = true;
        }
        const bool is_argument = i->IsParameter() && computation->IsEntry();
        const bool is_result = i->IsRoot() && computation->IsEntry();
        const bool free = (!is_argument || allowed(config.allow_spmd_sharding_propagation_to_parameters,
                                                   static_cast<size_t>(is_argument ? i->parameter_number() : 0))) &&
                          (!is_result || allowed(config.allow_spmd_sharding_propagation_to_output, k));
        if (!leaf.said && !free) leaf.closed.assign(static_cast<size_t>(rank), true), leaf.said = true;
        leaves_.push_back(std::move(leaf));
      }
    }
  }
  parent_.resize(leaves_.size());
  std::iota(parent_.begin(), parent_.end(), size_t{0});
  return OkStatus();
}

// Values between SPMDFullToShardShape and SPMDShardToFullShape are a device's own.
void Propagation::FindManual() {
  std::vector<std::pair<HloInstruction*, Axes>> todo;
  std::vector<bool> seen(first_.size());
  for (HloComputation* computation : computations_) {
    for (HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      if (!IsCustomCall(*i, CustomCall::kSpmdFullToShardShape)) continue;
      const Axes manual = leaves_[first_[static_cast<size_t>(i->id())]].sharding.manual;
      todo.emplace_back(i, manual.empty() ? mesh_.AllAxes() : manual);
    }
  }
  while (!todo.empty()) {
    auto [i, manual] = std::move(todo.back());
    todo.pop_back();
    const size_t id = static_cast<size_t>(i->id());
    if (seen[id]) continue;
    seen[id] = true;
    manual_[id] = true;
    for (size_t k = 0; k < count_[id]; ++k) {
      ArraySharding& sharding = leaves_[first_[id] + k].sharding;
      for (int64_t a : manual) {
        if (!sharding.Uses(a)) sharding.manual.push_back(a);
      }
      std::sort(sharding.manual.begin(), sharding.manual.end());
    }
    const bool shared = i->operand_count() == 0 && !i->IsParameter();  // a constant may be others', too
    for (HloInstruction* user : i->users()) {
      if (!shared && !IsCustomCall(*user, CustomCall::kSpmdShardToFullShape)) todo.emplace_back(user, manual);
    }
    for (HloInstruction* operand : i->operands()) {
      if (!IsCustomCall(*i, CustomCall::kSpmdFullToShardShape)) todo.emplace_back(operand, manual);
    }
    if (i->Is(kControlFlow)) {
      for (HloComputation* called : i->called_computations()) {
        todo.emplace_back(called->root(), manual);
        for (HloInstruction* parameter : called->parameters()) todo.emplace_back(parameter, manual);
      }
    }
    if (i->IsParameter() || i->IsRoot()) {
      for (HloInstruction* caller : i->parent()->callers()) todo.emplace_back(caller, manual);
    }
  }
}

void Propagation::Join(Op a, size_t leaf_a, Op b, size_t leaf_b) {
  const size_t x = At(a, leaf_a), y = At(b, leaf_b);
  if (x == y) return;
  Leaf &p = leaves_[x], &q = leaves_[y];
  if (p.sharding.dims.size() != q.sharding.dims.size() || !(p.sharding.manual == q.sharding.manual)) return;
  if (p.sharding.unreduced != q.sharding.unreduced || p.sharding.reduction != q.sharding.reduction) {
    if (p.said && q.said) return;
    const ArraySharding& said = p.said ? p.sharding : q.sharding;
    const Axes unreduced = said.unreduced;
    const HloOpcode reduction = said.reduction;
    for (Leaf* leaf : {&p, &q}) leaf->sharding.unreduced = unreduced, leaf->sharding.reduction = reduction;
  }
  for (size_t d = 0; d < p.closed.size(); ++d) {
    const Axes &of_p = p.sharding.dims[d], &of_q = q.sharding.dims[d];
    if (of_p == of_q) continue;
    if ((p.closed[d] || !of_p.empty()) && (q.closed[d] || !of_q.empty())) return;  // both have their own
  }
  for (size_t d = 0; d < p.closed.size(); ++d) {
    if (q.closed[d] || !q.sharding.dims[d].empty()) p.sharding.dims[d] = q.sharding.dims[d];
    p.closed[d] = p.closed[d] || q.closed[d];
  }
  // Two halves that each are right may use an axis twice.
  Axes used = p.sharding.unreduced;
  for (Axes& axes : p.sharding.dims) {
    for (int64_t a : axes) {
      if (std::find(used.begin(), used.end(), a) != used.end()) {
        axes.clear();
        break;
      }
      used.push_back(a);
    }
  }
  p.said = p.said || q.said;
  parent_[y] = x;
}

void Propagation::JoinAll(Op a, size_t first_a, Op b, size_t first_b, size_t count) {
  for (size_t k = 0; k < count; ++k) Join(a, first_a + k, b, first_b + k);
}

void Propagation::JoinValues() {
  const auto leaf_count = [&](Op i) { return count_[static_cast<size_t>(i->id())]; };
  for (const HloComputation* computation : computations_) {
    for (Op i = computation->first(); i != nullptr; i = i->next()) {
      switch (i->opcode()) {
        case HloOpcode::kTuple: {
          size_t next = 0;
          for (Op operand : i->operands()) {
            JoinAll(i, next, operand, 0, leaf_count(operand));
            next += leaf_count(operand);
          }
          break;
        }
        case HloOpcode::kGetTupleElement: {
          size_t first = 0;
          for (int64_t k = 0; k < i->tuple_index(); ++k)
            first += i->operand(0)->shape().tuple_shapes(k).Leaves().size();
          JoinAll(i, 0, i->operand(0), first, leaf_count(i));
          break;
        }
        case HloOpcode::kOptimizationBarrier: JoinAll(i, 0, i->operand(0), 0, leaf_count(i)); break;
        case HloOpcode::kWhile:
          for (Op other : {Op(i->while_body()->root()), Op(i->while_body()->parameter(0)),
                           Op(i->while_condition()->parameter(0)), i->operand(0)})
            JoinAll(i, 0, other, 0, leaf_count(i));
          break;
        case HloOpcode::kCall:
          if (i->to_apply()->callers().size() > 1) break;
          JoinAll(i, 0, i->to_apply()->root(), 0, leaf_count(i));
          for (int64_t k = 0; k < i->operand_count() && k < i->to_apply()->parameter_count(); ++k)
            JoinAll(i->to_apply()->parameter(k), 0, i->operand(k), 0, leaf_count(i->operand(k)));
          break;
        case HloOpcode::kConditional:
          for (size_t c = 0; c < i->called_computations().size(); ++c) {
            const HloComputation* branch = i->called_computations()[c];
            JoinAll(i, 0, branch->root(), 0, leaf_count(i));  // other callers must have the same sharding
            if (branch->callers().size() > 1) continue;
            Op operand = i->operand(static_cast<int64_t>(c) + 1);
            JoinAll(branch->parameter(0), 0, operand, 0, leaf_count(operand));
          }
          break;
        default: break;  // other ops join no leaves
      }
    }
  }
}

// Axes that are not manual inside go through.
bool Propagation::VisitBoundary(const HloInstruction& i) {
  const Leaf& operand = leaves_[At(i.operand(0), 0)];
  Leaf& result = leaves_[At(&i, 0)];
  bool changed = false;
  for (size_t d = 0; d < result.sharding.dims.size(); ++d) {
    if (result.closed[d]) continue;
    Axes axes = result.sharding.dims[d];
    for (int64_t a : operand.sharding.dims[d]) {
      if (!result.sharding.Uses(a)) axes.push_back(a);
    }
    if (axes == result.sharding.dims[d] || !mesh_.DividesEvenly(i.shape().dimensions(static_cast<int64_t>(d)), axes))
      continue;
    result.sharding.dims[d] = axes;
    changed = true;
  }
  return changed;
}

// Ops that are linear in partial sums give partial sums, unless their sharding is known.
void Propagation::PassPartials(const HloInstruction& i) {
  if (IsIdentity(i) || !i.shape().IsArray() || i.operand_count() == 0) return;
  Leaf& result = leaves_[At(&i, 0)];
  if (result.said) return;
  std::vector<const ArraySharding*> operands;
  for (Op operand : i.operands()) {
    if (!operand->shape().IsArray()) return;
    operands.push_back(&leaves_[At(operand, 0)].sharding);
  }
  const std::optional<Partials> partials = PartialsThrough(i, operands);
  if (!partials) return;
  for (int64_t a : partials->axes) {
    if (result.sharding.Uses(a)) return;
  }
  result.sharding.unreduced = partials->axes;
  result.sharding.reduction = partials->reduction;
}

// A partial sharding propagates to the operands that make it.
void Propagation::BeginPartials(const HloInstruction& i) {
  if (!IsCustomCall(i, CustomCall::kSharding) && i.opcode() != HloOpcode::kCopy && i.opcode() != HloOpcode::kReshape &&
      i.opcode() != HloOpcode::kTranspose && i.opcode() != HloOpcode::kNegate)
    return;
  if (i.operand_count() != 1 || i.operand(0)->user_count() != 1 || !i.shape().IsArray()) return;
  const ArraySharding& said = leaves_[At(&i, 0)].sharding;
  Leaf& operand = leaves_[At(i.operand(0), 0)];
  if (said.unreduced.empty() || operand.said || !operand.sharding.unreduced.empty()) return;
  for (int64_t a : said.unreduced) {
    if (operand.sharding.Uses(a)) return;
  }
  operand.sharding.unreduced = said.unreduced;
  operand.sharding.reduction = said.reduction;
}

bool Propagation::Visit(const HloInstruction& i, Level level) {
  if (IsIdentity(i)) return false;
  if (IsCustomCall(i, CustomCall::kSpmdFullToShardShape) || IsCustomCall(i, CustomCall::kSpmdShardToFullShape))
    return level != Level::kElementwise && VisitBoundary(i);
  const bool moves = i.Is(kElementwise) || i.opcode() == HloOpcode::kTranspose || i.opcode() == HloOpcode::kReshape ||
                     i.opcode() == HloOpcode::kCopy;
  if (!moves && level == Level::kElementwise) return false;
  const OpRule rule = RuleOf(i);
  // The arrays, operands first.
  struct Array {
    const OpRule::Array* dims;
    Leaf* leaf;
    FactorAxes axes;
  };
  std::vector<Array> arrays;
  const auto add = [&](const OpRule::Array& dims, Leaf& leaf) {
    arrays.push_back({&dims, &leaf, ToFactors(mesh_, rule, dims, leaf.sharding)});
  };
  for (size_t k = 0; k < rule.operands.size(); ++k) {
    if (!i.operand(static_cast<int64_t>(k))->shape().IsArray()) return false;
    add(rule.operands[k], leaves_[At(i.operand(static_cast<int64_t>(k)), 0)]);
  }
  for (size_t k = 0; k < rule.results.size(); ++k) add(rule.results[k], leaves_[At(&i, k)]);
  // Only cut dimensions matter; most arrays have none at first.
  if (std::all_of(arrays.begin(), arrays.end(), [](const Array& a) { return a.leaf->sharding.IsReplicated(); }))
    return false;
  const auto has_factor = [](const Array& array, size_t f) {
    for (const DimVector& factors : *array.dims) {
      if (Contains(factors, static_cast<int64_t>(f))) return true;
    }
    return false;
  };
  bool changed = false;
  for (size_t f = 0; f < rule.factors.size(); ++f) {
    if (rule.factors[f].kind == FactorKind::kIndexed) continue;
    const Axes* longest = nullptr;
    int64_t elements = -1;
    bool conflict = false;
    for (const Array& array : arrays) {
      const Axes& axes = array.axes[f];
      if (axes.empty()) continue;
      const size_t common =
          longest == nullptr
              ? 0
              : static_cast<size_t>(
                    std::mismatch(axes.begin(), axes.begin() + std::min(axes.size(), longest->size()), longest->begin())
                        .first -
                    axes.begin());
      const bool fits = longest == nullptr || common == std::min(axes.size(), longest->size());
      conflict = conflict || !fits;
      if (longest == nullptr || (fits ? axes.size() > longest->size() : array.leaf->elements > elements)) {
        longest = &axes;
        elements = array.leaf->elements;
      }
    }
    if (longest == nullptr || (conflict && level != Level::kConflicts)) continue;
    const Axes wanted = *longest;
    for (size_t k = 0; k < arrays.size(); ++k) {
      Array& array = arrays[k];
      const bool backward = k < rule.operands.size();
      if (backward && !moves && level < Level::kBackward) continue;
      Axes& axes = array.axes[f];
      if (!has_factor(array, f) || axes.size() >= wanted.size() ||
          !std::equal(axes.begin(), axes.end(), wanted.begin()))
        continue;
      FactorAxes tried = array.axes;
      for (size_t n = axes.size(); n < wanted.size() && !array.leaf->sharding.Uses(wanted[n]); ++n)
        tried[f].push_back(wanted[n]);
      LegalizeFor(mesh_, rule, *array.dims, tried);
      const ArraySharding next = FromFactors(*array.dims, tried, array.leaf->sharding.manual);
      bool better = false;
      ArraySharding& now = array.leaf->sharding;
      const Shape& shape =
          backward ? i.operand(static_cast<int64_t>(k))->shape() : *i.shape().Leaves()[k - rule.operands.size()];
      for (size_t d = 0; d < now.dims.size(); ++d) {
        Axes& was = now.dims[d];
        const Axes& is = next.dims[d];
        if (array.leaf->closed[d] || is.size() <= was.size() || !std::equal(was.begin(), was.end(), is.begin()))
          continue;
        if (!mesh_.DividesEvenly(shape.dimensions(static_cast<int64_t>(d)), is)) continue;
        was = is;
        better = true;
      }
      if (!better) continue;
      changed = true;
      // Operands may be one array.
      for (Array& other : arrays) other.axes = ToFactors(mesh_, rule, *other.dims, other.leaf->sharding);
    }
  }
  return changed;
}

Status Propagation::Run() {
  HLOIR_RETURN_IF_ERROR(Seed());
  FindManual();
  JoinValues();
  std::vector<const HloInstruction*> order;
  for (const HloComputation* computation : computations_) {
    const std::vector<const HloInstruction*> of = computation->PostOrder();
    order.insert(order.end(), of.begin(), of.end());
  }
  for (const HloInstruction* i : order) PassPartials(*i);
  for (size_t k = order.size(); k-- > 0;) BeginPartials(*order[k]);
  for (Level level : {Level::kElementwise, Level::kForward, Level::kBackward, Level::kConflicts}) {
    // Each change cuts some dimension further, so that this ends.
    for (bool changed = true; changed;) {
      changed = false;
      for (const HloInstruction* i : order) changed = Visit(*i, level) || changed;
      for (size_t k = order.size(); k-- > 0;) changed = Visit(*order[k], level) || changed;
    }
  }
  return OkStatus();
}

bool Propagation::Write(RewriteGate& gate, bool imported) {
  bool changed = false;
  for (HloComputation* computation : computations_) {
    for (HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      const std::vector<const Shape*> shapes = i->shape().Leaves();
      bool any = false;
      for (size_t k = 0; k < shapes.size(); ++k) {
        const Leaf& leaf = leaves_[At(i, k)];
        any = any || !leaf.sharding.IsReplicated() || !leaf.sharding.manual.empty() || !leaf.sharding.unreduced.empty();
      }
      const bool result = i->IsRoot() && computation->IsEntry();
      if (!any && (i->sharding() == nullptr || !(result || imported))) continue;
      Sharding written;
      const std::vector<const Sharding*> said = LeafShardings(i->sharding(), i->shape());
      // A sharding with another order of devices stays.
      const auto write = [&](size_t k) {
        const bool own_order = said[k] != nullptr && !mesh_.Reordering(*said[k]).empty();
        return own_order ? *said[k] : mesh_.Write(leaves_[At(i, k)].sharding);
      };
      if (i->shape().IsTuple()) {
        written.kind = Sharding::Kind::kTuple;
        for (size_t k = 0; k < shapes.size(); ++k) written.tuple_elements.push_back(write(k));
        if (shapes.empty()) continue;
      } else {
        written = write(0);
      }
      if (i->sharding() != nullptr) {
        // Equivalent shardings are unchanged.
        const std::vector<const Sharding*> old = LeafShardings(i->sharding(), i->shape());
        bool same = true;
        for (size_t k = 0; k < shapes.size(); ++k) {
          const int64_t rank = shapes[k]->IsArray() ? shapes[k]->rank() : 0;
          if (old[k] == nullptr) {
            same = false;
            continue;
          }
          std::vector<bool> open;
          const StatusOr<ArraySharding> read = mesh_.Read(*old[k], rank, &open);
          // Shardy's are written as HLO's own, which all of XLA's readers know.
          same = same && !(imported && old[k]->kind == Sharding::Kind::kNamed) && read.ok() &&
                 *read == leaves_[At(i, k)].sharding &&
                 std::none_of(open.begin(), open.end(), [](bool o) { return o; });
        }
        if (same) continue;
      }
      if (!gate.Allow(kPropagate, *i)) continue;
      i->set_sharding(std::move(written));
      gate.Done(i);
      changed = true;
    }
  }
  return changed;
}

class ShardingPropagation : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    if (IsPartitioned(module)) return false;
    bool changed = false;
    if (gate_.Enabled(kImport) && HasShardy(module) && Ask(kImport, *module.entry_computation()->root())) {
      HLOIR_ASSIGN_OR_RETURN(changed, ImportShardy(module));
      gate_.Done(module.entry_computation()->root());
    }
    const int64_t devices = PartitionCount(module);
    if (devices <= 1 || !gate_.Enabled(kPropagate)) return changed;
    HLOIR_ASSIGN_OR_RETURN(const DeviceMesh mesh, DeviceMesh::Of(module, devices));
    Propagation propagation(module, mesh);
    HLOIR_RETURN_IF_ERROR(propagation.Run());
    return propagation.Write(gate_, changed) || changed;
  }
};

}  // namespace
}  // namespace spmd

PassDefinition DefineShardingPropagation() {
  return {MakePassOf<spmd::ShardingPropagation>, {spmd::kImport, spmd::kPropagate}};
}

}  // namespace hloir
