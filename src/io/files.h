// A file that appears as a whole or not at all. For WriteFile and .npz.
#pragma once

#include <string>
#include <utility>

#include "hloir/status.h"

namespace hloir {

// Names a temporary file beside `target`; Commit gives it the target's name, and else it is removed. What cannot be
// replaced (a pipe, a device, a file in a folder that takes no new ones) is written in place: path() is then the
// target.
class ReplacedFile {
 public:
  // InvalidArgument, if `target` cannot be written.
  static StatusOr<ReplacedFile> Begin(const std::string& target);
  ReplacedFile(ReplacedFile&& other) noexcept
      : target_(std::move(other.target_)), path_(std::exchange(other.path_, "")) {}
  ~ReplacedFile();

  const std::string& path() const { return path_; }
  Status Commit();

 private:
  ReplacedFile(std::string target, std::string path) : target_(std::move(target)), path_(std::move(path)) {}

  std::string target_, path_;  // path_ is empty once nothing is left to remove
};

// "cannot write PATH: " and what errno says.
Status CannotWrite(const std::string& path);

}  // namespace hloir
