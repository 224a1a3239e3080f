// A module as a series of decisions in Python: the base of hloir.gym and hloir.dataset (rewrite/decisions.h). A step
// releases the GIL; observations are written into arrays of the caller's, of any size, from their beginning.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "hloir/cost.h"
#include "hloir/check.h"
#include "hloir/executable.h"
#include "hloir/pipeline.h"
#include "hloir/report.h"
#include "rewrite/decisions.h"
#include "rewrite/module_arrays.h"
#include "hloir/verifier.h"
#include "passes.h"

namespace hloir::python {
namespace {

template <class T, size_t rank>
using Array = nb::ndarray<T, nb::ndim<rank>, nb::c_contig, nb::device::cpu>;
constexpr size_t kFeatures = ModuleArrays::kFeatures.size(), kActionColumns = 4, kEdgeColumns = 2;

// A copy of an opportunity, which is valid after the step.
struct Offer {
  std::string id, pass, rule, formula, math, computation, instruction, partner;
  int32_t kind = 0;
};

class Game {
 public:
  Game(const Graph& graph, const std::string& passes, const std::string& math, const std::vector<std::string>& disable,
       int64_t max_instructions)
      : state_(Begin(graph, passes, math, disable, max_instructions)) {}

  std::unique_ptr<Game> Clone() { return std::unique_ptr<Game>(new Game(*this)); }
  std::shared_ptr<Graph> Module() { return std::make_shared<Graph>(state_.Finished()); }
  int64_t Size() { return static_cast<int64_t>(Open().size()); }
  std::vector<Offer> Offers() {
    std::vector<Offer> offers;
    for (const Opportunity& each : Open()) offers.push_back(OfferOf(each));
    return offers;
  }
  std::string Id(int64_t index) { return state_.Id(At(index)); }
  // Makes the rewrite, and finds the next opportunities.
  nb::tuple Take(int64_t index) {
    (void)At(index);
    const DecisionStep step = Asked<DecisionStep>([&]() -> StatusOr<DecisionStep> {
      HLOIR_ASSIGN_OR_RETURN(DecisionStep made, state_.Take(static_cast<size_t>(index)));
      // A pass in Python may have set attributes.
      const DecisionSpace::Kind& kind = state_.space().kinds()[static_cast<size_t>(made.kind)];
      if (kind.rule == kind.pass) state_.CountAnew();
      HLOIR_RETURN_IF_ERROR(state_.Open().status());
      (void)state_.total_cost();
      return made;
    });
    return nb::make_tuple(step.removed.size(), step.added.size());
  }
  nb::tuple Costs() {
    const Cost& cost = state_.total_cost().repeated;
    return nb::make_tuple(cost.flops, cost.transcendentals, cost.bytes);
  }
  double RooflineOn(const DeviceDescription& device) { return Roofline(state_.module(), device).seconds(); }
  int64_t InstructionCount() { return state_.module().instruction_count(); }
  // Nodes, edges, open rewrites.
  std::tuple<int64_t, int64_t, int64_t> Counts() {
    Fill();
    return {arrays_.node_count(), arrays_.edge_count(), Size()};
  }
  std::vector<std::tuple<std::string, std::string, std::string>> Kinds() {
    std::vector<std::tuple<std::string, std::string, std::string>> kinds;
    for (const DecisionSpace::Kind& kind : state_.space().kinds())
      kinds.emplace_back(kind.pass, kind.rule, kind.formula);
    return kinds;
  }

