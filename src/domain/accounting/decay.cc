#include "domain/accounting/decay.h"

#include <array>

#include "base/assert.h"
#include "base/wide.h"

namespace gp {
namespace {

constexpr int kBits = 60;
constexpr uint64_t kOne = uint64_t{1} << kBits;
constexpr int kFactors = 44;  // number of binary places of the elapsed half-lives that count

constexpr uint64_t SquareRoot(UnsignedWide square) {
  uint64_t root = 0;
  for (uint64_t bit = kOne; bit != 0; bit >>= 1) {
    if (UnsignedWide{root | bit} * (root | bit) <= square) root |= bit;
  }
  return root;
}

// 2^-(1/2), 2^-(1/4), 2^-(1/8) …
constexpr std::array<uint64_t, kFactors> Factors() {
  std::array<uint64_t, kFactors> factors{};
  uint64_t last = kOne / 2;
  for (uint64_t& factor : factors) last = factor = SquareRoot(UnsignedWide{last} << kBits);
  return factors;
}

constexpr std::array<uint64_t, kFactors> kFactor = Factors();

// 1 / ln 2: the area under 2^-x.
constexpr uint64_t kArea = 1'663'314'137'230'540'311;  // in units of 2^-60

uint64_t Times(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>((UnsignedWide{a} * b) >> kBits);
}

}  // namespace

uint64_t FadingOver(Duration elapsed, Duration half_life) {
  GP_ASSERT(half_life.ns > 0, "use fades");
  if (elapsed.ns <= 0) return kOne;
  const int64_t halvings = elapsed.ns / half_life.ns;
  if (halvings >= kBits) return 0;
  const auto rest = static_cast<uint64_t>(elapsed.ns % half_life.ns);
  const auto places =
      static_cast<uint64_t>((UnsignedWide{rest} << kFactors) / static_cast<uint64_t>(half_life.ns));
  uint64_t fading = kOne >> halvings;
  for (int i = 0; i < kFactors; ++i) {
    if ((places >> (kFactors - 1 - i) & 1) != 0)
      fading = Times(fading, kFactor[static_cast<size_t>(i)]);
  }
  return fading;
}

int64_t Faded(int64_t amount, Duration elapsed, Duration half_life) {
  return static_cast<int64_t>(
      (UnsignedWide{static_cast<uint64_t>(amount)} * FadingOver(elapsed, half_life)) >> kBits);
}

int64_t FadedSum(int64_t rate, Duration elapsed, Duration half_life) {
  const uint64_t span_ms = Times(static_cast<uint64_t>(half_life.ToMilliseconds()), kArea);
  const UnsignedWide sum =
      UnsignedWide{static_cast<uint64_t>(rate)} * span_ms * (kOne - FadingOver(elapsed, half_life));
  return static_cast<int64_t>((sum + kOne / 2) >> kBits);
}

}  // namespace gp
