// Conversions between the graph's value types and their messages (messages.h): shapes, literals, shardings, windows,
// device lists, metadata. Used by reader.cc and writer.cc. Messages reference the values from which they were built.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/attributes.h"
#include "hloir/module.h"
#include "hloir/proto.h"
#include "messages.h"

namespace hloir {

inline constexpr int64_t kMaxProtoLiteralBytes = int64_t{1} << 32;

StatusOr<Shape> FromProto(const proto::Shape& message);
StatusOr<Literal> FromProto(const proto::Literal& message);
Window FromProto(const proto::Window& message);
PaddingConfig FromProto(const proto::PaddingConfig& message);
StatusOr<ConvDimensionNumbers> FromProto(const proto::ConvolutionDimensionNumbers& message);
StatusOr<Sharding> FromProto(const proto::OpSharding& message);
OpMetadata FromProto(const proto::OpMetadata& message);  // looks into the message
Mesh FromProto(const proto::Mesh& message);
StatusOr<std::vector<MeshAxisRef>> FromProto(const std::vector<proto::AxisRef>& refs, const Mesh& mesh);
OutputOperandAliasing FromProto(const std::vector<proto::OutputOperandAliasing>& message);
OriginalArray FromProto(const proto::OriginalArray& message);
StatusOr<OriginalValue> FromProto(const proto::OriginalValue& message, const Shape& shape);
DimVector ToDims(const proto::Int64s& numbers);

// The permutation to XLA's element order, which follows the shape's layout. Entry i is the new index of element i;
// empty: the orders are equal.
std::vector<int64_t> LayoutOrder(const Shape& shape);
// The message of `file`; for streamed arguments, their bytes are written to the second parameter. In writer.cc.
StatusOr<std::string> SerializeMessage(const HloProtoFile& file, const HloModule* module, std::string* stream);
// A streamed literal, after its message. In streamed_literal.cc. Invalid shapes throw, as in Decode().
StatusOr<Literal> ReadStreamedLiteral(std::string_view bytes);
std::string WriteStreamedLiteral(const Literal& literal);

proto::Shape ToProto(const Shape& shape);
proto::Literal ToProto(const Literal& literal, std::deque<std::string>& storage);
proto::Window ToProto(const Window& window);
proto::PaddingConfig ToProto(const PaddingConfig& padding);
proto::ConvolutionDimensionNumbers ToProto(const ConvDimensionNumbers& dims);
proto::OpSharding ToProto(const Sharding& sharding);
proto::OpMetadata ToProto(const OpMetadata& metadata);
proto::Mesh ToProto(const Mesh& mesh);
std::vector<proto::AxisRef> ToProto(const std::vector<MeshAxisRef>& refs, const Mesh& mesh);
std::vector<proto::OutputOperandAliasing> ToProto(const OutputOperandAliasing& aliasing);
proto::OriginalArray ToProto(const OriginalArray& array);
proto::OriginalValue ToProto(const OriginalValue& value);
proto::Int64s ToInt64s(const DimVector& dims);

}  // namespace hloir
