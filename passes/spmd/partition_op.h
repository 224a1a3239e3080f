// One op on shards: brings its operands to where the chosen partition needs them, computes, combines partial results
// and leaves the results as they are wanted. Tested by tests/passes/spmd-partitioning.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "choice.h"
#include "reshard.h"

namespace hloir::spmd {

// A device's part of an array.
struct Part {
  HloInstruction* local = nullptr;
  ArraySharding sharding;
  // 1, or of a value that no iteration of a loop changes, one over the number of iterations: its resharding may move
  // out of the loop (while-loop-invariant-code-motion).
  double runs = 1;
  // The instruction of the whole program, if the value may be made again under another sharding.
  const HloInstruction* origin = nullptr;
};

// Makes values again under other shardings: where an op's operands move in fewer bytes than its result.
class Remaker {
 public:
  virtual ~Remaker() = default;
  // The bytes that are moved; infinity if it is not known how.
  virtual double BytesToRemake(const HloInstruction& origin, const ArraySharding& to) = 0;
  virtual HloInstruction* Remake(const HloInstruction& origin, const ArraySharding& to) = 0;
};

// Computations of one binary op, one of each kind in the module.
class Reducers {
 public:
  explicit Reducers(HloModule& module) : module_(module) {}
  HloComputation* Get(HloOpcode opcode, PrimitiveType type);

 private:
  HloModule& module_;
  std::map<std::pair<HloOpcode, PrimitiveType>, HloComputation*> made_;
};

// Converts to another sharding: reduces axes that are no longer unreduced, by as few bytes as possible.
Part Reshard(SpmdBuilder& spmd, Reducers& reducers, Part part, const Shape& whole, const ArraySharding& to);

// An op of a computation without control flow. `wanted`: by result leaf.
class OpPartitioner {
 public:
  using Op = HloInstruction*;

  // `remaker`: nullptr if there is none.
  OpPartitioner(SpmdBuilder& spmd, Reducers& reducers, Remaker* remaker, const HloInstruction& i,
                std::span<const Part> operands, std::vector<std::optional<ArraySharding>> wanted, Axes manual,
                bool padded_by_value);
  StatusOr<std::vector<Part>> Partition();
  // The bytes that Partition() moves.
  double Bytes();

 private:
  void Choose();
  double BytesOf(size_t operand, const ArraySharding& to, bool* remake = nullptr);
  // By the choice's axes of the factors of these kinds.
  Axes AxesOf(FactorKind kind) const;
  // The factor that dimension d of operand k belongs to, if it is of this kind and cut; else -1.
  int64_t CutFactor(int64_t k, int64_t d, FactorKind kind) const;
  bool MayCut(size_t factor) const;
  bool InitIsNeutral() const;
  void MaskOperands();
  Op Clone(std::span<const Op> operands);
  // The op on shards, with each device's result. In partition_op.cc, indexed.cc and window.cc.
  std::vector<Op> Emit();
  std::vector<Op> Leaves(Op result);
  Op EmitIota();
  Op EmitRng();
  std::vector<Op> EmitReduce();
  Op EmitGather();
  std::vector<Op> EmitScatter();
  Op EmitDynamicUpdateSlice();
  Op EmitSlice();
  Op EmitPad();
  Op EmitConcatenate();
  Op EmitReverse();
  Op EmitReduceWindow();
  Op EmitSelectAndScatter();
  Op EmitConvolution();
  // The axes along which dimension d of the result is split, and the data moved by the choice's intervals.
  Axes WindowAxes(int64_t d) const;
  double WindowBytes(const OpChoice& choice) const;
  bool MayCutWindow(const WindowDimension& w, int64_t result_size) const;
  bool MayCutSelectAndScatter(int64_t d) const;
  // Subtracts the start of this device's part from the indices' component for operand dimension d.
  Op LocalIndices(Op indices, const DimVector& index_map, int64_t index_vector_dim, int64_t d, bool clamp, Op* inside);
  Op Scalar(Op like, int64_t value);
  // The `size` elements from first + n * step on of an array whose dimension d has `whole` elements, split along
  // `axes`; n is the number of this device's part. Elements outside of the array are `fill`; unspecified for nullptr.
  Op Fetch(Op x, int64_t whole, int64_t d, const Axes& axes, int64_t first, int64_t step, int64_t size, Op fill);
  Op FetchAgain(Op x, int64_t whole, int64_t d, const Axes& axes, int64_t first, int64_t step, int64_t size, Op fill);
  std::vector<int64_t> StartsOf(const Axes& axes, int64_t first, int64_t step) const;

  SpmdBuilder& spmd_;
  HloBuilder& b;
  const DeviceMesh& mesh_;
  Reducers& reducers_;
  Remaker* remaker_;
  const HloInstruction& i_;
  std::span<const Part> operands_;
  std::vector<std::optional<ArraySharding>> wanted_;
  Axes manual_;
  bool padded_by_value_;  // of a select-and-scatter: see merge_pads.h
  OpRule rule_;
  OpChoice choice_;
  std::vector<const Shape*> leaves_;
  std::vector<Op> local_;  // operands as the choice wants them
  bool combined_ = false;  // nothing partial is left
};

// The axes along which the operands are partial sums (maxima, minima) such that the result is partial along them, too,
// and the reducer. Nothing if no operand is partial, or if the op is not linear in the partial ones, which must be
// reduced first.
struct Partials {
  Axes axes;
  HloOpcode reduction = HloOpcode::kAdd;
};
std::optional<Partials> PartialsThrough(const HloInstruction& i, std::span<const ArraySharding* const> operands);

// The shift of concatenate(slice(A), slice(A)) that rotates A along the joined dimension, in elements; -1: it is no
// rotation. One exchange with a neighbour implements it, if `x`, the device's part of A, is cut along that dimension.
int64_t RotationOf(const HloInstruction& concatenate);
std::optional<Part> PartitionRotation(SpmdBuilder& spmd, const HloInstruction& concatenate, const Part& x);

// A window of one element that reads a pad's operand as the pad does.
WindowDimension AsWindow(const PaddingDimension& padding);

// The maximum or minimum if a select-and-scatter selects that of each window; nothing for another selection.
std::optional<HloOpcode> SelectedExtreme(const HloInstruction& select_and_scatter);

// The opcode of a computation of two scalars that consists of one op with a neutral element.
std::optional<HloOpcode> SimpleReducer(const HloComputation& computation);
Literal IdentityOf(HloOpcode reducer, PrimitiveType type);

}  // namespace hloir::spmd
