// Running and checking in Python. Arrays come and go as flat byte views, which python/hloir makes of numpy arrays
// without a copy. A run releases the GIL and stops at Ctrl-C.
#include <atomic>
#include <charconv>
#include <cstring>
#include <optional>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "handles.h"
#include "hloir/check.h"
#include "reduce/reduce.h"
#include "hloir/executable.h"
#include "hloir/verifier.h"
#include "interrupt.h"

namespace hloir::python {
namespace {

template <class Array>
void AddBlock(const std::vector<Array>& arrays, size_t i, const Shape& leaf, std::vector<void*>& blocks,
              const char* what) {
  if (!leaf.IsArray())
    Check(Unimplemented(std::string("an ") + what + " is a " + leaf.ToString() + ", which no array holds"));
  if (i >= arrays.size()) throw nb::value_error((std::string("too few ") + what + "s").c_str());
  if (static_cast<int64_t>(arrays[i].nbytes()) != leaf.ByteSize())
    throw nb::value_error(
        (std::string(what) + " " + std::to_string(i) + " has another size than " + leaf.ToString()).c_str());
  blocks.push_back(const_cast<uint8_t*>(static_cast<const uint8_t*>(arrays[i].data())));
}

// The entry's arguments, read where they are: one array for each leaf of each parameter.
std::vector<Literal> Borrowed(const std::vector<Shape>& parameters, const std::vector<Bytes>& inputs) {
  std::vector<void*> blocks;
  for (const Shape& parameter : parameters) {
    for (const Shape* leaf : parameter.Leaves()) AddBlock(inputs, blocks.size(), *leaf, blocks, "input");
  }
  if (blocks.size() != inputs.size()) throw nb::value_error("more inputs than the module has");
  std::vector<Literal> arguments;
  size_t first = 0;
  for (const Shape& parameter : parameters) {
    const size_t count = parameter.Leaves().size();
    arguments.push_back(Value(Literal::Borrow(parameter, std::span(blocks).subspan(first, count))));
    first += count;
  }
  return arguments;
}

// {target, instruction or index: function}
using CallbackDict = nb::typed<nb::dict, nb::any, nb::any>;

// Custom-calls that the caller's functions answer: by an instruction's name, by the index of a callback of JAX's
// (backend_config={index = 0 : ui64}), or by target. A function takes (blocks of the operands' leaves, their shapes,
// the result's shape) and gives the blocks of the result's leaves, all as bytes.
class Callbacks {
 public:
  Callbacks(nb::dict functions, nb::object host) : functions_(std::move(functions)), host_(std::move(host)) {}

  // The functions for targets of the module's calls; and the host's side of transfers, a function that takes (channel,
  // device, the sent value's block or None, its shape) and returns the received block.
  void Register(const HloModule& module, EvaluatorOptions& options) {
    if (!host_.is_none()) options.host_transfer = [this](const HostTransfer& transfer) { return Exchange(transfer); };
    for (const HloInstruction* i : module.AllInstructions()) {
      if (i->opcode() != HloOpcode::kCustomCall || Find(*i).is_none()) continue;
      options.custom_calls[i->attributes<CustomCallAttributes>().custom_call_target] =
          [this](const HloInstruction& call, std::span<const Literal* const> operands) {
            return Answer(call, operands);
          };
    }
  }
  // An exception that a function raised during the run.
  void Raise() {
    if (!raised_) return;
    nb::python_error error = std::move(*raised_);
    raised_.reset();
    throw error;
  }

 private:
  nb::object Find(const HloInstruction& call) const {
    const auto at = [&](const nb::object& key) -> nb::object {
      return functions_.contains(key) ? nb::object(functions_[key]) : nb::none();
    };
    nb::object found = at(nb::str(call.name().data(), call.name().size()));
    const std::string_view config = call.extras().backend_config;
    if (const size_t place = config.find("index = "); found.is_none() && place != std::string_view::npos) {
      int64_t index = -1;
      std::from_chars(config.data() + place + 8, config.data() + config.size(), index);
      found = at(nb::int_(index));
    }
    return found.is_none() ? at(nb::str(call.attributes<CustomCallAttributes>().custom_call_target.c_str())) : found;
  }

