#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace gp {

// One key of the store.  Revisions number the changes of the whole store: a later commit has a
// higher one.
struct StoreEntry {
  std::string key;
  std::string value;
  uint64_t created = 0;   // the revision in which the key was put while it did not exist
  uint64_t modified = 0;  // the revision of its newest put
  bool operator==(const StoreEntry&) const = default;
};

struct KeyRange {
  std::string first;
  std::string end;  // exclusive; empty: only `first`
};
// All keys that begin with it.  REQUIRES: its last byte is not 0xff.
inline KeyRange KeysUnder(const std::string& prefix) {
  KeyRange range{prefix, prefix};
  ++range.end.back();
  return range;
}

// Holds if the key has this revision; 0: if the key does not exist.
struct StoreCondition {
  enum class Of { kCreated, kModified };
  std::string key;
  Of of = Of::kCreated;
  uint64_t revision = 0;
};

struct StorePut {
  std::string key;
  std::string value;
  uint64_t lease = 0;  // the key is deleted when this lease ends; 0: it stays
};

// All puts and deletions are carried out at once if all conditions hold, else nothing is.
struct StoreTransaction {
  std::vector<StoreCondition> conditions;
  std::vector<StorePut> puts;
  std::vector<KeyRange> deletions;
};

enum class CommitEnd {
  kCommitted,  // a majority has written it to its disks
  kRefused,    // a condition did not hold
  kUnknown,    // no answer: it is carried out, or will be later, or never
};

struct Committed {
  CommitEnd end = CommitEnd::kUnknown;
  uint64_t revision = 0;  // of the store, with kCommitted: that of all its puts
  std::string why;        // not committed: the reason, for an operator
};

struct StoreRead {
  std::vector<StoreEntry> entries;  // by key
  bool has_more = false;            // the limit left some off
};

struct StoreLease {
  uint64_t id = 0;
  Duration granted;  // may differ from what was wanted
};

struct StoreBytes {
  uint64_t in_use = 0;  // for all that it has not forgotten
  // On its disk, which counts against its quota.  What was forgotten leaves room there, but gives
  // nothing back before an operator has defragmented it.
  uint64_t file = 0;
};

// Ends the watch when it is destroyed; no call is under way afterwards.
class StoreWatch {
 public:
  virtual ~StoreWatch() = default;
};

// A small key-value store that a majority of several machines keeps, such as etcd.  Controllers
// share their log and their lead by it.  Every call waits for at most about a second and never
// repeats a transaction by itself: whether it may be repeated is the caller's knowledge.  A call
// that finds no answer makes the next one ask another machine of the store.  Any thread.
class QuorumStore {
 public:
  virtual ~QuorumStore() = default;

  virtual Committed Commit(const StoreTransaction& transaction) = 0;
  // The newest keys of a range, at most `max`: all that was committed before the call is seen (a
  // linearizable read).  Errors: kUnavailable (no majority answers).
  virtual Result<StoreRead> Read(const KeyRange& range, size_t max) = 0;

  // Leases serve liveness alone: their time passes by the clocks of the store, which may be wrong.
  virtual Result<StoreLease> GrantLease(Duration wanted) = 0;
  // False: the lease has ended.  Errors: kUnavailable.
  virtual Result<bool> KeepLease(uint64_t lease) = 0;
  // Errors: kUnavailable; then it ends by itself when its time is over.
  virtual Status EndLease(uint64_t lease) = 0;

  // What keys were before this revision is forgotten, of the whole store and whoever uses it, which
  // makes room; what they are stays.  That it is forgotten already is no error.  Errors:
  // kUnavailable.
  virtual Status Forget(uint64_t before) = 0;
  // Of the machine that answers; the others differ a little.  Errors: kUnavailable.
  virtual Result<StoreBytes> Bytes() = 0;

  // Calls `changed`, which must not wait, soon after a key of the range has changed.  It is a hint:
  // it may come without a change, and changes may be missed while the store does not answer.
  virtual std::unique_ptr<StoreWatch> Watch(const KeyRange& range,
                                            std::function<void()> changed) = 0;
};

}  // namespace gp
