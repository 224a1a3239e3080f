// Loops and branches. A loop is identified by its condition and its body over equivalence classes of carried values:
// values that start equal and that the body computes alike from classes form one class. The order, the number and the
// copies of carried values therefore do not matter. See build.h.
#include <algorithm>
#include <cstdlib>
#include <set>

#include "equivalence/build.h"
#include "support/format.h"

namespace hloir::equivalence::inside {
namespace {

constexpr int64_t kMostWritten = 2000;  // instructions, in all unrolled iterations
constexpr int kMostRounds = 24;
constexpr int64_t kTurnsOf = -1;  // in place of a class: the number of iterations

}  // namespace

std::vector<VarId> Builder::AxesOf(const Value& value) const {
  std::vector<VarId> axes;
  if (!shared_.devices) return axes;
  for (VarId v : Captured(value)) {
    if (shared_.devices->IsAxis(v)) axes.push_back(v);
  }
  return axes;
}

bool Builder::SameForAll(const HloInstruction& i, ExprId decides) {
  if (!shared_.devices || AxesOf({decides}).empty()) return true;
  for (const HloComputation* called : i.called_computations()) {
    if (!shared_.devices->Communicates(*called)) continue;
    why_ = "collectives run on only some devices";
    return false;
  }
  return true;
}

Value Builder::Conditional(const HloInstruction& i, const std::vector<const Value*>& operands, Inside in) {
  const ExprId which = operands[0]->front();
  const size_t count = i.called_computations().size();
  if (!SameForAll(i, which)) return {};
  std::vector<Value> branches;
  std::vector<int32_t> roots;
  for (size_t k = 0; k < count; ++k) {
    int32_t root = -1;
    branches.push_back(Evaluate(*i.called_computation(static_cast<int64_t>(k)), {*operands[k + 1]}, in, {-1}, &root));
    if (!why_.empty()) return {};
    if (root >= 0) roots.push_back(root);
  }
  branch_roots_ = std::move(roots);
  Value result = branches.back();
  if (x_.TypeOf(which) == PrimitiveType::PRED) {
    for (size_t k = 0; k < result.size(); ++k) result[k] = x_.If(which, branches[0][k], branches[1][k]);
    return result;
  }
  for (size_t b = 0; b + 1 < count; ++b) {
    const ExprId taken = x_.Compare(static_cast<int>(ComparisonDirection::kEq), which,
                                    x_.Integer(static_cast<int64_t>(b), x_.TypeOf(which)));
    for (size_t k = 0; k < result.size(); ++k) result[k] = x_.If(taken, branches[b][k], result[k]);
  }
  return result;
}

// Collects the leaves that a value reads, through named values. Returns whether a loop is among them, which may read
// anything.
bool Builder::Reached(ExprId from, std::set<int64_t>& leaves) {
  bool nested = false;
  std::set<ExprId> seen;
  std::vector<ExprId> work{from};
  while (!work.empty()) {
    const ExprId e = work.back();
    work.pop_back();
    if (!seen.insert(e).second) continue;
    const Expr& expr = x_.At(e);
    if (expr.kind == Expr::Kind::kLeaf && leaves.insert(expr.tag).second) {
      const Leaf& leaf = x_.LeafAt(expr.tag);
      if (leaf.value >= 0) work.push_back(leaf.value);
      // The key of an opaque operation holds its operands.
      for (size_t at = 1; at < leaf.key.size(); ++at) {
        if (leaf.key[0] == -5 && (leaf.key[at - 1] == -7 || leaf.key[at - 1] == -8))
          work.push_back(static_cast<ExprId>(leaf.key[at]));
      }
    }
    x_.PushOperands(expr, work);
    if (x_.Spent()) {
      if (x_.refusal() != nullptr) why_ = Format("{} in a loop", x_.refusal());
      else OutOfBudget("out of budget in a loop");
      return {};
    }
  }
  for (int64_t leaf : leaves) nested = nested || x_.LeafAt(leaf).key[0] == -16;
  return nested;
}

// The trip count of a loop whose condition bounds a counter; 0 if unknown.
int64_t Builder::Turns(const Value& init, const Value& carried, const Value& next, ExprId condition) {
  bool negated = false;
  if (const Expr& x = x_.At(condition); x.kind == Expr::Kind::kFunction && x.op == HloOpcode::kNot) {
    negated = true;
    condition = x.args[0];
  }
  const Expr& x = x_.At(condition);
  if (x.kind != Expr::Kind::kFunction || x.op != HloOpcode::kCompare ||
      x.data[0] != static_cast<int64_t>(ComparisonDirection::kLt))
    return 0;
  // The condition is counter < bound, or not bound < counter.
  const ExprId counter = x.args[negated ? 1 : 0], bound = x.args[negated ? 0 : 1];
  const std::optional<int64_t> limit = x_.IntegerOf(bound);
  if (!limit) return 0;
  for (size_t k = 0; k < carried.size(); ++k) {
    if (carried[k] != counter) continue;
    const std::optional<int64_t> first = x_.IntegerOf(init[k]);
    if (!first || !IsInteger(x_.TypeOf(counter)) || BitWidth(x_.TypeOf(counter)) < 32) return 0;
    const std::optional<int64_t> step = x_.IntegerOf(x_.Add(next[k], carried[k], -1));
    const int64_t far = int64_t{1} << 30;
    if (!step || *step <= 0 || *step > far || std::llabs(*first) > far || std::llabs(*limit) > far) return 0;
    const int64_t end = negated ? *limit + 1 : *limit;
    return end > *first ? (end - *first + *step - 1) / *step : 0;
  }
  return 0;
}

// The value at iteration `turn` of a carried integer that each iteration increments by a constant.
std::optional<Index> Builder::Counter(ExprId init, ExprId carried, ExprId next, VarId turn) {
  const PrimitiveType type = x_.TypeOf(init);
  if (!IsInteger(type) || BitWidth(type) < 32) return std::nullopt;
  const std::optional<int64_t> first = x_.IntegerOf(init), step = x_.IntegerOf(x_.Add(next, carried, -1));
  const int64_t far = int64_t{1} << 30, turns = x_.VariableAt(turn).size;
  if (!first || !step || std::llabs(*first) > far || std::llabs(*step) > far / turns) return std::nullopt;
  if (IsUnsigned(type) && (*first < 0 || *step < 0)) return std::nullopt;
  return x_.Plus(Exprs::Number(*first), x_.Var(turn), *step);
}

// The final value of an accumulator whose increments do not depend on carried values, or of an array of which each
// iteration writes other elements; -1 if the carried value is neither.
ExprId Builder::OverTurns(ExprId init, ExprId carried, ExprId next, VarId turn, const std::set<int64_t>& varying) {
  const PrimitiveType type = x_.TypeOf(init);
  if (type == PrimitiveType::PRED || type == PrimitiveType::TOKEN) return -1;
  const uint32_t uses = x_.TakeUses();
  ExprId added = x_.Add(next, carried, -1);
  x_.TakeUses();  // the carried value cancels without arithmetic
  x_.Uses(uses);
  std::optional<ExprId> guard;
  bool once = true, changed = false;
  Polynomial sum;
  for (const Monomial& m : Polynomial(x_.PolynomialOf(added))) {
    ExprId equality = -1;
    for (const Factor& f : m.factors) {
      const Expr& x = x_.At(f.base);
      if (x.kind != Expr::Kind::kGuard || x.tag != 1) continue;
      const auto& terms = x.index[0].terms;
      const bool plain = std::all_of(terms.begin(), terms.end(),
                                     [&](const auto& t) { return x_.TermAt(t.first).kind == IndexTerm::Kind::kVar; });
      if (plain && std::binary_search(x.free.begin(), x.free.end(), turn)) equality = f.base;
    }
    once = once && equality >= 0 && (!guard || *guard == equality);
    guard = equality;
    Monomial to = m;
    ExprId value = -1;
    for (size_t k = 0; k < to.factors.size(); ++k) {
      if (to.factors[k].base != carried || to.factors[k].power != kOne) continue;
      to.factors.erase(to.factors.begin() + static_cast<std::ptrdiff_t>(k));
      value = init;
      break;
    }
    changed = changed || value >= 0;
    const ExprId product = x_.OfMonomial(std::move(to), type);
    const uint32_t before = x_.TakeUses();
    for (Monomial& part : x_.PolynomialOf(value < 0 ? product : x_.Multiply(product, value)))
      sum.push_back(std::move(part));
    x_.TakeUses();
    x_.Uses(before);
  }
  if (changed && !once) return -1;
  added = x_.Sum(std::move(sum), type);
  std::set<int64_t> leaves;
  if (Reached(added, leaves)) return -1;
  for (int64_t leaf : leaves) {
    if (varying.count(leaf) != 0) return -1;
    // Infeeds and random numbers differ in each iteration.
    const std::vector<int64_t>& key = x_.LeafAt(leaf).key;
    if (key[0] == -5 && shared_.differs_each_time.count(leaf) != 0) return -1;
  }
  const VarId over = x_.Fresh(x_.VariableAt(turn).size);
  return x_.Add(init, x_.SumOver({over}, x_.Substitute(added, {{turn, x_.Var(over)}})));
}

// The next value of a class: the other module's expression for that class if the closer comparison finds the two equal,
// otherwise `e`.
ExprId Builder::Agreed(int64_t of, ExprId e) {
  constexpr size_t kMostTried = 12;
  constexpr int64_t kWork = 40000;
  std::vector<ExprId>& seen = shared_.made_of[of];
  if (std::find(seen.begin(), seen.end(), e) != seen.end()) return e;
  for (size_t k = 0; k < seen.size() && k < kMostTried && is_second; ++k) {
    if (x_.TypeOf(seen[k]) != x_.TypeOf(e) || shared_.loop_work <= 0) continue;
    shared_.loop_work -= kWork;
    if (x_.EqualInside(seen[k], e, kWork)) return seen[k];
  }
  seen.push_back(e);
  ++shared_.agreed;
  return e;
}

Value Builder::While(const HloInstruction& i, const Value& init, Inside in) {
  const auto run = [this](const HloComputation& computation, const Value& carried, Inside inner) {
    return Evaluate(computation, {carried}, inner, {-1});
  };
  const HloComputation &body = *i.while_body(), &condition = *i.while_condition();
  return Looped(i,
                {i.shape().Leaves(), body.instruction_count(),
                 [&](const Value& carried, Inside inner) { return run(body, carried, inner); },
                 [&](const Value& carried, Inside inner) { return run(condition, carried, inner); }},
                init, in);
}

Value Builder::Looped(const HloInstruction& i, const LoopForm& form, const Value& init, Inside in) {
  const std::vector<const Shape*>& shapes = form.shapes;
  const size_t n = init.size();
  Inside inner = in;
  inner.record = false;
  inner.values = nullptr, inner.matcher = nullptr, inner.found = nullptr;
  // Short loops with a known trip count are unrolled, except on several devices, where loops are compared by matching
  // their bodies.
  Value now = init;
  int64_t unspecified = x_.unspecified();
  const int64_t most = std::min(shared_.most_turns, std::max<int64_t>(4, kMostWritten / form.instructions));
  for (int64_t turn = 0; turn <= most && !shared_.devices; ++turn) {
    const Value again = form.condition(now, inner);
    if (!why_.empty()) return {};
    const std::optional<int64_t> known = x_.IntegerOf(again[0]);
    if (!known) break;
    if (*known == 0) return now;
    if (turn == most) break;
    now = form.body(now, inner);
    if (!why_.empty()) return {};
    for (ExprId& part : now) part = x_.Named(part);
  }
  ++inner.level;
  Value related(n, -1);
  const bool is_while = i.opcode() == HloOpcode::kWhile;
  if (is_second && shared_.devices && is_while) related = Related(i, init, inner, {});
  if (!why_.empty() || std::all_of(related.begin(), related.end(), [](ExprId e) { return e >= 0; })) return related;
  const bool relates = inner.relates;
  inner.relates = shared_.devices.has_value();
  // Carried values that each iteration leaves unchanged or resets to their initial value.
  std::vector<bool> fixed(n, false);
  Value carried(n), next;
  std::vector<std::vector<VarId>> axes(n);  // the mesh axes that each value depends on
  for (size_t k = 0; k < n; ++k) axes[k] = AxesOf({init[k]});
  const auto parameter = [&](size_t k, int64_t of) { return RegionParameter(1, inner.level, of, *shapes[k], axes[k]); };
  for (size_t k = 0; k < n; ++k) carried[k] = parameter(k, -1 - static_cast<int64_t>(k));
  for (int round = 0;; ++round) {
    x_.SetUnspecified(unspecified);
    next = form.body(carried, inner);
    if (!why_.empty()) return {};
    bool found = false, grew = false;
    for (size_t k = 0; k < n; ++k) {
      const std::vector<VarId> more = AxesOf({carried[k], next[k]});
      if (fixed[k] || more == axes[k]) continue;
      axes[k] = more;
      carried[k] = parameter(k, -1 - static_cast<int64_t>(k));
      grew = true;
    }
    if (round == kMostRounds && grew) {
      why_ = "a loop carries too many values";
      return {};
    }
    if (grew) continue;
    if (round >= kMostRounds) break;
    for (size_t k = 0; k < n; ++k) {
      if (fixed[k] || (next[k] != carried[k] && next[k] != init[k])) continue;
      fixed[k] = found = true;
      carried[k] = init[k];
    }
    if (!found) break;
  }
  // With a known trip count, counters are functions of the iteration number.
  Value condition = form.condition(carried, inner);
  if (!why_.empty() || !SameForAll(i, condition[0])) return {};
  std::vector<ExprId> result(n, -1);
  const int64_t turns = Turns(init, carried, next, condition[0]);
  VarId turn = -1;
  x_.SetUnspecified(unspecified);
  if (turns > 0) {
    turn = x_.Turn(inner.level, turns);
    for (size_t k = 0; k < n; ++k) {
      const std::optional<Index> counter = fixed[k] ? std::nullopt : Counter(init[k], carried[k], next[k], turn);
      if (!counter) continue;
      result[k] = x_.Integer(x_.Substitute(*counter, {{turn, Exprs::Number(turns)}}).constant, x_.TypeOf(init[k]));
      carried[k] = x_.IndexValue(*counter, x_.TypeOf(init[k]));
      fixed[k] = true;
    }
    next = form.body(carried, inner);
    if (why_.empty()) condition = form.condition(carried, inner);
    if (!why_.empty()) return {};
    // An accumulator, or an array of which each iteration writes distinct elements, is a sum over the iterations.
    std::set<int64_t> varying;
    for (size_t k = 0; k < n; ++k) {
      if (!fixed[k]) varying.insert(x_.At(carried[k]).tag);
    }
    for (size_t k = 0; k < n; ++k) {
      if (!fixed[k]) result[k] = OverTurns(init[k], carried[k], next[k], turn, varying);
    }
  }
  // Without one, counters are functions of the number of iterations so far, also those that start at different numbers.
  std::vector<std::pair<size_t, int64_t>> counters;  // with what an iteration adds
  for (size_t k = 0; k < n && turns == 0 && !shared_.devices; ++k) {
    if (fixed[k] || !IsInteger(x_.TypeOf(init[k]))) continue;
    if (const auto step = x_.IntegerOf(x_.Add(next[k], carried[k], -1))) counters.emplace_back(k, *step);
  }
  // The value of a counter when the number of iterations is leaf `number`.
  const auto counted = [&](const std::pair<size_t, int64_t>& counter, ExprId number) {
    const ExprId first = init[counter.first], step = x_.Integer(counter.second, x_.TypeOf(first));
    return x_.Add(first, x_.Multiply(step, number));
  };
  for (const auto& counter : counters) {
    const auto& [k, step] = counter;
    carried[k] = counted(counter, RegionParameter(2, inner.level, 0, Shape::Scalar(shapes[k]->element_type())));
    fixed[k] = true;
  }
  const Value start = carried;
  const auto number_of = [&](const std::vector<int64_t>& key, size_t k, const std::vector<VarId>& captured) {
    return LeafArray(key, Shape::Scalar(shapes[k]->element_type()), captured);
  };
  if (is_second && !shared_.devices && is_while && relates && shared_.search_left > 0) {
    inner.relates = true;
    unspecified = x_.unspecified();
    const Loop* with = nullptr;
    related = Related(i, init, inner, {start, fixed, turns}, &with);
    inner.relates = false;
    if (!why_.empty()) return {};
    bool all = with != nullptr;
    for (size_t k = 0; k < n && with != nullptr; ++k) {
      if (fixed[k] && result[k] < 0) related[k] = init[k];
      else if (fixed[k]) related[k] = result[k];
      all = all && related[k] >= 0;
    }
    for (size_t c = 0; c < counters.size() && with != nullptr; ++c) {
      const size_t k = counters[c].first;
      related[k] = counted(counters[c], number_of(with->number, k, with->captured));
    }
    if (all) return related;
    x_.SetUnspecified(unspecified);
  }
  // Partition refinement: splits classes until all values of a class behave alike.
  std::vector<int64_t> of(n, -1);
  const auto name = [&](std::vector<int64_t> key) {
    Leaf leaf;
    leaf.key = std::move(key);
    leaf.key.insert(leaf.key.begin(), -15);
    return static_cast<int64_t>(x_.LeafOf(std::move(leaf)));
  };
  const auto shape_key = [&](size_t k) {
    std::vector<int64_t> key{static_cast<int64_t>(shapes[k]->element_type())};
    if (shapes[k]->IsArray()) key.insert(key.end(), shapes[k]->dimensions().begin(), shapes[k]->dimensions().end());
    return key;
  };
  for (size_t k = 0; k < n; ++k) {
    std::vector<int64_t> key = shape_key(k);
    key.insert(key.end(), axes[k].begin(), axes[k].end());
    key.push_back(init[k]);
    of[k] = name(std::move(key));
  }
  const auto count = [&] {
    std::set<int64_t> all;
    for (size_t k = 0; k < n; ++k) {
      if (!fixed[k]) all.insert(of[k]);
    }
    return all.size();
  };
  unspecified = x_.unspecified();
  for (int round = 0;; ++round) {
    x_.SetUnspecified(unspecified);
    for (size_t k = 0; k < n; ++k) carried[k] = fixed[k] ? start[k] : parameter(k, of[k]);
    next = form.body(carried, inner);
    if (why_.empty()) condition = form.condition(carried, inner);
    if (!why_.empty()) return {};
    condition[0] = Agreed(-1, condition[0]);
    const size_t before = count();
    std::vector<int64_t> made(n, -1);
    for (size_t k = 0; k < n; ++k) {
      if (fixed[k]) continue;
      next[k] = Agreed(of[k], next[k]);
      made[k] = name({of[k], next[k], condition[0], turns});
    }
    of = std::move(made);
    if (count() == before) break;
    if (round == kMostRounds) {
      why_ = "a loop carries too many values";
      return {};
    }
  }
  for (size_t k = 0; k < n; ++k) {
    if (fixed[k] || std::ranges::includes(axes[k], AxesOf({next[k]}))) continue;
    why_ = "a value that a loop carries differs between devices";
    return {};
  }
  std::vector<ExprId> all = next;
  all.insert(all.end(), init.begin(), init.end());
  all.push_back(condition[0]);
  std::vector<VarId> captured = Captured(all);
  std::erase(captured, turn);
  // The classes that each class reads in an iteration, and those that the condition reads. Loops with the same closure
  // of classes are one loop for that value (each class's key holds its definition).
  std::vector<std::vector<size_t>> reads(n + 1);
  for (size_t k = 0; k <= n; ++k) {
    if (k < n && fixed[k]) continue;
    std::set<int64_t> leaves;
    const bool nested = Reached(k < n ? next[k] : condition[0], leaves);
    if (!why_.empty()) return {};
    for (size_t j = 0; j < n; ++j) {
      if (!fixed[j] && (nested || leaves.count(x_.At(carried[j]).tag) != 0)) reads[k].push_back(j);
    }
  }
  const auto classes_from = [&](std::vector<size_t> work) {
    std::set<size_t> closure(work.begin(), work.end());
    while (!work.empty()) {
      const size_t at = work.back();
      work.pop_back();
      for (size_t j : reads[at]) {
        if (closure.insert(j).second) work.push_back(j);
      }
    }
    closure.erase(n);
    std::set<int64_t> classes;
    for (size_t j : closure) classes.insert(of[j]);
    return classes;
  };
  const auto key_of = [&](int64_t what, const std::set<int64_t>& classes) {
    std::vector<int64_t> key{kLoopLeaf, what, condition[0], turns};
    key.insert(key.end(), classes.begin(), classes.end());
    return key;
  };
  const std::vector<int64_t> number = key_of(kTurnsOf, classes_from({n}));
  for (const auto& counter : counters)
    result[counter.first] = counted(counter, number_of(number, counter.first, captured));
  for (size_t k = 0; k < n; ++k) {
    if (result[k] >= 0) continue;
    result[k] = fixed[k] ? init[k] : LeafArray(key_of(of[k], classes_from({k, n})), *shapes[k], captured);
  }
  for (size_t k = 0; k < n; ++k) {
    if (related[k] >= 0) result[k] = related[k];
  }
  if (!is_second && is_while && relates) {
    inner.relates = true;
    Remember(i, {shapes, inner.level, init, carried, next, result, condition[0], {}, &i, turns, number, captured},
             inner);
  }
  return result;
}

}  // namespace hloir::equivalence::inside
