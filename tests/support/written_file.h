#pragma once

// Files of the project that are written from tables of the program.  GP_ACCEPT=1 rewrites them.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace gp {

inline std::string PathInSource(std::string_view path) {
  return std::string(GP_SOURCE_DIR) + "/" + std::string(path);
}

inline std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void ExpectWritten(std::string_view path, const std::string& text) {
  const char* accept = std::getenv("GP_ACCEPT");
  if (accept != nullptr && std::string_view(accept) == "1")
    std::ofstream(PathInSource(path), std::ios::binary) << text;
  EXPECT_TRUE(Contents(PathInSource(path)) == text)
      << path << " is not what the tables say; GP_ACCEPT=1 rewrites it";
}

}  // namespace gp
