// Properties of parameters that follow from their uses: indices, weights of products, arguments of roots and
// logarithms. Used by MakeInputSet (inputs.cc). Covered by tests/unit/check_inputs_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "hloir/check.h"

namespace hloir::check {

// A leaf of a value: the instruction, and the index in its tuple.
struct Place {
  const HloInstruction* instruction;
  ShapeIndex index;
};

// Propagates numbers from uses to the used values, through data movement and calls. A place that is reached by several
// numbers keeps the smallest.
class BackWalk {
 public:
  // The instructions that are passed in addition to moves.
  enum class Through {
    kMoves,     // none
    kPositive,  // those that are positive for positive operands
    kOrder,     // none, and no moves that change the order of elements
  };
  explicit BackWalk(Through through) : through_(through) {}
  void Push(const HloInstruction* instruction, ShapeIndex index, int64_t number);
  void Run(const HloModule& module);
  // Null if no number reached the place.
  const int64_t* Find(const HloInstruction* instruction, const ShapeIndex& index) const;
  // Returns whether a number reached some part of the value.
  bool Reaches(const HloInstruction* instruction) const;

 private:
  void Step(const Place& place, int64_t number);
  void StepThroughArithmetic(const HloInstruction& i, int64_t number);

  Through through_;
  std::map<std::pair<int32_t, ShapeIndex>, int64_t> numbers_;
  std::vector<std::pair<Place, int64_t>> todo_;
};

// Properties of the leaves of the entry's parameters.
class ParameterUses {
 public:
  explicit ParameterUses(const HloModule& module);

  // The largest legal index; -1 if the leaf is not used as an index.
  int64_t IndexBound(const HloInstruction* parameter, const ShapeIndex& index) const;
  // The largest position that the leaf is compared with (labels with the words of a vocabulary); -1 if there is none.
  int64_t PositionBound(const HloInstruction* parameter, const ShapeIndex& index) const;
  // The number of products per sum if the leaf is the weight of a dot or convolution; else 1.
  int64_t FanIn(const HloInstruction* parameter, const ShapeIndex& index) const;
  // Returns whether the leaf, or sums and products with it, is the argument of a root or logarithm.
  bool IsPositive(const HloInstruction* parameter, const ShapeIndex& index) const;
  // The size of the index vectors that a gather's or scatter's attribute states to be sorted; 0 if none need be.
  int64_t SortedVectors(const HloInstruction* parameter, const ShapeIndex& index) const;
  // Returns whether some leaf has a fan-in above 1, or is positive.
  bool HasTypicalValues() const { return has_typical_values_; }

 private:
  void AddIndices(const HloInstruction& i);
  void AddSorted(const HloInstruction* indices, int64_t index_vector_dim);
  void AddPositions(const HloInstruction& i);
  void AddWeights(const HloInstruction& i);
  void AddPositive(const HloInstruction& i);

  BackWalk bounds_{BackWalk::Through::kMoves}, positions_{BackWalk::Through::kMoves};
  BackWalk fan_in_{BackWalk::Through::kMoves};
  BackWalk positive_{BackWalk::Through::kPositive}, sorted_{BackWalk::Through::kOrder};
  bool has_typical_values_ = false;
};

// The public MakeInputSet for a module with known uses. (In inputs.cc.)
StatusOr<InputSet> MakeInputSet(const HloModule& module, const ParameterUses& uses, const DeviceCounts& counts,
                                uint64_t seed, InputKind kind);

}  // namespace hloir::check
