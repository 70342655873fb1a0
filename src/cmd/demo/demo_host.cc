#include "cmd/demo/demo_host.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/text.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

constexpr int kReadySeconds = 15;
constexpr int kEndSeconds = 5;
constexpr int kPollMs = 20;

// True once `condition` holds; false if it does not within that many seconds.
bool Await(int seconds, const std::function<bool()>& condition) {
  for (int left_ms = seconds * 1000; left_ms > 0; left_ms -= kPollMs) {
    if (condition()) return true;
    poll(nullptr, 0, kPollMs);
  }
  return condition();
}

std::vector<pid_t> ProcessesWhere(const std::function<bool(const fs::path& process)>& holds) {
  std::vector<pid_t> pids;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const auto pid = ParseCount(entry.path().filename().string());
    if (pid && holds(entry.path())) pids.push_back(static_cast<pid_t>(*pid));
  }
  return pids;
}

// Their program is in the agent's state directory. The fork server, of the same program, ends with
// its agent.
std::vector<pid_t> Supervisors(const std::string& directory) {
  return ProcessesWhere([&](const fs::path& process) {
    std::error_code error;
    if (!fs::read_symlink(process / "exe", error).string().starts_with(directory + "/"))
      return false;
    const auto words = ReadTextFile(process / "cmdline");
    return words && words->starts_with("gpu-platform-supervisor");
  });
}

// `serve` and its agents: the directory is on their command lines.
std::vector<pid_t> Servers(const std::string& directory) {
  return ProcessesWhere([&](const fs::path& process) {
    const auto words = ReadTextFile(process / "cmdline");
    return words && words->find(directory + "/state") != std::string::npos;
  });
}

// Attempts that an agent still has: their control groups exist too.
std::vector<std::string> AttemptsKept(const std::string& state) {
  std::vector<std::string> kept;
  std::error_code error;
  for (const auto& agent : fs::directory_iterator(state, error)) {
    for (const auto& attempt : fs::directory_iterator(agent.path() / "attempts", error)) {
      kept.push_back(attempt.path().filename().string());
    }
  }
  return kept;
}

}  // namespace

Result<std::unique_ptr<DemoHost>> DemoHost::Start(const Options& options) {
  // Short, because the length of socket names is limited.  Not in /tmp: jobs have one of their own,
  // and where it is a tmpfs (Debian 13) its mount option nodev closes the simulated devices to all.
  std::string directory = "/var/tmp/gpu-platform-demo.XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) {
    return Fail(Internal("cannot make " + directory + ": " + std::strerror(errno)));
  }
  std::unique_ptr<DemoHost> host(new DemoHost(directory));
  GP_CHECK_OK(host->MakeFiles(options.examples));
  GP_CHECK_OK(host->SpawnServe(options));
  return host;
}

// Of every agent that `serve` may start: this machine's, or one per simulated node.
std::vector<std::string> DemoHost::AgentNames() const {
  std::vector<std::string> names;
  for (const char* agent : {"/state/agent", "/state/agent-0", "/state/agent-1", "/state/agent-2"}) {
    names.push_back(AgentCgroupName(directory_ + agent));
  }
  return names;
}

Status DemoHost::MakeFiles(const std::string& from) {
  GP_CHECK_OK(MakeDirectories(directory_, 0755));
  GP_CHECK_OK(MakeDirectories(examples(), 0755));
  GP_CHECK_OK(MakeDirectories(checkpoints(), 01777));
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(from, error)) {
    if (!entry.is_regular_file()) continue;
    const std::string text = GP_TRY(ReadTextFile(entry.path()));
    const std::string to = examples() + "/" + entry.path().filename().string();
    GP_CHECK_OK(WriteFileForAll(to, text));
  }
  if (error) return Fail(NotFound("no examples in " + from + ": " + error.message()));
  return Ok();
}

Status DemoHost::SpawnServe(const Options& options) {
  std::vector<std::string> words{
      ExecutablePath(),      "serve",     "--config",         "none", "--state",
      directory_ + "/state", "--run-dir", directory_ + "/run"};
  if (!options.simulate.empty()) words.insert(words.end(), {"--simulate", options.simulate});
  if (!options.min_run.empty()) words.insert(words.end(), {"--min-run", options.min_run});
  if (!options.nvml.empty()) words.insert(words.end(), {"--nvml", options.nvml});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string log = directory_ + "/serve.log";
  const pid_t parent = getpid();
  serve_ = fork();
  if (serve_ < 0) return Fail(Internal("cannot start serve: " + std::string(std::strerror(errno))));
  if (serve_ > 0) return Ok();
  // The demo handles Ctrl-C itself: serve must live until the jobs have ended.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  execv(argv[0], argv.data());
  _exit(127);
}

