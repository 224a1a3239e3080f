// Modules, computations, instructions and shapes in Python: reading, printing, walking, and the edits that keep a graph
// whole.
#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "handles.h"
#include "hloir/analysis.h"
#include "hloir/builder.h"
#include "hloir/cost.h"
#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/printer.h"
#include "hloir/proto.h"
#include "hloir/report.h"
#include "hloir/stablehlo.h"
#include "hloir/verifier.h"
#include "inspect/cost_report.h"
#include "interrupt.h"
#include "tools/devices.h"

namespace hloir::python {

void Graph::Index() {
  HloModule& module = unfinished();
  instructions_.assign(static_cast<size_t>(module.instruction_id_limit()), nullptr);
  computations_.assign(static_cast<size_t>(module.computation_id_limit()), nullptr);
  for (HloComputation* computation : module.computations()) {
    computations_[static_cast<size_t>(computation->id())] = computation;
    for (HloInstruction* i = computation->first(); i != nullptr; i = i->next())
      instructions_[static_cast<size_t>(i->id())] = i;
  }
  indexed_ = edits_;
}

HloInstruction* Graph::FindInstruction(int32_t id) {
  if (indexed_ != edits_) Index();
  return static_cast<size_t>(id) < instructions_.size() ? instructions_[static_cast<size_t>(id)] : nullptr;
}

HloComputation* Graph::FindComputation(int32_t id) {
  if (indexed_ != edits_) Index();
  return static_cast<size_t>(id) < computations_.size() ? computations_[static_cast<size_t>(id)] : nullptr;
}

int32_t Graph::Uid(int32_t id) {
  if (static_cast<size_t>(id) >= uids_.size()) uids_.resize(static_cast<size_t>(id) + 1, 0);
  int32_t& uid = uids_[static_cast<size_t>(id)];
  if (uid == 0) uid = next_uid_++;
  return uid;
}

// A clone's ids follow the post order of the original.
void Graph::TakeUids(const Graph& original) {
  next_uid_ = original.next_uid_;
  uids_.clear();
  for (const HloComputation* computation : std::as_const(original.module()).PostOrder()) {
    for (const HloInstruction* i : computation->PostOrder()) {
      const auto id = static_cast<size_t>(i->id());
      uids_.push_back(id < original.uids_.size() ? original.uids_[id] : 0);
    }
  }
}

nb::typed<nb::list, Instruction> InstructionList(const GraphRef& graph, std::span<HloInstruction* const> objects) {
  nb::typed<nb::list, Instruction> list;
  for (HloInstruction* object : objects) list.append(Instruction(graph, object));
  return list;
}

nb::typed<nb::list, Computation> ComputationList(const GraphRef& graph, std::span<HloComputation* const> objects) {
  nb::typed<nb::list, Computation> list;
  for (HloComputation* object : objects) list.append(Computation(graph, object));
  return list;
}

namespace {

[[noreturn]] void Gone(const char* what) {
  PyErr_SetString(PyExc_ReferenceError, what);
  throw nb::python_error();
}

// Characters that text allows.
void CheckName(const std::string& name) {
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-';
  };
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) ||
      !std::all_of(name.begin(), name.end(), allowed))
    throw nb::value_error("a name has letters, digits, '_', '.' and '-', and begins with no digit");
}

PrintOptions StyleNamed(std::string_view style) {
  if (style == "readable") return PrintOptions::Readable();
  if (style == "xla" || style == "default") return PrintOptions::Default();
  if (style == "short") return PrintOptions::ShortParsable();
  if (style == "canonical") return PrintOptions::Canonical();
  if (style == "fingerprint") return PrintOptions::Fingerprint();
  throw nb::value_error("style is 'readable', 'xla', 'short', 'canonical', 'fingerprint' or 'stablehlo'");
}

std::string Text(const Graph& graph, std::string_view style, bool metadata, std::optional<bool> large_constants) {
  if (style == "stablehlo") return Value(SerializeModule(graph.module(), {FileFormat::Form::kStablehlo}));
  PrintOptions options = StyleNamed(style);
  options.print_metadata = options.print_metadata && metadata;
  if (large_constants) options.print_large_constants = *large_constants;
  return PrintModule(graph.module(), options);
}

