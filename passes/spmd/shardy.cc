// The form that JAX hands to the Shardy partitioner: shardings as text in frontend attributes, meshes in the module's,
// and custom-calls around the body of shard_map. See shardy.h. Tested by tests/passes/shardy-xla.
#include "shardy.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/custom_call.h"

namespace hloir::spmd {
namespace {

using Meshes = std::map<std::string, Mesh, std::less<>>;

constexpr std::string_view kPrefix = "xla.sdy.";

// Reads tokens off the front of a text; the first that does not fit makes it fail, and everything after.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}
  bool ok() const { return ok_; }
  bool Take(std::string_view token) {
    SkipBlanks();
    if (!ok_ || !text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  void Expect(std::string_view token) {
    if (!Take(token)) ok_ = false;
  }
  bool AtEnd() {
    SkipBlanks();
    return text_.empty();
  }
  std::string Word() {
    SkipBlanks();
    size_t n = 0;
    while (n < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[n])) != 0 || text_[n] == '_' ||
                                text_[n] == '.' || text_[n] == '-'))
      ++n;
    if (n == 0) ok_ = false;
    std::string word(text_.substr(0, n));
    text_.remove_prefix(n);
    return word;
  }
  std::string Quoted() {
    Expect("\"");
    const size_t end = text_.find('"');
    if (!ok_ || end == std::string_view::npos) {
      ok_ = false;
      return {};
    }
    std::string word(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return word;
  }
  int64_t Number() {
    SkipBlanks();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) ok_ = false;
    else text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    return value;
  }
  // Items between commas up to `close`.
  template <class F>
  void List(std::string_view open, std::string_view close, F item) {
    Expect(open);
    while (ok_ && !Take(close)) {
      item();
      if (!Take(",")) {
        Expect(close);
        return;
      }
    }
  }

 private:
  void SkipBlanks() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
  }
  std::string_view text_;
  bool ok_ = true;
};

// Attribute values may be quoted.
std::string Plain(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    plain += text[i];
  }
  return plain;
}

// "x", or "x":(2)4
MeshAxisRef ReadAxis(Cursor& c) {
  MeshAxisRef ref;
  ref.axis = c.Quoted();
  if (c.Take(":")) {
    c.Expect("(");
    ref.sub_axis_pre_size = c.Number();
    c.Expect(")");
    ref.sub_axis_size = c.Number();
  }
  return ref;
}

Mesh ReadMesh(Cursor& c) {
  Mesh mesh;
  c.Expect("#sdy.mesh<");
  c.List("[", "]", [&] {
    const std::string name = c.Quoted();
    c.Expect("=");
    mesh.axes.emplace_back(name, c.Number());
  });
  if (c.Take(",")) {
    c.Expect("device_ids");
    c.Expect("=");
    DeviceList devices;
    c.List("[", "]", [&] { devices.devices.push_back(c.Number()); });
    if (mesh.axes.empty() && devices.devices.size() == 1) mesh.maximal_device_id = devices.devices[0];
    else mesh.device_ids = std::move(devices);
  }
  c.Expect(">");
  return mesh;
}

// <@mesh, [{"x"}, {?}], replicated={"y"}>
Sharding ReadSharding(Cursor& c, const Meshes& meshes) {
  Sharding sharding;
  sharding.kind = Sharding::Kind::kNamed;
  c.Expect("<");
  if (c.Take("@")) {
    const auto mesh = meshes.find(c.Word());
    if (mesh == meshes.end()) c.Expect("a mesh of the module");
    else sharding.mesh = mesh->second;
  } else {
    c.Expect("mesh<");
    Cursor& inner = c;
    inner.List("[", "]", [&] {
      const std::string name = inner.Quoted();
      inner.Expect("=");
      sharding.mesh.axes.emplace_back(name, inner.Number());
    });
    c.Expect(">");
  }
  c.Expect(",");
  c.List("[", "]", [&] {
    Sharding::Dimension dimension;
    c.List("{", "}", [&] {
      if (c.Take("?")) dimension.open = true;
      else dimension.axes.push_back(ReadAxis(c));
    });
    if (c.Take("p")) (void)c.Number();  // a priority
    sharding.dimensions.push_back(std::move(dimension));
  });
  while (c.ok() && c.Take(",")) {
    const std::string which = c.Word();
    c.Expect("=");
    std::vector<MeshAxisRef>& axes = which == "replicated" ? sharding.replicated_axes : sharding.unreduced_axes;
    c.List("{", "}", [&] { axes.push_back(ReadAxis(c)); });
  }
  c.Expect(">");
  if (sharding.mesh.maximal_device_id >= 0) sharding.dimensions.clear();
  return sharding;
}

