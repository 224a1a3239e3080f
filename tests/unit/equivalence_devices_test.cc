// Partitioned programs against their sources (equivalence/devices.h, shards.h): the pairs of
// tests/equivalence/sharded/right are proved, no pair of wrong is; the programs of tests/sharded partitioned by the
// passes are proved, except the programs listed here.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "check/sharded.h"
#include "equivalence/equivalence.h"
#include "hloir/check.h"
#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"

using namespace hloir;

namespace fs = std::filesystem;

namespace {

std::pair<std::unique_ptr<HloModule>, std::unique_ptr<HloModule>> Pair(const std::string& text) {
  const size_t second = text.find("HloModule after");
  REQUIRE(second != std::string::npos);
  auto before = ParseHloModule(text.substr(0, second)), after = ParseHloModule(text.substr(second));
  REQUIRE(before.status().message() == "");
  REQUIRE(after.status().message() == "");
  return {std::move(*before), std::move(*after)};
}

// Over the devices of both, as on whole arrays where one is partitioned.
equivalence::Result ProveOnDevices(const HloModule& before, const HloModule& after, equivalence::Options options = {}) {
  const auto views = check::MakeViewsForProof(before, after);
  REQUIRE(views.status().message() == "");
  options.whole_arrays = views->has_value();
  if (!options.whole_arrays) return equivalence::ProveInside(before, after, options);
  return equivalence::ProveInside(*(*views)->before, *(*views)->after, options);
}

bool Proved(const equivalence::Result& result) { return result.answer != equivalence::Answer::kOpen; }

}  // namespace

TEST_CASE("what XLA's partitioner made of programs is proved") {
  int proved = 0;
  for (const fs::path& path : FilesIn(fs::path(kTestsFolder) / "equivalence/sharded/right")) {
    INFO(path.string());
    const auto [before, after] = Pair(TextOf(path));
    const equivalence::Result result = ProveOnDevices(*before, *after);
    INFO(result.ToString());
    CHECK(Proved(result));
    proved += Proved(result);
  }
  CHECK(proved >= 78);
}

TEST_CASE("wrong partitions are not proved") {
  int tried = 0;
  for (const fs::path& path : FilesIn(fs::path(kTestsFolder) / "equivalence/sharded/wrong")) {
    INFO(path.string());
    const auto [before, after] = Pair(TextOf(path));
    CHECK(!Proved(ProveOnDevices(*before, *after)));
    ++tried;
  }
  CHECK(tried >= 94);
}

TEST_CASE("a pipeline whose stages hand on the wrong rows is not proved") {
  const std::string right = TextOf(fs::path(kTestsFolder) / "equivalence/sharded/right/pipeline_gradient.hlo");
  struct Fault {
    std::string_view what, from, to;
  };
  const Fault faults[] = {
      {"gradients go the wrong way", "channel_id=16, source_target_pairs={{4,0},{5,1},{6,2},{7,3}}",
       "channel_id=16, source_target_pairs={{0,4},{1,5},{2,6},{3,7}}"},
      {"the other stage keeps its row", "select(%compare.2, %copy.3", "select(%compare.1, %copy.3"},
      {"a stale microbatch", "constant.92.clone = s32[] constant(3)", "constant.92.clone = s32[] constant(2)"},
      {"logits are added over other devices", "replica_groups={{0,1},{4,5},{2,3},{6,7}}",
       "replica_groups={{0,2},{4,6},{1,3},{5,7}}"}};
  for (const Fault& fault : faults) {
    INFO(std::string(fault.what));
    std::string text = right;
    const size_t at = text.find(fault.from, text.find("HloModule after"));
    REQUIRE(at != std::string::npos);
    text.replace(at, fault.from.size(), fault.to);
    const auto [before, after] = Pair(text);
    CHECK(!Proved(ProveOnDevices(*before, *after)));
  }
}

