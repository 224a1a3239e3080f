// Profiles (.xplane.pb): modules and measured times of CPUs, GPUs and TPUs; corrupt bytes.
#include <nlohmann/json.hpp>
#include <protozero/pbf_writer.hpp>
#include <string>

#include "hloir/cost.h"
#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/proto.h"
#include "inspect/cost_report.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

namespace hloir {
namespace {

using protozero::pbf_writer;

// A message as the calls of `write` make it.
template <class F>
std::string Message(F&& write) {
  std::string bytes;
  pbf_writer writer(bytes);
  write(writer);
  return bytes;
}
std::string Entry(uint64_t key, const std::string& value) {
  return Message([&](pbf_writer& w) { w.add_uint64(1, key), w.add_message(2, value); });
}
std::string Named(const std::string& name, const std::string& display_name = "", const std::string& stat = "") {
  return Message([&](pbf_writer& w) {
    w.add_string(2, name);
    if (!display_name.empty()) w.add_string(4, display_name);
    if (!stat.empty()) w.add_message(5, stat);
  });
}
std::string NumberStat(uint64_t name, uint64_t value) {
  return Message([&](pbf_writer& w) { w.add_uint64(1, name), w.add_uint64(3, value); });
}
std::string ReferenceStat(uint64_t name, uint64_t value) {
  return Message([&](pbf_writer& w) { w.add_uint64(1, name), w.add_uint64(7, value); });
}
std::string Event(uint64_t kind, uint64_t start, uint64_t duration, const std::vector<std::string>& stats = {}) {
  return Message([&](pbf_writer& w) {
    w.add_uint64(1, kind), w.add_uint64(2, start), w.add_uint64(3, duration);
    for (const std::string& stat : stats) w.add_message(4, stat);
  });
}
std::string Line(const std::string& name, const std::vector<std::string>& events, uint64_t nanoseconds = 0) {
  return Message([&](pbf_writer& w) {
    w.add_string(2, name), w.add_uint64(3, nanoseconds);
    for (const std::string& event : events) w.add_message(4, event);
  });
}

constexpr char kStep[] = R"(HloModule step
ENTRY main {
  x = f32[64] parameter(0)
  fast = f32[64] negate(x)
  ROOT slow = f32[64] exponential(fast)
}
)";

// The plane with the programs' HloProtos, under the numbers 7 and 8.
std::string Programs() {
  const auto proto = [](const std::string& text) {
    const StatusOr<std::string> bytes = SerializeModule(*Parse(text), {.form = FileFormat::Form::kProto});
    REQUIRE(bytes.ok());
    return Message([&](pbf_writer& w) { w.add_uint64(1, 1), w.add_bytes(6, *bytes); });
  };
  std::string other = kStep;
  other.replace(other.find("step"), 4, "other");
  return Message([&](pbf_writer& w) {
    w.add_string(2, "/host:metadata");
    w.add_message(4, Entry(8, Named("other(8)", "", proto(other))));
    w.add_message(4, Entry(7, Named("step(7)", "", proto(kStep))));
    w.add_message(5, Entry(1, Named("Hlo Proto")));
  });
}
std::string Space(const std::string& plane) {
  return Message([&](pbf_writer& w) { w.add_message(1, plane), w.add_message(1, Programs()); });
}
// Two runs on a CPU; stats name the instruction, the program and the run.
std::string CpuProfile() {
  const auto stats = [](uint64_t instruction, uint64_t run) {
    return std::vector<std::string>{ReferenceStat(1, instruction), NumberStat(2, 7), NumberStat(3, run)};
  };
  return Space(Message([&](pbf_writer& w) {
    w.add_string(2, "/host:CPU");
    w.add_message(3, Line("thread", {Event(1, 0, 1'000'000, stats(10, 100)), Event(1, 0, 3'000'000, stats(11, 100)),
                                     Event(1, 0, 1'000'000, stats(10, 101)), Event(1, 0, 5'000'000, stats(11, 101)),
                                     Event(1, 0, 9'000'000)}));
    w.add_message(4, Entry(1, Named("an event")));
    w.add_message(5, Entry(1, Named("hlo_op")));
    w.add_message(5, Entry(2, Named("program_id")));
    w.add_message(5, Entry(3, Named("run_id")));
    w.add_message(5, Entry(10, Named("fast")));
    w.add_message(5, Entry(11, Named("slow")));
  }));
}
// One run on a TPU; lines name the instructions and the program.
std::string TpuProfile() {
  return Space(Message([&](pbf_writer& w) {
    w.add_string(2, "/device:TPU:0");
    w.add_message(3, Line("XLA Ops", {Event(1, 1010, 1'000'000), Event(2, 1020, 3'000'000)}));
    // Its times count from a later moment than those of the other line, one nanosecond.
    w.add_message(3, Line("XLA Modules", {Event(3, 5, 5'000'000)}, 1));
    w.add_message(3, Line("Steps", {Event(4, 5, 5'000'000)}));
    w.add_message(4, Entry(1, Named("%fast = f32[64]{0} negate(%x)")));
    w.add_message(4, Entry(2, Named("%slow = f32[64]{0} exponential(%fast)", "slow")));
    w.add_message(4, Entry(3, Named("step(7)")));
    w.add_message(4, Entry(4, Named("1")));
  }));
}

}  // namespace

