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

std::string StagingLine(const v1::Progress& progress) {
  v1::Job job = Train();
  *job.mutable_progress() = progress;
  const std::string text = DescribeJob(job);
  const size_t at = text.find("Staging     ");
  return at == std::string::npos ? "" : text.substr(at + 12, text.find('\n', at) - at - 12);
}

TEST(JobText, StagingOfAnImageHasLayersBytesAndTimeLeft) {
  v1::Progress progress;
  EXPECT_EQ(StagingLine(progress), "");
  progress.set_staging("image registry.lab/ana/train");
  EXPECT_EQ(StagingLine(progress), "image registry.lab/ana/train");
  progress.set_staged_layers(3);
  progress.set_staging_layers(11);
  progress.set_staged_bytes(int64_t{21} * (1 << 30) / 10 + 1);
  progress.set_staging_bytes(int64_t{84} * (1 << 30) / 10 + 1);
  EXPECT_EQ(StagingLine(progress), "image registry.lab/ana/train: 3 of 11 layers, 2.1 of 8.4 GiB");
  progress.set_staging_left_seconds(64);
  EXPECT_EQ(StagingLine(progress),
            "image registry.lab/ana/train: 3 of 11 layers, 2.1 of 8.4 GiB, 1m4s left");
}

TEST(JobText, StagingOfDataHasBytesAndTimeLeft) {
  v1::Progress progress;
  progress.set_staging("s3://corpora/wiki");
  progress.set_staged_bytes(3 << 10);
  EXPECT_EQ(StagingLine(progress), "s3://corpora/wiki, 3.0 KiB");
  progress.set_staging_bytes(8 << 20);
  EXPECT_EQ(StagingLine(progress), "s3://corpora/wiki, 3.0 KiB of 8.0 MiB");
  progress.set_staged_bytes(0);
  progress.set_staging_left_seconds(5);
  EXPECT_EQ(StagingLine(progress), "s3://corpora/wiki, 0 B of 8.0 MiB, 5s left");
}

TEST(JobText, WhatIsNotAskedForHasNoLine) {
  const std::string text = DescribeJob(Train());
  for (const char* label : {"File", "Directory", "Labels", "Environment", "Secrets"}) {
    EXPECT_THAT(text, Not(HasSubstr(label)));
  }
}

