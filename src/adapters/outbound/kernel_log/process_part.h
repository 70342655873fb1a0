#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gp {

// The optional "pid=<n>, name=<comm>, " of an XID's line, and the driver's message after it.  Users
// choose the name, and it may contain commas, so where it ends is a guess; the message is cut such
// that it never contains a byte of the name.
struct ProcessPart {
  std::optional<int> pid;
  std::string name;
  // The driver's message.  Its beginning is missing if it could still belong to the name.
  std::string_view message;
};

// `rest` is the line after the comma that follows the number; it must outlive the result.
ProcessPart ReadProcessPart(std::string_view rest);

}  // namespace gp
