#include "adapters/outbound/grpc/tunnel.h"

#include <grpcpp/client_context.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <future>
#include <iterator>
#include <mutex>
#include <thread>

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

bool WriteAll(int fd, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      pollfd ready{fd, POLLOUT, 0};
      poll(&ready, 1, 1'000);
      continue;
    }
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

// Sends the user's input to the process until it ends, and reads on until the stream has ended;
// then `gone_fd` shows that the user has disconnected.
void PumpInput(Stream& stream, const ExecStreams& streams, bool pty, int gone_fd) {
  v1::TunnelFrame frame;
  bool open = true;
  const auto end = [&] {
    if (open) close(streams.input);
    open = false;
  };
  while (stream.Read(&frame)) {
    const v1::ExecInput& input = frame.input();
    if (input.what_case() == v1::ExecInput::kResize) {
      winsize size{};
      size.ws_row = static_cast<unsigned short>(input.resize() >> 16);
      size.ws_col = static_cast<unsigned short>(input.resize() & 0xffff);
      if (pty) ioctl(streams.input, TIOCSWINSZ, &size);
    } else if (input.what_case() == v1::ExecInput::kData) {
      if (open && !WriteAll(streams.input, input.data())) end();
    } else if (input.end_of_input() && !pty) {
      end();  // a pipe: the process sees the end
    }
  }
  end();
  const uint64_t one = 1;
  IgnoreResult(write(gone_fd, &one, sizeof one), "a descriptor that is full wakes its reader, too");
}

bool Forward(Stream& stream, int fd, bool errors) {
  char buffer[32 << 10];
  const ssize_t n = read(fd, buffer, sizeof buffer);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (n <= 0) return false;
  v1::TunnelFrame frame;
  std::string* bytes =
      errors ? frame.mutable_output()->mutable_errors() : frame.mutable_output()->mutable_output();
  bytes->assign(buffer, static_cast<size_t>(n));
  return stream.Write(frame);
}

// Sends output until the process has ended and its last bytes are sent, or the user has
// disconnected.  Returns the exit code.
int PumpOutput(Stream& stream, const ExecStreams& streams, int gone_fd) {
  pollfd fds[] = {{streams.output, POLLIN, 0},
                  {streams.errors, POLLIN, 0},
                  {streams.exit_status, POLLIN, 0},
                  {gone_fd, POLLIN, 0}};
  int32_t exit_code = 255;
  bool ended = false;
  while (fds[0].fd >= 0 || fds[1].fd >= 0 || !ended) {
    // After the process has ended, the pipes are drained; a process that it left behind may hold
    // them open.
    const int ready = poll(fds, std::size(fds), ended ? 50 : -1);
    if (ready < 0 && errno != EINTR) break;
    if ((ready == 0 && ended) || fds[3].revents != 0) break;
    for (int i = 0; i < 2; ++i) {
      if (fds[i].fd >= 0 && fds[i].revents != 0 && !Forward(stream, fds[i].fd, i == 1))
        fds[i].fd = -1;
    }
    if (fds[2].fd >= 0 && fds[2].revents != 0) {
      if (read(fds[2].fd, &exit_code, sizeof exit_code) != static_cast<ssize_t>(sizeof exit_code))
        exit_code = 255;
      fds[2].fd = -1;
      ended = true;
    }
  }
  return exit_code;
}

void ServeExec(Stream& stream, const v1::OpenChannel& order, ChannelGateway& gateway) {
  const v1::ExecInput::Start& start = order.exec();
  ExecSpec spec;
  spec.argv.assign(start.argv().begin(), start.argv().end());
  spec.pty = start.pty();
  spec.rows = start.rows() > 0 ? start.rows() : 24;
  spec.columns = start.columns() > 0 ? start.columns() : 80;
  spec.as_main = start.as_main();
  if (spec.pty)
    spec.environment.push_back("TERM=" +
                               (start.terminal().empty() ? std::string("dumb") : start.terminal()));
  const Result<ExecStreams> opened = gateway.Exec({order.lease()}, spec);
  if (!opened) return Fail(stream, opened.error().message);
  ExecStreams streams = *opened;
  // Each direction closes its own descriptor
  if (streams.input == streams.output) streams.input = dup(streams.output);
  const int gone_fd = eventfd(0, EFD_CLOEXEC);
  std::thread input(
      [&stream, &streams, &spec, gone_fd] { PumpInput(stream, streams, spec.pty, gone_fd); });
  v1::TunnelFrame last;
  last.mutable_output()->set_exit_code(PumpOutput(stream, streams, gone_fd));
  IgnoreResult(stream.Write(last), "a peer that has gone ends the connection");
  input.join();
  // This closes the last ends: if the user disconnected first, a terminal hangs up and pipes break.
  for (const int fd : {streams.output, streams.errors, streams.exit_status, gone_fd}) {
    if (fd >= 0) close(fd);
  }
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
                 const v1::OpenChannel& order, ChannelGateway* gateway) {
  std::thread([line = std::move(line), join_token, order, gateway] {
    AwaitConnected(*line, kTunnelConnectTime);
    const auto stub = v1::NodeLink::NewStub(line);
    grpc::ClientContext context;
    context.AddMetadata("gp-join-token", join_token);
    const auto stream = stub->Tunnel(&context);
    v1::TunnelFrame first;
    first.set_channel(order.channel());
    if (stream->Write(first)) {
      if (order.has_log()) {
        ServeLog(*stream, order, *gateway);
      } else if (order.has_prune() || order.has_verify()) {
        ServeImages(*stream, order, gateway->Images());
      } else {
        ServeExec(*stream, order, *gateway);
      }
    }
    IgnoreResult(stream->WritesDone(), "a peer that has gone ends the connection");
    IgnoreResult(stream->Finish(), "a peer that has gone ends the connection");
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
  ServeTunnel(line_, credentials_.join_token(), order, gateway_);
}

}  // namespace gp
