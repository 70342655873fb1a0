// The journal's records, for backups, and its archive.

#include "adapters/inbound/api/control_api.h"
#include "application/backup/journal_pages.h"

namespace gp {
namespace {

void Fill(JournalPage page, v1::ReadJournalReply* reply) {
  reply->set_last(static_cast<int64_t>(page.last));
  if (!page.records.empty()) reply->set_first(static_cast<int64_t>(page.first));
  for (std::string& record : page.records) reply->add_records(std::move(record));
  if (!page.base) return;
  v1::ReadJournalReply::Base* base = reply->mutable_base();
  base->set_sequence(static_cast<int64_t>(page.base->sequence));
  base->set_state(std::move(page.base->bytes));
  base->set_bytes(static_cast<int64_t>(page.base_bytes));
}

}  // namespace

Status ControlApi::ReadJournal(const Caller&, const v1::ReadJournalRequest& request,
                               v1::ReadJournalReply* reply) {
  if (about_.journal == nullptr) return Fail(Unsupported("this controller keeps no journal"));
  if (request.base_offset() < 0) return Fail(InvalidArgument("base_offset: must not be negative"));
  if (request.after() < 0) return Fail(InvalidArgument("after: must not be negative"));
  reply->set_state_directory(about_.state_directory);
  Result<JournalPage> page = JournalPage{};
  // The writer owns the journal, so it is read on the writer's thread.
  GP_CHECK_OK(gateway_.Read([&](const State&) {
    page = ReadPage(*about_.journal, static_cast<uint64_t>(request.after()),
                    static_cast<uint64_t>(request.base_offset()));
  }));
  Fill(GP_TRY(std::move(page)), reply);
  return Ok();
}

void ControlApi::FillArchiveOf(v1::Cluster* reply) const {
  if (!about_.archive) return;
  v1::Archive all;
  about_.archive(&all);
  v1::ClusterArchive* archive = reply->mutable_archive();
  archive->set_complete_until(all.complete_until());
  archive->set_verified_at(all.verified_at());
  archive->set_fails(all.fails());
}

Status ControlApi::GetArchive(const Caller&, const v1::GetArchiveRequest&, v1::Archive* reply) {
  if (!about_.archive)
    return Fail(
        NotFound("this controller has no archive: set archive.url (docs/disaster_recovery.md)"));
  about_.archive(reply);
  return Ok();
}

}  // namespace gp
