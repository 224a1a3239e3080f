// Checks the steps of a proof. See proof_check.h; proof_text.cc reads and writes the file.
#include "proof_check/proof_check.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

#include "hloir/analysis.h"
#include "hloir/custom_call.h"
#include "support/format.h"
#include "support/hash.h"

namespace hloir::proof_check {
namespace {

constexpr int64_t kWorkOfTrial = int64_t{1} << 23, kWorkOfStep = int64_t{1} << 26;  // in elements
constexpr int64_t kSmallWork = int64_t{1} << 14;
constexpr const char* kTies = "the values may differ if the numbers that they compare are equal";
constexpr size_t kMostLiterals = 1 << 12;

bool Fits(const Shape& x, const Shape& y) {
  if (!x.IsArray() || !y.IsArray()) return x.element_type() == y.element_type();
  const PrimitiveType s = x.element_type(), t = y.element_type();
  return x.SameDimensions(y) && (s == t || (IsFloat(s) && IsFloat(t)) || (IsComplex(s) && IsComplex(t)));
}

// Trials hardly ever make two computed values equal, so they do not test ties (but those with numbers of the texts).
// The two sides must therefore compare the same pairs for equality, and decide the order of each pair with the same
// strictness.
bool AlikeAtTies(const Records& x, const Records& y) {
  const auto alike = [](const Records& a, const Records& b) {
    return std::all_of(a.begin(), a.end(), [&](const auto& comparison) {
      const auto [low, high, decides] = comparison;
      if (b.count(comparison) != 0) return true;
      return decides != 0 && b.count({low, high, 3 - decides}) == 0;
    });
  };
  return alike(x, y) && alike(y, x);
}

// The pairs that a side compares in both strictnesses: it treats equal ones apart, as no trial does but one with ties.
Ties ApartAtTies(const Records& x, const Records& y) {
  Ties pairs;
  for (const Records* side : {&x, &y}) {
    for (const auto& [low, high, decides] : *side) {
      if (decides == 1 && side->count({low, high, 2}) != 0) pairs.insert({low, high});
    }
  }
  return pairs;
}

// Accumulates the results of trials on two arrays that should be equal.
class Agreement {
 public:
  // `bits`: NaN is a value like others.
  explicit Agreement(bool bits = false) : bits_(bits) {}
  // Adds a trial. Returns false if the arrays differ.
  bool Add(const Array& x, const Array& y) {
    if (x.numbers.size() != y.numbers.size()) return false;
    if (!x.HasNumbers()) {
      for (int64_t k = 0; k < x.literal.element_count(); ++k) {
        if (x.literal.GetAsInt64(k) != y.literal.GetAsInt64(k)) return Differs(k);
      }
      return true;
    }
    if (agreed_.empty()) agreed_.resize(x.numbers.size());
    for (size_t k = 0; k < x.numbers.size(); ++k) {
      const Number &p = x.numbers[k], &q = y.numbers[k];
      const bool same = Arithmetic::Same(p, q);
      if (same && (bits_ || p.undefined == q.undefined)) ++agreed_[k];
      else if (!bits_ && (p.undefined || q.undefined)) domain_ = true;
      else return Differs(static_cast<int64_t>(k));
    }
    return true;
  }
  // The number of trials in which each element agreed.
  int Least() const { return agreed_.empty() ? 1 << 16 : *std::min_element(agreed_.begin(), agreed_.end()); }
  bool domain() const { return domain_; }
  int64_t where() const { return where_; }

