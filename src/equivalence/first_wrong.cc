// See first_wrong.h. Partial results are looked for only where shards end, because a test of one costs a sum over
// devices: first each value from which a shard is made counts as right; then, of the first value that is left, the
// values made from it are tested, until one is a partial result or none is.
#include "equivalence/first_wrong.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "hloir/source_line.h"

namespace hloir::equivalence::inside {
namespace {

constexpr size_t kMostFirsts = 8;
constexpr size_t kMostBehind = 64;           // values made from a value that are tested
constexpr int kMostMoved = 4;                // moves between a partial result and what reads it
constexpr int kMostTests = 256;              // of one program, or of one turn of a loop
constexpr int64_t kWork = int64_t{1} << 21;  // for all tests of one program or turn

bool HasOrigin(const HloInstruction& i) { return i.metadata() != nullptr && !i.metadata()->op_name.empty(); }

// The values of a program, or of one turn of a loop, operands first.
struct Values {
  std::vector<const HloInstruction*> instructions;
  std::vector<ExprId> values;  // -1: not one array
  std::vector<std::vector<int32_t>> operands;
  std::vector<bool> related;

  bool IsTuple(int32_t k) const { return At(k).opcode() == HloOpcode::kTuple; }
  const HloInstruction& At(int32_t k) const { return *instructions[static_cast<size_t>(k)]; }
  // The operands of value k. Instead of a tuple: the element that is read, or else all elements.
  std::vector<int32_t> ReadBy(int32_t k) const {
    std::vector<int32_t> all;
    for (int32_t o : operands[static_cast<size_t>(k)]) {
      if (o < 0) continue;
      if (!IsTuple(o)) {
        all.push_back(o);
        continue;
      }
      const std::vector<int32_t>& parts = operands[static_cast<size_t>(o)];
      if (At(k).opcode() == HloOpcode::kGetTupleElement) {
        const int32_t part = parts[static_cast<size_t>(At(k).tuple_index())];
        if (part >= 0) all.push_back(part);
        continue;
      }
      for (int32_t part : parts)
        if (part >= 0) all.push_back(part);
    }
    return all;
  }
};

class Search {
 public:
  Search(Shared& shared, Values values, ShardMatcher& matcher, const HloComputation* view)
      : shared_(shared),
        values_(std::move(values)),
        matcher_(matcher),
        view_(view),
        tested_(values_.values.size(), false),
        partial_(tested_) {}

  std::vector<Wrong> Find() {
    if (shared_.exprs.refusal() == nullptr) shared_.exprs.Allow(kWork);
    std::vector<int32_t> firsts;
    for (bool found = true; found;) {
      Lead();
      firsts = Firsts();
      found = false;
      for (size_t f = 0; f < firsts.size() && !found; ++f) {
        for (int32_t k : Behind(firsts[f])) found = found || Relates(k);
      }
    }
    if (firsts.empty()) firsts = PartialResults();
    std::vector<Wrong> all;
    for (int32_t first : firsts) {
      Wrong wrong{&values_.At(first)};
      wrong.record = first;
      if (IsOfText(first)) wrong.original = matcher_.NamesakeOf(*wrong.device);
      if (wrong.original >= 0) wrong.ways = matcher_.WaysToCut(wrong.original, *wrong.device);
      if (!wrong.device->Is(kCollective)) wrong.partial = PartialBefore(first);
      for (int32_t k : Behind(first)) {
        const HloInstruction& i = values_.At(k);
        // What has an origin of its own is not part of the next step.
        if (wrong.whole == nullptr && (k == first || !HasOrigin(*wrong.device))) wrong.whole = matcher_.Original(i);
        if (wrong.source == nullptr && SourceOf(i)) wrong.source = &i;
      }
      all.push_back(wrong);
    }
    const auto is_step = [](const Wrong& wrong) {
      return wrong.original >= 0 || wrong.partial != nullptr || wrong.device->Is(kCollective) ||
             wrong.device->opcode() == HloOpcode::kWhile;
    };
    // If no step of the original program begins there, those that follow are candidates.
    if (!firsts.empty() && std::none_of(all.begin(), all.end(), is_step)) {
      for (int32_t k : Behind(firsts[0])) {
        const int32_t original =
            IsOfText(k) && !leads_[static_cast<size_t>(k)] ? matcher_.NamesakeOf(values_.At(k)) : -1;
        if (original < 0) continue;
        all.push_back({&values_.At(k), matcher_.Original(values_.At(k)), nullptr, nullptr, k, original,
                       matcher_.WaysToCut(original, values_.At(k))});
      }
      return all;
    }
    // Parts of a step that the original program does not compute come last: they have no relation even if right.
    std::stable_partition(all.begin(), all.end(), is_step);
    return all;
  }

