// Inputs and results in memory of the caller's: Literal::Borrow and LiteralView. Blocks end where a page ends that may
// not be touched, so that whoever reads or writes past an end is seen.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "tests/unit/check_module.h"

namespace hloir {
namespace {

// A block of exactly that many bytes, with forbidden memory behind it.
class Guarded {
 public:
  explicit Guarded(int64_t bytes) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    room_ = (static_cast<size_t>(bytes) + page - 1) / page * page + page;
    start_ = static_cast<std::byte*>(mmap(nullptr, room_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(start_ != MAP_FAILED);
    REQUIRE(mprotect(start_ + room_ - page, page, PROT_NONE) == 0);
    block_ = start_ + room_ - page - bytes;
  }
  Guarded(Guarded&& other) noexcept
      : start_(std::exchange(other.start_, nullptr)), block_(other.block_), room_(other.room_) {}
  ~Guarded() {
    if (start_ != nullptr) munmap(start_, room_);
  }
  std::byte* get() const { return block_; }

 private:
  std::byte *start_, *block_;
  size_t room_;
};

// Runs with inputs and result borrowed gives the same bits as with literals that own their memory.
void CheckBorrowed(const std::string& text) {
  INFO(text);
  auto module = ParseModule(text);
  REQUIRE(module.status().message() == "");
  const HloComputation& entry = *(*module)->entry_computation();
  std::vector<Literal> inputs;
  std::vector<Guarded> blocks;
  std::vector<LiteralView> views;
  std::vector<const Literal*> owned, borrowed;
  for (int64_t i = 0; i < entry.parameter_count(); ++i) {
    inputs.push_back(Ramp(entry.parameter(i)->shape(), i + 1));
    const Literal& input = inputs.back();
    blocks.emplace_back(input.size_bytes());
    std::memcpy(blocks.back().get(), input.untyped_data(), static_cast<size_t>(input.size_bytes()));
    StatusOr<LiteralView> view = LiteralView::Make(input.shape(), blocks.back().get());
    REQUIRE(view.status().message() == "");
    views.push_back(std::move(*view));
  }
  for (const Literal& input : inputs) owned.push_back(&input);
  for (const LiteralView& view : views) borrowed.push_back(view.get());
  std::vector<Guarded> result_blocks;
  std::vector<void*> result_pointers;
  for (const Shape* leaf : entry.root()->shape().Leaves()) {
    result_pointers.push_back(result_blocks.emplace_back(leaf->ByteSize()).get());
  }
  StatusOr<Literal> result = Literal::Borrow(entry.root()->shape(), result_pointers);
  REQUIRE(result.status().message() == "");
  for (const std::string& isa : SupportedIsas()) {
    INFO(isa);
    ExecutableOptions options;
    options.threads = 2;
    options.isa = isa;
    auto executable = PrepareExecutable(**module, options);
    REQUIRE(executable.status().message() == "");
    StatusOr<Literal> expected = (*executable)->Run(owned);
    REQUIRE(expected.ok());
    REQUIRE((*executable)->RunInto(borrowed, &*result).message() == "");
    CHECK(result->BitwiseEqual(*expected));
    // Written where the caller said.
    const Literal* first = result->Leaves()[0];
    CHECK(static_cast<const void*>(first->untyped_data()) == result_pointers[0]);
  }
  StatusOr<Literal> reference = MakeReferenceEvaluator()->EvaluateComputation(entry, borrowed);
  CHECK(reference.ok());
}

TEST_CASE("borrow: runs read and write where the caller said, and not a byte further") {
  for (int n : {1, 3, 17, 31, 64, 100}) {
    const std::string size = std::to_string(n);
    CheckBorrowed(Entry("x = f32[" + size + "] parameter(0)\n y = f32[" + size + "] parameter(1)\n m = f32[" + size +
                        "] multiply(x, y)\n ROOT t = f32[" + size + "] tanh(m)"));
    CheckBorrowed(Entry("x = bf16[" + size + "] parameter(0)\n c = f32[" + size + "] convert(x)\n e = f32[" + size +
                        "] exponential(c)\n ROOT t = (f32[" + size + "], bf16[" + size + "]) tuple(e, x)"));
    CheckBorrowed(
        Entry("x = s8[" + size + ",5] parameter(0)\n ROOT t = s8[5," + size + "] transpose(x), dimensions={1,0}"));
    CheckBorrowed(Entry("x = f32[7," + size + "] parameter(0)\n y = f32[" + size +
                        ",9] parameter(1)\n ROOT d = f32[7,9] dot(x, y), lhs_contracting_dims={1}, "
                        "rhs_contracting_dims={0}"));
    CheckBorrowed(
        "HloModule m\nf { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n"
        "ENTRY e { x = f32[6," +
        size + "] parameter(0)\n z = f32[] constant(0)\n r = f32[" + size +
        "] reduce(x, z), dimensions={0}, to_apply=f\n s = f32[6] reduce(x, z), dimensions={1}, "
        "to_apply=f\n ROOT t = (f32[" +
        size + "], f32[6]) tuple(r, s) }");
  }
  CheckBorrowed(
      Entry("x = f32[1,9,9,3] parameter(0)\n w = f32[3,3,3,5] parameter(1)\n ROOT c = f32[1,9,9,5] "
            "convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"));
}

TEST_CASE("borrow: what does not fit is refused") {
  alignas(8) std::byte room[16] = {};
  const Shape four = Shape::Array(PrimitiveType::F32, {4});
  CHECK(Literal::Borrow(four, room).ok());
  CHECK(LiteralView::Make(four, room + 1).status().message() == "block 0 is not aligned as f32 is");
  CHECK(Literal::Borrow(four, nullptr).status().message() == "block 0 does not exist");
  CHECK(Literal::Borrow(Shape::Tuple({four, four}), room).status().message() ==
        "(f32[4]{0}, f32[4]{0}) has 2 arrays, not 1");
  CHECK(Literal::Borrow(Shape::Token(), room).status().message() == "token[] has no elements to borrow");
}

TEST_CASE("borrow: a copy owns its elements, and a moved-from literal is empty") {
  float values[4] = {1, 2, 3, 4};
  Literal borrowed = *Literal::Borrow(Shape::Array(PrimitiveType::F32, {4}), values);
  const Literal copy = borrowed;
  values[0] = 5;
  CHECK(borrowed.GetAsDouble(0) == 5);
  CHECK(copy.GetAsDouble(0) == 1);
  CHECK(borrowed.is_borrowed());
  CHECK(!copy.is_borrowed());
  const Literal moved = std::move(borrowed);
  CHECK(moved.is_borrowed());
  CHECK(borrowed.element_count() == 0);
  CHECK(borrowed.untyped_data() == nullptr);
}

}  // namespace
}  // namespace hloir
