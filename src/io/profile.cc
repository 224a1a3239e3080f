// See profile.h. An XSpace holds planes: one with the programs' HloProtos, and one for the host and for each device
// with lines of events. An event is a run of an instruction if it has the stat hlo_op (CPU, GPU), or is on a line "XLA
// Ops" (TPU). Numbers and names of fields: tsl/profiler/protobuf/xplane.proto. Tested by tests/unit/profile_test.cc.
#include "profile.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hloir/proto.h"
#include "support/format.h"

namespace hloir {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

std::string_view View(protozero::data_view view) { return {view.data(), view.size()}; }

// Calls `use` for each field of a message. It reads the value or skips it.
template <class F>
void ForEachField(std::string_view bytes, F&& use) {
  pbf_reader reader(bytes.data(), bytes.size());
  while (reader.next()) use(reader);
}
bool Is(const pbf_reader& field, uint32_t tag, pbf_wire_type type) {
  return field.tag() == tag && field.wire_type() == type;
}
bool IsBytes(const pbf_reader& field, uint32_t tag) { return Is(field, tag, pbf_wire_type::length_delimited); }
bool IsVarint(const pbf_reader& field, uint32_t tag) { return Is(field, tag, pbf_wire_type::varint); }

// A named property of an event.
struct Stat {
  uint64_t name = 0, number = 0, reference = 0;
  std::string_view text;
};
Stat ParseStat(std::string_view bytes) {
  Stat stat;
  ForEachField(bytes, [&](pbf_reader& field) {
    if (IsVarint(field, 1)) stat.name = field.get_uint64();
    else if (IsVarint(field, 3) || IsVarint(field, 4)) stat.number = field.get_uint64();
    else if (IsBytes(field, 5) || IsBytes(field, 6)) stat.text = View(field.get_view());
    else if (IsVarint(field, 7)) stat.reference = field.get_uint64();
    else field.skip();
  });
  return stat;
}

// The properties that all events of a kind share.
struct EventKind {
  std::string_view name, display_name;
  std::vector<Stat> stats;
};

// The value of an entry {1: key, 2: value} of a map.
std::pair<uint64_t, std::string_view> ParseEntry(std::string_view bytes) {
  std::pair<uint64_t, std::string_view> entry;
  ForEachField(bytes, [&](pbf_reader& field) {
    if (IsVarint(field, 1)) entry.first = field.get_uint64();
    else if (IsBytes(field, 2)) entry.second = View(field.get_view());
    else field.skip();
  });
  return entry;
}

struct Plane {
  std::string_view name;
  std::vector<std::string_view> lines;
  std::unordered_map<uint64_t, EventKind> kinds;
  std::unordered_map<uint64_t, std::string_view> stat_names;
};
Plane ParsePlane(std::string_view bytes) {
  Plane plane;
  ForEachField(bytes, [&](pbf_reader& field) {
    if (IsBytes(field, 2)) {
      plane.name = View(field.get_view());
    } else if (IsBytes(field, 3)) {
      plane.lines.push_back(View(field.get_view()));
    } else if (IsBytes(field, 4)) {
      const auto [id, message] = ParseEntry(View(field.get_view()));
      EventKind& kind = plane.kinds[id];
      ForEachField(message, [&](pbf_reader& part) {
        if (IsBytes(part, 2)) kind.name = View(part.get_view());
        else if (IsBytes(part, 4)) kind.display_name = View(part.get_view());
        else if (IsBytes(part, 5)) kind.stats.push_back(ParseStat(View(part.get_view())));
        else part.skip();
      });
    } else if (IsBytes(field, 5)) {
      const auto [id, message] = ParseEntry(View(field.get_view()));
      std::string_view& name = plane.stat_names[id];
      ForEachField(message, [&](pbf_reader& part) {
        if (IsBytes(part, 2)) name = View(part.get_view());
        else part.skip();
      });
    } else {
      field.skip();
    }
  });
  return plane;
}

// The number in "jit_step(42)": of a program; -1 if there is none.
int64_t ProgramIn(std::string_view name) {
  const size_t open = name.rfind('(');
  int64_t number = -1;
  if (open == std::string_view::npos || !name.ends_with(')')) return -1;
  const std::string_view digits = name.substr(open + 1, name.size() - open - 2);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? number : -1;
}

// "fusion.3" of "%fusion.3 = f32[8]{0} fusion(…)".
std::string_view InstructionIn(std::string_view text) {
  text = text.substr(0, text.find(" = "));
  if (text.starts_with('%')) text.remove_prefix(1);
  return text;
}

class Profile {
 public:
  void Read(std::string_view bytes) {
    std::vector<Plane> planes;
    ForEachField(bytes, [&](pbf_reader& field) {
      if (IsBytes(field, 1)) planes.push_back(ParsePlane(View(field.get_view())));
      else field.skip();
    });
    for (const Plane& plane : planes) ReadPrograms(plane);
    for (size_t number = 0; number < planes.size(); ++number) {
      std::vector<Line> lines;
      for (std::string_view line : planes[number].lines) lines.push_back(ParseLine(line));
      // The runs tell the programs of the other lines' events.
      for (const Line& line : lines) {
        if (line.name == "XLA Modules") ReadRuns(planes[number], number, line);
      }
      for (const Line& line : lines) {
        if (line.name != "XLA Modules") ReadInstructions(planes[number], number, line);
      }
    }
  }

