// The language server: responses on a document line by line, requests out of order, arbitrary bytes. tests/editors uses
// real clients.
#include "lsp/lsp.h"

#include <chrono>
#include <condition_variable>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <random>
#include <set>

#include <nlohmann/json.hpp>

#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/printer.h"
#include "lsp/answers.h"
#include "lsp/completion.h"
#include "lsp/opcode_help.h"
#include "lsp/overview.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"

using namespace hloir;

namespace {

constexpr char kText[] = R"(HloModule m, entry_computation_layout={(f32[4]{0}, f32[4]{0})->f32[]}

%sum (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %add = f32[] add(%x, %y)
}

ENTRY %e (a: f32[4], b: f32[4]) -> f32[] {
  %a = f32[4]{0} parameter(0)
  %b = f32[4]{0} parameter(1)
  %m = f32[4]{0} multiply(f32[4]{0} %a, %b), metadata={op_name="jit(f)/mul" source_file="model.py" source_line=3}
  %zero = f32[] constant(0)
  %unused = f32[4]{0} negate(%m)
  ROOT %r = f32[] reduce(%m, %zero), dimensions={0}, to_apply=%sum
}
)";

// A client that sends the given messages and reads the answers.
class Client {
 public:
  explicit Client(Json capabilities = Json::object()) {
    Request("initialize", {{"capabilities", std::move(capabilities)}});
    Notify("initialized", Json::object());
  }
  Json Request(const std::string& method, Json params) {
    const auto out = server.Handle(
        Json{{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", std::move(params)}}.dump());
    REQUIRE(out.size() == 1);
    Json answer = Json::parse(out[0]);
    REQUIRE(answer["id"] == id_);
    return answer;
  }
  // The resulting diagnostics.
  Json Notify(const std::string& method, Json params) {
    const auto out = server.Handle(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}.dump());
    return out.empty() ? Json() : Json::parse(out[0])["params"]["diagnostics"];
  }
  Json Open(std::string text) {
    text_ = text;
    return Notify(
        "textDocument/didOpen",
        {{"textDocument", {{"uri", kUri}, {"languageId", "hlo"}, {"version", 1}, {"text", std::move(text)}}}});
  }
  // Of the place where `mark` stands in the text, the first or another time, plus `ahead`.
  Json Ask(const std::string& what, std::string_view mark, int64_t ahead = 0, Json more = Json::object()) {
    const size_t at = text_.find(mark);
    REQUIRE(at != std::string::npos);
    more["textDocument"] = {{"uri", kUri}};
    more["position"] = PositionOf(at + static_cast<size_t>(ahead));
    return Request("textDocument/" + what, std::move(more));
  }
  Json PositionOf(size_t at) const {
    const auto line = std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(at), '\n');
    return {{"line", line}, {"character", at - (text_.rfind('\n', at - 1) + 1)}};
  }
  // The text under a range.
  std::string Under(const Json& range) const {
    const auto offset = [&](const Json& place) {
      size_t at = 0;
      for (int64_t line = place["line"]; line > 0; --line) at = text_.find('\n', at) + 1;
      return at + place["character"].get<size_t>();
    };
    const size_t begin = offset(range["start"]);
    return text_.substr(begin, offset(range["end"]) - begin);
  }
  // The text with an answer's edits.
  std::string Edited(const Json& edits) const {
    std::string text = text_;
    std::vector<std::tuple<size_t, size_t, std::string>> all;
    for (const Json& edit : edits) {
      const auto offset = [&](const Json& place) {
        size_t at = 0;
        for (int64_t line = place["line"]; line > 0; --line) at = text_.find('\n', at) + 1;
        return at + place["character"].get<size_t>();
      };
      all.emplace_back(offset(edit["range"]["start"]), offset(edit["range"]["end"]), edit["newText"]);
    }
    std::sort(all.begin(), all.end());
    for (auto it = all.rbegin(); it != all.rend(); ++it) {
      REQUIRE((it + 1 == all.rend() || std::get<1>(*(it + 1)) <= std::get<0>(*it)));
      text.replace(std::get<0>(*it), std::get<1>(*it) - std::get<0>(*it), std::get<2>(*it));
    }
    return text;
  }

  static constexpr char kUri[] = "file:///tmp/m.hlo";
  LanguageServer server;

 private:
  int id_ = 0;
  std::string text_;
};

std::vector<std::string> UnderAll(const Client& client, const Json& places) {
  std::vector<std::string> found;
  for (const Json& place : places)
    found.push_back(client.Under(place["range"]) + ":" + std::to_string(place["range"]["start"]["line"].get<int>()));
  return found;
}
Json Edit(int line, int from, int to, std::string text) {
  return {{"range", {{"start", {{"line", line}, {"character", from}}}, {"end", {{"line", line}, {"character", to}}}}},
          {"text", std::move(text)}};
}
using Texts = std::vector<std::string>;
std::vector<lsp::Spot> AllSpots(const lsp::Document& document) {
  return lsp::SpotsIn(document.outline(), document.text(), {0, static_cast<uint32_t>(document.text().size())});
}

}  // namespace

TEST_CASE("what is wrong behind the parser's first error is told, too") {
  Client client;
  const Json found = client.Open(R"(HloModule m
ENTRY e {
  p = f32[8]{0} parameter(0)
  a = f32[8]{0} adde(p, p)
  b = f32[8]{0} negate(nobody), metadata={
    op_name="b"}
  c = f32[8]{0} add(a, b)
  d = f32[8]{0} negate(p), wrong=3
  ROOT r = f32[8]{0} add(c, d)
}
)");
  REQUIRE(found.size() == 3);
  CHECK(client.Under(found[0]["range"]) == "adde");
  CHECK(client.Under(found[1]["range"]) == "nobody");
  CHECK(client.Under(found[2]["range"]) == "wrong");
  // Errors without a placeholder end the check: no shape, a wrong shape, a parameter, not an instruction.
  for (const char* line : {"a = adde(p)", "a = f32[8 negate(p)", "a = f32[8]{0} parameter(x)", "} }"}) {
    INFO(line);
    CHECK(client
              .Open("HloModule m\nENTRY e {\n  p = f32[8]{0} parameter(0)\n  " + std::string(line) +
                    "\n  ROOT r = f32[8]{0} negat(p)\n}\n")
              .size() == 1);
  }
}

