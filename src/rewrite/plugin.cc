// See plugin.h.
#include "hloir/pass.h"

#include <dlfcn.h>

#include <string_view>

namespace hloir {

Status LoadPassPlugin(const std::string& path, PassRegistry& registry) {
  // dlopen searches a name without a slash in the system's folders.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return InvalidArgument(std::string("cannot load ") + dlerror());
  using Version = const char* (*)();
  using Register = void (*)(PassRegistry*, Status*);
  const auto version = reinterpret_cast<Version>(dlsym(library, "hloirPluginVersion"));
  const auto add = reinterpret_cast<Register>(dlsym(library, "hloirRegisterPasses"));
  if (version == nullptr || add == nullptr) {
    dlclose(library);
    return InvalidArgument(path + " is not a pass plugin: it has no HLOIR_PASS_PLUGIN");
  }
  if (std::string_view(version()) != kVersion) {
    const std::string other = version();
    dlclose(library);
    return InvalidArgument(path + " was built for hloir " + other + ", and this is " + std::string(kVersion));
  }
  Status status;
  add(&registry, &status);
  if (!status.ok()) return InvalidArgument(path + ": " + status.message());
  return OkStatus();
}

}  // namespace hloir
