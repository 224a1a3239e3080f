// What `reduce --test` asks of a candidate: a command of the user's, run by the shell on a file. While it runs a signal
// that asks hloir to end (Ctrl-C, SIGTERM, SIGHUP) ends the command with all that it started, removes the file and then
// ends hloir. Tested by tests/cli/reduce.test.
#pragma once

#include <string>

#include "hloir/status.h"

namespace hloir::tool {

class TestCommand {
 public:
  // `test`, with each {} for the candidate's file, which is otherwise its last argument.
  static StatusOr<TestCommand> Make(std::string test);
  TestCommand(TestCommand&& other) noexcept;
  TestCommand& operator=(TestCommand&&) = delete;
  ~TestCommand();

  // Does the command exit with 0? False from the first time on that it could not be started: see failure().
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
