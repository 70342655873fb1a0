// Lines by which somebody would like to have a GPU or a node taken out of service.

#include <gtest/gtest.h>

#include "adapters/outbound/kernel_log/parse_xid.h"
#include "tests/unit/adapters/kernel_log/records.h"

namespace gp {
namespace {

// None of them is an XID.
constexpr const char* kNothing[] = {
    "",
    " ",
    "79",
    "Xid",
    "NVRM: Xid",
    "NVRM: Xid (",
    "NVRM: Xid (PCI:",
    "NVRM: Xid (PCI:): 79, x",
    "NVRM: Xid (PCI:0000:1b:00",
    "NVRM: Xid (PCI:0000:1b:00)",
    "NVRM: Xid (PCI:0000:1b:00): ",
    "NVRM: Xid (PCI:0000:1b:00): 79",
    "NVRM: Xid (PCI:0000:1b:00):79, x",
    "NVRM: Xid (PCI:0000:1b:00):  79, x",
    "NVRM: Xid (PCI:0000:1b:00): -79, x",
    "NVRM: Xid (PCI:0000:1b:00): +79, x",
    "NVRM: Xid (PCI:0000:1b:00): 0x4f, x",
    "NVRM: Xid (PCI:0000:1b:00): 79x, x",
    "NVRM: Xid (PCI:0000:1b:00): 79.0, x",
    "NVRM: Xid (PCI:0000:1b:00): 7 9, x",
    "NVRM: Xid (PCI:0000:1b:00): x, 79, y",
    "NVRM: Xid (PCI:0000:1b:00): \\x0a79, x",
    "NVRM: Xid (PCI:0000:1b:00): 4294967375, 79 in 32 bits",
    "NVRM: Xid (PCI:0000:1b:00): 18446744073709551695, 79 in 64 bits",
    "NVRM: Xid (PCI:0000:1b:00): 99999999999999999999999999999999, x",
    "NVRM: Xid (PCI:0000:1b:00 79): 79, x",
    "NVRM: Xid (PCI:0000:1b:00 GPU-I:): 79, x",
    "NVRM: Xid (PCI:0000:1b:00 GPU-I:-1): 79, x",
    "NVRM: Xid (PCI:0000:1b:00 GPU-I:99999999999): 79, x",
    "NVRM: Xid (PCI:0000:1b:00 GPU-CI:0 GPU-I:1): 79, x",
    "NVRM: Xid (PCI:0000:1b:00GPU-I:1): 79, x",
    "NVRM: Xid (PCI:0000:1b:20): 79, no such device",
    "NVRM: Xid (PCI:0000:1b:00.): 79, x",
    "NVRM: Xid (PCI:0000:1b): 79, x",
    "NVRM: Xid (PCI:000000000:1b:00): 79, x",
    "NVRM: Xid (PCI:00g0:1b:00): 79, x",
    "NVRM: Xid (PCI:../../etc): 79, x",
    "NVRM: xid (PCI:0000:1b:00): 79, x",
    "nvrm: Xid (PCI:0000:1b:00): 79, x",
    " NVRM: Xid (PCI:0000:1b:00): 79, x",
    "\\x0aNVRM: Xid (PCI:0000:1b:00): 79, x",
    "usb 1-1: Product: NVRM: Xid (PCI:0000:1b:00): 79, x",
    "x\\x0aNVRM: Xid (PCI:0000:1b:00): 79, x",
    "x\nNVRM: Xid (PCI:0000:1b:00): 79, x",
    "3,1,2,-;NVRM: Xid (PCI:0000:1b:00): 79, x",
    "[   12.345678] NVRM: Xid (PCI:0000:1b:00): 79, x",
    "Out of memory: Killed process 12 (NVRM: Xid (PCI:) anon-rss:1kB",
    "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 32 egress",
    "NVRM: SXid (PCI:0000:c1:00): 79, x",
    "NVRM: GPU at PCI:0000:1b:00: GPU-b850f46d-d5ea-c752-ddf3-c6453e44d3f7",
    "NVRM: GPU 0000:1b:00.0: GPU has fallen off the bus.",
    "NVRM: API mismatch: Xid (PCI:0000:1b:00): 79, x",
};

// Faults of type 31 by a process that calls itself so: 31 is all that they are.
constexpr const char* kNames[] = {
    "",
    ",",
    ", ",
    ", , , , , , , ,",
    "x: 79, y",
    "Xid: 79,",
    "): 79, ",
    "00): 79, x",
    "Xid (PCI:0000:1b:00): 79,",
    "NVRM: Xid (PCI:",
    "pid=1, name=x",
    "79, 79, 79, 79",
    "\\x0aNVRM: Xid (PCI",
    "\\x0a\\x0a\\x0a\\x0a\\x0a\\x0a79, 79",
    "<unknown>",
    "'<unknown>'",
    "%n%n%n%s%s",
    "$(reboot)",
    "Ch 00000001, 79",
    ", Ch 00000001",
    "\\x1b[2J79, ",
    "\\xff\\xfe\\x00",
    "3,1,2,-;NVRM: X",
    "99999999999999",
};

TEST(Hostile, LinesThatAreNoXidAreNone) {
  for (const char* text : kNothing) {
    EXPECT_FALSE(ParseXid(ByKernel(text)).has_value()) << text;
    EXPECT_FALSE(ParseXid(ByProgram(text), true).has_value()) << text;
  }
  EXPECT_GE(std::size(kNothing) + std::size(kNames), 30u);
}

TEST(Hostile, HeadersThatAreNoneBringNothing) {
  const std::string text = "NVRM: Xid (PCI:0000:1b:00): 79, x";
  for (const char* header : {"",
                             ";",
                             ",,,;",
                             "3;",
                             "3,1;",
                             "3,1,2;",
                             "-3,1,2,-;",
                             " 3,1,2,-;",
                             "3 ,1,2,-;",
                             "x,1,2,-;",
                             "3,x,2,-;",
                             "3,1,x,-;",
                             "3,1,2,\n;",
                             "<3>",
                             "<3>,1,2,-;",
                             "4294967299,1,2,-;",
                             "18446744073709551619,1,2,-;",
                             "3,111111111111111111111,2,-;",
                             "+3,1,2,-;",
                             "0x3,1,2,-;"}) {
    EXPECT_FALSE(ParseXid(header + text).has_value()) << header;
    EXPECT_FALSE(ParseXid(header + text, true).has_value()) << header;
  }
}

TEST(Hostile, ANameIsNoNumber) {
  for (const std::string name : kNames) {
    const std::string text = "NVRM: Xid (PCI:0000:2a:00): 31, pid=4711, name=" + name +
                             ", Ch 00000008, intr 00000000. MMU Fault";
    const auto found = ParseXid(ByKernel(text));
    ASSERT_TRUE(found.has_value()) << name;
    EXPECT_EQ(found->xid, 31) << name;
    EXPECT_EQ(found->bus_id, "0000:2A:00") << name;
    EXPECT_EQ(found->pid, 4711) << name;
    EXPECT_EQ(found->gpu_instance, std::nullopt) << name;
    EXPECT_EQ(found->reported, DriverAdvice::kUnknown) << name;
    EXPECT_EQ(found->text, text);
    EXPECT_FALSE(ParseXid(ByProgram(text)).has_value()) << name;
  }
}

TEST(Hostile, ANameCannotSoftenAFatalError) {
  for (const std::string name : {"Nonfatal", "a Nonfatal b", "a, Nonfatal b", ", Nonfatal x, ",
                                 "x, y Nonfatal", " Nonfatal ", ", , Nonfatal "}) {
    const auto found = ParseXid(
        ByKernel("NVRM: Xid (PCI:0000:2a:00): 145, pid=9, name=" + name +
                 ", RLW_REMAP Fatal XC0 i0 Link 08 (0x00000004 0x00000040 0x00000000 0x00000000)"));
    ASSERT_TRUE(found.has_value()) << name;
    EXPECT_TRUE(found->is_fatal) << name;
  }
}

TEST(Hostile, BinaryAndHugeLinesAreHarmless) {
  std::string bytes;
  for (int i = 0; i < 1024; ++i) bytes += static_cast<char>(i);
  EXPECT_FALSE(ParseXid(bytes).has_value());
  EXPECT_FALSE(ParseXid(ByKernel(bytes)).has_value());
  EXPECT_FALSE(ParseXid(std::string(64, '\0')).has_value());
  EXPECT_FALSE(ParseXid(ByKernel(std::string("NVRM: Xid (PCI:0000:1b:00): \0"
                                             "79, x",
                                             34)))
                   .has_value());
  const auto odd = ParseXid(ByKernel("NVRM: Xid (PCI:0000:1b:00): 31, " + bytes));
  ASSERT_TRUE(odd.has_value());
  EXPECT_EQ(odd->xid, 31);
  const std::string million(1'000'000, '9');
  EXPECT_FALSE(ParseXid(million).has_value());
  EXPECT_FALSE(ParseXid(ByKernel("NVRM: Xid (PCI:0000:1b:00): 79, " + million)).has_value());
  EXPECT_FALSE(
      ParseXid(ByKernel("NVRM: Xid (PCI:0000:1b:00): " + million.substr(0, 8000))).has_value());
}

}  // namespace
}  // namespace gp
