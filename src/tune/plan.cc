// See plan.h.
#include "tune/plan.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace hloir::tune {
namespace {

// "fusion{multi-output=false disable=fuse}"
PassCall ParseCall(std::string_view text, int id) {
  PassCall call{id, std::string(text.substr(0, text.find('{')))};
  const size_t brace = text.find('{');
  if (brace == std::string_view::npos) return call;
  text = text.substr(brace + 1, text.rfind('}') - brace - 1);
  while (!text.empty()) {
    const size_t start = text.find_first_not_of(" \t");
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    text.remove_prefix(word.size());
    const size_t equals = std::min(word.find('='), word.size() - 1);
    std::string name(word.substr(0, equals)), value(word.substr(equals + 1));
    if (name == "disable") call.disabled.insert(std::move(value));
    else call.values[std::move(name)] = std::move(value);
  }
  return call;
}

// Other values for a number.
std::vector<std::string> OtherNumbers(int64_t number) {
  std::set<int64_t> others;
  if (number <= 2) {
    others = {0, 1, 2, 4};
  } else {
    others = {0, number / 4, number / 2, number * 2, number * 4};
  }
  others.erase(number);
  std::vector<std::string> texts;
  for (int64_t other : others) texts.push_back(std::to_string(other));
  return texts;
}

}  // namespace

std::string PassCall::Text() const {
  std::string inside;
  for (const auto& [name, value] : values) inside += (inside.empty() ? "" : " ") + name + "=" + value;
  for (const std::string& rule : disabled) inside += (inside.empty() ? "disable=" : " disable=") + rule;
  return inside.empty() ? name : name + "{" + inside + "}";
}

Plan::Plan(std::span<const std::string> names, const PassRegistry& registry) {
  bool in_group = false;
  int id = 0;
  for (std::string_view name : names) {
    const bool opens = name.starts_with('[');
    if (opens) name.remove_prefix(1);
    const bool closes = name.ends_with(']');
    if (closes) name.remove_suffix(1);
    if (opens || !in_group) stages_.push_back({opens, {}});
    in_group = (in_group || opens) && !closes;
    if (name.empty()) continue;
    PassCall call = ParseCall(name, ++id);
    if (const PassInfo* info = registry.Find(call.name)) call.name = info->name;  // of an alias, the name
    stages_.back().passes.push_back(std::move(call));
  }
}

std::vector<std::string> Plan::Names() const {
  std::vector<std::string> names;
  for (const Stage& stage : stages_) {
    for (size_t k = 0; k < stage.passes.size(); ++k) {
      std::string text = stage.passes[k].Text();
      if (stage.fixpoint && k == 0) text.insert(0, 1, '[');
      if (stage.fixpoint && k + 1 == stage.passes.size()) text += ']';
      names.push_back(std::move(text));
    }
  }
  return names;
}

std::string Plan::Text() const {
  std::string text;
  for (const std::string& name : Names()) text += (text.empty() ? "" : ",") + name;
  return text;
}

PassCall* Plan::Find(int id) { return const_cast<PassCall*>(std::as_const(*this).Find(id)); }
const PassCall* Plan::Find(int id) const {
  for (const Stage& stage : stages_) {
    for (const PassCall& call : stage.passes) {
      if (call.id == id) return &call;
    }
  }
  return nullptr;
}

bool Plan::Drop(int id) {
  for (size_t s = 0; s < stages_.size(); ++s) {
    auto& passes = stages_[s].passes;
    if (std::erase_if(passes, [&](const PassCall& call) { return call.id == id; }) == 0) continue;
    if (passes.empty()) stages_.erase(stages_.begin() + static_cast<std::ptrdiff_t>(s));
    return true;
  }
  return false;
}

bool Plan::Insert(PassCall call, int place, bool alone) {
  if (place == 0) {
    stages_.push_back({false, {std::move(call)}});
    return true;
  }
  for (size_t s = 0; s < stages_.size(); ++s) {
    auto& passes = stages_[s].passes;
    for (size_t k = 0; k < passes.size(); ++k) {
      if (passes[k].id != place) continue;
      if (stages_[s].fixpoint && !alone) {
        passes.insert(passes.begin() + static_cast<std::ptrdiff_t>(k), std::move(call));
      } else {
        stages_.insert(stages_.begin() + static_cast<std::ptrdiff_t>(s), Stage{false, {std::move(call)}});
      }
      return true;
    }
  }
  return false;
}

