// The planner's nodes with separate steps: products, convolutions, those in step_makers.h, and those that the reference
// runs. See planner.h.
#include <algorithm>
#include <utility>

#include "ir/element_bytes.h"
#include "support/format.h"
#include "support/ranges.h"
#include "plan/steps/array_step.h"
#include "plan/steps/depthwise.h"
#include "plan/steps/element_convolution.h"
#include "plan/steps/dot.h"
#include "plan/steps/integer_dot.h"
#include "plan/schedule/planner.h"
#include "plan/schedule/step_makers.h"
#include "plan/steps/movement.h"
#include "plan/steps/simple_steps.h"

namespace hloir::cpu {

StatusOr<std::pair<Ref, View>> Planner::LocateView(ValueId id) {
  const ValueId root = graph_.values[id].root;
  if (root == kNoValue) {
    HLOIR_ASSIGN_OR_RETURN(Ref ref, Locate(id));
    return std::pair(ref, View::RowMajor(graph_.values[id].dims));
  }
  HLOIR_RETURN_IF_ERROR(Locate(root).status());
  return std::pair(RootRef(root), graph_.values[id].view);
}

void Planner::AppendGemm(std::unique_ptr<Step> step, Ref a, Ref b, Ref to) {
  std::vector<Ref> written{to};
  if (const int64_t scratch = GemmScratchBytes(*step); scratch > 0) written.push_back(NewBuffer(scratch));
  Append(std::move(step), {a, b}, written);
}

View Planner::ViewOf(ValueId id) const {
  const GraphValue& value = graph_.values[id];
  return value.root == kNoValue ? View::RowMajor(value.dims) : value.view;
}

namespace {

// Else the result is stored in row-major order, and transposed.
bool Stores(const Node& node) { return node.order.empty() || CanStoreInOrder(*node.instruction, node.order); }

}  // namespace

bool Planner::MakeProblem(const Node& node, const View& lhs, const View& rhs, GemmProblem* problem) const {
  return MakeDotProblem(*node.instruction, lhs, rhs, Stores(node) ? node.order : DimVector(), problem);
}

std::vector<Planner::Packing> Planner::FindPackings(const std::vector<bool>& constant) const {
  std::vector<Packing> packings;
  std::vector<int32_t> packed(graph_.values.size());  // by root: how many products pack it
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    if (invariant_[i] || node.opcode() != HloOpcode::kDot || node.support.kind != Support::kStep || node.is_copy ||
        node.blocks != nullptr)
      continue;
    GemmProblem problem;
    if (!MakeProblem(node, ViewOf(node.inputs[0]), ViewOf(node.inputs[1]), &problem)) continue;
    const size_t operand = problem.exchanged ? 0 : 1;
    const ValueId source = node.inputs[operand], root = graph_.values[source].root;
    const bool same =
        root != kNoValue && (constant[static_cast<size_t>(root)] || graph_.values[root].kind == ValueKind::kConstant);
    if (!same || !GainsByPackedB(problem, *context_.kernels)) continue;
    packings.push_back({&node, operand, source});
    ++packed[static_cast<size_t>(root)];
  }
  for (Packing& packing : packings) {
    const GraphValue& root = graph_.values[graph_.values[packing.source].root];
    if (root.node < 0 || uses_[static_cast<size_t>(root.root)] != packed[static_cast<size_t>(root.root)]) continue;
    const Node& maker = graph_.nodes[static_cast<size_t>(root.node)];
    if (maker.opcode() != HloOpcode::kConvert || maker.is_copy) continue;
    const ValueId from = maker.inputs[0];
    if (graph_.values[from].root != kNoValue && graph_.IsWhole(from) && PacksAs(graph_.values[from].type, root.type))
      packing.source = from;
  }
  return packings;
}

Status Planner::PlanPacking(const Packing& packing) {
  const Node& node = *packing.node;
  planned_ = node.instruction;
  GemmProblem problem;
  if (!MakeProblem(node, ViewOf(node.inputs[0]), ViewOf(node.inputs[1]), &problem))
    return Internal("a product that is packed is none");
  problem.b_packed = true;
  problem.b.type = graph_.values[packing.source].type;
  HLOIR_ASSIGN_OR_RETURN(auto from, LocateView(packing.source));
  PackedProduct product{MakeGemmStep(std::move(problem), *context_.kernels), {}, packing.operand};
  PackedOperand packed = PackedB(*product.step);
  product.packed = NewBuffer(packed.bytes());
  kept_.push_back(product.packed.buffer);
  Append(MakePackStep(std::move(packed)), {from.first}, {product.packed});
  packed_.emplace(&node, std::move(product));
  return OkStatus();
}

