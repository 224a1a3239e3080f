// Conversion between a module's parameters and result, which may be tuples, and the flat leaves of an .npz or a
// snapshot.
#include <cstring>
#include <utility>

#include "hloir/io.h"
#include "support/format.h"

namespace hloir {
namespace {

// Copies the elements of the box `box` (sizes from 0) from one row-major array to another of the same rank.
void CopyBox(const Literal& from, Literal& to, const DimVector& box) {
  const int64_t rank = static_cast<int64_t>(box.size());
  const size_t size = StorageBytes(from.shape().element_type());
  for (int64_t d : box) {
    if (d == 0) return;
  }
  DimVector index(box.size(), 0);
  while (true) {
    int64_t source = 0, target = 0;
    for (int64_t d = 0; d < rank; ++d) {
      source = source * from.shape().dimensions(d) + index[d];
      target = target * to.shape().dimensions(d) + index[d];
    }
    std::memcpy(to.untyped_data() + target * size, from.untyped_data() + source * size, size);
    int64_t d = rank - 1;
    while (d >= 0 && ++index[d] == box[d]) index[d--] = 0;
    if (d < 0) return;
  }
}

// `leaf` as a value of `shape`: the same type and sizes, or at most the bound in dynamic dimensions.
StatusOr<Literal> FitLeaf(Literal leaf, const Shape& shape, size_t number) {
  const Shape& given = leaf.shape();
  bool fits = given.element_type() == shape.element_type() && given.rank() == shape.rank(), exact = true;
  for (int64_t d = 0; fits && d < shape.rank(); ++d) {
    if (given.dimensions(d) == shape.dimensions(d)) continue;
    exact = false;
    fits =
        shape.is_dynamic_dimension(d) && !shape.is_unbounded_dimension(d) && given.dimensions(d) < shape.dimensions(d);
  }
  if (!fits) {
    return InvalidArgument(
        Format("in{} is {}, but the module expects {}", number, given.ToString(false), shape.ToString(false)));
  }
  if (exact) {
    leaf.set_shape_layout(shape);
    return leaf;
  }
  Literal padded(shape);
  CopyBox(leaf, padded, given.dimensions());
  padded.set_dynamic_sizes(given.dimensions());
  return padded;
}

// Takes the next leaves, from `next` on, for a value of `shape`. The parser limits the depth of tuples.
StatusOr<Literal> TakeLeaves(const Shape& shape, std::vector<Literal>& leaves, size_t& next) {
  if (shape.IsTuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      HLOIR_ASSIGN_OR_RETURN(Literal literal, TakeLeaves(element, leaves, next));
      elements.push_back(std::move(literal));
    }
    return Literal::Tuple(std::move(elements));
  }
  if (!shape.IsArray()) {
    if (shape.IsToken()) return Literal(shape);
    return Unimplemented("a parameter of shape " + shape.ToString(false) + " cannot be given");
  }
  if (next >= leaves.size()) return InvalidArgument(Format("in{} is missing", next));
  const size_t number = next++;
  return FitLeaf(std::move(leaves[number]), shape, number);
}

}  // namespace

StatusOr<std::vector<Literal>> ArgumentsFromLeaves(const HloModule& module, std::vector<Literal> leaves) {
  std::vector<Literal> arguments;
  size_t next = 0;
  for (const HloInstruction* parameter : module.entry_computation()->parameters()) {
    HLOIR_ASSIGN_OR_RETURN(Literal argument, TakeLeaves(parameter->shape(), leaves, next));
    arguments.push_back(std::move(argument));
  }
  if (next < leaves.size()) {
    return InvalidArgument(Format("there are {} inputs, but the module takes {}", leaves.size(), next));
  }
  return arguments;
}

namespace {

// Adds the file to an error; `device` is a prefix or "".
StatusOr<std::vector<Literal>> Named(StatusOr<std::vector<Literal>> arguments, const std::string& path,
                                     std::string_view device) {
  if (arguments.ok()) return arguments;
  return Status(arguments.status().code(), Format("{}: {}{}", path, device, arguments.status().message()));
}

}  // namespace

StatusOr<std::vector<Literal>> ReadArguments(const HloModule& module, const std::string& path) {
  HLOIR_ASSIGN_OR_RETURN(std::vector<Literal> leaves, ReadNpz(path, "in"));
  return Named(ArgumentsFromLeaves(module, std::move(leaves)), path, "");
}

