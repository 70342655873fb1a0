// What the adapter promises on hosts where it can do little.  Real cgroups: tests/security.

#include "adapters/outbound/cgroup/cgroup_isolation.h"

#include <gmock/gmock.h>

namespace gp {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(CgroupIsolationTest, AHostWithoutCgroupsSaysWhatItCannotDo) {
  CgroupIsolation::Options options;
  options.hierarchy = CgroupHierarchy{};
  options.devices_required = false;
  const auto isolation = CgroupIsolation::Open(options);
  ASSERT_TRUE(isolation.has_value());
  const IsolationReport& report = (*isolation)->Report();
  EXPECT_FALSE(report.devices || report.memory || report.processes || report.cpus ||
               report.kill_all);
  EXPECT_EQ(report.device_mechanism, "none");
  for (const char* what : {"devices: not isolated", "memory limit: not enforced",
                           "process limit: not enforced", "CPU sets: not enforced"}) {
    EXPECT_THAT(report.warnings, Contains(HasSubstr(what)));
  }
  EXPECT_EQ((*isolation)->Create("key", {}).value(), CgroupPaths{});
  EXPECT_TRUE((*isolation)->Remove("key", {}).has_value());
}

TEST(CgroupIsolationTest, RefusesWhereDeviceRulesAreRequiredAndImpossible) {
  CgroupIsolation::Options options;
  options.hierarchy = CgroupHierarchy{};
  options.devices_required = true;
  const auto isolation = CgroupIsolation::Open(options);
  const auto created = (*isolation)->Create("key", {});
  ASSERT_FALSE(created.has_value());
  EXPECT_EQ(created.error().code, ErrorCode::kUnsupported);
}

TEST(CgroupIsolationTest, KeysCannotLeaveTheirDirectory) {
  CgroupIsolation::Options options;
  options.hierarchy = CgroupHierarchy{};
  options.devices_required = false;
  const auto isolation = CgroupIsolation::Open(options);
  for (const char* key : {"", ".", "..", "../x", "a/b", "a b"}) {
    EXPECT_FALSE((*isolation)->Create(key, {}).has_value()) << key;
    EXPECT_FALSE((*isolation)->Remove(key, {}).has_value()) << key;
  }
}

}  // namespace
}  // namespace gp
