#include "cmd/jobs/job_follow.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "adapters/wire/call_deadline.h"
#include "cmd/connection/controller_line.h"
#include "cmd/jobs/line_patience.h"
#include "cmd/jobs/log_tail.h"
#include "cmd/jobs/look_again.h"
#include "cmd/text/job_text.h"
#include "domain/model/jobs/job_spec.h"
#include "infrastructure/system_clock.h"

namespace gp {
namespace {

// A connection of its own: local credentials do not outlive a controller.
Result<std::unique_ptr<ControlClient>> Reconnect(const Cli& cli) {
  return OpenController(cli.server);
}

// The job when it is over; or the error that broke the connection before.
Result<v1::Job> WatchToEnd(ControlClient& client, grpc::ClientContext& context,
                           const v1::GetJobRequest& request, LinePatience& patience) {
  v1::Control::Stub* stub = GP_TRY(client.Streams(context));
  const auto reader = stub->WatchJob(&context, request);
  v1::Job seen;
  while (reader->Read(&seen)) {
    patience.Heard();
    if (IsOver(seen)) return seen;
  }
  return Fail(ControlClient::ErrorOf(reader->Finish()));
}

v1::ReadLogRequest RequestOf(const LogOptions& options, int64_t offset) {
  v1::ReadLogRequest request;
  request.set_job_id(options.job);
  request.set_rank(options.rank);
  request.set_errors(options.errors);
  request.set_attempt(options.attempt);
  request.set_offset(offset);
  if (offset == 0) request.set_since_ms(options.since_ms);
  request.set_follow(options.follow);
  return request;
}

// What a look at the output has come to.
struct Copied {
  Status status = Ok();
  bool may_go_on = false;  // another controller may go on where this one was lost
};

// `options.attempt` becomes the one that is read: where the output goes on, it is the same one's.
Copied CopyOnce(ControlClient& client, LogOptions& options, int64_t& offset,
                LinePatience& patience) {
  grpc::ClientContext context;
  const auto stub = client.Streams(context);
  if (!stub) return {Fail(stub.error())};
  const v1::ReadLogRequest request = RequestOf(options, offset);
  const auto reader = (*stub)->ReadLog(&context, request);
  LineTurns alone;
  LineTurns& turns = options.turns == nullptr ? alone : *options.turns;
  bool is_read = true;
  v1::LogChunk chunk;
  while (reader->Read(&chunk)) {
    patience.Heard();
    is_read = turns.Write(
        options.to, options.lines == nullptr ? chunk.data() : options.lines->Take(chunk.data()));
    offset = chunk.offset() + static_cast<int64_t>(chunk.data().size());
    if (chunk.attempt() > 0) options.attempt = chunk.attempt();
    if (!is_read) context.TryCancel();
  }
  const grpc::Status status = reader->Finish();
  if (status.ok()) return {};
  if (!is_read) return {Fail(Internal("nobody reads the output any more"))};
  return {Fail(ControlClient::ErrorOf(status)), client.MayGoOn(status)};
}

bool IsOneFile(std::FILE* a, std::FILE* b) {
  struct stat of_a{};
  struct stat of_b{};
  return fstat(fileno(a), &of_a) == 0 && fstat(fileno(b), &of_b) == 0 &&
         of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

// The job once it has had more than `attempts` of them, or has ended.
Result<v1::Job> WaitForAttempt(Cli& cli, const std::string& id, int attempts) {
  LinePatience patience;
  v1::GetJobRequest request;
  request.set_job_id(id);
  LookAgain look_again;
  while (true) {
    auto client = Reconnect(cli);
    const Result<v1::Job> job = client ? (*client)->Call<v1::Job>("GetJob", request)
                                       : Result<v1::Job>(Fail(client.error()));
    if (job && (IsOver(*job) || job->attempt() > attempts)) return job;
    if (job) {
      patience.Heard();
      poll(nullptr, 0, look_again.NextPauseMs());
      continue;
    }
    if (!MayPass(job.error()) || !patience.Wait()) return job;
  }
}

// The last `size` bytes of the output so far.
Result<LogTail> ReadTail(Cli& cli, LogOptions options, int64_t size) {
  options.follow = false;
  LinePatience patience;
  bool was_lost = false;
  while (true) {
    const auto client = GP_TRY(Reconnect(cli));
    grpc::ClientContext context;
    v1::Control::Stub* stub = GP_TRY(client->Streams(context));
    grpc::Status end;
    auto tail = ReadLogTail(*stub, context, RequestOf(options, -size), &end);
    was_lost = was_lost || client->MayGoOn(end);
    if (tail || !was_lost || !MayPass(tail.error()) || !patience.Wait()) return tail;
  }
}

}  // namespace

Result<v1::Job> FetchJob(Cli& cli, const std::string& name) {
  v1::GetJobRequest request;
  request.set_job_id(name);
  ControlClient* client = GP_TRY(cli.Controller());
  return client->Call<v1::Job>("GetJob", request);
}

Result<std::vector<std::string>> FindJobs(Cli& cli, const std::string& name) {
  LinePatience patience;
  v1::ListJobsRequest request;
  request.set_name(name);
  request.set_limit(kArrayMax);
  while (true) {
    auto client = Reconnect(cli);
    const auto reply = client ? (*client)->Call<v1::ListJobsReply>("ListJobs", request)
                              : Result<v1::ListJobsReply>(Fail(client.error()));
    if (!reply && MayPass(reply.error()) && patience.Wait()) continue;
    if (!reply) return Fail(reply.error());
    std::vector<std::string> ids;
    for (const v1::Job& job : reply->jobs()) ids.push_back(job.id());
    return ids;
  }
}

// The output of one attempt, or the part of it that exists now.
Status CopyAttempt(Cli& cli, const LogOptions& given) {
  LogOptions options = given;
  int64_t offset = options.offset;
  LinePatience patience;
  bool goes_on = options.follow;
  while (true) {
    auto client = Reconnect(cli);
    const auto [copied, may_go_on] =
        client ? CopyOnce(**client, options, offset, patience) : Copied{Fail(client.error())};
    if (copied) return copied;
    // After a take-over the nodes come back a moment later than the controller.
    goes_on = goes_on || may_go_on;
    // A job that is still waiting has no output yet.
    const bool not_started = options.follow && copied.error().code == ErrorCode::kConflict;
    if (not_started) patience.Heard();
    if (!not_started && !(MayPass(copied.error()) && goes_on)) return copied;
    if (!patience.Wait()) return copied;
  }
}

Result<int64_t> FindTail(Cli& cli, const LogOptions& options, int lines) {
  constexpr int64_t kFirst = 64 << 10;
  constexpr int64_t kMost = 64 << 20;  // held in memory; of longer lines, these bytes are shown
  int64_t begun = -1;
  for (int64_t size = kFirst;; size *= 8) {
    const auto tail = ReadTail(cli, options, size);
    // A job that is still waiting has no output yet
    if (!tail && options.follow && tail.error().code == ErrorCode::kConflict) return 0;
    if (!tail) return Fail(tail.error());
    const auto& [text, begin] = *tail;
    int ends = 0;
    // The last line may be unfinished
    for (size_t at = text.empty() ? 0 : text.size() - 1; at-- > 0;) {
      if (text[at] == '\n' && ++ends == lines) return begin + static_cast<int64_t>(at) + 1;
    }
    // The oldest part may have been dropped
    if (begin == 0 || begin == begun || size >= kMost) return begin;
    begun = begin;
  }
}

Status CopyLog(Cli& cli, const LogOptions& options) {
  if (!options.follow || options.attempt != 0) return CopyAttempt(cli, options);
  // A job that is started again goes on in its next attempt.
  for (LogOptions one = options;; ++one.attempt, one.offset = one.since_ms = 0) {
    const v1::Job job = GP_TRY(WaitForAttempt(cli, options.job, one.attempt));
    if (job.attempt() <= one.attempt) return Ok();
    if (one.attempt == 0) one.attempt = job.attempt() - 1;
    LogOptions next = one;
    ++next.attempt;
    GP_CHECK_OK(CopyAttempt(cli, next));
  }
}

Status CopyStreams(Cli& cli, const LogOptions& options) {
  // Only there: a reader of one stream must not wait for the reader of the other.
  LineTurns turns;
  LogOptions output = options;
  if (IsOneFile(output.to, stderr)) output.turns = &turns;
  LogOptions errors = output;
  errors.errors = true;
  errors.to = stderr;
  if (!options.follow) {
    GP_CHECK_OK(CopyLog(cli, options));
    return CopyLog(cli, errors);
  }
  Status copied_errors = Ok();
  std::thread error_thread([&] { copied_errors = CopyLog(cli, errors); });
  const Status copied = CopyLog(cli, output);
  error_thread.join();
  return copied ? copied_errors : copied;
}

Result<std::optional<v1::Job>> WaitForEnd(Cli& cli, const std::string& job,
                                          std::optional<Duration> timeout) {
  SystemClock clock;
  const int64_t begin_ns = clock.BootNs();
  LinePatience patience;
  v1::GetJobRequest request;
  request.set_job_id(job);
  while (true) {
    Error error = Unavailable("");
    if (auto client = Reconnect(cli)) {
      grpc::ClientContext context;
      if (timeout) {
        const int64_t left_ns = timeout->ns - (clock.BootNs() - begin_ns);
        if (left_ns <= 0) return std::optional<v1::Job>{};
        context.set_deadline(DeadlineIn(std::chrono::nanoseconds(left_ns)));
      }
      Result<v1::Job> over = WatchToEnd(**client, context, request, patience);
      if (over) return std::optional(*std::move(over));
      error = over.error();
    } else {
      error = client.error();
    }
    if (timeout && clock.BootNs() - begin_ns >= timeout->ns) return std::optional<v1::Job>{};
    if (!MayPass(error) || !patience.Wait()) return Fail(error);
  }
}

int ExitCodeOf(const v1::Job& job) {
  if (job.state() == v1::COMPLETED) return 0;
  const int code = job.exit_code();
  return code == 0 ? kExitPlatform : code;
}

int FollowToEnd(Cli& cli, const std::string& job) {
  LogOptions options;
  options.job = job;
  options.follow = true;
  const Status copied = CopyStreams(cli, options);
  const auto end = WaitForEnd(cli, job, std::nullopt);
  if (!end) {
    cli.Complain(end.error());
    return kExitPlatform;
  }
  const v1::Job& last = **end;
  // A job that never ran has no output; any other must have delivered all of it.
  if (last.has_started_at() && !copied) {
    cli.Complain(copied.error());
    return kExitPlatform;
  }
  if (last.state() != v1::COMPLETED)
    cli.Say(last.id() + " " + last.detail() + ": " + last.reason());
  return ExitCodeOf(last);
}

}  // namespace gp
