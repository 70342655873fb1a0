#include "application/archive/verify_archive.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "application/archive/archive_way.h"
#include "application/archive/read_ahead.h"
#include "base/text.h"
#include "domain/cluster/apply/apply.h"
#include "domain/cluster/codec/codec.h"
#include "ports/outbound/journal.h"

namespace gp {
namespace {

// The state as far as the records lead.
class Fold {
 public:
  // Where no object leads here, the next snapshot begins again.
  void BeginWith(SnapshotName at, State state) {
    state_ = std::make_unique<State>(std::move(state));
    sequence_ = at.sequence;
    chain_ = at.chain;
  }
  bool has_begun() const { return state_ != nullptr; }
  bool IsAt(uint64_t sequence, uint64_t chain) const {
    return state_ != nullptr && sequence == sequence_ && chain == chain_;
  }
  // Whether the state has this record.
  bool Has(uint64_t record) const { return state_ != nullptr && sequence_ >= record; }
  uint64_t sequence() const { return sequence_; }
  const State& state() const { return *state_; }

  Status Apply(std::string_view bytes) {
    const auto record = DecodeRecord(bytes);
    if (!record) return Fail(record.error().Within("record " + std::to_string(sequence_ + 1)));
    for (const Event& event : record->events) gp::Apply(*state_, record->envelope.at, event);
    ++sequence_;
    chain_ = NextChain(chain_, bytes);
    return Ok();
  }

 private:
  std::unique_ptr<State> state_;
  uint64_t sequence_ = 0;
  uint64_t chain_ = 0;
};

class Verification {
 public:
  Verification(SealedArchive& archive, const LineageObjects& objects, uint64_t begin,
               ArchiveReport& report)
      : archive_(archive), objects_(objects), report_(report), begin_(begin) {
    if (begin == 0) fold_.BeginWith({}, State{});
  }

  Status Run(const DoneWatch& watch) {
    std::vector<const Named<RecordsName>::value_type*> wanted;
    for (const auto& one : objects_.records)
      if (one.first.last > begin_) wanted.push_back(&one);
    GP_CHECK_OK(TakeSnapshots(begin_));
    const Status read = ReadAhead<ArchivedRecords>(
        wanted.size(), kArchiveReads,
        [&](size_t at) { return archive_.Records(wanted[at]->first, wanted[at]->second); },
        [&](size_t at, Result<ArchivedRecords> records) -> Status {
          ++report_.objects;
          if (watch) watch(static_cast<double>(at) / static_cast<double>(wanted.size()));
          if (!records && !IsDamage(records.error())) return Fail(records.error());
          if (!records) return Note(records.error());
          GP_CHECK_OK(Take(wanted[at]->first, *records));
          // Behind a record that cannot be applied the state stays where it is.
          if (fold_.Has(wanted[at]->first.last)) sound_.records.insert(*wanted[at]);
          return Ok();
        });
    GP_CHECK_OK(read);
    GP_CHECK_OK(TakeSnapshots(UINT64_MAX));
    CheckMentioned();
    const ArchiveWay way = BestWay(sound_);
    if (way.last == objects_.NewestRecord()) report_.verified = way.from.sequence;
    return CheckFiles();
  }

 private:
  Status Note(const Error& error) {
    report_.faults.push_back(error.message);
    return Ok();
  }

  Status Take(const RecordsName& name, const ArchivedRecords& records) {
    newest_files_ = std::max(newest_files_, records.files_at);
    mentioned_.insert(records.snapshot);
    GP_CHECK_OK(TakeSnapshots(name.first - 1));
    // What overlaps may begin with records that another object had.
    uint64_t chain = name.chain_before;
    uint64_t number = name.first - 1;
    for (const std::string& bytes : records.records) {
      if (fold_.IsAt(number, chain)) {
        if (const Status applied = fold_.Apply(bytes); !applied) return Note(applied.error());
        GP_CHECK_OK(TakeSnapshots(fold_.sequence()));
      }
      chain = NextChain(chain, bytes);
      ++number;
    }
    return Ok();
  }

  // Those of records up to this one.
  Status TakeSnapshots(uint64_t until) {
    for (; next_ != objects_.snapshots.end() && next_->first.sequence <= until; ++next_) {
      if (next_->first.sequence >= begin_) GP_CHECK_OK(TakeSnapshot(next_->first, next_->second));
    }
    return Ok();
  }

  Status TakeSnapshot(const SnapshotName& name, const StoredObject& object) {
    ++report_.objects;
    const auto bytes = archive_.Open(object);
    if (!bytes && !IsDamage(bytes.error())) return Fail(bytes.error());
    if (!bytes) return Note(bytes.error());
    auto state = DecodeState(*bytes);
    if (!state) return Note(state.error().Within(object.name));
    if (fold_.has_begun() && fold_.sequence() == name.sequence) {
      // Encoded again: the snapshot may be of an older format.
      if (EncodeState(fold_.state()) != EncodeState(*state))
        return Note(Internal(object.name + ": the records before it lead to another state"));
    } else if (fold_.has_begun()) {
      return Uncompared(name, object, *std::move(state));
    } else {
      fold_.BeginWith(name, *std::move(state));
    }
    ++report_.snapshots;
    sound_.snapshots.emplace(name, object);
    return Ok();
  }

