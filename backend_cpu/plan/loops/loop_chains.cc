// See loop_chains.h. Tests: tests/unit/loop_chains_test.cc.
#include "plan/loops/loop_chains.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "kernels/chain_table.h"
#include "plan/loops/chain_meanings.h"
#include "plan/steps/once_per_isa.h"

namespace hloir::cpu {
namespace {

class ChainMaker {
 public:
  ChainMaker(const KernelTable& kernels, int64_t tile, const std::vector<const std::vector<LoopOp>*>& others,
             std::vector<LoopOp>& body)
      : table_(kernels.chains()), meanings_(OncePerIsa<MakeChainMeanings>(kernels)), tile_(tile), body_(body) {
    CountRegisters(body);
    for (const auto* list : others) CountRegisters(*list);
    PutInOrder();
    info_.reserve(body.size());
    for (size_t i = 0; i < body.size(); ++i) {
      info_.emplace_back();
      Info& info = info_.back();
      const TileOp& op = body[i].op;
      auto it = meanings_.find(op.kernel);
      if (it != meanings_.end() && op.divisor == 1 && op.extra == 0 && op.aux == nullptr) info.meaning = it->second;
      for (const TilePlace& place : body[i].in) {
        if (place.kind == TilePlace::kRegister)
          values_[static_cast<size_t>(place.index)].users.push_back(static_cast<int>(i));
        else if (place.kind == TilePlace::kSource) users_of_source_[place.index].push_back(static_cast<int>(i));
      }
      if (body[i].out.kind == TilePlace::kRegister) {
        Value& value = values_[static_cast<size_t>(body[i].out.index)];
        value.maker = static_cast<int>(i);
      } else if (body[i].out.kind == TilePlace::kSource) {
        written_sources_.insert(body[i].out.index);
      }
    }
    for (const auto* list : others) {
      for (const LoopOp& op : *list) {
        for (const TilePlace& place : op.in)
          if (place.kind == TilePlace::kRegister) values_[static_cast<size_t>(place.index)].elsewhere = true;
        if (op.out.kind == TilePlace::kRegister) values_[static_cast<size_t>(op.out.index)].elsewhere = true;
      }
    }
  }

  // Moves each op directly before its first reader, masks last, to allow longer chains.
  void PutInOrder() {
    SmallVector<int, 16> makers(values_.size(), -1);  // by register
    SmallVector<bool, 16> root(body_.size(), true), done(body_.size());
    for (size_t i = 0; i < body_.size(); ++i) {
      for (const TilePlace& place : body_[i].in) {
        if (place.kind != TilePlace::kRegister) continue;
        if (const int maker = makers[static_cast<size_t>(place.index)]; maker >= 0) root[maker] = false;
      }
      if (body_[i].out.kind == TilePlace::kRegister)
        makers[static_cast<size_t>(body_[i].out.index)] = static_cast<int>(i);
    }
    std::vector<LoopOp> ordered;
    ordered.reserve(body_.size());
    struct Visit {
      int op, seen;  // visited operands
    };
    SmallVector<Visit, 16> stack;
    for (size_t r = 0; r < body_.size(); ++r) {
      if (root[r]) stack.push_back({static_cast<int>(r), 0});
      while (!stack.empty()) {
        auto& [op, seen] = stack.back();
        if (done[op]) {
          stack.pop_back();
        } else if (seen == 3) {
          done[op] = true;
          ordered.push_back(body_[op]);
          stack.pop_back();
        } else {
          const TilePlace& place = body_[op].in[2 - seen++];
          if (place.kind != TilePlace::kRegister) continue;
          const int maker = makers[static_cast<size_t>(place.index)];
          if (maker >= 0 && !done[maker]) stack.push_back({maker, 0});
        }
      }
    }
    body_ = std::move(ordered);
  }

  void Make() {
    for (size_t i = 0; i < body_.size(); ++i) {
      if (info_[i].meaning && info_[i].chain < 0) Take(static_cast<int>(i));
    }
    for (size_t c = 0; c < chains_.size(); ++c) JoinInto(static_cast<int>(c));
    Write();
  }

 private:
  struct Value {
    int maker = -1;
    bool elsewhere = false;  // also read or written by other lists
    SmallVector<int, 4> users;
  };
  // The link by which an op continues a chain.
  struct Part {
    int op = -1, operand = -1;  // which operand is the block
    TileKernel link = nullptr;  // null: the op only stores
    TilePlace in[3];
    SmallVector<int, 2> before;  // further ops computed by the link
    SmallVector<int, 2> inside;  // those of them that read the block, or an operand, in registers
    bool square = false;         // the block is both operands
    int other = -1;              // the chain that computes the other operand meanwhile, while the block is kept
    bool aside = false;          // the link stores the result, and the block stays
    int sum = -1;                // one of `before` whose result the link stores
  };
  struct Chain {
    ChainType type = ChainType::kF32;
    LoopOp load;
    std::vector<Part> parts;
    int holds = -1;       // the op whose result the block is
    bool mask = false;    // the block is one
    bool within = false;  // `other` of another chain's part
    // Ops that read a value stored by the chain. They must follow the chain, so it ends before the first of them,
    // unless that op continues the chain.
    std::set<int> readers;
  };
  struct Info {
    std::optional<Meaning> meaning;
    int chain = -1;
  };

