#pragma once

// A journal in memory: for tests and simulations, and for `serve --ephemeral`.

#include <deque>
#include <map>
#include <string>

#include "ports/outbound/journal.h"

namespace gp {

class MemoryJournal : public Journal {
 public:
  Status Append(std::span<const std::string> records) override;
  Status ReadAfter(uint64_t sequence,
                   const std::function<Status(uint64_t, std::string_view)>& visit) override;
  uint64_t LastSequence() const override { return dropped_ + records_.size(); }
  Status SaveSnapshot(const Snapshot& snapshot) override;
  Result<Snapshot> LatestSnapshot() override;
  Result<Snapshot> Base() override;
  Result<std::vector<uint64_t>> Snapshots() override;
  Status Drop(std::span<const uint64_t> snapshots, uint64_t first_kept) override;

  // The next Append fails, as on a full disk.
  void FailNextAppend() { fail_next_ = true; }

 private:
  std::deque<std::string> records_;
  uint64_t dropped_ = 0;                      // records before the first one that is there
  std::map<uint64_t, std::string> snapshots_;  // by the last record that each contains
  bool fail_next_ = false;
};

}  // namespace gp
