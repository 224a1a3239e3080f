// See rules.h: parsing of formulas, and modules built from them.
#include "fuzz/rules.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "hloir/check.h"
#include "hloir/evaluator.h"
#include "hloir/printer.h"
#include "support/format.h"

namespace hloir::fuzz {

// ---- Formulas ----

struct Formula::Node {
  enum class Kind { kOperand, kCondition, kConstant, kPowerOfTwo, kNumber, kLowest, kHighest, kOnes, kIota, kOp };
  Kind kind = Kind::kOp;
  HloOpcode opcode = HloOpcode::kAdd;
  ComparisonDirection direction = ComparisonDirection::kEq;
  std::string name;
  int64_t number = 0;
  std::vector<std::unique_ptr<Node>> operands;
};

namespace {

using enum HloOpcode;

// Text to nodes, by precedence.
template <class Node>
class FormulaParser {
 public:
  using Ptr = std::unique_ptr<Node>;
  using Kind = typename Node::Kind;

  FormulaParser(std::string_view text, std::string_view rule) : text_(text), rule_(rule) {}
  Ptr Parse() {
    Ptr node = Binary(0);
    Skip();
    return at_ == text_.size() ? std::move(node) : nullptr;
  }

 private:
  void Skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool Eat(std::string_view token) {
    Skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  std::string_view Word() {
    Skip();
    size_t end = at_;
    while (end < text_.size() && std::isalnum(static_cast<unsigned char>(text_[end]))) ++end;
    return text_.substr(at_, end - at_);
  }
  Ptr Op(HloOpcode opcode, Ptr a, Ptr b = nullptr, ComparisonDirection direction = ComparisonDirection::kEq) {
    Ptr node = std::make_unique<Node>();
    node->opcode = opcode;
    node->direction = direction;
    node->operands.push_back(std::move(a));
    if (b) node->operands.push_back(std::move(b));
    return node;
  }
  Ptr Leaf(Kind kind, std::string_view name = {}, int64_t number = 0) {
    Ptr node = std::make_unique<Node>();
    node->kind = kind;
    node->name = name;
    node->number = number;
    return node;
  }

  struct Operator {
    std::string_view text;
    int level;
    HloOpcode opcode;
    ComparisonDirection direction = ComparisonDirection::kEq;
  };
  // Longer ones first.
  std::optional<Operator> Next(int level) {
    const bool power = rule_.starts_with("power");
    const HloOpcode right = rule_.starts_with("shift-right-arithmetic") ? kShiftRightArithmetic : kShiftRightLogical;
    using enum ComparisonDirection;
    const Operator operators[] = {{"<<", 5, kShiftLeft},
                                  {">>", 5, right},
                                  {"==", 3, kCompare, kEq},
                                  {"!=", 3, kCompare, kNe},
                                  {"<=", 4, kCompare, kLe},
                                  {">=", 4, kCompare, kGe},
                                  {"<", 4, kCompare, kLt},
                                  {">", 4, kCompare, kGt},
                                  {"|", 0, kOr},
                                  {"^", power ? 8 : 1, power ? kPower : kXor},
                                  {"&", 2, kAnd},
                                  {"+", 6, kAdd},
                                  {"-", 6, kSubtract},
                                  {"*", 7, kMultiply},
                                  {"/", 7, kDivide},
                                  {"%", 7, kRemainder}};
    Skip();
    for (const Operator& op : operators) {
      if (!text_.substr(at_).starts_with(op.text)) continue;
      if (op.level < level || (op.opcode == kOr && in_abs_)) return std::nullopt;
      at_ += op.text.size();
      return op;
    }
    return std::nullopt;
  }
  Ptr Binary(int level) {
    if (++depth_ > 32) return nullptr;
    Ptr left = Primary();
    while (left) {
      const std::optional<Operator> op = Next(level);
      if (!op) break;
      Ptr right = Binary(op->level + 1);
      if (!right) return nullptr;
      left = Op(op->opcode, std::move(left), std::move(right), op->direction);
    }
    --depth_;
    return left;
  }
  Ptr Primary() {
    if (Eat("(")) {
      const bool outside = std::exchange(in_abs_, false);
      Ptr inner = Binary(0);
      in_abs_ = outside;
      return inner && Eat(")") ? std::move(inner) : nullptr;
    }
    if (Eat("|")) {
      in_abs_ = true;
      Ptr inner = Binary(0);
      in_abs_ = false;
      return inner && Eat("|") ? Op(kAbs, std::move(inner)) : nullptr;
    }
    if (Eat("-")) {
      Ptr inner = Binary(8);
      if (!inner) return nullptr;
      if (inner->kind == Kind::kNumber) return Leaf(Kind::kNumber, {}, -inner->number);
      return Op(kNegate, std::move(inner));
    }
    const std::string_view word = Word();
    if (word.empty()) return nullptr;
    at_ += word.size();
    if (std::isdigit(static_cast<unsigned char>(word[0]))) {
      int64_t number = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
      if (error != std::errc() || end != word.data() + word.size() || text_.substr(at_).starts_with("."))
        return nullptr;
      if (number == 2 && text_.substr(at_).starts_with("^")) {
        ++at_;
        const std::string_view exponent = Word();
        at_ += exponent.size();
        return exponent == "K" ? Leaf(Kind::kPowerOfTwo, exponent) : nullptr;
      }
      return Leaf(Kind::kNumber, {}, number);
    }
    if (word == "not") {
      Ptr inner = Binary(8);
      return inner ? Op(kNot, std::move(inner)) : nullptr;
    }
    if (word == "pred" || word == "integer") return Primary();
    if (word == "true" || word == "false") return Leaf(Kind::kNumber, {}, word == "true");
    if (word == "ones") return Leaf(Kind::kOnes);
    if (word == "lowest") return Leaf(Kind::kLowest);
    if (word == "highest") return Leaf(Kind::kHighest);
    if (word == "iota") return Leaf(Kind::kIota);
    if (word == "P" || word == "Q") return Leaf(Kind::kCondition, word);
    const bool chosen = rule_.starts_with("select-") && word == "C";
    if (word == "A" || word == "B" || word == "D" || chosen) return Leaf(Kind::kOperand, word);
    if (word == "C" || word == "C1" || word == "C2" || word == "N" || word == "L" || word == "H")
      return Leaf(Kind::kConstant, word);
    const std::pair<std::string_view, HloOpcode> functions[] = {
        {"max", kMaximum}, {"min", kMinimum}, {"clamp", kClamp},    {"select", kSelect},
        {"sign", kSign},   {"f", kNegate},    {"convert", kConvert}};
    for (const auto& [name, opcode] : functions) {
      if (word != name || !Eat("(")) continue;
      Ptr node = std::make_unique<Node>();
      node->opcode = name == "f" && rule_ == "sign-sign" ? kSign : opcode;
      const bool outside = std::exchange(in_abs_, false);
      do {
        Ptr operand = Binary(0);
        if (!operand) return nullptr;
        node->operands.push_back(std::move(operand));
      } while (Eat(","));
      in_abs_ = outside;
      const size_t wanted = opcode == kClamp || opcode == kSelect      ? 3
                            : opcode == kMaximum || opcode == kMinimum ? 2
                                                                       : 1;
      return Eat(")") && node->operands.size() == wanted ? std::move(node) : nullptr;
    }
    return nullptr;
  }

  std::string_view text_, rule_;
  size_t at_ = 0;
  int depth_ = 0;
  bool in_abs_ = false;
};

// The other type of conversions there and back.
PrimitiveType WiderThan(PrimitiveType type) {
  if (IsUnsigned(type)) return BitWidth(type) < 32 ? PrimitiveType::U32 : PrimitiveType::U64;
  return BitWidth(type) < 32 ? PrimitiveType::S32 : PrimitiveType::S64;
}

}  // namespace

// Nodes to instructions.
struct Formula::Maker {
  HloComputation* computation;
  PrimitiveType type;
  int64_t elements;
  std::map<std::string, HloInstruction*> named;  // operands, conditions
  std::map<std::string, int64_t> values;         // of constants
  std::map<std::pair<std::string, PrimitiveType>, HloInstruction*> splats;

