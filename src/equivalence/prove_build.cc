// Modules as terms: opcodes that move data or call computations. See prove_terms.h.
#include <algorithm>
#include <set>
#include <utility>

#include "analysis/trip_count.h"
#include "equivalence/prove_algebra.h"
#include "equivalence/prove_terms.h"
#include "hloir/cost.h"
#include "hloir/custom_call.h"
#include "ir/mixed_floats.h"
#include "support/format.h"

namespace hloir::equivalence {
namespace {

constexpr int kMostDepth = 64;                           // nested calls
constexpr int64_t kMaxBuiltElements = int64_t{1} << 40;  // elements of an array, so that no stride overflows

DimVector SizesAt(const Shape& shape, std::span<const int64_t> places) {
  DimVector sizes;
  for (int64_t d : places) sizes.push_back(shape.dimensions(d));
  return sizes;
}
int64_t Product(std::span<const int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}
std::span<const int64_t> Span(const DimVector& v) { return {v.data(), v.size()}; }
std::vector<int64_t> Zeros(int64_t n) { return std::vector<int64_t>(static_cast<size_t>(n), 0); }
std::vector<int64_t> Ones(int64_t n) { return std::vector<int64_t>(static_cast<size_t>(n), 1); }

// The dimensions that are in neither list, in order.
std::vector<int64_t> Others(int64_t rank, const DimVector& a, const DimVector& b = {}) {
  std::vector<int64_t> others;
  for (int64_t d = 0; d < rank; ++d) {
    if (std::find(a.begin(), a.end(), d) == a.end() && std::find(b.begin(), b.end(), d) == b.end()) others.push_back(d);
  }
  return others;
}
std::vector<int64_t> Inverse(std::span<const int64_t> permutation) {
  std::vector<int64_t> inverse(permutation.size());
  for (size_t k = 0; k < permutation.size(); ++k)
    inverse[static_cast<size_t>(permutation[k])] = static_cast<int64_t>(k);
  return inverse;
}

bool IsElementOf(const Term* t, int64_t index) {
  return t->kind == Term::Kind::kOp && t->opcode == HloOpcode::kGetTupleElement && t->data[0] == index;
}

bool ById(const Term* a, const Term* b) { return a->id < b->id; }

// Returns whether a term is a loop, or an operation that may have one inside.
bool MayNotEnd(const Term* t) {
  if (t->kind != Term::Kind::kOp) return false;
  return t->opcode == HloOpcode::kWhile || t->opcode == HloOpcode::kConditional ||
         (t->like != nullptr &&
          std::any_of(t->like->called_computations().begin(), t->like->called_computations().end(),
                      [](const HloComputation* called) { return MayLoop(*called); }));
}

// Returns whether `i` is a custom-call that annotates and returns its operand.
bool Forwards(const HloInstruction& i) {
  return i.opcode() == HloOpcode::kCustomCall && i.operand_count() > 0 && ForwardedOperands(i) == 1 &&
         i.operand(0)->shape().Compatible(i.shape());
}

bool IsEffect(const HloInstruction& i) {
  return i.Is(kImpure) || i.Is(kSideEffect) ||
         (i.opcode() == HloOpcode::kCustomCall && i.HasSideEffect() && !Forwards(i));
}

// Returns whether each device is the only one of its group in a collective that then returns its operand.
bool CommunicatesAlone(const HloInstruction& i) {
  using enum HloOpcode;
  const HloOpcode opcode = i.opcode();
  if (opcode != kAllReduce && opcode != kAllGather && opcode != kReduceScatter && opcode != kAllToAll) return false;
  const StatusOr<std::vector<std::vector<int64_t>>> named = DeviceGroups(i);
  if (!named.ok() || named->empty()) return false;
  const DeviceCounts devices = DeviceCountsOf(*i.parent()->module());
  const auto groups = MeetingGroups(i, devices.replicas, devices.partitions);
  return groups.ok() && !groups->empty() &&
         std::all_of(groups->begin(), groups->end(), [](const auto& group) { return group.size() == 1; });
}

}  // namespace

std::optional<std::vector<int64_t>> DataOfElementwise(const HloInstruction& i) {
  using enum HloOpcode;
  if (!i.Is(kElementwise) || !i.shape().IsArray() || i.operand_count() == 0) return std::nullopt;
  switch (i.opcode()) {
    case kCopy: return std::nullopt;
    case kCompare: {
      const CompareAttributes& compare = i.attributes<CompareAttributes>();
      return std::vector{static_cast<int64_t>(compare.direction), static_cast<int64_t>(compare.type)};
    }
    case kReducePrecision: {
      const ReducePrecisionAttributes& format = i.attributes<ReducePrecisionAttributes>();
      return std::vector{format.exponent_bits, format.mantissa_bits};
    }
    case kBitcastConvert:
      if (!i.operand(0)->shape().SameDimensions(i.shape())) return std::nullopt;
      return std::vector<int64_t>();
    default: return std::vector<int64_t>();  // no attributes
  }
}

// A computation whose values are recorded.
struct Terms::Inside {
  Records& records;
  std::vector<int32_t> arguments;  // their records
  int32_t root = -1;
};

const Term* Terms::Of(const HloModule& module, Records* records) {
  why_.clear();
  if (module.entry_computation() == nullptr) {
    why_ = "the module has no entry computation";
    return nullptr;
  }
  effects_.clear();
  std::set<std::string_view> elided;
  for (const HloInstruction* i : module.AllInstructions()) {
    std::string_view what;
    if (!i->shape().IsStatic()) what = "has dynamic sizes";
    else if (i->IsConstant() && i->literal().elided() && !elided.insert(i->name()).second)
      what = "has elided values and the name of another such constant";
    else if (i->shape().IsArray() && i->shape().ElementCount() > kMaxBuiltElements) what = "is too large";
    if (what.empty()) continue;
    why_ = Format("{} {}", i->name(), what);
    return nullptr;
  }
  const Term* result = nullptr;
  if (records != nullptr) {
    Inside inside{*records, {}};
    Operands parameters;
    for (const HloInstruction* parameter : module.entry_computation()->parameters()) {
      parameters.push_back(Parameter(parameter->parameter_number(), parameter->shape()));
      inside.arguments.push_back(static_cast<int32_t>(records->all.size()));
      records->all.push_back({parameter, {}, parameters.back()});
    }
    result = Build(*module.entry_computation(), parameters, 0, &inside);
    records->root = inside.root;
  } else {
    result = Body(*module.entry_computation(), 0);
  }
  if (!effects_.empty()) {
    // Modules are equal if their effects are, too, in order.
    std::vector<Shape> shapes{result->shape};
    for (const Term* effect : effects_) shapes.push_back(effect->shape);
    Operands all = std::exchange(effects_, {});
    all.insert(all.begin(), result);
    result = Op(HloOpcode::kTuple, Shape::Tuple(std::move(shapes)), std::move(all));
  }
  return why_.empty() ? result : nullptr;
}

// An operation with an effect, or whose result depends on more than its operands: its number in the order of all is a
// part of it.
const Term* Terms::Effect(const HloInstruction& i, const Operands& x, int depth) {
  if (nested_ > 0 && why_.empty()) why_ = Format("{} is not a function of its operands alone", i.name());
  Operands operands = x;
  for (const HloComputation* called : i.called_computations()) operands.push_back(Nested(*called, depth + 1));
  effects_.push_back(Op(i.opcode(), i.shape(), std::move(operands), {static_cast<int64_t>(effects_.size())}, &i));
  return effects_.back();
}

// The operation as a function of its operands, its attributes and the computations that it calls.
const Term* Terms::Opaque(const HloInstruction& i, const Operands& x, int depth) {
  Operands operands = x;
  for (const HloComputation* called : i.called_computations()) operands.push_back(Nested(*called, depth + 1));
  // A choice by a converted predicate is one by the predicate: the first branch is that of false.
  const Term* const condition = i.opcode() == HloOpcode::kConditional && x.size() == 3 ? ConditionOf(x[0]) : nullptr;
  if (condition != nullptr) {
    operands[0] = condition;
    std::swap(operands[1], operands[2]);
    std::swap(operands[3], operands[4]);
  }
  return Op(i.opcode(), i.shape(), std::move(operands), {}, &i);
}

// The body of a computation that does not run exactly once: it has no effects.
const Term* Terms::Nested(const HloComputation& computation, int depth) {
  ++nested_;
  const Term* body = Body(computation, depth);
  --nested_;
  return body;
}

const Term* Terms::Body(const HloComputation& computation, int depth) {
  if (const auto found = bodies_.find(&computation); found != bodies_.end()) return found->second;
  Operands parameters;
  for (const HloInstruction* parameter : computation.parameters())
    parameters.push_back(Parameter(parameter->parameter_number(), parameter->shape()));
  const Term* result = Build(computation, parameters, depth);
  return bodies_[&computation] = result;
}

// Adds a record, and replaces the value by the one that is assumed equal, if any. Other shapes of the value are equal,
// too.
int32_t Terms::AddRecord(const HloInstruction& i, std::vector<int32_t> operands, Records& records, const Term*& term) {
  const auto place = static_cast<int32_t>(records.all.size());
  const auto as_vector = [&](const Term* t) { return Reshape(t, {t->shape.ElementCount()}); };
  if (const auto found = records.assumed.find(place); found != records.assumed.end()) {
    if (i.shape().IsArray()) records.instead[as_vector(term)] = as_vector(found->second);
    term = found->second;
  } else if (i.shape().IsArray() && !records.instead.empty()) {
    const auto same = records.instead.find(as_vector(term));
    if (same != records.instead.end()) term = Reshape(same->second, i.shape().dimensions());
  }
  records.all.push_back({&i, std::move(operands), term});
  return place;
}

const Term* Terms::Build(const HloComputation& computation, std::span<const Term* const> arguments, int depth,
                         Inside* inside) {
  std::unordered_map<const HloInstruction*, const Term*> terms;
  std::unordered_map<const HloInstruction*, int32_t> places;
  if (depth > kMostDepth && why_.empty()) why_ = "calls are nested too deeply";
  if (!why_.empty()) return Op(HloOpcode::kTuple, Shape::Tuple({}), {});
  for (const HloInstruction* i : computation.PostOrder()) {
    if (i->IsParameter()) {
      terms[i] = arguments[static_cast<size_t>(i->parameter_number())];
      if (inside != nullptr) places[i] = inside->arguments[static_cast<size_t>(i->parameter_number())];
      continue;
    }
    Operands operands;
    for (const HloInstruction* operand : i->operands()) operands.push_back(terms[operand]);
    if (inside == nullptr) {
      terms[i] = Of(*i, operands, depth);
    } else {
      Inside called{inside->records, {}};
      for (const HloInstruction* operand : i->operands()) called.arguments.push_back(places[operand]);
      terms[i] = Of(*i, operands, depth, &called);
      places[i] =
          called.root >= 0 ? called.root : AddRecord(*i, std::move(called.arguments), inside->records, terms[i]);
    }
    if (Spent()) return terms[i];
  }
  if (inside != nullptr) inside->root = places[computation.root()];
  return terms[computation.root()];
}

const Term* Terms::Element(const Term* tuple, int64_t index) {
  if (!why_.empty()) return tuple;  // the computation was not read to its end
  if (tuple->kind == Term::Kind::kOp && tuple->opcode == HloOpcode::kTuple)
    return tuple->operands[static_cast<size_t>(index)];
  if (tuple->kind == Term::Kind::kOp && tuple->opcode == HloOpcode::kWhile) {
    // Carried values that each iteration leaves unchanged.
    const Term *initial = tuple->operands[0], *body = tuple->operands[2];
    if (body->kind == Term::Kind::kOp && body->opcode == HloOpcode::kTuple) {
      const Term* next = body->operands[static_cast<size_t>(index)];
      if (next->kind == Term::Kind::kOp && next->opcode == HloOpcode::kGetTupleElement && next->data[0] == index &&
          next->operands[0]->kind == Term::Kind::kParameter)
        return Element(initial, index);
    }
  }
  return Op(HloOpcode::kGetTupleElement, tuple->shape.tuple_shapes(index), {tuple}, {index});
}

const Term* Terms::OfBitcast(const HloInstruction& i, const Operands& x) {
  const Shape from = i.operand(0)->shape().WithDefaultLayout(), to = i.shape().WithDefaultLayout();
  const auto is_plain = [](const Shape& shape) {
    return !shape.layout().has_extras() || shape.layout().extras().tiles.empty();
  };
  if (!from.IsArray() || from.element_type() != to.element_type() || from.ElementCount() != to.ElementCount() ||
      !is_plain(from) || !is_plain(to)) {
    // A bitcast to another type, or of tiles, depends on the order of the bytes.
    std::vector<int64_t> order;
    for (const Shape* shape : {&from, &to}) {
      if (!shape->IsArray()) continue;
      order.insert(order.end(), shape->layout().minor_to_major().begin(), shape->layout().minor_to_major().end());
      if (is_plain(*shape)) continue;
      for (const Tile& tile : shape->layout().extras().tiles) {
        order.push_back(-1);
        order.insert(order.end(), tile.dimensions.begin(), tile.dimensions.end());
      }
    }
    return Op(i.opcode(), i.shape(), x, std::move(order));
  }
  std::vector<int64_t> in_memory(from.layout().minor_to_major().begin(), from.layout().minor_to_major().end());
  std::reverse(in_memory.begin(), in_memory.end());
  std::vector<int64_t> wanted(to.layout().minor_to_major().begin(), to.layout().minor_to_major().end());
  std::reverse(wanted.begin(), wanted.end());
  return Transpose(Reshape(Transpose(x[0], in_memory), SizesAt(to, wanted)), Inverse(wanted));
}

// Each result is selected from those of the branches. If one of these has a loop of its own, which need not end in the
// branch that is not taken, the choice is a conditional.
const Term* Terms::OfConditional(const HloInstruction& i, const Operands& x, int depth) {
  const auto branches = i.called_computations();
  const Shape& index = i.operand(0)->shape();
  const bool is_predicate = index.element_type() == PrimitiveType::PRED;
  const auto branch = [&](size_t k) { return Build(*branches[k], std::span(&x[k + 1], 1), depth + 1); };
  if (const std::optional<int64_t> known = SplatInteger(x[0])) {
    const int64_t count = static_cast<int64_t>(branches.size());
    return branch(static_cast<size_t>(is_predicate                    ? (*known != 0 ? 0 : 1)
                                      : *known >= 0 && *known < count ? *known
                                                                      : count - 1));
  }
  const std::vector<const Shape*> leaves = i.shape().Leaves();
  const bool arrays = std::all_of(leaves.begin(), leaves.end(), [](const Shape* leaf) { return leaf->IsArray(); }) &&
                      (i.shape().IsArray() || leaves.size() == static_cast<size_t>(i.shape().tuple_size()));
  if (!arrays) return Opaque(i, x, depth);
  const bool may_loop =
      std::any_of(branches.begin(), branches.end(), [](const auto* called) { return MayLoop(*called); });
  const std::vector<const Term*> outside = may_loop ? PartsOf(x) : Operands();
  // The last branch is taken for every index that has no other.
  Operands results;
  for (size_t k = branches.size(); k-- > 0;) {
    ++nested_;
    const Term* result = branch(k);
    --nested_;
    const Term* taken = is_predicate ? x[0]
                                     : Compare(Shape::Scalar(PrimitiveType::PRED),
                                               {x[0], SplatOf(x[0]->shape, static_cast<int64_t>(k))},
                                               {static_cast<int64_t>(ComparisonDirection::kEq), 0});
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      const Term* value = i.shape().IsArray() ? result : Element(result, static_cast<int64_t>(leaf));
      if (results.size() <= leaf) {
        results.push_back(value);
        continue;
      }
      const Term* const other = results[leaf];
      const std::vector<const Term*> parts = may_loop ? PartsOf(Operands{value, other}) : Operands();
      if (value == other || std::none_of(parts.begin(), parts.end(), [&](const Term* part) {
            return MayNotEnd(part) && !std::binary_search(outside.begin(), outside.end(), part, ById);
          })) {
        results[leaf] = Elementwise(HloOpcode::kSelect, leaves[leaf]->element_type(),
                                    {Broadcast(taken, leaves[leaf]->dimensions(), {}), value, other});
      } else {
        const bool negated = IsNegated(taken);
        results[leaf] = Op(HloOpcode::kConditional, *leaves[leaf],
                           {negated ? Not(taken) : taken, negated ? other : value, negated ? value : other});
      }
    }
  }
  return i.shape().IsArray() ? results[0] : Op(HloOpcode::kTuple, i.shape(), std::move(results));
}

