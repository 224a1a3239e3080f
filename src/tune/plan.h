// A pipeline as data, single changes of it, and the list of all single changes to try.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/pass.h"

namespace hloir::tune {

// A pass of the plan. `id` identifies it, regardless of its position.
struct PassCall {
  int id = 0;
  std::string name;
  std::map<std::string, std::string> values = {};  // options, math among them
  std::set<std::string> disabled = {};             // rules

  std::string Text() const;
};

// Passes in order; a group is repeated until it changes nothing.
struct Stage {
  bool fixpoint = false;
  std::vector<PassCall> passes;
};

class Plan {
 public:
  // `names` are from SplitPipeline and must form a pipeline of this registry.
  Plan(std::span<const std::string> names, const PassRegistry& registry);

  std::vector<std::string> Names() const;  // for MakePipeline
  std::string Text() const;                // for --passes
  const std::vector<Stage>& stages() const { return stages_; }

  // nullptr if there is none.
  PassCall* Find(int id);
  const PassCall* Find(int id) const;
  bool Drop(int id);
  // Before the pass with id `place`, in its group, or, if `alone`, before the whole group that it begins; 0: at the
  // end.
  bool Insert(PassCall call, int place, bool alone);

 private:
  std::vector<Stage> stages_;
};

// One difference from the first pipeline. Changes are applied one after the other.
struct Change {
  enum class Kind : uint8_t { kDrop, kInsert, kMove, kOption, kDisable } kind = Kind::kDrop;
  int call = 0;            // an existing pass: kDrop, kMove, kOption
  std::string pass = {};   // of kInsert and kDisable: its name
  std::string name = {};   // of the option, or the rule
  std::string value = {};  // of the option
  int place = 0;           // of kInsert and kMove, as Plan::Insert has it
  bool alone = false;

  bool operator==(const Change&) const = default;
  // True if one would undo or repeat the other.
  bool Clashes(const Change& other) const;
  // False: there is nothing to change.
  bool Apply(Plan& plan, int new_id) const;
  // "dot-merger before fusion"; `plan` is the first one.
  std::string Text(const Plan& plan) const;
};

// All single changes except moves: dropping each pass; inserting each pass of the registry before the first stage, at
// the beginning of each group, and before each stage after the groups; setting each option to another value; disabling
// each rule in `fired` ("pass/rule").
std::vector<Change> SingleChanges(const Plan& plan, const PassRegistry& registry, std::span<const std::string> fired);

}  // namespace hloir::tune
