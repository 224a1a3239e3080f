// layout-assignment: chooses for each array the order of its dimensions in memory that moves the fewest bytes.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[1,16,10,10]{3,2,1,0} parameter(0)
//   w = f32[16,16,3,3]{3,2,1,0} parameter(1)
//   a = f32[1,16,8,8]{3,2,1,0} convolution(x, w), window={size=3x3}, dim_labels=bf01_oi01->bf01
//   t = f32[1,16,8,8]{3,2,1,0} tanh(a)
//   b = f32[1,16,6,6]{3,2,1,0} convolution(t, w), window={size=3x3}, dim_labels=bf01_oi01->bf01
//   ROOT both = (f32[1,16,8,8]{3,2,1,0}, f32[1,16,6,6]{3,2,1,0}) tuple(t, b)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[1,16,10,10]{3,2,1,0} parameter(0)
//   w = f32[16,16,3,3]{3,2,1,0} parameter(1)
//   a = f32[1,16,8,8]{1,3,2,0} convolution(x, w), window={size=3x3}, dim_labels=bf01_oi01->bf01
//   t = f32[1,16,8,8]{1,3,2,0} tanh(a)
//   b = f32[1,16,6,6]{3,2,1,0} convolution(t, w), window={size=3x3}, dim_labels=bf01_oi01->bf01
//   copy = f32[1,16,8,8]{3,2,1,0} copy(t)
//   ROOT both = (f32[1,16,8,8]{3,2,1,0}, f32[1,16,6,6]{3,2,1,0}) tuple(copy, b)
// }
// END
//
// Arrays connected by ops that map elements one to one (elementwise ops, slices, pads, transposes, …) form a group with
// one order. The cost of an order for a group: copies to and from arrays in other orders (parameters, results,
// requirements of other ops), and the extra work of convolutions and dots on arrays in another order than they read or
// write. Each group takes the cheapest of its neighbours' orders and preferred orders, iterated until no group changes;
// row-major, or the present order, if none is cheaper. XLA's pass propagates constraints by priorities; the names and
// the outcome are alike, the costs are those of hloir's engine, which runs the result after layout-normalization.
//
// Parameters and results of every computation keep their layouts, so do fusions, custom-calls and tuples (sorts and
// scatters of several arrays give one). Leaves alone: arrays with tiles, memory spaces or dynamic sizes.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hloir/rewrite_util.h"
#include "layout/orders.h"

