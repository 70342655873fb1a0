#include "adapters/inbound/api/streams/feed_place.h"

#include <charconv>
#include <concepts>

namespace gp {
namespace {

// A lineage is a time in nanoseconds, which is more than a quantity may be (base/text.h).
template <std::unsigned_integral T>
std::optional<T> ParseNumber(std::string_view text) {
  T number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stopped == end ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string ToText(const FeedPlace& place) {
  return std::to_string(place.lineage) + "-" + std::to_string(place.sequence) + "." +
         std::to_string(place.index);
}

std::optional<FeedPlace> ParseFeedPlace(std::string_view text) {
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const size_t dot = text.find('.', dash);
  const auto lineage = ParseNumber<uint64_t>(text.substr(0, dash));
  const auto sequence = ParseNumber<uint64_t>(text.substr(dash + 1, dot - dash - 1));
  if (!lineage || !sequence) return std::nullopt;
  if (dot == std::string_view::npos) return FeedPlace{};
  const auto index = ParseNumber<uint32_t>(text.substr(dot + 1));
  if (!index) return std::nullopt;
  return FeedPlace{*lineage, *sequence, *index};
}

}  // namespace gp
