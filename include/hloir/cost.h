// The cost of a module: operations, transcendentals, and bytes read and written, per instruction and in total. The
// rules are those of XLA's HloCostAnalysis, so that the numbers are comparable with XLA's; docs/cost.md lists them and
// the differences. The costs are counted, not measured, and independent of caches, threads and machine.
//
// Example:
//
//   const CostAnalysis cost(module);
//   double flops = cost.total().once.flops, rounds_counted = cost.total().repeated.flops;
//   double bytes = cost.Of(*module.entry_computation()->root()).once.bytes;
//
// An analysis describes the module at the time of its construction. It reads the module, so each thread may use its
// own. Tested by tests/unit/cost_test.cc.
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

// Whole numbers, as doubles: a sum may pass 2^63. NaN for costs that depend on an unbounded dimension (`?`), and for
// their sums.
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
  Cost repeated;              // with the body of a loop multiplied by its trip count, or by 1 if that is unknown
  int64_t unknown_loops = 0;  // loops in it of which it is not
  int64_t custom_calls = 0;   // with targets that docs/cost.md does not list; their cost is counted as 0
};

// The costs of a module: per instruction, per computation, and in total.
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
  // Recounts `computation` after an edit; the costs of its callees are not recounted.
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

// The trip count of a loop: by evaluating its condition, in any form (not only that of FindLoopCounter), or from its
// backend_config, XLA's {"known_trip_count":{"n":"5"}}.
std::optional<int64_t> TripCount(const HloInstruction& loop);

// The number of executions of each computation, by its id, in one run of the entry: for a loop's body the trip count,
// or 1 if that is unknown; 1 for each branch of a conditional. 0 for computations that are only applied to elements,
// fused, or unreachable.
std::vector<double> ExecutionCounts(const HloModule& module);
// True, by computation id, if that number is known: false inside a loop with unknown trip count.
std::vector<bool> KnownExecutionCounts(const HloModule& module);

// The communication between a module's devices: each collective, send and receive with its groups of devices, the bytes
// that it moves, its axes of the mesh, and its number of executions. Counted from the module, independent of links and
// time (see Roofline).
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
  const HloInstruction* collective = nullptr;   // the step itself, or the wrapped collective
  // The synchronous form's: kAllReduce for all-reduce-start.
  HloOpcode kind = HloOpcode::kAllReduce;
  bool is_asynchronous = false;  // there is a done elsewhere, and other work may run before it
  bool is_host = false;          // a send to the host or a receive from it: no other device takes part
  // Groups of communicating devices; for permutes, sends and receives the pairs {source, target}.
  std::vector<std::vector<int64_t>> groups;
  int64_t group_size = 1;  // of the largest group; 2 for pairs
  std::string axes;        // "data", "data,model": the mesh's axes along which the groups lie; "" if there is no mesh,
                           // "part of data" for groups smaller than these axes
  // Its number of executions per device, as ExecutionCounts gives it, but of a conditional's branches only the one that
  // sends most.
  double times = 0;
  bool times_known = true;
  // Of one run, in bytes.
  double payload = 0;  // the operands that a device brings
  double result = 0;   // the arrays that it gets
  double sent = 0;     // a lower bound for all devices together and any algorithm: see WireBytes
};

// A lower bound for the bytes that each member of a group of n sends, if it contributes `payload` bytes: n-1 n-ths of
// twice the array for all-reduce (a reduce-scatter and an all-gather), n-1 n-ths for reduce-scatter, all-to-all and, on
// average, collective-broadcast, the operand n-1 times for all-gather; all of it for permutes and sends. A ring reaches
// it.
double WireBytes(HloOpcode kind, double payload, int64_t n);

// The devices of each group; of permutes, sends and receives {source, target}. Empty groups mean one group of all
// devices. If the groups name more devices than the module's header declares, the groups decide. InvalidArgument for an
// instruction that does not communicate.
StatusOr<std::vector<std::vector<int64_t>>> DeviceGroups(const HloInstruction& instruction);

// The numbers of replicas and partitions of a module, from its header; if that declares one device, from the groups and
// pairs of its collectives.
struct NamedDevices {
  int64_t replicas = 1, partitions = 1;
};
NamedDevices NamedDevicesOf(const HloModule& module);

