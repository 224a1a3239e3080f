// See stored_loops.h. Integers take as few bytes as they need, seven bits each; kernels are numbers of entries in the
// tables of the instruction set.
#include "plan/loops/stored_loops.h"

#include <cstring>
#include <utility>

#include "kernels/chain_table.h"
#include "plan/capability/kernel_choice.h"
#include "plan/loops/fused_loop_step.h"
#include "support/hash.h"

namespace hloir::cpu {
namespace {

// All words of a table of kernels; those that are no kernels are never asked for.
template <class Table>
void AddWords(const Table& table, std::vector<TileKernel>& kernels) {
  const size_t first = kernels.size();
  kernels.resize(first + sizeof(Table) / sizeof(TileKernel));
  std::memcpy(static_cast<void*>(kernels.data() + first), &table, (kernels.size() - first) * sizeof(TileKernel));
}

std::vector<TileKernel> AllKernels(const KernelTable& table) {
  std::vector<TileKernel> kernels = {nullptr};
  AddWords(table, kernels);
  if (table.chains != nullptr) AddWords(table.chains(), kernels);
  for (const int64_t bytes : {1, 2, 4, 8, 16}) {
    kernels.push_back(LoadKernel(bytes, table.isa));
    kernels.push_back(LoadRunsKernel(bytes, table.isa));
  }
  for (const TileType type :
       {TileType::kPred, TileType::kU8, TileType::kU16, TileType::kU32, TileType::kU64, TileType::kF32, TileType::kF64})
    kernels.push_back(IotaAlongViewKernel(type));
  return kernels;
}

// What the loop of a request depends on, besides views and shapes, which follow from the module.
uint64_t HashOf(const LoopRequest& request) {
  uint64_t hash = Mix(request.nodes.size(), static_cast<uint64_t>(request.count));
  for (const int32_t index : request.nodes) {
    const Node& node = request.graph->nodes[index];
    hash = Mix(hash, static_cast<uint64_t>(node.opcode()) << 32 | static_cast<uint32_t>(index));
    for (const ValueId id : node.inputs)
      hash = Mix(hash, static_cast<uint64_t>(request.graph->values[id].type) << 32 | static_cast<uint32_t>(id));
  }
  for (const ValueId id : request.stored) hash = Mix(hash, static_cast<uint64_t>(id));
  hash = Mix(hash, static_cast<uint64_t>(request.copied));
  if (!request.reduces) return hash;
  hash = Mix(hash, static_cast<uint64_t>(request.reduce.outer));
  return Mix(Mix(hash, static_cast<uint64_t>(request.reduce.reduced)), static_cast<uint64_t>(request.reduce.inner));
}

class Out {
 public:
  explicit Out(std::string& bytes) : bytes_(bytes) {}
  static constexpr bool kReads = false;
  void Word(uint64_t& value) {
    uint64_t rest = value;
    for (; rest >= 128; rest >>= 7) bytes_ += static_cast<char>(rest | 128);
    bytes_ += static_cast<char>(rest);
  }
  void Text(std::string& text) {
    uint64_t size = text.size();
    Word(size);
    bytes_ += text;
  }
  bool ok() const { return true; }

 private:
  std::string& bytes_;
};

// Any bytes are safe to read; after an error all values are 0.
class In {
 public:
  In(std::string_view bytes, size_t& at) : bytes_(bytes), at_(at) {}
  static constexpr bool kReads = true;
  void Word(uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ >= bytes_.size()) break;
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= static_cast<uint64_t>(byte & 127) << shift;
      if (byte < 128) return;
    }
    value = 0, ok_ = false;
  }
  void Text(std::string& text) {
    uint64_t size = 0;
    Word(size);
    if (size > bytes_.size() - at_) ok_ = false, size = 0;
    text.assign(bytes_.substr(at_, size));
    at_ += size;
  }
  // A list of this many has at least a byte for each.
  bool Fits(uint64_t count) { return ok_ = ok_ && count <= bytes_.size() - at_; }
  bool ok() const { return ok_; }

