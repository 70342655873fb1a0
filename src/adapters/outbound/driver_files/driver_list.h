#pragma once

// The list of the driver's files, as supervisors read it (supervisor/image/driver_view.h): a line
// for each name, "lib", "bin" or "file", the name in an image or its path there, and the path on
// this host, between tabs.

#include <string>

#include "adapters/outbound/driver_files/driver_files.h"
#include "base/result.h"

namespace gp {

// With those for graphics, or those for everything else.
std::string DriverListOf(const DriverFiles& found, bool is_for_graphics);

// Writes `directory`/compute and `directory`/graphics.  Errors: kInternal (the disk fails or is
// full).
Status WriteDriverLists(const DriverFiles& found, const std::string& directory);

}  // namespace gp
