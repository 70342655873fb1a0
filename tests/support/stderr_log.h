#pragma once

#include <cstdio>

#include "ports/outbound/operator_log.h"

namespace gp {

// An operator's log on standard error.
struct StderrLog : OperatorLog {
  void Write(LogLevel, const std::string& text) override {
    std::fprintf(stderr, "%s\n", text.c_str());
  }
};

}  // namespace gp
