// Numbers by which the proof checker tests that two expressions are the same function of real numbers: residues modulo
// primes. Sums, products and quotients of residues obey the laws of real numbers, and two different polynomials of
// degree d agree at a random point with a probability of at most d/p (Schwartz 1980, Zippel 1979).
//
// p is a safe prime, 2q + 1, chosen at random for each trial. A number has a residue modulo p and one modulo q:
//   - exp(x) is a power of a generator with exponent x modulo q, so that exp(a + b) is exp(a) * exp(b)
//     (Mirage, Wu and others, OSDI 2025);
//   - squares modulo p are positive and other residues negative: the sign of a product is the product of the signs, and
//     a positive number has one positive root;
//   - other functions, and operations without known laws, are random functions of their arguments.
// Each law that holds for these numbers holds for real ones. The converse is false, so the checker may reject a correct
// proof. A constant also has its value, which decides comparisons.
//
// Covered by tests/unit/proof_check_test.cc.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <unordered_map>
#include <vector>

#include "hloir/opcode.h"
#include "hloir/primitive_type.h"

namespace hloir::proof_check {

struct Number {
  uint32_t p = 0, q = 0;
  bool has_q = true;       // q is valid
  bool undefined = false;  // a quotient by 0, a root of a negative number, or computed from one
  bool open = true;        // depends on inputs
  uint32_t choice = 0;     // unless 0, this, or what it was computed from, was chosen: see Arithmetic::Extremum
  double value = 0;        // valid unless open; may be infinite
};

// The order of numbers. A proof is accepted if one of the orders accepts it, so it cannot use a law of order that both
// lack.
enum class Order : uint8_t {
  kSigns,  // a < b if b - a is positive: compatible with differences and positive factors, but not transitive
  kRanks,  // a random real number for each residue: transitive, but not compatible with arithmetic
};

class Arithmetic {
 public:
  // `bits`: float operations are random functions of their operands, except for laws that hold bit for bit.
  Arithmetic(uint64_t seed, Order order, bool bits);
  bool bits() const { return bits_; }

  // A number of a text that is the product or quotient of two others, rounded: a compiler has combined these.
  struct Combined {
    double of, a, b;  // `of` in [0.5, 1): such numbers are combined up to powers of 2
    bool divides;
  };
  // `wide`: a text has f64, in which products are rounded.
  static std::vector<Combined> CombinedOf(std::span<const double> literals, bool wide);
  // Identifies the number with the product or quotient. Called before KnowLiteral.
  void Combine(const Combined& row);
  // A computed constant that rounds to `value`, a number of a text, is identified with it. Called in ascending order.
  void KnowLiteral(double value);
  // A number of a text: the simplest fraction that rounds to it, so that 0.333333343 is 1/3, or what it combines.
  Number Literal(double value);
  Number AnyNumber(uint64_t key) const;
  // A random function of `key` and the arguments.
  Number Unknown(uint64_t key, std::initializer_list<Number> of) const;
  Number Integer(int64_t value);  // counts as depending on inputs
  Number WithTaint(Number x, const Number& of) const {
    x.undefined |= of.undefined;
    return x;
  }

  Number Add(const Number& a, const Number& b, PrimitiveType type);
  Number Multiply(const Number& a, const Number& b, PrimitiveType type);
  Number Divide(const Number& a, const Number& b, PrimitiveType type);
  Number Negate(Number a) const;
  // The number rounded to the type; a random function unless the number is constant.
  Number Rounded(const Number& a, PrimitiveType type);
  // In bitwise trials NaN is one number, its own opposite, and some random numbers are NaN.
  bool IsNaN(const Number& a) const { return bits_ && a.p == 0; }
  // Return false for an unsupported operation.
  bool Unary(HloOpcode op, const Number& a, PrimitiveType type, Number& result);
  bool Binary(HloOpcode op, const Number& a, const Number& b, PrimitiveType type, Number& result);
  // The largest or smallest of the numbers. Of more than a few that is one of them, chosen by a random function of
  // their set: a fold by comparisons would forget most of them, and trials would not tell whether one was left out.
  Number Extremum(std::span<const Number> numbers, bool largest);
  // Returns -1, 0 or 1 if a is less than, equal to or greater than b.
  int Compare(const Number& a, const Number& b) const;
  // In bitwise trials a sum of many terms is a random function of the multiset of its terms.
  Number SumTerm(const Number& a) const { return bits_ ? Unknown(kSumTerm, {a}) : a; }
  Number PlainAdd(const Number& a, const Number& b) const;
  Number OfSum(uint64_t key, const Number& sum) const { return bits_ ? Unknown(kOfSum ^ key, {sum}) : sum; }
  // Returns whether the residues are equal.
  static bool Same(const Number& a, const Number& b) { return a.p == b.p && (!a.has_q || !b.has_q || a.q == b.q); }

 private:
  static constexpr uint64_t kSumTerm = 1 << 20, kOfSum = 1 << 21, kOfExtrema = 1 << 22, kZero = ~uint64_t{0};
  uint64_t PowP(uint64_t a, uint64_t n) const;
  uint64_t PowQ(uint64_t a, uint64_t n) const;
  int SignOf(uint32_t p) const;  // returns -1, 0 or 1
  Number Closed(double value) const;
  Number Known(Number a) const;
  Number Power(const Number& a, int64_t n) const;
  Number Root(const Number& a) const;
  Number Exp(const Number& a) const;
  Number Times(const Number& a, const Number& b) const;
  Number Inverse(const Number& a) const;
  // The numbers from which one was chosen, ascending by residues. Extrema of extrema of the same kind are one.
  struct Choice {
    bool largest;
    int alternations;  // extrema of the other kind below each other
    std::vector<Number> from;
    Number result;
  };
  // Null unless the number is the result of a choice: what is computed from that has other residues.
  const Choice* ChoiceOf(const Number& a) const {
    return a.choice != 0 && Same(a, choices_[a.choice - 1].result) ? &choices_[a.choice - 1] : nullptr;
  }
  uint64_t seed_;
  Order order_;
  bool bits_;
  uint64_t p_, q_, generator_;
  std::unordered_map<double, Number> literals_;
  std::unordered_map<double, Number> combined_;  // by mantissas
  std::vector<double> known_;                    // the numbers of the texts, ascending
  std::vector<Choice> choices_;
  std::unordered_map<uint64_t, uint32_t> choice_of_;  // by a hash of the set
  size_t chosen_from_ = 0;                            // numbers in choices_
};

}  // namespace hloir::proof_check