const Term* Terms::OfDot(const HloInstruction& i, const Operands& x) {
  const DotAttributes& dot = i.attributes<DotAttributes>();
  // Reshapes each side to the three dimensions [batch, free, contracted].
  const Term* sides[2];
  DimVector kept = SizesAt(x[0]->shape, Span(dot.lhs_batch_dims));
  DimVector result{Product(Span(kept))};
  for (size_t side : {0, 1}) {
    const DimVector& batch = side == 0 ? dot.lhs_batch_dims : dot.rhs_batch_dims;
    const DimVector& contracting = side == 0 ? dot.lhs_contracting_dims : dot.rhs_contracting_dims;
    const std::vector<int64_t> free = Others(x[side]->shape.rank(), batch, contracting);
    std::vector<int64_t> order(batch.begin(), batch.end());
    order.insert(order.end(), free.begin(), free.end());
    order.insert(order.end(), contracting.begin(), contracting.end());
    const DimVector sizes = SizesAt(x[side]->shape, free);
    for (int64_t size : sizes) kept.push_back(size);
    result.push_back(Product(Span(sizes)));
    sides[side] = Reshape(Transpose(x[side], order),
                          {result[0], result.back(), Product(Span(SizesAt(x[side]->shape, Span(contracting))))});
  }
  std::vector<int64_t> data{static_cast<int64_t>(dot.algorithm)};
  for (const auto precision : dot.operand_precision) data.push_back(static_cast<int64_t>(precision));
  const bool swap = dot.operand_precision.empty() && dot.algorithm == DotAlgorithm::kUnset &&
                    sides[0]->shape.element_type() == sides[1]->shape.element_type() && sides[0]->id > sides[1]->id;
  if (swap) std::swap(sides[0], sides[1]), std::swap(result[1], result[2]);
  const Term* product =
      Op(HloOpcode::kDot, Shape::Array(i.shape().element_type(), result), {sides[0], sides[1]}, std::move(data));
  if (swap) product = Transpose(product, std::vector<int64_t>{0, 2, 1});
  return Reshape(product, kept);
}

