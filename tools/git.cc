// hloir git-setup: configures `git diff`, `git show` and `git difftool` to use hloir for modules; git then calls hloir
// git-diff. Merges are not affected. Tested by tests/cli/git-setup.test and git-diff.test.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hloir/inspect.h"
#include "hloir/io.h"
#include "hloir/printer.h"
#include "tools/child.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

constexpr const char* kPatterns[] = {"*.hlo", "*.hlo.gz", "*.hlo.pb"};

struct GitSetting {
  const char *key, *value;
};
constexpr GitSetting kGitSettings[] = {
    {"diff.hloir.command", "hloir git-diff"},   // `git diff`; `git show` and `git log -p` with --ext-diff
    {"diff.hloir.textconv", "hloir git-diff"},  // `git show` and `git log -p`
    {"difftool.hloir.cmd", "hloir diff \"$LOCAL\" \"$REMOTE\""},
};

// Runs git; returns its exit status, or 127 if it is not installed.
StatusOr<int> RunGit(std::vector<std::string> arguments, std::string& output) {
  HLOIR_ASSIGN_OR_RETURN(Child child, Child::Start([&](int descriptor) {
                           if (dup2(descriptor, 1) < 0) return 127;
                           std::vector<char*> argv = {const_cast<char*>("git")};
                           for (std::string& argument : arguments) argv.push_back(argument.data());
                           argv.push_back(nullptr);
                           execvp("git", argv.data());
                           return 127;
                         }));
  while (child.Read(output)) continue;
  return child.Wait();
}

// The standard output of a git command that must succeed, without the last newline.
StatusOr<std::string> Git(const std::vector<std::string>& arguments) {
  std::string output;
  HLOIR_ASSIGN_OR_RETURN(const int status, RunGit(arguments, output));
  if (status == 127) return InvalidArgument("git cannot be run; is it in the PATH?");
  if (status != 0) return InvalidArgument(fmt::format("git {} failed", fmt::join(arguments, " ")));
  while (output.ends_with('\n')) output.pop_back();
  return output;
}

// The attributes file of this repository or of this user.
StatusOr<std::string> AttributesFile(bool global) {
  if (!global) return Git({"rev-parse", "--path-format=absolute", "--git-path", "info/attributes"});
  if (StatusOr<std::string> named = Git({"config", "--global", "--type=path", "--default", "", "core.attributesFile"});
      !named.ok() || !named->empty())
    return named;
  const char *config = std::getenv("XDG_CONFIG_HOME"), *home = std::getenv("HOME");
  if (config != nullptr && *config != '\0') return std::string(config) + "/git/attributes";
  if (home == nullptr) return InvalidArgument("the variable HOME is not set");
  return std::string(home) + "/.config/git/attributes";
}

// The file's lines without hloir's, which are then added if requested.
Status WriteAttributes(const std::string& path, bool remove) {
  std::string text;
  if (std::error_code error; std::filesystem::exists(path, error)) {
    HLOIR_ASSIGN_OR_RETURN(text, ReadFile(path));
  }
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  for (const char* pattern : kPatterns) {
    const std::string line = fmt::format("{} diff=hloir\n", pattern);
    for (size_t at = 0; (at = text.find(line, at)) != std::string::npos;) {
      if (at == 0 || text[at - 1] == '\n') text.erase(at, line.size());
      else ++at;
    }
    if (!remove) text += line;
  }
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  return WriteOutput(path, text);
}

int GitSetup(bool global, bool remove) {
  const StatusOr<std::string> attributes = AttributesFile(global);
  if (!attributes.ok()) return Fail(attributes.status());
  const std::string where = global ? "--global" : "--local";
  for (const GitSetting& setting : kGitSettings) {
    const StatusOr<std::string> now = Git({"config", where, "--default", "", "--get", setting.key});
    if (!now.ok()) return Fail(now.status());
    if (remove ? now->empty() : *now == setting.value) continue;
    std::vector<std::string> change = {"config", where, setting.key, setting.value};
    if (remove) change = {"config", where, "--unset-all", setting.key};
    if (const StatusOr<std::string> done = Git(change); !done.ok()) return Fail(done.status());
  }
  if (const Status written = WriteAttributes(*attributes, remove); !written.ok()) return Fail(written);
  const std::string what = global ? "your repositories" : "this repository";
  if (remove) PrintOut("git shows modules of {} as text again\n", what);
  else
    PrintOut("git shows {} of {} by hloir: git diff, git show, git log -p, git difftool --tool=hloir\n",
             fmt::join(kPatterns, ", "), what);
  return kExitGood;
}

