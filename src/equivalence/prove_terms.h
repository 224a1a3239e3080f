// The computation of a module, as terms in a normal form: two modules whose results are one term compute the same, bit
// for bit (apart from which NaN). Each term is made once and holds its operands; names, order, copies, calls, fusions,
// layouts and dead code are gone. The normal form is made here and nowhere else: no code of a pass takes part, so that
// a pass with a bug cannot prove its result (docs/proofs.md).
//
// The form: elementwise operations stand on top, and data movement under them, as strided views (an offset and a
// stride for each dimension) of opaque values. Sums and products of integers are polynomials modulo
// 2^n, and bitwise logic polynomials of and and xor with masks. Operations on constants are done, by the reference.
//
// prove.h is the way in. prove_terms.cc has the table and the views, prove_algebra.cc the elementwise operations,
// prove_ranges.cc the ranges of integers, prove_build.cc reads modules, prove_loops.cc their loops. Covered by
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
    kParameter,  // data: its number; of an element that a loop carries, see IsLoopVariable
    kConstant,   // a scalar, or an array that is not the same all over
    kIota,       // 0, 1, 2, … without end, to be seen through views
    kView,       // of operands[0]'s elements in row-major order; data: an offset, and a stride for each dimension
    kRing,  // a polynomial of its operands modulo 2^n; data: for each monomial its factor, and its operands' places
    kBits,  // the same with xor for +, and for *, and a mask for the factor
    kOp,    // the opcode's operation on the operands; behind them the bodies it calls, over parameters of their own
  };
  // Of each element of an array of integers other than u64, or of booleans. Only a bound: it takes no part in equality.
  struct Range {
    int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  };
  Kind kind = Kind::kOp;
  HloOpcode opcode = HloOpcode::kTuple;
  Shape shape;  // without layout
  std::vector<const Term*> operands;
  std::vector<int64_t> data;
  const HloInstruction* like = nullptr;  // has the attributes of an op that is not looked into
  std::shared_ptr<const Literal> literal;
  int32_t id = 0;
  int32_t height = 0;  // of elementwise operations on top of each other
  Range range;

  bool IsElementwise() const;
};

// The bits of an element as a number: 1 for a boolean.
int WidthOfTerm(PrimitiveType type);
// All numbers of a type of integers or booleans, but u64.
Term::Range RangeOfType(PrimitiveType type);
// An element of a loop's state before a turn. data: a name, a number that tells equal names apart, how many loops are
// around the loop, and the lowest and highest value.
inline bool IsLoopVariable(const Term* t) { return t->kind == Term::Kind::kParameter && t->data.size() == 5; }

// An index of a result, as indices of its source: dimension k of the result walks along from[k] (-1: none)
// by step[k], beginning at start.
struct Walk {
  DimVector dimensions;  // of the result
  std::vector<int64_t> from, step;
  std::vector<int64_t> start;  // for each dimension of the source
};

// The terms of any number of modules, which must outlive it.
class Terms {
 public:
  explicit Terms(int64_t max_work = int64_t{1} << 20);

  // The entry's result. nullptr: why() says the reason.
  const Term* Of(const HloModule& module);
  const std::string& why() const { return why_; }
  int64_t count() const { return static_cast<int64_t>(terms_.size()); }

  // The value of a constant term, splats included; nullopt for anything else, or if it is large.
  std::optional<Literal> ConstantOf(const Term* t);
  const Term* At(int32_t id) const { return &terms_[static_cast<size_t>(id)]; }

 private:
  using Operands = std::vector<const Term*>;
  using Polynomial = std::map<std::vector<int32_t>, uint64_t>;  // by the ids of the factors

