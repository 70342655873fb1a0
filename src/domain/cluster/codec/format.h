#pragma once

// Formats of records and snapshots (docs/formats/journal.md, "Versions").

#include <cstdint>

namespace gp {

// What this program writes unless others could not read it.
inline constexpr uint64_t kFormatVersion = 21;
// The oldest format that can still be read.
inline constexpr uint64_t kFormatOldest = 16;

// The formats that a program reads; it writes none that is newer.
struct FormatRange {
  uint64_t oldest = kFormatOldest;
  uint64_t newest = kFormatVersion;
  bool Has(uint64_t format) const { return format >= oldest && format <= newest; }
  bool operator==(const FormatRange&) const = default;
};

// The format in which records are written at a state that names this one (State::format); 0: none
// was ever agreed on.
inline uint64_t WrittenFormat(uint64_t agreed, const FormatRange& own) {
  return agreed == 0 ? own.newest : agreed;
}

// How many commands and events a format has: those that come first (GP_COMMANDS, GP_EVENTS).
struct FormatKinds {
  uint64_t format = 0;
  uint64_t commands = 0;
  uint64_t events = 0;
};
// Of formats that may have to be written.  Add a row with a new kFormatVersion.
inline constexpr FormatKinds kFormatKinds[] = {{20, 37, 67}, {21, 39, 70}};

}  // namespace gp
