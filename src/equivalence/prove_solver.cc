// See prove_solver.h. Integers are bit vectors, indices of 64 bits; any other value is a function of the index,
// one for each term, and an operation on floats a function of its operands.
#include "equivalence/prove_solver.h"

#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "support/format.h"

#ifdef HLOIR_HAS_Z3
#include <pthread.h>
#include <z3++.h>
#endif

namespace hloir::equivalence {

#ifndef HLOIR_HAS_Z3

bool HasSolver() { return false; }
Solved Solve(const Term*, const Term*, int64_t) { return {false, {}, "hloir was built without z3"}; }

#else

bool HasSolver() { return true; }

namespace {

constexpr int64_t kMostNodes = 2000;
constexpr int64_t kMostListed = 64;  // elements of a constant that are encoded one by one
constexpr unsigned kIndexBits = 64;
constexpr int kMostDepth = 300;
constexpr int64_t kMostElements = 4096;  // of a parameter in a counterexample

using Index = std::vector<z3::expr>;

unsigned WidthOf(PrimitiveType type) { return type == PrimitiveType::PRED ? 1 : static_cast<unsigned>(BitWidth(type)); }

class Encoder {
 public:
  Encoder() : solver_(context_, "QF_UFBV") {}

  Solved Solve(const Term* a, const Term* b, int64_t resources) {
    z3::params params(context_);
    params.set("rlimit", static_cast<unsigned>(std::min<int64_t>(resources, std::numeric_limits<unsigned>::max())));
    solver_.set(params);
    Index index;
    for (int64_t d = 0; d < a->shape.rank(); ++d) {
      index.push_back(context_.bv_const(("i" + std::to_string(d)).c_str(), kIndexBits));
      solver_.add(z3::ult(index.back(), Number(a->shape.dimensions(d))));
    }
    const z3::expr x = Element(a, index), y = Element(b, index);
    if (!why_.empty()) return {false, {}, why_};
    solver_.add(x != y);
    switch (solver_.check()) {
      case z3::unsat: return {true, {}, ""};
      case z3::unknown: return {false, {}, "the solver gave up: " + solver_.reason_unknown()};
      case z3::sat: break;
    }
    Solved solved{false, {}, "the solver found values for which they may differ"};
    const z3::model model = solver_.get_model();
    for (const auto& [parameter, function] : parameters_) {
      const int64_t count = parameter->shape.ElementCount();
      if (count > kMostElements || WidthOf(parameter->shape.element_type()) > 64) continue;
      for (int64_t k = 0; k < count; ++k) {
        const z3::expr value = model.eval(function(Number(k)), true);
        uint64_t bits = 0;
        if (value.is_numeral_u64(bits)) solved.counterexample[parameter->data[0]][k] = static_cast<int64_t>(bits);
      }
    }
    return solved;
  }

 private:
  z3::expr Number(int64_t value) { return context_.bv_val(value, kIndexBits); }
  z3::expr Value(int64_t value, PrimitiveType type) { return context_.bv_val(value, WidthOf(type)); }
  z3::expr GiveUp(const std::string& why, PrimitiveType type) {
    if (why_.empty()) why_ = why;
    return Value(0, type);
  }
  // Conditions are bit vectors of one bit.
  z3::expr Bit(const z3::expr& condition) { return z3::ite(condition, context_.bv_val(1, 1), context_.bv_val(0, 1)); }
  z3::expr IsTrue(const z3::expr& bit) { return bit == context_.bv_val(1, 1); }

  z3::expr Flat(const Index& index, const DimVector& dimensions) {
    z3::expr flat = Number(0);
    int64_t step = 1;
    for (size_t d = dimensions.size(); d-- > 0;) {
      if (dimensions[d] != 1) flat = flat + index[d] * Number(step);
      step *= dimensions[d];
    }
    return flat.simplify();
  }
  Index Unflat(const z3::expr& flat, const DimVector& dimensions) {
    Index index(dimensions.size(), Number(0));
    int64_t step = 1;
    for (size_t d = dimensions.size(); d-- > 0;) {
      z3::expr at = step == 1 ? flat : z3::udiv(flat, Number(step));
      if (d > 0) at = z3::urem(at, Number(dimensions[d]));
      if (dimensions[d] != 1) index[d] = at.simplify();
      step *= dimensions[d];
    }
    return index;
  }