 private:
  std::string_view bytes_;
  size_t& at_;
  bool ok_ = true;
};

// One function per type writes and reads it, so that the two cannot differ.
template <class Bytes, class T>
void Number(Bytes& bytes, T& value) {
  uint64_t word = 0;
  const auto whole = static_cast<int64_t>(value);
  if constexpr (!Bytes::kReads) word = static_cast<uint64_t>(whole) << 1 ^ static_cast<uint64_t>(whole >> 63);
  bytes.Word(word);
  if constexpr (Bytes::kReads) value = static_cast<T>(static_cast<int64_t>(word >> 1 ^ (0 - (word & 1))));
}

template <class Bytes>
void Number(Bytes& bytes, double& value) {
  uint64_t word = __builtin_bit_cast(uint64_t, value);
  bytes.Word(word);
  value = __builtin_bit_cast(double, word);
}

template <class Bytes, class List, class Each>
void ListOf(Bytes& bytes, List& list, const Each& each) {
  uint64_t count = list.size();
  bytes.Word(count);
  if constexpr (Bytes::kReads) {
    if (!bytes.Fits(count)) return;
    list.resize(static_cast<size_t>(count));
  }
  for (auto& item : list) each(item);
}

template <class Bytes>
void Dims(Bytes& bytes, DimVector& dims) {
  ListOf(bytes, dims, [&](int64_t& dim) { Number(bytes, dim); });
}

}  // namespace

// The fields of a loop, but for those that its Prepare derives.
template <class Bytes>
class LoopFields {
 public:
  LoopFields(Bytes& bytes, const std::vector<TileKernel>& kernels,
             const std::unordered_map<const void*, uint32_t>& numbers)
      : bytes_(bytes), kernels_(kernels), numbers_(numbers) {}

  // False if a kernel has no number, or the bytes are not of a loop.
  bool Visit(FusedLoop& loop, size_t refs) {
    bytes_.Text(loop.name_);
    Number(bytes_, loop.flops_);
    Number(bytes_, loop.nanoseconds_);
    Number(bytes_, loop.cost_);
    Number(bytes_, loop.register_bytes_);
    Number(bytes_, loop.all_steps_);
    Number(bytes_, loop.streams_);
    LoopNest& nest = loop.nest_;
    Dims(bytes_, nest.sizes);
    DimVector reduced;
    for (const bool is : nest.reduced) reduced.push_back(is);
    Dims(bytes_, reduced);
    nest.reduced.assign(reduced.begin(), reduced.end());
    Number(bytes_, nest.tile_loop);
    Number(bytes_, nest.tile);
    Number(bytes_, nest.extent);
    ListOf(bytes_, loop.views_, [&](std::unique_ptr<View>& view) {
      if (view == nullptr) view = std::make_unique<View>();
      Dims(bytes_, view->dims);
      Dims(bytes_, view->strides);
      Number(bytes_, view->offset);
    });
    ListOf(bytes_, loop.sources_, [&](LoopSource& source) {
      Number(bytes_, source.ref);
      Number(bytes_, source.offset);
      Dims(bytes_, source.strides);
      Require(source.ref >= -1 && source.ref < static_cast<int64_t>(refs) &&
              source.strides.size() == nest.sizes.size());
    });
    for (auto* list : {&loop.prologue_, &loop.body_, &loop.first_, &loop.next_})
      ListOf(bytes_, *list, [&](LoopOp& op) { Op(op, loop); });
    ListOf(bytes_, loop.sinks_, [&](LoopSink& sink) {
      Kernel(sink.combine);
      Kernel(sink.combine_one);
      Number(bytes_, sink.element_bytes);
      Number(bytes_, sink.accumulator);
      Number(bytes_, sink.accumulator_count);
      Number(bytes_, sink.accumulator_room);
      Number(bytes_, sink.init);
      Number(bytes_, sink.out);
      Require(IsSource(sink.init, loop) && IsSource(sink.out, loop));
    });
    for (auto* list : {&loop.reads_, &loop.writes_}) {
      ListOf(bytes_, *list, [&](FusedLoop::Access& access) {
        Number(bytes_, access.op);
        Number(bytes_, access.link);
        Number(bytes_, access.source);
        Require(access.source < 0 || IsSource(access.source, loop));
      });
    }
    Require(nest.reduced.size() == nest.sizes.size() && loop.reads_.size() + loop.writes_.size() == refs);
    return ok_ && bytes_.ok();
  }