  std::optional<PrimitiveType> TypeOf(const Node& node) const {
    switch (node.kind) {
      case Node::Kind::kOperand:
      case Node::Kind::kIota: return type;
      case Node::Kind::kCondition: return PrimitiveType::PRED;
      case Node::Kind::kOp: break;
      default: return std::nullopt;
    }
    if (node.opcode == kCompare) return PrimitiveType::PRED;
    if (node.opcode == kConvert) {
      const std::optional<PrimitiveType> from = TypeOf(*node.operands[0]);
      if (!from) return std::nullopt;
      return *from == PrimitiveType::PRED && type != PrimitiveType::PRED ? type
             : *from == type                                             ? WiderThan(type)
                                                                         : type;
    }
    for (size_t k = node.opcode == kSelect ? 1 : 0; k < node.operands.size(); ++k) {
      if (const std::optional<PrimitiveType> found = TypeOf(*node.operands[k])) return found;
    }
    return std::nullopt;
  }
  Shape Of(PrimitiveType t) const { return Shape::Array(t, {elements}).WithDefaultLayout(); }
  HloInstruction* Splat(const std::string& name, PrimitiveType t, Literal value) {
    HloInstruction*& made = splats[{name, t}];
    if (made == nullptr) {
      HloInstruction* scalar = computation->AddConstant(std::move(value));
      made = computation->AddInstruction(kBroadcast, Of(t), {scalar}, DimensionsAttributes{});
    }
    return made;
  }
  HloInstruction* Number(const std::string& name, PrimitiveType t, int64_t value) {
    if (t == PrimitiveType::PRED ? value != 0 && value != 1
                                 : BitWidth(t) < 64 && (value < Literal::MinValue(t).GetAsInt64(0) ||
                                                        value > Literal::MaxValue(t).GetAsInt64(0)))
      return nullptr;
    if (IsUnsigned(t) && BitWidth(t) == 64 && value < 0) return nullptr;
    Literal literal(Shape::Scalar(t));
    literal.SetFromInt64(0, value);
    return Splat(name, t, std::move(literal));
  }
  HloInstruction* Make(const Node& node, PrimitiveType wanted) {
    switch (node.kind) {
      case Node::Kind::kOperand:
      case Node::Kind::kCondition: return named.at(node.name);
      case Node::Kind::kIota: return computation->AddInstruction(kIota, Of(type), {}, IotaAttributes{0});
      case Node::Kind::kConstant: return Number(node.name, wanted, values.at(node.name));
      case Node::Kind::kPowerOfTwo: {
        const int64_t exponent = values.at(node.name);
        if (!IsInteger(wanted) || exponent < 0 || exponent > 62) return nullptr;
        return Number("2^" + node.name, wanted, int64_t{1} << exponent);
      }
      case Node::Kind::kNumber: return Number(std::to_string(node.number), wanted, node.number);
      case Node::Kind::kLowest: return Splat("lowest", wanted, Literal::MinValue(wanted));
      case Node::Kind::kHighest: return Splat("highest", wanted, Literal::MaxValue(wanted));
      case Node::Kind::kOnes:
        if (IsSigned(wanted)) return Number("-1", wanted, -1);
        return Splat("highest", wanted, Literal::MaxValue(wanted));
      case Node::Kind::kOp: break;
    }
    std::optional<PrimitiveType> operand_type;
    for (size_t k = node.opcode == kSelect ? 1 : 0; k < node.operands.size() && !operand_type; ++k)
      operand_type = TypeOf(*node.operands[k]);
    const PrimitiveType inner = operand_type.value_or(wanted);
    std::vector<HloInstruction*> operands;
    for (size_t k = 0; k < node.operands.size(); ++k) {
      const bool condition = node.opcode == kSelect && k == 0;
      HloInstruction* operand = Make(*node.operands[k], condition ? PrimitiveType::PRED : inner);
      if (operand == nullptr || (!condition && operand->shape().element_type() != inner)) return nullptr;
      operands.push_back(operand);
    }
    const PrimitiveType result = node.opcode == kCompare   ? PrimitiveType::PRED
                                 : node.opcode == kConvert ? TypeOf(node).value_or(wanted)
                                                           : inner;
    if (node.opcode != kConvert && !Takes(GetOpcodeInfo(node.opcode).operand_types, inner)) return nullptr;
    if (node.opcode == kCompare)
      return computation->AddInstruction(kCompare, Of(result), operands, CompareAttributes{node.direction, {}});
    return computation->AddInstruction(node.opcode, Of(result), operands);
  }
};

Formula::Formula(std::unique_ptr<Node> root) : root_(std::move(root)) {
  std::vector<const Node*> todo{root_.get()};
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (size_t at = 0; at < todo.size(); ++at) {
    const Node& node = *todo[at];
    if (node.kind == Node::Kind::kOperand) add(operands_, node.name);
    if (node.kind == Node::Kind::kCondition) add(conditions_, node.name);
    if (node.kind == Node::Kind::kConstant || node.kind == Node::Kind::kPowerOfTwo) add(constants_, node.name);
    for (const auto& operand : node.operands) todo.push_back(operand.get());
  }
}
Formula::~Formula() = default;
Formula::Formula(Formula&&) noexcept = default;

int64_t Formula::operands() const { return static_cast<int64_t>(operands_.size()); }
int64_t Formula::conditions() const { return static_cast<int64_t>(conditions_.size()); }
int64_t Formula::constants() const { return static_cast<int64_t>(constants_.size()); }

std::optional<Formula> Formula::Parse(const RuleInfo& rule) {
  const size_t arrow = rule.formula.find(" => ");
  if (arrow == std::string_view::npos) return std::nullopt;
  std::unique_ptr<Node> root = FormulaParser<Node>(rule.formula.substr(0, arrow), rule.name).Parse();
  if (root == nullptr || root->kind != Node::Kind::kOp) return std::nullopt;
  return Formula(std::move(root));
}

std::unique_ptr<HloModule> Formula::Make(PrimitiveType type, int64_t elements,
                                         const std::vector<int64_t>& values) const {
  auto module = std::make_unique<HloModule>("formula");
  HloComputation* entry = module->AddComputation("entry");
  module->set_entry_computation(entry);
  Maker maker{entry, type, elements, {}, {}, {}};
  int64_t number = 0;
  for (const std::string& name : operands_) maker.named[name] = entry->AddParameter(number++, maker.Of(type), name);
  for (const std::string& name : conditions_)
    maker.named[name] = entry->AddParameter(number++, maker.Of(PrimitiveType::PRED), name);
  for (size_t k = 0; k < constants_.size(); ++k) maker.values[constants_[k]] = values[k];
  HloInstruction* root = maker.Make(*root_, type);
  if (root == nullptr) return nullptr;
  entry->set_root(root);
  return module;
}

// ---- Trials ----

class RuleTester::Impl {
 public:
  Impl(const PassRegistry& registry, std::string_view pass) : registry_(registry), pass_(pass) {
    log_.keep_text = false;
    if (const PassInfo* info = registry.Find(pass)) rules_ = info->rules;
  }

