// Builder's methods: one for each opcode, from opcodes.def; constants, reducers, comparators. Attributes come by name,
// and become text (python/hloir/_attributes.py), which the parser reads (hloir/builder.h).
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "builder.h"
#include "hloir/builder.h"
#include "hloir/parser.h"

namespace hloir::python {

const char* Kept(std::string text) {
  static auto* texts = new std::deque<std::string>;
  return texts->emplace_back(std::move(text)).c_str();
}

std::string PythonName(std::string_view opcode) {
  constexpr std::array<std::string_view, 4> kKeywords = {"and", "not", "or", "while"};
  std::string name(opcode);
  std::replace(name.begin(), name.end(), '-', '_');
  if (std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end()) name += '_';
  return name;
}

void Builder::Prepare() {
  (void)graph_->unfinished();
  if (built_) throw nb::value_error("the computation is built; a Builder in front of an instruction adds to it");
  if (ask_) ask_();
  else graph_->CheckEditable();
}

void Builder::Abandon() {
  if (!computation_ || computation_->Get()->instruction_count() > 0) return;
  graph_->unfinished().RemoveComputation(computation_->Get());
  graph_->Edited();
  computation_.reset();
}

HloComputation& Builder::Target() {
  Prepare();
  if (place_) return *(*place_)->parent();
  if (!computation_) {
    computation_ = Computation(graph_, graph_->unfinished().AddComputation(name_));
  }
  return *computation_->Get();
}

Instruction Builder::Added(HloInstruction* made, const std::string& name) {
  if (!name.empty()) made->set_name(name);
  if (place_) {
    made->CopyMetadataOf(**place_);
    made->parent()->MoveBefore(made, place_->Get());
  } else if (!ask_) {
    made->parent()->set_root(made);
  }
  made_.push_back(made);
  return Instruction(graph_, made);
}

Computation Builder::Build(const Instruction& root, bool entry) {
  if (place_ || ask_) throw nb::value_error("this builder adds to an existing computation");
  if (built_) throw nb::value_error("the computation is built");
  if (!computation_ || root->parent() != computation_->Get())
    throw nb::value_error("the root is of another computation");
  computation_->Get()->set_root(root.Get());
  if (entry) {
    HloModule& module = graph_->unfinished();
    module.set_entry_computation(computation_->Get());
    module.PutInTextOrder();  // and names are those of its text
  }
  built_ = true;
  return *computation_;
}

namespace {

// A description of a name's attributes, for a docstring.
std::string DocOf(HloOpcode opcode) {
  std::string fields;
  const auto add = [&](std::string_view name) { fields += (fields.empty() ? "" : ", ") + std::string(name); };
  AttributesTypeSwitch(opcode, [&]<class T>(std::type_identity<T>) {
    if constexpr (!std::is_same_v<T, NoAttributes>) {
      T attributes;
      VisitFields(attributes, [&](std::string_view name, auto&, FieldRule) { add(name); });
    }
  });
  const OpcodeInfo& info = GetOpcodeInfo(opcode);
  switch (info.calls) {
    case CallKind::kNone: break;
    case CallKind::kToApply: add("to_apply"); break;
    case CallKind::kCalls: add("calls"); break;
    case CallKind::kConditionBody: add("condition, body"); break;
    case CallKind::kSelectScatter: add("select, scatter"); break;
    case CallKind::kBranches: add("branch_computations, or true_computation and false_computation"); break;
    case CallKind::kCalledComputations: add("called_computations"); break;
  }
  std::string doc = "HLO's " + std::string(info.name);
  if (info.arity >= 0) doc += ", of " + std::to_string(info.arity) + (info.arity == 1 ? " operand" : " operands");
  if (info.shape == OpShape::kGiven) doc += "; needs its shape";
  return doc + (fields.empty() ? "." : "; " + fields + ".");
}

// A shape; a type alone, with the dimensions of the first operand; or sizes alone, with its type.
std::optional<Shape> ShapeOf(const nb::object& given, std::span<HloInstruction* const> operands) {
  if (given.is_none()) return std::nullopt;
  if (const Shape* shape = nullptr; nb::try_cast<const Shape*>(given, shape)) return *shape;
  if (std::string text; nb::try_cast<std::string>(given, text)) {
    if (text.find_first_of("[(") != std::string::npos) return Value(ParseShape(text));
    const PrimitiveType type = TypeNamed(text);
    if (operands.empty() || !operands[0]->shape().IsArray()) return Shape::Array(type, {});
    return operands[0]->shape().WithElementType(type);
  }
  std::vector<int64_t> sizes;
  if (!nb::try_cast<std::vector<int64_t>>(given, sizes))
    throw nb::type_error("shape is a Shape, its text, an element type, or a list of sizes");
  if (operands.empty() || !operands[0]->shape().IsArray())
    throw nb::value_error("there is no operand to take the element type from");
  return Shape::Array(operands[0]->shape().element_type(), DimVector(sizes.begin(), sizes.end()));
}

Instruction AddOp(Builder& b, std::string_view opcode, const nb::args& operands, const nb::object& shape,
                  const std::string& name, const nb::kwargs& attributes) {
  std::vector<HloInstruction*> objects;
  for (nb::handle operand : operands) {
    const Instruction* instruction = nullptr;
    if (!nb::try_cast<const Instruction*>(operand, instruction) || instruction == nullptr)
      throw nb::type_error((PythonName(opcode) + " takes instructions; constant() makes one of a value").c_str());
    if (&instruction->graph()->unfinished() != &b.graph()->unfinished())
      throw nb::value_error("an operand is of another module");
    objects.push_back(instruction->Get());
  }
  NamedAttributes texts;
  const nb::module_ helper = nb::module_::import_("hloir._attributes");
  for (const auto& [key, value] : attributes) {
    if (value.is_none()) continue;
    std::string word = nb::cast<std::string>(key);
    if (word == "control_predecessors") word = "control-predecessors";
    std::string text = nb::cast<std::string>(helper.attr("text_of")(word, value));
    texts.emplace_back(std::move(word), std::move(text));
  }
  const std::optional<Shape> stated = ShapeOf(shape, objects);
  StatusOr<HloInstruction*> made = AddByName(b.Target(), opcode, objects, texts, stated ? &*stated : nullptr);
  if (!made.ok()) {
    b.Abandon();
    Check(Status(made.status().code(), std::string(opcode) + ": " + made.status().message()));
  }
  return b.Added(*made, name);
}

Literal LiteralOf(const Shape& shape, const Bytes& bytes) {
  if (static_cast<int64_t>(bytes.nbytes()) != shape.ByteSize())
    throw nb::value_error(("the value has another size than " + shape.ToString()).c_str());
  Literal literal(shape);
  if (bytes.nbytes() > 0) std::memcpy(literal.untyped_data(), bytes.data(), bytes.nbytes());
  return literal;
}

Instruction AddParameter(Builder& b, const nb::object& given, const std::string& name) {
  const std::optional<Shape> shape = ShapeOf(given, {});
  if (!shape) throw nb::type_error("a parameter needs its shape");
  HloComputation& target = b.Target();
  if (!target.callers().empty() || target.IsEntry())
    throw nb::value_error("a parameter would change what the computation's callers are to give it");
  const int64_t number = target.parameter_count();
  return b.Added(target.AddParameter(number, *shape, name.empty() ? "p" + std::to_string(number) : name), "");
}

Instruction AddConstant(Builder& b, const nb::object& value, const nb::object& type, const std::string& name) {
  const nb::object pair = nb::module_::import_("hloir._arrays").attr("constant_parts")(value, type);
  const Shape shape = nb::cast<Shape>(pair[0]);
  const Bytes bytes = nb::cast<Bytes>(pair[1]);
  Literal literal = LiteralOf(shape, bytes);
  HloComputation& target = b.Target();
  return b.Added(target.AddConstant(std::move(literal)), name);
}

Instruction AddSplat(Builder& b, double value, const nb::object& given, const std::string& name) {
  const std::optional<Shape> shape = ShapeOf(given, {});
  if (!shape || !shape->IsArray()) throw nb::value_error("a splat needs the shape of an array");
  Literal scalar(Shape::Scalar(shape->element_type()));
  scalar.SetFromDouble(0, value);
  HloComputation& target = b.Target();
  HloInstruction* constant = target.AddConstant(std::move(scalar));
  if (shape->rank() == 0) return b.Added(constant, name);
  const Instruction operand = b.Added(constant, "");
  return b.Added(target.AddInstruction(HloOpcode::kBroadcast, *shape, {operand.Get()}, DimensionsAttributes{}), name);
}

Computation Reducer(Builder& b, const std::string& opcode, const std::string& type) {
  b.Prepare();
  for (int i = 0; i < kOpcodeCount; ++i) {
    const HloOpcode candidate = static_cast<HloOpcode>(i);
    if (OpcodeName(candidate) != opcode || GetOpcodeInfo(candidate).arity != 2 || !HasTrait(candidate, kElementwise) ||
        candidate == HloOpcode::kCompare)
      continue;
    return Computation(b.graph(), MakeReducer(b.graph()->unfinished(), candidate, TypeNamed(type)));
  }
  throw nb::value_error(("'" + opcode + "' does not reduce; add, multiply, maximum, minimum, and, or … do").c_str());
}

Computation Comparator(Builder& b, const std::string& direction, const std::vector<std::string>& types) {
  std::vector<PrimitiveType> elements;
  for (const std::string& type : types) elements.push_back(TypeNamed(type));
  if (elements.empty()) throw nb::value_error("a comparator compares at least one type");
  b.Prepare();
  for (size_t k = 0; k < EnumWords<ComparisonDirection>().size(); ++k) {
    if (EnumWords<ComparisonDirection>()[k] != direction) continue;
    return Computation(b.graph(),
                       MakeComparator(b.graph()->unfinished(), static_cast<ComparisonDirection>(k), elements));
  }
  throw nb::value_error("the direction is EQ, NE, GE, GT, LE or LT");
}

// The fields that hold texts are written between quotes.
bool IsText(const std::string& attribute) {
  bool text = false;
#define HLOIR_STRUCT(type)
#define HLOIR_FIELD(ctype, name, default_value, rule) text |= std::is_same_v<ctype, std::string> && attribute == #name;
#define HLOIR_END(type)
#include "hloir/attributes.def"
#undef HLOIR_STRUCT
#undef HLOIR_FIELD
#undef HLOIR_END
  return text;
}

}  // namespace

void BindBuilding(nb::module_& m) {
  auto builder = nb::class_<Builder>(m, "Builder", R"(Makes a computation, or adds to one.

Builder(module, name) makes a new computation: parameters, constants and ops, then build(root) or build_entry(root).
Builder(instruction) adds in front of an instruction, to its computation. There is a method for each opcode: operands,
then attributes by name, as values or as HLO text; the shape is inferred, or given as `shape` where it does not follow:
a Shape, its text, an element type (with the first operand's dimensions), or sizes (with its type).)");
  builder
      .def(
          "__init__",
          [](Builder* self, const GraphRef& graph, const std::string& name) {
            graph->CheckEditable();
            new (self) Builder(graph, name);
          },
          nb::arg("module"), nb::arg("name"))
      .def(
          "__init__",
          [](Builder* self, const Instruction& place) {
            place.graph()->CheckEditable();
            (void)*place;
            new (self) Builder(place);
          },
          nb::arg("before"))
      .def_prop_ro("module", [](const Builder& b) { return b.graph(); })
      .def("parameter", &AddParameter, nb::arg("shape"), nb::arg("name") = "",
           nb::sig("def parameter(self, shape: Shape | str, name: str = '') -> Instruction"), "The next parameter.")
      .def("constant", &AddConstant, nb::arg("value"), nb::arg("type") = nb::none(), nb::arg("name") = "",
           nb::sig("def constant(self, value: typing.Any, type: str | None = None, name: str = '') -> Instruction"),
           "A number or an array. Numbers of Python's are s32, f32, pred or c64 if no type is given.")
      .def("splat", &AddSplat, nb::arg("value"), nb::arg("shape"), nb::arg("name") = "",
           nb::sig("def splat(self, value: float, shape: Shape | str, name: str = '') -> Instruction"),
           "An array of one number throughout: a constant, and its broadcast.")
      .def("reducer", &Reducer, nb::arg("opcode"), nb::arg("type"),
           "A computation of one binary op on scalars, for reduce, scatter and all_reduce: reducer('add', 'f32').")
      .def("comparator", &Comparator, nb::arg("direction"), nb::arg("types"),
           "A computation that compares, for sort: comparator('LT', ['f32']).")
      .def(
          "build", [](Builder& b, const Instruction& root) { return b.Build(root, false); }, nb::arg("root"),
          "The computation, with this root. Nothing can be added to it by this builder then.")
      .def(
          "build_entry", [](Builder& b, const Instruction& root) { return b.Build(root, true); }, nb::arg("root"),
          "The same; and it becomes the module's entry.");
  for (int i = 0; i < kOpcodeCount; ++i) {
    const HloOpcode opcode = static_cast<HloOpcode>(i);
    if (opcode == HloOpcode::kParameter || opcode == HloOpcode::kConstant) continue;
    builder.def(
        PythonName(OpcodeName(opcode)).c_str(),
        [opcode](Builder& b, const nb::args& operands, const nb::object& shape, const std::string& name,
                 const nb::kwargs& attributes) {
          return AddOp(b, OpcodeName(opcode), operands, shape, name, attributes);
        },
        nb::arg("operands"), nb::arg("shape") = nb::none(), nb::arg("name") = "", nb::arg("attributes"),
        nb::sig(Kept("def " + PythonName(OpcodeName(opcode)) +
                     "(self, *operands: Instruction, shape: Shape | str | collections.abc.Sequence[int] | None = None, "
                     "name: str = '', **attributes: typing.Any) -> Instruction")),
        DocOf(opcode).c_str());
  }
  m.def("_is_text", &IsText, nb::arg("attribute"));
}

}  // namespace hloir::python
