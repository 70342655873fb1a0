#include "lib/yaml/scalar.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace gp {
namespace {

using Kind = YamlNode::Kind;
using enum FileCode;

std::unexpected<Fault> Refuse(FileCode code, std::string message) {
  return std::unexpected<Fault>({code, std::move(message)});
}

std::string Quote(std::string_view text) { return "\"" + Printable(text, 40) + "\""; }

bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string Lowered(std::string_view text) {
  std::string lower(text.substr(0, 16));
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// Anything that some version of YAML reads as a number, or that is clearly meant as one.
bool LooksLikeNumber(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::string lower = Lowered(text);
  if (lower == ".inf" || lower == ".nan" || lower == "nan" || lower == "inf") return true;
  if (lower.starts_with("0x") || lower.starts_with("0o") || lower.starts_with("0b")) {
    return lower.size() > 2 && lower.find_first_not_of("0123456789abcdef_", 2) == std::string::npos;
  }
  const size_t first = text.starts_with('.') ? 1 : 0;
  if (first >= text.size() || text[first] < '0' || text[first] > '9') return false;
  return text.find_first_not_of("0123456789.eE+-_") == std::string_view::npos;
}

bool LooksLikeTruthValue(std::string_view text) {
  static constexpr std::string_view kWords[] = {"true", "false", "yes", "no", "on", "off"};
  return std::ranges::find(kWords, Lowered(text)) != std::end(kWords);
}

std::unexpected<Fault> WrongType(std::string_view wanted, const YamlNode& node) {
  return Refuse(kWrongType, "must be " + std::string(wanted) + ", not " + Describe(node));
}

std::unexpected<Fault> OutOfRange(std::string_view low, std::string_view high,
                                  std::string_view given) {
  return Refuse(kOutOfRange, "must be from " + std::string(low) + " to " + std::string(high) +
                                 ", not " + Printable(given, 40));
}

}  // namespace

std::string Describe(const YamlNode& node) {
  switch (node.kind) {
    case Kind::kNull: return "nothing";
    case Kind::kList: return "a list";
    case Kind::kMap: return "a map";
    case Kind::kQuoted: return "the text " + Quote(node.text);
    case Kind::kPlain: break;
  }
  return (LooksLikeNumber(node.text) ? "the number " : "") + Quote(node.text);
}

std::string DurationText(Duration span) {
  constexpr int64_t kMillisecond = 1'000'000;
  static constexpr struct {
    int64_t ns;
    const char* unit;
  } kUnits[] = {{86'400'000 * kMillisecond, "d"},
                {3'600'000 * kMillisecond, "h"},
                {60'000 * kMillisecond, "m"},
                {1'000 * kMillisecond, "s"}};
  int64_t rest = span.ns;
  std::string text;
  for (const auto& unit : kUnits) {
    if (rest >= unit.ns) text += std::to_string(rest / unit.ns) + unit.unit;
    rest %= unit.ns;
  }
  const int64_t microseconds = rest / 1'000;
  if (microseconds == 0) return text.empty() ? "0s" : text;
  text += std::to_string(microseconds / 1'000);
  if (microseconds % 1'000 != 0) {
    const std::string fraction = std::to_string(1'000 + microseconds % 1'000);
    text += "." + fraction.substr(1);
  }
  return text + "ms";
}

Read<std::string> ReadText(const YamlNode& node) {
  if (!node.IsScalar()) return WrongType("text", node);
  if (node.kind == Kind::kQuoted) return node.text;
  if (LooksLikeNumber(node.text) || LooksLikeTruthValue(node.text)) {
    return Refuse(kWrongType, "must be text, and " + Printable(node.text, 40) +
                                  " without quotes is a number or boolean to some readers: "
                                  "write " +
                                  Quote(node.text));
  }
  return node.text;
}

Read<std::string> ReadVerbatim(const YamlNode& node) {
  if (node.kind == Kind::kNull) return Refuse(kNoValue, "has no value: write \"\" for empty text");
  if (!node.IsScalar()) return WrongType("text", node);
  return node.text;
}

Read<int64_t> ReadCount(const YamlNode& node, int64_t low, int64_t high) {
  if (node.kind != Kind::kPlain || LooksLikeTruthValue(node.text)) {
    const bool only_quotes = node.kind == Kind::kQuoted && IsDigits(node.text);
    if (only_quotes) return Refuse(kWrongType, "must be a whole number: remove the quotes");
    return WrongType("a whole number", node);
  }
  const std::string_view text = node.text;
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (!IsDigits(digits)) return Refuse(kBadNumber, Quote(text) + " is not a whole number");
  if (digits.size() > 1 && digits[0] == '0') {
    const size_t significant = std::min(digits.find_first_not_of('0'), digits.size() - 1);
    return Refuse(kBadNumber, Quote(text) + " is octal to some readers: write " +
                                  Printable(digits.substr(significant), 40));
  }
  const auto value = ParseCount(digits);
  const bool is_negative = text.starts_with('-');
  if (!value || is_negative || *value < low || *value > high) {
    return OutOfRange(std::to_string(low), std::to_string(high), text);
  }
  return *value;
}

Read<int64_t> ReadBool(const YamlNode& node) {
  if (node.kind == Kind::kPlain && node.text == "true") return 1;
  if (node.kind == Kind::kPlain && node.text == "false") return 0;
  if (!node.IsScalar()) return WrongType("true or false", node);
  if (LooksLikeTruthValue(node.text)) {
    return Refuse(kBadWord, "must be true or false, in lower case and without quotes");
  }
  return Refuse(kBadWord, "must be true or false, not " + Describe(node));
}

Read<int64_t> ReadWord(const YamlNode& node, std::span<const std::string_view> words) {
  const std::vector<std::string> candidates(words.begin(), words.end());
  const std::string all = Join(candidates, ", ");
  if (!node.IsScalar()) return WrongType("one of " + all, node);
  const auto found = std::ranges::find(words, node.text);
  if (found != words.end()) return found - words.begin();
  std::string message = Quote(node.text) + " is not one of " + all;
  if (const auto near = Nearest(Lowered(node.text), candidates)) {
    message += " — did you mean \"" + *near + "\"?";
  }
  return Refuse(kBadWord, std::move(message));
}

Read<int64_t> ReadSize(const YamlNode& node, int64_t low, int64_t high) {
  if (!node.IsScalar()) return WrongType("a size such as 80GB or 512MiB", node);
  const std::string_view text = node.text;
  if (text.ends_with("..")) {
    return Refuse(kBadUnit, Quote(text) +
                                " is a range, and this is one size: for GPUs of at least "
                                "that much write memory_min");
  }
  if (IsDigits(text)) {
    return Refuse(kBadUnit, Quote(text) + " has no unit: write " + Printable(text, 20) + "GB or " +
                                Printable(text, 20) + "MiB");
  }
  const auto bytes = ParseBytes(text);
  if (!bytes) return Refuse(kBadUnit, bytes.error().message);
  if (*bytes < low || *bytes > high) return OutOfRange(BytesToText(low), BytesToText(high), text);
  return *bytes;
}

Read<int64_t> ReadDuration(const YamlNode& node, int64_t low, int64_t high) {
  if (!node.IsScalar()) return WrongType("a duration such as 90s or 12h", node);
  const std::string_view text = node.text;
  if (IsDigits(text)) {
    return Refuse(kBadUnit, Quote(text) + " has no unit: write " + Printable(text, 20) + "s, " +
                                Printable(text, 20) + "m or " + Printable(text, 20) + "h");
  }
  const auto span = ParseDuration(text);
  if (!span) return Refuse(kBadUnit, span.error().message);
  if (span->ns < low || span->ns > high) {
    return OutOfRange(ToText(Duration{low}), ToText(Duration{high}), text);
  }
  return span->ns;
}

Read<int64_t> ReadCountOrWord(const YamlNode& node, int64_t low, int64_t high,
                              std::string_view wanted, Result<int> (*parse)(std::string_view)) {
  if (!node.IsScalar()) return WrongType(wanted, node);
  if (IsDigits(node.text) || LooksLikeNumber(node.text)) return ReadCount(node, low, high);
  const auto number = parse(node.text);
  if (!number) return Refuse(kBadWord, number.error().message);
  return *number;
}

}  // namespace gp
