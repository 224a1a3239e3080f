// All of hloir in one include.
#pragma once

#include "hloir/builder.h"
#include "hloir/call_graph.h"
#include "hloir/equivalence.h"
#include "hloir/evaluator.h"
#include "hloir/executable.h"
#include "hloir/match.h"
#include "hloir/module.h"
#include "hloir/parser.h"
#include "hloir/pass.h"
#include "hloir/printer.h"
#include "hloir/proto.h"
#include "hloir/reachability.h"
#include "hloir/shape_inference.h"
#include "hloir/structural.h"
#include "hloir/verifier.h"
#include "hloir/version.h"
