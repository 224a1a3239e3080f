// See hloir/cost.h.
#include "hloir/cost.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <type_traits>

#include "analysis/execution_counts.h"
#include "analysis/unbounded.h"
#include "support/format.h"

namespace hloir {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

// The meaning of the numbers in replica_groups. Without a channel they are replicas, separately for each partition.
// With a channel, for ops with use_global_device_ids: all partitions of these replicas, or global device ids; for other
// ops: the partitions of a replica. Transfers always have a channel: channel 0, or any channel of a module with one
// partition, is between replicas.
enum class Ids { kReplicas, kPartitions, kReplicasOfAllPartitions, kDevices };

// The unit of the numbers, for messages.
std::string_view KindOf(Ids ids) {
  switch (ids) {
    case Ids::kReplicas:
    case Ids::kReplicasOfAllPartitions: return "replica";
    case Ids::kPartitions: return "partition";
    case Ids::kDevices: return "device";
  }
  return "";
}

struct Participants {
  Ids ids = Ids::kReplicas;
  Groups groups;          // empty: all devices, if `everybody`
  bool everybody = true;  // otherwise only the named ones: pairs
};

constexpr std::string_view kTransferPairs = "_xla_send_recv_source_target_pairs";

// Parses "{{0,1},{1,2}}", the frontend attribute with source and target devices.
Groups PairsOfTransfer(const HloInstruction& transfer) {
  Groups pairs;
  for (const auto& [key, value] : transfer.extras().frontend_attributes) {
    if (key != kTransferPairs) continue;
    std::vector<int64_t> numbers;
    const char *at = value.data(), *const end = value.data() + value.size();
    while (at < end) {
      int64_t number = 0;
      const auto [next, error] = std::from_chars(at, end, number);
      if (error == std::errc()) numbers.push_back(number), at = next;
      else ++at;
    }
    for (size_t k = 0; k + 1 < numbers.size(); k += 2) pairs.push_back({numbers[k], numbers[k + 1]});
  }
  return pairs;
}

Participants ParticipantsOf(const HloInstruction& instruction, int64_t partitions) {
  Participants result;
  instruction.attributes().Visit([&]<class T>(const T& a) {
    if constexpr (std::is_same_v<T, TransferAttributes>) {
      result.everybody = false;
      result.groups = PairsOfTransfer(instruction);
      if (a.channel_id.value_or(0) > 0 && partitions > 1) result.ids = Ids::kPartitions;
    } else if constexpr (requires { a.channel_id; }) {
      const bool has_channel = a.channel_id.has_value();
      if constexpr (requires { a.use_global_device_ids; }) {
        if (has_channel) result.ids = a.use_global_device_ids ? Ids::kDevices : Ids::kReplicasOfAllPartitions;
      } else if (has_channel) {
        result.ids = Ids::kPartitions;
      }
    }
    if constexpr (requires { a.replica_groups; }) result.groups = a.replica_groups.Expand();
    if constexpr (requires { a.source_target_pairs; }) {
      result.everybody = false;
      for (const auto& [source, target] : a.source_target_pairs) result.groups.push_back({source, target});
    }
  });
  return result;
}

constexpr int64_t kMostDevices = int64_t{1} << 20;

// If the groups name more devices than declared, the groups decide.
Groups Expand(const Participants& p, int64_t replicas, int64_t partitions) {
  replicas = std::max<int64_t>(replicas, 1), partitions = std::max<int64_t>(partitions, 1);
  int64_t largest = -1;
  for (const auto& group : p.groups)
    for (int64_t id : group) largest = std::max(largest, id);
  if (largest >= kMostDevices || replicas > kMostDevices || partitions > kMostDevices / replicas) return {};
  if (p.ids == Ids::kPartitions) partitions = std::max(partitions, largest + 1);
  else if (p.ids != Ids::kDevices) replicas = std::max(replicas, largest + 1);
  Groups named = p.groups;
  if (named.empty() && p.everybody) {
    const int64_t limit = p.ids == Ids::kPartitions ? partitions
                          : p.ids == Ids::kDevices  ? replicas * partitions
                                                    : replicas;
    for (int64_t id = 0; id < limit; ++id) (named.empty() ? named.emplace_back() : named[0]).push_back(id);
  }
  if (p.ids == Ids::kDevices) return named;
  Groups result;
  if (p.ids == Ids::kReplicasOfAllPartitions) {
    for (const auto& group : named) {
      auto& all = result.emplace_back();
      for (int64_t replica : group)
        for (int64_t k = 0; k < partitions; ++k) all.push_back(replica * partitions + k);
    }
    return result;
  }
  // Replicates the groups for each partition, or for each replica.
  const bool of_partitions = p.ids == Ids::kPartitions;
  for (int64_t other = 0; other < (of_partitions ? replicas : partitions); ++other) {
    for (const auto& group : named) {
      auto& devices = result.emplace_back();
      for (int64_t id : group) devices.push_back(of_partitions ? other * partitions + id : id * partitions + other);
    }
  }
  return result;
}

bool Communicates(const HloInstruction& i) {
  return i.Is(kCollective) || i.opcode() == HloOpcode::kSend || i.opcode() == HloOpcode::kRecv;
}
// True if the instruction and its computation are one step.
bool IsWrapper(const HloInstruction& i) { return IsOneOf(i.opcode(), HloOpcode::kAsyncStart, HloOpcode::kFusion); }

// The collectives and transfers of an instruction: itself, or those in a fusion or asynchronous computation, including
// nested calls and fusions. `within`: the searched computations.
std::vector<const HloInstruction*> CollectivesOf(const HloInstruction& i,
                                                 std::vector<const HloComputation*>* within = nullptr) {
  if (Communicates(i)) return {&i};
  std::vector<const HloInstruction*> found;
  if (!IsWrapper(i)) return found;
  constexpr size_t kMostComputations = 1000;
  std::vector<const HloComputation*> open(i.called_computations().begin(), i.called_computations().end());
  for (size_t at = 0; at < open.size(); ++at) {
    if (within != nullptr) within->push_back(open[at]);
    for (const HloInstruction* inner = open[at]->first(); inner != nullptr; inner = inner->next()) {
      if (Communicates(*inner)) found.push_back(inner);
      if (!IsWrapper(*inner) && inner->opcode() != HloOpcode::kCall) continue;
      for (const HloComputation* callee : inner->called_computations())
        if (open.size() < kMostComputations) open.push_back(callee);
    }
  }
  return found;
}

HloOpcode SynchronousForm(HloOpcode opcode) {
  if (opcode == HloOpcode::kAllGatherStart) return HloOpcode::kAllGather;
  if (opcode == HloOpcode::kAllReduceStart) return HloOpcode::kAllReduce;
  if (opcode == HloOpcode::kCollectivePermuteStart) return HloOpcode::kCollectivePermute;
  return opcode;
}

double ArrayBytes(const Shape& shape) {
  double bytes = 0;
  for (const Shape* leaf : shape.Leaves())
    if (leaf->IsArray()) bytes += IsUnboundedArray(*leaf) ? kUnknownCost : static_cast<double>(leaf->ByteSize());
  return bytes;
}

// The bytes that a device sends, without index operands.
double Payload(const HloInstruction& i) {
  switch (i.opcode()) {
    case HloOpcode::kSend: return ArrayBytes(i.operand(0)->shape());
    case HloOpcode::kRecv: return 0;
    case HloOpcode::kRaggedAllToAll: return ArrayBytes(i.operand(0)->shape());
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kCollectivePermuteStart: {
      const auto& sizes = i.attributes<CollectivePermuteAttributes>().slice_sizes;
      if (sizes.empty()) break;
      // The form in place: (input, output, source offsets, target offsets), and the slice sizes.
      const Shape& input = i.operand(0)->shape();
      const Shape* array = input.Leaves().empty() ? &input : input.Leaves()[0];
      double bytes = 0;
      for (const DimVector& slice : sizes) {
        double elements = static_cast<double>(StorageBytes(array->element_type()));
        for (int64_t size : slice) elements *= static_cast<double>(size);
        bytes += elements;
      }
      return bytes;
    }
    default: break;  // sends all of its operands
  }
  double bytes = 0;
  for (const HloInstruction* operand : i.operands()) bytes += ArrayBytes(operand->shape());
  return bytes;
}

double ResultBytes(const HloInstruction& i, HloOpcode kind, double payload, int64_t n) {
  if (kind == HloOpcode::kAllGather) return payload * static_cast<double>(n);
  if (kind == HloOpcode::kReduceScatter) return payload / static_cast<double>(n);
  if (kind == HloOpcode::kSend) return 0;
  // Its result is an array, a context and a token.
  if (kind == HloOpcode::kRecv)
    return i.shape().IsTuple() && i.shape().tuple_size() > 0 ? ArrayBytes(i.shape().tuple_shapes(0)) : 0;
  return payload;
}

bool IsPairs(HloOpcode kind) {
  return kind == HloOpcode::kCollectivePermute || kind == HloOpcode::kSend || kind == HloOpcode::kRecv;
}

// The coordinates of each device in the mesh.
std::vector<int64_t> PositionsOf(const Mesh& mesh, int64_t devices) {
  std::vector<int64_t> position(static_cast<size_t>(devices), -1);
  if (!mesh.device_ids) {
    for (int64_t d = 0; d < devices; ++d) position[static_cast<size_t>(d)] = d;
    return position;
  }
  const std::vector<int64_t> ids = mesh.device_ids->Expand();
  for (size_t k = 0; k < ids.size(); ++k)
    if (ids[k] >= 0 && ids[k] < devices) position[static_cast<size_t>(ids[k])] = static_cast<int64_t>(k);
  return position;
}

std::string AxesText(const MeshSpan& span, const Mesh& mesh) {
  std::string names;
  for (size_t axis : span.axes) names += (names.empty() ? "" : ",") + mesh.axes[axis].first;
  return span.whole || names.empty() ? names : "part of " + names;
}

template <class Key>
std::vector<CommunicationAnalysis::Sum> SumBy(const std::vector<Communication>& all, Key key) {
  std::map<std::string, CommunicationAnalysis::Sum> sums;
  for (const Communication& c : all) {
    CommunicationAnalysis::Sum& sum = sums[key(c)];
    ++sum.instructions;
    sum.times_known = sum.times_known && c.times_known;
    sum.times += c.times, sum.payload += c.payload * c.times, sum.sent += c.sent * c.times;
  }
  std::vector<CommunicationAnalysis::Sum> result;
  for (auto& [text, sum] : sums) result.emplace_back(std::move(sum)).key = text;
  // Unknown values come first.
  const auto weight = [](const CommunicationAnalysis::Sum& sum) { return std::isnan(sum.sent) ? HUGE_VAL : sum.sent; };
  std::stable_sort(result.begin(), result.end(), [&](const auto& a, const auto& b) { return weight(a) > weight(b); });
  return result;
}

}  // namespace

