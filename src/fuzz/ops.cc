// See ops.h.
#include "fuzz/ops.h"

namespace hloir::fuzz {

RandomOps::Op RandomOps::Elementwise() {
  switch (Below(10)) {
    case 0: {
      Op x = Any();
      const bool total = Chance(15) && IsFloat(x->shape().element_type());
      Op y = Like(x->shape());
      if (total) x = WithoutNan(x), y = WithoutNan(y);
      return Make(HloOpcode::kCompare, {x, y},
                  CompareAttributes{static_cast<ComparisonDirection>(Below(6)),
                                    total ? ComparisonType::kFloatTotalOrder : ComparisonType::kDefault});
    }
    case 1: {
      Op x = Any();
      Op p =
          Chance(60) ? Like(x->shape().WithElementType(PrimitiveType::PRED)) : Like(Shape::Scalar(PrimitiveType::PRED));
      return Make(HloOpcode::kSelect, {p, x, Like(x->shape())});
    }
    case 2: {
      Op x = Any();
      return Convert(x, RandomType());
    }
    case 3: {
      Op x = Any();
      if (portable_ && x->shape().element_type() == PrimitiveType::PRED) return nullptr;  // see docs/findings.md
      const Shape scalar = Shape::Scalar(x->shape().element_type());
      return Chance(50) ? Make(HloOpcode::kClamp, {Like(scalar), x, Like(scalar)})
                        : Make(HloOpcode::kClamp, {Like(x->shape()), x, Like(x->shape())});
    }
    case 4: {
      if (Chance(15)) return StochasticConvert();
      if (Chance(30)) {
        Op x = Floating();
        return Make(HloOpcode::kReducePrecision, {x},
                    ReducePrecisionAttributes{Pick<int64_t>({5, 8}), Pick<int64_t>({2, 7, 10, 23})});
      }
      Op x = WithoutNan(Any());
      if (x == nullptr) return nullptr;
      const int bits = BitWidth(x->shape().element_type());
      const PrimitiveType to = bits == 32   ? Pick({PrimitiveType::S32, PrimitiveType::U32, PrimitiveType::F32})
                               : bits == 16 ? Pick({PrimitiveType::BF16, PrimitiveType::F16, PrimitiveType::S16})
                                            : Pick({PrimitiveType::S8, PrimitiveType::U8});
      if (bits > 32 || (bits == 8 && x->shape().element_type() == PrimitiveType::PRED)) return nullptr;
      const Shape shape = Shape::Array(to, x->shape().dimensions());
      return Make(HloOpcode::kBitcastConvert, {x}, NoAttributes(), {}, &shape);
    }
    default: break;
  }
  // Any elementwise opcode without attributes.
  const HloOpcode opcode = static_cast<HloOpcode>(Below(kOpcodeCount));
  const bool plain =
      AttributesTypeSwitch(opcode, []<class T>(std::type_identity<T>) { return std::is_same_v<T, NoAttributes>; });
  if (!HasTrait(opcode, kElementwise) || !plain || (portable_ && opcode == HloOpcode::kMulhi) ||
      opcode == HloOpcode::kConvert || opcode == HloOpcode::kBitcastConvert ||
      opcode == HloOpcode::kStochasticConvert) {
    // Common opcodes, often with operands that simplifiers match.
    const HloOpcode usual = Pick({HloOpcode::kAdd, HloOpcode::kMultiply, HloOpcode::kSubtract, HloOpcode::kDivide,
                                  HloOpcode::kMaximum, HloOpcode::kMinimum, HloOpcode::kAnd, HloOpcode::kOr,
                                  HloOpcode::kXor, HloOpcode::kRemainder, HloOpcode::kPower});
    Op x = Any();
    if (Chance(10)) return Make(usual, {x, x});
    return Chance(30) ? Make(usual, {Like(x->shape()), x}) : Make(usual, {x, Like(x->shape())});
  }
  Op x = Chance(30) && HasTrait(opcode, kTranscendental) ? Floating() : Any();
  switch (GetOpcodeInfo(opcode).arity) {
    case 1: return Make(opcode, {x});
    case 2: return Make(opcode, {x, Like(x->shape())});
    default: return nullptr;
  }
}

RandomOps::Op RandomOps::Movement() {
  Op x = Any();
  const Shape& shape = x->shape();
  const int64_t rank = shape.rank();
  switch (Below(10)) {
    case 0: {
      if (Chance(15)) return AnyBroadcast(x);
      DimVector sizes, dimensions;
      for (int64_t d = 0; d < rank; ++d) {
        if (Chance(30)) sizes.push_back(1 + Below(3));
        dimensions.push_back(static_cast<int64_t>(sizes.size()));
        sizes.push_back(shape.dimensions(d));
      }
      if (Chance(60)) sizes.push_back(1 + Below(3));
      const Shape wanted = Shape::Array(shape.element_type(), sizes);
      return Make(HloOpcode::kBroadcast, {x}, DimensionsAttributes{dimensions}, {}, &wanted);
    }
    case 1: return ReshapeTo(x, Shape::Array(shape.element_type(), Regroup(shape.dimensions())));
    case 2: {
      DimVector order;
      for (int64_t d = 0; d < rank; ++d) order.push_back(d);
      random_.Shuffle(order);
      return Make(HloOpcode::kTranspose, {x}, DimensionsAttributes{order});
    }
    case 3: {
      DimVector dimensions;
      for (int64_t d = 0; d < rank; ++d) {
        if (Chance(50)) dimensions.push_back(d);
      }
      return Make(HloOpcode::kReverse, {x}, DimensionsAttributes{dimensions});
    }
    case 4: {
      if (rank == 0) return nullptr;
      const int64_t d = Below(rank);
      Ops parts{x};
      for (int64_t k = Below(3); k >= 0; --k) {
        Shape part = Shape::Array(shape.element_type(), shape.dimensions());
        if (Chance(60)) part.set_dimension(d, 1 + Below(3));
        parts.push_back(Chance(15) ? x : Like(part));
      }
      return Make(HloOpcode::kConcatenate, parts, DimensionsAttributes{{d}});
    }
    case 5: {
      SliceRanges ranges;
      for (int64_t size : shape.dimensions()) {
        const int64_t start = Chance(50) ? 0 : Below(size + 1);
        const int64_t limit = Chance(40) ? size : start + Below(size - start + 1);
        ranges.push_back({start, std::max(limit, start), Chance(20) ? 2 : 1});
      }
      return Make(HloOpcode::kSlice, {x}, SliceAttributes{ranges});
    }
    case 6: {
      if (portable_ && rank == 0) return nullptr;
      PaddingConfig padding;
      for (int64_t d = 0; d < rank; ++d) padding.push_back({Below(4) - 1, Below(4) - 1, Chance(20) ? 1 : 0});
      return Make(HloOpcode::kPad, {x, Like(Shape::Scalar(shape.element_type()))}, PadAttributes{padding});
    }
    case 7: {
      if (portable_ && rank == 0) return nullptr;
      if (!portable_ && Chance(15)) return SliceByList(x);
      Ops operands{x};
      DimVector sizes;
      for (int64_t size : shape.dimensions()) {
        operands.push_back(Index());
        sizes.push_back(size == 0 ? 0 : Chance(30) ? size : 1 + Below(size));
      }
      return Make(HloOpcode::kDynamicSlice, operands, DynamicSliceAttributes{sizes});
    }
    case 8: {
      if (portable_ && rank == 0) return nullptr;
      DimVector sizes;
      for (int64_t size : shape.dimensions()) sizes.push_back(size == 0 ? 0 : Chance(30) ? size : 1 + Below(size));
      Ops operands{x, Like(Shape::Array(shape.element_type(), sizes))};
      for (int64_t d = 0; d < rank; ++d) operands.push_back(Index());
      return Make(HloOpcode::kDynamicUpdateSlice, operands);
    }
    default: return Chance(50) ? Make(HloOpcode::kCopy, {x}) : Like(RandomShape());
  }
}

DimVector RandomOps::Regroup(const DimVector& sizes) {
  DimVector result;
  for (int64_t size : sizes) {
    if (!result.empty() && Chance(35)) {
      result.back() *= size;
    } else if (size == 4 && Chance(40)) {
      result.push_back(2), result.push_back(2);
    } else if (size == 1 && Chance(60)) {
      continue;
    } else {
      result.push_back(size);
    }
    if (Chance(15)) result.push_back(1);
  }
  return result;
}

RandomOps::Op RandomOps::Reduction() {
  Op x = Any();
  const Shape& shape = x->shape();
  const PrimitiveType type = shape.element_type();
  const int64_t rank = shape.rank();
  const HloOpcode opcode = ReducerOpcode(type);
  switch (Below(10)) {
    default: {
      DimVector dimensions;
      for (int64_t d = 0; d < rank; ++d) {
        if (Chance(55)) dimensions.push_back(d);
      }
      HloComputation* reducer = Binary(opcode, type);
      return Make(HloOpcode::kReduce, {x, Init(opcode, type)}, DimensionsAttributes{dimensions}, {reducer});
    }
    case 0: return ArgMax(x);
    case 5: return Chance(60) ? SelectAndScatter(x) : OnHalves(x);
    case 6:
      if (Chance(20)) return LongScan();
      return Chance(50) ? Scan(x) : Best(x);
    case 1:
    case 2: {
      if (rank == 0) return nullptr;
      Window window;
      for (int64_t d = 0; d < rank; ++d) {
        WindowDimension w;
        w.size = 1 + Below(std::min<int64_t>(3, std::max<int64_t>(1, shape.dimensions(d))));
        w.stride = 1 + Below(2);
        if (Chance(30)) w.padding_low = Below(2), w.padding_high = Below(2);
        if (Chance(10)) w.base_dilation = 2;
        if (Chance(10)) w.window_dilation = 2;
        if (Chance(15)) w = {.size = shape.dimensions(d), .padding_low = shape.dimensions(d) - 1};  // a running sum
        window.push_back(w);
      }
      HloComputation* reducer = Binary(opcode, type);
      return Make(HloOpcode::kReduceWindow, {x, Init(opcode, type)}, WindowAttributes{window}, {reducer});
    }
    case 3: {
      if (rank == 0 || IsComplex(type)) return nullptr;
      const int64_t d = Below(rank);
      Ops operands{x};
      std::vector<PrimitiveType> types{type};
      for (int64_t k = Below(3); k > 0; --k) {
        Op other = Like(shape.WithElementType(RandomType()));
        if (other == nullptr || IsComplex(other->shape().element_type())) continue;
        operands.push_back(other), types.push_back(other->shape().element_type());
      }
      HloComputation* less =
          MakeComparator(module_, Chance(70) ? ComparisonDirection::kLt : ComparisonDirection::kGt, types);
      Op sorted = Make(HloOpcode::kSort, operands, SortAttributes{{d}, true}, {less});
      return operands.size() == 1 ? sorted : Elements(sorted);
    }
    case 4: {
      if (Op top = rank > 0 && (IsFloat(type) || IsInteger(type)) && shape.dimensions(rank - 1) > 0
                       ? Make(HloOpcode::kTopK, {x}, TopKAttributes{1 + Below(shape.dimensions(rank - 1)), true})
                       : nullptr) {
        return Elements(top);
      }
      return nullptr;
    }
  }
}

RandomOps::Op RandomOps::SelectAndScatter(Op x) {
  const PrimitiveType type = x->shape().element_type();
  if (x->shape().rank() == 0 || IsComplex(type) || x->shape().ElementCount() == 0) return nullptr;
  Window window;
  DimVector sizes;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    WindowDimension w;
    w.size = 1 + Below(std::min<int64_t>(3, x->shape().dimensions(d)));
    w.stride = 1 + Below(2);
    w.padding_low = Chance(30), w.padding_high = Chance(30);
    window.push_back(w);
    sizes.push_back((x->shape().dimensions(d) + w.padding_low + w.padding_high - w.size) / w.stride + 1);
  }
  const PrimitiveType types[] = {type};
  HloComputation* select =
      MakeComparator(module_, Chance(70) ? ComparisonDirection::kGe : ComparisonDirection::kLt, types);
  const HloOpcode opcode = ReducerOpcode(type);
  HloComputation* reducer = Binary(opcode, type);
  return Make(HloOpcode::kSelectAndScatter, {x, Like(Shape::Array(type, sizes)), Init(opcode, type)},
              WindowAttributes{window}, {select, reducer});
}