namespace hloir {
namespace layout {
namespace {

constexpr int kMostRounds = 4;
constexpr size_t kMostCandidates = 12;
constexpr RuleInfo kAssign = {"assign-layout", "A => A, in the order of dimensions that moves the fewest bytes"};
constexpr RuleInfo kCopyTo = {"copy-to-layout", "op(A) => op(copy(A)), where op takes A in another order"};

// Ops that read and write the same dimensions in the same places: operand k must lie as the result does.
bool HandsOrderOn(const HloInstruction& i, int64_t k) {
  if (!i.shape().IsArray() || i.operand(k)->shape().rank() != i.shape().rank()) return false;
  const HloOpcode opcode = i.opcode();
  // It may change the order.
  if (opcode == HloOpcode::kCopy) return false;
  if (opcode == HloOpcode::kBitcastConvert)
    return BitWidth(i.operand(0)->shape().element_type()) == BitWidth(i.shape().element_type());
  if (IsOneOf(opcode, HloOpcode::kPad, HloOpcode::kSlice, HloOpcode::kReverse, HloOpcode::kDynamicSlice,
              HloOpcode::kReduceWindow, HloOpcode::kAllReduce, HloOpcode::kAllGather, HloOpcode::kReduceScatter,
              HloOpcode::kCollectivePermute, HloOpcode::kSort, HloOpcode::kScatter))
    return k == 0;
  if (IsOneOf(opcode, HloOpcode::kDynamicUpdateSlice, HloOpcode::kSelectAndScatter)) return k <= 1;
  if (IsOneOf(opcode, HloOpcode::kConcatenate, HloOpcode::kMap)) return true;
  return i.Is(kElementwise);
}

// Ops whose result may lie in any order.
bool IsFlexible(const HloInstruction& i) {
  if (!IsPlain(i.shape()) || i.shape().rank() < 2 || !i.shape().has_layout()) return false;
  switch (i.opcode()) {
    case HloOpcode::kConstant: return !i.literal().elided();
    case HloOpcode::kCopy:
    case HloOpcode::kIota:
    case HloOpcode::kBroadcast:
    case HloOpcode::kTranspose:
    case HloOpcode::kReshape:
    case HloOpcode::kReduce:
    case HloOpcode::kDot:
    case HloOpcode::kGather:
    case HloOpcode::kConvolution: break;
    default:  // elementwise ops
      if (i.operand_count() == 0 || !HandsOrderOn(i, 0)) {
        // select(p, A, B) and clamp(a, A, b) with scalars in front
        if (i.opcode() != HloOpcode::kSelect && i.opcode() != HloOpcode::kClamp) return false;
      }
  }
  return std::all_of(i.operands().begin(), i.operands().end(),
                     [](const HloInstruction* operand) { return IsPlain(operand->shape()); });
}

// A dot's own layouts: batch, rows, columns; or, with its operands exchanged, batch, columns, rows.
Order SwappedDot(const HloInstruction& dot) {
  const auto& a = dot.attributes<DotAttributes>();
  const int64_t batch = static_cast<int64_t>(a.lhs_batch_dims.size());
  const int64_t rows = dot.operand(0)->shape().rank() - batch - static_cast<int64_t>(a.lhs_contracting_dims.size());
  DimVector major;
  for (int64_t d = 0; d < batch; ++d) major.push_back(d);
  for (int64_t d = batch + rows; d < dot.shape().rank(); ++d) major.push_back(d);
  for (int64_t d = batch; d < batch + rows; ++d) major.push_back(d);
  return Major(major);
}
// The order in which the engine's kernel writes a convolution, and reads its input where windows have more than one
// element: batch, places, features.
Order ConvolutionOrder(int64_t batch, const DimVector& spatial, int64_t feature) {
  DimVector major{batch};
  for (int64_t d : spatial) major.push_back(d);
  major.push_back(feature);
  return Major(major);
}

class Assignment {
 public:
  Assignment(HloComputation& computation, const Shape* result) : computation_(computation), result_(result) {
    for (HloInstruction* i : hloir::InOrder(computation)) {
      if (i->shape().IsArray()) given_.emplace(i, OrderOf(i->shape()));
      if (IsFlexible(*i)) places_.emplace(i, Place{});
      all_.push_back(i);
    }
    MakeGroups();
    for (Group& group : groups_) group.order = Current(group);
    for (int round = 0; round < kMostRounds; ++round) {
      bool changed = false;
      for (size_t g = 0; g < groups_.size(); ++g) changed = Choose(g) || changed;
      if (!changed) break;
    }
  }

  struct Choice {
    HloInstruction* instruction;
    Order order;
    std::string reason;
    bool is_new;  // false: it stays, for this reason
  };
  std::vector<Choice> Choices(bool explain) {
    std::vector<Choice> choices;
    for (size_t g = 0; g < groups_.size(); ++g) {
      std::vector<HloInstruction*> moved;
      for (HloInstruction* member : groups_[g].members)
        if (OrderFor(*member) != Given(*member)) moved.push_back(member);
      // No change if only dimensions of size 1 would be exchanged.
      const bool same_places = std::all_of(moved.begin(), moved.end(), [&](const HloInstruction* member) {
        return SamePlaces(member->shape(), OrderFor(*member), Given(*member));
      });
      if (same_places && !moved.empty() && CostAsGiven(g) <= GroupCost(groups_[g])) moved.clear();
      const std::string reason = explain ? Reason(g, !moved.empty()) : std::string();
      for (HloInstruction* member : moved) choices.push_back({member, OrderFor(*member), reason, true});
      if (moved.empty() && !reason.empty()) choices.push_back({groups_[g].members[0], groups_[g].order, reason, false});
    }
    return choices;
  }

