#include "domain/cluster/arrays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/test_cluster.h"

namespace gp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::shared_ptr<const JobSpec> ArrayOf(int count, int max_parallel = 0) {
  JobSpec spec;
  spec.program.command = {"/bin/true"};
  spec.policy.array = {count, max_parallel};
  return std::make_shared<const JobSpec>(std::move(spec));
}

class Arrays : public testing::Test {
 protected:
  Arrays() { cluster_.AddNode(TestCluster::MakeFacts("n1", {0, 0, 1, 1})); }
  ~Arrays() override {
    EXPECT_THAT(cluster_.broken(), testing::IsEmpty());
    EXPECT_TRUE(cluster_.ReplayAgrees());
  }

  void Submit(std::shared_ptr<const JobSpec> spec, const std::string& request_id = "") {
    ASSERT_TRUE(cluster_.Execute(SubmitJob{std::move(spec), {"ana", 1, 1}}, request_id));
  }
  std::string Refusal(std::string_view name) {
    const auto found = FindJobNamed(cluster_.state(), name);
    return found ? "" : found.error().message;
  }

  TestCluster cluster_;
};

TEST(JobName, IsAJobOrElementsOfAnArray) {
  using Elements = JobName::Elements;
  EXPECT_EQ(ParseJobName("job-5"), (JobName{{5}, {}}));
  EXPECT_EQ(ParseJobName("job-5[3]"), (JobName{{5}, Elements{3, 3}}));
  EXPECT_EQ(ParseJobName("job-5[2-7]"), (JobName{{5}, Elements{2, 7}}));
  EXPECT_EQ(ParseJobName("job-5[*]"), (JobName{{5}, Elements{0, kArrayMax - 1}}));
  EXPECT_EQ(ParseJobName("job-5[9999]"), (JobName{{5}, Elements{9'999, 9'999}}));
  for (const char* wrong :
       {"",           "5",         "job-",         "job-5[",    "job-5[]",
        "job-5]",     "job-5[-1]", "job-5[7-2]",   "job-5[1-]", "job-5[-]",
        "job-5[1,2]", "job-5[a]",  "job-5[10000]", "job-5[01]", "job-5[3]x",
        "job-5[3",    "[3]",       "job-5 [3]",    "job-5[**]", "job-5[1-2-3]"}) {
    EXPECT_FALSE(ParseJobName(wrong)) << wrong;
  }
}

TEST_F(Arrays, ElementsHaveTheNumbersBehindTheArrays) {
  Submit(ArrayOf(3));
  Submit(ArrayOf(1));
  EXPECT_THAT(ElementsOf(cluster_.state(), {1}), ElementsAre(JobId{2}, JobId{3}, JobId{4}));
  EXPECT_THAT(ElementsOf(cluster_.state(), {5}), ElementsAre(JobId{6}));
  EXPECT_EQ(cluster_.state().jobs.last, 6u);
  EXPECT_EQ(NameOf(*cluster_.state().FindJob({4})), "job-1[2]");
}

