// What a module costs to run: operations, transcendentals, and bytes read and written, per instruction and in all. The
// rules are those of XLA's HloCostAnalysis, so that figures can be held against XLA's; docs/cost.md has them, with the
// differences. Counted, not measured: nothing is said of caches, threads or a machine.
//
// Example:
//
//   const CostAnalysis cost(module);
//   double flops = cost.total().once.flops, rounds_counted = cost.total().repeated.flops;
//   double bytes = cost.Of(*module.entry_computation()->root()).once.bytes;
//
// An analysis is of the module as it was when it was made; it reads the module, so any thread may use one of its own.
// Tested by tests/unit/cost_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// Whole numbers, as doubles: a sum may pass 2^63. NaN for what depends on an unbounded dimension (`?`), and for sums of
// that.
struct Cost {
  double flops = 0;            // operations on elements that are not transcendental; a multiply-add is two
  double transcendentals = 0;  // elements that transcendental ops give
  double bytes = 0;            // read from operands and written to the result; types under a byte take one

  Cost& operator+=(const Cost& other);
  friend Cost operator*(Cost cost, double times);
  friend bool operator==(const Cost&, const Cost&) = default;
};

// A cost, counted in both ways that loops can be counted.
struct CostResult {
  Cost once;                  // XLA's figures: the body of a loop counts once
  Cost repeated;              // the body of a loop counts as often as it runs, where that is known; else once
  int64_t unknown_loops = 0;  // loops in it of which it is not
  int64_t custom_calls = 0;   // in it of targets that docs/cost.md does not list: nothing is counted for them
};

// The costs of a module: of each instruction, each computation, and in all.
class CostAnalysis {
 public:
  // Linear in the module's size.
  explicit CostAnalysis(const HloModule& module);

  // Cost of the entry computation and all that it calls.
  const CostResult& total() const { return total_; }
  // Cost of one run of `computation`; zero for a computation that was added later.
  const CostResult& Of(const HloComputation& computation) const;
  // Cost of one instruction with the computations that it calls: a fusion has the operations of its body, and the bytes
  // of its operands and results. The instruction may have been added later, the computations that it calls may not.
  CostResult Of(const HloInstruction& instruction) const;
  // Counts `computation` again after an edit; the costs of its callees are taken as they were.
  void Update(const HloComputation& computation);
  // Bytes read from each operand, and bytes written. A call, loop or conditional moves nothing itself.
  struct Bytes {
    std::vector<double> operands;
    double output = 0;
    double Sum() const;
  };
  Bytes BytesOf(const HloInstruction& instruction) const;

 private:
  CostResult total_;
  std::vector<CostResult> computations_;  // by id
};

// The trip count of a loop: from the values that it computes, in any form (not only the one of FindLoopCounter), or
// from its backend_config, XLA's {"known_trip_count":{"n":"5"}}.
std::optional<int64_t> TripCount(const HloInstruction& loop);

// How often one run of the entry runs each computation as a step of control flow, by computation id: a loop's body as
// often as it runs, where that is known, else once; each branch of a conditional once. 0 for what is only applied to
// elements, fused, or reached by nothing.
std::vector<double> ExecutionCounts(const HloModule& module);
// Whether that is known, by computation id: false within a loop of which it is not known how often it runs.
std::vector<bool> KnownExecutionCounts(const HloModule& module);

// What a module's devices send each other: each collective, send and receive with its groups of devices, the bytes that
// it moves, the axes of the mesh that it runs along, and how often it runs. Counted from the text: nothing is said of
// links or time (Roofline does).
//
// Example:
//
//   StatusOr<Mesh> mesh = ParseMesh("data=8,model=4");
//   if (!mesh.ok()) return;
//   const CommunicationAnalysis communication(module, *mesh);
//   for (const Communication& c : communication.all()) (void)(c.axes == "data" && c.sent * c.times > 1e9);
//   double bytes = communication.sent_bytes();   // all devices together, trip counts multiplied
//
// Devices are numbered as RunOnDevices does (evaluator.h). An analysis is of the module as it was when it was made and
// points into it. It reads the module, so any thread may make one.
// Tested by tests/unit/communication_test.cc.

