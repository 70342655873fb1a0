#pragma once

#include <optional>
#include <string>

#include "adapters/wire/event_line.h"
#include "ports/outbound/operator_log.h"

namespace gp {

// The operator's log of a daemon: standard error, in the format of its event log.  As text an error
// begins with "error:" and a warning with "warning:"; as JSON a message is an event "said".
class ConsoleLog : public OperatorLog {
 public:
  // `format`: nullopt: the daemon logs no events.  `quiet`: errors only.
  ConsoleLog(std::optional<LogFormat> format, bool quiet) : format_(format), quiet_(quiet) {}
  void Write(LogLevel level, const std::string& text) override;

 private:
  const std::optional<LogFormat> format_;
  const bool quiet_;
};

}  // namespace gp
