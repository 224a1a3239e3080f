// What Python holds of a module: Graph owns it, and handles of computations and instructions name their object by its
// id, which is never reused. After an edit a handle looks its object up again, and raises ReferenceError if it is gone;
// so nothing that Python keeps can dangle. Tested by python/tests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir::python {

namespace nb = nanobind;

// Thrown for a Status; Python sees hloir.Error.
struct StatusError {
  Status status;
  std::string file;  // that the message begins with, if it tells a place
};
inline void Check(const Status& status, const std::string& file = {}) {
  if (!status.ok()) throw StatusError{status, file};
}
template <class T>
T Value(StatusOr<T> result, const std::string& file = {}) {
  Check(result.status(), file);
  return std::move(result).value();
}

class Graph {
 public:
  explicit Graph(std::unique_ptr<HloModule> module) : owned_(std::move(module)), module_(owned_.get()) {}
  // A module of somebody else's, until Release().
  explicit Graph(HloModule* borrowed) : module_(borrowed) {}
  void Release() { module_ = nullptr; }
  HloModule& module() const {
    if (module_ == nullptr)
      throw nb::builtin_exception(nb::exception_type::runtime_error, "the pass is over, and its module gone");
    return *module_;
  }
  // Whoever may have removed anything says so.
  void Edited() { ++edits_; }
  uint64_t edits() const { return edits_; }
  HloInstruction* FindInstruction(int32_t id);
  HloComputation* FindComputation(int32_t id);

 private:
  void Index();
  std::unique_ptr<HloModule> owned_;
  HloModule* module_ = nullptr;
  uint64_t edits_ = 1, indexed_ = 0;
  std::vector<HloInstruction*> instructions_;  // by id
  std::vector<HloComputation*> computations_;
};
using GraphRef = std::shared_ptr<Graph>;

class Instruction {
 public:
  Instruction(GraphRef graph, HloInstruction* object)
      : graph_(std::move(graph)), object_(object), id_(object->id()), seen_(graph_->edits()) {}
  HloInstruction& operator*() const { return *Get(); }
  HloInstruction* operator->() const { return Get(); }
  HloInstruction* Get() const;
  const GraphRef& graph() const { return graph_; }
  int32_t id() const { return id_; }

 private:
  GraphRef graph_;
  mutable HloInstruction* object_;
  int32_t id_;
  mutable uint64_t seen_;
};

class Computation {
 public:
  Computation(GraphRef graph, HloComputation* object)
      : graph_(std::move(graph)), object_(object), id_(object->id()), seen_(graph_->edits()) {}
  HloComputation& operator*() const { return *Get(); }
  HloComputation* operator->() const { return Get(); }
  HloComputation* Get() const;
  const GraphRef& graph() const { return graph_; }
  int32_t id() const { return id_; }

 private:
  GraphRef graph_;
  mutable HloComputation* object_;
  int32_t id_;
  mutable uint64_t seen_;
};

// The parts of the extension, a file each.
void BindGraph(nb::module_& m);
void BindPasses(nb::module_& m);
void BindRunning(nb::module_& m);
void BindAlternatives(nb::module_& m);
void BindHloGraph(nb::module_& m);
void BindDecisions(nb::module_& m);

}  // namespace hloir::python
