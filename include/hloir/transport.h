// Transport: how the processes of one run send each other messages, so that a module's devices may be spread over
// processes and machines (ExecutableOptions::transport). hloir asks for no more than this, so anything that carries
// bytes will do; OpenMpi is MPI.
//
//   StatusOr<std::unique_ptr<Transport>> transport = OpenMpi();
//   if (transport.ok()) options.transport = transport->get();   // then PrepareOnDevices as ever, in each process
//
// One thread at a time uses a transport: the one that calls PrepareOnDevices and HloDeviceExecutable::Run. Tests:
// tests/unit/transport_test.cc, over queues; tests/mpi/compare.py, by mpirun.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// One process's end.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;  // this process, of 0, 1, …
  virtual int size() const = 0;  // how many there are
  // Takes the message and returns without waiting for the other side. What one process sends another arrives in order.
  virtual void Send(int to, std::string message) = 0;
  // A message that has arrived, and who sent it; nothing if none has. It never waits.
  virtual std::optional<std::pair<int, std::string>> Receive() = 0;
};

// Were we started by mpirun or the like, as one of several?
bool IsStartedByMpi();
// MPI, from the plugin libhloir_mpi.so, which is built where MPI is there (the option HLOIR_MPI): the library itself
// knows nothing of it. Once a process, in its main thread. Unimplemented, with where it looked, if there is no plugin.
StatusOr<std::unique_ptr<Transport>> OpenMpi();

}  // namespace hloir
#pragma GCC visibility pop
