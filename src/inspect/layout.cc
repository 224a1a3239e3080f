// See layout.h.
#include "inspect/layout.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "support/parallel.h"
#include "support/format.h"
#include "support/number.h"

extern char** environ;

namespace hloir {
namespace {

// A file without a name, which goes when it is closed.
class ScratchFile {
 public:
  ScratchFile() {
    std::string path = "/tmp/hloir-XXXXXX";
    if (const char* folder = std::getenv("TMPDIR"); folder != nullptr && *folder != '\0')
      path = std::string(folder) + "/hloir-XXXXXX";
    fd_ = mkstemp(path.data());
    if (fd_ >= 0) unlink(path.c_str());
  }
  ~ScratchFile() {
    if (fd_ >= 0) close(fd_);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  int fd() const { return fd_; }

  bool Fill(std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = write(fd_, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      text.remove_prefix(static_cast<size_t>(n));
    }
    return lseek(fd_, 0, SEEK_SET) == 0;
  }
  std::string Contents() {
    std::string text;
    char buffer[1 << 16];
    if (lseek(fd_, 0, SEEK_SET) != 0) return text;
    for (ssize_t n; (n = read(fd_, buffer, sizeof(buffer))) != 0;) {
      if (n > 0) text.append(buffer, static_cast<size_t>(n));
      else if (errno != EINTR) break;
    }
    return text;
  }

 private:
  int fd_ = -1;
};

// Words of a line, by blanks.
std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}
double Number(std::string_view text) {
  double value = 0;
  ReadNumber(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

StatusOr<std::string> RunDot(const std::string& text, const std::string& format) {
  ScratchFile in, out, errors;
  if (in.fd() < 0 || out.fd() < 0 || errors.fd() < 0 || !in.Fill(text))
    return InvalidArgument(Format("cannot write to the folder for temporary files: {}", std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.fd(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.fd(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.fd(), STDERR_FILENO);
  std::string program = "dot", option = "-T" + format;
  char* arguments[] = {program.data(), option.data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, "dot", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    return Unimplemented("pictures are laid out by Graphviz's program 'dot', which was not found (Debian: graphviz)");
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
      return Unimplemented("pictures are laid out by Graphviz's program 'dot', which was not found (Debian: graphviz)");
    return Unimplemented(Format("Graphviz's program 'dot' failed: {}", errors.Contents().substr(0, 500)));
  }
  return out.Contents();
}

namespace {

// A graph in Graphviz's language. Edges are drawn by the page. The limits keep long searches for a little less crossing
// short; of many graphs, shorter.
std::string DotOf(const LayoutGraph& graph, bool many) {
  constexpr double kPoints = 72;
  std::string text = Format(
      "digraph {{splines=false;nslimit={};nslimit1={};mclimit={};ranksep=0.5;nodesep=0.22;"
      "node[shape=box,fixedsize=true];\n",
      many ? 0.2 : 2, many ? 0.2 : 2, many ? 0.05 : 0.5);
  for (size_t k = 0; k < graph.sizes.size(); ++k) {
    text +=
        Format("{}[width={:.3f},height={:.3f}];\n", k, graph.sizes[k].first / kPoints, graph.sizes[k].second / kPoints);
  }
  for (const auto& [from, to] : graph.edges) text += Format("{}->{};\n", from, to);
  return text + "}\n";
}

// Graphviz's "plain": graph SCALE WIDTH HEIGHT, node NAME X Y …, edge …, stop; in inches, y upwards.
std::vector<LayoutResult> ReadPlain(std::string_view rest) {
  constexpr double kPoints = 72;
  std::vector<LayoutResult> results;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with("graph ")) {
      const std::vector<std::string_view> words = Words(line);
      if (words.size() < 4) break;
      LayoutResult& result = results.emplace_back();
      result.width = Number(words[2]) * kPoints, result.height = Number(words[3]) * kPoints;
    } else if (line.starts_with("node ") && !results.empty()) {
      const std::vector<std::string_view> words = Words(line);
      size_t node = 0;
      if (words.size() < 4) continue;
      std::from_chars(words[1].data(), words[1].data() + words[1].size(), node);
      LayoutResult& result = results.back();
      constexpr size_t kMostNodes = 1 << 20;
      if (node >= kMostNodes) continue;
      result.centers.resize(std::max(result.centers.size(), node + 1));
      result.centers[node] = {Number(words[2]) * kPoints, result.height - Number(words[3]) * kPoints};
    }
  }
  return results;
}

}  // namespace

StatusOr<std::vector<LayoutResult>> LayOut(const std::vector<LayoutGraph>& graphs) {
  constexpr size_t kMany = 100, kAtOnce = 16;
  // The layers of a model look the same: each graph is laid out once.
  std::unordered_map<std::string, size_t> known;
  std::vector<const std::string*> texts;
  std::vector<size_t> text_of;
  for (const LayoutGraph& graph : graphs) {
    const auto [it, inserted] = known.try_emplace(DotOf(graph, graphs.size() > kMany), texts.size());
    if (inserted) texts.push_back(&it->first);
    text_of.push_back(it->second);
  }
  // Some at once, as starting the program takes a while, on all cores.
  std::vector<LayoutResult> placed(texts.size());
  std::vector<Status> failures((texts.size() + kAtOnce - 1) / kAtOnce);
  ForEachInParallel(failures.size(), 0, [&](size_t group) {
    const size_t begin = group * kAtOnce, end = std::min(begin + kAtOnce, texts.size());
    std::string text;
    for (size_t k = begin; k < end; ++k) text += *texts[k];
    const StatusOr<std::string> plain = RunDot(text, "plain");
    if (!plain.ok()) return void(failures[group] = plain.status());
    std::vector<LayoutResult> results = ReadPlain(*plain);
    if (results.size() != end - begin)
      return void(failures[group] = Unimplemented("Graphviz's program 'dot' gave no layout that can be read"));
    std::move(results.begin(), results.end(), placed.begin() + static_cast<int64_t>(begin));
  });
  for (const Status& failure : failures) HLOIR_RETURN_IF_ERROR(failure);
  std::vector<LayoutResult> results;
  for (size_t k = 0; k < graphs.size(); ++k) {
    results.push_back(placed[text_of[k]]);
    results.back().centers.resize(graphs[k].sizes.size());
  }
  return results;
}

}  // namespace hloir
