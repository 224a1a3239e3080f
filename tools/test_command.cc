// See test_command.h.
#include "tools/test_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "hloir/io.h"
#include "tools/memory.h"

namespace hloir::tool {
namespace {

constexpr int kEnds[] = {SIGINT, SIGTERM, SIGHUP};
volatile sig_atomic_t asked_to_end = 0;  // the signal that did
volatile pid_t running = 0;              // the command, the leader of its process group

void AskedToEnd(int signal) {
  asked_to_end = signal;
  if (running > 0) kill(-running, SIGKILL);
}

// Sets `handler`, or the default.
void CatchSignals(void (*handler)(int)) {
  for (int signal : kEnds) {
    struct sigaction action {};
    // Signals ignored by the caller (nohup) stay ignored.
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = handler;
    sigaction(signal, &action, nullptr);
  }
}

// Quotes a text as one word for the shell.
std::string ShellWord(const std::string& text) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+,:@%";
  if (text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// A new folder for temporary files, or the current folder if that is impossible.
StatusOr<std::string> NewFolder() {
  std::error_code none;
  const std::string wanted = std::filesystem::temp_directory_path(none).string();
  for (const std::string& parent : {wanted, std::string("/tmp"), std::string(".")}) {
    if (parent.empty()) continue;
    std::string folder = parent + "/hloir-reduce-XXXXXX";
    if (mkdtemp(folder.data()) != nullptr) return folder;
  }
  return ResourceExhausted(fmt::format("no folder for temporary files: {}", std::strerror(errno)));
}

// In the new process: executes the command without input and output.
[[noreturn]] void BecomeCommand(const char* line) {
  setpgid(0, 0);
  for (int signal : kEnds) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) ::signal(signal, SIG_DFL);
  }
  const int null = open("/dev/null", O_RDWR);
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, stream);
  LiftMemoryLimit();
  execl("/bin/sh", "sh", "-c", line, static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

StatusOr<TestCommand> TestCommand::Make(std::string test) {
  HLOIR_ASSIGN_OR_RETURN(std::string folder, NewFolder());
  const std::string path = folder + "/candidate.hlo", word = ShellWord(path);
  if (test.find("{}") == std::string::npos) test += " {}";
  for (size_t at = 0; (at = test.find("{}", at)) != std::string::npos; at += word.size()) test.replace(at, 2, word);
  CatchSignals(&AskedToEnd);
  return TestCommand(std::move(folder), path, std::move(test));
}

TestCommand::TestCommand(TestCommand&& other) noexcept
    : folder_(std::move(other.folder_)),
      path_(std::move(other.path_)),
      line_(std::move(other.line_)),
      failure_(std::move(other.failure_)) {
  other.folder_.clear();
}

TestCommand::~TestCommand() {
  if (folder_.empty()) return;
  EndIfAsked();
  RemoveFolder();
  CatchSignals(SIG_DFL);
}

void TestCommand::RemoveFolder() {
  std::error_code error;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, error);
  folder_.clear();
}

void TestCommand::EndIfAsked() {
  if (asked_to_end == 0) return;
  RemoveFolder();
  signal(asked_to_end, SIG_DFL);
  raise(asked_to_end);
}

bool TestCommand::Holds(const std::string& candidate) {
  EndIfAsked();
  if (failure_.ok()) failure_ = WriteFile(path_, candidate);
  if (!failure_.ok()) return false;
  const pid_t child = fork();
  if (child == 0) BecomeCommand(line_.c_str());
  if (child < 0) {
    failure_ = ResourceExhausted(fmt::format("the test command cannot be started: {}", std::strerror(errno)));
    return false;
  }
  setpgid(child, child);  // by whichever process runs first
  running = child;
  if (asked_to_end != 0) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  running = 0;
  EndIfAsked();
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace hloir::tool