  // Nodes and edges beyond the arrays are left out; offsets of rows beyond the last node are the number of edges.
  void Observe(const Array<float, 2>& nodes, const Array<int32_t, 1>& opcodes, const Array<int32_t, 1>& types,
               const Array<int32_t, 1>& offsets, const Array<int32_t, 2>& edges, const Array<int32_t, 2>& edge_kinds,
               const Array<int32_t, 2>& actions, const Array<int32_t, 1>& counts, const Array<int8_t, 1>& mask) {
    Fill();
    if (nodes.shape(1) != kFeatures || edges.shape(0) != 2 || edge_kinds.shape(1) != kEdgeColumns ||
        actions.shape(1) != kActionColumns)
      throw nb::value_error("an array has the wrong number of columns");
    const size_t most_nodes = nodes.shape(0), most_edges = edges.shape(1), most_actions = actions.shape(0);
    if (opcodes.shape(0) != most_nodes || types.shape(0) != most_nodes || offsets.shape(0) != most_nodes + 1 ||
        edge_kinds.shape(0) != most_edges || mask.shape(0) != most_actions + 1 || counts.shape(0) != 3)
      throw nb::value_error("the arrays are not of one size");
    const size_t count = std::min(most_nodes, static_cast<size_t>(arrays_.node_count()));
    std::copy_n(arrays_.features.data(), count * kFeatures, nodes.data());
    std::copy_n(arrays_.opcodes.data(), count, opcodes.data());
    std::copy_n(arrays_.element_types.data(), count, types.data());
    size_t edge = 0;
    int32_t* const sources = edges.data();
    int32_t* const targets = edges.data() + most_edges;
    for (size_t node = 0; node < most_nodes; ++node) {
      offsets.data()[node] = static_cast<int32_t>(edge);
      if (node >= count) continue;
      for (int32_t from = arrays_.offsets[node]; from < arrays_.offsets[node + 1] && edge < most_edges; ++from) {
        const size_t at = static_cast<size_t>(from);
        if (arrays_.sources[at] >= static_cast<int32_t>(count)) continue;
        sources[edge] = arrays_.sources[at];
        targets[edge] = static_cast<int32_t>(node);
        edge_kinds.data()[kEdgeColumns * edge] = arrays_.kinds[at];
        edge_kinds.data()[kEdgeColumns * edge + 1] = arrays_.slots[at];
        ++edge;
      }
    }
    offsets.data()[most_nodes] = static_cast<int32_t>(edge);
    const std::span<const Opportunity> open = Open();
    counts.data()[0] = static_cast<int32_t>(arrays_.node_count());
    counts.data()[1] = static_cast<int32_t>(arrays_.edge_count());
    counts.data()[2] = static_cast<int32_t>(open.size());
    mask.data()[0] = 1;
    for (size_t k = 0; k < std::min(most_actions, open.size()); ++k) {
      const auto node_of = [&](const HloInstruction* i) {
        const int32_t node = i == nullptr ? -1 : arrays_.NodeOf(i->id());
        return node < static_cast<int32_t>(count) ? node : -1;
      };
      int32_t* row = actions.data() + kActionColumns * k;
      row[0] = open[k].kind;
      row[1] = node_of(open[k].instruction);
      row[2] = node_of(open[k].partner);
      row[3] = static_cast<int32_t>(open[k].math);
      mask.data()[k + 1] = 1;
    }
  }

 private:
  friend class Use;
  Game(const Game& other) : state_(other.state_.Clone()), busy_(other.busy_) {}
  static Decisions Begin(const Graph& graph, const std::string& passes, const std::string& math,
                         const std::vector<std::string>& disable, int64_t max_instructions) {
    Check(VerifyModule(graph.module()));
    DecisionOptions options;
    options.passes = Value(SplitPipeline(passes));
    options.pass_options.math = MathNamed(math);
    options.pass_options.disabled_rules = disable;
    options.max_instructions = max_instructions;
    return Value(Decisions::Begin(graph.module(), Value(DecisionSpace::Make(*Registry(), options))));
  }
  // Passes run without the GIL, which passes in Python take. Their exceptions are raised again.
  template <class T, class Body>
  static T Asked(const Body& body) {
    PendingException() = nullptr;
    StatusOr<T> result = [&] {
      const nb::gil_scoped_release released;
      return body();
    }();
    RaisePending();
    return Value(std::move(result));
  }
  std::span<const Opportunity> Open() {
    return Asked<std::span<const Opportunity>>([this] { return state_.Open(); });
  }
  const Opportunity& At(int64_t index) {
    const std::span<const Opportunity> open = Open();
    if (index < 0 || static_cast<size_t>(index) >= open.size()) throw nb::index_error("no such opportunity");
    return open[static_cast<size_t>(index)];
  }
  Offer OfferOf(const Opportunity& each) const {
    const DecisionSpace::Kind& kind = state_.space().kinds()[static_cast<size_t>(each.kind)];
    return {state_.Id(each),
            kind.pass,
            kind.rule,
            kind.formula,
            std::string(MathModeName(each.math)),
            std::string(each.instruction->parent()->name()),
            std::string(each.instruction->name()),
            each.partner == nullptr ? std::string() : std::string(each.partner->name()),
            each.kind};
  }
  void Fill() { arrays_.Fill(state_.module(), state_.instruction_costs()); }

  Decisions state_;
  ModuleArrays arrays_;
  std::shared_ptr<bool> busy_ =
      std::make_shared<bool>(false);  // its clones' too, as they share the passes. Under the GIL
};

// A call of a method. While a step runs without the GIL, another thread hears that it has to wait.
class Use {
 public:
  explicit Use(const Game& game) : busy_(game.busy_) {
    if (*busy_)
      throw nb::builtin_exception(nb::exception_type::runtime_error, "these decisions are in use in another thread");
    *busy_ = true;
  }
  ~Use() { *busy_ = false; }

 private:
  std::shared_ptr<bool> busy_;
};
template <auto method>
struct InUse;
template <class R, class... Arguments, R (Game::*method)(Arguments...)>
struct InUse<method> {
  static R Call(Game& game, Arguments... arguments) {
    const Use use(game);
    return (game.*method)(arguments...);
  }
};

// Sets its flag after so many seconds, if it still lives.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : thread_([this, seconds] {
          std::unique_lock lock(mutex_);
          if (!over_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return done_; })) passed_ = true;
        }) {}
  ~Deadline() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    over_.notify_one();
    thread_.join();
  }
  const std::atomic<bool>& passed() const { return passed_; }

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool done_ = false;
  std::atomic<bool> passed_ = false;
  std::thread thread_;
};

