// The journal's records, for backups.

#include <algorithm>

#include "adapters/inbound/api/control_api.h"

namespace gp {
namespace {

constexpr size_t kPageBytes = 1 << 20;   // a read blocks the writer for a millisecond or two
constexpr size_t kBaseBytes = 16 << 20;  // larger, because a copy has only one base

// The records after `after`, up to a page.
Status FillRecords(JournalReader& journal, uint64_t after, v1::ReadJournalReply* reply) {
  size_t bytes = 0;
  const Status read =
      journal.ReadAfter(after, [&](uint64_t sequence, std::string_view record) -> Status {
        if (reply->records_size() == 0) reply->set_first(static_cast<int64_t>(sequence));
        reply->add_records(std::string(record));
        bytes += record.size();
        return bytes < kPageBytes ? Ok() : Fail(Unavailable("the page is full"));
      });
  // Records before a damaged one are sound; the next page fails at the damaged record.
  return reply->records_size() > 0 ? Ok() : read;
}

// An offset beyond the end belongs to an earlier base, which this one has replaced; the client sees
// that by the sequence number.
void FillBase(const Snapshot& snapshot, uint64_t offset, v1::ReadJournalReply::Base* base) {
  base->set_sequence(static_cast<int64_t>(snapshot.sequence));
  base->set_state(snapshot.bytes.substr(std::min(offset, snapshot.bytes.size()), kBaseBytes));
  base->set_bytes(static_cast<int64_t>(snapshot.bytes.size()));
}

// A copy from the beginning begins with the base: records before it might be dropped faster than
// the client can read them.
bool BeginsWithBase(JournalReader& journal, uint64_t after) {
  return after == 0 && journal.BaseNumber().value_or(0) > 0;
}

Status FillPage(JournalReader& journal, const v1::ReadJournalRequest& request,
                v1::ReadJournalReply* reply) {
  const auto after = static_cast<uint64_t>(request.after());
  reply->set_last(static_cast<int64_t>(journal.LastSequence()));
  if (after > journal.LastSequence())
    return Fail(InvalidArgument("after: the journal ends with record " +
                                std::to_string(journal.LastSequence())));
  Status read = Fail(NotFound("record 1 was dropped"));
  if (!BeginsWithBase(journal, after)) read = FillRecords(journal, after, reply);
  if (read) return Ok();
  // Old records were dropped or are damaged: the copy begins, or continues, after a snapshot.
  const auto base = journal.Base();
  const Snapshot snapshot =
      base && base->sequence > after ? *base : GP_TRY(journal.LatestSnapshot());
  if (snapshot.sequence <= after) return read;
  FillBase(snapshot, static_cast<uint64_t>(request.base_offset()), reply->mutable_base());
  return Ok();
}

}  // namespace

Status ControlApi::ReadJournal(const Caller&, const v1::ReadJournalRequest& request,
                               v1::ReadJournalReply* reply) {
  if (about_.journal == nullptr) return Fail(Unsupported("this controller keeps no journal"));
  if (request.base_offset() < 0) return Fail(InvalidArgument("base_offset: must not be negative"));
  if (request.after() < 0) return Fail(InvalidArgument("after: must not be negative"));
  reply->set_state_directory(about_.state_directory);
  Status filled = Ok();
  // The writer owns the journal, so it is read on the writer's thread.
  GP_CHECK_OK(
      gateway_.Read([&](const State&) { filled = FillPage(*about_.journal, request, reply); }));
  return filled;
}

}  // namespace gp
