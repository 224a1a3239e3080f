// Functions that print values of HLO text: shapes, literals, shardings, windows, metadata, … Relevant PrintOptions are
// arguments. internal.h prints instructions and computations. Covered by tests/unit/printer_test.cc.
#pragma once

#include "hloir/attributes.h"
#include "hloir/module.h"
#include "text.h"

namespace hloir {

// shape.cc
void AppendShape(TextBuffer& out, const Shape& shape, bool with_layout);
void AppendTuple(TextBuffer& out, std::span<const Shape> shapes, bool with_layout);
void AppendLayout(TextBuffer& out, const Layout& layout);

// literal.cc
// {1, 2}; with `reads_back`, -0 is printed so that XLA reads it.
void AppendLiteral(TextBuffer& out, const Literal& literal, bool reads_back);
void AppendLiteralWithShape(TextBuffer& out, const Literal& literal);  // f32[2]{0} {1, 2}

// sharding.cc
void AppendSharding(TextBuffer& out, const Sharding& sharding, bool with_metadata);

// devices.cc
void AppendDevices(TextBuffer& out, const DeviceList& list);
void AppendMesh(TextBuffer& out, const Mesh& mesh);
// {'x','y':(1)2}; an open list ends in `?`.
void AppendAxes(TextBuffer& out, const std::vector<MeshAxisRef>& axes, std::string_view separator, bool open = false);
void AppendReplicaGroups(TextBuffer& out, const ReplicaGroups& groups, bool full_list);

// metadata.cc
void AppendMetadata(TextBuffer& out, const OpMetadata& metadata, bool only_op_name);
void AppendMergedMetadata(TextBuffer& out, std::span<const OpMetadata* const> merged);
void AppendFrontendAttributes(TextBuffer& out, const FrontendAttributes& attributes);
void AppendOriginalArray(TextBuffer& out, const OriginalArray& array);
void AppendOriginalValue(TextBuffer& out, const OriginalValue& value);
void AppendStatistics(TextBuffer& out, const Statistics& statistics);
void AppendResultAccuracy(TextBuffer& out, const ResultAccuracy& accuracy);
// A JSON dictionary as it is, anything else as a quoted string.
void AppendDictOrQuoted(TextBuffer& out, std::string_view text);

// attributes.cc
void AppendWindow(TextBuffer& out, const Window& window);
void AppendConvDimensionNumbers(TextBuffer& out, const ConvDimensionNumbers& dims);

}  // namespace hloir
