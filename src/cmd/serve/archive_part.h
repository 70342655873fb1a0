#pragma once

// The continuous copy of the journal for disaster recovery, as parts of the controller's start
// (docs/disaster_recovery.md).

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/inbound/metrics/controller_metrics.h"
#include "adapters/outbound/objects/object_archive.h"
#include "application/archive/archive_copier.h"
#include "cmd/admin/archive_key.h"
#include "cmd/serve/archive_verifier.h"
#include "cmd/serve/control_parts.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

// Opens the archive, if there is one.  A controller whose archive was restored elsewhere does not
// start; one that cannot reach its archive does.
class ArchivePart : public Component {
 public:
  ArchivePart(const ControllerConfig& config, OperatorLog& log, Clock& clock, JournalPart& journal,
              LeadPart& lead, RecoveryPart& recovery)
      : config_(config),
        log_(log),
        clock_(clock),
        journal_(journal),
        lead_(lead),
        recovery_(recovery) {}
  Status Start() override;

  Archiver* archiver() { return archiver_ ? &*archiver_ : nullptr; }  // nullptr: there is none
  std::vector<MetricFamily> Metrics() const;
  // Ends what waits for the store, for good.
  void GiveUp() { store_->Stop(); }
  // Fills in how far the archive is.  REQUIRES: there is one.
  void Fill(v1::Archive* archive) const;

 private:
  Result<ArchivedFiles> Files() const;
  Duration Lag() const;
  Status CheckNobodyClaims(const ArchiveAccess& access, const std::string& key);

  const ControllerConfig& config_;
  OperatorLog& log_;
  Clock& clock_;
  JournalPart& journal_;
  LeadPart& lead_;
  RecoveryPart& recovery_;
  Instant started_at_;
  std::unique_ptr<ObjectArchive> store_;
  std::optional<SealedArchive> sealed_;
  std::optional<Archiver> archiver_;
};

// Copies while the writer runs, and verifies the archive now and then.
class ArchiveCopyPart : public Component {
 public:
  ArchiveCopyPart(const ControllerConfig& config, OperatorLog& log, Clock& clock,
                  ArchivePart& archive)
      : config_(config), log_(log), clock_(clock), archive_(archive) {}
  Status Start() override;
  void Stop() override;

 private:
  const ControllerConfig& config_;
  OperatorLog& log_;
  Clock& clock_;
  ArchivePart& archive_;
  std::unique_ptr<ArchiveCopier> copier_;
  std::unique_ptr<ArchiveVerifier> verifier_;
};

}  // namespace gp