// Converts a file to text for git diff, without metadata, which changes with the source lines of the program. Other
// files than modules are unchanged.
int GitText(const std::string& path) {
  const StatusOr<std::string> content = ReadFile(path);
  if (!content.ok()) return Fail(content.status(), path);
  ReadOptions reading;
  reading.verify = false;
  const StatusOr<ModuleFile> file = ParseModuleFile(std::string(*content), reading);
  if (!file.ok()) {
    Write(stdout, *content);
    return kExitGood;
  }
  PrintOptions options = PrintOptions::Readable();
  options.print_metadata = false;
  for (const auto& module : file->modules) Write(stdout, PrintModule(*module, options));
  return kExitGood;
}

// The arguments of an external diff: path, old file, its hash and mode, new file, its hash and mode, and for a renamed
// file the new path and a description. git treats a nonzero exit status as a crash.
int GitDiff(const std::vector<std::string>& arguments) {
  const std::string &path = arguments[0], &old_file = arguments[1], &new_file = arguments[4];
  const std::string new_path = arguments.size() > 7 ? arguments[7] : path;
  PrintOut("diff --hloir a/{} b/{}\n", Printable(path), Printable(new_path));
  std::unique_ptr<HloModule> modules[2];
  for (int side = 0; side < 2; ++side) {
    const std::string& file = side == 0 ? old_file : new_file;
    if (file == "/dev/null") continue;
    StatusOr<std::unique_ptr<HloModule>> read = ReadModule(file);
    if (read.ok()) {
      modules[side] = *std::move(read);
      continue;
    }
    PrintOut("{}: {}\n", side == 0 ? "before" : "after", read.status().message());
    Write(stdout, "as text:\n");
    std::string text;
    (void)RunGit(
        {"--no-pager", "diff", "--no-index", "--no-ext-diff", "--no-textconv", "--no-color", "--", old_file, new_file},
        text);
    Write(stdout, text);
    return kExitGood;
  }
  for (int side = 0; side < 2; ++side) {
    if (modules[1 - side] != nullptr || modules[side] == nullptr) continue;
    const HloModule& module = *modules[side];
    PrintOut("{} module {}: {} instructions\n", side == 0 ? "removed" : "new", Printable(module.name()),
             module.instruction_count());
    return kExitGood;
  }
  if (modules[0] != nullptr) Write(stdout, ForLocale(DiffReport(ModuleDiff(*modules[0], *modules[1]))));
  return kExitGood;
}

}  // namespace

void AddGitSetupCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  struct Flags {
    bool global = false, remove = false;
  };
  auto flags = std::make_shared<Flags>();
  command->add_flag("--global", flags->global, "For all repositories of this user, not this one alone");
  command->add_flag("--remove", flags->remove, "Take it back");
  command->footer(
      "It writes diff.hloir.* and difftool.hloir.cmd to git's configuration, and\n"
      "patterns to the repository's info/attributes; in a .gitattributes that others\n"
      "share, they are lines like \"*.hlo diff=hloir\".");
  command->callback([flags, &action] { action = [flags] { return GitSetup(flags->global, flags->remove); }; });
}

void AddGitDiffCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  auto arguments = std::make_shared<std::vector<std::string>>();
  AddOption(*command, "ARGUMENTS", *arguments, "One FILE, to print as text; or the seven to nine of an external diff")
      ->required();
  command->footer("For git, which `hloir git-setup` tells of it. Exit status: 0.");
  command->callback([arguments, &action] {
    action = [arguments] {
      const size_t count = arguments->size();
      if (count == 1) return GitText(arguments->front());
      if (count == 7 || count == 9) return GitDiff(*arguments);
      return Fail(
          InvalidArgument("git calls this with one argument, seven or nine; for two modules there is hloir diff"));
    };
  });
}

}  // namespace hloir::tool