TEST_CASE("diagnostics are of parser and verifier, and follow each edit") {
  Client client;
  Json diagnostics = client.Open(kText);
  REQUIRE(diagnostics.size() == 1);  // without users
  CHECK(client.Under(diagnostics[0]["range"]) == "unused");
  CHECK(diagnostics[0]["tags"] == Json::array({1}));
  const auto change = [&](int line, int from, int to, std::string text) {
    return client.Notify("textDocument/didChange",
                         {{"textDocument", {{"uri", Client::kUri}, {"version", 2}}},
                          {"contentChanges", Json::array({Edit(line, from, to, std::move(text))})}});
  };
  // multiply -> multipl, and back; f32[4] -> f32[5].
  diagnostics = change(11, 17, 25, "multipl");
  REQUIRE(diagnostics.size() == 2);
  CHECK(diagnostics[0]["source"] == "hloir parser");
  CHECK(diagnostics[0]["range"]["start"] == Json({{"line", 11}, {"character", 17}}));
  CHECK(diagnostics[0]["range"]["end"] == Json({{"line", 11}, {"character", 24}}));
  CHECK(diagnostics[0]["severity"] == 1);
  CHECK(diagnostics[0]["message"] == "unknown opcode 'multipl'; did you mean 'multiply'?");
  diagnostics = change(11, 17, 24, "mul");
  REQUIRE(!diagnostics.empty());
  CHECK(diagnostics[0]["message"] == "unknown opcode 'mul'; did you mean 'multiply'?");
  CHECK(change(11, 17, 20, "multiply").size() == 1);
  diagnostics = change(11, 11, 12, "5");
  REQUIRE(!diagnostics.empty());
  CHECK(diagnostics[0]["source"] == "hloir verifier");
  CHECK(diagnostics[0]["range"]["start"]["line"] == 11);
  CHECK(client.Notify("textDocument/didClose", {{"textDocument", {{"uri", Client::kUri}}}}) == Json::array());
}

TEST_CASE("what only a newer XLA knows is a mistake to mark, and the rest is read all the same") {
  Client client;
  const Json diagnostics =
      client.Open("ENTRY e {\n  a = f32[2]{0} parameter(0), glow=warm\n  ROOT s = f32[3]{0} negate(a)\n}\n");
  REQUIRE(diagnostics.size() == 2);
  CHECK(diagnostics[0]["source"] == "hloir parser");
  CHECK(diagnostics[1]["source"] == "hloir verifier");
}

TEST_CASE("definitions and references of instructions and computations") {
  Client client;
  client.Open(kText);
  const auto definition = [&](std::string_view mark, int64_t ahead) {
    const Json result = client.Ask("definition", mark, ahead)["result"];
    return result.is_null() ? Texts{} : UnderAll(client, Json::array({result}));
  };
  CHECK(definition("reduce(%m", 8) == Texts{"m:11"});
  CHECK(definition("reduce(%m", 9) == Texts{"m:11"});  // where the name ends
  CHECK(definition("to_apply=%sum", 11) == Texts{"sum:2"});
  CHECK(definition("add(%x, %y)", 9) == Texts{"y:4"});
  CHECK(definition("dimensions", 2) == Texts{});
  const auto references = [&](std::string_view mark, bool all) {
    return UnderAll(client, client.Ask("references", mark, 1, {{"context", {{"includeDeclaration", all}}}})["result"]);
  };
  CHECK(references("%m = ", true) == Texts{"m:11", "m:13", "m:14"});
  CHECK(references("%m = ", false) == Texts{"m:13", "m:14"});
  CHECK(references("%sum (", true) == Texts{"sum:2", "sum:14"});
  CHECK(references("%a = ", true) == Texts{"a:8", "a:9", "a:11"});  // the head's, too
  CHECK(client.Ask("documentHighlight", "%m = ", 1)["result"].size() == 3);
}

TEST_CASE("the line of the program that an instruction comes from") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "hloir lsp test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "model.py") << "1\n2\n3\n";
  LanguageServer server;
  server.Handle(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})");
  const std::string uri = lsp::UriOfPath((folder / "m.hlo").string());
  CHECK(lsp::PathOfUri(uri) == (folder / "m.hlo").string());
  server.Handle(Json{{"jsonrpc", "2.0"},
                     {"method", "textDocument/didOpen"},
                     {"params", {{"textDocument", {{"uri", uri}, {"text", kText}}}}}}
                    .dump());
  const auto answer = server.Handle(
      Json{{"jsonrpc", "2.0"},
           {"id", 2},
           {"method", "textDocument/definition"},
           {"params", {{"textDocument", {{"uri", uri}}}, {"position", {{"line", 11}, {"character", 80}}}}}}
          .dump());
  const Json result = Json::parse(answer.at(0))["result"];
  CHECK(result["uri"] == lsp::UriOfPath((folder / "model.py").string()));
  CHECK(result["range"]["start"]["line"] == 2);
  std::filesystem::remove_all(folder);
}

