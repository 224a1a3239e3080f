// The text of shardings: {replicated}, {devices=[2,1]<=[2]}, {mesh['x'=2], [{'x'}]}, tuples of them. Entry point:
// AppendSharding. Device lists and meshes are devices.cc's. Covered by tests/unit/printer_test.cc.
#include "hloir/printer.h"
#include "values.h"

namespace hloir {
namespace {

std::string_view KindWord(Sharding::Kind kind) {
  switch (kind) {
    case Sharding::Kind::kReplicated: return "replicated";
    case Sharding::Kind::kManual: return "manual";
    case Sharding::Kind::kUnknown: return "unknown";
    case Sharding::Kind::kUnreduced: return "unreduced";
    case Sharding::Kind::kMaximal:
    case Sharding::Kind::kTiled:
    case Sharding::Kind::kTuple:
    case Sharding::Kind::kNamed: break;
  }
  return "";
}

void AppendNamed(TextBuffer& out, const Sharding& sharding) {
  AppendMesh(out, sharding.mesh);
  if (sharding.mesh.maximal_device_id >= 0) return;
  auto unreduced_op = [&] {
    if (!sharding.unreduced_op.empty()) out.Append(sharding.unreduced_op);
  };
  if (!sharding.named_kind.empty()) {
    out.Append(", ");
    out.Append(sharding.named_kind);
    if (sharding.named_kind == "unreduced" && (!sharding.unreduced_axes.empty() || !sharding.unreduced_op.empty())) {
      out.Append('=');
      unreduced_op();
      AppendAxes(out, sharding.unreduced_axes, ", ");
    }
    return;
  }
  out.Append(", [");
  AppendJoined(out, sharding.dimensions, ", ",
               [&](const Sharding::Dimension& dim) { AppendAxes(out, dim.axes, ", ", dim.open); });
  out.Append(']');
  if (!sharding.replicated_axes.empty()) {
    out.Append(", replicated=");
    AppendAxes(out, sharding.replicated_axes, ", ");
  }
  if (!sharding.unreduced_axes.empty()) {
    out.Append(", unreduced=");
    unreduced_op();
    AppendAxes(out, sharding.unreduced_axes, ", ");
  }
  if (!sharding.manual_axes.empty()) {
    out.Append(", manual=");
    AppendAxes(out, sharding.manual_axes, ", ");
  }
}

void AppendTiled(TextBuffer& out, const Sharding& sharding) {
  out.Append("devices=[");
  out.AppendInts(sharding.tile_dims);
  out.Append(']');
  AppendDevices(out, sharding.devices);
  if (sharding.replicate_on_last_tile_dim) out.Append(" last_tile_dim_replicate");
  if (!sharding.last_tile_dims.empty()) {
    out.Append(" last_tile_dims={");
    AppendJoined(out, sharding.last_tile_dims, ", ", [&](Sharding::Kind kind) { out.Append(KindWord(kind)); });
    out.Append('}');
  }
}

}  // namespace

// The parser limits the nesting of tuple shardings and so the recursion.
void AppendSharding(TextBuffer& out, const Sharding& sharding, bool with_metadata) {
  out.Append('{');
  switch (sharding.kind) {
    case Sharding::Kind::kTuple:
      for (size_t i = 0; i < sharding.tuple_elements.size(); ++i) {
        if (i > 0) out.Append(", ");
        if (i > 0 && i % 5 == 0) {
          out.Append("/*index=");
          out.AppendInt(static_cast<int64_t>(i));
          out.Append("*/");
        }
        AppendSharding(out, sharding.tuple_elements[i], with_metadata);
      }
      out.Append('}');
      return;
    case Sharding::Kind::kTiled: AppendTiled(out, sharding); break;
    case Sharding::Kind::kNamed: AppendNamed(out, sharding); break;
    case Sharding::Kind::kMaximal:
      out.Append("maximal device=");
      out.AppendInt(sharding.devices.devices.empty() ? 0 : sharding.devices.devices[0]);
      break;
    case Sharding::Kind::kReplicated:
    case Sharding::Kind::kManual:
    case Sharding::Kind::kUnknown:
    case Sharding::Kind::kUnreduced: out.Append(KindWord(sharding.kind)); break;
  }
  if (sharding.shard_group != Sharding::Group::kNone) {
    out.Append(sharding.shard_group == Sharding::Group::kAs ? " shard_as " : " shard_like ");
    out.AppendInt(sharding.shard_group_id);
  }
  if (with_metadata && !sharding.metadata.empty()) {
    const bool named = sharding.kind == Sharding::Kind::kNamed;
    out.Append(named ? ", metadata={" : " metadata={");
    const bool several = named || sharding.metadata.size() > 1;
    AppendJoined(out, sharding.metadata, ", ", [&](const OwnedOpMetadata& metadata) {
      if (several) out.Append('{');
      AppendMetadata(out, metadata.As<std::string_view>(), false);
      if (several) out.Append('}');
    });
    out.Append('}');
  }
  out.Append('}');
}

std::string PrintSharding(const Sharding& sharding) {
  TextBuffer out;
  AppendSharding(out, sharding, true);
  return out.Take();
}

}  // namespace hloir
