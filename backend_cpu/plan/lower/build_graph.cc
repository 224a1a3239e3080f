// See build_graph.h. Tests: tests/unit/executable_test.cc and all that runs plans.
#include "plan/lower/build_graph.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ir/element_bytes.h"
#include "support/format.h"
#include "support/hash.h"
#include "support/ranges.h"
#include "hloir/cost.h"
#include "hloir/analysis.h"
#include "hloir/custom_call.h"
#include "ir/async_chain.h"
#include "ir/mixed_floats.h"
#include "plan/lower/dead_values.h"
#include "plan/capability/gemm_problem.h"
#include "plan/lower/expand.h"
#include "plan/lower/expand_ops.h"
#include "plan/lower/halos.h"
#include "plan/lower/layouts.h"
#include "plan/lower/row_blocks.h"
#include "plan/capability/kernel_choice.h"

namespace hloir::cpu {

namespace {

constexpr int kMaxDepth = 100;                   // of nested calls: needs at most 256 kB of stack
constexpr int64_t kMaxNodes = int64_t{1} << 20;  // after inlining: some 600 MB

class Builder {
 public:
  Builder(const HloModule& module, const EvaluatorOptions& options, const KernelTable& kernels, bool several_devices,
          bool choose_layouts)
      : options_(options),
        choose_layouts_(choose_layouts),
        max_value_bytes_(options.max_bytes),
        kernels_(kernels),
        one_device_(!several_devices && module.config().replica_count * module.config().num_partitions <= 1),
        leaves_(module.instruction_id_limit()) {}

  StatusOr<std::unique_ptr<Graph>> Build(const HloComputation& computation, int depth) {
    auto graph = std::make_unique<Graph>();
    Graph* outer = std::exchange(graph_, graph.get());
    std::unordered_map<uint64_t, std::vector<Known>> outer_known = std::exchange(known_, {});
    Status status = BuildInto(computation, depth);
    graph_ = outer;
    known_ = std::move(outer_known);
    if (!status.ok()) return status;
    if (depth == 0) {
      RemoveDead(*graph);
      ChooseLayouts(*graph, kernels_, choose_layouts_);
      MakeHalos(*graph);
      MakeRowBlocks(*graph);
    }
    return graph;
  }

  // The expansions of instructions.
  std::vector<std::unique_ptr<HloModule>> TakeExpanded() { return std::move(expanded_); }

 private:
  struct Range {
    int32_t first = 0, count = 0;
  };
  // An inlined instruction and its values in the graph.
  struct Known {
    const HloInstruction* instruction;
    ValueList operands;
    Range leaves;
  };

  Status BuildInto(const HloComputation& computation, int depth) {
    std::vector<ValueList> arguments;
    for (const HloInstruction* parameter : computation.parameters()) {
      ValueList leaves;
      for (const Shape* shape : parameter->shape().Leaves()) {
        HLOIR_RETURN_IF_ERROR(CheckShape(*shape, *parameter));
        ValueId id = AddLeaf(*shape, parameter);
        if (graph_->values[id].kind == ValueKind::kComputed) graph_->values[id].kind = ValueKind::kParameter;
        graph_->values[id].parameter = static_cast<int32_t>(graph_->parameters.size());
        graph_->parameters.push_back(id);
        leaves.push_back(id);
      }
      arguments.push_back(std::move(leaves));
    }
    HLOIR_ASSIGN_OR_RETURN(graph_->results, Inline(computation, arguments, depth));
    return OkStatus();
  }

  StatusOr<ValueList> Inline(const HloComputation& computation, const std::vector<ValueList>& arguments, int depth) {
    if (depth > kMaxDepth) return ResourceExhausted(Format("calls nest deeper than {}", kMaxDepth));
    if (static_cast<int64_t>(arguments.size()) != computation.parameter_count())
      return Unimplemented(Format("{} is given other operands than it has parameters", computation.name()));
    auto [entry, fresh] = orders_.try_emplace(&computation);
    if (fresh) entry->second = OrderOfRun(computation);
    const std::vector<const HloInstruction*>& order = entry->second;  // stays put: unordered_map's nodes do
    for (const HloInstruction* instruction : order) {
      if (++visited_ > kMaxNodes) return ResourceExhausted("inlined calls give too many instructions");
      if (depth > 0 && IsPure(*instruction)) {
        HLOIR_RETURN_IF_ERROR(VisitPure(*instruction, arguments, depth));
        continue;
      }
      HLOIR_ASSIGN_OR_RETURN(ValueList leaves, Visit(*instruction, arguments, depth));
      leaves_[instruction->id()] = Keep(leaves);
    }
    return LeavesOf(*computation.root());
  }

