#include "simulation/world/network.h"

#include <algorithm>
#include <utility>

#include "base/ignore_result.h"

namespace gp {

Network::Network(size_t hosts, size_t controllers, int latency_ms_max, Timeline& timeline, Rng& rng,
                 std::function<void(size_t)> wake)
    : timeline_(timeline),
      rng_(rng),
      wake_(std::move(wake)),
      latency_ms_max_(latency_ms_max),
      paths_(std::max<size_t>(2, controllers)),
      lines_(paths_ * hosts) {}

// Messages on a partitioned link arrive after it is restored, if the connection still exists then.
Instant Network::Arrival(const Line& line, Instant cut_until, Instant& clear) {
  const Instant leaves = std::max(timeline_.now(), cut_until);
  Duration latency{static_cast<int64_t>(
      rng_.Below(static_cast<uint64_t>(latency_ms_max_) * 1'000'000) + 50'000)};
  if (timeline_.now() < line.slow_until) latency = latency + line.latency;
  clear = std::max(clear, leaves + latency);
  return clear;
}

ConnectionRef Network::Connect(size_t host, size_t path, const ControllerEpoch& followed) {
  auto connection = std::make_shared<AgentCircuit>();
  connection->host = host;
  connection->path = path;
  connection->controller = ServerOf(*connection)->process();
  const Line& line = LineOf(host, path);
  if (timeline_.now() < line.stray_until && followed.epoch > 1)
    connection->stray = {followed.lineage, followed.epoch - 1};
  connections_.push_back(connection);
  IgnoreResult(Send(connection, Probe{}), "a peer that has gone ends the connection");
  const bool is_cut = timeline_.now() < std::max(line.up_cut_until, line.down_cut_until);
  if (is_cut)
    BreakLater(connection, Duration::Milliseconds(rng_.Between(1'000, 20'000)),
               Duration::Seconds(60));
  return connection;
}

uint64_t Network::Send(const ConnectionRef& connection, AgentWords what) {
  const bool is_report = std::holds_alternative<AgentReport>(what);
  AgentMessage message{++connection->last_number, std::move(what)};
  is_report ? connection->outgoing.AddReport(std::move(message))
            : connection->outgoing.Add(std::move(message));
  // Another thread of the agent's process sends it.
  timeline_.After(Duration::Nanoseconds(static_cast<int64_t>(rng_.Below(200'000))),
                  [this, connection] { SendNext(connection); });
  return connection->last_number;
}

void Network::SendNext(const ConnectionRef& connection) {
  if (!connection->agent_open || connection->outgoing.empty()) return;
  const Line& line = LineOf(*connection);
  const AgentMessage message = connection->outgoing.Take();
  const int times =
      timeline_.now() < line.doubled_until && !std::holds_alternative<JoinNode>(message.what) ? 2
                                                                                              : 1;
  for (int i = 0; i < times; ++i) {
    timeline_.At(Arrival(line, line.up_cut_until, connection->up_clear),
                 [this, connection, message] { Arrive(connection, message); });
  }
}

void Network::Arrive(const ConnectionRef& connection, const AgentMessage& message) {
  if (!connection->controller_open) return;
  if (connection->stray.epoch != 0) return AnswerAsStray(connection, message);
  ConnectionServer* const server = ServerOf(*connection);
  if (server->process() == 0 || connection->controller != server->process()) {
    BreakControllerEnd(connection);
    return BreakLater(connection, Duration::Milliseconds(rng_.Between(0, 50)), {});
  }
  server->Receive(connection, message);
}

void Network::Drop(const ConnectionRef& connection) {
  if (connection == nullptr) return;
  connection->agent_open = false;
  // Messages sent before may still arrive, then the end does.
  const Duration wait = rng_.Chance(1, 4) ? Duration::Seconds(rng_.Between(1, 60))
                                          : Duration::Milliseconds(rng_.Between(0, 20));
  timeline_.After(wait, [this, connection] { BreakControllerEnd(connection); });
}

void Network::BreakAgentEnd(const ConnectionRef& connection, const std::string& why) {
  if (!connection->agent_open) return;
  connection->agent_open = false;
  connection->news.broken = true;
  connection->news.why = why;
  wake_(connection->host);
}

void Network::BreakControllerEnd(const ConnectionRef& connection) {
  if (!connection->controller_open) return;
  connection->controller_open = false;
  ServerOf(*connection)->Ended(connection);
}

void Network::BreakLater(const ConnectionRef& connection, Duration agent_wait,
                         Duration controller_wait) {
  timeline_.After(agent_wait, [this, connection] { BreakAgentEnd(connection, "the network"); });
  timeline_.After(controller_wait, [this, connection] { BreakControllerEnd(connection); });
}

void Network::Tell() {
  std::erase_if(connections_,
                [](const ConnectionRef& one) { return !one->agent_open && !one->controller_open; });
  for (size_t i = 0; i < connections_.size(); ++i) {
    const ConnectionRef connection = connections_[i];
    if (!connection->controller_open || connection->exchange == nullptr || connection->will_tell)
      continue;
    if (timeline_.now() >= connection->busy_until) {
      TellOne(connection);
      continue;
    }
    connection->will_tell = true;
    timeline_.At(connection->busy_until, [this, connection] {
      connection->will_tell = false;
      if (connection->controller_open && connection->exchange != nullptr) TellOne(connection);
    });
  }
}

void Network::TellOne(const ConnectionRef& connection) {
  auto news = connection->exchange->TakeNews();
  if (!news) {
    BreakControllerEnd(connection);
    timeline_.After(Duration::Milliseconds(rng_.Between(0, 20)),
                    [this, connection] { BreakAgentEnd(connection, "the controller ended it"); });
    return;
  }
  if (news->empty()) return;
  // News that arrive while a message is being written are sent together afterwards.
  connection->busy_until = timeline_.now() + Duration::Nanoseconds(static_cast<int64_t>(rng_.Below(
                                                 rng_.Chance(1, 10) ? 50'000'000 : 500'000)));
  const Line& line = LineOf(*connection);
  timeline_.At(Arrival(line, line.down_cut_until, connection->down_clear),
               [this, connection, news = *std::move(news)] { Deliver(connection, news); });
}

void Network::Deliver(const ConnectionRef& connection, const ControllerNews& news) {
  if (!connection->agent_open) return;
  connection->news.epoch = news.epoch;
  if (news.acknowledged != 0) {
    connection->news.acknowledged = news.acknowledged;
    connection->news.heartbeat_every = news.heartbeat_every;
  }
  if (news.heartbeat != 0) {
    connection->news.heartbeat = news.heartbeat;
    connection->news.wants_report = news.wants_report;
  }
  if (news.lease_time.ns != 0) connection->news.lease_time = news.lease_time;
  if (news.desired) connection->news.desired = news.desired;
  wake_(connection->host);
}

void Network::AnswerProbe(const ConnectionRef& connection, const ControllerEpoch& by) {
  const Line& line = LineOf(*connection);
  timeline_.At(Arrival(line, line.down_cut_until, connection->down_clear), [this, connection, by] {
    if (!connection->agent_open) return;
    connection->news.probed = by;
    wake_(connection->host);
  });
}

void Network::AnswerAsStray(const ConnectionRef& connection, const AgentMessage& message) {
  if (std::holds_alternative<Probe>(message.what))
    return AnswerProbe(connection, connection->stray);
  ControllerNews news;
  news.epoch = connection->stray.epoch;
  const bool beats = std::holds_alternative<Heartbeat>(message.what);
  (beats ? news.heartbeat : news.acknowledged) = message.number;
  news.lease_time = Duration::Seconds(10);
  news.heartbeat_every = Duration::Seconds(1);
  if (std::holds_alternative<JoinNode>(message.what)) {
    news.desired.emplace();
    news.desired->epoch = connection->stray.epoch;
    news.desired->lineage = connection->stray.lineage;
    news.desired->last_lease = {UINT64_MAX};
  }
  timeline_.At(Arrival(LineOf(*connection), {}, connection->down_clear),
               [this, connection, news] { Deliver(connection, news); });
}

void Network::Refuse(const ConnectionRef& connection, const std::string& why, uint64_t foreign_to) {
  BreakControllerEnd(connection);
  timeline_.After(Duration::Milliseconds(rng_.Between(0, 20)), [this, connection, why, foreign_to] {
    connection->news.foreign_to = foreign_to;
    BreakAgentEnd(connection, why);
  });
}

void Network::ProcessDied(const ConnectionServer* server) {
  for (const ConnectionRef& connection : connections_) {
    if (connection->stray.epoch != 0 || ServerOf(*connection) != server) continue;
    connection->controller_open = false;
    connection->exchange.reset();
    const bool is_seen = timeline_.now() >= LineOf(*connection).down_cut_until;
    const Duration wait =
        Duration::Milliseconds(is_seen ? rng_.Between(0, 100) : rng_.Between(1'000, 20'000));
    timeline_.After(wait,
                    [this, connection] { BreakAgentEnd(connection, "the controller is gone"); });
  }
}

void Network::Cut(size_t host, PathSet paths, bool up, bool down, Duration lasts) {
  const Instant until = timeline_.now() + lasts;
  for (size_t path = 0; path < paths_; ++path) {
    if (!paths.has(path)) continue;
    Line& line = LineOf(host, path);
    if (up) line.up_cut_until = std::max(line.up_cut_until, until);
    if (down) line.down_cut_until = std::max(line.down_cut_until, until);
  }
  // Each end may or may not notice on its own that the other end is unreachable.
  for (const ConnectionRef& connection : connections_) {
    if (connection->host != host || !paths.has(connection->path)) continue;
    const auto patience = [this] {
      return Duration::Seconds(rng_.Chance(1, 2) ? rng_.Between(1, 15) : rng_.Between(15, 90));
    };
    const Duration agent = patience();
    BreakLater(connection, agent, patience());
  }
}

void Network::Slow(size_t host, PathSet paths, Duration latency, Duration lasts) {
  for (size_t path = 0; path < paths_; ++path) {
    if (!paths.has(path)) continue;
    LineOf(host, path).slow_until = timeline_.now() + lasts;
    LineOf(host, path).latency = latency;
  }
}

void Network::Double(size_t host, Duration lasts) {
  for (size_t path = 0; path < paths_; ++path)
    LineOf(host, path).doubled_until = timeline_.now() + lasts;
}

void Network::Stray(size_t host, size_t path, Duration lasts) {
  LineOf(host, path).stray_until = timeline_.now() + lasts;
  Break(host);
}

void Network::Break(size_t host) {
  for (const ConnectionRef& connection : connections_) {
    if (connection->host == host)
      BreakLater(connection, Duration::Milliseconds(rng_.Between(0, 2'000)),
                 Duration::Milliseconds(rng_.Between(0, 2'000)));
  }
}

void Network::Heal() {
  lines_.assign(lines_.size(), {});
  for (const ConnectionRef& connection : connections_) BreakLater(connection, {}, {});
}

}  // namespace gp
