// Values of a graph in a trial. Floats are numbers of number.h; integers and conditions have their values. The
// reference evaluator computes integers, and the element sources of operations that move data. An unsupported operation
// is a random function of its operands. Covered by tests/unit/proof_check_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hloir/evaluator.h"
#include "proof_check/graph.h"
#include "proof_check/number.h"

namespace hloir::proof_check {

struct Array {
  Shape shape;
  Literal literal;              // integers and conditions
  std::vector<Number> numbers;  // floats; for complex numbers the real parts, then the imaginary parts
  bool IsReal() const { return IsFloat(shape.element_type()); }
  bool HasNumbers() const { return IsReal() || IsComplex(shape.element_type()); }
};
using ArrayPtr = std::shared_ptr<const Array>;

// Operations on values that depend on inputs, by one side of a step, that random values cannot distinguish: both sides
// of the step must have applied the same ones.
struct Records {
  // Comparisons of numbers: the two numbers, and whether the comparison decides a < b, a > b or a = b.
  std::set<std::tuple<uint32_t, uint32_t, int>> comparisons;
  // Operations on integers other than sums, products and moves, hashed with their operands; elementwise ones by
  // element.
  std::unordered_set<uint64_t> integers;
};

class Shared;
// The arithmetic and inputs of one trial.
struct Trial {
  Trial(uint64_t seed, int number, Order order, bool bits)
      : arithmetic(seed, order, bits), seed(seed), number(number), order(order) {}
  Arithmetic arithmetic;
  uint64_t seed;
  int number;
  Order order;
  // A random value of that shape; equal keys give equal values.
  ArrayPtr Leaf(const Shape& shape, uint64_t key, const Shared& shared);
};

// State that all trials and both modules share.
class Shared {
 public:
  Shared();
  const HloEvaluator& interpreter() const { return *interpreter_; }
  // Operations have the same class if they are the same function of their operands.
  uint64_t ClassOf(const HloInstruction& i);
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
  Records* records = nullptr;    // for the side that is being evaluated
  std::vector<double> literals;  // of both texts
  std::vector<int64_t> integers;

 private:
  std::unique_ptr<HloEvaluator> interpreter_;
  std::map<HloOpcode, std::vector<const HloInstruction*>> classes_;
  std::unordered_map<const HloInstruction*, uint64_t> class_of_;
  std::unordered_map<const HloComputation*, std::unique_ptr<const Graph>> graphs_;
  std::unordered_map<const HloInstruction*, Sources> sources_;
  std::map<std::tuple<int, Order, bool>, std::unique_ptr<Trial>> trials_;
};

// Returns whether the operation rounds its result to a float that is narrower than f32 or than its operand.
bool RoundsTo(const HloInstruction& i, PrimitiveType type);

class Evaluation {
 public:
  Evaluation(const Graph& graph, Shared& shared, Trial& trial, int depth = 0)
      : graph_(graph),
        shared_(shared),
        trial_(trial),
        depth_(depth),
        values_(graph.value_count()),
        depends_(graph.value_count()) {}
  // Sets an input. Its integers count as values that depend on inputs.
  void Set(ValueId value, ArrayPtr array) {
    depends_[static_cast<size_t>(value)] = array != nullptr && IsInteger(array->shape.element_type());
    values_[static_cast<size_t>(value)] = std::move(array);
  }
  const ArrayPtr& Known(ValueId value) const { return values_[static_cast<size_t>(value)]; }
  // Null on failure; why() has the reason.
  ArrayPtr Get(ValueId value);
  const std::string& why() const { return why_; }

 private:
  using Arrays = std::vector<ArrayPtr>;
  bool Evaluate(const Graph::Op& op);
  void Record(const HloInstruction& i, const Arrays& x);
  Arrays Of(const Graph::Op& op, const Arrays& x);
  Arrays Unknown(const Graph::Op& op, const Arrays& x);
  ArrayPtr OfLiteral(Literal literal, bool closed = true);
  ArrayPtr Interpreted(const HloInstruction& i, const Arrays& x);
  bool Holds(const Graph::Op& op, PrimitiveType type, int depth) const;
  void Round(const Graph::Op& op, Arrays& results);
  ArrayPtr Moved(const HloInstruction& i, const Arrays& x);
  ArrayPtr Elementwise(const HloInstruction& i, const Arrays& x);
  bool Holds(const Number& x, const Number& y, ComparisonDirection direction);
  void Note(const Number& x, const Number& y, ComparisonDirection direction);
  ArrayPtr OfComplex(const HloInstruction& i, const Arrays& x);
  ArrayPtr Convert(const HloInstruction& i, const ArrayPtr& x);
  ArrayPtr Dot(const HloInstruction& i, const Array& x, const Array& y);
  ArrayPtr Convolution(const HloInstruction& i, const Array& x, const Array& y);
  // A computation that combines n scalars with n scalars.
  struct Combiner {
    const Graph* graph = nullptr;
    HloOpcode op = HloOpcode::kTuple;  // the opcode, if the computation is one operation on its two operands
    PrimitiveType type = PrimitiveType::F32;
  };
  Combiner CombinerOf(const HloComputation& computation);
  Arrays Reduce(const HloInstruction& i, const Arrays& x);
  ArrayPtr Scatter(const HloInstruction& i, const Arrays& x);
  Arrays Sort(const HloInstruction& i, const Arrays& x);
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
  std::vector<bool> depends_;  // integers that depend on inputs
  std::string why_;
};

}  // namespace hloir::proof_check
