#include "base/calendar.h"

namespace gp {

// Proleptic Gregorian calendar, by integer arithmetic on eras of 400 years.
CivilDate CivilFromDays(int64_t days) {
  days += 719468;
  const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const int64_t day_of_era = days - era * 146097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted_month = (5 * day_of_year + 2) / 153;
  const int day = static_cast<int>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  const int month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

int64_t DaysFromCivil(const CivilDate& date) {
  // Years begin in March: a leap day is the last day of its year.
  const int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t shifted_month = date.month > 2 ? date.month - 3 : date.month + 9;
  const int64_t day_of_year = (153 * shifted_month + 2) / 5 + date.day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

int64_t FirstOfMonth(int64_t day) { return day - (CivilFromDays(day).day - 1); }

int64_t FirstOfYear(int64_t day) {
  int64_t first = FirstOfMonth(day);
  while (CivilFromDays(first).month > 1) first = FirstOfMonth(first - 1);
  return first;
}

}  // namespace gp
