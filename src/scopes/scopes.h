// The division of a computation for a map of it: a tree of scopes with a limited number of items each. Scopes come from
// op_names or, below these, from structure: repeated layers, patterns (attention, norms), and finally cuts crossed by
// few values. Entry: FindScopes. Boxes and edges are inspect's (graph.cc).
// Tested by tests/unit/scopes_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scopes/flow.h"

namespace hloir {

enum class ScopeKind : uint8_t { kComputation, kOpName, kRepeat, kPattern, kPart };
std::string_view ScopeKindName(ScopeKind kind);

struct Scope {
  // A node of the flow, or a scope that is folded into one item.
  struct Item {
    int32_t node = -1, scope = -1;
  };
  std::string title;
  ScopeKind kind = ScopeKind::kComputation;
  int32_t parent = -1;
  std::vector<Item> items;  // in the order of the flow
};

// The first is the root. Each node is an item of one scope.
std::vector<Scope> FindScopes(const Flow& flow, size_t most_items);

// "12 dot, 3 reduce": the nodes with most of the work.
std::string ContentsTitle(const Flow& flow, const std::vector<int32_t>& nodes);

}  // namespace hloir
