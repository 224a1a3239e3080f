// In place of src/io/files.cc and gzip.cc: the page has no files and no zlib. It reads and unpacks what a person opens
// by itself, and passes the bytes on.
#include <functional>

#include "hloir/io.h"
#include "io/gzip.h"

namespace hloir {
namespace {

Status LeftToThePage() { return Unimplemented("files are left to the page"); }

}  // namespace

StatusOr<std::string> ReadFile(const std::string&) { return LeftToThePage(); }
Status WriteFile(const std::string&, const std::function<Status(const WriteText&)>&) { return LeftToThePage(); }
std::string DisplayName(const std::string& path) { return path; }
bool IsGzip(std::string_view) { return false; }
StatusOr<std::string> Gunzip(std::string_view) { return LeftToThePage(); }
Status Gzip(const std::function<Status(const WriteText&)>&, const WriteText&) { return LeftToThePage(); }

}  // namespace hloir
