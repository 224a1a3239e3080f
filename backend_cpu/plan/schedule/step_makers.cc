// See step_makers.h. Tests: tests/unit/executable_reference_steps_test.cc for the reasons, tests/ops for the steps.
#include "plan/schedule/step_makers.h"

#include "plan/steps/element_steps.h"
#include "plan/steps/fft.h"
#include "plan/steps/linear_algebra.h"
#include "plan/steps/movement.h"
#include "plan/steps/narrow_sum.h"
#include "plan/steps/random_bits.h"
#include "plan/steps/sort.h"
#include "plan/steps/windows.h"

namespace hloir::cpu {
namespace {

using Request = StepRequest&;

constexpr uint32_t kInOrder = 0, kFirst = 1, kSecond = 2, kAll = ~0u, kAllButFirst = ~1u;
constexpr bool kInPlace = true, kElsewhere = false;
constexpr size_t kAnyNumber = ~size_t{0};
constexpr char kNotArithmetic[] = "its computation is not arithmetic on scalars alone";

constexpr StepMaker kMakers[] = {
    {HloOpcode::kPad, kFirst, kElsewhere, 1, [](Request r) { return MakePad(r.instruction, r.views[0]); }, ""},
    {HloOpcode::kDynamicSlice, kFirst, kElsewhere, 1,
     [](Request r) { return MakeDynamicSlice(r.instruction, r.views[0]); }, "its start indices are a vector"},
    {HloOpcode::kDynamicUpdateSlice, kSecond, kInPlace, 1,
     [](Request r) { return MakeDynamicUpdateSlice(r.instruction, r.views[0]); }, "its start indices are a vector"},
    {HloOpcode::kGather, kAll, kElsewhere, 1,
     [](Request r) { return MakeGather(r.instruction, r.views[0], r.views[1], r.result); },
     "its slices are empty, or its batch dimensions do not fit"},
    {HloOpcode::kScatter, kAllButFirst, kInPlace, 1,
     [](Request r) {
       return r.views.size() == 2 ? MakeScatter(r.instruction, r.views[0], r.views[1], r.kernels) : nullptr;
     },
     kNotArithmetic},
    {HloOpcode::kScatter, kInOrder, kInPlace, kAnyNumber, [](Request r) { return MakeElementScatter(r.instruction); },
     kNotArithmetic},
    {HloOpcode::kReduce, kInOrder, kElsewhere, 1, [](Request r) { return MakeNarrowSum(r.instruction); }, ""},
    {HloOpcode::kReduce, kInOrder, kElsewhere, kAnyNumber,
     [](Request r) { return MakeElementReduce(r.instruction, r.threads); }, kNotArithmetic},
    {HloOpcode::kReduceWindow, kInOrder, kElsewhere, 1,
     [](Request r) { return MakeReduceWindow(r.instruction, r.kernels, r.order); }, ""},
    {HloOpcode::kReduceWindow, kInOrder, kElsewhere, kAnyNumber,
     [](Request r) { return MakeElementReduceWindow(r.instruction, r.threads); },
     "its computation is not arithmetic on scalars alone, or its windows are too large"},
    {HloOpcode::kSelectAndScatter, kInOrder, kElsewhere, 1,
     [](Request r) { return MakeSelectAndScatter(r.instruction); },
     "it does not compare and add numbers of one type that has a kernel"},
    {HloOpcode::kSort, kInOrder, kElsewhere, kAnyNumber,
     [](Request r) { return MakeSort(r.instruction, r.threads, &r.scratch); },
     "its comparator does not compare elements by keys"},
    {HloOpcode::kTopK, kInOrder, kElsewhere, kAnyNumber,
     [](Request r) { return MakeTopK(r.instruction, r.threads, &r.scratch); }, "no kernel takes its types or sizes"},
    {HloOpcode::kFft, kInOrder, kElsewhere, 1, [](Request r) { return MakeFft(r.instruction, r.threads, &r.scratch); },
     "no kernel takes its types or lengths"},
    {HloOpcode::kCholesky, kInOrder, kElsewhere, 1, [](Request r) { return MakeCholesky(r.instruction, &r.scratch); },
     "no kernel takes its element type"},
    {HloOpcode::kTriangularSolve, kInOrder, kElsewhere, 1,
     [](Request r) { return MakeTriangularSolve(r.instruction, &r.scratch); }, "no kernel takes its element type"},
    {HloOpcode::kRngBitGenerator, kInOrder, kElsewhere, kAnyNumber,
     [](Request r) { return MakeRngBitGenerator(r.instruction); }, "no kernel takes its state or element type"},
};

// steps.def must list exactly the opcodes that have a maker: nodes of other opcodes never reach one.
constexpr bool IsListed(HloOpcode opcode) {
  switch (opcode) {
#define HLOIR_STEP(name) case HloOpcode::k##name:
#include "plan/capability/steps.def"
    return true;
    default: return false;  // not in steps.def
  }
}
static_assert(
    [] {
      for (int opcode = 0; opcode < kOpcodeCount; ++opcode) {
        bool has_maker = false;
        for (const StepMaker& maker : kMakers) has_maker |= static_cast<int>(maker.opcode) == opcode;
        if (has_maker != IsListed(static_cast<HloOpcode>(opcode))) return false;
      }
      return true;
    }(),
    "plan/capability/steps.def and kMakers name different opcodes");

}  // namespace

std::vector<const StepMaker*> StepMakersOf(HloOpcode opcode) {
  std::vector<const StepMaker*> makers;
  for (const StepMaker& maker : kMakers)
    if (maker.opcode == opcode) makers.push_back(&maker);
  return makers;
}

}  // namespace hloir::cpu
