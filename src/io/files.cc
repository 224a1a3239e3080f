// Whole files in and out; see the middle of hloir/io.h. Tested by tests/unit/io_test.cc.
#include "files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "hloir/io.h"
#include "support/format.h"

namespace hloir {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxBytes = size_t{1} << 34;  // of what is read: /dev/zero has no end

struct Close {
  void operator()(FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, Close>;

Status WriteAll(FILE* file, std::string_view content, const std::string& path) {
  if (std::fwrite(content.data(), 1, content.size(), file) == content.size() && std::fflush(file) == 0)
    return OkStatus();
  return CannotWrite(path);
}

// Makes an empty file with a name of its own in the target's folder; "" if the folder takes none.
std::string MakeTemporary(const fs::path& target, mode_t mode) {
  static std::atomic<int> number = 0;
  for (int tries = 0; tries < 100; ++tries) {
    const std::string path = (target.parent_path() / Format(".hloir-{}-{}.partial", getpid(), number++)).string();
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file >= 0) {
      close(file);
      return path;
    }
    if (errno != EEXIST) return "";
  }
  return "";
}

}  // namespace

Status CannotWrite(const std::string& path) {
  return InvalidArgument(Format("cannot write {}: {}", path, std::strerror(errno)));
}

StatusOr<ReplacedFile> ReplacedFile::Begin(const std::string& target) {
  std::error_code error;
  fs::path real = target;
  for (int links = 0; fs::is_symlink(real, error); ++links) {
    if (links == 40) return InvalidArgument(Format("cannot write {}: {}", target, std::strerror(ELOOP)));
    const fs::path next = fs::read_symlink(real, error);
    if (error) return InvalidArgument(Format("cannot write {}: {}", target, error.message()));
    real = next.is_absolute() ? next : real.parent_path() / next;
  }
  struct stat old {};
  const bool exists = stat(real.c_str(), &old) == 0;
  if (exists && access(real.c_str(), W_OK) != 0) return CannotWrite(target);
  if (exists && !S_ISREG(old.st_mode)) return ReplacedFile(real.string(), real.string());
  std::string temporary = MakeTemporary(real, 0666);
  if (temporary.empty()) {
    if (!exists) return CannotWrite(target);
    return ReplacedFile(real.string(), real.string());
  }
  ReplacedFile file(real.string(), std::move(temporary));
  if (exists && chmod(file.path_.c_str(), old.st_mode & 07777) != 0) return CannotWrite(target);
  return file;
}

Status ReplacedFile::Commit() {
  const std::string from = std::exchange(path_, "");
  if (from == target_ || std::rename(from.c_str(), target_.c_str()) == 0) return OkStatus();
  const Status failed = CannotWrite(target_);
  std::remove(from.c_str());
  return failed;
}

ReplacedFile::~ReplacedFile() {
  if (!path_.empty() && path_ != target_) std::remove(path_.c_str());
}

StatusOr<std::string> ReadFile(const std::string& path) {
  const bool standard = path == "-";
  File opened(standard ? nullptr : std::fopen(path.c_str(), "rb"));
  FILE* file = standard ? stdin : opened.get();
  if (file == nullptr) return InvalidArgument(std::strerror(errno));
  std::string content;
  std::error_code error;
  if (!standard) {
    if (fs::is_directory(path, error)) return InvalidArgument("it is a directory");
    if (auto size = fs::file_size(path, error); !error && size <= kMaxBytes) content.reserve(size);
  }
  char buffer[1 << 16];
  size_t got;
  while ((got = std::fread(buffer, 1, sizeof(buffer), file)) > 0) {
    content.append(buffer, got);
    if (content.size() > kMaxBytes) return ResourceExhausted(Format("it has more than {} bytes", kMaxBytes));
  }
  if (std::ferror(file)) return InvalidArgument(std::strerror(errno));
  return content;
}

Status WriteFile(const std::string& path, std::string_view content) {
  if (path == "-") return WriteAll(stdout, content, "<stdout>");
  HLOIR_ASSIGN_OR_RETURN(ReplacedFile replaced, ReplacedFile::Begin(path));
  File file(std::fopen(replaced.path().c_str(), "wb"));
  if (!file) return CannotWrite(path);
  HLOIR_RETURN_IF_ERROR(WriteAll(file.get(), content, path));
  file.reset();
  return replaced.Commit();
}

std::string DisplayName(const std::string& path) { return path == "-" ? "<stdin>" : path; }

}  // namespace hloir
