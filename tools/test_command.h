// The test of `reduce --test`: a user's command, run by the shell on a candidate's file. While it runs, a termination
// signal (Ctrl-C, SIGTERM, SIGHUP) ends the command and its child processes, removes the file and then ends hloir.
// Tested by tests/cli/reduce.test.
#pragma once

#include <string>

#include "hloir/status.h"

namespace hloir::tool {

class TestCommand {
 public:
  // `test`, in which each {} is replaced by the candidate's file, which is otherwise its last argument.
  static StatusOr<TestCommand> Make(std::string test);
  TestCommand(TestCommand&& other) noexcept;
  TestCommand& operator=(TestCommand&&) = delete;
  ~TestCommand();

  // True if the command exits with 0. Always false after it could not be started: see failure().
  bool Holds(const std::string& candidate);
  const Status& failure() const { return failure_; }

 private:
  TestCommand(std::string folder, std::string path, std::string line)
      : folder_(std::move(folder)), path_(std::move(path)), line_(std::move(line)) {}
  void RemoveFolder();
  void EndIfAsked();

  std::string folder_, path_, line_;
  Status failure_;
};

}  // namespace hloir::tool