TEST_CASE("the line of the program is looked for in the workspace") {
  const std::filesystem::path root = std::filesystem::temp_directory_path() / "hloir lsp workspace" / "project";
  std::filesystem::create_directories(root / "models");
  std::filesystem::create_directories(root / "dump");
  std::ofstream(root / "models" / "model.py") << "1\n2\n3\n";
  const std::string uri = lsp::UriOfPath((root / "dump" / "m.hlo").string());
  const std::string found = lsp::UriOfPath((root / "models" / "model.py").string());
  const auto place_of = [&](const std::string& file, Json params) {
    LanguageServer server;
    server.Handle(Json{{"jsonrpc", "2.0"}, {"id", 1}, {"method", "initialize"}, {"params", std::move(params)}}.dump());
    std::string text = kText;
    text.replace(text.find("model.py"), 8, file);
    server.Handle(Json{{"jsonrpc", "2.0"},
                       {"method", "textDocument/didOpen"},
                       {"params", {{"textDocument", {{"uri", uri}, {"text", text}}}}}}
                      .dump());
    const auto answer = server.Handle(
        Json{{"jsonrpc", "2.0"},
             {"id", 2},
             {"method", "textDocument/definition"},
             {"params", {{"textDocument", {{"uri", uri}}}, {"position", {{"line", 11}, {"character", 80}}}}}}
            .dump());
    return Json::parse(answer.at(0))["result"];
  };
  const std::string root_uri = lsp::UriOfPath(root.string());
  CHECK(place_of("models/model.py", {{"rootUri", root_uri}})["uri"] == found);
  CHECK(place_of("models/model.py", {{"rootUri", root_uri + "/"}})["uri"] == found);
  const Json other = {{"uri", lsp::UriOfPath((root / "dump").string())}, {"name", "dump"}};
  const Json folders = Json::array({other, {{"uri", root_uri}, {"name", "project"}}});
  CHECK(place_of("models/model.py", {{"workspaceFolders", folders}, {"rootUri", nullptr}})["uri"] == found);
  // As another machine calls it.
  CHECK(place_of("/home/someone/project/models/model.py", {{"rootUri", root_uri}})["uri"] == found);
  CHECK(place_of("models/model.py", Json::object()).is_null());
  CHECK(place_of("model.py", {{"rootUri", root_uri}}).is_null());
  CHECK(place_of("/home/someone/other/models/model.py", {{"rootUri", root_uri}}).is_null());
  CHECK(place_of("models/model.py", {{"rootUri", 3}, {"workspaceFolders", "x"}}).is_null());
  std::filesystem::remove_all(root.parent_path());
}

TEST_CASE("hovers say shape, layout, cost, users, formula and source") {
  Client client;
  client.Open(kText);
  const std::string text = client.Ask("hover", "%m = ", 1)["result"]["contents"]["value"];
  INFO(text);
  for (const char* part : {"r[i] = a[i] · b[i]", "shape `f32[4]`: 4 elements, 16 B", "cost: 4 FLOPs, 48 B moved",
                           "2 users: `unused`, `r`", "op_name `jit(f)/mul`", "from `model.py:3`"})
    CHECK(text.find(part) != std::string::npos);
  const std::string sum = client.Ask("hover", "to_apply=%sum", 11)["result"]["contents"]["value"];
  INFO(sum);
  for (const char* part : {"sum (x: f32[], y: f32[]) -> f32[]", "3 instructions", "1 caller: `r`"})
    CHECK(sum.find(part) != std::string::npos);
  CHECK(client.Ask("hover", "HloModule")["result"].is_null());
  // While a line is half written, the rest is known as it was; a text that never parsed has its words.
  client.Notify("textDocument/didChange", {{"textDocument", {{"uri", Client::kUri}}},
                                           {"contentChanges", Json::array({Edit(13, 0, 99, "  %half = f32[4]{0} ")})}});
  const Json again = client.Ask("hover", "%m = ", 1)["result"]["contents"]["value"];
  CHECK(again.get<std::string>().find("16 B") != std::string::npos);
  client.Open("ENTRY e { x = tanh(");
  CHECK(client.Ask("hover", "tanh")["result"]["contents"]["value"] == "**tanh**: r[i] = tanh(a[i])");
}

TEST_CASE("symbols, folds, names to complete") {
  Client client;
  client.Open(kText);
  const Json symbols = client.Ask("documentSymbol", "m")["result"];
  REQUIRE(symbols.size() == 2);
  CHECK(symbols[0]["name"] == "sum");
  CHECK(symbols[1]["detail"] == "ENTRY");
  REQUIRE(symbols[1]["children"].size() == 6);
  CHECK(symbols[1]["children"][2]["name"] == "m");
  CHECK(symbols[1]["children"][2]["detail"] == "multiply f32[4]{0}");
  CHECK(client.Under(symbols[0]["range"]).ends_with('}'));
  CHECK(client.Under(symbols[1]["children"][5]["range"]) ==
        "ROOT %r = f32[] reduce(%m, %zero), dimensions={0}, to_apply=%sum");
  CHECK(client.Ask("foldingRange", "m")["result"].size() == 2);
  client.Open(std::string(kText) + "// -----\n" + kText);
  const Json modules = client.Ask("documentSymbol", "m")["result"];
  REQUIRE(modules.size() == 2);
  CHECK(modules[1]["children"] != modules[0]["children"]);
  CHECK(modules[1]["children"][1]["children"].size() == 6);
  const Json hover = client.Ask("hover", "// -----\nHlo", 300)["result"];
  CHECK(hover.is_object());
  client.Open(kText);
  const auto labels = [&](std::string_view mark, int64_t ahead) {
    std::set<std::string> found;
    const Json answer = client.Ask("completion", mark, ahead);
    for (const Json& item : answer["result"]) found.insert(item["label"]);
    return found;
  };
  CHECK(labels("reduce(%m", 8) == std::set<std::string>{"a", "b", "m", "zero", "unused"});
  CHECK(labels("to_apply=%", 10) == std::set<std::string>{"sum"});
  CHECK(labels("negate", 0).count("reduce-window") == 1);
}

