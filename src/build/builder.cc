// HloBuilder's makers: each puts its arguments into the op's attributes and calls Make, in which InferShape checks
// them.
#include "hloir/builder.h"

#include "ir/graph_loader.h"
#include "support/format.h"
#include "shape_inference/shape_inference.h"

namespace hloir {
namespace {

// A shape for its element type only.
Shape OnlyType(PrimitiveType type) { return Shape(type, {}); }

std::vector<HloInstruction*> Join(std::initializer_list<HloBuilder::Ops> lists) {
  std::vector<HloInstruction*> all;
  for (HloBuilder::Ops list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

// The shape with one dimension's size changed; errors are InferShape's.
Shape Resized(const Shape& shape, int64_t dimension, int64_t size) {
  Shape resized = shape;
  if (shape.IsArray() && dimension >= 0 && dimension < shape.rank()) resized.set_dimension(dimension, size);
  return resized;
}

}  // namespace

HloBuilder::HloBuilder(HloModule& module, std::string_view name)
    : module_(module), computation_(module.AddComputation(name)) {}

HloBuilder::HloBuilder(HloInstruction* place)
    : module_(*place->module()), place_(place), computation_(place->parent()) {}

HloBuilder::~HloBuilder() {
  if (place_ == nullptr ? !done_ : !status_.ok()) Discard();
}

void HloBuilder::Discard() {
  done_ = true;
  if (place_ != nullptr) {
    // Users first; annotations set by the caller are kept.
    for (size_t k = made_.size(); k-- > 0;) {
      if (made_[k]->user_count() == 0 && !made_[k]->IsRoot()) computation_->RemoveInstruction(made_[k]);
    }
    return;
  }
  if (computation_->callers().empty() && !computation_->IsEntry()) module_.RemoveComputation(computation_);
}

StatusOr<HloComputation*> HloBuilder::Build(Op root) {
  if (place_ != nullptr) return InvalidArgument("this builder adds to an existing computation");
  if (status_.ok() && done_) return InvalidArgument("this builder has already built its computation");
  if (status_.ok() && root == nullptr) status_ = InvalidArgument(Format("{} has no root", computation_->name()));
  if (status_.ok() && root->parent() != computation_) {
    status_ =
        InvalidArgument(Format("the root {} is of another computation than {}", root->name(), computation_->name()));
  }
  for (int64_t i = 0; status_.ok() && i < computation_->parameter_count(); ++i) {
    if (computation_->parameter(i) == nullptr) {
      status_ = InvalidArgument(Format("{} has no parameter {}", computation_->name(), i));
    }
  }
  if (!status_.ok()) {
    if (!done_) Discard();
    return status_;
  }
  computation_->set_root(root);
  // The evaluation order of b.Add(b.Exp(x), b.Exp(y)), and so the assignment of the names exp and exp.1, depends on the
  // compiler: g++ evaluates the right operand first for x86-64 and the left one for AArch64, as clang does always. So
  // generated names are reassigned, and the output of passes is the same on every machine.
  GraphLoader::NumberNames(*computation_);
  done_ = true;
  return computation_;
}

StatusOr<HloComputation*> HloBuilder::BuildEntry(Op root) {
  StatusOr<HloComputation*> built = Build(root);
  if (built.ok()) module_.set_entry_computation(*built);
  return built;
}

HloBuilder::Op HloBuilder::Named(std::string_view name, Op op) {
  if (op != nullptr) op->set_name(name);
  return op;
}

HloBuilder::Op HloBuilder::Fail(HloOpcode opcode, std::string_view message) {
  if (status_.ok()) {
    status_ = InvalidArgument(Format("{}, instruction {} of {}: {}", OpcodeName(opcode),
                                     computation_->instruction_count(), computation_->name(), message));
  }
  return nullptr;
}

bool HloBuilder::Check(HloOpcode opcode, Ops operands, const Attributes& attributes,
                       std::span<HloComputation* const> called, const Shape* stated, Shape& shape) {
  if (!status_.ok()) return false;
  if (done_) return Fail(opcode, "the builder is done") != nullptr;
  SmallVector<const Shape*, 8> shapes;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] == nullptr) return Fail(opcode, Format("operand {} is missing", i)) != nullptr;
    if (operands[i]->parent() != computation_) {
      return Fail(opcode, Format("operand {}, {}, is of another computation", i, operands[i]->name())) != nullptr;
    }
    shapes.push_back(&operands[i]->shape());
  }
  StatusOr<Shape> inferred = InferShape(opcode, {shapes.data(), shapes.size()}, attributes, called, stated);
  if (!inferred.ok()) return Fail(opcode, inferred.status().message()) != nullptr;
  shape = std::move(*inferred);
  return true;
}