  // Merges a value that fusion duplicated into several bodies, because it is free in a loop. (In the entry a value may
  // stand twice because it is rematerialized.)
  Status VisitPure(const HloInstruction& instruction, const std::vector<ValueList>& arguments, int depth) {
    ValueList operands;
    uint64_t hash = StructuralHash(instruction);
    for (const HloInstruction* operand : instruction.operands()) {
      for (ValueId leaf : LeavesOf(*operand)) {
        operands.push_back(leaf);
        hash = Mix(hash, static_cast<uint64_t>(leaf));
      }
    }
    std::vector<Known>& known = known_[hash];
    for (const Known& other : known) {
      if (other.operands == operands && StructurallyEqual(*other.instruction, instruction) &&
          SameElements(other.instruction->called_computations(), instruction.called_computations())) {
        leaves_[instruction.id()] = other.leaves;
        return OkStatus();
      }
    }
    HLOIR_ASSIGN_OR_RETURN(ValueList leaves, Visit(instruction, arguments, depth));
    leaves_[instruction.id()] = Keep(leaves);
    known.push_back({&instruction, std::move(operands), leaves_[instruction.id()]});
    return OkStatus();
  }
  static bool IsPure(const HloInstruction& i) {
    if (i.Is(kImpure | kSideEffect | kCollective | kAsyncPart | kControlFlow) || i.IsParameter()) return false;
    return i.opcode() != HloOpcode::kFusion && i.opcode() != HloOpcode::kCustomCall &&
           i.opcode() != HloOpcode::kTuple && i.opcode() != HloOpcode::kGetTupleElement &&
           i.opcode() != HloOpcode::kMap && !i.shape().IsToken();
  }

  Range Keep(const ValueList& leaves) {
    Range range{static_cast<int32_t>(pool_.size()), static_cast<int32_t>(leaves.size())};
    pool_.insert(pool_.end(), leaves.begin(), leaves.end());
    return range;
  }
  ValueList LeavesOf(const HloInstruction& instruction) const {
    Range range = leaves_[instruction.id()];
    return ValueList(std::span<const ValueId>(pool_.data() + range.first, range.count));
  }
  ValueId Leaf(const HloInstruction& instruction) const { return pool_[leaves_[instruction.id()].first]; }

  Status CheckShape(const Shape& shape, const HloInstruction& instruction) const {
    if (!shape.IsArray() && !shape.IsToken()) {
      return Unimplemented(Format("{}: a value of type {}", instruction.name(), shape.ToString()));
    }
    if (shape.ByteSize() > max_value_bytes_) {
      return ResourceExhausted(Format("{}: {} takes {} bytes, more than the limit of {}", instruction.name(),
                                      shape.ToString(), shape.ByteSize(), max_value_bytes_));
    }
    return OkStatus();
  }

  ValueId AddLeaf(const Shape& shape, const HloInstruction* instruction, int32_t node = -1) {
    ValueId id = graph_->AddComputed(shape.element_type(), shape.IsArray() ? shape.dimensions() : DimVector(), node,
                                     instruction);
    if (shape.IsToken()) {
      graph_->values[id].kind = ValueKind::kToken;
      graph_->values[id].type = PrimitiveType::TOKEN;
      graph_->values[id].count = 0;
    } else if (!shape.IsStatic()) {
      MakeDynamic(id);
    }
    return id;
  }
  void MakeDynamic(ValueId id) {
    graph_->values[id].kind = ValueKind::kDynamic;
    graph_->values[id].count = 0;
  }