  Status Finish(ModuleFile& file) {
    std::vector<std::pair<double, int64_t>> order;
    for (const auto& [id, bytes] : programs_) {
      double seconds = 0;
      for (const auto& [name, time] : times_[id].instructions) seconds += time.seconds;
      order.emplace_back(-seconds, id);
    }
    if (order.empty()) return InvalidArgument("the profile holds no module");
    std::sort(order.begin(), order.end());
    for (const auto& [seconds, id] : order) {
      HLOIR_ASSIGN_OR_RETURN(HloProtoFile proto, ParseHloProto(programs_[id]));
      file.modules.push_back(std::move(proto.module));
      MeasuredTimes& times = times_[id];
      times.runs = std::max<int64_t>(static_cast<int64_t>(runs_[id].size()), 1);
      file.measured.push_back(std::move(times));
    }
    return OkStatus();
  }

 private:
  void ReadPrograms(const Plane& plane) {
    for (const auto& [id, kind] : plane.kinds) {
      for (const Stat& stat : kind.stats) {
        const auto name = plane.stat_names.find(stat.name);
        if (name == plane.stat_names.end() || (name->second != "Hlo Proto" && name->second != "hlo_proto")) continue;
        const int64_t program = ProgramIn(kind.name);
        programs_[program >= 0 ? program : static_cast<int64_t>(id)] = stat.text;
      }
    }
  }

  struct Event {
    std::string_view instruction;
    int64_t program = -1;
    uint64_t start = 0, duration = 0;  // picoseconds; sums of corrupt ones wrap around
    uint64_t run = 0, device = 0;
  };
  struct Line {
    std::string_view name;
    uint64_t start = 0;  // picoseconds
    std::vector<std::string_view> events;
  };
  static Line ParseLine(std::string_view bytes) {
    Line line;
    ForEachField(bytes, [&](pbf_reader& field) {
      if (IsBytes(field, 2)) line.name = View(field.get_view());
      else if (IsVarint(field, 3)) line.start = field.get_uint64() * 1000;
      else if (IsBytes(field, 4)) line.events.push_back(View(field.get_view()));
      else field.skip();
    });
    return line;
  }