HloBuilder::Op HloBuilder::Finish(Op op, std::span<HloComputation* const> called) {
  for (HloComputation* computation : called) op->AddCalledComputation(computation);
  if (place_ != nullptr) {
    op->CopyMetadataOf(*place_);
    computation_->MoveBefore(op, place_);
    made_.push_back(op);
  }
  return op;
}

using Op = HloBuilder::Op;

Op HloBuilder::Parameter(int64_t number, const Shape& shape, std::string_view name) {
  constexpr int64_t kMost = 1 << 24;
  if (number < 0 || number >= kMost) return Fail(HloOpcode::kParameter, Format("number {} is out of range", number));
  if (number < computation_->parameter_count() && computation_->parameter(number) != nullptr) {
    return Fail(HloOpcode::kParameter,
                Format("number {} is taken by {}", number, computation_->parameter(number)->name()));
  }
  Op op = Make(HloOpcode::kParameter, OpList{}, ParameterAttributes{number, {}}, {}, &shape);
  return name.empty() ? op : Named(name, op);
}

Op HloBuilder::Constant(Literal literal) {
  Shape shape = literal.shape();
  return Make(HloOpcode::kConstant, OpList{}, ConstantAttributes{std::move(literal)}, {}, &shape);
}

Op HloBuilder::Constant(PrimitiveType type, double value) {
  if (!IsArrayType(type)) return Fail(HloOpcode::kConstant, Format("{} has no elements", PrimitiveTypeName(type)));
  Literal literal(Shape::Scalar(type));
  literal.SetFromDouble(0, value);
  return Constant(std::move(literal));
}

Op HloBuilder::Full(const Shape& shape, double value) {
  Op scalar = Constant(shape.element_type(), value);
  return shape.rank() == 0 ? scalar : Make(HloOpcode::kBroadcast, {scalar}, DimensionsAttributes{}, {}, &shape);
}

Op HloBuilder::Iota(const Shape& shape, int64_t dimension) {
  return Make(HloOpcode::kIota, OpList{}, IotaAttributes{dimension}, {}, &shape);
}

Op HloBuilder::Rng(RandomDistribution distribution, Op a, Op b, const Shape& shape) {
  return Make(HloOpcode::kRng, {a, b}, RngAttributes{distribution}, {}, &shape);
}

Op HloBuilder::RngBitGenerator(RandomAlgorithm algorithm, Op state, const Shape& bits) {
  Shape stated = Shape::Tuple({state != nullptr ? state->shape() : Shape(), bits});
  return Make(HloOpcode::kRngBitGenerator, {state}, RngBitGeneratorAttributes{algorithm}, {}, &stated);
}

Op HloBuilder::Compare(Op lhs, Op rhs, ComparisonDirection direction, ComparisonType type) {
  return Make(HloOpcode::kCompare, {lhs, rhs}, CompareAttributes{direction, type});
}

Op HloBuilder::Convert(Op x, PrimitiveType type) {
  Shape stated = OnlyType(type);
  return Make(HloOpcode::kConvert, {x}, None{}, {}, &stated);
}

Op HloBuilder::BitcastConvert(Op x, PrimitiveType type) {
  Shape stated = OnlyType(type);
  return Make(HloOpcode::kBitcastConvert, {x}, None{}, {}, &stated);
}

Op HloBuilder::Bitcast(Op x, const Shape& shape) { return Make(HloOpcode::kBitcast, {x}, None{}, {}, &shape); }

Op HloBuilder::ReducePrecision(Op x, int64_t exponent_bits, int64_t mantissa_bits) {
  return Make(HloOpcode::kReducePrecision, {x}, ReducePrecisionAttributes{exponent_bits, mantissa_bits});
}

Op HloBuilder::StochasticConvert(Op x, Op random, PrimitiveType type) {
  Shape stated = OnlyType(type);
  return Make(HloOpcode::kStochasticConvert, {x, random}, None{}, {}, &stated);
}

Op HloBuilder::Broadcast(Op x, const DimVector& sizes, const DimVector& dimensions) {
  Shape stated = x != nullptr ? Shape::Array(x->shape().element_type(), sizes) : Shape();
  return Make(HloOpcode::kBroadcast, {x}, DimensionsAttributes{dimensions}, {}, &stated);
}

