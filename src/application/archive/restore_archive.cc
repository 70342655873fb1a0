#include "application/archive/restore_archive.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "application/archive/archive_way.h"
#include "application/archive/read_ahead.h"
#include "application/archive/verify_archive.h"
#include "base/text.h"

namespace gp {
namespace {

class Restoring {
 public:
  Restoring(SealedArchive& archive, LineageObjects objects, const ArchiveRestoreOptions& options,
            const NewJournal& new_journal, const DoneWatch& watch)
      : archive_(archive),
        objects_(std::move(objects)),
        newest_(objects_.NewestRecord()),
        options_(options),
        new_journal_(new_journal),
        watch_(watch) {}

  // What turns out to be damaged is left out, and another way is tried.
  Result<RestoredArchive> Run() {
    for (;;) {
      const ArchiveWay way = BestWay(objects_, options_.history);
      if (way.last < newest_ && !options_.accepts_loss) return Fail(Incomplete(way.last));
      if (way.last == 0) return Fail(NotFound("nothing of the archive can be restored"));
      const bool is_done = GP_TRY(Try(way));
      if (!is_done) continue;
      GP_CHECK_OK(KeepNewestSnapshot());
      result_.snapshot = way.from.sequence;
      result_.last = way.last;
      GP_CHECK_OK(ReadFiles());
      return std::move(result_);
    }
  }

 private:
  Error Incomplete(uint64_t last) const {
    std::string why;
    for (const std::string& fault : result_.faults) why += "; " + fault;
    for (const std::string& gap : GapsOf(objects_)) why += "; missing: " + gap;
    return Conflict("the archive leads only to record " + std::to_string(last) + " of " +
                    std::to_string(newest_) + why + ".  --accept-loss restores up to there");
  }

  template <typename Name>
  Result<bool> PassBy(Named<Name>& named, const Name& name, const Error& error) {
    if (!IsDamage(error)) return Fail(error);
    result_.faults.push_back(error.message);
    named.erase(name);
    return false;
  }

  // False: an object of it is damaged, and left out from now on.
  Result<bool> Try(const ArchiveWay& way) {
    Snapshot snapshot{way.from.sequence, ""};
    if (snapshot.sequence > 0) {
      auto bytes = archive_.Open(objects_.snapshots.at(way.from));
      if (!bytes) return PassBy(objects_.snapshots, way.from, bytes.error());
      snapshot.bytes = *std::move(bytes);
    }
    Journal* journal = journal_ = GP_TRY(new_journal_(snapshot));
    chain_ = way.from.chain;
    passed_.reset();
    std::optional<size_t> damaged;
    Error error;
    const Status read = ReadAhead<ArchivedRecords>(
        way.records.size(), kArchiveReads,
        [&](size_t at) {
          return archive_.Records(way.records[at], objects_.records.at(way.records[at]));
        },
        [&](size_t at, Result<ArchivedRecords> records) -> Status {
          if (records) return Take(*journal, at, way, *records);
          damaged = at;
          error = records.error();
          return Fail(records.error());
        });
    if (damaged) return PassBy(objects_.records, way.records[*damaged], error);
    if (!read) return Fail(read.error());
    return true;
  }

  Status Take(Journal& journal, size_t at, const ArchiveWay& way, const ArchivedRecords& records) {
    const Appended added = journal.Append(0, records.first - 1, records.records);
    if (added.end != AppendEnd::kDurable) return Fail(Internal(added.why));
    uint64_t sequence = records.first;
    for (const std::string& bytes : records.records) {
      chain_ = NextChain(chain_, bytes);
      if (const SnapshotName here{sequence++, chain_}; objects_.snapshots.contains(here))
        passed_ = here;
    }
    if (watch_) watch_(static_cast<double>(at + 1) / static_cast<double>(way.records.size()));
    return Ok();
  }

  // So that the first start need not apply all records again.
  Status KeepNewestSnapshot() {
    if (!passed_) return Ok();
    auto bytes = archive_.Open(objects_.snapshots.at(*passed_));
    if (bytes) return journal_->SaveSnapshot({passed_->sequence, *std::move(bytes)});
    if (!IsDamage(bytes.error())) return Fail(bytes.error());
    result_.faults.push_back(bytes.error().message);
    return Ok();
  }

  // The newest that opens.
  Status ReadFiles() {
    for (auto at = objects_.files.rbegin(); at != objects_.files.rend(); ++at) {
      const auto bytes = archive_.Open(at->second);
      auto files = bytes ? DecodeFiles(*bytes) : Fail(bytes.error());
      if (files) {
        result_.files = *std::move(files);
        return Ok();
      }
      if (!IsDamage(files.error())) return Fail(files.error());
      result_.faults.push_back(files.error().message);
    }
    return Ok();
  }

  SealedArchive& archive_;
  LineageObjects objects_;  // without those that are damaged
  const uint64_t newest_;
  const ArchiveRestoreOptions& options_;
  const NewJournal& new_journal_;
  const DoneWatch& watch_;
  RestoredArchive result_;
  Journal* journal_ = nullptr;          // the newest draft
  uint64_t chain_ = 0;                  // where that ends
  std::optional<SnapshotName> passed_;  // the newest one on the way
};

}  // namespace

Result<RestoredArchive> RestoreArchive(SealedArchive& archive, const ArchiveRestoreOptions& options,
                                       const NewJournal& new_journal, const DoneWatch& watch) {
  auto lineages = ReadNames(GP_TRY(archive.store().List("")));
  const uint64_t lineage = GP_TRY(FindLineage(lineages, options.lineage));
  Restoring restoring(archive, std::move(lineages.at(lineage)), options, new_journal, watch);
  RestoredArchive restored = GP_TRY(restoring.Run());
  restored.lineage = lineage;
  return restored;
}

Status ClaimLineage(SealedArchive& archive, uint64_t lineage, const std::string& who) {
  const std::string name = ClaimName(lineage);
  const Status put = archive.PutNew(name, who);
  if (!put && put.error().code != ErrorCode::kConflict) return put;
  // The answer to an earlier try may have been lost; and a store that knows no conditional writes
  // has the newest claim.
  const auto there = archive.Open({name, -1, ""});
  if (there && *there == who) return Ok();
  const std::string by = there ? Printable(*there) : "somebody";
  return Fail(Conflict("lineage " + std::to_string(lineage) + " was restored before: " + by +
                       ".  If that is gone for good, --replace-claim restores it once more"));
}

}  // namespace gp
