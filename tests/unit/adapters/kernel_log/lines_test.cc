// What drivers of several generations write, one row a line.

#include <gtest/gtest.h>

#include "adapters/outbound/kernel_log/parse_xid.h"
#include "tests/unit/adapters/kernel_log/records.h"

namespace gp {
namespace {

struct Row {
  const char* text;
  const char* bus_id;
  int xid;
  int pid = 0;  // 0: none
  const char* name = "";
  int gpu_instance = -1;  // -1: none
  int compute_instance = -1;
};

constexpr Row kRows[] = {
    // Before "PCI:" and before processes were named.
    {"NVRM: Xid (0000:03:00): 14, Channel 00000001", "0000:03:00", 14},
    {"NVRM: Xid (0000:84:00): 6, PE0001 0000000c 00000000 00000000", "0000:84:00", 6},
    {"NVRM: Xid (0000:02:00): 8, Channel 0000001e", "0000:02:00", 8},
    {"NVRM: Xid (0001:0a:1f): 56, CMDre 00000000 00000080", "0001:0A:1F", 56},
    {"NVRM: Xid (PCI:0000:01:00): 32, Channel ID 00000002 intr 00008000", "0000:01:00", 32},
    {"NVRM: Xid (PCI:0000:04:00): 31, Ch 0000000b, engmask 00000101, intr 10000000", "0000:04:00",
     31},
    {"NVRM: Xid (PCI:0000:af:00): 62, 0cb5(2d50) 8503d428 ffffff80", "0000:AF:00", 62},
    {"NVRM: Xid (PCI:0000:3b:00): 48, DBE (double bit error) ECC Error detected on SM",
     "0000:3B:00", 48},
    {"NVRM: Xid (PCI:0000:05:00): 79, GPU has fallen off the bus.", "0000:05:00", 79},
    {"NVRM: Xid (PCI:0000:d8:00): 74, NVLink: fatal error detected on link 2(0x10000, 0x0, 0x0)",
     "0000:D8:00", 74},
    {"NVRM: Xid (PCI:0000:5e:00): 61, pid=2210, 0d02(31c4) 00000000 00000000", "0000:5E:00", 61,
     2210},
    {"NVRM: Xid (PCI:0000:5e:00): 45, pid=2210, Ch 00000010", "0000:5E:00", 45, 2210},
    // A process that nobody knows.
    {"NVRM: Xid (PCI:0000:18:00): 13, pid='<unknown>', name=<unknown>, Graphics SM Warp Exception "
     "on (GPC 3, TPC 1, SM 1): Out Of Range Address",
     "0000:18:00", 13},
    {"NVRM: Xid (PCI:0000:18:00): 94, pid='<unknown>', name=<unknown>, Contained: SM (0x1). RST: "
     "No, D-RST: No",
     "0000:18:00", 94},
    {"NVRM: Xid (PCI:0000:18:00): 119, pid=<unknown>, name=<unknown>, Timeout after 6s of waiting "
     "for RPC response from GPU1 GSP! Expected function 76 (GSP_RM_CONTROL)",
     "0000:18:00", 119},
    {"NVRM: Xid (PCI:0000:90:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row "
     "(0x00000000a1b2c3d4) marked for remapping, reset gpu to activate.",
     "0000:90:00", 63},
    {"NVRM: Xid (PCI:0000:90:00): 64, pid=0, name=swapper/3, Row Remapper: failed to remap row",
     "0000:90:00", 64, 0, "swapper/3"},
    {"NVRM: Xid (PCI:0000:90:00): 79, pid=, name=, GPU has fallen off the bus.", "0000:90:00", 79},
    // With the process.
    {"NVRM: Xid (PCI:0000:1b:00): 31, pid=40312, name=python3, Ch 00000008, intr 00000000. MMU "
     "Fault: ENGINE GRAPHICS GPCCLIENT_T1_4 faulted @ 0x7f1a_40000000. Fault is of type FAULT_PDE "
     "ACCESS_TYPE_VIRT_READ",
     "0000:1B:00", 31, 40312, "python3"},
    {"NVRM: Xid (PCI:0000:1b:00): 43, pid=40312, name=pt_main_thread, Ch 0000000a", "0000:1B:00",
     43, 40312, "pt_main_thread"},
    {"NVRM: Xid (PCI:0000:1b:00): 45, pid=40312, name=pt_main_thread, Ch 0000000b caused by "
     "previous Xid 145",
     "0000:1B:00", 45, 40312, "pt_main_thread"},
    {"NVRM: Xid (PCI:0000:2a:00): 109, pid=7, name=vllm, Ch 0000001e, errorString CTX SWITCH "
     "TIMEOUT, Info 0x2c014",
     "0000:2A:00", 109, 7, "vllm"},
    {"NVRM: Xid (PCI:0000:2a:00): 79, pid=1053, name=irq/187-nvidia, GPU has fallen off the bus.",
     "0000:2A:00", 79, 1053, "irq/187-nvidia"},
    {"NVRM: Xid (PCI:0000:2a:00): 120, pid=911, name=kworker/u129:2, GSP task panic: 0x5 @ 0x1a2b",
     "0000:2A:00", 120, 911, "kworker/u129:2"},
    {"NVRM: Xid (PCI:0000:2a:00): 69, pid=88, name=Web Content, Class Error: ChId 0008, Class "
     "0000c7c0, Offset 00000110, Data 00000000, ErrorCode 00000004",
     "0000:2A:00", 69, 88, "Web Content"},
    {"NVRM: Xid (PCI:0000:2a:00): 137, pid=4194303, name=a.out, NVLink FLA privilege error",
     "0000:2A:00", 137, 4194303, "a.out"},
    {"NVRM: Xid (PCI:0000:2a:00): 95, pid=512, name=R, Uncontained: LTC TAG (0x2,0x0). RST: Yes",
     "0000:2A:00", 95, 512, "R"},
    {"NVRM: Xid (PCI:0000:2a:00): 43, pid=512, name=R, Ch 00000010, engine 3", "0000:2A:00", 43,
     512, "R"},
    {"NVRM: Xid (PCI:0000:2a:00): 43, pid=512, name=sh, Ch 00000010, engine 3", "0000:2A:00", 43,
     512, "sh"},
    {"NVRM: Xid (PCI:0000:2a:00): 31, pid=600, name=d\\xc3\\xa9mo, Ch 00000002, intr 00000000",
     "0000:2A:00", 31, 600, "d\\xc3\\xa9mo"},
    {"NVRM: Xid (PCI:0000:2a:00): 140, pid=3, name=rcu_gp, ", "0000:2A:00", 140, 3, "rcu_gp"},
    // Wide domains, and machines with many.
    {"NVRM: Xid (PCI:0018:01:00): 79, GPU has fallen off the bus.", "0018:01:00", 79},
    {"NVRM: Xid (PCI:10002:0f:00): 79, GPU has fallen off the bus.", "10002:0F:00", 79},
    {"NVRM: Xid (PCI:00000000:C1:00): 46, GPU stopped processing", "00000000:C1:00", 46},
    {"NVRM: Xid (PCI:0000:c1:00.0): 46, GPU stopped processing", "0000:C1:00", 46},
    // Slices of a GPU.
    {"NVRM: Xid (PCI:0000:c1:00 GPU-I:05): 45, pid=3121, name=trainer, Ch 0000000c", "0000:C1:00",
     45, 3121, "trainer", 5},
    {"NVRM: Xid (PCI:0000:c1:00 GPU-I:01 GPU-CI:00): 13, pid=3122, name=trainer, Graphics "
     "Exception: ESR 0x50cf30=0x107000e",
     "0000:C1:00", 13, 3122, "trainer", 1, 0},
    {"NVRM: Xid (PCI:0000:c1:00 GPU-I:13 GPU-CI:07): 94, Contained: CE User Channel (0x9)",
     "0000:C1:00", 94, 0, "", 13, 7},
    {"NVRM: Xid (PCI:0000:c1:00 GPU-I:128): 43, pid='<unknown>', name=<unknown>, Ch 00000020",
     "0000:C1:00", 43, 0, "", 128},
    // NVLink 5 and what the newest drivers say.
    {"NVRM: Xid (PCI:0000:9b:00): 145, RLW_SRC_TRACK Nonfatal XC0 i0 Link 11 (0x00000007 "
     "0x00000002 0x00000000 0x00000000 0x00000000 0x00000000)",
     "0000:9B:00", 145},
    {"NVRM: Xid (PCI:0009:01:00): 149, NETIR_LINK_EVT  Fatal   XC0 i0 Link 04 (0x01c04009 "
     "0x00000000)",
     "0009:01:00", 149},
    {"NVRM: Xid (PCI:0009:01:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node "
     "Reboot Required)",
     "0009:01:00", 154},
    {"NVRM: Xid (PCI:0009:01:00): 171, pid=1, name=systemd, Uncorrectable DRAM error", "0009:01:00",
     171, 1, "systemd"},
    {"NVRM: Xid (PCI:0009:01:00): 999, not in any list", "0009:01:00", 999},
};

TEST(Lines, OfAllGenerationsAreRead) {
  for (const Row& row : kRows) {
    const auto found = ParseXid(ByKernel(row.text));
    ASSERT_TRUE(found.has_value()) << row.text;
    EXPECT_EQ(found->bus_id, row.bus_id) << row.text;
    EXPECT_EQ(found->xid, row.xid) << row.text;
    EXPECT_EQ(found->pid.value_or(0), row.pid) << row.text;
    EXPECT_EQ(found->name, row.name) << row.text;
    EXPECT_EQ(found->gpu_instance.value_or(-1), row.gpu_instance) << row.text;
    EXPECT_EQ(found->compute_instance.value_or(-1), row.compute_instance) << row.text;
    EXPECT_EQ(found->text, row.text);
  }
}

TEST(Lines, ThereAreManyRows) { EXPECT_GE(std::size(kRows), 40u); }

}  // namespace
}  // namespace gp
