#include "adapters/outbound/played_nodes/played_agent.h"

#include <fmt/format.h>
#include <sys/epoll.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

#include "adapters/wire/link_greeting.h"
#include "adapters/wire/node_link.h"
#include "base/ignore_result.h"

namespace gp {
namespace {

// A report soon after the join says that its GPUs are sound.
constexpr uint64_t kMessagesPerReport = 11;
constexpr uint64_t kReportAt = 2;
constexpr uint64_t kHeartbeatsPerReadings = 2;

int64_t SteadyNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string UuidOf(const PlayedNode& node, int gpu) {
  return fmt::format("GPU-{:08x}-0000-4000-8000-{:012x}", node.number, gpu);
}

int64_t RealNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void Describe(const PlayedNode& node, v1::NodeFacts* facts) {
  ToProto(*node.machine, facts);
  facts->set_name(node.name);
  facts->set_simulated(true);
  facts->set_machine("played machine of " + node.name);
  for (int i = 0; i < facts->gpus_size(); ++i) facts->mutable_gpus(i)->set_uuid(UuidOf(node, i));
}

}  // namespace

void PlayedAgent::Connect() {
  if (dial_ || socket_) return;
  dial_.emplace(controller_.addresses[tried_++ % controller_.addresses.size()]);
  OnReady(0);
}

Status PlayedAgent::Greet(Descriptor connected) {
  socket_.emplace(GP_TRY(
      GreetController(std::move(connected), tls_ ? &*tls_ : nullptr, controller_.join_token)));
  last_number_ = 1;
  return Send(JoinMessage());
}

v1::AgentMessage PlayedAgent::JoinMessage() const {
  v1::AgentMessage message;
  message.set_number(1);
  v1::Join* join = message.mutable_join();
  Describe(node_, join->mutable_facts());
  join->set_incarnation(connections_ + 1);
  join->set_fresh(leases_.empty());
  join->set_lineage(lineage_);
  AddLeases(join->mutable_leases(), RealNs());
  return message;
}

void PlayedAgent::AddLeases(google::protobuf::RepeatedPtrField<v1::LeaseObservation>* leases,
                            int64_t now_ns) const {
  for (const auto& [id, lease] : leases_) {
    v1::LeaseObservation* seen = leases->Add();
    const bool has_ended = lease.ends_at_ns <= now_ns;
    seen->set_lease(id);
    seen->set_running(!has_ended);
    seen->set_ended(has_ended);
    seen->set_started_at_ns(lease.started_at_ns);
    seen->set_ran_ns(
        std::max<int64_t>(std::min(now_ns, lease.ends_at_ns) - lease.started_at_ns, 1));
    if (!has_ended) continue;
    seen->set_ended_at_ns(lease.ends_at_ns);
    seen->set_end(static_cast<int>(lease.end));
    if (lease.end == LeaseEnd::kStopped) seen->set_signal(SIGTERM);
  }
}

// As many values as those of a real node.
void PlayedAgent::AddReadings(
    google::protobuf::RepeatedPtrField<v1::GpuReadings>* readings_of_all) const {
  const auto wobble = static_cast<int>(last_number_ % 17);
  std::vector<bool> is_busy(node_.machine->gpus.size());
  for (const auto& [id, lease] : leases_)
    for (const int gpu : lease.gpus) is_busy[static_cast<size_t>(gpu)] = true;
  for (size_t i = 0; i < is_busy.size(); ++i) {
    v1::GpuReadings* readings = readings_of_all->Add();
    readings->set_uuid(UuidOf(node_, static_cast<int>(i)));
    readings->set_temperature_celsius((is_busy[i] ? 60 : 30) + wobble);
    readings->set_power_watts((is_busy[i] ? 500 : 70) + wobble);
    readings->set_utilization_percent(is_busy[i] ? 80 + wobble : 0);
    readings->set_memory_used_bytes(is_busy[i] ? 40LL << 30 : 0);
    readings->set_ecc_corrected(0);
    readings->set_ecc_uncorrected(0);
    readings->set_nvlinks_active(18);
    readings->set_nvlinks_total(18);
    readings->set_age_seconds(1.0);
    readings->set_serial("1650000000000");
    readings->set_compute_capability("9.0");
  }
}

bool PlayedAgent::HasEnded() const {
  const int64_t now_ns = RealNs();
  return std::ranges::any_of(leases_, [&](const auto& one) {
    return one.second.ends_at_ns <= now_ns && !one.second.is_reported;
  });
}

v1::AgentMessage PlayedAgent::NextMessage() {
  if (last_number_ % kMessagesPerReport == kReportAt || HasEnded()) return ReportMessage();
  v1::AgentMessage message;
  message.set_number(last_number_);
  v1::Heartbeat* heartbeat = message.mutable_heartbeat();
  if (last_number_ % kHeartbeatsPerReadings == 0) AddReadings(heartbeat->mutable_readings());
  return message;
}

v1::AgentMessage PlayedAgent::ReportMessage() {
  v1::AgentMessage message;
  message.set_number(last_number_);
  for (size_t i = 0; i < node_.machine->gpus.size(); ++i) {
    v1::GpuObservation* seen = message.mutable_report()->add_gpus();
    seen->set_gpu(static_cast<int>(i));
    seen->set_healthy(true);
  }
  const int64_t now_ns = RealNs();
  AddLeases(message.mutable_report()->mutable_leases(), now_ns);
  AddReadings(message.mutable_report()->mutable_readings());
  for (auto& [id, lease] : leases_) lease.is_reported = lease.ends_at_ns <= now_ns;
  return message;
}

void PlayedAgent::Beat() {
  if (!has_joined_ || socket_->has_unsent()) return;
  ++times_.messages;
  ++last_number_;
  sent_ns_[last_number_] = SteadyNs();
  const Status sent = Send(NextMessage());
  sent ? Await() : End(sent.error().message);
}

void PlayedAgent::OnReady(uint32_t) {
  const Status gone_on = GoOn();
  gone_on ? Await() : End(gone_on.error().message);
}

Status PlayedAgent::GoOn() {
  if (dial_) {
    auto connected = GP_TRY(dial_->GoOn());
    if (!connected) return Ok();
    Watch(-1, 0);  // before its descriptor is closed
    dial_.reset();
    GP_CHECK_OK(Greet(*std::move(connected)));
  }
  GP_CHECK_OK(socket_->Continue());
  do {
    GP_CHECK_OK(socket_->Receive());
    v1::ControllerMessage message;
    while (const auto frame = socket_->NextFrame()) {
      message.ParseFromArray(frame->data(), static_cast<int>(frame->size()));
      if (!message.ended().empty()) return Fail(Unavailable(message.ended()));
      GP_CHECK_OK(Hear(message));
    }
  } while (socket_->HasMore());
  return socket_->has_ended() ? Fail(Unavailable("the controller closed it")) : Ok();
}

Status PlayedAgent::Hear(const v1::ControllerMessage& message) {
  const int64_t now_ns = SteadyNs();
  if (message.has_resumption() && tls_)
    tls_ = tls_->Resuming({message.resumption().ticket(), message.resumption().secret()});
  if (message.foreign_to() != 0) {  // its leases are of another journal
    leases_.clear();
    lineage_ = message.foreign_to();
  }
  if (message.answers() > 0 && !std::exchange(has_joined_, true)) ++times_.joined;
  if (message.heartbeat_every_ms() > 0)
    times_.heartbeat_every = Duration::Milliseconds(message.heartbeat_every_ms());
  const auto answered = sent_ns_.upper_bound(std::max(message.answers(), message.heartbeat()));
  for (auto one = sent_ns_.begin(); one != answered; ++one)
    times_.answer_ms.push_back(static_cast<double>(now_ns - one->second) / 1e6);
  sent_ns_.erase(sent_ns_.begin(), answered);
  return message.has_orders() ? Obey(message.orders()) : Ok();
}

// Each set of orders is complete, and answered by a report.
Status PlayedAgent::Obey(const v1::Orders& orders) {
  const int64_t now_ns = RealNs();
  std::map<uint64_t, PlayedLease> leases;
  for (const v1::LeaseOrder& order : orders.leases()) {
    const auto known = leases_.find(order.lease());
    PlayedLease& lease = leases[order.lease()];
    if (known != leases_.end()) {
      lease = known->second;
    } else {
      lease.started_at_ns = now_ns;
      lease.ends_at_ns = now_ns + controller_.run_time(order.spec()).ns;
      for (const auto& grant : order.gpus()) lease.gpus.push_back(grant.gpu());
    }
    if (order.stop() == 0 || lease.ends_at_ns <= now_ns) continue;
    lease.ends_at_ns = now_ns;
    lease.end = LeaseEnd::kStopped;
  }
  leases_ = std::move(leases);
  lineage_ = orders.lineage();
  ++last_number_;
  return Send(ReportMessage());
}

Status PlayedAgent::Send(const v1::AgentMessage& message) {
  return socket_->Send(message.SerializeAsString());
}

void PlayedAgent::End(const std::string& why) {
  if (std::exchange(has_joined_, false)) {
    --times_.joined;
    ++connections_;
    ++times_.ended[why];
  }
  Watch(-1, 0);
  dial_.reset();
  socket_.reset();
  sent_ns_.clear();
}

void PlayedAgent::Await() {
  if (dial_) return Watch(dial_->descriptor(), EPOLLIN);
  Watch(socket_->descriptor(), EPOLLIN | (socket_->awaits_write() ? EPOLLOUT : 0u));
}

void PlayedAgent::Watch(int descriptor, uint32_t events) {
  if (watched_ >= 0 && watched_ == descriptor) return loop_.Change(descriptor, events);
  if (watched_ >= 0) loop_.Forget(watched_);
  watched_ = descriptor;
  if (descriptor >= 0)
    IgnoreResult(loop_.Watch(descriptor, events, shared_from_this()),
                 "one that is not watched does not join");
}

}  // namespace gp
