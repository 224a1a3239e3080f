// hloir.match: patterns over instructions, made from opcodes.def, and how they are matched.
#include <algorithm>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "builder.h"
#include "hloir/match.h"
#include "pattern.h"

namespace hloir::python {
namespace {

constexpr int kMostDepth = 200;

bool MatchesAsWritten(const Pattern& p, HloInstruction* i, const GraphRef& graph, Captures& captures) {
  switch (p.kind) {
    case Pattern::Kind::kAny: return true;
    case Pattern::Kind::kSame: {
      const auto found = std::ranges::find(captures, p.name, &Captures::value_type::first);
      return found != captures.end() && found->second == i;
    }
    case Pattern::Kind::kSplat: {
      const HloInstruction* constant = SplatConstant(i);
      return constant != nullptr && (!p.value || constant->literal().IsAll(*p.value));
    }
    case Pattern::Kind::kConstant: return IsConstantLike(i);
    case Pattern::Kind::kAnyOf:
      return std::ranges::any_of(p.operands,
                                 [&](const PatternRef& each) { return Matches(*each, i, graph, captures); });
    case Pattern::Kind::kOpcode: break;
  }
  if (i->opcode() != p.opcode) return false;
  if (p.operands.empty()) return true;
  const size_t count = p.operands.size();
  if (i->operand_count() != static_cast<int64_t>(count)) return false;
  const auto in_order = [&](bool swapped) {
    const size_t before = captures.size();
    for (size_t k = 0; k < count; ++k) {
      HloInstruction* operand = i->operand(static_cast<int64_t>(swapped ? count - 1 - k : k));
      if (Matches(*p.operands[k], operand, graph, captures)) continue;
      captures.resize(before);
      return false;
    }
    return true;
  };
  return in_order(false) || (p.any_order && in_order(true));
}

PatternRef PatternOf(nb::handle given) {
  PatternRef pattern;
  if (!nb::try_cast(given, pattern) || pattern == nullptr)
    throw nb::type_error(
        "an operand of a pattern is a pattern: m.any('x') matches every instruction, m.splat(3) a number");
  return pattern;
}

PatternRef OpcodePattern(HloOpcode opcode, const nb::args& operands, const std::string& name, bool any_order) {
  auto pattern = std::make_shared<Pattern>();
  pattern->kind = Pattern::Kind::kOpcode, pattern->opcode = opcode, pattern->name = name;
  pattern->any_order = any_order;
  for (nb::handle operand : operands) {
    pattern->operands.push_back(PatternOf(operand));
    pattern->depth = std::max(pattern->depth, pattern->operands.back()->depth + 1);
  }
  if (pattern->depth > kMostDepth) throw nb::value_error("the pattern is nested too deep");
  const OpcodeInfo& info = GetOpcodeInfo(opcode);
  if (!pattern->operands.empty() && info.arity >= 0 && std::ssize(pattern->operands) != info.arity)
    throw nb::value_error((std::string(info.name) + " has " + std::to_string(info.arity) + " operands").c_str());
  if (any_order && pattern->operands.size() != 2) throw nb::value_error("any_order is for two operands");
  return pattern;
}

// A copy of it with something changed.
template <class Change>
PatternRef Changed(const Pattern& pattern, Change change) {
  auto copy = std::make_shared<Pattern>(pattern);
  change(*copy);
  return copy;
}

struct MatchNamespace {};

// The names that it captures under, each once.
void AddNames(const Pattern& pattern, std::vector<std::string>& names) {
  const bool captures = !pattern.name.empty() && pattern.kind != Pattern::Kind::kSame;
  if (captures && std::ranges::find(names, pattern.name) == names.end()) names.push_back(pattern.name);
  for (const PatternRef& operand : pattern.operands) AddNames(*operand, names);
}

}  // namespace

bool Matches(const Pattern& p, HloInstruction* i, const GraphRef& graph, Captures& captures) {
  if (p.one_user && i->user_count() != 1) return false;
  if (p.type && (!i->shape().IsArray() || i->shape().element_type() != *p.type)) return false;
  const size_t before = captures.size();
  if (!MatchesAsWritten(p, i, graph, captures)) {
    captures.resize(before);
    return false;
  }
  if (p.where.is_valid()) {
    const nb::gil_scoped_acquire held;
    if (!nb::cast<bool>(nb::bool_(p.where(Instruction(graph, i))))) {
      captures.resize(before);
      return false;
    }
  }
  if (!p.name.empty() && p.kind != Pattern::Kind::kSame) captures.emplace_back(p.name, i);
  return true;
}

OpcodeSet OpcodesOf(const Pattern& pattern) {
  OpcodeSet opcodes;
  switch (pattern.kind) {
    case Pattern::Kind::kAny:
    case Pattern::Kind::kSame: opcodes.set(); break;
    case Pattern::Kind::kSplat:
    case Pattern::Kind::kConstant:
      opcodes.set(static_cast<size_t>(HloOpcode::kConstant));
      opcodes.set(static_cast<size_t>(HloOpcode::kBroadcast));
      break;
    case Pattern::Kind::kOpcode: opcodes.set(static_cast<size_t>(pattern.opcode)); break;
    case Pattern::Kind::kAnyOf:
      for (const PatternRef& each : pattern.operands) opcodes |= OpcodesOf(*each);
  }
  return opcodes;
}

nb::typed<nb::dict, nb::str, Instruction> CapturesDict(const GraphRef& graph, const Captures& captures) {
  nb::typed<nb::dict, nb::str, Instruction> dict;
  for (const auto& [name, instruction] : captures) dict[nb::str(name.c_str())] = Instruction(graph, instruction);
  return dict;
}

void BindMatching(nb::module_& m) {
  nb::class_<Pattern>(m, "Pattern", "A pattern of instructions; hloir.match creates patterns.")
      .def(
          "match",
          [](const Pattern& p, const Instruction& i) -> std::optional<nb::typed<nb::dict, nb::str, Instruction>> {
            Captures captures;
            if (!Matches(p, i.Get(), i.graph(), captures)) return std::nullopt;
            return CapturesDict(i.graph(), captures);
          },
          nb::arg("instruction"), "The captured instructions by name if it matches; otherwise None.")
      .def(
          "find",
          [](const Pattern& p, const GraphRef& graph) {
            nb::typed<nb::list, Instruction> found;
            for (HloComputation* computation : graph->unfinished().computations()) {
              for (HloInstruction* i : computation->instructions()) {
                Captures captures;
                if (Matches(p, i, graph, captures)) found.append(Instruction(graph, i));
              }
            }
            return found;
          },
          nb::arg("module"), "The instructions of a module that it matches.")
      .def_prop_ro("_names",
                   [](const Pattern& p) {
                     std::vector<std::string> names;
                     AddNames(p, names);
                     return names;
                   })
      .def(
          "named",
          [](const Pattern& p, const std::string& name) { return Changed(p, [&](Pattern& q) { q.name = name; }); },
          nb::arg("name"), "The same, and captured under that name.")
      .def(
          "one_user", [](const Pattern& p) { return Changed(p, [](Pattern& q) { q.one_user = true; }); },
          "The same, for what one instruction uses.")
      .def(
          "of_type",
          [](const Pattern& p, const std::string& type) {
            return Changed(p, [&](Pattern& q) { q.type = TypeNamed(type); });
          },
          nb::arg("type"), "The same, for arrays of that element type.")
      .def(
          "where",
          [](const Pattern& p, const nb::typed<nb::callable, bool(const Instruction&)>& condition) {
            return Changed(p, [&](Pattern& q) { q.where = condition; });
          },
          nb::arg("condition"), "The same, if a function of the instruction says so too.");

  auto match = nb::class_<MatchNamespace>(
      m, "match",
      "Patterns. There is one for each opcode, match.add(p, q), that takes patterns for all operands or none, and\n"
      "any_order=True to try two of them both ways. What `name` says is captured.");
  match
      .def_static(
          "any",
          [](const std::string& name) -> PatternRef {
            auto p = std::make_shared<Pattern>();
            p->name = name;
            return p;
          },
          nb::arg("name") = "", "Any instruction.")
      .def_static(
          "same",
          [](const std::string& name) -> PatternRef {
            auto p = std::make_shared<Pattern>();
            p->kind = Pattern::Kind::kSame, p->name = name;
            return p;
          },
          nb::arg("name"), "The very instruction that was captured under that name before, to the left.")
      .def_static(
          "splat",
          [](std::optional<double> value, const std::string& name) -> PatternRef {
            auto p = std::make_shared<Pattern>();
            p->kind = Pattern::Kind::kSplat, p->name = name, p->value = value;
            return p;
          },
          nb::arg("value") = nb::none(), nb::arg("name") = "",
          "A scalar constant or a broadcast of one: of that value (-0 equals 0), or of any.")
      .def_static(
          "constant",
          [](const std::string& name) -> PatternRef {
            auto p = std::make_shared<Pattern>();
            p->kind = Pattern::Kind::kConstant, p->name = name;
            return p;
          },
          nb::arg("name") = "", "A constant, or a broadcast of one.")
      .def_static(
          "any_of",
          [](const nb::args& patterns) -> PatternRef {
            auto p = std::make_shared<Pattern>();
            p->kind = Pattern::Kind::kAnyOf;
            for (nb::handle each : patterns) {
              p->operands.push_back(PatternOf(each));
              p->depth = std::max(p->depth, p->operands.back()->depth + 1);
            }
            if (p->depth > kMostDepth) throw nb::value_error("the pattern is nested too deep");
            return p;
          },
          nb::arg("patterns"), nb::sig("def any_of(*patterns: Pattern) -> Pattern"),
          "The first of these that matches.");
  for (int i = 0; i < kOpcodeCount; ++i) {
    const HloOpcode opcode = static_cast<HloOpcode>(i);
    if (opcode == HloOpcode::kConstant) continue;
    match.def_static(
        PythonName(OpcodeName(opcode)).c_str(),
        [opcode](const nb::args& operands, const std::string& name, bool any_order) {
          return OpcodePattern(opcode, operands, name, any_order);
        },
        nb::arg("operands"), nb::arg("name") = "", nb::arg("any_order") = false,
        nb::sig(Kept("def " + PythonName(OpcodeName(opcode)) +
                     "(*operands: Pattern, name: str = '', any_order: bool = False) -> Pattern")));
  }
}

}  // namespace hloir::python
