#include "adapters/inbound/grpc/exchange_reactor.h"

#include <utility>

#include "adapters/inbound/grpc/status.h"

namespace gp {

ExchangeReactor* ExchangeReactor::Begin(const ExchangeParts& parts,
                                        grpc::CallbackServerContext& context) {
  const std::shared_ptr<ExchangeReactor> reactor(new ExchangeReactor(parts, context));
  reactor->self_ = reactor;
  reactor->Note([&] { reactor->may_read_ = true; });
  return reactor.get();
}

void ExchangeReactor::OnReadDone(bool ok) {
  if (!ok && exchange_ != nullptr) return End(grpc::Status::OK);
  if (!ok) return End(ToGrpc(InvalidArgument("an exchange begins with a probe or a join")));
  const bool joins = exchange_ == nullptr;
  // The next read may begin before this function returns.
  v1::AgentMessage message;
  message.Swap(&in_);
  const Status heard = joins ? Begin(message) : Hear(message);
  if (!heard) return End(ToGrpc(heard));
  if (joins && message.has_join()) return;  // the next read follows the answer
  Note([&] {
    may_read_ = true;
    has_news_ = has_news_ || message.has_heartbeat();
    has_probe_ = has_probe_ || message.has_probe();
  });
}

void ExchangeReactor::OnWriteDone(bool ok) {
  out_ = {};  // not under the lock, for which the writer may wait
  Note([&] {
    writes_ = false;
    if (end_) return;
    if (!ok) end_ = grpc::Status::CANCELLED;
    if (refuses_)
      end_ = ToGrpc(Conflict("the node has attempts of another journal: it must end them first"));
  });
}

void ExchangeReactor::OnDone() {
  if (exchange_ != nullptr) exchange_->End();
  self_.reset();
}

Status ExchangeReactor::Begin(const v1::AgentMessage& message) {
  if (message.has_probe()) return Ok();
  if (message.has_join()) return Join(message);
  return Fail(InvalidArgument("an exchange begins with a probe or a join"));
}

// The answer comes on the writer's thread, which only queues it.
Status ExchangeReactor::Join(const v1::AgentMessage& message) {
  const std::string& name = message.join().facts().name();
  GP_CHECK_OK(parts_.admission.Audited(context_, "JoinNode", name,
                                       parts_.admission.CheckPeer(context_, name)));
  JoinNode join = GP_TRY(JoinFrom(message.join()));
  return parts_.nodes.Join(
      message.number(), std::move(join), [self = self_](Result<Joined> joined) {
        self->parts_.senders.Add([self, joined = std::move(joined)] { self->TakeJoined(joined); });
      });
}

void ExchangeReactor::TakeJoined(Result<Joined> joined) {
  if (!joined) return End(ToGrpc(joined.error()));
  bool has_ended = false;
  Note([&] {
    has_ended = end_.has_value();
    if (has_ended) return;
    exchange_ = joined->exchange;
    foreign_to_ = joined->foreign_to;
    may_read_ = exchange_ != nullptr;
  });
  if (joined->exchange == nullptr) return;
  if (has_ended) return joined->exchange->End();
  joined->exchange->WhenNews([self = shared_from_this()](bool is_over) { self->Wake(is_over); });
}

Status ExchangeReactor::Hear(const v1::AgentMessage& message) {
  if (message.has_gpu_news())
    return exchange_->Hear(message.number(), GP_TRY(GpuNewsFrom(message.gpu_news())));
  if (message.has_heartbeat()) {
    HearHeartbeat(message.number(), message.heartbeat());
    return Ok();
  }
  if (!message.has_report()) return Ok();
  AgentReport report = GP_TRY(ReportFrom(message.report()));
  KeepReadings(message.report().readings());
  KeepProgress(message.report().progress());
  return exchange_->Hear(message.number(), std::move(report));
}

// Answered on this thread: neither the writer nor a sender is woken.
void ExchangeReactor::HearHeartbeat(uint64_t number, const v1::Heartbeat& heartbeat) {
  if (heartbeat.readings().empty())
    parts_.api.readings.Confirm(exchange_->node(), parts_.gateway.Now());
  KeepReadings(heartbeat.readings());
  if (!heartbeat.progress().empty()) KeepProgress(heartbeat.progress());
  exchange_->HearHeartbeat(number);
}

void ExchangeReactor::KeepReadings(
    const google::protobuf::RepeatedPtrField<v1::GpuReadings>& readings) {
  if (!readings.empty())
    parts_.api.readings.Set(exchange_->node(), {readings.begin(), readings.end()},
                            parts_.gateway.Now());
}

void ExchangeReactor::KeepProgress(
    const google::protobuf::RepeatedPtrField<v1::LeaseProgress>& progress) {
  parts_.api.progress.Set(exchange_->node(), {progress.begin(), progress.end()});
}

void ExchangeReactor::Wake(bool is_over) {
  const auto self = shared_from_this();
  if (is_over) return parts_.senders.Add([self] { self->Abort(); });
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(has_news_, true)) return;
  }
  parts_.senders.Add([self] { self->Note([] {}); });
}