  void ReadInstructions(const Plane& plane, size_t number, const Line& line) {
    for (std::string_view message : line.events) {
      Event event = ParseEvent(plane, message, line.name == "XLA Ops");
      if (event.instruction.empty()) continue;
      if (event.program < 0) event.program = ProgramAt(number, line.start + event.start);
      if (!programs_.contains(event.program)) continue;
      MeasuredTimes& times = times_[event.program];
      const auto it = times.instructions.try_emplace(std::string(event.instruction)).first;
      ++it->second.count;
      it->second.seconds += static_cast<double>(event.duration) * 1e-12;
      if (event.run != 0) runs_[event.program].insert({number, event.device, event.run});
    }
  }

  Event ParseEvent(const Plane& plane, std::string_view message, bool is_instruction) {
    Event event;
    const EventKind* kind = nullptr;
    const auto use = [&](const Stat& stat) {
      const auto name = plane.stat_names.find(stat.name);
      if (name == plane.stat_names.end()) return;
      if (name->second == "hlo_op") {
        const auto text = plane.stat_names.find(stat.reference);
        event.instruction = stat.reference != 0 && text != plane.stat_names.end() ? text->second : stat.text;
      } else if (name->second == "program_id") {
        event.program = static_cast<int64_t>(stat.number);
      } else if (name->second == "run_id") {
        event.run = stat.number;
      } else if (name->second == "device_ordinal") {
        event.device = stat.number;
      }
    };
    ForEachField(message, [&](pbf_reader& field) {
      if (IsVarint(field, 1)) {
        const auto it = plane.kinds.find(field.get_uint64());
        if (it != plane.kinds.end()) kind = &it->second;
      } else if (IsVarint(field, 2)) {
        event.start = field.get_uint64();
      } else if (IsVarint(field, 3)) {
        event.duration = field.get_uint64();
      } else if (IsBytes(field, 4)) {
        use(ParseStat(View(field.get_view())));
      } else {
        field.skip();
      }
    });
    if (kind == nullptr) return event;
    for (const Stat& stat : kind->stats) use(stat);
    if (is_instruction && event.instruction.empty())
      event.instruction = kind->display_name.empty() ? InstructionIn(kind->name) : kind->display_name;
    return event;
  }

  // A TPU's line of programs: each event is a run.
  void ReadRuns(const Plane& plane, size_t number, const Line& line) {
    for (std::string_view message : line.events) {
      Event event = ParseEvent(plane, message, /*is_instruction=*/true);
      if (event.program < 0) event.program = ProgramIn(event.instruction);
      if (event.program < 0) continue;
      const uint64_t start = line.start + event.start;
      spans_[number][start] = {start + event.duration, event.program};
      runs_[event.program].insert({number, 0, start + 1});
    }
  }
  // The program that a device ran at that time; -1 if none.
  int64_t ProgramAt(size_t plane, uint64_t time) {
    const auto found = spans_.find(plane);
    if (found == spans_.end()) return -1;
    auto span = found->second.upper_bound(time);
    if (span == found->second.begin()) return -1;
    --span;
    if (time < span->second.first) return span->second.second;
    return -1;
  }