StatusOr<std::vector<std::vector<Literal>>> ReadDeviceArguments(const HloModule& module, const DeviceCounts& counts,
                                                                const std::string& path) {
  std::vector<std::vector<Literal>> all;
  for (int64_t d = 0; d < counts.devices(); ++d) {
    const std::string device = DevicePrefix(d);
    HLOIR_ASSIGN_OR_RETURN(const bool has_own, NpzHas(path, device + "in"));
    HLOIR_ASSIGN_OR_RETURN(std::vector<Literal> leaves, ReadNpz(path, has_own ? device + "in" : "in"));
    HLOIR_ASSIGN_OR_RETURN(std::vector<Literal> arguments, Named(ArgumentsFromLeaves(module, std::move(leaves)), path,
                                                                 has_own ? std::string_view(device) : ""));
    all.push_back(std::move(arguments));
  }
  return all;
}

StatusOr<std::vector<std::vector<Literal>>> DeviceArgumentsOf(const HloModule& module, const DeviceCounts& counts,
                                                              const HloProtoFile& snapshot) {
  const int64_t partitions = static_cast<int64_t>(snapshot.arguments.size());
  std::vector<std::vector<Literal>> all;
  for (int64_t d = 0; d < counts.devices(); ++d) {
    const int64_t partition = d % counts.partitions;
    HLOIR_ASSIGN_OR_RETURN(StoredValues stored, StoredValuesOf(snapshot, partition < partitions ? partition : 0));
    HLOIR_ASSIGN_OR_RETURN(std::vector<Literal> arguments, ArgumentsFromLeaves(module, std::move(stored.inputs)));
    all.push_back(std::move(arguments));
  }
  return all;
}

Status WriteLeaves(const std::string& path, std::string_view name, std::span<const std::vector<Literal>> devices) {
  std::vector<NpzLeaves> all;
  for (size_t d = 0; d < devices.size(); ++d) {
    const std::string prefix = devices.size() == 1 ? "" : DevicePrefix(static_cast<int64_t>(d));
    all.push_back({prefix + std::string(name), Pointers(devices[d])});
  }
  return WriteNpz(path, all);
}

std::string DevicePrefix(int64_t device) { return Format("device{}.", device); }

StatusOr<StoredValues> ReadStoredValues(const std::string& path) {
  StoredValues values;
  HLOIR_ASSIGN_OR_RETURN(values.inputs, ReadNpz(path, "in"));
  HLOIR_ASSIGN_OR_RETURN(values.results, ReadNpz(path, "out"));
  return values;
}

StatusOr<StoredValues> StoredValuesOf(const HloProtoFile& snapshot, int64_t partition) {
  if (partition >= static_cast<int64_t>(snapshot.arguments.size())) {
    return InvalidArgument(Format("it has the arguments of {} partitions, so there is no partition {}",
                                  snapshot.arguments.size(), partition));
  }
  StoredValues values;
  for (const Literal& argument : snapshot.arguments[static_cast<size_t>(partition)]) {
    for (Literal& leaf : ResultLeaves(argument)) values.inputs.push_back(std::move(leaf));
  }
  if (snapshot.result.has_value()) values.results = ResultLeaves(*snapshot.result);
  return values;
}

Status SetStoredValues(StoredValues values, ModuleFile& file) {
  HLOIR_ASSIGN_OR_RETURN(std::vector<Literal> arguments, ArgumentsFromLeaves(file.module(), std::move(values.inputs)));
  const Shape& shape = file.module().entry_computation()->root()->shape();
  if (!shape.IsTuple() && values.results.size() > 1)
    return InvalidArgument(Format("there are {} results, but the module has one", values.results.size()));
  HloProtoFile& proto = file.proto;
  if (proto.form != HloProtoFile::Form::kHloUnoptimizedSnapshot) proto.form = HloProtoFile::Form::kHloSnapshot;
  proto.arguments.clear();
  proto.arguments.push_back(std::move(arguments));
  proto.result.reset();
  if (values.results.empty()) return OkStatus();
  proto.result = shape.IsTuple() ? Literal::Tuple(std::move(values.results)) : std::move(values.results.front());
  return OkStatus();
}

std::vector<Literal> ResultLeaves(const Literal& result) {
  std::vector<Literal> leaves;
  for (const Literal* leaf : result.Leaves()) {
    if (!leaf->shape().IsArray()) continue;
    if (leaf->dynamic_sizes().empty() || leaf->dynamic_sizes() == leaf->shape().dimensions()) {
      leaves.push_back(*leaf);
      continue;
    }
    Literal cut(Shape::Array(leaf->shape().element_type(), leaf->dynamic_sizes()));
    CopyBox(*leaf, cut, leaf->dynamic_sizes());
    leaves.push_back(std::move(cut));
  }
  return leaves;
}

std::vector<const Literal*> Pointers(const std::vector<Literal>& literals) {
  std::vector<const Literal*> pointers;
  for (const Literal& literal : literals) pointers.push_back(&literal);
  return pointers;
}

}  // namespace hloir
