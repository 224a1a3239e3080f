// collective-quantizer: collectives communicate the narrower type: a narrowing convert after a collective moves before
// it, a widening one before it moves after it.
//
// BEFORE
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   all = f32[8]{0} all-gather(x), replica_groups={{0,1}}, dimensions={0}
//   narrow = bf16[8]{0} convert(all)
//   y = s8[4]{0} parameter(1)
//   numbers = f32[4]{0} convert(y)
//   scale = f32[] constant(0.25)
//   scales = f32[4]{0} broadcast(scale), dimensions={}
//   scaled = f32[4]{0} multiply(numbers, scales)
//   wide = f32[8]{0} all-gather(scaled), replica_groups={{0,1}}, dimensions={0}
//   ROOT both = (bf16[8]{0}, f32[8]{0}) tuple(narrow, wide)
// }
// AFTER
// HloModule example, replica_count=2
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   narrow = bf16[4]{0} convert(x)
//   all = bf16[8]{0} all-gather(narrow), replica_groups={{0,1}}, dimensions={0}
//   y = s8[4]{0} parameter(1)
//   wide = s8[8]{0} all-gather(y), replica_groups={{0,1}}, dimensions={0}
//   numbers = f32[8]{0} convert(wide)
//   scale = f32[] constant(0.25)
//   scales = f32[8]{0} broadcast(scale), dimensions={}
//   scaled = f32[8]{0} multiply(numbers, scales)
//   ROOT both = (bf16[8]{0}, f32[8]{0}) tuple(all, scaled)
// }
// END
//
// all-gather, all-to-all, collective-permute, collective-broadcast. Widening: convert, optionally followed by a
// multiplication or division by a constant. Narrowing: convert, optionally preceded by such a multiplication or
// division and a clamp to constants. All of these are elementwise, so results do not change; devices that receive
// nothing from a permutation or a broadcast have zeros, so for these ops only converts are moved. Leaves alone: scales
// that are not constants; reshapes in between; values with another user; elements of less than a byte.
#include "collective_util.h"
#include "hloir/match.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kWidenLater = {"widen-later",
                                  "collective(convert(A) * c) => convert(collective(A)) * c, to a wider type"};
constexpr RuleInfo kNarrowFirst = {
    "narrow-first",
    "convert(clamp(c, collective(A) * c, c)) => collective(convert(clamp(c, A * c, c))), to a narrower type"};

namespace m = match;

// A convert and the ops around it: multiply or divide by `scale`, clamp between `low` and `high`.
struct Scaling {
  HloInstruction *convert = nullptr, *binary = nullptr, *clamp = nullptr;
};

bool IsOwn(const HloInstruction& i) {
  return i.user_count() == 1 && !i.IsRoot() && !i.HasControlDependencies() && !HasAnnotations(i);
}

// times(A, constant) or over(A, constant)
bool IsScaled(HloInstruction* i, HloInstruction** a) {
  return Match(i, m::MultiplyAnyOrder(m::Any(a), m::Splat())) || Match(i, m::Divide(m::Any(a), m::Splat()));
}

