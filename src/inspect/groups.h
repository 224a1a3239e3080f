// Who takes part in a collective, whatever its attributes are called.
#pragma once

#include "hloir/module.h"

namespace hloir {

struct CollectiveGroups {
  int64_t count = 0, size = 0;  // 0: all devices are one group, as nobody is named
};

inline CollectiveGroups GroupsOf(const HloInstruction& instruction) {
  CollectiveGroups result;
  instruction.attributes().Visit([&]<class T>(const T& attributes) {
    if constexpr (!std::is_same_v<T, NoAttributes>) {
      VisitFields(attributes, [&](std::string_view, const auto& field, FieldRule) {
        using Field = std::decay_t<decltype(field)>;
        if constexpr (std::is_same_v<Field, ReplicaGroups>) {
          if (field.form == ReplicaGroups::Form::kIota) {
            result = {field.num_groups, field.group_size};
          } else {
            const std::vector<std::vector<int64_t>> groups = field.Expand();
            result.count = static_cast<int64_t>(groups.size());
            if (!groups.empty()) result.size = static_cast<int64_t>(groups[0].size());
          }
        } else if constexpr (std::is_same_v<Field, Int64Pairs>) {
          result = {static_cast<int64_t>(field.size()), 2};  // from one device to another
        }
      });
    }
  });
  return result;
}

}  // namespace hloir