  // The layout that the op requires of operand k, given the layout of its result. nullopt: any.
  std::optional<Order> Demand(const HloInstruction& i, int64_t k, const Order& order) const {
    const HloInstruction& operand = *i.operand(k);
    if (!IsPlain(operand.shape()) || operand.shape().rank() < 2) return std::nullopt;
    const int64_t rank = operand.shape().rank();
    if (places_.count(&i) > 0) {
      if (HandsOrderOn(i, k)) return order;
      switch (i.opcode()) {
        case HloOpcode::kTranspose: return ThroughTranspose(order, Inverse(i.dimensions()));
        case HloOpcode::kBroadcast: return BroadcastOperand(order, i.dimensions());
        case HloOpcode::kReshape:
          if (ThroughReshape(operand.shape().dimensions(), OrderFor(operand), i.shape().dimensions()))
            return std::nullopt;
          return RowMajor(rank);
        case HloOpcode::kCopy:
        case HloOpcode::kReduce:
        case HloOpcode::kDot:
        case HloOpcode::kGather:
        case HloOpcode::kConvolution: return std::nullopt;
        case HloOpcode::kScatter:
          // Indices that come in another order would change which update is the last.
          if (k == 1) return RowMajor(rank);
          return OrderOfWindows(i, OrderFor(operand), order, RowMajor(i.operand(1)->shape().rank()));
        default: return RowMajor(rank);  // row-major, which every op takes
      }
    }
    switch (i.opcode()) {
      case HloOpcode::kReduce:
        if (!i.shape().IsArray()) return Given(operand);
        return std::nullopt;
      case HloOpcode::kCopy:
      case HloOpcode::kDot:
      case HloOpcode::kConvolution:
      case HloOpcode::kGetDimensionSize: return std::nullopt;
      case HloOpcode::kTuple: return OrderOf(i.shape().tuple_shapes(k));
      case HloOpcode::kFusion:
      case HloOpcode::kCall: return OrderOf(i.called_computation(0)->parameter(k)->shape());
      case HloOpcode::kCustomCall: {
        const auto& constraints = i.attributes<CustomCallAttributes>().operand_layout_constraints;
        if (constraints && k < static_cast<int64_t>(constraints->size()))
          return OrderOf((*constraints)[static_cast<size_t>(k)]);
        return Given(operand);
      }
      // The given layout: the meaning of these ops may depend on it.
      default: return Given(operand);
    }
  }
  // The layout of the result with which the op moves no element, given its operands; nullopt: any.
  std::optional<Order> Own(const HloInstruction& i, const Order& order) const {
    switch (i.opcode()) {
      case HloOpcode::kReduce:
        if (!i.shape().IsArray()) return std::nullopt;
        return Without(OrderFor(*i.operand(0)), i.dimensions());
      case HloOpcode::kReshape: {
        const Shape& from = i.operand(0)->shape();
        const auto through = ThroughReshape(from.dimensions(), OrderFor(*i.operand(0)), i.shape().dimensions());
        return through ? *through : RowMajor(i.shape().rank());
      }
      case HloOpcode::kGather: return OrderOfWindows(i, order, OrderFor(*i.operand(0)), OrderFor(*i.operand(1)));
      case HloOpcode::kDot:
        return SamePlaces(i.shape(), order, SwappedDot(i)) ? SwappedDot(i) : RowMajor(i.shape().rank());
      default: return std::nullopt;  // no preference
    }
  }
  Order OrderFor(const HloInstruction& i) const {
    const auto place = places_.find(&i);
    if (settled_ || place == places_.end()) return i.shape().IsArray() ? OrderOf(i.shape()) : Order();
    const Order& group = groups_[static_cast<size_t>(place->second.group)].order;
    if (group.empty()) return Given(i);
    const DimVector where = Inverse(place->second.dimensions);
    Order order;
    for (int64_t d : group) order.push_back(where[static_cast<size_t>(d)]);
    return order;
  }
  bool Covers(const HloInstruction& i) const { return places_.count(&i) > 0; }
  bool Moved(const HloInstruction& i) const {
    const auto given = given_.find(&i);
    return given != given_.end() && given->second != OrderOf(i.shape());
  }
  // From here on the layouts in the shapes count, not the choices.
  void Settle() { settled_ = true; }
  const std::vector<HloInstruction*>& all() const { return all_; }

