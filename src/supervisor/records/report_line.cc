#include "supervisor/records/report_line.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/text.h"
#include "supervisor/records/job_link.h"
#include "supervisor/records/metric_record.h"

namespace gp {
namespace {

constexpr size_t kPathMax = 1024;
constexpr int64_t kNumberMax = int64_t{1} << 60;
constexpr int64_t kSecondsMax = 31'536'000;
constexpr double kScoreMax = 1e9;

std::string_view TakeWord(std::string_view& rest) {
  const size_t begin = rest.find_first_not_of(' ');
  if (begin == std::string_view::npos) return rest = {};
  const size_t end = std::min(rest.find(' ', begin), rest.size());
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

std::optional<int64_t> ParseCount(std::string_view text, int64_t max) {
  int64_t value = 0;
  if (text.empty()) return std::nullopt;
  for (const char c : text) {
    if (c < '0' || c > '9' || value > max / 10) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value <= max ? std::optional(value) : std::nullopt;
}

// "12", "12.5"; decimals beyond nanoseconds are ignored.
std::optional<Duration> ParseSeconds(std::string_view text) {
  const size_t point = text.find('.');
  const auto whole = ParseCount(text.substr(0, point), kSecondsMax);
  if (!whole) return std::nullopt;
  if (point == std::string_view::npos) return Duration::Seconds(*whole);
  std::string digits(text.substr(point + 1));
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  digits.resize(9, '0');
  return Duration::Seconds(*whole) + Duration{*ParseCount(digits, 999'999'999)};
}

// Numbers as programs print them: "0.25", "-2", "9.3e-05".
std::optional<int64_t> ParseScore(std::string_view text) {
  constexpr double kBillion = 1e9;
  const std::string number(text);
  if (number.empty() || number.find_first_not_of("0123456789+-.eE") != std::string::npos)
    return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  if (*end != '\0' || std::abs(value) >= kScoreMax) return std::nullopt;
  return std::llround(value * kBillion);
}

Status Refuse(std::string_view word, const std::string& why) {
  return Fail(InvalidArgument("\"" + std::string(word.substr(0, 80)) + "\": " + why));
}

Status TakePath(std::string_view path, ReportLine& line) {
  const bool is_printable = std::ranges::none_of(
      path, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
  if (path.empty() || path.front() != '/' || !is_printable)
    return Refuse(path, "path= takes an absolute path, without control characters");
  if (path.size() > kPathMax) return Refuse(path, "path= takes at most 1024 bytes");
  line.path = path;
  return Ok();
}

// A word of a report: "step=1200".
struct Field {
  std::string_view word;
  std::string_view name;
  std::string_view value;
};

Status TakeSeconds(const Field& field, ReportLine& line) {
  const auto took = ParseSeconds(field.value);
  if (!took) return Refuse(field.word, "seconds= takes a number such as 12.5");
  line.took = *took;
  return Ok();
}

Status TakeCount(const Field& field, int64_t& count) {
  const auto value = ParseCount(field.value, kNumberMax);
  if (!value) return Refuse(field.word, std::string(field.name) + "= takes a whole number, from 0");
  count = *value;
  return Ok();
}

void TakeScore(const Field& field, ReportLine& line) {
  // An invalid score, such as NaN, does not invalidate the checkpoint.
  const auto score = ParseScore(field.value);
  line.is_scored = score.has_value();
  line.score = score.value_or(0);
  if (!score)
    line.complaint = Refuse(field.word,
                            "score= takes a number below a billion, such as 0.913 or 9.3e-05; "
                            "the checkpoint counts without")
                         .error()
                         .message;
}

// An invalid value does not invalidate the others.
void TakeMetric(const Field& field, ReportLine& line) {
  const auto value = ParseMetricValue(field.value);
  if (!IsMetricName(field.name)) {
    line.complaint =
        Refuse(field.word, "a metric has at most 64 letters, digits and _ . / - as its name")
            .error()
            .message;
  } else if (!value) {
    line.complaint =
        Refuse(field.word, "a metric is a number such as 0.913, 9.3e-05 or nan").error().message;
  } else {
    line.metrics.push_back({std::string(field.name), *value});
  }
}

// An invalid link does not invalidate the others.
void TakeLink(const Field& field, ReportLine& line) {
  JobLink link{std::string(field.name), std::string(field.value)};
  const Status is_link = CheckLink(link);
  if (is_link) {
    line.links.push_back(std::move(link));
  } else {
    line.complaint = Refuse(field.word, is_link.error().message).error().message;
  }
}

Status TakeField(std::string_view word, ReportLine& line) {
  const size_t sign = word.find('=');
  if (sign == std::string_view::npos)
    return Refuse(word, "a report is made of words like step=1200");
  const Field field{word, word.substr(0, sign), word.substr(sign + 1)};
  if (line.kind == ReportKind::kLink) {
    TakeLink(field, line);
    return Ok();
  }
  line.has_step |= field.name == "step";
  if (line.kind == ReportKind::kMetric && field.name != "step") {
    TakeMetric(field, line);
    return Ok();
  }
  if (field.name == "seconds") return TakeSeconds(field, line);
  if (field.name == "step") return TakeCount(field, line.step);
  if (field.name == "of") return TakeCount(field, line.steps);
  if (field.name == "bytes") return TakeCount(field, line.bytes);
  if (field.name == "score") TakeScore(field, line);
  return Ok();
}

}  // namespace

Result<ReportLine> ParseReportLine(std::string_view line) {
  ReportLine report;
  std::string_view rest = line;
  // The rest of it was dropped, so its last word may be half of one.
  if (line.size() > kReportLineMax)
    GP_CHECK_OK(Refuse(line, "a report has at most 4096 bytes: send several"));
  const std::string_view what = TakeWord(rest);
  if (what == "checkpoint") {
    report.kind = ReportKind::kCheckpoint;
  } else if (what == "metric") {
    report.kind = ReportKind::kMetric;
  } else if (what == "link") {
    report.kind = ReportKind::kLink;
  } else if (what != "progress") {
    GP_CHECK_OK(Refuse(what, "a report begins with progress, checkpoint, metric or link"));
  }
  while (rest.find_first_not_of(' ') != std::string_view::npos) {
    rest.remove_prefix(rest.find_first_not_of(' '));
    // The path is the last word, and may contain spaces.
    const bool has_names = report.kind == ReportKind::kMetric || report.kind == ReportKind::kLink;
    if (rest.starts_with("path=") && !has_names) {
      GP_CHECK_OK(TakePath(rest.substr(5), report));
      break;
    }
    GP_CHECK_OK(TakeField(TakeWord(rest), report));
  }
  if (report.kind == ReportKind::kCheckpoint && report.path.empty())
    GP_CHECK_OK(Refuse(line, "a checkpoint has a path=, as its last word"));
  return report;
}

}  // namespace gp
