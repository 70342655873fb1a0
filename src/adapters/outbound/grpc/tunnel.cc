#include "adapters/outbound/grpc/tunnel.h"

#include <grpcpp/client_context.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include "base/ignore_result.h"

namespace gp {
namespace {

// Shows the controller that the agent is still at it.
constexpr std::chrono::seconds kBeat{5};
// The controller waits for a tunnel for ten seconds.
constexpr std::chrono::seconds kTunnelConnectTime{5};

using Stream = grpc::ClientReaderWriter<v1::TunnelFrame, v1::TunnelFrame>;

void Fail(Stream& stream, const std::string& why) {
  v1::TunnelFrame frame;
  frame.set_failed(why.empty() ? "failed" : why);
  IgnoreResult(stream.Write(frame), "a peer that has gone ends the connection");
}

void ServeLog(Stream& stream, const v1::OpenChannel& order, ChannelGateway& gateway) {
  const v1::ReadLogOrder& log = order.log();
  const LogRequest request{
      {order.lease()}, {log.job()},  log.attempt(), log.rank(),
      log.errors(),    log.offset(), log.follow(),  {log.since_ms() * 1'000'000}};
  const Status read = gateway.ReadLog(request, [&](int64_t offset, const std::string& bytes) {
    v1::TunnelFrame frame;
    frame.mutable_log()->set_offset(offset);
    frame.mutable_log()->set_data(bytes);
    return stream.Write(frame);
  });
  if (!read) return Fail(stream, read.error().message);
  IgnoreResult(stream.Write(v1::TunnelFrame{}),
               "a peer that has gone ends the connection");  // an empty frame marks the end
}

class TunnelPeer : public ExecPeer {
 public:
  TunnelPeer(grpc::ClientContext& context, Stream& stream) : context_(context), stream_(stream) {}
  bool Read(v1::ExecInput* message) override {
    v1::TunnelFrame frame;
    if (!stream_.Read(&frame)) return false;
    *message = std::move(*frame.mutable_input());
    return true;
  }
  bool Write(const v1::ExecOutput& message) override {
    v1::TunnelFrame frame;
    *frame.mutable_output() = message;
    return stream_.Write(frame);
  }
  // The library allows it once.
  void End() override {
    if (std::exchange(has_ended_, true)) return;
    IgnoreResult(stream_.WritesDone(), "a peer that has gone ends the connection");
  }
  void Break() override { context_.TryCancel(); }

