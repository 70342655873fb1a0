#include "supervisor/process/exec_session.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "base/ignore_result.h"
#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

Status OpenPipe(Descriptor& read_end, Descriptor& write_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Fail(SystemError("cannot make a pipe", errno));
  read_end.Reset(ends[0]);
  write_end.Reset(ends[1]);
  return Ok();
}

Status OpenPipes(ExecSession& session) {
  session.for_caller.resize(3);
  session.for_child.resize(3);
  GP_CHECK_OK(OpenPipe(session.for_child[0], session.for_caller[0]));
  GP_CHECK_OK(OpenPipe(session.for_caller[1], session.for_child[1]));
  return OpenPipe(session.for_caller[2], session.for_child[2]);
}

Status OpenTerminal(ExecSession& session, const ExecSpec& spec, uint32_t owner) {
  Descriptor terminal(open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
  const int unlock = 0;
  if (!terminal.valid() || ioctl(terminal.get(), TIOCSPTLCK, &unlock) != 0) {
    return Fail(SystemError("cannot open a pseudo-terminal", errno));
  }
  Descriptor peer(ioctl(terminal.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!peer.valid()) return Fail(SystemError("cannot open a pseudo-terminal", errno));
  winsize size = {};
  size.ws_row = static_cast<uint16_t>(spec.rows);
  size.ws_col = static_cast<uint16_t>(spec.columns);
  ioctl(terminal.get(), TIOCSWINSZ, &size);
  if (fchown(peer.get(), owner, static_cast<gid_t>(-1)) != 0) {
    return Fail(SystemError("cannot give the terminal to its user", errno));
  }
  session.for_caller.push_back(Descriptor(fcntl(terminal.get(), F_DUPFD_CLOEXEC, 3)));
  session.for_caller.push_back(std::move(terminal));
  session.for_child.push_back(std::move(peer));
  return Ok();
}

std::string_view NameOf(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

}  // namespace

Result<ExecSession> ExecSession::Open(uint64_t id, const ExecSpec& spec, uint32_t owner) {
  ExecSession session;
  session.id = id;
  session.pty = spec.pty;
  GP_CHECK_OK(spec.pty ? OpenTerminal(session, spec, owner) : OpenPipes(session));
  Descriptor exit_for_caller;
  GP_CHECK_OK(OpenPipe(exit_for_caller, session.exit_status));
  session.for_caller.push_back(std::move(exit_for_caller));
  return session;
}

void ExecSession::AttachTo(ChildPlan& plan) const {
  plan.terminal = pty;
  plan.input = for_child.front().get();
  plan.output = for_child[pty ? 0 : 1].get();
  plan.errors = for_child.back().get();
}

std::vector<int> ExecSession::CallerEnds() const {
  std::vector<int> ends;
  for (const Descriptor& end : for_caller) ends.push_back(end.get());
  return ends;
}

void ExecSession::ReportExit(int wait_status) {
  const int32_t code =
      WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
  // SIGPIPE is blocked, so a caller that is gone does no harm.
  IgnoreResult(write(exit_status.get(), &code, sizeof code), "the reader sees the end of the pipe");
  exit_status.Reset();
}

std::vector<std::string> MergeEnvironment(const std::vector<std::string>& base,
                                          const std::vector<std::string>& added) {
  std::vector<std::string> merged = added;
  for (const std::string& variable : base) {
    const bool replaced = std::ranges::any_of(
        added, [&](const std::string& other) { return NameOf(other) == NameOf(variable); });
    if (!replaced) merged.push_back(variable);
  }
  return merged;
}

}  // namespace gp
