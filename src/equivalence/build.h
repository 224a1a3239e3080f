// Builds expressions from modules: the value of each instruction, inside calls, fusions, branches and loops too. One
// Builder reads one module; two builders that share an Exprs give equal values equal ids. See equivalence.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "equivalence/devices.h"
#include "equivalence/expr.h"
#include "hloir/evaluator.h"
#include "hloir/module.h"

namespace hloir::equivalence::inside {

// A value's arrays and tokens, depth first. Each is an expression in its dimensions' variables.
using Value = std::vector<ExprId>;

class ShardMatcher;
struct Loop;

// An instruction with its value, in evaluation order; the entry's parameters are first.
struct Record {
  const HloInstruction* instruction;
  Value value;
  uint32_t uses;                          // of this instruction alone
  std::vector<int32_t> operands;          // indices of records; -1: none
  std::shared_ptr<const Literal> folded;  // the bits, if the value depends on constants alone
};

// A carried value of a loop of the first module, and how it is cut into shards.
struct Shards {
  size_t place;
  Exprs::Substitution cut;
};
// For each carried value of a loop of the second module: of what it may be a shard, the likeliest first.
using Ways = std::vector<std::vector<Shards>>;

// An iteration of a loop of the second module beside one of a loop of the first.
struct LoopTurn {
  std::vector<Record> values;
  std::map<const HloInstruction*, bool> found;  // whether a value is a shard, or does not depend on data
  const Loop* loop;
  std::vector<std::pair<size_t, size_t>> lost;  // carried values that it does not keep, with those of the first module
  size_t count() const {
    return static_cast<size_t>(
        std::count_if(found.begin(), found.end(), [](const auto& entry) { return entry.second; }));
  }
};

// A state of the generator from which an expanded `rng` computes its numbers, and the key of the bits.
struct Draw {
  const HloInstruction* state;
  uint64_t key;
};
std::vector<Draw> DrawsOf(const HloModule& drawn, const HloModule& expanded);

// Philox adds these to the two words of its key in each of its rounds.
inline constexpr uint32_t kPhiloxSteps[] = {0x9E3779B9, 0xBB67AE85};
inline constexpr uint32_t kPhiloxRounds = 10;
// The dimension along which the two numbers of a call lie beside each other: the first even one, or else the longest;
// 0 of a scalar.
size_t PairedDimension(const std::vector<int64_t>& sizes);

// State that the builders of both modules share.
struct Shared {
  Exprs exprs;
  std::map<std::string, int64_t> names;  // ids of custom-call targets, names of elided constants, …
  std::map<HloOpcode, std::vector<const HloInstruction*>> like;
  // Whether conversions to narrower floats are operations; otherwise they are taken for exact.
  bool keep_narrow = false;
  std::map<int64_t, std::vector<ExprId>> made_of;  // next values by class of carried values
  int64_t agreed = 0;                              // number of these values
  int64_t most_turns = 4;                          // trip count limit for unrolling
  int64_t loop_work = int64_t{1} << 21;
  int64_t fold_work = int64_t{1} << 20;  // element limit for constant folding
  std::unique_ptr<HloEvaluator> evaluator;
  std::optional<Devices> devices;  // the devices that values depend on
  bool same_parameters = false;    // all devices have the same parameters
  int64_t search_left = 0;         // work for comparisons with shards
  // Whether the first module's dynamic-update-slices are taken to start within bounds, and how many of their starts
  // that are the same on all devices no range bounds.
  bool in_bounds = false;
  int64_t unbounded_starts = 0;
  std::deque<Loop> loops;   // of the first module
  std::vector<Draw> draws;  // in order, if one module draws random numbers and the other's draws are expanded
  int64_t unspecified = 0;  // number of values that nothing may depend on
  // For loops of the second module without an equal: the iteration in which most values have one.
  std::map<const HloInstruction*, LoopTurn> turns;
  std::set<int64_t> differs_each_time;  // leaves of random numbers, infeeds, calls with side effects
  explicit Shared(int64_t max_work);
  ~Shared();
  int64_t NameOf(std::string_view text) {
    return names.try_emplace(std::string(text), static_cast<int64_t>(names.size())).first->second;
  }
  int64_t AttributesOf(const HloInstruction& i);
};

class Builder {
 public:
  using Record = inside::Record;
  explicit Builder(Shared& shared) : shared_(shared), x_(shared.exprs) {}
  bool gives_up = false;   // takes an operation whose expression is too much work for an opaque one
  bool is_second = false;  // reads the second module, whose values are matched with the first's
  // Called with each recorded value, and its bits if it depends on constants alone. May replace the value by an equal
  // one. Returns whether the replaced expressions are kept; else what was made on the way to the value is freed.
  std::function<bool(const HloInstruction&, const Literal*, Value&)> on_value;
  // Builds the entry's result. Returns false on failure; why() has the reason.
  bool Build(const HloModule& module, Value& result);
  const std::string& why() const { return why_; }
  bool out_of_budget() const { return out_of_budget_; }
  const std::vector<Record>& records() const { return records_; }
  // Side effects, in order.
  const std::vector<ExprId>& effects() const { return effects_; }
  int32_t root_record() const { return root_record_; }

