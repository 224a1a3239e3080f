// HloPass, the base class of passes; their options and rules as data; and PassRegistry, which finds passes by name. A
// pass outside the tree needs this header, rewrite.h, rules.h, rewrite_util.h and match.h; the passes in the tree use
// no others for rewriting. Pipelines are in pipeline.h, the passes that come with hloir in passes.h, how to write one
// in docs/write-a-pass.md. Tested by tests/unit/passes_test.cc and tests/unit/registry_test.cc.
//
// Threads: a registry may be read from several threads; a pass and a pipeline belong to one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloir/module.h"
#include "hloir/rewrite.h"
#include "hloir/status.h"
#include "hloir/version.h"

#pragma GCC visibility push(default)
namespace hloir {

class HloEvaluator;

// An option of a pass, which users write after the pass's name: fusion{max-instructions=64}. Declared once, in the
// pass's own file, as one of the four kinds below:
//
//   constexpr NumberOption kMaxInstructions = {"max-instructions", "instructions in one fusion", 256};
//   … options.Get(kMaxInstructions) …
struct PassOption {
  enum class Kind : uint8_t { kFlag, kNumber, kElementType, kText };
  std::string_view name, description;
  Kind kind = Kind::kText;
  int64_t number = 0;     // the default value of a flag, a number, an element type
  std::string_view text;  // … of a text

  std::string DefaultText() const;  // as users would write it; "" for no element type
};
// An option that is true or false.
struct FlagOption : PassOption {
  constexpr FlagOption(std::string_view name, std::string_view description, bool value)
      : PassOption{name, description, Kind::kFlag, value, {}} {}
};
// An option that is a number, zero or more.
struct NumberOption : PassOption {  // not negative
  constexpr NumberOption(std::string_view name, std::string_view description, int64_t value)
      : PassOption{name, description, Kind::kNumber, value, {}} {}
};
// An option that is an element type: from=bf16.
struct ElementTypeOption : PassOption {  // INVALID: the pass chooses
  constexpr ElementTypeOption(std::string_view name, std::string_view description,
                              PrimitiveType value = PrimitiveType::INVALID)
      : PassOption{name, description, Kind::kElementType, static_cast<int64_t>(value), {}} {}
};
// An option that is a word.
struct TextOption : PassOption {  // without blanks and braces
  constexpr TextOption(std::string_view name, std::string_view description, std::string_view value = {})
      : PassOption{name, description, Kind::kText, 0, value} {}
};

// The arguments of a pass's constructor.
struct PassOptions : RewriteOptions {
  // Evaluates constants. nullptr: the registry's evaluator, see PassRegistry::set_evaluator.
  std::shared_ptr<const HloEvaluator> evaluator;
  // The values that users gave to the pass's options, checked against its table. PassRegistry::Make fills them in.
  std::map<std::string, std::string, std::less<>> values;

  bool Get(const FlagOption& option) const;
  int64_t Get(const NumberOption& option) const;
  PrimitiveType Get(const ElementTypeOption& option) const;
  std::string_view Get(const TextOption& option) const;
};

// A rewrite of a whole module.
class HloPass {
 public:
  virtual ~HloPass() = default;
  virtual std::string_view name() const = 0;
  // Rewrites a legal module (VerifyModule); true if it changed anything. After an error it is legal, but may be half
  // rewritten.
  virtual StatusOr<bool> Run(HloModule& module) = 0;
};

// The definition of a pass in its own file: its constructor, rules and options. `make` gets the pass's name in the
// registry.
struct PassDefinition {
  std::function<std::unique_ptr<HloPass>(std::string_view name, const PassOptions& options)> make;
  std::vector<RuleInfo> rules = {};
  std::vector<PassOption> options = {};
};

// For PassDefinition::make: the class P, made as P(name, options).
template <class P>
std::unique_ptr<HloPass> MakePassOf(std::string_view name, const PassOptions& options) {
  return std::make_unique<P>(name, options);
}

// A pass under its name.
struct PassInfo : PassDefinition {
  std::string name, description;
};

// Passes by their names. Copy BuiltinPasses() (passes.h) and add to the copy, or begin with an empty registry:
//
//   PassRegistry registry = BuiltinPasses();
//   Status added = registry.Add("div-to-mul", "divides by powers of two by multiplying", DefineDivToMul());
class PassRegistry {
 public:
  // An error if the name is taken, or cannot be written in a pipeline (letters, digits, '-', '_' and '.').
  Status Add(std::string name, std::string description, PassDefinition definition);
  // Another name of a pass that is there.
  Status AddAlias(std::string alias, std::string name);

  // In the order in which they were added.
  std::span<const PassInfo> passes() const { return {passes_.data(), passes_.size()}; }
  // By name or alias; hyphens may be underscores. nullptr if there is none.
  const PassInfo* Find(std::string_view name) const;
  // `text` is a name, perhaps with options: "cse{disable=merge}".
  StatusOr<std::unique_ptr<HloPass>> Make(std::string_view text, const PassOptions& options) const;
  // An error if one of these is not a rule of any pass.
  Status CheckRules(std::span<const std::string> rules) const;

  // The pipeline for an empty list of names, in the form of MakePipeline's names. InsertBefore and InsertAfter in
  // pipeline.h put a pass into it.
  const std::vector<std::string>& default_pipeline() const { return default_pipeline_; }
  std::vector<std::string>& default_pipeline() { return default_pipeline_; }

  // Creates the evaluator for pipelines without one, for constant folding. May be empty.
  using EvaluatorMaker = std::function<std::shared_ptr<const HloEvaluator>()>;
  void set_evaluator(EvaluatorMaker make) { make_evaluator_ = std::move(make); }
  std::shared_ptr<const HloEvaluator> MakeEvaluator() const { return make_evaluator_ ? make_evaluator_() : nullptr; }

 private:
  std::vector<PassInfo> passes_;
  std::map<std::string, size_t, std::less<>> places_;  // in passes_, by name and alias, with hyphens
  std::vector<std::string> default_pipeline_;
  EvaluatorMaker make_evaluator_;
};

// The options that every pass has: math and disable.
std::span<const PassOption> CommonPassOptions();

// Passes in a shared object that a command loads at run time, with the flag --load=PLUGIN of hloir opt. The
// plugin and the command must be built against the same version of hloir. A plugin is a file with
//
//   HLOIR_PASS_PLUGIN(registry) { return registry.Add("my-pass", "what it does", DefineMyPass()); }
//
// compiled as a shared object. tests/install/own is an example.

// Loads the shared object and lets it add its passes. It stays loaded until the process ends.
Status LoadPassPlugin(const std::string& path, PassRegistry& registry);

}  // namespace hloir
#pragma GCC visibility pop

// Defines the two symbols that LoadPassPlugin looks for; the body that follows returns a Status.
#define HLOIR_PASS_PLUGIN(registry)                                                                              \
  static hloir::Status HloirAddPasses(hloir::PassRegistry& registry);                                            \
  extern "C" __attribute__((visibility("default"))) const char* hloirPluginVersion() { return hloir::kVersion; } \
  extern "C" __attribute__((visibility("default"))) void hloirRegisterPasses(hloir::PassRegistry* registry,      \
                                                                             hloir::Status* status) {            \
    *status = HloirAddPasses(*registry);                                                                         \
  }                                                                                                              \
  static hloir::Status HloirAddPasses(hloir::PassRegistry& registry)
