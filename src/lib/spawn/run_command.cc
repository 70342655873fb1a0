#include "lib/spawn/run_command.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/ignore_result.h"
#include "base/result.h"

extern char** environ;

namespace gp {
namespace {

constexpr int kReadsMax = 1'024;  // between two looks at the time
constexpr int kLockFd = 3;        // in the command
constexpr int kLockTryMs = 20;
constexpr int64_t kOverdueMarginMs = 1'000;

constexpr size_t kErrorsMax = 4'096;

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// A memory file with these bytes, at its beginning; -1: errno has the error.  If the command does
// not read, a pipe would block or kill its writer.
int FileWith(std::string_view bytes) {
  const int file = memfd_create("command", MFD_CLOEXEC);
  for (size_t at = 0; file >= 0 && at < bytes.size();) {
    const ssize_t wrote =
        pwrite(file, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (wrote <= 0) {
      close(file);
      return -1;
    }
    at += static_cast<size_t>(wrote);
  }
  return file;
}

// Descriptors that a command inherits.
struct Inherited {
  int in = -1;
  int out = -1;
  int errors = -1;
  int lock = -1;  // -1: none
};

// As execve takes them.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The command inherits no other descriptors, and no blocked or ignored signals.
int Spawn(std::vector<std::string>& words, Inherited inherited, const CommandOptions& options,
          pid_t& pid) {
  std::vector<char*> argv = Pointers(words);
  std::vector<std::string> variables = options.environment;
  std::vector<char*> environment = Pointers(variables);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, inherited.in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, inherited.out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, inherited.errors, STDERR_FILENO);
  const bool is_locked = inherited.lock >= 0;
  if (is_locked) posix_spawn_file_actions_adddup2(&actions, inherited.lock, kLockFd);
  posix_spawn_file_actions_addclosefrom_np(&actions, kLockFd + (is_locked ? 1 : 0));
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int own_group = options.group == CommandGroup::kOwn ? POSIX_SPAWN_SETPGROUP : 0;
  posix_spawnattr_setflags(
      &attributes, static_cast<short>(own_group | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  const int error = posix_spawnp(&pid, words[0].c_str(), &actions, &attributes, argv.data(),
                                 options.has_environment ? environ : environment.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

// A command that runs, and the pipe that its output comes from.
struct Running {
  pid_t pid = 0;
  int output = -1;
};

// `errors`: -1: they go where the output goes.
Result<Running> Start(std::vector<std::string>& words, int in, int errors, int lock,
                      const CommandOptions& options) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return Fail(Internal(std::strerror(errno)));
  fcntl(ends[1], F_SETFL, 0);  // writes of the command block while the pipe is full
  Running running{.output = ends[0]};
  const Inherited inherited{
      .in = in, .out = ends[1], .errors = errors < 0 ? ends[1] : errors, .lock = lock};
  const int error = Spawn(words, inherited, options, running.pid);
  close(ends[1]);
  if (error == 0) return running;
  close(ends[0]);
  return Fail(Internal(words[0] + ": " + std::strerror(error)));
}

// Reads the available bytes, but not for ever if they keep coming.  False: all writers have closed
// the pipe.
bool ReadSome(int pipe, const CommandOptions& options, std::string& output) {
  char buffer[1'024];
  ssize_t got = 0;
  for (int i = 0; i < kReadsMax && (got = read(pipe, buffer, sizeof buffer)) > 0; ++i) {
    const std::string_view piece(buffer, static_cast<size_t>(got));
    if (options.on_output) {
      options.on_output(piece);
    } else {
      const size_t room = options.output_max - std::min(output.size(), options.output_max);
      output.append(piece.substr(0, room));
    }
  }
  return got > 0 || (got < 0 && errno == EAGAIN);
}

// True: the command itself ended in time; processes that it left behind do not count.
bool AwaitEnd(int process, int pipe, int64_t until_ms, const CommandOptions& options,
              std::string& output) {
  bool is_open = true;
  while (true) {
    const int64_t left = until_ms - NowMs();
    if (left <= 0) return false;
    pollfd descriptors[] = {
        {process, POLLIN, 0}, {is_open ? pipe : -1, POLLIN, 0}, {options.stop_fd, POLLIN, 0}};
    poll(descriptors, 3, static_cast<int>(std::min<int64_t>(left, 1'000)));
    if (is_open) is_open = ReadSome(pipe, options, output);
    if (descriptors[0].revents != 0) {
      if (is_open) ReadSome(pipe, options, output);
      return true;
    }
    if (descriptors[2].revents != 0) return false;
  }
}

bool AwaitEndOf(const Running& running, int64_t until_ms, const CommandOptions& options,
                std::string& output) {
  // Glibc declares it only for C
  const int process = static_cast<int>(syscall(SYS_pidfd_open, running.pid, 0));
  const bool in_time = process >= 0 && AwaitEnd(process, running.output, until_ms, options, output);
  if (process >= 0) close(process);
  return in_time;
}

// A process that hangs in the kernel does not even die, so this waits only briefly.
void Kill(pid_t pid, CommandGroup group) {
  kill(group == CommandGroup::kOwn ? -pid : pid, SIGKILL);
  for (int tries = 0; tries < 100 && waitpid(pid, nullptr, WNOHANG) == 0; ++tries)
    poll(nullptr, 0, 2);
}

// Output apart from errors is data, and stays as it is.
CommandEnd EndOf(const std::string& name, pid_t pid, std::string output, bool is_data) {
  int status = 0;
  waitpid(pid, &status, 0);
  while (!is_data && !output.empty() && output.back() == '\n') output.pop_back();
  const bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return {ok, !ok && output.empty() ? name + " failed" : std::move(output), ""};
}

// Closes the file; -1: none.
std::string TakeBeginning(int file) {
  std::string text(kErrorsMax, '\0');
  const ssize_t got = file >= 0 ? pread(file, text.data(), text.size(), 0) : 0;
  if (file >= 0) close(file);
  text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

// The processes that a command's lock was handed down to: all have it at kLockFd.
std::vector<pid_t> HoldersOf(const std::string& path) {
  std::vector<pid_t> holders;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    const pid_t pid = std::atoi(name.c_str());
    if (pid <= 1 || pid == getpid()) continue;
    const auto held =
        std::filesystem::read_symlink(entry.path() / "fd" / std::to_string(kLockFd), error);
    if (!error && held == path) holders.push_back(pid);
  }
  return holders;
}

// A lock that a command inherits.  The file has the time at which its holder is overdue.
class CommandLock {
 public:
  CommandLock() = default;
  ~CommandLock() {
    if (file_ >= 0) close(file_);
  }
  CommandLock(const CommandLock&) = delete;
  CommandLock& operator=(const CommandLock&) = delete;

  // An empty path: no lock is wanted.
  Status Take(const std::string& path, int64_t until_ms, int stop_fd) {
    if (path.empty()) return Ok();
    file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file_ < 0) return Fail(Internal(path + ": " + std::strerror(errno)));
    while (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      EndOverdue(path);
      pollfd stop{stop_fd, POLLIN, 0};
      if (NowMs() >= until_ms || poll(&stop, 1, kLockTryMs) > 0)
        return Fail(Unavailable("an earlier command" + HoldersText(path) +
                                " still runs and holds " + path));
    }
    return Ok();
  }
  // By then the caller has ended the command, unless it has been killed itself.
  void NoteOverdue(int64_t at_ms) const {
    if (file_ < 0) return;
    const std::string text = std::to_string(at_ms) + "\n";
    // If that fails, nobody ends an overdue command: whoever waits says which it is.
    IgnoreResult(ftruncate(file_, 0), "an older time is earlier");
    IgnoreResult(pwrite(file_, text.data(), text.size(), 0), "the file is small");
  }
  // For a command that has ended: what it left behind keeps nothing waiting.  Without this the lock
  // lasts until the last process that inherited it has ended.
  void Release() {
    if (file_ >= 0) flock(file_, LOCK_UN);
  }
  int descriptor() const { return file_; }

 private:
  // Ends what a killed caller has left behind, beyond its time limit.
  void EndOverdue(const std::string& path) const {
    char text[32] = "";
    if (pread(file_, text, sizeof text - 1, 0) <= 0) return;
    if (NowMs() < std::strtoll(text, nullptr, 10) + kOverdueMarginMs) return;
    for (const pid_t pid : HoldersOf(path)) kill(pid, SIGKILL);
  }
  static std::string HoldersText(const std::string& path) {
    std::string text;
    for (const pid_t pid : HoldersOf(path)) text += " " + std::to_string(pid);
    return text.empty() ? "" : " (process" + text + ")";
  }

  int file_ = -1;
};

}  // namespace

CommandEnd RunCommand(std::vector<std::string> words, const CommandOptions& options) {
  if (words.empty()) return {false, "no command is configured for it", ""};
  CommandLock lock;
  const int64_t lock_until_ms = NowMs() + options.lock_wait.ns / 1'000'000;
  if (const Status taken = lock.Take(options.lock_file, lock_until_ms, options.stop_fd); !taken)
    return {false, taken.error().message, ""};
  if (options.before_start) options.before_start();
  const int in = FileWith(options.input);
  if (in < 0) return {false, std::strerror(errno), ""};
  const int64_t until_ms = NowMs() + options.time_limit.ns / 1'000'000;
  lock.NoteOverdue(until_ms);
  const int errors = options.separate_errors ? FileWith("") : -1;
  const Result<Running> running = Start(words, in, errors, lock.descriptor(), options);
  close(in);
  std::string output;
  const bool in_time = running.has_value() && AwaitEndOf(*running, until_ms, options, output);
  const std::string said = TakeBeginning(errors);
  if (!running.has_value()) return {false, running.error().message, ""};
  close(running->output);
  if (in_time) {
    lock.Release();
    CommandEnd end = EndOf(words[0], running->pid, std::move(output), options.separate_errors);
    end.errors = said;
    return end;
  }
  Kill(running->pid, options.group);
  return {false, words[0] + " did not end within " + ToText(options.time_limit), said};
}

}  // namespace gp
