#include "adapters/outbound/grpc/running_exec.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <iterator>
#include <thread>

#include "base/ignore_result.h"

namespace gp {
namespace {

constexpr size_t kUnreceivedMax = 256 << 10;  // bytes
constexpr int kDrainMs = 50;
constexpr size_t kUnpassedMax = 64 << 10;  // bytes, more than a client sends at once
constexpr size_t kSessionLength = 32;
constexpr int32_t kUnknownExit = 255;

void MakeNonBlocking(int fd) {
  if (fd >= 0) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

}  // namespace

RunningExec::Visit::Visit(ExecPeer& its_peer)
    : peer(its_peer), wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void RunningExec::Visit::Wake() const {
  const uint64_t one = 1;
  IgnoreResult(write(wake.get(), &one, sizeof one), "a descriptor that is full wakes, too");
}

Status RunningExec::Start(const std::function<Result<ExecStreams>()>& start, bool pty) {
  const std::lock_guard starting(starting_);
  if (started_) return *started_;
  const Result<ExecStreams> opened = start();
  if (!opened) return *(started_ = Fail(opened.error()));
  const std::lock_guard lock(mutex_);
  pty_ = pty;
  // Each direction closes its own descriptor.
  const bool is_shared = opened->input == opened->output;
  input_.Reset(is_shared ? fcntl(opened->output, F_DUPFD_CLOEXEC, 3) : opened->input);
  output_.Reset(opened->output);
  errors_.Reset(opened->errors);
  exit_status_.Reset(opened->exit_status);
  for (const Descriptor* end : {&input_, &output_, &errors_}) MakeNonBlocking(end->get());
  return *(started_ = Ok());
}

void RunningExec::CloseAll() {
  is_hung_up_ = true;
  for (Descriptor* end : {&input_, &output_, &errors_, &exit_status_}) end->Reset();
  if (visit_ != nullptr) visit_->Wake();
  changed_.notify_all();
}

void RunningExec::Close() {
  const std::lock_guard lock(mutex_);
  CloseAll();
}

bool RunningExec::CloseUnlessUserAfter(uint64_t user, std::chrono::milliseconds within) {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, within, [&] { return users_ > user; })) return false;
  CloseAll();
  return true;
}

void RunningExec::Enter(Visit& visit, const ExecUser& user) {
  const std::lock_guard lock(mutex_);
  visit.number = ++users_;
  if (visit_ != nullptr) {
    visit_->peer.Break();
    visit_->Wake();
  }
  visit_ = &visit;
  changed_.notify_all();
  Forget(user.received);
  if (user.rows > 0 && user.columns > 0) Resize(user.rows, user.columns);
}

void RunningExec::Leave(Visit& visit) {
  const std::lock_guard lock(mutex_);
  if (visit_ == &visit) visit_ = nullptr;
  changed_.notify_all();
}

RunningExec::Parting RunningExec::Serve(ExecPeer& peer, const ExecUser& user) {
  Visit visit(peer);
  Enter(visit, user);
  std::thread input([&] { ReadInput(visit); });
  const Left left = WriteOutput(visit);
  Leave(visit);
  peer.End();
  input.join();
  return {left, visit.number};
}

// Input, on a thread of its own.

void RunningExec::ReadInput(Visit& visit) {
  v1::ExecInput message;
  while (visit.peer.Read(&message)) Take(visit, message);
  {
    const std::lock_guard lock(mutex_);
    visit.is_lost = true;
  }
  visit.Wake();
}

void RunningExec::Resize(int rows, int columns) const {
  winsize size{};
  size.ws_row = static_cast<unsigned short>(rows);
  size.ws_col = static_cast<unsigned short>(columns);
  if (pty_ && input_.valid()) ioctl(input_.get(), TIOCSWINSZ, &size);
}

void RunningExec::Take(const Visit& visit, const v1::ExecInput& message) {
  {
    std::unique_lock lock(mutex_);
    Keep(lock, visit, message);
  }
  visit.Wake();
}