// Padding before and after the elements of one dimension is a concatenation.
const Term* Terms::PadWith(const Term* t, const Term* value, int64_t d, int64_t low, int64_t high) {
  const auto filling = [&](int64_t count) {
    DimVector sizes = t->shape.dimensions();
    sizes[static_cast<size_t>(d)] = count;
    return Broadcast(value, sizes, {});
  };
  Operands parts;
  if (low > 0) parts.push_back(filling(low));
  parts.push_back(t);
  if (high > 0) parts.push_back(filling(high));
  return Concatenate(std::move(parts), d);
}

const Term* Terms::OfPad(const HloInstruction& i, const Operands& x) {
  const PaddingConfig& padding = i.attributes<PadAttributes>().padding;
  const Term* result = x[0];
  int64_t d = 0;
  for (const PaddingDimension& dimension : padding) {
    // Nothing lies between the elements of a dimension with fewer than two.
    if (dimension.interior != 0 && x[0]->shape.dimensions(d) > 1) return Op(i.opcode(), i.shape(), x, {}, &i);
    ++d;
  }
  d = 0;
  for (const PaddingDimension& dimension : padding) {
    const int64_t size = result->shape.dimensions(d);
    if (dimension.low < 0 || dimension.high < 0) {
      std::vector<int64_t> start = Zeros(result->shape.rank());
      DimVector sizes = result->shape.dimensions();
      start[static_cast<size_t>(d)] = std::max<int64_t>(0, -dimension.low);
      sizes[static_cast<size_t>(d)] =
          size - std::max<int64_t>(0, -dimension.low) - std::max<int64_t>(0, -dimension.high);
      if (sizes[static_cast<size_t>(d)] < 0) return Op(i.opcode(), i.shape(), x, {}, &i);
      result = Slice(result, start, Ones(result->shape.rank()), sizes);
    }
    result = PadWith(result, x[1], d++, dimension.low, dimension.high);
  }
  return result;
}