 private:
  void Require(bool holds) { ok_ = ok_ && holds; }
  static bool IsSource(int32_t index, const FusedLoop& loop) {
    return index >= 0 && static_cast<size_t>(index) < loop.sources_.size();
  }

  void Op(LoopOp& op, FusedLoop& loop) {
    Kernel(op.op.kernel);
    Number(bytes_, op.op.extra);
    Number(bytes_, op.op.divisor);
    Require(op.op.in[0] == nullptr && op.op.in[1] == nullptr && op.op.in[2] == nullptr && op.op.out == nullptr);
    int32_t view = 0;  // its place in the list, from 1 on
    for (size_t i = 0; i < loop.views_.size(); ++i)
      if (op.op.aux == loop.views_[i].get()) view = static_cast<int32_t>(i) + 1;
    Require(op.op.aux == nullptr || view > 0);
    Number(bytes_, view);
    if constexpr (Bytes::kReads) {
      Require(view >= 0 && static_cast<size_t>(view) <= loop.views_.size());
      if (ok_ && view > 0) op.op.aux = loop.views_[static_cast<size_t>(view) - 1].get();
    }
    for (TilePlace* place : {&op.in[0], &op.in[1], &op.in[2], &op.out}) {
      Number(bytes_, place->kind);
      Require(place->kind <= TilePlace::kSource);
      if (place->kind == TilePlace::kNone) continue;
      Number(bytes_, place->index);
      Require(place->kind != TilePlace::kSource || IsSource(place->index, loop));
      Require(place->index >= 0 && place->index < kScratchBytes);
    }
  }

  void Kernel(TileKernel& kernel) {
    uint64_t number = 0;
    if constexpr (!Bytes::kReads) {
      if (kernel != nullptr) {
        const auto found = numbers_.find(reinterpret_cast<const void*>(kernel));
        Require(found != numbers_.end());
        if (found != numbers_.end()) number = found->second;
      }
    }
    bytes_.Word(number);
    if constexpr (Bytes::kReads) {
      Require(number < kernels_.size());
      if (ok_) kernel = kernels_[number];
    }
  }

  Bytes& bytes_;
  const std::vector<TileKernel>& kernels_;
  const std::unordered_map<const void*, uint32_t>& numbers_;
  bool ok_ = true;
};

StoredLoops::StoredLoops(const KernelTable& kernels) : reads_(false), kernels_(AllKernels(kernels)) {
  for (size_t i = kernels_.size(); i-- > 1;)
    numbers_[reinterpret_cast<const void*>(kernels_[i])] = static_cast<uint32_t>(i);
}

StoredLoops::StoredLoops(const KernelTable& kernels, std::string bytes)
    : reads_(true), bytes_(std::move(bytes)), kernels_(AllKernels(kernels)) {}

uint64_t StoredLoops::BuildMark(const KernelTable& kernels) {
  uint64_t hash = static_cast<uint64_t>(kernels.isa);
  const auto base = reinterpret_cast<uintptr_t>(&BuildFusedLoop);
  // Where the system put the program does not matter, only distances in it; other words of the tables are no addresses.
  constexpr int64_t kFarthest = int64_t{1} << 31;
  for (const TileKernel kernel : AllKernels(kernels)) {
    const auto word = reinterpret_cast<uintptr_t>(kernel);
    const auto distance = static_cast<int64_t>(word - base);
    hash = Mix(hash, distance > -kFarthest && distance < kFarthest ? static_cast<uint64_t>(distance) : word);
  }
  return hash;
}

