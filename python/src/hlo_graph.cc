// HloEnv's features of a module, as flat arrays: nodes, edges in both directions in CSR form, and HloEnv's encoding of
// each opcode's attributes. The numbers of opcodes are HloEnv's (XLA's of 2022), for models that were trained on its
// graphs; later opcodes follow them. docs/hloenv.md describes the arrays.
#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "handles.h"
#include "rewrite/alternatives.h"

namespace hloir::python {
namespace {

constexpr int64_t kMostDimensions = 8;  // of an edge

// In the order of their numbers.
constexpr std::string_view kOpcodes[] = {"abs",
                                         "add",
                                         "add-dependency",
                                         "after-all",
                                         "all-gather",
                                         "all-gather-start",
                                         "all-gather-done",
                                         "all-reduce",
                                         "all-reduce-start",
                                         "all-reduce-done",
                                         "all-to-all",
                                         "async-start",
                                         "async-update",
                                         "async-done",
                                         "atan2",
                                         "alternatives",
                                         "batch-norm-grad",
                                         "batch-norm-inference",
                                         "batch-norm-training",
                                         "bitcast",
                                         "bitcast-convert",
                                         "broadcast",
                                         "call",
                                         "ceil",
                                         "cholesky",
                                         "clamp",
                                         "collective-permute",
                                         "collective-permute-start",
                                         "collective-permute-done",
                                         "count-leading-zeros",
                                         "compare",
                                         "complex",
                                         "concatenate",
                                         "conditional",
                                         "constant",
                                         "convert",
                                         "convolution",
                                         "copy",
                                         "copy-done",
                                         "copy-start",
                                         "cosine",
                                         "custom-call",
                                         "divide",
                                         "domain",
                                         "dot",
                                         "dynamic-slice",
                                         "dynamic-update-slice",
                                         "exponential",
                                         "exponential-minus-one",
                                         "fft",
                                         "floor",
                                         "fusion",
                                         "gather",
                                         "get-dimension-size",
                                         "set-dimension-size",
                                         "get-tuple-element",
                                         "imag",
                                         "infeed",
                                         "iota",
                                         "is-finite",
                                         "log",
                                         "log-plus-one",
                                         "logistic",
                                         "and",
                                         "not",
                                         "opt-barrier",
                                         "or",
                                         "xor",
                                         "map",
                                         "maximum",
                                         "minimum",
                                         "multiply",
                                         "negate",
                                         "outfeed",
                                         "pad",
                                         "parameter",
                                         "partition-id",
                                         "popcnt",
                                         "power",
                                         "real",
                                         "recv",
                                         "recv-done",
                                         "reduce",
                                         "reduce-precision",
                                         "reduce-scatter",
                                         "reduce-window",
                                         "remainder",
                                         "replica-id",
                                         "reshape",
                                         "dynamic-reshape",
                                         "reverse",
                                         "rng",
                                         "rng-get-and-update-state",
                                         "rng-bit-generator",
                                         "round-nearest-afz",
                                         "rsqrt",
                                         "scatter",
                                         "select",
                                         "select-and-scatter",
                                         "send",
                                         "send-done",
                                         "shift-left",
                                         "shift-right-arithmetic",
                                         "shift-right-logical",
                                         "sign",
                                         "sine",
                                         "slice",
                                         "sort",
                                         "sqrt",
                                         "cbrt",
                                         "subtract",
                                         "tanh",
                                         "trace",
                                         "transpose",
                                         "triangular-solve",
                                         "tuple",
                                         "tuple-select",
                                         "while"};
constexpr int kKnownOpcodes = static_cast<int>(std::size(kOpcodes));

int NumberOf(std::string_view opcode) {
  static const std::unordered_map<std::string_view, int>& numbers = *[] {
    auto* all = new std::unordered_map<std::string_view, int>();
    for (int k = 0; k < kKnownOpcodes; ++k) all->emplace(kOpcodes[k], k);
    int next = kKnownOpcodes;
    for (int k = 0; k < kOpcodeCount; ++k) next += all->emplace(OpcodeName(static_cast<HloOpcode>(k)), next).second;
    return all;
  }();
  return numbers.at(opcode);
}

// An instruction's attributes as HloEnv has them: integers, and one-hot vectors behind them.
class AttributeWriter {
 public:
  void Write(const HloInstruction& i) {
    values.clear();
    integers = 0;
    switch (i.opcode()) {
      case HloOpcode::kBroadcast:
      case HloOpcode::kConcatenate:
      case HloOpcode::kReduce:
      case HloOpcode::kReverse:
      case HloOpcode::kTranspose: return Dimensions(i.dimensions());
      case HloOpcode::kSetDimensionSize: return;  // HloEnv gives none to the instruction, though it counts some
      case HloOpcode::kCompare: {
        const auto& compare = i.attributes<CompareAttributes>();
        OneHot(static_cast<int64_t>(compare.direction), 6);
        if (compare.type == ComparisonType::kDefault) return OneHot(KindOf(i.operand(0)->shape().element_type()), 4);
        return OneHot(static_cast<int64_t>(compare.type) - 1, 4);
      }
      case HloOpcode::kConvolution: return Convolution(i.attributes<ConvolutionAttributes>());
      case HloOpcode::kDot: {
        const auto& dot = i.attributes<DotAttributes>();
        Dimensions(dot.lhs_batch_dims), Dimensions(dot.lhs_contracting_dims);
        Dimensions(dot.rhs_batch_dims), Dimensions(dot.rhs_contracting_dims);
        return OneHot(dot.operand_precision.empty() ? 0 : static_cast<int64_t>(dot.operand_precision[0]), 3);
      }
      case HloOpcode::kDynamicSlice: {
        const DimVector& sizes = i.attributes<DynamicSliceAttributes>().dynamic_slice_sizes;
        return Integers(sizes.begin(), sizes.end(), 6);
      }
      case HloOpcode::kGather: {
        const auto& gather = i.attributes<GatherAttributes>();
        std::vector<int64_t> numbers{gather.index_vector_dim};
        numbers.insert(numbers.end(), gather.slice_sizes.begin(), gather.slice_sizes.end());
        Integers(numbers.begin(), numbers.end(), 7);
        Dimensions(gather.offset_dims), Dimensions(gather.collapsed_slice_dims), Dimensions(gather.start_index_map);
        return OneHot(gather.indices_are_sorted, 2);
      }
      case HloOpcode::kGetTupleElement: {
        const int64_t index = i.tuple_index();
        return Integers(&index, &index + 1, 1);
      }
      case HloOpcode::kIota: return OneHot(i.attributes<IotaAttributes>().iota_dimension, 7);
      case HloOpcode::kPad: {
        std::vector<int64_t> numbers;
        for (const PaddingDimension& d : i.attributes<PadAttributes>().padding)
          numbers.insert(numbers.end(), {d.low, d.high, d.interior});
        return Integers(numbers.begin(), numbers.end(), 18);
      }
      case HloOpcode::kScatter: {
        const auto& scatter = i.attributes<ScatterAttributes>();
        Integers(&scatter.index_vector_dim, &scatter.index_vector_dim + 1, 1);
        Dimensions(scatter.update_window_dims), Dimensions(scatter.inserted_window_dims);
        Dimensions(scatter.scatter_dims_to_operand_dims);
        OneHot(scatter.indices_are_sorted, 2);
        return OneHot(scatter.unique_indices, 2);
      }
      case HloOpcode::kSlice: {
        std::vector<int64_t> numbers;
        for (const auto& range : i.attributes<SliceAttributes>().slice)
          numbers.insert(numbers.end(), {range.start, range.limit, range.stride});
        return Integers(numbers.begin(), numbers.end(), 18);
      }
      case HloOpcode::kSort: {
        const auto& sort = i.attributes<SortAttributes>();
        OneHot(sort.dimensions[0], 7);
        return OneHot(sort.is_stable, 2);
      }
      case HloOpcode::kTriangularSolve: {
        const auto& solve = i.attributes<TriangularSolveAttributes>();
        OneHot(solve.left_side, 2), OneHot(solve.lower, 2), OneHot(solve.unit_diagonal, 2);
        return OneHot(static_cast<int64_t>(solve.transpose_a), 4);
      }
      case HloOpcode::kCustomCall:
        if (!IsAlternative(i)) CustomCall(i.attributes<CustomCallAttributes>().custom_call_target);
        return;
      default: return;  // no attributes beside the opcode
    }
  }
  std::vector<int32_t> values;
  int32_t integers = 0;  // of the values, those outside one-hot vectors