 private:
  struct Inside {
    int32_t level = 0, depth = 0;
    bool record = true;
    std::vector<Record>* values = nullptr;  // where the records of a loop's body are kept
    ShardMatcher* matcher = nullptr;        // for values of a loop's body
    // Values of a loop's body, with whether they are shards, or do not depend on data.
    std::map<const HloInstruction*, bool>* found = nullptr;
    // Whether loops inside are compared with those of the other module: not while the values that the loop around them
    // carries have names that change.
    bool relates = true;
  };
  Value Evaluate(const HloComputation& computation, const std::vector<Value>& arguments, Inside in,
                 const std::vector<int32_t>& argument_records, int32_t* root_record = nullptr);
  Value Of(const HloInstruction& i, const std::vector<const Value*>& operands, Inside in,
           const std::vector<int32_t>& operand_records, int32_t* record);
  ExprId Array(const HloInstruction& i, const std::vector<ExprId>& x);
  ExprId Elementwise(const HloInstruction& i, const std::vector<ExprId>& x);
  ExprId Exact(const HloInstruction& i, const std::vector<ExprId>& x);
  // `e` with the rounding that the combiner's result `combined` has.
  ExprId RoundedAs(ExprId combined, ExprId e);
  // Rounds to the type, unless such roundings are taken for exact.
  ExprId Rounded(ExprId e, PrimitiveType type);
  ExprId FromInteger(ExprId x, PrimitiveType from, PrimitiveType to);
  // An operand of a contraction in the type of its result; -1: not looked into.
  ExprId InResultType(ExprId x, const Shape& from, const Shape& result);
  ExprId OfConstant(const HloInstruction& i);
  std::shared_ptr<const Literal> Folded(const HloInstruction& i, const std::vector<int32_t>& operand_records);
  ExprId Dot(const HloInstruction& i, const std::vector<ExprId>& x);
  ExprId Convolution(const HloInstruction& i, const std::vector<ExprId>& x);
  ExprId Pad(const HloInstruction& i, const std::vector<ExprId>& x);
  ExprId Gather(const HloInstruction& i, const std::vector<ExprId>& x);
  ExprId DynamicSlice(const HloInstruction& i, const std::vector<ExprId>& x);
  ExprId DynamicUpdateSlice(const HloInstruction& i, const std::vector<ExprId>& x);
  ExprId Bitcast(const HloInstruction& i, ExprId x);
  Value Reduce(const HloInstruction& i, const std::vector<ExprId>& x, Inside in);
  Value ReduceWindow(const HloInstruction& i, const std::vector<ExprId>& x, Inside in);
  Value SelectAndScatter(const HloInstruction& i, const std::vector<ExprId>& x, Inside in);
  struct Taps {
    std::vector<VarId> over;
    ExprId inside;          // is the place one of the operand?
    std::vector<Index> at;  // then it is this element
  };
  Taps TapsOf(const Window& window, const Shape& from, const Shape& to, bool prefix);
  Value WindowRows(const Taps& taps, const std::vector<ExprId>& covered, const std::vector<ExprId>& init,
                   const Value& region);
  Value Sort(const HloInstruction& i, const std::vector<ExprId>& x, Inside in);
  struct Updates {
    std::vector<VarId> over;  // the updates' batch variables
    ExprId meets;             // condition: the update is applied to the element
    std::vector<Index> at;    // the update's index for this element
  };
  std::optional<Updates> UpdatesOf(const HloInstruction& i, ExprId starts, const Shape& updates);
  Value Scatter(const HloInstruction& i, const std::vector<ExprId>& x, Inside in);
  Value TopK(const HloInstruction& i, ExprId x, bool largest, Inside in);
  ExprId TotalOrder(ComparisonDirection direction, ExprId a, ExprId b, PrimitiveType of);
  ExprId BitcastConvert(const HloInstruction& i, ExprId x, Inside in);
  Value BatchNorm(const HloInstruction& i, const std::vector<ExprId>& x);
  Value RandomBits(const HloInstruction& i, ExprId state);  // build_random.cc
  ExprId OneOf(const std::vector<ExprId>& made, const Shape& line, const std::vector<Index>& call, const Index& which);
  ExprId PhiloxWord(ExprId key, ExprId low, ExprId high, int64_t count, PrimitiveType type, const Index& at);
  ExprId StateOfDraw(size_t number, const Shape& shape);  // build_draws.cc
  Value Drawn(const HloInstruction& i, const std::vector<ExprId>& x);
  // The loop of a while, or of an operation that is defined by one.
  struct LoopForm {
    std::vector<const Shape*> shapes;  // of the carried values
    int64_t instructions;              // of the body
    std::function<Value(const Value&, Inside)> body, condition;
  };
  // build_batched.cc
  static bool IsSolver(const HloInstruction& i);
  Value Batched(const HloInstruction& i, const std::vector<ExprId>& x);
  static bool TakesAnyOrder(const HloComputation& computation);
  static HloOpcode ExtremeOfChosen(const HloComputation& computation, size_t k);
  Value While(const HloInstruction& i, const Value& init, Inside in);
  Value Looped(const HloInstruction& i, const LoopForm& form, const Value& init, Inside in);
  Value Scan(const HloInstruction& i, const std::vector<ExprId>& x, Inside in);  // build_defined.cc
  // build_linear.cc
  Index RowAt(ExprId e, int64_t size);
  Value Cholesky(const HloInstruction& i, ExprId a, Inside in);
  Value TriangularSolve(const HloInstruction& i, ExprId a, ExprId b, Inside in);
  ExprId StochasticConvert(const HloInstruction& i, const std::vector<ExprId>& x);
  // build_loops.cc
  void Remember(const HloInstruction& i, Loop loop, Inside inner);
  // What is known of a loop of the second module before it is compared: the values that need no match (the same in all
  // iterations, or counters), and its trip count, 0 if unknown.
  struct KnownOfLoop {
    Value carried;
    std::vector<bool> fixed;
    int64_t turns = 0;
  };
  Value Related(const HloInstruction& i, const Value& init, Inside inner, const KnownOfLoop& known,
                const Loop** with = nullptr);
  void Suspect(const HloInstruction& i, const LoopTurn& turn);
  Ways WaysOf(const Loop& loop, const HloInstruction& i, const Value& init, const KnownOfLoop& known);
  bool RelatedTo(const Loop& loop, Ways ways, const HloInstruction& i, Inside inner, const KnownOfLoop& known,
                 Value& result);
  ExprId Agreed(int64_t of, ExprId e);
  bool Reached(ExprId from, std::set<int64_t>& leaves);
  int64_t Turns(const Value& init, const Value& carried, const Value& next, ExprId condition);
  std::optional<Index> Counter(ExprId init, ExprId carried, ExprId next, VarId turn);
  ExprId OverTurns(ExprId init, ExprId carried, ExprId next, VarId turn, const std::set<int64_t>& varying);
  // build_collectives.cc; empty if unsupported
  Value Collective(const HloInstruction& i, const std::vector<const Value*>& operands, Inside in);
  Value Reduced(const HloInstruction& i, const std::vector<ExprId>& x, const Devices::Groups& groups, Inside in);
  Value Gathered(const HloInstruction& i, const std::vector<ExprId>& x, const Devices::Groups& groups);
  Value Exchanged(const HloInstruction& i, const std::vector<ExprId>& x, const Devices::Groups& groups);
  Value Permuted(const HloInstruction& i, ExprId e);
  ExprId Combined(const HloInstruction& i, const Devices::Groups& groups, ExprId e, HloOpcode op);
  ExprId OnDevice(ExprId e, const Index& device, const Shape& shape, const std::vector<Index>& at);
  std::optional<Index> Member(const Devices::Groups& groups, const Index& k);
  std::optional<Index> Rank(const Devices::Groups& groups);
  // The mesh axes that a value depends on.
  std::vector<VarId> AxesOf(const Value& value) const;
  // A condition that decides whether collectives run must be the same on all devices.
  bool SameForAll(const HloInstruction& i, ExprId decides);

