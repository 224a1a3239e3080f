// The host's side of infeeds and outfeeds; see the end of hloir/io.h.
#include "hloir/io.h"
#include "support/format.h"

namespace hloir {

StatusOr<FeedReader> FeedReader::Open(const std::string& path) {
  FeedReader reader;
  HLOIR_ASSIGN_OR_RETURN(reader.leaves_, ReadNpz(path, "in"));
  return reader;
}

StatusOr<Literal> FeedReader::Take(const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      HLOIR_ASSIGN_OR_RETURN(Literal literal, Take(element));
      elements.push_back(std::move(literal));
    }
    return Literal::Tuple(std::move(elements));
  }
  if (next_ >= leaves_.size())
    return InvalidArgument(Format("the infeed file has {} arrays, but the module reads more", leaves_.size()));
  Literal leaf = leaves_[next_];
  if (!leaf.shape().Compatible(shape)) {
    return InvalidArgument(Format("the infeed file's in{} is {}, but the module expects {}", next_,
                                  leaf.shape().ToString(false), shape.ToString(false)));
  }
  leaf.set_shape_layout(shape);
  ++next_;
  return leaf;
}

void FeedWriter::Add(const Literal& value) {
  for (Literal& leaf : ResultLeaves(value)) leaves_.push_back(std::move(leaf));
}

Status FeedWriter::Write(const std::string& path) const { return WriteNpz(path, "out", Pointers(leaves_)); }

}  // namespace hloir
