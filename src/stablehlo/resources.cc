// dense_resource<NAME> : tensor<…>: a constant whose bytes are at the end of the text, as MLIR prints large ones:
//
//   {-#
//     dialect_resources: {
//       builtin: { NAME: "0x…", … }
//     }
//   #-}
//
// The bytes begin with their alignment, four bytes. If they are elided, the name is __elided__ or has no entry. Tested
// by tests/unit/stablehlo_test.cc.
#include "reader.h"
#include "support/format.h"

namespace hloir::stablehlo {

// A word or a string.
bool Reader::ReadKey(std::string_view& key) {
  Skip();
  if (Peek() == '"') return ReadString(key);
  key = Word();
  return !key.empty() || Expected("a name");
}

// The entries of one level of the resources, up to the closing bracket; levels below are collected under their name.
bool Reader::ReadResourceEntries(bool is_builtin, int level) {
  constexpr int kLevels = 3;  // of resources, of a dialect, of its blobs
  if (level > kLevels) return Fail("resources nested too deep");
  while (!Take("}") && !Next("#-}")) {
    std::string_view key;
    if (!ReadKey(key) || !Want(":")) return false;
    Skip();
    if (Take("{")) {
      if (!ReadResourceEntries(is_builtin || (level == 1 && key == "builtin"), level + 1)) return false;
    } else if (Peek() == '"') {
      const size_t begin = ++at_, end = text_.find('"', begin);
      if (end == std::string_view::npos) return Fail("unterminated string");
      at_ = end + 1;
      if (is_builtin) resources_[key] = text_.substr(begin, end - begin);
    } else if (Word().empty()) {
      return Expected("a resource");
    }
    Take(",");
  }
  return true;
}

bool Reader::ReadResources() {
  has_resources_ = true;
  const size_t begin = text_.find("\n{-#", at_);
  if (begin == std::string_view::npos) return true;
  const size_t back = at_;
  at_ = begin + 4;
  const bool read = ReadResourceEntries(false, 0);
  at_ = back;
  return read;
}

// The word is not read yet.
bool Reader::ReadDenseResource(Attribute& attribute) {
  attribute.kind = Attribute::Kind::kDense;
  std::string_view name;
  Type type;
  if (!Take("dense_resource") || !Want("<") || !ReadKey(name) || !Want(">") || !Want(":") || !ReadType(type))
    return false;
  attribute.type = type.interned;
  const Shape& shape = *attribute.type;
  if (!shape.IsArray() || !shape.IsStatic()) return FailAt(attribute.offset, "a constant is of a static tensor type");
  if (!has_resources_ && !ReadResources()) return false;
  const auto found = resources_.find(name);
  if (found == resources_.end())
    return FailAt(attribute.offset, "the constant's elements are elided (dense_resource)", StatusCode::kUnimplemented);
  constexpr size_t kPrefix = 2, kAlignment = 8;  // 0x, and digits
  const std::string_view hex = found->second;
  const auto width = static_cast<size_t>(StorageBytes(shape.element_type())),
             count = static_cast<size_t>(shape.ElementCount());
  if (hex.size() < kPrefix + kAlignment || count > hex.size() || hex.size() != kPrefix + kAlignment + 2 * width * count)
    return FailAt(attribute.offset,
                  Format("the resource {} does not have the bytes of {}", name, shape.ToString(false)));
  return FillDenseFromHex(attribute, "0x" + std::string(hex.substr(kPrefix + kAlignment)));
}

}  // namespace hloir::stablehlo
