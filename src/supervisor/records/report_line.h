#pragma once

// One line by which a job reports progress, a checkpoint (docs/checkpoints.md), metrics or a link
// (docs/metrics.md):
//   progress step=1200 of=50000
//   metric step=1200 train/loss=0.52 lr=3e-4
//   checkpoint step=1200 bytes=734003200 seconds=12.5 score=-0.25 path=/ckpt/llama/1200
//   link wandb=https://wandb.ai/ana/llama/runs/4f2a

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ports/outbound/metric_store.h"

namespace gp {

inline constexpr size_t kReportLineMax = 4096;  // a longer write to a pipe may come in pieces

enum class ReportKind { kProgress, kCheckpoint, kMetric, kLink };

struct MetricValue {
  std::string name;
  double value = 0;  // may be NaN or infinite
};

struct ReportLine {
  ReportKind kind = ReportKind::kProgress;
  bool has_step = false;
  int64_t step = 0;
  int64_t steps = 0;  // progress: total; 0: not reported
  int64_t bytes = 0;  // checkpoint; 0: not reported
  Duration took;      // checkpoint; 0: not reported
  std::string path;   // checkpoint: absolute
  bool is_scored = false;
  int64_t score = 0;  // checkpoint; billionths
  std::vector<MetricValue> metrics;
  std::vector<JobLink> links;
  std::string complaint;  // which word was ignored, and a correct form
};

// Ignores words with unknown names.  Errors: kInvalidArgument (which word is wrong, and a correct
// form).
Result<ReportLine> ParseReportLine(std::string_view line);

}  // namespace gp
