// Converter: HLO shardings for Shardy's shardings, `#sdy.sharding<@mesh, [{"x", ?}, {"y":(1)2}p1], unreduced={"z"}>`:
// the axes of the mesh, or parts of axes, that split each dimension. Properties specific to Shardy (open dimensions,
// priorities) are kept in the frontend attributes. See convert.h.
#include <algorithm>
#include <charconv>

#include "convert.h"
#include "hloir/parser.h"

namespace hloir::stablehlo {
namespace {

// A part of an axis: `size` of its devices' numbers, `pre` such parts in front of it.
struct AxisPart {
  int64_t axis = 0, pre = 1, size = 1;
};

struct Mesh {
  std::vector<std::pair<std::string_view, int64_t>> axes;
  std::vector<int64_t> device_ids;  // none: in their order
};

class SdyReader {
 public:
  explicit SdyReader(std::string_view text) : text_(text) {}
  bool Take(std::string_view word) {
    text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size()));
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool Number(int64_t& value) {
    Take("");
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) return false;
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    return true;
  }
  bool Quoted(std::string_view& value) {
    if (!Take("\"")) return false;
    const size_t end = text_.find('"');
    if (end == std::string_view::npos) return false;
    value = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return true;
  }

 private:
  std::string_view text_;
};

constexpr int64_t kMostDevices = 1 << 20;

// <["x"=2, "y"=4], device_ids=[…]>
bool ReadMesh(SdyReader in, Mesh& mesh) {
  int64_t devices = 1;
  in.Take("#sdy.mesh");
  if (!in.Take("<") || !in.Take("[")) return false;
  while (!in.Take("]")) {
    std::string_view name;
    int64_t size = 0;
    if (!in.Quoted(name) || !in.Take("=") || !in.Number(size) || size < 1 || size > kMostDevices / devices)
      return false;
    devices *= size;
    mesh.axes.emplace_back(name, size);
    in.Take(",");
  }
  if (in.Take(",") && in.Take("device_ids") && in.Take("=") && in.Take("[")) {
    for (int64_t id = 0; in.Number(id); in.Take(",")) mesh.device_ids.push_back(id);
    if (mesh.device_ids.size() != static_cast<size_t>(devices)) return false;
  }
  return true;
}

// {"x", "y":(1)2, ?}
bool ReadAxes(SdyReader& in, const Mesh& mesh, std::vector<AxisPart>& parts) {
  if (!in.Take("{")) return false;
  while (!in.Take("}")) {
    std::string_view name;
    if (in.Take("?")) continue;
    if (!in.Quoted(name)) return false;
    const auto found = std::find_if(mesh.axes.begin(), mesh.axes.end(), [&](const auto& a) { return a.first == name; });
    if (found == mesh.axes.end()) return false;
    AxisPart part{found - mesh.axes.begin(), 1, found->second};
    if (in.Take(":")) {
      if (!in.Take("(") || !in.Number(part.pre) || !in.Take(")") || !in.Number(part.size)) return false;
      if (part.pre < 1 || part.size < 1 || part.pre > found->second || part.size > found->second ||
          found->second % (part.pre * part.size) != 0)
        return false;
    }
    parts.push_back(part);
    in.Take(",");
  }
  return true;
}

// The axes divided at the bounds of all used parts, in the mesh's order.
std::vector<AxisPart> SmallestParts(const Mesh& mesh, const std::vector<AxisPart>& used) {
  std::vector<AxisPart> parts;
  for (size_t axis = 0; axis < mesh.axes.size(); ++axis) {
    std::vector<int64_t> cuts = {1, mesh.axes[axis].second};
    for (const AxisPart& part : used) {
      if (part.axis == static_cast<int64_t>(axis)) cuts.push_back(part.pre), cuts.push_back(part.pre * part.size);
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      if (cuts[i + 1] % cuts[i] != 0) return {};
      parts.push_back({static_cast<int64_t>(axis), cuts[i], cuts[i + 1] / cuts[i]});
    }
    if (mesh.axes[axis].second == 1) parts.push_back({static_cast<int64_t>(axis), 1, 1});
  }
  return parts;
}

std::string Joined(const std::vector<int64_t>& numbers) {
  std::string text;
  for (int64_t number : numbers) text += Format("{}{}", text.empty() ? "" : ",", number);
  return text;
}