 private:
  grpc::ClientContext& context_;
  Stream& stream_;
  bool has_ended_ = false;
};

ExecSpec SpecOf(const v1::ExecInput::Start& start) {
  ExecSpec spec;
  spec.argv.assign(start.argv().begin(), start.argv().end());
  spec.pty = start.pty();
  spec.rows = start.rows() > 0 ? start.rows() : 24;
  spec.columns = start.columns() > 0 ? start.columns() : 80;
  spec.as_main = start.as_main();
  if (spec.pty)
    spec.environment.push_back("TERM=" +
                               (start.terminal().empty() ? std::string("dumb") : start.terminal()));
  return spec;
}

// What remains to be done after the call.
using Rest = std::function<void()>;

// A process whose user may come back stays for a while after a connection that was lost.
Rest ServeExec(ExecPeer& peer, Stream& stream, const v1::OpenChannel& order,
               ChannelGateway& gateway, const std::shared_ptr<ExecSessions>& sessions) {
  const v1::ExecInput::Start& start = order.exec();
  const LeaseId lease{order.lease()};
  const std::string& session = start.session();
  const auto found = session.empty() ? std::make_shared<RunningExec>(lease, false)
                                     : sessions->Find(session, lease, start.attach());
  if (!found) {
    Fail(stream, found.error().message);
    return {};
  }
  const std::shared_ptr<RunningExec>& exec = *found;
  const auto forget = [=] {
    sessions->Forget(session, exec);
    exec->Close();
  };
  const Status started =
      exec->Start([&] { return gateway.Exec(lease, SpecOf(start)); }, start.pty());
  if (!started) {
    Fail(stream, started.error().message);
    return forget;
  }
  const auto [left, user] = exec->Serve(peer, {start.received(), start.rows(), start.columns()});
  if (left != RunningExec::Left::kLost) return forget;
  return [=] {
    if (exec->CloseUnlessUserAfter(user, kAttachWithin)) forget();
  };
}

void ServePrune(Stream& stream, const v1::PruneImagesRequest& request, ImageCare& images) {
  const auto pruned = images.Prune(
      {request.image(), Duration::Milliseconds(request.unused_for_ms()), request.dry_run()});
  if (!pruned) return Fail(stream, pruned.error().message);
  v1::TunnelFrame frame;
  frame.mutable_pruned()->set_layers(pruned->layers);
  frame.mutable_pruned()->set_bytes(pruned->bytes);
  frame.mutable_pruned()->set_layers_in_use(pruned->layers_in_use);
  frame.mutable_pruned()->set_bytes_in_use(pruned->bytes_in_use);
  frame.mutable_pruned()->set_images(pruned->images);
  frame.mutable_pruned()->set_more(pruned->is_unfinished);
  IgnoreResult(stream.Write(frame), "a peer that has gone ends the connection");
}

v1::TunnelFrame VerifiedFrame(const VerifiedLayers& sums, const DamagedLayer* damaged) {
  v1::TunnelFrame frame;
  v1::VerifyImagesReply& verified = *frame.mutable_verified();
  verified.set_layers(sums.layers);
  verified.set_layers_total(sums.layers_total);
  verified.set_bytes(sums.bytes);
  verified.set_layers_damaged(sums.damaged);
  verified.set_layers_counted(sums.counted);
  verified.set_images(sums.images);
  if (damaged == nullptr) return frame;
  v1::DamagedLayer& layer = *verified.mutable_damaged();
  layer.set_diff_id(damaged->diff_id);
  for (const std::string& name : damaged->images) layer.add_images(name);
  layer.set_path(damaged->path);
  layer.set_what(damaged->what);
  layer.set_in_use(damaged->is_in_use);
  layer.set_bytes(damaged->bytes);
  return frame;
}

// The controller ends the call when its caller is gone; that ends the verification.
void ServeVerify(Stream& stream, const v1::VerifyImagesRequest& request, ImageCare& images) {
  const int stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::thread waiter([&stream, stop_fd] {
    v1::TunnelFrame frame;
    while (stream.Read(&frame)) {
    }
    const uint64_t one = 1;
    IgnoreResult(write(stop_fd, &one, sizeof one), "a descriptor that is full wakes, too");
  });
  std::mutex mutex;
  VerifiedLayers last;
  const auto tell = [&](const VerifiedLayers& sums, const DamagedLayer* damaged) {
    const std::lock_guard lock(mutex);
    last = sums;
    IgnoreResult(stream.Write(VerifiedFrame(sums, damaged)), "the waiter sees the end");
  };
  auto verified =
      std::async(std::launch::async, [&] { return images.Verify(request.image(), stop_fd, tell); });
  while (verified.wait_for(kBeat) == std::future_status::timeout) {
    const std::lock_guard lock(mutex);
    IgnoreResult(stream.Write(VerifiedFrame(last, nullptr)), "the waiter sees the end");
  }
  const Status end = verified.get();
  if (end) {
    v1::TunnelFrame frame = VerifiedFrame(last, nullptr);
    frame.mutable_verified()->set_is_over(true);
    IgnoreResult(stream.Write(frame), "a peer that has gone ends the connection");
  } else {
    Fail(stream, end.error().message);
  }
  waiter.join();
  close(stop_fd);
}

void ServeImages(Stream& stream, const v1::OpenChannel& order, ImageCare* images) {
  if (images == nullptr) return Fail(stream, "the node has no unpacked images");
  return order.has_prune() ? ServePrune(stream, order.prune(), *images)
                           : ServeVerify(stream, order.verify(), *images);
}

void ServeTunnel(std::shared_ptr<grpc::Channel> line, const std::string& join_token,
                 const v1::OpenChannel& order, ChannelGateway* gateway,
                 std::shared_ptr<ExecSessions> sessions) {
  std::thread([line = std::move(line), join_token, order, gateway, sessions] {
    Rest rest;
    AwaitConnected(*line, kTunnelConnectTime);
    const auto stub = v1::NodeLink::NewStub(line);
    grpc::ClientContext context;
    context.AddMetadata("gp-join-token", join_token);
    const auto stream = stub->Tunnel(&context);
    TunnelPeer peer(context, *stream);
    v1::TunnelFrame first;
    first.set_channel(order.channel());
    if (stream->Write(first)) {
      if (order.has_log()) {
        ServeLog(*stream, order, *gateway);
      } else if (order.has_prune() || order.has_verify()) {
        ServeImages(*stream, order, gateway->Images());
      } else {
        rest = ServeExec(peer, *stream, order, *gateway, sessions);
      }
    }
    peer.End();
    IgnoreResult(stream->Finish(), "a peer that has gone ends the connection");
    if (rest) rest();
  }).detach();
}

}  // namespace

void Tunnels::Open(const std::string& address, const v1::OpenChannel& order) {
  if (gateway_ == nullptr) return;
  const ChannelSecurity security = credentials_.Security();
  if (line_ == nullptr || address != address_ || security.identity.certificate != certificate_) {
    address_ = address;
    certificate_ = security.identity.certificate;
    line_ = OpenChannel(address, security);
  }
  ServeTunnel(line_, credentials_.join_token(), order, gateway_, sessions_);
}

}  // namespace gp
