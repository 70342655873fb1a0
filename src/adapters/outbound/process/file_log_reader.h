#pragma once

#include "ports/outbound/log_reader.h"

namespace gp {

// LogReader over the files that supervisors write (docs/isolation.md, "Logs").
class FileLogReader : public LogReader {
 public:
  Result<LogSlice> Read(const std::string& path, int64_t offset, int64_t bytes_max) override;
  Result<int64_t> OffsetAt(const std::string& path, Instant since) override;
};

}  // namespace gp