// "[4,2]T(1,0)" of the parts in this order, or the devices one by one.
std::string Devices(const Mesh& mesh, const std::vector<AxisPart>& parts, const std::vector<size_t>& order,
                    int64_t sorted_run) {
  if (mesh.device_ids.empty()) {
    std::vector<std::pair<size_t, int64_t>> runs;  // adjacent parts: the first, their size
    for (size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && order[i] == order[i - 1] + 1) runs.back().second *= parts[order[i]].size;
      else runs.emplace_back(order[i], parts[order[i]].size);
    }
    std::erase_if(runs, [](const auto& run) { return run.second == 1; });
    // Runs with only parts of size 1 between them are adjacent as well.
    std::vector<std::pair<size_t, int64_t>> sorted = runs;
    std::sort(sorted.begin(), sorted.end());
    std::vector<int64_t> sizes, permutation;
    for (const auto& run : sorted) sizes.push_back(run.second);
    for (const auto& run : runs) permutation.push_back(std::find(sorted.begin(), sorted.end(), run) - sorted.begin());
    if (sizes.empty()) sizes.push_back(1);
    // A permutation of neighbours is one dimension.
    std::vector<int64_t> joined_sizes, joined;
    std::vector<int64_t> group(sizes.size());
    for (size_t i = 0; i < permutation.size(); ++i) {
      if (i > 0 && permutation[i] == permutation[i - 1] + 1) group[static_cast<size_t>(permutation[i])] = -1;
    }
    std::vector<int64_t> rank(sizes.size());
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (group[i] == -1) joined_sizes.back() *= sizes[i];
      else joined_sizes.push_back(sizes[i]);
      rank[i] = static_cast<int64_t>(joined_sizes.size()) - 1;
    }
    for (int64_t p : permutation) {
      if (group[static_cast<size_t>(p)] != -1) joined.push_back(rank[static_cast<size_t>(p)]);
    }
    return Format("<=[{}]{}", Joined(joined_sizes), joined.size() > 1 ? Format("T({})", Joined(joined)) : "");
  }
  std::vector<int64_t> strides(parts.size(), 1), ids;
  for (size_t i = parts.size(); i-- > 1;) strides[i - 1] = strides[i] * parts[i].size;
  std::vector<int64_t> index(order.size());
  for (size_t n = 0; n < mesh.device_ids.size(); ++n) {
    int64_t at = 0;
    for (size_t i = 0; i < order.size(); ++i) at += index[i] * strides[order[i]];
    ids.push_back(mesh.device_ids[static_cast<size_t>(at)]);
    for (size_t i = order.size(); i-- > 0;) {
      if (++index[i] < parts[order[i]].size) break;
      index[i] = 0;
    }
  }
  for (auto at = ids.begin(); sorted_run > 1 && at != ids.end(); at += sorted_run) std::sort(at, at + sorted_run);
  return Joined(ids);
}

}  // namespace

StatusOr<Sharding> GspmdSharding(std::string_view text) { return ParseSharding(text.empty() ? "{replicated}" : text); }

Status Converter::CheckAxes(std::string_view sdy) const {
  const size_t offset = sdy.empty() ? 0 : static_cast<size_t>(sdy.data() - source_.text->data());
  constexpr std::string_view kOpening = "<@";
  for (size_t at = sdy.find(kOpening); at != std::string_view::npos;) {
    const size_t start = at + kOpening.size(), next = sdy.find(kOpening, start);
    const std::string_view name = sdy.substr(start, sdy.find_first_of(",> ", start) - start);
    std::string_view text = sdy.substr(start, next == std::string_view::npos ? next : next - start);
    const Operation* found = nullptr;
    for (const Operation* op : source_.root->regions[0].operations)
      if (op->name == "sdy.mesh" && Text(*op, "sym_name") == name) found = op;
    if (found == nullptr) return ErrorAt(source_, offset, Format("the module has no sdy.mesh @{}", name));
    Mesh mesh;
    const bool known = found->Find("mesh") != nullptr && ReadMesh(SdyReader(found->Find("mesh")->source), mesh);
    while (known && text.find('"') != std::string_view::npos) {
      text.remove_prefix(text.find('"') + 1);
      const std::string_view axis = text.substr(0, text.find('"'));
      text.remove_prefix(std::min(axis.size() + 1, text.size()));
      if (std::none_of(mesh.axes.begin(), mesh.axes.end(), [&](const auto& each) { return each.first == axis; }))
        return ErrorAt(source_, offset, Format("the mesh @{} has no axis \"{}\"", name, axis));
    }
    at = next;
  }
  return OkStatus();
}

