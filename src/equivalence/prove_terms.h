// A module's computation as terms in normal form: two modules whose results are the same term compute the same, bit for
// bit (apart from NaN payloads). Each term is made once and holds its operands; names, order, copies, calls, fusions,
// layouts and dead code are removed. The normal form shares no code with the passes, so that a bug in a pass cannot
// prove its own result (docs/proofs.md).
//
// The form: elementwise operations are above data movement, which is strided views (an offset and a stride for each
// dimension) of opaque values. Sums and products of integers are polynomials modulo 2^n; bitwise operations are
// polynomials of and and xor with masks. The reference evaluator folds constants.
//
// prove.h is the interface. prove_terms.cc has the table and the views; prove_algebra.cc, prove_polynomials.cc and
// prove_conditions.cc have the elementwise operations, prove_ranges.cc the ranges of integers; prove_build.cc reads
// modules, prove_applied.cc operations that apply computations, prove_loop*.cc and prove_counters.cc loops. Covered by
// tests/unit/prove_test.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/module.h"

namespace hloir::equivalence {

struct Term {
  enum class Kind : uint8_t {
    kParameter,  // data: its number; of a loop-carried value see IsLoopVariable
    kConstant,   // a scalar, or an array that is not a splat
    kIota,       // 0, 1, 2, … without end, read through views
    kView,       // of operands[0]'s elements in row-major order; data: an offset, and a stride for each dimension
    kRing,       // a polynomial of its operands modulo 2^n; data: for each monomial its factor and its operands' places
    kBits,       // the same with xor for +, and for *, and a mask for the factor
    kOp,  // the opcode's operation on the operands, then on the bodies that it calls, with parameters of their own
  };
  // Bounds of the elements of an array of integers (except u64) or predicates; not part of a term's identity.
  struct Range {
    int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  };
  Kind kind = Kind::kOp;
  HloOpcode opcode = HloOpcode::kTuple;
  Shape shape;  // without layout
  std::vector<const Term*> operands;
  std::vector<int64_t> data;
  const HloInstruction* like = nullptr;  // the instruction whose attributes an opaque operation has
  std::shared_ptr<const Literal> literal;
  int32_t id = 0;
  int32_t height = 0;  // number of nested elementwise operations
  Range range;

  bool IsElementwise() const;
};

// The width of an element in bits; 1 for a predicate.
int WidthOfTerm(PrimitiveType type);
// The attributes of an elementwise operation on arrays of one size, as a term's data; nullopt for other operations.
std::optional<std::vector<int64_t>> DataOfElementwise(const HloInstruction& i);
// The values of an integer type (except u64) or of predicates.
Term::Range RangeOfType(PrimitiveType type);
// Returns whether `t` is a loop-carried value at the start of an iteration. Its data: a name, a number that
// distinguishes equal names, the depth of the loop in the nest, and the bounds of its values.
inline bool IsLoopVariable(const Term* t) { return t->kind == Term::Kind::kParameter && t->data.size() == 5; }

// Maps an index of a result to an index of its source: dimension k of the result moves along source dimension from[k]
// (-1: none) by step[k], beginning at start.
struct Walk {
  DimVector dimensions;  // of the result
  std::vector<int64_t> from, step;
  std::vector<int64_t> start;  // for each dimension of the source
};

// The terms of any number of modules, which must outlive this table.
class Terms {
 public:
  explicit Terms(int64_t max_work = int64_t{1} << 20);

  // A value of the entry, or of a call or fusion in it. `operands`: earlier records, -1 if there is none.
  struct Record {
    const HloInstruction* instruction;
    std::vector<int32_t> operands;
    const Term* term;
  };
  struct Records {
    std::vector<Record> all;  // in evaluation order, the entry's parameters first
    int32_t root = -1;
    std::map<int32_t, const Term*> assumed;                // by record: the term that is assumed equal
    std::unordered_map<const Term*, const Term*> instead;  // of the terms that these replace, as vectors
  };
  // The entry's result. Null on failure; why() has the reason.
  const Term* Of(const HloModule& module, Records* records = nullptr);
  const std::string& why() const { return why_; }
  int64_t count() const { return static_cast<int64_t>(terms_.size()); }

  // The value of a scalar or splat constant; nullopt for anything else, or if it is large.
  std::optional<Literal> ConstantOf(const Term* t);
  const Term* At(int32_t id) const { return &terms_[static_cast<size_t>(id)]; }
  const Term* Element(const Term* tuple, int64_t index);