TEST_CASE("completion knows types, attributes and their words") {
  Client client;
  const auto labels = [&](std::string line) {
    client.Open(
        "HloModule m\nadd {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n"
        "ENTRY e {\n  p = f32[8]{0} parameter(0)\n  q = f32[8]{0} negate(p)\n" +
        line + "@\n  ROOT r = f32[8]{0} negate(q)\n}\n");
    std::set<std::string> found;
    const Json answer = client.Ask("completion", "@");
    for (const Json& item : answer["result"]) found.insert(item["label"]);
    return found;
  };
  CHECK(labels("  w = f3").count("f32") == 1);
  CHECK(labels("  w = f3").count("dot") == 1);
  CHECK(labels("  w = f32[8]{0} neg").count("f32") == 0);
  const std::set<std::string> dot = labels("  w = f32[] dot(p, q), lhs_");
  for (const char* name : {"lhs_contracting_dims", "rhs_batch_dims", "operand_precision", "metadata"})
    CHECK(dot.count(name) == 1);
  CHECK(dot.count("p") == 0);
  CHECK(labels("  w = pred[8]{0} compare(p, q), direction=") ==
        std::set<std::string>{"EQ", "NE", "GE", "GT", "LE", "LT"});
  CHECK(labels("  w = f32[] reduce(p, q), dimensions={0}, to_").count("to_apply") == 1);
  CHECK(labels("  w = f32[] reduce(p, q), dimensions={0}, to_apply=") == std::set<std::string>{"add"});
  CHECK(labels("  w = f32[8]{0} add(p, /*x(*/ ") == std::set<std::string>{"p", "q", "r"});
  CHECK(labels("  w") == std::set<std::string>{});
  // All that an op has in the corpus' text is offered.
  const Json fields = client.Ask("signatureHelp", "parameter(1)", 3);
  CHECK(fields["result"].is_null());
}

TEST_CASE("a long list of names has those that begin as the word does") {
  Client client;
  std::string text = "ENTRY e {\n  p = f32[8]{0} parameter(0)\n";
  for (int k = 0; k < 1500; ++k) text += "  n" + std::to_string(k) + " = f32[8]{0} negate(p)\n";
  client.Open(text + "  ROOT r = f32[8]{0} negate(n149)\n}\n");
  const Json found = client.Ask("completion", "n149)", 4)["result"];
  CHECK(found["isIncomplete"] == true);
  CHECK(found["items"].size() == 11);  // n149, n1490 … n1499
}

TEST_CASE("every 'did you mean' is a quick fix") {
  Client client;
  for (const auto& [line, right] : std::vector<std::pair<std::string, std::string>>{
           {"ROOT r = f32[8]{0} negat(p)", "ROOT r = f32[8]{0} negate(p)"},
           {"ROOT r = f32[8]{0} exp(p)", "ROOT r = f32[8]{0} exponential(p)"}}) {
    const std::string head = "HloModule m\nENTRY e {\n  p = f32[8]{0} parameter(0)\n  ";
    const Json diagnostics = client.Open(head + line + "\n}\n");
    INFO(line << diagnostics.dump());
    const Json fixes = client.Ask("codeAction", "p = ", 0, {{"context", {{"diagnostics", diagnostics}}}})["result"];
    REQUIRE(fixes.size() == 1);
    CHECK(fixes[0]["kind"] == "quickfix");
    const std::string fixed = client.Edited(fixes[0]["edit"]["changes"][Client::kUri]);
    CHECK(fixed == head + right + "\n}\n");
  }
  // Nothing to fix, and nothing that is a diagnostic.
  for (const Json& wrong : {Json(), Json::array({1,
                                                 Json::object(),
                                                 {{"message", "x"}},
                                                 {{"message", 1}, {"range", 2}},
                                                 {{"message", "'; did you mean '"}, {"range", 2}},
                                                 {{"message", "; did you mean 'x'?"}, {"range", Json::object()}}})})
    CHECK(client.Ask("codeAction", "p = ", 0, {{"context", {{"diagnostics", wrong}}}})["result"] == Json::array());
}

TEST_CASE("signatures, callers and callees, names of all texts, kinds of words") {
  Client client;
  client.Open(kText);
  const Json help = client.Ask("signatureHelp", "%zero), dim", 2)["result"];
  CHECK(help["signatures"][0]["label"] == "reduce(a, b, ...), dimensions=, to_apply=");
  CHECK(help["activeParameter"] == 1);
  CHECK(client.Ask("signatureHelp", "multiply(f32[4]{0} %a", 20)["result"]["signatures"][0]["label"] ==
        "multiply(a, b)");
  CHECK(client.Ask("signatureHelp", "dimensions={0}")["result"].is_null());

  const Json items = client.Ask("prepareCallHierarchy", "%sum (", 2)["result"];
  REQUIRE(items.size() == 1);
  CHECK(items[0]["name"] == "sum");
  const Json callers = client.Request("callHierarchy/incomingCalls", {{"item", items[0]}})["result"];
  REQUIRE(callers.size() == 1);
  CHECK(callers[0]["from"]["name"] == "e");
  CHECK(client.Under(callers[0]["fromRanges"][0]) == "sum");
  const Json callees = client.Request("callHierarchy/outgoingCalls", {{"item", callers[0]["from"]}})["result"];
  REQUIRE(callees.size() == 1);
  CHECK(callees[0]["to"] == items[0]);
  CHECK(client.Request("callHierarchy/outgoingCalls", {{"item", 1}}).contains("error"));
  CHECK(client.Ask("prepareCallHierarchy", "%m = ", 1)["result"].is_null());

  const Json symbols = client.Request("workspace/symbol", {{"query", "U"}})["result"];
  REQUIRE(symbols.size() == 2);
  CHECK(symbols[0]["name"] == "sum");
  CHECK(symbols[1]["name"] == "unused");
  CHECK(symbols[1]["containerName"] == "e");

  const Json tokens = client.Ask("semanticTokens/full", "m")["result"]["data"];
  REQUIRE(tokens.size() % 5 == 0);
  std::map<std::string, std::set<std::string>> words;
  int64_t line = 0, character = 0;
  const Json legend = lsp::TokenLegend()["tokenTypes"];
  for (size_t k = 0; k < tokens.size(); k += 5) {
    const int64_t down = tokens[k], right = tokens[k + 1], size = tokens[k + 2];
    line += down, character = down == 0 ? character + right : right;
    const Json range = {{"start", {{"line", line}, {"character", character}}},
                        {"end", {{"line", line}, {"character", character + size}}}};
    words[legend[tokens[k + 3].get<size_t>()]].insert(client.Under(range));
  }
  CHECK(words["function"] == std::set<std::string>{"sum", "e"});
  CHECK(words["parameter"] == std::set<std::string>{"x", "y", "a", "b"});
  CHECK(words["variable"] == std::set<std::string>{"add", "m", "zero", "unused", "r"});
  CHECK(words["type"].count("f32[4]{0}") == 1);
  CHECK(words["method"].count("reduce") == 1);
  const Json some =
      client.Ask("semanticTokens/range", "m", 0,
                 {{"range", {{"start", {{"line", 12}, {"character", 0}}}, {"end", {{"line", 13}, {"character", 0}}}}}});
  CHECK(some["result"]["data"].size() == 3 * 5);
}

