// Rules of work that runs aside: a start of old (all-gather-start, send, …) has one user, its done; async-start,
// async-update and async-done are chains, each link of which is taken up once. On the way from one to the next there
// may be tuples, barriers and loops. Channels are in channels.cc.
#include <algorithm>
#include <initializer_list>
#include <unordered_map>

#include "internal.h"

#include "support/format.h"
#include "shape_inference/internal.h"

namespace hloir::verification {
namespace {

using Opcodes = std::initializer_list<HloOpcode>;

std::string Names(Opcodes opcodes) {
  std::string text;
  for (HloOpcode opcode : opcodes) text += Format("{}{}", text.empty() ? "" : " or ", OpcodeName(opcode));
  return text;
}
bool IsOneOf(const HloInstruction& i, Opcodes opcodes) {
  return std::find(opcodes.begin(), opcodes.end(), i.opcode()) != opcodes.end();
}
bool Calls(const HloInstruction& i, std::string_view target) {
  return i.opcode() == HloOpcode::kCustomCall && i.attributes<CustomCallAttributes>().custom_call_target == target;
}
bool OnlyOrders(const HloInstruction& i) { return Calls(i, kControlDependencyTarget); }
// Passes on what it takes, whole or in part.
bool PassesOn(const HloInstruction& i) {
  return Calls(i, "Sharding") || IsOneOf(i, {HloOpcode::kTuple, HloOpcode::kGetTupleElement,
                                             HloOpcode::kOptimizationBarrier, HloOpcode::kCopy});
}

// The instruction of `opcodes` that `at` comes from.
struct Source {
  const HloInstruction* instruction = nullptr;
  bool is_known = true;  // false: it comes from outside, or from too far away to look
};
Source SourceOf(const HloInstruction* at, Opcodes opcodes) {
  constexpr int kMaxSteps = 64;  // so that many dones behind one long way don't each walk it
  std::vector<int64_t> index;    // the last is the outermost
  for (int step = 0; step < kMaxSteps; ++step) {
    if (IsOneOf(*at, opcodes)) return {at};
    switch (at->opcode()) {
      case HloOpcode::kGetTupleElement: index.push_back(at->tuple_index()); [[fallthrough]];
      case HloOpcode::kOptimizationBarrier:
      case HloOpcode::kCopy:
      case HloOpcode::kCustomCall:
        if (at->operand_count() != 1 || !PassesOn(*at)) return {};
        at = at->operand(0);
        break;
      case HloOpcode::kTuple:
        if (index.empty() || index.back() < 0 || index.back() >= at->operand_count()) return {};
        at = at->operand(index.back());
        index.pop_back();
        break;
      case HloOpcode::kParameter: {
        const auto callers = at->parent()->callers();
        const bool is_given = callers.size() == 1 && callers[0]->opcode() == HloOpcode::kCall &&
                              at->parameter_number() < callers[0]->operand_count();
        if (!is_given) return {nullptr, callers.empty()};
        at = callers[0]->operand(at->parameter_number());
        break;
      }
      case HloOpcode::kWhile:
      case HloOpcode::kCall:
      case HloOpcode::kConditional:
      case HloOpcode::kDomain: return {nullptr, false};
      default: return {};
    }
  }
  return {nullptr, false};
}

void ExpectOneUser(const HloInstruction& i, Opcodes users, Errors& errors) {
  const HloInstruction* user = nullptr;
  int64_t count = 0;
  for (const HloInstruction* candidate : i.users()) {
    if (!OnlyOrders(*candidate)) user = candidate, ++count;
  }
  if (count != 1) {
    errors.Add(&i, "must have one user, {}, but has {}", Names(users), count);
  } else if (!IsOneOf(*user, users) && !PassesOn(*user)) {
    errors.Add(&i, "must be used by {}, but is used by {}", Names(users), user->opcode_name());
  }
}
void ExpectOperand(const HloInstruction& i, Opcodes starts, Errors& errors) {
  const Source source = SourceOf(i.operand(0), starts);
  if (source.instruction == nullptr && source.is_known)
    errors.Add(&i, "must take {}, but takes {}", Names(starts), i.operand(0)->opcode_name());
}

// A send or receive may be the whole of an async computation, and then has its done outside.
bool IsWrapped(const HloInstruction& i) {
  auto callers = i.parent()->callers();
  return i.IsRoot() && !callers.empty() && callers[0]->opcode() == HloOpcode::kAsyncStart;
}

bool IsLink(const HloInstruction& i) { return IsOneOf(i, {HloOpcode::kAsyncStart, HloOpcode::kAsyncUpdate}); }
bool TakesLink(const HloInstruction& i) { return IsOneOf(i, {HloOpcode::kAsyncUpdate, HloOpcode::kAsyncDone}); }

// True if control flow or a tuple takes `link`, so that its chain may go on elsewhere.
bool VerifyUsersOfLink(const HloInstruction& link, Errors& errors) {
  bool handed_on = link.IsRoot() && !link.parent()->callers().empty();
  for (const HloInstruction* user : link.users()) {
    if (TakesLink(*user) || OnlyOrders(*user)) continue;
    if (PassesOn(*user) ||
        IsOneOf(*user, {HloOpcode::kWhile, HloOpcode::kCall, HloOpcode::kConditional, HloOpcode::kDomain})) {
      handed_on = true;
    } else {
      errors.Add(user, "takes {} {}, which only async-update, async-done, control flow and tuples may",
                 link.opcode_name(), link.name());
    }
  }
  return handed_on;
}

// By now all parameters have been given, and the result is the computation's.
void VerifyDone(const HloInstruction& done, const HloInstruction& last, Errors& errors) {
  const HloInstruction* start = &last;
  while (start != nullptr && start->opcode() == HloOpcode::kAsyncUpdate) {
    if (start->operand_count() == 0) return;
    start = SourceOf(start->operand(0), {HloOpcode::kAsyncStart, HloOpcode::kAsyncUpdate}).instruction;
  }
  if (start == nullptr || start->called_computations().size() != 1 || !last.shape().IsTuple() ||
      last.shape().tuple_size() < 2 || !last.shape().tuple_shapes(0).IsTuple())
    return;
  const HloComputation& body = *start->called_computations()[0];
  const Shape& given = last.shape().tuple_shapes(0);
  bool bound = given.tuple_size() == body.parameter_count();
  for (int64_t i = 0; bound && i < given.tuple_size(); ++i)
    bound = inference::SameBuffer(given.tuple_shapes(i), body.parameter(i)->shape());
  if (!bound) {
    errors.Add(&done, "ends {}, but {} has only been given {}", start->name(), body.name(), Text(given));
  } else if (!inference::SameBuffer(done.shape(), body.root()->shape())) {
    errors.Add(&done, "gives {}, but {} returns {}", Text(done.shape()), body.name(), Text(body.root()->shape()));
  }
}

}  // namespace

void VerifyAsyncPair(const HloInstruction& i, Errors& errors) {
  const AsyncPair* pair = FindAsyncPair(i.opcode());
  if (pair == nullptr || pair->start == HloOpcode::kAsyncStart) return;  // chains of those: VerifyAsyncChains
  // Send and recv: a loop may carry a transfer under way, so that its done takes an element of the loop's state.
  const bool may_be_carried = !pair->HasSynchronousForm();
  if (i.opcode() == pair->done) {
    if (may_be_carried) ExpectOperand(i, {pair->start, HloOpcode::kGetTupleElement}, errors);
    else ExpectOperand(i, {pair->start}, errors);
  } else if (i.opcode() == pair->start) {
    if (!may_be_carried) ExpectOneUser(i, {pair->done}, errors);
    else if (!IsWrapped(i)) ExpectOneUser(i, {pair->done, HloOpcode::kTuple}, errors);
  }
}

void VerifyAsyncChains(const HloModule& module, Errors& errors) {
  std::vector<const HloInstruction*> links;
  std::unordered_map<const HloInstruction*, const HloInstruction*> taker;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      if (IsLink(*i)) links.push_back(i);
      if (!TakesLink(*i) || i->operand_count() == 0 || errors.full()) continue;
      for (int64_t k = 1; k < i->operand_count(); ++k) {
        if (IsLink(*i->operand(k))) errors.Add(i, "takes {} as operand {}, not as its first", i->operand(k)->name(), k);
      }
      const Source source = SourceOf(i->operand(0), {HloOpcode::kAsyncStart, HloOpcode::kAsyncUpdate});
      if (source.instruction == nullptr) {
        if (source.is_known)
          errors.Add(i, "must take async-start or async-update, but takes {}", i->operand(0)->opcode_name());
        continue;
      }
      auto [it, is_first] = taker.emplace(source.instruction, i);
      if (!is_first)
        errors.Add(i, "takes {}, which {} has already taken", source.instruction->name(), it->second->name());
      else if (i->opcode() == HloOpcode::kAsyncDone) VerifyDone(*i, *source.instruction, errors);
    }
  }
  for (const HloInstruction* link : links) {
    const bool handed_on = VerifyUsersOfLink(*link, errors);
    if (!handed_on && !taker.contains(link)) errors.Add(link, "is never done: no async-update or async-done takes it");
  }
}

}  // namespace hloir::verification