  std::unique_ptr<HloModule> After(std::string_view rule, const HloModule& before) {
    std::unique_ptr<HloPass>& pass = passes_[std::string(rule)];
    if (pass == nullptr) {
      PassOptions options;
      options.evaluator = evaluator_;
      options.rewriter = &log_;
      for (const RuleInfo& other : rules_) {
        if (other.name != rule && other.name != "dead-instruction") options.disabled_rules.emplace_back(other.name);
      }
      StatusOr<std::unique_ptr<HloPass>> made = registry_.Make(pass_, options);
      if (!made.ok()) return nullptr;
      pass = *std::move(made);
    }
    const std::string id = Format("{}/{}", pass_, rule);
    const auto fired = [&]() -> int64_t {
      const auto found = log_.counts().find(id);
      return found == log_.counts().end() ? 0 : found->second;
    };
    const int64_t fired_before = fired();
    std::unique_ptr<HloModule> after = before.Clone();
    if (!pass->Run(*after).ok() || fired() == fired_before) return nullptr;
    return after;
  }

  StatusOr<Literal> Run(const HloModule& module, const std::vector<Literal>& arguments) const {
    std::vector<const Literal*> pointers;
    for (const Literal& argument : arguments) pointers.push_back(&argument);
    return evaluator_->EvaluateComputation(*module.entry_computation(), pointers);
  }

