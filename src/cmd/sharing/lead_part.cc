#include "cmd/sharing/lead_part.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "adapters/outbound/etcd/etcd_store.h"
#include "application/control/control_loop.h"
#include "base/ignore_result.h"
#include "cmd/sharing/shared_mark.h"
#include "infrastructure/host_name.h"
#include "infrastructure/paths.h"
#include "lib/secrets/secrets.h"
#include "lib/sockets/lifeline.h"

namespace gp {
namespace {

constexpr Duration kLeadLease = Duration::Seconds(2);
// Also without a hint of the store.
constexpr std::chrono::milliseconds kTurnEvery{200};
constexpr Duration kSecretsEvery = Duration::Seconds(1);
constexpr std::chrono::seconds kAppendMax{10};
constexpr std::chrono::milliseconds kWaitMax{200};

// Hints of the store, for the thread that follows the log.
class Hints {
 public:
  void Give() {
    {
      const std::lock_guard lock(mutex_);
      given_ = true;
    }
    came_.notify_all();
  }
  void Await(std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, timeout, [this] { return given_; });
    given_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  bool given_ = false;
};

// Waits a little longer after each try; false after ten seconds.
LogWriter::TryAgain AppendPatience() {
  auto begun = std::chrono::steady_clock::time_point{};
  return [begun](int tries) mutable {
    const auto now = std::chrono::steady_clock::now();
    if (tries == 1) begun = now;
    if (now - begun > kAppendMax) return false;
    std::this_thread::sleep_for(std::min(tries * std::chrono::milliseconds(10), kWaitMax));
    return true;
  };
}

Result<std::string> ReadIfNamed(const std::string& path) {
  if (path.empty()) return std::string();
  return ReadTextFile(path);
}

Result<EtcdOptions> OptionsOf(const SharingConfig& config) {
  EtcdOptions options = GP_TRY(ParseEtcdStore(config.store));
  options.authority = GP_TRY(ReadIfNamed(config.authority_file));
  options.identity.certificate = GP_TRY(ReadIfNamed(config.certificate_file));
  options.identity.key = GP_TRY(ReadIfNamed(config.key_file));
  options.user = config.user;
  options.password = GP_TRY(ReadIfNamed(config.password_file));
  while (options.password.ends_with('\n')) options.password.pop_back();
  return options;
}

}  // namespace

Status LeadPart::Start() {
  name_ = config_.sharing.name.empty() ? HostName() : config_.sharing.name;
  if (config_.sharing.store.empty())
    return config_.ephemeral ? Ok() : CheckNotShared(config_.state_directory);
  GP_CHECK_OK(Connect());
  GP_CHECK_OK(Follow());
  return Lead();
}

Status LeadPart::Connect() {
  EtcdOptions options = GP_TRY(OptionsOf(config_.sharing));
  options.stuck = [this] { StopStuck(); };
  mark_ = GP_TRY(ReadSharedMark(config_.state_directory));
  GP_CHECK_OK(CheckCluster(config_.state_directory, mark_, config_.sharing.cluster));
  store_ = GP_TRY(EtcdStore::Open(options));
  const StoreKeys keys(config_.sharing.cluster);
  entry_ = {name_, GP_TRY(NewSecret()), uses_.relay.Addresses()};
  log_of_all_.emplace(*store_, keys);
  key_.emplace(*store_, keys, Encode(entry_), kLeadLease);
  replica_.emplace(*log_of_all_, uses_.journal.journal(), clock_,
                   Replica::Keeping{.keep_journal = config_.keep_journal,
                                    .audited_until = [this] { return AuditedUntil(); },
                                    .formats = config_.formats});
  standby_.emplace(*log_of_all_, *key_, *replica_, clock_,
                   Member{.name = name_, .version = GP_VERSION, .addresses = entry_.addresses},
                   /*may_create=*/!mark_.is_there);
  controllers_.emplace(*store_, *store_, keys, name_);
  replica_->AddObserver(&changes_);
  uses_.reads.Follow(*replica_, name_);
  const Authority& authority = uses_.certificates.common_authority();
  identity_ = {authority.fingerprint(),
               Sha256(HmacSha256(authority.SecretFor("join token of the cluster"),
                                 uses_.directories.join_token()))};
  if (SecretFiles* own = uses_.records.secrets(); own != nullptr)
    secrets_.emplace(*store_, keys, *own, authority.SecretFor("secrets that controllers share"));
  return Recover();
}

// A journal that a newer program has written: this one follows again after an upgrade.
Status LeadPart::Recover() {
  const Status recovered = replica_->Recover();
  const bool is_unfit = !recovered && recovered.error().code == ErrorCode::kUnsupported;
  if (!is_unfit) return recovered;
  standby_->BecomeUnfit("its own journal: " + recovered.error().message);
  return Ok();
}

void LeadPart::TellOf(Standby::Role role) {
  if (role != Standby::Role::kIsUnfit) return;
  keeper_.reset();
  if (std::exchange(is_unfit_told_, true)) return;
  log_.Write(LogLevel::kError, "unfit: this controller never takes the lead: " + standby_->unfit() +
                                   " (upgrade it and start it again: docs/controllers.md, "
                                   "\"Rolling upgrade\")");
}

// A standby has the secrets that are set, so that they outlive the store as well.
Status LeadPart::FollowSecrets() {
  const int64_t now = clock_.BootNs();
  if (!secrets_ || now < secrets_not_before_ns_) return Ok();
  GP_CHECK_OK(CheckIdentity(*store_, log_of_all_->keys(), identity_));
  GP_CHECK_OK(secrets_->Follow());
  secrets_not_before_ns_ = now + kSecretsEvery.ns;
  return Ok();
}

Status LeadPart::Follow() {
  Hints hints;
  const auto watch = store_->Watch(log_of_all_->keys().HeadAndLeader(), [&] { hints.Give(); });
  // A leader that has crashed is followed at once, and not when its lease ends.
  Lifeline lifeline([&](uint64_t term) {
    log_.Write(LogLevel::kWarning, "the leader's process has ended: its term ends now");
    IgnoreResult(key_->Depose(term), "its lease ends it");
    hints.Give();
  });
  // Without an answer of the store it is a standby as well.
  bool stands_by = false;
  std::string trouble;
  while (!standing_.is_ended()) {
    // A controller of another cluster must not take the lead.
    const Status secrets = FollowSecrets();
    const auto role = secrets ? standby_->Turn() : Result<Standby::Role>(Fail(secrets.error()));
    if (role) GP_CHECK_OK(MarkWhenFollowing());
    if (role) TellOf(*role);
    if (!role && role.error().code != ErrorCode::kUnavailable) return Fail(role.error());
    if (!role && role.error().message != trouble)
      log_.Write(LogLevel::kWarning, "the shared log: " + role.error().message);
    trouble = role ? "" : role.error().message;
    if (key_->term() != 0 && !keeper_)
      keeper_.emplace(*key_, [this] { StopDeposed("the lease of its lead has ended"); });
    if (role && *role == Standby::Role::kLeads) return Ok();
    // Of an unknown format: it is not known where that leader is.
    const auto leader = DecodeLeaderEntry(key_->seen_owner()).value_or(LeaderEntry{});
    uses_.relay.LeaderIs(leader);
    lifeline.Hold(key_->seen_term(), leader.is_stopping ? "" : leader.addresses.grpc);
    if (role && *role == Standby::Role::kIsLate) continue;
    if (!std::exchange(stands_by, true)) {
      log_.Write(LogLevel::kInfo,
                 "standby: this controller follows the shared log" + uses_.relay.Doors());
      standing_.begins();
    }
    hints.Await(kTurnEvery);
  }
  return Fail(Unavailable("stopped as a standby"));
}

// Before its doors open, and not before there is a log that it follows.
Status LeadPart::MarkWhenFollowing() {
  if (is_marked_ || !replica_->head_time()) return Ok();
  if (mark_.cluster != config_.sharing.cluster)
    GP_CHECK_OK(MarkShared(config_.state_directory, config_.sharing.cluster));
  is_marked_ = true;
  return Ok();
}

Status LeadPart::Lead() {
  log_.Write(LogLevel::kInfo,
             "this controller leads, from record " + std::to_string(standby_->head().last) + " on");
  writer_.emplace(*log_of_all_, key_->term(), standby_->head(), AppendPatience(), &written_);
  journal_.emplace(*writer_, uses_.journal.journal(),
                   [this](Instant now) { return standby_->TellOfItself(now); });
  leadership_.emplace(*key_, [this] { StopDeposed("another controller leads"); });
  GP_CHECK_OK(ShareIdentity());
  // One that was made from a backup has none: backups have no secrets.
  const bool has_secrets = !mark_.is_there || !mark_.cluster.empty();
  if (secrets_) GP_CHECK_OK(secrets_->Lead(key_->term(), has_secrets, AppendPatience()));
  CareForStore();
  return Ok();
}

// Whatever another controller has claimed meanwhile.
Status LeadPart::ShareIdentity() {
  const StoreKeys& keys = log_of_all_->keys();
  const LogWriter::TryAgain try_again = AppendPatience();
  for (int tries = 1;; ++tries) {
    Status shared = ClaimIdentity(*store_, keys, identity_, key_->term());
    if (shared) shared = CheckIdentity(*store_, keys, identity_);
    if (shared || shared.error().code != ErrorCode::kUnavailable || !try_again(tries))
      return shared;
  }
}

SecretKeeper* LeadPart::secrets() {
  if (secrets_) return &*secrets_;
  return uses_.records.secrets();
}

void LeadPart::CareForStore() {
  const StoreKeys& keys = log_of_all_->keys();
  trimmer_.emplace(*store_, keys, clock_, key_->term(), standby_->head().last, written_,
                   TrimLimits{});
  if (config_.sharing.compacts) compactor_.emplace(*store_, keys, clock_, written_);
  space_.emplace(*store_, static_cast<uint64_t>(config_.sharing.quota), log_);
  care_.emplace(StoreCare::Of{*trimmer_, compactor_ ? &*compactor_ : nullptr, *space_, written_,
                              &*controllers_},
                log_);
}

void LeadPart::StopDeposed(const std::string& why) {
  log_.Write(LogLevel::kError, "this controller stops: " + why);
  std::_Exit(kExitDeposed);
}

void LeadPart::BeginStop() {
  if (!key_ || key_->term() == 0) return;
  entry_.is_stopping = true;
  IgnoreResult(key_->Restate(Encode(entry_)), "a standby may then take over a little early");
}

// A process that begins again has timers that work.
void LeadPart::StopStuck() {
  log_.Write(LogLevel::kError,
             "this controller stops: a call of etcd does not end; was the clock set back?");
  std::_Exit(EXIT_FAILURE);
}

void LeadPart::Stop() {
  keeper_.reset();
  leadership_.reset();
  if (key_) key_->Resign();
  care_.reset();  // it may be asking a machine that does not answer
}

uint64_t LeadPart::AuditedUntil() const {
  return uses_.records.audit() != nullptr ? uses_.records.audit()->LastNumber() : UINT64_MAX;
}

uint64_t LeadPart::FormatOfAllSeen() const {
  const std::optional<ControllersSeen> seen = controllers_->LastSeen();
  return seen ? FormatOfAll(*seen, /*without_silent=*/false) : 0;
}

std::optional<Recovered> LeadPart::TakeState() {
  if (!replica_) return std::nullopt;
  uses_.reads.EndFollowing();
  return replica_->TakeState();
}

}  // namespace gp
