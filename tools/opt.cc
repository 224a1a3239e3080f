// hloir opt: runs passes on a module and prints the result.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "hloir/pass.h"
#include "hloir/printer.h"
#include "tools/agree.h"
#include "tools/arguments.h"
#include "tools/command.h"
#include "tools/dump.h"
#include "tools/files.h"
#include "tools/modules.h"
#include "tools/optimize_flags.h"
#include "tools/report.h"
#include "tools/table.h"
#include "tools/traffic.h"

namespace hloir::tool {
namespace {

struct OptFlags {
  std::string file, output = "-", dump_to, dump_pass_re = ".*";
  OptimizeFlags optimize;
  bool list_passes = false, verify_each = false, check_each = false, stats = false;
  uint64_t seed = 0;
};

// Runs the module before and after each pass that changes it; an error names the first that changed the meaning.
class CheckEach {
 public:
  CheckEach(const HloModule& module, std::vector<Literal> inputs, bool exact)
      : before_(module.Clone()), text_(PrintModule(module)), inputs_(std::move(inputs)) {
    options_.exact_rewrites = exact;
  }

  Status AfterPass(std::string_view pass, const HloModule& module) {
    std::string text = PrintModule(module);
    if (text == text_) return OkStatus();
    const std::vector<const Literal*> pointers = Pointers(inputs_);
    HLOIR_ASSIGN_OR_RETURN(const Agreement agreement, Agree(*before_, module, pointers, options_));
    if (!agreement.comparison.agree) {
      disagreed_ = true;
      return Internal(fmt::format("the pass {} changed what the module computes: {}", pass, agreement.reason));
    }
    before_ = module.Clone();
    text_ = std::move(text);
    return OkStatus();
  }

  bool disagreed() const { return disagreed_; }

 private:
  std::unique_ptr<HloModule> before_;
  std::string text_;
  std::vector<Literal> inputs_;
  AgreeOptions options_;
  bool disagreed_ = false;
};

int ListPasses() {
  size_t width = 0;
  for (const PassInfo& pass : AllPasses()) width = std::max(width, pass.name.size());
  for (const PassInfo& pass : AllPasses()) fmt::print("{:{}}  {}\n", pass.name, width, pass.description);
  return kExitGood;
}

// Two tables on stderr: what each pass did, and how often each rule fired.
void PrintStats(const std::vector<PassRun>& runs, const RewriteLog& log) {
  struct Sum {
    int64_t runs = 0, changed = 0, removed = 0;
    double milliseconds = 0;
  };
  std::vector<std::string> order;
  std::map<std::string, Sum> sums;
  for (const PassRun& run : runs) {
    auto [it, inserted] = sums.try_emplace(run.pass);
    if (inserted) order.push_back(run.pass);
    ++it->second.runs;
    it->second.changed += run.changed;
    it->second.removed += run.instructions_before - run.instructions_after;
    it->second.milliseconds += run.milliseconds;
  }
  Table table({"pass", "runs", "changed", "instructions removed", "time"});
  for (const std::string& pass : order) {
    const Sum& sum = sums[pass];
    table.Add({pass, fmt::format("{}", sum.runs), fmt::format("{}", sum.changed), fmt::format("{}", sum.removed),
               HumanTime(sum.milliseconds)});
  }
  fmt::print(stderr, "{}", table.ToString(UseColor(stderr)));
  if (log.counts().empty()) return;
  Table rules({"rule", "times"});
  for (const auto& [rule, times] : log.counts()) rules.Add({rule, fmt::format("{}", times)});
  fmt::print(stderr, "\n{}", rules.ToString(UseColor(stderr)));
}

int Opt(const OptFlags& flags) {
  if (flags.list_passes) return ListPasses();
  const std::string file = DisplayName(flags.file);
  auto loaded = LoadModule(flags.file);
  if (!loaded.ok()) return Fail(loaded.status(), file);
  HloModule& module = **loaded;

  std::unique_ptr<Dumper> dumper;
  if (!flags.dump_to.empty()) {
    auto created = Dumper::Create(flags.dump_to, flags.dump_pass_re, module);
    if (!created.ok()) return Fail(created.status());
    dumper = std::move(*created);
    if (Status written = dumper->BeforeAll(module); !written.ok()) return Fail(written);
  }
  std::unique_ptr<CheckEach> check;
  if (flags.check_each) {
    auto inputs = MakeArguments(module, "", flags.seed);
    if (!inputs.ok()) return Fail(inputs.status(), file);
    check = std::make_unique<CheckEach>(module, std::move(*inputs), flags.optimize.math == MathMode::kExact);
  }

  PipelineOptions pipeline;
  pipeline.verify_each = flags.verify_each;
  pipeline.after = [&](std::string_view pass, const HloModule& now) -> Status {
    if (dumper) HLOIR_RETURN_IF_ERROR(dumper->AfterPass(pass, now));
    return check ? check->AfterPass(pass, now) : OkStatus();
  };
  RewriteLog log;
  log.keep_text = false;
  auto runs = Optimize(module, flags.optimize, std::move(pipeline), flags.stats ? &log : nullptr);
  if (!runs.ok()) {
    const int status = Fail(runs.status(), file);
    return check && check->disagreed() ? kExitDisagree : status;
  }
  if (dumper) {
    if (Status written = dumper->AfterAll(module); !written.ok()) return Fail(written);
  }
  if (flags.stats) PrintStats(*runs, log);
  PrintOptions print;
  print.print_large_constants = true;  // what comes out must be readable again
  if (Status written = WriteFile(flags.output, PrintModule(module, print)); !written.ok()) return Fail(written);
  return kExitGood;
}

}  // namespace

void AddOptCommand(CLI::App& app, Action& action) {
  auto flags = std::make_shared<OptFlags>();
  CLI::App* command = app.add_subcommand("opt", "Optimize a module");
  CLI::Option* file = command->add_option("FILE", flags->file, "HLO text")->type_name("");
  command->add_option("-o,--output", flags->output, "Write the result there (default: stdout)")->type_name("OUT");
  AddOptimizeFlags(*command, flags->optimize);
  command->add_flag("--list-passes", flags->list_passes, "List the passes, with a line on each, and exit");
  command->add_option("--dump-to", flags->dump_to, "Write the module there before, after, and after each pass that changed it")
      ->type_name("DIR");
  command->add_option("--dump-pass-re", flags->dump_pass_re, "Dump after passes whose name this regular expression finds")
      ->type_name("RE");
  command->add_flag("--verify-each", flags->verify_each, "Verify the module after each pass");
  command->add_flag("--check-each", flags->check_each, "Run the module after each pass; name the first that changes what it computes");
  command->add_option("--seed", flags->seed, "Of the inputs for --check-each")->type_name("N");
  command->add_flag("--stats", flags->stats, "Say on stderr what each pass did and how long it took");
  command->callback([flags, file, &action] {
    if (!flags->list_passes && file->count() == 0) throw CLI::RequiredError("FILE");
    action = [flags] { return Opt(*flags); };
  });
}

}  // namespace hloir::tool
