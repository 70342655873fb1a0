#include "domain/model/ids.h"

#include <gtest/gtest.h>

#include "domain/model/jobs/array.h"

namespace gp {
namespace {

TEST(Ids, AreDecimal) {
  EXPECT_EQ(ToText(JobId{17}), "job-17");
  EXPECT_EQ(ToText(LeaseId{17}), "lease-17");
  EXPECT_EQ(ToText(IncidentId{17}), "incident-17");
  EXPECT_EQ(ToText(TokenId{17}), "token-17");
  for (const uint64_t number :
       {uint64_t{0}, uint64_t{1}, uint64_t{31}, uint64_t{32}, uint64_t{1'000'000}}) {
    EXPECT_EQ(ParseJobId(ToText(JobId{number}))->value, number);
  }
}

TEST(Ids, OfEarlierVersionsAreUnderstoodWhereTheyHoldALetter) {
  EXPECT_EQ(ParseJobId("job-000h"), JobId{17});
  EXPECT_EQ(ParseJobId("job-16J"), JobId{1234});
  EXPECT_EQ(ParseTokenId("token-001a"), TokenId{42});
}

TEST(Ids, WithLeadingZerosAndNoLetterAreRefusedAndBothSpellingsNamed) {
  const auto both = ParseJobId("job-0017");
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().message,
            "\"job-0017\": ids have no leading zeros; write job-39, if an earlier version has "
            "written it, or job-17");
  const auto same = ParseIncidentId("incident-0007");
  ASSERT_FALSE(same);
  EXPECT_EQ(same.error().message, "\"incident-0007\": ids have no leading zeros; write incident-7");
}

TEST(Ids, ThatAreNone) {
  for (const char* text : {"", "job-", "job-u", "lease-17", "17", "job-17 ", "job--1", "job-1.5",
                           "job-99999999999999999999"}) {
    const auto id = ParseJobId(text);
    ASSERT_FALSE(id) << text;
    EXPECT_TRUE(id.error().message.ends_with(" names no job: write job-17")) << id.error().message;
  }
}

TEST(Ids, OfElementsAreThoseOfTheirArray) {
  EXPECT_EQ(ElementName({}, {20}), "job-20");
  EXPECT_EQ(ElementName({17}, {20}), "job-17[2]");
  const auto name = ParseJobName("job-17[2]");
  ASSERT_TRUE(name);
  EXPECT_EQ(ElementId(name->job, name->elements->first), JobId{20});
  EXPECT_EQ(ParseJobName("job-000h[2]")->job, JobId{17});
  EXPECT_FALSE(ParseJobName("job-17[x]"));
  EXPECT_EQ(ParseOneJob("job-17[2]"), JobId{20});
  EXPECT_EQ(ParseOneJob("job-17"), JobId{17});
  EXPECT_FALSE(ParseOneJob("job-17[2-3]"));
}

TEST(Ids, OfDirectoriesAreAsEver) {
  EXPECT_EQ(KeyOf(LeaseId{77}), "lease-002d");
  EXPECT_EQ(ParseLeaseKey("lease-002d"), LeaseId{77});
  EXPECT_EQ(ParseLeaseKey("lease-0010"), LeaseId{32});
  EXPECT_EQ(KeyOf(JobId{17}), "job-000h");
  EXPECT_EQ(ParseJobKey("job-000h"), JobId{17});
}

}  // namespace
}  // namespace gp