  // The element of the term at a row-major index.
  z3::expr At(const Term* t, const z3::expr& flat) {
    if (t->kind == Term::Kind::kIota) {
      const unsigned width = WidthOf(t->shape.element_type());
      if (!IsInteger(t->shape.element_type())) return Opaque(t, flat);
      return width < kIndexBits ? flat.extract(width - 1, 0) : flat;
    }
    const bool known = t->kind == Term::Kind::kView || t->IsElementwise() ||
                       (t->kind == Term::Kind::kOp && t->like == nullptr &&
                        (t->opcode == HloOpcode::kConcatenate || t->opcode == HloOpcode::kDynamicSlice ||
                         t->opcode == HloOpcode::kDynamicUpdateSlice || t->opcode == HloOpcode::kReshape));
    if (known) return Element(t, Unflat(flat, t->shape.dimensions()));
    return Opaque(t, flat);
  }

  z3::func_decl FunctionOf(const Term* t) {
    const std::string name = Format("t{}", t->id);
    return context_.function(name.c_str(), context_.bv_sort(kIndexBits),
                             context_.bv_sort(WidthOf(t->shape.element_type())));
  }
  z3::expr Opaque(const Term* t, const z3::expr& flat) {
    const PrimitiveType type = t->shape.element_type();
    if (t->kind == Term::Kind::kConstant && (IsInteger(type) || type == PrimitiveType::PRED)) {
      const int64_t count = t->shape.ElementCount();
      if (count > kMostListed) return FunctionOf(t)(flat);
      z3::expr value = Value(t->literal->GetAsInt64(0), type);
      for (int64_t k = 1; k < count; ++k)
        value = z3::ite(flat == Number(k), Value(t->literal->GetAsInt64(k), type), value);
      return value;
    }
    const z3::func_decl function = FunctionOf(t);
    if (t->kind == Term::Kind::kParameter) parameters_.emplace(t, function);
    return function(flat);
  }

  z3::expr Element(const Term* t, const Index& index) {
    const PrimitiveType type = t->shape.element_type();
    if (!t->shape.IsArray() || BitWidth(type) > 64) return GiveUp("a value is not a number", PrimitiveType::PRED);
    if (++depth_ > kMostDepth || ++nodes_ > kMostNodes) {
      --depth_;
      return GiveUp("it is too large for the solver", type);
    }
    // Encodes each element of each term once.
    std::string key = std::to_string(t->id);
    for (const z3::expr& i : index) key += "," + std::to_string(Z3_get_ast_id(context_, i));
    if (const auto found = done_.find(key); found != done_.end()) {
      --depth_;
      return found->second;
    }
    const z3::expr result = Made(t, index);
    --depth_;
    alive_.insert(alive_.end(), index.begin(), index.end());  // z3 reuses the ids of released expressions
    done_.emplace(std::move(key), result);
    return result;
  }