  void CountRegisters(const std::vector<LoopOp>& ops) {
    const auto count = [&](const TilePlace& place) {
      if (place.kind == TilePlace::kRegister && static_cast<size_t>(place.index) >= values_.size())
        values_.resize(static_cast<size_t>(place.index) + 1);
    };
    for (const LoopOp& op : ops) {
      for (const TilePlace& place : op.in) count(place);
      count(op.out);
    }
  }
  const Value* ValueAt(const TilePlace& place) const {
    if (place.kind != TilePlace::kRegister) return nullptr;
    const Value& value = values_[static_cast<size_t>(place.index)];
    return value.maker < 0 ? nullptr : &value;
  }
  // True if the operand has one element for each element of the tile.
  static bool IsTile(const Meaning& meaning, int operand) {
    if (meaning.kind == Meaning::kBinary)
      return operand == 0 ? meaning.mode != kScalarVector : meaning.mode != kVectorScalar;
    if (meaning.kind == Meaning::kSelect && operand > 0)
      return (meaning.mode & (operand == 1 ? kScalarVector : kVectorScalar)) == 0;
    return true;
  }
  static bool TakesMask(const Meaning& meaning, int operand) {
    return meaning.kind == Meaning::kOfMask || (meaning.kind == Meaning::kSelect && operand == 0);
  }
  static int Operands(const Meaning& meaning) {
    return meaning.kind == Meaning::kBinary ? 2 : meaning.kind == Meaning::kSelect ? 3 : 1;
  }
  // An op that only stores its operand, possibly in a narrow type: the block is unchanged.
  bool OnlyStores(int op) const {
    const Meaning::Kind kind = info_[op].meaning->kind;
    return (kind == Meaning::kCopy || kind == Meaning::kNarrow) && body_[op].out.kind != TilePlace::kRegister;
  }
  // An op that a link does when it loads the op's result.
  bool Loads(int op) const {
    return info_[op].meaning &&
           (info_[op].meaning->kind == Meaning::kWiden || info_[op].meaning->kind == Meaning::kRuns);
  }

  // The location from which a link may read the operand: before a load of the kind above, if there is one.
  struct Source {
    TilePlace place;
    ChainOperand operand = ChainOperand::kVector;
    int load = -1;
  };
  Source SourceOf(int op, int operand) const {
    const TilePlace& place = body_[op].in[operand];
    if (!IsTile(*info_[op].meaning, operand)) return {place, ChainOperand::kScalar, -1};
    const Value* value = ValueAt(place);
    if (value == nullptr || !Loads(value->maker)) return {place, ChainOperand::kVector, -1};
    const Meaning& load = *info_[value->maker].meaning;
    const int narrow = static_cast<int>(ChainOperand::kBf16) + static_cast<int>(load.narrow);
    return {body_[value->maker].in[0],
            load.kind == Meaning::kRuns ? ChainOperand::kRuns : static_cast<ChainOperand>(narrow), value->maker};
  }

  // True if an op before `op` reads what the chain stores; but a comparison for `op` alone, which the link of that
  // does.
  bool ReaderBefore(int op, int c) const {
    for (int reader : chains_[c].readers) {
      if (reader >= op) return false;
      if (!MayJoinCompare(reader, op)) return true;
    }
    return false;
  }
  // True if the link of `select` can make the mask that it takes.
  bool MayJoinCompare(int compare, int select) const {
    const Value* mask = ValueAt(body_[select].in[0]);
    return info_[select].meaning->kind == Meaning::kSelect && mask != nullptr && mask->maker == compare &&
           !mask->elsewhere && mask->users.size() == 1 && info_[compare].meaning &&
           IsCompare(*info_[compare].meaning) && info_[compare].chain >= 0 &&
           chains_[info_[compare].chain].holds == compare &&
           Bytes(info_[compare].meaning->type) == Bytes(info_[select].meaning->type);
  }

  // The chain whose block the operand is, if `op` may follow.
  int Followed(int op, int operand) const {
    const Value* value = ValueAt(body_[op].in[operand]);
    if (value == nullptr || !IsTile(*info_[op].meaning, operand)) return -1;
    const int c = info_[value->maker].chain;
    if (c < 0 || chains_[c].holds != value->maker || ReaderBefore(op, c) ||
        Bytes(chains_[c].type) != Bytes(info_[op].meaning->type))
      return -1;
    for (int user : value->users) {
      if (user < op && info_[user].chain != c) return -1;
      if (chains_[c].mask && user != op) return -1;
    }
    return c;
  }

  std::optional<Part> PartOf(int op, int operand) const {
    const Meaning& meaning = *info_[op].meaning;
    const int t = static_cast<int>(meaning.type);
    const LoopOp& at = body_[op];
    Part part;
    part.op = op, part.operand = operand;
    switch (meaning.kind) {
      case Meaning::kUnary:
      case Meaning::kOfMask: part.link = meaning.link; break;
      case Meaning::kBinary: {
        const auto& links = table_.binary[static_cast<int>(meaning.binary)][t];
        const Source other = SourceOf(op, 1 - operand);
        part.link = links[static_cast<int>(other.operand)][operand];
        part.in[0] = other.place;
        if (other.load >= 0 && part.link != nullptr) part.before.push_back(other.load);
        if (other.load >= 0 && part.link == nullptr) {
          part.link = links[static_cast<int>(ChainOperand::kVector)][operand];
          part.in[0] = at.in[1 - operand];
        }
        break;
      }
      case Meaning::kSelect:
        if (operand == 0) {
          part.link = table_.select[t][meaning.mode];
          part.in[0] = at.in[1], part.in[1] = at.in[2];
        } else {
          part.link = table_.select_by[t][operand == 2][!IsTile(meaning, 3 - operand)];
          part.in[0] = at.in[0], part.in[1] = at.in[3 - operand];
        }
        break;
      case Meaning::kCopy: return part;
      case Meaning::kNarrow: return OnlyStores(op) ? std::optional(part) : std::nullopt;
      case Meaning::kWiden:
      case Meaning::kRuns: return std::nullopt;
    }
    if (part.link == nullptr) return std::nullopt;
    return part;
  }

