// Simplifier: ops with regions: removes values that a reduction, sort or loop only forwards. Part of simplify.h.
#include <algorithm>

#include "simplify.h"

namespace hloir::stablehlo {

// Keeps those results, operands and block arguments that are marked.
void Simplifier::DropArguments(Operation& op, const std::vector<bool>& kept, bool interleaved) {
  const size_t count = kept.size();
  Values operands, results, arguments;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if (kept[i % count]) operands.push_back(op.operands[i]);
  }
  for (size_t i = 0; i < count; ++i) {
    if (kept[i]) op.results[i]->index = results.size(), results.push_back(op.results[i]);
  }
  for (size_t i = 0; i < op.regions[0].arguments.size(); ++i) {
    if (kept[interleaved ? i / 2 : i % count]) arguments.push_back(op.regions[0].arguments[i]);
  }
  op.operands = std::move(operands);
  op.results = std::move(results);
  op.regions[0].arguments = std::move(arguments);
}

// `and` or `or` of a constant of equal elements and a constant start.
bool Simplifier::ReduceSplats(Operation& op) {
  const Region& body = op.regions[0];
  if (op.results.size() != 1 || body.operations.size() != 2 || body.operations[1]->operands.size() != 1) return false;
  const Operation& inner = *body.operations[0];
  const bool is_and = inner.name == "stablehlo.and";
  if ((!is_and && inner.name != "stablehlo.or") || inner.operands.size() != 2 || inner.results.size() != 1 ||
      body.operations[1]->operands[0] != inner.results[0])
    return false;
  const Shape& shape = op.results[0]->shape();
  int64_t folded = 0;
  for (size_t i = 0; i < 2; ++i) {
    if (Splat(op.operands[i]) == nullptr || op.operands[i]->shape().element_type() != shape.element_type())
      return false;
    const auto argument = std::find(body.arguments.begin(), body.arguments.end(), inner.operands[i]);
    if (argument == body.arguments.end()) return false;
    const int64_t value = Splat(op.operands[static_cast<size_t>(argument - body.arguments.begin())])->GetAsInt64(0);
    folded = i == 0 ? value : is_and ? folded & value : folded | value;
  }
  return IsIntegerType(shape.element_type()) && Replace(op, NewInteger(op, shape, folded));
}

bool Simplifier::Reduce(Operation& op) {
  const size_t count = op.results.size();
  if (op.regions.size() != 1 || op.operands.size() != 2 * count || op.regions[0].arguments.size() != 2 * count ||
      count == 0)
    return false;
  if (GetInts(op, "dimensions").empty() && op.Find("dimensions") != nullptr)
    return Replace(op, {op.operands.begin(), op.operands.begin() + static_cast<ptrdiff_t>(count)});
  if (op.operands[0]->shape().ElementCount() == 0) {
    Values values;
    for (size_t i = 0; i < count; ++i) {
      Operation& made = New("stablehlo.broadcast_in_dim", op, {op.operands[count + i]}, op.results[i]->shape());
      Set(made, "broadcast_dimensions", Ints({}));
      values.push_back(made.results[0]);
    }
    return Replace(op, values);
  }
  if (ReduceSplats(op)) return true;
  if (count == 1 || op.regions[0].operations.empty()) return false;
  std::vector<bool> kept(count);
  for (size_t i = 0; i < count; ++i) kept[i] = Uses(op.results[i]) > 0;
  if (std::count(kept.begin(), kept.end(), true) == static_cast<ptrdiff_t>(count) ||
      std::count(kept.begin(), kept.end(), true) == 0)
    return false;
  // The operands of the used results.
  Operation* result = op.regions[0].operations.back();
  if (result->operands.size() != count) return false;
  std::unordered_map<const Value*, size_t> argument;
  for (size_t i = 0; i < 2 * count; ++i) argument[op.regions[0].arguments[i]] = i % count;
  Values work;
  for (size_t i = 0; i < count; ++i) {
    if (kept[i]) work.push_back(result->operands[i]);
  }
  std::unordered_map<const Operation*, bool> seen;
  while (!work.empty()) {
    Value* value = work.back();
    work.pop_back();
    if (const auto found = argument.find(value); found != argument.end()) {
      if (!kept[found->second]) return false;
    } else if (value->op != nullptr && seen.emplace(value->op, true).second) {
      for (Value* operand : value->op->operands) work.push_back(operand);
    }
  }
  Values returned;
  for (size_t i = 0; i < count; ++i) {
    if (kept[i]) returned.push_back(result->operands[i]);
  }
  result->operands = std::move(returned);
  std::erase_if(op.regions[0].operations, [&](Operation* inner) { return inner != result && !seen.contains(inner); });
  DropArguments(op, kept, false);
  return true;
}