std::vector<int64_t> Dimensions(const Shape& shape) { return {shape.dimensions().begin(), shape.dimensions().end()}; }

// Of the same computation; only then may one take the other's place.
void CheckSamePlace(const Instruction& a, const Instruction& b) {
  a.graph()->CheckEditable();
  if (a->parent() != b->parent()) throw nb::value_error("the two instructions are of different computations");
}

void Remove(const Instruction& instruction) {
  instruction.graph()->CheckEditable();
  if (!IsDead(*instruction)) {
    throw nb::value_error(
        "only an instruction may go that nothing uses, that is not a root or parameter, and has no effect");
  }
  instruction->parent()->RemoveInstruction(instruction.Get());
  instruction.graph()->Edited();
}

void ReplaceAllUsesWith(const Instruction& old_one, const Instruction& new_one) {
  CheckSamePlace(old_one, new_one);
  if (!old_one->shape().Compatible(new_one->shape()))
    throw nb::value_error("the two instructions have different shapes");
  if (old_one.Get() != new_one.Get() && DependsOn(*new_one, *old_one))
    throw nb::value_error("the other instruction needs this one itself; replace_operand moves single uses");
  old_one->ReplaceAllUsesWith(new_one.Get());
}

void ReplaceOperand(const Instruction& instruction, int64_t index, const Instruction& operand) {
  CheckSamePlace(instruction, operand);
  if (index < 0 || index >= instruction->operand_count()) throw nb::index_error("no such operand");
  if (!instruction->operand(index)->shape().Compatible(operand->shape()))
    throw nb::value_error("the operand has another shape");
  if (DependsOn(*operand, *instruction)) throw nb::value_error("the operand needs this instruction itself");
  instruction->ReplaceOperandWith(index, operand.Get());
}

Instruction CloneWithOperands(const Instruction& instruction, const std::vector<Instruction>& operands) {
  if (static_cast<int64_t>(operands.size()) != instruction->operand_count())
    throw nb::value_error("another number of operands");
  instruction.graph()->CheckEditable();
  std::vector<HloInstruction*> objects;
  for (size_t i = 0; i < operands.size(); ++i) {
    CheckSamePlace(instruction, operands[i]);
    if (!instruction->operand(static_cast<int64_t>(i))->shape().Compatible(operands[i]->shape()))
      throw nb::value_error("an operand has another shape");
    objects.push_back(operands[i].Get());
  }
  HloInstruction* copy = instruction->parent()->AddClone(*instruction, objects);
  return Instruction(instruction.graph(), copy);
}

std::optional<nb::typed<nb::dict, nb::str, nb::any>> Metadata(const Instruction& instruction) {
  const OpMetadata* metadata = instruction->metadata();
  if (metadata == nullptr) return std::nullopt;
  nb::typed<nb::dict, nb::str, nb::any> fields;
  fields["op_type"] = std::string(metadata->op_type);
  fields["op_name"] = std::string(metadata->op_name);
  fields["source_file"] = std::string(metadata->source_file);
  fields["source_line"] = metadata->source_line;
  fields["stack_frame_id"] = metadata->stack_frame_id;
  return fields;
}

nb::module_ AttributeTexts() { return nb::module_::import_("hloir._attributes"); }

nb::object Attribute(const Instruction& instruction, const std::string& name) {
  for (const auto& [key, text] : PrintAttributes(*instruction)) {
    if (key == name) return AttributeTexts().attr("value_of")(text);
  }
  throw nb::key_error(name.c_str());
}

void ChangeAttribute(const Instruction& instruction, const std::string& name, const nb::object& value) {
  instruction.graph()->CheckEditable();
  const std::string text = nb::cast<std::string>(AttributeTexts().attr("text_of")(name, value));
  Check(SetAttribute(*instruction, name, text));
}

nb::bytes ConstantBytes(const Instruction& instruction) {
  if (!instruction->IsConstant() || !instruction->shape().IsArray()) throw nb::value_error("not an array constant");
  const Literal& literal = instruction->literal();
  if (literal.elided()) throw nb::value_error("the text left the constant's values out ({...})");
  return nb::bytes(reinterpret_cast<const char*>(literal.untyped_data()), static_cast<size_t>(literal.size_bytes()));
}

