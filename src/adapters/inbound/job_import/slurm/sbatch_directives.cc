#include "adapters/inbound/job_import/slurm/sbatch_directives.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.h"

namespace gp {
namespace {

constexpr std::string_view kMark = "#SBATCH";

enum class Takes { kNothing, kValue, kMaybe };  // kMaybe: only after "="

struct Option {
  std::string_view name;
  char letter = 0;
  Takes takes = Takes::kValue;
};

// All options of sbatch 24, from its manual page.
constexpr Option kOptions[] = {
    {"account", 'A'},
    {"acctg-freq"},
    {"array", 'a'},
    {"batch"},
    {"bb"},
    {"bbf"},
    {"begin", 'b'},
    {"chdir", 'D'},
    {"cluster-constraint"},
    {"clusters", 'M'},
    {"comment"},
    {"constraint", 'C'},
    {"container"},
    {"container-id"},
    {"contiguous", 0, Takes::kNothing},
    {"core-spec", 'S'},
    {"cores-per-socket"},
    {"cpu-freq"},
    {"cpus-per-gpu"},
    {"cpus-per-task", 'c'},
    {"deadline"},
    {"delay-boot"},
    {"dependency", 'd'},
    {"distribution", 'm'},
    {"error", 'e'},
    {"exclude", 'x'},
    {"exclusive", 0, Takes::kMaybe},
    {"export"},
    {"export-file"},
    {"extra"},
    {"extra-node-info", 'B'},
    {"get-user-env", 0, Takes::kMaybe},
    {"gid"},
    {"gpu-bind"},
    {"gpu-freq"},
    {"gpus", 'G'},
    {"gpus-per-node"},
    {"gpus-per-socket"},
    {"gpus-per-task"},
    {"gres"},
    {"gres-flags"},
    {"hint"},
    {"hold", 'H', Takes::kNothing},
    {"ignore-pbs", 0, Takes::kNothing},
    {"input", 'i'},
    {"job-name", 'J'},
    {"kill-on-invalid-dep"},
    {"licenses", 'L'},
    {"mail-type"},
    {"mail-user"},
    {"mcs-label"},
    {"mem"},
    {"mem-bind"},
    {"mem-per-cpu"},
    {"mem-per-gpu"},
    {"mincpus"},
    {"network"},
    {"nice", 0, Takes::kMaybe},
    {"no-kill", 'k', Takes::kMaybe},
    {"no-requeue", 0, Takes::kNothing},
    {"nodefile", 'F'},
    {"nodelist", 'w'},
    {"nodes", 'N'},
    {"ntasks", 'n'},
    {"ntasks-per-core"},
    {"ntasks-per-gpu"},
    {"ntasks-per-node"},
    {"ntasks-per-socket"},
    {"open-mode"},
    {"output", 'o'},
    {"overcommit", 'O', Takes::kNothing},
    {"oversubscribe", 's', Takes::kNothing},
    {"parsable", 0, Takes::kNothing},
    {"partition", 'p'},
    {"power"},
    {"prefer"},
    {"priority"},
    {"profile"},
    {"propagate", 0, Takes::kMaybe},
    {"qos", 'q'},
    {"quiet", 'Q', Takes::kNothing},
    {"reboot", 0, Takes::kNothing},
    {"requeue", 0, Takes::kNothing},
    {"reservation"},
    {"resv-ports", 0, Takes::kMaybe},
    {"segment"},
    {"signal"},
    {"share", 0, Takes::kNothing},
    {"sockets-per-node"},
    {"spread-job", 0, Takes::kNothing},
    {"stepmgr", 0, Takes::kNothing},
    {"switches"},
    {"tasks"},
    {"tasks-per-node"},
    {"test-only", 0, Takes::kNothing},
    {"thread-spec"},
    {"threads-per-core"},
    {"time", 't'},
    {"time-min"},
    {"tmp"},
    {"tres-bind"},
    {"tres-per-task"},
    {"uid"},
    {"use-min-nodes", 0, Takes::kNothing},
    {"verbose", 'v', Takes::kNothing},
    {"wait", 'W', Takes::kNothing},
    {"wait-all-nodes"},
    {"wckey"},
    {"workdir"},
    {"wrap"},
};

// Further names of the same options; the last one was removed from sbatch but is still in scripts.
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"tasks", "ntasks"},
    {"tasks-per-node", "ntasks-per-node"},
    {"share", "oversubscribe"},
    {"workdir", "chdir"},
};

std::string_view WithoutSynonym(std::string_view name) {
  for (const auto& [other, usual] : kSynonyms) {
    if (name == other) return usual;
  }
  return name;
}

