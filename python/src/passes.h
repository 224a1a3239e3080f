// Common parts of all code that runs passes: the registry, and exceptions of Python code that passes call.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "handles.h"
#include "hloir/pass.h"

namespace hloir::python {

// The passes there are now.
std::shared_ptr<const PassRegistry> Registry();
void AddToRegistry(const std::string& name, const std::string& description, PassDefinition definition);
// "exact", "rounding", "fast"; or a ValueError.
MathMode MathNamed(const std::string& math);
// Of this thread, on its way through the library, which throws nothing.
std::exception_ptr& PendingException();
// Throws it, if there is one.
void RaisePending();

void BindRules(nb::module_& m);

}  // namespace hloir::python
