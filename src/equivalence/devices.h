// The devices that run a module, as index variables: a value that differs between devices is an expression in the axes
// of their mesh. The axes come from the groups of the collectives and from tables with an entry for each device. A
// table over devices becomes an index: a sum of digits of the device's number, or its number shifted around an axis.
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
  // The devices of two modules with the same device counts. Empty if neither module depends on the device that runs it,
  // or if there are too many devices for tables.
  static std::optional<Devices> Of(const HloModule& a, const HloModule& b, Exprs& exprs);

  int64_t count() const { return count_; }
  int64_t partitions() const { return partitions_; }
  const std::vector<VarId>& axes() const { return axes_; }
  bool IsAxis(VarId v) const;
  // The device's number: replica * partitions + partition.
  Index Number(Exprs& exprs) const;
  // The substitution that replaces this device by `device`.
  Exprs::Substitution On(Exprs& exprs, const Index& device) const;
  // Entry `at` of a table as a sum of digits; empty if it is not one.
  static std::optional<Index> Entry(Exprs& exprs, std::span<const int64_t> table, const Index& at);
  // The same for a table of device numbers with an entry for each device, -1 for arbitrary ones. Also recognizes shifts
  // along or around an axis.
  std::optional<Index> Device(Exprs& exprs, std::span<const int64_t> table) const;
  // The substitution for a table of device numbers, -1 for arbitrary ones, whose entries all lie one step along the
  // axes from their device. It does not turn around at the ends of an axis, as no entry there asks for it.
  std::optional<Exprs::Substitution> Along(Exprs& exprs, std::span<const int64_t> table) const;
  // The condition that holds on the devices in `on`; -1 if they are not a range of an axis.
  ExprId Holds(Exprs& exprs, const std::vector<bool>& on) const;
  // A collective's groups as device numbers; empty unless the groups partition the devices and have equal sizes.
  Groups GroupsOf(const HloInstruction& collective) const;
  // For each device its source, -1 if it has none. Empty if a device has two sources.
  std::vector<int64_t> SourcesOf(const HloInstruction& permute) const;
  // Returns whether a computation, or one that it calls, communicates with other devices.
  bool Communicates(const HloComputation& computation) const { return communicate_.count(&computation) != 0; }

 private:
  void FindAxes(const HloModule& a, const HloModule& b, Exprs& exprs);
  int64_t count_ = 1, partitions_ = 1;
  std::vector<int64_t> sizes_;  // of the axes, the outermost first
  std::vector<VarId> axes_;
  std::set<const HloComputation*> communicate_;
};

}  // namespace hloir::equivalence::inside