  // Merges a comparison into the select that is the only reader of its mask.
  void TakeCompare(Part* select, int chain) {
    const LoopOp& at = body_[select->op];
    const Value* mask = ValueAt(at.in[0]);
    if (mask == nullptr || !MayJoinCompare(mask->maker, select->op) || info_[mask->maker].chain == chain) return;
    const Info& info = info_[mask->maker];
    const LoopOp& compare = body_[mask->maker];
    const int product = ProductOf(select->op, 3 - select->operand);
    chains_[chain].readers.erase(mask->maker);
    const bool first = IsTile(*info.meaning, 0);  // otherwise its operands are exchanged
    const BinaryOp op = first ? info.meaning->binary : Exchanged(info.meaning->binary);
    const int other = 3 - select->operand;
    select->link = table_.select_if[static_cast<int>(op) - static_cast<int>(BinaryOp::kEq)]
                                   [static_cast<int>(info.meaning->type)][info.meaning->mode != kVectorVector]
                                   [select->operand == 2][!IsTile(*info_[select->op].meaning, other)];
    select->in[0] = compare.in[first ? 0 : 1], select->in[1] = compare.in[first ? 1 : 0], select->in[2] = at.in[other];
    select->before.push_back(mask->maker);
    // Removes the comparison from its chain, of which it is the last part. Ops cannot use the block before it.
    LeaveChain(mask->maker);
    if (product >= 0) TakeProduct(op, product, select);
  }
  // The product of what is compared with a scalar, that the link of a select may compute as its operand; -1: it is
  // none.
  int ProductOf(int select, int operand) const {
    const Value *mask = ValueAt(body_[select].in[0]), *value = ValueAt(body_[select].in[operand]);
    if (table_.select_product_if[0][0] == nullptr || operand == 0 || mask == nullptr ||
        !MayJoinCompare(mask->maker, select) || value == nullptr || value->elsewhere || value->users.size() != 1)
      return -1;
    const std::optional<Meaning>&compare = info_[mask->maker].meaning, &meaning = info_[value->maker].meaning;
    if (compare->mode == kVectorVector || compare->type != ChainType::kF32 || !meaning ||
        meaning->kind != Meaning::kBinary || meaning->binary != BinaryOp::kMultiply || meaning->mode != kVectorVector ||
        meaning->type != ChainType::kF32)
      return -1;
    const TilePlace& compared = body_[mask->maker].in[IsTile(*compare, 0) ? 0 : 1];
    const LoopOp& at = body_[value->maker];
    for (int factor : {0, 1}) {
      if (at.in[factor] == compared)
        return SourceOf(value->maker, 1 - factor).load >= 0 || PartAlone(value->maker) == nullptr ? -1 : value->maker;
    }
    return -1;
  }
  // The part of the op, if that is alone or an aside.
  const Part* PartAlone(int op) const {
    if (info_[op].chain < 0) return nullptr;
    const std::vector<Part>& parts = chains_[info_[op].chain].parts;
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return p.op == op; });
    return part != parts.end() && (part->aside || IsAlone(op)) ? &*part : nullptr;
  }
  void TakeProduct(BinaryOp compare, int product, Part* select) {
    Chain& chain = chains_[info_[product].chain];
    chain.parts.erase(chain.parts.begin() + (PartAlone(product) - chain.parts.data()));
    if (chain.holds == product) chain.holds = -1;
    info_[product].chain = -1;
    const TilePlace* factors = body_[product].in;
    select->link =
        table_.select_product_if[static_cast<int>(compare) - static_cast<int>(BinaryOp::kEq)][select->operand == 2];
    select->in[2] = factors[factors[0] == select->in[0] ? 1 : 0];
    select->before.insert(select->before.begin(), product);
  }

