// See bind_arguments.h.
#include "bind_arguments.h"

#include <algorithm>
#include <utility>

#include "support/format.h"

namespace hloir::stablehlo {
namespace {

Operation* FunctionNamed(Module& module, std::string_view name) {
  for (Operation* op : module.root->regions[0].operations) {
    const Attribute* own = op->Find("sym_name");
    if (op->name == "func.func" && own != nullptr && own->text == name && op->regions.size() == 1) return op;
  }
  return nullptr;
}

class Inliner {
 public:
  explicit Inliner(Module& module) : module_(module) {}

  // Replaces each call in `region` by the ops of its function. Functions remain for ops that name them otherwise.
  Status Expand(Region& region, int depth) {
    constexpr int kMostDepth = 256;
    if (depth > kMostDepth) return ResourceExhausted("calls are nested too deep");
    std::vector<Operation*> expanded;
    for (Operation* op : region.operations) {
      for (Value*& operand : op->operands) operand = Known(operand);
      for (Region& nested : op->regions) HLOIR_RETURN_IF_ERROR(Expand(nested, depth + 1));
      const Attribute* callee = op->name == "func.call" ? op->Find("callee") : nullptr;
      const Operation* function = callee == nullptr ? nullptr : FunctionNamed(module_, callee->text);
      if (function == nullptr || function->regions[0].arguments.size() != op->operands.size() ||
          function->regions[0].operations.empty()) {
        expanded.push_back(op);
        continue;
      }
      Region body;
      for (size_t i = 0; i < op->operands.size(); ++i) known_[function->regions[0].arguments[i]] = op->operands[i];
      HLOIR_RETURN_IF_ERROR(Copy(function->regions[0], body, op->parent));
      HLOIR_RETURN_IF_ERROR(Expand(body, depth + 1));
      const Values results = body.operations.back()->operands;
      if (results.size() != op->results.size())
        return ErrorAt(module_, op->offset, "the function has another number of results");
      body.operations.pop_back();
      expanded.insert(expanded.end(), body.operations.begin(), body.operations.end());
      for (size_t i = 0; i < results.size(); ++i) known_[op->results[i]] = results[i];
    }
    region.operations = std::move(expanded);
    return OkStatus();
  }

 private:
  Value* Known(Value* value) const {
    const auto found = known_.find(value);
    return found == known_.end() ? value : found->second;
  }

  Value* NewValue(const Value& like, Operation* op) {
    Value* value = &module_.values.Add();
    *value = like;
    value->op = op;
    return value;
  }

  // Arguments that are known already, as those of an inlined function, stay what they are.
  Status Copy(const Region& from, Region& to, Operation* parent) {
    constexpr size_t kMostOperations = 4 << 20;
    to.label = from.label;
    for (const Operation* op : from.operations) {
      if (module_.operations.size() > kMostOperations)
        return ResourceExhausted("the program has too many ops once its calls are inlined");
      Operation& copy = module_.operations.Add();
      copy.name = op->name, copy.offset = op->offset, copy.attributes = op->attributes, copy.location = op->location;
      copy.parent = parent;
      for (Value* operand : op->operands) copy.operands.push_back(Known(operand));
      for (Value* result : op->results) {
        copy.results.push_back(NewValue(*result, &copy));
        known_[result] = copy.results.back();
      }
      for (const Region& nested : op->regions) {
        Region& inner = copy.regions.emplace_back();
        for (Value* argument : nested.arguments) {
          inner.arguments.push_back(NewValue(*argument, nullptr));
          known_[argument] = inner.arguments.back();
        }
        HLOIR_RETURN_IF_ERROR(Copy(nested, inner, &copy));
      }
      to.operations.push_back(&copy);
    }
    return OkStatus();
  }

