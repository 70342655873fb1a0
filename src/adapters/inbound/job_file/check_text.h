#pragma once

// The checks on raw bytes that come before any parsing: short enough, UTF-8, and free of
// characters that would show a reader something else than the program reads.

#include "adapters/inbound/job_file/diagnostic.h"
#include "adapters/inbound/job_file/source_text.h"
#include "base/result.h"

namespace gp {

inline constexpr size_t kJobFileBytesMax = 1 << 20;

// What is in a file, as far as CheckText looks at it.  kNotFound: it cannot be read, or is empty.
Result<std::string> ReadSource(const std::string& path);

bool CheckText(const SourceText& source, Report& report);

}  // namespace gp
