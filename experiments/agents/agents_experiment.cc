#include "experiments/agents/agents_experiment.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <vector>

#include "adapters/outbound/grpc/channel.h"
#include "base/ignore_result.h"
#include "base/percentile.h"
#include "experiments/agents/played_agent.h"
#include "gpu_platform/v1/node.grpc.pb.h"
#include "lib/tls/authority.h"

namespace gp {
namespace {

using Clock = std::chrono::steady_clock;
using Agents = std::vector<std::shared_ptr<PlayedAgent>>;

constexpr std::chrono::seconds kJoinMax{120};
constexpr std::chrono::milliseconds kConnectEvery{100};
constexpr std::chrono::milliseconds kTick{1};
constexpr std::chrono::milliseconds kLastAnswers{500};

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Lets the agents send, each at its own part of the period, and ends the loop when the time is
// over.
class Metronome : public Watched {
 public:
  Metronome(const AgentsOptions& options, EventLoop& loop, const Agents& agents,
            const PlayedTimes& times, AgentsResult& result)
      : options_(options),
        loop_(loop),
        agents_(agents),
        times_(times),
        result_(result),
        timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
    const timespec tick{0, std::chrono::nanoseconds(kTick).count()};
    const itimerspec every{tick, tick};
    timerfd_settime(timer_.get(), 0, &every, nullptr);
  }

  int descriptor() const { return timer_.get(); }
  void OnReady(uint32_t) override {
    uint64_t ticks = 0;
    IgnoreResult(read(timer_.get(), &ticks, sizeof ticks), "the clock says how late it is");
    const Clock::time_point now = Clock::now();
    if (times_.joined < options_.agents) ConnectAll(now);
    if (!has_begun_) return Begin(now);
    NoteJoins(now);
    for (; due_ <= now && due_ < end_; due_ += gap_, next_ = (next_ + 1) % agents_.size())
      agents_[next_]->Beat();
    if (now > end_ + kLastAnswers) loop_.Stop();
  }

 private:
  void ConnectAll(Clock::time_point now) {
    if (now < connect_at_) return;
    connect_at_ = now + kConnectEvery;
    for (const auto& agent : agents_) agent->Connect();
  }
  void Begin(Clock::time_point now) {
    result_.joined = times_.joined;
    result_.joined_s = SecondsSince(start_);
    has_begun_ = times_.joined == options_.agents || now - start_ > kJoinMax;
    gap_ = std::chrono::nanoseconds(times_.heartbeat_every.ns / options_.agents);
    due_ = now;
    end_ = now + std::chrono::nanoseconds(options_.lasts.ns);
  }
  void NoteJoins(Clock::time_point now) {
    const bool have_all_joined = times_.joined == options_.agents;
    if (have_all_joined && left_at_) result_.rejoined_s = SecondsSince(*left_at_);
    if (have_all_joined) left_at_.reset();
    if (!have_all_joined && !left_at_) left_at_ = now;
  }

  const AgentsOptions& options_;
  EventLoop& loop_;
  const Agents& agents_;
  const PlayedTimes& times_;
  AgentsResult& result_;
  const Descriptor timer_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point connect_at_;
  std::optional<Clock::time_point> left_at_;  // since then not all are joined
  bool has_begun_ = false;
  std::chrono::nanoseconds gap_{0};
  Clock::time_point due_;
  Clock::time_point end_;
  size_t next_ = 0;
};

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
  const PlayedController controller{options.address, options.join_token};
  Agents agents;
  const auto stub =
      v1::NodeLink::NewStub(OpenChannel(options.address, {options.authority, Identity{}}));
  for (int i = 0; i < options.agents; ++i) {
    const PlayedNode node{"played-" + std::to_string(i), static_cast<uint64_t>(i),
                          options.gpus_per_node};
    std::optional<TlsSide> tls;
    if (!options.authority.empty()) tls = GP_TRY(Certified(*stub, options, node.name));
    agents.push_back(std::make_shared<PlayedAgent>(node, controller, std::move(tls), loop, times));
  }
  const auto metronome = std::make_shared<Metronome>(options, loop, agents, times, result);
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
