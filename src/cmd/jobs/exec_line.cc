#include "cmd/jobs/exec_line.h"

#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace gp {
namespace {

// Less than what a connection holds for one stream, so that a write never waits for the process.
constexpr size_t kUntakenMax = 32 << 10;  // bytes
constexpr size_t kAcknowledgeEvery = 32 << 10;

std::string NewSession() {
  unsigned char bytes[16] = {};
  while (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) {
  }
  constexpr char kDigits[] = "0123456789abcdef";
  std::string name;
  for (const unsigned char byte : bytes) {
    name += kDigits[byte >> 4];
    name += kDigits[byte & 15];
  }
  return name;
}

v1::ExecInput StartOf(const ExecOptions& options) {
  v1::ExecInput first;
  v1::ExecInput::Start* start = first.mutable_start();
  start->set_job_id(options.job);
  start->set_rank(options.rank);
  for (const std::string& word : options.argv) start->add_argv(word);
  start->set_pty(options.pty);
  start->set_as_main(options.as_main);
  winsize size{};
  ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  start->set_rows(size.ws_row);
  start->set_columns(size.ws_col);
  const char* terminal = std::getenv("TERM");
  start->set_terminal(terminal == nullptr ? "" : terminal);
  return first;
}

void WriteAll(int fd, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // nobody reads it any more
    done += static_cast<size_t>(n);
  }
}

}  // namespace

ExecLine::ExecLine(ExecOptions options) : options_(std::move(options)), session_(NewSession()) {}

bool ExecLine::Write(const v1::ExecInput& message) {
  return stream_ != nullptr && stream_->Write(message);
}

void ExecLine::Begin(ExecStream& stream) {
  const std::lock_guard lock(mutex_);
  stream_ = &stream;
  v1::ExecInput first = StartOf(options_);
  first.mutable_start()->set_session(session_);
  first.mutable_start()->set_attach(has_started_);
  first.mutable_start()->set_received(received_);
  if (!Write(first)) return;
  for (const v1::ExecInput& message : untaken_) Write(message);
}

void ExecLine::End() {
  const std::lock_guard lock(mutex_);
  if (stream_ != nullptr) stream_->WritesDone();
  stream_ = nullptr;
}

bool ExecLine::MayAttach() {
  const std::lock_guard lock(mutex_);
  return heard_ > 0 && has_session_ && !is_hung_up_;
}

uint64_t ExecLine::heard() {
  const std::lock_guard lock(mutex_);
  return heard_;
}

void ExecLine::Send(v1::ExecInput message) {
  const std::lock_guard lock(mutex_);
  if (message.what_case() != v1::ExecInput::kResize) {
    message.set_number(++sent_);
    if (has_session_) {
      untaken_.push_back(message);
      untaken_bytes_ += message.data().size();
    }
  }
  Write(message);
}

bool ExecLine::HasRoom() {
  const std::lock_guard lock(mutex_);
  return untaken_bytes_ < kUntakenMax;
}

void ExecLine::HangUp() {
  const std::lock_guard lock(mutex_);
  is_hung_up_ = true;
  v1::ExecInput message;
  message.set_hang_up(true);
  Write(message);
}

void ExecLine::Note(const v1::ExecOutput& output) {
  const std::lock_guard lock(mutex_);
  ++heard_;
  if (output.what_case() == v1::ExecOutput::kTaken) {
    has_started_ = true;
    while (!untaken_.empty() && untaken_.front().number() <= output.taken()) {
      untaken_bytes_ -= untaken_.front().data().size();
      untaken_.pop_front();
    }
    return;
  }
  if (output.number() == 0) {
    has_session_ = false;
    untaken_.clear();
    untaken_bytes_ = 0;
    return;
  }
  received_ = output.number();
  unacknowledged_bytes_ += output.ByteSizeLong();
  const bool is_last = output.what_case() == v1::ExecOutput::kExitCode;
  if (!is_last && unacknowledged_bytes_ < kAcknowledgeEvery) return;
  unacknowledged_bytes_ = 0;
  v1::ExecInput message;
  message.set_received(received_);
  Write(message);
}

int ExecLine::Print(ExecStream& stream) {
  v1::ExecOutput output;
  while (stream.Read(&output)) {
    // Before it is acknowledged: what is acknowledged does not come again.
    WriteAll(STDOUT_FILENO, output.output());
    WriteAll(STDERR_FILENO, output.errors());
    Note(output);
    if (output.what_case() == v1::ExecOutput::kExitCode) return output.exit_code();
  }
  return -1;
}

}  // namespace gp
