// Arrays as arguments of a run, and custom-calls that Python functions answer. Used by running.cc and verifying.cc;
// tested by python/tests/test_arrays.py and test_callbacks.py.
#pragma once

#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "handles.h"
#include "hloir/evaluator.h"

namespace hloir::python {

template <class Array>
void AddBlock(const std::vector<Array>& arrays, size_t i, const Shape& leaf, std::vector<void*>& blocks,
              const char* what) {
  if (!leaf.IsArray())
    Check(Unimplemented(std::string("an ") + what + " is a " + leaf.ToString() + ", which no array holds"));
  if (i >= arrays.size()) throw nb::value_error((std::string("too few ") + what + "s").c_str());
  if (static_cast<int64_t>(arrays[i].nbytes()) != leaf.ByteSize())
    throw nb::value_error(
        (std::string(what) + " " + std::to_string(i) + " has another size than " + leaf.ToString()).c_str());
  blocks.push_back(const_cast<uint8_t*>(static_cast<const uint8_t*>(arrays[i].data())));
}

// The entry's arguments, read where they are: one array for each leaf of each parameter.
inline std::vector<Literal> Borrowed(const std::vector<Shape>& parameters, const std::vector<Bytes>& inputs) {
  std::vector<void*> blocks;
  for (const Shape& parameter : parameters) {
    for (const Shape* leaf : parameter.Leaves()) AddBlock(inputs, blocks.size(), *leaf, blocks, "input");
  }
  if (blocks.size() != inputs.size()) throw nb::value_error("more inputs than the module has");
  std::vector<Literal> arguments;
  size_t first = 0;
  for (const Shape& parameter : parameters) {
    const size_t count = parameter.Leaves().size();
    arguments.push_back(Value(Literal::Borrow(parameter, std::span(blocks).subspan(first, count))));
    first += count;
  }
  return arguments;
}

// {target, instruction or index: function}
using CallbackDict = nb::typed<nb::dict, nb::any, nb::any>;

// Custom-calls that the caller's functions answer: by an instruction's name, by the index of a callback of JAX's
// (backend_config={index = 0 : ui64}), or by target. A function takes (blocks of the operands' leaves, their shapes,
// the result's shape) and gives the blocks of the result's leaves, all as bytes.
class Callbacks {
 public:
  Callbacks(nb::dict functions, nb::object host) : functions_(std::move(functions)), host_(std::move(host)) {}

  // The functions for targets of the module's calls; and the host's side of transfers, a function that takes (channel,
  // device, the sent value's block or None, its shape) and returns the received block.
  void Register(const HloModule& module, EvaluatorOptions& options) {
    if (!host_.is_none()) options.host_transfer = [this](const HostTransfer& transfer) { return Exchange(transfer); };
    for (const HloInstruction* i : module.AllInstructions()) {
      if (i->opcode() != HloOpcode::kCustomCall || Find(*i).is_none()) continue;
      options.custom_calls[i->attributes<CustomCallAttributes>().custom_call_target] =
          [this](const HloInstruction& call, std::span<const Literal* const> operands) {
            return Answer(call, operands);
          };
    }
  }
  bool any() const { return functions_.size() > 0 || !host_.is_none(); }
  // An exception that a function raised during the run.
  void Raise() {
    if (!raised_) return;
    nb::python_error error = std::move(*raised_);
    raised_.reset();
    throw error;
  }

 private:
  nb::object Find(const HloInstruction& call) const {
    const auto at = [&](const nb::object& key) -> nb::object {
      return functions_.contains(key) ? nb::object(functions_[key]) : nb::none();
    };
    nb::object found = at(nb::str(call.name().data(), call.name().size()));
    const std::string_view config = call.extras().backend_config;
    if (const size_t place = config.find("index = "); found.is_none() && place != std::string_view::npos) {
      int64_t index = -1;
      std::from_chars(config.data() + place + 8, config.data() + config.size(), index);
      found = at(nb::int_(index));
    }
    return found.is_none() ? at(nb::str(call.attributes<CustomCallAttributes>().custom_call_target.c_str())) : found;
  }

  static void FindBlocks(Literal& literal, std::vector<Literal*>& leaves) {
    if (!literal.shape().IsTuple()) return leaves.push_back(&literal);
    for (Literal& element : literal.elements()) FindBlocks(element, leaves);
  }
  StatusOr<Literal> Answer(const HloInstruction& call, std::span<const Literal* const> operands) {
    const nb::gil_scoped_acquire held;
    try {
      const nb::object function = Find(call);
      const std::string who(call.name());
      if (function.is_none()) return Unimplemented(who + ": there is no callback for this call of its target");
      nb::list blocks, shapes;
      for (const Literal* operand : operands) {
        for (const Literal* leaf : operand->Leaves()) {
          blocks.append(nb::bytes(leaf->untyped_data(), static_cast<size_t>(leaf->size_bytes())));
          shapes.append(nb::cast(leaf->shape()));
        }
      }
      const nb::list given = nb::cast<nb::list>(function(blocks, shapes, nb::cast(call.shape())));
      Literal result(call.shape());
      std::vector<Literal*> leaves;
      FindBlocks(result, leaves);
      if (given.size() != leaves.size()) return InvalidArgument(who + ": its callback gave another number of arrays");
      for (size_t k = 0; k < leaves.size(); ++k) {
        const nb::bytes block = nb::cast<nb::bytes>(given[k]);
        if (static_cast<int64_t>(block.size()) != leaves[k]->size_bytes())
          return InvalidArgument(who + ": its callback gave an array of another size");
        std::memcpy(leaves[k]->untyped_data(), block.c_str(), block.size());
      }
      return result;
    } catch (nb::python_error& error) {
      raised_.emplace(std::move(error));
      return Internal("a callback raised an exception");
    }
  }

  StatusOr<Literal> Exchange(const HostTransfer& transfer) {
    const nb::gil_scoped_acquire held;
    try {
      const Shape& shape =
          transfer.sent != nullptr ? transfer.sent->shape() : transfer.instruction.shape().tuple_shapes(0);
      const std::string who(transfer.instruction.name());
      if (!shape.IsArray()) return Unimplemented(who + ": a tuple is no array");
      nb::object sent = nb::none();
      if (transfer.sent != nullptr)
        sent = nb::bytes(transfer.sent->untyped_data(), static_cast<size_t>(transfer.sent->size_bytes()));
      const nb::object given = host_(transfer.channel, transfer.device, sent, nb::cast(shape));
      if (transfer.sent != nullptr) return Literal();
      const nb::bytes block = nb::cast<nb::bytes>(given);
      Literal value(shape);
      if (static_cast<int64_t>(block.size()) != value.size_bytes())
        return InvalidArgument(who + ": host_transfer gave an array of another size");
      std::memcpy(value.untyped_data(), block.c_str(), block.size());
      return value;
    } catch (nb::python_error& error) {
      raised_.emplace(std::move(error));
      return Internal("host_transfer raised an exception");
    }
  }

  nb::dict functions_;
  nb::object host_;
  std::optional<nb::python_error> raised_;
};

}  // namespace hloir::python