nb::typed<nb::dict, nb::str, nb::any> CostOf(const Cost& cost) {
  nb::typed<nb::dict, nb::str, nb::any> fields;
  fields["flops"] = cost.flops, fields["transcendentals"] = cost.transcendentals, fields["bytes"] = cost.bytes;
  return fields;
}

nb::typed<nb::dict, nb::str, nb::any> CostOfModule(const Graph& g, const nb::object& device, const std::string& mesh) {
  const HloModule& module = g.module();
  const CostResult total = CostAnalysis(module).total();
  nb::typed<nb::dict, nb::str, nb::any> all = CostOf(total.repeated);
  all["once"] = CostOf(total.once), all["unknown_loops"] = total.unknown_loops;
  all["custom_calls"] = total.custom_calls;
  const auto name = nb::cast<std::string>(nb::module_::import_("hloir._devices").attr("path_of")(device));
  if (name.empty() && mesh.empty()) return all;
  CostReportOptions options;
  std::optional<DeviceDescription> description;
  if (!mesh.empty()) options.mesh = Value(tool::MeshFor(module, mesh));
  if (!name.empty()) options.device = &description.emplace(Value(tool::FindDevice(name)));
  const auto report = nb::cast<nb::dict>(nb::module_::import_("json").attr("loads")(CostJson(module, options)));
  for (const char* part : {"roofline", "communication", "memory"})
    if (report.contains(part)) all[part] = report[part];
  return all;
}

void BindShape(nb::module_& m) {
  m.def(
      "_element_types",
      [] {
        return std::vector<std::string>{
#define HLOIR_TYPE(name, text, ...) text,
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
        };
      },
      nb::sig("def _element_types() -> list[str]"));
  nb::class_<Shape>(m, "Shape", "Element type, dimensions and layout of an array, or a tuple of shapes.")
      .def(
          "__init__", [](Shape* self, const std::string& text) { new (self) Shape(Value(ParseShape(text))); },
          nb::arg("text"))
      .def_prop_ro("dimensions", &Dimensions, "Sizes; of a tuple [].")
      .def_prop_ro("dims", &Dimensions, "The same, in short.")
      .def_prop_ro(
          "rank", [](const Shape& s) { return s.IsArray() ? static_cast<int64_t>(s.dimensions().size()) : 0; },
          "The number of dimensions; 0 for other shapes than arrays.")
      .def_prop_ro(
          "dtype",
          [](const Shape& s) -> nb::object { return nb::module_::import_("hloir._arrays").attr("dtype_of")(s); },
          nb::sig("def dtype(self) -> numpy.dtype[typing.Any]"),
          "numpy's type of the elements, of ml_dtypes where numpy has none. TypeError: it is not an array.")
      .def_prop_ro(
          "layout",
          [](const Shape& s) -> std::optional<std::vector<int64_t>> {
            if (!s.IsArray() || !s.has_layout()) return std::nullopt;
            return std::vector<int64_t>(s.layout().minor_to_major().begin(), s.layout().minor_to_major().end());
          },
          "The dimensions from minor to major, as in braces of text; None where it has none.")
      .def_prop_ro(
          "element_type", [](const Shape& s) { return std::string(PrimitiveTypeName(s.element_type())); },
          "'f32', 'tuple', …")
      .def_prop_ro(
          "numpy_name", [](const Shape& s) { return std::string(NumpyName(s.element_type())); },
          "The name of the element type in numpy or ml_dtypes; '' for what is not an array.")
      .def_prop_ro("is_array", &Shape::IsArray, "Not a tuple, token or opaque.")
      .def_prop_ro("is_tuple", &Shape::IsTuple, "True for a tuple.")
      .def_prop_ro(
          "tuple_shapes",
          [](const Shape& s) {
            std::vector<Shape> shapes;
            for (int64_t i = 0; s.IsTuple() && i < s.tuple_size(); ++i) shapes.push_back(s.tuple_shapes(i));
            return shapes;
          },
          "The shapes of a tuple's elements; [] for other shapes.")
      .def("__eq__",
           [](const Shape& a, nb::handle b) {
             const Shape* other = nullptr;
             return nb::try_cast<const Shape*>(b, other) && other != nullptr && a == *other;
           })
      .def("__hash__", &Shape::Hash)
      .def("__str__", [](const Shape& s) { return s.ToString(); })
      .def("__repr__", [](const Shape& s) { return "Shape('" + s.ToString() + "')"; });
}

