#pragma once

#include <optional>
#include <span>
#include <string>

#include "ports/outbound/attempt_runner.h"
#include "supervisor/records/report_line.h"

namespace gp {

// Position of the first limit that the value meets.
std::optional<int> FirstMet(std::span<const MetricLimit> limits, const MetricValue& value);

// "train/loss is nan", "lr = 0.1"
std::string MetricText(const MetricValue& value);

}  // namespace gp
