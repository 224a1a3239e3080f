// See hloir/cost.h. Computations are processed once each, callees first; times of loop bodies are multiplied by trip
// counts.
#include "hloir/cost.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "support/format.h"

namespace hloir {
namespace {

// Each computation keeps its own events.
constexpr size_t kMostEvents = 100000, kMostEventsOfCallee = 10000;
constexpr int kMaxCallNesting = 32;  // of fusions in fusions

bool IsProduct(HloOpcode opcode) {
  return IsOneOf(opcode, HloOpcode::kDot, HloOpcode::kScaledDot, HloOpcode::kRaggedDot, HloOpcode::kConvolution);
}
// The element type that determines the rate of an operation: the operands', or the result's without operands.
std::string_view TypeOf(const HloInstruction& i) {
  const Shape* shape = i.operand_count() > 0 ? &i.operand(0)->shape() : &i.shape();
  const std::vector<const Shape*> leaves = shape->Leaves();
  if (shape->IsTuple()) shape = leaves.empty() ? shape : leaves[0];
  return shape->IsArray() ? PrimitiveTypeName(shape->element_type()) : std::string_view();
}
double Steps(HloOpcode kind, int64_t n) {
  const double others = static_cast<double>(n - 1);
  if (kind == HloOpcode::kAllReduce) return 2 * others;
  if (IsOneOf(kind, HloOpcode::kCollectivePermute, HloOpcode::kSend, HloOpcode::kRecv)) return 1;
  return others;
}

}  // namespace

int64_t WhatIfMesh::devices() const {
  Mesh then = mesh;
  for (size_t axis = 0; axis < sizes.size(); ++axis) then.axes[axis].second = sizes[axis];
  return DeviceCount(then);
}

StatusOr<WhatIfMesh> ParseWhatIfMesh(std::string_view text) {
  WhatIfMesh result;
  std::string plain;  // without the assumptions
  for (std::string_view rest = text; !rest.empty();) {
    const size_t comma = std::min(rest.find(','), rest.size());
    std::string_view axis = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const size_t at = std::min(axis.find('@'), axis.size());
    result.links.emplace_back(axis.substr(std::min(at + 1, axis.size())));
    if (at < axis.size() && result.links.back().empty())
      return InvalidArgument(Format("mesh {}: expected a link after the @", text));
    axis = axis.substr(0, at);
    const size_t colon = axis.find(':');
    result.sizes.push_back(0);
    if (colon != std::string_view::npos) {
      const std::string_view digits = axis.substr(colon + 1);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), result.sizes.back());
      if (error != std::errc() || end != digits.data() + digits.size() || result.sizes.back() < 1 ||
          result.sizes.back() > int64_t{1} << 20)
        return InvalidArgument(Format("mesh {}: '{}' is not a size", text, digits));
    }
    plain += (plain.empty() ? "" : ",") + std::string(axis.substr(0, colon));
  }
  HLOIR_ASSIGN_OR_RETURN(result.mesh, ParseMesh(plain));
  for (size_t axis = 0; axis < result.sizes.size(); ++axis)
    if (result.sizes[axis] == 0) result.sizes[axis] = result.mesh.axes[axis].second;
  return result;
}

std::string_view BoundName(Roofline::Bound bound) {
  switch (bound) {
    case Roofline::Bound::kNothing: return "nothing";
    case Roofline::Bound::kCompute: return "compute";
    case Roofline::Bound::kMemory: return "memory";
    case Roofline::Bound::kCommunication: return "communication";
    case Roofline::Bound::kOverhead: return "overhead";
  }
  return "";
}

class Roofline::Builder {
 public:
  Builder(Roofline& roofline, const DeviceDescription& device, const std::optional<WhatIfMesh>& mesh)
      : roofline_(roofline), device_(device), mesh_(mesh) {}

  void Run(const HloModule& module) {
    const std::vector<double> counts = ExecutionCounts(module);
    known_ = KnownExecutionCounts(module);
    roofline_.index_.assign(static_cast<size_t>(module.instruction_id_limit()), -1);
    runs_.resize(counts.size());
    for (const HloComputation* computation : module.PostOrder()) {
      const double times = counts[static_cast<size_t>(computation->id())];
      if (times > 0) Walk(*computation, times);
    }
    const OneRun& entry = runs_[static_cast<size_t>(module.entry_computation()->id())];
    roofline_.seconds_ = device_.startup + entry.seconds;
    roofline_.communication_ = entry.communication;
    roofline_.exposed_ = entry.exposed;
    roofline_.events_ = entry.events;
    std::stable_sort(roofline_.events_.begin(), roofline_.events_.end(),
                     [](const Event& a, const Event& b) { return a.start < b.start; });
  }