bool Simplifier::Sort(Operation& op) {
  const size_t count = op.results.size();
  if (op.regions.size() != 1 || op.operands.size() != count || op.regions[0].arguments.size() != 2 * count)
    return false;
  std::vector<bool> kept(count);
  for (size_t i = 0; i < count; ++i) {
    kept[i] = Uses(op.results[i]) > 0 || Uses(op.regions[0].arguments[2 * i]) > 0 ||
              Uses(op.regions[0].arguments[2 * i + 1]) > 0;
  }
  const auto left = std::count(kept.begin(), kept.end(), true);
  if (left == 0 || left == static_cast<ptrdiff_t>(count)) return false;
  DropArguments(op, kept, true);
  return true;
}

// Values that the body returns unchanged are captured instead.
bool Simplifier::While(Operation& op) {
  const size_t count = op.results.size();
  if (op.regions.size() != 2 || op.operands.size() != count) return false;
  Region &condition = op.regions[0], &body = op.regions[1];
  if (body.operations.empty() || condition.arguments.size() != count || body.arguments.size() != count) return false;
  Operation* result = body.operations.back();
  if (result->operands.size() != count) return false;
  for (Value*& operand : result->operands) operand = Resolve(operand);
  Values operands, results, returned, condition_arguments, body_arguments;
  for (size_t i = 0; i < count; ++i) {
    Value* passed = result->operands[i];
    if (passed == body.arguments[i] || SameValue(passed, op.operands[i])) {
      for (Value* value : {condition.arguments[i], body.arguments[i], op.results[i]}) value->forward = op.operands[i];
      continue;
    }
    op.results[i]->index = results.size();
    operands.push_back(op.operands[i]);
    results.push_back(op.results[i]);
    returned.push_back(passed);
    condition_arguments.push_back(condition.arguments[i]);
    body_arguments.push_back(body.arguments[i]);
  }
  if (operands.size() == count) return false;
  op.operands = std::move(operands);
  op.results = std::move(results);
  result->operands = std::move(returned);
  condition.arguments = std::move(condition_arguments);
  body.arguments = std::move(body_arguments);
  return true;
}

// A constant index: the branch itself.
bool Simplifier::Case(Operation& op) {
  const Literal* index = op.operands.empty() ? nullptr : Splat(op.operands[0]);
  if (index == nullptr || op.regions.empty()) return false;
  int64_t which = index->GetAsInt64(0);
  if (which < 0 || which >= static_cast<int64_t>(op.regions.size()))
    which = static_cast<int64_t>(op.regions.size()) - 1;
  const Region& chosen = op.regions[static_cast<size_t>(which)];
  if (chosen.operations.empty() || chosen.operations.back()->operands.size() != op.results.size()) return false;
  Region region = std::move(op.regions[static_cast<size_t>(which)]);
  Visit(region);
  Operation* result = region.operations.back();
  region.operations.pop_back();
  for (Operation* inner : region.operations) {
    inner->parent = op.parent;
    before_->push_back(inner);
  }
  return Replace(op, result->operands);
}

}  // namespace hloir::stablehlo
