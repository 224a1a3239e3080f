// Python's Verdict: that of the library, and the inputs that decided it.
#pragma once

#include <memory>
#include <utility>

#include "hloir/check.h"

namespace hloir::python {

struct JudgedVerdict : Verdict {
  JudgedVerdict(Verdict verdict, std::shared_ptr<const InputSet> decided)
      : Verdict(std::move(verdict)), inputs(std::move(decided)) {}
  std::shared_ptr<const InputSet> inputs;  // on which the modules differ; null if they do not
};

}  // namespace hloir::python
