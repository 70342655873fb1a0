#pragma once

// An agent loop on a thread of its own, with a controller and supervisors that the test plays.

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <thread>

#include "adapters/outbound/memory/manual_clock.h"
#include "application/agent/agent_loop.h"
#include "domain/model/jobs/ports.h"
#include "tests/support/test_cluster.h"
#include "tests/support/wait_until.h"

namespace gp {

// A controller's end of the line, played by the test.  Thread-safe: the loop runs on its own.
class FakeLink : public ControlLink {
 public:
  const std::vector<std::string>& addresses() const override { return addresses_; }
  // Its probe is answered at once.
  std::unique_ptr<ControlConnection> Connect(size_t) override {
    const std::lock_guard lock(mutex_);
    number_ = 0;
    news_.clear();
    news_.emplace_back().probed = ControllerEpoch{UINT64_MAX, 1};
    Signal();
    return std::make_unique<Connection>(*this);
  }
  int EventDescriptor() const override { return fd_; }
  void ClearEvent() override {
    uint64_t drained = 0;
    (void)!read(fd_, &drained, sizeof drained);
  }

  // News that was not taken yet stays in front of it.
  void Tell(const LinkNews& news) {
    const std::lock_guard lock(mutex_);
    news_.push_back(news);
    Signal();
  }
  void Wake() const { Signal(); }
  template <typename F>
  auto With(F look) {
    const std::lock_guard lock(mutex_);
    return look();
  }

  std::vector<JoinNode> joins;
  std::vector<AgentReport> reports;
  std::vector<GpuNews> gpu_news;
  std::vector<Heartbeat> heartbeats;
  std::vector<MetricParts> metrics;

 private:
  // One connection is open at a time.
  class Connection : public ControlConnection {
   public:
    explicit Connection(FakeLink& link) : link_(link) {}
    uint64_t Send(const JoinNode& join) override { return link_.Add(link_.joins, join); }
    uint64_t Send(const AgentReport& report) override { return link_.Add(link_.reports, report); }
    uint64_t Send(const GpuNews& news) override { return link_.Add(link_.gpu_news, news); }
    uint64_t Send(const Heartbeat& one) override { return link_.Add(link_.heartbeats, one); }
    uint64_t Send(const MetricParts& one) override { return link_.Add(link_.metrics, one); }
    LinkNews TakeNews() override {
      const std::lock_guard lock(link_.mutex_);
      if (link_.news_.empty()) return {};
      LinkNews first = std::move(link_.news_.front());
      link_.news_.pop_front();
      if (!link_.news_.empty()) link_.Signal();
      return first;
    }

   private:
    FakeLink& link_;
  };
  template <typename Message>
  uint64_t Add(std::vector<Message>& messages, const Message& message) {
    const std::lock_guard lock(mutex_);
    messages.push_back(message);
    return ++number_;
  }

  void Signal() const {
    const uint64_t one = 1;
    (void)!write(fd_, &one, sizeof one);
  }

  const std::vector<std::string> addresses_ = {"controller"};
  std::mutex mutex_;
  std::deque<LinkNews> news_;
  uint64_t number_ = 0;
  int fd_ = eventfd(0, EFD_NONBLOCK);
};

class FakeRunner : public AttemptRunner {
 public:
  Status Start(const LaunchSpec& spec) override {
    const std::lock_guard lock(mutex_);
    if (fail_start) return Fail(Internal("no room"));
    launches.push_back(spec);
    AttemptStatus status;
    status.key = spec.key;
    status.phase = first_phase;
    attempts[spec.key] = status;
    return Ok();
  }
  void Renew(const std::string& key, int64_t deadline) override {
    const std::lock_guard lock(mutex_);
    renewed[key] = deadline;
  }
  void Stop(const std::string& key, Duration grace) override {
    const std::lock_guard lock(mutex_);
    stops.emplace_back(key, grace);
    attempts[key].phase = AttemptPhase::kExited;
    attempts[key].cause = EndCause::kStopped;
  }
  void FixImage(const std::string& key, const std::string& digest) override {
    const std::lock_guard lock(mutex_);
    fixed.emplace_back(key, digest);
  }
  void Discard(const std::string& key, const std::string& directory,
               const std::vector<std::string>& paths) override {
    const std::lock_guard lock(mutex_);
    discards.push_back({key, directory, paths});
  }
  std::vector<AttemptStatus> Observe() override {
    const std::lock_guard lock(mutex_);
    std::vector<AttemptStatus> all;
    for (const auto& [key, status] : attempts) all.push_back(status);
    return all;
  }
  Status Forget(const std::string& key) override {
    const std::lock_guard lock(mutex_);
    attempts.erase(key);
    return Ok();
  }
  bool IsEmpty() override {
    const std::lock_guard lock(mutex_);
    return attempts.empty();
  }
  Result<ExecStreams> Exec(const std::string& key, const ExecSpec&) override {
    return Fail(NotFound(key));
  }
  int EventDescriptor() const override { return fd_; }
  template <typename F>
  auto With(F look) {
    const std::lock_guard lock(mutex_);
    return look();
  }

  HostUse Used(const std::string&) override {
    const std::lock_guard lock(mutex_);
    return use;
  }

  bool fail_start = false;
  AttemptPhase first_phase = AttemptPhase::kRunning;
  HostUse use;
  std::vector<LaunchSpec> launches;
  std::map<std::string, int64_t> renewed;
  std::vector<std::pair<std::string, Duration>> stops;
  std::map<std::string, AttemptStatus> attempts;
  struct Discarded {
    std::string key;
    std::string directory;
    std::vector<std::string> paths;
  };
  std::vector<Discarded> discards;
  std::vector<std::pair<std::string, std::string>> fixed;  // images, by key

