#include "cmd/serve/archive_part.h"

#include <chrono>
#include <cstdlib>
#include <future>
#include <utility>

#include "base/text.h"
#include "cmd/admin/archive_key.h"
#include "cmd/admin/backup.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

constexpr std::chrono::seconds kClaimTime{3};

}  // namespace

Status ArchivePart::Start() {
  const ArchiveConfig& config = config_.archive;
  if (config.url.empty()) return Ok();
  started_at_ = clock_.Now();
  const ArchiveAccess access{config.url, config.credentials_file, config.key_file};
  store_ = GP_TRY(OpenArchiveStore(access));
  const std::string key = GP_TRY(ReadArchiveKey(access));
  sealed_.emplace(*store_, key);
  ControlLoop& loop = recovery_.loop();
  const auto with_journal = [&loop, this](const std::function<void(JournalReader&)>& read) {
    return loop.Read([&](const State&) { read(journal_.journal()); });
  };
  Archiver::Options options;
  options.lineage = loop.Epoch().lineage;
  options.keep = config.keep;
  archiver_.emplace(*sealed_, with_journal, [this] { return Files(); }, options);
  return CheckNobodyClaims(access, key);
}

// A store that does not answer must not keep a cluster from starting.  The question may outlive
// this call, so that all that it uses is its own; the first turn asks again.
Status ArchivePart::CheckNobodyClaims(const ArchiveAccess& access, const std::string& key) {
  struct Question {
    std::unique_ptr<ObjectArchive> store;
    SealedArchive archive;
    std::promise<Status> answer;
  };
  auto store = GP_TRY(OpenArchiveStore(access));
  ObjectStore& objects = *store;
  const auto question = std::make_shared<Question>(std::move(store), SealedArchive(objects, key),
                                                   std::promise<Status>());
  std::future<Status> answer = question->answer.get_future();
  std::thread([question, lineage = recovery_.loop().Epoch().lineage] {
    question->answer.set_value(CheckClaim(question->archive, lineage));
  }).detach();
  const bool is_known = answer.wait_for(kClaimTime) == std::future_status::ready;
  const Status claim = is_known ? answer.get() : Fail(Unavailable("its store does not answer"));
  if (!claim && claim.error().code == ErrorCode::kConflict) return claim;
  if (!claim)
    log_.Write(LogLevel::kWarning, "archive: " + claim.error().message +
                                       "; whether this cluster was restored elsewhere is unknown");
  return Ok();
}

Result<ArchivedFiles> ArchivePart::Files() const {
  ArchivedFiles files;
  for (const std::string name : kBackedUpSecrets) {
    const auto bytes = ReadTextFile(config_.state_directory + "/" + name);
    if (bytes) files.files.push_back({name, *bytes});
    if (!bytes && bytes.error().code != ErrorCode::kNotFound) return Fail(bytes.error());
  }
  const SecretKeeper* keeper = lead_.secrets();
  if (keeper == nullptr) return files;
  for (const SecretFacts& facts : keeper->List()) {
    auto value = keeper->Find(facts.name, facts.owner.user, facts.owner.queue);
    if (value) files.secrets.push_back({facts, *std::move(value)});
  }
  return files;
}

// Since the start, if nothing is known to be there yet.
Duration ArchivePart::Lag() const {
  const ArchiveStatus status = archiver_->status();
  const Instant until = status.complete_until.ns == 0 ? started_at_ : status.complete_until;
  return clock_.Now() - until;
}

void ArchivePart::Fill(v1::Archive* archive) const {
  const ArchiveStatus status = archiver_->status();
  archive->set_url(config_.archive.url);
  archive->set_lineage(status.lineage);
  archive->set_archived(status.archived);
  archive->set_last(status.last);
  archive->set_trouble(status.trouble);
  archive->set_fails(!status.copies);
  if (status.complete_until.ns != 0)
    archive->set_complete_until(ToRfc3339(status.complete_until, true));
  if (status.verified.at.ns == 0) return;
  archive->set_verified(status.verified.sequence);
  archive->set_verified_at(ToRfc3339(status.verified.at));
}

std::vector<MetricFamily> ArchivePart::Metrics() const {
  if (!archiver_) return {};
  const ArchiveStatus status = archiver_->status();
  const bool is_new = status.verified.at.ns == 0;
  return ArchiveGauges(Lag(), is_new ? started_at_ : status.verified.at);
}

Status ArchiveCopyPart::Start() {
  Archiver* archiver = archive_.archiver();
  if (archiver == nullptr) return Ok();
  ArchiveCopier::Times times;
  times.every = config_.archive.every;
  // The journal of a claimed lineage must not grow any more: this process ends at once.
  copier_ = std::make_unique<ArchiveCopier>(
      *archiver, clock_, log_, times,
      ArchiveCopier::Then{.on_claimed = [] { std::_Exit(kExitDeposed); },
                          .give_up = [this] { archive_.GiveUp(); }});
  if (config_.archive.verify_every.ns > 0)
    verifier_ = std::make_unique<ArchiveVerifier>(
        config_.archive, [archiver] { return archiver->status(); }, log_, clock_);
  return Ok();
}

void ArchiveCopyPart::Stop() {
  verifier_.reset();
  // One that hangs in a system call ends with the process.
  if (copier_ && !copier_->End()) static_cast<void>(copier_.release());
}

}  // namespace gp