void BindInstruction(nb::class_<Instruction> type) {
  BindWalking(type);
  type.def_prop_rw(
          "name", [](const Instruction& i) { return std::string(i->name()); },
          [](const Instruction& i, const std::string& name) {
            i.graph()->CheckEditable();
            CheckName(name);
            i->set_name(name);
          },
          "Set it, and it is made unique in its computation.")
      .def_prop_ro(
          "opcode", [](const Instruction& i) { return std::string(i->opcode_name()); },
          "As HLO text has it: 'add', 'get-tuple-element'.")
      .def_prop_ro("id", &Instruction::id, "Dense, and never reused within the module.")
      .def_prop_ro(
          "shape", [](const Instruction& i) { return i->shape(); }, "The shape of its result.")
      .def_prop_ro(
          "computation", [](const Instruction& i) { return Computation(i.graph(), i->parent()); },
          "The one that it is in.")
      .def_prop_ro(
          "operands", [](const Instruction& i) { return InstructionList(i.graph(), i->operands()); },
          "Its operands, in order, possibly with duplicates.")
      .def_prop_ro(
          "users", [](const Instruction& i) { return InstructionList(i.graph(), i->users()); }, "Its users, each once.")
      .def_prop_ro(
          "called", [](const Instruction& i) { return ComputationList(i.graph(), i->called_computations()); },
          "The called computations: a fusion's body, a loop's condition and body, a reducer.")
      .def_prop_ro(
          "attributes",
          [](const Instruction& i) {
            nb::typed<nb::dict, nb::str, nb::str> attributes;
            for (const auto& [name, value] : PrintAttributes(*i))
              attributes[nb::str(name.c_str(), name.size())] = nb::str(value.c_str(), value.size());
            return attributes;
          },
          "By name, as text has them: {'dimensions': '{0}'}.")
      .def("__getitem__", &Attribute, nb::arg("attribute"),
           nb::sig("def __getitem__(self, attribute: str) -> typing.Any"),
           "An attribute's value: a number, truth value, text or list; what has none of these forms, as HLO text.")
      .def("__setitem__", &ChangeAttribute, nb::arg("attribute"), nb::arg("value"),
           "Gives an attribute a value, by value or as HLO text. The shape must stay what it is.")
      .def(
          "__delitem__", [](const Instruction& i, const std::string& name) { ChangeAttribute(i, name, nb::str("")); },
          nb::arg("attribute"), "Back to the default, or to none.")
      .def_prop_ro("metadata", &Metadata, "Where it came from, or None.")
      .def_prop_ro(
          "is_root", [](const Instruction& i) { return i->IsRoot(); }, "True if it is the root of its computation.")
      .def_prop_ro(
          "line", [](const Instruction& i) { return i->line(); },
          "The line of the text from which it was read; 0 for none.")
      .def("_constant_bytes", &ConstantBytes)
      .def("replace_all_uses_with", &ReplaceAllUsesWith, nb::arg("other"),
           "All users take `other` instead. ValueError: it is of another computation or shape, or needs this one.")
      .def("replace_operand", &ReplaceOperand, nb::arg("index"), nb::arg("operand"),
           "Replaces an operand. IndexError, or a ValueError as for replace_all_uses_with.")
      .def("clone_with_operands", &CloneWithOperands, nb::arg("operands"),
           "A copy of it in its computation, with other operands of the same shapes; ValueError for others.")
      .def("remove", &Remove,
           "Takes it out. ValueError: something uses it, or it is a root or parameter, or has an effect.")
      .def("__eq__",
           [](const Instruction& a, nb::handle b) {
             const Instruction* other = nullptr;
             return nb::try_cast<const Instruction*>(b, other) && other != nullptr && a.graph() == other->graph() &&
                    a.id() == other->id();
           })
      .def("__hash__",
           [](const Instruction& i) { return std::hash<const void*>()(i.graph().get()) ^ static_cast<size_t>(i.id()); })
      .def("__str__", [](const Instruction& i) { return i->ToString(); })
      .def("__repr__", [](const Instruction& i) { return "<hloir.Instruction " + i->ToString() + ">"; });
}

