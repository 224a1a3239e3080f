// The host's side of infeeds and outfeeds; see the end of hloir/io.h.
#include "hloir/io.h"

#include <filesystem>

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

StatusOr<Literal> TransferFolder::Exchange(const HostTransfer& transfer) {
  const bool sends = transfer.sent != nullptr;
  const int64_t count = counts_[{sends, transfer.channel, transfer.device}]++;
  const std::string start = Format("{}/{}.{}", folder_, sends ? "send" : "recv", transfer.channel);
  const std::string own = Format("{}.{}.{}.npy", start, transfer.device, count);
  const auto fail = [&](const Status& status) {
    return Status(status.code(), Format("{}: {}", transfer.instruction.name(), status.message()));
  };
  if (sends) {
    if (!transfer.sent->shape().IsArray()) return fail(Unimplemented("a tuple has no .npy file"));
    if (Status written = WriteFile(own, PrintNpy(*transfer.sent)); !written.ok()) return fail(written);
    return Literal();
  }
  const Shape& wanted = transfer.instruction.shape().tuple_shapes(0);
  std::error_code error;
  for (const std::string& path : {own, Format("{}.{}.npy", start, transfer.device), start + ".npy"}) {
    if (!std::filesystem::exists(path, error)) continue;
    StatusOr<std::string> bytes = ReadFile(path);
    if (!bytes.ok()) return fail(bytes.status());
    StatusOr<Literal> value = ParseNpy(*bytes, MlDtypesName(wanted.element_type()));
    if (!value.ok()) return fail(InvalidArgument(Format("{}: {}", path, value.status().message())));
    if (!value->shape().Compatible(wanted))
      return fail(InvalidArgument(
          Format("{} is {}, but {} is expected", path, value->shape().ToString(false), wanted.ToString(false))));
    value->set_shape_layout(wanted);
    return value;
  }
  return fail(InvalidArgument(Format("there is no {}, nor one for all of its or all devices' receives", own)));
}

}  // namespace hloir
