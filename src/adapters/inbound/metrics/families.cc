#include "adapters/inbound/metrics/families.h"

#include <charconv>
#include <cmath>
#include <string_view>

namespace gp {
namespace {

void AddEscaped(std::string& text, std::string_view value, bool quotes) {
  for (const char c : value) {
    if (c == '\n') {
      text += "\\n";
    } else {
      if (c == '\\' || (quotes && c == '"')) text += '\\';
      text += c;
    }
  }
}

// The fewest digits that are read back as the same number; whole numbers without an exponent.
void AddNumber(std::string& text, double value) {
  constexpr double kWholeMax = 1e15;
  if (std::isnan(value)) {
    text += "NaN";
  } else if (std::isinf(value)) {
    text += value > 0 ? "+Inf" : "-Inf";
  } else {
    char digits[32];
    const bool is_whole = std::trunc(value) == value && std::abs(value) <= kWholeMax;
    const auto end = is_whole ? std::to_chars(digits, std::end(digits), static_cast<int64_t>(value))
                              : std::to_chars(digits, std::end(digits), value);
    text.append(digits, end.ptr);
  }
}

void AddSeries(std::string& text, const std::string& name, const MetricSeries& series) {
  text += name;
  char before = '{';
  for (const auto& [label, value] : series.labels) {
    ((text += before) += label) += "=\"";
    AddEscaped(text, value, true);
    text += '"';
    before = ',';
  }
  text += series.labels.empty() ? " " : "} ";
  AddNumber(text, series.value);
  text += '\n';
}

}  // namespace

MetricFamily Family(const char* name, const char* help, MetricType type,
                    const SeriesValues& values) {
  MetricFamily family{.name = name, .help = help, .type = type};
  for (const auto& [labels, value] : values) family.series.push_back({labels, value});
  return family;
}

std::string ToText(const std::vector<MetricFamily>& families) {
  std::string text;
  for (const MetricFamily& family : families) {
    ((text += "# HELP ") += family.name) += ' ';
    AddEscaped(text, family.help, false);
    ((text += "\n# TYPE ") += family.name) +=
        family.type == MetricType::kCounter ? " counter\n" : " gauge\n";
    for (const MetricSeries& series : family.series) AddSeries(text, family.name, series);
  }
  return text;
}

}  // namespace gp