double WireBytes(HloOpcode kind, double payload, int64_t n) {
  if (IsPairs(kind)) return kind == HloOpcode::kRecv ? 0 : payload;
  if (n <= 1) return 0;
  const double others = static_cast<double>(n - 1), share = others / static_cast<double>(n);
  if (kind == HloOpcode::kAllReduce) return 2 * share * payload;
  if (kind == HloOpcode::kAllGather) return others * payload;
  return share * payload;
}

bool HasTransferPairs(const HloInstruction& transfer) {
  const FrontendAttributes& all = transfer.extras().frontend_attributes;
  return std::any_of(all.begin(), all.end(), [](const auto& each) { return each.first == kTransferPairs; });
}

StatusOr<Groups> DeviceGroups(const HloInstruction& instruction) {
  const std::vector<const HloInstruction*> collectives = CollectivesOf(instruction);
  if (collectives.empty()) return InvalidArgument(Format("{} does not communicate", instruction.name()));
  const ModuleConfig& config = instruction.module()->config();
  return Expand(ParticipantsOf(*collectives[0], config.num_partitions), config.replica_count, config.num_partitions);
}

NamedDevices NamedDevicesOf(const HloModule& module) {
  NamedDevices result{std::max<int64_t>(module.config().replica_count, 1),
                      std::max<int64_t>(module.config().num_partitions, 1)};
  if (result.replicas > 1 || result.partitions > 1) return result;
  int64_t devices = 1;
  for (const HloInstruction* i : module.AllInstructions()) {
    if (!Communicates(*i)) continue;
    const Participants participants = ParticipantsOf(*i, 1);
    int64_t& count = participants.ids == Ids::kPartitions ? result.partitions
                     : participants.ids == Ids::kDevices  ? devices
                                                          : result.replicas;
    for (const auto& group : participants.groups)
      for (int64_t id : group) count = std::max(count, std::min(id, kMostDevices) + 1);
  }
  result.partitions = std::max(result.partitions, devices / result.replicas + (devices % result.replicas != 0));
  return result;
}

