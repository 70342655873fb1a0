#include "cmd/jobs/log_tail.h"

#include <algorithm>
#include <string_view>

#include "adapters/outbound/grpc/control_client.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr char kEscapeByte = '\x1b';
constexpr char kBell = '\a';
constexpr size_t kTabWidth = 8;  // columns, as of every terminal

bool IsBetween(char c, char first, char last) { return first <= c && c <= last; }

// Bytes of "ESC [ parameters intermediates final" (ECMA-48), all of a text that ends inside of it.
size_t BytesOfControlSequence(std::string_view text) {
  size_t at = 2;
  while (at < text.size() && IsBetween(text[at], ' ', '?')) ++at;
  return std::min(at + 1, text.size());
}

// Bytes of "ESC ] … BEL" or "ESC ] … ESC \", a title or a link; all of a text without its end.
size_t BytesOfCommand(std::string_view text) {
  for (size_t at = 2; at < text.size(); ++at) {
    if (text[at] == kBell) return at + 1;
    if (text[at] == kEscapeByte) return std::min(at + 2, text.size());
  }
  return text.size();
}

// REQUIRES: the text begins with ESC.
size_t BytesOfEscape(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') return BytesOfControlSequence(text);
  if (text[1] == ']') return BytesOfCommand(text);
  return 2;
}

std::string AsShown(std::string_view line) {
  std::string shown;
  while (!line.empty()) {
    const size_t bytes = line.front() == kEscapeByte ? BytesOfEscape(line) : 1;
    if (line.front() == '\t') {
      shown.append(kTabWidth - shown.size() % kTabWidth, ' ');
    } else if (line.front() != kEscapeByte) {
      shown += line.front();
    }
    line.remove_prefix(bytes);
  }
  return shown;
}

// A progress bar returns to the begin of its line and writes over it.
std::string_view LastWritten(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  const size_t at = line.rfind('\r');
  return at == std::string_view::npos ? line : line.substr(at + 1);
}

}  // namespace

Result<LogTail> ReadLogTail(v1::Control::Stub& stub, grpc::ClientContext& context,
                            const v1::ReadLogRequest& request, grpc::Status* end) {
  const auto reader = stub.ReadLog(&context, request);
  LogTail tail;
  v1::LogChunk chunk;
  while (reader->Read(&chunk)) {
    if (tail.text.empty()) tail.begin = chunk.offset();
    tail.text += chunk.data();
  }
  const grpc::Status status = reader->Finish();
  if (end != nullptr) *end = status;
  if (!status.ok()) return Fail(ControlClient::ErrorOf(status));
  return tail;
}

std::vector<std::string> LastLines(const LogTail& tail, size_t lines_max) {
  std::vector<std::string> lines = Split(tail.text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();  // behind the last line's end
  if (tail.begin > 0 && lines.size() > 1) lines.erase(lines.begin());
  if (lines.size() > lines_max)
    lines.erase(lines.begin(), lines.end() - static_cast<int64_t>(lines_max));
  for (std::string& line : lines) line = AsShown(LastWritten(line));
  return lines;
}

}  // namespace gp
