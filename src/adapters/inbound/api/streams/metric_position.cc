#include "adapters/inbound/api/streams/metric_position.h"

#include <optional>

#include "base/text.h"

namespace gp {
namespace {

constexpr int64_t kPlaceNumberMax = 1'000'000'000;

struct PlaceEnd {
  int attempt = 0;
  int rank = 0;
  int64_t end = 0;
};

std::optional<PlaceEnd> ParsePlaceEnd(const std::string& text) {
  const size_t dot = text.find('.');
  const size_t dash = text.find('-');
  if (dot == std::string::npos || dash == std::string::npos || dash < dot) return std::nullopt;
  const auto attempt = ParseCount(text.substr(0, dot));
  const auto rank = ParseCount(text.substr(dot + 1, dash - dot - 1));
  const auto end = ParseCount(text.substr(dash + 1));
  if (!attempt || !rank || !end || *attempt > kPlaceNumberMax || *rank > kPlaceNumberMax)
    return std::nullopt;
  return PlaceEnd{static_cast<int>(*attempt), static_cast<int>(*rank), *end};
}

}  // namespace

std::string ToPosition(const MetricEnds& ends, const MetricPlaces& places) {
  std::string text;
  for (const auto& [place, end] : ends) {
    if (!places.contains(place)) continue;
    text += (text.empty() ? "" : ",") + std::to_string(place.first.attempt) + "." +
            std::to_string(place.first.rank) + "-" + std::to_string(end);
  }
  return text;
}

Result<MetricEnds> ParsePosition(const std::string& text, const MetricPlaces& places) {
  std::map<std::pair<int, int>, int64_t> known;
  for (const std::string& part : text.empty() ? std::vector<std::string>() : Split(text, ',')) {
    const auto one = ParsePlaceEnd(part);
    if (!one)
      return Fail(InvalidArgument("since: \"" + Printable(text, 60) +
                                  "\" is not a position in a job's metrics, such as 1.0-4096"));
    known[{one->attempt, one->rank}] = one->end;
  }
  MetricEnds ends;
  for (const auto& place : places) {
    const auto found = known.find({place.first.attempt, place.first.rank});
    if (found != known.end()) ends[place] = found->second;
  }
  return ends;
}

}  // namespace gp