 private:
  struct OneRun {
    size_t most_events = kMostEventsOfCallee;
    double seconds = 0, communication = 0, exposed = 0;
    std::vector<Event> events;
  };
  using Stream = Event::Stream;

  const OneRun& RunOf(const HloComputation& computation) { return runs_[static_cast<size_t>(computation.id())]; }

  // The state of a walk through one computation: the times at which each stream is free, and at which started
  // operations end.
  struct Clock {
    double now = 0, link = 0, side = 0;
    std::unordered_map<const HloInstruction*, std::pair<double, bool>> begun;  // its end; is it communication
  };

  void Walk(const HloComputation& computation, double times) {
    OneRun run;
    if (&computation == computation.module()->entry_computation()) run.most_events = kMostEvents;
    Clock clock;
    const bool scheduled = computation.module()->config().is_scheduled;
    for (const HloInstruction* i : scheduled ? computation.instructions() : computation.PostOrder()) {
      Step step;
      step.instruction = i, step.times = times;
      step.times_known = known_[static_cast<size_t>(computation.id())];
      if (!Control(*i, step, clock, run) && !Communicate(*i, step, clock, run) && !Wait(*i, clock, run)) {
        Local(*i, step);
        if (i->opcode() == HloOpcode::kCopyStart) {
          Begin(*i, step.seconds, Stream::kAsynchronous, clock.side, clock, run);
        } else if (step.seconds > 0) {
          AddEvent(run, *i, clock.now, step.seconds, Stream::kCompute);
          clock.now += step.seconds;
        }
      }
      roofline_.index_[static_cast<size_t>(i->id())] = static_cast<int32_t>(roofline_.steps_.size());
      roofline_.steps_.push_back(step);
    }
    // The computation ends after all started operations, including those without a done.
    run.exposed += std::max(0.0, clock.link - clock.now);
    run.seconds = std::max({clock.now, clock.link, clock.side});
    runs_[static_cast<size_t>(computation.id())] = std::move(run);
  }

  static void AddEvent(OneRun& run, const HloInstruction& i, double start, double seconds, Stream stream) {
    if (run.events.size() < run.most_events) run.events.push_back({&i, start, seconds, stream, 0});
  }
  static void AddEventsWithin(OneRun& run, const OneRun& callee, double start) {
    for (Event event : callee.events) {
      if (run.events.size() >= run.most_events) return;
      event.start += start, ++event.depth;
      run.events.push_back(event);
    }
  }

  // Handles instructions that call computations. False for other instructions, and for an async-start that
  // communicates.
  bool Control(const HloInstruction& i, Step& step, Clock& clock, OneRun& run) {
    if (i.opcode() == HloOpcode::kAsyncStart) {
      if (roofline_.communications_.Of(i) != nullptr) return false;
      for (const HloComputation* callee : i.called_computations()) step.seconds += RunOf(*callee).seconds;
      Begin(i, step.seconds, Stream::kAsynchronous, clock.side, clock, run);
      return true;
    }
    if (!i.Is(kControlFlow)) return false;
    OneRun all;
    if (i.opcode() == HloOpcode::kWhile) {
      const OneRun &condition = RunOf(*i.while_condition()), &body = RunOf(*i.while_body());
      const double rounds = static_cast<double>(TripCount(i).value_or(1));
      all.seconds = rounds * (body.seconds + device_.loop_overhead) + (rounds + 1) * condition.seconds;
      all.communication = rounds * body.communication + (rounds + 1) * condition.communication;
      all.exposed = rounds * body.exposed + (rounds + 1) * condition.exposed;
      AddEventsWithin(all, condition, 0);
      if (rounds > 0) AddEventsWithin(all, body, condition.seconds);
    } else {
      // A call has one callee; a conditional takes the time of its longest branch.
      const OneRun* longest = nullptr;
      for (const HloComputation* callee : i.called_computations()) {
        const OneRun& one = RunOf(*callee);
        if (longest == nullptr || one.seconds > longest->seconds) longest = &one;
      }
      if (longest != nullptr) {
        all.seconds = longest->seconds, all.communication = longest->communication, all.exposed = longest->exposed;
        AddEventsWithin(all, *longest, 0);
      }
    }
    step.seconds = all.seconds, step.communication = all.communication;
    AddEvent(run, i, clock.now, all.seconds, Stream::kCompute);
    for (const Event& event : all.events) {
      if (run.events.size() >= run.most_events) break;
      run.events.push_back(event);
      run.events.back().start += clock.now;
    }
    run.communication += all.communication, run.exposed += all.exposed;
    clock.now += all.seconds;
    return true;
  }

