// A computation as a data-flow graph: calls and fusions are inlined, and tuples, copies and barriers removed. Each
// remaining operation has one or more values, arrays or tokens. Covered by tests/unit/proof_check_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hloir/computation.h"
#include "hloir/status.h"

namespace hloir::proof_check {

using ValueId = int32_t;

// Returns whether each turn of a loop passes its kth value on as it is.
bool PassesOn(const HloInstruction& loop, int64_t k);

class Graph {
 public:
  struct Op {
    const HloInstruction* instruction;
    std::vector<std::vector<ValueId>> operands;  // the leaves of each operand
    ValueId first = 0;                           // the first of its values
    std::vector<const Shape*> shapes;            // the shapes of its values
    std::string name;                            // "call.3/fusion.1/add.2"
  };
  static StatusOr<Graph> Make(const HloComputation& computation);

  const std::vector<Op>& ops() const { return ops_; }
  const Op& OpOf(ValueId value) const { return ops_[static_cast<size_t>(op_of_[static_cast<size_t>(value)])]; }
  int32_t OpIndexOf(ValueId value) const { return op_of_[static_cast<size_t>(value)]; }
  const Shape& ShapeOf(ValueId value) const {
    const Op& op = OpOf(value);
    return *op.shapes[static_cast<size_t>(value - op.first)];
  }
  int32_t value_count() const { return static_cast<int32_t>(op_of_.size()); }
  const std::vector<ValueId>& results() const { return results_; }
  const std::vector<ValueId>& parameters() const { return parameters_; }  // the leaves
  // Operations with side effects, and non-deterministic ones, in order.
  const std::vector<int32_t>& effects() const { return effects_; }
  const Op& Effect(size_t k) const { return ops_[static_cast<size_t>(effects_[k])]; }
  // "add.2", or "while.3#1" for the second of several values.
  std::string NameOf(ValueId value) const;
  ValueId Find(std::string_view name) const;  // -1 if there is none
  // Each instruction with its values, in reading order; an instruction that is called twice occurs twice.
  const std::vector<std::pair<const HloInstruction*, std::vector<ValueId>>>& read() const { return read_; }

 private:
  Status Add(const HloComputation& computation, const std::vector<std::vector<ValueId>>& arguments,
             const std::string& path, int depth, std::vector<ValueId>& results);
  std::vector<ValueId> AddOp(const HloInstruction& i, std::vector<std::vector<ValueId>> operands, std::string name);

  std::vector<Op> ops_;
  std::vector<int32_t> op_of_;
  std::unordered_map<std::string, std::vector<ValueId>> by_name_;
  std::vector<ValueId> results_, parameters_;
  std::vector<int32_t> effects_;
  std::unordered_map<const HloComputation*, bool> acts_;
  std::vector<std::pair<const HloInstruction*, std::vector<ValueId>>> read_;
};

}  // namespace hloir::proof_check
