#pragma once

// What a run has shown so far: the first rule that broke, and a digest of all that happened.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/time.h"

namespace gp {

class Findings {
 public:
  void Break(Instant at, const std::string& what) {
    if (broken_.empty()) broken_ = ToRfc3339(at, true) + ": " + what;
  }
  // Part of the digest, in order.
  void Note(std::string_view what) { digest_ = Digest64(what, digest_); }

  // Empty: every rule held.
  const std::string& broken() const { return broken_; }
  uint64_t digest() const { return digest_; }

 private:
  std::string broken_;
  uint64_t digest_ = 0;
};

}  // namespace gp
