// A flag whose value is one of a few words: --math=exact.
#pragma once

#include <map>
#include <string>

#include <CLI/CLI.hpp>

namespace hloir::tool {

template <class E>
CLI::Option* AddChoice(CLI::App& command, const std::string& name, E& value, const std::map<std::string, E>& words,
                       const std::string& description) {
  return command.add_option_function<std::string>(
      name,
      [name, &value, words](const std::string& text) {
        if (auto found = words.find(text); found != words.end()) {
          value = found->second;
          return;
        }
        std::string known;
        for (const auto& [word, ignored] : words) known += (known.empty() ? "" : ", ") + word;
        throw CLI::ValidationError(name, "it is one of " + known + ", not '" + text + "'");
      },
      description);
}

}  // namespace hloir::tool
