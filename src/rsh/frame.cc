#include "rsh/frame.h"

#include <cstdint>

namespace gp::rsh {
namespace {

constexpr size_t kHeader = 5;

size_t LengthOf(std::string_view header) {
  size_t length = 0;
  for (size_t i = 0; i < 4; ++i)
    length |= static_cast<size_t>(static_cast<unsigned char>(header[1 + i])) << (8 * i);
  return length;
}

}  // namespace

std::string Encode(Kind kind, std::string_view bytes) {
  std::string frame(1, static_cast<char>(kind));
  for (size_t i = 0; i < 4; ++i)
    frame.push_back(static_cast<char>((bytes.size() >> (8 * i)) & 0xff));
  return frame.append(bytes);
}

std::optional<Frame> TakeFrame(std::string& buffer) {
  if (buffer.size() < kHeader) return std::nullopt;
  const size_t length = LengthOf(buffer);
  if (length > kFrameBytesMax || buffer.size() < kHeader + length) return std::nullopt;
  Frame frame{static_cast<Kind>(buffer[0]), buffer.substr(kHeader, length)};
  buffer.erase(0, kHeader + length);
  return frame;
}

bool IsTooLong(std::string_view buffer) {
  return buffer.size() >= kHeader && LengthOf(buffer) > kFrameBytesMax;
}

}  // namespace gp::rsh
