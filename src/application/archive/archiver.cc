#include "application/archive/archiver.h"

#include <algorithm>
#include <utility>

#include "application/backup/journal_pages.h"
#include "base/digest.h"

namespace gp {
namespace {

Error OtherHistory(uint64_t lineage, uint64_t record) {
  return Conflict("the archive has another record " + std::to_string(record) + " of lineage " +
                  std::to_string(lineage) +
                  " than this controller's journal: an older copy of a journal runs here, or the "
                  "archive is that of another cluster.  Name another place (archive.url)");
}

}  // namespace

Archiver::Archiver(SealedArchive& archive, JournalAccess journal, Files files, Options options)
    : archive_(archive), journal_(std::move(journal)), files_(std::move(files)), options_(options) {
  status_.lineage = options_.lineage;
}

ArchiveStatus Archiver::status() const {
  const std::scoped_lock lock(mutex_);
  return status_;
}

bool Archiver::IsClaimed() const {
  const std::scoped_lock lock(mutex_);
  return is_claimed_;
}

Status Archiver::Turn(Instant wall, int64_t boot_ns) {
  uint64_t last = 0;
  Status read = journal_([&](JournalReader& journal) { last = journal.LastSequence(); });
  if (read) read = Copy(wall, boot_ns);
  Note(read, last, wall);
  return read;
}

void Archiver::Note(const Status& turn, uint64_t last, Instant wall) {
  const std::scoped_lock lock(mutex_);
  status_.archived = place_.sequence;
  status_.last = std::max(status_.last, last);
  status_.trouble = turn ? "" : turn.error().message;
  if (has_begun_ && last > 0 && place_.sequence >= last) status_.complete_until = wall;
}

Status Archiver::Copy(Instant wall, int64_t boot_ns) {
  if (!has_begun_) {
    GP_CHECK_OK(Begin());
    has_begun_ = true;
  }
  GP_CHECK_OK(CopyRecords());
  if (boot_ns >= review_not_before_ns_) {
    GP_CHECK_OK(Review());
    review_not_before_ns_ = boot_ns + options_.review.ns;
  }
  if (boot_ns >= files_not_before_ns_) {
    GP_CHECK_OK(CopyFilesWhenChanged(wall));
    files_not_before_ns_ = boot_ns + options_.files.ns;
  }
  if (boot_ns >= retention_not_before_ns_) {
    GP_CHECK_OK(FindOld(wall));
    retention_not_before_ns_ = boot_ns + options_.retention.ns;
  }
  return DeleteSomeOld();
}

Status Archiver::Begin() {
  GP_CHECK_OK(CheckClaim());
  const LineageObjects objects = GP_TRY(List(FolderOf(options_.lineage)));
  const bool is_fresh = objects.snapshots.empty() && objects.records.empty();
  return is_fresh ? BeginFresh() : GoOn(objects);
}

Status Archiver::CheckClaim() {
  const auto claims = ReadNames(GP_TRY(archive_.store().List("claims")));
  const auto own = claims.find(options_.lineage);
  if (own == claims.end() || !own->second.is_claimed) return Ok();
  const std::scoped_lock lock(mutex_);
  is_claimed_ = true;
  return Fail(Conflict("this cluster was restored from its archive elsewhere, and goes on there (" +
                       ClaimName(options_.lineage) + "): stop this controller for good"));
}

// Older records stay out, as do those that a journal has dropped.
Status Archiver::BeginFresh() {
  const Snapshot snapshot = GP_TRY(ReadLatestSnapshot());
  if (snapshot.sequence == 0) {
    chains_[0] = 0;
    return Ok();
  }
  begin_ = snapshot.sequence;
  GP_CHECK_OK(archive_.Put(NameOf(options_.lineage, BeginName{begin_}), ""));
  return BeginChain(snapshot);
}

// A snapshot from which a new chain goes on.
Status Archiver::BeginChain(const Snapshot& snapshot) {
  const SnapshotName name{snapshot.sequence, Digest64(snapshot.bytes)};
  GP_CHECK_OK(archive_.Put(NameOf(options_.lineage, name), snapshot.bytes));
  snapshot_ = name;
  place_ = confirmed_ = {name.sequence, name.chain};
  chains_ = {{name.sequence, name.chain}};
  return Ok();
}

// Goes on where an earlier process, or an earlier leader, was.
Status Archiver::GoOn(const LineageObjects& objects) {
  const ArchiveWay way = BestWay(objects);
  if (way.last == 0) return BeginChain(GP_TRY(ReadLatestSnapshot()));
  GP_CHECK_OK(CheckSame(way, objects));
  snapshot_ = way.from;
  begin_ = objects.Begin();
  place_ = confirmed_ = {way.last, way.chain};
  chains_ = {{way.from.sequence, way.from.chain}};
  for (const RecordsName& records : way.records) chains_[records.last] = records.chain_after;
  if (objects.files.empty()) return Ok();
  const auto& [name, object] = *objects.files.rbegin();
  files_at_ = name.at;
  archived_files_ = archive_.Open(object).value_or("");  // what does not open is put again
  return Ok();
}

// A record contains its time in nanoseconds, so no other record is equal.
Status Archiver::CheckSame(const ArchiveWay& way, const LineageObjects& objects) {
  auto page = ReadJournalPage(way.last - 1);
  if (!page && page.error().code == ErrorCode::kInvalidArgument)
    return Fail(OtherHistory(options_.lineage, way.last));
  if (!page) return Fail(page.error());
  if (way.records.empty() || page->base) return Ok();  // there is nothing to compare any more
  const RecordsName& newest = way.records.back();
  const ArchivedRecords archived = GP_TRY(archive_.Records(newest, objects.records.at(newest)));
  const bool is_same = !page->records.empty() && page->records.front() == archived.records.back();
  return is_same ? Ok() : Status(Fail(OtherHistory(options_.lineage, way.last)));
}

Status Archiver::CopyRecords() {
  uint64_t until = 0;
  do {
    JournalPage page = GP_TRY(ReadJournalPage(place_.sequence));
    until = std::max(until, page.last);
    if (page.base) {
      // The journal has dropped what the archive lacks.
      GP_CHECK_OK(BeginChain(GP_TRY(ReadLatestSnapshot())));
    } else if (page.records.empty()) {
      return Ok();
    } else {
      GP_CHECK_OK(CopyPage(std::move(page.records)));
    }
  } while (place_.sequence < until);
  return Ok();
}

Status Archiver::CopyPage(std::vector<std::string> records) {
  const ArchivedRecords object{place_.sequence + 1, std::move(records), place_.chain,
                               snapshot_.sequence, files_at_};
  GP_CHECK_OK(archive_.PutRecords(options_.lineage, object));
  const RecordsName name = object.Name();
  place_ = {name.last, name.chain_after};
  chains_[name.last] = name.chain_after;
  return Ok();
}

Result<LineageObjects> Archiver::List(const std::string& folder) {
  const auto listed = GP_TRY(archive_.store().List(folder));
  auto lineages = ReadNames(listed);
  return std::move(lineages[options_.lineage]);
}

Result<JournalPage> Archiver::ReadJournalPage(uint64_t after) {
  Result<JournalPage> page = JournalPage{};
  GP_CHECK_OK(journal_([&](JournalReader& journal) { page = ReadPage(journal, after, 0); }));
  return page;
}

Result<Snapshot> Archiver::ReadLatestSnapshot() {
  Result<Snapshot> snapshot = Snapshot{};
  GP_CHECK_OK(journal_([&](JournalReader& journal) { snapshot = journal.LatestSnapshot(); }));
  return snapshot;
}

}  // namespace gp
