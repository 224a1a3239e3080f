// Stand-ins for parts that are not there yet; each goes as its part comes.
#include "hloir/executable.h"
#include "hloir/pass.h"
namespace hloir {
StatusOr<std::unique_ptr<HloExecutable>> PrepareExecutable(const HloModule&, const ExecutableOptions&) {
  return Unimplemented("the fast engine is not there yet");
}
std::vector<std::string> SupportedIsas() { return {}; }
std::unique_ptr<HloEvaluator> MakeReferenceEvaluator(EvaluatorOptions) { return nullptr; }
std::span<const PassInfo> AllPasses() { return {}; }
StatusOr<HloPassPipeline> MakePipeline(std::span<const std::string>, const PassOptions&, PipelineOptions) {
  return Unimplemented("the passes are not there yet");
}
}  // namespace hloir
