// Printer: the op of each instruction, with its attributes. See print.h.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "hloir/builder.h"
#include "hloir/printer.h"
#include "ir/mixed_floats.h"
#include "mlir.h"
#include "print.h"
#include "support/format.h"

namespace hloir::stablehlo {
namespace {

// "stablehlo.round_nearest_afz"
std::string NameOf(std::string_view dialect, HloOpcode opcode) {
  std::string name(OpcodeName(opcode));
  std::replace(name.begin(), name.end(), '-', '_');
  return Format("{}.{}", dialect, name);
}

// The dimension numbers that a dot and a ragged dot share.
template <class Attributes>
Entries ProductNumbers(const Attributes& a) {
  Entries numbers;
  numbers.AddList("lhs_batching_dimensions", a.lhs_batch_dims);
  numbers.AddList("rhs_batching_dimensions", a.rhs_batch_dims);
  numbers.AddList("lhs_contracting_dimensions", a.lhs_contracting_dims);
  numbers.AddList("rhs_contracting_dimensions", a.rhs_contracting_dims);
  return numbers;
}

Status AddPrecision(const PrecisionList& list, Entries& entries) {
  if (list.empty()) return OkStatus();
  std::string text;
  for (const hloir::Precision precision : list) {
    if (precision == hloir::Precision::kPackedNibble) return Unimplemented("it lacks the precision packed_nibble");
    std::string word(EnumWord(precision));
    std::transform(word.begin(), word.end(), word.begin(), [](char c) { return static_cast<char>(c - 'a' + 'A'); });
    text += Format("{}#stablehlo<precision {}>", text.empty() ? "" : ", ", word);
  }
  entries.Add("precision_config", '[' + text + ']');
  return OkStatus();
}

// dot_bf16_bf16_f32_x3: the types of the operands and of the sum, and the number of products.
std::string AlgorithmText(DotAlgorithm algorithm) {
  std::string_view word = EnumWord(algorithm);
  word.remove_prefix(std::min(word.size(), std::string_view("dot_").size()));
  const bool is_f8 = algorithm == DotAlgorithm::kAnyF8AnyF8F32 || algorithm == DotAlgorithm::kAnyF8AnyF8F32FastAccum;
  if (is_f8) word = "f8E5M2_f8E5M2_f32";
  std::vector<std::string_view> parts;
  while (!word.empty()) {
    const size_t end = std::min(word.find('_'), word.size());
    parts.push_back(word.substr(0, end));
    word.remove_prefix(std::min(end + 1, word.size()));
  }
  const std::string_view products = parts.size() > 3 ? parts[3].substr(1) : "1";
  return Format(
      "#stablehlo.dot_algorithm<lhs_precision_type = {}, rhs_precision_type = {}, accumulation_type = {}, "
      "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = {}, "
      "allow_imprecise_accumulation = {}>",
      parts[0], parts[1], parts[2], products, algorithm == DotAlgorithm::kAnyF8AnyF8F32FastAccum);
}

void AddWindow(const Window& window, bool has_dilations, std::string_view base, std::string_view dilation,
               Entries& entries) {
  DimVector strides, bases, dilations;
  std::vector<std::vector<int64_t>> padding;
  for (const WindowDimension& d : window) {
    strides.push_back(d.stride), bases.push_back(d.base_dilation), dilations.push_back(d.window_dilation);
    padding.push_back({d.padding_low, d.padding_high});
  }
  entries.AddInts("window_strides", strides);
  if (has_dilations) entries.AddInts(base, bases), entries.AddInts(dilation, dilations);
  entries.AddRows("padding", padding, 2);
}

void AddWindowSizes(const Window& window, Entries& entries) {
  DimVector sizes;
  for (const WindowDimension& d : window) sizes.push_back(d.size);
  entries.AddInts("window_dimensions", sizes);
}

// [b, f, 0, 1]
std::string LabelsText(std::string_view letters, int64_t first, int64_t second, const DimVector& spatial) {
  std::vector<std::string> labels(spatial.size() + 2);
  const auto set = [&](int64_t at, std::string label) {
    if (at >= 0 && at < static_cast<int64_t>(labels.size())) labels[static_cast<size_t>(at)] = std::move(label);
  };
  set(first, std::string(letters.substr(0, 1)));
  set(second, std::string(letters.substr(1, 1)));
  for (size_t i = 0; i < spatial.size(); ++i) set(spatial[i], Format("{}", i));
  std::string text = "[";
  for (const std::string& label : labels) text += (text.size() > 1 ? ", " : "") + label;
  return text + ']';
}

void AddGroups(const ReplicaGroups& groups, Entries& entries) {
  std::vector<std::vector<int64_t>> rows = groups.Expand();
  size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.size());
  for (auto& row : rows) row.resize(width, -1);
  entries.AddRows("replica_groups", rows, static_cast<int64_t>(width));
}

void AddChannel(const OptionalInt64& channel, int64_t type, Entries& entries) {
  if (channel.has_value())
    entries.Add("channel_handle", Format("#stablehlo.channel_handle<handle = {}, type = {}>", *channel, type));
}

// The attributes that most collectives have.
template <class A>
void AddParticipants(const A& a, Entries& entries) {
  AddGroups(a.replica_groups, entries);
  AddChannel(a.channel_id, 1, entries);
  if constexpr (requires { a.use_global_device_ids; }) {
    if (a.use_global_device_ids) entries.AddUnit("use_global_device_ids");
  }
}

bool IsDictionary(std::string_view text) {
  if (!text.starts_with('{')) return false;
  const std::string module = Format("module attributes {{config = {}}} {{}}", text);
  return ParseMlir(std::make_shared<const std::string>(module), "").ok();
}

std::string_view WhyNot(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kFusion: return "it has no fusions (hloir opt --passes=defuser takes them apart)";
    case HloOpcode::kCopy:
    case HloOpcode::kBitcast: return "its values have no layouts";
    default: break;  // as for any op that HLO alone has
  }
  return HasTrait(opcode, kAsyncPart) ? "it has no asynchronous ops" : "it has no such op";
}

}  // namespace

