#include "adapters/inbound/job_import/slurm/import_sbatch.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "adapters/inbound/job_import/draft.h"
#include "adapters/inbound/job_import/slurm/sbatch_directives.h"
#include "adapters/inbound/job_import/slurm/sbatch_hints.h"
#include "adapters/inbound/job_import/slurm/slurm_demand.h"
#include "adapters/inbound/job_import/slurm/slurm_steps.h"
#include "adapters/inbound/job_import/slurm/slurm_values.h"
#include "adapters/inbound/job_import/slurm/slurm_words.h"
#include "base/text.h"
#include "domain/model/job_name.h"
#include "domain/model/job_spec.h"

namespace gp {
namespace {

constexpr std::string_view kHeader = "#GPU ";
constexpr int64_t kSignalBefore = 60;  // default seconds of --signal

std::string Seconds(int64_t seconds) {
  if (seconds % 3'600 == 0) return std::to_string(seconds / 3'600) + "h";
  return seconds % 60 == 0 ? std::to_string(seconds / 60) + "m" : std::to_string(seconds) + "s";
}

bool IsName(std::string_view text) { return !text.empty() && JobNameFromPath(text) == text; }

// The text split at commas outside quotes; the quotes are removed.
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

// Imports one script: takes its directives, then writes the new script.
class SbatchImport {
 public:
  SbatchImport(std::string_view file_name, SbatchScript script, const ImportOptions& options)
      : script_(std::move(script)), options_(options) {
    imported_.notes = script_.notes;
    Put(draft_, {"name"}, Text(JobNameFromPath(file_name)));
  }

  Result<ImportedJob> Do() {
    for (size_t i = 0; i < script_.directives.size(); ++i) {
      const Directive& one = script_.directives[i];
      // Of a repeated option only the last one counts.
      const auto is_again = [&](const Directive& later) {
        return one.is_known && later.is_known && later.name == one.name;
      };
      if (std::any_of(script_.directives.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                      script_.directives.end(), is_again))
        continue;
      if (!Take(one)) Note(one, WhyNot(one));
      if (refused_) return Fail(*refused_);
    }
    PutTime();
    PutText();
    std::ranges::stable_sort(imported_.notes, {}, &ImportNote::line);
    return std::move(imported_);
  }

 private:
  void Note(const Directive& one, std::string_view why) {
    imported_.notes.push_back({one.line, Printable(one.written, 100), Printable(why)});
  }

  static std::string WhyNot(const Directive& one) {
    if (!one.is_known) return "is not a known option of sbatch";
    return std::string(HintForOption(one.name));
  }

  // Whether the directive was handled: its values are in the job file, or it has a note.
  bool Take(const Directive& one) {
    if (ChangesNothing(one.name)) return one.is_known;
    if (const auto wrong = demand_.Take(one)) {
      if (!wrong->empty()) Note(one, *wrong);
      return true;
    }
    using Taker = bool (SbatchImport::*)(const Directive&);
    static const std::map<std::string_view, Taker> kTakers{
        {"account", &SbatchImport::TakeAccount},
        {"array", &SbatchImport::TakeArray},
        {"chdir", &SbatchImport::TakeDirectory},
        {"export", &SbatchImport::TakeExport},
        {"gres-flags", &SbatchImport::TakeBinding},
        {"job-name", &SbatchImport::TakeName},
        {"partition", &SbatchImport::TakePartition},
        {"qos", &SbatchImport::TakeQos},
        {"reservation", &SbatchImport::TakeReservation},
        {"signal", &SbatchImport::TakeSignal},
        {"time", &SbatchImport::TakeTime},
    };
    const auto taker = kTakers.find(one.name);
    return one.is_known && taker != kTakers.end() && (this->*taker->second)(one);
  }

  bool Unreadable(const Directive& one, std::string_view wanted) {
    Note(one, "cannot be read; expected: " + std::string(wanted));
    return true;  // it has its note
  }

  bool TakeAccount(const Directive& one) {
    if (!IsName(one.value)) return Unreadable(one, "a project name of letters, digits, _ and -");
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
    if (!IsName(one.value))
      return Unreadable(one, "a reservation name of letters, digits, _ and -");
    Put(draft_, {"reservation"}, Text(one.value));
    return true;
  }

  // Of several partitions Slurm uses the first in which the job can start; a job here has one
  // queue.
  bool TakePartition(const Directive& one) {
    std::string queue;
    for (const std::string& partition : Split(one.value, ',')) {
      const auto found = options_.queues.find(partition);
      if (found == options_.queues.end()) continue;
      if (queue.empty()) queue = found->second;
      if (queue != found->second) Note(one, "waits in " + queue + " only: a job has one queue");
    }
    if (queue.empty()) {
      Note(one,
           "set queue:, or import with --map " + one.value.substr(0, one.value.find(',')) +
               "=QUEUE; for the kind of node set node_labels: or resources: {gpus: {model: …}}");
    } else {
      Put(draft_, {"queue"}, Text(queue));
    }
    facts_.stated["SLURM_JOB_PARTITION"] = Literal(one.value);
    return true;
  }

