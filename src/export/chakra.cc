// Chakra's execution traces; see hloir/export.h. A trace is flat, so loops are unrolled and calls written out;
// all ranks run the same program and differ only in their groups and pairs. Communication of a rank is sequential, as
// in the simulators. Time is in whole microseconds:
// each node's begin and end are rounded, so that errors do not accumulate.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "hloir/export.h"
#include "proto/codec.h"
#include "support/format.h"

namespace hloir {
namespace proto {
namespace {

// A oneof: the present field determines the type, also if it is zero.
struct ChakraAttribute {
  std::string_view name;
  std::optional<int64_t> int32_val, int64_val, uint64_val, bool_val;
  std::string_view string_val;
};
template <class IO>
void Fields(IO& io, ChakraAttribute& m) {
  io(1, "name", m.name);
  io(7, "int32_val", m.int32_val);
  io(9, "int64_val", m.int64_val);
  io(13, "uint64_val", m.uint64_val);
  io(27, "bool_val", m.bool_val);
  io(29, "string_val", m.string_val);
}
struct GlobalMetadata {
  std::string_view version;
  std::vector<ChakraAttribute> attr;
};
template <class IO>
void Fields(IO& io, GlobalMetadata& m) {
  io(1, "version", m.version);
  io(2, "attr", m.attr);
}
enum NodeType : int64_t { kMetadata = 1, kComp = 4, kCommSend = 5, kCommRecv = 6, kCommColl = 7 };
struct ChakraNode {
  int64_t id = 0;
  std::string_view name;
  int64_t type = 0;
  std::vector<int64_t> ctrl_deps, data_deps;
  int64_t start_time_micros = 0, duration_micros = 0;
  std::vector<ChakraAttribute> attr;
};
template <class IO>
void Fields(IO& io, ChakraNode& m) {
  io(1, "id", m.id);
  io(2, "name", m.name);
  io(3, "type", m.type);
  io(4, "ctrl_deps", m.ctrl_deps);
  io(5, "data_deps", m.data_deps);
  io(6, "start_time_micros", m.start_time_micros);
  io(7, "duration_micros", m.duration_micros);
  io(10, "attr", m.attr);
}

}  // namespace
}  // namespace proto

namespace {

using proto::ChakraAttribute;
using proto::ChakraNode;

constexpr size_t kMostNodes = 2000000;
constexpr int kMaxChakraNesting = 200;

ChakraAttribute Int32(std::string_view name, int64_t value) { return {name, value, {}, {}, {}, {}}; }
ChakraAttribute Int64(std::string_view name, double value) {
  return {name, {}, static_cast<int64_t>(std::min(value, 0x1p62)), {}, {}, {}};
}
ChakraAttribute Uint64(std::string_view name, double value) {
  return {name, {}, {}, static_cast<int64_t>(std::min(value, 0x1p62)), {}, {}};
}

// 0 all-reduce, 2 all-gather, 5 broadcast, 6 all-to-all, 7 reduce-scatter.
int64_t CommType(HloOpcode kind) {
  if (kind == HloOpcode::kAllReduce) return 0;
  if (kind == HloOpcode::kAllGather) return 2;
  if (kind == HloOpcode::kCollectiveBroadcast) return 5;
  if (kind == HloOpcode::kReduceScatter) return 7;
  return 6;
}

// The nodes of every rank: the flat program. A rank's nodes are derived from it.
struct Work {
  const HloInstruction* instruction = nullptr;  // nullptr: a point where several meet
  const Communication* communication = nullptr;
  std::vector<int64_t> deps;  // indices of earlier ones
  double start = 0, seconds = 0;
};

class Unroller {
 public:
  explicit Unroller(const Roofline& roofline) : roofline_(roofline) {}
  std::vector<Work> work;