// Seconds of each of `runs` runs, on inputs that are made up, after one that does not count. Made-up inputs may let a
// loop run for ever: an error if all that takes more than `limit` seconds.
std::vector<double> Measure(const Graph& graph, int64_t runs, int threads, uint64_t seed, double limit) {
  return Value([&]() -> StatusOr<std::vector<double>> {
    nb::gil_scoped_release released;
    const Deadline deadline(limit);
    ExecutableOptions options;
    options.threads = threads;
    options.evaluator.cancel = &deadline.passed();
    HLOIR_ASSIGN_OR_RETURN(const std::unique_ptr<HloExecutable> prepared, PrepareExecutable(graph.module(), options));
    HLOIR_ASSIGN_OR_RETURN(const std::vector<Literal> inputs, MakeFakeInputs(graph.module(), seed, InputKind::kPlain));
    std::vector<const Literal*> arguments;
    for (const Literal& input : inputs) arguments.push_back(&input);
    HLOIR_ASSIGN_OR_RETURN(Literal result, prepared->Run(arguments));
    std::vector<double> seconds;
    for (int64_t run = 0; run < runs; ++run) {
      const auto start = std::chrono::steady_clock::now();
      HLOIR_RETURN_IF_ERROR(prepared->RunInto(arguments, &result));
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return seconds;
  }());
}

std::vector<std::string> OpcodeNames() {
  std::vector<std::string> names;
  for (int opcode = 0; opcode < kOpcodeCount; ++opcode) names.emplace_back(OpcodeName(static_cast<HloOpcode>(opcode)));
  return names;
}

}  // namespace

void BindDecisions(nb::module_& m) {
  nb::class_<DeviceDescription>(m, "_Device")
      .def(
          "__init__",
          [](DeviceDescription* made, const std::string& json) {
            new (made) DeviceDescription(Value(ParseDevice(json)));
          },
          nb::arg("json"));
  nb::class_<Offer>(m, "Opportunity", "A rewrite that is open.")
      .def_ro("id", &Offer::id, "As proposals() has it.")
      .def_ro("kind", &Offer::kind, "In Decisions.kinds.")
      .def_ro("pass_name", &Offer::pass)
      .def_ro("rule", &Offer::rule)
      .def_ro("formula", &Offer::formula)
      .def_ro("math", &Offer::math, "'exact', 'rounding' or 'fast'")
      .def_ro("computation", &Offer::computation)
      .def_ro("instruction", &Offer::instruction)
      .def_ro("partner", &Offer::partner, "The other instruction of a rewrite of two; mostly ''.")
      .def("__repr__", [](const Offer& o) { return "<hloir.Opportunity " + o.id + ">"; });
  nb::class_<Game>(
      m, "Decisions",
      "A copy of a module, and the rewrites that are open in it: take one, see what it costs then. With its "
      "clones it belongs to one thread at a time.")
      .def(nb::init<const Graph&, const std::string&, const std::string&, const std::vector<std::string>&, int64_t>(),
           nb::arg("module"), nb::arg("passes") = "", nb::arg("math") = "exact",
           nb::arg("disable") = std::vector<std::string>(), nb::arg("max_instructions") = 0)
      .def("__len__", &InUse<&Game::Size>::Call, "The number of open rewrites.")
      .def("opportunities", &InUse<&Game::Offers>::Call, "The open rewrites, in the order that take() counts in.")
      .def("id", &InUse<&Game::Id>::Call, nb::arg("index"), "The id of an open rewrite.")
      .def("take", &InUse<&Game::Take>::Call, nb::arg("index"),
           nb::sig("def take(self, index: int) -> tuple[int, int]"),
           "Makes this rewrite and removes what is dead; how many instructions went, how many came.")
      .def("clone", &InUse<&Game::Clone>::Call, "To go on from here twice.")
      .def("module", &InUse<&Game::Module>::Call, "A copy of the current module.")
      .def("costs", &InUse<&Game::Costs>::Call, nb::sig("def costs(self) -> tuple[float, float, float]"),
           "flops, transcendentals and bytes, loops counted as often as they run.")
      .def("_roofline", &InUse<&Game::RooflineOn>::Call, nb::arg("device"))
      .def_prop_ro("instruction_count", &InUse<&Game::InstructionCount>::Call)
      .def_prop_ro("kinds", &InUse<&Game::Kinds>::Call,
                   "Every rule that may be offered: its pass, its name, its formula.")
      .def("_counts", &InUse<&Game::Counts>::Call)
      .def("_observe", &InUse<&Game::Observe>::Call, nb::arg("nodes"), nb::arg("opcodes"), nb::arg("types"),
           nb::arg("offsets"), nb::arg("edges"), nb::arg("edge_kinds"), nb::arg("actions"), nb::arg("counts"),
           nb::arg("mask"));
  m.def("_measure", &Measure, nb::arg("module"), nb::arg("runs"), nb::arg("threads"), nb::arg("seed"),
        nb::arg("limit"));
  m.def("_opcode_names", &OpcodeNames);
  m.def("_feature_names",
        [] { return std::vector<std::string>(ModuleArrays::kFeatures.begin(), ModuleArrays::kFeatures.end()); });
}

}  // namespace hloir::python
