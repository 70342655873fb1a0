#include "adapters/inbound/trace/pod_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace gp {
namespace {

using ::testing::HasSubstr;

Result<TraceWorkload> ReadPods(const std::string& text) {
  const std::string path = testing::TempDir() + std::to_string(getpid()) + ".pods.csv";
  std::ofstream(path) << text;
  return ReadPodWorkload(path);
}

TEST(PodTrace, TakesThoseWithGpusInOrderOfCreation) {
  const auto workload = ReadPods(
      "name,num_gpu,gpu_milli,creation_time,deletion_time\nb,1,460,50,90\nc,0,0,20,30\na,8,1000,10,"
      "10\n");
  ASSERT_TRUE(workload.has_value()) << workload.error().message;
  ASSERT_EQ(workload->jobs.size(), 2u);
  EXPECT_EQ(workload->jobs[0].gpus, 8);
  EXPECT_EQ(workload->jobs[0].share, 1000);
  EXPECT_EQ(workload->jobs[0].duration_s, 1) << "nobody takes no time";
  EXPECT_EQ(workload->jobs[1].submit_s, 50);
  EXPECT_EQ(workload->jobs[1].duration_s, 40);
  EXPECT_EQ(workload->jobs[1].share, 460);
}

TEST(PodTrace, RefusesWithThePlace) {
  const std::string header = "num_gpu,gpu_milli,creation_time,deletion_time\n";
  const std::pair<const char*, const char*> cases[] = {
      {"1,0,0,5\n", "row 1, gpu_milli"},       {"1,1001,0,5\n", "row 1, gpu_milli"},
      {"65,1000,0,5\n", "row 1, num_gpu"},     {"1,1000,9,5\n", "before its creation"},
      {"1,1000,0,\n", "row 1, deletion_time"}, {"0,0,0,5\n", "has no pod with a GPU"},
      {"", "has no pod with a GPU"},
  };
  for (const auto& [rows, message] : cases) {
    const auto workload = ReadPods(header + rows);
    ASSERT_FALSE(workload.has_value()) << rows;
    EXPECT_THAT(workload.error().message, HasSubstr(message));
  }
}

}  // namespace
}  // namespace gp
