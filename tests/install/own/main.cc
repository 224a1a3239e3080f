// A command of one's own: hloir with two more passes.
#include <cstdio>
#include <utility>

#include <hloir/main.h>

#include "own_passes.h"

int main(int argc, char** argv) {
  hloir::PassRegistry registry = hloir::BuiltinPasses();
  if (const hloir::Status added = AddOwnPasses(registry); !added.ok()) return std::puts(added.message().c_str()), 70;
  return hloir::HloirMain(argc, argv, std::move(registry));
}
