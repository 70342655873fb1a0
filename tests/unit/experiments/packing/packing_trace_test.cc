#include "experiments/packing/packing_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace gp {
namespace {

using ::testing::HasSubstr;

constexpr const char* kNodes =
    "sn,cpu_milli,memory_mib,gpu,model\nn0,64000,262144,2,T4\nn1,96000,393216,8,G2\n";
constexpr const char* kTenants =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\n"
    "p0,4000,8192,1,460,,LS\np1,8000,8192,8,1000,G2|V100,BE\np2,1000,512,0,0,,BE\n";

class PackingTrace : public testing::Test {
 protected:
  std::string File(const std::string& name, const std::string& text) {
    const std::string path = testing::TempDir() + std::to_string(getpid()) + "." + name;
    std::ofstream(path) << text;
    return path;
  }
  Result<PackingWorkload> Read(const std::string& nodes, const std::string& tenants) {
    return ReadPackingWorkload(File("nodes.csv", nodes), File("tenants.csv", tenants));
  }
  std::string ErrorOf(const std::string& tenants) { return Read(kNodes, tenants).error().message; }
};

TEST_F(PackingTrace, ReadsNodesAndTenants) {
  const auto workload = Read(kNodes, kTenants);
  ASSERT_TRUE(workload.has_value()) << workload.error().message;
  ASSERT_EQ(workload->bins.size(), 2u);
  EXPECT_EQ(workload->bins[1].gpus, 8);
  EXPECT_EQ(workload->bins[1].FreeShare(), 8'000);
  ASSERT_EQ(workload->shapes.size(), 3u);
  EXPECT_EQ(workload->shapes[0].share, 460);
  EXPECT_EQ(workload->shapes[0].models, 0u);
  EXPECT_EQ(workload->shapes[1].models, 0b10u);
  EXPECT_EQ(workload->shapes[2].gpus, 0);
}

TEST_F(PackingTrace, ReadsWhatTheProjectShips) {
  const std::string data = std::string(GP_SOURCE_DIR) + "/data/traces/alibaba-gpu-2023/openb_";
  const auto workload =
      ReadPackingWorkload(data + "node_list_gpu_node.csv.gz", data + "pod_list_default.csv.gz");
  ASSERT_TRUE(workload.has_value()) << workload.error().message;
  EXPECT_EQ(workload->bins.size(), 1'213u);
  EXPECT_EQ(workload->shapes.size(), 8'152u);
}

TEST_F(PackingTrace, ErrorsNameTheirPlace) {
  const std::string header = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n";
  EXPECT_THAT(ErrorOf(header + "p,-1,1,1,1000,\n"),
              HasSubstr("row 1, cpu_milli: \"-1\" is not a whole number"));
  EXPECT_THAT(ErrorOf(header + "p,1,1,9,1000,\n"),
              HasSubstr("num_gpu: \"9\" is not a whole number from 0 to 8"));
  EXPECT_THAT(ErrorOf(header + "p,1,1,2,500,\n"), HasSubstr("parts of several GPUs"));
  EXPECT_THAT(ErrorOf(header + "p,1,1,1,0,\n"), HasSubstr("gpu_milli"));
  EXPECT_THAT(ErrorOf(header + "p,1,1,1,1000,H900\n"), HasSubstr("no node has any of \"H900\""));
  EXPECT_THAT(ErrorOf(header + "p,1,1\n"), HasSubstr(":2: 3 fields where the header has 6"));
  EXPECT_THAT(ErrorOf("name,cpu_milli\np,1\n"), HasSubstr("there is no column memory_mib"));
  EXPECT_THAT(ErrorOf(header), HasSubstr("lists no tenant"));
  EXPECT_THAT(ReadPackingWorkload("/nowhere/n.csv", "/nowhere/t.csv").error().message,
              HasSubstr("/nowhere/n.csv"));
}

}  // namespace
}  // namespace gp
