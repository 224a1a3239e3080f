// The smallest module that shows what a large one does, with its inputs: what `verify --save` keeps of a disagreement.
// tests/unit/blame_test.cc.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "hloir/literal.h"
#include "hloir/module.h"
#include "tools/runner.h"

namespace hloir::tool {

struct Specimen {
  std::unique_ptr<HloModule> module;
  std::vector<Literal> arguments;
};

// `shows`: does a module on its arguments still show it? Where a part of the module is cut off, its value becomes an
// argument: the one that the reference evaluator computes for it from `arguments`. The module itself, if it is shown by
// nothing smaller or cannot be evaluated.
using Shows = std::function<bool(const HloModule&, std::span<const Literal* const>)>;
Specimen FindSpecimen(const HloModule& module, std::span<const Literal* const> arguments, const Shows& shows,
                      const RunnerOptions& options);

}  // namespace hloir::tool
