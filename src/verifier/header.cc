// Rules of the module's header: the entry layout states the entry computation's shapes; aliases and donors name
// parameters and results that exist, and none twice.
#include <algorithm>
#include <set>

#include "internal.h"

namespace hloir::verifier {
namespace {

void VerifyEntryLayout(const HloComputation& entry, const ProgramShape& layout, Errors& errors) {
  for (const Shape* leaf : layout.result.Leaves()) VerifyLayout(nullptr, *leaf, errors);
  for (const Shape& parameter : layout.parameters)
    for (const Shape* leaf : parameter.Leaves()) VerifyLayout(nullptr, *leaf, errors);
  if (!layout.result.Compatible(entry.root()->shape())) {
    errors.Add(entry.root(), "entry_computation_layout says that the result is {}, but the root is {}",
               Text(layout.result), Text(entry.root()->shape()));
  }
  if (static_cast<int64_t>(layout.parameters.size()) != entry.parameter_count()) {
    errors.Add(nullptr, "entry_computation_layout has {} parameters, the entry computation {}",
               layout.parameters.size(), entry.parameter_count());
    return;
  }
  for (int64_t i = 0; i < entry.parameter_count(); ++i) {
    const Shape& shape = entry.parameter(i)->shape();
    if (!layout.parameters[i].Compatible(shape)) {
      errors.Add(entry.parameter(i), "entry_computation_layout says that parameter {} is {}, but it is {}", i,
                 Text(layout.parameters[i]), Text(shape));
    }
  }
}

// The part of a parameter named by an alias or donor; nullptr, and an error, if it does not exist.
const Shape* ParameterPart(const HloComputation& entry, int64_t number, const ShapeIndex& index, std::string_view what,
                           Errors& errors) {
  if (number < 0 || number >= entry.parameter_count()) {
    errors.Add(nullptr, "{} names parameter {}, but there are {}", what, number, entry.parameter_count());
    return nullptr;
  }
  const Shape* part = entry.parameter(number)->shape().AtIndex(index);
  if (part == nullptr || !part->IsArray()) {
    errors.Add(nullptr, "{} names {} of parameter {}, which is not an array in {}", what, IndexText(index), number,
               Text(entry.parameter(number)->shape()));
    return nullptr;
  }
  return part;
}

// True if the sizes in bytes are equal or unknown: a backend's layout may change them.
bool SameBytes(const Shape& a, const Shape& b) {
  const auto is_known = [](const Shape& shape) {
    return std::none_of(shape.dimensions().begin(), shape.dimensions().end(),
                        [](int64_t size) { return size == Shape::kUnboundedSize; }) &&
           !(shape.has_layout() && shape.layout().has_extras());
  };
  return !is_known(a) || !is_known(b) || a.ByteSize() == b.ByteSize();
}

// The alias is one buffer, with one layout and memory space.
void VerifySameLayout(const InputOutputAlias& alias, const ProgramShape& layout, Errors& errors) {
  if (alias.parameter >= static_cast<int64_t>(layout.parameters.size())) return;
  const Shape* parameter = layout.parameters[alias.parameter].AtIndex(alias.parameter_index);
  const Shape* output = layout.result.AtIndex(alias.output_index);
  if (parameter == nullptr || output == nullptr || !parameter->IsArray() || !output->IsArray()) return;
  const Shape in = parameter->WithDefaultLayout(), out = output->WithDefaultLayout();
  if (!(in == out)) {
    errors.Add(nullptr, "input_output_alias must put {} and {} in one buffer", out.ToString(), in.ToString());
  }
}

void VerifyAliases(const HloModule& module, Errors& errors) {
  const HloComputation& entry = *module.entry_computation();
  const Shape& result = entry.root()->shape();
  std::set<ShapeIndex> outputs;
  std::set<std::pair<int64_t, ShapeIndex>> inputs;
  for (const InputOutputAlias& alias : module.config().input_output_alias) {
    const Shape* parameter = ParameterPart(entry, alias.parameter, alias.parameter_index, "input_output_alias", errors);
    const Shape* output = result.AtIndex(alias.output_index);
    if (output == nullptr || !output->IsArray()) {
      errors.Add(nullptr, "input_output_alias names output {}, which is not an array in {}",
                 IndexText(alias.output_index), Text(result));
    } else if (parameter != nullptr && alias.must_alias && !output->Compatible(*parameter)) {
      errors.Add(nullptr, "input_output_alias must put {} and {} in one buffer", Text(*output), Text(*parameter));
    } else if (parameter != nullptr && !SameBytes(*output, *parameter)) {
      errors.Add(nullptr, "input_output_alias puts {} and {} in one buffer, which differ in size", Text(*output),
                 Text(*parameter));
    } else if (parameter != nullptr && alias.must_alias && module.config().entry_computation_layout) {
      VerifySameLayout(alias, *module.config().entry_computation_layout, errors);
    }
    if (!outputs.insert(alias.output_index).second) {
      errors.Add(nullptr, "input_output_alias names output {} twice", IndexText(alias.output_index));
    }
    if (!inputs.emplace(alias.parameter, alias.parameter_index).second) {
      errors.Add(nullptr, "input_output_alias names {} of parameter {} twice", IndexText(alias.parameter_index),
                 alias.parameter);
    }
  }
  for (const BufferDonor& donor : module.config().buffer_donor) {
    (void)ParameterPart(entry, donor.parameter, donor.parameter_index, "buffer_donor", errors);
    if (inputs.contains({donor.parameter, donor.parameter_index})) {
      errors.Add(nullptr, "buffer_donor names {} of parameter {}, which is already aliased",
                 IndexText(donor.parameter_index), donor.parameter);
    }
  }
}

}  // namespace

void VerifyHeader(const HloModule& module, Errors& errors) {
  const HloComputation& entry = *module.entry_computation();
  if (module.config().entry_computation_layout)
    VerifyEntryLayout(entry, *module.config().entry_computation_layout, errors);
  VerifyAliases(module, errors);
}

}  // namespace hloir::verifier
