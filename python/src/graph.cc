// Modules, computations, instructions and shapes in Python: reading, printing, walking, and the edits that keep a graph
// whole.
#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "handles.h"
#include "hloir/analysis/structural.h"
#include "hloir/cost.h"
#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/printer.h"
#include "hloir/proto.h"
#include "hloir/verifier.h"

namespace hloir::python {

void Graph::Index() {
  instructions_.assign(static_cast<size_t>(module().instruction_id_limit()), nullptr);
  computations_.assign(static_cast<size_t>(module().computation_id_limit()), nullptr);
  for (HloComputation* computation : module().computations()) {
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

namespace {

[[noreturn]] void Gone(const char* what) {
  PyErr_SetString(PyExc_ReferenceError, what);
  throw nb::python_error();
}

PrintOptions StyleOf(std::string_view style) {
  if (style == "readable") return PrintOptions::Readable();
  if (style == "xla") return PrintOptions::Default();
  if (style == "short") return PrintOptions::ShortParsable();
  if (style == "canonical") return PrintOptions::Canonical();
  if (style == "fingerprint") return PrintOptions::Fingerprint();
  throw nb::value_error("style is readable, xla, short, canonical or fingerprint");
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

std::vector<int64_t> Dimensions(const Shape& shape) { return {shape.dimensions().begin(), shape.dimensions().end()}; }

// Of the same computation; only then may one take the other's place.
void CheckSamePlace(const Instruction& a, const Instruction& b) {
  if (a->parent() != b->parent()) throw nb::value_error("the two instructions are of different computations");
}

void Remove(const Instruction& instruction) {
  if (!IsDead(*instruction)) {
    throw nb::value_error(
        "only an instruction may go that nothing uses, that is no root or parameter, and has no effect");
  }
  instruction->parent()->RemoveInstruction(instruction.Get());
  instruction.graph()->Edited();
}

void ReplaceAllUsesWith(const Instruction& old_one, const Instruction& new_one) {
  CheckSamePlace(old_one, new_one);
  if (!old_one->shape().Compatible(new_one->shape()))
    throw nb::value_error("the two instructions have different shapes");
  old_one->ReplaceAllUsesWith(new_one.Get());
}

void ReplaceOperand(const Instruction& instruction, int64_t index, const Instruction& operand) {
  CheckSamePlace(instruction, operand);
  if (index < 0 || index >= instruction->operand_count()) throw nb::index_error("no such operand");
  if (!instruction->operand(index)->shape().Compatible(operand->shape()))
    throw nb::value_error("the operand has another shape");
  instruction->ReplaceOperandWith(index, operand.Get());
}

Instruction CloneWithOperands(const Instruction& instruction, const std::vector<Instruction>& operands) {
  if (static_cast<int64_t>(operands.size()) != instruction->operand_count())
    throw nb::value_error("another number of operands");
  std::vector<HloInstruction*> objects;
  for (size_t i = 0; i < operands.size(); ++i) {
    CheckSamePlace(instruction, operands[i]);
    if (!instruction->operand(static_cast<int64_t>(i))->shape().Compatible(operands[i]->shape()))
      throw nb::value_error("an operand has another shape");
    objects.push_back(operands[i].Get());
  }
  HloInstruction* copy = instruction->parent()->AddClone(*instruction, objects);
  instruction.graph()->Edited();
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

nb::bytes ConstantBytes(const Instruction& instruction) {
  if (!instruction->IsConstant() || !instruction->shape().IsArray()) throw nb::value_error("not an array constant");
  const Literal& literal = instruction->literal();
  return nb::bytes(reinterpret_cast<const char*>(literal.untyped_data()), static_cast<size_t>(literal.size_bytes()));
}

nb::typed<nb::dict, nb::str, nb::any> CostOf(const Cost& cost) {
  nb::typed<nb::dict, nb::str, nb::any> fields;
  fields["flops"] = cost.flops, fields["transcendentals"] = cost.transcendentals, fields["bytes"] = cost.bytes;
  return fields;
}

void BindShape(nb::module_& m) {
  nb::class_<Shape>(m, "Shape", "Element type, dimensions and layout of an array, or a tuple of shapes.")
      .def(
          "__init__", [](Shape* self, const std::string& text) { new (self) Shape(Value(ParseShape(text))); },
          nb::arg("text"))
      .def_prop_ro("dimensions", &Dimensions, "Sizes; of a tuple [].")
      .def_prop_ro(
          "element_type", [](const Shape& s) { return std::string(PrimitiveTypeName(s.element_type())); },
          "'f32', 'tuple', …")
      .def_prop_ro(
          "numpy_name", [](const Shape& s) { return std::string(NumpyName(s.element_type())); },
          "The name of the element type in numpy or ml_dtypes; '' for what is no array.")
      .def_prop_ro("is_array", &Shape::IsArray)
      .def_prop_ro("is_tuple", &Shape::IsTuple)
      .def_prop_ro("tuple_shapes",
                   [](const Shape& s) {
                     std::vector<Shape> shapes;
                     for (int64_t i = 0; s.IsTuple() && i < s.tuple_size(); ++i) shapes.push_back(s.tuple_shapes(i));
                     return shapes;
                   })
      .def("__eq__",
           [](const Shape& a, nb::handle b) {
             const Shape* other = nullptr;
             return nb::try_cast<const Shape*>(b, other) && other != nullptr && a == *other;
           })
      .def("__hash__", &Shape::Hash)
      .def("__str__", [](const Shape& s) { return s.ToString(); })
      .def("__repr__", [](const Shape& s) { return "Shape('" + s.ToString() + "')"; });
}

void BindInstruction(nb::module_& m) {
  nb::class_<Instruction>(m, "Instruction", "One operation of a computation.")
      .def_prop_rw(
          "name", [](const Instruction& i) { return std::string(i->name()); },
          [](const Instruction& i, const std::string& name) { i->set_name(name); })
      .def_prop_ro("opcode", [](const Instruction& i) { return std::string(i->opcode_name()); })
      .def_prop_ro("id", &Instruction::id, "Dense, and never reused within the module.")
      .def_prop_ro("shape", [](const Instruction& i) { return i->shape(); })
      .def_prop_ro("computation", [](const Instruction& i) { return Computation(i.graph(), i->parent()); })
      .def_prop_ro("operands", [](const Instruction& i) { return InstructionList(i.graph(), i->operands()); })
      .def_prop_ro("users", [](const Instruction& i) { return InstructionList(i.graph(), i->users()); })
      .def_prop_ro("called", [](const Instruction& i) { return ComputationList(i.graph(), i->called_computations()); })
      .def_prop_ro(
          "attributes",
          [](const Instruction& i) {
            nb::typed<nb::dict, nb::str, nb::str> attributes;
            for (const auto& [name, value] : PrintAttributes(*i))
              attributes[nb::str(name.c_str(), name.size())] = nb::str(value.c_str(), value.size());
            return attributes;
          },
          "By name, as text has them: {'dimensions': '{0}'}.")
      .def_prop_ro("metadata", &Metadata, "Where it came from, or None.")
      .def_prop_ro("is_root", [](const Instruction& i) { return i->IsRoot(); })
      .def_prop_ro(
          "line", [](const Instruction& i) { return i->line(); }, "Of the text it was read from; 0 for none.")
      .def("_constant_bytes", &ConstantBytes)
      .def("replace_all_uses_with", &ReplaceAllUsesWith, nb::arg("other"),
           "All users take `other` instead, of the same computation and shape.")
      .def("replace_operand", &ReplaceOperand, nb::arg("index"), nb::arg("operand"))
      .def("clone_with_operands", &CloneWithOperands, nb::arg("operands"),
           "A copy of it in its computation, with other operands of the same shapes.")
      .def("remove", &Remove, "Takes it out; nothing may use it.")
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

void BindComputation(nb::module_& m) {
  nb::class_<Computation>(m, "Computation", "A function: parameters, instructions, and a root.")
      .def_prop_ro("name", [](const Computation& c) { return std::string(c->name()); })
      .def_prop_ro("id", &Computation::id)
      .def_prop_ro("root", [](const Computation& c) { return Instruction(c.graph(), c->root()); })
      .def_prop_ro("parameters", [](const Computation& c) { return InstructionList(c.graph(), c->parameters()); })
      .def_prop_ro(
          "instructions", [](const Computation& c) { return InstructionList(c.graph(), c->instructions()); },
          "In the order of the text.")
      .def_prop_ro(
          "post_order", [](const Computation& c) { return InstructionList(c.graph(), c->PostOrder()); },
          "Operands before their users.")
      .def_prop_ro("callers", [](const Computation& c) { return InstructionList(c.graph(), c->callers()); })
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
  nb::class_<Graph>(m, "Module", "A whole program.")
      .def_prop_rw(
          "name", [](const Graph& g) { return g.module().name(); },
          [](const Graph& g, std::string name) { g.module().set_name(std::move(name)); })
      .def_prop_ro("entry", [](const GraphRef& g) { return Computation(g, g->module().entry_computation()); })
      .def_prop_ro("computations", [](const GraphRef& g) { return ComputationList(g, g->module().computations()); })
      .def_prop_ro("instruction_count", [](const Graph& g) { return g.module().instruction_count(); })
      .def_prop_ro("replica_count", [](const Graph& g) { return g.module().config().replica_count; })
      .def_prop_ro("num_partitions", [](const Graph& g) { return g.module().config().num_partitions; })
      .def(
          "text", [](const Graph& g, std::string_view style) { return PrintModule(g.module(), StyleOf(style)); },
          nb::arg("style") = "readable",
          "HLO text: 'readable' (all that the module says), 'xla' (byte for byte XLA's default), 'short', 'canonical' "
          "or 'fingerprint' (without names).")
      .def(
          "to_proto",
          [](const Graph& g) {
            const std::string bytes = SerializeHloModuleProto(g.module());
            return nb::bytes(bytes.data(), bytes.size());
          },
          "An HloModuleProto, which XLA loads.")
      .def(
          "write", [](const Graph& g, const std::string& path) { Check(WriteModule(g.module(), path)); },
          nb::arg("path"), "To a file, as its ending says: .hlo, .txt, .pb, .json, each also with .gz.")
      .def(
          "verify", [](const Graph& g) { Check(VerifyModule(g.module())); }, "hloir.Error if it is not legal HLO.")
      .def("clone", [](const Graph& g) { return std::make_shared<Graph>(g.module().Clone()); })
      .def_prop_ro(
          "hash", [](const Graph& g) { return StructuralHash(g.module()); },
          "Equal for modules that are the same but for names.")
      .def(
          "cost",
          [](const Graph& g) {
            const CostResult& total = CostAnalysis(g.module()).total();
            nb::typed<nb::dict, nb::str, nb::any> all = CostOf(total.repeated);
            all["once"] = CostOf(total.once), all["unknown_loops"] = total.unknown_loops,
            all["custom_calls"] = total.custom_calls;
            return all;
          },
          "flops, transcendentals and bytes, loops counted as often as they run; 'once' as XLA counts.")
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
      .def("__repr__", [](const Graph& g) {
        return "<hloir.Module " + g.module().name() + ", " + std::to_string(g.module().instruction_count()) +
               " instructions>";
      });
}

}  // namespace

HloInstruction* Instruction::Get() const {
  (void)graph_->module();
  if (seen_ != graph_->edits()) {
    object_ = graph_->FindInstruction(id_);
    seen_ = graph_->edits();
  }
  if (object_ == nullptr) Gone("the instruction is no longer in its module");
  return object_;
}

HloComputation* Computation::Get() const {
  (void)graph_->module();
  if (seen_ != graph_->edits()) {
    object_ = graph_->FindComputation(id_);
    seen_ = graph_->edits();
  }
  if (object_ == nullptr) Gone("the computation is no longer in its module");
  return object_;
}

void BindGraph(nb::module_& m) {
  BindShape(m);
  BindInstruction(m);
  BindComputation(m);
  BindModule(m);
  m.def(
      "parse",
      [](std::string text, const std::string& name) {
        ReadOptions options;
        options.one_module = true;
        options.file_name = name;
        ModuleFile file = Value(
            [&] {
              nb::gil_scoped_release released;
              return ParseModuleFile(std::move(text), options);
            }(),
            name);
        return std::make_shared<Graph>(std::move(file.modules.front()));
      },
      nb::arg("text"), nb::arg("name") = "<text>",
      "The module in this HLO text or JSON, verified. `name` stands in messages for a file's.");
  m.def(
      "parse_proto",
      [](const nb::bytes& bytes) {
        ReadOptions options;
        options.one_module = true;
        options.file_name = "<proto>";
        ModuleFile file = Value(ParseModuleFile(std::string(bytes.c_str(), bytes.size()), options), options.file_name);
        return std::make_shared<Graph>(std::move(file.modules.front()));
      },
      nb::arg("bytes"), "The module in a serialized HloModuleProto, HloProto or snapshot, verified.");
  m.def(
      "read",
      [](const std::string& path) {
        auto module = [&] {
          nb::gil_scoped_release released;
          return ReadModule(path);
        }();
        return std::make_shared<Graph>(Value(std::move(module), path));
      },
      nb::arg("path"), "The module in a file of any form: text, XLA's messages, their JSON, each also gzipped.");
}

}  // namespace hloir::python
