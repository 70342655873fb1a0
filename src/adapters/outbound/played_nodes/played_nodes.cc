#include "adapters/outbound/played_nodes/played_nodes.h"

#include <sys/epoll.h>

#include <chrono>
#include <utility>
#include <vector>

#include "adapters/outbound/played_nodes/played_fleet.h"

namespace gp {
namespace {

constexpr std::chrono::milliseconds kTick{20};

// Lets the nodes connect and send when their time has come.
class Pace : public Watched {
 public:
  Pace(PlayedFleet fleet, PlayedTimes& times)
      : fleet_(std::move(fleet)), times_(times), timer_(TickEvery(kTick)) {}

  int descriptor() const { return timer_.get(); }
  void OnReady(uint32_t) override {
    ClearTicks(timer_);
    const auto now = std::chrono::steady_clock::now();
    fleet_.Connect(now);
    fleet_.Beat(now);
    times_.answer_ms.clear();  // for measurements only
  }

 private:
  PlayedFleet fleet_;
  PlayedTimes& times_;
  const Descriptor timer_;
};

}  // namespace

Result<std::unique_ptr<PlayedNodes>> PlayedNodes::Start(Options options) {
  std::unique_ptr<PlayedNodes> nodes(new PlayedNodes(std::move(options)));
  GP_CHECK_OK(nodes->Begin());
  return nodes;
}

PlayedNodes::~PlayedNodes() {
  loop_.Stop();
  if (thread_.joinable()) thread_.join();
}

Status PlayedNodes::Begin() {
  const auto machine = std::make_shared<const NodeFacts>(options_.machine);
  std::vector<std::shared_ptr<PlayedAgent>> agents;
  for (int i = 0; i < options_.nodes; ++i) {
    PlayedNode node{options_.name + "-" + std::to_string(i), static_cast<uint64_t>(i), machine};
    agents.push_back(std::make_shared<PlayedAgent>(std::move(node), options_.controller,
                                                   std::nullopt, loop_, times_));
  }
  const auto pace = std::make_shared<Pace>(PlayedFleet(std::move(agents), times_), times_);
  GP_CHECK_OK(loop_.Watch(pace->descriptor(), EPOLLIN, pace));
  thread_ = std::thread([this] { loop_.Run(); });
  return Ok();
}

}  // namespace gp
