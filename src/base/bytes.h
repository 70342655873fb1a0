#pragma once

// The one binary encoding of records that outlive a process: LEB128 varints, zigzag for signed
// numbers, length-prefixed strings.  A Reader never reads past its end and never allocates more
// than its input could fill; after the first error every read yields zeros and ok() is false.

#include <cstdint>
#include <string>
#include <string_view>

namespace gp {

// Appends encoded values to a string.
class ByteWriter {
 public:
  void U64(uint64_t value);
  void I64(int64_t value);
  void String(std::string_view text);

  const std::string& bytes() const { return bytes_; }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Decodes values in the order in which they were written.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  uint64_t U64();
  int64_t I64();
  std::string String();

  bool ok() const { return ok_; }
  bool AtEnd() const { return rest_.empty(); }
  // Upper bound of the number of elements that can follow; checks a vector's declared size.
  size_t Remaining() const { return rest_.size(); }
  void MarkBad() { ok_ = false; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace gp
