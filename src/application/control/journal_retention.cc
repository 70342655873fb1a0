#include "application/control/journal_retention.h"

#include <algorithm>

#include "application/control/recover.h"

namespace gp {
namespace {

// The newest snapshots always stay: if one is damaged, the other one and the records after it
// replace it.  They never become the base, however old they are, so an error of the clock cannot
// drop the records after them.
constexpr size_t kNewest = 2;
// Number of snapshots, evenly spaced in time, to keep between those and the base; each may become
// the base.
constexpr int64_t kBetween = 8;
// Removing a large snapshot takes a second.
constexpr size_t kDroppedAtOnce = 2;

std::span<const SnapshotPlace> OlderThanTheNewest(std::span<const SnapshotPlace> places) {
  return places.first(places.size() - std::min(places.size(), kNewest));
}

Result<std::vector<SnapshotPlace>> PlacesOf(Journal& journal) {
  std::vector<SnapshotPlace> places;
  for (const uint64_t sequence : GP_TRY(journal.Snapshots()))
    places.push_back({sequence, TimeOf(journal, sequence)});
  return places;
}

}  // namespace

std::vector<uint64_t> NextBases(std::span<const SnapshotPlace> places, Instant now, Duration keep) {
  std::vector<uint64_t> bases;
  if (keep.ns <= 0) return bases;
  for (const SnapshotPlace& place : OlderThanTheNewest(places)) {
    if (place.at.ns > 0 && now - place.at >= keep) bases.insert(bases.begin(), place.sequence);
  }
  return bases;
}

std::vector<uint64_t> SuperfluousSnapshots(std::span<const SnapshotPlace> places, uint64_t base,
                                           Duration keep) {
  std::vector<uint64_t> superfluous;
  const Duration apart{keep.ns / kBetween};
  Instant kept_at;  // time of the last snapshot that stays
  for (const SnapshotPlace& place : OlderThanTheNewest(places)) {
    const bool is_spaced =
        keep.ns > 0 && place.at.ns > 0 && (kept_at.ns == 0 || place.at - kept_at >= apart);
    if (place.sequence == base || is_spaced) {
      kept_at = place.at;
    } else {
      superfluous.push_back(place.sequence);
    }
  }
  return superfluous;
}

Status DropOld(Journal& journal, Instant now, const RetentionLimits& retention) {
  std::vector<SnapshotPlace> places = GP_TRY(PlacesOf(journal));
  for (const uint64_t base : NextBases(places, now, retention.keep)) {
    if (base > retention.until) continue;
    const Status begun = journal.BeginWith(base);
    if (begun) break;
    // A conflict means that the snapshot is damaged: the one before it is tried
    if (begun.error().code != ErrorCode::kConflict) return begun;
  }
  const uint64_t base = GP_TRY(journal.BaseNumber());
  std::erase_if(places, [&](const SnapshotPlace& place) { return place.sequence < base; });
  std::vector<uint64_t> superfluous = SuperfluousSnapshots(places, base, retention.keep);
  superfluous.resize(std::min(superfluous.size(), kDroppedAtOnce));
  return superfluous.empty() ? Ok() : journal.DropSnapshots(superfluous);
}

}  // namespace gp
