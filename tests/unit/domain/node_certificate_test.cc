#include <gtest/gtest.h>

#include "domain/model/access.h"
#include "domain/model/jobs/job_spec.h"

namespace gp {
namespace {

constexpr Instant kToday{1'700'000'000'000'000'000};
const std::string kPrint(64, 'a');

TEST(NodeCertificate, NamesAHostAndHasNotExpired) {
  const NodeCertificate good{kPrint, kToday + Duration{1}};
  EXPECT_TRUE(ValidateNodeCertificate("n-1.example.org", good, kToday));
  for (const std::string& name :
       {std::string(), std::string("n 1"), std::string("n/1"), std::string(254, 'n')}) {
    EXPECT_FALSE(ValidateNodeCertificate(name, good, kToday)) << name;
  }
  EXPECT_FALSE(ValidateNodeCertificate("n1", {kPrint, kToday}, kToday));
  for (const std::string& print : {std::string(), std::string(63, 'a'), std::string(65, 'a'),
                                   std::string(64, 'A'), std::string(63, 'a') + "g"}) {
    EXPECT_FALSE(ValidateNodeCertificate("n1", {print, kToday + Duration{1}}, kToday)) << print;
  }
}

TEST(NodeCertificate, TheOneBeforeCountsUntilItExpires) {
  Access access;
  const std::string newer(64, 'b');
  access.nodes["n1"] = {{kPrint, kToday + Duration::Seconds(10)},
                        {newer, kToday + Duration::Seconds(100)}};
  EXPECT_TRUE(IsCertified(access, "n1", kPrint, kToday));
  EXPECT_TRUE(IsCertified(access, "n1", newer, kToday));
  EXPECT_TRUE(IsCertified(access, "n1", kPrint, kToday + Duration::Milliseconds(9'999)));
  EXPECT_FALSE(IsCertified(access, "n1", kPrint, kToday + Duration::Seconds(10)));
  EXPECT_TRUE(IsCertified(access, "n1", newer, kToday + Duration::Seconds(10)));
  EXPECT_FALSE(IsCertified(access, "n2", kPrint, kToday)) << "another node's";
  EXPECT_FALSE(IsCertified(access, "n1", std::string(64, 'c'), kToday));
  EXPECT_FALSE(IsCertified(access, "n1", "", kToday));
}

TEST(Subjects, AreUsersOrEverybody) {
  for (const std::string& subject :
       {std::string("ana"), std::string(kEverybody), std::string("uid-1000"),
        std::string("a@b.org"), std::string(kNameLengthMax, 'a')})
    EXPECT_TRUE(IsSubject(subject)) << subject;
  for (const std::string& subject :
       {std::string(), std::string("a b"), std::string("a\nb"), std::string("a\x7f"),
        std::string("\xc3\xa4"), std::string(kNameLengthMax + 1, 'a')})
    EXPECT_FALSE(IsSubject(subject)) << subject;
}

}  // namespace
}  // namespace gp
