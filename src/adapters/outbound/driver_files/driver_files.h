#pragma once

// Files of the GPUs' driver on this host that programs in images need: its libraries must have the
// version of the kernel's part, so that no image can bring them.

#include <string>
#include <vector>

#include "base/result.h"

namespace gp {

struct DriverFile {
  enum class Kind { kLibrary, kProgram, kOther };

  Kind kind = Kind::kLibrary;
  std::string path;                // on this host; a regular file
  std::vector<std::string> names;  // of a library or a program: its file names in an image
  std::string at;                  // of other files: the absolute path in an image
  bool is_for_graphics = false;    // OpenGL, Vulkan, OptiX, and their settings
  bool operator==(const DriverFile&) const = default;
};

struct DriverFiles {
  std::string source;                 // the file or directory that names them; empty: there is none
  std::vector<std::string> warnings;  // what was not taken, and why
  std::vector<DriverFile> files;      // sorted by path
};

// Where they are looked for; the first that has any counts.
struct DriverPlaces {
  // Directories with CDI files (Container Device Interface) that NVIDIA's tools write.
  std::vector<std::string> cdi_directories;
  // Directories that may have the driver's libraries.
  std::vector<std::string> library_directories;
};

// Where the installers of drivers put them.
DriverPlaces UsualDriverPlaces();

// An empty result where there is no driver.  CDI files that cannot be read, that others than root
// may change, or whose libraries are gone, as after an upgrade of the driver, do not count.
DriverFiles FindDriverFiles(const DriverPlaces& places);

inline constexpr size_t kDriverFilesMax = 1'000;

}  // namespace gp