  // x op a scalar with a single reader: a link may compute both.
  bool IsInner(int op) const {
    const std::optional<Meaning>& meaning = info_[op].meaning;
    if (!meaning || meaning->kind != Meaning::kBinary || meaning->mode == kVectorVector) return false;
    if (Index(kInnerOps, meaning->binary) < 0) return false;
    const bool exchanges = meaning->binary == BinaryOp::kAdd || meaning->binary == BinaryOp::kMultiply;
    if (meaning->mode == kScalarVector && !exchanges) return false;
    const Value* value = ValueAt(body_[op].out);
    return value != nullptr && !value->elsewhere && value->users.size() == 1;
  }
  int TileOf(int inner) const { return info_[inner].meaning->mode == kScalarVector ? 1 : 0; }
  template <size_t n>
  static int Index(const BinaryOp (&ops)[n], BinaryOp op) {
    const auto* found = std::find(ops, ops + n, op);
    return found == ops + n ? -1 : static_cast<int>(found - ops);
  }
  // True if the chain is this op alone.
  bool IsAlone(int op) const {
    const int c = info_[op].chain;
    return c >= 0 && chains_[c].parts.size() == 1 && chains_[c].parts[0].op == op && chains_[c].holds == op;
  }
  void LeaveChain(int op) {
    Chain& chain = chains_[info_[op].chain];
    chain.parts.pop_back();
    chain.holds = -1;
    info_[op].chain = -1;
  }
  // The op that defines the operand, if a link combines it with `op`, otherwise -1; and the link.
  int InnerOf(int op, int operand, bool of_block, TileKernel* link) const {
    const Meaning& meaning = *info_[op].meaning;
    const Value* value = ValueAt(body_[op].in[operand]);
    if (meaning.kind != Meaning::kBinary || meaning.mode != kVectorVector || value == nullptr || !IsInner(value->maker))
      return -1;
    const Meaning& inner = *info_[value->maker].meaning;
    const int o = Index(kOuterOps, meaning.binary), i = Index(kInnerOps, inner.binary);
    if (o < 0 || inner.type != meaning.type) return -1;
    *link = table_.nested[o][i][static_cast<int>(meaning.type)][operand == 0][of_block];
    return *link == nullptr ? -1 : value->maker;
  }
  // True if the op's only reader may compute it.
  bool MayBeInner(int op) const {
    if (!IsInner(op)) return false;
    const int user = ValueAt(body_[op].out)->users[0];
    TileKernel link = nullptr;
    return info_[user].meaning && InnerOf(user, body_[user].in[0] == body_[op].out ? 0 : 1, false, &link) == op;
  }
  void PutInside(int inner, Part* part) const {
    part->in[0] = body_[inner].in[TileOf(inner)], part->in[1] = body_[inner].in[1 - TileOf(inner)];
    part->before.push_back(inner), part->inside.push_back(inner);
  }
  // The chain's last op was x op a scalar, and x is the other operand: one link computes both ops from x.
  bool TakeOfBlock(int op, int operand, int c) {
    Part part;
    const int inner = InnerOf(op, operand, true, &part.link);
    if (inner < 0 || info_[inner].chain != c || chains_[c].parts.back().op != inner) return false;
    const Part last = chains_[c].parts.back();
    if (!last.inside.empty() || last.operand != TileOf(inner) ||
        body_[inner].in[last.operand] != body_[op].in[1 - operand])
      return false;
    LeaveChain(inner);
    part.op = op, part.operand = 1 - operand, part.before = last.before;
    PutInside(inner, &part);
    Append(c, part);
    return true;
  }
  // The other operand is y op a scalar, without other uses: computed within the link.
  void TakeInner(Part* part, int c) {
    TileKernel link = nullptr;
    const int inner = InnerOf(part->op, 1 - part->operand, false, &link);
    if (inner < 0 || !IsAlone(inner) || info_[inner].chain == c || SourceOf(inner, TileOf(inner)).load >= 0) return;
    LeaveChain(inner);
    part->link = link;
    PutInside(inner, part);
  }
  // (x << a) | (x >> b).
  bool TakeRotation(int op) {
    const Meaning& meaning = *info_[op].meaning;
    if (meaning.kind != Meaning::kBinary || meaning.binary != BinaryOp::kOr || meaning.mode != kVectorVector ||
        meaning.type != ChainType::kS32 || table_.rotate == nullptr)
      return false;
    int shifts[2];
    for (int k : {0, 1}) {
      const Value* value = ValueAt(body_[op].in[k]);
      if (value == nullptr || !IsInner(value->maker) || info_[value->maker].chain < 0) return false;
      shifts[k] = value->maker;
    }
    const auto is = [&](int shift, BinaryOp what) { return info_[shift].meaning->binary == what; };
    if (is(shifts[1], BinaryOp::kShiftLeft)) std::swap(shifts[0], shifts[1]);
    const int first = std::min(shifts[0], shifts[1]), second = std::max(shifts[0], shifts[1]), c = info_[first].chain;
    if (!is(shifts[0], BinaryOp::kShiftLeft) || !is(shifts[1], BinaryOp::kShiftRightLogical) || first == second ||
        body_[first].in[0] != body_[second].in[0] || !IsAlone(second) || chains_[c].holds != first ||
        chains_[c].parts.back().op != first || !chains_[c].parts.back().inside.empty())
      return false;
    for (int reader : chains_[c].readers)
      if (reader < op && reader != second) return false;
    Part part;
    part.op = op, part.operand = 0, part.link = table_.rotate, part.before = chains_[c].parts.back().before;
    for (int shift : {first, second}) part.before.push_back(shift);
    part.inside = {first, second};
    part.in[0] = body_[shifts[0]].in[1], part.in[1] = body_[shifts[1]].in[1];
    LeaveChain(second), LeaveChain(first);
    chains_[c].readers.erase(second);
    TakeAsides(c, body_[first].in[0], op);
    Append(c, part);
    return true;
  }
  // A sum u + v of which only one more op, v rotated ^ (u + v), is the reader of v rotated: the sum is computed with
  // it.
  struct Mix {
    int chain = -1, op = -1, operand = -1;  // whose block is v rotated; the xor, and which operand of it that is
    TilePlace other;                        // u
  };
  std::optional<Mix> MixOf(int sum) const {
    const Value* value = ValueAt(body_[sum].out);
    if (table_.mix == nullptr || value == nullptr || !IsOfWords(sum, BinaryOp::kAdd, kVectorVector) ||
        info_[sum].chain >= 0)
      return std::nullopt;
    for (int op : value->users) {
      if (!IsOfWords(op, BinaryOp::kXor, kVectorVector)) continue;
      const int operand = body_[op].in[0] == body_[sum].out ? 1 : 0;
      const Value* turned = ValueAt(body_[op].in[operand]);
      const int c =
          turned == nullptr || turned->elsewhere || turned->users.size() != 1 ? -1 : info_[turned->maker].chain;
      if (c < 0 || chains_[c].holds != turned->maker || chains_[c].parts.back().link != table_.rotate) continue;
      const TilePlace& v = body_[chains_[c].parts.back().inside[0]].in[0];
      const int of = body_[sum].in[0] == v ? 0 : 1;
      const TilePlace& other = body_[sum].in[1 - of];
      if (body_[sum].in[of] != v || other == v) continue;
      return Mix{c, op, operand, other};
    }
    return std::nullopt;
  }
  // True if the sum may become that of a mix with the rotation.
  bool IsMixed(int sum, int rotation) const {
    const Value* turned = ValueAt(body_[rotation].out);
    return turned != nullptr && turned->users.size() == 1 && IsOfWords(sum, BinaryOp::kAdd, kVectorVector) &&
           IsOfWords(rotation, BinaryOp::kOr, kVectorVector) &&
           IsOfWords(turned->users[0], BinaryOp::kXor, kVectorVector) &&
           (body_[turned->users[0]].in[0] == body_[sum].out || body_[turned->users[0]].in[1] == body_[sum].out);
  }
  bool IsOfWords(int op, BinaryOp binary, OperandMode mode) const {
    const std::optional<Meaning>& meaning = info_[op].meaning;
    return meaning && meaning->kind == Meaning::kBinary && meaning->binary == binary && meaning->mode == mode &&
           meaning->type == ChainType::kS32;
  }
  bool TakeMix(int op) {
    if (MixOf(op)) return true;  // with the xor
    // What the sum's other operand is made of, by one sum with a scalar, before the chain would have to end for it.
    for (const OperandMode mode : {kVectorScalar, kScalarVector}) {
      if (!IsOfWords(op, BinaryOp::kAdd, mode)) continue;
      const Value* value = ValueAt(body_[op].out);
      if (value == nullptr || value->elsewhere || value->users.size() != 1) return false;
      const int tile = mode == kVectorScalar ? 0 : 1;
      const std::optional<Mix> mix = MixOf(value->users[0]);
      const Value* from = ValueAt(body_[op].in[tile]);
      if (!mix || from == nullptr || info_[from->maker].chain != mix->chain) return false;
      Part part;
      part.op = op, part.operand = 1 - tile, part.link = table_.beside, part.aside = true;
      part.in[0] = body_[op].in[tile], part.in[1] = body_[op].in[1 - tile];
      Chain& chain = chains_[mix->chain];
      chain.parts.insert(chain.parts.end() - 1, part);
      chain.readers.erase(op);
      info_[op].chain = mix->chain;
      return true;
    }
    if (!IsOfWords(op, BinaryOp::kXor, kVectorVector)) return false;
    for (const TilePlace& place : {body_[op].in[0], body_[op].in[1]}) {
      const Value* value = ValueAt(place);
      const std::optional<Mix> mix = value == nullptr ? std::nullopt : MixOf(value->maker);
      if (!mix || mix->op != op) continue;
      const int sum = value->maker, c = mix->chain;
      for (int reader : chains_[c].readers)
        if (reader < op && reader != sum) return false;
      Part part = chains_[c].parts.back();
      chains_[c].parts.pop_back();
      part.before.push_back(part.op), part.before.push_back(sum), part.inside.push_back(sum);
      part.op = op, part.operand = mix->operand, part.link = table_.mix, part.sum = sum;
      part.in[2] = part.in[1], part.in[1] = part.in[0], part.in[0] = mix->other;
      chains_[c].readers.erase(sum);
      info_[sum].chain = c;
      for (int reader : value->users)
        if (reader != op) chains_[c].readers.insert(reader);
      Append(c, part);
      return true;
    }
    return false;
  }
  // True if the value is made from that of `op`, in a few steps.
  bool Follows(const TilePlace& place, int op, int steps) const {
    const Value* value = ValueAt(place);
    if (value == nullptr || value->maker <= op || steps == 0) return value != nullptr && value->maker == op;
    const int maker = value->maker;
    for (int k = 0; info_[maker].meaning && k < Operands(*info_[maker].meaning); ++k)
      if (IsTile(*info_[maker].meaning, k) && Follows(body_[maker].in[k], op, steps - 1)) return true;
    return false;
  }
  // True if each reader of the op's result has another operand that follows from `from`.
  bool IsReadBeside(int op, int from) const {
    constexpr int kSteps = 4;
    const Value& value = *ValueAt(body_[op].out);
    return !value.elsewhere && std::all_of(value.users.begin(), value.users.end(), [&](int user) {
      const std::optional<Meaning>& meaning = info_[user].meaning;
      for (int k = 0; meaning && k < Operands(*meaning); ++k) {
        const TilePlace& in = body_[user].in[k];
        if (IsTile(*meaning, k) && in != body_[op].out && Follows(in, from, kSteps)) return true;
      }
      return false;
    });
  }
  // True if a link before `op` may read the place.
  bool IsReady(const TilePlace& place, int op) const {
    if (place.kind == TilePlace::kSource) return written_sources_.count(place.index) == 0;
    const Value* value = ValueAt(place);
    return value == nullptr || value->maker < op;
  }
  // The link by which `reader`, a later op than `op`, may read the block at `place` before `op` replaces it.
  std::optional<Part> AsideOf(int reader, const TilePlace& place, int c, int op) const {
    const std::optional<Meaning>& meaning = info_[reader].meaning;
    if (!meaning || meaning->kind != Meaning::kBinary || info_[reader].chain >= 0 ||
        Bytes(meaning->type) != Bytes(chains_[c].type) || ValueAt(body_[reader].out) == nullptr ||
        (table_.mix != nullptr && IsMixed(reader, op)))
      return std::nullopt;
    const int index = Index(kOuterOps, meaning->binary), operand = body_[reader].in[0] == place ? 0 : 1;
    const TilePlace& other = body_[reader].in[1 - operand];
    if (index < 0 || !IsTile(*meaning, operand) || other == place || !IsReady(other, op)) return std::nullopt;
    const Source source = SourceOf(reader, 1 - operand);
    const bool scalar = source.operand == ChainOperand::kScalar;
    // Where the other operand is a block as well, that chain goes on with this value from memory.
    if (source.load >= 0 || Followed(reader, 1 - operand) >= 0 || !IsReadBeside(reader, op) || MayBeInner(reader))
      return std::nullopt;
    Part part;
    part.op = reader, part.operand = operand, part.aside = true;
    part.link = table_.aside[index][static_cast<int>(meaning->type)][scalar][operand];
    part.in[0] = source.place;
    if (part.link == nullptr) return std::nullopt;
    return part;
  }
  // Before `op` replaces the block at `place`: what its later readers compute, if these are all that need it.
  void TakeAsides(int c, const TilePlace& place, int op) {
    constexpr size_t kMost = 3;
    std::span<const int> users;
    if (place.kind == TilePlace::kSource) users = users_of_source_.find(place.index)->second;
    else if (const Value* value = ValueAt(place); value != nullptr && !value->elsewhere) users = value->users;
    std::vector<Part> parts;
    for (const int user : users.subspan(std::upper_bound(users.begin(), users.end(), op) - users.begin())) {
      std::optional<Part> part = AsideOf(user, place, c, op);
      if (!part || parts.size() == kMost) return;
      parts.push_back(std::move(*part));
    }
    for (const Part& part : parts) {
      for (int reader : ValueAt(body_[part.op].out)->users) chains_[c].readers.insert(reader);
      const Value* other = ValueAt(body_[part.op].in[1 - part.operand]);
      if (const int from = other != nullptr ? info_[other->maker].chain : -1; from >= 0 && from != c)
        chains_[from].readers.insert(op);
      Append(c, part);
    }
  }
  void Append(int c, const Part& part) {
    Chain& chain = chains_[c];
    chain.readers.erase(part.op);
    chain.parts.push_back(part);
    if (!OnlyStores(part.op) && !part.aside) chain.holds = part.op, chain.mask = IsCompare(*info_[part.op].meaning);
    info_[part.op].chain = c;
  }

