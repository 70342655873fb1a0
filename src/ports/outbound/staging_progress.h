#pragma once

#include <cstdint>
#include <string>

namespace gp {

// What is fetched for an attempt before it starts, or copied after it has ended.
struct StagingProgress {
  std::string what;         // "s3://corpora/wiki"; empty: nothing
  int64_t bytes = 0;        // that are done
  int64_t bytes_total = 0;  // 0: not known yet
  bool operator==(const StagingProgress&) const = default;
};

}  // namespace gp
