// Planner: translates a Graph to steps. Elementwise nodes and reductions are collected in clusters, which become fused
// loops when one of their results is needed; every other node becomes a step in the order of nodes. Node::support has
// the way each node runs.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "hloir/executable.h"
#include "plan/capability/gemm_problem.h"
#include "plan/schedule/buffers.h"
#include "plan/loops/fused_loop.h"
#include "plan/loops/stored_loops.h"
#include "plan/graph/graph.h"

namespace hloir::cpu {

// State shared by all graphs of one executable during planning.
struct PlanContext {
  const KernelTable* kernels = nullptr;
  const HloEvaluator* evaluator = nullptr;  // fills elided constants in
  bool fuse = true, pack_ahead = false;
  int threads = 1;
  int32_t dynamic_count = 0;  // of Runtime::dynamic, with their maximal sizes
  int64_t dynamic_bytes = 0;
  int64_t block_bytes = 0;  // of each thread, after its scratch memory: see steps/row_blocks.h
  BufferTable buffers;
  StoredLoops* stored = nullptr;                                 // records the loops, or has those of an earlier plan
  std::vector<std::unique_ptr<Literal>> literals;                // generated constants
  std::unordered_map<const HloInstruction*, int32_t> constants;  // their buffers
};

class Planner {
 public:
  // Steps are added to `steps`; `parameters` are the buffers of the graph's parameters.
  Planner(PlanContext& context, const Graph& graph, StepList& steps, std::vector<Ref> parameters);
  Status PlanNodes();
  // Call before PlanNodes on a loop's body: plans the loop-invariant nodes, given which parameters vary, into
  // `prologue`, which runs before the loop.
  Status PlanInvariant(const std::vector<bool>& varies, StepList& prologue);
  // The prologue's results live until then.
  void KeepInvariant(int32_t end);
  // The buffer of the value, contiguous and in order; makes a copy if necessary. For a token: no buffer.
  StatusOr<Ref> Locate(ValueId id);
  // Copies the value to a new buffer.
  Status CopyTo(ValueId id, Ref to);
  void CloseAll();
  // The work of the nodes in a run, or of the loop-invariant ones, beside their steps: see steps/node_work.h.
  int64_t ExtraSteps(bool invariant = false) const;

 private:
  using ClusterList = SmallVector<int32_t, 4>;
  struct Cluster {
    int64_t count = 0;
    SmallVector<int32_t, 8> nodes;
    ClusterList needs;    // open clusters that must run before
    uint64_t needed = 0;  // the same, as bits of their slots
    int slot = 0;         // while it is open: its place in by_slot_
    bool open = true, reduces = false;
    ReduceShape reduce;
    int32_t last_join = 0;  // in steps emitted
  };