// One sharding, or a list of one for each value.
std::vector<Sharding> ReadShardings(std::string_view text, const Meshes& meshes, bool& ok) {
  const std::string plain = Plain(text);
  Cursor c(plain);
  std::vector<Sharding> shardings;
  if (c.Take("#sdy.sharding_per_value<")) {
    c.List("[", "]", [&] { shardings.push_back(ReadSharding(c, meshes)); });
    c.Expect(">");
  } else {
    c.Expect("#sdy.sharding");
    shardings.push_back(ReadSharding(c, meshes));
  }
  ok = c.ok() && c.AtEnd();
  return shardings;
}

std::vector<MeshAxisRef> ReadManualAxes(std::string_view text, bool& ok) {
  const std::string plain = Plain(text);
  Cursor c(plain);
  std::vector<MeshAxisRef> axes;
  c.Expect("#sdy<manual_axes");
  c.List("{", "}", [&] { axes.push_back(ReadAxis(c)); });
  ok = c.ok();
  return axes;
}

std::string_view Attribute(const FrontendAttributes& attributes, std::string_view key) {
  for (const auto& [name, value] : attributes) {
    if (name == key) return value;
  }
  return {};
}

void DropShardyAttributes(HloInstruction* i) {
  FrontendAttributes kept = i->extras().frontend_attributes;
  std::erase_if(kept, [](const auto& attribute) { return attribute.first.starts_with(kPrefix); });
  i->set_frontend_attributes(std::move(kept));
}

// One sharding for each operand and each element of the result.
bool Fits(const HloInstruction& i, const std::vector<Sharding>& shardings) {
  const int64_t count = static_cast<int64_t>(shardings.size());
  return count == i.operand_count() && count == (i.shape().IsTuple() ? i.shape().tuple_size() : 1);
}

class Importer {
 public:
  explicit Importer(HloModule& module) : module_(module) {}
  StatusOr<bool> Import();

 private:
  Status ImportInstruction(HloInstruction* i);
  Status ImportGlobalToLocal(HloInstruction* i);
  Status ImportLocalToGlobal(HloInstruction* i);
  Status Unreadable(const HloInstruction& i) const {
    return InvalidArgument(std::string(i.name()) + ": a Shardy attribute that cannot be read");
  }
  HloInstruction* Call(HloInstruction* place, CustomCall target, const Shape& shape, HloInstruction* operand,
                       Sharding sharding) {
    CustomCallAttributes attributes;
    attributes.custom_call_target = TargetOf(target);
    HloInstruction* made =
        place->parent()->AddInstruction(HloOpcode::kCustomCall, shape, {operand}, std::move(attributes));
    made->set_sharding(std::move(sharding));
    made->CopyMetadataOf(*place);
    place->parent()->MoveBefore(made, place);
    return made;
  }
  void Replace(HloInstruction* i, HloInstruction* with) {
    i->ReplaceAllUsesWith(with);
    i->parent()->RemoveInstruction(i);
    changed_ = true;
  }

  HloModule& module_;
  Meshes meshes_;
  bool changed_ = false;
};

Status Importer::ImportGlobalToLocal(HloInstruction* i) {
  const FrontendAttributes& attributes = i->extras().frontend_attributes;
  bool ok = false, manual_ok = false;
  const std::vector<Sharding> in = ReadShardings(Attribute(attributes, "xla.sdy.in_shardings"), meshes_, ok);
  const std::vector<MeshAxisRef> manual = ReadManualAxes(Attribute(attributes, "xla.sdy.manual_axes"), manual_ok);
  if (!ok || !manual_ok || !Fits(*i, in)) return Unreadable(*i);
  std::vector<HloInstruction*> locals;
  for (int64_t k = 0; k < i->operand_count(); ++k) {
    const Shape shape = i->shape().IsTuple() ? i->shape().tuple_shapes(k) : i->shape();
    const Sharding& sharding = in[static_cast<size_t>(k)];
    HloInstruction* local = Call(i, CustomCall::kSharding, i->operand(k)->shape(), i->operand(k), sharding);
    if (!manual.empty()) {
      Sharding inside;
      inside.kind = Sharding::Kind::kNamed;
      inside.mesh = sharding.mesh;
      inside.dimensions.resize(static_cast<size_t>(shape.rank()));
      for (Sharding::Dimension& dimension : inside.dimensions) dimension.open = true;
      inside.manual_axes = manual;
      local = Call(i, CustomCall::kSpmdFullToShardShape, shape, local, std::move(inside));
    }
    locals.push_back(local);
  }
  if (!i->shape().IsTuple()) {
    Replace(i, locals[0]);
    return OkStatus();
  }
  HloInstruction* tuple = i->parent()->AddTuple(locals);
  i->parent()->MoveBefore(tuple, i);
  Replace(i, tuple);
  return OkStatus();
}

