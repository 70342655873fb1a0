#include "adapters/inbound/job_import/slurm/slurm_values.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "base/text.h"

namespace gp {
namespace {

constexpr int64_t kMost = 1'000'000'000;

std::optional<int64_t> Number(std::string_view text) {
  const size_t first = text.find_first_not_of('0');
  const auto number = ParseCount(first == std::string_view::npos && !text.empty()
                                     ? "0"
                                     : text.substr(std::min(first, text.size())));
  return number && *number <= kMost ? std::optional(*number) : std::nullopt;
}

// The parts of "1:30:00".
std::optional<std::vector<int64_t>> Parts(std::string_view text) {
  std::vector<int64_t> numbers;
  for (const std::string& part : Split(text, ':')) {
    const auto number = Number(part);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

// "7", "1-10", "1-10:3".
std::optional<SlurmArray::Run> ReadRun(std::string_view text) {
  SlurmArray::Run run;
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const auto step = Number(text.substr(colon + 1));
    if (!step || *step == 0) return std::nullopt;
    run.step = *step;
    text = text.substr(0, colon);
  }
  const auto range = ReadSlurmRange(text);
  if (!range) return std::nullopt;
  run.first = range->least;
  run.count = (range->most - range->least) / run.step + 1;
  return run;
}

// The numbers as runs, each as long as possible from the first number on: "1 3 7 8 9" is 1 3 and
// 7 8 9.
std::vector<SlurmArray::Run> RunsOf(const std::set<int64_t>& numbers) {
  std::vector<SlurmArray::Run> runs;
  for (const int64_t number : numbers) {
    SlurmArray::Run* last = runs.empty() ? nullptr : &runs.back();
    if (last != nullptr && last->count == 1) last->step = number - last->first;
    if (last != nullptr && number == last->Last() + last->step) {
      ++last->count;
    } else {
      runs.push_back({number, 1, 1});
    }
  }
  for (SlurmArray::Run& run : runs) {
    if (run.count == 1) run.step = 1;
  }
  return runs;
}

}  // namespace

std::optional<int64_t> SlurmSeconds(std::string_view text) {
  if (text == "UNLIMITED" || text == "INFINITE") return 0;
  constexpr int64_t kMinute = 60, kHour = 3'600, kDayLong = 86'400;
  const size_t dash = text.find('-');
  if (dash != std::string_view::npos) {
    const auto days = Number(text.substr(0, dash));
    const auto parts = Parts(text.substr(dash + 1));
    if (!days || !parts || parts->size() > 3) return std::nullopt;
    const int64_t units[] = {kHour, kMinute, 1};
    int64_t seconds = *days * kDayLong;
    for (size_t i = 0; i < parts->size(); ++i) seconds += (*parts)[i] * units[i];
    return seconds;
  }
  const auto parts = Parts(text);
  if (!parts) return std::nullopt;
  switch (parts->size()) {
    case 1: return (*parts)[0] * kMinute;
    case 2: return (*parts)[0] * kMinute + (*parts)[1];
    case 3: return (*parts)[0] * kHour + (*parts)[1] * kMinute + (*parts)[2];
    default: return std::nullopt;
  }
}

std::optional<int64_t> SlurmMebibytes(std::string_view text) {
  int64_t unit = 1;
  bool is_kib = false;
  constexpr std::string_view kUnits = "KkMmGgTt";
  if (text.size() > 2 && text.ends_with('B') && kUnits.contains(text[text.size() - 2]))
    text.remove_suffix(1);
  if (!text.empty()) {
    switch (text.back()) {
      case 'K':
      case 'k': is_kib = true; [[fallthrough]];
      case 'M':
      case 'm': text.remove_suffix(1); break;
      case 'G':
      case 'g':
        unit = 1'024;
        text.remove_suffix(1);
        break;
      case 'T':
      case 't':
        unit = 1'024 * 1'024;
        text.remove_suffix(1);
        break;
      default: break;
    }
  }
  const auto number = Number(text);
  if (!number) return std::nullopt;
  const int64_t mebibytes = is_kib ? (*number + 1'023) / 1'024 : *number * unit;
  return mebibytes <= kMost ? std::optional(mebibytes) : std::nullopt;
}

std::optional<SlurmGpus> ReadSlurmGpus(std::string_view text) {
  constexpr int64_t kGpusMost = 1'000'000;
  const std::vector<std::string> parts = Split(text, ':');
  if (parts.size() > 2 || parts.front().empty()) return std::nullopt;
  SlurmGpus gpus;
  const auto count = Number(parts.back());
  if (count) gpus.count = *count;
  if (gpus.count > kGpusMost || (!count && parts.size() == 2)) return std::nullopt;
  if (!count || parts.size() == 2) gpus.model = parts.front();
  return gpus;
}

int64_t SlurmArray::Count() const {
  int64_t count = 0;
  for (const Run& run : runs) count += run.count;
  return count;
}

std::optional<SlurmArray> ReadSlurmArray(std::string_view text) {
  SlurmArray array;
  const size_t percent = text.find('%');
  if (percent != std::string_view::npos) {
    const auto parallel = Number(text.substr(percent + 1));
    if (!parallel || *parallel == 0) return std::nullopt;
    array.max_parallel = *parallel;
    text = text.substr(0, percent);
  }
  for (const std::string& part : Split(text, ',')) {
    const auto run = ReadRun(part);
    if (!run) return std::nullopt;
    array.runs.push_back(*run);
  }
  if (array.runs.size() == 1) return array;
  constexpr int64_t kListMost = 1'000'000;
  if (array.Count() > kListMost) return std::nullopt;
  std::set<int64_t> numbers;
  for (const SlurmArray::Run& run : array.runs) {
    for (int64_t i = 0; i < run.count; ++i) numbers.insert(run.first + i * run.step);
  }
  array.runs = RunsOf(numbers);
  return array;
}

std::optional<SlurmRange> ReadSlurmRange(std::string_view text) {
  const size_t dash = text.find('-');
  const auto least = Number(text.substr(0, dash));
  const auto most = dash == std::string_view::npos ? least : Number(text.substr(dash + 1));
  if (!least || !most || *most < *least) return std::nullopt;
  return SlurmRange{*least, *most};
}

std::optional<SlurmSignal> ReadSlurmSignal(std::string_view text) {
  constexpr std::string_view kSignals[] = {"SIGUSR1", "SIGUSR2", "SIGTERM",
                                           "SIGINT",  "SIGHUP",  "SIGQUIT"};
  const std::map<std::string_view, std::string_view> numbers{
      {"1", "HUP"}, {"2", "INT"}, {"3", "QUIT"}, {"10", "USR1"}, {"12", "USR2"}, {"15", "TERM"}};
  const size_t colon = text.find(':');
  const std::string_view receivers = text.substr(0, colon == std::string_view::npos ? 0 : colon);
  if (colon != std::string_view::npos) text.remove_prefix(colon + 1);
  const size_t at = text.find('@');
  std::string name(text.substr(0, at));
  if (const auto number = numbers.find(name); number != numbers.end()) name = number->second;
  if (!name.starts_with("SIG")) name = "SIG" + name;
  const bool is_read =
      std::ranges::find(kSignals, name) != std::end(kSignals) &&
      (receivers.empty() || receivers == "B" || receivers == "R" || receivers == "RB");
  if (!is_read) return std::nullopt;
  SlurmSignal signal{.name = name};
  if (at == std::string_view::npos) return signal;
  const auto seconds = ParseCount(text.substr(at + 1));
  if (!seconds || *seconds < 1 || *seconds > 65'535) return std::nullopt;
  signal.seconds_before = *seconds;
  return signal;
}

}  // namespace gp
