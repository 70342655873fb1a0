// What the emitted program answers, found by running it here: no kernel, no root.  That the kernel
// takes it and asks it is tests/security's business.

#include "adapters/outbound/cgroup/device_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace gp {
namespace {

constexpr int kRead = BPF_DEVCG_ACC_READ;
constexpr int kWrite = BPF_DEVCG_ACC_WRITE;
constexpr int kMknod = BPF_DEVCG_ACC_MKNOD;

// Interprets the few instructions that the program may consist of; fails on any other.
bool Ask(const std::vector<bpf_insn>& program, int type, int access, int major, int minor) {
  const uint32_t context[] = {static_cast<uint32_t>(access << 16 | type),
                              static_cast<uint32_t>(major), static_cast<uint32_t>(minor)};
  std::array<uint64_t, 11> registers = {};
  for (size_t at = 0; at < program.size(); ++at) {
    const bpf_insn& i = program[at];
    uint64_t& to = registers[i.dst_reg];
    switch (i.code) {
      case BPF_LDX | BPF_W | BPF_MEM:
        EXPECT_EQ(i.src_reg, BPF_REG_1);
        to = context[i.off / 4];
        break;
      case BPF_ALU | BPF_MOV | BPF_X: to = static_cast<uint32_t>(registers[i.src_reg]); break;
      case BPF_ALU | BPF_MOV | BPF_K: to = static_cast<uint32_t>(i.imm); break;
      case BPF_ALU | BPF_AND | BPF_K:
        to = static_cast<uint32_t>(to) & static_cast<uint32_t>(i.imm);
        break;
      case BPF_ALU | BPF_RSH | BPF_K: to = static_cast<uint32_t>(to) >> i.imm; break;
      case BPF_JMP | BPF_JNE | BPF_K:
        if (to != static_cast<uint64_t>(i.imm)) at += static_cast<size_t>(i.off);
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        if (to == static_cast<uint64_t>(i.imm)) at += static_cast<size_t>(i.off);
        break;
      case BPF_JMP | BPF_EXIT: return registers[0] != 0;
      default: ADD_FAILURE() << "unknown instruction " << int{i.code}; return true;
    }
  }
  ADD_FAILURE() << "ran off the end";
  return true;
}

TEST(DeviceProgramTest, AllowsExactlyTheListAndTheStandardDevices) {
  const std::vector<DeviceNumber> allowed = {{195, 0}, {195, 255}, {511, 0}};
  const std::vector<bpf_insn> program = EmitDeviceProgram(allowed);
  for (const int major : {0, 1, 5, 10, 136, 137, 195, 196, 254, 511}) {
    for (int minor = 0; minor < 300; ++minor) {
      bool expected = std::ranges::find(allowed, DeviceNumber{major, minor}) != allowed.end();
      for (const DeviceNumber& standard : StandardDevices()) {
        expected |=
            standard.major == major && (standard.minor == minor || standard.minor == kAnyMinor);
      }
      for (const int access : {kRead, kWrite, kRead | kWrite}) {
        EXPECT_EQ(Ask(program, BPF_DEVCG_DEV_CHAR, access, major, minor), expected)
            << major << ":" << minor;
        EXPECT_FALSE(Ask(program, BPF_DEVCG_DEV_BLOCK, access, major, minor));
      }
      for (const int access : {kMknod, kMknod | kRead, kMknod | kRead | kWrite}) {
        EXPECT_FALSE(Ask(program, BPF_DEVCG_DEV_CHAR, access, major, minor));
      }
    }
  }
}

TEST(DeviceProgramTest, NothingGrantedLeavesTheStandardDevices) {
  const std::vector<bpf_insn> program = EmitDeviceProgram({});
  EXPECT_TRUE(Ask(program, BPF_DEVCG_DEV_CHAR, kRead, 1, 3));
  EXPECT_TRUE(Ask(program, BPF_DEVCG_DEV_CHAR, kRead | kWrite, 136, 77));
  EXPECT_FALSE(Ask(program, BPF_DEVCG_DEV_CHAR, kRead, 195, 0));
  EXPECT_FALSE(Ask(program, BPF_DEVCG_DEV_CHAR, kRead, 1, 1));
}

TEST(DeviceProgramTest, FitsTheKernelForEveryGpuAHostMayHave) {
  std::vector<DeviceNumber> many;
  for (int minor = 0; minor < 512; ++minor) many.push_back({195, minor});
  EXPECT_LT(EmitDeviceProgram(many).size(), 4096u);
}

}  // namespace
}  // namespace gp