void BindComputation(nb::class_<Computation> type) {
  type.def_prop_ro(
          "name", [](const Computation& c) { return std::string(c->name()); }, "Without '%'.")
      .def_prop_ro("id", &Computation::id, "Dense, and never reused within the module.")
      .def_prop_ro(
          "root", [](const Computation& c) { return Instruction(c.graph(), c->root()); },
          "The instruction whose value it gives.")
      .def_prop_ro(
          "parameters", [](const Computation& c) { return InstructionList(c.graph(), c->parameters()); }, "By number.")
      .def_prop_ro(
          "instructions", [](const Computation& c) { return InstructionList(c.graph(), c->instructions()); },
          "In the order of the text.")
      .def_prop_ro(
          "post_order", [](const Computation& c) { return InstructionList(c.graph(), c->PostOrder()); },
          "Operands before their users.")
      .def_prop_ro(
          "callers", [](const Computation& c) { return InstructionList(c.graph(), c->callers()); },
          "The instructions that call it.")
      .def(
          "find",
          [](const Computation& c, const std::string& name) -> std::optional<Instruction> {
            HloInstruction* found = c->FindInstruction(name);
            if (found == nullptr) return std::nullopt;
            return Instruction(c.graph(), found);
          },
          nb::arg("name"), "The instruction of that name, or None.")
      .def("__len__", [](const Computation& c) { return c->instruction_count(); })
      .def("__iter__",
           [](const Computation& c) {
             return nb::typed<nb::iterator, Instruction>(nb::iter(InstructionList(c.graph(), c->instructions())));
           })
      .def("__eq__",
           [](const Computation& a, nb::handle b) {
             const Computation* other = nullptr;
             return nb::try_cast<const Computation*>(b, other) && other != nullptr && a.graph() == other->graph() &&
                    a.id() == other->id();
           })
      .def(
          "__hash__",
          [](const Computation& c) { return std::hash<const void*>()(c.graph().get()) ^ ~static_cast<size_t>(c.id()); })
      .def("__str__", [](const Computation& c) { return PrintComputation(*c, PrintOptions::Readable()); })
      .def("__repr__", [](const Computation& c) { return "<hloir.Computation " + std::string(c->name()) + ">"; });
}