 private:
  // A value from which a related value is made is right.
  void Lead() {
    leads_ = values_.related;
    for (size_t k = leads_.size(); k-- > 0;) {
      const int32_t at = static_cast<int32_t>(k);
      if (!leads_[k] || values_.IsTuple(at)) continue;
      for (int32_t o : values_.ReadBy(at)) leads_[static_cast<size_t>(o)] = true;
    }
  }

  // The values that are not right for all that is known, although their operands are.
  std::vector<int32_t> Firsts() const {
    std::vector<int32_t> all;
    for (size_t k = 0; k < leads_.size() && all.size() < kMostFirsts; ++k) {
      const int32_t at = static_cast<int32_t>(k);
      if (leads_[k] || values_.IsTuple(at)) continue;
      const std::vector<int32_t> read = values_.ReadBy(at);
      if (std::all_of(read.begin(), read.end(), [&](int32_t o) { return bool{leads_[static_cast<size_t>(o)]}; }))
        all.push_back(at);
    }
    return all;
  }

  bool IsOfText(int32_t k) const { return values_.At(k).parent() != view_; }

  // The value and the next values that depend on it.
  std::vector<int32_t> Behind(int32_t first) const {
    std::vector<int32_t> all{first};
    std::vector<bool> depends(leads_.size(), false);
    depends[static_cast<size_t>(first)] = true;
    for (size_t k = static_cast<size_t>(first) + 1; k < leads_.size() && all.size() < kMostBehind; ++k) {
      const int32_t at = static_cast<int32_t>(k);
      if (values_.IsTuple(at)) continue;
      const std::vector<int32_t> read = values_.ReadBy(at);
      depends[k] =
          std::any_of(read.begin(), read.end(), [&](int32_t o) { return bool{depends[static_cast<size_t>(o)]}; });
      if (depends[k]) all.push_back(at);
    }
    return all;
  }

  // The partial result that the value is made from, where it arises; null if there is none.
  const HloInstruction* PartialBefore(int32_t first) {
    const HloInstruction* origin = nullptr;
    int32_t at = first;
    for (int moved = 0; moved < kMostMoved; ++moved) {
      const std::vector<int32_t> read = values_.ReadBy(at);
      const auto partial = std::find_if(read.begin(), read.end(), [&](int32_t k) {
        return partial_[static_cast<size_t>(k)] || (!values_.related[static_cast<size_t>(k)] && IsPartial(k));
      });
      if (partial != read.end()) {
        origin = &values_.At(at = *partial);
        continue;
      }
      // What only moves or converts a value may have another shape than any value of the original program.
      const auto moves = std::find_if(read.begin(), read.end(), [&](int32_t k) {
        return !values_.related[static_cast<size_t>(k)] &&
               (values_.At(k).Is(kMovesData) || values_.At(k).opcode() == HloOpcode::kConvert);
      });
      if (moves == read.end()) break;
      at = *moves;
    }
    return origin;
  }

  // Partial results that nothing reads: results.
  std::vector<int32_t> PartialResults() const {
    std::vector<bool> used(leads_.size(), false);
    for (size_t k = 0; k < leads_.size(); ++k) {
      if (values_.IsTuple(static_cast<int32_t>(k))) continue;
      for (int32_t o : values_.ReadBy(static_cast<int32_t>(k))) used[static_cast<size_t>(o)] = true;
    }
    std::vector<int32_t> all;
    for (size_t k = 0; k < leads_.size(); ++k)
      if (partial_[k] && !used[k]) all.push_back(static_cast<int32_t>(k));
    return all;
  }

  bool IsPartial(int32_t k) { return Relates(k) && partial_[static_cast<size_t>(k)]; }

  // Looks once for a relation of the value. Returns whether one was found now.
  bool Relates(int32_t k) {
    const size_t at = static_cast<size_t>(k);
    if (tested_[at] || values_.related[at] || values_.values[at] < 0 || !IsOfText(k) || shared_.exprs.OutOfWork() ||
        tests_ >= kMostTests)
      return false;
    tested_[at] = true;
    ++tests_;
    const ShardMatcher::Relation relation = matcher_.RelationOf(values_.At(k), values_.values[at]);
    values_.related[at] = relation != ShardMatcher::Relation::kNone;
    partial_[at] = relation == ShardMatcher::Relation::kPartial;
    return values_.related[at];
  }