TEST(JobText, LimitsStandBelowTheRequest) {
  v1::Job job = Train();
  v1::JobSpec& spec = *job.mutable_spec();
  EXPECT_THAT(DescribeJob(job), Not(HasSubstr("Memory")));
  (*spec.mutable_node_labels())["zone"] = "east";
  (*spec.mutable_node_labels())["rack"] = "7";
  spec.set_memory_bytes(int64_t{64} << 30);
  spec.set_shm_bytes(int64_t{8} << 30);
  spec.set_time_limit_ms(7'200'000);
  spec.set_grace_ms(90'000);
  EXPECT_THAT(DescribeJob(job), HasSubstr("Node labels rack=7, zone=east\n"
                                          "Memory      64.0 GiB per node\n"
                                          "/dev/shm    8.0 GiB per node\n"
                                          "Time limit  2h\n"
                                          "Grace       1m30s from SIGTERM to SIGKILL\n"));
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

TEST(JobText, AJobThatOnlyStagesHidesNothing) {
  v1::Job job = Train();
  job.mutable_spec()->clear_command();
  job.mutable_spec()->set_stage_only(true);
  job.mutable_spec()->set_image("registry.lab/ana/train:v1");
  EXPECT_THAT(DescribeJob(job), HasSubstr("Command     none: the job only stages"));
  EXPECT_THAT(DescribeJob(job), HasSubstr("Image       registry.lab/ana/train:v1"));
  job.mutable_spec()->clear_image();  // as others see it
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

TEST(JobText, SpansAreCutToMilliseconds) {
  EXPECT_EQ(SpanText(0), "0ms");
  EXPECT_EQ(SpanText(0.0009), "0ms");
  EXPECT_EQ(SpanText(0.25), "250ms");
  EXPECT_EQ(SpanText(192), "3m12s");
  EXPECT_EQ(SpanText(129'600), "1d12h");
}

TEST(JobText, PartsOfGpusAreWrittenWithoutZerosAtTheEnd) {
  v1::JobSpec spec;
  spec.set_nodes(1);
  spec.mutable_gpus()->set_count(1);
  const std::pair<int, const char*> cases[] = {{1000, "1"},      {500, "1×0.5"}, {250, "1×0.25"},
                                               {125, "1×0.125"}, {1, "1×0.001"}, {900, "1×0.9"}};
  for (const auto& [share, text] : cases) {
    spec.mutable_gpus()->set_share_thousandths(share);
    EXPECT_EQ(GpusText(spec), text);
  }
  spec.mutable_gpus()->set_memory_mib(20'480);
  spec.mutable_gpus()->add_models("A100");
  EXPECT_EQ(GpusText(spec), "1×0.9×A100×20480MiB");
}

TEST(JobText, ElementsOfAnArrayAreCountedByWhatTheyDo) {
  v1::Elements elements;
  EXPECT_EQ(ElementsText(elements), "");
  elements.set_waiting(3);
  EXPECT_EQ(ElementsText(elements), "3 waiting");
  elements.set_completed(87);
  elements.set_running(10);
  EXPECT_EQ(ElementsText(elements), "87 done, 10 running, 3 waiting");
  elements.set_failed(1);
  elements.set_cancelled(2);
  EXPECT_EQ(ElementsText(elements), "87 done, 1 failed, 2 cancelled, 10 running, 3 waiting");
}

TEST(JobText, AnArrayHasNoAttemptAndNoRetriesOfItsOwn) {
  v1::Job job = Train();
  job.mutable_elements()->set_count(100);
  job.mutable_elements()->set_running(7);
  const std::string text = DescribeJob(job);
  EXPECT_THAT(text, HasSubstr("Elements    100: 7 running\n"));
  EXPECT_THAT(text, Not(HasSubstr("attempt")));
  EXPECT_THAT(text, Not(HasSubstr("Retries")));
}

TEST(JobText, AnElementSaysOfHowMany) {
  v1::Job job = Train();
  job.set_array_index(11);
  job.mutable_spec()->mutable_array()->set_count(100);
  EXPECT_THAT(DescribeJob(job), HasSubstr("Element     11 of 0 to 99\n"));
}

TEST(JobText, RetriesAreThoseOfTheJobsOwnFailures) {
  v1::Job job = Train();
  job.set_retries_used(1);
  EXPECT_THAT(DescribeJob(job), HasSubstr("Retries     1 (own failures are not retried"));
  job.mutable_spec()->mutable_retry()->set_on_failure(true);
  job.mutable_spec()->mutable_retry()->set_retries_max(3);
  EXPECT_THAT(DescribeJob(job), HasSubstr("Retries     1 of 3\n"));
  job.set_faults(1);
  EXPECT_THAT(DescribeJob(job), HasSubstr("Retries     1 of 3; 1 attempt lost to faults"));
}

TEST(JobText, ACheckpointThatIsNotCompleteSaysWhy) {
  v1::Job job = Train();
  v1::Checkpoint& one = *job.add_checkpoints();
  one.set_step(100);
  one.set_path("/ckpt/100");
  one.set_at("2026-11-24T10:00:00Z");
  one.set_bytes(int64_t{3} << 30);
  one.set_complete(true);
  one.set_score(0);
  EXPECT_THAT(DescribeJob(job), HasSubstr("Checkpoint  step 100 /ckpt/100 at 2026-11-24T10:00:00Z, "
                                          "3.0 GiB, score 0\n"))
      << "a score of 0 is one";
  one.clear_score();
  one.set_took_seconds(12.5);
  one.set_complete(false);
  one.set_fault("it is empty");
  EXPECT_THAT(DescribeJob(job), HasSubstr("3.0 GiB, took 12s; not complete: it is empty\n"));
}

TEST(JobText, ProgressIsOfATotalOnlyIfThatIsKnown) {
  v1::Job job = Train();
  job.mutable_progress()->set_step(5);
  EXPECT_THAT(DescribeJob(job), Not(HasSubstr("Progress"))) << "no report yet";
  job.mutable_progress()->set_at("2026-11-24T10:00:00Z");
  EXPECT_THAT(DescribeJob(job), HasSubstr("Progress    step 5 at 2026-11-24T10:00:00Z\n"));
  job.mutable_progress()->set_steps(50);
  EXPECT_THAT(DescribeJob(job), HasSubstr("Progress    step 5 of 50 at 2026-11-24T10:00:00Z\n"));
}

TEST(JobText, APlacementsWarningHasALineOfItsOwn) {
  v1::Job job = Train();
  v1::Attempt& attempt = *job.add_attempts();
  attempt.set_placement("2 GPUs on n1; warning: crosses sockets");
  attempt.set_warning("crosses sockets");
  EXPECT_THAT(DescribeJob(job), HasSubstr("Placement   2 GPUs on n1\n"
                                          "Warning     crosses sockets\n"));
}

TEST(JobText, ARankSaysHowItEnded) {
  v1::Job job = Train();
  v1::Attempt& attempt = *job.add_attempts();
  attempt.set_end_class("user-error");
  attempt.set_charged_to("user");
  v1::Rank& killed = *attempt.add_ranks();
  killed.set_node("n1");
  killed.set_outcome("exited");
  killed.set_signal(9);
  killed.set_exit_code(1);
  v1::Rank& failed = *attempt.add_ranks();
  failed.set_rank(1);
  failed.set_node("n2");
  failed.set_outcome("exited");
  failed.set_exit_code(3);
  failed.add_gpus(4);
  failed.add_gpu_uuids("GPU-4");
  failed.add_numa_nodes(0);
  failed.add_numa_nodes(1);
  failed.set_cpus("0-3");
  failed.set_last_error("CUDA out of memory\x1b[0m");
  EXPECT_THAT(DescribeJob(job),
              HasSubstr("Ended by    user-error (charged to user)\n"
                        "            rank 0: n1  exited signal 9\n"
                        "            rank 1: n2 GPU 4 GPU-4  NUMA 0,1  cpus 0-3  exited code 3\n"
                        "Last error  CUDA out of memory\\x1b[0m\n"));
}

TEST(JobText, WhatWasLostToFaultsIsNotCharged) {
  v1::Job job = Train();
  EXPECT_THAT(DescribeJob(job), Not(HasSubstr("GPU-hours")));
  job.mutable_use()->set_gpu_hours(1.5);
  EXPECT_THAT(DescribeJob(job), HasSubstr("GPU-hours   1.500\n"));
  job.mutable_use()->set_cost(3.15);
  job.mutable_use()->set_currency("EUR");
  job.mutable_use()->set_repeated_gpu_hours(0.25);
  EXPECT_THAT(
      DescribeJob(job),
      HasSubstr(
          "GPU-hours   1.500, 3.15 EUR; 0.250 more were lost to faults and are not charged\n"));
}

TEST(JobText, AScriptKeepsItsLines) {
  v1::Job job = Train();
  job.mutable_spec()->clear_command();
  job.mutable_spec()->add_command("bash");
  job.mutable_spec()->add_command("-c\nset -e\n  python x.py");
  EXPECT_THAT(DescribeJob(job), HasSubstr("Command     bash -c\n"
                                          "            set -e\n"
                                          "              python x.py\n"));
}

}  // namespace
}  // namespace gp