RandomOps::Op RandomOps::LongScan() {
  const PrimitiveType type = Pick({PrimitiveType::S32, PrimitiveType::F32, PrimitiveType::U8});
  const int64_t n = 100 + Below(200);
  const Shape shape = Chance(70) ? Shape::Array(type, {n}) : Shape::Array(type, {n, 1});
  const HloOpcode opcode = ReducerOpcode(type);
  Window window(static_cast<size_t>(shape.rank()));
  window[0].size = n;
  (Chance(60) ? window[0].padding_low : window[0].padding_high) = n - 1;
  HloComputation* reducer = Binary(opcode, type);
  return Make(HloOpcode::kReduceWindow, {Like(shape), Init(opcode, type)}, WindowAttributes{window}, {reducer});
}

RandomOps::Op RandomOps::OnHalves(Op x) {
  const Shape& shape = x->shape();
  if (shape.rank() == 0 || shape.dimensions(0) < 2) return nullptr;
  Op y = Like(shape);
  const int64_t cut = 1 + Below(shape.dimensions(0) - 1);
  Op last = nullptr;
  const HloOpcode opcode = Pick({HloOpcode::kAdd, HloOpcode::kMultiply, HloOpcode::kMaximum});
  for (const bool high : {false, true}) {
    SliceRanges ranges;
    for (int64_t size : shape.dimensions()) ranges.push_back({0, size, 1});
    (high ? ranges[0].start : ranges[0].limit) = cut;
    last = Make(opcode, {Make(HloOpcode::kSlice, {x}, SliceAttributes{ranges}),
                         Make(HloOpcode::kSlice, {y}, SliceAttributes{ranges})});
  }
  return last;
}

