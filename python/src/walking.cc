// What Python programs ask of one instruction beyond its own fields: tests of its opcode, walks along operands and
// users, what it calls by role, control dependencies. Tested by python/tests/test_walking.py.
#include <string>
#include <unordered_set>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "handles.h"
#include "hloir/opcode.h"
#include "support/did_you_mean.h"

namespace hloir::python {
namespace {

HloOpcode OpcodeNamed(const std::string& name) {
  if (const std::optional<HloOpcode> opcode = ParseOpcode(name)) return *opcode;
  std::vector<std::string> names;
  for (int k = 0; k < kOpcodeCount; ++k) names.emplace_back(OpcodeName(static_cast<HloOpcode>(k)));
  throw nb::value_error(("'" + name + "' is not an opcode of HLO" + DidYouMean(name, names)).c_str());
}

bool IsAny(const Instruction& instruction, const nb::args& opcodes) {
  bool is = false;
  for (const nb::handle opcode : opcodes) {
    if (!nb::isinstance<nb::str>(opcode))
      throw nb::type_error("is_a takes names of opcodes: i.is_a('add', 'multiply')");
    is = OpcodeNamed(nb::cast<std::string>(opcode)) == instruction->opcode() || is;
  }
  if (opcodes.size() == 0) throw nb::type_error("is_a takes at least one name of an opcode");
  return is;
}

// What is reached by `next` from an instruction, nearest first, each once.
template <class Next>
nb::typed<nb::list, Instruction> Walk(const Instruction& from, const Next& next) {
  std::vector<HloInstruction*> found;
  std::unordered_set<const HloInstruction*> seen = {from.Get()};
  const auto add = [&](HloInstruction* i) {
    for (HloInstruction* reached : next(i))
      if (seen.insert(reached).second) found.push_back(reached);
  };
  add(from.Get());
  for (size_t k = 0; k < found.size(); ++k) add(found[k]);
  return InstructionList(from.graph(), found);
}

// The called computations by the attributes that name them, as text has them.
nb::typed<nb::dict, nb::str, nb::any> Callees(const Instruction& instruction) {
  const auto called = instruction->called_computations();
  const auto one = [&](size_t k) { return nb::cast(Computation(instruction.graph(), called[k])); };
  nb::typed<nb::dict, nb::str, nb::any> callees;
  if (called.empty()) return callees;
  switch (GetOpcodeInfo(instruction->opcode()).calls) {
    case CallKind::kNone: break;
    case CallKind::kToApply: callees["to_apply"] = one(0); break;
    case CallKind::kCalls: callees["calls"] = one(0); break;
    case CallKind::kConditionBody: callees["condition"] = one(0), callees["body"] = one(1); break;
    case CallKind::kBranches:
      if (!instruction->IsPredConditional())
        callees["branch_computations"] = ComputationList(instruction.graph(), called);
      else callees["true_computation"] = one(0), callees["false_computation"] = one(1);
      break;
    case CallKind::kSelectScatter: callees["select"] = one(0), callees["scatter"] = one(1); break;
    case CallKind::kCalledComputations:
      callees["called_computations"] = ComputationList(instruction.graph(), called);
      break;
  }
  return callees;
}

std::optional<Computation> Callee(const Instruction& instruction, CallKind kind, size_t k) {
  if (GetOpcodeInfo(instruction->opcode()).calls != kind || instruction->called_computations().size() <= k)
    return std::nullopt;
  return Computation(instruction.graph(), instruction->called_computations()[k]);
}

}  // namespace

void BindWalking(nb::class_<Instruction>& type) {
  type.def("is_a", &IsAny, nb::arg("opcodes"), nb::sig("def is_a(self, *opcodes: str) -> bool"),
           "True if its opcode is one of these: i.is_a('add', 'multiply'). ValueError: an unknown opcode.")
      .def_prop_ro(
          "is_constant", [](const Instruction& i) { return i->IsConstant(); }, "A constant.")
      .def_prop_ro(
          "is_parameter", [](const Instruction& i) { return i->IsParameter(); }, "A parameter.")
      .def_prop_ro(
          "is_fusion", [](const Instruction& i) { return i->opcode() == HloOpcode::kFusion; }, "A fusion.")
      .def_prop_ro(
          "is_elementwise", [](const Instruction& i) { return i->Is(kElementwise); },
          "Each element of its result depends on the elements at the same place alone: add, select, convert, ….")
      .def_prop_ro(
          "is_collective", [](const Instruction& i) { return i->Is(kCollective); },
          "True for collectives, including the halves of asynchronous ones.")
      .def_prop_ro(
          "parameter_number",
          [](const Instruction& i) -> std::optional<int64_t> {
            if (!i->IsParameter()) return std::nullopt;
            return i->parameter_number();
          },
          "The number of a parameter, from 0; None for others.")
      .def_prop_ro(
          "dtype",
          [](const Instruction& i) -> nb::object {
            return nb::module_::import_("hloir._arrays").attr("dtype_of")(i->shape());
          },
          nb::sig("def dtype(self) -> numpy.dtype[typing.Any]"),
          "numpy's type of the elements of its result, as of shape.dtype.")
      .def_prop_ro(
          "value",
          [](nb::handle self) -> nb::object { return nb::module_::import_("hloir").attr("constant_value")(self); },
          nb::sig("def value(self) -> numpy.typing.NDArray[typing.Any]"),
          "The value of a constant, as an array; the same as hloir.constant_value.")
      .def(
          "walk_operands",
          [](const Instruction& i) { return Walk(i, [](HloInstruction* at) { return at->operands(); }); },
          "All that it needs: its operands, their operands and so on, each once, nearest first.")
      .def(
          "walk_users", [](const Instruction& i) { return Walk(i, [](HloInstruction* at) { return at->users(); }); },
          "All that needs it: its users, their users and so on, each once, nearest first.")
      .def_prop_ro("callees", &Callees,
                   "The called computations by role, the attribute's name: {'condition': …, 'body': …}; a list where "
                   "one attribute names several ('branch_computations').")
      .def_prop_ro(
          "body", [](const Instruction& i) { return Callee(i, CallKind::kConditionBody, 1); },
          "A while loop's; None for others.")
      .def_prop_ro(
          "condition", [](const Instruction& i) { return Callee(i, CallKind::kConditionBody, 0); },
          "A while loop's; None for others.")
      .def_prop_ro(
          "to_apply", [](const Instruction& i) { return Callee(i, CallKind::kToApply, 0); },
          "The computation of a reduction, map, sort or call; None for others.")
      .def_prop_ro(
          "fused",
          [](const Instruction& i) -> std::optional<Computation> {
            if (i->opcode() != HloOpcode::kFusion) return std::nullopt;
            return Callee(i, CallKind::kCalls, 0);
          },
          "A fusion's computation; None for others.")
      .def_prop_ro(
          "branches",
          [](const Instruction& i) {
            if (i->opcode() != HloOpcode::kConditional) return nb::typed<nb::list, Computation>();
            return ComputationList(i.graph(), i->called_computations());
          },
          "A conditional's, the true one first; [] for others.")
      .def_prop_ro(
          "control_predecessors",
          [](const Instruction& i) { return InstructionList(i.graph(), i->control_predecessors()); },
          "Instructions ordered before it by control dependencies.")
      .def_prop_ro(
          "control_successors",
          [](const Instruction& i) { return InstructionList(i.graph(), i->control_successors()); },
          "Instructions ordered after it by control dependencies.");
}

}  // namespace hloir::python