Op HloBuilder::Reshape(Op x, const DimVector& sizes) {
  Shape stated = x != nullptr ? Shape::Array(x->shape().element_type(), sizes) : Shape();
  return Make(HloOpcode::kReshape, {x}, ReshapeAttributes{}, {}, &stated);
}

Op HloBuilder::Transpose(Op x, const DimVector& permutation) {
  return Make(HloOpcode::kTranspose, {x}, DimensionsAttributes{permutation});
}

Op HloBuilder::Reverse(Op x, const DimVector& dimensions) {
  return Make(HloOpcode::kReverse, {x}, DimensionsAttributes{dimensions});
}

Op HloBuilder::Concatenate(Ops xs, int64_t dimension) {
  return Make(HloOpcode::kConcatenate, xs, DimensionsAttributes{{dimension}});
}

Op HloBuilder::Slice(Op x, const DimVector& starts, const DimVector& limits, const DimVector& strides) {
  if (starts.size() != limits.size() || (!strides.empty() && strides.size() != starts.size())) {
    return Fail(HloOpcode::kSlice, "starts, limits and strides differ in length");
  }
  SliceAttributes attributes;
  for (size_t i = 0; i < starts.size(); ++i)
    attributes.slice.push_back({starts[i], limits[i], strides.empty() ? 1 : strides[i]});
  return Make(HloOpcode::kSlice, {x}, std::move(attributes));
}

Op HloBuilder::DynamicSlice(Op x, Ops starts, const DimVector& sizes) {
  return Make(HloOpcode::kDynamicSlice, Ops(Join({Ops(&x, 1), starts})), DynamicSliceAttributes{sizes});
}

Op HloBuilder::DynamicUpdateSlice(Op x, Op update, Ops starts) {
  return Make(HloOpcode::kDynamicUpdateSlice, Ops(Join({Ops(&x, 1), Ops(&update, 1), starts})));
}

Op HloBuilder::Pad(Op x, Op value, const PaddingConfig& padding) {
  return Make(HloOpcode::kPad, {x, value}, PadAttributes{padding});
}

Op HloBuilder::Gather(Op x, Op indices, GatherAttributes attributes) {
  return Make(HloOpcode::kGather, {x, indices}, std::move(attributes));
}

Op HloBuilder::Scatter(Ops xs, Op indices, Ops updates, ScatterAttributes attributes, HloComputation* to_apply) {
  HloComputation* called[] = {to_apply};
  return Make(HloOpcode::kScatter, Ops(Join({xs, Ops(&indices, 1), updates})), std::move(attributes), called);
}

Op HloBuilder::GetDimensionSize(Op x, int64_t dimension) {
  return Make(HloOpcode::kGetDimensionSize, {x}, DimensionsAttributes{{dimension}});
}

Op HloBuilder::SetDimensionSize(Op x, Op size, int64_t dimension) {
  return Make(HloOpcode::kSetDimensionSize, {x, size}, DimensionsAttributes{{dimension}});
}

Op HloBuilder::Dot(Op lhs, Op rhs, DotAttributes attributes, PrimitiveType type) {
  Shape stated = OnlyType(type);
  return Make(HloOpcode::kDot, {lhs, rhs}, std::move(attributes), {},
              type != PrimitiveType::INVALID ? &stated : nullptr);
}

Op HloBuilder::MatMul(Op lhs, Op rhs, PrimitiveType type) {
  DotAttributes attributes;
  attributes.lhs_contracting_dims = {lhs != nullptr ? lhs->shape().rank() - 1 : 0};
  attributes.rhs_contracting_dims = {0};
  return Dot(lhs, rhs, std::move(attributes), type);
}

Op HloBuilder::RaggedDot(Op lhs, Op rhs, Op group_sizes, RaggedDotAttributes attributes, PrimitiveType type) {
  Shape stated = OnlyType(type);
  return Make(HloOpcode::kRaggedDot, {lhs, rhs, group_sizes}, std::move(attributes), {},
              type != PrimitiveType::INVALID ? &stated : nullptr);
}

Op HloBuilder::Convolution(Op input, Op kernel, ConvolutionAttributes attributes, PrimitiveType type) {
  Shape stated = OnlyType(type);
  return Make(HloOpcode::kConvolution, {input, kernel}, std::move(attributes), {},
              type != PrimitiveType::INVALID ? &stated : nullptr);
}