const Option* ByName(std::string_view name) {
  const auto exact = std::ranges::find(kOptions, name, &Option::name);
  if (exact != std::end(kOptions)) return &*exact;
  // As in getopt, an option may be abbreviated if the abbreviation is unique.
  const Option* found = nullptr;
  for (const Option& option : kOptions) {
    if (name.empty() || !option.name.starts_with(name)) continue;
    if (found != nullptr) return nullptr;
    found = &option;
  }
  return found;
}

const Option* ByLetter(char letter) {
  const auto found = std::ranges::find(kOptions, letter, &Option::letter);
  return letter == 0 || found == std::end(kOptions) ? nullptr : &*found;
}

// The words of a line as a shell splits them, without expansion; "#" at the start of a word ends
// the line.
std::vector<std::string> WordsOfLine(std::string_view line) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && (c == ' ' || c == '\t')) {
      if (word) words.push_back(*std::exchange(word, std::nullopt));
    } else if (quote == 0 && c == '#' && !word) {
      break;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
      if (!word) word.emplace();
    } else if (c == quote && quote != 0) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      if (!word) word.emplace();
      *word += line[++i];
    } else {
      if (!word) word.emplace();
      *word += c;
    }
  }
  if (word) words.push_back(*word);
  return words;
}

// Reads the options of one #SBATCH line.
class LineReader {
 public:
  LineReader(int line, std::string_view text) : line_(line), words_(WordsOfLine(text)) {}

  std::vector<Directive> All() {
    while (next_ < words_.size()) {
      const std::string word = words_[next_++];
      if (word.starts_with("--")) {
        Long(word);
      } else if (word.starts_with('-') && word.size() > 1) {
        Short(word);
      } else {
        all_.push_back({line_, word, word, "", false});
      }
    }
    return std::move(all_);
  }

 private:
  void Long(const std::string& word) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    const Option* option = ByName(name);
    Directive one{line_, word, name, "", option != nullptr};
    if (option != nullptr) one.name = WithoutSynonym(option->name);
    if (equals != std::string::npos) {
      one.value = word.substr(equals + 1);
    } else if (option != nullptr && option->takes == Takes::kValue) {
      TakeNext(one);
    }
    all_.push_back(std::move(one));
  }

  // Letters without values may be combined: -HQ.
  void Short(const std::string& word) {
    for (size_t i = 1; i < word.size(); ++i) {
      const Option* option = ByLetter(word[i]);
      Directive one{line_, std::string("-") + word[i],
                    option == nullptr ? word : std::string(option->name), "", option != nullptr};
      const bool has_value = option != nullptr && option->takes != Takes::kNothing;
      if (has_value && i + 1 < word.size()) {
        one.value = word.substr(i + 1);
        if (one.value.starts_with('=')) one.value.erase(0, 1);
        one.written = word;
      } else if (has_value && option->takes == Takes::kValue) {
        TakeNext(one);
      }
      all_.push_back(std::move(one));
      if (has_value || option == nullptr) return;
    }
  }

  void TakeNext(Directive& one) {
    if (next_ >= words_.size()) return;
    one.value = words_[next_++];
    one.written += " " + one.value;
  }

  int line_;
  std::vector<std::string> words_;
  size_t next_ = 0;
  std::vector<Directive> all_;
};

bool IsDirective(std::string_view line) {
  return line.starts_with(kMark) &&
         (line.size() == kMark.size() || line[kMark.size()] == ' ' || line[kMark.size()] == '\t');
}

bool IsComment(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos || line[first] == '#';
}

}  // namespace

SbatchScript ReadSbatchScript(std::string_view text) {
  SbatchScript script;
  bool in_header = true;
  int number = 0;
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (std::string& line : Split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    in_header = in_header && IsComment(line);
    if (number == 1 && line.starts_with("#!")) {
      script.first_line = std::move(line);
    } else if (in_header && IsDirective(line)) {
      std::ranges::move(LineReader(number, std::string_view(line).substr(kMark.size())).All(),
                        std::back_inserter(script.directives));
    } else {
      if (IsDirective(line))
        script.notes.push_back(
            {number, Printable(line, 100), "is after the first command: sbatch ignores it too"});
      if (in_header && (line.starts_with("#PBS ") || line.starts_with("#BSUB ")))
        script.notes.push_back(
            {number, Printable(line, 100), "is read by sbatch but not here: write it as #SBATCH"});
      script.body.push_back({number, std::move(line)});
    }
  }
  return script;
}

}  // namespace gp
