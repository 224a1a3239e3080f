// Converter: transfers between devices and with the host: infeed, outfeed, send, recv. In StableHLO a transfer is one
// op; in HLO a send or recv and the op that waits for it. See convert.h.
#include "convert.h"

namespace hloir::stablehlo {

// The received values are one tuple, besides the token.
Status Converter::Infeed(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  if (operands.size() != 1 || op.results.empty()) return Error(op, "takes a token and gives one");
  HloBuilder& b = scope.builder;
  InfeedAttributes a;
  a.infeed_config = Text(op, "infeed_config");
  std::vector<Shape> data;
  for (size_t i = 0; i + 1 < op.results.size(); ++i) data.push_back(op.results[i]->shape());
  const size_t count = data.size();
  const Shape shape = Shape::Tuple({Shape::Tuple(std::move(data)), Shape::Token()});
  Op infeed = b.Make(HloOpcode::kInfeed, HloBuilder::Ops(operands), a, {}, &shape);
  Op values = b.GetTupleElement(infeed, 0);
  for (size_t i = 0; i < count; ++i)
    HLOIR_RETURN_IF_ERROR(Set(op, scope, b.GetTupleElement(values, static_cast<int64_t>(i)), i));
  return Set(op, scope, b.GetTupleElement(infeed, 1), count);
}

Status Converter::Outfeed(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  if (operands.empty() || op.results.size() != 1) return Error(op, "takes values and a token, and gives a token");
  HloBuilder& b = scope.builder;
  OutfeedAttributes a;
  a.outfeed_config = Text(op, "outfeed_config");
  Op values = b.Tuple(HloBuilder::Ops(operands).first(operands.size() - 1));
  if (values != nullptr) a.outfeed_shape = values->shape();
  const Shape token = Shape::Token();
  return Set(op, scope, b.Make(HloOpcode::kOutfeed, {values, operands.back()}, a, {}, &token));
}

// Common attributes of both halves of send and recv.
Status Converter::Transfer(const Operation& op, TransferAttributes& a, FrontendAttributes& pairs) const {
  HLOIR_RETURN_IF_ERROR(Channel(op, a.channel_id));
  HLOIR_RETURN_IF_ERROR(Bool(op, "is_host_transfer", a.is_host_transfer));
  std::vector<std::vector<int64_t>> rows;
  HLOIR_RETURN_IF_ERROR(Rows(op, "source_target_pairs", rows));
  std::string text;
  for (const std::vector<int64_t>& row : rows) {
    if (row.size() != 2) return Missing(op, "source_target_pairs");
    text += Format("{}{{{},{}}}", text.empty() ? "" : ",", row[0], row[1]);
  }
  if (!rows.empty()) pairs.emplace_back("_xla_send_recv_source_target_pairs", "{" + text + "}");
  return OkStatus();
}

Status Converter::Send(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  if (operands.empty() || op.results.size() != 1) return Error(op, "takes values and a token, and gives a token");
  HloBuilder& b = scope.builder;
  TransferAttributes a;
  FrontendAttributes pairs;
  HLOIR_RETURN_IF_ERROR(Transfer(op, a, pairs));
  Op value = operands.size() == 2 ? operands[0] : b.Tuple(HloBuilder::Ops(operands).first(operands.size() - 1));
  const Shape token = Shape::Token();
  const Shape shape =
      Shape::Tuple({value != nullptr ? value->shape() : Shape(), Shape::Scalar(PrimitiveType::U32), token});
  Op send = b.Make(HloOpcode::kSend, {value, operands.back()}, a, {}, &shape);
  Op done = b.Make(HloOpcode::kSendDone, {send}, a, {}, &token);
  for (Op half : {send, done}) {
    if (half != nullptr && !pairs.empty()) half->set_frontend_attributes(pairs);
  }
  return Set(op, scope, done);
}

Status Converter::Recv(const Operation& op, Scope& scope) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));
  if (operands.size() != 1 || op.results.empty()) return Error(op, "takes a token and gives one");
  HloBuilder& b = scope.builder;
  TransferAttributes a;
  FrontendAttributes pairs;
  HLOIR_RETURN_IF_ERROR(Transfer(op, a, pairs));
  const size_t count = op.results.size() - 1;
  std::vector<Shape> values;
  for (size_t i = 0; i < count; ++i) values.push_back(op.results[i]->shape());
  const Shape data = count == 1 ? values[0] : Shape::Tuple(std::move(values)), token = Shape::Token();
  const Shape shape = Shape::Tuple({data, Shape::Scalar(PrimitiveType::U32), token});
  const Shape result = Shape::Tuple({data, token});
  Op recv = b.Make(HloOpcode::kRecv, HloBuilder::Ops(operands), a, {}, &shape);
  Op done = b.Make(HloOpcode::kRecvDone, {recv}, a, {}, &result);
  for (Op half : {recv, done}) {
    if (half != nullptr && !pairs.empty()) half->set_frontend_attributes(pairs);
  }
  Op received = b.GetTupleElement(done, 0);
  for (size_t i = 0; i < count; ++i) {
    Op value = count == 1 ? received : b.GetTupleElement(received, static_cast<int64_t>(i));
    HLOIR_RETURN_IF_ERROR(Set(op, scope, value, i));
  }
  return Set(op, scope, b.GetTupleElement(done, 1), count);
}

}  // namespace hloir::stablehlo
