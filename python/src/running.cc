// Running in Python. Arrays come and go as flat byte views, which python/hloir makes of numpy arrays
// without a copy. A run releases the GIL and stops at Ctrl-C.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "build/bind_sizes.h"
#include "callbacks.h"
#include "handles.h"
#include "hloir/cost.h"
#include "hloir/executable.h"
#include "hloir/verifier.h"
#include "interrupt.h"

namespace hloir::python {
namespace {

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
  void Prepare(int threads, const std::string& isa, Make prepare, const std::string& cache = {}) {
    ExecutableOptions options;
    options.cache = cache;
    callbacks_.Register(*module_, options.evaluator);
    options.threads = threads;
    options.isa = isa;
    options.evaluator.cancel = cancel_.get();
    const auto body = [prepare, options, module = module_, cancel = cancel_] { return prepare(*module, options); };
    // Preparation does not ask whether it is cancelled, so that of a large module has a thread that can be left alone.
    constexpr int64_t kMany = 5000;
    prepared_ = Value(callbacks_.any() || module_->instruction_count() < kMany ? Interruptible(*cancel_, body)
                                                                               : Detachable(cancel_, body));
  }

  std::shared_ptr<HloModule> module_;
  Callbacks callbacks_;
  const std::shared_ptr<std::atomic<bool>> cancel_ = std::make_shared<std::atomic<bool>>(false);
  std::unique_ptr<Prepared> prepared_;
  std::vector<Shape> parameters_;
  Shape result_;
};

// True if one step of the module may go on for longer than a user waits at Ctrl-C.
bool HasLongSteps(const HloModule& module) {
  constexpr double kMuch = 3e7, kMuchForCalls = 1e6;
  const CostResult total = CostAnalysis(module).total();
  return total.once.flops + total.once.transcendentals + total.once.bytes > kMuch ||
         (total.custom_calls > 0 && total.once.bytes > kMuchForCalls);
}

class Executable : public PreparedModule<HloExecutable> {
 public:
  Executable(const Graph& graph, int threads, const std::string& isa, CallbackDict callbacks, nb::object host_transfer,
             const std::string& cache)
      : PreparedModule(graph, std::move(callbacks), std::move(host_transfer)) {
    Prepare(threads, isa, PrepareExecutable, cache);
    detachable_ = !callbacks_.any() && HasLongSteps(*module_);
  }

  void Run(std::vector<Bytes> inputs, std::vector<MutableBytes> outputs) {
    WaitForAbandoned();
    auto call = std::make_shared<Call>();
    call->arguments = Borrowed(parameters_, inputs);
    std::vector<void*> out;
    size_t next = 0;
    for (const Shape* leaf : result_.Leaves()) AddBlock(outputs, next++, *leaf, out, "output");
    call->result = Value(Literal::Borrow(result_, out));
    HloExecutable* const prepared = prepared_.get();
    const auto run = [prepared, call] {
      std::vector<const Literal*> pointers;
      for (const Literal& argument : call->arguments) pointers.push_back(&argument);
      return prepared->RunInto(pointers, &call->result);
    };
    if (!detachable_) {
      const Status status = Interruptible(*cancel_, run);
      callbacks_.Raise();
      return Check(status);
    }
    // An abandoned run still reads the arguments and writes the results.
    const std::shared_ptr<Kept> kept(new Kept{nb::find(*this), std::move(inputs), std::move(outputs)}, [](Kept* p) {
      const nb::gil_scoped_acquire acquired;
      delete p;
    });
    running_ = kept;
    *cancel_ = false;
    Check(Detachable(cancel_, [kept, run] { return run(); }));
  }

  std::string isa() const { return prepared_->isa(); }
  bool was_cached() const { return prepared_->cache_use().was_read; }
  std::string Plan() const { return prepared_->ToString(); }

 private:
  struct Call {
    std::vector<Literal> arguments;
    Literal result;
  };
  struct Kept {
    nb::object self;
    std::vector<Bytes> inputs;
    std::vector<MutableBytes> outputs;
  };

  // Until a run that was left alone at Ctrl-C has seen that it is cancelled.
  void WaitForAbandoned() {
    while (!running_.expired()) {
      {
        const nb::gil_scoped_release released;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
  }

  bool detachable_ = false;
  std::weak_ptr<Kept> running_;  // of the run in a thread of its own
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
    Prepare(threads, isa, [counts = counts_](const HloModule& module, const ExecutableOptions& options) {
      return PrepareOnDevices(module, counts, options);
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
    StatusOr<std::vector<Literal>> ran = Interruptible(*cancel_, [&] { return prepared_->Run(pointers); });
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

// A copy of the module whose unbounded dimensions have these sizes, a list for each leaf of its parameters.
std::shared_ptr<Graph> BoundTo(const Graph& graph, const std::vector<std::vector<int64_t>>& sizes) {
  std::vector<Shape> given;
  for (const Shape& parameter : graph.module().entry_computation()->program_shape().parameters) {
    for (const Shape* leaf : parameter.Leaves()) {
      if (!leaf->IsArray() || given.size() >= sizes.size()) continue;
      const std::vector<int64_t>& dimensions = sizes[given.size()];
      given.push_back(Shape::Array(leaf->element_type(), DimVector(dimensions.begin(), dimensions.end())));
    }
  }
  auto bound = std::make_shared<Graph>(graph.module().Clone());
  Check(BindSizes(bound->module(), given));
  Check(VerifyModule(bound->module()));
  return bound;
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
      .def(nb::init<const Graph&, int, const std::string&, CallbackDict, nb::object, const std::string&>(),
           nb::arg("module"), nb::arg("threads"), nb::arg("isa"), nb::arg("callbacks"),
           nb::arg("host_transfer") = nb::none(), nb::arg("cache") = "")
      .def("_run", &Executable::Run, nb::arg("inputs"), nb::arg("outputs"))
      .def_prop_ro("parameter_shapes", &Executable::parameters)
      .def_prop_ro("result_shape", &Executable::result)
      .def_prop_ro("isa", &Executable::isa)
      .def_prop_ro("was_cached", &Executable::was_cached)
      .def("plan", &Executable::Plan);
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
      "_is_unbounded", [](const Graph& graph) { return HasUnboundedSizes(graph.module()); }, nb::arg("module"));
  m.def("_bound_to", &BoundTo, nb::arg("module"), nb::arg("sizes"));
  m.def("_dlpack_view", &DlpackView, nb::arg("array"),
        nb::sig("def _dlpack_view(array: typing.Any) -> tuple[typing.Any, int, int, list[int]] | None"));
  m.def("_dlpack_of", &DlpackOf, nb::arg("bytes"), nb::arg("code"), nb::arg("bits"), nb::arg("sizes"),
        nb::sig("def _dlpack_of(bytes: typing.Any, code: int, bits: int, sizes: list[int]) -> typing.Any"));
  m.def("isas", &SupportedIsas, "The instruction sets of this machine that there are kernels for, best last.");
}

}  // namespace hloir::python
