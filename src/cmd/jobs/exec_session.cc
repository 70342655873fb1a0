#include "cmd/jobs/exec_session.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <future>
#include <iterator>
#include <optional>
#include <thread>

#include "base/ignore_result.h"
#include "cmd/connection/controller_line.h"
#include "cmd/jobs/exec_line.h"
#include "cmd/jobs/line_patience.h"
#include "cmd/jobs/narrate_job.h"
#include "cmd/text/job_text.h"
#include "files/descriptor.h"

namespace gp {
namespace {

volatile std::sig_atomic_t window_changed = 0;
volatile std::sig_atomic_t leaving = 0;  // the signal

// The terminal passes every key on during the lifetime of this object.
class RawTerminal {
 public:
  explicit RawTerminal(bool wanted) : active_(wanted && tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!active_) return;
    termios raw = before_;
    cfmakeraw(&raw);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  ~RawTerminal() {
    if (active_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }

 private:
  termios before_{};
  bool active_;
};

// Signals that would end this program end the process in the job first.  The second one that
// somebody sends ends this program at once; those of a closed terminal or pipe come several times.
class SignalsToLeave {
 public:
  SignalsToLeave() {
    for (size_t i = 0; i < std::size(kSignals); ++i) {
      struct sigaction take = {};
      take.sa_handler = [](int signal) { leaving = signal; };
      const bool is_of_line = kSignals[i] == SIGHUP || kSignals[i] == SIGPIPE;
      take.sa_flags = is_of_line ? 0 : static_cast<int>(SA_RESETHAND);
      sigaction(kSignals[i], &take, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) sigaction(kSignals[i], &before_[i], nullptr);
    }
  }
  ~SignalsToLeave() {
    for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
  struct sigaction before_[std::size(kSignals)] = {};
};

void SendWindowSize(ExecLine& line) {
  window_changed = 0;
  winsize size{};
  ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  v1::ExecInput message;
  message.set_resize(size.ws_row << 16 | size.ws_col);
  line.Send(message);
}

// False: the input has ended.
bool SendKeys(ExecLine& line) {
  v1::ExecInput message;
  char buffer[4096];
  const ssize_t n = read(STDIN_FILENO, buffer, sizeof buffer);
  if (n > 0) {
    message.set_data(buffer, static_cast<size_t>(n));
  } else {
    message.set_end_of_input(true);
  }
  line.Send(message);
  return n > 0;
}

// Sends keys and sizes until the user leaves or `stop_fd` signals that the process has ended.
void SendInput(ExecLine& line, int stop_fd) {
  constexpr int kLookMs = 250;     // for a signal, or room
  constexpr int kLeaveMs = 2'000;  // a node that is away does not answer
  bool open = true;
  while (leaving == 0) {
    pollfd fds[] = {{stop_fd, POLLIN, 0}, {open && line.HasRoom() ? STDIN_FILENO : -1, POLLIN, 0}};
    poll(fds, 2, kLookMs);
    if (fds[0].revents != 0) return;
    if (window_changed != 0) SendWindowSize(line);
    if (fds[1].revents != 0) open = SendKeys(line);
  }
  line.HangUp();
  pollfd ended{stop_fd, POLLIN, 0};
  if (poll(&ended, 1, kLeaveMs) == 0) line.Cancel();
}

// The user's terminal or pipes, connected from construction to destruction.
class UserInput {
 public:
  UserInput(ExecLine& line, bool pty) : raw_(pty && isatty(STDIN_FILENO) != 0) {
    std::signal(SIGWINCH, [](int) { window_changed = 1; });
    thread_ = std::thread([this, &line] { SendInput(line, stop_.get()); });
  }
  ~UserInput() {
    const uint64_t one = 1;
    IgnoreResult(write(stop_.get(), &one, sizeof one),
                 "a descriptor that is full wakes its reader, too");
    thread_.join();
  }