  // Transfers are serialized on the links. A synchronous one is awaited at once. A fusion computes first.
  bool Communicate(const HloInstruction& i, Step& step, Clock& clock, OneRun& run) {
    const std::span<const Communication> all = roofline_.communications_.AllOf(i);
    if (all.empty()) return false;
    if (i.opcode() == HloOpcode::kFusion) {
      Local(i, step);
      AddEvent(run, i, clock.now, step.seconds, Stream::kCompute);
      clock.now += step.seconds;
    }
    for (const Communication& c : all) step.communication += SecondsOf(c);
    if (step.communication >= step.seconds) step.bound = Bound::kCommunication;
    step.seconds += step.communication;
    if (step.seconds == 0) step.bound = Bound::kNothing;
    run.communication += step.communication;
    Begin(i, step.communication, Stream::kCommunication, clock.link, clock, run);
    if (!all[0].is_asynchronous) WaitFor(i, clock, run);
    return true;
  }
  static void Begin(const HloInstruction& i, double seconds, Stream stream, double& free, Clock& clock, OneRun& run) {
    const double start = std::max(clock.now, free);
    free = start + seconds;
    clock.begun[&i] = {free, stream == Stream::kCommunication};
    if (seconds > 0) AddEvent(run, i, start, seconds, stream);
  }

  // The end of a started operation, which is a direct operand or an operand's operand.
  bool Wait(const HloInstruction& i, Clock& clock, OneRun& run) {
    if (!i.Is(kAsyncPart) || i.opcode() == HloOpcode::kCopyStart || i.opcode() == HloOpcode::kAsyncUpdate) return false;
    const HloInstruction* start = &i;
    while (start->operand_count() > 0 && !clock.begun.contains(start)) start = start->operand(0);
    WaitFor(*start, clock, run);
    return true;
  }
  static void WaitFor(const HloInstruction& start, Clock& clock, OneRun& run) {
    const auto it = clock.begun.find(&start);
    if (it == clock.begun.end()) return;
    const double waited = std::max(0.0, it->second.first - clock.now);
    if (it->second.second) run.exposed += waited;
    clock.now += waited;
  }