TEST_CASE("renaming changes every use and nothing else, and takes no name that is taken") {
  Client client;
  client.Open(kText);
  const auto rename = [&](std::string_view mark, int64_t ahead, const char* name) {
    return client.Ask("rename", mark, ahead, {{"newName", name}});
  };
  const Json answer = rename("reduce(%m", 8, "%product");
  const std::string text = client.Edited(answer["result"]["changes"][Client::kUri]);
  auto module = ParseModule(text);
  REQUIRE(module.ok());
  CHECK((*module)->entry_computation()->root()->operand(0)->name() == "product");
  CHECK(text.find("multiply") != std::string::npos);
  const std::string other = client.Edited(rename("%sum (", 1, "plus")["result"]["changes"][Client::kUri]);
  CHECK(other.find("sum") == std::string::npos);
  CHECK(ParseModule(other).ok());
  CHECK(rename("%m = ", 1, "a")["error"]["message"] == "'a' already exists");
  CHECK(rename("%m = ", 1, "a b")["error"]["code"] == -32803);
  CHECK(rename("dimensions", 1, "x").contains("error"));
  CHECK(client.Ask("prepareRename", "dimensions")["result"].is_null());
  CHECK(client.Under(client.Ask("prepareRename", "%m = ", 1)["result"]) == "m");
}

TEST_CASE("inlays are the shapes that the text leaves out") {
  Client client;
  client.Open("ENTRY e {\n  a = f32[2,3] parameter(0)\n  n = negate(f32[2,3] a)\n  ROOT s = add(n, /*b*/ a)\n}\n");
  std::vector<std::string> found;
  const Json answer = client.Ask("inlayHint", "ENTRY");
  for (const Json& hint : answer["result"])
    found.push_back(std::to_string(hint["position"]["line"].get<int>()) + ":" +
                    std::to_string(hint["position"]["character"].get<int>()) + " " + hint["label"].get<std::string>());
  CHECK(found == Texts{"2:6 f32[2,3]{1,0}", "3:11 f32[2,3]{1,0}", "3:15 f32[2,3]", "3:24 f32[2,3]"});
}

TEST_CASE("formatting moves blanks alone") {
  Client client;
  client.Open(
      "HloModule m\nadd{ x=f32[] parameter(0)\n\n\n  y = f32[]  parameter(1) // why\n ROOT r = f32[] add (x,y) ,"
      "metadata={op_name=\"a  b\"}   }\n\n\nENTRY   e {\n  c = f32[2] constant({1,\n   2})\n}  ");
  const Json edits = client.Ask("formatting", "HloModule")["result"];
  CHECK(client.Edited(edits) ==
        "HloModule m\n\nadd {\n  x = f32[] parameter(0)\n\n  y = f32[] parameter(1) // why\n ROOT r = f32[] add(x, y), "
        "metadata={op_name=\"a  b\"}\n}\n\nENTRY e {\n  c = f32[2] constant({1,\n   2})\n}\n");
  // Formatting is idempotent, and leaves real modules equal.
  int count = 0;
  for (const std::filesystem::path& path : FilesIn(std::string(kCorpusFolder) + "/modules")) {
    if (++count % 7 != 0) continue;
    const StatusOr<std::string> text = ReadFile(path.string());
    REQUIRE(text.ok());
    INFO(path);
    CHECK(client.Open(*text).dump().find("parser") == std::string::npos);
    const std::string once = client.Edited(client.Ask("formatting", "HloModule")["result"]);
    auto before = ParseModule(*text), after = ParseModule(once);
    REQUIRE(before.ok());
    REQUIRE(after.ok());
    CHECK(PrintModule(**before, PrintOptions::Readable()) == PrintModule(**after, PrintOptions::Readable()));
    client.Open(once);
    CHECK(client.Ask("formatting", "HloModule")["result"] == Json::array());
  }
  CHECK(count > 100);
}

