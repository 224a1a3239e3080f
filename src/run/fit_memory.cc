// See fit_memory.h.
#include "run/fit_memory.h"

#include <algorithm>
#include <string>
#include <utility>

#include "hloir/passes.h"
#include "support/format.h"

namespace hloir {

StatusOr<std::unique_ptr<HloModule>> FitToMemory(const HloModule& module, int64_t limit,
                                                 const std::function<StatusOr<int64_t>(const HloModule&)>& arena_of) {
  HLOIR_ASSIGN_OR_RETURN(const int64_t before, arena_of(module));
  if (before <= limit) return std::unique_ptr<HloModule>();
  int64_t least = before;
  for (int eighths = 8; eighths >= 0; eighths -= 2) {
    std::unique_ptr<HloModule> fitted = module.Clone();
    const std::string names[] = {
        "hlo-memory-scheduler", Format("rematerialization{{max-bytes={}}}", std::max<int64_t>(limit * eighths / 8, 1))};
    HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline, MakePipeline(names, {}));
    HLOIR_RETURN_IF_ERROR(pipeline.RunOnce(*fitted).status());
    HLOIR_ASSIGN_OR_RETURN(const int64_t bytes, arena_of(*fitted));
    if (bytes <= limit) return fitted;
    least = std::min(least, bytes);
  }
  return ResourceExhausted(
      Format("the values of a run take {} bytes, with rematerialization {}: {} more than the limit of {}", before,
             least, least - limit, limit));
}

}  // namespace hloir