  // The table.
  const Term* Make(Term t);
  bool Equal(const Term& a, const Term& b) const;
  const Term* Op(HloOpcode opcode, Shape shape, Operands operands, std::vector<int64_t> data = {},
                 const HloInstruction* like = nullptr);
  const Term* Constant(Literal literal);
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
  const Term* Walked(const Term* t, const Walk& walk);
  const Term* Reshape(const Term* t, const DimVector& dimensions);
  const Term* Transpose(const Term* t, std::span<const int64_t> permutation);
  const Term* Broadcast(const Term* t, const DimVector& dimensions, const DimVector& places);
  const Term* Slice(const Term* t, std::span<const int64_t> starts, std::span<const int64_t> steps,
                    const DimVector& sizes);
  // At starts that are clamped to the array.
  const Term* DynamicSlice(const Term* t, Operands starts, const DimVector& sizes);
  const Term* DynamicUpdateSlice(const Term* t, const Term* update, Operands starts);
  // Starts that are known, clamped, and of one type in `starts`; 0 where a dimension is taken whole.
  std::vector<std::optional<int64_t>> ClampStarts(Operands& starts, const DimVector& whole, const DimVector& sizes);
  const Term* Concatenate(Operands operands, int64_t dimension);
  // The same operation on operands that `change` has changed.
  const Term* Rebuilt(const Term* t, const std::function<const Term*(const Term*)>& change,
                      std::unordered_map<const Term*, const Term*>& done);

  // Elementwise operations, on operands of the same dimensions.
  const Term* Elementwise(HloOpcode opcode, PrimitiveType type, Operands x, std::vector<int64_t> data = {});
  const Term* OnIntegers(HloOpcode opcode, const Shape& shape, Operands& x);
  const Term* OnFloats(HloOpcode opcode, const Shape& shape, Operands& x);
  const Term* Compare(const Shape& shape, Operands x, std::vector<int64_t> data);
  const Term* Select(const Shape& shape, Operands x);
  const Term* Convert(const Shape& shape, const Term* x);
  const Term* Extreme(HloOpcode opcode, const Shape& shape, const Operands& x);
  const Term* Not(const Term* x);
  const Term* Folded(HloOpcode opcode, const Shape& shape, const Operands& x, const std::vector<int64_t>& data);
  std::optional<Literal> Evaluate(HloOpcode opcode, const Shape& shape, std::span<const Literal* const> operands,
                                  const std::vector<int64_t>& data, const HloInstruction* like);
  // Integers and booleans alone; nullopt if the elements differ.
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
  const Term* Build(const HloComputation& computation, std::span<const Term* const> arguments, int depth);
  const Term* Of(const HloInstruction& i, const Operands& x, int depth);
  const Term* Body(const HloComputation& computation, int depth);
  const Term* Element(const Term* tuple, int64_t index);
  const Term* OfWhile(const HloInstruction& i, const Operands& x, int depth);
  const Term* OfOpaqueWhile(const HloInstruction& i, const Operands& x, int depth);
  const Term* Canonical(const HloInstruction& loop, const Operands& initial, int depth);
  const Term* OfDot(const HloInstruction& i, const Operands& x);
  const Term* OfReduce(const HloInstruction& i, const Operands& x, int depth);
  const Term* OfPad(const HloInstruction& i, const Operands& x);
  const Term* OfConvolution(const HloInstruction& i, const Operands& x);
  const Term* OfGather(const HloInstruction& i, const Operands& x);
  const Term* OfScatter(const HloInstruction& i, const Operands& x);
  const Term* OfDynamicSlice(const HloInstruction& i, const Operands& x);
  const Term* OfBitcast(const HloInstruction& i, const Operands& x);

  std::deque<Term> terms_;
  std::unordered_map<uint64_t, std::vector<const Term*>> by_hash_;
  std::unordered_map<const HloComputation*, const Term*> bodies_;
  std::map<std::pair<const HloInstruction*, std::vector<int64_t>>, const Term*> loops_;  // by level and initial values
  int64_t unused_ = 0;      // results of loops that nothing reads
  int64_t loop_level_ = 0;  // the loops around the body that is read
  std::unique_ptr<HloEvaluator> evaluator_;
  std::string why_;
  int64_t work_left_;
};

}  // namespace hloir::equivalence
