// TripCount of hloir/cost.h: the trip count of a while loop, from its condition and body. The loop needs no canonical
// form: an expression over integers of one element is built for the condition and for each element of the state on
// which it depends, through tuples, copies, annotations, calls, fusions, conditionals, asynchronous pairs and other
// loops. An element with a constant step gives the count in closed form; otherwise the expressions are evaluated for
// each iteration, within a limit. Initial values may come from the callers of the loop's computation, if they are equal
// for all callers. Floats and arrays of several elements are not supported.
// Tested by tests/unit/trip_count_test.cc.
#include "analysis/trip_count.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "analysis/integer_expression.h"
#include "hloir/cost.h"
#include "hloir/custom_call.h"
#include "ir/async_chain.h"

namespace hloir {

bool MayLoop(const HloComputation& computation) {
  std::vector<const HloComputation*> all{&computation};
  std::unordered_set<const HloComputation*> seen{&computation};
  for (size_t at = 0; at < all.size(); ++at) {
    for (const HloInstruction* i : all[at]->instructions()) {
      if (i->opcode() == HloOpcode::kWhile) return true;
      for (const HloComputation* called : i->called_computations())
        if (seen.insert(called).second) all.push_back(called);
    }
  }
  return false;
}

std::optional<int64_t> CountRounds(ComparisonDirection direction, __int128 start, __int128 step, __int128 limit) {
  using D = ComparisonDirection;
  __int128 rounds = -1;
  switch (direction) {
    case D::kLe: return CountRounds(D::kLt, start, step, limit + 1);
    case D::kGe: return CountRounds(D::kGt, start, step, limit - 1);
    case D::kLt:
      if (start >= limit) rounds = 0;
      else if (step > 0) rounds = (limit - start + step - 1) / step;
      break;
    case D::kGt:
      if (start <= limit) rounds = 0;
      else if (step < 0) rounds = (start - limit - step - 1) / -step;
      break;
    case D::kNe:
      if (start == limit) rounds = 0;
      else if (step != 0 && (limit - start) % step == 0) rounds = (limit - start) / step;
      break;
    case D::kEq:
      if (start != limit) rounds = 0;
      else if (step != 0) rounds = 1;
      break;
  }
  if (rounds < 0 || rounds > INT32_MAX) return std::nullopt;
  return static_cast<int64_t>(rounds);
}

namespace {

// Limits against hostile modules: instructions visited and expressions built for one loop, nesting, callers, elements
// of the state, and evaluated expressions.
constexpr int kMostVisits = 1 << 16, kMostExpressions = 1 << 12, kMaxResolveDepth = 100;
constexpr size_t kMostCallers = 64, kMostStates = 64;
constexpr int64_t kMostEvaluations = 1 << 18;

// Builds expressions and computes trip counts from them.
class Counter {
 public:
  // A loop in a computation with unknown context (frame 0), or in a frame.
  std::optional<int64_t> Rounds(int frame, const HloInstruction& loop, int depth);
  static constexpr int kAnyCall = 0;

 private:
  // An execution of a computation: the `callee`-th of an instruction in the frame `parent`.
  struct Frame {
    int parent = -1;
    const HloInstruction* caller = nullptr;
    int callee = 0;
  };
  // An instruction's result, or an element of it: indices into tuples, the outermost last.
  struct Place {
    int frame = 0;
    const HloInstruction* instruction = nullptr;
    std::vector<int64_t> path = {};
  };
  // state + offset, or a constant, for every state within [low, high]: outside, an operation wraps around.
  struct Linear {
    bool known = false;
    int state = -1;
    Integer offset = 0, low = 0, high = 0;
  };
  // An element of a loop's state that the condition depends on, with the expressions of its first and next value.
  struct State {
    int expression = -1, first = -1, next = -1;
  };
  static constexpr int kUnknown = -1;

