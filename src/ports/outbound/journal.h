#pragma once

// The memory of the controller: an append-only sequence of records, and snapshots that let old
// records go.  It moves bytes; what they mean is the codec's business.  Every record carries a
// checksum and the chain value of the one before it, so that recovery yields a true prefix or says
// what is damaged, and never a wrong record.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gp {

struct Snapshot {
  uint64_t sequence = 0;  // the last record that it contains; 0: none
  std::string bytes;
};

class Journal {
 public:
  virtual ~Journal() = default;

  // Appends all or none and returns when they are durable.  Records are numbered from 1 without
  // gaps.  Errors: kInternal (disk full, I/O): the caller must stop, its state is ahead.
  virtual Status Append(std::span<const std::string> records) = 0;
  // Calls `visit` for every record after `sequence`, in order, until it fails.
  // Errors: kInternal with the number of the first damaged or missing record.
  virtual Status ReadAfter(uint64_t sequence,
                           const std::function<Status(uint64_t, std::string_view)>& visit) = 0;
  virtual uint64_t LastSequence() const = 0;
  // Makes the snapshot durable; then records that it contains may be dropped.
  virtual Status SaveSnapshot(const Snapshot& snapshot) = 0;
  // The newest snapshot that is whole; sequence 0 and no bytes where there is none.
  virtual Result<Snapshot> LatestSnapshot() = 0;
  // Of the last record that was dropped and that a snapshot, the base, stands for; 0: none was
  // dropped.
  virtual Result<uint64_t> BaseNumber() = 0;
  // Where reading begins: nothing (sequence 0) where no record was dropped, else the snapshot that
  // stands for those that were; where that one is damaged, the oldest whole one behind it.
  virtual Result<Snapshot> Base() = 0;
  // Of the base and all snapshots behind it, oldest first.
  virtual Result<std::vector<uint64_t>> Snapshots() = 0;
  // Drops all records before that of this snapshot, which is the base from then on, and all
  // snapshots before it. Errors: kConflict: it is not there or not whole, or older than the base.
  virtual Status BeginWith(uint64_t snapshot) = 0;
  // The base stays in any case.
  virtual Status DropSnapshots(std::span<const uint64_t> snapshots) = 0;
  // Gives back some of the room of what was dropped, in some milliseconds; whether there is more of
  // it.
  virtual Result<bool> Sweep() = 0;
};

}  // namespace gp