StatusOr<Groups> MeetingGroups(const HloInstruction& instruction, int64_t replicas, int64_t partitions) {
  Participants p = ParticipantsOf(instruction, partitions);
  const int64_t limit = p.ids == Ids::kPartitions ? partitions
                        : p.ids == Ids::kDevices  ? replicas * partitions
                                                  : replicas;
  const bool is_permute = !p.everybody && instruction.Is(kCollective);
  for (const std::vector<int64_t>& group : p.groups) {
    for (int64_t id : group) {
      if (id >= 0 && id < limit) continue;
      return InvalidArgument(Format("{}: {} names {} {}, and the module runs on {} replica{} of {} partition{}",
                                    instruction.name(), p.everybody ? "replica_groups" : "source_target_pairs",
                                    KindOf(p.ids), id, replicas, replicas == 1 ? "" : "s", partitions,
                                    partitions == 1 ? "" : "s"));
    }
  }
  if (is_permute) p.groups.clear(), p.everybody = true;  // devices without an incoming message wait as well
  return Expand(p, replicas, partitions);
}

StatusOr<Mesh> ParseMesh(std::string_view text) {
  Mesh mesh;
  int64_t devices = 1;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view axis = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const size_t equals = axis.find('=');
    int64_t size = 0;
    if (equals == std::string_view::npos || equals == 0)
      return InvalidArgument(Format("mesh {}: expected AXIS=SIZE, as in data=8,model=4", text));
    const std::string_view digits = axis.substr(equals + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (error != std::errc() || end != digits.data() + digits.size() || size < 1 || size > kMostDevices / devices)
      return InvalidArgument(Format("mesh {}: {} is not a size for axis {}", text, digits, axis.substr(0, equals)));
    devices *= size;
    for (const auto& [name, other] : mesh.axes)
      if (name == axis.substr(0, equals)) return InvalidArgument(Format("mesh {}: axis {} appears twice", text, name));
    mesh.axes.emplace_back(axis.substr(0, equals), size);
  }
  if (mesh.axes.empty()) return InvalidArgument("a mesh needs axes, as in data=8,model=4");
  return mesh;
}

