#pragma once

// Points of metrics as lines, for people and for programs.

#include <string>

#include "cmd/metrics/series_points.h"

namespace gp {

// "0.52", "nan".
std::string ValueText(const v1::MetricCurvePoint& point);

// "2026-03-01T12:00:00.000Z job-7 step 1200 loss=0.52 lr=0.0003": one line for the values that were
// reported together; the attempt and the rank are named from the second on.
std::string ToTextLines(const std::string& job, const SeriesPoints& points);

// Empty: no finite value.
std::string CsvHeader();
std::string ToCsvLines(const SeriesPoints& points);

// An object a line.
std::string ToJsonLines(const std::string& job, const SeriesPoints& points);

}  // namespace gp
