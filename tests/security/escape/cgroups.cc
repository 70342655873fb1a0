// Leaving the cgroup, or changing its rules.

#include <linux/bpf.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>

#include "tests/security/escape/escape.h"

namespace gp::escape {
namespace {

Outcome LeaveTo(const std::string& directory, const char* file) {
  if (directory.empty()) return Held("no such tree");
  return WriteFile(directory + "/" + file, "0");
}

Outcome CloneIntoRoot() {
  const int root = open(CgroupMount("").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) return Held("open: " + ErrnoText(errno));
  clone_args how = {};
  how.flags = CLONE_INTO_CGROUP;
  how.exit_signal = SIGCHLD;
  how.cgroup = static_cast<uint64_t>(root);
  const long pid = syscall(SYS_clone3, &how, sizeof how);
  if (pid == 0) _exit(0);
  return Refused(pid);
}

Outcome MakeChildCgroup(const std::string& controller) {
  const std::string own = OwnCgroup(controller);
  if (own.empty()) return Held("no such tree");
  return Refused(mkdir((own + "/child").c_str(), 0777));
}

Outcome LiftLimit(const std::string& controller, const char* file, const char* value) {
  const std::string own = OwnCgroup(controller);
  if (own.empty()) return Held("no such tree");
  return WriteFile(own + "/" + file, value);
}

int Bpf(int command, bpf_attr& attributes) {
  return static_cast<int>(syscall(SYS_bpf, command, &attributes, sizeof attributes));
}

Outcome DetachRules() {
  const int own = open(OwnCgroup("").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (own < 0) return Held("open: " + ErrnoText(errno));
  bpf_attr attributes = {};
  attributes.target_fd = static_cast<uint32_t>(own);
  attributes.attach_type = BPF_CGROUP_DEVICE;
  return Refused(Bpf(BPF_PROG_DETACH, attributes));
}

Outcome LoadProgram() {
  const bpf_insn allow_all[] = {
      {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 1},
      {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0}};
  bpf_attr attributes = {};
  attributes.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
  attributes.insns = reinterpret_cast<uint64_t>(allow_all);
  attributes.insn_cnt = 2;
  attributes.license = reinterpret_cast<uint64_t>("");
  return Refused(Bpf(BPF_PROG_LOAD, attributes));
}

Outcome LeaveCpuset() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
  sched_setaffinity(0, sizeof all, &all);
  cpu_set_t now;
  sched_getaffinity(0, sizeof now, &now);
  const int count = CPU_COUNT(&now);
  return {.escaped = count > 1, .detail = std::to_string(count) + " CPU(s)"};
}

Outcome KillOwnCgroupParent() {
  const std::string own = OwnCgroup("");
  return WriteFile(own.substr(0, own.rfind('/')) + "/cgroup.kill", "1");
}

const std::array kCases = {
    Case{"leave to the version 2 root",
         [](const Target&) { return LeaveTo(CgroupMount(""), "cgroup.procs"); }},
    Case{"leave to the version 2 parent",
         [](const Target&) { return LeaveTo(OwnCgroup("") + "/..", "cgroup.procs"); }},
    Case{"leave the devices controller",
         [](const Target&) { return LeaveTo(CgroupMount("devices"), "tasks"); }},
    Case{"leave the freezer",
         [](const Target&) { return LeaveTo(CgroupMount("freezer"), "tasks"); }},
    Case{"leave the memory controller",
         [](const Target&) { return LeaveTo(CgroupMount("memory"), "tasks"); }},
    Case{"leave the pids controller",
         [](const Target&) { return LeaveTo(CgroupMount("pids"), "tasks"); }},
    Case{"clone into the root cgroup", [](const Target&) { return CloneIntoRoot(); }},
    Case{"make a child cgroup", [](const Target&) { return MakeChildCgroup(""); }},
    Case{"make a child in the devices tree",
         [](const Target&) { return MakeChildCgroup("devices"); }},
    Case{"allow all devices",
         [](const Target&) { return LiftLimit("devices", "devices.allow", "a"); }},
    Case{"lift the memory limit",
         [](const Target&) { return LiftLimit("memory", "memory.limit_in_bytes", "-1"); }},
    Case{"lift the process limit",
         [](const Target&) { return LiftLimit("pids", "pids.max", "max"); }},
    Case{"lift the memory limit of version 2",
         [](const Target&) { return LiftLimit("", "memory.max", "max"); }},
    Case{"lift the process limit of version 2",
         [](const Target&) { return LiftLimit("", "pids.max", "max"); }},
    Case{"take all CPUs in version 2",
         [](const Target&) { return LiftLimit("", "cpuset.cpus", "0-1"); }},
    Case{"detach the device program", [](const Target&) { return DetachRules(); }},
    Case{"load a device program", [](const Target&) { return LoadProgram(); }},
    Case{"load a device program as namespace root",
         [](const Target&) {
           return EnterUserNamespace(0) ? LoadProgram() : Held("user namespaces refused");
         }},
    Case{"run on all CPUs", [](const Target&) { return LeaveCpuset(); }},
    Case{"kill all attempts", [](const Target&) { return KillOwnCgroupParent(); }},
};

}  // namespace

std::span<const Case> CgroupCases() { return kCases; }

}  // namespace gp::escape
