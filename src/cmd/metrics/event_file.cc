#include "cmd/metrics/event_file.h"

#include <bit>
#include <string_view>

#include "base/digest.h"

namespace gp {
namespace {

// How the value of a field is written.
enum class WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Fields of tensorflow.Event, Summary and Summary.Value.
constexpr uint32_t kEventWallTime = 1;
constexpr uint32_t kEventStep = 2;
constexpr uint32_t kEventFileVersion = 3;
constexpr uint32_t kEventSummary = 5;
constexpr uint32_t kSummaryValue = 1;
constexpr uint32_t kValueTag = 1;
constexpr uint32_t kValueSimple = 2;

void AddVarint(uint64_t value, std::string& message) {
  for (; value >= 0x80; value >>= 7) message += static_cast<char>(value | 0x80);
  message += static_cast<char>(value);
}

// Little-endian, in `size` bytes.
void AddFixed(uint64_t value, int size, std::string& bytes) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i));
}

void AddKey(uint32_t field, WireType type, std::string& message) {
  AddVarint(field << 3 | static_cast<uint32_t>(type), message);
}

void AddBytes(uint32_t field, std::string_view value, std::string& message) {
  AddKey(field, WireType::kBytes, message);
  AddVarint(value.size(), message);
  message += value;
}

std::string EventAt(double wall_seconds) {
  std::string event;
  AddKey(kEventWallTime, WireType::kFixed64, event);
  AddFixed(std::bit_cast<uint64_t>(wall_seconds), 8, event);
  return event;
}

// A checksum of what itself has checksums in it: TFRecords rotate it and add a constant.
uint32_t MaskedCrc(std::string_view bytes) { return std::rotr(Crc32c(bytes), 15) + 0xa282ead8; }

std::string Framed(std::string_view event) {
  std::string record;
  AddFixed(event.size(), 8, record);
  AddFixed(MaskedCrc(record), 4, record);
  record += event;
  AddFixed(MaskedCrc(event), 4, record);
  return record;
}

}  // namespace

std::string EventFileHead(double wall_seconds) {
  std::string event = EventAt(wall_seconds);
  AddBytes(kEventFileVersion, "brain.Event:2", event);
  return Framed(event);
}

std::string ToRecord(const ScalarEvent& scalar) {
  std::string value;
  AddBytes(kValueTag, scalar.tag, value);
  AddKey(kValueSimple, WireType::kFixed32, value);
  AddFixed(std::bit_cast<uint32_t>(scalar.value), 4, value);
  std::string summary;
  AddBytes(kSummaryValue, value, summary);
  std::string event = EventAt(scalar.wall_seconds);
  if (scalar.step != 0) {  // 0 is what an absent field means
    AddKey(kEventStep, WireType::kVarint, event);
    AddVarint(static_cast<uint64_t>(scalar.step), event);
  }
  AddBytes(kEventSummary, summary, event);
  return Framed(event);
}

}  // namespace gp
