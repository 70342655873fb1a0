#include "adapters/inbound/link/agent_connection.h"

#include <sys/epoll.h>

#include <utility>

#include "adapters/wire/link_greeting.h"
#include "base/ignore_result.h"
#include "lib/sockets/socket_address.h"

namespace gp {
namespace {

// Of a peer that is not admitted, nothing longer is accepted.
constexpr size_t kHelloBytesMax = 16 << 10;
// For the reason why the connection ends, which the agent need not read.
constexpr std::chrono::seconds kEndWithin{5};

}  // namespace

AgentConnection::AgentConnection(const LinkParts& parts, Descriptor socket, const TlsSide* tls)
    : parts_(parts), socket_(std::move(socket), tls, kHelloBytesMax) {
  peer_.from = PeerAddress(socket_.descriptor()).ToString();
  peer_.is_encrypted = tls != nullptr;
}

Status AgentConnection::Begin(const LinkParts& parts, Descriptor socket, const TlsSide* tls) {
  const std::shared_ptr<AgentConnection> connection(
      new AgentConnection(parts, std::move(socket), tls));
  connection->awaited_ = EPOLLIN;
  return parts.loop.Watch(connection->socket_.descriptor(), EPOLLIN, connection);
}

void AgentConnection::Refuse(Descriptor socket, const std::string& why) {
  FrameSocket refused(std::move(socket), nullptr, 0);
  v1::ControllerMessage message;
  message.set_ended(why);
  IgnoreResult(refused.Send(message.SerializeAsString()), "the connection ends in both cases");
}

// A peer that has gone is noticed at once, also while nothing is read.
void AgentConnection::OnReady(uint32_t events) {
  if (phase_ == Phase::kClosed) return;
  if (!reads() && (events & (EPOLLHUP | EPOLLERR)) != 0) return Close();
  GoOn();
}

void AgentConnection::OnSecond() {
  const auto lasts = std::chrono::steady_clock::now() - phase_began_;
  if ((phase_ == Phase::kGreeted && lasts > parts_.hello_within) ||
      (phase_ == Phase::kEnding && lasts > kEndWithin))
    Close();
}

void AgentConnection::OnEnd() { Close(); }

void AgentConnection::GoOn() {
  if (phase_ == Phase::kClosed) return;
  if (!socket_.Continue()) return Close();
  if (reads()) Read();
  WriteNews();
  if (phase_ == Phase::kEnding && !socket_.has_unsent()) return Close();
  Await();
}

void AgentConnection::Read() {
  if (const Status received = socket_.Receive(); !received) {
    if (received.error().code != ErrorCode::kInvalidArgument) return Close();
    return End(received.error().message);
  }
  while (reads()) {
    const auto frame = socket_.NextFrame();
    if (!frame) break;
    if (const Status heard = HearFrame(*frame); !heard) return End(heard.error().message);
  }
  if (!reads()) return;
  if (socket_.has_ended()) return Close();
  // The rest of what TLS has received, after other agents' messages.
  if (!socket_.HasMore()) return;
  parts_.loop.StayBehind();
  IgnoreResult(parts_.loop.Post([self = shared_from_this()] { self->GoOn(); }),
               "a loop that has ended has closed it");
}

Status AgentConnection::HearFrame(std::string_view frame) {
  if (phase_ == Phase::kGreeted) return HearHello(frame);
  v1::AgentMessage& message = parts_.scratch.message;
  if (!message.ParseFromArray(frame.data(), static_cast<int>(frame.size())))
    return Fail(InvalidArgument("this is not a message of an agent"));
  return phase_ == Phase::kProbed ? HearBeforeJoin(message) : Hear(message);
}

// Nothing else is parsed for a peer that is not known.
Status AgentConnection::HearHello(std::string_view frame) {
  v1::Hello hello;
  if (!hello.ParseFromArray(frame.data(), static_cast<int>(frame.size())))
    return Fail(InvalidArgument("a connection begins with a hello"));
  peer_.join_token = hello.join_token();
  peer_.certificate = socket_.PeerCertificate();
  GP_CHECK_OK(
      parts_.admission.Audited(peer_, "JoinNode", "", parts_.admission.CheckPeer(peer_, "")));
  socket_.SetFrameBytesMax(kAgentMessageBytesMax);
  phase_ = Phase::kProbed;
  return Ok();
}

Status AgentConnection::HearBeforeJoin(const v1::AgentMessage& message) {
  if (message.has_join()) return Join(message);
  if (!message.has_probe())
    return Fail(InvalidArgument("a connection begins with a probe or a join"));
  has_probe_ = true;
  return Ok();
}

// The answer comes on the writer's thread, which only posts it.
Status AgentConnection::Join(const v1::AgentMessage& message) {
  const std::string& name = message.join().facts().name();
  GP_CHECK_OK(
      parts_.admission.Audited(peer_, "JoinNode", name, parts_.admission.CheckPeer(peer_, name)));
  JoinNode join = GP_TRY(JoinFrom(message.join()));
  phase_ = Phase::kJoining;
  return parts_.nodes.Join(message.number(), std::move(join),
                           [self = shared_from_this()](Result<Joined> joined) {
                             const auto take = [self, joined] { self->TakeJoined(joined); };
                             const bool will_be_taken = self->parts_.loop.Post(take);
                             if (!will_be_taken && joined && joined->exchange != nullptr)
                               joined->exchange->End();
                           });
}

void AgentConnection::TakeJoined(Result<Joined> joined) {
  const bool has_exchange = joined && joined->exchange != nullptr;
  if (phase_ != Phase::kJoining) {  // the agent has gone meanwhile
    if (has_exchange) joined->exchange->End();
    return;
  }
  if (!joined) {
    End(joined.error().message);
  } else if (!has_exchange) {
    v1::ControllerMessage refusal;
    refusal.set_foreign_to(joined->foreign_to);
    refusal.set_ended("the node has attempts of another journal: it must end them first");
    EndWith(std::move(refusal));
  } else {
    exchange_ = joined->exchange;
    phase_ = Phase::kJoined;
    grants_resumption_ = true;
    exchange_->WhenNews([weak = weak_from_this()](bool is_over) {
      if (const auto self = weak.lock()) self->Wake(is_over);
    });
  }
  GoOn();
}

Status AgentConnection::Hear(const v1::AgentMessage& message) {
  if (message.has_gpu_news())
    return exchange_->Hear(message.number(), GP_TRY(GpuNewsFrom(message.gpu_news())));
  if (message.has_heartbeat()) {
    HearHeartbeat(message.number(), message.heartbeat());
    return Ok();
  }
  if (message.has_metrics()) return HearMetrics(message.metrics());
  if (message.has_probe()) has_probe_ = true;
  if (!message.has_report()) return Ok();
  AgentReport report = GP_TRY(ReportFrom(message.report()));
  KeepReadings(message.report().readings());
  KeepProgress(message.report().progress());
  if (message.report().has_images())
    parts_.api.images.Set(exchange_->node(), message.report().images());
  return exchange_->Hear(message.number(), std::move(report));
}

// Answered on this thread: the writer is not woken.
void AgentConnection::HearHeartbeat(uint64_t number, const v1::Heartbeat& heartbeat) {
  if (heartbeat.readings().empty())
    parts_.api.readings.Confirm(exchange_->node(), parts_.gateway.Now());
  KeepReadings(heartbeat.readings());
  if (!heartbeat.progress().empty()) KeepProgress(heartbeat.progress());
  exchange_->HearHeartbeat(number);
  has_news_ = true;
}

// They are written on another thread, whose answer comes back to this one.
Status AgentConnection::HearMetrics(const v1::MetricParts& message) {
  std::vector<MetricPart> parts = GP_TRY(MetricPartsFrom(message));
  // An agent that does not read its answers is not heard, either.
  constexpr size_t kAnswersMax = 1'000;
  if (parts_.metrics == nullptr || kept_.size() > kAnswersMax) return Ok();
  const auto take = [weak = weak_from_this()](std::vector<MetricMark> marks) {
    const auto self = weak.lock();
    if (self == nullptr) return;
    const auto answer = [self, marks = std::move(marks)] {
      self->kept_.insert(self->kept_.end(), marks.begin(), marks.end());
      self->GoOn();
    };
    IgnoreResult(self->parts_.loop.Post(answer), "a loop that has ended has closed it");
  };
  parts_.metrics->Keep(exchange_->node(), std::move(parts), take);
  return Ok();
}

void AgentConnection::KeepReadings(
    const google::protobuf::RepeatedPtrField<v1::GpuReadings>& readings) {
  if (!readings.empty())
    parts_.api.readings.Set(exchange_->node(), {readings.begin(), readings.end()},
                            parts_.gateway.Now());
}

void AgentConnection::KeepProgress(
    const google::protobuf::RepeatedPtrField<v1::LeaseProgress>& progress) {
  parts_.api.progress.Set(exchange_->node(), {progress.begin(), progress.end()});
}

void AgentConnection::Wake(bool is_over) {
  if (!is_over && is_woken_.exchange(true)) return;
  const auto go_on = [self = shared_from_this(), is_over] {
    if (is_over) {
      self->End("the controller closed it");
      return self->Close();
    }
    self->is_woken_ = false;
    self->has_news_ = true;
    self->GoOn();
  };
  IgnoreResult(parts_.loop.Post(go_on), "a loop that has ended has closed it");
}

void AgentConnection::WriteNews() {
  while (phase_ < Phase::kEnding && !socket_.has_unsent()) {
    if (std::exchange(has_probe_, false)) {
      AnswerProbe();
      continue;
    }
    if (std::exchange(grants_resumption_, false)) {
      GrantResumption();
      continue;
    }
    if (!kept_.empty()) {
      Send(ToMessage(std::exchange(kept_, {})));
      continue;
    }
    if (phase_ != Phase::kJoined || !std::exchange(has_news_, false)) return;
    const std::optional<ControllerNews> news = exchange_->TakeNews();
    // A connection that is over is ended by its own wake-up.
    if (!news || news->empty()) return;
    v1::ControllerMessage message = parts_.messages.ToMessage(*news);
    message.set_takes_metrics(message.answers() != 0 && parts_.metrics != nullptr);
    Send(message);
  }
}

void AgentConnection::AnswerProbe() {
  const ControllerEpoch own = parts_.nodes.Probe();
  v1::ControllerMessage answer;
  answer.mutable_probed()->set_lineage(own.lineage);
  answer.mutable_probed()->set_epoch(own.epoch);
  Send(answer);
}

void AgentConnection::GrantResumption() {
  const std::optional<TlsResumption> granted = socket_.GrantResumption();
  if (!granted) return;
  v1::ControllerMessage message;
  message.mutable_resumption()->set_ticket(granted->ticket);
  message.mutable_resumption()->set_secret(granted->secret);
  Send(message);
}

void AgentConnection::Send(const v1::ControllerMessage& message) {
  std::string& bytes = parts_.scratch.bytes;
  message.SerializeToString(&bytes);
  if (!socket_.Send(bytes)) Close();
}

void AgentConnection::End(const std::string& why) {
  v1::ControllerMessage last;
  last.set_ended(why);
  EndWith(std::move(last));
}

// It follows what is being sent.
void AgentConnection::EndWith(v1::ControllerMessage last) {
  if (phase_ >= Phase::kEnding) return;
  phase_ = Phase::kEnding;
  phase_began_ = std::chrono::steady_clock::now();
  Send(last);
}

void AgentConnection::Close() {
  if (phase_ == Phase::kClosed) return;
  phase_ = Phase::kClosed;
  if (exchange_ != nullptr) exchange_->End();
  exchange_.reset();
  parts_.loop.Forget(socket_.descriptor());
  socket_.Close();
}

void AgentConnection::Await() {
  if (phase_ == Phase::kClosed) return;
  const uint32_t awaited = (reads() ? EPOLLIN : 0u) | (socket_.awaits_write() ? EPOLLOUT : 0u);
  if (std::exchange(awaited_, awaited) != awaited)
    parts_.loop.Change(socket_.descriptor(), awaited);
}

}  // namespace gp