  Status PlanNode(int32_t index);
  std::vector<int32_t> ReductionsEarly() const;
  Status PlanList(std::span<const int32_t> indices);
  std::vector<bool> FindInvariant(const std::vector<bool>& varies, std::vector<bool>& constant) const;
  Status AddToCluster(int32_t index);
  static bool Erase(ClusterList& list, int32_t cluster);
  int32_t ChooseCluster(const Node& node, int64_t count) const;
  void AddNeed(int32_t cluster, int32_t other);
  bool EraseNeed(int32_t cluster, int32_t other);
  bool Needs(int32_t cluster, int32_t other) const;
  bool SharesOperand(int32_t cluster, const Node& node) const;
  bool MayJoin(int32_t source, int32_t into) const;
  void Join(int32_t source, int32_t into);
  void Close(int32_t cluster);
  bool MayRepeat(const Node& node, const Cluster& cluster) const;
  void Emit(const Cluster& cluster);
  // A loop that writes a view of the natural numbers to memory.
  void EmitIota(ValueId id, Ref to);
  void AppendLoop(LoopRequest request);
  // The open cluster that computes the value's root, or -1.
  int32_t OpenClusterOf(ValueId id) const;
  // True if the value is its root's elements in order and type: within a cluster, a register.
  bool IsRegisterIn(ValueId id, int64_t count) const;
  Status PlanWhile(const Node& node);
  Status PlanConditional(const Node& node);
  void AppendGemm(std::unique_ptr<Step> step, Ref a, Ref b, Ref to);
  void AppendTranspose(const Node& node, View made, Ref from, Ref to);
  View ViewOf(ValueId id) const;
  // False: no kernel takes its element types.
  bool MakeProblem(const Node& node, const View& lhs, const View& rhs, GemmProblem* problem) const;
  Status PlanDot(const Node& node);
  // The right operand of a product whose left one alone varies in a loop: packed before it, from `source`, which is
  // that operand, or what it was converted from.
  struct Packing {
    const Node* node = nullptr;
    size_t operand = 1;  // of the node
    ValueId source = kNoValue;
  };
  std::vector<Packing> FindPackings(const std::vector<bool>& constant) const;
  Status PlanPacking(const Packing& packing);
  Status PlanRowBlocks(const Node& node);
  Status PlanConvolution(const Node& node);
  Status PlanConcatenate(const Node& node);
  void FindParts();
  // The first step in step_makers.h that accepts the node, otherwise the reference.
  Status PlanStep(const Node& node);
  // Finishes the clusters that still read values which the node updates in place.
  void CloseReaders(ValueId updated);
  Status PlanArrays(const Node& node);  // elementwise, on types that no tile holds
  Status PlanIota(const Node& node);    // known now: iota on types that no tile holds
  Status PlanReference(const Node& node, std::string reason);
  // The value as a view of a root in memory.
  StatusOr<std::pair<Ref, View>> LocateView(ValueId id);
  Status LoadConstant(ValueId id);

  Ref RootRef(ValueId root);  // the buffer of the root, created if it has none
  Ref NewBuffer(int64_t bytes);
  Ref NewBufferFor(ValueId id);
  // A copy of the view's elements in order, in a buffer of their own.
  Ref CopyView(Ref from, const View& view, PrimitiveType type);
  void Append(std::unique_ptr<Step> step, const std::vector<Ref>& read, const std::vector<Ref>& written, int32_t time);
  void Append(std::unique_ptr<Step> step, const std::vector<Ref>& read, const std::vector<Ref>& written);
  void Append(std::unique_ptr<Step> step, int32_t time);  // that has its refs

  PlanContext& context_;
  const Graph& graph_;
  StepList* steps_;
  std::vector<Ref> places_;          // by root value; buffer -1: none yet
  std::vector<int32_t> uses_;        // by root value: operand slots and results that read it
  std::vector<int32_t> loop_uses_;   // those of them that are registers of a loop over all of it
  std::vector<bool> repeated_;       // by root value: computed by each loop that reads it, and not written
  std::vector<int32_t> cluster_of_;  // by root value; -1: in none
  std::vector<Cluster> clusters_;
  std::vector<int32_t> open_;
  uint64_t used_slots_ = 0;
  std::array<int32_t, 64> by_slot_ = {};     // of used ones: the open cluster
  const HloInstruction* planned_ = nullptr;  // whose steps are being appended
  std::vector<bool> invariant_;              // by node: planned by PlanInvariant
  std::vector<int32_t> kept_;                // buffers of its results
  std::unordered_map<ValueId, Ref> copies_;  // of views that do not lie in order
  // Gathers whose results are only used by a concatenation, by root value: they write directly into its result.
  struct Part {
    ValueId whole = kNoValue;
    View view;             // of the whole, by the gather's dimensions
    bool written = false;  // by the gather's step
  };
  std::unordered_map<ValueId, Part> parts_;
  // Products of a loop with a packed operand.
  struct PackedProduct {
    std::unique_ptr<Step> step;
    Ref packed;
    size_t operand = 1;
  };
  std::unordered_map<const Node*, PackedProduct> packed_;
};

}  // namespace hloir::cpu