  // Dynamic sizes are only supported by the reference. If a shape does not show them (the result of set-dimension-size
  // may be stated as static), all values computed from such arrays have them as well.
  bool IsDynamic(const HloInstruction& instruction) const {
    if (instruction.opcode() == HloOpcode::kSetDimensionSize || instruction.opcode() == HloOpcode::kDynamicReshape)
      return true;
    return !instruction.shape().IsStatic() || ReadsDynamic(instruction, false);
  }
  bool ReadsDynamic(const HloInstruction& instruction, bool stated_static) const {
    for (const HloInstruction* operand : instruction.operands()) {
      const Range leaves = leaves_[operand->id()];
      for (int32_t i = 0; i < leaves.count; ++i) {
        const ValueId leaf = pool_[leaves.first + i];
        if (graph_->values[leaf].kind == ValueKind::kDynamic &&
            (!stated_static || operand->shape().Leaves()[i]->IsStatic()))
          return true;
      }
    }
    return false;
  }
  // Forwards its operands, or is expanded.
  static bool IsStructural(const HloInstruction& instruction) {
    return IsOneOf(instruction.opcode(), HloOpcode::kParameter, HloOpcode::kTuple, HloOpcode::kGetTupleElement,
                   HloOpcode::kCall, HloOpcode::kFusion, HloOpcode::kOptimizationBarrier, HloOpcode::kDomain,
                   HloOpcode::kAddDependency, HloOpcode::kCopy) ||
           instruction.Is(kAsyncPart);
  }

  static int64_t LeafCount(const Shape& shape) {
    return shape.IsTuple() ? static_cast<int64_t>(shape.Leaves().size()) : 1;
  }

  // The general case: a separate node, whose inputs are the operands' leaves.
  StatusOr<ValueList> AddNode(const HloInstruction& instruction, std::vector<std::unique_ptr<Graph>> graphs = {}) {
    Node node;
    node.instruction = &instruction;
    node.graphs = std::move(graphs);
    for (const HloInstruction* operand : instruction.operands()) {
      for (ValueId leaf : LeavesOf(*operand)) node.inputs.push_back(leaf);
    }
    int32_t index = static_cast<int32_t>(graph_->nodes.size());
    const bool hidden_sizes = instruction.opcode() == HloOpcode::kSetDimensionSize ||
                              instruction.opcode() == HloOpcode::kDynamicReshape || ReadsDynamic(instruction, true);
    const auto add_output = [&](const Shape& shape) {
      HLOIR_RETURN_IF_ERROR(CheckShape(shape, instruction));
      node.outputs.push_back(AddLeaf(shape, &instruction, index));
      if (hidden_sizes && shape.IsArray() && shape.rank() > 0) MakeDynamic(node.outputs.back());
      return OkStatus();
    };
    if (!instruction.shape().IsTuple()) {
      HLOIR_RETURN_IF_ERROR(add_output(instruction.shape()));
    } else {
      for (const Shape* shape : instruction.shape().Leaves()) HLOIR_RETURN_IF_ERROR(add_output(*shape));
    }
    ValueList outputs = node.outputs;
    graph_->nodes.push_back(std::move(node));
    return outputs;
  }

  StatusOr<ValueList> AddReferenceNode(const HloInstruction& instruction, std::string reason) {
    HLOIR_ASSIGN_OR_RETURN(const ValueList leaves, AddNode(instruction));
    graph_->nodes.back().support = {Support::kReference, {}, std::move(reason)};
    return leaves;
  }

  // A called computation may have other float types than its caller, which inlining would not convert.
  static Status CheckCall(const HloInstruction& caller) {
    const HloOpcode opcode = caller.opcode();
    bool same = true;
    for (size_t i = 0; i < caller.called_computations().size(); ++i) {
      const HloComputation& called = *caller.called_computations()[i];
      for (int64_t k = 0; k < called.parameter_count(); ++k) {
        const int64_t operand = opcode == HloOpcode::kConditional ? static_cast<int64_t>(i) + 1 : k;
        same = same && operand < caller.operand_count() &&
               called.parameter(k)->shape().Compatible(caller.operand(operand)->shape());
      }
      const bool condition = opcode == HloOpcode::kWhile && &called == caller.while_condition();
      same = same && (condition || called.root()->shape().Compatible(caller.shape()));
    }
    return same ? OkStatus() : Unimplemented(Format("{}: mixed precision across a call", caller.name()));
  }