 private:
  std::mutex mutex_;
  int fd_ = eventfd(0, EFD_NONBLOCK);
};

class NoLogs : public LogReader {
 public:
  Result<LogSlice> Read(const std::string&, int64_t offset, int64_t) override {
    return LogSlice{"", offset, offset};
  }
  // A byte was written each nanosecond.
  Result<int64_t> OffsetAt(const std::string&, Instant since) override { return since.ns; }
};

class RecordedLog : public OperatorLog {
 public:
  void Write(LogLevel, const std::string& text) override {
    const std::lock_guard lock(mutex_);
    texts_.push_back(text);
  }
  long Count(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return std::ranges::count(texts_, text);
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

// Thread-safe.
class FakePortBlocks : public PortBlocks {
 public:
  int Take(LeaseId lease, int preferred) override {
    const std::lock_guard lock(mutex_);
    if (is_full_) return 0;
    const auto is_held = [&](const auto& one) { return one.second == preferred; };
    while (std::ranges::any_of(blocks_, is_held)) preferred += kPortsInBlock;
    return blocks_[lease] = preferred;
  }
  void Keep(LeaseId lease, int first_port) override {
    const std::lock_guard lock(mutex_);
    blocks_[lease] = first_port;
  }
  int Of(LeaseId lease) const override {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(lease);
    return found == blocks_.end() ? 0 : found->second;
  }
  void ReleaseOthers(const std::set<LeaseId>& leases) override {
    const std::lock_guard lock(mutex_);
    std::erase_if(blocks_, [&](const auto& one) { return !leases.contains(one.first); });
  }
  void Fill() {
    const std::lock_guard lock(mutex_);
    is_full_ = true;
  }

 private:
  mutable std::mutex mutex_;
  bool is_full_ = false;
  std::map<LeaseId, int> blocks_;
};

class AgentLoopTest : public testing::Test {
 protected:
  AgentLoopTest() {
    AgentOptions options;
    options.facts = std::make_shared<const NodeFacts>(TestCluster::MakeFacts("n1", {0, 0}));
    options.incarnation = 4;
    options.fresh = true;
    options.launch.state_directory = "/s";
    options.keep_followed = [this](const ControllerEpoch& followed) {
      kept_ = followed.lineage;
      ++keeps_;
      return keep_fails_ ? Status(Fail(Internal("disk full"))) : Ok();
    };
    options.log = &log_;
    options.port_blocks = &port_blocks_;
    options.held_images = [this] {
      const std::lock_guard lock(held_mutex_);
      return held_;
    };
    options.launch.resolve_user = [](const User& user) {
      return HostUser{user.name, user.uid, user.gid, {}, "/", ""};
    };
    loop_ = std::make_unique<AgentLoop>(options, link_, runner_, logs_, nullptr, clock_);
    thread_ = std::thread([this] { loop_->Run(); });
  }
  ~AgentLoopTest() override {
    loop_->Stop();
    thread_.join();
  }

  template <typename F>
  void Until(F condition) {
    ASSERT_TRUE(WaitUntil(condition));
  }
  void UntilJoined(size_t times = 1) {
    Until([&] { return link_.With([&] { return link_.joins.size() >= times; }); });
  }
  static DesiredLease Desired(uint64_t lease, bool stop_on_loss = false,
                              StopOrder stop = StopOrder::kNone) {
    DesiredLease desired_lease;
    desired_lease.lease.id = {lease};
    desired_lease.lease.job = {lease};
    desired_lease.lease.attempt = 1;
    desired_lease.lease.gpus = {{0, kWholeShare, 81'559}};
    desired_lease.lease.stop_on_loss = stop_on_loss;
    desired_lease.lease.stop = stop;
    JobSpec spec;
    spec.program.command = {"/bin/true"};
    spec.policy.grace = Duration::Seconds(3);
    desired_lease.spec = std::make_shared<const JobSpec>(spec);
    desired_lease.node_names = {"n1"};
    return desired_lease;
  }
  // Names every lease up to the newest ordered one as given out.
  void Tell(uint64_t acknowledged, std::vector<DesiredLease> leases, uint64_t epoch = 1) {
    LinkNews news;
    LeaseId last{0};
    for (const DesiredLease& desired_lease : leases) last = std::max(last, desired_lease.lease.id);
    news.epoch = epoch;
    news.acknowledged = acknowledged;
    news.lease_time = Duration::Seconds(10);
    news.heartbeat_every = heartbeat_every_;
    news.desired = NodeDesiredState{epoch, 1, last, std::move(leases), lineage_};
    link_.Tell(news);
  }
  long Said(const std::string& text) { return log_.Count("agent: " + text); }
  size_t Launches() {
    return runner_.With([&] { return runner_.launches.size(); });
  }

  Duration heartbeat_every_;  // 0: the agent only reports
  uint64_t lineage_ = 0;      // of the desired state that Tell sends
  std::atomic<uint64_t> kept_ = 0;
  std::atomic<bool> keep_fails_ = false;
  std::atomic<int> keeps_ = 0;
  RecordedLog log_;
  ManualClock clock_;
  FakeLink link_;
  FakeRunner runner_;
  FakePortBlocks port_blocks_;
  std::mutex held_mutex_;
  std::vector<HeldImage> held_;
  NoLogs logs_;
  std::unique_ptr<AgentLoop> loop_;
  std::thread thread_;
};

}  // namespace gp