  static void FindBlocks(Literal& literal, std::vector<Literal*>& leaves) {
    if (!literal.shape().IsTuple()) return leaves.push_back(&literal);
    for (Literal& element : literal.elements()) FindBlocks(element, leaves);
  }
  StatusOr<Literal> Answer(const HloInstruction& call, std::span<const Literal* const> operands) {
    const nb::gil_scoped_acquire held;
    try {
      const nb::object function = Find(call);
      const std::string who(call.name());
      if (function.is_none()) return Unimplemented(who + ": there is no callback for this call of its target");
      nb::list blocks, shapes;
      for (const Literal* operand : operands) {
        for (const Literal* leaf : operand->Leaves()) {
          blocks.append(nb::bytes(leaf->untyped_data(), static_cast<size_t>(leaf->size_bytes())));
          shapes.append(nb::cast(leaf->shape()));
        }
      }
      const nb::list given = nb::cast<nb::list>(function(blocks, shapes, nb::cast(call.shape())));
      Literal result(call.shape());
      std::vector<Literal*> leaves;
      FindBlocks(result, leaves);
      if (given.size() != leaves.size()) return InvalidArgument(who + ": its callback gave another number of arrays");
      for (size_t k = 0; k < leaves.size(); ++k) {
        const nb::bytes block = nb::cast<nb::bytes>(given[k]);
        if (static_cast<int64_t>(block.size()) != leaves[k]->size_bytes())
          return InvalidArgument(who + ": its callback gave an array of another size");
        std::memcpy(leaves[k]->untyped_data(), block.c_str(), block.size());
      }
      return result;
    } catch (nb::python_error& error) {
      raised_.emplace(std::move(error));
      return Internal("a callback raised an exception");
    }
  }

  StatusOr<Literal> Exchange(const HostTransfer& transfer) {
    const nb::gil_scoped_acquire held;
    try {
      const Shape& shape =
          transfer.sent != nullptr ? transfer.sent->shape() : transfer.instruction.shape().tuple_shapes(0);
      const std::string who(transfer.instruction.name());
      if (!shape.IsArray()) return Unimplemented(who + ": a tuple is no array");
      nb::object sent = nb::none();
      if (transfer.sent != nullptr)
        sent = nb::bytes(transfer.sent->untyped_data(), static_cast<size_t>(transfer.sent->size_bytes()));
      const nb::object given = host_(transfer.channel, transfer.device, sent, nb::cast(shape));
      if (transfer.sent != nullptr) return Literal();
      const nb::bytes block = nb::cast<nb::bytes>(given);
      Literal value(shape);
      if (static_cast<int64_t>(block.size()) != value.size_bytes())
        return InvalidArgument(who + ": host_transfer gave an array of another size");
      std::memcpy(value.untyped_data(), block.c_str(), block.size());
      return value;
    } catch (nb::python_error& error) {
      raised_.emplace(std::move(error));
      return Internal("host_transfer raised an exception");
    }
  }

  nb::dict functions_;
  nb::object host_;
  std::optional<nb::python_error> raised_;
};

// A module that is prepared to run, by `Prepared`: on one device or on several.
template <class Prepared>
class PreparedModule {
 public:
  PreparedModule(const Graph& graph, CallbackDict callbacks, nb::object host_transfer)
      : module_(graph.module().Clone()), callbacks_(std::move(callbacks), std::move(host_transfer)) {
    Check(VerifyModule(*module_));
    ProgramShape program = module_->entry_computation()->program_shape();
    parameters_ = std::move(program.parameters);
    result_ = std::move(program.result);
  }

  const std::vector<Shape>& parameters() const { return parameters_; }
  const Shape& result() const { return result_; }

 protected:
  // `prepare` makes the executable of the module with these options.
  template <class Make>
  void Prepare(int threads, const std::string& isa, const Make& prepare) {
    ExecutableOptions options;
    callbacks_.Register(*module_, options.evaluator);
    options.threads = threads;
    options.isa = isa;
    options.evaluator.cancel = &cancel_;
    prepared_ = Value([&] {
      nb::gil_scoped_release released;
      return prepare(*module_, options);
    }());
  }

