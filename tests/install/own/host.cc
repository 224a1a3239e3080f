// A program linked to libhloir.so that loads passes from a plugin, also linked to libhloir.so: host PLUGIN MODULE
// prints the module after the default pipeline, into which the plugin has inserted a pass.
#include <cstdio>

#include <hloir/hloir.h>
#include <hloir/io.h>
#include <hloir/pass.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  hloir::PassRegistry registry = hloir::BuiltinPasses();
  if (const hloir::Status loaded = hloir::LoadPassPlugin(argv[1], registry); !loaded.ok()) {
    return std::fprintf(stderr, "%s\n", loaded.message().c_str()), 1;
  }
  auto module = hloir::ReadModule(argv[2]);
  if (!module.ok()) return std::fprintf(stderr, "%s\n", module.status().message().c_str()), 1;
  auto pipeline = hloir::MakePipeline(registry, {}, {});
  if (!pipeline.ok() || !pipeline->RunOnce(**module).ok()) return 1;
  std::fputs(hloir::PrintModule(**module).c_str(), stdout);
  return 0;
}
