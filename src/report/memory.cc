// Reports on memory from the buffer assignment; see hloir/report.h.
#include <algorithm>

#include "hloir/analysis.h"
#include "hloir/report.h"
#include "json.h"
#include "support/format.h"
#include "support/text.h"
#include "table.h"

namespace hloir {
namespace {

std::string NameOf(const BufferAssignment::Value& value) {
  std::string name(value.instruction->name());
  if (value.is_scratch) return name + ", within";
  if (value.index.empty()) return name;
  name += "{";
  for (size_t k = 0; k < value.index.size(); ++k) name += Format("{}{}", k > 0 ? "," : "", value.index[k]);
  return name + "}";
}
std::string ShapeOf(const BufferAssignment::Value& value) {
  const Shape* leaf = value.is_scratch ? nullptr : value.instruction->shape().AtIndex(value.index);
  return leaf == nullptr ? "" : leaf->ToString(/*with_layout=*/false);
}

constexpr int kMostDeep = 8;  // loops in loops that are looked into

// The callee with the largest heap, which a call, loop or branch needs while it runs. nullptr: `value` is an array.
const BufferAssignment::Computation* Within(const BufferAssignment& buffers, const BufferAssignment::Value& value) {
  const BufferAssignment::Computation* within = nullptr;
  if (!value.is_scratch) return within;
  for (const BufferAssignment::Computation& c : buffers.computations) {
    const auto& called = value.instruction->called_computations();
    if (std::find(called.begin(), called.end(), c.computation) == called.end()) continue;
    if (within == nullptr || c.heap_bytes > within->heap_bytes) within = &c;
  }
  return within;
}
// The largest of these that is not an array.
const BufferAssignment::Value* Scratch(const BufferAssignment::Computation& computation) {
  for (int64_t v : computation.live_at_peak)
    if (const auto& value = computation.values[static_cast<size_t>(v)]; value.is_scratch) return &value;
  return nullptr;
}

std::string LiveTable(const BufferAssignment::Computation& computation, size_t most) {
  Table live({"value", "shape", "bytes", "offset"});
  live.LeftAlign(1);
  constexpr size_t kName = 28, kShape = 28;
  for (size_t k = 0; k < std::min(most, computation.live_at_peak.size()); ++k) {
    const BufferAssignment::Value& value = computation.values[static_cast<size_t>(computation.live_at_peak[k])];
    live.Add({ShortName(NameOf(value), kName), ShortName(ShapeOf(value), kShape), HumanBytes(value.bytes),
              value.offset < 0 ? "" : Format("{}", value.offset)});
  }
  std::string text = live.ToString();
  const size_t count = computation.live_at_peak.size();
  if (count > most) text += Format("and {} smaller ones\n", count - most);
  return text;
}

Json ValueJson(const BufferAssignment::Value& value) {
  return {{"value", NameOf(value)}, {"shape", ShapeOf(value)}, {"bytes", value.bytes},
          {"offset", value.offset}, {"first", value.first},    {"last", value.last}};
}
Json LiveJson(const BufferAssignment::Computation& computation) {
  Json live = Json::array();
  for (int64_t v : computation.live_at_peak) live.push_back(ValueJson(computation.values[static_cast<size_t>(v)]));
  return live;
}

}  // namespace

std::string MemoryReport(const HloModule& module, size_t most) {
  const BufferAssignment buffers = AssignBuffers(module);
  const BufferAssignment::Computation& entry = buffers.of(*module.entry_computation());
  Table totals({"memory", "bytes"});
  const auto bytes = [&](int64_t known) { return buffers.is_unknown ? "unknown" : HumanBytes(known); };
  totals.Add({"parameters", bytes(buffers.parameter_bytes)});
  totals.Add({"constants", bytes(buffers.constant_bytes)});
  totals.Add({"results and temporaries, without sharing", bytes(entry.unshared_bytes)});
  totals.Add({"results and temporaries, allocated", bytes(entry.heap_bytes)});
  totals.Add({"live at the peak", bytes(entry.peak_bytes)});
  totals.Add({"total", bytes(buffers.parameter_bytes + buffers.constant_bytes + entry.heap_bytes)});
  std::string text = totals.ToString();
  if (buffers.is_unknown) return text + "unknown: arrays with unbounded dimensions (?) are in it\n";
  if (entry.live_at_peak.empty()) return text;
  constexpr size_t kName = 40;
  text += Format("\nlive at the peak, at {}\n", ShortName(entry.peak->name(), kName)) + LiveTable(entry, most);
  const BufferAssignment::Value* scratch = Scratch(entry);
  for (int depth = 0; scratch != nullptr && depth < kMostDeep; ++depth) {
    const BufferAssignment::Computation* within = Within(buffers, *scratch);
    if (within == nullptr || within->live_at_peak.empty()) break;
    text += Format("\ninside {}, at {}\n", ShortName(scratch->instruction->name(), kName / 2),
                   ShortName(within->peak->name(), kName)) +
            LiveTable(*within, most);
    scratch = Scratch(*within);
  }
  return text;
}

std::string MemoryReportJson(const HloModule& module, bool all_values) {
  const BufferAssignment buffers = AssignBuffers(module);
  const BufferAssignment::Computation& entry = buffers.of(*module.entry_computation());
  const auto bytes = [&](int64_t known) { return buffers.is_unknown ? Json() : Json(known); };
  Json json = {{"parameter_bytes", bytes(buffers.parameter_bytes)},
               {"constant_bytes", bytes(buffers.constant_bytes)},
               {"unshared_bytes", bytes(entry.unshared_bytes)},
               {"heap_bytes", bytes(entry.heap_bytes)},
               {"peak_bytes", bytes(entry.peak_bytes)}};
  if (entry.peak != nullptr) json["peak"] = entry.peak->name();
  json["live_at_peak"] = LiveJson(entry);
  Json levels = Json::array();
  const BufferAssignment::Value* scratch = Scratch(entry);
  for (int depth = 0; scratch != nullptr && depth < kMostDeep; ++depth) {
    const BufferAssignment::Computation* within = Within(buffers, *scratch);
    if (within == nullptr || within->peak == nullptr) break;
    levels.push_back({{"instruction", scratch->instruction->name()},
                      {"computation", within->computation->name()},
                      {"heap_bytes", within->heap_bytes},
                      {"peak_bytes", within->peak_bytes},
                      {"peak", within->peak->name()},
                      {"live_at_peak", LiveJson(*within)}});
    scratch = Scratch(*within);
  }
  json["within"] = std::move(levels);
  if (all_values) {
    Json all = Json::array();
    for (const BufferAssignment::Value& value : entry.values) all.push_back(ValueJson(value));
    json["live_ranges"] = std::move(all);
  }
  return JsonLine(json);
}

}  // namespace hloir
