// See hloir/detail/unique_name.h.
#include "hloir/detail/unique_name.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace hloir {

// By root: the first untried number.
struct UniqueNamer::Numbers {
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, int64_t, Hash, std::equal_to<>> next;
};

UniqueNamer::UniqueNamer() = default;
UniqueNamer::~UniqueNamer() = default;
UniqueNamer::UniqueNamer(UniqueNamer&&) noexcept = default;
UniqueNamer& UniqueNamer::operator=(UniqueNamer&&) noexcept = default;

int64_t& UniqueNamer::NextNumber(std::string_view root, int64_t first) {
  if (numbers_ == nullptr) numbers_ = std::make_unique<Numbers>();
  auto at = numbers_->next.find(root);
  if (at == numbers_->next.end()) at = numbers_->next.emplace(root, first).first;
  return at->second;
}

void UniqueNamer::Release(std::string_view name) {
  const auto [root, number] = SplitNumber(name);
  if (number.empty() || numbers_ == nullptr) return;
  const auto at = numbers_->next.find(root);
  if (at != numbers_->next.end()) at->second = std::min<int64_t>(at->second, std::stoll(std::string(number)));
}

}  // namespace hloir
