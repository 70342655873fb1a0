#pragma once

// After what time owned machines cost less than rented ones.

#include <cstdint>
#include <optional>

#include "base/result.h"

namespace gp {

// All in whole units of one currency.
struct OwnOrRented {
  int64_t purchase = 0;
  int64_t own_monthly = 0;     // power, cooling, space, people
  int64_t rented_monthly = 0;  // for the same capacity
};

struct BreakEven {
  int64_t hundredths_of_months = 0;  // rounded to the nearest
  int64_t hundredths_of_years = 0;
  int64_t saved_in_five_years = 0;  // by owning; negative: owning costs more
  bool operator==(const BreakEven&) const = default;
};

// None: renting costs no more per month, so that owning never pays off.  kInvalidArgument: an
// amount is negative or above 10^15.
Result<std::optional<BreakEven>> BreakEvenOf(const OwnOrRented& costs);

}  // namespace gp