  Value Conditional(const HloInstruction& i, const std::vector<const Value*>& operands, Inside in);
  Value Opaque(const HloInstruction& i, const std::vector<const Value*>& operands, Inside in);

  // The opcode of a computation that combines two scalars: add, maximum, …; kLog for log(exp a + exp b); kTuple for any
  // other. `region` receives its values.
  HloOpcode Combiner(const HloComputation& computation, PrimitiveType type, Inside in, Value* region);
  // The same for result k of a region of n and n scalars, if it depends on the two k-th scalars alone.
  HloOpcode CombinerOf(const HloComputation& computation, const Value& region, size_t k, size_t n, PrimitiveType type,
                       Inside in);
  // Its parameters are those of these numbers; null: their own.
  Value Region(const HloComputation& computation, Inside in, const std::vector<int64_t>* numbers = nullptr);
  ExprId RegionParameter(int64_t kind, int64_t a, int64_t b, const Shape& shape, const std::vector<VarId>& axes = {});
  ExprId Read(ExprId x, const Shape& shape, const std::vector<Index>& index);
  std::vector<Index> Dimensions(const Shape& shape);
  ExprId LeafArray(std::vector<int64_t> key, const Shape& shape, const std::vector<VarId>& captured = {});
  // An array of values that nothing may depend on. `kind`: of its key.
  ExprId UnspecifiedArray(int64_t kind, const Shape& shape);
  std::vector<VarId> Captured(const std::vector<ExprId>& values) const;
  bool TooDeep(Inside in);
  void OutOfBudget(std::string why) {
    why_ = std::move(why);
    out_of_budget_ = true;
  }

  Shared& shared_;
  Exprs& x_;
  std::string why_;
  bool out_of_budget_ = false;
  std::vector<Record> records_;
  int32_t root_record_ = -1;
  int64_t sequence_ = 0;
  size_t next_draw_ = 0;
  std::vector<ExprId> effects_;
  std::vector<int32_t> branch_roots_;  // records of the results of the last conditional's branches
};

// The state of a loop after induction: the carried values before and after an iteration.
struct Loop {
  std::vector<const Shape*> shapes;
  int32_t level;
  Value init, carried, next, result;
  ExprId condition;
  std::vector<Record> values;  // records of the body
  const HloInstruction* instruction;
  int64_t turns;                // 0: unknown
  std::vector<int64_t> number;  // the key of the number of iterations
  std::vector<VarId> captured;  // the iterations of the loops around it on which it depends
};

inline Shared::Shared(int64_t max_work) : exprs(max_work) {}
inline Shared::~Shared() = default;

PrimitiveType Normal(PrimitiveType type);
inline bool IsQuantized(PrimitiveType type) { return IsFloat(type) && BitWidth(type) < 16; }

}  // namespace hloir::equivalence::inside