std::unique_ptr<Step> StoredLoops::Build(const LoopRequest& request) {
  if (!ok_) return BuildFusedLoop(request);
  if (reads_) {
    if (auto loop = Read(request)) return loop;
    ok_ = false;
    return BuildFusedLoop(request);
  }
  // Each value once, in the order in which buffers are asked for, which numbers new ones.
  std::vector<Access> accesses;
  std::vector<Ref> refs;
  const auto note = [&](ValueId id, bool written, const Ref& ref) {
    for (const Access& known : accesses)
      if (known.id == id && known.written == written) return ref;
    accesses.push_back({id, written});
    refs.push_back(ref);
    return ref;
  };
  LoopRequest noted = request;
  noted.read = [&](ValueId id) { return note(id, false, request.read(id)); };
  noted.write = [&](ValueId id) { return note(id, true, request.write(id)); };
  std::unique_ptr<Step> made = BuildFusedLoop(noted);
  Record(request, made, accesses, refs);
  return made;
}

void StoredLoops::Record(const LoopRequest& request, std::unique_ptr<Step>& made, const std::vector<Access>& accesses,
                         const std::vector<Ref>& refs) {
  Out out(bytes_);
  uint64_t hash = HashOf(request), count = accesses.size();
  out.Word(hash);
  out.Word(count);
  for (Access access : accesses) {
    Number(out, access.id);
    Number(out, access.written);
  }
  // The loop's own list, as places among these.
  auto& loop = static_cast<FusedLoop&>(*made);
  uint64_t size = loop.refs().size();
  out.Word(size);
  for (int i = 0; i < static_cast<int>(loop.refs().size()); ++i) {
    const Ref& ref = loop.refs()[static_cast<size_t>(i)];
    uint64_t place = 0;
    const bool written = i >= loop.first_written();
    while (place < refs.size() && !(accesses[place].written == written && refs[place].buffer == ref.buffer &&
                                    refs[place].dynamic == ref.dynamic && refs[place].offset == ref.offset))
      ++place;
    ok_ = ok_ && place < refs.size();
    out.Word(place);
  }
  ok_ = ok_ && LoopFields<Out>(out, kernels_, numbers_).Visit(loop, loop.refs().size());
}

std::unique_ptr<Step> StoredLoops::Read(const LoopRequest& request) {
  In in(bytes_, at_);
  uint64_t hash = 0, count = 0;
  in.Word(hash);
  in.Word(count);
  if (hash != HashOf(request) || !in.Fits(count)) return nullptr;
  SmallVector<Ref, 16> refs;
  SmallVector<bool, 16> written;
  for (uint64_t i = 0; i < count; ++i) {
    Access access{};
    Number(in, access.id);
    Number(in, access.written);
    if (!in.ok() || access.id < 0 || static_cast<size_t>(access.id) >= request.graph->values.size()) return nullptr;
    refs.push_back((access.written ? request.write : request.read)(access.id));
    written.push_back(access.written);
  }
  uint64_t size = 0;
  in.Word(size);
  if (!in.Fits(size)) return nullptr;
  SmallVector<Ref, 16> own[2];
  for (uint64_t i = 0; i < size; ++i) {
    uint64_t place = 0;
    in.Word(place);
    if (!in.ok() || place >= refs.size() || (!written[place] && !own[1].empty())) return nullptr;
    own[written[place] ? 1 : 0].push_back(refs[place]);
  }
  auto loop = std::make_unique<FusedLoop>();
  if (!LoopFields<In>(in, kernels_, numbers_).Visit(*loop, static_cast<size_t>(size))) return nullptr;
  loop->SetRefs(own[0], own[1]);
  loop->Prepare(loop->cost_, loop->nanoseconds_);
  return loop;
}

}  // namespace hloir::cpu