 private:
  struct Place {
    int64_t group = -1;
    DimVector dimensions;  // dimension d is the group's dimension dimensions[d]
  };
  struct Group {
    std::vector<HloInstruction*> members;
    std::vector<const HloInstruction*> touched;  // the members and their users
    Order order;
  };

  Order Given(const HloInstruction& i) const {
    const auto found = given_.find(&i);
    return found == given_.end() ? OrderOf(i.shape()) : found->second;
  }
  // For each dimension of the result the operand's dimension, if both may share an order.
  std::optional<DimVector> Tie(const HloInstruction& i, int64_t k) const {
    if (places_.count(&i) == 0 || places_.count(i.operand(k)) == 0) return std::nullopt;
    if (i.opcode() == HloOpcode::kTranspose) return i.dimensions();
    if (!HandsOrderOn(i, k)) return std::nullopt;
    DimVector same;
    for (int64_t d = 0; d < i.shape().rank(); ++d) same.push_back(d);
    return same;
  }
  void MakeGroups() {
    for (HloInstruction* first : all_) {
      const auto place = places_.find(first);
      if (place == places_.end() || place->second.group >= 0) continue;
      const int64_t g = static_cast<int64_t>(groups_.size());
      groups_.emplace_back();
      DimVector same;
      for (int64_t d = 0; d < first->shape().rank(); ++d) same.push_back(d);
      place->second = {g, same};
      std::vector<HloInstruction*>& members = groups_.back().members;
      members.push_back(first);
      for (size_t at = 0; at < members.size(); ++at) {
        HloInstruction* member = members[at];
        const DimVector dimensions = places_[member].dimensions;
        auto join = [&](HloInstruction* other, DimVector of_other) {
          Place& its = places_[other];
          if (its.group >= 0) return;
          its = {g, std::move(of_other)};
          members.push_back(other);
        };
        for (int64_t k = 0; k < member->operand_count(); ++k) {
          if (const auto tie = Tie(*member, k)) {
            DimVector of_operand(tie->size());
            for (size_t d = 0; d < tie->size(); ++d) of_operand[static_cast<size_t>((*tie)[d])] = dimensions[d];
            join(member->operand(k), of_operand);
          }
        }
        for (HloInstruction* user : member->users()) {
          for (int64_t k = 0; k < user->operand_count(); ++k) {
            const auto tie = user->operand(k) == member ? Tie(*user, k) : std::nullopt;
            if (!tie) continue;
            DimVector of_user;
            for (int64_t d : *tie) of_user.push_back(dimensions[static_cast<size_t>(d)]);
            join(user, of_user);
            break;
          }
        }
      }
    }
    for (Group& group : groups_) {
      std::vector<const HloInstruction*>& touched = group.touched;
      for (HloInstruction* member : group.members) {
        touched.push_back(member);
        for (const HloInstruction* user : member->users()) touched.push_back(user);
      }
      std::sort(touched.begin(), touched.end(),
                [](const HloInstruction* a, const HloInstruction* b) { return a->id() < b->id(); });
      touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    }
  }
  // The current layout of the first member.
  Order Current(const Group& group) const { return OrderOf(group.members[0]->shape()); }