std::vector<std::optional<int64_t>> Terms::ClampStarts(Operands& starts, const DimVector& whole,
                                                       const DimVector& sizes) {
  std::vector<std::optional<int64_t>> known;
  for (size_t d = 0; d < whole.size(); ++d) {
    std::optional<int64_t>& start = known.emplace_back(SplatInteger(starts[d]));
    if (whole[d] == sizes[d]) start = 0;
    if (!start) continue;
    if (IsUnsigned(starts[d]->shape.element_type()) && *start < 0) *start = INT64_MAX;
    *start = std::clamp<int64_t>(*start, 0, whole[d] - sizes[d]);
    // All constant starts get the same type, since the value does not depend on it.
    starts[d] = SplatOf(Shape::Scalar(PrimitiveType::S64), *start);
  }
  return known;
}

const Term* Terms::DynamicUpdateSlice(const Term* t, const Term* update, Operands starts) {
  const DimVector& sizes = update->shape.dimensions();
  const DimVector whole = t->shape.dimensions();
  if (sizes == whole) return update;
  const std::vector<std::optional<int64_t>> known = ClampStarts(starts, whole, sizes);
  std::vector<int64_t> cut;  // the dimensions that the update does not fill
  for (size_t d = 0; d < whole.size(); ++d)
    if (sizes[d] != whole[d]) cut.push_back(static_cast<int64_t>(d));
  if (cut.size() == 1 && known[static_cast<size_t>(cut[0])]) {
    const size_t d = static_cast<size_t>(cut[0]);
    const auto part = [&](int64_t from, int64_t size) {
      std::vector<int64_t> begin = Zeros(t->shape.rank());
      DimVector all = whole;
      begin[d] = from, all[d] = size;
      return Slice(t, begin, Ones(t->shape.rank()), all);
    };
    Operands parts{update};
    const int64_t start = *known[d], end = start + sizes[d];
    if (start > 0) parts.insert(parts.begin(), part(0, start));
    if (end < whole[d]) parts.push_back(part(end, whole[d] - end));
    return Concatenate(std::move(parts), cut[0]);
  }
  starts.insert(starts.begin(), {t, update});
  return Op(HloOpcode::kDynamicUpdateSlice, t->shape, std::move(starts), {sizes.begin(), sizes.end()});
}