TEST_CASE("what the passes make of sharded programs is proved") {
  // Without an equal form yet.
  const std::set<std::string> open = {"associative_scan", "max_pool_overlap_grad", "resblock_grad"};
  const std::vector<std::string> names = {"call-inliner", "sharding-propagation", "spmd-partitioning", "dce", "cse",
                                          "dce"};
  int proved = 0;
  for (const fs::path& path : FilesIn(fs::path(kTestsFolder) / "sharded")) {
    if (open.count(path.stem()) != 0) continue;
    INFO(path.string());
    StatusOr<ModuleFile> file = ReadModuleFile(path.string(), {.one_module = true});
    REQUIRE(file.status().message() == "");
    const std::unique_ptr<HloModule> partitioned = file->module().Clone();
    StatusOr<HloPassPipeline> pipeline = MakePipeline(names, {});
    REQUIRE(pipeline.ok());
    REQUIRE(pipeline->RunOnce(*partitioned).status().message() == "");
    const equivalence::Result result = ProveOnDevices(file->module(), *partitioned);
    INFO(result.ToString());
    CHECK(Proved(result));
    proved += Proved(result);
  }
  CHECK(proved >= 101);
}

TEST_CASE("shards that no text tells are found by shapes, and assumed") {
  const std::string whole =
      "HloModule before\nENTRY e { x = f32[4,6] parameter(0)\n w = f32[6,5] parameter(1)\n v = f32[5,6] parameter(2)\n"
      " h = f32[4,5] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n t = f32[4,5] tanh(h)\n"
      " ROOT y = f32[4,6] dot(t, v), lhs_contracting_dims={1}, rhs_contracting_dims={0} }\n";
  const auto device = [](const std::string& end) {
    return "HloModule after\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n"
           "ENTRY e { x = f32[4,6] parameter(0)\n w = f32[6,3] parameter(1)\n v = f32[3,6] parameter(2)\n"
           " h = f32[4,3] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n t = f32[4,3] tanh(h)\n"
           " p = f32[4,6] dot(t, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
           " s = f32[4,6] all-reduce(p), replica_groups={{0,1}}, to_apply=add\n" +
           end + " }";
  };
  const auto [a, right] = Pair(whole + device(" ROOT y = f32[4,6] copy(s)"));
  const auto views = check::MakeViewsForProof(*a, *right);
  REQUIRE(views.ok());
  REQUIRE(views->has_value());
  CHECK((*views)->inferred ==
        std::vector<std::string>{"parameter 1 is cut along dimension 1 into 2 parts of 3, with zeros behind 5",
                                 "parameter 2 is cut along dimension 0 into 2 parts of 3, with zeros behind 5"});
  CHECK(Proved(ProveOnDevices(*a, *right)));
  const auto [b, doubled] = Pair(whole + device(" ROOT y = f32[4,6] add(s, s)"));
  CHECK(!Proved(ProveOnDevices(*b, *doubled)));
  const auto [c, local] = Pair(whole + device(" ROOT y = f32[4,6] copy(p)"));
  CHECK(!Proved(ProveOnDevices(*c, *local)));
}

// XLA asks each device whether the start lies in its shard, so that no device updates where the start lies outside of
// the array (openxla/xla#49118).
TEST_CASE("an update without a clamp on the devices is proved if it starts within bounds") {
  const std::string text = TextOf(fs::path(kTestsFolder) / "equivalence/sharded/right/update_masked_row.hlo");
  const auto with = [](std::string in, const std::vector<std::pair<std::string, std::string>>& changes) {
    for (const auto& [from, to] : changes) {
      REQUIRE(in.find(from) != std::string::npos);
      for (size_t at = in.find(from); at != std::string::npos; at = in.find(from)) in.replace(at, from.size(), to);
    }
    return in;
  };
  const std::string raw = with(text, {{"clamp(z, at, seven)", "add(at, z)"}});
  const auto [before, after] = Pair(raw);
  const equivalence::Result result = ProveOnDevices(*before, *after);
  CHECK(result.answer == equivalence::Answer::kProvedAssuming);
  CHECK(result.Assumptions() ==
        std::vector<std::string>{"dynamic-update-slices of the whole program start within bounds"});
  // The devices' own updates are not assumed to start within bounds.
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"select(all, y, x)", "copy(y)"},
                                                                                 {"{0,1,2,3}", "{0,1,3,2}"},
                                                                                 {"direction=GE", "direction=GT"},
                                                                                 {"direction=LT", "direction=LE"}}) {
    INFO(to);
    const auto [whole, wrong] = Pair(with(raw, {{from, to}}));
    CHECK(!Proved(ProveOnDevices(*whole, *wrong)));
  }
}

