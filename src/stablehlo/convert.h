// Converter: MLIR's tree to HLO's graph, function by function. The ops are in ops.cc (StableHLO), chlo.cc (ops that XLA
// expands), transfers.cc and parallel.cc (collectives, shardings); this header has their common parts.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hloir/builder.h"
#include "hloir/module.h"
#include "parser/flat_map.h"
#include "mlir.h"
#include "support/format.h"

namespace hloir::stablehlo {

using Op = HloInstruction*;

// A computation under construction: the instruction of each value.
struct Scope {
  Scope(HloModule& module, std::string_view name) : builder(module, name) {}
  HloBuilder builder;
  FlatMap<const Value*, Op> values;
  // One of each value, by hash.
  struct Known {
    Shape shape;
    Literal literal;
    Op op;
  };
  std::unordered_map<size_t, std::vector<Known>> constants;
};

// The constant of this shape with these elements, or one element for all; created once.
Op SharedConstant(Scope& scope, const Shape& shape, const Literal& literal);

class Converter {
 public:
  // `as_written`: each op becomes the instruction of its name, without what XLA's converter adds, shares or drops.
  Converter(const Module& source, HloModule& module, bool as_written)
      : source_(source), lines_(*source.text), module_(module), as_written_(as_written) {}
  Status Convert();
  // True if the converter supports the op's name in StableHLO: "add", "chlo.erf".
  static bool Knows(std::string_view name);

 private:
  using Emit = Status (Converter::*)(const Operation&, Scope&);
  static const std::unordered_map<std::string_view, Emit>& Table();

  Status Error(const Operation& op, std::string_view message) const {
    return ErrorAt(source_, op.offset, Format("{}: {}", op.name, message));
  }
  Status Unsupported(const Operation& op, std::string_view message) const {
    return ErrorAt(source_, op.offset, message, StatusCode::kUnimplemented);
  }
  Status Missing(const Operation& op, std::string_view attribute) const {
    return Error(op, Format("has no attribute '{}', or not as it must be", attribute));
  }

  // Functions and regions.
  Status ModuleAttributes();
  static void AddFrontendAttributes(const Attribute& dictionary, FrontendAttributes& to);
  Status EntryAttributes(const Operation& main);
  StatusOr<HloComputation*> Function(std::string_view name, const Operation& from);
  StatusOr<HloComputation*> FunctionBody(const Operation& function, std::string_view name, bool is_entry);
  Status Body(const Operation& owner, const Region& region, Scope& scope, std::vector<Op>& results);
  // As written, regions with one label and the same content are one computation; `made` is a new one.
  HloComputation* Shared(const Region& region, HloComputation* made);
  static bool HasLabel(const Region& region) { return !region.label.empty() && !region.label.starts_with("bb"); }
  std::string RegionName(const Region& region) const;
  // A region as a computation of its block's arguments, one parameter each.
  StatusOr<HloComputation*> RegionComputation(const Operation& op, size_t region);
  // A region as a computation of one parameter: the block's arguments and `captured`, as a tuple unless there is
  // exactly one. `pass_on`: captured values are also results. `outside`: what is passed, whose sizes are known where
  // the types leave them open.
  StatusOr<HloComputation*> TupledRegion(const Operation& op, size_t region, std::span<const Value* const> captured,
                                         bool pass_on, std::span<const Op> outside);
  // Outside values used in regions, except constants, in the order of their first use.
  std::vector<const Value*> Captured(const Operation& op, size_t first_region, size_t last_region) const;
  Status Emit1(const Operation& op, Scope& scope);
  Emit EmitOf(OpName name);

  // Values.
  StatusOr<Op> Get(const Value* value, const Operation& user, Scope& scope);
  Op Constant(const Operation& op, Scope& scope);
  // Null after an error of the builder's, which `Set` reports.
  Status Set(const Operation& op, Scope& scope, Op made, size_t result = 0);
  // One result, or a tuple's elements.
  Status SetAll(const Operation& op, Scope& scope, Op made);
  StatusOr<std::vector<Op>> Operands(const Operation& op, Scope& scope);
  static Op TupleUnlessOne(HloBuilder& b, std::span<const Op> values);
  std::vector<Op> ThroughTuple(std::vector<Op> operands, HloBuilder& b) const;
  static Shape ShapeOfResults(const Operation& op);  // a tuple, if they are not one

  // Reads attributes. Absent ones leave the value unchanged.
  Status Ints(const Operation& op, std::string_view name, DimVector& values) const;
  Status Int(const Operation& op, std::string_view name, int64_t& value) const;
  Status Bool(const Operation& op, std::string_view name, bool& value) const;
  Status Rows(const Operation& op, std::string_view name, std::vector<std::vector<int64_t>>& rows) const;
  Status EntryInts(const Operation& op, const Attribute& dictionary, std::string_view name, DimVector& values) const;
  template <class E>
  Status Word(const Operation& op, std::string_view name, E& value) const;
  std::string_view Text(const Operation& op, std::string_view name) const;  // of a string, symbol or word; "" for none
  Status Precision(const Operation& op, PrecisionList& list) const;
  Status Channel(const Operation& op, OptionalInt64& channel) const;
  Status Groups(const Operation& op, ReplicaGroups& groups) const;
  template <class Attributes>
  Status Participants(const Operation& op, Attributes& a) const;
  Status Annotate(const Operation& op, Op last_before, Scope& scope);
  void SetMetadata(const Operation& op, Op instruction) const;