 private:
  using Operands = std::vector<const Term*>;
  using Polynomial = std::map<std::vector<int32_t>, uint64_t>;  // by the ids of the factors

  // The table.
  const Term* Make(Term t);
  bool Equal(const Term& a, const Term& b) const;
  const Term* Op(HloOpcode opcode, Shape shape, Operands operands, std::vector<int64_t> data = {},
                 const HloInstruction* like = nullptr);
  const Term* Constant(Literal literal);
  const Term* Parameter(int64_t number, const Shape& shape);
  const Term* Splat(const Shape& shape, const Literal& scalar);
  const Term* SplatOf(const Shape& shape, int64_t value);
  bool Spent(int64_t work = 1);

  // Views.
  struct Strided {
    const Term* base = nullptr;
    int64_t offset = 0;
    std::vector<int64_t> strides;
  };
  Strided AsStrided(const Term* t) const;
  const Term* View(Strided v, const Shape& shape);
  const Term* ViewOfPart(const Strided& v, const Shape& shape);
  const Term* SliceOfIota(const Term* iota, const Operands& starts, const Shape& shape);
  const Term* SliceOfBase(const Term* view, const Operands& starts, const Shape& shape);
  const Term* Walked(const Term* t, const Walk& walk);
  const Term* Reshape(const Term* t, const DimVector& dimensions);
  const Term* Transpose(const Term* t, std::span<const int64_t> permutation);
  const Term* Broadcast(const Term* t, const DimVector& dimensions, const DimVector& places);
  const Term* Slice(const Term* t, std::span<const int64_t> starts, std::span<const int64_t> steps,
                    const DimVector& sizes);
  // Clamps the starts to the array.
  const Term* DynamicSlice(const Term* t, Operands starts, const DimVector& sizes);
  const Term* DynamicUpdateSlice(const Term* t, const Term* update, Operands starts);
  // Returns the starts that are constants, clamped (0 if the slice spans the dimension), and gives them one type.
  std::vector<std::optional<int64_t>> ClampStarts(Operands& starts, const DimVector& whole, const DimVector& sizes);
  const Term* Concatenate(Operands operands, int64_t dimension);
  // The same operation with `change` applied to its operands.
  const Term* Rebuilt(const Term* t, const std::function<const Term*(const Term*)>& change,
                      std::unordered_map<const Term*, const Term*>& done);

  // Elementwise operations. The operands have the same dimensions.
  const Term* Elementwise(HloOpcode opcode, PrimitiveType type, Operands x, std::vector<int64_t> data = {});
  const Term* Normalized(HloOpcode opcode, PrimitiveType type, Operands x, std::vector<int64_t> data);
  const Term* OnIntegers(HloOpcode opcode, const Shape& shape, Operands& x);
  const Term* OnFloats(HloOpcode opcode, const Shape& shape, Operands& x);
  const Term* Compare(const Shape& shape, Operands x, std::vector<int64_t> data);
  const Term* CompareFloats(const Shape& shape, const Operands& x, const std::vector<int64_t>& data);
  const Term* Select(const Shape& shape, Operands x);
  const Term* Convert(const Shape& shape, const Term* x);
  const Term* Extreme(HloOpcode opcode, const Shape& shape, const Operands& x);
  const Term* Not(const Term* x);
  const Term* Folded(HloOpcode opcode, const Shape& shape, const Operands& x, const std::vector<int64_t>& data);
  std::optional<Literal> Evaluate(HloOpcode opcode, const Shape& shape, std::span<const Literal* const> operands,
                                  const std::vector<int64_t>& data, const HloInstruction* like);
  // Integers and booleans only; nullopt if the elements differ.
  std::optional<int64_t> SplatInteger(const Term* t);
  bool IsSplat(const Term* t, double value);

  // Ranges.
  Term::Range RangeOf(const Term& t);

  // Polynomials.
  Polynomial RingOf(const Term* t);
  Polynomial BitsOf(const Term* t);
  bool Times(Polynomial& a, const Polynomial& b, bool bits) const;
  const Term* FromPolynomial(const Polynomial& p, const Shape& shape, bool bits);

