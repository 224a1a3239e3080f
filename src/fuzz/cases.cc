// See cases.h. This file has the parameters' values and the list of families.
#include "fuzz/cases.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "fuzz/case_maker.h"

namespace hloir::fuzz {
namespace {

using Op = CaseMaker::Op;

constexpr PrimitiveType kArrayTypes[] = {
#define HLOIR_TYPE(name, ...) PrimitiveType::name,
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
};

struct Family {
  std::string_view name;
  Op (CaseMaker::*make)(Case&);
  int weight;
};
constexpr Family kFamilies[] = {
    {"elementwise", &CaseMaker::Elementwise, 12},
    {"compare", &CaseMaker::Compare, 3},
    {"convert", &CaseMaker::Convert, 8},
    {"bitcast-convert", &CaseMaker::BitcastConvert, 2},
    {"bitcast", &CaseMaker::Bitcast, 2},
    {"reduce-precision", &CaseMaker::ReducePrecision, 2},
    {"stochastic-convert", &CaseMaker::StochasticConvert, 1},
    {"clamp-select", &CaseMaker::ClampOrSelect, 2},
    {"chain", &CaseMaker::Chain, 8},
    {"map", &CaseMaker::Map, 1},
    {"movement", &CaseMaker::Movement, 5},
    {"pad", &CaseMaker::Pad, 2},
    {"dynamic-slice", &CaseMaker::DynamicSlice, 3},
    {"gather", &CaseMaker::Gather, 4},
    {"scatter", &CaseMaker::Scatter, 4},
    {"iota", &CaseMaker::Iota, 1},
    {"dynamic-size", &CaseMaker::DynamicSize, 2},
    {"reduce", &CaseMaker::Reduce, 5},
    {"reduce-window", &CaseMaker::ReduceWindow, 5},
    {"select-and-scatter", &CaseMaker::SelectAndScatter, 2},
    {"sort", &CaseMaker::Sort, 4},
    {"topk", &CaseMaker::TopK, 1},
    {"dot", &CaseMaker::Dot, 5},
    {"scaled-dot", &CaseMaker::ScaledDot, 2},
    {"ragged-dot", &CaseMaker::RaggedDot, 1},
    {"convolution", &CaseMaker::Convolution, 5},
    {"fft", &CaseMaker::Fft, 2},
    {"triangular", &CaseMaker::Triangular, 2},
    {"batch-norm", &CaseMaker::BatchNorm, 1},
    {"random-bits", &CaseMaker::RandomBits, 2},
    {"while", &CaseMaker::While, 2},
    {"conditional", &CaseMaker::Conditional, 2},
    {"pass-on", &CaseMaker::PassOn, 2},
    {"scan", &CaseMaker::Scan, 2},
    {"exchange", &CaseMaker::Exchange, 2},
    {"asynchronous", &CaseMaker::Asynchronous, 2},
};

// Critical numbers: the ends of types and of exact integers, halves, poles of functions.
constexpr double kCorners[] = {0.0,
                               -0.0,
                               1,
                               -1,
                               0.5,
                               -0.5,
                               1.5,
                               2.5,
                               -2.5,
                               3.5,
                               2,
                               -3,
                               7.75,
                               127,
                               128,
                               -128,
                               -129,
                               255,
                               256,
                               448,
                               480,
                               32767.5,
                               65504,
                               65520,
                               0x1p24,
                               0x1.000002p24,
                               0x1p31,
                               -0x1p31,
                               0x1.fffffep30,
                               0x1p32,
                               0x1p63,
                               -0x1p63,
                               0x1p64,
                               1e30,
                               -1e38,
                               3.3895e38,
                               1e-30,
                               0x1p-126,
                               0x1p-149,
                               -0x1p-130,
                               0x1p-14,
                               0x1p-24,
                               0x1p-133,
                               1e308,
                               0x1p-1022,
                               0x1p-1074,
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN(),
                               88.5,
                               -103,
                               709.5,
                               3.14159265358979,
                               1.5707963267948966,
                               0.9999999,
                               1.0000001};

double Corner(Random& random) { return random.From(kCorners); }

double Moderate(Random& random) {
  const double whole = static_cast<double>(random.Between(-4096, 4096));
  return std::ldexp(whole, -static_cast<int>(random.Between(8, 12)));
}

double FloatValue(Random& random, Values values) {
  switch (values) {
    case Values::kCorners: return random.Chance(45) ? Corner(random) : random.Chance(60) ? Moderate(random) : 0;
    case Values::kModerate: return Moderate(random);
    case Values::kSmall: return static_cast<double>(random.Between(-2, 2));
    case Values::kPositive: return std::abs(Moderate(random)) + 0x1p-4;
    case Values::kNearOne: return 1 + std::ldexp(static_cast<double>(random.Between(-16, 16)), -6);
  }
  return 0;
}

bool IsPortable(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::S1:
    case PrimitiveType::U1:
    case PrimitiveType::F6E2M3FN:
    case PrimitiveType::F6E3M2FN: return false;
    default: return true;
  }
}

// Replaces denormals by zeros in types with at least float's range.
void Flush(Literal& literal) {
  const PrimitiveType type = literal.shape().element_type();
  const double smallest = type == PrimitiveType::F64 ? 0x1p-1022 : 0x1p-126;
  if (type != PrimitiveType::F64 && type != PrimitiveType::F32 && type != PrimitiveType::BF16) return;
  for (int64_t i = 0; i < literal.element_count(); ++i)
    if (std::abs(literal.GetAsDouble(i)) < smallest) literal.SetFromDouble(i, 0);
}

void FillFloats(Literal& literal, Random& random, Values values) {
  const PrimitiveType type = literal.shape().element_type();
  const int bits = BitWidth(type);
  const size_t bytes = static_cast<size_t>(bits + 7) / 8;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    if (values == Values::kCorners && random.Chance(25)) {
      const uint64_t pattern = random.Bits() & (bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1);
      std::memcpy(literal.untyped_data() + static_cast<size_t>(i) * bytes, &pattern, bytes);
      continue;
    }
    literal.SetFromDouble(i, FloatValue(random, values));
  }
}