 private:
  // Of XLA's comparison types: float, total order, signed, unsigned.
  static int64_t KindOf(PrimitiveType type) {
    if (IsFloat(type) || IsComplex(type)) return 0;
    return IsSigned(type) ? 2 : 3;
  }
  void OneHot(int64_t item, int64_t count) {
    const size_t first = values.size();
    values.resize(first + static_cast<size_t>(count), 0);
    values[first + static_cast<size_t>(std::clamp<int64_t>(item, 0, count - 1))] = 1;
  }
  // Six of seven values each: the last stands for none.
  void Dimensions(const DimVector& dimensions) {
    for (size_t k = 0; k < 6; ++k) OneHot(k < dimensions.size() ? std::min<int64_t>(dimensions[k], 6) : 6, 7);
  }
  template <class It>
  void Integers(It first, It last, int64_t count) {
    for (int64_t k = 0; k < count; ++k) values.push_back(first != last ? static_cast<int32_t>(*first++) : -1);
    integers += static_cast<int32_t>(count);
  }
  void Convolution(const ConvolutionAttributes& convolution) {
    std::vector<int64_t> numbers;
    if (convolution.window.size() == 2) {
      for (const WindowDimension& d : convolution.window) {
        numbers.insert(numbers.end(), {d.size, d.stride, d.padding_low, d.padding_high, d.base_dilation,
                                       d.window_dilation, d.window_reversal});
      }
    }
    numbers.resize(14, 0);
    numbers.insert(numbers.end(), {convolution.feature_group_count, convolution.batch_group_count});
    Integers(numbers.begin(), numbers.end(), 16);
    const ConvDimensionNumbers& d = convolution.dim_labels;
    OneHot(d.input_batch, 7), OneHot(d.input_feature, 7), Dimensions(d.input_spatial);
    OneHot(d.kernel_input_feature, 7), OneHot(d.kernel_output_feature, 7), Dimensions(d.kernel_spatial);
    OneHot(d.output_batch, 7), OneHot(d.output_feature, 7), Dimensions(d.output_spatial);
  }
  void CustomCall(std::string_view target) {
    constexpr std::string_view kTargets[] = {"__cublas$gemm",
                                             "__cublas$triangularSolve",
                                             "__cudnn$convBackwardFilter",
                                             "__cudnn$convBackwardInput",
                                             "__cudnn$convBiasActivationForward",
                                             "__cudnn$convForward",
                                             "cublas_trsm_batched",
                                             "cuda_lu_pivots_to_permutation",
                                             "cuda_threefry2x32",
                                             "cusolver_getrf",
                                             "cusolver_potrf",
                                             "cusolver_syevd"};
    OneHot(std::find(std::begin(kTargets), std::end(kTargets), target) - std::begin(kTargets), 13);
  }
};

// By opcode: how many integers and how many values of one-hot vectors its attributes are.
std::vector<int32_t> AttributeCounts() {
  std::vector<int32_t> counts(2 * kKnownOpcodes, 0);
  const auto set = [&](std::string_view opcode, int32_t integers, int32_t one_hot) {
    counts[2 * static_cast<size_t>(NumberOf(opcode))] = integers;
    counts[2 * static_cast<size_t>(NumberOf(opcode)) + 1] = one_hot;
  };
  for (const std::string_view opcode :
       {"broadcast", "set-dimension-size", "concatenate", "reduce", "reverse", "transpose"}) {
    set(opcode, 0, 42);
  }
  set("compare", 0, 10), set("convolution", 16, 168), set("dot", 0, 171), set("dynamic-slice", 6, 0);
  set("gather", 7, 128), set("get-tuple-element", 1, 0), set("iota", 0, 7), set("pad", 18, 0), set("scatter", 1, 130);
  set("slice", 18, 0), set("sort", 0, 9), set("triangular-solve", 0, 10), set("custom-call", 0, 13);
  return counts;
}

struct Nodes {
  std::vector<int32_t> uids, num_users, num_operands, opcodes, opcode_attrs, num_opcode_attrs;
  std::vector<std::string> names;
  std::vector<int64_t> gids, fused_comp_ids, in_tensor_sizes, out_tensor_sizes;
  std::vector<uint8_t> is_alternative, is_in_fusion, has_max_in_tensor, has_max_out_tensor;
  std::vector<float> normalized_num_group_inst;
};

struct Edges {
  std::vector<int64_t> uids, dims, layouts, lehmercodes;
  std::vector<int32_t> srcs, dsts, dtypes;
  std::vector<uint8_t> types;
};

class FeatureBuilder {
 public:
  FeatureBuilder(Graph& graph, bool inline_calls) : graph_(graph) {
    const HloModule& module = graph.module();
    // The entry first; callers before callees.
    std::vector<const HloComputation*> computations = module.PostOrder();
    std::reverse(computations.begin(), computations.end());
    for (size_t gid = 0; gid < computations.size(); ++gid) groups_[computations[gid]] = static_cast<int64_t>(gid);
    for (const HloComputation* computation : computations) AddNodes(*computation);
    for (size_t node = 0; node < instructions_.size(); ++node) Connect(static_cast<int32_t>(node));
    if (inline_calls) {
      for (size_t node = 0; node < instructions_.size(); ++node) Inline(static_cast<int32_t>(node));
    }
    Write();
  }

