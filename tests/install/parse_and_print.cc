// Uses hloir::ir alone: text to graph to text.
#include <cstdio>

#include <hloir/parser.h>
#include <hloir/printer.h>

int main() {
  auto module = hloir::ParseModule("HloModule m\n\nENTRY e {\n  ROOT x = f32[2]{0} parameter(0)\n}\n");
  if (!module.ok()) return std::puts(module.status().message().c_str()), 1;
  std::puts(hloir::PrintModule(**module).c_str());
  return (*module)->instruction_count() == 1 ? 0 : 1;
}
