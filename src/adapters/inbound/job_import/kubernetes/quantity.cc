#include "adapters/inbound/job_import/kubernetes/quantity.h"

#include <string>

#include "base/text.h"
#include "base/wide.h"

namespace gp {
namespace {

constexpr int64_t kThousandth = 1'000;

// "1.5" in thousandths, rounded up.
std::optional<int64_t> Thousandths(std::string_view text) {
  const size_t dot = text.find('.');
  const auto whole = ParseCount(text.substr(0, dot));
  constexpr int64_t kMost = 1'000'000'000'000'000;
  if (!whole || *whole > kMost) return std::nullopt;
  if (dot == std::string_view::npos) return *whole * kThousandth;
  const std::string_view digits = text.substr(dot + 1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  const std::string three = (std::string(digits) + "000").substr(0, 3);
  const bool has_more =
      digits.size() > 3 && digits.substr(3).find_first_not_of('0') != std::string_view::npos;
  return *whole * kThousandth + (three[0] - '0') * 100 + (three[1] - '0') * 10 + (three[2] - '0') +
         (has_more ? 1 : 0);
}

struct Unit {
  std::string_view name;
  int64_t bytes;
};

constexpr int64_t kKilo = 1'000, kKibi = 1'024;
// Binary units first; no unit is the end of another one.
constexpr Unit kUnits[] = {
    {"Ki", kKibi},
    {"Mi", kKibi* kKibi},
    {"Gi", kKibi* kKibi* kKibi},
    {"Ti", kKibi* kKibi* kKibi* kKibi},
    {"k", kKilo},
    {"M", kKilo* kKilo},
    {"G", kKilo* kKilo* kKilo},
    {"T", kKilo* kKilo* kKilo* kKilo},
};

}  // namespace

std::optional<int64_t> QuantityBytes(std::string_view text) {
  int64_t unit = 1;
  for (const Unit& one : kUnits) {
    if (unit != 1 || !text.ends_with(one.name)) continue;
    unit = one.bytes;
    text.remove_suffix(one.name.size());
  }
  const auto thousandths = Thousandths(text);
  if (!thousandths) return std::nullopt;
  const Wide bytes = (Wide{*thousandths} * unit + kThousandth - 1) / kThousandth;
  constexpr Wide kMost = Wide{1} << 60;
  return bytes <= kMost ? std::optional(static_cast<int64_t>(bytes)) : std::nullopt;
}

std::optional<int64_t> QuantityMilli(std::string_view text) {
  if (!text.ends_with('m')) return Thousandths(text);
  const auto thousandths = ParseCount(text.substr(0, text.size() - 1));
  return thousandths ? std::optional(*thousandths) : std::nullopt;
}

std::optional<int64_t> QuantityCores(std::string_view text) {
  const auto thousandths = QuantityMilli(text);
  return thousandths
             ? std::optional(*thousandths / kThousandth + (*thousandths % kThousandth != 0 ? 1 : 0))
             : std::nullopt;
}

}  // namespace gp
