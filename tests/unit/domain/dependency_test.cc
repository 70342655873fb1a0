#include "domain/model/jobs/dependency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/model/jobs/array.h"

namespace gp {
namespace {

TEST(Dependency, IsReadAsItIsWritten) {
  for (const uint64_t job : {uint64_t{1}, uint64_t{17}, uint64_t{1'000'000'007}}) {
    for (const AfterKind kind :
         {AfterKind::kOk, AfterKind::kEnded, AfterKind::kStarted, AfterKind::kFailed}) {
      const Dependency dependency{JobId{job}, kind};
      const auto read = ParseDependency(ToText(dependency));
      ASSERT_TRUE(read) << ToText(dependency);
      EXPECT_EQ(*read, dependency);
    }
  }
}

TEST(Dependency, WithoutAWordTheJobHasToComplete) {
  EXPECT_EQ(ParseDependency("job-17")->kind, AfterKind::kOk);
  EXPECT_EQ(*ParseAfterKind(""), AfterKind::kOk);
}

TEST(Dependency, MayBeOnOneElementOfAnArray) {
  EXPECT_EQ(ParseDependency("job-17[3]:ended")->job, ElementId(JobId{17}, 3));
  EXPECT_FALSE(ParseDependency("job-17[1-3]")) << "several";
}

TEST(Dependency, WhatIsNoneIsRefused) {
  for (const char* text : {"", ":", "job-17:", "job-17:done", "job-17:OK", "job-17:ok:ended", "17",
                           ":ok", "job-17 :ok", "job-17: ok", "lease-17:ok"}) {
    const auto read = ParseDependency(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace gp
