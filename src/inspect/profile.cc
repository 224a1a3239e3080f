// See inspect/profile.h.
#include "inspect/profile.h"

#include "hloir/report.h"
#include "inspect/pages.h"
#include "report/json.h"

namespace hloir {

std::string ProfilePage(const ExecutionProfile& profile, std::string_view title) {
  Json json = Json::parse(ProfileReportJson(profile));
  json["name"] = title;
  return FillPage(kProfilePage, JsonLine(json));
}

}  // namespace hloir
