// ParaGraph's graphs; see hloir/export.h. Requirements of its readers: instruction ids are unique in the graph; the
// root of a subroutine has no users; only loops run more than once; a loop has first its body, then its condition; a
// reducing collective has a subroutine that reduces the whole array, which they divide; bytes_out of a collective is
// the size of the whole array, regardless of the device's part.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "export/text_proto.h"
#include "hloir/export.h"
#include "proto/codec.h"

namespace hloir {
namespace proto {
namespace {

struct CommunicationGroup {
  std::vector<int64_t> group_ids;
};
template <class IO>
void Fields(IO& io, CommunicationGroup& m) {
  io(1, "group_ids", m.group_ids);
}

struct Subroutine;
struct GraphInstruction {
  std::string_view name, opcode;
  int64_t instruction_id = 0;
  double ops = 0, bytes_in = 0, bytes_out = 0, transcendentals = 0, seconds = 0;
  std::vector<CommunicationGroup> communication_groups;
  std::vector<int64_t> operand_ids;
  std::vector<Subroutine> inner_subroutines;
};
struct Subroutine {
  std::string_view name;
  int64_t subroutine_root_id = 0;
  double execution_probability = 1;
  int64_t execution_count = 1;
  std::vector<GraphInstruction> instructions;
};
template <class IO>
void Fields(IO& io, Subroutine& m);
template <class IO>
void Fields(IO& io, GraphInstruction& m) {
  io(1, "name", m.name);
  io(2, "opcode", m.opcode);
  io(3, "instruction_id", m.instruction_id);
  io(4, "ops", m.ops);
  io(5, "bytes_in", m.bytes_in);
  io(6, "bytes_out", m.bytes_out);
  io(7, "transcendentals", m.transcendentals);
  io(8, "seconds", m.seconds);
  io(11, "communication_groups", m.communication_groups);
  io(12, "operand_ids", m.operand_ids);
  io(13, "inner_subroutines", m.inner_subroutines);
}
template <class IO>
void Fields(IO& io, Subroutine& m) {
  io(1, "name", m.name);
  io(2, "subroutine_root_id", m.subroutine_root_id);
  io(3, "execution_probability", m.execution_probability);
  io(4, "execution_count", m.execution_count);
  io(5, "instructions", m.instructions);
}
struct Graph {
  std::string_view name;
  int64_t processor_id = 0;
  std::optional<Subroutine> entry_subroutine;
};
template <class IO>
void Fields(IO& io, Graph& m) {
  io(1, "name", m.name);
  io(2, "processor_id", m.processor_id);
  io(3, "entry_subroutine", m.entry_subroutine);
}

}  // namespace
}  // namespace proto

namespace {

constexpr int64_t kMostInstructions = 1500000, kMostExchanges = 4000000;
constexpr int kMaxParagraphNesting = 45;  // of nested calls: each takes two messages, and protobuf's readers allow 100

class GraphWriter {
  using Ids = std::vector<int64_t>;

 public:
  GraphWriter(const Roofline& roofline, std::optional<int64_t> device) : roofline_(roofline), device_(device) {}

  StatusOr<proto::Subroutine> Write(const HloComputation& computation, int nesting) {
    if (nesting > kMaxParagraphNesting)
      return ResourceExhausted(
          Format("calls nested deeper than {}: protobuf's readers would not follow", kMaxParagraphNesting));
    proto::Subroutine result;
    result.name = computation.name();
    std::unordered_map<const HloInstruction*, std::vector<int64_t>> ids;  // a permute may be three
    for (const HloInstruction* i : computation.PostOrder()) {
      const size_t first = result.instructions.size();
      HLOIR_RETURN_IF_ERROR(Add(*i, nesting, result.instructions));
      for (size_t k = first; k < result.instructions.size(); ++k) {
        proto::GraphInstruction& made = result.instructions[k];
        made.instruction_id = NextId();
        if (next_id_ > kMostInstructions)
          return ResourceExhausted(
              Format("more than {} instructions, with calls and loops written out", kMostInstructions));
        for (const HloInstruction* operand : i->operands()) Append(made.operand_ids, ids[operand]);
        for (const HloInstruction* before : i->control_predecessors()) Append(made.operand_ids, ids[before]);
        if (in_order_ && k > first) Append(made.operand_ids, {result.instructions[k - 1].instruction_id});
        ids[i].push_back(made.instruction_id);
      }
    }
    const HloInstruction& root = *computation.root();
    result.subroutine_root_id = ids[&root].back();
    if (root.user_count() > 0 || ids[&root].size() != 1) {
      proto::GraphInstruction& end = result.instructions.emplace_back();
      end.name = "root", end.opcode = "null", end.instruction_id = result.subroutine_root_id = NextId();
      end.operand_ids = ids[&root];
    }
    return result;
  }

 private:
  int64_t NextId() { return ++next_id_; }
  // Each once, without duplicates.
  static void Append(std::vector<int64_t>& operands, const std::vector<int64_t>& more) {
    for (int64_t id : more)
      if (std::find(operands.begin(), operands.end(), id) == operands.end()) operands.push_back(id);
  }

