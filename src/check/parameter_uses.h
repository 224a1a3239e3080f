// Properties of parameters that their uses show: integers that index something, weights of products,
// arguments of roots and logarithms. MakeInputSet (inputs.cc) asks. Covered by tests/unit/check_inputs_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "hloir/check.h"

namespace hloir::check {

// A leaf of a value: which instruction, and where in its tuple.
struct Place {
  const HloInstruction* instruction;
  ShapeIndex index;
};

// Carries numbers from uses back to the values that are used, through instructions that keep values and through calls.
// Of several numbers for one place the smallest counts.
class BackWalk {
 public:
  // Which other instructions it goes through.
  enum class Through {
    kMoves,     // none
    kPositive,  // those that are positive where their operands are
    kOrder,     // none, and not those that change the order of elements
  };
  explicit BackWalk(Through through) : through_(through) {}
  void Push(const HloInstruction* instruction, ShapeIndex index, int64_t number);
  void Run(const HloModule& module);
  // Null if nothing was carried there.
  const int64_t* Find(const HloInstruction* instruction, const ShapeIndex& index) const;
  // To some part of it.
  bool Reaches(const HloInstruction* instruction) const;

 private:
  void Step(const Place& place, int64_t number);
  void StepThroughArithmetic(const HloInstruction& i, int64_t number);

  Through through_;
  std::map<std::pair<int32_t, ShapeIndex>, int64_t> numbers_;
  std::vector<std::pair<Place, int64_t>> todo_;
};

// Of leaves of the entry's parameters.
class ParameterUses {
 public:
  explicit ParameterUses(const HloModule& module);

  // The largest legal index; -1 if the leaf indexes nothing.
  int64_t IndexBound(const HloInstruction* parameter, const ShapeIndex& index) const;
  // The number of products in a sum of which the leaf is a factor, as a weight of a dot or convolution; else 1.
  int64_t FanIn(const HloInstruction* parameter, const ShapeIndex& index) const;
  // A root or logarithm is taken of it, or of sums and products with it.
  bool IsPositive(const HloInstruction* parameter, const ShapeIndex& index) const;
  // Vectors of so many indices follow one another in order, by a gather's or scatter's attribute; 0: they need not.
  int64_t SortedVectors(const HloInstruction* parameter, const ShapeIndex& index) const;
  // Some leaf has a fan-in above 1, or is positive.
  bool HasTypicalValues() const { return has_typical_values_; }

 private:
  void AddIndices(const HloInstruction& i);
  void AddSorted(const HloInstruction* indices, int64_t index_vector_dim);
  void AddWeights(const HloInstruction& i);
  void AddPositive(const HloInstruction& i);

  BackWalk bounds_{BackWalk::Through::kMoves}, fan_in_{BackWalk::Through::kMoves};
  BackWalk positive_{BackWalk::Through::kPositive}, sorted_{BackWalk::Through::kOrder};
  bool has_typical_values_ = false;
};

// As the public one, of a module whose uses are known. (In inputs.cc.)
StatusOr<InputSet> MakeInputSet(const HloModule& module, const ParameterUses& uses, const DeviceCounts& counts,
                                uint64_t seed, InputKind kind);

}  // namespace hloir::check
