// The collection as a registry: passes.def, XLA's other names, the default pipeline and the evaluator for constants.
#include <utility>

#include "hloir/evaluator.h"
#include "hloir/passes.h"

namespace hloir {

#define HLOIR_PASS(define, name, description) PassDefinition define();
#include "hloir/passes.def"
#undef HLOIR_PASS

namespace {

// XLA's hlo-opt spellings of passes, if they differ from ours in more than hyphens.
constexpr std::pair<std::string_view, std::string_view> kXlaNames[] = {
    {"algsimp", "algebraic-simplifier"},
    {"all-reduce-simp", "all-reduce-simplifier"},
    {"memory-scheduler", "hlo-memory-scheduler"},
    {"AssumeGatherIndicesInBoundRewriteToCopy", "assume-gather-indices-in-bound-rewrite-to-copy"},
    {"CallInliner", "call-inliner"},
    {"ReduceWindowToReduceAndBroadcast", "reduce-window-to-reduce-and-broadcast"},
    {"associative-scan-rewriter", "reduce-window-rewriter"},
    {"async-collective-replacer", "convert-async-collectives-to-sync"},
    {"cpu-all-reduce-combiner", "all-reduce-combiner"},
    {"cpu-layout-assignment", "layout-assignment"},
    {"float-normalization-f8e5m2", "float-normalization"},
    {"gpu-layout-assignment", "layout-assignment"},
    {"cse_barrier_expander", "optimization-barrier-expander"},
    {"float-normalization-bf16", "float-normalization"},
    {"int4-size-setter", "sub-byte-normalization"},
    {"sub-byte-size-setter", "sub-byte-normalization"},
    {"shardy-xla", "sharding-propagation"},
    {"spmd-partitioner", "spmd-partitioning"},
    {"simplify-conditional", "conditional-simplifier"},
    {"simplify-sorts", "sort-simplifier"},
    {"simplify-while-loops", "while-loop-simplifier"},
};

constexpr const char* kDefaultPipeline[] = {
    // zero-sized-hlo-elimination is first: arrays without elements may have bounded sizes that the padder does not
    // support.
    "call-inliner", "zero-sized-hlo-elimination", "dynamic-padder", "batchnorm-expander", "tuple-simplifier", "dce",
    // To a fixpoint: simplify instructions, then loops and branches.
    "[algebraic-simplifier", "constant-folding", "cse", "reshape-mover", "zero-sized-hlo-elimination",
    "all-reduce-simplifier", "sort-simplifier", "conditional-simplifier", "conditional-to-select", "dynamic-padder",
    "while-loop-constant-sinking", "while-loop-simplifier", "while-loop-unroller{elementwise-only=true max-rounds=8}",
    "while-loop-invariant-code-motion", "tuple-simplifier", "hlo-module-dce", "dce]", "computation-deduplicator",
    // Fusion as far as it saves bytes: docs/notes/tune.md has the effect of each setting.
    "fusion{feed-products=true join-products=true least-gain=0 max-results=32}",
    "reshape-decomposer{disable=decompose-reshape}", "tuple-simplifier", "dce"};

PassRegistry MakeBuiltinPasses() {
  PassRegistry registry;
  // The names are constants of this file and passes.def, so none of these fails; tests/unit/registry_test.cc.
#define HLOIR_PASS(define, name, description) (void)registry.Add(name, description, define());
#include "hloir/passes.def"
#undef HLOIR_PASS
  for (const auto& [xla, ours] : kXlaNames) (void)registry.AddAlias(std::string(xla), std::string(ours));
  registry.default_pipeline().assign(std::begin(kDefaultPipeline), std::end(kDefaultPipeline));
  registry.set_evaluator([] {
    EvaluatorOptions options;
    options.max_steps = int64_t{1} << 20;  // folding is to stop where running the module would be quicker
    return std::shared_ptr<const HloEvaluator>(MakeReferenceEvaluator(options));
  });
  return registry;
}

}  // namespace

const PassRegistry& BuiltinPasses() {
  static const PassRegistry registry = MakeBuiltinPasses();
  return registry;
}

StatusOr<std::unique_ptr<HloPass>> MakePass(std::string_view text, const PassOptions& options) {
  return BuiltinPasses().Make(text, options);
}

StatusOr<HloPassPipeline> MakePipeline(std::span<const std::string> names, const PassOptions& options,
                                       PipelineOptions pipeline_options) {
  return MakePipeline(BuiltinPasses(), names, options, std::move(pipeline_options));
}

}  // namespace hloir
