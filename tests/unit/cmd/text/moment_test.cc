#include "cmd/text/moment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <string>

namespace gp {
namespace {

// Rules as POSIX writes them, so that no database of time zones is needed.
constexpr const char* kBerlin = "CET-1CEST,M3.5.0,M10.5.0/3";
constexpr const char* kNewYork = "EST5EDT,M3.2.0,M11.1.0";
constexpr const char* kLordHowe = "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0";

class ParseMomentIn : public testing::Test {
 protected:
  void TearDown() override { Set("UTC"); }

  static void Set(const char* zone) {
    setenv("TZ", zone, 1);
    tzset();
  }

  static std::string ErrorIn(const char* zone, const std::string& text) {
    Set(zone);
    const auto moment = ParseMoment(text, Instant());
    return moment ? "" : moment.error().message;
  }

  static int64_t SecondsIn(const char* zone, const std::string& text) {
    Set(zone);
    const auto moment = ParseMoment(text, Instant());
    return moment ? moment->ns / 1'000'000'000 : -1;
  }
};

TEST_F(ParseMomentIn, LocalTimeAndUtc) {
  EXPECT_EQ(SecondsIn(kBerlin, "2027-07-01T12:00"), SecondsIn(kBerlin, "2027-07-01T10:00Z"));
  EXPECT_EQ(SecondsIn(kBerlin, "2027-01-01 12:00:30"), SecondsIn(kBerlin, "2027-01-01T11:00:30Z"));
  EXPECT_EQ(SecondsIn(kNewYork, "2027-07-01"), SecondsIn(kNewYork, "2027-07-01T04:00Z"));
  EXPECT_EQ(SecondsIn(kBerlin, "1970-01-01T00:00Z"), 0);
}

TEST_F(ParseMomentIn, ATimeThatComesTwiceIsRefused) {
  EXPECT_EQ(ErrorIn(kBerlin, "2027-10-31T02:30"),
            "2027-10-31T02:30 comes twice that day, as clocks are set back: write "
            "2027-10-31T00:30Z or 2027-10-31T01:30Z");
  EXPECT_EQ(ErrorIn(kNewYork, "2027-11-07 01:15:10"),
            "2027-11-07 01:15:10 comes twice that day, as clocks are set back: write "
            "2027-11-07T05:15:10Z or 2027-11-07T06:15:10Z");
  EXPECT_EQ(ErrorIn(kLordHowe, "2027-04-04T01:45"),
            "2027-04-04T01:45 comes twice that day, as clocks are set back: write "
            "2027-04-03T14:45Z or 2027-04-03T15:15Z");
  EXPECT_EQ(ErrorIn(kBerlin, "2027-10-31T03:00"), "");
  EXPECT_EQ(ErrorIn(kBerlin, "2027-10-31T01:59:59"), "");
  EXPECT_EQ(ErrorIn(kBerlin, "2027-10-31T00:30Z"), "");
}

TEST_F(ParseMomentIn, ATimeThatIsLeftOutIsRefused) {
  EXPECT_TRUE(
      ErrorIn(kBerlin, "2027-03-28T02:30")
          .starts_with(
              "2027-03-28T02:30 is left out of that day, as clocks are set forward over it"));
  EXPECT_TRUE(ErrorIn(kNewYork, "2027-03-14T02:00").starts_with("2027-03-14T02:00 is left out"));
  EXPECT_TRUE(ErrorIn(kLordHowe, "2027-10-03T02:15").starts_with("2027-10-03T02:15 is left out"));
  EXPECT_EQ(ErrorIn(kBerlin, "2027-03-28T03:00"), "");
  EXPECT_EQ(ErrorIn(kBerlin, "2027-03-28T01:59:59"), "");
}

TEST_F(ParseMomentIn, NoDayOfTheCalendar) {
  for (const char* text :
       {"2027-02-30T10:00", "2027-02-29", "2027-04-31T10:00Z", "2027-13-01", "soon"}) {
    EXPECT_TRUE(ErrorIn(kBerlin, text).find("is no point in time") != std::string::npos) << text;
  }
  EXPECT_EQ(ErrorIn(kBerlin, "2028-02-29"), "");
}

}  // namespace
}  // namespace gp