TEST_CASE("a step with sharded positions is not proved with one partial sum twice") {
  std::string text = TextOf(fs::path(kTestsFolder) / "equivalence/sharded/right/sequence_step.hlo");
  const size_t sum = text.find("channel_id=16,"), axis = text.find("{'axis_3'}", sum);
  REQUIRE(axis < text.find('\n', sum));
  text.replace(axis, 10, "{'axis_0'}");
  const auto [before, after] = Pair(text);
  CHECK(!Proved(ProveOnDevices(*before, *after)));
}

// The gradient of the embedding is a sum over devices of scattered gradients, which are shards and stay as they are.
TEST_CASE("a training step is proved with the work of its instructions alone") {
  const std::string right = TextOf(fs::path(kTestsFolder) / "equivalence/sharded/right/unrolled_step.hlo");
  const equivalence::Options options{.max_work = 0};
  const auto [before, after] = Pair(right);
  CHECK(Proved(ProveOnDevices(*before, *after, options)));
  const std::string line = "all-reduce(%scatter), channel_id=36, replica_groups=";
  const size_t groups = right.find(line) + line.size();
  REQUIRE(right.substr(groups, 18) == "[4,2]<=[2,4]T(1,0)");
  const auto [whole, other_axis] = Pair(std::string(right).replace(groups, 18, "[2,4]<=[8]"));
  CHECK(!Proved(ProveOnDevices(*whole, *other_axis, options)));
}

TEST_CASE("devices with inputs of their own are not taken for one device") {
  const std::string head =
      ", num_partitions=4\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = "
      "f32[] add(a, b) }\nENTRY e { x = f32[8] parameter(0)\n ";
  const std::string reduce =
      "f32[8] all-reduce(x), channel_id=1, replica_groups={{0,1,2,3}}, "
      "use_global_device_ids=true, to_apply=add\n ";
  const auto [sum, four] =
      Pair("HloModule before" + head + "ROOT s = " + reduce + "}\nHloModule after" + head + "s = " + reduce +
           "k = f32[] constant(4)\n w = f32[8] broadcast(k), dimensions={}\n " + "ROOT m = f32[8] multiply(x, w) }");
  CHECK(!Proved(equivalence::ProveInside(*sum, *four)));
  CHECK(Proved(equivalence::ProveInside(*sum, *four, {.whole_arrays = true})));
}

TEST_CASE("the padding of uneven shards is any value") {
  const std::string whole =
      "HloModule before, num_partitions=4\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n "
      "ROOT c = f32[] add(a, b) }\nENTRY e { x = f32[6] parameter(0), sharding={devices=[4]<=[4]}\n"
      " z = f32[] constant(0)\n ROOT s = f32[] reduce(x, z), dimensions={0}, to_apply=add, "
      "sharding={replicated} }\n";
  const std::string device =
      "HloModule after, num_partitions=4\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n "
      "ROOT c = f32[] add(a, b) }\nENTRY e_spmd { x = f32[2] parameter(0), "
      "sharding={devices=[4]<=[4]}\n z = f32[] constant(0)\n";
  const std::string rest =
      " r = f32[] reduce(y, z), dimensions={0}, to_apply=add\n ROOT s = f32[] all-reduce(r), "
      "channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add, "
      "sharding={replicated} }";
  const auto [a, unmasked] = Pair(whole + device + " y = f32[2] copy(x)\n" + rest);
  CHECK(!Proved(ProveOnDevices(*a, *unmasked)));
  const auto [b, masked] =
      Pair(whole + device +
           " p = u32[] partition-id()\n three = u32[] constant(3)\n q = pred[] compare(p, three), direction=LT\n" +
           " w = pred[2] broadcast(q), dimensions={}\n v = f32[2] broadcast(z), dimensions={}\n" +
           " y = f32[2] select(w, x, v)\n" + rest);
  CHECK(Proved(ProveOnDevices(*b, *masked)));
}