RandomOps::Op RandomOps::ArgMax(Op x) {
  const PrimitiveType type = x->shape().element_type();
  if (x->shape().rank() == 0 || !(IsInteger(type) || IsFloat(type))) return nullptr;
  const Shape indices = Shape::Array(PrimitiveType::S32, x->shape().dimensions());
  const int64_t d = Below(x->shape().rank());
  Op iota = Make(HloOpcode::kIota, {}, IotaAttributes{d}, {}, &indices);
  Begin("argmax");
  Op a = Parameter(Shape::Scalar(type)), i = Parameter(Shape::Scalar(PrimitiveType::S32));
  Op b = Parameter(Shape::Scalar(type)), k = Parameter(Shape::Scalar(PrimitiveType::S32));
  Op better = Make(HloOpcode::kCompare, {a, b}, CompareAttributes{ComparisonDirection::kGe, ComparisonType::kDefault});
  Op most = Make(HloOpcode::kSelect, {better, a, b}), where = Make(HloOpcode::kSelect, {better, i, k});
  computation()->set_root(computation()->AddTuple(Ops{most, where}));
  HloComputation* reducer = computation();
  frames_.pop_back();
  Op lowest = Keep(computation()->AddConstant(Literal::MinValue(type)));
  return Elements(Make(HloOpcode::kReduce, {x, iota, lowest, Constant(PrimitiveType::S32, 0)},
                       DimensionsAttributes{{d}}, {reducer}));
}

