// The files of an attempt, written in part: cut anywhere, a page of them never written, any bit
// turned.

#include <gtest/gtest.h>

#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

constexpr size_t kPage = 4'096;

std::string Launch() {
  LaunchRecord record;
  record.spec.key = "lease-0001";
  record.spec.argv = {"python", "train.py"};
  record.spec.environment = {"LONG=" + std::string(2 * kPage, 'x'), "SHORT=1"};
  record.cgroups = {.unified = "/u", .joined = {"/a", "/b"}, .freezer = "/b", .oom_events = "/o"};
  return EncodeLaunch(record);
}

std::string Exited() {
  AttemptStatus status;
  status.key = "lease-0001";
  status.phase = AttemptPhase::kExited;
  status.exit_code = 7;
  status.message = "why";
  return EncodeStatus(status);
}

TEST(TornRecord, ACutLaunchIsNoLaunch) {
  const std::string whole = Launch();
  ASSERT_TRUE(DecodeLaunch(whole));
  for (size_t size = 0; size < whole.size(); ++size)
    ASSERT_FALSE(DecodeLaunch(whole.substr(0, size))) << size;
}

TEST(TornRecord, APageThatWasNeverWrittenIsNoticed) {
  const std::string whole = Launch();
  for (size_t page = 0; page < whole.size(); page += kPage) {
    std::string torn = whole;
    for (size_t at = page; at < std::min(page + kPage, torn.size()); ++at) torn[at] = '\0';
    EXPECT_FALSE(DecodeLaunch(torn)) << page;
  }
}

TEST(TornRecord, NoBitOfAStatusTurnsItIntoAnother) {
  const std::string whole = Exited();
  ASSERT_TRUE(DecodeStatus(whole));
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string changed = whole;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(DecodeStatus(changed)) << bit;
  }
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(DecodeStatus(whole.substr(0, size))) << size;
}

}  // namespace
}  // namespace gp
