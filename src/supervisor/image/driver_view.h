#pragma once

// Files of the GPUs' driver in a job's image, from the lists that the agent keeps
// (adapters/outbound/driver_files/driver_list.h).

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gp {

struct DriverShown {
  std::string from;  // on the host
  std::string at;    // in the image
  bool operator==(const DriverShown&) const = default;
};

// Where the program loader of this image looks for libraries by default; "/usr/lib" in
// images that are built otherwise.  `image`: its open root.
std::string LibraryDirectoryOf(int image);

// The files of a list.  `libraries`: where the image has them.  Lines that this program does not
// know are left out.
std::vector<DriverShown> ReadDriverList(std::string_view list, const std::string& libraries);

}  // namespace gp