  // Bytes that move around an instruction because arrays do not lie as it has them.
  double Cost(const HloInstruction& i) const {
    double cost = 0;
    const Order order = OrderFor(i);
    for (int64_t k = 0; k < i.operand_count(); ++k) {
      const Shape& shape = i.operand(k)->shape();
      if (!shape.IsArray()) continue;
      const Order has = OrderFor(*i.operand(k));
      if (const auto demand = Demand(i, k, order); demand && !SamePlaces(shape, *demand, has))
        cost += 2.0 * static_cast<double>(shape.ByteSize());
    }
    if (i.shape().IsArray()) {
      if (const auto own = Own(i, order); own && !SamePlaces(i.shape(), *own, order))
        cost += 2.0 * static_cast<double>(i.shape().ByteSize());
      if (i.opcode() == HloOpcode::kConvolution) cost += ConvolutionCost(i, order);
      if (i.opcode() == HloOpcode::kCopy && !SamePlaces(i.shape(), OrderFor(*i.operand(0)), order))
        cost += 2.0 * static_cast<double>(i.shape().ByteSize());
      if (&i == computation_.root() && result_ != nullptr && result_->IsArray() &&
          result_->rank() == i.shape().rank() && !SamePlaces(i.shape(), OrderOf(*result_), order))
        cost += 2.0 * static_cast<double>(i.shape().ByteSize());
    }
    return cost;
  }
  double ConvolutionCost(const HloInstruction& i, const Order& order) const {
    const auto& a = i.attributes<ConvolutionAttributes>();
    const ConvDimensionNumbers& labels = a.dim_labels;
    const Shape& input = i.operand(0)->shape();
    double cost = 0;
    const Order reads = ConvolutionOrder(labels.input_batch, labels.input_spatial, labels.input_feature);
    const bool windows = std::any_of(a.window.begin(), a.window.end(), [](const WindowDimension& w) {
      return w.size > 1 || w.padding_low > 0 || w.padding_high > 0 || w.base_dilation > 1;
    });
    // The input is copied into that order; or, padded, element by element and not row by row.
    if (windows && !SamePlaces(input, OrderFor(*i.operand(0)), reads))
      cost += 2.0 * static_cast<double>(input.ByteSize());
    const Order writes = ConvolutionOrder(labels.output_batch, labels.output_spatial, labels.output_feature);
    if (!SamePlaces(i.shape(), order, writes)) cost += 2.0 * static_cast<double>(i.shape().ByteSize());
    return cost;
  }
  double GroupCost(const Group& group) const {
    double cost = 0;
    for (const HloInstruction* i : group.touched) cost += Cost(*i);
    return cost;
  }

  double CostAsGiven(size_t g) {
    const Order chosen = std::exchange(groups_[g].order, {});
    const double cost = GroupCost(groups_[g]);
    groups_[g].order = chosen;
    return cost;
  }

