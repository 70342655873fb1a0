#include "domain/model/nodes/mig_name.h"

#include <gtest/gtest.h>

#include <vector>

#include "domain/model/nodes/gpu.h"
#include "domain/model/nodes/mig.h"

namespace gp {
namespace {

TEST(MigName, AsksForItsSlicesAndNearlyItsMemory) {
  EXPECT_EQ(ParseMigName("1g.10gb"), (MigDemand{142, 8'584}));
  EXPECT_EQ(ParseMigName("3G.40GB"), (MigDemand{428, 34'333}));
  EXPECT_EQ(ParseMigName("MIG 1g.5gb"), ParseMigName("1g.5gb"));
  EXPECT_EQ(ParseMigName("nvidia.com/mig-1g.5gb"), ParseMigName("1g.5gb"));
  EXPECT_EQ(ParseMigName("7g.80gb")->share_thousandths, kWholeShare - 1);
}

TEST(MigName, IsNothingElse) {
  for (const char* text : {"", "g.", "1g.gb", "g.20gb", "0g.10gb", "8g.80gb", "1g.10", "1g.10gb+me",
                           "1c.3g.40gb", "1g.010gb", "1g.9999gb", "half"}) {
    EXPECT_EQ(ParseMigName(text), std::nullopt) << text;
  }
}

// Memory in MiB; below what the names say, as the margin of ParseMigName allows for.
struct Instance {
  const char* name;
  int compute_slices, memory_slices;
  int64_t memory_mib;
};
struct Model {
  const char* name;
  int slices;
  std::vector<Instance> instances;
};
const Model kModels[] = {
    {"A30", 4, {{"1g.6gb", 1, 1, 5'836}, {"2g.12gb", 2, 2, 11'672}, {"4g.24gb", 4, 4, 23'344}}},
    {"A100 40GB",
     7,
     {{"1g.5gb", 1, 1, 4'864},
      {"1g.10gb", 1, 2, 9'856},
      {"2g.10gb", 2, 2, 9'856},
      {"3g.20gb", 3, 4, 19'968},
      {"4g.20gb", 4, 4, 19'968},
      {"7g.40gb", 7, 8, 40'192}}},
    {"H100 80GB",
     7,
     {{"1g.10gb", 1, 1, 9'728},
      {"1g.20gb", 1, 2, 19'968},
      {"2g.20gb", 2, 2, 19'968},
      {"3g.40gb", 3, 4, 40'192},
      {"4g.40gb", 4, 4, 40'192},
      {"7g.80gb", 7, 8, 79'872}}},
    {"H100 96GB",
     7,
     {{"1g.12gb", 1, 1, 11'008},
      {"1g.24gb", 1, 2, 22'528},
      {"2g.24gb", 2, 2, 22'528},
      {"3g.48gb", 3, 4, 46'080},
      {"4g.48gb", 4, 4, 46'080},
      {"7g.96gb", 7, 8, 94'208}}},
    {"H200",
     7,
     {{"1g.18gb", 1, 1, 16'384},
      {"1g.35gb", 1, 2, 33'280},
      {"2g.35gb", 2, 2, 33'280},
      {"3g.71gb", 3, 4, 71'168},
      {"4g.71gb", 4, 4, 71'168},
      {"7g.141gb", 7, 8, 143'360}}},
};

TEST(MigName, EachProfileOfEachModelIsFoundByItsName) {
  for (const Model& model : kModels) {
    MigTable table{model.slices, model.slices == 4 ? 4 : 8, {}};
    for (const Instance& one : model.instances)
      table.profiles.push_back({static_cast<int>(table.profiles.size()), one.name,
                                one.compute_slices, one.memory_slices, one.memory_mib, 1});
    for (const Instance& one : model.instances) {
      const auto demand = ParseMigName(one.name);
      ASSERT_TRUE(demand) << one.name;
      const MigProfile* found = table.Smallest(demand->share_thousandths, demand->memory_mib);
      ASSERT_NE(found, nullptr) << model.name << " " << one.name;
      EXPECT_EQ(found->name, one.name) << model.name;
    }
  }
}

}  // namespace
}  // namespace gp
