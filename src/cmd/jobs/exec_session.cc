#include "cmd/jobs/exec_session.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/ignore_result.h"
#include "cmd/connection/controller_line.h"
#include "cmd/jobs/line_patience.h"
#include "cmd/jobs/narrate_job.h"
#include "cmd/text/job_text.h"
#include "files/descriptor.h"

namespace gp {
namespace {

volatile std::sig_atomic_t window_changed = 0;

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

winsize WindowSize() {
  winsize size{};
  ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  return size;
}

using Stream = grpc::ClientReaderWriter<v1::ExecInput, v1::ExecOutput>;

// Sends keys and sizes until the input ends or `stop_fd` signals that the process has ended.
void SendInput(Stream& stream, int stop_fd) {
  bool open = true;
  while (true) {
    pollfd fds[] = {{stop_fd, POLLIN, 0}, {open ? STDIN_FILENO : -1, POLLIN, 0}};
    poll(fds, 2, 250);
    if (fds[0].revents != 0) break;
    v1::ExecInput message;
    if (window_changed != 0) {
      window_changed = 0;
      const winsize size = WindowSize();
      message.set_resize(size.ws_row << 16 | size.ws_col);
      stream.Write(message);
    }
    if (fds[1].revents == 0) continue;
    char buffer[4096];
    const ssize_t n = read(STDIN_FILENO, buffer, sizeof buffer);
    if (n > 0) {
      message.set_data(buffer, static_cast<size_t>(n));
    } else {
      message.set_end_of_input(true);
      open = false;
    }
    if (!stream.Write(message)) break;
  }
  stream.WritesDone();
}

void SendStart(Stream& stream, const ExecOptions& options) {
  v1::ExecInput first;
  v1::ExecInput::Start* start = first.mutable_start();
  start->set_job_id(options.job);
  start->set_rank(options.rank);
  for (const std::string& word : options.argv) start->add_argv(word);
  start->set_pty(options.pty);
  start->set_as_main(options.as_main);
  const winsize size = WindowSize();
  start->set_rows(size.ws_row);
  start->set_columns(size.ws_col);
  const char* terminal = std::getenv("TERM");
  start->set_terminal(terminal == nullptr ? "" : terminal);
  stream.Write(first);
}

Result<v1::Control::Stub*> OpenStreams(Cli& cli, grpc::ClientContext& context) {
  ControlClient* client = GP_TRY(cli.Controller());
  return client->Streams(context);
}

// Prints what arrives until the process ends; its exit code, -1: the stream ended first.
int CopyOutput(Stream& stream) {
  int exit_code = -1;
  v1::ExecOutput output;
  while (exit_code < 0 && stream.Read(&output)) {
    if (output.what_case() == v1::ExecOutput::kExitCode) exit_code = output.exit_code();
    IgnoreResult(write(STDOUT_FILENO, output.output().data(), output.output().size()),
                 "nobody reads it any more");
    IgnoreResult(write(STDERR_FILENO, output.errors().data(), output.errors().size()),
                 "nobody reads it any more");
  }
  return exit_code;
}

// Connects the process with this terminal or these pipes until it ends; its exit code, as above.
int ConnectProcess(Stream& stream, bool pty) {
  const Descriptor stop(eventfd(0, EFD_CLOEXEC));
  const RawTerminal raw(pty && isatty(STDIN_FILENO) != 0);
  std::signal(SIGWINCH, [](int) { window_changed = 1; });
  std::thread input([&] { SendInput(stream, stop.get()); });
  const int exit_code = CopyOutput(stream);
  const uint64_t one = 1;
  IgnoreResult(write(stop.get(), &one, sizeof one),
               "a descriptor that is full wakes its reader, too");
  input.join();
  return exit_code;
}

grpc::Status FinishStream(Stream& stream) {
  v1::ExecOutput rest;
  while (stream.Read(&rest)) {
  }
  return stream.Finish();
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

// A process inside a job belongs to the connection that started it, so no other controller can go
// on with it.  Whether it was started is known only if something came from it.
Error WithoutController(const Error& error, const ExecOptions& options) {
  return Unavailable("the connection to the controller broke; if the process in " + options.job +
                     " had started, it has ended with it: start it again (" + error.message + ")");
}

// No controller was reached.
Error NotStarted(Error error, const ExecOptions& options) {
  error.message = "nothing was started in " + options.job + ": " + error.message;
  return error;
}

}  // namespace

int RunExec(Cli& cli, const ExecOptions& options) {
  grpc::ClientContext context;
  const auto stub = OpenStreams(cli, context);
  if (!stub) {
    cli.Complain(NotStarted(stub.error(), options));
    return cli.exit_code;
  }
  const auto stream = (*stub)->Exec(&context);
  SendStart(*stream, options);
  const int exit_code = ConnectProcess(*stream, options.pty);
  const grpc::Status status = FinishStream(*stream);
  if (exit_code >= 0) return exit_code;
  Error error = ControlClient::ErrorOf(status);
  if (ControlClient::IsLost(status)) error = WithoutController(error, options);
  cli.Complain(error);
  return HasPlatformFailed(error) ? kExitPlatform : cli.exit_code;
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
