// Planner: from a Graph to steps. Elementwise nodes and reductions gather in clusters, which become fused loops when
// somebody needs a result of theirs; every other node becomes a step at its place in the order.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "hloir/executable.h"
#include "plan/schedule/buffers.h"
#include "plan/loops/fused_loop.h"
#include "plan/lower/graph.h"

namespace hloir::cpu {

// What all the graphs of one executable share while it is planned.
struct PlanContext {
  const KernelTable* kernels = nullptr;
  const HloEvaluator* evaluator = nullptr;  // fills elided constants in
  bool fuse = true;
  int threads = 1;
  int32_t held_count = 0;  // of Runtime::held, and their sizes at most
  int64_t held_bytes = 0;
  BufferTable buffers;
  std::vector<std::unique_ptr<Literal>> literals;                // constants that stand nowhere else
  std::unordered_map<const HloInstruction*, int32_t> constants;  // their buffers
};

class Planner {
 public:
  // Steps are added to `steps`; `parameters` says where each of the graph's parameters lies.
  Planner(PlanContext& context, Graph& graph, StepList& steps, std::vector<Ref> parameters);
  Status PlanNodes();
  // Of a loop's body, before PlanNodes: what no turn changes, given which parameters vary, is left to steps of `once`.
  Status PlanOnce(const std::vector<bool>& varies, StepList& once);
  // Results of `once` live until then.
  void KeepOnce(int32_t end);
  // Where the value lies, side by side and in order; a copy is made if it does not. Of a token: no buffer.
  StatusOr<Ref> Locate(ValueId id);
  // Has the value copied to a buffer, which starts a new life with that.
  Status CopyTo(ValueId id, Ref to);
  void CloseAll();

 private:
  struct Cluster {
    int64_t count = 0;
    std::vector<int32_t> nodes;
    std::vector<int32_t> needs;  // clusters that must run before
    bool open = true, reduces = false;
    ReduceShape reduce;
    int32_t last_join = 0;  // in steps emitted
  };

  Status PlanNode(int32_t index);
  std::vector<int32_t> ReductionsEarly() const;
  Status PlanList(std::span<const int32_t> indices);
  std::vector<bool> FindInvariant(const std::vector<bool>& varies) const;
  Status AddToCluster(int32_t index, bool reduces, const ReduceShape& reduce);
  int32_t ChooseCluster(const Node& node, int64_t count, bool reduces, const ReduceShape& reduce) const;
  bool Needs(int32_t cluster, int32_t other) const;
  bool SharesOperand(int32_t cluster, const Node& node) const;
  void Close(int32_t cluster);
  void Emit(Cluster& cluster);
  // The open cluster that computes the value's root, or -1.
  int32_t OpenClusterOf(ValueId id) const;
  // The value is its root's elements in order and type: within a cluster, a register.
  bool IsRegisterIn(ValueId id, int64_t count) const;
  Status PlanWhile(Node& node);
  Status PlanConditional(Node& node);
  void AppendGemm(std::unique_ptr<Step> step, Ref a, Ref b, Ref to);
  Status PlanDot(const Node& node);
  bool StoreTransposed(const Node& dot);
  Status PlanConvolution(const Node& node);
  Status PlanConcatenate(const Node& node);
  Status PlanMovement(const Node& node);  // pad, dynamic-slice, dynamic-update-slice, gather, scatter
  Status PlanElementScatter(const Node& node);
  void CloseReaders(ValueId updated);
  Status PlanInOrder(const Node& node);   // steps that take operands as they lie in order
  Status PlanArrays(const Node& node);    // elementwise, on types that no tile holds
  Status PlanConstant(const Node& node);  // known now: iota on types that no tile holds
  Status PlanReference(const Node& node);
  // The value as a view of a root that is in memory.
  StatusOr<std::pair<Ref, View>> LocateView(ValueId id);
  Status LoadConstant(ValueId id);

  Ref RootRef(ValueId root);  // a place for the root, new if it has none yet
  Ref NewBuffer(int64_t bytes);
  // A copy of the view's elements in order, in a buffer of their own.
  Ref CopyView(Ref from, const View& view, PrimitiveType type);
  void Append(std::unique_ptr<Step> step, std::vector<Ref> read, const std::vector<Ref>& written, int32_t time);
  void Append(std::unique_ptr<Step> step, std::vector<Ref> read, const std::vector<Ref>& written);

  PlanContext& context_;
  Graph& graph_;
  StepList* steps_;
  std::vector<Ref> places_;    // by root value; buffer -1: none yet
  std::vector<int32_t> uses_;  // by root value: operand slots and results that read it
  std::unordered_map<ValueId, std::vector<ValueId>> dot_views_;  // of dots' results: as what they are read
  std::vector<int32_t> cluster_of_;                              // by root value; -1: in none
  std::vector<Cluster> clusters_;
  std::vector<int32_t> open_;
  std::vector<bool> once_;                       // by node: done by PlanOnce
  std::vector<int32_t> kept_;                    // buffers of its results
  std::unordered_map<ValueId, ValueId> copies_;  // of views that do not lie in order
};

}  // namespace hloir::cpu
