// TextBuffer: the printer's output buffer, with functions to append characters, names, integers, floats as printf's
// %.Ng, quoted strings. It may be sent piece by piece, so that a large text is never in memory as a whole. Covered by
// tests/unit/printer_test.cc.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

namespace hloir {

class TextBuffer {
 public:
  using Send = std::function<void(std::string_view piece)>;

  TextBuffer() { Grow(0); }
  size_t size() const { return sent_ + held(); }  // including text that was sent
  [[gnu::always_inline]] void Append(char c) {
    Reserve(1);
    *at_++ = c;
  }
  // Inline, so that constant texts become immediate stores.
  [[gnu::always_inline]] void Append(std::string_view text) {
    Reserve(text.size());
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  // A position in the buffer that stays in a register: a store of a character could change a member, so the compiler
  // reads members again after each. While it exists, nothing else may append. pen(parts...) appends literals,
  // characters, integers and texts with one check of the capacity.
  class Pen {
   public:
    explicit Pen(TextBuffer& out) : out_(out), at_(out.at_), limit_(out.limit_) {}
    ~Pen() { out_.at_ = at_; }
    Pen(const Pen&) = delete;
    Pen& operator=(const Pen&) = delete;
    template <class... Parts>
    [[gnu::always_inline]] void operator()(const Parts&... parts) {
      const size_t bytes = (SizeOf(parts) + ...);
      if (static_cast<size_t>(limit_ - at_) < bytes) at_ = out_.GrowAt(at_, bytes), limit_ = out_.limit_;
      ((at_ = out_.Put(at_, parts)), ...);
    }

   private:
    TextBuffer& out_;
    char* at_;
    char* limit_;
  };
  template <class... Parts>
  [[gnu::always_inline]] void AppendAll(const Parts&... parts) {
    Pen pen(*this);
    pen(parts...);
  }
  void AppendSpaces(size_t count) {
    Reserve(count);
    if (count <= kSlack) std::memset(at_, ' ', kSlack);
    else std::memset(at_, ' ', count);
    at_ += count;
  }
  void AppendInt(int64_t value) {
    Reserve(kIntegerSize);
    at_ = PutInteger(at_, value);
  }
  void AppendUnsigned(uint64_t value);
  // 1,2,3
  template <class List>
  void AppendInts(const List& list) {
    Reserve(list.size() * (kIntegerSize + 1));
    char* at = at_;
    bool first = true;
    for (const int64_t value : list) {
      if (!first) *at++ = ',';
      first = false;
      at = PutInteger(at, value);
    }
    at_ = at;
  }
  // As printf's %.{digits}g; the caller writes NaN and infinities as XLA does.
  void AppendGeneral(double value, int digits) {
    Reserve(32);
    at_ = std::to_chars(at_, at_ + 32, value, std::chars_format::general, digits).ptr;
  }
  // In quotes, with C's escapes: unprintable characters as \ooo.
  void AppendQuoted(std::string_view text, char quote = '"');
  // The key of key=value: bare, or quoted if it could be read as something else.
  void AppendKey(std::string_view key);
  // A part that repeats `size` bytes from `offset`, which were not sent yet.
  struct Again {
    size_t offset, size;
  };
  void Truncate(size_t size) { at_ = text_.data() + (size - sent_); }
  std::string_view view() const { return {text_.data(), held()}; }
  // Reserves about this many bytes at the beginning.
  void Expect(size_t bytes);
  std::string Take() {
    text_.resize(held());
    return std::move(text_);
  }
  // Sets `send`: MaySend passes it the text if that is long enough, SendRest passes the remaining text.
  void SendTo(Send send) { send_ = std::move(send); }
  bool sends() const { return send_ != nullptr; }
  size_t sent() const { return sent_; }
  void MaySend() {
    if (held() >= kPiece && sends()) SendRest();
  }
  void SendRest();

 private:
  static constexpr size_t kPiece = 64 << 10;

  static size_t SizeOf(char) { return 1; }
  static size_t SizeOf(std::string_view text) { return text.size(); }
  template <size_t N>
  static size_t SizeOf(const char (&)[N]) {
    return N - 1;
  }
  static size_t SizeOf(Again again) { return again.size; }
  static size_t SizeOf(int64_t) { return kIntegerSize; }
  // These write at a position and return the next one.
  [[gnu::always_inline]] char* Put(char* at, Again again) const {
    const char* const from = text_.data() + (again.offset - sent_);
    if (again.size <= kSlack) CopyFixed<kSlack>(at, from);
    else std::memcpy(at, from, again.size);
    return at + again.size;
  }
  [[gnu::always_inline]] static char* Put(char* at, char c) {
    *at = c;
    return at + 1;
  }
  template <size_t N>
  [[gnu::always_inline]] static char* Put(char* at, const char (&text)[N]) {
    std::memcpy(at, text, N - 1);
    return at + N - 1;
  }
  [[gnu::always_inline]] static char* Put(char* at, int64_t value) { return PutInteger(at, value); }
  // The fast path for names: two words, which overlap if there are fewer bytes; cheaper than a call of memcpy.
  [[gnu::always_inline]] static char* Put(char* at, std::string_view text) {
    const char* const from = text.data();
    const size_t size = text.size();
    if (size >= 8 && size <= 16) PutEnds<8>(at, from, size);
    else if (size > 16 && size <= 32) PutEnds<16>(at, from, size);
    else if (size >= 4 && size < 8) PutEnds<4>(at, from, size);
    else std::memcpy(at, from, size);
    return at + size;
  }
  // The first and the last `count` bytes, which overlap.
  template <size_t count>
  [[gnu::always_inline]] static void PutEnds(char* at, const char* from, size_t size) {
    char first[count], last[count];
    std::memcpy(first, from, count);
    std::memcpy(last, from + size - count, count);
    std::memcpy(at, first, count);
    std::memcpy(at + size - count, last, count);
  }
  template <size_t count>
  [[gnu::always_inline]] static void CopyFixed(char* at, const char* from) {
    char bytes[count];
    std::memcpy(bytes, from, count);
    std::memcpy(at, bytes, count);
  }
  size_t held() const { return static_cast<size_t>(at_ - text_.data()); }
  static constexpr size_t kIntegerSize = 24;
  // Bytes beyond limit_ that may be written, so that short copies have a fixed size.
  static constexpr size_t kSlack = 32;
  [[gnu::always_inline]] static char* PutInteger(char* at, int64_t value) {
    if (static_cast<uint64_t>(value) >= 10) return PutDigits(at, value);
    *at = static_cast<char>('0' + value);
    return at + 1;
  }
  static char* PutDigits(char* at, int64_t value);
  [[gnu::always_inline]] void Reserve(size_t bytes) {
    if (static_cast<size_t>(limit_ - at_) < bytes) Grow(bytes);
  }
  [[gnu::noinline]] void Grow(size_t bytes) { at_ = GrowAt(at_, bytes); }
  // Makes room for `bytes` from `at` on; returns the new place of `at`.
  char* GrowAt(const char* at, size_t bytes);

  std::string text_;  // its tail, from at_ on, is not written yet
  char* at_ = text_.data();
  char* limit_ = text_.data();
  size_t sent_ = 0;
  Send send_;
};

// The items of a list with `separator` between them; print(item) writes one.
template <class List, class Print>
void AppendJoined(TextBuffer& out, const List& list, std::string_view separator, Print&& print) {
  bool first = true;
  for (const auto& item : list) {
    if (!first) out.Append(separator);
    first = false;
    print(item);
  }
}

// {1,2,3}
template <class List>
void AppendBracedInts(TextBuffer& out, const List& list) {
  out.Append('{');
  out.AppendInts(list);
  out.Append('}');
}

}  // namespace hloir
