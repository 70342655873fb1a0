#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/time.h"

namespace gp {

// What a run has shown so far: the first rule that was broken, and a digest of all that happened.
class Findings {
 public:
  void Break(Instant at, const std::string& what) {
    if (broken_.empty()) broken_ = ToRfc3339(at, true) + ": " + what;
  }
  // Adds to the digest; the order matters.
  void Note(std::string_view what) { digest_ = Digest64(what, digest_); }

  // Empty: no rule was broken.
  const std::string& broken() const { return broken_; }
  uint64_t digest() const { return digest_; }

 private:
  std::string broken_;
  uint64_t digest_ = 0;
};

}  // namespace gp