TEST_CASE("the outline finds what the parser finds, on the corpus") {
  int count = 0;
  for (const std::string& folder :
       {std::string(kCorpusFolder) + "/modules", std::string(kCorpusFolder) + "/with_metadata"}) {
    for (const std::filesystem::path& path : FilesIn(folder)) {
      const StatusOr<std::string> text = ReadFile(path.string());
      REQUIRE(text.ok());
      INFO(path);
      const lsp::Document document(*text, false);
      REQUIRE(document.parses());
      ++count;
      const lsp::Outline& outline = document.outline();
      const std::vector<lsp::Spot> spots = AllSpots(document);
      std::set<const HloInstruction*> linked;
      for (size_t k = 0; k < outline.instructions.size(); ++k) {
        const HloInstruction* known = document.InstructionOf(static_cast<int32_t>(k));
        REQUIRE(known != nullptr);
        linked.insert(known);
        const std::string_view opcode = outline.instructions[k].opcode.In(*text);
        if (!known->Is(kAsyncPart)) CHECK(opcode == known->opcode_name());
        CHECK(outline.instructions[k].is_root == known->IsRoot());
        // Its operands, by name, as the outline has them.
        if (known->Is(kAsyncPart)) continue;
        std::vector<const HloInstruction*> operands;
        for (const lsp::Spot& spot : spots)
          if (spot.owner == static_cast<int32_t>(k) && spot.kind == lsp::Spot::Kind::kInstruction && !spot.defines &&
              spot.target >= 0)
            operands.push_back(document.InstructionOf(spot.target));
        if (!known->HasControlDependencies())
          CHECK(operands == std::vector<const HloInstruction*>(known->operands().begin(), known->operands().end()));
      }
      CHECK(linked.size() == outline.instructions.size());
      for (const lsp::Spot& spot : spots) {
        if (spot.kind == lsp::Spot::Kind::kComputation || spot.kind == lsp::Spot::Kind::kInstruction)
          CHECK(spot.target >= 0);
      }
    }
    if (count > 400) break;
  }
  CHECK(count > 300);
}

