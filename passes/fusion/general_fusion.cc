// general-fusion: joins any two loops that can become one: a producer and its consumer, or siblings that read the same
// value. The fusion pass selects by a cost model; here the caller selects: each pair is one rewrite (`opt --dry-run`,
// and alternatives from Python). Without a selection the pass joins all pairs.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   y = f32[8]{0} parameter(1)
//   sum = f32[8]{0} add(x, y)
//   sine = f32[8]{0} sine(sum)
//   cosine = f32[8]{0} cosine(y)
//   ROOT all = (f32[8]{0}, f32[8]{0}) tuple(sine, cosine)
// }
// AFTER
// HloModule example
//
// fused_computation.1 {
//   param_0 = f32[8]{0} parameter(0)
//   param_1 = f32[8]{0} parameter(1)
//   sum = f32[8]{0} add(param_0, param_1)
//   sine = f32[8]{0} sine(sum)
//   cosine = f32[8]{0} cosine(param_1)
//   ROOT tuple = (f32[8]{0}, f32[8]{0}) tuple(sine, cosine)
// }
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   y = f32[8]{0} parameter(1)
//   fusion.1 = (f32[8]{0}, f32[8]{0}) fusion(x, y), kind=kLoop, calls=fused_computation.1
//   fusion.2 = f32[8]{0} get-tuple-element(fusion.1), index=0
//   cosine.1 = f32[8]{0} get-tuple-element(fusion.1), index=1
//   ROOT all = (f32[8]{0}, f32[8]{0}) tuple(fusion.2, cosine.1)
// }
// END
//
// Pairs whose loops have different index spaces are joined by duplicating the producer, if it has other users and is
// cheap. Leaves alone: the same instructions as fusion; producers that are a dot, a convolution, a reduction or
// similar.
#include <algorithm>
#include <string>
#include <vector>

