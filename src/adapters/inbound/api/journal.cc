// The journal as it is, for copies of it.

#include "adapters/inbound/api/control_api.h"

namespace gp {
namespace {

constexpr size_t kPageBytes = 1 << 20;  // read in a millisecond or two, in which nobody is answered

// Whatever comes after `after`, up to a page.
Status FillRecords(Journal& journal, uint64_t after, v1::ReadJournalReply* reply) {
  size_t bytes = 0;
  const Status read = journal.ReadAfter(after, [&](uint64_t sequence, std::string_view record) -> Status {
    if (reply->records_size() == 0) reply->set_first(static_cast<int64_t>(sequence));
    reply->add_records(std::string(record));
    bytes += record.size();
    return bytes < kPageBytes ? Ok() : Fail(Unavailable("the page is full"));
  });
  // What could be read before a damaged record is sound; the next page begins with the damage.
  return reply->records_size() > 0 ? Ok() : read;
}

Status FillPage(Journal& journal, uint64_t after, v1::ReadJournalReply* reply) {
  reply->set_last(static_cast<int64_t>(journal.LastSequence()));
  if (after > journal.LastSequence()) return Fail(InvalidArgument("after: the journal ends with record " + std::to_string(journal.LastSequence())));
  const Status read = FillRecords(journal, after, reply);
  if (read) return Ok();
  const auto base = journal.Base();
  // Old records were dropped, or are damaged: the copy begins, or goes on, behind a snapshot.
  const Snapshot snapshot = base && base->sequence > after ? *base : GP_TRY(journal.LatestSnapshot());
  if (snapshot.sequence <= after) return read;
  reply->mutable_base()->set_sequence(static_cast<int64_t>(snapshot.sequence));
  reply->mutable_base()->set_state(snapshot.bytes);
  return Ok();
}

}  // namespace

Status ControlApi::ReadJournal(const Caller&, const v1::ReadJournalRequest& request, v1::ReadJournalReply* reply) {
  if (about_.journal == nullptr) return Fail(Unsupported("this controller keeps no journal"));
  if (request.after() < 0) return Fail(InvalidArgument("after: must not be negative"));
  reply->set_state_directory(about_.state_directory);
  Status filled = Ok();
  // The journal is the writer's: it is read in its place.
  GP_CHECK_OK(gateway_.Read([&](const State&) { filled = FillPage(*about_.journal, static_cast<uint64_t>(request.after()), reply); }));
  return filled;
}

}  // namespace gp
