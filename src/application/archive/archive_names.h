#pragma once

// The names of an archive's objects, which alone show that nothing is missing
// (docs/disaster_recovery.md).  Pure.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "ports/outbound/object_store.h"

namespace gp {

// Consecutive records.
struct RecordsName {
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t chain_before = 0;
  uint64_t chain_after = 0;
  auto operator<=>(const RecordsName&) const = default;
};

// The state after a record; sequence and chain 0: before the first record.
struct SnapshotName {
  uint64_t sequence = 0;
  uint64_t chain = 0;
  auto operator<=>(const SnapshotName&) const = default;
};

// Records up to this one may be missing: they were never archived, or have been deleted.
struct BeginName {
  uint64_t sequence = 0;
  auto operator<=>(const BeginName&) const = default;
};

// The files beside the journal, as of a time of the wall clock.
struct FilesName {
  Instant at;
  auto operator<=>(const FilesName&) const = default;
};

// Everything up to the snapshot of this record was read back, at a time of the wall clock.
struct VerifiedName {
  uint64_t sequence = 0;
  Instant at;
  auto operator<=>(const VerifiedName&) const = default;
};

std::string NameOf(uint64_t lineage, const RecordsName& records);
std::string NameOf(uint64_t lineage, const SnapshotName& snapshot);
std::string NameOf(uint64_t lineage, const BeginName& begin);
std::string NameOf(uint64_t lineage, const FilesName& files);
std::string NameOf(uint64_t lineage, const VerifiedName& verified);
std::string ClaimName(uint64_t lineage);

std::string FolderOf(uint64_t lineage);
std::string SnapshotsFolder(uint64_t lineage);
// Where objects are that begin with this record.
std::string RecordsFolder(uint64_t lineage, uint64_t first);
inline constexpr uint64_t kRecordsPerFolder = 10'000;

// Objects of one kind by their names, in order.
template <typename Name>
using Named = std::map<Name, StoredObject>;

// What an archive has of one lineage.
struct LineageObjects {
  Named<RecordsName> records;
  Named<SnapshotName> snapshots;
  Named<BeginName> begins;
  Named<FilesName> files;
  Named<VerifiedName> verified;
  bool is_claimed = false;  // the lineage goes on elsewhere

  // The newest record that any object has or stands for.
  uint64_t NewestRecord() const;
  // Records after this one must be there.
  uint64_t Begin() const { return begins.empty() ? 0 : begins.rbegin()->first.sequence; }
};

// All lineages of a list, by number.  Names of no such form are left out: `strangers` receives
// them, if it is not nullptr.
std::map<uint64_t, LineageObjects> ReadNames(std::span<const StoredObject> objects,
                                             std::vector<std::string>* strangers = nullptr);

}  // namespace gp
