// OpRule: the correspondence of dimensions of an op's operands and results, as factors. Propagation, the choice of a
// partitioning and the partitioner share it: an op computes a part of its result from parts of its operands if both are
// cut along the same factors. A matrix product has three factors, its rows, its columns and the contracted dimension; a
// reshape's are the common parts of the sizes on both sides. Tested by tests/unit/spmd_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "device_mesh.h"

namespace hloir::spmd {

// The requirements for computing with a factor that is cut.
enum class FactorKind : uint8_t {
  kPass,     // nothing: each part of the result needs the same part of the operands
  kReduce,   // the results of the parts are combined
  kIndexed,  // each device handles the indices in its part of the operand, and the results are added up
  kUpdate,   // each device updates the elements in its part
  kWindow,   // elements of neighbouring parts are needed
};

// An index of the op's loop nest. For kWindow the sizes in operand and result differ; this is the result's.
struct Factor {
  int64_t size = 1;
  FactorKind kind = FactorKind::kPass;
};

struct OpRule {
  // For one array: each dimension's factors, major first. Without factors, every device needs the whole dimension.
  using Array = std::vector<DimVector>;
  std::vector<Factor> factors;
  std::vector<Array> operands, results;  // results: by leaf
};
// The rule of an instruction whose operands are arrays. Without a rule no dimension has factors.
OpRule RuleOf(const HloInstruction& i);

// The leading dimensions that are batches of a custom-call: JAX's declaration for linear algebra.
int64_t BatchDimsOf(const HloInstruction& custom_call);

// Axes by factor.
using FactorAxes = std::vector<Axes>;

// The axes that an array's sharding assigns to factors. `whole`, if given, gets the axes of dimensions without.
FactorAxes ToFactors(const DeviceMesh& mesh, const OpRule& rule, const OpRule::Array& array,
                     const ArraySharding& sharding, Axes* whole = nullptr);
ArraySharding FromFactors(const OpRule::Array& array, const FactorAxes& axes, const Axes& manual);
// Drops axes that some array cannot be cut along: a factor that is a part of a dimension is cut evenly, and wholly
// before the next.
void Legalize(const DeviceMesh& mesh, const OpRule& rule, FactorAxes& axes);
// The same for one array alone; true if anything was dropped.
bool LegalizeFor(const DeviceMesh& mesh, const OpRule& rule, const OpRule::Array& array, FactorAxes& axes);

}  // namespace hloir::spmd