// The groups of devices that wait for one another in a collective on these replicas and partitions; for
// collective-permute all devices in range of its pairs' numbers; for send and recv {source, target} each.
// InvalidArgument, naming the instruction, for device numbers out of range.
StatusOr<std::vector<std::vector<int64_t>>> MeetingGroups(const HloInstruction& instruction, int64_t replicas,
                                                          int64_t partitions);

// True if the send or recv has the frontend attribute _xla_send_recv_source_target_pairs.
bool HasTransferPairs(const HloInstruction& transfer);
// The pairs {source, target} of the channel of a send or recv without that attribute. They are the pairs of its other
// end, if that has the attribute. Otherwise the single sending device is paired with the single receiving device, among
// the partitions of a replica, or among the replicas if these have one partition; if all senders receive as well, each
// device sends to itself. A device executes an end if the sharding assigns it to no other device ({maximal device=3})
// and if the enclosing conditionals on partition-id and replica-id select it. Partition p runs programs[p] (empty: all
// run the module of the transfer). InvalidArgument or Unimplemented if the pairs are ambiguous.
struct ChannelPairs {
  std::vector<std::vector<int64_t>> pairs;  // {source, target}, numbers of devices
  bool is_open = false;                     // no program has the other end
};
StatusOr<ChannelPairs> PairsOfChannel(const HloInstruction& transfer, int64_t replicas, int64_t partitions,
                                      std::span<const HloModule* const> programs = {});
// The single device to which the sharding assigns the instruction: a partition, or a replica if these have one
// partition.
std::optional<int64_t> OwnerOf(const HloInstruction& instruction);
// The execution order of a computation's instructions: PostOrder(), except that instructions that may wait for other
// devices (recv-done, collectives, control flow, in their order) come after all instructions that do not depend on
// them, so that devices send before they wait.
std::vector<const HloInstruction*> OrderOfRun(const HloComputation& computation);

// "data=8,model=4": names and sizes, the last axis changing fastest from device to device.
StatusOr<Mesh> ParseMesh(std::string_view text);
// The first mesh that the module's header (JAX's xla.sdy.meshes), a sharding or a collective names.
std::optional<Mesh> FindMesh(const HloModule& module);
// The number of devices: the product of the sizes; 1 for a mesh without axes.
int64_t DeviceCount(const Mesh& mesh);
// The numbers of the axes along which these groups lie, in the mesh's order; `whole` is set if each group spans these
// axes. Empty if the mesh does not have these devices.
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
  // nullptr if it does not communicate. For a fusion or async-start with several collectives, the first.
  const Communication* Of(const HloInstruction& instruction) const;
  std::span<const Communication> AllOf(const HloInstruction& instruction) const;
  // The sum over all devices and the whole run, without transfers to and from the host.
  double sent_bytes() const;

  // Sums over instructions with a common property.
  struct Sum {
    std::string key;
    int64_t instructions = 0;
    double times = 0, payload = 0, sent = 0;  // of all runs; the payload of one device
    bool times_known = true;
  };
  // Totals by opcode ("all-reduce"), by groups ("{{0,1},{2,3}}", shortened) and by axes (empty without a mesh); the
  // largest first.
  std::vector<Sum> ByKind() const, ByGroups() const, ByAxes() const;

 private:
  std::vector<Communication> all_;
  std::vector<int32_t> index_;  // by instruction id; -1: none
};

// "{{0,1},{2,3}}"; for long lists the first groups and the number of groups.
std::string GroupsText(const std::vector<std::vector<int64_t>>& groups);