  std::unique_ptr<HloModule> module_;
  Callbacks callbacks_;
  std::atomic<bool> cancel_ = false;
  std::unique_ptr<Prepared> prepared_;
  std::vector<Shape> parameters_;
  Shape result_;
};

class Executable : public PreparedModule<HloExecutable> {
 public:
  Executable(const Graph& graph, int threads, const std::string& isa, CallbackDict callbacks, nb::object host_transfer)
      : PreparedModule(graph, std::move(callbacks), std::move(host_transfer)) {
    Prepare(threads, isa, PrepareExecutable);
  }

  void Run(const std::vector<Bytes>& inputs, const std::vector<MutableBytes>& outputs) {
    const std::vector<Literal> arguments = Borrowed(parameters_, inputs);
    std::vector<const Literal*> pointers;
    for (const Literal& argument : arguments) pointers.push_back(&argument);
    std::vector<void*> out;
    size_t next = 0;
    for (const Shape* leaf : result_.Leaves()) AddBlock(outputs, next++, *leaf, out, "output");
    Literal result = Value(Literal::Borrow(result_, out));
    const Status status = Interruptible(cancel_, [&] { return prepared_->RunInto(pointers, &result); });
    callbacks_.Raise();
    Check(status);
  }

  std::string isa() const { return prepared_->isa(); }
  std::string Plan() const { return prepared_->ToString(); }
};

// On several devices, which are threads of this process.
class DeviceExecutable : public PreparedModule<HloDeviceExecutable> {
 public:
  DeviceExecutable(const Graph& graph, int64_t replicas, int64_t partitions, int threads, const std::string& isa,
                   CallbackDict callbacks, nb::object host_transfer)
      : PreparedModule(graph, std::move(callbacks), std::move(host_transfer)), counts_(DeviceCountsOf(*module_)) {
    if (replicas > 0) counts_.replicas = replicas;
    if (partitions > 0) counts_.partitions = partitions;
    Check(CheckDeviceCounts(counts_));
    Prepare(threads, isa, [&](const HloModule& module, const ExecutableOptions& options) {
      return PrepareOnDevices(module, counts_, options);
    });
  }

  // Of each device, the leaves of its result, each a block of bytes that Python owns.
  nb::typed<nb::list, nb::typed<nb::list, nb::any>> Run(const std::vector<std::vector<Bytes>>& inputs) {
    if (static_cast<int64_t>(inputs.size()) != counts_.devices())
      throw nb::value_error(("there are " + std::to_string(counts_.devices()) + " devices").c_str());
    std::vector<std::vector<Literal>> arguments;
    for (const std::vector<Bytes>& each : inputs) arguments.push_back(Borrowed(parameters_, each));
    std::vector<std::vector<const Literal*>> pointers(arguments.size());
    for (size_t d = 0; d < arguments.size(); ++d) {
      for (const Literal& argument : arguments[d]) pointers[d].push_back(&argument);
    }
    StatusOr<std::vector<Literal>> ran = Interruptible(cancel_, [&] { return prepared_->Run(pointers); });
    callbacks_.Raise();
    std::vector<Literal> results = Value(std::move(ran));
    nb::typed<nb::list, nb::typed<nb::list, nb::any>> all;
    for (Literal& result : results) {
      auto* kept = new Literal(std::move(result));
      const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Literal*>(p); });
      nb::list leaves;
      for (const Literal* leaf : kept->Leaves()) {
        const size_t shape[] = {static_cast<size_t>(leaf->size_bytes())};
        void* data = const_cast<std::byte*>(leaf->untyped_data());
        leaves.append(nb::cast(nb::ndarray<nb::numpy, uint8_t>(data, 1, shape, owner)));
      }
      all.append(leaves);
    }
    return all;
  }

  const DeviceCounts& counts() const { return counts_; }

 private:
  DeviceCounts counts_;
};

