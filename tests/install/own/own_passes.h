#pragma once

#include <hloir/passes.h>

// Adds div-to-mul, also to the default pipeline, and swap-subtract.
hloir::Status AddOwnPasses(hloir::PassRegistry& registry);