  // The iterations of a short loop that fusion joins into one loop over elements, so that large values go through
  // memory once instead of once per iteration; 0 of others.
  static int64_t TripsToJoin(const HloInstruction& loop) {
    constexpr int64_t kMostTrips = 8, kMostInstructions = 800, kLeastBytes = 4096;
    if (loop.opcode() != HloOpcode::kWhile) return 0;
    const std::vector<const Shape*> state = loop.shape().Leaves();
    const auto is_large = [](const Shape* shape) { return shape->IsArray() && shape->ByteSize() >= kLeastBytes; };
    if (std::none_of(state.begin(), state.end(), is_large)) return 0;
    const std::optional<LoopCounter> counter = FindLoopCounter(loop);
    if (!counter || counter->trips < 1 || counter->trips > kMostTrips) return 0;
    int64_t room = kMostInstructions / counter->trips;
    return IsElementwise(*loop.while_body(), &room) ? counter->trips : 0;
  }
  // Of at most `room` instructions, with those of calls.
  static bool IsElementwise(const HloComputation& body, int64_t* room) {
    for (const HloInstruction* i = body.first(); i != nullptr; i = i->next()) {
      if (--*room < 0) return false;
      if (i->Is(kElementwise) && !i->Is(kImpure)) continue;
      if (i->opcode() == HloOpcode::kCall && IsElementwise(*i->called_computations()[0], room)) continue;
      if (!IsOneOf(i->opcode(), HloOpcode::kParameter, HloOpcode::kConstant, HloOpcode::kTuple,
                   HloOpcode::kGetTupleElement, HloOpcode::kBroadcast, HloOpcode::kIota, HloOpcode::kReshape,
                   HloOpcode::kSlice))
        return false;
    }
    return true;
  }

  StatusOr<ValueList> VisitCaller(const HloInstruction& caller, int depth) {
    HLOIR_RETURN_IF_ERROR(CheckCall(caller));
    if (caller.opcode() == HloOpcode::kCall || caller.opcode() == HloOpcode::kFusion) {
      std::vector<ValueList> operands;
      for (const HloInstruction* operand : caller.operands()) operands.push_back(LeavesOf(*operand));
      return Inline(*caller.called_computations()[0], operands, depth + 1);
    }
    if (const int64_t trips = TripsToJoin(caller); trips > 0) {
      ValueList state = LeavesOf(*caller.operand(0));
      for (int64_t trip = 0; trip < trips; ++trip) {
        HLOIR_ASSIGN_OR_RETURN(state, Inline(*caller.while_body(), {state}, depth + 1));
      }
      return state;
    }
    std::vector<std::unique_ptr<Graph>> graphs;
    for (const HloComputation* called : caller.called_computations()) {
      HLOIR_ASSIGN_OR_RETURN(auto graph, Build(*called, depth + 1));
      graphs.push_back(std::move(graph));
    }
    return AddNode(caller, std::move(graphs));
  }

  // Inlines the instruction's expansion; nullopt if it has none.
  StatusOr<std::optional<ValueList>> VisitExpanded(const HloInstruction& instruction, int depth) {
    std::unique_ptr<HloModule> module = Expand(instruction, kernels_);
    if (module == nullptr) return std::optional<ValueList>();
    HLOIR_ASSIGN_OR_RETURN(ValueList leaves, InlineExpansion(instruction, std::move(module), depth));
    return std::optional<ValueList>(std::move(leaves));
  }

  // Inlines the entry of `module` on the instruction's operands.
  StatusOr<ValueList> InlineExpansion(const HloInstruction& instruction, std::unique_ptr<HloModule> module, int depth) {
    std::vector<ValueList> operands;
    for (const HloInstruction* operand : instruction.operands()) operands.push_back(LeavesOf(*operand));
    // Its instructions have numbers of their own.
    std::vector<Range> leaves = std::exchange(leaves_, std::vector<Range>(module->instruction_id_limit()));
    auto results = Inline(*module->entry_computation(), operands, depth + 1);
    leaves_ = std::move(leaves);
    orders_.erase(module->entry_computation());
    expanded_.push_back(std::move(module));
    return results;
  }

  StatusOr<ValueList> AddView(const HloInstruction& instruction, View view) {
    HLOIR_RETURN_IF_ERROR(CheckShape(instruction.shape(), instruction));
    return ValueList{graph_->AddView(Leaf(*instruction.operand(0)), instruction.shape().element_type(), std::move(view),
                                     &instruction)};
  }