  Nodes nodes;
  Edges in, out;
  std::vector<int64_t> in_offsets, in_indices, out_offsets, out_indices;
  std::vector<int32_t> alternatives, alternative_ids;  // nodes, and instructions

 private:
  void AddNodes(const HloComputation& computation) {
    const int64_t gid = groups_[&computation];
    const float share = gid > 0 ? 1.0f / static_cast<float>(computation.instruction_count()) : 0.0f;
    AttributeWriter attributes;
    for (const HloInstruction* i : computation.PostOrder()) {
      const auto node = static_cast<int32_t>(instructions_.size());
      index_[i] = node;
      instructions_.push_back(i);
      nodes.uids.push_back(graph_.Uid(i->id()));
      nodes.names.emplace_back(i->name());
      nodes.gids.push_back(gid);
      nodes.fused_comp_ids.push_back(i->called_computations().empty() ? 0 : groups_[i->called_computations()[0]]);
      nodes.opcodes.push_back(NumberOf(IsAlternative(*i) ? "alternatives" : i->opcode_name()));
      nodes.is_in_fusion.push_back(computation.fusion() != nullptr);
      nodes.normalized_num_group_inst.push_back(share);
      nodes.is_alternative.push_back(IsAlternative(*i));
      if (IsAlternative(*i)) alternatives.push_back(node), alternative_ids.push_back(i->id());
      attributes.Write(*i);
      nodes.opcode_attrs.insert(nodes.opcode_attrs.end(), attributes.values.begin(), attributes.values.end());
      nodes.num_opcode_attrs.push_back(attributes.integers);
      nodes.num_opcode_attrs.push_back(static_cast<int32_t>(attributes.values.size()) - attributes.integers);
    }
  }