int64_t IntegerValue(Random& random, PrimitiveType type, Values values) {
  const int bits = BitWidth(type);
  if (values == Values::kSmall)
    return IsSigned(type) && bits > 1 ? random.Between(bits == 2 ? -1 : -2, bits == 2 ? 1 : 2) : random.Below(2);
  if (values == Values::kPositive) return random.Between(1, bits < 4 ? 1 : 7);
  if (values == Values::kModerate && bits >= 8) return random.Between(IsSigned(type) ? -100 : 0, 100);
  const uint64_t top = uint64_t{1} << (bits - 1), all = bits == 64 ? ~uint64_t{0} : 2 * top - 1;
  uint64_t value = 0;
  switch (random.Below(8)) {
    case 0: value = random.Pick<uint64_t>({0, 1, 2, all, all - 1, top, top - 1, top + 1}); break;
    case 1: value = static_cast<uint64_t>(bits) + random.Pick<uint64_t>({0, 1, ~uint64_t{0}}); break;
    case 2: value = random.Bits() >> random.Below(64); break;
    case 3: value = uint64_t{1} << random.Below(bits); break;
    case 4: value = static_cast<uint64_t>(random.Between(-9, 9)); break;
    default: value = random.Bits(); break;
  }
  value &= all;
  if (IsSigned(type) && (value & top) != 0) value |= ~all;
  return static_cast<int64_t>(value);
}

// Removes dead code, unused parameters, and computations without callers.
void RemoveUnused(CaseModule& made) {
  HloComputation* entry = made.module->entry_computation();
  for (HloInstruction* i = entry->last(); i != nullptr;) {
    HloInstruction* dead = i;
    i = i->prev();
    if (dead->user_count() == 0 && !dead->IsRoot() && !dead->IsParameter()) entry->RemoveInstruction(dead);
  }
  for (int64_t k = entry->parameter_count(); k-- > 0;) {
    if (entry->parameter(k)->user_count() > 0) continue;
    entry->RemoveParameter(k);
    made.inputs.erase(made.inputs.begin() + k);
  }
  for (int64_t i = made.module->computation_count(); i-- > 0;) {
    HloComputation* computation = made.module->computations()[static_cast<size_t>(i)];
    if (computation == entry || !computation->callers().empty()) continue;
    made.module->RemoveComputation(computation);
    i = made.module->computation_count();  // its called computations may be unused now
  }
}

}  // namespace

std::string_view TypeName(PrimitiveType type) { return PrimitiveTypeName(type); }

PrimitiveType CaseMaker::AnyType() {
  // The common ones more often.
  static constexpr PrimitiveType kCommon[] = {PrimitiveType::F32, PrimitiveType::S32, PrimitiveType::BF16,
                                              PrimitiveType::F16, PrimitiveType::F64, PrimitiveType::PRED};
  const PrimitiveType type = Chance(25) ? random_.From(kCommon) : random_.From(kArrayTypes);
  return portable_ && !IsPortable(type) ? PrimitiveType::F32 : type;
}

PrimitiveType CaseMaker::TypeOf(OperandTypes types) {
  for (;;) {
    if (const PrimitiveType type = AnyType(); Takes(types, type)) return type;
  }
}

DimVector CaseMaker::Sizes(int64_t least_rank, int64_t most_rank, int64_t most_size) {
  DimVector sizes;
  for (int64_t rank = random_.Between(least_rank, most_rank); rank > 0; --rank)
    sizes.push_back(Chance(2) ? 0 : Chance(15) ? 1 : random_.Between(1, most_size));
  return sizes;
}

