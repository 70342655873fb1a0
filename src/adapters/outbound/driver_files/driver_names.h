#pragma once

// What the names of the driver's files tell.

#include <string>
#include <string_view>

#include "adapters/outbound/driver_files/driver_files.h"

namespace gp {

// "libcuda.so.580.105.08" -> "580.105.08"; empty: it does not end with a driver's version.
std::string_view DriverVersionOf(std::string_view library);

// OpenGL, Vulkan, OptiX or displays are all that it is for.
bool IsForGraphics(std::string_view name);

// The file on this host, with the names that links beside it give it.
DriverFile LibraryAt(const std::string& path);

}  // namespace gp
