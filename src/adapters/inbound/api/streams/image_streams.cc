// Care for the unpacked images of a node, by its agent, through a channel that the agent opens.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/api/gpu_name.h"
#include "base/text.h"
#include "domain/model/nodes/features.h"

namespace gp {
namespace {

constexpr size_t kImageNameMax = 500;  // bytes
constexpr int64_t kUnusedForMsMax = 10LL * 366 * 86'400 * 1'000;
// The agent removes no other layer after a minute; the last one may take longer.
constexpr Duration kPruneTimeout = Duration::Minutes(5);
constexpr Duration kSilenceMax = Duration::Seconds(30);  // the agent tells how far it is every 5 s

// Breaks a channel when its caller is gone, or its agent has been silent for too long.
class ChannelWatch {
 public:
  ChannelWatch(Channel& channel, Duration silence_max, std::function<bool()> is_gone)
      : channel_(channel),
        silence_max_(silence_max.ns),
        is_gone_(std::move(is_gone)),
        heard_(Clock::now()),
        thread_([this] { Watch(); }) {}
  ~ChannelWatch() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  ChannelWatch(const ChannelWatch&) = delete;
  ChannelWatch& operator=(const ChannelWatch&) = delete;

  void Heard() {
    const std::lock_guard lock(mutex_);
    heard_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void Watch() {
    constexpr std::chrono::milliseconds kLook{200};
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kLook, [this] { return is_over_; })) {
      if (!is_gone_() && Clock::now() - heard_ < silence_max_) continue;
      channel_.Break();
      return;
    }
  }

  Channel& channel_;
  const std::chrono::nanoseconds silence_max_;
  const std::function<bool()> is_gone_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  Clock::time_point heard_;
  std::thread thread_;  // last: it uses the others
};

// The agent's reason, which may be any text.
Error AgentSays(const std::string& node, const std::string& why) {
  return Conflict(node + ": " + Printable(why, 1'000));
}

Error WentAway(const std::string& node) {
  return Unavailable(node + ": the node's agent went away, or did not answer in time");
}

Status CheckImage(const std::string& image) {
  if (image.size() <= kImageNameMax) return Ok();
  return Fail(InvalidArgument("image: at most " + std::to_string(kImageNameMax) + " bytes"));
}

Result<NodeId> FindCarer(ControlGateway& gateway, const std::string& name) {
  Result<NodeId> found = Fail(Internal(""));
  GP_CHECK_OK(gateway.Read([&](const State& state) {
    found = FindNodeByName(state, name);
    if (!found) return;
    const Node& node = *state.FindNode(*found);
    if (node.condition == NodeCondition::kLost) {
      found = Fail(Unavailable(name + ": the node is LOST"));
    } else if (!node.facts->features.contains(kImageCareFeature)) {
      found = Fail(Conflict(name + ": its agent does not offer this (feature " +
                            std::string(kImageCareFeature) +
                            "): it is of an older version, or the node has no images of layers"));
    }
  }));
  return found;
}

// The open channel of a node, with its tunnel.
struct OpenTunnel {
  std::shared_ptr<Channel> channel;
  Tunnel* tunnel = nullptr;
};

Result<OpenTunnel> OpenAt(NodeChannels& channels, NodeId node, const std::string& name,
                          v1::OpenChannel order) {
  auto channel = channels.Open(node, std::move(order));
  if (!channel) return Fail(channel.error().Within(name));
  const auto tunnel = AwaitTunnel(**channel);
  if (!tunnel) return Fail(tunnel.error().Within(name));
  return OpenTunnel{*std::move(channel), *tunnel};
}

// To the last message.
Status PumpVerification(Tunnel& tunnel, ChannelWatch& watch, const std::string& node,
                        Sink<v1::VerifyImagesReply>& out) {
  v1::TunnelFrame frame;
  while (tunnel.Read(&frame)) {
    watch.Heard();
    if (!frame.failed().empty()) return Fail(AgentSays(node, frame.failed()));
    if (!frame.has_verified()) continue;
    v1::VerifyImagesReply& reply = *frame.mutable_verified();
    if (reply.has_damaged()) {
      v1::DamagedLayer& damaged = *reply.mutable_damaged();
      damaged.set_diff_id(Printable(damaged.diff_id(), 80));
      damaged.set_path(Printable(damaged.path(), 300));
      damaged.set_what(Printable(damaged.what(), 300));
      for (std::string& image : *damaged.mutable_images()) image = Printable(image, 300);
    }
    if (!out.Write(reply) || reply.is_over()) return Ok();
  }
  return out.IsGone() ? Ok() : Fail(WentAway(node));
}

std::string WhatOf(const std::string& image) {
  return image.empty() ? "all images" : "image " + Printable(image, 300);
}

}  // namespace

Status ControlApi::PruneImages(const Caller& caller, const v1::PruneImagesRequest& request,
                               v1::PruneImagesReply* reply) {
  GP_CHECK_OK(CheckImage(request.image()));
  if (request.unused_for_ms() < 0 || request.unused_for_ms() > kUnusedForMsMax)
    return Fail(InvalidArgument("unused_for_ms: milliseconds from 0 to ten years, not " +
                                std::to_string(request.unused_for_ms())));
  const NodeId node = GP_TRY(FindCarer(gateway_, request.node()));
  // First, so that the audit has it even if the controller dies now
  if (!request.dry_run()) {
    std::string details = WhatOf(request.image());
    if (request.unused_for_ms() > 0)
      details += ", unused for " + ToText(Duration::Milliseconds(request.unused_for_ms()));
    GP_CHECK_OK(gateway_
                    .Execute(caller.AsOrigin(), "",
                             NoteChange{"PruneImages", request.node(), std::move(details)})
                    .status);
  }
  v1::OpenChannel order;
  *order.mutable_prune() = request;
  const OpenTunnel open = GP_TRY(OpenAt(channels_, node, request.node(), std::move(order)));
  v1::TunnelFrame frame;
  bool has_answer = false;
  {
    const ChannelWatch watch(*open.channel, kPruneTimeout, [] { return false; });
    has_answer = open.tunnel->Read(&frame);
  }
  open.channel->Finish();
  if (!has_answer) return Fail(WentAway(request.node()));
  if (!frame.has_pruned()) return Fail(AgentSays(request.node(), frame.failed()));
  *reply = frame.pruned();
  return Ok();
}

Status ControlApi::VerifyImages(const Caller& caller, const v1::VerifyImagesRequest& request,
                                Sink<v1::VerifyImagesReply>& out) {
  GP_CHECK_OK(CheckImage(request.image()));
  const NodeId node = GP_TRY(FindCarer(gateway_, request.node()));
  // It removes layers that are damaged.
  GP_CHECK_OK(gateway_
                  .Execute(caller.AsOrigin(), "",
                           NoteChange{"VerifyImages", request.node(), WhatOf(request.image())})
                  .status);
  v1::OpenChannel order;
  *order.mutable_verify() = request;
  const OpenTunnel open = GP_TRY(OpenAt(channels_, node, request.node(), std::move(order)));
  Status done = Ok();
  {
    ChannelWatch watch(*open.channel, kSilenceMax, [&out] { return out.IsGone(); });
    done = PumpVerification(*open.tunnel, watch, request.node(), out);
  }
  open.channel->Finish();
  return done;
}

}  // namespace gp
