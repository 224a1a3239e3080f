// Python's handles of modules: Graph owns one, and handles of computations and instructions name their object by its
// id, which is never reused. After an edit a handle looks its object up again, and raises ReferenceError if it is gone;
// so no Python object can dangle. Tested by python/tests.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir::python {

namespace nb = nanobind;

// Thrown for a Status; Python sees hloir.Error.
struct StatusError {
  Status status;
  std::string file;  // that begins the message, if there is one
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
  // A module of another owner, until Release(). A `frozen` one is read-only.
  explicit Graph(HloModule* borrowed, bool frozen = false) : module_(borrowed), frozen_(frozen) {}
  void Release() { module_ = nullptr; }
  // With an entry computation.
  HloModule& module() const {
    HloModule& module = unfinished();
    if (module.entry_computation() == nullptr)
      throw nb::value_error("the module has no entry computation yet; Builder.build_entry gives it one");
    return module;
  }
  HloModule& unfinished() const {
    if (module_ == nullptr)
      throw nb::builtin_exception(nb::exception_type::runtime_error, "the pass is over, and its module gone");
    if (busy_)
      throw nb::builtin_exception(nb::exception_type::runtime_error,
                                  "passes are rewriting the module in another thread");
    return *module_;
  }
  // Before an edit of the caller's.
  void CheckEditable() const {
    (void)unfinished();
    if (frozen_) throw nb::value_error("a rule edits nothing; it returns what is to take the instruction's place");
  }
  // While it lives, passes have the module for themselves.
  class Busy {
   public:
    explicit Busy(Graph& graph) : graph_(graph), module_(graph.module()) {
      graph_.CheckEditable();
      graph_.Edited();
      graph_.busy_ = true;
    }
    ~Busy() { graph_.busy_ = false; }
    HloModule& module() { return module_; }

   private:
    Graph& graph_;
    HloModule& module_;
  };
  // Whoever may have removed anything says so.
  void Edited() { ++edits_; }
  uint64_t edits() const { return edits_; }
  HloInstruction* FindInstruction(int32_t id);
  HloComputation* FindComputation(int32_t id);
  // A number of HloEnv's for an instruction, by its id, given out when first asked for. It stays with the instruction
  // as long as that is in the module, and copies have it, too. They begin behind all indices of nodes.
  int32_t Uid(int32_t id);
  // This module is a clone of that one; instructions may have been added since.
  void TakeUids(const Graph& original);

 private:
  void Index();
  std::unique_ptr<HloModule> owned_;
  HloModule* module_ = nullptr;
  std::atomic<bool> busy_ = false;
  bool frozen_ = false;
  uint64_t edits_ = 1, indexed_ = 0;
  std::vector<int32_t> uids_;  // by id; 0: none yet
  int32_t next_uid_ = 1 << 24;
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

// The result of an executable, as bytes that others view in place: `owner` keeps them.
using Bytes = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using MutableBytes = nb::ndarray<uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::typed<nb::list, Instruction> InstructionList(const GraphRef& graph, std::span<HloInstruction* const> objects);
nb::typed<nb::list, Computation> ComputationList(const GraphRef& graph, std::span<HloComputation* const> objects);
// "f32" => F32; a ValueError for other words.
PrimitiveType TypeNamed(const std::string& name);

// The parts of the extension, a file each.
void BindGraph(nb::module_& m);
void BindWalking(nb::class_<Instruction>& type);
void BindBuilding(nb::module_& m);
void BindMatching(nb::module_& m);
void BindInspecting(nb::module_& m);
void BindPasses(nb::module_& m);
void BindRunning(nb::module_& m);
void BindVerifying(nb::module_& m);
void BindAlternatives(nb::module_& m);
void BindHloGraph(nb::module_& m);
void BindDecisions(nb::module_& m);
void BindTuning(nb::module_& m);

}  // namespace hloir::python
