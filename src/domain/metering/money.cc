#include "domain/metering/money.h"

#include <cstdlib>

#include "base/assert.h"

namespace gp {
namespace {

// The nearest whole; halves go away from zero.
Wide Rounded(Wide amount, Wide unit) {
  const Wide half = unit / 2;
  return (amount < 0 ? amount - half : amount + half) / unit;
}

std::string WithCommas(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t place = digits.size(); place > 3;) digits.insert(place -= 3, ",");
  return digits;
}

std::string Padded(uint64_t number, size_t width) {
  const std::string digits = std::to_string(number);
  return std::string(width - digits.size(), '0') + digits;
}

}  // namespace

GpuTime& GpuTime::operator+=(GpuTime other) {
  const bool is_over = __builtin_add_overflow(units, other.units, &units);
  GP_ASSERT(!is_over, "a sum of GPU times is below 2^63");
  return *this;
}

Money Money::OfMicros(int64_t micros) { return {kGpuHour, Price{micros}}; }

Money& Money::operator+=(Money other) {
  exact_ += other.exact_;
  return *this;
}

Money Money::operator-() const {
  Money negative;
  negative.exact_ = -exact_;
  return negative;
}

int64_t Money::ToMicros() const { return static_cast<int64_t>(Rounded(exact_, kGpuHour.units)); }

std::string ToText(Money money) {
  const int64_t hundredths = static_cast<int64_t>(Rounded(money.ToMicros(), kMicrosPerUnit / 100));
  const uint64_t size = static_cast<uint64_t>(std::llabs(hundredths));
  return (hundredths < 0 ? "-" : "") + WithCommas(size / 100) + "." + Padded(size % 100, 2);
}

std::string ToGpuHours(GpuTime time) {
  const int64_t thousandths = static_cast<int64_t>(Rounded(Wide{time.units} * 1'000, kGpuHour.units));
  const uint64_t size = static_cast<uint64_t>(std::llabs(thousandths));
  std::string text = (thousandths < 0 ? "-" : "") + std::to_string(size / 1'000) + "." + Padded(size % 1'000, 3);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace gp