const Term* Terms::OfDynamicSlice(const HloInstruction& i, const Operands& x) {
  const bool is_slice = i.opcode() == HloOpcode::kDynamicSlice;
  Operands starts(x.begin() + (is_slice ? 1 : 2), x.end());
  if (static_cast<int64_t>(starts.size()) != x[0]->shape.rank()) return Op(i.opcode(), i.shape(), x, {}, &i);
  return is_slice ? DynamicSlice(x[0], std::move(starts), i.shape().dimensions())
                  : DynamicUpdateSlice(x[0], x[1], std::move(starts));
}

// The start of the only window of a gather or scatter in each dimension of the array; 0 where `map` has no index.
Terms::Operands Terms::StartsOfWindow(const Term* indices, const DimVector& map, int64_t rank) {
  Operands starts(static_cast<size_t>(rank), SplatOf(Shape::Scalar(PrimitiveType::S64), 0));
  const Term* vector = Reshape(indices, {indices->shape.ElementCount()});
  int64_t at = 0;
  for (int64_t d : map) {
    const int64_t begin[] = {at++}, step[] = {1};
    starts[static_cast<size_t>(d)] = Reshape(Slice(vector, begin, step, {1}), {});
  }
  return starts;
}

// A scatter of one window is a dynamic-update-slice, which writes the old values if the window is out of bounds.
const Term* Terms::OfScatter(const HloInstruction& i, const Operands& x, int depth) {
  const ScatterAttributes& scatter = i.attributes<ScatterAttributes>();
  const HloInstruction& combiner = *i.to_apply()->root();
  const bool replaces = combiner.IsParameter() && combiner.parameter_number() == 1;
  const auto is_parameter = [&](int64_t k) {
    return combiner.operand(k)->IsParameter() && combiner.operand(k)->parameter_number() == k;
  };
  const bool combines =
      combiner.Is(kElementwise) && combiner.operand_count() == 2 && is_parameter(0) && is_parameter(1);
  const PrimitiveType type = x[0]->shape.element_type();
  DimVector sizes;
  size_t at = 0;
  for (int64_t d = 0; x.size() == 3 && d < x[0]->shape.rank(); ++d) {
    const auto& inserted = scatter.inserted_window_dims;
    const bool is_inserted = std::find(inserted.begin(), inserted.end(), d) != inserted.end();
    if (!is_inserted && at == scatter.update_window_dims.size()) break;
    sizes.push_back(is_inserted ? 1 : x[2]->shape.dimensions(scatter.update_window_dims[at++]));
  }
  if (x.size() != 3 || !(replaces || combines) || !scatter.input_batching_dims.empty() ||
      combiner.shape().element_type() != type || x[2]->shape.element_type() != type ||
      static_cast<int64_t>(sizes.size()) != x[0]->shape.rank() || sizes.empty() ||
      x[2]->shape.ElementCount() != Product(Span(sizes)) || x[2]->shape.ElementCount() == 0)
    return Opaque(i, x, depth);
  const PrimitiveType index_type = x[1]->shape.element_type();
  const Shape scalar = Shape::Scalar(index_type), pred = Shape::Scalar(PrimitiveType::PRED);
  const Term* inside = SplatOf(pred, 1);
  const auto also = [&](ComparisonDirection direction, const Term* a, const Term* b) {
    const Term* test = Compare(pred, {a, b}, {static_cast<int64_t>(direction), 0});
    inside = Elementwise(HloOpcode::kAnd, PrimitiveType::PRED, {inside, test});
  };
  Operands starts = StartsOfWindow(x[1], scatter.scatter_dims_to_operand_dims, x[0]->shape.rank());
  const int bits = WidthOfTerm(index_type) - (IsSigned(index_type) ? 1 : 0);
  for (int64_t d : scatter.scatter_dims_to_operand_dims) {
    const Term* start = starts[static_cast<size_t>(d)];
    const int64_t room = x[0]->shape.dimensions(d) - sizes[static_cast<size_t>(d)];
    if (room < 0) return Opaque(i, x, depth);
    if (IsSigned(index_type)) also(ComparisonDirection::kGe, start, SplatOf(scalar, 0));
    if (bits >= 63 || room >> bits == 0) also(ComparisonDirection::kLe, start, SplatOf(scalar, room));
  }
  const Term* before = DynamicSlice(x[0], starts, sizes);
  const Term* after = Reshape(x[2], sizes);
  if (combines) after = Elementwise(combiner.opcode(), type, {before, after});
  return DynamicUpdateSlice(x[0], Elementwise(HloOpcode::kSelect, type, {Broadcast(inside, sizes, {}), after, before}),
                            std::move(starts));
}