std::optional<Sharding> Converter::ShardingOf(std::string_view sdy) const {
  SdyReader in(sdy);
  in.Take("#sdy.sharding");
  if (!in.Take("<@")) return std::nullopt;
  const size_t start = sdy.find('@') + 1;
  const std::string_view name = sdy.substr(start, sdy.find_first_of(",> ", start) - start);
  Mesh mesh;
  bool known = false;
  for (const Operation* op : source_.root->regions[0].operations) {
    if (op->name != "sdy.mesh" || Text(*op, "sym_name") != name || op->Find("mesh") == nullptr) continue;
    known = ReadMesh(SdyReader(op->Find("mesh")->source), mesh);
  }
  if (!known || !in.Take(name) || !in.Take(",") || !in.Take("[")) return std::nullopt;
  if (mesh.axes.empty()) {
    if (mesh.device_ids.size() > 1) return std::nullopt;
    StatusOr<Sharding> one =
        ParseSharding(mesh.device_ids.empty() ? "{replicated}" : Format("{{maximal device={}}}", mesh.device_ids[0]));
    return one.ok() ? std::optional<Sharding>(*std::move(one)) : std::nullopt;
  }
  std::vector<std::vector<AxisPart>> dimensions;
  std::vector<AxisPart> used, unreduced;
  while (!in.Take("]")) {
    if (!ReadAxes(in, mesh, dimensions.emplace_back())) return std::nullopt;
    int64_t priority = 0;
    if (in.Take("p")) in.Number(priority);
    in.Take(",");
    used.insert(used.end(), dimensions.back().begin(), dimensions.back().end());
  }
  while (in.Take(",")) {
    std::vector<AxisPart> replicated;
    const bool is_unreduced = in.Take("unreduced");
    if ((!is_unreduced && !in.Take("replicated")) || !in.Take("=") ||
        !ReadAxes(in, mesh, is_unreduced ? unreduced : replicated))
      return std::nullopt;
  }
  if (!in.Take(">")) return std::nullopt;
  std::vector<AxisPart> all = used;
  all.insert(all.end(), unreduced.begin(), unreduced.end());
  const std::vector<AxisPart> parts = SmallestParts(mesh, all);
  std::vector<size_t> order;
  std::vector<bool> taken(parts.size(), false);
  const auto take = [&](const AxisPart& wanted) {
    int64_t count = 1;
    for (size_t i = 0; i < parts.size(); ++i) {
      const AxisPart& part = parts[i];
      if (part.axis != wanted.axis || part.pre < wanted.pre || part.pre * part.size > wanted.pre * wanted.size)
        continue;
      if (taken[i]) return int64_t{0};
      taken[i] = true;
      order.push_back(i);
      count *= part.size;
    }
    return count;
  };
  std::vector<int64_t> tiles;
  for (const auto& dimension : dimensions) {
    int64_t count = 1;
    for (const AxisPart& part : dimension) count *= take(part);
    if (count == 0) return std::nullopt;
    tiles.push_back(count);
  }
  int64_t partial = 1, copies = 1;
  std::vector<size_t> left;
  const std::vector<size_t> cut = order;
  order.clear();
  for (const AxisPart& part : unreduced) partial *= take(part);
  if (partial == 0) return std::nullopt;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (taken[i]) continue;
    left.push_back(i);
    copies *= parts[i].size;
  }
  const bool is_whole = std::all_of(tiles.begin(), tiles.end(), [](int64_t n) { return n == 1; });
  if (is_whole && partial == 1) return Sharding();
  std::string ending;
  if (copies > 1) tiles.push_back(copies);
  if (partial > 1) tiles.push_back(partial);
  if (partial > 1) ending = copies > 1 ? " last_tile_dims={replicated, unreduced}" : " last_tile_dims={unreduced}";
  else if (copies > 1) ending = " last_tile_dim_replicate";
  std::vector<size_t> whole = cut;
  whole.insert(whole.end(), left.begin(), left.end());
  whole.insert(whole.end(), order.begin(), order.end());
  StatusOr<Sharding> sharding = ParseSharding(
      Format("{{devices=[{}]{}{}}}", Joined(tiles), Devices(mesh, parts, whole, partial == 1 ? copies : 1), ending));
  return sharding.ok() ? std::optional<Sharding>(*std::move(sharding)) : std::nullopt;
}

std::vector<std::optional<Sharding>> Converter::ShardingsPerValue(std::string_view text) const {
  std::vector<std::optional<Sharding>> shardings;
  for (size_t at = text.find("<@"); at != std::string_view::npos;) {
    const size_t next = text.find("<@", at + 2);
    std::string_view one = text.substr(at, next == std::string_view::npos ? next : next - at);
    one = one.substr(0, one.rfind(next == std::string_view::npos ? "]>" : ","));
    shardings.push_back(ShardingOf(one));
    at = next;
  }
  return shardings;
}

}  // namespace hloir::stablehlo