 private:
  bool Differs(int64_t at) {
    where_ = at;
    return false;
  }
  bool bits_;
  std::vector<uint16_t> agreed_;
  bool domain_ = false;
  int64_t where_ = 0;
};

// How often a module rounds to a float type, except to round further.
int64_t Roundings(const HloModule& module, PrimitiveType type) {
  int64_t count = 0;
  const auto narrows = [&](const HloInstruction* user) {
    return user->opcode() == HloOpcode::kConvert && IsFloat(user->shape().element_type()) &&
           BitWidth(user->shape().element_type()) < BitWidth(type);
  };
  for (const HloInstruction* i : module.AllInstructions()) {
    if (!i->shape().IsArray() || i->shape().element_type() != type || !RoundsTo(*i, type)) continue;
    count += i->users().empty() || !std::all_of(i->users().begin(), i->users().end(), narrows);
  }
  return count;
}

// Collects the numbers of a text.
void AddNumbers(const HloModule& module, std::vector<double>& literals, std::vector<int64_t>& integers) {
  for (const HloInstruction* i : module.AllInstructions()) {
    for (const Shape* leaf : i->shape().Leaves()) {
      if (leaf->IsArray() && integers.size() < kMostLiterals)
        integers.insert(integers.end(), leaf->dimensions().begin(), leaf->dimensions().end());
    }
    if (!i->IsConstant() || !i->shape().IsArray() || i->literal().elided() || i->literal().element_count() > 256)
      continue;
    for (int64_t k = 0; k < i->literal().element_count(); ++k) {
      if (IsFloat(i->shape().element_type()) && literals.size() < kMostLiterals)
        literals.push_back(i->literal().GetAsDouble(k));
      if (IsInteger(i->shape().element_type()) && integers.size() < kMostLiterals)
        integers.push_back(i->literal().GetAsInt64(k));
    }
  }
}

void SortNumbers(std::vector<double>& literals, std::vector<int64_t>& integers) {
  std::sort(literals.begin(), literals.end());
  literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
  std::sort(integers.begin(), integers.end());
  integers.erase(std::unique(integers.begin(), integers.end()), integers.end());
  const size_t count = integers.size();
  for (size_t k = 0; k < count; ++k) {
    if (integers[k] > std::numeric_limits<int64_t>::min()) integers.push_back(integers[k] - 1);
    if (integers[k] < std::numeric_limits<int64_t>::max()) integers.push_back(integers[k] + 1);
  }
  std::sort(integers.begin(), integers.end());
  integers.erase(std::unique(integers.begin(), integers.end()), integers.end());
}

}  // namespace

std::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kHolds: return "holds";
    case Outcome::kUnchecked: return "unchecked";
    case Outcome::kFalse: break;
  }
  return "false";
}

StatusOr<std::unique_ptr<Checker>> Checker::Make(const HloModule& before, const HloModule& after) {
  if (before.entry_computation() == nullptr || after.entry_computation() == nullptr)
    return InvalidArgument("a module has no entry computation");
  const DeviceCounts x = DeviceCountsOf(before), y = DeviceCountsOf(after);
  if ((x.replicas != y.replicas || x.partitions != y.partitions) && (UsesDevices(before) || UsesDevices(after)))
    return Unimplemented("the modules run on different numbers of devices");
  HLOIR_ASSIGN_OR_RETURN(Graph a, Graph::Make(*before.entry_computation()));
  HLOIR_ASSIGN_OR_RETURN(Graph b, Graph::Make(*after.entry_computation()));
  if (a.parameters().size() != b.parameters().size()) return InvalidArgument("the parameters differ in number");
  for (size_t k = 0; k < a.parameters().size(); ++k) {
    const Shape &s = a.ShapeOf(a.parameters()[k]), &t = b.ShapeOf(b.parameters()[k]);
    if (!s.Compatible(t)) return InvalidArgument("the parameters differ in shape");
    if (!s.IsStatic()) return Unimplemented("parameters have dynamic sizes");
  }
  std::unique_ptr<Checker> checker(new Checker(std::move(a), std::move(b)));
  AddNumbers(before, checker->shared_.literals, checker->shared_.integers);
  AddNumbers(after, checker->shared_.literals, checker->shared_.integers);
  SortNumbers(checker->shared_.literals, checker->shared_.integers);
  for (PrimitiveType type : {PrimitiveType::F32, PrimitiveType::BF16, PrimitiveType::F16})
    checker->shared_.keeps_roundings |= Roundings(after, type) > Roundings(before, type);
  bool wide = false;
  for (const HloModule* module : {&before, &after}) {
    for (const HloInstruction* i : module->AllInstructions()) {
      wide |= i->shape().IsArray() && i->shape().element_type() == PrimitiveType::F64;
      checker->elided_ |= i->IsConstant() && i->shape().IsArray() && i->literal().elided();
      checker->unknown_calls_ |= i->opcode() == HloOpcode::kCustomCall && CustomCallOf(*i) == CustomCall::kUnknown;
      checker->random_ |= i->Is(kImpure) || i->opcode() == HloOpcode::kInfeed;
    }
  }
  checker->shared_.combined = Arithmetic::CombinedOf(checker->shared_.literals, wide);
  return checker;
}