RandomOps::Op RandomOps::Contraction() {
  if (Chance(10)) return OtherConvolution();
  Op x = Any();
  const PrimitiveType type = x->shape().element_type();
  const int64_t rank = x->shape().rank();
  if (Chance(80)) {
    DotAttributes a;
    DimVector sizes;  // of the right side
    for (int64_t d = 0; d < rank; ++d) {
      const int64_t at = static_cast<int64_t>(sizes.size());
      if (Chance(15) && at < 2)
        a.lhs_batch_dims.push_back(d), a.rhs_batch_dims.push_back(at), sizes.push_back(x->shape().dimensions(d));
      else if (Chance(50))
        a.lhs_contracting_dims.push_back(d), a.rhs_contracting_dims.push_back(at),
            sizes.push_back(x->shape().dimensions(d));
      if (Chance(25)) sizes.push_back(1 + Below(3));
    }
    Op y = Like(Shape::Array(type, sizes));
    const Shape result = Shape::Array(type, {});
    return Make(HloOpcode::kDot, {x, y}, a, {}, &result);
  }
  if (rank != 3 || !IsFloat(type) || x->shape().ElementCount() == 0) return nullptr;
  ConvolutionAttributes a;  // [batch, width, feature]
  a.dim_labels.input_batch = 0, a.dim_labels.input_feature = 2, a.dim_labels.input_spatial = {1};
  a.dim_labels.kernel_input_feature = 1, a.dim_labels.kernel_output_feature = 2, a.dim_labels.kernel_spatial = {0};
  a.dim_labels.output_batch = 0, a.dim_labels.output_feature = 2, a.dim_labels.output_spatial = {1};
  WindowDimension w;
  w.size = 1 + Below(2), w.stride = 1 + Below(2), w.padding_low = Below(2), w.padding_high = Below(2);
  a.window = {w};
  Op kernel = Like(Shape::Array(type, {w.size, x->shape().dimensions(2), 1 + Below(3)}));
  const Shape result = Shape::Array(type, {});
  return Make(HloOpcode::kConvolution, {x, kernel}, a, {}, &result);
}

