// See xla_memory.h.
#include "inspect/xla_memory.h"

#include <algorithm>
#include <charconv>

#include "hloir/io.h"

namespace hloir {
namespace {

// The number at the beginning of `text`; 0 if there is none.
int64_t ParseSize(std::string_view text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::max<int64_t>(number, 0);
}

}  // namespace

// "allocation 2: size 512, parameter 0, shape |f32[8,16]| at ShapeIndex {}:", then a line " value: <…" for each value
// in it. The reports have "Total bytes used: N" or, for each memory space, "Total bytes: N".
DumpFolder::Memory ParseXlaMemory(std::string_view usage_report, std::string_view buffer_assignment) {
  DumpFolder::Memory memory;
  int64_t parameters = 0, constants = 0, others = 0;
  for (size_t at = 0; at < buffer_assignment.size();) {
    const size_t end = std::min(buffer_assignment.find('\n', at), buffer_assignment.size());
    const std::string_view line = buffer_assignment.substr(at, end - at);
    at = end + 1;
    if (line.starts_with(" value: ")) {
      if (!memory.allocations.empty()) ++memory.allocations.back().values;
      continue;
    }
    constexpr std::string_view kSize = ": size ";
    const size_t size = line.find(kSize);
    if (!line.starts_with("allocation ") || size == std::string_view::npos) continue;
    DumpFolder::Memory::Allocation allocation;
    allocation.bytes = ParseSize(line.substr(size + kSize.size()));
    const bool is_parameter = line.find(", parameter ") != std::string_view::npos,
               is_constant = line.find(", constant") != std::string_view::npos;
    (is_parameter ? parameters : is_constant ? constants : others) += allocation.bytes;
    for (const std::string_view word :
         {"parameter ", "constant", "preallocated-temp", "thread-local", "maybe-live-out", "output"}) {
      const size_t found = line.find(word);
      if (found == std::string_view::npos) continue;
      const size_t stop = std::min(line.find_first_of(",:", found), line.size());
      allocation.what = line.substr(found, stop - found);
      break;
    }
    memory.allocations.push_back(std::move(allocation));
  }
  if (!memory.allocations.empty()) {
    memory.parameters = parameters, memory.constants = constants, memory.others = others;
    memory.total = parameters + constants + others;
    std::stable_sort(memory.allocations.begin(), memory.allocations.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  }
  int64_t total = -1;
  for (const std::string_view words : {"Total bytes used: ", "\nTotal bytes: "}) {
    for (size_t at = usage_report.find(words); at != std::string_view::npos; at = usage_report.find(words, at + 1))
      total = std::max<int64_t>(total, 0) + ParseSize(usage_report.substr(at + words.size()));
  }
  if (total >= 0) memory.total = total;
  return memory;
}

DumpFolder::Memory ReadXlaMemory(const std::string& usage_report, const std::string& buffer_assignment) {
  const auto text = [](const std::string& path) {
    if (path.empty()) return std::string();
    StatusOr<std::string> read = ReadFile(path);
    return read.ok() ? *std::move(read) : std::string();
  };
  return ParseXlaMemory(text(usage_report), text(buffer_assignment));
}

}  // namespace hloir
