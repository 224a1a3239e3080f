// See waist.h.
#include "scopes/waist.h"

#include <algorithm>
#include <unordered_map>

namespace hloir {

std::vector<int32_t> ValuesPassing(const Flow& flow, const std::vector<int32_t>& members) {
  std::unordered_map<int32_t, size_t> position;
  position.reserve(members.size());
  for (size_t k = 0; k < members.size(); ++k) position[members[k]] = k;
  std::vector<int32_t> change(members.size() + 1, 0);
  for (size_t k = 0; k < members.size(); ++k) {
    size_t last = k;
    for (const int32_t user : flow.nodes[static_cast<size_t>(members[k])].users)
      if (const auto it = position.find(user); it != position.end()) last = std::max(last, it->second);
    ++change[std::min(k + 1, members.size())], --change[std::min(last + 1, members.size())];
  }
  change.pop_back();
  for (size_t k = 1; k < change.size(); ++k) change[k] += change[k - 1];
  return change;
}

std::vector<size_t> CutAtWaists(const std::vector<int32_t>& passing, size_t parts) {
  const size_t size = passing.size();
  std::vector<size_t> begins = {0};
  for (size_t p = 1; p < parts; ++p) {
    // Searches within a third of a part's length around the even cut; among the narrowest positions, the nearest.
    const size_t even = size * p / parts, reach = size / parts / 3;
    size_t best = even;
    for (size_t d = 0; d <= reach; ++d) {
      for (const size_t at : {even - std::min(d, even), even + d})
        if (at > begins.back() && at < size && passing[at] < passing[best]) best = at;
    }
    if (best > begins.back() && best < size) begins.push_back(best);
  }
  return begins;
}

}  // namespace hloir