// A session's user has little input on the way, so acknowledgements behind it are heard at once,
// whether the process reads or not.  Without a session this waits for the process.
void RunningExec::Keep(std::unique_lock<std::mutex>& lock, const Visit& visit,
                       const v1::ExecInput& message) {
  const auto may_keep = [&] { return unpassed_bytes_ < kUnpassedMax || !IsServed(visit); };
  switch (message.what_case()) {
    case v1::ExecInput::kResize: return Resize(message.resize() >> 16, message.resize() & 0xffff);
    case v1::ExecInput::kReceived: return Forget(message.received());
    case v1::ExecInput::kHangUp: is_hung_up_ = is_hung_up_ || visit_ == &visit; return;
    case v1::ExecInput::kData:
    case v1::ExecInput::kEndOfInput:
      changed_.wait(lock, may_keep);
      // What comes again was kept over a connection before.
      if (!IsServed(visit)) return;
      if (is_attachable_ && message.number() != taken_ + unpassed_.size() + 1) return;
      unpassed_.push_back({message.data(), message.end_of_input()});
      unpassed_bytes_ += message.data().size();
      return;
    default: return;
  }
}

// Output, on the caller's thread.

void RunningExec::Forget(uint64_t received) {
  while (!unreceived_.empty() && unreceived_.front().number() <= received) {
    unreceived_bytes_ -= unreceived_.front().ByteSizeLong();
    unreceived_.pop_front();
  }
}

void RunningExec::Number(v1::ExecOutput& output) {
  if (!is_attachable_) return;
  output.set_number(++sent_);
  unreceived_.push_back(output);
  unreceived_bytes_ += output.ByteSizeLong();
}

std::optional<RunningExec::Left> RunningExec::HasLeft(const Visit& visit) {
  const std::lock_guard lock(mutex_);
  if (is_hung_up_) return Left::kHungUp;
  if (visit_ != &visit) return Left::kLost;
  if (visit.is_lost) return is_attachable_ ? Left::kLost : Left::kHungUp;
  return std::nullopt;
}

bool RunningExec::HasNewlyTaken(const Visit& visit) {
  const std::lock_guard lock(mutex_);
  return is_attachable_ && IsServed(visit) && told_ < taken_;
}

bool RunningExec::IsExitSent() {
  const std::lock_guard lock(mutex_);
  return is_exit_sent_;
}

bool RunningExec::IsOver() {
  const std::lock_guard lock(mutex_);
  return is_exit_sent_ && unreceived_.empty();
}

bool RunningExec::SendTaken(Visit& visit) {
  v1::ExecOutput output;
  {
    const std::lock_guard lock(mutex_);
    if (!IsServed(visit)) return true;
    told_ = taken_;
    output.set_taken(taken_);
  }
  return visit.peer.Write(output);
}

// What the user of a session begins with: how much input has been taken, and the output that is
// missing.
bool RunningExec::SendAgain(Visit& visit) {
  if (!is_attachable_) return true;
  std::deque<v1::ExecOutput> again;
  {
    const std::lock_guard lock(mutex_);
    again = unreceived_;
  }
  return SendTaken(visit) && std::ranges::all_of(again, [&](const v1::ExecOutput& one) {
           return visit.peer.Write(one);
         });
}

// False: the user is gone.  At the end of the output its descriptor is closed.
bool RunningExec::ReadOutput(Visit& visit, Descriptor& from, bool is_errors) {
  v1::ExecOutput output;
  {
    const std::lock_guard lock(mutex_);
    if (!IsServed(visit) || !from.valid()) return true;
    char buffer[32 << 10];
    const ssize_t n = read(from.get(), buffer, sizeof buffer);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (n <= 0) {
      from.Reset();
      return true;
    }
    (is_errors ? output.mutable_errors() : output.mutable_output())
        ->assign(buffer, static_cast<size_t>(n));
    Number(output);
  }
  return visit.peer.Write(output);
}

void RunningExec::ReadExitCode(const Visit& visit) {
  const std::lock_guard lock(mutex_);
  if (!IsServed(visit) || !exit_status_.valid()) return;
  int32_t code = kUnknownExit;
  const bool is_whole = read(exit_status_.get(), &code, sizeof code) == ssize_t{sizeof code};
  exit_code_ = is_whole ? code : kUnknownExit;
  exit_status_.Reset();
}

bool RunningExec::SendExitCode(Visit& visit) {
  v1::ExecOutput output;
  {
    const std::lock_guard lock(mutex_);
    if (!IsServed(visit)) return true;
    output.set_exit_code(exit_code_.value_or(kUnknownExit));
    Number(output);
    is_exit_sent_ = true;
  }
  return visit.peer.Write(output);
}

