// Reading and writing whole files; see hloir/io.h. Tested by tests/unit/io_test.cc.
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
#include "support/guard.h"

namespace hloir {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxBytes = size_t{1} << 34;  // limit on reading: /dev/zero has no end

struct Close {
  void operator()(FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, Close>;

Status CannotWrite(const std::string& path) {
  return InvalidArgument(Format("cannot write {}: {}", path, std::strerror(errno)));
}

// A temporary file in the folder of `target`, renamed to `target` when it is complete. If the system supports unnamed
// files, it has no name before, so that a killed process leaves no partial file. rename() needs a name, so a complete
// temporary file may stay if the process is killed just before.
class NewFile {
 public:
  explicit NewFile(const fs::path& target) : target_(target.string()), folder_(target.parent_path()) {
    int descriptor = -1;
#ifdef O_TMPFILE
    descriptor = open(folder_.empty() ? "." : folder_.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (descriptor >= 0 &&
        access(DescriptorName(descriptor).c_str(), F_OK) != 0) {  // without /proc no name is to be had
      close(descriptor);
      descriptor = -1;
    }
#endif
    if (descriptor < 0) {
      MakeName([&](const char* name) {
        descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        return descriptor >= 0;
      });
    }
    if (descriptor >= 0) file_.reset(fdopen(descriptor, "wb"));
  }
  ~NewFile() {
    if (!name_.empty()) std::remove(name_.c_str());
  }

  FILE* file() { return file_.get(); }
  bool Commit() {
    if (name_.empty()) {
      const std::string unnamed = DescriptorName(fileno(file()));
      if (!MakeName([&](const char* name) {
            return linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
          }))
        return false;
    }
    file_.reset();
    if (std::rename(name_.c_str(), target_.c_str()) != 0) return false;
    name_.clear();
    return true;
  }

 private:
  static std::string DescriptorName(int descriptor) { return Format("/proc/self/fd/{}", descriptor); }
  // An unused name; make(name) returns true if it was free.
  template <class Make>
  bool MakeName(Make make) {
    static std::atomic<int> number = 0;
    for (int tries = 0; tries < 100; ++tries) {
      const std::string name = (folder_ / Format(".hloir-{}-{}.partial", getpid(), number++)).string();
      if (make(name.c_str())) {
        name_ = name;
        return true;
      }
      if (errno != EEXIST) return false;
    }
    return false;
  }

  std::string target_, name_;  // no name: nothing to remove
  fs::path folder_;
  File file_;
};

}  // namespace

StatusOr<std::string> ReadFile(const std::string& path) try {
  const bool standard = path == "-";
  File opened(standard ? nullptr : std::fopen(path.c_str(), "rb"));
  FILE* file = standard ? stdin : opened.get();
  if (file == nullptr) return InvalidArgument(std::strerror(errno));
  std::string content;
  std::error_code error;
  if (!standard) {
    if (fs::is_directory(path, error))
      return InvalidArgument("it is a directory; hloir check and hloir dumps read the modules in one");
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
} catch (...) {
  return OutOfMemory();
}

Status WriteFile(const std::string& path, const std::function<Status(const WriteText& write)>& produce) {
  const auto write_to = [&](FILE* file, const std::string& name) {
    HLOIR_RETURN_IF_ERROR(produce([&](std::string_view piece) {
      return std::fwrite(piece.data(), 1, piece.size(), file) == piece.size() ? OkStatus() : CannotWrite(name);
    }));
    return std::fflush(file) == 0 ? OkStatus() : CannotWrite(name);
  };
  if (path == "-") return write_to(stdout, "<stdout>");
  std::error_code error;
  fs::path real = path;
  for (int links = 0; fs::is_symlink(real, error); ++links) {
    if (links == 40) return InvalidArgument(Format("cannot write {}: {}", path, std::strerror(ELOOP)));
    const fs::path next = fs::read_symlink(real, error);
    if (error) return InvalidArgument(Format("cannot write {}: {}", path, error.message()));
    real = next.is_absolute() ? next : real.parent_path() / next;
  }
  struct stat old {};
  const bool exists = stat(real.c_str(), &old) == 0;
  if (exists && access(real.c_str(), W_OK) != 0) return CannotWrite(path);
  if (!exists || S_ISREG(old.st_mode)) {
    NewFile made(real);
    if (made.file() != nullptr) {
      if (exists && fchmod(fileno(made.file()), old.st_mode & 07777) != 0) return CannotWrite(path);
      HLOIR_RETURN_IF_ERROR(write_to(made.file(), path));
      return made.Commit() ? OkStatus() : CannotWrite(path);
    }
    if (!exists) return CannotWrite(path);
  }
  // A pipe, a device, or a file in a folder without write permission.
  File file(std::fopen(real.c_str(), "wb"));
  if (!file) return CannotWrite(path);
  return write_to(file.get(), path);
}

Status WriteFile(const std::string& path, std::string_view bytes) {
  return WriteFile(path, [&](const WriteText& write) { return write(bytes); });
}

std::string DisplayName(const std::string& path) { return path == "-" ? "<stdin>" : path; }

}  // namespace hloir
