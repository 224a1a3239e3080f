// Reads both modules into one expression table and compares their values. See equivalence.h.
#include "equivalence/equivalence.h"

#include <algorithm>
#include <complex>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "equivalence/build.h"
#include "equivalence/expr.h"
#include "equivalence/first_wrong.h"
#include "equivalence/prove_terms.h"
#include "equivalence/shards.h"
#include "hloir/analysis.h"
#include "hloir/custom_call.h"
#include "hloir/prove.h"
#include "hloir/source_line.h"
#include "support/format.h"

namespace hloir::equivalence {
using namespace inside;  // the expressions of this prover
namespace {

constexpr int64_t kForShards = 1024;    // work for each instruction that may be a shard
constexpr int64_t kLastLook = 400000;   // work for comparing two results
constexpr int64_t kForLoops = 1 << 21;  // work for comparing the values of loops' bodies
constexpr size_t kMostCandidates = 3;   // candidates for one value
constexpr size_t kMostOpen = 16;        // open steps that are reported

bool TotalOrder(const HloInstruction& i) {
  return i.opcode() == HloOpcode::kCompare &&
         i.attributes<CompareAttributes>().type == ComparisonType::kFloatTotalOrder;
}

// The literals of the texts, which computed numbers are compared with.
void KnowLiterals(const HloModule& module, Exprs& exprs, bool& wide) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      if (i->shape().IsArray() && i->shape().element_type() == PrimitiveType::F64 && i->Is(kElementwise)) wide = true;
      const bool to_bits = (i->opcode() == HloOpcode::kBitcastConvert || i->opcode() == HloOpcode::kBitcast) &&
                           IsFloat(i->operand(0)->shape().element_type()) && !IsFloat(i->shape().element_type());
      if (to_bits || TotalOrder(*i)) exprs.KeepBits();
      if (!i->IsConstant() || !i->shape().IsArray() || !IsFloat(i->shape().element_type())) continue;
      const Literal& literal = i->literal();
      if (literal.elided() || literal.element_count() == 0 || (literal.element_count() > 1 && !literal.IsAllSame()))
        continue;
      exprs.KnowLiteral(literal.GetAsDouble(0));
    }
  }
}

// The same opcode, attributes and called computations; operands are not compared.
bool SameOperation(const HloInstruction& a, const HloInstruction& b) {
  if (a.opcode() != b.opcode() || !a.shape().Compatible(b.shape()) || !EqualAttributes(a, b)) return false;
  if (a.called_computations().size() != b.called_computations().size()) return false;
  for (int64_t k = 0; k < a.operand_count() && k < b.operand_count(); ++k) {
    if (!a.operand(k)->shape().Compatible(b.operand(k)->shape())) return false;
  }
  for (size_t k = 0; k < a.called_computations().size(); ++k) {
    if (!StructurallyEqual(*a.called_computations()[k], *b.called_computations()[k])) return false;
  }
  return true;
}

// How often a module rounds to a narrow float: operations of that type, and conversions to it.
int64_t Roundings(const HloModule& module, PrimitiveType type) {
  int64_t count = 0;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      if (!i->shape().IsArray() || i->shape().element_type() != type || i->Is(kMovesData)) continue;
      const bool converts = i->opcode() == HloOpcode::kConvert && i->operand(0)->shape().element_type() != type;
      const bool computes =
          type != PrimitiveType::F32 && (i->Is(kElementwise) || i->opcode() == HloOpcode::kDot ||
                                         i->opcode() == HloOpcode::kReduce || i->opcode() == HloOpcode::kConvolution);
      const bool from_wider = converts && BitWidth(i->operand(0)->shape().element_type()) > BitWidth(type);
      count += type == PrimitiveType::F32 ? from_wider && IsFloat(i->operand(0)->shape().element_type())
                                          : converts || (computes && i->opcode() != HloOpcode::kConvert);
    }
  }
  return count;
}

ExprId ValueOf(const Builder::Record& record) { return record.value.size() == 1 ? record.value[0] : -1; }

// The assumptions under which the values of a module that have one expression are equal, by expression. Over the reals
// (x + k) - k is x, but does not have its bits. `cones`: of each value, from the last values that the other module has
// too.
std::unordered_map<ExprId, uint32_t> UsesWithin(const std::vector<Builder::Record>& records,
                                                const std::vector<uint32_t>& cones) {
  std::unordered_map<ExprId, size_t> first;
  std::unordered_map<ExprId, uint32_t> within;
  const auto alike = [&](int32_t p, int32_t q) {
    if (p == q || p < 0 || q < 0) return p == q;
    const ExprId value = ValueOf(records[static_cast<size_t>(p)]);
    return value >= 0 && value == ValueOf(records[static_cast<size_t>(q)]);
  };
  for (size_t k = 0; k < records.size(); ++k) {
    if (ValueOf(records[k]) < 0) continue;
    const auto [at, is_new] = first.try_emplace(ValueOf(records[k]), k);
    const uint32_t uses = cones[k] | cones[at->second];
    if (is_new || uses == 0) continue;
    const Builder::Record &one = records[at->second], &other = records[k];
    if (!SameOperation(*one.instruction, *other.instruction) ||
        !std::equal(one.operands.begin(), one.operands.end(), other.operands.begin(), other.operands.end(), alike))
      within[at->first] |= uses;
  }
  return within;
}