  z3::expr Made(const Term* t, const Index& index) {
    using enum HloOpcode;
    const PrimitiveType type = t->shape.element_type();
    if (t->kind == Term::Kind::kView) {
      z3::expr flat = Number(t->data[0]);
      for (size_t d = 0; d < index.size(); ++d)
        if (t->data[d + 1] != 0) flat = flat + index[d] * Number(t->data[d + 1]);
      return At(t->operands[0], flat.simplify());
    }
    if (t->kind == Term::Kind::kRing || t->kind == Term::Kind::kBits) {
      const bool bits = t->kind == Term::Kind::kBits;
      z3::expr sum = Value(0, type);
      for (size_t at = 0; at < t->data.size();) {
        z3::expr product = Value(t->data[at], type);
        const size_t count = static_cast<size_t>(t->data[at + 1]);
        at += 2;
        for (size_t k = 0; k < count; ++k, ++at) {
          const z3::expr factor = Element(t->operands[static_cast<size_t>(t->data[at])], index);
          product = bits ? product & factor : product * factor;
        }
        sum = bits ? sum ^ product : sum + product;
      }
      return sum;
    }
    if (t->kind == Term::Kind::kOp && t->like == nullptr) {
      const DimVector& dimensions = t->shape.dimensions();
      switch (t->opcode) {
        case kConcatenate: {
          const size_t d = static_cast<size_t>(t->data[0]);
          int64_t end = t->shape.dimensions()[d];
          std::optional<z3::expr> value;
          for (size_t k = t->operands.size(); k-- > 0;) {
            const Term* part = t->operands[k];
            const int64_t begin = end - part->shape.dimensions()[d];
            Index inside = index;
            inside[d] = (index[d] - Number(begin)).simplify();
            const z3::expr element = Element(part, inside);
            value = value ? z3::ite(z3::ult(index[d], Number(end)), element, *value) : element;
            end = begin;
          }
          return *value;
        }
        case kDynamicSlice:
        case kDynamicUpdateSlice: {
          const bool slice = t->opcode == kDynamicSlice;
          const Term* whole = t->operands[0];
          const DimVector& sizes = slice ? dimensions : t->operands[1]->shape.dimensions();
          Index inside;
          z3::expr within = context_.bool_val(true);
          for (size_t d = 0; d < index.size(); ++d) {
            const Term* start = t->operands[(slice ? 1 : 2) + d];
            const int64_t last = whole->shape.dimensions()[d] - sizes[d];
            const unsigned width = WidthOf(start->shape.element_type());
            const bool is_signed = IsSigned(start->shape.element_type());
            z3::expr at = Element(start, {});
            if (width < kIndexBits)
              at = is_signed ? z3::sext(at, kIndexBits - width) : z3::zext(at, kIndexBits - width);
            if (is_signed) at = z3::ite(at < Number(0), Number(0), at);
            at = z3::ite(z3::ugt(at, Number(last)), Number(last), at).simplify();
            inside.push_back((slice ? index[d] + at : index[d] - at).simplify());
            if (!slice) within = within && z3::uge(index[d], at) && z3::ult(index[d] - at, Number(sizes[d]));
          }
          if (slice) return Element(whole, inside);
          return z3::ite(within.simplify(), Element(t->operands[1], inside), Element(whole, index));
        }
        case kReshape: return At(t->operands[0], Flat(index, dimensions));
        default: break;
      }
    }
    if (t->IsElementwise()) return Operation(t, index);
    return At(t, Flat(index, t->shape.dimensions()));
  }

