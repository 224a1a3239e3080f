// The matches of `hloir diff`: renamed modules, each kind of change, the log of rewrites by hloir's passes on the whole
// corpus, and XLA's modules before and after optimization by values.
#include "hloir/inspect.h"

#include <filesystem>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "hloir/analysis.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"
#include "tests/unit/parse.h"

using namespace hloir;

namespace {

const ModuleDiff::Removal* Find(const ModuleDiff& diff, std::string_view name) {
  for (const ModuleDiff::Removal& removal : diff.removed())
    if (removal.instruction->name() == name) return &removal;
  return nullptr;
}
uint32_t ChangesOf(const ModuleDiff& diff, std::string_view name) {
  for (const ModuleDiff::Pair& pair : diff.matched())
    if (pair.before->name() == name) return pair.changes;
  FAIL("no match for " << name);
  return 0;
}

std::vector<std::filesystem::path> Corpus(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& file : FilesIn(std::filesystem::path(kCorpusFolder) / folder))
    if (file.stem().extension() != ".opt") files.push_back(file);
  return files;
}

template <class F>
void ForEach(HloModule& module, F&& f) {
  for (HloInstruction* i : module.AllInstructions()) f(*i);
}

// Passes keep metadata: the replacement of an instruction has its op_name, or has it among the merged ones. With a
// unique op_name for each instruction, the metadata records its replacement.
void Tag(HloModule& module) {
  int64_t n = 0;
  ForEach(module, [&](HloInstruction& i) {
    const std::string tag = std::to_string(n++);
    OpMetadata metadata;
    metadata.op_name = tag;
    i.ClearMergedMetadata();
    i.set_metadata(metadata);
  });
}

struct Truth {
  std::map<const HloInstruction*, std::string> own;
  std::map<const HloInstruction*, std::set<std::string>> all;
  std::map<std::string, std::vector<const HloInstruction*>> by_tag;  // by own
};
// The matches according to the tags; tags and names are removed, so that the diff cannot use them.
Truth TakeTags(HloModule& module) {
  Truth truth;
  ForEach(module, [&](HloInstruction& i) {
    if (i.metadata() != nullptr) {
      const std::string tag(i.metadata()->op_name);
      truth.own[&i] = tag;
      truth.all[&i].insert(tag);
      truth.by_tag[tag].push_back(&i);
    }
    for (const OpMetadata* merged : i.merged_metadata()) truth.all[&i].insert(std::string(merged->op_name));
    i.set_metadata({});
    i.ClearMergedMetadata();
  });
  return truth;
}
void Rename(HloModule& module) {
  int64_t n = 0;
  for (HloComputation* computation : module.computations()) computation->set_name("c" + std::to_string(n++));
  ForEach(module, [&](HloInstruction& i) { i.set_name("n" + std::to_string(n++)); });
}

}  // namespace

TEST_CASE("the record of our passes says that at least 98 % are matched right") {
  int64_t right = 0, wrong = 0, renamed_right = 0, renamed_wrong = 0;
  for (const std::filesystem::path& file : Corpus("modules")) {
    INFO(file.string());
    auto before = ReadModule(file.string());
    REQUIRE(before.ok());
    Tag(**before);
    const std::unique_ptr<HloModule> after = (*before)->Clone();
    auto pipeline = MakePipeline({}, {});
    REQUIRE(pipeline.ok());
    REQUIRE(pipeline->RunOnce(*after).ok());
    Truth was = TakeTags(**before), is = TakeTags(*after);
    std::map<std::string, const HloInstruction*> twins;
    for (const auto& [i, tag] : was.own) twins[tag] = i;
    for (const bool renamed : {false, true}) {
      if (renamed) Rename(*after);
      const ModuleDiff diff(**before, *after);
      // An equal computation is as good, because duplicates are indistinguishable.
      std::set<const HloInstruction*> agreeing;
      if (const auto values = CheckMatchedValues(diff); values.ok())
        agreeing.insert(values->agreeing.begin(), values->agreeing.end());
      std::map<const HloInstruction*, const ModuleDiff::Removal*> removals;
      for (const ModuleDiff::Removal& removal : diff.removed()) removals[removal.instruction] = &removal;
      int64_t good = 0, bad = 0;
      ForEach(**before, [&](HloInstruction& i) {
        const std::string& tag = was.own[&i];
        const HloInstruction* match = diff.MatchOf(i);
        bool ok = false;
        if (match != nullptr) ok = is.all[match].contains(tag) || agreeing.contains(&i);
        // Of whole computations that are equal, one is as good as the other.
        if (!ok && match != nullptr && twins.contains(is.own[match])) {
          const HloInstruction& twin = *twins[is.own[match]];
          ok = StructurallyEqual(twin, i) && StructurallyEqual(*twin.parent(), *i.parent());
        }
        if (match == nullptr) {
          ok = true;
          for (const HloInstruction* same : is.by_tag[tag]) {
            if (same->opcode() != i.opcode() || !same->shape().Compatible(i.shape())) continue;
            const HloInstruction* other = diff.MatchOf(*same);
            // It is there; unless it is there for several, and another of them is matched.
            const bool merged =
                removals.at(&i)->reason == ModuleDiff::RemovalReason::kMerged && removals.at(&i)->became == same;
            if (!merged && (other == nullptr || !is.all[same].contains(was.own[other]))) ok = false;
          }
        }
        ++(ok ? good : bad);
      });
      (renamed ? renamed_right : right) += good;
      (renamed ? renamed_wrong : wrong) += bad;
    }
  }
  INFO(right << " right, " << wrong << " wrong; under other names " << renamed_right << ", " << renamed_wrong);
  CHECK(right + wrong > 20000);
  CHECK(static_cast<double>(right) >= 0.98 * static_cast<double>(right + wrong));
  CHECK(static_cast<double>(renamed_right) >= 0.98 * static_cast<double>(renamed_right + renamed_wrong));
}

