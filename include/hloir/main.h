// HloirMain: the hloir command as a function, for programs that extend it with their own passes. Link hloir::command.
// tests/install/own is such a command.
//
//   int main(int argc, char** argv) {
//     hloir::PassRegistry registry = hloir::BuiltinPasses();
//     if (!registry.Add("my-pass", "what it does", DefineMyPass()).ok()) return 70;
//     return hloir::HloirMain(argc, argv, std::move(registry));
//   }
#pragma once

#include "hloir/passes.h"

#pragma GCC visibility push(default)
namespace hloir {

// Runs the command with these arguments and passes and returns its exit status. It writes to stdout and stderr, and
// sets how the process allocates memory; call it from main, once.
int HloirMain(int argc, char** argv, PassRegistry registry = BuiltinPasses());

}  // namespace hloir
#pragma GCC visibility pop
