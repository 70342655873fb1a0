#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"

namespace gp {

// An image whose layers are all on this host.
struct HeldImage {
  std::string name;               // as the last launch named it: "registry.lab/ana/train:v3"
  std::string digest;             // "sha256:…"
  int64_t bytes = 0;              // that its layers take; images may share them
  Instant used_at;                // when an attempt got it last, wall clock
  std::vector<std::string> keys;  // of attempts that use it
  bool operator==(const HeldImage&) const = default;
};

inline constexpr size_t kHeldImagesMax = 64;

}  // namespace gp
