// What most programs need of hloir in one include: the graph, its text, the verifier, passes, and running. What costs
// more to compile or is needed less often is a header of its own (builder.h, match.h, io.h, check.h, …);
// docs/headers.md lists all of them.
#pragma once

#include "hloir/evaluator.h"
#include "hloir/executable.h"
#include "hloir/module.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "hloir/version.h"
