#include "tests/property/virtual_agent.h"

#include <algorithm>

#include "domain/model/jobs/image_reference.h"
#include "domain/model/jobs/ports.h"

namespace gp {

void VirtualAgent::Begin(bool wiped) {
  Disconnect();
  fresh_ = wiped || (fresh_ && !fresh_is_known_);
  if (wiped) fresh_is_known_ = false;
  declined_.clear();
  stopped_.clear();
  resolved_.clear();
  offered_.clear();
  newest_epoch_ = 0;
  lease_until_ = {};
}

std::vector<LeaseObservation> VirtualAgent::Observations() const {
  std::vector<LeaseObservation> seen;
  if (!node_) return seen;
  for (const LeaseId id : world_->known_on(*node_)) seen.push_back(world_->Observe(id));
  for (const auto& [id, digest] : resolved_) {
    LeaseObservation one;
    one.lease = id;
    one.image_digest = digest;
    seen.push_back(std::move(one));
  }
  for (const auto& [id, first_port] : offered_) {
    LeaseObservation one;
    one.lease = id;
    one.first_port = first_port;
    seen.push_back(std::move(one));
  }
  for (const LeaseId id : declined_) {
    LeaseObservation one;
    one.lease = id;
    one.ended = true;
    one.outcome = {LeaseEnd::kStopped, 0, 0, "stopped before it was started"};
    seen.push_back(std::move(one));
  }
  return seen;
}

JoinNode VirtualAgent::Connect() { return {facts_, ++incarnation_, fresh_, Observations()}; }

void VirtualAgent::JoinAccepted(NodeId node, std::shared_ptr<const NodeFacts> ledger) {
  node_ = node;
  ledger_ = std::move(ledger);
  fresh_is_known_ = true;
}

void VirtualAgent::Disconnect() { desired_state_.reset(); }

ReportNode VirtualAgent::Report(const std::vector<GpuObservation>& gpus) const {
  std::vector<uint64_t> images;
  if (!images_.empty()) images.push_back(ImageKey("oci:/images/train:latest"));
  for (const std::string& digest : images_) images.push_back(ImageKeyOfDigest(digest));
  return {*node_, incarnation_, Observations(), gpus, images};
}

void VirtualAgent::Take(Instant now, DownMessage message) {
  if (message.answers_sent_at.ns != 0) lease_until_ = message.answers_sent_at + message.lease_time;
  if (message.desired_state && message.desired_state->epoch >= newest_epoch_) {
    newest_epoch_ = message.desired_state->epoch;
    desired_state_ = std::move(message.desired_state);
  }
  if (!desired_state_) return;
  for (const DesiredLease& desired : desired_state_->leases) {
    if (message.answers_sent_at.ns != 0) world_->Renew(desired.lease.id, lease_until_);
  }
  Act(now);
}

void VirtualAgent::Act(Instant now) {
  std::vector<HeldLease> held;
  const auto hold = [&](LeaseId id, bool ended) {
    const auto stop = stopped_.find(id);
    held.push_back({id, ended, stop == stopped_.end() ? StopOrder::kNone : stop->second});
  };
  for (const LeaseId id : world_->known_on(*node_)) hold(id, !world_->Of(id).is_alive);
  for (const LeaseId id : declined_) hold(id, true);
  std::erase_if(resolved_, [this](const auto& one) {
    return std::ranges::none_of(desired_state_->leases, [&](const DesiredLease& desired) {
      return desired.lease.id == one.first;
    });
  });
  OfferPorts();
  for (const NodeAction& action : Reconcile(*desired_state_, held)) CarryOut(now, action);
  for (const DesiredLease& desired : desired_state_->leases) world_->Discard(desired.surplus);
}

// Each time another block: an agent that is asked again, after a restart, may offer another one.
void VirtualAgent::OfferPorts() {
  offered_.clear();
  for (const DesiredLease& desired : desired_state_->leases) {
    const bool is_declined = std::ranges::find(declined_, desired.lease.id) != declined_.end();
    const bool is_known = std::ranges::find(world_->known_on(*node_), desired.lease.id) !=
                          world_->known_on(*node_).end();
    if (!desired.awaits_ports || desired.lease.rank != 0 || is_declined || is_known) continue;
    offers_ = (offers_ + 1) % kPortBlocks;
    offered_[desired.lease.id] = kPortFirst + offers_ * kPortsInBlock;
  }
}

void VirtualAgent::Start(Instant now, const DesiredLease& desired) {
  const Lease& lease = desired.lease;
  if (HasLayers(desired.spec->program.image) && desired.image_digest.empty()) {
    // The tag names another image each time.
    std::string digits = std::to_string(lease.id.value);
    digits.insert(0, 64 - digits.size(), '0');
    if (lease.rank == 0) resolved_[lease.id] = "sha256:" + digits;
    return;
  }
  resolved_.erase(lease.id);
  if (!desired.image_digest.empty()) {
    std::erase(images_, desired.image_digest);
    images_.push_back(desired.image_digest);
    if (images_.size() > 2) images_.erase(images_.begin());
  }
  world_->Start(now, desired, *ledger_, lease_until_);
}

const DesiredLease& VirtualAgent::DesiredLeaseFor(LeaseId lease) const {
  return *std::ranges::find(desired_state_->leases, lease,
                            [](const DesiredLease& o) { return o.lease.id; });
}

void VirtualAgent::CarryOut(Instant now, const NodeAction& action) {
  switch (action.kind) {
    case NodeActionKind::kStart: return Start(now, DesiredLeaseFor(action.lease));
    case NodeActionKind::kDecline:
      resolved_.erase(action.lease);
      offered_.erase(action.lease);
      return declined_.push_back(action.lease);
    case NodeActionKind::kStop:
      stopped_[action.lease] = StopOrder::kGraceful;
      return world_->Stop(now, action.lease, DesiredLeaseFor(action.lease).spec->policy.grace);
    case NodeActionKind::kKill:
      stopped_[action.lease] = StopOrder::kKill;
      return world_->Stop(now, action.lease, Duration{});
    case NodeActionKind::kForget:
      stopped_.erase(action.lease);
      if (std::erase(declined_, action.lease) == 0) world_->Forget(action.lease);
  }
}

}  // namespace gp