struct Prover {
  Prover(const HloModule& a, const HloModule& b, const Options& options, bool devices)
      : shared(options.max_work +
               (devices ? kForShards : options.work_for_each) * (a.instruction_count() + b.instruction_count())),
        reserve(shared.exprs.work_left() / 2),
        before(shared),
        after(shared),
        shards(shared, before.records()),
        a(a),
        b(b) {}
  Shared shared;
  const int64_t reserve;  // work that the searches for equal values leave for reading the modules
  Builder before, after;
  ShardMatcher shards;
  const HloModule &a, &b;
  std::set<int32_t> of_shards;         // records of `after` that are shards of values of `before`
  std::map<int32_t, int32_t> assumed;  // from nodes of `after` to nodes of `before`
  std::map<Value, Value> taken_for;    // from their values to the values of `before`
  std::unordered_map<std::string_view, std::vector<int32_t>> by_name, by_origin;
  std::unordered_set<ExprId> known;                         // values of `before`
  std::map<std::vector<int64_t>, std::set<ExprId>> closed;  // constant expressions, by dimensions
  // Constant values of `before` by the hash of their bits, and the reciprocals of divisors.
  struct Rounded {
    int32_t record;
    bool reciprocal;
    std::shared_ptr<const Literal> literal;
  };
  std::unordered_map<size_t, std::vector<Rounded>> by_bits;

  void Index() {
    const auto& records = before.records();
    for (size_t k = 0; k < records.size(); ++k) {
      const HloInstruction& i = *records[k].instruction;
      if (records[k].value.size() != 1 || i.IsParameter()) continue;
      known.insert(records[k].value[0]);
      if (records[k].folded != nullptr && !IsNumber(records[k].value[0]))
        by_bits[records[k].folded->Hash()].push_back({static_cast<int32_t>(k), false, records[k].folded});
      if (i.opcode() == HloOpcode::kDivide) IndexReciprocal(records[k].operands[1]);
      if (const Expr& e = shared.exprs.At(records[k].value[0]); !e.open && !e.free.empty())
        closed[std::vector<int64_t>(i.shape().dimensions().begin(), i.shape().dimensions().end())].insert(
            records[k].value[0]);
      by_name[i.name()].push_back(static_cast<int32_t>(k));
      if (i.metadata() != nullptr && !i.metadata()->op_name.empty())
        by_origin[i.metadata()->op_name].push_back(static_cast<int32_t>(k));
    }
  }

  // Compilers multiply by the reciprocal of a constant divisor.
  void IndexReciprocal(int32_t divisor) {
    if (divisor < 0) return;
    const Builder::Record& record = before.records()[static_cast<size_t>(divisor)];
    if (record.folded == nullptr || IsNumber(record.value[0])) return;
    const PrimitiveType type = record.folded->shape().element_type();
    if (!IsFloat(type) && !IsComplex(type)) return;
    Literal reciprocal = *record.folded;
    for (int64_t k = 0; k < reciprocal.element_count(); ++k) {
      // (Of a complex number only where it is real.)
      const std::complex<double> value = reciprocal.GetAsComplex(k);
      if (value.imag() != 0) return;
      reciprocal.SetFromDouble(k, 1 / value.real());
    }
    const size_t hash = reciprocal.Hash();
    by_bits[hash].push_back({divisor, true, std::make_shared<const Literal>(std::move(reciprocal))});
  }

  // A parameter as it is.
  bool IsInput(ExprId e) const {
    const Expr& x = shared.exprs.At(e);
    return x.kind == Expr::Kind::kLeaf && shared.exprs.LeafAt(x.tag).key[0] == -2;
  }
  // A value of `after` that is a parameter, a shard, or without data needs no equal.
  bool NeedsNoEqual(size_t k) const {
    const Record& record = after.records()[k];
    return record.instruction->IsParameter() || of_shards.count(static_cast<int32_t>(k)) != 0 ||
           (record.value.size() == 1 && (!shared.exprs.At(record.value[0]).open || IsInput(record.value[0])));
  }
  bool IsNumber(ExprId e) const { return shared.exprs.RealOf(e) || shared.exprs.IntegerOf(e); }

  // Compares the bits of a constant of one module with those that the other module computes from constants. If a value
  // of `before` has the bits `folded`, `value` becomes that value.
  bool MatchFolded(const HloInstruction& i, const Literal& folded, Value& value) {
    const auto found = by_bits.find(folded.Hash());
    if (found == by_bits.end()) return false;
    for (const auto& [k, reciprocal, literal] : found->second) {
      const Builder::Record& a = before.records()[static_cast<size_t>(k)];
      const bool computed = reciprocal ? i.IsConstant() : a.instruction->IsConstant() != i.IsConstant();
      if (!computed || !literal->BitwiseEqual(folded) ||
          shared.exprs.TypeOf(a.value[0]) != shared.exprs.TypeOf(value[0]))
        continue;
      if (!IsInteger(shared.exprs.TypeOf(value[0]))) shared.exprs.Uses(kConstants);
      value[0] = reciprocal ? shared.exprs.Power(a.value[0], -kOne) : a.value[0];
      return true;
    }
    return false;
  }

