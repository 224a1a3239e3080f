// Passes in Python: pipelines over the registry, single rewrites as decisions, and passes that are Python functions.
// Rules in Python: rules.cc.
#include "passes.h"

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "hloir/analysis.h"
#include "hloir/check.h"
#include "hloir/passes.h"
#include "hloir/report.h"
#include "rewrite/proposals.h"
#include "interrupt.h"

namespace hloir::python {

std::exception_ptr& PendingException() {
  thread_local std::exception_ptr pending;
  return pending;
}

void RaisePending() {
  if (PendingException()) std::rethrow_exception(std::exchange(PendingException(), nullptr));
}

namespace {

// With the passes that Python has added: whoever runs passes has the registry as it was when they began.
std::mutex registry_lock;
std::shared_ptr<const PassRegistry>& CurrentRegistry() {
  static auto* registry = new std::shared_ptr<const PassRegistry>(std::make_shared<PassRegistry>(BuiltinPasses()));
  return *registry;
}

}  // namespace

std::shared_ptr<const PassRegistry> Registry() {
  const std::lock_guard lock(registry_lock);
  return CurrentRegistry();
}

void AddToRegistry(const std::string& name, const std::string& description, PassDefinition definition) {
  const std::lock_guard lock(registry_lock);
  auto changed = std::make_shared<PassRegistry>(*CurrentRegistry());
  Check(changed->Add(name, description, std::move(definition)));
  CurrentRegistry() = std::move(changed);
}

MathMode MathNamed(const std::string& math) {
  if (math == "exact") return MathMode::kExact;
  if (math == "rounding") return MathMode::kRounding;
  if (math == "fast") return MathMode::kFast;
  throw nb::value_error("math is 'exact', 'rounding' or 'fast'");
}

namespace {

// Stops passes at Ctrl-C: no rewrite is allowed any more, so that the pass that is running ends.
class Stopper : public Rewriter {
 public:
  Stopper(const std::atomic<bool>& cancel, Rewriter* inner) : cancel_(cancel), inner_(inner) {}
  bool Allow(const Rewrite& rewrite) override {
    return !cancel_.load(std::memory_order_relaxed) && (inner_ == nullptr || inner_->Allow(rewrite));
  }
  void Done(const Rewrite& rewrite, const HloInstruction* replacement) override {
    if (inner_ != nullptr) inner_->Done(rewrite, replacement);
  }
  void Declined(const Rewrite& rewrite) override {
    if (inner_ != nullptr) inner_->Declined(rewrite);
  }
  void Disabled(std::string_view pass, std::string_view rule) override {
    if (inner_ != nullptr) inner_->Disabled(pass, rule);
  }
  bool wants_text() const override { return inner_ != nullptr && inner_->wants_text(); }
  bool decides() const { return inner_ != nullptr; }

 private:
  const std::atomic<bool>& cancel_;
  Rewriter* inner_;
};

// A Python function as a pass. If rewrites are decided, the whole function is one rewrite: it is tried on a copy, and
// if it changes the copy, the pass requests it. Its rule has the pass's name.
class PythonPass : public HloPass {
 public:
  PythonPass(std::string_view name, nb::handle function, const RuleInfo& rule, const PassOptions& options)
      : name_(name), function_(function), rule_(rule), options_(options) {}
  std::string_view name() const override { return name_; }
  StatusOr<bool> Run(HloModule& module) override {
    if (!RewriteGate(name_, options_).Enabled(rule_)) return false;
    Rewriter* const rewriter = options_.rewriter;
    const auto* stopper = dynamic_cast<const Stopper*>(rewriter);
    if (rewriter == nullptr || (stopper != nullptr && !stopper->decides())) return Call(module);

    const std::unique_ptr<HloModule> copy = module.Clone();
    HLOIR_RETURN_IF_ERROR(Call(*copy).status());
    // The function's own result is ignored: a rewrite that is offered again after it was made would never end.
    if (StructuralHash(*copy) == StructuralHash(module)) return false;
    Rewrite rewrite;
    rewrite.pass = name_, rewrite.rule = rule_.name, rewrite.formula = rule_.formula, rewrite.math = rule_.integers;
    rewrite.instruction = module.entry_computation()->root();
    if (!rewriter->Allow(rewrite)) return false;
    HLOIR_ASSIGN_OR_RETURN(const bool changed, Call(module));
    rewriter->Done(rewrite, module.entry_computation()->root());
    return changed;
  }

 private:
  StatusOr<bool> Call(HloModule& module) {
    nb::gil_scoped_acquire held;
    const auto graph = std::make_shared<Graph>(&module);
    bool changed = false;
    try {
      changed = Changed(function_(graph));
    } catch (...) {
      PendingException() = std::current_exception();
    }
    graph->Release();
    if (PendingException()) return Internal("the pass '" + name_ + "' raised an exception");
    return changed;
  }