  // An array that cannot be imported is refused: one job in its place would do other work.
  bool TakeArray(const Directive& one) {
    const auto refuse = [&](const std::string& why) {
      refused_ = InvalidArgument("line " + std::to_string(one.line) + ": " +
                                 Printable(one.written, 100) + ": " + why);
      return true;
    };
    const auto array = ReadSlurmArray(one.value);
    if (!array)
      return refuse(
          "is not a valid array: numbers and FIRST-LAST, with :STEP, and %PARALLEL at the end");
    if (array->Count() > kArrayMax) return refuse(TooLarge(*array));
    facts_.array = *array;
    Put(draft_, {"array", "count"}, Plain(std::to_string(array->Count())));
    if (array->max_parallel > 0)
      Put(draft_, {"array", "max_parallel"},
          Plain(std::to_string(std::min<int64_t>(array->max_parallel, kArrayMax))));
    return true;
  }

  // The message shows the first two parts into which the array can be divided.
  static std::string TooLarge(const SlurmArray& array) {
    const std::string why = "GP1011: an array has at most " + std::to_string(kArrayMax) +
                            " jobs, and this one " + std::to_string(array.Count()) +
                            ": import and submit it in parts";
    if (array.runs.size() != 1) return why;
    const SlurmArray::Run& run = array.runs.front();
    const auto part = [&](int64_t index) {
      const int64_t last = std::min(run.count, index + kArrayMax) - 1;
      const std::string step = run.step == 1 ? "" : ":" + std::to_string(run.step);
      return "--array=" + std::to_string(run.first + index * run.step) + "-" +
             std::to_string(run.first + last * run.step) + step +
             (array.max_parallel > 0 ? "%" + std::to_string(array.max_parallel) : "");
    };
    return why + ", " + part(0) + ", " + part(kArrayMax) +
           (run.count > 2 * kArrayMax ? " and so on" : "");
  }

  bool TakeDirectory(const Directive& one) {
    if (!one.value.starts_with('/')) return Unreadable(one, "an absolute path");
    if (one.value.find('%') != std::string::npos)
      return Unreadable(one, "a path without patterns such as %j");
    Put(draft_, {"workdir"}, Text(one.value));
    return true;
  }