  Status Add(const HloInstruction& i, int nesting, std::vector<proto::GraphInstruction>& to) {
    const std::span<const Communication> all = roofline_.communications().AllOf(i);
    in_order_ = i.opcode() == HloOpcode::kFusion || all.size() > 1;
    if (!all.empty()) {
      if (i.opcode() == HloOpcode::kFusion) {
        proto::GraphInstruction& computed = to.emplace_back();
        computed.name = i.name(), computed.opcode = "delay";
        SetWork(i, computed);
      }
      for (const Communication& c : all) HLOIR_RETURN_IF_ERROR(AddCommunication(i, c, to));
      return OkStatus();
    }
    proto::GraphInstruction& made = to.emplace_back();
    made.name = i.name();
    made.opcode = "delay";
    switch (i.opcode()) {
      case HloOpcode::kWhile: return AddLoop(i, nesting, made);
      case HloOpcode::kCall:
      case HloOpcode::kConditional: {
        const auto branches = i.called_computations();
        made.opcode = branches.size() < 2 ? "call" : "conditional";
        for (const HloComputation* callee : branches) {
          HLOIR_ASSIGN_OR_RETURN(proto::Subroutine body, Write(*callee, nesting + 1));
          body.execution_probability = 1.0 / static_cast<double>(branches.size());
          made.inner_subroutines.push_back(std::move(body));
        }
        return OkStatus();
      }
      case HloOpcode::kInfeed: made.opcode = "infeed"; break;
      case HloOpcode::kOutfeed: made.opcode = "outfeed"; break;
      default:  // all other ops are delays
        if (i.Is(kAsyncPart) && i.opcode() != HloOpcode::kAsyncStart && i.opcode() != HloOpcode::kCopyStart)
          made.opcode = "null";  // a half that only waits
        break;
    }
    SetWork(i, made);
    return OkStatus();
  }

  void SetWork(const HloInstruction& i, proto::GraphInstruction& made) {
    const Cost cost = roofline_.cost().Of(i).repeated;
    const CostAnalysis::Bytes bytes = roofline_.cost().BytesOf(i);
    made.ops = cost.flops, made.transcendentals = cost.transcendentals;
    for (double read : bytes.operands) made.bytes_in += read;
    made.bytes_out = bytes.output;
    if (const Roofline::Step* step = roofline_.Of(i)) {
      made.seconds = step->seconds;
      if (i.opcode() == HloOpcode::kFusion) made.seconds -= step->communication;
    }
  }

  Status AddLoop(const HloInstruction& i, int nesting, proto::GraphInstruction& made) {
    const int64_t rounds = TripCount(i).value_or(1);
    if (rounds == 0) return made.opcode = "null", OkStatus();
    made.opcode = "while";
    for (const HloComputation* callee : {i.while_body(), i.while_condition()}) {
      HLOIR_ASSIGN_OR_RETURN(proto::Subroutine body, Write(*callee, nesting + 1));
      body.execution_count = rounds;
      made.inner_subroutines.push_back(std::move(body));
    }
    return OkStatus();
  }

  // The reduction of the whole array, which simulators divide among the steps of their algorithm.
  proto::Subroutine Reduction(const HloInstruction& i, const Communication& c) {
    proto::Subroutine result;
    result.name = "reduction";
    proto::GraphInstruction& sum = result.instructions.emplace_back();
    sum.name = "reduce", sum.opcode = "delay", sum.instruction_id = NextId();
    sum.ops = std::max(roofline_.cost().Of(i).once.flops, 0.0);
    sum.bytes_in = 2 * c.payload, sum.bytes_out = c.payload;
    result.subroutine_root_id = sum.instruction_id;
    return result;
  }

  Status AddCommunication(const HloInstruction& i, const Communication& c, std::vector<proto::GraphInstruction>& to) {
    const auto add = [&](std::string_view opcode, double bytes, std::vector<std::vector<int64_t>> groups) {
      proto::GraphInstruction& made = to.emplace_back();
      made.name = i.name(), made.opcode = opcode;
      made.bytes_in = made.bytes_out = bytes;
      for (auto& group : groups) made.communication_groups.push_back({std::move(group)});
      return &made;
    };
    if (c.is_host) {
      proto::GraphInstruction* made = add(c.kind == HloOpcode::kSend ? "outfeed" : "infeed", c.payload + c.result, {});
      if (const Roofline::Step* step = roofline_.Of(i)) made->seconds = step->seconds;
      return OkStatus();
    }
    if (IsOneOf(c.kind, HloOpcode::kCollectivePermute, HloOpcode::kSend, HloOpcode::kRecv))
      return AddPairs(c, add), OkStatus();
    if (IsOneOf(c.kind, HloOpcode::kAllToAll, HloOpcode::kRaggedAllToAll)) return AddExchange(i, c, add);
    if (c.kind == HloOpcode::kCollectiveBroadcast) return AddBroadcast(c, add), OkStatus();
    std::vector<std::vector<int64_t>> groups;
    for (const auto& group : c.groups)
      if (group.size() > 1 && (!device_ || std::find(group.begin(), group.end(), *device_) != group.end()))
        groups.push_back(group);
    if (groups.empty()) return add("null", 0, {}), OkStatus();
    proto::GraphInstruction* made = add(OpcodeName(c.kind), std::max(c.payload, c.result), std::move(groups));
    made->bytes_in = c.payload;
    if (c.kind == HloOpcode::kAllReduce || c.kind == HloOpcode::kReduceScatter)
      made->inner_subroutines.push_back(Reduction(i, c));
    return OkStatus();
  }

