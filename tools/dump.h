// Writes a module to a folder as passes change it, under names like XLA's: module_0000.NAME.0003.after_PASS.txt.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir::tool {

class Dumper {
 public:
  // `pass_pattern` is an RE2 regular expression that a pass's name must contain.
  static StatusOr<std::unique_ptr<Dumper>> Create(const std::string& folder, const std::string& pass_pattern,
                                                  const HloModule& module);
  Status BeforeAll(const HloModule& module);
  // Writes nothing where the pass changed nothing.
  Status AfterPass(std::string_view pass, const HloModule& module);
  Status AfterAll(const HloModule& module);
  ~Dumper();

 private:
  struct Pattern;
  Dumper();
  Status Write(const std::string& what, const std::string& text);

  std::string folder_, name_, last_;
  std::unique_ptr<Pattern> pattern_;
  int number_ = 0;
};

}  // namespace hloir::tool