// A gather of one slice is a dynamic-slice. A gather whose starts are all clamped to 0 repeats one slice.
const Term* Terms::OfGather(const HloInstruction& i, const Operands& x) {
  const GatherAttributes& gather = i.attributes<GatherAttributes>();
  const auto spans = [&](int64_t d) { return gather.slice_sizes[d] == x[0]->shape.dimensions(d); };
  if (gather.operand_batching_dims.empty() &&
      std::all_of(gather.start_index_map.begin(), gather.start_index_map.end(), spans)) {
    const int64_t rank = x[0]->shape.rank();
    const Term* slice = Slice(x[0], Zeros(rank), Ones(rank), gather.slice_sizes);
    const std::vector<int64_t> kept = Others(rank, gather.collapsed_slice_dims);
    return Broadcast(Reshape(slice, SizesAt(slice->shape, kept)), i.shape().dimensions(), gather.offset_dims);
  }
  if (i.shape().ElementCount() != Product(Span(gather.slice_sizes)) || i.shape().ElementCount() == 0)
    return Op(i.opcode(), i.shape(), x, {}, &i);
  Operands starts = StartsOfWindow(x[1], gather.start_index_map, x[0]->shape.rank());
  return Reshape(DynamicSlice(x[0], std::move(starts), gather.slice_sizes), i.shape().dimensions());
}

