#include "simulation/scenario/draws.h"

#include <algorithm>
#include <cmath>

namespace gp {
namespace {

constexpr double kSpanMaxS = 315'360'000;  // ten years

// A sum of twelve uniform numbers is nearly normal; nine of ten are below this.
constexpr int kSummands = 12;
constexpr double kNinetieth = 1.2889;

double Normal(Rng& rng) {
  constexpr double kUnit = 4'294'967'296.0;
  double sum = -kSummands / 2.0;
  for (int i = 0; i < kSummands; ++i)
    sum += static_cast<double>(rng.Below(uint64_t{1} << 32)) / kUnit;
  return sum;
}

// base to the power of `exponent`, by roots: the library's pow may round differently on other
// machines.
double Power(double base, double exponent) {
  if (exponent < 0) return 1 / Power(base, -exponent);
  double power = 1;
  for (; exponent >= 1; exponent -= 1) power *= base;
  for (int bit = 0; bit < 40; ++bit) {
    base = std::sqrt(base);
    exponent *= 2;
    if (exponent < 1) continue;
    exponent -= 1;
    power *= base;
  }
  return power;
}

// Minus the natural logarithm of a number in (0, 1], by squaring.
double MinusLogarithm(double number) {
  constexpr double kLogarithmOfTwo = 0.693147180559945309;
  double halvings = 0;
  for (; number < 1; number *= 2) halvings += 1;
  double bit = 0.5;
  for (int i = 0; i < 40; ++i, bit /= 2) {
    number *= number;
    if (number < 2) continue;
    number /= 2;
    halvings -= bit;
  }
  return halvings * kLogarithmOfTwo;
}

double Exponential(Rng& rng) {
  constexpr double kUnit = 9'007'199'254'740'992.0;  // 2^53
  return MinusLogarithm((static_cast<double>(rng.Below(uint64_t{1} << 53)) + 1) / kUnit);
}

}  // namespace

Duration DrawSpan(const Draw& draw, Rng& rng) {
  if (draw.kind == Draw::Kind::kFixed) return draw.value;
  double seconds = static_cast<double>(draw.value.ns) / 1e9;
  if (draw.kind == Draw::Kind::kMean) {
    seconds *= Exponential(rng);
  } else {
    const double spread = static_cast<double>(draw.p90.ns) / static_cast<double>(draw.value.ns);
    seconds *= Power(spread, Normal(rng) / kNinetieth);
  }
  return Duration::Seconds(static_cast<int64_t>(std::clamp(seconds, 1.0, kSpanMaxS)));
}

}  // namespace gp