  double SecondsOf(const Communication& c) const {
    if (device_.links.empty()) return 0;
    const auto named = [&](std::string_view name) -> const DeviceDescription::Link* {
      for (const auto& link : device_.links)
        if (link.name == name) return &link;
      return nullptr;
    };
    if (c.is_host) {
      const DeviceDescription::Link* host = named("host");
      return host == nullptr ? 0 : (c.payload + c.result) / host->bandwidth + host->latency;
    }
    int64_t n = c.group_size;
    const DeviceDescription::Link* link = nullptr;
    if (mesh_) {
      if (const std::optional<MeshSpan> span = SpanOf(c.groups, mesh_->mesh)) {
        if (span->whole && !span->axes.empty()) {
          n = 1;
          for (size_t axis : span->axes) n *= mesh_->sizes[axis];
        }
        for (size_t axis : span->axes) {  // of several the slowest
          const auto* of_axis = named(mesh_->links[axis]);
          if (of_axis != nullptr && (link == nullptr || of_axis->bandwidth < link->bandwidth)) link = of_axis;
        }
      }
    }
    double links = 1;  // of this kind, side by side; an axis on a link of its own has one device in each block
    if (link == nullptr) {
      link = &Reaching(c.groups, n);
      if (IsRing(c.kind)) links = LinksOf(c.groups, *link);
    }
    const bool pairs =
        c.kind == HloOpcode::kCollectivePermute || c.kind == HloOpcode::kSend || c.kind == HloOpcode::kRecv;
    if (!pairs && n <= 1) return 0;
    if (c.kind == HloOpcode::kCollectivePermute && c.sent == 0) return 0;
    double payload = c.kind == HloOpcode::kRecv ? c.result : c.payload;
    if (c.kind == HloOpcode::kAllGather) payload *= static_cast<double>(c.group_size) / static_cast<double>(n);
    const double bytes = pairs ? payload : WireBytes(c.kind, payload, n);
    const double bandwidth = pairs && link->pair_bandwidth > 0 ? link->pair_bandwidth : link->bandwidth * links;
    return device_.collective_overhead + (bandwidth > 0 ? bytes / bandwidth : 0) + Steps(c.kind, n) * link->latency;
  }
  static bool IsRing(HloOpcode kind) {
    return IsOneOf(kind, HloOpcode::kAllReduce, HloOpcode::kAllGather, HloOpcode::kReduceScatter,
                   HloOpcode::kCollectiveBroadcast);
  }
  // The number of links like this one by which a ring leaves a block of the fastest link: the fewest devices that a
  // group has in a block. It is at most what makes them as fast as the fastest link.
  double LinksOf(const std::vector<std::vector<int64_t>>& groups, const DeviceDescription::Link& link) const {
    const DeviceDescription::Link& fastest = device_.links.front();
    if (&link == &fastest || fastest.devices == 0 || link.bandwidth <= 0) return 1;
    int64_t fewest = fastest.devices;
    for (const std::vector<int64_t>& group : groups) {
      std::unordered_map<int64_t, int64_t> in_block;
      for (int64_t device : group) ++in_block[device / fastest.devices];
      for (const auto& [block, count] : in_block) fewest = std::min(fewest, count);
    }
    return std::clamp(fastest.bandwidth / link.bandwidth, 1.0, static_cast<double>(fewest));
  }
  // The fastest link with each group within one of its blocks; otherwise the last link.
  const DeviceDescription::Link& Reaching(const std::vector<std::vector<int64_t>>& groups, int64_t n) const {
    for (const auto& link : device_.links) {
      if (link.name == "host") continue;
      bool reaches = link.devices == 0 || n <= link.devices;
      for (const auto& group : groups) {
        for (int64_t device : group)
          reaches = reaches && (link.devices == 0 || device / link.devices == group[0] / link.devices);
      }
      if (reaches) return link;
    }
    return device_.links.back();
  }