  // Replaces a constant of `after` by a constant expression of `before` with the same value, if there is one.
  void MatchConstant(const HloInstruction& i, Value& value) {
    if (IsNumber(value[0])) return;
    int tried = 0;
    const std::set<ExprId>& all =
        closed[std::vector<int64_t>(i.shape().dimensions().begin(), i.shape().dimensions().end())];
    for (ExprId candidate : all) {
      if (shared.exprs.TypeOf(candidate) != shared.exprs.TypeOf(value[0]) || ++tried > kMostConstants) continue;
      if (!shared.exprs.EqualClosed(candidate, value[0])) continue;
      value[0] = candidate;
      return;
    }
  }

  // Replaces a value of `after`, and all of the same expression, by the value of `before` that the caller assumes
  // equal.
  bool Assume(Value& value) {
    const auto found = assumed.find(static_cast<int32_t>(after.records().size()));
    if (found == assumed.end()) {
      const auto same = taken_for.find(value);
      if (same != taken_for.end()) value = same->second;
      return same != taken_for.end();
    }
    if (static_cast<size_t>(found->second) >= before.records().size()) return false;
    const Value& equal = before.records()[static_cast<size_t>(found->second)].value;
    if (equal.size() != value.size()) return false;
    taken_for[value] = equal;
    value = equal;
    return true;
  }

  bool Mend(int32_t original, size_t cut, const HloInstruction& i, Value& value) {
    if (value.size() != 1) return false;
    const Record& of = before.records()[static_cast<size_t>(original)];
    const std::vector<Exprs::Substitution> cuts = ShardMatcher::Cuts(shared, of.instruction->shape(), i.shape());
    if (cut >= cuts.size() || shared.exprs.TypeOf(of.value[0]) != shared.exprs.TypeOf(value[0])) return false;
    value[0] = shared.exprs.Substitute(of.value[0], cuts[cut]);
    return true;
  }

  // Replaces a value of `after` that has no equal yet by an equal value of `before`. Candidates come from names and
  // origins; EqualInside compares them.
  void Match(const HloInstruction& i, const Literal* folded, Value& value) {
    if (value.size() != 1 || known.count(value[0]) != 0 || !i.shape().IsArray()) return;
    const bool number = IsNumber(value[0]);
    if (folded != nullptr && !number && MatchFolded(i, *folded, value)) return;
    if (shared.devices && shards.Match(i, value[0])) {
      of_shards.insert(static_cast<int32_t>(after.records().size()));
      return;
    }
    if (i.IsConstant()) return MatchConstant(i, value);
    if (number) return;
    if (shared.devices && shards.IsPadded(i, value[0])) of_shards.insert(static_cast<int32_t>(after.records().size()));
    std::vector<int32_t> candidates;
    const auto add = [&](const auto& table, std::string_view key) {
      const auto found = table.find(key);
      if (found == table.end()) return;
      for (size_t k = 0; k < found->second.size() && candidates.size() < kMostCandidates; ++k)
        candidates.push_back(found->second[k]);
    };
    add(by_name, i.name());
    if (i.metadata() != nullptr) add(by_origin, i.metadata()->op_name);
    for (int32_t candidate : candidates) {
      const Builder::Record& a = before.records()[static_cast<size_t>(candidate)];
      if (a.instruction->shape().dimensions() != i.shape().dimensions() ||
          shared.exprs.TypeOf(a.value[0]) != shared.exprs.TypeOf(value[0]))
        continue;
      if (search_left <= 0 || shared.exprs.work_left() < reserve) return;
      search_left -= kPerStep;
      if (!shared.exprs.EqualInside(a.value[0], value[0], kPerStep)) continue;
      value[0] = a.value[0];
      return;
    }
  }
  static constexpr int64_t kPerStep = 20000;
  static constexpr int kMostConstants = 64;
  int64_t search_left = int64_t{1} << 22;
};

// By record: whether a parameter is among the operands, or their operands, and so on.
std::vector<bool> DependOnParameters(const std::vector<Record>& records) {
  std::vector<bool> depends(records.size());
  for (size_t k = 0; k < records.size(); ++k) {
    depends[k] = records[k].instruction->IsParameter() ||
                 std::any_of(records[k].operands.begin(), records[k].operands.end(),
                             [&](int32_t o) { return o >= 0 && depends[static_cast<size_t>(o)]; });
  }
  return depends;
}

// Equal values with compatible shapes have the same number.
using ValueNumbers = std::map<std::pair<Value, std::string>, int32_t>;
std::vector<Node> NodesOf(const Builder& module, ValueNumbers& numbers) {
  std::vector<Node> nodes;
  for (const Builder::Record& record : module.records()) {
    const HloInstruction& i = *record.instruction;
    const auto number = static_cast<int32_t>(numbers.size());
    const auto found = numbers.try_emplace({record.value, i.shape().ToString(/*with_layout=*/false)}, number).first;
    std::vector<int32_t> operands = record.operands;
    operands.resize(static_cast<size_t>(i.IsParameter() ? 0 : i.operand_count()), -1);
    nodes.push_back({&i, std::move(operands), found->second});
  }
  return nodes;
}

Answer AnswerOf(uint32_t uses) {
  if ((uses & kAssumptions) != 0) return Answer::kProvedAssuming;
  return uses == 0 ? Answer::kProvedBitwise : Answer::kProvedReals;
}

