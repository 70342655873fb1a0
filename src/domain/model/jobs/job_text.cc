#include "domain/model/jobs/job_text.h"

#include <vector>

#include "base/assert.h"
#include "base/text.h"

namespace gp {
namespace {

template <typename Value>
std::string_view TextOf(std::span<const Word<Value>> words, Value value) {
  for (const Word<Value>& word : words) {
    if (word.value == value) return word.text;
  }
  GP_ASSERT(false, "every value has a word");
  return {};
}

template <typename Value>
Result<Value> ValueOf(std::span<const Word<Value>> words, std::string_view text) {
  std::vector<std::string> candidates;
  for (const Word<Value>& word : words) {
    if (word.text == text) return word.value;
    candidates.emplace_back(word.text);
  }
  std::string message = "\"" + Printable(text, 40) + "\" is not one of " + Join(candidates, ", ");
  if (const auto near = Nearest(text, candidates)) message += " — did you mean \"" + *near + "\"?";
  return Fail(InvalidArgument(std::move(message)));
}

template <typename Value, size_t kCount>
constexpr std::span<const Word<Value>> All(const Word<Value> (&words)[kCount]) {
  return words;
}

bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Digits with an optional fraction, in units of 10^-places, without rounding; -1: not such a
// number, or too large.
int64_t FixedPoint(std::string_view text, size_t places) {
  const size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  std::string digits(whole);
  if (dot != std::string_view::npos) {
    const std::string_view fraction = text.substr(dot + 1);
    if (!IsDigits(fraction) || fraction.size() > places) return -1;
    digits += fraction;
    places -= fraction.size();
  }
  if (!IsDigits(whole) || whole.size() > 6 || (whole.size() > 1 && whole[0] == '0')) return -1;
  digits.append(places, '0');
  int64_t value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

}  // namespace

std::string_view ToText(Isolation isolation) { return TextOf(All(kIsolationWords), isolation); }
std::string_view ToText(TopologyLevel level) { return TextOf(All(kTopologyLevelWords), level); }
std::string_view ToText(NetworkAccess access) { return TextOf(All(kNetworkWords), access); }
std::string_view ToText(Launcher launcher) { return TextOf(All(kLauncherWords), launcher); }
std::string_view ToText(LeaseLoss choice) { return TextOf(All(kLeaseLossWords), choice); }
std::string_view ToText(LogAction action) { return TextOf(All(kLogActionWords), action); }
std::string_view ToText(MetricAction action) { return TextOf(All(kMetricActionWords), action); }

Result<Isolation> IsolationFromText(std::string_view text) {
  return ValueOf(All(kIsolationWords), text);
}
Result<TopologyLevel> TopologyLevelFromText(std::string_view text) {
  return ValueOf(All(kTopologyLevelWords), text);
}
Result<LeaseLoss> LeaseLossFromText(std::string_view text) {
  return ValueOf(All(kLeaseLossWords), text);
}

Result<LogAction> LogActionFromText(std::string_view text) {
  return ValueOf(All(kLogActionWords), text);
}

Result<MetricAction> MetricActionFromText(std::string_view text) {
  return ValueOf(All(kMetricActionWords), text);
}

std::string PriorityToText(int priority) {
  for (const auto& word : kPriorityWords) {
    if (word.value == priority) return std::string(word.text);
  }
  return std::to_string(priority);
}

Result<int> PriorityFromText(std::string_view text) {
  for (const auto& word : kPriorityWords) {
    if (word.text == text) return word.value;
  }
  const auto number = ParseCount(text);
  if (number && *number <= kPriorityMax) return static_cast<int>(*number);
  return Fail(InvalidArgument("\"" + Printable(text, 40) +
                              "\" is not a priority: write low, medium, high or 0 to 1000"));
}

std::string ShareToText(int thousandths) {
  std::string fraction = std::to_string(1000 + thousandths % 1000).substr(1);
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return std::to_string(thousandths / 1000) + (fraction.empty() ? "" : "." + fraction);
}

Result<int> ShareFromText(std::string_view text) {
  const bool percent = text.ends_with('%');
  const int64_t thousandths =
      percent ? FixedPoint(text.substr(0, text.size() - 1), 1) : FixedPoint(text, 3);
  if (thousandths >= 1 && thousandths <= kShareMax) return static_cast<int>(thousandths);
  return Fail(InvalidArgument("\"" + Printable(text, 40) +
                              "\" is not a share of a GPU: write 0.001 to 1 with at most three "
                              "decimals, as 0.5 or 0.125, or 0.1% to 100%"));
}

}  // namespace gp
