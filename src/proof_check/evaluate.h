// Values of a graph in a trial. Floats are numbers of number.h; integers and conditions have their values. The
// reference evaluator computes sums and moves of integers, and the element sources of operations that move data. An
// unsupported operation is a random function of its operands. Covered by tests/unit/proof_check_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/module.h"
#include "proof_check/graph.h"
#include "proof_check/number.h"

namespace hloir::proof_check {

// What is known of an array of integers or conditions for all inputs.
struct Bounds {
  int64_t low = std::numeric_limits<int64_t>::max();  // above `high`: not known yet
  int64_t high = std::numeric_limits<int64_t>::min();
  bool open = false;   // depends on inputs
  bool wraps = false;  // is known modulo 2^n only: a sum or product that may have wrapped around

  // All numbers of a type. (A u64 from 2^63 on is a negative int64_t, so these bounds order nothing.)
  static Bounds Of(PrimitiveType type);
  Bounds With(const Bounds& other) const;
  // Whether a number of `from` with these bounds is one of `to`.
  bool Fit(PrimitiveType from, PrimitiveType to) const;
  // The value itself or another one between the bounds.
  int64_t Within(int64_t value) const;
};

struct Array {
  Shape shape;
  Literal literal;              // integers and conditions
  std::vector<Number> numbers;  // floats; for complex numbers the real parts, then the imaginary parts
  Bounds bounds = {};           // of integers and conditions
  bool IsReal() const { return IsFloat(shape.element_type()); }
  bool HasNumbers() const { return IsReal() || IsComplex(shape.element_type()); }
};
using ArrayPtr = std::shared_ptr<const Array>;

// Comparisons of numbers by one side of a step: the two numbers (see ComparedAs), and whether the comparison decides a
// < b, a > b or a = b. Random numbers cannot tell what happens at ties.
using Records = std::set<std::tuple<uint32_t, uint32_t, int>>;
using Ties = std::set<std::pair<uint32_t, uint32_t>>;  // pairs of different numbers

class Shared;
// The arithmetic and inputs of one trial.
struct Trial {
  Trial(uint64_t seed, int number, Order order, bool bits)
      : arithmetic(seed, order, bits), seed(seed), number(number), order(order) {}
  Arithmetic arithmetic;
  uint64_t seed;
  int number;
  Order order;
  bool MeetsTies() const { return number % 4 == 3; }  // some random numbers are numbers of the texts
  // A random value of that shape; equal keys give equal values. Integers are between `bounds`, if these are known.
  ArrayPtr Leaf(const Shape& shape, uint64_t key, const Shared& shared, const Bounds& bounds = {});
  // A random integer: small, one of the texts (in turn) or any.
  int64_t Integer(uint64_t key, size_t turn, const Bounds& bounds, const Shared& shared) const;
};

// State that all trials and both modules share.
class Shared {
 public:
  Shared();
  const HloEvaluator& interpreter() const { return *interpreter_; }
  // Operations have the same class if they are the same function of their operands.
  uint64_t ClassOf(const HloInstruction& i);
  // The operation in terms of others (definitions.cc); null if it has no definition, or none that holds bit for bit.
  const HloComputation* DefinitionOf(const HloInstruction& i, bool bits);
  // Null if the computation is unsupported.
  const Graph* GraphOf(const HloComputation& computation);
  // For each element of the result, the operand element that the operation moves there; the operands' elements are
  // numbered consecutively. `operands` supplies the index operands. Null if the operation does not only move data.
  using Sources = std::shared_ptr<const std::vector<int64_t>>;
  Sources SourcesOf(const HloInstruction& i, const std::vector<ArrayPtr>& operands);
  // The same number gives the same trial.
  Trial& TrialOf(int number, Order order, bool bits);
  int64_t Spend(int64_t work) { return work_left -= work; }
  int64_t work_left = 0;
  // Whether roundings to narrow floats are operations in trials over the reals: the second module has more of them.
  // Roundings to eight bits or fewer always are.
  bool keeps_roundings = false;
  Records* records = nullptr;  // for the side that is being evaluated
  // Half of these pairs of numbers are compared as if they were equal.
  const Ties* ties = nullptr;
  std::vector<double> literals;  // of both texts
  std::vector<Arithmetic::Combined> combined;
  std::vector<int64_t> integers;

