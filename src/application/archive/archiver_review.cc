// What an archiver does now and then: it looks whether the archive has what was put there, copies
// new snapshots and files, and deletes what is too old.

#include <algorithm>
#include <iterator>
#include <utility>

#include "application/archive/archive_retention.h"
#include "application/archive/archiver.h"

namespace gp {
namespace {

constexpr uint64_t kFoldersMax = 50;                  // listed one by one
constexpr Duration kAgain = Duration::Seconds(5);     // after an error
constexpr Duration kStepMax = Duration::Minutes(60);  // of the wall clock
constexpr size_t kDeletionsPerTurn = 20;              // copying waits for no more

}  // namespace

// Each part by itself: a store that refuses deletions still gets files.
Status Archiver::TakeCare(Instant wall, int64_t boot_ns) {
  Status first = Ok();
  const auto when_due = [&](int64_t& not_before_ns, Duration every, const Status& done) {
    not_before_ns = boot_ns + (done ? every : std::min(every, kAgain)).ns;
    if (!done && first) first = done;
  };
  if (boot_ns >= review_not_before_ns_)
    when_due(review_not_before_ns_, options_.review, Review(wall));
  if (boot_ns >= files_not_before_ns_)
    when_due(files_not_before_ns_, options_.files, CopyFilesWhenChanged(wall));
  if (boot_ns >= retention_not_before_ns_)
    when_due(retention_not_before_ns_, options_.retention, FindOld(wall, boot_ns));
  if (boot_ns >= deletion_not_before_ns_) when_due(deletion_not_before_ns_, {}, DeleteSomeOld());
  return first;
}

Status Archiver::Review(Instant wall) {
  GP_CHECK_OK(LookForClaim());
  GP_CHECK_OK(ReviewRecords());
  GP_CHECK_OK(CopyRecords());
  GP_CHECK_OK(ReviewSnapshots());
  GP_CHECK_OK(CopySnapshotWhenNew());
  GP_CHECK_OK(ReviewFiles());
  const LineageObjects marks = GP_TRY(List(FolderOf(options_.lineage) + "/verified"));
  const std::scoped_lock lock(mutex_);
  for (const auto& [mark, object] : marks.verified)
    if (mark.at > status_.verified.at && mark.at <= wall) status_.verified = mark;
  return Ok();
}

// What the list lacks is copied again, whether it was lost or the list is stale.
Status Archiver::ReviewRecords() {
  const uint64_t first = (confirmed_.sequence + 1) / kRecordsPerFolder;
  const uint64_t last = place_.sequence / kRecordsPerFolder;
  Named<RecordsName> records;
  if (last > first + kFoldersMax) {
    records = GP_TRY(List(FolderOf(options_.lineage) + "/records")).records;
  } else {
    for (uint64_t folder = first; folder <= last; ++folder)
      records.merge(
          GP_TRY(List(RecordsFolder(options_.lineage, folder * kRecordsPerFolder))).records);
  }
  const ArchiveWay way = WayFrom({confirmed_.sequence, confirmed_.chain}, records);
  confirmed_ = place_ = {way.last, way.chain};
  return Ok();
}

Status Archiver::ReviewSnapshots() {
  const LineageObjects begins = GP_TRY(List(FolderOf(options_.lineage) + "/begins"));
  if (begin_ > begins.Begin())
    GP_CHECK_OK(archive_.Put(NameOf(options_.lineage, BeginName{begin_}), ""));
  if (snapshot_.sequence == 0) return Ok();
  const LineageObjects found = GP_TRY(List(SnapshotsFolder(options_.lineage)));
  if (found.snapshots.contains(snapshot_)) {
    listed_snapshot_ = snapshot_.sequence;
    return Ok();
  }
  // The same one again if the journal still has it, else the next newer one.
  const Snapshot snapshot = GP_TRY(ReadLatestSnapshot());
  if (snapshot.sequence == snapshot_.sequence)
    return archive_.Put(NameOf(options_.lineage, snapshot_), snapshot.bytes);
  snapshot_ = found.snapshots.empty() ? SnapshotName{} : found.snapshots.rbegin()->first;
  return Ok();
}

// One with which no object ends, because another controller copied those records, is left out.
Status Archiver::CopySnapshotWhenNew() {
  const Snapshot snapshot = GP_TRY(ReadLatestSnapshot());
  const auto chain = chains_.find(snapshot.sequence);
  if (snapshot.sequence <= snapshot_.sequence || chain == chains_.end()) return Ok();
  const SnapshotName name{snapshot.sequence, chain->second};
  GP_CHECK_OK(archive_.Put(NameOf(options_.lineage, name), snapshot.bytes));
  // The chains since the one before stay, in case this one is lost.
  chains_.erase(chains_.begin(), chains_.lower_bound(snapshot_.sequence));
  snapshot_ = name;
  return Ok();
}

// Files of another controller that leads no more are not the newest.
Status Archiver::ReviewFiles() {
  const LineageObjects found = GP_TRY(List(FolderOf(options_.lineage) + "/files"));
  if (!found.files.empty() && found.files.rbegin()->first.at == files_at_) {
    listed_files_ = files_at_;
    return Ok();
  }
  if (!found.files.empty()) files_at_ = std::max(files_at_, found.files.rbegin()->first.at);
  archived_files_.clear();
  files_not_before_ns_ = 0;
  return Ok();
}

Status Archiver::CopyFilesWhenChanged(Instant wall) {
  std::string now = EncodeFiles(GP_TRY(files_()));
  if (now == archived_files_) return Ok();
  const FilesName name{std::max(wall, files_at_ + Duration::Nanoseconds(1))};
  GP_CHECK_OK(archive_.Put(NameOf(options_.lineage, name), now));
  files_at_ = name.at;
  archived_files_ = std::move(now);
  return Ok();
}

// While the wall clock is not what it was, nothing is old.
Status Archiver::FindOld(Instant wall, int64_t boot_ns) {
  const Duration step = wall - Duration::Nanoseconds(boot_ns) - booted_at_;
  if (step > kStepMax || step < kStepMax * -1) return Ok();
  LineageObjects objects = GP_TRY(List(FolderOf(options_.lineage)));
  const Duration keep = std::max(options_.keep, options_.verified_min);
  if (const auto begin = NextBegin(objects, wall, keep)) {
    const BeginName name{*begin};
    GP_CHECK_OK(archive_.Put(NameOf(options_.lineage, name), ""));
    begin_ = *begin;
    objects.begins.emplace(name, StoredObject{});
  }
  old_ = Superfluous(options_.lineage, objects, wall, keep);
  return Ok();
}

Status Archiver::DeleteSomeOld() {
  for (size_t count = 0; count < kDeletionsPerTurn && !old_.empty(); ++count) {
    GP_CHECK_OK(archive_.store().Delete(old_.back()));
    old_.pop_back();
  }
  return Ok();
}

}  // namespace gp
