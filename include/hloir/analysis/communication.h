// What a module's devices send each other: each collective, send and receive with its groups of devices, the bytes that
// it moves, the axes of the mesh that it runs along, and how often it runs. Counted from the text: nothing is said of
// links or time (analysis/roofline.h does).
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
#pragma once

#include <cstdint>
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

// What one instruction sends: a collective, the first half of one in two halves, or a send or receive.
struct Communication {
  const HloInstruction* instruction = nullptr;
  // The synchronous form's: kAllReduce for all-reduce-start. In an async-start's computation, what stands there.
  HloOpcode kind = HloOpcode::kAllReduce;
  bool is_asynchronous = false;  // there is a done elsewhere, and other work may run before it
  bool is_host = false;          // a send or receive from or to the host: no device of the mesh takes part
  // Devices that exchange something; of permutes, sends and receives {source, target} each.
  std::vector<std::vector<int64_t>> groups;
  int64_t group_size = 1;  // of the largest group; 2 for pairs
  std::string axes;        // "data", "data,model": the mesh's axes along which the groups lie; "" if there is no mesh,
                           // "part of data" for groups smaller than these axes
  double times = 0;        // how often a device runs it, where that is known (ExecutionCounts)
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

// The devices that wait for one another where the collective runs on so many replicas and partitions, group by group;
// of collective-permute all that its pairs' numbers could name; of send and recv {source, target} each.
// InvalidArgument, which names the instruction, for numbers that are not there.
StatusOr<std::vector<std::vector<int64_t>>> MeetingGroups(const HloInstruction& instruction, int64_t replicas,
                                                          int64_t partitions);

// Does the send or recv have the frontend attribute _xla_send_recv_source_target_pairs?
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
// How many devices: the product of the sizes; 1 for a mesh without axes.
int64_t DeviceCount(const Mesh& mesh);
// Which axes these groups run along, as numbers, in the mesh's order; `whole`: each group is all of them. Nothing if
// the mesh does not have these devices.
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
  // nullptr: it does not communicate. Of an async-start what it wraps.
  const Communication* Of(const HloInstruction& instruction) const;
  // By all devices together over the whole run, transfers with the host apart.
  double sent_bytes() const;

  // Sums over what has something in common.
  struct Sum {
    std::string key;
    int64_t instructions = 0;
    double times = 0, payload = 0, sent = 0;  // of all runs; the payload of one device
  };
  // By "all-reduce"; by "{{0,1},{2,3}}", shortened; by axes (empty without a mesh). The largest first.
  std::vector<Sum> ByKind() const, ByGroups() const, ByAxes() const;

 private:
  std::vector<Communication> all_;
  std::vector<int32_t> index_;  // by instruction id; -1: none
};

// "{{0,1},{2,3}}"; of long lists the first groups and how many there are.
std::string GroupsText(const std::vector<std::vector<int64_t>>& groups);

}  // namespace hloir
#pragma GCC visibility pop
