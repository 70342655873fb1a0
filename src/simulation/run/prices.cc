#include "simulation/run/prices.h"

#include <algorithm>

#include "base/text.h"
#include "domain/model/nodes/gpu.h"

namespace gp {
namespace {

constexpr int64_t kMicros = 1'000'000;
constexpr size_t kDecimalsMax = 6;
constexpr int64_t kPriceMax = 10'000;
constexpr int64_t kHourNs = 3'600'000'000'000;

bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

Error NoPrice(std::string_view text) {
  return InvalidArgument(
      "\"" + Printable(text, 60) +
      "\" is not a price: write MODEL=AMOUNT for a GPU-hour, as H100=2.50, at most " +
      std::to_string(kPriceMax));
}

// "2.50" as 2'500'000; -1: not a valid amount.
int64_t ParseAmount(std::string_view text) {
  const size_t dot = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, dot);
  std::string decimals(text.substr(std::min(dot + 1, text.size())));
  if (!IsDigits(whole) || whole.size() > 5 || decimals.size() > kDecimalsMax) return -1;
  if (dot < text.size() && !IsDigits(decimals)) return -1;
  decimals.resize(kDecimalsMax, '0');
  const int64_t micros = std::stoll(std::string(whole)) * kMicros + std::stoll(decimals);
  return micros <= kPriceMax * kMicros ? micros : -1;
}

}  // namespace

Status Prices::Add(std::string_view text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) return Fail(NoPrice(text));
  const int64_t micros = ParseAmount(text.substr(equals + 1));
  if (micros < 0) return Fail(NoPrice(text));
  prices_.push_back({std::string(text.substr(0, equals)), micros});
  return Ok();
}

const ModelPrice* Prices::Find(std::string_view model) const {
  const ModelPrice* best = nullptr;
  for (const ModelPrice& price : prices_) {
    if (!model.contains(price.model)) continue;
    if (best == nullptr || price.model.size() > best->model.size()) best = &price;
  }
  return best;
}

UsageCost CostOf(const Usage& usage, const Prices& prices) {
  UsageCost cost;
  for (const auto& [model, time] : usage.by_model) {
    const ModelPrice* price = prices.Find(model);
    if (price == nullptr) {
      cost.models_without_price.push_back(model);
      continue;
    }
    cost.installed += time.installed * price->micros_per_hour / kHourNs;
    cost.held += time.held * price->micros_per_hour / kHourNs / kWholeShare;
  }
  return cost;
}

double ToAmount(Wide micros) { return static_cast<double>(micros) / kMicros; }

}  // namespace gp