// The communication of one instruction: a collective, its start, or a send or receive. A fusion or async-start has one
// for each collective in it.
struct Communication {
  const HloInstruction* instruction = nullptr;  // the step of the program
  const HloInstruction* collective = nullptr;   // itself, or what is in it
  // The synchronous form's: kAllReduce for all-reduce-start.
  HloOpcode kind = HloOpcode::kAllReduce;
  bool is_asynchronous = false;  // there is a done elsewhere, and other work may run before it
  bool is_host = false;          // a send or receive from or to the host: no device of the mesh takes part
  // Devices that exchange something; of permutes, sends and receives {source, target} each.
  std::vector<std::vector<int64_t>> groups;
  int64_t group_size = 1;  // of the largest group; 2 for pairs
  std::string axes;        // "data", "data,model": the mesh's axes along which the groups lie; "" if there is no mesh,
                           // "part of data" for groups smaller than these axes
  // How often a device runs it, where that is known: as ExecutionCounts, but of a conditional's branches only the one
  // that sends most.
  double times = 0;
  bool times_known = true;
  // Of one run, in bytes.
  double payload = 0;  // the operands that a device brings
  double result = 0;   // the arrays that it gets
  double sent = 0;     // by all devices together at least, whatever the algorithm: see WireBytes
};

// How many bytes one member of a group of n sends at least, if it brings `payload` bytes: n-1 n-ths of twice the array
// for all-reduce (a reduce-scatter and an all-gather), n-1 n-ths for reduce-scatter, all-to-all and, on average,
// collective-broadcast, the operand n-1 times for all-gather; all of it for permutes and sends. A ring reaches it.
double WireBytes(HloOpcode kind, double payload, int64_t n);

// The devices of each group; of permutes, sends and receives {source, target}. A group that nobody names is
// everybody's. If the groups name more devices than the module's header says, the groups are believed. InvalidArgument
// for an instruction that does not communicate.
StatusOr<std::vector<std::vector<int64_t>>> DeviceGroups(const HloInstruction& instruction);

// How many replicas, and partitions of each, the module runs on: as its header says; if that has one device, as many as
// the groups and pairs of its collectives name.
struct NamedDevices {
  int64_t replicas = 1, partitions = 1;
};
NamedDevices NamedDevicesOf(const HloModule& module);

// The devices that wait for one another where the collective runs on so many replicas and partitions, group by group;
// of collective-permute all that its pairs' numbers could name; of send and recv {source, target} each.
// InvalidArgument, which names the instruction, for numbers that are not there.
StatusOr<std::vector<std::vector<int64_t>>> MeetingGroups(const HloInstruction& instruction, int64_t replicas,
                                                          int64_t partitions);

// True if the send or recv has the frontend attribute _xla_send_recv_source_target_pairs.
bool HasTransferPairs(const HloInstruction& transfer);
// Who sends to whom over the channel of a send or recv that has not. The pairs of its other end, if that has them. Else
// the one device that sends, to the one that receives, of a replica's partitions, or of the replicas, if these have one
// partition; where all that send receive as well, each sends itself. A device has an end if the sharding gives it to no
// other ({maximal device=3}) and if the conditionals around it, by partition-id and replica-id, take it there.
// Partition p runs programs[p] (empty: all run the transfer's own). InvalidArgument, Unimplemented where that leaves it
// open.
struct ChannelPairs {
  std::vector<std::vector<int64_t>> pairs;  // {source, target}, numbers of devices
  bool is_open = false;                     // no program has the other end
};
StatusOr<ChannelPairs> PairsOfChannel(const HloInstruction& transfer, int64_t replicas, int64_t partitions,
                                      std::span<const HloModule* const> programs = {});
// The one device that the instruction's sharding gives it to: a partition, or a replica where these have one partition.
std::optional<int64_t> OwnerOf(const HloInstruction& instruction);
// The order in which a run takes a computation's instructions: PostOrder(), but where there are both, what may wait for
// other devices (recv-done, collectives, control flow, in the order that they have) comes after all that does not
// depend on it, so that devices send before they wait.
std::vector<const HloInstruction*> OrderOfRun(const HloComputation& computation);

// "data=8,model=4": names and sizes, the last axis changing fastest from device to device.
StatusOr<Mesh> ParseMesh(std::string_view text);
// The first mesh that the module's header (JAX's xla.sdy.meshes), a sharding or a collective names.
std::optional<Mesh> FindMesh(const HloModule& module);
// The number of devices: the product of the sizes; 1 for a mesh without axes.
int64_t DeviceCount(const Mesh& mesh);
// The numbers of the axes along which these groups lie, in the mesh's order; `whole`: each group spans these axes.
// Nothing if the mesh does not have these devices.
struct MeshSpan {
  std::vector<size_t> axes;
  bool whole = true;
};
std::optional<MeshSpan> SpanOf(const std::vector<std::vector<int64_t>>& groups, const Mesh& mesh);

// All of a module's communication, in the order of its text.
class CommunicationAnalysis {
 public:
  explicit CommunicationAnalysis(const HloModule& module, const std::optional<Mesh>& mesh = std::nullopt);
  const std::vector<Communication>& all() const { return all_; }
  // nullptr: it does not communicate. For a fusion or async-start with several collectives, the first.
  const Communication* Of(const HloInstruction& instruction) const;
  std::span<const Communication> AllOf(const HloInstruction& instruction) const;
  // By all devices together over the whole run, transfers with the host apart.
  double sent_bytes() const;

