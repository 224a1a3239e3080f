// An opcode's attributes, to and from HloInstructionProto's fields. See instruction.cc.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "hloir/module.h"
#include "messages.h"

namespace hloir {

// The context for reading or writing one instruction.
struct ProtoContext {
  HloModule* module = nullptr;   // reading
  const Shape* shape = nullptr;  // the instruction's
  std::vector<const Shape*> operand_shapes;
  std::deque<std::string>* storage = nullptr;  // for writing: owns bytes that the message references
};

StatusOr<Attributes> ReadAttributes(const ProtoContext& context, HloOpcode opcode, const proto::Instruction& message);
Status WriteAttributes(const ProtoContext& context, const Attributes& attributes, proto::Instruction& message);

}  // namespace hloir
