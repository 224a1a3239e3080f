// Converter: collectives, and the ops of Shardy, which XLA carries as custom calls and frontend attributes. See
// convert.h.
#include <algorithm>
#include <charconv>

#include "convert.h"
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

std::optional<Sharding> Converter::ShardingOf(std::string_view sdy) const {
  std::string_view rest = WithoutPrefix(sdy, "#sdy.sharding");
  const size_t comma = rest.find(',');
  if (!rest.starts_with("<@") || comma == std::string_view::npos) return std::nullopt;
  const std::string_view name = rest.substr(2, comma - 2);
  // The mesh's axes: <["x"=2, "y"=4]>.
  std::vector<std::pair<std::string_view, int64_t>> axes;
  for (const Operation* op : source_.root->regions[0].operations) {
    if (op->name != "sdy.mesh" || Text(*op, "sym_name") != name || op->Find("mesh") == nullptr) continue;
    std::string_view mesh = op->Find("mesh")->source;
    if (mesh.find("device_ids") != std::string_view::npos) return std::nullopt;
    for (size_t at = mesh.find('"'); at != std::string_view::npos; at = mesh.find('"')) {
      mesh.remove_prefix(at + 1);
      const size_t end = mesh.find("\"=");
      if (end == std::string_view::npos) return std::nullopt;
      int64_t size = 0;
      std::from_chars(mesh.data() + end + 2, mesh.data() + mesh.size(), size);
      if (size < 1 || size > 1 << 20) return std::nullopt;
      axes.emplace_back(mesh.substr(0, end), size);
      mesh.remove_prefix(end + 2);
    }
  }
  if (axes.empty()) return std::nullopt;
  // The dimensions: [{"a", "c"}, {}].
  rest.remove_prefix(std::min(rest.find('['), rest.size()));
  const size_t close = rest.find(']');
  if (close == std::string_view::npos || rest.substr(close + 1) != ">") return std::nullopt;
  rest = rest.substr(1, close - 1);
  DimVector tiles, order;
  while (!rest.empty()) {
    const size_t open = rest.find('{'), end = rest.find('}');
    if (open == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
    std::string_view dimension = rest.substr(open + 1, end - open - 1);
    rest.remove_prefix(std::min(rest.find('{', end), rest.size()));
    int64_t count = 1;
    while (!dimension.empty()) {
      if (dimension[0] == ',' || dimension[0] == ' ') {
        dimension.remove_prefix(1);
        continue;
      }
      const size_t quote = dimension.find('"', 1);
      if (dimension[0] != '"' || quote == std::string_view::npos) return std::nullopt;  // open, or with a priority
      const std::string_view axis = dimension.substr(1, quote - 1);
      dimension.remove_prefix(quote + 1);
      if (dimension.starts_with(':')) return std::nullopt;  // a part of an axis
      const auto found = std::find_if(axes.begin(), axes.end(), [&](const auto& a) { return a.first == axis; });
      if (found == axes.end()) return std::nullopt;
      order.push_back(found - axes.begin());
      count *= found->second;
    }
    tiles.push_back(count);
  }
  int64_t copies = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (std::find(order.begin(), order.end(), static_cast<int64_t>(i)) != order.end()) continue;
    order.push_back(static_cast<int64_t>(i));
    copies *= axes[i].second;
  }
  if (order.size() != axes.size()) return std::nullopt;
  if (std::all_of(tiles.begin(), tiles.end(), [](int64_t n) { return n == 1; })) return Sharding();
  if (copies > 1) tiles.push_back(copies);
  // Axes that stay side by side are one.
  std::vector<std::pair<int64_t, int64_t>> runs;  // first axis, size
  for (size_t i = 0; i < order.size(); ++i) {
    const int64_t size = axes[static_cast<size_t>(order[i])].second;
    if (i > 0 && order[i] == order[i - 1] + 1) runs.back().second *= size;
    else runs.emplace_back(order[i], size);
  }
  std::vector<std::pair<int64_t, int64_t>> sorted = runs;
  std::sort(sorted.begin(), sorted.end());
  std::string text = "{devices=[", sizes, permutation;
  for (size_t i = 0; i < tiles.size(); ++i) text += Format("{}{}", i == 0 ? "" : ",", tiles[i]);
  for (size_t i = 0; i < runs.size(); ++i) {
    sizes += Format("{}{}", i == 0 ? "" : ",", sorted[i].second);
    permutation += Format("{}{}", i == 0 ? "" : ",", std::find(sorted.begin(), sorted.end(), runs[i]) - sorted.begin());
  }
  text += Format("]<=[{}]", sizes);
  if (runs.size() > 1) text += Format("T({})", permutation);
  StatusOr<Sharding> sharding = ParseSharding(text + (copies > 1 ? " last_tile_dim_replicate}" : "}"));
  return sharding.ok() ? std::optional<Sharding>(*std::move(sharding)) : std::nullopt;
}

