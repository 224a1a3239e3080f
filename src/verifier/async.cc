// Rules of asynchronous ops: a dedicated start (all-gather-start, send, …) has one user, its done; async-start,
// async-update and async-done are chains, in which each link is continued exactly once, possibly through tuples,
// barriers and loops. Channels are in channels.cc.
#include <algorithm>
#include <initializer_list>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "hloir/custom_call.h"
#include "internal.h"

#include "support/format.h"
#include "shape_inference/internal.h"

namespace hloir::verifier {
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
bool OnlyOrders(const HloInstruction& i) { return IsCustomCall(i, CustomCall::kControlDep); }
// True for ops that forward operands, as a whole or in part.
bool PassesOn(const HloInstruction& i) {
  return IsCustomCall(i, CustomCall::kSharding) || IsOneOf(i, {HloOpcode::kTuple, HloOpcode::kGetTupleElement,
                                                               HloOpcode::kOptimizationBarrier, HloOpcode::kCopy});
}

// One step back from a value, the element `index` (the outermost last) of the result of `at`, to the value that it
// forwards.
bool StepBack(const HloInstruction*& at, std::vector<int64_t>& index) {
  if (at->opcode() == HloOpcode::kTuple) {
    if (index.empty() || index.back() < 0 || index.back() >= at->operand_count()) return false;
    at = at->operand(index.back());
    index.pop_back();
    return true;
  }
  if (!PassesOn(*at) || at->operand_count() != 1) return false;
  if (at->opcode() == HloOpcode::kGetTupleElement) index.push_back(at->tuple_index());
  at = at->operand(0);
  return true;
}
constexpr int kMaxSteps = 64;  // limit of the walk, so that many dones after a long chain are not quadratic

// The instruction with one of `opcodes` from which `at` is forwarded.
struct Source {
  const HloInstruction* instruction = nullptr;
  bool is_known = true;  // false: from outside, or beyond the limit of the walk
};
Source SourceOf(const HloInstruction* at, Opcodes opcodes) {
  std::vector<int64_t> index;
  for (int step = 0; step < kMaxSteps; ++step) {
    if (IsOneOf(*at, opcodes)) return {at};
    if (StepBack(at, index)) continue;
    switch (at->opcode()) {
      case HloOpcode::kParameter: {
        const auto callers = at->parent()->callers();
        const bool is_given = callers.size() == 1 && callers[0]->opcode() == HloOpcode::kCall &&
                              at->parameter_number() < callers[0]->operand_count();
        if (!is_given) return {nullptr, at->parent()->IsEntry()};
        at = callers[0]->operand(at->parameter_number());
        break;
      }
      case HloOpcode::kWhile:
      case HloOpcode::kCall:
      case HloOpcode::kConditional:
      case HloOpcode::kDomain: return {nullptr, false};
      default: return {};  // computes a value: nothing is under way
    }
  }
  return {nullptr, false};
}

// A value: the element `index` (the outermost last) of the result of `at`, with the entered calls.
struct Value {
  const HloInstruction* at;
  std::vector<int64_t> index;
  std::vector<std::pair<const HloInstruction*, size_t>> calls;  // and which of their computations
};
int64_t OperandFor(const HloInstruction& caller, size_t called, int64_t parameter) {
  if (caller.opcode() == HloOpcode::kCall) return parameter;
  return caller.opcode() == HloOpcode::kConditional ? static_cast<int64_t>(called) + 1 : 0;
}

// True if one of `takers` uses a value, through tuples and calls, in every branch and every caller that receives it.
// Assumed if the search cannot follow it (a loop, or thousands of uses).
class Takers {
 public:
  explicit Takers(Opcodes takers) : takers_(takers) {}

