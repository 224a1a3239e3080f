// hloir/io.h: modules in every file format, and atomic writes that keep the old file on errors.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/unit/catch.h"
#include "hloir/io.h"
#include "hloir/parser.h"

using namespace hloir;
namespace fs = std::filesystem;

namespace {

constexpr const char* kText = R"(HloModule m

ENTRY e {
  p = f32[2] parameter(0)
  ROOT n = f32[2] negate(p)
}
)";

std::unique_ptr<HloModule> Module() {
  auto module = ParseModule(kText);
  REQUIRE(module.ok());
  return std::move(*module);
}

// A folder that is gone when the test is over.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/hloir-io-test-XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const char* name) const { return (path_ / name).string(); }
  size_t size() const { return static_cast<size_t>(std::distance(fs::directory_iterator(path_), {})); }

 private:
  fs::path path_;
};

std::string Content(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

mode_t ModeOf(const std::string& path) {
  struct stat status {};
  REQUIRE(lstat(path.c_str(), &status) == 0);
  return status.st_mode;
}

}  // namespace

TEST_CASE("a module is the same from every form of file") {
  const Folder folder;
  const auto module = Module();
  const std::string text = PrintModule(*module);
  for (const char* name : {"m.hlo", "m.txt", "m.pb", "m.json", "m.hlo.gz", "m.pb.gz", "m.json.gz"}) {
    INFO(name);
    const std::string path = folder / name;
    REQUIRE(WriteModule(*module, path).ok());
    const auto file = ReadModuleFile(path);
    REQUIRE(file.ok());
    const auto format = FormatOf(path);
    REQUIRE(format.ok());
    CHECK(file->format.form == format->form);
    CHECK(file->format.gzip == format->gzip);
    CHECK(PrintModule(file->module()) == text);
    // And back by the file's own serializer, byte for byte.
    const auto bytes = SerializeModuleFile(*file, *format);
    REQUIRE(bytes.ok());
    CHECK(*bytes == Content(path));
  }
  CHECK(folder.size() == 7);  // and nothing temporary
  CHECK_FALSE(FormatOf("m.onnx").ok());
  CHECK_FALSE(FormatOf("a.hlo/m.npz").ok());
  CHECK(FormatOf("a.b/m").ok());
}

TEST_CASE("the message a module is written as can be chosen") {
  const auto module = Module();
  for (auto form : {HloProtoFile::Form::kHloProto, HloProtoFile::Form::kHloModuleProto,
                    HloProtoFile::Form::kHloSnapshot, HloProtoFile::Form::kHloUnoptimizedSnapshot}) {
    WriteOptions options;
    options.message = form;
    const auto bytes = SerializeModule(*module, {.form = FileFormat::Form::kProto}, options);
    REQUIRE(bytes.ok());
    const auto file = ParseModuleFile(*bytes);
    REQUIRE(file.ok());
    if (form != HloProtoFile::Form::kHloUnoptimizedSnapshot)
      CHECK(file->proto.form == form);  // without partitions: HloProto
  }
}

TEST_CASE("read options: verification, several modules, names in messages") {
  const std::string wrong = "HloModule m\n\nENTRY e {\n  p = f32[2] parameter(0)\n  ROOT n = f32[3] negate(p)\n}\n";
  const auto refused = ParseModuleFile(wrong, {.file_name = "wrong.hlo"});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.status().message().starts_with("wrong.hlo:5:8: error: "));
  CHECK(ParseModuleFile(wrong, {.verify = false}).ok());
  std::string twice = kText;
  twice += kText;
  const auto two = ParseModuleFile(twice);
  REQUIRE(two.ok());
  CHECK(two->modules.size() == 2);
  CHECK_FALSE(ParseModuleFile(twice, {.one_module = true}).ok());
  CHECK_FALSE(SerializeModuleFile(*two, {.form = FileFormat::Form::kProto}).ok());
  CHECK_FALSE(ReadModule("/no/such/file.hlo").ok());
}

TEST_CASE("a verifier's report shows no control characters of the source") {
  const std::string wrong =
      "HloModule m\n\nENTRY e {\n  p = f32[2] parameter(0)\n"
      "  ROOT n = f32[3] negate(p), metadata={op_name=\"a\x1b[31mb\"}\n}\n";
  const auto refused = ParseModuleFile(wrong);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.status().message().find('\x1b') == std::string::npos);
  CHECK(refused.status().message().find("a [31mb") != std::string::npos);
}

