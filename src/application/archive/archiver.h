#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "application/archive/archive_way.h"
#include "application/archive/sealed_archive.h"
#include "application/backup/copy_journal.h"
#include "base/result.h"
#include "base/time.h"
#include "ports/outbound/journal.h"

namespace gp {

// Calls a function with the controller's own journal, on the writer's thread.  Errors: kUnavailable
// (the writer has stopped).
using JournalAccess = std::function<Status(const std::function<void(JournalReader&)>&)>;

// How far an archive is.
struct ArchiveStatus {
  uint64_t lineage = 0;
  uint64_t archived = 0;  // the newest record in the archive, without a gap before
  uint64_t last = 0;      // the newest record of the journal, as last seen
  // By the wall clock: all records that were durable then are in the archive; ns == 0: never yet.
  Instant complete_until;
  VerifiedName verified;  // the newest verification; at.ns == 0: none yet
  std::string trouble;    // what failed in the last turn; empty: nothing did
  bool copies = true;     // the last turn had no trouble with the records
};

// Looks whether the lineage goes on elsewhere.  Errors: kConflict: it does, and for no other
// reason; those of ObjectStore.
Status CheckClaim(SealedArchive& archive, uint64_t lineage);

// Copies a journal to an archive, turn by turn.  One thread calls Turn; any asks for the status.
class Archiver {
 public:
  struct Options {
    uint64_t lineage = 0;  // of the journal
    Duration keep = Duration::Minutes(60L * 24 * 7);
    Duration files = Duration::Seconds(5);    // from one look at the files to the next
    Duration review = Duration::Seconds(60);  // from one list of what was written to the next
    Duration retention = Duration::Minutes(60L * 24);  // from one look for what may go to the next
    Duration verified_min = Duration::Minutes(60L * 24);  // age of what a deletion rests on
  };
  // What is beside the journal now.  Any thread.
  using Files = std::function<Result<ArchivedFiles>()>;
  // The archive outlives it.
  Archiver(SealedArchive& archive, JournalAccess journal, Files files, Options options);

  // Copies what the journal has when the call begins, and takes care of the rest.  `wall`: the wall
  // clock; `boot_ns`: the boot clock.  The status has every trouble, and the next turn tries again;
  // what it returns is only whether the records were copied.  Errors: kConflict: the archive has
  // another history of this lineage, or the lineage goes on elsewhere (IsClaimed).
  Status Turn(Instant wall, int64_t boot_ns);
  // The archive was restored elsewhere: this controller must not go on.
  bool IsClaimed() const;
  ArchiveStatus status() const;

 private:
  struct Place {
    uint64_t sequence = 0;
    uint64_t chain = 0;
  };

  struct Page {
    JournalPage page;
    std::vector<uint64_t> snapshots;  // of the journal
  };

  Status Copy();
  Status LookForClaim();
  Status Begin();
  Status BeginAnew(bool is_fresh);
  Status GoOn(const LineageObjects& objects, const ArchiveWay& way);
  Status CheckSame(const ArchiveWay& way, const LineageObjects& objects);
  Status CopyRecords();
  Status CopyPage(std::vector<std::string> records);
  Status BeginChain(const Snapshot& snapshot);
  Result<LineageObjects> List(const std::string& folder);
  Result<Page> ReadJournalPage(uint64_t after);
  Result<Snapshot> ReadLatestSnapshot();
  void Note(const Status& trouble, bool is_copied, uint64_t last, Instant wall);

  // archiver_review.cc
  Status TakeCare(Instant wall, int64_t boot_ns);
  Status Review(Instant wall);
  Status ReviewRecords();
  Status ReviewSnapshots();
  Status CopySnapshotWhenNew();
  Status ReviewFiles();
  Status CopyFilesWhenChanged(Instant wall);
  Status FindOld(Instant wall, int64_t boot_ns);
  Status DeleteSomeOld();

  SealedArchive& archive_;
  const JournalAccess journal_;
  const Files files_;
  const Options options_;

  bool has_begun_ = false;
  Place place_;      // the end of what is in the archive
  Place confirmed_;  // up to there, a list had everything
  // Chains at records where an object ends, from the newest snapshot on.
  std::map<uint64_t, uint64_t> chains_;
  SnapshotName snapshot_;  // from which this process goes on, or the newest that it put
  // What a list had: records say that it is there.
  uint64_t listed_snapshot_ = 0;
  Instant listed_files_;
  uint64_t begin_ = 0;          // of BeginName, as far as this process put it
  std::string archived_files_;  // the content of the newest
  Instant files_at_;
  int64_t files_not_before_ns_ = 0;
  int64_t review_not_before_ns_ = 0;
  int64_t retention_not_before_ns_ = 0;
  int64_t deletion_not_before_ns_ = 0;
  Instant booted_at_;             // by the wall clock at the first turn
  std::vector<std::string> old_;  // names of what is to be deleted

  mutable std::mutex mutex_;
  ArchiveStatus status_;
  bool is_claimed_ = false;
};

}  // namespace gp
