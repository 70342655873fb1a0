#include "adapters/outbound/sqlite/high_water_mark.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/digest.h"
#include "files/replace_file.h"

namespace gp {
namespace {

constexpr size_t kDigits = 20;
constexpr size_t kLineBytes = kDigits + 1 + 8 + 1;  // "00000000000000000042 1a2b3c4d\n"

std::string Line(uint64_t sequence) {
  char number[kDigits + 1];
  std::snprintf(number, sizeof number, "%020llu", static_cast<unsigned long long>(sequence));
  char line[kLineBytes + 1];
  std::snprintf(line, sizeof line, "%s %08x\n", number, Crc32c(number));
  return line;
}

// 0: not a complete line.
uint64_t NumberIn(std::string_view line) {
  uint64_t sequence = 0;
  if (line.size() < kLineBytes) return 0;
  std::from_chars(line.data(), line.data() + kDigits, sequence);
  return line == Line(sequence) ? sequence : 0;
}

}  // namespace

HighWaterMark::~HighWaterMark() {
  if (file_ >= 0) close(file_);
}

Status HighWaterMark::OpenFile() {
  if (file_ >= 0) close(file_);
  file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file_ >= 0) return Ok();
  return Fail(Internal("cannot open " + path_ + ": " + std::strerror(errno)));
}

Status HighWaterMark::Open() {
  GP_CHECK_OK(OpenFile());
  char bytes[2 * kLineBytes];
  const ssize_t count = pread(file_, bytes, sizeof bytes, 0);
  if (count < 0) return Fail(Internal("cannot read " + path_ + ": " + std::strerror(errno)));
  const std::string_view lines(bytes, static_cast<size_t>(count));
  const uint64_t first = NumberIn(lines.substr(0, kLineBytes));
  const uint64_t second = lines.size() > kLineBytes ? NumberIn(lines.substr(kLineBytes)) : 0;
  value_ = std::max(first, second);
  next_line_ = first > second ? 1 : 0;
  return Ok();
}

Status HighWaterMark::Raise(uint64_t sequence) {
  const std::string line = Line(sequence);
  const off_t at = next_line_ * static_cast<off_t>(kLineBytes);
  const ssize_t count = pwrite(file_, line.data(), line.size(), at);
  if (count != static_cast<ssize_t>(line.size())) {
    return Fail(
        Internal("cannot write " + path_ + ": " + std::strerror(count < 0 ? errno : ENOSPC)));
  }
  value_ = sequence;
  next_line_ = 1 - next_line_;
  return Ok();
}

Status HighWaterMark::Reset(uint64_t sequence) {
  GP_CHECK_OK(ReplaceFile(path_, Line(sequence), 0600, Survives::kPowerCut));
  value_ = sequence;
  next_line_ = 1;
  return OpenFile();
}

}  // namespace gp
