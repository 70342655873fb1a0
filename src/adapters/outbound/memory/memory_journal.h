#pragma once

#include <deque>
#include <map>
#include <string>

#include "ports/outbound/journal.h"

namespace gp {

// A journal in memory: for tests and simulations, and for `serve --ephemeral`.  One thread at a
// time.
class MemoryJournal : public Journal {
 public:
  Appended Append(uint64_t epoch, uint64_t expected, std::span<const std::string> records) override;
  Status ReadAfter(uint64_t sequence,
                   const std::function<Status(uint64_t, std::string_view)>& visit) override;
  uint64_t LastSequence() const override { return swept_ + records_.size(); }
  uint64_t LastChain() const override { return chain_; }
  Status SaveSnapshot(const Snapshot& snapshot) override;
  Result<Snapshot> LatestSnapshot() override;
  Result<uint64_t> BaseNumber() override { return base_; }
  Result<Snapshot> Base() override;
  Result<std::vector<uint64_t>> Snapshots() override;
  Status BeginWith(uint64_t snapshot) override;
  Status DropSnapshots(std::span<const uint64_t> snapshots) override;
  Result<bool> Sweep() override;

  // Makes an empty journal continue after a snapshot that was made elsewhere.
  void GoOnAfter(const Snapshot& snapshot);

  // The next Append fails, as on a full disk.
  void FailNextAppend() { fail_next_ = true; }

 private:
  std::deque<std::string> records_;
  uint64_t swept_ = 0;  // records dropped from the beginning
  uint64_t base_ = 0;
  uint64_t chain_ = 0;
  std::map<uint64_t, std::string> snapshots_;  // by the last record that each contains
  AppendFence fence_;
  bool fail_next_ = false;
};

}  // namespace gp
