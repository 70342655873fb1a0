#include "experiments/agents/played_agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "adapters/outbound/grpc/channel.h"

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

PlayedAgent::PlayedAgent(PlayedNode node, const std::string& address, const std::string& join_token)
    : node_(std::move(node)), stub_(v1::NodeLink::NewStub(OpenChannel(address))) {
  context_.AddMetadata("gp-join-token", join_token);
  stub_->async()->Exchange(&context_, this);
  AddHold();
  out_ = JoinMessage();
  StartRead(&in_);
  StartWrite(&out_);
  StartCall();
}

PlayedAgent::~PlayedAgent() {
  context_.TryCancel();
  EndWrites();
  std::unique_lock lock(mutex_);
  over_.wait(lock, [this] { return is_over_; });
}

v1::AgentMessage PlayedAgent::JoinMessage() const {
  v1::AgentMessage message;
  message.set_number(1);
  v1::Join* join = message.mutable_join();
  Describe(node_, *join->mutable_facts());
  join->set_incarnation(1);
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
  v1::AgentMessage message;
  message.set_number(last_number_);
  if (last_number_ % kMessagesPerReport != kReportAt) {
    v1::Heartbeat* heartbeat = message.mutable_heartbeat();
    if (last_number_ % kHeartbeatsPerReadings == 0) AddReadings(heartbeat->mutable_readings());
    return message;
  }
  for (int i = 0; i < node_.gpus; ++i) {
    v1::GpuObservation* seen = message.mutable_report()->add_gpus();
    seen->set_gpu(i);
    seen->set_healthy(true);
  }
  AddReadings(message.mutable_report()->mutable_readings());
  return message;
}

void PlayedAgent::Beat() {
  {
    const std::lock_guard lock(mutex_);
    if (!times_.has_joined || writes_ || !may_write_) return;
    writes_ = true;
    ++times_.messages;
    ++last_number_;
    out_ = NextMessage();
    sent_ns_[last_number_] = SteadyNs();
  }
  StartWrite(&out_);
}

Duration PlayedAgent::heartbeat_every() {
  const std::lock_guard lock(mutex_);
  return heartbeat_every_;
}

PlayedTimes PlayedAgent::TakeTimes() {
  const std::lock_guard lock(mutex_);
  PlayedTimes times = times_;
  times_.messages = 0;
  times_.answer_ms.clear();
  return times;
}

bool PlayedAgent::has_joined() {
  const std::lock_guard lock(mutex_);
  return times_.has_joined;
}

void PlayedAgent::OnReadDone(bool ok) {
  if (!ok) return EndWrites();
  const int64_t now_ns = SteadyNs();
  {
    const std::lock_guard lock(mutex_);
    if (in_.answers() > 0) times_.has_joined = true;
    if (in_.heartbeat_every_ms() > 0)
      heartbeat_every_ = Duration::Milliseconds(in_.heartbeat_every_ms());
    const auto answered = sent_ns_.upper_bound(std::max(in_.answers(), in_.heartbeat()));
    for (auto one = sent_ns_.begin(); one != answered; ++one)
      times_.answer_ms.push_back(static_cast<double>(now_ns - one->second) / 1e6);
    sent_ns_.erase(sent_ns_.begin(), answered);
  }
  StartRead(&in_);
}

void PlayedAgent::OnWriteDone(bool ok) {
  bool may_write = false;
  {
    const std::lock_guard lock(mutex_);
    writes_ = false;
    may_write = may_write_;
  }
  if (!may_write) return RemoveHold();  // EndWrites left it to this write
  if (!ok) EndWrites();
}

void PlayedAgent::EndWrites() {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(may_write_, false) || writes_) return;
  }
  RemoveHold();
}

void PlayedAgent::OnDone(const grpc::Status& status) {
  const std::lock_guard lock(mutex_);
  times_.ended = status.ok() ? "the controller closed it" : status.error_message();
  is_over_ = true;
  over_.notify_all();
}

}  // namespace gp
