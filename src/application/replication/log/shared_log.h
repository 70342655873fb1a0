#pragma once

// The log of a cluster with several controllers: the records of the journal, in chunks, in a store
// that a majority of machines keeps (docs/controllers.md).  What is in it is decided; everything
// else, the controllers' own journals included, follows from it.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "application/replication/log/log_chunk.h"
#include "application/replication/log/new_chunks.h"
#include "application/replication/store_keys.h"
#include "ports/outbound/journal.h"
#include "ports/outbound/quorum_store.h"

namespace gp {

// Where the log ends.
struct LogHead {
  uint64_t last = 0;  // the number of its last record
  uint64_t chain = 0;
  Instant time;           // the leader's, when it last noted it
  uint64_t term = 0;      // of the leader that wrote last
  uint64_t revision = 0;  // in which the store has it; not a part of the value
  bool operator==(const LogHead&) const = default;
};

// Reads the log.  One thread at a time calls it.
class SharedLog {
 public:
  SharedLog(QuorumStore& store, StoreKeys keys) : store_(store), keys_(std::move(keys)) {}

  QuorumStore& store() { return store_; }
  const StoreKeys& keys() const { return keys_; }

  // nullopt: there is no log yet.
  Result<std::optional<LogHead>> Head();
  // Creates the log, which goes on after the last record of a journal.  That another controller has
  // done so meanwhile is no error.
  Status Create(uint64_t last, uint64_t chain);

  // Some chunks in order, the first one beginning with the record after `sequence`; none if nothing
  // follows soon.  Errors: kConflict (as WhyMissing, or a chunk is missing), kUnavailable,
  // kInternal (damaged).
  Result<std::vector<LogChunk>> ReadAfter(uint64_t sequence);
  // Why no chunk begins with the record after `sequence`, though the log ends later.  kConflict: a
  // journal that ends there cannot be continued from this log.
  Error WhyMissing(uint64_t sequence);
  // Where some of the chunks are that begin with one of these records, in order; none: there are no
  // more.  Errors: kUnavailable.
  Result<std::vector<ChunkPlace>> ReadPlaces(uint64_t from, uint64_t last);

 private:
  Result<StoreRead> ReadSome(const KeyRange& range);
  // The first record that it has, or would have.
  Result<uint64_t> First();

  QuorumStore& store_;
  const StoreKeys keys_;
  size_t read_max_ = 16;  // chunks; fewer after a read that a slow link did not finish in time
};

// Appends to the log for one term of one leader.  One thread at a time calls it.
class LogWriter {
 public:
  // Called after a commit without an answer, with the number of tries so far: waits a little.
  // False: it is not tried again.
  using TryAgain = std::function<bool(int tries)>;

  // `head`: the end of the log, as read since the term began.  `written`: notes what it has
  // written; outlives it; nullptr: nobody wants to know.
  LogWriter(SharedLog& log, uint64_t term, const LogHead& head, TryAgain try_again,
            NewChunks* written = nullptr)
      : log_(log), term_(term), head_(head), try_again_(std::move(try_again)), written_(written) {}

  // Each chunk is one transaction, which holds only while this term lasts and the log ends where
  // this writer has left it.  Without an answer the same transaction is tried again, byte for byte:
  // its conditions let it be carried out once.  kDeposed and kUnknown: some of the first records
  // may be in the log.
  Appended Append(std::span<const std::string> records);
  // The digest of the state as of record `last`: the next chunk tells the standbys, if it follows.
  void TellState(uint64_t last, uint64_t digest) { told_ = {last, digest}; }
  // Notes the leader's time in the head, and what else is to be put.  Its end is that of an append.
  Appended NoteTime(Instant time, std::vector<StorePut> also);
  uint64_t last() const { return head_.last; }

 private:
  struct Told {
    uint64_t last = 0;
    uint64_t digest = 0;
  };
  Appended AppendChunk(std::span<const std::string> records);
  // Commits what also puts the head, under the conditions of this writer.
  Appended Commit(StoreTransaction transaction, LogHead after);
  // A condition did not hold: whether the head is there all the same, by an earlier try.
  std::optional<Appended> FindOwn(const std::string& value, const LogHead& after);

  SharedLog& log_;
  const uint64_t term_;
  LogHead head_;
  const TryAgain try_again_;
  NewChunks* const written_;
  Told told_;
};

}  // namespace gp
