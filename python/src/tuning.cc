// hloir.tune: the search for a pipeline, in Python. It runs without the GIL, which it takes to tell how far it is.
#include <atomic>
#include <chrono>
#include <exception>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "inspect/tune_report.h"
#include "hloir/pipeline.h"
#include "tune/tune.h"
#include "interrupt.h"
#include "passes.h"
#include "verdict.h"

namespace hloir::python {
namespace {

TuneBy TuneByNamed(const std::string& name) {
  for (TuneBy by : {TuneBy::kBytes, TuneBy::kOperations, TuneBy::kRoofline, TuneBy::kTime}) {
    if (name == TuneByName(by)) return by;
  }
  throw nb::value_error("by is 'bytes', 'operations', 'roofline' or 'time'");
}

// The result of Tune(), with a module that Python owns.
struct Tuned {
  std::string report;
  TuneResult result;
  GraphRef module;
};

nb::dict CostDict(const TuneCost& cost) {
  nb::dict dict;
  dict["bytes"] = cost.bytes;
  dict["operations"] = cost.operations;
  dict["roofline"] = cost.roofline;
  dict["instructions"] = cost.instructions;
  return dict;
}

nb::object TimesDict(const std::optional<PairedTimes>& times) {
  if (!times) return nb::none();
  nb::dict dict;
  dict["pairs"] = times->pairs;
  dict["first_ms"] = times->before_ms;
  dict["best_ms"] = times->after_ms;
  dict["sign_p"] = times->sign_p;
  dict["differ"] = times->differ();
  if (times->differ()) dict["ratio"] = times->ratio, dict["low"] = times->low, dict["high"] = times->high;
  return dict;
}

// True for KeyboardInterrupt, which a pass in Python may raise at Ctrl-C, and for SystemExit.
bool EndsProgram(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const nb::python_error& error) {
    return !error.matches(PyExc_Exception);
  } catch (...) {
    return false;
  }
}

Tuned RunTune(const GraphRef& graph, const std::string& by, double seconds, int64_t trials, uint64_t seed,
              const std::string& passes, const std::string& math, bool verify, int threads,
              const nb::object& progress) {
  if (!(seconds > 0) || trials < 0 || threads < 0)
    throw nb::value_error("seconds, trials and threads are not negative");
  TuneOptions options;
  options.by = TuneByNamed(by);
  options.seconds = seconds, options.trials = trials, options.seed = seed, options.verify = verify;
  options.math = MathNamed(math);
  options.start = Value(SplitPipeline(passes));
  options.runner.threads = threads;
  std::atomic<bool> cancel = false;
  std::exception_ptr raised;  // by progress()
  auto last = std::chrono::steady_clock::now();
  options.progress = [&](const TuneProgress& at) {
    if (PendingException()) {  // of a pass in Python: this pipeline failed, and others may not
      const nb::gil_scoped_acquire held;
      if (EndsProgram(PendingException())) raised = PendingException();
      PendingException() = nullptr;
    }
    if (cancel || raised) return false;
    const auto now = std::chrono::steady_clock::now();
    if (progress.is_none() || now - last < std::chrono::milliseconds(50)) return true;
    last = now;
    const nb::gil_scoped_acquire held;
    try {
      progress(at.done, at.tried, at.best);
    } catch (...) {
      raised = std::current_exception();
    }
    return !raised;
  };
  const std::shared_ptr<const PassRegistry> registry = Registry();
  PendingException() = nullptr;
  const HloModule& module = graph->module();
  StatusOr<TuneResult> result = Interruptible(cancel, [&] { return Tune(module, *registry, options); });
  if (raised) std::rethrow_exception(raised);
  if (!result.ok() || (PendingException() && EndsProgram(PendingException()))) RaisePending();
  PendingException() = nullptr;
  Tuned tuned{"", Value(std::move(result)), nullptr};
  tuned.report = TuneReport(tuned.result);
  tuned.module = std::make_shared<Graph>(std::move(tuned.result.module));
  return tuned;
}

std::vector<std::pair<std::string, std::optional<double>>> Changes(const Tuned& tuned) {
  std::vector<std::pair<std::string, std::optional<double>>> changes;
  for (const TuneChange& change : tuned.result.changes) changes.emplace_back(change.text, change.without);
  return changes;
}

}  // namespace

void BindTuning(nb::module_& m) {
  nb::class_<Tuned>(m, "Tuned", "The result of tune(). str() is the report of `hloir tune`.")
      .def_prop_ro(
          "passes", [](const Tuned& t) { return t.result.passes; }, "For optimize(), or `hloir opt --passes=`.")
      .def_ro("module", &Tuned::module, "The module after the best pipeline.")
      .def_prop_ro(
          "unoptimized", [](const Tuned& t) { return CostDict(t.result.unoptimized); },
          nb::sig("def unoptimized(self) -> dict[str, float]"),
          "The cost of the given module: 'bytes' moved, 'operations', 'roofline' (bytes' worth), "
          "'instructions'.")
      .def_prop_ro(
          "first", [](const Tuned& t) { return CostDict(t.result.first); },
          nb::sig("def first(self) -> dict[str, float]"), "The cost after the initial pipeline.")
      .def_prop_ro(
          "best", [](const Tuned& t) { return CostDict(t.result.best); }, nb::sig("def best(self) -> dict[str, float]"),
          "The cost after the best pipeline.")
      .def_prop_ro("changes", &Changes,
                   "How the best pipeline differs from the first: each change, and what is to be least without it, as "
                   "a part of what it is with it (None where that was not measured).")
      .def_prop_ro(
          "tried", [](const Tuned& t) { return t.result.tried; }, "Pipelines.")
      .def_prop_ro(
          "modules", [](const Tuned& t) { return t.result.modules; }, "Different ones that the pipelines gave.")
      .def_prop_ro(
          "failed", [](const Tuned& t) { return t.result.failed; }, "Pipelines that ended with an error or a limit.")
      .def_prop_ro(
          "refused", [](const Tuned& t) { return t.result.refused; }, "Better ones that did not agree with the module.")
      .def_prop_ro(
          "ended", [](const Tuned& t) { return t.result.ended; },
          "False if the time was over before each single change had been tried.")
      .def_prop_ro(
          "verdict",
          [](const Tuned& t) -> std::optional<JudgedVerdict> {
            if (!t.result.verdict) return std::nullopt;
            return JudgedVerdict(*t.result.verdict, nullptr);
          },
          "The verdict on the best module and the given one; None with verify=False.")
      .def_prop_ro(
          "times", [](const Tuned& t) { return TimesDict(t.result.times); },
          nb::sig("def times(self) -> dict[str, float] | None"),
          "Runs in pairs of the first pipeline's module and of the best: 'pairs', medians 'first_ms' and 'best_ms', "
          "'sign_p' of the sign test, 'differ', and only where they differ beyond noise 'ratio', best to first, with "
          "'low' and 'high', between which 95 % of medians lie. None where nothing better was found or nothing runs.")
      .def("__str__", [](const Tuned& t) { return t.report; })
      .def("__repr__", [](const Tuned& t) {
        return "<hloir.Tuned " + std::to_string(t.result.changes.size()) + " changes, " +
               std::to_string(t.result.tried) + " pipelines tried>";
      });
  m.def("_tune", &RunTune, nb::arg("module"), nb::arg("by"), nb::arg("seconds"), nb::arg("trials"), nb::arg("seed"),
        nb::arg("passes"), nb::arg("math"), nb::arg("verify"), nb::arg("threads"), nb::arg("progress").none());
}

}  // namespace hloir::python
