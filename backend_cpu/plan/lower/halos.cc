// See halos.h. Tests: tests/unit/executable_halos_test.cc.
#include "plan/lower/halos.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/ranges.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kLeastRun = 128;  // minimal row length: for shorter rows a loop loses as much as the copies cost

// concatenate(x[size - k:], x[:size - k]) along d: element i is x's element i + distance, modulo the size.
struct Roll {
  int32_t node = -1;
  ValueId result = kNoValue;
  ValueId root = kNoValue;  // of x
  View x;
  size_t d = 0;
  int64_t distance = 0;  // the shorter way
};

// x, and the elements beyond each edge.
struct Halo {
  std::vector<Roll> rolls;
  DimVector low, high;        // elements beyond x's first and last along each dimension
  ValueId center = kNoValue;  // x in the copy, if there is one

  DimVector Dims() const {
    DimVector dims = rolls[0].x.dims;
    for (size_t d = 0; d < dims.size(); ++d) dims[d] += low[d] + high[d];
    return dims;
  }
  // The place of x in the copy.
  View Center() const {
    View view = View::RowMajor(Dims());
    view.dims = rolls[0].x.dims;
    for (size_t d = 0; d < view.dims.size(); ++d) view.offset += low[d] * view.strides[d];
    return view;
  }
  // The copy is smaller than the rolls, and rows stay long.
  bool Pays() const {
    const int64_t count = rolls[0].x.count();
    const View rows = Center().Collapse();
    return rolls.size() > 1 && View::RowMajor(Dims()).count() <= count + count / 2 &&
           (rows.dims.size() < 2 || rows.dims.back() >= kLeastRun);
  }
};

class HaloFinder {
 public:
  explicit HaloFinder(Graph& graph) : graph_(graph) {}

  void Run() {
    FindRolls();
    std::vector<bool> removed(graph_.nodes.size());
    bool any = false;
    for (Halo& halo : halos_) {
      if (!halo.Pays()) continue;
      any = true;
      MakeCopy(halo);
      for (const Roll& roll : halo.rolls) removed[static_cast<size_t>(roll.node)] = &roll != &halo.rolls[0];
    }
    if (!any) return;
    for (Node& node : graph_.nodes) Redirect(node);
    graph_.RemoveNodes(removed);
  }

 private:
  struct InCopy {
    ValueId view = kNoValue;
    const Halo* halo = nullptr;
  };

