// See lapack_form.h. Covered by tests/ops/lapack-*.hlo.
#include "calls/lapack_form.h"

#include <algorithm>
#include <iterator>

#include "hloir/custom_call.h"
#include "support/endian.h"
#include "support/format.h"

namespace hloir::reference {
namespace {

// The routine of a GPU library in JAX's target ("cusolver_getrf_ffi", "cublas_getrf_batched"), or "".
std::string_view GpuRoutine(std::string_view target) {
  if (target.starts_with("cusparse_gtsv2_") || target.starts_with("hipsparse_gtsv2_")) return "gtsv";
  constexpr std::string_view kLibraries[] = {"cusolver_", "hipsolver_", "cublas_", "hipblas_"};
  const auto library = std::find_if(std::begin(kLibraries), std::end(kLibraries),
                                    [&](std::string_view prefix) { return target.starts_with(prefix); });
  if (library == std::end(kLibraries)) return {};
  target.remove_prefix(library->size());
  if (target.ends_with("_ffi")) target.remove_suffix(4);
  const bool batched = target.ends_with("_batched");
  if (batched) target.remove_suffix(8);
  // BLAS has these only for batches.
  if (library->ends_with("blas_")) return batched && (target == "getrf" || target == "geqrf") ? target : "";
  return batched ? "" : target;
}

// The same from the struct of jaxlib before 0.4.36, stored as bytes (jaxlib's gpu/solver_kernels.h): numbers of four
// bytes, the first of which is the element type. CUDA counts its enumerators from 0, ROCm from 121.
void SetOpaqueOptions(const HloInstruction& call, std::string_view routine, LapackForm& form) {
  const std::string_view bytes = call.extras().backend_config;
  const auto word = [&](size_t i) {
    return 4 * i + 4 <= bytes.size() ? LoadLittleEndian<int32_t>(bytes.data() + 4 * i) : 0;
  };
  if (routine == "gesvdj") {  // type, batch, m, n, lwork, jobz, econ
    form.said = {{"vectors", word(5) != 0}, {"full", word(6) == 0}, {"v", 1}};
  } else if (routine == "gesvd") {  // type, batch, m, n, lwork, jobu, jobvt: for a wide matrix, those of its transpose
    const char job = bytes.size() > 20 ? bytes[20] : 'A';
    form.said = {{"vectors", job != 'N'}, {"full", job == 'A'}, {"v", 0}};
    const Shape& a = call.operand(0)->shape();
    if (a.rank() >= 2 && a.dimensions(a.rank() - 2) < a.dimensions(a.rank() - 1)) form.results = {0, 1, 3, 2, 4};
  } else {  // type, uplo
    form.uplo = word(1) == 1 || word(1) == 121 ? 'U' : 'L';
    form.sizes_between = true;
  }
}

// The options of a GPU routine in LAPACK's form (jaxlib's gpu/solver_kernels_ffi.cc).
void SetGpuOptions(const HloInstruction& call, std::string_view routine, LapackForm& form) {
  const std::string_view config = call.extras().backend_config;
  if (routine == "getrf" || routine == "geqrf" || routine == "gtsv" || routine.ends_with("gqr")) return;
  if (!call.attributes<CustomCallAttributes>().custom_call_target.ends_with("_ffi"))
    return SetOpaqueOptions(call, routine, form);
  if (routine == "geev") {
    form.said = {{"packed", 1}};
    return;
  }
  const auto is = [&](std::string_view option) {
    return config.find(Format("{} = true", option)) != std::string_view::npos;
  };
  form.uplo = is("lower") ? 'L' : 'U';
  if (!routine.starts_with("gesvd") && routine != "gesdd") return;
  const bool by_columns = routine == "gesvdj" || routine == "gesvdp";
  form.said = {{"vectors", is("compute_uv")}, {"full", is("full_matrices")}, {"v", by_columns}};
  if (is("transposed")) form.results = {0, 1, 3, 2, 4};
}

}  // namespace

char LapackLetter(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::F32: return 's';
    case PrimitiveType::F64: return 'd';
    case PrimitiveType::C64: return 'c';
    case PrimitiveType::C128: return 'z';
    default: return 0;  // LAPACK has these four
  }
}