  std::map<int64_t, std::string_view> programs_;  // HloProtos
  std::map<int64_t, MeasuredTimes> times_;
  std::map<int64_t, std::set<std::tuple<size_t, uint64_t, uint64_t>>> runs_;  // plane, device, run
  // By plane and start: the end and the program of a run.
  std::map<size_t, std::map<uint64_t, std::pair<uint64_t, int64_t>>> spans_;
};

// A ModuleTuningData: a module, and its times under several configurations. Numbers of fields:
// tpu_graphs/proto/tuning.proto, and ExecutionProfile in xla_data.proto.
struct TuningData {
  std::string_view module;
  double default_seconds = 0, least_seconds = 0;
};
// True if the bytes are a ModuleTuningData: an HloProto or HloModuleProto has no number in its second field.
bool HasFingerprint(std::string_view bytes) {
  pbf_reader reader(bytes.data(), bytes.size());
  while (reader.next()) {
    if (IsVarint(reader, 2)) return true;
    reader.skip();
  }
  return false;
}
TuningData ParseModuleTuningData(std::string_view bytes) {
  TuningData data;
  ForEachField(bytes, [&](pbf_reader& field) {
    if (IsBytes(field, 1)) {
      data.module = View(field.get_view());
    } else if (IsBytes(field, 3)) {
      double seconds = 0;
      bool is_default = false, failed = false;
      ForEachField(View(field.get_view()), [&](pbf_reader& part) {
        if (IsVarint(part, 3)) {
          failed = part.get_uint64() != 0;
        } else if (IsVarint(part, 5)) {
          is_default = part.get_uint64() != 0;
        } else if (IsBytes(part, 4)) {
          ForEachField(View(part.get_view()), [&](pbf_reader& time) {
            if (IsVarint(time, 4)) seconds = static_cast<double>(time.get_uint64()) * 1e-9;
            else time.skip();
          });
        } else {
          part.skip();
        }
      });
      if (failed || seconds <= 0) return;
      if (is_default) data.default_seconds = seconds;
      if (data.least_seconds == 0 || seconds < data.least_seconds) data.least_seconds = seconds;
    } else {
      field.skip();
    }
  });
  return data;
}

// The ModuleTuningData in the bytes, which are one or a TuningData.
std::vector<TuningData> ParseAllTuningData(std::string_view bytes) {
  if (HasFingerprint(bytes)) return {ParseModuleTuningData(bytes)};
  std::vector<TuningData> all;
  ForEachField(bytes, [&](pbf_reader& field) {
    if (IsBytes(field, 1)) all.push_back(ParseModuleTuningData(View(field.get_view())));
    else field.skip();
  });
  return all;
}

}  // namespace

bool LooksLikeProfile(std::string_view bytes) try {
  constexpr int kMostPlanes = 64;
  if (!bytes.starts_with('\x0A')) return false;
  pbf_reader reader(bytes.data(), bytes.size());
  for (int planes = 0; planes < kMostPlanes && reader.next(); ++planes) {
    if (!IsBytes(reader, 1)) return false;
    pbf_reader plane = reader.get_message();
    while (plane.next()) {
      if (!IsBytes(plane, 2)) {
        plane.skip();
        continue;
      }
      // In an HloProto this is the name of a computation, which has no slash at its beginning.
      const std::string_view name = View(plane.get_view());
      if (name.starts_with("/host:") || name.starts_with("/device:")) return true;
      break;
    }
  }
  return false;
} catch (const std::exception&) {
  return false;
}

bool LooksLikeTuningData(std::string_view bytes) try {
  if (!bytes.starts_with('\x0A')) return false;
  if (HasFingerprint(bytes)) return true;
  pbf_reader reader(bytes.data(), bytes.size());
  return reader.next() && IsBytes(reader, 1) && HasFingerprint(View(reader.get_view()));
} catch (const std::exception&) {
  return false;
}

Status ParseTuningData(std::string_view bytes, ModuleFile& file) {
  std::vector<TuningData> all;
  try {
    all = ParseAllTuningData(bytes);
  } catch (const protozero::exception&) {
    return InvalidArgument("corrupt sample of TpuGraphs");
  }
  for (const TuningData& data : all) {
    HLOIR_ASSIGN_OR_RETURN(HloProtoFile proto, ParseHloProto(data.module));
    file.modules.push_back(std::move(proto.module));
    file.measured.emplace_back().seconds = data.default_seconds > 0 ? data.default_seconds : data.least_seconds;
  }
  return OkStatus();
}

Status ParseProfile(std::string_view bytes, ModuleFile& file) {
  Profile profile;
  try {
    profile.Read(bytes);
  } catch (const protozero::exception&) {
    return InvalidArgument("corrupt profile (XSpace)");
  }
  return profile.Finish(file);
}

}  // namespace hloir
