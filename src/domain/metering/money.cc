#include "domain/metering/money.h"

namespace gp {
namespace {

// Rounds to the nearest whole; halves round away from zero.
Wide Rounded(Wide amount, Wide unit) {
  const Wide half = unit / 2;
  return (amount < 0 ? amount - half : amount + half) / unit;
}

// REQUIRES: the number is not negative.
std::string Digits(Wide number) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(number % 10)));
    number /= 10;
  } while (number > 0);
  return digits;
}

std::string WithCommas(std::string digits) {
  for (size_t place = digits.size(); place > 3;) digits.insert(place -= 3, ",");
  return digits;
}

std::string Padded(Wide number, size_t width) {
  const std::string digits = Digits(number);
  return std::string(width - digits.size(), '0') + digits;
}

Wide Size(Wide number) { return number < 0 ? -number : number; }

}  // namespace

Money Money::OfMicros(int64_t micros) { return {kGpuHour, Price{micros}}; }

Money& Money::operator+=(Money other) {
  exact += other.exact;
  return *this;
}

Money Money::operator-() const {
  Money negative;
  negative.exact = -exact;
  return negative;
}

Wide Money::To(int64_t micros) const { return Rounded(exact, kGpuHour.units * micros); }

std::string ToText(Money money) {
  const Wide hundredths = money.To(kMicrosPerUnit / 100);
  return (hundredths < 0 ? "-" : "") + WithCommas(Digits(Size(hundredths) / 100)) + "." +
         Padded(Size(hundredths) % 100, 2);
}

std::string ToGpuHours(GpuTime time) {
  const Wide thousandths = Rounded(time.units * 1'000, kGpuHour.units);
  std::string text = (thousandths < 0 ? "-" : "") + Digits(Size(thousandths) / 1'000) + "." +
                     Padded(Size(thousandths) % 1'000, 3);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace gp
