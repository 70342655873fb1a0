#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gp {

// The encoded state as of one record.
struct Snapshot {
  uint64_t sequence = 0;  // the last record that it contains; 0: none
  std::string bytes;
};

// The memory of the controller: an append-only sequence of records, and snapshots that allow old
// records to be dropped.  It stores bytes; the codec gives them meaning.  Every record carries a
// checksum and the chain value of the record before it, so recovery returns a true prefix or says
// what is damaged, but never a wrong record.  One thread at a time calls it.
class Journal {
 public:
  virtual ~Journal() = default;

  // Appends all records or none, and returns when they are durable.  Records are numbered from 1
  // without gaps.  Errors: kInternal (disk full, I/O); the caller must then stop, because its state
  // is ahead of the journal.
  virtual Status Append(std::span<const std::string> records) = 0;
  // Calls `visit` for every record after `sequence`, in order, until `visit` fails.
  // Errors: kInternal with the number of the first damaged or missing record.
  virtual Status ReadAfter(uint64_t sequence,
                           const std::function<Status(uint64_t, std::string_view)>& visit) = 0;
  virtual uint64_t LastSequence() const = 0;
  // Makes the snapshot durable; the records that it contains may then be dropped.
  virtual Status SaveSnapshot(const Snapshot& snapshot) = 0;
  // The newest intact snapshot; sequence 0 and no bytes if there is none.
  virtual Result<Snapshot> LatestSnapshot() = 0;
  // Number of the last dropped record, up to which a snapshot, the base, stands for all records;
  // 0: no record was dropped.
  virtual Result<uint64_t> BaseNumber() = 0;
  // Where reading begins: sequence 0 if no record was dropped, else the base; if the base is
  // damaged, the oldest intact snapshot after it.
  virtual Result<Snapshot> Base() = 0;
  // Numbers of the base and all later snapshots, oldest first.
  virtual Result<std::vector<uint64_t>> Snapshots() = 0;
  // Makes this snapshot the base and drops all records and snapshots before it.  Errors: kConflict
  // (the snapshot does not exist, is damaged, or is older than the base).
  virtual Status BeginWith(uint64_t snapshot) = 0;
  // Drops these snapshots; never drops the base.
  virtual Status DropSnapshots(std::span<const uint64_t> snapshots) = 0;
  // Frees some disk space of dropped records and snapshots, within milliseconds.  Returns whether
  // there is more to free.
  virtual Result<bool> Sweep() = 0;
};

}  // namespace gp