  void Take(int op) {
    const Meaning& meaning = *info_[op].meaning;
    if (TakeRotation(op) || TakeMix(op)) return;
    // Continue a chain, preferably of a value instead of a mask (the comparison is then merged with the select), of a
    // result without other readers, and the latest.
    int best = -1, operand = -1;
    const auto rank = [&](int c, int o) {
      const Value* value = ValueAt(body_[op].in[o]);
      return std::tuple(!chains_[c].mask, meaning.kind != Meaning::kSelect || ProductOf(op, o) < 0,
                        value->users.size() == 1, value->maker);
    };
    for (int o = 0; o < Operands(meaning); ++o) {
      const int c = Followed(op, o);
      if (c < 0 || chains_[c].mask != TakesMask(meaning, o) || !PartOf(op, o)) continue;
      if (best < 0 || rank(c, o) > rank(best, operand)) best = c, operand = o;
    }
    if (best >= 0 && meaning.kind == Meaning::kBinary) {
      if (TakeOfBlock(op, operand, best)) return;
      // A chain of only an inner op is merged into the link of the other.
      const int c = Followed(op, 1 - operand);
      TileKernel link = nullptr;
      if (c >= 0 && c != best && !chains_[c].mask && PartOf(op, 1 - operand)) {
        if (const int inner = InnerOf(op, operand, false, &link); inner >= 0 && IsAlone(inner))
          best = c, operand = 1 - operand;
      }
    }
    // Otherwise begin a chain with an operand from memory.
    for (int o = 0; best < 0 && !OnlyStores(op) && o < Operands(meaning); ++o) {
      const bool mask = meaning.kind == Meaning::kOfMask;
      if (!IsTile(meaning, o) || (TakesMask(meaning, o) && !mask) || !PartOf(op, o)) continue;
      Source source = SourceOf(op, o);
      if (mask) source.operand = ChainOperand::kPred;
      const TileKernel load = table_.load[static_cast<int>(meaning.type)][static_cast<int>(source.operand)];
      if (load == nullptr) continue;
      Chain& chain = chains_.emplace_back();
      chain.type = meaning.type;
      chain.load.op.kernel = load;
      chain.load.in[0] = source.place;
      if (source.operand == ChainOperand::kRuns)
        std::copy(std::begin(body_[source.load].in), std::end(body_[source.load].in), std::begin(chain.load.in));
      best = static_cast<int>(chains_.size() - 1), operand = o;
    }
    if (best < 0) return;
    Part part = *PartOf(op, operand);
    if (meaning.kind == Meaning::kSelect && operand > 0) TakeCompare(&part, best);
    if (meaning.kind == Meaning::kBinary) {
      const TileKernel square = table_.square[static_cast<int>(meaning.type)];
      part.square = meaning.binary == BinaryOp::kMultiply && meaning.mode == kVectorVector && square != nullptr &&
                    body_[op].in[0] == body_[op].in[1];
      if (part.square) part.link = square, part.before.clear();
      else TakeInner(&part, best);
    }
    Chain& chain = chains_[best];
    if (chain.parts.empty()) {
      if (const Source source = SourceOf(op, operand); source.load >= 0) part.before.push_back(source.load);
    } else if (!OnlyStores(op)) {
      for (int user : ValueAt(body_[op].in[operand])->users) {
        if (user > op) chain.readers.insert(user);
      }
    }
    if (const bool loads = chains_[best].parts.empty() && SourceOf(op, operand).load >= 0;
        !loads && !OnlyStores(op) && !IsCompare(meaning) && !MayBeInner(op) && !chains_[best].mask)
      TakeAsides(best, body_[op].in[operand], op);
    Append(best, part);
    // Other ops may read its result in memory.
    const TilePlace& out = body_[op].out;
    if (const auto users = users_of_source_.find(out.index);
        out.kind == TilePlace::kSource && users != users_of_source_.end())
      for (int user : users->second)
        if (user > op) chains_[best].readers.insert(user);
  }

