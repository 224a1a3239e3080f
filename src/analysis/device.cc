// See hloir/cost.h.
#include "hloir/cost.h"

#include <algorithm>
#include <cmath>

#include "support/format.h"
#include "support/parse_json.h"

namespace hloir {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Reads the fields of one object; keeps the first error.
class Reader {
 public:
  Reader(const OrderedJson& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) Wrong("it", "is not an object");
  }
  const Status& status() const { return status_; }
  void Number(const char* field, double& value, bool required = false) {
    const OrderedJson* found = Find(field, required);
    if (found != nullptr) value = Rate(*found, field);
  }
  void Text(const char* field, std::string& value) {
    const OrderedJson* found = Find(field, true);
    if (found == nullptr) return;
    if (!found->is_string()) return Wrong(field, "is not a string");
    value = found->get<std::string>();
  }
  void Rates(const char* field, std::map<std::string, double>& rates, bool required = false) {
    const OrderedJson* found = Find(field, required);
    if (found == nullptr) return;
    if (!found->is_object()) return Wrong(field, "is not an object of rates");
    for (const auto& [key, value] : found->items()) rates[key] = Rate(value, field);
  }
  template <class F>
  void List(const char* field, F&& item) {
    const OrderedJson* found = Find(field, false);
    if (found == nullptr) return;
    if (!found->is_array()) return Wrong(field, "is not a list");
    for (const OrderedJson& each : *found) {
      if (!status_.ok()) return;
      if (each.is_string()) {
        if constexpr (std::is_invocable_v<F, std::string>) item(each.get<std::string>());
        else Wrong(field, "has a string in it");
        continue;
      }
      if constexpr (std::is_invocable_v<F, Reader&>) {
        Reader reader(each, Format("{}{}: ", where_, field));
        item(reader);
        if (status_.ok()) status_ = reader.status();
      } else {
        Wrong(field, "has something other than strings in it");
      }
    }
  }

 private:
  const OrderedJson* Find(const char* field, bool required) {
    if (!json_.is_object()) return nullptr;
    const auto it = json_.find(field);
    if (it != json_.end()) return &*it;
    if (required) Wrong(field, "is missing");
    return nullptr;
  }
  double Rate(const OrderedJson& json, const char* field) {
    const double value = json.is_number() ? json.get<double>() : -1;
    if (!(value >= 0) || !std::isfinite(value)) Wrong(field, "is not a non-negative number");
    return value;
  }
  void Wrong(const char* field, const char* what) {
    if (status_.ok()) status_ = InvalidArgument(Format("device description: {}{} {}", where_, field, what));
  }
  const OrderedJson& json_;
  std::string where_;
  Status status_;
};

OrderedJson NumberJson(double value) {
  return value == std::floor(value) && std::abs(value) < 0x1p53 ? OrderedJson(static_cast<int64_t>(value))
                                                                : OrderedJson(value);
}
OrderedJson RatesJson(const std::map<std::string, double>& rates) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [key, value] : rates) json[key] = NumberJson(value);
  return json;
}

}  // namespace

double DeviceDescription::RateOf(const std::map<std::string, double>& rates, std::string_view type) {
  auto it = rates.find(std::string(type));
  if (it == rates.end()) it = rates.find("default");
  return it == rates.end() ? 0 : it->second;
}

StatusOr<DeviceDescription> ParseDevice(std::string_view text) {
  const OrderedJson json = ParseJson<OrderedJson>(text);
  if (json.is_discarded()) return InvalidArgument("device description: not JSON");
  DeviceDescription device;
  Reader reader(json, "");
  reader.Text("name", device.name);
  reader.List("sources", [&](std::string source) { device.sources.push_back(std::move(source)); });
  reader.Number("memory_bytes", device.memory_bytes);
  reader.Number("bandwidth", device.bandwidth, true);
  reader.List("caches", [&](Reader& item) {
    DeviceDescription::Cache& cache = device.caches.emplace_back();
    item.Number("bytes", cache.bytes, true);
    item.Number("bandwidth", cache.bandwidth, true);
  });
  reader.Rates("products", device.products);
  reader.Rates("flops", device.flops, true);
  reader.Number("transcendentals", device.transcendentals);
  reader.Rates("opcodes", device.opcodes);
  reader.Rates("slices", device.slices);
  reader.Number("startup", device.startup);
  reader.Number("overhead", device.overhead);
  reader.Number("product_overhead", device.product_overhead);
  reader.Number("collective_overhead", device.collective_overhead);
  reader.Number("scalar_overhead", device.scalar_overhead);
  reader.Number("loop_overhead", device.loop_overhead);
  reader.List("links", [&](Reader& item) {
    DeviceDescription::Link& link = device.links.emplace_back();
    item.Text("name", link.name);
    item.Number("bandwidth", link.bandwidth, true);
    item.Number("latency", link.latency);
    item.Number("pair_bandwidth", link.pair_bandwidth);
    double devices = 0;
    item.Number("devices", devices);
    link.devices = static_cast<int64_t>(std::min(devices, 1e9));
  });
  if (!reader.status().ok()) return reader.status();
  std::stable_sort(device.caches.begin(), device.caches.end(),
                   [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  return device;
}

std::string DeviceJson(const DeviceDescription& device) {
  OrderedJson json = {{"name", device.name}, {"sources", device.sources}};
  if (device.memory_bytes > 0) json["memory_bytes"] = NumberJson(device.memory_bytes);
  json["bandwidth"] = NumberJson(device.bandwidth);
  for (const auto& cache : device.caches)
    json["caches"].push_back({{"bytes", NumberJson(cache.bytes)}, {"bandwidth", NumberJson(cache.bandwidth)}});
  if (!device.products.empty()) json["products"] = RatesJson(device.products);
  json["flops"] = RatesJson(device.flops);
  if (device.transcendentals > 0) json["transcendentals"] = NumberJson(device.transcendentals);
  if (!device.opcodes.empty()) json["opcodes"] = RatesJson(device.opcodes);
  if (!device.slices.empty()) json["slices"] = RatesJson(device.slices);
  if (device.startup > 0) json["startup"] = device.startup;
  if (device.overhead > 0) json["overhead"] = device.overhead;
  if (device.product_overhead > 0) json["product_overhead"] = device.product_overhead;
  if (device.collective_overhead > 0) json["collective_overhead"] = device.collective_overhead;
  if (device.scalar_overhead > 0) json["scalar_overhead"] = device.scalar_overhead;
  if (device.loop_overhead > 0) json["loop_overhead"] = device.loop_overhead;
  for (const auto& link : device.links) {
    OrderedJson item = {{"name", link.name}, {"bandwidth", NumberJson(link.bandwidth)}};
    if (link.latency > 0) item["latency"] = link.latency;
    if (link.pair_bandwidth > 0) item["pair_bandwidth"] = NumberJson(link.pair_bandwidth);
    if (link.devices > 0) item["devices"] = link.devices;
    json["links"].push_back(std::move(item));
  }
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace hloir
