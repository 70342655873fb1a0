#include "domain/model/jobs/metric_rule.h"

#include <vector>

#include "base/text.h"

namespace gp {
namespace {

constexpr size_t kNumberMax = 40;
constexpr size_t kExponentMax = 2;  // digits; with those before it, the number stays finite

void SkipDigits(std::string_view& text) {
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') text.remove_prefix(1);
}

// As programs print it; the domain does not compute with it.
bool IsNumber(std::string_view text) {
  if (text.size() > kNumberMax) return false;
  if (text.starts_with('-')) text.remove_prefix(1);
  const size_t before = text.size();
  SkipDigits(text);
  size_t digits = before - text.size();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const size_t rest = text.size();
    SkipDigits(text);
    digits += rest - text.size();
  }
  if (digits == 0) return false;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    const size_t rest = text.size();
    SkipDigits(text);
    const size_t exponent = rest - text.size();
    if (exponent == 0 || exponent > kExponentMax) return false;
  }
  return text.empty();
}

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    words.push_back(text.substr(0, text.find(' ')));
    text.remove_prefix(words.back().size());
  }
}

}  // namespace

Result<MetricCondition> ParseMetricCondition(std::string_view text) {
  const std::vector<std::string_view> words = Words(text);
  const auto refuse = [&](const std::string& why) {
    return Fail(InvalidArgument("\"" + Printable(text, 80) + "\" " + why));
  };
  if (words.size() != 3)
    return refuse("is no condition: write `NAME is nan`, `NAME > NUMBER` or `NAME < NUMBER`");
  if (words[0] == "step") return refuse("names no metric: `step` is the step of a report");
  if (!IsMetricName(words[0]))
    return refuse("names no metric: 1 to 64 letters, digits and `_ . / -`");
  if (words[1] == "is" && words[2] == "nan")
    return MetricCondition{words[0], MetricTest::kIsNan, ""};
  if (words[1] != ">" && words[1] != "<")
    return refuse("is no condition: write `is nan`, `> NUMBER` or `< NUMBER` after the name");
  if (!IsNumber(words[2])) return refuse("compares with no number: write one, as in `> 10`");
  return MetricCondition{words[0], words[1] == ">" ? MetricTest::kAbove : MetricTest::kBelow,
                         words[2]};
}

}  // namespace gp
