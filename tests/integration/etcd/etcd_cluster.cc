#include "tests/integration/etcd/etcd_cluster.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "etcd_api.grpc.pb.h"

namespace gp {
namespace {

constexpr const char* kEtcd = "/usr/bin/etcd";
constexpr int kStartsMax = 3;  // another program may take a port between its choice and its use

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

// All different, for all are open at once.
std::vector<int> FreePorts(size_t count) {
  std::vector<int> sockets;
  std::vector<int> ports;
  for (size_t i = 0; i < count; ++i) {
    sockets.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = Loopback(0);
    socklen_t size = sizeof address;
    if (bind(sockets.back(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        getsockname(sockets.back(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
      ADD_FAILURE() << "no free port";
    ports.push_back(ntohs(address.sin_port));
  }
  for (const int socket : sockets) close(socket);
  return ports;
}

bool Listens(const std::string& endpoint) {
  const int port = std::stoi(endpoint.substr(endpoint.rfind(':') + 1));
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Loopback(port);
  const bool listens =
      connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return listens;
}

// On a file system in memory, where there is one with room: etcd syncs often.
std::string MakeDirectory() {
  std::error_code error;
  const auto room = std::filesystem::space("/dev/shm", error);
  const bool fits = !error && room.available > 2'000'000'000;
  std::string pattern = (fits ? "/dev/shm/" : testing::TempDir()) + "gp-etcd-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "cannot make " << pattern;
  return pattern;
}

bool HasEnded(pid_t pid) {
  siginfo_t end{};
  return waitid(P_PID, static_cast<id_t>(pid), &end, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         end.si_pid == pid;
}

}  // namespace

bool HasEtcd() { return access(kEtcd, X_OK) == 0; }

bool AwaitReal(const std::function<bool()>& holds, Duration time_max) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(time_max.ns);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

EtcdCluster::EtcdCluster(Settings settings)
    : settings_(std::move(settings)), directory_(MakeDirectory()) {
  for (int i = 0; i < kStartsMax && !is_up_; ++i) {
    Place();
    for (size_t member = 0; member < size(); ++member) Start(member);
    is_up_ = AwaitPorts();
    if (!is_up_ && i + 1 == kStartsMax) ADD_FAILURE() << "etcd does not start:\n" << Log(0);
    if (!is_up_)
      for (size_t member = 0; member < size(); ++member) Kill(member);
  }
}

EtcdCluster::~EtcdCluster() {
  for (size_t member = 0; member < size(); ++member) Kill(member);
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void EtcdCluster::Place() {
  members_.clear();
  const std::vector<int> ports = FreePorts(2 * settings_.members);
  for (size_t i = 0; i < settings_.members; ++i) {
    const std::string name = "m" + std::to_string(i);
    std::filesystem::remove_all(directory_ + "/" + name);
    members_.push_back(
        {.name = name,
         .endpoint = settings_.scheme + "://127.0.0.1:" + std::to_string(ports[2 * i]),
         .peer = "http://127.0.0.1:" + std::to_string(ports[2 * i + 1])});
  }
}

bool EtcdCluster::AwaitPorts() {
  bool has_ended = false;
  const bool are_open = AwaitReal([&] {
    has_ended = std::ranges::any_of(members_, [](const Member& m) { return HasEnded(m.pid); });
    return has_ended ||
           std::ranges::all_of(members_, [](const Member& m) { return Listens(m.endpoint); });
  });
  return are_open && !has_ended;
}

std::vector<std::string> EtcdCluster::Words(const Member& member) const {
  std::string all;
  for (const Member& one : members_) all += (all.empty() ? "" : ",") + one.name + "=" + one.peer;
  std::vector<std::string> words = {kEtcd,
                                    "--name",
                                    member.name,
                                    "--data-dir",
                                    directory_ + "/" + member.name,
                                    "--listen-client-urls",
                                    member.endpoint,
                                    "--advertise-client-urls",
                                    member.endpoint,
                                    "--listen-peer-urls",
                                    member.peer,
                                    "--initial-advertise-peer-urls",
                                    member.peer,
                                    "--initial-cluster",
                                    all,
                                    "--initial-cluster-token",
                                    directory_,
                                    "--heartbeat-interval",
                                    "100",
                                    "--election-timeout",
                                    "1000",
                                    "--logger",
                                    "zap",
                                    "--log-level",
                                    "warn"};
  words.insert(words.end(), settings_.flags.begin(), settings_.flags.end());
  return words;
}

void EtcdCluster::Start(size_t member) {
  Member& started = members_[member];
  std::vector<std::string> words = Words(started);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string log = directory_ + "/" + started.name + ".log";
  started.pid = fork();
  if (started.pid != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execv(kEtcd, arguments.data());
  _exit(127);
}

EtcdOptions EtcdCluster::Options(size_t first) const {
  EtcdOptions options;
  options.endpoints.push_back(endpoint(first));
  for (size_t member = 0; member < size(); ++member)
    if (member != first) options.endpoints.push_back(endpoint(member));
  return options;
}

std::unique_ptr<EtcdStore> EtcdCluster::Store(size_t first) const {
  auto store = EtcdStore::Open(Options(first));
  if (!store) ADD_FAILURE() << store.error().message;
  return store ? std::move(*store) : nullptr;
}

bool EtcdCluster::AwaitHealth() const {
  for (size_t member = 0; member < size(); ++member) {
    EtcdOptions options;
    options.endpoints = {endpoint(member)};
    const auto store = EtcdStore::Open(options);
    const StoreTransaction put{.puts = {{"/health", "x"}}};
    Committed end;
    AwaitReal([&] { return (end = (*store)->Commit(put)).end == CommitEnd::kCommitted; });
    EXPECT_EQ(end.end, CommitEnd::kCommitted) << end.why << "\n" << Log(member);
    if (end.end != CommitEnd::kCommitted) return false;
  }
  return true;
}

size_t EtcdCluster::Leader() const {
  size_t leader = 0;
  const bool is_found = AwaitReal([&] {
    for (size_t member = 0; member < size(); ++member) {
      const std::string address = endpoint(member).substr(endpoint(member).find("//") + 2);
      etcdserverpb::Maintenance::Stub stub(
          grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(1));
      etcdserverpb::StatusResponse status;
      leader = member;
      if (stub.Status(&context, {}, &status).ok() && status.leader() != 0 &&
          status.leader() == status.header().member_id())
        return true;
    }
    return false;
  });
  EXPECT_TRUE(is_found) << "etcd has no leader";
  return leader;
}

void EtcdCluster::Kill(size_t member) {
  Member& killed = members_[member];
  if (killed.pid <= 0) return;
  kill(killed.pid, SIGKILL);
  waitpid(killed.pid, nullptr, 0);
  killed.pid = -1;
}

// All its threads have stopped: on a busy machine they may answer for a while after the signal.
void EtcdCluster::Hang(size_t member) {
  kill(members_[member].pid, SIGSTOP);
  waitpid(members_[member].pid, nullptr, WUNTRACED);
}
void EtcdCluster::Wake(size_t member) { kill(members_[member].pid, SIGCONT); }

std::string EtcdCluster::Log(size_t member) const {
  std::ifstream file(directory_ + "/m" + std::to_string(member) + ".log");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace gp
