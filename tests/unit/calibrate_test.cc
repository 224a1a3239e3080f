// tune/calibrate.h: the rates exist and are plausible; bench/predict.py measures their quality.
#include "tune/calibrate.h"

#include "tests/unit/catch.h"

using namespace hloir;

TEST_CASE("calibration gives a description of this machine") {
  int64_t last = 0, total = 0;
  CalibrationOptions options;
  options.threads = 1;
  options.seconds = 1e-4;
  options.on_progress = [&](int64_t done, int64_t all) {
    CHECK(done == last + 1);
    last = done, total = all;
  };
  const auto device = CalibrateThisMachine(options);
  REQUIRE(device.status().message() == "");
  CHECK(last == total);
  CHECK(device->bandwidth > 1e8);
  CHECK(device->bandwidth < 1e13);
  CHECK(device->products.at("f32") > device->products.at("c64") / 100);
  CHECK(device->opcodes.at("sort") > 1e6);
  CHECK(device->caches.size() == 14);
  // A written file reads back to the same values.
  const auto again = ParseDevice(DeviceJson(*device));
  REQUIRE(again.status().message() == "");
  CHECK(DeviceJson(*again) == DeviceJson(*device));
}
