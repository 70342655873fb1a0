#include "adapters/outbound/link/gpu_readings.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

std::vector<GpuIdentity> TwoGpus() {
  std::vector<GpuIdentity> gpus(2);
  gpus[0].uuid = "GPU-a";
  gpus[0].serial = "serial of a";
  gpus[1].uuid = "GPU-b";
  gpus[1].serial = "serial of b";
  return gpus;
}

GpuReading ReadingOf(const std::string& uuid) {
  GpuReading reading;
  reading.health.emplace();
  reading.health->uuid = uuid;
  reading.health->temperature_c = 44;
  return reading;
}

TEST(GpuReadings, AreOfTheGpuThatWasReadWhereverTheyStand) {
  const v1::GpuReadings message = ReadingsOf(ReadingOf("GPU-b"), 0, TwoGpus());
  EXPECT_EQ(message.uuid(), "GPU-b");
  EXPECT_EQ(message.serial(), "serial of b");
  EXPECT_EQ(message.temperature_celsius(), 44);
}

TEST(GpuReadings, OfAGpuThatIsNotKnownNobodysSerialIsTold) {
  const v1::GpuReadings message = ReadingsOf(ReadingOf("GPU-c"), 0, TwoGpus());
  EXPECT_EQ(message.uuid(), "GPU-c");
  EXPECT_EQ(message.serial(), "");
}

TEST(GpuReadings, AGpuThatWasNeverReadIsTheOneAtItsPosition) {
  const v1::GpuReadings message = ReadingsOf(GpuReading{}, 1, TwoGpus());
  EXPECT_EQ(message.uuid(), "GPU-b");
  EXPECT_TRUE(message.stale());
  EXPECT_FALSE(message.has_temperature_celsius());
  EXPECT_EQ(ReadingsOf(GpuReading{}, 2, TwoGpus()).uuid(), "");
}

TEST(GpuReadings, OldOnesTellNoFigures) {
  GpuReading reading = ReadingOf("GPU-a");
  reading.age_ns = kReadingStaleAfter.ns + 1;
  const v1::GpuReadings message = ReadingsOf(reading, 0, TwoGpus());
  EXPECT_EQ(message.uuid(), "GPU-a");
  EXPECT_TRUE(message.stale());
  EXPECT_FALSE(message.has_temperature_celsius());
}

}  // namespace
}  // namespace gp
