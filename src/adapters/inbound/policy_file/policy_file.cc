#include "adapters/inbound/policy_file/policy_file.h"

#include <fstream>
#include <optional>

#include "adapters/inbound/job_file/check_text.h"
#include "adapters/inbound/job_file/scalar.h"
#include "base/text.h"

namespace gp {
namespace {

struct PolicyNumber {
  const char* name;
  int64_t low = 0;
  int64_t high = 0;
  Duration Policy::* duration = nullptr;  // or
  int Policy::* count = nullptr;
};

constexpr int64_t kDay = Duration::Minutes(24 * 60).ns;

constexpr PolicyNumber kNumbers[] = {
    {"faults_max", 0, 1'000, nullptr, &Policy::faults_max},
    {"reserve_after", 0, 365 * kDay, &Policy::reserve_after, nullptr},
    {"min_run", 0, 365 * kDay, &Policy::min_run, nullptr},
    {"reclaim_grace", 0, 365 * kDay, &Policy::reclaim_grace, nullptr},
    {"share_half_life", 1'000'000'000, 3'650 * kDay, &Policy::share_half_life, nullptr},
    {"share_horizon", 0, 365 * kDay, &Policy::share_horizon, nullptr},
    {"usage_period", 60'000'000'000, 3'650 * kDay, &Policy::usage_period, nullptr},
    {"age_after", 0, 365 * kDay, &Policy::age_after, nullptr},
    {"class_floor", 0, 100, nullptr, &Policy::class_floor},
    {"move_cost", 0, 365 * kDay, &Policy::move_cost, nullptr},
    {"move_interval", 0, 365 * kDay, &Policy::move_interval, nullptr},
    {"moves_per_hour", 0, 1'000'000, nullptr, &Policy::moves_per_hour},
};

struct Setting {
  const PolicyNumber* number = nullptr;
  int64_t value = 0;
};

std::optional<Setting> ReadEntry(const YamlEntry& entry, Report& report) {
  for (const PolicyNumber& number : kNumbers) {
    if (entry.key != number.name) continue;
    const auto value = number.duration != nullptr ? ReadDuration(entry.value, number.low, number.high) : ReadCount(entry.value, number.low, number.high);
    if (value) return Setting{&number, *value};
    report.Add(entry.value.place, value.error().code, entry.key + ": " + value.error().message);
    return std::nullopt;
  }
  const std::vector<std::string> names = PolicyNames();
  const auto nearest = Nearest(entry.key, names);
  report.Add(entry.place, JobFileCode::kUnknownKey,
             "there is no \"" + Printable(entry.key, 60) + "\" in a policy" + (nearest ? "; did you mean \"" + *nearest + "\"?" : "; there are " + Join(names, ", ")));
  return std::nullopt;
}

std::string Told(const std::vector<Diagnostic>& problems) {
  std::string text;
  for (const Diagnostic& problem : problems) {
    text += (text.empty() ? "" : "\n") + problem.file + ":" + std::to_string(problem.line) + ":" + std::to_string(problem.column) + ": " + problem.message;
  }
  return text;
}

void Set(const Setting& setting, Policy& policy) {
  if (setting.number->duration != nullptr) {
    policy.*setting.number->duration = Duration{setting.value};
  } else {
    policy.*setting.number->count = static_cast<int>(setting.value);
  }
}

}  // namespace

std::vector<std::string> PolicyNames() {
  std::vector<std::string> names;
  for (const PolicyNumber& number : kNumbers) names.emplace_back(number.name);
  return names;
}

std::function<void(Policy&)> ReadPolicy(const YamlNode& map, Report& report) {
  if (map.kind != YamlNode::Kind::kMap) report.Add(map.place, JobFileCode::kWrongType, "a policy is a map such as \"min_run: 5m\"");
  std::vector<Setting> settings;
  for (const YamlEntry& entry : map.entries) {
    if (const auto setting = ReadEntry(entry, report)) settings.push_back(*setting);
  }
  return [settings](Policy& policy) {
    for (const Setting& setting : settings) Set(setting, policy);
  };
}

Result<std::function<void(Policy&)>> DecodePolicy(std::string_view file_name, std::string_view text) {
  const SourceText source{std::string(file_name), std::string(text)};
  Report report;
  std::vector<std::function<void(Policy&)>> changes;
  if (CheckText(source, report)) {
    for (const YamlNode& document : ReadYaml(source, source.text, report)) changes.push_back(ReadPolicy(document, report));
  }
  if (!report.empty()) return Fail(InvalidArgument(Told(report.Take())));
  return [changes](Policy& policy) {
    for (const auto& change : changes) change(policy);
  };
}

Result<std::function<void(Policy&)>> ReadPolicyFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kJobFileBytesMax + 1, '\0');  // one byte more than may be: refused as too large
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.gcount() == 0) return Fail(NotFound(path + ": cannot be read, or is empty"));
  text.resize(static_cast<size_t>(file.gcount()));
  return DecodePolicy(path, text);
}

}  // namespace gp