Status Printer::CompositeOp(const HloInstruction& instruction, OpText& op) {
  const FrontendAttributes& attributes = instruction.extras().frontend_attributes;
  const auto find = [&](std::string_view name) {
    const auto found =
        std::find_if(attributes.begin(), attributes.end(), [&](const auto& entry) { return entry.first == name; });
    return found == attributes.end() ? std::string() : found->second;
  };
  const std::string name = find("composite.name"), version = find("composite.version"),
                    config = find("composite.attributes");
  int64_t number = 0;
  const auto read = std::from_chars(version.data(), version.data() + version.size(), number);
  if (name.empty() || read.ec != std::errc() || (!config.empty() && !IsDictionary(config)))
    return Refuse(instruction, "the composite's frontend attributes do not have its name, version and attributes");
  op.name = "stablehlo.composite";
  if (!config.empty()) op.properties.Add("composite_attributes", config);
  op.properties.Add("decomposition", Symbol(*instruction.to_apply()));
  op.properties.Add("name", Quoted(name));
  op.properties.AddInt("version", number, "i32");
  return OkStatus();
}

Status Printer::CustomCallOp(const HloInstruction& instruction, OpText& op) {
  const auto& a = instruction.attributes<CustomCallAttributes>();
  op.name = "stablehlo.custom_call";
  if (a.window.has_value() || a.dim_labels.has_value() || a.literal.has_value() || !a.operand_precision.empty() ||
      a.feature_group_count != 1 || a.batch_group_count != 1)
    return Refuse(instruction, "its custom calls have no window, dim_labels, groups, precision or literal");
  Entries& p = op.properties;
  p.AddInt("api_version", static_cast<int64_t>(a.api_version), "i32");
  const std::string_view config = instruction.extras().backend_config;
  const bool is_typed = a.api_version == CustomCallApiVersion::kTypedFfi;
  if (is_typed && !config.empty() && !IsDictionary(config))
    return Refuse(instruction, "the backend_config of a typed call must be a dictionary of MLIR");
  if (!config.empty()) p.Add("backend_config", is_typed ? std::string(config) : Quoted(config));
  p.Add("call_target_name", Quoted(a.custom_call_target));
  if (a.custom_call_has_side_effect) p.AddBool("has_side_effect", true);
  if (!instruction.called_computations().empty()) {
    std::string names;
    for (const HloComputation* called : instruction.called_computations())
      names += (names.empty() ? "" : ", ") + Symbol(*called);
    p.Add("called_computations", '[' + names + ']');
  }
  const auto layouts = [&](const std::vector<Shape>& shapes) {
    std::string text;
    for (const Shape& shape : shapes) {
      const DimVector order = shape.IsArray() && shape.has_layout()
                                  ? shape.layout().minor_to_major()
                                  : Layout::MajorToMinor(shape.rank()).minor_to_major();
      std::string numbers;
      for (size_t i = 0; i < order.size(); ++i) numbers += Format("{}{}", i == 0 ? "" : ", ", order[i]);
      text += Format("{}dense<{}> : tensor<{}xindex>", text.empty() ? "" : ", ",
                     order.empty() ? "" : '[' + numbers + ']', order.size());
    }
    return '[' + text + ']';
  };
  if (a.operand_layout_constraints.has_value()) {
    const std::vector<Shape> results = ResultsOf(instruction.shape());
    const auto& operands = *a.operand_layout_constraints;
    const auto is_tuple = [](const Shape& shape) { return shape.IsTuple(); };
    if (std::any_of(operands.begin(), operands.end(), is_tuple) ||
        (results.size() != 1 && std::any_of(results.begin(), results.end(), is_tuple)) ||
        (results.size() == 1 && results[0].IsTuple()))
      return Refuse(instruction, "it has no layouts of tuples");
    p.Add("operand_layouts", layouts(operands));
    p.Add("result_layouts", layouts(results));
  }
  std::string aliases;
  for (const OutputOperandAlias& alias : a.output_to_operand_aliasing) {
    Entries entries;
    entries.AddList("output_tuple_indices", alias.output_index);
    entries.Add("operand_index", Format("{}", alias.operand));
    entries.AddList("operand_tuple_indices", alias.operand_index);
    aliases += Format("{}#stablehlo.output_operand_alias<{}>", aliases.empty() ? "" : ", ", entries.text());
  }
  if (!aliases.empty()) p.Add("output_operand_aliases", '[' + aliases + ']');
  return OkStatus();
}