  z3::expr Operation(const Term* t, const Index& index) {
    using enum HloOpcode;
    const PrimitiveType type = t->shape.element_type();
    std::vector<z3::expr> x;
    for (const Term* operand : t->operands) x.push_back(Element(operand, index));
    const PrimitiveType from = t->operands.back()->shape.element_type();
    const unsigned width = WidthOf(type), from_width = WidthOf(from);
    const bool number = IsInteger(from), is_signed = IsSigned(from);
    const z3::expr zero = Value(0, from), ones = Value(-1, from);
    const auto less = [&](const z3::expr& a, const z3::expr& b) { return is_signed ? a < b : z3::ult(a, b); };
    switch (t->opcode) {
      case kSelect: return z3::ite(IsTrue(x[0]), x[1], x[2]);
      case kBitcastConvert:
        if (width == from_width) return x[0];
        break;
      case kCompare:
        if (!number && from != PrimitiveType::PRED) break;
        return Bit(static_cast<ComparisonDirection>(t->data[0]) == ComparisonDirection::kEq ? x[0] == x[1]
                                                                                            : less(x[0], x[1]));
      case kConvert:
        if (type == PrimitiveType::PRED && number) return Bit(x[0] != zero);
        if (!IsInteger(type) || (!number && from != PrimitiveType::PRED)) break;
        if (width == from_width) return x[0];
        if (width < from_width) return x[0].extract(width - 1, 0);
        return is_signed ? z3::sext(x[0], width - from_width) : z3::zext(x[0], width - from_width);
      default: break;
    }
    if (number && IsInteger(type)) {
      const z3::expr lowest = Value(is_signed ? int64_t{1} << (width - 1) : 0, type);
      switch (t->opcode) {
        case kMaximum:
        case kMinimum: {
          z3::expr value = x[0];
          for (size_t k = 1; k < x.size(); ++k)
            value = z3::ite(t->opcode == kMaximum ? less(value, x[k]) : less(x[k], value), x[k], value);
          return value;
        }
        case kAdd: return x[0] + x[1];
        case kSubtract: return x[0] - x[1];
        case kMultiply: return x[0] * x[1];
        case kNegate: return -x[0];
        case kAnd: return x[0] & x[1];
        case kOr: return x[0] | x[1];
        case kXor: return x[0] ^ x[1];
        case kNot: return ~x[0];
        case kAbs: return z3::ite(x[0] < zero, -x[0], x[0]);
        case kSign: return z3::ite(x[0] < zero, ones, z3::ite(x[0] == zero, zero, Value(1, type)));
        case kDivide: {
          // Division by 0 gives all ones; an overflowing quotient wraps around.
          const z3::expr quotient = is_signed ? x[0] / x[1] : z3::udiv(x[0], x[1]);
          const z3::expr wrapped = is_signed ? z3::ite(x[0] == lowest && x[1] == ones, lowest, quotient) : quotient;
          return z3::ite(x[1] == zero, ones, wrapped);
        }
        case kRemainder: {
          const z3::expr rest = is_signed ? z3::srem(x[0], x[1]) : z3::urem(x[0], x[1]);
          const z3::expr fits = is_signed ? z3::ite(x[1] == ones, zero, rest) : rest;
          return z3::ite(x[1] == zero, x[0], fits);
        }
        case kShiftLeft: return z3::ite(z3::ult(x[1], Value(width, type)), z3::shl(x[0], x[1]), zero);
        case kShiftRightLogical: return z3::ite(z3::ult(x[1], Value(width, type)), z3::lshr(x[0], x[1]), zero);
        case kShiftRightArithmetic: {
          const z3::expr sign = z3::ite(x[0] < zero, ones, zero);
          return z3::ite(z3::ult(x[1], Value(width, type)), z3::ashr(x[0], x[1]), sign);
        }
        default: break;
      }
    }
    if (type == PrimitiveType::PRED && from == PrimitiveType::PRED) {
      if (t->opcode == kAnd) return x[0] & x[1];
      if (t->opcode == kOr) return x[0] | x[1];
      if (t->opcode == kXor) return x[0] ^ x[1];
      if (t->opcode == kNot) return ~x[0];
    }
    // An uninterpreted function of its operands.
    std::string name = Format("{}.{}", OpcodeName(t->opcode), PrimitiveTypeName(type));
    z3::sort_vector sorts(context_);
    z3::expr_vector arguments(context_);
    for (size_t k = 0; k < x.size(); ++k) {
      name += Format(".{}", PrimitiveTypeName(t->operands[k]->shape.element_type()));
      sorts.push_back(x[k].get_sort());
      arguments.push_back(x[k]);
    }
    for (int64_t value : t->data) name += Format(".{}", value);
    return context_.function(name.c_str(), sorts, context_.bv_sort(width))(arguments);
  }

  z3::context context_;
  z3::solver solver_;
  std::map<std::string, z3::expr> done_;
  std::vector<z3::expr> alive_;
  std::map<const Term*, z3::func_decl> parameters_;  // the model is read for these; their order does not matter
  std::string why_;
  int depth_ = 0;
  int64_t nodes_ = 0;
};

}  // namespace

namespace {

// One solver call, run on its own thread.
struct Task {
  const Term *a, *b;
  int64_t resources;
  Solved solved;

  void Run() {
    try {
      solved = Encoder().Solve(a, b, resources);
    } catch (const z3::exception& error) {
      solved.why = std::string("the solver failed: ") + error.msg();
    } catch (const std::bad_alloc&) {
      solved.why = "the solver had too little memory";
    }
  }
};

void* RunTask(void* task) {
  static_cast<Task*>(task)->Run();
  return nullptr;
}

}  // namespace

Solved Solve(const Term* a, const Term* b, int64_t resources) {
  // The thread has a large stack of its own, since the solver recurses as deep as its terms and other threads may have
  // as little as 2 MB. Unused stack takes no memory.
  constexpr size_t kStackBytes = size_t{1} << 28;
  Task task{a, b, resources, {}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread;
  int error = pthread_attr_setstacksize(&attributes, kStackBytes);
  if (error == 0) error = pthread_create(&thread, &attributes, RunTask, &task);
  pthread_attr_destroy(&attributes);
  if (error != 0) return {false, {}, Format("the solver could not be started: {}", std::strerror(error))};
  pthread_join(thread, nullptr);
  return std::move(task.solved);
}

#endif

}  // namespace hloir::equivalence
