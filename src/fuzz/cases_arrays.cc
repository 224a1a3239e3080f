// Cases of operations that move elements. See case_maker.h.
#include <algorithm>

#include "fuzz/case_maker.h"

namespace hloir::fuzz {
namespace {

using Op = CaseMaker::Op;

constexpr std::initializer_list<PrimitiveType> kIndexTypes = {
    PrimitiveType::S32, PrimitiveType::S64, PrimitiveType::U32, PrimitiveType::S8,
    PrimitiveType::U8,  PrimitiveType::S16, PrimitiveType::U16, PrimitiveType::U64};

}  // namespace

Op CaseMaker::Movement(Case& result) {
  const PrimitiveType type = AnyType();
  const DimVector sizes = Sizes(0, 4, 5);
  const int64_t rank = static_cast<int64_t>(sizes.size());
  Op x = In(type, sizes);
  switch (Below(6)) {
    case 0: {
      Name(result, HloOpcode::kBroadcast, type);
      DimVector dimensions, all;
      for (int64_t d = 0; d < rank; ++d) {
        while (Chance(30)) all.push_back(random_.Between(0, 3));
        dimensions.push_back(static_cast<int64_t>(all.size()));
        all.push_back(sizes[static_cast<size_t>(d)]);
      }
      if (Chance(60)) all.push_back(random_.Between(1, 5));
      const Shape shape = Shape::Array(type, all);
      return Make(HloOpcode::kBroadcast, {x}, DimensionsAttributes{dimensions}, {}, &shape);
    }
    case 1: {
      Name(result, HloOpcode::kReshape, type);
      DimVector other;
      for (int64_t size : sizes) {
        if (!other.empty() && Chance(40)) other.back() *= size;
        else if (size == 4 && Chance(50)) other.push_back(2), other.push_back(2);
        else other.push_back(size);
        if (Chance(15)) other.push_back(1);
      }
      const Shape shape = Shape::Array(type, other);
      return Make(HloOpcode::kReshape, {x}, ReshapeAttributes{}, {}, &shape);
    }
    case 2: {
      Name(result, HloOpcode::kTranspose, type);
      DimVector order;
      for (int64_t d = 0; d < rank; ++d) order.push_back(d);
      random_.Shuffle(order);
      return Make(HloOpcode::kTranspose, {x}, DimensionsAttributes{order});
    }
    case 3: {
      Name(result, HloOpcode::kReverse, type);
      DimVector dimensions;
      for (int64_t d = 0; d < rank; ++d)
        if (Chance(50)) dimensions.push_back(d);
      return Make(HloOpcode::kReverse, {x}, DimensionsAttributes{dimensions});
    }
    case 4: {
      if (rank == 0) return nullptr;
      Name(result, HloOpcode::kConcatenate, type);
      const int64_t along = Below(rank);
      Ops parts{x};
      for (int64_t k = Below(4); k > 0; --k) {
        DimVector part = sizes;
        part[static_cast<size_t>(along)] = random_.Between(0, 6);
        parts.push_back(In(type, part));
      }
      return Make(HloOpcode::kConcatenate, parts, DimensionsAttributes{{along}});
    }
    default: {
      Name(result, HloOpcode::kSlice, type);
      SliceRanges ranges;
      for (int64_t size : sizes) {
        const int64_t start = Chance(50) ? 0 : Below(size + 1);
        const int64_t limit = Chance(40) ? size : start + Below(size - start + 1);
        ranges.push_back({start, std::max(limit, start), random_.Between(1, Chance(30) ? 3 : 1)});
      }
      return Make(HloOpcode::kSlice, {x}, SliceAttributes{ranges});
    }
  }
}

Op CaseMaker::Pad(Case& result) {
  const PrimitiveType type = AnyType();
  const DimVector sizes = Sizes(portable_ ? 1 : 0, 3, 6);
  Name(result, HloOpcode::kPad, type);
  PaddingConfig padding;
  for (size_t d = 0; d < sizes.size(); ++d)
    padding.push_back({random_.Between(-3, 3), random_.Between(-3, 3), Chance(50) ? 0 : random_.Between(1, 3)});
  Op x = In(type, sizes);
  return Make(HloOpcode::kPad, {x, In(type, {})}, PadAttributes{padding});
}

Op CaseMaker::DynamicSlice(Case& result) {
  const PrimitiveType type = AnyType(), index = Pick(kIndexTypes);
  const DimVector sizes = Sizes(1, 3, 7);
  DimVector part;
  for (int64_t size : sizes) part.push_back(size == 0 ? 0 : random_.Between(1, size));
  const bool update = Chance(50);
  Name(result, update ? HloOpcode::kDynamicUpdateSlice : HloOpcode::kDynamicSlice, type,
       "index " + std::string(TypeName(index)));
  Ops operands{In(type, sizes)};
  if (update) operands.push_back(In(type, part));
  for (size_t d = 0; d < sizes.size(); ++d)
    operands.push_back(Chance(30) ? In(index, {}) : Integers(index, {}, -3, sizes[d] + 3));
  if (update) return Make(HloOpcode::kDynamicUpdateSlice, operands);
  return Make(HloOpcode::kDynamicSlice, operands, DynamicSliceAttributes{part});
}

// gather and scatter: with windows, collapsed and batching dimensions anywhere, and indices within and outside.
Op CaseMaker::IndexedBy(Case& result, bool scatter) {
  PrimitiveType type = AnyType();
  const PrimitiveType index = Pick(kIndexTypes);
  const DimVector sizes = Sizes(1, 4, 5);
  const int64_t rank = static_cast<int64_t>(sizes.size());
  // The role of each of the operand's dimensions: batching, collapsed, or a window's.
  DimVector batching, collapsed, window, window_sizes, slice, indexed;
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t size = sizes[static_cast<size_t>(d)];
    if (Chance(20)) {
      batching.push_back(d), slice.push_back(1);
      continue;
    }
    if (Chance(40)) {
      collapsed.push_back(d), slice.push_back(1);
    } else {
      const int64_t part = size == 0 ? 0 : random_.Between(Chance(5) ? 0 : 1, size);
      window.push_back(d), window_sizes.push_back(part), slice.push_back(part);
    }
    if (Chance(70)) indexed.push_back(d);
  }
  random_.Shuffle(indexed);
  // The dimensions of indices: batching dimensions, others in any order, and the index vector.
  DimVector index_sizes;
  std::vector<int64_t> of;  // the batching dimension of each, or -1
  for (size_t k = 0; k < batching.size(); ++k) of.push_back(static_cast<int64_t>(k));
  for (int64_t k = Below(3); k > 0; --k) of.push_back(-1);
  random_.Shuffle(of);
  DimVector index_batching(batching.size(), 0);
  for (size_t k = 0; k < of.size(); ++k) {
    if (of[k] >= 0) {
      index_batching[static_cast<size_t>(of[k])] = static_cast<int64_t>(k);
      index_sizes.push_back(sizes[static_cast<size_t>(batching[static_cast<size_t>(of[k])])]);
    } else {
      index_sizes.push_back(random_.Between(1, 4));
    }
  }
  const DimVector outer = index_sizes;
  int64_t vector_dim = static_cast<int64_t>(index_sizes.size());
  if (indexed.size() != 1 || Chance(70)) {
    vector_dim = Below(vector_dim + 1);
    index_sizes.insert(index_sizes.begin() + vector_dim, static_cast<int64_t>(indexed.size()));
    for (int64_t& d : index_batching) d += d >= vector_dim;
  }
  int64_t most = 1;
  for (int64_t size : sizes) most = std::max(most, size);
  Op indices = Chance(15) ? In(index, index_sizes) : Integers(index, index_sizes, -2, Chance(50) ? most : most - 1);
  // The dimensions of the result, or of the updates: outer ones, with those of the window at random positions.
  const int64_t outer_rank = static_cast<int64_t>(outer.size()), window_rank = static_cast<int64_t>(window.size());
  std::vector<bool> is_window(static_cast<size_t>(outer_rank + window_rank));
  for (int64_t k = 0; k < window_rank; ++k) is_window[static_cast<size_t>(outer_rank + k)] = true;
  if (Chance(60)) {
    for (int64_t k = outer_rank + window_rank; k > 1; --k) {
      const size_t a = static_cast<size_t>(k - 1), b = static_cast<size_t>(Below(k));
      const bool kept = is_window[a];
      is_window[a] = is_window[b], is_window[b] = kept;
    }
  }
  DimVector offset_dims, update_sizes;
  int64_t next_outer = 0, next_window = 0;
  for (int64_t k = 0; k < outer_rank + window_rank; ++k) {
    if (is_window[static_cast<size_t>(k)]) {
      offset_dims.push_back(k), update_sizes.push_back(window_sizes[static_cast<size_t>(next_window++)]);
    } else {
      update_sizes.push_back(outer[static_cast<size_t>(next_outer++)]);
    }
  }
  if (!scatter) {
    GatherAttributes a;
    a.offset_dims = offset_dims, a.collapsed_slice_dims = collapsed, a.start_index_map = indexed;
    a.operand_batching_dims = batching, a.start_indices_batching_dims = index_batching;
    a.index_vector_dim = vector_dim, a.slice_sizes = slice;
    Name(result, HloOpcode::kGather, type, "index " + std::string(TypeName(index)));
    return Make(HloOpcode::kGather, {In(type, sizes), indices}, a);
  }
  ScatterAttributes a;
  a.update_window_dims = offset_dims, a.inserted_window_dims = collapsed, a.scatter_dims_to_operand_dims = indexed;
  a.input_batching_dims = batching, a.scatter_indices_batching_dims = index_batching, a.index_vector_dim = vector_dim;
  HloComputation* combine = nullptr;
  std::string how = "replace";
  Values values = Values::kCorners;
  if (Chance(30)) {
    combine = module_.AddComputation("replace");
    combine->AddParameter(0, Shape::Scalar(type), "old");
    combine->set_root(combine->AddParameter(1, Shape::Scalar(type), "new"));
  } else {
    const HloOpcode opcode = Reducer(type);
    how = OpcodeName(opcode);
    values = SumValues(type, opcode, 8, result);
    combine = MakeReducer(module_, opcode, type);
  }
  Name(result, HloOpcode::kScatter, type, how + " index " + std::string(TypeName(index)));
  Op x = In(type, sizes, values);
  if (Chance(85)) return Make(HloOpcode::kScatter, {x, indices, In(type, update_sizes, values)}, a, {combine});
  // Two arrays at once.
  HloComputation* both = module_.AddComputation("both");
  Op p[4];
  for (int64_t k = 0; k < 4; ++k)
    p[k] = both->AddParameter(k, Shape::Scalar(k % 2 == 0 ? type : PrimitiveType::S32), "q" + std::to_string(k));
  Op first = MakeIn(both, HloOpcode::kCall, {p[0], p[2]}, CallAttributes{}, {combine});
  Op second = MakeIn(both, HloOpcode::kAdd, {p[1], p[3]});
  if (first == nullptr) return nullptr;
  both->set_root(both->AddTuple(Ops{first, second}));
  Op y = In(PrimitiveType::S32, sizes), u = In(type, update_sizes, values);
  result.what += " two arrays";
  return AnyElement(Make(HloOpcode::kScatter, {x, y, indices, u, In(PrimitiveType::S32, update_sizes)}, a, {both}));
}

