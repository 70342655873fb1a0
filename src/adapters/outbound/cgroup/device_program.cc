#include "adapters/outbound/cgroup/device_program.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace gp {
namespace {

constexpr std::array<DeviceNumber, 8> kStandardDevices = {{
    {1, 3},            // null
    {1, 5},            // zero
    {1, 7},            // full
    {1, 8},            // random
    {1, 9},            // urandom
    {5, 0},            // tty
    {5, 2},            // ptmx
    {136, kAnyMinor},  // pts
}};

// The registers of the device program
constexpr int kContext = BPF_REG_1;
constexpr int kType = BPF_REG_2;
constexpr int kAccess = BPF_REG_3;
constexpr int kMajor = BPF_REG_4;
constexpr int kMinor = BPF_REG_5;

// At this number of sets the cache is emptied: a host has few, but MIG layouts change over months.
constexpr size_t kProgramsMax = 512;

bpf_insn Load32(int to, int from, int offset) {
  return {.code = BPF_LDX | BPF_W | BPF_MEM,
          .dst_reg = static_cast<uint8_t>(to),
          .src_reg = static_cast<uint8_t>(from),
          .off = static_cast<int16_t>(offset),
          .imm = 0};
}
bpf_insn Alu32(int operation, int reg, int value) {
  return {.code = static_cast<uint8_t>(BPF_ALU | operation | BPF_K),
          .dst_reg = static_cast<uint8_t>(reg),
          .src_reg = 0,
          .off = 0,
          .imm = value};
}
bpf_insn Copy32(int to, int from) {
  return {.code = BPF_ALU | BPF_MOV | BPF_X,
          .dst_reg = static_cast<uint8_t>(to),
          .src_reg = static_cast<uint8_t>(from),
          .off = 0,
          .imm = 0};
}
// Skips `skip` instructions unless the register equals `value`.
bpf_insn SkipUnless(int reg, int value, int skip) {
  return {.code = BPF_JMP | BPF_JNE | BPF_K,
          .dst_reg = static_cast<uint8_t>(reg),
          .src_reg = 0,
          .off = static_cast<int16_t>(skip),
          .imm = value};
}
// Skips `skip` instructions if the register equals `value`.
bpf_insn SkipIf(int reg, int value, int skip) {
  return {.code = BPF_JMP | BPF_JEQ | BPF_K,
          .dst_reg = static_cast<uint8_t>(reg),
          .src_reg = 0,
          .off = static_cast<int16_t>(skip),
          .imm = value};
}
void Answer(std::vector<bpf_insn>& program, bool allowed) {
  program.push_back(Alu32(BPF_MOV, BPF_REG_0, allowed ? 1 : 0));
  program.push_back({.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0});
}

// What is asked for, in the registers.
std::vector<bpf_insn> LoadRequest() {
  return {
      Load32(kType, kContext, offsetof(bpf_cgroup_dev_ctx, access_type)),
      Load32(kMajor, kContext, offsetof(bpf_cgroup_dev_ctx, major)),
      Load32(kMinor, kContext, offsetof(bpf_cgroup_dev_ctx, minor)),
      Copy32(kAccess, kType),
      Alu32(BPF_AND, kType, 0xffff),  // the low half is the type, the high half the access
      Alu32(BPF_RSH, kAccess, 16),
  };
}

void RefuseMknod(std::vector<bpf_insn>& program) {
  program.push_back(Alu32(BPF_AND, kAccess, BPF_DEVCG_ACC_MKNOD));
  program.push_back(SkipIf(kAccess, 0, 2));
  Answer(program, false);
}

void RefuseBlockDevices(std::vector<bpf_insn>& program) {
  program.push_back(SkipIf(kType, BPF_DEVCG_DEV_CHAR, 2));
  Answer(program, false);
}

void Allow(std::vector<bpf_insn>& program, const DeviceNumber& device) {
  const bool any_minor = device.minor == kAnyMinor;
  program.push_back(SkipUnless(kMajor, device.major, any_minor ? 2 : 3));
  if (!any_minor) program.push_back(SkipUnless(kMinor, device.minor, 2));
  Answer(program, true);
}

int Bpf(int command, bpf_attr& attributes) {
  return static_cast<int>(syscall(SYS_bpf, command, &attributes, sizeof attributes));
}

std::unexpected<Error> FailBpf(const std::string& what, int error) {
  const std::string message = what + ": " + std::strerror(error);
  if (error == EPERM || error == EACCES) {
    return Fail(PermissionDenied(message + " (needs CAP_BPF and CAP_NET_ADMIN: run as root)"));
  }
  return Fail(Unsupported(message));
}

}  // namespace

std::span<const DeviceNumber> StandardDevices() { return kStandardDevices; }

std::vector<bpf_insn> EmitDeviceProgram(std::span<const DeviceNumber> allowed) {
  std::vector<bpf_insn> program = LoadRequest();
  RefuseMknod(program);
  RefuseBlockDevices(program);
  for (const DeviceNumber& device : kStandardDevices) Allow(program, device);
  for (const DeviceNumber& device : allowed) Allow(program, device);
  Answer(program, false);
  return program;
}

DevicePrograms::~DevicePrograms() {
  for (const auto& [devices, fd] : loaded_) close(fd);
}

Result<int> DevicePrograms::Load(std::vector<DeviceNumber> devices) {
  std::ranges::sort(devices);
  devices.erase(std::ranges::unique(devices).begin(), devices.end());
  if (const auto found = loaded_.find(devices); found != loaded_.end()) return found->second;

  const std::vector<bpf_insn> program = EmitDeviceProgram(devices);
  bpf_attr attributes = {};
  attributes.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
  attributes.insns = reinterpret_cast<uint64_t>(program.data());
  attributes.insn_cnt = static_cast<uint32_t>(program.size());
  attributes.license = reinterpret_cast<uint64_t>("");
  std::strcpy(attributes.prog_name, "gp_devices");
  const int fd = Bpf(BPF_PROG_LOAD, attributes);
  if (fd < 0) return FailBpf("cannot load the device program", errno);
  if (loaded_.size() >= kProgramsMax) {
    for (const auto& [old_devices, old_fd] : loaded_) close(old_fd);  // attached programs stay
    loaded_.clear();
  }
  loaded_.emplace(std::move(devices), fd);
  return fd;
}

Status DevicePrograms::Attach(const std::string& cgroup, std::vector<DeviceNumber> devices) {
  const int program = GP_TRY(Load(std::move(devices)));
  const int directory = open(cgroup.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return FailBpf("cannot open " + cgroup, errno);
  bpf_attr attributes = {};
  attributes.target_fd = static_cast<uint32_t>(directory);
  attributes.attach_bpf_fd = static_cast<uint32_t>(program);
  attributes.attach_type = BPF_CGROUP_DEVICE;
  attributes.attach_flags = BPF_F_ALLOW_MULTI;  // rules of parent cgroups still apply
  const int result = Bpf(BPF_PROG_ATTACH, attributes);
  const int error = errno;
  close(directory);
  if (result < 0) return FailBpf("cannot attach the device program to " + cgroup, error);
  return Ok();
}

Status DevicePrograms::Probe() {
  GP_CHECK_OK(Load({}));
  return Ok();
}

}  // namespace gp
