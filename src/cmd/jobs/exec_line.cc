#include "cmd/jobs/exec_line.h"

#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "base/text.h"

namespace gp {
namespace {

// Less than what a connection holds for one stream, so that a write never waits for the process.
constexpr size_t kUntakenMax = 32 << 10;  // bytes
constexpr size_t kAcknowledgeEvery = 32 << 10;
constexpr std::chrono::seconds kTellWithin{1};  // that the user leaves

std::string NewSession() {
  unsigned char bytes[16] = {};
  while (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) {
  }
  return ToHex(bytes);
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

bool ExecLine::Begin(grpc::ClientContext& context, ExecStream& stream) {
  const std::lock_guard writing(writing_);
  v1::ExecInput first = StartOf(options_);
  std::deque<v1::ExecInput> again;
  {
    const std::lock_guard lock(mutex_);
    if (is_hung_up_) return false;
    context_ = &context;
    first.mutable_start()->set_session(session_);
    first.mutable_start()->set_attach(has_started_);
    first.mutable_start()->set_received(received_);
    again = untaken_;
  }
  stream_ = &stream;
  if (!stream.Write(first)) return true;
  for (const v1::ExecInput& message : again) stream.Write(message);
  return true;
}

void ExecLine::End() {
  const std::lock_guard writing(writing_);
  if (stream_ != nullptr) stream_->WritesDone();
  stream_ = nullptr;
  const std::lock_guard lock(mutex_);
  context_ = nullptr;
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
  const std::lock_guard writing(writing_);
  if (message.what_case() != v1::ExecInput::kResize) {
    const std::lock_guard lock(mutex_);
    message.set_number(++sent_);
    if (has_session_) {
      untaken_.push_back(message);
      untaken_bytes_ += message.data().size();
    }
  }
  if (stream_ != nullptr) stream_->Write(message);
}

bool ExecLine::HasRoom() {
  const std::lock_guard lock(mutex_);
  return untaken_bytes_ < kUntakenMax;
}

void ExecLine::HangUp() {
  bool is_told = false;
  {
    const std::lock_guard lock(mutex_);
    is_hung_up_ = true;
    is_told = has_session_ && heard_ > 0;
  }
  if (!is_told) return Cancel();
  v1::ExecInput message;
  message.set_hang_up(true);
  const std::unique_lock writing(writing_, kTellWithin);
  if (!writing.owns_lock()) return Cancel();
  if (stream_ != nullptr) stream_->Write(message);
}

bool ExecLine::was_missed() {
  const std::lock_guard lock(mutex_);
  return was_missed_;
}

void ExecLine::Cancel() {
  const std::lock_guard lock(mutex_);
  if (context_ != nullptr) context_->TryCancel();
}

uint64_t ExecLine::Note(const v1::ExecOutput& output) {
  const std::lock_guard lock(mutex_);
  ++heard_;
  if (output.what_case() == v1::ExecOutput::kTaken) {
    has_started_ = true;
    while (!untaken_.empty() && untaken_.front().number() <= output.taken()) {
      untaken_bytes_ -= untaken_.front().data().size();
      untaken_.pop_front();
    }
    return 0;
  }
  if (output.number() == 0) {
    has_session_ = false;
    was_missed_ = has_started_;
    untaken_.clear();
    untaken_bytes_ = 0;
    return 0;
  }
  received_ = output.number();
  unacknowledged_bytes_ += output.ByteSizeLong();
  const bool is_last = output.what_case() == v1::ExecOutput::kExitCode;
  if (!is_last && unacknowledged_bytes_ < kAcknowledgeEvery) return 0;
  unacknowledged_bytes_ = 0;
  return received_;
}

int ExecLine::Print(ExecStream& stream) {
  v1::ExecOutput output;
  while (stream.Read(&output)) {
    // Before it is acknowledged: what is acknowledged does not come again.
    WriteAll(STDOUT_FILENO, output.output());
    WriteAll(STDERR_FILENO, output.errors());
    if (const uint64_t received = Note(output)) {
      v1::ExecInput message;
      message.set_received(received);
      const std::lock_guard writing(writing_);
      stream.Write(message);
    }
    if (output.what_case() == v1::ExecOutput::kExitCode) return output.exit_code();
  }
  return -1;
}

}  // namespace gp