Status Importer::ImportLocalToGlobal(HloInstruction* i) {
  const FrontendAttributes& attributes = i->extras().frontend_attributes;
  bool ok = false, manual_ok = false;
  const std::vector<Sharding> out = ReadShardings(Attribute(attributes, "xla.sdy.out_shardings"), meshes_, ok);
  const std::vector<MeshAxisRef> manual = ReadManualAxes(Attribute(attributes, "xla.sdy.manual_axes"), manual_ok);
  if (!ok || !manual_ok || !Fits(*i, out)) return Unreadable(*i);
  std::vector<HloInstruction*> globals;
  for (int64_t k = 0; k < i->operand_count(); ++k) {
    const Shape shape = i->shape().IsTuple() ? i->shape().tuple_shapes(k) : i->shape();
    globals.push_back(Call(i, manual.empty() ? CustomCall::kSharding : CustomCall::kSpmdShardToFullShape, shape,
                           i->operand(k), out[static_cast<size_t>(k)]));
  }
  if (!i->shape().IsTuple()) {
    Replace(i, globals[0]);
    return OkStatus();
  }
  HloInstruction* tuple = i->parent()->AddTuple(globals);
  i->parent()->MoveBefore(tuple, i);
  Replace(i, tuple);
  return OkStatus();
}

Status Importer::ImportInstruction(HloInstruction* i) {
  const FrontendAttributes& attributes = i->extras().frontend_attributes;
  const CustomCall call = CustomCallOf(*i);
  if (call == CustomCall::kSdyGlobalToLocalShape) return ImportGlobalToLocal(i);
  if (call == CustomCall::kSdyLocalToGlobalShape) return ImportLocalToGlobal(i);
  if (const std::string_view text = Attribute(attributes, "xla.sdy.sharding"); !text.empty()) {
    bool ok = false;
    std::vector<Sharding> shardings = ReadShardings(text, meshes_, ok);
    if (!ok || shardings.empty()) return Unreadable(*i);
    if (i->shape().IsTuple()) {
      Sharding tuple;
      tuple.kind = Sharding::Kind::kTuple;
      tuple.tuple_elements = std::move(shardings);
      i->set_sharding(std::move(tuple));
    } else {
      i->set_sharding(std::move(shardings[0]));
    }
    changed_ = true;
  }
  if (std::any_of(attributes.begin(), attributes.end(),
                  [](const auto& attribute) { return attribute.first.starts_with(kPrefix); })) {
    DropShardyAttributes(i);
    changed_ = true;
  }
  if (call == CustomCall::kSdyFuncResultSharding && i->operand_count() == 1) {
    if (i->sharding() == nullptr) Replace(i, i->operand(0));
    else Replace(i, Call(i, CustomCall::kSharding, i->shape(), i->operand(0), *i->sharding()));
  } else if (call == CustomCall::kSdyPropagationBarrier && i->operand_count() == 1) {
    Replace(i, i->operand(0));
  } else if (call == CustomCall::kSdyShardingGroup && i->user_count() == 0 && !i->IsRoot()) {
    i->parent()->RemoveInstruction(i);
    changed_ = true;
  }
  return OkStatus();
}

StatusOr<bool> Importer::Import() {
  FrontendAttributes& attributes = module_.config().frontend_attributes;
  if (const std::string_view text = Attribute(attributes, "xla.sdy.meshes"); !text.empty()) {
    const std::string plain = Plain(text);
    Cursor c(plain);
    c.List("{", "}", [&] {
      const std::string name = c.Word();
      c.Expect("=");
      meshes_[name] = ReadMesh(c);
    });
    if (!c.ok()) return InvalidArgument("the module's Shardy meshes cannot be read: " + plain);
  }
  for (HloComputation* computation : module_.computations()) {
    for (HloInstruction* i : computation->instructions()) {
      if (i->has_extras()) HLOIR_RETURN_IF_ERROR(ImportInstruction(i));
    }
  }
  changed_ =
      std::erase_if(attributes, [](const auto& attribute) { return attribute.first.starts_with(kPrefix); }) > 0 ||
      changed_;
  return changed_;
}

}  // namespace

bool HasShardy(const HloModule& module) {
  const auto is_shardy = [](const auto& attribute) { return attribute.first.starts_with(kPrefix); };
  const auto has = [&](const FrontendAttributes& all) { return std::any_of(all.begin(), all.end(), is_shardy); };
  if (has(module.config().frontend_attributes)) return true;
  for (const HloInstruction* i : module.AllInstructions()) {
    if (i->has_extras() && has(i->extras().frontend_attributes)) return true;
  }
  return false;
}

StatusOr<bool> ImportShardy(HloModule& module) { return Importer(module).Import(); }

}  // namespace hloir::spmd
