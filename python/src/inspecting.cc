// Views of modules: differences, pictures, the steps of a pipeline.
#include <atomic>
#include <memory>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "hloir/inspect.h"
#include "inspect/explain.h"
#include "hloir/pipeline.h"
#include "interrupt.h"
#include "passes.h"

namespace hloir::python {
namespace {

nb::typed<nb::tuple, std::string, std::string> DiffOf(const Graph& before, const Graph& after) {
  const std::shared_ptr<const HloModule> a = before.module().Clone(), b = after.module().Clone();
  const auto [json, report] =
      Detachable(std::make_shared<std::atomic<bool>>(false), [=]() -> std::pair<std::string, std::string> {
        const ModuleDiff diff(*a, *b);
        return {DiffJson(diff), DiffReport(diff)};
      });
  return nb::make_tuple(json, report);
}

std::string Picture(const Graph& graph, const std::string& form, const std::string& computation,
                    const std::string& around, int64_t depth) {
  const std::shared_ptr<const HloModule> module = graph.module().Clone();
  return Value(Detachable(std::make_shared<std::atomic<bool>>(false), [=]() -> StatusOr<std::string> {
    GraphOptions options;
    options.computation = computation, options.around = around, options.depth = depth;
    HLOIR_ASSIGN_OR_RETURN(const ModuleGraph views, MakeGraph(*module, options));
    if (form == "dot") return GraphDot(views);
    if (form == "json") return GraphJson(views);
    return form == "svg" ? GraphSvg(views) : GraphPage(views);
  }));
}

nb::typed<nb::tuple, std::string, std::string> Explain(Graph& graph, const std::string& passes, const std::string& math,
                                                       bool page) {
  const std::shared_ptr<const PassRegistry> registry = Registry();
  PassOptions options;
  options.math = MathNamed(math);
  std::atomic<bool> cancel = false;
  Graph::Busy busy(graph);
  const Optimizer optimize = [&](HloModule& module, PipelineOptions around, Rewriter* rewriter) -> Status {
    options.rewriter = rewriter;
    HLOIR_ASSIGN_OR_RETURN(const std::vector<std::string> names, SplitPipeline(passes));
    around.before = [&, before = around.before](const PassEvent& event, const HloModule& m) {
      if (cancel) return Cancelled("stopped");
      return before ? before(event, m) : OkStatus();
    };
    HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline, MakePipeline(*registry, names, options, std::move(around)));
    return pipeline.RunOnce(module).status();
  };
  PendingException() = nullptr;
  std::string html;
  StatusOr<RewriteHistory> history = Interruptible(cancel, [&]() -> StatusOr<RewriteHistory> {
    HLOIR_ASSIGN_OR_RETURN(RewriteHistory made, MakeRewriteHistory(busy.module(), optimize));
    if (page) {
      HLOIR_ASSIGN_OR_RETURN(html, HistoryPage(made));
    }
    return made;
  });
  RaisePending();
  return nb::make_tuple(HistoryText(Value(std::move(history))), html);
}

}  // namespace

void BindInspecting(nb::module_& m) {
  m.def("_diff", &DiffOf, nb::arg("before"), nb::arg("after"));
  m.def("_picture", &Picture, nb::arg("module"), nb::arg("form"), nb::arg("computation"), nb::arg("around"),
        nb::arg("depth"));
  m.def("_explain", &Explain, nb::arg("module"), nb::arg("passes"), nb::arg("math"), nb::arg("page"));
  m.def(
      "_stats", [](const Graph& g) { return StatsJson(ModuleStats(g.module())); }, nb::arg("module"));
}

}  // namespace hloir::python
