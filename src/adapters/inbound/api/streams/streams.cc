// Logs and exec: bytes between a user and an agent, through a channel that the agent opens.

#include <chrono>
#include <future>
#include <thread>

#include "adapters/inbound/api/control_api.h"
#include "base/ignore_result.h"
#include "domain/cluster/arrays.h"
#include "domain/model/nodes/features.h"

namespace gp {
namespace {

constexpr std::chrono::milliseconds kCallerCheck{200};
constexpr Duration kEndCheck = Duration::Milliseconds(500);
constexpr int kExitPlatform = 125;  // an exit code of the platform, not of the program

Result<RankPlace> FindRank(const State& state, JobId id, int rank, int attempt) {
  const Job* job = state.FindJob(id);
  if (job == nullptr) return Fail(NotFound("no job " + ToText(id) + " any more"));
  if (job->attempts.empty()) return Fail(Conflict(NameOf(*job) + " has not been started yet"));
  const AttemptRecord* record = &job->attempts.back();
  if (attempt > 0) {
    if (attempt > static_cast<int>(job->attempts.size())) {
      return Fail(NotFound(NameOf(*job) + " has no attempt " + std::to_string(attempt)));
    }
    record = &job->attempts[static_cast<size_t>(attempt - 1)];
  }
  if (rank < 0 || rank >= static_cast<int>(record->ranks.size())) {
    return Fail(
        NotFound(NameOf(*job) + " has ranks 0 to " + std::to_string(record->ranks.size() - 1)));
  }
  const RankRecord& place = record->ranks[static_cast<size_t>(rank)];
  return RankPlace{place.node, place.lease, job->id, record->number,
                   state.FindLease(place.lease) != nullptr};
}

// The place of the rank in the job's last attempt.  kConflict: the job is not running; its node
// keeps the end of a process all the same, for a user who attaches again.
Result<RankPlace> FindRunning(ControlGateway& gateway, JobId job,
                              const v1::ExecInput::Start& start) {
  Result<RankPlace> place = Fail(Internal(""));
  GP_CHECK_OK(
      gateway.Read([&](const State& state) { place = FindRank(state, job, start.rank(), 0); }));
  if (place && !place->live && !start.attach())
    return Fail(Conflict(start.job_id() + " is not running"));
  return place;
}

// Whether the node's agent keeps a process whose user may come back.
bool OffersSessions(const State& state, NodeId id) {
  const Node* node = state.FindNode(id);
  return node != nullptr && node->facts->features.contains(kExecAttachFeature);
}

// Runs until the caller ends its input: it has the exit code, or it is gone.  The process of a
// session does not see that end: its user may come back.
void PumpInput(ExecConversation& stream, Tunnel& tunnel, bool is_session) {
  v1::ExecInput message;
  v1::TunnelFrame frame;
  while (stream.Read(&message)) {
    *frame.mutable_input() = message;
    if (!tunnel.Write(frame)) return;
  }
  if (is_session) return;
  frame.mutable_input()->set_end_of_input(true);
  IgnoreResult(tunnel.Write(frame), "a peer that has gone ends the connection");
}

// Sends the error in the stream: a status would arrive only after the caller's input has ended.
Status RefuseExec(ExecConversation& stream, const std::string& why) {
  v1::ExecOutput output;
  output.set_errors("error: " + why + "\n");
  IgnoreResult(stream.Write(output), "a peer that has gone ends the connection");
  output.set_exit_code(kExitPlatform);
  IgnoreResult(stream.Write(output), "a peer that has gone ends the connection");
  return Ok();
}

// Runs until the program has ended, or one of its peers is gone.  In a session the agent ends it,
// when the user has acknowledged the exit code.
Status PumpOutput(ExecConversation& stream, Tunnel& tunnel, bool is_session) {
  v1::TunnelFrame frame;
  bool is_over = false;
  while (tunnel.Read(&frame)) {
    if (!frame.failed().empty()) return RefuseExec(stream, frame.failed());
    if (!frame.has_output()) continue;
    if (!stream.Write(frame.output())) return Ok();
    is_over = frame.output().what_case() == v1::ExecOutput::kExitCode;
    if (is_over && !is_session) return Ok();
  }
  if (is_over) return Ok();
  constexpr char kAgentGone[] = "the node's agent went away";
  if (is_session) return Fail(Unavailable(kAgentGone));
  return RefuseExec(stream, kAgentGone);
}

// Pumps in both directions, the input on a thread of its own.
Status PumpExec(ExecConversation& stream, Channel& channel, Tunnel& tunnel, bool is_session) {
  std::promise<void> ended;
  std::thread input([&, until = ended.get_future()] {
    PumpInput(stream, tunnel, is_session);
    while (until.wait_for(kCallerCheck) == std::future_status::timeout) {
      if (stream.IsGone()) channel.Break();  // the caller is gone: hang up the terminal
    }
  });
  const Status status = PumpOutput(stream, tunnel, is_session);
  if (!status || stream.IsGone()) stream.Break();
  ended.set_value();
  input.join();
  return status;
}

Status CheckBegin(const v1::ReadLogRequest& request) {
  constexpr int64_t kSinceMsMax = INT64_MAX / 1'000'000;
  if (request.since_ms() < 0 || request.since_ms() > kSinceMsMax)
    return Fail(InvalidArgument("since_ms: milliseconds since 1970, not " +
                                std::to_string(request.since_ms())));
  if (request.since_ms() != 0 && request.offset() != 0)
    return Fail(InvalidArgument("since_ms and offset: give one of them"));
  return Ok();
}

}  // namespace

Status ControlApi::ReadLog(const Caller& caller, const v1::ReadLogRequest& request,
                           Sink<v1::LogChunk>& out) {
  const Result<JobId> id = JobFor(caller, JobAct::kRead, request.job_id());
  if (!id) return Fail(id.error());
  GP_CHECK_OK(CheckBegin(request));
  const auto watch = feed_.Follow(*id);
  v1::ReadLogRequest part = request;
  while (!out.IsGone()) {
    Result<RankPlace> place = Fail(Internal(""));
    const Status read = gateway_.Read(
        [&](const State& state) { place = FindRank(state, *id, part.rank(), part.attempt()); });
    if (!read) return read;
    if (!place) return Fail(place.error());
    part.set_attempt(place->attempt);
    const Status copied = CopyLog(*place, part, out);
    // The agent's end of the log is final only if the attempt was over before the request:
    // otherwise it may not even have begun there.
    if (!copied || !part.follow() || !place->live) return copied;
    IgnoreResult(watch->Next(kEndCheck), "a time-out is checked by the loop");
  }
  return Ok();
}

Status ControlApi::CopyLog(const RankPlace& place, v1::ReadLogRequest& request,
                           Sink<v1::LogChunk>& out) {
  v1::OpenChannel order;
  order.set_lease(place.lease.value);
  order.mutable_log()->set_job(place.job.value);
  order.mutable_log()->set_attempt(place.attempt);
  order.mutable_log()->set_rank(request.rank());
  order.mutable_log()->set_errors(request.errors());
  order.mutable_log()->set_offset(request.offset());
  order.mutable_log()->set_follow(request.follow());
  order.mutable_log()->set_since_ms(request.since_ms());
  const auto channel = GP_TRY(channels_.Open(place.node, order));
  Tunnel* tunnel = GP_TRY(AwaitTunnel(*channel));
  out.Begin();
  const Status status = PumpLog(*tunnel, request, out);
  channel->Finish();
  return status;
}

Status ControlApi::PumpLog(Tunnel& tunnel, v1::ReadLogRequest& request, Sink<v1::LogChunk>& out) {
  v1::TunnelFrame frame;
  while (!out.IsGone() && tunnel.Read(&frame)) {
    if (!frame.failed().empty()) return Fail(Unavailable(frame.failed()));
    if (frame.what_case() == v1::TunnelFrame::WHAT_NOT_SET) return Ok();  // the end
    if (!frame.has_log()) continue;
    frame.mutable_log()->set_attempt(request.attempt());
    // A piece without bytes only shows that the agent is still there.
    if (!frame.log().data().empty() && !out.Write(frame.log())) return Ok();
    request.set_offset(frame.log().offset() + static_cast<int64_t>(frame.log().data().size()));
    request.clear_since_ms();
  }
  // The agent went away before the end of the log: the client must ask again.
  return Fail(Unavailable("the node's agent went away"));
}

Status ControlApi::Exec(const Caller& caller, ExecConversation& stream) {
  v1::ExecInput first;
  if (!stream.Read(&first) || !first.has_start()) {
    return Fail(InvalidArgument("the first message of an exec names the job"));
  }
  v1::ExecInput::Start& start = *first.mutable_start();
  const JobId job = GP_TRY(JobFor(caller, JobAct::kRead, start.job_id()));
  const RankPlace place = GP_TRY(FindRunning(gateway_, job, start));
  bool is_session = !start.session().empty();
  const bool wants_session = is_session;
  GP_CHECK_OK(gateway_.Read(
      [&](const State& state) { is_session = is_session && OffersSessions(state, place.node); }));
  if (!is_session && start.attach())
    return Fail(NotFound("the node's agent keeps no process for a user who attaches again"));
  if (!is_session) start.clear_session();
  v1::OpenChannel order;
  order.set_lease(place.lease.value);
  *order.mutable_exec() = start;
  const auto channel = GP_TRY(channels_.Open(place.node, order));
  Tunnel* tunnel = GP_TRY(AwaitTunnel(*channel));
  // A message without a number tells the client that there is no session.
  if (wants_session && !is_session && !stream.Write({})) return Ok();
  const Status status = PumpExec(stream, *channel, *tunnel, is_session);
  channel->Finish();
  return status;
}

}  // namespace gp
