// OncePerIsa: a value computed from a table of kernels, once for each instruction set.
#pragma once

#include <mutex>

#include "kernels/kernel_table.h"

namespace hloir::cpu {

// make(table), cached; computed on first use, because a table may be filled by code that this machine cannot run.
template <auto make>
const auto& OncePerIsa(const KernelTable& table) {
  constexpr int kIsas = static_cast<int>(Isa::kCount);
  static std::once_flag once[kIsas];
  static decltype(make(table)) made[kIsas];
  const int isa = static_cast<int>(table.isa);
  std::call_once(once[isa], [&] { made[isa] = make(table); });
  return made[isa];
}

}  // namespace hloir::cpu
