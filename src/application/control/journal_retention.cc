#include "application/control/journal_retention.h"

#include <algorithm>

#include "application/control/recover.h"

namespace gp {
namespace {

// The newest ones, so that damage to one of them is no loss while the records behind the other
// remain.  They are never the base, however old: whatever the clock says, the records of the last
// two stay.
constexpr size_t kNewest = 2;
// Between them and the base: this many, evenly in time, of which each may become the base.
constexpr int64_t kBetween = 8;
// A large one takes a second to remove.
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
  Instant kept_at;  // of the last one that stays
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

Status DropOld(Journal& journal, Instant now, const JournalRetention& retention) {
  std::vector<SnapshotPlace> places = GP_TRY(PlacesOf(journal));
  for (const uint64_t base : NextBases(places, now, retention.keep)) {
    if (base > retention.until) continue;
    const Status begun = journal.BeginWith(base);
    if (begun) break;
    // Else it is damaged: the one before will do
    if (begun.error().code != ErrorCode::kConflict) return begun;
  }
  const uint64_t base = GP_TRY(journal.BaseNumber());
  std::erase_if(places, [&](const SnapshotPlace& place) { return place.sequence < base; });
  std::vector<uint64_t> superfluous = SuperfluousSnapshots(places, base, retention.keep);
  superfluous.resize(std::min(superfluous.size(), kDroppedAtOnce));
  return superfluous.empty() ? Ok() : journal.DropSnapshots(superfluous);
}

}  // namespace gp
