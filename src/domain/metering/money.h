#pragma once

// GPU time and what it costs, exact to the last unit: time is in thousandths of a GPU times
// milliseconds, prices are in millionths of the currency for a GPU-hour.  Their products are exact;
// only displayed values are rounded.

#include <compare>
#include <cstdint>
#include <string>

#include "base/fields.h"
#include "base/wide.h"

namespace gp {

// Thousandths of a GPU times milliseconds.
struct GpuTime {
  Wide units = 0;

  GpuTime& operator+=(GpuTime other) {
    units += other.units;
    return *this;
  }
  GpuTime operator-() const { return {-units}; }
  auto operator<=>(const GpuTime&) const = default;
};
GP_FIELDS(GpuTime, v.units)

inline constexpr GpuTime kGpuHour{Wide{1'000} * 3'600'000};

// Of one GPU for one hour.
struct Price {
  int64_t micros = 0;
  auto operator<=>(const Price&) const = default;
};
GP_FIELDS(Price, v.micros)

inline constexpr int64_t kMicrosPerUnit = 1'000'000;  // of the currency
inline constexpr Price kPriceMax{int64_t{10'000} * kMicrosPerUnit};

// A sum of times at prices.
struct Money {
  Wide exact = 0;  // millionths of the currency times kGpuHour

  Money() = default;
  Money(GpuTime time, Price price) : exact(time.units * price.micros) {}
  // `micros` millionths of the currency.
  static Money OfMicros(int64_t micros);

  Money& operator+=(Money other);
  Money operator-() const;
  // Rounded to the nearest unit of `micros` millionths of the currency; halves round away from
  // zero.
  Wide To(int64_t micros) const;
  auto operator<=>(const Money&) const = default;
};
GP_FIELDS(Money, v.exact)

inline Money operator+(Money a, Money b) { return a += b; }
inline Money operator-(Money a, Money b) { return a += -b; }

// "1,234.50": to the hundredth of the currency, without its name.
std::string ToText(Money money);

// "2.5": GPU-hours, to the thousandth, without zeros at the end.
std::string ToGpuHours(GpuTime time);

}  // namespace gp
