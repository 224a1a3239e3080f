// Passes in a shared object that a command loads at run time, with the flag --load=PLUGIN of hloir opt. The
// plugin and the command must be built against the same version of hloir. A plugin is a file with
//
//   HLOIR_PASS_PLUGIN(registry) { return registry.Add("my-pass", "what it does", DefineMyPass()); }
//
// compiled as a shared object. tests/install/own is an example.
#pragma once

#include <string>

#include "hloir/pass.h"
#include "hloir/version.h"

#pragma GCC visibility push(default)
namespace hloir {

// Loads the shared object and lets it add its passes. It stays loaded until the process ends.
Status LoadPassPlugin(const std::string& path, PassRegistry& registry);

}  // namespace hloir
#pragma GCC visibility pop

// Defines the two symbols that LoadPassPlugin looks for; the body that follows returns a Status.
#define HLOIR_PASS_PLUGIN(registry)                                                                              \
  static hloir::Status HloirAddPasses(hloir::PassRegistry& registry);                                            \
  extern "C" __attribute__((visibility("default"))) const char* hloirPluginVersion() { return hloir::kVersion; } \
  extern "C" __attribute__((visibility("default"))) void hloirRegisterPasses(hloir::PassRegistry* registry,      \
                                                                             hloir::Status* status) {            \
    *status = HloirAddPasses(*registry);                                                                         \
  }                                                                                                              \
  static hloir::Status HloirAddPasses(hloir::PassRegistry& registry)