Op HloBuilder::Reduce(Ops xs, Ops inits, const DimVector& dimensions, HloComputation* to_apply) {
  HloComputation* called[] = {to_apply};
  return Make(HloOpcode::kReduce, Ops(Join({xs, inits})), DimensionsAttributes{dimensions}, called);
}

Op HloBuilder::ReduceWindow(Ops xs, Ops inits, const Window& window, HloComputation* to_apply) {
  HloComputation* called[] = {to_apply};
  return Make(HloOpcode::kReduceWindow, Ops(Join({xs, inits})), WindowAttributes{window}, called);
}

Op HloBuilder::SelectAndScatter(Op x, Op source, Op init, const Window& window, HloComputation* select,
                                HloComputation* scatter) {
  return Make(HloOpcode::kSelectAndScatter, {x, source, init}, WindowAttributes{window}, {select, scatter});
}

Op HloBuilder::Map(Ops xs, HloComputation* to_apply) {
  DimensionsAttributes attributes;
  for (int64_t i = 0; !xs.empty() && xs[0] != nullptr && i < xs[0]->shape().rank(); ++i)
    attributes.dimensions.push_back(i);
  HloComputation* called[] = {to_apply};
  return Make(HloOpcode::kMap, xs, std::move(attributes), called);
}

Op HloBuilder::Scan(Ops inputs, Ops carries, int64_t dimension, HloComputation* to_apply, bool is_reverse) {
  ScanAttributes attributes;
  attributes.dimensions = {dimension};
  attributes.num_carries = static_cast<int64_t>(carries.size());
  attributes.is_reverse = is_reverse;
  HloComputation* called[] = {to_apply};
  return Make(HloOpcode::kScan, Ops(Join({inputs, carries})), std::move(attributes), called);
}

Op HloBuilder::Sort(Ops xs, int64_t dimension, HloComputation* comparator, bool is_stable) {
  HloComputation* called[] = {comparator};
  return Make(HloOpcode::kSort, xs, SortAttributes{{dimension}, is_stable}, called);
}

Op HloBuilder::TopK(Op x, int64_t k, bool largest) {
  return Make(HloOpcode::kTopK, {x}, TopKAttributes{k, largest, false});
}

Op HloBuilder::Fft(Op x, FftType type, const DimVector& lengths) {
  return Make(HloOpcode::kFft, {x}, FftAttributes{type, lengths});
}

Op HloBuilder::Cholesky(Op x, bool lower) { return Make(HloOpcode::kCholesky, {x}, CholeskyAttributes{lower}); }

Op HloBuilder::TriangularSolve(Op a, Op b, TriangularSolveAttributes attributes) {
  return Make(HloOpcode::kTriangularSolve, {a, b}, attributes);
}

Op HloBuilder::BatchNormTraining(Op x, Op scale, Op offset, float epsilon, int64_t feature_index) {
  return Make(HloOpcode::kBatchNormTraining, {x, scale, offset}, BatchNormAttributes{epsilon, feature_index});
}

Op HloBuilder::BatchNormInference(Op x, Op scale, Op offset, Op mean, Op variance, float epsilon,
                                  int64_t feature_index) {
  return Make(HloOpcode::kBatchNormInference, {x, scale, offset, mean, variance},
              BatchNormAttributes{epsilon, feature_index});
}

Op HloBuilder::BatchNormGrad(Op x, Op scale, Op mean, Op variance, Op grad_output, float epsilon,
                             int64_t feature_index) {
  return Make(HloOpcode::kBatchNormGrad, {x, scale, mean, variance, grad_output},
              BatchNormAttributes{epsilon, feature_index});
}

Op HloBuilder::Tuple(Ops elements) { return Make(HloOpcode::kTuple, elements); }

Op HloBuilder::GetTupleElement(Op tuple, int64_t index) {
  return Make(HloOpcode::kGetTupleElement, {tuple}, GetTupleElementAttributes{index});
}

Op HloBuilder::Call(HloComputation* to_apply, Ops operands) {
  HloComputation* called[] = {to_apply};
  return Make(HloOpcode::kCall, operands, CallAttributes{}, called);
}

Op HloBuilder::While(HloComputation* condition, HloComputation* body, Op init) {
  return Make(HloOpcode::kWhile, {init}, None{}, {condition, body});
}

Op HloBuilder::Conditional(Op pred, Op true_operand, HloComputation* true_computation, Op false_operand,
                           HloComputation* false_computation) {
  return Make(HloOpcode::kConditional, {pred, true_operand, false_operand}, None{},
              {true_computation, false_computation});
}