// The assumptions on which any proof about these modules rests.
uint32_t AssumedOf(const HloModule& before, const HloModule& after) {
  uint32_t uses = 0;
  for (const HloModule* module : {&before, &after}) {
    for (const HloInstruction* i : module->AllInstructions()) {
      if (i->IsConstant() && i->shape().IsArray() && i->literal().elided()) uses |= kSameElided;
      if (i->opcode() == HloOpcode::kCustomCall && CustomCallOf(*i) == CustomCall::kUnknown) uses |= kSameUnknown;
      if (i->Is(kImpure) || i->opcode() == HloOpcode::kInfeed || i->opcode() == HloOpcode::kRecv) uses |= kSameRandom;
    }
  }
  return uses;
}

// The exact normal form (prove.h) may prove the whole bit for bit, also where the reals leave it open.
void TryExact(const HloModule& before, const HloModule& after, const Options& options, Result& result) {
  if (!options.try_bits || options.whole_arrays || !Prove(before, after, {.solver_work = 0}).holds) return;
  const HloInstruction &a = *before.entry_computation()->root(), &b = *after.entry_computation()->root();
  const uint32_t uses = AssumedOf(before, after);
  const Output output{AnswerOf(uses), uses};
  result.answer = output.answer;
  result.uses = uses;
  result.open.clear();
  result.why.clear();
  result.out_of_budget = result.refused = false;
  result.steps = {{std::string(a.name()), std::string(b.name()), "one exact normal form", uses}};
  result.outputs.assign(a.shape().Leaves().size(), output);
}

constexpr std::string_view kFirstWrong =
    "the first value that is neither a shard nor a partial result, and from which none is made";

// The source line of an instruction, or else of the only call of its computation; "" if there is none.
std::string LineOf(const HloInstruction& i) {
  for (const HloInstruction* at = &i;;) {
    if (const auto line = SourceOf(*at)) return line->ToString();
    const auto& callers = at->parent()->callers();
    if (callers.size() != 1) return "";
    at = *callers.begin();
  }
}

Step StepOf(const HloInstruction* before, const HloInstruction& after, std::string_view rule) {
  Step step{"", std::string(after.name()), std::string(rule), 0};
  if (before != nullptr) {
    step.before = before->name();
    step.before_source = LineOf(*before);
  }
  step.after_source = LineOf(after);
  return step;
}

Step StepOf(const Wrong& wrong) {
  Step step = StepOf(wrong.whole, *wrong.device, kFirstWrong);
  if (step.after_source.empty() && step.before_source.empty() && wrong.source != nullptr)
    step.after_source = LineOf(*wrong.source);
  if (wrong.partial != nullptr) {
    const Step partial = StepOf(nullptr, *wrong.partial, "");
    step.partial = partial.after, step.partial_source = partial.after_source;
  }
  return step;
}

// A value of the second module that is replaced by a shard of a value of the first, one of the ways to cut it.
struct Repair {
  int32_t record, original;
  size_t cut;
};

// A setting of the prover.
struct Way {
  int64_t large;              // the size from which a value is named
  int64_t most_turns;         // the trip count up to which a loop is unrolled
  bool opens_sums = false;    // see Exprs::SetOpensSums
  bool in_bounds = false;     // see Shared::in_bounds, Exprs::SetBoundsData
  bool opens_tables = false;  // see Exprs::SetOpensTables
};

