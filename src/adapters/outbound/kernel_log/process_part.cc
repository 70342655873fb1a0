#include "adapters/outbound/kernel_log/process_part.h"

#include <limits>

#include "adapters/outbound/kernel_log/cursor.h"

namespace gp {
namespace {

constexpr std::string_view kSeparator = ", ";
constexpr std::string_view kUnknown = "<unknown>";
// TASK_COMM_LEN without its zero byte.
constexpr size_t kNameBytesMax = 15;
constexpr size_t kEscapeLength = 4;

// /dev/kmsg escapes a byte as "\x0a", and also the backslash.
size_t ByteLength(std::string_view text) {
  return text.starts_with("\\x") && text.size() >= kEscapeLength ? kEscapeLength : 1;
}

bool BeginsWithChannel(std::string_view message) {
  Cursor cursor(message);
  return cursor.Skip("Ch ") && cursor.HexDigits(8, 8);
}

struct NameEnds {
  size_t likely = 0;           // for people
  std::optional<size_t> last;  // no name extends beyond this separator
};

// Most process names have no ", ", but messages contain it early: "sh, Ch 00000010, …".
NameEnds FindNameEnds(std::string_view text) {
  NameEnds ends;
  bool is_certain = false;
  size_t at = 0;
  for (size_t bytes = 0; bytes <= kNameBytesMax && at < text.size(); ++bytes) {
    if (text.substr(at).starts_with(kSeparator)) {
      ends.last = at;
      if (!is_certain) ends.likely = at;
      is_certain = is_certain || BeginsWithChannel(text.substr(at + kSeparator.size()));
    }
    if (bytes < kNameBytesMax) at += ByteLength(text.substr(at));
  }
  if (!ends.last) ends.likely = at;
  return ends;
}

// A pid that is not a number, or 0, means no process.
std::optional<int> ParsePid(std::string_view text) {
  Cursor cursor(text);
  const auto pid = cursor.Number(std::numeric_limits<int>::max());
  if (!pid || *pid == 0 || !cursor.left().empty()) return std::nullopt;
  return pid;
}

}  // namespace

ProcessPart ReadProcessPart(std::string_view rest) {
  ProcessPart part{{}, {}, rest};
  Cursor cursor(rest);
  if (!cursor.Skip("pid=")) return part;
  const std::string_view pid = cursor.left().substr(0, cursor.left().find(','));
  part.pid = ParsePid(pid);
  cursor.Skip(pid);
  cursor.Skip(kSeparator);
  part.message = cursor.left();
  if (!cursor.Skip("name=")) return part;
  const NameEnds ends = FindNameEnds(cursor.left());
  part.name = cursor.left().substr(0, ends.likely);
  if (part.name == kUnknown) part.name.clear();
  part.message =
      ends.last ? cursor.left().substr(*ends.last + kSeparator.size()) : std::string_view{};
  return part;
}

}  // namespace gp
