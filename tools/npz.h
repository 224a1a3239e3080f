// NumPy's .npz: a zip of .npy arrays, the way in and out for a module's values. The leaves of inputs are in0, in1, …,
// those of results out0, out1, …; a type that NumPy lacks is stored as its bytes, with ml_dtypes' name for it under
// "in0.dtype". Reads stored and deflated members, .npy versions 1 to 3, C and Fortran order, both byte orders; no
// pickled objects. Tested by tests/unit/npz_test.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/literal.h"
#include "hloir/status.h"

namespace hloir::tool {

struct NpzLimits {
  int64_t max_bytes = int64_t{1} << 36;  // of one array, unpacked
  int64_t max_arrays = int64_t{1} << 20;
};

// PREFIX0, PREFIX1, … as long as there are any; shapes have the default layout. A broken file is InvalidArgument.
StatusOr<std::vector<Literal>> ReadNpz(const std::string& path, std::string_view prefix, const NpzLimits& limits = {});
// Does the file hold PREFIX0?
StatusOr<bool> NpzHas(const std::string& path, std::string_view prefix);
// Leaves that an .npz holds as PREFIX0, PREFIX1, …
struct NpzLeaves {
  std::string_view prefix;
  std::vector<const Literal*> leaves;
};
// Written as a whole or not at all. Token leaves are left out by the caller.
Status WriteNpz(const std::string& path, std::span<const NpzLeaves> all);
Status WriteNpz(const std::string& path, std::string_view prefix, std::span<const Literal* const> leaves);

// One .npy file's bytes, and back. `dtype` is ml_dtypes' name for what NumPy lacks, or "".
StatusOr<Literal> ParseNpy(std::string_view bytes, std::string_view dtype, const NpzLimits& limits = {});
std::string PrintNpy(const Literal& literal);
// ml_dtypes' name of a type that NumPy lacks; "" for one that it has.
std::string_view MlDtypesName(PrimitiveType type);

}  // namespace hloir::tool
