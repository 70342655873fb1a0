#pragma once

// The curves of a job's metrics as messages.

#include <set>
#include <string>
#include <vector>

#include "gpu_platform/v1/control.pb.h"
#include "ports/outbound/metric_store.h"

namespace gp {

namespace v1 = gpu_platform::v1;

struct MetricSelection {
  std::set<std::string> names;  // empty: all
  size_t points_max = 500;      // of a series
  bool superseded = false;      // also points that a later attempt has computed again
};

// `records`: by attempt.  A later attempt resumes at an earlier step: what the attempts before it
// have reported from that step on is superseded.
void JobMetricsView(const std::vector<MetricRecords>& records, const MetricSelection& selection,
                    v1::GetJobMetricsReply* reply);

// Just these points.  `names`: as in MetricSelection.
void NewPointsView(const std::vector<MetricRecords>& records, const std::set<std::string>& names,
                   v1::NewMetricPoints* message);

// "nan", "inf" or "-inf".  REQUIRES: it is one of them.
const char* NotFiniteValueText(double value);

}  // namespace gp
