// Modules for network simulators: ParaGraph's graphs and Chakra's execution traces. Both contain the execution order
// with operations, bytes and predicted seconds (cost.h), and the communication between devices; the simulator models
// the network. docs/studies/simulate.md shows both from end to end.
//
// Example:
//
//   const DeviceDescription device;  // as ParseDevice reads one
//   const Roofline roofline(module, device);
//   StatusOr<std::string> graph = ParagraphGraph(module, roofline, {.text = true});          // of all devices
//   StatusOr<ChakraTraces> traces = ChakraTrace(module, roofline);
//   for (size_t rank = 0; traces.ok() && rank < traces->ranks.size(); ++rank) (void)traces->ranks[rank];
//
// Errors: ResourceExhausted for more instructions than a simulator can read (loops are unrolled in traces), and for
// calls nested deeper than the limit of protobuf's readers. Threads: the functions only read their arguments.
// Tested by tests/unit/export_test.cc, and with protobuf's own reader by tests/cli/export.test.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hloir/cost.h"
#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// ParaGraph's GraphProto (github.com/google/paragraph, graph.proto).
struct ParagraphOptions {
  std::optional<int64_t> device = {};  // the graph of this device; otherwise the composite graph of all, for
                                       // ParaGraph's graph translator
  bool text = false;                   // protobuf's text form
};
// All-reduce, all-gather and reduce-scatter become the opcodes of the same name, with all groups; other collectives,
// which ParaGraph does not translate, and transfers with named pairs `sendrecv`, `send` and `recv`; communication with
// the host `infeed` and `outfeed`; loops `while` with their trip count; all other instructions, fusions too, `delay`.
StatusOr<std::string> ParagraphGraph(const HloModule& module, const Roofline& roofline,
                                     const ParagraphOptions& options = {});

// Chakra's execution traces (github.com/mlcommons/chakra, et_def.proto): for each rank a GlobalMetadata and its Nodes,
// length-delimited; and the groups referenced by pg_name, as JSON for ASTRA-sim.
struct ChakraTraces {
  std::vector<std::string> ranks;
  std::string groups;
};
// Loops are unrolled; a conditional is represented by its longest branch. Nodes are COMP_NODE (num_ops, tensor_size:
// the bytes moved; never none), COMM_COLL_NODE (comm_type, comm_size: the bytes of a rank's operand, pg_name),
// COMM_SEND_NODE and COMM_RECV_NODE (comm_src, comm_dst, comm_size, comm_tag), with predicted start and duration.
StatusOr<ChakraTraces> ChakraTrace(const HloModule& module, const Roofline& roofline);

}  // namespace hloir
#pragma GCC visibility pop