  Status Uncompared(const SnapshotName& name, const StoredObject& object, State state) {
    if (name.sequence > fold_.sequence()) fold_.BeginWith(name, std::move(state));
    return Note(Internal(object.name + ": no sound records lead to it"));
  }

  void CheckMentioned() {
    if (objects_.Begin() > 0) mentioned_.insert(objects_.Begin());
    for (const auto& [mark, object] : objects_.verified) mentioned_.insert(mark.sequence);
    for (const uint64_t sequence : mentioned_) {
      const auto found = objects_.snapshots.lower_bound({sequence, 0});
      const bool is_there = found != objects_.snapshots.end() && found->first.sequence == sequence;
      if (sequence > 0 && sequence >= std::max(begin_, objects_.Begin()) && !is_there)
        report_.faults.push_back("the snapshot of record " + std::to_string(sequence) +
                                 " is missing");
    }
  }

  Status CheckFiles() {
    if (newest_files_.ns > 0 && !objects_.files.contains({newest_files_}))
      report_.faults.push_back("the files of " + ToRfc3339(newest_files_) + " are missing");
    for (const auto& [name, object] : objects_.files) {
      ++report_.objects;
      const auto bytes = archive_.Open(object);
      if (!bytes && !IsDamage(bytes.error())) return Fail(bytes.error());
      const auto files = bytes ? DecodeFiles(*bytes) : Fail(bytes.error());
      if (!files) GP_CHECK_OK(Note(files.error()));
    }
    for (const auto& [name, object] : objects_.begins) GP_CHECK_OK(CheckMark(object));
    for (const auto& [name, object] : objects_.verified) GP_CHECK_OK(CheckMark(object));
    return Ok();
  }

  Status CheckMark(const StoredObject& object) {
    ++report_.objects;
    const auto bytes = archive_.Open(object);
    if (bytes) return Ok();
    return IsDamage(bytes.error()) ? Note(bytes.error()) : Status(Fail(bytes.error()));
  }

  SealedArchive& archive_;
  const LineageObjects& objects_;
  ArchiveReport& report_;
  const uint64_t begin_;
  Fold fold_;
  Named<SnapshotName>::const_iterator next_ = objects_.snapshots.begin();
  LineageObjects sound_;  // snapshots that were compared, and records that were applied
  std::set<uint64_t> mentioned_;
  Instant newest_files_;
};

uint64_t NewestVerified(const LineageObjects& objects) {
  uint64_t newest = objects.Begin();
  for (const auto& [mark, object] : objects.verified) newest = std::max(newest, mark.sequence);
  return newest;
}

}  // namespace

Result<uint64_t> FindLineage(const std::map<uint64_t, LineageObjects>& lineages, uint64_t wanted) {
  if (wanted != 0 && lineages.contains(wanted)) return wanted;
  if (wanted != 0) return Fail(NotFound("there is no lineage " + std::to_string(wanted)));
  std::vector<std::string> open;
  uint64_t newest = 0;  // of those that go on nowhere else, if there are any
  for (const auto& [lineage, objects] : lineages) {
    if (objects.NewestRecord() == 0) continue;
    if (!objects.is_claimed) open.push_back(std::to_string(lineage));
    if (!objects.is_claimed || open.empty()) newest = lineage;
  }
  if (newest == 0) return Fail(NotFound("there is no archive"));
  if (open.size() > 1)
    return Fail(Conflict("several lineages may be the one that counts, name it (--lineage): " +
                         Join(open, ", ")));
  return newest;
}

namespace {

Result<ArchiveReport> VerifyOnce(SealedArchive& archive, const VerifyOptions& options,
                                 const DoneWatch& watch) {
  ArchiveReport report;
  std::vector<std::string> strangers;
  const auto lineages = ReadNames(GP_TRY(archive.store().List("")), &strangers);
  report.lineage = GP_TRY(FindLineage(lineages, options.lineage));
  const LineageObjects& objects = lineages.at(report.lineage);
  const uint64_t begin = options.only_new ? NewestVerified(objects) : objects.Begin();
  report.first = begin + 1;
  for (const std::string& name : strangers)
    report.faults.push_back(Printable(name) + ": no object of an archive");
  for (const std::string& gap : GapsOf(objects)) report.faults.push_back(gap + ": missing");
  GP_CHECK_OK(Verification(archive, objects, begin, report).Run(watch));
  report.last = BestWay(objects).last;
  return report;
}

}  // namespace

Result<ArchiveReport> VerifyArchive(SealedArchive& archive, const VerifyOptions& options,
                                    const DoneWatch& watch) {
  ArchiveReport report = GP_TRY(VerifyOnce(archive, options, watch));
  if (report.faults.empty()) return report;
  // A leader that deleted or replaced something meanwhile damaged nothing: what counts is there
  // twice.
  ArchiveReport again = GP_TRY(VerifyOnce(archive, options, watch));
  const std::set<std::string> before(report.faults.begin(), report.faults.end());
  std::erase_if(again.faults, [&](const std::string& fault) { return !before.contains(fault); });
  return again;
}

}  // namespace gp
