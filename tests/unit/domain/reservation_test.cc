#include "domain/model/reservation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/model/jobs/job_spec.h"

namespace gp {
namespace {

using testing::StartsWith;

constexpr Instant kReservedOn{1'700'000'000'000'000'000};

Reservation Course() {
  return {.name = "course",
          .starts_at = kReservedOn + Duration::Minutes(60),
          .ends_at = kReservedOn + Duration::Minutes(120),
          .users = {"ana"},
          .queues = {"research"}};
}

std::string FaultOf(const Reservation& reservation) {
  const Status checked = ValidateReservation(reservation, kReservedOn);
  return checked ? "" : checked.error().message;
}

TEST(Reservation, AdmitsItsUsersAndItsQueuesWithAllBelow) {
  const Reservation course = Course();
  EXPECT_TRUE(Admits(course, "ana", "default"));
  EXPECT_TRUE(Admits(course, "bob", "research"));
  EXPECT_TRUE(Admits(course, "bob", "research/nlp"));
  EXPECT_TRUE(Admits(course, "bob", "research/nlp/a"));
  EXPECT_FALSE(Admits(course, "bob", "default"));
  EXPECT_FALSE(Admits(course, "bob", "research2")) << "a name is not a path";
  EXPECT_FALSE(Admits(course, "bob", "a/research"));
  EXPECT_FALSE(Admits(course, "an", "default"));
  EXPECT_FALSE(Admits(course, "", ""));
}

TEST(Reservation, OfNobodyAdmitsNobody) {
  EXPECT_FALSE(Admits({.name = "maintenance", .maintenance = true}, "ana", "research"));
}

TEST(Reservation, EndsInTheFutureAndBehindItsStart) {
  EXPECT_EQ(FaultOf(Course()), "");
  Reservation course = Course();
  course.starts_at = kReservedOn - Duration::Minutes(60);
  EXPECT_EQ(FaultOf(course), "") << "it may have begun";
  course.ends_at = kReservedOn;
  EXPECT_THAT(FaultOf(course), StartsWith("end: "));
  course.ends_at = kReservedOn + Duration{1};
  EXPECT_EQ(FaultOf(course), "");
  course.starts_at = course.ends_at;
  EXPECT_THAT(FaultOf(course), StartsWith("end: must be after the start"));
}

TEST(Reservation, LastsAtMostTenYears) {
  Reservation course = Course();
  course.ends_at = kReservedOn + kReservationTimeMax;
  EXPECT_EQ(FaultOf(course), "");
  course.ends_at = course.ends_at + Duration{1};
  EXPECT_THAT(FaultOf(course), StartsWith("end: more than "));
}

TEST(Reservation, MaintenanceIsForNobody) {
  Reservation maintenance = Course();
  maintenance.maintenance = true;
  EXPECT_THAT(FaultOf(maintenance), StartsWith("maintenance: "));
  maintenance.users.clear();
  EXPECT_THAT(FaultOf(maintenance), StartsWith("maintenance: "));
  maintenance.queues.clear();
  EXPECT_EQ(FaultOf(maintenance), "");
}

TEST(Reservation, NamesAndNotesHaveLimits) {
  Reservation course = Course();
  course.users.assign(kReservationNamesMax, "ana");
  course.queues.assign(kReservationNamesMax, "a/b");
  course.note = std::string(kReservationNoteMax, 'x');
  EXPECT_EQ(FaultOf(course), "");
  course.users.push_back("ana");
  EXPECT_THAT(FaultOf(course), StartsWith("users: at most 256"));
  course.users.pop_back();
  course.queues.push_back("a");
  EXPECT_THAT(FaultOf(course), StartsWith("queues: at most 256"));
  course.queues.pop_back();
  course.note += "x";
  EXPECT_THAT(FaultOf(course), StartsWith("note: at most 256"));
}

TEST(Reservation, EachNameIsChecked) {
  Reservation course = Course();
  course.name = "a b";
  EXPECT_THAT(FaultOf(course), StartsWith("name: "));
  course = Course();
  course.users.push_back("a/b");
  EXPECT_THAT(FaultOf(course), StartsWith("users: "));
  course = Course();
  course.queues.push_back("a//b");
  EXPECT_THAT(FaultOf(course), StartsWith("queues: "));
  course = Course();
  course.note = std::string("a\0b", 3);
  EXPECT_THAT(FaultOf(course), StartsWith("note: "));
}

}  // namespace
}  // namespace gp
