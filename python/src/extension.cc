// hloir._hloir: the extension that python/hloir is written on. Errors become hloir.Error, with line and column.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "handles.h"
#include "hloir/main.h"
#include "hloir/memory_limit.h"
#include "hloir/report.h"
#include "hloir/version.h"
#include "interrupt.h"
#include "support/text.h"
#include "passes.h"

namespace hloir::python {
namespace {

void RaiseStatus(const Status& status, const std::string& file) {
  try {
    int64_t line = 0, column = 0;
    if (const std::vector<Diagnostic> all = DiagnosticsOf(status, file); !all.empty())
      line = all.front().line, column = all.front().column;
    const nb::object error = nb::module_::import_("hloir._error").attr("Error");
    // A message quotes what files contain, and Python prints it to a terminal.
    const nb::object made =
        error(Printable(status.message()), std::string(StatusCodeName(status.code())), line, column);
    PyErr_SetObject(error.ptr(), made.ptr());
  } catch (nb::python_error& failed) {
    failed.restore();
  }
}

}  // namespace
}  // namespace hloir::python

NB_MODULE(_hloir, m) {
  using namespace hloir::python;
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const StatusError& error) {
      RaiseStatus(error.status, error.file);
    }
  });
  nb::set_leak_warnings(false);  // passes in Python stay with the registry until the process ends
  m.attr("version") = hloir::kVersion;
  BindGraph(m);
  BindBuilding(m);
  BindMatching(m);
  BindPasses(m);
  BindRunning(m);
  BindVerifying(m);
  BindDecisions(m);
  BindInspecting(m);
  BindTuning(m);
  m.def(
      "limit_memory", [](uint64_t bytes) { Check(hloir::LimitMemory(bytes)); }, nb::arg("bytes"),
      "Bounds the memory of this whole process (Linux's RLIMIT_DATA) from now on, for reading untrusted files: an "
      "allocation over it raises hloir.Error, or MemoryError outside hloir. 0 removes the limit.");
#ifdef HLOIR_HLOENV
  BindAlternatives(m);
  BindHloGraph(m);
  m.attr("has_hloenv") = true;
#else
  m.attr("has_hloenv") = false;
#endif
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&Abandoned::Join));
  m.def("_main", [](const std::vector<std::string>& arguments) {
    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const std::shared_ptr<const hloir::PassRegistry> registry = Registry();
    nb::gil_scoped_release released;
    return hloir::HloirMain(static_cast<int>(arguments.size()), argv.data(), *registry);
  });
}