  // ---- Two blocks at once.
  // The link for a part that keeps its block while another one becomes that of its other operand.
  TileKernel KeptLink(const Part& part) const {
    const Meaning& meaning = *info_[part.op].meaning;
    const int t = static_cast<int>(meaning.type), vector = static_cast<int>(ChainOperand::kVector);
    if (meaning.kind == Meaning::kBinary) {
      const int op = static_cast<int>(meaning.binary);
      if (part.link != table_.binary[op][t][vector][part.operand]) return nullptr;
      return table_.binary_kept[op][t][1 - part.operand];
    }
    if (meaning.kind != Meaning::kSelect || part.operand == 0) return nullptr;
    const bool unset = part.operand == 2;
    if (part.link == table_.select_by[t][unset][0]) return table_.select_by_kept[t][!unset];
    for (int op = 0; op < 6; ++op) {
      for (int type = 0; type < kChainTypes; ++type) {
        for (bool scalar : {false, true})
          if (part.link == table_.select_if[op][type][scalar][unset][0])
            return table_.select_if_kept[op][type][scalar][!unset];
      }
    }
    return nullptr;
  }
  // The link that begins the chain while another one's block is kept.
  TileKernel KeepLink(const Chain& chain) const {
    const int t = static_cast<int>(chain.type);
    for (int operand = 0; operand < kChainOperands; ++operand)
      if (chain.load.op.kernel == table_.load[t][operand]) return table_.keep[t][operand];
    return nullptr;
  }
  // The place in the body where the op is computed.
  int PlaceOf(int op) const {
    const int c = info_[op].chain;
    return c < 0 || !(IsChain(chains_[c]) || chains_[c].within) ? op : chains_[c].parts.back().op;
  }
  // A chain whose result is only the other operand of another chain's part: computed there, instead of a tile in
  // memory.
  void JoinInto(int c) {
    Chain& chain = chains_[c];
    if (chain.parts.empty() || chain.mask || chain.holds != chain.parts.back().op) return;
    const Value* value = ValueAt(body_[chain.holds].out);
    if (value == nullptr || value->elsewhere || value->users.size() != 1) return;
    const int user = value->users[0], into = info_[user].chain;
    if (into < 0 || into == c || chains_[into].within || Bytes(chains_[into].type) != Bytes(chain.type) ||
        tile_ < table_.elements[static_cast<int>(chain.type)])
      return;
    for (const Part& part : chain.parts)
      if (part.other >= 0 || info_[part.op].meaning->function) return;
    Chain& to = chains_[into];
    Part* at = nullptr;
    for (Part& part : to.parts)
      if (part.op == user && part.other < 0) at = &part;
    if (at == nullptr || KeptLink(*at) == nullptr || KeepLink(chain) == nullptr ||
        ValueAt(body_[user].in[at->operand]) == value)
      return;
    // It is then computed later: not after a reader of what it stores, nor before the makers of what it reads.
    const int place = to.parts.back().op;
    for (int reader : chain.readers)
      if (info_[reader].chain == into ? reader < user : PlaceOf(reader) < place) return;
    if (place < chain.parts.back().op) return;
    at->link = KeptLink(*at), at->other = c, chain.within = true;
    for (TilePlace& in : at->in)
      if (in == body_[chain.holds].out) in = TilePlace{};  // it is not in memory
  }

