#pragma once

// Checks of the raw bytes before any parsing: size, UTF-8, and no characters that make a reader see
// another text than the program reads.

#include "base/result.h"
#include "lib/yaml/diagnostic.h"
#include "lib/yaml/source_text.h"

namespace gp {

inline constexpr size_t kSourceBytesMax = 1 << 20;

// Contents of a file; of a file larger than kSourceBytesMax only enough for CheckText to refuse
// it. kNotFound: the file cannot be read, or is empty.
Result<std::string> ReadSource(const std::string& path);

// Whether the text passed the checks; if not, the report says why.
bool CheckText(const SourceText& source, Report& report);

}  // namespace gp
