#pragma once

// An image for tests: programs of this host with the libraries they need, as a directory.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace gp {

class TestImage {
 public:
  explicit TestImage(std::string directory) : directory_(std::move(directory)) {
    std::filesystem::create_directories(directory_);
    for (const char* program : {"/bin/sh", "/bin/ls", "/bin/cat", "/usr/bin/id", "/bin/touch",
                                "/usr/bin/tty", "/bin/sleep", "/bin/mkdir"})
      CopyProgram(program);
    Write("/of-the-image", "yes\n");
  }

  const std::string& directory() const { return directory_; }
  std::string At(const std::string& path) const { return directory_ + path; }

  void Write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(At(path)).parent_path());
    std::ofstream(At(path)) << text;
  }
  // Links are followed, so that the same path leads to a file.
  void Copy(const std::string& from, const std::string& to) const {
    namespace fs = std::filesystem;
    fs::create_directories(fs::path(At(to)).parent_path());
    fs::copy_file(from, At(to), fs::copy_options::overwrite_existing);
  }

 private:
  void CopyProgram(const std::string& program) const {
    Copy(program, program);
    FILE* const listed = popen(("ldd " + program).c_str(), "r");
    ASSERT_NE(listed, nullptr);
    std::array<char, 512> line{};
    while (fgets(line.data(), line.size(), listed) != nullptr) {
      std::istringstream words(line.data());
      for (std::string word; words >> word;) {
        if (word.starts_with('/')) Copy(word, word);
      }
    }
    pclose(listed);
  }

  std::string directory_;
};

}  // namespace gp
