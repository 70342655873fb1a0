#include "adapters/inbound/link/node_messages.h"

#include <algorithm>

#include "adapters/wire/node_link.h"
#include "domain/model/jobs/launcher.h"

namespace gp {
namespace {

bool NeedsJobToken(const DesiredLease& desired_lease) {
  return desired_lease.node_names.size() > 1 &&
         IsLedByRankZero(desired_lease.spec->program.launcher);
}

Result<std::vector<LeaseObservation>> LeasesFrom(
    const google::protobuf::RepeatedPtrField<v1::LeaseObservation>& messages) {
  std::vector<LeaseObservation> leases;
  for (const v1::LeaseObservation& message : messages) leases.push_back(GP_TRY(FromProto(message)));
  return leases;
}

// What placement needs of them; api::NodeImages keeps the rest.
std::vector<HeldImage> ImagesFrom(const v1::HeldImages& message) {
  std::vector<HeldImage> images;
  for (const v1::HeldImage& held : message.images()) {
    if (images.size() == kHeldImagesMax) break;
    images.push_back({.name = held.name(), .digest = held.digest()});
  }
  return images;
}

}  // namespace

Result<JoinNode> JoinFrom(const v1::Join& message) {
  JoinNode join;
  join.facts = std::make_shared<const NodeFacts>(GP_TRY(FromProto(message.facts())));
  join.lineage = message.lineage();
  join.incarnation = message.incarnation();
  join.fresh = message.fresh();
  join.leases = GP_TRY(LeasesFrom(message.leases()));
  return join;
}

Result<AgentReport> ReportFrom(const v1::Report& message) {
  AgentReport report;
  report.leases = GP_TRY(LeasesFrom(message.leases()));
  for (const v1::GpuObservation& gpu : message.gpus()) report.gpus.push_back(FromProto(gpu));
  if (message.has_images()) report.images = ImagesFrom(message.images());
  return report;
}

Result<GpuNews> GpuNewsFrom(const v1::GpuNews& message) {
  constexpr int kSignalsMax = 65'536;
  if (message.signals_size() > kSignalsMax || message.results_size() > kGpusMax)
    return Fail(InvalidArgument("report: too many faults at once"));
  GpuNews news;
  for (const v1::FaultSignal& signal : message.signals())
    news.signals.push_back(GP_TRY(FromProto(signal)));
  for (const v1::GpuTaskResult& result : message.results())
    news.results.push_back(FromProto(result));
  return news;
}

size_t ControllerMessages::AddStored(const std::vector<std::string>& names,
                                     DesiredLease& desired_lease) const {
  if (secrets_ == nullptr) return 0;
  size_t bytes = 0;
  for (const std::string& name : names) {
    auto value = secrets_->Find(
        name, desired_lease.spec->program.shared_secrets_only ? "" : desired_lease.user.name,
        desired_lease.queue);
    if (!value) continue;
    bytes += value->size();
    desired_lease.secrets[name] = *std::move(value);
  }
  return bytes;
}

std::string ControllerMessages::JobTokenOf(uint64_t lineage, const Lease& lease) const {
  return Sha256(HmacSha256(job_token_key_, std::to_string(lineage) + " " + ToText(lease.job) + " " +
                                               std::to_string(lease.attempt)));
}

void ControllerMessages::AddSecrets(NodeDesiredState& desired) const {
  constexpr size_t kOfMessageMax = 32 << 20;  // half of the largest message that an agent accepts
  size_t all = 0;
  for (DesiredLease& desired_lease : desired.leases) {
    const Lease& lease = desired_lease.lease;
    const bool starts = lease.phase == LeasePhase::kGranted && lease.stop == StopOrder::kNone;
    if (starts && NeedsJobToken(desired_lease))
      desired_lease.job_token = JobTokenOf(desired.lineage, lease);
    const JobSpec& spec = *desired_lease.spec;
    const size_t of_job =
        AddStored(starts ? SecretsOf(spec) : SecretsOfCopies(spec), desired_lease);
    // Secrets may have grown since the submit: only this job goes without them.
    if (of_job > kSecretBytesOfJobMax || all + of_job > kOfMessageMax)
      desired_lease.secrets.clear();
    all += desired_lease.secrets.empty() ? 0 : of_job;
  }
}

Result<std::vector<MetricPart>> MetricPartsFrom(const v1::MetricParts& message) {
  constexpr int kPartsMax = 1'000;
  constexpr size_t kPartBytesMax = 64 << 10;
  constexpr size_t kAllBytesMax = 1 << 20;
  size_t bytes = 0;
  std::vector<MetricPart> parts;
  if (message.parts_size() > kPartsMax)
    return Fail(InvalidArgument("a message has at most 1000 pieces of metrics"));
  for (const v1::MetricPart& one : message.parts()) {
    if (one.attempt() < 0 || one.rank() < 0 || one.offset() < 0)
      return Fail(InvalidArgument("a piece of metrics has a negative number"));
    bytes += one.data().size();
    if (one.data().size() > kPartBytesMax || bytes > kAllBytesMax)
      return Fail(InvalidArgument("metrics of a message are more than 1 MiB, or 64 KiB of a rank"));
    if (!one.data().empty() && one.data().back() != '\n')
      return Fail(InvalidArgument("a piece of metrics ends within a line"));
    parts.push_back({{{one.job()}, one.attempt(), one.rank()}, one.offset(), one.data()});
  }
  return parts;
}

v1::ControllerMessage ToMessage(const std::vector<MetricMark>& kept) {
  v1::ControllerMessage message;
  for (const MetricMark& mark : kept) {
    v1::MetricMark* one = message.add_metrics_kept();
    one->set_job(mark.source.job.value);
    one->set_attempt(mark.source.attempt);
    one->set_rank(mark.source.rank);
    one->set_end(mark.end);
  }
  return message;
}

v1::ControllerMessage ControllerMessages::ToMessage(const ControllerNews& news) const {
  v1::ControllerMessage message;
  message.set_epoch(news.epoch);
  message.set_answers(news.acknowledged);
  message.set_heartbeat(news.heartbeat);
  message.set_wants_report(news.wants_report);
  if (news.acknowledged != 0 || news.heartbeat != 0)
    message.set_lease_time_ms(news.lease_time.ToMilliseconds());
  if (news.acknowledged != 0) message.set_heartbeat_every_ms(news.heartbeat_every.ToMilliseconds());
  if (news.desired) {
    const bool have_secrets =
        std::ranges::any_of(news.desired->leases, [](const DesiredLease& desired_lease) {
          return !SecretsOf(*desired_lease.spec).empty() || NeedsJobToken(desired_lease);
        });
    if (have_secrets) {
      NodeDesiredState desired = *news.desired;
      AddSecrets(desired);
      gp::ToProto(desired, message.mutable_orders());
    } else {
      gp::ToProto(*news.desired, message.mutable_orders());
    }
  }
  for (const uint64_t channel : news.channels) {
    if (auto channel_order = channels_.OrderOf(channel))
      *message.add_channels() = *std::move(channel_order);
  }
  return message;
}

}  // namespace gp
