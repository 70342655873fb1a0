#include "adapters/inbound/relay/relay.h"

#include <map>
#include <thread>
#include <utility>

#include "adapters/inbound/relay/leader_names.h"
#include "adapters/inbound/relay/relayed_connection.h"
#include "base/ignore_result.h"
#include "lib/sockets/listener.h"
#include "lib/sockets/socket_address.h"

namespace gp {
namespace {

class SocketRelay : public Relay {
 public:
  explicit SocketRelay(const Options& options) : options_(options) {
    leader_.addresses.resize(options.doors.size());
  }
  ~SocketRelay() override {
    loop_.Stop();
    if (thread_.joinable()) thread_.join();
  }

  Status Listen() {
    for (size_t door = 0; door < options_.doors.size(); ++door) {
      std::vector<Descriptor> listeners = GP_TRY(ListenOverTcp(options_.doors[door]));
      ports_.push_back(BoundAddress(listeners.front().get()).port());
      for (Descriptor& listener : listeners)
        GP_CHECK_OK(Listener::Begin(loop_, std::move(listener), [this, door](Descriptor client) {
          Take(door, std::move(client));
        }));
    }
    thread_ = std::thread([this] { loop_.Run(); });
    return Ok();
  }

  const std::vector<int>& ports() const override { return ports_; }

  void LeaderIs(Leader leader) override {
    leader.addresses.resize(options_.doors.size());
    IgnoreResult(loop_.Post([this, leader = std::move(leader)]() mutable {
      if (leader == leader_) return;
      leader_ = std::move(leader);
      // An end of one takes it out of the map.
      const auto all = connections_;
      for (const auto& [number, connection] : all)
        connection.passes->LeaderIs(leader_.addresses[connection.door]);
    }),
                 "a loop that has ended has no connections");
  }

 private:
  struct Connection {
    size_t door = 0;
    std::shared_ptr<RelayedConnection> passes;
  };

  void Take(size_t door, Descriptor client) {
    if (connections_.size() >= options_.connections_max) return;
    const uint64_t number = ++last_;
    const auto passes = std::make_shared<RelayedConnection>(
        loop_, names_, std::move(client), std::chrono::steady_clock::now() + options_.patience,
        [this, number] { connections_.erase(number); });
    connections_[number] = {door, passes};
    if (!passes->Begin()) return passes->End();
    passes->LeaderIs(leader_.addresses[door]);
  }

  const Options options_;
  std::vector<int> ports_;
  EventLoop loop_;
  // The loop's thread's
  LeaderNames names_{loop_};
  Leader leader_;
  std::map<uint64_t, Connection> connections_;
  uint64_t last_ = 0;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Relay>> Relay::Start(const Options& options) {
  auto relay = std::make_unique<SocketRelay>(options);
  GP_CHECK_OK(relay->Listen());
  return relay;
}

}  // namespace gp