  // Sums over instructions with a common property.
  struct Sum {
    std::string key;
    int64_t instructions = 0;
    double times = 0, payload = 0, sent = 0;  // of all runs; the payload of one device
    bool times_known = true;
  };
  // By "all-reduce"; by "{{0,1},{2,3}}", shortened; by axes (empty without a mesh). The largest first.
  std::vector<Sum> ByKind() const, ByGroups() const, ByAxes() const;

 private:
  std::vector<Communication> all_;
  std::vector<int32_t> index_;  // by instruction id; -1: none
};

// "{{0,1},{2,3}}"; of long lists the first groups and how many there are.
std::string GroupsText(const std::vector<std::vector<int64_t>>& groups);

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

// All rates are of one device, in units (bytes, operations, elements) a second.
struct DeviceDescription {
  // A cache: working sets up to `bytes` are moved at `bandwidth`.
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

// InvalidArgument names a missing field or one that is no number. `bandwidth` and `flops` are required.
StatusOr<DeviceDescription> ParseDevice(std::string_view json);
// JSON that ParseDevice reads, indented.
std::string DeviceJson(const DeviceDescription& device);

// How long a module would take on a device, by its roofline: each instruction takes as long as its operations, its
// bytes or its communication need, whichever is longest; instructions run one after the other in the module's order
// (the schedule's, or without one that of printing), and asynchronous communication beside them until its done. A bound
// that good code comes near, not a measurement.
//
// Example:
//
//   const DeviceDescription device;  // as ParseDevice reads one
//   const Roofline roofline(module, device);
//   double seconds = roofline.seconds(), waited = roofline.exposed_seconds();
//   const Roofline::Step* dot = roofline.Of(*module.entry_computation()->root());
//   if (dot != nullptr) (void)(dot->bound == Roofline::Bound::kMemory);
//
// It reads module and device, so any thread may make one; it points into the module as it was then.
// Tested by tests/unit/roofline_test.cc.

// The module's mesh, and a changed one: other sizes of axes, axes on certain links.
struct WhatIfMesh {
  Mesh mesh;
  std::vector<int64_t> sizes;      // of each axis then
  std::vector<std::string> links;  // of each axis, by name; "": the first that reaches
  int64_t devices() const;
};
// "data=8,model=4" names the axes of the module's devices; "data=8:64@dcn" asks what if it had 64 devices and lay on
// the link dcn. Arrays keep their sizes: of an all-gather the whole, of other collectives each device's.
StatusOr<WhatIfMesh> ParseWhatIfMesh(std::string_view text);

// The times of a module's instructions on a device, and their timeline.
class Roofline {
 public:
  // The resource that bounds an instruction's time.
  enum class Bound : uint8_t { kNothing, kCompute, kMemory, kCommunication, kOverhead };
  // One instruction of a computation that runs as code.
  struct Step {
    const HloInstruction* instruction = nullptr;
    double times = 0;  // how often it runs (ExecutionCounts)
    bool times_known = true;
    double compute = 0, memory = 0, communication = 0;  // seconds that each would need for one run
    double seconds = 0;                                 // of one run; of control flow with all that it calls
    Bound bound = Bound::kNothing;
  };
  // A piece of the timeline. Of a loop the whole, and in it the first round.
  struct Event {
    const HloInstruction* instruction = nullptr;
    double start = 0, seconds = 0;
    enum class Stream : uint8_t { kCompute, kCommunication, kAsynchronous } stream = Stream::kCompute;
    int32_t depth = 0;  // of loops, calls and branches around it
  };

  Roofline(const HloModule& module, const DeviceDescription& device,
           const std::optional<WhatIfMesh>& mesh = std::nullopt);

  double seconds() const { return seconds_; }  // from begin to end
  // Communication in all, and that part of it in which nothing else ran; both with trip counts.
  double communication_seconds() const { return communication_; }
  double exposed_seconds() const { return exposed_; }
  const std::vector<Step>& steps() const { return steps_; }
  const Step* Of(const HloInstruction& instruction) const;
  // By start; at most a hundred thousand.
  const std::vector<Event>& events() const { return events_; }
  const CostAnalysis& cost() const { return cost_; }
  const CommunicationAnalysis& communications() const { return communications_; }
  const DeviceDescription& device() const { return device_; }

 private:
  class Builder;
  double seconds_ = 0, communication_ = 0, exposed_ = 0;
  DeviceDescription device_;
  CostAnalysis cost_;
  CommunicationAnalysis communications_;
  std::vector<Step> steps_;
  std::vector<int32_t> index_;  // by instruction id; -1: none
  std::vector<Event> events_;
};

std::string_view BoundName(Roofline::Bound bound);

}  // namespace hloir
#pragma GCC visibility pop