Op CaseMaker::Gather(Case& result) { return IndexedBy(result, /*scatter=*/false); }
Op CaseMaker::Scatter(Case& result) { return IndexedBy(result, /*scatter=*/true); }

Op CaseMaker::Iota(Case& result) {
  const PrimitiveType type = TypeOf(OperandTypes::kNumber);
  if (type == PrimitiveType::F8E8M0FNU) return nullptr;  // it has no 0
  const DimVector sizes = Sizes(1, 3, Chance(20) ? 300 : 9);
  Name(result, HloOpcode::kIota, type);
  const Shape shape = Shape::Array(type, sizes);
  Op iota = Make(HloOpcode::kIota, {}, IotaAttributes{Below(shape.rank())}, {}, &shape);
  return iota;
}

// set-dimension-size, and an operation on an array shorter than its bound.
Op CaseMaker::DynamicSize(Case& result) {
  const PrimitiveType type = TypeOf(OperandTypes::kNumber);
  const DimVector sizes = Sizes(1, 3, 6);
  const int64_t rank = static_cast<int64_t>(sizes.size()), d = Below(rank);
  int64_t terms = 2;
  for (int64_t length : sizes) terms *= length;
  Op x = In(type, sizes, SumValues(type, HloOpcode::kAdd, terms, result));
  Op size = Integers(PrimitiveType::S32, {}, 0, sizes[static_cast<size_t>(d)]);
  Op shorter = Make(HloOpcode::kSetDimensionSize, {x, size}, DimensionsAttributes{{d}});
  if (shorter == nullptr) return nullptr;
  switch (Below(portable_ ? 3 : 4)) {
    case 3: {
      // A flattened dynamic array; summed, because elements past the end are undefined.
      Name(result, HloOpcode::kDynamicReshape, type);
      Op length = entry_->AddConstant(Literal::One(PrimitiveType::S32));
      int64_t most = 1;
      for (int64_t k = 0; k < rank; ++k) {
        Op one = Make(HloOpcode::kGetDimensionSize, {shorter}, DimensionsAttributes{{k}});
        length = Make(HloOpcode::kMultiply, {length, one});
        most *= sizes[static_cast<size_t>(k)];
      }
      Shape line = Shape::Array(type, {most});
      line.set_dynamic_dimension(0, true);
      Op flat = Make(HloOpcode::kDynamicReshape, {shorter, length}, NoAttributes(), {}, &line);
      if (Chance(30)) return Make(HloOpcode::kGetDimensionSize, {flat}, DimensionsAttributes{{0}});
      return Make(HloOpcode::kReduce, {flat, Init(HloOpcode::kAdd, type)}, DimensionsAttributes{{0}},
                  {MakeReducer(module_, HloOpcode::kAdd, type)});
    }
    case 0:
      Name(result, HloOpcode::kGetDimensionSize, type);
      return Make(HloOpcode::kGetDimensionSize, {shorter}, DimensionsAttributes{{Below(rank)}});
    case 1: {
      Name(result, HloOpcode::kSetDimensionSize, type, "reduced over it");
      return Make(HloOpcode::kReduce, {shorter, Init(HloOpcode::kAdd, type)}, DimensionsAttributes{{d}},
                  {MakeReducer(module_, HloOpcode::kAdd, type)});
    }
    default: {
      Name(result, HloOpcode::kSetDimensionSize, type, "doubled and reduced");
      Op twice = Make(HloOpcode::kAdd, {shorter, shorter});
      DimVector all;
      for (int64_t k = 0; k < rank; ++k) all.push_back(k);
      return Make(HloOpcode::kReduce, {twice, Init(HloOpcode::kAdd, type)}, DimensionsAttributes{all},
                  {MakeReducer(module_, HloOpcode::kAdd, type)});
    }
  }
}

}  // namespace hloir::fuzz