RandomOps::Op RandomOps::Indexed() {
  Op x = Any();
  const Shape& shape = x->shape();
  const int64_t rank = shape.rank();
  if (rank == 0 || shape.ElementCount() == 0) return nullptr;
  if (Chance(15)) return Batched(x);
  const int64_t indexed = 1 + Below(rank), count = 1 + Below(3);
  DimVector window, update_sizes{count};
  DimVector collapsed, offsets, map, slice;
  for (int64_t d = 0; d < rank; ++d) slice.push_back(1 + Below(shape.dimensions(d)));
  for (int64_t k = 0; k < indexed; ++k) map.push_back(k);
  if (Chance(25)) random_.Shuffle(map);
  for (int64_t d = 0; d < rank; ++d) {
    if (slice[d] == 1 && Chance(60)) {
      collapsed.push_back(d);
    } else {
      offsets.push_back(static_cast<int64_t>(offsets.size()) + 1);
      update_sizes.push_back(slice[d]);
    }
  }
  const bool vector = Chance(75) || indexed != 1;
  Op indices = Like(Shape::Array(PrimitiveType::S32, vector ? DimVector{count, indexed} : DimVector{count}));
  if (Chance(50)) {
    GatherAttributes a;
    a.offset_dims = offsets, a.collapsed_slice_dims = collapsed, a.start_index_map = map, a.index_vector_dim = 1,
    a.slice_sizes = slice;
    return Make(HloOpcode::kGather, {x, indices}, a);
  }
  ScatterAttributes a;
  a.update_window_dims = offsets, a.inserted_window_dims = collapsed, a.scatter_dims_to_operand_dims = map,
  a.index_vector_dim = 1;
  const PrimitiveType type = shape.element_type();
  HloComputation* combine = Binary(ReducerOpcode(type), type);
  return Make(HloOpcode::kScatter, {x, indices, Like(Shape::Array(type, update_sizes))}, a, {combine});
}

RandomOps::Op RandomOps::Whole() {
  Op x = Floating();
  if (x->shape().rank() < 2 || x->shape().ElementCount() == 0) return nullptr;
  const int64_t last = x->shape().rank() - 1;
  const Shape feature = Shape::Array(x->shape().element_type(), {x->shape().dimensions(last)});
  switch (Below(5)) {
    case 3: {
      PrimitiveType type =
          Pick({PrimitiveType::U32, PrimitiveType::U8, PrimitiveType::U64, PrimitiveType::S16, PrimitiveType::F32});
      if (portable_ && !IsUnsigned(type)) type = PrimitiveType::U32;  // see docs/findings.md
      const Shape bits = Shape::Array(type, RandomSizes());
      Op state = DenseConstant(Shape::Array(PrimitiveType::U64, {2 + Below(2)}));
      const Shape both = Shape::Tuple({state->shape(), bits});
      const auto algorithm = static_cast<RandomAlgorithm>(Below(3));
      if (state->shape().dimensions(0) == 3 && algorithm == RandomAlgorithm::kRngThreeFry) return nullptr;
      return Elements(Make(HloOpcode::kRngBitGenerator, {state}, RngBitGeneratorAttributes{algorithm}, {}, &both));
    }
    case 4:
      return x->shape().dimensions(last) == x->shape().dimensions(last - 1)
                 ? Make(HloOpcode::kCholesky, {x}, CholeskyAttributes{Chance(60)})
                 : nullptr;
    case 0:
      return Make(HloOpcode::kBatchNormInference, {x, Like(feature), Like(feature), Like(feature), Like(feature)},
                  BatchNormAttributes{0.5f, last});
    case 1:
      // Excludes large numbers, whose squares overflow in one engine and not in another that computes in a wider type.
      x = Make(HloOpcode::kClamp, {Constant(feature.element_type(), -100), x, Constant(feature.element_type(), 100)});
      if (x == nullptr) return nullptr;
      return Elements(
          Make(HloOpcode::kBatchNormTraining, {x, Like(feature), Like(feature)}, BatchNormAttributes{0.5f, last}));
    default: {
      const int64_t n = x->shape().dimensions(last);
      if (x->shape().dimensions(last - 1) != n) return nullptr;
      TriangularSolveAttributes a;
      a.left_side = Chance(50), a.lower = Chance(50), a.unit_diagonal = Chance(30);
      a.transpose_a = Chance(50) ? TransposeA::kNoTranspose : TransposeA::kTranspose;
      return Make(HloOpcode::kTriangularSolve, {x, Like(x->shape())}, a);
    }
  }
}