bool Checker::Equal(ValueId before, ValueId after) const {
  const auto parameter = [](const Graph& graph, ValueId value) {
    const auto& all = graph.parameters();
    const auto found = std::lower_bound(all.begin(), all.end(), value);
    return found != all.end() && *found == value ? found - all.begin() : std::ptrdiff_t{-1};
  };
  if (const auto k = parameter(before_, before); k >= 0 && k == parameter(after_, after)) return true;
  // Tokens order effects, and Finish compares the order of effects.
  if (before_.ShapeOf(before).IsToken() && after_.ShapeOf(after).IsToken()) return true;
  const auto found = equal_.find(before);
  return found != equal_.end() && std::find(found->second.begin(), found->second.end(), after) != found->second.end();
}

int32_t Checker::Add(Step step) {
  for (const Pair& pair : step.pairs) {
    std::vector<ValueId>& all = equal_[pair.before];
    if (std::find(all.begin(), all.end(), pair.after) == all.end()) all.push_back(pair.after);
  }
  steps_.push_back(std::move(step));
  return steps() - 1;
}

StepResult Checker::Check(const Step& step, int trials) {
  for (const Pair& pair : step.pairs) {
    if (pair.before < 0 || pair.before >= before_.value_count() || pair.after < 0 ||
        pair.after >= after_.value_count() || !Fits(before_.ShapeOf(pair.before), after_.ShapeOf(pair.after)))
      return {Outcome::kFalse, "the values differ in shape"};
  }
  for (int32_t from : step.from) {
    if (from < 0 || from >= steps()) return {Outcome::kFalse, "a premise is no earlier step"};
  }
  if (step.pairs.empty() || (step.rule != Rule::kLoop && step.pairs.size() > 1))
    return {Outcome::kFalse, "a step is about one pair of values"};
  switch (step.rule) {
    case Rule::kSame: return CheckSame(step.pairs[0].before, step.pairs[0].after);
    case Rule::kLoop: return CheckLoop(step, trials);
    case Rule::kBits:
    case Rule::kSigns:
    case Rule::kRanks: return CheckEqual(step, trials);
  }
  return {Outcome::kFalse, "no such rule"};
}

// ---- The rule "same" ----

bool Checker::SameOperation(const Graph::Op& a, const Graph::Op& b, std::string& why) {
  const HloInstruction &i = *a.instruction, &j = *b.instruction;
  if (i.opcode() != j.opcode() || i.IsParameter() || shared_.ClassOf(i) != shared_.ClassOf(j)) {
    why = "the operations differ";
    return false;
  }
  const auto index = [](const Graph& graph, const Graph::Op& op) {
    const auto& effects = graph.effects();
    const auto found = std::lower_bound(effects.begin(), effects.end(), graph.OpIndexOf(op.first));
    return found != effects.end() && *found == graph.OpIndexOf(op.first) ? found - effects.begin() : std::ptrdiff_t{-1};
  };
  if (index(before_, a) != index(after_, b)) {
    why = "the order of effects or random numbers differs";
    return false;
  }
  const auto same_layout = [&] {
    for (int64_t k = 0; k < i.operand_count(); ++k) {
      if (!(i.operand(k)->shape() == j.operand(k)->shape())) return false;
    }
    return i.shape() == j.shape();
  };
  bool same = a.operands.size() == b.operands.size() && (i.opcode() != HloOpcode::kBitcast || same_layout());
  for (size_t k = 0; k < a.operands.size() && same; ++k) {
    same = a.operands[k].size() == b.operands[k].size();
    for (size_t l = 0; l < a.operands[k].size() && same; ++l) {
      const ValueId x = a.operands[k][l], y = b.operands[k][l];
      same = before_.ShapeOf(x).Compatible(after_.ShapeOf(y)) && Equal(x, y);
      if (!same) why = Format("{} and {} are not known to be equal", before_.NameOf(x), after_.NameOf(y));
    }
  }
  if (!same && why.empty()) why = "the operands differ";
  return same;
}

