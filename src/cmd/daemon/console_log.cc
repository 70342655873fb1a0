#include "cmd/daemon/console_log.h"

#include <cstdio>

#include "infrastructure/system_clock.h"

namespace gp {

void ConsoleLog::Write(LogLevel level, const std::string& text) {
  if (quiet_ && level != LogLevel::kError) return;
  std::string line;
  if (format_ == LogFormat::kJson) {
    line = ToText(EventLine{level, "said", {{"message", text}}}, SystemClock().Now(),
                  LogFormat::kJson);
  } else if (level == LogLevel::kError) {
    line = "error: " + text + "\n";
  } else {
    line = "» " + std::string(level == LogLevel::kWarning ? "warning: " : "") + text + "\n";
  }
  std::fputs(line.c_str(), stderr);
}

}  // namespace gp
