#include "domain/metering/break_even.h"

#include <string>

namespace gp {
namespace {

constexpr int64_t kAmountMax = 1'000'000'000'000'000;
constexpr int64_t kMonthsOfFiveYears = 60;

int64_t NearestRatio(int64_t part, int64_t whole) { return (part + whole / 2) / whole; }

Status CheckAmount(const char* name, int64_t amount) {
  if (amount >= 0 && amount <= kAmountMax) return Ok();
  return Fail(InvalidArgument(std::string(name) + ": must be from 0 to 10^15, not " +
                              std::to_string(amount)));
}

}  // namespace

Result<std::optional<BreakEven>> BreakEvenOf(const OwnOrRented& costs) {
  GP_CHECK_OK(CheckAmount("purchase", costs.purchase));
  GP_CHECK_OK(CheckAmount("own_monthly", costs.own_monthly));
  GP_CHECK_OK(CheckAmount("rented_monthly", costs.rented_monthly));
  const int64_t saved_monthly = costs.rented_monthly - costs.own_monthly;
  if (saved_monthly <= 0) return std::optional<BreakEven>{};
  return std::optional(
      BreakEven{.hundredths_of_months = NearestRatio(costs.purchase * 100, saved_monthly),
                .hundredths_of_years = NearestRatio(costs.purchase * 100, saved_monthly * 12),
                .saved_in_five_years = saved_monthly * kMonthsOfFiveYears - costs.purchase});
}

}  // namespace gp
