// A text table with a rule under its head: the first column is left-aligned, the others right-aligned by default.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hloir {

class Table {
 public:
  explicit Table(std::vector<std::string> head) : head_(std::move(head)) { left_.insert(0); }
  void LeftAlign(size_t column) { left_.insert(column); }
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // The terminal sequence for the color of the last row's cell; reset after it.
  void PaintLast(size_t column, std::string color) { paint_.push_back({rows_.size() - 1, column, std::move(color)}); }
  std::string ToString(bool use_color = false) const;

 private:
  struct Painted {
    size_t row, column;
    std::string color;
  };
  std::vector<std::string> head_;
  std::vector<std::vector<std::string>> rows_;
  std::set<size_t> left_;
  std::vector<Painted> paint_;
};

}  // namespace hloir