bool Change::Clashes(const Change& other) const {
  const bool same_call = call != 0 && call == other.call;
  if (kind == Kind::kInsert && other.kind == Kind::kInsert) return pass == other.pass && place == other.place;
  if (kind == Kind::kDisable || other.kind == Kind::kDisable) return *this == other;
  if (same_call && kind == Kind::kOption && other.kind == Kind::kOption) return name == other.name;
  // A dropped pass is neither moved nor set.
  return same_call && (kind == other.kind || kind == Kind::kDrop || other.kind == Kind::kDrop);
}

bool Change::Apply(Plan& plan, int new_id) const {
  switch (kind) {
    case Kind::kDrop: return plan.Drop(call);
    case Kind::kInsert: return plan.Insert({new_id, pass}, place, alone);
    case Kind::kMove: {
      const PassCall* found = plan.Find(call);
      if (found == nullptr || place == call || (place != 0 && plan.Find(place) == nullptr)) return false;
      PassCall moved = *found;
      plan.Drop(call);
      return plan.Insert(std::move(moved), place, alone);
    }
    case Kind::kOption: {
      PassCall* found = plan.Find(call);
      if (found == nullptr) return false;
      found->values[name] = value;
      return true;
    }
    case Kind::kDisable: {
      bool any = false;
      for (const Stage& stage : plan.stages()) {
        for (const PassCall& each : stage.passes) {
          if (each.name == pass) any |= plan.Find(each.id)->disabled.insert(name).second;
        }
      }
      return any;
    }
  }
  return false;
}

std::string Change::Text(const Plan& plan) const {
  const PassCall* subject = plan.Find(call);
  const PassCall* before = plan.Find(place);
  const std::string who = subject != nullptr ? subject->name : pass;
  const auto where = [&] { return before != nullptr ? " before " + before->name : std::string(" at the end"); };
  switch (kind) {
    case Kind::kDrop: return "without " + who;
    case Kind::kInsert: return pass + where();
    case Kind::kMove: return who + " moved" + where();
    case Kind::kOption: return who + "{" + name + "=" + value + "}";
    case Kind::kDisable: return pass + " without " + name;
  }
  return "";
}

std::vector<Change> SingleChanges(const Plan& plan, const PassRegistry& registry, std::span<const std::string> fired) {
  using Kind = Change::Kind;
  std::vector<Change> changes;
  // Positions for inserting a pass: {place, alone}.
  std::vector<std::pair<int, bool>> places;
  bool after_group = false;
  for (size_t s = 0; s < plan.stages().size(); ++s) {
    const Stage& stage = plan.stages()[s];
    const int first = stage.passes.front().id;
    if (s == 0 || after_group) places.push_back({first, true});
    if (stage.fixpoint) places.push_back({first, false}), after_group = true;
  }
  places.push_back({0, true});
  for (const Stage& stage : plan.stages()) {
    for (const PassCall& call : stage.passes) {
      changes.push_back({Kind::kDrop, call.id});
      const PassInfo* info = registry.Find(call.name);
      if (info == nullptr) continue;
      for (const PassOption& option : info->options) {
        const auto given = call.values.find(std::string(option.name));
        const std::string now = given == call.values.end() ? option.DefaultText() : given->second;
        if (option.kind == PassOption::Kind::kFlag) {
          changes.push_back({Kind::kOption, call.id, "", std::string(option.name), now == "true" ? "false" : "true"});
        } else if (option.kind == PassOption::Kind::kNumber) {
          int64_t number = option.number;
          std::from_chars(now.data(), now.data() + now.size(), number);
          for (std::string& other : OtherNumbers(std::min(number, INT64_MAX / 4)))
            changes.push_back({Kind::kOption, call.id, "", std::string(option.name), std::move(other)});
        }
      }
    }
  }
  for (const PassInfo& info : registry.passes()) {
    for (const auto& [place, alone] : places) changes.push_back({Kind::kInsert, 0, info.name, "", "", place, alone});
  }
  for (const std::string& id : fired) {
    const size_t slash = id.find('/');
    if (slash == std::string::npos) continue;
    changes.push_back({Kind::kDisable, 0, id.substr(0, slash), id.substr(slash + 1)});
  }
  return changes;
}

}  // namespace hloir::tune