// A write that is under way ends first.
void ExchangeReactor::End(grpc::Status status) {
  Note([&] {
    if (!end_) end_ = std::move(status);
  });
}

// What was written may not reach the agent, which may have stopped reading.
void ExchangeReactor::Abort() {
  Note([this] {
    must_cancel_ = !end_ || writes_;
    if (!end_) end_ = grpc::Status::CANCELLED;
  });
}

// Notes what has happened; then one thread takes all steps that are due.
template <typename Change>
void ExchangeReactor::Note(Change change) {
  const std::shared_ptr<ExchangeReactor> self = shared_from_this();
  std::unique_lock lock(mutex_);
  change();
  if (std::exchange(takes_steps_, true)) return;
  while (const std::optional<Step> step = NextStep()) {
    lock.unlock();
    Take(*step);
    lock.lock();
  }
  takes_steps_ = false;
}

std::optional<ExchangeReactor::Step> ExchangeReactor::NextStep() {
  if (is_finished_) return std::nullopt;
  if (end_ && std::exchange(must_cancel_, false)) return Step::kCancel;
  if (end_ && writes_) return std::nullopt;
  if (end_) {
    is_finished_ = true;
    return Step::kFinish;
  }
  if (std::exchange(may_read_, false)) return Step::kRead;
  if (writes_) return std::nullopt;
  if (foreign_to_ != 0) {
    writes_ = refuses_ = true;
    return Step::kRefuse;
  }
  if (std::exchange(has_probe_, false)) {
    writes_ = true;
    return Step::kAnswerProbe;
  }
  if (!std::exchange(has_news_, false)) return std::nullopt;
  writes_ = true;
  return Step::kWrite;
}

void ExchangeReactor::Take(Step step) {
  switch (step) {
    case Step::kRead: return StartRead(&in_);
    case Step::kWrite: return WriteNews();
    case Step::kAnswerProbe: return AnswerProbe();
    case Step::kRefuse: out_.set_foreign_to(foreign_to_); return StartWrite(&out_);
    case Step::kCancel: return context_.TryCancel();
    case Step::kFinish: return Finish(*end_);
  }
}

void ExchangeReactor::AnswerProbe() {
  const ControllerEpoch own = parts_.nodes.Probe();
  out_.mutable_probed()->set_lineage(own.lineage);
  out_.mutable_probed()->set_epoch(own.epoch);
  StartWrite(&out_);
}

void ExchangeReactor::WriteNews() {
  const std::optional<ControllerNews> news = exchange_->TakeNews();
  if (news && !news->empty()) {
    out_ = parts_.messages.ToMessage(*news);
    return StartWrite(&out_);
  }
  // A connection that is over is aborted by its own wake-up.
  const std::lock_guard lock(mutex_);
  writes_ = false;
}

}  // namespace gp
