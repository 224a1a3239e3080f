// Shardings (tiled, named, tuples of them), meshes, replica groups, device lists.

#include <algorithm>
#include <utility>

#include "ir/sharding_canonical.h"
#include "module_reader.h"

#include "support/format.h"

namespace hloir {

bool FragmentReader::ReadIntsUntil(char close, std::vector<int64_t>& values) {
  do {
    if (!Read(values.emplace_back())) return false;
  } while (lexer_.Accept(','));
  return close == '\0' || Expect(close);
}

// After `<=`: [dims], and T(perm) if there is more than one.
bool FragmentReader::ParseIotaDevices(DeviceList& devices) {
  lexer_.SkipBlank();
  const char* start = lexer_.at();
  std::vector<int64_t> dims, perm;
  if (!Expect('[') || !ReadIntsUntil(']', dims)) return false;
  if (dims.size() == 1) {
    perm.push_back(0);
  } else {
    if (!lexer_.AcceptWord("T")) return FailExpected("T(…), the order of the dimensions");
    if (!Expect('(') || !ReadIntsUntil(')', perm)) return false;
  }
  std::vector<bool> seen(dims.size(), false);
  bool fits = perm.size() == dims.size();
  for (int64_t i : perm) {
    fits = fits && i >= 0 && i < static_cast<int64_t>(dims.size()) && !seen[static_cast<size_t>(i)];
    if (fits) seen[static_cast<size_t>(i)] = true;
  }
  int64_t product = 1;
  for (int64_t d : dims) fits = fits && d > 0 && !__builtin_mul_overflow(product, d, &product);
  if (!fits)
    return Fail(start, "an iota list of devices needs positive sizes, and T() a permutation of its dimensions");
  devices.iota_reshape_dims = DimVector(dims.begin(), dims.end());
  devices.iota_transpose_perm = DimVector(perm.begin(), perm.end());
  return true;
}

// {{0,1},{2,3}}, [2,4]<=[8]T(…), or mesh[…] {axes}
bool FragmentReader::Read(ReplicaGroups& value) {
  const char c = lexer_.Peek();
  const char* start = lexer_.at();
  if (c == '{') {
    value.form = ReplicaGroups::Form::kList;
    lexer_.Accept('{');
    if (lexer_.Accept('}')) return true;
    do {
      std::vector<int64_t>& group = value.groups.emplace_back();
      if (!Expect('{')) return false;
      if (!lexer_.Accept('}') && !ReadIntsUntil('}', group)) return false;
    } while (lexer_.Accept(','));
    return Expect('}');
  }
  if (c == '[') {
    value.form = ReplicaGroups::Form::kIota;
    lexer_.Accept('[');
    std::vector<int64_t> sizes;
    if (!ReadIntsUntil(']', sizes)) return false;
    if (sizes.size() != 2) return Fail(start, "iota replica groups begin with [number of groups, their size]");
    value.num_groups = sizes[0];
    value.group_size = sizes[1];
    if (!lexer_.Accept("<=")) return FailExpected("'<='");
    if (!ParseIotaDevices(value.iota)) return false;
    int64_t count = 0, devices = 1;
    for (int64_t d : value.iota.iota_reshape_dims) devices *= d;
    if (sizes[0] <= 0 || sizes[1] <= 0 || __builtin_mul_overflow(sizes[0], sizes[1], &count) || count > devices) {
      return Fail(start, "iota replica groups must hold each device once");
    }
    if (count < devices) {  // the rest is in none
      if (!KeepFirstDevices(value.iota, count)) return Fail(start, "these are too many devices to list");
      const std::vector<int64_t> listed = std::exchange(value.iota, {}).devices;
      value.form = ReplicaGroups::Form::kList;
      for (auto at = listed.begin(); at != listed.end(); at += sizes[1]) value.groups.emplace_back(at, at + sizes[1]);
      value.num_groups = value.group_size = 0;
    }
    return true;
  }
  if (lexer_.AcceptWord("mesh")) {
    value.form = ReplicaGroups::Form::kMesh;
    lexer_.set_at(start);
    if (!ParseMesh(value.mesh)) return false;
    lexer_.Accept(',');
    if (!ParseAxisList(value.axes)) return false;
    for (const MeshAxisRef& axis : value.axes) {
      if (std::none_of(value.mesh.axes.begin(), value.mesh.axes.end(), [&](auto& a) { return a.first == axis.axis; })) {
        return Fail(start, Format("the mesh has no axis '{}'", axis.axis));
      }
    }
    return true;
  }
  return FailExpected("replica groups: '{', '[' or mesh");
}

// mesh['x'=2,'y'=4, device_ids=(3,2,1,0)], or with device_ids after the bracket.
bool FragmentReader::ParseMesh(Mesh& mesh) {
  if (lexer_.AcceptWord("maximal_mesh")) {
    if (!Expect('[') || !lexer_.AcceptWord("device_id")) return FailExpected("device_id");
    return ExpectEquals() && Read(mesh.maximal_device_id) && Expect(']');
  }
  if (!lexer_.AcceptWord("mesh")) return FailExpected("a mesh");
  auto read_devices = [&] {
    DeviceList& devices = mesh.device_ids.emplace();
    if (!ExpectEquals()) return false;
    const bool parenthesis = lexer_.Accept('(');
    if (lexer_.Peek() == '[') {
      lexer_.SkipBlank();
      if (!ParseIotaDevices(devices)) return false;
    } else if (lexer_.Accept("<=")) {
      if (!ParseIotaDevices(devices)) return false;
    } else if (!ReadIntsUntil('\0', devices.devices)) {
      return false;
    }
    return !parenthesis || Expect(')');
  };
  if (!Expect('[')) return false;
  if (!lexer_.Accept(']')) {
    do {
      if (lexer_.AcceptWord("device_ids")) {
        if (!read_devices()) return false;
        continue;
      }
      auto& [axis, size] = mesh.axes.emplace_back();
      lexer_.SkipBlank();
      const char* place = lexer_.at();
      if (!Read(axis) || !ExpectEquals() || !Read(size)) return false;
      if (size <= 0) return Fail(place, "a mesh axis has a positive size");
    } while (lexer_.Accept(','));
    if (!Expect(']')) return false;
  }
  const char* before = lexer_.at();
  if (lexer_.Accept(',') && lexer_.AcceptWord("device_ids")) return read_devices();
  lexer_.set_at(before);
  return true;
}

// 'x' or 'x':(2)4
bool FragmentReader::ParseAxisRef(MeshAxisRef& axis) {
  if (!Read(axis.axis)) return false;
  if (!lexer_.Accept(':')) return true;
  return Expect('(') && Read(axis.sub_axis_pre_size) && Expect(')') && Read(axis.sub_axis_size);
}

// {'x','y':(1)2}
bool FragmentReader::ParseAxisList(std::vector<MeshAxisRef>& axes) {
  return ReadList([&] { return ParseAxisRef(axes.emplace_back()); });
}

bool ModuleReader::ParseSharedSharding(const Sharding*& sharding) {
  sharding = seen_shardings_.Find(lexer_);
  if (sharding != nullptr) return true;
  const char* const start = lexer_.at();
  Sharding read;
  if (!Read(read)) return false;
  seen_shardings_.Add(start, lexer_.at(), sharding = loader_.KeepSharding(std::move(read)));
  return true;
}

bool FragmentReader::Read(Sharding& sharding) {
  Nesting nesting(*this, 2 * kValueWeight);
  lexer_.SkipBlank();
  if (nesting.TooDeep()) return FailDepth(lexer_.at());
  if (!Expect('{')) return false;
  if (const char c = lexer_.Peek(); c == '{' || c == '}') {
    sharding.kind = Sharding::Kind::kTuple;
    if (lexer_.Accept('}')) return true;
    do {
      Sharding& element = sharding.tuple_elements.emplace_back();
      const char* place = (lexer_.SkipBlank(), lexer_.at());
      if (!Read(element)) return false;
      if (element.kind == Sharding::Kind::kTuple) return Fail(place, "a tuple's shardings stand flat, leaf by leaf");
    } while (lexer_.Accept(','));
    return Expect('}');
  }
  const char* place = lexer_.at();
  const std::string_view word = lexer_.ReadWord().text();
  lexer_.set_at(place);
  if (!(word == "mesh" || word == "maximal_mesh" ? ParseNamedSharding(sharding) : ParseShardingParts(sharding)))
    return false;
  CanonicalizeSharding(sharding);
  return true;
}

// The parts of a sharding that is not a tuple, in any order, up to the closing brace. If several kinds are stated, the
// first in Sharding::Kind applies.
bool FragmentReader::ParseShardingParts(Sharding& sharding) {
  using Kind = Sharding::Kind;
  const char* const start = lexer_.at();
  constexpr std::pair<std::string_view, Kind> kKinds[] = {{"replicated", Kind::kReplicated},
                                                          {"maximal", Kind::kMaximal},
                                                          {"manual", Kind::kManual},
                                                          {"unknown", Kind::kUnknown},
                                                          {"unreduced", Kind::kUnreduced}};
  size_t kind = std::size(kKinds);  // the index of the first stated kind
  bool is_tiled = false, is_like = false;
  while (!lexer_.Accept('}')) {
    lexer_.SkipBlank();
    const char* place = lexer_.at();
    const std::string_view word = lexer_.ReadWord().text();
    const auto named = std::find_if(std::begin(kKinds), std::end(kKinds), [&](auto& k) { return k.first == word; });
    if (named != std::end(kKinds)) {
      kind = std::min(kind, static_cast<size_t>(named - std::begin(kKinds)));
      if (word == "unreduced" && *lexer_.at() == '=' && (!ExpectEquals() || !ParseUnreducedOp(sharding))) return false;
    } else if (word == "device") {
      int64_t device = 0;
      if (!ExpectEquals() || !Read(device)) return false;
      sharding.devices.devices.assign(1, device);
    } else if (word == "devices") {
      if (std::exchange(is_tiled, true)) return Fail(place, "the sharding has devices= twice");
      if (!ExpectEquals() || !ParseTiledSharding(sharding)) return false;
    } else if (word == "last_tile_dim_replicate") {
      sharding.replicate_on_last_tile_dim = true;
    } else if (word == "last_tile_dims") {
      if (!ExpectEquals() || !ParseLastTileDims(sharding.last_tile_dims)) return false;
    } else if (word == "shard_as" || word == "shard_like") {
      if (!Read(sharding.shard_group_id)) return false;
      is_like = is_like || word == "shard_like";
      if (word == "shard_as") sharding.shard_group = Sharding::Group::kAs;
    } else if (word == "metadata") {
      if (!ExpectEquals() || !ParseShardingMetadata(sharding.metadata)) return false;
    } else {
      lexer_.set_at(place);
      return FailExpected(
          "a sharding's part: replicated, manual, unknown, unreduced, maximal, device=, devices=, "
          "last_tile_dim_replicate, last_tile_dims=, shard_as, shard_like, metadata= or '}'");
    }
  }
  if (is_like && sharding.shard_group == Sharding::Group::kNone) sharding.shard_group = Sharding::Group::kLike;
  const size_t listed = sharding.devices.devices.size();
  if (kind < std::size(kKinds)) {
    sharding.kind = kKinds[kind].second;
    const bool is_maximal = sharding.kind == Kind::kMaximal;
    if (is_maximal ? listed != 1 : listed != 0) {
      return Fail(start, Format("a {} sharding has {}", kKinds[kind].first, is_maximal ? "one device" : "no devices"));
    }
    sharding.tile_dims.clear();
    if (!is_maximal) sharding.devices = DeviceList();
    sharding.last_tile_dims.clear();
    sharding.replicate_on_last_tile_dim = false;
    return true;
  }
  sharding.kind = Kind::kTiled;
  if (!is_tiled) return Fail(start, "a sharding needs a kind, or devices=");
  if (sharding.last_tile_dims.size() > sharding.tile_dims.size()) {
    return Fail(start, "more last_tile_dims than tile dimensions");
  }
  if (sharding.replicate_on_last_tile_dim && !sharding.last_tile_dims.empty()) {
    return Fail(start, "a sharding has last_tile_dim_replicate or last_tile_dims=, not both");
  }
  if (listed == 1) return Fail(start, "a tiled sharding lists more than one device");
  return true;
}

// sum, max or min
bool FragmentReader::ParseUnreducedOp(Sharding& sharding) {
  sharding.unreduced_op = lexer_.ReadWord().text();
  const std::string& op = sharding.unreduced_op;
  return op == "sum" || op == "max" || op == "min" || FailExpected("sum, max or min");
}

// {manual, replicated}
bool FragmentReader::ParseLastTileDims(std::vector<Sharding::Kind>& kinds) {
  return ReadList([&] {
    if (lexer_.AcceptWord("replicated")) kinds.push_back(Sharding::Kind::kReplicated);
    else if (lexer_.AcceptWord("manual")) kinds.push_back(Sharding::Kind::kManual);
    else if (lexer_.AcceptWord("unreduced")) kinds.push_back(Sharding::Kind::kUnreduced);
    else return FailExpected("replicated, manual or unreduced");
    return true;
  });
}

// After `devices=`: [tiles]list or [tiles]<=[dims]T(perm)
bool FragmentReader::ParseTiledSharding(Sharding& sharding) {
  lexer_.SkipBlank();
  const char* start = lexer_.at();
  std::vector<int64_t> tiles;
  if (!Expect('[') || !ReadIntsUntil(']', tiles)) return false;
  sharding.tile_dims = DimVector(tiles.begin(), tiles.end());
  int64_t count = 1;
  for (int64_t d : tiles) {
    if (d <= 0 || __builtin_mul_overflow(count, d, &count)) {
      return Fail(start, "a sharding's tile sizes must be positive, their product of 64 bits");
    }
  }
  int64_t devices = 1;
  if (lexer_.Accept("<=")) {
    if (!ParseIotaDevices(sharding.devices)) return false;
    for (int64_t d : sharding.devices.iota_reshape_dims) devices *= d;
  } else {
    sharding.devices.devices.clear();
    if (!ReadIntsUntil('\0', sharding.devices.devices)) return false;
    devices = static_cast<int64_t>(sharding.devices.devices.size());
  }
  if (devices != count && !(devices > count && KeepFirstDevices(sharding.devices, count))) {
    return Fail(start, Format("the sharding has {} tiles, but {} devices", count, devices));
  }
  return true;
}

// {op_name="a"}, or {{op_name="a"}, {op_name="b"}}
bool FragmentReader::ParseShardingMetadata(std::vector<OwnedOpMetadata>& metadata) {
  const auto read = [&] {
    OpMetadata one;
    if (!ParseMetadata(one)) return false;
    metadata.push_back(one.As<std::string>());
    return true;
  };
  const char* before = (lexer_.SkipBlank(), lexer_.at());
  if (!Expect('{')) return false;
  if (lexer_.Peek() != '{') {
    lexer_.set_at(before);
    return read();
  }
  do {
    if (!read()) return false;
  } while (lexer_.Accept(','));
  return Expect('}');
}

// mesh['x'=2], [{'x'}, {?}], replicated={'y'}, unreduced=sum{'z'}, manual={…}, metadata=…}
bool FragmentReader::ParseNamedSharding(Sharding& sharding) {
  sharding.kind = Sharding::Kind::kNamed;
  if (!ParseMesh(sharding.mesh)) return false;
  lexer_.Accept(',');
  if (lexer_.Accept('[')) {
    if (!lexer_.Accept(']')) {
      do {
        Sharding::Dimension& dimension = sharding.dimensions.emplace_back();
        if (!Expect('{')) return false;
        if (lexer_.Accept('}')) continue;
        do {
          if (lexer_.Accept('?')) dimension.open = true;
          else if (!ParseAxisRef(dimension.axes.emplace_back())) return false;
        } while (lexer_.Accept(','));
        if (!Expect('}')) return false;
      } while (lexer_.Accept(','));
      if (!Expect(']')) return false;
    }
    lexer_.Accept(',');
  }
  while (!lexer_.Accept('}')) {
    lexer_.SkipBlank();
    const char* place = lexer_.at();
    const std::string_view word = lexer_.ReadWord().text();
    std::vector<MeshAxisRef>* axes = word == "replicated"  ? &sharding.replicated_axes
                                     : word == "unreduced" ? &sharding.unreduced_axes
                                     : word == "manual"    ? &sharding.manual_axes
                                                           : nullptr;
    if (axes != nullptr) {
      if (!lexer_.Accept('=')) {
        sharding.named_kind = word;
      } else {
        if (word == "unreduced" && lexer_.Peek() != '{' && !ParseUnreducedOp(sharding)) return false;
        if (!ParseAxisList(*axes)) return false;
      }
    } else if (word == "metadata") {
      if (!ExpectEquals() || !ParseShardingMetadata(sharding.metadata)) return false;
    } else {
      lexer_.set_at(place);
      return FailExpected("replicated, unreduced, manual, metadata or '}'");
    }
    lexer_.Accept(',');
  }
  return true;
}

// {kind="sharding", entry={…}, exit={…}}
bool FragmentReader::Read(DomainMetadata& value) {
  if (!Expect('{')) return false;
  do {
    lexer_.Accept(',');
    lexer_.SkipBlank();
    const char* place = lexer_.at();
    const std::string_view field = lexer_.ReadWord().text();
    if (field != "kind" && field != "entry" && field != "exit") {
      lexer_.set_at(place);
      return FailExpected("kind, entry or exit");
    }
    if (!ExpectEquals()) return false;
    std::optional<Sharding>& side = field == "entry" ? value.entry : value.exit;
    if (field == "kind" ? !value.kind.empty() : side.has_value()) {
      return Fail(place, Format("the domain has {} twice", field));
    }
    if (field == "kind" ? !Read(value.kind) : !Read(side.emplace())) return false;
  } while (lexer_.Peek() != '}');
  const char* place = lexer_.at();
  lexer_.Accept('}');
  if (value.kind != "sharding") return Fail(place, Format("unknown domain kind '{}'", value.kind));
  if (!value.entry || !value.exit) return Fail(place, "a sharding domain needs entry= and exit=");
  return true;
}

}  // namespace hloir