  void Connect(int32_t node) {
    operands_.emplace_back(), users_.emplace_back();
    const HloInstruction& i = *instructions_[static_cast<size_t>(node)];
    for (const HloInstruction* operand : i.operands()) {
      const int32_t other = index_[operand];
      if (std::find(operands_.back().begin(), operands_.back().end(), other) == operands_.back().end())
        operands_.back().push_back(other);
    }
    for (const HloInstruction* user : i.users()) users_.back().push_back(index_[user]);
  }

  // Adds edges from a call's operands to the parameters of its body, and from the body's root to the call; a reducer or
  // comparator, which runs once per element, stays separate.
  void Inline(int32_t node) {
    const HloInstruction& i = *instructions_[static_cast<size_t>(node)];
    switch (i.opcode()) {
      case HloOpcode::kReduce:
      case HloOpcode::kReduceWindow:
      case HloOpcode::kScatter:
      case HloOpcode::kSelectAndScatter:
      case HloOpcode::kSort: return;
      default: break;  // its computations run as code
    }
    const auto called = i.called_computations();
    if (called.empty()) return;
    const auto at = [](std::vector<std::vector<int32_t>>& lists, int32_t k) -> std::vector<int32_t>& {
      return lists[static_cast<size_t>(k)];
    };
    std::vector<bool> moved(static_cast<size_t>(i.operand_count()), false);
    for (size_t c = 0; c < called.size(); ++c) {
      for (const HloInstruction* parameter : called[c]->parameters()) {
        int64_t k = parameter->parameter_number();
        if (i.opcode() == HloOpcode::kWhile) k = 0;
        if (i.opcode() == HloOpcode::kConditional) k = static_cast<int64_t>(c) + 1;
        if (k >= i.operand_count()) continue;
        const int32_t operand = index_[i.operand(k)], inside = index_[parameter];
        at(operands_, inside).push_back(operand);
        at(users_, operand).push_back(inside);
        moved[static_cast<size_t>(k)] = true;
      }
      const int32_t root = index_[called[c]->root()];
      at(users_, root).push_back(node);
      at(operands_, node).push_back(root);
      nodes.gids[static_cast<size_t>(node)] = groups_[called[c]];
      nodes.normalized_num_group_inst[static_cast<size_t>(node)] =
          nodes.normalized_num_group_inst[static_cast<size_t>(root)];
    }
    for (int64_t k = 0; k < i.operand_count(); ++k) {
      bool everywhere = true;  // the same value may be another operand, too, which no parameter takes
      for (int64_t other = 0; other < i.operand_count(); ++other)
        everywhere &= i.operand(other) != i.operand(k) || moved[static_cast<size_t>(other)];
      if (!everywhere) continue;
      std::erase(at(operands_, node), index_[i.operand(k)]);
      std::erase(at(users_, index_[i.operand(k)]), node);
    }
  }

