// FragmentReader: reads parts of the text that need no module: shapes, literals, and the values of attributes.
// values.cc has numbers, words, lists, windows; shape.cc, literal.cc; sharding.cc shardings, meshes, device groups;
// metadata.cc metadata and origins.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/attributes.h"
#include "hloir/instruction.h"
#include "text_cursor.h"

namespace hloir {

class FragmentReader : public TextCursor {
 public:
  explicit FragmentReader(const TextCursor& cursor) : TextCursor(cursor) {}
  FragmentReader(const FragmentReader&) = delete;
  virtual ~FragmentReader() = default;

  // Values, by type. values.cc, unless another file is named.
  bool Read(bool& value);
  bool Read(int64_t& value);
  bool Read(float& value);
  bool Read(double& value);
  bool Read(std::string& value);
  bool Read(DimVector& value);
  bool Read(BoolList& value);
  bool Read(PrecisionList& value);
  bool Read(Int64Pairs& value);
  bool Read(Int64Lists& value);
  bool Read(SliceRanges& value);
  bool Read(PaddingConfig& value);
  bool Read(Window& value);
  bool Read(ConvDimensionNumbers& value);
  bool Read(SparsityConfig& value);
  bool Read(OutputOperandAliasing& value);
  bool Read(OptionalLiteral& value);
  bool Read(Shape& value) { return ParseShape(value, Adjacent::kNo); }
  bool Read(std::vector<Shape>& value);
  bool Read(ReplicaGroups& value);   // sharding.cc
  bool Read(Sharding& value);        // sharding.cc
  bool Read(DomainMetadata& value);  // sharding.cc
  bool Read(ResultAccuracy& value);
  template <class E>
  requires(kHasEnumWords<E>) bool Read(E& value) {
    int64_t index = 0;
    if (!ReadEnumWord(EnumWords<E>(), index)) return false;
    value = static_cast<E>(index);
    return true;
  }
  template <class T>
  bool Read(std::optional<T>& value) {
    return Read(value.emplace());
  }
  // A literal with its shape before it, as in `f32[2]{0} {1, 2}` and `(f32[] 1, s32[] 2)`.
  bool ParseShapedLiteral(Literal& literal);

 protected:
  // Keeps a text that differs from the source (unescaped), as long as the reader of a fragment, or the module.
  virtual std::string_view Keep(std::string_view text) { return kept_.emplace_back(text); }
  // A shape within a tuple's.
  virtual bool ParseTupleElement(Shape& shape) { return ParseShape(shape, Adjacent::kNo); }

  // kYes: a layout's brace must follow the shape without a blank, because a literal may follow.
  enum class Adjacent : uint8_t { kNo, kYes };

  // ---- Shapes (shape.cc).
  bool ParseShape(Shape& shape, Adjacent adjacent);
  bool ParseArrayShape(Shape& shape, Adjacent adjacent);
  bool ParseLayout(Shape& shape);
  bool ParseLayoutExtras(LayoutExtras& extras, int64_t rank);
  const char* ShapeEnd(const char* at) const;
  bool LooksLikeTupleShape() const;
  bool LooksLikeShape();

  // ---- Literals (literal.cc). `shape` must outlive the call.
  bool ParseLiteral(const Shape& shape, Literal& literal);
  bool ParseArrayLiteral(const Shape& shape, Literal& literal);
  // By element type: the functions that store elements.
  using FirstReader = bool (FragmentReader::*)(Literal&);
  using RowReader = bool (FragmentReader::*)(Literal&, int64_t row, int64_t size, int64_t& count);
  bool ParseElements(Literal& literal, RowReader parse_row);
  template <class Element>
  bool ParseFirst(Literal& literal);
  template <class Element>
  bool ParseRow(Literal& literal, int64_t row, int64_t size, int64_t& count);
  [[gnu::cold]] bool FailTooMany(size_t dimension, int64_t size);
  template <class Element>
  bool ParseElement(PrimitiveType type, Element& element);
  bool ParseReal(PrimitiveType type, double& value, uint64_t& nan_payload, bool& has_payload, bool& negative_nan);
  bool ParseIntElement(PrimitiveType type, int64_t& value);
  bool CheckLiteralSize(const Shape& shape, const char* place);

  // ---- Values (values.cc).
  bool ReadEnumWord(std::span<const std::string_view> words, int64_t& index);
  bool ReadString(std::string_view& text);  // unescaped: a view of the source, or of a kept text
  bool ReadKey(std::string& key, const char* what);
  bool ReadPadding(PaddingConfig& value, bool with_interior);
  bool ReadDimensionByX(DimVector& sizes);

  // ---- Shardings (sharding.cc).
  bool ParseTiledSharding(Sharding& sharding);
  bool ParseNamedSharding(Sharding& sharding);
  bool ParseShardingParts(Sharding& sharding);
  bool ParseUnreducedOp(Sharding& sharding);
  bool ParseLastTileDims(std::vector<Sharding::Kind>& kinds);
  bool ParseMesh(Mesh& mesh);
  bool ParseAxisRef(MeshAxisRef& axis);
  bool ParseAxisList(std::vector<MeshAxisRef>& axes);
  bool ParseIotaDevices(DeviceList& devices);
  bool ReadIntsUntil(char close, std::vector<int64_t>& values);
  [[gnu::cold]] bool ParseShardingMetadata(std::vector<OwnedOpMetadata>& metadata);

  // ---- Metadata and origin (metadata.cc).
  bool ParseMetadata(OpMetadata& metadata);
  bool ReadUsualMetadata(OpMetadata& metadata);
  bool ParseFrontendAttributes(FrontendAttributes& attributes);
  bool ParseBackendConfig(std::string_view& config);
  bool ParseStatistics(Statistics& statistics);
  bool ParseOriginalValue(OriginalValue& value);
  bool ParseOriginalElement(OriginalValue& value);
  bool ParseOriginalArray(OriginalArray& array);

 private:
  std::deque<std::string> kept_;
  std::string unescaped_;  // the latest string with escapes; a member, to reuse its memory
};

}  // namespace hloir