TEST_CASE("the same module under other names and in another order is no difference") {
  int64_t modules = 0;
  for (const std::filesystem::path& file : Corpus("modules")) {
    INFO(file.string());
    auto module = ReadModule(file.string());
    REQUIRE(module.ok());
    const std::unique_ptr<HloModule> other = (*module)->Clone();
    Rename(*other);
    ForEach(*other, [](HloInstruction& i) { i.set_metadata({}); });
    // Stored order reversed; the printed text still has operands first.
    for (HloComputation* computation : other->computations()) {
      for (HloInstruction* i : computation->instructions())
        if (!i->IsParameter()) computation->MoveBefore(i, computation->first());
    }
    const ModuleDiff diff(**module, *other);
    CHECK(diff.same());
    CHECK(diff.matched().size() == static_cast<size_t>((*module)->instruction_count()));
    const nlohmann::json json = nlohmann::json::parse(DiffJson(diff));
    CHECK(json["same"].get<bool>());
    CHECK(json["matched"].size() == diff.matched().size());
    ++modules;
  }
  CHECK(modules > 200);
}

TEST_CASE("kinds of change") {
  constexpr char kBefore[] = R"(HloModule m
ENTRY e {
  x = f32[4,8]{1,0} parameter(0)
  two = f32[] constant(2)
  twos = f32[4,8]{1,0} broadcast(two), dimensions={}
  one = f32[] constant(1)
  ones = f32[4,8]{1,0} broadcast(one), dimensions={}
  same = f32[4,8]{1,0} multiply(x, ones)
  double = f32[4,8]{1,0} multiply(same, twos)
  three = f32[] constant(3)
  four = f32[] add(three, one)
  fours = f32[4,8]{1,0} broadcast(four), dimensions={}
  e1 = f32[4,8]{1,0} exponential(double)
  e2 = f32[4,8]{1,0} exponential(double)
  sum = f32[4,8]{1,0} add(e1, e2)
  dead = f32[4,8]{1,0} negate(x)
  more = f32[4,8]{1,0} add(sum, fours)
  t = f32[8,4]{1,0} transpose(more), dimensions={1,0}
  ROOT r = f32[8,4]{1,0} abs(t)
}
)";
  constexpr char kAfter[] = R"(HloModule m
fused {
  p = f32[4,8]{1,0} parameter(0)
  k = f32[] constant(2.5)
  ks = f32[4,8]{1,0} broadcast(k), dimensions={}
  m = f32[4,8]{1,0} multiply(p, ks)
  ROOT e = f32[4,8]{1,0} exponential(m)
}
ENTRY other {
  a = f32[4,8]{1,0} parameter(0)
  f = f32[4,8]{1,0} fusion(a), kind=kLoop, calls=fused
  s = f32[4,8]{1,0} add(f, f)
  c = f32[] constant(4)
  cs = f32[4,8]{1,0} broadcast(c), dimensions={}
  d = f32[4,8]{1,0} add(s, cs)
  tr = f32[8,4]{0,1} transpose(d), dimensions={1,0}
  ROOT b = f32[8,4]{1,0} abs(tr)
}
)";
  auto before = Parse(kBefore), after = Parse(kAfter);
  const ModuleDiff diff(*before, *after);
  CHECK(!diff.same());
  CHECK((ChangesOf(diff, "two") & ModuleDiff::kConstant) != 0);
  CHECK((ChangesOf(diff, "double") & ModuleDiff::kFused) != 0);
  CHECK((ChangesOf(diff, "double") & ModuleDiff::kOperands) != 0);
  CHECK(ChangesOf(diff, "t") == ModuleDiff::kLayout);
  CHECK(ChangesOf(diff, "r") == 0);
  CHECK((ChangesOf(diff, "e1") & ModuleDiff::kFused) != 0);
  REQUIRE(Find(diff, "e2") != nullptr);
  CHECK(Find(diff, "e2")->reason == ModuleDiff::RemovalReason::kMerged);
  CHECK(Find(diff, "e2")->became->name() == "e");
  REQUIRE(Find(diff, "four") != nullptr);
  CHECK(Find(diff, "four")->reason == ModuleDiff::RemovalReason::kFolded);
  CHECK(Find(diff, "four")->became->name() == "c");
  REQUIRE(Find(diff, "same") != nullptr);
  CHECK(Find(diff, "same")->reason == ModuleDiff::RemovalReason::kRewritten);
  CHECK(Find(diff, "same")->became->name() == "a");
  REQUIRE(Find(diff, "dead") != nullptr);
  CHECK(Find(diff, "dead")->reason == ModuleDiff::RemovalReason::kDead);
  CHECK(std::count_if(diff.added().begin(), diff.added().end(),
                      [](const HloInstruction* i) { return i->name() == "f"; }) == 1);
  CHECK(diff.MatchOf(*before->entry_computation()->root())->name() == "b");
  CHECK(diff.MatchOf(*after->entry_computation()->root())->name() == "r");

  // The values of matched instructions: few agree after the changed constant.
  const auto values = CheckMatchedValues(diff);
  REQUIRE(values.ok());
  CHECK(values->mismatches.size() >= 4);
  CHECK(values->agreeing.size() < values->mismatches.size());
}

