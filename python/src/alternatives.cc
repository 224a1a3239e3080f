// Alternatives and parts of modules in Python: the base of python/hloir/hloenv.py.
#include <exception>
#include <functional>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "passes.h"
#include "analysis/extract.h"
#include "hloir/passes.h"
#include "rewrite/alternatives.h"

namespace hloir::python {
namespace {

using LeftOut = std::vector<std::pair<std::string, std::string>>;

std::tuple<GraphRef, std::vector<RewriteLog::Entry>, LeftOut> Alternatives(const Graph& graph,
                                                                           const std::string& passes) {
  PassOptions options;
  options.math = MathMode::kRounding;
  AlternativeGraph made = Value([&]() -> StatusOr<AlternativeGraph> {
    nb::gil_scoped_release released;
    HLOIR_ASSIGN_OR_RETURN(const std::vector<std::string> names, SplitPipeline(passes));
    return AddAlternatives(graph.module(), *Registry(), names, options);
  }());
  LeftOut left_out;
  for (const AlternativeGraph::LeftOut& out : made.left_out) left_out.emplace_back(out.rewrite, out.reason);
  auto with = std::make_shared<Graph>(std::move(made.module));
  with->TakeUids(graph);
  return {std::move(with), std::move(made.rewrites), std::move(left_out)};
}

// (rewrite, the decision that excluded it), for each decision for another operand than the source.
std::vector<std::pair<std::string, std::string>> Resolve(
    const GraphRef& graph, const std::vector<std::pair<Instruction, int64_t>>& decisions) {
  std::vector<AlternativeDecision> all;
  for (const auto& [alternative, operand] : decisions) all.push_back({alternative.Get(), operand});
  graph->Edited();
  std::vector<std::pair<std::string, std::string>> outcomes;
  for (AlternativeOutcome& outcome : Value(ResolveAlternatives(graph->module(), all)))
    outcomes.emplace_back(std::move(outcome.rewrite), std::move(outcome.excluded_by));
  return outcomes;
}

std::vector<std::pair<std::string, std::vector<std::string>>> Choices(const Instruction& alternative) {
  if (!IsAlternative(*alternative)) throw nb::value_error("not an alternative");
  std::vector<std::pair<std::string, std::vector<std::string>>> choices;
  for (AlternativeChoice& choice : ChoicesOf(*alternative))
    choices.emplace_back(std::move(choice.rewrite), std::move(choice.conflicts));
  return choices;
}

GraphRef Cone(const Instruction& root, int64_t height, const std::vector<Instruction>& boundary) {
  std::vector<const HloInstruction*> given;
  for (const Instruction& i : boundary) given.push_back(i.Get());
  return std::make_shared<Graph>(ExtractCone(*root, height, given));
}

GraphRef Repeat(const Instruction& instruction, int64_t times) {
  if (times < 1 || instruction->IsParameter() || ActsOutside(*instruction))
    throw nb::value_error("only what is not a parameter and has no effect can be repeated, once or more");
  return std::make_shared<Graph>(RepeatInstruction(*instruction, times));
}

// Constants whose values the text left out, "{...}", are zeros from now on.
void TakeElidedAsZeros(const Graph& graph) {
  for (HloInstruction* i : graph.module().AllInstructions()) {
    if (i->IsConstant() && i->literal().elided()) i->mutable_attributes<ConstantAttributes>().literal.set_elided(false);
  }
}

}  // namespace

void BindAlternatives(nb::module_& m) {
  m.def("_alternatives", &Alternatives, nb::arg("module"), nb::arg("passes"));
  m.def("_resolve", &Resolve, nb::arg("module"), nb::arg("decisions"));
  m.def(
      "_alternatives_of",
      [](const GraphRef& g) {
        std::vector<Instruction> all;
        for (HloInstruction* i : AlternativesOf(g->module())) all.emplace_back(g, i);
        return all;
      },
      nb::arg("module"));
  m.def("_choices", &Choices, nb::arg("alternative"));
  m.def("_take_elided_as_zeros", &TakeElidedAsZeros, nb::arg("module"));
  m.def("_cone", &Cone, nb::arg("root"), nb::arg("height"), nb::arg("boundary"));
  m.def("_repeat", &Repeat, nb::arg("instruction"), nb::arg("times"));
}

}  // namespace hloir::python
