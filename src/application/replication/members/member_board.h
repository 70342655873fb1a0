#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "application/control/recover.h"
#include "application/replication/lead/leader_entry.h"
#include "application/replication/store_keys.h"

namespace gp {

// What a controller has told of itself.
struct Member {
  std::string name;     // in the cluster
  std::string version;  // of its program
  AdvertisedAddresses addresses;
  uint64_t applied = 0;  // the last record that its state and its journal have, on its disk
  Instant told_at;       // the leader's time in the head that it had read
  // What it knows of the time, for itself after a restart: by the boot clock of this boot.  An
  // empty boot: nothing.
  std::string boot;
  Recovered::Sight sight;
  FormatRange formats;         // of records, that its program reads; it writes up to the newest
  std::string unfit;           // why it can never take the lead; empty: it can
  uint64_t differs_after = 0;  // Replica::differs_after()
  bool operator==(const Member&) const = default;
};

// What a program reads whose entry does not say so: those before it did.
inline constexpr FormatRange kFormatsUntold{16, 20};

// A member's entry as it was read.
struct SeenMember {
  Member member;
  uint64_t revision = 0;  // of its newest publication
};

// Where the controllers of a cluster tell of themselves.  Nothing is decided by it.
class MemberBoard {
 public:
  MemberBoard(QuorumStore& store, StoreKeys keys) : store_(store), keys_(std::move(keys)) {}

  // What a transaction puts to publish it.
  StorePut PutOf(const Member& member) const;
  // Errors: kUnavailable.
  Status Publish(const Member& member);
  // nullopt: it has never told of itself.  Errors: kUnavailable, kInternal (damaged).
  Result<std::optional<Member>> Find(const std::string& name);
  // Those that have ever told of themselves, by name.  Of an entry that this program cannot read,
  // only the name is known.  Errors: kUnavailable.
  Result<std::vector<SeenMember>> All();
  // Forgets one.  Errors: kUnavailable.
  Status Remove(const std::string& name);

 private:
  QuorumStore& store_;
  const StoreKeys keys_;
};

}  // namespace gp