Status Planner::PlanDot(const Node& node) {
  if (node.blocks != nullptr) return PlanRowBlocks(node);
  const auto packed = packed_.find(&node);
  const auto locate = [&](size_t operand) -> StatusOr<std::pair<Ref, View>> {
    if (packed == packed_.end() || packed->second.operand != operand) return LocateView(node.inputs[operand]);
    return std::pair(packed->second.packed, ViewOf(node.inputs[operand]));
  };
  HLOIR_ASSIGN_OR_RETURN(auto lhs, locate(0));
  HLOIR_ASSIGN_OR_RETURN(auto rhs, locate(1));
  GemmProblem problem;
  const bool stores = Stores(node);
  if (!MakeProblem(node, lhs.second, rhs.second, &problem)) {
    auto integers =
        graph_.values[node.outputs[0]].count > 0 ? MakeIntegerDot(*node.instruction, lhs.second, rhs.second) : nullptr;
    if (integers == nullptr) return PlanReference(node, "no product kernel takes its element types");
    Append(std::move(integers), {lhs.first, rhs.first}, {RootRef(node.outputs[0])});
    return OkStatus();
  }
  if (problem.exchanged) std::swap(lhs.first, rhs.first);
  const Ref result = RootRef(node.outputs[0]);
  const Ref to = stores ? result : NewBufferFor(node.outputs[0]);
  AppendGemm(
      packed == packed_.end() ? MakeGemmStep(std::move(problem), *context_.kernels) : std::move(packed->second.step),
      lhs.first, rhs.first, to);
  if (!stores) AppendTranspose(node, View::RowMajor(node.instruction->shape().dimensions()), to, result);
  return OkStatus();
}

Ref Planner::CopyView(Ref from, const View& view, PrimitiveType type) {
  const int64_t bytes = StorageBytes(type), count = view.count();
  const Ref to = NewBuffer(count * bytes);
  std::vector<StridedCopy> copies{
      StridedCopy::Make(bytes, view.dims, view.strides, view.offset, View::RowMajor(view.dims).strides, 0)};
  Append(std::make_unique<ViewCopy>(std::move(copies), Format("copy view {} elements", count)), {from}, {to});
  return to;
}

// Copies the node's result from the instruction's order of dimensions to its layout.
void Planner::AppendTranspose(const Node& node, View made, Ref from, Ref to) {
  if (!node.order.empty()) made = made.Transpose(node.order);
  std::vector<StridedCopy> copies{StridedCopy::Make(StorageBytes(graph_.values[node.outputs[0]].type), made.dims,
                                                    made.strides, 0, View::RowMajor(made.dims).strides, 0)};
  Append(std::make_unique<ViewCopy>(std::move(copies), Format("transpose {} elements", made.count())), {from}, {to});
}

Status Planner::PlanConvolution(const Node& node) {
  HLOIR_ASSIGN_OR_RETURN(auto input, LocateView(node.inputs[0]));
  HLOIR_ASSIGN_OR_RETURN(auto kernel, LocateView(node.inputs[1]));
  auto plan = cpu::PlanConvolution(*node.instruction, input.second, kernel.second, *context_.kernels);
  if (!plan) {
    ConvolutionViews views = ViewsInOrder(*node.instruction, input.second, kernel.second,
                                          View::InOrder(node.instruction->shape().dimensions(), node.order));
    auto step = MakeElementConvolution(*node.instruction, std::move(views));
    if (step == nullptr || graph_.values[node.outputs[0]].count == 0)
      return PlanReference(node, "no convolution kernel takes its element types or its size");
    Append(std::move(step), {input.first, kernel.first}, {RootRef(node.outputs[0])});
    return OkStatus();
  }
  const PrimitiveType type = plan->problem.a.type;
  if (plan->copies_input) {
    const Ref padded = NewBuffer(View::RowMajor(plan->padded_dims).count() * StorageBytes(type));
    Append(MakeZeroPad(type, plan->padding, plan->padded_dims, plan->input), {input.first}, {padded});
    input.first = padded;
  }
  const Ref result = RootRef(node.outputs[0]);
  const View made =
      View::InOrder(node.instruction->shape().dimensions(), ConvolutionOrder(*node.instruction, /*of_result=*/true));
  const bool transposed = !(node.order.empty() ? made : made.Transpose(node.order)).IsContiguous();
  const Ref to = transposed || plan->in_phases ? NewBufferFor(node.outputs[0]) : result;
  if (plan->depthwise) {
    const Ref weights = CopyView(kernel.first, plan->weights, plan->problem.b.type);
    Append(MakeDepthwiseStep(*plan, *context_.kernels), {input.first, weights}, {to});
  } else {
    auto step = MakeGemmStep(std::move(plan->problem), *context_.kernels);
    AppendGemm(std::move(step), input.first, kernel.first, to);
  }
  if (plan->in_phases) {
    DimVector order;
    for (int64_t d = 0; d < node.instruction->shape().rank(); ++d) {
      const auto of = static_cast<size_t>(node.order.empty() ? d : node.order[static_cast<size_t>(d)]);
      for (int64_t phased : plan->phased_dims[of]) order.push_back(phased);
    }
    const View view = View::RowMajor(plan->result_dims).Transpose(order);
    std::vector<StridedCopy> copies{StridedCopy::Make(StorageBytes(graph_.values[node.outputs[0]].type), view.dims,
                                                      view.strides, 0, View::RowMajor(view.dims).strides, 0)};
    Append(std::make_unique<ViewCopy>(std::move(copies), Format("phases of {} elements", view.count())), {to},
           {result});
    plan->elements.result = View::InOrder(node.instruction->shape().dimensions(), node.order)
                                .Transpose(ConvolutionOrder(*node.instruction, /*of_result=*/true));
  }
  if (plan->pads) {
    auto repair = MakePaddingRepair(*node.instruction, std::move(plan->elements));
    if (repair != nullptr) Append(std::move(repair), {input.first, kernel.first}, {plan->in_phases ? result : to});
  }
  if (transposed && !plan->in_phases) AppendTranspose(node, made, to, result);
  return OkStatus();
}