  // A copy of the elements in order, for later views.
  ValueId AddCopyNode(ValueId of, const HloInstruction& instruction) {
    Node node;
    node.instruction = &instruction;
    node.inputs.push_back(of);
    node.is_copy = true;
    int32_t index = static_cast<int32_t>(graph_->nodes.size());
    ValueId id = graph_->AddComputed(graph_->values[of].type, graph_->values[of].dims, index, &instruction);
    node.outputs.push_back(id);
    graph_->nodes.push_back(std::move(node));
    return id;
  }

  View ReshapeOrCopy(ValueId& source, const View& view, const DimVector& to, const HloInstruction& instruction) {
    if (auto reshaped = view.Reshape(to)) return *reshaped;
    GraphValue viewed = graph_->values[source];
    ValueId through = graph_->AddView(source, viewed.type, view, &instruction);
    source = AddCopyNode(through, instruction);
    return View::RowMajor(to);
  }

  // bitcast moves no bytes: it reads the operand's elements in the order of the operand's layout, and writes them in
  // the order of its own.
  StatusOr<ValueList> VisitBitcast(const HloInstruction& instruction) {
    const Shape& from = instruction.operand(0)->shape();
    const Shape& to = instruction.shape();
    HLOIR_RETURN_IF_ERROR(CheckShape(to, instruction));
    if (StorageBytes(from.element_type()) != StorageBytes(to.element_type()) ||
        from.ElementCount() != to.ElementCount() || !SameInMemory(from.element_type(), to.element_type())) {
      return AddNode(instruction);
    }
    ValueId source = Leaf(*instruction.operand(0));
    if (from.element_type() != to.element_type() && graph_->values[source].kind == ValueKind::kIota) {
      return AddNode(instruction);
    }
    auto physical_order = [](const Shape& shape) {  // major to minor
      DimVector order;
      for (int64_t i = shape.rank(); i-- > 0;) {
        order.push_back(shape.has_layout() ? shape.layout().minor_to_major()[i] : shape.rank() - 1 - i);
      }
      return order;
    };
    View view = graph_->values[source].view.Transpose(physical_order(from));
    DimVector order = physical_order(to), physical_dims, inverse(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      physical_dims.push_back(to.dimensions(order[i]));
      inverse[order[i]] = static_cast<int64_t>(i);
    }
    view = ReshapeOrCopy(source, view, physical_dims, instruction).Transpose(inverse);
    return ValueList{graph_->AddView(source, to.element_type(), std::move(view), &instruction)};
  }

  // Ops that only forward their operands: collectives of a single device, and annotations in custom-calls. nullopt if
  // the shapes are for more devices or the caller has a handler for the custom-call.
  std::optional<ValueList> PassedOn(const HloInstruction& instruction, const Shape& result) const {
    ValueList leaves;
    std::vector<const Shape*> shapes;
    for (const HloInstruction* operand : instruction.operands()) {
      for (ValueId leaf : LeavesOf(*operand)) leaves.push_back(leaf);
      for (const Shape* shape : operand->shape().Leaves()) shapes.push_back(shape);
    }
    const std::vector<const Shape*> wanted = result.Leaves();
    const bool same = std::equal(shapes.begin(), shapes.end(), wanted.begin(), wanted.end(),
                                 [](const Shape* a, const Shape* b) { return a->Compatible(*b); });
    if (!same || (instruction.Is(kCollective) && !one_device_)) return std::nullopt;
    return leaves;
  }

  // Steps are sequential, so the value of a start is its result already, without some leaves of its shape. Only the
  // other parts of the operation may use it.
  static Status CheckInFlight(const HloInstruction& link) {
    if (link.IsRoot()) return Unimplemented(Format("{}: it is given on in flight", link.name()));
    for (const HloInstruction* user : link.users()) {
      if (!user->Is(kAsyncPart)) return Unimplemented(Format("{}: {} takes it in flight", link.name(), user->name()));
    }
    return OkStatus();
  }

