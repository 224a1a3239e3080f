// How long a module would take on a device, by its roofline: each instruction takes as long as its operations, its
// bytes or its communication need, whichever is longest; instructions run one after the other in the module's order
// (the schedule's, or without one that of printing), and asynchronous communication beside them until its done. A bound
// that good code comes near, not a measurement.
//
// Example:
//
//   const DeviceDescription device;  // as ParseDevice reads one
//   const Roofline roofline(module, device);
//   double seconds = roofline.seconds(), waited = roofline.exposed_seconds();
//   const Roofline::Step* dot = roofline.Of(*module.entry_computation()->root());
//   if (dot != nullptr) (void)(dot->bound == Roofline::Bound::kMemory);
//
// It reads module and device, so any thread may make one; it points into the module as it was then.
// Tested by tests/unit/roofline_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/analysis/communication.h"
#include "hloir/analysis/device.h"
#include "hloir/cost.h"
#include "hloir/module.h"

#pragma GCC visibility push(default)
namespace hloir {

// The module's mesh, and what if its axes had other sizes or lay on certain links.
struct WhatIfMesh {
  Mesh mesh;
  std::vector<int64_t> sizes;      // of each axis then
  std::vector<std::string> links;  // of each axis, by name; "": the first that reaches
  int64_t devices() const;
};
// "data=8,model=4" names the axes of the module's devices; "data=8:64@dcn" asks what if it had 64 devices and lay on
// the link dcn. Arrays keep their sizes: of an all-gather the whole, of other collectives each device's.
StatusOr<WhatIfMesh> ParseWhatIfMesh(std::string_view text);

// The times of a module's instructions on a device, and their timeline.
class Roofline {
 public:
  // What an instruction takes its time for.
  enum class Bound : uint8_t { kNothing, kCompute, kMemory, kCommunication, kOverhead };
  // One instruction of a computation that runs as code.
  struct Step {
    const HloInstruction* instruction = nullptr;
    double times = 0;                                   // how often it runs (ExecutionCounts)
    double compute = 0, memory = 0, communication = 0;  // seconds that each would need for one run
    double seconds = 0;                                 // of one run; of control flow with all that it calls
    Bound bound = Bound::kNothing;
  };
  // A piece of the timeline. Of a loop the whole, and in it the first round.
  struct Event {
    const HloInstruction* instruction = nullptr;
    double start = 0, seconds = 0;
    enum class Stream : uint8_t { kCompute, kCommunication, kAsynchronous } stream = Stream::kCompute;
    int32_t depth = 0;  // of loops, calls and branches around it
  };

  Roofline(const HloModule& module, const DeviceDescription& device,
           const std::optional<WhatIfMesh>& mesh = std::nullopt);

  double seconds() const { return seconds_; }  // from begin to end
  // Communication in all, and that part of it in which nothing else ran; both with trip counts.
  double communication_seconds() const { return communication_; }
  double exposed_seconds() const { return exposed_; }
  const std::vector<Step>& steps() const { return steps_; }
  const Step* Of(const HloInstruction& instruction) const;
  // By start; at most a hundred thousand.
  const std::vector<Event>& events() const { return events_; }
  const CostAnalysis& cost() const { return cost_; }
  const CommunicationAnalysis& communications() const { return communications_; }

 private:
  class Builder;
  double seconds_ = 0, communication_ = 0, exposed_ = 0;
  CostAnalysis cost_;
  CommunicationAnalysis communications_;
  std::vector<Step> steps_;
  std::vector<int32_t> index_;  // by instruction id; -1: none
  std::vector<Event> events_;
};

std::string_view BoundName(Roofline::Bound bound);

}  // namespace hloir
#pragma GCC visibility pop