// Dimensions in the order batch, feature, spatial; of the kernel output features, input features, spatial.
const Term* Terms::OfConvolution(const HloInstruction& i, const Operands& x) {
  const ConvolutionAttributes& conv = i.attributes<ConvolutionAttributes>();
  if (conv.convolution_kind != ConvolutionKind::kUnset || conv.sparsity_config != SparsityConfig())
    return Op(i.opcode(), i.shape(), x, {}, &i);
  const ConvDimensionNumbers& labels = conv.dim_labels;
  const auto order = [](int64_t first, int64_t second, const DimVector& spatial) {
    std::vector<int64_t> all{first, second};
    all.insert(all.end(), spatial.begin(), spatial.end());
    return all;
  };
  const std::vector<int64_t> output = order(labels.output_batch, labels.output_feature, labels.output_spatial);
  std::vector<int64_t> data{conv.feature_group_count, conv.batch_group_count, static_cast<int64_t>(conv.algorithm)};
  for (const WindowDimension& w : conv.window) {
    data.insert(data.end(), {w.size, w.stride, w.padding_low, w.padding_high, w.base_dilation, w.window_dilation,
                             w.window_reversal ? 1 : 0});
  }
  for (const auto precision : conv.operand_precision) data.push_back(static_cast<int64_t>(precision));
  Operands operands = x;
  operands[0] = Transpose(x[0], order(labels.input_batch, labels.input_feature, labels.input_spatial));
  operands[1] =
      Transpose(x[1], order(labels.kernel_output_feature, labels.kernel_input_feature, labels.kernel_spatial));
  const Term* result = Op(i.opcode(), Shape::Array(i.shape().element_type(), SizesAt(i.shape(), output)),
                          std::move(operands), std::move(data));
  return Transpose(result, Inverse(output));
}

