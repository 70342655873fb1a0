#pragma once

// A directory of one test, and the files in it.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace gp {

// Makes an empty directory, and removes it with all its contents at the end.
class Scratch {
 public:
  Scratch() {
    std::string pattern = testing::TempDir() + "gp-test-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "cannot make " << pattern;
    path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }
  std::string In(std::string_view name) const { return path_ + "/" + std::string(name); }
  bool Has(std::string_view name) const {
    std::error_code ignored;
    return std::filesystem::symlink_status(In(name), ignored).type() !=
           std::filesystem::file_type::not_found;
  }
  // Makes the directories above it.  Returns the path.
  std::string Write(std::string_view name, std::string_view bytes) const {
    const std::string path = In(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string Read(std::string_view name) const {
    std::ifstream file(In(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

}  // namespace gp