TEST_CASE("the devices of a pair are those that either text names, in shardings too") {
  const auto [whole, device] = Pair(
      "HloModule before\nENTRY e { x = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n ROOT y = f32[8] negate(x), "
      "sharding={devices=[4]<=[4]} }\nHloModule after\nENTRY e_spmd { x = f32[2] parameter(0), "
      "sharding={devices=[4]<=[4]}\n ROOT y = f32[2] negate(x), sharding={devices=[4]<=[4]} }");
  CHECK(check::DevicesOfBoth(*whole, *device) == 4);
  CHECK(check::DevicesOfBoth(*whole, *whole) == 1);
  CHECK(Proved(ProveOnDevices(*whole, *device)));
}

TEST_CASE("the first wrong step of a partitioned program is named, with its source lines") {
  const auto at = [](int line) {
    return ", metadata={op_name=\"op" + std::to_string(line) +
           "\" source_file=\"model.py\" source_line=" + std::to_string(line) + "}\n";
  };
  const std::string whole =
      "HloModule before, num_partitions=4\nENTRY e { x = f32[4,8] parameter(0), sharding={devices=[1,4]<=[4]}\n"
      " w = f32[8,6] parameter(1), sharding={devices=[4,1]<=[4]}\n"
      " product = f32[4,6] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}" +
      at(3) + " t = f32[4,6] tanh(product)" + at(4) + " ROOT n = f32[4,6] negate(t), sharding={replicated}" + at(5) +
      "}\n";
  const auto device = [&](const std::string& sum) {
    return "HloModule after, num_partitions=4\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n "
           "ROOT c = f32[] add(a, b) }\nENTRY e_spmd { x = f32[4,2] parameter(0), sharding={devices=[1,4]<=[4]}\n"
           " w = f32[2,6] parameter(1), sharding={devices=[4,1]<=[4]}\n"
           " d = f32[4,6] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}" +
           at(3) + sum + " u = f32[4,6] tanh(s)" + at(4) + " ROOT n = f32[4,6] negate(u), sharding={replicated}" +
           at(5) + "}";
  };
  const auto summed = [&](const std::string& to, const std::string& of, const std::string& groups, int channel) {
    return " " + to + " = f32[4,6] all-reduce(" + of + "), channel_id=" + std::to_string(channel) +
           ", replica_groups=" + groups + ", use_global_device_ids=true, to_apply=add" + at(3);
  };
  const std::string all = "{{0,1,2,3}}";
  const auto [a, right] = Pair(whole + device(summed("s", "d", all, 1)));
  CHECK(Proved(ProveOnDevices(*a, *right)));
  const auto first_open = [&](const std::string& sum) {
    const auto [before, wrong] = Pair(whole + device(sum));
    const equivalence::Result result = ProveOnDevices(*before, *wrong);
    REQUIRE(!Proved(result));
    REQUIRE(result.first_open);
    return *result.first_open;
  };
  // Without the sum, what reads the partial sum is wrong.
  const equivalence::Step missing = first_open(" s = f32[4,6] copy(d)" + at(3));
  CHECK(missing.ToString() == "u, of t (model.py:4), made from d (model.py:3), a partial result");
  const equivalence::Step doubled = first_open(summed("r", "d", all, 1) + summed("s", "r", all, 2));
  CHECK(doubled.ToString() == "s, of product (model.py:3)");
  // A sum over half of the devices is a partial sum of all.
  const equivalence::Step half = first_open(summed("s", "d", "{{0,1},{2,3}}", 1));
  CHECK(half.ToString() == "u, of t (model.py:4), made from d (model.py:3), a partial result");
  const equivalence::Step scaled = first_open(
      " c = f32[] constant(0.25)\n cs = f32[4,6] broadcast(c), dimensions={}\n m = f32[4,6] multiply(d, cs)" + at(3) +
      summed("s", "m", all, 1));
  CHECK(scaled.ToString() == "m, of product (model.py:3), made from d (model.py:3), a partial result");
}