TEST_CASE("requests out of order, unknown, or malformed are refused, and the server lives on") {
  LanguageServer server;
  const auto code = [&](const char* message) {
    const auto out = server.Handle(message);
    if (out.empty()) return 0;
    const Json answer = Json::parse(out[0]);
    return answer.contains("error") ? answer["error"]["code"].get<int>() : 1;
  };
  CHECK(code("{") == -32700);
  CHECK(code("") == -32700);
  CHECK(code("\xff\xfe") == -32700);
  CHECK(code("[]") == -32600);
  CHECK(code("{\"id\":1}") == -32600);
  CHECK(code(std::string(100000, '[').c_str()) == -32700);
  CHECK(code(R"({"id":1,"method":"textDocument/hover","params":{}})") == -32002);
  CHECK(code(R"({"id":1,"method":"initialize"})") == 1);
  CHECK(code(R"({"id":1,"method":"initialize"})") == -32600);
  CHECK(code(R"({"id":"a","method":"textDocument/hover","params":{"textDocument":{"uri":"file:///no"}}})") == -32602);
  CHECK(code(R"({"id":2,"method":"workspace/colour"})") == -32601);
  CHECK(code(R"({"id":2,"method":"textDocument/colour","params":{"textDocument":{"uri":"u"}}})") == -32602);
  CHECK(code(R"({"method":"textDocument/didChange","params":[1,2]})") == 0);
  CHECK(code(R"({"id":7,"result":null})") == 0);
  server.Handle(R"({"method":"textDocument/didOpen","params":{"textDocument":{"uri":"u","text":"HloModule é𝄞 x"}}})");
  CHECK(
      code(
          R"({"id":3,"method":"textDocument/hover","params":{"textDocument":{"uri":"u"},"position":{"line":-1,"character":1e9}}})") ==
      1);
  CHECK(
      code(
          R"({"id":3,"method":"textDocument/rename","params":{"textDocument":{"uri":"u"},"position":{"line":99999999999999999999,"character":"x"}}})") ==
      -32803);
  CHECK_FALSE(server.exited());
  CHECK(code(R"({"id":4,"method":"shutdown"})") == 1);
  CHECK(server.shut_down());
  CHECK(code(R"({"id":5,"method":"textDocument/hover"})") == -32600);
  CHECK(code(R"({"method":"exit"})") == 0);
  CHECK(server.exited());
}

TEST_CASE("messages are cut out of bytes as they come") {
  MessageStream stream;
  const std::string bytes = FrameMessage("{}") + "content-type: x\r\nCONTENT-LENGTH:   3\r\n\r\n[1]" + FrameMessage("");
  std::vector<std::string> found;
  for (const char c : bytes) {
    stream.Append({&c, 1});
    while (const auto message = stream.Next()) found.push_back(*message);
  }
  CHECK(found == Texts{"{}", "[1]", ""});
  for (const char* wrong : {"\r\n\r\n", "Content-Length: x\r\n\r\n", "Content-Length: 99999999999\r\n\r\n",
                            "Content-Length: 99999999999999999999999\r\n\r\n"}) {
    MessageStream other;
    other.Append(wrong);
    CHECK_FALSE(other.Next());
    CHECK_FALSE(other.status().ok());
  }
  MessageStream endless;
  endless.Append(std::string(10000, 'x'));
  CHECK_FALSE(endless.Next());
  CHECK_FALSE(endless.status().ok());
}

TEST_CASE("positions are UTF-16 units, or bytes where the client takes them") {
  const std::string text = "// é𝄞x\nENTRY e { ROOT é }";
  const lsp::Document utf16(text, false), utf8(text, true);
  CHECK(utf16.PositionOf(text.find('x')).character == 6);
  CHECK(utf8.PositionOf(text.find('x')).character == 9);
  CHECK(utf16.OffsetOf({0, 6}) == text.find('x'));
  CHECK(utf8.OffsetOf({0, 9}) == text.find('x'));
  CHECK(utf16.OffsetOf({0, 100}) == text.find('\n'));
  CHECK(utf16.OffsetOf({7, 0}) == text.size());
}

// Cut, doubled and broken anywhere, a text gets an answer to each question, and edits in pieces come to the same as the
// text at once.
TEST_CASE("no text is too broken to ask about") {
  std::mt19937 random(1);
  const auto number = [&](size_t below) { return std::uniform_int_distribution<size_t>(0, below - 1)(random); };
  const std::string whole = std::string(kText) + "// -----\n" + kText;
  for (int round = 0; round < 300; ++round) {
    std::string text = whole;
    for (size_t edits = 1 + number(6); edits > 0 && !text.empty(); --edits) {
      const size_t at = number(text.size()), size = number(std::min<size_t>(40, text.size() - at) + 1);
      switch (number(4)) {
        case 0: text.erase(at, size); break;
        case 1: text.insert(at, text.substr(number(text.size()), size)); break;
        case 2: text[at] = static_cast<char>(number(128)); break;
        case 3: text.insert(at, 1 + number(3), "(){}[],=%\"'/*\\\n"[number(15)]); break;
      }
    }
    for (char& c : text) c = static_cast<char>(c & 0x7F);
    const lsp::Document document(text, false);
    for (const lsp::Outline::Edit& edit : lsp::LayoutOf(text)) {
      REQUIRE(edit.range.begin <= edit.range.end);
      // Formatting takes away nothing but blanks.
      REQUIRE(edit.range.In(text).find_first_not_of(" \t\r\n") == std::string_view::npos);
    }
    const std::vector<lsp::Spot> spots = AllSpots(document);
    for (size_t k = 1; k < spots.size(); ++k) REQUIRE(spots[k - 1].range.begin <= spots[k].range.begin);
    for (int question = 0; question < 20; ++question) {
      const size_t at = number(text.size() + 1);
      CHECK(document.OffsetOf(document.PositionOf(at)) <= text.size());
      (void)lsp::Hover(document, at), (void)lsp::Completion(document, at), (void)lsp::Definition(document, "u", at);
      (void)lsp::SignatureHelp(document, at), (void)lsp::CallItems(document, "u", at);
      (void)lsp::IncomingCalls(document, "u", at), (void)lsp::OutgoingCalls(document, "u", at);
      (void)lsp::References(document, "u", at, true), (void)lsp::Rename(document, "u", at, "n");
    }
    (void)lsp::Tokens(document, {0, static_cast<uint32_t>(text.size())});
    (void)lsp::Symbols(document), (void)lsp::Folds(document);
    (void)lsp::InlayHints(document, {0, static_cast<uint32_t>(text.size())});
  }
}

// The outline of an edited text is that of the text, edit by edit, wherever it is broken.
TEST_CASE("an outline that follows edits is the outline of the text") {
  std::mt19937 random(2);
  const auto number = [&](size_t below) { return std::uniform_int_distribution<size_t>(0, below - 1)(random); };
  const std::string whole = std::string(kText) + "// -----\n" + kText;
  const std::vector<std::string> pieces = {"(",
                                           ")",
                                           "{",
                                           "}",
                                           "[",
                                           "]",
                                           ",",
                                           "=",
                                           "\"",
                                           "/*",
                                           "*/",
                                           "\n",
                                           "  q = f32[] negate(zero)\n",
                                           "ROOT ",
                                           "%",
                                           "add(",
                                           "x",
                                           " ",
                                           "}\n}\n",
                                           "e {\n",
                                           "// ",
                                           "HloModule n\n"};
  const auto text_of = [](const lsp::Outline& outline) {
    std::string all;
    const auto add = [&](lsp::Range range) {
      // An empty range is nowhere.
      all += range.empty() ? "-," : std::to_string(range.begin) + ":" + std::to_string(range.end) + ",";
    };
    for (const auto& m : outline.modules)
      add(m.name), add(m.whole), all += std::to_string(m.first) + "-" + std::to_string(m.end) + ";";
    for (const auto& c : outline.computations)
      add(c.name), add(c.whole),
          all += std::to_string(c.first) + "-" + std::to_string(c.end) + (c.is_entry ? "E;" : ";");
    for (const auto& i : outline.instructions)
      add(i.name), add(i.shape), add(i.opcode), add(i.metadata), add(i.whole), all += i.is_root ? "R;" : ";";
    return all;
  };
  size_t read = 0, total = 0;
  for (int round = 0; round < 200; ++round) {
    lsp::Document document(whole, false, false);
    for (int edit = 0; edit < 12; ++edit) {
      const std::string before = document.text();
      const size_t at = number(before.size() + 1), size = number(3) == 0 ? number(30) : number(3);
      const std::string& piece = pieces[number(pieces.size())];
      const size_t read_before = document.outline().bytes_read;
      document.Replace(at, at + size, number(4) == 0 ? "" : piece);
      read += document.outline().bytes_read - read_before, total += document.text().size();
      INFO(before << "\n--- at " << at << ", " << size << " bytes\n" << document.text());
      REQUIRE(text_of(document.outline()) == text_of(lsp::ReadOutline(document.text())));
      // Lines, too.
      const lsp::Document anew(document.text(), false, false);
      for (size_t k = 0; k < document.text().size(); k += 7)
        REQUIRE(document.PositionOf(k).line == anew.PositionOf(k).line);
    }
  }
  CHECK(read < total);
}

namespace {

// A computation of `count` additions, of some 75 bytes each.
std::string Chain(int count) {
  std::string text = "HloModule m\n\nENTRY e {\n  v0 = f32[64,32]{1,0} parameter(0)\n";
  for (int k = 1; k <= count; ++k) {
    text += k == count ? "  ROOT v" : "  v";
    text += std::to_string(k) + " = f32[64,32]{1,0} add(f32[64,32]{1,0} v" + std::to_string(k - 1) +
            ", f32[64,32]{1,0} v0)\n";
  }
  return text + "}\n";
}

}  // namespace

TEST_CASE("an edit reads the statements around it, whatever it breaks") {
  lsp::Document document(Chain(10'000), false, false);
  const auto work = [&](size_t at, size_t size, std::string_view by) {
    const size_t before = document.outline().bytes_read;
    document.Replace(at, at + size, by);
    return document.outline().bytes_read - before;
  };
  const size_t middle = document.text().find("  v5000 = ");
  for (const std::string_view typed : {" ", "x", "\"", "(", ")", "[", "{", ",", "=", "%", "\n", "  w = f32[] ad"}) {
    for (const size_t ahead : {size_t{2}, size_t{4}, size_t{9}, size_t{20}, size_t{28}, size_t{32}, size_t{60}}) {
      INFO("typed " << typed << " at " << ahead);
      CHECK(work(middle + ahead, 0, typed) < 1000);
      CHECK(work(middle + ahead, typed.size(), "") < 1000);
    }
  }
  // Several statements, and the last one.
  CHECK(work(middle, document.text().find("  v5010 = ") - middle, "") < 1000);
  CHECK(document.outline().instructions.size() == 10'001 - 10);
  CHECK(work(document.text().size() - 10, 2, "") < 1000);
}

TEST_CASE("a reading of another text than the document's is refused") {
  lsp::Document document("HloModule a\n", false, false);
  const auto before = document.snapshot();
  document.Replace(10, 11, "b");
  CHECK(*before == "HloModule a\n");
  CHECK_FALSE(document.Install(lsp::ReadModules(before)));
  CHECK(document.Install(lsp::ReadModules(document.snapshot())));
  // A document that is closed and opened again with another text.
  const lsp::Document first(std::string("HloModule a\n"), false, false);
  lsp::Document second("HloModule b\n", false, false);
  CHECK_FALSE(second.Install(lsp::ReadModules(first.snapshot())));
}

// The parts that stood for the text's square: each instruction was sought in its computation, name by name.
TEST_CASE("a long text is checked after the edits, in another thread") {
  std::mutex mutex;
  std::condition_variable told;
  std::vector<Json> later;
  LanguageServer server([&](const std::string& message) {
    const std::lock_guard lock(mutex);
    later.push_back(Json::parse(message));
    told.notify_all();
  });
  const auto handle = [&](const std::string& method, Json params, bool is_request = false) {
    Json message = {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
    if (is_request) message["id"] = 1;
    return server.Handle(message.dump());
  };
  const auto wait = [&](size_t count) {
    std::unique_lock lock(mutex);
    return told.wait_for(lock, std::chrono::seconds(120), [&] { return later.size() >= count; });
  };
  handle("initialize", Json::object(), true);
  const std::string text = Chain(10'000);
  REQUIRE(text.size() > size_t{1} << 19);
  const Json document = {{"uri", "file:///long.hlo"}};
  CHECK(handle("textDocument/didOpen", {{"textDocument", {{"uri", document["uri"]}, {"text", text}}}}).empty());
  REQUIRE(wait(1));
  CHECK(later[0]["params"]["diagnostics"] == Json::array());
  // Ten keystrokes cause one check, of the final text; requests in between are answered.
  const int line = 5000;
  for (int k = 0; k < 10; ++k) {
    CHECK(handle("textDocument/didChange",
                 {{"textDocument", document}, {"contentChanges", Json::array({Edit(line, 3, 3, "x")})}})
              .empty());
    const auto hover = handle("textDocument/hover",
                              {{"textDocument", document}, {"position", {{"line", 300}, {"character", 3}}}}, true);
    CHECK(hover.at(0).find("f32[64,32]") != std::string::npos);
  }
  REQUIRE(wait(2));
  const Json found = later[1]["params"]["diagnostics"];
  REQUIRE(found.size() == 1);
  CHECK(found[0]["message"].get<std::string>().find("is not defined") != std::string::npos);
  CHECK(found[0]["range"]["start"]["line"] == line + 1);
  CHECK(later.size() == 2);
  // A short text is checked at once; a closed one has none.
  CHECK(handle("textDocument/didOpen", {{"textDocument", {{"uri", "file:///short.hlo"}, {"text", kText}}}}).size() ==
        1);
  CHECK(handle("textDocument/didClose", {{"textDocument", document}}).size() == 1);
}

// Analyses need not accept modules that the verifier refuses; hovers have the available parts.
TEST_CASE("illegal modules can be asked about") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(kTestsFolder) + "/verifier_errors")) {
    const StatusOr<std::string> text = ReadFile(entry.path().string());
    REQUIRE(text.ok());
    // Files have many modules each, some of which cannot be in one text.
    for (size_t at = 0; at < text->size();) {
      const size_t end = std::min(text->find("\n// -----", at), text->size() - 1) + 1;
      const lsp::Document document(text->substr(at, end - at), false);
      at = end;
      for (const lsp::Spot& spot : AllSpots(document)) (void)lsp::Hover(document, spot.range.begin);
      (void)lsp::InlayHints(document, {0, static_cast<uint32_t>(end)});
      count += document.parses();
    }
  }
  CHECK(count > 20);
}

// Brackets, quotes and comments without an end are not sought again and again: each of these would take minutes.
TEST_CASE("half a megabyte of what never ends is read at once") {
  for (const std::string_view piece : {"(\n", "\"\\\n", "/*", "'", "{[", "a = f32[\n", "e {\n", "%", ",,", "\\\""}) {
    std::string text = "ENTRY e {\n";
    while (text.size() < 1 << 19) text += piece;
    INFO(piece);
    const std::clock_t begin = std::clock();
    const lsp::Outline outline = lsp::ReadOutline(text);
    CHECK(std::clock() - begin < 5 * CLOCKS_PER_SEC);
    CHECK(outline.instructions.size() <= text.size());
    CHECK(lsp::LayoutOf(text).size() <= text.size());
  }
}

TEST_CASE("each opcode has its formula") {
  for (int k = 0; k < kOpcodeCount; ++k) CHECK_FALSE(lsp::OpcodeFormula(static_cast<HloOpcode>(k)).empty());
}
