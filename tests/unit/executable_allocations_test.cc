// executable.h: from its second run on a plan allocates nothing. Every allocation of this binary is counted.
#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/unit/check_module.h"

namespace {
std::atomic<long> allocations{0};

void* Counted(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  std::abort();
}
}  // namespace

void* operator new(std::size_t bytes) { return Counted(bytes); }
void* operator new[](std::size_t bytes) { return Counted(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return Counted(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return Counted(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

using namespace hloir;

namespace {

long AllocationsOfSecondRun(const std::string& text) {
  INFO(text);
  auto module = ParseModule(text);
  REQUIRE(module.status().message() == "");
  const HloComputation& entry = *(*module)->entry_computation();
  std::vector<Literal> inputs;
  for (int64_t i = 0; i < entry.parameter_count(); ++i) inputs.push_back(Ramp(entry.parameter(i)->shape(), i + 1));
  std::vector<const Literal*> arguments;
  for (const Literal& input : inputs) arguments.push_back(&input);
  ExecutableOptions options;
  options.threads = 2;
  auto executable = PrepareExecutable(**module, options);
  REQUIRE(executable.ok());
  Literal result(entry.root()->shape());
  REQUIRE((*executable)->RunInto(arguments, &result).ok());
  const long before = allocations;
  REQUIRE(before > 0);
  const bool ok = (*executable)->RunInto(arguments, &result).ok();
  const long after = allocations;
  REQUIRE(ok);

  // Nor does a run that reads and writes memory of the caller's.
  std::vector<LiteralView> views;
  std::vector<const Literal*> borrowed_arguments;
  for (const Literal& input : inputs) {
    StatusOr<LiteralView> view = LiteralView::Make(input.shape(), input.untyped_data());
    REQUIRE(view.ok());
    views.push_back(std::move(*view));
  }
  for (const LiteralView& view : views) borrowed_arguments.push_back(view.get());
  Literal copy = result;
  std::vector<void*> blocks;
  for (Literal& element : copy.elements()) blocks.push_back(element.untyped_data());
  if (blocks.empty()) blocks.push_back(copy.untyped_data());
  StatusOr<Literal> borrowed = Literal::Borrow(copy.shape(), blocks);
  REQUIRE(borrowed.ok());
  REQUIRE((*executable)->RunInto(borrowed_arguments, &*borrowed).ok());
  const long before_borrowed = allocations;
  const bool borrowed_ok = (*executable)->RunInto(borrowed_arguments, &*borrowed).ok();
  const long after_borrowed = allocations;
  REQUIRE(borrowed_ok);
  CHECK(copy.BitwiseEqual(result));
  return after - before + after_borrowed - before_borrowed;
}

}  // namespace

TEST_CASE("a run allocates nothing") {
  const std::string sum =
      "HloModule m\nf { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n";
  CHECK(AllocationsOfSecondRun(
            Entry("x = f32[300,400] parameter(0)\n y = f32[400,500] parameter(1)\n d = f32[300,500] dot(x, y), "
                  "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n t = f32[500,300] transpose(d), "
                  "dimensions={1,0}\n e = f32[500,300] tanh(t)\n z = f32[] constant(1)\n ROOT p = f32[502,304] pad(e, "
                  "z), padding=1_1x2_2")) == 0);
  CHECK(AllocationsOfSecondRun(
            Entry("x = f32[2,30,30,8] parameter(0)\n w = f32[3,3,8,16] parameter(1)\n ROOT c = f32[2,30,30,16] "
                  "convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f")) == 0);
  CHECK(AllocationsOfSecondRun(
            sum +
            "ENTRY e { x = f32[300,7,400] parameter(0)\n z = f32[] constant(0)\n r = f32[300,400] reduce(x, z), "
            "dimensions={1}, to_apply=f\n q = f32[300] reduce(r, z), dimensions={1}, to_apply=f\n a = f32[] reduce(q, "
            "z), "
            "dimensions={0}, to_apply=f\n c = f32[300,7,400] reduce-window(x, z), window={size=1x7x1 pad=0_0x6_0x0_0}, "
            "to_apply=f\n ROOT t = (f32[300,400], f32[], f32[300,7,400]) tuple(r, a, c) }") == 0);
  CHECK(
      AllocationsOfSecondRun(
          sum +
          "ENTRY e { x = f32[50,8] parameter(0)\n i = s32[900,1] parameter(1)\n g = f32[900,8] gather(x, i), "
          "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}\n s = "
          "f32[50,8] scatter(x, i, g), update_window_dims={1}, inserted_window_dims={0}, "
          "scatter_dims_to_operand_dims={0}, "
          "index_vector_dim=1, to_apply=f\n c = c64[50,8] fft(s), fft_type=FFT, fft_length={8}\n ROOT r = f32[50,8] "
          "real(c) }") == 0);
  CHECK(AllocationsOfSecondRun(R"(HloModule m
    body { p = (s32[], f32[20], f32[40,40]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      x = f32[20] get-tuple-element(p), index=1
      y = f32[40,40] get-tuple-element(p), index=2
      one = s32[] constant(1)
      n = s32[] add(i, one)
      e = f32[1] dynamic-slice(x, n), dynamic_slice_sizes={1}
      v = f32[20] dynamic-update-slice(x, e, i)
      z = f32[40,40] dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      w = f32[40,40] tanh(z)
      ROOT t = (s32[], f32[20], f32[40,40]) tuple(n, v, w) }
    condition { p = (s32[], f32[20], f32[40,40]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      n = s32[] constant(9)
      ROOT c = pred[] compare(i, n), direction=LT }
    ENTRY e { x = f32[20] parameter(0)
      y = f32[40,40] parameter(1)
      i = s32[] constant(0)
      t = (s32[], f32[20], f32[40,40]) tuple(i, x, y)
      ROOT w = (s32[], f32[20], f32[40,40]) while(t), condition=condition, body=body })") == 0);
  CHECK(AllocationsOfSecondRun(
            "HloModule m\nless { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = pred[] compare(a, b), "
            "direction=LT }\n"
            "ENTRY e { x = f32[9000] parameter(0)\n ROOT s = f32[9000] sort(x), dimensions={0}, to_apply=less }") == 0);
  CHECK(AllocationsOfSecondRun(Entry("x = f32[9000] parameter(0)\n a = (f32[5], s32[5]) topk(x), k=5, largest=true\n "
                                     "ROOT r = f32[5] get-tuple-element(a), index=0")) == 0);
}
