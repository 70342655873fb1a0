#include "cmd/serve/archive_part.h"

#include <sys/eventfd.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <utility>

#include "base/text.h"
#include "cmd/admin/archive_key.h"
#include "cmd/admin/backup.h"
#include "infrastructure/paths.h"
#include "lib/spawn/run_command.h"

namespace gp {
namespace {

constexpr Duration kVerifyMax = Duration::Minutes(60L * 6);
// After a start there is more urgent work, and an archive that has just begun has nothing to check.
constexpr Duration kBeforeFirst = Duration::Minutes(10);
constexpr Duration kVerifyPause = Duration::Minutes(60);  // after one that failed
constexpr std::chrono::seconds kLookEvery{10};
constexpr std::chrono::seconds kClaimTime{3};

}  // namespace

Status ArchivePart::Start() {
  const ArchiveConfig& config = config_.archive;
  if (config.url.empty()) return Ok();
  started_at_ = clock_.Now();
  ArchiveAccess access{config.url, config.credentials_file, config.key_file};
  store_ = GP_TRY(OpenArchiveStore(access));
  sealed_.emplace(*store_, GP_TRY(ReadArchiveKey(access)));
  ControlLoop& loop = recovery_.loop();
  const auto with_journal = [&loop, this](const std::function<void(JournalReader&)>& read) {
    return loop.Read([&](const State&) { read(journal_.journal()); });
  };
  Archiver::Options options;
  options.lineage = loop.Epoch().lineage;
  options.keep = config.keep;
  archiver_.emplace(*sealed_, with_journal, [this] { return Files(); }, options);
  return CheckClaim();
}

// A store that does not answer must not keep a cluster from starting, so the question may stay
// behind; the first turn asks again.
Status ArchivePart::CheckClaim() {
  auto answered = std::make_shared<std::promise<Status>>();
  std::future<Status> answer = answered->get_future();
  std::thread([this, answered] { answered->set_value(archiver_->CheckClaim()); }).detach();
  const bool is_known = answer.wait_for(kClaimTime) == std::future_status::ready;
  const Status claim = is_known ? answer.get() : Fail(Unavailable("its store does not answer"));
  if (!claim && archiver_->IsClaimed()) return claim;
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
  // Its journal must not grow any more, by anybody.
  ArchiveCopier::Times times;
  times.every = config_.archive.every;
  copier_ = std::make_unique<ArchiveCopier>(
      *archiver, clock_, log_, times,
      ArchiveCopier::Then{.on_claimed = [] { std::_Exit(kExitDeposed); },
                          .give_up = [this] { archive_.GiveUp(); }});
  if (config_.archive.verify_every.ns == 0) return Ok();
  not_before_ns_ = clock_.BootNs() + kBeforeFirst.ns;
  stop_ = Descriptor(eventfd(0, EFD_CLOEXEC));
  verifier_ = std::thread([this] { VerifyWhenDue(); });
  return Ok();
}

void ArchiveCopyPart::Stop() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  ended_.notify_all();
  if (verifier_.joinable()) {
    eventfd_write(stop_.get(), 1);
    verifier_.join();
  }
  // One that hangs in a system call ends with the process.
  if (copier_ && !copier_->End()) static_cast<void>(copier_.release());
}

void ArchiveCopyPart::VerifyWhenDue() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kLookEvery, [this] { return ends_; })) {
    lock.unlock();
    if (IsDue()) Verify();
    lock.lock();
  }
}

bool ArchiveCopyPart::IsDue() const {
  const ArchiveStatus status = archive_.archiver()->status();
  const Instant due = status.verified.at + config_.archive.verify_every;
  return clock_.BootNs() >= not_before_ns_ && clock_.Now() >= due && status.complete_until.ns != 0;
}

void ArchiveCopyPart::Verify() {
  std::vector<std::string> words{"nice",
                                 "-n",
                                 "19",
                                 ExecutablePath(),
                                 "admin",
                                 "dr",
                                 "verify",
                                 config_.archive.url,
                                 "--new",
                                 "--key",
                                 config_.archive.key_file,
                                 "--lineage",
                                 std::to_string(archive_.archiver()->status().lineage)};
  if (!config_.archive.credentials_file.empty())
    words.insert(words.end(), {"--credentials", config_.archive.credentials_file});
  CommandOptions options;
  options.time_limit = kVerifyMax;
  options.stop_fd = stop_.get();
  const CommandEnd end = RunCommand(std::move(words), options);
  // The mark of a verification is seen at the next review.
  not_before_ns_ = clock_.BootNs() + kVerifyPause.ns;
  const std::scoped_lock lock(mutex_);
  if (end.ok || ends_) return;
  log_.Write(LogLevel::kError,
             "archive: its verification failed, see gpu-platform admin dr verify: " +
                 Printable(end.output, 1'000));
}

}  // namespace gp
