#include "application/control/journal_retention.h"

#include <algorithm>

#include "application/control/recover.h"

namespace gp {
namespace {

// The newest ones, so that damage to one of them is no loss while the records behind the other remain.
constexpr size_t kNewest = 2;
// Between them and the beginning: this many, evenly in time, of which each may become the beginning.
constexpr int64_t kBetween = 8;

bool IsOld(const SnapshotPlace& place, Instant now, Duration keep) { return place.at.ns > 0 && now - place.at >= keep; }

// The newest that is old enough to stand for all before it.
const SnapshotPlace* NewBase(std::span<const SnapshotPlace> places, Instant now, Duration keep) {
  const SnapshotPlace* base = nullptr;
  for (const SnapshotPlace& place : places) {
    if (keep.ns > 0 && IsOld(place, now, keep)) base = &place;
  }
  return base;
}

}  // namespace

JournalDrops WhatToDrop(std::span<const SnapshotPlace> places, uint64_t base, Instant now, Duration keep) {
  JournalDrops drops;
  const SnapshotPlace* new_base = NewBase(places, now, keep);
  drops.first_kept = std::max(base, new_base != nullptr ? new_base->sequence : 0);
  const size_t between = places.size() - std::min(places.size(), kNewest);
  Instant kept_at;  // of the last one that stays
  for (size_t i = 0; i < places.size(); ++i) {
    const SnapshotPlace& place = places[i];
    const bool is_base = place.sequence == drops.first_kept;
    const bool is_spaced = keep.ns > 0 && place.at.ns > 0 && (kept_at.ns == 0 || place.at - kept_at >= Duration::Nanoseconds(keep.ns / kBetween));
    const bool stays = is_base || (place.sequence > drops.first_kept && (i >= between || is_spaced));
    if (stays) kept_at = place.at;
    if (!stays) drops.snapshots.push_back(place.sequence);
  }
  return drops;
}

Status DropOld(Journal& journal, Instant now, Duration keep) {
  std::vector<SnapshotPlace> places;
  for (const uint64_t sequence : GP_TRY(journal.Snapshots())) places.push_back({sequence, TimeOf(journal, sequence)});
  const JournalDrops drops = WhatToDrop(places, GP_TRY(journal.Base()).sequence, now, keep);
  if (drops == JournalDrops{}) return Ok();
  return journal.Drop(drops.snapshots, drops.first_kept);
}

}  // namespace gp