// `wrong` receives the candidates for the first wrong step of a partitioned program that is not proved.
Result ProveOnce(const HloModule& before, const HloModule& after, const Options& options, const Way& way,
                 std::vector<Wrong>* wrong, const Repair* repair, int64_t& made) {
  Result result;
  if (ForOtherDevices(before, after)) {
    result.why = "the modules run on different numbers of devices";
    return result;
  }
  Prover p(before, after, options, UsesDevices(before) || UsesDevices(after));
  p.shared.exprs.SetLarge(way.large);
  p.shared.exprs.SetOpensSums(way.opens_sums);
  p.shared.exprs.SetOpensTables(way.opens_tables);
  p.shared.most_turns = way.most_turns;
  p.shared.in_bounds = way.in_bounds;
  bool wide = false;
  KnowLiterals(before, p.shared.exprs, wide);
  KnowLiterals(after, p.shared.exprs, wide);
  if (wide) p.shared.exprs.FoldsInF64();
  Value x, y;
  // A rewrite that adds roundings to a narrower float loses accuracy, so such roundings are kept.
  for (PrimitiveType type : {PrimitiveType::BF16, PrimitiveType::F16, PrimitiveType::F32})
    p.shared.keep_narrow = p.shared.keep_narrow || Roundings(after, type) > Roundings(before, type);
  p.shared.devices = Devices::Of(before, after, p.shared.exprs);
  p.shared.exprs.SetBoundsData(way.in_bounds);
  p.shared.same_parameters = options.whole_arrays;
  p.before.gives_up = p.after.gives_up = result.gave_up = options.gives_up;
  if (!p.shared.devices) p.shared.draws = DrawsOf(before, after);
  const int64_t budget = p.shared.exprs.work_left();
  const bool built = p.before.Build(before, x);
  // A program for several devices is compared while it is read, which takes about as much as reading the first.
  if (p.shared.devices && built) p.shared.exprs.Allow(budget - p.shared.exprs.work_left());
  // Adds the number of the proof's expressions to `made` on return.
  struct Count {
    const Exprs& exprs;
    int64_t& made;
    int64_t apart = 0;
    ~Count() { made += exprs.count() - apart; }
  } count{p.shared.exprs, made};
  result.unbounded_starts = p.shared.unbounded_starts;
  result.has_tables = p.shared.exprs.has_tables();
  if (p.shared.in_bounds && result.unbounded_starts > 0) result.uses |= kInBounds;
  p.Index();
  if (p.shared.devices) {
    p.shards.Index();
    p.shared.search_left = p.shared.exprs.work_left() - p.reserve;
  } else {
    p.shared.search_left = options.assumed.empty() ? kForLoops : kForLoops / 2;
  }
  p.after.is_second = true;
  for (const auto& [a, b] : options.assumed) p.assumed[b] = a;
  p.after.on_value = [&](const HloInstruction& i, const Literal* folded, Value& value) {
    if (repair != nullptr && static_cast<int32_t>(p.after.records().size()) == repair->record &&
        p.Mend(repair->original, repair->cut, i, value))
      return false;
    // The expression of a value that is assumed equal is looked up again.
    if (p.Assume(value)) return true;
    p.Match(i, folded, value);
    return false;
  };
  const auto find_wrong = [&](const std::vector<bool>& related, const std::vector<int32_t>& results,
                              const HloComputation* view) {
    *wrong = FirstWrong(p.shared, p.after.records(), related, results, p.shards, view);
    if (wrong->empty()) return;
    result.first_open = StepOf(wrong->front());
    result.open.push_back(*result.first_open);
  };
  if (!built || !p.after.Build(after, y)) {
    result.why = p.before.why().empty() ? p.after.why() : p.before.why();
    result.out_of_budget = p.before.out_of_budget() || p.after.out_of_budget();
    result.refused = p.shared.exprs.refusal() != nullptr;
    // The first wrong step may be why the work was too much: what is made from it has no equal and grows.
    if (built && p.shared.devices && wrong != nullptr && !result.refused) {
      const auto& records = p.after.records();
      std::vector<bool> related(records.size(), false);
      for (size_t k = 0; k < records.size(); ++k) {
        const Value& value = records[k].value;
        related[k] = p.NeedsNoEqual(k) || (value.size() == 1 && p.known.count(value[0]) != 0);
      }
      find_wrong(related, {}, after.entry_computation());
    }
    return result;
  }
  const HloComputation &entry = *before.entry_computation(), &other = *after.entry_computation();
  const auto inputs = [](const HloComputation& computation) {
    std::vector<const Shape*> all;
    for (const HloInstruction* parameter : computation.parameters()) {
      for (const Shape* leaf : parameter->shape().Leaves()) all.push_back(leaf);
    }
    return all;
  };
  const std::vector<const Shape*> of_before = inputs(entry), of_after = inputs(other);
  const bool same_parameters = std::equal(of_before.begin(), of_before.end(), of_after.begin(), of_after.end(),
                                          [](const Shape* p, const Shape* q) { return p->Compatible(*q); });
  if (!same_parameters) {
    result.why = "the parameters have different shapes";
    return result;
  }
  if (x.size() != y.size()) {
    result.why = "the results have different numbers of arrays";
    return result;
  }
  const std::vector<const Shape*> s = before.entry_computation()->root()->shape().Leaves(),
                                  t = after.entry_computation()->root()->shape().Leaves();
  for (size_t k = 0; k < s.size(); ++k) {
    if (s[k]->Compatible(*t[k])) continue;
    result.why = "the results have different shapes";
    return result;
  }
  // The equal values of the two modules. A step is listed unless it is the same operation of equal operands.
  const auto& as = p.before.records();
  const auto& bs = p.after.records();
  std::unordered_map<ExprId, std::vector<int32_t>> by_value;
  for (size_t k = 0; k < as.size(); ++k) {
    if (as[k].value.size() == 1) by_value[as[k].value[0]].push_back(static_cast<int32_t>(k));
  }
  std::vector<int32_t> partner(bs.size(), -1), partner_of_a(as.size(), -1);
  std::vector<bool> congruent(bs.size(), false);
  std::vector<uint32_t> cone_a(as.size(), 0), cone_b(bs.size(), 0);
  for (size_t k = 0; k < bs.size(); ++k) {
    if (bs[k].instruction->IsParameter()) {
      if (k < as.size() && as[k].value == bs[k].value) partner[k] = partner_of_a[k] = static_cast<int32_t>(k);
      congruent[k] = true;
      continue;
    }
    if (bs[k].value.size() != 1) continue;
    ++result.values;
    const auto found = by_value.find(bs[k].value[0]);
    if (found == by_value.end()) continue;
    ++result.matched;
    partner[k] = found->second[0];
    for (size_t c = 0; c < found->second.size() && c < 16; ++c) {
      const auto& a = as[static_cast<size_t>(found->second[c])];
      bool same = a.operands.size() == bs[k].operands.size() && SameOperation(*a.instruction, *bs[k].instruction);
      for (size_t o = 0; o < a.operands.size() && same; ++o) {
        const int32_t left = a.operands[o], right = bs[k].operands[o];
        same = (left < 0) == (right < 0) && (left < 0 || partner[static_cast<size_t>(right)] == left);
      }
      if (!same) continue;
      congruent[k] = true;
      partner[k] = found->second[c];
      break;
    }
    partner_of_a[static_cast<size_t>(partner[k])] = static_cast<int32_t>(k);
  }
  const auto nth = [](const std::vector<Builder::Record>& records) {
    std::unordered_map<const HloInstruction*, int32_t> count;
    std::vector<int32_t> all;
    for (const Builder::Record& record : records) all.push_back(count[record.instruction]++);
    return all;
  };
  const std::vector<int32_t> nth_a = nth(as), nth_b = nth(bs);
  for (size_t k = 0; k < bs.size(); ++k) {
    if (partner[k] < 0) continue;
    const size_t a = static_cast<size_t>(partner[k]);
    result.matches.push_back({as[a].instruction, bs[k].instruction, nth_a[a], nth_b[k]});
  }
  for (const auto& [records, partners, cones] :
       {std::tuple(&as, &partner_of_a, &cone_a), std::tuple(&bs, &partner, &cone_b)}) {
    std::unordered_map<ExprId, uint32_t> within;
    for (int pass = 0; pass < 2; ++pass) {
      for (size_t k = 0; k < records->size(); ++k) {
        (*cones)[k] = (*records)[k].uses;
        for (const int32_t o : (*records)[k].operands) {
          if (o < 0) continue;
          const auto at = static_cast<size_t>(o);
          if ((*partners)[at] < 0) (*cones)[k] |= (*cones)[at];
          else if (const auto found = within.find(ValueOf((*records)[at])); found != within.end())
            (*cones)[k] |= found->second;
        }
      }
      if (pass == 0) within = UsesWithin(*records, *cones);
    }
  }
  for (size_t k = 0; k < bs.size(); ++k) {
    if (partner[k] < 0 || p.assumed.count(static_cast<int32_t>(k)) != 0) continue;
    const uint32_t uses =
        (cone_b[k] | cone_a[static_cast<size_t>(partner[k])]) & (congruent[k] ? kAssumptions : ~uint32_t{0});
    result.uses |= uses;
    if (!congruent[k])
      result.steps.push_back({std::string(as[static_cast<size_t>(partner[k])].instruction->name()),
                              std::string(bs[k].instruction->name()), "index notation", uses});
  }
  result.answer = AnswerOf(result.uses);
  const bool same_effects = p.before.effects() == p.after.effects();
  if (!same_effects) {
    result.answer = Answer::kOpen;
    result.open.push_back({"", "effects", "the side effects were not found to be the same", 0});
  }
  for (size_t k = 0; k < x.size(); ++k) {
    Output output;
    p.shared.exprs.TakeUses();
    const bool equal = p.shared.devices ? p.shared.exprs.EqualInTiles(x[k], y[k], kLastLook)
                                        : p.shared.exprs.EqualInside(x[k], y[k], kLastLook);
    output.uses = result.uses;
    if (equal && same_effects) {
      if (x[k] != y[k]) output.uses |= p.shared.exprs.TakeUses();
      // Compares the cones between the last matched values and the result.
      for (const auto& [root, cones, partners] : {std::tuple(p.before.root_record(), &cone_a, &partner_of_a),
                                                  std::tuple(p.after.root_record(), &cone_b, &partner)}) {
        if (root < 0) continue;
        if ((*partners)[static_cast<size_t>(root)] >= 0 && x[k] == y[k]) continue;
        output.uses |= (*cones)[static_cast<size_t>(root)];
      }
      output.answer = AnswerOf(output.uses);
    }
    if (!equal && result.open.size() < kMostOpen) {
      const auto [inner_before, inner_after] = p.shared.exprs.Difference(x[k], y[k]);
      const auto [p_before, p_after] = p.shared.exprs.Apart(inner_before, inner_after);
      result.open.push_back({"", Format("result {}", k),
                             Format("{} against {}", p.shared.exprs.Text(p_before), p.shared.exprs.Text(p_after)), 0});
    }
    result.uses |= output.uses;
    result.answer = std::max(result.answer, output.answer);
    result.outputs.push_back(output);
  }
  if (result.answer != Answer::kOpen) {
    if (result.answer != Answer::kProvedBitwise) TryExact(before, after, options, result);
    return result;
  }
  if (options.nodes) {
    ValueNumbers numbers;
    result.before = NodesOf(p.before, numbers), result.after = NodesOf(p.after, numbers);
    result.before_root = p.before.root_record(), result.after_root = p.after.root_record();
  }
  // In a partitioned program the first wrong value is reported.
  if (p.shared.devices && wrong != nullptr) {
    const int64_t expressions = p.shared.exprs.count();
    std::vector<bool> related(bs.size(), false);
    const std::vector<bool> of_data = DependOnParameters(bs), of_data_before = DependOnParameters(as);
    for (size_t k = 0; k < bs.size(); ++k) {
      // A value that depends on constants alone is checked where it is used. One that is a constant though it is made
      // from data (x - x) is not equal to any constant of the original program.
      const bool closed = bs[k].value.size() == 1 && !p.shared.exprs.At(bs[k].value[0]).open;
      const bool by_chance =
          closed && of_data[k] && (partner[k] < 0 || !of_data_before[static_cast<size_t>(partner[k])]);
      related[k] = bs[k].instruction->IsParameter() || (!by_chance && (partner[k] >= 0 || p.NeedsNoEqual(k)));
    }
    const HloComputation* view = other.name() == kWholeEntry ? &other : nullptr;
    std::vector<int32_t> results;
    if (const int32_t root = p.after.root_record(); root >= 0) {
      const Builder::Record& record = bs[static_cast<size_t>(root)];
      const bool flat = record.instruction->opcode() == HloOpcode::kTuple && record.operands.size() == y.size();
      for (size_t k = 0; k < y.size(); ++k) {
        const int32_t at = flat ? record.operands[k] : root;
        if (at >= 0 && result.outputs[k].answer == Answer::kOpen) results.push_back(at);
      }
    }
    find_wrong(related, results, view);
    count.apart = p.shared.exprs.count() - expressions;
  }
  // Constants need no equal value.
  const auto has_equal = [&](int32_t k) {
    const size_t at = static_cast<size_t>(k);
    return k < 0 || partner[at] >= 0 || bs[at].instruction->IsConstant() ||
           (bs[at].value.size() == 1 && p.IsNumber(bs[at].value[0]));
  };
  std::vector<bool> needed(bs.size(), false);
  if (const int32_t root = p.after.root_record(); root >= 0) {
    const std::vector<int32_t>& of = bs[static_cast<size_t>(root)].operands;
    const bool flat = bs[static_cast<size_t>(root)].instruction->opcode() == HloOpcode::kTuple && of.size() == y.size();
    for (size_t k = 0; k < y.size(); ++k) {
      if (result.outputs[k].answer == Answer::kOpen && (!flat || of[k] >= 0))
        needed[static_cast<size_t>(flat ? of[k] : root)] = true;
    }
  }
  for (size_t k = bs.size(); k-- > 0;) {
    if (!needed[k] || has_equal(static_cast<int32_t>(k))) continue;
    result.unproved += bs[k].value.size() == 1;
    for (int32_t o : bs[k].operands)
      if (o >= 0) needed[static_cast<size_t>(o)] = true;
  }
  for (size_t k = 0; k < bs.size() && result.open.size() < kMostOpen; ++k) {
    if (has_equal(static_cast<int32_t>(k)) || bs[k].value.size() != 1) continue;
    if (p.shared.devices && !p.shared.exprs.At(bs[k].value[0]).open) continue;  // tables of shards
    if (std::all_of(bs[k].operands.begin(), bs[k].operands.end(), has_equal))
      result.open.push_back(StepOf(nullptr, *bs[k].instruction, "no value of the other module was found equal"));
  }
  return result;
}

}  // namespace