  // Operations and bytes.
  void Local(const HloInstruction& i, Step& step) {
    if (CostClass(i.opcode()) == OpCost::kFree) return;
    step.compute = Compute(i);
    const double bytes = roofline_.cost_.BytesOf(i).Sum() + CopiedBytes(i);
    if (const double bandwidth = Bandwidth(bytes); bandwidth > 0) step.memory = bytes / bandwidth;
    double overhead = HasProduct(i) && device_.product_overhead > 0 ? device_.product_overhead : device_.overhead;
    if (device_.scalar_overhead > 0 && OnScalars(i)) {
      overhead = device_.scalar_overhead * Operations(i);
      step.compute = step.memory = 0;
    }
    step.seconds = std::max(step.compute, step.memory) + overhead;
    if (step.compute == 0 && step.memory == 0) {
      if (i.opcode() == HloOpcode::kCustomCall) step.seconds = 0;  // an annotation, or unknown
      step.bound = step.seconds > 0 ? Bound::kOverhead : Bound::kNothing;
    } else if (overhead > std::max(step.compute, step.memory)) {
      step.bound = Bound::kOverhead;
    } else {
      step.bound = step.compute > step.memory ? Bound::kCompute : Bound::kMemory;
    }
  }
  // True for a dot, a convolution, a call of a library, and a fusion with one of them.
  static bool HasProduct(const HloInstruction& i) {
    if (i.opcode() != HloOpcode::kFusion) return IsProduct(i.opcode()) || IsLibrary(i);
    const HloComputation& body = *i.fused_computation();
    for (const HloInstruction* inner = body.first(); inner != nullptr; inner = inner->next()) {
      if (IsProduct(inner->opcode()) || IsLibrary(*inner)) return true;
    }
    return false;
  }
  static bool IsLibrary(const HloInstruction& i) {
    return i.opcode() == HloOpcode::kCustomCall &&
           i.attributes<CustomCallAttributes>().custom_call_target.starts_with("__");
  }
  // An update of a parameter is made in a copy, unless the parameter is donated.
  static double CopiedBytes(const HloInstruction& i) {
    const HloInstruction* update = i.opcode() == HloOpcode::kFusion ? i.fused_computation()->root() : &i;
    if (update->opcode() != HloOpcode::kDynamicUpdateSlice && update->opcode() != HloOpcode::kScatter) return 0;
    const HloInstruction* into = update->operand(0);
    if (update != &i && into->opcode() == HloOpcode::kParameter) into = i.operand(into->parameter_number());
    if (into->opcode() != HloOpcode::kParameter || !into->parent()->IsEntry() || !into->shape().IsArray()) return 0;
    for (const auto& alias : i.parent()->module()->config().input_output_alias)
      if (alias.parameter == into->parameter_number()) return 0;
    return 2.0 * static_cast<double>(into->shape().ByteSize());
  }
  // True if all operands and results are arrays of one element.
  static bool OnScalars(const HloInstruction& i) {
    const auto scalars = [](const Shape& shape) {
      const std::vector<const Shape*> leaves = shape.Leaves();
      return !leaves.empty() &&
             std::all_of(leaves.begin(), leaves.end(), [](const Shape* leaf) { return leaf->IsEffectiveScalar(); });
    };
    return scalars(i.shape()) && std::all_of(i.operands().begin(), i.operands().end(),
                                             [&](const HloInstruction* operand) { return scalars(operand->shape()); });
  }
  // The number of operations: 1, or those in a fusion.
  static double Operations(const HloInstruction& i) {
    if (i.opcode() != HloOpcode::kFusion) return 1;
    double count = 0;
    for (const HloInstruction* inner = i.fused_computation()->first(); inner != nullptr; inner = inner->next())
      if (CostClass(inner->opcode()) != OpCost::kFree) ++count;
    return count;
  }
  double Bandwidth(double bytes) const {
    for (const auto& cache : device_.caches)
      if (bytes <= cache.bytes) return cache.bandwidth;
    return device_.bandwidth;
  }
  double Compute(const HloInstruction& i) const {
    if (i.opcode() != HloOpcode::kFusion) return ComputeAlone(i);
    double seconds = 0;
    std::vector<std::pair<const HloComputation*, int>> bodies{{i.fused_computation(), 0}};
    while (!bodies.empty()) {
      const auto [body, nesting] = bodies.back();
      bodies.pop_back();
      for (const HloInstruction* inner = body->first(); inner != nullptr; inner = inner->next()) {
        if (inner->opcode() != HloOpcode::kFusion) seconds += ComputeAlone(*inner);
        else if (nesting < kMaxCallNesting) bodies.emplace_back(inner->fused_computation(), nesting + 1);
      }
    }
    return seconds;
  }
  // A transpose that agrees with its change of layout moves nothing in XLA's count; a device with a rate for transposes
  // has a fixed layout.
  double BytesMoved(const HloInstruction& i) const {
    const double bytes = roofline_.cost_.BytesOf(i).Sum();
    return bytes == 0 && i.opcode() == HloOpcode::kTranspose ? 2.0 * static_cast<double>(i.shape().ByteSize()) : bytes;
  }
  // By the name of the variant, otherwise of the opcode; each first with the type, as in divide.s32.
  std::map<std::string, double>::const_iterator OpcodeRate(const HloInstruction& i) const {
    std::string_view special;
    if (i.opcode() == HloOpcode::kReduce && i.shape().IsTuple()) special = "tuple-reduce";
    if (i.opcode() == HloOpcode::kReduceWindow && IsRunningSum(i)) special = "running-sum";
    if (i.opcode() == HloOpcode::kConvolution) {
      const auto& a = i.attributes<ConvolutionAttributes>();
      if (a.feature_group_count > 1 || a.batch_group_count > 1) special = "grouped-convolution";
    }
    const std::string type = "." + std::string(TypeOf(i));
    for (const std::string_view name : {special, i.opcode_name()}) {
      if (name.empty()) continue;
      if (const auto it = device_.opcodes.find(std::string(name) + type); it != device_.opcodes.end()) return it;
      if (const auto it = device_.opcodes.find(std::string(name)); it != device_.opcodes.end()) return it;
    }
    return device_.opcodes.end();
  }
  double SliceSeconds(const HloInstruction& i) const {
    const auto it = device_.slices.find(std::string(i.opcode_name()));
    if (it == device_.slices.end() || it->second <= 0) return 0;
    // The indices hold one vector for each slice.
    const bool gather = i.opcode() == HloOpcode::kGather;
    if (!gather && i.opcode() != HloOpcode::kScatter) return 0;
    const Shape& indices = i.operand(gather ? 1 : (i.operand_count() - 1) / 2)->shape();
    const int64_t dim =
        gather ? i.attributes<GatherAttributes>().index_vector_dim : i.attributes<ScatterAttributes>().index_vector_dim;
    const double each = dim >= 0 && dim < indices.rank() ? static_cast<double>(indices.dimensions(dim)) : 1;
    return each > 0 ? static_cast<double>(indices.ElementCount()) / each / it->second : 0;
  }
  // XLA multiplies the dimensions' logarithms, which an algorithm adds, and counts complex numbers as real.
  static double DimensionByDimension(const HloInstruction& i) {
    double sum = 0, product = 1;
    for (int64_t length : i.attributes<FftAttributes>().fft_length) {
      const double log = std::floor(std::log2(static_cast<double>(std::max<int64_t>(length, 1))));
      sum += log, product *= log;
    }
    const FftType type = i.attributes<FftAttributes>().fft_type;
    const double real = type == FftType::kRfft || type == FftType::kIrfft ? 0.5 : 1;
    return product > 0 ? real * sum / product : 1;
  }
  static bool IsRunningSum(const HloInstruction& i) {
    const Window& window = i.attributes<WindowAttributes>().window;
    const Shape& input = i.operand(0)->shape();
    if (!input.IsArray()) return false;
    bool whole = false;
    for (size_t d = 0; d < window.size() && static_cast<int64_t>(d) < input.rank(); ++d) {
      if (window[d].size > 1 && window[d].size < input.dimensions(static_cast<int64_t>(d))) return false;
      whole = whole || window[d].size > 1;
    }
    return whole;
  }
  // A window as long as the dimension: implementations do not sum each window separately.
  static double RunningSum(const HloInstruction& i) {
    const Window& window = i.attributes<WindowAttributes>().window;
    const Shape& input = i.operand(0)->shape();
    if (!input.IsArray()) return std::numeric_limits<double>::infinity();
    double each = 1;  // operations per element of the result
    for (size_t d = 0; d < window.size() && static_cast<int64_t>(d) < input.rank(); ++d) {
      const int64_t size = window[d].size;
      each *= size > 1 && size >= input.dimensions(static_cast<int64_t>(d)) ? 2.0 : static_cast<double>(size);
    }
    double elements = 0;
    for (const Shape* leaf : i.shape().Leaves())
      if (leaf->IsArray()) elements += static_cast<double>(leaf->ElementCount());
    return each * elements;
  }
  double ComputeAlone(const HloInstruction& i) const {
    if (CostClass(i.opcode()) == OpCost::kFree) return 0;
    Cost cost = roofline_.cost_.Of(i).once;
    if (i.opcode() == HloOpcode::kReduceWindow) cost.flops = std::min(cost.flops, RunningSum(i));
    if (i.opcode() == HloOpcode::kFft) cost.flops *= DimensionByDimension(i);
    const double operations = cost.flops + cost.transcendentals;
    if (const auto it = OpcodeRate(i); it != device_.opcodes.end()) {
      const double seconds = it->second > 0 ? (operations > 0 ? operations : BytesMoved(i)) / it->second : 0;
      return std::max(seconds, SliceSeconds(i));
    }
    if (operations == 0) return 0;
    const std::string_view type = TypeOf(i);
    const double plain = DeviceDescription::RateOf(device_.flops, type);
    double rate = 0;
    if (IsProduct(i.opcode()) || IsLibrary(i)) rate = DeviceDescription::RateOf(device_.products, type);
    if (rate == 0) rate = plain;
    const double transcendentals = device_.transcendentals > 0 ? device_.transcendentals : plain;
    return (rate > 0 ? cost.flops / rate : 0) + (transcendentals > 0 ? cost.transcendentals / transcendentals : 0);
  }

  Roofline& roofline_;
  const DeviceDescription& device_;
  const std::optional<WhatIfMesh>& mesh_;
  std::vector<OneRun> runs_;  // by computation id
  std::vector<bool> known_;   // by computation id: KnownExecutionCounts
};

Roofline::Roofline(const HloModule& module, const DeviceDescription& device, const std::optional<WhatIfMesh>& mesh)
    : device_(device),
      cost_(module),
      communications_(module, mesh ? std::optional<Mesh>(mesh->mesh) : std::optional<Mesh>()) {
  Builder(*this, device, mesh).Run(module);
}

const Roofline::Step* Roofline::Of(const HloInstruction& instruction) const {
  const size_t id = static_cast<size_t>(instruction.id());
  return id < index_.size() && index_[id] >= 0 ? &steps_[static_cast<size_t>(index_[id])] : nullptr;
}

}  // namespace hloir
