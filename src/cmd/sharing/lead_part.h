#pragma once

// The lead of one of several controllers, as a part of its start.

#include <functional>
#include <memory>
#include <optional>

#include "adapters/inbound/api/streams/change_feed.h"
#include "adapters/outbound/etcd/etcd_store.h"
#include "application/replication/care/store_care.h"
#include "application/replication/lead/lead_keeper.h"
#include "application/replication/lead/store_leadership.h"
#include "application/replication/log/shared_journal.h"
#include "application/replication/members/cluster_identity.h"
#include "application/replication/members/controllers.h"
#include "application/replication/shared_secrets.h"
#include "application/replication/standby.h"
#include "cmd/serve/certificates_part.h"
#include "cmd/serve/storage_parts.h"
#include "cmd/sharing/reads_part.h"
#include "cmd/sharing/relay_part.h"
#include "cmd/sharing/shared_mark.h"

namespace gp {

// A controller decides nothing, and opens no door, before it leads.  Without a store it is the only
// one.  With a store it follows the shared log as a standby until nobody else leads.
class LeadPart : public Component {
 public:
  struct Standing {
    std::function<void()> begins;     // it follows the log
    std::function<bool()> is_ended;   // it is to stop; asked several times a second
    std::function<void()> step_down;  // it is to stop, as a leader that gives the lead up
  };
  struct Uses {
    DirectoriesPart& directories;
    JournalPart& journal;
    RecordsPart& records;
    CertificatesPart& certificates;
    RelayPart& relay;
    ReadsPart& reads;
  };
  LeadPart(const ControllerConfig& config, OperatorLog& log, Clock& clock, Uses uses,
           Standing standing)
      : config_(config), log_(log), clock_(clock), uses_(uses), standing_(std::move(standing)) {}
  // Returns when this controller leads.  kUnavailable: it was to stop before.
  Status Start() override;
  // Tells the standbys that the doors which close from now on do so in order.
  void BeginStop();
  // Gives the lead up, so that a standby need not wait.
  void Stop() override;

  std::string name() const { return name_; }  // of this controller in its cluster
  bool is_shared() const { return store_ != nullptr; }
  // It leads with a shared log that a leader has written before.
  bool has_older_log() const { return standby_ && standby_->head().term != 0; }
  Journal& journal() { return journal_ ? *journal_ : uses_.journal.journal(); }
  // nullptr: no other controller can lead.
  Leadership* leadership() { return leadership_ ? &*leadership_ : nullptr; }
  // nullptr: it is the only controller.
  Controllers* controllers() { return controllers_ ? &*controllers_ : nullptr; }
  // nullptr: there are none.
  SecretKeeper* secrets();
  // Begun while it was a standby, so that clients may go on here.
  ChangeFeed& changes() { return changes_; }
  // Whether the store has room for more.  Errors: kResourceExhausted.  REQUIRES: it leads.  Any
  // thread.
  Status AcceptsJobs() const { return space_->AcceptsJobs(); }
  // The newest format of records that every controller read a few seconds ago; 0: unknown.  Any
  // thread.
  uint64_t FormatOfAllSeen() const;
  // Of a controller that was a standby.
  std::optional<Recovered> TakeState();

 private:
  Status Connect();
  Status Follow();
  Status FollowSecrets();
  Status Recover();
  void TellOf(Standby::Role role);
  Status MarkWhenFollowing();
  Status ShareIdentity();
  Status Lead();
  void CareForStore();
  uint64_t AuditedUntil() const;
  [[noreturn]] void StopDeposed(const std::string& why);
  [[noreturn]] void StopStuck();

  const ControllerConfig& config_;
  OperatorLog& log_;
  Clock& clock_;
  const Uses uses_;
  const Standing standing_;
  std::string name_;
  LeaderEntry entry_;  // what it tells of itself as a leader
  ChangeFeed changes_;
  std::unique_ptr<EtcdStore> store_;
  std::optional<SharedLog> log_of_all_;
  std::optional<LeaderKey> key_;
  std::optional<Replica> replica_;
  std::optional<Standby> standby_;
  std::optional<Controllers> controllers_;
  std::optional<SharedSecrets> secrets_;
  ClusterIdentity identity_;
  SharedMark mark_;  // as it was at the start
  bool is_marked_ = false;
  bool is_unfit_told_ = false;
  int64_t secrets_not_before_ns_ = 0;  // boot time
  NewChunks written_;
  std::optional<LogWriter> writer_;
  std::optional<SharedJournal> journal_;
  std::optional<StoreLeadership> leadership_;
  std::optional<LeadKeeper> keeper_;
  std::optional<LogTrimmer> trimmer_;
  std::optional<StoreCompactor> compactor_;
  std::optional<StoreSpace> space_;
  std::optional<StoreCare> care_;
};

}  // namespace gp
