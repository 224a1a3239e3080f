// A device as a roofline sees it: how many operations and bytes a second it manages, and over which links it reaches
// others. Descriptions are JSON files, of which some come with hloir (share/hloir/devices), each figure with its
// source; docs/cost.md has the fields.
//
// Example:
//
//   StatusOr<DeviceDescription> device = ParseDevice(R"({"name": "mine", "bandwidth": 1e11, "flops": {"default":
//   1e12}})"); if (device.ok()) (void)Roofline(module, *device).seconds();
//
// A value; any thread may use one of its own. Tested by tests/unit/roofline_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// All rates are of one device, in units (bytes, operations, elements) a second.
struct DeviceDescription {
  // What fits in `bytes` moves at `bandwidth`.
  struct Cache {
    double bytes = 0, bandwidth = 0;
  };
  // A way to other devices: each device sends at `bandwidth` and waits `latency` seconds for each step of an algorithm.
  struct Link {
    std::string name;
    double bandwidth = 0, latency = 0;
    int64_t devices = 0;  // it joins blocks of as many, by their numbers; 0: all
  };
  std::string name;
  std::vector<std::string> sources;  // where the figures are from, and which are assumed
  double memory_bytes = 0;           // 0: not said
  double bandwidth = 0;              // of the memory
  std::vector<Cache> caches;         // the smallest first
  // By element type ("bf16", "f32", …), "default" for all others: FLOPs of dots and convolutions (none: as `flops`), of
  // other operations.
  std::map<std::string, double> products, flops;
  double transcendentals = 0;  // elements; 0: as `flops`
  // What goes otherwise, by opcode name: operations a second, of an opcode that computes nothing bytes.
  // Kinds that go differently again have names of their own: "grouped-convolution", "running-sum" (a reduce-window over
  // whole dimensions), "tuple-reduce" (of several arrays at once). A name with a type, "divide.s32", comes before that
  // without: it is for the opcode with a first operand of that type.
  std::map<std::string, double> opcodes;
  std::map<std::string, double> slices;  // by opcode, "gather" and "scatter": slices a second at most
  double startup = 0;                    // seconds of a run before its first instruction
  double overhead = 0;                   // seconds that each instruction takes beside its work
  double scalar_overhead = 0;            // instead, of each operation on single elements; 0: as `overhead`
  double loop_overhead = 0;              // seconds of each round of a loop beside its body
  std::vector<Link> links;               // the fastest first

  // The rate for a type in one of the tables; 0: nothing is said.
  static double RateOf(const std::map<std::string, double>& rates, std::string_view type);
};

// InvalidArgument names what is missing or no number. `bandwidth` and `flops` must be there.
StatusOr<DeviceDescription> ParseDevice(std::string_view json);
// What ParseDevice reads, indented.
std::string DeviceJson(const DeviceDescription& device);

}  // namespace hloir
#pragma GCC visibility pop
