#include "domain/model/jobs/array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gp {
namespace {

using testing::ElementsAre;

JobSpec Of(int count) {
  JobSpec spec;
  spec.policy.array.count = count;
  return spec;
}

TEST(Array, NumbersOfElementsFollowThatOfTheArrayWithoutAGap) {
  EXPECT_THAT(JobsOf(JobId{5}, Of(3)), ElementsAre(JobId{6}, JobId{7}, JobId{8}));
  EXPECT_THAT(JobsOf(JobId{5}, Of(0)), ElementsAre(JobId{5}));
  for (const int count : {0, 1, 2, 100, kArrayMax}) {
    const std::vector<JobId> jobs = JobsOf(JobId{5}, Of(count));
    EXPECT_EQ(CountJobs(Of(count)), static_cast<int>(jobs.size()));
    EXPECT_EQ(Behind(JobId{5}, Of(count)).value, jobs.back().value + 1)
        << "the next job has the next number";
  }
}

TEST(Array, AnElementKnowsItsIndex) {
  for (const int index : {0, 1, 99, kArrayMax - 1}) {
    const JobId element = ElementId(JobId{5}, index);
    EXPECT_EQ(IndexIn(JobId{5}, element), index);
    EXPECT_EQ(ElementName(JobId{5}, element), "job-5[" + std::to_string(index) + "]");
    EXPECT_EQ(*ParseOneJob(ElementName(JobId{5}, element)), element);
  }
  EXPECT_EQ(ElementName(JobId{}, JobId{17}), "job-17");
}

TEST(Array, ElementsAreNamedByOneARangeOrAll) {
  struct Case {
    const char* text;
    std::optional<JobName::Elements> elements;
  };
  const Case cases[] = {
      {"job-5", std::nullopt},
      {"job-5[0]", JobName::Elements{0, 0}},
      {"job-5[9999]", JobName::Elements{9'999, 9'999}},
      {"job-5[2-7]", JobName::Elements{2, 7}},
      {"job-5[7-7]", JobName::Elements{7, 7}},
      {"job-5[*]", JobName::Elements{0, kArrayMax - 1}},
  };
  for (const Case& one : cases) {
    const auto name = ParseJobName(one.text);
    ASSERT_TRUE(name) << one.text;
    EXPECT_EQ(name->job, JobId{5}) << one.text;
    EXPECT_EQ(name->elements, one.elements) << one.text;
  }
}

TEST(Array, WhatNamesNoElementsIsRefused) {
  for (const char* text :
       {"job-5[",         "job-5[]",   "job-5]",     "job-5[3",    "job-5[3]x",
        "job-5[-]",       "job-5[-3]", "job-5[3-]",  "job-5[7-2]", "job-5[10000]",
        "job-5[0-10000]", "job-5[03]", "job-5[+1]",  "job-5[1,2]", "job-5[1-2-3]",
        "job-5[ 1]",      "job-5[**]", "job-5[[1]]", "[1]",        ""}) {
    const auto name = ParseJobName(text);
    ASSERT_FALSE(name) << text;
    EXPECT_EQ(name.error().code, ErrorCode::kInvalidArgument) << text;
  }
}

TEST(Array, OneJobIsNotSeveralElements) {
  EXPECT_EQ(*ParseOneJob("job-5"), JobId{5});
  EXPECT_EQ(*ParseOneJob("job-5[4-4]"), ElementId(JobId{5}, 4));
  EXPECT_THAT(ParseOneJob("job-5[2-7]").error().message,
              testing::HasSubstr("means several elements: name one, as job-5[0]"));
  EXPECT_FALSE(ParseOneJob("job-5[*]"));
}

TEST(Array, WhatTheUserSubmittedIsTheArray) {
  Job job;
  job.id = JobId{9};
  EXPECT_EQ(SubmittedAs(job), JobId{9});
  EXPECT_EQ(NameOf(job), "job-9");
  job.array = JobId{5};
  EXPECT_EQ(SubmittedAs(job), JobId{5});
  EXPECT_EQ(NameOf(job), "job-5[3]");
}

TEST(Array, OnlyALimitOfRunningElementsMakesAnAccount) {
  Job job;
  job.id = JobId{9};
  job.array = JobId{5};
  JobSpec spec = Of(10);
  job.spec = std::make_shared<const JobSpec>(spec);
  EXPECT_EQ(LimitingArray(job), JobId{});
  spec.policy.array.max_parallel = 2;
  job.spec = std::make_shared<const JobSpec>(spec);
  EXPECT_EQ(LimitingArray(job), JobId{5});
}

}  // namespace
}  // namespace gp
