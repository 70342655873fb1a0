#pragma once

// What the tests of this directory share: a scratch directory with a place to come back to, and how
// much of the full form is to be done: GP_STRIDE (each how many-th point; 1: all) from GP_OFFSET
// on, and GP_RECOVERY_STRIDE likewise for the points of a recovery.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/crash/journal_life.h"

namespace gp {

inline uint64_t NumberOf(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Points offset, offset + stride …
struct Points {
  explicit Points(uint64_t stride_in_ci)
      : stride(NumberOf("GP_STRIDE", stride_in_ci)), offset(NumberOf("GP_OFFSET", 0)) {}
  uint64_t stride;
  uint64_t offset;
};

class CrashCase : public testing::Test {
 protected:
  CrashCase() {
    std::string name = testing::TempDir() + "crash-XXXXXX";
    root_ = mkdtemp(name.data());
    directory_ = root_ + "/state";
    std::filesystem::create_directory(directory_);
  }
  ~CrashCase() override { std::filesystem::remove_all(root_); }

  void Empty() {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directory(directory_);
  }
  void KeepCopy() { Copy(directory_, root_ + "/copy"); }
  void BackToCopy() { Copy(root_ + "/copy", directory_); }
  // For the figures of the full form.
  static void Tell(const char* what, uint64_t count) {
    std::printf("%s: %llu\n", what, static_cast<unsigned long long>(count));
  }
  static void Copy(const std::string& from, const std::string& to) {
    std::filesystem::remove_all(to);
    std::filesystem::copy(from, to);
  }

  std::string root_;
  std::string directory_;
  Witness witness_;
};

}  // namespace gp
