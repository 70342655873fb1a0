// What an archiver does now and then: it looks whether the archive has what was put there, copies
// new snapshots and files, and deletes what is too old.

#include <algorithm>
#include <iterator>
#include <utility>

#include "application/archive/archive_retention.h"
#include "application/archive/archiver.h"

namespace gp {
namespace {

constexpr uint64_t kFoldersMax = 50;      // listed one by one
constexpr size_t kDeletionsPerTurn = 20;  // copying waits for no more

}  // namespace

Status Archiver::Review() {
  GP_CHECK_OK(CheckClaim());
  GP_CHECK_OK(ReviewRecords());
  GP_CHECK_OK(CopyRecords());
  GP_CHECK_OK(ReviewSnapshots());
  GP_CHECK_OK(CopySnapshotWhenNew());
  GP_CHECK_OK(ReviewFiles());
  const LineageObjects marks = GP_TRY(List(FolderOf(options_.lineage) + "/verified"));
  const std::scoped_lock lock(mutex_);
  for (const auto& [mark, object] : marks.verified)
    if (mark.at > status_.verified.at) status_.verified = mark;
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
  if (found.snapshots.contains(snapshot_)) return Ok();
  // The same one again if the journal still has it, else the next newer one.
  const Snapshot snapshot = GP_TRY(ReadLatestSnapshot());
  if (snapshot.sequence == snapshot_.sequence)
    return archive_.Put(NameOf(options_.lineage, snapshot_), snapshot.bytes);
  snapshot_ = found.snapshots.empty() ? SnapshotName{} : found.snapshots.rbegin()->first;
  return Ok();
}

Status Archiver::CopySnapshotWhenNew() {
  Result<std::vector<uint64_t>> numbers = std::vector<uint64_t>{};
  GP_CHECK_OK(journal_([&](JournalReader& journal) { numbers = journal.Snapshots(); }));
  if (!numbers) return Fail(numbers.error());
  const uint64_t newest = numbers->empty() ? 0 : numbers->back();
  if (newest <= snapshot_.sequence || newest > place_.sequence) return Ok();
  const Snapshot snapshot = GP_TRY(ReadLatestSnapshot());
  if (snapshot.sequence > place_.sequence) return Ok();  // a newer one; the next time
  const SnapshotName name{snapshot.sequence, GP_TRY(ChainAt(snapshot.sequence))};
  GP_CHECK_OK(archive_.Put(NameOf(options_.lineage, name), snapshot.bytes));
  // The chains since the one before stay, in case this one is lost.
  chains_.erase(chains_.begin(), chains_.lower_bound(snapshot_.sequence));
  snapshot_ = name;
  return Ok();
}

// Objects mostly end elsewhere than snapshots do.
Result<uint64_t> Archiver::ChainAt(uint64_t sequence) {
  auto at = chains_.upper_bound(sequence);
  if (at == chains_.begin())
    return Fail(Internal("the chain at record " + std::to_string(sequence) + " is not known"));
  --at;
  uint64_t record = at->first;
  uint64_t chain = at->second;
  while (record < sequence) {
    const JournalPage page = GP_TRY(ReadJournalPage(record));
    if (page.records.empty())
      return Fail(Unavailable("the journal has dropped record " + std::to_string(record + 1)));
    for (const std::string& bytes : page.records) {
      if (record == sequence) break;
      chain = NextChain(chain, bytes);
      ++record;
    }
  }
  return chain;
}

Status Archiver::ReviewFiles() {
  const LineageObjects found = GP_TRY(List(FolderOf(options_.lineage) + "/files"));
  if (found.files.contains({files_at_})) return Ok();
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

Status Archiver::FindOld(Instant wall) {
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
