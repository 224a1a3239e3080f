// Builder: adds instructions to a computation from Python, each with its shape inferred, and raises at once. A rule
// uses the same object; its first instruction requests the rewrite. Methods: building.cc.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "handles.h"

namespace hloir::python {

class Builder {
 public:
  // A new computation, from its first instruction on. It is whole at any time: its root is the last instruction.
  Builder(GraphRef graph, std::string name) : graph_(std::move(graph)), name_(std::move(name)) {}
  // In front of an instruction, with its metadata.
  explicit Builder(const Instruction& place) : graph_(place.graph()), place_(place) {}
  // At the end of a computation, once `ask` has said yes; it throws otherwise.
  Builder(GraphRef graph, HloComputation* computation, std::function<void()> ask)
      : graph_(std::move(graph)), computation_(Computation(graph_, computation)), ask_(std::move(ask)) {}

  const GraphRef& graph() const { return graph_; }
  // Throws if no instruction may be made. Call it before making one.
  void Prepare();
  // Prepare(), and the computation to add to.
  HloComputation& Target();
  // Nothing was made after all: a computation that was begun for it goes again.
  void Abandon();
  // Sets the names and places of the added instructions.
  Instruction Added(HloInstruction* made, const std::string& name);
  Computation Build(const Instruction& root, bool entry);
  const std::vector<HloInstruction*>& made() const { return made_; }

 private:
  GraphRef graph_;
  std::string name_;
  std::optional<Instruction> place_;
  std::optional<Computation> computation_;
  std::function<void()> ask_;
  std::vector<HloInstruction*> made_;
  bool built_ = false;
};

// Python's spelling of an opcode: get_tuple_element, and_.
std::string PythonName(std::string_view opcode);
// The text, for as long as the process lives: nanobind keeps the place of a signature.
const char* Kept(std::string text);

}  // namespace hloir::python