RandomOps::Op RandomOps::StochasticConvert() {
  Op x = Floating();
  const int bits = BitWidth(x->shape().element_type());
  if (bits < 16) return nullptr;
  const PrimitiveType random = bits == 16 ? PrimitiveType::U16 : bits == 32 ? PrimitiveType::U32 : PrimitiveType::U64;
  const Shape shape =
      Shape::Array(Pick({PrimitiveType::S8, PrimitiveType::S32, PrimitiveType::S16}), x->shape().dimensions());
  return Make(HloOpcode::kStochasticConvert, {x, Like(x->shape().WithElementType(random))}, NoAttributes(), {}, &shape);
}

RandomOps::Op RandomOps::AnyBroadcast(Op x) {
  const int64_t rank = x->shape().rank(), added = Below(2);
  DimVector dimensions, sizes(static_cast<size_t>(rank + added), 1 + Below(3));
  for (int64_t d = 0; d < rank + added; ++d) dimensions.push_back(d);
  random_.Shuffle(dimensions);
  dimensions.resize(static_cast<size_t>(rank));
  for (int64_t d = 0; d < rank; ++d) sizes[dimensions[d]] = x->shape().dimensions(d);
  const Shape shape = Shape::Array(x->shape().element_type(), sizes);
  return Make(HloOpcode::kBroadcast, {x}, DimensionsAttributes{dimensions}, {}, &shape);
}

RandomOps::Op RandomOps::SliceByList(Op x) {
  Op starts = Like(Shape::Array(PrimitiveType::S32, {x->shape().rank()}));
  DimVector sizes;
  for (int64_t size : x->shape().dimensions()) sizes.push_back(size == 0 ? 0 : 1 + Below(size));
  if (Chance(50)) return Make(HloOpcode::kDynamicSlice, {x, starts}, DynamicSliceAttributes{sizes});
  return Make(HloOpcode::kDynamicUpdateSlice, {x, Like(Shape::Array(x->shape().element_type(), sizes)), starts});
}

RandomOps::Op RandomOps::Scan(Op x) {
  const Shape& shape = x->shape();
  if (shape.rank() == 0) return nullptr;
  const int64_t along = Below(shape.rank());
  DimVector sizes = shape.dimensions();
  sizes.erase(sizes.begin() + along);
  const Shape slice = Shape::Array(shape.element_type(), sizes);
  if (slice.ElementCount() > options_.most_elements) return nullptr;
  const bool tuple = Chance(80), carries = tuple && Chance(80);
  Begin("step");
  Op element = Parameter(slice);
  Op sum = Make(shape.element_type() == PrimitiveType::PRED ? HloOpcode::kXor : HloOpcode::kAdd,
                {element, carries ? Parameter(slice) : element});
  computation()->set_root(carries ? computation()->AddTuple(Ops{Chance(50) ? element : sum, sum})
                          : tuple ? computation()->AddTuple(Ops{sum})
                                  : sum);
  HloComputation* step = computation();
  frames_.pop_back();
  Ops operands{x};
  if (carries) operands.push_back(Like(slice));
  Op scan = Make(HloOpcode::kScan, operands, ScanAttributes{{along}, carries ? 1 : 0, Chance(30), false}, {step});
  return tuple ? Elements(scan) : scan;
}