  // By proof, otherwise on generated values.
  void Judge(const HloModule& before, const HloModule& after, RuleTrial& trial) const {
    ++trial.modules;
    if (Prove(before, after).holds) {
      ++trial.proved;
      return;
    }
    constexpr int64_t kMostChecks = 8;  // of one rule and type
    if (trial.values >= kMostChecks) return;
    CheckOptions options;
    options.runner.engine = Engine::kReference;
    options.other_engine_work = 0;
    options.exact = true;
    options.proofs = Proofs::kNone;
    const StatusOr<Verdict> verdict = Check(before, after, {}, options);
    if (!verdict.ok()) return;
    trial.values += 1;
    if (verdict->outcome == Outcome::kDisagree) trial.wrong = verdict->reason + "\n" + PrintModule(before);
  }

  std::shared_ptr<const HloEvaluator> evaluator_ = MakeReferenceEvaluator();

 private:
  const PassRegistry& registry_;
  std::string pass_;
  std::vector<RuleInfo> rules_;
  RewriteLog log_;
  std::map<std::string, std::unique_ptr<HloPass>> passes_;
};

RuleTester::RuleTester(const PassRegistry& registry, std::string_view pass)
    : impl_(std::make_unique<Impl>(registry, pass)) {}
RuleTester::~RuleTester() = default;

std::unique_ptr<HloModule> RuleTester::After(std::string_view rule, const HloModule& before) {
  return impl_->After(rule, before);
}

std::optional<RuleTrial> RuleTester::Try(const RuleInfo& rule, PrimitiveType type, int64_t most) {
  const std::optional<Formula> formula = Formula::Parse(rule);
  if (!formula) return std::nullopt;
  RuleTrial trial;
  trial.type = type;
  const int width = type == PrimitiveType::PRED ? 1 : BitWidth(type);
  trial.exhaustive = width <= 8;
  // All values of the type, or some of a wider one.
  std::vector<int64_t> numbers;
  const int64_t lowest = Literal::MinValue(type).GetAsInt64(0), highest = Literal::MaxValue(type).GetAsInt64(0);
  if (trial.exhaustive) {
    for (int64_t value = lowest; value <= highest; ++value) numbers.push_back(value);
  } else {
    numbers = {0, 1, 2, 3, 8, 100, width - 1, highest};
    if (IsSigned(type)) numbers.insert(numbers.end(), {-1, -8, lowest});
    if (IsUnsigned(type) && width == 64) numbers.pop_back();
  }
  const int64_t choices = static_cast<int64_t>(numbers.size());
  const int64_t at_once = trial.exhaustive ? choices : 1;
  int64_t elements = 1, modules = 1;
  for (int64_t k = 0; k < formula->operands(); ++k) elements *= at_once;
  if (trial.exhaustive) elements <<= formula->conditions();
  for (int64_t k = 0; k < formula->constants() && modules <= most; ++k) modules *= choices;
  if (trial.exhaustive && (elements > most || modules > most / elements)) return std::nullopt;
  if (!trial.exhaustive) elements = 8;
  // Index e of the arguments: its digits are the operands' values.
  std::vector<Literal> arguments;
  const auto make_arguments = [&](const HloModule& module) {
    int64_t step = 1;
    for (const HloInstruction* parameter : module.entry_computation()->parameters()) {
      Literal& values = arguments.emplace_back(parameter->shape());
      const bool is_operand = parameter->parameter_number() < formula->operands();
      const int64_t base = is_operand ? choices : 2;
      for (int64_t e = 0; e < elements; ++e) {
        const int64_t digit = e / step % base;
        values.SetFromInt64(e, is_operand ? numbers[static_cast<size_t>(digit)] : digit);
      }
      step *= base;
    }
  };
  for (int64_t m = 0; m < modules && trial.wrong.empty(); ++m) {
    std::vector<int64_t> constants;
    for (int64_t k = 0, rest = m; k < formula->constants(); ++k, rest /= choices)
      constants.push_back(numbers[static_cast<size_t>(rest % choices)]);
    const std::unique_ptr<HloModule> before = formula->Make(type, elements, constants);
    if (before == nullptr) continue;
    const std::unique_ptr<HloModule> after = impl_->After(rule.name, *before);
    if (after == nullptr) continue;
    if (!trial.exhaustive) {
      impl_->Judge(*before, *after, trial);
      continue;
    }
    ++trial.modules;
    trial.values += elements;
    if (arguments.empty()) make_arguments(*before);
    const StatusOr<Literal> x = impl_->Run(*before, arguments), y = impl_->Run(*after, arguments);
    if (!x.ok() || !y.ok() || !x->BitwiseEqual(*y))
      trial.wrong = (x.ok() && y.ok() ? CompareResults(*x, *y, {.exact = true}).ToString() : "it does not run") + "\n" +
                    PrintModule(*before);
  }
  if (trial.modules == 0) return std::nullopt;
  return trial;
}

std::optional<RuleTrial> RuleTester::TryOn(std::string_view rule, const HloModule& module) {
  const std::unique_ptr<HloModule> after = impl_->After(rule, module);
  if (after == nullptr) return std::nullopt;
  RuleTrial trial;
  impl_->Judge(module, *after, trial);
  return trial;
}

}  // namespace hloir::fuzz
