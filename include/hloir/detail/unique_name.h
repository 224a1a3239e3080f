// UniqueNamer: the next free name where a wanted one is taken, as XLA numbers names: x, x.1, x.2, … One for each scope
// of names (a module's computations, a computation's instructions, a text's names); the scope itself stores the taken
// names. Tested by tests/unit/unique_name_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace hloir {

// A name and its number: x and 12 of x.12. A name without a number is its own root.
struct NumberedName {
  std::string_view root, number;
};

inline NumberedName SplitNumber(std::string_view name) {
  constexpr size_t kMaxDigits = 18;  // always fits into int64
  size_t dot = name.size();
  while (dot > 0 && name[dot - 1] >= '0' && name[dot - 1] <= '9') --dot;
  const size_t digits = name.size() - dot;
  if (digits == 0 || digits > kMaxDigits || dot < 2 || name[dot - 1] != '.') return {name, {}};
  return {name.substr(0, dot - 1), name.substr(dot)};
}
inline std::string_view NameRoot(std::string_view name) { return SplitNumber(name).root; }

class UniqueNamer {
 public:
  // The first of root.first, root.(first+1), … for which is_taken(name) is false. Numbers that were tried for `root`
  // are not tried again, so that n names of one root cost n steps and not n².
  template <class IsTaken>
  std::string Next(std::string_view root, IsTaken is_taken, int64_t first = 1) {
    int64_t& number = NextNumber(root, first);
    std::string name(root);
    name += '.';
    const size_t length = name.size();
    do {
      name.resize(length);
      name += std::to_string(number++);
    } while (is_taken(std::string_view(name)));
    return name;
  }
  // Frees `name`: Next may return it again.
  void Release(std::string_view name);

  UniqueNamer();
  ~UniqueNamer();
  UniqueNamer(UniqueNamer&&) noexcept;
  UniqueNamer& operator=(UniqueNamer&&) noexcept;

 private:
  struct Numbers;  // a hash table, defined in a .cc file to reduce compile time
  int64_t& NextNumber(std::string_view root, int64_t first);

  std::unique_ptr<Numbers> numbers_;  // made when the first name is
};

}  // namespace hloir
#pragma GCC visibility pop
