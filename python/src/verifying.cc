// Verifying and reducing in Python: hloir.verify and its verdict, hloir.bisect, hloir.reduce. Tested by
// python/tests/test_verify.py.
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "build/bind_sizes.h"
#include "callbacks.h"
#include "check/flat_interface.h"
#include "equivalence/write_proof.h"
#include "handles.h"
#include "hloir/check.h"
#include "hloir/executable.h"
#include "hloir/io.h"
#include "interrupt.h"
#include "io/elided.h"
#include "proof_check/proof_check.h"
#include "reduce/reduce.h"
#include "verdict.h"

namespace hloir::python {
namespace {

bool IsFinite(const InputSet& set) {
  for (const std::vector<Literal>& device : set.devices) {
    for (const Literal& value : device) {
      for (const LeafDifference& leaf : CompareResults(value, value).leaves)
        if (leaf.finite != leaf.total) return false;
    }
  }
  return true;
}

// Generated inputs without NaN and infinities, of moderate size.
std::vector<InputSet> FiniteInputs(const HloModule& module, const CheckOptions& options) {
  constexpr uint64_t kSeeds = 4;
  const DeviceCounts counts = UsesDevices(module) ? DeviceCountsOf(module) : DeviceCounts();
  std::vector<InputSet> sets;
  for (uint64_t k = 0; k < kSeeds; ++k) {
    for (InputKind kind :
         {InputKind::kPlain, InputKind::kPositive, InputKind::kEdges, InputKind::kDominant, InputKind::kUniform}) {
      InputSet set = Value(MakeInputSet(module, counts, options.seed * kSeeds + k, kind));
      if (IsFinite(set)) sets.push_back(std::move(set));
    }
  }
  return sets;
}

// The module with its elided constants filled in: itself where nothing is to be assumed.
GraphRef Filled(const GraphRef& graph, const std::string& elided) {
  const ElidedValues values = Value(ParseElidedValues(elided));
  if (values.how == ElidedValues::How::kRefuse) return graph;
  const auto filled = std::make_shared<Graph>(graph->module().Clone());
  Value(FillElided(filled->module(), values));
  return filled;
}

// The module with the sizes of the inputs in an .npz where its own are open (`?`).
GraphRef BoundTo(const GraphRef& graph, const std::string& file) {
  if (file.empty() || !HasUnboundedSizes(graph->module())) return graph;
  std::vector<Shape> shapes;
  for (const Literal& input : Value(ReadStoredValues(file), file).inputs) shapes.push_back(input.shape());
  const auto bound = std::make_shared<Graph>(graph->module().Clone());
  Check(BindSizes(bound->module(), shapes), file);
  return bound;
}

// Copies of both with one interface, if the modules have the same arrays in other forms; returns what was done.
std::string GiveOneInterface(GraphRef& before, GraphRef& after) {
  if (check::SameInterface(before->module(), after->module())) return "";
  const auto a = std::make_shared<Graph>(before->module().Clone()),
             b = std::make_shared<Graph>(after->module().Clone());
  std::string note = check::GiveOneInterface(a->module(), b->module());
  if (!note.empty()) before = a, after = b;
  return note;
}

// Runs modules with the caller's functions as custom-calls.
StatusOr<std::vector<Literal>> RunWith(Callbacks& callbacks, const RunnerOptions& runner, const HloModule& module,
                                       std::span<const std::vector<const Literal*>> arguments) {
  ExecutableOptions options;
  options.evaluator = ToEvaluatorOptions(runner);
  options.threads = runner.threads;
  {
    const nb::gil_scoped_acquire held;
    callbacks.Register(module, options.evaluator);
  }
  if (arguments.size() > 1) {
    HLOIR_ASSIGN_OR_RETURN(const auto prepared, PrepareOnDevices(module, DeviceCountsOf(module), options));
    return prepared->Run(arguments);
  }
  HLOIR_ASSIGN_OR_RETURN(const auto prepared, PrepareExecutable(module, options));
  std::vector<Literal> results;
  HLOIR_ASSIGN_OR_RETURN(results.emplace_back(), prepared->Run(arguments[0]));
  return results;
}

struct VerifyOptions {
  uint64_t seed;
  bool exact, divergence, finite_only;
  int threads;
  std::string elided, proof;
};

// Those that are given, of an .npz with the results that it has, or finite ones; none: Check makes its own.
std::vector<InputSet> GivenInputs(const HloModule& module, const std::optional<std::vector<std::vector<Bytes>>>& inputs,
                                  const std::string& file, const VerifyOptions& given, CheckOptions& options) {
  std::vector<InputSet> sets;
  if (inputs) {
    for (const std::vector<Bytes>& set : *inputs) {
      sets.emplace_back().devices.emplace_back();
      for (const Literal& value : Borrowed(module.entry_computation()->program_shape().parameters, set))
        sets.back().devices[0].push_back(value);
    }
  } else if (!file.empty()) {
    StoredValues stored = Value(ReadStoredValues(file), file);
    sets.emplace_back().devices.push_back(Value(ArgumentsFromLeaves(module, std::move(stored.inputs)), file));
    options.stored = std::move(stored.results);
  } else if (given.finite_only) {
    sets = FiniteInputs(module, options);
  }
  return sets;
}

struct Judged {
  Verdict verdict;
  std::shared_ptr<const InputSet> inputs;  // on which they differ
};
StatusOr<Judged> Judge(const HloModule& before, const HloModule& after, std::vector<InputSet> sets,
                       const CheckOptions& options) {
  Checker checker(before, std::move(sets), options);
  HLOIR_ASSIGN_OR_RETURN(Verdict verdict, checker.Check(after));
  Judged judged{std::move(verdict), nullptr};
  const bool differs = !judged.verdict.agrees() && judged.verdict.outcome != Outcome::kNothingFinite;
  if (differs && judged.verdict.input_set < checker.inputs().size())
    judged.inputs = std::make_shared<const InputSet>(checker.inputs()[judged.verdict.input_set]);
  return judged;
}

JudgedVerdict VerifyModules(const GraphRef& before, const GraphRef& after,
                            const std::optional<std::vector<std::vector<Bytes>>>& inputs, const std::string& file,
                            CallbackDict functions, nb::object host_transfer, const VerifyOptions& given) {
  GraphRef filled_before = BoundTo(Filled(before, given.elided), file),
           filled_after = BoundTo(Filled(after, given.elided), file);
  std::string forms = GiveOneInterface(filled_before, filled_after);
  const auto cancel = std::make_shared<std::atomic<bool>>(false);
  CheckOptions options;
  options.seed = given.seed, options.exact = given.exact, options.divergence = given.divergence;
  options.runner.cancel = cancel.get(), options.runner.threads = given.threads;
  std::vector<InputSet> sets = GivenInputs(filled_before->module(), inputs, file, given, options);
  StatusOr<Judged> judged = Internal("");
  if (functions.size() > 0 || !host_transfer.is_none()) {
    Callbacks callbacks(std::move(functions), std::move(host_transfer));
    options.engine = [&](const HloModule& module, std::span<const std::vector<const Literal*>> arguments) {
      return RunWith(callbacks, options.runner, module, arguments);
    };
    judged = Interruptible(
        *cancel, [&] { return Judge(filled_before->module(), filled_after->module(), std::move(sets), options); });
    callbacks.Raise();
  } else {
    const std::shared_ptr<const HloModule> a = filled_before->module().Clone(), b = filled_after->module().Clone();
    judged = Detachable(cancel, [=, sets = std::move(sets)] { return Judge(*a, *b, sets, options); });
  }
  Judged result = Value(std::move(judged));
  if (!forms.empty()) result.verdict.notes.push_back(std::move(forms));
  if (!given.proof.empty()) {
    // Of the modules as they are given: constants that their texts leave out stay left out.
    const std::shared_ptr<const HloModule> a = before->module().Clone(), b = after->module().Clone();
    const StatusOr<equivalence::WrittenProof> proof =
        Detachable(cancel, [a, b] { return equivalence::WriteProof(*a, *b); });
    if (std::string note = equivalence::NoteOn(proof); !note.empty()) result.verdict.notes.push_back(std::move(note));
    if (proof.ok()) Check(WriteFile(given.proof, proof->text), given.proof);
  }
  return JudgedVerdict(std::move(result.verdict), std::move(result.inputs));
}

// The blocks of an argument's leaves and its shape, for python/hloir/_arrays.py.
nb::object Counterexample(const JudgedVerdict& verdict) {
  if (verdict.inputs == nullptr) return nb::none();
  const nb::object join = nb::module_::import_("hloir._arrays").attr("_joined");
  nb::list devices;
  for (const std::vector<Literal>& arguments : verdict.inputs->devices) {
    nb::list all;
    for (const Literal& argument : arguments) {
      nb::list blocks;
      for (const Literal* leaf : argument.Leaves())
        blocks.append(nb::bytes(leaf->untyped_data(), static_cast<size_t>(leaf->size_bytes())));
      all.append(join(nb::cast(argument.shape()), blocks));
    }
    devices.append(all);
  }
  if (verdict.devices <= 1) return devices[0];
  return devices;
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

}  // namespace

void BindVerifying(nb::module_& m) {
  nb::class_<JudgedVerdict>(m, "Verdict", "Do two modules compute the same? True if so.")
      .def_prop_ro("agrees", &JudgedVerdict::agrees, "Also bool(verdict).")
      .def_prop_ro(
          "outcome", [](const JudgedVerdict& v) { return std::string(OutcomeName(v.outcome)); },
          "'agree, bit for bit', 'agree', 'DISAGREE', 'not specified by HLO', …")
      .def_prop_ro(
          "answer", [](const JudgedVerdict& v) { return std::string(AnswerName(v.answer)); },
          "'proved-bitwise', 'tested', 'less-accurate', 'different', 'not-judged', …")
      .def_prop_ro(
          "outputs",
          [](const JudgedVerdict& v) {
            std::vector<std::pair<std::string, std::string>> outputs;
            for (const OutputAnswer& output : v.outputs) outputs.emplace_back(output.where, AnswerName(output.answer));
            return outputs;
          },
          "The answer of each leaf of the result: [('out0', 'tested'), …].")
      .def_ro("assumptions", &JudgedVerdict::assumptions, "The assumptions of a proof.")
      .def_ro("finite_only", &JudgedVerdict::finite_only, "Where they agree only if nothing overflows.")
      .def_prop_ro(
          "steps",
          [](const JudgedVerdict& v) {
            return std::map<std::string, int64_t>{
                {"proved", v.steps.proved}, {"tested", v.steps.tested}, {"open", v.steps.open}};
          },
          "The numbers of pairs of intermediate values: proved, tested, and neither.")
      .def_ro("input_sets", &JudgedVerdict::input_sets, "The number of sets of inputs.")
      .def_ro("explanations", &JudgedVerdict::explanations,
              "Why results that are not the same agree: 'signed-zero', ….")
      .def_ro("reason", &JudgedVerdict::reason, "The reason of a disagreement, or why there is no answer.")
      .def_ro("notes", &JudgedVerdict::notes, "Unspecified results, and results compared with other bounds.")
      .def_ro("differing", &JudgedVerdict::differing, "Elements that are not the same bits.")
      .def_ro("largest_relative", &JudgedVerdict::largest_relative, "The largest relative difference of two elements.")
      .def_ro("engines", &JudgedVerdict::engines, "The engines: 'avx2', 'reference'; [] without a run.")
      .def_prop_ro(
          "proved", [](const JudgedVerdict& v) { return v.proof.holds; }, "They agree on all inputs.")
      .def_prop_ro(
          "divergence",
          [](const JudgedVerdict& v) -> std::optional<std::string> {
            if (!v.divergence) return std::nullopt;
            return v.divergence->Details();
          },
          "The first instruction that parts, if that was asked for and is known.")
      .def_prop_ro(
          "first_open",
          [](const JudgedVerdict& v) -> std::optional<std::string> {
            if (!v.first_open) return std::nullopt;
            return v.first_open->text;
          },
          "Of a partitioned program that is not proved: the first step that has no counterpart in the whole one, with "
          "source lines: 'select.3, of gather.2 (model.py:31)'.")
      .def_prop_ro(
          "headline", [](const JudgedVerdict& v) { return v.Headline(); },
          "The outcome, and where it holds: 'agree where nothing overflows'.")
      .def_prop_ro(
          "counterexample", &Counterexample, nb::sig("def counterexample(self) -> list[typing.Any] | None"),
          "Arguments on which the two differ, if they do: an array, or a tuple of them, for each parameter, for "
          "run(*verdict.counterexample); on several devices such a list for each. None where nothing was run.")
      .def("__bool__", &JudgedVerdict::agrees)
      .def("__str__", &JudgedVerdict::ToString)
      .def("__repr__", [](const JudgedVerdict& v) { return "<hloir.Verdict " + v.ToString() + ">"; });
  m.def(
      "_verify",
      [](const GraphRef& before, const GraphRef& after, uint64_t seed, bool exact, bool divergence,
         const std::optional<std::vector<std::vector<Bytes>>>& inputs, const std::string& file, CallbackDict functions,
         nb::object host_transfer, const std::string& elided, bool finite_only, int threads, const std::string& proof) {
        return VerifyModules(before, after, inputs, file, std::move(functions), std::move(host_transfer),
                             {seed, exact, divergence, finite_only, threads, elided, proof});
      },
      nb::arg("before"), nb::arg("after"), nb::arg("seed"), nb::arg("exact"), nb::arg("divergence"),
      nb::arg("inputs").none(), nb::arg("file"), nb::arg("callbacks"), nb::arg("host_transfer").none(),
      nb::arg("elided"), nb::arg("finite_only"), nb::arg("threads"), nb::arg("proof"));
  using proof_check::CheckedProof;
  nb::class_<CheckedProof>(m, "CheckedProof", "The result of check_proof. True if the proof holds.")
      .def_prop_ro(
          "outcome", [](const CheckedProof& c) { return std::string(proof_check::OutcomeName(c.outcome)); },
          "'holds', 'unchecked', if no rule checks a step, or 'false'.")
      .def_ro("why", &CheckedProof::why, "The step that is false or unchecked, with its line, and the reason.")
      .def_prop_ro(
          "bits", [](const CheckedProof& c) { return c.outcome == proof_check::Outcome::kHolds && c.bits; },
          "The modules give equal bits, not only the same real numbers.")
      .def_ro("domain", &CheckedProof::domain, "The proof holds only where roots and quotients are defined.")
      .def_ro("steps", &CheckedProof::steps, "The number of steps.")
      .def_ro("assumptions", &CheckedProof::assumptions, "The assumptions of the proof.")
      .def("__bool__", [](const CheckedProof& c) { return c.outcome == proof_check::Outcome::kHolds; })
      .def("__repr__", [](const CheckedProof& c) {
        return "<hloir.CheckedProof " + std::string(proof_check::OutcomeName(c.outcome)) +
               (c.why.empty() ? "" : ": " + c.why) + ">";
      });
  m.def(
      "_check_proof",
      [](const GraphRef& before, const GraphRef& after, const std::string& file) {
        const std::string text = Value(ReadFile(file), file);
        const std::shared_ptr<const HloModule> a = before->module().Clone(), b = after->module().Clone();
        const auto cancel = std::make_shared<std::atomic<bool>>(false);
        return Value(Detachable(cancel, [a, b, text] { return proof_check::CheckProof(*a, *b, text); }), file);
      },
      nb::arg("before"), nb::arg("after"), nb::arg("file"));
  m.def("reduce", &Reduce, nb::arg("module"), nb::arg("property"), nb::arg("max_attempts") = int64_t{1} << 40,
        "The smallest module found that still has a property: a function that is given a candidate and says whether. "
        "What it\nraises ends the search, and comes out; ValueError: the module does not have it.");
}

}  // namespace hloir::python