// Three of XLA's own custom-calls are equivalent to LAPACK routines, and GPU libraries have equivalents of others.
std::string LapackTarget(const HloInstruction& call) {
  const std::string& target = call.attributes<CustomCallAttributes>().custom_call_target;
  constexpr std::pair<CustomCall, std::string_view> kOthers[] = {{CustomCall::kQr, "geqrf"},
                                                                 {CustomCall::kHouseholderProduct, "orgqr"},
                                                                 {CustomCall::kEigh, "syevd"},
                                                                 {CustomCall::kLuDecomposition, "getrf"}};
  std::string routine(GpuRoutine(target));
  for (const auto& [other, lapack] : kOthers)
    if (IsCustomCall(call, other)) routine = lapack;
  if (routine.empty() || call.operand_count() == 0) return target;
  if (routine.starts_with("gesvd")) routine = "gesdd";
  if (routine == "syevj") routine = "syevd";
  const PrimitiveType type = call.operand(0)->shape().element_type();
  if (IsComplex(type)) {
    if (routine.starts_with("or")) routine.replace(0, 2, "un");
    if (routine == "syevd" || routine == "sytrd") routine.replace(0, 2, "he");
  }
  const char letter = LapackLetter(type);
  return std::string("lapack_") + (letter != 0 ? letter : 'z') + routine + "_ffi";  // other types fail as it runs
}

LapackForm OldLapackForm(std::string_view routine, bool complex) {
  constexpr std::string_view kUplo = "UL";
  if (routine == "potrf" || routine == "syevd" || routine == "heevd") return {3, {{"uplo", kUplo, 0}}, {}};
  if (routine == "getrf") return {3, {}, {}};
  if (routine == "geqrf" || routine == "geqp3") return {4, {}, {}};
  if (routine == "orgqr" || routine == "ungqr") return {5, {}, {}};
  if (routine == "gesdd") return {6, {{"full", "", 0}, {"vectors", "", 1}}, {}};
  if (routine == "gehrd") return {6, {{"low", "", 1}, {"high", "", 2}}, {}};
  if (routine == "sytrd" || routine == "hetrd") return {5, {{"uplo", kUplo, 1}}, {}};
  if (routine == "trsm") {
    return {8, {{"side", "RL", 0}, {"uplo", kUplo, 1}, {"trans_x", "NTC", 2}, {"diag", "NU", 3}}, {}, 7};
  }
  // Letters are passed as character codes. Workspaces come first.
  if (routine == "geev") {
    std::vector<size_t> places;
    for (size_t i = complex ? 2 : 3; i < 8; ++i) places.push_back(i);
    return {4, {{"compute_left", "", 2}, {"compute_right", "", 3}}, places};
  }
  if (routine == "gees") {
    const LapackForm::Option mode{"mode", "", 2}, sort{"sort", "", 3};
    if (complex) return {4, {mode, sort}, {0, 3, 2, 4, 5}};
    return {4, {mode, sort}, {0, 3, 1, 2, 4, 5}};
  }
  return {};
}

void SetOtherOptions(const HloInstruction& call, LapackForm& form) {
  const std::string& target = call.attributes<CustomCallAttributes>().custom_call_target;
  if (IsCustomCall(call, CustomCall::kLuDecomposition)) form.said = {{"permutation", 1}};
  // Eigh has its options in one text; the first selects the lower triangle.
  if (IsCustomCall(call, CustomCall::kEigh)) form.uplo = call.extras().backend_config.starts_with('0') ? 'U' : 'L';
  if (const std::string_view routine = GpuRoutine(target); !routine.empty()) SetGpuOptions(call, routine, form);
}

}  // namespace hloir::reference
