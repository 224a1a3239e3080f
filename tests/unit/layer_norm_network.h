// A deep network with layer norms, for tests of inputs and of steps.
#pragma once

#include <string>
#include <vector>

namespace hloir {

inline constexpr int kLayers = 24, kNormEvery = 12, kNorms = kLayers / kNormEvery;

// A network of residual layers, every twelfth of which normalizes what its product gives. `reciprocal`: a mean is a
// product, as XLA writes it.
inline std::string LayerNormNetwork(const std::vector<double>& epsilons, bool reciprocal) {
  const std::string rows = "f32[4]{0}", all = "f32[4,48]{1,0}", op = reciprocal ? "multiply" : "divide";
  std::string text =
      "HloModule net\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\nENTRY e {\n"
      "  x.0 = " +
      all + " parameter(0)\n  zero = f32[] constant(0)\n  n = f32[] constant(" + (reciprocal ? "0.0208333333" : "48") +
      ")\n  ns = " + rows + " broadcast(n), dimensions={}\n";
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::string k = "." + std::to_string(layer), next = "." + std::to_string(layer + 1);
    text += "  w" + k + " = f32[48,48]{1,0} parameter(" + std::to_string(layer + 1) + ")\n";
    text +=
        "  h" + k + " = " + all + " dot(x" + k + ", w" + k + "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
    if ((layer + 1) % kNormEvery != 0) {
      text += "  x" + next + " = " + all + " add(x" + k + ", h" + k + ")\n";
      continue;
    }
    text += "  sum" + k + " = " + rows + " reduce(h" + k + ", zero), dimensions={1}, to_apply=add\n";
    text += "  mean" + k + " = " + rows + " " + op + "(sum" + k + ", ns)\n";
    text += "  means" + k + " = " + all + " broadcast(mean" + k + "), dimensions={0}\n";
    text += "  d" + k + " = " + all + " subtract(h" + k + ", means" + k + ")\n";
    text += "  q" + k + " = " + all + " multiply(d" + k + ", d" + k + ")\n";
    text += "  squares" + k + " = " + rows + " reduce(q" + k + ", zero), dimensions={1}, to_apply=add\n";
    text += "  v" + k + " = " + rows + " " + op + "(squares" + k + ", ns)\n";
    text += "  epsilon" + k + " = f32[] constant(" + std::to_string(epsilons[static_cast<size_t>(layer / kNormEvery)]) +
            ")\n";
    text += "  epsilons" + k + " = " + rows + " broadcast(epsilon" + k + "), dimensions={}\n";
    text += "  ve" + k + " = " + rows + " add(v" + k + ", epsilons" + k + ")\n";
    text += "  r" + k + " = " + rows + " rsqrt(ve" + k + ")\n";
    text += "  rs" + k + " = " + all + " broadcast(r" + k + "), dimensions={0}\n";
    text += "  x" + next + " = " + all + " multiply(d" + k + ", rs" + k + ")\n";
  }
  return text + "  ROOT out = " + all + " copy(x." + std::to_string(kLayers) + ")\n}\n";
}

}  // namespace hloir
