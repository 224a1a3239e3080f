// The partitioning of one op: the factors along which each device computes its part, chosen for the least data movement
// before and after the op. Tested by tests/unit/spmd_test.cc and tests/passes/spmd-partitioning.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "op_rule.h"

namespace hloir::spmd {

struct OpChoice {
  FactorAxes axes;                      // by factor
  std::vector<ArraySharding> operands;  // that each device needs
  std::vector<ArraySharding> results;   // by leaf, as each device has it then
  Axes partial;                         // the results are still to be combined along these
  double bytes = 0;
};

// An op with the shardings that its operands have and its results are to have; nullopt: any will do.
struct OpProblem {
  const HloInstruction& instruction;
  const OpRule& rule;
  std::vector<ArraySharding> operands;
  std::vector<std::optional<ArraySharding>> results;
  // Bytes that are moved for an operand to have another sharding.
  std::function<double(size_t operand, const ArraySharding& to)> operand_bytes;
  Axes manual;
  // By factor: true if the partitioner can cut it.
  std::vector<bool> allowed;
  // Bytes that the op itself moves, without resharding its operands and results.
  std::function<double(const OpChoice&)> own_bytes;
};

// Bytes moved by combining partial results, if they are wanted as `to`; part of it may be reduce-scattered.
double PartialBytes(const DeviceMesh& mesh, const Shape& whole, const Axes& partial, ArraySharding sharding,
                    const ArraySharding* to);
// The way that moves least; of these, that where each device has least to do.
OpChoice ChoosePartition(const DeviceMesh& mesh, const OpProblem& problem);

}  // namespace hloir::spmd
