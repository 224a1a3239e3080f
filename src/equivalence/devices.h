// The devices that run a module, as index variables: a value that differs between them is an expression in the axes of
// their mesh. Axes are found from the groups of the collectives and from tables with an entry for each device. A table
// over devices becomes an index: a sum of digits of the device's number, or its number moved round an axis.
//
// In: Devices::Of. build_collectives.cc reads collectives with it. Covered by tests/unit/equivalence_devices_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "equivalence/expr.h"
#include "hloir/module.h"

namespace hloir::equivalence::inside {

class Devices {
 public:
  using Groups = std::vector<std::vector<int64_t>>;
  // Of two modules for as many devices; nothing where neither depends on the device that runs it, or where the devices
  // are too many for tables.
  static std::optional<Devices> Of(const HloModule& a, const HloModule& b, Exprs& exprs);

  int64_t count() const { return count_; }
  int64_t partitions() const { return partitions_; }
  const std::vector<VarId>& axes() const { return axes_; }
  bool IsAxis(VarId v) const;
  // The number of the device: replica * partitions + partition.
  Index Number(Exprs& exprs) const;
  // The same value on the device of that number.
  Exprs::Substitution On(Exprs& exprs, const Index& device) const;
  // Entry `at` of a table; nothing if it is no sum of digits.
  static std::optional<Index> Entry(Exprs& exprs, std::span<const int64_t> table, const Index& at);
  // An entry for each device, -1 where any will do. Also devices moved along an axis, or round it.
  std::optional<Index> Device(Exprs& exprs, std::span<const int64_t> table) const;
  // True on the devices that are set; -1: not the digits of an axis in a range.
  ExprId Holds(Exprs& exprs, const std::vector<bool>& on) const;
  // The groups of a collective as numbers of devices; empty unless each device is in one and all are equally large.
  Groups GroupsOf(const HloInstruction& collective) const;
  // The device that each gets its value from; -1: from none. Empty: two send to one.
  std::vector<int64_t> SourcesOf(const HloInstruction& permute) const;
  // Does a computation, or one that it calls, wait for other devices?
  bool Communicates(const HloComputation& computation) const { return communicate_.count(&computation) != 0; }

 private:
  void FindAxes(const HloModule& a, const HloModule& b, Exprs& exprs);
  int64_t count_ = 1, partitions_ = 1;
  std::vector<int64_t> sizes_;  // of the axes, the outermost first
  std::vector<VarId> axes_;
  std::set<const HloComputation*> communicate_;
};

}  // namespace hloir::equivalence::inside
