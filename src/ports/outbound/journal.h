#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "base/time.h"

namespace gp {

// The encoded state as of one record.
struct Snapshot {
  uint64_t sequence = 0;  // the last record that it contains; 0: none
  std::string bytes;
};

// The chain of a record binds it to all before it: two journals with one chain at a record have the
// same records until there.
inline uint64_t NextChain(uint64_t chain, std::string_view record) {
  return Digest64(record, chain);
}

// What is written in a journal: records, numbered from 1 without gaps, and snapshots that stand for
// old ones.  It stores bytes; the codec gives them meaning.  Every record carries a checksum and
// the chain value of the record before it, so reading returns a true prefix or says what is
// damaged, but never a wrong record.  One thread at a time calls it.
class JournalReader {
 public:
  virtual ~JournalReader() = default;

  // Calls `visit` for every record after `sequence`, in order, until `visit` fails.
  // Errors: kInternal with the number of the first damaged or missing record.
  virtual Status ReadAfter(uint64_t sequence,
                           const std::function<Status(uint64_t, std::string_view)>& visit) = 0;
  virtual uint64_t LastSequence() const = 0;
  // The chain of the last record; 0: there is none.
  virtual uint64_t LastChain() const = 0;
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
};

// Saves snapshots, and drops what they stand for.
class JournalRetention {
 public:
  virtual ~JournalRetention() = default;

  // Makes the snapshot durable; the records that it contains may then be dropped.
  virtual Status SaveSnapshot(const Snapshot& snapshot) = 0;
  // Makes this snapshot the base and drops all records and snapshots before it.  Errors: kConflict
  // (the snapshot does not exist, is damaged, or is older than the base).
  virtual Status BeginWith(uint64_t snapshot) = 0;
  // Drops these snapshots; never drops the base.
  virtual Status DropSnapshots(std::span<const uint64_t> snapshots) = 0;
  // Frees some disk space of dropped records and snapshots, within milliseconds.  Returns whether
  // there is more to free.
  virtual Result<bool> Sweep() = 0;
};

// How an append ended.
enum class AppendEnd {
  kDurable,  // all records are written, and survive a power cut
  kDeposed,  // none is written: another controller leads, or has written meanwhile
  kUnknown,  // they may be written or not: the disk is full, or fails
};

struct Appended {
  AppendEnd end = AppendEnd::kDurable;
  std::string why;  // not durable: the reason, for an operator
  bool operator==(const Appended&) const = default;
};

// The memory of the controller.
class Journal : public JournalReader, public JournalRetention {
 public:
  // Appends all records or none after record `expected`, and returns when they are durable.
  // `epoch`: of the controller that writes; a journal that has taken records of a later epoch takes
  // none of an earlier one.  0: no controller writes, but a copy is made.
  // Unless the end is kDurable, a controller must stop, because its state is ahead of the journal.
  virtual Appended Append(uint64_t epoch, uint64_t expected,
                          std::span<const std::string> records) = 0;
  // No record may have more bytes.
  virtual size_t RecordMax() const { return SIZE_MAX; }
  // Tells controllers that may take over what time it is for the leader; called about once a second
  // where there are several.  The end is that of an append without records.
  virtual Appended NoteTime(Instant) { return {}; }
};

// Guards the appends of a journal that one process at a time has open.
class AppendFence {
 public:
  // kDurable: these records may be written after record `last`.
  Appended Check(uint64_t epoch, uint64_t expected, uint64_t last) {
    if (epoch < epoch_)
      return {AppendEnd::kDeposed, "journal: epoch " + std::to_string(epoch_) + " has begun, and " +
                                       std::to_string(epoch) + " is over"};
    if (expected != last)
      return {AppendEnd::kDeposed, "journal: it ends with record " + std::to_string(last) +
                                       ", not " + std::to_string(expected) +
                                       ": another controller has written"};
    epoch_ = epoch;
    return {};
  }

 private:
  uint64_t epoch_ = 0;  // the latest one that was written
};

}  // namespace gp
