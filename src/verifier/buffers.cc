// Rules of values of type `b(…)`, which are memory and not values: only custom calls create and use them; loops, tuples
// and dynamic-update-slice forward them; and each is written by at most one instruction, after which it is another
// buffer value. Their use in an async computation is not checked. tests/verifier_errors/buffers.hlo.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "hloir/custom_call.h"
#include "internal.h"

namespace hloir::verifier {
namespace {

class Verifier {
 public:
  Verifier(const HloModule& module, Errors& errors) : module_(module), errors_(errors) {}

  void Run() {
    if (!AnyComeToBe()) return;
    for (const HloComputation* computation : module_.computations()) {
      auto callers = computation->callers();
      if (!callers.empty() && callers[0]->opcode() == HloOpcode::kAsyncStart) {
        if (computation->root()->opcode() == HloOpcode::kCustomCall) VerifyCustomCall(*computation->root());
        continue;
      }
      for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) VerifyInstruction(*i);
    }
  }

 private:
  // Most modules have none, which avoids a second walk.
  bool AnyComeToBe() {
    for (const HloInstruction* i : module_.AllInstructions()) {
      if (i->opcode() == HloOpcode::kCustomCall ? IsKnown(*i) || Has(*i) : i->IsParameter() && Has(*i)) return true;
    }
    return false;
  }
  static bool IsKnown(const HloInstruction& call) { return GetCustomCallInfo(CustomCallOf(call)).Is(kBufferBoundary); }
  // The indices of buffers in a shape. Cached by shape, because instructions share shapes.
  const std::vector<ShapeIndex>& BuffersOf(const Shape& shape) {
    auto [it, is_new] = buffers_of_.try_emplace(&shape);
    if (!is_new) return it->second;
    std::vector<std::pair<const Shape*, ShapeIndex>> pending{{&shape, {}}};
    while (!pending.empty()) {
      auto [at, index] = std::move(pending.back());
      pending.pop_back();
      if (at->IsBuffer()) it->second.push_back(index);
      if (!at->IsTuple()) continue;
      for (int64_t i = at->tuple_size(); i-- > 0;) {
        pending.emplace_back(&at->tuple_shapes(i), index);
        pending.back().second.push_back(i);
      }
    }
    return it->second;
  }
  bool Has(const HloInstruction& i) {
    return i.shape().IsTuple() ? !BuffersOf(i.shape()).empty() : i.shape().IsBuffer();
  }
  bool AnyOperandHas(const HloInstruction& i, int64_t first) {
    for (int64_t k = first; k < i.operand_count(); ++k) {
      if (Has(*i.operand(k))) return true;
    }
    return false;
  }

  void VerifyInstruction(const HloInstruction& i) {
    switch (i.opcode()) {
      case HloOpcode::kAsyncStart:
      case HloOpcode::kAsyncUpdate:
      case HloOpcode::kAsyncDone:
      case HloOpcode::kGetTupleElement: return;
      case HloOpcode::kTuple:
        if (i.IsRoot() && IsLoopBody(*i.parent())) CountWrites(i);
        return;
      case HloOpcode::kCustomCall: VerifyCustomCall(i); break;
      case HloOpcode::kWhile: break;
      case HloOpcode::kCall:
        for (const auto& [key, value] : i.extras().frontend_attributes) {
          if (key == "_xla_stream_annotation") return CountWrites(i);
        }
        ExpectNone(i);
        break;
      case HloOpcode::kParameter:
        if (i.parent() == module_.entry_computation()) ExpectNone(i);
        return;
      case HloOpcode::kDynamicUpdateSlice:
        if (i.operand_count() == 0 || !Has(*i.operand(0)) || !Has(i) || AnyOperandHas(i, 1)) ExpectNone(i);
        break;
      default: return ExpectNone(i);  // takes arrays alone
    }
    CountWrites(i);
  }

  void ExpectNone(const HloInstruction& i) {
    if (Has(i) || AnyOperandHas(i, 0)) errors_.Add(&i, "{} neither takes nor gives buffers", i.opcode_name());
  }

  static bool IsLoopBody(const HloComputation& computation) {
    for (const HloInstruction* caller : computation.callers()) {
      if (caller->opcode() == HloOpcode::kWhile) return true;
    }
    return false;
  }

