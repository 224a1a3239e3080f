// OpKind: see mlir.h.
#include "mlir.h"

namespace hloir::stablehlo {
namespace {

// Ops of StableHLO whose number of operands the rules rely on; they have one result.
struct Arity {
  std::string_view name;
  size_t least, most;
};
constexpr Arity kArities[] = {{"constant", 0, 0},
                              {"iota", 0, 0},
                              {"convert", 1, 1},
                              {"broadcast_in_dim", 1, 1},
                              {"reshape", 1, 1},
                              {"transpose", 1, 1},
                              {"slice", 1, 1},
                              {"reverse", 1, 1},
                              {"not", 1, 1},
                              {"real", 1, 1},
                              {"get_tuple_element", 1, 1},
                              {"get_dimension_size", 1, 1},
                              {"imag", 1, 1},
                              {"complex", 2, 2},
                              {"compare", 2, 2},
                              {"pad", 2, 2},
                              {"gather", 2, 2},
                              {"select", 3, 3},
                              {"clamp", 3, 3},
                              {"dynamic_slice", 1, OpKind::kAny},
                              {"dynamic_update_slice", 2, OpKind::kAny},
                              {"concatenate", 1, OpKind::kAny}};

}  // namespace

OpName Module::Name(std::string_view name) {
  OpKind*& kind = kinds_[name];
  if (kind != nullptr) return OpName(kind);
  kind = &kind_pool_.Add();
  const size_t dot = name.find('.');
  const std::string_view dialect = name.substr(0, dot == std::string_view::npos ? 0 : dot);
  kind->name = name;
  kind->base = name.substr(dot + 1);
  kind->index = kind_pool_.size() - 1;
  kind->is_stablehlo = dialect == "stablehlo";
  kind->is_chlo = dialect == "chlo";
  kind->is_return = name.ends_with(".return");
  kind->is_constant = kind->base == "constant" && (kind->is_stablehlo || dialect == "mhlo");
  for (const Arity& arity : kArities) {
    if (arity.name == kind->base) kind->least_operands = arity.least, kind->most_operands = arity.most, kind->has_arity = true;
  }
  return OpName(kind);
}

}  // namespace hloir::stablehlo
