#pragma once

// Notifications that wait for one receiver, a file each, in their order: they outlive the process.
// Any thread, one at a time; Write and Sync beside others.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "files/replace_file.h"

namespace gp {

class Outbox {
 public:
  static constexpr size_t kWaitingMax = 10'000;  // more are not kept
  static constexpr size_t kRefusedMax = 1'000;   // the oldest of them go

  // `directory` is made where it is not.  `now`, as all times here: by the instants of the ledger.
  static Result<Outbox> Open(const std::string& directory, Instant now);

  struct Waiting {
    uint64_t number = 0;  // when it happened, in nanoseconds, or a little more: it tells the order
    std::string body;
  };
  // A number for what happened then; kResourceExhausted: as many wait as may.  It waits once it is
  // written and inserted: writing takes its time, and needs nobody else to stand by.
  Result<uint64_t> Number(Instant at);
  Status Write(uint64_t number, const std::string& body, Survives survives) const;
  void Insert(uint64_t number, Instant now);
  // What was written survives a power cut from here on.
  Status Sync() const;
  // The oldest; nullopt: none waits.  kInternal: it cannot be read now.
  Result<std::optional<Waiting>> First();
  void Remove(uint64_t number);
  // It is kept in `refused`, beside those that wait, for a person to look at.
  void Refuse(uint64_t number);
  // All that happened before; how many.  What seems to come from the future, as where the journal
  // was lost, happened when it was inserted or found here.
  size_t RefuseBefore(Instant at);
  size_t size() const { return waiting_.size(); }

 private:
  explicit Outbox(std::string directory) : directory_(std::move(directory)) {}
  std::string PathOf(uint64_t number) const;
  void PutAside(uint64_t number);
  void ForgetOldRefused();

  std::string directory_;
  std::map<uint64_t, Instant> waiting_;  // with when they happened
  uint64_t last_ = 0;
};

}  // namespace gp