// The settings decide which values become equal expressions. A pair that is open under one may be proved under another.
Result ProveInside(const HloModule& before, const HloModule& after, const Options& of_caller) {
  constexpr int64_t kSmallest = 24;
  constexpr int64_t kLarge = 160;  // the size that most proofs need
  Way ways[] = {{kLarge, 4},
                {56, 8},
                {kSmallest, 4},
                {500, 0},
                {kSmallest, 4, true},
                {kLarge, 4, false, true},
                {kLarge, 4, false, false, true}};
  constexpr int64_t kMostMade = 1 << 18;  // expressions, after which no repair is tried, and of sizes only the smallest
  constexpr int64_t kMostForSizes = 1 << 20;   // expressions of one proof, after which no other size is tried
  constexpr int64_t kMostForTables = 1 << 14;  // of the first proof, after which no table is written out
  constexpr int64_t kMostAgain = 1 << 15;      // of the first proof that assumes pairs, after which no other is tried
  constexpr size_t kMostCuts = 4;
  constexpr int kMostRepairs = 32;
  constexpr int64_t kMany = 1 << 13;  // instructions above which the cheapest way is tried first
  const bool devices = UsesDevices(before) || UsesDevices(after);
  const bool many = before.instruction_count() + after.instruction_count() > kMany;
  // In a long partitioned program the parts of large values meet in more and more products.
  if (devices && many) std::swap(ways[0], ways[2]);
  Result first;
  Options options = of_caller;
  if (many && !devices && !options.nodes) {
    TryExact(before, after, options, first);
    if (first.answer != Answer::kOpen) return first;
    options.try_bits = false;
  }
  std::vector<Wrong> wrong;
  const Way* named = &ways[0];         // the setting in which `wrong` was found
  int64_t made = 0, once = 0, in = 0;  // expressions: of all proofs, of the first, of the one that found `wrong`
  bool small = false, sizes = true, too_much = false;
  for (const Way& way : ways) {
    const bool is_first = &way == &ways[0];
    if (way.in_bounds      ? !devices || first.unbounded_starts == 0
        : way.opens_sums   ? !devices
        : way.opens_tables ? devices || !first.has_tables || once > kMostForTables
                           : way.large != kLarge && (!sizes || (small && way.large > kSmallest)))
      continue;
    const int64_t made_before = made;
    Result result = ProveOnce(before, after, options, way, wrong.empty() ? &wrong : nullptr, nullptr, made);
    if (is_first) once = made, too_much = result.out_of_budget;
    const bool judged = result.answer != Answer::kOpen, unfinished = result.out_of_budget || result.refused;
    if (result.first_open) named = &way, in = made - made_before, first.first_open = result.first_open;
    // Open values of modules that were read to their ends can be tested.
    const bool more = !first.why.empty() && (result.first_open || (!devices && result.why.empty()));
    if (judged || is_first || more) first = std::move(result);
    // An unsupported module stays unsupported under every setting. A module that is too large may fit with more named
    // values.
    if (judged || options.gives_up || (!options.assumed.empty() && once > kMostAgain) ||
        (is_first && !first.why.empty() && !unfinished))
      break;
    sizes = unfinished || once <= kMostForSizes;
    small = small || unfinished || made > kMostMade;
  }
  // What is too much work may be one operation, besides which all is proved.
  if (too_much && !options.gives_up && !first.first_open && !devices && first.answer == Answer::kOpen) {
    Options gives_up = options;
    gives_up.gives_up = true;
    Result result = ProveOnce(before, after, gives_up, ways[0], nullptr, nullptr, made);
    if (result.why.empty()) first = std::move(result);
  }
  const bool compared = first.why.empty() || first.out_of_budget || first.refused;
  if (first.answer == Answer::kOpen && compared) TryExact(before, after, options, first);
  if (first.answer != Answer::kOpen || !first.why.empty() || wrong.size() < 2 || in > kMostMade) return first;
  // The first wrong step is the candidate that, if it were right, would relate most of what follows.
  const auto proved = [](const Result& result) {
    const auto outputs = std::count_if(result.outputs.begin(), result.outputs.end(),
                                       [](const Output& output) { return output.answer != Answer::kOpen; });
    return std::pair(outputs, result.matched);
  };
  auto most = proved(first);
  ++most.second;  // the candidate itself
  size_t best = 0;
  int tries = 0;
  made = in;
  for (size_t k = 0; k < wrong.size(); ++k) {
    for (size_t cut = 0; cut < std::min(wrong[k].ways, kMostCuts); ++cut) {
      if (++tries > kMostRepairs || made > 4 * kMostMade) break;
      const Repair repair{wrong[k].record, wrong[k].original, cut};
      const auto count = proved(ProveOnce(before, after, options, *named, nullptr, &repair, made));
      if (count > most) most = count, best = k;
    }
  }
  for (Step& step : first.open) {
    if (step.rule == kFirstWrong) step = StepOf(wrong[best]);
  }
  first.first_open = StepOf(wrong[best]);
  return first;
}

