#include "adapters/inbound/api/job_lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/support/test_cluster.h"

namespace gp {
namespace {

class JobLookup : public testing::Test {
 protected:
  JobId Submit(const std::string& name, const User& user, int array = 0,
               const std::string& queue = "") {
    JobSpec spec;
    spec.policy.queue = queue;
    spec.name = name;
    spec.program.command = {"true"};
    spec.policy.array.count = array;
    const JobId id{cluster_.state().jobs.last + 1};
    EXPECT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), user}));
    return id;
  }
  void Cancel(JobId id) { EXPECT_TRUE(cluster_.Execute(StopJob{id, false})); }

  // What ana's text calls a job, or the error.
  std::string Named(const std::string& text, JobAct act = JobAct::kSee) {
    Caller caller;
    caller.user = ana_;
    caller.access = std::make_shared<const Access>(cluster_.state().access);
    const auto name = JobNameFor(cluster_.state(), caller, act, text);
    return name ? *name : name.error().message;
  }

  TestCluster cluster_;
  const User ana_{"ana", 1, 1};
  const User bert_{"bert", 2, 2};
};

TEST_F(JobLookup, IdsAndNumbers) {
  Submit("train", ana_);
  EXPECT_EQ(Named("job-1"), "job-1");
  EXPECT_EQ(Named("job-77"), "job-77") << "the caller of this finds out that there is none";
  EXPECT_EQ(Named("1"), "job-1");
  EXPECT_EQ(Named("1[2-7]"), "job-1[2-7]");
  EXPECT_EQ(Named("2"),
            "\"2\" is no job: write its id, as job-17 or job-17[3], or its name "
            "(gpu-platform jobs list)");
}

TEST_F(JobLookup, ANumberThatIsNoIdMayBeAName) {
  Submit("7", ana_);
  EXPECT_EQ(Named("7"), "job-1");
}

TEST_F(JobLookup, NamesAndTheirBeginnings) {
  Submit("train", ana_);
  Submit("training", ana_);
  EXPECT_EQ(Named("train"), "job-1") << "the whole name comes first";
  EXPECT_EQ(Named("traini"), "job-2");
  EXPECT_EQ(Named("tra"), "\"tra\" means 2 jobs: job-1 (train), job-2 (training); give an id");
}

TEST_F(JobLookup, ANumberIsNoBeginningOfAName) {
  Submit("175b-train", ana_);
  EXPECT_THAT(Named("175"), testing::HasSubstr("is no job")) << "the id of a job that is gone";
  EXPECT_THAT(Named("175[3]"), testing::HasSubstr("is no job"));
  EXPECT_EQ(Named("175b"), "job-1");
}

TEST_F(JobLookup, OnlyAWholeNameMeansAJobThatIsToBeChanged) {
  Submit("training", ana_);
  EXPECT_EQ(Named("train", JobAct::kRead), "job-1");
  EXPECT_THAT(Named("train", JobAct::kChange), testing::HasSubstr("is no job"));
  EXPECT_EQ(Named("training", JobAct::kChange), "job-1");
}

TEST_F(JobLookup, JobsThatTheCallerMayNotSeeAreNotThere) {
  SetQueue hidden;
  hidden.name = "hidden";
  ASSERT_TRUE(cluster_.Execute(hidden));
  ASSERT_TRUE(cluster_.Execute(GrantRole{"ana", "hidden", Role::kNone}));
  Submit("secret", bert_, 0, "hidden");
  EXPECT_THAT(Named("secret"), testing::HasSubstr("is no job"));
  EXPECT_THAT(Named("1"), testing::HasSubstr("is no job"));
  Submit("1", ana_);
  EXPECT_EQ(Named("1"), "job-2") << "the hidden job does not stand before it";
}

TEST_F(JobLookup, ElementsOfAnArrayByItsName) {
  Submit("sweep", ana_, 10);
  EXPECT_EQ(Named("sweep"), "job-1");
  EXPECT_EQ(Named("swe[3]"), "job-1[3]");
}

TEST_F(JobLookup, OwnJobsComeBeforeThoseOfOthersAndLiveOnesBeforeFinishedOnes) {
  Submit("train", bert_);
  EXPECT_EQ(Named("train"), "job-1");
  const JobId first = Submit("train", ana_);
  EXPECT_EQ(Named("train"), "job-2");
  Cancel(first);
  EXPECT_EQ(Named("train"), "job-2") << "own, although it is over";
  Cancel(Submit("train", ana_));
  EXPECT_EQ(Named("train"), "job-3") << "the newest that is over";
  Submit("train", ana_);
  EXPECT_EQ(Named("train"), "job-4");
  Submit("train", ana_);
  EXPECT_EQ(Named("train"), "\"train\" means 2 jobs: job-4 (train), job-5 (train); give an id");
}

TEST_F(JobLookup, AnAmbiguousNameListsSomeOfItsJobs) {
  for (int i = 0; i < 7; ++i) Submit("train", ana_);
  EXPECT_EQ(Named("train"),
            "\"train\" means 7 jobs: job-1 (train), job-2 (train), job-3 (train), job-4 (train), "
            "job-5 (train), …; give an id");
}

}  // namespace
}  // namespace gp