  Module& module_;
  std::unordered_map<const Value*, Value*> known_;
};

bool HasUnbounded(const Shape& shape) {
  for (int64_t d = 0; shape.IsArray() && d < shape.rank(); ++d) {
    if (shape.is_unbounded_dimension(d)) return true;
  }
  return false;
}

// {0}, {1}, … in the message of an assertion stand for its operands.
std::string Filled(std::string message, const Operation& assertion) {
  for (size_t i = 1; i < assertion.operands.size(); ++i) {
    const Operation* op = assertion.operands[i]->op;
    const Attribute* value = op != nullptr && op->name == "stablehlo.constant" ? op->Find("value") : nullptr;
    const std::string place = Format("{{{}}}", i - 1);
    const std::string text =
        value == nullptr || value->literal == nullptr ? "?" : std::to_string(value->literal->GetAsInt64(0));
    for (size_t at = 0; (at = message.find(place, at)) != std::string::npos; at += text.size())
      message.replace(at, place.size(), text);
  }
  return message;
}

Status CheckAssertions(Module& module, Region& region) {
  std::vector<Operation*> kept;
  for (Operation* op : region.operations) {
    for (Region& nested : op->regions) HLOIR_RETURN_IF_ERROR(CheckAssertions(module, nested));
    const Attribute* target = op->name == "stablehlo.custom_call" ? op->Find("call_target_name") : nullptr;
    const Operation* condition =
        target != nullptr && target->text == "shape_assertion" && !op->operands.empty() ? op->operands[0]->op : nullptr;
    const Attribute* value =
        condition != nullptr && condition->name == "stablehlo.constant" ? condition->Find("value") : nullptr;
    if (value == nullptr || value->literal == nullptr) {
      kept.push_back(op);
      continue;
    }
    if (value->literal->GetAsInt64(0) != 0) continue;
    const Attribute* message = op->Find("error_message");
    return ErrorAt(module, op->offset,
                   message == nullptr ? "the arguments have other shapes" : Filled(std::string(message->text), *op));
  }
  region.operations = std::move(kept);
  return OkStatus();
}

}  // namespace

Status BindArguments(Module& module, const std::vector<std::vector<int64_t>>& sizes) {
  Operation* main = FunctionNamed(module, "main");
  if (main == nullptr) return OkStatus();  // the converter reports it
  Region& body = main->regions[0];
  const bool is_unbounded = std::any_of(body.arguments.begin(), body.arguments.end(),
                                        [](const Value* value) { return HasUnbounded(value->shape()); });
  if (!is_unbounded) return OkStatus();
  if (sizes.size() != body.arguments.size())
    return InvalidArgument(
        Format("sizes of {} arguments are given, and the program has {}", sizes.size(), body.arguments.size()));
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Shape& declared = body.arguments[i]->shape();
    Shape shape = declared;
    bool fits = shape.IsArray() && static_cast<int64_t>(sizes[i].size()) == shape.rank();
    for (size_t d = 0; fits && d < sizes[i].size(); ++d) {
      const auto dimension = static_cast<int64_t>(d);
      if (shape.is_unbounded_dimension(dimension)) {
        fits = sizes[i][d] >= 0;
        shape.set_dimension(dimension, sizes[i][d]);
        shape.set_dynamic_dimension(dimension, false);
      } else {
        fits = sizes[i][d] == shape.dimensions(dimension);
      }
    }
    body.arguments[i]->interned = module.Intern(shape);
    if (fits || !shape.IsArray()) continue;
    std::string given;
    for (int64_t size : sizes[i]) given += Format("{}{}", given.empty() ? "" : "x", size);
    return InvalidArgument(Format("argument {} is {}, and its sizes are given as {}", i, declared.ToString(false),
                                  given.empty() ? "those of a scalar" : given));
  }
  return Inliner(module).Expand(body, 0);
}

Status CheckShapeAssertions(Module& module) {
  for (Operation* function : module.root->regions[0].operations) {
    for (Region& region : function->regions) HLOIR_RETURN_IF_ERROR(CheckAssertions(module, region));
  }
  return OkStatus();
}

}  // namespace hloir::stablehlo