// As much as the process takes now.
void RunningExec::PassInput(const Visit& visit) {
  const std::lock_guard lock(mutex_);
  while (IsServed(visit) && !unpassed_.empty()) {
    Unpassed& first = unpassed_.front();
    while (!first.bytes.empty() && input_.valid()) {
      const ssize_t n = write(input_.get(), first.bytes.data(), first.bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && errno == EAGAIN) return;
      const size_t passed = n > 0 ? static_cast<size_t>(n) : first.bytes.size();
      if (n <= 0) input_.Reset();  // nobody reads it any more
      unpassed_bytes_ -= passed;
      first.bytes.erase(0, passed);
    }
    unpassed_bytes_ -= first.bytes.size();
    // A pipe: the process sees the end.
    if (first.is_end && !pty_) input_.Reset();
    unpassed_.pop_front();
    ++taken_;
    changed_.notify_all();
  }
}

// Waits for something, and passes it on.  False: the user is gone.
bool RunningExec::PassOutput(Visit& visit) {
  pollfd fds[5] = {};
  int wait_ms = -1;
  {
    const std::lock_guard lock(mutex_);
    const bool has_room = unreceived_bytes_ < kUnreceivedMax;
    fds[0] = {has_room ? output_.get() : -1, POLLIN, 0};
    fds[1] = {has_room ? errors_.get() : -1, POLLIN, 0};
    fds[2] = {exit_status_.get(), POLLIN, 0};
    fds[3] = {visit.wake.get(), POLLIN, 0};
    fds[4] = {unpassed_.empty() ? -1 : input_.get(), POLLOUT, 0};
    // After the process has ended, its pipes are drained; one that it left behind may hold them
    // open.
    if (exit_code_ && has_room) wait_ms = output_.valid() || errors_.valid() ? kDrainMs : 0;
  }
  const int ready = poll(fds, std::size(fds), wait_ms);
  if (ready < 0) return errno == EINTR;
  if (ready == 0) return SendExitCode(visit);
  uint64_t drained = 0;
  if (fds[3].revents != 0)
    IgnoreResult(read(visit.wake.get(), &drained, sizeof drained), "only the wake-up matters");
  if (fds[0].revents != 0 && !ReadOutput(visit, output_, false)) return false;
  if (fds[1].revents != 0 && !ReadOutput(visit, errors_, true)) return false;
  if (fds[2].revents != 0) ReadExitCode(visit);
  PassInput(visit);
  return !HasNewlyTaken(visit) || SendTaken(visit);
}

void RunningExec::AwaitChange(const Visit& visit) const {
  pollfd ready{visit.wake.get(), POLLIN, 0};
  poll(&ready, 1, -1);
  uint64_t drained = 0;
  IgnoreResult(read(visit.wake.get(), &drained, sizeof drained), "only the wake-up matters");
}

RunningExec::Left RunningExec::WriteOutput(Visit& visit) {
  bool is_there = SendAgain(visit);
  while (true) {
    if (IsOver()) return Left::kOver;
    if (const auto left = HasLeft(visit)) return *left;
    if (!is_there) return is_attachable_ ? Left::kLost : Left::kHungUp;
    if (IsExitSent()) {
      AwaitChange(visit);
    } else {
      is_there = PassOutput(visit);
    }
  }
}

Result<std::shared_ptr<RunningExec>> ExecSessions::Find(const std::string& session, LeaseId lease,
                                                        bool must_exist) {
  const bool is_name = session.size() == kSessionLength &&
                       std::ranges::all_of(session, [](unsigned char c) { return isxdigit(c); });
  if (!is_name) return Fail(InvalidArgument("a session is named by 32 hexadecimal digits"));
  const std::lock_guard lock(mutex_);
  const auto found = execs_.find(session);
  if (found == execs_.end() && must_exist)
    return Fail(NotFound("the process has ended: nobody attached to it within " +
                         std::to_string(kAttachWithin.count()) + " s, or its agent restarted"));
  if (found == execs_.end())
    return execs_.emplace(session, std::make_shared<RunningExec>(lease, true)).first->second;
  if (found->second->lease() != lease)
    return Fail(Conflict("this session belongs to another attempt"));
  return found->second;
}

void ExecSessions::Forget(const std::string& session, const std::shared_ptr<RunningExec>& exec) {
  const std::lock_guard lock(mutex_);
  const auto found = execs_.find(session);
  if (found != execs_.end() && found->second == exec) execs_.erase(found);
}

}  // namespace gp