void BindModule(nb::module_& m) {
  nb::class_<Graph>(m, "Module", "A whole program. Module(name) is an empty one, for Builder.")
      .def(
          "__init__",
          [](Graph* self, std::string name) {
            CheckName(name);
            new (self) Graph(std::make_unique<HloModule>(std::move(name)));
          },
          nb::arg("name"))
      .def_prop_rw(
          "name", [](const Graph& g) { return g.unfinished().name(); },
          [](const Graph& g, std::string name) {
            g.CheckEditable();
            CheckName(name);
            g.unfinished().set_name(std::move(name));
          },
          "The name after HloModule.")
      .def_prop_ro(
          "entry", [](const GraphRef& g) { return Computation(g, g->module().entry_computation()); },
          "The computation that a run begins with.")
      .def_prop_ro(
          "computations", [](const GraphRef& g) { return ComputationList(g, g->unfinished().computations()); },
          "All of them, in the order of the text.")
      .def_prop_ro(
          "instructions",
          [](const GraphRef& g) {
            std::vector<HloInstruction*> all;
            for (HloInstruction* i : g->unfinished().AllInstructions()) all.push_back(i);
            return InstructionList(g, all);
          },
          "The instructions of all computations, in text order.")
      .def(
          "find",
          [](const GraphRef& g, const std::string& name) -> std::optional<Computation> {
            HloComputation* found = g->unfinished().FindComputation(name);
            if (found == nullptr) return std::nullopt;
            return Computation(g, found);
          },
          nb::arg("name"), "The computation of that name, or None.")
      .def_prop_ro(
          "instruction_count", [](const Graph& g) { return g.module().instruction_count(); }, "In all computations.")
      .def_prop_ro(
          "replica_count", [](const Graph& g) { return g.module().config().replica_count; }, "The number of replicas.")
      .def_prop_ro(
          "num_partitions", [](const Graph& g) { return g.module().config().num_partitions; },
          "Among how many devices the work of one replica is divided.")
      .def(
          "text", &Text, nb::arg("style") = "readable", nb::kw_only(), nb::arg("metadata") = true,
          nb::arg("large_constants") = nb::none(),
          "HLO text: 'readable' (all that the module says), 'xla' (byte for byte XLA's default), 'short', 'canonical' "
          "or 'fingerprint' (without names); or 'stablehlo', StableHLO text, to which the options do not apply. "
          "metadata: False leaves out where instructions came from; large_constants: every element of each, or not, in "
          "place of what the style does.")
      .def("to_string", &Text, nb::arg("style") = "readable", nb::kw_only(), nb::arg("metadata") = true,
           nb::arg("large_constants") = nb::none(), "text() under the name that jaxlib has for it.")
      .def(
          "run",
          [](nb::handle self, const nb::args& arguments) -> nb::object {
            return nb::module_::import_("hloir").attr("run")(self, *arguments);
          },
          nb::arg("arguments"), nb::sig("def run(self, *arguments: typing.Any) -> typing.Any"),
          "Runs it once, as hloir.run does.")
      .def(
          "_repr_html_",
          [](nb::handle self) -> std::optional<std::string> {
            return nb::cast<std::optional<std::string>>(
                nb::module_::import_("hloir._display").attr("module_html")(self));
          },
          "The graph, for Jupyter.")
      .def(
          "__reduce__",
          [](nb::handle self) -> nb::object {
            return nb::make_tuple(nb::module_::import_("hloir").attr("parse_proto"),
                                  nb::make_tuple(self.attr("to_proto")()));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
      .def(
          "to_proto",
          [](const Graph& g) {
            const std::string bytes = SerializeHloModuleProto(g.module());
            return nb::bytes(bytes.data(), bytes.size());
          },
          "An HloModuleProto, which XLA loads.")
      .def(
          "write",
          [](const Graph& g, const std::filesystem::path& path) { Check(WriteModule(g.module(), path.string())); },
          nb::arg("path"), nb::sig("def write(self, path: str | os.PathLike[str]) -> None"),
          "Writes a file in the format of its ending: .hlo, .txt, .pb, .json, .mlir (StableHLO), each also with .gz.")
      .def(
          "verify", [](const Graph& g) { Check(VerifyModule(g.module())); }, "hloir.Error if it is not legal HLO.")
      .def(
          "clone",
          [](const Graph& g) {
            auto clone = std::make_shared<Graph>(g.module().Clone());
            clone->TakeUids(g);
            return clone;
          },
          "An independent copy.")
      .def_prop_ro(
          "hash", [](const Graph& g) { return StructuralHash(g.module()); },
          "Equal for modules that are the same but for names.")
      .def("cost", &CostOfModule, nb::arg("device") = "", nb::arg("mesh") = "",
           nb::sig("def cost(self, device: str | os.PathLike[str] = '', mesh: str = '') -> dict[str, typing.Any]"),
           "flops, transcendentals and bytes, loops counted as often as they run; 'once' as XLA counts. device: also "
           "'roofline', the time on 'h100', 'a100', 'tpu', a JSON file or 'cpu', 'communication' and 'memory', as "
           "`hloir cost --json` has them; mesh: what `--mesh` takes.")
      .def(
          "memory",
          [](const Graph& g) {
            nb::object fields = nb::module_::import_("json").attr("loads")(MemoryReportJson(g.module()));
            fields["report"] = MemoryReport(g.module());
            return nb::cast<nb::typed<nb::dict, nb::str, nb::any>>(fields);
          },
          "The memory of a run in the order of the text: 'peak_bytes', 'live_at_peak' and others, as docs/json.md has "
          "them, and 'report' for people.")
      .def(
          "costs",
          [](const GraphRef& g) {
            const CostAnalysis analysis(g->module());
            nb::typed<nb::dict, Instruction, nb::any> all;
            HloModule& module = g->module();
            for (HloInstruction* i = module.entry_computation()->first(); i != nullptr; i = i->next())
              all[nb::cast(Instruction(g, i))] = CostOf(analysis.Of(*i).repeated);
            return all;
          },
          "The same of each instruction of the entry computation.")
      .def("__str__", [](const Graph& g) { return PrintModule(g.module(), PrintOptions::Readable()); })
      .def("__repr__",
           [](const Graph& g) {
             HloModule& module = g.unfinished();
             return "<hloir.Module " + module.name() + ", " + std::to_string(module.instruction_count()) +
                    " instructions>";
           })
      .def("__copy__", [](const Graph& g) { return std::make_shared<Graph>(g.module().Clone()); })
      .def(
          "__deepcopy__", [](const Graph& g, nb::handle) { return std::make_shared<Graph>(g.module().Clone()); },
          nb::arg("memo"));
}

}  // namespace

HloInstruction* Instruction::Get() const {
  (void)graph_->unfinished();
  if (seen_ != graph_->edits()) {
    object_ = graph_->FindInstruction(id_);
    seen_ = graph_->edits();
  }
  if (object_ == nullptr) Gone("the instruction is no longer in its module");
  return object_;
}

HloComputation* Computation::Get() const {
  (void)graph_->unfinished();
  if (seen_ != graph_->edits()) {
    object_ = graph_->FindComputation(id_);
    seen_ = graph_->edits();
  }
  if (object_ == nullptr) Gone("the computation is no longer in its module");
  return object_;
}

namespace {

StatusOr<std::unique_ptr<HloModule>> ParseText(std::string text, const std::string& name,
                                               const std::vector<std::vector<int64_t>>& sizes) {
  if (!sizes.empty()) {
    HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module,
                           ParseStablehlo(std::move(text), {.file_name = name, .argument_sizes = sizes}));
    HLOIR_RETURN_IF_ERROR(VerifyModule(*module));
    return module;
  }
  ReadOptions options;
  options.one_module = true;
  options.file_name = name;
  HLOIR_ASSIGN_OR_RETURN(ModuleFile file, ParseModuleFile(std::move(text), options));
  return std::move(file.modules.front());
}

// body() without the GIL. Many bytes are read in a thread that Ctrl-C leaves alone, as a parser does not ask whether it
// is cancelled; for few ones a thread would take longer than they do. A size of 0 is also that of a pipe.
template <class Body>
StatusOr<std::unique_ptr<HloModule>> LongRead(uintmax_t bytes, Body body) {
  constexpr uintmax_t kFew = 100'000;
  if (bytes > 0 && bytes < kFew) {
    const nb::gil_scoped_release released;
    return body();
  }
  return Detachable(std::make_shared<std::atomic<bool>>(false), std::move(body));
}

}  // namespace

