// Rules in Python: a pattern, a formula, and a function that returns the replacement. They become rows of a rule pass
// (hloir/rules.h), so that they are allowed, recorded and proposed like all others.
#include <deque>
#include <memory>

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "builder.h"
#include "hloir/rules.h"
#include "hloir/rewrite_util.h"
#include "passes.h"
#include "pattern.h"

namespace hloir::python {
namespace {

struct PythonRule {
  std::string name, formula;
  MathMode integers, floats;
  PatternRef pattern;
  nb::handle function;  // kept for good
};

// Raised in a rule whose rewrite is not wanted, at the first instruction it would make. No Exception of Python's, so
// that the rule does not take it for an error.
nb::handle Declined() {
  static PyObject* type = PyErr_NewException("hloir._Declined", PyExc_BaseException, nullptr);
  return type;
}

// One call of a rule's function.
class Attempt {
 public:
  Attempt(const PythonRule& rule, HloInstruction* i, rules::RuleContext& context)
      : rule_(rule),
        instruction_(i),
        context_(context),
        module_(*i->module()),
        first_new_(module_.instruction_id_limit()),
        computations_(module_.computation_count()) {}

  // Under the GIL. Exceptions are thrown, and all new instructions removed.
  HloInstruction* Run(const GraphRef& graph, const Captures& captures) {
    // Python's to keep: it makes nothing once the graph is released.
    const auto kept = std::make_shared<Builder>(graph, instruction_->parent(), [this] { Ask(); });
    const Builder& builder = *kept;
    nb::object result;
    try {
      result = rule_.function(kept, Instruction(graph, instruction_), **CapturesDict(graph, captures));
    } catch (nb::python_error& error) {
      Undo(builder);
      if (!error.matches(Declined())) throw;
      return nullptr;
    }
    HloInstruction* replacement = nullptr;
    if (!result.is_none()) {
      const Instruction* returned = nullptr;
      if (!nb::try_cast<const Instruction*>(result, returned) || returned == nullptr)
        return Fail(builder, "gives an instruction or None");
      if (returned->graph() != graph) return Fail(builder, "gave an instruction of another module");
      replacement = returned->Get();
    }
    if (declined_) return nullptr;
    if (replacement == nullptr) {
      if (context_.allowed()) return Fail(builder, "made instructions and gave none");
      return nullptr;
    }
    if (replacement == instruction_) return context_.allowed() ? Fail(builder, "gave the instruction itself") : nullptr;
    if (replacement->parent() != instruction_->parent())
      return Fail(builder, "gave an instruction of another computation");
    if (!replacement->shape().Compatible(instruction_->shape())) {
      return Fail(
          builder,
          ("gave " + replacement->shape().ToString() + " in the place of " + instruction_->shape().ToString()).c_str());
    }
    if (replacement->id() >= first_new_) return replacement;
    if (!context_.allowed()) return context_.ReplaceWith(replacement);
    return MayTakePlaceOf(*replacement, *instruction_) ? replacement
                                                       : Fail(builder, "gave an instruction that lacks annotations");
  }

 private:
  void Ask() {
    if (context_.allowed()) return;
    if (!declined_ && context_.Allow()) return;
    declined_ = true;
    PyErr_SetNone(Declined().ptr());
    throw nb::python_error();
  }
  void Undo(const Builder& builder) {
    for (size_t k = builder.made().size(); k-- > 0;) {
      HloInstruction* made = builder.made()[k];
      if (made->user_count() == 0 && !made->IsRoot()) made->parent()->RemoveInstruction(made);
    }
    while (module_.computation_count() > computations_) module_.RemoveComputation(module_.computations().back());
  }
  HloInstruction* Fail(const Builder& builder, const char* what) {
    Undo(builder);
    throw nb::value_error(("the rule '" + rule_.name + "' " + what).c_str());
  }

  const PythonRule& rule_;
  HloInstruction* instruction_;
  rules::RuleContext& context_;
  HloModule& module_;
  const int32_t first_new_;
  const int64_t computations_;
  bool declined_ = false;
};

HloInstruction* Apply(HloInstruction* instruction, rules::RuleContext& context) {
  if (PendingException()) return nullptr;
  const auto& rule = *static_cast<const PythonRule*>(context.data());
  const auto graph = std::make_shared<Graph>(instruction->module(), /*frozen=*/true);
  HloInstruction* replacement = nullptr;
  try {
    Captures captures;
    if (Matches(*rule.pattern, instruction, graph, captures)) {
      const nb::gil_scoped_acquire held;
      try {
        replacement = Attempt(rule, instruction, context).Run(graph, captures);
      } catch (...) {
        PendingException() = std::current_exception();
      }
    }
  } catch (...) {
    PendingException() = std::current_exception();
  }
  graph->Release();
  return replacement;
}

using RuleParts = std::tuple<std::string, std::string, std::string, std::string, PatternRef, nb::object>;

void AddRules(const std::string& name, const std::vector<RuleParts>& parts, const std::string& description) {
  // For as long as the process lives, as the registry does.
  auto* kept = new std::deque<PythonRule>;
  auto* rows = new std::vector<rules::Rule>;
  PassDefinition definition;
  for (const auto& [rule_name, formula, integers, floats, pattern, function] : parts) {
    kept->push_back(
        {rule_name, formula, MathNamed(integers), MathNamed(floats), pattern, nb::object(function).release()});
    const PythonRule& rule = kept->back();
    const OpcodeSet opcodes = OpcodesOf(*rule.pattern);
    for (int i = 0; i < kOpcodeCount; ++i) {
      if (!opcodes[static_cast<size_t>(i)]) continue;
      rows->push_back(
          {static_cast<HloOpcode>(i), rule.name, rule.formula, rule.integers, rule.floats, Apply, false, &rule});
    }
    definition.rules.push_back({rule.name, rule.formula, rule.integers, rule.floats});
  }
  PassDefinition pass = rules::DefineRulePass(*rows);
  definition.rules.push_back(pass.rules.back());  // removes dead instructions
  definition.make = std::move(pass.make);
  AddToRegistry(name, description, std::move(definition));
}

}  // namespace

void BindRules(nb::module_& m) {
  m.def("_add_rules", &AddRules, nb::arg("name"), nb::arg("rules"), nb::arg("description"));
}

}  // namespace hloir::python
