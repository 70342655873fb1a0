#include "experiments/agents/played_agent.h"

#include <fmt/format.h>
#include <sys/epoll.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "adapters/wire/link_greeting.h"
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

void Describe(const PlayedNode& node, v1::NodeFacts& facts) {
  facts.set_name(node.name);
  facts.set_simulated(true);
  facts.set_driver_version("550.54.15");
  facts.set_machine("played machine of " + node.name);
  facts.set_links(std::string(static_cast<size_t>(node.gpus) * static_cast<size_t>(node.gpus), 0));
  for (int package = 0; package < 2; ++package) {
    v1::NodeFacts::Numa* numa = facts.add_numa();
    numa->set_os_id(package);
    numa->set_package(package);
    numa->set_cpus(package == 0 ? "0-47" : "48-95");
    numa->set_memory_mib(1 << 20);
  }
  for (int i = 0; i < node.gpus; ++i) {
    v1::NodeFacts::GpuFact* gpu = facts.add_gpus();
    gpu->set_uuid(UuidOf(node, i));
    gpu->set_model("NVIDIA H100 80GB HBM3");
    gpu->set_pci_bus_id(fmt::format("00000000:{:02X}:00.0", i));
    gpu->set_minor(i);
    gpu->set_numa(2 * i / node.gpus);
    gpu->set_memory_mib(81'559);
  }
}

}  // namespace

void PlayedAgent::Connect() {
  if (dial_ || socket_) return;
  dial_.emplace(controller_.address);
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
  Describe(node_, *join->mutable_facts());
  join->set_incarnation(connections_ + 1);
  join->set_fresh(true);
  return message;
}

// As many values as those of a real node.
void PlayedAgent::AddReadings(
    google::protobuf::RepeatedPtrField<v1::GpuReadings>* readings_of_all) const {
  const auto wobble = static_cast<int>(last_number_ % 17);
  for (int i = 0; i < node_.gpus; ++i) {
    v1::GpuReadings* readings = readings_of_all->Add();
    readings->set_uuid(UuidOf(node_, i));
    readings->set_temperature_celsius(40 + wobble);
    readings->set_power_watts(300 + wobble);
    readings->set_utilization_percent(80 + wobble);
    readings->set_memory_used_bytes(40LL << 30);
    readings->set_ecc_corrected(0);
    readings->set_ecc_uncorrected(0);
    readings->set_nvlinks_active(18);
    readings->set_nvlinks_total(18);
    readings->set_age_seconds(1.0);
    readings->set_serial("1650000000000");
    readings->set_compute_capability("9.0");
  }
}

v1::AgentMessage PlayedAgent::NextMessage() const {
  if (last_number_ % kMessagesPerReport == kReportAt) return ReportMessage();
  v1::AgentMessage message;
  message.set_number(last_number_);
  v1::Heartbeat* heartbeat = message.mutable_heartbeat();
  if (last_number_ % kHeartbeatsPerReadings == 0) AddReadings(heartbeat->mutable_readings());
  return message;
}

v1::AgentMessage PlayedAgent::ReportMessage() const {
  v1::AgentMessage message;
  message.set_number(last_number_);
  for (int i = 0; i < node_.gpus; ++i) {
    v1::GpuObservation* seen = message.mutable_report()->add_gpus();
    seen->set_gpu(i);
    seen->set_healthy(true);
  }
  for (const auto& [lease, ended_at_ns] : leases_) {
    v1::LeaseObservation* seen = message.mutable_report()->add_leases();
    seen->set_lease(lease);
    seen->set_ended(true);
    seen->set_started_at_ns(ended_at_ns);
    seen->set_ended_at_ns(ended_at_ns);
    seen->set_ran_ns(1);
  }
  AddReadings(message.mutable_report()->mutable_readings());
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
  const int64_t now_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                             std::chrono::system_clock::now().time_since_epoch())
                             .count();
  std::map<uint64_t, int64_t> leases;
  for (const v1::LeaseOrder& order : orders.leases()) {
    const auto known = leases_.find(order.lease());
    leases[order.lease()] = known == leases_.end() ? now_ns : known->second;
  }
  leases_ = std::move(leases);
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