  bool Take(const Value& value) {
    const auto& [at, index, calls] = value;
    if (++steps_ > kMaxSteps) return true;
    for (const HloInstruction* user : at->users()) {
      if (++looks_ > kMaxLooks || TakeAt(*user, value)) return true;
    }
    if (!at->IsRoot()) return false;
    if (!calls.empty()) return Take({calls.back().first, index, {calls.begin(), calls.end() - 1}});
    const auto callers = at->parent()->callers();
    if (callers.empty()) return !at->parent()->IsEntry();
    return std::all_of(callers.begin(), callers.end(), [&](const HloInstruction* caller) {
      return !Follows(*caller) || Take({caller, value.index, {}});
    });
  }
  // As `user` has it.
  bool TakeAt(const HloInstruction& user, const Value& value) {
    if (IsOneOf(user, takers_)) return true;
    if (OnlyOrders(user)) return false;
    if (Follows(user)) return TakeIn(user, value);
    if (!PassesOn(user)) return true;
    const bool reads = user.opcode() == HloOpcode::kGetTupleElement;
    if (reads && !value.index.empty() && value.index.back() != user.tuple_index()) return false;
    Value passed = value;
    passed.at = &user;
    if (reads) {
      if (value.index.empty()) return true;
      passed.index.pop_back();
      return Take(passed);
    }
    if (user.opcode() != HloOpcode::kTuple) return Take(passed);
    if ((looks_ += user.operand_count()) > kMaxLooks) return true;
    passed.index.emplace_back();
    for (int64_t k = 0; k < user.operand_count(); ++k) {
      passed.index.back() = k;
      if (user.operand(k) == value.at && Take(passed)) return true;
    }
    return false;
  }

 private:
  static bool Follows(const HloInstruction& caller) {
    return IsOneOf(caller, {HloOpcode::kCall, HloOpcode::kConditional});
  }
  bool TakeIn(const HloInstruction& caller, const Value& value) {
    const auto called = caller.called_computations();
    for (size_t k = 0; k < called.size(); ++k) {
      bool is_given = false, is_taken = false;
      for (int64_t p = 0; p < called[k]->parameter_count(); ++p) {
        const int64_t operand = OperandFor(caller, k, p);
        if (operand >= caller.operand_count() || caller.operand(operand) != value.at) continue;
        is_given = true;
        Value inside{called[k]->parameter(p), value.index, value.calls};
        inside.calls.emplace_back(&caller, k);
        is_taken = is_taken || Take(inside);
      }
      if (is_given && !is_taken) return false;
    }
    return true;
  }

  static constexpr int64_t kMaxLooks = 4096;  // limit of the search, so that many values in one tuple are not quadratic

