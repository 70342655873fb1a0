#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"

namespace gp {

// What is staged for an attempt before it starts, or copied after it has ended.
struct StagingProgress {
  std::string what;         // "s3://corpora/wiki", "image registry.lab/train"; empty: nothing
  int64_t bytes = 0;        // that are done
  int64_t bytes_total = 0;  // 0: not known yet
  int layers = 0;           // of an image: those that are unpacked
  int layers_total = 0;     // 0: it is no image, or not known yet
  Duration left{};          // at its present rate; 0: not known
  bool operator==(const StagingProgress&) const = default;
};

}  // namespace gp
