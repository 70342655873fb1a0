#pragma once

// Records as /dev/kmsg gives them, around lines as the driver writes them.

#include <string>
#include <string_view>

namespace gp {

// By the kernel, level "error".
inline std::string ByKernel(std::string_view text) {
  return "3,2417,81523460117,-;" + std::string(text);
}
// By a program that wrote to /dev/kmsg, same level.
inline std::string ByProgram(std::string_view text) {
  return "11,2418,81523460993,-;" + std::string(text);
}

}  // namespace gp