 private:
  const Descriptor stop_ = Descriptor(eventfd(0, EFD_CLOEXEC));
  const SignalsToLeave signals_;
  const RawTerminal raw_;
  std::thread thread_;
};

// The agent ends the call when it has the last acknowledgement; one that is away does not.
grpc::Status FinishInTime(grpc::ClientContext& context, ExecStream& stream) {
  constexpr std::chrono::seconds kWithin{2};
  std::promise<void> ended;
  std::thread watch([&context, &kWithin, until = ended.get_future()] {
    if (until.wait_for(kWithin) == std::future_status::timeout) context.TryCancel();
  });
  v1::ExecOutput rest;
  while (stream.Read(&rest)) {
  }
  const grpc::Status status = stream.Finish();
  ended.set_value();
  watch.join();
  return status;
}

// One connection: the exit code, or how the connection ended.
Result<int> Converse(Cli& cli, ExecLine& line, std::optional<UserInput>& input, bool pty) {
  const auto client = GP_TRY(OpenController(cli.server));
  grpc::ClientContext context;
  v1::Control::Stub* stub = GP_TRY(client->Streams(context));
  const auto stream = stub->Exec(&context);
  const bool begins = line.Begin(context, *stream);
  if (!begins) context.TryCancel();
  if (!input) input.emplace(line, pty);
  const int exit_code = begins ? line.Print(*stream) : -1;
  line.End();
  const grpc::Status status = FinishInTime(context, *stream);
  if (exit_code >= 0) return exit_code;
  return Fail(ControlClient::ErrorOf(status));
}

// The same over restarts and take-overs of controllers, for as long as the node keeps the process.
Result<int> ConverseOn(Cli& cli, ExecLine& line, std::optional<UserInput>& input, bool pty) {
  // A controller that has just started may not know the caller yet; a token that was revoked stays
  // so.
  constexpr int kRefusalsMax = 10;
  LinePatience patience;
  uint64_t heard = 0;
  int refusals = 0;
  while (true) {
    auto ended = Converse(cli, line, input, pty);
    if (ended || !line.MayAttach() || !MayPass(ended.error())) return ended;
    if (line.heard() != heard) patience.Heard();
    heard = line.heard();
    refusals = ended.error().code == ErrorCode::kUnauthenticated ? refusals + 1 : 0;
    if (refusals > kRefusalsMax || !patience.Wait()) return ended;
  }
}

bool HasPlatformFailed(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kInternal;
}

// True once its program runs; false: it ended before.  An error: the stream broke.
Result<bool> WatchStart(Cli& cli, const std::string& job, LinePatience& patience) {
  const auto client = GP_TRY(OpenController(cli.server));
  grpc::ClientContext context;
  v1::Control::Stub* stub = GP_TRY(client->Streams(context));
  v1::GetJobRequest request;
  request.set_job_id(job);
  const auto reader = stub->WatchJob(&context, request);
  v1::Job seen;
  while (reader->Read(&seen)) {
    patience.Heard();
    const bool runs = seen.detail() == "RUNNING";
    if (!runs && !IsOver(seen)) continue;
    context.TryCancel();
    return runs;
  }
  return Fail(ControlClient::ErrorOf(reader->Finish()));
}

// The same over restarts and take-overs of controllers.
Result<bool> AwaitStart(Cli& cli, const std::string& job) {
  const JobNarrator narrator(cli, job);
  LinePatience patience;
  while (true) {
    auto runs = WatchStart(cli, job, patience);
    if (runs || !MayPass(runs.error()) || !patience.Wait()) return runs;
  }
}

// The exit code of an interactive job that has ended while nobody was attached to it.
std::optional<int> ExitCodeAfterwards(Cli& cli, const std::string& job) {
  const auto client = OpenController(cli.server);
  if (!client) return std::nullopt;
  v1::GetJobRequest request;
  request.set_job_id(job);
  const auto seen = (*client)->Call<v1::Job>("GetJob", request);
  if (!seen || !IsOver(*seen) || !seen->has_exit_code()) return std::nullopt;
  return seen->exit_code();
}

Error WithoutProcess(Error error, const ExecOptions& options, bool has_begun) {
  error.message = has_begun
                      ? "the connection to the process in " + options.job +
                            " broke; the process ends within 30 s, if it has not: " + error.message
                      : "nothing was started in " + options.job + ": " + error.message;
  return error;
}

}  // namespace

int RunExec(Cli& cli, const ExecOptions& options) {
  ExecLine line(options);
  std::optional<UserInput> input;
  leaving = 0;
  const auto ended = ConverseOn(cli, line, input, options.pty);
  const bool has_begun = input.has_value();
  input.reset();
  if (ended && !line.was_missed()) return *ended;
  if (leaving != 0) return 128 + leaving;
  const bool was_there = line.heard() > 0;
  if (options.as_main && was_there) {
    if (const auto exit_code = ExitCodeAfterwards(cli, options.job)) {
      cli.Say(options.job + " ended while no controller answered; its last output may be missing");
      return *exit_code;
    }
  }
  if (ended) return *ended;
  Error error = ended.error();
  if (!has_begun || (was_there && error.code == ErrorCode::kUnavailable))
    error = WithoutProcess(error, options, has_begun);
  cli.Complain(error);
  return has_begun && HasPlatformFailed(error) ? kExitPlatform : cli.exit_code;
}

int RunInteractive(Cli& cli, const std::string& job, const std::vector<std::string>& argv) {
  const auto runs = AwaitStart(cli, job);
  if (!runs) {
    cli.Complain(runs.error());
    return cli.exit_code;
  }
  if (!*runs) {
    cli.Complain(Conflict(job + " ended before it could be entered"));
    return kExitPlatform;
  }
  return RunExec(cli, {job, 0, argv, true, true});
}

}  // namespace gp
