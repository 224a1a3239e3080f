// Uses all of hloir: parses, optimizes and runs, and checks the number that comes out.
#include <cstdio>

#include <hloir/hloir.h>

int main() {
  auto module = hloir::ParseModule(R"(HloModule m
ENTRY e {
  x = f32[3]{0} parameter(0)
  one = f32[] constant(1)
  ones = f32[3]{0} broadcast(one), dimensions={}
  same = f32[3]{0} multiply(x, ones)
  ROOT sum = f32[3]{0} add(same, x)
})");
  if (!module.ok()) return std::puts(module.status().message().c_str()), 1;
  auto pipeline = hloir::MakePipeline({}, {});
  if (!pipeline.ok() || !pipeline->RunToFixpoint(**module).ok()) return std::puts("the pipeline failed"), 1;
  auto executable = hloir::PrepareExecutable(**module);
  if (!executable.ok()) return std::puts(executable.status().message().c_str()), 1;
  hloir::Literal x(hloir::Shape::Array(hloir::PrimitiveType::F32, {3}));
  for (int i = 0; i < 3; ++i) x.data<float>()[i] = static_cast<float>(i);
  const hloir::Literal* arguments[] = {&x};
  auto result = (*executable)->Run(arguments);
  if (!result.ok()) return std::puts(result.status().message().c_str()), 1;
  std::puts(result->ToString().c_str());
  return result->data<float>()[2] == 4 ? 0 : 1;
}