  // ---- The new body.
  // True if the part's result has readers besides the next part of the chain.
  bool IsRead(const Chain& chain, size_t p) const {
    const Value* value = ValueAt(body_[chain.parts[p].op].out);
    if (value == nullptr || value->elsewhere) return true;
    size_t within = 0;
    for (const Part& part : chain.parts) {
      if (&part == &chain.parts[0]) continue;
      if (ValueAt(body_[part.op].in[part.operand]) == value) within += part.square ? 2 : 1;
      for (int op : part.inside) {
        const int tile = op == part.sum ? body_[op].in[0] == part.in[0] : TileOf(op);
        within += ValueAt(body_[op].in[tile]) == value ? 1 : 0;
      }
    }
    return value->users.size() > within;
  }
  void PutOp(int op, std::vector<LoopOp>* out) const {
    const Meaning& meaning = *info_[op].meaning;
    LoopOp copy = body_[op];
    const int64_t size = Bytes(meaning.type);
    for (int k = 0; k < Operands(meaning); ++k) {
      if (!IsTile(meaning, k)) continue;
      const int64_t bytes = meaning.kind == Meaning::kWiden ? 2 : TakesMask(meaning, k) ? 1 : size;
      copy.op.extra |= bytes << (8 * k);
    }
    if (meaning.kind == Meaning::kRuns) copy.op.extra = 1 << 16;  // the number of the first element
    copy.op.extra |= (meaning.kind == Meaning::kNarrow ? 2 : IsCompare(meaning) ? 1 : size) << 24;
    out->push_back(copy);
  }
  // Where a chain that begins as another one, with one op, is kept meanwhile: that op's link keeps its result, and the
  // block stays for the other.
  void ShareLoad(size_t from, std::vector<LoopOp>* links) const {
    if (links->size() < from + 3) return;
    const LoopOp &load = (*links)[from], &keep = (*links)[from + 2];
    LoopOp& link = (*links)[from + 1];
    const int vector = static_cast<int>(ChainOperand::kVector), scalar = static_cast<int>(ChainOperand::kScalar);
    for (int t = 0; t < kChainTypes; ++t) {
      if (load.op.kernel != table_.load[t][vector] || keep.op.kernel != table_.keep[t][vector] ||
          keep.op.kernel == nullptr || load.in[0] != keep.in[0])
        continue;
      for (int op = 0; op < 3; ++op) {
        for (const int form : {vector, scalar}) {
          for (int operand = 0; operand < 2; ++operand) {
            const TileKernel kept = table_.keep_result[op][t][form == scalar][operand];
            if (kept == nullptr || link.op.kernel != table_.binary[static_cast<int>(kOuterOps[op])][t][form][operand])
              continue;
            link.op.kernel = kept;
            links->erase(links->begin() + static_cast<std::ptrdiff_t>(from) + 2);
            return;
          }
        }
      }
    }
  }
  // Merges a product with a following sum, or with an xor with itself shifted, and two steps of a polynomial, which
  // saves a jump each.
  void JoinSteps(size_t from, std::vector<LoopOp>* links) const {
    const int exclusive = Index(kOuterOps, BinaryOp::kXor), shift = Index(kInnerOps, BinaryOp::kShiftRightLogical);
    size_t to = from;
    for (size_t i = from; i < links->size(); ++i) {
      LoopOp link = (*links)[i];
      for (int t = 0; t < kChainTypes; ++t) {
        const auto is = [&](const LoopOp& at, BinaryOp op, int operand) {
          return at.op.kernel == table_.binary[static_cast<int>(op)][t][operand][0];
        };
        const TileKernel step = table_.multiply_add[t][0][1];
        for (int factor = 0; step != nullptr && factor < 2; ++factor) {
          for (int addend = 0; addend < 2; ++addend) {
            if (i + 1 == links->size() || !is(link, BinaryOp::kMultiply, factor) ||
                !is((*links)[i + 1], BinaryOp::kAdd, addend))
              continue;
            link.op.kernel = table_.multiply_add[t][factor][addend];
            link.in[1] = (*links)[++i].in[0];
          }
        }
        if (t == static_cast<int>(ChainType::kS32) && table_.spread != nullptr && i + 1 < links->size() &&
            is(link, BinaryOp::kMultiply, 1) && (*links)[i + 1].op.kernel == table_.nested[exclusive][shift][t][0][1]) {
          const TilePlace factor = link.in[0];
          link = (*links)[++i];
          link.op.kernel = table_.spread, link.in[2] = factor;
        }
        if (step == nullptr || link.op.kernel != step || to == from) continue;
        LoopOp& last = (*links)[to - 1];
        if (last.op.kernel != step || last.in[0] != link.in[0]) continue;
        link.op.kernel = table_.polynomial[t];
        link.in[2] = link.in[1], link.in[1] = last.in[1];
        --to;
      }
      (*links)[to++] = link;
    }
    links->resize(to);
    if (to >= from + 2) JoinLoad(from, links);
  }
  // Merges the load with the operation of a scalar after it.
  void JoinLoad(size_t from, std::vector<LoopOp>* links) const {
    constexpr int kF32 = static_cast<int>(ChainType::kF32);
    LoopOp& load = (*links)[from];
    const LoopOp& link = (*links)[from + 1];
    if (load.op.kernel != table_.load[kF32][static_cast<int>(ChainOperand::kVector)]) return;
    for (int op = 0; op < 3; ++op) {
      const auto& scalar =
          table_.binary[static_cast<int>(kOuterOps[op])][kF32][static_cast<int>(ChainOperand::kScalar)];
      for (int operand = 0; operand < 2; ++operand) {
        if (table_.begin[op][operand] == nullptr || link.op.kernel != scalar[operand]) continue;
        load.op.kernel = table_.begin[op][operand], load.in[1] = load.in[0], load.in[0] = link.in[0];
        links->erase(links->begin() + static_cast<std::ptrdiff_t>(from) + 1);
        return;
      }
    }
  }
  void PutOps(const Chain& chain, std::vector<LoopOp>* out) const {
    for (const Part& part : chain.parts) {
      if (part.other >= 0) PutOps(chains_[part.other], out);
      for (int op : part.before) PutOp(op, out);
      PutOp(part.op, out);
    }
  }
  // Those after the first.
  void PutLinks(const Chain& chain, std::vector<LoopOp>* out) const {
    const int t = static_cast<int>(chain.type);
    for (size_t p = 0; p < chain.parts.size(); ++p) {
      const Part& part = chain.parts[p];
      if (part.other >= 0) {
        const Chain& other = chains_[part.other];
        out->push_back(other.load);
        out->back().op.kernel = KeepLink(other);
        PutLinks(other, out);
      }
      if (part.link != nullptr) {
        LoopOp& link = out->emplace_back();
        link.op.kernel = part.link;
        std::copy(std::begin(part.in), std::end(part.in), std::begin(link.in));
        if (part.aside || part.sum >= 0) link.out = body_[part.aside ? part.op : part.sum].out;
      }
      if (part.aside) continue;
      const bool last = p + 1 == chain.parts.size();
      if (last && chain.within) continue;
      if (!last && !IsRead(chain, p)) continue;
      const Meaning& meaning = *info_[part.op].meaning;
      ChainResult result = IsCompare(meaning) ? ChainResult::kPred : ChainResult::kVector;
      if (meaning.streams) result = ChainResult::kStreamed;
      if (meaning.kind == Meaning::kNarrow)
        result = meaning.narrow == NarrowFloat::kBf16 ? ChainResult::kBf16 : ChainResult::kF16;
      LoopOp& store = out->emplace_back();
      store.op.kernel = table_.store[t][static_cast<int>(result)][last];
      store.out = body_[part.op].out;
    }
  }
  void Put(const Chain& chain, std::vector<LoopOp>* out) const {
    const int t = static_cast<int>(chain.type);
    const size_t head = out->size();
    out->emplace_back();
    PutOps(chain, out);
    const size_t ops = out->size() - head - 1;
    out->push_back(chain.load);
    out->back().op.extra = table_.elements[t];
    PutLinks(chain, out);
    ShareLoad(head + 1 + ops, out);
    JoinSteps(head + 1 + ops, out);
    (*out)[head].op.extra = static_cast<int64_t>(ops);
    (*out)[head].op.divisor = static_cast<int64_t>(out->size() - head - 1 - ops);
  }
  // One op alone gains nothing.
  bool IsChain(const Chain& chain) const {
    size_t ops = chain.parts.size();
    for (const Part& part : chain.parts) ops += part.before.size() + (part.other >= 0 ? 1 : 0);
    return !chain.parts.empty() && !chain.within && ops > 1 && tile_ >= table_.elements[static_cast<int>(chain.type)];
  }
  void Write() {
    if (std::none_of(chains_.begin(), chains_.end(), [&](const Chain& chain) { return IsChain(chain); })) return;
    std::vector<bool> moved(body_.size());
    std::unordered_map<int, const Chain*> ends;  // by the last op
    std::unordered_map<int, size_t> loads;       // by the op: the number of links that do it
    for (const Chain& chain : chains_) {
      if (!IsChain(chain) && !chain.within) continue;
      for (const Part& part : chain.parts) {
        moved[part.op] = true;
        for (int op : part.before) {
          if (Loads(op)) ++loads[op];
          else moved[op] = true;
        }
      }
      if (!chain.within) ends.emplace(chain.parts.back().op, &chain);
    }
    for (const auto& [op, readers] : loads) {
      const Value* value = ValueAt(body_[op].out);
      moved[op] = !value->elsewhere && value->users.size() == readers;
    }
    std::vector<LoopOp> made;
    made.reserve(body_.size() + chains_.size());
    for (size_t i = 0; i < body_.size(); ++i) {
      if (auto it = ends.find(static_cast<int>(i)); it != ends.end()) Put(*it->second, &made);
      else if (!moved[i]) made.push_back(body_[i]);
    }
    body_ = std::move(made);
  }

  const ChainTable& table_;
  const ChainMeanings& meanings_;
  const int64_t tile_;
  std::vector<LoopOp>& body_;
  std::vector<Info> info_;
  std::vector<Value> values_;  // by register
  std::unordered_map<int32_t, std::vector<int>> users_of_source_;
  std::unordered_set<int32_t> written_sources_;
  std::vector<Chain> chains_;
};

}  // namespace

void MakeChains(const KernelTable& kernels, int64_t tile, const std::vector<const std::vector<LoopOp>*>& others,
                std::vector<LoopOp>* body) {
  if (kernels.chains != nullptr && body->size() > 1) ChainMaker(kernels, tile, others, *body).Make();
}

}  // namespace hloir::cpu