TEST_CASE("what moved out of a loop, and what was called and is inlined") {
  auto before = Parse(R"(HloModule m
f {
  p = f32[4]{0} parameter(0)
  ROOT q = f32[4]{0} tanh(p)
}
cond {
  s = (s32[], f32[4]{0}, f32[4]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(9)
  ROOT l = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[4]{0}, f32[4]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  w = f32[4]{0} get-tuple-element(s), index=2
  cosine = f32[4]{0} cosine(w)
  v = f32[4]{0} get-tuple-element(s), index=1
  called = f32[4]{0} call(v), to_apply=f
  sum = f32[4]{0} add(called, cosine)
  ROOT t = (s32[], f32[4]{0}, f32[4]{0}) tuple(next, sum, w)
}
ENTRY e {
  x = f32[4]{0} parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[4]{0}, f32[4]{0}) tuple(zero, x, x)
  loop = (s32[], f32[4]{0}, f32[4]{0}) while(init), condition=cond, body=body
  ROOT r = f32[4]{0} get-tuple-element(loop), index=1
}
)");
  auto after = Parse(R"(HloModule m
cond {
  s = (s32[], f32[4]{0}, f32[4]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(9)
  ROOT l = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[4]{0}, f32[4]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  w = f32[4]{0} get-tuple-element(s), index=2
  v = f32[4]{0} get-tuple-element(s), index=1
  q = f32[4]{0} tanh(v)
  sum = f32[4]{0} add(q, w)
  ROOT t = (s32[], f32[4]{0}, f32[4]{0}) tuple(next, sum, w)
}
ENTRY e {
  x = f32[4]{0} parameter(0)
  zero = s32[] constant(0)
  cosine = f32[4]{0} cosine(x)
  init = (s32[], f32[4]{0}, f32[4]{0}) tuple(zero, x, cosine)
  loop = (s32[], f32[4]{0}, f32[4]{0}) while(init), condition=cond, body=body
  ROOT r = f32[4]{0} get-tuple-element(loop), index=1
}
)");
  const ModuleDiff diff(*before, *after);
  CHECK((ChangesOf(diff, "cosine") & ModuleDiff::kMoved) != 0);
  CHECK(ChangesOf(diff, "q") == 0);
  REQUIRE(Find(diff, "called") != nullptr);
  CHECK(Find(diff, "called")->reason == ModuleDiff::RemovalReason::kInlined);
  CHECK(Find(diff, "called")->became->name() == "q");
  CHECK((ChangesOf(diff, "loop") & ModuleDiff::kCalled) != 0);
}

TEST_CASE("matches of XLA's own before and after compute the same") {
  size_t agreeing = 0, differing = 0, modules = 0;
  for (const std::filesystem::path& file : Corpus("with_metadata")) {
    INFO(file.string());
    auto before = ReadModule(file.string());
    std::filesystem::path optimized = file;
    auto after = ReadModule(optimized.replace_extension(".opt.hlo").string());
    if (!before.ok() || !after.ok()) continue;
    const ModuleDiff diff(**before, **after);
    const auto values = CheckMatchedValues(diff);
    if (!values.ok()) continue;  // custom-calls that nobody has a meaning for
    ++modules;
    agreeing += values->agreeing.size(), differing += values->mismatches.size();
    for (const ValueMismatch& m : values->mismatches)
      UNSCOPED_INFO(m.before->ToString() << " / " << m.after->ToString());
  }
  INFO(modules << " modules: " << agreeing << " agree, " << differing << " differ");
  CHECK(modules > 0);
  CHECK(differing * 33 <= agreeing);  // 97 %
}