TEST_CASE("the first wrong step of a partitioned program is named inside a loop") {
  const std::string condition =
      "condition { p = (s32[], f32[8,8]) parameter(0)\n k = s32[] get-tuple-element(p), index=0\n"
      " n = s32[] constant(1000)\n ROOT l = pred[] compare(k, n), direction=LT }\n";
  const auto body = [](const std::string& size, const std::string& sum) {
    return "body { p = (s32[], " + size +
           ") parameter(0)\n k = s32[] get-tuple-element(p), index=0\n"
           " one = s32[] constant(1)\n k1 = s32[] add(k, one)\n x = " +
           size +
           " get-tuple-element(p), index=1\n"
           " c = " +
           size + " cosine(x)\n zero = f32[] constant(0)\n r = f32[8] reduce(c, zero), dimensions={0}, to_apply=add\n" +
           sum + " b = " + size + " broadcast(t), dimensions={1}\n y = " + size +
           " multiply(c, b)\n"
           " ROOT o = (s32[], " +
           size + ") tuple(k1, y) }\n";
  };
  const std::string add = "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n";
  const auto entry = [](const std::string& size, const std::string& name, const std::string& sharding) {
    return "ENTRY " + name + " { x = " + size + " parameter(0), sharding=" + sharding +
           "\n zero = s32[] constant(0)\n" + " i = (s32[], " + size + ") tuple(zero, x)\n w = (s32[], " + size +
           ") while(i), condition=condition, body=body\n" + " ROOT g = " + size +
           " get-tuple-element(w), index=1, sharding=" + sharding + " }\n";
  };
  const std::string cut = "{devices=[4,1]<=[4]}";
  const std::string whole = "HloModule before, num_partitions=4\n" + add + condition +
                            body("f32[8,8]", " t = f32[8] tanh(r)\n") + entry("f32[8,8]", "e", cut);
  const auto device = [&](const std::string& sum) {
    std::string of_shards = condition;
    of_shards.replace(of_shards.find("f32[8,8]"), 8, "f32[2,8]");
    return "HloModule after, num_partitions=4\n" + add + of_shards + body("f32[2,8]", sum + " t = f32[8] tanh(s)\n") +
           entry("f32[2,8]", "e_spmd", cut);
  };
  const auto [a, right] = Pair(whole + device(" s = f32[8] all-reduce(r), channel_id=1, replica_groups={{0,1,2,3}}, "
                                              "use_global_device_ids=true, to_apply=add\n"));
  CHECK(Proved(ProveOnDevices(*a, *right)));
  const auto [b, wrong] = Pair(whole + device(" s = f32[8] copy(r)\n"));
  const equivalence::Result result = ProveOnDevices(*b, *wrong);
  REQUIRE(!Proved(result));
  REQUIRE(result.first_open);
  CHECK(result.first_open->ToString() == "t, made from r, a partial result");
  // An iteration that hands on what it was given.
  std::string lost = device(
      " s = f32[8] all-reduce(r), channel_id=1, replica_groups={{0,1,2,3}}, "
      "use_global_device_ids=true, to_apply=add\n");
  lost.replace(lost.find("tuple(k1, y)"), 12, "tuple(k1, x)");
  const auto [c, kept] = Pair(whole + lost);
  const equivalence::Result stale = ProveOnDevices(*c, *kept);
  REQUIRE(!Proved(stale));
  REQUIRE(stale.first_open);
  CHECK(stale.first_open->ToString() == "x, of y");
  // Also where the work ends in the loop.
  bool named = false;
  for (int64_t work = -(1 << 17); work < 0 && !named; work += 1 << 6) {
    const equivalence::Result some = ProveOnDevices(*b, *wrong, {.max_work = work});
    CHECK(!Proved(some));
    named = some.why == "out of budget at k.1" && some.first_open &&
            some.first_open->ToString() == "t, made from r, a partial result";
  }
  CHECK(named);
}

