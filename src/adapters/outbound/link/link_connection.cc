#include "adapters/outbound/link/link_connection.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <utility>

#include "adapters/wire/link_greeting.h"
#include "adapters/wire/node_link.h"
#include "base/ignore_result.h"
#include "lib/tls/authority.h"

namespace gp {

LinkConnection::LinkConnection(const LinkOptions& options, const std::string& address,
                               Events events, KeptResumption& kept)
    : options_(options), address_(address), events_(events), kept_(kept), dial_(address) {
  v1::AgentMessage probe;
  probe.mutable_probe();
  Post(std::move(probe), false);
}

LinkConnection::~LinkConnection() { Watch(-1, 0); }

uint64_t LinkConnection::Post(v1::AgentMessage message, bool replaces_reports) {
  message.set_number(++last_number_);
  replaces_reports ? outgoing_.AddReport(std::move(message)) : outgoing_.Add(std::move(message));
  if (news_.broken) return last_number_;
  const Status sent = socket_ ? SendWaiting() : GoOn();
  sent ? Await() : BreakAfterLast(sent.error().message);
  return last_number_;
}

LinkNews LinkConnection::TakeNews() {
  if (dial_ || socket_) {
    const Status gone_on = GoOn();
    if (!gone_on) {
      BreakAfterLast(gone_on.error().message);
    } else if (const Status received = socket_ ? Receive() : Ok(); !received) {
      Break(received.error().message);
    } else {
      Await();
    }
  }
  const bool is_broken = news_.broken;
  LinkNews news = std::exchange(news_, LinkNews{});
  news_.broken = is_broken;
  news_.why = news.why;
  return news;
}

Status LinkConnection::GoOn() {
  if (dial_) {
    auto connected = GP_TRY(dial_->GoOn());
    if (!connected) return Ok();
    Watch(-1, 0);  // before its descriptor is closed
    dial_.reset();
    GP_CHECK_OK(Greet(*std::move(connected)));
  }
  if (const Status gone_on = socket_->Continue(); !gone_on) {
    // The next connection presents certificates, whatever was wrong with what was granted.
    if (gone_on.error().code == ErrorCode::kUnauthenticated) kept_ = {};
    return gone_on;
  }
  return SendWaiting();
}

Status LinkConnection::Greet(Descriptor connected) {
  std::optional<TlsSide> tls;
  if (!options_.authority.empty()) {
    const Identity identity = options_.identity();
    certificate_ = identity.certificate;
    tls = GP_TRY(TlsSide::Client(options_.authority, kControllerName, identity));
    const bool is_granted = !kept_.certificate.empty() && kept_.certificate == certificate_;
    if (is_granted) tls = tls->Resuming(kept_.resumption);
  }
  socket_.emplace(
      GP_TRY(GreetController(std::move(connected), tls ? &*tls : nullptr, options_.join_token)));
  return Ok();
}

Status LinkConnection::SendWaiting() {
  while (socket_->is_open() && !socket_->has_unsent() && !outgoing_.empty())
    GP_CHECK_OK(socket_->Send(outgoing_.Take().SerializeAsString()));
  return Ok();
}

Status LinkConnection::Receive() {
  do {
    GP_CHECK_OK(socket_->Receive());
    while (const auto frame = socket_->NextFrame()) GP_CHECK_OK(TakeMessage(*frame));
  } while (socket_->HasMore());
  return socket_->has_ended() ? Fail(Unavailable("the controller closed it")) : Ok();
}

Status LinkConnection::TakeMessage(std::string_view frame) {
  v1::ControllerMessage message;
  if (!message.ParseFromArray(frame.data(), static_cast<int>(frame.size())))
    return Fail(InvalidArgument("this is not a message of a controller"));
  if (message.has_probed())
    news_.probed = ControllerEpoch{message.probed().lineage(), message.probed().epoch()};
  if (message.epoch() != 0) news_.epoch = message.epoch();
  if (message.answers() > 0) {
    news_.acknowledged = message.answers();
    news_.heartbeat_every = Duration::Milliseconds(message.heartbeat_every_ms());
    news_.takes_metrics = message.takes_metrics();
  }
  if (message.heartbeat() > 0) {
    news_.heartbeat = message.heartbeat();
    news_.wants_report = message.wants_report();
  }
  for (const v1::MetricMark& mark : message.metrics_kept())
    news_.metrics_kept.push_back({{{mark.job()}, mark.attempt(), mark.rank()}, mark.end()});
  if (message.lease_time_ms() > 0)
    news_.lease_time = Duration::Milliseconds(message.lease_time_ms());
  if (message.has_orders()) news_.desired = GP_TRY(FromProto(message.orders()));
  if (message.foreign_to() != 0) news_.foreign_to = message.foreign_to();
  const v1::Resumption& granted = message.resumption();
  if (!granted.ticket().empty() && !granted.secret().empty())
    kept_ = {certificate_, {granted.ticket(), granted.secret()}};
  for (const v1::OpenChannel& channel : message.channels())
    options_.open_channel(address_, channel);
  if (!message.ended().empty()) return Fail(Unavailable(message.ended()));
  return Ok();
}

// A controller that ends a connection says why, which tells more than the failure to write to it.
void LinkConnection::BreakAfterLast(const std::string& why) {
  const Status last = socket_ && socket_->is_open() ? Receive() : Ok();
  Break(last ? why : last.error().message);
}

void LinkConnection::Break(const std::string& why) {
  news_.broken = true;
  news_.why = why;
  Watch(-1, 0);
  dial_.reset();
  socket_.reset();
  const uint64_t one = 1;
  IgnoreResult(write(events_.wake_fd, &one, sizeof one),
               "a descriptor that is full wakes its reader, too");
}

void LinkConnection::Await() {
  if (dial_) return Watch(dial_->descriptor(), EPOLLIN);
  Watch(socket_->descriptor(), EPOLLIN | (socket_->awaits_write() ? EPOLLOUT : 0u));
}

void LinkConnection::Watch(int descriptor, uint32_t events) {
  if (descriptor == watched_fd_ && events == watched_events_) return;
  epoll_event event{};
  event.events = events;
  if (watched_fd_ >= 0 && watched_fd_ != descriptor)
    IgnoreResult(epoll_ctl(events_.epoll_fd, EPOLL_CTL_DEL, watched_fd_, nullptr),
                 "it is watched, so there is nothing that could fail");
  const int what = descriptor == watched_fd_ ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (descriptor >= 0)
    IgnoreResult(epoll_ctl(events_.epoll_fd, what, descriptor, &event),
                 "a connection that is not watched is silent, and given up");
  watched_fd_ = descriptor;
  watched_events_ = events;
}

}  // namespace gp