StatusOr<OpText> Printer::OpOf(const HloInstruction& instruction) {
  OpText op;
  Entries& p = op.properties;
  const HloOpcode opcode = instruction.opcode();
  const InstructionExtras& extras = instruction.extras();
  op.name = NameOf("stablehlo", opcode);
  for (const HloComputation* called : instruction.called_computations()) op.regions.push_back(called);
  if (instruction.sharding() != nullptr)
    op.attributes.Add("mhlo.sharding", Quoted(PrintSharding(*instruction.sharding())));
  const bool is_composite = opcode == HloOpcode::kCall && instruction.attributes<CallAttributes>().is_composite;
  if (!extras.frontend_attributes.empty() && !is_composite)
    op.attributes.Add("mhlo.frontend_attributes", FrontendText(extras.frontend_attributes));
  const auto result_rank = static_cast<size_t>(std::max<int64_t>(instruction.shape().rank(), 0));
  const auto check = [&](const Status& status) { return status.ok() ? status : Refuse(instruction, status.message()); };
  if (MixesFloats(instruction)) return Refuse(instruction, "its types differ where StableHLO does not convert");
  switch (opcode) {
    case HloOpcode::kAcos:
    case HloOpcode::kAcosh:
    case HloOpcode::kAsin:
    case HloOpcode::kAsinh:
    case HloOpcode::kAtanh:
    case HloOpcode::kCosh:
    case HloOpcode::kErf:
    case HloOpcode::kMulhi:
    case HloOpcode::kSinh: op.name = NameOf("chlo", opcode); return op;

    case HloOpcode::kCeil:
    case HloOpcode::kClz:
    case HloOpcode::kFloor:
    case HloOpcode::kNegate:
    case HloOpcode::kNot:
    case HloOpcode::kPopulationCount:
    case HloOpcode::kRoundNearestAfz:
    case HloOpcode::kRoundNearestEven:
    case HloOpcode::kSign:
    case HloOpcode::kCbrt:
    case HloOpcode::kCos:
    case HloOpcode::kExp:
    case HloOpcode::kExpm1:
    case HloOpcode::kLog:
    case HloOpcode::kLog1p:
    case HloOpcode::kLogistic:
    case HloOpcode::kRsqrt:
    case HloOpcode::kSin:
    case HloOpcode::kSqrt:
    case HloOpcode::kTan:
    case HloOpcode::kTanh:
    case HloOpcode::kAdd:
    case HloOpcode::kAnd:
    case HloOpcode::kAtan2:
    case HloOpcode::kDivide:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kMultiply:
    case HloOpcode::kOr:
    case HloOpcode::kPower:
    case HloOpcode::kRemainder:
    case HloOpcode::kShiftLeft:
    case HloOpcode::kShiftRightArithmetic:
    case HloOpcode::kShiftRightLogical:
    case HloOpcode::kSubtract:
    case HloOpcode::kXor: {
      const std::string type = TypeText(instruction.shape());
      const auto operands = instruction.operands();
      op.is_short = std::all_of(operands.begin(), operands.end(),
                                [&](const HloInstruction* operand) { return TypeText(operand->shape()) == type; });
      return op;
    }
    case HloOpcode::kAbs:
    case HloOpcode::kImag:
    case HloOpcode::kIsFinite:
    case HloOpcode::kReal:
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kConvert:
    case HloOpcode::kComplex:
    case HloOpcode::kClamp:
    case HloOpcode::kSelect:
    case HloOpcode::kReplicaId:
    case HloOpcode::kPartitionId:
    case HloOpcode::kReshape:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kTuple:
    case HloOpcode::kAfterAll: return op;

    case HloOpcode::kConstant: {
      const Literal& literal = instruction.literal();
      if (!literal.shape().IsArray()) return Refuse(instruction, "it has no constants of tuples");
      if (literal.elided()) return Refuse(instruction, "its elements are elided ({...})");
      if (!literal.shape().IsStatic()) return Refuse(instruction, "it has no constants of dynamic size");
      if (op.attributes.empty()) op.is_short = true, op.name += ' ' + DenseText(literal);
      else p.Add("value", Format("{} : {}", DenseText(literal), TypeText(literal.shape())));
      return op;
    }
    case HloOpcode::kIota:
      p.AddInt("iota_dimension", instruction.attributes<IotaAttributes>().iota_dimension);
      return op;
    case HloOpcode::kCompare: {
      const auto& a = instruction.attributes<CompareAttributes>();
      const PrimitiveType type = instruction.operand(0)->shape().element_type();
      const std::string_view implied = IsFloat(type) || IsComplex(type) ? "FLOAT"
                                       : IsSigned(type)                 ? "SIGNED"
                                                                        : "UNSIGNED";
      p.AddWord("comparison_direction", "comparison_direction", EnumWord(a.direction));
      p.AddWord("compare_type", "comparison_type", a.type == ComparisonType::kDefault ? implied : EnumWord(a.type));
      return op;
    }
    case HloOpcode::kReducePrecision: {
      const auto& a = instruction.attributes<ReducePrecisionAttributes>();
      p.AddInt("exponent_bits", a.exponent_bits, "i32");
      p.AddInt("mantissa_bits", a.mantissa_bits, "i32");
      return op;
    }
    case HloOpcode::kRng: {
      const bool is_normal = instruction.attributes<RngAttributes>().distribution == RandomDistribution::kRngNormal;
      if (instruction.operand_count() != 2) return Refuse(instruction, "it takes two parameters");
      p.AddWord("rng_distribution", "rng_distribution", is_normal ? "NORMAL" : "UNIFORM");
      return op;
    }
    case HloOpcode::kRngBitGenerator: {
      const RandomAlgorithm algorithm = instruction.attributes<RngBitGeneratorAttributes>().algorithm;
      if (!instruction.shape().IsTuple()) return Refuse(instruction, "it gives the new state, too");
      p.AddWord("rng_algorithm", "rng_algorithm",
                algorithm == RandomAlgorithm::kRngThreeFry ? "THREE_FRY"
                : algorithm == RandomAlgorithm::kRngPhilox ? "PHILOX"
                                                           : "DEFAULT");
      return op;
    }
    case HloOpcode::kBroadcast:
      op.name = "stablehlo.broadcast_in_dim";
      p.AddInts("broadcast_dimensions", instruction.dimensions());
      return op;
    case HloOpcode::kTranspose: p.AddInts("permutation", instruction.dimensions()); return op;
    case HloOpcode::kReverse: p.AddInts("dimensions", instruction.dimensions()); return op;
    case HloOpcode::kConcatenate: p.AddInt("dimension", instruction.dimensions()[0]); return op;
    case HloOpcode::kSlice: {
      DimVector starts, limits, strides;
      for (const SliceRange& range : instruction.attributes<SliceAttributes>().slice)
        starts.push_back(range.start), limits.push_back(range.limit), strides.push_back(range.stride);
      p.AddInts("start_indices", starts);
      p.AddInts("limit_indices", limits);
      p.AddInts("strides", strides);
      return op;
    }
    case HloOpcode::kDynamicSlice: {
      const auto rank = instruction.operand(0)->shape().rank();
      if (instruction.operand_count() != rank + 1) return Refuse(instruction, "it takes a start for each dimension");
      p.AddInts("slice_sizes", instruction.attributes<DynamicSliceAttributes>().dynamic_slice_sizes);
      return op;
    }
    case HloOpcode::kPad: {
      DimVector low, high, interior;
      for (const PaddingDimension& d : instruction.attributes<PadAttributes>().padding)
        low.push_back(d.low), high.push_back(d.high), interior.push_back(d.interior);
      p.AddInts("edge_padding_low", low);
      p.AddInts("edge_padding_high", high);
      p.AddInts("interior_padding", interior);
      return op;
    }
    case HloOpcode::kGather: {
      const auto& a = instruction.attributes<GatherAttributes>();
      Entries numbers;
      numbers.AddList("offset_dims", a.offset_dims);
      numbers.AddList("collapsed_slice_dims", a.collapsed_slice_dims);
      if (!a.operand_batching_dims.empty()) {
        numbers.AddList("operand_batching_dims", a.operand_batching_dims);
        numbers.AddList("start_indices_batching_dims", a.start_indices_batching_dims);
      }
      numbers.AddList("start_index_map", a.start_index_map);
      numbers.Add("index_vector_dim", Format("{}", a.index_vector_dim));
      p.Add("dimension_numbers", Format("#stablehlo.gather<{}>", numbers.text()));
      p.AddBool("indices_are_sorted", a.indices_are_sorted);
      p.AddInts("slice_sizes", a.slice_sizes);
      return op;
    }
    case HloOpcode::kScatter: {
      const auto& a = instruction.attributes<ScatterAttributes>();
      Entries numbers;
      numbers.AddList("update_window_dims", a.update_window_dims);
      numbers.AddList("inserted_window_dims", a.inserted_window_dims);
      if (!a.input_batching_dims.empty()) {
        numbers.AddList("input_batching_dims", a.input_batching_dims);
        numbers.AddList("scatter_indices_batching_dims", a.scatter_indices_batching_dims);
      }
      numbers.AddList("scatter_dims_to_operand_dims", a.scatter_dims_to_operand_dims);
      numbers.Add("index_vector_dim", Format("{}", a.index_vector_dim));
      p.AddBool("indices_are_sorted", a.indices_are_sorted);
      p.Add("scatter_dimension_numbers", Format("#stablehlo.scatter<{}>", numbers.text()));
      p.AddBool("unique_indices", a.unique_indices);
      return op;
    }
    case HloOpcode::kDot: {
      const auto& a = instruction.attributes<DotAttributes>();
      Entries numbers = ProductNumbers(a);
      op.name = "stablehlo.dot_general";
      p.Add("dot_dimension_numbers", Format("#stablehlo.dot<{}>", numbers.text()));
      HLOIR_RETURN_IF_ERROR(check(AddPrecision(a.operand_precision, p)));
      if (a.algorithm != DotAlgorithm::kUnset) p.Add("algorithm", AlgorithmText(a.algorithm));
      return op;
    }
    case HloOpcode::kRaggedDot: {
      const auto& a = instruction.attributes<RaggedDotAttributes>();
      Entries numbers = ProductNumbers(a);
      numbers.AddList("lhs_ragged_dimensions", a.lhs_ragged_dims);
      numbers.AddList("rhs_group_dimensions", a.rhs_group_dims);
      op.name = "chlo.ragged_dot";
      p.Add("ragged_dot_dimension_numbers", Format("#chlo.ragged_dot<{}>", numbers.text()));
      for (const hloir::Precision precision : a.operand_precision) {
        if (precision != hloir::Precision::kDefault) return Refuse(instruction, "its precision must be the default");
      }
      return op;
    }
    case HloOpcode::kConvolution: {
      const auto& a = instruction.attributes<ConvolutionAttributes>();
      const ConvDimensionNumbers& d = a.dim_labels;
      if (a.algorithm != DotAlgorithm::kUnset || a.sparsity_config != SparsityConfig())
        return Refuse(instruction, "its convolutions have no algorithm and no sparsity");
      if (instruction.operand_count() != 2 || result_rank != d.output_spatial.size() + 2 ||
          instruction.operand(0)->shape().rank() != static_cast<int64_t>(d.input_spatial.size()) + 2 ||
          instruction.operand(1)->shape().rank() != static_cast<int64_t>(d.kernel_spatial.size()) + 2)
        return Refuse(instruction, "its convolutions have two operands and no dimensions without a role");
      p.AddInt("batch_group_count", a.batch_group_count);
      p.Add("dimension_numbers",
            Format("#stablehlo.conv<{}x{}->{}>", LabelsText("bf", d.input_batch, d.input_feature, d.input_spatial),
                   LabelsText("io", d.kernel_input_feature, d.kernel_output_feature, d.kernel_spatial),
                   LabelsText("bf", d.output_batch, d.output_feature, d.output_spatial)));
      p.AddInt("feature_group_count", a.feature_group_count);
      AddWindow(a.window, true, "lhs_dilation", "rhs_dilation", p);
      if (std::any_of(a.window.begin(), a.window.end(), [](const auto& w) { return w.window_reversal; })) {
        std::string reversal;
        for (const WindowDimension& w : a.window)
          reversal += Format("{}{}", reversal.empty() ? "" : ", ", w.window_reversal);
        p.Add("window_reversal", Format("array<i1: {}>", reversal));
      }
      HLOIR_RETURN_IF_ERROR(check(AddPrecision(a.operand_precision, p)));
      return op;
    }
    case HloOpcode::kReduce:
    case HloOpcode::kMap: p.AddInts("dimensions", instruction.dimensions()); return op;
    case HloOpcode::kReduceWindow:
    case HloOpcode::kSelectAndScatter: {
      const Window& window = instruction.attributes<WindowAttributes>().window;
      const bool is_reduction = opcode == HloOpcode::kReduceWindow;
      const auto is_odd = [&](const WindowDimension& d) {
        return d.window_reversal || (!is_reduction && (d.base_dilation != 1 || d.window_dilation != 1));
      };
      if (std::any_of(window.begin(), window.end(), is_odd))
        return Refuse(instruction, "its window is reversed or dilated");
      AddWindowSizes(window, p);
      AddWindow(window, is_reduction, "base_dilations", "window_dilations", p);
      return op;
    }
    case HloOpcode::kSort: {
      const auto& a = instruction.attributes<SortAttributes>();
      p.AddInt("dimension", a.dimensions.empty() ? -1 : a.dimensions[0]);
      p.AddBool("is_stable", a.is_stable);
      return op;
    }
    case HloOpcode::kTopK: {
      const auto& a = instruction.attributes<TopKAttributes>();
      op.name = "chlo.top_k";
      if (!a.largest || a.is_stable) return Refuse(instruction, "it has no smallest elements and no stable order");
      p.AddInt("k", a.k);
      return op;
    }
    case HloOpcode::kFft: {
      const auto& a = instruction.attributes<FftAttributes>();
      p.AddInts("fft_length", a.fft_length);
      p.AddWord("fft_type", "fft_type", EnumWord(a.fft_type));
      return op;
    }
    case HloOpcode::kCholesky: p.AddBool("lower", instruction.attributes<CholeskyAttributes>().lower); return op;
    case HloOpcode::kTriangularSolve: {
      const auto& a = instruction.attributes<TriangularSolveAttributes>();
      p.AddBool("left_side", a.left_side);
      p.AddBool("lower", a.lower);
      p.AddWord("transpose_a", "transpose", EnumWord(a.transpose_a));
      p.AddBool("unit_diagonal", a.unit_diagonal);
      return op;
    }
    case HloOpcode::kBatchNormTraining:
    case HloOpcode::kBatchNormInference:
    case HloOpcode::kBatchNormGrad: {
      const auto& a = instruction.attributes<BatchNormAttributes>();
      const Literal epsilon = Literal::Scalar(PrimitiveType::F32, a.epsilon);
      std::string number = DenseText(epsilon).substr(6);
      number.pop_back();
      p.Add("epsilon", number + " : f32");
      p.AddInt("feature_index", a.feature_index);
      return op;
    }
    case HloOpcode::kGetTupleElement: p.AddInt("index", instruction.tuple_index(), "i32"); return op;
    case HloOpcode::kCall:
      op.regions.clear();
      if (is_composite) {
        HLOIR_RETURN_IF_ERROR(CompositeOp(instruction, op));
        return op;
      }
      op.name = "func.call";
      p.Add("callee", Symbol(*instruction.to_apply()));
      return op;
    case HloOpcode::kWhile: op.is_flat = true; return op;
    case HloOpcode::kConditional:
      op.name = instruction.IsPredConditional() ? "stablehlo.if" : "stablehlo.case";
      op.regions.clear();  // Conditional prints them
      return op;
    case HloOpcode::kCustomCall:
      op.regions.clear();
      HLOIR_RETURN_IF_ERROR(CustomCallOp(instruction, op));
      return op;
    case HloOpcode::kOptimizationBarrier:
      op.name = "stablehlo.optimization_barrier";
      op.is_flat = true;
      return op;
    case HloOpcode::kGetDimensionSize:
    case HloOpcode::kSetDimensionSize: p.AddInt("dimension", instruction.dimensions()[0]); return op;
    case HloOpcode::kInfeed:
      p.Add("infeed_config", Quoted(instruction.attributes<InfeedAttributes>().infeed_config));
      return op;
    case HloOpcode::kOutfeed:
      p.Add("outfeed_config", Quoted(instruction.attributes<OutfeedAttributes>().outfeed_config));
      return op;
    case HloOpcode::kSendDone:
    case HloOpcode::kRecvDone: {
      const auto& a = instruction.operand(0)->attributes<TransferAttributes>();
      const bool is_send = opcode == HloOpcode::kSendDone;
      op.name = is_send ? "stablehlo.send" : "stablehlo.recv";
      AddChannel(a.channel_id.value_or(0), !a.is_host_transfer ? 1 : is_send ? 2 : 3, p);
      p.AddBool("is_host_transfer", a.is_host_transfer);
      return op;
    }
    case HloOpcode::kAllGather: {
      const auto& a = instruction.attributes<AllGatherAttributes>();
      p.AddInt("all_gather_dim", a.dimensions[0]);
      AddParticipants(a, p);
      return op;
    }
    case HloOpcode::kAllReduce: AddParticipants(instruction.attributes<AllReduceAttributes>(), p); return op;
    case HloOpcode::kReduceScatter: {
      const auto& a = instruction.attributes<ReduceScatterAttributes>();
      if (instruction.operand_count() != 1) return Refuse(instruction, "it takes one array");
      p.AddInt("scatter_dimension", a.dimensions[0]);
      AddParticipants(a, p);
      return op;
    }
    case HloOpcode::kAllToAll: {
      const auto& a = instruction.attributes<AllToAllAttributes>();
      const auto groups = a.replica_groups.Expand();
      const ModuleConfig& config = module_.config();
      const int64_t devices = a.channel_id.has_value() ? config.num_partitions : config.replica_count;
      const int64_t count = groups.empty() ? devices : static_cast<int64_t>(groups[0].size());
      if (instruction.shape().IsTuple() || a.dimensions.empty())
        return Refuse(instruction, "its operand must be one array that is split along a dimension");
      p.AddInt("split_dimension", a.dimensions[0]);
      p.AddInt("concat_dimension", a.dimensions[0]);
      p.AddInt("split_count", count);
      AddParticipants(a, p);
      return op;
    }
    case HloOpcode::kCollectivePermute: {
      const auto& a = instruction.attributes<CollectivePermuteAttributes>();
      if (instruction.operand_count() != 1) return Refuse(instruction, "it takes one array");
      std::vector<std::vector<int64_t>> pairs;
      for (const auto& [source, target] : a.source_target_pairs) pairs.push_back({source, target});
      p.AddRows("source_target_pairs", pairs, 2);
      AddChannel(a.channel_id, 1, p);
      return op;
    }
    case HloOpcode::kCollectiveBroadcast: {
      const auto& a = instruction.attributes<CollectiveBroadcastAttributes>();
      if (instruction.operand_count() != 1 || a.has_dynamic_root) return Refuse(instruction, "it takes one array");
      AddParticipants(a, p);
      return op;
    }
    default: return Refuse(instruction, WhyNot(opcode));  // also what is added later
  }
}

}  // namespace hloir::stablehlo