TEST_CASE("a profile has modules and the times of their instructions") {
  const StatusOr<ModuleFile> file = ParseModuleFile(CpuProfile());
  REQUIRE(file.status().message() == "");
  REQUIRE(file->modules.size() == 2);
  CHECK(file->modules[0]->name() == "step");  // the one with the longest time
  CHECK(file->modules[1]->name() == "other");
  REQUIRE(file->measured.size() == 2);
  const MeasuredTimes& times = file->measured[0];
  CHECK(times.runs == 2);
  REQUIRE(times.instructions.size() == 2);
  CHECK(times.instructions.at("fast").count == 2);
  CHECK(times.instructions.at("fast").seconds == Approx(2e-6));
  CHECK(times.instructions.at("slow").seconds == Approx(8e-6));
  CHECK(file->measured[1].instructions.empty());

  const StatusOr<ModuleFile> tpu = ParseModuleFile(TpuProfile());
  REQUIRE(tpu.status().message() == "");
  CHECK(tpu->module().name() == "step");
  CHECK(tpu->measured[0].runs == 1);
  REQUIRE(tpu->measured[0].instructions.size() == 2);
  CHECK(tpu->measured[0].instructions.at("fast").seconds == Approx(1e-6));
  CHECK(tpu->measured[0].instructions.at("slow").seconds == Approx(3e-6));
}

TEST_CASE("a cost report has the measured times beside the predicted ones") {
  const StatusOr<ModuleFile> file = ParseModuleFile(CpuProfile());
  REQUIRE(file.ok());
  DeviceDescription device;
  device.name = "slow", device.bandwidth = 1e9, device.flops["default"] = 1e9, device.transcendentals = 1e6;
  CostReportOptions options;
  options.device = &device, options.measured = &file->measured[0];
  CHECK(CostReport(file->module(), options).find("rank correlation (Kendall)") != std::string::npos);
  const auto json = [&] { return nlohmann::json::parse(CostJson(file->module(), options)); };
  CHECK(json()["roofline"]["measured"]["kendall_tau"] == 1);
  CHECK(json()["roofline"]["measured"]["ms"].get<double>() == Approx(0.005));
  CHECK(json()["instructions"][2]["measured_ms"].get<double>() == Approx(0.004));
  // The faster instruction is predicted to be the slower one.
  device.transcendentals = 1e15, device.bandwidth = 1e18, device.flops["default"] = 1e6;
  CHECK(json()["roofline"]["measured"]["kendall_tau"] == -1);
}

TEST_CASE("a sample of TpuGraphs has a module and its measured time") {
  const StatusOr<std::string> module = SerializeModule(*Parse(kStep), {.form = FileFormat::Form::kProto},
                                                       {.message = HloProtoFile::Form::kHloModuleProto});
  REQUIRE(module.ok());
  const auto run = [](uint64_t nanoseconds, bool is_default, bool failed) {
    return Message([&](pbf_writer& w) {
      w.add_bool(3, failed), w.add_bool(5, is_default);
      w.add_message(4, Message([&](pbf_writer& time) { time.add_uint64(4, nanoseconds); }));
    });
  };
  const auto sample = [&](bool with_default) {
    return Message([&](pbf_writer& w) {
      w.add_message(1, *module), w.add_uint64(2, 12345);
      w.add_message(3, run(1, false, true)), w.add_message(3, run(3000, false, false));
      if (with_default) w.add_message(3, run(4000, true, false));
      w.add_message(3, run(2000, false, false));
    });
  };
  const StatusOr<ModuleFile> one = ParseModuleFile(sample(true));
  REQUIRE(one.status().message() == "");
  CHECK(one->module().name() == "step");
  CHECK(one->measured[0].seconds == Approx(4e-6));
  const StatusOr<ModuleFile> two =
      ParseModuleFile(Message([&](pbf_writer& w) { w.add_message(1, sample(false)), w.add_message(1, sample(true)); }));
  REQUIRE(two.status().message() == "");
  REQUIRE(two->modules.size() == 2);
  CHECK(two->measured[0].seconds == Approx(2e-6));
  CHECK(two->measured[1].seconds == Approx(4e-6));
  DeviceDescription device;
  CostReportOptions options;
  options.device = &device, options.measured = &one->measured[0];
  const auto json = nlohmann::json::parse(CostJson(one->module(), options));
  CHECK(json["roofline"]["measured"]["module_ms"].get<double>() == Approx(0.004));
  CHECK(CostReport(one->module(), options).find("measured time of a run") != std::string::npos);
}

TEST_CASE("profiles that are cut or changed are refused or read, and no more") {
  for (const std::string& whole : {CpuProfile(), TpuProfile()}) {
    for (size_t at = 0; at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 0x5A);
      (void)ParseModuleFile(changed);
      (void)ParseModuleFile(whole.substr(0, at));
    }
  }
  const std::string none = Message([](pbf_writer& w) { w.add_message(1, Named("/host:CPU")); });
  CHECK(ParseModuleFile(none).status().message() == "the profile holds no module");
}

}  // namespace hloir
