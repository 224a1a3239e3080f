// Memory, from the buffer assignment; see hloir/report.h.
#include <algorithm>

#include "hloir/analysis/buffer_assignment.h"
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

}  // namespace

std::string MemoryReport(const HloModule& module, size_t most) {
  const BufferAssignment buffers = AssignBuffers(module);
  const BufferAssignment::Computation& entry = buffers.of(*module.entry_computation());
  Table totals({"memory", "bytes"});
  totals.Add({"parameters", HumanBytes(buffers.parameter_bytes)});
  totals.Add({"constants", HumanBytes(buffers.constant_bytes)});
  totals.Add({"results and temporaries, each with memory of its own", HumanBytes(entry.unshared_bytes)});
  totals.Add({"results and temporaries, as they are placed", HumanBytes(entry.heap_bytes)});
  totals.Add({"of that in use at the peak", HumanBytes(entry.peak_bytes)});
  totals.Add({"all together", HumanBytes(buffers.parameter_bytes + buffers.constant_bytes + entry.heap_bytes)});
  std::string text = totals.ToString();
  if (entry.live_at_peak.empty()) return text;
  text += Format("\nin use at the peak, when {} runs\n", entry.peak->name());
  Table live({"value", "shape", "bytes", "offset"});
  live.LeftAlign(1);
  for (size_t k = 0; k < std::min(most, entry.live_at_peak.size()); ++k) {
    const BufferAssignment::Value& value = entry.values[static_cast<size_t>(entry.live_at_peak[k])];
    live.Add({NameOf(value), ShapeOf(value), HumanBytes(value.bytes), Format("{}", value.offset)});
  }
  text += live.ToString();
  if (entry.live_at_peak.size() > most) text += Format("and {} smaller ones\n", entry.live_at_peak.size() - most);
  return text;
}

std::string MemoryReportJson(const HloModule& module, bool all_values) {
  const BufferAssignment buffers = AssignBuffers(module);
  const BufferAssignment::Computation& entry = buffers.of(*module.entry_computation());
  Json json = {{"parameter_bytes", buffers.parameter_bytes},
               {"constant_bytes", buffers.constant_bytes},
               {"unshared_bytes", entry.unshared_bytes},
               {"heap_bytes", entry.heap_bytes},
               {"peak_bytes", entry.peak_bytes}};
  if (entry.peak != nullptr) json["peak"] = entry.peak->name();
  const auto value_json = [](const BufferAssignment::Value& value) -> Json {
    return {{"value", NameOf(value)}, {"shape", ShapeOf(value)}, {"bytes", value.bytes},
            {"offset", value.offset}, {"first", value.first},    {"last", value.last}};
  };
  Json live = Json::array();
  for (int64_t v : entry.live_at_peak) live.push_back(value_json(entry.values[static_cast<size_t>(v)]));
  json["live_at_peak"] = std::move(live);
  if (all_values) {
    Json all = Json::array();
    for (const BufferAssignment::Value& value : entry.values) all.push_back(value_json(value));
    json["live_ranges"] = std::move(all);
  }
  return JsonLine(json);
}

}  // namespace hloir
