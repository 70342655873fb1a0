#pragma once

// One line by which a job tells how far it is (docs/checkpoints.md):
//   progress step=1200 of=50000
//   checkpoint step=1200 bytes=734003200 seconds=12.5 score=-0.25 path=/ckpt/llama/1200

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace gp {

inline constexpr size_t kReportLineMax = 4096;  // a longer write to a pipe may come in pieces

struct ReportLine {
  bool is_checkpoint = false;
  int64_t step = 0;
  int64_t steps = 0;  // progress: of so many; 0: not said
  int64_t bytes = 0;  // checkpoint; 0: not said
  Duration took;      // checkpoint; 0: not said
  std::string path;   // checkpoint: absolute
  bool is_scored = false;
  int64_t score = 0;      // checkpoint; billionths
  std::string complaint;  // of a word that was left out, and what would be right
};

// kInvalidArgument: which word is wrong, and what would be right.  Words of a name that is not
// known are left out.
Result<ReportLine> ParseReportLine(std::string_view line);

}  // namespace gp
