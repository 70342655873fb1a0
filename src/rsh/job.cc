#include "rsh/job.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace gp::rsh {
namespace {

// Whether one is the short name of the other.
bool AreSameHost(const std::string& a, const std::string& b) {
  const bool is_short = (a.find('.') == std::string::npos) != (b.find('.') == std::string::npos);
  return is_short && a.substr(0, a.find('.')) == b.substr(0, b.find('.'));
}

constexpr int kSignals[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE};

std::string Variable(const char* name) {
  const char* value = getenv(name);
  if (value == nullptr || *value == 0)
    Fail(std::string(name) +
         " is not set: only ranks of a job on several nodes with `launcher: mpi`, "
         "`horovod` or `ray` may use this program");
  return value;
}

std::vector<std::string> Split(const std::string& text, char by) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == by) {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

}  // namespace

Job JobOfEnvironment() {
  Job job;
  job.rank = atoi(Variable("GP_NODE_RANK").c_str());
  job.nodes = Split(Variable("GP_NODE_LIST"), ',');
  job.leader = Variable("GP_MASTER_ADDR");
  // The last port of the lease: the first ones are what frameworks listen on.
  job.port = static_cast<uint16_t>(atoi(Split(Variable("GP_PORTS"), '-').back().c_str()));
  job.token = Variable("GP_JOB_TOKEN");
  return job;
}

int RankOf(const Job& job, const std::string& host) {
  if (host == "localhost" || host == "127.0.0.1") return job.rank;
  for (size_t rank = 0; rank < job.nodes.size(); ++rank) {
    if (job.nodes[rank] == host) return static_cast<int>(rank);
  }
  // Launchers may write names short or in full; two nodes of one short name are not told apart.
  int found = -1;
  for (size_t rank = 0; rank < job.nodes.size(); ++rank) {
    if (!AreSameHost(job.nodes[rank], host)) continue;
    if (found >= 0) return -1;
    found = static_cast<int>(rank);
  }
  return found;
}

void IgnoreSignals() {
  for (const int number : kSignals) signal(number, SIG_IGN);
}

void RestoreSignals() {
  for (const int number : kSignals) signal(number, SIG_DFL);
}

void Say(const std::string& text) {
  const std::string line = "gpu-platform-rsh: " + text + "\n";
  [[maybe_unused]] const ssize_t wrote = write(2, line.data(), line.size());
}

void Fail(const std::string& text) {
  Say(text);
  _exit(kCannot);
}

}  // namespace gp::rsh
