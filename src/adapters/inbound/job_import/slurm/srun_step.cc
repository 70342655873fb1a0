#include "adapters/inbound/job_import/slurm/srun_step.h"

#include <algorithm>
#include <iterator>

#include "adapters/inbound/job_import/slurm/srun_options.h"

namespace gp {

std::string ProgramOf(const ShellWord& word) { return word.text.substr(word.text.rfind('/') + 1); }

std::optional<SrunStep> ReadSrunStep(const std::vector<ShellWord>& words, size_t srun) {
  SrunStep step;
  size_t at = srun + 1;
  while (at < words.size() && words[at].text.starts_with('-') && words[at].text.size() > 1) {
    std::string written = words[at++].text;
    if (written == "--") break;
    const bool is_long = written.starts_with("--");
    const size_t equals = is_long ? written.find('=') : std::string::npos;
    const SrunOption* option = is_long ? SrunOptionByName(std::string_view(written).substr(
                                             2, equals == std::string::npos ? equals : equals - 2))
                                       : SrunOptionByLetter(written[1]);
    if (option == nullptr) return std::nullopt;
    std::string value = equals != std::string::npos ? written.substr(equals + 1)
                        : is_long                   ? ""
                                                    : written.substr(2);
    // Letters without values may be combined.
    if (option->takes == 0 && !value.empty() && !is_long) {
      if (std::ranges::any_of(value, [](char c) {
            return SrunOptionByLetter(c) == nullptr || SrunOptionByLetter(c)->takes == '=';
          }))
        return std::nullopt;
    }
    if (option->takes == '=' && value.empty() && equals == std::string::npos) {
      if (at == words.size()) return std::nullopt;
      value = words[at++].text;
      written += " " + value;
    }
    if (option->use == SrunOptionUse::kCounts)
      step.counts[option->name == "tasks-per-node" ? "ntasks-per-node" : option->name] = value;
    if (option->use == SrunOptionUse::kGpus) step.gpus.emplace_back(written, value);
    const bool is_plain_export = option->name == "export" && (value == "ALL" || value.empty());
    if (option->use == SrunOptionUse::kNoted && !is_plain_export) step.noted.push_back(written);
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
