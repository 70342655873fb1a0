#pragma once

// Reads small XML documents of unknown origin with expat.  Documents with a DOCTYPE, which could
// define entities, are refused.

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

// `on_end` receives each element at its end: the names from the root to it, "List/Contents/Key",
// without their namespaces, and the text that stands directly in it.  An error of it ends the
// reading.  kInvalidArgument: it is no XML, or is nested too deeply, or a text is too long.
Status ReadXml(
    std::string_view document,
    const std::function<Status(const std::string& path, const std::string& text)>& on_end);

// The text with the characters that XML would take for markup replaced.
std::string XmlEscaped(std::string_view text);

}  // namespace gp