  // ops.cc
  Status Simple(const Operation&, Scope&);
  Status ConstantOp(const Operation&, Scope&);
  Status Iota(const Operation&, Scope&);
  Status BroadcastInDim(const Operation&, Scope&);
  Status Broadcast(const Operation&, Scope&);
  Status Reshape(const Operation&, Scope&);
  Status Transpose(const Operation&, Scope&);
  Status Reverse(const Operation&, Scope&);
  Status Concatenate(const Operation&, Scope&);
  Status Slice(const Operation&, Scope&);
  Status DynamicSlice(const Operation&, Scope&);
  Status Pad(const Operation&, Scope&);
  Status Gather(const Operation&, Scope&);
  Status Scatter(const Operation&, Scope&);
  Status Select(const Operation&, Scope&);
  Status Compare(const Operation&, Scope&);
  Status Convert(const Operation&, Scope&);
  Status Clamp(const Operation&, Scope&);
  Status ReducePrecision(const Operation&, Scope&);
  Status Dot(const Operation&, Scope&);
  Status Convolution(const Operation&, Scope&);
  Status Reduce(const Operation&, Scope&);
  Status ReduceWindow(const Operation&, Scope&);
  Status SelectAndScatter(const Operation&, Scope&);
  Status Map(const Operation&, Scope&);
  Status Sort(const Operation&, Scope&);
  Status Fft(const Operation&, Scope&);
  Status Cholesky(const Operation&, Scope&);
  Status TriangularSolve(const Operation&, Scope&);
  Status BatchNorm(const Operation&, Scope&);
  Status Rng(const Operation&, Scope&);
  Status RngBitGenerator(const Operation&, Scope&);
  Status Tuple(const Operation&, Scope&);
  Status GetTupleElement(const Operation&, Scope&);
  Status DimensionSize(const Operation&, Scope&);
  Status AfterAll(const Operation&, Scope&);
  Status OptimizationBarrier(const Operation&, Scope&);
  Status Call(const Operation&, Scope&);
  Status Composite(const Operation&, Scope&);
  Status While(const Operation&, Scope&);
  Status Conditional(const Operation&, Scope&);
  Status CustomCall(const Operation&, Scope&);
  // transfers.cc
  Status Transfer(const Operation& op, TransferAttributes& a, FrontendAttributes& pairs) const;
  Status Infeed(const Operation&, Scope&);
  Status Outfeed(const Operation&, Scope&);
  Status Send(const Operation&, Scope&);
  Status Recv(const Operation&, Scope&);
  // chlo.cc
  Status Chlo(const Operation&, Scope&);
  Status TopK(const Operation&, Scope&);
  Status RaggedDot(const Operation&, Scope&);
  Status ApproxTopK(const Operation&, const Attribute& config, Scope&);
  // parallel.cc
  Status AllGather(const Operation&, Scope&);
  Status AllReduce(const Operation&, Scope&);
  Status ReduceScatter(const Operation&, Scope&);
  Status AllToAll(const Operation&, Scope&);
  Status CollectivePermute(const Operation&, Scope&);
  Status CollectiveBroadcast(const Operation&, Scope&);
  Status ShardingConstraint(const Operation&, Scope&);
  Status ManualComputation(const Operation&, Scope&);
  // shardings.cc: converts `#sdy.sharding<@mesh, [{"x"}, {}]>` to XLA's HLO sharding; nullopt if it is not supported.
  std::optional<Sharding> ShardingOf(std::string_view sdy) const;
  std::vector<std::optional<Sharding>> ShardingsPerValue(std::string_view text) const;
  // An error if this part of the module's text, Shardy's, names a mesh or an axis that the module has not.
  Status CheckAxes(std::string_view sdy) const;
  // The results of main with layouts; with Shardy, each through a custom call that states the layout.
  Status ShardedResults(const Operation& main, Scope& scope, std::vector<Op>& results, Op& root) const;

  static constexpr int kMaxCallDepth = 256;

  const Module& source_;
  const LineIndex lines_;
  std::vector<std::string> manual_axes_;  // of the manual computations around the op
  HloModule& module_;
  const bool as_written_;
  std::unordered_map<std::string_view, const Operation*> functions_;
  std::unordered_map<std::string_view, HloComputation*> lowered_;  // null: being made
  std::unordered_map<std::string, HloComputation*> regions_;       // of which Shared knows
  int depth_ = 0, copies_ = 0;
  std::vector<std::optional<Emit>> emits_;  // by OpKind::index; null: there is none
};

// The text of an mhlo.sharding; an empty one is replicated.
StatusOr<Sharding> GspmdSharding(std::string_view text);

// The simplifications of XLA's converter: see simplify.cc. Removes dead ops.
void Simplify(Module& module);

template <class E>
Status Converter::Word(const Operation& op, std::string_view name, E& value) const {
  const Attribute* attribute = op.Find(name);
  if (attribute == nullptr) return OkStatus();
  for (size_t i = 0; i < EnumWords<E>().size(); ++i) {
    if (EnumWords<E>()[i] == attribute->text) return value = static_cast<E>(i), OkStatus();
  }
  return Missing(op, name);
}

}  // namespace hloir::stablehlo
