#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "files/replace_file.h"

namespace gp {

// Notifications that wait for one receiver, in order, one file each: they survive the process.
// Callers on several threads take turns; Write and Sync may run beside other calls.
class Outbox {
 public:
  static constexpr size_t kWaitingMax = 10'000;  // further ones are dropped
  static constexpr size_t kRefusedMax = 1'000;   // the oldest are removed first

  // `directory` is created if absent.  `now`, as all times here, is an instant of the ledger.
  static Result<Outbox> Open(const std::string& directory, Instant now);

  struct Waiting {
    uint64_t number = 0;  // time of the event in nanoseconds, or slightly more; defines the order
    std::string body;
  };
  // Assigns a number to an event of that time; kResourceExhausted: the outbox is full.  The
  // notification waits once it is written and inserted.  Writing is slow and needs no lock.
  Result<uint64_t> Number(Instant at);
  Status Write(uint64_t number, const std::string& body, Survives survives) const;
  void Insert(uint64_t number, Instant now);
  // When it returns, everything written so far survives a power cut.
  Status Sync() const;
  // The oldest one; nullopt: none waits. kInternal: it cannot be read now.
  Result<std::optional<Waiting>> First();
  void Remove(uint64_t number);
  // Moves it to `refused`, where an operator can look at it.
  void Refuse(uint64_t number);
  // Refuses all that happened before `at` and returns their number.  One with a time in the future,
  // as after the loss of the journal, counts from when it was inserted or found here.
  size_t RefuseBefore(Instant at);
  size_t size() const { return waiting_.size(); }

 private:
  explicit Outbox(std::string directory) : directory_(std::move(directory)) {}
  std::string PathOf(uint64_t number) const;
  void PutAside(uint64_t number);
  void ForgetOldRefused();

  std::string directory_;
  std::map<uint64_t, Instant> waiting_;  // with the time of the event
  uint64_t last_ = 0;
};

}  // namespace gp