PrimitiveType TypeNamed(const std::string& name) {
  StatusOr<Shape> scalar = ParseShape(name + "[]");
  if (!scalar.ok() || !scalar->IsArray()) throw nb::value_error(("'" + name + "' is not an element type").c_str());
  return scalar->element_type();
}

void BindGraph(nb::module_& m) {
  BindShape(m);
  // Both before their methods, which name each other.
  nb::class_<Instruction> instruction(m, "Instruction", "One operation of a computation.");
  nb::class_<Computation> computation(m, "Computation", "A function: parameters, instructions, and a root.");
  BindInstruction(instruction);
  BindComputation(computation);
  BindModule(m);
  m.def(
      "_parse_text",
      [](std::string text, const std::string& name, const std::vector<std::vector<int64_t>>& sizes) {
        return std::make_shared<Graph>(
            Value(LongRead(text.size(),
                           [=, text = std::move(text)]() mutable { return ParseText(std::move(text), name, sizes); }),
                  name));
      },
      nb::arg("text"), nb::arg("name"), nb::arg("sizes") = std::vector<std::vector<int64_t>>());
  m.def(
      "_parse_proto",
      [](const nb::bytes& bytes) {
        std::string text(bytes.c_str(), bytes.size());
        return std::make_shared<Graph>(
            Value(LongRead(text.size(),
                           [text = std::move(text)]() mutable { return ParseText(std::move(text), "<proto>", {}); }),
                  "<proto>"));
      },
      nb::arg("bytes"));
  m.def(
      "read",
      [](const std::string& path) {
        std::error_code error;
        const uintmax_t size = std::filesystem::file_size(path, error);
        return std::make_shared<Graph>(Value(LongRead(size, [=] { return ReadModule(path); }), path));
      },
      nb::arg("path"), "The module in a file of any form: text, XLA's messages, their JSON, each also gzipped.");
}

}  // namespace hloir::python