TEST_CASE("a snapshot's values go in and come out") {
  ModuleFile file;
  file.modules.push_back(Module());
  StoredValues values;
  values.inputs.push_back(Literal(Shape::Array(PrimitiveType::F32, {2})));
  values.inputs[0].data<float>()[1] = 3;
  values.results = values.inputs;
  REQUIRE(SetStoredValues(values, file).ok());
  CHECK(file.proto.form == HloProtoFile::Form::kHloSnapshot);
  const auto bytes = SerializeModuleFile(file, {.form = FileFormat::Form::kProto});
  REQUIRE(bytes.ok());
  const auto back = ParseModuleFile(*bytes);
  REQUIRE(back.ok());
  REQUIRE(back->has_arguments());
  const auto stored = StoredValuesOf(back->proto);
  REQUIRE(stored.ok());
  REQUIRE(stored->results.size() == 1);
  CHECK(stored->inputs[0].data<float>()[1] == 3);
  CHECK_FALSE(StoredValuesOf(back->proto, 1).ok());
  values.results.push_back(values.results[0]);
  CHECK_FALSE(SetStoredValues(values, file).ok());  // the module has one result
}

TEST_CASE("writing keeps a file's permissions and a link") {
  const Folder folder;
  const std::string file = folder / "secret.txt", link = folder / "link.txt";
  REQUIRE(WriteFile(file, "old").ok());
  REQUIRE(chmod(file.c_str(), 0600) == 0);
  REQUIRE(symlink("secret.txt", link.c_str()) == 0);
  REQUIRE(WriteFile(link, "new").ok());
  CHECK(S_ISLNK(ModeOf(link)));
  CHECK((ModeOf(file) & 07777) == 0600);
  CHECK(Content(file) == "new");
  const Literal value(Shape::Array(PrimitiveType::F32, {2}));
  const Literal* const leaves[] = {&value};
  REQUIRE(WriteNpz(link, "in", leaves).ok());
  CHECK(S_ISLNK(ModeOf(link)));
  CHECK((ModeOf(file) & 07777) == 0600);
  CHECK(folder.size() == 2);
  const std::string dangling = folder / "dangling.txt";
  REQUIRE(symlink("made.txt", dangling.c_str()) == 0);
  REQUIRE(WriteFile(dangling, "through").ok());
  CHECK(Content(folder / "made.txt") == "through");
}

TEST_CASE("a file written in pieces appears as a whole") {
  const Folder folder;
  const std::string file = folder / "pieces.txt";
  REQUIRE(WriteFile(file, "old").ok());
  const auto produce = [](const Status& end) {
    return [end](const WriteText& write) -> Status {
      HLOIR_RETURN_IF_ERROR(write("new, "));
      HLOIR_RETURN_IF_ERROR(write("in two"));
      return end;
    };
  };
  CHECK(WriteFile(file, produce(Internal("stopped"))).message() == "stopped");
  CHECK(Content(file) == "old");
  CHECK(folder.size() == 1);
  CHECK(WriteFile(file, produce(OkStatus())).ok());
  CHECK(Content(file) == "new, in two");

  // Longer than a piece of the printer's and than zlib's buffers.
  std::string text = "HloModule m\n\nENTRY e {\n  n.0 = f32[2]{0} parameter(0)\n";
  for (int i = 1; i < 20000; ++i)
    text += "  n." + std::to_string(i) + " = f32[2]{0} negate(n." + std::to_string(i - 1) + ")\n";
  const auto module = ParseModule(text + "  ROOT r = f32[2]{0} negate(n.19999)\n}\n");
  REQUIRE(module.ok());
  for (const char* name : {"long.hlo", "long.hlo.gz"}) {
    REQUIRE(WriteModule(**module, folder / name).ok());
    const auto read = ReadModule(folder / name);
    REQUIRE(read.ok());
    CHECK(PrintModule(**read, PrintOptions::Readable()) == PrintModule(**module, PrintOptions::Readable()));
  }
}

TEST_CASE("what cannot be written is an error, and the old file stays") {
  const Folder folder;
  CHECK_FALSE(WriteFile(folder / "no/such/folder.txt", "x").ok());
  CHECK_FALSE(WriteFile(folder / ".", "x").ok());
  CHECK(folder.size() == 0);
  const std::string name = folder / std::string(250, 'n').c_str();  // almost as long as a name may be
  CHECK(WriteFile(name, "x").ok());
  CHECK(Content(name) == "x");
  const Literal value(Shape::Array(PrimitiveType::F32, {2}));
  const Literal* const leaves[] = {&value};
  CHECK_FALSE(WriteNpz("-", "in", leaves).ok());
  if (geteuid() == 0) return;  // root may write everything
  const std::string kept = folder / "kept.txt";
  REQUIRE(WriteFile(kept, "old").ok());
  REQUIRE(chmod(kept.c_str(), 0444) == 0);
  CHECK_FALSE(WriteFile(kept, "new").ok());
  CHECK(Content(kept) == "old");
}
