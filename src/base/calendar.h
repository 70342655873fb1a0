#pragma once

// Days of the Gregorian calendar, in UTC, numbered from 1970-01-01.

#include <cstdint>

namespace gp {

struct CivilDate {
  int64_t year;
  int month;  // 1 to 12
  int day;    // 1 to 31
};

CivilDate CivilFromDays(int64_t days);
// REQUIRES: the month is from 1 to 12.  A day beyond the month's end counts on into the next.
int64_t DaysFromCivil(const CivilDate& date);

// The first day of the month, or of the year, that contains the day.
int64_t FirstOfMonth(int64_t day);
int64_t FirstOfYear(int64_t day);

}  // namespace gp