  // Modules.
  struct Inside;
  int32_t AddRecord(const HloInstruction& i, std::vector<int32_t> operands, Records& records, const Term*& term);
  const Term* Build(const HloComputation& computation, std::span<const Term* const> arguments, int depth,
                    Inside* inside = nullptr);
  const Term* Of(const HloInstruction& i, const Operands& x, int depth, Inside* inside = nullptr);
  const Term* Body(const HloComputation& computation, int depth);
  const Term* Nested(const HloComputation& computation, int depth);
  const Term* Opaque(const HloInstruction& i, const Operands& x, int depth);
  const Term* Effect(const HloInstruction& i, const Operands& x, int depth);
  const Term* OfWhile(const HloInstruction& i, const Operands& x, int depth);

  // Loops.
  struct Loop;
  const Term* Part(const Term* state, const Shape& shape, int64_t k);
  const Term* StateOf(const Loop& loop, Operands elements);
  const Term* Substituted(const Loop& loop, const Operands& variables);
  void SetVariable(Loop& loop, size_t c, int64_t name, int64_t twin);
  const Term* Condition(const Loop& loop, const Term* state);
  const Term* Turn(const Loop& loop, const Term* state);
  const Term* Variable(const Shape& shape, int64_t name, int64_t twin, Term::Range range);
  void Iterate(Loop& loop);
  bool FindClasses(Loop& loop);
  const Term* Canonical(Loop& loop);
  const Term* StepOf(const Loop& loop, size_t c);
  void CountTurns(Loop& loop);
  const Term* Unrolled(Loop& loop, const Term* begin);
  const Term* LastOf(const Loop& loop, size_t c);
  void FindNeeds(Loop& loop);
  std::vector<size_t> Needed(const Loop& loop, const std::vector<size_t>& classes);
  bool IsUsed(const Loop& loop, size_t k);
  std::vector<size_t> NeededByResults(Loop& loop);
  void NameVariables(Loop& loop);
  const Term* ResultsOf(Loop& loop);

  // Operations.
  const Term* OfDot(const HloInstruction& i, const Operands& x);
  const Term* OfReduce(const HloInstruction& i, const Operands& x, int depth);
  const Term* OfReduceWindow(const HloInstruction& i, const Operands& x, int depth);
  const Term* OfMap(const HloInstruction& i, const Operands& x, int depth);
  const Term* OfSort(const HloInstruction& i, const Operands& x, int depth);
  const Term* PadWith(const Term* t, const Term* value, int64_t d, int64_t low, int64_t high);
  const Term* OfPad(const HloInstruction& i, const Operands& x);
  const Term* OfConditional(const HloInstruction& i, const Operands& x, int depth);
  const Term* OfConstants(const HloInstruction& i, const Operands& x);
  const Term* OfConstant(const HloInstruction& i);
  const Term* Values(const Literal& literal);
  const Term* OfConvolution(const HloInstruction& i, const Operands& x);
  const Term* OfGather(const HloInstruction& i, const Operands& x);
  Operands StartsOfWindow(const Term* indices, const DimVector& map, int64_t rank);
  const Term* OfScatter(const HloInstruction& i, const Operands& x, int depth);
  const Term* OfDynamicSlice(const HloInstruction& i, const Operands& x);
  const Term* OfBitcast(const HloInstruction& i, const Operands& x);

  std::deque<Term> terms_;
  std::unordered_map<uint64_t, std::vector<const Term*>> by_hash_;
  std::unordered_map<const HloComputation*, const Term*> bodies_;
  std::map<std::pair<const HloInstruction*, std::vector<int64_t>>, const Term*> loops_;  // by level and initial values
  // What the operations that move the elements of a leaf, by their attributes, make of elementwise terms.
  std::map<std::vector<int64_t>, std::unordered_map<const Term*, const Term*>> rebuilt_;
  int64_t unused_ = 0;                                 // number of loop results without a use
  int64_t loop_level_ = 0;                             // depth of the current loop nest
  Operands effects_;                                   // of the module that is being read, in order
  int nested_ = 0;                                     // depth of computations that do not run exactly once
  std::unordered_map<std::string, int64_t> elided_;    // numbers of constants without values, by name
  std::vector<std::unique_ptr<HloModule>> legalized_;  // instructions of mixed floats with their converts
  std::unique_ptr<HloEvaluator> evaluator_;
  std::string why_;
  int64_t work_left_;
};

}  // namespace hloir::equivalence
