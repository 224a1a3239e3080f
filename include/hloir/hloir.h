// The headers that most programs need: the graph, its text, the verifier, passes, and running. Headers that cost more
// to compile or are needed less often (builder.h, match.h, io.h, check.h, …) are included by themselves;
// docs/headers.md lists all.
#pragma once

#include "hloir/evaluator.h"
#include "hloir/executable.h"
#include "hloir/module.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "hloir/version.h"