  using Ids = std::vector<int64_t>;
  // The nodes on which the root depends, and all started operations without a done.
  StatusOr<Ids> Run(const HloComputation& computation, const std::vector<Ids>& parameters, int nesting) {
    if (nesting > kMaxChakraNesting) return ResourceExhausted("calls nested deeper than 200");
    std::unordered_map<const HloInstruction*, Ids> ready;
    Ids open;  // side effects: the computation ends after them
    const bool scheduled = computation.module()->config().is_scheduled;
    for (const HloInstruction* i : scheduled ? computation.instructions() : computation.PostOrder()) {
      Ids& mine = ready[i];
      if (i->IsParameter()) {
        const size_t number = static_cast<size_t>(i->parameter_number());
        if (number < parameters.size()) mine = parameters[number];
        continue;
      }
      Ids before;
      for (const HloInstruction* operand : i->operands()) Merge(before, ready[operand]);
      for (const HloInstruction* other : i->control_predecessors()) Merge(before, ready[other]);
      if (const HloInstruction* received = BeginningHere(*i)) {
        mine = {Add(received, roofline_.communications().Of(*received), std::move(before))};
      } else if (IsAwaitedHere(*i)) {
        mine = Meet(std::move(before));
      } else if (const auto all = roofline_.communications().AllOf(*i); !all.empty()) {
        // A fusion computes first, and then runs its collectives in sequence.
        if (i->opcode() == HloOpcode::kFusion) before = {Add(i, nullptr, std::move(before))};
        for (const Communication& c : all) before = {Add(i, &c, std::move(before))};
        mine = std::move(before);
      } else if (i->Is(kControlFlow) || i->opcode() == HloOpcode::kAsyncStart) {
        HLOIR_ASSIGN_OR_RETURN(mine, RunCalled(*i, std::move(before), nesting));
      } else {
        const Roofline::Step* step = roofline_.Of(*i);
        const Cost cost = roofline_.cost().Of(*i).once;
        const bool idle =
            (step == nullptr || step->seconds == 0) && (CostClass(i->opcode()) == OpCost::kFree || cost == Cost());
        if (idle) mine = Meet(std::move(before));
        else mine = {Add(i, nullptr, std::move(before))};
      }
      if (i->HasSideEffect() || i->user_count() == 0) Merge(open, mine);
      if (work.size() > kMostNodes) {
        return ResourceExhausted(
            Format("more than {} nodes, as loops are unrolled in a trace: cut the loops' counts", kMostNodes));
      }
    }
    Ids end = ready[computation.root()];
    Merge(end, open);
    return Meet(std::move(end));
  }

 private:
  // A receive is placed at its first use, because simulators run one communication at a time, and a receive before this
  // device's sends would block these.
  static const HloInstruction* BeginningHere(const HloInstruction& i) {
    return i.opcode() == HloOpcode::kRecvDone && i.operand(0)->opcode() == HloOpcode::kRecv ? i.operand(0) : nullptr;
  }
  static bool IsAwaitedHere(const HloInstruction& i) {
    return i.opcode() == HloOpcode::kRecv && std::any_of(i.users().begin(), i.users().end(), [](const auto* user) {
             return user->opcode() == HloOpcode::kRecvDone;
           });
  }
  static void Merge(Ids& to, const Ids& more) {
    for (int64_t id : more)
      if (std::find(to.begin(), to.end(), id) == to.end()) to.push_back(id);
  }
  int64_t Add(const HloInstruction* i, const Communication* c, Ids deps) {
    Work& made = work.emplace_back();
    made.instruction = i, made.communication = c;
    // The device's timeline: sequential computation, with communication in parallel.
    const Roofline::Step* step = i == nullptr ? nullptr : roofline_.Of(*i);
    if (step != nullptr && c == nullptr) made.seconds = step->seconds - step->communication;
    if (step != nullptr && c != nullptr) {
      const auto all = roofline_.communications().AllOf(*i);
      made.seconds = (i->opcode() == HloOpcode::kFusion ? step->communication : step->seconds) /
                     std::max(1.0, static_cast<double>(all.size()));
    }
    double& clock = c != nullptr ? link_ : compute_;
    made.start = clock;
    for (int64_t dep : deps) {
      const Work& before = work[static_cast<size_t>(dep)];
      made.start = std::max(made.start, before.start + before.seconds);
    }
    if (i != nullptr) clock = made.start + made.seconds;
    made.deps = std::move(deps);
    return static_cast<int64_t>(work.size()) - 1;
  }
  // Many dependences are replaced by one node that depends on them, to bound the number of edges.
  Ids Meet(Ids ids) {
    constexpr size_t kMost = 8;
    if (ids.size() <= kMost) return ids;
    return {Add(nullptr, nullptr, std::move(ids))};
  }
  StatusOr<Ids> RunCalled(const HloInstruction& i, Ids before, int nesting) {
    const auto run = [&](const HloComputation& callee, const Ids& state) {
      return Run(callee, std::vector<Ids>(static_cast<size_t>(callee.parameter_count()), state), nesting + 1);
    };
    before = Meet(std::move(before));
    if (i.opcode() == HloOpcode::kWhile) {
      const int64_t rounds = TripCount(i).value_or(1);
      for (int64_t round = 0; round < rounds; ++round) {
        HLOIR_ASSIGN_OR_RETURN(before, run(*i.while_condition(), before));
        HLOIR_ASSIGN_OR_RETURN(before, run(*i.while_body(), before));
      }
      return run(*i.while_condition(), before);
    }
    const HloComputation* longest = nullptr;
    double most = -1;
    for (const HloComputation* callee : i.called_computations()) {
      double seconds = 0;
      for (const HloInstruction* inner = callee->first(); inner != nullptr; inner = inner->next())
        if (const Roofline::Step* step = roofline_.Of(*inner)) seconds += step->seconds;
      if (seconds > most) most = seconds, longest = callee;
    }
    if (longest == nullptr) return before;
    HLOIR_ASSIGN_OR_RETURN(Ids after, run(*longest, before));
    if (after.empty()) return before;
    return after;
  }