// Only if these are most of the concatenation, whose buffer is then live from the first such gather on.
void Planner::FindParts() {
  if (!context_.fuse) return;
  for (const Node& node : graph_.nodes) {
    if (node.opcode() != HloOpcode::kConcatenate || node.support.kind != Support::kStep || node.is_copy ||
        !node.places.empty())
      continue;
    const ValueId whole = node.outputs[0];
    const GraphValue& result = graph_.values[whole];
    const auto d = static_cast<size_t>(node.instruction->dimensions()[0]);
    std::vector<std::pair<ValueId, View>> found;
    int64_t start = 0, count = 0;
    for (ValueId id : node.inputs) {
      const GraphValue& value = graph_.values[id];
      const int64_t offset = start * result.view.strides[d];
      start += value.dims[d];
      if (value.root == kNoValue || graph_.values[value.root].kind != ValueKind::kComputed || value.count == 0)
        continue;
      const GraphValue& root = graph_.values[value.root];
      const Node& maker = graph_.nodes[static_cast<size_t>(root.node)];
      if (maker.opcode() != HloOpcode::kGather || maker.support.kind != Support::kStep || maker.is_copy ||
          uses_[static_cast<size_t>(value.root)] != 1 || !IsRegisterIn(id, root.count))
        continue;
      std::optional<View> view = View{value.dims, result.view.strides, offset}.Reshape(root.dims);
      if (!view) continue;
      found.emplace_back(value.root, *std::move(view));
      count += value.count;
    }
    if (2 * count < result.count) continue;
    for (auto& [root, view] : found) parts_.emplace(root, Part{whole, std::move(view)});
  }
}

Status Planner::PlanConcatenate(const Node& node) {
  const GraphValue& result = graph_.values[node.outputs[0]];
  const auto d = static_cast<size_t>(node.instruction->dimensions()[0]);
  std::vector<StridedCopy> copies;
  std::vector<Ref> read;
  View next{{}, result.view.strides, 0};
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId id = node.inputs[i];
    const View to = node.places.empty() ? next : node.places[i];
    next.offset += graph_.values[id].dims[d] * next.strides[d];
    const auto part = parts_.find(graph_.values[id].root);
    if (part != parts_.end() && part->second.written) continue;
    HLOIR_ASSIGN_OR_RETURN(auto from, LocateView(id));
    copies.push_back(StridedCopy::Make(StorageBytes(result.type), from.second.dims, from.second.strides,
                                       from.second.offset, to.strides, to.offset));
    read.push_back(from.first);
  }
  if (copies.empty()) return OkStatus();
  Append(std::make_unique<ViewCopy>(std::move(copies), Format("concatenate {} elements", result.count)),
         std::move(read), {RootRef(node.outputs[0])});
  return OkStatus();
}