StepResult Checker::CheckSame(ValueId x, ValueId y) {
  const Graph::Op &a = before_.OpOf(x), &b = after_.OpOf(y);
  StepResult result;
  if (x - a.first != y - b.first) result.why = "they are different results";
  else if (SameOperation(a, b, result.why)) result.outcome = Outcome::kHolds;
  return result;
}

// ---- Equal numbers ----

// Assigns a key to each class of values that the pairs make equal.
StatusOr<std::vector<std::pair<Pair, uint64_t>>> Checker::KeysOf(const std::vector<Pair>& pairs) const {
  std::vector<size_t> root(pairs.size());
  std::iota(root.begin(), root.end(), size_t{0});
  std::unordered_map<ValueId, size_t> first_before, first_after;
  const auto find = [&](size_t k) {
    while (root[k] != k) k = root[k] = root[root[k]];
    return k;
  };
  for (size_t k = 0; k < pairs.size(); ++k) {
    root[find(k)] = find(first_before.try_emplace(pairs[k].before, k).first->second);
    root[find(k)] = find(first_after.try_emplace(pairs[k].after, k).first->second);
  }
  std::vector<std::pair<Pair, uint64_t>> keys;
  for (size_t k = 0; k < pairs.size(); ++k) keys.push_back({pairs[k], Mix(2, find(k))});
  return keys;
}

namespace {

// Sets a trial's parameters.
void SetParameters(Evaluation& evaluation, const Graph& graph, Trial& trial, const Shared& shared) {
  for (size_t k = 0; k < graph.parameters().size(); ++k) {
    const Shape& shape = graph.ShapeOf(graph.parameters()[k]);
    if (shape.IsArray() && shape.ElementCount() <= shared.work_left)
      evaluation.Set(graph.parameters()[k], trial.Leaf(shape, Mix(1, k), shared));
  }
}

Order OrderOf(Rule rule) { return rule == Rule::kSigns ? Order::kSigns : Order::kRanks; }

}  // namespace

ArrayPtr Checker::Get(Evaluation& evaluation, ValueId value, Records& records, const Ties& ties) {
  shared_.records = &records;
  shared_.ties = &ties;
  ArrayPtr array = evaluation.Get(value);
  shared_.records = nullptr;
  shared_.ties = nullptr;
  return array;
}

// Cheap steps get more trials, and those that take long fewer.
bool Checker::GoesOn(int done, int trials, int64_t work) {
  if (done >= trials) return trials == kTrials && done < 4 * kTrials && work < kSmallWork;
  return done == 0 || done < trials / 2 || (done + 1) * (work / done) <= kWorkOfStep;
}