  bool TakeExport(const Directive& one) {
    if (one.value == "NONE") return true;  // the default here
    for (const std::string& part : PartsOfExport(one.value)) {
      const size_t equals = std::min(part.find('='), part.size());
      const std::string name = part.substr(0, equals);
      if (part == "ALL") {
        Note(one,
             "variables of the submitting shell are not passed on: set them under env:, or with "
             "--env");
      } else if (part == "NIL" || part.empty()) {
        continue;
      } else if (const auto refusal = VariableRefusal(name)) {
        Note(one, Printable(name, 60) + " " + *refusal);
      } else if (equals < part.size()) {
        Put(draft_, {"env", name}, Text(part.substr(equals + 1)));
      } else {
        Put(draft_, {"env", name}, YamlNode{});
        Note(one, name + " must be given at submit: --env " + name + "=\"$" + name + "\"");
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
    if (priority != "low" && priority != "medium" && priority != "high")
      return Unreadable(one,
                        "low, normal, medium or high; or set priority: with a number up to 1000");
    Put(draft_, {"priority"}, Text(priority));
    return true;
  }

  bool TakeTime(const Directive& one) {
    const auto seconds = SlurmSeconds(one.value);
    if (!seconds) return Unreadable(one, "minutes, H:MM:SS or D-HH:MM:SS");
    time_ = *seconds;
    return true;
  }

  // "B:USR1@120": the signal, and its time before the end.
  bool TakeSignal(const Directive& one) {
    constexpr std::string_view kSignals[] = {"SIGUSR1", "SIGUSR2", "SIGTERM",
                                             "SIGINT",  "SIGHUP",  "SIGQUIT"};
    const std::map<std::string_view, std::string_view> numbers{
        {"1", "HUP"}, {"2", "INT"}, {"3", "QUIT"}, {"10", "USR1"}, {"12", "USR2"}, {"15", "TERM"}};
    std::string text = one.value;
    const size_t colon = text.find(':');
    const std::string receivers = text.substr(0, colon == std::string::npos ? 0 : colon);
    if (colon != std::string::npos) text.erase(0, colon + 1);
    const size_t at = text.find('@');
    std::string name = text.substr(0, at);
    if (const auto number = numbers.find(name); number != numbers.end()) name = number->second;
    if (!name.starts_with("SIG")) name = "SIG" + name;
    const auto seconds =
        at == std::string::npos ? Result<int64_t>(kSignalBefore) : ParseCount(text.substr(at + 1));
    const bool is_read =
        std::ranges::find(kSignals, name) != std::end(kSignals) &&
        (receivers.empty() || receivers == "B" || receivers == "R" || receivers == "RB");
    if (!is_read || !seconds || *seconds < 1 || *seconds > 65'535)
      return Unreadable(one, "USR1, USR2, TERM, INT, HUP or QUIT, and seconds: USR1@120");
    Put(draft_, {"checkpoint", "signal"}, Text(name));
    Put(draft_, {"checkpoint", "grace"}, Plain(Seconds(*seconds)));
    before_ = *seconds;
    return true;
  }

  // Slurm sends the signal before the time limit; here the grace period follows the limit.
  void PutTime() {
    if (time_ > 0)
      Put(draft_, {"time_limit"}, Plain(Seconds(time_ > before_ ? time_ - before_ : time_)));
  }

  void PutText() {
    const std::string first_line = script_.first_line.empty() ? "#!/bin/sh" : script_.first_line;
    ReadFacts(first_line);
    StepUse use;
    if (facts_.is_shell) {
      NoteArguments(script_.body, imported_.notes);
      use = TakeSteps(
          {demand_.Nodes(), demand_.TasksPerNode(), demand_.GpusPerTask(), demand_.GpusPerNode()},
          script_.body, imported_.notes);
    } else {
      NoteForeignArguments();
    }
    facts_.has_steps = use.has_steps;
    demand_.PutInto(draft_, use.has_tasks, imported_.notes);
    std::vector<std::string> preamble = SlurmVariables(script_.body, facts_, imported_.notes);
    std::ranges::move(StepFunctions(use), std::back_inserter(preamble));
    std::string& text = imported_.text;
    text = first_line + "\n";
    for (const std::string& line : Split(ToYaml(draft_), '\n')) {
      if (!line.empty()) text += std::string(kHeader) + line + "\n";
    }
    for (const std::string& line : preamble) text += line + "\n";
    for (const auto& [number, line] : script_.body)
      text += (line.starts_with("#GPU") ? "# " + line.substr(1) : line) + "\n";
  }

  void ReadFacts(const std::string& first_line) {
    constexpr std::string_view kShells[] = {"sh", "bash", "dash", "ksh", "zsh"};
    for (const std::string& word : Split(first_line, ' ')) {
      facts_.is_shell |=
          std::ranges::find(kShells, word.substr(word.rfind('/') + 1)) != std::end(kShells);
      facts_.is_login_shell |=
          word == "--login" ||
          (word.starts_with('-') && !word.starts_with("--") && word.find('l') != std::string::npos);
    }
    facts_.tasks_per_node = demand_.TasksPerNode();
    if (const auto cpus = demand_.CpusPerTask())
      facts_.stated["SLURM_CPUS_PER_TASK"] = std::to_string(*cpus);
    if (const YamlEntry* name = draft_.Find("name"))
      facts_.stated["SLURM_JOB_NAME"] = name->value.text;
    if (const YamlEntry* project = draft_.Find("project"))
      facts_.stated["SLURM_JOB_ACCOUNT"] = project->value.text;
  }

  // Scripts of other languages read their arguments by other names.
  void NoteForeignArguments() {
    for (const ScriptLine& line : script_.body) {
      for (const char* word : {"sys.argv", "argparse", "ARGV"}) {
        if (line.text.find(word) == std::string::npos) continue;
        imported_.notes.push_back(
            {line.number, word,
             "arguments are given at submit: gpu-platform jobs submit FILE -- ARGUMENTS"});
        break;
      }
    }
  }

  // The text for use within double quotes of a shell.
  static std::string Literal(const std::string& text) {
    std::string literal;
    for (const char c : text) {
      if (c == '"' || c == '$' || c == '`' || c == '\\') literal += '\\';
      if (c != '\n') literal += c;
    }
    return literal;
  }

  SbatchScript script_;
  const ImportOptions& options_;
  ImportedJob imported_;
  std::optional<Error> refused_;
  YamlNode draft_;
  ScriptFacts facts_;
  SlurmDemand demand_;
  int64_t time_ = 0;    // in seconds; 0: no limit
  int64_t before_ = 0;  // seconds from the signal to the end
};

}  // namespace

Result<ImportedJob> ImportSbatch(std::string_view file_name, std::string_view text,
                                 const ImportOptions& options) {
  SbatchScript script = ReadSbatchScript(text);
  const auto is_ours = [](const ScriptLine& line) {
    return line.text == "#GPU" || line.text.starts_with("#GPU ");
  };
  const auto ours = std::ranges::find_if(script.body, is_ours);
  const auto part = std::ranges::find_if(script.directives, [](const Directive& one) {
    return one.name == "hetjob" || one.name == "packjob";
  });
  if (part != script.directives.end())
    return Fail(InvalidArgument("line " + std::to_string(part->line) + ": a heterogeneous job (" +
                                part->name + "): make a job of each part, or use any_of"));
  if (ours != script.body.end())
    return Fail(InvalidArgument("line " + std::to_string(ours->number) +
                                ": there are #GPU lines already: submit the script unchanged"));
  if (script.directives.empty())
    return Fail(InvalidArgument("there is no #SBATCH line before the first command"));
  return SbatchImport(file_name, std::move(script), options).Do();
}

}  // namespace gp