  // All-to-all, which ParaGraph's graph translator does not support (paragraph/translation has all-gather, all-reduce,
  // reduce-scatter, barrier and transfers): in round k each sends an n-th to the k-th after it.
  template <class Add>
  Status AddExchange(const HloInstruction& i, const Communication& c, Add add) {
    in_order_ = true;
    const double part = c.payload / static_cast<double>(std::max<int64_t>(c.group_size, 1));
    bool none = true;
    for (size_t k = 1; k < static_cast<size_t>(c.group_size); ++k) {
      std::vector<Ids> triples;
      for (const auto& group : c.groups) {
        const size_t n = group.size();
        for (size_t at = 0; at < n && k < n; ++at) {
          if (!Mine(group[at])) continue;
          const int64_t from = group[(at + n - k) % n], to = group[(at + k) % n];
          triples.push_back(device_ ? Ids{from, to} : Ids{from, group[at], to});
        }
      }
      exchanges_ += static_cast<int64_t>(triples.size());
      if (exchanges_ > kMostExchanges)
        return ResourceExhausted(
            Format("{}: all-to-all takes a transfer between each two devices of a group, which in all "
                   "is more than {}",
                   i.name(), kMostExchanges));
      if (triples.empty()) continue;
      none = false;
      add("sendrecv", part, std::move(triples));
    }
    if (none) add("null", 0, {});
    return OkStatus();
  }

  // Broadcast, also unsupported: in each round, all devices with the array send it to as many without.
  template <class Add>
  void AddBroadcast(const Communication& c, Add add) {
    in_order_ = true;
    bool none = true;
    for (size_t have = 1; have < static_cast<size_t>(c.group_size); have *= 2) {
      std::vector<Ids> sends, receives;
      for (const auto& group : c.groups) {
        for (size_t at = 0; at < have && at + have < group.size(); ++at) {
          const int64_t from = group[at], to = group[at + have];
          if (Mine(from)) sends.push_back(device_ ? Ids{to} : Ids{from, to});
          if (Mine(to)) receives.push_back(device_ ? Ids{from} : Ids{from, to});
        }
      }
      none = none && sends.empty() && receives.empty();
      if (!sends.empty()) add("send", c.payload, std::move(sends));
      if (!receives.empty()) add("recv", c.payload, std::move(receives));
    }
    if (none) add("null", 0, {});
  }

  // For a permute: a device that sends and receives does both at once.
  template <class Add>
  void AddPairs(const Communication& c, Add add) {
    const bool permute = c.kind == HloOpcode::kCollectivePermute;
    const double bytes = std::max(c.payload, c.result);
    std::unordered_map<int64_t, int64_t> target_of, source_of;
    for (const auto& pair : c.groups)
      if (pair[0] != pair[1]) target_of[pair[0]] = pair[1], source_of[pair[1]] = pair[0];
    std::vector<std::vector<int64_t>> both, sends, receives;
    for (const auto& pair : c.groups) {
      const int64_t from = pair[0], to = pair[1];
      if (from == to) continue;
      const auto before = source_of.find(from);
      const bool through = permute && before != source_of.end();
      if (through && Mine(from)) both.push_back(device_ ? Ids{before->second, to} : Ids{before->second, from, to});
      if (!through && c.kind != HloOpcode::kRecv && Mine(from)) sends.push_back(device_ ? Ids{to} : Ids{from, to});
      if (c.kind != HloOpcode::kSend && Mine(to) && !(permute && target_of.contains(to)))
        receives.push_back(device_ ? Ids{from} : Ids{from, to});
    }
    const bool none = both.empty() && sends.empty() && receives.empty();
    if (!both.empty()) add("sendrecv", bytes, std::move(both));
    if (!sends.empty()) add("send", bytes, std::move(sends));
    if (!receives.empty()) add("recv", bytes, std::move(receives));
    if (none) add("null", 0, {});
  }
  bool Mine(int64_t device) const { return !device_ || *device_ == device; }

  const Roofline& roofline_;
  const std::optional<int64_t> device_;
  int64_t next_id_ = 0, exchanges_ = 0;
  bool in_order_ = false;  // the parts of one instruction are sequential
};

}  // namespace

StatusOr<std::string> ParagraphGraph(const HloModule& module, const Roofline& roofline,
                                     const ParagraphOptions& options) {
  proto::Graph graph;
  graph.name = module.name();
  graph.processor_id = options.device.value_or(-1);
  GraphWriter writer(roofline, options.device);
  HLOIR_ASSIGN_OR_RETURN(graph.entry_subroutine, writer.Write(*module.entry_computation(), 0));
  return options.text ? proto::EncodeText(graph) : proto::Encode(graph);
}

}  // namespace hloir
