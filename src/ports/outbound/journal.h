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
  // Where reading begins: nothing (sequence 0) where record 1 is there, else the oldest snapshot that is whole and
  // behind which records are.
  virtual Result<Snapshot> Base() = 0;
  // Of all snapshots, oldest first.
  virtual Result<std::vector<uint64_t>> Snapshots() = 0;
  // Removes these snapshots, and of the records before `first_kept` (0: of none) as many as take no longer than a
  // snapshot does: who asks again gets on.  Errors: kConflict: no whole snapshot of `first_kept` would stay.
  virtual Status Drop(std::span<const uint64_t> snapshots, uint64_t first_kept) = 0;
};

}  // namespace gp
