// Converter: collectives, and the ops of Shardy, which XLA represents by custom calls and frontend attributes. See
// convert.h.
#include <algorithm>

#include "convert.h"
#include "hloir/custom_call.h"
#include "hloir/parser.h"

namespace hloir::stablehlo {
namespace {

// "<@mesh, …>" and "#sdy.sharding<@mesh, …>" as an element of a sharding_per_value.
std::string_view WithoutPrefix(std::string_view text, std::string_view prefix) {
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  return text;
}

std::string PerValue(std::string_view text) {
  return text.starts_with("#sdy.sharding_per_value") ? std::string(text) : Format("#sdy.sharding_per_value<{}>", text);
}

}  // namespace

Status Converter::ShardedResults(const Operation& main, Scope& scope, std::vector<Op>& results, Op& root) const {
  const Attribute* list = main.Find("res_attrs");
  if (list == nullptr || list->elements.size() != results.size()) return OkStatus();
  HloBuilder& b = scope.builder;
  std::vector<std::optional<Sharding>> shardings(results.size());
  bool any = false;
  for (size_t i = 0; i < results.size(); ++i) {
    const Attribute* attribute = list->elements[i].Find("sdy.sharding");
    if (const Attribute* sharding = list->elements[i].Find("mhlo.sharding")) {
      StatusOr<Sharding> parsed = GspmdSharding(sharding->text);
      if (!parsed.ok()) return ErrorAt(source_, list->elements[i].offset, "unsupported sharding");
      shardings[i] = *std::move(parsed);
    }
    any |= attribute != nullptr || shardings[i].has_value();
    if (attribute == nullptr) continue;
    HLOIR_RETURN_IF_ERROR(CheckAxes(attribute->source));
    shardings[i] = ShardingOf(attribute->source);
    CustomCallAttributes a;
    a.custom_call_target = TargetOf(CustomCall::kSdyFuncResultSharding);
    a.custom_call_has_side_effect = true;
    Shape shape = results[i]->shape();
    if (shape.IsArray()) shape.set_layout(Layout::MajorToMinor(shape.rank()));
    results[i] = b.Make(HloOpcode::kCustomCall, {results[i]}, a, {}, &shape);
    if (results[i] == nullptr) return b.status();
    results[i]->set_frontend_attributes(
        {{"xla.sdy.sharding",
          Format("#sdy.sharding_per_value<[{}]>", WithoutPrefix(attribute->source, "#sdy.sharding"))}});
  }
  if (!any) return OkStatus();
  // As in XLA: a single result passes through a tuple; several results each have an unused reshape.
  root = b.Tuple(HloBuilder::Ops(results));
  if (root == nullptr) return b.status();
  if (results.size() == 1) {
    if (const Sharding* own = results[0]->sharding()) {
      Sharding of_one;
      of_one.kind = Sharding::Kind::kTuple;
      of_one.tuple_elements.push_back(*own);
      root->set_sharding(of_one);
    }
    root = b.GetTupleElement(root, 0);
    if (root != nullptr && shardings[0].has_value()) root->set_sharding(*shardings[0]);
    return OkStatus();
  }
  Sharding tuple;
  tuple.kind = Sharding::Kind::kTuple;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i]->shape().IsArray() && !as_written_) {
      Op unused = b.Reshape(results[i], results[i]->shape().dimensions());
      if (unused != nullptr && shardings[i].has_value()) unused->set_sharding(*shardings[i]);
    }
    tuple.tuple_elements.push_back(shardings[i].value_or(Sharding()));
  }
  root->set_sharding(tuple);
  return OkStatus();
}

Status Converter::Channel(const Operation& op, OptionalInt64& channel) const {
  if (const Attribute* handle = op.Find("channel_handle")) {
    const Attribute* number = handle->Find("handle");
    if (number == nullptr) return Missing(op, "channel_handle");
    if (number->integer > 0) channel = number->integer;
  } else if (op.Find("channel_id") != nullptr) {
    int64_t number = 0;
    HLOIR_RETURN_IF_ERROR(Int(op, "channel_id", number));
    if (number > 0) channel = number;
  }
  return OkStatus();
}

