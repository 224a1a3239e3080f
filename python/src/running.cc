// Running and checking in Python. Arrays come and go as flat byte views, which python/hloir makes of numpy arrays
// without a copy. A run releases the GIL and stops at Ctrl-C.
#include <atomic>
#include <csignal>
#include <thread>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "handles.h"
#include "hloir/check.h"
#include "hloir/executable.h"
#include "hloir/verifier.h"

namespace hloir::python {
namespace {

using Bytes = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using MutableBytes = nb::ndarray<uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// While one lives, Ctrl-C sets `cancel`; afterwards Python hears of it. For one thread at a time: signals are the main
// thread's, and a run elsewhere is not interrupted, as is usual in Python.
class InterruptScope {
 public:
  explicit InterruptScope(std::atomic<bool>& cancel)
      : active_(std::this_thread::get_id() == main_ && target_ == nullptr) {
    if (!active_) return;
    hit_ = 0;
    target_ = &cancel;
    struct sigaction mine {};
    mine.sa_handler = [](int) {
      hit_ = 1;
      if (std::atomic<bool>* cancel = target_) cancel->store(true);
    };
    sigaction(SIGINT, &mine, &old_);
  }
  ~InterruptScope() {
    if (!active_) return;
    sigaction(SIGINT, &old_, nullptr);
    target_ = nullptr;
  }
  static bool hit() { return hit_ != 0; }
  static void Forget() { hit_ = 0; }

 private:
  static inline const std::thread::id main_ = std::this_thread::get_id();
  static inline std::atomic<std::atomic<bool>*> target_ = nullptr;
  static inline volatile std::sig_atomic_t hit_ = 0;
  bool active_;
  struct sigaction old_ {};
};

class Executable {
 public:
  Executable(const Graph& graph, int threads, const std::string& isa) : module_(graph.module().Clone()) {
    Check(VerifyModule(*module_));
    ExecutableOptions options;
    options.threads = threads;
    options.isa = isa;
    options.evaluator.cancel = &cancel_;
    prepared_ = Value([&] {
      nb::gil_scoped_release released;
      return PrepareExecutable(*module_, options);
    }());
    ProgramShape program = module_->entry_computation()->program_shape();
    parameters_ = std::move(program.parameters);
    result_ = std::move(program.result);
  }

  void Run(const std::vector<Bytes>& inputs, const std::vector<MutableBytes>& outputs) {
    std::vector<void*> blocks;
    size_t next = 0;
    for (const Shape& parameter : parameters_) {
      for (const Shape* leaf : parameter.Leaves()) AddBlock(inputs, next++, *leaf, blocks, "input");
    }
    if (next != inputs.size()) throw nb::value_error("more inputs than the module has");
    std::vector<Literal> arguments;
    size_t first = 0;
    for (const Shape& parameter : parameters_) {
      const size_t count = parameter.Leaves().size();
      arguments.push_back(Value(Literal::Borrow(parameter, std::span(blocks).subspan(first, count))));
      first += count;
    }
    std::vector<const Literal*> pointers;
    for (const Literal& argument : arguments) pointers.push_back(&argument);
    std::vector<void*> out;
    next = 0;
    for (const Shape* leaf : result_.Leaves()) AddBlock(outputs, next++, *leaf, out, "output");
    Literal result = Value(Literal::Borrow(result_, out));
    cancel_ = false;
    const Status ran = [&] {
      nb::gil_scoped_release released;
      InterruptScope interrupts(cancel_);
      return prepared_->RunInto(pointers, &result);
    }();
    if (InterruptScope::hit()) {
      InterruptScope::Forget();
      PyErr_SetNone(PyExc_KeyboardInterrupt);
      throw nb::python_error();
    }
    Check(ran);
  }

  const std::vector<Shape>& parameters() const { return parameters_; }
  const Shape& result() const { return result_; }
  std::string isa() const { return prepared_->isa(); }
  std::string Plan() const { return prepared_->ToString(); }

 private:
  template <class Array>
  static void AddBlock(const std::vector<Array>& arrays, size_t i, const Shape& leaf, std::vector<void*>& blocks,
                       const char* what) {
    if (!leaf.IsArray())
      Check(Unimplemented(std::string("an ") + what + " is a " + leaf.ToString() + ", which no array holds"));
    if (i >= arrays.size()) throw nb::value_error((std::string("too few ") + what + "s").c_str());
    if (static_cast<int64_t>(arrays[i].nbytes()) != leaf.ByteSize())
      throw nb::value_error(
          (std::string(what) + " " + std::to_string(i) + " has another size than " + leaf.ToString()).c_str());
    blocks.push_back(const_cast<uint8_t*>(static_cast<const uint8_t*>(arrays[i].data())));
  }

  std::unique_ptr<HloModule> module_;
  std::atomic<bool> cancel_ = false;
  std::unique_ptr<HloExecutable> prepared_;
  std::vector<Shape> parameters_;
  Shape result_;
};

Verdict CheckModules(const Graph& before, const Graph& after, uint64_t seed, bool exact) {
  CheckOptions options;
  options.seed = seed;
  options.exact = exact;
  return Value([&] {
    nb::gil_scoped_release released;
    return hloir::Check(before.module(), after.module(), {}, options);
  }());
}

}  // namespace

void BindRunning(nb::module_& m) {
  nb::class_<Executable>(m, "_Executable")
      .def(nb::init<const Graph&, int, const std::string&>(), nb::arg("module"), nb::arg("threads"), nb::arg("isa"))
      .def("_run", &Executable::Run, nb::arg("inputs"), nb::arg("outputs"))
      .def_prop_ro("parameter_shapes", &Executable::parameters)
      .def_prop_ro("result_shape", &Executable::result)
      .def_prop_ro("isa", &Executable::isa)
      .def("plan", &Executable::Plan);
  nb::class_<Verdict>(m, "Verdict", "Do two modules compute the same? True if so.")
      .def_prop_ro("agrees", &Verdict::agrees)
      .def_prop_ro("outcome", [](const Verdict& v) { return std::string(OutcomeName(v.outcome)); })
      .def_ro("reason", &Verdict::reason)
      .def_ro("notes", &Verdict::notes)
      .def_ro("differing", &Verdict::differing, "Elements that are not the same bits.")
      .def_ro("largest_relative", &Verdict::largest_relative)
      .def_ro("engines", &Verdict::engines)
      .def("__bool__", &Verdict::agrees)
      .def("__str__", &Verdict::ToString)
      .def("__repr__", [](const Verdict& v) { return "<hloir.Verdict " + v.ToString() + ">"; });
  m.def("check", &CheckModules, nb::arg("before"), nb::arg("after"), nb::arg("seed") = 0, nb::arg("exact") = false,
        "Runs both on made-up inputs and says whether they compute the same.");
  m.def("isas", &SupportedIsas, "The instruction sets of this machine that there are kernels for, best last.");
}

}  // namespace hloir::python
