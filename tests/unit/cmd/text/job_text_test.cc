#include "cmd/text/job_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gp {
namespace {

using testing::HasSubstr;
using testing::Not;

v1::Job Train() {
  v1::Job job;
  job.set_id("job-17");
  job.set_state(v1::RUNNING);
  v1::JobSpec& spec = *job.mutable_spec();
  spec.set_name("train");
  spec.add_command("python3");
  spec.add_command("train.py");
  return job;
}

TEST(JobText, WhatAJobRunsWithStandsBehindItsCommandInOrder) {
  v1::Job job = Train();
  v1::JobSpec& spec = *job.mutable_spec();
  spec.set_file("/home/ana/bert.yaml");
  spec.set_working_directory("/home/ana/bert");
  (*spec.mutable_environment())["WORLD"] = "2\x1b[31m";
  (*spec.mutable_environment())["EPOCHS"] = "30";
  (*spec.mutable_labels())["team"] = "nlp";
  (*spec.mutable_labels())["paper"] = "icml";
  spec.add_secrets("HF_TOKEN");
  spec.add_secrets("WANDB_KEY");
  EXPECT_THAT(DescribeJob(job), HasSubstr("Command     python3 train.py\n"
                                          "File        /home/ana/bert.yaml\n"
                                          "Directory   /home/ana/bert\n"
                                          "Labels      paper=icml, team=nlp\n"
                                          "Environment EPOCHS=30\n"
                                          "            WORLD=2\\x1b[31m\n"
                                          "Secrets     HF_TOKEN, WANDB_KEY\n"));
}

TEST(JobText, WhatIsNotAskedForHasNoLine) {
  const std::string text = DescribeJob(Train());
  for (const char* label : {"File", "Directory", "Labels", "Environment", "Secrets"}) {
    EXPECT_THAT(text, Not(HasSubstr(label)));
  }
}

TEST(JobText, RequestedGpusAreCountedOverAllNodes) {
  v1::Job job = Train();
  v1::JobSpec& spec = *job.mutable_spec();
  spec.mutable_gpus()->set_share_thousandths(1000);
  spec.set_nodes(1);
  const auto requested = [&](int gpus) {
    spec.mutable_gpus()->set_count(gpus);
    const std::string text = DescribeJob(job);
    const size_t begin = text.find("Requested   ");
    return text.substr(begin, text.find(',', begin) - begin);
  };
  EXPECT_EQ(requested(0), "Requested   0 GPUs");
  EXPECT_EQ(requested(1), "Requested   1 GPU");
  EXPECT_EQ(requested(8), "Requested   8 GPUs");
  spec.set_nodes(2);
  EXPECT_EQ(requested(1), "Requested   2 GPUs");
  spec.mutable_gpus()->add_models("H100");
  EXPECT_EQ(requested(8), "Requested   16×H100 GPUs");
}

// The controller leaves out what others may not know; an empty line would say that there is
// nothing.
TEST(JobText, WhatMayNotBeKnownIsSaidSo) {
  v1::Job job = Train();
  job.mutable_spec()->clear_command();
  EXPECT_THAT(DescribeJob(job), HasSubstr("Command     shown to its owner and to admins only"));
}

TEST(JobText, OutputIsWhereTheNewestAttemptRan) {
  v1::Job job = Train();
  EXPECT_EQ(DescribeOutput(job), "");
  job.add_attempts()->set_number(1);
  v1::Attempt& second = *job.add_attempts();
  second.set_number(2);
  for (const char* node : {"h100-02", "h100-01", "h100-02"}) second.add_ranks()->set_node(node);
  EXPECT_EQ(
      DescribeOutput(job),
      "Output      gpu-platform jobs logs job-17\n"
      "            STATE/logs/job-000h/2/RANK.out and RANK.err, where STATE is the agent's on "
      "h100-01, h100-02\n");
}

TEST(JobText, OutputOfAnElementLiesUnderItsOwnNumber) {
  v1::Job job = Train();
  job.set_id("job-5[11]");
  job.set_array_id("job-5");
  job.set_array_index(11);
  job.add_attempts()->set_number(1);
  EXPECT_THAT(DescribeOutput(job), HasSubstr("jobs logs job-5[11]\n"));
  EXPECT_THAT(DescribeOutput(job), HasSubstr("STATE/logs/job-000h/1/"));
}

}  // namespace
}  // namespace gp