  // A bool, or a number as bools are, of numpy too.
  bool Changed(const nb::object& result) const {
    if (!result.is_none() && (PyNumber_Check(result.ptr()) != 0)) return nb::cast<bool>(nb::bool_(result));
    const std::string what =
        result.is_none() ? "None" : nb::cast<std::string>(nb::repr(result.type().attr("__name__")));
    throw nb::type_error(
        ("the pass '" + name_ + "' returned " + what + "; a pass returns True if it changed the module, else False")
            .c_str());
  }

  std::string name_;
  nb::handle function_;  // the registry keeps it alive
  RuleInfo rule_;        // its strings, too
  PassOptions options_;
};

// Everything that one call of passes is made with.
struct Call {
  Call(const std::string& passes, const std::string& math, const std::vector<std::string>& disabled,
       Rewriter* rewriter = nullptr)
      : passes(passes), stopper(cancel, rewriter) {
    options.math = MathNamed(math);
    options.disabled_rules = disabled;
    options.rewriter = &stopper;
    // As the registry's own, but that it can be stopped.
    EvaluatorOptions evaluator;
    evaluator.max_steps = int64_t{1} << 20;
    evaluator.cancel = &cancel;
    options.evaluator = MakeReferenceEvaluator(evaluator);
  }
  StatusOr<HloPassPipeline> Pipeline(PipelineOptions around = {}) {
    HLOIR_ASSIGN_OR_RETURN(const std::vector<std::string> names, SplitPipeline(passes));
    around.before = [this](const PassEvent&, const HloModule&) { return cancel ? Cancelled("stopped") : OkStatus(); };
    return MakePipeline(*registry, names, options, std::move(around));
  }

  CheckOptions CheckingOptions(uint64_t seed) {
    CheckOptions checking;
    checking.seed = seed;
    checking.exact = options.math == MathMode::kExact;
    checking.runner.cancel = &cancel;
    return checking;
  }

  const std::shared_ptr<const PassRegistry> registry = Registry();
  const std::string passes;
  std::atomic<bool> cancel = false;
  Stopper stopper;
  PassOptions options;
};

// Runs body() without the GIL; exceptions of Python passes or rules are raised again.
template <class T>
T Released(Call& call, const std::function<StatusOr<T>()>& body) {
  PendingException() = nullptr;
  StatusOr<T> result = Interruptible(call.cancel, body);
  RaisePending();
  return Value(std::move(result));
}

std::vector<PassRun> Optimize(const GraphRef& graph, const std::string& passes, const std::string& math,
                              const std::vector<std::string>& disabled, bool verify_each, bool check_each,
                              uint64_t seed) {
  Call call(passes, math, disabled);
  Graph::Busy busy(*graph);
  return Released<std::vector<PassRun>>(call, [&]() -> StatusOr<std::vector<PassRun>> {
    std::optional<CheckEach> check;
    PipelineOptions around;
    around.verify_each = verify_each || check_each;
    if (check_each) {
      check.emplace(busy.module(), std::vector<InputSet>(), call.CheckingOptions(seed));
      around.after = [&](const PassEvent& event, const HloModule& now) { return check->AfterPass(event, now); };
    }
    HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline, call.Pipeline(std::move(around)));
    HLOIR_RETURN_IF_ERROR(pipeline.RunOnce(busy.module()).status());
    return pipeline.runs();
  });
}

// (rewrites made, number of the guilty one or None, its record or None, the reason)
nb::tuple BisectRewrites(const GraphRef& graph, const std::string& passes, const std::string& math,
                         const std::vector<std::string>& disabled, uint64_t seed) {
  Call call(passes, math, disabled);
  const HloModule& module = graph->module();
  const Bisection found = Released<Bisection>(call, [&] {
    const auto optimize = [&](HloModule& clone, Rewriter& rewriter) -> Status {
      Call inner(passes, math, disabled, &rewriter);
      PipelineOptions around;
      around.after = [&](const PassEvent&, const HloModule&) {
        return call.cancel ? Cancelled("stopped") : OkStatus();
      };
      HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline, inner.Pipeline(std::move(around)));
      return pipeline.RunOnce(clone).status();
    };
    return Bisect(module, optimize, {}, call.CheckingOptions(seed));
  });
  if (found.guilty < 0) return nb::make_tuple(found.rewrites, nb::none(), nb::none(), "");
  return nb::make_tuple(found.rewrites, found.guilty + 1, found.record, found.reason);
}

std::vector<RewriteLog::Entry> ProposalsOf(const GraphRef& graph, const std::string& passes, const std::string& math,
                                           const std::vector<std::string>& disabled) {
  // A pass ends only when it is through with the module: so the search gets a copy, and may be left alone.
  const std::shared_ptr<const HloModule> module = graph->module().Clone();
  const auto call = std::make_shared<Call>(passes, math, disabled);
  const std::shared_ptr<std::atomic<bool>> cancel(call, &call->cancel);
  auto [proposals, raised] = Detachable(cancel, [=]() -> std::pair<StatusOr<Proposals>, std::exception_ptr> {
    PendingException() = nullptr;
    const auto find = [&]() -> StatusOr<Proposals> {
      HLOIR_ASSIGN_OR_RETURN(const std::vector<std::string> names, SplitPipeline(call->passes));
      return FindProposals(*module, *call->registry, names, call->options, std::nullopt, cancel.get());
    };
    StatusOr<Proposals> found = find();
    return {std::move(found), std::exchange(PendingException(), nullptr)};
  });
  if (raised) std::rethrow_exception(raised);
  return Value(std::move(proposals)).entries;
}

