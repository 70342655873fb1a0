#pragma once

// What the driver writes into the kernel's log beside XIDs: errors of NVSwitches (SXids), and GPUs
// that it cannot reach or start, of which no XID tells.

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
// Nullopt: it is none, or a line with the data of one that was told before.
std::optional<FabricError> ParseFabricError(std::string_view text);

// Of a line that says that the driver could not start a GPU: where the GPU is; empty where it does
// not say.
std::optional<std::string> ParseFailedStart(std::string_view text);

// A notice that a GPU has fallen off the bus: in one record, or in three with its parts.
class FallenNotice {
 public:
  // Where the GPU is, with the part that completes the notice.
  std::optional<std::string> Take(std::string_view text);

 private:
  std::string bus_id_;  // of the notice that has begun
};

}  // namespace gp
