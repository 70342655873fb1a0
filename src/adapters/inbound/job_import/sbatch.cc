#include "adapters/inbound/job_import/sbatch.h"

#include <algorithm>
#include <map>

#include "adapters/inbound/job_file/job_name.h"
#include "adapters/inbound/job_import/draft.h"
#include "adapters/inbound/job_import/sbatch_directives.h"
#include "adapters/inbound/job_import/slurm_demand.h"
#include "adapters/inbound/job_import/slurm_values.h"
#include "adapters/inbound/job_import/slurm_words.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr std::string_view kHeader = "#GPU ";
constexpr int64_t kSignalBefore = 60;  // seconds, where --signal says none

std::string Seconds(int64_t seconds) {
  if (seconds % 3'600 == 0) return std::to_string(seconds / 3'600) + "h";
  return seconds % 60 == 0 ? std::to_string(seconds / 60) + "m" : std::to_string(seconds) + "s";
}

bool IsName(std::string_view text) { return !text.empty() && JobNameFromPath(text) == text; }

bool IsVariable(std::string_view name) {
  const auto is_of_name = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && (name.front() < '0' || name.front() > '9') && std::ranges::all_of(name, is_of_name);
}

// At commas that are not within quotes, which do not count.
std::vector<std::string> PartsOfExport(std::string_view text) {
  std::vector<std::string> parts(1);
  char quote = 0;
  for (const char c : text) {
    if (quote == 0 && c == ',') {
      parts.emplace_back();
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// Options that ask for something that there is not, or that is said otherwise.
const std::map<std::string_view, std::string_view> kNoCounterpart{
    {"begin", "there is no time to begin: `at` and a submit, or jobs hold and release"},
    {"clusters", "a submit goes to the cluster that --server names"},
    {"comment", "say labels: {comment: …}"},
    {"constraint", "say node_labels:, and for GPUs resources: {gpus: {model: …}} (gpu-platform nodes label)"},
    {"container", "images of containers are not supported yet"},
    {"deadline", "gpu-platform jobs submit --plan says when it would start and end"},
    {"dependency", "ids of Slurm's jobs mean nothing here: say after: [JOB:ok] with ids of ours"},
    {"error", "output is kept with the job: gpu-platform logs JOB"},
    {"exclude", "say node_labels: that those nodes have not"},
    {"exclusive", "a node is shared by jobs, a GPU by nobody unless they ask for parts; ask for all GPUs of a node to have it alone"},
    {"hold", "gpu-platform jobs hold JOB"},
    {"input", "write: program < file"},
    {"licenses", "there are no licences to count"},
    {"mail-type", "jobs cannot notify anybody yet"},
    {"mail-user", "jobs cannot notify anybody yet"},
    {"overcommit", "each task has cores of its own: say resources: {cpus: …}"},
    {"nice", "say priority: low, medium, high or 0 to 1000"},
    {"no-requeue", "after a fault of the platform a job is always started again"},
    {"nodelist", "say node_labels: that only those nodes have"},
    {"output", "output is kept with the job: gpu-platform logs JOB"},
    {"partition", "say queue: and, for the kind of node, node_labels: or resources: {gpus: {model: …}}"},
    {"prefer", "say node_labels: to demand it"},
    {"priority", "say priority: low, medium, high or 0 to 1000"},
    {"switches", "say topology: {network_levels: 1} or more"},
    {"time-min", "only max_duration is there"},
    {"tmp", "disk space is not reserved"},
    {"wait", "gpu-platform jobs wait JOB"},
    {"wrap", "--wrap belongs on sbatch's command line"},
};

// Options that change nothing of what the job gets or does.
constexpr std::string_view kWithoutMeaning[] = {"ignore-pbs", "kill-on-invalid-dep", "open-mode", "parsable", "quiet", "requeue", "verbose", "wait-all-nodes"};

class SbatchImport {
 public:
  SbatchImport(std::string_view file_name, SbatchScript script) : script_(std::move(script)) {
    imported_.notes = script_.notes;
    Put(draft_, {"name"}, Text(JobNameFromPath(file_name)));
  }

  ImportedJob Do() {
    for (size_t i = 0; i < script_.directives.size(); ++i) {
      const Directive& one = script_.directives[i];
      // Of an option that is given again the last one counts.
      const auto is_again = [&](const Directive& later) { return one.is_known && later.is_known && later.name == one.name; };
      if (std::any_of(script_.directives.begin() + static_cast<std::ptrdiff_t>(i) + 1, script_.directives.end(), is_again)) continue;
      if (!Take(one)) Note(one, WhyNot(one));
    }
    PutTime();
    demand_.PutInto(draft_, imported_.notes);
    PutText();
    std::ranges::stable_sort(imported_.notes, {}, &ImportNote::line);
    return std::move(imported_);
  }

 private:
  void Note(const Directive& one, std::string_view why) { imported_.notes.push_back({one.line, Printable(one.written, 100), Printable(why)}); }

  static std::string WhyNot(const Directive& one) {
    if (!one.is_known) return "is no option of sbatch's that is known here";
    const auto why = kNoCounterpart.find(one.name);
    return why == kNoCounterpart.end() ? "has no counterpart" : std::string(why->second);
  }

  // Whether all of it is in the job file, or will be.
  bool Take(const Directive& one) {
    if (std::ranges::find(kWithoutMeaning, one.name) != std::end(kWithoutMeaning)) return one.is_known;
    if (const auto wrong = demand_.Take(one)) {
      if (!wrong->empty()) Note(one, *wrong);
      return true;
    }
    using Taker = bool (SbatchImport::*)(const Directive&);
    static const std::map<std::string_view, Taker> kTakers{
        {"account", &SbatchImport::TakeAccount},       {"array", &SbatchImport::TakeArray}, {"chdir", &SbatchImport::TakeDirectory},
        {"export", &SbatchImport::TakeExport},         {"gres-flags", &SbatchImport::TakeBinding}, {"job-name", &SbatchImport::TakeName},
        {"qos", &SbatchImport::TakeQos},               {"reservation", &SbatchImport::TakeReservation}, {"signal", &SbatchImport::TakeSignal},
        {"time", &SbatchImport::TakeTime},
    };
    const auto taker = kTakers.find(one.name);
    return one.is_known && taker != kTakers.end() && (this->*taker->second)(one);
  }

  bool Unreadable(const Directive& one, std::string_view wanted) {
    Note(one, "is not read: " + std::string(wanted));
    return true;  // said
  }

  bool TakeAccount(const Directive& one) {
    if (!IsName(one.value)) return Unreadable(one, "a project's name has letters, digits, _ and -");
    Put(draft_, {"project"}, Text(one.value));
    return true;
  }

  bool TakeName(const Directive& one) {
    const std::string name = JobNameFromPath(one.value);
    Put(draft_, {"name"}, Text(name));
    if (name != one.value) Note(one, "is called " + name + " here");
    return true;
  }

  bool TakeReservation(const Directive& one) {
    if (!IsName(one.value)) return Unreadable(one, "a reservation's name has letters, digits, _ and -");
    Put(draft_, {"reservation"}, Text(one.value));
    return true;
  }

  bool TakeArray(const Directive& one) {
    const auto array = ReadSlurmArray(one.value);
    constexpr int64_t kArrayMost = 10'000;
    if (!array || array->count > kArrayMost) return Unreadable(one, "FIRST-LAST, with :STEP and %PARALLEL, of at most 10000 jobs; a list of numbers needs a line in the script");
    facts_.array = *array;
    Put(draft_, {"array", "count"}, Plain(std::to_string(array->count)));
    if (array->max_parallel > 0) Put(draft_, {"array", "max_parallel"}, Plain(std::to_string(std::min(array->max_parallel, kArrayMost))));
    return true;
  }

  bool TakeDirectory(const Directive& one) {
    if (!one.value.starts_with('/')) return Unreadable(one, "workdir is an absolute path");
    if (one.value.find('%') != std::string::npos) return Unreadable(one, "workdir knows no %j and the like");
    Put(draft_, {"workdir"}, Text(one.value));
    return true;
  }

  bool TakeExport(const Directive& one) {
    if (one.value == "NONE") return true;  // as it is here
    for (const std::string& part : PartsOfExport(one.value)) {
      const size_t equals = std::min(part.find('='), part.size());
      const std::string name = part.substr(0, equals);
      if (part == "ALL") {
        Note(one, "variables of the shell that submits do not go along: name them under env:, or with --env");
      } else if (part == "NIL" || part.empty()) {
        continue;
      } else if (!IsVariable(name)) {
        Note(one, "is not read: " + part);
      } else if (equals < part.size()) {
        Put(draft_, {"env", name}, Text(part.substr(equals + 1)));
      } else {
        Put(draft_, {"env", name}, YamlNode{});
        Note(one, name + " must be given at the submit: --env " + name + "=\"$" + name + "\"");
      }
    }
    return true;
  }

  bool TakeBinding(const Directive& one) {
    if (one.value != "enforce-binding") return false;
    Put(draft_, {"topology", "allow_cross_numa"}, Plain("false"));
    return true;
  }

  bool TakeQos(const Directive& one) {
    const std::string priority = one.value == "normal" ? "medium" : one.value;
    if (priority != "low" && priority != "medium" && priority != "high") return Unreadable(one, "priority is low, medium, high or a number up to 1000");
    Put(draft_, {"priority"}, Text(priority));
    return true;
  }

  bool TakeTime(const Directive& one) {
    const auto seconds = SlurmSeconds(one.value);
    if (!seconds) return Unreadable(one, "minutes, H:MM:SS or D-HH:MM:SS");
    time_ = *seconds;
    return true;
  }

  // "B:USR1@120": both the signal, and how long before the end.
  bool TakeSignal(const Directive& one) {
    constexpr std::string_view kSignals[] = {"SIGUSR1", "SIGUSR2", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"};
    const std::map<std::string_view, std::string_view> numbers{{"1", "HUP"}, {"2", "INT"}, {"3", "QUIT"}, {"10", "USR1"}, {"12", "USR2"}, {"15", "TERM"}};
    std::string text = one.value;
    const size_t colon = text.find(':');
    const std::string whom = text.substr(0, colon == std::string::npos ? 0 : colon);
    if (colon != std::string::npos) text.erase(0, colon + 1);
    const size_t at = text.find('@');
    std::string name = text.substr(0, at);
    if (const auto number = numbers.find(name); number != numbers.end()) name = number->second;
    if (!name.starts_with("SIG")) name = "SIG" + name;
    const auto seconds = at == std::string::npos ? Result<int64_t>(kSignalBefore) : ParseCount(text.substr(at + 1));
    const bool is_read = std::ranges::find(kSignals, name) != std::end(kSignals) && (whom.empty() || whom == "B" || whom == "R" || whom == "RB");
    if (!is_read || !seconds || *seconds < 1 || *seconds > 65'535) return Unreadable(one, "USR1, USR2, TERM, INT, HUP or QUIT, and seconds: USR1@120");
    Put(draft_, {"checkpoint", "signal"}, Text(name));
    Put(draft_, {"checkpoint", "grace"}, Plain(Seconds(*seconds)));
    before_ = *seconds;
    return true;
  }

  // Slurm warns before the end; here the grace follows it.
  void PutTime() {
    if (time_ > 0) Put(draft_, {"max_duration"}, Plain(Seconds(time_ > before_ ? time_ - before_ : time_)));
  }

  void PutText() {
    const std::string first_line = script_.first_line.empty() ? "#!/bin/sh" : script_.first_line;
    facts_.tasks_per_node = demand_.TasksPerNode();
    if (const auto cpus = demand_.CpusPerTask()) facts_.cpus_per_task = std::to_string(*cpus);
    facts_.is_shell = first_line.ends_with("sh") || first_line.find("sh ") != std::string::npos;
    const std::vector<std::string> variables = SlurmVariables(script_.body, facts_, imported_.notes);
    std::string& text = imported_.text;
    text = first_line + "\n";
    for (const std::string& line : Split(ToYaml(draft_), '\n')) {
      if (!line.empty()) text += std::string(kHeader) + line + "\n";
    }
    for (const std::string& variable : variables) text += variable + "\n";
    for (const auto& [number, line] : script_.body) text += (line.starts_with("#GPU") ? "# " + line.substr(1) : line) + "\n";
  }

  SbatchScript script_;
  ImportedJob imported_;
  YamlNode draft_;
  ScriptFacts facts_;
  SlurmDemand demand_;
  int64_t time_ = 0;    // in seconds; 0: no limit
  int64_t before_ = 0;  // from the signal to the end
};

}  // namespace

Result<ImportedJob> ImportSbatch(std::string_view file_name, std::string_view text) {
  SbatchScript script = ReadSbatchScript(text);
  const auto is_ours = [](const ScriptLine& line) { return line.text == "#GPU" || line.text.starts_with("#GPU "); };
  const auto ours = std::ranges::find_if(script.body, is_ours);
  const auto part = std::ranges::find_if(script.directives, [](const Directive& one) { return one.name == "hetjob" || one.name == "packjob"; });
  if (part != script.directives.end()) return Fail(InvalidArgument("line " + std::to_string(part->line) + ": a job of unlike parts (" + part->name + "): make a job of each, or say any_of"));
  if (ours != script.body.end()) return Fail(InvalidArgument("line " + std::to_string(ours->number) + ": it has #GPU lines already: submit it as it is"));
  if (script.directives.empty()) return Fail(InvalidArgument("there is no #SBATCH line before the first command"));
  return SbatchImport(file_name, std::move(script)).Do();
}

}  // namespace gp