Op HloBuilder::Conditional(Op branch_index, std::span<HloComputation* const> branches, Ops operands) {
  return Make(HloOpcode::kConditional, Ops(Join({Ops(&branch_index, 1), operands})), None{}, branches);
}

Op HloBuilder::Fusion(FusionKind kind, HloComputation* body, Ops operands) {
  HloComputation* called[] = {body};
  FusionAttributes attributes;
  attributes.kind = kind;
  Shape stated = body != nullptr && body->root() != nullptr ? body->root()->shape() : Shape();
  return Make(HloOpcode::kFusion, operands, std::move(attributes), called, &stated);
}

Op HloBuilder::CustomCall(std::string target, const Shape& shape, Ops operands) {
  CustomCallAttributes attributes;
  attributes.custom_call_target = std::move(target);
  return Make(HloOpcode::kCustomCall, operands, std::move(attributes), {}, &shape);
}

Op HloBuilder::AfterAll(Ops tokens) { return Make(HloOpcode::kAfterAll, tokens); }

Op HloBuilder::AllGather(Op x, int64_t dimension, int64_t shards, AllGatherAttributes attributes) {
  Shape stated;
  if (x != nullptr && x->shape().IsArray() && dimension >= 0 && dimension < x->shape().rank()) {
    int64_t size;
    if (__builtin_mul_overflow(x->shape().dimensions(dimension), shards, &size))
      return Fail(HloOpcode::kAllGather, "too large");
    stated = Resized(x->shape(), dimension, size);
  }
  attributes.dimensions = {dimension};
  return Make(HloOpcode::kAllGather, {x}, std::move(attributes), {}, &stated);
}

Op HloBuilder::AllReduce(Op x, HloComputation* to_apply, AllReduceAttributes attributes) {
  Shape stated = x != nullptr ? x->shape() : Shape();
  return Make(HloOpcode::kAllReduce, {x}, std::move(attributes), {to_apply}, &stated);
}

Op HloBuilder::ReduceScatter(Op x, int64_t dimension, int64_t shards, HloComputation* to_apply,
                             ReduceScatterAttributes attributes) {
  if (shards <= 0) return Fail(HloOpcode::kReduceScatter, Format("{} shards", shards));
  Shape stated;
  if (x != nullptr && x->shape().IsArray() && dimension >= 0 && dimension < x->shape().rank()) {
    stated = Resized(x->shape(), dimension, x->shape().dimensions(dimension) / shards);
  }
  attributes.dimensions = {dimension};
  return Make(HloOpcode::kReduceScatter, {x}, std::move(attributes), {to_apply}, &stated);
}

Op HloBuilder::AllToAll(Op x, int64_t dimension, AllToAllAttributes attributes) {
  Shape stated = x != nullptr ? x->shape() : Shape();
  attributes.dimensions = {dimension};
  return Make(HloOpcode::kAllToAll, {x}, std::move(attributes), {}, &stated);
}

Op HloBuilder::CollectivePermute(Op x, Int64Pairs source_target_pairs, OptionalInt64 channel_id) {
  Shape stated = x != nullptr ? x->shape() : Shape();
  CollectivePermuteAttributes attributes;
  attributes.channel_id = channel_id;
  attributes.source_target_pairs = std::move(source_target_pairs);
  return Make(HloOpcode::kCollectivePermute, {x}, std::move(attributes), {}, &stated);
}

HloComputation* MakeReducer(HloModule& module, HloOpcode opcode, PrimitiveType type) {
  HloBuilder b(module, Format("{}_{}", OpcodeName(opcode), PrimitiveTypeName(type)));
  Op x = b.Parameter(0, Shape::Scalar(type), "x");
  Op y = b.Parameter(1, Shape::Scalar(type), "y");
  StatusOr<HloComputation*> built = b.Build(b.Make(opcode, {x, y}));
  return built.ok() ? *built : nullptr;
}

HloComputation* MakeComparator(HloModule& module, ComparisonDirection direction, std::span<const PrimitiveType> types) {
  HloBuilder b(module, Format("compare_{}", EnumWord(direction)));
  std::vector<Op> parameters;
  for (size_t i = 0; i < 2 * types.size(); ++i) {
    parameters.push_back(b.Parameter(static_cast<int64_t>(i), Shape::Scalar(types[i / 2])));
  }
  if (parameters.empty()) return nullptr;
  StatusOr<HloComputation*> built = b.Build(b.Compare(parameters[0], parameters[1], direction));
  return built.ok() ? *built : nullptr;
}

}  // namespace hloir
