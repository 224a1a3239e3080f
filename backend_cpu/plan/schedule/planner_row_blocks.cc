// The planner's products that run block by block: see lower/row_blocks.h. Each thread gets its own plan for a block,
// with its own arena. Tests: tests/unit/executable_row_blocks_test.cc.
#include <algorithm>
#include <utility>

#include "plan/schedule/planner.h"
#include "plan/steps/dot.h"
#include "plan/steps/row_blocks.h"

namespace hloir::cpu {
namespace {

std::vector<int64_t> Times(std::vector<int64_t> offsets, int64_t bytes) {
  for (int64_t& offset : offsets) offset *= bytes;
  return offsets;
}

// The first batch alone, from where its operands and result begin.
GemmProblem OneBatch(GemmProblem problem) {
  problem.batch = 1;
  problem.a.batch_offsets = problem.b.batch_offsets = problem.c_offsets = {0};
  return problem;
}

}  // namespace

Status Planner::PlanRowBlocks(const Node& node) {
  const RowBlocks& blocks = *node.blocks;
  std::vector<Ref> read;
  std::vector<View> views;
  for (ValueId id : node.inputs) {
    HLOIR_ASSIGN_OR_RETURN(auto from, LocateView(id));
    read.push_back(from.first);
    views.push_back(std::move(from.second));
  }
  // The blocks of the first product's result lie where the second one reads them: see lower/row_blocks.cc.
  const View& between = graph_.values[blocks.between].view;
  GemmProblem first, second;
  const bool made = MakeDotProblem(*blocks.first, views[0], views[1], {}, &first) &&
                    MakeDotProblem(*node.instruction, blocks.is_left ? between : views[2],
                                   blocks.is_left ? views[2] : between, node.order, &second);
  if (!made) return Internal("a product that runs block by block is none");
  const bool is_a = blocks.is_left != second.exchanged;
  const GraphValue& result = graph_.values[node.outputs[0]];
  const GemmOperand& other = is_a ? second.b : second.a;
  std::vector<int64_t> c_offsets = second.c_offsets;
  for (int64_t b = 0; b < second.batch && second.c_offsets.empty(); ++b) c_offsets.push_back(b * second.m * second.n);
  std::vector<std::vector<int64_t>> offsets{Times(first.a.batch_offsets, StorageBytes(first.a.type)),
                                            Times(first.b.batch_offsets, StorageBytes(first.b.type)),
                                            Times(other.batch_offsets, StorageBytes(other.type))};
  for (size_t i = 0; i < blocks.offsets.size(); ++i)
    offsets.push_back(Times(blocks.offsets[i], StorageBytes(graph_.values[node.inputs[3 + i]].type)));
  offsets.push_back(Times(std::move(c_offsets), StorageBytes(result.type)));
  GemmProblem first_block = OneBatch(first), second_block = OneBatch(second);
  (is_a ? second_block.a : second_block.b).batch_offsets = {between.offset};

  std::vector<RowBlocksStep::Worker> workers(
      static_cast<size_t>(std::min<int64_t>(std::max(1, context_.threads), blocks.count)));
  for (RowBlocksStep::Worker& worker : workers) {
    PlanContext context;
    context.kernels = context_.kernels;
    context.evaluator = context_.evaluator;
    context.fuse = context_.fuse;
    std::vector<Ref> outside;
    for (size_t i = 0; i < offsets.size(); ++i) {
      outside.push_back({.buffer = context.buffers.Add(Buffer::kParameter, 0)});
      context.buffers[outside.back().buffer].index = static_cast<int32_t>(i);
    }
    const Graph& graph = *node.graphs[0];
    std::vector<Ref> parameters{
        {.buffer = context.buffers.Add(Buffer::kArena, graph.values[graph.parameters[0]].bytes())}};
    parameters.insert(parameters.end(), outside.begin() + 3, outside.end() - 1);
    Planner inner(context, graph, worker.steps, parameters);
    inner.AppendGemm(MakeGemmStep(first_block, *context.kernels), outside[0], outside[1], parameters[0]);
    HLOIR_RETURN_IF_ERROR(inner.PlanNodes());
    HLOIR_ASSIGN_OR_RETURN(const Ref made_from, inner.Locate(graph.results[0]));
    inner.AppendGemm(MakeGemmStep(second_block, *context.kernels), is_a ? made_from : outside[2],
                     is_a ? outside[2] : made_from, outside.back());
    context_.block_bytes = std::max(context_.block_bytes, context.buffers.Assign());
    for (auto [step, time] : context.buffers.steps()) {
      for (size_t i = 0; i < step->refs().size(); ++i) {
        Ref& ref = step->refs()[i];
        const Buffer& buffer = context.buffers.Final(ref.buffer);
        const RowBlocksStep::Place place{step, static_cast<int>(i), -1, ref.offset};
        if (buffer.kind == Buffer::kFixed) {
          ref.pointer = const_cast<std::byte*>(buffer.fixed) + ref.offset;
        } else if (buffer.kind == Buffer::kArena) {
          worker.here.push_back(place);
          worker.here.back().offset += buffer.offset;
        } else {
          worker.outside.push_back(place);
          worker.outside.back().outer = buffer.index;
        }
      }
    }
    for (auto& literal : context.literals) context_.literals.push_back(std::move(literal));
  }
  Append(std::make_unique<RowBlocksStep>(blocks.count, std::move(offsets), std::move(workers)), std::move(read),
         {RootRef(node.outputs[0])});
  return OkStatus();
}

}  // namespace hloir::cpu