// Shorter groups are filled up with -1.
Status Converter::Groups(const Operation& op, ReplicaGroups& groups) const {
  HLOIR_RETURN_IF_ERROR(Rows(op, "replica_groups", groups.groups));
  for (auto& group : groups.groups) std::erase(group, -1);
  std::erase_if(groups.groups, [](const auto& group) { return group.empty(); });
  return OkStatus();
}

// The participating devices, for collectives that can name devices.
template <class Attributes>
Status Converter::Participants(const Operation& op, Attributes& a) const {
  HLOIR_RETURN_IF_ERROR(Channel(op, a.channel_id));
  HLOIR_RETURN_IF_ERROR(Groups(op, a.replica_groups));
  return Bool(op, "use_global_device_ids", a.use_global_device_ids);
}

// Several operands pass through a tuple, as in XLA; so do the results.
std::vector<Op> Converter::ThroughTuple(std::vector<Op> operands, HloBuilder& b) const {
  if (operands.size() < 2 || as_written_) return operands;
  Op tuple = b.Tuple(HloBuilder::Ops(operands));
  for (size_t i = 0; i < operands.size(); ++i) operands[i] = b.GetTupleElement(tuple, static_cast<int64_t>(i));
  return operands;
}

Shape Converter::ShapeOfResults(const Operation& op) {
  if (op.results.size() == 1) return op.results[0]->shape();
  std::vector<Shape> shapes;
  for (const Value* value : op.results) shapes.push_back(value->shape());
  return Shape::Tuple(std::move(shapes));
}

Status Converter::AllGather(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(std::vector<Op> operands, Operands(op, scope));
  AllGatherAttributes a;
  int64_t dimension = 0;
  HLOIR_RETURN_IF_ERROR(Int(op, "all_gather_dim", dimension));
  HLOIR_RETURN_IF_ERROR(Participants(op, a));
  a.dimensions = {dimension};
  if (operands.empty() || op.results.size() != operands.size()) return Error(op, "has a result for each operand");
  operands = ThroughTuple(std::move(operands), scope.builder);
  const Shape shape = ShapeOfResults(op);
  return SetAll(op, scope, scope.builder.Make(HloOpcode::kAllGather, HloBuilder::Ops(operands), a, {}, &shape));
}

Status Converter::AllReduce(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(std::vector<Op> operands, Operands(op, scope));
  AllReduceAttributes a;
  HLOIR_RETURN_IF_ERROR(Participants(op, a));
  HLOIR_ASSIGN_OR_RETURN(HloComputation * body, RegionComputation(op, 0));
  if (op.results.empty()) return Error(op, "has no result");
  operands = ThroughTuple(std::move(operands), scope.builder);
  const Shape shape = ShapeOfResults(op);
  return SetAll(op, scope,
                scope.builder.Make(HloOpcode::kAllReduce, HloBuilder::Ops(operands), a,
                                   std::span<HloComputation* const>(&body, 1), &shape));
}

Status Converter::ReduceScatter(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  ReduceScatterAttributes a;
  int64_t dimension = 0;
  HLOIR_RETURN_IF_ERROR(Int(op, "scatter_dimension", dimension));
  HLOIR_RETURN_IF_ERROR(Participants(op, a));
  a.dimensions = {dimension};
  HLOIR_ASSIGN_OR_RETURN(HloComputation * body, RegionComputation(op, 0));
  if (op.results.size() != 1) return Error(op, "has one result");
  return Set(op, scope,
             scope.builder.Make(HloOpcode::kReduceScatter, HloBuilder::Ops(operands), a,
                                std::span<HloComputation* const>(&body, 1), &op.results[0]->shape()));
}

