#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "ports/outbound/metric_store.h"

namespace gp {

// Where the ranks of a job's attempts are: only what the node of a rank has sent of it counts.
using MetricPlaces = std::set<MetricEnds::key_type>;

// Up to where one reader has read what a job reports.  The reader looks up the places before it
// reads, so an attempt may begin and report in between.  What was passed over because its place was
// not known is therefore read again, from its beginning, once its place is known; what never gets a
// place is read only once.
class MetricCursor {
 public:
  MetricCursor() = default;
  explicit MetricCursor(MetricEnds ends) : ends_(std::move(ends)) {}

  const MetricEnds& ends() const { return ends_; }
  // Of the source of these records; 0: nothing of it has been read.
  int64_t EndOf(const MetricRecords& records) const {
    const auto known = ends_.find({records.source, records.node});
    return known == ends_.end() ? 0 : known->second;
  }

  // Whether something was passed over that now has a place.
  bool MustGoBack(const MetricPlaces& places) const {
    return std::ranges::any_of(passed_over_,
                               [&](const auto& place) { return places.contains(place); });
  }
  // Before reading with other places.
  void GoBack(const MetricPlaces& places) {
    for (const auto& place : places) {
      if (passed_over_.erase(place) > 0) ends_.erase(place);
    }
  }
  // Goes behind these records.  False: they do not count.
  bool Pass(const MetricRecords& records, const MetricPlaces& places) {
    const MetricEnds::key_type place(records.source, records.node);
    ends_[place] = records.end;
    if (places.contains(place)) return true;
    passed_over_.insert(place);
    return false;
  }

 private:
  MetricEnds ends_;
  MetricPlaces passed_over_;
};

}  // namespace gp
