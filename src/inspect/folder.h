// A folder of modules, on all cores: the list of its files, and a parallel loop with ordered results.
//
// Example:
//
//   StatusOr<std::vector<std::string>> files = ListModuleFiles("dump");
//   std::vector<Status> found(files.ok() ? files->size() : 0);
//   ForEachInOrder(
//       found.size(), 0, [&](size_t k) { found[k] = ReadModuleFile((*files)[k]).status(); },
//       [&](size_t k) { std::printf("%s %s\n", (*files)[k].c_str(), found[k].ok() ? "good" : "bad"); });
//
// Both may be called from several threads. Tests: tests/unit/folder_test.cc, tests/cli/check.test.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "hloir/status.h"

namespace hloir {

// The files of a folder, and of those in it, whose names are those of modules: .hlo .txt .pb .json, each also with .gz,
// but not of the reports in XLA's dumps (buffer assignment, memory). As paths that begin with `folder`, sorted.
// Unreadable folders are skipped. InvalidArgument if `folder` is not one.
StatusOr<std::vector<std::string>> ListModuleFiles(const std::string& folder);

// work(k) for each k below `count`, on `threads` threads (0: as many as this process may use), and done(k) for each, in
// order, on the caller's thread, after work(k). Work is at most about four items per thread ahead of done, to bound the
// memory of finished items. Neither may throw.
void ForEachInOrder(size_t count, int threads, const std::function<void(size_t)>& work,
                    const std::function<void(size_t)>& done);

}  // namespace hloir