  void FindRolls() {
    std::vector<Roll> rolls;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      std::optional<Roll> roll = AsRoll(graph_.nodes[i]);
      if (!roll) continue;
      roll->node = static_cast<int32_t>(i);
      rolls.push_back(*std::move(roll));
    }
    if (rolls.size() < 2) return;
    const std::vector<bool> has_others = FindOtherReaders();
    std::unordered_map<ValueId, std::vector<size_t>> by_root;
    for (Roll& roll : rolls) {
      if (has_others[static_cast<size_t>(roll.result)]) continue;
      std::vector<size_t>& halos = by_root[roll.root];
      auto at = std::find_if(halos.begin(), halos.end(), [&](size_t i) { return halos_[i].rolls[0].x == roll.x; });
      if (at == halos.end()) {
        at = halos.insert(halos.end(), halos_.size());
        const DimVector none(roll.x.dims.size(), 0);
        halos_.push_back({{}, none, none, kNoValue});
      }
      Halo& halo = halos_[*at];
      halo.low[roll.d] = std::max(halo.low[roll.d], -roll.distance);
      halo.high[roll.d] = std::max(halo.high[roll.d], roll.distance);
      halo.rolls.push_back(std::move(roll));
    }
  }

  std::optional<Roll> AsRoll(const Node& node) const {
    if (node.opcode() != HloOpcode::kConcatenate || node.support.kind != Support::kStep || node.is_copy ||
        node.inputs.size() != 2)
      return std::nullopt;
    const GraphValue &last = graph_.values[node.inputs[0]], &first = graph_.values[node.inputs[1]];
    if (last.root == kNoValue || last.root != first.root || last.count == 0 || first.count == 0) return std::nullopt;
    Roll roll;
    roll.result = node.outputs[0];
    roll.root = first.root;
    roll.x = first.view;
    roll.d = static_cast<size_t>(node.instruction->dimensions()[0]);
    const int64_t before = last.view.dims[roll.d], after = first.view.dims[roll.d];
    roll.distance = before <= after ? -before : after;
    roll.x.dims[roll.d] = before + after;
    View expected = roll.x;
    expected.dims[roll.d] = before;
    expected.offset += after * expected.strides[roll.d];
    return last.view == expected ? std::optional(std::move(roll)) : std::nullopt;
  }

  // By root: has readers other than fused loops, or in another form.
  std::vector<bool> FindOtherReaders() const {
    std::vector<bool> others(graph_.values.size());
    const auto mark = [&](ValueId id) {
      if (const ValueId root = graph_.values[id].root; root != kNoValue) others[static_cast<size_t>(root)] = true;
    };
    for (ValueId id : graph_.results) mark(id);
    for (const Node& node : graph_.nodes) {
      for (ValueId id : node.inputs) {
        const GraphValue& value = graph_.values[id];
        if (node.support.kind != Support::kLoop || value.root == kNoValue ||
            value.view != graph_.values[value.root].view)
          mark(id);
      }
    }
    return others;
  }

  // By the first roll's node.
  void MakeCopy(Halo& halo) {
    const Roll& first = halo.rolls[0];
    const GraphValue rolled = graph_.values[first.result];
    const View center = halo.Center();
    const ValueId copy = graph_.AddComputed(rolled.type, halo.Dims(), first.node, rolled.instruction);
    halo.center = graph_.AddView(copy, rolled.type, center, rolled.instruction);
    for (const Roll& roll : halo.rolls) {
      View view = center;
      view.offset += roll.distance * view.strides[roll.d];
      in_copy_[roll.result] = {graph_.AddView(copy, rolled.type, std::move(view), rolled.instruction), &halo};
    }
    Node& maker = graph_.nodes[static_cast<size_t>(first.node)];
    maker.inputs = {};
    maker.outputs = {copy};
    // A range of x's elements along d.
    const auto add = [&](size_t d, int64_t count, int64_t from, int64_t to) {
      View part = first.x, place = center;
      part.dims[d] = place.dims[d] = count;
      part.offset += from * part.strides[d];
      place.offset += to * place.strides[d];
      maker.inputs.push_back(graph_.AddView(first.root, rolled.type, std::move(part), rolled.instruction));
      maker.places.push_back(std::move(place));
    };
    add(0, first.x.dims[0], 0, 0);
    for (size_t d = 0; d < first.x.dims.size(); ++d) {
      const int64_t size = first.x.dims[d];
      if (halo.low[d] > 0) add(d, halo.low[d], size - halo.low[d], -halo.low[d]);
      if (halo.high[d] > 0) add(d, halo.high[d], 0, size);
    }
  }

  // Readers of a roll read the copy, also for x itself, which is then in the caches.
  void Redirect(Node& node) const {
    const Halo* halo = nullptr;
    for (ValueId& id : node.inputs) {
      const auto found = in_copy_.find(graph_.values[id].root);
      if (found == in_copy_.end()) continue;
      id = found->second.view;
      halo = found->second.halo;
    }
    if (halo == nullptr) return;
    for (ValueId& id : node.inputs) {
      const GraphValue& value = graph_.values[id];
      const Roll& first = halo->rolls[0];
      if (value.root == first.root && value.view == first.x && value.type == graph_.values[halo->center].type)
        id = halo->center;
    }
  }

  Graph& graph_;
  std::vector<Halo> halos_;
  std::unordered_map<ValueId, InCopy> in_copy_;  // by the roll's result
};

}  // namespace

void MakeHalos(Graph& graph) {
  for (Node& node : graph.nodes)
    for (auto& inner : node.graphs) MakeHalos(*inner);
  HaloFinder(graph).Run();
}

}  // namespace hloir::cpu
