// The host's side of a module's infeeds and outfeeds, from and to .npz files.
#pragma once

#include <string>
#include <vector>

#include "hloir/literal.h"
#include "hloir/status.h"

namespace hloir::tool {

// Gives the leaves in0, in1, … of a file away, in order: each infeed takes as many as its shape has.
class FeedReader {
 public:
  static StatusOr<FeedReader> Open(const std::string& path);
  StatusOr<Literal> Take(const Shape& shape);
  void Rewind() { next_ = 0; }

 private:
  std::vector<Literal> leaves_;
  size_t next_ = 0;
};

// Keeps what outfeeds give; Write makes out0, out1, … of it.
class FeedWriter {
 public:
  void Add(const Literal& value);
  Status Write(const std::string& path) const;
  void Clear() { leaves_.clear(); }

 private:
  std::vector<Literal> leaves_;
};

}  // namespace hloir::tool
