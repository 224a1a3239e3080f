// See absent_passes.h. The names are those of XLA's dumps and of --xla_disable_hlo_passes, from the name() of each pass
// of service/cpu, service/gpu/transforms, service/spmd and hlo/transforms.
#include "rewrite/absent_passes.h"

#include "support/format.h"

namespace hloir {
namespace {

struct AbsentPass {
  std::string_view name;     // a trailing * stands for any end
  std::string_view instead;  // equivalent passes, separated by blanks; "": none
  std::string_view what;     // its function, or the reason why no pass is needed
};

constexpr AbsentPass kAbsent[] = {
    // Pipelines.
    {"after-layout-assignment", "", "a pipeline of XLA:CPU that holds its verifier; --verify-each does that"},
    {"HLO-passes-after-layout-assignment", "", "a pipeline; its passes have names of their own"},
    {"HLO-passes-after-scheduling", "", "a pipeline; its passes have names of their own"},
    {"HLO-passes-through-layout-assignment", "", "a pipeline; its passes have names of their own"},
    {"hlo-verifier", "", "--verify-each runs the verifier after each pass"},
    {"post-scatter-expansion-simplification", "algebraic-simplifier dce", "a pipeline"},
    {"post-scheduling-passes", "", "a pipeline of XLA:GPU; its passes have names of their own"},
    {"remat-pipeline", "rematerialization", "a pipeline of XLA:GPU"},
    {"simplification", "", "a pipeline; the default pipeline has its passes between brackets"},
    {"simplification-after-layout-assignment", "algebraic-simplifier dce cse", "a pipeline"},

    // Fusion.
    {"copy-fusion", "fusion", "it lets a fusion write copies of its results"},
    {"cpu-instruction-fusion", "fusion", "it fuses for XLA:CPU's loops"},
    {"cpu-multi-output-fusion", "fusion", "it fuses values with common operands"},
    {"fusion-merger", "fusion", "it fuses fusions into their users"},
    {"gpu-horizontal-*", "fusion", "it fuses values that do not depend on each other"},
    {"horizontal-*", "fusion", "it fuses values that do not depend on each other"},
    {"instruction-fusion", "fusion", "it fuses producers into consumers"},
    {"multi-output-fusion", "fusion", "it fuses values with common operands"},
    {"priority-fusion", "fusion", "it fuses in the order of XLA:GPU's cost model"},
    {"triton-softmax-rewriter", "fusion", "it fuses softmax and norms into one kernel"},
    {"softmax-rewriter-triton", "fusion", "it fuses softmax and norms into one kernel"},
    {"variadic-op-splitter", "", "it splits concatenations of very many operands, which a GPU's kernels cannot take"},
    {"fusion-block-level-rewriter", "", "it chooses tile sizes of Triton's kernels"},
    {"fusion-dispatch-pipeline", "", "it chooses the emitter of a GPU's kernels"},
    {"dynamic-slice-fusion-rewriter", "fusion", "it fuses slices with calls of libraries"},
    {"address-computation-fusion-rewriter", "fusion", "it fuses slices with calls of libraries"},
    {"rename-fusions", "", "it names fusions by their contents"},

    // Reductions and layouts.
    {"reduction-degenerate-dim-remover", "algebraic-simplifier", "it drops dimensions of one element from reductions"},
    {"reduction-dimension-grouper", "",
     "it makes one of reduced dimensions that lie side by side, for a GPU's kernels"},
    {"reduction-layout-normalizer", "layout-normalization", "it makes reductions row-major"},
    {"reduction-splitter", "tree-reduction-rewriter", "it splits reductions along dimensions that lie apart"},
    {"transpose-dimension-grouper", "layout-normalization",
     "it makes one of dimensions that a transpose keeps together"},
    {"move-copy-to-users", "", "it moves copies behind ops to which layouts do not matter"},
    {"normalize-layouts", "layout-normalization", "it makes layouts row-major"},
    {"convolution-canonicalization", "layout-assignment", "it orders the dimensions of convolutions for Eigen"},

    // Products, convolutions and solvers of libraries.
    {"acl-*", "", "it makes calls of Arm's library"},
    {"block-scaling-rewriter", "custom-call-expander", "it writes block-scaled dots out, or for cuDNN"},
    {"composite-rewriter", "", "it replaces JAX's composite operations by calls of libraries"},
    {"conv-fusion-rewriter", "", "it makes fusions for cuDNN of convolutions"},
    {"conv-kind-assignment", "", "it tells derivatives of convolutions from convolutions, for cuDNN"},
    {"conv-padding-legalization", "", "it makes padding of cuDNN's convolutions symmetric"},
    {"conv-rewriter", "", "it makes calls of cuDNN of convolutions; custom-call-expander is the reverse"},
    {"cublas-gemm-broadcast-folding-rewriter", "", "it folds broadcasts into cuBLAS's products"},
    {"cublas-gemm-rewriter", "", "it makes calls of cuBLAS of dots; custom-call-expander is the reverse"},
    {"gemm-rewriter", "", "it makes calls of cuBLAS of dots; custom-call-expander is the reverse"},
    {"cublas-pad-for-gemms", "", "it pads matrices to sizes that cuBLAS prefers"},
    {"cudnn-*", "", "it makes or changes calls of cuDNN; custom-call-expander is the reverse"},
    {"custom-kernel-fusion-*", "", "it chooses kernels of CUTLASS"},
    {"dot-algorithm-rewriter", "",
     "it writes a dot's algorithm (BF16_BF16_F32_X3, …) out; runs here are in full precision"},
    {"dot-dimension-sorter", "dot-dimension-merger", "it orders contracted dimensions by layout"},
    {"dot-library-rewriter", "", "it marks dots for the libraries that XLA:CPU is linked with"},
    {"dot-operand-converter", "operand-upcaster", "it gives a dot's operands one type"},
    {"operand-converter", "operand-upcaster", "it gives a dot's operands one type"},
    {"dot-normalizer", "dot-decomposer", "it gives dots a contracted dimension"},
    {"dot-strength-reduction", "algebraic-simplifier", "it writes small dots as multiplications and sums"},
    {"gemm-*", "", "it chooses algorithms or workspaces of cuBLAS"},
    {"gpusolver-rewriter", "", "it makes calls of cuSOLVER of cholesky"},
    {"library-rewriter", "", "it makes fusions for the libraries that XLA:CPU is linked with"},
    {"nest-gemm-fusion", "", "it nests fusions for Triton's products"},
    {"onednn-*", "", "it makes calls of oneDNN; custom-call-expander is the reverse"},
    {"ragged-dot-rewriter", "", "it writes ragged-dot as a dot of masked operands; engines here run it as it is"},
    {"simplify-int4-dots", "", "it makes dots of s4 ones of s8, for a GPU's kernels"},
    {"sort-rewriter", "", "it makes calls of CUB of sorts; custom-call-expander is the reverse"},
    {"splitk-rewriter", "", "it splits a dot's contracted dimension, for a GPU's cores"},
    {"topk-specializer", "topk-rewriter", "it chooses a GPU's kernel for TopK"},
    {"topk-splitter", "", "it splits the TopK of long rows, for a GPU's cores"},
    {"triangular-solve-rewriter", "", "it makes calls of cuBLAS; custom-call-expander is the reverse"},
    {"triton-gemm-rewriter", "fusion", "it fuses into products, for Triton"},
    {"triton-fusion-numerics-verifier", "", "it runs Triton's kernels against others; hloir verify compares modules"},
    {"ynn-fusion", "fusion", "it fuses for the library YNNPACK"},

    // Collectives.
    {"all-gather-dynamic-slice-simplifier", "", "it drops an all-gather of which each device takes its own part"},
    {"all-gather-optimizer", "all-gather-combiner", "it gathers a sum in place of its terms"},
    {"all-gather-simplifier", "algebraic-simplifier", "it drops all-gathers of one device"},
    {"all-reduce-blueconnect", "", "it splits all-reduces by the machines of a network"},
    {"all-reduce-promotion", "float-normalization", "it reduces 16-bit numbers in 32 bits"},
    {"all-reduce-decomposer", "", "it writes small all-reduces as all-gathers and sums"},
    {"all-reduce-splitter", "", "it splits an all-reduce over replicas so that a part is a reduce-scatter"},
    {"all-to-all-decomposer", "", "it gives all-to-all of several operands one"},
    {"ar-crs-combiner", "all-reduce-folder", "it merges all-reduces over partitions with those over replicas"},
    {"async-wrapper", "async-collective-creator", "it makes ops asynchronous"},
    {"collective-backend-assigner", "", "it chooses NVSHMEM or NCCL"},
    {"collective-permute-cycle-decomposer", "",
     "it splits permutations in a circle so that sends do not wait for each other"},
    {"collective-permute-decomposer", "", "it writes collective-permute as send and recv; runs here take both"},
    {"collective-permute-valid-iteration-annotator", "", "it notes the turns of a loop in which a permutation counts"},
    {"collective-pipeliner*", "", "it moves collectives of a loop into the turn before or after"},
    {"collective-select-folder", "", "it folds a choice by partition-id into a collective-permute's pairs"},
    {"double-buffer-loop-unroller", "while-loop-unroller",
     "it puts two turns of a loop into one, so that collectives of one overlap the other"},
    {"loop-double-buffer-transformer", "while-loop-unroller",
     "it puts two turns of a loop into one, so that collectives of one overlap the other"},
    {"explicit-*-async-wrapper", "async-collective-creator", "it makes marked groups asynchronous"},
    {"latency-hiding-scheduler", "hlo-memory-scheduler",
     "it orders instructions by time; the schedulers here order them by memory"},
    {"p2p-schedule-preparation", "", "it adds control dependencies between sends and receives"},
    {"pipelined-p2p-rewriter", "", "it moves sends and receives of a loop out of it"},
    {"ragged-all-to-all-*", "", "it writes ragged-all-to-all as other collectives; engines here run it as it is"},
    {"reduce-scatter-creator", "",
     "it makes a reduce-scatter of an all-reduce of which each device takes its own part"},
    {"schedule-aware-collective-ops-cse", "all-gather-cse collective-permute-cse", "it merges equal collectives"},
    {"while-loop-all-reduce-code-motion*", "", "it moves an all-reduce behind the loop that sums its results"},
    {"windowed-einsum-handler", "spmd-partitioning", "it changes loops that spmd-partitioning made of products"},

    // Schedules, memory and threads.
    {"alias-passthrough-params", "optimize-input-output-buffer-alias",
     "it aliases results that are parameters to them"},
    {"apply-xla-transforms", "", "it replaces parts of the module as a file beside the compiler says"},
    {"command-buffer-scheduling", "", "it makes CUDA graphs"},
    {"cpu-parallel-task-assigner", "", "it cuts loops for the threads of XLA:CPU; the plan of a run does that here"},
    {"gpu-schedule-postprocessing", "", "it marks asynchronous copies that need no stream of their own"},
    {"schedule-postprocessing", "", "it marks asynchronous copies that need no stream of their own"},
    {"host-memory-transfer-asyncifier", "", "it makes copies to and from the host asynchronous"},
    {"host-offload-legalize", "host-offloader",
     "it moves annotations of the host's memory to where host-offloader takes them"},
    {"memory-space-assignment", "", "it places arrays in a TPU's memories"},
    {"memory-space-propagation", "layout-assignment", "it gives fusions the memory of their operands"},
    {"pgle-accuracy-checker", "", "it compares a profile with the module"},
    {"sanitize-constant-names", "", "it makes names of constants valid for LLVM"},
    {"scheduling-instruction-annotator", "", "it notes the schedule in op_names"},
    {"small-while-loop-hoisting", "", "it puts small loops into calls so that XLA:CPU compiles each as one kernel"},
    {"stream-attribute-*", "", "it assigns ops to CUDA streams"},

    // Shared memory of the compiler, metadata.
    {"literal-canonicalizer", "", "it lets equal constants share memory; the graph's attributes do that here"},
    {"propagate-call-metadata", "call-inliner", "it puts a call's op_name before those of its body"},
    {"shape-canonicalizer", "", "it lets equal shapes share memory, which a module's shapes always do here"},

    // Others.
    {"change-op-data-type", "element-type-converter", "it computes some ops in another type"},
    {"constant-deferring", "hlo-memory-scheduler", "it schedules constants late"},
    {"domain-isolator", "sharding-propagation", "it puts domains between unlike shardings"},
    {"domain-remover", "sharding-propagation", "it removes domains between unlike shardings"},
    {"reduce-window-resizer", "", "it gives small windows dimensions that XLA:CPU's kernels need"},
    {"scatter-slice-simplifier", "scatter-simplifier", "it takes slices of a scatter's result into the scatter"},
    {"sub-byte-collective-normalization", "sub-byte-normalization", "it moves s4 as s8 between devices"},
    {"while-loop-expensive-invariant-code-motion", "while-loop-invariant-code-motion",
     "it moves loop-invariant instructions out of loops"},
};

bool Matches(std::string_view pattern, std::string_view name) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  const std::string_view head = pattern.substr(0, star), tail = pattern.substr(star + 1);
  return name.size() >= head.size() + tail.size() && name.starts_with(head) && name.ends_with(tail);
}

}  // namespace

std::string WhyPassIsAbsent(std::string_view name) {
  for (const AbsentPass& pass : kAbsent) {
    if (!Matches(pass.name, name)) continue;
    if (pass.instead.empty())
      return Format("XLA's '{}' is not a pass here, and none does the same: {}", name, pass.what);
    std::string passes(pass.instead);
    for (size_t at = passes.find(' '); at != std::string::npos; at = passes.find(' ', at)) passes.replace(at, 1, ",");
    return Format("XLA's '{}' is not a pass here; the nearest is --passes={}: {}", name, passes, pass.what);
  }
  return "";
}

std::string_view AbsentPassReplacement(size_t row) {
  return row < std::size(kAbsent) ? kAbsent[row].instead : std::string_view("end");
}

}  // namespace hloir