  Opcodes takers_;
  int steps_ = 0;
  int64_t looks_ = 0;
};

// Elements of an unfinished operation must not be read.
bool ReadsPart(const HloInstruction& user, const HloInstruction& start, Errors& errors) {
  if (user.opcode() != HloOpcode::kGetTupleElement) return false;
  errors.Add(&user, "takes a part of {} {}, which is not done", start.opcode_name(), start.name());
  return true;
}

void ExpectOneUser(const HloInstruction& i, Opcodes users, Errors& errors) {
  const HloInstruction* user = nullptr;
  int64_t count = 0;
  for (const HloInstruction* candidate : i.users()) {
    if (ReadsPart(*candidate, i, errors)) return;
    if (OnlyOrders(*candidate) || (PassesOn(*candidate) && !Takers(users).TakeAt(*candidate, {&i, {}, {}}))) continue;
    user = candidate, ++count;
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

// A send or receive may be the wrapped op of an async computation; then its done is outside.
bool IsWrapped(const HloInstruction& i) {
  auto callers = i.parent()->callers();
  return i.IsRoot() && !callers.empty() && callers[0]->opcode() == HloOpcode::kAsyncStart;
}

bool IsLink(const HloInstruction& i) { return IsOneOf(i, {HloOpcode::kAsyncStart, HloOpcode::kAsyncUpdate}); }
bool TakesLink(const HloInstruction& i) { return IsOneOf(i, {HloOpcode::kAsyncUpdate, HloOpcode::kAsyncDone}); }

void VerifyUsersOfLink(const HloInstruction& link, bool is_taken, Errors& errors) {
  for (const HloInstruction* user : link.users()) {
    if (ReadsPart(*user, link, errors)) return;
    if (!TakesLink(*user) && !OnlyOrders(*user) && !PassesOn(*user) &&
        !IsOneOf(*user, {HloOpcode::kWhile, HloOpcode::kCall, HloOpcode::kConditional, HloOpcode::kDomain}))
      errors.Add(user, "takes {} {}, which only async-update, async-done, control flow and tuples may",
                 link.opcode_name(), link.name());
  }
  if (!is_taken && !Takers({HloOpcode::kAsyncUpdate, HloOpcode::kAsyncDone}).Take({&link, {}, {}}))
    errors.Add(&link, "is never done: no async-update or async-done takes it");
}

// Each link is continued once on every path through the program: by an instruction, or in a computation called by a
// call, a loop or a conditional, whose branches are separate paths. Callees first, with the links among their
// parameters that they continue.
class TakenOnce {
 public:
  explicit TakenOnce(Errors& errors) : errors_(errors) {}

  void Verify(const HloComputation& computation) {
    taker_.clear();
    for (const HloInstruction* i = computation.first(); i != nullptr; i = i->next()) {
      if (TakesLink(*i) && i->operand_count() > 0) Take(*i, {i->operand(0), {}, {}});
      if (i->opcode() != HloOpcode::kCall && i->opcode() != HloOpcode::kConditional && i->opcode() != HloOpcode::kWhile)
        continue;
      const auto called = i->called_computations();
      for (size_t k = 0; k < called.size(); ++k) {
        const auto found = of_parameters_.find(called[k]);
        if (found == of_parameters_.end()) continue;
        for (const auto& [parameter, index] : found->second) {
          const int64_t operand = OperandFor(*i, k, parameter);
          if (operand < i->operand_count()) Take(*i, {i->operand(operand), index, {}});
        }
      }
    }
  }

 private:
  using Index = std::vector<int64_t>;

  void Take(const HloInstruction& taker, Value value) {
    int steps = 0;
    std::vector<Value> ways{std::move(value)};
    while (!ways.empty()) {
      Value way = std::move(ways.back());
      ways.pop_back();
      auto& [at, index, calls] = way;
      if (IsLink(*at) || (at->IsParameter() && calls.empty())) {
        // Each call that returns a start defines another link.
        if (calls.empty()) Claim(taker, *at, index);
        continue;
      }
      if (++steps > kMaxSteps) return;
      if (at->IsParameter()) {
        const auto [caller, called] = calls.back();
        calls.pop_back();
        const int64_t operand = OperandFor(*caller, called, at->parameter_number());
        if (operand >= caller->operand_count()) return;
        at = caller->operand(operand);
        ways.push_back(std::move(way));
      } else if (at->opcode() == HloOpcode::kCall || at->opcode() == HloOpcode::kConditional) {
        // The results of its computations, which are separate paths.
        const auto called = at->called_computations();
        for (size_t k = 0; k < called.size(); ++k) {
          ways.push_back({called[k]->root(), index, calls});
          ways.back().calls.emplace_back(at, k);
        }
      } else if (StepBack(at, index)) {
        ways.push_back(std::move(way));
      }
    }
  }
  void Claim(const HloInstruction& taker, const HloInstruction& at, const Index& index) {
    const auto [found, is_first] = taker_.try_emplace({&at, index}, &taker);
    if (is_first && at.IsParameter()) of_parameters_[at.parent()].push_back({at.parameter_number(), index});
    const HloInstruction* other = std::exchange(found->second, &taker);
    if (other != &taker) errors_.Add(&taker, "takes {}, which {} has already taken", at.name(), other->name());
  }

  Errors& errors_;
  std::map<std::pair<const HloInstruction*, Index>, const HloInstruction*> taker_;
  std::unordered_map<const HloComputation*, std::vector<std::pair<int64_t, Index>>> of_parameters_;
};

// True if the result `now` may become `after`: elements of a tuple are bound one after another.
bool MayBecome(const Shape& now, const Shape& after) {
  if (shape_inference::SameBuffer(now, after)) return true;
  if (!now.IsTuple()) return false;
  if (now.tuple_size() == 0) return true;
  if (!after.IsTuple() || now.tuple_size() > after.tuple_size()) return false;
  for (int64_t k = 0; k < now.tuple_size(); ++k) {
    if (!shape_inference::SameBuffer(now.tuple_shapes(k), after.tuple_shapes(k))) return false;
  }
  return true;
}

// An update adds operands, which shape inference checks, and results; everything else is unchanged.
void VerifyUpdate(const HloInstruction& update, Errors& errors) {
  const Shape &before = update.operand(0)->shape(), &after = update.shape();
  bool same = before.IsTuple() && after.IsTuple() && before.tuple_size() == after.tuple_size();
  for (int64_t k = 1; same && k < after.tuple_size(); ++k) {
    const Shape &now = before.tuple_shapes(k), &then = after.tuple_shapes(k);
    same = k == 1 ? MayBecome(now, then) : shape_inference::SameBuffer(now, then);
  }
  if (!same) errors.Add(&update, "is {}, but takes {}", Text(after), Text(before));
}

// At the done all parameters are bound, and the result is the computation's.
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
    bound = shape_inference::SameBuffer(given.tuple_shapes(i), body.parameter(i)->shape());
  if (!bound) {
    errors.Add(&done, "ends {}, but {} has only been given {}", start->name(), body.name(), Text(given));
  } else if (!shape_inference::SameBuffer(done.shape(), body.root()->shape())) {
    errors.Add(&done, "gives {}, but {} returns {}", Text(done.shape()), body.name(), Text(body.root()->shape()));
  }
}

}  // namespace

void VerifyAsyncPair(const HloInstruction& i, Errors& errors) {
  const AsyncPair* pair = FindAsyncPair(i.opcode());
  if (pair == nullptr || pair->start == HloOpcode::kAsyncStart) return;  // chains of those: VerifyAsyncChains
  // Send and recv: a loop may carry an unfinished transfer, so the operand of its done may be an element of the loop's
  // state.
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
  std::unordered_set<const HloInstruction*> taken;
  bool any_takes = false;
  for (const HloInstruction* i : module.AllInstructions()) {
    if (IsLink(*i)) links.push_back(i);
    if (!TakesLink(*i) || i->operand_count() == 0 || errors.full()) continue;
    any_takes = true;
    for (int64_t k = 1; k < i->operand_count(); ++k) {
      if (IsLink(*i->operand(k))) errors.Add(i, "takes {} as operand {}, not as its first", i->operand(k)->name(), k);
    }
    const Source source = SourceOf(i->operand(0), {HloOpcode::kAsyncStart, HloOpcode::kAsyncUpdate});
    if (source.instruction == nullptr) {
      if (source.is_known)
        errors.Add(i, "must take async-start or async-update, but takes {}", i->operand(0)->opcode_name());
      continue;
    }
    taken.insert(source.instruction);
    if (i->opcode() == HloOpcode::kAsyncUpdate) VerifyUpdate(*i, errors);
    if (i->opcode() == HloOpcode::kAsyncDone) VerifyDone(*i, *source.instruction, errors);
  }
  for (const HloInstruction* link : links) VerifyUsersOfLink(*link, taken.contains(link), errors);
  if (!any_takes) return;
  TakenOnce taken_once(errors);
  for (const HloComputation* computation : module.PostOrder()) taken_once.Verify(*computation);
}

}  // namespace hloir::verifier