Verdict VerifyModules(const Graph& before, const Graph& after, uint64_t seed, bool exact, bool divergence) {
  std::atomic<bool> cancel = false;
  CheckOptions options;
  options.seed = seed;
  options.exact = exact;
  options.divergence = divergence;
  options.runner.cancel = &cancel;
  const HloModule &a = before.module(), &b = after.module();
  return Value(Interruptible(cancel, [&] { return hloir::Check(a, b, {}, options); }));
}

GraphRef Reduce(const Graph& graph, const nb::typed<nb::callable, bool(const Graph&)>& property, int64_t max_attempts) {
  const auto holds = [&](const HloModule& module) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    const auto candidate = std::make_shared<Graph>(module.Clone());
    return nb::cast<bool>(nb::bool_(property(candidate)));
  };
  if (!holds(graph.module())) throw nb::value_error("the module does not have the property");
  return std::make_shared<Graph>(ReduceModule(graph.module(), holds, max_attempts));
}

// The contents of an object with __dlpack__, as bytes in place: (bytes, type code, bits, sizes). None if it is not
// contiguous.
nb::object DlpackView(const nb::ndarray<nb::ro, nb::device::cpu>& array) {
  int64_t stride = 1;
  std::vector<int64_t> sizes;
  for (size_t k = array.ndim(); k-- > 0;) {
    if (array.shape(k) != 1 && array.stride(k) != stride) return nb::none();
    stride *= static_cast<int64_t>(array.shape(k));
    sizes.insert(sizes.begin(), static_cast<int64_t>(array.shape(k)));
  }
  const size_t shape[] = {array.nbytes()};
  // The view keeps the array, and this its memory.
  auto* kept = new nb::ndarray<nb::ro, nb::device::cpu>(array);
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<nb::ndarray<nb::ro, nb::device::cpu>*>(p); });
  const nb::ndarray<nb::numpy, const uint8_t> bytes(array.data(), 1, shape, owner);
  return nb::make_tuple(nb::cast(bytes), array.dtype().code, array.dtype().bits, sizes);
}

// The way out for types that numpy's own DLPack does not know.
nb::object DlpackOf(const MutableBytes& bytes, int code, int bits, const std::vector<size_t>& sizes) {
  nb::dlpack::dtype type;
  type.code = static_cast<uint8_t>(code), type.bits = static_cast<uint8_t>(bits), type.lanes = 1;
  auto* kept = new MutableBytes(bytes);
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<MutableBytes*>(p); });
  return nb::cast(nb::ndarray<nb::array_api>(kept->data(), sizes.size(), sizes.data(), owner, nullptr, type));
}

}  // namespace