  // Of the value that goes along the edge.
  int64_t AddEdge(Edges& edges, int32_t src, int32_t dst) const {
    const auto uid = [&](int32_t node) { return static_cast<int64_t>(nodes.uids[static_cast<size_t>(node)]); };
    edges.uids.push_back(uid(src) << 32 | uid(dst));
    edges.srcs.push_back(src), edges.dsts.push_back(dst);
    const int64_t from = nodes.gids[static_cast<size_t>(src)], to = nodes.gids[static_cast<size_t>(dst)];
    edges.types.push_back(from != to ? 2 : from != 0);
    const Shape& shape = instructions_[static_cast<size_t>(src)]->shape();
    edges.dtypes.push_back(static_cast<int32_t>(shape.element_type()));
    const size_t rank = shape.IsArray() ? shape.dimensions().size() : 0;
    const auto minor = [&](size_t k) {
      return shape.has_layout() && shape.layout().minor_to_major().size() == rank ? shape.layout().minor_to_major()[k]
                                                                                  : static_cast<int64_t>(rank - 1 - k);
    };
    int64_t size = 1;
    for (size_t k = 0; k < kMostDimensions; ++k) {
      edges.dims.push_back(k < rank ? shape.dimensions()[k] : -1);
      edges.layouts.push_back(k < rank ? minor(k) : -1);
      int64_t larger = 0;
      for (size_t l = 0; l < k && k < rank; ++l) larger += minor(l) > minor(k);
      edges.lehmercodes.push_back(larger);
      if (k < rank) size *= shape.dimensions()[k];
    }
    return size;
  }

  void Write() {
    in_offsets.push_back(0), out_offsets.push_back(0);
    for (size_t node = 0; node < instructions_.size(); ++node) {
      nodes.num_operands.push_back(static_cast<int32_t>(operands_[node].size()));
      nodes.num_users.push_back(static_cast<int32_t>(users_[node].size()));
      int64_t taken = 0, given = 0;
      for (int32_t operand : operands_[node]) {
        taken += AddEdge(in, operand, static_cast<int32_t>(node));
        in_indices.push_back(operand);
      }
      for (int32_t user : users_[node]) {
        given += AddEdge(out, static_cast<int32_t>(node), user);
        out_indices.push_back(user);
      }
      nodes.in_tensor_sizes.push_back(taken), nodes.out_tensor_sizes.push_back(given);
      in_offsets.push_back(static_cast<int64_t>(in_indices.size()));
      out_offsets.push_back(static_cast<int64_t>(out_indices.size()));
    }
    const auto mark_largest = [](const std::vector<int64_t>& sizes, std::vector<uint8_t>& marks) {
      const int64_t largest = *std::max_element(sizes.begin(), sizes.end());
      for (int64_t size : sizes) marks.push_back(size == largest);
    };
    mark_largest(nodes.in_tensor_sizes, nodes.has_max_in_tensor);
    mark_largest(nodes.out_tensor_sizes, nodes.has_max_out_tensor);
  }