// HLO's all-to-all splits and concatenates along one dimension; for different dimensions, XLA adds a transpose.
Status Converter::AllToAll(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  AllToAllAttributes a;
  int64_t split = 0, concat = 0, count = 0;
  HLOIR_RETURN_IF_ERROR(Int(op, "split_dimension", split));
  HLOIR_RETURN_IF_ERROR(Int(op, "concat_dimension", concat));
  HLOIR_RETURN_IF_ERROR(Int(op, "split_count", count));
  HLOIR_RETURN_IF_ERROR(Channel(op, a.channel_id));
  HLOIR_RETURN_IF_ERROR(Groups(op, a.replica_groups));
  HloBuilder& b = scope.builder;
  if (operands.empty() || operands.size() != op.results.size()) return Error(op, "has a result for each operand");
  const Shape& shape = operands[0]->shape();
  if (operands.size() > 1) {  // already split, a part in each
    const Shape all = ShapeOfResults(op);
    return SetAll(op, scope, b.Make(HloOpcode::kAllToAll, HloBuilder::Ops(operands), a, {}, &all));
  }
  a.dimensions = {split};
  if (split < 0 || split >= shape.rank() || concat < 0 || concat >= shape.rank() || count < 1 ||
      shape.dimensions(split) % count != 0)
    return Error(op, "its dimensions do not fit its operand");
  Op made = b.Make(HloOpcode::kAllToAll, HloBuilder::Ops(operands), a, {}, &shape);
  if (split == concat) return Set(op, scope, made);
  b.Constant({static_cast<int32_t>(count)});  // unused, as in XLA
  DimVector sizes, permutation;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (i == split) sizes.push_back(count), sizes.push_back(shape.dimensions(i) / count);
    else sizes.push_back(shape.dimensions(i));
  }
  const int64_t concat_at = concat > split ? concat + 1 : concat;
  for (int64_t i = 0; i < static_cast<int64_t>(sizes.size()); ++i) {
    if (i == split) continue;
    if (i == concat_at) permutation.push_back(split);
    permutation.push_back(i);
  }
  return Set(op, scope,
             b.Reshape(b.Transpose(b.Reshape(made, sizes), permutation), op.results[0]->shape().dimensions()));
}

Status Converter::CollectivePermute(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  CollectivePermuteAttributes a;
  HLOIR_RETURN_IF_ERROR(Channel(op, a.channel_id));
  std::vector<std::vector<int64_t>> pairs;
  HLOIR_RETURN_IF_ERROR(Rows(op, "source_target_pairs", pairs));
  for (const auto& pair : pairs) {
    if (pair.size() != 2) return Missing(op, "source_target_pairs");
    a.source_target_pairs.emplace_back(pair[0], pair[1]);
  }
  if (operands.size() != 1 || op.results.size() != 1) return Error(op, "has one operand and one result");
  return Set(
      op, scope,
      scope.builder.Make(HloOpcode::kCollectivePermute, HloBuilder::Ops(operands), a, {}, &op.results[0]->shape()));
}

Status Converter::CollectiveBroadcast(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  CollectiveBroadcastAttributes a;
  HLOIR_RETURN_IF_ERROR(Channel(op, a.channel_id));
  HLOIR_RETURN_IF_ERROR(Groups(op, a.replica_groups));
  if (operands.size() != 1 || op.results.size() != 1) return Error(op, "has one operand and one result");
  return Set(
      op, scope,
      scope.builder.Make(HloOpcode::kCollectiveBroadcast, HloBuilder::Ops(operands), a, {}, &op.results[0]->shape()));
}

Status Converter::ShardingConstraint(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  const Attribute* sharding = op.Find("sharding");
  if (sharding == nullptr || operands.size() != 1 || op.results.size() != 1) return Missing(op, "sharding");
  HLOIR_RETURN_IF_ERROR(CheckAxes(sharding->source));
  CustomCallAttributes a;
  a.custom_call_target = TargetOf(CustomCall::kSharding);
  a.custom_call_has_side_effect = sharding->source.find("unreduced=") != std::string_view::npos;
  Op made = scope.builder.Make(HloOpcode::kCustomCall, HloBuilder::Ops(operands), a, {}, &op.results[0]->shape());
  if (made != nullptr) {
    made->set_frontend_attributes({{"xla.sdy.sharding", Format("#sdy.sharding_per_value<[{}]>",
                                                               WithoutPrefix(sharding->source, "#sdy.sharding"))}});
    if (const std::optional<Sharding> known = ShardingOf(sharding->source)) made->set_sharding(*known);
  }
  return Set(op, scope, made);
}