Result ProveExactly(const HloModule& before, const HloModule& after,
                    const std::vector<std::pair<int32_t, int32_t>>& assumed) {
  Result result;
  const ProveOptions limits;
  Terms terms(limits.max_work + limits.work_for_each * (before.instruction_count() + after.instruction_count()));
  Terms::Records a, b;
  const Term* const x = terms.Of(before, &a);
  if (x != nullptr) {
    for (const auto& [of_a, of_b] : assumed) b.assumed[of_b] = a.all[static_cast<size_t>(of_a)].term;
  }
  const Term* const y = x == nullptr ? nullptr : terms.Of(after, &b);
  if (y == nullptr) {
    result.why = terms.why();
    return result;
  }
  const HloInstruction &root = *before.entry_computation()->root(), &other = *after.entry_computation()->root();
  // An effect adds to the result.
  if (!root.shape().Compatible(other.shape()) || !x->shape.Compatible(root.shape()) ||
      !y->shape.Compatible(other.shape())) {
    result.why = "the modules have different results, or side effects";
    return result;
  }
  std::unordered_map<const Term*, int32_t> numbers;
  const auto nodes_of = [&](const Terms::Records& records) {
    std::vector<Node> nodes;
    for (const Terms::Record& record : records.all) {
      const auto number = static_cast<int32_t>(numbers.size());
      nodes.push_back({record.instruction, record.operands, numbers.try_emplace(record.term, number).first->second});
    }
    return nodes;
  };
  result.before = nodes_of(a);
  const auto shared = static_cast<int32_t>(numbers.size());
  result.after = nodes_of(b);
  result.before_root = a.root, result.after_root = b.root;
  for (const Node& node : result.after) {
    if (node.instruction->IsParameter() || !node.instruction->shape().IsArray()) continue;
    ++result.values;
    ++(node.equal < shared ? result.matched : result.unproved);
  }
  result.uses = AssumedOf(before, after);
  result.answer = AnswerOf(result.uses);
  const std::function<void(const Term*, const Term*)> compare = [&](const Term* p, const Term* q) {
    for (int64_t k = 0; k < p->shape.tuple_size() && p->shape.IsTuple(); ++k)
      compare(terms.Element(p, k), terms.Element(q, k));
    if (p->shape.IsTuple()) return;
    result.outputs.push_back(p == q ? Output{AnswerOf(result.uses), result.uses} : Output{});
    result.answer = std::max(result.answer, result.outputs.back().answer);
  };
  compare(x, y);
  return result;
}

std::vector<std::string> AssumptionsOf(const HloModule& before, const HloModule& after) {
  return WordsOf(AssumedOf(before, after));
}

}  // namespace hloir::equivalence
