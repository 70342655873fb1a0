#include "adapters/inbound/job_import/slurm/srun_step.h"

#include <algorithm>
#include <iterator>

#include "adapters/inbound/job_import/slurm/srun_options.h"

namespace gp {
namespace {

// An option of a step as the script has it.
struct WrittenOption {
  const SrunOption* option = nullptr;  // nullptr: srun has no such option
  std::string written;                 // with its value
  std::optional<std::string> value;
};

bool IsOption(const ShellWord& word) { return word.text.starts_with('-') && word.text.size() > 1; }

// The option that is in one word: "-n4", "-n", "--ntasks=4", "--ntasks".
WrittenOption OptionOf(const std::string& word) {
  if (!word.starts_with("--"))
    return {SrunOptionByLetter(word[1]), word,
            word.size() > 2 ? std::optional(word.substr(2)) : std::nullopt};
  const size_t equals = std::min(word.find('='), word.size());
  return {SrunOptionByName(std::string_view(word).substr(2, equals - 2)), word,
          equals < word.size() ? std::optional(word.substr(equals + 1)) : std::nullopt};
}

// Letters without values may be combined.
bool CanBeCombined(std::string_view letters) {
  return std::ranges::all_of(letters, [](char c) {
    const SrunOption* option = SrunOptionByLetter(c);
    return option != nullptr && option->takes != '=';
  });
}

// Reads the option at `at` and moves behind it.  nullopt: it cannot be read.
std::optional<WrittenOption> TakeOption(const std::vector<ShellWord>& words, size_t& at) {
  WrittenOption one = OptionOf(words[at++].text);
  if (one.option == nullptr) return std::nullopt;
  const bool is_long = one.written.starts_with("--");
  if (one.option->takes == 0 && !is_long && !CanBeCombined(one.value.value_or("")))
    return std::nullopt;
  if (one.option->takes == '=' && !one.value) {
    if (at == words.size()) return std::nullopt;
    one.value = words[at++].text;
    one.written += " " + *one.value;
  }
  return one;
}

void AddOption(const WrittenOption& one, SrunStep& step) {
  const SrunOption& option = *one.option;
  const std::string value = one.value.value_or("");
  if (option.use == SrunOptionUse::kCounts)
    step.counts[option.name == "tasks-per-node" ? "ntasks-per-node" : option.name] = value;
  if (option.use == SrunOptionUse::kGpus) step.gpus.emplace_back(one.written, value);
  const bool is_plain_export = option.name == "export" && (value == "ALL" || value.empty());
  if (option.use == SrunOptionUse::kNoted && !is_plain_export) step.noted.push_back(one.written);
}

}  // namespace

std::string ProgramOf(const ShellWord& word) { return word.text.substr(word.text.rfind('/') + 1); }

std::optional<SrunStep> ReadSrunStep(const std::vector<ShellWord>& words, size_t srun) {
  SrunStep step;
  size_t at = srun + 1;
  while (at < words.size() && IsOption(words[at])) {
    if (words[at].text == "--") {
      ++at;
      break;
    }
    const auto option = TakeOption(words, at);
    if (!option) return std::nullopt;
    AddOption(*option, step);
  }
  if (at >= words.size()) return std::nullopt;
  step.program = at;
  return step;
}

std::optional<size_t> FindSrun(const std::vector<ShellWord>& words) {
  constexpr std::string_view kRunners[] = {"exec", "nohup", "command", "timeout"};
  for (size_t i = 0; i < words.size(); ++i) {
    if (ProgramOf(words[i]) == "srun") return i;
    const bool is_runner = std::ranges::find(kRunners, words[i].text) != std::end(kRunners);
    const bool is_its_option =
        i > 0 && (words[i].text.starts_with('-') || words[0].text == "timeout");
    if (!is_runner && !is_its_option) return std::nullopt;
  }
  return std::nullopt;
}

bool AsksForTheHead(const std::vector<ShellWord>& words, const SrunStep& step) {
  const auto is_one = [&](std::string_view option) {
    const auto count = step.counts.find(option);
    return count != step.counts.end() && count->second == "1";
  };
  constexpr std::string_view kHeads[] = {"head", "HEAD", "master", "MASTER", "[0]"};
  const auto is_head = [&](const std::string& option) {
    const bool is_place = option.starts_with("-w") || option.starts_with("--nodelist");
    return is_place && std::ranges::any_of(
                           kHeads, [&](std::string_view head) { return option.contains(head); });
  };
  return std::ranges::any_of(step.noted, is_head) && (is_one("nodes") || is_one("ntasks")) &&
         ProgramOf(words[step.program]) == "hostname";
}

}  // namespace gp
