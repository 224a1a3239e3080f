// The same passes as a plugin: hloir opt --load=./libown_passes.so
#include <hloir/pass.h>

#include "own_passes.h"

HLOIR_PASS_PLUGIN(registry) { return AddOwnPasses(registry); }