  Shared& shared_;
  Values values_;
  ShardMatcher& matcher_;
  const HloComputation* view_;
  std::vector<bool> tested_, partial_, leads_;
  int tests_ = 0;
};

Values ValuesOf(const std::vector<Record>& records, const std::vector<bool>& related) {
  Values values;
  values.related = related;
  for (const Record& record : records) {
    values.instructions.push_back(record.instruction);
    values.values.push_back(record.value.size() == 1 ? record.value[0] : -1);
    values.operands.push_back(record.instruction->IsParameter() ? std::vector<int32_t>() : record.operands);
  }
  return values;
}

// One turn of a loop's body, without what it calls.
Values ValuesOf(const LoopTurn& turn, const HloComputation& body) {
  Values values;
  std::map<const HloInstruction*, int32_t> at;
  std::map<const HloInstruction*, ExprId> known;
  for (const Record& record : turn.values) known[record.instruction] = record.value.size() == 1 ? record.value[0] : -1;
  for (const HloInstruction* i : body.PostOrder()) {
    at[i] = static_cast<int32_t>(values.instructions.size());
    values.instructions.push_back(i);
    const auto value = known.find(i);
    values.values.push_back(value == known.end() ? -1 : value->second);
    std::vector<int32_t>& operands = values.operands.emplace_back();
    for (const HloInstruction* operand : i->operands()) operands.push_back(at.at(operand));
    const bool carried = i->opcode() == HloOpcode::kGetTupleElement && i->operand(0)->IsParameter();
    const auto found = turn.found.find(i);
    values.related.push_back(i->IsParameter() || carried || (found != turn.found.end() && found->second));
  }
  return values;
}

// The loop whose result the value is.
const HloInstruction* LoopOf(const Wrong& wrong) {
  return wrong.device->opcode() == HloOpcode::kGetTupleElement ? wrong.device->operand(0) : wrong.device;
}

// Each value of the turn is right, but it hands on the wrong one: of the carried value that is read, or else the first.
std::optional<Wrong> LostIn(const LoopTurn& turn, const Wrong& wrong) {
  const HloInstruction &root = *LoopOf(wrong)->while_body()->root(), &whole = *turn.loop->values.back().instruction;
  if (turn.lost.empty() || root.opcode() != HloOpcode::kTuple || whole.opcode() != HloOpcode::kTuple) return {};
  const bool reads = wrong.device->opcode() == HloOpcode::kGetTupleElement;
  const auto read = std::find_if(turn.lost.begin(), turn.lost.end(), [&](const auto& lost) {
    return reads && static_cast<int64_t>(lost.first) == wrong.device->tuple_index();
  });
  const auto& [k, place] = read == turn.lost.end() ? turn.lost[0] : *read;
  if (root.operand_count() != std::ssize(root.shape().Leaves()) ||
      whole.operand_count() != std::ssize(whole.shape().Leaves()))
    return {};
  return Wrong{root.operand(static_cast<int64_t>(k)), whole.operand(static_cast<int64_t>(place))};
}

}  // namespace

std::vector<Wrong> FirstWrong(Shared& shared, const std::vector<Record>& records, const std::vector<bool>& related,
                              const std::vector<int32_t>& results, ShardMatcher& matcher, const HloComputation* view) {
  const Values values = ValuesOf(records, related);
  std::vector<Wrong> all = Search(shared, values, matcher, view).Find();
  if (all.empty() && !results.empty()) {
    int32_t at = results[0];
    for (std::vector<int32_t> read = values.ReadBy(at); values.At(at).parent() == view && !read.empty();
         read = values.ReadBy(at))
      at = read[0];
    all.push_back({&values.At(at)});
  }
  for (Wrong& wrong : all) {
    for (auto turn = shared.turns.find(LoopOf(wrong)); turn != shared.turns.end();
         turn = shared.turns.find(LoopOf(wrong))) {
      ShardMatcher of_turn(shared, turn->second.loop->values);
      of_turn.Index();
      const std::vector<Wrong> inner =
          Search(shared, ValuesOf(turn->second, *turn->first->while_body()), of_turn, view).Find();
      const std::optional<Wrong> next = inner.empty() ? LostIn(turn->second, wrong) : inner[0];
      if (!next) break;
      wrong = *next;
      wrong.record = wrong.original = -1;
    }
    while (wrong.device->parent() == view && wrong.device->operand_count() > 0 &&
           wrong.device->opcode() != HloOpcode::kCall)
      wrong.device = wrong.device->operand(0);
    while (wrong.device->opcode() == HloOpcode::kCall) wrong.device = wrong.device->called_computation(0)->root();
    if (wrong.whole == nullptr) wrong.whole = matcher.Original(*wrong.device);
  }
  return all;
}

}  // namespace hloir::equivalence::inside