Op CaseMaker::Given(Literal value) {
  const int64_t number = static_cast<int64_t>(inputs_.size());
  Op parameter = entry_->AddParameter(number, value.shape(), "p" + std::to_string(number));
  inputs_.push_back(std::move(value));
  return parameter;
}

Op CaseMaker::In(const Shape& shape, Values values) {
  Literal literal(Shape::Array(shape.element_type(), shape.dimensions()));
  const PrimitiveType type = shape.element_type();
  const int64_t count = literal.element_count();
  if (IsFloat(type)) {
    FillFloats(literal, random_, values);
    if (portable_) Flush(literal);
  } else if (type == PrimitiveType::PRED) {
    for (bool& element : literal.data<bool>()) element = Chance(50);
  } else if (IsInteger(type)) {
    for (int64_t i = 0; i < count; ++i) literal.SetFromInt64(i, IntegerValue(random_, type, values));
  } else {
    // Complex numbers rarely have NaN and infinities, whose products differ among implementations.
    PrimitiveTypeSwitch(type, [&](auto tag) {
      using S = typename decltype(tag)::Storage;
      if constexpr (std::is_same_v<S, std::complex<float>> || std::is_same_v<S, std::complex<double>>) {
        using Part = typename S::value_type;
        const auto part = [&] {
          const double value = values == Values::kCorners && Chance(10)
                                   ? random_.Pick({0.0, -0.0, 1.0, -1.0, 2.0})
                                   : FloatValue(random_, values == Values::kCorners ? Values::kModerate : values);
          return static_cast<Part>(value);
        };
        for (S& element : literal.data<S>()) {
          const Part real = part();  // before the imaginary one, on every compiler
          element = S(real, values == Values::kNearOne ? part() - 1 : part());
        }
      }
    });
  }
  return Given(std::move(literal));
}

Op CaseMaker::Integers(PrimitiveType type, const DimVector& sizes, int64_t low, int64_t high) {
  Literal literal(Shape::Array(type, sizes));
  if (!IsSigned(type)) low = std::max<int64_t>(low, 0), high = std::max(low, high);
  if (const int bits = BitWidth(type); bits < 16) {
    const int64_t most = (int64_t{1} << (IsSigned(type) ? bits - 1 : bits)) - 1;
    high = std::min(high, most), low = std::clamp(low, -most, high);
  }
  for (int64_t i = 0; i < literal.element_count(); ++i) literal.SetFromInt64(i, random_.Between(low, high));
  return Given(std::move(literal));
}

void CaseMaker::Name(Case& result, HloOpcode opcode, PrimitiveType type, std::string more) {
  result.opcode = opcode;
  result.what = std::string(OpcodeName(opcode)) + " " + std::string(TypeName(type)) + (more.empty() ? "" : " " + more);
}

std::vector<std::string> CaseFamilies() {
  std::vector<std::string> names;
  for (const Family& family : kFamilies) names.emplace_back(family.name);
  return names;
}

void KeepCases(CaseModule& made, const std::vector<int64_t>& places) {
  HloComputation* entry = made.module->entry_computation();
  HloInstruction* root = entry->root();
  std::vector<Op> results;
  std::vector<Case> cases;
  for (int64_t place : places) {
    if (place < 0 || place >= root->operand_count()) continue;
    results.push_back(root->operand(place));
    cases.push_back(made.cases[static_cast<size_t>(place)]);
  }
  entry->set_root(entry->AddTuple(results));
  made.cases = std::move(cases);
  RemoveUnused(made);
}

CaseModule MakeCases(uint64_t seed, const CaseOptions& options) {
  const auto& [count, only, portable] = options;
  CaseModule made;
  Random random(seed);
  made.module = std::make_unique<HloModule>("cases_" + std::to_string(seed));
  CaseMaker maker(*made.module, random, made.inputs, portable);
  int64_t total = 0;
  for (const Family& family : kFamilies) total += only.empty() || family.name == only ? family.weight : 0;
  std::vector<Op> results;
  for (int64_t tries = 0; total > 0 && tries < 50 * count && static_cast<int64_t>(results.size()) < count; ++tries) {
    int64_t at = random.Below(total);
    for (const Family& family : kFamilies) {
      if (!only.empty() && family.name != only) continue;
      if ((at -= family.weight) >= 0) continue;
      Case one;
      one.family = family.name;
      Op op = (maker.*family.make)(one);
      if (op == nullptr || !op->shape().IsArray()) break;
      // The type has no NaN; the number that replaces it depends on the implementation.
      if (portable && op->shape().element_type() == PrimitiveType::F4E2M1FN) one.agreement.loose_zero = true;
      results.push_back(op), made.cases.push_back(std::move(one));
      break;
    }
  }
  HloComputation* entry = maker.entry();
  entry->set_root(entry->AddTuple(results));
  made.module->set_entry_computation(entry);
  RemoveUnused(made);
  return made;
}

}  // namespace hloir::fuzz
