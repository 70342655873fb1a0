#pragma once

#include <string>

namespace gp {

enum class LogLevel { kInfo, kWarning, kError };

// Where a daemon writes what the operator of its host should know, and what went wrong without
// anybody who waits for an answer.  Any thread may write.
class OperatorLog {
 public:
  virtual ~OperatorLog() = default;
  // One message, without line break and without secrets.
  virtual void Write(LogLevel level, const std::string& text) = 0;
};

}  // namespace gp