// A device for the roofline model: its rates of operations and of bytes, and its links to other devices. Descriptions
// are JSON files; hloir comes with some (share/hloir/devices), which state the source of each number. docs/cost.md
// documents the fields.
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
  // A link to other devices: each device sends at `bandwidth` and waits `latency` seconds for each step of an
  // algorithm. Devices of one block of a faster link share their bandwidths on a slower one: a ring through several
  // blocks leaves each of them by as many of the slower links as the group has devices there.
  struct Link {
    std::string name;
    double bandwidth = 0, latency = 0;
    double pair_bandwidth = 0;  // of one device that sends to one other (a permute, a send); 0: as `bandwidth`
    int64_t devices = 0;        // it connects blocks of this many consecutive devices; 0: all
  };
  std::string name;
  std::vector<std::string> sources;  // the sources of the numbers, and which are assumed
  double memory_bytes = 0;           // 0: not said
  double bandwidth = 0;              // of the memory
  std::vector<Cache> caches;         // the smallest first
  // By element type ("bf16", "f32", …), "default" for all others: FLOPs of dots and convolutions (none: as `flops`), of
  // other operations.
  std::map<std::string, double> products, flops;
  double transcendentals = 0;  // elements; 0: as `flops`
  // Rates of opcodes that differ from the above, by opcode name: operations a second, or bytes a second for an opcode
  // that computes nothing. Variants with different rates have their own names: "grouped-convolution", "running-sum" (a
  // reduce-window over whole dimensions), "tuple-reduce" (of several arrays at once). A name with a type, "divide.s32",
  // takes precedence over the name without: it applies to a first operand of that type.
  std::map<std::string, double> opcodes;
  std::map<std::string, double> slices;  // by opcode, "gather" and "scatter": slices a second at most
  double startup = 0;                    // seconds of a run before its first instruction
  double overhead = 0;                   // seconds of overhead per instruction
  double product_overhead = 0;           // the same for dots and convolutions, also in a fusion; 0: as `overhead`
  double collective_overhead = 0;        // seconds of each collective beside the steps on its link
  double scalar_overhead = 0;            // the same for elementwise operations; 0: as `overhead`
  double loop_overhead = 0;              // seconds of each round of a loop beside its body
  std::vector<Link> links;               // the fastest first

  // The rate for a type in one of the tables; 0 if it has none.
  static double RateOf(const std::map<std::string, double>& rates, std::string_view type);
};

// InvalidArgument names a field that is missing or not a number. `bandwidth` and `flops` are required.
StatusOr<DeviceDescription> ParseDevice(std::string_view json);
// JSON that ParseDevice reads, indented.
std::string DeviceJson(const DeviceDescription& device);

// A prediction of a module's time on a device by the roofline model: an instruction takes the maximum of the times for
// its operations, its bytes and its communication. Instructions run one after the other in the module's order (the
// schedule, or the order of printing); asynchronous communication overlaps with them until its done. The prediction is
// a bound that good code approaches, not a measurement.
//
// Example:
//
//   const DeviceDescription device;  // as ParseDevice reads one
//   const Roofline roofline(module, device);
//   double seconds = roofline.seconds(), waited = roofline.exposed_seconds();
//   const Roofline::Step* dot = roofline.Of(*module.entry_computation()->root());
//   if (dot != nullptr) (void)(dot->bound == Roofline::Bound::kMemory);
//
// It reads module and device, so any thread may make one. It points into the module, which must outlive it unchanged.
// Tested by tests/unit/roofline_test.cc.

// The module's mesh, and a changed one: other sizes of axes, axes on certain links.
struct WhatIfMesh {
  Mesh mesh;
  std::vector<int64_t> sizes;      // of each axis then
  std::vector<std::string> links;  // the link of each axis, by name; "": the first that connects its devices
  int64_t devices() const;
};
// "data=8,model=4" names the axes of the module's devices; "data=8:64@dcn" predicts 64 devices on the link dcn instead.
// Arrays keep their sizes: for an all-gather the result, for other collectives each device's operand.
StatusOr<WhatIfMesh> ParseWhatIfMesh(std::string_view text);

// The times of a module's instructions on a device, and their timeline.
class Roofline {
 public:
  // The resource that bounds an instruction's time.
  enum class Bound : uint8_t { kNothing, kCompute, kMemory, kCommunication, kOverhead };
  // One instruction of an executed computation.
  struct Step {
    const HloInstruction* instruction = nullptr;
    double times = 0;  // how often it runs (ExecutionCounts)
    bool times_known = true;
    double compute = 0, memory = 0, communication = 0;  // seconds that each would need for one run
    double seconds = 0;                                 // of one run; for control flow with all called computations
    Bound bound = Bound::kNothing;
  };
  // An interval of the timeline. A loop has one for all of its iterations, which contains those of the first iteration.
  struct Event {
    const HloInstruction* instruction = nullptr;
    double start = 0, seconds = 0;
    enum class Stream : uint8_t { kCompute, kCommunication, kAsynchronous } stream = Stream::kCompute;
    int32_t depth = 0;  // of loops, calls and branches around it
  };

  Roofline(const HloModule& module, const DeviceDescription& device,
           const std::optional<WhatIfMesh>& mesh = std::nullopt);

  double seconds() const { return seconds_; }  // from begin to end
  // Total time of communication, and the part of it without overlapping computation; both include trip counts.
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
