#pragma once

// The bytes of TensorBoard's event files: TFRecords, each with one tensorflow.Event in the wire
// format of Protocol Buffers (docs/adr/0083).

#include <cstdint>
#include <string>

namespace gp {

// One value of a curve.
struct ScalarEvent {
  double wall_seconds = 0;  // since 1970
  int64_t step = 0;
  std::string tag;
  float value = 0;

  bool operator==(const ScalarEvent&) const = default;
};

// The first record of each file, with its version.
std::string EventFileHead(double wall_seconds);
std::string ToRecord(const ScalarEvent& event);

}  // namespace gp