namespace {

// JAX's frontend attribute xla.sdy.meshes: {mesh = #sdy.mesh<["x"=8, "y"=4]>}; the first that has axes.
std::optional<Mesh> SdyMesh(std::string_view text) {
  constexpr std::string_view kBegin = "mesh<[";
  for (size_t at = text.find(kBegin); at != std::string_view::npos; at = text.find(kBegin, at)) {
    at += kBegin.size();
    const size_t end = text.find(']', at);
    if (end == std::string_view::npos) break;
    std::string axes;
    for (char c : text.substr(at, end - at))
      if (c != '"' && c != ' ') axes += c;
    if (StatusOr<Mesh> mesh = ParseMesh(axes); mesh.ok()) return *std::move(mesh);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Mesh> FindMesh(const HloModule& module) {
  for (const auto& [key, value] : module.config().frontend_attributes) {
    if (key != "xla.sdy.meshes") continue;
    if (std::optional<Mesh> mesh = SdyMesh(value)) return mesh;
  }
  const auto of_sharding = [](const Sharding& sharding) -> const Mesh* {
    // The elements of a tuple's sharding are a flat list.
    if (sharding.kind == Sharding::Kind::kNamed && !sharding.mesh.axes.empty()) return &sharding.mesh;
    for (const Sharding& element : sharding.tuple_elements)
      if (element.kind == Sharding::Kind::kNamed && !element.mesh.axes.empty()) return &element.mesh;
    return nullptr;
  };
  for (const HloInstruction* i : module.AllInstructions()) {
    const Mesh* mesh = i->sharding() == nullptr ? nullptr : of_sharding(*i->sharding());
    if (mesh == nullptr && i->Is(kCollective)) {
      i->attributes().Visit([&]<class T>(const T& a) {
        if constexpr (requires { a.replica_groups; }) {
          if (a.replica_groups.form == ReplicaGroups::Form::kMesh) mesh = &a.replica_groups.mesh;
        }
      });
    }
    if (mesh != nullptr) return *mesh;
  }
  return std::nullopt;
}

int64_t DeviceCount(const Mesh& mesh) {
  int64_t devices = 1;
  for (const auto& [name, size] : mesh.axes) {
    if (size < 1 || devices > kMostDevices / size) return kMostDevices;
    devices *= size;
  }
  return devices;
}

std::optional<MeshSpan> SpanOf(const Groups& groups, const Mesh& mesh) {
  const int64_t devices = DeviceCount(mesh);
  const std::vector<int64_t> position = PositionsOf(mesh, devices);
  std::vector<bool> varies(mesh.axes.size(), false);
  size_t largest = 1;
  for (const auto& group : groups) {
    largest = std::max(largest, group.size());
    for (int64_t device : group) {
      if (device < 0 || device >= devices || position[static_cast<size_t>(device)] < 0) return std::nullopt;
      int64_t a = position[static_cast<size_t>(group[0])], b = position[static_cast<size_t>(device)];
      for (size_t axis = mesh.axes.size(); axis-- > 0;) {
        const int64_t size = mesh.axes[axis].second;
        if (a % size != b % size) varies[axis] = true;
        a /= size, b /= size;
      }
    }
  }
  MeshSpan span;
  size_t product = 1;
  for (size_t axis = 0; axis < varies.size(); ++axis) {
    if (!varies[axis]) continue;
    span.axes.push_back(axis);
    product *= static_cast<size_t>(mesh.axes[axis].second);
  }
  for (const auto& group : groups) span.whole = span.whole && group.size() == product;
  return span;
}

std::string GroupsText(const Groups& groups) {
  constexpr size_t kMost = 60;
  std::string text = "{";
  for (size_t g = 0; g < groups.size(); ++g) {
    if (text.size() > kMost) return text + Format(",…}} ({} groups)", groups.size());
    text += g > 0 ? ",{" : "{";
    for (size_t k = 0; k < groups[g].size(); ++k) {
      if (text.size() > 2 * kMost) {
        text += ",…";
        break;
      }
      text += Format("{}{}", k > 0 ? "," : "", groups[g][k]);
    }
    text += "}";
  }
  return text + "}";
}

namespace {

// Everything except the number of executions.
Communication Describe(const HloInstruction& step, const HloInstruction& collective, const std::optional<Mesh>& mesh) {
  const ModuleConfig& config = step.module()->config();
  Communication c;
  c.instruction = &step;
  c.collective = &collective;
  c.kind = SynchronousForm(collective.opcode());
  c.is_asynchronous = step.Is(kAsyncPart);
  c.payload = Payload(collective);
  c.groups = Expand(ParticipantsOf(collective, config.num_partitions), config.replica_count, config.num_partitions);
  if (const auto* transfer = collective.attributes().GetIf<TransferAttributes>())
    c.is_host = transfer->is_host_transfer;
  for (const auto& group : c.groups) c.group_size = std::max(c.group_size, static_cast<int64_t>(group.size()));
  c.result = ResultBytes(collective, c.kind, c.payload, c.group_size);
  if (IsPairs(c.kind)) {
    const double devices = static_cast<double>(std::max<int64_t>(config.replica_count, 1)) *
                           static_cast<double>(std::max<int64_t>(config.num_partitions, 1));
    double pairs = c.groups.empty() && !collective.Is(kCollective) ? devices : 0;  // a transfer may have no named
                                                                                   // devices
    for (const auto& pair : c.groups) pairs += pair[0] == pair[1] ? 0 : 1;
    c.sent = c.is_host ? 0 : pairs * WireBytes(c.kind, c.payload, 2);
  } else {
    for (const auto& group : c.groups) {
      const int64_t n = static_cast<int64_t>(group.size());
      c.sent += WireBytes(c.kind, c.payload, n) * static_cast<double>(n);
    }
  }
  if (mesh && !c.is_host) {
    if (const std::optional<MeshSpan> span = SpanOf(c.groups, *mesh)) c.axes = AxesText(*span, *mesh);
  }
  return c;
}

// The branch of each conditional that sends most, by instruction id; -1 for other instructions. `sent`: the bytes that
// an instruction itself sends, by its id.
std::vector<int32_t> DearestBranches(const HloModule& module, const std::vector<double>& sent) {
  std::vector<int32_t> branch(sent.size(), -1);
  std::vector<double> of(static_cast<size_t>(module.computation_id_limit()), 0);
  for (const HloComputation* computation : module.PostOrder()) {
    double& all = of[static_cast<size_t>(computation->id())];
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      all += sent[static_cast<size_t>(i->id())];
      if (!i->Is(kControlFlow)) continue;
      double dearest = -1, rounds = 1, called = 0;
      if (i->opcode() == HloOpcode::kWhile) rounds = static_cast<double>(TripCount(*i).value_or(1));
      int32_t at = 0;
      for (const HloComputation* callee : i->called_computations()) {
        const double one = of[static_cast<size_t>(callee->id())];
        if (i->opcode() == HloOpcode::kConditional && one > dearest)
          dearest = one, branch[static_cast<size_t>(i->id())] = at;
        called += one;
        ++at;
      }
      all += i->opcode() == HloOpcode::kConditional ? std::max(dearest, 0.0) : rounds * called;
    }
  }
  return branch;
}

}  // namespace

CommunicationAnalysis::CommunicationAnalysis(const HloModule& module, const std::optional<Mesh>& mesh)
    : index_(static_cast<size_t>(module.instruction_id_limit()), -1) {
  const std::vector<double> reached = ExecutionCounts(module);
  std::vector<bool> wrapped(reached.size(), false);  // counted with the enclosing async-start or fusion
  const std::vector<const HloComputation*> order = module.TextOrder();
  for (const HloComputation* computation : order) {
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      if (i->opcode() != HloOpcode::kAsyncStart) continue;
      std::vector<const HloComputation*> within;
      CollectivesOf(*i, &within);
      for (const HloComputation* body : within) wrapped[static_cast<size_t>(body->id())] = true;
    }
  }
  std::vector<double> sent(index_.size(), 0);
  for (const HloComputation* computation : order) {
    const size_t id = static_cast<size_t>(computation->id());
    if (reached[id] == 0 || wrapped[id]) continue;
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      for (const HloInstruction* collective : CollectivesOf(*i)) {
        int32_t& index = index_[static_cast<size_t>(i->id())];
        if (index < 0) index = static_cast<int32_t>(all_.size());
        all_.push_back(Describe(*i, *collective, mesh));
        sent[static_cast<size_t>(i->id())] += all_.back().sent;
      }
    }
  }
  const std::vector<double> counts = CountExecutions(module, DearestBranches(module, sent));
  const std::vector<bool> known = KnownExecutionCounts(module);
  for (Communication& c : all_) {
    const size_t id = static_cast<size_t>(c.instruction->parent()->id());
    c.times = counts[id];
    c.times_known = known[id];
  }
}