  int Make(const Expression& e) {
    if (expressions_.size() >= kMostExpressions) return kUnknown;
    expressions_.push_back(e);
    return static_cast<int>(expressions_.size()) - 1;
  }
  int MakeConstant(PrimitiveType type, Integer value) {
    Expression e;
    e.kind = Expression::Kind::kConstant, e.type = type, e.value = Wrapped(type, value);
    return Make(e);
  }
  bool IsConstant(int e) const {
    return e != kUnknown && expressions_[static_cast<size_t>(e)].kind == Expression::Kind::kConstant;
  }
  bool IsSame(int a, int b) const {
    return a == b || (IsConstant(a) && IsConstant(b) &&
                      expressions_[static_cast<size_t>(a)].value == expressions_[static_cast<size_t>(b)].value);
  }
  int Enter(int parent, const HloInstruction& caller, int callee) {
    const auto [it, is_new] = frame_of_.try_emplace({parent, &caller, callee}, static_cast<int>(frames_.size()));
    if (is_new) frames_.push_back({parent, &caller, callee});
    return it->second;
  }

  int Resolve(Place at, int depth);
  bool Step(Place& at, int depth, int& result);
  int Operation(const Place& at, int depth);
  int Conditional(const Place& at, int depth);
  int AfterLoop(const Place& at, int depth);
  int Parameter(Place& at, bool& moved, int depth);
  int OfCallers(const Place& at, int depth);
  int StateOf(int frame, const std::vector<int64_t>& path);
  int NextOf(int body, const std::vector<int64_t>& path, int depth);

  void AddStates(int root, int body, std::vector<State>& states, std::set<int>& reached);
  std::optional<int64_t> ClosedForm(int condition, const std::vector<State>& states, const std::set<int>& reached);
  std::optional<int64_t> ByRounds(int condition, const std::vector<State>& states, const std::set<int>& reached);
  Linear LinearOf(const Expression& e, const std::vector<Linear>& of) const;
  std::optional<Integer> ValueOf(const Expression& e, const std::vector<std::optional<Integer>>& of) const;

