#include "cmd/agent/attempt_parts.h"

#include "base/digest.h"
#include "base/text.h"
#include "cmd/agent/live_data.h"
#include "cmd/agent/live_images.h"
#include "cmd/agent/live_mig.h"
#include "cmd/agent/live_sharing.h"
#include "cmd/connection/controller_authority.h"
#include "cmd/connection/identity_file.h"
#include "infrastructure/paths.h"

namespace gp {

Status LinkPart::Start() {
  const std::string authority = GP_TRY(ControllerAuthority());
  const std::string path = config_.state_directory + "/identity.pem";
  const NodeCredentials::Storage storage{
      [path] { return ReadIdentity(path); },
      [path](const Identity& identity) { return KeepIdentity(path, identity); }};
  credentials_ = std::make_unique<NodeCredentials>(
      NodeCredentials::Options{config_.controllers, config_.join_token, authority, node_.name()},
      storage, clock_);
  GP_CHECK_OK(credentials_->Open());
  tunnels_ = std::make_unique<Tunnels>(*credentials_);
  LinkOptions options;
  options.addresses = config_.controllers;
  options.join_token = config_.join_token;
  options.authority = authority;
  options.identity = [this] { return credentials_->Security().identity; };
  options.gpus = node_.identities();
  options.open_channel = [this](const std::string& address, const v1::OpenChannel& order) {
    tunnels_->Open(address, order);
  };
  link_ = std::make_unique<SocketControlLink>(std::move(options));
  return Ok();
}

// The authority is fetched once: later the agent starts even if no controller answers.
Result<std::string> LinkPart::ControllerAuthority() const {
  const std::string path = config_.state_directory + "/authority.pem";
  const auto kept = ReadTextFile(path);
  const auto facts = kept ? ReadCertificate(*kept) : Fail(kept.error());
  if (facts && config_.authority == std::string(kFingerprintPrefix) + facts->fingerprint)
    return *kept;
  const std::string authority = GP_TRY(AuthorityForAll(config_.controllers, config_.authority));
  if (!authority.empty()) GP_CHECK_OK(WriteTextFile(path, authority, 0644));
  return authority;
}

Status AttemptsPart::Start() {
  incarnation_ = GP_TRY(NextIncarnation(config_.state_directory, clock_.Now()));
  CgroupIsolation::Options isolation_options;
  // Agents of several clusters may share a host: each has its own control group.
  isolation_options.name += "-" + ToBase32(Digest64(config_.state_directory), 13);
  isolation_ = GP_TRY(CgroupIsolation::Open(isolation_options));
  for (const std::string& warning : isolation_->Report().warnings)
    log_.Write(LogLevel::kWarning, warning);
  isolation_->RemoveAbandoned();
  // Jobs of a lost state directory may still run, but no agent holds them any more.
  if (incarnation_.fresh) GP_CHECK_OK(isolation_->EndAll());
  SupervisedAttemptRunner::Options runner_options;
  runner_options.state_directory = config_.state_directory;
  runner_ = GP_TRY(SupervisedAttemptRunner::Open(runner_options, *isolation_));
  return Ok();
}

Status GpusPart::Start() {
  const auto lease_in = [this](int gpu, int instance) {
    return ParseLeaseKey(mig_->AttemptIn(gpu, instance)).value_or(LeaseId{});
  };
  const uint64_t incarnation = attempts_.incarnation().number;
  keeper_ = MakeGpuKeeper(config_, node_.places(), incarnation, lease_in, clock_);
  for (const std::string& warning : keeper_->warnings()) log_.Write(LogLevel::kWarning, warning);
  sharing_ = MakeSharingRunner(config_, node_.mps_control(), incarnation, attempts_.runner(),
                               keeper_->watch(), clock_);
  instances_ = MakeMigInstances(config_, node_.places());
  mig_ = std::make_unique<MigRunner>(node_.facts()->DividedGpus(), *instances_, *sharing_);
  std::string warning;
  images_ = MakeNodeImages(config_, warning);
  if (!warning.empty()) log_.Write(LogLevel::kWarning, warning);
  data_ = GP_TRY(MakeDataStore(config_));
  staging_ = std::make_unique<StagingRunner>(*images_.store, *data_, *mig_);
  copying_ = std::make_unique<CopyingRunner>(*data_, *staging_, clock_);
  if (images_.care != nullptr) images_.care->Begin();
  return Ok();
}

void GpusPart::Stop() {
  if (images_.care != nullptr) images_.care->Stop();
  keeper_.reset();  // its processes end before this one does
}

}  // namespace gp