const Communication* CommunicationAnalysis::Of(const HloInstruction& instruction) const {
  const std::span<const Communication> all = AllOf(instruction);
  return all.empty() ? nullptr : &all[0];
}
std::span<const Communication> CommunicationAnalysis::AllOf(const HloInstruction& instruction) const {
  const size_t id = static_cast<size_t>(instruction.id());
  if (id >= index_.size() || index_[id] < 0) return {};
  const size_t first = static_cast<size_t>(index_[id]);
  size_t end = first;
  while (end < all_.size() && all_[end].instruction == &instruction) ++end;
  return std::span<const Communication>(all_).subspan(first, end - first);
}

double CommunicationAnalysis::sent_bytes() const {
  double bytes = 0;
  for (const Communication& c : all_) bytes += c.sent * c.times;
  return bytes;
}

std::vector<CommunicationAnalysis::Sum> CommunicationAnalysis::ByKind() const {
  return SumBy(all_,
               [](const Communication& c) { return std::string(OpcodeName(c.kind)) + (c.is_host ? " (host)" : ""); });
}
std::vector<CommunicationAnalysis::Sum> CommunicationAnalysis::ByGroups() const {
  return SumBy(all_, [](const Communication& c) { return c.is_host ? "host" : GroupsText(c.groups); });
}
std::vector<CommunicationAnalysis::Sum> CommunicationAnalysis::ByAxes() const {
  std::vector<Sum> sums = SumBy(all_, [](const Communication& c) { return c.axes; });
  std::erase_if(sums, [](const Sum& sum) { return sum.key.empty(); });
  return sums;
}

}  // namespace hloir
