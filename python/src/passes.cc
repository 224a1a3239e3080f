// Passes in Python: pipelines over the registry, single rewrites as decisions, and passes that are Python functions.
#include <exception>
#include <functional>

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "handles.h"
#include "hloir/passes.h"
#include "hloir/report.h"
#include "hloir/rewrite/proposals.h"

namespace hloir::python {
namespace {

// With the passes that Python has added. Under the GIL.
PassRegistry& Registry() {
  static PassRegistry* registry = new PassRegistry(BuiltinPasses());
  return *registry;
}

// What a Python pass threw, on its way through the pipeline.
thread_local std::exception_ptr pending;

class PythonPass : public HloPass {
 public:
  PythonPass(std::string_view name, nb::handle function) : name_(name), function_(function) {}
  std::string_view name() const override { return name_; }
  StatusOr<bool> Run(HloModule& module) override {
    nb::gil_scoped_acquire held;
    const auto graph = std::make_shared<Graph>(&module);
    bool changed = false;
    try {
      changed = nb::cast<bool>(function_(graph));
    } catch (...) {
      pending = std::current_exception();
    }
    graph->Release();
    if (pending) return Internal("the pass '" + name_ + "' raised an exception");
    return changed;
  }

 private:
  std::string name_;
  nb::handle function_;  // the registry keeps it alive
};

PassOptions OptionsOf(const std::string& math, const std::vector<std::string>& disabled, Rewriter* rewriter) {
  PassOptions options;
  if (math == "rounding") options.math = MathMode::kRounding;
  else if (math == "fast") options.math = MathMode::kFast;
  else if (math != "exact") throw nb::value_error("math is 'exact', 'rounding' or 'fast'");
  options.disabled_rules = disabled;
  options.rewriter = rewriter;
  return options;
}

// Runs `body` without the GIL; what a Python pass threw in it goes on.
template <class T>
T Released(const std::function<StatusOr<T>()>& body) {
  StatusOr<T> result = [&] {
    nb::gil_scoped_release released;
    return body();
  }();
  if (pending) std::rethrow_exception(std::exchange(pending, nullptr));
  return Value(std::move(result));
}

std::vector<PassRun> Optimize(const GraphRef& graph, const std::string& passes, const std::string& math,
                              const std::vector<std::string>& disabled) {
  const auto runs = Released<std::vector<PassRun>>(
      [&, options = OptionsOf(math, disabled, nullptr)]() -> StatusOr<std::vector<PassRun>> {
        HLOIR_ASSIGN_OR_RETURN(const std::vector<std::string> names, SplitPipeline(passes));
        HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline, MakePipeline(Registry(), names, options));
        graph->Edited();
        HLOIR_RETURN_IF_ERROR(pipeline.RunOnce(graph->module()).status());
        return pipeline.runs();
      });
  return runs;
}

std::vector<RewriteLog::Entry> ProposalsOf(const GraphRef& graph, const std::string& passes, const std::string& math,
                                           const std::vector<std::string>& disabled) {
  return Released<Proposals>([&, options = OptionsOf(math, disabled, nullptr)]() -> StatusOr<Proposals> {
           HLOIR_ASSIGN_OR_RETURN(const std::vector<std::string> names, SplitPipeline(passes));
           return FindProposals(graph->module(), Registry(), names, options);
         })
      .entries;
}

std::vector<RewriteLog::Entry> Take(const GraphRef& graph, const std::vector<std::string>& ids,
                                    const std::string& passes, const std::string& math) {
  RewriteLog log;
  log.take_only = true;
  log.take.insert(ids.begin(), ids.end());
  Released<bool>([&, options = OptionsOf(math, {}, &log)]() -> StatusOr<bool> {
    HLOIR_ASSIGN_OR_RETURN(const std::vector<std::string> names, SplitPipeline(passes));
    HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline, MakePipeline(Registry(), names, options));
    graph->Edited();
    return pipeline.RunOnce(graph->module());
  });
  return log.entries();
}

void AddPass(const std::string& name, const nb::object& function, const std::string& description) {
  const nb::handle kept = nb::object(function).release();  // for as long as the process lives, as the registry does
  PassDefinition definition;
  definition.make = [kept](std::string_view pass, const PassOptions&) {
    return std::make_unique<PythonPass>(pass, kept);
  };
  Check(Registry().Add(name, description, std::move(definition)));
}

}  // namespace

void BindPasses(nb::module_& m) {
  nb::class_<PassRun>(m, "PassRun", "What one run of a pass did.")
      .def_ro("name", &PassRun::pass)
      .def_ro("changed", &PassRun::changed)
      .def_ro("milliseconds", &PassRun::milliseconds)
      .def_ro("instructions_before", &PassRun::instructions_before)
      .def_ro("instructions_after", &PassRun::instructions_after)
      .def("__repr__", [](const PassRun& r) { return "<hloir.PassRun " + r.pass + (r.changed ? ", changed>" : ">"); });
  using Entry = RewriteLog::Entry;
  nb::class_<Entry>(m, "Rewrite", "A rewrite that a rule offers, or that was made.")
      .def_ro("id", &Entry::id, "For take(); the same in every run on the same module.")
      .def_ro("pass_name", &Entry::pass)
      .def_ro("rule", &Entry::rule)
      .def_ro("formula", &Entry::formula, "'A + 0 => A'")
      .def_ro("computation", &Entry::computation)
      .def_ro("instruction", &Entry::instruction)
      .def_ro("operands", &Entry::operands)
      .def_ro("before", &Entry::before, "HLO text of what goes.")
      .def_ro("after", &Entry::after, "HLO text of what comes.")
      .def_ro("reason", &Entry::reason)
      .def_ro("conflicts", &Entry::conflicts, "Ids of other proposals for the same instruction.")
      .def_prop_ro(
          "math", [](const Entry& e) { return std::string(MathModeName(e.math)); }, "'exact', 'rounding' or 'fast'")
      .def("__str__", [](const Entry& e) { return RewriteReport(e); })
      .def("__repr__", [](const Entry& e) { return "<hloir.Rewrite " + e.id + ">"; });
  m.def("_optimize", &Optimize, nb::arg("module"), nb::arg("passes"), nb::arg("math"), nb::arg("disabled"));
  m.def("_proposals", &ProposalsOf, nb::arg("module"), nb::arg("passes"), nb::arg("math"), nb::arg("disabled"));
  m.def("_take", &Take, nb::arg("module"), nb::arg("ids"), nb::arg("passes"), nb::arg("math"));
  m.def("_add_pass", &AddPass, nb::arg("name"), nb::arg("function"), nb::arg("description"));
  m.def("_pass_names", [] {
    std::vector<std::string> names;
    for (const PassInfo& pass : Registry().passes()) names.push_back(pass.name);
    return names;
  });
}

}  // namespace hloir::python
