// See page.h.
#include "triage/page.h"

#include "inspect/pages.h"
#include "report/json.h"

namespace hloir {

std::string TriagePage(const std::string& name, std::span<const Finding> findings) {
  Json kinds = Json::array(), programs = Json::array();
  for (int k = 0; k < kFindingKinds; ++k) {
    const auto kind = static_cast<FindingKind>(k);
    kinds.push_back({FindingKindName(kind), FindingKindWords(kind)});
  }
  for (const Finding& finding : findings) programs.push_back(Json::parse(FindingJson(finding)));
  return FillPage(kTriagePage,
                  JsonLine({{"name", name}, {"kinds", std::move(kinds)}, {"programs", std::move(programs)}}));
}

}  // namespace hloir