StepResult Checker::CheckEqual(const Step& step, int trials) {
  const Pair& pair = step.pairs[0];
  if (!before_.ShapeOf(pair.before).IsArray()) return {Outcome::kUnchecked, "a token"};
  std::vector<Pair> premises;
  for (int32_t from : step.from) {
    const std::vector<Pair>& pairs = steps_[static_cast<size_t>(from)].pairs;
    premises.insert(premises.end(), pairs.begin(), pairs.end());
  }
  const auto keys = KeysOf(premises);
  StepResult result;
  Agreement agreement(step.rule == Rule::kBits);
  int done = 0;
  for (int64_t work = 0; GoesOn(done, trials, work); ++done) {
    shared_.work_left = kWorkOfTrial;
    Trial& trial = shared_.TrialOf(done, OrderOf(step.rule), step.rule == Rule::kBits);
    Ties ties;
    for (bool tied = false;; tied = true) {
      Evaluation x(before_, shared_, trial), y(after_, shared_, trial);
      SetParameters(x, before_, trial, shared_);
      SetParameters(y, after_, trial, shared_);
      for (const auto& [premise, key] : *keys) {
        if (!before_.ShapeOf(premise.before).IsArray()) continue;
        shared_.Spend(before_.ShapeOf(premise.before).ElementCount());
        if (shared_.work_left < 0) return {Outcome::kUnchecked, "too large"};
        x.Set(premise.before, trial.Leaf(before_.ShapeOf(premise.before), key, shared_));
        y.Set(premise.after, trial.Leaf(after_.ShapeOf(premise.after), key, shared_));
      }
      Records of_x, of_y;
      const ArrayPtr p = Get(x, pair.before, of_x, ties);
      const ArrayPtr q = p == nullptr ? nullptr : Get(y, pair.after, of_y, ties);
      if (q == nullptr) return {Outcome::kUnchecked, p == nullptr ? x.why() : y.why()};
      if (tied) {
        if (!Agreement(step.rule == Rule::kBits).Add(*p, *q)) return {Outcome::kUnchecked, kTies};
        break;
      }
      if (!trial.MeetsTies() && !AlikeAtTies(of_x, of_y)) return {Outcome::kUnchecked, kTies};
      if (!agreement.Add(*p, *q)) return {Outcome::kFalse, Format("they differ at element {}", agreement.where())};
      ties = ApartAtTies(of_x, of_y);
      if (ties.empty()) break;
    }
    work += kWorkOfTrial - shared_.work_left;
  }
  if (agreement.Least() * 6 < done) return {Outcome::kUnchecked, "undefined in nearly all trials"};
  result.outcome = Outcome::kHolds;
  result.domain = agreement.domain();
  return result;
}

// ---- Loops ----

// What `i` is at the start of a turn of a loop like `for (i = first; i < limit; i += step)`, by induction: the
// condition has held, and no turn makes it smaller than it began. No bounds if it is another loop.
Bounds Checker::BoundsOfCounter(const Graph::Op& loop, size_t k, Evaluation& outside, Trial& trial) {
  const Graph &turn = *shared_.GraphOf(*loop.instruction->while_body()),
              &goes = *shared_.GraphOf(*loop.instruction->while_condition());
  const Graph::Op& decides = goes.OpOf(goes.results()[0]);
  const Shape& shape = *loop.shapes[k];
  if (!shape.IsScalar() || !IsInteger(shape.element_type()) || shape.element_type() == PrimitiveType::U64 ||
      decides.instruction->opcode() != HloOpcode::kCompare || decides.operands[0][0] != goes.parameters()[k])
    return {};
  const ArrayPtr first = outside.Get(loop.operands[0][k]);
  Evaluation condition(goes, shared_, trial, 1), body(turn, shared_, trial, 1);
  const ArrayPtr limit = condition.Get(decides.operands[1][0]);
  if (first == nullptr || limit == nullptr || first->bounds.open || limit->bounds.open) return {};
  Bounds bounds{first->bounds.low, first->bounds.low};
  const int64_t end = limit->bounds.low;
  const ComparisonDirection direction = decides.instruction->attributes<CompareAttributes>().direction;
  const bool up = direction == ComparisonDirection::kLt || direction == ComparisonDirection::kLe;
  if (direction == ComparisonDirection::kLt && end > std::numeric_limits<int64_t>::min()) bounds.high = end - 1;
  else if (direction == ComparisonDirection::kLe) bounds.high = end;
  else if (direction == ComparisonDirection::kGt && end < std::numeric_limits<int64_t>::max()) bounds.low = end + 1;
  else if (direction == ComparisonDirection::kGe) bounds.low = end;
  else return {};
  if (bounds.low > bounds.high) return {};
  body.Set(turn.parameters()[k], trial.Leaf(shape, 1, shared_, bounds));
  const ArrayPtr next = body.Get(turn.results()[k]);
  if (next == nullptr || next->bounds.wraps) return {};
  return (up ? next->bounds.low >= bounds.low : next->bounds.high <= bounds.high) ? bounds : Bounds();
}

