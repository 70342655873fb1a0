#pragma once

// Rows of bad job files.

#include <gtest/gtest.h>

#include <string_view>

#include "adapters/inbound/job_file/job_file.h"
#include "tests/unit/lib/yaml/marked_text.h"

namespace gp {

inline void ExpectRefused(const BadInput& row, std::string_view file_name = "bad.gpu.yaml") {
  SCOPED_TRACE(row.text.substr(0, 200));
  const MarkedText marked = TakeMark(row.text);
  const DecodedJobs decoded = DecodeJobFile(file_name, marked.text);
  EXPECT_TRUE(decoded.jobs.empty());
  ExpectOnly(row, marked, decoded.diagnostics);
}

}  // namespace gp