  // Calls that convert between arrays and buffers have separate rules (calls.cc).
  void VerifyCustomCall(const HloInstruction& call) {
    if (!IsKnown(call) && (Has(call) || AnyOperandHas(call, 0)))
      VerifyPassedOn(call, call.attributes<CustomCallAttributes>().output_to_operand_aliasing);
  }

  // A buffer operand must be aliased with a buffer of the result.
  void VerifyPassedOn(const HloInstruction& call, const OutputOperandAliasing& aliasing) {
    std::map<std::pair<int64_t, ShapeIndex>, int> in;
    std::map<ShapeIndex, int> out;
    for (const OutputOperandAlias& alias : aliasing) {
      ++in[{alias.operand, alias.operand_index}];
      ++out[alias.output_index];
    }
    for (int64_t k = 0; k < call.operand_count(); ++k) {
      for (const ShapeIndex& index : BuffersOf(call.operand(k)->shape())) {
        if (int count = in[{k, index}]; count != 1)
          errors_.Add(&call, "the buffer {} of operand {} must come out once, but comes out {} times", IndexText(index),
                      k, count);
      }
    }
    for (const ShapeIndex& index : BuffersOf(call.shape())) {
      if (int count = out[index]; count != 1)
        errors_.Add(&call, "the buffer {} must have come in once, but has come in {} times", IndexText(index), count);
    }
  }

  // Conservative: a user of a buffer writes it, and a user of a tuple writes all buffers in it.
  void CountWrites(const HloInstruction& writer) {
    std::vector<std::pair<const HloInstruction*, ShapeIndex>> pending;
    for (const HloInstruction* operand : writer.operands()) {
      if (Has(*operand)) pending.emplace_back(operand, ShapeIndex());
    }
    while (!pending.empty() && !errors_.full()) {
      auto [at, index] = std::move(pending.back());
      pending.pop_back();
      if (!FollowBack(at, index)) continue;
      if (at->opcode() != HloOpcode::kTuple) {
        CountWrite(writer, *at, index);
        continue;
      }
      int64_t last = -1;  // they come in order
      for (const ShapeIndex& buffer : BuffersOf(at->shape())) {
        if (buffer[0] == last || buffer[0] >= at->operand_count()) continue;
        last = buffer[0];
        pending.emplace_back(at->operand(last), ShapeIndex());
      }
    }
  }
  // Follows the buffers at `index` of `at` through tuples to their origin. False beyond a limit, so that many writers
  // after a long chain are not quadratic.
  static bool FollowBack(const HloInstruction*& at, ShapeIndex& index) {
    constexpr int kMaxSteps = 64;
    for (int step = 0; step < kMaxSteps; ++step) {
      if (at->opcode() == HloOpcode::kGetTupleElement && at->operand_count() == 1) {
        index.insert(index.begin(), at->tuple_index());
        at = at->operand(0);
      } else if (at->opcode() == HloOpcode::kTuple && !index.empty() && index[0] >= 0 &&
                 index[0] < at->operand_count()) {
        at = at->operand(index[0]);
        index.erase(index.begin());
      } else {
        return true;
      }
    }
    return false;
  }
  void CountWrite(const HloInstruction& writer, const HloInstruction& source, const ShapeIndex& index) {
    // A write may overlap an earlier one in part.
    const HloInstruction* before = nullptr;
    for (ShapeIndex part = index; before == nullptr; part.pop_back()) {
      if (auto it = writer_of_.find({&source, part}); it != writer_of_.end()) before = it->second;
      if (part.empty()) break;
    }
    if (auto it = writer_of_.lower_bound({&source, index}); before == nullptr && it != writer_of_.end()) {
      const auto& [other, at] = it->first;
      if (other == &source && at.size() > index.size() && std::equal(index.begin(), index.end(), at.begin()))
        before = it->second;
    }
    writer_of_.try_emplace({&source, index}, &writer);
    if (before == nullptr || before == &writer) return;
    errors_.Add(&source, "the buffer {} is written more than once: by {} and by {}", IndexText(index), before->name(),
                writer.name());
  }

  const HloModule& module_;
  std::unordered_map<const Shape*, std::vector<ShapeIndex>> buffers_of_;
  std::map<std::pair<const HloInstruction*, ShapeIndex>, const HloInstruction*> writer_of_;
  Errors& errors_;
};

}  // namespace

void VerifyBuffers(const HloModule& module, Errors& errors) { Verifier(module, errors).Run(); }

}  // namespace hloir::verifier