const Term* Terms::Of(const HloInstruction& i, const Operands& x, int depth, Inside* inside) {
  using enum HloOpcode;
  const Shape& shape = i.shape();
  if (IsEffect(i)) return Effect(i, x, depth);
  if (MixesFloats(i)) {
    legalized_.push_back(LegalizedMixedFloats(i));
    return Build(*legalized_.back()->entry_computation(), x, depth + 1);
  }
  if (const Term* folded = OfConstants(i, x)) return folded;
  if (shape.IsArray() && shape.ElementCount() == 0) return Constant(Literal(shape.WithDefaultLayout()));
  if (const std::optional<std::vector<int64_t>> data = DataOfElementwise(i)) {
    Operands same = x;
    for (const Term*& operand : same) {
      // A select or clamp may have scalars beside arrays.
      if (operand->shape.IsScalar()) operand = Broadcast(operand, shape.dimensions(), {});
    }
    return Elementwise(i.opcode(), shape.element_type(), std::move(same), *data);
  }
  switch (i.opcode()) {
    case kConstant: return OfConstant(i);
    case kIota: {
      const PrimitiveType type = shape.element_type();
      const size_t d = static_cast<size_t>(i.attributes<IotaAttributes>().iota_dimension);
      if (shape.ElementCount() == 1) return SplatOf(shape, 0);
      Term iota;
      iota.kind = Term::Kind::kIota;
      iota.shape = Shape::Scalar(type);
      if (!IsInteger(type) && !IsFloat(type)) break;
      std::vector<int64_t> strides = Zeros(shape.rank());
      strides[d] = 1;
      return View({Make(std::move(iota)), 0, std::move(strides)}, shape.WithoutLayout());
    }
    case kTuple: {
      // A tuple of all elements of another tuple, in order, is that tuple.
      const Term* whole = x.empty() || !IsElementOf(x[0], 0) ? nullptr : x[0]->operands[0];
      for (size_t k = 0; k < x.size() && whole != nullptr; ++k) {
        if (!IsElementOf(x[k], static_cast<int64_t>(k)) || x[k]->operands[0] != whole) whole = nullptr;
      }
      const bool same = whole != nullptr && whole->shape.tuple_size() == static_cast<int64_t>(x.size());
      return same ? whole : Op(kTuple, shape, x);
    }
    case kGetTupleElement: return Element(x[0], i.tuple_index());
    case kCopy:
    case kOptimizationBarrier:
    case kDomain:
    case kAddDependency: return x[0];
    case kCopyDone:
    case kAsyncDone: {
      const Term* start = x[0];
      if (start->kind == Term::Kind::kOp && (start->opcode == kAsyncStart || start->opcode == kCopyStart))
        return start->operands[0];
      break;
    }
    case kAsyncUpdate: return x[0];
    case kCopyStart: return Op(kCopyStart, shape, {x[0]});
    case kCall:
    case kFusion: return Build(*i.called_computation(0), x, depth + 1, inside);
    case kAsyncStart: return Op(kAsyncStart, shape, {Build(*i.called_computation(0), x, depth + 1)});
    case kCustomCall:
      if (Forwards(i)) return x[0];
      break;
    case kConditional: return OfConditional(i, x, depth);
    case kGetDimensionSize: {
      const int64_t d = i.dimensions()[0];
      if (!i.operand(0)->shape().IsStatic()) break;
      return SplatOf(shape, i.operand(0)->shape().dimensions(d));
    }
    case kWhile: return OfWhile(i, x, depth);
    case kBitcast: return OfBitcast(i, x);
    case kReshape: return Reshape(x[0], shape.dimensions());
    case kTranspose: return Transpose(x[0], Span(i.dimensions()));
    case kBroadcast: return Broadcast(x[0], shape.dimensions(), i.dimensions());
    case kReverse: {
      std::vector<int64_t> start = Zeros(shape.rank()), step = Ones(shape.rank());
      for (int64_t d : i.dimensions()) {
        start[static_cast<size_t>(d)] = std::max<int64_t>(0, shape.dimensions(d) - 1);
        step[static_cast<size_t>(d)] = -1;
      }
      return Slice(x[0], start, step, shape.dimensions());
    }
    case kSlice: {
      std::vector<int64_t> start, step;
      for (const SliceRange& range : i.attributes<SliceAttributes>().slice) {
        start.push_back(range.start);
        step.push_back(range.stride);
      }
      return Slice(x[0], start, step, shape.dimensions());
    }
    case kConcatenate: return Concatenate(x, i.dimensions()[0]);
    case kPad: return OfPad(i, x);
    case kDynamicSlice:
    case kDynamicUpdateSlice: return OfDynamicSlice(i, x);
    case kDot: return OfDot(i, x);
    case kConvolution: return OfConvolution(i, x);
    case kGather: return OfGather(i, x);
    case kScatter: return OfScatter(i, x, depth);
    case kReduce:
      if (x.size() == 2) return OfReduce(i, x, depth);
      break;
    case kReduceWindow: return OfReduceWindow(i, x, depth);
    case kMap: return OfMap(i, x, depth);
    case kSort: return OfSort(i, x, depth);
    default:
      if (CommunicatesAlone(i) && x.size() == 1 && x[0]->shape.Compatible(shape.WithoutLayout())) return x[0];
      break;
  }
  return Opaque(i, x, depth);
}

}  // namespace hloir::equivalence
