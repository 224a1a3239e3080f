// See hloir/executable.h: finds the MPI plugin.
#include "hloir/executable.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include <dlfcn.h>

#include "support/format.h"

namespace hloir {
namespace {

namespace fs = std::filesystem;

// Set by Open MPI, by MPICH and Intel's, and by Slurm.
constexpr const char* kSizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};

// Next to the program or library that contains this code, or in the installation's folder.
std::vector<fs::path> PluginPlaces() {
  constexpr const char* kName = "libhloir_mpi.so";
  if (const char* given = std::getenv("HLOIR_MPI_PLUGIN"); given != nullptr && *given != '\0') return {given};
  std::vector<fs::path> places;
  Dl_info self;
  if (dladdr(reinterpret_cast<const void*>(&IsStartedByMpi), &self) == 0 || self.dli_fname == nullptr) return places;
  std::error_code error;
  const fs::path folder = fs::canonical(self.dli_fname, error).parent_path();
  for (const char* place :
       {".", "..", "hloir", "../lib/hloir", "../lib/x86_64-linux-gnu/hloir", "../lib/aarch64-linux-gnu/hloir"})
    places.push_back(folder / place / kName);
  return places;
}

}  // namespace

bool IsStartedByMpi() {
  for (const char* name : kSizes) {
    const char* size = std::getenv(name);
    if (size != nullptr && std::atoi(size) > 1) return true;
  }
  return false;
}

StatusOr<std::unique_ptr<Transport>> OpenMpi() {
  std::string looked;
  for (const fs::path& place : PluginPlaces()) {
    std::error_code error;
    looked += Format("{}{}", looked.empty() ? "" : ", ", place.lexically_normal().string());
    if (!fs::exists(place, error)) continue;
    void* plugin = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);  // MPI's own plugins need its symbols
    if (plugin == nullptr) return Unimplemented(Format("{} does not load: {}", place.string(), dlerror()));
    const auto open = reinterpret_cast<Transport* (*)()>(dlsym(plugin, "hloir_open_mpi"));
    Transport* transport = open == nullptr ? nullptr : open();
    if (transport == nullptr) return Unimplemented(Format("{} gives no MPI", place.string()));
    return std::unique_ptr<Transport>(transport);
  }
  return Unimplemented(
      Format("started by mpirun, but this hloir has no MPI: configure it with -DHLOIR_MPI=ON (looked for {})", looked));
}

}  // namespace hloir