  int visits_ = 0;
  int64_t evaluations_ = 0;
  std::vector<Expression> expressions_;
  std::vector<Frame> frames_ = {{}};
  std::map<std::tuple<int, const HloInstruction*, int>, int> frame_of_;
  std::map<std::tuple<int, const HloInstruction*, std::vector<int64_t>>, int> made_;
  std::map<int, std::vector<int64_t>> state_path_;  // of a state's expression
  std::map<std::pair<int, std::vector<int64_t>>, int> state_of_;
};

// ---- From instructions to expressions.

int Counter::Resolve(Place at, int depth) {
  if (depth > kMaxResolveDepth) return kUnknown;
  int result = kUnknown;
  while (Step(at, depth, result)) {
  }
  return result;
}

// One step towards the definition of the value. Returns false at the definition, with its expression.
bool Counter::Step(Place& at, int depth, int& result) {
  const HloInstruction& i = *at.instruction;
  if (++visits_ > kMostVisits || (i.shape().IsArray() && !IsFollowed(i.shape()))) return false;
  const auto to_operand = [&](int64_t k) {
    at.instruction = i.operand(k);
    return true;
  };
  const auto into = [&](int callee, const HloInstruction& caller) {
    at.frame = Enter(at.frame, caller, callee);
    at.instruction = caller.called_computations()[static_cast<size_t>(callee)]->root();
    return true;
  };
  const auto pop = [&]() -> int64_t {
    if (at.path.empty()) return -1;
    const int64_t index = at.path.back();
    at.path.pop_back();
    return index;
  };
  switch (i.opcode()) {
    case HloOpcode::kGetTupleElement: at.path.push_back(i.tuple_index()); return to_operand(0);
    case HloOpcode::kTuple: {
      const int64_t index = pop();
      return index >= 0 && index < i.operand_count() && to_operand(index);
    }
    case HloOpcode::kBitcast:
      if (!i.shape().IsArray() || i.operand(0)->shape().element_type() != i.shape().element_type()) return false;
      return to_operand(0);
    case HloOpcode::kCopy:
    case HloOpcode::kReshape:
    case HloOpcode::kBroadcast:
    case HloOpcode::kTranspose:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kAddDependency:
    case HloOpcode::kDomain: return to_operand(0);
    case HloOpcode::kCopyDone: at.path.push_back(0); return to_operand(0);
    case HloOpcode::kCopyStart: return pop() >= 0 && to_operand(0);
    case HloOpcode::kCustomCall: {
      const int64_t forwarded = ForwardedOperands(i);
      if (forwarded == 1 && i.operand(0)->shape().Compatible(i.shape())) return to_operand(0);
      if (forwarded == 0 || at.path.empty()) return false;
      const int64_t index = pop();
      return index >= 0 && index < forwarded && to_operand(index);
    }
    case HloOpcode::kCall:
    case HloOpcode::kFusion: return into(0, i);
    case HloOpcode::kAsyncDone: {
      const HloInstruction* start = AsyncStartOf(i);
      if (start == nullptr) return false;
      at.frame = Enter(at.frame, i, 0);
      at.instruction = start->called_computations()[0]->root();
      return true;
    }
    case HloOpcode::kParameter: {
      bool moved = false;
      result = Parameter(at, moved, depth);
      return moved;
    }
    case HloOpcode::kConditional: result = Conditional(at, depth); return false;
    case HloOpcode::kWhile: result = AfterLoop(at, depth); return false;
    case HloOpcode::kConstant: {
      const Literal* literal = &i.literal();
      for (; !at.path.empty(); at.path.pop_back()) {
        if (static_cast<size_t>(at.path.back()) >= literal->elements().size()) return false;
        literal = &literal->elements()[static_cast<size_t>(at.path.back())];
      }
      if (!literal->shape().IsArray() || !IsFollowed(literal->shape()) || literal->elided()) return false;
      result = MakeConstant(literal->shape().element_type(), literal->GetAsInt64(0));
      return false;
    }
    case HloOpcode::kIota: result = MakeConstant(i.shape().element_type(), 0); return false;
    case HloOpcode::kGetDimensionSize: {
      const Shape& shape = i.operand(0)->shape();
      if (shape.IsArray() && shape.IsStatic() && !i.dimensions().empty())
        result = MakeConstant(i.shape().element_type(), shape.dimensions(i.dimensions()[0]));
      return false;
    }
    default:  // an operation of integer_expression.h, or an unknown one
      if (i.shape().IsArray() && IsOperation(i)) result = Operation(at, depth);
      return false;
  }
}

int Counter::Operation(const Place& at, int depth) {
  const HloInstruction& i = *at.instruction;
  const auto it = made_.find({at.frame, &i, {}});
  if (it != made_.end()) return it->second;
  Expression e;
  e.kind = Expression::Kind::kOperation;
  e.opcode = i.opcode();
  e.type = i.shape().element_type();
  if (i.opcode() == HloOpcode::kCompare) e.direction = i.attributes<CompareAttributes>().direction;
  Integer values[3] = {};
  bool is_constant = true;
  for (int64_t k = 0; k < i.operand_count(); ++k) {
    const int operand = e.operands[k] = Resolve({at.frame, i.operand(k)}, depth + 1);
    is_constant = is_constant && IsConstant(operand);
    if (is_constant) values[k] = expressions_[static_cast<size_t>(operand)].value;
  }
  return made_[{at.frame, &i, {}}] =
             is_constant ? MakeConstant(e.type, *Apply(e, values[0], values[1], values[2])) : Make(e);
}

// The branches' values, chosen by the predicate or index.
int Counter::Conditional(const Place& at, int depth) {
  const HloInstruction& i = *at.instruction;
  const auto it = made_.find({at.frame, &i, at.path});
  if (it != made_.end()) return it->second;
  const int64_t branches = static_cast<int64_t>(i.called_computations().size());
  const int index = Resolve({at.frame, i.operand(0)}, depth + 1);
  int chosen = kUnknown;
  // An index that is out of range takes the last branch; a true predicate takes the first.
  for (int64_t k = branches; k-- > 0;) {
    const HloComputation& branch = *i.called_computations()[static_cast<size_t>(k)];
    const int value = Resolve({Enter(at.frame, i, static_cast<int>(k)), branch.root(), at.path}, depth + 1);
    if (k == branches - 1 || IsSame(value, chosen)) {
      chosen = value;
      continue;
    }
    Expression select, equal;
    equal.kind = select.kind = Expression::Kind::kOperation;
    equal.opcode = HloOpcode::kCompare, equal.type = PrimitiveType::PRED;
    const PrimitiveType index_type = i.operand(0)->shape().element_type();
    equal.operands[0] = index;
    equal.operands[1] = MakeConstant(index_type, i.IsPredConditional() ? 1 : k);
    select.opcode = HloOpcode::kSelect;
    const int type_of = value != kUnknown ? value : chosen;
    if (type_of != kUnknown) select.type = expressions_[static_cast<size_t>(type_of)].type;
    select.operands[0] = Make(equal);
    select.operands[1] = value, select.operands[2] = chosen;
    chosen = Make(select);
  }
  return made_[{at.frame, &i, at.path}] = chosen;
}

int Counter::StateOf(int frame, const std::vector<int64_t>& path) {
  const auto [it, is_new] = state_of_.try_emplace({frame, path}, kUnknown);
  if (is_new) {
    Expression e;
    e.kind = Expression::Kind::kState, e.value = frame;
    it->second = Make(e);
    state_path_[it->second] = path;
  }
  return it->second;
}
int Counter::NextOf(int body, const std::vector<int64_t>& path, int depth) {
  return Resolve({body, frames_[static_cast<size_t>(body)].caller->while_body()->root(), path}, depth + 1);
}

// The result of a loop: its initial value, if the body forwards it, or the initial value plus all steps.
int Counter::AfterLoop(const Place& at, int depth) {
  const HloInstruction& loop = *at.instruction;
  const auto [it, is_new] = made_.try_emplace({at.frame, &loop, at.path}, kUnknown);
  if (!is_new) return it->second;
  const int body = Enter(at.frame, loop, 1);
  const int state = StateOf(body, at.path), next = NextOf(body, at.path, depth);
  const int first = Resolve({at.frame, loop.operand(0), at.path}, depth + 1);
  int result = kUnknown;
  if (next == state) {
    result = first;
  } else if (next != kUnknown && IsConstant(first)) {
    const Expression& e = expressions_[static_cast<size_t>(next)];
    const bool adds = e.kind == Expression::Kind::kOperation && e.opcode == HloOpcode::kAdd;
    const int step = !adds                    ? kUnknown
                     : e.operands[0] == state ? e.operands[1]
                     : e.operands[1] == state ? e.operands[0]
                                              : kUnknown;
    if (IsConstant(step)) {
      const PrimitiveType type = e.type;
      const Integer from = expressions_[static_cast<size_t>(first)].value;
      const Integer by = expressions_[static_cast<size_t>(step)].value;
      if (const std::optional<int64_t> rounds = Rounds(at.frame, loop, depth + 1))
        result = MakeConstant(type, from + by * *rounds);
    }
  }
  return made_[{at.frame, &loop, at.path}] = result;
}

// A parameter is an operand of the caller, to which `at` moves, or an element of a loop's state.
int Counter::Parameter(Place& at, bool& moved, int depth) {
  if (at.frame == kAnyCall) return OfCallers(at, depth);
  const Frame frame = frames_[static_cast<size_t>(at.frame)];
  if (frame.caller->opcode() == HloOpcode::kWhile) return StateOf(Enter(frame.parent, *frame.caller, 1), at.path);
  const int64_t number = at.instruction->parameter_number();
  const HloInstruction* operand = nullptr;
  if (frame.caller->opcode() == HloOpcode::kAsyncDone) {
    const std::vector<const HloInstruction*> operands = AsyncOperands(*frame.caller);
    if (number < static_cast<int64_t>(operands.size())) operand = operands[static_cast<size_t>(number)];
  } else {
    const int64_t k = frame.caller->opcode() == HloOpcode::kConditional ? frame.callee + 1 : number;
    if (k < frame.caller->operand_count()) operand = frame.caller->operand(k);
  }
  if (operand == nullptr) return kUnknown;
  at.frame = frame.parent;
  at.instruction = operand;
  moved = true;
  return kUnknown;
}

// The constant that all callers of the computation pass for its parameter.
int Counter::OfCallers(const Place& at, int depth) {
  const HloComputation& computation = *at.instruction->parent();
  const auto callers = computation.callers();
  if (computation.IsEntry() || callers.empty() || callers.size() > kMostCallers) return kUnknown;
  const auto [it, is_new] = made_.try_emplace({at.frame, at.instruction, at.path}, kUnknown);
  if (!is_new) return it->second;
  int value = kUnknown;
  bool is_first = true;
  for (const HloInstruction* caller : callers) {
    for (size_t k = 0; k < caller->called_computations().size(); ++k) {
      if (caller->called_computations()[k] != &computation) continue;
      int given = kUnknown;
      const int64_t number = at.instruction->parameter_number();
      switch (caller->opcode()) {
        case HloOpcode::kWhile: {
          const int body = Enter(kAnyCall, *caller, 1);
          if (NextOf(body, at.path, depth) == StateOf(body, at.path))
            given = Resolve({kAnyCall, caller->operand(0), at.path}, depth + 1);
          break;
        }
        case HloOpcode::kConditional:
          given = Resolve({kAnyCall, caller->operand(static_cast<int64_t>(k) + 1), at.path}, depth + 1);
          break;
        case HloOpcode::kCall:
        case HloOpcode::kFusion:
        case HloOpcode::kAsyncStart:
          if (number < caller->operand_count())
            given = Resolve({kAnyCall, caller->operand(number), at.path}, depth + 1);
          break;
        default: break;  // unknown
      }
      if (!IsConstant(given) || (!is_first && !IsSame(value, given))) return kUnknown;
      value = given;
      is_first = false;
    }
  }
  return made_[{at.frame, at.instruction, at.path}] = value;
}

// ---- From expressions to a count.

// Adds the subexpressions of `root` to `reached`, and those that are elements of the loop's state to `states`.
void Counter::AddStates(int root, int body, std::vector<State>& states, std::set<int>& reached) {
  std::vector<int> open = {root};
  while (!open.empty()) {
    const int e = open.back();
    open.pop_back();
    if (e == kUnknown || !reached.insert(e).second) continue;
    const Expression& expression = expressions_[static_cast<size_t>(e)];
    if (expression.kind == Expression::Kind::kState && expression.value == body) states.push_back({e, -1, -1});
    for (int operand : expression.operands) open.push_back(operand);
  }
}

std::optional<int64_t> Counter::Rounds(int frame, const HloInstruction& loop, int depth) {
  if (depth > kMaxResolveDepth) return std::nullopt;
  const int body = Enter(frame, loop, 1);
  const int condition = Resolve({Enter(frame, loop, 0), loop.while_condition()->root()}, depth + 1);
  std::vector<State> states;
  std::set<int> reached;
  AddStates(condition, body, states, reached);
  for (size_t k = 0; k < states.size(); ++k) {
    if (states.size() > kMostStates) return std::nullopt;
    const std::vector<int64_t> path = state_path_[states[k].expression];
    const int next = states[k].next = NextOf(body, path, depth);
    states[k].first = Resolve({frame, loop.operand(0), path}, depth + 1);
    AddStates(next, body, states, reached);
  }
  if (condition == kUnknown) return std::nullopt;
  if (const auto rounds = ClosedForm(condition, states, reached)) return rounds;
  return ByRounds(condition, states, reached);
}

Counter::Linear Counter::LinearOf(const Expression& e, const std::vector<Linear>& of) const {
  constexpr Integer kWide = Integer{1} << 100;
  const auto constant = [](Integer value) { return Linear{true, -1, value, -kWide, kWide}; };
  if (e.kind == Expression::Kind::kConstant) return constant(e.value);
  if (e.kind != Expression::Kind::kOperation) return {};
  Linear operands[3];
  bool all_constant = true;
  for (int k = 0; k < GetOpcodeInfo(e.opcode).arity; ++k) {
    if (e.operands[k] != kUnknown) operands[k] = of[static_cast<size_t>(e.operands[k])];
    all_constant = all_constant && operands[k].known && operands[k].state < 0;
  }
  const Linear &a = operands[0], &b = operands[1], &c = operands[2];
  if (all_constant) {
    const std::optional<Integer> value = Apply(e, a.offset, b.offset, c.offset);
    return value ? constant(*value) : Linear{};
  }
  Linear result;
  if (e.opcode == HloOpcode::kConvert && e.type != PrimitiveType::PRED) {
    result = a;
  } else if (e.opcode == HloOpcode::kAdd && a.known && b.known && (a.state < 0 || b.state < 0)) {
    result = a.state >= 0 ? a : b;
    result.offset = a.offset + b.offset;
  } else if (e.opcode == HloOpcode::kSubtract && a.known && b.known && b.state < 0) {
    result = a;
    result.offset = a.offset - b.offset;
  }
  if (!result.known) return {};
  result.low = std::max(result.low, Lowest(e.type) - result.offset);
  result.high = std::min(result.high, Highest(e.type) - result.offset);
  return result;
}

// A comparison of state + offset with a constant, where the body adds a constant.
std::optional<int64_t> Counter::ClosedForm(int condition, const std::vector<State>& states,
                                           const std::set<int>& reached) {
  const Expression& compare = expressions_[static_cast<size_t>(condition)];
  std::vector<Linear> linear(expressions_.size());
  for (int e : reached) {
    const Expression& expression = expressions_[static_cast<size_t>(e)];
    Linear& mine = linear[static_cast<size_t>(e)];
    if (expression.kind != Expression::Kind::kState) {
      mine = LinearOf(expression, linear);
      continue;
    }
    for (size_t k = 0; k < states.size(); ++k) {
      const State& state = states[k];
      if (state.expression != e) continue;
      if (state.next != e) mine = {true, static_cast<int>(k), 0, -(Integer{1} << 100), Integer{1} << 100};
      else if (IsConstant(state.first)) mine = LinearOf(expressions_[static_cast<size_t>(state.first)], linear);
    }
  }
  const Linear& whole = linear[static_cast<size_t>(condition)];
  if (whole.known && whole.state < 0 && whole.offset == 0) return 0;
  if (compare.kind != Expression::Kind::kOperation || compare.opcode != HloOpcode::kCompare) return std::nullopt;
  for (int side = 0; side < 2; ++side) {
    const int counter_at = compare.operands[side], limit_at = compare.operands[1 - side];
    if (counter_at == kUnknown || limit_at == kUnknown) continue;
    const Linear &counter = linear[static_cast<size_t>(counter_at)], &limit = linear[static_cast<size_t>(limit_at)];
    if (!counter.known || counter.state < 0 || !limit.known || limit.state >= 0) continue;
    const State& state = states[static_cast<size_t>(counter.state)];
    if (!IsConstant(state.first) || state.next == kUnknown) continue;
    const Linear& next = linear[static_cast<size_t>(state.next)];
    if (!next.known || next.state != counter.state) continue;
    const Integer start = expressions_[static_cast<size_t>(state.first)].value;
    const std::optional<int64_t> rounds = CountRounds(side == 0 ? compare.direction : Flipped(compare.direction),
                                                      start + counter.offset, next.offset, limit.offset);
    if (!rounds) continue;
    // No operation may wrap around: in the condition up to and including the final value, in the body before it.
    const Integer end = start + *rounds * next.offset, last = *rounds > 0 ? end - next.offset : start;
    const auto [low, high] = std::minmax(start, end);
    const auto [next_low, next_high] = std::minmax(start, last);
    if (low < counter.low || high > counter.high) continue;
    if (*rounds > 0 && (next_low < next.low || next_high > next.high)) continue;
    return rounds;
  }
  return std::nullopt;
}

std::optional<Integer> Counter::ValueOf(const Expression& e, const std::vector<std::optional<Integer>>& of) const {
  if (e.kind == Expression::Kind::kConstant) return e.value;
  if (e.kind != Expression::Kind::kOperation) return std::nullopt;
  std::optional<Integer> operands[3];
  for (int k = 0; k < 3; ++k)
    if (e.operands[k] != kUnknown) operands[k] = of[static_cast<size_t>(e.operands[k])];
  if (e.opcode == HloOpcode::kSelect)
    return !operands[0] ? std::nullopt : *operands[0] != 0 ? operands[1] : operands[2];
  for (int k = 0; k < GetOpcodeInfo(e.opcode).arity; ++k)
    if (!operands[k]) return std::nullopt;
  return Apply(e, *operands[0], operands[1].value_or(0), operands[2].value_or(0));
}

// By evaluating iterations on the elements of the state on which the condition depends.
std::optional<int64_t> Counter::ByRounds(int condition, const std::vector<State>& states,
                                         const std::set<int>& reached) {
  std::vector<std::optional<Integer>> values(expressions_.size()), next(states.size());
  for (size_t k = 0; k < states.size(); ++k) {
    if (!IsConstant(states[k].first)) continue;
    values[static_cast<size_t>(states[k].expression)] = expressions_[static_cast<size_t>(states[k].first)].value;
  }
  for (int64_t rounds = 0; evaluations_ < kMostEvaluations; ++rounds) {
    evaluations_ += static_cast<int64_t>(reached.size());
    for (int e : reached) {
      const Expression& expression = expressions_[static_cast<size_t>(e)];
      if (expression.kind != Expression::Kind::kState) values[static_cast<size_t>(e)] = ValueOf(expression, values);
    }
    const std::optional<Integer>& goes_on = values[static_cast<size_t>(condition)];
    if (!goes_on) return std::nullopt;
    if (*goes_on == 0) return rounds;
    for (size_t k = 0; k < states.size(); ++k)
      next[k] = states[k].next == kUnknown ? std::nullopt : values[static_cast<size_t>(states[k].next)];
    bool same = true;
    for (size_t k = 0; k < states.size(); ++k) {
      std::optional<Integer>& value = values[static_cast<size_t>(states[k].expression)];
      same = same && value == next[k];
      value = next[k];
    }
    if (same) return std::nullopt;  // for ever
  }
  return std::nullopt;
}

// XLA's backend_config {"known_trip_count":{"n":"5"}, …}.
std::optional<int64_t> NotedTripCount(std::string_view config) {
  const auto skip_past = [&config](std::string_view word) {
    const size_t at = config.find(word);
    if (at == std::string_view::npos) return false;
    config.remove_prefix(at + word.size());
    return true;
  };
  if (!skip_past("\"known_trip_count\"") || !skip_past("\"n\"") || !skip_past("\"")) return std::nullopt;
  int64_t trips = 0;
  size_t digits = 0;
  for (; digits < config.size() && config[digits] >= '0' && config[digits] <= '9'; ++digits) {
    if (trips > (INT64_MAX - 9) / 10) return std::nullopt;
    trips = trips * 10 + (config[digits] - '0');
  }
  if (digits == 0) return std::nullopt;
  return trips;
}

}  // namespace

std::optional<int64_t> TripCount(const HloInstruction& loop) {
  if (loop.opcode() == HloOpcode::kWhile) {
    Counter counter;
    if (const std::optional<int64_t> rounds = counter.Rounds(Counter::kAnyCall, loop, 0)) return rounds;
  }
  return NotedTripCount(loop.extras().backend_config);
}

}  // namespace hloir
