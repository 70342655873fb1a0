#include "cmd/jobs/detach.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

#include "adapters/wire/call_deadline.h"
#include "base/ignore_result.h"
#include "cmd/connection/controller_line.h"
#include "cmd/jobs/jobs.h"
#include "cmd/text/job_text.h"
#include "files/descriptor.h"

namespace gp {
namespace {

constexpr char kBeforeAccepted[] =
    "\n» interrupted before the job was acknowledged; if it was accepted, gpu-platform jobs list "
    "shows it\n";
constexpr int kAgainMs = 2'000;                      // within which a second one cancels the job
constexpr auto kLookTime = std::chrono::seconds(1);  // the longest wait for the job's state

std::atomic<int> interrupt_end = -1;  // the end of a pipe that the handler writes to

void OnInterrupt(int) {
  const int fd = interrupt_end.load();
  if (fd >= 0) return void(!write(fd, "", 1));
  IgnoreResult(write(STDERR_FILENO, kBeforeAccepted, sizeof kBeforeAccepted - 1),
               "nobody reads it any more");
  _exit(kExitDetached);
}

// nullopt if the controller does not answer at once.
std::optional<v1::Job> LookAt(const std::string& server, const std::string& id) {
  const auto client = OpenController(server, ControlClient::WhenKilled::kFail);
  if (!client) return std::nullopt;
  grpc::ClientContext context;
  const auto stub = (*client)->Streams(context);
  if (!stub) return std::nullopt;
  context.set_deadline(DeadlineIn(kLookTime));
  v1::GetJobRequest request;
  request.set_job_id(id);
  v1::Job job;
  return (*stub)->GetJob(&context, request, &job).ok() ? std::optional(job) : std::nullopt;
}

// A look at the job on its own thread: addresses that are silent take seconds.
struct Look {
  const Descriptor done{eventfd(0, EFD_CLOEXEC)};
  std::optional<v1::Job> job;  // once `done` can be read

  void Run(const std::string& server, const std::string& id) {
    job = LookAt(server, id);
    const uint64_t one = 1;
    IgnoreResult(write(done.get(), &one, sizeof one), "it is written once");
  }
};

std::string StandOf(const std::string& id, const std::optional<v1::Job>& job) {
  if (!job) return "detached from " + id;
  switch (job->state()) {
    case v1::QUEUED: return id + " is still queued";
    case v1::PENDING:
    case v1::PREEMPTED: return id + " still waits";
    default: return "detached; " + id + (IsOver(*job) ? " is over" : " runs on");
  }
}

void AwaitInterrupts(int fd, const std::string& job, Cli& cli) {
  char byte = 0;
  while (read(fd, &byte, 1) < 0 && errno == EINTR) {
  }
  if (!cli.quiet) std::fputc('\n', stderr);  // the terminal has ^C on this line
  const auto look = std::make_shared<Look>();
  std::thread([look, server = cli.server, job] { look->Run(server, job); }).detach();
  pollfd news[] = {{fd, POLLIN, 0}, {look->done.get(), POLLIN, 0}};
  while (poll(news, 2, -1) < 0 && errno == EINTR) {
  }
  const std::string commands =
      "; follow: gpu-platform jobs logs -f " + job + ", cancel: gpu-platform jobs cancel " + job;
  // Whoever is impatient before this program has said what a second one does, wants it to end.
  const bool is_impatient = news[0].revents != 0;
  if (is_impatient) {
    cli.Say(StandOf(job, std::nullopt) + commands);
  } else {
    cli.Say(StandOf(job, look->job) + commands + ", or Ctrl-C again");
    pollfd more{fd, POLLIN, 0};
    if (poll(&more, 1, kAgainMs) > 0) StopJobs({job}, false, cli);
  }
  std::fflush(stdout);
  _exit(kExitDetached);
}

}  // namespace

void DetachOnInterrupt() { std::signal(SIGINT, OnInterrupt); }

void DetachFrom(const std::string& job, Cli& cli) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  std::thread([fd = ends[0], job, &cli] { AwaitInterrupts(fd, job, cli); }).detach();
  interrupt_end = ends[1];
}

}  // namespace gp
