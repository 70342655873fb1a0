#include "adapters/inbound/scenario_file/key_table.h"
#include "adapters/inbound/scenario_file/parts.h"

namespace gp {

Draw ReadDraw(const YamlNode& value, std::string_view name, Report& report) {
  constexpr Duration kShortest = Duration::Seconds(1);
  Draw draw;
  if (value.IsScalar()) {
    KeyTable("a scenario", report)
        .Span(name, kShortest, kScenarioSpanMax, draw.value)
        .ReadValue(name, value);
    return draw;
  }
  Duration mean;
  Duration median;
  KeyTable(std::string(name), report)
      .Span("mean", kShortest, kScenarioSpanMax, mean)
      .Span("median", kShortest, kScenarioSpanMax, median)
      .Span("p90", kShortest, kScenarioSpanMax, draw.p90)
      .ReadFrom(value);
  const bool by_mean = value.Find("mean") != nullptr;
  const bool by_median = value.Find("median") != nullptr && value.Find("p90") != nullptr;
  if (value.kind == YamlNode::Kind::kMap &&
      (by_mean == by_median || value.entries.size() != (by_mean ? 1u : 2u))) {
    report.Add(value.place, FileCode::kContradiction,
               std::string(name) + ": write 30m, {mean: 30m} or {median: 20m, p90: 6h}");
  } else if (by_median && draw.p90 < median) {
    report.Add(value.place, FileCode::kContradiction,
               std::string(name) + ": p90 is below the median");
  }
  draw.kind = by_mean ? Draw::Kind::kMean : Draw::Kind::kMedian;
  draw.value = by_mean ? mean : median;
  return draw;
}

}  // namespace gp
