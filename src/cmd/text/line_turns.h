#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string_view>

namespace gp {

// Streams that are copied to one terminal: a line that one has begun is finished before another one
// goes on, unless that takes too long.  Any thread.
class LineTurns {
 public:
  explicit LineTurns(std::chrono::milliseconds patience = std::chrono::milliseconds(100))
      : patience_(patience) {}

  // False: nobody reads `to` any more.
  bool Write(std::FILE* to, std::string_view bytes);

 private:
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable finished_;
  std::FILE* begun_ = nullptr;  // its last line is not finished
};

}  // namespace gp
