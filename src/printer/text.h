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
  // Appends literals, characters and texts with one check of the capacity.
  template <class... Parts>
  [[gnu::always_inline]] void AppendAll(const Parts&... parts) {
    Reserve((SizeOf(parts) + ...));
    (Put(parts), ...);
  }
  void AppendSpaces(size_t count) {
    constexpr size_t kFew = 16;
    Reserve(std::max(count, kFew));
    if (count <= kFew) std::memset(at_, ' ', kFew);
    else std::memset(at_, ' ', count);
    at_ += count;
  }
  void AppendInt(int64_t value) { AppendInteger(value); }
  void AppendUnsigned(uint64_t value) { AppendInteger(value); }
  // 1,2,3
  template <class List>
  void AppendInts(const List& list) {
    Reserve(list.size() * (kIntegerSize + 1));
    bool first = true;
    for (const int64_t value : list) {
      if (!first) *at_++ = ',';
      first = false;
      PutInteger(value);
    }
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
  // Repeats `count` bytes from `offset`, which were not sent yet.
  void AppendAgain(size_t offset, size_t count) {
    Reserve(count);
    Put(std::string_view(text_.data() + (offset - sent_), count));
  }
  // The same as a part for AppendAll.
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
  [[gnu::always_inline]] void Put(Again again) {
    Put(std::string_view(text_.data() + (again.offset - sent_), again.size));
  }
  [[gnu::always_inline]] void Put(char c) { *at_++ = c; }
  template <size_t N>
  [[gnu::always_inline]] void Put(const char (&text)[N]) {
    std::memcpy(at_, text, N - 1);
    at_ += N - 1;
  }
  // The fast path for names: two words, which overlap if there are fewer bytes; cheaper than a call of memcpy.
  [[gnu::always_inline]] void Put(std::string_view text) {
    const char* const from = text.data();
    const size_t size = text.size();
    if (size >= 8 && size <= 16) PutEnds<8>(from, size);
    else if (size > 16 && size <= 32) PutEnds<16>(from, size);
    else if (size >= 4 && size < 8) PutEnds<4>(from, size);
    else std::memcpy(at_, from, size);
    at_ += size;
  }
  // The first and the last `count` bytes, which overlap.
  template <size_t count>
  [[gnu::always_inline]] void PutEnds(const char* from, size_t size) {
    char first[count], last[count];
    std::memcpy(first, from, count);
    std::memcpy(last, from + size - count, count);
    std::memcpy(at_, first, count);
    std::memcpy(at_ + size - count, last, count);
  }
  size_t held() const { return static_cast<size_t>(at_ - text_.data()); }
  static constexpr size_t kIntegerSize = 24;
  template <class T>
  void AppendInteger(T value) {
    Reserve(kIntegerSize);
    PutInteger(value);
  }
  template <class T>
  [[gnu::always_inline]] void PutInteger(T value) {
    if (static_cast<uint64_t>(value) < 10) *at_++ = static_cast<char>('0' + value);
    else at_ = std::to_chars(at_, at_ + kIntegerSize, value).ptr;
  }
  [[gnu::always_inline]] void Reserve(size_t bytes) {
    if (static_cast<size_t>(limit_ - at_) < bytes) Grow(bytes);
  }
  [[gnu::noinline]] void Grow(size_t bytes);

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
