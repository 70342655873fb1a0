#include "adapters/inbound/api/node_channels.h"

#include <sys/random.h>

#include <algorithm>
#include <chrono>

#include "base/ignore_result.h"
#include "base/text.h"

namespace gp {

Tunnel* Channel::WaitForTunnel(Duration timeout) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::nanoseconds(timeout.ns),
                    [this] { return tunnel_ != nullptr; });
  return tunnel_;
}

void Channel::Attach(Tunnel& tunnel) {
  std::unique_lock lock(mutex_);
  if (finished_) return;
  tunnel_ = &tunnel;
  changed_.notify_all();
  changed_.wait(lock, [this] { return finished_; });
}

void Channel::Break() {
  const std::lock_guard lock(mutex_);
  if (tunnel_ != nullptr && !finished_) tunnel_->Break();
}

void Channel::Finish() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  changed_.notify_all();
}

Result<Tunnel*> AwaitTunnel(Channel& channel) {
  constexpr Duration kTimeout = Duration::Seconds(10);
  Tunnel* const tunnel = channel.WaitForTunnel(kTimeout);
  if (tunnel != nullptr) return tunnel;
  channel.Finish();
  return Fail(Unavailable("the node's agent did not answer"));
}

namespace {

// A random number: only the agent that receives it can name the channel.
uint64_t NewNumber() {
  uint64_t number = 0;
  while (number == 0)
    IgnoreResult(getrandom(&number, sizeof number, 0), "it is repeated until there is a number");
  return number;
}

}  // namespace

Result<std::shared_ptr<Channel>> NodeChannels::Open(NodeId node, v1::OpenChannel order) {
  auto channel = std::make_shared<Channel>();
  uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(ordered_, [](const auto& entry) { return entry.second.channel.expired(); });
    number = NewNumber();
    order.set_channel(number);
    ordered_[number] = {std::move(order), channel};
  }
  GP_CHECK_OK(nodes_.OpenChannel(node, number));
  return channel;
}

std::optional<v1::OpenChannel> NodeChannels::OrderOf(uint64_t channel) const {
  const std::lock_guard lock(mutex_);
  const auto found = ordered_.find(channel);
  return found == ordered_.end() ? std::nullopt : std::optional(found->second.order);
}

std::shared_ptr<Channel> NodeChannels::Claim(uint64_t channel) {
  const std::lock_guard lock(mutex_);
  const auto found = ordered_.find(channel);
  if (found == ordered_.end()) return nullptr;
  auto claimed = found->second.channel.lock();
  ordered_.erase(found);
  return claimed;
}

void AgeReadings(Duration since_report, v1::GpuReadings* readings) {
  if (readings->has_age_seconds())
    readings->set_age_seconds(readings->age_seconds() + static_cast<double>(since_report.ns) / 1e9);
  if (since_report <= kReportStaleAfter) return;
  readings->set_stale(true);
  readings->clear_temperature_celsius();
  readings->clear_power_watts();
  readings->clear_utilization_percent();
  readings->clear_memory_used_bytes();
  readings->clear_ecc_corrected();
  readings->clear_ecc_uncorrected();
  readings->clear_row_remap_pending();
  readings->clear_row_remap_failed();
  readings->clear_nvlinks_active();
  readings->clear_nvlinks_total();
  readings->clear_recovery_action();
  readings->clear_throttle_reasons();
  readings->clear_lost();
}

void NodeReadings::Set(NodeId node, std::vector<v1::GpuReadings> readings, Instant at) {
  Latest latest{{}, at};
  for (v1::GpuReadings& one : readings) {
    std::string uuid = one.uuid();
    if (!uuid.empty()) latest.gpus[std::move(uuid)] = std::move(one);
  }
  const std::lock_guard lock(mutex_);
  latest_[node] = std::move(latest);
}

void NodeReadings::Confirm(NodeId node, Instant at) {
  const std::lock_guard lock(mutex_);
  const auto found = latest_.find(node);
  if (found != latest_.end()) found->second.at = at;
}

std::optional<NodeReadings::Latest> NodeReadings::Of(NodeId node) const {
  const std::lock_guard lock(mutex_);
  const auto found = latest_.find(node);
  return found == latest_.end() ? std::nullopt : std::optional(found->second);
}

void NodeProgress::Set(NodeId node, std::vector<v1::LeaseProgress> progress) {
  const std::lock_guard lock(mutex_);
  latest_[node] = std::move(progress);
}

std::optional<v1::LeaseProgress> NodeProgress::Of(NodeId node, LeaseId lease) const {
  const std::lock_guard lock(mutex_);
  const auto found = latest_.find(node);
  if (found == latest_.end()) return std::nullopt;
  const auto one = std::ranges::find(found->second, lease.value, &v1::LeaseProgress::lease);
  return one == found->second.end() ? std::nullopt : std::optional(*one);
}

void NodeImages::Set(NodeId node, const v1::HeldImages& images) {
  constexpr size_t kNameMax = 300;
  constexpr size_t kDigestMax = 80;
  constexpr int kLeasesMax = 1'024;  // of one image
  const int kept = std::min(images.images_size(), static_cast<int>(kHeldImagesMax));
  v1::HeldImages latest;
  for (int i = 0; i < kept; ++i) {
    const v1::HeldImage& said = images.images(i);
    v1::HeldImage* image = latest.add_images();
    image->set_name(Printable(said.name(), kNameMax));
    image->set_digest(Printable(said.digest(), kDigestMax));
    image->set_bytes(said.bytes());
    image->set_used_at_ns(said.used_at_ns());
    for (int j = 0; j < std::min(said.leases_size(), kLeasesMax); ++j)
      image->add_leases(said.leases(j));
  }
  const std::lock_guard lock(mutex_);
  latest_[node] = std::move(latest);
}

v1::HeldImages NodeImages::Of(NodeId node) const {
  const std::lock_guard lock(mutex_);
  const auto found = latest_.find(node);
  return found == latest_.end() ? v1::HeldImages() : found->second;
}

}  // namespace gp