namespace {

// Layers of a network, each with a norm and a product whose inner dimension is sharded over two devices. `change`
// edits the lines of the device's layer 5.
std::string LayersOnTwoDevices(int layers, const std::function<void(std::string&)>& change) {
  const auto layer = [](int k, const std::string& hidden, const std::string& sum) {
    const std::string n = std::to_string(k), next = std::to_string(k + 1);
    std::string text =
        "  q# = f32[4,16] multiply(x#, x#)\n  o# = f32[] constant(0)\n"
        "  m# = f32[4] reduce(q#, o#), dimensions={1}, to_apply=add\n  e# = f32[] constant(0.016)\n"
        "  d# = f32[4] broadcast(e#), dimensions={}\n  t# = f32[4] add(m#, d#)\n"
        "  r# = f32[4] rsqrt(t#)\n  b# = f32[4,16] broadcast(r#), dimensions={0}\n"
        "  n# = f32[4,16] multiply(x#, b#)\n  h# = " +
        hidden + " dot(n#, w#), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  a# = " + hidden +
        " tanh(h#)\n  p# = f32[4,16] dot(a#, v#), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" + sum +
        "  x@ = f32[4,16] subtract(x#, y#)\n";
    for (size_t at; (at = text.find('#')) != std::string::npos;) text.replace(at, 1, n);
    for (size_t at; (at = text.find('@')) != std::string::npos;) text.replace(at, 1, next);
    return text;
  };
  const std::string add = "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n";
  std::string before = "HloModule before, num_partitions=2\n" + add +
                       "ENTRY main {\n  x0 = f32[4,16] parameter(0), sharding={replicated}\n",
              after =
                  "HloModule after, num_partitions=2\n" + add + "ENTRY main_spmd {\n  x0 = f32[4,16] parameter(0)\n";
  for (int k = 0; k < layers; ++k) {
    const std::string n = std::to_string(k), w = std::to_string(2 * k + 1), v = std::to_string(2 * k + 2);
    before += "  w" + n + " = f32[16,32] parameter(" + w + "), sharding={devices=[1,2]<=[2]}\n  v" + n +
              " = f32[32,16] parameter(" + v + "), sharding={devices=[2,1]<=[2]}\n";
    after += "  w" + n + " = f32[16,16] parameter(" + w + ")\n  v" + n + " = f32[16,16] parameter(" + v + ")\n";
  }
  for (int k = 0; k < layers; ++k) {
    before += layer(k, "f32[4,32]", "  y# = f32[4,16] copy(p#)\n");
    std::string lines = layer(k, "f32[4,16]",
                              "  y# = f32[4,16] all-reduce(p#), channel_id=1#, replica_groups={{0,1}}, "
                              "use_global_device_ids=true, to_apply=add\n");
    if (k == 5) change(lines);
    after += lines;
  }
  const std::string last = std::to_string(layers);
  before += "  ROOT z = f32[4,16] copy(x" + last + "), sharding={replicated}\n}\n\n";
  after += "  ROOT z = f32[4,16] copy(x" + last + ")\n}\n";
  return before + after;
}

}  // namespace

TEST_CASE("a fault in one of many layers is not proved, and is named in that layer") {
  const int layers = 7;
  const auto [before, right] = Pair(LayersOnTwoDevices(layers, [](std::string&) {}));
  const equivalence::Result proof = ProveOnDevices(*before, *right);
  INFO(proof.ToString());
  CHECK(Proved(proof));
  const std::pair<std::string, std::string> faults[] = {
      {"subtract(x5, y5)", "subtract(y5, x5)"},
      {"constant(0.016)", "constant(0.0016)"},
      {"all-reduce(p5), channel_id=15, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add", "copy(p5)"},
      {"dot(n5, w5)", "dot(n5, w4)"},
      {"lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  a5",
       "lhs_contracting_dims={1}, rhs_contracting_dims={1}\n  a5"},
  };
  for (const auto& [from, to] : faults) {
    INFO(to);
    const auto [whole, wrong] = Pair(LayersOnTwoDevices(layers, [&, &from = from, &to = to](std::string& lines) {
      const size_t at = lines.find(from);
      REQUIRE(at != std::string::npos);
      lines.replace(at, from.size(), to);
    }));
    const equivalence::Result result = ProveOnDevices(*whole, *wrong);
    INFO(result.ToString());
    CHECK(!Proved(result));
    REQUIRE(result.first_open.has_value());
    const equivalence::Step& step = *result.first_open;
    // (Of the swapped difference the next layer's squares are right.)
    const auto of_layer = [](const std::string& name) { return name.ends_with("5") || name == "x6" || name == "n6"; };
    CHECK((of_layer(step.after) || of_layer(step.partial)));
  }
}