class CollectiveQuantizer : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      for (HloInstruction* i : computation->PostOrder())
        changed |= i->opcode() == HloOpcode::kConvert ? Narrow(i) : Widen(i);
    }
    return changed;
  }

 private:
  static bool MovesData(const HloInstruction& i) {
    if (IsOneOf(i.opcode(), HloOpcode::kAllGather, HloOpcode::kAllToAll, HloOpcode::kCollectivePermute,
                HloOpcode::kCollectiveBroadcast))
      return i.operand_count() == 1 && IsPlainCollective(i) && i.shape().IsStatic();
    return false;
  }
  static bool MayLeaveZeros(const HloInstruction& i) {
    return i.opcode() == HloOpcode::kCollectivePermute || i.opcode() == HloOpcode::kCollectiveBroadcast;
  }
  static bool IsNarrower(const HloInstruction& a, const HloInstruction& b) {
    const int bits = BitWidth(a.shape().element_type());
    return bits >= 8 && bits < BitWidth(b.shape().element_type());
  }
  // The same operation on another array, as large as `like`, with constants as large as it.
  static HloInstruction* Elementwise(HloInstruction& i, HloInstruction* from, HloInstruction* to, HloInstruction* place,
                                     const Shape& like) {
    const Shape shape = like.WithElementType(i.shape().element_type());
    std::vector<HloInstruction*> operands;
    for (HloInstruction* operand : i.operands()) {
      if (operand != from && operand->opcode() == HloOpcode::kBroadcast) {
        HloInstruction* constant = operand->operand(0);
        const Shape whole = like.WithElementType(constant->shape().element_type());
        operand = place->parent()->AddInstruction(HloOpcode::kBroadcast, whole, {constant}, DimensionsAttributes{});
        place->parent()->MoveBefore(operand, place);
      }
      operands.push_back(operand == from ? to : operand);
    }
    HloInstruction* made = place->parent()->AddClone(i, operands, &shape);
    place->parent()->MoveBefore(made, place);
    return made;
  }
  void Replace(HloInstruction* old, HloInstruction* made, std::initializer_list<HloInstruction*> gone) {
    InheritAnnotations(made, *old);
    old->ReplaceAllUsesWith(made);
    gate_.Done(made);
    for (HloInstruction* i : gone) {
      if (i == nullptr) continue;
      std::vector<HloInstruction*> operands(i->operands().begin(), i->operands().end());
      i->parent()->RemoveInstruction(i);
      for (HloInstruction* operand : operands) {
        if (operand->opcode() == HloOpcode::kBroadcast) RemoveIfDead(operand);
      }
    }
  }

  // collective(convert(A) * c) => convert(collective(A)) * c, to a wider type
  bool Widen(HloInstruction* collective) {
    if (!MovesData(*collective)) return false;
    Scaling s;
    HloInstruction* x = collective->operand(0);
    if (!IsOwn(*x)) return false;
    if (IsScaled(x, &s.convert)) s.binary = x;
    else s.convert = x;
    if (s.convert->opcode() != HloOpcode::kConvert || !IsOwn(*s.convert) ||
        !IsNarrower(*s.convert->operand(0), *s.convert))
      return false;
    if ((s.binary != nullptr && MayLeaveZeros(*collective)) || !Ask(kWidenLater, *collective)) return false;
    HloInstruction* narrow = s.convert->operand(0);
    HloInstruction* made = CollectiveOf(
        *collective, narrow, collective->shape().WithElementType(narrow->shape().element_type()), collective);
    made = Elementwise(*s.convert, narrow, made, collective, collective->shape());
    if (s.binary != nullptr) made = Elementwise(*s.binary, s.convert, made, collective, collective->shape());
    Replace(collective, made, {collective, s.binary, s.convert});
    return true;
  }

  // convert(clamp(c, collective(A) * c, c)) => collective(convert(clamp(c, A * c, c))), to a narrower type
  bool Narrow(HloInstruction* convert) {
    Scaling s;
    HloInstruction *x = convert->operand(0), *collective = x;
    if (convert->HasControlDependencies() || !IsNarrower(*convert, *x)) return false;
    if (Match(x, m::Clamp(m::Splat(), m::Any(&s.binary), m::Splat())) && IsScaled(s.binary, &collective)) s.clamp = x;
    else s.binary = nullptr, collective = x;
    if (!MovesData(*collective) || !IsOwn(*collective) ||
        (s.clamp != nullptr && (!IsOwn(*s.clamp) || !IsOwn(*s.binary) || MayLeaveZeros(*collective))))
      return false;
    if (!Ask(kNarrowFirst, *convert)) return false;
    HloInstruction* a = collective->operand(0);
    HloInstruction* made = a;
    if (s.clamp != nullptr) {
      made = Elementwise(*s.binary, collective, made, convert, a->shape());
      made = Elementwise(*s.clamp, s.binary, made, convert, a->shape());
    }
    made = Elementwise(*convert, x, made, convert, a->shape());
    if (made->has_extras()) made->set_sharding(std::nullopt), made->set_frontend_attributes({});
    made = CollectiveOf(*collective, made, convert->shape(), convert);
    Replace(convert, made, {convert, s.clamp, s.binary, collective});
    return true;
  }
};

}  // namespace

PassDefinition DefineCollectiveQuantizer() { return {MakePassOf<CollectiveQuantizer>, {kNarrowFirst, kWidenLater}}; }

}  // namespace hloir
