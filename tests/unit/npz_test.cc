// npz in hloir/io.h: what NumPy writes is read, what we write is read again, and broken files are errors.
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

TEST_CASE("npz that is deflated, and with numbers of 64 bits") {
  // The array 1.5, 64 times, as Python's zipfile packs it: 325 bytes in 73.
  const std::string packed = Bytes(
      {0x9B, 0xEC, 0x17, 0xEA, 0x1B, 0x10, 0xC9, 0xC8, 0x60, 0xCD, 0x50, 0xAD, 0x9E, 0x92, 0x5A, 0x9C, 0x5C, 0xA4, 0x6E,
       0xA5, 0xA0, 0x6E, 0x93, 0x66, 0xA2, 0xAE, 0xA3, 0xA0, 0x9E, 0x96, 0x5F, 0x54, 0x52, 0x94, 0x98, 0x17, 0x9F, 0x5F,
       0x94, 0x92, 0x0A, 0x12, 0x77, 0x4B, 0xCC, 0x29, 0x4E, 0x05, 0x8A, 0x17, 0x67, 0x24, 0x16, 0xA4, 0x02, 0xF9, 0x1A,
       0x66, 0x26, 0x3A, 0x9A, 0x3A, 0x0A, 0xB5, 0x5C, 0x0C, 0x0C, 0x07, 0xEC, 0x47, 0x32, 0x06, 0x00});
  const auto number = [](uint64_t value, int bytes) {
    std::string text;
    for (int k = 0; k < bytes; ++k) text += static_cast<char>(value >> (8 * k));
    return text;
  };
  TemporaryFile file;
  const auto read = [&](bool large, uint32_t crc, uint64_t size) {
    // Flags, the method, the time, and what is said of the content; large numbers in a field behind the name.
    const std::string sizes = large ? number(~0u, 4) + number(~0u, 4) : number(packed.size(), 4) + number(size, 4);
    const std::string about = number(0, 2) + number(8, 2) + number(0, 4) + number(crc, 4) + sizes + number(7, 2);
    const std::string extra =
        large ? number(1, 2) + number(24, 2) + number(size, 8) + number(packed.size(), 8) + number(0, 8) : "";
    std::string bytes = "PK\3\4" + number(20, 2) + about + number(5, 2) + "in0.npy" + std::string(5, 'x') + packed;
    const uint64_t directory = bytes.size();
    bytes += "PK\1\2" + number(20, 2) + number(20, 2) + about + number(extra.size(), 2) + std::string(10, '\0') +
             number(large ? ~0u : 0, 4) + "in0.npy" + extra;
    const uint64_t length = bytes.size() - directory, end = bytes.size();
    if (large) {
      bytes += "PK\6\6" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) + number(1, 8) + number(1, 8) +
               number(length, 8) + number(directory, 8);
      bytes += "PK\6\7" + number(0, 4) + number(end, 8) + number(1, 4);
    }
    bytes += "PK\5\6" + number(0, 4) + number(large ? 0xFFFF : 1, 2) + number(large ? 0xFFFF : 1, 2);
    bytes += number(large ? ~0u : length, 4) + number(large ? ~0u : directory, 4) + number(9, 2) + "a comment";
    std::ofstream(file.path, std::ios::binary) << bytes;
    return ReadNpz(file.path, "in");
  };
  constexpr uint32_t kCrc = 0xC4EAE60B;
  for (bool large : {false, true}) {
    const auto leaves = read(large, kCrc, 325);
    REQUIRE(leaves.ok());
    REQUIRE(leaves->size() == 1);
    CHECK((*leaves)[0].shape() == Shape::Array(PrimitiveType::F32, {64}));
    CHECK((*leaves)[0].GetAsDouble(63) == 1.5);
    CHECK_FALSE(read(large, kCrc + 1, 325).ok());
    for (uint64_t size : {uint64_t{0}, uint64_t{324}, uint64_t{326}, ~uint64_t{0}})
      CHECK_FALSE(read(large, kCrc, size).ok());
  }
}
