// Seeded damage: the number is always the one behind the first "): ", and never another.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "adapters/outbound/kernel_log/parse_xid.h"
#include "base/rng.h"
#include "tests/unit/adapters/kernel_log/records.h"

namespace gp {
namespace {

constexpr int kMutations = 100'000;

constexpr std::string_view kGood[] = {
    "NVRM: Xid (0000:03:00): 14, Channel 00000001",
    "NVRM: Xid (PCI:0000:05:00): 79, GPU has fallen off the bus.",
    "NVRM: Xid (PCI:0000:1b:00): 31, pid=40312, name=python3, Ch 00000008, intr 00000000. MMU",
    "NVRM: Xid (PCI:0000:18:00): 94, pid='<unknown>', name=<unknown>, Contained: SM (0x1).",
    "NVRM: Xid (PCI:0000:c1:00 GPU-I:01 GPU-CI:00): 13, pid=3122, name=x: 79, y, Graphics",
    "NVRM: Xid (PCI:0009:01:00): 154, GPU recovery action changed from 0x0 (None) to 0x3 (Drain "
    "P2P)",
    "NVRM: Xid (PCI:0000:9b:00): 145, RLW_REMAP Nonfatal XC0 i0 Link 11 (0x00000007 0x00000002)",
};

constexpr std::string_view kScraps[] = {
    "79",
    ": 79, ",
    "): 79, ",
    "Xid",
    "NVRM: Xid (PCI:0000:1b:00): 79, ",
    "\n",
    "\\x0a",
    "\\x",
    ";",
    ",",
    ", ",
    "pid=",
    "name=",
    "<unknown>",
    "-",
    "0x",
    "(",
    ")",
    " GPU-I:",
    " GPU-CI:",
    "0000:",
    "4294967295",
    "99999999999999999999",
    "Nonfatal",
    "\xff",
    "3,1,2,-;",
};

void MutateOnce(std::string& text, size_t from, Rng& rng) {
  const size_t at = from + rng.Below(text.size() - from + 1);
  const size_t length =
      std::min<size_t>(text.size() - at, 1 + rng.Below(rng.Chance(1, 4) ? 40 : 3));
  switch (rng.Below(6)) {
    case 0: text.erase(at, length); break;
    case 1: text.insert(at, kScraps[rng.Below(std::size(kScraps))]); break;
    case 2: text.replace(at, length, kScraps[rng.Below(std::size(kScraps))]); break;
    case 3: text.insert(from + rng.Below(text.size() - from + 1), text.substr(at, length)); break;
    case 4:
      if (at < text.size()) text[at] = static_cast<char>(rng.Below(256));
      break;
    default: text.resize(at);
  }
}

// By other means than the parser's; -1 is none.
long NumberIn(const std::string& record) {
  const size_t text = record.find(';');
  if (text == std::string::npos || record.compare(text + 1, 11, "NVRM: Xid (") != 0) return -1;
  const size_t close = record.find("): ", text);
  if (close == std::string::npos) return -1;
  return std::strtol(record.c_str() + close + 3, nullptr, 10);
}

TEST(Mutation, NeverAnotherNumber) {
  Rng rng(154);
  int accepted = 0;
  for (int i = 0; i < kMutations; ++i) {
    std::string record = ByKernel(kGood[rng.Below(std::size(kGood))]);
    const uint64_t times = 1 + rng.Below(4);
    for (uint64_t n = 0; n < times; ++n) MutateOnce(record, 0, rng);
    const auto found = ParseXid(record, rng.Chance(1, 2));
    if (!found) continue;
    ++accepted;
    ASSERT_EQ(found->xid, NumberIn(record)) << record;
    ASSERT_LE(found->text.size(), record.size());
  }
  // Both ways are taken often, else this shows nothing.
  EXPECT_GT(accepted, kMutations / 10);
  EXPECT_LT(accepted, kMutations * 9 / 10);
}

TEST(Mutation, NothingBehindTheNumberChangesIt) {
  Rng rng(79);
  for (int i = 0; i < kMutations; ++i) {
    std::string record = ByKernel(kGood[rng.Below(std::size(kGood))]);
    const auto before = ParseXid(record);
    ASSERT_TRUE(before.has_value());
    const size_t from = record.find("): ") + 3 + std::to_string(before->xid).size() + 1;
    const uint64_t times = 1 + rng.Below(4);
    for (uint64_t n = 0; n < times; ++n) MutateOnce(record, from, rng);
    const auto after = ParseXid(record);
    ASSERT_TRUE(after.has_value()) << record;
    ASSERT_EQ(after->xid, before->xid) << record;
    ASSERT_EQ(after->bus_id, before->bus_id) << record;
    ASSERT_EQ(after->gpu_instance, before->gpu_instance) << record;
  }
}

}  // namespace
}  // namespace gp