  // Orders that somebody around the group has or wishes, in the group's dimensions.
  std::vector<Order> Candidates(const Group& group) const {
    std::vector<Order> candidates{group.order};
    auto add = [&](const HloInstruction* member, const Order& order) {
      const DimVector& dimensions = places_.at(member).dimensions;
      if (order.size() != dimensions.size() || candidates.size() >= kMostCandidates) return;
      Order of_group;
      for (int64_t d : order) of_group.push_back(dimensions[static_cast<size_t>(d)]);
      if (std::find(candidates.begin(), candidates.end(), of_group) == candidates.end()) candidates.push_back(of_group);
    };
    for (HloInstruction* member : group.members) {
      add(member, RowMajor(member->shape().rank()));
      for (int64_t k = 0; k < member->operand_count(); ++k) {
        const HloInstruction* operand = member->operand(k);
        if (places_.count(operand) > 0 && places_.at(operand).group == places_.at(member).group) continue;
        if (HandsOrderOn(*member, k) || member->opcode() == HloOpcode::kCopy) add(member, OrderFor(*operand));
        else if (member->opcode() == HloOpcode::kTranspose)
          add(member, ThroughTranspose(OrderFor(*operand), member->dimensions()));
      }
      if (const auto own = Own(*member, OrderFor(*member))) add(member, *own);
      if (member->opcode() == HloOpcode::kDot) add(member, SwappedDot(*member));
      if (member->opcode() == HloOpcode::kConvolution) {
        const ConvDimensionNumbers& labels = member->attributes<ConvolutionAttributes>().dim_labels;
        add(member, ConvolutionOrder(labels.output_batch, labels.output_spatial, labels.output_feature));
      }
      if (member == computation_.root() && result_ != nullptr && result_->IsArray()) add(member, OrderOf(*result_));
      for (const HloInstruction* user : member->users()) {
        if (user->opcode() == HloOpcode::kConvolution && user->operand(0) == member) {
          const ConvDimensionNumbers& labels = user->attributes<ConvolutionAttributes>().dim_labels;
          add(member, ConvolutionOrder(labels.input_batch, labels.input_spatial, labels.input_feature));
        }
        for (int64_t k = 0; k < user->operand_count(); ++k) {
          if (user->operand(k) != member) continue;
          if (user->opcode() == HloOpcode::kReshape && Covers(*user)) {
            if (auto back = ThroughReshape(user->shape().dimensions(), OrderFor(*user), member->shape().dimensions()))
              add(member, *back);
          } else if (const auto demand = Demand(*user, k, OrderFor(*user))) {
            add(member, *demand);
          }
        }
      }
    }
    return candidates;
  }
  bool Choose(size_t g) {
    Group& group = groups_[g];
    const std::vector<Order> candidates = Candidates(group);
    Order best = group.order;
    double least = GroupCost(group);
    for (const Order& candidate : candidates) {
      if (least == 0) break;
      group.order = candidate;
      if (const double cost = GroupCost(group); cost < least) least = cost, best = candidate;
    }
    const bool changed = best != candidates[0];
    group.order = best;
    return changed;
  }

  // The reason for the group's layout; "" if there was no choice.
  std::string Reason(size_t g, bool moved) {
    Group& group = groups_[g];
    const Order chosen = group.order;
    const auto text = [](double bytes) { return std::to_string(static_cast<int64_t>(bytes)); };
    // Of each instruction around the group; in no order: as they were laid.
    const auto costs_in = [&](const Order& order) {
      group.order = order;
      std::vector<double> costs;
      for (const HloInstruction* i : group.touched) costs.push_back(Cost(*i));
      group.order = chosen;
      return costs;
    };
    const auto sum = [](const std::vector<double>& costs) {
      double total = 0;
      for (double cost : costs) total += cost;
      return total;
    };
    const std::vector<double> here = costs_in(chosen);
    std::string reason;
    if (group.members.size() > 1) reason = "group of " + std::to_string(group.members.size()) + " arrays: ";
    reason += text(sum(here)) + " bytes copied";
    if (moved) {
      const std::vector<double> before = costs_in({});
      size_t most = 0;
      for (size_t i = 1; i < here.size(); ++i)
        if (before[i] - here[i] > before[most] - here[most]) most = i;
      return reason + ", " + text(sum(before)) + " before, most for " + std::string(group.touched[most]->name());
    }
    double next = -1;
    Order other;
    for (const Order& candidate : Candidates(group)) {
      if (candidate == chosen) continue;
      const double cost = sum(costs_in(candidate));
      if (next < 0 || cost < next) next = cost, other = candidate;
    }
    if (next < 0) return {};
    return "unchanged: " + reason + ", " + text(next) + " with " + Layout(other).ToString();
  }

  HloComputation& computation_;
  const Shape* result_;  // for an entry: the required layout of its result
  std::vector<HloInstruction*> all_;
  std::unordered_map<const HloInstruction*, Place> places_;
  std::unordered_map<const HloInstruction*, Order> given_;
  std::vector<Group> groups_;
  bool settled_ = false;
};

class LayoutAssignment : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    changed_ = false;
    const auto& entry_layout = module.config().entry_computation_layout;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      if (computation->root() == nullptr) continue;
      const Shape result =
          computation->IsEntry() && entry_layout && entry_layout->result.Compatible(computation->root()->shape())
              ? entry_layout->result
              : computation->root()->shape();
      Assignment assignment(*computation, &result);
      for (const auto& choice : assignment.Choices(gate_.explaining())) {
        if (!gate_.Enabled(kAssign)) break;
        if (!choice.is_new) {
          gate_.Decline(kAssign, *choice.instruction, choice.reason);
        } else if (gate_.Allow(kAssign, *choice.instruction, choice.reason)) {
          choice.instruction->set_shape(WithOrder(choice.instruction->shape(), choice.order));
          gate_.Done(choice.instruction);
          changed_ = true;
        }
      }
      assignment.Settle();
      if (gate_.Enabled(kCopyTo)) InsertCopies(*computation, assignment, result);
    }
    return changed_;
  }

