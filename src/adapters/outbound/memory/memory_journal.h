#pragma once

// A journal in memory: for tests and simulations, and for `serve --ephemeral`.

#include <string>
#include <vector>

#include "ports/outbound/journal.h"

namespace gp {

class MemoryJournal : public Journal {
 public:
  Status Append(std::span<const std::string> records) override;
  Status ReadAfter(uint64_t sequence,
                   const std::function<Status(uint64_t, std::string_view)>& visit) override;
  uint64_t LastSequence() const override { return records_.size(); }
  Status SaveSnapshot(const Snapshot& snapshot) override;
  Result<Snapshot> LatestSnapshot() override { return snapshot_; }

  // The next Append fails, as on a full disk.
  void FailNextAppend() { fail_next_ = true; }

 private:
  std::vector<std::string> records_;
  Snapshot snapshot_;
  bool fail_next_ = false;
};

}  // namespace gp
