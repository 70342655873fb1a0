#pragma once

// "pid=<n>, name=<comm>, " of an XID's line, which may be missing, and the driver's message behind
// it.  The name is chosen by users and may hold commas, so where it ends is a guess; the message
// is cut such that no byte of a name can ever be in it.

#include <optional>
#include <string>
#include <string_view>

namespace gp {

struct ProcessPart {
  std::optional<int> pid;
  std::string name;
  // The driver's own words.  Its beginning is missing if that looks as if it were still the name.
  std::string_view message;
};

// `rest` is the line behind the number's comma; it must outlive the result.
ProcessPart ReadProcessPart(std::string_view rest);

}  // namespace gp