std::vector<RewriteLog::Entry> Take(const GraphRef& graph, const std::vector<std::string>& ids,
                                    const std::string& passes, const std::string& math) {
  RewriteLog log;
  log.take_only = true;
  log.take.insert(ids.begin(), ids.end());
  Call call(passes, math, {}, &log);
  Graph::Busy busy(*graph);
  Released<bool>(call, [&]() -> StatusOr<bool> {
    HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline, call.Pipeline());
    return pipeline.RunOnce(busy.module());
  });
  return log.entries();
}

void AddPass(const std::string& name, const nb::object& function, const std::string& description,
             const std::string& math) {
  // For as long as the process lives, as the registry does.
  const nb::handle kept = nb::object(function).release();
  const auto* texts = new std::pair<std::string, std::string>(name, description);
  const RuleInfo rule(texts->first, texts->second, MathNamed(math));
  PassDefinition definition;
  definition.rules = {rule};
  definition.make = [kept, rule](std::string_view pass, const PassOptions& options) {
    return std::make_unique<PythonPass>(pass, kept, rule, options);
  };
  AddToRegistry(name, description, std::move(definition));
}

}  // namespace

void BindPasses(nb::module_& m) {
  nb::class_<PassRun>(m, "PassRun", "One run of a pass.")
      .def_ro("name", &PassRun::pass, "The pass, with its options.")
      .def_ro("changed", &PassRun::changed, "Did it change the module?")
      .def_ro("milliseconds", &PassRun::milliseconds, "By the clock.")
      .def_ro("instructions_before", &PassRun::instructions_before, "In all computations.")
      .def_ro("instructions_after", &PassRun::instructions_after, "In all computations.")
      .def("__repr__", [](const PassRun& r) { return "<hloir.PassRun " + r.pass + (r.changed ? ", changed>" : ">"); });
  using Entry = RewriteLog::Entry;
  nb::class_<Entry>(m, "Rewrite", "A rewrite that a rule offers, or that was made.")
      .def_ro("id", &Entry::id, "For take(); the same in every run on the same module.")
      .def_ro("pass_name", &Entry::pass, "Whose rule it is.")
      .def_ro("rule", &Entry::rule, "By name, as optimize(disable=…) takes it.")
      .def_ro("formula", &Entry::formula, "'A + 0 => A'")
      .def_ro("computation", &Entry::computation, "Where it is, by name.")
      .def_ro("instruction", &Entry::instruction, "The name of the replaced instruction.")
      .def_ro("operands", &Entry::operands, "That instruction's operands, by name.")
      .def_ro("before", &Entry::before, "HLO text of the removed instructions.")
      .def_ro("after", &Entry::after, "HLO text of the new instructions.")
      .def_ro("reason", &Entry::reason, "The reason why it is sound or profitable here; often ''.")
      .def_ro("conflicts", &Entry::conflicts, "Ids of other proposals for the same instruction.")
      .def_prop_ro(
          "math", [](const Entry& e) { return std::string(MathModeName(e.math)); }, "'exact', 'rounding' or 'fast'")
      .def("__str__", [](const Entry& e) { return RewriteReport(e); })
      .def("__repr__", [](const Entry& e) { return "<hloir.Rewrite " + e.id + ">"; });
  m.def("_optimize", &Optimize, nb::arg("module"), nb::arg("passes"), nb::arg("math"), nb::arg("disabled"),
        nb::arg("verify_each") = false, nb::arg("check_each") = false, nb::arg("seed") = 0);
  m.def("_bisect", &BisectRewrites, nb::arg("module"), nb::arg("passes"), nb::arg("math"), nb::arg("disabled"),
        nb::arg("seed"),
        nb::sig("def _bisect(module: Module, passes: str, math: str, disabled: typing.Sequence[str], seed: "
                "int) -> tuple[int, int | None, Rewrite | None, str]"));
  m.def("_proposals", &ProposalsOf, nb::arg("module"), nb::arg("passes"), nb::arg("math"), nb::arg("disabled"));
  m.def("_take", &Take, nb::arg("module"), nb::arg("ids"), nb::arg("passes"), nb::arg("math"));
  m.def("_add_pass", &AddPass, nb::arg("name"), nb::arg("function"), nb::arg("description"), nb::arg("math"));
  m.def("_pass_names", [] {
    std::vector<std::string> names;
    for (const PassInfo& pass : Registry()->passes()) names.push_back(pass.name);
    return names;
  });
  m.def("_default_pipeline", [] { return Registry()->default_pipeline(); });
  BindRules(m);
}

}  // namespace hloir::python
