#include "adapters/inbound/trace/job_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace gp {
namespace {

using ::testing::HasSubstr;

Result<TraceWorkload> Read(const std::string& text) {
  const std::string path = testing::TempDir() + std::to_string(getpid()) + ".jobs.csv";
  std::ofstream(path) << text;
  return ReadTraceWorkload(path);
}

TEST(JobTrace, FindsItsColumnsByName) {
  const auto workload = Read("vc,num_gpus,duration_s,submit_s\na,8,100,0\nb,1,7,5\n");
  ASSERT_TRUE(workload.has_value()) << workload.error().message;
  ASSERT_EQ(workload->jobs.size(), 2u);
  EXPECT_EQ(workload->jobs[1].submit_s, 5);
  EXPECT_EQ(workload->jobs[1].duration_s, 7);
  EXPECT_EQ(workload->jobs[0].gpus, 8);
}

TEST(JobTrace, RefusesWithThePlace) {
  const std::string header = "submit_s,duration_s,num_gpus\n";
  const std::pair<const char*, const char*> cases[] = {
      {"0,0,1\n", "row 1, duration_s"},   {"0,5,0\n", "row 1, num_gpus"},
      {"-1,5,1\n", "row 1, submit_s"},    {"0,5\n", ":2: 2 fields"},
      {"9,5,1\n8,5,1\n", "earlier than"}, {"", "lists no job"},
      {"0,1e5,1\n", "\"1e5\""},
  };
  for (const auto& [rows, message] : cases) {
    const auto workload = Read(header + rows);
    ASSERT_FALSE(workload.has_value()) << rows;
    EXPECT_THAT(workload.error().message, HasSubstr(message));
  }
  EXPECT_THAT(Read("submit_s,num_gpus\n0,1\n").error().message, HasSubstr("no column duration_s"));
}

}  // namespace
}  // namespace gp