void BindRunning(nb::module_& m) {
  nb::class_<Executable>(m, "_Executable")
      .def(nb::init<const Graph&, int, const std::string&, CallbackDict, nb::object>(), nb::arg("module"),
           nb::arg("threads"), nb::arg("isa"), nb::arg("callbacks"), nb::arg("host_transfer") = nb::none())
      .def("_run", &Executable::Run, nb::arg("inputs"), nb::arg("outputs"))
      .def_prop_ro("parameter_shapes", &Executable::parameters)
      .def_prop_ro("result_shape", &Executable::result)
      .def_prop_ro("isa", &Executable::isa)
      .def("plan", &Executable::Plan);
  nb::class_<Verdict>(m, "Verdict", "Do two modules compute the same? True if so.")
      .def_prop_ro("agrees", &Verdict::agrees, "Also bool(verdict).")
      .def_prop_ro(
          "outcome", [](const Verdict& v) { return std::string(OutcomeName(v.outcome)); },
          "'agree, bit for bit', 'agree', 'DISAGREE', 'not specified by HLO', …")
      .def_prop_ro(
          "answer", [](const Verdict& v) { return std::string(AnswerName(v.answer)); },
          "'proved-bitwise', 'tested', 'less-accurate', 'different', 'not-judged', …")
      .def_prop_ro(
          "outputs",
          [](const Verdict& v) {
            std::vector<std::pair<std::string, std::string>> outputs;
            for (const OutputAnswer& output : v.outputs) outputs.emplace_back(output.where, AnswerName(output.answer));
            return outputs;
          },
          "The answer of each leaf of the result: [('out0', 'tested'), …].")
      .def_ro("assumptions", &Verdict::assumptions, "What a proof takes for granted.")
      .def_ro("finite_only", &Verdict::finite_only, "Where they agree only if nothing overflows.")
      .def_prop_ro(
          "steps",
          [](const Verdict& v) {
            return std::map<std::string, int64_t>{
                {"proved", v.steps.proved}, {"tested", v.steps.tested}, {"open", v.steps.open}};
          },
          "How many pairs of values inside the modules were proved, tested, or neither.")
      .def_ro("input_sets", &Verdict::input_sets, "How many sets of inputs they were compared on.")
      .def_ro("explanations", &Verdict::explanations, "Why results that are not the same agree: 'signed-zero', ….")
      .def_ro("reason", &Verdict::reason, "Of a disagreement, or of what could not be told: in words.")
      .def_ro("notes", &Verdict::notes, "What was left open, or held against other bounds.")
      .def_ro("differing", &Verdict::differing, "Elements that are not the same bits.")
      .def_ro("largest_relative", &Verdict::largest_relative, "The largest relative difference of two elements.")
      .def_ro("engines", &Verdict::engines, "What ran: 'avx2', 'reference'; [] where nothing did.")
      .def_prop_ro(
          "proved", [](const Verdict& v) { return v.proof.holds; }, "They agree on all inputs.")
      .def_prop_ro(
          "divergence",
          [](const Verdict& v) -> std::optional<std::string> {
            if (!v.divergence) return std::nullopt;
            return v.divergence->Details();
          },
          "The first instruction that parts, if that was asked for and is known.")
      .def("__bool__", &Verdict::agrees)
      .def("__str__", &Verdict::ToString)
      .def("__repr__", [](const Verdict& v) { return "<hloir.Verdict " + v.ToString() + ">"; });
  nb::class_<DeviceExecutable>(m, "_DeviceExecutable")
      .def(nb::init<const Graph&, int64_t, int64_t, int, const std::string&, CallbackDict, nb::object>(),
           nb::arg("module"), nb::arg("replicas"), nb::arg("partitions"), nb::arg("threads"), nb::arg("isa"),
           nb::arg("callbacks"), nb::arg("host_transfer") = nb::none())
      .def("_run", &DeviceExecutable::Run, nb::arg("inputs"))
      .def_prop_ro("replicas", [](const DeviceExecutable& e) { return e.counts().replicas; })
      .def_prop_ro("partitions", [](const DeviceExecutable& e) { return e.counts().partitions; })
      .def_prop_ro("parameter_shapes", &DeviceExecutable::parameters)
      .def_prop_ro("result_shape", &DeviceExecutable::result);
  m.def(
      "verify", &VerifyModules, nb::arg("before"), nb::arg("after"), nb::arg("seed") = 0, nb::arg("exact") = false,
      nb::arg("divergence") = false,
      "Do two modules compute the same? What can be proved is proved, the rest is run on made-up inputs. seed: of "
      "these.\nexact: no bit may differ. divergence: name the first instruction that parts. hloir.Error: they take or "
      "give other\nshapes, or do not run here.");
  m.def("reduce", &Reduce, nb::arg("module"), nb::arg("property"), nb::arg("max_attempts") = int64_t{1} << 40,
        "The smallest module found that still has a property: a function that is given a candidate and says whether. "
        "What it\nraises ends the search, and comes out; ValueError: the module does not have it.");
  m.def("_dlpack_view", &DlpackView, nb::arg("array"),
        nb::sig("def _dlpack_view(array: typing.Any) -> tuple[typing.Any, int, int, list[int]] | None"));
  m.def("_dlpack_of", &DlpackOf, nb::arg("bytes"), nb::arg("code"), nb::arg("bits"), nb::arg("sizes"),
        nb::sig("def _dlpack_of(bytes: typing.Any, code: int, bits: int, sizes: list[int]) -> typing.Any"));
  m.def("isas", &SupportedIsas, "The instruction sets of this machine that there are kernels for, best last.");
}

}  // namespace hloir::python