  const Roofline& roofline_;
  double compute_ = 0, link_ = 0;
};

// The groups of all collectives, each once, numbered from 1.
class ProcessGroups {
 public:
  std::string_view NameOf(const std::vector<int64_t>& group) {
    const auto [it, is_new] = names_.try_emplace(group);
    if (is_new) it->second = Format("{}", static_cast<int64_t>(names_.size()));
    return it->second;
  }
  std::string Json() const {
    std::map<int64_t, std::string> by_number;
    for (const auto& [group, name] : names_) {
      std::string& text = by_number[std::stoll(name)];
      for (int64_t device : group) text += Format("{}{}", text.empty() ? "" : ", ", device);
    }
    std::string json = "{";
    for (const auto& [number, text] : by_number)
      json += Format("{}\n  \"{}\": [{}]", number > 1 ? "," : "", number, text);
    return json + "\n}\n";
  }

 private:
  std::map<std::vector<int64_t>, std::string> names_;
};

void Append(std::string& file, const std::string& message) {
  for (size_t length = message.size();; length >>= 7) {
    const bool more = length >= 0x80;
    file += static_cast<char>((length & 0x7f) | (more ? 0x80 : 0));
    if (!more) break;
  }
  file += message;
}

// One rank's nodes.
class RankWriter {
 public:
  RankWriter(const Roofline& roofline, int64_t rank, ProcessGroups& groups)
      : roofline_(roofline), rank_(rank), groups_(groups) {
    // The bytes moved in 1.1 nanoseconds, with a margin for the simulator's rounding of its rate. Without a device: for
    // 10 TB/s.
    const double bandwidth = roofline.device().bandwidth > 0 ? roofline.device().bandwidth : 1e13;
    least_bytes_ = std::ceil(bandwidth * 1.1e-9);
  }

  std::string Write(const std::vector<Work>& work, std::string_view module) {
    proto::GlobalMetadata metadata;
    metadata.version = "1.1.0-chakra.0.0.4";
    metadata.attr = {{"module", {}, {}, {}, {}, module}, {"producer", {}, {}, {}, {}, "hloir"}};
    Append(file_, proto::Encode(metadata));
    ids_.resize(work.size());
    for (size_t k = 0; k < work.size(); ++k) {
      deps_.clear();
      for (int64_t dep : work[k].deps) {
        for (int64_t id : ids_[static_cast<size_t>(dep)])
          if (std::find(deps_.begin(), deps_.end(), id) == deps_.end()) deps_.push_back(id);
      }
      if (work[k].communication != nullptr) AddCommunication(work[k], k);
      else AddComputation(work[k], k);
      // A node without this rank: its dependences are passed to its users.
      if (ids_[k].empty()) ids_[k] = deps_;
    }
    return std::move(file_);
  }