  StatusOr<ValueList> VisitAsyncStart(const HloInstruction& start, int depth) {
    HLOIR_RETURN_IF_ERROR(CheckInFlight(start));
    const bool wraps = start.opcode() == HloOpcode::kAsyncStart;
    if (start.opcode() == HloOpcode::kCopyStart) return LeavesOf(*start.operand(0));
    const bool plain = start.opcode() == HloOpcode::kAllReduceStart;  // its shape is the result's
    if (!plain && (!start.shape().IsTuple() || start.shape().tuple_size() < 2))
      return Unimplemented(Format("{}: its form", start.name()));
    const Shape& result = plain ? start.shape() : start.shape().tuple_shapes(1);
    if (!wraps) {
      // A permutation may send nothing to a single device, which then gets zeros.
      const bool passes = start.opcode() != HloOpcode::kCollectivePermuteStart;
      if (auto leaves = passes ? PassedOn(start, result) : std::nullopt) return *leaves;
      // Its node has all leaves of the start: operands, result, contexts.
      HLOIR_ASSIGN_OR_RETURN(const ValueList all, AddNode(start));
      if (plain) return all;
      return ValueList(
          std::span<const ValueId>(all.data() + LeafCount(start.shape().tuple_shapes(0)), LeafCount(result)));
    }
    if (!IsLateBound(start)) return InlineAsync(start, start.operands(), result, depth);
    if (AsyncDoneOf(start) == nullptr)
      return Unimplemented(Format("{}: it is bound late, on a way aside", start.name()));
    return ValueList();  // VisitAsyncLink inlines its computation at the done
  }

  StatusOr<ValueList> InlineAsync(const HloInstruction& start, std::span<const HloInstruction* const> given,
                                  const Shape& result, int depth) {
    const HloComputation& called = *start.called_computations()[0];
    std::vector<ValueList> operands;
    for (size_t i = 0; i < given.size(); ++i) {
      const auto parameter = static_cast<int64_t>(i);
      if (parameter >= called.parameter_count() ||
          !called.parameter(parameter)->shape().Compatible(given[i]->shape())) {
        return Unimplemented(Format("{}: its operands are not its computation's parameters", start.name()));
      }
      operands.push_back(LeavesOf(*given[i]));
    }
    if (!called.root()->shape().Compatible(result))
      return Unimplemented(Format("{}: its result is not its computation's", start.name()));
    return Inline(called, operands, depth + 1);
  }

  // async-update and async-done.
  StatusOr<ValueList> VisitAsyncLink(const HloInstruction& link, int depth) {
    const HloInstruction* start = AsyncStartOf(link);
    if (start == nullptr) return Unimplemented(Format("{}: its start is not before it", link.name()));
    const bool is_done = link.opcode() == HloOpcode::kAsyncDone, is_late = IsLateBound(*start);
    if (!is_done) HLOIR_RETURN_IF_ERROR(CheckInFlight(link));
    if (is_late) return is_done ? InlineAsync(*start, AsyncOperands(link), link.shape(), depth) : ValueList();
    const Shape& before = link.operand(0)->shape();
    if (link.operand_count() != 1 || !link.shape().Compatible(is_done ? before.tuple_shapes(1) : before))
      return Unimplemented(Format("{}: its form", link.name()));
    return LeavesOf(*link.operand(0));
  }

