// See isas.h.
#include "isa/isas.h"

#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "hloir/executable.h"
#include "isa/isa_names.h"
#include "support/format.h"

namespace hloir {
namespace cpu {

namespace {

#if defined(__x86_64__)
// Not every compiler's __builtin_cpu_supports supports it.
bool HasF16c() {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c >> 29 & 1) != 0;
}
#endif

struct Row {
  const char* name;
  bool (*machine_has)();
  const KernelTable& (*kernels)();
};
constexpr Row kRows[] = {
#define HLOIR_ISA(id, name, options, machine_has) {name, [] { return machine_has; }, &id##Kernels},
#include "isa/isas.def"
};

// HLOIR_FORCE_ISA's, even if it does not exist, otherwise the best of this machine.
std::string DefaultIsa() {
  const char* forced = std::getenv("HLOIR_FORCE_ISA");
  return forced != nullptr && *forced != 0 ? forced : SupportedIsas().back();
}

}  // namespace

const char* IsaName(Isa isa) { return kRows[static_cast<int>(isa)].name; }

std::vector<std::string> BuiltIsas() {
  std::vector<std::string> names;
  for (const Row& row : kRows) names.push_back(row.name);
  return names;
}

StatusOr<std::string> ChosenIsa() {
  std::string isa = DefaultIsa();
  const StatusOr<const KernelTable*> kernels = ChooseKernels(isa);
  if (!kernels.ok()) return kernels.status();
  return isa;
}

StatusOr<const KernelTable*> ChooseKernels(std::string isa) {
  if (isa.empty()) isa = DefaultIsa();
  std::string names;
  for (const Row& row : kRows) {
    if (isa == row.name) {
      if (!row.machine_has()) return InvalidArgument(Format("this machine does not support {}", isa));
      return &row.kernels();
    }
    names += Format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  return InvalidArgument(Format("unknown instruction set '{}'; on this architecture there are {}", isa, names));
}

}  // namespace cpu

std::vector<std::string> SupportedIsas() {
  std::vector<std::string> isas;
  for (const cpu::Row& row : cpu::kRows)
    if (row.machine_has()) isas.push_back(row.name);
  return isas;
}

}  // namespace hloir
