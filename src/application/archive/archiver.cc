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
  if (booted_at_ == Instant{}) booted_at_ = wall - Duration::Nanoseconds(boot_ns);
  uint64_t last = 0;
  Status copied = journal_([&](JournalReader& journal) { last = journal.LastSequence(); });
  if (copied) copied = Copy();
  const Status cared = copied ? TakeCare(wall, boot_ns) : Ok();
  if (copied && IsClaimed()) copied = cared;
  Note(copied ? cared : copied, copied.has_value(), last, wall);
  return copied;
}

void Archiver::Note(const Status& trouble, bool is_copied, uint64_t last, Instant wall) {
  const std::scoped_lock lock(mutex_);
  status_.archived = place_.sequence;
  status_.last = std::max(status_.last, last);
  status_.trouble = trouble ? "" : trouble.error().message;
  status_.copies = is_copied;
  if (is_copied && last > 0 && place_.sequence >= last) status_.complete_until = wall;
}

Status Archiver::Copy() {
  if (!has_begun_) GP_CHECK_OK(Begin());
  has_begun_ = true;
  return CopyRecords();
}

Status Archiver::Begin() {
  GP_CHECK_OK(LookForClaim());
  const LineageObjects objects = GP_TRY(List(FolderOf(options_.lineage)));
  const ArchiveWay way = BestWay(objects);
  if (way.last > 0) return GoOn(objects, way);
  return BeginAnew(objects.snapshots.empty() && objects.records.empty());
}

Status CheckClaim(SealedArchive& archive, uint64_t lineage) {
  const auto listed = archive.store().List("claims");
  if (!listed) return Fail(Unavailable(listed.error().message));
  const auto claims = ReadNames(*listed);
  const auto own = claims.find(lineage);
  if (own == claims.end() || !own->second.is_claimed) return Ok();
  // Whoever lacks the key claims nothing.
  GP_TRY(archive.Open({ClaimName(lineage), -1, ""}));
  return Fail(Conflict("this cluster was restored from its archive elsewhere, and goes on there (" +
                       ClaimName(lineage) + "): stop this controller for good"));
}

Status Archiver::LookForClaim() {
  const Status claim = CheckClaim(archive_, options_.lineage);
  if (claim || claim.error().code != ErrorCode::kConflict) return claim;
  const std::scoped_lock lock(mutex_);
  is_claimed_ = true;
  return claim;
}

// Older records stay out, as do those that a journal has dropped.
Status Archiver::BeginAnew(bool is_fresh) {
  const Snapshot snapshot = GP_TRY(ReadLatestSnapshot());
  if (snapshot.sequence == 0) {
    place_ = confirmed_ = {};
    chains_ = {{0, 0}};
    return Ok();
  }
  if (is_fresh) {
    begin_ = snapshot.sequence;
    GP_CHECK_OK(archive_.Put(NameOf(options_.lineage, BeginName{begin_}), ""));
  }
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
Status Archiver::GoOn(const LineageObjects& objects, const ArchiveWay& way) {
  GP_CHECK_OK(CheckSame(way, objects));
  snapshot_ = way.from;
  listed_snapshot_ = way.from.sequence;
  begin_ = objects.Begin();
  place_ = confirmed_ = {way.last, way.chain};
  chains_ = {{way.from.sequence, way.from.chain}};
  for (const RecordsName& records : way.records) chains_[records.last] = records.chain_after;
  if (objects.files.empty()) return Ok();
  const auto& [name, object] = *objects.files.rbegin();
  files_at_ = listed_files_ = name.at;
  archived_files_ = archive_.Open(object).value_or("");  // what does not open is put again
  return Ok();
}

// A record contains its time in nanoseconds, so no other record is equal.
Status Archiver::CheckSame(const ArchiveWay& way, const LineageObjects& objects) {
  const auto read = ReadJournalPage(way.last - 1);
  if (!read && read.error().code == ErrorCode::kInvalidArgument)
    return Fail(OtherHistory(options_.lineage, way.last));
  if (!read) return Fail(read.error());
  const JournalPage* page = &read->page;
  if (way.records.empty() || page->base) return Ok();  // there is nothing to compare any more
  const RecordsName& newest = way.records.back();
  const ArchivedRecords archived = GP_TRY(archive_.Records(newest, objects.records.at(newest)));
  const bool is_same = !page->records.empty() && page->records.front() == archived.records.back();
  return is_same ? Ok() : Status(Fail(OtherHistory(options_.lineage, way.last)));
}

// An object ends where a snapshot does, so that the way goes on from there.
Status Archiver::CopyRecords() {
  uint64_t until = 0;
  do {
    auto [page, snapshots] = GP_TRY(ReadJournalPage(place_.sequence));
    until = std::max(until, page.last);
    if (page.base) {
      // The journal has dropped what the archive lacks.
      GP_CHECK_OK(BeginChain(GP_TRY(ReadLatestSnapshot())));
    } else if (page.records.empty()) {
      return Ok();
    } else {
      const auto next = std::ranges::upper_bound(snapshots, place_.sequence);
      if (next != snapshots.end() && *next < place_.sequence + page.records.size())
        page.records.resize(*next - place_.sequence);
      GP_CHECK_OK(CopyPage(std::move(page.records)));
    }
  } while (place_.sequence < until);
  return Ok();
}

Status Archiver::CopyPage(std::vector<std::string> records) {
  const ArchivedRecords object{place_.sequence + 1, std::move(records), place_.chain,
                               listed_snapshot_, listed_files_};
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

Result<Archiver::Page> Archiver::ReadJournalPage(uint64_t after) {
  Result<JournalPage> page = JournalPage{};
  Result<std::vector<uint64_t>> snapshots = std::vector<uint64_t>{};
  GP_CHECK_OK(journal_([&](JournalReader& journal) {
    page = ReadPage(journal, after, 0);
    snapshots = journal.Snapshots();
  }));
  if (!page) return Fail(page.error());
  if (!snapshots) return Fail(snapshots.error());
  return Page{*std::move(page), *std::move(snapshots)};
}

Result<Snapshot> Archiver::ReadLatestSnapshot() {
  Result<Snapshot> snapshot = Snapshot{};
  GP_CHECK_OK(journal_([&](JournalReader& journal) { snapshot = journal.LatestSnapshot(); }));
  return snapshot;
}

}  // namespace gp