TEST_F(Arrays, OneShareTheSpecAndTheRecordHasItOnce) {
  JobSpec spec = *ArrayOf(100);
  spec.program.command.emplace_back(10'000, 'x');
  Submit(std::make_shared<const JobSpec>(spec));
  EXPECT_EQ(cluster_.state().FindJob({2})->spec, cluster_.state().FindJob({101})->spec);
  EXPECT_THAT(cluster_.records().back(), SizeIs(testing::Lt(11'000u)));
  const std::string snapshot = EncodeState(cluster_.state());
  EXPECT_THAT(snapshot, SizeIs(testing::Lt(40'000u)));
  const auto decoded = DecodeState(snapshot);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->FindJob({2})->spec, decoded->FindJob({101})->spec);
}

TEST_F(Arrays, OneJobIsNamedExactly) {
  Submit(ArrayOf(3));
  Submit(ArrayOf(0));
  EXPECT_EQ(FindJobNamed(cluster_.state(), "job-1[2]"), JobId{4});
  EXPECT_EQ(FindJobNamed(cluster_.state(), "job-4"), JobId{4});
  EXPECT_EQ(FindJobNamed(cluster_.state(), "job-5"), JobId{5});
  EXPECT_THAT(Refusal("job-1"), HasSubstr("an array of 3 jobs: name one of them, as job-1[0]"));
  EXPECT_THAT(Refusal("job-1[*]"), HasSubstr("means several jobs"));
  EXPECT_THAT(Refusal("job-1[0-1]"), HasSubstr("means several jobs"));
  EXPECT_THAT(Refusal("job-1[3]"), HasSubstr("elements 0 to 2"));
  EXPECT_THAT(Refusal("job-5[0]"), HasSubstr("is not an array"));
  EXPECT_THAT(Refusal("job-2[0]"), HasSubstr("is not an array"));
  EXPECT_THAT(Refusal("job-9"), HasSubstr("no job job-9"));
  EXPECT_THAT(Refusal("the last"), HasSubstr("names no job"));
}

TEST_F(Arrays, SeveralJobsAreNamedByTheArrayOrARange) {
  Submit(ArrayOf(4));
  Submit(ArrayOf(0));
  const auto named = [this](std::string_view name) {
    return FindJobsNamed(cluster_.state(), name).value_or(std::vector<JobId>());
  };
  EXPECT_THAT(named("job-1"), ElementsAre(JobId{2}, JobId{3}, JobId{4}, JobId{5}));
  EXPECT_THAT(named("job-1[*]"), SizeIs(4));
  EXPECT_THAT(named("job-1[1-2]"), ElementsAre(JobId{3}, JobId{4}));
  EXPECT_THAT(named("job-1[2-99]"), ElementsAre(JobId{4}, JobId{5}));
  EXPECT_THAT(named("job-3"), ElementsAre(JobId{3}));
  EXPECT_THAT(named("job-6"), ElementsAre(JobId{6}));
  for (const char* wrong : {"job-1[4-5]", "job-6[*]", "job-7", "job"})
    EXPECT_FALSE(FindJobsNamed(cluster_.state(), wrong)) << wrong;
}

TEST_F(Arrays, ARequestIsAnsweredWhileOneOfThemIsKnown) {
  ASSERT_TRUE(cluster_.Execute(StartController{.policy = {.jobs_kept = 0}}));
  Submit(ArrayOf(2), "r1");
  EXPECT_EQ(cluster_.state().jobs.by_request.at("1/r1"), JobId{1});
  ASSERT_TRUE(cluster_.Execute(StopJob{{2}}));
  Submit(ArrayOf(0));
  ASSERT_EQ(cluster_.state().FindJob({2}), nullptr);
  Submit(ArrayOf(2), "r1");
  EXPECT_EQ(cluster_.state().jobs.last, 4u);
  ASSERT_TRUE(cluster_.Execute(StopJob{{3}}));
  Submit(ArrayOf(0));
  EXPECT_FALSE(cluster_.state().jobs.arrays.contains({1}));
  Submit(ArrayOf(2), "r1");
  EXPECT_EQ(cluster_.state().jobs.by_request.at("1/r1"), JobId{6});
}

TEST_F(Arrays, AccountsOfArraysDoNotPileUp) {
  Submit(ArrayOf(3, 2));
  const auto has_account = [this] {
    return cluster_.state().queues.accounts.contains({"", "", {1}});
  };
  EXPECT_FALSE(has_account());
  cluster_.Pass();
  ASSERT_TRUE(has_account());
  EXPECT_EQ(cluster_.state().queues.accounts.at({"", "", {1}}).held.jobs, 2);
  EXPECT_TRUE(cluster_.Execute(SetPriority{{2}, 300}));
  ASSERT_TRUE(has_account());
  const auto exit = [](uint64_t lease) {
    return LeaseObservation{{lease}, true, true, {1}, {2}, {LeaseEnd::kExited, 0, 0, ""}};
  };
  ReportNode report{{0}, cluster_.state().nodes.all[0].incarnation, {exit(1), exit(2)}, {}};
  ASSERT_TRUE(cluster_.Execute(report));
  EXPECT_FALSE(has_account());
}

// A reader that finds a reference to a shared value before there was one.
TEST(SharedValues, WithoutAnEarlierOneAreDamage) {
  const Record record{{{1}, "", "", SubmitJob{ArrayOf(1), {"ana", 1, 1}}},
                      {JobSubmitted{{1}, ArrayOf(1), {"ana", 1, 1}, "", "q", "p"}}};
  const std::string good = EncodeRecord(record);
  ASSERT_TRUE(DecodeRecord(good));
  int refused = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    std::string damaged = good;
    // A false that is true, where it stands for one
    damaged[i] = static_cast<char>(damaged[i] ^ 2);
    const auto decoded = DecodeRecord(damaged);
    if (!decoded) ++refused;
    if (!decoded) continue;
    const auto* submit = std::get_if<SubmitJob>(&decoded->envelope.command);
    if (submit != nullptr) {
      EXPECT_NE(submit->spec, nullptr);
    }
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace gp