// A call between two custom calls that convert full arrays to shards and back.
Status Converter::ManualComputation(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  if (op.regions.size() != 1) return Error(op, "has one region");
  const auto text = [&](std::string_view name) {
    const Attribute* attribute = op.Find(name);
    return attribute == nullptr ? std::string_view() : attribute->source;
  };
  const std::string_view axes_text = text("manual_axes");
  for (std::string_view which : {"in_shardings", "out_shardings"}) HLOIR_RETURN_IF_ERROR(CheckAxes(text(which)));
  const std::string axes =
      axes_text.starts_with('#') ? std::string(axes_text) : Format("#sdy<manual_axes{}>", axes_text);
  HloBuilder& b = scope.builder;
  const size_t outer = manual_axes_.size();
  for (std::string_view rest = axes_text; rest.find('"') != std::string_view::npos;) {
    rest.remove_prefix(rest.find('"') + 1);
    const std::string axis(rest.substr(0, rest.find('"')));
    rest.remove_prefix(std::min(axis.size() + 1, rest.size()));
    if (std::find(manual_axes_.begin(), manual_axes_.end(), axis) != manual_axes_.end())
      return Error(op, Format("axis \"{}\" is manual in a sdy.manual_computation around it, too", axis));
    manual_axes_.push_back(axis);
  }
  HLOIR_ASSIGN_OR_RETURN(HloComputation * body, RegionComputation(op, 0));
  manual_axes_.resize(outer);
  body->set_name("xla.sdy.manual_computation_body");
  const auto reshaped = [&](hloir::CustomCall target, std::span<const Op> values, std::vector<Shape> shapes,
                            std::string_view which) {
    CustomCallAttributes a;
    a.custom_call_target = TargetOf(target);
    a.custom_call_has_side_effect = true;
    const size_t count = shapes.size();
    const Shape shape = count == 1 ? shapes[0] : Shape::Tuple(std::move(shapes));
    Op made = b.Make(HloOpcode::kCustomCall, HloBuilder::Ops(values.data(), values.size()), a, {}, &shape);
    if (made != nullptr) {
      made->set_frontend_attributes(
          {{Format("xla.sdy.{}", which), PerValue(text(which))}, {"xla.sdy.manual_axes", axes}});
      FrontendAttributes sorted = made->extras().frontend_attributes;
      std::sort(sorted.begin(), sorted.end());
      made->set_frontend_attributes(std::move(sorted));
    }
    std::vector<Op> parts;
    if (count == 1) parts.push_back(made);
    for (size_t i = 0; count != 1 && i < count; ++i) parts.push_back(b.GetTupleElement(made, static_cast<int64_t>(i)));
    return parts;
  };
  std::vector<Shape> inside, outside;
  for (const Value* argument : op.regions[0].arguments) inside.push_back(argument->shape());
  for (const Value* result : op.results) outside.push_back(result->shape());
  std::vector<Op> arguments = operands;
  if (!inside.empty())
    arguments = reshaped(CustomCall::kSdyGlobalToLocalShape, operands, std::move(inside), "in_shardings");
  Op call = b.Call(body, HloBuilder::Ops(arguments));
  if (call == nullptr) return Set(op, scope, call);
  std::vector<Op> results;
  const Op before = call->prev();
  if (!call->shape().IsTuple()) results.push_back(call);
  for (int64_t i = 0; call->shape().IsTuple() && i < call->shape().tuple_size(); ++i)
    results.push_back(b.GetTupleElement(call, i));
  for (Op i = before == nullptr ? call : before->next(); i != nullptr; i = i->next())
    i->set_frontend_attributes({{"inlineable", "false"}});
  if (outside.empty()) return OkStatus();
  const std::vector<Op> made =
      reshaped(CustomCall::kSdyLocalToGlobalShape, results, std::move(outside), "out_shardings");
  for (size_t i = 0; i < op.results.size(); ++i) HLOIR_RETURN_IF_ERROR(Set(op, scope, made[i], i));
  return OkStatus();
}

}  // namespace hloir::stablehlo
