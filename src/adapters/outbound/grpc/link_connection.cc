#include "adapters/outbound/grpc/link_connection.h"

#include <unistd.h>

#include "adapters/outbound/grpc/channel.h"
#include "adapters/outbound/grpc/tunnel.h"
#include "adapters/wire/node_link.h"
#include "base/ignore_result.h"

namespace gp {

LinkConnection::LinkConnection(const NodeCredentials& credentials, ChannelGateway* channels,
                               int event_fd, v1::AgentMessage join)
    : credentials_(credentials), channels_(channels), event_fd_(event_fd) {
  const ChannelSecurity security = credentials.Security();
  certificate_ = security.identity.certificate;
  tunnel_stub_ = stub_ = v1::NodeLink::NewStub(OpenChannel(credentials.address(), security));
  context_.AddMetadata("gp-join-token", credentials.join_token());
  stream_ = stub_->Exchange(&context_);
  IgnoreResult(Send(std::move(join)), "a peer that has gone ends the connection");
  reader_ = std::thread([this] { Read(); });
  writer_ = std::thread([this] { Write(); });
}

LinkConnection::~LinkConnection() {
  Break("closed");
  context_.TryCancel();
  reader_.join();
  writer_.join();
}

uint64_t LinkConnection::Send(v1::AgentMessage message) {
  const std::lock_guard lock(mutex_);
  message.set_number(++last_number_);
  const bool is_report = message.has_report();
  is_report ? outgoing_.AddReport(std::move(message)) : outgoing_.Add(std::move(message));
  filled_.notify_one();
  return last_number_;
}

LinkNews LinkConnection::TakeNews() {
  const std::lock_guard lock(mutex_);
  LinkNews news = std::move(news_);
  news_ = LinkNews{};
  return news;
}

void LinkConnection::Signal() const {
  const uint64_t one = 1;
  IgnoreResult(write(event_fd_, &one, sizeof one),
               "a descriptor that is full wakes its reader, too");
}

void LinkConnection::Break(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    closed_ = true;
    news_.broken = true;
    news_.why = why;
  }
  filled_.notify_one();
  Signal();
}

void LinkConnection::Write() {
  while (true) {
    v1::AgentMessage message;
    {
      std::unique_lock lock(mutex_);
      filled_.wait(lock, [this] { return closed_ || !outgoing_.empty(); });
      if (closed_) return;
      message = outgoing_.Take();
    }
    if (!stream_->Write(message)) return;  // the reader gets the reason
  }
}

void LinkConnection::Read() {
  v1::ControllerMessage message;
  while (stream_->Read(&message)) TakeMessage(message);
  {
    const std::lock_guard lock(mutex_);
    // Closed by this side; otherwise the controller's status must be read
    if (closed_) context_.TryCancel();
  }
  const grpc::Status status = stream_->Finish();
  Break(status.ok() ? "the controller closed it" : status.error_message());
}

std::shared_ptr<v1::NodeLink::Stub> LinkConnection::StubForTunnel() {
  const ChannelSecurity security = credentials_.Security();
  if (security.identity.certificate == certificate_) return tunnel_stub_;
  certificate_ = security.identity.certificate;
  tunnel_stub_ = v1::NodeLink::NewStub(OpenChannel(credentials_.address(), security));
  return tunnel_stub_;
}

void LinkConnection::TakeMessage(const v1::ControllerMessage& message) {
  std::optional<NodeDesiredState> desired;
  if (message.has_orders()) {
    auto decoded = FromProto(message.orders());
    if (!decoded) return Break(decoded.error().message);
    desired = *std::move(decoded);
  }
  {
    const std::lock_guard lock(mutex_);
    if (message.answers() > 0) {
      news_.acknowledged = message.answers();
      news_.lease_time = Duration::Milliseconds(message.lease_time_ms());
    }
    if (desired) news_.desired = std::move(desired);
    if (message.foreign_to() != 0) news_.foreign_to = message.foreign_to();
  }
  for (const v1::OpenChannel& channel : message.channels()) {
    ServeTunnel(StubForTunnel(), credentials_.join_token(), channel, channels_);
  }
  Signal();
}

}  // namespace gp
