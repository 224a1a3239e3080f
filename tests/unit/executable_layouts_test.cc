// executable.h: ChosenLayouts, and plans whose arrays lie in another order than their dimensions have: against the
// reference, and that transposes around dots and convolutions leave no copies. Also plan/graph/view.h's Reorder.
#include <algorithm>
#include <random>

#include "plan/graph/view.h"
#include "tests/unit/check_module.h"

using namespace hloir;

namespace {

int Count(std::string_view text, std::string_view what) {
  int count = 0;
  for (size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++count;
  return count;
}
std::string PlanOf(const std::string& text, const ExecutableOptions& options = {}) {
  const auto module = Parse(text);
  auto executable = PrepareExecutable(*module, options);
  REQUIRE(executable.ok());
  return (*executable)->ToString();
}
// Steps that only move elements; each plan has the ones that write results.
int Moves(const std::string& plan) { return Count(plan, "copy view") + Count(plan, "transpose "); }

}  // namespace

TEST_CASE("transposes around convolutions move nothing") {
  std::string body = "x = f32[2,9,10,16] parameter(0)\n w = f32[3,3,16,16] parameter(1)\n b = f32[16] parameter(2)\n";
  std::string x = "x";
  for (const char* k : {"0", "1"}) {
    const std::string n = k;
    body += " t" + n + " = f32[2,16,9,10] transpose(" + x + "), dimensions={0,3,1,2}\n c" + n +
            " = f32[2,16,9,10] convolution(t" + n +
            ", w), window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_01io->bf01\n bias" + n +
            " = f32[2,16,9,10] broadcast(b), dimensions={1}\n a" + n + " = f32[2,16,9,10] add(c" + n + ", bias" + n +
            ")\n y" + n + " = f32[2,9,10,16] transpose(a" + n + "), dimensions={0,2,3,1}\n";
    x = "y" + n;
  }
  body += " ROOT r = f32[2,9,10,16] negate(y1)";
  CheckModule(Entry(body), 1e-5);
  CHECK(Moves(PlanOf(Entry(body))) == 0);
  ExecutableOptions numbered;
  numbered.choose_layouts = false;
  CHECK(Moves(PlanOf(Entry(body), numbered)) == 2);  // of the convolutions' results

  const auto module = Parse(Entry(body));
  const auto choices = ChosenLayouts(*module);
  REQUIRE(choices.ok());
  REQUIRE(choices->size() == 2);
  CHECK(choices->front().instruction == "c0");
  CHECK(choices->front().moved);
  CHECK(choices->front().shape.ToString() == "f32[2,16,9,10]{1,3,2,0}");
  // A transpose of the result and one of the next input: 11520 bytes read or written twice, and the separate reads.
  CHECK(choices->front().reason.find("0 bytes moved; ") != std::string::npos);
}

TEST_CASE("a dot stores its result in the order in which it is read") {
  // Rows and columns; the batch inside the rows, as attention's heads are joined; rows in each other's place.
  for (const char* order : {"0,1,3,2", "0,2,1,3", "1,0,2,3", "2,0,1,3", "3,0,1,2", "0,2,3,1"}) {
    const DimVector sizes{4, 6, 40, 40};
    std::string shape = "f32[";
    for (const char* d = order; *d != 0; d += d[1] != 0 ? 2 : 1)
      shape += std::to_string(sizes[static_cast<size_t>(*d - '0')]) + (d[1] != 0 ? "," : "]");
    const std::string text = Entry(
        "a = f32[4,6,40,24] parameter(0)\n b = f32[4,6,24,40] parameter(1)\n d = f32[4,6,40,40] dot(a, b), "
        "lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, rhs_contracting_dims={2}\n "
        "ROOT t = " +
        shape + " transpose(d), dimensions={" + order + "}");
    INFO(order);
    CheckModule(text, 1e-5);
    // With a batch innermost neither rows nor columns lie side by side.
    CHECK(Moves(PlanOf(text)) == (std::string(order) == "0,2,3,1" ? 1 : 0));
  }
  // Rows of two dimensions come in the other's order: those of the left operand are taken so.
  const std::string rows = Entry(
      "a = f32[12,20,32] parameter(0)\n b = f32[32,16] parameter(1)\n d = f32[12,20,16] dot(a, b), "
      "lhs_contracting_dims={2}, rhs_contracting_dims={0}\n t = f32[20,12,16] transpose(d), dimensions={1,0,2}\n"
      " ROOT r = f32[20,12,16] tanh(t)");
  CheckModule(rows, 1e-5);
  CHECK(Moves(PlanOf(rows)) == 0);
}

TEST_CASE("windows and sums follow the order of what they read") {
  const std::string pool =
      "HloModule m\nf { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] maximum(a, b) }\nENTRY e { x "
      "= "
      "f32[2,16,8,8] parameter(0)\n w = f32[3,3,16,16] parameter(1)\n c = f32[2,16,8,8] convolution(x, w), "
      "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_01io->bf01\n low = f32[] constant(-inf)\n p = f32[2,16,4,4] "
      "reduce-window(c, low), window={size=1x1x2x2 stride=1x1x2x2}, to_apply=f\n ROOT d = f32[2,16,4,4] convolution(p, "
      "w), window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_01io->bf01 }";
  CheckModule(pool, 1e-5);
  const std::string plan = PlanOf(pool);
  CHECK(Moves(plan) == 1);  // of the result
  CHECK(plan.find("reduce-window 8 rows of 64") != std::string::npos);

  // Sums of rows: the same bits, whether the rows are read as they lie or in another order.
  auto normalized = [](bool transposed) {
    const std::string sizes = transposed ? "16,8,80" : "8,16,80", rows = transposed ? "16,8" : "8,16";
    return "HloModule m\nf { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\nENTRY e { x "
           "= "
           "f32[8,16,80] parameter(0)\n n = f32[8,16,80] tanh(x)\n" +
           (transposed ? std::string(" y = f32[16,8,80] transpose(n), dimensions={1,0,2}\n")
                       : std::string(" y = f32[8,16,80] copy(n)\n")) +
           " zero = f32[] constant(0)\n s = f32[" + rows + "] reduce(y, zero), dimensions={2}, to_apply=f\n b = f32[" +
           sizes + "] broadcast(s), dimensions={0,1}\n c = f32[" + sizes + "] subtract(y, b)\n" +
           (transposed ? " ROOT r = f32[8,16,80] transpose(c), dimensions={1,0,2} }"
                       : " ROOT r = f32[8,16,80] copy(c) }");
  };
  CheckModule(normalized(true), 1e-5);
  CHECK(Moves(PlanOf(normalized(true))) == 0);
  const auto plain = Parse(normalized(false)), turned = Parse(normalized(true));
  const auto inputs = MakeFakeInputs(*plain, 1, InputKind::kPlain);
  REQUIRE(inputs.ok());
  const Literal* argument = inputs->data();
  auto run = [&](const HloModule& module) {
    auto executable = PrepareExecutable(module);
    REQUIRE(executable.ok());
    auto result = (*executable)->Run({&argument, 1});
    REQUIRE(result.ok());
    return *std::move(result);
  };
  CHECK(CompareResults(run(*plain), run(*turned)).differing() == 0);
}

TEST_CASE("what stays as it is numbered says why") {
  // Two reductions along other dimensions want the elementwise result in other orders: one has to read along columns.
  const auto module = Parse(Entry(
      "x = f32[64,80] parameter(0)\n y = f32[80,64] parameter(1)\n t = f32[64,80] transpose(y), dimensions={1,0}\n"
      " ROOT a = f32[64,80] add(x, t)"));
  const auto choices = ChosenLayouts(*module);
  REQUIRE(choices.ok());
  REQUIRE(choices->size() == 1);
  CHECK(!choices->front().moved);
  CHECK(choices->front().instruction == "a");
  CHECK(choices->front().reason == "40960 bytes moved; 40960 with the next best layout");
}

TEST_CASE("a view of an array that is reordered has the same elements") {
  std::mt19937 random(7);
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  int expressed = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    DimVector dims, order;
    for (int64_t d = below(4) + 1; d-- > 0;) dims.push_back(below(4) + 1);
    for (size_t d = 0; d < dims.size(); ++d) order.push_back(static_cast<int64_t>(d));
    std::shuffle(order.begin(), order.end(), random);
    const cpu::View whole = cpu::View::RowMajor(dims), lies = cpu::View::InOrder(dims, order);
    // Where each element of the array is then.
    std::vector<int64_t> moved(static_cast<size_t>(whole.count()));
    for (size_t n = 0; n < moved.size(); ++n) {
      int64_t rest = static_cast<int64_t>(n), at = 0;
      for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) at += rest % dims[d] * lies.strides[d];
      moved[n] = at;
    }
    cpu::View view = whole;
    for (int k = 0; k < 3; ++k) {
      const int64_t d = below(static_cast<int64_t>(view.dims.size()));
      switch (below(5)) {
        case 0: view = view.Reverse({d}); break;
        case 1: {
          DimVector permutation;
          for (size_t i = 0; i < view.dims.size(); ++i) permutation.push_back(static_cast<int64_t>(i));
          std::shuffle(permutation.begin(), permutation.end(), random);
          view = view.Transpose(permutation);
          break;
        }
        case 2: {
          SliceRanges ranges;
          for (int64_t size : view.dims) ranges.push_back({0, size, 1});
          ranges[static_cast<size_t>(d)] = {below(view.dims[d]), view.dims[d], below(2) + 1};
          view = view.Slice(ranges);
          break;
        }
        case 3: {
          DimVector to = view.dims;
          if (d + 1 < static_cast<int64_t>(to.size())) {
            to[d] *= to[d + 1];
            DimVector shorter;
            for (size_t i = 0; i < to.size(); ++i)
              if (static_cast<int64_t>(i) != d + 1) shorter.push_back(to[i]);
            to = shorter;
          } else if (to[d] == 4) {
            to[d] = 2, to.push_back(2);
          }
          if (auto reshaped = view.Reshape(to)) view = *reshaped;
          break;
        }
        default: {
          DimVector to{3}, kept;
          for (size_t i = 0; i < view.dims.size(); ++i)
            to.push_back(view.dims[i]), kept.push_back(static_cast<int64_t>(i) + 1);
          if (view.count() < 500) view = view.Broadcast(to, kept);
        }
      }
    }
    const auto reordered = view.Reorder(dims, order);
    if (!reordered) continue;
    ++expressed;
    REQUIRE(reordered->dims == view.dims);
    for (int64_t n = 0; n < view.count(); ++n) {
      int64_t rest = n, before = view.offset, after = reordered->offset;
      for (size_t d = view.dims.size(); d-- > 0; rest /= view.dims[d]) {
        before += rest % view.dims[d] * view.strides[d];
        after += rest % view.dims[d] * reordered->strides[d];
      }
      REQUIRE(after == moved[static_cast<size_t>(before)]);
    }
  }
  CHECK(expressed > 2000);
}
