#include "base/bytes.h"

namespace gp {

void ByteWriter::U64(uint64_t value) {
  while (value >= 0x80) {
    bytes_.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  bytes_.push_back(static_cast<char>(value));
}

void ByteWriter::I64(int64_t value) {
  U64((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
}

void ByteWriter::String(std::string_view text) {
  U64(text.size());
  bytes_.append(text);
}

uint64_t ByteReader::U64() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && ok_; shift += 7) {
    if (rest_.empty()) break;
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  ok_ = false;
  return 0;
}

int64_t ByteReader::I64() {
  const uint64_t zigzag = U64();
  return static_cast<int64_t>(zigzag >> 1) ^ -static_cast<int64_t>(zigzag & 1);
}

std::string ByteReader::String() {
  const uint64_t size = U64();
  if (!ok_ || size > rest_.size()) {
    ok_ = false;
    return {};
  }
  std::string text(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return text;
}

}  // namespace gp
