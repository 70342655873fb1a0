#include "experiments/agents/agents_experiment.h"

#include <fmt/format.h>
#include <sys/epoll.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <vector>

#include "adapters/outbound/grpc/channel.h"
#include "adapters/outbound/played_nodes/played_fleet.h"
#include "base/percentile.h"
#include "gpu_platform/v1/node.grpc.pb.h"
#include "lib/tls/authority.h"

namespace gp {
namespace {

using Clock = std::chrono::steady_clock;
using Agents = std::vector<std::shared_ptr<PlayedAgent>>;

constexpr std::chrono::seconds kJoinMax{120};
constexpr std::chrono::milliseconds kTick{1};
constexpr std::chrono::milliseconds kLastAnswers{500};

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Lets the agents send, each at its own part of the period, and ends the loop when the time is
// over.
class Metronome : public Watched {
 public:
  Metronome(const AgentsOptions& options, EventLoop& loop, Agents agents, const PlayedTimes& times,
            AgentsResult& result)
      : options_(options),
        loop_(loop),
        fleet_(std::move(agents), times),
        times_(times),
        result_(result),
        timer_(TickEvery(kTick)) {}

  int descriptor() const { return timer_.get(); }
  void OnReady(uint32_t) override {
    ClearTicks(timer_);
    const Clock::time_point now = Clock::now();
    fleet_.Connect(now);
    if (!has_begun_) return Begin(now);
    NoteJoins();
    if (now < end_) fleet_.Beat(now);
    if (now > end_ + kLastAnswers) loop_.Stop();
  }

 private:
  void Begin(Clock::time_point now) {
    result_.joined = times_.joined;
    result_.joined_s = SecondsSince(start_);
    has_begun_ = fleet_.HaveAllJoined() || now - start_ > kJoinMax;
    end_ = now + std::chrono::nanoseconds(options_.lasts.ns);
  }
  void NoteJoins() {
    const bool have_all_joined = fleet_.HaveAllJoined();
    if (have_all_joined && left_at_) result_.rejoined_s = SecondsSince(*left_at_);
    if (have_all_joined) left_at_.reset();
    if (!have_all_joined && !left_at_) left_at_ = Clock::now();
  }

  const AgentsOptions& options_;
  EventLoop& loop_;
  PlayedFleet fleet_;
  const PlayedTimes& times_;
  AgentsResult& result_;
  const Descriptor timer_;
  const Clock::time_point start_ = Clock::now();
  std::optional<Clock::time_point> left_at_;  // since then not all are joined
  bool has_begun_ = false;
  Clock::time_point end_;
};

// The machine of each node.
NodeFacts Machine(int gpus) {
  NodeFacts facts;
  facts.driver_version = "550.54.15";
  facts.links.assign(static_cast<size_t>(gpus) * static_cast<size_t>(gpus), 0);
  facts.numa = {{0, 0, CpuSet::Parse("0-47").value(), 1 << 20},
                {1, 1, CpuSet::Parse("48-95").value(), 1 << 20}};
  for (int i = 0; i < gpus; ++i) {
    GpuFacts gpu;
    gpu.model = "NVIDIA H100 80GB HBM3";
    gpu.pci_bus_id = fmt::format("00000000:{:02X}:00.0", i);
    gpu.minor = i;
    gpu.numa = 2 * i / gpus;
    gpu.memory_mib = 81'559;
    facts.gpus.push_back(std::move(gpu));
  }
  return facts;
}

// A certificate of the node, by the join token.
Result<TlsSide> Certified(v1::NodeLink::Stub& controller, const AgentsOptions& options,
                          const std::string& node) {
  const CertificateRequest own = GP_TRY(NewCertificateRequest());
  grpc::ClientContext context;
  context.AddMetadata("gp-join-token", options.join_token);
  v1::CertifyRequest request;
  request.set_node(node);
  request.set_request(own.request);
  v1::CertifyReply reply;
  const grpc::Status status = controller.Certify(&context, request, &reply);
  if (!status.ok()) return Fail(Unavailable("no certificate: " + status.error_message()));
  return TlsSide::Client(options.authority, kControllerName, {own.key, reply.certificate()});
}

}  // namespace

Result<AgentsResult> RunAgents(const AgentsOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);  // TLS would raise it when a controller is killed
  AgentsResult result;
  PlayedTimes times;
  EventLoop loop;
  const PlayedController controller{options.addresses, options.join_token,
                                    [&](const v1::JobSpec&) { return options.jobs_last; }};
  const auto machine = std::make_shared<const NodeFacts>(Machine(options.gpus_per_node));
  Agents agents;
  const auto stub = v1::NodeLink::NewStub(
      OpenChannel(options.addresses.front(), {options.authority, Identity{}}));
  for (int i = 0; i < options.agents; ++i) {
    const PlayedNode node{"played-" + std::to_string(i), static_cast<uint64_t>(i), machine};
    std::optional<TlsSide> tls;
    if (!options.authority.empty()) tls = GP_TRY(Certified(*stub, options, node.name));
    agents.push_back(std::make_shared<PlayedAgent>(node, controller, std::move(tls), loop, times));
  }
  const auto metronome =
      std::make_shared<Metronome>(options, loop, std::move(agents), times, result);
  GP_CHECK_OK(loop.Watch(metronome->descriptor(), EPOLLIN, metronome));
  loop.Run();
  result.heartbeat_every_ms = times.heartbeat_every.ToMilliseconds();
  result.messages = times.messages;
  result.ended = times.ended;
  result.answers = times.answer_ms.size();
  result.answer_p50_ms = Percentile(times.answer_ms, 50);
  result.answer_p99_ms = Percentile(times.answer_ms, 99);
  result.answer_max_ms = Percentile(times.answer_ms, 100);
  return result;
}

}  // namespace gp
