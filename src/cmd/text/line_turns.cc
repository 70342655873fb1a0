#include "cmd/text/line_turns.h"

namespace gp {

bool LineTurns::Write(std::FILE* to, std::string_view bytes) {
  if (bytes.empty()) return true;
  std::unique_lock lock(mutex_);
  finished_.wait_for(lock, patience_, [&] { return begun_ == nullptr || begun_ == to; });
  std::fwrite(bytes.data(), 1, bytes.size(), to);
  const bool is_read = std::fflush(to) == 0;
  begun_ = bytes.back() == '\n' ? nullptr : to;
  finished_.notify_all();
  return is_read;
}

}  // namespace gp
