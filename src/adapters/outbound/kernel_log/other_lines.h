#pragma once

// Other messages of the driver in the kernel's log than XIDs: errors of NVSwitches (SXids), and
// GPUs that the driver cannot reach or start, for which there is no XID.

#include <optional>
#include <string>
#include <string_view>

namespace gp {

class Cursor;

// "0000:1b:00", with or without the function, in upper case.
std::optional<std::string> TakeBusId(Cursor& line);

struct FabricError {
  int sxid = 0;
  bool is_fatal = true;
};
// Nullopt: no such error, or a line with further data of an error that was already reported.
std::optional<FabricError> ParseFabricError(std::string_view text);

// For a line that says that the driver could not start a GPU: the GPU's bus id; empty if the line
// does not contain it.
std::optional<std::string> ParseFailedStart(std::string_view text);

// Recognises the notice that a GPU has fallen off the bus, which comes in one record or in three
// parts.
class FallenNotice {
 public:
  // The GPU's bus id, once the notice is complete.
  std::optional<std::string> Take(std::string_view text);

 private:
  std::string bus_id_;  // of the incomplete notice
};

}  // namespace gp