 private:
  std::unique_ptr<HloEvaluator> interpreter_;
  std::map<HloOpcode, std::vector<const HloInstruction*>> classes_;
  std::unordered_map<const HloInstruction*, uint64_t> class_of_;
  std::unordered_map<const HloComputation*, std::unique_ptr<const Graph>> graphs_;
  std::unordered_map<const HloInstruction*, std::unique_ptr<HloModule>> definitions_;
  std::unordered_map<const HloInstruction*, Sources> sources_;
  std::map<std::tuple<int, Order, bool>, std::unique_ptr<Trial>> trials_;
};

// Returns whether `wide` has all numbers of `narrow`.
bool HasAllOf(PrimitiveType wide, PrimitiveType narrow);
// Returns whether the operation rounds its result to a float that is narrower than f32 or than its operand.
bool RoundsTo(const HloInstruction& i, PrimitiveType type);

class Evaluation {
 public:
  Evaluation(const Graph& graph, Shared& shared, Trial& trial, int depth = 0)
      : graph_(graph), shared_(shared), trial_(trial), depth_(depth), values_(graph.value_count()) {}
  void Set(ValueId value, ArrayPtr array) { values_[static_cast<size_t>(value)] = std::move(array); }
  const ArrayPtr& Known(ValueId value) const { return values_[static_cast<size_t>(value)]; }
  // Null on failure; why() has the reason.
  ArrayPtr Get(ValueId value);
  const std::string& why() const { return why_; }

 private:
  using Arrays = std::vector<ArrayPtr>;
  bool Evaluate(const Graph::Op& op);
  Arrays Of(const Graph::Op& op, const Arrays& x);
  Arrays Unknown(const Graph::Op& op, const Arrays& x);
  ArrayPtr OfLiteral(Literal literal, bool closed = true);
  ArrayPtr Interpreted(const HloInstruction& i, const Arrays& x, const Bounds& bounds = {});

  // Integers that depend on inputs (integers.cc).
  struct Integer {
    int64_t value;
    Bounds bounds;
  };
  int64_t Draw(uint64_t key, const Bounds& bounds) const;  // a random function of the key
  bool Less(const Integer& a, const Integer& b, PrimitiveType type) const;
  const Integer& Larger(const Integer& a, const Integer& b, PrimitiveType type) const;
  const Integer& Smaller(const Integer& a, const Integer& b, PrimitiveType type) const;
  bool Equal(const Integer& a, const Integer& b) const;
  ArrayPtr ByElement(const HloInstruction& i, const Arrays& x, const Bounds& bounds,
                     const std::function<int64_t(const std::vector<Integer>&)>& function);
  ArrayPtr Extremum(const HloInstruction& i, const Arrays& x, bool largest);
  ArrayPtr SelectedByOrder(const Graph::Op& op, const Arrays& x);
  ArrayPtr ConvertIntegers(const HloInstruction& i, const Arrays& x);
  ArrayPtr OpenElementwise(const HloInstruction& i, const Arrays& x);
  ArrayPtr OpenIntegers(const HloInstruction& i, const Arrays& x);

  bool Holds(const Graph::Op& op, PrimitiveType type, int depth) const;
  void Round(const Graph::Op& op, Arrays& results);
  ArrayPtr Moved(const HloInstruction& i, const Arrays& x);
  ArrayPtr BitsOfConstants(const HloInstruction& i, const Array& x);
  ArrayPtr Elementwise(const HloInstruction& i, const Arrays& x);
  bool IsFinite(const Number& x);
  bool Holds(const Number& x, const Number& y, ComparisonDirection direction);
  std::pair<uint32_t, uint32_t> ComparedAs(const Number& x, const Number& y) const;
  void Note(const Number& x, const Number& y, ComparisonDirection direction);
  ArrayPtr OfComplex(const HloInstruction& i, const Arrays& x);
  ArrayPtr Convert(const Shape& shape, const ArrayPtr& x);
  ArrayPtr Dot(const HloInstruction& i, const Array& x, const Array& y);
  ArrayPtr Convolution(const HloInstruction& i, const Array& x, const Array& y);
  ArrayPtr Cholesky(const HloInstruction& i, const Array& x);
  ArrayPtr TriangularSolve(const HloInstruction& i, const Array& x, const Array& y);
  bool SpendOnSolves(const Shape& shape, size_t n);
  // A computation that combines n scalars with n scalars.
  struct Combiner {
    const Graph* graph = nullptr;
    HloOpcode op = HloOpcode::kTuple;  // the opcode, if the computation is one operation on its two operands
    PrimitiveType type = PrimitiveType::F32;
  };
  Combiner CombinerOf(const HloComputation& computation);
  Arrays Reduce(const HloInstruction& i, const Arrays& x);
  Arrays Scatter(const HloInstruction& i, const Arrays& x);
  ArrayPtr SelectAndScatter(const HloInstruction& i, const Arrays& x);
  Arrays Sort(const HloInstruction& i, const Arrays& x);
  Arrays Map(const HloInstruction& i, const Arrays& x);
  Arrays Scan(const HloInstruction& i, const Arrays& x);
  Arrays Call(const HloComputation& computation, const Arrays& arguments);
  Arrays While(const Graph::Op& op, Arrays state);
  Arrays Conditional(const Graph::Op& op);
  bool Fail(std::string why) {
    if (why_.empty()) why_ = std::move(why);
    return false;
  }

  const Graph& graph_;
  Shared& shared_;
  Trial& trial_;
  int depth_;
  std::vector<ArrayPtr> values_;
  std::string why_;
};

}  // namespace hloir::proof_check