Status Converter::ShardedResults(const Operation& main, Scope& scope, std::vector<Op>& results, Op& root) const {
  const Attribute* list = main.Find("res_attrs");
  if (list == nullptr || list->elements.size() != results.size()) return OkStatus();
  HloBuilder& b = scope.builder;
  std::vector<Sharding> shardings;
  bool any = false;
  for (size_t i = 0; i < results.size(); ++i) {
    const Attribute* attribute = list->elements[i].Find("sdy.sharding");
    shardings.emplace_back();
    if (attribute == nullptr) continue;
    any = true;
    if (const std::optional<Sharding> sharding = ShardingOf(attribute->source)) shardings.back() = *sharding;
    CustomCallAttributes a;
    a.custom_call_target = "xla.sdy.FuncResultSharding";
    a.custom_call_has_side_effect = true;
    const Shape shape = results[i]->shape();
    results[i] = b.Make(HloOpcode::kCustomCall, {results[i]}, a, {}, &shape);
    if (results[i] == nullptr) return b.status();
    results[i]->set_frontend_attributes(
        {{"xla.sdy.sharding",
          Format("#sdy.sharding_per_value<[{}]>", WithoutPrefix(attribute->source, "#sdy.sharding"))}});
    if (results.size() == 1) continue;
    Op unused = b.Reshape(results[i], shape.dimensions());  // as XLA has it, for the sharding
    if (unused != nullptr) unused->set_sharding(shardings.back());
  }
  if (!any) return OkStatus();
  root = b.Tuple(HloBuilder::Ops(results));
  if (root == nullptr) return b.status();
  if (results.size() == 1) {
    root = b.GetTupleElement(root, 0);
    if (root != nullptr) root->set_sharding(shardings[0]);
  } else {
    Sharding tuple;
    tuple.kind = Sharding::Kind::kTuple;
    tuple.tuple_elements = std::move(shardings);
    root->set_sharding(tuple);
  }
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

// Who takes part, as the collectives that can name devices say it.
template <class Attributes>
Status Converter::Participants(const Operation& op, Attributes& a) const {
  HLOIR_RETURN_IF_ERROR(Channel(op, a.channel_id));
  HLOIR_RETURN_IF_ERROR(Groups(op, a.replica_groups));
  return Bool(op, "use_global_device_ids", a.use_global_device_ids);
}

Status Converter::AllGather(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  AllGatherAttributes a;
  int64_t dimension = 0;
  HLOIR_RETURN_IF_ERROR(Int(op, "all_gather_dim", dimension));
  HLOIR_RETURN_IF_ERROR(Participants(op, a));
  a.dimensions = {dimension};
  if (operands.size() != 1 || op.results.size() != 1)
    return Unsupported(op, "an all_gather of several arrays is not supported");
  return Set(op, scope,
             scope.builder.Make(HloOpcode::kAllGather, HloBuilder::Ops(operands), a, {}, &op.results[0]->shape));
}

Status Converter::AllReduce(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  AllReduceAttributes a;
  HLOIR_RETURN_IF_ERROR(Participants(op, a));
  HLOIR_ASSIGN_OR_RETURN(HloComputation * body, RegionComputation(op, 0));
  std::vector<Shape> shapes;
  for (const Value* value : op.results) shapes.push_back(value->shape);
  if (shapes.empty()) return Error(op, "has no result");
  const Shape shape = shapes.size() == 1 ? shapes[0] : Shape::Tuple(std::move(shapes));
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
                                std::span<HloComputation* const>(&body, 1), &op.results[0]->shape));
}