// Induction: if the pairs of carried values are equal before an iteration, they must be equal after it, and both
// conditions must agree. Other carried values that the iteration reads must be loop-invariant.
StepResult Checker::CheckLoop(const Step& step, int trials) {
  const Graph::Op &a = before_.OpOf(step.pairs[0].before), &b = after_.OpOf(step.pairs[0].after);
  const HloInstruction &i = *a.instruction, &j = *b.instruction;
  if (i.opcode() != HloOpcode::kWhile || j.opcode() != HloOpcode::kWhile) return {Outcome::kFalse, "no loops"};
  const auto is_effect = [](const Graph& graph, const Graph::Op& op) {
    const int32_t index = graph.OpIndexOf(op.first);
    return std::binary_search(graph.effects().begin(), graph.effects().end(), index);
  };
  if (is_effect(before_, a) || is_effect(after_, b)) return {Outcome::kUnchecked, "the loop has side effects"};
  const Graph *turn_a = shared_.GraphOf(*i.while_body()), *turn_b = shared_.GraphOf(*j.while_body()),
              *goes_a = shared_.GraphOf(*i.while_condition()), *goes_b = shared_.GraphOf(*j.while_condition());
  if (turn_a == nullptr || turn_b == nullptr || goes_a == nullptr || goes_b == nullptr)
    return {Outcome::kUnchecked, "a body cannot be read"};
  for (const Pair& pair : step.pairs) {
    const ValueId k = pair.before - a.first, l = pair.after - b.first;
    if (before_.OpIndexOf(pair.before) != before_.OpIndexOf(a.first) ||
        after_.OpIndexOf(pair.after) != after_.OpIndexOf(b.first))
      return {Outcome::kFalse, "a value of another operation"};
    const ValueId x = a.operands[0][static_cast<size_t>(k)], y = b.operands[0][static_cast<size_t>(l)];
    if (!Equal(x, y))
      return {Outcome::kFalse, Format("{} and {}, with which the loops begin, are not known to be equal",
                                      before_.NameOf(x), after_.NameOf(y))};
  }
  const auto keys = KeysOf(step.pairs);
  std::vector<Agreement> carried(step.pairs.size());
  Agreement conditions;
  StepResult result;
  int done = 0;
  for (int64_t work = 0; GoesOn(done, trials, work); ++done) {
    shared_.work_left = kWorkOfTrial;
    Trial& trial = shared_.TrialOf(done, Order::kSigns, false);
    Evaluation outside_a(before_, shared_, trial), outside_b(after_, shared_, trial);
    SetParameters(outside_a, before_, trial, shared_);
    SetParameters(outside_b, after_, trial, shared_);
    // Values at the start of an iteration: arbitrary but equal for pairs, the initial values for loop-invariant ones,
    // none for others. The condition is evaluated for any counter, the body for those for which it holds.
    const auto begin = [&](const Graph::Op& op, const Graph& turn, bool before, bool counted, Evaluation& outside) {
      std::vector<ArrayPtr> head(op.shapes.size());
      for (const auto& [pair, key] : *keys) {
        const size_t k = static_cast<size_t>(before ? pair.before - op.first : pair.after - op.first);
        if (!op.shapes[k]->IsArray() || shared_.Spend(op.shapes[k]->ElementCount()) < 0) continue;
        const size_t counter = static_cast<size_t>(pair.before - a.first);
        head[k] =
            trial.Leaf(*op.shapes[k], key, shared_, counted ? BoundsOfCounter(a, counter, outside_a, trial) : Bounds());
      }
      for (size_t k = 0; k < head.size(); ++k) {
        if (head[k] == nullptr && turn.results()[k] == turn.parameters()[k] && op.shapes[k]->IsArray())
          head[k] = outside.Get(op.operands[0][k]);
      }
      return head;
    };
    const auto set = [](Evaluation& evaluation, const Graph& graph, const std::vector<ArrayPtr>& head) {
      for (size_t k = 0; k < head.size(); ++k) evaluation.Set(graph.parameters()[k], head[k]);
    };
    Ties ties;
    for (bool tied = false;; tied = true) {
      Evaluation x(*turn_a, shared_, trial, 1), y(*turn_b, shared_, trial, 1), u(*goes_a, shared_, trial, 1),
          v(*goes_b, shared_, trial, 1);
      set(x, *turn_a, begin(a, *turn_a, true, true, outside_a));
      set(y, *turn_b, begin(b, *turn_b, false, true, outside_b));
      set(u, *goes_a, begin(a, *turn_a, true, false, outside_a));
      set(v, *goes_b, begin(b, *turn_b, false, false, outside_b));
      Records of_a, of_b;
      const ArrayPtr p = Get(u, goes_a->results()[0], of_a, ties),
                     q = p == nullptr ? nullptr : Get(v, goes_b->results()[0], of_b, ties);
      if (q == nullptr) return {Outcome::kUnchecked, p == nullptr ? u.why() : v.why()};
      if (tied && !Agreement().Add(*p, *q)) return {Outcome::kUnchecked, kTies};
      if (!tied && !conditions.Add(*p, *q)) return {Outcome::kFalse, "one loop continues where the other ends"};
      for (size_t k = 0; k < step.pairs.size(); ++k) {
        const ValueId in_a = turn_a->results()[static_cast<size_t>(step.pairs[k].before - a.first)],
                      in_b = turn_b->results()[static_cast<size_t>(step.pairs[k].after - b.first)];
        if (!turn_a->ShapeOf(in_a).IsArray()) continue;
        const ArrayPtr r = Get(x, in_a, of_a, ties), s = r == nullptr ? nullptr : Get(y, in_b, of_b, ties);
        if (s == nullptr) return {Outcome::kUnchecked, r == nullptr ? x.why() : y.why(), false, {k}};
        if (tied && !Agreement().Add(*r, *s)) return {Outcome::kUnchecked, kTies};
        if (tied || carried[k].Add(*r, *s)) continue;
        if (result.broken.empty()) result.why = Format("a turn makes values {} of the pairs differ", k);
        result.broken.push_back(k);
      }
      if (!result.broken.empty()) return result;
      if (tied) break;
      if (!trial.MeetsTies() && !AlikeAtTies(of_a, of_b)) return {Outcome::kUnchecked, kTies};
      ties = ApartAtTies(of_a, of_b);
      if (ties.empty()) break;
    }
    work += kWorkOfTrial - shared_.work_left;
  }
  for (const Agreement& agreement : carried) {
    if (agreement.Least() * 6 < done) return {Outcome::kUnchecked, "undefined in nearly all trials"};
    result.domain = result.domain || agreement.domain();
  }
  result.outcome = Outcome::kHolds;
  return result;
}

