// Logs and exec: bytes between a user and an agent, through a channel that the agent opens.

#include <chrono>
#include <future>
#include <thread>

#include "adapters/inbound/grpc/control_service.h"
#include "adapters/inbound/grpc/status.h"
#include "domain/cluster/arrays.h"

namespace gp {
namespace {

constexpr Duration kChannelTimeout = Duration::Seconds(10);
constexpr std::chrono::milliseconds kCallerCheck{200};
constexpr Duration kEndCheck = Duration::Milliseconds(500);
constexpr int kExitPlatform = 125;  // an exit code that says: not the program's own

Result<RankPlace> FindRank(const State& state, const std::string& job_text, int rank, int attempt) {
  const Job* job = state.FindJob(GP_TRY(FindJobNamed(state, job_text)));
  if (job->attempts.empty()) return Fail(Conflict(ToText(job->id) + " has not been started yet"));
  const AttemptRecord* record = &job->attempts.back();
  if (attempt > 0) {
    if (attempt > static_cast<int>(job->attempts.size())) {
      return Fail(NotFound(ToText(job->id) + " has no attempt " + std::to_string(attempt)));
    }
    record = &job->attempts[static_cast<size_t>(attempt - 1)];
  }
  if (rank < 0 || rank >= static_cast<int>(record->ranks.size())) {
    return Fail(NotFound(ToText(job->id) + " has ranks 0 to " + std::to_string(record->ranks.size() - 1)));
  }
  const RankRecord& place = record->ranks[static_cast<size_t>(rank)];
  return RankPlace{place.node, place.lease, job->id, record->number, state.FindLease(place.lease) != nullptr};
}

using ExecStream = grpc::ServerReaderWriter<v1::ExecOutput, v1::ExecInput>;

// Until the caller ends its input: with its exit code in hand, or because it is gone.
void PumpInput(ExecStream& stream, Channel::Stream& tunnel) {
  v1::ExecInput message;
  v1::TunnelFrame frame;
  while (stream.Read(&message)) {
    *frame.mutable_input() = message;
    if (!tunnel.Write(frame)) return;
  }
  frame.mutable_input()->set_end_of_input(true);
  (void)tunnel.Write(frame);
}

// In the stream itself: a status would come only after the caller's input has ended.
grpc::Status RefuseExec(ExecStream& stream, const std::string& why) {
  v1::ExecOutput output;
  output.set_errors("error: " + why + "\n");
  if (!stream.Write(output)) return grpc::Status::CANCELLED;
  output.set_exit_code(kExitPlatform);
  return stream.Write(output) ? grpc::Status::OK : grpc::Status::CANCELLED;
}

}  // namespace

grpc::Status ControlService::ReadLog(grpc::ServerContext* context, const v1::ReadLogRequest* request,
                                     grpc::ServerWriter<v1::LogChunk>* writer) {
  const Result<User> caller = Caller(*context);
  if (!caller) return ToGrpc(caller.error());
  const Result<JobId> id = OwnJob(*caller, request->job_id());
  if (!id) return ToGrpc(id.error());
  const auto watch = feed_.Follow(*id);
  v1::ReadLogRequest part = *request;
  while (!context->IsCancelled()) {
    Result<RankPlace> place = Fail(Internal(""));
    const Status read = gateway_.Read(
        [&](const State& state) { place = FindRank(state, part.job_id(), part.rank(), part.attempt()); });
    if (!read) return ToGrpc(read);
    if (!place) return ToGrpc(place.error());
    part.set_attempt(place->attempt);
    const grpc::Status copied = CopyLog(*context, *place, part, *writer);
    // Where the agent saw the end is the end only if the attempt was over before it was asked:
    // until then it may not even have begun there.
    if (!copied.ok() || !part.follow() || !place->live) return copied;
    (void)watch->Next(kEndCheck);
  }
  return grpc::Status::CANCELLED;
}

grpc::Status ControlService::CopyLog(grpc::ServerContext& context, const RankPlace& place,
                                     v1::ReadLogRequest& request, grpc::ServerWriter<v1::LogChunk>& out) {
  v1::OpenChannel order;
  order.set_lease(place.lease.value);
  order.mutable_log()->set_job(place.job.value);
  order.mutable_log()->set_attempt(place.attempt);
  order.mutable_log()->set_rank(request.rank());
  order.mutable_log()->set_errors(request.errors());
  order.mutable_log()->set_offset(request.offset());
  order.mutable_log()->set_follow(request.follow());
  const auto channel = channels_.Open(place.node, order);
  if (!channel) return ToGrpc(channel.error());
  Channel::Stream* tunnel = (*channel)->WaitForStream(kChannelTimeout);
  if (tunnel == nullptr) {
    (*channel)->Finish();
    return ToGrpc(Unavailable("the node's agent did not answer"));
  }
  const grpc::Status status = PumpLog(context, *tunnel, request, out);
  (*channel)->Finish();
  return status;
}

grpc::Status ControlService::PumpLog(grpc::ServerContext& context, Channel::Stream& tunnel,
                                     v1::ReadLogRequest& request, grpc::ServerWriter<v1::LogChunk>& out) {
  v1::TunnelFrame frame;
  while (!context.IsCancelled() && tunnel.Read(&frame)) {
    if (!frame.failed().empty()) return ToGrpc(Unavailable(frame.failed()));
    if (frame.what_case() == v1::TunnelFrame::WHAT_NOT_SET) return grpc::Status::OK;  // the end
    if (!frame.has_log()) continue;
    if (!out.Write(frame.log())) return grpc::Status::CANCELLED;
    request.set_offset(frame.log().offset() + static_cast<int64_t>(frame.log().data().size()));
  }
  // The agent went away before it said that this was all: the reader must ask again.
  return ToGrpc(Unavailable("the node's agent went away"));
}

grpc::Status ControlService::Exec(grpc::ServerContext* context, ExecStream* stream) {
  const Result<User> caller = Caller(*context);
  if (!caller) return ToGrpc(caller.error());
  v1::ExecInput first;
  if (!stream->Read(&first) || !first.has_start()) {
    return ToGrpc(InvalidArgument("the first message of an exec names the job"));
  }
  const v1::ExecInput::Start& start = first.start();
  if (const auto own = OwnJob(*caller, start.job_id()); !own) return ToGrpc(own.error());
  Result<RankPlace> place = Fail(Internal(""));
  const Status read =
      gateway_.Read([&](const State& state) { place = FindRank(state, start.job_id(), start.rank(), 0); });
  if (!read) return ToGrpc(read);
  if (!place) return ToGrpc(place.error());
  if (!place->live) return ToGrpc(Conflict(start.job_id() + " is not running"));
  v1::OpenChannel order;
  order.set_lease(place->lease.value);
  *order.mutable_exec() = start;
  const auto channel = channels_.Open(place->node, order);
  if (!channel) return ToGrpc(channel.error());
  Channel::Stream* tunnel = (*channel)->WaitForStream(kChannelTimeout);
  if (tunnel == nullptr) {
    (*channel)->Finish();
    return ToGrpc(Unavailable("the node's agent did not answer"));
  }
  std::promise<void> ended;
  std::thread input([&, until = ended.get_future()] {
    PumpInput(*stream, *tunnel);
    while (until.wait_for(kCallerCheck) == std::future_status::timeout) {
      if (context->IsCancelled()) (*channel)->Break();  // gone: its terminal hangs up
    }
  });
  const grpc::Status status = PumpExec(*tunnel, *stream);
  if (!status.ok()) context->TryCancel();
  ended.set_value();
  input.join();
  (*channel)->Finish();
  return status;
}

grpc::Status ControlService::PumpExec(Channel::Stream& tunnel, ExecStream& stream) {
  v1::TunnelFrame frame;
  while (tunnel.Read(&frame)) {
    if (!frame.failed().empty()) return RefuseExec(stream, frame.failed());
    if (!frame.has_output()) continue;
    if (!stream.Write(frame.output())) return grpc::Status::CANCELLED;
    if (frame.output().what_case() == v1::ExecOutput::kExitCode) return grpc::Status::OK;
  }
  return RefuseExec(stream, "the node's agent went away");
}

}  // namespace gp
