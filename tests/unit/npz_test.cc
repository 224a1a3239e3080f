// npz in hloir/io.h: reading of NumPy's files, writing and reading back, and errors for corrupt files.
#include "hloir/io.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/unit/catch.h"

using namespace hloir;

namespace {

std::string Npy(std::string_view header, std::string_view data, int version = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += static_cast<char>(version);
  bytes += '\0';
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  if (version > 1) bytes.append(2, '\0');
  return bytes.append(header).append(data);
}

std::string Bytes(std::initializer_list<int> values) {
  std::string bytes;
  for (int v : values) bytes += static_cast<char>(v);
  return bytes;
}

struct TemporaryFile {
  std::string path =
      (std::filesystem::temp_directory_path() / ("hloir_npz_test_" + std::to_string(std::rand()) + ".npz")).string();
  ~TemporaryFile() { std::remove(path.c_str()); }
};

}  // namespace

TEST_CASE("npy headers of all versions") {
  for (int version : {1, 2, 3}) {
    auto value = ParseNpy(Npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2), }",
                              Bytes({1, 0, 2, 0, 3, 0, 255, 255}), version),
                          "");
    REQUIRE(value.ok());
    CHECK(value->shape().ToString(false) == "s16[2,2]");
    CHECK(value->GetAsInt64(2) == 3);
    CHECK(value->GetAsInt64(3) == -1);
  }
}

TEST_CASE("npy in Fortran order and big-endian") {
  auto fortran =
      ParseNpy(Npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}", Bytes({1, 4, 2, 5, 3, 6})), "");
  REQUIRE(fortran.ok());
  for (int i = 0; i < 6; ++i) CHECK(fortran->GetAsInt64(i) == i + 1);
  auto big = ParseNpy(Npy("{'shape': (), 'fortran_order': False, 'descr': '>i4'}", Bytes({0, 0, 1, 2})), "");
  REQUIRE(big.ok());
  CHECK(big->GetAsInt64(0) == 258);
}

TEST_CASE("npy types that NumPy lacks") {
  auto bf16 = ParseNpy(Npy("{'descr': '<u2', 'fortran_order': False, 'shape': (1,)}", Bytes({0xC0, 0x3F})), "bfloat16");
  REQUIRE(bf16.ok());
  CHECK(bf16->shape().element_type() == PrimitiveType::BF16);
  CHECK(bf16->GetAsDouble(0) == 1.5);
  // Only the low bits of a type under a byte count, whatever stands above them.
  auto s4 = ParseNpy(Npy("{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}", Bytes({0x0F, 0xF8, 0x57})), "int4");
  REQUIRE(s4.ok());
  CHECK(s4->GetAsInt64(0) == -1);
  CHECK(s4->GetAsInt64(1) == -8);
  CHECK(s4->GetAsInt64(2) == 7);
  CHECK_FALSE(
      ParseNpy(Npy("{'descr': '<u4', 'fortran_order': False, 'shape': ()}", Bytes({0, 0, 0, 0})), "bfloat16").ok());
  CHECK_FALSE(ParseNpy(Npy("{'descr': '|V2', 'fortran_order': False, 'shape': ()}", Bytes({0, 0})), "").ok());
  CHECK_FALSE(ParseNpy(Npy("{'descr': '|u1', 'fortran_order': False, 'shape': ()}", Bytes({0})), "float3").ok());
}

TEST_CASE("npy of every type survives writing and reading") {
#define HLOIR_TYPE(name, ...) PrimitiveType::name,
  for (PrimitiveType type : {
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
       }) {
    Literal literal(Shape::Array(type, {2, 3}));
    for (int i = 0; i < 6; ++i) literal.SetFromDouble(i, type == PrimitiveType::S1 ? -(i % 2) : i % 2);
    auto again = ParseNpy(PrintNpy(literal), MlDtypesName(type));
    INFO(PrimitiveTypeName(type));
    REQUIRE(static_cast<unsigned char>(PrintNpy(literal).back()) <= (1 << std::min(BitWidth(type), 8)) - 1);
    REQUIRE(again.ok());
    CHECK(again->BitwiseEqual(literal));
  }
}

TEST_CASE("npy that is broken is an error") {
  const std::string good = Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", std::string(8, '\0'));
  REQUIRE(ParseNpy(good, "").ok());
  for (size_t length = 0; length < good.size(); ++length) CHECK_FALSE(ParseNpy(good.substr(0, length), "").ok());
  for (const char* header :
       {"", "{", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': ()}", "{'descr': '<f4', 'fortran_order': 1, 'shape': ()}"}) {
    INFO(header);
    CHECK_FALSE(ParseNpy(Npy(header, std::string(64, '\0')), "").ok());
  }
}

TEST_CASE("npz survives writing and reading") {
  TemporaryFile file;
  Literal f8(Shape::Array(PrimitiveType::F8E4M3FN, {2})), empty(Shape::Array(PrimitiveType::F32, {0, 3}));
  f8.SetFromDouble(0, 1.5);
  const Literal scalar = Literal::Scalar(PrimitiveType::S64, int64_t{-7});
  const Literal* leaves[] = {&scalar, &f8, &empty};
  REQUIRE(WriteNpz(file.path, "out", leaves).ok());
  auto again = ReadNpz(file.path, "out");
  REQUIRE(again.ok());
  REQUIRE(again->size() == 3);
  for (size_t i = 0; i < 3; ++i) CHECK((*again)[i].BitwiseEqual(*leaves[i]));
  CHECK(ReadNpz(file.path, "in")->empty());
  CHECK(*NpzHas(file.path, "out"));
  CHECK_FALSE(*NpzHas(file.path, "in"));
}

TEST_CASE("npz that is broken is an error") {
  CHECK_FALSE(ReadNpz("/nonexistent/x.npz", "in").ok());
  TemporaryFile file;
  const Literal value = Literal::Scalar(PrimitiveType::F32, 1.5f);
  const Literal* leaves[] = {&value};
  REQUIRE(WriteNpz(file.path, "in", leaves).ok());
  std::string bytes;
  {
    std::ifstream in(file.path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  // Cut anywhere, or with any byte changed, it is read as something or refused, and nothing worse.
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x5A);
    std::ofstream(file.path, std::ios::binary) << changed;
    (void)ReadNpz(file.path, "in");
    std::ofstream(file.path, std::ios::binary) << bytes.substr(0, i);
    CHECK_FALSE(ReadNpz(file.path, "in").ok());
  }
}
