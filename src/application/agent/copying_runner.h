#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "application/agent/wrapping_runner.h"
#include "ports/outbound/clock.h"
#include "ports/outbound/data_store.h"

namespace gp {

// Wraps an AttemptRunner and copies what attempts leave.  A complete checkpoint is passed on only
// once it is copied, so that the controller counts on none that is lost with this host; an attempt
// has ended only once its last checkpoints and its artifacts are copied, or cannot be.  One thread
// (the agent's) calls it.
class CopyingRunner : public WrappingRunner {
 public:
  // How long the end of an attempt waits for its copies.
  static constexpr Duration kCopyMax = Duration::Minutes(30);

  // All outlive it.
  CopyingRunner(DataStore& data, AttemptRunner& runner, Clock& clock);

  Status Start(const LaunchSpec& spec) override { return runner_.Start(spec); }
  void SetCopies(const std::string& key, const CopyOrders& orders) override;
  // Without grace it waits for no copy.
  void Stop(const std::string& key, Duration grace) override;
  std::vector<AttemptStatus> Observe() override;
  Status Forget(const std::string& key) override;

 private:
  struct Attempt {
    std::optional<CopyOrders> orders;  // nullopt: they have not come since this program started
    std::map<int64_t, CheckpointReport> reports;  // that the controller has not recorded, by number
    std::set<int64_t> copied;                     // of them
    int64_t copying = 0;                          // the one that is being copied; 0: none
    std::map<std::string, Status> artifacts;      // by URL
    int64_t ended_at_ns = 0;  // boot time when its end was first seen; 0: it runs
    bool waits_no_more = false;
  };

  void Pass(AttemptStatus& status);
  // Whether all reports are decided; from the first one that is not on, they are left out.
  bool PassCheckpoints(Attempt& attempt, AttemptStatus& status);
  bool CopyNewest(Attempt& attempt, const LaunchSpec& launch);
  static void Decide(Attempt& attempt, CheckpointReport& report, const Status& copied);
  bool CopyArtifacts(Attempt& attempt, AttemptStatus& status);
  std::optional<Status> CopyCheckpoint(const Attempt& attempt, const LaunchSpec& launch,
                                       const CheckpointReport& report);
  bool MayWait(Attempt& attempt);

  DataStore& data_;
  Clock& clock_;
  std::map<std::string, Attempt> attempts_;  // that copy anything, by key
};

}  // namespace gp
