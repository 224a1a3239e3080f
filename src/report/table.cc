// See table.h.
#include "table.h"

#include <algorithm>

#include "support/text.h"

namespace hloir {

std::string Table::ToString(bool use_color) const {
  std::vector<size_t> widths(head_.size());
  for (size_t c = 0; c < head_.size(); ++c) widths[c] = DisplayWidth(head_[c]);
  for (const auto& row : rows_) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], DisplayWidth(row[c]));
  }
  const auto cell = [&](const std::string& text, size_t column, const std::string* color) {
    const std::string padding(widths[column] - DisplayWidth(text), ' ');
    const std::string painted = color != nullptr && use_color ? *color + text + "\033[0m" : text;
    if (!left_.contains(column)) return padding + painted;
    return column + 1 == head_.size() ? painted : painted + padding;  // nothing after the last column
  };
  std::string out;
  const auto line = [&](const std::vector<std::string>& row, size_t number, bool painted) {
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string* color = nullptr;
      for (const Painted& p : paint_) {
        if (painted && p.row == number && p.column == c) color = &p.color;
      }
      out += (c > 0 ? "  " : "") + cell(row[c], c, color);
    }
    out += '\n';
  };
  line(head_, 0, false);
  for (size_t c = 0; c < head_.size(); ++c) {
    out += c > 0 ? "  " : "";
    for (size_t i = 0; i < widths[c]; ++i) out += "─";
  }
  out += '\n';
  for (size_t r = 0; r < rows_.size(); ++r) line(rows_[r], r, true);
  return out;
}

}  // namespace hloir