// HLO's all-to-all splits and joins along one dimension; where they differ, XLA moves the parts by a transpose.
Status Converter::AllToAll(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  if (operands.size() != 1 || op.results.size() != 1)
    return Unsupported(op, "an all_to_all of several arrays is not supported");
  AllToAllAttributes a;
  int64_t split = 0, concat = 0, count = 0;
  HLOIR_RETURN_IF_ERROR(Int(op, "split_dimension", split));
  HLOIR_RETURN_IF_ERROR(Int(op, "concat_dimension", concat));
  HLOIR_RETURN_IF_ERROR(Int(op, "split_count", count));
  HLOIR_RETURN_IF_ERROR(Channel(op, a.channel_id));
  HLOIR_RETURN_IF_ERROR(Groups(op, a.replica_groups));
  a.dimensions = {split};
  HloBuilder& b = scope.builder;
  const Shape& shape = operands[0]->shape();
  if (split < 0 || split >= shape.rank() || concat < 0 || concat >= shape.rank() || count < 1 ||
      shape.dimensions(split) % count != 0)
    return Error(op, "its dimensions do not fit its operand");
  Op made = b.Make(HloOpcode::kAllToAll, HloBuilder::Ops(operands), a, {}, &shape);
  if (split == concat) return Set(op, scope, made);
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
  return Set(op, scope, b.Reshape(b.Transpose(b.Reshape(made, sizes), permutation), op.results[0]->shape.dimensions()));
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
      scope.builder.Make(HloOpcode::kCollectivePermute, HloBuilder::Ops(operands), a, {}, &op.results[0]->shape));
}

Status Converter::CollectiveBroadcast(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  CollectiveBroadcastAttributes a;
  HLOIR_RETURN_IF_ERROR(Channel(op, a.channel_id));
  HLOIR_RETURN_IF_ERROR(Groups(op, a.replica_groups));
  if (operands.size() != 1 || op.results.size() != 1) return Error(op, "has one operand and one result");
  return Set(
      op, scope,
      scope.builder.Make(HloOpcode::kCollectiveBroadcast, HloBuilder::Ops(operands), a, {}, &op.results[0]->shape));
}

Status Converter::ShardingConstraint(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  const Attribute* sharding = op.Find("sharding");
  if (sharding == nullptr || operands.size() != 1 || op.results.size() != 1) return Missing(op, "sharding");
  Op made = scope.builder.CustomCall("Sharding", op.results[0]->shape, HloBuilder::Ops(operands));
  if (made != nullptr) {
    made->set_frontend_attributes({{"xla.sdy.sharding", Format("#sdy.sharding_per_value<[{}]>",
                                                               WithoutPrefix(sharding->source, "#sdy.sharding"))}});
    if (const std::optional<Sharding> known = ShardingOf(sharding->source)) made->set_sharding(*known);
  }
  return Set(op, scope, made);
}

// A call between two custom calls that take whole arrays apart and put them together again.
Status Converter::ManualComputation(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  if (op.regions.size() != 1) return Error(op, "has one region");
  const auto text = [&](std::string_view name) {
    const Attribute* attribute = op.Find(name);
    return attribute == nullptr ? std::string_view() : attribute->source;
  };
  const std::string_view axes_text = text("manual_axes");
  const std::string axes =
      axes_text.starts_with('#') ? std::string(axes_text) : Format("#sdy<manual_axes{}>", axes_text);
  HloBuilder& b = scope.builder;
  HLOIR_ASSIGN_OR_RETURN(HloComputation * body, RegionComputation(op, 0));
  body->set_name("xla.sdy.manual_computation_body");
  const auto reshaped = [&](std::string_view target, std::span<const Op> values, std::vector<Shape> shapes,
                            std::string_view which) {
    CustomCallAttributes a;
    a.custom_call_target = target;
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
  for (const Value* argument : op.regions[0].arguments) inside.push_back(argument->shape);
  for (const Value* result : op.results) outside.push_back(result->shape);
  std::vector<Op> arguments = operands;
  if (!inside.empty()) arguments = reshaped("xla.sdy.GlobalToLocalShape", operands, std::move(inside), "in_shardings");
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
  const std::vector<Op> made = reshaped("xla.sdy.LocalToGlobalShape", results, std::move(outside), "out_shardings");
  for (size_t i = 0; i < op.results.size(); ++i) HLOIR_RETURN_IF_ERROR(Set(op, scope, made[i], i));
  return OkStatus();
}

}  // namespace hloir::stablehlo