 private:
  // `x` in that order, made where it is first needed and then kept.
  HloInstruction* Laid(HloInstruction* x, const Order& order, HloInstruction* before) {
    auto [made, is_new] = copies_.try_emplace({x, std::vector<int64_t>(order.begin(), order.end())}, nullptr);
    if (is_new) {
      const Shape shape = WithOrder(x->shape(), order);
      const bool moves = !SamePlaces(shape, OrderOf(x->shape()), order);
      made->second =
          x->parent()->AddInstruction(moves ? HloOpcode::kCopy : HloOpcode::kBitcast, shape, {x}, NoAttributes());
      InheritAnnotations(made->second, *x);
      x->parent()->MoveBefore(made->second, before);
      changed_ = true;
    }
    return made->second;
  }
  void InsertCopies(HloComputation& computation, const Assignment& assignment, const Shape& result) {
    copies_.clear();
    for (HloInstruction* i : assignment.all()) {
      const Order order = i->shape().IsArray() ? OrderOf(i->shape()) : Order();
      for (int64_t k = 0; k < i->operand_count(); ++k) {
        HloInstruction* operand = i->operand(k);
        if (!assignment.Covers(*operand) && !assignment.Covers(*i)) continue;
        const Shape& shape = operand->shape();
        if (!IsPlain(shape)) continue;
        const auto demand = assignment.Demand(*i, k, order);
        if (!demand || *demand == OrderOf(shape)) continue;
        // A transpose that stays moves its operand itself.
        if (!assignment.Moved(*i) && !assignment.Moved(*operand) &&
            (i->opcode() == HloOpcode::kTranspose || SamePlaces(shape, *demand, OrderOf(shape)))) {
          continue;
        }
        if (!gate_.Allow(kCopyTo, *i, "operand " + std::to_string(k))) continue;
        i->ReplaceOperandWith(k, Laid(operand, *demand, i));
        gate_.Done(i);
      }
      if (!assignment.Covers(*i)) continue;
      const auto own = assignment.Own(*i, order);
      if (own && *own != order && (assignment.Moved(*i) || !SamePlaces(i->shape(), *own, order)) &&
          gate_.Allow(kCopyTo, *i, "its result")) {
        i->set_shape(WithOrder(i->shape(), *own));
        std::vector<HloInstruction*> users(i->users().begin(), i->users().end());
        const bool was_root = i->IsRoot();
        HloInstruction* copy = Laid(i, order, i->next());
        for (HloInstruction* user : users) i->ReplaceUseWith(user, copy);
        if (was_root) computation.set_root(copy);
        gate_.Done(i);
      }
    }
    HloInstruction* root = computation.root();
    if (root->shape().IsArray() && IsPlain(root->shape()) && result.has_layout() &&
        OrderOf(result) != OrderOf(root->shape()) && gate_.Allow(kCopyTo, *root, "the result")) {
      HloInstruction* copy = Laid(root, OrderOf(result), nullptr);
      computation.set_root(copy);
      gate_.Done(copy);
    }
  }

  std::map<std::pair<HloInstruction*, std::vector<int64_t>>, HloInstruction*> copies_;  // looked up only
  bool changed_ = false;
};

}  // namespace
}  // namespace layout

PassDefinition DefineLayoutAssignment() {
  return {MakePassOf<layout::LayoutAssignment>, {layout::kAssign, layout::kCopyTo}};
}

}  // namespace hloir