#include "fusion/build.h"
#include "fusion/pairs.h"
#include "fusion/role.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace fusion {
namespace {

constexpr RuleInfo kProducer = {"fuse-producer", "g(f(A)) => fusion(A)"};
constexpr RuleInfo kSiblings = {"fuse-siblings", "f(A), g(A) => fusion(A)"};
constexpr NumberOption kMaxGeneralInstructions = {"max-instructions", "instructions in one fusion", 256};
constexpr FlagOption kGeneralMultiOutput = {"multi-output", "let one loop have several results", true};
constexpr FlagOption kFusionsOnly = {"fusions-only", "join fusions with fusions, and no single instructions", false};
constexpr FlagOption kDuplicate = {"duplicate", "duplicate cheap producers that have other users", true};

constexpr int kMaxFusionRounds = 256;
constexpr int64_t kMaxUsersOfProducer = 16;
constexpr int64_t kMostRepeated = 16;  // instructions of a producer that is repeated

bool IsLoop(const HloInstruction& i, bool as_producer) {
  const bool plain = !i.HasControlDependencies() && !HasAnnotations(i) && i.shape().IsArray();
  if (!plain && !(i.opcode() == HloOpcode::kFusion && LoopShape(i) != nullptr)) return false;
  if (i.opcode() == HloOpcode::kFusion) {
    const FusionKind kind = i.attributes<FusionAttributes>().kind;
    return kind == FusionKind::kLoop || (kind == FusionKind::kInput && !as_producer);
  }
  const Role role = RoleOf(i);
  return role == Role::kFree || role == Role::kMove || role == Role::kArithmetic ||
         (role == Role::kReduce && !as_producer);
}

bool IsCheap(const HloInstruction& unit) {
  constexpr int kMostWeight = 4;
  const auto cheap = [](const HloInstruction& i) {
    const Role role = RoleOf(i);
    return i.IsParameter() || role == Role::kScalar || role == Role::kFree || role == Role::kMove ||
           (role == Role::kArithmetic && Weight(i) <= kMostWeight);
  };
  if (unit.opcode() != HloOpcode::kFusion) return cheap(unit);
  const HloComputation& body = *unit.fused_computation();
  if (body.instruction_count() > kMostRepeated) return false;
  for (const HloInstruction* i = body.first(); i != nullptr; i = i->next()) {
    if (!cheap(*i)) return false;
  }
  return true;
}

class GeneralFusion : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    if (module.config().is_scheduled) return false;  // instructions between the two would have to move
    bool changed = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      for (int round = 0; round < kMaxFusionRounds && Round(*computation); ++round) changed = true;
    }
    return changed;
  }

 private:
  enum class Way { kNone, kJoin, kRepeat };

  // A join moves the instructions between the two in the order; so, as in multi_output.cc, a round only joins pairs
  // whose ranges do not overlap.
  bool Round(HloComputation& computation) {
    const std::vector<HloInstruction*> order = computation.PostOrder();
    positions_.Set(order);
    bool changed = false;
    int32_t settled = -1;
    std::vector<HloInstruction*> firsts;
    for (size_t at = 0; at < order.size(); ++at) {
      HloInstruction* second = order[at];
      if (static_cast<int32_t>(at) <= settled) continue;
      if ((second->user_count() == 0 && !second->IsRoot()) || !IsLoop(*second, /*as_producer=*/false)) continue;
      FindCandidates(*second, firsts);
      for (HloInstruction* first : firsts) {
        const int32_t place = positions_.Of(first);
        if (place <= settled || place >= static_cast<int32_t>(at)) continue;
        const bool is_producer = Reads(*second, first);
        const RuleInfo& rule = is_producer ? kProducer : kSiblings;
        if (!gate_.Enabled(rule)) continue;
        const Way way = is_producer ? WayToProducer(*first, *second) : WayToSibling(*first, *second);
        if (way == Way::kNone || !gate_.Allow(rule, *second, "", first)) continue;
        gate_.Done(builder_.Join(first, second, way == Way::kRepeat));
        settled = static_cast<int32_t>(at);
        changed = true;
        break;
      }
    }
    return changed;
  }

  // The values that it reads, and other readers of these; each once.
  static void FindCandidates(HloInstruction& second, std::vector<HloInstruction*>& firsts) {
    firsts.clear();
    const auto add = [&](HloInstruction* first) {
      if (first != &second && std::find(firsts.begin(), firsts.end(), first) == firsts.end()) firsts.push_back(first);
    };
    for (HloInstruction* operand : second.operands()) add(UnitOf(operand));
    for (HloInstruction* operand : second.operands()) {
      if (operand->IsConstant() || operand->user_count() > kMaxUsersOfProducer) continue;
      for (HloInstruction* user : operand->users()) add(user);
    }
  }

  static bool Reads(HloInstruction& second, const HloInstruction* first) {
    return std::any_of(second.operands().begin(), second.operands().end(),
                       [&](HloInstruction* operand) { return UnitOf(operand) == first; });
  }
  bool Fit(const HloInstruction& first, const HloInstruction& second) const {
    const bool fusions = first.opcode() == HloOpcode::kFusion && second.opcode() == HloOpcode::kFusion;
    if (options_.Get(kFusionsOnly) && !fusions) return false;
    return SizeOf(first) + SizeOf(second) <= options_.Get(kMaxGeneralInstructions);
  }
  bool MayBeOneLoop(const HloInstruction& first, const HloInstruction& second) const {
    if (!options_.Get(kGeneralMultiOutput)) return false;
    const Shape *a = LoopShape(first), *b = LoopShape(second);
    return a != nullptr && b != nullptr && a->SameDimensions(*b) && !HasPathAround(&first, &second, positions_);
  }

  Way WayToProducer(const HloInstruction& first, const HloInstruction& second) const {
    if (!IsLoop(first, /*as_producer=*/true) || !Fit(first, second)) return Way::kNone;
    if (first.shape().IsArray() && first.user_count() == 1 && !first.IsRoot()) return Way::kJoin;
    if (MayBeOneLoop(first, second)) return Way::kJoin;
    return first.shape().IsArray() && options_.Get(kDuplicate) && IsCheap(first) ? Way::kRepeat : Way::kNone;
  }
  Way WayToSibling(const HloInstruction& first, const HloInstruction& second) const {
    const bool loops = IsLoop(first, /*as_producer=*/false) && Fit(first, second) && !second.shape().IsTuple();
    const bool used = first.user_count() > 0 || first.IsRoot();
    return loops && used && MayBeOneLoop(first, second) ? Way::kJoin : Way::kNone;
  }

  FusionBuilder builder_;
  Positions positions_;
};

}  // namespace
}  // namespace fusion

PassDefinition DefineGeneralFusion() {
  return {MakePassOf<fusion::GeneralFusion>,
          {fusion::kProducer, fusion::kSiblings},
          {fusion::kMaxGeneralInstructions, fusion::kGeneralMultiOutput, fusion::kDuplicate, fusion::kFusionsOnly}};
}

}  // namespace hloir