  StatusOr<ValueList> Visit(const HloInstruction& instruction, const std::vector<ValueList>& arguments, int depth) {
    if (!IsStructural(instruction) && IsDynamic(instruction)) return AddNode(instruction);
    if (MixesFloats(instruction)) return InlineExpansion(instruction, LegalizedMixedFloats(instruction), depth);
    switch (instruction.opcode()) {
      case HloOpcode::kParameter: return arguments[instruction.parameter_number()];
      case HloOpcode::kConstant: {
        if (!instruction.shape().IsArray()) return AddNode(instruction);
        HLOIR_RETURN_IF_ERROR(CheckShape(instruction.shape(), instruction));
        ValueId id = AddLeaf(instruction.shape(), &instruction);
        graph_->values[id].kind = ValueKind::kConstant;
        return ValueList{id};
      }
      case HloOpcode::kIota: {
        const PrimitiveType type = instruction.shape().element_type();
        if (IsComplex(type) || BitWidth(type) < 8 || (IsFloat(type) && BitWidth(type) < 16)) break;
        HLOIR_RETURN_IF_ERROR(CheckShape(instruction.shape(), instruction));
        ValueId id = AddLeaf(instruction.shape(), &instruction);
        GraphValue& value = graph_->values[id];
        value.kind = ValueKind::kIota;
        value.root = kNoValue;
        value.view.strides = DimVector(value.dims.size(), 0);
        value.view.strides[instruction.attributes<IotaAttributes>().iota_dimension] = 1;
        return ValueList{id};
      }
      case HloOpcode::kTuple: {
        ValueList leaves;
        for (const HloInstruction* operand : instruction.operands()) {
          for (ValueId leaf : LeavesOf(*operand)) leaves.push_back(leaf);
        }
        return leaves;
      }
      case HloOpcode::kGetTupleElement: {
        const Shape& tuple = instruction.operand(0)->shape();
        int64_t first = 0;
        for (int64_t i = 0; i < instruction.tuple_index(); ++i) first += LeafCount(tuple.tuple_shapes(i));
        ValueList leaves = LeavesOf(*instruction.operand(0));
        int64_t count = LeafCount(instruction.shape());
        return ValueList(std::span<const ValueId>(leaves.data() + first, count));
      }
      case HloOpcode::kCall:
      case HloOpcode::kFusion:
      case HloOpcode::kWhile:
      case HloOpcode::kConditional: {
        const size_t nodes = graph_->nodes.size(), values = graph_->values.size();
        StatusOr<ValueList> leaves = VisitCaller(instruction, depth);
        if (leaves.ok() || leaves.status().code() != StatusCode::kUnimplemented) return leaves;
        graph_->nodes.shrink(nodes);
        graph_->values.shrink(values);
        known_.clear();  // some of which may have been removed
        return AddReferenceNode(instruction, leaves.status().message());
      }
      case HloOpcode::kOptimizationBarrier:
      case HloOpcode::kDomain:
      case HloOpcode::kAddDependency:
      case HloOpcode::kCopy: return LeavesOf(*instruction.operand(0));
      case HloOpcode::kAfterAll: return ValueList{AddLeaf(instruction.shape(), &instruction)};
      case HloOpcode::kConvert:
        if (instruction.shape().element_type() == instruction.operand(0)->shape().element_type()) {
          return LeavesOf(*instruction.operand(0));
        }
        break;
      case HloOpcode::kBitcastConvert: {
        // A loop's registers hold 8- and 16-bit floats as f32, so their bits are only accessible in memory.
        const PrimitiveType from = instruction.operand(0)->shape().element_type(),
                            to = instruction.shape().element_type();
        const ValueId source = Leaf(*instruction.operand(0));
        if (BitWidth(from) != BitWidth(to) || BitWidth(to) < 8 || BitWidth(to) > 16 || from == PrimitiveType::PRED ||
            to == PrimitiveType::PRED || !(IsFloat(from) || IsFloat(to)) ||
            graph_->values[source].kind == ValueKind::kIota) {
          break;
        }
        HLOIR_RETURN_IF_ERROR(CheckShape(instruction.shape(), instruction));
        return ValueList{graph_->AddView(source, to, OperandView(instruction), &instruction)};
      }
      case HloOpcode::kBitcast: return VisitBitcast(instruction);
      case HloOpcode::kReshape: {
        HLOIR_RETURN_IF_ERROR(CheckShape(instruction.shape(), instruction));
        ValueId source = Leaf(*instruction.operand(0));
        View view = graph_->values[source].view;
        view = ReshapeOrCopy(source, view, instruction.shape().dimensions(), instruction);
        return ValueList{graph_->AddView(source, instruction.shape().element_type(), std::move(view), &instruction)};
      }
      case HloOpcode::kBroadcast:
        return AddView(instruction,
                       OperandView(instruction).Broadcast(instruction.shape().dimensions(), instruction.dimensions()));
      case HloOpcode::kTranspose:
        return AddView(instruction, OperandView(instruction).Transpose(instruction.dimensions()));
      case HloOpcode::kReverse: return AddView(instruction, OperandView(instruction).Reverse(instruction.dimensions()));
      case HloOpcode::kSlice:
        return AddView(instruction, OperandView(instruction).Slice(instruction.attributes<SliceAttributes>().slice));
      case HloOpcode::kDot:
      case HloOpcode::kConvolution: {
        GemmType compute;
        if (instruction.operand_count() == 2 &&
            GemmTypeFor(instruction.operand(0)->shape().element_type(), instruction.operand(1)->shape().element_type(),
                        instruction.shape().element_type(), &compute)) {
          if (auto widened = WidenFactors(instruction, kernels_))
            return InlineExpansion(instruction, std::move(widened), depth);
          break;
        }
        HLOIR_ASSIGN_OR_RETURN(auto expanded, VisitExpanded(instruction, depth));
        if (expanded) return *expanded;
        break;
      }
      case HloOpcode::kReduce: {
        ReduceShape shape;
        if (LoopSupportsReduce(instruction, kernels_, &shape)) break;
        [[fallthrough]];
      }
      case HloOpcode::kReduceWindow:
      case HloOpcode::kReducePrecision:
      case HloOpcode::kBatchNormInference:
      case HloOpcode::kBatchNormTraining:
      case HloOpcode::kBatchNormGrad:
      case HloOpcode::kMap: {
        HLOIR_ASSIGN_OR_RETURN(auto expanded, VisitExpanded(instruction, depth));
        if (expanded) return *expanded;
        break;
      }
      case HloOpcode::kCustomCall: {
        if (options_.custom_calls.contains(instruction.attributes<CustomCallAttributes>().custom_call_target)) break;
        if (const int64_t passed = ForwardedOperands(instruction); passed > 0) {
          ValueList leaves;
          for (int64_t k = 0; k < passed; ++k)
            for (ValueId leaf : LeavesOf(*instruction.operand(k))) leaves.push_back(leaf);
          return leaves;
        }
        HLOIR_ASSIGN_OR_RETURN(auto expanded, VisitExpanded(instruction, depth));
        if (expanded) return *expanded;
        break;
      }
      case HloOpcode::kAsyncStart:
      case HloOpcode::kCopyStart:
      case HloOpcode::kAllGatherStart:
      case HloOpcode::kCollectivePermuteStart:
      case HloOpcode::kAllReduceStart: return VisitAsyncStart(instruction, depth);
      case HloOpcode::kAsyncUpdate:
      case HloOpcode::kAsyncDone: return VisitAsyncLink(instruction, depth);
      case HloOpcode::kCopyDone:
      case HloOpcode::kAllGatherDone:
      case HloOpcode::kCollectivePermuteDone:
      case HloOpcode::kAllReduceDone:
        if (instruction.operand_count() != 1 || !instruction.operand(0)->Is(kAsyncPart))
          return Unimplemented(Format("{}: its form", instruction.name()));
        return LeavesOf(*instruction.operand(0));
      case HloOpcode::kAllGather:
      case HloOpcode::kAllReduce:
      case HloOpcode::kAllToAll:
      case HloOpcode::kReduceScatter:
        if (auto leaves = PassedOn(instruction, instruction.shape())) return *leaves;
        break;
      case HloOpcode::kSend:
      case HloOpcode::kRecv:
      case HloOpcode::kSendDone:
      case HloOpcode::kRecvDone: break;
      default:  // a separate node, unless it is asynchronous
        if (instruction.Is(kAsyncPart)) {
          return Unimplemented(Format("{}: {}", instruction.name(), instruction.opcode_name()));
        }
        break;
    }
    return AddNode(instruction);
  }