 private:
  ChakraNode Node(const Work& work, proto::NodeType type) {
    ChakraNode node;
    node.id = next_id_++;
    node.name = work.instruction == nullptr ? std::string_view("join") : work.instruction->name();
    node.type = type;
    node.data_deps = deps_;
    node.start_time_micros = std::llround(work.start * 1e6);
    node.duration_micros = std::llround((work.start + work.seconds) * 1e6) - node.start_time_micros;
    node.attr.push_back({"is_cpu_op", {}, {}, {}, 0, {}});
    return node;
  }
  void Emit(ChakraNode& node, size_t k) {
    Append(file_, proto::Encode(node));
    ids_[k].push_back(node.id);
  }
  // Depends on the previous one, so that all members of a group reach collectives in the same order.
  void EmitInOrder(ChakraNode& node, size_t k) {
    if (last_ >= 0 && std::find(node.data_deps.begin(), node.data_deps.end(), last_) == node.data_deps.end())
      node.data_deps.push_back(last_);
    last_ = node.id;
    Emit(node, k);
  }
  void AddComputation(const Work& work, size_t k) {
    ChakraNode node = Node(work, proto::kComp);
    Cost cost;
    if (work.instruction != nullptr) cost = roofline_.cost().Of(*work.instruction).once;
    AddWork(node, cost.flops + cost.transcendentals, cost.bytes);
    Emit(node, k);
  }
  // ASTRA-sim's roofline (astra-sim/workload/Workload.cc, issue_comp) divides num_ops / tensor_size into num_ops:
  // without operations that is 0/0; without bytes the node is skipped and its users are never issued; an event after
  // less than a nanosecond is lost. So a node has at least one operation and the bytes of one nanosecond.
  void AddWork(ChakraNode& node, double operations, double bytes) {
    node.attr.push_back(Int64("num_ops", std::max(operations, 1.0)));
    node.attr.push_back(Uint64("tensor_size", std::max(bytes, least_bytes_)));
  }
  void AddCommunication(const Work& work, size_t k) {
    const Communication& c = *work.communication;
    const double bytes = std::max(c.payload, c.result);
    if (c.is_host) {
      ChakraNode node = Node(work, proto::kComp);
      AddWork(node, 0, bytes);
      return Emit(node, k);
    }
    const bool pairs =
        c.kind == HloOpcode::kCollectivePermute || c.kind == HloOpcode::kSend || c.kind == HloOpcode::kRecv;
    for (const auto& group : c.groups) {
      if (!pairs) {
        if (group.size() < 2 || std::find(group.begin(), group.end(), rank_) == group.end()) continue;
        ChakraNode node = Node(work, proto::kCommColl);
        node.attr.push_back(Int64("comm_type", static_cast<double>(CommType(c.kind))));
        // The bytes of a rank's operand: ASTRA-sim's all-gather (astra-sim/system/collective/Ring.cc) ends with n times
        // as much.
        node.attr.push_back(Int64("comm_size", c.payload));
        node.attr.push_back({"pg_name", {}, {}, {}, {}, groups_.NameOf(group)});
        EmitInOrder(node, k);
        continue;
      }
      if (group[0] == group[1]) continue;
      if (group[0] == rank_ && c.kind != HloOpcode::kRecv) EmitTransfer(work, k, proto::kCommSend, group, bytes);
      if (group[1] == rank_ && c.kind != HloOpcode::kSend) EmitTransfer(work, k, proto::kCommRecv, group, bytes);
    }
  }
  // The k-th send from one rank to another matches the k-th receive.
  void EmitTransfer(const Work& work, size_t k, proto::NodeType type, const std::vector<int64_t>& pair, double bytes) {
    ChakraNode node = Node(work, type);
    node.attr.push_back(Int32("comm_src", pair[0]));
    node.attr.push_back(Int32("comm_dst", pair[1]));
    node.attr.push_back(Int64("comm_size", bytes));
    int64_t& tag = tags_[{pair[0], pair[1], type}];
    node.attr.push_back(Int32("comm_tag", tag++));
    EmitInOrder(node, k);
  }

  const Roofline& roofline_;
  double least_bytes_ = 1;
  const int64_t rank_;
  ProcessGroups& groups_;
  std::string file_;
  std::vector<std::vector<int64_t>> ids_;  // of the nodes of a piece of work
  std::vector<int64_t> deps_;
  std::map<std::tuple<int64_t, int64_t, int64_t>, int64_t> tags_;
  int64_t next_id_ = 0, last_ = -1;  // the last communication
};

}  // namespace

StatusOr<ChakraTraces> ChakraTrace(const HloModule& module, const Roofline& roofline) {
  Unroller unroller(roofline);
  const size_t parameters = static_cast<size_t>(module.entry_computation()->parameter_count());
  HLOIR_ASSIGN_OR_RETURN(const auto end,
                         unroller.Run(*module.entry_computation(), std::vector<Unroller::Ids>(parameters), 0));
  (void)end;
  constexpr int64_t kMostBytes = int64_t{1} << 29;  // of all ranks' files, some 100 bytes a node
  const auto within = [kMostBytes](int64_t n) {
    return std::clamp<int64_t>(n, 0, kMostBytes);
  };  // so that nothing overflows
  int64_t devices = within(module.config().replica_count) * within(module.config().num_partitions);
  for (const Communication& c : roofline.communications().all())
    for (const auto& group : c.groups)
      for (int64_t device : group) devices = std::max(devices, within(device) + 1);
  if (devices > kMostBytes / 100 / std::max<int64_t>(static_cast<int64_t>(unroller.work.size()), 1))
    return ResourceExhausted(
        Format("{} nodes for each of {} devices: more than 512 MiB of traces", unroller.work.size(), devices));
  ChakraTraces traces;
  ProcessGroups groups;
  for (int64_t rank = 0; rank < devices; ++rank)
    traces.ranks.push_back(RankWriter(roofline, rank, groups).Write(unroller.work, module.name()));
  traces.groups = groups.Json();
  return traces;
}

}  // namespace hloir
