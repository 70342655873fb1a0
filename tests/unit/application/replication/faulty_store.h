#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/outbound/memory/memory_quorum_store.h"
#include "base/ignore_result.h"

namespace gp {

// A store that loses requests and answers as a test says; without more faults it is sound.
class FaultyStore : public QuorumStore {
 public:
  enum class Fault { kNone, kAnswerLost, kLost, kLate };

  Committed Commit(const StoreTransaction& transaction) override {
    if (before_commit) std::exchange(before_commit, {})();
    transactions.push_back(transaction);
    const Fault fault = Next();
    if (fault == Fault::kNone) return sound.Commit(transaction);
    if (meanwhile) std::exchange(meanwhile, {})();
    if (fault == Fault::kAnswerLost) sound.Commit(transaction);
    if (fault == Fault::kLate) late.push_back([this, transaction] { sound.Commit(transaction); });
    return {CommitEnd::kUnknown, 0, "no answer"};
  }
  Result<StoreRead> Read(const KeyRange& range, size_t max) override {
    if (before_each_read) before_each_read();
    if (before_read) std::exchange(before_read, {})();
    if (reads_fail) return Fail(Unavailable("no answer"));
    return sound.Read(range, max);
  }
  Result<StoreLease> GrantLease(Duration wanted) override { return sound.GrantLease(wanted); }
  Result<bool> KeepLease(uint64_t lease) override { return sound.KeepLease(lease); }
  Status EndLease(uint64_t lease) override { return sound.EndLease(lease); }
  Status Forget(uint64_t before) override {
    if (reads_fail) return Fail(Unavailable("no answer"));
    forgotten.push_back(before);
    return Ok();
  }
  Result<StoreBytes> Bytes() override {
    if (reads_fail) return Fail(Unavailable("no answer"));
    return bytes ? *bytes : sound.Bytes();
  }
  std::unique_ptr<StoreWatch> Watch(const KeyRange& range, std::function<void()> changed) override {
    return sound.Watch(range, std::move(changed));
  }
  // Carries out what came late.
  void Arrive() {
    for (const auto& one : std::exchange(late, {})) one();
  }

  MemoryQuorumStore sound;
  std::deque<Fault> faults;  // of the next commits
  bool reads_fail = false;
  std::optional<StoreBytes> bytes;      // nullopt: of the sound store
  std::vector<uint64_t> forgotten;      // revisions
  std::function<void()> before_commit;  // happens once
  std::function<void()> before_read;    // happens once
  std::function<void()> before_each_read;
  std::function<void()> meanwhile;             // happens once, at the next commit without an answer
  std::vector<StoreTransaction> transactions;  // all that were sent
  std::vector<std::function<void()>> late;

 private:
  Fault Next() {
    if (faults.empty()) return Fault::kNone;
    const Fault fault = faults.front();
    faults.pop_front();
    return fault;
  }
};

}  // namespace gp
