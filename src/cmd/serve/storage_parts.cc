#include "cmd/serve/storage_parts.h"

#include "adapters/outbound/memory/memory_journal.h"
#include "base/paths.h"
#include "cmd/agent/live_agent.h"
#include "cmd/connection/state_place.h"
#include "infrastructure/agent_identity.h"
#include "infrastructure/paths.h"

namespace gp {

Status DirectoriesPart::Start() {
  GP_CHECK_OK(MakeDirectories(config_.state_directory, 0711));
  GP_CHECK_OK(MakeDirectories(config_.run_directory, 0755));
  if (IsInTmp(config_.state_directory))
    log_.Write(LogLevel::kWarning, TmpWarning(config_.state_directory));
  join_token_ = GP_TRY(JoinToken(config_.state_directory));
  return Ok();
}

Status JournalPart::Start() {
  if (config_.ephemeral) {
    journal_ = std::make_unique<MemoryJournal>();
    ForgetStatePlace(config_.run_directory);
    return Ok();
  }
  auto file = GP_TRY(SqliteJournal::Open(config_.state_directory + "/journal.db"));
  is_cut_ = !file->loss().empty() || config_.keep_sound_prefix;
  if (!file->loss().empty()) log_.Write(LogLevel::kWarning, file->loss());
  if (config_.keep_sound_prefix) {
    const uint64_t kept = GP_TRY(file->KeepSoundPrefix());
    log_.Write(LogLevel::kWarning, "journal: goes on after record " + std::to_string(kept));
  }
  file_ = file.get();
  journal_ = std::move(file);
  return KeepStatePlace(config_.run_directory, config_.state_directory);
}

Status JournalPart::AcceptLoss() { return file_ != nullptr ? file_->AcceptLoss() : Ok(); }

Status RecordsPart::Start() {
  const std::string& place = config_.ephemeral ? config_.run_directory : config_.state_directory;
  metrics_ = std::make_unique<MetricFiles>(place + "/metrics");
  if (config_.ephemeral) return Ok();
  secrets_ = GP_TRY(SecretFiles::Open(config_.state_directory + "/secrets"));
  for (const std::string& warning : secrets_->warnings()) log_.Write(LogLevel::kWarning, warning);
  audit_ = GP_TRY(AuditFile::Open(config_.state_directory + "/audit"));
  return Ok();
}

}  // namespace gp