RandomOps::Op RandomOps::Best(Op x) {
  const Shape& shape = x->shape();
  const PrimitiveType type = shape.element_type();
  const int64_t last = shape.rank() - 1;
  if (last < 0 || !(IsInteger(type) || IsFloat(type)) || shape.dimensions(last) == 0) return nullptr;
  const bool total = IsFloat(type) && Chance(70);
  Ops operands{total ? WithoutNan(x) : x};
  std::vector<PrimitiveType> types{type};
  if (Chance(50)) {
    const Shape places = Shape::Array(PrimitiveType::S32, shape.dimensions());
    operands.push_back(Make(HloOpcode::kIota, {}, IotaAttributes{last}, {}, &places));
    types.push_back(PrimitiveType::S32);
  }
  HloComputation* order =
      MakeComparator(module_, Chance(50) ? ComparisonDirection::kGt : ComparisonDirection::kLt, types);
  if (total) order->root()->mutable_attributes<CompareAttributes>().type = ComparisonType::kFloatTotalOrder;
  Op sorted = Make(HloOpcode::kSort, operands, SortAttributes{{last}, true}, {order});
  if (sorted == nullptr) return nullptr;
  SliceRanges ranges;
  for (int64_t size : shape.dimensions()) ranges.push_back({0, size, 1});
  ranges[static_cast<size_t>(last)].limit = 1 + Below(shape.dimensions(last));
  Op best = sorted;
  for (int64_t k = 0; k < static_cast<int64_t>(operands.size()); ++k) {
    Op array =
        operands.size() == 1 ? sorted : Make(HloOpcode::kGetTupleElement, {sorted}, GetTupleElementAttributes{k});
    best = Make(HloOpcode::kSlice, {array}, SliceAttributes{ranges});
  }
  return best;
}

RandomOps::Op RandomOps::OtherConvolution() {
  const PrimitiveType type = Pick({PrimitiveType::F32, PrimitiveType::S32, PrimitiveType::PRED});
  const int64_t spatial = Chance(70) ? 1 : 4, groups = 1 + Below(3);
  ConvolutionAttributes a;  // [batch, spatial…, feature] and [spatial…, input feature, output feature]
  DimVector input{1 + Below(2)}, kernel;
  for (int64_t d = 0; d < spatial; ++d) {
    WindowDimension w;
    const int64_t size = spatial == 1 || Chance(40) ? 1 + Below(4) : 1;
    w.size = 1 + Below(std::min<int64_t>(size, 2));
    if (Chance(15)) w.padding_low = 1;
    input.push_back(size), kernel.push_back(w.size);
    a.window.push_back(w);
    a.dim_labels.input_spatial.push_back(1 + d), a.dim_labels.kernel_spatial.push_back(d),
        a.dim_labels.output_spatial.push_back(1 + d);
  }
  a.dim_labels.input_feature = a.dim_labels.output_feature = 1 + spatial;
  a.dim_labels.kernel_input_feature = spatial, a.dim_labels.kernel_output_feature = spatial + 1;
  const int64_t features = 1 + Below(2);
  if (Chance(50)) {
    a.feature_group_count = groups;
    input.push_back(features * groups);
  } else {
    a.batch_group_count = groups;
    input[0] *= groups;
    input.push_back(features);
  }
  kernel.push_back(features), kernel.push_back(groups * (1 + Below(2)));
  const Shape result = Shape::Array(type, {});
  return Make(HloOpcode::kConvolution, {Like(Shape::Array(type, input)), Like(Shape::Array(type, kernel))}, a, {},
              &result);
}

RandomOps::Op RandomOps::Batched(Op x) {
  const Shape& shape = x->shape();
  if (shape.rank() < 2) return nullptr;
  const int64_t batch = shape.dimensions(0), count = 1 + Below(3);
  DimVector slice{1, 1}, window, update{batch, count};
  for (int64_t d = 2; d < shape.rank(); ++d) {
    slice.push_back(1 + Below(shape.dimensions(d)));
    window.push_back(d), update.push_back(slice[static_cast<size_t>(d)]);
  }
  const bool vector = Chance(60);
  Op indices = Like(Shape::Array(Chance(80) ? PrimitiveType::S32 : PrimitiveType::U8,
                                 vector ? DimVector{batch, count, 1} : DimVector{batch, count}));
  if (Chance(50)) {
    GatherAttributes a;
    a.offset_dims = window, a.collapsed_slice_dims = {1}, a.start_index_map = {1},
    a.operand_batching_dims = a.start_indices_batching_dims = {0};
    a.index_vector_dim = 2, a.slice_sizes = slice;
    return Make(HloOpcode::kGather, {x, indices}, a);
  }
  ScatterAttributes a;
  a.update_window_dims = window, a.inserted_window_dims = {1}, a.scatter_dims_to_operand_dims = {1};
  a.input_batching_dims = a.scatter_indices_batching_dims = {0}, a.index_vector_dim = 2;
  const PrimitiveType type = shape.element_type();
  HloComputation* combine = Binary(ReducerOpcode(type), type);
  return Make(HloOpcode::kScatter, {x, indices, Like(Shape::Array(type, update))}, a, {combine});
}

}  // namespace hloir::fuzz
