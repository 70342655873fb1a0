#pragma once

// Rules on what a job reports of its training (docs/metrics.md): "train/loss is nan" stops it.

#include <string>
#include <string_view>

#include "base/fields.h"
#include "base/result.h"

namespace gp {

// What to do with the running attempt, which may save its work first.
enum class MetricAction {
  kStop,      // the job has failed, and is not retried
  kRestart,   // as if it had failed: from its newest checkpoint, while retries are left
  kComplete,  // the job is done
};

struct MetricRule {
  std::string condition;  // "NAME is nan", "NAME > NUMBER" or "NAME < NUMBER"
  MetricAction action = MetricAction::kStop;
  bool operator==(const MetricRule&) const = default;
};
GP_FIELDS(MetricRule, v.condition, v.action)

inline constexpr size_t kMetricRulesMax = 16;

enum class MetricTest { kIsNan, kAbove, kBelow };

// The parts of a condition, which they point into.
struct MetricCondition {
  std::string_view name;
  MetricTest test = MetricTest::kIsNan;
  std::string_view limit;  // "10", "-0.5" or "3e-4"; empty with kIsNan
};

// kInvalidArgument: it is none; the message names what is wrong with it.
Result<MetricCondition> ParseMetricCondition(std::string_view text);

}  // namespace gp