  const View& OperandView(const HloInstruction& instruction) const {
    return graph_->values[Leaf(*instruction.operand(0))].view;
  }

  const EvaluatorOptions& options_;
  const bool choose_layouts_;
  const int64_t max_value_bytes_;
  const KernelTable& kernels_;
  const bool one_device_;
  Graph* graph_ = nullptr;
  std::vector<Range> leaves_;  // by instruction: its leaves in pool_, for the latest inlined instance
  std::vector<ValueId> pool_;
  std::vector<std::unique_ptr<HloModule>> expanded_;
  std::unordered_map<const HloComputation*, std::vector<const HloInstruction*>> orders_;
  std::unordered_map<uint64_t, std::vector<Known>>
      known_;  // by structure and operands; of the graph that is being built
  int64_t visited_ = 0;
};

}  // namespace

StatusOr<LoweredGraph> BuildGraph(const HloComputation& computation, const EvaluatorOptions& options,
                                  const KernelTable& kernels, bool several_devices, bool choose_layouts) {
  Builder builder(*computation.module(), options, kernels, several_devices, choose_layouts);
  LoweredGraph lowered;
  HLOIR_ASSIGN_OR_RETURN(lowered.graph, builder.Build(computation, 0));
  lowered.expanded = builder.TakeExpanded();
  return lowered;
}

}  // namespace hloir::cpu
