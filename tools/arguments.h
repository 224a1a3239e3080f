// Between a module's parameters and result, which may be tuples, and the flat leaves of an .npz.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hloir/literal.h"
#include "hloir/module.h"
#include "hloir/proto.h"
#include "hloir/status.h"

namespace hloir::tool {

// The entry's arguments: from the .npz at `path` (in0, in1, …; tuple parameters take consecutive leaves), or, for an
// empty path, made from `seed`.
StatusOr<std::vector<Literal>> MakeArguments(const HloModule& module, const std::string& path, uint64_t seed);

// Values that came with a module: the leaves of its inputs and, if they are there, of its results.
struct StoredValues {
  std::vector<Literal> inputs, results;
};
// in0, in1, … and out0, out1, … of the .npz at `path`.
StatusOr<StoredValues> ReadStoredValues(const std::string& path);
// A snapshot's, of one of its partitions.
StatusOr<StoredValues> StoredValuesOf(const HloProtoFile& snapshot, int64_t partition = 0);

// Puts leaves together as the parameters want them. A leaf of another type or shape is InvalidArgument.
StatusOr<std::vector<Literal>> ArgumentsFromLeaves(const HloModule& module, std::vector<Literal> leaves);

// A result's leaves that hold a value; those whose dimensions turned out smaller than their bound are cut to size.
std::vector<Literal> ResultLeaves(const Literal& result);

std::vector<const Literal*> Pointers(const std::vector<Literal>& literals);

}  // namespace hloir::tool