// ---- The whole proof ----

StepResult Checker::Finish() {
  StepResult result;
  if (before_.results().size() != after_.results().size()) return {Outcome::kFalse, "the results differ in number"};
  for (size_t k = 0; k < before_.results().size(); ++k) {
    const ValueId x = before_.results()[k], y = after_.results()[k];
    if (!before_.ShapeOf(x).Compatible(after_.ShapeOf(y))) return {Outcome::kFalse, "the results differ in shape"};
    if (!Equal(x, y))
      return {Outcome::kFalse,
              Format("no step says that result {}, {} and {}, is equal", k, before_.NameOf(x), after_.NameOf(y))};
  }
  if (before_.effects().size() != after_.effects().size()) return {Outcome::kFalse, "the effects differ in number"};
  for (size_t k = 0; k < before_.effects().size(); ++k) {
    const Graph::Op &a = before_.Effect(k), &b = after_.Effect(k);
    if (!SameOperation(a, b, result.why)) {
      result.why = Format("{} and {}, which have side effects or are random: {}", a.name, b.name, result.why);
      return result;
    }
  }
  result.outcome = Outcome::kHolds;
  return result;
}

std::vector<std::string> Checker::Assumptions() const {
  std::vector<std::string> all;
  if (unknown_calls_) all.push_back("custom-calls of one target are one function of their operands");
  if (elided_) all.push_back("elided constants are the same");
  if (random_) all.push_back("random numbers and infeeds come in the same order");
  return all;
}

}  // namespace hloir::proof_check