Status Planner::PlanStep(const Node& node) {
  auto is_empty = [&](ValueId id) { return graph_.values[id].count == 0; };
  if (AnyOf(node.inputs, is_empty) || AnyOf(node.outputs, is_empty))
    return PlanReference(node, "an array has no elements");
  std::string_view reason;
  for (const StepMaker* maker : StepMakersOf(node.opcode())) {
    reason = maker->otherwise;
    if (node.outputs.size() > maker->most_results) continue;
    const auto part = parts_.find(node.outputs[0]);
    StepRequest request{*node.instruction, *context_.kernels, context_.threads, node.order, {}, nullptr, 0};
    if (part != parts_.end()) request.result = &part->second.view;
    std::vector<Ref> read, written;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (maker->ReadsView(i)) {
        HLOIR_ASSIGN_OR_RETURN(auto from, LocateView(node.inputs[i]));
        read.push_back(from.first);
        request.views.push_back(std::move(from.second));
      } else {
        HLOIR_ASSIGN_OR_RETURN(Ref ref, Locate(node.inputs[i]));
        read.push_back(ref);
      }
    }
    std::unique_ptr<Step> step = maker->make(request);
    if (step == nullptr) continue;
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      if (maker->updates_in_place) CloseReaders(node.inputs[k]);
      written.push_back(RootRef(part != parts_.end() ? part->second.whole : node.outputs[k]));
    }
    if (part != parts_.end()) part->second.written = true;
    if (request.scratch > 0) written.push_back(NewBuffer(request.scratch));
    Append(std::move(step), std::move(read), written);
    return OkStatus();
  }
  return PlanReference(node, std::string(reason));
}

// An update in place must follow all other readers of the old value.
void Planner::CloseReaders(ValueId updated) {
  const ValueId root = graph_.values[updated].root;
  for (size_t k = 0; root != kNoValue && k < open_.size();) {
    bool reads = false;
    for (int32_t index : clusters_[open_[k]].nodes) {
      for (ValueId id : graph_.nodes[index].inputs) reads = reads || graph_.values[id].root == root;
    }
    if (reads) Close(open_[k]), k = 0;
    else ++k;
  }
}

Status Planner::PlanArrays(const Node& node) {
  if (node.opcode() == HloOpcode::kBitcastConvert) {
    // The same memory with new elements.
    const GraphValue &from = graph_.values[node.inputs[0]], &to = graph_.values[node.outputs[0]];
    if (SameInMemory(from.type, to.type) && from.bytes() == to.bytes()) {
      HLOIR_ASSIGN_OR_RETURN(places_[node.outputs[0]], Locate(node.inputs[0]));
      return OkStatus();
    }
  }
  std::vector<Ref> read;
  std::vector<bool> uniform;
  auto step = MakeArrayStep(*node.instruction);
  if (step == nullptr || node.outputs.size() != 1 || graph_.values[node.outputs[0]].count == 0)
    return PlanReference(node, step == nullptr ? "no kernel takes its element types" : "an array has no elements");
  for (ValueId id : node.inputs) {
    const GraphValue& value = graph_.values[id];
    uniform.push_back(value.root != kNoValue && value.view.IsUniform());
    if (uniform.back()) {
      HLOIR_ASSIGN_OR_RETURN(auto from, LocateView(id));
      from.first.offset += from.second.offset * StorageBytes(value.type);
      read.push_back(from.first);
    } else {
      HLOIR_ASSIGN_OR_RETURN(Ref ref, Locate(id));
      read.push_back(ref);
    }
  }
  step->SetUniform(uniform);
  Append(std::move(step), std::move(read), {RootRef(node.outputs[0])});
  return OkStatus();
}

Status Planner::PlanIota(const Node& node) {
  HLOIR_ASSIGN_OR_RETURN(Literal value, context_.evaluator->EvaluateInstruction(*node.instruction, {}));
  context_.literals.push_back(std::make_unique<Literal>(std::move(value)));
  const Literal& literal = *context_.literals.back();
  places_[node.outputs[0]].buffer = context_.buffers.Add(Buffer::kFixed, literal.size_bytes());
  context_.buffers[places_[node.outputs[0]].buffer].fixed = literal.untyped_data();
  return OkStatus();
}

Status Planner::PlanReference(const Node& node, std::string reason) {
  std::vector<Ref> read, written;
  for (ValueId id : node.inputs) {
    HLOIR_ASSIGN_OR_RETURN(Ref ref, Locate(id));
    read.push_back(ref);
  }
  for (ValueId id : node.outputs) written.push_back(graph_.values[id].kind == ValueKind::kToken ? Ref() : RootRef(id));
  Append(std::make_unique<ReferenceStep>(*node.instruction, std::move(reason)), std::move(read), written);
  return OkStatus();
}

}  // namespace hloir::cpu