  Graph& graph_;
  std::unordered_map<const HloComputation*, int64_t> groups_;
  std::vector<const HloInstruction*> instructions_;
  std::unordered_map<const HloInstruction*, int32_t> index_;
  std::vector<std::vector<int32_t>> operands_, users_;  // by node
};

template <class T>
nb::object OwnedArray(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

nb::typed<nb::dict, nb::str, nb::any> EdgeArrays(Edges& edges) {
  nb::typed<nb::dict, nb::str, nb::any> arrays;
  arrays["uids"] = OwnedArray(std::move(edges.uids)), arrays["srcs"] = OwnedArray(std::move(edges.srcs));
  arrays["dsts"] = OwnedArray(std::move(edges.dsts)), arrays["dims"] = OwnedArray(std::move(edges.dims));
  arrays["layouts"] = OwnedArray(std::move(edges.layouts)),
  arrays["lehmercodes"] = OwnedArray(std::move(edges.lehmercodes));
  arrays["types"] = OwnedArray(std::move(edges.types)), arrays["dtypes"] = OwnedArray(std::move(edges.dtypes));
  return arrays;
}

nb::typed<nb::dict, nb::str, nb::any> GraphArrays(Graph& graph, bool inline_calls) {
  FeatureBuilder built(graph, inline_calls);
  Nodes& n = built.nodes;
  nb::typed<nb::dict, nb::str, nb::any> nodes, arrays;
  nodes["uids"] = OwnedArray(std::move(n.uids)), nodes["names"] = nb::cast(n.names);
  nodes["gids"] = OwnedArray(std::move(n.gids)), nodes["fused_comp_ids"] = OwnedArray(std::move(n.fused_comp_ids));
  nodes["num_users"] = OwnedArray(std::move(n.num_users)),
  nodes["num_operands"] = OwnedArray(std::move(n.num_operands));
  nodes["opcodes"] = OwnedArray(std::move(n.opcodes)), nodes["opcode_attrs"] = OwnedArray(std::move(n.opcode_attrs));
  nodes["num_opcode_attrs"] = OwnedArray(std::move(n.num_opcode_attrs));
  nodes["is_alternative"] = OwnedArray(std::move(n.is_alternative));
  nodes["is_in_fusion"] = OwnedArray(std::move(n.is_in_fusion));
  nodes["in_tensor_sizes"] = OwnedArray(std::move(n.in_tensor_sizes));
  nodes["out_tensor_sizes"] = OwnedArray(std::move(n.out_tensor_sizes));
  nodes["has_max_in_tensor"] = OwnedArray(std::move(n.has_max_in_tensor));
  nodes["has_max_out_tensor"] = OwnedArray(std::move(n.has_max_out_tensor));
  nodes["normalized_num_group_inst"] = OwnedArray(std::move(n.normalized_num_group_inst));
  arrays["node_features"] = nodes;
  arrays["in_edge_features"] = EdgeArrays(built.in), arrays["out_edge_features"] = EdgeArrays(built.out);
  arrays["in_edge_offsets"] = OwnedArray(std::move(built.in_offsets));
  arrays["in_edge_indices"] = OwnedArray(std::move(built.in_indices));
  arrays["out_edge_offsets"] = OwnedArray(std::move(built.out_offsets));
  arrays["out_edge_indices"] = OwnedArray(std::move(built.out_indices));
  arrays["alternative_indices"] = OwnedArray(std::move(built.alternatives));
  arrays["_alternative_ids"] = OwnedArray(std::move(built.alternative_ids));
  arrays["opcode_attr_counts"] = OwnedArray(AttributeCounts());
  return arrays;
}

}  // namespace

void BindHloGraph(nb::module_& m) { m.def("_graph_arrays", &GraphArrays, nb::arg("module"), nb::arg("inline_calls")); }

}  // namespace hloir::python