std::string DemoHost::ServeSaid() const {
  const auto text = ReadTextFile(directory_ + "/serve.log");
  if (!text || text->empty()) return "";
  constexpr size_t kEndBytes = 800;
  return "\nserve said: " + text->substr(text->size() > kEndBytes ? text->size() - kEndBytes : 0);
}

namespace {

// A GPU is available once it has been read; on a busy machine that takes a moment.
bool AllInService(const v1::Cluster& cluster) {
  return std::ranges::all_of(cluster.nodes(), [](const v1::Node& node) {
    return std::ranges::all_of(node.gpus(),
                               [](const v1::Gpu& gpu) { return gpu.state() == v1::AVAILABLE; });
  });
}

}  // namespace

Result<v1::Cluster> DemoHost::AwaitNodes(int nodes) {
  Result<v1::Cluster> cluster = Fail(Unavailable("the controller did not start"));
  const bool ready = Await(kReadySeconds, [&] {
    if (waitpid(serve_, nullptr, WNOHANG) == serve_) serve_ = 0;
    cluster = client_.Cluster();
    return serve_ == 0 || (cluster && cluster->nodes_size() >= nodes && AllInService(*cluster));
  });
  if (ready && serve_ != 0) return cluster;
  const std::string what = serve_ == 0 ? "the controller ended at once" : "the nodes did not join";
  return Fail(Unavailable(what + ServeSaid()));
}

// The names of simulated nodes and of their agents' directories end with the same index.
Status DemoHost::Break(const std::string& node, const std::string& fault) {
  const std::string path = directory_ + "/state/agent" + node.substr(node.rfind('-')) + "/faults";
  std::ofstream file(path, std::ios::app);
  file << fault << "\n" << std::flush;
  return file ? Ok() : Fail(Internal(path + ": cannot be written"));
}

std::vector<std::string> DemoHost::DeviceDirectories(int nodes) const {
  std::vector<std::string> directories;
  for (int k = 0; k < nodes; ++k) {
    directories.push_back(directory_ + "/state/agent-" + std::to_string(k) + "/dev");
  }
  return directories;
}

// Stops the jobs through the controller; if it does not answer, through their supervisors, which
// stop their jobs on SIGTERM.
void DemoHost::EndJobs() {
  const auto supervisors = [&] { return Supervisors(directory_); };
  if (serve_ != 0 && client_.KillAll(kEndSeconds)) {
    const std::string state = directory_ + "/state";
    Await(kEndSeconds, [&] { return supervisors().empty() && AttemptsKept(state).empty(); });
  }
  for (const pid_t pid : supervisors()) kill(pid, SIGTERM);
  if (Await(kEndSeconds, [&] { return supervisors().empty(); })) return;
  for (const pid_t pid : supervisors()) kill(pid, SIGKILL);
}

void DemoHost::EndServe() {
  if (serve_ > 0) kill(serve_, SIGTERM);
  const auto servers = [&] {
    if (serve_ > 0 && waitpid(serve_, nullptr, WNOHANG) == serve_) serve_ = 0;
    return Servers(directory_);
  };
  if (Await(kEndSeconds, [&] { return servers().empty(); })) return;
  for (const pid_t pid : servers()) kill(pid, SIGKILL);
  Await(kEndSeconds, [&] { return servers().empty(); });
}

std::vector<std::string> DemoHost::Stop() {
  std::vector<std::string> left;
  if (std::exchange(stopped_, true)) return left;
  EndJobs();
  EndServe();
  for (const pid_t pid : Supervisors(directory_)) {
    left.push_back("process " + std::to_string(pid) + " still runs");
  }
  for (const std::string& path : cgroups_.Remove()) left.push_back(path + " is still in use");
  std::error_code error;
  fs::remove_all(directory_, error);
  if (error) left.push_back(directory_ + ": " + error.message());
  return left;
}

}  // namespace gp
